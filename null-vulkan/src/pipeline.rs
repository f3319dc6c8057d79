// SPDX-License-Identifier: MIT

//! Shader modules, layouts, caches, pipelines, render passes and framebuffers.

use crate::descriptor::{slice, SetLayout};
use crate::device::{create, destroy, Create};
use crate::dispatch::world;
use crate::encode::{code, graphics_parts, Encode, Encoder, Stage};
use crate::formats;
use crate::object::{hash, Content, Object};
use crate::queue::find;
use crate::table::{functions, Function};
use crate::State;
use ash::vk;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::ffi::c_void;
use std::sync::Arc;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkCreateShaderModule = create::<vk::ShaderModule>;
    PFN_vkDestroyShaderModule = destroy::<vk::ShaderModule>;
    PFN_vkCreatePipelineLayout = create::<vk::PipelineLayout>;
    PFN_vkDestroyPipelineLayout = destroy::<vk::PipelineLayout>;
    PFN_vkCreatePipelineCache = create::<vk::PipelineCache>;
    PFN_vkDestroyPipelineCache = destroy::<vk::PipelineCache>;
    PFN_vkGetPipelineCacheData = get_cache_data;
    PFN_vkMergePipelineCaches = merge_caches;
    PFN_vkCreateGraphicsPipelines = create_graphics_pipelines;
    PFN_vkCreateComputePipelines = create_compute_pipelines;
    PFN_vkDestroyPipeline = destroy::<vk::Pipeline>;
    PFN_vkCreateRenderPass = create::<vk::RenderPass>;
    PFN_vkCreateRenderPass2 = create_render_pass2;
    PFN_vkDestroyRenderPass = destroy::<vk::RenderPass>;
    PFN_vkGetRenderAreaGranularity = get_granularity;
    PFN_vkCreateFramebuffer = create::<vk::Framebuffer>;
    PFN_vkDestroyFramebuffer = destroy::<vk::Framebuffer>;
};

impl Object for vk::ShaderModule {
    type Data = ();
}

impl Create for vk::ShaderModule {
    type Info<'a> = vk::ShaderModuleCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, ()), vk::Result> {
        // SAFETY: the caller gives a valid struct.
        let words = unsafe { slice(info.p_code, (info.code_size / 4) as u32) };
        if words.first() != Some(&0x0723_0203) {
            state.report("vkCreateShaderModule: the code is not SPIR-V");
        }
        // SAFETY: as above.
        let content = if state.checks { Content::Hash(unsafe { code(info) }) } else { Content::Order };
        Ok((content, ()))
    }
}

/// The data of a pipeline layout. Without checks, it is empty.
#[derive(Clone, Default)]
pub(crate) struct Layout {
    /// The content number of each set's layout.
    pub(crate) sets: Vec<u64>,
    /// The sets' layouts. Libraries leave some out.
    pub(crate) layouts: Vec<Option<Arc<SetLayout>>>,
    /// Stages, offset and size.
    pub(crate) ranges: Vec<(u32, u32, u32)>,
}

impl Layout {
    /// A number that is equal for layouts that are compatible up to `set`.
    pub(crate) fn compatibility(&self, set: usize) -> u64 {
        let ranges = self.ranges.iter().flat_map(|range| [range.0, range.1, range.2].map(u64::from));
        hash(ranges.chain(self.sets.iter().copied().take(set + 1)))
    }
}

impl Object for vk::PipelineLayout {
    type Data = Layout;
}

impl Create for vk::PipelineLayout {
    type Info<'a> = vk::PipelineLayoutCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Layout), vk::Result> {
        let mut layout = Layout::default();
        // SAFETY: the caller gives a valid struct.
        for set in unsafe { slice(info.p_set_layouts, info.set_layout_count) } {
            let known = match *set == vk::DescriptorSetLayout::null() {
                true => None,
                false => state.get(*set, "vkCreatePipelineLayout").map(|known| Arc::clone(known)),
            };
            layout.sets.push(known.as_ref().map_or(0, |known| known.content));
            layout.layouts.push(known);
        }
        // SAFETY: as above.
        let ranges = unsafe { slice(info.p_push_constant_ranges, info.push_constant_range_count) };
        layout.ranges = ranges.iter().map(|range| (range.stage_flags.as_raw(), range.offset, range.size)).collect();
        layout.ranges.sort_unstable();
        // SAFETY: the layout contains no pointers.
        let content = state.content("vkCreatePipelineLayout", |encoder| unsafe { layout.encode(encoder) });
        Ok((content, layout))
    }
}

