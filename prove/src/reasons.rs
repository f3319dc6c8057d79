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
        why: "the second number is unpacked to zero",
        verdict: Verdict::FaultOfMesa,
        explains: |row, difference| {
            let is_unpacking = matches!(row.op, AluOp::unpack_unorm_2x16 | AluOp::unpack_snorm_2x16);
            is_unpacking && difference.ours[0] == difference.mesas[0] && difference.mesas[1] == 0
        },
    },
    Reason {
        why: "remainders: the quotient is rounded before or after it loses its fraction",
        verdict: Verdict::Open,
        explains: |row, _| matches!(row.op, AluOp::fmod | AluOp::frem),
    },
    Reason {
        why: "functions of doubles: Mesa computes them as floats",
        verdict: Verdict::Open,
        explains: |row, difference| {
            let is_function = matches!(row.op, AluOp::fexp2 | AluOp::flog2 | AluOp::fpow | AluOp::fsin | AluOp::fcos);
            let as_floats = to_float(difference.ours[0], 64) as f32 - to_float(difference.mesas[0], 64) as f32;
            let is_float = |value: &u64| f64::from(to_float(*value, 64) as f32) == to_float(*value, 64);
            row.width == 64 && is_function && (as_floats.abs() < 1e-3 || !difference.inputs.iter().all(is_float))
        },
    },
    Reason {
        why: "not rounded correctly: Vulkan allows an error, or any order of the operations",
        verdict: Verdict::Open,
        explains: |row, difference| {
            let is_imprecise = row.op.info().props.contains(Props::IMPRECISE) || row.op == AluOp::ffma;
            is_imprecise && is_near(row, difference)
        },
    },
    Reason {
        why: "conversions of numbers that the result cannot hold",
        verdict: Verdict::Open,
        explains: |row, difference| is_out_of_range(row, difference.inputs[0]),
    },
    Reason {
        why: "signalling NaNs: libm gives NaN where IEEE 754-2008 ignores one that is quiet",
        verdict: Verdict::Open,
        explains: |row, difference| {
            use AluOp::{fclamp_pos, fmax, fmin, fpow, fsat, fsat_signed};
            matches!(row.op, fmin | fmax | fsat | fsat_signed | fclamp_pos | fpow) && has_nan(row, &difference.inputs)
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

/// Whether two results of a sum, a product or a function differ by little, compared with the largest number on the way.
fn is_near(row: Row, difference: &Difference) -> bool {
    let (_, bits) = row.result();
    let numbers: Vec<f64> =
        difference.inputs.iter().zip(row.inputs()).map(|(input, (_, bits))| to_float(*input, bits).abs()).collect();
    let is_sum = ["fdot", "fdph", "fsum", "flrp", "ffma"].iter().any(|start| row.op.name().starts_with(start));
    // Products of two numbers, and the numbers themselves.
    let most = numbers.iter().fold(0.0, |most: f64, number| most.max(*number));
    let way = if is_sum { most.max(most * most) } else { 0.0 };
    let step = match bits {
        16 => 2f64.powi(-8),
        32 => 2f64.powi(-20),
        _ => 2f64.powi(-48),
    };
    // Denormal numbers of the width have fewer bits.
    let least = match bits {
        16 => 2f64.powi(-24),
        32 => 2f64.powi(-149),
        _ => 0.0,
    };
    difference.ours.iter().zip(&difference.mesas).all(|(ours, mesas)| {
        let [ours, mesas] = [to_float(*ours, bits), to_float(*mesas, bits)];
        let allowed = step * way.max(ours.abs()).max(mesas.abs()) + least;
        // A product on the way may be too large in one order only.
        (ours - mesas).abs() <= allowed || is_sum && (!ours.is_finite() || !mesas.is_finite())
    })
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

/// Forms whose translation gives something else, by the starts of their names.
const IN_SINGLE_FORMS: &[&str] = &[
    "fexp2@64",
    "flog2@64",
    "fpow@64",
    "fsin@64",
    "fcos@64",
    "fquantize2f16@64",
    "pack_unorm_2x16@64",
    "pack_snorm_2x16@64",
];

/// Forms whose translation is not proved, by the starts of their names.
const NAN_FORMS: &[&str] =
    &["fmin@64", "fmax@64", "ftrunc@64", "fceil@64", "ffloor@64", "fround_even@64", "ldexp@64", "frexp_sig@64"];

/// Why these functions of doubles, made of integers, are not proved.
pub(crate) const BITS_OF_NAN: &str =
    "a NaN keeps its bits where `lower_doubles` makes doubles of integers, and the fold gives one NaN";

/// Why these functions of doubles have other results.
const IN_SINGLE: &str = "computed in 32 bits, as SPIR-V has these functions for no doubles";

fn is_in(forms: &[&str], name: &str) -> bool {
    forms.iter().any(|form| name.starts_with(form))
}

/// Why the translation of a form may give something else, if there is a reason.
pub fn form_may_differ(name: &str) -> Option<&'static str> {
    is_in(IN_SINGLE_FORMS, name).then_some(IN_SINGLE)
}

/// Why the translation of a form is not proved, if there is a reason.
pub fn form_is_open(name: &str) -> Option<&'static str> {
    form_may_differ(name).or_else(|| is_in(NAN_FORMS, name).then_some(BITS_OF_NAN))
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

    #[test]
    fn imprecise_results_are_near() {
        let bits = |value: f32| u64::from(value.to_bits());
        let known = |op, inputs: &[f32], ours, mesas| {
            let inputs = inputs.iter().map(|input| bits(*input)).collect();
            of(Row { op, width: 32 }, &Difference { inputs, ours: vec![bits(ours)], mesas: vec![bits(mesas)] })
                .is_some()
        };
        assert!(known(AluOp::fexp2, &[1.0], 2.0, 2.000_000_2) && !known(AluOp::fexp2, &[1.0], 2.0, 2.1));
        // The large numbers of a sum may leave little of a small one.
        assert!(known(AluOp::fsum3, &[1e8, 1.0, -1e8], 1.0, 0.0) && !known(AluOp::fsum3, &[1.0, 1.0, -1.0], 1.0, 0.0));
        assert!(!known(AluOp::fadd, &[1.0, 1.0], 2.0, 2.000_000_2));
    }
}
