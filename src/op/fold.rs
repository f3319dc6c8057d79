//! What the fold column is written in: constant operands read as numbers, results rounded back to bits.
//!
//! A value is held as the low bits of a `u64`, the bits above its width are zero; a 1-bit boolean is 0 or 1, a wider boolean
//! 0 or all ones. Floats are computed in `f64`: for one add, subtract, multiply, divide or square root of 16- or 32-bit
//! operands, rounding that to the narrow type gives the correctly rounded result (binary64 has more than twice the digits).

/// The operands of one fold: which component of the result is asked for, and everything it may depend on.
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

    /// `value` cut to the width of the result.
    pub fn wrap(&self, value: u64) -> u64 {
        mask(value, self.dest_bits)
    }

    /// `value` rounded to the nearest float of the width of the result, ties to even.
    pub fn round(&self, value: f64) -> u64 {
        from_float(value, self.dest_bits)
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

/// `value` cut to its low `bits` bits.
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

/// The bits of `value` rounded to a float of `bits` bits, nearest, ties to even.
pub fn from_float(value: f64, bits: u8) -> u64 {
    match bits {
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
        return sign | 0x7e00;
    }
    if magnitude < 2f64.powi(-14) {
        // Denormal: a multiple of 2^-24. Scaling is exact, so rounding happens once.
        return sign | round_ties_even(magnitude * 2f64.powi(24)) as u16;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = ((magnitude.to_bits() >> 52) as i32) - 1023;
    let scaled = round_ties_even(magnitude * 2f64.powi(10 - exponent)) as u16; // 1024..=2048
    sign | ((((exponent + 15) as u16) << 10) + (scaled - 1024))
}

/// Rounds to an integer, ties to even.
pub fn round_ties_even(value: f64) -> f64 {
    value.round_ties_even()
}

/// The fold of vec2 ... vec16: component n is operand n.
pub fn vec(x: &Fold<'_>) -> u64 {
    x.srcs[x.component][0]
}
