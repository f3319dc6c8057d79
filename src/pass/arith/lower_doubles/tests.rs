// SPDX-License-Identifier: MIT

//! Compares the pass with the folds: the folded result of an operation on doubles is equal to the result of its integers, bit
//! for bit.

use super::*;
use crate::ir::{AluFlags, AluSrc};
use crate::op::fold::{from_float, mask, to_float};
use crate::op::Form;
use crate::pass::arith::{lower_alu, lower_int64};
use crate::pass::testing::{evaluate, store, Random};
use crate::target::{Feature, Target};

/// A shader that stores the result of an operation on values that are undefined until a test sets them.
struct Case {
    op: AluOp,
    /// The operands and their widths.
    operands: Vec<(Operand, u8)>,
    bits: u8,
    /// The input for a component of an operand, and the number of that operand.
    inputs: Vec<(Inst, usize)>,
    shader: Shader,
    lowered: Shader,
}

/// `components` scalars of `bits` bits; those of 64 are made of halves, so that no value of 64 bits is undefined.
fn operand(b: &mut Builder<'_>, inputs: &mut Vec<(Inst, usize)>, number: usize, components: u8, bits: u8) -> Def {
    let parts: Vec<Def> = (0..components)
        .map(|_| {
            let part = if bits == 64 { b.undef(2, 32) } else { b.undef(1, bits) };
            inputs.push((part.inst(), number));
            if bits == 64 {
                b.alu(pack_64_2x32, &[part])
            } else {
                part
            }
        })
        .collect();
    b.vec(&parts)
}

fn without(features: &[Feature]) -> Context {
    let mut target = Target::default();
    features.iter().for_each(|feature| target.set(*feature, false));
    Context { target, ..Context::default() }
}

impl Case {
    fn new(op: AluOp, components: u8, width: u8) -> Case {
        let info = op.info();
        let size = |operand: &Operand| operand.components(components);
        let bits = |operand: &Operand| operand.bits(width);
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let mut inputs = Vec::new();
        let operands = info.srcs.iter().map(|operand| (*operand, bits(operand))).collect();
        let mut srcs: Vec<AluSrc> = Vec::new();
        for (i, o) in info.srcs.iter().enumerate() {
            srcs.push(operand(&mut b, &mut inputs, i, size(o), bits(o)).into());
        }
        let shape = (size(&info.dest), bits(&info.dest));
        let value = b.alu_with(op, AluFlags::empty(), &srcs, Some(shape));
        for c in 0..shape.0 {
            let scalar = b.channel(value, c);
            let scalar = if shape.1 == 64 { b.alu(unpack_64_2x32, &[scalar]) } else { scalar };
            store(&mut b, scalar);
        }
        let mut lowered = shader.clone();
        let context = without(&[Feature::shaderFloat64]);
        lower_alu::PASS.apply(&mut lowered, &context);
        run(&mut lowered, &context);
        for inst in &lowered.order {
            if let InstKind::Alu { op: left, .. } = lowered.insts[*inst].kind {
                assert!(!computes_doubles(&lowered, *inst, left), "{} leaves {}", op.name(), left.name());
                assert!(left.info().form != Form::Lowered, "{} makes {}", op.name(), left.name());
            }
        }
        Case { op, operands, bits: shape.1, inputs, shader, lowered }
    }

    /// The inputs for operands whose components all have these values.
    fn inputs(&self, values: &[u64]) -> Vec<(Inst, Vec<u64>)> {
        let split = |operand: usize| match (self.operands[operand].1, values[operand]) {
            (64, value) => vec![value & 0xffff_ffff, value >> 32],
            (bits, value) => vec![mask(value, bits)],
        };
        self.inputs.iter().map(|(inst, operand)| (*inst, split(*operand))).collect()
    }

    fn check(&self, values: &[u64]) {
        let inputs = self.inputs(values);
        self.compare(&evaluate(&self.shader, &inputs), &evaluate(&self.lowered, &inputs), values);
    }

    fn compare(&self, want: &[Vec<u64>], got: &[Vec<u64>], values: &[u64]) {
        let whole = |parts: &[u64]| parts.iter().rev().fold(0, |all, part| all << 32 | part);
        assert_eq!(want.len(), got.len());
        for (want, got) in want.iter().zip(got) {
            let (want, got) = (whole(want), whole(got));
            let is_float = self.op.info().dest.ty.base == Base::Float;
            let both_nan = is_float && [want, got].iter().all(|bits| to_float(*bits, self.bits).is_nan());
            assert!(want == got || both_nan, "{} of {values:x?} is {got:x}, not {want:x}", self.op.name());
        }
    }
}

/// Doubles at which results change: the ends of ranges, numbers next to powers of two, ties of conversions.
fn corners() -> Vec<u64> {
    let mut corners = vec![0, 1, 2, 3, (1 << 52) - 1, 1 << 52, (1 << 52) + 1, number::INFINITY - 1, number::INFINITY];
    corners.extend([number::NAN, number::INFINITY + 1, (1 << 51) - 1, 1 << 51, 1 << 26]);
    let numbers = [
        0.3,
        0.5,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        1e-308,
        1e300,
        1e-160,
        65519.9,
        65520.0,
        1.0 + 2f64.powi(-24),
        1.0 + 3.0 * 2f64.powi(-24),
        1.0 + 2f64.powi(-11),
        2f64.powi(-25),
        3e-45,
        2f64.powi(-150),
        f64::from(f32::MAX),
        3.402_823_567_797_336_7e38,
        2f64.powi(31) - 0.5,
        2f64.powi(32) - 0.5,
        2f64.powi(52) + 0.5,
        2f64.powi(52) - 0.5,
        2f64.powi(53),
        2f64.powi(63),
        2f64.powi(64) - 2048.0,
        127.5,
        255.9,
        32767.5,
    ];
    for number in numbers {
        let bits = number.to_bits();
        corners.extend([bits - 1, bits, bits + 1]);
    }
    corners.iter().flat_map(|bits| [*bits, bits | number::SIGN]).collect()
}

