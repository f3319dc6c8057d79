// SPDX-License-Identifier: MIT

//! Copies: between resources, and from the host.

use super::access::Use;
use super::{Context, Dirty};
use crate::error::{Error, Result};
use crate::format::{aspects, FormatInfo};
use crate::resource::{Buffer, ImageStorage, Texture, TextureTarget};
use ash::vk;
use std::sync::Arc;

/// A box of texels of a level: x, y, and z or the first layer; width, height, and depth or layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The level.
    pub level: u32,
    /// The first texel.
    pub offset: [u32; 3],
    /// Its size.
    pub size: [u32; 3],
}

impl Region {
    /// A whole level of `texture`.
    pub fn of_level(texture: &Texture, level: u32) -> Region {
        let description = texture.description();
        let [width, height, depth] = description.level_size(level);
        let last = if description.target == TextureTarget::Texture3D { depth } else { description.layers };
        Region { level, offset: [0; 3], size: [width, height, last] }
    }

    /// Returns an error if it does not lie within `texture`.
    pub(super) fn check(&self, texture: &Texture) -> Result<()> {
        let description = texture.description();
        let all = Region::of_level(texture, self.level.min(description.levels));
        let within = |axis: usize| {
            let end = self.offset[axis].checked_add(self.size[axis]);
            self.size[axis] > 0 && end.is_some_and(|end| end <= all.size[axis])
        };
        match self.level < description.levels && (0..3).all(within) {
            true => Ok(()),
            false => Err(Error::new(format!("{self:?} does not fit a texture of {:?}", description.size))),
        }
    }

    pub(super) fn bytes(&self, texture: &Texture) -> Result<u64> {
        let format = texture.description().format;
        let info = FormatInfo::of(format).ok_or_else(|| Error::new(format!("the size of {format:?} is unknown")))?;
        let texels = self.size.iter().try_fold(1u64, |all, size| all.checked_mul(u64::from(*size)));
        let bytes = texels.and_then(|texels| texels.checked_mul(info.bytes.into()));
        bytes.ok_or_else(|| Error::new("the number of bytes is too large"))
    }

    /// Converts it to Vulkan's form: layers, offset, extent.
    pub(super) fn raw(&self, texture: &Texture) -> (vk::ImageSubresourceLayers, vk::Offset3D, vk::Extent3D) {
        let [x, y, z] = self.offset;
        let [width, height, depth] = self.size;
        let is_3d = texture.description().target == TextureTarget::Texture3D;
        let all = crate::format::aspects(texture.description().format);
        // A copy of bytes has depth or stencil, not both.
        let aspect = if all.contains(vk::ImageAspectFlags::DEPTH) { vk::ImageAspectFlags::DEPTH } else { all };
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: aspect,
            mip_level: self.level,
            base_array_layer: if is_3d { 0 } else { z },
            layer_count: if is_3d { 1 } else { depth },
        };
        let offset = vk::Offset3D { x: x as i32, y: y as i32, z: if is_3d { z as i32 } else { 0 } };
        (layers, offset, vk::Extent3D { width, height, depth: if is_3d { depth } else { 1 } })
    }
}

/// A copy that scales or resolves: Gallium's `pipe_blit_info`.
#[derive(Clone, Debug)]
pub struct Blit {
    /// The source.
    pub src: Arc<Texture>,
    /// The part of the source.
    pub src_region: Region,
    /// The destination.
    pub dst: Arc<Texture>,
    /// The part of the destination.
    pub dst_region: Region,
    /// Whether the image is flipped: in x, in y.
    pub flip: [bool; 2],
    /// Whether texels are interpolated.
    pub linear: bool,
}

impl Context {
    /// Overwrites bytes of a buffer. Earlier commands still read the old ones.
    pub fn buffer_subdata(&mut self, buffer: &Arc<Buffer>, offset: u64, bytes: &[u8]) -> Result<()> {
        let size = bytes.len() as u64;
        check_bytes(buffer, offset, size)?;
        if size == 0 {
            return Ok(());
        }
        let storage = buffer.storage();
        // Only the buffer and this function have a reference: no batch does.
        let is_idle = Arc::strong_count(&storage) == 2;
        if is_idle && storage.write(offset, bytes) {
            return Ok(());
        }
        if size == buffer.size() && storage.mapped().is_some() {
            let new = buffer.replace_storage()?;
            self.counters.replaced_storages += 1;
            if new.write(0, bytes) {
                return Ok(());
            }
        }
        self.begin_copy()?;
        let place = self.upload(bytes, size, 4)?;
        let storage = buffer.storage();
        self.use_buffer(&storage, Use::CopyDestination);
        self.flush_barriers();
        let regions = [vk::BufferCopy { src_offset: place.offset, dst_offset: offset, size }];
        let (from, to) = (*place.storage.raw, *storage.raw);
        // SAFETY: the buffer is recording, outside of a rendering; both parts lie within their buffers, which the batch keeps.
        unsafe { self.device.raw.cmd_copy_buffer(self.batch.commands, from, to, &regions) };
        self.after_copy();
        Ok(())
    }

