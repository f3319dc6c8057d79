//! Buffers.

use super::{unique_id, Memory};
use crate::context::Dirty;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use crate::state::Subject;
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// How a resource is used: Gallium's `pipe_resource_usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Usage {
    /// The device reads and writes it, the host seldom.
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

/// What a buffer is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescription {
    /// Bytes; not 0.
    pub size: u64,
    /// How it is used.
    pub usage: Usage,
}

/// Bytes that contexts bind, as vertices, indices, uniforms, storage, texels, parameters of draws, or captures.
pub struct Buffer {
    device: Arc<Logical>,
    description: BufferDescription,
    storage: Mutex<Arc<BufferStorage>>,
    /// Contexts that have it bound.
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

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.description.size
    }

    /// What it was made as.
    pub fn description(&self) -> BufferDescription {
        self.description
    }

    /// How many contexts are told when it gets another storage.
    pub fn observers(&self) -> usize {
        self.subject.len()
    }

    /// The storage that commands use from now on.
    pub(crate) fn storage(&self) -> Arc<BufferStorage> {
        Arc::clone(&self.storage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives it a new storage, whose contents are undefined, and tells the contexts that have it bound.
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

/// Format, first byte, and bytes of a view of texels.
pub(crate) type TexelKey = (vk::Format, u64, u64);

/// A buffer of Vulkan with its memory.
pub(crate) struct BufferStorage {
    /// Before the buffer, so that they are destroyed before it.
    texels: Mutex<Vec<(TexelKey, Owned<vk::BufferView>)>>,
    pub(crate) raw: Owned<vk::Buffer>,
    memory: Memory,
    pub(crate) size: u64,
    pub(crate) id: u64,
}

impl BufferStorage {
    pub(crate) fn new(device: &Arc<Logical>, description: BufferDescription) -> Result<BufferStorage> {
        if description.size == 0 {
            return Err(Error::new("a buffer of no bytes"));
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
        let info = vk::BufferCreateInfo::default().size(description.size).usage(usage);
        // SAFETY: the size is not 0, and the device has what the usage asks.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.during("vkCreateBuffer")?;
        let raw = Owned::new(device, raw);
        // SAFETY: the buffer is of this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(*raw) };
        let memory = Memory::new(device, needs, description.usage.location(), true)?;
        let (block, offset) = memory.place();
        // SAFETY: the memory is of a type and size that the buffer takes, and is bound once.
        unsafe { device.raw.bind_buffer_memory(*raw, block, offset) }.during("vkBindBufferMemory")?;
        Ok(BufferStorage { texels: Mutex::new(Vec::new()), raw, memory, size: description.size, id: unique_id() })
    }

    /// The view of a part of it as texels, made when it is first asked for.
    pub(crate) fn texels(&self, device: &Arc<Logical>, key: TexelKey) -> Result<vk::BufferView> {
        let mut views = self.texels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == key) {
            return Ok(**view);
        }
        let (format, offset, size) = key;
        if size == 0 || !self.has(offset, size) {
            return Err(Error::new(format!("texels from {size} bytes at {offset} of a buffer of {}", self.size)));
        }
        let info = vk::BufferViewCreateInfo::default().buffer(*self.raw).format(format).offset(offset).range(size);
        // SAFETY: the part lies within the buffer; what the device cannot do with the format is an error of the call.
        let view = unsafe { device.raw.create_buffer_view(&info, None) }.during("vkCreateBufferView")?;
        views.push((key, Owned::new(device, view)));
        Ok(*views[views.len() - 1].1)
    }

    /// Where the host sees its bytes, if it does.
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.memory.mapped()
    }

    /// Copies `bytes` to `offset`; false if the host does not see the buffer, or they do not fit.
    ///
    /// The device must not access these bytes at the same time. That is no matter of memory safety for the host, which never
    /// makes references to them.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> bool {
        let Some(to) = self.mapped().filter(|_| self.has(offset, bytes.len() as u64)) else { return false };
        // SAFETY: the bytes lie within the mapping, which lives as long as `self`, and `bytes` are not in it: nobody has
        // references into mappings.
        unsafe { to.as_ptr().add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        true
    }

    /// Copies from `offset` on to `bytes`; false if the host does not see the buffer, or it has not so many.
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
// SAFETY: the mapping is an address; what is done with it is said above.
unsafe impl Send for BufferStorage {}
// SAFETY: as for `Send`.
unsafe impl Sync for BufferStorage {}
