//! A shader that comes as words is the shader that came as text, and becomes the same SPIR-V.
//!
//! Over the dumps of this repository always; over a corpus of real dumps where there is one (`NTV_CORPUS`, or
//! `../shared/corpus`).

mod support;

use ntv::{text, wire, EmitOptions, Options, Shader, Target, Translator};
use std::fs;
use std::path::{Path, PathBuf};

/// The shaders in a file that text can hold.
fn shaders(path: &Path) -> Vec<Shader> {
    let source = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let found = text::parse(&String::from_utf8_lossy(&source));
    found.into_iter().filter_map(|found| found.shader.ok()).collect()
}

/// What goes wrong with `shader`; `decoder` has read others before.
fn fault(shader: &Shader, decoder: &mut wire::Decoder, translate: bool) -> Option<String> {
    let mut again = Shader::default();
    let words = wire::encode(shader);
    if let Err(error) = decoder.decode(&words, &mut again) {
        return Some(error.to_string());
    }
    if again != *shader {
        return Some("changed".into());
    }
    if wire::encode(&again) != wire::encode(&wire::decode(&words).ok()?) {
        return Some("is another when read by a new decoder".into());
    }
    if !translate {
        return None;
    }
    let mut translator = Translator::new(Options { target: Target::default(), ..Options::default() });
    let mut words = |mut shader: Shader| {
        let module = translator.translate(&mut shader, &EmitOptions { names: true, ..EmitOptions::default() });
        module.map(|module| module.words).map_err(|errors| errors.0.len())
    };
    (words(shader.clone()) != words(again)).then(|| "has other words".into())
}

/// The faults of all files, and how many shaders they have.
fn faults(files: Vec<PathBuf>, translate: bool) -> (Vec<String>, usize) {
    let per_file = support::in_parallel(files, |path| {
        let mut decoder = wire::Decoder::default();
        let shaders = shaders(&path);
        let found = shaders.iter().filter_map(|shader| fault(shader, &mut decoder, translate));
        (found.map(|fault| format!("{}: {fault}", path.display())).collect::<Vec<_>>(), shaders.len())
    });
    let count = per_file.iter().map(|(_, count)| count).sum();
    (per_file.into_iter().flat_map(|(faults, _)| faults).collect(), count)
}

#[test]
fn own_dumps_survive() {
    let mut files = support::files(&support::root().join("tests"), &["nir", "log"]);
    files.extend(support::files(&support::root().join("examples"), &["nir"]));
    let (faults, count) = faults(files, true);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 200, "only {count} shaders");
}

#[test]
fn corpus_survives() {
    let Some(folder) = support::shared_corpus() else { return };
    let (faults, count) = faults(support::files(&folder, &["nir", "log"]), false);
    assert!(count > 1000, "{} is no corpus: {count} shaders", folder.display());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(60)].join("\n"));
}

#[test]
fn no_value_is_larger_than_what_holds_it() {
    let text = include_str!("../examples/ubo_loop.nir");
    let words = wire::encode(&text::parse(text).remove(0).shader.expect("a shader"));
    // Where the first word of an instruction has components and bits.
    for (field, value) in [(0x1f << 16, 17 << 16), (0x7f << 21, 65 << 21), (0x7f << 21, 0)] {
        for at in 0..words.len() {
            let mut words = words.clone();
            words[at] = words[at] & !field | value;
            let Ok(shader) = wire::decode(&words) else { continue };
            let too_large = shader
                .insts
                .values()
                .find(|inst| inst.num_components > 16 || inst.bit_size > 64 || inst.has_def() && inst.bit_size == 0);
            assert!(too_large.is_none(), "word {at}: {too_large:?}");
            text::print(&shader);
        }
    }
}

/// `words` with the opcode `old` in place of `new`.
fn renamed(words: &[u32], new: &str, old: &str) -> Vec<u32> {
    const KINDS: [(u32, wire::Table); 2] = [(21, wire::Table::Alu), (26, wire::Table::Intrinsic)];
    const HEADER: usize = 4;
    let (mut out, mut at) = (words.to_vec(), HEADER);
    let end = words.len() - (words[3] as usize).div_ceil(4);
    while at < end {
        for (_, table) in KINDS.iter().filter(|(kind, _)| words[at] & 0xff == *kind) {
            let op = words[at + 1] & 0xffff;
            if Some(op) == wire::number(*table, new) {
                out[at + 1] += wire::number(*table, old).expect("an old name") - op;
            }
        }
        at += (words[at] >> 8) as usize;
    }
    out
}

#[test]
fn names_of_older_releases_are_known() {
    // An instruction, a name in it, the old name in place of that, and what is read.
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("32x2 %3 = fneg %0.yx", "fneg", "fddx_fine", &["32x2 %3 = mov %0.yx", "32x2 %4 = @ddx_fine (%3)"]),
        ("32 %3 = fneg %1", "fneg", "fddy", &["32 %3 = @ddy (%1)"]),
        (
            "1 %3 = fisfinite %0.y",
            "fisfinite",
            "f2b1",
            &["32 %3 = load_const (0x00000000 = 0.000000)", "1 %4 = fneu %0.y, %3 (0.000000)"],
        ),
        ("@demote_if (%2)", "demote_if", "discard_if", &["@terminate_if (%2)"]),
        (
            "32 %3 = @ssbo_atomic (%1, %1, %1) (access=none, atomic_op=iadd)",
            "ssbo_atomic",
            "ssbo_atomic_umax",
            &["32 %3 = @ssbo_atomic (%1, %1, %1) (access=none, atomic_op=umax)"],
        ),
    ];
    for (line, new, old, expected) in cases {
        let values = "    32x2 %0 = undefined\n    32 %1 = undefined\n    1 %2 = undefined\n";
        let text = format!(
            "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n\
             {values}    {line}\n    // succs: b1\n    block b1:  // preds: b0\n}}\n"
        );
        let found = text::parse(&text).remove(0).shader.expect("a shader");
        let words = renamed(&wire::encode(&found), new, old);
        let read = text::print(&wire::decode(&words).expect("a shader"));
        let body = read.lines().skip_while(|line| !line.contains("%2 = undefined")).skip(1);
        let body = body.take_while(|line| !line.contains("// succs"));
        let squeezed = body.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(squeezed.collect::<Vec<String>>(), *expected, "{old}");
    }
}
