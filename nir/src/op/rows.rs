// SPDX-License-Identifier: MIT

//! The facts that a translation needs of each ALU opcode, packed, so that four opcodes share a cache line.
//!
//! [`AluInfo`] has the same and more in 80 bytes and two places in memory. A translation in a running driver begins with cold
//! caches: before these rows existed, it fetched 27 of its 85 cache lines of constants for ALU opcodes, from two tables besides
//! `AluInfo`.

use super::{AluInfo, AluOp, Base, Form, Operand, Props, ALU_OPS};
use spirv::{GlslStd450Op, Op};

/// The type that a value may have, or that a user needs it to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Exactly this base.
    Is(Base),
    /// An integer of either signedness.
    Integer,
    /// The type of the instruction's result.
    Same,
    /// Any type.
    Any,
}

/// The types that the result of an opcode may have.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Only a boolean.
    Bool,
    /// Only a signed integer.
    Int,
    /// Only an unsigned integer.
    Uint,
    /// Only a float.
    Float,
    /// A constant or undefined number: it gets the type that its user needs.
    Literal,
    /// An integer of either signedness.
    Integer,
    /// Any number.
    Free,
}

impl Choice {
    /// Only this base.
    pub const fn is(base: Base) -> Choice {
        match base {
            Base::Bool => Choice::Bool,
            Base::Int => Choice::Int,
            Base::Uint => Choice::Uint,
            Base::Float => Choice::Float,
        }
    }

    /// The base type, unsigned if the signedness or the type is free.
    pub const fn base(self) -> Base {
        match self {
            Choice::Bool => Base::Bool,
            Choice::Int => Base::Int,
            Choice::Float => Base::Float,
            Choice::Uint | Choice::Literal | Choice::Integer | Choice::Free => Base::Uint,
        }
    }

    /// The preference for the values that it moves.
    pub const fn want(self) -> Want {
        match self {
            Choice::Literal | Choice::Free => Want::Any,
            Choice::Integer => Want::Integer,
            fixed => Want::Is(fixed.base()),
        }
    }
}

/// The way an opcode is emitted.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emission {
    /// It is one instruction on up to three operands.
    One,
    /// It is a vector of its operands.
    Construct,
    /// It is no instruction: its result is its operand.
    Move,
    /// It is what its [`Form`] requires.
    Other,
}

/// The facts that a translation needs of an ALU opcode.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AluRow {
    /// The opcodes of SPIR-V, on numbers and on booleans, if it is always one instruction.
    pub ops: [u16; 2],
    /// The way it is emitted.
    pub emission: Emission,
    /// The number in GLSL.std.450, 0 if it is not there.
    pub ext: u8,
    /// The number of operands.
    pub operands: u8,
    flags: u8,
    /// The types that the result may have.
    pub choice: Choice,
    /// The types that the first four operands should have. If an opcode has more, all are alike.
    wanted: [Wanted; 4],
}

/// The type that an operand should have: the number of a [`Want`] in the low three bits, and above them its components, 0 for as
/// many as the result.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Wanted(u8);

impl Wanted {
    const BITS: u32 = 3;
    /// The number of bases; the other wants are numbered from it.
    const BASES: u8 = 4;
    const INTEGER: u8 = 4;
    const SAME: u8 = 5;
    const ANY: u8 = 6;

    const fn new(info: &AluInfo, operand: &Operand) -> Wanted {
        let want = match operand_want(info, operand) {
            Want::Is(base) => base as u8,
            Want::Integer => Wanted::INTEGER,
            Want::Same => Wanted::SAME,
            Want::Any => Wanted::ANY,
        };
        Wanted(want | operand.size << Wanted::BITS)
    }

    /// The type that it should have.
    pub const fn want(self) -> Want {
        match self.0 & ((1 << Wanted::BITS) - 1) {
            0 => Want::Is(Base::Bool),
            1 => Want::Is(Base::Int),
            2 => Want::Is(Base::Uint),
            3 => Want::Is(Base::Float),
            Wanted::INTEGER => Want::Integer,
            Wanted::SAME => Want::Same,
            _ => Want::Any,
        }
    }

    /// A bit for each base that it may have, if the result has `base`.
    pub const fn bases(self, base: Base) -> u8 {
        let want = self.0 & ((1 << Wanted::BITS) - 1);
        match want {
            Wanted::INTEGER => 1 << Base::Int as u8 | 1 << Base::Uint as u8,
            Wanted::SAME => 1 << base as u8,
            Wanted::ANY => u8::MAX,
            is => 1 << is,
        }
    }

    /// The number of components that it should have, if the result has `n`.
    pub const fn size(self, n: u8) -> u8 {
        match self.0 >> Wanted::BITS {
            0 => n,
            size => size,
        }
    }
}

const _: () = assert!(Base::Bool as u8 == 0 && Base::Int as u8 == 1 && Base::Uint as u8 == 2 && Base::Float as u8 == 3);
const _: () = assert!(Wanted::BASES == Wanted::INTEGER && std::mem::size_of::<AluRow>() == 14);

impl AluRow {
    const CONTRACTS: u8 = 1;
    const MOVES: u8 = 2;
    const HAS_CONDITION: u8 = 4;
    const MATH: u8 = 8;

