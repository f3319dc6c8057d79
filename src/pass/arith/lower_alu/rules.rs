// SPDX-License-Identifier: MIT

//! The rules of [`lower_alu`](super): opcodes, conditions and replacements.
//!
//! A rule may use opcodes that have rules themselves, as long as the recursion ends.

use super::{Call, Lower, LowerFn, Rule, When, ALL_WIDTHS, ANY};
use crate::ir::{AluFlags, Def};
use crate::op::AluOp::{self, *};

const fn always(ops: &'static [AluOp], lower: LowerFn) -> Rule {
    Rule { ops, when: ANY, lower }
}

const fn when(ops: &'static [AluOp], when: When, lower: LowerFn) -> Rule {
    Rule { ops, when, lower }
}

/// The result has one of these widths, of which `bits` is the sum.
const fn of_width(bits: u8) -> When {
    When { bits, ..ANY }
}

/// The first operand has one of these widths.
const fn on_width(src_bits: u8) -> When {
    When { src_bits, ..ANY }
}

const ONE_BIT: When = on_width(1);

/// All rules; the first rule of an opcode whose condition holds is used.
pub(super) const RULES: &[Rule] = &[
    // 1-bit integers, where true is all ones: -1 if signed, 1 if not.
    when(&[iadd, isub], ONE_BIT, |l, c| l.binary(ixor, c[0], c[1])),
    when(&[imul, amul, imax, umin], ONE_BIT, |l, c| l.binary(iand, c[0], c[1])),
    when(&[imin, umax], ONE_BIT, |l, c| l.binary(ior, c[0], c[1])),
    when(&[ineg, iabs, isign, ishl, ishr, ushr], ONE_BIT, |_, c| c[0]),
    when(&[ult, ige], ONE_BIT, |l, c| less(l, c[0], c[1], c.shape.op == ige)),
    when(&[ilt, uge], ONE_BIT, |l, c| less(l, c[1], c[0], c.shape.op == uge)),
    // Conversions that SPIR-V lacks.
    when(CONVERSIONS, When { same_width: true, ..ANY }, |_, c| c[0]),
    when(&[i2i8, i2i16, i2i32, i2i64], ONE_BIT, |l, c| choose_int(l, c, -1)),
    when(&[u2u8, u2u16, u2u32, u2u64], ONE_BIT, |l, c| choose_int(l, c, 1)),
    when(&[i2f16, i2f32, i2f64], ONE_BIT, |l, c| choose_float(l, c, -1.0)),
    when(&[u2f16, u2f32, u2f64], ONE_BIT, |l, c| choose_float(l, c, 1.0)),
    when(&[b2f16, b2f32, b2f64, b2i8, b2i16, b2i32, b2i64], on_width(ALL_WIDTHS & !1), |l, c| {
        let narrow = l.unary(b2b1, c[0]);
        l.unary(c.shape.op, narrow)
    }),
    always(&[b2b1], |l, c| l.with_int(ine, c[0], 0)),
    always(&[b2i1], |l, c| l.unary(b2b1, c[0])),
    when(&[b2b8, b2b16, b2b32], ONE_BIT, |l, c| choose_int(l, c, -1)),
    always(&[b2b8, b2b16, b2b32], |l, c| l.unary(int_to_int(c.shape.bits), c[0])),
    always(&[i2i1, u2u1], |l, c| {
        let low = l.with_int(iand, c[0], 1);
        l.with_int(ine, low, 0)
    }),
    always(&[f2i1], |l, c| {
        let int = l.unary(f2i32, c[0]);
        l.unary(i2i1, int)
    }),
    always(&[f2u1], |l, c| {
        let int = l.unary(f2u32, c[0]);
        l.unary(u2u1, int)
    }),
    always(&[f2f16_rtz], |l, c| {
        // The rounding is the purpose of the operation.
        l.flags = AluFlags::EXACT;
        let half = l.unary(f2f16, c[0]);
        let away = rounded_away(l, c[0], half);
        let towards_zero = l.with_int(iadd, half, -1);
        l.select(away, towards_zero, half)
    }),
    // Widths that Vulkan lacks.
    when(&[fexp2, flog2, fpow, fsin, fcos], of_width(64), in_32_bits),
    when(&[fquantize2f16], of_width(ALL_WIDTHS & !32), in_32_bits),
    when(&[pack_unorm_2x16, pack_snorm_2x16], on_width(ALL_WIDTHS & !32), |l, c| {
        let wide = l.unary(f2f32, c[0]);
        l.unary(c.shape.op, wide)
    }),
    when(&[bit_count, find_lsb, ufind_msb], on_width(1 | 8 | 16), |l, c| {
        let wide = l.unary(u2u32, c[0]);
        l.unary(c.shape.op, wide)
    }),
    when(&[bit_count], on_width(64), |l, c| {
        let (low, high) = l.halves(c[0]);
        let (low, high) = (l.unary(bit_count, low), l.unary(bit_count, high));
        l.binary(iadd, low, high)
    }),
    when(&[find_lsb], on_width(64), |l, c| {
        let (low, high) = l.halves(c[0]);
        let (in_low, in_high) = (l.unary(find_lsb, low), l.unary(find_lsb, high));
        // Adds 32 to a position and keeps -1.
        let in_high = l.with_int(ior, in_high, 32);
        let is_low = l.with_int(ine, low, 0);
        l.select(is_low, in_low, in_high)
    }),
    when(&[ufind_msb], on_width(64), |l, c| {
        let (low, high) = l.halves(c[0]);
        let (in_low, in_high) = (l.unary(ufind_msb, low), l.unary(ufind_msb, high));
        let in_high = l.with_int(iadd, in_high, 32);
        let is_high = l.with_int(ine, high, 0);
        l.select(is_high, in_high, in_low)
    }),
    // SPIR-V's offset and count are scalars.
    when(&[bitfield_insert, ubitfield_extract, ibitfield_extract], When { is_vector: true, ..ANY }, |l, c| {
        l.per_component(c, |l, srcs| l.alu(c.shape.op, srcs))
    }),
    // Floats.
    always(&[fsat], |l, c| clamp(l, c[0], 0.0, 1.0)),
    always(&[fsat_signed], |l, c| clamp(l, c[0], -1.0, 1.0)),
    always(&[fclamp_pos], |l, c| l.with_float(fmax, c[0], 0.0)),
    always(&[fmulz], |l, c| {
        let product = l.binary(fmul, c[0], c[1]);
        let zero = l.float(c[0], 0.0);
        select_zero_factor(l, c, zero, product)
    }),
    always(&[ffmaz], |l, c| {
        let sum = l.alu(ffma, c.srcs);
        // Makes -0.0 positive.
        let addend = l.with_float(fadd, c[2], 0.0);
        select_zero_factor(l, c, addend, sum)
    }),
    // Integers.
    always(&[iadd3], |l, c| {
        let sum = l.binary(iadd, c[0], c[1]);
        l.binary(iadd, sum, c[2])
    }),
    always(&[imad, umad24_relaxed], |l, c| multiply_add(l, c[0], c[1], c[2])),
    always(&[udiv_aligned_4], |l, c| l.with_int(ushr, c[0], 2)),
    always(&[iadd_sat], |l, c| {
        let sum = l.binary(iadd, c[0], c[1]);
        // Overflow: the sum has another sign than both.
        let (signs0, signs1) = (l.binary(ixor, sum, c[0]), l.binary(ixor, sum, c[1]));
        saturate(l, signs0, signs1, sum)
    }),
    always(&[isub_sat], |l, c| {
        let difference = l.binary(isub, c[0], c[1]);
        // Overflow: the first has another sign than the second and than the difference.
        let (signs0, signs1) = (l.binary(ixor, c[0], c[1]), l.binary(ixor, c[0], difference));
        saturate(l, signs0, signs1, difference)
    }),
    always(&[uadd_sat], |l, c| {
        let sum = l.binary(iadd, c[0], c[1]);
        let overflow = l.binary(ult, sum, c[0]);
        let max = l.int(sum, -1);
        l.select(overflow, max, sum)
    }),
    always(&[usub_sat], |l, c| {
        let overflow = l.binary(ult, c[0], c[1]);
        let zero = l.int(c[0], 0);
        let difference = l.binary(isub, c[0], c[1]);
        l.select(overflow, zero, difference)
    }),
    always(&[uabs_isub], |l, c| distance(l, c, imax, imin)),
    always(&[uabs_usub], |l, c| distance(l, c, umax, umin)),
    // x + y is twice the common bits plus the others.
    always(&[ihadd, uhadd], |l, c| {
        let common = l.binary(iand, c[0], c[1]);
        let half = half_of_others(l, c, c.shape.op == ihadd);
        l.binary(iadd, common, half)
    }),
    always(&[irhadd, urhadd], |l, c| {
        let either = l.binary(ior, c[0], c[1]);
        let half = half_of_others(l, c, c.shape.op == irhadd);
        l.binary(isub, either, half)
    }),
    // Products of parts.
    always(&[umul_low], |l, c| multiply(l, c, |l, x| l.with_int(iand, x, 0xffff))),
    always(&[umul_2x32_64], |l, c| multiply(l, c, |l, x| l.unary(u2u64, x))),
    always(&[imul_2x32_64], |l, c| multiply(l, c, |l, x| l.unary(i2i64, x))),
    always(&[umul24], |l, c| multiply(l, c, low_24)),
    always(&[imul24], |l, c| multiply(l, c, |l, x| sign_extend(l, x, 24))),
    always(&[umul24_relaxed, imul24_relaxed], |l, c| l.binary(imul, c[0], c[1])),
    always(&[umad24], |l, c| {
        let (x, y) = (low_24(l, c[0]), low_24(l, c[1]));
        multiply_add(l, x, y, c[2])
    }),
    always(&[umul_32x16], |l, c| {
        let low = l.with_int(iand, c[1], 0xffff);
        l.binary(imul, c[0], low)
    }),
    always(&[imul_32x16], |l, c| {
        let low = sign_extend(l, c[1], 16);
        l.binary(imul, c[0], low)
    }),
    // Bits. A shift takes its count modulo the width, so ineg and inot of a count are the opposite shift.
    always(&[urol], |l, c| rotate(l, c, ishl, ushr)),
    always(&[uror], |l, c| rotate(l, c, ushr, ishl)),
    always(&[shfr], |l, c| {
        let low = l.binary(ushr, c[1], c[2]);
        let high = l.with_int(ishl, c[0], 1);
        let rest = l.unary(inot, c[2]);
        let high = l.binary(ishl, high, rest);
        l.binary(ior, high, low)
    }),
    always(&[bitfield_select], |l, c| merge(l, c[0], c[1], c[2])),
    always(&[ufind_msb_rev], |l, c| from_top(l, c, ufind_msb)),
    always(&[ifind_msb_rev], |l, c| from_top(l, c, ifind_msb)),
    always(&[uclz], |l, c| {
        let position = l.unary(ufind_msb, c[0]);
        let top = l.int(position, 31);
        l.binary(isub, top, position)
    }),
    always(&[bfm], |l, c| {
        let one = l.int(c[0], 1);
        let past = l.binary(ishl, one, c[0]);
        let low = l.with_int(iadd, past, -1);
        l.binary(ishl, low, c[1])
    }),
    always(&[bfi], |l, c| {
        let position = l.unary(find_lsb, c[0]);
        let moved = l.binary(ishl, c[1], position);
        merge(l, c[0], moved, c[2])
    }),
    always(&[ubfe], |l, c| extract_field(l, c, ubitfield_extract)),
    always(&[ibfe], |l, c| extract_field(l, c, ibitfield_extract)),
    always(&[extract_u8], |l, c| extract(l, c, 8, false)),
    always(&[extract_i8], |l, c| extract(l, c, 8, true)),
    always(&[extract_u16], |l, c| extract(l, c, 16, false)),
    always(&[extract_i16], |l, c| extract(l, c, 16, true)),
    always(&[insert_u8], |l, c| insert(l, c, 8)),
    always(&[insert_u16], |l, c| insert(l, c, 16)),
    // Comparisons and selections.
    always(&[funord], |l, c| {
        let (x, y) = (l.binary(fneu, c[0], c[0]), l.binary(fneu, c[1], c[1]));
        l.binary(ior, x, y)
    }),
    always(&[ford], |l, c| {
        let (x, y) = (l.binary(feq, c[0], c[0]), l.binary(feq, c[1], c[1]));
        l.binary(iand, x, y)
    }),
    always(&[bitnz], |l, c| {
        let bit = bit(l, c);
        l.with_int(ine, bit, 0)
    }),
    always(&[bitz], |l, c| {
        let bit = bit(l, c);
        l.with_int(ieq, bit, 0)
    }),
    always(&[fisfinite], |l, c| {
        let magnitude = l.unary(fabs, c[0]);
        l.with_float(flt, magnitude, f64::INFINITY)
    }),
    always(&[fisnormal], |l, c| {
        let least = match c.shape.src_bits {
            64 => f64::MIN_POSITIVE,
            32 => f64::from(f32::MIN_POSITIVE),
            _ => 1.0 / 16384.0,
        };
        let magnitude = l.unary(fabs, c[0]);
        let (enough, finite) = (l.with_float(fge, magnitude, least), l.with_float(flt, magnitude, f64::INFINITY));
        l.binary(iand, enough, finite)
    }),
    always(&[slt], |l, c| one_if(l, c, flt)),
    always(&[sge], |l, c| one_if(l, c, fge)),
    always(&[seq], |l, c| one_if(l, c, feq)),
    always(&[sne], |l, c| one_if(l, c, fneu)),
    always(&[b8csel, b16csel, b32csel], |l, c| {
        let cond = l.unary(b2b1, c[0]);
        l.select(cond, c[1], c[2])
    }),
    always(&[fcsel], |l, c| select_if_float(l, c, fneu)),
    always(&[fcsel_gt], |l, c| {
        let zero = l.float(c[0], 0.0);
        let cond = l.binary(flt, zero, c[0]);
        l.select(cond, c[1], c[2])
    }),
    always(&[fcsel_ge], |l, c| select_if_float(l, c, fge)),
    always(&[icsel_eqz], |l, c| select_if_int(l, c, ieq)),
    always(&[i32csel_gt], |l, c| {
        let zero = l.int(c[0], 0);
        let cond = l.binary(ilt, zero, c[0]);
        l.select(cond, c[1], c[2])
    }),
    always(&[i32csel_ge], |l, c| select_if_int(l, c, ige)),
    // Whole vectors.
    always(ALL_FEQUAL, |l, c| all(l, c, feq)),
    always(ANY_FNEQUAL, |l, c| any(l, c, fneu)),
    always(&[ball_iequal2, ball_iequal3, ball_iequal4, ball_iequal5, ball_iequal8, ball_iequal16], |l, c| {
        all(l, c, ieq)
    }),
    always(&[bany_inequal2, bany_inequal3, bany_inequal4, bany_inequal5, bany_inequal8, bany_inequal16], |l, c| {
        any(l, c, ine)
    }),
    always(&[fall_equal2, fall_equal3, fall_equal4, fall_equal5, fall_equal8, fall_equal16], |l, c| {
        let equal = all(l, c, feq);
        l.unary(b2f32, equal)
    }),
    always(&[fany_nequal2, fany_nequal3, fany_nequal4, fany_nequal5, fany_nequal8, fany_nequal16], |l, c| {
        let unequal = any(l, c, fneu);
        l.unary(b2f32, unequal)
    }),
    always(&[fdot5, fdot8, fdot16], dot),
    always(REPLICATED_DOTS, |l, c| {
        let dot = match l.builder.shader.num_components(c[0]) {
            2 => l.alu(fdot2, c.srcs),
            3 => l.alu(fdot3, c.srcs),
            4 => l.alu(fdot4, c.srcs),
            _ => dot(l, c),
        };
        replicate(l, c, dot)
    }),
    always(&[fdph, fdph_replicated], |l, c| {
        let (xyz, w) = (l.builder.swizzle(c[1], &[0, 1, 2]), l.channel(c[1], 3));
        let products = l.binary(fmul, c[0], xyz);
        let dot = l.reduce(fadd, products);
        let sum = l.binary(fadd, dot, w);
        replicate(l, c, sum)
    }),
    always(&[fsum2, fsum3, fsum4], |l, c| l.reduce(fadd, c[0])),
    // Packing.
    always(&[pack_32_4x8_split], |l, c| pack_split(l, c, pack_32_4x8)),
    always(&[pack_32_2x16_split], |l, c| pack_split(l, c, pack_32_2x16)),
    always(&[pack_64_2x32_split], |l, c| pack_split(l, c, pack_64_2x32)),
    always(&[pack_half_2x16_split], |l, c| pack_split(l, c, pack_half_2x16)),
    always(&[unpack_32_2x16_split_x], |l, c| unpack_split(l, c, unpack_32_2x16, 0)),
    always(&[unpack_32_2x16_split_y], |l, c| unpack_split(l, c, unpack_32_2x16, 1)),
    always(&[unpack_64_2x32_split_x], |l, c| unpack_split(l, c, unpack_64_2x32, 0)),
    always(&[unpack_64_2x32_split_y], |l, c| unpack_split(l, c, unpack_64_2x32, 1)),
    always(&[unpack_half_2x16_split_x], |l, c| unpack_split(l, c, unpack_half_2x16, 0)),
    always(&[unpack_half_2x16_split_y], |l, c| unpack_split(l, c, unpack_half_2x16, 1)),
    always(&[pack_half_2x16_rtz_split], |l, c| {
        l.flags = AluFlags::EXACT;
        let floats = l.builder.vec(c.srcs);
        let halves = l.unary(pack_half_2x16, floats);
        let back = l.unary(unpack_half_2x16, halves);
        let away = is_farther(l, floats, back);
        // A half that was rounded away from zero is not 0, so nothing is borrowed.
        let ones = l.unary(b2i32, away);
        let ones = or_parts(l, ones, 16);
        l.binary(isub, halves, ones)
    }),
    always(&[pack_uint_2x16], |l, c| {
        let limited = l.with_int(umin, c[0], 0xffff);
        or_parts(l, limited, 16)
    }),
    always(&[pack_sint_2x16], |l, c| {
        let limited = l.with_int(imin, c[0], 0x7fff);
        let limited = l.with_int(imax, limited, -0x8000);
        let low = l.with_int(iand, limited, 0xffff);
        or_parts(l, low, 16)
    }),
    always(&[pack_uvec2_to_uint], |l, c| {
        let low = l.with_int(iand, c[0], 0xffff);
        or_parts(l, low, 16)
    }),
    always(&[pack_uvec4_to_uint], |l, c| or_parts(l, c[0], 8)),
    // Packed dot products.
    always(&[sdot_4x8_iadd], |l, c| packed_dot(l, c, 4, [extract_i8, extract_i8], iadd)),
    always(&[udot_4x8_uadd], |l, c| packed_dot(l, c, 4, [extract_u8, extract_u8], iadd)),
    always(&[sudot_4x8_iadd], |l, c| packed_dot(l, c, 4, [extract_i8, extract_u8], iadd)),
    always(&[sdot_2x16_iadd], |l, c| packed_dot(l, c, 2, [extract_i16, extract_i16], iadd)),
    always(&[udot_2x16_uadd], |l, c| packed_dot(l, c, 2, [extract_u16, extract_u16], iadd)),
    // The products of bytes add up to less than 32 bits, so only the last sum can overflow.
    always(&[sdot_4x8_iadd_sat], |l, c| packed_dot(l, c, 4, [extract_i8, extract_i8], iadd_sat)),
    always(&[udot_4x8_uadd_sat], |l, c| packed_dot(l, c, 4, [extract_u8, extract_u8], uadd_sat)),
    always(&[sudot_4x8_iadd_sat], |l, c| packed_dot(l, c, 4, [extract_i8, extract_u8], iadd_sat)),
    always(&[udot_2x16_uadd_sat], |l, c| {
        let [x, y] = [0, 1].map(|part| product(l, c, part, [extract_u16, extract_u16]));
        let sum = l.binary(uadd_sat, x, y);
        l.binary(uadd_sat, sum, c[2])
    }),
    always(&[sdot_2x16_iadd_sat], signed_dot_2x16_sat),
];

