// SPDX-License-Identifier: MIT

//! Submissions, and the fences and semaphores that signal their completion.

use crate::command::{CommandBuffer, Recorded};
use crate::descriptor::slice;
use crate::device::{create, destroy, Create};
use crate::dispatch::world;
use crate::object::{Content, Object};
use crate::table::{functions, Function};
use crate::{State, World};
use ash::vk;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkQueueSubmit = queue_submit;
    PFN_vkQueueSubmit2 = queue_submit2;
    PFN_vkQueueWaitIdle = queue_wait_idle;
    PFN_vkDeviceWaitIdle = device_wait_idle;
    PFN_vkCreateFence = create::<vk::Fence>;
    PFN_vkDestroyFence = destroy::<vk::Fence>;
    PFN_vkResetFences = reset_fences;
    PFN_vkGetFenceStatus = get_fence_status;
    PFN_vkWaitForFences = wait_for_fences;
    PFN_vkCreateSemaphore = create::<vk::Semaphore>;
    PFN_vkDestroySemaphore = destroy::<vk::Semaphore>;
    PFN_vkGetSemaphoreCounterValue = get_counter_value;
    PFN_vkWaitSemaphores = wait_semaphores;
    PFN_vkSignalSemaphore = signal_semaphore;
    PFN_vkQueueBeginDebugUtilsLabelEXT = label;
    PFN_vkQueueEndDebugUtilsLabelEXT = end_label;
    PFN_vkQueueInsertDebugUtilsLabelEXT = label;
};

/// The queue: incomplete submissions, oldest first.
pub(crate) struct Queue {
    lag: usize,
    pending: VecDeque<Submission>,
}

impl Queue {
    pub(crate) fn new(lag: usize) -> Queue {
        Queue { lag, pending: VecDeque::new() }
    }
}

/// A batch of command buffers.
#[derive(Default)]
struct Submission {
    waits: Vec<(vk::Semaphore, u64)>,
    signals: Vec<(vk::Semaphore, u64)>,
    fence: vk::Fence,
    buffers: Vec<NonNull<CommandBuffer>>,
    work: Vec<Arc<Recorded>>,
}

// SAFETY: the records of command buffers belong to the world, and only their atomic fields are accessed.
unsafe impl Send for Submission {}

impl Object for vk::Fence {
    type Data = bool;
}

impl Create for vk::Fence {
    type Info<'a> = vk::FenceCreateInfo<'a>;

    unsafe fn create(_: &mut State, info: &Self::Info<'_>) -> Result<(Content, bool), vk::Result> {
        Ok((Content::Order, info.flags.contains(vk::FenceCreateFlags::SIGNALED)))
    }
}

/// The data of a semaphore. A binary one counts up to 1.
pub(crate) struct Semaphore {
    timeline: bool,
    value: u64,
}

impl Object for vk::Semaphore {
    type Data = Semaphore;
}

impl Create for vk::Semaphore {
    type Info<'a> = vk::SemaphoreCreateInfo<'a>;

