// SPDX-License-Identifier: MIT

//! Handlers of programs, keys and pipelines, and of the framebuffer.

use crate::context::{Context, Dirty};
use crate::device::DynamicState;
use crate::error::{Error, Result};
use crate::pipeline::{MultisampleWord, Pipeline, PipelineSource, Word};
use crate::program::{Program, Shader, CLASSES, GRAPHICS};
use crate::state::{bits, BitSet};
use ash::vk;
use ntv::capture::BackEnd;
use ntv::module::ShaderStage;
use ntv::Key;
use std::sync::{Arc, Weak};

/// The bits of descriptors, by class.
const CLASS_BITS: [Dirty; CLASSES] =
    [Dirty::Uniforms, Dirty::UniformBuffers, Dirty::Textures, Dirty::StorageBuffers, Dirty::Images];

/// The key bits of the last stage before the rasterizer, or of fragments, for all programs.
const WITH_STATE: u64 = Key::ALL & !Key::STRIP;

pub(in crate::context) fn program(context: &mut Context) -> Result<()> {
    context.take_program()
}

fn take(context: &mut Context) -> Result<()> {
    let program = context.find_program()?;
    context.bound.program.synced();
    let before = context.current.program.replace(Arc::clone(&program));
    let same = |what: fn(&Program) -> u64| before.as_ref().is_some_and(|before| what(before) == what(&program));
    // Values that are derived from the program must be recomputed.
    context.changes.bump(Dirty::Program);
    let is_same = same(|program| program.id.into()) && !context.forced_all();
    if is_same {
        return Ok(());
    }
    // Commands refer to the layout, even without a pipeline.
    context.batch.keep(program.layout.id, &program.layout);
    if !same(|program| program.layout.id) {
        CLASS_BITS.iter().for_each(|bit| context.force(*bit));
        context.current.sets = Default::default();
    }
    if program.push_constants > 0 {
        context.force(Dirty::PushConstants);
    }
    if !same(|program| program.attributes.into()) {
        context.force(Dirty::VertexBuffers);
        context.force(Dirty::VertexElements);
    }
    if !same(|program| program.has_tessellation.into()) {
        match program.has_tessellation {
            true => context.force(Dirty::PatchVertices),
            false => context.set_word(Word::PatchVertices, 0),
        }
    }
    if !same(|program| program.reads_framebuffer.into()) {
        // Such programs draw in another kind of rendering, and their pipelines depend on the number of samples.
        context.end_rendering();
        context.force(Dirty::Multisample);
    }
    if !program.xfb.is_empty() || before.is_some_and(|before| !before.xfb.is_empty()) {
        context.force(Dirty::StreamOutput);
    }
    context.changes.set_relevant(relevant(&program));
    match context.changes.relevant().contains(Dirty::ShaderKey) {
        true => context.force(Dirty::ShaderKey),
        false => context.set_key(Key { bits: Key::STRIP & program.seen, ..Key::default() }),
    }
    context.set_word(Word::Program, program.id);
    context.force(Dirty::Pipeline);
    Ok(())
}

/// The bits that `program` uses. Key bits that it does not use are 0 for every state.
fn relevant(program: &Program) -> BitSet<Dirty> {
    let mut relevant = BitSet::ALL;
    for (class, bit) in CLASS_BITS.into_iter().enumerate() {
        let has = program.layout.sets.get(class).is_some_and(|set| !set.slots.is_empty());
        relevant.set(bit, has);
    }
    relevant.set(Dirty::PushConstants, program.push_constants > 0);
    relevant.set(Dirty::VertexBuffers, program.attributes != 0);
    relevant.set(Dirty::VertexBindings, program.attributes != 0);
    relevant.set(Dirty::StreamOutput, !program.xfb.is_empty());
    relevant.set(Dirty::PatchVertices, program.has_tessellation);
    relevant.set(Dirty::ShaderKey, program.seen & WITH_STATE != 0);
    relevant
}

impl Context {
    /// Sets the program of the bound shaders.
    pub(in crate::context) fn take_program(&mut self) -> Result<()> {
        take(self)
    }

    fn forced_all(&self) -> bool {
        self.options.emit_all || self.current.pipeline.is_none()
    }

