// SPDX-License-Identifier: MIT

//! Enums with different numbers of bits, and random sets of them.

use ntv_driver::state::{bits, Bit, BitSet};
use std::collections::BTreeSet;

bits! {
    /// One bit.
    pub(crate) struct One[1];
}
bits! {
    /// A few bits.
    pub(crate) struct Few[20];
}
bits! {
    /// The number of bits of one word.
    pub(crate) struct Word[64];
}
bits! {
    /// The smallest number of bits that needs a summary.
    pub(crate) struct WordAndOne[65];
}
bits! {
    /// Two full words.
    pub(crate) struct TwoWords[128];
}
bits! {
    /// Several words, the last one partly used.
    pub(crate) struct Many[300];
}
bits! {
    /// The maximum number of bits of a set.
    pub(crate) struct Most[4096];
}

/// A random bit.
pub(crate) fn bit<E: Bit>(random: &mut fastrand::Rng) -> E {
    E::from_index(random.usize(..E::COUNT))
}

/// A set of random bits, from none to all of them, and an equal model.
pub(crate) fn set<E: Bit + Ord>(random: &mut fastrand::Rng) -> (BitSet<E>, BTreeSet<E>) {
    let out_of = random.usize(1..20);
    let model: BTreeSet<E> = (0..E::COUNT).filter(|_| random.usize(..out_of) == 0).map(E::from_index).collect();
    (model.iter().copied().collect(), model)
}

/// Calls a generic function for each size.
macro_rules! for_each_size {
    ($function:ident) => {
        $function::<crate::random::One>();
        $function::<crate::random::Few>();
        $function::<crate::random::Word>();
        $function::<crate::random::WordAndOne>();
        $function::<crate::random::TwoWords>();
        $function::<crate::random::Many>();
        $function::<crate::random::Most>();
    };
}
pub(crate) use for_each_size;
