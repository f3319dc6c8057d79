// SPDX-License-Identifier: MIT

//! A value and the consumer's version of it, so that a change and a change back cost nothing.
//!
//! A setter compares the new value with the one that the consumer has, instead of the previous value: a state that changes from A
//! to B and back to A between two draws needs no work.
//!
//! ```
//! use ntv_driver::state::{bits, BitSet, Tracked};
//!
//! bits! {
//!     /// The state to record.
//!     pub enum Dirty { /// Dynamic line width.
//!         LineWidth }
//! }
//!
//! let mut dirty = BitSet::EMPTY;
//! let mut line_width = Tracked::new(1u32);
//! line_width.synced(); // A handler has recorded it.
//!
//! dirty.set(Dirty::LineWidth, line_width.set(2));
//! assert!(dirty.contains(Dirty::LineWidth));
//! dirty.set(Dirty::LineWidth, line_width.set(1));
//! assert!(dirty.is_empty());
//! ```
//!
//! A setter may remove a bit in this way under two conditions:
//!
//! - The bit belongs to this value alone: values that share a bit are in one `Tracked`.
//! - All other code that sets the bit calls [`Tracked::forget`], since the consumer has lost its value then: a new command
//!   buffer, or the handler of another bit that invalidates this one.

/// A value and the consumer's version of it.
///
/// NaN differs from itself; to track floats that may be NaN, track their bits.
#[derive(Clone, Debug, Default)]
pub struct Tracked<T: PartialEq> {
    value: T,
    consumer: Consumer<T>,
}

/// The value that the consumer has.
#[derive(Clone, Debug, Default)]
enum Consumer<T> {
    /// None, or an unknown value.
    #[default]
    Nothing,
    /// The current value.
    Value,
    /// Another value.
    Other(T),
}

impl<T: PartialEq> Tracked<T> {
    /// A value that the consumer does not have yet.
    pub const fn new(value: T) -> Tracked<T> {
        Tracked { value, consumer: Consumer::Nothing }
    }

    /// The value.
    pub const fn get(&self) -> &T {
        &self.value
    }

    /// Changes the value; returns whether it now differs from the consumer's value.
    pub fn set(&mut self, value: T) -> bool {
        if self.value == value {
            return self.differs();
        }
        let before = std::mem::replace(&mut self.value, value);
        match &self.consumer {
            Consumer::Nothing => {}
            Consumer::Value => self.consumer = Consumer::Other(before),
            Consumer::Other(other) if *other == self.value => self.consumer = Consumer::Value,
            Consumer::Other(_) => {}
        }
        self.differs()
    }

    /// Whether the value differs from the consumer's value.
    pub const fn differs(&self) -> bool {
        !matches!(self.consumer, Consumer::Value)
    }

    /// Records that the consumer has the value now.
    pub fn synced(&mut self) {
        self.consumer = Consumer::Value;
    }

    /// Records that the consumer has lost its value, as a new command buffer does: the value differs until it is synced.
    pub fn forget(&mut self) {
        self.consumer = Consumer::Nothing;
    }
}
