// SPDX-License-Identifier: MIT

//! Runs loops: one iteration after the other where values are known, else by simulation.

use super::plan::{Key, Plan, Record};
use super::{BlockId, Code, Edge, Edges, Loop, Machine, Obligation, Phi, State, Step, Unsupported, Value};
use crate::term::Term;
use crate::world::Space;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The most runs of a loop's body.
const MOST_ROUNDS: usize = 64;

/// What is there when a loop starts: before its first iteration.
struct Start {
    phis: Vec<Phi>,
    /// The scalars of the phis.
    values: BTreeMap<Key, Term>,
    state: State,
}

/// The blocks of a loop, in order.
fn blocks_of(code: &dyn Code, number: usize) -> Vec<BlockId> {
    let body = &code.loops()[number].body;
    code.order().iter().copied().filter(|block| body.contains(block)).collect()
}

/// Adds edges to others.
fn add(edges: &mut Edges, others: Edges) {
    for (to, from) in others {
        edges.entry(to).or_default().extend(from);
    }
}

impl Machine<'_> {
    /// Runs a loop whose values are known, one iteration after the other.
    pub(super) fn iterate(
        &mut self,
        code: &mut dyn Code,
        number: usize,
        incoming: Vec<Edge>,
        edges: &mut Edges,
    ) -> Step<()> {
        let Loop { header, .. } = code.loops()[number];
        let order = blocks_of(code, number);
        let mut incoming = incoming;
        while self.iterations > 0 {
            self.join(&incoming);
            self.join_phis(code, header, &incoming)?;
            self.note(code, number)?;
            let mut inner = self.iteration(code, header, &order)?;
            incoming = inner.remove(&header).unwrap_or_default();
            add(edges, inner);
            if incoming.is_empty() {
                return Ok(());
            }
            self.iterations -= 1;
        }
        let reason = "loops with too many iterations".to_owned();
        Err(Unsupported { reason, place: format!("loop {number}") })
    }

    /// Runs an iteration from the state and the phis at its start. Returns the edges that lead elsewhere, or back to the header.
    fn iteration(&mut self, code: &mut dyn Code, header: BlockId, order: &[BlockId]) -> Step<Edges> {
        let mut edges = Edges::from([(header, vec![Edge { from: header, state: self.state.clone() }])]);
        self.region(code, order, Some(header), &mut edges)?;
        Ok(edges)
    }

    /// Notes what a loop carries into an iteration.
    fn note(&mut self, code: &dyn Code, number: usize) -> Step<()> {
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
    fn cells(&self, space: Space, state: Term) -> Option<BTreeMap<u64, u8>> {
        match space {
            Space::Local(_) => self.arena.known_cells(state),
            _ => None,
        }
    }

    /// The value of a cell of a state.
    fn cell(&mut self, state: Term, cell: u64, width: u8) -> Term {
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
        let Loop { header, .. } = code.loops()[number];
        let order = blocks_of(code, number);
        let known = (self.records.len(), self.obligations.len(), self.limits.len());
        self.join(incoming);
        self.join_phis(code, header, incoming)?;
        let phis = code.phis(header)?;
        let mut values = BTreeMap::new();
        for phi in &phis {
            let value = self.value(phi.result).unwrap_or_default();
            values.extend(value.iter().enumerate().map(|(c, term)| (Key::Phi(phi.result, c), *term)));
        }
        let start = Start { phis, values, state: self.state.clone() };
        let inner = self.iteration(code, header, &order)?;
        if !inner.contains_key(&header) {
            add(edges, inner);
            return Ok(());
        }
        self.records.truncate(known.0);
        self.obligations.truncate(known.1);
        self.limits.truncate(known.2);
        let outer = self.within.replace(self.records.len());
        let simulated = self.simulate(code, number, &start, edges);
        self.within = outer;
        simulated
    }

    /// Runs the body of a loop as often as it takes to know what it carries.
    fn simulate(&mut self, code: &mut dyn Code, it: usize, start: &Start, edges: &mut Edges) -> Step<()> {
        let Loop { header, .. } = code.loops()[it];
        let order = blocks_of(code, it);
        // Loops have numbers in the order in which they start.
        let number = self.records.len();
        self.records.push(Record::default());
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
            let (obligations, limits) = (self.obligations.len(), self.limits.len());
            let path = self.arena.boolean(true);
            self.state = State { path, ..start.state.clone() };
            for phi in &start.phis {
                let terms: Vec<Term> = (0..phi.widths.len())
                    .map(|c| {
                        let key = Key::Phi(phi.result, c);
                        plan.symbol(key).unwrap_or(start.values[&key])
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
            let mut inner = self.iteration(code, header, &order)?;
            let back = inner.remove(&header).unwrap_or_default();
            let next = self.next(start, &plan, &back);
            if plan.is_stable(self.arena, number, &next) {
                break (inner, next);
            }
            self.obligations.truncate(obligations);
            self.limits.truncate(limits);
            self.records.truncate(number + 1);
        };
        self.finish(code, number, (&plan, &next, start), &mut leaving);
        add(edges, leaving);
        Ok(())
    }

    /// What the edges back to the header carry.
    fn next(&mut self, start: &Start, plan: &Plan<'_>, back: &[Edge]) -> BTreeMap<Key, (Term, Term)> {
        let mut next = BTreeMap::new();
        if back.is_empty() {
            return next;
        }
        self.join(back);
        let path = self.state.path;
        for phi in &start.phis {
            let values: Vec<Value> = back.iter().map(|edge| self.incoming(phi, edge)).collect();
            for c in 0..phi.widths.len() {
                let parts: Vec<Term> = values.iter().map(|value| value[c]).collect();
                let key = Key::Phi(phi.result, c);
                next.insert(key, (start.values[&key], self.choose(back, &parts, path)));
            }
        }
        for space in self.state.spaces().collect::<Vec<Space>>() {
            let was = start.state.get(self.arena, space);
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
    fn finish(
        &mut self,
        code: &dyn Code,
        number: usize,
        (plan, next, start): (&Plan<'_>, &BTreeMap<Key, (Term, Term)>, &Start),
        leaving: &mut Edges,
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
            edge.state.path = self.arena.both(start.state.path, path);
            for term in edge.state.spaces.values_mut() {
                *term = self.arena.replace(*term, &mut map);
            }
        }
        for value in blocks_of(code, plan.at).into_iter().flat_map(|block| code.results(block)) {
            let Some(known) = self.value(value) else { continue };
            let terms: Vec<Term> = known.iter().map(|term| self.arena.replace(*term, &mut map)).collect();
            self.set_value(value, terms);
        }
        let carried = plan.carried(self.arena, next);
        self.records[number] = Record { at: plan.at, carried, leaves: Some(leaves) };
    }
}