    unsafe fn create(_: &mut State, info: &Self::Info<'_>) -> Result<(Content, Semaphore), vk::Result> {
        // SAFETY: the caller gives a valid struct.
        let ty = unsafe { find::<vk::SemaphoreTypeCreateInfo<'_>>(info.p_next) };
        let (timeline, value) =
            ty.map_or((false, 0), |ty| (ty.semaphore_type == vk::SemaphoreType::TIMELINE, ty.initial_value));
        Ok((Content::Order, Semaphore { timeline, value }))
    }
}

/// The struct of a type in a chain.
///
/// # Safety
/// The chain is valid.
pub(crate) unsafe fn find<'a, T: vk::TaggedStructure>(chain: *const c_void) -> Option<&'a T> {
    let mut head = chain.cast::<vk::BaseInStructure<'_>>();
    while !head.is_null() {
        // SAFETY: every struct of a chain begins with its type, which gives the Rust type.
        unsafe {
            if (*head).s_type == T::STRUCTURE_TYPE {
                return Some(&*head.cast());
            }
            head = (*head).p_next;
        }
    }
    None
}

impl State {
    fn submit(&mut self, submission: Submission) {
        let call = "vkQueueSubmit";
        if submission.fence != vk::Fence::null() && self.get(submission.fence, call) == Some(&mut true) {
            self.report(format!("{call}: the fence is signaled"));
        }
        for work in &submission.work {
            for (kind, raw) in &work.uses {
                if let Err(bad) = self.objects.use_in_submission(*kind, *raw, true) {
                    self.report(format!("{call}: a command uses {} as {kind:?}", bad.text()));
                }
            }
            if self.recording {
                self.log.extend_from_slice(&work.commands);
            }
        }
        for buffer in &submission.buffers {
            // SAFETY: records live as long as the world.
            unsafe { CommandBuffer::pend(*buffer, true) };
        }
        self.queue.pending.push_back(submission);
        self.settle();
    }

    /// Completes the submissions that exceed the lag.
    fn settle(&mut self) {
        while self.queue.pending.len() > self.queue.lag && self.complete_one() {}
    }

    /// Completes the oldest submission unless it must wait.
    pub(crate) fn complete_one(&mut self) -> bool {
        let ready = |state: &State, (semaphore, value): &(vk::Semaphore, u64)| {
            let known = state.objects.get(*semaphore);
            known.map_or(true, |known| known.value >= if known.timeline { *value } else { 1 })
        };
        let front = self.queue.pending.front();
        if !front.is_some_and(|front| front.waits.iter().all(|wait| ready(self, wait))) {
            return false;
        }
        let Some(done) = self.queue.pending.pop_front() else { return false };
        for (semaphore, _) in done.waits {
            match self.get(semaphore, "vkQueueSubmit") {
                Some(semaphore) if !semaphore.timeline => semaphore.value = 0,
                _ => {}
            }
        }
        for work in &done.work {
            work.run(self);
            for (kind, raw) in &work.uses {
                // Premature destruction of an object has already been reported.
                let _ = self.objects.use_in_submission(*kind, *raw, false);
            }
        }
        for buffer in done.buffers {
            // SAFETY: records live as long as the world.
            unsafe { CommandBuffer::pend(buffer, false) };
        }
        for (semaphore, value) in done.signals {
            self.signal(semaphore, value);
        }
        if done.fence != vk::Fence::null() {
            if let Some(fence) = self.get(done.fence, "vkQueueSubmit") {
                *fence = true;
            }
        }
        true
    }

    /// Completes all submissions that can complete; returns whether some are left.
    pub(crate) fn complete_all(&mut self) -> bool {
        while self.complete_one() {}
        !self.queue.pending.is_empty()
    }

    fn signal(&mut self, semaphore: vk::Semaphore, value: u64) {
        let Some(semaphore) = self.get(semaphore, "signal of a semaphore") else { return };
        let value = if semaphore.timeline { value } else { 1 };
        let grows = value > semaphore.value;
        semaphore.value = value;
        if !grows {
            self.report(format!("a semaphore is signaled with {value}, which is not greater than its value"));
        }
    }
}

impl World {
    /// Waits until `done` returns true, and completes submissions as needed.
    fn wait(&self, nanoseconds: u64, mut done: impl FnMut(&mut State) -> bool) -> vk::Result {
        let start = Instant::now();
        let timeout = Duration::from_nanos(nanoseconds);
        let mut state = self.lock();
        loop {
            if done(&mut state) {
                return vk::Result::SUCCESS;
            }
            if state.complete_one() {
                self.wake(&state);
                continue;
            }
            let Some(left) = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) else {
                return vk::Result::TIMEOUT;
            };
            state.waiting += 1;
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
    }

