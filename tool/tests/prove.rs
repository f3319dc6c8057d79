// SPDX-License-Identifier: MIT

//! `ntv prove`: proofs, differences with inputs for `ntv run`, and errors.

#[path = "support/folder.rs"]
mod folder;

use folder::{expect, expect_refusal, stderr, stdout, Folder, GOOD};
use serde_json::Value;
use std::fs;

/// Stores the sum of the first two floats of a buffer as the third.
const SUM: &str = "\
shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000004)
    32     %2 = load_const (0x00000008)
    32     %3 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32     %4 = @load_ssbo (%0, %1) (access=none, align_mul=4, align_offset=0)
    32     %5 = fadd %3, %4
    @store_ssbo (%5, %0, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
";

const VERTEX: &str = include_str!("../../examples/vertex.nir");

/// A shader reads the framebuffer, which has no proof.
const FRAMEBUFFER: &str = include_str!("../../tests/corpus/run/framebuffer.nir");

const IADD: u32 = 128;
const FADD: u32 = 129;
const ISUB: u32 = 130;
const FSUB: u32 = 131;

/// Translates `name.nir` to `name.spv`.
fn compile(place: &Folder, name: &str) {
    let output = place.run(&format!("compile {name}.nir -o {name}.spv"));
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Replaces the first instruction `from` of a module by `to`.
fn replace(place: &Folder, name: &str, from: u32, to: u32) {
    let bytes = fs::read(place.path(name)).expect("a module");
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect();
    let mut at = 5;
    while words[at] & 0xffff != from {
        at += (words[at] >> 16) as usize;
    }
    words[at] = words[at] & 0xffff_0000 | to;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(place.path(name), bytes).expect("a file");
}

/// The objects on the lines of a text.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}"))).collect()
}

#[test]
fn translations_are_proved() {
    let place =
        Folder::new(&[("a.nir", GOOD), ("folder/b.nir", VERTEX), ("folder/below/c.log", &[GOOD, VERTEX].concat())]);
    let output = place.run("prove a.nir");
    expect(&output, 0, "proved 1 of 1 shader");
    assert_eq!(stdout(&output), "proved    a.nir\n");
    let output = place.run("prove folder --no-solver");
    expect(&output, 0, "proved 3 of 3 shaders");
    let second = 1 + GOOD.lines().count();
    let lines = ["proved    folder/below/c.log:1", &format!("proved    folder/below/c.log:{second}")];
    assert_eq!(stdout(&output), format!("proved    folder/b.nir\n{}\n{}\n", lines[0], lines[1]));
}

#[test]
fn a_module_of_another_translator_is_compared() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    compile(&place, "a");
    expect(&place.run("prove a.nir a.spv --no-solver"), 0, "proved 1 of 1 shader");
    // The first word tells what a file is.
    fs::rename(place.path("a.spv"), place.path("a.bin")).expect("a file");
    expect(&place.run("prove a.nir a.bin --no-solver"), 0, "proved 1 of 1 shader");
    replace(&place, "a.bin", IADD, ISUB);
    expect(&place.run("prove a.nir a.bin --no-solver"), 1, "proved 0 of 1 shader");
}

#[test]
fn modules_of_a_folder_are_compared() {
    let place = Folder::new(&[("in/a.nir", GOOD), ("in/below/two.nir", &[SUM, VERTEX].concat())]);
    expect(&place.run("compile in -o out"), 0, "compiled 3 of 3 shaders");
    expect(&place.run("prove in --modules out --no-solver"), 0, "proved 3 of 3 shaders");
    replace(&place, "out/below/two.0.spv", FADD, FSUB);
    fs::remove_file(place.path("out/a.spv")).expect("a file");
    let output = place.run("prove in --modules out --no-solver --witness inputs");
    expect(&output, 1, "proved 1 of 3 shaders");
    let verdicts = ["failed    in/a.nir", "different in/below/two.nir:1"].map(|line| format!("{line}\n")).concat();
    assert!(stdout(&output).starts_with(&verdicts), "{}", stdout(&output));
    assert!(stderr(&output).contains("error: out/a.spv: cannot read"), "{}", stderr(&output));
    assert_eq!(place.files("inputs"), ["below/two.0.json"]);
}

#[test]
fn a_difference_has_inputs_that_run() {
    let place = Folder::new(&[("sum.nir", SUM)]);
    compile(&place, "sum");
    replace(&place, "sum.spv", FADD, FSUB);
    let output = place.run("prove sum.nir sum.spv --no-solver --json --witness in.json");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let (verdict, problems) = (objects(&stdout(&output)).remove(0), objects(&stderr(&output)));
    assert_eq!((&verdict["verdict"], &verdict["confirmed"]), (&"different".into(), &true.into()), "{verdict}");
    assert_eq!((&verdict["file"], &verdict["inputs"]), (&"sum.nir".into(), &"in.json".into()), "{verdict}");
    assert_eq!((&problems[0]["kind"], &problems[1]["kind"]), (&"different".into(), &"note".into()));
    let message = problems[0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("as the interpreter does") && message.ends_with("in.json has the inputs"), "{message}");

    let inputs = fs::read_to_string(place.path("in.json")).expect("inputs");
    let inputs: Value = serde_json::from_str(&inputs).expect("JSON");
    let ran = place.run("run sum.nir --inputs in.json");
    assert!(ran.status.success(), "{}", stderr(&ran));
    let result: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let word = |object: &Value, at: usize| object["buffers"][0]["u32"][at].as_u64().expect("a number") as u32;
    let [a, b] = [0, 1].map(|at| f32::from_bits(word(&inputs, at)));
    let sum = word(&result, 2);
    assert_eq!(sum, (a + b).to_bits());
    let [expected, found] = ["expected", "found"].map(|side| verdict[side].as_str().unwrap_or_default());
    assert!(expected.contains(&format!("{sum:#x}")), "{verdict}");
    assert!(found.contains(&format!("{:#x}", (a - b).to_bits())), "{verdict}");
}

