// SPDX-License-Identifier: MIT

//! What a loop carries, and what is assumed of it: that a value is one of the reference's.

use super::{Limits, ValueId};
use crate::term::{Arena, Term};
use crate::world::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The code whose loops are simulated.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// Its loops.
    pub records: &'a [Record],
    /// What its loops and those of the other code carried in runs with chosen inputs.
    pub traces: [&'a Trace; 2],
    /// What is inside of its array.
    pub limits: &'a Limits,
}

/// What loops carried at the start of each iteration of a run with chosen inputs. Equal terms are equal values.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub(super) carried: FxHashMap<(usize, Key), Vec<Term>>,
}

/// What a loop carries from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    /// A scalar of a phi.
    Phi(ValueId, usize),
    /// A cell of a variable of the code, all of whose cells are known.
    Cell(Space, u64),
    /// A state.
    Space(Space),
}

/// A carried value of a loop that ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub(super) key: Key,
    pub(super) width: u8,
    pub(super) initial: Term,
    pub(super) symbol: Term,
    pub(super) last: Term,
    pub(super) next: Term,
}

/// A loop that ran.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its number among the loops of the code.
    pub(super) at: usize,
    pub(super) carried: Vec<Carried>,
    /// The condition under which an iteration is the last one.
    pub(super) leaves: Option<Term>,
}

/// The assumptions about what a loop carries.
pub(super) struct Plan<'a> {
    /// The number of the loop in its code.
    pub(super) at: usize,
    pub(super) reference: Option<Record>,
    pub(super) traces: Option<[&'a Trace; 2]>,
    /// The symbol of each carried value, and the values of the reference that it was not.
    pub(super) assumed: BTreeMap<Key, Assumed>,
    /// For each symbol, what it is in the last iteration.
    pub(super) last: FxHashMap<Term, Term>,
}

