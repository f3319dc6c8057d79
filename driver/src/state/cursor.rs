// SPDX-License-Identifier: MIT

//! A walk over a set that changes during the walk.

use super::bitset::{Bit, BitSet};

/// A position in a set that changes while it is walked.
///
/// The cursor does not borrow the set between its steps, so that the handling of a bit can add or remove later bits, and the walk
/// follows these changes. Bits that the cursor has passed must not change; debug builds check this in the next step.
///
/// ```
/// use ntv_driver::state::{bits, BitSet, Cursor};
///
/// bits! {
///     /// Work to do.
///     pub enum Work { /// First.
///         Program, /// Then.
///         Pipeline, /// Last.
///         Descriptors }
/// }
///
/// let mut pending = BitSet::of(&[Work::Program, Work::Descriptors]);
/// let mut cursor = Cursor::new();
/// let mut done = Vec::new();
/// while let Some(work) = cursor.take(&mut pending) {
///     done.push(work);
///     if work == Work::Program {
///         pending.insert(Work::Pipeline);
///         pending.remove(Work::Descriptors);
///     }
/// }
/// assert_eq!(done, [Work::Program, Work::Pipeline]);
/// ```
#[derive(Clone, Debug)]
pub struct Cursor<E: Bit> {
    /// The index after the bit that the last step returned.
    next: usize,
    /// The set after the last step; only in debug builds.
    left: Option<BitSet<E>>,
}

impl<E: Bit> Default for Cursor<E> {
    fn default() -> Self {
        Cursor::new()
    }
}

impl<E: Bit> Cursor<E> {
    /// A position before the first bit.
    pub const fn new() -> Cursor<E> {
        Cursor { next: 0, left: None }
    }

    /// The next bit, which stays in `set`.
    pub fn next(&mut self, set: &BitSet<E>) -> Option<E> {
        let bit = self.step(set, set);
        if cfg!(debug_assertions) {
            self.left = Some(*set);
        }
        bit
    }

    /// The next bit, which is removed from `set`.
    pub fn take(&mut self, set: &mut BitSet<E>) -> Option<E> {
        self.take_of(set, &BitSet::ALL)
    }

    /// Returns the next bit that is also in `wanted`, and removes it from `set`. The other bits stay.
    pub fn take_of(&mut self, set: &mut BitSet<E>, wanted: &BitSet<E>) -> Option<E> {
        let bit = self.step(set, wanted);
        if let Some(bit) = bit {
            set.remove(bit);
        }
        if cfg!(debug_assertions) {
            self.left = Some(*set);
        }
        bit
    }

    /// The next bit that is also in `wanted`. Checks the changes since the last step.
    fn step(&mut self, set: &BitSet<E>, wanted: &BitSet<E>) -> Option<E> {
        if cfg!(debug_assertions) {
            let changed = self.left.and_then(|left| (left ^ *set).first()).filter(|bit| bit.index() < self.next);
            assert!(changed.is_none(), "{changed:?} has changed after a walk passed it");
        }
        let bit = set.next_common(wanted, self.next)?;
        self.next = bit.index() + 1;
        Some(bit)
    }
}

impl<E: Bit> BitSet<E> {
    /// Removes the bits one by one, lowest first, and calls `work` for each with the rest of the set: `work` may add and remove
    /// later bits.
    pub fn drain_live(&mut self, mut work: impl FnMut(E, &mut BitSet<E>)) {
        let mut cursor = Cursor::new();
        while let Some(bit) = cursor.take(self) {
            work(bit, self);
        }
    }
}
