// SPDX-License-Identifier: MIT

//! Runs on the interpreter.

use super::cover;
use super::inputs::{
    AttributeInput, Data, DrawInput, Form, Inputs, Pointer, Slot, Target, TargetInput, Topology, Work,
};
use super::invocations::{self, InvocationInput};
use super::textures::{descriptor, ImageInput};
use super::wanted::{self, Translated};
use super::Ran;
use crate::problem::{problems, Problem};
use anyhow::{bail, ensure, Context, Result};
use ntv::analysis::block_table::descriptor_of;
use ntv::ir::Variable;
use ntv::module::Module;
use ntv::op::names::frag_result;
use ntv::op::Modes;
use ntv::raise::say_offset_units;
use ntv::{EmitOptions, Options, Place, Shader, Translator};
use ntv_interp::draw::Drawn;
use ntv_interp::{Buffer, Fault, Limits, Resources};

/// The outcome of a run.
pub struct Outcome {
    /// The results, if the shaders could run.
    pub ran: Option<Ran>,
    /// The problems, with the number of the shader of each. If the shaders ran, these are the faults that the interpreter found.
    pub problems: Vec<(usize, Problem)>,
}

/// The number of possible blocks: descriptor indices are smaller.
const MAX_BLOCKS: u32 = 1 << 16;

/// Runs `shaders`, which are all valid, with at most this number of instructions. Without a result if a shader cannot be translated,
/// and so has no descriptors, or if an input is missing.
pub fn run(shaders: &[Shader], given: &Inputs, instructions: u64) -> Result<Outcome> {
    let limits = Limits { instructions, ..Limits::default() };
    let mut shaders = shaders.to_vec();
    shaders.iter_mut().for_each(say_offset_units);
    let shaders = &shaders[..];
    let (blocks, problems) = blocks(shaders, given);
    if !problems.is_empty() {
        return Ok(Outcome { ran: None, problems });
    }
    let mut resources = Resources {
        textures: given.textures.iter().map(|(slot, texture)| (descriptor(*slot), texture.clone())).collect(),
        samplers: given.samplers.iter().map(|(slot, sampler)| (descriptor(*slot), sampler.clone())).collect(),
        images: given.images.iter().map(|input| (descriptor(input.slot), input.image.clone())).collect(),
        push_constants: Buffer::new(given.push_constants.clone()),
        ..Resources::default()
    };
    let buffers = with_addresses(given);
    for pointer in &given.pointers {
        ensure!(find(&blocks, pointer.to).is_none(), "a buffer that is found by address is a block, too");
    }
    for ((slot, _), data) in given.buffers.iter().zip(&buffers) {
        let Some((is_storage, index)) = find(&blocks, *slot) else { continue };
        ensure!(index < MAX_BLOCKS, "there is no block {index}");
        let list = if is_storage { &mut resources.storage } else { &mut resources.uniform };
        list.resize(list.len().max(index as usize + 1), Buffer::default());
        list[index as usize] = Buffer::new(data.clone());
    }
    let is_pointee = |slot: &Slot| given.pointers.iter().any(|pointer| pointer.to == *slot);
    for (number, ((slot, _), data)) in given.buffers.iter().zip(buffers).enumerate() {
        if is_pointee(slot) {
            resources.global.push((address(number), Buffer::new(data)));
        }
    }
    let (mut targets, mut captures, mut invocations) = (Vec::new(), Vec::new(), None);
    let faults = match &given.work {
        Work::Dispatch(groups) => {
            let [shader] = shaders else { bail!("a dispatch needs one shader, not {}", shaders.len()) };
            let message = "this is not a compute shader: the inputs need a `draw` or `invocations`";
            ensure!(shader.stage().is_compute(), message);
            let inputs = ntv_interp::Inputs { workgroups: *groups, ..ntv_interp::Inputs::default() };
            let outcome = ntv_interp::run(shader, &mut resources, &inputs, limits);
            outcome.faults.into_iter().map(|fault| (0, fault)).collect()
        }
        Work::Draw(draw) => {
            let drawn = match cover::is_needed(shaders) {
                true => cover::draw(&shaders[0], draw, &mut resources, limits)?,
                false => draw_with(shaders, draw, &mut resources, limits)?,
            };
            (targets, captures) = (texels(draw, &drawn), drawn.captures);
            drawn.faults
        }
        Work::Invocations(list) => {
            let mut results = run_alone(shaders, list, &mut resources, limits)?;
            let faults = results.outcome.faults.drain(..).map(|fault| (0, fault)).collect();
            invocations = Some(results);
            faults
        }
    };
    let problems: Vec<(usize, Problem)> = faults.iter().map(|(number, fault)| (*number, problem(fault))).collect();
    let buffer = |(number, (slot, data)): (usize, &(Slot, Data))| {
        let pointee = resources.global.iter().find(|(start, _)| *start == address(number)).map(|(_, buffer)| buffer);
        let found = find(&blocks, *slot).and_then(|(is_storage, index)| {
            if is_storage { &resources.storage } else { &resources.uniform }.get(index as usize)
        });
        let mut bytes = found.or(pointee).map_or_else(|| data.bytes.clone(), |buffer| buffer.bytes.clone());
        // The numbers of addresses are not a result.
        for pointer in given.pointers.iter().filter(|pointer| pointer.slot == *slot) {
            let place = pointer.offset..pointer.offset + Pointer::BYTES;
            bytes[place.clone()].copy_from_slice(&data.bytes[place]);
        }
        bytes
    };
    let image =
        |input: &ImageInput| ImageInput::bytes(resources.images.get(&descriptor(input.slot)).unwrap_or(&input.image));
    let (buffers, images) =
        (given.buffers.iter().enumerate().map(buffer).collect(), given.images.iter().map(image).collect());
    let fine = problems.is_empty();
    Ok(Outcome { ran: Some(Ran { buffers, images, targets, captures, invocations, fine }), problems })
}

