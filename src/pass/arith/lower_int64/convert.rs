// SPDX-License-Identifier: MIT

//! Conversions between pairs and floats, rounded once.

use super::pairs::{Pair, Pairs};
use crate::ir::Def;
use crate::op::fold::from_float;
use crate::op::AluOp::{self, *};

/// 2^32.
const HALF: f64 = 4_294_967_296.0;

impl Pairs<'_, '_> {
    fn float(&mut self, like: Def, bits: u8, value: f64) -> Def {
        let components = usize::from(self.b.shader.num_components(like));
        self.b.constant(bits, &[from_float(value, bits); 16][..components])
    }

    /// Integers as floats of `bits` bits.
    pub(super) fn float_of(&mut self, x: Pair, signed: bool, bits: u8) -> Def {
        if bits == 64 {
            return self.double_of(x, signed);
        }
        let mut result = if signed {
            let negative = self.is_negative(x);
            let magnitude = self.abs(x);
            let magnitude = self.single_of(magnitude);
            let negated = self.unary(fneg, magnitude);
            self.b.alu(bcsel, &[negative, negated, magnitude])
        } else {
            self.single_of(x)
        };
        if bits == 16 {
            // Values that binary32 rounds are out of the range of binary16.
            result = self.unary(f2f16, result);
        }
        result
    }

    /// Both halves are exact in binary64, as is the product, so that only the sum is rounded.
    fn double_of(&mut self, x: Pair, signed: bool) -> Def {
        let high = self.unary(if signed { i2f64 } else { u2f64 }, x.high);
        let low = self.unary(u2f64, x.low);
        let scale = self.float(high, 64, HALF);
        let high = self.binary(fmul, high, scale);
        self.binary(fadd, high, low)
    }

    /// Unsigned integers: the leading 32 bits, the last of which is sticky, scaled.
    fn single_of(&mut self, x: Pair) -> Def {
        let (in_high, in_low) = (self.unary(ufind_msb, x.high), self.unary(ufind_msb, x.low));
        let has_high = self.with(ine, x.high, 0);
        let in_high = self.with(iadd, in_high, 32);
        let highest = self.b.alu(bcsel, &[has_high, in_high, in_low]);
        let top = self.int(highest, 63);
        let shift = self.binary(isub, top, highest);
        let leading = self.shift(ishl, x, shift);
        let sticky = self.with(ine, leading.low, 0);
        let sticky = self.unary(b2i32, sticky);
        let leading = self.binary(ior, leading.high, sticky);
        let float = self.unary(u2f32, leading);
        // 2^(32 - shift): its exponent, with the bias.
        let exponent = self.int(shift, 127 + 32);
        let exponent = self.binary(isub, exponent, shift);
        let scale = self.with(ishl, exponent, 23);
        self.binary(fmul, float, scale)
    }

    /// Floats as integers, rounded towards zero. Results for values out of range are undefined.
    pub(super) fn int_of(&mut self, x: Def, signed: bool) -> Pair {
        let x = if self.b.shader.bit_size(x) == 16 { self.unary(f2f32, x) } else { x };
        let bits = self.b.shader.bit_size(x);
        let whole = self.unary(ftrunc, x);
        let magnitude = if signed { self.unary(fabs, whole) } else { whole };
        let down = self.float(x, bits, 1.0 / HALF);
        let high = self.binary(fmul, magnitude, down);
        let high = self.unary(ftrunc, high);
        let up = self.float(x, bits, HALF);
        let multiple = self.binary(fmul, high, up);
        let low = self.binary(fsub, magnitude, multiple);
        let pair = Pair { low: self.unary(f2u32, low), high: self.unary(f2u32, high) };
        if !signed {
            return pair;
        }
        let zero = self.float(x, bits, 0.0);
        let negative = self.binary(flt, x, zero);
        self.neg_if(negative, pair)
    }

    /// Integers of 8, 16 or 32 bits as pairs.
    pub(super) fn widen(&mut self, x: Def, signed: bool) -> Pair {
        let low = match self.b.shader.bit_size(x) {
            32 => x,
            _ => self.unary(if signed { i2i32 } else { u2u32 }, x),
        };
        if signed {
            self.sign_extend(low)
        } else {
            self.extend(low)
        }
    }

    /// The low `bits` bits.
    pub(super) fn narrow(&mut self, x: Pair, bits: u8) -> Def {
        let op: AluOp = match bits {
            8 => u2u8,
            16 => u2u16,
            _ => return x.low,
        };
        self.unary(op, x.low)
    }
}
