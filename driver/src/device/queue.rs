//! The queue of a device, and the timeline of what was submitted to it.
//!
//! Each submission gets the next number, and the timeline semaphore has the number of the last one that the device is done with.
//! So "is the device done with it" is one comparison, for whatever was used and by whichever context.

use crate::error::{Context, Error, ErrorKind, Result};
use ash::vk;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A queue with its timeline.
pub(crate) struct Queue {
    pub(crate) raw: vk::Queue,
    timeline: vk::Semaphore,
    /// The number of the last submission. Vulkan wants one thread at a time at a queue.
    last: Mutex<u64>,
    /// What the timeline had when it was last asked.
    seen: AtomicU64,
}

impl Queue {
    /// The only queue of `family` of `device`.
    pub(super) fn new(device: &ash::Device, family: u32) -> Result<Queue> {
        // SAFETY: the device was made with one queue of this family.
        let raw = unsafe { device.get_device_queue(family, 0) };
        let mut ty = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut ty);
        // SAFETY: the device has timeline semaphores: Vulkan 1.2 asks them of every device.
        let timeline = unsafe { device.create_semaphore(&info, None) }.during("vkCreateSemaphore")?;
        Ok(Queue { raw, timeline, last: Mutex::new(0), seen: AtomicU64::new(0) })
    }

    /// Submits `commands`; gives the number of the submission.
    pub(crate) fn submit(&self, device: &ash::Device, commands: vk::CommandBuffer) -> Result<u64> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let next = *last + 1;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let signal = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.timeline)
            .value(next)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let submits = [vk::SubmitInfo2::default().command_buffer_infos(&buffers).signal_semaphore_infos(&signal)];
        // SAFETY: the commands are recorded and of this device; the lock keeps other threads away from the queue; the numbers of
        // the timeline grow.
        unsafe { device.queue_submit2(self.raw, &submits, vk::Fence::null()) }.during("vkQueueSubmit2")?;
        *last = next;
        Ok(next)
    }

    /// Whether the device is done with submission `number`.
    pub(crate) fn is_done(&self, device: &ash::Device, number: u64) -> Result<bool> {
        if self.seen.load(Ordering::Acquire) >= number {
            return Ok(true);
        }
        // SAFETY: the semaphore is a timeline of this device.
        let value = unsafe { device.get_semaphore_counter_value(self.timeline) };
        let value = value.during("vkGetSemaphoreCounterValue")?;
        self.seen.fetch_max(value, Ordering::Release);
        Ok(value >= number)
    }

    /// Waits until the device is done with submission `number`; an error of the kind [`ErrorKind::Timeout`] if that takes longer.
    pub(crate) fn wait(&self, device: &ash::Device, number: u64, timeout: Duration) -> Result<()> {
        if self.is_done(device, number)? {
            return Ok(());
        }
        let (semaphores, values) = ([self.timeline], [number]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the semaphore is a timeline of this device.
        match unsafe { device.wait_semaphores(&info, nanoseconds) } {
            Err(vk::Result::TIMEOUT) => {
                Err(Error::of_kind(ErrorKind::Timeout, format!("the device is not done after {timeout:?}")))
            }
            result => {
                result.during("vkWaitSemaphores")?;
                self.seen.fetch_max(number, Ordering::Release);
                Ok(())
            }
        }
    }

    /// Does work that no other thread may do beside a submission.
    pub(super) fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// Destroys the timeline.
    ///
    /// # Safety
    /// The device is done with all submissions, and nobody uses the queue any more.
    pub(super) unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: as the caller says.
        unsafe { device.destroy_semaphore(self.timeline, None) }
    }
}
