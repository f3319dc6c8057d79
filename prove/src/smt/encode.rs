// SPDX-License-Identifier: MIT

//! Terms as SMT-LIB's expressions.
//!
//! | term | expression |
//! |-|-|
//! | a number of n bits | a bit vector of n bits; a condition is one of 1 bit |
//! | a symbol | a function without a meaning |
//! | a state of memory | a bit vector of [`STATE`] bits, see [`memory`](super::memory) |
//! | a row with integers | its definition, see [`integers`] |
//! | a row with floats | a function without a meaning, or its definition in the theory of floats, see [`floats`] |

use super::floats::{self, Float, Made};
use super::integers;
use super::memory::{Place, StateArgs};
use super::script::Script;
use super::text::Bits;
use crate::term::{Arena, Node, Op, Term};
use ntv::op::open::may_be_open;
use ntv::op::{AluOp, Props};
use rustc_hash::FxHashMap;

/// The width of what stands for a state. Only whether two states are the same counts, and a query has fewer states than there are such
/// numbers.
pub(super) const STATE: u32 = 16;

/// What is known of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theory {
    /// Nothing: a row with floats is a function without a meaning.
    Uninterpreted,
    /// What SMT-LIB's theory of floats says.
    Floats,
}

/// A choice that a solver makes: the value of a function without a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The value of a symbol with operands.
    Symbol(Term),
    /// The result of a row where it is open.
    Open(Term),
    /// The value of a cell: the state, a symbol, and the address and the width.
    Cell(Term, Place, u8),
    /// Any number of this width.
    Undefined(u8),
}

/// The expressions of terms.
pub(super) struct Encoder<'a> {
    pub(super) arena: &'a Arena,
    theory: Theory,
    pub(super) script: Script,
    numbers: FxHashMap<Term, Bits>,
    /// The terms that are known as floats.
    floats: FxHashMap<Term, Float>,
    pub(super) cells: FxHashMap<(Term, Place, u8), Bits>,
    pub(super) state_args: StateArgs,
    /// The addresses that are not those of a term.
    pub(super) places: Vec<Bits>,
    /// The choices in the order in which they depend on each other, with their expressions.
    pub(super) choices: Vec<(Choice, Bits)>,
    /// Whether a row has a meaning in the theory of floats.
    pub(super) has_floats: bool,
}

