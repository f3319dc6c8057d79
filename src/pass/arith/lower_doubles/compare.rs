// SPDX-License-Identifier: MIT

//! Comparisons, and operations that select by them. Bits of doubles compare like integers, except for the sign, zeros and NaN.

use super::number::{Doubles, ONE, SIGN};
use crate::ir::Def;
use crate::op::AluOp::{self, *};
use crate::op::Intrinsic;

impl Doubles<'_, '_> {
    /// Whether the comparison of two doubles by the opcode, for instance `flt` or `fltu`, is true.
    pub(super) fn compare(&mut self, op: AluOp, a: Def, b: Def) -> Option<Def> {
        let (integer, is_unordered) = match op {
            flt => (ilt, false),
            fge => (ige, false),
            feq => (ieq, false),
            fneo => (ine, false),
            fltu => (ilt, true),
            fgeu => (ige, true),
            fequ => (ieq, true),
            fneu => (ine, true),
            _ => return None,
        };
        let (x, y) = (self.ordinal(a), self.ordinal(b));
        let result = self.binary(integer, x, y);
        let (a, b) = (self.is_nan(a), self.is_nan(b));
        let unordered = self.binary(ior, a, b);
        if is_unordered {
            return Some(self.binary(ior, result, unordered));
        }
        let ordered = self.unary(inot, unordered);
        Some(self.binary(iand, result, ordered))
    }

    pub(super) fn is_nan(&mut self, x: Def) -> Def {
        let magnitude = self.magnitude(x);
        self.is_nan_magnitude(magnitude)
    }

    /// Signed integers that compare like the numbers; both zeros have the same one.
    pub(super) fn ordinal(&mut self, x: Def) -> Def {
        let least = self.like(x, SIGN);
        let negated = self.binary(isub, least, x);
        let negative = self.is_negative(x);
        self.select(negative, negated, x)
    }

    /// `fmin` or `fmax`: a number is preferred to NaN, and -0.0 is less than 0.0.
    pub(super) fn extreme(&mut self, op: AluOp, a: Def, b: Def) -> Def {
        let (x, y) = (self.ordinal_of_signed_zeros(a), self.ordinal_of_signed_zeros(b));
        let takes_a = if op == fmin { self.binary(ilt, x, y) } else { self.binary(ilt, y, x) };
        let (a_is_nan, b_is_nan) = (self.is_nan(a), self.is_nan(b));
        let a_is_number = self.unary(inot, a_is_nan);
        let takes_a = self.binary(iand, takes_a, a_is_number);
        let takes_a = self.binary(ior, takes_a, b_is_nan);
        self.select(takes_a, a, b)
    }

    fn ordinal_of_signed_zeros(&mut self, x: Def) -> Def {
        let flipped = self.with(ixor, x, !SIGN);
        let negative = self.is_negative(x);
        self.select(negative, flipped, x)
    }

    /// -1.0, 1.0, the zero itself, or 0.0 for NaN.
    pub(super) fn signum(&mut self, x: Def) -> Def {
        let magnitude = self.magnitude(x);
        let is_zero = self.with(ieq, magnitude, 0);
        let is_nan = self.is_nan_magnitude(magnitude);
        let one = self.signed(ONE, x);
        let sign = self.select(is_zero, x, one);
        self.replace_if(is_nan, 0, sign)
    }

    /// 1.0 or 0.0.
    pub(super) fn double_of_bool(&mut self, cond: Def) -> Def {
        let (one, zero) = (self.int(cond, 64, ONE), self.int(cond, 64, 0));
        self.select(cond, one, zero)
    }

    /// Whether all invocations have the same numbers, none of which is NaN.
    pub(super) fn vote_equal(&mut self, x: Def) -> Def {
        let (ordinal, is_nan) = (self.ordinal(x), self.is_nan(x));
        let is_number = self.unary(inot, is_nan);
        let high = self.with(ushr, ordinal, 32);
        let mut all = self.b.imm(1, 1);
        for half in [ordinal, high] {
            let half = self.unary(u2u32, half);
            let equal = self.b.intrinsic(Intrinsic::vote_ieq, 1, 1, &[half]).def();
            all = self.binary(iand, all, equal);
        }
        for c in 0..self.b.shader.num_components(x) {
            let is_number = self.b.channel(is_number, c);
            let votes = self.b.intrinsic(Intrinsic::vote_all, 1, 1, &[is_number]).def();
            all = self.binary(iand, all, votes);
        }
        all
    }
}