    /// Finds the program of the bound shaders.
    fn find_program(&mut self) -> Result<Arc<Program>> {
        let name = *self.bound.program.get();
        if let Some(program) = self.programs.get(&name).and_then(Weak::upgrade) {
            return Ok(program);
        }
        let stages = GRAPHICS.iter().filter_map(|stage| self.bound.shaders[*stage as usize].clone());
        let shaders: Vec<Arc<Shader>> = stages.collect();
        if shaders.iter().all(|shader| ![ShaderStage::Vertex, ShaderStage::Mesh].contains(&shader.stage)) {
            return Err(Error::new("no vertex shader is bound"));
        }
        let (program, _) = self.shared.programs.get(&self.device, &shaders, &Default::default())?;
        self.programs.retain(|_, program| program.strong_count() > 0);
        self.programs.insert(name, Arc::downgrade(&program));
        Ok(program)
    }

    fn set_key(&mut self, key: Key) {
        self.current.key = key;
        self.set_word(Word::KeyLow, key.bits as u32);
        self.set_word(Word::KeyHigh, (key.bits >> 32) as u32);
        self.set_word(Word::KeyWidth, key.size[0]);
        self.set_word(Word::KeyHeight, key.size[1]);
    }

    /// Whether the vertex shader produces points, so that it must write their size (Vulkan, VUID-07722).
    fn draws_vertices_as_points(&self) -> bool {
        let is_points = self.current.desc.get(Word::Topology) == vk::PrimitiveTopology::POINT_LIST.as_raw() as u32;
        let between = [ShaderStage::TessEval, ShaderStage::Geometry];
        is_points && between.iter().all(|stage| self.bound.shaders[*stage as usize].is_none())
    }

    /// The key of the state, limited to the bits that the program uses.
    pub(in crate::context) fn key_of_state(&self, program: &Program) -> Key {
        let rasterizer = self.rasterizer_state();
        let framebuffer = self.bound.framebuffer.get();
        let mut bits = Key::STRIP | framebuffer.orientation & Key::ORIENTATION;
        let mut set = |bit: u64, on: bool| bits |= if on { bit } else { 0 };
        set(Key::GL_DEPTH, !rasterizer.clip_halfz && !self.device.features.depth_clip_control);
        set(Key::POINT_SIZE, rasterizer.default_point_size || self.draws_vertices_as_points());
        set(Key::EARLY_FRAGMENT_TESTS, rasterizer.early_fragment_tests);
        set(Key::SAMPLE_SHADING, *self.bound.min_samples.get() > 1 && self.current.rendering.samples > 1);
        // If a compute shader captures, the draw has no captures.
        set(Key::NO_CAPTURE, !self.feedback.is_active() || program.is_captured_by(BackEnd::Compute));
        set(Key::DISCARD, rasterizer.discard_by_position);
        if self.bound.blend.get().as_ref().is_some_and(|blend| blend.state.dither) {
            for (target, surface) in (0..Key::DITHERED_TARGETS).zip(&framebuffer.colors) {
                let format = surface.as_ref().map_or(0, |surface| dithered(surface.format));
                bits |= Key::dither(target, format);
            }
        }
        let bits = bits & program.seen & (WITH_STATE | Key::STRIP);
        let turned = bits & Key::ORIENTATION != 0 && program.is_sized;
        Key { size: if turned { self.current.rendering.size } else { [0; 2] }, ..Key::new(bits) }
    }
}

/// The number in keys of the format of a dithered attachment; 0 for other formats.
fn dithered(format: vk::Format) -> u64 {
    let name = match format {
        vk::Format::R4G4B4A4_UNORM_PACK16 | vk::Format::B4G4R4A4_UNORM_PACK16 => "4444",
        vk::Format::R5G5B5A1_UNORM_PACK16 | vk::Format::A1R5G5B5_UNORM_PACK16 => "5551",
        vk::Format::R5G6B5_UNORM_PACK16 | vk::Format::B5G6R5_UNORM_PACK16 => "565",
        _ => return 0,
    };
    Key::DITHERED_FORMATS.iter().position(|row| row.0 == name).map_or(0, |row| row as u64 + 1)
}

pub(in crate::context) fn shader_key(context: &mut Context) -> Result<()> {
    let Some(program) = context.current.program.clone() else { return Ok(()) };
    let key = context.key_of_state(&program);
    context.set_key(key);
    context.bound.key_state.synced();
    Ok(())
}

