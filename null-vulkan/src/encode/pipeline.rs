// SPDX-License-Identifier: MIT

//! Pipelines and their layouts.

use super::{Encode, Encoder, Text};
use crate::descriptor::slice;
use crate::object::hash;
use crate::pipeline::{Layout, Pipeline};
use crate::queue::find;
use ash::vk;
use std::collections::BTreeMap;

/// A shader stage of a pipeline.
pub(crate) struct Stage<'a>(pub(crate) &'a vk::PipelineShaderStageCreateInfo<'a>);

/// The words of a shader module as one word.
pub(crate) unsafe fn code(info: &vk::ShaderModuleCreateInfo<'_>) -> u64 {
    // SAFETY: the caller guarantees it.
    hash(unsafe { slice(info.p_code, (info.code_size / 4) as u32) }.iter().copied().map(u64::from))
}

impl Encode for Stage<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        let info = self.0;
        // SAFETY: the caller guarantees it.
        unsafe {
            info.flags.encode(encoder);
            info.stage.encode(encoder);
            // The code may be in the chain.
            match find::<vk::ShaderModuleCreateInfo<'_>>(info.p_next) {
                Some(module) if info.module == vk::ShaderModule::null() => encoder.word(code(module)),
                _ => encoder.handle(info.module),
            }
            Text(info.p_name).encode(encoder);
            if let Some(constants) = info.p_specialization_info.as_ref() {
                specialization(constants, encoder);
            }
            info.p_next.encode(encoder);
        }
    }
}

/// The constants by their ids.
unsafe fn specialization(info: &vk::SpecializationInfo<'_>, encoder: &mut Encoder<'_>) {
    let mut constants = BTreeMap::new();
    // SAFETY: the caller guarantees it.
    unsafe {
        let data = slice(info.p_data.cast::<u8>(), info.data_size as u32);
        for entry in slice(info.p_map_entries, info.map_entry_count) {
            let bytes = data.get(entry.offset as usize..entry.offset as usize + entry.size).unwrap_or_default();
            constants.insert(entry.constant_id, hash(bytes.iter().copied().map(u64::from)));
        }
    }
    encoder.words.extend(constants.into_iter().flat_map(|(id, value)| [id.into(), value]));
}

/// Writes a part of a graphics pipeline.
type Writer = unsafe fn(&vk::GraphicsPipelineCreateInfo<'_>, &mut Encoder<'_>);

/// The hashes of the four parts of a graphics pipeline, for those that are in `info` itself.
///
/// # Safety
/// `info` is valid.
pub(crate) unsafe fn graphics_parts(
    encoder: &mut Encoder<'_>,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
    parts: vk::GraphicsPipelineLibraryFlagsEXT,
) -> [Option<u64>; 4] {
    use vk::GraphicsPipelineLibraryFlagsEXT as Parts;
    let writers: [(Parts, Writer); 4] = [
        (Parts::VERTEX_INPUT_INTERFACE, vertex_input),
        (Parts::PRE_RASTERIZATION_SHADERS, pre_rasterization),
        (Parts::FRAGMENT_SHADER, fragment),
        (Parts::FRAGMENT_OUTPUT_INTERFACE, output),
    ];
    writers.map(|(part, write)| {
        parts.contains(part).then(|| {
            encoder.words.clear();
            // SAFETY: the caller guarantees it.
            unsafe { write(info, encoder) };
            hash(std::mem::take(&mut encoder.words))
        })
    })
}

/// The dynamic states of a pipeline: their values in its structs are ignored.
struct Dynamic<'a>(&'a [vk::DynamicState]);

impl<'a> Dynamic<'a> {
    /// # Safety
    /// `info` is valid.
    unsafe fn of(info: &'a vk::GraphicsPipelineCreateInfo<'_>) -> Dynamic<'a> {
        // SAFETY: the caller guarantees it.
        let state = unsafe { info.p_dynamic_state.as_ref() };
        // SAFETY: the caller guarantees it.
        Dynamic(state.map_or(&[], |state| unsafe { slice(state.p_dynamic_states, state.dynamic_state_count) }))
    }

    fn has(&self, state: vk::DynamicState) -> bool {
        self.0.contains(&state)
    }

    /// Resets an ignored value.
    fn ignore<T: Default>(&self, state: vk::DynamicState, value: &mut T) {
        if self.has(state) {
            *value = T::default();
        }
    }
}

/// Writes an optional struct after `change`, without the structs of its chain that are `ignored`.
///
/// # Safety
/// The struct is valid before and after `change`.
unsafe fn changed<T: Copy + Encode>(
    state: *const T,
    ignored: &[(bool, vk::StructureType)],
    encoder: &mut Encoder<'_>,
    change: impl FnOnce(&mut T),
) {
    // SAFETY: the caller guarantees it.
    let copy = unsafe { state.as_ref() }.map(|state| {
        let mut copy = *state;
        change(&mut copy);
        copy
    });
    encoder.ignored = ignored.iter().filter(|(is_ignored, _)| *is_ignored).map(|(_, kind)| *kind).collect();
    // SAFETY: the caller guarantees it.
    unsafe { copy.as_ref().map_or(std::ptr::null(), std::ptr::from_ref).encode(encoder) };
    encoder.ignored.clear();
}

