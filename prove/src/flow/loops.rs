// SPDX-License-Identifier: MIT

//! Runs loops: one iteration after the other where values are known, else by simulation.

use super::plan::{Key, Plan, Record};
use super::{BlockId, Code, Edge, Edges, Loop, Machine, Obligation, Phi, State, Step, Unsupported, Value, ValueId};
use crate::term::Term;
use crate::world::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most runs of a loop's body.
const MOST_ROUNDS: usize = 64;

impl Machine<'_> {
    /// Runs a loop whose values are known, one iteration after the other.
    pub(super) fn iterate(
        &mut self,
        code: &mut dyn Code,
        number: usize,
        incoming: Vec<Edge>,
        edges: &mut Edges,
    ) -> Step<()> {
        let Loop { header, body } = code.loops()[number].clone();
        let order: Vec<BlockId> = code.order().iter().copied().filter(|block| body.contains(block)).collect();
        let mut incoming = incoming;
        while self.iterations > 0 {
            self.join(&incoming);
            self.join_phis(code, header, &incoming)?;
            self.note(code, number)?;
            let start = Edge { from: header, state: self.state.clone() };
            let mut inner = Edges::from([(header, vec![start])]);
            self.region(code, &order, Some(header), &mut inner)?;
            incoming = inner.remove(&header).unwrap_or_default();
            for (to, from) in inner {
                edges.entry(to).or_default().extend(from);
            }
            if incoming.is_empty() {
                return Ok(());
            }
            self.iterations -= 1;
        }
        let reason = "loops with too many iterations".to_owned();
        Err(Unsupported { reason, place: format!("loop {number}") })
    }

    /// Notes what a loop carries into an iteration.
    pub(super) fn note(&mut self, code: &dyn Code, number: usize) -> Step<()> {
        let header = code.loops()[number].header;
        for phi in code.phis(header)? {
            let value = self.value(phi.result).unwrap_or_default();
            for (c, term) in value.iter().enumerate() {
                self.trace.carried.entry((number, Key::Phi(phi.result, c))).or_default().push(*term);
            }
        }
        for space in self.state.spaces().collect::<Vec<Space>>() {
            let term = self.space(space);
            for (cell, width) in self.cells(space, term).unwrap_or_default() {
                let value = self.cell(term, cell, width);
                self.trace.carried.entry((number, Key::Cell(space, cell))).or_default().push(value);
            }
            self.trace.carried.entry((number, Key::Space(space))).or_default().push(term);
        }
        Ok(())
    }

    /// The cells that a variable of the code has, with their widths, if all are known.
    pub(super) fn cells(&self, space: Space, state: Term) -> Option<BTreeMap<u64, u8>> {
        match space {
            Space::Local(_) => self.arena.known_cells(state),
            _ => None,
        }
    }

    /// The value of a cell of a state.
    pub(super) fn cell(&mut self, state: Term, cell: u64, width: u8) -> Term {
        let address = self.arena.constant(32, cell);
        self.arena.read(state, address, width)
    }

    /// Runs a loop. One that does not come to its header again is not one.
    pub(super) fn loop_(
        &mut self,
        code: &mut dyn Code,
        number: usize,
        incoming: &[Edge],
        edges: &mut Edges,
    ) -> Step<()> {
        let Loop { header, body } = code.loops()[number].clone();
        let order: Vec<BlockId> = code.order().iter().copied().filter(|block| body.contains(block)).collect();
        let known = (self.records.len(), self.obligations.len());
        self.join(incoming);
        self.join_phis(code, header, incoming)?;
        let start = Edge { from: header, state: self.state.clone() };
        let mut inner = Edges::from([(header, vec![start])]);
        self.region(code, &order, Some(header), &mut inner)?;
        if !inner.contains_key(&header) {
            for (to, from) in inner {
                edges.entry(to).or_default().extend(from);
            }
            return Ok(());
        }
        self.records.truncate(known.0);
        self.obligations.truncate(known.1);
        self.simulate(code, number, incoming, edges)
    }

    /// Runs the body of a loop as often as it takes to know what it carries.
    pub(super) fn simulate(
        &mut self,
        code: &mut dyn Code,
        it: usize,
        incoming: &[Edge],
        edges: &mut Edges,
    ) -> Step<()> {
        let Loop { header, body } = code.loops()[it].clone();
        // Loops have numbers in the order in which they start.
        let number = self.records.len();
        self.records.push(Record::default());
        let phis = code.phis(header)?;
        self.join(incoming);
        self.join_phis(code, header, incoming)?;
        let before = self.state.clone();
        let mut initial: BTreeMap<Key, Term> = BTreeMap::new();
        for phi in &phis {
            let value = self.value(phi.result).unwrap_or_default();
            initial.extend(value.iter().enumerate().map(|(c, term)| (Key::Phi(phi.result, c), *term)));
        }
        let order: Vec<BlockId> = code.order().iter().copied().filter(|block| body.contains(block)).collect();
        // What is carried, and the symbol for it: what an iteration changes is added.
        let partner = self.reference.and_then(|it| Some((it.records.get(number)?.clone(), it.traces)));
        let mut plan = Plan::new(it, partner);
        let mut rounds = 0;
        let (mut leaving, next) = loop {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                let reason = "a loop whose carried values are not matched".to_owned();
                return Err(Unsupported { reason, place: format!("loop {number}") });
            }
            let obligations = self.obligations.len();
            let path = self.arena.boolean(true);
            self.state = State { path, spaces: before.spaces.clone() };
            for phi in &phis {
                let terms: Vec<Term> = (0..phi.widths.len())
                    .map(|c| {
                        let key = Key::Phi(phi.result, c);
                        plan.symbol(key).unwrap_or(initial[&key])
                    })
                    .collect();
                self.set_value(phi.result, terms);
            }
            for (key, symbol) in plan.symbols() {
                match key {
                    Key::Space(space) => self.set_space(space, symbol),
                    Key::Cell(space, cell) => {
                        let state = self.space(space);
                        let address = self.arena.constant(32, cell);
                        let state = self.arena.write(state, address, symbol);
                        self.set_space(space, state);
                    }
                    Key::Phi(..) => {}
                }
            }
            let mut inner = Edges::from([(header, vec![Edge { from: header, state: self.state.clone() }])]);
            self.region(code, &order, Some(header), &mut inner)?;
            let back = inner.remove(&header).unwrap_or_default();
            let next = self.next(&phis, (&initial, &plan), &back, &before);
            if plan.is_stable(self.arena, number, &next) {
                break (inner, next);
            }
            self.obligations.truncate(obligations);
            self.records.truncate(number + 1);
        };
        self.finish(code, number, (&plan, &next, &before), &mut leaving, &body);
        for (to, from) in leaving {
            edges.entry(to).or_default().extend(from);
        }
        Ok(())
    }

    /// What the edges back to the header carry.
    pub(super) fn next(
        &mut self,
        phis: &[Phi],
        (initial, plan): (&BTreeMap<Key, Term>, &Plan<'_>),
        back: &[Edge],
        before: &State,
    ) -> BTreeMap<Key, (Term, Term)> {
        let mut next = BTreeMap::new();
        if back.is_empty() {
            return next;
        }
        self.join(back);
        let path = self.state.path;
        for phi in phis {
            let values: Vec<Value> = back.iter().map(|edge| self.incoming(phi, edge)).collect();
            for c in 0..phi.widths.len() {
                let parts: Vec<Term> = values.iter().map(|value| value[c]).collect();
                let key = Key::Phi(phi.result, c);
                next.insert(key, (initial[&key], self.choose(back, &parts, path)));
            }
        }
        for space in self.state.spaces().collect::<Vec<Space>>() {
            let was = before.get(self.arena, space);
            let is = self.space(space);
            let cells = (self.cells(space, was), self.cells(space, is));
            let is_whole = plan.assumed.contains_key(&Key::Space(space));
            let (Some(mut cells), Some(more), false) = (cells.0, cells.1, is_whole) else {
                next.insert(Key::Space(space), (was, is));
                continue;
            };
            cells.extend(more);
            for (cell, width) in cells {
                let [was, is] = [was, is].map(|state| self.cell(state, cell, width));
                next.insert(Key::Cell(space, cell), (was, is));
            }
        }
        next
    }

    /// Records a loop, and makes its values and the edges that leave it those of its last iteration.
    pub(super) fn finish(
        &mut self,
        code: &dyn Code,
        number: usize,
        (plan, next, before): (&Plan<'_>, &BTreeMap<Key, (Term, Term)>, &State),
        leaving: &mut Edges,
        body: &FxHashSet<BlockId>,
    ) {
        let mut leaves = self.arena.boolean(false);
        for edge in leaving.values().flatten() {
            leaves = self.arena.either(leaves, edge.state.path);
        }
        if let Some(expected) = plan.reference.as_ref().and_then(|record| record.leaves) {
            let what = format!("the condition under which loop {number} ends");
            self.obligations.push(Obligation { what, expected, found: leaves });
        }
        let mut map: FxHashMap<Term, Term> = plan.last.clone();
        let last_leaves = self.arena.replace(leaves, &mut map);
        for edge in leaving.values_mut().flatten() {
            let path = self.arena.replace(edge.state.path, &mut map);
            let path = self.arena.under(path, last_leaves);
            edge.state.path = self.arena.both(before.path, path);
            for term in edge.state.spaces.values_mut() {
                *term = self.arena.replace(*term, &mut map);
            }
        }
        for value in body.iter().flat_map(|block| code.results(*block)).collect::<Vec<ValueId>>() {
            let Some(known) = self.value(value) else { continue };
            let terms: Vec<Term> = known.iter().map(|term| self.arena.replace(*term, &mut map)).collect();
            self.set_value(value, terms);
        }
        let carried = plan.carried(self.arena, next);
        self.records[number] = Record { at: plan.at, carried, leaves: Some(leaves) };
    }
}
