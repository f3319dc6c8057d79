// SPDX-License-Identifier: MIT

//! The last change of each bit, for any number of consumers.
//!
//! A dirty bit is consumed once. If several consumers need a change, such as one of a program that contexts share, each bit has a
//! revision instead, and each consumer records the revision that it has seen:
//!
//! ```
//! use ntv_driver::state::{bits, BitSet, Revisions, Seen};
//!
//! bits! {
//!     /// The parts of a program that can change.
//!     pub enum Part { /// The modules.
//!         Modules, /// The default uniform block.
//!         Uniforms }
//! }
//!
//! let mut program = Revisions::new();
//! let mut context = Seen::new();
//! assert_eq!(context.take(&program), BitSet::ALL); // A new consumer has seen nothing.
//!
//! program.bump(Part::Uniforms);
//! assert_eq!(context.take(&program), bits![Part: Uniforms]);
//! assert_eq!(context.take(&program), BitSet::EMPTY);
//! ```
//!
//! For another object, even one at the same address, all bits count as changed for a consumer. If threads share an object, the
//! revisions must be under the lock that guards the rest of it.
//!
//! Revisions are 64 bits: at one change each nanosecond, they last for 584 years.

use super::bitset::{Bit, BitSet};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// The revision of the last change of each bit of an object.
#[derive(Debug)]
pub struct Revisions<E: Bit> {
    /// The number of the object; never 0.
    object: u64,
    /// The revision of the last change.
    now: u64,
    /// The revision of the last change of each bit.
    changed: Box<[u64]>,
    bits: PhantomData<E>,
}

/// The revision of an object that a consumer has seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen<E: Bit> {
    /// The number of the object, 0 for none.
    object: u64,
    revision: u64,
    bits: PhantomData<E>,
}

impl<E: Bit> Revisions<E> {
    /// An object without changes.
    pub fn new() -> Revisions<E> {
        static OBJECTS: AtomicU64 = AtomicU64::new(1);
        let object = OBJECTS.fetch_add(1, Ordering::Relaxed);
        Revisions { object, now: 0, changed: vec![0; E::COUNT].into(), bits: PhantomData }
    }

    /// Records that `bit` has changed.
    pub fn bump(&mut self, bit: E) {
        self.now += 1;
        self.changed[bit.index()] = self.now;
    }

    /// Records that these bits have changed.
    pub fn bump_set(&mut self, bits: BitSet<E>) {
        self.now += 1;
        for bit in bits {
            self.changed[bit.index()] = self.now;
        }
    }

    /// Records that everything has changed.
    pub fn bump_all(&mut self) {
        self.now += 1;
        self.changed.fill(self.now);
    }
}

impl<E: Bit> Seen<E> {
    /// A consumer that has seen nothing.
    pub const fn new() -> Seen<E> {
        Seen { object: 0, revision: 0, bits: PhantomData }
    }

    /// The bits that have changed since the consumer last caught up.
    pub fn since(&self, revisions: &Revisions<E>) -> BitSet<E> {
        if self.is_current(revisions) {
            return BitSet::EMPTY;
        }
        if self.object != revisions.object {
            return BitSet::ALL;
        }
        let changed = revisions.changed.iter().enumerate().filter(|(_, changed)| **changed > self.revision);
        changed.map(|(index, _)| E::from_index(index)).collect()
    }

    /// Whether one of `bits` has changed since the consumer last caught up.
    pub fn has_news_of(&self, bits: BitSet<E>, revisions: &Revisions<E>) -> bool {
        !self.is_current(revisions)
            && (self.object != revisions.object
                || bits.iter().any(|bit| revisions.changed[bit.index()] > self.revision))
    }

    /// Whether nothing has changed since the consumer last caught up.
    pub fn is_current(&self, revisions: &Revisions<E>) -> bool {
        self.object == revisions.object && self.revision == revisions.now
    }

    /// Records that the consumer has seen all changes until now.
    pub fn catch_up(&mut self, revisions: &Revisions<E>) {
        *self = Seen { object: revisions.object, revision: revisions.now, bits: PhantomData };
    }

    /// The bits that have changed since the consumer last caught up; then catches up.
    #[must_use]
    pub fn take(&mut self, revisions: &Revisions<E>) -> BitSet<E> {
        let changed = self.since(revisions);
        self.catch_up(revisions);
        changed
    }
}

impl<E: Bit> Default for Revisions<E> {
    fn default() -> Self {
        Revisions::new()
    }
}

impl<E: Bit> Default for Seen<E> {
    fn default() -> Self {
        Seen::new()
    }
}
