// SPDX-License-Identifier: MIT

//! The numbers of the format: those of `ffi/ntvr_wire.h`. A test of the C ABI compares them.
//!
//! Other enumerations of the IR use their own discriminants.

use crate::ir::AluFlags;
use crate::ir::{BranchHint, Jump, Precision, Stage};
use crate::op::names::ImageDim;
use crate::op::tex::{TexOp, TexSrcKind};
use crate::op::{AluType, Base};
use bitflags::bitflags;

/// The first word: `NTVW` in a file.
pub const MAGIC: u32 = 0x5756_544e;
/// The second word: it changes with every change that an older reader would misread.
pub const VERSION: u32 = 7;
/// The number of words of the header: magic, version, number of words, instructions, stages and flags, and the frequent fields.
pub(super) const HEADER_WORDS: usize = 16;
/// An optional number or string that is absent.
pub(super) const NONE: u32 = u32::MAX;
/// An absent stage, which has a byte.
pub(super) const NO_STAGE: u32 = 0xff;

/// The flags of the header, in the word of the stages. The first one is bit 16.
pub(super) mod flag {
    pub(in crate::wire) const WORKGROUP_SIZE_VARIABLE: u32 = 1 << 16;
    pub(in crate::wire) const FIRST_UBO_IS_DEFAULT_UBO: u32 = 1 << 17;
    pub(in crate::wire) const UNKNOWN: u32 = !0 << 18;
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum $name { $($variant = $number,)* }

        impl $name {
            /// The item with this number.
            pub(super) fn from_number(number: u32) -> Option<$name> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }
        }
    };
}

/// The kind of a record: the lowest four bits of its first word.
pub(super) mod record {
    pub(in crate::wire) const ALU: u32 = 0;
    pub(in crate::wire) const INTRINSIC: u32 = 1;
    pub(in crate::wire) const CONST: u32 = 2;
    pub(in crate::wire) const DEREF_VAR: u32 = 3;
    pub(in crate::wire) const DEREF: u32 = 4;
    pub(in crate::wire) const TEX: u32 = 5;
    pub(in crate::wire) const PLAIN: u32 = 6;
    pub(in crate::wire) const CONTROL: u32 = 7;
    pub(in crate::wire) const TYPE: u32 = 8;
    pub(in crate::wire) const VARIABLE: u32 = 9;
    pub(in crate::wire) const VARIABLE_TYPE: u32 = 10;
    pub(in crate::wire) const PHI_SRC: u32 = 11;
    pub(in crate::wire) const DIRECTIVE: u32 = 12;
    pub(in crate::wire) const FACT: u32 = 13;
    pub(in crate::wire) const NAME: u32 = 14;
    pub(in crate::wire) const MATH: u32 = 15;
}

/// The object of a name: the opcodes of [`record::NAME`].
pub(super) mod name {
    pub(in crate::wire) const ENTRY: u32 = 0;
    pub(in crate::wire) const SOURCE_HASH: u32 = 1;
    pub(in crate::wire) const SHADER: u32 = 2;
    pub(in crate::wire) const LABEL: u32 = 3;
}

/// The packed fields of a record of a variable.
pub(super) mod variable {
    /// Words after the head, with the length of the name.
    pub(in crate::wire) const WORDS: usize = 9;
    /// The mask of the modes, the lowest bits of their word.
    pub(in crate::wire) const MODES: u32 = 0x3fff;
    pub(in crate::wire) const INTERP: u32 = 14;
    pub(in crate::wire) const PRECISION: u32 = 17;
    pub(in crate::wire) const LOCATION_FRAC: u32 = 19;
    /// Whether more words follow the name.
    pub(in crate::wire) const MORE: u32 = 1 << 27;
    pub(in crate::wire) const UNKNOWN: u32 = !0 << 28;
    /// The shift of the flags above the access flags.
    pub(in crate::wire) const FLAGS: u32 = 18;
    /// Words that follow the name if there are more: format, stream, three of the capture, number of values.
    pub(in crate::wire) const MORE_WORDS: usize = 6;
}

