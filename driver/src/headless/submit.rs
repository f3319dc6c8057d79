//! One batch of commands: recorded, submitted, waited for.

use super::{Context, Result};
use crate::device::handle::Owned;
use crate::device::Logical;
use ash::vk;
use std::sync::Arc;

/// Commands under recording.
pub(super) struct Commands {
    pub(super) device: Arc<Logical>,
    pub(super) buffer: vk::CommandBuffer,
    _pool: Owned<vk::CommandPool>,
}

impl Commands {
    /// Begins recording.
    pub(super) fn begin(device: &Arc<Logical>) -> Result<Commands> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue_family);
        // SAFETY: the device has this queue family.
        let pool = unsafe { device.raw.create_command_pool(&info, None) }.during("vkCreateCommandPool")?;
        let pool = Owned::new(device, pool);
        let info = vk::CommandBufferAllocateInfo::default().command_pool(*pool).command_buffer_count(1);
        // SAFETY: the pool is new.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) }.during("vkAllocateCommandBuffers")?;
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the buffer is new.
        unsafe { device.raw.begin_command_buffer(buffers[0], &once) }.during("vkBeginCommandBuffer")?;
        Ok(Commands { device: Arc::clone(device), buffer: buffers[0], _pool: pool })
    }

    /// All that comes after sees all that came before, the host among both.
    pub(super) fn barrier(&self) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let stages = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        self.barrier_between((stages, all), (stages, all));
    }

    /// What comes after and accesses memory in the second way waits for what came before and accessed it in the first.
    pub(super) fn barrier_between(
        &self,
        (from_stages, from): (vk::PipelineStageFlags, vk::AccessFlags),
        (to_stages, to): (vk::PipelineStageFlags, vk::AccessFlags),
    ) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(from).dst_access_mask(to);
        // SAFETY: the buffer is recording, and not within a rendering.
        unsafe {
            let none = vk::DependencyFlags::empty();
            self.device.raw.cmd_pipeline_barrier(self.buffer, from_stages, to_stages, none, &[barrier], &[], &[]);
        }
    }

    /// Submits the commands and waits until they are done.
    pub(super) fn finish(self) -> Result<()> {
        let device = &self.device;
        self.barrier();
        // SAFETY: the buffer is recording.
        unsafe { device.raw.end_command_buffer(self.buffer) }.during("vkEndCommandBuffer")?;
        let number = device.queue.submit(&device.raw, self.buffer)?;
        // After an error the commands may still be at work, and what they use with them.
        device.queue.wait(&device.raw, number, device.timeout).inspect_err(|error| device.settle(error))
    }
}