/// Values of an operand.
fn corners_of(base: Base, bits: u8) -> Vec<u64> {
    match (base, bits) {
        (Base::Float, 64) => corners(),
        (Base::Float, _) => {
            corners().iter().flat_map(|x| [from_float(to_float(*x, 64), bits), mask(*x, bits)]).collect()
        }
        (Base::Bool, _) => vec![0, mask(u64::MAX, bits)],
        _ => (0..64)
            .flat_map(|shift| [1u64 << shift, (1 << shift) - 1, (0x0100_0000_0000_1001u64 << shift), !(1 << shift)])
            .map(|value| mask(value, bits))
            .collect(),
    }
}

/// A double that looks random, sometimes with few digits or an exponent near that of 1.0.
fn random_double(random: &mut Random) -> u64 {
    let bits = random.next();
    match random.next() % 4 {
        0 => bits,
        1 => bits & !0 << (bits >> 7 & 63),
        2 => bits & (number::SIGN | number::FRACTION) | (1000 + (random.next() & 47)) << 52,
        _ => (bits & !0 << (bits >> 7 & 63)) & (number::SIGN | number::FRACTION) | (1000 + (random.next() & 47)) << 52,
    }
}

fn random_value(random: &mut Random, base: Base, bits: u8) -> u64 {
    match (base, bits) {
        (Base::Float, 64) => random_double(random),
        (Base::Float, _) => mask(random.next(), bits),
        _ => mask(random.next() >> (random.next() & 63), bits),
    }
}

/// Operations with doubles, at each width that their other operands may have.
fn cases(components: u8) -> Vec<Case> {
    let mut cases = Vec::new();
    for op in AluOp::ALL {
        let info = op.info();
        let doubles = info.srcs.iter().chain([&info.dest]).filter(|o| o.ty.base == Base::Float);
        let widths: &[u8] = match (doubles.clone().any(|o| o.ty.bits == 0), doubles.clone().any(|o| o.ty.bits == 64)) {
            // Operations that the standard library computes, in 32 bits here.
            _ if matches!(op, fexp2 | flog2 | fpow | fsin | fcos | fquantize2f16) => &[],
            // Conversions of numbers that do not fit into 32 bits to one bit are undefined.
            _ if matches!(op, f2i1 | f2u1) => &[],
            // Operations with results or operands of five components and more.
            _ if info.srcs.iter().any(|operand| operand.size > 4) => &[],
            (true, true) => &[16, 32, 64],
            (true, false) => &[64],
            (false, true) => match info.srcs[0].ty.base {
                Base::Bool => &[1],
                _ => &[8, 16, 32, 64],
            },
            _ => &[],
        };
        cases.extend(widths.iter().map(|width| Case::new(*op, components, *width)));
    }
    cases
}

#[test]
fn integers_agree_with_the_fold_of_the_opcode() {
    let cases = cases(1);
    assert!(cases.len() > 90, "{} cases", cases.len());
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for case in &cases {
        let lists: Vec<Vec<u64>> = case.operands.iter().map(|(o, bits)| corners_of(o.ty.base, *bits)).collect();
        // All corners of the last operand, with some of the others.
        for i in 0..lists.last().map_or(0, |list| list.len() * if lists.len() == 1 { 1 } else { 4 }) {
            let pick = |random: &mut Random, list: &[u64]| list[random.next() as usize % list.len()];
            let mut values: Vec<u64> = lists.iter().map(|list| pick(&mut random, list)).collect();
            let last = values.len() - 1;
            values[last] = lists[last][i % lists[last].len()];
            case.check(&values);
        }
    }
}

#[test]
fn integers_compute_on_random_doubles() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in &cases(1) {
        for _ in 0..1000 {
            let values = case.operands.iter().map(|(o, bits)| random_value(&mut random, o.ty.base, *bits));
            case.check(&values.collect::<Vec<_>>());
        }
    }
}

#[test]
fn vectors_compute_in_halves_where_there_are_no_64_bit_integers() {
    let context = without(&[Feature::shaderFloat64, Feature::shaderInt64]);
    let mut random = Random(0x0123_4567_89ab_cdef);
    for case in &mut cases(2) {
        lower_int64::PASS.apply(&mut case.lowered, &context);
        let left = case.lowered.order.iter().map(|inst| case.lowered.insts[*inst]);
        let wide = left.filter(|data| data.bit_size == 64 && !matches!(data.kind, InstKind::Const(_))).count();
        assert_eq!(wide, 0, "{}", case.op.name());
        for _ in 0..10 {
            let values = case.operands.iter().map(|(o, bits)| random_value(&mut random, o.ty.base, *bits));
            case.check(&values.collect::<Vec<_>>());
        }
    }
}
