// SPDX-License-Identifier: MIT

//! Comparisons of integers: of a number with 0, and of two numbers by order.
//!
//! Two numbers are the same if their difference is 0. "Not less" is the negation of "less", and a constant is on the right.

use super::{Arena, Op, Term};
use ntv::op::fold::{mask, sign_extend};

impl Arena {
    /// Whether `term` is 0.
    pub fn is_zero(&mut self, term: Term) -> Term {
        if let Some(value) = self.as_const(term) {
            return self.boolean(value == 0);
        }
        if self.width(term) == 1 {
            return self.not(term);
        }
        let node = self.node(term).clone();
        match node.op {
            Op::Zext | Op::Sext => return self.is_zero(node.args[0]),
            Op::Ite => {
                if let Some(made) = self.of_constants(term, &mut |arena, leaf| arena.is_zero(leaf)) {
                    return made;
                }
            }
            Op::Sum => {
                let width = self.width(term);
                let zeros = node.args.iter().zip(&node.immediates[1..]);
                let zeros = zeros.map(|(arg, c)| self.zeros_of_multiple(*arg, *c)).min().unwrap_or(0);
                if node.immediates[0].trailing_zeros() < zeros.min(width.into()) {
                    return self.boolean(false);
                }
                // x + c is 0 if x is -c.
                if let [constant, 1] = *node.immediates {
                    let value = mask(constant.wrapping_neg(), width);
                    if value & !self.possible(node.args[0]) != 0 {
                        return self.boolean(false);
                    }
                }
                // Of a term and its negation, the one whose first coefficient is not negative.
                if sign_extend(node.immediates[1], width) < 0 && node.immediates[1] != 1 << (width - 1) {
                    let negated = self.combination(width, 0, &[(term, u64::MAX)]);
                    return self.is_zero(negated);
                }
            }
            _ => {}
        }
        self.make(Op::IsZero, 1, &[], &[term])
    }

    /// Whether `term` is not 0.
    pub fn is_not_zero(&mut self, term: Term) -> Term {
        let zero = self.is_zero(term);
        self.not(zero)
    }

    /// Whether `a` and `b` are the same number.
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.boolean(true);
        }
        if self.width(a) == 1 {
            let differ = self.differ(a, b);
            return self.not(differ);
        }
        for (choice, other) in [(a, b), (b, a)] {
            if self.as_const(other).is_some() {
                if let Some(made) = self.of_constants(choice, &mut |arena, leaf| arena.equal(leaf, other)) {
                    return made;
                }
            }
        }
        let difference = self.sub(a, b);
        self.is_zero(difference)
    }

    /// Whether `a` is less than `b`, without sign.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.less(Op::Ult, a, b)
    }

    /// Whether `a` is less than `b`, with sign.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.less(Op::Slt, a, b)
    }

    fn less(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.boolean(false);
        }
        let (number_a, number_b) = (self.as_const(a), self.as_const(b));
        let signed = op == Op::Slt;
        let key = |value: u64| if signed { sign_extend(value, width) as i128 } else { i128::from(value) };
        if let (Some(a), Some(b)) = (number_a, number_b) {
            return self.boolean(key(a) < key(b));
        }
        let sign = 1u64 << (width - 1);
        if width == 1 {
            // As numbers, true is 1, or -1 with sign.
            let (low, high) = if signed { (b, a) } else { (a, b) };
            let not_low = self.not(low);
            return self.both(not_low, high);
        }
        if signed && (self.possible(a) | self.possible(b)) & sign == 0 {
            return self.ult(a, b);
        }
        let all = mask(u64::MAX, width);
        let (least, most) = if signed { (sign, all >> 1) } else { (0, all) };
        match (number_a, number_b) {
            (_, Some(value)) if value == least => return self.boolean(false),
            (Some(value), _) if value == most => return self.boolean(false),
            (_, Some(value)) if !signed && self.possible(a) < value => return self.boolean(true),
            (Some(value), _) if !signed && self.possible(b) <= value => return self.boolean(false),
            (_, Some(1)) if !signed => return self.is_zero(a),
            // c < x is not x < c + 1.
            (Some(value), _) => {
                let next = self.constant(width, value.wrapping_add(1));
                let below = self.less(op, b, next);
                return self.not(below);
            }
            _ => {}
        }
        for (choice, is_first) in [(a, true), (b, false)] {
            let other = if is_first { b } else { a };
            if self.as_const(other).is_some() {
                let made = self.of_constants(choice, &mut |arena, leaf| match is_first {
                    true => arena.less(op, leaf, other),
                    false => arena.less(op, other, leaf),
                });
                if let Some(made) = made {
                    return made;
                }
            }
        }
        self.make(op, 1, &[], &[a, b])
    }
}
