//! Memory of resources: a part of one of the allocator's blocks.

use crate::device::Logical;
use crate::error::{Error, ErrorKind, Result};
use ash::vk;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use gpu_allocator::{AllocationError, MemoryLocation};
use std::ptr::NonNull;
use std::sync::Arc;

/// Memory that goes back to the allocator when it is dropped.
pub(crate) struct Memory {
    device: Arc<Logical>,
    /// `None` once it went back.
    allocation: Option<Allocation>,
}

impl Memory {
    /// Memory at `location` for a resource that needs `needs`; buffers and linear images are `linear`.
    pub(crate) fn new(
        device: &Arc<Logical>,
        needs: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Memory> {
        let description = AllocationCreateDesc {
            name: "",
            requirements: needs,
            location,
            linear,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        let allocation = device.with_allocator(|allocator| match allocator {
            Some(allocator) => allocator.allocate(&description).map_err(failed),
            None => Err(Error::of_kind(ErrorKind::DeviceLost, "the device is gone")),
        });
        Ok(Memory { device: Arc::clone(device), allocation: Some(allocation?) })
    }

    /// The block that it is a part of, and where it begins there.
    pub(crate) fn place(&self) -> (vk::DeviceMemory, u64) {
        match &self.allocation {
            // SAFETY: the block is bound and mapped by nobody else; it is not freed before `self` is dropped.
            Some(allocation) => unsafe { (allocation.memory(), allocation.offset()) },
            None => (vk::DeviceMemory::null(), 0),
        }
    }

    /// Where the host sees it, if it does.
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.allocation.as_ref()?.mapped_ptr().map(NonNull::cast)
    }
}

fn failed(error: AllocationError) -> Error {
    // The others say that the host's memory is used up, or that it could not be mapped.
    let kind = match error {
        AllocationError::NoCompatibleMemoryTypeFound | AllocationError::InvalidAllocationCreateDesc => {
            ErrorKind::Invalid
        }
        _ => ErrorKind::OutOfMemory,
    };
    Error::of_kind(kind, format!("no memory: {error}"))
}

impl Drop for Memory {
    fn drop(&mut self) {
        let Some(allocation) = self.allocation.take() else { return };
        self.device.with_allocator(|allocator| {
            if let Some(allocator) = allocator {
                // It fails for memory that is not the allocator's only.
                let _ = allocator.free(allocation);
            }
        });
    }
}