impl<'a> Encoder<'a> {
    /// An encoder without terms.
    pub(super) fn new(arena: &'a Arena, theory: Theory) -> Encoder<'a> {
        Encoder {
            arena,
            theory,
            script: Script::default(),
            numbers: FxHashMap::default(),
            floats: FxHashMap::default(),
            cells: FxHashMap::default(),
            state_args: StateArgs::default(),
            places: Vec::new(),
            choices: Vec::new(),
            has_floats: false,
        }
    }

    /// Adds a term whose operands have been added.
    pub(super) fn add(&mut self, term: Term) {
        let node = self.arena.node(term);
        let bits = match node.op {
            _ if node.width == 0 => self.state(term),
            Op::Symbol(name) => {
                self.compare_states(term);
                let bits = self.function(format!("symbol {}", self.arena.name(name)), &node.args, node.width.into());
                self.choices.push((Choice::Symbol(term), bits.clone()));
                bits
            }
            Op::Read => self.cell(node.args[0], Place::Of(node.args[1]), node.width),
            Op::Alu(op) => self.row(term, op),
            _ => self.operation(node),
        };
        let bits = self.script.name(&bits);
        self.numbers.insert(term, bits);
        self.remember_float(term);
    }

    /// The expression of a term that has been added.
    pub(super) fn number(&self, term: Term) -> Bits {
        self.numbers[&term].clone()
    }

    /// Sets the expression of a term.
    #[cfg(test)]
    pub(super) fn set(&mut self, term: Term, bits: Bits) {
        self.numbers.insert(term, bits);
    }

    /// The value of a function without a meaning for the values of `args`.
    pub(super) fn function(&mut self, name: String, args: &[Term], width: u32) -> Bits {
        let args: Vec<Bits> = args.iter().map(|arg| self.number(*arg)).collect();
        self.script.apply(name, &args, width)
    }

    /// An operation of terms.
    fn operation(&mut self, node: &Node) -> Bits {
        let width = u32::from(node.width);
        let x: Vec<Bits> = node.args.iter().map(|arg| self.number(*arg)).collect();
        match node.op {
            Op::Ite => x[0].is_true().choose(&x[1], &x[2]),
            Op::Sum => {
                let parts = x.iter().zip(&node.immediates[1..]);
                let constant = Bits::number(node.immediates[0], width);
                parts.fold(constant, |sum, (part, coefficient)| sum.plus(&scaled(part, *coefficient)))
            }
            Op::Mul => x[0].times(&x[1]),
            Op::Mask => x[0].and(&Bits::number(node.immediates[0], width)),
            Op::And => x[0].and(&x[1]),
            Op::Or => x[0].or(&x[1]),
            Op::Xor => x[0].with("bvxor", &x[1]),
            Op::Shl => x[0].left(&shift_count(&x[1], width)),
            Op::Lshr => x[0].right(&shift_count(&x[1], width)),
            // The solver knows parts better than shifts.
            Op::Ashr => match self.arena.as_const(node.args[1]) {
                Some(count) => x[0].part(count as u32, width - count as u32).fit_signed(width),
                None => x[0].right_signed(&shift_count(&x[1], width)),
            },
            Op::Zext | Op::Trunc => x[0].fit(width),
            Op::Sext => x[0].fit_signed(width),
            Op::IsZero => x[0].is_number(0).bits(),
            Op::Ult => x[0].below(&x[1]).bits(),
            Op::Slt => x[0].below_signed(&x[1]).bits(),
            // The other operations have functions of their own.
            _ => Bits::number(node.immediates.first().copied().unwrap_or(0), width),
        }
    }

    /// A row of NIR's table.
    fn row(&mut self, term: Term, op: AluOp) -> Bits {
        let node = self.arena.node(term);
        let width = u32::from(node.width);
        let args: Vec<Bits> = node.args.iter().map(|arg| self.number(*arg)).collect();
        if let Some(define) = integers::definition(op, width) {
            let value = define(&mut self.script, &args, width);
            let Some(is_open) = integers::is_open(op, &args) else { return value };
            return is_open.choose(&self.open(term, op, &args, width), &value);
        }
        let component = node.immediates[0] as u32;
        if let Some(define) = floats::definition(op) {
            self.has_floats = true;
            if self.theory == Theory::Floats {
                let open = match may_be_open(op) {
                    true => self.open(term, op, &args, width),
                    false => Bits::number(0, width),
                };
                let floats = node.args.iter().map(|arg| self.float(*arg)).collect();
                let operands = floats::Operands { bits: args, floats, open };
                return match define(&mut self.script, &operands, width, component) {
                    Made::Bits(bits) => bits,
                    Made::Float(float) => {
                        let float = float.named(&mut self.script);
                        self.floats.insert(term, float.clone());
                        float.bits(&mut self.script)
                    }
                };
            }
        }
        if may_be_open(op) {
            return self.open(term, op, &args, width);
        }
        let args = self.in_order(op, args);
        self.script.apply(format!("row {}.{component}", op.name()), &args, width)
    }

    /// What a row is where its result is open: some number, the same each time.
    fn open(&mut self, term: Term, op: AluOp, args: &[Bits], width: u32) -> Bits {
        let bits = self.script.apply(format!("open {}", op.name()), args, width);
        self.choices.push((Choice::Open(term), bits.clone()));
        bits
    }

    /// The operands of a commutative row, the lesser number first, so that the order of the terms does not matter.
    fn in_order(&mut self, op: AluOp, mut args: Vec<Bits>) -> Vec<Bits> {
        let info = op.info();
        let is_scalar = info.srcs.iter().all(|operand| operand.size <= 1);
        if info.props.contains(Props::COMMUTATIVE) && is_scalar && args.len() >= 2 && args[0].text != args[1].text {
            let swapped = self.script.name_condition(&args[1].below(&args[0]));
            let low = self.script.name(&swapped.choose(&args[1], &args[0]));
            args[1] = self.script.name(&swapped.choose(&args[0], &args[1]));
            args[0] = low;
        }
        args
    }

    /// A term as a float.
    fn float(&mut self, term: Term) -> Float {
        match self.floats.get(&term) {
            Some(float) => float.clone(),
            None => Float::of_bits(&self.number(term)),
        }
    }

    /// Remembers that a selection, negation or absolute value of floats is a float.
    fn remember_float(&mut self, term: Term) {
        let node = self.arena.node(term);
        if self.theory != Theory::Floats || !Float::has_width(node.width.into()) {
            return;
        }
        if !node.args.iter().any(|arg| self.floats.contains_key(arg)) {
            return;
        }
        let sign = 1u64 << (node.width - 1);
        let float = match (node.op, &*node.immediates) {
            (Op::Sum, [constant, 1]) if *constant == sign => self.float(node.args[0]).negated(),
            (Op::Mask, [mask]) if *mask == sign - 1 => self.float(node.args[0]).absolute(),
            (Op::Ite, _) => {
                let condition = self.number(node.args[0]).is_true();
                let [yes, no] = [1, 2].map(|i: usize| self.float(node.args[i]));
                Float::chosen(&condition, &yes, &no)
            }
            _ => return,
        };
        let float = float.named(&mut self.script);
        self.floats.insert(term, float);
    }
}

/// `part` times a number.
fn scaled(part: &Bits, coefficient: u64) -> Bits {
    match coefficient {
        1 => part.clone(),
        _ => part.times(&Bits::number(coefficient, part.width)),
    }
}

/// A count modulo `width`, with that width.
fn shift_count(count: &Bits, width: u32) -> Bits {
    // A count of few bits is always less.
    if count.width < 32 && 1 << count.width <= width {
        return count.fit(width);
    }
    match width.is_power_of_two() {
        true => count.and(&Bits::number(u64::from(width) - 1, count.width)),
        false => count.with("bvurem", &Bits::number(width.into(), count.width)),
    }
    .fit(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_less_than_the_width() {
        let count = |bits, width| shift_count(&Bits::new("n", bits), width).text;
        assert_eq!(&*count(32, 32), "(bvand n (_ bv31 32))");
        assert_eq!(&*count(32, 64), "((_ zero_extend 32) (bvand n (_ bv63 32)))");
        assert_eq!(&*count(32, 33), "((_ zero_extend 1) (bvurem n (_ bv33 32)))");
        assert_eq!(&*count(3, 8), "((_ zero_extend 5) n)");
    }
}