    /// Overwrites texels. `bytes` has rows without gaps.
    pub fn texture_subdata(&mut self, texture: &Arc<Texture>, region: Region, bytes: &[u8]) -> Result<()> {
        region.check(texture)?;
        check_samples(texture)?;
        let size = region.bytes(texture)?;
        if size != bytes.len() as u64 {
            return Err(Error::new(format!("{} bytes were given for texels of {size} bytes", bytes.len())));
        }
        self.begin_copy()?;
        let place = self.upload(bytes, size, 16)?;
        let storage = texture.storage();
        self.use_image(&storage, Use::CopyDestination);
        self.flush_barriers();
        let (layers, image_offset, image_extent) = region.raw(texture);
        let copy = vk::BufferImageCopy {
            buffer_offset: place.offset,
            image_subresource: layers,
            image_offset,
            image_extent,
            ..Default::default()
        };
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let (from, to) = (*place.storage.raw, *storage.raw);
        // SAFETY: as for buffers; the barrier has brought the image into this layout.
        unsafe { self.device.raw.cmd_copy_buffer_to_image(self.batch.commands, from, to, layout, &[copy]) };
        self.after_copy();
        Ok(())
    }

    /// Copies bytes from one buffer to another, or within a buffer.
    pub fn copy_buffer(
        &mut self,
        (dst, dst_offset): (&Arc<Buffer>, u64),
        (src, src_offset): (&Arc<Buffer>, u64),
        size: u64,
    ) -> Result<()> {
        check_bytes(src, src_offset, size)?;
        check_bytes(dst, dst_offset, size)?;
        let overlaps = src_offset < dst_offset + size && dst_offset < src_offset + size;
        if Arc::ptr_eq(src, dst) && overlaps {
            return Err(Error::new("the source and the destination of a copy must not overlap"));
        }
        if size == 0 {
            return Ok(());
        }
        self.begin_copy()?;
        let (from, to) = (src.storage(), dst.storage());
        self.use_buffer(&from, if Arc::ptr_eq(src, dst) { Use::CopyDestination } else { Use::CopySource });
        self.use_buffer(&to, Use::CopyDestination);
        self.flush_barriers();
        let regions = [vk::BufferCopy { src_offset, dst_offset, size }];
        // SAFETY: as above.
        unsafe { self.device.raw.cmd_copy_buffer(self.batch.commands, *from.raw, *to.raw, &regions) };
        self.after_copy();
        Ok(())
    }

    /// Copies texels without conversion: Gallium's `resource_copy_region`. The texels of both formats have the same size.
    pub fn resource_copy_region(
        &mut self,
        dst: &Arc<Texture>,
        (level, offset): (u32, [u32; 3]),
        src: &Arc<Texture>,
        src_region: Region,
    ) -> Result<()> {
        let dst_region = Region { level, offset, size: src_region.size };
        src_region.check(src)?;
        dst_region.check(dst)?;
        let bytes = |texture: &Arc<Texture>| FormatInfo::of(texture.description().format).map(|info| info.bytes);
        if bytes(src) != bytes(dst) || src.description().samples != dst.description().samples {
            return Err(Error::new("a copy needs two textures with texels of the same size"));
        }
        self.begin_copy()?;
        let (from, to) = (src.storage(), dst.storage());
        let [from_layout, to_layout] = self.use_pair(&from, &to);
        self.flush_barriers();
        let (src_subresource, src_offset, extent) = src_region.raw(src);
        let (dst_subresource, dst_offset, _) = dst_region.raw(dst);
        let copy = [vk::ImageCopy { src_subresource, src_offset, dst_subresource, dst_offset, extent }];
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        // SAFETY: the buffer is recording, outside of a rendering; both regions lie within their images, which are in these layouts.
        unsafe { raw.cmd_copy_image(commands, *from.raw, from_layout, *to.raw, to_layout, &copy) };
        self.after_copy();
        Ok(())
    }

