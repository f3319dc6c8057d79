//! Parts of buffers in descriptors: several can be of one buffer.

use super::memory::Buffer;
use super::resource::Part;
use super::{Error, Result};
use crate::device::Logical;
use ash::vk;
use std::mem::size_of;
use std::rc::Rc;
use std::sync::Arc;

/// A part of a buffer that is on the device.
pub(super) struct BoundPart {
    buffer: Rc<Buffer>,
    offset: u64,
    len: u64,
}

impl BoundPart {
    /// The buffer that it is of.
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// What the descriptor is written with.
    pub(super) fn info(&self) -> vk::DescriptorBufferInfo {
        vk::DescriptorBufferInfo { buffer: *self.buffer.handle, offset: self.offset, range: self.len }
    }
}

/// A buffer that draws take vertices or indices from.
pub(super) struct InputBuffer {
    pub(super) buffer: Rc<Buffer>,
    pub(super) offset: u64,
}

/// The buffers that parts were made of so far, by what the parts have.
#[derive(Default)]
pub(super) struct SharedBuffers {
    list: Vec<(Rc<[u8]>, Rc<Buffer>)>,
}

impl SharedBuffers {
    /// Puts the buffer of `part` on the device, unless it is there, for a descriptor of this kind.
    pub(super) fn bind(&mut self, device: &Arc<Logical>, kind: vk::DescriptorType, part: &Part) -> Result<BoundPart> {
        check(&device.limits, kind, part)?;
        let buffer = self.buffer(device, &part.bytes)?;
        Ok(BoundPart { buffer, offset: part.offset as u64, len: part.len as u64 })
    }

    /// The buffer that has a command, of an indexed draw or another, and where it begins there.
    pub(super) fn command(
        &mut self,
        device: &Arc<Logical>,
        part: &Part,
        is_indexed: bool,
    ) -> Result<(vk::Buffer, u64)> {
        let Part { bytes, offset, len } = part;
        let size = match is_indexed {
            true => size_of::<vk::DrawIndexedIndirectCommand>(),
            false => size_of::<vk::DrawIndirectCommand>(),
        };
        let is_command = *len == size && offset.is_multiple_of(4);
        if !is_command || offset.checked_add(*len).is_none_or(|end| end > bytes.len()) {
            return Err(Error::new(format!("a command of {len} bytes at {offset}, of {}", bytes.len())));
        }
        Ok((*self.buffer(device, bytes)?.handle, *offset as u64))
    }

    /// Where `bytes` are on the device: in the buffer that has them, or in a new one for `usage`.
    pub(super) fn input(
        &self,
        device: &Arc<Logical>,
        usage: vk::BufferUsageFlags,
        bytes: &[u8],
    ) -> Result<InputBuffer> {
        let range = bytes.as_ptr_range();
        let within = |all: &[u8]| all.as_ptr_range().start <= range.start && range.end <= all.as_ptr_range().end;
        match self.list.iter().find(|(known, _)| !bytes.is_empty() && within(known)) {
            Some((known, buffer)) => {
                let offset = range.start as usize - known.as_ptr() as usize;
                Ok(InputBuffer { buffer: Rc::clone(buffer), offset: offset as u64 })
            }
            None => Ok(InputBuffer { buffer: Rc::new(Buffer::new(device, usage, bytes)?), offset: 0 }),
        }
    }

    /// The whole buffer that holds `bytes`.
    pub(super) fn whole(&mut self, device: &Arc<Logical>, bytes: &Rc<[u8]>) -> Result<BoundPart> {
        Ok(BoundPart { buffer: self.buffer(device, bytes)?, offset: 0, len: bytes.len() as u64 })
    }

    /// The buffer that holds `bytes`; it is made if there is none yet.
    pub(super) fn buffer(&mut self, device: &Arc<Logical>, bytes: &Rc<[u8]>) -> Result<Rc<Buffer>> {
        if let Some((_, buffer)) = self.list.iter().find(|(known, _)| Rc::ptr_eq(known, bytes)) {
            return Ok(Rc::clone(buffer));
        }
        let usage = vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let buffer = Rc::new(Buffer::new(device, usage, bytes)?);
        self.list.push((Rc::clone(bytes), Rc::clone(&buffer)));
        Ok(buffer)
    }
}

/// Whether the part lies in the buffer, and the device can bind it there.
fn check(limits: &vk::PhysicalDeviceLimits, kind: vk::DescriptorType, part: &Part) -> Result<()> {
    let (alignment, most) = match kind {
        vk::DescriptorType::UNIFORM_BUFFER => {
            (limits.min_uniform_buffer_offset_alignment, limits.max_uniform_buffer_range)
        }
        _ => (limits.min_storage_buffer_offset_alignment, limits.max_storage_buffer_range),
    };
    let Part { bytes, offset, len } = part;
    if *len == 0 || offset.checked_add(*len).is_none_or(|end| end > bytes.len()) {
        return Err(Error::new(format!("{len} bytes from {offset} on, of a buffer of {}", bytes.len())));
    }
    if !(*offset as u64).is_multiple_of(alignment) {
        return Err(Error::new(format!("a {kind:?} that starts at {offset}, which is not a multiple of {alignment}")));
    }
    if *len as u64 > u64::from(most) {
        return Err(Error::new(format!("a {kind:?} of {len} bytes, where the device has {most} at most")));
    }
    Ok(())
}
