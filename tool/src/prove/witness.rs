// SPDX-License-Identifier: MIT

//! The inputs of a shader as the JSON that `ntv run` reads.

use super::fewer::{self, LIMITS};
use ntv::ir::Stage;
use ntv::module::{Binding, DescriptorKind::*};
use ntv::op::{Intrinsic, Modes};
use ntv::{EmitOptions, Shader, Translator};
use ntv_gen::textures::Textures;
use ntv_gen::{Observation, Stimulus};
use ntv_report::run::inputs::{Data, Form, Inputs, Slot};
use ntv_report::run::textures::{self, ImageInput};
use ntv_report::run::{self as report, invocations, Block};
use serde_json::{json, Value};

/// Bytes that each block has at least.
const FEWEST_BYTES: usize = 16;

/// The JSON that gives `stimulus` to `shader`, with as much of each block as is accessed.
///
/// # Errors
/// The reason why `ntv run` cannot run it so.
pub(super) fn inputs(shader: &Shader, stimulus: &Stimulus) -> Result<String, String> {
    if matches!(shader.stage(), Stage::Task | Stage::Mesh) {
        return Err("those of task and mesh shaders are not".to_owned());
    }
    let mut whole = stimulus.clone();
    if matches!(shader.stage(), Stage::Vertex | Stage::TessEval) {
        // The proof is about the first one, and the others run by themselves.
        whole.inputs.invocations.truncate(1);
    }
    let observed = Observation::new(shader, &whole, LIMITS);
    let mut lowered = shader.clone();
    let translated = Translator::default().translate(&mut lowered, &EmitOptions::default());
    let module = translated.map_err(|errors| format!("the shader cannot be translated: {errors}"))?;
    let descriptors = Descriptors { blocks: report::blocks_of(&lowered, &module), bindings: &module.bindings };
    let mut cut = fewer::of(shader, &whole, &observed);
    cut.cut(shader, &observed.outcome, FEWEST_BYTES);
    // A shader may ask for the size of a block.
    let mut reason = Ok(String::new());
    for sizes in [&cut, &whole] {
        let text = descriptors.text(shader, &whole, sizes)?;
        match descriptors.compare(shader, &text, &observed) {
            Ok(()) => return Ok(text),
            Err(error) => reason = Err(error),
        }
    }
    reason
}

/// The descriptors of a shader.
struct Descriptors<'a> {
    blocks: Vec<Block>,
    bindings: &'a [Binding],
}