    fn submit_all(&self, submissions: Vec<Submission>, fence: vk::Fence) -> vk::Result {
        let mut state = self.lock();
        let last = submissions.len().checked_sub(1);
        for (i, submission) in submissions.into_iter().enumerate() {
            let fence = if Some(i) == last { fence } else { vk::Fence::null() };
            state.submit(Submission { fence, ..submission });
        }
        if last.is_none() && fence != vk::Fence::null() {
            state.submit(Submission { fence, ..Submission::default() });
        }
        self.wake(&state);
        vk::Result::SUCCESS
    }

    /// The contents of command buffers.
    ///
    /// # Safety
    /// They are command buffers of this world.
    unsafe fn work(
        &self,
        buffers: impl Iterator<Item = vk::CommandBuffer>,
    ) -> (Vec<NonNull<CommandBuffer>>, Vec<Arc<Recorded>>) {
        let (mut records, mut work) = (Vec::new(), Vec::new());
        for buffer in buffers {
            // SAFETY: the caller guarantees it.
            let record = unsafe { CommandBuffer::of(buffer) };
            match record.submitted() {
                Ok(done) => work.extend(done),
                Err(message) => self.lock().report(message),
            }
            records.push(NonNull::from(record));
        }
        (records, work)
    }
}

unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller gives a queue and an array.
    let (world, submits) = unsafe { (world(queue, "vkQueueSubmit"), slice(submits, count)) };
    let submission = |info: &vk::SubmitInfo<'_>| {
        // SAFETY: the caller gives valid structs.
        unsafe {
            let values = find::<vk::TimelineSemaphoreSubmitInfo<'_>>(info.p_next);
            let (waited, signaled) = values.map_or((&[][..], &[][..]), |values| {
                let waited = slice(values.p_wait_semaphore_values, values.wait_semaphore_value_count);
                (waited, slice(values.p_signal_semaphore_values, values.signal_semaphore_value_count))
            });
            let pair = |values: &[u64], (i, semaphore): (usize, &vk::Semaphore)| {
                (*semaphore, values.get(i).copied().unwrap_or_default())
            };
            let waits = slice(info.p_wait_semaphores, info.wait_semaphore_count).iter().enumerate();
            let signals = slice(info.p_signal_semaphores, info.signal_semaphore_count).iter().enumerate();
            let buffers = slice(info.p_command_buffers, info.command_buffer_count);
            let (buffers, work) = world.work(buffers.iter().copied());
            Submission {
                waits: waits.map(|wait| pair(waited, wait)).collect(),
                signals: signals.map(|signal| pair(signaled, signal)).collect(),
                fence,
                buffers,
                work,
            }
        }
    };
    world.submit_all(submits.iter().map(submission).collect(), fence)
}

unsafe extern "system" fn queue_submit2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller gives a queue and an array.
    let (world, submits) = unsafe { (world(queue, "vkQueueSubmit2"), slice(submits, count)) };
    let submission = |info: &vk::SubmitInfo2<'_>| {
        let pair = |info: &vk::SemaphoreSubmitInfo<'_>| (info.semaphore, info.value);
        // SAFETY: the caller gives valid structs.
        unsafe {
            let waits = slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count);
            let signals = slice(info.p_signal_semaphore_infos, info.signal_semaphore_info_count);
            let buffers = slice(info.p_command_buffer_infos, info.command_buffer_info_count);
            let (buffers, work) = world.work(buffers.iter().map(|info| info.command_buffer));
            let (waits, signals) = (waits.iter().map(pair).collect(), signals.iter().map(pair).collect());
            Submission { waits, signals, fence, buffers, work }
        }
    };
    world.submit_all(submits.iter().map(submission).collect(), fence)
}

fn wait_idle(world: &World) -> vk::Result {
    match world.wait(u64::MAX / 2, |state| state.queue.pending.is_empty()) {
        vk::Result::TIMEOUT => vk::Result::ERROR_DEVICE_LOST,
        other => other,
    }
}

unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    // SAFETY: the caller gives a queue.
    wait_idle(unsafe { world(queue, "vkQueueWaitIdle") })
}

