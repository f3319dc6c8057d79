// SPDX-License-Identifier: MIT

//! Whether the interpreter of ntv agrees with the terms of a NIR shader, in a run with chosen inputs.
//!
//! | what differs | what the interpreter is asked for |
//! |-|-|
//! | whether the invocation is discarded | the same |
//! | whether control comes to OpUnreachable, whether an index is outside of its array | the end of the run |
//! | a cell of an output | the component of the slot |
//! | outputs of several vertices | all components that were written |
//! | what happened | the vertices and the ends of primitives of a geometry shader |
//! | a storage block | all words that were changed, by atomics too |
//!
//! The interpreter samples textures, and knows other invocations; the terms have arbitrary numbers for these. [`crate::lanes`] confirms
//! what depends on them.

use crate::compare::{Claim, DISCARDED};
use crate::flow;
use crate::module::AFTER_BARRIER;
use crate::term::{Arena, Node, Op, Term};
use crate::world::{Space, VERTEX};
use ntv_gen::{Observation, Stimulus};
use ntv_interp::{Outputs, Slot};
use rustc_hash::FxHashMap;

/// What a module made of a storage block.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The set, the binding and the element of the block.
    pub block: [u32; 3],
    /// The words that it changed, by their address; `None` for one that is undefined.
    pub words: FxHashMap<u64, Option<u32>>,
}

/// A cell of an output.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The output.
    pub output: Space,
    /// The cell of it.
    pub cell: u64,
    /// The number of the invocation.
    pub invocation: usize,
    /// The NIR's number.
    pub expected: u32,
    /// The module's; `None` if it is undefined.
    pub found: Option<u32>,
}

/// Where a difference is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In a storage block.
    Block(Changed),
    /// In an output.
    Output(Cell),
    /// In whether the invocation is discarded, which the NIR says.
    Discarded(bool),
}

/// What the interpreter gave.
pub(crate) struct Seen<'a> {
    pub(crate) observed: &'a Observation,
    pub(crate) stimulus: &'a Stimulus,
    /// The slot and the component of each cell of the outputs.
    pub(crate) locations: &'a FxHashMap<(Space, u64), (Slot, usize)>,
    /// The cells of outputs that are emitted with each vertex.
    pub(crate) cells: &'a [(Space, u64)],
}

