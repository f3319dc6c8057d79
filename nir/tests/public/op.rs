// SPDX-License-Identifier: MIT

//! Tests the ALU table against expectations written by hand and against itself.

use ntv_nir::ir::builder::evaluate_alu;
use ntv_nir::ir::Swizzle;
use ntv_nir::op::fold::{from_float, mask, to_float};
use ntv_nir::op::AluOp::{self, *};
use ntv_nir::op::{Base, Form, Props};

/// The components of the result of `op`; operands whose width the row leaves free have `width` bits.
fn eval(op: AluOp, components: u8, width: u8, srcs: &[&[u64]]) -> Vec<u64> {
    let info = op.info();
    let bits = |bits: u8| if bits == 0 { width } else { bits };
    let operands: Vec<_> =
        srcs.iter().zip(info.srcs).map(|(values, o)| (*values, Swizzle::IDENTITY, bits(o.ty.bits))).collect();
    let components = info.dest.components(components);
    let values = evaluate_alu(op, &operands, components, bits(info.dest.ty.bits)).expect("operands have components");
    values[..usize::from(components)].to_vec()
}

fn scalar(op: AluOp, width: u8, srcs: &[u64]) -> u64 {
    let srcs: Vec<&[u64]> = srcs.iter().map(std::slice::from_ref).collect();
    eval(op, 1, width, &srcs)[0]
}

const QNAN: u64 = 0x7fc0_0000;
const INF: u64 = 0x7f80_0000;

/// 32-bit float bits.
fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// 32-bit integer bits.
fn i(value: i32) -> u64 {
    u64::from(value as u32)
}

#[test]
fn every_name_is_found_and_unique() {
    for op in AluOp::ALL {
        assert_eq!(AluOp::from_name(op.name()), Some(*op));
    }
}

#[test]
fn float_arithmetic() {
    for (op, srcs, expected) in [
        (fadd, &[f(16_777_216.0), f(1.0)][..], f(16_777_216.0)),
        (fsub, &[f(1.0), f(1.0)], 0),
        (fneg, &[QNAN], 0xffc0_0000),
        (fabs, &[0xffc0_0000], QNAN),
        (fdiv, &[f(1.0), f(-0.0)], 0xff80_0000),
        (frcp, &[f(3.0)], f(1.0 / 3.0)),
        (fmin, &[QNAN, f(2.0)], f(2.0)),
        (fmax, &[f(2.0), QNAN], f(2.0)),
        (fmin, &[0, 0x8000_0000], 0x8000_0000),
        (fmax, &[0x8000_0000, 0], 0),
        (fsign, &[QNAN], 0),
        (fsign, &[0x8000_0000], 0x8000_0000),
        (fsign, &[f(-7.0)], f(-1.0)),
        (fsat, &[QNAN], 0),
        (fsat, &[INF], f(1.0)),
        (fsat_signed, &[f(-2.0)], f(-1.0)),
        (fmod, &[f(-1.0), f(4.0)], f(3.0)),
        (frem, &[f(-1.0), f(4.0)], f(-1.0)),
        (fmulz, &[0, INF], 0),
        (ffmaz, &[0, QNAN, f(2.0)], f(2.0)),
        (fround_even, &[f(2.5)], f(2.0)),
        (fround_even, &[f(-3.5)], f(-4.0)),
        (ffract, &[f(-0.25)], f(0.75)),
        (fexp2, &[f(10.0)], f(1024.0)),
        (fpow, &[f(2.0), f(-2.0)], f(0.25)),
        (ldexp, &[f(1.5), i(4)], f(24.0)),
        (ldexp, &[f(-1.0), i(-200)], 0x8000_0000),
        (frexp_exp, &[f(8.0)], 4),
        (frexp_sig, &[f(-8.0)], f(-0.5)),
        (frexp_exp, &[1], i(-148)),
        (fquantize2f16, &[f(1.0 + 1.0 / 4096.0)], f(1.0)),
        (fquantize2f16, &[f(-1e-5)], 0x8000_0000),
        (fquantize2f16, &[f(1e6)], INF),
        // (1 + 2^-12)^2 - (1 + 2^-11) is exactly 2^-24, which two roundings lose.
        (ffma, &[f(1.0 + 1.0 / 4096.0), f(1.0 + 1.0 / 4096.0), f(-(1.0 + 1.0 / 2048.0))], f(2f32.powi(-24))),
    ] {
        assert_eq!(scalar(op, 32, srcs), expected, "{} {srcs:x?}", op.name());
    }
    assert_eq!(scalar(fadd, 16, &[0x7bff, 0x7bff]), 0x7c00, "65504 twice is infinite");
    assert_eq!(
        scalar(ldexp, 16, &[0x4fc0, i(-28)]),
        2,
        "31 * 2^-28 is denormal as a half, and normal for the float that NIR has"
    );
    assert_eq!(scalar(fsqrt, 64, &[2f64.to_bits()]), 2f64.sqrt().to_bits());
}

