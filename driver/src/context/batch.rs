// SPDX-License-Identifier: MIT

//! A batch: a command buffer, and the objects that it uses until the device is done with it.

use super::access::{Accesses, UsedImages};
use super::descriptors::Sets;
use super::emit::Recorded;
use super::Context;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, ErrorKind, Result};
use crate::resource::{unique_id, BufferStorage};
use ash::vk;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

/// The number of draws, dispatches and copies after which a batch is submitted without a flush, so that the device has work and
/// memory is reused.
const MOST_DRAWS: u32 = 10_000;

/// The number of uploaded bytes after which a batch is submitted without a flush.
const MOST_BYTES: u64 = 64 << 20;

/// A command buffer with the objects that it uses.
pub(crate) struct Batch {
    device: Arc<Logical>,
    pub(crate) commands: vk::CommandBuffer,
    pool: Owned<vk::CommandPool>,
    pub(crate) buffers: Vec<Arc<BufferStorage>>,
    pub(crate) images: UsedImages,
    /// Pipelines, samplers and query pools, by their numbers.
    kept: FxHashMap<u64, Arc<dyn Any + Send + Sync>>,
    pub(crate) accesses: Accesses,
    pub(crate) sets: Sets,
    /// The dynamic state in the command buffer.
    pub(crate) recorded: Recorded,
    /// The number of draws, dispatches and copies.
    pub(crate) draws: u32,
    pub(crate) bytes: u64,
    /// A number that changes each time that it is recorded.
    pub(crate) stamp: u64,
    /// The number of its submission.
    pub(crate) number: Option<u64>,
}

impl Batch {
    /// A batch under recording.
    pub(crate) fn new(device: &Arc<Logical>) -> Result<Batch> {
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(device.queue_family);
        // SAFETY: the device has this queue family.
        let pool = unsafe { device.raw.create_command_pool(&info, None) }.during("vkCreateCommandPool")?;
        let pool = Owned::new(device, pool);
        let info = vk::CommandBufferAllocateInfo::default().command_pool(*pool).command_buffer_count(1);
        // SAFETY: the pool is new.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) }.during("vkAllocateCommandBuffers")?;
        let batch = Batch {
            device: Arc::clone(device),
            commands: buffers[0],
            pool,
            buffers: Vec::new(),
            images: Vec::new(),
            kept: FxHashMap::default(),
            accesses: Accesses::default(),
            sets: Sets::new(device),
            recorded: Recorded::default(),
            draws: 0,
            bytes: 0,
            stamp: unique_id(),
            number: None,
        };
        batch.begin()?;
        Ok(batch)
    }

    fn begin(&self) -> Result<()> {
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the buffer is in its initial state.
        unsafe { self.device.raw.begin_command_buffer(self.commands, &once) }.during("vkBeginCommandBuffer")
    }

    /// Releases the objects that it used; the device is done with it.
    pub(crate) fn release(&mut self) {
        self.buffers.clear();
        self.images.clear();
        self.kept.clear();
        self.accesses.clear();
        (self.draws, self.bytes) = (0, 0);
    }

    /// Prepares it for a new recording; the device is done with it.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.release();
        self.number = None;
        self.stamp = unique_id();
        self.recorded = Recorded::default();
        self.sets.reset()?;
        // SAFETY: the device is done with the only buffer of the pool.
        unsafe { self.device.raw.reset_command_pool(*self.pool, vk::CommandPoolResetFlags::empty()) }
            .during("vkResetCommandPool")?;
        self.begin()
    }

    /// Keeps `object` until the device is done.
    pub(crate) fn keep<T: Any + Send + Sync>(&mut self, number: u64, object: &Arc<T>) {
        self.kept.entry(number).or_insert_with(|| Arc::clone(object) as Arc<dyn Any + Send + Sync>);
    }

    fn is_long(&self) -> bool {
        self.draws >= MOST_DRAWS || self.bytes >= MOST_BYTES
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.buffers.is_empty() && self.images.is_empty() && self.kept.is_empty()
    }
}

