// SPDX-License-Identifier: MIT

//! Walks over sets that change during the walk.

use crate::random::{self, for_each_size, Word};
use ntv_driver::state::{Bit, BitSet, Cursor};
use std::collections::BTreeSet;

/// Changes random bits from `from` on, in a set and its model.
fn change_later<E: Bit + Ord>(set: &mut BitSet<E>, model: &mut BTreeSet<E>, from: usize, random: &mut fastrand::Rng) {
    for _ in 0..random.usize(..4) {
        if from == E::COUNT {
            return;
        }
        let bit = E::from_index(random.usize(from..E::COUNT));
        if random.bool() {
            set.insert(bit);
            model.insert(bit);
        } else {
            set.remove(bit);
            model.remove(&bit);
        }
    }
}

#[test]
fn a_cursor_follows_changes_of_later_bits() {
    fn run<E: Bit + Ord>() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 / (E::COUNT + 20) {
            let (mut set, mut model) = random::set::<E>(&mut random);
            let takes = random.bool();
            let mut cursor = Cursor::new();
            let mut from = 0;
            loop {
                let expected = model.iter().copied().find(|bit| bit.index() >= from);
                let bit = if takes { cursor.take(&mut set) } else { cursor.next(&set) };
                assert_eq!(bit, expected);
                let Some(bit) = bit else { break };
                if takes {
                    model.remove(&bit);
                }
                from = bit.index() + 1;
                change_later(&mut set, &mut model, from, &mut random);
            }
            assert!(set.iter().eq(model));
        }
    }
    for_each_size!(run);
}

#[test]
fn take_of_leaves_other_bits() {
    fn run<E: Bit + Ord>() {
        let mut random = fastrand::Rng::with_seed(8);
        for _ in 0..20_000 / (E::COUNT + 20) {
            let (mut set, _) = random::set::<E>(&mut random);
            let (wanted, _) = random::set::<E>(&mut random);
            let before = set;
            let mut cursor = Cursor::new();
            let taken: Vec<E> = std::iter::from_fn(|| cursor.take_of(&mut set, &wanted)).collect();
            assert!(taken.into_iter().eq(before & wanted));
            assert_eq!(set, before - wanted);
        }
    }
    for_each_size!(run);
}

#[test]
fn drain_live_passes_the_rest() {
    let bit = Word::from_index;
    let mut set = BitSet::of(&[bit(1), bit(5), bit(60)]);
    let mut met = Vec::new();
    set.drain_live(|found, rest| {
        met.push(found);
        if found == bit(1) {
            rest.remove(bit(5));
            rest.insert(bit(2));
            rest.insert(bit(63));
        }
    });
    assert_eq!(met, [bit(1), bit(2), bit(60), bit(63)]);
    assert!(set.is_empty());
}

#[test]
fn iter_walks_a_copy() {
    let mut set = BitSet::of(&[Word::from_index(3), Word::from_index(4)]);
    let met = set.iter().filter(|bit| set.remove(*bit)).count();
    assert_eq!((met, set.len()), (2, 0));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "has changed after a walk passed it")]
fn a_bit_that_was_passed_must_not_be_set() {
    let mut set = BitSet::of(&[Word::from_index(3), Word::from_index(4)]);
    set.drain_live(|_, rest| {
        rest.insert(Word::from_index(2));
    });
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "has changed after a walk passed it")]
fn a_bit_that_was_passed_must_not_be_removed() {
    let mut set = BitSet::of(&[Word::from_index(3), Word::from_index(4)]);
    let mut cursor = Cursor::new();
    while let Some(bit) = cursor.next(&set) {
        set.remove(bit);
    }
}
