// SPDX-License-Identifier: MIT

//! Cached values that are computed from state, with the bits that they depend on.
//!
//! There are two forms. [`Derived`] is one value and pulls: it compares the [`Revisions`] of an object with those of its last
//! computation, so any number of values, in any place, can depend on the object. [`derived!`](crate::derived) declares all values
//! of one owner, such as a context, and is pushed: the owner reports which bits have changed. The declared dependencies determine
//! the values that a bit invalidates, so no list of them is written by hand.
//!
//! ```
//! use ntv_driver::state::{bits, derived, Derived, Revisions};
//!
//! bits! {
//!     /// The objects that a context binds.
//!     pub enum State { /// The program.
//!         Program, /// Vertex elements.
//!         Elements, /// The attachments.
//!         Framebuffer }
//! }
//!
//! let mut state = Revisions::new();
//! let mut attributes = Derived::new(bits![State: Program, Elements]);
//! assert_eq!(*attributes.get(&state, || 0b11), 0b11);
//! state.bump(State::Framebuffer);
//! assert_eq!(*attributes.get(&state, || unreachable!("nothing that it depends on has changed")), 0b11);
//! assert_eq!(attributes.recomputations(), 1);
//!
//! derived! {
//!     /// The values that a context computes.
//!     pub struct Cached, values Value, from State;
//!
//!     /// The attributes that the program reads and an element feeds.
//!     Attributes { field: attributes, is: u32, from: [Program, Elements], uses: [] }
//!     /// Whether a draw may run.
//!     CanDraw { field: can_draw, is: bool, from: [Framebuffer], uses: [Attributes] }
//! }
//!
//! let mut cached = Cached::default();
//! let attributes = *cached.attributes(|| 0b11);
//! assert!(*cached.can_draw(|| attributes != 0));
//!
//! cached.changed(State::Framebuffer);
//! assert_eq!(cached.stale(), bits![Value: CanDraw]);
//! cached.changed(State::Elements);
//! assert_eq!(cached.stale(), bits![Value: Attributes, CanDraw]);
//! ```

use super::bitset::{Bit, BitSet};
use super::revision::{Revisions, Seen};

/// A computed value, and the number of its computations.
#[derive(Clone, Debug)]
pub struct Slot<T> {
    value: Option<T>,
    recomputations: u64,
}

impl<T> Slot<T> {
    /// A value that was never computed.
    pub const fn new() -> Slot<T> {
        Slot { value: None, recomputations: 0 }
    }

    /// The value, computed if it is stale or there is none.
    pub fn get(&mut self, stale: bool, compute: impl FnOnce() -> T) -> &T {
        if stale {
            self.value = None;
        }
        self.value.get_or_insert_with(|| {
            self.recomputations += 1;
            compute()
        })
    }

    /// The number of computations.
    pub const fn recomputations(&self) -> u64 {
        self.recomputations
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot::new()
    }
}

/// A cached value with the bits of an object that it depends on.
#[derive(Clone, Debug)]
pub struct Derived<T, E: Bit> {
    depends_on: BitSet<E>,
    seen: Seen<E>,
    slot: Slot<T>,
}

impl<T, E: Bit> Derived<T, E> {
    /// A value that depends on these bits.
    pub const fn new(depends_on: BitSet<E>) -> Derived<T, E> {
        Derived { depends_on, seen: Seen::new(), slot: Slot::new() }
    }

    /// The value, recomputed if its dependencies have changed since the last computation, or if this is another object.
    pub fn get(&mut self, revisions: &Revisions<E>, compute: impl FnOnce() -> T) -> &T {
        let stale = self.seen.has_news_of(self.depends_on, revisions);
        let value = self.slot.get(stale, compute);
        self.seen.catch_up(revisions);
        value
    }

    /// Makes the next [`get`](Self::get) compute.
    pub fn invalidate(&mut self) {
        self.seen = Seen::new();
    }

