// SPDX-License-Identifier: MIT

//! Transform feedback: Gallium's stream output.
//!
//! With `VK_EXT_transform_feedback` the device captures. A capture begins with the first draw that has targets, and lasts until a
//! command that Vulkan does not allow within it: another pipeline, the end of the rendering. A counter on the device stores its
//! progress, so that the next capture continues there.
//!
//! For captures by shaders, see `capture`.

use super::access::Use;
use super::capture::CaptureProgress;
use super::{BufferRange, Context, Dirty};
use crate::error::{Error, Result};
use crate::program::Program;
use crate::resource::{Buffer, BufferDescription};
use ash::vk;
use ntv::capture::BackEnd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

/// The maximum number of targets.
pub(crate) const MAX_TARGETS: usize = 4;

/// A part of a buffer that transform feedback writes: Gallium's `pipe_stream_output_target`.
pub struct StreamOutputTarget {
    pub(crate) range: BufferRange,
    /// The number of captured bytes, on the device.
    pub(crate) counter: Arc<Buffer>,
    /// The size of a vertex in bytes, if the device captured to it last; otherwise 0.
    stride: AtomicU32,
    /// The number of vertices that shaders have captured to it since the begin.
    vertices: AtomicU32,
}

/// The number of vertices of a target.
pub(super) enum Captured {
    /// Known, because shaders captured them.
    Vertices(u32),
    /// The device has the number of captured bytes; a vertex has `stride` bytes.
    OnDevice { stride: u32 },
}

impl StreamOutputTarget {
    /// The number of vertices that were captured to it.
    pub(super) fn captured(&self) -> Captured {
        match self.stride.load(Ordering::Relaxed) {
            0 => Captured::Vertices(self.vertices()),
            stride => Captured::OnDevice { stride },
        }
    }

    /// The number of vertices that shaders captured to it.
    pub(super) fn vertices(&self) -> u32 {
        self.vertices.load(Ordering::Relaxed)
    }

    pub(super) fn add_vertices(&self, vertices: u32) {
        self.vertices.store(self.vertices().saturating_add(vertices), Ordering::Relaxed);
        self.stride.store(0, Ordering::Relaxed);
    }
}

/// The state of transform feedback.
#[derive(Default)]
pub(super) struct Feedback {
    pub(super) targets: [Option<Arc<StreamOutputTarget>>; MAX_TARGETS],
    /// Whether captures continue where they ended.
    appends: bool,
    /// Whether a capture of the device is running.
    is_running: bool,
    /// The parameters and the progress of capturing shaders.
    pub(super) capture: CaptureProgress,
}

impl Feedback {
    /// Whether there are targets.
    pub(super) fn is_active(&self) -> bool {
        self.targets.iter().any(Option::is_some)
    }
}

impl Context {
    /// Creates a target from a part of a buffer. Its offset and size are multiples of 4.
    pub fn create_stream_output_target(&mut self, range: BufferRange) -> Result<Arc<StreamOutputTarget>> {
        let fits = range.offset.checked_add(range.size).is_some_and(|end| end <= range.buffer.size());
        if !fits || !range.offset.is_multiple_of(4) || !range.size.is_multiple_of(4) || range.size == 0 {
            return Err(Error::new("transform feedback cannot write to this part of the buffer"));
        }
        let counter = Buffer::new(&self.device, BufferDescription { size: 4, usage: Default::default() })?;
        self.clear_buffer(&counter, 0, 4, 0)?;
        Ok(Arc::new(StreamOutputTarget { range, counter, stride: AtomicU32::new(0), vertices: AtomicU32::new(0) }))
    }

    /// Sets the targets of transform feedback; none ends it. With `append` it continues where it ended, otherwise it begins anew.
    pub fn set_stream_output_targets(
        &mut self,
        targets: &[Option<Arc<StreamOutputTarget>>],
        append: bool,
    ) -> Result<()> {
        if targets.len() > MAX_TARGETS {
            return Err(Error::new(format!("{} transform feedback targets are too many", targets.len())));
        }
        let same = |(number, bound): (usize, &Option<Arc<StreamOutputTarget>>)| {
            let target = targets.get(number).and_then(Option::as_ref);
            bound.as_ref().map(Arc::as_ptr) == target.map(Arc::as_ptr)
        };
        // Continuing with the current targets changes nothing, and neither does ending without a begin.
        let changes_nothing = append || targets.iter().all(Option::is_none);
        if changes_nothing && self.feedback.targets.iter().enumerate().all(same) {
            return Ok(());
        }
        for target in targets.iter().flatten() {
            let subject = &target.range.buffer.subject;
            subject.observe(self.changes.inbox(), Dirty::StreamOutput);
            subject.observe(self.changes.inbox(), Dirty::StorageBuffers);
        }
        self.suspend_feedback();
        let feedback = &mut self.feedback;
        feedback.targets = Default::default();
        feedback.targets[..targets.len()].clone_from_slice(targets);
        feedback.appends = append;
        if !append {
            targets.iter().flatten().for_each(|target| target.vertices.store(0, Ordering::Relaxed));
        }
        self.force(Dirty::StreamOutput);
        self.force(Dirty::ShaderKey);
        self.force(Dirty::StorageBuffers);
        Ok(())
    }

