// SPDX-License-Identifier: MIT

//! The disassembly of the tool: `spirv-as` makes the same words of it, with numbers and with names. And `ntv diff`.

#[path = "support/folder.rs"]
mod folder;
#[path = "../../tests/support/mod.rs"]
mod support;

use folder::{expect, expect_refusal, stderr, stdout, Folder, GOOD};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Capabilities that the assembler of Debian 12 does not know, or not by these names.
const UNKNOWN: &[&str] = &["ComputeDerivativeGroupQuadsKHR", "ComputeDerivativeGroupLinearKHR", "FloatControls2"];

/// The number of words before the first instruction.
const HEADER_BYTES: usize = 20;

/// Assembles a file; `None` if the assembler lacks a name in it.
fn assemble(text: &Path, more: &[&str]) -> Option<Vec<u8>> {
    let words = text.with_extension("assembled");
    let output = Command::new("spirv-as").args(more).arg(text).arg("-o").arg(&words).output().expect("spirv-as");
    if !output.status.success() {
        let said = stderr(&output);
        assert!(UNKNOWN.iter().any(|name| said.contains(name)), "{}: {said}", text.display());
        return None;
    }
    Some(fs::read(words).expect("words"))
}

#[test]
fn assembly_of_all_shaders_gives_their_words() {
    let place = Folder::new(&[]);
    let corpus = support::root().join("tests/corpus");
    for (folder, options) in [("words", ""), ("asm", "--emit asm"), ("names", "--names --emit asm --with-nir")] {
        let output = place.run(&format!("compile {} --target vulkan1.4 {options} -o {folder}", corpus.display()));
        assert!(!stderr(&output).contains("rspirv"), "{}", stderr(&output));
    }
    let mut same = 0;
    for name in place.files("asm") {
        let assembled = assemble(&place.path("asm").join(&name), &["--preserve-numeric-ids"]);
        let words = fs::read(place.path("words").join(&name).with_extension("spv")).expect("words");
        let Some(assembled) = assembled else { continue };
        assert!(assembled[HEADER_BYTES..] == words[HEADER_BYTES..], "{name}: other words");
        assemble(&place.path("names").join(&name), &[]).expect("words");
        same += 1;
    }
    assert!(same > 500, "only {same} modules");
}

#[test]
fn a_listing_has_names_lines_of_nir_and_colors() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    let plain = stdout(&place.run("compile a.nir --emit asm"));
    let at = |line: &str| line.find(" Op").or_else(|| line.find("Op")).unwrap_or_default();
    let columns: Vec<usize> = plain.lines().skip(5).map(at).collect();
    assert!(columns.iter().all(|column| *column == columns[0]), "{plain}");
    let named = stdout(&place.run("compile a.nir --emit asm --names --with-nir"));
    assert!(named.contains("%v4float = OpTypeVector %float 4\n"), "{named}");
    let (_, after) = named.split_once("; 35: 1 %10 = ige %7, %9\n").expect("a line of NIR");
    assert!(after.lines().next().is_some_and(|line| line.contains(" = OpSGreaterThanEqual %bool ")), "{named}");
    let colored = stdout(&place.run("compile a.nir --emit asm --color always"));
    assert!(colored.contains("\u{1b}[1mOpTypeFloat\u{1b}[0m \u{1b}[32m32\u{1b}[0m"), "{colored}");
    expect(&place.run("compile a.nir --emit asm --color always -o a.spvasm"), 0, "compiled 1 of 1 shader");
    assert_eq!(fs::read_to_string(place.path("a.spvasm")).expect("a file"), plain);
    expect_refusal(&place, "compile a.nir --with-nir -o x", "requires --emit asm");
}

#[test]
fn a_difference_shows_the_lines_that_are_not_the_same() {
    let place = Folder::new(&[("a.nir", GOOD), ("b.nir", &GOOD.replace(" = fmax ", " = fmin "))]);
    expect(&place.run("compile a.nir -o a.spv"), 0, "compiled 1 of 1 shader");
    expect(&place.run("diff a.nir a.spv"), 0, "the modules are the same");
    let output = place.run("diff a.nir b.nir");
    expect(&output, 1, "removed 1 instruction, added 1 instruction");
    let text = stdout(&output);
    let (removed, added) = (text.find("NMax").expect("a line"), text.find("NMin").expect("a line"));
    assert!(removed < added && text.matches("\n- ").count() == 1, "{text}");
    let keys = place.run("diff a.nir --other-key flip_y");
    assert!(stdout(&keys).contains("+ ") && !stdout(&keys).contains("\n- "), "{}", stdout(&keys));
    let targets = place.run("diff a.nir --other-target vulkan1.0");
    expect(&targets, 1, "removed 1 instruction, added 1 instruction");
    assert!(stdout(&targets).starts_with("- ; Version: 1.6\n+ ; Version: 1.0\n"), "{}", stdout(&targets));
    assert!(stdout(&targets).contains("OpEntryPoint"), "{}", stdout(&targets));
    expect_refusal(&place, "diff a.nir", "name two files");
    expect_refusal(&place, "diff a.nir none.spv", "none.spv");
}
