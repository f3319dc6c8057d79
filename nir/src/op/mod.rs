// SPDX-License-Identifier: MIT

//! The opcode tables: one row has everything about an opcode.
//!
//! Parser, printer, checker, folder, interpreter and emitter all read the same row, so adding an opcode is adding a row. A
//! `match` over all opcodes anywhere else is a missing column here.
//!
//! | table | rows | source of truth |
//! |-|-|-|
//! | [`alu`] | arithmetic: operand types, properties, SPIR-V form, fold | NIR's `nir_opcodes.py` |
//! | [`intrinsic`] | loads, stores, system values, ...: operands, printed indices, effects, meaning | NIR's `nir_intrinsics.py` |
//! | [`tex`] | texture operations and their sources | NIR's `nir.h`, `nir_texop` |
//! | [`names`] | the printed names of enumerated index values and of I/O slots | NIR's `nir_print.c`, `shader_enums.h` |
//! | [`old`] | opcodes of older releases, and their replacements | NIR's history |
//! | [`open`] | operands for which NIR and SPIR-V leave a result undefined | SPIR-V 3.42, "Instructions" |
//! | [`slots`] | the I/O slots that are built-ins | Vulkan, "Built-In Variables" |
//! | [`builtins`] | the stages and the features of built-ins | Vulkan, "Built-In Variables" |
//!
//! A list of opcodes that is used for membership only is a [`set`]. The columns of [`facts`] and [`lowered`] have the operations
//! that passes lower. [`meaning`] has the other columns of intrinsics, and `rows` packs the other facts that a translation needs
//! of each ALU opcode.

pub mod alu;
#[doc(hidden)]
pub mod builtins;
mod by_name;
#[doc(hidden)]
pub mod facts;
#[doc(hidden)]
pub mod fold;
pub mod intrinsic;
#[doc(hidden)]
pub mod lowered;
pub mod meaning;
pub mod names;
#[doc(hidden)]
pub mod old;
pub mod open;
mod rows;
#[doc(hidden)]
pub mod set;
#[doc(hidden)]
pub mod slots;
pub mod tex;
pub mod zink;

pub use alu::{AluInfo, AluOp, Form, Operand, Props, TABLE as ALU_OPS};
pub use facts::Facts;
pub use intrinsic::{Effects, Index, IndexKind, Intrinsic, IntrinsicInfo, MEANINGS, TABLE as INTRINSICS};
pub use lowered::Lowered;
pub use meaning::Meaning;
pub use names::{Access, AtomicOp, Modes};
pub use rows::{can_contract, operand_want, AluRow, Choice, Emission, Want};
pub use set::{intrinsics_where, AluSet, IntrinsicSet};
pub use tex::{TexOp, TexSrcKind};

/// The interpretation of the bits of a value: NIR's `nir_alu_type` without the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// 1 bit of SPIR-V's OpTypeBool, or a wider 0 / all-ones boolean.
    Bool,
    /// Signed integer.
    Int,
    /// Unsigned integer.
    Uint,
    /// IEEE 754 binary16, binary32 or binary64.
    Float,
}

/// NIR's `nir_alu_type`: a base and a width in bits, 0 for "the width of the instruction".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AluType {
    /// The interpretation of the bits.
    pub base: Base,
    /// 0, 1, 8, 16, 32 or 64.
    pub bits: u8,
}

impl AluType {
    /// A type of `base` with `bits` bits.
    pub const fn new(base: Base, bits: u8) -> AluType {
        AluType { base, bits }
    }
}