/// The data of a cache: the numbers of the pipelines that were created with it, or were in its initial data.
pub(crate) struct Cache {
    pipelines: BTreeSet<u64>,
}

impl Cache {
    fn bytes(&self) -> Vec<u8> {
        cache_head().into_iter().chain(self.pipelines.iter().flat_map(|number| number.to_ne_bytes())).collect()
    }
}

/// The header of every cache: see `VkPipelineCacheHeaderVersionOne`.
fn cache_head() -> Vec<u8> {
    let mut head = Vec::new();
    for word in [32_u32, 1, 0x10000, 0] {
        head.extend_from_slice(&word.to_ne_bytes());
    }
    head.extend_from_slice(b"ntv null caches1");
    head
}

impl Object for vk::PipelineCache {
    type Data = Cache;
}

impl Create for vk::PipelineCache {
    type Info<'a> = vk::PipelineCacheCreateInfo<'a>;

    unsafe fn create(_: &mut State, info: &Self::Info<'_>) -> Result<(Content, Cache), vk::Result> {
        // SAFETY: the caller gives a valid struct.
        let bytes = unsafe { slice(info.p_initial_data.cast::<u8>(), info.initial_data_size as u32) };
        // Data of other devices is ignored.
        let pipelines = bytes.strip_prefix(&*cache_head()).unwrap_or_default().chunks_exact(8);
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
        Ok((Content::Order, Cache { pipelines: pipelines.map(number).collect() }))
    }
}