/// Runs the invocations of one graphics shader.
fn run_alone(
    shaders: &[Shader],
    list: &[InvocationInput],
    resources: &mut Resources,
    limits: Limits,
) -> Result<invocations::Results> {
    let [shader] = shaders else { bail!("`invocations` are those of one shader, not of {}", shaders.len()) };
    let stage = shader.stage();
    ensure!(!stage.has_grid(), "{} has workgroups: the inputs need `groups` or a `draw`", stage.name());
    let invocations = list.iter().map(|input| input.of_stage(stage)).collect::<Result<_>>().context("invocations")?;
    let inputs = ntv_interp::Inputs { invocations, ..ntv_interp::Inputs::default() };
    Ok(invocations::Results { stage, outcome: ntv_interp::run(shader, resources, &inputs, limits) })
}

/// The address of the buffer with this number.
fn address(number: usize) -> u64 {
    (number as u64 + 1) << 32
}

/// The bytes of all buffers, with the addresses of others.
fn with_addresses(given: &Inputs) -> Vec<Vec<u8>> {
    let mut buffers: Vec<Vec<u8>> = given.buffers.iter().map(|(_, data)| data.bytes.clone()).collect();
    let number = |slot: Slot| given.buffers.iter().position(|(known, _)| *known == slot);
    for Pointer { slot, offset, to } in &given.pointers {
        if let (Some(at), Some(to)) = (number(*slot), number(*to)) {
            buffers[at][*offset..offset + Pointer::BYTES].copy_from_slice(&address(to).to_le_bytes());
        }
    }
    buffers
}

/// The problem that a fault is.
fn problem(fault: &Fault) -> Problem {
    let message = format!("{} (invocation {})", fault.describe(), fault.invocation);
    Problem::at(Place::line(fault.line), "fault", message)
}

/// A block of the SPIR-V, or an array of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// Whether it is a storage block.
    pub is_storage: bool,
    /// The index that NIR has for the first one.
    pub first: u32,
    /// The number of blocks.
    pub count: u32,
}

/// The blocks of the translated shaders, and the problems of shaders that cannot be translated, or that lack an input.
fn blocks(shaders: &[Shader], given: &Inputs) -> (Vec<Block>, Vec<(usize, Problem)>) {
    let mut translator = Translator::new(Options::default());
    let (mut blocks, mut wrong) = (Vec::new(), Vec::new());
    for (number, shader) in shaders.iter().enumerate() {
        let mut lowered = shader.clone();
        let found = match translator.translate(&mut lowered, &EmitOptions::default()) {
            Ok(module) => {
                blocks.extend(blocks_of(&lowered, &module));
                wanted::missing(&Translated { read: shader, lowered: &lowered, module: &module }, given, false)
            }
            Err(errors) => problems(errors),
        };
        wrong.extend(found.into_iter().map(|problem| (number, problem)));
    }
    (blocks, wrong)
}