#[test]
fn integer_arithmetic() {
    for (op, width, srcs, expected) in [
        (iadd, 8, &[0xff, 1][..], 0),
        (ineg, 16, &[0x8000], 0x8000),
        (iabs, 32, &[0x8000_0000], 0x8000_0000),
        (isign, 8, &[0x80], 0xff),
        (idiv, 32, &[i(-7), 2], i(-3)),
        (idiv, 32, &[i(-7), 0], 0),
        (idiv, 64, &[1 << 63, u64::MAX], 1 << 63),
        (irem, 32, &[i(-7), 4], i(-3)),
        (imod, 32, &[i(-7), 4], 1),
        (imod, 32, &[7, i(-4)], i(-1)),
        (imod, 32, &[i(-8), 4], 0),
        (umod, 32, &[7, 0], 0),
        (udiv, 8, &[0xff, 2], 0x7f),
        (imin, 16, &[0x8000, 1], 0x8000),
        (umin, 16, &[0x8000, 1], 1),
        (iadd_sat, 8, &[100, 100], 127),
        (isub_sat, 8, &[0x80, 1], 0x80),
        (uadd_sat, 64, &[u64::MAX, 2], u64::MAX),
        (usub_sat, 32, &[1, 2], 0),
        (uabs_isub, 8, &[0x80, 0x7f], 0xff),
        (ihadd, 32, &[i(-1), 0], i(-1)),
        (irhadd, 32, &[i(-1), 0], 0),
        (uhadd, 32, &[0xffff_ffff, 0xffff_fffd], 0xffff_fffe),
        (uadd_carry, 32, &[0xffff_ffff, 1], 1),
        (uadd_carry, 64, &[u64::MAX, 0], 0),
        (usub_borrow, 32, &[1, 2], 1),
        (umul_high, 64, &[u64::MAX, u64::MAX], u64::MAX - 1),
        (imul_high, 64, &[u64::MAX, u64::MAX], 0),
        (imul_high, 32, &[i(-1), 1], i(-1)),
        (umul_high, 8, &[0xff, 0xff], 0xfe),
        (imul_2x32_64, 0, &[i(-1), 5], -5i64 as u64),
        (umul_2x32_64, 0, &[i(-1), 5], 0x4_ffff_fffb),
        (imul_32x16, 0, &[2, 0x1_ffff], i(-2)),
        (imul24, 0, &[0xff_ffff, 3], i(-3)),
        (umul24, 0, &[0x1ff_ffff, 2], 0x1ff_fffe),
    ] {
        assert_eq!(scalar(op, width, srcs), expected, "{} {width} {srcs:x?}", op.name());
    }
}

#[test]
fn bits_and_fields() {
    for (op, width, srcs, expected) in [
        (ishl, 32, &[1, 33][..], 2),
        (ishr, 8, &[0x80, 1], 0xc0),
        (ushr, 64, &[1 << 63, 63], 1),
        (urol, 16, &[0x8001, 4], 0x0018),
        (uror, 32, &[1, 1], 0x8000_0000),
        (urol, 32, &[0x1234_5678, 32], 0x1234_5678),
        (shfr, 0, &[0x0000_0001, 0x8000_0000, 4], 0x1800_0000),
        (inot, 1, &[0], 1),
        (bitfield_reverse, 0, &[1], 0x8000_0000),
        (bit_count, 64, &[u64::MAX], 64),
        (find_lsb, 32, &[0], i(-1)),
        (find_lsb, 64, &[1 << 40], 40),
        (ufind_msb, 32, &[0], i(-1)),
        (ufind_msb, 16, &[0x8000], 15),
        (ifind_msb, 0, &[i(-1)], i(-1)),
        (ifind_msb, 0, &[i(-2)], 0),
        (ifind_msb, 0, &[0x7fff_ffff], 30),
        (ufind_msb_rev, 32, &[1], 31),
        (uclz, 0, &[0], 32),
        (uclz, 0, &[1], 31),
        (bitfield_insert, 0, &[0xffff_ffff, 0, 4, 8], 0xffff_f00f),
        (bitfield_insert, 0, &[5, 7, 0, 0], 5),
        (ubitfield_extract, 0, &[0x1234_5678, 8, 8], 0x56),
        (ubitfield_extract, 0, &[0xffff_ffff, 0, 32], 0xffff_ffff),
        (ibitfield_extract, 0, &[0x0000_f000, 12, 4], i(-1)),
        (bfm, 0, &[4, 8], 0xf00),
        (bfi, 0, &[0xf0, 0x5, 0xffff_ffff], 0xffff_ff5f),
        (bfi, 0, &[0, 5, 7], 7),
        (ubfe, 0, &[0xf000_0000, 28, 8], 0xf),
        (ibfe, 0, &[0xf000_0000, 28, 8], i(-1)),
        (extract_i8, 32, &[0x00ff_0000, 2], i(-1)),
        (extract_u16, 64, &[0xffff_0000_0000, 2], 0xffff),
        (insert_u8, 32, &[0x1ff, 3], 0xff00_0000),
        (bitfield_select, 32, &[0xff00, 0x1234, 0x5678], 0x1278),
        (bitnz, 32, &[4, 34], 1),
        (bitz32, 32, &[4, 34], 0),
    ] {
        assert_eq!(scalar(op, width, srcs), expected, "{} {width} {srcs:x?}", op.name());
    }
}

