// SPDX-License-Identifier: MIT

//! Products, and fused multiply-add with one rounding.

use super::number::{Doubles, Number, INFINITY, NAN, SIGN};
use crate::ir::Def;
use crate::op::AluOp::*;

/// An unsigned number of 128 bits.
#[derive(Clone, Copy, Debug)]
struct Wide {
    high: Def,
    low: Def,
}

impl Doubles<'_, '_> {
    pub(super) fn mul(&mut self, a: Def, b: Def) -> Def {
        let (x, y) = (self.unpack_normal(a), self.unpack_normal(b));
        // Leading digits in bits 62 and 63 make one in bit 125 or 126 of the product.
        let factor = self.with(ishl, y.digits, 1);
        let high = self.binary(umul_high, x.digits, factor);
        let low = self.binary(imul, x.digits, factor);
        let lost = self.with(ine, low, 0);
        let digits = self.stick(high, lost);
        let exponent = self.binary(iadd, x.exponent, y.exponent);
        let exponent = self.with(iadd, exponent, (-1022i64) as u64);
        let sign = self.binary(ixor, a, b);
        let product = self.settle(Number { sign, exponent, digits });
        let product = self.pack(product);

        let (is_infinite, is_nan) = self.special_product(a, b);
        let infinity = self.signed(INFINITY, sign);
        let product = self.select(is_infinite, infinity, product);
        self.replace_if(is_nan, NAN, product)
    }

    /// Whether a factor of a product is infinite or NaN, and whether the product is certainly NaN.
    fn special_product(&mut self, a: Def, b: Def) -> (Def, Def) {
        let (a, b) = (self.magnitude(a), self.magnitude(b));
        let (great, small) = (self.binary(umax, a, b), self.binary(umin, a, b));
        let is_infinite = self.with(uge, great, INFINITY);
        let is_nan = self.is_nan_magnitude(great);
        let is_zero = self.with(ieq, small, 0);
        let invalid = self.binary(iand, is_infinite, is_zero);
        (is_infinite, self.binary(ior, is_nan, invalid))
    }

    /// `a * b + c`, rounded once.
    pub(super) fn fma(&mut self, a: Def, b: Def, c: Def) -> Def {
        let (x, y, z) = (self.unpack_normal(a), self.unpack_normal(b), self.unpack_normal(c));
        let sign = self.binary(ixor, a, b);
        // The product has its leading digit in bit 124 or 125 and 20 zeros at its end, so the summand starts at bit 125.
        let product =
            Wide { high: self.binary(umul_high, x.digits, y.digits), low: self.binary(imul, x.digits, y.digits) };
        let exponent = self.binary(iadd, x.exponent, y.exponent);
        let exponent = self.with(iadd, exponent, (-1022i64) as u64);
        let summand = Wide { high: self.with(ushr, z.digits, 1), low: self.like(z.digits, 0) };
        let swapped = self.binary(ilt, exponent, z.exponent);
        let great = self.select_wide(swapped, summand, product);
        let small = self.select_wide(swapped, product, summand);
        let great_exponent = self.binary(imax, exponent, z.exponent);
        let small_exponent = self.binary(imin, exponent, z.exponent);
        let distance = self.binary(isub, great_exponent, small_exponent);
        let small = self.shift_right_wide(small, distance);
        let signs = self.binary(ixor, sign, c);
        let differ = self.is_negative(signs);
        let small = self.negate_if(differ, small);
        let sum = self.add_wide(great, small);
        // Exponents are not decisive: the number with the smaller exponent may be greater because of its digits.
        let negative = self.is_negative(sum.high);
        let sum = self.negate_if(negative, sum);
        let great_sign = self.select(swapped, c, sign);
        let flipped = self.with(ixor, great_sign, SIGN);
        let sum_sign = self.select(negative, flipped, great_sign);
        let any = self.binary(ior, sum.high, sum.low);
        let is_zero = self.with(ieq, any, 0);
        let common = self.binary(iand, sign, c);
        let sum_sign = self.select(is_zero, common, sum_sign);
        let number = self.normalise_wide(sum, great_exponent, sum_sign);
        let sum = self.pack(number);
        self.fma_or_special(sum, [a, b, c], differ)
    }