    const fn new(info: &AluInfo) -> AluRow {
        let count = info.srcs.len();
        let mut wanted = [Wanted(Wanted::ANY); 4];
        let mut at = 0;
        while at < count && at < wanted.len() {
            wanted[at] = Wanted::new(info, &info.srcs[at]);
            at += 1;
        }
        let (ops, ext) = one_instruction(info);
        let mut flags = 0;
        // The other instructions of GLSL.std.450 are not rounded, so that nothing changes if they are combined.
        let is_rounded = info.props.contains(Props::IMPRECISE) || matches!(ext, Some(GlslStd450Op::Ldexp));
        if can_contract(ops[0]) || ext.is_some() && is_rounded {
            flags |= AluRow::CONTRACTS;
        }
        if info.props.contains(Props::TYPELESS) {
            flags |= AluRow::MOVES;
        }
        if count > 0 && matches!(info.srcs[0].ty.base, Base::Bool) {
            flags |= AluRow::HAS_CONDITION;
        }
        if is_math(info) {
            flags |= AluRow::MATH;
        }
        let choice = match info.dest.ty.base {
            _ if info.moves_bits() => Choice::Free,
            Base::Int | Base::Uint if info.is_strict => Choice::Uint,
            Base::Int | Base::Uint => Choice::Integer,
            base => Choice::is(base),
        };
        let ext = match ext {
            Some(op) => op as u8,
            None => 0,
        };
        let emission = match info.form {
            _ if !matches!(ops[0], Op::Nop) => Emission::One,
            Form::Construct => Emission::Construct,
            Form::Move => Emission::Move,
            _ => Emission::Other,
        };
        let ops = [ops[0] as u16, ops[1] as u16];
        AluRow { ops, emission, ext, operands: count as u8, flags, choice, wanted }
    }

    /// Whether NoContraction has an effect on the instruction.
    pub const fn contracts(&self) -> bool {
        self.flags & AluRow::CONTRACTS != 0
    }

    /// Whether it computes with floats, so that a fast math mode has an effect on it.
    pub const fn is_math(&self) -> bool {
        self.flags & AluRow::MATH != 0
    }

    /// Whether the operand at `at` is only moved to the result.
    pub const fn moves(&self, at: usize) -> bool {
        self.flags & AluRow::MOVES != 0 && (at > 0 || self.flags & AluRow::HAS_CONDITION == 0)
    }

    /// The type that the operand at `at` should have.
    pub const fn wanted(&self, at: usize) -> Wanted {
        self.wanted[at & 3]
    }
}

/// The opcodes on numbers and on booleans, and the one of GLSL.std.450, if it is always one instruction on up to three operands.
const fn one_instruction(info: &AluInfo) -> ([Op; 2], Option<GlslStd450Op>) {
    match info.form {
        _ if info.srcs.is_empty() || info.srcs.len() > 3 => ([Op::Nop; 2], None),
        // These are not always emitted as their form.
        Form::Op(Op::SConvert | Op::UConvert | Op::FConvert | Op::FUnordNotEqual) => ([Op::Nop; 2], None),
        Form::Ext(GlslStd450Op::Fract) => ([Op::Nop; 2], None),
        Form::Op(op) => ([op; 2], None),
        Form::OpOrLogical(number, boolean) => ([number, boolean], None),
        Form::Ext(op) => ([Op::ExtInst; 2], Some(op)),
        _ => ([Op::Nop; 2], None),
    }
}

/// Arithmetic on which NoContraction has an effect (SPIR-V 3.20, NoContraction). Without it Mesa's drivers remove a conversion to
/// fewer bits and back.
#[doc(hidden)]
pub const fn can_contract(op: Op) -> bool {
    use Op::*;
    matches!(op, FAdd | FSub | FMul | FDiv | FRem | FMod | FNegate | Dot | FConvert)
}

/// Whether an opcode computes with floats: arithmetic, comparisons and conversions between floats.
const fn is_math(info: &AluInfo) -> bool {
    let takes_floats = !info.srcs.is_empty() && matches!(info.srcs[0].ty.base, Base::Float);
    let gives_floats = matches!(info.dest.ty.base, Base::Float);
    let moves =
        info.props.contains(Props::TYPELESS) || matches!(info.form, Form::Bitcast | Form::Construct | Form::Move);
    takes_floats && !moves && (gives_floats || !info.props.contains(Props::CONVERSION))
}

/// The type that an ALU opcode needs of an operand.
#[doc(hidden)]
pub const fn operand_want(info: &AluInfo, operand: &Operand) -> Want {
    match operand.ty.base {
        Base::Bool => Want::Is(Base::Bool),
        _ if info.props.contains(Props::TYPELESS) => Want::Same,
        _ if matches!(info.form, Form::Bitcast) => Want::Any,
        Base::Float => Want::Is(Base::Float),
        Base::Int | Base::Uint if info.is_strict && !info.props.contains(Props::CONVERSION) => Want::Is(Base::Uint),
        Base::Int | Base::Uint => Want::Integer,
    }
}

/// The row of each ALU opcode.
static ROWS: [AluRow; AluOp::ALL.len()] = {
    let mut rows = [AluRow::new(&ALU_OPS[0]); AluOp::ALL.len()];
    let mut op = 0;
    while op < rows.len() {
        rows[op] = AluRow::new(&ALU_OPS[op]);
        op += 1;
    }
    rows
};

impl AluOp {
    /// The row of this opcode.
    #[doc(hidden)]
    #[inline]
    pub fn row(self) -> &'static AluRow {
        &ROWS[self as usize]
    }
}