numbered! {
    /// The kind of a type.
    TypeKind {
        Void = 0,
        Vector = 1,
        Matrix = 2,
        Array = 3,
        Struct = 4,
        Sampler = 5,
        Texture = 6,
        Image = 7,
        AtomicUint = 8,
    }
}

/// The numbers of frequent kinds of types.
pub(super) mod kind {
    use super::TypeKind;

    pub(in crate::wire) const VECTOR: u32 = TypeKind::Vector as u32;
    pub(in crate::wire) const ARRAY: u32 = TypeKind::Array as u32;
    pub(in crate::wire) const STRUCT: u32 = TypeKind::Struct as u32;
}

numbered! {
    /// An item of control flow.
    Control {
        Block = 0,
        If = 1,
        Else = 2,
        EndIf = 3,
        Loop = 4,
        Continue = 5,
        EndLoop = 6,
    }
}

/// The opcodes of instructions without operands. Those of jumps follow them.
pub(super) mod plain {
    pub(in crate::wire) const UNDEF: u32 = 0;
    pub(in crate::wire) const PHI: u32 = 1;
    pub(in crate::wire) const JUMP: u32 = 2;
}

/// A list of names whose indices are numbers in a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// ALU opcodes: `fadd`.
    Alu,
    /// Intrinsics: `load_ubo`.
    Intrinsic,
    /// Image formats: `r32_uint`.
    Format,
}

impl Table {
    /// The list with this number.
    pub fn from_number(number: u32) -> Option<Table> {
        pick(&[Table::Alu, Table::Intrinsic, Table::Format], number)
    }
}

numbered! {
    /// The kind of a deref.
    Step {
        Var = 0,
        Array = 1,
        ArrayImm = 2,
        ArrayWildcard = 3,
        PtrAsArray = 4,
        PtrAsArrayImm = 5,
        Struct = 6,
        Cast = 7,
    }
}

bitflags! {
    /// Flags of texture and image types.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct TypeFlags: u32 {
        const ARRAYED = 1 << 0;
        const SHADOW = 1 << 1;
        const BARE = 1 << 2;
    }
}

bitflags! {
    /// Flags of texture instructions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct TexFlags: u8 {
        const GATHER_IMPLICIT_LOD = 1 << 0;
        const TEXTURE_NON_UNIFORM = 1 << 1;
        const SAMPLER_NON_UNIFORM = 1 << 2;
        const SPARSE = 1 << 3;
        const OFFSETS = 1 << 4;
    }
}

/// The flag of an ALU instruction whose sources have three words, for longer swizzles.
pub(super) const WIDE: u8 = 1 << 3;

/// The flag of an exact ALU instruction.
const EXACT: u8 = 1 << 0;

/// The flags of the IR that an ALU instruction has itself: the others are those of the last record [`record::MATH`].
const OWN: AluFlags = AluFlags::NO_SIGNED_WRAP.union(AluFlags::NO_UNSIGNED_WRAP);

/// The flags of an ALU instruction with these bits after a record with the math control `math`.
#[inline(always)]
pub(super) fn alu_flags(bits: u8, math: AluFlags) -> AluFlags {
    let exact = if bits & EXACT != 0 { AluFlags::EXACT } else { AluFlags::empty() };
    exact | AluFlags::from_bits_truncate(bits) & OWN | math
}

/// The bits of an ALU instruction with these flags, and the math control that it needs.
pub(super) fn alu_bits(flags: AluFlags) -> (u8, AluFlags) {
    let exact = flags.contains(AluFlags::EXACT);
    let math = flags - OWN - if exact { AluFlags::EXACT } else { AluFlags::empty() };
    ((flags & OWN).bits() | if exact { EXACT } else { 0 }, math)
}

/// The math control with these bits, unless there is no such one.
pub(super) fn math(bits: u32) -> Option<AluFlags> {
    AluFlags::from_bits(u8::try_from(bits).ok()?).filter(|flags| !flags.intersects(OWN))
}

pub(super) const JUMPS: &[Jump] = &[Jump::Break, Jump::Continue, Jump::Return, Jump::Halt];

pub(super) const HINTS: &[BranchHint] =
    &[BranchHint::None, BranchHint::Flatten, BranchHint::DontFlatten, BranchHint::DivergentAlwaysTaken];