    /// `sum`, or the special result if an operand is infinite or NaN.
    fn fma_or_special(&mut self, sum: Def, [a, b, c]: [Def; 3], differ: Def) -> Def {
        let (is_infinite, is_nan) = self.special_product(a, b);
        let magnitude = self.magnitude(c);
        let keeps_c = self.with(uge, magnitude, INFINITY);
        let cancel = self.binary(iand, is_infinite, keeps_c);
        let cancel = self.binary(iand, cancel, differ);
        let is_nan = self.binary(ior, is_nan, cancel);
        let c_is_nan = self.is_nan_magnitude(magnitude);
        let is_nan = self.binary(ior, is_nan, c_is_nan);
        let sign = self.binary(ixor, a, b);
        let infinity = self.signed(INFINITY, sign);
        let sum = self.select(keeps_c, c, sum);
        let sum = self.select(is_infinite, infinity, sum);
        self.replace_if(is_nan, NAN, sum)
    }

    fn select_wide(&mut self, cond: Def, x: Wide, y: Wide) -> Wide {
        Wide { high: self.select(cond, x.high, y.high), low: self.select(cond, x.low, y.low) }
    }

    fn add_wide(&mut self, x: Wide, y: Wide) -> Wide {
        let low = self.binary(iadd, x.low, y.low);
        let carry = self.binary(ult, low, x.low);
        let carry = self.unary(b2i64, carry);
        let high = self.binary(iadd, x.high, y.high);
        Wide { high: self.binary(iadd, high, carry), low }
    }

    /// `-x` where `cond` is true, else `x`.
    fn negate_if(&mut self, cond: Def, x: Wide) -> Wide {
        let low = self.unary(ineg, x.low);
        let carries = self.with(ieq, x.low, 0);
        let carry = self.unary(b2i64, carries);
        let high = self.unary(inot, x.high);
        let high = self.binary(iadd, high, carry);
        self.select_wide(cond, Wide { high, low }, x)
    }

    /// `x` shifted right by any count, the lost digits collected in the lowest.
    fn shift_right_wide(&mut self, x: Wide, count: Def) -> Wide {
        let count = self.with(umin, count, 127);
        let is_far = self.with(uge, count, 64);
        let zero = self.like(x.high, 0);
        let far = Wide { high: zero, low: x.high };
        let dropped = self.select(is_far, x.low, zero);
        let x = self.select_wide(is_far, far, x);
        let low = self.shift_right(x.low, count);
        // In two steps, because a count of 64 is taken as 0.
        let crossing = self.with(ishl, x.high, 1);
        let rest = self.with(ixor, count, 63);
        let crossing = self.binary(ishl, crossing, rest);
        let low = self.binary(ior, low, crossing);
        let lost = self.with(ine, dropped, 0);
        Wide { high: self.binary(ushr, x.high, count), low: self.stick(low, lost) }
    }

    /// A sum of 128 bits, whose unit `exponent` gives, as a normal number.
    fn normalise_wide(&mut self, x: Wide, exponent: Def, sign: Def) -> Number {
        // A sum that cancels down to the low half was aligned by so few bits that its lowest digit is 0.
        let is_low = self.with(ieq, x.high, 0);
        let low = self.with(ushr, x.low, 1);
        let high = self.select(is_low, low, x.high);
        let low = self.replace_if(is_low, 0, x.low);
        let below = self.with(iadd, exponent, (-62i64) as u64);
        let exponent = self.with(iadd, exponent, 1);
        let exponent = self.select(is_low, below, exponent);
        let number = self.normalise(Number { sign, exponent, digits: high });
        let room = self.room(high);
        let rest = self.with(ixor, room, 63);
        let crossing = self.with(ushr, low, 1);
        let crossing = self.binary(ushr, crossing, rest);
        let digits = self.binary(ior, number.digits, crossing);
        let beyond = self.binary(ishl, low, room);
        let lost = self.with(ine, beyond, 0);
        Number { digits: self.stick(digits, lost), ..number }
    }
}
