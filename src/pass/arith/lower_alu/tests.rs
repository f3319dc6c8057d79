// SPDX-License-Identifier: MIT

//! Compares the rules with the folds: on corner values, the folded result of an operation is equal to the result of its lowered
//! form.

use super::*;

use crate::op::fold::{from_float, mask, to_float};
use crate::op::{Operand, Props};
use crate::pass::testing;

/// A shader of one operation on operands that are undefined until a test gives them values.
struct Case {
    op: AluOp,
    components: u8,
    bits: u8,
    operands: Vec<Inst>,
    shader: Shader,
    store: Inst,
}

impl Case {
    /// `op` with `components` components and `width` bits where the opcode does not fix them.
    fn new(op: AluOp, components: u8, width: u8) -> Case {
        let info = op.info();
        let size = |operand: &Operand| operand.components(components);
        let bits = |operand: &Operand| operand.bits(width);
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut builder = Builder::new(&mut shader);
        let operands: Vec<_> = info.srcs.iter().map(|o| builder.undef(size(o), bits(o))).collect();
        let srcs: Vec<_> = operands.iter().map(|def| AluSrc::from(*def)).collect();
        let (components, bits) = (size(&info.dest), bits(&info.dest));
        let value = builder.alu_with(op, AluFlags::EXACT, &srcs, Some((components, bits)));
        let store = testing::store(&mut builder, value);
        let operands = operands.into_iter().map(Def::inst).collect();
        Case { op, components, bits, operands, shader, store }
    }

    fn lowered(op: AluOp, components: u8, width: u8) -> Option<Case> {
        let mut case = Case::new(op, components, width);
        if !run(&mut case.shader, &Context::default()) {
            return None;
        }
        Some(case)
    }

    /// The value that is computed.
    fn result(&self) -> Def {
        self.shader.as_intrinsic(self.store).unwrap().1[0]
    }

    /// The result for these operands.
    fn evaluate(&self, values: &[Vec<u64>]) -> Vec<u64> {
        let inputs: Vec<_> = self.operands.iter().copied().zip(values.iter().cloned()).collect();
        testing::evaluate(&self.shader, &inputs).remove(0)
    }
}

/// Corner values of operations.
fn corners(op: AluOp, base: Base, bits: u8, operands: usize) -> Vec<u64> {
    let mut values: Vec<u64> = match base {
        Base::Bool => vec![0, mask(u64::MAX, bits)],
        Base::Int | Base::Uint => {
            let top = 1u64 << (bits - 1);
            let few = [0, 1, 2, 7, 31, top, top - 1, u64::MAX, 0x8000_8000_8000_8000];
            let more = [3, 8, 16, 33, 63, 0x55, 0x8000, 0xffff, 0x1234_5678, 0x7f80_ff01, 0xff00_0000, 1 << 40];
            few.iter().chain(if operands < 3 { &more[..] } else { &[] }).map(|value| mask(*value, bits)).collect()
        }
        Base::Float => {
            let few = [0.0, -0.0, 1.0, -1.5, 0.3, f64::INFINITY, f64::NAN, 70000.0];
            let more = [-0.2, 2.5, -3.5, f64::NEG_INFINITY, 1e-7, -6e-5, 2049.0, 1e30, 65519.9, -65520.0, 1e-40];
            let floats = few.iter().chain(if operands < 3 { &more[..] } else { &[] });
            floats.map(|value| from_float(*value, bits)).collect()
        }
    };
    // Results out of range, or beyond the precision of 32 bits, are not defined.
    let limit = match op {
        AluOp::f2i1 | AluOp::f2u1 => 1e9,
        AluOp::fsin | AluOp::fcos => 100.0,
        _ => f64::INFINITY,
    };
    values.retain(|value| {
        base != Base::Float || to_float(*value, bits).is_nan() || to_float(*value, bits).abs() <= limit
    });
    values.dedup();
    values
}

/// Calls `check` with all combinations of corner values. Components beyond the first have the values that follow.
fn for_corners(case: &Case, mut check: impl FnMut(&[Vec<u64>])) {
    let info = case.op.info();
    let corners: Vec<Vec<u64>> = info
        .srcs
        .iter()
        .zip(&case.operands)
        .map(|(o, inst)| corners(case.op, o.ty.base, case.shader.insts[*inst].bit_size, info.srcs.len()))
        .collect();
    let total: usize = corners.iter().map(Vec::len).product();
    // Vectors only test that components are independent, and all wide booleans have one rule, so a sample is enough.
    let step = if case.components == 1 && !ROWS[case.op as usize].is_wide_bool { 1 } else { 7 };
    for mut number in (0..total).step_by(step) {
        let mut values = Vec::new();
        for (list, inst) in corners.iter().zip(&case.operands) {
            let first = number % list.len();
            number /= list.len();
            let components = usize::from(case.shader.insts[*inst].num_components);
            values.push((0..components).map(|c| list[(first + c) % list.len()]).collect());
        }
        check(&values);
    }
}

fn same(op: AluOp, bits: u8, a: u64, b: u64) -> bool {
    if op.info().dest.ty.base != Base::Float || a == b {
        return a == b;
    }
    let (a, b) = (to_float(a, bits), to_float(b, bits));
    // The 64-bit forms of these are computed in 32 bits, as NIR does in some folds.
    let close = |a: f64, b: f64| {
        let overflow =
            a.abs().max(b.abs()) > f64::from(f32::MAX) || a.abs().min(b.abs()) < f64::from(f32::MIN_POSITIVE);
        overflow || (a - b).abs() <= 1e-5 * a.abs().max(1.0)
    };
    let inexact = matches!(op, AluOp::fexp2 | AluOp::flog2 | AluOp::fpow | AluOp::fsin | AluOp::fcos);
    a.is_nan() && b.is_nan() || inexact && (close(a, b) || a.is_nan() != b.is_nan())
}