#[test]
fn inputs_of_graphics_are_not_written() {
    let place = Folder::new(&[("a.nir", VERTEX)]);
    compile(&place, "a");
    replace(&place, "a.spv", FADD, FSUB);
    let output = place.run("prove a.nir a.spv --no-solver --witness in.json");
    expect(&output, 1, "proved 0 of 1 shader");
    assert!(
        stderr(&output).contains("no inputs are written: only those of compute shaders are"),
        "{}",
        stderr(&output)
    );
    assert_eq!(place.files("."), ["a.nir", "a.spv"]);
}

#[test]
fn what_is_not_decided_has_a_line_and_a_reason() {
    let place = Folder::new(&[("a.nir", FRAMEBUFFER)]);
    let output = place.run("prove a.nir --no-solver --json");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let [verdict, problem] = [(stdout(&output), "verdict"), (stderr(&output), "kind")].map(|(text, member)| {
        objects(&text).into_iter().find(|object| object[member] == "undecided").unwrap_or_else(|| panic!("{text}"))
    });
    assert_eq!(verdict["shader"], problem["shader"]);
    let line = problem["line"].as_u64().expect("a line") as usize;
    let text = FRAMEBUFFER.lines().nth(line - 1).unwrap_or_default();
    assert!(text.contains("@load_deref"), "{problem}");
    assert!(verdict["reason"].as_str().is_some_and(|reason| reason.contains("framebuffer")), "{verdict}");
}

#[test]
fn files_that_are_no_modules_of_the_shader_are_errors() {
    let place = Folder::new(&[("a.nir", GOOD), ("b.nir", SUM), ("bad.spv", "garbage!"), ("odd.spv", "odd")]);
    compile(&place, "b");
    let part = fs::read(place.path("b.spv")).expect("a module");
    fs::write(place.path("part.spv"), &part[..part.len() / 8 * 4 + 2]).expect("a file");
    fs::write(place.path("cut.spv"), &part[..100]).expect("a file");
    for (arguments, message) in [
        ("a.nir bad.spv", "bad.spv: this is not SPIR-V"),
        ("a.nir odd.spv", "odd.spv: the file has 3 bytes"),
        ("a.nir part.spv", "not a multiple of the 4 of a word"),
        ("a.nir cut.spv", "cut.spv: this is not a module"),
        ("a.nir none.spv", "none.spv: cannot read"),
        ("a.nir b.spv", "b.spv: it has entry points for [GLCompute], and the shader is one for Vertex"),
    ] {
        let output = place.run(&format!("prove {arguments} --no-solver"));
        expect(&output, 1, "proved 0 of 1 shader");
        assert!(stderr(&output).contains(message), "{arguments}: {}", stderr(&output));
        assert_eq!(stdout(&output), "failed    a.nir\n");
    }
    let output = place.run("prove bad.spv b.nir --no-solver");
    expect(&output, 1, "proved 1 of 2 shaders");
}

#[test]
fn wrong_usage_is_refused() {
    let place = Folder::new(&[("a.nir", GOOD), ("two.nir", &[GOOD, VERTEX].concat())]);
    compile(&place, "a");
    for (arguments, message) in [
        ("a.nir two.nir a.spv", "a module is compared with one shader"),
        ("two.nir a.spv", "not with 2 shaders"),
        ("a.spv", "a module is compared with one shader"),
        ("a.nir a.spv --modules .", "--modules names the modules already"),
        ("a.nir --modules none", "none: is not a folder"),
        ("a.nir --place 0=Storage", "takes no placements"),
        ("a.nir --captures storage", "takes only the extension"),
        ("a.nir --witness a.nir", "is an input and would be overwritten"),
        ("a.nir a.spv --witness a.spv", "is an input and would be overwritten"),
        ("a.nir two.nir --witness a.spv", "more than one shader: name a folder"),
        ("a.nir --no-solver --limit 5", "cannot be used with"),
    ] {
        let more = if arguments.contains("--no-solver") { "" } else { "--no-solver" };
        expect_refusal(&place, &format!("prove {arguments} {more}"), message);
    }
}

#[test]
fn a_missing_solver_is_an_error() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    let output = place.command("prove a.nir").env("PATH", "").output().expect("the tool");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no SMT solver is installed"), "{}", stderr(&output));
    let output = place.command("prove a.nir --no-solver").env("PATH", "").output().expect("the tool");
    expect(&output, 0, "proved 1 of 1 shader");
}