#[derive(Clone, Debug)]
pub(super) struct Assumed {
    pub(super) initial: Term,
    pub(super) symbol: Term,
    /// The number of the reference's value that it is assumed to be.
    pub(super) partner: Option<usize>,
    pub(super) refuted: FxHashSet<usize>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(at: usize, partner: Option<(Record, [&'a Trace; 2])>) -> Plan<'a> {
        let (reference, traces) = partner.unzip();
        Plan { at, reference, traces, assumed: BTreeMap::new(), last: FxHashMap::default() }
    }

    /// Whether a carried value had the values of the reference's in runs with chosen inputs; true if they do not tell.
    pub(super) fn ran_alike(&self, key: Key, other: Key) -> bool {
        let (Some([theirs, own]), Some(reference)) = (self.traces, &self.reference) else { return true };
        match (theirs.carried.get(&(reference.at, other)), own.carried.get(&(self.at, key))) {
            // A cell is noted from its first write on.
            (Some(a), Some(b)) => a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a == b),
            _ => true,
        }
    }

    pub(super) fn symbol(&self, key: Key) -> Option<Term> {
        self.assumed.get(&key).map(|it| it.symbol)
    }

    pub(super) fn symbols(&self) -> Vec<(Key, Term)> {
        self.assumed.iter().map(|(key, it)| (*key, it.symbol)).collect()
    }

    /// Adds a carried value that starts with `initial`. It is assumed to be another one that starts alike, such as a second counter, if
    /// it has no partner.
    pub(super) fn add(&mut self, arena: &mut Arena, (number, key): (usize, Key), initial: Term) {
        let alike = |it: &&Assumed| it.partner.is_none() && it.initial == initial && arena.width(initial) > 0;
        let same = self.assumed.values().find(alike).map(|it| it.symbol);
        let assumed = Assumed { initial, symbol: initial, partner: None, refuted: FxHashSet::default() };
        self.assumed.insert(key, assumed);
        self.assume(arena, (number, key), initial, None);
        if let (Some(same), Some(Assumed { partner: None, symbol, .. })) = (same, self.assumed.get_mut(&key)) {
            *symbol = same;
        }
    }

    /// Tells values apart that were assumed to be the same, and become different ones. Returns whether there are any.
    fn split(&mut self, arena: &mut Arena, number: usize, next: &BTreeMap<Key, (Term, Term)>) -> bool {
        let mut groups: FxHashMap<Term, BTreeMap<Term, Vec<Key>>> = FxHashMap::default();
        for (key, (_, is)) in next {
            if let Some(Assumed { partner: None, symbol, .. }) = self.assumed.get(key) {
                groups.entry(*symbol).or_default().entry(*is).or_default().push(*key);
            }
        }
        groups.retain(|_, groups| groups.len() > 1);
        let splits = !groups.is_empty();
        for keys in groups.into_values().flat_map(BTreeMap::into_values) {
            let symbol = self.own_symbol(arena, (number, keys[0]));
            for key in keys {
                self.assumed.entry(key).and_modify(|it| it.symbol = symbol);
            }
        }
        splits
    }

    /// The symbol that has the name of a carried value.
    fn own_symbol(&mut self, arena: &mut Arena, (number, key): (usize, Key)) -> Term {
        let width = self.assumed.get(&key).map_or(0, |it| arena.width(it.initial));
        let side = if self.reference.is_some() { "other " } else { "" };
        let name = match key {
            Key::Phi(value, c) => format!("{side}loop {number}: {value}.{c}"),
            Key::Cell(space, cell) => format!("{side}loop {number}: {space:?}.{cell}"),
            Key::Space(space) => format!("{side}loop {number}: {space:?}"),
        };
        let symbol = arena.symbol(&name, width, &[]);
        let last = arena.symbol(&format!("{name}, last"), width, &[]);
        self.last.insert(symbol, last);
        symbol
    }

    /// Assumes that a carried value is the next of the reference's that starts alike, or none of them.
    pub(super) fn assume(&mut self, arena: &mut Arena, (number, key): (usize, Key), initial: Term, hint: Option<Term>) {
        let width = arena.width(initial);
        let taken: FxHashSet<usize> = self.assumed.values().filter_map(|it| it.partner).collect();
        let Some(refuted) = self.assumed.get(&key).map(|assumed| assumed.refuted.clone()) else { return };
        let carried = self.reference.iter().flat_map(|record| record.carried.iter().enumerate());
        let candidates = carried.filter(|(i, it)| {
            let starts_alike = it.width == width && it.initial == initial;
            starts_alike && !refuted.contains(i) && self.ran_alike(key, it.key)
        });
        // One that has the same next value, else one that has no partner yet.
        let best = candidates.min_by_key(|(i, it)| (Some(it.next) != hint, taken.contains(i), *i));
        let best = best.map(|(i, it)| (i, *it));
        let Some(assumed) = self.assumed.get_mut(&key) else { return };
        if let Some((i, it)) = best {
            (assumed.partner, assumed.symbol) = (Some(i), it.symbol);
            self.last.insert(it.symbol, it.last);
            return;
        }
        assumed.partner = None;
        let symbol = self.own_symbol(arena, (number, key));
        self.assumed.entry(key).and_modify(|it| it.symbol = symbol);
    }

    /// Whether the assumptions held; else they are changed.
    pub(super) fn is_stable(&mut self, arena: &mut Arena, number: usize, next: &BTreeMap<Key, (Term, Term)>) -> bool {
        let mut stable = true;
        // A value that an iteration changes is carried. What was not known to be carried has spoilt the rest.
        for (key, (was, is)) in next {
            if was != is && !self.assumed.contains_key(key) {
                if let Key::Space(whole) = key {
                    self.assumed.retain(|key, _| !matches!(key, Key::Cell(space, _) if space == whole));
                }
                self.add(arena, (number, *key), *was);
                stable = false;
            }
        }
        if !stable || self.split(arena, number, next) {
            return false;
        }
        for (key, (was, is)) in next {
            let Some(assumed) = self.assumed.get_mut(key) else { continue };
            let partner = assumed.partner.and_then(|i| Some((i, self.reference.as_ref()?.carried.get(i)?)));
            if let Some((i, it)) = partner {
                if it.next != *is {
                    assumed.refuted.insert(i);
                    assumed.partner = None;
                    self.assume(arena, (number, *key), *was, Some(*is));
                    stable = false;
                }
            }
        }
        stable
    }

    pub(super) fn carried(&self, arena: &Arena, next: &BTreeMap<Key, (Term, Term)>) -> Vec<Carried> {
        let of = |(key, assumed): (&Key, &Assumed)| {
            let (initial, next) = *next.get(key)?;
            let (symbol, last) = (assumed.symbol, *self.last.get(&assumed.symbol)?);
            Some(Carried { key: *key, width: arena.width(initial), initial, symbol, last, next })
        };
        self.assumed.iter().filter_map(of).collect()
    }
}