impl Seen<'_> {
    /// Whether the interpreter gave what the NIR's terms give.
    pub(crate) fn confirms(&self, arena: &Arena, claim: &Claim) -> bool {
        let outcome = &self.observed.outcome;
        match claim.place {
            // The interpreter came to the end.
            None if [flow::UNREACHABLE, flow::OUTSIDE].contains(&&*claim.what) => !outcome.discarded.is_empty(),
            None => {
                let expected = arena.as_const(claim.expected).map(|it| it != 0);
                claim.what == DISCARDED && expected.is_some() && outcome.discarded.first().copied() == expected
            }
            Some((space @ (Space::Output(..) | Space::BuiltIn(_)), cell)) => {
                let Some(outputs) = outcome.outputs.first() else { return false };
                match arena.width(claim.expected) {
                    0 => self.has_all_vertices(arena, space, claim.expected, outputs),
                    _ => self.has_cell(arena, (space, cell), claim.expected, (outputs, 0)),
                }
            }
            Some((Space::Storage(_, binding, element), _)) => {
                let number = (binding + element) as usize;
                let [before, after] = [&self.stimulus.storage, &self.observed.storage].map(|blocks| blocks.get(number));
                let (Some(before), Some(after)) = (before, after) else { return false };
                let changed = changed_words(arena, claim.expected, &before.bytes);
                changed.is_some_and(|words| {
                    words.iter().all(|(at, known)| known.is_none() || word(&after.bytes, *at) == *known)
                })
            }
            Some((Space::Events, _)) => self.has_all_events(arena, claim.expected),
            _ => false,
        }
    }

    /// Where the difference is, if a device can show it: of a storage block, the words that the module changed have to be known.
    pub(crate) fn place(&self, arena: &Arena, claim: &Claim) -> Option<Place> {
        match claim.place {
            None if claim.what == DISCARDED => Some(Place::Discarded(arena.as_const(claim.expected)? != 0)),
            Some((Space::Storage(set, binding, element), _)) => {
                let before = self.stimulus.storage.get((binding + element) as usize)?;
                let words = changed_words(arena, claim.found, &before.bytes)?;
                Some(Place::Block(Changed { block: [set, binding, element], words }))
            }
            Some((output @ (Space::Output(..) | Space::BuiltIn(_)), cell)) => {
                let (expected, found) = (arena.as_const(claim.expected)? as u32, arena.as_const(claim.found));
                let is_known = found.is_some() || arena.is_undefined(claim.found);
                let found = found.map(|number| number as u32);
                is_known.then_some(Place::Output(Cell { output, cell, invocation: 0, expected, found }))
            }
            Some((Space::Events, _)) => self.place_in_vertices(arena, claim),
            _ => None,
        }
    }

    /// The first cell that differs of the vertices that a geometry shader emits, if both sides emit as many.
    fn place_in_vertices(&self, arena: &Arena, claim: &Claim) -> Option<Place> {
        let events = |mut state: Term| {
            let mut all = Vec::new();
            while let (Op::Symbol(name), Some((before, args))) =
                (arena.node(state).op, arena.node(state).args.split_first())
            {
                all.push((name, args));
                state = *before;
            }
            all.reverse();
            all
        };
        let (expected, found) = (events(claim.expected), events(claim.found));
        if expected.iter().map(|it| it.0).ne(found.iter().map(|it| it.0)) {
            return None;
        }
        let args = expected.iter().zip(&found).flat_map(|(a, b)| a.1.iter().zip(b.1).zip(self.cells));
        let known = |term: Term| arena.as_const(term).map(|number| number as u32);
        args.into_iter().find_map(|((a, b), (output, cell))| {
            let (expected, found) = (known(*a)?, known(*b));
            let is_it = found.map_or(arena.is_undefined(*b), |found| found != expected);
            is_it.then_some(Place::Output(Cell { output: *output, cell: *cell, invocation: 0, expected, found }))
        })
    }

    fn has_cell(&self, arena: &Arena, at: (Space, u64), value: Term, outputs: (&Outputs, u32)) -> bool {
        arena.as_const(value).is_some_and(|value| self.has(at, value, outputs))
    }

    /// Whether a cell of the outputs has the value, for one vertex.
    pub(crate) fn has(&self, at: (Space, u64), value: u64, (outputs, vertex): (&Outputs, u32)) -> bool {
        let Some((slot, c)) = self.locations.get(&at) else { return false };
        let Some(words) = outputs.get(&Slot { vertex, ..*slot }) else { return false };
        words[*c].is_defined() && words[*c].value == value
    }

    /// Whether all cells that were written have their values; each vertex has its own.
    fn has_all_vertices(&self, arena: &Arena, space: Space, state: Term, outputs: &Outputs) -> bool {
        let (mut state, mut count) = (state, 0);
        loop {
            let Node { op, args, .. } = arena.node(state);
            match op {
                Op::Write => {
                    let Some(cell) = arena.as_const(args[1]) else { return false };
                    let vertex = (cell / VERTEX) as u32;
                    if !self.has_cell(arena, (space, cell % VERTEX), args[2], (outputs, vertex)) {
                        return false;
                    }
                    count += 1;
                }
                // The interpreter has only what this invocation wrote.
                Op::Symbol(name) if arena.name(*name) == AFTER_BARRIER => {}
                _ => return count > 0 && arena.is_undefined(state),
            }
            state = args[0];
        }
    }

    /// Whether these are the vertices and the ends of primitives.
    fn has_all_events(&self, arena: &Arena, state: Term) -> bool {
        let Some(vertices) = self.observed.outcome.vertices.first() else { return false };
        let mut state = state;
        for (stream, outputs) in vertices.iter().rev() {
            let node = arena.node(state);
            let (Op::Symbol(name), Some((before, args))) = (node.op, node.args.split_first()) else { return false };
            let what = if outputs.is_some() { "emit vertex" } else { "end primitive" };
            if arena.name(name) != format!("{what} of stream {stream}") {
                return false;
            }
            let mut cells = args.iter().zip(self.cells).filter(|(arg, _)| !arena.is_undefined(**arg));
            if let Some(outputs) = outputs {
                if !cells.all(|(arg, cell)| self.has_cell(arena, *cell, *arg, (outputs, 0))) {
                    return false;
                }
            }
            state = *before;
        }
        !vertices.is_empty() && arena.node(state).args.is_empty()
    }
}

