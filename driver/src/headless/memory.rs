//! Buffers that the host can read and write, and images that are filled from and read into such buffers.

use super::resource::{self, texel_size};
use super::submit::Commands;
use super::{Context, Error, Result};
use crate::device::handle::{Destroy, Owned};
use crate::device::Logical;
use ash::vk;
use std::sync::Arc;

/// A buffer of exactly as many bytes as it was given.
pub(super) struct Buffer {
    pub(super) handle: Owned<vk::Buffer>,
    memory: Owned<vk::DeviceMemory>,
    pub(super) size: usize,
}

impl Buffer {
    /// A buffer that holds `bytes`, of which there is at least one.
    pub(super) fn new(device: &Arc<Logical>, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Result<Buffer> {
        if bytes.is_empty() {
            return Err(Error::new("a buffer of no bytes"));
        }
        let info = vk::BufferCreateInfo::default().size(bytes.len() as u64).usage(usage);
        // SAFETY: the size is not 0.
        let handle = unsafe { device.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        let handle = Owned::new(device, handle);
        // SAFETY: the buffer is of this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(*handle) };
        let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // What shaders and draws access is near the device, if the host can reach it there: their time is not that of the bus.
        let accessed = vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        let near = match usage.intersects(accessed) {
            true => vk::MemoryPropertyFlags::DEVICE_LOCAL,
            false => vk::MemoryPropertyFlags::empty(),
        };
        let memory = allocate(device, needs, host | near).or_else(|_| allocate(device, needs, host))?;
        // SAFETY: the memory is of a type and size that the buffer takes, and is bound once.
        unsafe { device.raw.bind_buffer_memory(*handle, *memory, 0) }.during("vkBindBufferMemory")?;
        let mut buffer = Buffer { handle, memory, size: bytes.len() };
        buffer.with_bytes(device, |to| to.copy_from_slice(bytes))?;
        Ok(buffer)
    }

    /// The bytes, once the device is done with them.
    pub(super) fn read(&mut self, device: &Logical) -> Result<Vec<u8>> {
        self.with_bytes(device, |bytes| bytes.to_vec())
    }

    fn with_bytes<T>(&mut self, device: &Logical, work: impl FnOnce(&mut [u8]) -> T) -> Result<T> {
        let none = vk::MemoryMapFlags::empty();
        // SAFETY: the memory can be mapped, is not, and has at least `size` bytes.
        let data = unsafe { device.raw.map_memory(*self.memory, 0, vk::WHOLE_SIZE, none) }.during("vkMapMemory")?;
        // SAFETY: the mapping is of at least `size` bytes, which every pattern of bits is valid for; the device is not
        // at work, and this is the only mapping.
        let result = work(unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), self.size) });
        // SAFETY: mapped above.
        unsafe { device.raw.unmap_memory(*self.memory) };
        Ok(result)
    }
}

fn allocate(
    device: &Arc<Logical>,
    needs: vk::MemoryRequirements,
    properties: vk::MemoryPropertyFlags,
) -> Result<Owned<vk::DeviceMemory>> {
    let ty = device.memory_type(needs.memory_type_bits, properties)?;
    let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
    // SAFETY: the memory type is one of the device's.
    let memory = unsafe { device.raw.allocate_memory(&info, None) }.during("vkAllocateMemory")?;
    Ok(Owned::new(device, memory))
}

/// A view of a buffer as texels.
pub(super) fn buffer_view(device: &Arc<Logical>, buffer: &Buffer, format: vk::Format) -> Result<Owned<vk::BufferView>> {
    let info = vk::BufferViewCreateInfo::default().buffer(*buffer.handle).format(format).range(vk::WHOLE_SIZE);
    // SAFETY: the buffer is of this device.
    let view = unsafe { device.raw.create_buffer_view(&info, None) }.during("vkCreateBufferView")?;
    Ok(Owned::new(device, view))
}

/// An image, all of which one view shows.
pub(super) struct DeviceImage {
    pub(super) view: Owned<vk::ImageView>,
    pub(super) handle: Owned<vk::Image>,
    _memory: Owned<vk::DeviceMemory>,
    /// Where the contents come from and go to; `None` for images of several samples.
    staging: Option<Buffer>,
    regions: Vec<vk::BufferImageCopy>,
    aspect: vk::ImageAspectFlags,
}

impl DeviceImage {
    /// An image shaped like `image`, with its contents in staging.
    pub(super) fn new(
        device: &Arc<Logical>,
        image: &resource::Image,
        usage: vk::ImageUsageFlags,
    ) -> Result<DeviceImage> {
        let aspect = aspect(image.format);
        let handle = create(device, image, usage)?;
        // SAFETY: the image is of this device.
        let needs = unsafe { device.raw.get_image_memory_requirements(*handle) };
        let memory = allocate(device, needs, vk::MemoryPropertyFlags::empty())?;
        // SAFETY: the memory is of a type and size that the image takes, and is bound once.
        unsafe { device.raw.bind_image_memory(*handle, *memory, 0) }.during("vkBindImageMemory")?;
        let view = view(device, *handle, image, aspect)?;
        let (mut staging, regions) = (None, regions(image, aspect)?);
        if image.samples == vk::SampleCountFlags::TYPE_1 {
            let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
            staging = Some(Buffer::new(device, usage, &image.levels.concat())?);
        }
        Ok(DeviceImage { view, handle, _memory: memory, staging, regions, aspect })
    }

