// SPDX-License-Identifier: MIT

//! The parts of all operations on doubles: unpacking bits, shifting and rounding digits, and packing a number again. All of it
//! works on vectors, component by component.

use crate::ir::{Builder, Def};
use crate::op::AluOp::{self, *};

/// The sign of a double.
pub(super) const SIGN: u64 = 1 << 63;
/// The least magnitude that is not a finite number: that of the infinities. Those above are NaN.
pub(super) const INFINITY: u64 = 0x7ff << 52;
/// A quiet NaN.
pub(super) const NAN: u64 = 0x7ff8 << 48;
/// 1.0.
pub(super) const ONE: u64 = BIAS << 52;
/// The exponent of 1.0.
pub(super) const BIAS: u64 = 1023;
/// The digits of a double after the leading one.
pub(super) const FRACTION: u64 = (1 << 52) - 1;

/// The exponent of zero as a [`Number`], so low that it is less than all others and rounds to zero after any sum of exponents.
const NOTHING: u64 = (-0x4000i64) as u64;

/// A finite double, or a number to round to one: `digits * 2^(exponent - 1023 - 62)`, with a sign in bit 63. It is *normal* if
/// it is zero or bit 62 is the leading digit, as for 1.0:
///
/// ```text
/// digits = 0x4000000000000000, exponent = 1023
/// ```
///
/// A double has 53 digits, so ten bits remain below for rounding. The lowest of them is *sticky*: it represents all digits that
/// follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// 64 bits, of which only the highest is used.
    pub(super) sign: Def,
    /// 32 bits, signed.
    pub(super) exponent: Def,
    /// 64 bits.
    pub(super) digits: Def,
}

/// A float in memory, in an integer of `width` bits. A number to round has its leading digit in bit `width - 2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) width: u8,
    /// The number of digits after the leading one.
    pub(super) fraction: u8,
    /// The exponent of 1.0.
    pub(super) bias: u64,
}

impl Format {
    pub(super) const DOUBLE: Format = Format { width: 64, fraction: 52, bias: BIAS };
    pub(super) const SINGLE: Format = Format { width: 32, fraction: 23, bias: 127 };
    /// In the lower half of a word.
    pub(super) const HALF: Format = Format { width: 32, fraction: 10, bias: 15 };

    /// The exponent of infinity.
    pub(super) fn top(self) -> u64 {
        2 * self.bias + 1
    }
}

/// Builds operations on doubles.
pub(super) struct Doubles<'a, 'b> {
    pub(super) b: &'a mut Builder<'b>,
}

impl Doubles<'_, '_> {
    pub(super) fn unary(&mut self, op: AluOp, x: Def) -> Def {
        self.b.alu(op, &[x])
    }

    pub(super) fn binary(&mut self, op: AluOp, x: Def, y: Def) -> Def {
        self.b.alu(op, &[x, y])
    }

    /// `op` on `x` and a constant of the width that `op` requires.
    pub(super) fn with(&mut self, op: AluOp, x: Def, value: u64) -> Def {
        let bits = match op.info().srcs[1].ty.bits {
            0 => self.b.shader.bit_size(x),
            bits => bits,
        };
        let y = self.int(x, bits, value);
        self.binary(op, x, y)
    }

    /// `value` in as many components as `like` has.
    pub(super) fn int(&mut self, like: Def, bits: u8, value: u64) -> Def {
        let components = usize::from(self.b.shader.num_components(like));
        self.b.constant(bits, &[value; 16][..components])
    }

    /// `value` in the shape of `like`.
    pub(super) fn like(&mut self, like: Def, value: u64) -> Def {
        let bits = self.b.shader.bit_size(like);
        self.int(like, bits, value)
    }

    pub(super) fn select(&mut self, cond: Def, x: Def, y: Def) -> Def {
        self.b.alu(bcsel, &[cond, x, y])
    }

    /// `value` where `cond` is true, else `x`.
    pub(super) fn replace_if(&mut self, cond: Def, value: u64, x: Def) -> Def {
        let value = self.like(x, value);
        self.select(cond, value, x)
    }

    /// A double without its sign. As an integer it compares like the number.
    pub(super) fn magnitude(&mut self, x: Def) -> Def {
        self.with(iand, x, !SIGN)
    }

    pub(super) fn sign(&mut self, x: Def) -> Def {
        self.with(iand, x, SIGN)
    }

    /// `value` with the sign of `x`.
    pub(super) fn signed(&mut self, value: u64, x: Def) -> Def {
        let sign = self.sign(x);
        self.with(ior, sign, value)
    }

    pub(super) fn is_negative(&mut self, x: Def) -> Def {
        self.with(ilt, x, 0)
    }

    pub(super) fn is_nan_magnitude(&mut self, magnitude: Def) -> Def {
        self.with(uge, magnitude, INFINITY + 1)
    }

