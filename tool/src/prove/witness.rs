// SPDX-License-Identifier: MIT

//! The inputs of a shader as the JSON that `ntv run` reads.

use super::fewer::{self, LIMITS};
use ntv::ir::Stage;
use ntv::module::{Binding, DescriptorKind::*};
use ntv::op::{Intrinsic, Modes};
use ntv::{EmitOptions, Shader, Translator};
use ntv_gen::{Observation, Stimulus};
use ntv_interp::Buffer;
use ntv_report::run::inputs::{Data, Form, Inputs, Slot};
use ntv_report::run::textures::{self, ImageInput};
use ntv_report::run::{self as report, invocations, Block, Ran};
use serde_json::{json, Value};

/// Bytes that each block has at least.
const FEWEST_BYTES: usize = 16;

/// A shader with inputs, and what it gives with them.
pub(super) struct Case<'a> {
    shader: &'a Shader,
    stimulus: Stimulus,
    /// What the shader gives.
    pub(super) observed: Observation,
    blocks: Vec<Block>,
    bindings: Vec<Binding>,
}

impl Case<'_> {
    /// Runs `shader` with `stimulus`.
    ///
    /// # Errors
    /// The reason why `ntv run` cannot run it.
    pub(super) fn new<'a>(shader: &'a Shader, stimulus: &Stimulus) -> Result<Case<'a>, String> {
        if matches!(shader.stage(), Stage::Task | Stage::Mesh) {
            return Err("those of task and mesh shaders are not".to_owned());
        }
        let mut stimulus = stimulus.clone();
        if matches!(shader.stage(), Stage::Vertex | Stage::TessEval) {
            // The proof is about the first one, and the others run by themselves.
            stimulus.inputs.invocations.truncate(1);
        }
        let observed = Observation::new(shader, &stimulus, LIMITS);
        let mut lowered = shader.clone();
        let translated = Translator::default().translate(&mut lowered, &EmitOptions::default());
        let module = translated.map_err(|errors| format!("the shader cannot be translated: {errors}"))?;
        let blocks = report::blocks_of(&lowered, &module);
        Ok(Case { shader, stimulus, observed, blocks, bindings: module.bindings })
    }

    /// The JSON of the inputs, with as much of each block as is accessed, and as little else as possible.
    ///
    /// # Errors
    /// The reason why `ntv run` does not give what was observed.
    pub(super) fn text(&self) -> Result<String, String> {
        let mut cut = fewer::of(self.shader, &self.stimulus, &self.observed);
        cut.cut(self.shader, &self.observed.outcome, FEWEST_BYTES);
        // A shader may ask for the size of a block.
        let mut reason = Ok(String::new());
        for sizes in [&cut, &self.stimulus] {
            let text = self.text_with(sizes)?;
            match self.check(&text) {
                Ok(()) => return Ok(text),
                Err(error) => reason = Err(error),
            }
        }
        reason
    }

    /// The inputs with whole blocks, because a module may read what the shader does not, and with as many push constants as a device has.
    /// Inputs of invocations are those that the shader needs.
    ///
    /// # Errors
    /// The reason why `ntv run` does not give what was observed.
    #[cfg(feature = "vulkan")]
    pub(super) fn whole(&self) -> Result<Inputs, String> {
        let mut sizes = self.stimulus.clone();
        sizes.inputs = fewer::of(self.shader, &self.stimulus, &self.observed).inputs;
        fewer::truncate(&mut sizes.push_constants, fewer::MOST_PUSH_CONSTANTS);
        let text = self.text_with(&sizes)?;
        self.check(&text)?;
        parse(&text)
    }

    /// The JSON, with as many bytes of push constants and of each block, and as many inputs of each invocation, as `sizes` has.
    fn text_with(&self, sizes: &Stimulus) -> Result<String, String> {
        let mut members = Vec::new();
        if self.shader.stage().is_compute() {
            members.push(r#"  "groups": [1, 1, 1]"#.to_owned());
        } else {
            let one = |invocation| invocations::to_json(self.shader.stage(), invocation);
            let all: anyhow::Result<Vec<Value>> = sizes.inputs.invocations.iter().map(one).collect();
            members.push(list("invocations", &all.map_err(|error| format!("{error:#}"))?));
        }
        if has_push_constants(self.shader) {
            let words = Form::U32.values(&sizes.push_constants.bytes);
            members.push(format!(r#"  "push_constants": {}"#, json!({ "u32": words })));
        }
        let mut rows = self.buffers(sizes);
        rows.extend(self.images().ok_or("an image has a format without a name")?);
        for name in ["buffers", "textures", "samplers", "images"] {
            let own: Vec<Value> = rows.iter().filter(|row| row.0 == name).map(|row| row.1.clone()).collect();
            if !own.is_empty() {
                members.push(list(name, &own));
            }
        }
        Ok(format!("{{\n{}\n}}\n", members.join(",\n")))
    }

    /// The blocks, with the name of their list.
    fn buffers(&self, sizes: &Stimulus) -> Vec<(&'static str, Value)> {
        let mut rows = Vec::new();
        for block in &self.blocks {
            let [all, cut] = [&self.stimulus, sizes].map(|it| if block.is_storage { &it.storage } else { &it.uniform });
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
    fn images(&self) -> Option<Vec<(&'static str, Value)>> {
        let (given, mut rows) = (&self.stimulus.textures, Vec::new());
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
    fn check(&self, text: &str) -> Result<(), String> {
        let given = parse(text)?;
        let outcome = report::run(std::slice::from_ref(self.shader), &given, LIMITS.instructions);
        let outcome = outcome.map_err(|error| format!("{error:#}"))?;
        let lacks = "a file does not have all that the shader reads";
        let Some(ran) = outcome.ran else {
            let problem = outcome.problems.first().map(|(_, problem)| problem.message.as_str());
            return Err(format!("{lacks}: {}", problem.unwrap_or_default()));
        };
        let is_same = self.has_memory(&given, &ran)
            && ran.invocations.is_none_or(|results| fewer::is_same(&results.outcome, &self.observed.outcome))
            && outcome.problems.len() <= self.observed.outcome.faults.len();
        is_same.then_some(()).ok_or_else(|| lacks.to_owned())
    }

    /// Whether the buffers and images of a run have what was observed, where that is defined.
    pub(super) fn has_memory(&self, given: &Inputs, ran: &Ran) -> bool {
        let has = |buffers: &[Buffer], found: &[u8]| {
            let bytes = buffers.iter().flat_map(|buffer| buffer.bytes.iter().zip(&buffer.undef));
            bytes.zip(found).all(|((byte, undef), found)| (byte ^ found) & !undef == 0)
        };
        let has_buffer = |((slot, _), found): (&(Slot, Data), &Vec<u8>)| match report::find(&self.blocks, *slot) {
            Some((true, index)) => {
                let expected = self.observed.storage.get(index as usize);
                expected.is_some_and(|buffer| has(std::slice::from_ref(buffer), found))
            }
            _ => true,
        };
        let has_image = |(input, found): (&ImageInput, &Vec<u8>)| {
            let expected = self.observed.images.get(&textures::descriptor(input.slot));
            expected.is_some_and(|image| has(&image.levels, found))
        };
        given.buffers.iter().zip(&ran.buffers).all(has_buffer) && given.images.iter().zip(&ran.images).all(has_image)
    }
}

fn parse(text: &str) -> Result<Inputs, String> {
    Inputs::parse(text, u64::MAX).map_err(|error| format!("{error:#}"))
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
