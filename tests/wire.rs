// SPDX-License-Identifier: MIT

//! A shader that is read from a wire is the same as the one that is parsed from text, and is translated to the same SPIR-V.
//!
//! The test always covers the dumps of this repository, and a corpus of real dumps if there is one (`NTV_CORPUS`, or
//! `../shared/corpus`).

mod support;
#[path = "support/wire_records.rs"]
mod wire_records;

use ntv::{text, wire, EmitOptions, Options, Shader, Target, Translator};
use std::fs;
use std::path::{Path, PathBuf};
use wire_records::{record, records_of};

/// The shaders in a file that can be parsed.
fn shaders(path: &Path) -> Vec<Shader> {
    let source = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text::find(&String::from_utf8_lossy(&source)).filter_map(|found| found.shader.ok()).collect()
}

/// The fault of `shader`; `decoder` has read others before.
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
    let mut translator = Translator::new(Options::default().target(Target::default()));
    let mut words = |mut shader: Shader| {
        let module = translator.translate(&mut shader, &EmitOptions::default().names(true));
        module.map(|module| module.words).map_err(|errors| errors.0.len())
    };
    (words(shader.clone()) != words(again)).then(|| "has other words".into())
}

/// The faults of all files, and the number of their shaders.
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
fn no_value_is_larger_than_its_field() {
    let text = include_str!("../examples/ubo_loop.nir");
    let words = wire::encode(&text::parse(text).expect("a shader"));
    // The components and bits in the first word of an instruction.
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

#[test]
fn faults_are_named() {
    let text = "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n\
                    32 %0 = load_const (0x00000001)\n    1 %1 = ieq %0, %0\n    @demote_if (%1)\n    // succs: b1 b2\n    if %1 {\n\
                    block b1:  // preds: b0\n    32 %2 = undefined\n    // succs: b3\n    } else {\n    block b2:  // preds: b0\n\
                    // succs: b3\n    }\n    block b3:  // preds: b1 b2\n    32 %3 = phi b1: %2, b2: %0\n    // succs: b4\n\
                    block b4:  // preds: b3\n}\n";
    let words = wire::encode(&text::parse(text).expect("a shader"));
    let place = |kind: u32, number: usize| records_of(&words, kind)[number].0;
    let [first_block, branch] = [0, 1].map(|number| place(record::CONTROL, number));
    let [constant, alu, demote, undefined, phi] =
        [record::CONST, record::ALU, record::INTRINSIC, record::PLAIN, record::PHI_SRC].map(|kind| place(kind, 0));
    let head = |kind: u32, op: u32| kind | op << 4;
    // The index of a word, its replacement, and the index and the message of the error.
    let cases: &[(usize, u32, usize, &str)] = &[
        (0, 7, 0, "this is not a wire"),
        (1, 5, 1, "version 5 of the format"),
        (2, 7, 2, "should have 7"),
        (3, 6, 3, "there are 5 instructions, not 6"),
        (3, 4, 3, "there are 5 instructions, not 4"),
        (3, u32::MAX, 3, "which are not there"),
        (4, 9, 4, "expected stages and flags"),
        (alu, words[alu] & !0xfff0 | 9999 << 4 & 0xfff0, alu, "there is no ALU opcode"),
        (alu, words[alu] | 8 << 28, alu + 4, "is not defined before this use"),
        (constant, 2 | 32 << 21, constant, "a result of 0 components of 32 bits"),
        (constant, 2 | 1 << 16, constant, "a result of 1 components of 0 bits"),
        (constant, 2, constant, "a result of 0 components of 0 bits"),
        (constant, 15 | 2 << 4, constant, "expected a math control"),
        (alu + 1, 1, alu + 1, "value 1 is not defined before this use"),
        (alu + 1, 7, alu + 1, "value 7 is not defined before this use"),
        (demote + 1, 2, demote + 1, "value 2 is not defined before this use"),
        (first_block, head(record::CONTROL, 2), constant + 2, "outside of a block"),
        (branch + 1, 2, branch + 1, "value 2 is not defined before this use"),
        (first_block, head(record::CONTROL, 7), first_block, "expected an item of control flow"),
        (branch, words[branch] | 4 << 28, branch, "expected a hint"),
        (undefined, head(record::PLAIN, 6) | 1 << 16 | 32 << 21, undefined, "expected an instruction without operands"),
        (undefined, head(record::PLAIN, 2) | 1 << 16 | 32 << 21, undefined, "a result of 1 components of 32 bits"),
        (phi + 1, 0, phi + 1, "expected a phi"),
        (phi + 2, 5, phi + 2, "expected a block"),
        (phi + 3, 2, phi + 3, "value 2 is not defined before this use"),
        (phi, head(record::DIRECTIVE, 9), phi, "expected a directive"),
        (phi, head(record::DIRECTIVE, 0), phi + 1, "expected a value of a directive"),
    ];
    assert!(wire::decode(&words).is_ok());
    for (at, word, place, message) in cases {
        let mut words = words.clone();
        words[*at] = *word;
        let error = wire::decode(&words).expect_err(message).message;
        assert!(
            error.starts_with(&format!("word {place}: ")) && error.contains(message),
            "{at}: {error}, not {message}"
        );
    }
    // Every shorter wire is refused.
    for len in 0..words.len() {
        let mut words = words[..len].to_vec();
        if len > 2 {
            words[2] = len as u32;
        }
        // The last words are sources of phis: the wire's decoder does not check that they are complete.
        assert!(wire::decode(&words).is_err() || len >= phi, "{len} words");
    }
}

#[test]
fn pointers_to_variables_have_a_form_of_their_own() {
    let text = include_str!("corpus/compile/attachments.nir");
    let words = wire::encode(&text::parse(text).expect("a shader"));
    let var = records_of(&words, record::DEREF_VAR)[0].0 + 1;
    let mut words = words.clone();
    words[var] = 99;
    let error = wire::decode(&words).expect_err("no variable").message;
    assert!(error.contains(&format!("word {var}: expected a variable, found 99")), "{error}");
}

/// `words` with the opcode `old` in place of `new`, in the first instruction that has it.
fn renamed(words: &[u32], new: &str, old: &str) -> Vec<u32> {
    let mut out = words.to_vec();
    for (kind, table) in [(record::ALU, wire::Table::Alu), (record::INTRINSIC, wire::Table::Intrinsic)] {
        let Some(number) = wire::number(table, new) else { continue };
        if let Some((at, _)) = records_of(words, kind).into_iter().find(|(at, _)| words[*at] >> 4 & 0xfff == number) {
            out[at] += (wire::number(table, old).expect("an old name") - number) << 4;
        }
    }
    out
}

#[test]
fn names_of_older_releases_are_known() {
    // An instruction, a name in it, its old name, and the expected instructions.
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
        let found = text::parse(&text).expect("a shader");
        let words = renamed(&wire::encode(&found), new, old);
        let read = text::print(&wire::decode(&words).expect("a shader"));
        let body = read.lines().skip_while(|line| !line.contains("%2 = undefined")).skip(1);
        let body = body.take_while(|line| !line.contains("// succs"));
        let squeezed = body.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(squeezed.collect::<Vec<String>>(), *expected, "{old}");
    }
}