fn widths(op: AluOp) -> &'static [u8] {
    let info = op.info();
    let free = info.srcs.iter().chain([&info.dest]).find(|operand| operand.ty.bits == 0);
    match free.map(|operand| operand.ty.base) {
        None => &[0],
        Some(Base::Bool) => &[1, 8, 16, 32],
        Some(Base::Float) => &[16, 32, 64],
        Some(_) => &[1, 8, 16, 32, 64],
    }
}

#[test]
fn lowered_forms_agree_with_the_fold_of_the_opcode() {
    let mut tested = 0;
    for op in AluOp::ALL {
        for (width, components) in widths(*op).iter().flat_map(|width| [(*width, 1), (*width, 2)]) {
            // At 1 bit, only operations that frontends make of booleans have a rule.
            let Some(lowered) = Case::lowered(*op, components, width) else { continue };
            let info = op.info();
            if width == 1 && info.form == Form::Lowered && !info.props.contains(Props::CONVERSION) {
                continue;
            }
            let original = Case::new(*op, components, width);
            for_corners(&original, |values| {
                let (want, got) = (original.evaluate(values), lowered.evaluate(values));
                let equal = want.iter().zip(&got).all(|(a, b)| same(*op, original.bits, *a, *b));
                assert!(equal, "{} at {width} bits of {values:x?}: {got:x?} instead of {want:x?}", op.name());
            });
            let (result, shader) = (lowered.result(), &lowered.shader);
            let shape = (shader.num_components(result), shader.bit_size(result));
            assert_eq!(shape, (original.components, original.bits), "{}", op.name());
            tested += 1;
        }
    }
    assert!(tested > 500, "{tested} forms tested");
}

fn is_lowered(shader: &Shader, inst: Inst) -> bool {
    matches!(shader.insts[inst].kind, InstKind::Alu { op, .. } if op.info().form == Form::Lowered)
}

#[test]
fn no_lowered_opcode_is_left() {
    for op in AluOp::ALL.iter().filter(|op| op.info().form == Form::Lowered) {
        for width in widths(*op).iter().filter(|width| **width != 1) {
            let case = Case::lowered(*op, 2, *width).unwrap_or_else(|| panic!("{} has no rule", op.name()));
            for inst in &case.shader.order {
                assert!(
                    !is_lowered(&case.shader, *inst),
                    "{} at {width} bits leaves {:?}",
                    op.name(),
                    case.shader.insts[*inst]
                );
            }
        }
    }
}

#[test]
fn exactness_is_kept() {
    let case = Case::lowered(AluOp::fsat, 1, 32).unwrap();
    let flags = case.shader.order.iter().filter_map(|inst| match case.shader.insts[*inst].kind {
        InstKind::Alu { flags, .. } => Some(flags),
        _ => None,
    });
    assert_eq!(flags.collect::<Vec<_>>(), [AluFlags::EXACT; 2]);
}

#[test]
fn swizzles_are_applied() {
    let mut shader = Shader::default();
    shader.append_new_block();
    let mut builder = Builder::new(&mut shader);
    let x = builder.constant(32, &[1, 2, 3, 4]);
    let undef = builder.undef(4, 32);
    let srcs = [AluSrc { def: undef, swizzle: crate::ir::Swizzle::splat(2) }, AluSrc::from(x)];
    builder.alu_with(AluOp::usub_sat, AluFlags::empty(), &srcs, Some((2, 32)));
    assert!(run(&mut shader, &Context::default()));
    let (op, srcs) = shader.as_alu(shader.order.iter().rev().nth(1).unwrap().def()).unwrap();
    assert_eq!(op, AluOp::isub);
    assert_eq!(shader.as_const(srcs[1].def), Some(&[1, 2][..]));
    let (op, srcs) = shader.as_alu(srcs[0].def).unwrap();
    assert_eq!((op, srcs[0].swizzle.get(0), srcs[0].swizzle.get(1)), (AluOp::mov, 2, 2));
}

#[test]
fn operations_that_can_be_emitted_stay() {
    for op in [AluOp::fadd, AluOp::bcsel, AluOp::ieq, AluOp::fsign, AluOp::u2u64, AluOp::pack_64_2x32] {
        assert!(Case::lowered(op, 2, 32).is_none(), "{}", op.name());
    }
}

#[test]
fn the_column_matches_the_rules() {
    for op in AluOp::ALL {
        for (bits, src_bits) in WIDTHS.iter().flat_map(|bits| WIDTHS.iter().map(move |src_bits| (*bits, *src_bits))) {
            for components in [1, 2] {
                let has_rule = super::find(&super::Shape { op: *op, components, bits, src_bits }).is_some();
                let lowered = op.info().lowered;
                assert_eq!(lowered.has(components, bits, src_bits), has_rule, "{op:?}, {bits} and {src_bits} bits");
                assert!(!has_rule || lowered.may_have(bits));
            }
        }
    }
}

const WIDTHS: [u8; 5] = [1, 8, 16, 32, 64];