unsafe extern "system" fn get_cache_data(
    device: vk::Device,
    cache: vk::PipelineCache,
    size: *mut usize,
    data: *mut c_void,
) -> vk::Result {
    let call = "vkGetPipelineCacheData";
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, call) }.lock();
    let bytes = state.get(cache, call).map_or(Vec::new(), |cache| cache.bytes());
    // SAFETY: the caller gives a size to write, and room for this number of bytes, or null.
    unsafe {
        if data.is_null() {
            *size = bytes.len();
            return vk::Result::SUCCESS;
        }
        if *size < bytes.len() {
            *size = 0;
            return vk::Result::INCOMPLETE;
        }
        *size = bytes.len();
        data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn merge_caches(
    device: vk::Device,
    to: vk::PipelineCache,
    count: u32,
    from: *const vk::PipelineCache,
) -> vk::Result {
    let call = "vkMergePipelineCaches";
    // SAFETY: the caller gives a device and an array.
    let (mut state, from) = unsafe { (world(device, call).lock(), slice(from, count)) };
    for cache in from {
        let pipelines = state.get(*cache, call).map(|cache| cache.pipelines.clone());
        if let (Some(pipelines), Some(to)) = (pipelines, state.get(to, call)) {
            to.pipelines.extend(pipelines);
        }
    }
    vk::Result::SUCCESS
}

/// The data of a pipeline. Without checks, it is empty.
#[derive(Clone, Default)]
pub(crate) struct Pipeline {
    /// The content numbers of its parts: vertex input, shaders before rasterization, the fragment shader, output.
    parts: [Option<u64>; 4],
    /// The states that are dynamic.
    pub(crate) dynamic: BTreeSet<i32>,
    /// The bindings of its vertex buffers.
    pub(crate) bindings: BTreeSet<u32>,
    /// The number of viewports and of scissors.
    pub(crate) rectangles: [u32; 2],
    pub(crate) layout: Layout,
}

impl Object for vk::Pipeline {
    type Data = Pipeline;
}

impl Create for vk::Pipeline {
    type Info<'a> = Infallible;

    unsafe fn create(_: &mut State, info: &Infallible) -> Result<(Content, Pipeline), vk::Result> {
        match *info {}
    }
}

impl State {
    /// A graphics pipeline, which may be a library or linked from libraries.
    ///
    /// # Safety
    /// `info` is valid.
    unsafe fn graphics(&mut self, info: &vk::GraphicsPipelineCreateInfo<'_>) -> (Content, Pipeline) {
        let call = "vkCreateGraphicsPipelines";
        let mut pipeline = Pipeline::default();
        // SAFETY: the caller guarantees it.
        unsafe {
            let libraries = find::<vk::PipelineLibraryCreateInfoKHR<'_>>(info.p_next);
            let libraries = libraries.map_or(&[][..], |all| slice(all.p_libraries, all.library_count));
            for library in libraries {
                let Some(library) = self.get(*library, call) else { continue };
                for (part, known) in pipeline.parts.iter_mut().zip(library.parts) {
                    *part = part.or(known);
                }
                pipeline.dynamic.extend(&library.dynamic);
                pipeline.bindings.extend(&library.bindings);
                pipeline.rectangles = std::array::from_fn(|i| pipeline.rectangles[i].max(library.rectangles[i]));
            }
            if let Some(input) = info.p_vertex_input_state.as_ref() {
                let bindings = slice(input.p_vertex_binding_descriptions, input.vertex_binding_description_count);
                pipeline.bindings.extend(bindings.iter().map(|binding| binding.binding));
            }
            if let Some(viewport) = info.p_viewport_state.as_ref() {
                pipeline.rectangles = [viewport.viewport_count, viewport.scissor_count];
            }
            let parts = match find::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>(info.p_next) {
                Some(parts) => parts.flags,
                None if libraries.is_empty() => vk::GraphicsPipelineLibraryFlagsEXT::from_raw(0b1111),
                None => vk::GraphicsPipelineLibraryFlagsEXT::empty(),
            };
            let own = graphics_parts(&mut Encoder::new(self, call), info, parts);
            for (part, own) in pipeline.parts.iter_mut().zip(own) {
                *part = own.or(*part);
            }
            if let Some(dynamic) = info.p_dynamic_state.as_ref() {
                let dynamic = slice(dynamic.p_dynamic_states, dynamic.dynamic_state_count);
                pipeline.dynamic.extend(dynamic.iter().map(|state| state.as_raw()));
            }
            // A library with only the vertex input needs no layout.
            if info.layout != vk::PipelineLayout::null() {
                pipeline.layout = self.get(info.layout, call).cloned().unwrap_or_default();
            }
            let mut encoder = Encoder::new(self, call);
            pipeline.layout.encode(&mut encoder);
            let words = encoder.words.into_iter().chain(pipeline.dynamic.iter().map(|state| *state as u64));
            let number = hash(words.chain(pipeline.parts.iter().map(|part| part.unwrap_or_default())));
            (Content::Hash(number), pipeline)
        }
    }

    /// A compute pipeline.
    ///
    /// # Safety
    /// `info` is valid.
    unsafe fn compute(&mut self, info: &vk::ComputePipelineCreateInfo<'_>) -> (Content, Pipeline) {
        let call = "vkCreateComputePipelines";
        let layout = self.get(info.layout, call).cloned().unwrap_or_default();
        // SAFETY: the caller guarantees it.
        let content = self.content(call, |encoder| unsafe {
            Stage(&info.stage).encode(encoder);
            layout.encode(encoder);
        });
        (content, Pipeline { layout, ..Pipeline::default() })
    }

    /// Creates a pipeline with a cache, if it is in the cache or compilation is allowed.
    fn add_pipeline(
        &mut self,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags,
        (content, pipeline): (Content, Pipeline),
    ) -> Result<vk::Pipeline, vk::Result> {
        let mut is_cached = false;
        if let (Content::Hash(number), true) = (&content, cache != vk::PipelineCache::null()) {
            let cache = self.get(cache, "vkCreate...Pipelines");
            is_cached = cache.is_some_and(|cache| !cache.pipelines.insert(*number));
        }
        if !is_cached && flags.contains(vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED) {
            return Err(vk::Result::PIPELINE_COMPILE_REQUIRED);
        }
        Ok(self.objects.add(content, pipeline))
    }
}

unsafe extern "system" fn create_graphics_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller gives a device, an array, and room for as many pipelines.
    unsafe {
        create_pipelines(device, cache, slice(infos, count), out, |state, info| match state.checks {
            true => (info.flags, state.graphics(info)),
            false => (info.flags, (Content::Order, Pipeline::default())),
        })
    }
}

unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller gives a device, an array, and room for as many pipelines.
    unsafe {
        create_pipelines(device, cache, slice(infos, count), out, |state, info| match state.checks {
            true => (info.flags, state.compute(info)),
            false => (info.flags, (Content::Order, Pipeline::default())),
        })
    }
}

