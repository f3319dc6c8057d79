// SPDX-License-Identifier: MIT

//! Results of ALU operations that NIR and SPIR-V leave undefined. Only the result is undefined, not the behaviour: it is some
//! number of its width, and the shader continues with it.

use super::fold::{sign_extend, to_float};
use super::{AluOp, Base, Props};

/// Whether the result of `op` is undefined for operands with these bits and widths.
///
/// | opcodes | operands |
/// |-|-|
/// | udiv, umod, idiv, irem, imod | the divisor is 0 (OpUDiv, OpUMod, OpSDiv, OpSRem, OpSMod) |
/// | idiv, irem, imod | the least number by -1 (OpSDiv, OpSRem, OpSMod) |
/// | bitfield_insert, ubitfield_extract, ibitfield_extract | the field is not within 32 bits (OpBitFieldInsert, ...) |
/// | floats to integers | the number does not fit (OpConvertFToU, OpConvertFToS) |
///
/// NIR defines shifts by the width or more, and emission masks their counts.
pub fn is_open(op: AluOp, operand: &dyn Fn(usize) -> (u64, u8)) -> bool {
    use AluOp::*;
    let info = op.info();
    match op {
        udiv | umod => operand(1).0 == 0,
        idiv | irem | imod => {
            let ((a, bits), (b, _)) = (operand(0), operand(1));
            b == 0 || sign_extend(b, bits) == -1 && a == 1 << (bits - 1)
        }
        bitfield_insert | ubitfield_extract | ibitfield_extract => {
            let first = info.srcs.len() - 2;
            operand(first).0.saturating_add(operand(first + 1).0) > 32
        }
        _ if may_be_open(op) => {
            let (value, bits) = operand(0);
            !fits(to_float(value, bits), info.dest.ty.base, info.dest.ty.bits)
        }
        _ => false,
    }
}

/// Whether the result of `op` is undefined for some operands.
pub fn may_be_open(op: AluOp) -> bool {
    use AluOp::*;
    let info = op.info();
    match op {
        udiv | umod | idiv | irem | imod | bitfield_insert | ubitfield_extract | ibitfield_extract => true,
        _ => {
            let is_integer = matches!(info.dest.ty.base, Base::Int | Base::Uint);
            info.props.contains(Props::CONVERSION) && info.srcs[0].ty.base == Base::Float && is_integer
        }
    }
}

/// Whether the integer part of `value` fits into `bits` bits.
fn fits(value: f64, base: Base, bits: u8) -> bool {
    let value = value.trunc();
    match base {
        Base::Int => value >= -(2f64.powi(i32::from(bits) - 1)) && value < 2f64.powi(i32::from(bits) - 1),
        Base::Uint => value >= 0.0 && value < 2f64.powi(i32::from(bits)),
        Base::Float | Base::Bool => true,
    }
}