/// The words that were changed in a state of memory, which was `before` at first; `None` if they are not known.
fn changed_words(arena: &Arena, state: Term, before: &[u8]) -> Option<FxHashMap<u64, Option<u32>>> {
    // What was written, from the last change to the first.
    let mut changes = Vec::new();
    let mut state = state;
    while !arena.node(state).args.is_empty() {
        changes.push(state);
        state = arena.node(state).args[0];
    }
    let mut words = Words { before, changed: FxHashMap::default() };
    for change in changes.into_iter().rev() {
        let node = arena.node(change);
        match node.op {
            Op::Write => words.write(arena, node)?,
            Op::Symbol(name) => words.atomic(arena, arena.name(name), node)?,
            _ => return None,
        }
    }
    Some(words.changed)
}

/// Memory after some changes.
struct Words<'a> {
    before: &'a [u8],
    /// The words that were changed; `None` if they are undefined now.
    changed: FxHashMap<u64, Option<u32>>,
}

pub(crate) fn word(bytes: &[u8], at: u64) -> Option<u32> {
    let at = usize::try_from(at).ok()?;
    bytes.get(at..at.checked_add(4)?).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]))
}

impl Words<'_> {
    fn get(&self, at: u64) -> Option<u32> {
        self.changed.get(&at).copied().unwrap_or_else(|| word(self.before, at))
    }

    /// A write of a word; `None` if it is not known what it does.
    fn write(&mut self, arena: &Arena, node: &Node) -> Option<()> {
        let address = arena.as_const(node.args[1])?;
        let value = arena.as_const(node.args[2]).map(|value| value as u32);
        if value.is_none() && !arena.is_undefined(node.args[2]) {
            return None;
        }
        self.changed.insert(address, value);
        Some(())
    }

    /// An atomic operation on integers of 32 bits.
    fn atomic(&mut self, arena: &Arena, name: &str, node: &Node) -> Option<()> {
        let operation = name.strip_prefix("after atomic ")?.strip_suffix(" of 32 bits")?;
        let number = |i: usize| Some(arena.as_const(*node.args.get(i)?)? as u32);
        let address = arena.as_const(node.args[1])?;
        let new = atomic_result(operation, self.get(address)?, |i| number(2 + i))?;
        self.changed.insert(address, Some(new));
        Some(())
    }
}

/// What an atomic operation on an integer of 32 bits, with these operands, leaves in memory.
pub(crate) fn atomic_result(operation: &str, old: u32, operand: impl Fn(usize) -> Option<u32>) -> Option<u32> {
    let first = operand(0)?;
    let signed = [old, first].map(|number| number as i32);
    Some(match operation {
        "xchg" => first,
        "iadd" => old.wrapping_add(first),
        "umin" => old.min(first),
        "umax" => old.max(first),
        "imin" => signed[0].min(signed[1]) as u32,
        "imax" => signed[0].max(signed[1]) as u32,
        "iand" => old & first,
        "ior" => old | first,
        "ixor" => old ^ first,
        "cmpxchg" if old == first => operand(1)?,
        "cmpxchg" => old,
        _ => return None,
    })
}
