// SPDX-License-Identifier: MIT

//! Records the state of dirty bits into the command buffer; flushes and fences.

use super::{Command, Context, Dirty};
use crate::device::Logical;
use crate::error::{ErrorKind, Result};
use crate::pipeline::{PipelineDesc, Word};
use crate::state::{bits, walk, BitSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Context {
    /// Records all state that `command` needs.
    pub(super) fn sync(&mut self, command: Command) -> Result<()> {
        self.sync_bits(Dirty::mask(command), |context| match command {
            Command::Draw => context.check_draw().map(|()| context.find_general()),
            Command::Dispatch | Command::Clear => Ok(()),
        })
    }

    /// Records the state of the bits in `mask`. If there are any, `check` validates the state once the program is known: invalid
    /// state is not recorded.
    pub(super) fn sync_bits(
        &mut self,
        mask: BitSet<Dirty>,
        check: impl FnOnce(&mut Context) -> Result<()>,
    ) -> Result<()> {
        self.take_messages();
        if self.options.emit_all {
            self.forget_all();
        }
        let wanted = mask & self.relevant();
        if (self.changes.dirty() & wanted).is_empty() {
            return Ok(());
        }
        self.device.check_lost()?;
        if self.changes.is_dirty(Dirty::Program) {
            // The program determines the relevant bits.
            self.walk(mask & bits![Dirty: Program])?;
        }
        check(self)?;
        self.walk(mask)
    }

    fn walk(&mut self, mask: BitSet<Dirty>) -> Result<()> {
        let mut dirty = self.changes.take();
        let walked = walk(&mut dirty, mask, self.relevant(), |bit| {
            let was_forced = self.changes.take_forced(bit);
            let handled = self.handle(bit);
            if handled.is_err() && was_forced {
                self.changes.keep_forced(bit);
            }
            handled.map(|()| self.changes.take())
        });
        self.changes.put_back(dirty);
        self.counters.sync += walked.inspect_err(|_| {
            // A part of the handler may already have marked a value as synced: all state is recorded again.
            self.changes.distrust();
        })?;
        Ok(())
    }

    /// Runs the handler of a bit, and measures its time if enabled.
    fn handle(&mut self, bit: Dirty) -> Result<()> {
        if !self.options.time_phases {
            return bit.handler()(self);
        }
        let start = Instant::now();
        let handled = bit.handler()(self);
        self.counters.phases[bit.phase() as usize] += start.elapsed();
        handled
    }

    /// Takes the notifications of resources that have a new storage.
    pub(super) fn take_messages(&mut self) {
        let posted = self.changes.take_posted();
        if !posted.is_empty() {
            posted.iter().for_each(|bit| self.force(bit));
        }
    }

    /// The bits whose handlers run.
    fn relevant(&self) -> BitSet<Dirty> {
        match self.options.emit_all {
            true => BitSet::ALL,
            false => self.changes.relevant(),
        }
    }

    /// Forgets the state of the command buffer, and all objects that were found by their contents.
    fn forget_all(&mut self) {
        self.changes.lose_all();
        self.derived = Default::default();
        self.programs.clear();
        self.batch.sets.forget();
        let topology = self.current.desc.get(Word::Topology);
        self.current.desc = PipelineDesc::default();
        self.current.desc.set(Word::Topology, topology);
        self.current.pipeline = None;
        self.current.sets = Default::default();
        self.current.compute_sets = Default::default();
        self.current.indices = None;
        self.batch.recorded = Default::default();
        self.bound.stages.iter_mut().for_each(|stage| stage.uploaded = Default::default());
    }

    /// Submits all recorded commands. The fence is reached when the device is done with them.
    pub fn flush(&mut self) -> Result<Fence> {
        let number = match self.batch.is_empty() && self.current.rendering.clears.is_empty() {
            true => self.batches.last().unwrap_or(0),
            false => self.submit()?,
        };
        self.batches.retire(&self.device)?;
        Ok(Fence { device: Arc::clone(&self.device), number })
    }

    /// Submits all recorded commands, and waits until the device is done: `glFinish`.
    pub fn finish(&mut self) -> Result<()> {
        let timeout = self.device.timeout;
        self.flush()?.wait(timeout)?;
        self.batches.retire(&self.device)
    }
}

/// A fence that is reached when the device is done with a flush: Gallium's `pipe_fence_handle`.
pub struct Fence {
    device: Arc<Logical>,
    number: u64,
}

impl Fence {
    /// Whether it was reached.
    pub fn is_reached(&self) -> Result<bool> {
        self.device.queue.is_done(&self.device.raw, self.number)
    }

    /// Waits until it is reached; an error of the kind [`ErrorKind::Timeout`] if this takes longer than `timeout`.
    pub fn wait(&self, timeout: Duration) -> Result<()> {
        let waited = self.device.queue.wait(&self.device.raw, self.number, timeout);
        waited.inspect_err(|error| {
            if error.kind == ErrorKind::DeviceLost {
                self.device.note_lost();
            }
        })
    }
}