    /// The exponent bits: 0 for zero and denormal numbers.
    pub(super) fn exponent_field(&mut self, x: Def) -> Def {
        let high = self.with(ushr, x, 52);
        let high = self.unary(u2u32, high);
        self.with(iand, high, 0x7ff)
    }

    /// A double as a number, its leading digit in bit 62 unless it is denormal.
    pub(super) fn unpack(&mut self, x: Def) -> Number {
        let field = self.exponent_field(x);
        let fraction = self.with(iand, x, FRACTION);
        let digits = self.with(ior, fraction, FRACTION + 1);
        let is_denormal = self.with(ieq, field, 0);
        let digits = self.select(is_denormal, fraction, digits);
        Number { sign: x, exponent: self.with(umax, field, 1), digits: self.with(ishl, digits, 10) }
    }

    /// A double as a normal number.
    pub(super) fn unpack_normal(&mut self, x: Def) -> Number {
        let number = self.unpack(x);
        self.normalise(number)
    }

    /// Moves the leading digit up to bit 62; it must not be above.
    pub(super) fn normalise(&mut self, x: Number) -> Number {
        let room = self.room(x.digits);
        let exponent = self.binary(isub, x.exponent, room);
        let is_zero = self.with(ieq, room, 63);
        let exponent = self.replace_if(is_zero, NOTHING, exponent);
        Number { exponent, digits: self.binary(ishl, x.digits, room), ..x }
    }

    /// Moves the leading digit up to bit 62; it must be in bit 61 or 62.
    pub(super) fn settle(&mut self, x: Number) -> Number {
        let is_short = self.with(ult, x.digits, 1 << 62);
        let room = self.unary(b2i32, is_short);
        Number { exponent: self.binary(isub, x.exponent, room), digits: self.binary(ishl, x.digits, room), ..x }
    }

    /// The number of bits by which the leading digit is below bit 62: -1 if it is above, 63 if there is none.
    pub(super) fn room(&mut self, digits: Def) -> Def {
        let high = self.with(ushr, digits, 32);
        let (low, high) = (self.unary(u2u32, digits), self.unary(u2u32, high));
        let (in_low, in_high) = (self.unary(ufind_msb, low), self.unary(ufind_msb, high));
        let in_high = self.with(iadd, in_high, 32);
        let has_high = self.with(ine, high, 0);
        let leading = self.select(has_high, in_high, in_low);
        let top = self.like(leading, 62);
        self.binary(isub, top, leading)
    }

    /// `digits` shifted right by less than their width, the lost digits collected in the lowest.
    pub(super) fn shift_right(&mut self, digits: Def, count: Def) -> Def {
        let shifted = self.binary(ushr, digits, count);
        let back = self.binary(ishl, shifted, count);
        let lost = self.binary(ine, back, digits);
        self.stick(shifted, lost)
    }

    /// Sets the lowest bit of `digits` if `cond` is true.
    pub(super) fn stick(&mut self, digits: Def, cond: Def) -> Def {
        let wide = self.b.shader.bit_size(digits) == 64;
        let bit = self.unary(if wide { b2i64 } else { b2i32 }, cond);
        self.binary(ior, digits, bit)
    }

    /// The float nearest to a normal number, ties to even, without its sign: denormal, infinite or zero if necessary.
    pub(super) fn round(&mut self, x: Number, format: Format) -> Def {
        // Below the least exponent, digits are shifted out instead.
        let least = self.like(x.exponent, 1);
        let below = self.binary(isub, least, x.exponent);
        let below = self.with(imax, below, 0);
        let below = self.with(umin, below, u64::from(format.width) - 1);
        let digits = self.shift_right(x.digits, below);
        let exponent = self.with(imax, x.exponent, 1);
        let exponent = self.with(imin, exponent, format.top());
        let rounded = self.round_normal(Number { exponent, digits, ..x }, format);
        self.with(umin, rounded, format.top() << format.fraction)
    }

    /// Rounds a number whose exponent is in range.
    pub(super) fn round_normal(&mut self, x: Number, format: Format) -> Def {
        let extra = format.width - 2 - format.fraction;
        let last = self.with(ushr, x.digits, u64::from(extra));
        let odd = self.with(iand, last, 1);
        let digits = self.with(iadd, x.digits, (1 << (extra - 1)) - 1);
        let digits = self.binary(iadd, digits, odd);
        let digits = self.with(ushr, digits, u64::from(extra));
        // The leading digit adds 1 to the exponent. If rounding carries, it adds 1 again.
        let exponent = self.with(iadd, x.exponent, u64::MAX);
        let exponent = if format.width == 64 { self.unary(u2u64, exponent) } else { exponent };
        let exponent = self.with(ishl, exponent, u64::from(format.fraction));
        self.binary(iadd, digits, exponent)
    }

    /// The double nearest to a normal number.
    pub(super) fn pack(&mut self, x: Number) -> Def {
        let magnitude = self.round(x, Format::DOUBLE);
        let sign = self.sign(x.sign);
        self.binary(ior, magnitude, sign)
    }
}