#[test]
fn comparisons_handle_nan() {
    let (one, two) = (f(1.0), f(2.0));
    for (op, of_nan, of_less, of_equal) in [
        (flt, false, true, false),
        (fge, false, false, true),
        (feq, false, false, true),
        (fneu, true, true, false),
        (fltu, true, true, false),
        (fgeu, true, false, true),
        (fequ, true, false, true),
        (fneo, false, true, false),
        (funord, true, false, false),
        (ford, false, true, true),
    ] {
        let results = [[QNAN, one], [one, two], [one, one]].map(|srcs| scalar(op, 32, &srcs) == 1);
        assert_eq!(results, [of_nan, of_less, of_equal], "{}", op.name());
    }
    assert_eq!(scalar(feq, 32, &[0, 0x8000_0000]), 1);
    assert_eq!(scalar(ilt, 32, &[i(-1), 0]), 1);
    assert_eq!(scalar(ult, 32, &[i(-1), 0]), 0);
    assert_eq!(scalar(flt32, 32, &[one, two]), 0xffff_ffff);
    assert_eq!(scalar(fisnormal, 16, &[0x03ff]), 0);
    assert_eq!(scalar(fisnormal, 16, &[0x0400]), 1);
}

#[test]
fn conversions() {
    for (op, width, src, expected) in [
        (f2i32, 32, f(-2.9), i(-2)),
        (f2i32, 32, QNAN, 0),
        (f2i8, 32, f(300.0), 0x7f),
        (f2u16, 32, f(-1.0), 0),
        (f2u64, 64, 1e19f64.to_bits(), 10_000_000_000_000_000_000),
        (i2f32, 32, i(-1), f(-1.0)),
        (u2f32, 64, u64::MAX, f(18_446_744_073_709_551_615.0)),
        // One above a tie: rounding through binary64 would lose the one and round down.
        (u2f32, 64, (1 << 60) + (1 << 36) + 1, f((1u64 << 60) as f32 + (1u64 << 37) as f32)),
        (i2f16, 32, 65520, 0x7c00),
        (i2i64, 8, 0x80, -128i64 as u64),
        (u2u64, 8, 0x80, 0x80),
        (i2i32, 1, 1, i(-1)),
        (u2u32, 1, 1, 1),
        (b2f16, 1, 1, 0x3c00),
        (b2i64, 32, 0xffff_ffff, 1),
        (b2b32, 1, 1, 0xffff_ffff),
        (b2b1, 32, 0xffff_ffff, 1),
        (i2i1, 32, 2, 0),
        (f2f16, 32, f(65519.996), 0x7bff),
        (f2f16, 32, f(65520.0), 0x7c00),
        (f2f16_rtz, 32, f(1e9), 0x7bff),
        (f2f16_rtz, 32, f(-1.0009), 0xbc00),
        (f2f32, 64, 1e300f64.to_bits(), INF),
        (f2f32, 32, 0x7fff_ffff, 0x7fff_ffff),
    ] {
        assert_eq!(scalar(op, width, &[src]), expected, "{} {width} {src:x}", op.name());
    }
}

