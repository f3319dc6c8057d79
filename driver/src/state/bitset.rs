// SPDX-License-Identifier: MIT

//! A set of the bits of one enum.
//!
//! - A bit of one enum cannot be inserted into the set of another: it does not compile.
//! - Up to 64 bits are one word. Above that, up to 4096 bits, a summary word marks the words that have bits
//!   ([`words`](super::words)).
//! - A walk visits the bits from the lowest to the highest, which is the order of the enum. [`BitSet::iter`] walks a copy. A
//!   [`Cursor`] walks the set itself, while later bits are added and removed.
//!
//! ```
//! use ntv_driver::state::{bits, BitSet};
//!
//! bits! {
//!     /// The objects that a context binds.
//!     pub enum Binding {
//!         /// Vertex buffers.
//!         Vertices,
//!         /// The index buffer.
//!         Indices,
//!         /// Sampler views.
//!         Textures,
//!     }
//! }
//!
//! const DRAW: BitSet<Binding> = bits![Binding: Vertices, Textures];
//!
//! let mut bound = BitSet::of(&[Binding::Indices, Binding::Textures]);
//! assert_eq!((bound & DRAW).first(), Some(Binding::Textures));
//! bound.remove(Binding::Textures);
//! assert_eq!(format!("{bound:?}"), "{Indices}");
//! ```

use super::words::Words;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

pub use super::cursor::Cursor;

/// An enum whose values are the bits of a set, or a number of that kind. [`bits!`](crate::bits) declares one.
pub trait Bit: Copy + Eq + fmt::Debug + 'static {
    /// The number of bits.
    const COUNT: usize;
    /// The names of the bits, in their order.
    const NAMES: &'static [&'static str];
    /// The set of all bits.
    const ALL: BitSet<Self>;
    /// The storage of a set, with room for [`Bit::COUNT`] bits.
    type Words: Words;
    /// The index of the bit in the enum.
    fn index(self) -> usize;
    /// The bit at an index below [`Bit::COUNT`].
    fn from_index(index: usize) -> Self;
}

/// A set of bits of `E`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BitSet<E: Bit> {
    words: E::Words,
}

impl<E: Bit> BitSet<E> {
    /// No bits.
    pub const EMPTY: BitSet<E> = BitSet { words: <E::Words as Words>::EMPTY };
    /// All bits.
    pub const ALL: BitSet<E> = E::ALL;

    /// No bits.
    pub const fn new() -> BitSet<E> {
        BitSet::EMPTY
    }

    /// The set of these bits. In a constant, use `bits![E: A, B]`.
    pub fn of(bits: &[E]) -> BitSet<E> {
        bits.iter().copied().collect()
    }

    /// The set with the storage `words`, which have no bits from [`Bit::COUNT`] on.
    pub const fn from_words(words: E::Words) -> BitSet<E> {
        BitSet { words }
    }

    /// The storage of the set.
    pub const fn words(&self) -> E::Words {
        self.words
    }

    /// Adds `bit`; returns whether it is new.
    pub fn insert(&mut self, bit: E) -> bool {
        let new = !self.contains(bit);
        self.words.insert(bit.index());
        new
    }

    /// Removes `bit`; returns whether the set had it.
    pub fn remove(&mut self, bit: E) -> bool {
        let there = self.contains(bit);
        self.words.remove(bit.index());
        there
    }

    /// Adds `bit` or removes it.
    pub fn set(&mut self, bit: E, there: bool) {
        if there {
            self.insert(bit);
        } else {
            self.remove(bit);
        }
    }

    /// Removes all bits.
    pub fn clear(&mut self) {
        *self = BitSet::EMPTY;
    }

    /// Removes all bits and returns them.
    #[must_use]
    pub fn take(&mut self) -> BitSet<E> {
        std::mem::take(self)
    }

    /// Whether the set has `bit`.
    pub fn contains(&self, bit: E) -> bool {
        self.words.contains(bit.index())
    }

    /// Whether the set has no bits.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of bits.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether `other` has all bits of this set.
    pub fn is_subset(&self, other: &BitSet<E>) -> bool {
        (*self - *other).is_empty()
    }

    /// Whether the sets have a common bit.
    pub fn intersects(&self, other: &BitSet<E>) -> bool {
        self.next_common(other, 0).is_some()
    }

    /// The lowest bit.
    pub fn first(&self) -> Option<E> {
        self.next_from(0)
    }

    /// The highest bit.
    pub fn last(&self) -> Option<E> {
        self.words.last().map(E::from_index)
    }

    /// The lowest bit from `index` on.
    pub fn next_from(&self, index: usize) -> Option<E> {
        self.next_common(self, index)
    }

    /// The lowest common bit from `index` on.
    pub fn next_common(&self, other: &BitSet<E>, index: usize) -> Option<E> {
        self.words.next_common(&other.words, index).map(E::from_index)
    }

    /// The bits, lowest first, of a copy: later changes of the set have no effect.
    pub fn iter(&self) -> Iter<E> {
        Iter { indices: self.words.indices() }
    }
}

impl<E: Bit> Default for BitSet<E> {
    fn default() -> Self {
        BitSet::EMPTY
    }
}

impl<E: Bit> Hash for BitSet<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words.hash(state);
    }
}

