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

mod inside;
mod loops;
mod plan;

pub(crate) use inside::OUTSIDE;
pub use inside::{by_term, Limit, Limits};
pub use plan::{Record, Reference, Trace};

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
    /// The loops that are running.
    depth: usize,
    /// The number of the innermost of them, of those that are simulated.
    within: Option<usize>,
    /// The iterations that are left to loops whose values are known.
    iterations: usize,
    /// The loops, by their number.
    pub records: Vec<Record>,
    /// Conditions of both sides that have to be the same.
    pub obligations: Vec<Obligation>,
    /// What is inside of its array, where there is no reference.
    limits: Vec<Limit>,
    /// Whether a known index was not.
    is_outside: bool,
}

/// The obligation of an end that control does not come to.
pub(crate) const UNREACHABLE: &str = "whether control comes to a place that it must not come to";

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

/// The most iterations of all loops of a run that is traced: the first few tell enough.
const MOST_TRACED: usize = 40;

/// What is left when all invocations of the code have ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The state at the end.
    pub state: State,
    /// The loops.
    pub records: Vec<Record>,
    /// Conditions of both sides that have to be the same.
    pub obligations: Vec<Obligation>,
    /// What is inside of its array.
    pub limits: Vec<Limit>,
    /// Whether a known index was not, so that behaviour is undefined.
    pub is_outside: bool,
}

/// Runs `code`. With a reference, the loops are simulated.
///
/// # Errors
/// The code has something that has no terms.
pub fn run(code: &mut dyn Code, arena: &mut Arena, reference: Option<Reference<'_>>) -> Step<Outcome> {
    let mut machine = Machine::new(arena, reference, MOST_ITERATIONS);
    machine.run(code)?;
    let Machine { state, records, obligations, limits, is_outside, .. } = machine;
    Ok(Outcome { state, records, obligations, limits, is_outside })
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
            depth: 0,
            within: None,
            iterations,
            records: Vec::new(),
            obligations: Vec::new(),
            limits: Vec::new(),
            is_outside: false,
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

    /// Whether no loop is running.
    pub fn is_outside_loops(&self) -> bool {
        self.depth == 0
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
                self.depth += 1;
                match self.arena.is_concrete() {
                    true => self.iterate(code, number, incoming, edges)?,
                    false => self.loop_(code, number, &incoming, edges)?,
                }
                self.depth -= 1;
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
            Terminator::Unreachable if self.reference.is_some() => {
                let expected = self.arena.boolean(false);
                self.obligations.push(Obligation { what: UNREACHABLE.into(), expected, found: self.state.path });
            }
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
}
