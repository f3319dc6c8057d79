// SPDX-License-Identifier: MIT

//! Runs files of the corpus by the tool, `ntv run`, on the interpreter or on a device.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The rest of the lines `; ...` with `key` at the start of a file.
pub(crate) fn header<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().take_while(|line| line.starts_with(';')).filter_map(move |line| line.strip_prefix(key))
}

/// The lines `; inputs: ...` at the start of a file: the inputs of its shaders, see `docs/formats.md`.
pub(crate) fn inputs(text: &str) -> Result<String, String> {
    let inputs: Vec<&str> = header(text, "; inputs: ").collect();
    if inputs.is_empty() {
        return Err("no line `; inputs: ...` at the start".to_string());
    }
    Ok(inputs.join("\n"))
}

/// The output of `ntv run` for `file`, with `more` arguments: a line for each buffer and target, and one for each problem.
pub(crate) fn run(file: &Path, text: &str, more: &[&str]) -> Result<String, String> {
    let tool = env!("CARGO_BIN_EXE_ntv");
    let given = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(given.path(), inputs(text)?).map_err(|error| error.to_string())?;
    let mut command = Command::new(tool);
    command.arg("run").arg(file).arg("--json").arg("--inputs").arg(given.path()).args(more).stdin(Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(2) {
        return Err(said);
    }
    let mut out = String::new();
    for line in said.lines() {
        let problem: Value = serde_json::from_str(line).map_err(|_| said.clone())?;
        out += &format!("line {}: {}\n", problem["line"], problem["message"].as_str().unwrap_or_default());
    }
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    for buffer in result["buffers"].as_array().into_iter().flatten() {
        out += &format!("set {}, binding {}, element {}", buffer["set"], buffer["binding"], buffer["element"]);
        push_numbers(&mut out, buffer);
    }
    for image in result["images"].as_array().into_iter().flatten() {
        out += &format!("image at set {}, binding {}, element {}", image["set"], image["binding"], image["element"]);
        push_numbers(&mut out, image);
    }
    for target in result["targets"].as_array().into_iter().flatten() {
        out += &format!("target {} of {} by {}", target["format"], target["size"][0], target["size"][1]);
        push_numbers(&mut out, target);
    }
    for (number, buffer) in result["captures"].as_array().into_iter().flatten().enumerate() {
        out += &format!("captured in buffer {number}");
        push_numbers(&mut out, buffer);
    }
    Ok(out)
}

/// The numbers of a buffer or target, eight to a line.
fn push_numbers(out: &mut String, object: &Value) {
    let found = ["u8", "u32", "i32", "f32"].iter().find_map(|form| Some((form, object[*form].as_array()?)));
    let Some((form, numbers)) = found else { return };
    *out += &format!(", {form}:\n");
    for line in numbers.chunks(8) {
        let line: Vec<String> = line.iter().map(Value::to_string).collect();
        *out += &format!("  {}\n", line.join(" "));
    }
}