/// Creates a pipeline from each of `infos`, whose content `make` returns.
///
/// # Safety
/// `out` has room for as many pipelines, and `make` may be called with each of `infos`.
unsafe fn create_pipelines<T>(
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: &[T],
    out: *mut vk::Pipeline,
    make: impl Fn(&mut State, &T) -> (vk::PipelineCreateFlags, (Content, Pipeline)),
) -> vk::Result {
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, "vkCreate...Pipelines") }.lock();
    let mut result = vk::Result::SUCCESS;
    for (i, info) in infos.iter().enumerate() {
        let (flags, made) = make(&mut state, info);
        let pipeline = state.add_pipeline(cache, flags, made).unwrap_or_else(|error| {
            result = error;
            vk::Pipeline::null()
        });
        // SAFETY: the caller guarantees it.
        unsafe { out.add(i).write(pipeline) };
    }
    result
}

/// An attachment of a render pass.
#[derive(Clone)]
pub(crate) struct Attachment {
    /// The aspects of its format; for color, `COLOR`.
    pub(crate) aspects: vk::ImageAspectFlags,
    pub(crate) is_cleared: bool,
}

impl Attachment {
    fn new(format: vk::Format, loads: [vk::AttachmentLoadOp; 2]) -> Attachment {
        use vk::ImageAspectFlags as Aspects;
        let aspects = match formats::is_depth_stencil(format) {
            false => Aspects::COLOR,
            true => [Aspects::DEPTH, Aspects::STENCIL]
                .into_iter()
                .zip(loads)
                .filter(|(_, load)| *load == vk::AttachmentLoadOp::CLEAR)
                .fold(Aspects::empty(), |all, (aspect, _)| all | aspect),
        };
        let is_cleared =
            if aspects == Aspects::COLOR { loads[0] == vk::AttachmentLoadOp::CLEAR } else { !aspects.is_empty() };
        Attachment { aspects, is_cleared }
    }
}

impl Object for vk::RenderPass {
    type Data = Vec<Attachment>;
}

impl Create for vk::RenderPass {
    type Info<'a> = vk::RenderPassCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Vec<Attachment>), vk::Result> {
        // SAFETY: the caller guarantees it.
        let content = state.content("vkCreateRenderPass", |encoder| unsafe { info.encode(encoder) });
        // SAFETY: as above.
        let attachments = unsafe { slice(info.p_attachments, info.attachment_count) };
        let attachment = |a: &vk::AttachmentDescription| Attachment::new(a.format, [a.load_op, a.stencil_load_op]);
        Ok((content, attachments.iter().map(attachment).collect()))
    }
}

unsafe extern "system" fn create_render_pass2(
    device: vk::Device,
    info: *const vk::RenderPassCreateInfo2<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::RenderPass,
) -> vk::Result {
    let call = "vkCreateRenderPass2";
    // SAFETY: the caller gives a device, a valid struct, and a handle to write.
    unsafe {
        let (mut state, info) = (world(device, call).lock(), &*info);
        let content = state.content(call, |encoder| info.encode(encoder));
        let attachments = slice(info.p_attachments, info.attachment_count);
        let attachment = |a: &vk::AttachmentDescription2<'_>| Attachment::new(a.format, [a.load_op, a.stencil_load_op]);
        *out = state.objects.add(content, attachments.iter().map(attachment).collect());
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_granularity(_: vk::Device, _: vk::RenderPass, out: *mut vk::Extent2D) {
    // SAFETY: the caller gives pointers to write.
    unsafe { *out = vk::Extent2D { width: 1, height: 1 } };
}

impl Object for vk::Framebuffer {
    type Data = Vec<vk::ImageView>;
}

impl Create for vk::Framebuffer {
    type Info<'a> = vk::FramebufferCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Vec<vk::ImageView>), vk::Result> {
        // SAFETY: the caller guarantees it.
        let content = state.content("vkCreateFramebuffer", |encoder| unsafe { info.encode(encoder) });
        let views = match info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS) {
            true => &[],
            // SAFETY: as above.
            false => unsafe { slice(info.p_attachments, info.attachment_count) },
        };
        Ok((content, views.to_vec()))
    }
}