/// The rule for opcodes with booleans of several bits.
pub(super) const WIDE_BOOL: Rule = always(&[], |l, c| match narrow_bool_op(c.shape.op) {
    None => c[0],
    Some(narrow) => {
        let bit = l.alu(narrow, c.srcs);
        l.unary(bool_to_bool(c.shape.bits), bit)
    }
});

/// The opcode with a 1-bit result that `op` is a variant of. In NIR, the width follows the first word of the variant's name:
/// `feq32`, `b32all_fequal4`.
fn narrow_bool_op(op: AluOp) -> Option<AluOp> {
    let info = op.info();
    AluOp::from_name(&info.name.replacen(&info.dest.ty.bits.to_string(), "", 1))
}

const CONVERSIONS: &[AluOp] = &[
    f2f16, f2f16_rtne, f2f16_rtz, f2f32, f2f64, i2i1, i2i8, i2i16, i2i32, i2i64, u2u1, u2u8, u2u16, u2u32, u2u64, b2b1,
    b2b8, b2b16, b2b32,
];
const ALL_FEQUAL: &[AluOp] = &[ball_fequal2, ball_fequal3, ball_fequal4, ball_fequal5, ball_fequal8, ball_fequal16];
const ANY_FNEQUAL: &[AluOp] =
    &[bany_fnequal2, bany_fnequal3, bany_fnequal4, bany_fnequal5, bany_fnequal8, bany_fnequal16];
