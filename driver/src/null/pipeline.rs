//! Shader modules, layouts, caches, pipelines, render passes and framebuffers.

use super::descriptor::slice;
use super::device::{create, destroy, Create};
use super::dispatch::world;
use super::object::{Content, Object};
use super::table::{functions, Function};
use super::State;
use ash::vk;
use std::ffi::c_void;

pub(super) const FUNCTIONS: &[Function] = functions! {
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
        Ok((Content::Order, ()))
    }
}

impl Object for vk::PipelineLayout {
    type Data = ();
}

impl Create for vk::PipelineLayout {
    type Info<'a> = vk::PipelineLayoutCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, ()), vk::Result> {
        // SAFETY: the caller gives a valid struct.
        for layout in unsafe { slice(info.p_set_layouts, info.set_layout_count) } {
            // Libraries leave out what other libraries have.
            if *layout != vk::DescriptorSetLayout::null() {
                state.get(*layout, "vkCreatePipelineLayout");
            }
        }
        Ok((Content::Order, ()))
    }
}

/// What is kept of a cache: the bytes that it was made from or had merged into it.
pub(super) struct Cache {
    bytes: Vec<u8>,
}

/// What every cache's data begins with: see `VkPipelineCacheHeaderVersionOne`.
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
        // What is not a cache of this device is ignored.
        let bytes = if bytes.starts_with(&cache_head()) { bytes.to_vec() } else { cache_head() };
        Ok((Content::Order, Cache { bytes }))
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
    let bytes = state.get(cache, call).map_or(&[][..], |cache| &cache.bytes);
    // SAFETY: the caller gives a size to write, and room for as many bytes as it says, or null.
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
        let head = cache_head().len();
        let bytes = state.get(*cache, call).map(|cache| cache.bytes[head..].to_vec());
        if let (Some(bytes), Some(to)) = (bytes, state.get(to, call)) {
            to.bytes.extend_from_slice(&bytes);
        }
    }
    vk::Result::SUCCESS
}

/// What is kept of a pipeline.
pub(super) struct Pipeline {}

impl Object for vk::Pipeline {
    type Data = Pipeline;
}

impl Create for vk::Pipeline {
    type Info<'a> = ();

    unsafe fn create(_: &mut State, (): &()) -> Result<(Content, Pipeline), vk::Result> {
        Ok((Content::Order, Pipeline {}))
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
    let call = "vkCreateGraphicsPipelines";
    // SAFETY: the caller gives a device, an array, and room for as many pipelines.
    let (mut state, infos) = unsafe { (world(device, call).lock(), slice(infos, count)) };
    if cache != vk::PipelineCache::null() {
        state.get(cache, call);
    }
    for (i, _) in infos.iter().enumerate() {
        let pipeline = state.objects.add(Content::Order, Pipeline {});
        // SAFETY: as above.
        unsafe { out.add(i).write(pipeline) };
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let call = "vkCreateComputePipelines";
    // SAFETY: the caller gives a device, an array, and room for as many pipelines.
    let (mut state, infos) = unsafe { (world(device, call).lock(), slice(infos, count)) };
    if cache != vk::PipelineCache::null() {
        state.get(cache, call);
    }
    for (i, _) in infos.iter().enumerate() {
        let pipeline = state.objects.add(Content::Order, Pipeline {});
        // SAFETY: as above.
        unsafe { out.add(i).write(pipeline) };
    }
    vk::Result::SUCCESS
}

impl Object for vk::RenderPass {
    type Data = ();
}

impl Create for vk::RenderPass {
    type Info<'a> = vk::RenderPassCreateInfo<'a>;

    unsafe fn create(_: &mut State, _: &Self::Info<'_>) -> Result<(Content, ()), vk::Result> {
        Ok((Content::Order, ()))
    }
}

unsafe extern "system" fn create_render_pass2(
    device: vk::Device,
    _: *const vk::RenderPassCreateInfo2<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: the caller gives a device, and a handle to write.
    unsafe { *out = world(device, "vkCreateRenderPass2").lock().objects.add(Content::Order, ()) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_granularity(_: vk::Device, _: vk::RenderPass, out: *mut vk::Extent2D) {
    // SAFETY: the caller's to write.
    unsafe { *out = vk::Extent2D { width: 1, height: 1 } };
}

impl Object for vk::Framebuffer {
    type Data = ();
}

impl Create for vk::Framebuffer {
    type Info<'a> = vk::FramebufferCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, ()), vk::Result> {
        state.get(info.render_pass, "vkCreateFramebuffer");
        if !info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS) {
            // SAFETY: the caller gives a valid struct.
            for view in unsafe { slice(info.p_attachments, info.attachment_count) } {
                state.get(*view, "vkCreateFramebuffer");
            }
        }
        Ok((Content::Order, ()))
    }
}