    /// Copies texels, scaled and converted; resolves a multisampled texture if the destination has one sample.
    pub fn blit(&mut self, blit: &Blit) -> Result<()> {
        let Blit { src, src_region, dst, dst_region, flip, linear } = blit;
        src_region.check(src)?;
        dst_region.check(dst)?;
        let samples = [src, dst].map(|texture| texture.description().samples);
        if samples[1] != 1 || samples[0] != 1 && (src_region.size != dst_region.size || *flip != [false; 2]) {
            return Err(Error::new("a blit of samples needs a destination with one sample, and cannot scale or flip"));
        }
        if samples[0] != 1 && aspects(src.description().format) != vk::ImageAspectFlags::COLOR {
            return Err(Error::new("a blit cannot resolve depth or stencil"));
        }
        self.begin_copy()?;
        let (from, to) = (src.storage(), dst.storage());
        let [from_layout, to_layout] = self.use_pair(&from, &to);
        self.flush_barriers();
        let (src_subresource, src_offset, src_extent) = src_region.raw(src);
        let (dst_subresource, dst_offset, dst_extent) = dst_region.raw(dst);
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        match samples {
            [1, 1] => {
                let corners = |offset: vk::Offset3D, extent: vk::Extent3D| {
                    let end = vk::Offset3D {
                        x: offset.x + extent.width as i32,
                        y: offset.y + extent.height as i32,
                        z: offset.z + extent.depth as i32,
                    };
                    [offset, end]
                };
                let mut dst_offsets = corners(dst_offset, dst_extent);
                if flip[0] {
                    let [first, second] = &mut dst_offsets;
                    std::mem::swap(&mut first.x, &mut second.x);
                }
                if flip[1] {
                    let [first, second] = &mut dst_offsets;
                    std::mem::swap(&mut first.y, &mut second.y);
                }
                let src_offsets = corners(src_offset, src_extent);
                let region = [vk::ImageBlit { src_subresource, src_offsets, dst_subresource, dst_offsets }];
                let filter = if *linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
                // SAFETY: as for copies.
                unsafe { raw.cmd_blit_image(commands, *from.raw, from_layout, *to.raw, to_layout, &region, filter) };
            }
            _ => {
                let extent = src_extent;
                let region = [vk::ImageResolve { src_subresource, src_offset, dst_subresource, dst_offset, extent }];
                // SAFETY: as for copies.
                unsafe { raw.cmd_resolve_image(commands, *from.raw, from_layout, *to.raw, to_layout, &region) };
            }
        }
        self.after_copy();
        Ok(())
    }

    /// Creates each level of `texture` from the previous one: Gallium's `generate_mipmap`.
    pub fn generate_mipmap(&mut self, texture: &Arc<Texture>) -> Result<()> {
        for level in 1..texture.description().levels {
            self.blit(&Blit {
                src: Arc::clone(texture),
                src_region: Region::of_level(texture, level - 1),
                dst: Arc::clone(texture),
                dst_region: Region::of_level(texture, level),
                flip: [false; 2],
                linear: true,
            })?;
        }
        Ok(())
    }

    /// Gives a texture new memory with undefined texels: Gallium's `invalidate_resource`. The device may continue to use the old
    /// memory. Contexts that have the texture bound use the new memory from now on.
    pub fn invalidate_texture(&mut self, texture: &Arc<Texture>) -> Result<()> {
        texture.replace_storage()?;
        self.counters.replaced_storages += 1;
        Ok(())
    }

    /// Gives a buffer new memory with undefined bytes.
    pub fn invalidate_buffer(&mut self, buffer: &Arc<Buffer>) -> Result<()> {
        buffer.replace_storage()?;
        self.counters.replaced_storages += 1;
        Ok(())
    }

    /// Fills a part of a buffer with a word: Gallium's `clear_buffer`. The part consists of whole words.
    pub fn clear_buffer(&mut self, buffer: &Arc<Buffer>, offset: u64, size: u64, word: u32) -> Result<()> {
        check_bytes(buffer, offset, size)?;
        if !offset.is_multiple_of(4) || !size.is_multiple_of(4) {
            return Err(Error::new(format!("{size} bytes at {offset} are not whole words")));
        }
        if size == 0 {
            return Ok(());
        }
        self.begin_copy()?;
        let storage = buffer.storage();
        self.use_buffer(&storage, Use::CopyDestination);
        self.flush_barriers();
        // SAFETY: as above.
        unsafe { self.device.raw.cmd_fill_buffer(self.batch.commands, *storage.raw, offset, size, word) };
        self.after_copy();
        Ok(())
    }

    /// Records the uses for a copy from an image to another, or to itself; returns their layouts.
    fn use_pair(&mut self, from: &Arc<ImageStorage>, to: &Arc<ImageStorage>) -> [vk::ImageLayout; 2] {
        if from.id == to.id {
            self.use_image(from, Use::CopyWithin);
            return [vk::ImageLayout::GENERAL; 2];
        }
        self.use_image(from, Use::CopySource);
        self.use_image(to, Use::CopyDestination);
        [vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL]
    }

    /// Submits the recorded commands if the batch is long, and ends the rendering. Both must precede the uses of a copy: pending
    /// clears are recorded first.
    pub(super) fn begin_copy(&mut self) -> Result<()> {
        self.device.check_lost()?;
        self.flush_if_long()?;
        self.end_rendering();
        self.current.is_settled = false;
        Ok(())
    }

    pub(super) fn after_copy(&mut self) {
        self.counters.commands += 1;
        self.batch.draws += 1;
        self.force(Dirty::Accesses);
    }
}

pub(super) fn check_bytes(buffer: &Buffer, offset: u64, size: u64) -> Result<()> {
    match offset.checked_add(size).is_some_and(|end| end <= buffer.size()) {
        true => Ok(()),
        false => Err(Error::new(format!(
            "a range of {size} bytes at {offset} is not valid in a buffer of {} bytes",
            buffer.size()
        ))),
    }
}

pub(super) fn check_samples(texture: &Texture) -> Result<()> {
    match texture.description().samples {
        1 => Ok(()),
        samples => Err(Error::new(format!("a texture of {samples} samples cannot be copied to or from bytes"))),
    }
}
