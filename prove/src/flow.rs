// SPDX-License-Identifier: MIT

//! Runs structured code on terms.
//!
//! Each block runs once: where paths join, values and memory are chosen by the conditions of the paths. A loop's body runs on symbols
//! for what it carries from one iteration to the next. The loops of the code that runs first are recorded; the other code's loops are
//! *simulated*: each of its carried values is assumed to be one of the recorded loop's that starts with the same value, its body runs
//! on that one's symbol, and the assumption has to hold after the iteration. What does not hold is assumed no more, and the body runs
//! again. So in the end equal terms are equal values in every iteration, by induction.
//!
//! After a loop, what it computed is what the last iteration computed: the symbols are replaced by others, which both sides share.

use crate::term::{Arena, Term};
use crate::world::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A block, by the number that its code gives it.
pub type BlockId = usize;

/// A value of the code, by number: a `Def` of NIR, an id of SPIR-V.
pub type ValueId = u32;

/// The scalars of a value, in order. Those of structs, arrays and matrices follow each other.
pub type Value = Rc<[Term]>;

/// The reason why a proof can't be made, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The reason.
    pub reason: String,
    /// The line of the dump, or the instruction of the module.
    pub place: String,
}

/// The result of a step.
pub type Step<T> = Result<T, Unsupported>;

/// How a block ends.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// Another block follows.
    Jump(BlockId),
    /// The first block follows if the condition is true, else the second one.
    Branch(Term, BlockId, BlockId),
    /// A block for each number, and one for all others.
    Switch(Term, Vec<(u64, BlockId)>, BlockId),
    /// The invocation ends.
    Return,
    /// The invocation ends, and what it wrote to its outputs is ignored.
    Kill,
    /// Control does not come here.
    Unreachable,
}

/// A phi: its value, and the value that it gets from each block that precedes its own.
#[derive(Clone, Debug)]
pub struct Phi {
    /// The value.
    pub result: ValueId,
    /// The widths of its scalars.
    pub widths: Vec<u8>,
    /// Predecessors and values.
    pub sources: Vec<(BlockId, ValueId)>,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The block that is run first in each iteration.
    pub header: BlockId,
    /// All blocks of an iteration, the header among them: those from which control may come back to the header, and those that it
    /// dominates and the block after the loop does not.
    pub body: FxHashSet<BlockId>,
}

/// Code with structured control flow.
pub trait Code {
    /// The first block.
    fn entry(&self) -> BlockId;

    /// The blocks in an order in which each one comes after its predecessors, but for edges back to the headers of loops.
    fn order(&self) -> &[BlockId];

    /// The loops in the order of their headers, an outer loop before its inner ones.
    fn loops(&self) -> &[Loop];

    /// The phis of a block.
    fn phis(&self, block: BlockId) -> Step<Vec<Phi>>;

    /// The values that are computed in a block, phis too.
    fn results(&self, block: BlockId) -> Vec<ValueId>;

    /// Runs the instructions of a block after its phis.
    ///
    /// # Errors
    /// An instruction has no terms.
    fn run(&mut self, block: BlockId, machine: &mut Machine<'_>) -> Step<Terminator>;
}

/// What an invocation may change besides its values.
#[derive(Clone, Debug)]
pub struct State {
    /// The condition under which control comes here; in a loop, from the start of the iteration.
    pub path: Term,
    spaces: BTreeMap<Space, Term>,
}

/// The terms, and what the code has computed so far.
pub struct Machine<'a> {
    /// The terms.
    pub arena: &'a mut Arena,
    /// The state at the instruction that runs.
    pub state: State,
    values: FxHashMap<ValueId, Value>,
    reference: Option<Reference<'a>>,
    trace: Trace,
    /// The iterations that are left to loops whose values are known.
    iterations: usize,
    /// The loops, by their number.
    pub records: Vec<Record>,
    /// Conditions of both sides that have to be the same.
    pub obligations: Vec<Obligation>,
}

/// Two terms that have to be equal: the reference's and the other code's.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What they are.
    pub what: String,
    /// The reference's.
    pub expected: Term,
    /// The other code's.
    pub found: Term,
}

/// The code whose loops are simulated.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// Its loops.
    pub records: &'a [Record],
    /// What its loops and those of the other code carried in runs with chosen inputs.
    pub traces: [&'a Trace; 2],
}

/// What loops carried at the start of each iteration of a run with chosen inputs. Equal terms are equal values.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    carried: FxHashMap<(usize, Key), Vec<Term>>,
}

/// What a loop carries from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    /// A scalar of a phi.
    Phi(ValueId, usize),
    /// A cell of a variable of the code, all of whose cells are known.
    Cell(Space, u64),
    /// A state.
    Space(Space),
}