impl Descriptors<'_> {
    /// The JSON, with as many bytes of each block and as many inputs of each invocation as `sizes` has.
    fn text(&self, shader: &Shader, stimulus: &Stimulus, sizes: &Stimulus) -> Result<String, String> {
        let mut members = Vec::new();
        if shader.stage().is_compute() {
            members.push(r#"  "groups": [1, 1, 1]"#.to_owned());
        } else {
            let one = |invocation| invocations::to_json(shader.stage(), invocation);
            let all: anyhow::Result<Vec<Value>> = sizes.inputs.invocations.iter().map(one).collect();
            members.push(list("invocations", &all.map_err(|error| format!("{error:#}"))?));
        }
        if has_push_constants(shader) {
            let words = Form::U32.values(&stimulus.push_constants.bytes);
            members.push(format!(r#"  "push_constants": {}"#, json!({ "u32": words })));
        }
        let mut rows = self.buffers(stimulus, sizes);
        rows.extend(self.images(&stimulus.textures).ok_or("an image has a format without a name")?);
        for name in ["buffers", "textures", "samplers", "images"] {
            let own: Vec<Value> = rows.iter().filter(|row| row.0 == name).map(|row| row.1.clone()).collect();
            if !own.is_empty() {
                members.push(list(name, &own));
            }
        }
        Ok(format!("{{\n{}\n}}\n", members.join(",\n")))
    }

    /// The blocks, with the name of their list.
    fn buffers(&self, stimulus: &Stimulus, sizes: &Stimulus) -> Vec<(&'static str, Value)> {
        let mut rows = Vec::new();
        for block in &self.blocks {
            let [all, cut] = [stimulus, sizes].map(|it| if block.is_storage { &it.storage } else { &it.uniform });
            let elements = all.iter().zip(cut).skip(block.first as usize).take(block.count as usize);
            rows.extend((0..).zip(elements).map(|(element, (all, cut))| {
                let bytes = &all.bytes[..cut.bytes.len().max(FEWEST_BYTES).min(all.bytes.len())];
                let slot = Slot { set: block.set, binding: block.binding, element };
                ("buffers", at(slot, json!({ "u32": Form::U32.values(bytes) })))
            }));
        }
        rows
    }

    /// The textures, samplers and images, with the names of their lists; `None` if one cannot be written.
    fn images(&self, given: &Textures) -> Option<Vec<(&'static str, Value)>> {
        let mut rows = Vec::new();
        for Binding { set, binding, kind, count, .. } in self.bindings.iter().copied() {
            for slot in (0..count).map(|element| Slot { set, binding, element }) {
                let descriptor = textures::descriptor(slot);
                let (name, object) = match kind {
                    CombinedImageSampler | SampledImage | UniformTexelBuffer => {
                        ("textures", given.textures.get(&descriptor).map(textures::texture_to_json))
                    }
                    Sampler => ("samplers", given.samplers.get(&descriptor).map(textures::sampler_to_json).map(Some)),
                    StorageImage | StorageTexelBuffer => {
                        ("images", given.images.get(&descriptor).map(textures::image_to_json))
                    }
                    UniformBuffer | StorageBuffer | InputAttachment => continue,
                };
                if let Some(object) = object {
                    rows.push((name, at(slot, object?)));
                }
            }
        }
        Some(rows)
    }

    /// An error if `ntv run` does not give what was observed.
    fn compare(&self, shader: &Shader, text: &str, observed: &Observation) -> Result<(), String> {
        let failed = |error: anyhow::Error| format!("{error:#}");
        let given = Inputs::parse(text, u64::MAX).map_err(failed)?;
        let outcome = report::run(std::slice::from_ref(shader), &given, LIMITS.instructions).map_err(failed)?;
        let lacks = "a file does not have all that the shader reads";
        let Some(ran) = outcome.ran else {
            let problem = outcome.problems.first().map(|(_, problem)| problem.message.as_str());
            return Err(format!("{lacks}: {}", problem.unwrap_or_default()));
        };
        let has_buffer = |((slot, _), found): (&(Slot, Data), &Vec<u8>)| match report::find(&self.blocks, *slot) {
            Some((true, index)) => {
                let expected = observed.storage.get(index as usize);
                expected.and_then(|buffer| buffer.bytes.get(..found.len())) == Some(found)
            }
            _ => true,
        };
        let has_image = |(input, found): (&ImageInput, &Vec<u8>)| {
            let expected = observed.images.get(&textures::descriptor(input.slot));
            expected.is_some_and(|image| ImageInput::bytes(image) == *found)
        };
        let is_same = given.buffers.iter().zip(&ran.buffers).all(has_buffer)
            && given.images.iter().zip(&ran.images).all(has_image)
            && ran.invocations.is_none_or(|results| fewer::is_same(&results.outcome, &observed.outcome))
            && outcome.problems.len() <= observed.outcome.faults.len();
        is_same.then_some(()).ok_or_else(|| lacks.to_owned())
    }
}

/// An object with its place.
fn at(Slot { set, binding, element }: Slot, mut object: Value) -> Value {
    for (name, number) in [("set", set), ("binding", binding), ("element", element)] {
        object[name] = number.into();
    }
    object
}

/// A member that is a list, with a line for each object.
fn list(name: &str, objects: &[Value]) -> String {
    let lines: Vec<String> = objects.iter().map(|object| format!("    {object}")).collect();
    format!("  \"{name}\": [\n{}\n  ]", lines.join(",\n"))
}

fn has_push_constants(shader: &Shader) -> bool {
    let loads = shader
        .order
        .iter()
        .filter_map(|inst| shader.as_intrinsic(*inst))
        .any(|(op, _)| matches!(op, Intrinsic::load_push_constant | Intrinsic::load_push_constant_zink));
    loads || shader.vars.values().any(|variable| variable.mode == Modes::PUSH_CONST)
}
