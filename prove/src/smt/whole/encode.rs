// SPDX-License-Identifier: MIT

//! Terms as polynomials.

use super::polynomial::Polynomial;
use super::products::{Condition, Said, Variables};
use super::Fact;
use crate::term::{Arena, Node, Op, Term};
use ntv::op::fold::{mask, sign_extend};
use ntv::op::AluOp::{self, *};
use rustc_hash::FxHashMap;

/// The polynomials of terms.
pub(super) struct Encoder<'a> {
    arena: &'a Arena,
    pub(super) variables: Variables,
    values: FxHashMap<Term, Polynomial>,
    /// What is the number modulo 2 to the width.
    congruent: FxHashMap<Term, Polynomial>,
    conditions: FxHashMap<Term, Condition>,
    divisions: FxHashMap<[Term; 2], [Polynomial; 2]>,
}

impl<'a> Encoder<'a> {
    fn new(arena: &'a Arena, said: Said) -> Encoder<'a> {
        Encoder {
            arena,
            variables: Variables::new(said),
            values: FxHashMap::default(),
            congruent: FxHashMap::default(),
            conditions: FxHashMap::default(),
            divisions: FxHashMap::default(),
        }
    }

    /// The text that asks for numbers for which the facts `given` hold and `goal` does not.
    pub(super) fn query(arena: &'a Arena, given: &[Fact], goal: Fact, said: Said) -> Option<String> {
        let mut encoder = Encoder::new(arena, said);
        for fact in given {
            encoder.note_range(*fact)?;
        }
        // The parts of all variables are known before facts are written.
        for fact in given.iter().chain([&goal]) {
            encoder.fact(*fact)?;
        }
        for fact in given {
            let condition = encoder.fact(*fact)?;
            encoder.variables.require(&condition);
        }
        let goal = encoder.fact(goal)?;
        encoder.variables.require(&format!("(not {goal})"));
        encoder.variables.finish()
    }

    /// Notes the range of a variable or a rest, if a fact is that.
    fn note_range(&mut self, fact: Fact) -> Option<()> {
        let condition = match fact {
            Fact::Holds(condition) => condition,
            Fact::Equal(..) => return Some(()),
            Fact::Quotient { dividend, divisor, quotient, less } => {
                let [rest, limit] = self.rest(dividend, divisor, quotient, less)?;
                let most = self.value(dividend)?;
                let ranges = [limit, most].map(|number| self.variables.range(&number));
                if let [Some((_, limit)), Some((_, most))] = ranges {
                    self.variables.note_rest(rest, most.min(limit - 1));
                }
                return Some(());
            }
        };
        let node = self.arena.node(condition);
        let (test, is_below) = match (node.op, &*node.args) {
            (Op::Ult | Op::IsZero, _) => (node, true),
            (Op::Ite, [test, no, _]) if self.arena.as_const(*no) == Some(0) => (self.arena.node(*test), false),
            _ => return Some(()),
        };
        let limit = match test.op {
            Op::Ult => self.arena.as_const(test.args[1]),
            Op::IsZero => Some(1),
            _ => None,
        };
        if let Some(limit) = limit {
            let number = self.value(test.args[0])?;
            self.variables.narrow(&number, limit.into(), is_below);
        }
        Some(())
    }

    /// A fact as a condition.
    fn fact(&mut self, fact: Fact) -> Option<String> {
        match fact {
            Fact::Holds(condition) => Some(self.condition(condition)?.to_string()),
            Fact::Equal(a, b) => {
                let difference = self.value(a)?.plus(&self.value(b)?, -1)?;
                let difference = self.variables.resolved(&difference)?;
                Some(format!("(= 0 {})", self.variables.shown(&difference)))
            }
            Fact::Quotient { dividend, divisor, quotient, less } => {
                let [rest, limit] = self.rest(dividend, divisor, quotient, less)?;
                let [rest, limit] = [rest, limit].map(|it| self.variables.shown(&it));
                Some(format!("(and (<= 0 {rest}) (< {rest} {limit}))"))
            }
        }
    }

    /// What a quotient leaves, and the number that it has to be less than.
    fn rest(&mut self, dividend: Term, divisor: Term, quotient: Term, less: u8) -> Option<[Polynomial; 2]> {
        let (dividend, divisor, quotient) = (self.value(dividend)?, self.value(divisor)?, self.value(quotient)?);
        let multiple = self.variables.times(&quotient, &divisor)?;
        let rest = dividend.plus(&multiple, -1)?;
        let limit = divisor.scaled(1 + i128::from(less))?;
        Some([self.variables.resolved(&rest)?, self.variables.resolved(&limit)?])
    }

    fn width(&self, term: Term) -> u32 {
        self.arena.width(term).into()
    }

    /// The number.
    fn value(&mut self, term: Term) -> Option<Polynomial> {
        if let Some(known) = self.values.get(&term) {
            return Some(known.clone());
        }
        let node = self.arena.node(term);
        let width = u32::from(node.width);
        let value = match node.op {
            Op::Const => Polynomial::constant(node.immediates[0].into()),
            _ if width == 1 => self.bit(term)?,
            Op::Ite => {
                let condition = self.condition(node.args[0])?;
                let (yes, no) = (self.value(node.args[1])?, self.value(node.args[2])?);
                self.variables.choice(&condition, yes, no)
            }
            Op::Zext => self.value(node.args[0])?,
            Op::Mask => self.masked(node)?,
            Op::Sum | Op::Mul | Op::Trunc | Op::Sext => self.reduced(term)?,
            _ => self.shifted(term).or_else(|| self.row(term)).unwrap_or_else(|| self.unknown(term)),
        };
        self.values.insert(term, value.clone());
        Some(value)
    }

    /// A number that is the same modulo 2 to the width.
    fn congruent(&mut self, term: Term) -> Option<Polynomial> {
        if let Some(known) = self.congruent.get(&term) {
            return Some(known.clone());
        }
        let node = self.arena.node(term);
        let width = u32::from(node.width);
        let made = match node.op {
            Op::Sum => {
                let mut sum = Polynomial::constant(node.immediates[0].into());
                for (arg, coefficient) in node.args.iter().zip(&node.immediates[1..]) {
                    let coefficient = sign_extend(*coefficient, node.width);
                    sum = sum.plus(&self.congruent(*arg)?, coefficient.into())?;
                }
                sum.modulo(width)
            }
            Op::Mul => {
                let (a, b) = (self.congruent(node.args[0])?, self.congruent(node.args[1])?);
                self.variables.times(&a, &b)?.modulo(width)
            }
            Op::Trunc => self.congruent(node.args[0])?.modulo(width),
            Op::Sext => self.signed(node.args[0])?,
            Op::Ite if width > 1 => {
                let condition = self.condition(node.args[0])?;
                let (yes, no) = (self.congruent(node.args[1])?, self.congruent(node.args[2])?);
                self.variables.choice(&condition, yes, no)
            }
            _ => self.value(term)?,
        };
        self.congruent.insert(term, made.clone());
        Some(made)
    }

    /// The number, of one that is the same modulo 2 to the width.
    fn reduced(&mut self, term: Term) -> Option<Polynomial> {
        let congruent = self.congruent(term)?;
        Some(self.variables.divided(&congruent, self.width(term))?.1)
    }

    /// The number with its sign.
    fn signed(&mut self, term: Term) -> Option<Polynomial> {
        let congruent = self.congruent(term)?;
        self.variables.signed(&congruent, self.width(term))
    }

    /// The bits of a mask: each run of them is a quotient of a rest.
    fn masked(&mut self, node: &Node) -> Option<Polynomial> {
        let number = self.congruent(node.args[0])?;
        let (mut bits, mut sum) = (node.immediates[0], Polynomial::default());
        while bits != 0 {
            let first = bits.trailing_zeros();
            let end = first + (bits >> first).trailing_ones();
            let below = self.variables.divided(&number, end)?.1;
            let run = self.variables.divided(&below, first)?.0;
            sum = sum.plus(&run, 1 << first)?;
            bits &= u64::MAX.checked_shl(end).unwrap_or(0);
        }
        Some(sum)
    }

    /// Shifts to the right by constants, and operations on the bits that one leaves.
    fn shifted(&mut self, term: Term) -> Option<Polynomial> {
        let node = self.arena.node(term);
        let (width, args) = (node.width, &node.args);
        match node.op {
            Op::Lshr => {
                let count = self.arena.as_const(args[1])?;
                let value = self.value(args[0])?;
                Some(self.variables.divided(&value, count as u32)?.0)
            }
            Op::Ashr => {
                let count = self.arena.as_const(args[1])?;
                let value = self.signed(args[0])?;
                let shifted = self.variables.divided(&value, count as u32)?.0;
                Some(self.variables.divided(&shifted, width.into())?.1)
            }
            // All bits of the sign, some of them flipped.
            Op::Xor => {
                let [a, b] = [args[0], args[1]];
                let (number, sign) =
                    self.arena.as_const(a).map(|number| (number, b)).or_else(|| Some((self.arena.as_const(b)?, a)))?;
                let inner = self.arena.node(sign);
                if inner.op != Op::Ashr || self.arena.as_const(inner.args[1]) != Some(u64::from(width) - 1) {
                    return None;
                }
                let negative = self.negative(inner.args[0])?;
                let [yes, no] = [mask(!number, width), number].map(|value| Polynomial::constant(value.into()));
                Some(self.variables.choice(&negative, yes, no))
            }
            _ => None,
        }
    }

    /// A number of which nothing is known but its bits that may be set.
    fn unknown(&mut self, term: Term) -> Polynomial {
        self.variables.new_variable(Some((0, self.arena.possible(term).into())))
    }

    /// A condition as a number.
    fn bit(&mut self, term: Term) -> Option<Polynomial> {
        let condition = self.condition(term)?;
        Some(self.variables.choice(&condition, Polynomial::constant(1), Polynomial::default()))
    }

    /// A term of one bit.
    fn condition(&mut self, term: Term) -> Option<Condition> {
        if let Some(known) = self.conditions.get(&term) {
            return Some(known.clone());
        }
        let node = self.arena.node(term);
        let args = &node.args;
        let text = match node.op {
            Op::Const => (node.immediates[0] != 0).to_string(),
            Op::Ite => {
                let [condition, yes, no] = [0, 1, 2].map(|i: usize| self.condition(args[i]));
                format!("(ite {} {} {})", condition?, yes?, no?)
            }
            Op::IsZero => self.is_zero(args[0])?,
            Op::Ult => {
                let [a, b] = [0, 1].map(|i: usize| self.value(args[i]));
                let difference = a?.plus(&b?, -1)?;
                format!("(< {} 0)", self.variables.shown(&difference))
            }
            Op::Slt if self.arena.as_const(args[1]) == Some(0) => self.negative(args[0])?.to_string(),
            Op::Slt => {
                let [a, b] = [0, 1].map(|i: usize| self.signed(args[i]));
                let difference = a?.plus(&b?, -1)?;
                format!("(< {} 0)", self.variables.shown(&difference))
            }
            _ => {
                let bit = self.variables.new_variable(Some((0, 1)));
                format!("(= 1 {})", self.variables.shown(&bit))
            }
        };
        let condition = self.variables.condition(text);
        self.conditions.insert(term, condition.clone());
        Some(condition)
    }

    fn is_zero(&mut self, term: Term) -> Option<String> {
        let node = self.arena.node(term);
        if node.op == Op::Or {
            let [a, b] = [0, 1].map(|i: usize| self.is_zero(node.args[i]));
            return Some(format!("(and {} {})", a?, b?));
        }
        // A number that is nearer to 0 than 2 to the width is 0 if it is 0 modulo that.
        let congruent = self.congruent(term)?;
        let end = 1 << node.width;
        let is_near = self.variables.range(&congruent).is_some_and(|range| -end < range.0 && range.1 < end);
        let number = if is_near { congruent } else { self.value(term)? };
        Some(format!("(= 0 {})", self.variables.shown(&number)))
    }

    /// Whether the sign of a number is set.
    fn negative(&mut self, term: Term) -> Option<Condition> {
        let node = self.arena.node(term);
        let name = match node.op {
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            _ => {
                let signed = self.signed(term)?;
                return Some(self.variables.is_negative(&signed));
            }
        };
        let [a, b] = [0, 1].map(|i: usize| self.negative(node.args[i]));
        let text = format!("({name} {} {})", a?, b?);
        Some(self.variables.condition(text))
    }

    /// A row of the table that products or quotients define.
    fn row(&mut self, term: Term) -> Option<Polynomial> {
        let node = self.arena.node(term);
        let Op::Alu(op) = node.op else { return None };
        match op {
            udiv | umod => {
                let [quotient, rest] = self.division(node.args[0], node.args[1])?;
                Some(if op == udiv { quotient } else { rest })
            }
            umul_high | imul_high => self.high_of_product(node, op == imul_high),
            _ => self.saturated_dot(op, node),
        }
    }

    fn high_of_product(&mut self, node: &Node, signed: bool) -> Option<Polynomial> {
        let width = u32::from(node.width);
        let (a, b) = (node.args[0], node.args[1]);
        let (x, y) = (self.value(a)?, self.value(b)?);
        let product = self.variables.times(&x, &y)?;
        let mut high = self.variables.divided(&product, width)?.0;
        if signed {
            // A negative number is less by 2 to the width, which is less by the other number in the upper half.
            for (number, other) in [(a, y), (b, x)] {
                let negative = self.negative(number)?;
                let bit = self.variables.choice(&negative, Polynomial::constant(1), Polynomial::default());
                high = high.plus(&self.variables.times(&bit, &other)?, -1)?;
            }
        }
        Some(self.variables.divided(&high, width)?.1)
    }

    /// The quotient and the rest.
    fn division(&mut self, a: Term, b: Term) -> Option<[Polynomial; 2]> {
        if let Some(known) = self.divisions.get(&[a, b]) {
            return Some(known.clone());
        }
        let (dividend, divisor) = (self.value(a)?, self.value(b)?);
        let both = match (self.variables.range(&dividend), self.variables.range(&divisor)) {
            (Some((0.., most)), Some((least @ 1.., limit))) => {
                let [quotient, rest] =
                    [most / least, limit - 1].map(|most| self.variables.new_variable(Some((0, most))));
                let multiple = dividend.plus(&rest, -1)?;
                self.variables.set_product(&quotient, &divisor, multiple)?;
                let above = divisor.plus(&rest, -1)?;
                let above = self.variables.shown(&above);
                self.variables.require(&format!("(< 0 {above})"));
                [quotient, rest]
            }
            _ => {
                let all = Some((0, mask(u64::MAX, self.arena.width(a)).into()));
                let [quotient, rest] = [(); 2].map(|()| self.variables.new_variable(all));
                let sum = self.variables.times(&quotient, &divisor)?.plus(&rest, 1)?.plus(&dividend, -1)?;
                let above = divisor.plus(&rest, -1)?;
                let [divisor, sum, above] = [&divisor, &sum, &above].map(|it| self.variables.shown(it));
                self.variables.require(&format!("(=> (< 0 {divisor}) (and (= 0 {sum}) (< 0 {above})))"));
                [quotient, rest]
            }
        };
        self.divisions.insert([a, b], both.clone());
        Some(both)
    }

    /// A dot product of the parts of two words, and a third operand, in the range of 32 bits.
    fn saturated_dot(&mut self, op: AluOp, node: &Node) -> Option<Polynomial> {
        let (bits, signed) = match op {
            sdot_4x8_iadd_sat => (8, [true, true]),
            sudot_4x8_iadd_sat => (8, [true, false]),
            udot_4x8_uadd_sat => (8, [false, false]),
            sdot_2x16_iadd_sat => (16, [true, true]),
            udot_2x16_uadd_sat => (16, [false, false]),
            _ => return None,
        };
        let mut sum = if signed[0] { self.signed(node.args[2])? } else { self.value(node.args[2])? };
        let mut rest = [self.value(node.args[0])?, self.value(node.args[1])?];
        for _ in 0..32 / bits {
            let mut factors = Vec::new();
            for (rest, signed) in rest.iter_mut().zip(signed) {
                let (above, part) = self.variables.divided(rest, bits)?;
                factors.push(if signed { self.variables.signed(&part, bits)? } else { part });
                *rest = above;
            }
            sum = sum.plus(&self.variables.times(&factors[0], &factors[1])?, 1)?;
        }
        let (least, most) = if signed[0] { (-(1i128 << 31), (1i128 << 31) - 1) } else { (0, (1 << 32) - 1) };
        let shown = self.variables.shown(&sum);
        let above = self.variables.condition(format!("(< {most} {shown})"));
        let below = self.variables.condition(format!("(< {shown} (- {}))", -least));
        let sum = self.variables.choice(&above, Polynomial::constant(most), sum);
        let sum = self.variables.choice(&below, Polynomial::constant(least), sum);
        Some(self.variables.divided(&sum, 32)?.1)
    }
}
