//! ALU instructions against their opcode's row.

use super::report::{plural, Report};
use crate::ir::{AluSrc, Inst, InstData, Shader};
use crate::op::{AluOp, AluType, Base};
use std::fmt::{self, Display, Formatter};

/// Reports sources and results that the row of `op` does not allow.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, data: &InstData, op: AluOp, srcs: &[AluSrc]) {
    let mut is_sound = true;
    for_each_problem(report.shader, data, op, srcs, |_| is_sound = false);
    if !is_sound {
        report_problems(report, inst, op, srcs);
    }
}

#[cold]
#[inline(never)]
fn report_problems(report: &mut Report<'_>, inst: Inst, op: AluOp, srcs: &[AluSrc]) {
    let shader = report.shader;
    for_each_problem(shader, &shader.insts[inst], op, srcs, |problem| report.at(inst, problem));
}

/// What may be wrong.
enum Problem {
    /// So many sources, not so many.
    Sources(usize, usize),
    /// A result of so many components, not so many.
    Components(u8, u8),
    /// A source reads this component, but has so many.
    Swizzle(usize, u8, u8),
    /// An operand has so many bits, not so many.
    Width(Operand, u8, u8),
    /// An operand is a float of so many bits.
    NarrowFloat(Operand, u8),
}

/// A source by its number, or the result.
#[derive(Clone, Copy)]
enum Operand {
    Source(usize),
    Result,
}

/// The rules. Whether there is a problem at all is asked of every instruction, what it is of next to none: that is why this
/// is inlined for each question.
#[inline(always)]
fn for_each_problem(shader: &Shader, data: &InstData, op: AluOp, srcs: &[AluSrc], mut visit: impl FnMut(Problem)) {
    let info = op.info();
    if srcs.len() != info.srcs.len() {
        return visit(Problem::Sources(srcs.len(), info.srcs.len()));
    }
    let components = data.num_components;
    if info.dest.size != 0 && components != info.dest.size {
        visit(Problem::Components(components, info.dest.size));
    }
    // The width that the free operands share.
    let mut free = None;
    for (i, (src, operand)) in srcs.iter().zip(info.srcs).enumerate() {
        let (def, read) = (shader.def(src.def), operand.components(components));
        if src.swizzle.reads_beyond(read, def.num_components) {
            let component = src.swizzle.components(read.into()).find(|c| *c >= def.num_components);
            component.into_iter().for_each(|c| visit(Problem::Swizzle(i, c, def.num_components)));
        }
        width_problem(Operand::Source(i), def.bit_size, operand.ty, &mut free).into_iter().for_each(&mut visit);
    }
    width_problem(Operand::Result, data.bit_size, info.dest.ty, &mut free).into_iter().for_each(visit);
}

/// Whether an operand of the type `ty` may have so many bits; `free` is the width that the free operands share, `None` before
/// the first.
#[inline(always)]
fn fits_width(bits: u8, ty: AluType, free: &mut Option<u8>) -> bool {
    match (ty.bits, *free) {
        (0, None) => {
            *free = Some(bits);
            ty.base != Base::Float || bits >= 16
        }
        (0, Some(wanted)) | (wanted, _) => bits == wanted,
    }
}

#[inline(always)]
fn width_problem(operand: Operand, bits: u8, ty: AluType, free: &mut Option<u8>) -> Option<Problem> {
    let shared = *free;
    if fits_width(bits, ty, free) {
        return None;
    }
    Some(match (ty.bits, shared) {
        (0, None) => Problem::NarrowFloat(operand, bits),
        (0, Some(wanted)) | (wanted, _) => Problem::Width(operand, bits, wanted),
    })
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::Sources(has, wanted) => write!(f, "has {}, not {wanted}", plural(has, "source")),
            Problem::Components(has, wanted) => write!(f, "has {}, not {wanted}", plural(has.into(), "component")),
            Problem::Swizzle(i, component, has) => {
                write!(f, "source {i} reads component {component}, but has {}", plural(has.into(), "component"))
            }
            Problem::Width(operand, bits, wanted) => {
                write!(f, "{operand} has {}, not {wanted}", plural(bits.into(), "bit"))
            }
            Problem::NarrowFloat(operand, bits) => write!(f, "{operand} is a float of {}", plural(bits.into(), "bit")),
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Source(i) => write!(f, "source {i}"),
            Operand::Result => f.write_str("the result"),
        }
    }
}
