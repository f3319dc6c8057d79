// SPDX-License-Identifier: MIT

//! The queue of a device, and the timeline of its submissions.
//!
//! Each submission gets the next number, and the timeline semaphore has the number of the last finished one. So one comparison
//! decides whether the device is done with an object, of any kind and from any context.

use crate::error::{Context, Error, ErrorKind, Result};
use ash::vk;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A queue with its timeline.
pub(crate) struct Queue {
    pub(crate) raw: vk::Queue,
    timeline: vk::Semaphore,
    /// The number of the last submission. Vulkan allows one thread at a time to use a queue.
    last: Mutex<u64>,
    /// The value of the timeline at the last query.
    seen: AtomicU64,
}

impl Queue {
    /// The only queue of `family` of `device`. Without a timeline, nothing can be submitted.
    pub(super) fn new(device: &ash::Device, family: u32, has_timeline: bool) -> Result<Queue> {
        // SAFETY: the device was created with one queue of this family.
        let raw = unsafe { device.get_device_queue(family, 0) };
        let mut ty = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut ty);
        let timeline = match has_timeline {
            // SAFETY: the device has timeline semaphores.
            true => unsafe { device.create_semaphore(&info, None) }.during("vkCreateSemaphore")?,
            false => vk::Semaphore::null(),
        };
        Ok(Queue { raw, timeline, last: Mutex::new(0), seen: AtomicU64::new(0) })
    }

    /// Submits `commands`; returns the number of the submission.
    pub(crate) fn submit(&self, device: &ash::Device, commands: vk::CommandBuffer) -> Result<u64> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let next = *last + 1;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let signal = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.timeline)
            .value(next)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let submits = [vk::SubmitInfo2::default().command_buffer_infos(&buffers).signal_semaphore_infos(&signal)];
        // SAFETY: the commands are recorded and belong to this device; the lock keeps other threads away from the queue; the
        // numbers of the timeline increase.
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

    /// Waits until the device is done with submission `number`; an error of the kind [`ErrorKind::Timeout`] if this takes longer
    /// than `timeout`.
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

    /// Runs work that other threads must not do at the same time as a submission.
    pub(super) fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// Destroys the timeline.
    ///
    /// # Safety
    /// The device is done with all submissions, and the queue is not used any more.
    pub(super) unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: the caller guarantees it.
        unsafe { device.destroy_semaphore(self.timeline, None) }
    }
}