    /// The number of computations of the value.
    pub const fn recomputations(&self) -> u64 {
        self.slot.recomputations()
    }
}

/// Declares a struct of cached values, each with the state that it is computed `from` and the earlier values that it `uses`.
///
/// The struct has a method with the name of each field, which takes a closure that computes the value, and:
///
/// | method | purpose |
/// |-|-|
/// | `changed(bit)`, `changed_set(bits)` | reports changed state |
/// | `invalidates(bit)` | the values that depend on it |
/// | `stale()` | the values that must be recomputed |
/// | `recomputations(value)` | the number of computations of a value |
///
/// [The module](mod@crate::state::derived) has an example.
#[macro_export]
macro_rules! derived {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident, values $value:ident, from $state:ident;
        $(
            $(#[$row_meta:meta])*
            $row:ident {
                field: $field:ident,
                is: $type:ty,
                from: [$($from:ident),* $(,)?],
                uses: [$($used:ident),* $(,)?] $(,)?
            }
        )+
    ) => {
        $crate::bits! {
            #[doc = concat!("A value of [`", stringify!($name), "`].")]
            $vis enum $value {
                $($(#[$row_meta])* $row,)+
            }
        }

        $(#[$meta])*
        #[derive(Debug)]
        $vis struct $name {
            stale: $crate::state::BitSet<$value>,
            $($field: $crate::state::derived::Slot<$type>,)+
        }

        impl Default for $name {
            fn default() -> Self {
                $name { stale: $crate::state::BitSet::ALL, $($field: Default::default(),)+ }
            }
        }

        #[allow(dead_code, reason = "the same for every table")]
        impl $name {
            const INVALIDATES: [$crate::state::BitSet<$value>; <$state as $crate::state::Bit>::COUNT] = {
                const STATES: usize = <$state as $crate::state::Bit>::COUNT;
                let mut words = [$crate::state::BitSet::<$value>::EMPTY.words(); STATES];
                $(
                    $(words[$state::$from as usize] = words[$state::$from as usize].with($value::$row as usize);)*
                    $(
                        assert!(
                            ($value::$used as usize) < ($value::$row as usize),
                            concat!(stringify!($name), ": rule `uses`: ", stringify!($row), " must be after ", stringify!($used)),
                        );
                        let mut at = 0;
                        while at < STATES {
                            if words[at].has($value::$used as usize) {
                                words[at] = words[at].with($value::$row as usize);
                            }
                            at += 1;
                        }
                    )*
                )+
                let mut lists = [$crate::state::BitSet::EMPTY; STATES];
                let mut at = 0;
                while at < STATES {
                    lists[at] = $crate::state::BitSet::from_words(words[at]);
                    at += 1;
                }
                lists
            };

            /// The values that depend on `bit`.
            $vis fn invalidates(bit: $state) -> $crate::state::BitSet<$value> {
                static LISTS: [$crate::state::BitSet<$value>; <$state as $crate::state::Bit>::COUNT] = $name::INVALIDATES;
                LISTS[bit as usize]
            }

            /// Reports that `bit` has changed.
            $vis fn changed(&mut self, bit: $state) {
                self.stale |= $name::invalidates(bit);
            }

            /// Reports that these bits have changed.
            $vis fn changed_set(&mut self, bits: $crate::state::BitSet<$state>) {
                bits.iter().for_each(|bit| self.changed(bit));
            }

            /// The values that must be recomputed.
            $vis fn stale(&self) -> $crate::state::BitSet<$value> {
                self.stale
            }

            /// The number of computations of `value`.
            $vis fn recomputations(&self, value: $value) -> u64 {
                match value {
                    $($value::$row => self.$field.recomputations(),)+
                }
            }

            $(
                $(#[$row_meta])*
                $vis fn $field(&mut self, compute: impl FnOnce() -> $type) -> &$type {
                    let stale = self.stale.remove($value::$row);
                    self.$field.get(stale, compute)
                }
            )+
        }
    };
}