unsafe fn vertex_input(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let dynamic = Dynamic::of(info);
        if !dynamic.has(vk::DynamicState::VERTEX_INPUT_EXT) {
            let mut bindings = Vec::new();
            changed(info.p_vertex_input_state, &[], encoder, |state| {
                bindings = slice(state.p_vertex_binding_descriptions, state.vertex_binding_description_count).to_vec();
                for binding in &mut bindings {
                    dynamic.ignore(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE, &mut binding.stride);
                }
                state.p_vertex_binding_descriptions = bindings.as_ptr();
            });
        }
        changed(info.p_input_assembly_state, &[], encoder, |state| {
            dynamic.ignore(vk::DynamicState::PRIMITIVE_RESTART_ENABLE, &mut state.primitive_restart_enable);
        });
    }
}

unsafe fn stages(info: &vk::GraphicsPipelineCreateInfo<'_>, fragment: bool, encoder: &mut Encoder<'_>) {
    // SAFETY: the caller guarantees it.
    unsafe {
        let stages = slice(info.p_stages, info.stage_count);
        let mut stages: Vec<_> =
            stages.iter().filter(|stage| (stage.stage == vk::ShaderStageFlags::FRAGMENT) == fragment).collect();
        stages.sort_by_key(|stage| stage.stage.as_raw());
        for stage in stages {
            Stage(stage).encode(encoder);
        }
        // Both parts have the same views or subpass.
        info.render_pass.encode(encoder);
        info.subpass.encode(encoder);
        let rendering = find::<vk::PipelineRenderingCreateInfo<'_>>(info.p_next);
        rendering.map_or(0, |rendering| rendering.view_mask).encode(encoder);
    }
}

unsafe fn pre_rasterization(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    use vk::{DynamicState as State, StructureType as Type};
    // SAFETY: the caller guarantees it.
    unsafe {
        let dynamic = Dynamic::of(info);
        stages(info, false, encoder);
        changed(info.p_tessellation_state, &[], encoder, |state| {
            dynamic.ignore(State::PATCH_CONTROL_POINTS_EXT, &mut state.patch_control_points);
        });
        let clip = dynamic.has(State::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT);
        let clip = (clip, Type::PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT);
        changed(info.p_viewport_state, &[clip], encoder, |_| {});
        let ignored = [
            (dynamic.has(State::DEPTH_CLIP_ENABLE_EXT), Type::PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT),
            (
                dynamic.has(State::PROVOKING_VERTEX_MODE_EXT),
                Type::PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
            ),
        ];
        changed(info.p_rasterization_state, &ignored, encoder, |state| {
            dynamic.ignore(State::DEPTH_CLAMP_ENABLE_EXT, &mut state.depth_clamp_enable);
            dynamic.ignore(State::RASTERIZER_DISCARD_ENABLE, &mut state.rasterizer_discard_enable);
            dynamic.ignore(State::POLYGON_MODE_EXT, &mut state.polygon_mode);
            dynamic.ignore(State::CULL_MODE, &mut state.cull_mode);
            dynamic.ignore(State::FRONT_FACE, &mut state.front_face);
            dynamic.ignore(State::DEPTH_BIAS_ENABLE, &mut state.depth_bias_enable);
            dynamic.ignore(State::DEPTH_BIAS, &mut state.depth_bias_constant_factor);
            dynamic.ignore(State::DEPTH_BIAS, &mut state.depth_bias_clamp);
            dynamic.ignore(State::DEPTH_BIAS, &mut state.depth_bias_slope_factor);
            dynamic.ignore(State::LINE_WIDTH, &mut state.line_width);
        });
    }
}

unsafe fn fragment(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    use vk::DynamicState as State;
    // SAFETY: the caller guarantees it.
    unsafe {
        let dynamic = Dynamic::of(info);
        stages(info, true, encoder);
        changed(info.p_depth_stencil_state, &[], encoder, |state| {
            dynamic.ignore(State::DEPTH_TEST_ENABLE, &mut state.depth_test_enable);
            dynamic.ignore(State::DEPTH_WRITE_ENABLE, &mut state.depth_write_enable);
            dynamic.ignore(State::DEPTH_COMPARE_OP, &mut state.depth_compare_op);
            dynamic.ignore(State::DEPTH_BOUNDS_TEST_ENABLE, &mut state.depth_bounds_test_enable);
            dynamic.ignore(State::DEPTH_BOUNDS, &mut state.min_depth_bounds);
            dynamic.ignore(State::DEPTH_BOUNDS, &mut state.max_depth_bounds);
            dynamic.ignore(State::STENCIL_TEST_ENABLE, &mut state.stencil_test_enable);
            for side in [&mut state.front, &mut state.back] {
                dynamic.ignore(State::STENCIL_COMPARE_MASK, &mut side.compare_mask);
                dynamic.ignore(State::STENCIL_WRITE_MASK, &mut side.write_mask);
                dynamic.ignore(State::STENCIL_REFERENCE, &mut side.reference);
                dynamic.ignore(State::STENCIL_OP, &mut side.fail_op);
                dynamic.ignore(State::STENCIL_OP, &mut side.pass_op);
                dynamic.ignore(State::STENCIL_OP, &mut side.depth_fail_op);
                dynamic.ignore(State::STENCIL_OP, &mut side.compare_op);
            }
        });
    }
}

