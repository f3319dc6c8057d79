//! Handlers of the fixed function's state.

use crate::context::{Context, Dirty, RasterizerState, Scissor, StencilState, Viewport};
use crate::device::DynamicState;
use crate::error::Result;
use crate::pipeline::{blend_attachment, MultisampleWord, RasterizerWord, Word};
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

    /// The rasterizer state; the default before any was bound.
    pub(in crate::context) fn rasterizer_state(&self) -> RasterizerState {
        self.bound.rasterizer.get().as_ref().map(|bound| *bound.0).unwrap_or_default()
    }
}

/// Whether a topology has patches is the pipeline's; how many vertices they have may be dynamic.
pub(in crate::context) fn patch_vertices(context: &mut Context) -> Result<()> {
    let vertices = *context.bound.patch_vertices.get();
    let has_tessellation = context.current.program.as_ref().is_some_and(|program| program.has_tessellation);
    if context.takes(DynamicState::PatchControlPoints) {
        if has_tessellation {
            // SAFETY: the buffer is recording, and the device takes the command.
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
    // Pipelines without colours want the state as well, and no command sets that of none.
    let colors = context.current.desc.colors().len().max(1);
    let (commands, device) = (context.batch.commands, &context.device);
    let functions = &device.functions;
    // A pipeline without colours wants the state all the same.
    let rows: Vec<_> = (0..colors.max(1)).map(|color| blend_attachment(state, color)).collect();
    let mut recorded = 0;
    let mut is_static = false;
    let mut dynamic = |state: DynamicState| {
        let has = device.dynamic.has(state);
        recorded += u64::from(has);
        is_static |= !has;
        has
    };
    if dynamic(DynamicState::BlendEnable) {
        let enables: Vec<vk::Bool32> = rows.iter().map(|row| row.blend_enable).collect();
        // SAFETY: the buffer is recording, and the device takes the command.
        unsafe { functions.dynamic3.cmd_set_color_blend_enable(commands, 0, &enables) };
    }
    if dynamic(DynamicState::BlendEquation) {
        let equations: Vec<vk::ColorBlendEquationEXT> = rows
            .iter()
            .map(|row| vk::ColorBlendEquationEXT {
                src_color_blend_factor: row.src_color_blend_factor,
                dst_color_blend_factor: row.dst_color_blend_factor,
                color_blend_op: row.color_blend_op,
                src_alpha_blend_factor: row.src_alpha_blend_factor,
                dst_alpha_blend_factor: row.dst_alpha_blend_factor,
                alpha_blend_op: row.alpha_blend_op,
            })
            .collect();
        // SAFETY: as before.
        unsafe { functions.dynamic3.cmd_set_color_blend_equation(commands, 0, &equations) };
    }
    if dynamic(DynamicState::WriteMask) {
        let masks: Vec<vk::ColorComponentFlags> = rows.iter().map(|row| row.color_write_mask).collect();
        // SAFETY: as before.
        unsafe { functions.dynamic3.cmd_set_color_write_mask(commands, 0, &masks) };
    }
    let has_logic_op = state.logicop.is_some() && device.core.logic_op == vk::TRUE;
    if dynamic(DynamicState::LogicOpEnable) {
        // SAFETY: as before.
        unsafe { functions.dynamic3.cmd_set_logic_op_enable(commands, has_logic_op) };
    }
    if dynamic(DynamicState::LogicOp) {
        let op = state.logicop.unwrap_or(vk::LogicOp::COPY);
        // SAFETY: as before.
        unsafe { functions.dynamic2.cmd_set_logic_op(commands, op) };
    }
    context.counters.commands += recorded;
    context.set_word(Word::Blend, if is_static { blend.number } else { 0 });
    if context.bound.blend.differs() {
        context.force(Dirty::Multisample);
    }
    context.bound.blend.synced();
    Ok(())
}

pub(in crate::context) fn rasterizer(context: &mut Context) -> Result<()> {
    let state = context.rasterizer_state();
    let (raw, commands) = (&context.device.raw, context.batch.commands);
    let functions = &context.device.functions.dynamic3;
    let turned = context.current.orientation & ntv::Key::ORIENTATION;
    // Each flip, and each exchange of axes, turns windings over.
    let front = match turned.count_ones() % 2 {
        0 => state.front_face,
        _ if state.front_face == vk::FrontFace::CLOCKWISE => vk::FrontFace::COUNTER_CLOCKWISE,
        _ => vk::FrontFace::CLOCKWISE,
    };
    let [constant, clamp, slope] = state.depth_bias.unwrap_or_default();
    let has_wide = context.device.core.wide_lines == vk::TRUE;
    let has_bias_clamp = context.device.core.depth_bias_clamp == vk::TRUE;
    // SAFETY: the buffer is recording; widths and clamps are what the device takes.
    unsafe {
        raw.cmd_set_cull_mode(commands, state.cull_face);
        raw.cmd_set_front_face(commands, front);
        raw.cmd_set_depth_bias_enable(commands, state.depth_bias.is_some());
        raw.cmd_set_depth_bias(commands, constant, if has_bias_clamp { clamp } else { 0.0 }, slope);
        raw.cmd_set_rasterizer_discard_enable(commands, state.rasterizer_discard);
        raw.cmd_set_line_width(commands, if has_wide { state.line_width } else { 1.0 });
    }
    context.counters.commands += 6;
    let has_clamp = context.device.core.depth_clamp == vk::TRUE;
    let has_fill = context.device.core.fill_mode_non_solid == vk::TRUE;
    let mut word = RasterizerWord {
        polygon_mode: if has_fill { state.fill.as_raw() as u32 } else { 0 },
        depth_clamp: u32::from(!state.depth_clip && has_clamp),
        depth_clip: u32::from(state.depth_clip),
        negative_one_to_one: u32::from(!state.clip_halfz && context.device.features.depth_clip_control),
        provoking_last: u32::from(!state.flatshade_first && context.device.input.provokes_last),
    };
    macro_rules! dynamic {
        ($($state:ident $field:ident: $value:ident => $call:expr;)*) => {$(
            if context.takes(DynamicState::$state) {
                let $value = std::mem::take(&mut word.$field);
                // SAFETY: the buffer is recording, and the device takes the command.
                unsafe { $call };
                context.counters.commands += 1;
            }
        )*};
    }
    dynamic! {
        PolygonMode polygon_mode: mode =>
            functions.cmd_set_polygon_mode(commands, vk::PolygonMode::from_raw(mode as i32));
        DepthClamp depth_clamp: on => functions.cmd_set_depth_clamp_enable(commands, on != 0);
        DepthClip depth_clip: on => functions.cmd_set_depth_clip_enable(commands, on != 0);
        NegativeOneToOne negative_one_to_one: on =>
            functions.cmd_set_depth_clip_negative_one_to_one(commands, on != 0);
        ProvokingVertex provoking_last: last => functions.cmd_set_provoking_vertex_mode(commands, match last {
            0 => vk::ProvokingVertexModeEXT::FIRST_VERTEX,
            _ => vk::ProvokingVertexModeEXT::LAST_VERTEX,
        });
    }
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
    let (alpha_to_coverage, alpha_to_one) = blend.unwrap_or_default();
    let mut word = MultisampleWord {
        samples,
        alpha_to_coverage: u32::from(alpha_to_coverage),
        alpha_to_one: u32::from(alpha_to_one && context.device.core.alpha_to_one == vk::TRUE),
        min_samples: (*context.bound.min_samples.get()).min(samples) * u32::from(samples > 1),
    };
    let mask = *context.bound.sample_mask.get();
    let (commands, functions) = (context.batch.commands, &context.device.functions.dynamic3);
    let count = vk::SampleCountFlags::from_raw(samples);
    let mut recorded = 0;
    // SAFETY: the buffer is recording, and the device takes each of the commands that are called.
    unsafe {
        if context.takes(DynamicState::Samples) {
            functions.cmd_set_rasterization_samples(commands, count);
            // Sample shading counts them, and render passes have them; else they are no part of the pipeline.
            let is_counted = word.min_samples != 0 || context.reads_framebuffer();
            word.samples = if is_counted { samples } else { 0 };
            recorded += 1;
        }
        if context.takes(DynamicState::SampleMask) {
            functions.cmd_set_sample_mask(commands, count, &[mask]);
            recorded += 1;
        }
        if context.takes(DynamicState::AlphaToCoverage) {
            functions.cmd_set_alpha_to_coverage_enable(commands, word.alpha_to_coverage != 0);
            word.alpha_to_coverage = 0;
            recorded += 1;
        }
        if context.takes(DynamicState::AlphaToOne) {
            functions.cmd_set_alpha_to_one_enable(commands, word.alpha_to_one != 0);
            word.alpha_to_one = 0;
            recorded += 1;
        }
    }
    context.counters.commands += recorded;
    context.set_word(Word::Multisample, word.pack());
    context.set_word(Word::SampleMask, if context.takes(DynamicState::SampleMask) { 0 } else { mask });
    context.bound.sample_mask.synced();
    context.bound.min_samples.synced();
    Ok(())
}

pub(in crate::context) fn depth_stencil_alpha(context: &mut Context) -> Result<()> {
    let state = context.bound.depth_stencil.get().as_ref().map(|bound| *bound.0).unwrap_or_default();
    let (raw, commands) = (&context.device.raw, context.batch.commands);
    let bounds = state.depth_bounds.filter(|_| context.device.core.depth_bounds == vk::TRUE);
    let [near, far] = bounds.unwrap_or([0.0, 1.0]);
    // SAFETY: the buffer is recording.
    unsafe {
        raw.cmd_set_depth_test_enable(commands, state.depth.is_some());
        raw.cmd_set_depth_write_enable(commands, state.depth.is_some() && state.depth_write);
        raw.cmd_set_depth_compare_op(commands, state.depth.unwrap_or(vk::CompareOp::ALWAYS));
        raw.cmd_set_depth_bounds_test_enable(commands, bounds.is_some());
        raw.cmd_set_depth_bounds(commands, near, far);
        raw.cmd_set_stencil_test_enable(commands, state.stencil.is_some());
    }
    let sides = state.stencil.unwrap_or_default();
    for (face, side) in [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK].into_iter().zip(sides) {
        let StencilState { func, fail_op, zfail_op, zpass_op, valuemask, writemask } = side;
        // SAFETY: as before.
        unsafe {
            raw.cmd_set_stencil_op(commands, face, fail_op, zpass_op, zfail_op, func);
            raw.cmd_set_stencil_compare_mask(commands, face, valuemask);
            raw.cmd_set_stencil_write_mask(commands, face, writemask);
        }
    }
    context.counters.commands += 12;
    context.bound.depth_stencil.synced();
    Ok(())
}

pub(in crate::context) fn stencil_ref(context: &mut Context) -> Result<()> {
    let [front, back] = *context.bound.stencil_ref.get();
    let (raw, commands) = (&context.device.raw, context.batch.commands);
    // SAFETY: the buffer is recording.
    unsafe {
        raw.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::FRONT, front);
        raw.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::BACK, back);
    }
    context.counters.commands += 2;
    context.bound.stencil_ref.synced();
    Ok(())
}

