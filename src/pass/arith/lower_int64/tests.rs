// SPDX-License-Identifier: MIT

//! Compares the pass with the folds: the folded result of an operation on 64 bits is equal to the result of its pairs.

use super::*;
use crate::ir::AluFlags;
use crate::op::fold::{from_float, mask, to_float};
use crate::op::Operand;
use crate::pass::testing::{evaluate, store, Random};
use crate::target::Target;

/// A shader that stores the halves of the result of an operation on values that are undefined until a test sets them.
struct Case {
    op: AluOp,
    operands: Vec<(Operand, u8)>,
    inputs: Vec<Inst>,
    shader: Shader,
}

/// Values of `bits` bits; those of 64 are made of halves, so that no value of 64 bits is undefined.
fn operand(b: &mut Builder<'_>, inputs: &mut Vec<Inst>, components: u8, bits: u8) -> Def {
    if bits != 64 {
        let value = b.undef(components, bits);
        inputs.push(value.inst());
        return value;
    }
    let parts: Vec<Def> = (0..components)
        .map(|_| {
            let halves = b.undef(2, 32);
            inputs.push(halves.inst());
            b.alu(pack_64_2x32, &[halves])
        })
        .collect();
    b.vec(&parts)
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
        let operands: Vec<_> = info.srcs.iter().map(|operand| (*operand, bits(operand))).collect();
        let srcs: Vec<AluSrc> =
            info.srcs.iter().map(|o| operand(&mut b, &mut inputs, size(o), bits(o)).into()).collect();
        let shape = (size(&info.dest), bits(&info.dest));
        let value = b.alu_with(op, AluFlags::empty(), &srcs, Some(shape));
        match shape.1 {
            64 => {
                for c in 0..shape.0 {
                    let scalar = b.channel(value, c);
                    let halves = b.alu(unpack_64_2x32, &[scalar]);
                    store(&mut b, halves);
                }
            }
            _ => drop(store(&mut b, value)),
        }
        Case { op, operands, inputs, shader }
    }

    fn lowered(&self) -> Shader {
        let mut shader = self.shader.clone();
        let mut target = Target::default();
        target.set(Feature::shaderInt64, false);
        run(&mut shader, &Context { target, ..Context::default() });
        for inst in &shader.order {
            let data = shader.insts[*inst];
            let double = matches!(data.kind, InstKind::Alu { op, .. } if op.info().dest.ty.base == Base::Float
                || op.info().moves_bits());
            assert!(data.bit_size != 64 || double || self.has_doubles(), "{} leaves {data:?}", self.op.name());
        }
        shader
    }

    fn has_doubles(&self) -> bool {
        self.operands.iter().any(|(operand, bits)| operand.ty.base == Base::Float && *bits == 64)
    }

    /// Operands of these values for each component in turn.
    fn values(&self, values: &[u64]) -> Vec<(Inst, Vec<u64>)> {
        let mut inputs = self.inputs.iter();
        let mut given = Vec::new();
        for (i, (_, bits)) in self.operands.iter().enumerate() {
            let value = values[i];
            let count = self.shader_components(i);
            let mut next = || *inputs.next().expect("an input for each operand");
            if *bits == 64 {
                for c in 0..count {
                    let value = value.wrapping_add(u64::from(c) << 31);
                    given.push((next(), vec![value & 0xffff_ffff, value >> 32]));
                }
            } else {
                given.push((next(), vec![mask(value, *bits); usize::from(count)]));
            }
        }
        given
    }

    fn shader_components(&self, i: usize) -> u8 {
        let dest = self.shader.order.iter().find_map(|inst| match self.shader.insts[*inst].kind {
            InstKind::Alu { op, .. } if op == self.op => Some(self.shader.insts[*inst].num_components),
            _ => None,
        });
        self.op.info().srcs[i].components(dest.unwrap_or(1))
    }
}

fn corners(base: Base, bits: u8) -> Vec<u64> {
    match base {
        Base::Bool => vec![0, 1],
        Base::Float => [0.0, -0.0, 1.0, -1.0, 0.7, -1.5, 4e9, -4e9, 4_294_967_296.0, 1e15, -1e15, 9e18, -9e18, 65504.0]
            .map(|value| from_float(value, bits))
            .into_iter()
            .filter(|value| to_float(*value, bits).is_finite())
            .collect(),
        Base::Int | Base::Uint => [
            0,
            1,
            2,
            3,
            31,
            32,
            33,
            63,
            0xffff,
            0x1_0000,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            1 << 32,
            (1 << 32) + 1,
            0x0000_ffff_ffff_0000,
            0x0080_0000_4000_0001,
            0x0100_0000_8000_0000,
            i64::MAX as u64,
            1 << 63,
            u64::MAX,
            u64::MAX - 1,
            0xffff_ffff_0000_0000,
        ]
        .map(|value| mask(value, bits))
        .to_vec(),
    }
}