/// The batches that are not under recording.
#[derive(Default)]
pub(super) struct Batches {
    /// Those that the device may still execute, the oldest first.
    submitted: VecDeque<Batch>,
    /// Those that can be reused.
    spare: Vec<Batch>,
}

impl Batches {
    /// A batch that is not in use, or a new one.
    fn next(&mut self, device: &Arc<Logical>) -> Result<Batch> {
        self.retire(device)?;
        while let Some(mut batch) = self.spare.pop() {
            match batch.restart() {
                Ok(()) => return Ok(batch),
                Err(error) if error.kind == ErrorKind::DeviceLost => return Err(error),
                // There may be memory for a new one.
                Err(_) => {}
            }
        }
        Batch::new(device)
    }

    /// The number of the last submission that the device may still execute.
    pub(super) fn last(&self) -> Option<u64> {
        self.submitted.back().and_then(|batch| batch.number)
    }

    /// Releases the objects that the device is done with.
    pub(super) fn retire(&mut self, device: &Logical) -> Result<()> {
        while let Some(batch) = self.submitted.front() {
            let Some(number) = batch.number else { break };
            if !device.queue.is_done(&device.raw, number)? {
                break;
            }
            if let Some(mut batch) = self.submitted.pop_front() {
                batch.release();
                self.spare.push(batch);
            }
        }
        Ok(())
    }

    /// Waits until the device is done with all of them. The objects of batches that a lost device may use are not destroyed.
    fn finish(&mut self, device: &Logical) {
        let Some(number) = self.last() else { return };
        if let Err(error) = device.queue.wait(&device.raw, number, device.timeout) {
            device.settle(&error);
        }
        if device.is_lost() {
            self.submitted.drain(..).for_each(std::mem::forget);
        }
    }
}

impl Context {
    /// Submits the recorded commands if the batch is long.
    pub(super) fn flush_if_long(&mut self) -> Result<()> {
        if self.batch.is_long() {
            self.submit()?;
        }
        Ok(())
    }

    /// Submits the recorded commands, and begins a new batch. Returns the number of the submission.
    pub(super) fn submit(&mut self) -> Result<u64> {
        self.device.check_lost()?;
        // The next batch is created first: if there is no memory for it, nothing has changed.
        let next = self.batches.next(&self.device)?;
        self.end_rendering();
        self.pause_queries();
        self.settle_accesses();
        // SAFETY: the buffer is recording, outside of a rendering.
        let ended = unsafe { self.device.raw.end_command_buffer(self.batch.commands) }.during("vkEndCommandBuffer");
        let submitted = ended.and_then(|()| self.device.queue.submit(&self.device.raw, self.batch.commands));
        let stamp = self.batch.stamp;
        let mut batch = std::mem::replace(&mut self.batch, next);
        self.lose_commands();
        match submitted {
            Ok(number) => {
                batch.number = Some(number);
                self.batches.submitted.push_back(batch);
                self.counters.submissions += 1;
                self.resume_queries(stamp, number);
                Ok(number)
            }
            Err(error) => {
                // The recorded commands are lost. The device never executed them, so images keep their former layouts.
                batch.images.iter().for_each(|image| {
                    image.is_initialized.store(false, std::sync::atomic::Ordering::Release);
                });
                Err(error)
            }
        }
    }

    /// Marks all state, because a new command buffer has no state.
    fn lose_commands(&mut self) {
        self.changes.lose_all();
        self.current.pipeline = None;
        self.current.sets = Default::default();
        self.current.rendering.lose();
        self.current.compute_sets = Default::default();
        self.current.indices = None;
        // The posted bits are a subset of all bits.
        let _ = self.changes.take_posted();
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Commands that were not flushed are dropped. The device may still use the objects of submitted commands.
        self.batches.finish(&self.device);
    }
}
