// SPDX-License-Identifier: MIT

//! The inputs of a shader as the JSON that `ntv run` reads.

use ntv::interp::{Buffer, Limits};
use ntv::op::{Intrinsic, Modes};
use ntv::{EmitOptions, Shader, Translator};
use ntv_gen::{Observation, Stimulus};
use ntv_report::run::inputs::{Form, Inputs};
use ntv_report::run::{self as report, Block};
use serde_json::json;

/// The instructions of a run.
const INSTRUCTIONS: u64 = 1_000_000;

/// Bytes that each block has at least.
const FEWEST_BYTES: usize = 16;

/// The JSON that gives `stimulus` to `shader`, with as much of each block as is accessed.
///
/// # Errors
/// The reason why `ntv run` cannot run it so.
pub(super) fn inputs(shader: &Shader, stimulus: &Stimulus) -> Result<String, String> {
    if !shader.stage().is_compute() {
        return Err("only those of compute shaders are".to_owned());
    }
    let observed = Observation::new(shader, stimulus, Limits { instructions: INSTRUCTIONS, ..Limits::default() });
    let mut lowered = shader.clone();
    let translated = Translator::default().translate(&mut lowered, &EmitOptions::default());
    let module = translated.map_err(|errors| format!("the shader cannot be translated: {errors}"))?;
    let blocks = report::blocks_of(&lowered, &module);
    let mut cut = stimulus.clone();
    cut.cut(shader, &observed.outcome, FEWEST_BYTES);
    // A shader may ask for the size of a block.
    let mut reason = Ok(String::new());
    for sizes in [&cut, stimulus] {
        let text = text(shader, stimulus, sizes, &blocks);
        match compare(shader, &text, &blocks, &observed) {
            Ok(()) => return Ok(text),
            Err(error) => reason = Err(error),
        }
    }
    reason
}

/// The JSON, with as many bytes of each block as the block of `sizes` has.
fn text(shader: &Shader, stimulus: &Stimulus, sizes: &Stimulus, blocks: &[Block]) -> String {
    let mut members = vec![r#"  "groups": [1, 1, 1]"#.to_owned()];
    if has_push_constants(shader) {
        let words = Form::U32.values(&stimulus.push_constants.bytes);
        members.push(format!(r#"  "push_constants": {}"#, json!({ "u32": words })));
    }
    let mut lines = Vec::new();
    for block in blocks {
        let [all, cut] = [stimulus, sizes].map(|it| if block.is_storage { &it.storage } else { &it.uniform });
        let first = block.first as usize;
        let elements = all.iter().zip(cut).skip(first).take(block.count as usize);
        lines.extend((0..).zip(elements).map(|(element, (all, cut))| line(block, element, all, cut.bytes.len())));
    }
    members.push(format!("  \"buffers\": [\n{}\n  ]", lines.join(",\n")));
    format!("{{\n{}\n}}\n", members.join(",\n"))
}

/// The JSON of an element of a block.
fn line(block: &Block, element: u32, buffer: &Buffer, len: usize) -> String {
    let bytes = &buffer.bytes[..len.max(FEWEST_BYTES).min(buffer.bytes.len())];
    let element = if block.count > 1 { format!(r#""element": {element}, "#) } else { String::new() };
    let Block { set, binding, .. } = block;
    format!(r#"    {{"set": {set}, "binding": {binding}, {element}"u32": {}}}"#, Form::U32.values(bytes))
}

fn has_push_constants(shader: &Shader) -> bool {
    let loads = shader
        .order
        .iter()
        .filter_map(|inst| shader.as_intrinsic(*inst))
        .any(|(op, _)| matches!(op, Intrinsic::load_push_constant | Intrinsic::load_push_constant_zink));
    loads || shader.vars.values().any(|variable| variable.mode == Modes::PUSH_CONST)
}

/// An error if `ntv run` does not give what was observed.
fn compare(shader: &Shader, text: &str, blocks: &[Block], observed: &Observation) -> Result<(), String> {
    let given = Inputs::parse(text, u64::MAX).map_err(|error| format!("{error:#}"))?;
    let outcome =
        report::run(std::slice::from_ref(shader), &given, INSTRUCTIONS).map_err(|error| format!("{error:#}"))?;
    let Some(ran) = outcome.ran else {
        let problem = outcome.problems.first().map(|(_, problem)| problem.message.as_str());
        return Err(format!("a file does not have all that the shader reads: {}", problem.unwrap_or_default()));
    };
    for ((slot, _), found) in given.buffers.iter().zip(&ran.buffers) {
        let Some((true, index)) = report::find(blocks, *slot) else { continue };
        let expected = observed.storage.get(index as usize).and_then(|buffer| buffer.bytes.get(..found.len()));
        if expected != Some(&found[..]) {
            return Err("a file does not have all that the shader reads".to_owned());
        }
    }
    Ok(())
}
