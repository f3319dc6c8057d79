// SPDX-License-Identifier: MIT

//! Creates Vulkan pipelines from descriptions: whole pipelines, or libraries of one part each.

use super::desc::{MultisampleWord, PipelineDesc, RasterizerWord, Word};
use super::elements::Input;
use super::VertexElements;
use crate::context::BlendState;
use crate::device::handle::Owned;
use crate::device::{DynamicState, Logical};
use crate::error::{Context as _, Error, Result};
use crate::format::aspects;
use crate::program::{stage_flags, Program};
use ash::vk;
use ntv::module::ShaderStage;
use std::sync::Arc;

/// The modules of a pipeline, by stage.
pub(crate) type StageModules = Vec<(ShaderStage, Arc<Owned<vk::ShaderModule>>)>;

/// The objects that belong to the numbers of a description.
pub(crate) struct Source<'a> {
    pub(crate) desc: &'a PipelineDesc,
    /// The render pass, if the pipeline is for a render pass object.
    pub(crate) pass: Option<vk::RenderPass>,
    pub(crate) program: &'a Program,
    pub(crate) modules: &'a StageModules,
    pub(crate) blend: &'a BlendState,
    pub(crate) elements: &'a VertexElements,
}

/// The parts that a pipeline is linked from (VK_EXT_graphics_pipeline_library).
pub(crate) const PARTS: [vk::GraphicsPipelineLibraryFlagsEXT; 4] = [
    vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE,
    vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS,
    vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_SHADER,
    vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_OUTPUT_INTERFACE,
];

/// States that are dynamic on every device: those of Vulkan 1.0 to 1.3.
pub(crate) const ALWAYS_DYNAMIC: &[vk::DynamicState] = &[
    vk::DynamicState::VIEWPORT_WITH_COUNT,
    vk::DynamicState::SCISSOR_WITH_COUNT,
    vk::DynamicState::LINE_WIDTH,
    vk::DynamicState::DEPTH_BIAS,
    vk::DynamicState::BLEND_CONSTANTS,
    vk::DynamicState::STENCIL_COMPARE_MASK,
    vk::DynamicState::STENCIL_WRITE_MASK,
    vk::DynamicState::STENCIL_REFERENCE,
    vk::DynamicState::CULL_MODE,
    vk::DynamicState::FRONT_FACE,
    vk::DynamicState::PRIMITIVE_TOPOLOGY,
    vk::DynamicState::DEPTH_TEST_ENABLE,
    vk::DynamicState::DEPTH_WRITE_ENABLE,
    vk::DynamicState::DEPTH_COMPARE_OP,
    vk::DynamicState::DEPTH_BOUNDS_TEST_ENABLE,
    vk::DynamicState::DEPTH_BOUNDS,
    vk::DynamicState::STENCIL_TEST_ENABLE,
    vk::DynamicState::STENCIL_OP,
    vk::DynamicState::RASTERIZER_DISCARD_ENABLE,
    vk::DynamicState::DEPTH_BIAS_ENABLE,
    vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
];

/// The dynamic states of the vertex input, which pipelines of mesh shaders must not have.
const INPUT_STATES: [vk::DynamicState; 4] = [
    vk::DynamicState::PRIMITIVE_TOPOLOGY,
    vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
    vk::DynamicState::VERTEX_INPUT_EXT,
    vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE,
];

