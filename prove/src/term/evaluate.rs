// SPDX-License-Identifier: MIT

//! The number that a term is for chosen inputs.

use super::alu::{fold_row, sources};
use super::{Arena, Op, Term};
use ntv::op::fold::{mask, sign_extend};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The content of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The state that it starts with, by the text of its symbol.
    pub start: String,
    /// The values of the cells that were written, by address.
    pub written: BTreeMap<u64, u64>,
}

/// Chooses the values of symbols.
pub trait Assignment {
    /// The number of `width` bits that the function `name` has for `args`.
    fn value(&mut self, name: &str, width: u8, args: &[u64]) -> u64;

    /// The number that a cell has at the start.
    fn cell(&mut self, state: &str, address: u64, width: u8) -> u64;
}

/// A value of a term.
#[derive(Clone, Debug)]
enum Value {
    Number(u64),
    State(Rc<Memory>),
}

/// Evaluates terms of one arena for one assignment.
pub struct Evaluator<'a, A> {
    arena: &'a Arena,
    /// The assignment.
    pub assignment: A,
    known: FxHashMap<Term, Value>,
}

impl<'a, A: Assignment> Evaluator<'a, A> {
    /// An evaluator that knows nothing yet.
    pub fn new(arena: &'a Arena, assignment: A) -> Evaluator<'a, A> {
        Evaluator { arena, assignment, known: FxHashMap::default() }
    }

    /// The number of a term with a width.
    pub fn number(&mut self, term: Term) -> u64 {
        self.value(term);
        self.arg(term)
    }

    /// The memory of a state.
    pub fn memory(&mut self, state: Term) -> Rc<Memory> {
        self.value(state);
        self.memory_of(state)
    }

    /// Makes the value of a term known.
    fn value(&mut self, term: Term) {
        let mut todo = vec![term];
        while let Some(next) = todo.last().copied() {
            if self.known.contains_key(&next) {
                todo.pop();
                continue;
            }
            let args = &self.arena.node(next).args;
            let before = todo.len();
            // Only the side of a choice that is taken is evaluated.
            match (self.arena.node(next).op, args.first().and_then(|arg| self.known.get(arg))) {
                (Op::Ite, None) => todo.push(args[0]),
                (Op::Ite, Some(Value::Number(condition))) => {
                    let taken = args[if *condition != 0 { 1 } else { 2 }];
                    if !self.known.contains_key(&taken) {
                        todo.push(taken);
                    }
                }
                _ => todo.extend(args.iter().filter(|arg| !self.known.contains_key(arg))),
            }
            if todo.len() == before {
                let value = self.compute(next);
                self.known.insert(next, value);
                todo.pop();
            }
        }
    }

    /// The number of a term whose value is known.
    fn arg(&self, term: Term) -> u64 {
        match self.known.get(&term) {
            Some(Value::Number(number)) => *number,
            _ => 0,
        }
    }

    fn compute(&mut self, term: Term) -> Value {
        let node = self.arena.node(term);
        let width = node.width;
        let arg = |i: usize| self.arg(node.args[i]);
        let number = match node.op {
            Op::Symbol(name) => {
                let args: Vec<u64> = node.args.iter().map(|arg| self.digest(*arg)).collect();
                let name = self.arena.name(name);
                if width == 0 {
                    let shown: Vec<String> = args.iter().map(|arg| format!("{arg:#x}")).collect();
                    let start = if args.is_empty() { name.to_owned() } else { format!("{name}({})", shown.join(", ")) };
                    return Value::State(Rc::new(Memory { start, written: BTreeMap::new() }));
                }
                self.assignment.value(name, width, &args)
            }
            Op::Ite => return self.known[&node.args[if arg(0) != 0 { 1 } else { 2 }]].clone(),
            Op::Read => {
                let address = arg(1);
                let state = self.memory_of(node.args[0]);
                match state.written.get(&address) {
                    Some(value) => *value,
                    None => self.assignment.cell(&state.start, address, width),
                }
            }
            Op::Write => {
                let (address, value) = (arg(1), arg(2));
                let mut memory = Memory::clone(&self.memory_of(node.args[0]));
                memory.written.insert(address, value);
                return Value::State(Rc::new(memory));
            }
            _ => {
                let args: Vec<u64> = node.args.iter().map(|arg| self.arg(*arg)).collect();
                match (self.arena.folded(term, &args), node.op) {
                    (None, Op::Alu(op)) => self.assignment.value(op.name(), width, &args),
                    (number, _) => number.unwrap_or(0),
                }
            }
        };
        Value::Number(mask(number, width))
    }

    /// The memory of a state whose value is known.
    fn memory_of(&self, state: Term) -> Rc<Memory> {
        match self.known.get(&state) {
            Some(Value::State(memory)) => memory.clone(),
            _ => Rc::default(),
        }
    }

    /// A number for an operand of a symbol: of a state, one for its content.
    fn digest(&self, term: Term) -> u64 {
        use std::hash::{Hash, Hasher};
        match self.known.get(&term) {
            Some(Value::Number(number)) => *number,
            Some(Value::State(memory)) => {
                let mut hasher = rustc_hash::FxHasher::default();
                memory.start.hash(&mut hasher);
                memory.written.hash(&mut hasher);
                hasher.finish()
            }
            None => 0,
        }
    }
}

impl Arena {
    /// The number of an arithmetic term whose operands are `args`; `None` of another term, or if the result is open.
    pub(crate) fn folded(&self, term: Term, args: &[u64]) -> Option<u64> {
        let node = self.node(term);
        let width = node.width;
        let below = |i: usize| self.width(node.args[i]);
        let number = match node.op {
            Op::Const => node.immediates[0],
            Op::Sum => args
                .iter()
                .zip(&node.immediates[1..])
                .fold(node.immediates[0], |sum, (arg, coefficient)| sum.wrapping_add(arg.wrapping_mul(*coefficient))),
            Op::Mul => args[0].wrapping_mul(args[1]),
            Op::Mask => args[0] & node.immediates[0],
            Op::And => args[0] & args[1],
            Op::Or => args[0] | args[1],
            Op::Xor => args[0] ^ args[1],
            Op::Shl => args[0] << (args[1] % u64::from(width)),
            Op::Lshr => args[0] >> (args[1] % u64::from(width)),
            Op::Ashr => (sign_extend(args[0], width) >> (args[1] % u64::from(width))) as u64,
            Op::Zext | Op::Trunc => args[0],
            Op::Sext => sign_extend(args[0], below(0)) as u64,
            Op::IsZero => u64::from(args[0] == 0),
            Op::Ult => u64::from(args[0] < args[1]),
            Op::Slt => u64::from(sign_extend(args[0], below(0)) < sign_extend(args[1], below(0))),
            Op::Alu(op) => {
                let widths: Vec<u8> = sources(op, &node.args).iter().map(|terms| self.width(terms[0])).collect();
                fold_row(op, width, node.immediates[0] as usize, &sources(op, args), &widths)?
            }
            Op::Symbol(_) | Op::Ite | Op::Read | Op::Write => return None,
        };
        Some(mask(number, width))
    }
}
