// SPDX-License-Identifier: MIT

//! Results of float operations that Vulkan leaves to the driver, so that they may differ from NIR's.
//!
//! NaN, infinities, denormals and the sign of zero need not be preserved without execution modes that require it, and many
//! operations need not be correctly rounded (Vulkan, "Precision and Operation of SPIR-V Instructions"). Such results are
//! undefined in a run with [`Floats::Vulkan`]. All other results are the same on every driver.

use crate::Operand;
use ntv::op::fold::{is_normal, to_float};
use ntv::op::{AluOp, Base, Props};

/// The rules for floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Floats {
    /// NIR's: the result of each operation is that of its fold.
    #[default]
    Nir,
    /// Vulkan's, with every operation marked NoContraction.
    Vulkan,
}

fn has_floats(op: AluOp) -> bool {
    let info = op.info();
    info.srcs.iter().chain([&info.dest]).any(|operand| operand.ty.base == Base::Float)
}

/// Whether Vulkan leaves component `c` of `op` to the driver. In NIR it is `result`.
pub(crate) fn is_open(op: AluOp, operands: &[Operand<'_>], c: usize, (result, bits): (u64, u8)) -> bool {
    let info = op.info();
    if info.props.contains(Props::TYPELESS) || !has_floats(op) {
        return false;
    }
    let is_read_open = |i: usize| {
        let (components, swizzle, bits) = operands[i];
        let range = match info.srcs[i].size {
            0 => c..c + 1,
            size => 0..usize::from(size),
        };
        let mut read = range.filter_map(|c| components.get(usize::from(swizzle.get(c))));
        read.any(|component| !is_portable(component.value, bits))
    };
    let is_float = |i: &usize| info.srcs[*i].ty.base == Base::Float;
    info.props.contains(Props::IMPRECISE)
        || op == AluOp::ldexp && is_flushed(operands, c, (result, bits))
        || info.dest.ty.base == Base::Float && !is_portable(result, bits)
        || (0..operands.len().min(info.srcs.len())).filter(is_float).any(is_read_open)
}

/// Whether all drivers compute the same float: it is normal, or positive zero.
fn is_portable(value: u64, bits: u8) -> bool {
    value == 0 || is_normal(to_float(value, bits), bits)
}

/// Whether `ldexp` gave 0 for a number that is not 0. The exact result may be denormal, and a driver may keep that.
fn is_flushed(operands: &[Operand<'_>], c: usize, (result, bits): (u64, u8)) -> bool {
    let (components, swizzle, _) = operands[0];
    let is_zero = |value| to_float(value, bits) == 0.0;
    is_zero(result) && components.get(usize::from(swizzle.get(c))).is_some_and(|component| !is_zero(component.value))
}
