//! ALU instructions against their opcode's row.

use super::report::{plural, Report};
use crate::ir::{AluSrc, Inst, InstData};
use crate::op::{AluOp, AluType, Base, Operand};
use std::fmt::{self, Display, Formatter};

/// Reports sources and results that the row of `op` does not allow.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, data: &InstData, op: AluOp, srcs: &[AluSrc]) {
    let info = op.info();
    if srcs.len() != info.srcs.len() {
        let (has, wants) = (plural(srcs.len(), "source"), info.srcs.len());
        return report.at(inst, format_args!("has {has}, not {wants}"));
    }
    let components = data.num_components;
    if info.dest.size != 0 && components != info.dest.size {
        report.at(inst, format_args!("has {}, not {}", plural(components.into(), "component"), info.dest.size));
    }
    // The width that the free operands share.
    let mut free = None;
    for (i, (src, operand)) in srcs.iter().zip(info.srcs).enumerate() {
        let def = report.shader.def(src.def);
        if src.swizzle.reads_beyond(operand.components(components), def.num_components) {
            report_swizzle(report, inst, i, src, *operand);
        }
        check_width(report, inst, What::Source(i), def.bit_size, operand.ty, &mut free);
    }
    check_width(report, inst, What::Result, data.bit_size, info.dest.ty, &mut free);
}

#[cold]
fn report_swizzle(report: &mut Report<'_>, inst: Inst, i: usize, src: &AluSrc, operand: Operand) {
    let shader = report.shader;
    let read = operand.components(shader.insts[inst].num_components);
    let there = shader.num_components(src.def);
    if let Some(c) = src.swizzle.components(read.into()).find(|c| *c >= there) {
        let there = plural(there.into(), "component");
        report.at(inst, format_args!("source {i} reads component {c}, but has {there}"));
    }
}

#[inline(always)]
fn check_width(report: &mut Report<'_>, inst: Inst, what: What, bits: u8, ty: AluType, free: &mut Option<u8>) {
    let before = *free;
    let wanted = if ty.bits != 0 { ty.bits } else { *free.get_or_insert(bits) };
    if bits != wanted || ty.base == Base::Float && bits < 16 {
        report_width(report, inst, what, bits, wanted, before);
    }
}

#[cold]
fn report_width(report: &mut Report<'_>, inst: Inst, what: What, bits: u8, wanted: u8, free: Option<u8>) {
    if bits != wanted {
        report.at(inst, format_args!("{what} has {}, not {wanted}", plural(bits.into(), "bit")));
    } else if free.is_none() {
        report.at(inst, format_args!("{what} is a float of {}", plural(bits.into(), "bit")));
    }
}

/// An operand.
#[derive(Clone, Copy)]
enum What {
    Source(usize),
    Result,
}

impl Display for What {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            What::Source(i) => write!(f, "source {i}"),
            What::Result => f.write_str("the result"),
        }
    }
}
