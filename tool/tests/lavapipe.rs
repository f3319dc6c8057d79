// SPDX-License-Identifier: MIT

//! The files of the corpus with `; test: run`: lavapipe has the results of the interpreter, also with each workaround. If it
//! lacks a feature, the file names it, `; lavapipe lacks: FEATURE`, and the shader is refused for that reason. `cargo xtask mesa
//! --meshes` runs the mesh shaders among them on a newer one.

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "support/tool.rs"]
mod tool;

use std::fs;
use std::path::Path;

/// The start of the line with the feature that lavapipe lacks.
const LACKS: &str = "; lavapipe lacks: ";

#[test]
fn lavapipe_has_the_results_of_the_interpreter() {
    compare(&[]);
}

/// Each workaround changes the words, but not the results.
#[test]
fn lavapipe_gives_the_same_with_each_workaround() {
    for workaround in ntv::Workaround::ALL {
        compare(&["--workaround", workaround.name()]);
    }
}

/// A lavapipe with VK_EXT_mesh_shader has the results of the interpreter, too. Debian's validation layer does not know its features.
#[test]
#[ignore = "`cargo xtask mesa --meshes` runs it on a newer lavapipe"]
fn a_newer_lavapipe_draws_with_mesh_shaders() {
    let mut ran = 0;
    for file in support::files(&support::root().join("tests/corpus"), &["nir"]) {
        let text = fs::read_to_string(&file).expect("a file");
        if tool::header(&text, LACKS).any(|feature| ["meshShader", "taskShader"].contains(&feature)) {
            let expected = expected(&text).expect("results");
            let got = tool::run(&file, &text, &["--device", "llvmpipe"]).expect("a run");
            same(&expected, &got).expect("the results of the interpreter");
            ran += 1;
        }
    }
    assert!(ran > 0, "no file has mesh shaders");
}

/// Runs all files with these arguments.
fn compare(arguments: &[&str]) {
    let files = support::files(&support::root().join("tests/corpus"), &["nir"]);
    let results = support::in_parallel(files, |file| {
        let name = file.strip_prefix(support::root()).unwrap_or(&file).display().to_string();
        let checked = support::caught(|| check(&file, arguments));
        (checked.as_ref().is_ok_and(|ran| *ran), checked.err().map(|problem| format!("{name}: {problem}")))
    });
    let ran = results.iter().filter(|(ran, _)| *ran).count();
    let failures: Vec<&str> = results.iter().filter_map(|(_, failure)| failure.as_deref()).collect();
    assert!(failures.is_empty(), "{} files differ\n\n{}", failures.len(), failures.join("\n"));
    assert!(ran >= 66, "only {ran} files ran");
}

/// Whether `file` was run, with the same results.
fn check(file: &Path, arguments: &[&str]) -> Result<bool, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let Some(expected) = expected(&text) else { return Ok(false) };
    // Undefined results may differ on a device.
    if expected.iter().any(|line| line.starts_with("; line ")) {
        return Ok(false);
    }
    let got = tool::run(file, &text, &[&["--device", "llvmpipe", "--validate"], arguments].concat())?;
    if let Some(feature) = tool::header(&text, LACKS).next() {
        let refused = got.contains(&format!("needs feature {feature},"));
        return if refused { Ok(false) } else { Err(format!("lavapipe does not lack {feature}:\n{got}")) };
    }
    same(&expected, &got).map(|()| true)
}

/// The lines of the expected results, if there are any.
fn expected(text: &str) -> Option<Vec<&str>> {
    let (_, expected) = text.split_once("\n; expect: run\n")?;
    Some(expected.lines().take_while(|line| !line.starts_with("; expect:")).collect())
}

/// Compares the expected lines with what a run printed.
fn same(expected: &[&str], got: &str) -> Result<(), String> {
    let got: Vec<String> = got.lines().map(|line| format!("; {line}")).collect();
    if got == expected {
        return Ok(());
    }
    let (expected, got) = (expected.join("\n") + "\n", got.join("\n") + "\n");
    let diff = similar::TextDiff::from_lines(&expected, &got);
    Err(format!("differs\n{}", diff.unified_diff().context_radius(2).header("interpreter", "lavapipe")))
}
