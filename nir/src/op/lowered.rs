// SPDX-License-Identifier: MIT

//! The ALU operations that SPIR-V for Vulkan does not have, by opcode, width and number of components.

use super::AluOp;
use super::Form;

/// The operations of an opcode that SPIR-V does not have, so that `pass::lower_alu` rewrites them.
///
/// One bit for each pair of a width of the result and a width of the first operand, and one bit that limits the set to vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lowered {
    pairs: u32,
    /// The sum of the widths of results that occur in `pairs`.
    widths: u8,
}

/// The widths of numbers.
const WIDTHS: [u8; 5] = [1, 8, 16, 32, 64];

/// The sum of all widths.
const ALL: u8 = 1 | 8 | 16 | 32 | 64;

/// Only if the result is a vector.
const VECTORS: u32 = 1 << 31;

/// The index of a width in [`WIDTHS`].
const fn width_index(bits: u8) -> u32 {
    bits.trailing_zeros().saturating_sub(2)
}

impl Lowered {
    /// No operation.
    pub const NONE: Lowered = Lowered { pairs: 0, widths: 0 };

    /// Operations whose result has one of the widths of which `bits` is the sum, and whose first operand has one of `src_bits`.
    /// All widths are powers of two.
    pub const fn of(bits: u8, src_bits: u8) -> Lowered {
        let (mut all, mut pair) = (Lowered::NONE, 0);
        while pair < WIDTHS.len() * WIDTHS.len() {
            let (dest, src) = (WIDTHS[pair / WIDTHS.len()], WIDTHS[pair % WIDTHS.len()]);
            if bits & dest != 0 && src_bits & src != 0 {
                all = all.union(Lowered::pair(dest, src));
            }
            pair += 1;
        }
        all
    }

    /// Operations whose result is as wide as the first operand.
    pub const SAME_WIDTH: Lowered = {
        let (mut all, mut at) = (Lowered::NONE, 0);
        while at < WIDTHS.len() {
            all = all.union(Lowered::pair(WIDTHS[at], WIDTHS[at]));
            at += 1;
        }
        all
    };

    const fn pair(bits: u8, src_bits: u8) -> Lowered {
        Lowered { pairs: 1 << (WIDTHS.len() as u32 * width_index(bits) + width_index(src_bits)), widths: bits }
    }

    /// The operations of this set whose result is a vector.
    pub const fn of_vectors(self) -> Lowered {
        Lowered { pairs: self.pairs | VECTORS, ..self }
    }

    /// The operations of both sets, on scalars and vectors alike.
    pub const fn union(self, other: Lowered) -> Lowered {
        Lowered { pairs: self.pairs | other.pairs, widths: self.widths | other.widths }
    }

    /// Whether the set has an operation with a result of `bits` bits, for some width of the first operand.
    pub const fn may_have(self, bits: u8) -> bool {
        self.widths & bits != 0
    }

    /// Whether the set has an operation.
    pub const fn has(self, num_components: u8, bits: u8, src_bits: u8) -> bool {
        self.pairs & Lowered::pair(bits, src_bits).pairs != 0 && (num_components > 1 || self.pairs & VECTORS == 0)
    }
}

/// The column `lowered`.
pub(super) const fn lowered(op: AluOp, form: Form) -> Lowered {
    use AluOp::*;
    let (any, one_bit, others) = (Lowered::of(ALL, ALL), Lowered::of(ALL, 1), Lowered::of(ALL, ALL & !1));
    match op {
        // Integers of one bit, where true is all ones.
        iadd | isub | imul | amul | imin | imax | umin | umax | ineg | iabs | isign | ishl | ishr | ushr => one_bit,
        ult | uge | ilt | ige | i2f16 | i2f32 | i2f64 | u2f16 | u2f32 | u2f64 => one_bit,
        // Conversions change the width.
        i2i8 | i2i16 | i2i32 | i2i64 | u2u8 | u2u16 | u2u32 | u2u64 => Lowered::SAME_WIDTH.union(one_bit),
        f2f16 | f2f16_rtne | f2f32 | f2f64 => Lowered::SAME_WIDTH,
        // Booleans have one bit.
        b2f16 | b2f32 | b2f64 | b2i8 | b2i16 | b2i32 | b2i64 => others,
        // Vulkan has these at some widths.
        fexp2 | flog2 | fpow | fsin | fcos => Lowered::of(64, ALL),
        fquantize2f16 => Lowered::of(ALL & !32, ALL),
        pack_unorm_2x16 | pack_snorm_2x16 | bit_count | find_lsb | ufind_msb => Lowered::of(ALL, ALL & !32),
        // Offset and count are scalars.
        bitfield_insert | ubitfield_extract | ibitfield_extract => any.of_vectors(),
        _ => match form {
            Form::Lowered => any,
            _ => Lowered::NONE,
        },
    }
}
