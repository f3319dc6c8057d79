//! The ALU opcodes: one row each, in the order of NIR's families.
//!
//! A row reads: name, operand types `->` result type, properties, SPIR-V form, fold. For example
//!
//! ```text
//! fadd  [F, F] -> F,  COMMUTATIVE|ASSOCIATIVE,  Op(FAdd),  |x| x.round(x.f(0) + x.f(1));
//! ```
//!
//! Operands are written `F`, `I`, `U`, `B` (base, width of the instruction), with a width (`F32`, `B1`), or with a fixed
//! number of components (`F.of(3)`). The fold computes one component of the result; see [`Fold`].

use super::fold::{self, Fold};
use super::{AluType, Base};
use bitflags::bitflags;
use spirv::{GlslStd450Op as GLOp, Op};

/// One source or the result of an ALU opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// How its bits are read; bits 0 means the width is free, and equal among all free operands of the opcode.
    pub ty: AluType,
    /// Fixed number of components, or 0 for "as many as the result" (for the result: as many as the instruction).
    pub size: u8,
}

impl Operand {
    const fn new(base: Base, bits: u8) -> Operand {
        Operand { ty: AluType::new(base, bits), size: 0 }
    }

    /// The same operand with exactly `size` components.
    const fn of(self, size: u8) -> Operand {
        Operand { size, ..self }
    }
}

/// What an ALU opcode is in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One instruction on the operands as they are.
    Op(Op),
    /// The first on numbers, the second on 1-bit booleans.
    OpOrLogical(Op, Op),
    /// One instruction of GLSL.std.450.
    Ext(GLOp),
    /// A shift: NIR takes the count modulo the width, SPIR-V leaves larger counts undefined.
    Shift(Op),
    /// OpBitcast of the operand to the result type (pack and unpack between vectors and scalars).
    Bitcast,
    /// OpCompositeConstruct of the operands.
    Construct,
    /// No instruction: the result is the (swizzled) operand.
    Move,
    /// A conversion from boolean: OpSelect of one and zero.
    SelectOne,
    /// Needs more than one instruction; the emitter has a function of this opcode's name.
    Special,
    /// SPIR-V has nothing like it: `pass::lower_alu` rewrites it before emission.
    Lowered,
}

