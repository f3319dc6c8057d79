// SPDX-License-Identifier: MIT

//! The structured control flow of a shader as a Graphviz graph.
//!
//! A box is a block with its instructions, as a dump has them; an arrow is an edge of the control flow. A frame is a body: the
//! branches of an if, a loop, its continue construct. `ntv cfg shader.nir | dot -Tsvg > shader.svg` draws it.

use ntv::analysis::cfg::Cfg;
use ntv::ir::{Block, Cf, Shader};
use ntv::text;
use std::fmt::Write as _;

/// The graph of `shader`, which is valid.
pub fn graph(shader: &Shader) -> String {
    let mut out = format!("digraph {} {{\n", quote(&shader.entry));
    out.push_str("    node [shape=box, fontname=monospace];\n");
    let cfg = Cfg::new(shader);
    let mut insts = text::print_blocks(shader).into_iter();
    let mut bodies = 0;
    let mut open = |out: &mut String, label: &str| {
        let _ = writeln!(out, "    subgraph cluster_{bodies} {{ label={};", quote(label));
        bodies += 1;
    };
    for item in &shader.cf {
        match *item {
            Cf::Block(block) => node(&mut out, &name(&cfg, block), &insts.next().unwrap_or_default()),
            Cf::If { cond, .. } => open(&mut out, &format!("if {}", shader.shown(cond))),
            Cf::Loop => open(&mut out, "loop"),
            Cf::Else | Cf::Continue => {
                out.push_str("    }\n");
                open(&mut out, if *item == Cf::Else { "else" } else { "continue" });
            }
            Cf::EndIf | Cf::EndLoop => out.push_str("    }\n"),
        }
    }
    for block in shader.block_order() {
        edges(&mut out, &cfg, block);
    }
    out.push_str("}\n");
    out
}

/// The name of `block` in a dump.
fn name(cfg: &Cfg, block: Block) -> String {
    format!("b{}", cfg.position(block))
}

/// A block: its name, and a left-aligned line for each instruction.
fn node(out: &mut String, name: &str, insts: &[String]) {
    let lines = std::iter::once(format!("{name}:")).chain(insts.iter().map(|inst| format!("    {inst}")));
    let label: String = lines.map(|line| escape(&line) + "\\l").collect();
    let _ = writeln!(out, "    {name} [label=\"{label}\"];");
}

/// The edges from `block`. Those of an if have labels, and a loop's back edge does not constrain the layout.
fn edges(out: &mut String, cfg: &Cfg, block: Block) {
    let succs = cfg.succs(block);
    for (side, succ) in succs.into_iter().enumerate() {
        let Some(succ) = succ else { continue };
        let label = match (succs[1].is_some(), side) {
            (false, _) => "",
            (true, 0) => " [label=then]",
            (true, _) => " [label=else]",
        };
        let back = if cfg.position(succ) <= cfg.position(block) { " [constraint=false]" } else { "" };
        let _ = writeln!(out, "    {} -> {}{label}{back};", name(cfg, block), name(cfg, succ));
    }
}

/// A string of the DOT language.
fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

/// Escapes the text between the quotes of a string; a name in a dump may have any character.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The graph of the only shader in `text`.
    fn graph_of(text: &str) -> String {
        let shader = text::parse(text).expect("a shader");
        ntv::check::validate(&shader).expect("a valid shader");
        graph(&shader)
    }

    /// The strings of a graph, without their escapes, and the rest of it. Fails if a string does not end.
    fn split(graph: &str) -> (Vec<String>, String) {
        let (mut strings, mut rest) = (Vec::new(), String::new());
        let mut characters = graph.chars();
        while let Some(character) = characters.next() {
            if character != '"' {
                rest.push(character);
                continue;
            }
            let mut string = String::new();
            loop {
                match characters.next().expect("the end of a string") {
                    '"' => break,
                    '\\' => match characters.next().expect("the escaped character") {
                        'l' => string.push('\n'),
                        escaped @ ('"' | '\\') => string.push(escaped),
                        other => panic!("not an escape: {other}"),
                    },
                    '\n' => panic!("a line ends in a string"),
                    other => string.push(other),
                }
            }
            strings.push(string);
            rest.push('S');
        }
        (strings, rest)
    }

    /// Fails unless the text outside of strings is a graph of nested subgraphs, nodes and edges.
    fn expect_graph(rest: &str) {
        let mut depth = 0;
        for line in rest.lines().map(str::trim) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_block = |word: &str| word.strip_prefix('b').is_some_and(|number| number.parse::<u32>().is_ok());
            match words[..] {
                ["digraph", "S", "{"] if depth == 0 => depth = 1,
                ["subgraph", cluster, "{", "label=S;"] if cluster.starts_with("cluster_") => depth += 1,
                ["}"] => depth -= 1,
                ["node", "[shape=box,", "fontname=monospace];"] => {}
                [block, "[label=S];"] if is_block(block) => {}
                [from, "->", ref to @ ..] => {
                    let known = ["[label=then]", "[label=else]", "[constraint=false]"];
                    let to = to.join(" ");
                    let mut to = to.strip_suffix(';').expect("an end").split(' ');
                    assert!(is_block(from) && to.next().is_some_and(is_block), "{line}");
                    assert!(to.all(|word| known.contains(&word)), "{line}");
                }
                _ => panic!("not a line of a graph: {line}"),
            }
        }
        assert_eq!(depth, 0);
    }

    #[test]
    fn a_node_has_the_instructions_of_its_block() {
        let text = include_str!("../../examples/histogram.nir");
        let (strings, rest) = split(&graph_of(text));
        expect_graph(&rest);
        let trimmed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let of_dump: Vec<String> = text.lines().filter(|line| line.contains(" = ")).map(trimmed).collect();
        let shown: Vec<String> = strings.iter().flat_map(|string| string.lines()).map(trimmed).collect();
        for line in of_dump.iter().filter(|line| line.contains("%15") || line.contains("shared_atomic")) {
            assert!(shown.contains(line), "{line}");
        }
        assert!(shown.contains(&"if %15".to_string()), "{shown:?}");
        let second = strings.iter().find(|string| string.starts_with("b1:\n    32    %13 = phi b0: %12, b4: %26\n"));
        assert!(second.is_some(), "{strings:?}");
    }

    #[test]
    fn names_of_any_characters_are_in_strings() {
        let name = r#"a"b\c]; x -> y"#;
        let text = format!(
            "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\n\
             decl_var shared INTERP_MODE_NONE none uint {} (0, 0, 0)\n\
             decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n\
             32   %0 = load_const (0x00000000)\n    32   %1 = deref_var &at (shared uint)\n\
             @store_deref (%1, %0) (wrmask=x, access=none)\n    // succs: b1\n    block b1:\n}}\n",
            "at"
        );
        let mut shader = text::parse(&text).expect("a shader");
        shader.entry = name.to_string();
        let name = shader.strings.add(name);
        shader.vars.values_mut().for_each(|var| var.name = name);
        let (strings, rest) = split(&graph(&shader));
        expect_graph(&rest);
        assert_eq!(strings[0], shader.entry);
        assert!(strings[1].contains(&shader.entry), "{strings:?}");
        assert_eq!(escape("a\nb\t"), "a b ");
    }
}
