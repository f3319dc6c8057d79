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
    let Some((_, expected)) = text.split_once("\n; expect: run\n") else { return Ok(false) };
    let expected: Vec<&str> = expected.lines().take_while(|line| !line.starts_with("; expect:")).collect();
    // Undefined results may differ on a device.
    if expected.iter().any(|line| line.starts_with("; line ")) {
        return Ok(false);
    }
    let got = tool::run(file, &text, &[&["--device", "llvmpipe", "--validate"], arguments].concat())?;
    if let Some(feature) = tool::header(&text, "; lavapipe lacks: ").next() {
        let refused = got.contains(&format!("needs feature {feature},"));
        return if refused { Ok(false) } else { Err(format!("lavapipe does not lack {feature}:\n{got}")) };
    }
    let got: Vec<String> = got.lines().map(|line| format!("; {line}")).collect();
    if got == expected {
        return Ok(true);
    }
    let (expected, got) = (expected.join("\n") + "\n", got.join("\n") + "\n");
    let diff = similar::TextDiff::from_lines(&expected, &got);
    Err(format!("differs\n{}", diff.unified_diff().context_radius(2).header("interpreter", "lavapipe")))
}