/// Whether the result of the operation on these values is undefined.
fn is_open(op: AluOp, case: &Case, values: &[u64]) -> bool {
    let (_, bits) = case.operands[0];
    match op {
        udiv | umod | idiv | irem | imod => values[1] == 0,
        f2u64 => !(0.0..18e18).contains(&to_float(values[0], bits)),
        _ => false,
    }
}

fn check(case: &Case, lowered: &Shader, values: &[u64]) {
    if is_open(case.op, case, values) {
        return;
    }
    let inputs = case.values(values);
    let zero = |(_, values): &(Inst, Vec<u64>)| values.iter().all(|value| *value == 0);
    if matches!(case.op, udiv | umod | idiv | irem | imod) && inputs.iter().any(zero) && case.shader_components(0) > 1 {
        return;
    }
    let (want, got) = (evaluate(&case.shader, &inputs), evaluate(lowered, &inputs));
    assert_eq!(got, want, "{} of {values:x?}", case.op.name());
}

/// Operations on 64-bit integers that are not a lowered form.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for op in AluOp::ALL {
        let info = op.info();
        let has_integers = info
            .srcs
            .iter()
            .chain([&info.dest])
            .any(|operand| matches!(operand.ty.base, Base::Int | Base::Uint) && matches!(operand.ty.bits, 0 | 64));
        if matches!(info.form, Form::Lowered) || !has_integers {
            continue;
        }
        let widths: &[u8] = match (info.dest.ty.bits, info.srcs[0].ty.bits) {
            _ if matches!(op, bit_count | find_lsb | ufind_msb) => &[],
            (64, 0) if info.srcs[0].ty.base == Base::Float => &[16, 32, 64],
            (64, 0) => &[8, 16, 32],
            (0, 0) | (_, 0) => &[64],
            _ => &[0],
        };
        for width in widths {
            cases.extend([1, 2].map(|components| Case::new(*op, components, *width)));
        }
    }
    cases
}

#[test]
fn pairs_agree_with_the_fold_of_the_opcode() {
    let cases = cases();
    assert!(cases.len() > 80, "{} cases", cases.len());
    for case in &cases {
        let lowered = case.lowered();
        let lists: Vec<Vec<u64>> = case.operands.iter().map(|(o, bits)| corners(o.ty.base, *bits)).collect();
        // All pairs of corners for the last two operands; those before, which select or start a vector, follow along.
        let mut ends = lists.iter().rev();
        let (last, other) = (ends.next().map_or(1, Vec::len), ends.next().map_or(1, Vec::len));
        for number in 0..last * other {
            let at = |i: usize| if i + 1 == lists.len() { number / other } else { number };
            let values: Vec<u64> = lists.iter().enumerate().map(|(i, list)| list[at(i) % list.len()]).collect();
            check(case, &lowered, &values);
        }
    }
}

#[test]
fn pairs_compute_on_random_values() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in &cases() {
        let lowered = case.lowered();
        for _ in 0..60 {
            let integers = case.operands.iter().all(|(operand, _)| operand.ty.base != Base::Float);
            let values: Vec<u64> = case.operands.iter().map(|_| random.next() >> (random.next() % 64)).collect();
            if integers {
                check(case, &lowered, &values);
            }
        }
    }
}

#[test]
fn floats_of_integers_are_rounded_once() {
    for op in [i2f32, u2f32, i2f16, u2f16] {
        let case = Case::new(op, 1, 64);
        let lowered = case.lowered();
        for shift in 0..40 {
            // A tie between two floats, and its neighbours.
            let tie = 0x0100_0001u64 << shift;
            for value in [tie - 1, tie, tie + 1, tie.wrapping_neg(), (tie + 1).wrapping_neg()] {
                check(&case, &lowered, &[value]);
            }
        }
    }
}

#[test]
fn pairs_are_carried_through_loops() {
    let mut shader = Shader::default();
    shader.append_new_block();
    let mut b = Builder::new(&mut shader);
    let halves = b.undef(2, 32);
    let start = b.alu(pack_64_2x32, &[halves]);
    let step = b.imm(64, 1 << 40);
    let before = b.current_block();
    b.begin_loop();
    let first = PhiSrc { pred: before, def: start };
    let sum = b.phi(1, 64, &[first, first]);
    let next = b.iadd(sum, step);
    let done = b.alu(ult, &[next, sum]);
    b.break_if(done);
    b.set_phi_src(sum, 1, PhiSrc { pred: b.current_block(), def: next });
    b.end_loop();
    let halves = b.alu(unpack_64_2x32, &[next]);
    store(&mut b, halves);
    let mut target = Target::default();
    target.set(Feature::shaderInt64, false);
    assert!(run(&mut shader, &Context { target, ..Context::default() }));
    let left = shader.order.iter().filter(|inst| shader.insts[**inst].bit_size == 64).count();
    // The constant, which has no uses any more.
    assert_eq!(left, 1);
    let phis: Vec<_> = shader.order.iter().filter_map(|inst| shader.phi(*inst)).collect();
    assert_eq!(phis.len(), 2);
    assert!(phis.iter().all(|srcs| srcs[0].def != srcs[1].def && shader.bit_size(srcs[0].def) == 32));
}
