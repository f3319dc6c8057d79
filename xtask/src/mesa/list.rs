// SPDX-License-Identifier: MIT

//! Lists of tests: the files in `tests/mesa/`, and piglit's profiles `quick_shader` and `quick_gl`.
//!
//! A test is the path of its `.shader_test` file below piglit's folder, or a program of piglit with its arguments.

use super::driver::PIGLIT;
use anyhow::{ensure, Context, Result};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs piglit, unless it is installed.
pub(crate) fn install() -> Result<()> {
    crate::test::install_file("/usr/lib/x86_64-linux-gnu/piglit/bin", "shader_runner", "piglit")
}

/// The tests of the list `name` that match `filter`, in order; `sample` of them, spread over the list.
pub(crate) fn tests(name: &str, filter: Option<&Regex>, sample: Option<usize>) -> Result<Vec<String>> {
    let mut tests = match name {
        "quick_shader" => quick_shader()?,
        "quick_gl" => quick_gl()?,
        _ => named(name)?,
    };
    tests.retain(|test| filter.is_none_or(|filter| filter.is_match(test)));
    tests.sort();
    tests.dedup();
    let count = sample.unwrap_or(tests.len()).min(tests.len());
    Ok((0..count).map(|n| tests[n * tests.len() / count].clone()).collect())
}

/// The lines of a file in `tests/mesa/`, without comments.
fn named(name: &str) -> Result<Vec<String>> {
    let file = crate::root().join("tests/mesa").join(name).with_extension("txt");
    let text = fs::read_to_string(&file).with_context(|| format!("no list {}", file.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_string).collect())
}

/// The tests of piglit's profile of shader files.
fn quick_shader() -> Result<Vec<String>> {
    let text = profile("quick_shader")?;
    // <option name="command" value="['shader_runner', 'tests/spec/...shader_test']" />
    let command = Regex::new(r#"value="\['shader_runner(?:_gles[23])?', '([^']*)'\]""#)?;
    Ok(command.captures_iter(&text).map(|found| found[1].to_string()).collect())
}

/// The tests of piglit's profile of programs, except for those that have arguments with spaces. Debian does not build some of the
/// programs, for want of libraries: their names are printed.
fn quick_gl() -> Result<Vec<String>> {
    let text = profile("quick_gl")?;
    // <option name="command" value="['ext_transform_feedback-output-type', 'float', '[2]']" />
    let command = Regex::new(r#"name="command" value="\[([^"]*)\]""#)?;
    let word = Regex::new(r"^'([^' /]*)'$")?;
    let line = |words: &str| -> Option<String> {
        let words: Option<Vec<&str>> =
            words.split(", ").map(|quoted| Some(word.captures(quoted)?.get(1)?.as_str())).collect();
        Some(words?.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
    };
    let all = command.captures_iter(&text).filter_map(|found| line(&found[1]));
    let (tests, missing): (Vec<String>, Vec<String>) =
        all.partition(|test| Path::new(PIGLIT).join("bin").join(program(test)).exists());
    let missing: BTreeSet<&str> = missing.iter().map(|test| program(test)).collect();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.into_iter().collect();
        println!("The profile has programs that are not installed: {}", names.join(", "));
    }
    Ok(tests)
}

/// The text of a profile.
fn profile(name: &str) -> Result<String> {
    let profile = Path::new(PIGLIT).join("tests").join(name).with_extension("xml.gz");
    let output = Command::new("gzip").arg("-dc").arg(&profile).output().context("cannot start gzip")?;
    ensure!(output.status.success(), "cannot unpack {}", profile.display());
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether `test` is a file that a program of piglit runs.
pub(crate) fn is_file(test: &str) -> bool {
    test.ends_with(".shader_test")
}

/// The program of piglit that runs `test`. For a file, it depends on the requirements of the file.
pub(crate) fn program(test: &str) -> &str {
    if !is_file(test) {
        return test.split(' ').next().unwrap_or(test);
    }
    let text = fs::read_to_string(Path::new(PIGLIT).join(test)).unwrap_or_default();
    let required = text.split("[require]").nth(1).unwrap_or_default();
    let required = required.lines().skip(1).take_while(|line| !line.starts_with('['));
    let mut program = "shader_runner";
    for line in required {
        if let Some(version) = line.strip_prefix("GL ES >= ") {
            program = if version < "3" { "shader_runner_gles2" } else { "shader_runner_gles3" };
        } else if line.starts_with("GLSL ES") && program == "shader_runner" {
            program = "shader_runner_gles2";
        }
    }
    program
}