/// The bits: `{Viewport, Scissor}`.
impl<E: Bit> fmt::Debug for BitSet<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

macro_rules! operator {
    ($(#[$doc:meta] $operator:ident::$method:ident, $assign:ident::$assign_method:ident, $join:expr;)*) => {
        $(
            #[$doc]
            impl<E: Bit> $operator for BitSet<E> {
                type Output = BitSet<E>;

                fn $method(self, other: BitSet<E>) -> BitSet<E> {
                    BitSet { words: self.words.zip(&other.words, $join) }
                }
            }

            #[$doc]
            impl<E: Bit> $assign for BitSet<E> {
                fn $assign_method(&mut self, other: BitSet<E>) {
                    *self = $operator::$method(*self, other);
                }
            }
        )*
    };
}

operator! {
    /// The bits of either set.
    BitOr::bitor, BitOrAssign::bitor_assign, |a, b| a | b;
    /// The bits of both sets.
    BitAnd::bitand, BitAndAssign::bitand_assign, |a, b| a & b;
    /// The bits that only one of the sets has.
    BitXor::bitxor, BitXorAssign::bitxor_assign, |a, b| a ^ b;
    /// The bits of the first that the second does not have.
    Sub::sub, SubAssign::sub_assign, |a, b| a & !b;
}

/// The bits of a set, lowest first.
#[derive(Clone, Debug)]
pub struct Iter<E: Bit> {
    indices: <E::Words as Words>::Indices,
}

impl<E: Bit> Iterator for Iter<E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        self.indices.next().map(E::from_index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }
}

impl<E: Bit> ExactSizeIterator for Iter<E> {}

impl<E: Bit> IntoIterator for BitSet<E> {
    type Item = E;
    type IntoIter = Iter<E>;

    fn into_iter(self) -> Iter<E> {
        self.iter()
    }
}

impl<E: Bit> FromIterator<E> for BitSet<E> {
    fn from_iter<I: IntoIterator<Item = E>>(bits: I) -> Self {
        let mut set = BitSet::EMPTY;
        set.extend(bits);
        set
    }
}

impl<E: Bit> Extend<E> for BitSet<E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, bits: I) {
        for bit in bits {
            self.insert(bit);
        }
    }
}

/// Declares an enum and implements [`Bit`] for it, or the same for numbered bits, or creates a constant set.
///
/// ```
/// use ntv_driver::state::{bits, Bit, BitSet};
///
/// bits! {
///     /// A kind of command.
///     pub enum Command {
///         /// Draws.
///         Draw,
///         /// Clears.
///         Clear,
///     }
/// }
///
/// const BOTH: BitSet<Command> = bits![Command: Draw, Clear];
/// assert_eq!(BOTH, BitSet::ALL);
/// assert_eq!(Command::NAMES, ["Draw", "Clear"]);
///
/// bits! {
///     /// A texture unit.
///     pub struct Unit[128];
/// }
///
/// let bound = BitSet::of(&[Unit::from_index(0), Unit::from_index(127)]);
/// assert_eq!(format!("{bound:?}"), "{Unit(0), Unit(127)}");
/// ```
#[macro_export]
macro_rules! bits {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$bit_meta:meta])* $bit:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[$bit_meta])* $bit,)+
        }

        $crate::bits! {
            @set $vis $name, [$($name::$bit),+].len(), &[$(stringify!($bit)),+];
            |bit| bit as usize;
            |index| {
                const BITS: &[$name] = &[$($name::$bit),+];
                BITS[index]
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident[$count:expr];) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u16);

        $crate::bits! {
            @set $vis $name, $count, &[stringify!($name); $count];
            |bit| bit.0 as usize;
            |index| {
                assert!(index < $count, concat!("the index is too large for ", stringify!($name)));
                $name(index as u16)
            }
        }
    };
    ($name:ident: $($bit:ident),* $(,)?) => {
        $name::bits(&[$($name::$bit),*])
    };
    (
        @set $vis:vis $name:ident, $count:expr, $names:expr;
        |$bit:ident| $to_index:expr;
        |$index:ident| $from_index:expr
    ) => {
        #[allow(dead_code, reason = "the same for every type")]
        impl $name {
            /// The set of these bits, as a constant.
            $vis const fn bits(bits: &[$name]) -> $crate::state::BitSet<$name> {
                let mut words = <<$name as $crate::state::Bit>::Words>::below(0);
                let mut at = 0;
                while at < bits.len() {
                    let $bit = bits[at];
                    words = words.with($to_index);
                    at += 1;
                }
                $crate::state::BitSet::from_words(words)
            }
        }

        impl $crate::state::Bit for $name {
            const COUNT: usize = $count;
            const NAMES: &'static [&'static str] = $names;
            const ALL: $crate::state::BitSet<$name> =
                $crate::state::BitSet::from_words(<<$name as $crate::state::Bit>::Words>::below($count));
            type Words =
                $crate::state::words::WordsOf<{ $crate::state::words::words_for($count) }, { $count <= 64 }>;

            fn index(self) -> usize {
                let $bit = self;
                $to_index
            }

            fn from_index($index: usize) -> $name {
                $from_index
            }
        }
    };
}