unsafe extern "system" fn device_wait_idle(device: vk::Device) -> vk::Result {
    // SAFETY: the caller gives a device.
    wait_idle(unsafe { world(device, "vkDeviceWaitIdle") })
}

unsafe extern "system" fn reset_fences(device: vk::Device, count: u32, fences: *const vk::Fence) -> vk::Result {
    // SAFETY: the caller gives a device and an array.
    let (mut state, fences) = unsafe { (world(device, "vkResetFences").lock(), slice(fences, count)) };
    for fence in fences {
        if state.queue.pending.iter().any(|pending| pending.fence == *fence) {
            state.report("vkResetFences: an incomplete submission signals the fence");
        }
        if let Some(fence) = state.get(*fence, "vkResetFences") {
            *fence = false;
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_fence_status(device: vk::Device, fence: vk::Fence) -> vk::Result {
    // SAFETY: the caller gives a device.
    let world = unsafe { world(device, "vkGetFenceStatus") };
    let mut state = world.lock();
    let signaled = state.get(fence, "vkGetFenceStatus").is_some_and(|fence| *fence);
    // Repeated calls make progress.
    state.complete_one();
    world.wake(&state);
    if signaled {
        vk::Result::SUCCESS
    } else {
        vk::Result::NOT_READY
    }
}

unsafe extern "system" fn wait_for_fences(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    let call = "vkWaitForFences";
    // SAFETY: the caller gives a device and an array.
    let (world, fences) = unsafe { (world(device, call), slice(fences, count)) };
    world.wait(timeout, |state| {
        // An invalid handle counts as signaled: the message is sufficient.
        let signaled = fences.iter().filter(|fence| state.get(**fence, call).is_none_or(|fence| *fence)).count();
        if all == vk::TRUE {
            signaled == fences.len()
        } else {
            signaled > 0
        }
    })
}

unsafe extern "system" fn get_counter_value(device: vk::Device, semaphore: vk::Semaphore, out: *mut u64) -> vk::Result {
    let call = "vkGetSemaphoreCounterValue";
    // SAFETY: the caller gives a device, and a number to write.
    let (world, out) = unsafe { (world(device, call), &mut *out) };
    let mut state = world.lock();
    *out = state.get(semaphore, call).map_or(0, |semaphore| semaphore.value);
    // Repeated calls make progress.
    state.complete_one();
    world.wake(&state);
    vk::Result::SUCCESS
}

unsafe extern "system" fn wait_semaphores(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> vk::Result {
    let call = "vkWaitSemaphores";
    // SAFETY: the caller gives a device and a valid struct.
    let (world, info, semaphores, values) = unsafe {
        let (world, info) = (world(device, call), &*info);
        let count = info.semaphore_count;
        (world, info, slice(info.p_semaphores, count), slice(info.p_values, count))
    };
    world.wait(timeout, |state| {
        let reached = |(semaphore, value): &(&vk::Semaphore, &u64)| {
            state.get(**semaphore, call).is_none_or(|semaphore| semaphore.value >= **value)
        };
        let reached = semaphores.iter().zip(values).filter(reached).count();
        if info.flags.contains(vk::SemaphoreWaitFlags::ANY) {
            reached > 0
        } else {
            reached == semaphores.len()
        }
    })
}

unsafe extern "system" fn signal_semaphore(device: vk::Device, info: *const vk::SemaphoreSignalInfo<'_>) -> vk::Result {
    // SAFETY: the caller gives a device and a valid struct.
    let (world, info) = unsafe { (world(device, "vkSignalSemaphore"), &*info) };
    let mut state = world.lock();
    state.signal(info.semaphore, info.value);
    state.settle();
    world.wake(&state);
    vk::Result::SUCCESS
}

unsafe extern "system" fn label(_: vk::Queue, _: *const vk::DebugUtilsLabelEXT<'_>) {}

unsafe extern "system" fn end_label(_: vk::Queue) {}