pub(in crate::context) fn framebuffer(context: &mut Context) -> Result<()> {
    context.take_framebuffer()?;
    let framebuffer = context.bound.framebuffer.get().clone();
    const COLORS: [Word; 8] = [
        Word::Color0,
        Word::Color1,
        Word::Color2,
        Word::Color3,
        Word::Color4,
        Word::Color5,
        Word::Color6,
        Word::Color7,
    ];
    let before = context.current.desc.get(Word::Colors);
    for (number, word) in COLORS.into_iter().enumerate() {
        let surface = framebuffer.colors.get(number).and_then(Option::as_ref);
        context.set_word(word, surface.map_or(0, |surface| surface.format.as_raw() as u32));
    }
    let colors = framebuffer.colors.len() as u32;
    context.set_word(Word::Colors, colors);
    let depth_stencil = framebuffer.depth_stencil.as_ref();
    context.set_word(Word::DepthStencil, depth_stencil.map_or(0, |surface| surface.format.as_raw() as u32));
    let later = bits![Dirty: Rendering, Viewport, Scissor, Multisample, ShaderKey];
    later.iter().for_each(|bit| context.force(bit));
    if context.reads_framebuffer() {
        // The attachments are a part of this set.
        context.force(Dirty::Uniforms);
    }
    if colors != before {
        context.force(Dirty::Blend);
    }
    if std::mem::replace(&mut context.current.orientation, framebuffer.orientation) != framebuffer.orientation {
        // A flip of the image reverses windings.
        context.force(Dirty::Rasterizer);
    }
    context.bound.framebuffer.synced();
    Ok(())
}

pub(in crate::context) fn rendering(context: &mut Context) -> Result<()> {
    context.prepare_pass()?;
    context.flush_barriers();
    context.begin_rendering();
    Ok(())
}

pub(in crate::context) fn pipeline(context: &mut Context) -> Result<()> {
    let (Some(program), desc) = (context.current.program.clone(), context.current.desc) else { return Ok(()) };
    let (Some(blend), Some(elements)) = (context.bound.blend.get().clone(), context.bound.elements.get().clone())
    else {
        return Ok(());
    };
    let before = context.current.pipeline.clone();
    if before.as_ref().is_some_and(|before| before.desc == desc) {
        return Ok(());
    }
    let changed = before.as_ref().map(|before| desc.changed(&before.desc));
    let known =
        before.as_ref().zip(changed).and_then(|(before, changed)| context.transitions.get(before, changed, &desc));
    let pipeline: Arc<Pipeline> = match known {
        Some(pipeline) => pipeline,
        None => {
            let key = context.current.key;
            let source = PipelineSource { program, key, blend: blend.part, elements: elements.0 };
            let pipelines = &context.shared.pipelines;
            let made = match context.options.emit_all {
                true => Arc::new(pipelines.create(&desc, &source)?),
                false => pipelines.get(&desc, &source)?,
            };
            if let (Some(before), Some(changed)) = (&before, changed) {
                context.transitions.add(before, changed, &made);
            }
            made
        }
    };
    context.suspend_feedback();
    context.batch.keep(pipeline.id, &pipeline);
    let point = vk::PipelineBindPoint::GRAPHICS;
    // SAFETY: the buffer is recording; the pipeline is for this bind point, and the batch keeps it.
    unsafe { context.device.raw.cmd_bind_pipeline(context.batch.commands, point, *pipeline.raw) };
    context.counters.commands += 1;
    if MultisampleWord::unpack(desc.get(Word::Multisample)).min_samples != 0 {
        // The pipeline has the static number of samples; the value of a command is lost.
        context.batch.recorded.lose_samples();
    }
    if desc.get(Word::Colors) == 0 {
        // lavapipe 22.3 loses the blend state if there are no colors.
        context.batch.recorded.lose_blend();
    }
    if !context.takes(DynamicState::VertexInput) {
        // Pipelines without vertex buffers have no dynamic strides, and if pipelines are linked from libraries NVIDIA's driver
        // (580.159) loses the strides that were set before.
        context.batch.recorded.lose_vertex_buffers();
        context.force(Dirty::VertexBindings);
    }
    context.current.pipeline = Some(pipeline);
    Ok(())
}

pub(in crate::context) fn compute_program(context: &mut Context) -> Result<()> {
    let shader = context.bound.shaders[ShaderStage::Compute as usize].clone();
    let shader = shader.ok_or_else(|| Error::new("no compute shader is bound"))?;
    let (program, _) = context.shared.programs.get(&context.device, &[shader], &Default::default())?;
    let pipeline = context.shared.pipelines.compute(&program)?;
    context.batch.keep(pipeline.id, &pipeline);
    let point = vk::PipelineBindPoint::COMPUTE;
    // SAFETY: the buffer is recording; the pipeline is for this bind point, and the batch keeps it.
    unsafe { context.device.raw.cmd_bind_pipeline(context.batch.commands, point, *pipeline.raw) };
    context.counters.commands += 1;
    context.current.compute = Some((program, pipeline));
    context.bound.compute_program.synced();
    context.force(Dirty::ComputeResources);
    Ok(())
}
