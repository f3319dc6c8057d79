// SPDX-License-Identifier: MIT

//! Handlers of fixed-function state.

use super::dynamic::Recorder;
use crate::context::bind::MAX_VIEWPORTS;
use crate::context::{Context, Dirty, RasterizerState, Scissor, Viewport};
use crate::device::DynamicState;
use crate::error::Result;
use crate::pipeline::{provoking_mode, MultisampleWord, RasterizerWord, Word};
use ash::vk;

impl Context {
    /// Sets a word of the pipeline's description.
    pub(super) fn set_word(&mut self, word: Word, value: u32) {
        if self.current.desc.get(word) != value {
            self.current.desc.set(word, value);
            self.force(Dirty::Pipeline);
        }
    }

    pub(super) fn takes(&self, state: DynamicState) -> bool {
        self.device.dynamic.has(state)
    }

    /// A recorder of dynamic state for the current batch.
    pub(in crate::context) fn recorder(&mut self) -> Recorder<'_> {
        Recorder::new(&self.device, &mut self.batch, &mut self.counters.commands)
    }

    /// The rasterizer state; the default before the first bind.
    pub(in crate::context) fn rasterizer_state(&self) -> RasterizerState {
        self.bound.rasterizer.get().as_ref().map(|bound| *bound.0).unwrap_or_default()
    }
}

/// The pipeline has a topology with or without patches; their number of vertices may be dynamic.
pub(in crate::context) fn patch_vertices(context: &mut Context) -> Result<()> {
    let vertices = *context.bound.patch_vertices.get();
    let has_tessellation = context.current.program.as_ref().is_some_and(|program| program.has_tessellation);
    if context.takes(DynamicState::PatchControlPoints) {
        if has_tessellation {
            // SAFETY: the buffer is recording, and the device has the command.
            unsafe {
                let functions = &context.device.functions.dynamic2;
                functions.cmd_set_patch_control_points(context.batch.commands, vertices);
            }
            context.counters.commands += 1;
        }
    } else {
        context.set_word(Word::PatchVertices, if has_tessellation { vertices } else { 0 });
    }
    context.bound.patch_vertices.synced();
    Ok(())
}

pub(in crate::context) fn blend(context: &mut Context) -> Result<()> {
    let Some(blend) = context.bound.blend.get().clone() else { return Ok(()) };
    let state = &blend.state;
    // Pipelines without colors need the state as well, but the commands need at least one color.
    let colors = context.current.desc.colors().len().max(1);
    let has_logic_op = state.logicop.is_some() && context.device.core.logic_op == vk::TRUE;
    let mut set = context.recorder();
    let is_dynamic = [
        set.blend(state, colors),
        set.logic_op_enable(has_logic_op),
        set.logic_op(state.logicop.unwrap_or(vk::LogicOp::COPY)),
    ];
    // Without colors, no pipeline depends on it.
    let is_static = is_dynamic.contains(&false) && context.current.desc.get(Word::Colors) > 0;
    context.set_word(Word::Blend, if is_static { blend.part.number } else { 0 });
    if context.bound.blend.differs() {
        context.force(Dirty::Multisample);
    }
    context.bound.blend.synced();
    Ok(())
}

pub(in crate::context) fn rasterizer(context: &mut Context) -> Result<()> {
    let state = context.rasterizer_state();
    let turned = context.current.orientation & ntv::Key::ORIENTATION;
    // Each flip, and each exchange of axes, reverses the winding.
    let front = match turned.count_ones() % 2 {
        0 => state.front_face,
        _ if state.front_face == vk::FrontFace::CLOCKWISE => vk::FrontFace::COUNTER_CLOCKWISE,
        _ => vk::FrontFace::CLOCKWISE,
    };
    let [constant, clamp, slope] = state.depth_bias.unwrap_or_default();
    let core = context.device.core;
    let has_provoking = context.device.input.provokes_last;
    let mut word = RasterizerWord {
        polygon_mode: if core.fill_mode_non_solid == vk::TRUE { state.fill.as_raw() as u32 } else { 0 },
        depth_clamp: u32::from(!state.depth_clip && core.depth_clamp == vk::TRUE),
        depth_clip: u32::from(state.depth_clip),
        negative_one_to_one: u32::from(!state.clip_halfz && context.device.features.depth_clip_control),
        provoking_last: u32::from(!state.flatshade_first && has_provoking),
    };
    let mut set = context.recorder();
    set.cull_mode(state.cull_face);
    set.front_face(front);
    set.depth_bias_enable(state.depth_bias.is_some());
    set.depth_bias([constant, if core.depth_bias_clamp == vk::TRUE { clamp } else { 0.0 }, slope]);
    set.rasterizer_discard(state.rasterizer_discard);
    set.line_width(if core.wide_lines == vk::TRUE { state.line_width } else { 1.0 });
    // Dynamic state is 0 in the pipeline's description.
    let unless = |is_set: bool, value: &mut u32| *value = if is_set { 0 } else { *value };
    unless(set.polygon_mode(vk::PolygonMode::from_raw(word.polygon_mode as i32)), &mut word.polygon_mode);
    unless(set.depth_clamp(word.depth_clamp != 0), &mut word.depth_clamp);
    unless(set.depth_clip(word.depth_clip != 0), &mut word.depth_clip);
    unless(set.negative_one_to_one(word.negative_one_to_one != 0), &mut word.negative_one_to_one);
    unless(set.provoking_vertex(provoking_mode(word)), &mut word.provoking_last);
    context.set_word(Word::Rasterizer, word.pack());
    if context.bound.rasterizer.differs() {
        context.force(Dirty::Multisample);
        context.force(Dirty::Scissor);
    }
    context.bound.rasterizer.synced();
    Ok(())
}

