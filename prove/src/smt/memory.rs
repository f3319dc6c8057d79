// SPDX-License-Identifier: MIT

//! Memory in SMT-LIB.
//!
//! A state is a bit vector that says only which state it is. A read looks through writes and selections: it is a choice by addresses of
//! the values that were written, and a function of state and address at the start. Where states are operands of symbols, two states are
//! the same, or differ in some cell.

use super::encode::{Choice, Encoder, STATE};
use super::text::Bits;
use crate::term::{Arena, Name, Op, Term, UNDEFINED};
use rustc_hash::{FxHashMap, FxHashSet};

/// At most this many pairs of states are compared by their cells.
const MOST_PAIRS: usize = 256;

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The number that a term is.
    Of(Term),
    /// Any, by the index of its expression.
    Any(usize),
}

/// The states that are operands of symbols, by symbol and position.
#[derive(Debug, Default)]
pub(super) struct StateArgs {
    known: FxHashMap<(Name, usize), Vec<Term>>,
    compared: FxHashSet<[Term; 2]>,
    /// Whether a pair was not compared by its cells, so that a model may take equal states for different ones.
    pub(super) is_incomplete: bool,
}

impl Encoder<'_> {
    /// A state, whose operands have been added.
    pub(super) fn state(&mut self, term: Term) -> Bits {
        let node = self.arena.node(term);
        match node.op {
            Op::Ite => {
                let [yes, no] = [1, 2].map(|i: usize| self.number(node.args[i]));
                self.number(node.args[0]).is_true().choose(&yes, &no)
            }
            Op::Symbol(name) => {
                self.compare_states(term);
                self.function(format!("symbol {}", self.arena.name(name)), &node.args, STATE)
            }
            _ => self.function("write".to_owned(), &node.args, STATE),
        }
    }

    /// The value of the cell at `place`.
    pub(super) fn cell(&mut self, state: Term, place: Place, width: u8) -> Bits {
        // Without recursion: a chain of writes may be long.
        let mut todo = vec![state];
        while let Some(next) = todo.last().copied() {
            if self.cells.contains_key(&(next, place, width)) {
                todo.pop();
                continue;
            }
            let missing =
                below(self.arena, next).iter().filter(|below| !self.cells.contains_key(&(**below, place, width)));
            let before = todo.len();
            todo.extend(missing);
            if todo.len() == before {
                let cell = self.cell_of(next, place, width);
                let cell = self.script.name(&cell);
                self.cells.insert((next, place, width), cell);
                todo.pop();
            }
        }
        self.cells[&(state, place, width)].clone()
    }

    /// The value of a cell, if it is known below writes and selections.
    fn cell_of(&mut self, state: Term, place: Place, width: u8) -> Bits {
        let node = self.arena.node(state);
        let known = |encoder: &Self, below: Term| encoder.cells[&(below, place, width)].clone();
        let bits = u32::from(width);
        match node.op {
            Op::Ite => {
                let [yes, no] = [1, 2].map(|i: usize| known(self, node.args[i]));
                self.number(node.args[0]).is_true().choose(&yes, &no)
            }
            Op::Write => {
                let below = known(self, node.args[0]);
                let same = self.number(node.args[1]).equals(&self.address(place));
                let written = self.number(node.args[2]).fit(bits);
                same.choose(&written, &below)
            }
            _ if self.arena.is_undefined(state) => {
                let cell = self.script.apply(format!("symbol {UNDEFINED}"), &[], bits);
                self.choices.push((Choice::Undefined(width), cell.clone()));
                cell
            }
            _ => {
                let cell = self.script.apply("cell".into(), &[self.number(state), self.address(place)], bits);
                self.choices.push((Choice::Cell(state, place, width), cell.clone()));
                cell
            }
        }
    }

    fn address(&self, place: Place) -> Bits {
        match place {
            Place::Of(term) => self.number(term),
            Place::Any(index) => self.places[index].clone(),
        }
    }

    /// The values of two states at an address that may be any, and the address.
    pub(super) fn at_any_cell(&mut self, states: [Term; 2]) -> ([Bits; 2], Place, u8) {
        let (address, width) = shape(self.arena, &states);
        let place = Place::Any(self.places.len());
        let any = self.script.any(address.into());
        self.places.push(any);
        (states.map(|state| self.cell(state, place, width)), place, width)
    }

    /// Requires of the states among the operands of a symbol that they differ in a cell from those of the same symbol elsewhere, or are
    /// the same.
    pub(super) fn compare_states(&mut self, symbol: Term) {
        let node = self.arena.node(symbol);
        let Op::Symbol(name) = node.op else { return };
        for (position, arg) in node.args.iter().enumerate().filter(|(_, arg)| self.arena.width(**arg) == 0) {
            let others = self.state_args.known.entry((name, position)).or_default();
            if others.contains(arg) {
                continue;
            }
            let others = std::mem::take(others);
            for other in &others {
                self.differ_in_a_cell([*other, *arg]);
            }
            self.state_args.known.insert((name, position), others.into_iter().chain([*arg]).collect());
        }
    }

    fn differ_in_a_cell(&mut self, states: [Term; 2]) {
        // States without writes are what their symbols are.
        if states.iter().all(|state| below(self.arena, *state).is_empty()) {
            return;
        }
        if self.state_args.compared.len() >= MOST_PAIRS {
            self.state_args.is_incomplete = true;
            return;
        }
        if self.state_args.compared.insert(states) {
            let ([a, b], ..) = self.at_any_cell(states);
            let same = self.number(states[0]).equals(&self.number(states[1]));
            self.script.assert(&same.or(&a.equals(&b).not()));
        }
    }
}

/// The states that `state` is made of.
fn below(arena: &Arena, state: Term) -> &[Term] {
    let node = arena.node(state);
    match node.op {
        Op::Write => &node.args[..1],
        Op::Ite => &node.args[1..],
        _ => &[],
    }
}

/// The widths of the addresses and of the widest cell of states.
fn shape(arena: &Arena, states: &[Term]) -> (u8, u8) {
    let (mut address, mut width) = (32, 32);
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut todo = states.to_vec();
    while let Some(state) = todo.pop() {
        if seen.insert(state) {
            let node = arena.node(state);
            if node.op == Op::Write {
                address = arena.width(node.args[1]);
                width = width.max(arena.width(node.args[2]));
            }
            todo.extend(below(arena, state));
        }
    }
    (address, width)
}