const REPLICATED_DOTS: &[AluOp] =
    &[fdot2_replicated, fdot3_replicated, fdot4_replicated, fdot5_replicated, fdot8_replicated, fdot16_replicated];

fn int_to_int(bits: u8) -> AluOp {
    match bits {
        8 => i2i8,
        16 => i2i16,
        32 => i2i32,
        _ => i2i64,
    }
}

fn bool_to_bool(bits: u8) -> AluOp {
    match bits {
        8 => b2b8,
        16 => b2b16,
        _ => b2b32,
    }
}

/// `!x && y`, or with `or_equal` its complement for exchanged operands, `!x || y`.
fn less(l: &mut Lower<'_, '_>, x: Def, y: Def, or_equal: bool) -> Def {
    let not_x = l.unary(inot, x);
    l.binary(if or_equal { ior } else { iand }, not_x, y)
}

fn choose_int(l: &mut Lower<'_, '_>, c: &Call<'_>, value: i64) -> Def {
    let (value, zero) = (l.ints(c[0], c.shape.bits, value), l.ints(c[0], c.shape.bits, 0));
    l.select(c[0], value, zero)
}

fn choose_float(l: &mut Lower<'_, '_>, c: &Call<'_>, value: f64) -> Def {
    choose_int(l, c, crate::op::fold::from_float(value, c.shape.bits) as i64)
}