pub(in crate::context) fn multisample(context: &mut Context) -> Result<()> {
    let samples = context.current.rendering.samples.max(1);
    let blend =
        context.bound.blend.get().as_ref().map(|blend| (blend.state.alpha_to_coverage, blend.state.alpha_to_one));
    // With one sample alpha does not change (OpenGL 4.6, 17.3.1). Vulkan has no such rule, and lavapipe has one for static state
    // only.
    let (alpha_to_coverage, alpha_to_one) = blend.filter(|_| samples > 1).unwrap_or_default();
    let mut word = MultisampleWord {
        samples,
        alpha_to_coverage: u32::from(alpha_to_coverage),
        alpha_to_one: u32::from(alpha_to_one && context.device.core.alpha_to_one == vk::TRUE),
        min_samples: (*context.bound.min_samples.get()).min(samples) * u32::from(samples > 1),
    };
    let mask = *context.bound.sample_mask.get();
    let count = vk::SampleCountFlags::from_raw(samples);
    let mut set = context.recorder();
    if set.samples(count) {
        // Only sample shading needs the number in the pipeline.
        word.samples = if word.min_samples == 0 { 0 } else { samples };
    }
    let has_mask = set.sample_mask((count, mask));
    if set.alpha_to_coverage(alpha_to_coverage) {
        word.alpha_to_coverage = 0;
    }
    if set.alpha_to_one(word.alpha_to_one != 0) {
        word.alpha_to_one = 0;
    }
    context.set_word(Word::Multisample, word.pack());
    context.set_word(Word::SampleMask, if has_mask { 0 } else { mask });
    context.bound.sample_mask.synced();
    context.bound.min_samples.synced();
    Ok(())
}

pub(in crate::context) fn depth_stencil_alpha(context: &mut Context) -> Result<()> {
    let state = context.bound.depth_stencil.get().as_ref().map(|bound| *bound.0).unwrap_or_default();
    let bounds = state.depth_bounds.filter(|_| context.device.core.depth_bounds == vk::TRUE);
    let [front, back] = state.stencil.unwrap_or_default();
    let mut set = context.recorder();
    set.depth_test(state.depth.is_some());
    set.depth_write(state.depth.is_some() && state.depth_write);
    set.depth_compare(state.depth.unwrap_or(vk::CompareOp::ALWAYS));
    set.depth_bounds_test(bounds.is_some());
    set.depth_bounds(bounds.unwrap_or([0.0, 1.0]));
    set.stencil_test(state.stencil.is_some());
    set.stencil_op_front(front.into());
    set.stencil_op_back(back.into());
    set.stencil_compare_front(front.valuemask);
    set.stencil_compare_back(back.valuemask);
    set.stencil_write_front(front.writemask);
    set.stencil_write_back(back.writemask);
    context.bound.depth_stencil.synced();
    Ok(())
}

pub(in crate::context) fn stencil_ref(context: &mut Context) -> Result<()> {
    let [front, back] = *context.bound.stencil_ref.get();
    let mut set = context.recorder();
    set.stencil_reference_front(front);
    set.stencil_reference_back(back);
    context.bound.stencil_ref.synced();
    Ok(())
}

pub(in crate::context) fn blend_color(context: &mut Context) -> Result<()> {
    let constants = *context.bound.blend_color.get();
    context.recorder().blend_constants(constants);
    context.bound.blend_color.synced();
    Ok(())
}

pub(in crate::context) fn viewport(context: &mut Context) -> Result<()> {
    let bound = &context.bound.viewports;
    let viewports = if bound.get().is_empty() { &[Viewport::default()] } else { &bound.get()[..] };
    Recorder::new(&context.device, &mut context.batch, &mut context.counters.commands).viewports(viewports);
    let empty = |(number, viewport): (usize, &Viewport)| u32::from(is_empty(viewport)) << number;
    let summary = (viewports.len(), viewports.iter().enumerate().map(empty).sum());
    if std::mem::replace(&mut context.current.viewports, summary) != summary {
        // There is a scissor for each viewport, an empty one for viewports without an area.
        context.force(Dirty::Scissor);
    }
    context.bound.viewports.synced();
    Ok(())
}

pub(in crate::context) fn scissor(context: &mut Context) -> Result<()> {
    let is_used = context.rasterizer_state().scissor;
    let [width, height] = context.current.rendering.size;
    let all = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
    let mut scissors = [all; MAX_VIEWPORTS];
    // The number of scissors equals the number of viewports.
    let count = context.bound.viewports.get().len().max(1);
    for (number, viewport) in context.bound.viewports.get().iter().enumerate() {
        if is_empty(viewport) {
            scissors[number].extent = vk::Extent2D::default();
        } else if let Some(scissor) = context.bound.scissors.get().get(number).filter(|_| is_used) {
            scissors[number] = rect(scissor);
        }
    }
    context.recorder().scissors(&scissors[..count]);
    context.bound.scissors.synced();
    Ok(())
}

/// Whether the viewport is empty. GL has empty viewports, Vulkan has no viewports of width 0.
fn is_empty(viewport: &Viewport) -> bool {
    viewport.rect[2] <= 0.0 || viewport.rect[3] == 0.0
}

/// The part of a scissor without negative coordinates, which Vulkan does not allow.
pub(in crate::context) fn rect(scissor: &Scissor) -> vk::Rect2D {
    let axis = |axis: usize| {
        let start = i64::from(scissor.offset[axis]);
        let end = start + i64::from(scissor.size[axis]);
        let (start, end) = (start.clamp(0, i32::MAX.into()), end.clamp(0, i32::MAX.into()));
        (start as i32, (end - start) as u32)
    };
    let ((x, width), (y, height)) = (axis(0), axis(1));
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}