#[test]
fn vectors() {
    let floats = |values: &[f32]| values.iter().map(|v| f(*v)).collect::<Vec<_>>();
    let (a, b) = (floats(&[1.0, 2.0, 3.0, 4.0]), floats(&[5.0, 6.0, 7.0, 8.0]));
    assert_eq!(eval(fdot4, 1, 32, &[&a, &b]), [f(70.0)]);
    assert_eq!(eval(fdot2_replicated, 3, 32, &[&a[..2], &b[..2]]), [f(17.0); 3]);
    assert_eq!(eval(fdph, 1, 32, &[&a[..3], &b]), [f(46.0)]);
    assert_eq!(eval(fsum3, 1, 32, &[&a[..3]]), [f(6.0)]);
    assert_eq!(eval(ball_fequal4, 1, 32, &[&a, &a]), [1]);
    assert_eq!(eval(b32any_fnequal4, 1, 32, &[&a, &b]), [0xffff_ffff]);
    assert_eq!(eval(vec3, 1, 32, &[&[7], &[8], &[9]]), [7, 8, 9]);
    assert_eq!(eval(bcsel, 2, 32, &[&[1, 0], &[10, 11], &[20, 21]]), [10, 21]);
    assert_eq!(eval(pack_32_4x8, 1, 0, &[&[0x78, 0x56, 0x34, 0x12]]), [0x1234_5678]);
    assert_eq!(eval(unpack_64_4x16, 1, 0, &[&[0x1122_3344_5566_7788]]), [0x7788, 0x5566, 0x3344, 0x1122]);
    assert_eq!(eval(pack_64_2x32_split, 2, 0, &[&[1, 2], &[3, 4]]), [3 << 32 | 1, 4 << 32 | 2]);
    assert_eq!(eval(unpack_32_2x16_split_y, 1, 0, &[&[0x1234_5678]]), [0x1234]);
}

#[test]
fn packed_numbers() {
    let unit = [f(0.0), f(1.0), f(-1.0), f(0.5)];
    assert_eq!(eval(pack_unorm_4x8, 1, 0, &[&unit]), [0x8000_ff00], "127.5 is rounded to the even 128");
    assert_eq!(eval(pack_snorm_4x8, 1, 0, &[&unit]), [0x4081_7f00]);
    assert_eq!(eval(pack_snorm_2x16, 1, 32, &[&[QNAN, f(2.0)]]), [0x7fff_8001]);
    assert_eq!(eval(pack_half_2x16, 1, 0, &[&[f(1.0), f(-2.0)]]), [0xc000_3c00]);
    assert_eq!(eval(pack_half_2x16_rtz_split, 1, 0, &[&[f(65519.0)], &[f(65521.0)]]), [0x7bff_7bff]);
    assert_eq!(eval(unpack_half_2x16, 1, 0, &[&[0xc000_3c00]]), [f(1.0), f(-2.0)]);
    assert_eq!(eval(unpack_snorm_2x16, 1, 0, &[&[0x8000_7fff]]), [f(1.0), f(-1.0)]);
    assert_eq!(eval(unpack_unorm_4x8, 1, 0, &[&[0xff33_0000]])[2..], [f(0.2), f(1.0)]);
    assert_eq!(eval(pack_uint_2x16, 1, 0, &[&[0x1_0000, 5]]), [0x5_ffff]);
    assert_eq!(eval(pack_sint_2x16, 1, 0, &[&[i(-40000), i(-1)]]), [0xffff_8000]);
    assert_eq!(scalar(sdot_4x8_iadd, 0, &[0xff01_0203, 0x0201_0101, 10]), 14);
    assert_eq!(scalar(sudot_4x8_iadd, 0, &[0xff, 0xff, 0]), i(-255));
    assert_eq!(scalar(udot_4x8_uadd_sat, 0, &[0xff, 0xff, 0xffff_ffff]), 0xffff_ffff);
    assert_eq!(scalar(sdot_2x16_iadd_sat, 0, &[0x8000_8000, 0x8000_8000, 0]), 0x7fff_ffff);
}

#[test]
fn halves_survive_and_round_to_the_nearest() {
    for half in 0..=u16::MAX {
        let value = to_float(u64::from(half), 16);
        assert!(value.is_nan() || from_float(value, 16) == u64::from(half), "{half:x}");
    }
    // Between each finite half and the next: below, at and above the middle.
    for half in 0..0x7bffu64 {
        let (low, high) = (to_float(half, 16), to_float(half + 1, 16));
        let middle = (low + high) / 2.0;
        let even = half + (half & 1);
        assert_eq!(from_float(middle, 16), even, "{half:x}");
        assert_eq!(from_float(f64::from_bits(middle.to_bits() - 1), 16), half, "{half:x}");
        assert_eq!(from_float(-f64::from_bits(middle.to_bits() + 1), 16), 0x8000 | (half + 1), "{half:x}");
        assert_eq!(scalar(f2f16_rtz, 64, &[(-middle).to_bits()]), 0x8000 | half, "{half:x}");
    }
}

