// SPDX-License-Identifier: MIT

//! Memory of resources: a part of one of the allocator's blocks.

use crate::device::Logical;
use crate::error::{Error, ErrorKind, Result};
use ash::vk;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};
use gpu_allocator::{AllocationError, MemoryLocation};
use std::ptr::NonNull;
use std::sync::Arc;

/// Memory that is returned to the allocator when it is dropped.
pub(crate) struct ResourceMemory {
    device: Arc<Logical>,
    /// `None` after it was returned.
    allocation: Option<Allocation>,
}

impl ResourceMemory {
    /// Memory at `location` for the requirements `needs`; buffers and linear images are `linear`.
    pub(crate) fn new(
        device: &Arc<Logical>,
        needs: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<ResourceMemory> {
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
        Ok(ResourceMemory { device: Arc::clone(device), allocation: Some(allocation?) })
    }

    /// The block that it is a part of, and its offset in the block.
    pub(crate) fn place(&self) -> (vk::DeviceMemory, u64) {
        match &self.allocation {
            // SAFETY: no other code binds and maps the block; it is not freed before `self` is dropped.
            Some(allocation) => unsafe { (allocation.memory(), allocation.offset()) },
            None => (vk::DeviceMemory::null(), 0),
        }
    }

    /// The address of its mapping, if the host can access it.
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.allocation.as_ref()?.mapped_ptr().map(NonNull::cast)
    }
}

fn failed(error: AllocationError) -> Error {
    // The other errors mean that the host has no memory left, or that the memory could not be mapped.
    let kind = match error {
        AllocationError::NoCompatibleMemoryTypeFound | AllocationError::InvalidAllocationCreateDesc => {
            ErrorKind::Invalid
        }
        _ => ErrorKind::OutOfMemory,
    };
    Error::of_kind(kind, format!("allocation of memory failed: {error}"))
}

impl Drop for ResourceMemory {
    fn drop(&mut self) {
        let Some(allocation) = self.allocation.take() else { return };
        self.device.with_allocator(|allocator| {
            if let Some(allocator) = allocator {
                // It only fails for memory of another allocator.
                let _ = allocator.free(allocation);
            }
        });
    }
}
