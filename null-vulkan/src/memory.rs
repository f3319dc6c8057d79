// SPDX-License-Identifier: MIT

//! Device memory: two heaps in host memory, all of which can be mapped.

use crate::device::{destroy, Create};
use crate::dispatch::world;
use crate::object::{Content, Object};
use crate::table::{functions, Function};
use crate::{State, World};
use ash::vk;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::ffi::c_void;
use std::ptr;
use std::ptr::NonNull;
use std::sync::Arc;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkAllocateMemory = crate::device::create::<vk::DeviceMemory>;
    PFN_vkFreeMemory = destroy::<vk::DeviceMemory>;
    PFN_vkMapMemory = map_memory;
    PFN_vkUnmapMemory = unmap_memory;
    PFN_vkFlushMappedMemoryRanges = sync_ranges;
    PFN_vkInvalidateMappedMemoryRanges = sync_ranges;
    PFN_vkGetDeviceMemoryCommitment = get_commitment;
};

/// The memory types: device-local and host-visible; device-local only; host-cached.
const TYPES: [(vk::MemoryPropertyFlags, u32); 3] = [
    (vk::MemoryPropertyFlags::from_raw(0b0111), 0),
    (vk::MemoryPropertyFlags::DEVICE_LOCAL, 0),
    (vk::MemoryPropertyFlags::from_raw(0b1110), 1),
];

/// The used bytes of each heap.
pub(crate) struct Heaps {
    size: u64,
    used: [u64; 2],
}

impl Heaps {
    pub(crate) fn new(size: u64) -> Heaps {
        Heaps { size, used: [0; 2] }
    }
}

/// Bytes that the host and commands access.
pub(crate) struct Bytes {
    start: NonNull<u8>,
    layout: Layout,
    /// The number of bytes before the first usable one.
    skipped: usize,
}

/// The alignment of the first byte.
const ALIGNMENT: usize = 256;

// SAFETY: the bytes are only accessed through raw pointers; the application orders the accesses, as Vulkan requires.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn new(size: u64) -> Option<Arc<Bytes>> {
        // A larger alignment than an allocator's default needs extra room: an aligned and zeroed allocation would write all zeros
        // at once.
        let size = usize::try_from(size.max(1)).ok()?.checked_add(ALIGNMENT)?;
        let layout = Layout::from_size_align(size, 8).ok()?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skipped = start.as_ptr().addr().next_multiple_of(ALIGNMENT) - start.as_ptr().addr();
        Some(Arc::new(Bytes { start, layout, skipped }))
    }

    pub(crate) fn len(&self) -> u64 {
        (self.layout.size() - ALIGNMENT) as u64
    }

    /// The address of the bytes from `offset` on, if there are `len` of them.
    pub(crate) fn at(&self, offset: u64, len: u64) -> Option<*mut u8> {
        let fits = offset.checked_add(len).is_some_and(|end| end <= self.len());
        // SAFETY: the offset is within the allocation, which includes the skipped bytes.
        fits.then(|| unsafe { self.start.as_ptr().add(self.skipped + offset as usize) })
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// The data of a memory object.
pub(crate) struct MemoryObject {
    pub(crate) bytes: Arc<Bytes>,
    pub(crate) size: u64,
    ty: u32,
    mapped: bool,
}

impl Object for vk::DeviceMemory {
    type Data = MemoryObject;
}

impl Create for vk::DeviceMemory {
    type Info<'a> = vk::MemoryAllocateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, MemoryObject), vk::Result> {
        let ty = info.memory_type_index;
        let Some((_, heap)) = TYPES.get(ty as usize) else {
            state.report(format!("vkAllocateMemory: memory type {ty} does not exist"));
            return Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        };
        let (size, used) = (state.memory.size, &mut state.memory.used[*heap as usize]);
        let after = used.checked_add(info.allocation_size).filter(|used| *used <= size);
        let after = after.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let bytes = Bytes::new(info.allocation_size).ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        *used = after;
        Ok((Content::Order, MemoryObject { bytes, size: info.allocation_size, ty, mapped: false }))
    }

    fn destroyed(state: &mut State, memory: MemoryObject) {
        state.memory.used[TYPES[memory.ty as usize].1 as usize] -= memory.size;
    }
}

