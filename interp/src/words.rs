// SPDX-License-Identifier: MIT

//! Conversion of components to words of 32 bits and back.

use crate::{alu, Bits};
use ntv::op::{AluOp, AluType, Base};

/// Two words as a 64-bit component.
pub(crate) fn joined(low: Bits, high: Bits) -> Bits {
    Bits { value: low.value | high.value << 32, undef: low.undef | high.undef << 32 }
}

/// A word as a component of `ty`.
pub(crate) fn narrowed(word: Bits, ty: AluType) -> Bits {
    match (ty.base, ty.bits) {
        (Base::Float, 16) => alu::scalar(AluOp::f2f16, [word; 2], 32),
        (_, 16) => alu::scalar(AluOp::u2u16, [word; 2], 32),
        (_, 8) => alu::scalar(AluOp::u2u8, [word; 2], 32),
        (_, 1) => alu::scalar(AluOp::ine, [word, Bits::new(0)], 32),
        _ => word,
    }
}

/// A component of `ty` as a word.
pub(crate) fn widened(component: Bits, ty: AluType) -> Bits {
    match (ty.base, ty.bits) {
        (_, 32) => component,
        (Base::Float, 16) => alu::scalar(AluOp::f2f32, [component; 2], 16),
        (Base::Int, bits) => alu::scalar(AluOp::i2i32, [component; 2], bits),
        (_, bits) => alu::scalar(AluOp::u2u32, [component; 2], bits),
    }
}
