//! The structured control flow of a shader as a Graphviz graph.
//!
//! A box is a block; an arrow is an edge of the control flow. A frame is a body: the sides of an if,
//! a loop, its continue construct. `ntv cfg shader.nir | dot -Tsvg > shader.svg` draws it.

use ntv::analysis::cfg::Cfg;
use ntv::ir::{Block, Cf, Shader};
use std::fmt::Write as _;

/// The graph of `shader`, which is valid.
pub(crate) fn graph(shader: &Shader) -> String {
    let mut out = format!("digraph {} {{\n", quote(&shader.entry));
    out.push_str("    node [shape=box, fontname=monospace];\n");
    let cfg = Cfg::new(shader);
    let mut bodies = 0;
    let mut open = |out: &mut String, label: &str| {
        let _ = writeln!(out, "    subgraph cluster_{bodies} {{ label={};", quote(label));
        bodies += 1;
    };
    for item in &shader.cf {
        match *item {
            Cf::Block(block) => node(&mut out, shader, block),
            Cf::If { cond, .. } => open(&mut out, &format!("if {cond}")),
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

fn node(out: &mut String, shader: &Shader, block: Block) {
    let count = shader.block_insts(block).len();
    let label = match count {
        0 => format!("{block}"),
        1 => format!("{block}: 1 instruction"),
        _ => format!("{block}: {count} instructions"),
    };
    let _ = writeln!(out, "    {block} [label={}];", quote(&label));
}

/// The arrows from `block`; the sides of an if are told apart, and an edge back to a loop's start does not pull it down.
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
        let _ = writeln!(out, "    {block} -> {succ}{label}{back};");
    }
}

/// A string of the DOT language.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