unsafe fn output(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    use vk::DynamicState as State;
    // SAFETY: the caller guarantees it.
    unsafe {
        let dynamic = Dynamic::of(info);
        changed(info.p_multisample_state, &[], encoder, |state| {
            // The size of the mask depends on the number of samples.
            if dynamic.has(State::SAMPLE_MASK_EXT) {
                state.p_sample_mask = std::ptr::null();
            }
            dynamic.ignore(State::RASTERIZATION_SAMPLES_EXT, &mut state.rasterization_samples);
            dynamic.ignore(State::ALPHA_TO_COVERAGE_ENABLE_EXT, &mut state.alpha_to_coverage_enable);
            dynamic.ignore(State::ALPHA_TO_ONE_ENABLE_EXT, &mut state.alpha_to_one_enable);
        });
        let mut attachments = Vec::new();
        changed(info.p_color_blend_state, &[], encoder, |state| {
            dynamic.ignore(State::LOGIC_OP_ENABLE_EXT, &mut state.logic_op_enable);
            dynamic.ignore(State::LOGIC_OP_EXT, &mut state.logic_op);
            dynamic.ignore(State::BLEND_CONSTANTS, &mut state.blend_constants);
            attachments = slice(state.p_attachments, state.attachment_count).to_vec();
            for attachment in &mut attachments {
                ignore_blend(&dynamic, attachment);
            }
            state.p_attachments = attachments.as_ptr();
        });
        info.render_pass.encode(encoder);
        info.subpass.encode(encoder);
        if let Some(formats) = find::<vk::PipelineRenderingCreateInfo<'_>>(info.p_next) {
            formats.color_attachment_count.encode(encoder);
            slice(formats.p_color_attachment_formats, formats.color_attachment_count).encode(encoder);
            formats.depth_attachment_format.encode(encoder);
            formats.stencil_attachment_format.encode(encoder);
        }
    }
}

fn ignore_blend(dynamic: &Dynamic<'_>, attachment: &mut vk::PipelineColorBlendAttachmentState) {
    use vk::DynamicState as State;
    dynamic.ignore(State::COLOR_BLEND_ENABLE_EXT, &mut attachment.blend_enable);
    dynamic.ignore(State::COLOR_WRITE_MASK_EXT, &mut attachment.color_write_mask);
    if dynamic.has(State::COLOR_BLEND_EQUATION_EXT) {
        let (blend_enable, color_write_mask) = (attachment.blend_enable, attachment.color_write_mask);
        *attachment = vk::PipelineColorBlendAttachmentState { blend_enable, color_write_mask, ..Default::default() };
    }
}

/// The number of sets, for each a number that is equal for layouts that are compatible up to that set, and whether the set has no
/// bindings; then the number of push constant ranges, and for each: stages, offset, size.
impl Encode for Layout {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.word(self.sets.len() as u64);
        let is_empty = |set: usize| self.layouts[set].as_ref().is_some_and(|layout| layout.bindings.is_empty());
        for set in 0..self.sets.len() {
            encoder.words.extend([self.compatibility(set), u64::from(is_empty(set))]);
        }
        encoder.word(self.ranges.len() as u64);
        for (stages, offset, size) in &self.ranges {
            encoder.words.extend([*stages, *offset, *size].map(u64::from));
        }
    }
}

/// The layout, followed by the words of its [`Layout`].
impl Encode for vk::PipelineLayout {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.handle(*self);
        let layout = encoder.state.objects.get(*self).cloned().unwrap_or_default();
        // SAFETY: the caller guarantees it.
        unsafe { layout.encode(encoder) };
    }
}

/// The pipeline; the number of dynamic states, and these; the number of vertex buffers that it reads, and their bindings; the
/// numbers of viewports and scissors; and the words of its [`Layout`].
impl Encode for vk::Pipeline {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.handle(*self);
        let Ok(pipeline) = encoder.state.objects.get(*self).cloned() else { return };
        let Pipeline { dynamic, bindings, rectangles, layout, .. } = pipeline;
        encoder.word(dynamic.len() as u64);
        encoder.words.extend(dynamic.iter().map(|state| *state as u64));
        encoder.word(bindings.len() as u64);
        encoder.words.extend(bindings.iter().copied().chain(rectangles).map(u64::from));
        // SAFETY: the caller guarantees it.
        unsafe { layout.encode(encoder) };
    }
}
