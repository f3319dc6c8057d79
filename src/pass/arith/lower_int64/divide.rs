// SPDX-License-Identifier: MIT

//! Division of pairs: from 32-bit divisions, without branches and loops.
//!
//! The method is that of "Hacker's Delight" (Warren, 9-4 and 9-5): a division of 64 by 32 bits is two estimates of 16 bits
//! each, which are too large by at most 2; one of 64 by 64 bits is such a division of the leading bits, too large by at most 1.
//! Division by 0 is undefined.

use super::pairs::{Pair, Pairs};
use crate::ir::Def;
use crate::op::AluOp::*;

impl Pairs<'_, '_> {
    /// Quotient of unsigned numbers.
    pub(super) fn divide(&mut self, x: Pair, y: Pair) -> Pair {
        let is_short = self.with(ieq, y.high, 0);
        // By 32 bits: the high half first; its remainder becomes the upper half of the second dividend.
        let quotient_high = self.binary(udiv, x.high, y.low);
        let taken = self.binary(imul, quotient_high, y.low);
        let left = self.binary(isub, x.high, taken);
        // By more than 32 bits: half of the dividend by the leading 32 bits of the divisor.
        let shift = self.leading_zeros(y.high);
        let leading = self.shift(ishl, y, shift).high;
        let one = self.int(x.low, 1);
        let half = self.shift(ushr, x, one);

        let mut choose = |short, long| self.b.alu(bcsel, &[is_short, short, long]);
        let (divisor, high, low) = (choose(y.low, leading), choose(left, half.high), choose(x.low, half.low));
        let quotient = self.divide_by_32(high, low, divisor);

        let short = Pair { low: quotient, high: quotient_high };
        let long = self.corrected(x, y, quotient, shift);
        self.select(is_short, short, long)
    }

    /// Remainder of unsigned numbers.
    pub(super) fn remainder(&mut self, x: Pair, y: Pair) -> Pair {
        let quotient = self.divide(x, y);
        let multiple = self.mul(quotient, y);
        self.sub(x, multiple)
    }

    /// Quotient of signed numbers, rounded towards zero.
    pub(super) fn signed_divide(&mut self, x: Pair, y: Pair) -> Pair {
        let signs = self.binary(ixor, x.high, y.high);
        let differ = self.with(ilt, signs, 0);
        let (x, y) = (self.abs(x), self.abs(y));
        let quotient = self.divide(x, y);
        self.neg_if(differ, quotient)
    }

    /// Remainder with the sign of `x`.
    pub(super) fn signed_remainder(&mut self, x: Pair, y: Pair) -> Pair {
        let negative = self.is_negative(x);
        let (x, y) = (self.abs(x), self.abs(y));
        let remainder = self.remainder(x, y);
        self.neg_if(negative, remainder)
    }

    /// Remainder with the sign of `y`.
    pub(super) fn modulo(&mut self, x: Pair, y: Pair) -> Pair {
        let remainder = self.signed_remainder(x, y);
        let signs = self.binary(ixor, x.high, y.high);
        let differ = self.with(ilt, signs, 0);
        let exact = self.is_zero(remainder);
        let inexact = self.unary(inot, exact);
        let other = self.binary(iand, differ, inexact);
        let sum = self.add(remainder, y);
        self.select(other, sum, remainder)
    }

    /// 32 for 0.
    fn leading_zeros(&mut self, x: Def) -> Def {
        let highest = self.unary(ufind_msb, x);
        let top = self.int(x, 31);
        self.binary(isub, top, highest)
    }

    /// The quotient for a divisor of more than 32 bits, from an estimate by the leading bits: the quotient of `x / 2` and of
    /// `y` shifted left by `shift`.
    fn corrected(&mut self, x: Pair, y: Pair, estimate: Def, shift: Def) -> Pair {
        // estimate * 2^shift / 2^31, minus 1 as it may be too large.
        let estimate = self.extend(estimate);
        let scaled = self.shift(ishl, estimate, shift);
        let thirty_one = self.int(x.low, 31);
        let scaled = self.shift(ushr, scaled, thirty_one).low;
        let positive = self.with(ine, scaled, 0);
        let positive = self.unary(b2i32, positive);
        let quotient = self.binary(isub, scaled, positive);
        // One more if the remainder is not less than the divisor.
        let wide = self.extend(quotient);
        let multiple = self.mul(wide, y);
        let left = self.sub(x, multiple);
        let less = self.less(ult, left, y);
        let more = self.unary(inot, less);
        let more = self.unary(b2i32, more);
        let low = self.binary(iadd, quotient, more);
        self.extend(low)
    }

    /// `high * 2^32 + low` by `divisor`, which is greater than `high`.
    fn divide_by_32(&mut self, high: Def, low: Def, divisor: Def) -> Def {
        let shift = self.leading_zeros(divisor);
        let divisor = self.binary(ishl, divisor, shift);
        let dividend = self.shift(ishl, Pair { low, high }, shift);
        let digits = [self.with(ushr, divisor, 16), self.with(iand, divisor, 0xffff)];
        let upper = self.with(ushr, dividend.low, 16);
        let lower = self.with(iand, dividend.low, 0xffff);
        let first = self.digit(dividend.high, upper, digits);
        // The remainder after the first digit, modulo 2^32.
        let above = self.with(ishl, dividend.high, 16);
        let above = self.binary(ior, above, upper);
        let taken = self.binary(imul, first, divisor);
        let left = self.binary(isub, above, taken);
        let second = self.digit(left, lower, digits);
        let first = self.with(ishl, first, 16);
        self.binary(ior, first, second)
    }

    /// A digit of 16 bits: `left * 2^16 + next` by the divisor of two digits.
    fn digit(&mut self, left: Def, next: Def, [high, low]: [Def; 2]) -> Def {
        let mut digit = self.binary(udiv, left, high);
        let taken = self.binary(imul, digit, high);
        let mut rest = self.binary(isub, left, taken);
        for _ in 0..2 {
            // Too large if it has more than 16 bits, or if the product with the low digit exceeds the remainder. It does not if
            // the remainder has more than 16 bits.
            let is_wide = self.with(uge, digit, 0x1_0000);
            let product = self.binary(imul, digit, low);
            let limit = self.with(ishl, rest, 16);
            let limit = self.binary(ior, limit, next);
            let exceeds = self.binary(ult, limit, product);
            let too_large = self.binary(ior, is_wide, exceeds);
            let known = self.with(ult, rest, 0x1_0000);
            let too_large = self.binary(iand, too_large, known);
            let lowered = self.with(iadd, digit, u32::MAX);
            let raised = self.binary(iadd, rest, high);
            digit = self.b.alu(bcsel, &[too_large, lowered, digit]);
            rest = self.b.alu(bcsel, &[too_large, raised, rest]);
        }
        digit
    }
}
