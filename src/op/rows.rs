//! What translation asks of each ALU opcode, packed, so that four opcodes share a line of cache.
//!
//! [`AluInfo`] says the same and more in 80 bytes and two places. A translation in a running driver finds none of it in the caches:
//! before there were these rows, it fetched 27 of its 85 lines of constants for ALU opcodes, from two tables besides `AluInfo`.

use super::{AluInfo, AluOp, Base, Form, Operand, Props, ALU_OPS};
use spirv::{GlslStd450Op, Op};

/// What a value may be, or what a user wants it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Exactly this.
    Is(Base),
    /// An integer of either signedness.
    Integer,
    /// Whatever the result of the instruction is.
    Same,
    /// Anything.
    Any,
}

/// What the result of an opcode may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// One base, without a choice.
    Bool,
    Int,
    Uint,
    Float,
    /// A constant or undefined number: made as whatever its user wants.
    Literal,
    /// An integer of either signedness.
    Integer,
    /// Any number.
    Free,
}

impl Choice {
    /// None but this.
    pub(crate) const fn is(base: Base) -> Choice {
        match base {
            Base::Bool => Choice::Bool,
            Base::Int => Choice::Int,
            Base::Uint => Choice::Uint,
            Base::Float => Choice::Float,
        }
    }
}

/// How an opcode is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emission {
    /// As one instruction on up to three operands.
    One,
    /// As a vector of its operands.
    Construct,
    /// Not at all: its result is its operand.
    Move,
    /// As its [`Form`] says.
    Other,
}

/// What translation asks of an ALU opcode.
#[derive(Clone, Copy)]
pub(crate) struct AluRow {
    /// The opcodes of SPIR-V, on numbers and on booleans, if it is always one instruction.
    pub(crate) ops: [u16; 2],
    pub(crate) emission: Emission,
    /// The number in GLSL.std.450, 0 if it is none of those.
    pub(crate) ext: u8,
    /// How many operands there are.
    pub(crate) operands: u8,
    flags: u8,
    /// What the result may be.
    pub(crate) choice: Choice,
    /// What the first four operands should be. Where there are more, all are alike.
    wanted: [Wanted; 4],
}

/// What an operand should be: a number of a [`Want`] in the low three bits, its components above, 0 for as many as the result.
#[derive(Clone, Copy)]
pub(crate) struct Wanted(u8);

impl Wanted {
    const BITS: u32 = 3;
    /// The numbers of wants.
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

    /// What it should be.
    pub(crate) const fn want(self) -> Want {
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

    /// A bit for each base that it may be, where the result is a `base`.
    pub(crate) const fn bases(self, base: Base) -> u8 {
        let want = self.0 & ((1 << Wanted::BITS) - 1);
        match want {
            Wanted::INTEGER => 1 << Base::Int as u8 | 1 << Base::Uint as u8,
            Wanted::SAME => 1 << base as u8,
            Wanted::ANY => u8::MAX,
            is => 1 << is,
        }
    }

    /// How many components it should have, where the result has `n`.
    pub(crate) const fn size(self, n: u8) -> u8 {
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
        if can_contract(ops[0]) || matches!(ext, Some(GlslStd450Op::PackHalf2x16 | GlslStd450Op::UnpackHalf2x16)) {
            flags |= AluRow::CONTRACTS;
        }
        if info.props.contains(Props::TYPELESS) {
            flags |= AluRow::MOVES;
        }
        if count > 0 && matches!(info.srcs[0].ty.base, Base::Bool) {
            flags |= AluRow::HAS_CONDITION;
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

    /// NoContraction means something of the instruction.
    pub(crate) const fn contracts(&self) -> bool {
        self.flags & AluRow::CONTRACTS != 0
    }

    /// Whether the operand at `at` is only moved to the result.
    pub(crate) const fn moves(&self, at: usize) -> bool {
        self.flags & AluRow::MOVES != 0 && (at > 0 || self.flags & AluRow::HAS_CONDITION == 0)
    }

    /// What the operand at `at` should be.
    pub(crate) const fn wanted(&self, at: usize) -> Wanted {
        self.wanted[at & 3]
    }
}

/// The opcodes on numbers and on booleans, and that of GLSL.std.450, of what is always one instruction on up to three operands.
const fn one_instruction(info: &AluInfo) -> ([Op; 2], Option<GlslStd450Op>) {
    match info.form {
        _ if info.srcs.is_empty() || info.srcs.len() > 3 => ([Op::Nop; 2], None),
        // These are not always what their form says.
        Form::Op(Op::SConvert | Op::UConvert | Op::FConvert | Op::FUnordNotEqual) => ([Op::Nop; 2], None),
        Form::Ext(GlslStd450Op::Fract) => ([Op::Nop; 2], None),
        Form::Op(op) => ([op; 2], None),
        Form::OpOrLogical(number, boolean) => ([number, boolean], None),
        Form::Ext(op) => ([Op::ExtInst; 2], Some(op)),
        _ => ([Op::Nop; 2], None),
    }
}

/// Arithmetic of which NoContraction means something (SPIR-V 3.20, NoContraction). Mesa's drivers take a conversion to fewer
/// bits and back for none unless it is there.
pub(crate) const fn can_contract(op: Op) -> bool {
    use Op::*;
    matches!(op, FAdd | FSub | FMul | FDiv | FRem | FMod | FNegate | Dot | FConvert)
}

/// What an ALU opcode wants of an operand.
pub(crate) const fn operand_want(info: &AluInfo, operand: &Operand) -> Want {
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
    /// What translation asks of this opcode.
    pub(crate) fn row(self) -> &'static AluRow {
        &ROWS[self as usize]
    }
}
