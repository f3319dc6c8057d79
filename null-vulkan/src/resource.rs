// SPDX-License-Identifier: MIT

//! Buffers, images, their views, and samplers.

use crate::device::{create, destroy, Create};
use crate::dispatch::world;
use crate::encode::Encode;
use crate::formats;
use crate::instance::give;
use crate::memory::{requirements, Bytes};
use crate::object::{Content, Object};
use crate::table::{functions, Function};
use crate::State;
use ash::vk;
use std::sync::Arc;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkCreateBuffer = create::<vk::Buffer>;
    PFN_vkDestroyBuffer = destroy::<vk::Buffer>;
    PFN_vkGetBufferMemoryRequirements = get_buffer_requirements;
    PFN_vkGetBufferMemoryRequirements2 = get_buffer_requirements2;
    PFN_vkGetDeviceBufferMemoryRequirements = get_device_buffer_requirements;
    PFN_vkBindBufferMemory = bind_buffer_memory;
    PFN_vkBindBufferMemory2 = bind_buffer_memory2;
    PFN_vkGetBufferDeviceAddress = get_buffer_device_address;
    PFN_vkCreateImage = create::<vk::Image>;
    PFN_vkDestroyImage = destroy::<vk::Image>;
    PFN_vkGetImageMemoryRequirements = get_image_requirements;
    PFN_vkGetImageMemoryRequirements2 = get_image_requirements2;
    PFN_vkGetDeviceImageMemoryRequirements = get_device_image_requirements;
    PFN_vkGetImageSparseMemoryRequirements = get_sparse_requirements;
    PFN_vkBindImageMemory = bind_image_memory;
    PFN_vkBindImageMemory2 = bind_image_memory2;
    PFN_vkGetImageSubresourceLayout = get_image_subresource_layout;
    PFN_vkCreateBufferView = create::<vk::BufferView>;
    PFN_vkDestroyBufferView = destroy::<vk::BufferView>;
    PFN_vkCreateImageView = create::<vk::ImageView>;
    PFN_vkDestroyImageView = destroy::<vk::ImageView>;
    PFN_vkCreateSampler = create::<vk::Sampler>;
    PFN_vkDestroySampler = destroy::<vk::Sampler>;
};

/// The memory of a resource.
#[derive(Clone)]
pub(crate) struct BoundMemory {
    pub(crate) memory: vk::DeviceMemory,
    pub(crate) bytes: Arc<Bytes>,
    pub(crate) offset: u64,
}

/// The data of a buffer.
pub(crate) struct Buffer {
    pub(crate) size: u64,
    pub(crate) place: Option<BoundMemory>,
}

impl Object for vk::Buffer {
    type Data = Buffer;
}

impl Create for vk::Buffer {
    type Info<'a> = vk::BufferCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Buffer), vk::Result> {
        if info.size == 0 || info.usage.is_empty() {
            state.report("vkCreateBuffer: the buffer has no bytes or no usage");
        }
        Ok((Content::Order, Buffer { size: info.size, place: None }))
    }
}

/// The data of an image.
pub(crate) struct Image {
    size: u64,
    row: u64,
    pub(crate) place: Option<BoundMemory>,
}

impl Object for vk::Image {
    type Data = Image;
}

impl Create for vk::Image {
    type Info<'a> = vk::ImageCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Image), vk::Result> {
        if info.mip_levels == 0 || info.array_layers == 0 || info.extent.width == 0 || info.usage.is_empty() {
            state.report("vkCreateImage: the image has no texels or no usage");
        }
        let (size, row) = image_size(info);
        Ok((Content::Order, Image { size, row, place: None }))
    }
}

/// The approximate number of bytes of an image, and of its first row.
fn image_size(info: &vk::ImageCreateInfo<'_>) -> (u64, u64) {
    let block = if formats::is_compressed(info.format) { 4 } else { 1 };
    let row = u64::from(info.extent.width.div_ceil(block)) * formats::size(info.format);
    let level = row * u64::from(info.extent.height.div_ceil(block)) * u64::from(info.extent.depth);
    let one = level * u64::from(info.array_layers) * u64::from(info.samples.as_raw().max(1));
    // All smaller levels together are smaller than the first, except for images of few dimensions.
    (if info.mip_levels > 1 { one * 2 } else { one }.max(1), row)
}

impl Object for vk::BufferView {
    type Data = vk::Buffer;
}

impl Create for vk::BufferView {
    type Info<'a> = vk::BufferViewCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, vk::Buffer), vk::Result> {
        // SAFETY: the caller guarantees it.
        let content = state.content("vkCreateBufferView", |encoder| unsafe { info.encode(encoder) });
        Ok((content, info.buffer))
    }
}

impl Object for vk::ImageView {
    type Data = vk::Image;
}

impl Create for vk::ImageView {
    type Info<'a> = vk::ImageViewCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, vk::Image), vk::Result> {
        // SAFETY: the caller guarantees it.
        let content = state.content("vkCreateImageView", |encoder| unsafe { info.encode(encoder) });
        Ok((content, info.image))
    }
}

impl Object for vk::Sampler {
    type Data = ();
}

impl Create for vk::Sampler {
    type Info<'a> = vk::SamplerCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, ()), vk::Result> {
        // SAFETY: the caller guarantees it.
        let content = state.content("vkCreateSampler", |encoder| unsafe { info.encode(encoder) });
        Ok((content, ()))
    }
}