/// Computes in 32-bit floats.
fn in_32_bits(l: &mut Lower<'_, '_>, c: &Call<'_>) -> Def {
    let mut srcs = [c[0]; 3];
    for (to, from) in srcs.iter_mut().zip(c.srcs) {
        *to = l.unary(f2f32, *from);
    }
    let result = l.alu(c.shape.op, &srcs[..c.srcs.len()]);
    l.unary(if c.shape.bits == 64 { f2f64 } else { f2f16 }, result)
}

/// Whether rounding `x` to `half` made it greater.
fn rounded_away(l: &mut Lower<'_, '_>, x: Def, half: Def) -> Def {
    let back = l.unary(if l.bits(x) == 64 { f2f64 } else { f2f32 }, half);
    is_farther(l, x, back)
}

/// Whether `y` is farther from zero than `x`.
fn is_farther(l: &mut Lower<'_, '_>, x: Def, y: Def) -> Def {
    let (x, y) = (l.unary(fabs, x), l.unary(fabs, y));
    l.binary(flt, x, y)
}

fn clamp(l: &mut Lower<'_, '_>, x: Def, low: f64, high: f64) -> Def {
    let x = l.with_float(fmax, x, low);
    l.with_float(fmin, x, high)
}

/// `zero` if the first or second operand is 0.0, else `other`.
fn select_zero_factor(l: &mut Lower<'_, '_>, c: &Call<'_>, zero: Def, other: Def) -> Def {
    let (x, y) = (l.with_float(feq, c[0], 0.0), l.with_float(feq, c[1], 0.0));
    let any = l.binary(ior, x, y);
    l.select(any, zero, other)
}