impl World {
    pub(crate) fn memory_properties(&self) -> vk::PhysicalDeviceMemoryProperties {
        let mut properties = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: TYPES.len() as u32,
            memory_heap_count: 2,
            ..vk::PhysicalDeviceMemoryProperties::default()
        };
        for (to, (property_flags, heap_index)) in properties.memory_types.iter_mut().zip(TYPES) {
            *to = vk::MemoryType { property_flags, heap_index };
        }
        let size = self.options.heap;
        properties.memory_heaps[0] = vk::MemoryHeap { size, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
        properties.memory_heaps[1] = vk::MemoryHeap { size, flags: vk::MemoryHeapFlags::empty() };
        properties
    }

    /// Writes the remaining memory.
    ///
    /// # Safety
    /// `chain` is a chain of structs that can be written.
    pub(crate) unsafe fn fill_budget(&self, chain: *mut c_void) {
        let mut head = chain.cast::<vk::BaseOutStructure<'_>>();
        while !head.is_null() {
            // SAFETY: every struct of a chain begins with its type, which gives the Rust type.
            unsafe {
                if (*head).s_type == vk::StructureType::PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT {
                    let budget = &mut *head.cast::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>();
                    budget.heap_budget[..2].fill(self.options.heap);
                    budget.heap_usage[..2].copy_from_slice(&self.lock().memory.used);
                }
                head = (*head).p_next;
            }
        }
    }
}

/// The memory requirements of a buffer or an image of `size` bytes.
pub(crate) fn requirements(size: u64, alignment: u64) -> vk::MemoryRequirements {
    let size = size.next_multiple_of(alignment);
    vk::MemoryRequirements { size, alignment, memory_type_bits: (1 << TYPES.len()) - 1 }
}

unsafe extern "system" fn map_memory(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: u64,
    size: u64,
    _: vk::MemoryMapFlags,
    out: *mut *mut c_void,
) -> vk::Result {
    // SAFETY: the caller gives a device, and a pointer to write.
    let (mut state, out) = unsafe { (world(device, "vkMapMemory").lock(), &mut *out) };
    *out = ptr::null_mut();
    let Some(memory) = state.get(memory, "vkMapMemory") else { return vk::Result::ERROR_MEMORY_MAP_FAILED };
    let visible = TYPES[memory.ty as usize].0.contains(vk::MemoryPropertyFlags::HOST_VISIBLE);
    let size = if size == vk::WHOLE_SIZE { memory.size.saturating_sub(offset) } else { size };
    let at = memory.bytes.at(offset, size).filter(|_| visible && !memory.mapped);
    match at {
        Some(at) => {
            memory.mapped = true;
            *out = at.cast();
            vk::Result::SUCCESS
        }
        None => {
            state.report("vkMapMemory: the memory is already mapped, is not host-visible, or is too small");
            vk::Result::ERROR_MEMORY_MAP_FAILED
        }
    }
}

unsafe extern "system" fn unmap_memory(device: vk::Device, memory: vk::DeviceMemory) {
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, "vkUnmapMemory") }.lock();
    let Some(memory) = state.get(memory, "vkUnmapMemory") else { return };
    if !std::mem::take(&mut memory.mapped) {
        state.report("vkUnmapMemory: the memory is not mapped");
    }
}

unsafe extern "system" fn sync_ranges(
    device: vk::Device,
    count: u32,
    ranges: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    // SAFETY: the caller gives a device and an array.
    let mut state = unsafe { world(device, "vkFlushMappedMemoryRanges") }.lock();
    for i in 0..count as usize {
        // SAFETY: as above.
        state.get(unsafe { (*ranges.add(i)).memory }, "vkFlushMappedMemoryRanges");
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_commitment(device: vk::Device, memory: vk::DeviceMemory, out: *mut u64) {
    // SAFETY: the caller gives a device, and a number to write.
    unsafe {
        let mut state = world(device, "vkGetDeviceMemoryCommitment").lock();
        *out = state.get(memory, "vkGetDeviceMemoryCommitment").map_or(0, |memory| memory.size);
    }
}
