// SPDX-License-Identifier: MIT

//! ALU instructions against their opcode's row.

use crate::ir::{AluSrc, Inst, InstData};
use crate::op::{AluOp, AluType, Base};
use crate::report::{plural, Report};
use std::fmt::{self, Display, Formatter};

/// Reports sources and results that the row of `op` does not allow.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, data: &InstData, op: AluOp, srcs: &[AluSrc]) {
    let info = op.info();
    if srcs.len() != info.srcs.len() {
        return report.at(inst, Problem::Sources(srcs.len(), info.srcs.len()));
    }
    let components = data.num_components;
    if info.dest.size != 0 && components != info.dest.size {
        report.at(inst, Problem::Components(components, info.dest.size));
    }
    // The width that the free operands share.
    let mut free = None;
    for (i, (src, operand)) in srcs.iter().zip(info.srcs).enumerate() {
        let (def, read) = (report.shader.def(src.def), operand.components(components));
        if src.swizzle.reads_beyond(read, def.num_components) {
            let component = src.swizzle.components(read.into()).find(|c| *c >= def.num_components);
            component.into_iter().for_each(|c| report.at(inst, Problem::Swizzle(i, c, def.num_components)));
        }
        check_width(report, inst, Operand::Source(i), def.bit_size, operand.ty, &mut free);
    }
    check_width(report, inst, Operand::Result, data.bit_size, info.dest.ty, &mut free);
}

/// Reports an operand of the type `ty` that cannot have `bits` bits. `free` is the width that the free operands share, `None`
/// before the first.
fn check_width(report: &mut Report<'_>, inst: Inst, operand: Operand, bits: u8, ty: AluType, free: &mut Option<u8>) {
    let wanted = if ty.bits == 0 { *free } else { Some(ty.bits) };
    match wanted {
        Some(wanted) if bits != wanted => report.at(inst, Problem::Width(operand, bits, wanted)),
        Some(_) => {}
        None => {
            *free = Some(bits);
            if ty.base == Base::Float && bits < 16 {
                report.at(inst, Problem::NarrowFloat(operand, bits));
            }
        }
    }
}

/// A problem of an ALU instruction.
enum Problem {
    /// The number of sources, and the number that the row requires.
    Sources(usize, usize),
    /// The components of the result, and the number that the row requires.
    Components(u8, u8),
    /// A source by number, the component that is read, and the number of components that it has.
    Swizzle(usize, u8, u8),
    /// An operand, its bits, and the number that the row requires.
    Width(Operand, u8, u8),
    /// An operand that is a float, and its bits.
    NarrowFloat(Operand, u8),
}

/// A source by number, or the result.
#[derive(Clone, Copy)]
enum Operand {
    Source(usize),
    Result,
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
