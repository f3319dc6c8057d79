// SPDX-License-Identifier: MIT

//! The choices of a solver as values of symbols and of cells.

use super::encode::Choice;
use super::memory::Place;
use crate::term::{Arena, Assignment, Evaluator, Memory, Op, Term, UNDEFINED};
use ntv::op::fold::mask;
use rustc_hash::FxHashMap;
use std::fmt;

/// The values of symbols and of cells of memory for which two terms differ. All others are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: FxHashMap<(String, u8, Vec<u64>), u64>,
    cells: FxHashMap<(String, u64, u8), u64>,
    /// The address of a cell in which two states differ, if states were compared.
    pub address: Option<u64>,
}

impl Model {
    fn value_of(&self, name: &str, width: u8, args: &[u64]) -> u64 {
        self.values.get(&(name.to_owned(), width, args.to_vec())).copied().unwrap_or(0)
    }

    /// The values of symbols, with their operands, in the order of their names.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&str, &[u64], u64)> {
        let mut all: Vec<_> = self.values.iter().collect();
        all.sort_unstable();
        all.into_iter().map(|((name, _, args), value)| (&**name, &**args, *value))
    }

    /// The values of cells: the state, the address, the width and the value.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&str, u64, u8, u64)> {
        let mut all: Vec<_> = self.cells.iter().collect();
        all.sort_unstable();
        all.into_iter().map(|((state, address, width), value)| (&**state, *address, *width, *value))
    }

    fn cell_of(&self, state: &str, address: u64, width: u8) -> u64 {
        // Of an undefined state, each cell is the same symbol.
        match state {
            UNDEFINED => self.value_of(UNDEFINED, width, &[]),
            _ => self.cells.get(&(state.to_owned(), address, width)).copied().unwrap_or(0),
        }
    }
}

impl Assignment for Model {
    fn value(&mut self, name: &str, width: u8, args: &[u64]) -> u64 {
        self.value_of(name, width, args)
    }

    fn cell(&mut self, state: &str, address: u64, width: u8) -> u64 {
        self.cell_of(state, address, width)
    }
}

/// One value in each line: `input(0x4) = 0x3f800000`.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.iter().map(|((name, _, args), value)| {
            let args: Vec<String> = args.iter().map(|arg| format!("{arg:#x}")).collect();
            let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
            format!("{name}{args} = {value:#x}")
        });
        let cells = self.cells.iter().map(|((state, address, _), value)| format!("{state}[{address:#x}] = {value:#x}"));
        let mut lines: Vec<String> = values.chain(cells).collect();
        lines.sort_unstable();
        f.write_str(&lines.join("\n"))
    }
}

/// A model in the making.
#[derive(Default)]
struct Recorder {
    model: Model,
    /// The value of the symbol that is evaluated next.
    next: Option<u64>,
}

impl Assignment for Recorder {
    fn value(&mut self, name: &str, width: u8, args: &[u64]) -> u64 {
        let next = self.next.take().unwrap_or(0);
        *self.model.values.entry((name.to_owned(), width, args.to_vec())).or_insert(next)
    }

    fn cell(&mut self, state: &str, address: u64, width: u8) -> u64 {
        self.model.cell_of(state, address, width)
    }
}

/// A query's terms with the values that a solver chose.
pub(super) struct Chosen<'a> {
    arena: &'a Arena,
    evaluator: Evaluator<'a, Recorder>,
    /// The values of the addresses that are not those of a term.
    places: Vec<u64>,
}

impl<'a> Chosen<'a> {
    /// The choices with their values, in the order in which they depend on each other.
    pub(super) fn new(arena: &'a Arena, choices: &[(Choice, u64)], places: Vec<u64>) -> Chosen<'a> {
        let mut chosen = Chosen { arena, evaluator: Evaluator::new(arena, Recorder::default()), places };
        for (choice, value) in choices {
            chosen.record(*choice, *value);
        }
        chosen
    }

    fn record(&mut self, choice: Choice, value: u64) {
        match choice {
            Choice::Symbol(term) => {
                for arg in &self.arena.node(term).args {
                    self.evaluate(*arg);
                }
                self.evaluator.assignment.next = Some(value);
                self.evaluator.number(term);
                self.evaluator.assignment.next = None;
            }
            Choice::Open(term) => {
                let node = self.arena.node(term);
                let Op::Alu(op) = node.op else { return };
                let args: Vec<u64> = node.args.iter().map(|arg| self.evaluator.number(*arg)).collect();
                self.model().values.entry((op.name().to_owned(), node.width, args)).or_insert(value);
            }
            Choice::Cell(state, place, width) => {
                let start = self.evaluator.memory(state).start.clone();
                let address = self.address(place);
                self.model().cells.entry((start, address, width)).or_insert(value);
            }
            Choice::Undefined(width) => {
                self.model().values.entry((UNDEFINED.to_owned(), width, Vec::new())).or_insert(value);
            }
        }
    }

    fn model(&mut self) -> &mut Model {
        &mut self.evaluator.assignment.model
    }

    fn evaluate(&mut self, term: Term) {
        if self.arena.width(term) == 0 {
            self.evaluator.memory(term);
        } else {
            self.evaluator.number(term);
        }
    }

    fn address(&mut self, place: Place) -> u64 {
        match place {
            Place::Of(term) => self.evaluator.number(term),
            Place::Any(index) => self.places[index],
        }
    }

    /// Whether a condition holds.
    pub(super) fn holds(&mut self, condition: Term) -> bool {
        self.evaluator.number(condition) != 0
    }

    /// Whether two numbers differ.
    pub(super) fn numbers_differ(&mut self, [a, b]: [Term; 2]) -> bool {
        self.evaluator.number(a) != self.evaluator.number(b)
    }

    /// Whether two states differ in a cell.
    pub(super) fn states_differ(&mut self, states: [Term; 2], place: Place, width: u8) -> bool {
        let address = self.address(place);
        self.model().address = Some(address);
        let [a, b] = states.map(|state| {
            let memory = self.evaluator.memory(state);
            self.read(&memory, address, width)
        });
        a != b
    }

    fn read(&self, memory: &Memory, address: u64, width: u8) -> u64 {
        let at_start = || self.evaluator.assignment.model.cell_of(&memory.start, address, width);
        mask(memory.written.get(&address).copied().unwrap_or_else(at_start), width)
    }

    /// The values.
    pub(super) fn into_model(self) -> Model {
        self.evaluator.assignment.model
    }
}