pub(in crate::context) fn blend_color(context: &mut Context) -> Result<()> {
    // SAFETY: the buffer is recording.
    unsafe { context.device.raw.cmd_set_blend_constants(context.batch.commands, context.bound.blend_color.get()) };
    context.counters.commands += 1;
    context.bound.blend_color.synced();
    Ok(())
}

pub(in crate::context) fn viewport(context: &mut Context) -> Result<()> {
    let raw = |viewport: &Viewport| {
        let [x, y, width, height] = viewport.rect;
        let [min_depth, max_depth] = viewport.depth;
        // Vulkan has no viewports of no width: the scissor is empty then.
        let width = if width > 0.0 { width } else { 1.0 };
        vk::Viewport { x, y, width, height, min_depth, max_depth }
    };
    let mut viewports = [vk::Viewport::default(); 16];
    let count = context.bound.viewports.get().len().clamp(1, 16);
    for (to, from) in viewports.iter_mut().zip(context.bound.viewports.get()) {
        *to = raw(from);
    }
    // SAFETY: the buffer is recording; there are no more viewports than the device has.
    unsafe { context.device.raw.cmd_set_viewport_with_count(context.batch.commands, &viewports[..count]) };
    context.counters.commands += 1;
    let empty = |(number, viewport): (usize, &Viewport)| u32::from(is_empty(viewport)) << number;
    let empty = context.bound.viewports.get().iter().enumerate().take(16).map(empty).sum();
    if std::mem::replace(&mut context.current.viewports, (count, empty)) != (count, empty) {
        // There is a scissor for each viewport, an empty one for those of no area.
        context.force(Dirty::Scissor);
    }
    context.bound.viewports.synced();
    Ok(())
}

pub(in crate::context) fn scissor(context: &mut Context) -> Result<()> {
    let is_used = context.rasterizer_state().scissor;
    let [width, height] = context.current.rendering.size;
    let all = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
    let mut scissors = [all; 16];
    // There are as many scissors as viewports.
    let count = context.bound.viewports.get().len().clamp(1, 16);
    for (number, viewport) in context.bound.viewports.get().iter().enumerate().take(16) {
        if is_empty(viewport) {
            scissors[number].extent = vk::Extent2D::default();
        } else if let Some(scissor) = context.bound.scissors.get().get(number).filter(|_| is_used) {
            scissors[number] = rect(scissor);
        }
    }
    // SAFETY: the buffer is recording; offsets are not negative.
    unsafe { context.device.raw.cmd_set_scissor_with_count(context.batch.commands, &scissors[..count]) };
    context.counters.commands += 1;
    context.bound.scissors.synced();
    Ok(())
}

/// Whether nothing is drawn in it. GL has viewports of no size, Vulkan none of no width.
fn is_empty(viewport: &Viewport) -> bool {
    viewport.rect[2] <= 0.0 || viewport.rect[3] == 0.0
}

/// The part of a scissor that has no negative numbers, which Vulkan has not.
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
