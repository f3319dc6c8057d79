// SPDX-License-Identifier: MIT

//! Downloads to the host.
//!
//! A [`Download`] is recorded like a draw, and its bytes are valid once the device has executed it: after [`Context::finish`], or
//! a fence. [`Context::read_buffer`] and [`Context::read_texture`] wait for it.

use super::access::Use;
use super::copy::{check_bytes, check_samples};
use super::{Context, Region};
use crate::error::{Error, Result};
use crate::resource::{Buffer, BufferDescription, Texture, Usage};
use ash::vk;
use std::sync::Arc;

/// A requested download.
pub struct Download {
    /// `None` for no bytes.
    staging: Option<Arc<Buffer>>,
}

impl Download {
    /// The bytes. They are undefined before the device is done.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let Some(staging) = &self.staging else { return Ok(Vec::new()) };
        let mut bytes = vec![0; staging.size() as usize];
        match staging.storage().read(0, &mut bytes) {
            true => Ok(bytes),
            false => Err(Error::new("the host cannot read the staging memory")),
        }
    }
}

impl Context {
    /// Starts a download of a part of a buffer, with its contents after all recorded commands.
    pub fn download_buffer(&mut self, buffer: &Arc<Buffer>, offset: u64, size: u64) -> Result<Download> {
        check_bytes(buffer, offset, size)?;
        if size == 0 {
            return Ok(Download { staging: None });
        }
        let staging = self.staging(size)?;
        self.copy_buffer((&staging, 0), (buffer, offset), size)?;
        Ok(Download { staging: Some(staging) })
    }

    /// Starts a download of a part of a texture, in rows without gaps, with its contents after all recorded commands.
    pub fn download_texture(&mut self, texture: &Arc<Texture>, region: Region) -> Result<Download> {
        region.check(texture)?;
        check_samples(texture)?;
        let staging = self.staging(region.bytes(texture)?)?;
        self.begin_copy()?;
        let (from, to) = (texture.storage(), staging.storage());
        self.use_image(&from, Use::CopySource);
        self.use_buffer(&to, Use::CopyDestination);
        self.flush_barriers();
        let (image_subresource, image_offset, image_extent) = region.raw(texture);
        let copy = vk::BufferImageCopy { image_subresource, image_offset, image_extent, ..Default::default() };
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        // SAFETY: the buffer is recording, outside of a rendering; the region lies within both, which the batch keeps, and the
        // image is in this layout.
        unsafe { raw.cmd_copy_image_to_buffer(commands, *from.raw, layout, *to.raw, &[copy]) };
        self.after_copy();
        Ok(Download { staging: Some(staging) })
    }

    /// The bytes of a part of a buffer, after the device has executed all recorded commands.
    pub fn read_buffer(&mut self, buffer: &Arc<Buffer>, offset: u64, size: u64) -> Result<Vec<u8>> {
        let download = self.download_buffer(buffer, offset, size)?;
        self.finish()?;
        download.bytes()
    }

    /// The texels of a part of a texture, in rows without gaps, after the device has executed all recorded commands.
    pub fn read_texture(&mut self, texture: &Arc<Texture>, region: Region) -> Result<Vec<u8>> {
        let download = self.download_texture(texture, region)?;
        self.finish()?;
        download.bytes()
    }

    fn staging(&self, size: u64) -> Result<Arc<Buffer>> {
        self.create_buffer(BufferDescription { size, usage: Usage::Staging })
    }
}
