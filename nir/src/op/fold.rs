// SPDX-License-Identifier: MIT

//! The functions that the fold column uses: they read constant operands as numbers and round results to bits.
//!
//! A value is held as the low bits of a `u64`, the bits above its width are zero; a 1-bit boolean is 0 or 1, a wider boolean
//! 0 or all ones. Floats are computed in `f64`: for one add, subtract, multiply, divide or square root of 16- or 32-bit
//! operands, rounding that to the narrow type gives the correctly rounded result (binary64 has more than twice the digits).

/// The operands of one fold: the component of the result to compute, and everything that it may depend on.
pub struct Fold<'a> {
    /// The component of the result to compute.
    pub component: usize,
    /// The width of the result in bits.
    pub dest_bits: u8,
    /// The width of each operand in bits.
    pub src_bits: &'a [u8],
    /// The components of each operand, swizzles applied; per-component operands have as many as the result.
    pub srcs: &'a [&'a [u64]],
    /// True if the operand is read per component (size 0 in the table).
    pub per_component: &'a [bool],
}

impl Fold<'_> {
    /// The bits of operand `i`: its component of this result component, or its first if it has a size of its own.
    pub fn u(&self, i: usize) -> u64 {
        self.srcs[i][if self.per_component[i] { self.component } else { 0 }]
    }

    /// Operand `i` sign-extended.
    pub fn i(&self, i: usize) -> i64 {
        sign_extend(self.u(i), self.src_bits[i])
    }

    /// Operand `i` as a float of its width.
    pub fn f(&self, i: usize) -> f64 {
        to_float(self.u(i), self.src_bits[i])
    }

    /// Component `c` of operand `i`, as bits.
    pub fn u_at(&self, i: usize, c: usize) -> u64 {
        self.srcs[i][c]
    }

    /// Component `c` of operand `i`, as a float of its width.
    pub fn f_at(&self, i: usize, c: usize) -> f64 {
        to_float(self.srcs[i][c], self.src_bits[i])
    }

    /// Operand `i` as a shift count: modulo the width of the result.
    pub fn shift_count(&self, i: usize) -> u32 {
        (self.u(i) & (u64::from(self.dest_bits) - 1)) as u32
    }

    /// Operand `i` sign-extended, with room for sums and products.
    pub fn wide_i(&self, i: usize) -> i128 {
        i128::from(self.i(i))
    }

    /// Operand `i` zero-extended, with room for sums and products.
    pub fn wide_u(&self, i: usize) -> u128 {
        u128::from(self.u(i))
    }

    /// `value`, or the nearest signed integer of the width of the result.
    pub fn saturate_i(&self, value: i128) -> u64 {
        let max = (1i128 << (self.dest_bits - 1)) - 1;
        value.clamp(-max - 1, max) as u64
    }

    /// `value`, or the greatest unsigned integer of the width of the result.
    pub fn saturate_u(&self, value: u128) -> u64 {
        value.min((1 << self.dest_bits) - 1) as u64
    }

    /// `value` rounded to the nearest float of the width of the result, ties to even.
    pub fn round(&self, value: f64) -> u64 {
        from_float(value, self.dest_bits)
    }

    /// `value` rounded as the intermediate result of an operation of the width of the result.
    fn step(&self, value: f64) -> f64 {
        to_float(self.round(value), self.dest_bits)
    }

    /// 1.0 or 0.0.
    pub fn one_if(&self, value: bool) -> u64 {
        self.round(f64::from(u8::from(value)))
    }

    /// The sign bit of the result.
    pub fn sign_bit(&self) -> u64 {
        1 << (self.dest_bits - 1)
    }

    /// A boolean of the width of the result.
    pub fn bool(&self, value: bool) -> u64 {
        if value {
            mask(u64::MAX, self.dest_bits)
        } else {
            0
        }
    }
}

/// The low `bits` bits of `value`.
pub fn mask(value: u64, bits: u8) -> u64 {
    if bits >= 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// The low `bits` bits of `value` as a signed number.
pub fn sign_extend(value: u64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits);
    ((value << unused) as i64) >> unused
}