fn multiply(l: &mut Lower<'_, '_>, c: &Call<'_>, part: LowerPart) -> Def {
    let (x, y) = (part(l, c[0]), part(l, c[1]));
    l.binary(imul, x, y)
}

type LowerPart = fn(&mut Lower<'_, '_>, Def) -> Def;

fn multiply_add(l: &mut Lower<'_, '_>, x: Def, y: Def, z: Def) -> Def {
    let product = l.binary(imul, x, y);
    l.binary(iadd, product, z)
}

fn low_24(l: &mut Lower<'_, '_>, x: Def) -> Def {
    l.with_int(iand, x, 0xff_ffff)
}

/// The low `width` bits of `x`, sign-extended.
fn sign_extend(l: &mut Lower<'_, '_>, x: Def, width: u8) -> Def {
    let unused = i64::from(l.bits(x) - width);
    let top = l.with_int(ishl, x, unused);
    l.with_int(ishr, top, unused)
}

/// `wrapped`, or the limit of the type that the true result exceeds if both `signs0` and `signs1` are negative.
fn saturate(l: &mut Lower<'_, '_>, signs0: Def, signs1: Def, wrapped: Def) -> Def {
    let bits = l.bits(wrapped);
    let signs = l.binary(iand, signs0, signs1);
    let overflow = l.with_int(ilt, signs, 0);
    // A wrapped result is negative if the true one is too great.
    let sign = l.with_int(ishr, wrapped, i64::from(bits - 1));
    let limit = l.with_int(ixor, sign, i64::MIN >> (64 - bits));
    l.select(overflow, limit, wrapped)
}

