// SPDX-License-Identifier: MIT

//! The dirty bits of a context: set by setters, by handlers, and by notifications of resources.

use super::Dirty;
use crate::state::{BitSet, Inbox, Revisions};
use std::sync::Arc;

/// The bits whose state the command buffer does not have yet, and why.
pub(super) struct Changes {
    dirty: BitSet<Dirty>,
    /// Bits that are dirty for other reasons than a changed value.
    forced: BitSet<Dirty>,
    /// The bits that the bound program uses.
    relevant: BitSet<Dirty>,
    revisions: Revisions<Dirty>,
    inbox: Arc<Inbox<Dirty>>,
}

impl Changes {
    /// Those of a new command buffer, which has no state.
    pub(super) fn all() -> Changes {
        Changes {
            dirty: BitSet::ALL,
            forced: BitSet::ALL,
            relevant: BitSet::ALL,
            revisions: Revisions::new(),
            inbox: Arc::new(Inbox::new()),
        }
    }

    pub(super) fn dirty(&self) -> BitSet<Dirty> {
        self.dirty
    }

    pub(super) fn is_dirty(&self, bit: Dirty) -> bool {
        self.dirty.contains(bit)
    }

    pub(super) fn is_forced(&self, bit: Dirty) -> bool {
        self.forced.contains(bit)
    }

    /// The bits that the bound program uses.
    pub(super) fn relevant(&self) -> BitSet<Dirty> {
        self.relevant
    }

    pub(super) fn set_relevant(&mut self, bits: BitSet<Dirty>) {
        self.relevant = bits;
    }

    /// The revisions of the state, for values that are derived from it.
    pub(super) fn revisions(&self) -> &Revisions<Dirty> {
        &self.revisions
    }

    /// The receiver of the notifications of resources.
    pub(super) fn inbox(&self) -> &Arc<Inbox<Dirty>> {
        &self.inbox
    }

    /// Sets `bit` if its state differs from that of the command buffer, and clears it otherwise.
    pub(super) fn compare(&mut self, bit: Dirty, differs: bool) {
        self.revisions.bump(bit);
        if differs {
            self.dirty.insert(bit);
        } else if !self.forced.contains(bit) {
            self.dirty.remove(bit);
        }
    }

    /// Sets `bit` without a comparison.
    pub(super) fn force(&mut self, bit: Dirty) {
        self.revisions.bump(bit);
        self.lose(bit);
    }

    /// Makes values that are derived from the state of `bit` stale.
    pub(super) fn bump(&mut self, bit: Dirty) {
        self.revisions.bump(bit);
    }

    /// Sets `bit`, whose state has not changed: the command buffer has lost it.
    pub(super) fn lose(&mut self, bit: Dirty) {
        self.dirty.insert(bit);
        self.forced.insert(bit);
    }

    /// Sets all bits.
    pub(super) fn lose_all(&mut self) {
        (self.dirty, self.forced) = (BitSet::ALL, BitSet::ALL);
    }

    /// Clears `bit`: the command buffer has its state.
    pub(super) fn settle(&mut self, bit: Dirty) {
        self.dirty.remove(bit);
        self.forced.remove(bit);
    }

    /// Takes all dirty bits.
    pub(super) fn take(&mut self) -> BitSet<Dirty> {
        self.dirty.take()
    }

    /// Puts bits back that were taken.
    pub(super) fn put_back(&mut self, bits: BitSet<Dirty>) {
        self.dirty |= bits;
    }

    /// Takes `bit` from those that are dirty for other reasons than a changed value. Whether it was one.
    pub(super) fn take_forced(&mut self, bit: Dirty) -> bool {
        self.forced.remove(bit)
    }

    /// Makes `bit` one that is dirty for other reasons than a changed value.
    pub(super) fn keep_forced(&mut self, bit: Dirty) {
        self.forced.insert(bit);
    }

    /// Makes all dirty bits such: their values may be marked as recorded, but are not.
    pub(super) fn distrust(&mut self) {
        self.forced |= self.dirty;
    }

    /// Takes the notifications of resources that have a new storage.
    pub(super) fn take_posted(&self) -> BitSet<Dirty> {
        self.inbox.take()
    }
}
