// SPDX-License-Identifier: MIT

//! Known differences between a row and Mesa's folding, each with its reason.

use crate::mesa::Difference;
use crate::rows::Row;
use ntv::op::fold::to_float;
use ntv::op::{AluOp, Base, Props};

/// Who is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both: NIR or SPIR-V leaves the result open.
    Open,
    /// ntv: Mesa's folding has a fault.
    FaultOfMesa,
}

/// The reason for differences.
#[derive(Debug)]
pub struct Reason {
    /// The reason.
    pub why: &'static str,
    /// Who is right.
    pub verdict: Verdict,
    explains: fn(Row, &Difference) -> bool,
}

/// All known reasons.
pub const REASONS: &[Reason] = &[
    Reason {
        why: "not rounded correctly: Vulkan allows an error, or any order of the operations",
        verdict: Verdict::Open,
        explains: |row, _| row.op.info().props.contains(Props::IMPRECISE) || row.op == AluOp::ffma,
    },
    Reason {
        why: "conversions of numbers that the result cannot hold",
        verdict: Verdict::Open,
        explains: |row, difference| is_out_of_range(row, difference.inputs[0]),
    },
    Reason {
        why: "signalling NaNs, of which IEEE 754-2008 and libm take another minimum",
        verdict: Verdict::Open,
        explains: |row, difference| {
            use AluOp::{fclamp_pos, fmax, fmin, fsat, fsat_signed};
            matches!(row.op, fmin | fmax | fsat | fsat_signed | fclamp_pos) && has_nan(row, &difference.inputs)
        },
    },
    Reason {
        why: "the bits of a NaN that is packed",
        verdict: Verdict::Open,
        explains: |row, difference| row.op.name().starts_with("pack_half") && has_nan(row, &difference.inputs),
    },
    Reason {
        why: "bit fields that end after the number",
        verdict: Verdict::Open,
        explains: |row, difference| {
            use AluOp::{bitfield_insert, ibitfield_extract, ubitfield_extract};
            let ends_after = || matches!(difference.inputs[..], [.., first, count] if first.saturating_add(count) > 32);
            matches!(row.op, bitfield_insert | ibitfield_extract | ubitfield_extract) && ends_after()
        },
    },
    Reason {
        why: "a byte or a half that the number does not have",
        verdict: Verdict::Open,
        explains: |row, difference| {
            let name = row.op.name();
            let is_part = name.starts_with("extract_") || name.starts_with("insert_");
            let bits = if name.ends_with('8') { 8 } else { 16 };
            is_part && (difference.inputs[1] + 1).saturating_mul(bits) > u64::from(row.width)
        },
    },
    Reason {
        why: "numbers of one bit: Mesa shifts the byte that holds one",
        verdict: Verdict::Open,
        explains: |row, _| {
            row.width == 1 && matches!(row.op, AluOp::ishl | AluOp::ishr | AluOp::ushr | AluOp::urol | AluOp::uror)
        },
    },
    Reason {
        why: "ufind_msb_rev counts from bit 31 for every width; only 32 bits have it",
        verdict: Verdict::Open,
        explains: |row, _| row.op == AluOp::ufind_msb_rev && row.width != 32,
    },
    Reason {
        why: "ldexp gives 0 for infinite results and NaN",
        verdict: Verdict::Open,
        explains: |row, difference| row.op == AluOp::ldexp && !to_float(difference.ours[0], row.width).is_finite(),
    },
    Reason {
        why: "halves are tested as floats of 32 bits, in which none is denormal",
        verdict: Verdict::FaultOfMesa,
        explains: |row, _| row.op == AluOp::fisnormal && row.width == 16,
    },
    Reason {
        why: "sums of 8 and 16 bits do not overflow C's int, and those of signed numbers must not",
        verdict: Verdict::FaultOfMesa,
        explains: |row, _| {
            matches!(row.op, AluOp::iadd_sat | AluOp::isub_sat)
                || row.width < 32 && matches!(row.op, AluOp::uadd_sat | AluOp::uadd_carry)
        },
    },
    Reason {
        why: "doubles beyond the range of halves become NaN, not infinity",
        verdict: Verdict::FaultOfMesa,
        explains: |row, difference| {
            let is_large =
                to_float(difference.inputs[0], 64).is_finite() && to_float(difference.ours[0], 16).is_infinite();
            row.op.name().starts_with("f2f16") && row.width == 64 && is_large
        },
    },
    Reason {
        why: "doubles become halves by way of floats, and are rounded twice",
        verdict: Verdict::FaultOfMesa,
        explains: |row, difference| {
            // Whether a float lies in the middle between the two results.
            let through_float = f64::from(to_float(difference.inputs[0], 64) as f32);
            let [ours, mesas] = [difference.ours[0], difference.mesas[0]].map(|value| to_float(value, row.result().1));
            let narrows = row.op == AluOp::fquantize2f16 || row.op.name().starts_with("f2f16");
            row.width == 64 && narrows && through_float == (ours + mesas) / 2.0
        },
    },
    Reason {
        why: "the second number is unpacked to zero",
        verdict: Verdict::FaultOfMesa,
        explains: |row, difference| {
            let is_unpacking = matches!(row.op, AluOp::unpack_unorm_2x16 | AluOp::unpack_snorm_2x16);
            is_unpacking && difference.ours[0] == difference.mesas[0] && difference.mesas[1] == 0
        },
    },
    Reason {
        why: "the unsigned number that is added is extended by its sign",
        verdict: Verdict::FaultOfMesa,
        explains: |row, difference| {
            matches!(row.op, AluOp::udot_4x8_uadd_sat | AluOp::udot_2x16_uadd_sat) && difference.inputs[2] >> 31 == 1
        },
    },
];

/// The reason for a difference, if it is known.
pub fn of(row: Row, difference: &Difference) -> Option<&'static Reason> {
    REASONS.iter().find(|reason| (reason.explains)(row, difference))
}

fn has_nan(row: Row, inputs: &[u64]) -> bool {
    let mut pairs = inputs.iter().zip(row.inputs());
    pairs.any(|(input, (base, bits))| base == Base::Float && to_float(*input, bits).is_nan())
}

/// Whether `row` converts the float `input` to an integer that has no such number.
fn is_out_of_range(row: Row, input: u64) -> bool {
    let info = row.op.info();
    let (from, to) = (info.srcs[0].ty.base, info.dest.ty.base);
    if !info.props.contains(Props::CONVERSION) || from != Base::Float || !matches!(to, Base::Int | Base::Uint) {
        return false;
    }
    let (_, bits) = row.result();
    let value = to_float(input, row.inputs()[0].1).trunc();
    let end = 2f64.powi(i32::from(bits) - i32::from(to == Base::Int));
    let least = if to == Base::Int { -end } else { 0.0 };
    !(least <= value && value < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_out_of_range_are_excused() {
        let row = Row { op: AluOp::f2i8, width: 32 };
        let is_excused = |value: f32| is_out_of_range(row, value.to_bits().into());
        assert!(is_excused(128.0) && is_excused(-129.0) && is_excused(f32::NAN));
        assert!(!is_excused(127.9) && !is_excused(-128.9));
        let difference = Difference { inputs: vec![1f32.to_bits().into()], ours: vec![1], mesas: vec![2] };
        assert!(of(row, &difference).is_none());
    }
}
