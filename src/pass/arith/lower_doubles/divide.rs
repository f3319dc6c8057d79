// SPDX-License-Identifier: MIT

//! Quotients and square roots: an estimate by Newton's method in integers, which one exact remainder corrects.
//!
//! The estimate is off by less than half a unit that is itself at most half of the last digit. The sign of the exact remainder
//! shows on which side of the nearest such unit the result lies, which is sufficient for rounding.

use super::number::{Doubles, Format, Number, BIAS, INFINITY, NAN};
use crate::ir::Def;
use crate::op::AluOp::*;

impl Doubles<'_, '_> {
    pub(super) fn div(&mut self, a: Def, b: Def) -> Def {
        let (x, y) = (self.unpack_normal(a), self.unpack_normal(b));
        let digits = self.quotient(x.digits, y.digits);
        let exponent = self.binary(isub, x.exponent, y.exponent);
        let exponent = self.with(iadd, exponent, BIAS);
        let sign = self.binary(ixor, a, b);
        let quotient = self.settle(Number { sign, exponent, digits });
        let quotient = self.pack(quotient);

        let magnitudes = [a, b].map(|def| self.magnitude(def));
        let [a_is_zero, b_is_zero] = magnitudes.map(|magnitude| self.with(ieq, magnitude, 0));
        let [a_is_infinite, b_is_infinite] = magnitudes.map(|magnitude| self.with(uge, magnitude, INFINITY));
        let [a_is_nan, b_is_nan] = magnitudes.map(|magnitude| self.is_nan_magnitude(magnitude));
        let is_infinite = self.binary(ior, a_is_infinite, b_is_zero);
        let is_zero = self.binary(ior, b_is_infinite, a_is_zero);
        let is_nan = self.binary(iand, is_infinite, is_zero);
        let is_nan = self.binary(ior, is_nan, a_is_nan);
        let is_nan = self.binary(ior, is_nan, b_is_nan);
        let (zero, infinity) = (self.sign(sign), self.signed(INFINITY, sign));
        let quotient = self.select(is_zero, zero, quotient);
        let quotient = self.select(is_infinite, infinity, quotient);
        self.replace_if(is_nan, NAN, quotient)
    }

    /// `x * 2^62 / y` of normal digits, the lowest sticky.
    fn quotient(&mut self, x: Def, y: Def) -> Def {
        // The quotient is between 2^61 and 2^63 and the estimate off by less than 2^7, so that the unit can be 2^8.
        let reciprocal = self.reciprocal(y);
        let estimate = self.binary(umul_high, x, reciprocal);
        let estimate = self.with(iadd, estimate, 1 << 7);
        let estimate = self.with(iand, estimate, !0xff);
        // In units of 2^8 and of the last digits of x and y. The remainder is less than y, so 64 bits are enough.
        let dividend = self.with(ishl, x, 54 - 10);
        let units = self.with(ushr, estimate, 8);
        let divisor = self.with(ushr, y, 10);
        let multiple = self.binary(imul, units, divisor);
        self.corrected(estimate, dividend, multiple)
    }

    /// `estimate`, which ends in zeros, minus or plus 1 if `made` is more or less than `wanted`.
    fn corrected(&mut self, estimate: Def, wanted: Def, made: Def) -> Def {
        let rest = self.binary(isub, wanted, made);
        let side = self.unary(isign, rest);
        self.binary(iadd, estimate, side)
    }

    /// About `2^126 / y`, from normal digits: 57 digits are right. The result for 0 is undefined.
    fn reciprocal(&mut self, y: Def) -> Def {
        // 15 digits by a division, 28 by a step of Newton's method in 32 bits, 57 by another one in 64.
        let y = self.with(ishl, y, 1);
        let leading = self.with(ushr, y, 32);
        let leading = self.unary(u2u32, leading);
        let divisor = self.with(ushr, leading, 16);
        let divisor = self.with(ior, divisor, 0x8000);
        let all = self.like(divisor, 0xffff_ffff);
        let first = self.binary(udiv, all, divisor);
        let first = self.with(ishl, first, 15);
        let second = self.reciprocal_step(leading, first);
        let second = self.unary(u2u64, second);
        let second = self.with(ishl, second, 32);
        self.reciprocal_step(y, second)
    }

    /// `r * (2 - y * r)`, where `y * r` is about 1 if `y` is a pure fraction and `r` has one bit before the point.
    fn reciprocal_step(&mut self, y: Def, r: Def) -> Def {
        let product = self.binary(umul_high, y, r);
        let factor = self.unary(ineg, product);
        let result = self.binary(umul_high, r, factor);
        self.with(ishl, result, 1)
    }

    pub(super) fn sqrt(&mut self, a: Def) -> Def {
        let x = self.unpack_normal(a);
        // An even exponent, so that half of it is an integer.
        let odd = self.unary(inot, x.exponent);
        let odd = self.with(iand, odd, 1);
        let square = self.binary(ishl, x.digits, odd);
        let digits = self.root(square);
        let exponent = self.with(iadd, x.exponent, BIAS);
        let exponent = self.with(ishr, exponent, 1);
        let root = self.round_normal(Number { sign: a, exponent, digits }, Format::DOUBLE);

        let magnitude = self.magnitude(a);
        let is_negative = self.is_negative(a);
        let is_nan = self.is_nan_magnitude(magnitude);
        let is_nan = self.binary(ior, is_nan, is_negative);
        let is_zero = self.with(ieq, magnitude, 0);
        let is_infinite = self.with(ieq, a, INFINITY);
        let stays = self.binary(ior, is_zero, is_infinite);
        let root = self.replace_if(is_nan, NAN, root);
        self.select(stays, a, root)
    }

    /// `2^31 * sqrt(m)`, the lowest digit sticky, of digits whose leading one is in bit 62 or 63.
    fn root(&mut self, m: Def) -> Def {
        // GLSL.std.450's inverse square root is right to 2 units in the last place of 24 digits; each step doubles that.
        let leading = self.with(ushr, m, 32);
        let leading = self.unary(u2u32, leading);
        let float = self.unary(u2f32, leading);
        let inverse = self.unary(frsq, float);
        let inverse = self.with(fmul, inverse, u64::from(2f32.powi(46).to_bits()));
        let inverse = self.unary(f2u32, inverse);
        let inverse = self.unary(u2u64, inverse);
        let inverse = self.with(ishl, inverse, 32);
        let inverse = self.inverse_root_step(m, inverse);
        let inverse = self.inverse_root_step(m, inverse);
        // 2^30 * sqrt(m), which is between 2^61 and 2^62, off by less than 2^6, so that the unit can be 2^7.
        let estimate = self.binary(umul_high, m, inverse);
        let estimate = self.with(iadd, estimate, 1 << 6);
        let estimate = self.with(iand, estimate, !0x7f);
        // In units of 2^7 and of the last digit of m. The remainder is less than 2^57.
        let square = self.with(ishl, m, 56 - 10);
        let units = self.with(ushr, estimate, 7);
        let made = self.binary(imul, units, units);
        let root = self.corrected(estimate, square, made);
        self.with(ishl, root, 1)
    }

    /// `r * (3 - m * r^2) / 2`, where `r` has 63 bits after the point and `m` has 62.
    fn inverse_root_step(&mut self, m: Def, r: Def) -> Def {
        let square = self.binary(umul_high, r, r);
        let product = self.binary(umul_high, m, square);
        let three = self.like(product, 3 << 60);
        let factor = self.binary(isub, three, product);
        let factor = self.with(ishl, factor, 2);
        let result = self.binary(umul_high, r, factor);
        self.with(ishl, result, 1)
    }
}
