// SPDX-License-Identifier: MIT

//! Compares the pass with the folds: the folded result of an operation on 8 or 16 bits is equal to the result of its 32-bit
//! form.

use super::*;
use crate::ir::AluFlags;
use crate::op::fold::{from_float, to_float};
use crate::op::{Form, Operand};
use crate::pass::arith::lower_alu;
use crate::pass::testing::{evaluate, store};

/// A shader that stores the result of an operation on values that are undefined until a test sets them.
struct Case {
    op: AluOp,
    operands: Vec<(Operand, u8)>,
    /// Width of the result.
    bits: u8,
    inputs: Vec<Inst>,
    shader: Shader,
}

/// A value of `bits` bits, a narrow one taken from a word.
fn operand(b: &mut Builder<'_>, inputs: &mut Vec<Inst>, components: u8, bits: u8) -> Def {
    let parts: Vec<Def> = (0..components)
        .map(|_| {
            let word = b.undef(1, if bits < 32 && bits > 1 { 32 } else { bits });
            inputs.push(word.inst());
            let unpack = match bits {
                8 => unpack_32_4x8,
                16 => unpack_32_2x16,
                _ => return word,
            };
            let parts = b.alu(unpack, &[word]);
            b.channel(parts, 0)
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
        let (count, bits) = (size(&info.dest), bits(&info.dest));
        let mut value = b.alu_with(op, AluFlags::empty(), &srcs, Some((count, bits)));
        if matches!(bits, 8 | 16) {
            value = b.alu(u2u32, &[value]);
        }
        store(&mut b, value);
        lower_alu::PASS.apply(&mut shader, &Context::default());
        Case { op, operands, bits, inputs, shader }
    }

    fn lowered(&self, without: &[Feature]) -> Shader {
        let mut shader = self.shader.clone();
        let mut target = Target::default();
        without.iter().for_each(|feature| target.set(*feature, false));
        run(&mut shader, &Context { target, ..Context::default() });
        if without.len() == 3 {
            let narrow = |inst: &&Inst| {
                let data = shader.insts[**inst];
                matches!(data.bit_size, 8 | 16) && !matches!(data.kind, InstKind::Const(_))
            };
            let left = shader.order.iter().find(narrow).map(|inst| shader.insts[*inst]);
            assert!(left.is_none(), "{} leaves {left:?}", self.op.name());
        }
        shader
    }

    fn check(&self, lowered: &Shader, values: &[u64]) {
        let by_zero = matches!(self.op, udiv | umod | idiv | irem | imod) && values[1] == 0;
        if by_zero || self.is_out_of_range(values) {
            return;
        }
        let mut inputs = self.inputs.iter();
        let mut given = Vec::new();
        for (i, value) in values.iter().enumerate() {
            let size = self.operands[i].0.size.max(1);
            // The bits above a narrow number in its word are ignored.
            let above = if matches!(self.operands[i].1, 8 | 16) { 0xa5a5_0000 } else { 0 };
            for _ in 0..size {
                given.push((*inputs.next().expect("an input"), vec![value | above]));
            }
        }
        let (want, got) = (evaluate(&self.shader, &given), evaluate(lowered, &given));
        let equal = want[0].iter().zip(&got[0]).all(|(want, got)| self.same(*want, *got));
        assert!(equal, "{} at {} bits of {values:x?}: {got:x?}, not {want:x?}", self.op.name(), self.bits);
    }

    /// Conversions of numbers that their result cannot hold are undefined.
    fn is_out_of_range(&self, values: &[u64]) -> bool {
        let (operand, bits) = self.operands[0];
        if operand.ty.base != Base::Float || self.op.info().dest.ty.base == Base::Float {
            return false;
        }
        let value = to_float(values[0], bits);
        let top = f64::from(1u32 << (self.bits.min(17) - 1));
        match self.op.info().dest.ty.base {
            Base::Int => self.bits > 1 && !(-top <= value && value < top),
            Base::Uint => !(0.0..2.0 * top).contains(&value),
            _ => false,
        }
    }

    /// Whether two results are the same; those of functions that are not computed exactly may differ in the last bit.
    fn same(&self, want: u64, got: u64) -> bool {
        if want == got || self.op.info().dest.ty.base != Base::Float {
            return want == got;
        }
        let (a, b) = (to_float(want, self.bits), to_float(got, self.bits));
        let inexact = matches!(self.op, ffma | fpow | fexp2 | flog2 | fsin | fcos | frsq | ffract);
        a.is_nan() && b.is_nan() || inexact && (want as i64 - got as i64).abs() <= 2
    }
}

fn corners(base: Base, bits: u8) -> Vec<u64> {
    match base {
        Base::Bool => vec![0, 1],
        Base::Float => {
            let mut values =
                vec![0.0, -0.0, 1.0, -1.5, 0.3, 2.5, -3.0, 100.0, 255.0, -7.7, 65504.0, 6e-6, f64::INFINITY, f64::NAN];
            // Near the middle of two floats of 16 bits, and out of range.
            let step = 2f64.powi(-11);
            let middles = [1.0 + step, -1.0 - 3.0 * step, 65520.0, 2f64.powi(-25)];
            values.extend(middles.iter().flat_map(|middle| [middle * (1.0 + 1e-14), *middle, middle * (1.0 - 1e-14)]));
            values.extend([1e300, -1e39]);
            values.iter().map(|value| from_float(*value, bits)).collect()
        }
        Base::Int | Base::Uint => {
            let top = 1u64 << (bits - 1);
            vec![0, 1, 2, 3, 7, 8, 15, 16, 100, top - 1, top, top + 1, 2 * (top - 1) + 1, 2 * (top - 1)]
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for op in AluOp::ALL {
        let info = op.info();
        let operands = || info.srcs.iter().chain([&info.dest]);
        // The folds of these round intermediate results, which differs in 32 bits.
        if matches!(op, fmod | frem | flrp | fdot2 | fdot3 | fdot4) {
            continue;
        }
        if info.form == Form::Lowered || info.srcs.len() > 4 || operands().any(|o| o.ty.bits == 64 || o.ty.bits == 1) {
            // Selections and comparisons have 1-bit booleans; these are included.
            let boolean = info.srcs.iter().skip(1).chain([&info.dest]).all(|o| o.ty.bits != 64);
            if info.form == Form::Lowered || info.srcs.len() > 4 || !boolean {
                continue;
            }
        }
        let is_narrow = operands().any(|o| matches!(o.ty.bits, 8 | 16));
        let free = operands().find(|o| o.ty.bits == 0).map(|o| o.ty.base);
        let widths: &[u8] = match free {
            None if is_narrow => &[0],
            None => &[],
            Some(Base::Float) => &[16],
            Some(_) if matches!(op, bit_count | find_lsb | ufind_msb) => &[],
            Some(_) => &[8, 16],
        };
        widths.iter().for_each(|width| cases.push(Case::new(*op, 1, *width)));
        if is_narrow && free.is_some() {
            cases.push(Case::new(*op, 1, 32));
        }
        if matches!(op, f2f16 | f2f16_rtne) {
            cases.push(Case::new(*op, 1, 64));
        }
    }
    cases
}

#[test]
fn narrow_numbers_agree_with_the_fold_of_the_opcode() {
    use Feature::{shaderFloat16, shaderInt16, shaderInt8};
    let cases = cases();
    assert!(cases.len() > 120, "{} cases", cases.len());
    for case in &cases {
        for without in [&[shaderInt8, shaderInt16, shaderFloat16][..], &[shaderInt16], &[shaderFloat16], &[shaderInt8]]
        {
            let lowered = case.lowered(without);
            let lists: Vec<Vec<u64>> = case.operands.iter().map(|(o, bits)| corners(o.ty.base, *bits)).collect();
            let mut ends = lists.iter().rev();
            let (last, other) = (ends.next().map_or(1, Vec::len), ends.next().map_or(1, Vec::len));
            for number in 0..last * other {
                let at = |i: usize| if i + 1 == lists.len() { number / other } else { number };
                let values: Vec<u64> = lists.iter().enumerate().map(|(i, list)| list[at(i) % list.len()]).collect();
                case.check(&lowered, &values);
            }
        }
    }
}

#[test]
fn supported_widths_stay() {
    let case = Case::new(iadd, 1, 16);
    let lowered = case.lowered(&[Feature::shaderInt8]);
    assert_eq!(lowered.order, case.shader.order);
}