/// The dynamic states of a pipeline. A part has no state that depends on words on which the part does not depend.
fn dynamic_states(
    device: &Logical,
    source: &Source<'_>,
    part: Option<vk::GraphicsPipelineLibraryFlagsEXT>,
) -> Vec<vk::DynamicState> {
    use vk::GraphicsPipelineLibraryFlagsEXT as Parts;
    let mut list = ALWAYS_DYNAMIC.to_vec();
    let samples = MultisampleWord::unpack(source.desc.get(Word::Multisample));
    let shades = Parts::FRAGMENT_SHADER | Parts::FRAGMENT_OUTPUT_INTERFACE;
    let kept = |state: &DynamicState| match state {
        DynamicState::PatchControlPoints => source.program.has_tessellation,
        // lavapipe 22.3 has no sample shading if the number of samples is dynamic.
        DynamicState::Samples => samples.min_samples == 0 && shades.contains(part.unwrap_or(shades)),
        _ => true,
    };
    list.extend(device.dynamic.iter().filter(kept).map(DynamicState::raw));
    let has_input = part.is_none_or(|part| part == Parts::VERTEX_INPUT_INTERFACE);
    if has_input && source.desc.get(Word::VertexElements) != 0 {
        list.push(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
    }
    if source.program.has_meshes {
        list.retain(|state| !INPUT_STATES.contains(state));
    }
    list
}

/// Creates the pipeline of `source`: a whole pipeline, or the library of one of [`PARTS`].
pub(crate) fn graphics(
    device: &Arc<Logical>,
    cache: vk::PipelineCache,
    source: &Source<'_>,
    part: Option<vk::GraphicsPipelineLibraryFlagsEXT>,
) -> Result<Owned<vk::Pipeline>> {
    let desc = source.desc;
    let stages = source.modules.iter().filter(|(stage, _)| has_stage(part, *stage));
    let stages: Vec<_> = stages.map(|stage| stage_info(source.program, stage)).collect();
    let input = static_input(source);
    let mut divisors =
        vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&input.divisors);
    let mut vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&input.bindings)
        .vertex_attribute_descriptions(&input.attributes);
    if !input.divisors.is_empty() && device.features.instance_divisor {
        vertex_input = vertex_input.push_next(&mut divisors);
    }
    let topology = vk::PrimitiveTopology::from_raw(desc.get(Word::Topology) as i32);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
    // The origin of GL's tessellation coordinates is the lower left.
    let mut origin = vk::PipelineTessellationDomainOriginStateCreateInfo::default()
        .domain_origin(vk::TessellationDomainOrigin::LOWER_LEFT);
    let tessellation = vk::PipelineTessellationStateCreateInfo::default()
        .patch_control_points(desc.get(Word::PatchVertices).max(1))
        .push_next(&mut origin);
    let rasterizer = RasterizerWord::unpack(desc.get(Word::Rasterizer));
    let (mut rasterization, mut depth_clip, mut provoking) = rasterization(rasterizer);
    if device.features.depth_clip_enable {
        rasterization = rasterization.push_next(&mut depth_clip);
    }
    if device.input.provokes_last {
        rasterization = rasterization.push_next(&mut provoking);
    }
    let mut clip = vk::PipelineViewportDepthClipControlCreateInfoEXT::default()
        .negative_one_to_one(rasterizer.negative_one_to_one != 0);
    let mut viewport = vk::PipelineViewportStateCreateInfo::default();
    if device.features.depth_clip_control {
        viewport = viewport.push_next(&mut clip);
    }
    let mask = [desc.get(Word::SampleMask)];
    let samples = MultisampleWord::unpack(desc.get(Word::Multisample));
    let multisample = multisample(device, samples, &mask);
    let depth_stencil = vk::PipelineDepthStencilStateCreateInfo::default();
    let state = static_blend(source);
    let attachments: Vec<_> = (0..desc.colors().len()).map(|color| blend_attachment(&state, color)).collect();
    let blend = color_blend(device, &state, &attachments);
    let dynamic = dynamic_states(device, source, part);
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let formats: Vec<vk::Format> = desc.colors().iter().map(|format| vk::Format::from_raw(*format as i32)).collect();
    let is_output = part.is_none_or(|part| part == vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_OUTPUT_INTERFACE);
    let mut rendering = if is_output { rendering(desc, &formats) } else { Default::default() };
    let mut library = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(part.unwrap_or_default());
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth_stencil)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(*source.program.layout.raw);
    info = match source.pass {
        Some(pass) => info.render_pass(pass),
        None => info.push_next(&mut rendering),
    };
    if source.program.has_tessellation {
        info = info.tessellation_state(&tessellation);
    }
    if part.is_some() {
        let flags =
            vk::PipelineCreateFlags::LIBRARY_KHR | vk::PipelineCreateFlags::RETAIN_LINK_TIME_OPTIMIZATION_INFO_EXT;
        info = info.flags(flags).push_next(&mut library);
    }
    create(device, cache, &info)
}

/// The static vertex input. A description has no dynamic state, so no pipeline has it.
fn static_input(source: &Source<'_>) -> Input {
    match source.desc.get(Word::VertexElements) {
        0 => Input::default(),
        _ => source.elements.input(),
    }
}

/// The static part of the blend state, as in [`static_input`].
fn static_blend(source: &Source<'_>) -> BlendState {
    match source.desc.get(Word::Blend) {
        0 => BlendState::default(),
        _ => *source.blend,
    }
}

fn color_blend<'a>(
    device: &Logical,
    state: &BlendState,
    attachments: &'a [vk::PipelineColorBlendAttachmentState],
) -> vk::PipelineColorBlendStateCreateInfo<'a> {
    vk::PipelineColorBlendStateCreateInfo::default()
        .attachments(attachments)
        .logic_op_enable(state.logicop.is_some() && device.core.logic_op == vk::TRUE)
        .logic_op(state.logicop.unwrap_or(vk::LogicOp::COPY))
}

/// Whether the part of a pipeline, or the whole one, has the shader of a stage.
fn has_stage(part: Option<vk::GraphicsPipelineLibraryFlagsEXT>, stage: ShaderStage) -> bool {
    let own = match stage {
        ShaderStage::Fragment => vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_SHADER,
        _ => vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS,
    };
    part.is_none_or(|part| part == own)
}

/// The rasterization state with the state of its extensions.
fn rasterization(
    word: RasterizerWord,
) -> (
    vk::PipelineRasterizationStateCreateInfo<'static>,
    vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'static>,
    vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'static>,
) {
    let provoking = provoking_mode(word);
    (
        vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(vk::PolygonMode::from_raw(word.polygon_mode as i32))
            .depth_clamp_enable(word.depth_clamp != 0)
            .line_width(1.0),
        vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default().depth_clip_enable(word.depth_clip != 0),
        vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default().provoking_vertex_mode(provoking),
    )
}