    /// Whether the device must capture the draws of the bound program.
    fn device_captures(&mut self) -> bool {
        self.feedback_back_end() == Some(BackEnd::Extension)
    }

    /// Returns an error if `program` captures to a buffer without a target.
    pub(super) fn check_targets(&self, program: &Program) -> Result<()> {
        let is_missing =
            |number: &usize| program.xfb.buffers[*number].is_used && self.feedback.targets[*number].is_none();
        match (0..MAX_TARGETS).find(is_missing) {
            Some(number) => Err(Error::new(format!("the program captures to buffer {number}, which has no target"))),
            None => Ok(()),
        }
    }

    /// Binds the targets.
    pub(super) fn take_stream_output(&mut self) -> Result<()> {
        if !self.device_captures() {
            return Ok(());
        }
        let Some(functions) = self.device.feedback.clone() else { return Ok(()) };
        let Some(program) = self.current.program.clone() else { return Ok(()) };
        self.check_targets(&program)?;
        self.suspend_feedback();
        for (number, target) in self.feedback.targets.clone().into_iter().enumerate() {
            let Some(target) = target else { continue };
            target.stride.store(program.xfb.buffers[number].stride, Ordering::Relaxed);
            let storage = target.range.buffer.storage();
            self.use_buffer(&storage, Use::Feedback);
            let (buffers, offsets, sizes) = ([*storage.raw], [target.range.offset], [target.range.size]);
            let commands = self.batch.commands;
            // SAFETY: the buffer is recording, and no capture is running; the part lies within the buffer, which the batch keeps.
            unsafe {
                let bind = functions.fp().cmd_bind_transform_feedback_buffers_ext;
                bind(commands, number as u32, 1, buffers.as_ptr(), offsets.as_ptr(), sizes.as_ptr());
            }
            self.counters.commands += 1;
        }
        self.flush_barriers();
        Ok(())
    }

    /// Begins or continues the device's capture, if it must capture.
    pub(super) fn resume_feedback(&mut self) -> Result<()> {
        if self.feedback.is_running || !self.device_captures() {
            return Ok(());
        }
        let Some(functions) = self.device.feedback.clone() else { return Ok(()) };
        let counters: Vec<_> = self.counters_of_targets();
        for (_, storage) in &counters {
            self.use_buffer(storage, Use::FeedbackCounter);
        }
        for target in self.feedback.targets.clone().into_iter().flatten() {
            let storage = target.range.buffer.storage();
            self.use_buffer(&storage, Use::Feedback);
        }
        self.flush_barriers();
        self.begin_rendering();
        let handles: Vec<vk::Buffer> = match self.feedback.appends {
            true => counters.iter().map(|(_, storage)| *storage.raw).collect(),
            // Without counters the capture begins anew.
            false => counters.iter().map(|_| vk::Buffer::null()).collect(),
        };
        let offsets = vec![0u64; handles.len()];
        // SAFETY: the buffer is recording, within a rendering; a pipeline that captures is bound, and so are its buffers.
        unsafe {
            let begin = functions.fp().cmd_begin_transform_feedback_ext;
            begin(self.batch.commands, 0, handles.len() as u32, handles.as_ptr(), offsets.as_ptr());
        }
        self.counters.commands += 1;
        (self.feedback.is_running, self.feedback.appends) = (true, true);
        Ok(())
    }

    /// Ends a running capture, which can continue later.
    pub(super) fn suspend_feedback(&mut self) {
        if !std::mem::take(&mut self.feedback.is_running) {
            return;
        }
        let Some(functions) = self.device.feedback.clone() else { return };
        let handles: Vec<vk::Buffer> = self.counters_of_targets().iter().map(|(_, storage)| *storage.raw).collect();
        let offsets = vec![0u64; handles.len()];
        // SAFETY: the buffer is recording; a capture was begun in it, in this rendering. The counters have 4 bytes.
        unsafe {
            let end = functions.fp().cmd_end_transform_feedback_ext;
            end(self.batch.commands, 0, handles.len() as u32, handles.as_ptr(), offsets.as_ptr());
        }
        self.counters.commands += 1;
    }

    /// The counters of the targets up to the last one. A number without a target has the counter of the next target, because it
    /// is not written.
    fn counters_of_targets(&self) -> Vec<(usize, Arc<crate::resource::BufferStorage>)> {
        let targets = self.feedback.targets.iter().enumerate();
        targets.filter_map(|(number, target)| Some((number, target.as_ref()?.counter.storage()))).collect()
    }
}