/// A carried value of a loop that ran.
#[derive(Clone, Copy, Debug)]
struct Carried {
    key: Key,
    width: u8,
    initial: Term,
    symbol: Term,
    last: Term,
    next: Term,
}

/// A loop that ran.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its number among the loops of the code.
    at: usize,
    carried: Vec<Carried>,
    /// The condition under which an iteration is the last one.
    leaves: Option<Term>,
}

/// Control that comes from a block.
#[derive(Clone, Debug)]
struct Edge {
    from: BlockId,
    state: State,
}

/// Edges by the block to which they lead.
type Edges = BTreeMap<BlockId, Vec<Edge>>;

const RETURN: BlockId = usize::MAX;
const KILL: BlockId = usize::MAX - 1;

/// The most iterations of all loops of a run whose values are known.
const MOST_ITERATIONS: usize = 1000;

/// The same of a run that is traced: the first few tell enough.
const MOST_TRACED: usize = 40;

/// The most runs of a loop's body.
const MOST_ROUNDS: usize = 64;

/// What is left when all invocations of the code have ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The state at the end.
    pub state: State,
    /// The loops.
    pub records: Vec<Record>,
    /// Conditions of both sides that have to be the same.
    pub obligations: Vec<Obligation>,
}

/// Runs `code`. With a reference, the loops are simulated.
///
/// # Errors
/// The code has something that has no terms.
pub fn run(code: &mut dyn Code, arena: &mut Arena, reference: Option<Reference<'_>>) -> Step<Outcome> {
    let mut machine = Machine::new(arena, reference, MOST_ITERATIONS);
    machine.run(code)?;
    let Machine { state, records, obligations, .. } = machine;
    Ok(Outcome { state, records, obligations })
}

/// What the loops of `code` carry in a run with chosen inputs, up to its end or its first error.
pub fn trace(code: &mut dyn Code, arena: &mut Arena) -> Trace {
    let mut machine = Machine::new(arena, None, MOST_TRACED);
    // What was noted before an error tells something, too.
    let _ = machine.run(code);
    machine.trace
}

impl<'a> Machine<'a> {
    fn new(arena: &'a mut Arena, reference: Option<Reference<'a>>, iterations: usize) -> Machine<'a> {
        let path = arena.boolean(true);
        let state = State { path, spaces: BTreeMap::new() };
        Machine {
            arena,
            state,
            values: FxHashMap::default(),
            reference,
            trace: Trace::default(),
            iterations,
            records: Vec::new(),
            obligations: Vec::new(),
        }
    }

    /// Runs the code to its end.
    fn run(&mut self, code: &mut dyn Code) -> Step<()> {
        let state = self.state.clone();
        let mut edges = Edges::from([(code.entry(), vec![Edge { from: RETURN, state }])]);
        let order = code.order().to_vec();
        self.region(code, &order, None, &mut edges)?;
        let mut ends = edges.remove(&RETURN).unwrap_or_default();
        for mut edge in edges.remove(&KILL).unwrap_or_default() {
            let discarded = self.arena.boolean(true);
            edge.state.spaces.insert(Space::Discarded, discarded);
            ends.push(edge);
        }
        self.join(&ends);
        Ok(())
    }
}

impl State {
    /// The spaces that were written, or read.
    pub fn spaces(&self) -> impl Iterator<Item = Space> + '_ {
        self.spaces.keys().copied()
    }

    /// What is in `space`.
    pub fn get(&self, arena: &mut Arena, space: Space) -> Term {
        self.spaces.get(&space).copied().unwrap_or_else(|| space.initial(arena))
    }
}

