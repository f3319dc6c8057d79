// SPDX-License-Identifier: MIT

//! Sets of all sizes behave like a `BTreeSet`.

use crate::random::{self, for_each_size, Many, Most, Word, WordAndOne};
use ntv_driver::state::{bits, Bit, BitSet};
use std::collections::hash_map::DefaultHasher;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::mem::size_of;

bits! {
    /// Three bits.
    enum Small {
        A,
        B,
        C,
    }
}

const A_AND_C: BitSet<Small> = bits![Small: A, C];

#[test]
fn a_declared_enum_is_a_set_of_its_names() {
    assert_eq!((Small::COUNT, Small::NAMES), (3, &["A", "B", "C"][..]));
    assert_eq!(format!("{A_AND_C:?} {:?}", BitSet::<Small>::EMPTY), "{A, C} {}");
    assert_eq!(A_AND_C, BitSet::of(&[Small::C, Small::A]));
    assert_eq!(A_AND_C.into_iter().collect::<Vec<_>>(), [Small::A, Small::C]);
    assert_eq!(BitSet::<Small>::ALL - A_AND_C, bits![Small: B]);
    assert_eq!(bits![Small:], BitSet::<Small>::default());
}

#[test]
fn storage_is_chosen_by_size() {
    assert_eq!(size_of::<BitSet<Small>>(), 8);
    assert_eq!(size_of::<BitSet<Word>>(), 8);
    assert_eq!(size_of::<BitSet<WordAndOne>>(), 8 + 16);
    assert_eq!(size_of::<BitSet<Many>>(), 8 + 40);
    assert_eq!(size_of::<BitSet<Most>>(), 8 + 512);
}

#[test]
fn random_operations_agree_with_a_model() {
    fn run<E: Bit + Ord>() {
        let mut random = fastrand::Rng::with_seed(E::COUNT as u64);
        let (mut set, mut model) = random::set::<E>(&mut random);
        for _ in 0..200_000 / (E::COUNT + 40) {
            change(&mut set, &mut model, &mut random);
            compare(&set, &model, &mut random);
        }
    }
    for_each_size!(run);
}

/// One random operation on a set and its model.
fn change<E: Bit + Ord>(set: &mut BitSet<E>, model: &mut BTreeSet<E>, random: &mut fastrand::Rng) {
    let bit = random::bit::<E>(random);
    match random.u32(..16) {
        0..=3 => assert_eq!(set.insert(bit), model.insert(bit)),
        4..=7 => assert_eq!(set.remove(bit), model.remove(&bit)),
        8 => {
            set.set(bit, true);
            model.insert(bit);
        }
        9 => {
            set.set(bit, false);
            model.remove(&bit);
        }
        10 if random.u32(..8) == 0 => assert!(set.take().into_iter().eq(std::mem::take(model))),
        11 if random.u32(..8) == 0 => {
            set.clear();
            model.clear();
        }
        _ => join(set, model, random),
    }
}

/// Combines a set and its model with random others.
fn join<E: Bit + Ord>(set: &mut BitSet<E>, model: &mut BTreeSet<E>, random: &mut fastrand::Rng) {
    let (other, other_model) = random::set::<E>(random);
    assert_eq!(set.is_subset(&other), model.is_subset(&other_model));
    assert_eq!(set.intersects(&other), !model.is_disjoint(&other_model));
    let from = random.usize(..E::COUNT + 70);
    let common = model.intersection(&other_model).copied().find(|bit| bit.index() >= from);
    assert_eq!(set.next_common(&other, from), common);
    let before = *set;
    let joined = match random.u32(..4) {
        0 => {
            *set |= other;
            (before | other, &*model | &other_model)
        }
        1 => {
            *set &= other;
            (before & other, &*model & &other_model)
        }
        2 => {
            *set -= other;
            (before - other, &*model - &other_model)
        }
        _ => {
            *set ^= other;
            (before ^ other, &*model ^ &other_model)
        }
    };
    assert_eq!(*set, joined.0);
    *model = joined.1;
}

/// Compares the results of all methods with those of the model.
fn compare<E: Bit + Ord>(set: &BitSet<E>, model: &BTreeSet<E>, random: &mut fastrand::Rng) {
    assert!(set.iter().eq(model.iter().copied()));
    assert_eq!((set.iter().len(), set.len()), (model.len(), model.len()));
    let some = random.usize(..=model.len());
    let mut rest = set.iter();
    assert_eq!(rest.by_ref().take(some).count() + rest.len(), model.len());
    assert_eq!(set.is_empty(), model.is_empty());
    assert_eq!((set.first(), set.last()), (model.first().copied(), model.last().copied()));
    let from = random.usize(..E::COUNT + 70);
    assert_eq!(set.next_from(from), model.iter().copied().find(|bit| bit.index() >= from));
    let bit = random::bit::<E>(random);
    assert_eq!(set.contains(bit), model.contains(&bit));
    // Equal sets are equal independent of their history.
    let again: BitSet<E> = model.iter().copied().collect();
    assert_eq!((*set, hash(set)), (again, hash(&again)));
}

fn hash<E: Bit>(set: &BitSet<E>) -> u64 {
    let mut hasher = DefaultHasher::new();
    set.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn all_has_every_bit() {
    fn run<E: Bit + Ord>() {
        assert!(BitSet::<E>::ALL.iter().eq((0..E::COUNT).map(E::from_index)));
        assert_eq!(BitSet::<E>::ALL, (0..E::COUNT).map(E::from_index).collect());
    }
    for_each_size!(run);
}
