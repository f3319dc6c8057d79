//! Transform feedback: Gallium's stream output.
//!
//! With `VK_EXT_transform_feedback` the device captures. A capture begins with the first draw that has targets, and lasts until
//! something ends it that Vulkan does not allow within: another pipeline, the end of the rendering. How far it came is in a counter
//! on the device, so that it goes on from there.
//!
//! Where shaders write what is captured, see `capture`.

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

/// Buffers that transform feedback writes.
pub(crate) const MAX_TARGETS: usize = 4;

/// A part of a buffer that transform feedback writes: Gallium's `pipe_stream_output_target`.
pub struct StreamOutputTarget {
    pub(crate) range: BufferRange,
    /// Bytes that were captured, on the device.
    pub(crate) counter: Arc<Buffer>,
    /// Bytes of a vertex, if the device captured there last; else 0.
    stride: AtomicU32,
    /// Vertices that shaders captured there since it was begun to.
    vertices: AtomicU32,
}

/// How many vertices a target has.
pub(super) enum Captured {
    /// So many, as shaders captured them.
    Vertices(u32),
    /// The device knows how many bytes it captured, of so many each.
    OnDevice { stride: u32 },
}

impl StreamOutputTarget {
    /// How many vertices were captured there.
    pub(super) fn captured(&self) -> Captured {
        match self.stride.load(Ordering::Relaxed) {
            0 => Captured::Vertices(self.vertices()),
            stride => Captured::OnDevice { stride },
        }
    }

    /// Vertices that shaders captured there.
    pub(super) fn vertices(&self) -> u32 {
        self.vertices.load(Ordering::Relaxed)
    }

    pub(super) fn add_vertices(&self, vertices: u32) {
        self.vertices.store(self.vertices().saturating_add(vertices), Ordering::Relaxed);
        self.stride.store(0, Ordering::Relaxed);
    }
}

/// What is captured to.
#[derive(Default)]
pub(super) struct Feedback {
    pub(super) targets: [Option<Arc<StreamOutputTarget>>; MAX_TARGETS],
    /// Captures go on where they ended.
    appends: bool,
    /// A capture of the device is under way.
    is_running: bool,
    /// What shaders that capture are told, and what they have done.
    pub(super) capture: CaptureProgress,
}

impl Feedback {
    /// Whether anything is to be captured.
    pub(super) fn is_active(&self) -> bool {
        self.targets.iter().any(Option::is_some)
    }
}

impl Context {
    /// A part of a buffer that transform feedback can write. Its offset and size are multiples of 4.
    pub fn create_stream_output_target(&mut self, range: BufferRange) -> Result<Arc<StreamOutputTarget>> {
        let fits = range.offset.checked_add(range.size).is_some_and(|end| end <= range.buffer.size());
        if !fits || !range.offset.is_multiple_of(4) || !range.size.is_multiple_of(4) || range.size == 0 {
            return Err(Error::new("a part of a buffer that transform feedback cannot write"));
        }
        let counter = self.create_buffer(BufferDescription { size: 4, usage: Default::default() })?;
        self.clear_buffer(&counter, 0, 4, 0)?;
        Ok(Arc::new(StreamOutputTarget { range, counter, stride: AtomicU32::new(0), vertices: AtomicU32::new(0) }))
    }

    /// Sets what transform feedback writes; none ends it. With `append` it goes on where it ended, else it begins anew.
    pub fn set_stream_output_targets(
        &mut self,
        targets: &[Option<Arc<StreamOutputTarget>>],
        append: bool,
    ) -> Result<()> {
        if targets.len() > MAX_TARGETS {
            return Err(Error::new(format!("{} targets of transform feedback", targets.len())));
        }
        let same = |(number, bound): (usize, &Option<Arc<StreamOutputTarget>>)| {
            let target = targets.get(number).and_then(Option::as_ref);
            bound.as_ref().map(Arc::as_ptr) == target.map(Arc::as_ptr)
        };
        // To go on with what is captured to is no change, and to end what did not begin is none either.
        let changes_nothing = append || targets.iter().all(Option::is_none);
        if changes_nothing && self.feedback.targets.iter().enumerate().all(same) {
            return Ok(());
        }
        for target in targets.iter().flatten() {
            let subject = &target.range.buffer.subject;
            subject.observe(&self.inbox, Dirty::StreamOutput);
            subject.observe(&self.inbox, Dirty::StorageBuffers);
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

    /// Whether the device is to capture what the bound program draws.
    fn device_captures(&mut self) -> bool {
        self.feedback_back_end() == Some(BackEnd::Extension)
    }

    /// An error if there is no target for a buffer that `program` captures to.
    pub(super) fn check_targets(&self, program: &Program) -> Result<()> {
        let is_missing =
            |number: &usize| program.xfb.buffers[*number].is_used && self.feedback.targets[*number].is_none();
        match (0..MAX_TARGETS).find(is_missing) {
            Some(number) => Err(Error::new(format!("the program captures to buffer {number}, and there is no target"))),
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
            // SAFETY: the buffer is recording, and no capture is under way; the part lies within the buffer, which the batch keeps.
            unsafe {
                let bind = functions.fp().cmd_bind_transform_feedback_buffers_ext;
                bind(commands, number as u32, 1, buffers.as_ptr(), offsets.as_ptr(), sizes.as_ptr());
            }
            self.counters.commands += 1;
        }
        self.flush_barriers();
        Ok(())
    }

    /// Has the device capture from now on, if it is to.
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
            // Without counters it begins anew.
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

    /// Ends a capture that is under way; it goes on later.
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

    /// The counters of the targets, up to the last; of a number without a target that of the one after it, as it is not written.
    fn counters_of_targets(&self) -> Vec<(usize, Arc<crate::resource::BufferStorage>)> {
        let targets = self.feedback.targets.iter().enumerate();
        targets.filter_map(|(number, target)| Some((number, target.as_ref()?.counter.storage()))).collect()
    }
}
