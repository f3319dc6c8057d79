// SPDX-License-Identifier: MIT

//! Sums: the smaller summand is aligned to the greater one, then the digits are added.

use super::number::{Doubles, Number, INFINITY, NAN, SIGN};
use crate::ir::Def;
use crate::op::AluOp::*;

impl Doubles<'_, '_> {
    pub(super) fn add(&mut self, a: Def, b: Def) -> Def {
        let magnitudes = [self.magnitude(a), self.magnitude(b)];
        let swapped = self.binary(ult, magnitudes[0], magnitudes[1]);
        let (great, small) = (self.select(swapped, b, a), self.select(swapped, a, b));
        let signs = self.binary(ixor, a, b);
        let differ = self.is_negative(signs);

        let (x, y) = (self.unpack(great), self.unpack(small));
        let distance = self.binary(isub, x.exponent, y.exponent);
        let distance = self.with(umin, distance, 63);
        // One bit of room for another digit, and nine below for digits that cancellation moves up.
        let (augend, addend) = (self.with(ushr, x.digits, 1), self.with(ushr, y.digits, 1));
        let addend = self.shift_right(addend, distance);
        let negated = self.unary(ineg, addend);
        let addend = self.select(differ, negated, addend);
        let digits = self.binary(iadd, augend, addend);
        // A sum that cancels is +0.0; the sum of zeros has their sign.
        let is_zero = self.with(ieq, digits, 0);
        let common = self.binary(iand, a, b);
        let sign = self.select(is_zero, common, great);
        let exponent = self.with(iadd, x.exponent, 1);
        let sum = self.normalise(Number { sign, exponent, digits });
        let sum = self.pack(sum);

        let (great_magnitude, small_magnitude) = (self.magnitude(great), self.magnitude(small));
        let is_nan = self.is_nan_magnitude(great_magnitude);
        let both = self.with(ieq, small_magnitude, INFINITY);
        let cancel = self.binary(iand, differ, both);
        let is_nan = self.binary(ior, is_nan, cancel);
        let special = self.replace_if(is_nan, NAN, great);
        let is_special = self.with(uge, great_magnitude, INFINITY);
        self.select(is_special, special, sum)
    }

    pub(super) fn sub(&mut self, a: Def, b: Def) -> Def {
        let negated = self.with(ixor, b, SIGN);
        self.add(a, negated)
    }
}