impl Machine<'_> {
    /// What is in `space` here.
    pub fn space(&mut self, space: Space) -> Term {
        self.state.get(self.arena, space)
    }

    /// Replaces what is in `space`.
    pub fn set_space(&mut self, space: Space, term: Term) {
        self.state.spaces.insert(space, term);
    }

    /// The scalars of `value`, if it was computed.
    pub fn value(&self, value: ValueId) -> Option<Value> {
        self.values.get(&value).cloned()
    }

    /// Sets the scalars of `value`.
    pub fn set_value(&mut self, value: ValueId, terms: impl Into<Value>) {
        self.values.insert(value, terms.into());
    }

    /// Runs the blocks of `order` to which edges lead. `header` is the block whose loop this is an iteration of: an edge to it ends
    /// the iteration. What is left in `edges` leads elsewhere.
    fn region(
        &mut self,
        code: &mut dyn Code,
        order: &[BlockId],
        header: Option<BlockId>,
        edges: &mut Edges,
    ) -> Step<()> {
        let mut is_start = header.is_some();
        for block in order {
            let Some(incoming) = edges.remove(block) else { continue };
            let is_own = header == Some(*block) && std::mem::take(&mut is_start);
            let number = code.loops().iter().position(|it| it.header == *block).filter(|_| !is_own);
            if let Some(number) = number {
                match self.arena.is_concrete() {
                    true => self.iterate(code, number, incoming, edges)?,
                    false => self.loop_(code, number, &incoming, edges)?,
                }
                continue;
            }
            if !is_own {
                self.join(&incoming);
                self.join_phis(code, *block, &incoming)?;
            } else {
                self.state = incoming[0].state.clone();
            }
            if self.arena.as_const(self.state.path) == Some(0) {
                continue;
            }
            let terminator = code.run(*block, self)?;
            self.leave(*block, terminator, edges);
            if self.arena.is_full() {
                return Err(Unsupported { reason: "the terms are too large".into(), place: String::new() });
            }
        }
        Ok(())
    }

    /// Adds the edges at the end of a block.
    fn leave(&mut self, from: BlockId, terminator: Terminator, edges: &mut Edges) {
        let mut add = |machine: &mut Self, condition: Term, to: BlockId| {
            let path = machine.arena.both(machine.state.path, condition);
            if machine.arena.as_const(path) == Some(0) {
                return;
            }
            let known = edges.entry(to).or_default();
            // Two cases of a switch may lead to one block.
            if let Some(edge) = known.iter_mut().find(|edge| edge.from == from) {
                edge.state.path = machine.arena.either(edge.state.path, path);
                return;
            }
            known.push(Edge { from, state: State { path, ..machine.state.clone() } });
        };
        let always = self.arena.boolean(true);
        match terminator {
            Terminator::Jump(to) => add(self, always, to),
            Terminator::Branch(condition, yes, no) => {
                let not = self.arena.not(condition);
                add(self, condition, yes);
                add(self, not, no);
            }
            Terminator::Switch(selector, cases, default) => {
                let width = self.arena.width(selector);
                let mut rest = always;
                for (number, to) in cases {
                    let number = self.arena.constant(width, number);
                    let is_it = self.arena.equal(selector, number);
                    let taken = self.arena.both(rest, is_it);
                    let not = self.arena.not(is_it);
                    rest = self.arena.both(rest, not);
                    add(self, taken, to);
                }
                add(self, rest, default);
            }
            Terminator::Return => add(self, always, RETURN),
            Terminator::Kill => add(self, always, KILL),
            Terminator::Unreachable => {}
        }
    }

    /// Makes the state that of the first edge that was taken.
    fn join(&mut self, edges: &[Edge]) {
        let mut path = self.arena.boolean(false);
        for edge in edges {
            path = self.arena.either(path, edge.state.path);
        }
        let spaces: FxHashSet<Space> = edges.iter().flat_map(|edge| edge.state.spaces()).collect();
        let mut state = State { path, spaces: BTreeMap::new() };
        for space in spaces {
            let parts: Vec<Term> = edges.iter().map(|edge| edge.state.get(self.arena, space)).collect();
            state.spaces.insert(space, self.choose(edges, &parts, path));
        }
        self.state = state;
    }

    /// The part of the edge that was taken.
    fn choose(&mut self, edges: &[Edge], parts: &[Term], path: Term) -> Term {
        let Some((last, others)) = parts.split_last() else { return path };
        let mut chosen = *last;
        for (edge, part) in edges.iter().zip(others).rev() {
            chosen = self.arena.ite(edge.state.path, *part, chosen);
        }
        self.arena.under(chosen, path)
    }

    fn join_phis(&mut self, code: &dyn Code, block: BlockId, edges: &[Edge]) -> Step<()> {
        let path = self.state.path;
        let mut made = Vec::new();
        for phi in code.phis(block)? {
            let values: Vec<Value> = edges.iter().map(|edge| self.incoming(&phi, edge)).collect();
            let terms: Vec<Term> = (0..phi.widths.len())
                .map(|c| {
                    let parts: Vec<Term> = values.iter().map(|value| value[c]).collect();
                    self.choose(edges, &parts, path)
                })
                .collect();
            made.push((phi.result, terms));
        }
        // All phis of a block read what was there before.
        for (result, terms) in made {
            self.set_value(result, terms);
        }
        Ok(())
    }

    /// The value that a phi gets along an edge. One that was not computed is undefined.
    fn incoming(&mut self, phi: &Phi, edge: &Edge) -> Value {
        let source = phi.sources.iter().find(|(from, _)| *from == edge.from);
        let known = source.and_then(|(_, value)| self.value(*value)).filter(|value| value.len() == phi.widths.len());
        known.unwrap_or_else(|| phi.widths.iter().map(|width| self.arena.undefined(*width)).collect())
    }

    /// Runs a loop whose values are known, one iteration after the other.
    fn iterate(&mut self, code: &mut dyn Code, number: usize, incoming: Vec<Edge>, edges: &mut Edges) -> Step<()> {
        let Loop { header, body } = code.loops()[number].clone();
        let order: Vec<BlockId> = code.order().iter().copied().filter(|block| body.contains(block)).collect();
        let mut incoming = incoming;
        while self.iterations > 0 {
            self.iterations -= 1;
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
        }
        let reason = "loops with too many iterations".to_owned();
        Err(Unsupported { reason, place: format!("loop {number}") })
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
    fn loop_(&mut self, code: &mut dyn Code, number: usize, incoming: &[Edge], edges: &mut Edges) -> Step<()> {
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
    fn simulate(&mut self, code: &mut dyn Code, it: usize, incoming: &[Edge], edges: &mut Edges) -> Step<()> {
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
    fn next(
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
    fn finish(
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

/// The assumptions about what a loop carries.
struct Plan<'a> {
    /// The number of the loop in its code.
    at: usize,
    reference: Option<Record>,
    traces: Option<[&'a Trace; 2]>,
    /// The symbol of each carried value, and the values of the reference that it was not.
    assumed: BTreeMap<Key, Assumed>,
    /// For each symbol, what it is in the last iteration.
    last: FxHashMap<Term, Term>,
}

#[derive(Clone, Debug)]
struct Assumed {
    symbol: Term,
    /// The number of the reference's value that it is assumed to be.
    partner: Option<usize>,
    refuted: FxHashSet<usize>,
}

impl<'a> Plan<'a> {
    fn new(at: usize, partner: Option<(Record, [&'a Trace; 2])>) -> Plan<'a> {
        let (reference, traces) = partner.unzip();
        Plan { at, reference, traces, assumed: BTreeMap::new(), last: FxHashMap::default() }
    }

    /// Whether a carried value had the values of the reference's in runs with chosen inputs; true if they do not tell.
    fn ran_alike(&self, key: Key, other: Key) -> bool {
        let (Some([theirs, own]), Some(reference)) = (self.traces, &self.reference) else { return true };
        match (theirs.carried.get(&(reference.at, other)), own.carried.get(&(self.at, key))) {
            // A cell is noted from its first write on.
            (Some(a), Some(b)) => a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a == b),
            _ => true,
        }
    }

    fn symbol(&self, key: Key) -> Option<Term> {
        self.assumed.get(&key).map(|it| it.symbol)
    }

    fn symbols(&self) -> Vec<(Key, Term)> {
        self.assumed.iter().map(|(key, it)| (*key, it.symbol)).collect()
    }

    /// Adds a carried value that starts with `initial`.
    fn add(&mut self, arena: &mut Arena, (number, key): (usize, Key), initial: Term) {
        let assumed = Assumed { symbol: initial, partner: None, refuted: FxHashSet::default() };
        self.assumed.insert(key, assumed);
        self.assume(arena, (number, key), initial, None);
    }

    /// Assumes that a carried value is the next of the reference's that starts alike, or none of them.
    fn assume(&mut self, arena: &mut Arena, (number, key): (usize, Key), initial: Term, hint: Option<Term>) {
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
        let side = if self.reference.is_some() { "other " } else { "" };
        let name = match key {
            Key::Phi(value, c) => format!("{side}loop {number}: {value}.{c}"),
            Key::Cell(space, cell) => format!("{side}loop {number}: {space:?}.{cell}"),
            Key::Space(space) => format!("{side}loop {number}: {space:?}"),
        };
        assumed.symbol = arena.symbol(&name, width, &[]);
        let last = arena.symbol(&format!("{name}, last"), width, &[]);
        self.last.insert(assumed.symbol, last);
    }

    /// Whether the assumptions held; else they are changed.
    fn is_stable(&mut self, arena: &mut Arena, number: usize, next: &BTreeMap<Key, (Term, Term)>) -> bool {
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
        if !stable {
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

    fn carried(&self, arena: &Arena, next: &BTreeMap<Key, (Term, Term)>) -> Vec<Carried> {
        let of = |(key, assumed): (&Key, &Assumed)| {
            let (initial, next) = *next.get(key)?;
            let (symbol, last) = (assumed.symbol, *self.last.get(&assumed.symbol)?);
            Some(Carried { key: *key, width: arena.width(initial), initial, symbol, last, next })
        };
        self.assumed.iter().filter_map(of).collect()
    }
}