bitflags! {
    /// Algebraic and structural properties of an ALU opcode.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Props: u16 {
        /// The first two operands can be exchanged.
        const COMMUTATIVE = 1 << 0;
        /// Can be regrouped (floats: unless `exact`).
        const ASSOCIATIVE = 1 << 1;
        /// Moves bits without reading them (mov, vec, bcsel's last two): operands have whatever type their user wants.
        const TYPELESS = 1 << 2;
        /// Changes the width or the base of a number.
        const CONVERSION = 1 << 3;
        /// Integer operands may be signed or unsigned alike (iadd, iand, ...), so no bitcast is due to signedness.
        const SIGN_AGNOSTIC = 1 << 4;
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct AluInfo {
    /// NIR's name.
    pub name: &'static str,
    /// The result.
    pub dest: Operand,
    /// The sources.
    pub srcs: &'static [Operand],
    /// Algebraic and structural properties.
    pub props: Props,
    /// What it is in SPIR-V.
    pub form: Form,
    /// One component of the result from constant operands.
    pub fold: fn(&Fold<'_>) -> u64,
}

impl AluOp {
    /// The row of this opcode.
    pub fn info(self) -> &'static AluInfo {
        &TABLE[self as usize]
    }

    /// NIR's name of this opcode.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The opcode that NIR calls `name`.
    pub fn from_name(name: &str) -> Option<AluOp> {
        use std::sync::OnceLock;
        static BY_NAME: OnceLock<rustc_hash::FxHashMap<&'static str, AluOp>> = OnceLock::new();
        BY_NAME.get_or_init(|| AluOp::ALL.iter().map(|op| (op.name(), *op)).collect()).get(name).copied()
    }
}

macro_rules! alu_ops {
    ($($(#[$doc:meta])* $name:ident [$($src:expr),*] -> $dest:expr, $($prop:ident)|*, $form:expr, $fold:expr;)*) => {
        /// An ALU opcode, by NIR's name.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum AluOp { $($(#[$doc])* $name,)* }

        impl AluOp {
            /// All opcodes, in table order.
            pub const ALL: &'static [AluOp] = &[$(AluOp::$name),*];
        }

        static TABLE: &[AluInfo] = &[$(AluInfo {
            name: stringify!($name),
            dest: $dest,
            srcs: &[$($src),*],
            props: Props::empty()$(.union(Props::$prop))*,
            form: $form,
            fold: $fold,
        }),*];
    };
}

const F: Operand = Operand::new(Base::Float, 0);
const I: Operand = Operand::new(Base::Int, 0);
const U: Operand = Operand::new(Base::Uint, 0);
const B: Operand = Operand::new(Base::Bool, 0);
const B1: Operand = Operand::new(Base::Bool, 1);
const F16: Operand = Operand::new(Base::Float, 16);
const F32: Operand = Operand::new(Base::Float, 32);
const F64: Operand = Operand::new(Base::Float, 64);
const I8: Operand = Operand::new(Base::Int, 8);
const I16: Operand = Operand::new(Base::Int, 16);
const I32: Operand = Operand::new(Base::Int, 32);
const I64: Operand = Operand::new(Base::Int, 64);
const U8: Operand = Operand::new(Base::Uint, 8);
const U16: Operand = Operand::new(Base::Uint, 16);
const U32: Operand = Operand::new(Base::Uint, 32);
const U64: Operand = Operand::new(Base::Uint, 64);

use Form::{Bitcast, Construct, Ext, Lowered, Move, OpOrLogical, SelectOne, Shift, Special};
const fn op(op: Op) -> Form {
    Form::Op(op)
}

alu_ops! {
    // Moves.
    mov   [U] -> U,            TYPELESS, Move,      |x| x.u(0);
    vec2  [U.of(1), U.of(1)] -> U.of(2), TYPELESS, Construct, fold::vec;
    vec3  [U.of(1), U.of(1), U.of(1)] -> U.of(3), TYPELESS, Construct, fold::vec;
    vec4  [U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(4), TYPELESS, Construct, fold::vec;
    vec5  [U.of(1), U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(5), TYPELESS, Construct, fold::vec;
    vec8  [U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(8), TYPELESS, Construct, fold::vec;
    vec16 [U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(16), TYPELESS, Construct, fold::vec;
    bcsel [B1, U, U] -> U,     TYPELESS, op(Op::Select), |x| if x.u(0) != 0 { x.u(1) } else { x.u(2) };

    // Float arithmetic.
    fneg  [F] -> F,            , op(Op::FNegate),   |x| x.u(0) ^ x.sign_bit();
    fadd  [F, F] -> F,         COMMUTATIVE|ASSOCIATIVE, op(Op::FAdd), |x| x.round(x.f(0) + x.f(1));
    fmul  [F, F] -> F,         COMMUTATIVE|ASSOCIATIVE, op(Op::FMul), |x| x.round(x.f(0) * x.f(1));
    fmin  [F, F] -> F,         COMMUTATIVE, Ext(GLOp::NMin), |x| x.round(x.f(0).min(x.f(1)));

    // Integer arithmetic.
    iadd  [I, I] -> I,         COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, op(Op::IAdd), |x| x.wrap(x.u(0).wrapping_add(x.u(1)));
    iand  [U, U] -> U,         COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, OpOrLogical(Op::BitwiseAnd, Op::LogicalAnd), |x| x.u(0) & x.u(1);
    ushr  [U, U32] -> U,       , Shift(Op::ShiftRightLogical), |x| x.u(0) >> x.shift_count(1);
    ishl  [I, U32] -> I,       SIGN_AGNOSTIC, Shift(Op::ShiftLeftLogical), |x| x.wrap(x.u(0) << x.shift_count(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_unique() {
        for op in AluOp::ALL {
            assert_eq!(AluOp::from_name(op.name()), Some(*op));
        }
    }
}
