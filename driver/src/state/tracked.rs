//! A value and what its consumer has of it, so that a change and a change back cost nothing.
//!
//! A setter compares before it sets, and not with the value before but with the one that the consumer has: a state that goes from
//! A to B and back to A between two draws leaves nothing to do.
//!
//! ```
//! use ntv_driver::state::{bits, BitSet, Tracked};
//!
//! bits! {
//!     /// What to record.
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
//! A setter may remove a bit so under two conditions:
//!
//! - The bit belongs to this value alone: values that share a bit are put in one `Tracked`.
//! - Whatever else sets the bit calls [`Tracked::forget`], as the consumer then no longer has what it had: a new command buffer, or the
//!   handler of another bit that invalidates this one.

/// A value and what its consumer has of it.
///
/// Floats that may be NaN differ from themselves; track their bits.
#[derive(Clone, Debug, Default)]
pub struct Tracked<T: PartialEq> {
    value: T,
    consumer: Consumer<T>,
}

/// What the consumer has.
#[derive(Clone, Debug, Default)]
enum Consumer<T> {
    /// Nothing, or nothing that is known.
    #[default]
    Nothing,
    /// The value.
    Value,
    /// Another value.
    Other(T),
}

impl<T: PartialEq> Tracked<T> {
    /// A value of which the consumer has nothing yet.
    pub const fn new(value: T) -> Tracked<T> {
        Tracked { value, consumer: Consumer::Nothing }
    }

    /// The value.
    pub const fn get(&self) -> &T {
        &self.value
    }

    /// Changes the value; says whether it now differs from what the consumer has.
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

    /// Whether the value differs from what the consumer has.
    pub const fn differs(&self) -> bool {
        !matches!(self.consumer, Consumer::Value)
    }

    /// Says that the consumer has the value now.
    pub fn synced(&mut self) {
        self.consumer = Consumer::Value;
    }

    /// Says that the consumer has lost what it had, as a new command buffer does: the value differs until it is synced.
    pub fn forget(&mut self) {
        self.consumer = Consumer::Nothing;
    }
}