fn distance(l: &mut Lower<'_, '_>, c: &Call<'_>, max: AluOp, min: AluOp) -> Def {
    let (max, min) = (l.binary(max, c[0], c[1]), l.binary(min, c[0], c[1]));
    l.binary(isub, max, min)
}

/// Half of the bits that only one of the operands has.
fn half_of_others(l: &mut Lower<'_, '_>, c: &Call<'_>, signed: bool) -> Def {
    let others = l.binary(ixor, c[0], c[1]);
    l.with_int(if signed { ishr } else { ushr }, others, 1)
}

fn rotate(l: &mut Lower<'_, '_>, c: &Call<'_>, there: AluOp, back: AluOp) -> Def {
    let rest = l.unary(ineg, c[1]);
    let (x, y) = (l.binary(there, c[0], c[1]), l.binary(back, c[0], rest));
    l.binary(ior, x, y)
}

/// Bits of `x` where `mask` is set, of `y` elsewhere.
fn merge(l: &mut Lower<'_, '_>, mask: Def, x: Def, y: Def) -> Def {
    let not_mask = l.unary(inot, mask);
    let (x, y) = (l.binary(iand, mask, x), l.binary(iand, not_mask, y));
    l.binary(ior, x, y)
}

/// The position that `find` returns, counted from the top; -1 stays.
fn from_top(l: &mut Lower<'_, '_>, c: &Call<'_>, find: AluOp) -> Def {
    let position = l.unary(find, c[0]);
    let none = l.with_int(ilt, position, 0);
    let top = l.int(position, i64::from(c.shape.src_bits) - 1);
    let from_top = l.binary(isub, top, position);
    l.select(none, position, from_top)
}

