// SPDX-License-Identifier: MIT

//! Conversions between doubles and other numbers, rounded once.
//!
//! A number that an integer cannot hold becomes the nearest that it can hold, and NaN becomes 0, as in the folds: NIR and
//! SPIR-V leave these results undefined.

use super::number::{Doubles, Format, Number, BIAS, INFINITY, NAN};
use crate::ir::Def;
use crate::op::AluOp::*;

impl Doubles<'_, '_> {
    /// Doubles as floats of 32 or 16 bits.
    pub(super) fn float_of(&mut self, x: Def, bits: u8) -> Def {
        let format = if bits == 16 { Format::HALF } else { Format::SINGLE };
        let number = self.unpack(x);
        // All digits of a denormal double are lost, whatever they are.
        let high = self.with(ushr, number.digits, 32);
        let (high, low) = (self.unary(u2u32, high), self.unary(u2u32, number.digits));
        let lost = self.with(ine, low, 0);
        let digits = self.stick(high, lost);
        let exponent = self.with(iadd, number.exponent, format.bias.wrapping_sub(BIAS));
        let float = self.round(Number { sign: x, exponent, digits }, format);
        let sign = self.with(ushr, x, 63);
        let sign = self.unary(u2u32, sign);
        let sign = self.with(ishl, sign, u64::from(bits) - 1);
        let float = self.binary(ior, float, sign);
        // Infinity and numbers above it are infinite by now, and so is NaN.
        let infinity = format.top() << format.fraction;
        let is_nan = self.is_nan(x);
        let float = self.replace_if(is_nan, infinity | 1 << (format.fraction - 1), float);
        if bits == 16 {
            return self.unary(u2u16, float);
        }
        float
    }

    /// Floats of 32 or 16 bits as doubles. The latter are exact in 32 bits.
    pub(super) fn double_of_float(&mut self, x: Def) -> Def {
        let x = if self.b.shader.bit_size(x) == 16 { self.unary(f2f32, x) } else { x };
        let magnitude = self.with(iand, x, 0x7fff_ffff);
        let field = self.with(ushr, magnitude, 23);
        let fraction = self.with(iand, x, 0x7f_ffff);
        let digits = self.with(ior, fraction, 0x80_0000);
        let is_denormal = self.with(ieq, field, 0);
        let digits = self.select(is_denormal, fraction, digits);
        let exponent = self.with(umax, field, 1);
        let exponent = self.with(iadd, exponent, (-150i64) as u64);
        let number = self.whole(digits, Some(exponent));
        let is_infinite = self.with(ieq, magnitude, 0x7f80_0000);
        let number = self.replace_if(is_infinite, INFINITY, number);
        let sign = self.with(ushr, x, 31);
        let sign = self.unary(u2u64, sign);
        let sign = self.with(ishl, sign, 63);
        let number = self.binary(ior, number, sign);
        let is_nan = self.with(uge, magnitude, 0x7f80_0001);
        self.replace_if(is_nan, NAN, number)
    }

    /// `digits * 2^exponent` for 32 digits, which is exact.
    fn whole(&mut self, digits: Def, exponent: Option<Def>) -> Def {
        let leading = self.unary(ufind_msb, digits);
        let top = self.like(leading, 52);
        let room = self.binary(isub, top, leading);
        let fraction = self.unary(u2u64, digits);
        let fraction = self.binary(ishl, fraction, room);
        let leading = exponent.map_or(leading, |exponent| self.binary(iadd, leading, exponent));
        // The leading digit adds 1.
        let exponent = self.with(iadd, leading, BIAS - 1);
        let exponent = self.unary(u2u64, exponent);
        let exponent = self.with(ishl, exponent, 52);
        let number = self.binary(iadd, fraction, exponent);
        let is_zero = self.with(ieq, digits, 0);
        self.replace_if(is_zero, 0, number)
    }

    /// Integers as doubles.
    pub(super) fn double_of_int(&mut self, x: Def, is_signed: bool) -> Def {
        let x = match (self.b.shader.bit_size(x), is_signed) {
            (32 | 64, _) => x,
            (_, true) => self.unary(i2i32, x),
            (_, false) => self.unary(u2u32, x),
        };
        if !is_signed {
            return self.double_of_magnitude(x);
        }
        let negated = self.unary(ineg, x);
        let negative = self.is_negative(x);
        let magnitude = self.select(negative, negated, x);
        let magnitude = self.double_of_magnitude(magnitude);
        let sign = self.unary(b2i64, negative);
        let sign = self.with(ishl, sign, 63);
        self.binary(ior, magnitude, sign)
    }

    fn double_of_magnitude(&mut self, x: Def) -> Def {
        if self.b.shader.bit_size(x) == 32 {
            return self.whole(x, None);
        }
        // The leading digit is moved to bit 63, and a shift to bit 62 then loses no digit.
        let room = self.room(x);
        let up = self.with(iadd, room, 1);
        let digits = self.binary(ishl, x, up);
        let half = self.with(ushr, digits, 1);
        let last = self.with(iand, digits, 1);
        let digits = self.binary(ior, half, last);
        let top = self.like(room, BIAS + 62);
        let exponent = self.binary(isub, top, room);
        let number = self.round_normal(Number { sign: x, exponent, digits }, Format::DOUBLE);
        let is_zero = self.with(ieq, x, 0);
        self.replace_if(is_zero, 0, number)
    }

    /// Doubles as integers of `bits` bits, rounded towards zero.
    pub(super) fn int_of(&mut self, x: Def, is_signed: bool, bits: u8) -> Def {
        let exponent = self.exponent_field(x);
        let whole = self.whole_digits(x, exponent, if bits == 64 { 64 } else { 32 });
        let negative = self.is_negative(x);
        // The exponent of a number that has one digit too many.
        let end = BIAS + u64::from(bits) - u64::from(is_signed);
        let overflows = self.with(uge, exponent, end);
        let is_nan = self.is_nan(x);
        let most = u64::MAX >> (64 - u64::from(bits) + u64::from(is_signed));
        let whole = if is_signed {
            // The magnitude of the least number is greater by one than that of the greatest.
            let (most, least) = (self.like(whole, most), self.like(whole, most + 1));
            let limit = self.select(negative, least, most);
            let whole = self.select(overflows, limit, whole);
            let negated = self.unary(ineg, whole);
            let whole = self.select(negative, negated, whole);
            self.replace_if(is_nan, 0, whole)
        } else {
            let none = self.binary(ior, negative, is_nan);
            let whole = self.replace_if(overflows, most, whole);
            self.replace_if(none, 0, whole)
        };
        match bits {
            8 => self.unary(u2u8, whole),
            16 => self.unary(u2u16, whole),
            _ => whole,
        }
    }

    /// The magnitude of a double with this exponent, without its fraction: an integer of `bits` bits, 32 or 64, if it has no
    /// more.
    fn whole_digits(&mut self, x: Def, exponent: Def, bits: u8) -> Def {
        let digits = self.with(ishl, x, 11);
        let digits = self.with(ior, digits, 1 << 63);
        let digits = match bits {
            64 => digits,
            _ => {
                let high = self.with(ushr, digits, 32);
                self.unary(u2u32, high)
            }
        };
        let greatest = self.like(exponent, BIAS + u64::from(bits) - 1);
        let shift = self.binary(isub, greatest, exponent);
        let whole = self.binary(ushr, digits, shift);
        let is_fraction = self.with(ult, exponent, BIAS);
        self.replace_if(is_fraction, 0, whole)
    }
}