pub(super) const PRECISIONS: &[Precision] = &[Precision::None, Precision::High, Precision::Medium, Precision::Low];

const BASES: [Base; 4] = [Base::Bool, Base::Int, Base::Uint, Base::Float];

/// The element of `list` for a number.
pub(super) fn pick<T: Copy>(list: &[T], number: u32) -> Option<T> {
    list.get(number as usize).copied()
}

/// The number of `item` in `list`.
pub(super) fn number_in<T: PartialEq>(list: &[T], item: &T) -> u32 {
    list.iter().position(|it| it == item).unwrap_or(0) as u32
}

pub(super) fn stage(number: u32) -> Option<Stage> {
    Stage::NAMES.get(number as usize).map(|(stage, _)| *stage)
}

pub(super) fn dim(number: u32) -> Option<ImageDim> {
    pick(ImageDim::ALL, number)
}

pub(super) fn tex_op(number: u32) -> Option<TexOp> {
    pick(TexOp::ALL, number)
}

pub(super) fn tex_src(number: u32) -> Option<TexSrcKind> {
    pick(TexSrcKind::ALL, number)
}

/// The type of the numbers of a variable; `None` if GLSL has no such scalar.
#[inline]
pub(super) fn scalar(packed: u32) -> Option<AluType> {
    // All widths are powers of two, so a set is their sum.
    const WIDTHS: [u8; 4] = [1, 8 + 16 + 32 + 64, 8 + 16 + 32 + 64, 16 + 32 + 64];
    let (base, bits) = (BASES[(packed >> 8 & 3) as usize], packed as u8);
    let exists = packed >> 10 == 0 && bits.is_power_of_two() && WIDTHS[base as usize] & bits != 0;
    exists.then_some(AluType::new(base, bits))
}

/// The type of the components of a texel.
pub(super) fn texel(packed: u32) -> Option<AluType> {
    alu_type(packed).filter(|ty| match ty.base {
        // `void` images: the shader does not have the type.
        Base::Bool => ty.bits == 1,
        Base::Int | Base::Uint => ty.bits >= 32,
        Base::Float => ty.bits == 32,
    })
}

/// The ALU type for the packed `ntvr_alu_type`.
pub(super) fn alu_type(packed: u32) -> Option<AluType> {
    let base = pick(&BASES, packed >> 8)?;
    let bits = packed as u8;
    matches!(bits, 0 | 1 | 8 | 16 | 32 | 64).then_some(AluType::new(base, bits))
}

/// The first word of a record: its kind, its opcode, the shape of its result, and flags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head(pub(super) u32);

impl Head {
    /// A head without a result.
    pub(super) fn new(record: u32, op: u32, flags: u8) -> Head {
        Head(record | op << 4 | u32::from(flags) << 28)
    }

    pub(super) fn with_result(self, num_components: u8, bit_size: u8) -> Head {
        Head(self.0 | u32::from(num_components) << 16 | u32::from(bit_size) << 21)
    }

    pub(super) fn record(self) -> u32 {
        self.0 & 15
    }

    pub(super) fn op(self) -> u32 {
        self.0 >> 4 & 0xfff
    }

    pub(super) fn num_components(self) -> u8 {
        (self.0 >> 16 & 0x1f) as u8
    }

    pub(super) fn bit_size(self) -> u8 {
        (self.0 >> 21 & 0x7f) as u8
    }

    pub(super) fn flags(self) -> u8 {
        (self.0 >> 28) as u8
    }

    /// Whether there are 0 components of 0 bits, which means no result.
    pub(super) fn has_no_result(self) -> bool {
        self.0 >> 16 & 0xfff == 0
    }

    /// Whether the result is valid: 1 to 5, 8 or 16 components of 1, 8, 16, 32 or 64 bits.
    #[inline(always)]
    pub(super) fn is_shape(self) -> bool {
        const COMPONENTS: u32 = 0b11_1110 | 1 << 8 | 1 << 16;
        const WIDTHS: u8 = 1 | 8 | 16 | 32 | 64;
        COMPONENTS >> self.num_components() & 1 != 0
            && self.bit_size() & !WIDTHS == 0
            && self.bit_size().is_power_of_two()
    }
}
