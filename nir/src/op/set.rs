// SPDX-License-Identifier: MIT

//! Sets of opcodes, with one bit for each opcode.

use super::{AluOp, Intrinsic};

macro_rules! op_set {
    ($(#[$doc:meta])* $name:ident of $op:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            words: [u64; $op::ALL.len().div_ceil(64)],
        }

        impl $name {
            /// The set of these opcodes.
            pub const fn of(ops: &[$op]) -> $name {
                let mut words = [0; $op::ALL.len().div_ceil(64)];
                let mut at = 0;
                while at < ops.len() {
                    words[ops[at] as usize / 64] |= 1 << (ops[at] as usize % 64);
                    at += 1;
                }
                $name { words }
            }

            /// The opcodes of both sets.
            #[inline]
            pub const fn union(mut self, other: $name) -> $name {
                let mut at = 0;
                while at < self.words.len() {
                    self.words[at] |= other.words[at];
                    at += 1;
                }
                self
            }

            /// Whether the set has `op`.
            #[inline]
            pub const fn contains(&self, op: $op) -> bool {
                self.words[op as usize / 64] >> (op as usize % 64) & 1 != 0
            }

            /// Whether the sets have an opcode in common.
            #[inline]
            pub fn intersects(&self, other: &$name) -> bool {
                self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
            }

            /// Whether it has all opcodes of the other set.
            #[inline]
            pub fn has_all(&self, other: &$name) -> bool {
                self.words.iter().zip(&other.words).fold(0, |left, (own, others)| left | others & !own) == 0
            }

            /// Adds `op`.
            #[inline]
            pub fn insert(&mut self, op: $op) {
                self.words[op as usize / 64] |= 1 << (op as usize % 64);
            }

            /// The opcodes.
            #[inline]
            pub fn iter(&self) -> impl Iterator<Item = $op> + '_ {
                self.words.iter().enumerate().flat_map(|(at, word)| bits(*word).map(move |bit| $op::ALL[64 * at + bit]))
            }
        }
    };
}

op_set! {
    /// A set of ALU opcodes.
    AluSet of AluOp
}

op_set! {
    /// A set of intrinsics.
    IntrinsicSet of Intrinsic
}

/// The set of the intrinsics for which an expression on their row and their meaning is true; for statics.
#[macro_export]
#[doc(hidden)]
macro_rules! intrinsics_where {
    (|$info:ident, $meaning:ident| $is:expr) => {{
        let (mut set, mut at) = ($crate::op::IntrinsicSet::of(&[]), 0);
        while at < $crate::op::INTRINSICS.len() {
            let ($info, $meaning) = (&$crate::op::INTRINSICS[at], &$crate::op::MEANINGS[at]);
            if $is {
                set = set.union($crate::op::IntrinsicSet::of(&[$crate::op::Intrinsic::ALL[at]]));
            }
            at += 1;
        }
        set
    }};
}
pub use intrinsics_where;

/// The numbers of the bits that are set, the highest first.
fn bits(mut left: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = left.checked_ilog2()?;
        left &= !(1 << bit);
        Some(bit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_opcodes() {
        let last = *Intrinsic::ALL.last().expect("an intrinsic");
        let mut set = IntrinsicSet::of(&[Intrinsic::load_ubo, last]);
        assert!(set.contains(last) && !set.contains(Intrinsic::demote));
        set.insert(Intrinsic::demote);
        let ops: Vec<Intrinsic> = set.iter().collect();
        assert!(ops.len() == 3 && [Intrinsic::load_ubo, last, Intrinsic::demote].iter().all(|op| ops.contains(op)));
        let both = IntrinsicSet::of(&[last]).union(IntrinsicSet::of(&[Intrinsic::elect]));
        assert!(both.contains(last) && both.contains(Intrinsic::elect));
        assert!(both.has_all(&IntrinsicSet::of(&[Intrinsic::elect])) && !both.has_all(&set));
        assert!(AluSet::of(AluOp::ALL).iter().count() == AluOp::ALL.len());
    }
}
