// SPDX-License-Identifier: MIT

//! Rounding to integral numbers, and significands and exponents as separate numbers.

use super::number::{Doubles, Number, BIAS, FRACTION, INFINITY, ONE, SIGN};
use crate::ir::Def;
use crate::op::AluOp::*;

/// 0.5.
const HALF: u64 = (BIAS - 1) << 52;

/// A double truncated at the point.
struct Cut {
    /// The bit of the last digit before the point.
    unit: Def,
    /// The magnitude is less than 1.
    is_fraction: Def,
    /// The number without its fraction.
    whole: Def,
}

/// Whether to round away from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Away {
    Never,
    IfNegative,
    IfPositive,
    IfNearer,
}

impl Doubles<'_, '_> {
    fn cut(&mut self, x: Def) -> Cut {
        let exponent = self.exponent_field(x);
        let last = self.like(exponent, BIAS + 52);
        let fraction_bits = self.binary(isub, last, exponent);
        let fraction_bits = self.with(imax, fraction_bits, 0);
        let fraction_bits = self.with(umin, fraction_bits, 52);
        let one = self.like(x, 1);
        let unit = self.binary(ishl, one, fraction_bits);
        let mask = self.unary(ineg, unit);
        let cut = self.binary(iand, x, mask);
        let is_fraction = self.with(ult, exponent, BIAS);
        let zero = self.sign(x);
        Cut { unit, is_fraction, whole: self.select(is_fraction, zero, cut) }
    }

    /// The integral number next to `x`.
    pub(super) fn integral(&mut self, x: Def, away: Away) -> Def {
        let cut = self.cut(x);
        let is_away = match away {
            Away::Never => return cut.whole,
            Away::IfNegative => self.is_negative(x),
            Away::IfPositive => self.with(ige, x, 0),
            Away::IfNearer => self.is_nearer_away(x, &cut),
        };
        let inexact = self.binary(ine, cut.whole, x);
        let is_away = self.binary(iand, is_away, inexact);
        // A carry out of the digits increments the exponent, which is correct.
        let next = self.binary(iadd, cut.whole, cut.unit);
        let one = self.signed(ONE, x);
        let next = self.select(cut.is_fraction, one, next);
        self.select(is_away, next, cut.whole)
    }

    /// Whether more than half is cut off, or exactly half of an odd number.
    fn is_nearer_away(&mut self, x: Def, cut: &Cut) -> Def {
        let magnitude = self.magnitude(x);
        let is_more_than_half = self.with(uge, magnitude, HALF + 1);
        let rest = self.binary(ixor, x, cut.whole);
        let half = self.with(ushr, cut.unit, 1);
        let more = self.binary(ult, half, rest);
        let tie = self.binary(ieq, rest, half);
        // The lowest digit of 1.0 is not in its fraction; the lowest bit of its exponent is 1 too.
        let digit = self.binary(iand, x, cut.unit);
        let odd = self.with(ine, digit, 0);
        let tie = self.binary(iand, tie, odd);
        let more = self.binary(ior, more, tie);
        self.select(cut.is_fraction, is_more_than_half, more)
    }

    /// `x * 2^n`; a denormal result becomes zero.
    pub(super) fn ldexp(&mut self, x: Def, n: Def) -> Def {
        let number = self.unpack_normal(x);
        let n = self.with(imax, n, (-4000i64) as u64);
        let n = self.with(imin, n, 4000);
        let exponent = self.binary(iadd, number.exponent, n);
        let scaled = self.pack(Number { exponent, ..number });
        let magnitude = self.magnitude(scaled);
        let is_denormal = self.with(ult, magnitude, FRACTION + 1);
        let zero = self.sign(x);
        let scaled = self.select(is_denormal, zero, scaled);
        let magnitude = self.magnitude(x);
        let stays = self.with(uge, magnitude, INFINITY);
        self.select(stays, x, scaled)
    }

    /// Whether `x` is zero, infinite or NaN, for which `frexp` returns `x` itself and 0.
    fn has_no_exponent(&mut self, x: Def) -> Def {
        let magnitude = self.magnitude(x);
        let below = self.with(iadd, magnitude, u64::MAX);
        self.with(uge, below, INFINITY - 1)
    }

    /// The significand, at least 0.5 and less than 1.
    pub(super) fn significand(&mut self, x: Def) -> Def {
        let number = self.unpack_normal(x);
        let fraction = self.with(ushr, number.digits, 10);
        let fraction = self.with(iand, fraction, FRACTION);
        let significand = self.with(ior, fraction, HALF);
        let sign = self.sign(x);
        let significand = self.binary(ior, significand, sign);
        let stays = self.has_no_exponent(x);
        self.select(stays, x, significand)
    }

    /// The exponent that belongs to it.
    pub(super) fn exponent(&mut self, x: Def) -> Def {
        let number = self.unpack_normal(x);
        let exponent = self.with(iadd, number.exponent, (1 - BIAS as i64) as u64);
        let none = self.has_no_exponent(x);
        self.replace_if(none, 0, exponent)
    }

    pub(super) fn neg(&mut self, x: Def) -> Def {
        self.with(ixor, x, SIGN)
    }
}
