//! Pipelines and their layouts.

use super::super::descriptor::slice;
use super::super::object::hash;
use super::super::pipeline::{Layout, Pipeline};
use super::super::queue::find;
use super::{Encode, Encoder, Text};
use ash::vk;
use std::collections::BTreeMap;

/// A shader stage of a pipeline.
pub(in crate::null) struct Stage<'a>(pub(in crate::null) &'a vk::PipelineShaderStageCreateInfo<'a>);

/// The words of a shader module as one word.
pub(in crate::null) unsafe fn code(info: &vk::ShaderModuleCreateInfo<'_>) -> u64 {
    // SAFETY: as asked of the caller.
    hash(unsafe { slice(info.p_code, (info.code_size / 4) as u32) }.iter().copied().map(u64::from))
}

impl Encode for Stage<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        let info = self.0;
        // SAFETY: as asked of the caller.
        unsafe {
            info.flags.encode(encoder);
            info.stage.encode(encoder);
            // The code may come in the chain.
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
    // SAFETY: as asked of the caller.
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

/// The hashes of the four parts that a graphics pipeline can be made of, for those that are in `info` itself.
///
/// # Safety
/// `info` is valid.
pub(in crate::null) unsafe fn graphics_parts(
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
            // SAFETY: as asked of the caller.
            unsafe { write(info, encoder) };
            hash(std::mem::take(&mut encoder.words))
        })
    })
}

unsafe fn vertex_input(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    // SAFETY: as asked of the caller.
    unsafe {
        info.p_vertex_input_state.encode(encoder);
        info.p_input_assembly_state.encode(encoder);
    }
}

unsafe fn stages(info: &vk::GraphicsPipelineCreateInfo<'_>, fragment: bool, encoder: &mut Encoder<'_>) {
    // SAFETY: as asked of the caller.
    unsafe {
        let stages = slice(info.p_stages, info.stage_count);
        let mut stages: Vec<_> =
            stages.iter().filter(|stage| (stage.stage == vk::ShaderStageFlags::FRAGMENT) == fragment).collect();
        stages.sort_by_key(|stage| stage.stage.as_raw());
        for stage in stages {
            Stage(stage).encode(encoder);
        }
        // Both parts are for the same views or subpass.
        info.render_pass.encode(encoder);
        info.subpass.encode(encoder);
        let rendering = find::<vk::PipelineRenderingCreateInfo<'_>>(info.p_next);
        rendering.map_or(0, |rendering| rendering.view_mask).encode(encoder);
    }
}

unsafe fn pre_rasterization(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    // SAFETY: as asked of the caller.
    unsafe {
        stages(info, false, encoder);
        info.p_tessellation_state.encode(encoder);
        info.p_viewport_state.encode(encoder);
        info.p_rasterization_state.encode(encoder);
    }
}

unsafe fn fragment(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    // SAFETY: as asked of the caller.
    unsafe {
        stages(info, true, encoder);
        info.p_depth_stencil_state.encode(encoder);
    }
}

unsafe fn output(info: &vk::GraphicsPipelineCreateInfo<'_>, encoder: &mut Encoder<'_>) {
    // SAFETY: as asked of the caller.
    unsafe {
        info.p_multisample_state.encode(encoder);
        info.p_color_blend_state.encode(encoder);
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

/// How many sets a layout has, for each a number that is the same in layouts that are compatible as far as that set, and whether the set has
/// no bindings; then how many ranges of push constants, and these: stages, offset, size.
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

/// As its [`Layout`] is written.
impl Encode for vk::PipelineLayout {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.content(*self);
        let layout = encoder.state.objects.get(*self).cloned().unwrap_or_default();
        // SAFETY: as asked of the caller.
        unsafe { layout.encode(encoder) };
    }
}

/// The pipeline; how many states are dynamic, and these; how many vertex buffers it reads, and their bindings; how many viewports and
/// scissors it has; and the layout as [`Layout`] is written.
impl Encode for vk::Pipeline {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.handle(*self);
        let Ok(pipeline) = encoder.state.objects.get(*self).cloned() else { return };
        let Pipeline { dynamic, bindings, rectangles, layout, .. } = pipeline;
        encoder.word(dynamic.len() as u64);
        encoder.words.extend(dynamic.iter().map(|state| *state as u64));
        encoder.word(bindings.len() as u64);
        encoder.words.extend(bindings.iter().copied().chain(rectangles).map(u64::from));
        // SAFETY: as asked of the caller.
        unsafe { layout.encode(encoder) };
    }
}
