//! From dirty bits to the command buffer; flushes and fences.

use super::{Command, Context, Dirty};
use crate::device::Logical;
use crate::error::{Error, ErrorKind, Result};
use crate::pipeline::{PipelineDesc, Word};
use crate::state::{bits, walk, BitSet, Derived};
use std::sync::Arc;
use std::time::Duration;

/// Values that are computed of the state, and kept while nothing changes that they depend on.
pub(super) struct DerivedState {
    /// Why a draw with this state cannot be; `None` if it can.
    draw: Derived<Option<String>, Dirty>,
}

impl Default for DerivedState {
    fn default() -> DerivedState {
        let depends = bits![Dirty: Program, Framebuffer, VertexElements, VertexBuffers, StreamOutput];
        DerivedState { draw: Derived::new(depends) }
    }
}

impl Context {
    /// Has the command buffer get all that `command` needs.
    pub(super) fn sync(&mut self, command: Command) -> Result<()> {
        self.take_messages();
        if self.options.emit_all {
            self.forget_all();
        }
        let mask = Dirty::mask(command);
        let wanted = mask & self.relevant();
        if (self.dirty & wanted).is_empty() {
            return Ok(());
        }
        self.check_lost()?;
        let mut dirty = self.dirty.take();
        let walked = walk(&mut dirty, mask, self.relevant(), |bit| {
            let was_forced = self.forced.remove(bit);
            let handled = bit.handler()(self);
            if handled.is_err() && was_forced {
                self.forced.insert(bit);
            }
            handled.map(|()| self.dirty.take())
        });
        self.dirty |= dirty;
        self.counters.sync += walked.inspect_err(|_| {
            // A value that differs may have been noted as synced by a part of a handler: all is looked at again.
            self.forced |= self.dirty;
        })?;
        // A handler of an earlier bit may have widened what is relevant.
        match (self.dirty & mask & self.relevant()).is_empty() {
            true => Ok(()),
            false => self.sync_rest(mask),
        }
    }

    /// The bits that became relevant during a walk.
    fn sync_rest(&mut self, mask: BitSet<Dirty>) -> Result<()> {
        let mut dirty = self.dirty.take();
        let walked = walk(&mut dirty, mask, self.relevant(), |bit| {
            self.forced.remove(bit);
            bit.handler()(self).map(|()| self.dirty.take())
        });
        self.dirty |= dirty;
        self.counters.sync += walked.inspect_err(|_| self.forced |= self.dirty)?;
        Ok(())
    }

    /// Takes over what resources told this context: they have other storages.
    pub(super) fn take_messages(&mut self) {
        let posted = self.inbox.take();
        if !posted.is_empty() {
            posted.iter().for_each(|bit| self.force(bit));
        }
    }

    /// The bits whose handlers run.
    fn relevant(&self) -> BitSet<Dirty> {
        match self.options.emit_all {
            true => BitSet::ALL,
            false => self.relevant,
        }
    }

    /// Nothing that the command buffer has, and nothing that was found by what it was made of, counts any more.
    fn forget_all(&mut self) {
        (self.dirty, self.forced) = (BitSet::ALL, BitSet::ALL);
        self.derived.draw.invalidate();
        self.programs.clear();
        self.batch.sets.forget();
        let topology = self.current.desc.get(Word::Topology);
        self.current.desc = PipelineDesc::default();
        self.current.desc.set(Word::Topology, topology);
        self.current.pipeline = None;
        self.current.sets = Default::default();
        self.current.compute_sets = Default::default();
        (self.current.topology, self.current.restart, self.current.indices) = (None, None, None);
        self.bound.stages.iter_mut().for_each(|stage| stage.uploaded = Default::default());
    }

    /// An error if nothing can be drawn with this state.
    pub(super) fn check_draw(&mut self) -> Result<()> {
        let mut derived = std::mem::take(&mut self.derived);
        let computed = &mut self.counters.derived;
        let (bound, current, limits) = (&self.bound, &self.current, &self.device.limits);
        let why = derived.draw.get(&self.revisions, || {
            *computed += 1;
            super::draw::why_not(bound, current, limits)
        });
        let result = match why {
            Some(why) => Err(Error::new(why.clone())),
            None => Ok(()),
        };
        self.derived = derived;
        result
    }

    /// Submits all that was recorded. The fence is reached when the device is done with it.
    pub fn flush(&mut self) -> Result<Fence> {
        let number = match self.batch.is_empty() && self.current.rendering.clears.is_empty() {
            true => self.submitted.back().and_then(|batch| batch.number).unwrap_or(0),
            false => self.submit()?,
        };
        self.retire()?;
        Ok(Fence { device: Arc::clone(&self.device), number })
    }

    /// Submits all that was recorded, and waits until the device is done: `glFinish`.
    pub fn finish(&mut self) -> Result<()> {
        let timeout = self.device.timeout;
        self.flush()?.wait(timeout)?;
        self.retire()
    }
}

/// Reached when the device is done with what was flushed: Gallium's `pipe_fence_handle`.
pub struct Fence {
    device: Arc<Logical>,
    number: u64,
}

impl Fence {
    /// Whether it was reached.
    pub fn is_reached(&self) -> Result<bool> {
        self.device.queue.is_done(&self.device.raw, self.number)
    }

    /// Waits until it is reached; an error of the kind [`ErrorKind::Timeout`] if that takes longer.
    pub fn wait(&self, timeout: Duration) -> Result<()> {
        let waited = self.device.queue.wait(&self.device.raw, self.number, timeout);
        waited.inspect_err(|error| {
            if error.kind == ErrorKind::DeviceLost {
                self.device.note_lost();
            }
        })
    }
}