/// The float whose bits are `value`.
pub fn to_float(value: u64, bits: u8) -> f64 {
    match bits {
        64 => f64::from_bits(value),
        32 => f64::from(f32::from_bits(value as u32)),
        _ => half_to_float(value as u16),
    }
}

/// The bits of `value` rounded to a float of `bits` bits, nearest, ties to even. NaN has the same bits on every machine.
pub fn from_float(value: f64, bits: u8) -> u64 {
    match bits {
        64 if value.is_nan() => 0x7ff8 << 48,
        32 if value.is_nan() => 0x7fc0_0000,
        64 => value.to_bits(),
        32 => u64::from((value as f32).to_bits()),
        _ => u64::from(float_to_half(value)),
    }
}

fn half_to_float(half: u16) -> f64 {
    let sign = if half >> 15 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(half >> 10 & 0x1f);
    let fraction = f64::from(half & 0x3ff);
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

fn float_to_half(value: f64) -> u16 {
    let sign = ((value.to_bits() >> 48) & 0x8000) as u16;
    let magnitude = value.abs();
    if value.is_nan() {
        return 0x7e00;
    }
    if magnitude < 2f64.powi(-14) {
        // Denormal: a multiple of 2^-24. Scaling is exact, so rounding happens once.
        return sign | (magnitude * 2f64.powi(24)).round_ties_even() as u16;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = ((magnitude.to_bits() >> 52) as i32) - 1023;
    let scaled = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16; // 1024..=2048
    sign | ((((exponent + 15) as u16) << 10) + (scaled - 1024))
}

/// The bits of `value` rounded to a 16-bit float towards zero.
pub fn to_half_rtz(value: f64) -> u64 {
    let nearest = float_to_half(value);
    let away = half_to_float(nearest).abs() > value.abs();
    u64::from(nearest - u16::from(away))
}

// The functions below are folds, or common parts of several folds, in the order of the table.

/// Selects between operands 1 and 2.
pub fn csel(x: &Fold<'_>) -> u64 {
    x.u(if x.u(0) != 0 { 1 } else { 2 })
}

/// Component n of a vector is operand n.
pub fn vec(x: &Fold<'_>) -> u64 {
    x.srcs[x.component][0]
}

/// Keeps the sign of zero; NaN has the sign 0.
pub fn fsign(x: &Fold<'_>) -> u64 {
    match x.f(0) {
        value if value.is_nan() => 0,
        0.0 => x.u(0),
        value => x.round(value.signum()),
    }
}

/// fmin(fmax(value, low), high): NaN becomes `low`.
pub fn clamp(value: f64, low: f64, high: f64) -> f64 {
    if value > low {
        value.min(high)
    } else {
        low
    }
}

/// x - y * round(x / y), rounded at each step.
pub fn remainder(x: &Fold<'_>, round: fn(f64) -> f64) -> u64 {
    let multiple = x.step(x.f(1) * round(x.step(x.f(0) / x.f(1))));
    x.round(x.f(0) - multiple)
}

/// The smaller number; -0.0 is smaller than 0.0, and if one operand is NaN, the other is the result.
pub fn fmin(x: &Fold<'_>) -> u64 {
    let (a, b) = (x.f(0), x.f(1));
    if a == b {
        return x.i(0).min(x.i(1)) as u64;
    }
    x.round(a.min(b))
}

/// The greater number; 0.0 is greater than -0.0, and if one operand is NaN, the other is the result.
pub fn fmax(x: &Fold<'_>) -> u64 {
    let (a, b) = (x.f(0), x.f(1));
    if a == b {
        return x.i(0).max(x.i(1)) as u64;
    }
    x.round(a.max(b))
}

/// x * y + z, rounded once.
pub fn ffma(x: &Fold<'_>) -> u64 {
    let (a, b, c) = (x.f(0), x.f(1), x.f(2));
    match x.dest_bits {
        // Rounding the binary64 result again may be wrong for binary32. It is exact for binary16: where the exact sum has more
        // digits than binary64, its smaller part is too small to change the result.
        32 => x.round(f64::from((a as f32).mul_add(b as f32, c as f32))),
        _ => x.round(a.mul_add(b, c)),
    }
}

/// x * (1 - t) + y * t, rounded at each step.
pub fn flrp(x: &Fold<'_>) -> u64 {
    let rest = x.step(1.0 - x.f(2));
    x.round(x.step(x.f(0) * rest) + x.step(x.f(1) * x.f(2)))
}

/// True if the product of the first two operands is 0 in fmulz and ffmaz.
pub fn zero_factor(x: &Fold<'_>) -> bool {
    x.f(0) == 0.0 || x.f(1) == 0.0
}

/// Rounds to the precision and range of a 16-bit float; numbers that are denormal there become 0.
pub fn fquantize2f16(x: &Fold<'_>) -> u64 {
    let value = x.f(0);
    if value.abs() < MIN_NORMAL_HALF {
        return x.u(0) & x.sign_bit();
    }
    x.round(half_to_float(float_to_half(value)))
}

/// x * 2^n; a result that is denormal becomes 0. NIR (`nir_opcodes.py`) computes halves as floats of 32 bits, so that their denormals
/// stay.
pub fn ldexp(x: &Fold<'_>) -> u64 {
    // In two steps, because 2^n alone may be out of range.
    let n = x.i(1).clamp(-4000, 4000) as i32;
    let parts = [n / 4, n / 4, n / 4, n - 3 * (n / 4)];
    let scaled = x.step(parts.iter().fold(x.f(0), |value, part| value * 2f64.powi(*part)));
    if scaled.is_finite() && !is_normal(scaled, x.dest_bits.max(32)) {
        return x.u(0) & x.sign_bit();
    }
    x.round(scaled)
}

/// Significand in [0.5, 1) and exponent; 0, infinities and NaN are their own significand with exponent 0.
pub fn frexp(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    // The least denormal times 2^54 is normal.
    let (value, scale) = if value.abs() < f64::MIN_POSITIVE { (value * 2f64.powi(54), 54) } else { (value, 0) };
    let biased = (value.to_bits() >> 52 & 0x7ff) as i32;
    let significand = f64::from_bits(value.to_bits() & !(0x7ff << 52) | 1022 << 52);
    (significand, biased - 1022 - scale)
}

/// A division of signed integers; a division by 0 gives 0.
pub fn signed_division(x: &Fold<'_>, divide: fn(i64, i64) -> i64) -> u64 {
    match x.i(1) {
        0 => 0,
        divisor => divide(x.i(0), divisor) as u64,
    }
}

/// The remainder that has the sign of the divisor.
pub fn floored_remainder(a: i64, b: i64) -> i64 {
    match a.wrapping_rem(b) {
        0 => 0,
        rem if (rem < 0) == (b < 0) => rem,
        rem => rem + b,
    }
}

/// Operand 0 rotated left by `count`.
pub fn rotate(x: &Fold<'_>, count: u64) -> u64 {
    let bits = u64::from(x.dest_bits);
    let count = count % bits;
    x.u(0) << count | x.u(0) >> ((bits - count) % bits)
}

/// Position of the highest set bit, -1 if there is none.
pub fn find_msb(value: u64) -> u64 {
    63u64.wrapping_sub(u64::from(value.leading_zeros()))
}

/// Converts a bit position counted from the bottom of operand 0 to one counted from its top.
pub fn from_top(x: &Fold<'_>, position: u64) -> u64 {
    match position {
        u64::MAX => u64::MAX,
        position => u64::from(x.src_bits[0]) - 1 - position,
    }
}

/// Offset and width if the field is within 32 bits; otherwise NIR's folds give 0, and the specifications leave the result
/// undefined.
fn field(x: &Fold<'_>, offset: usize, width: usize) -> Option<(u64, u8)> {
    let (offset, width) = (x.i(offset), x.i(width));
    let valid = (0..=32).contains(&offset) && (0..=32).contains(&width) && offset + width <= 32;
    valid.then_some((offset as u64, width as u8))
}

/// Operand 0 with a field replaced by operand 1.
pub fn bitfield_insert(x: &Fold<'_>) -> u64 {
    match field(x, 2, 3) {
        _ if x.u(3) == 0 => x.u(0),
        None => 0,
        Some((offset, width)) => {
            let field = mask(u64::MAX, width) << offset;
            x.u(0) & !field | x.u(1) << offset & field
        }
    }
}

/// A field of operand 0, its upper bits filled by `extend`.
pub fn bitfield_extract(x: &Fold<'_>, extend: fn(u64, u8) -> u64) -> u64 {
    match field(x, 1, 2) {
        None | Some((_, 0)) => 0,
        Some((offset, width)) => extend(x.u(0) >> offset, width),
    }
}

/// Operand 2 with the bits of mask 0 taken from operand 1, which is moved to the mask's lowest bit.
pub fn bfi(x: &Fold<'_>) -> u64 {
    let (field, insert, base) = (x.u(0), x.u(1), x.u(2));
    if field == 0 {
        return base;
    }
    insert << field.trailing_zeros() & field | base & !field
}

/// A field like [`bitfield_extract`]'s, with offset and width modulo 32. It ends at the top of operand 0.
pub fn bfe(x: &Fold<'_>, extend: fn(u64, u8) -> u64) -> u64 {
    let (offset, width) = (x.u(1) & 31, x.u(2) & 31);
    match width.min(32 - offset) {
        0 => 0,
        width => extend(x.u(0) >> offset, width as u8),
    }
}

/// The position of the part of `width` bits with the number in operand 1.
pub fn part_shift(x: &Fold<'_>, width: u64) -> u64 {
    x.u(1).wrapping_mul(width) & (u64::from(x.dest_bits) - 1)
}

/// Operand 0, starting at the part of `width` bits with the number in operand 1.
pub fn part(x: &Fold<'_>, width: u64) -> u64 {
    x.u(0) >> part_shift(x, width)
}

/// True if an operand is NaN.
pub fn unordered(x: &Fold<'_>) -> bool {
    x.f(0).is_nan() || x.f(1).is_nan()
}

/// The bit of operand 0 with the number in operand 1, modulo the width.
pub fn bit(x: &Fold<'_>) -> bool {
    x.u(0) >> (x.u(1) & (u64::from(x.src_bits[0]) - 1)) & 1 != 0
}

const MIN_NORMAL_HALF: f64 = 1.0 / 16384.0;

/// True for numbers that are not 0, denormal, infinite or NaN as floats of `bits` bits.
pub fn is_normal(value: f64, bits: u8) -> bool {
    let least = match bits {
        64 => f64::MIN_POSITIVE,
        32 => f64::from(f32::MIN_POSITIVE),
        _ => MIN_NORMAL_HALF,
    };
    value.is_finite() && value.abs() >= least
}

/// Sum of operands 0 and 1 multiplied by component.
pub fn dot(x: &Fold<'_>) -> u64 {
    let product = |c| x.step(x.f_at(0, c) * x.f_at(1, c));
    match x.srcs[0].len() {
        // NIR starts with the last component here.
        3 => add_up(x, |c| product(2 - c)),
        _ => add_up(x, product),
    }
}

/// Sum of the components of operand 0.
pub fn sum(x: &Fold<'_>) -> u64 {
    add_up(x, |c| x.f_at(0, c))
}

/// Adds `term` of each component of operand 0 in NIR's order: halves pairwise, then the remaining components.
fn add_up(x: &Fold<'_>, term: impl Fn(usize) -> f64) -> u64 {
    let mut terms = [0.0; 16];
    let mut len = x.srcs[0].len();
    for (c, slot) in terms[..len].iter_mut().enumerate() {
        *slot = term(c);
    }
    while len > 1 {
        for i in 0..len / 2 {
            terms[i] = x.step(terms[2 * i + 1] + terms[2 * i]);
        }
        if len % 2 == 1 {
            terms[len / 2] = terms[len - 1];
        }
        len = len.div_ceil(2);
    }
    x.round(terms[0])
}

/// Dot product of a vec3, its last component 1, with a vec4.
pub fn dph(x: &Fold<'_>) -> u64 {
    let product = |c| x.step(x.f_at(0, c) * x.f_at(1, c));
    let dot = x.step(x.step(product(0) + product(1)) + product(2));
    x.round(dot + x.f_at(1, 3))
}

/// True if operands 0 and 1 are equal as vectors of floats.
pub fn all_fequal(x: &Fold<'_>) -> bool {
    (0..x.srcs[0].len()).all(|c| x.f_at(0, c) == x.f_at(1, c))
}

/// Operand 0 rounded to the width of the result; all of its bits, those of NaN too, if it has that width already.
pub fn float_to_float(x: &Fold<'_>) -> u64 {
    match x.src_bits[0] == x.dest_bits {
        true => x.u(0),
        false => x.round(x.f(0)),
    }
}

/// Operand 0 towards zero, or the nearest signed integer of the width of the result.
pub fn float_to_int(x: &Fold<'_>) -> u64 {
    match x.dest_bits {
        1 => x.f(0) as i64 as u64,
        _ => x.saturate_i(i128::from(x.f(0) as i64)),
    }
}

/// Operand 0 towards zero, or the nearest unsigned integer of the width of the result.
pub fn float_to_uint(x: &Fold<'_>) -> u64 {
    match x.dest_bits {
        1 => x.f(0) as u64,
        _ => x.saturate_u(u128::from(x.f(0) as u64)),
    }
}

/// `value` rounded to a float of `bits` bits, once.
pub fn int_to_float(value: i128, bits: u8) -> u64 {
    match bits {
        32 => u64::from((value as f32).to_bits()),
        // Every integer that a binary16 has a finite neighbour of is exact in binary64.
        _ => from_float(value as f64, bits),
    }
}

/// The components of operand 0 as the parts of one integer, the first lowest.
pub fn pack_vector(x: &Fold<'_>) -> u64 {
    x.srcs[0].iter().rev().fold(0, |all, part| all << x.src_bits[0] | part)
}

/// The operands as the parts of one integer, the first lowest.
pub fn pack_split(x: &Fold<'_>) -> u64 {
    (0..x.srcs.len()).rev().fold(0, |all, i| all << x.src_bits[i] | x.u(i))
}

/// The part of operand 0 that becomes the requested component, in parts of `width` bits.
pub fn unpack(x: &Fold<'_>, width: u8) -> u64 {
    mask(x.u_at(0, 0) >> (usize::from(width) * x.component), width)
}

/// The components of operand 0, each converted to an integer of `width` bits by `convert`, as the parts of one integer.
pub fn pack_floats(x: &Fold<'_>, width: u8, convert: fn(f64) -> u64) -> u64 {
    let parts = (0..x.srcs[0].len()).rev();
    parts.fold(0, |all, c| all << width | mask(convert(x.f_at(0, c)), width))
}

/// Two operands, each converted to a 16-bit integer by `convert`, as the parts of one integer.
pub fn pack_split_floats(x: &Fold<'_>, convert: fn(f64) -> u64) -> u64 {
    convert(x.f_at(0, 0)) | convert(x.f_at(1, 0)) << 16
}

/// 0..1 as 0..`max`, to the nearest.
pub fn unorm(value: f64, max: f32) -> u64 {
    (clamp(value, 0.0, 1.0) as f32 * max).round_ties_even() as u64
}

/// -1..1 as -`max`..`max`, to the nearest.
pub fn snorm(value: f64, max: f32) -> u64 {
    (clamp(value, -1.0, 1.0) as f32 * max).round_ties_even() as i64 as u64
}

/// -`max`..`max` as -1..1; the integer below -`max` is -1 too.
pub fn unpack_snorm(x: &Fold<'_>, width: u8, max: f64) -> f64 {
    (sign_extend(unpack(x, width), width) as f64 / max).max(-1.0)
}

/// Two components, each limited to 16 bits.
pub fn pack_sint_2x16(x: &Fold<'_>) -> u64 {
    let part = |c| mask(sign_extend(x.u_at(0, c), 32).clamp(-0x8000, 0x7fff) as u64, 16);
    part(0) | part(1) << 16
}

/// Dot product of operands 0 and 1 as vectors of integers of `width` bits, each signed or not.
pub fn packed_dot(x: &Fold<'_>, width: u8, signed0: bool, signed1: bool) -> i128 {
    let part = |i: usize, shift: u8, signed: bool| {
        let bits = x.u(i) >> shift;
        i128::from(if signed { sign_extend(bits, width) } else { mask(bits, width) as i64 })
    };
    let shifts = (0..32).step_by(usize::from(width)).map(|shift| shift as u8);
    shifts.map(|shift| part(0, shift, signed0) * part(1, shift, signed1)).sum()
}