/// Offset and width modulo 32, the width limited to the bits above the offset.
fn extract_field(l: &mut Lower<'_, '_>, c: &Call<'_>, op: AluOp) -> Def {
    let (offset, width) = (l.with_int(iand, c[1], 31), l.with_int(iand, c[2], 31));
    let all = l.int(offset, 32);
    let room = l.binary(isub, all, offset);
    let width = l.binary(umin, width, room);
    l.alu(op, &[c[0], offset, width])
}

/// Shift count of part `c[1]`, each of `width` bits.
fn part_shift(l: &mut Lower<'_, '_>, c: &Call<'_>, width: u8) -> Def {
    let index = l.unary(u2u32, c[1]);
    l.with_int(ishl, index, i64::from(width.trailing_zeros()))
}

fn extract(l: &mut Lower<'_, '_>, c: &Call<'_>, width: u8, signed: bool) -> Def {
    if width >= c.shape.bits {
        return c[0];
    }
    let shift = part_shift(l, c, width);
    let part = l.binary(ushr, c[0], shift);
    if signed {
        sign_extend(l, part, width)
    } else {
        l.with_int(iand, part, (1 << width) - 1)
    }
}

fn insert(l: &mut Lower<'_, '_>, c: &Call<'_>, width: u8) -> Def {
    if width >= c.shape.bits {
        return c[0];
    }
    let part = l.with_int(iand, c[0], (1 << width) - 1);
    let shift = part_shift(l, c, width);
    l.binary(ishl, part, shift)
}

fn bit(l: &mut Lower<'_, '_>, c: &Call<'_>) -> Def {
    let low = l.binary(ushr, c[0], c[1]);
    l.with_int(iand, low, 1)
}