/// The blocks of a shader that was translated with the default options, also those that only the shader before the translation
/// accesses.
pub fn blocks_of(lowered: &Shader, module: &Module) -> Vec<Block> {
    let options = Options::default();
    let mut blocks: Vec<Block> = Vec::new();
    for variable in lowered.vars.values().filter(|variable| variable.mode.intersects(Modes::UBO | Modes::SSBO)) {
        let ((set, binding), first) = (slot(variable, &options), variable.driver_location);
        // Several variables of a block have different types.
        if find(&blocks, Slot { set, binding, element: 0 }).is_none() {
            let bound = module.bindings.iter().find(|it| (it.set, it.binding) == (set, binding));
            let count = bound.map_or(1, |bound| bound.count);
            blocks.push(Block { set, binding, is_storage: variable.mode == Modes::SSBO, first, count });
        }
    }
    blocks
}

/// The set and binding of a block.
fn slot(variable: &Variable, options: &Options) -> (u32, u32) {
    let set = variable.descriptor_set.unwrap_or_else(|| options.target.descriptor_set(descriptor_of(variable)));
    (set, variable.binding)
}

/// Whether the block at `slot` is a storage block, and its index.
pub fn find(blocks: &[Block], slot: Slot) -> Option<(bool, u32)> {
    let block = blocks.iter().find(|block| (block.set, block.binding) == (slot.set, slot.binding))?;
    Some((block.is_storage, block.first.checked_add(slot.element)?))
}

/// Draws points.
fn draw_with(shaders: &[Shader], draw: &DrawInput, resources: &mut Resources, limits: Limits) -> Result<Drawn> {
    if !matches!(draw.topology, Topology::Points | Topology::Patches) {
        bail!("the interpreter draws only points, and patches in point mode: run the fragment shader alone, or use --device");
    }
    let attributes: Vec<(u32, Vec<[u32; 4]>)> = draw.attributes.iter().map(attribute).collect();
    let target = |target: &TargetInput| {
        let format =
            ntv_interp::Format::from_name(target.kind.format).context("the interpreter does not have this format")?;
        Ok(ntv_interp::draw::Target { format, clear: target.clear.clone() })
    };
    let targets: Vec<ntv_interp::draw::Target> = draw.targets.iter().map(target).collect::<Result<_>>()?;
    let points = ntv_interp::draw::Draw {
        shaders,
        vertices: draw.vertices,
        instances: draw.instances,
        patch_vertices: draw.patch_vertices,
        attributes: &attributes,
        size: draw.size,
        targets: &targets,
        captures: &draw.captures,
        floats: ntv_interp::Floats::default(),
    };
    ntv_interp::draw::draw(&points, resources, limits).map_err(anyhow::Error::msg)
}

/// The bytes of each target.
fn texels(draw: &DrawInput, drawn: &Drawn) -> Vec<Vec<u8>> {
    let count = draw.size[0] as usize * draw.size[1] as usize;
    let mut targets: Vec<Vec<u8>> = draw.targets.iter().map(|target| target.clear.repeat(count)).collect();
    for ([x, y], outputs) in &drawn.fragments {
        for (number, target) in draw.targets.iter().map(|target| &target.kind).enumerate() {
            let words = outputs.get(&ntv_interp::Slot::new(frag_result::DATA0 + number as u32));
            let words = words.or_else(|| outputs.get(&ntv_interp::Slot::new(frag_result::COLOR)));
            let Some(words) = words else { continue };
            let at = (*y as usize * draw.size[0] as usize + *x as usize) * target.texel;
            targets[number][at..at + target.texel].copy_from_slice(&texel(target, words.map(|word| word.value as u32)));
        }
    }
    targets
}

/// The Location and values of an attribute; bytes are normalized.
fn attribute(attribute: &AttributeInput) -> (u32, Vec<[u32; 4]>) {
    let data = &attribute.data;
    let words: Vec<u32> = match data.form {
        Form::U8 => data.bytes.iter().map(|byte| (f32::from(*byte) / 255.0).to_bits()).collect(),
        _ => data.words().collect(),
    };
    (attribute.location, words.chunks_exact(4).map(|words| [words[0], words[1], words[2], words[3]]).collect())
}

/// The bytes of a texel of a target after the shader writes `words` to it.
fn texel(target: &Target, words: [u32; 4]) -> Vec<u8> {
    match target.form {
        Form::U8 => words.map(|word| (f32::from_bits(word).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8).to_vec(),
        _ => words[..target.texel / 4].iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}