/// Numbers of all kinds, as bits to be read as any type.
const CORNERS: &[u64] = &[
    0,
    1,
    2,
    31,
    0x80,
    0x7fff,
    0x8000,
    0x3c00,
    0x7c00,
    0xfe00,
    0x3f80_0000,
    0x7f80_0000,
    0x8000_0000,
    0xff80_0001,
    0x3ff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    1 << 63,
    u64::MAX,
];

fn widths(op: AluOp) -> &'static [u8] {
    let free = op.info().srcs.iter().find(|operand| operand.ty.bits == 0);
    match free.map(|operand| operand.ty.base) {
        None => &[0],
        Some(Base::Float) => &[16, 32, 64],
        Some(Base::Bool) => &[1, 8, 16, 32],
        Some(_) => &[1, 8, 16, 32, 64],
    }
}

#[test]
fn commutative_opcodes_commute() {
    for op in AluOp::ALL.iter().filter(|op| op.info().props.contains(Props::COMMUTATIVE)) {
        let info = op.info();
        assert_eq!(info.srcs[0], info.srcs[1], "{}", op.name());
        for width in widths(*op) {
            let bits = info.srcs[0].bits(*width);
            let components = usize::from(info.srcs[0].size.max(1));
            let vector = |n: usize| -> Vec<u64> {
                (0..components).map(|c| mask(CORNERS[(n + c) % CORNERS.len()], bits)).collect()
            };
            let third = [1];
            for (a, b) in (0..CORNERS.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let (x, y) = (vector(a), vector(b));
                let srcs: [Vec<&[u64]>; 2] = [vec![&x, &y, &third], vec![&y, &x, &third]];
                let [there, back] = srcs.map(|srcs| eval(*op, 1, *width, &srcs[..info.srcs.len()]));
                let nan = |values: &[u64]| {
                    let bits = info.dest.bits(*width);
                    info.dest.ty.base == Base::Float && to_float(values[0], bits).is_nan()
                };
                assert!(there == back || nan(&there) && nan(&back), "{} {width} {x:x?} {y:x?}", op.name());
            }
        }
    }
}

#[test]
fn folds_take_all_numbers() {
    for op in AluOp::ALL {
        let info = op.info();
        for width in widths(*op) {
            for n in 0..CORNERS.len() * 7 {
                let srcs: Vec<Vec<u64>> = info
                    .srcs
                    .iter()
                    .enumerate()
                    .map(|(i, operand)| {
                        let bits = operand.bits(*width);
                        let at = |c: usize| CORNERS[(n * (i + 1) + c * 5 + i) % CORNERS.len()];
                        (0..usize::from(operand.size.max(2))).map(|c| mask(at(c), bits)).collect()
                    })
                    .collect();
                let srcs: Vec<&[u64]> = srcs.iter().map(Vec::as_slice).collect();
                eval(*op, 2, *width, &srcs);
            }
        }
    }
}

#[test]
fn rows_make_sense() {
    for op in AluOp::ALL {
        let info = op.info();
        let name = info.name;
        match info.form {
            Form::SelectOne => assert_eq!(info.srcs[0].ty.base, Base::Bool, "{name}"),
            Form::Shift(_) => assert_eq!(info.srcs.len(), 2, "{name}"),
            Form::Construct => assert!(info.srcs.len() == usize::from(info.dest.size), "{name}"),
            Form::Bitcast => {
                let bits = |operand: ntv_nir::op::Operand| u32::from(operand.ty.bits) * u32::from(operand.size);
                assert_eq!(bits(info.srcs[0]), bits(info.dest), "{name}");
            }
            Form::Op(_) | Form::OpOrLogical(..) | Form::Ext(_) | Form::Move | Form::Special | Form::Lowered => {}
        }
        // A result per component needs an operand per component, or one that all components share.
        let fixed = info.srcs.iter().all(|operand| operand.size != 0);
        assert!(info.dest.size != 0 || !fixed || name.ends_with("_replicated"), "{name}");
        assert!(!info.props.contains(Props::ASSOCIATIVE) || info.props.contains(Props::COMMUTATIVE), "{name}");
    }
}