unsafe extern "system" fn get_buffer_requirements(
    device: vk::Device,
    buffer: vk::Buffer,
    out: *mut vk::MemoryRequirements,
) {
    // SAFETY: the caller gives a device, and a struct to write.
    unsafe {
        let mut state = world(device, "vkGetBufferMemoryRequirements").lock();
        let size = state.get(buffer, "vkGetBufferMemoryRequirements").map_or(0, |buffer| buffer.size);
        *out = requirements(size, 16);
    }
}

unsafe extern "system" fn get_buffer_requirements2(
    device: vk::Device,
    info: *const vk::BufferMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller gives a device, a valid struct, and a struct to write.
    unsafe { get_buffer_requirements(device, (*info).buffer, &raw mut (*out).memory_requirements) };
}

unsafe extern "system" fn get_device_buffer_requirements(
    _: vk::Device,
    info: *const vk::DeviceBufferMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller gives a valid struct, and a struct to write.
    unsafe { (*out).memory_requirements = requirements((*(*info).p_create_info).size, 16) };
}

unsafe extern "system" fn get_image_requirements(
    device: vk::Device,
    image: vk::Image,
    out: *mut vk::MemoryRequirements,
) {
    // SAFETY: the caller gives a device, and a struct to write.
    unsafe {
        let mut state = world(device, "vkGetImageMemoryRequirements").lock();
        let size = state.get(image, "vkGetImageMemoryRequirements").map_or(0, |image| image.size);
        *out = requirements(size, 64);
    }
}

unsafe extern "system" fn get_image_requirements2(
    device: vk::Device,
    info: *const vk::ImageMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller gives a device, a valid struct, and a struct to write.
    unsafe { get_image_requirements(device, (*info).image, &raw mut (*out).memory_requirements) };
}

unsafe extern "system" fn get_device_image_requirements(
    _: vk::Device,
    info: *const vk::DeviceImageMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller gives a valid struct, and a struct to write.
    unsafe { (*out).memory_requirements = requirements(image_size(&*(*info).p_create_info).0, 64) };
}

unsafe extern "system" fn get_sparse_requirements(
    _: vk::Device,
    _: vk::Image,
    count: *mut u32,
    out: *mut vk::SparseImageMemoryRequirements,
) {
    // SAFETY: the caller gives pointers to write.
    let _ = unsafe { give(std::iter::empty(), count, out) };
}

impl State {
    /// The memory of a resource of `size` bytes; reports a message if it does not fit.
    fn place(&mut self, call: &str, (memory, offset): (vk::DeviceMemory, u64), size: u64) -> Option<BoundMemory> {
        let known = self.get(memory, call)?;
        let fits = offset.checked_add(size).is_some_and(|end| end <= known.size);
        let place = fits.then(|| BoundMemory { memory, bytes: Arc::clone(&known.bytes), offset });
        if place.is_none() {
            self.report(format!("{call}: {size} bytes do not fit at {offset}"));
        }
        place
    }

    /// Records that a resource has memory.
    fn bind(&mut self, call: &str, bound: bool) {
        if bound {
            self.report(format!("{call}: the resource already has memory"));
        }
    }
}

unsafe extern "system" fn bind_buffer_memory(
    device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: u64,
) -> vk::Result {
    let call = "vkBindBufferMemory";
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, call) }.lock();
    if let Some(&mut Buffer { size, ref place }) = state.get(buffer, call) {
        let bound = place.is_some();
        state.bind(call, bound);
        let place = state.place(call, (memory, offset), size);
        if let Some(buffer) = state.get(buffer, call) {
            buffer.place = place;
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn bind_buffer_memory2(
    device: vk::Device,
    count: u32,
    infos: *const vk::BindBufferMemoryInfo<'_>,
) -> vk::Result {
    for i in 0..count as usize {
        // SAFETY: the caller gives a device and an array.
        unsafe {
            let info = &*infos.add(i);
            let _ = bind_buffer_memory(device, info.buffer, info.memory, info.memory_offset);
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn bind_image_memory(
    device: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: u64,
) -> vk::Result {
    let call = "vkBindImageMemory";
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, call) }.lock();
    if let Some(&mut Image { size, ref place, .. }) = state.get(image, call) {
        let bound = place.is_some();
        state.bind(call, bound);
        let place = state.place(call, (memory, offset), size);
        if let Some(image) = state.get(image, call) {
            image.place = place;
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn bind_image_memory2(
    device: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    for i in 0..count as usize {
        // SAFETY: the caller gives a device and an array.
        unsafe {
            let info = &*infos.add(i);
            let _ = bind_image_memory(device, info.image, info.memory, info.memory_offset);
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_buffer_device_address(
    device: vk::Device,
    info: *const vk::BufferDeviceAddressInfo<'_>,
) -> vk::DeviceAddress {
    let call = "vkGetBufferDeviceAddress";
    // SAFETY: the caller gives a device and a valid struct.
    let (mut state, buffer) = unsafe { (world(device, call).lock(), (*info).buffer) };
    let place = state.get(buffer, call).and_then(|buffer| buffer.place.clone());
    place.and_then(|place| place.bytes.at(place.offset, 0)).map_or(0, |at| at as u64)
}

unsafe extern "system" fn get_image_subresource_layout(
    device: vk::Device,
    image: vk::Image,
    _: *const vk::ImageSubresource,
    out: *mut vk::SubresourceLayout,
) {
    let call = "vkGetImageSubresourceLayout";
    // SAFETY: the caller gives a device, and a struct to write.
    let (mut state, out) = unsafe { (world(device, call).lock(), &mut *out) };
    *out = vk::SubresourceLayout::default();
    if let Some(image) = state.get(image, call) {
        (out.size, out.row_pitch, out.array_pitch, out.depth_pitch) = (image.size, image.row, image.size, image.size);
    }
}