/// 1.0 or 0.0.
fn one_if(l: &mut Lower<'_, '_>, c: &Call<'_>, compare: AluOp) -> Def {
    let cond = l.binary(compare, c[0], c[1]);
    let to_float = match c.shape.bits {
        16 => b2f16,
        32 => b2f32,
        _ => b2f64,
    };
    l.unary(to_float, cond)
}

fn select_if_float(l: &mut Lower<'_, '_>, c: &Call<'_>, compare: AluOp) -> Def {
    let cond = l.with_float(compare, c[0], 0.0);
    l.select(cond, c[1], c[2])
}

fn select_if_int(l: &mut Lower<'_, '_>, c: &Call<'_>, compare: AluOp) -> Def {
    let cond = l.with_int(compare, c[0], 0);
    l.select(cond, c[1], c[2])
}

fn all(l: &mut Lower<'_, '_>, c: &Call<'_>, compare: AluOp) -> Def {
    let each = l.binary(compare, c[0], c[1]);
    l.reduce(iand, each)
}

fn any(l: &mut Lower<'_, '_>, c: &Call<'_>, compare: AluOp) -> Def {
    let each = l.binary(compare, c[0], c[1]);
    l.reduce(ior, each)
}

fn dot(l: &mut Lower<'_, '_>, c: &Call<'_>) -> Def {
    let products = l.binary(fmul, c[0], c[1]);
    l.reduce(fadd, products)
}

/// `scalar` in all components of the result.
fn replicate(l: &mut Lower<'_, '_>, c: &Call<'_>, scalar: Def) -> Def {
    l.builder.swizzle(scalar, &[0; 16][..usize::from(c.shape.components)])
}

fn pack_split(l: &mut Lower<'_, '_>, c: &Call<'_>, pack: AluOp) -> Def {
    l.per_component(c, |l, parts| {
        let vector = l.builder.vec(parts);
        l.unary(pack, vector)
    })
}

fn unpack_split(l: &mut Lower<'_, '_>, c: &Call<'_>, unpack: AluOp, part: u8) -> Def {
    l.per_component(c, |l, srcs| {
        let parts = l.unary(unpack, srcs[0]);
        l.channel(parts, part)
    })
}

/// The components as parts of `width` bits of one integer; all but the last must fit into their parts.
fn or_parts(l: &mut Lower<'_, '_>, vector: Def, width: i64) -> Def {
    let mut all = l.channel(vector, 0);
    for c in 1..l.builder.shader.num_components(vector) {
        let part = l.channel(vector, c);
        let part = l.with_int(ishl, part, i64::from(c) * width);
        all = l.binary(ior, all, part);
    }
    all
}

/// The product of part `part` of the first two operands.
fn product(l: &mut Lower<'_, '_>, c: &Call<'_>, part: i64, extract: [AluOp; 2]) -> Def {
    let (x, y) = (l.with_int(extract[0], c[0], part), l.with_int(extract[1], c[1], part));
    l.binary(imul, x, y)
}

/// The sum of the products of `parts` parts, and the third operand added by `add`.
fn packed_dot(l: &mut Lower<'_, '_>, c: &Call<'_>, parts: i64, extract: [AluOp; 2], add: AluOp) -> Def {
    let mut sum = product(l, c, 0, extract);
    for part in 1..parts {
        let product = product(l, c, part, extract);
        sum = l.binary(iadd, sum, product);
    }
    l.binary(add, sum, c[2])
}

/// Two products can sum to 2^31 and not to less than -2^31 + 2^16, so a sum that reads -2^31 is 2^31.
fn signed_dot_2x16_sat(l: &mut Lower<'_, '_>, c: &Call<'_>) -> Def {
    let [x, y] = [0, 1].map(|part| product(l, c, part, [extract_i16, extract_i16]));
    let sum = l.binary(iadd, x, y);
    let saturated = l.binary(iadd_sat, sum, c[2]);
    let is_great = l.with_int(ieq, sum, i64::from(i32::MIN));
    let fits = l.with_int(ilt, c[2], 0);
    let (wrapped, max) = (l.binary(iadd, sum, c[2]), l.int(sum, i64::from(i32::MAX)));
    let great = l.select(fits, wrapped, max);
    l.select(is_great, great, saturated)
}