/// The provoking vertex of a primitive.
pub(crate) fn provoking_mode(word: RasterizerWord) -> vk::ProvokingVertexModeEXT {
    match word.provoking_last {
        0 => vk::ProvokingVertexModeEXT::FIRST_VERTEX,
        _ => vk::ProvokingVertexModeEXT::LAST_VERTEX,
    }
}

/// Links a pipeline from the libraries of all [`PARTS`].
pub(crate) fn link(
    device: &Arc<Logical>,
    cache: vk::PipelineCache,
    program: &Program,
    libraries: &[vk::Pipeline; 4],
) -> Result<Owned<vk::Pipeline>> {
    let mut libraries = vk::PipelineLibraryCreateInfoKHR::default().libraries(libraries);
    let info = vk::GraphicsPipelineCreateInfo::default().layout(*program.layout.raw).push_next(&mut libraries);
    create(device, cache, &info)
}

/// Creates the pipeline of a compute program.
pub(crate) fn compute(
    device: &Arc<Logical>,
    cache: vk::PipelineCache,
    program: &Program,
    modules: &StageModules,
) -> Result<Owned<vk::Pipeline>> {
    let stage = modules.first().ok_or_else(|| Error::new("the compute program has no shader"))?;
    let info = vk::ComputePipelineCreateInfo::default().stage(stage_info(program, stage)).layout(*program.layout.raw);
    // SAFETY: the module has one compute shader with this name, and the layout has its resources.
    let made = unsafe { device.raw.create_compute_pipelines(cache, &[info], None) };
    let made = made.map_err(|(_, result)| result).during("vkCreateComputePipelines")?;
    first(device, made)
}

fn create(
    device: &Arc<Logical>,
    cache: vk::PipelineCache,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
) -> Result<Owned<vk::Pipeline>> {
    // SAFETY: all data that `info` points to outlives the call; the modules are valid, the layout has their resources, and the
    // list of dynamic states has only states that the device supports.
    let made = unsafe { device.raw.create_graphics_pipelines(cache, std::slice::from_ref(info), None) };
    let made = made.map_err(|(_, result)| result).during("vkCreateGraphicsPipelines")?;
    first(device, made)
}

fn first(device: &Arc<Logical>, made: Vec<vk::Pipeline>) -> Result<Owned<vk::Pipeline>> {
    let raw = made.first().copied().filter(|raw| *raw != vk::Pipeline::null());
    Ok(Owned::new(device, raw.ok_or_else(|| Error::new("the driver made no pipeline"))?))
}

fn stage_info<'a>(
    program: &'a Program,
    (stage, module): &(ShaderStage, Arc<Owned<vk::ShaderModule>>),
) -> vk::PipelineShaderStageCreateInfo<'a> {
    let name = program.entry(*stage);
    vk::PipelineShaderStageCreateInfo::default().stage(stage_flags(*stage)).module(***module).name(name)
}

fn multisample<'a>(
    device: &Logical,
    samples: MultisampleWord,
    mask: &'a [u32; 1],
) -> vk::PipelineMultisampleStateCreateInfo<'a> {
    let count = samples.samples.max(1);
    let shading = samples.min_samples > 0 && device.core.sample_rate_shading == vk::TRUE;
    let info = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::from_raw(count))
        .sample_shading_enable(shading)
        .min_sample_shading((samples.min_samples as f32 / count as f32).min(1.0))
        .alpha_to_coverage_enable(samples.alpha_to_coverage != 0)
        .alpha_to_one_enable(samples.alpha_to_one != 0 && device.core.alpha_to_one == vk::TRUE);
    match device.dynamic.has(DynamicState::SampleMask) {
        true => info,
        false => info.sample_mask(mask),
    }
}

fn rendering<'a>(desc: &PipelineDesc, formats: &'a [vk::Format]) -> vk::PipelineRenderingCreateInfo<'a> {
    let depth_stencil = vk::Format::from_raw(desc.get(Word::DepthStencil) as i32);
    let aspects =
        if depth_stencil == vk::Format::UNDEFINED { vk::ImageAspectFlags::empty() } else { aspects(depth_stencil) };
    let with = |aspect| if aspects.contains(aspect) { depth_stencil } else { vk::Format::UNDEFINED };
    vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(formats)
        .depth_attachment_format(with(vk::ImageAspectFlags::DEPTH))
        .stencil_attachment_format(with(vk::ImageAspectFlags::STENCIL))
}

/// The blend state of attachment `color`.
fn blend_attachment(blend: &BlendState, color: usize) -> vk::PipelineColorBlendAttachmentState {
    let row = blend.row(color);
    vk::PipelineColorBlendAttachmentState {
        blend_enable: row.blend_enable.into(),
        src_color_blend_factor: row.rgb.1,
        dst_color_blend_factor: row.rgb.2,
        color_blend_op: row.rgb.0,
        src_alpha_blend_factor: row.alpha.1,
        dst_alpha_blend_factor: row.alpha.2,
        alpha_blend_op: row.alpha.0,
        color_write_mask: row.colormask,
    }
}