    /// Records the way into `layout`, with the contents unless the image is to be cleared.
    pub(super) fn upload(&self, commands: &Commands, layout: vk::ImageLayout) {
        self.transition(commands, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
        if let Some(staging) = &self.staging {
            let general = vk::ImageLayout::GENERAL;
            // SAFETY: the regions lie within both.
            unsafe {
                let (from, to) = (*staging.handle, *self.handle);
                commands.device.raw.cmd_copy_buffer_to_image(commands.buffer, from, to, general, &self.regions);
            }
        }
        self.transition(commands, vk::ImageLayout::GENERAL, layout);
    }

    /// Records the way of the contents back to the host from `layout`.
    pub(super) fn download(&self, commands: &Commands, layout: vk::ImageLayout) {
        let Some(staging) = &self.staging else { return };
        self.transition(commands, layout, vk::ImageLayout::GENERAL);
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: the regions lie within both.
        unsafe {
            let (from, to) = (*self.handle, *staging.handle);
            commands.device.raw.cmd_copy_image_to_buffer(commands.buffer, from, general, to, &self.regions);
        }
    }

    /// What was downloaded, all levels one behind the other.
    pub(super) fn read(&mut self, device: &Logical) -> Result<Vec<u8>> {
        self.staging.as_mut().map_or(Ok(Vec::new()), |staging| staging.read(device))
    }

    fn transition(&self, commands: &Commands, from: vk::ImageLayout, to: vk::ImageLayout) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(all)
            .dst_access_mask(all)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(*self.handle)
            .subresource_range(whole(self.aspect));
        let (stages, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: the buffer is recording, and not within a rendering; the image is in layout `from`.
        unsafe {
            commands.device.raw.cmd_pipeline_barrier(commands.buffer, stages, stages, none, &[], &[], &[barrier]);
        }
    }
}

fn create(device: &Arc<Logical>, image: &resource::Image, usage: vk::ImageUsageFlags) -> Result<Owned<vk::Image>> {
    use vk::ImageViewType as View;
    let [width, height, depth] = image.extent;
    let ty = match image.view {
        View::TYPE_1D | View::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
        View::TYPE_3D => vk::ImageType::TYPE_3D,
        _ => vk::ImageType::TYPE_2D,
    };
    let cube = matches!(image.view, View::CUBE | View::CUBE_ARRAY);
    let flags = if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() };
    let info = vk::ImageCreateInfo::default()
        .flags(flags)
        .image_type(ty)
        .format(image.format)
        .extent(vk::Extent3D { width, height, depth })
        .mip_levels(image.levels.len() as u32)
        .array_layers(image.layers)
        .samples(image.samples)
        .usage(usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    // SAFETY: the shape is the caller's; what a device cannot do is an error of this call.
    let handle = unsafe { device.raw.create_image(&info, None) }.during("vkCreateImage")?;
    Ok(Owned::new(device, handle))
}

fn view(
    device: &Arc<Logical>,
    handle: vk::Image,
    image: &resource::Image,
    aspect: vk::ImageAspectFlags,
) -> Result<Owned<vk::ImageView>> {
    // A sampled view shows depth or stencil, not both.
    let aspect = if aspect.contains(vk::ImageAspectFlags::DEPTH) { vk::ImageAspectFlags::DEPTH } else { aspect };
    let info = vk::ImageViewCreateInfo::default()
        .image(handle)
        .view_type(image.view)
        .format(image.format)
        .subresource_range(whole(aspect));
    // SAFETY: the image is of this device and has memory.
    let view = unsafe { device.raw.create_image_view(&info, None) }.during("vkCreateImageView")?;
    Ok(Owned::new(device, view))
}

/// Where each level stands in the bytes of an image, if there are as many bytes as it takes.
fn regions(image: &resource::Image, aspect: vk::ImageAspectFlags) -> Result<Vec<vk::BufferImageCopy>> {
    let texel = texel_size(image.format).ok_or_else(|| Error::new(format!("the format {:?}", image.format)))?;
    if image.levels.is_empty() || image.layers == 0 || image.extent.contains(&0) {
        return Err(Error::new("an image without texels"));
    }
    let mut offset = 0;
    let mut regions = Vec::new();
    for (level, bytes) in image.levels.iter().enumerate() {
        let [width, height, depth] = image.extent.map(|size| (size >> level).max(1));
        let size = [width, height, depth, image.layers].iter().fold(texel, |size, n| size * *n as usize);
        if image.samples == vk::SampleCountFlags::TYPE_1 && bytes.len() != size {
            return Err(Error::new(format!("level {level} of an image has {} bytes, not {size}", bytes.len())));
        }
        let layers =
            vk::ImageSubresourceLayers::default().aspect_mask(aspect).mip_level(level as u32).layer_count(image.layers);
        let extent = vk::Extent3D { width, height, depth };
        let region = vk::BufferImageCopy::default().buffer_offset(offset as u64).image_subresource(layers);
        regions.push(region.image_extent(extent));
        offset += size;
    }
    Ok(regions)
}

fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}

/// What the texels of a format are.
fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// A sampler or another object with a constructor of its own.
pub(super) fn owned<H: Destroy>(
    device: &Arc<Logical>,
    made: ash::prelude::VkResult<H>,
    call: &str,
) -> Result<Owned<H>> {
    Ok(Owned::new(device, made.during(call)?))
}
