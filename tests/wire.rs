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

/// Where the header has starts and lengths of sections, and the numbers of some.
const PLACES: usize = 5;
const CONTROL: usize = 5;
const PLAIN: usize = 6;
const PHI_SRC: usize = 7;
const INTRINSIC: usize = 9;
const CONST: usize = 10;
const DEREF_VAR: usize = 11;
const ALU_1: usize = 13;
const ALU_2: usize = 14;
const ALU: usize = 17;
const TEXT: usize = 18;

/// The words of a section.
fn section(words: &[u32], section: usize) -> std::ops::Range<usize> {
    let [start, len] = [0, 1].map(|at| words[PLACES + 2 * section + at] as usize);
    start..start + len
}

#[test]
fn faults_are_named() {
    let text = "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n\
                    32 %0 = load_const (0x00000001)\n    1 %1 = ieq %0, %0\n    @demote_if (%1)\n    // succs: b1 b2\n    if %1 {\n\
                    block b1:  // preds: b0\n    32 %2 = undefined\n    // succs: b3\n    } else {\n    block b2:  // preds: b0\n\
                    // succs: b3\n    }\n    block b3:  // preds: b1 b2\n    32 %3 = phi b1: %2, b2: %0\n    // succs: b4\n\
                    block b4:  // preds: b3\n}\n";
    let words = wire::encode(&text::parse(text).remove(0).shader.expect("a shader"));
    let [control, plain, phi, demote, constant, alu] =
        [CONTROL, PLAIN, PHI_SRC, INTRINSIC, CONST, ALU_2].map(|number| section(&words, number).start);
    let fneg = wire::number(wire::Table::Alu, "fneg").expect("a number");
    // Where a word is replaced, by what, and what is said of it, at which word.
    let cases: &[(usize, u32, usize, &str)] = &[
        (2, 7, 2, "should have 7"),
        (3, 6, 3, "1 instructions are in no section"),
        (3, 4, plain + 2, "more than there are"),
        (3, u32::MAX, 3, "which are not there"),
        (4, 400, 4, "a text of 400 bytes"),
        (PLACES + 2 * ALU_2 + 1, u32::MAX, 5, "a section that ends at word"),
        (PLACES + 2 * TEXT, u32::MAX, 5, "a section that ends at word"),
        (PLACES + 2 * ALU_2 + 1, 1, alu + 1, "ends too early"),
        (alu + 1, 9999, alu + 1, "there is no ALU opcode"),
        (alu + 1, fneg, alu + 1, "fneg has another number of sources"),
        (constant, 1, alu, "instruction 1 stands twice"),
        (constant, 9, constant, "more than there are"),
        (constant + 1, 32 << 21, constant + 1, "a result of 0 components of 32 bits"),
        (alu + 2, 1, alu + 2, "value 1 is not defined before this use"),
        (alu + 2, 7, alu + 2, "value 7 is not defined before this use"),
        (demote + 2, 2, demote + 2, "value 2 is not defined before this use"),
        (control + 1, 1, control + 1, "outside of a block"),
        (control + 5, 2, control + 5, "value 2 is not defined before this use"),
        (control + 4, 9, control + 4, "instruction 9 is not the next one"),
        (control, 7, control, "expected an item of control flow"),
        (control + 3, 1 | 4 << 8, control + 3, "expected a hint"),
        (plain + 1, 6 | 1 << 16 | 32 << 21, plain + 1, "expected an instruction without operands"),
        (phi, 0, phi, "expected a phi"),
        (phi + 1, 5, phi + 1, "expected a block"),
        (phi + 2, 2, phi + 2, "value 2 is not defined before this use"),
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
}

#[test]
fn sections_may_stand_anywhere() {
    let words =
        wire::encode(&text::parse(include_str!("../examples/ubo_loop.nir")).remove(0).shader.expect("a shader"));
    let plain = text::print(&wire::decode(&words).expect("a shader"));
    // In the other order, with room in between.
    let mut moved = words[..PLACES + 2 * (TEXT + 1)].to_vec();
    for number in (0..=TEXT).rev() {
        moved.resize(moved.len() + number, 0xdead_beef);
        moved[PLACES + 2 * number] = moved.len() as u32;
        moved.extend(&words[section(&words, number)]);
    }
    moved[2] = moved.len() as u32;
    assert_eq!(text::print(&wire::decode(&moved).expect("a shader")), plain);
}

#[test]
fn pointers_to_variables_have_a_form_of_their_own() {
    let text = include_str!("corpus/compile/attachments.nir");
    let words = wire::encode(&text::parse(text).remove(0).shader.expect("a shader"));
    let var = section(&words, DEREF_VAR);
    assert!(!var.is_empty());
    let mut words = words.clone();
    words[var.start + 2] = 99;
    let error = wire::decode(&words).expect_err("no variable").message;
    assert!(error.contains(&format!("word {}: expected a variable, found 99", var.start + 2)), "{error}");
}

/// `words` with the opcode `old` in place of `new`, in the one instruction that has that.
fn renamed(words: &[u32], new: &str, old: &str) -> Vec<u32> {
    let mut out = words.to_vec();
    // Opcodes of older releases only stand among all others.
    let (one, any) = (PLACES + 2 * ALU_1, PLACES + 2 * ALU);
    (out[any], out[any + 1]) = (out[one], out[one + 1]);
    out[one + 1] = 0;
    let words = &out.clone();
    for (number, table) in [(ALU, wire::Table::Alu), (INTRINSIC, wire::Table::Intrinsic)] {
        let mut places = section(words, number).skip(1);
        let Some(number) = wire::number(table, new) else { continue };
        // The second word of an instruction, as here the opcode is in the low half of no other.
        if let Some(at) = places.find(|at| words[*at] & 0xffff == number) {
            out[at] += wire::number(table, old).expect("an old name") - number;
        }
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
