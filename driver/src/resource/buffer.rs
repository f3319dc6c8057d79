// SPDX-License-Identifier: MIT

//! Buffers.

use super::{unique_id, ResourceMemory};
use crate::context::Dirty;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use crate::state::Subject;
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// The usage of a resource: Gallium's `pipe_resource_usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Usage {
    /// The device reads and writes it, the host rarely does.
    #[default]
    Default,
    /// The host writes it often, the device reads it.
    Stream,
    /// The device writes it, the host reads it.
    Staging,
}

impl Usage {
    fn location(self) -> MemoryLocation {
        match self {
            Usage::Default => MemoryLocation::GpuOnly,
            Usage::Stream => MemoryLocation::CpuToGpu,
            Usage::Staging => MemoryLocation::GpuToCpu,
        }
    }
}

/// The parameters of a new buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescription {
    /// The number of bytes; not 0.
    pub size: u64,
    /// The usage.
    pub usage: Usage,
}

/// Bytes that contexts bind, as vertices, indices, uniforms, storage, texels, parameters of draws, or captures.
pub struct Buffer {
    device: Arc<Logical>,
    description: BufferDescription,
    storage: Mutex<Arc<BufferStorage>>,
    /// The contexts that have it bound.
    pub(crate) subject: Subject<Dirty>,
}

impl Buffer {
    pub(crate) fn new(device: &Arc<Logical>, description: BufferDescription) -> Result<Arc<Buffer>> {
        let storage = BufferStorage::new(device, description)?;
        Ok(Arc::new(Buffer {
            device: Arc::clone(device),
            description,
            storage: Mutex::new(Arc::new(storage)),
            subject: Subject::new(),
        }))
    }

    /// The number of bytes.
    pub fn size(&self) -> u64 {
        self.description.size
    }

    /// The description with which it was created.
    pub fn description(&self) -> BufferDescription {
        self.description
    }

    /// The number of contexts that are notified when its storage is replaced.
    pub fn observers(&self) -> usize {
        self.subject.len()
    }

    /// The address of its first byte on the device, for shaders; `None` without the feature `bufferDeviceAddress`.
    pub fn device_address(&self) -> Option<u64> {
        self.storage().device_address(&self.device)
    }

    /// The storage that later commands use.
    pub(crate) fn storage(&self) -> Arc<BufferStorage> {
        Arc::clone(&self.storage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the storage by a new one with undefined contents, and notifies the contexts that have it bound.
    pub(crate) fn replace_storage(&self) -> Result<Arc<BufferStorage>> {
        let new = Arc::new(BufferStorage::new(&self.device, self.description)?);
        *self.storage.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&new);
        self.subject.notify();
        Ok(new)
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("description", &self.description).finish_non_exhaustive()
    }
}

/// The format, first byte, and number of bytes of a texel view.
pub(crate) type TexelKey = (vk::Format, u64, u64);

/// A Vulkan buffer with its memory.
pub(crate) struct BufferStorage {
    /// Declared before the buffer, so that they are destroyed before it.
    texels: Mutex<Vec<(TexelKey, Owned<vk::BufferView>)>>,
    pub(crate) raw: Owned<vk::Buffer>,
    memory: ResourceMemory,
    pub(crate) size: u64,
    pub(crate) id: u64,
}

impl BufferStorage {
    pub(crate) fn new(device: &Arc<Logical>, description: BufferDescription) -> Result<BufferStorage> {
        if description.size == 0 {
            return Err(Error::new("a buffer must have at least one byte"));
        }
        let mut usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        if device.feedback.is_some() {
            usage |= vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT
                | vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
        }
        if device.has_addresses {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default().size(description.size).usage(usage);
        // SAFETY: the size is not 0, and the device supports the usage.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        let raw = Owned::new(device, raw);
        // SAFETY: the buffer belongs to this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(*raw) };
        let memory = ResourceMemory::new(device, needs, description.usage.location(), true)?;
        let (block, offset) = memory.place();
        // SAFETY: the memory has a type and size that the buffer accepts, and is bound once.
        unsafe { device.raw.bind_buffer_memory(*raw, block, offset) }.during("vkBindBufferMemory")?;
        Ok(BufferStorage { texels: Mutex::new(Vec::new()), raw, memory, size: description.size, id: unique_id() })
    }

    /// The view of a part of it as texels; the first call creates it.
    pub(crate) fn texels(&self, device: &Arc<Logical>, key: TexelKey) -> Result<vk::BufferView> {
        let mut views = self.texels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == key) {
            return Ok(**view);
        }
        let (format, offset, size) = key;
        if size == 0 || !self.has(offset, size) {
            return Err(Error::new(format!(
                "a texel view of {size} bytes at {offset} is not valid in a buffer of {} bytes",
                self.size
            )));
        }
        let info = vk::BufferViewCreateInfo::default().buffer(*self.raw).format(format).offset(offset).range(size);
        // SAFETY: the part lies within the buffer; if the device does not support the format, the call returns an error.
        let view = unsafe { device.raw.create_buffer_view(&info, None) }.during("vkCreateBufferView")?;
        views.push((key, Owned::new(device, view)));
        Ok(*views[views.len() - 1].1)
    }

    fn device_address(&self, device: &Logical) -> Option<u64> {
        let info = vk::BufferDeviceAddressInfo::default().buffer(*self.raw);
        // SAFETY: the feature is enabled, and the buffer has the usage for it, and memory.
        device.has_addresses.then(|| unsafe { device.raw.get_buffer_device_address(&info) })
    }

    /// The address of its mapping, if the host can access it.
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.memory.mapped()
    }

    /// Copies `bytes` to `offset`; false if the buffer is not mapped, or they do not fit.
    ///
    /// The device must not access these bytes at the same time. This does not affect memory safety of the host, which never
    /// creates references to them.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> bool {
        let Some(to) = self.mapped().filter(|_| self.has(offset, bytes.len() as u64)) else { return false };
        // SAFETY: the bytes lie within the mapping, which lives as long as `self`, and `bytes` are not in it, because there are
        // no references into mappings.
        unsafe { to.as_ptr().add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        true
    }

    /// Copies from `offset` to `bytes`; false if the buffer is not mapped, or has fewer bytes.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> bool {
        let Some(from) = self.mapped().filter(|_| self.has(offset, bytes.len() as u64)) else { return false };
        // SAFETY: as in `write`.
        unsafe { from.as_ptr().add(offset as usize).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        true
    }

    fn has(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.size)
    }
}
// SAFETY: the mapping is an address; `read` and `write` justify each access.
unsafe impl Send for BufferStorage {}
// SAFETY: as for `Send`.
unsafe impl Sync for BufferStorage {}
