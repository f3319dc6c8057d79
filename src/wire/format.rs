//! The numbers of the format: those of `ffi/ntv.h`, which a test of the C ABI holds to these.
//!
//! Enumerations of the IR that are not here cross by their own discriminants.

use crate::ir::{BranchHint, Jump, Precision, ShaderInfo, Stage};
use crate::op::names::ImageDim;
use crate::op::tex::{TexOp, TexSrcKind};
use crate::op::{AluType, Base};
use bitflags::bitflags;

/// The first word: `NTVW` in a file.
pub const MAGIC: u32 = 0x5756_544e;
/// The second word: changes with anything that an older reader would misread.
pub const VERSION: u32 = 3;
/// Words before the first record.
pub(super) const HEADER_WORDS: usize = 4;
/// Words of the shader's record.
pub(super) const SHADER_WORDS: usize = 15 + ShaderInfo::NUM_WORDS;
/// "There is none", where a number or a string is optional.
pub(super) const NONE: u32 = u32::MAX;
/// Bit of an ALU source's value: a second word has more of the swizzle. All numbers of values are below it.
pub(super) const WIDE_SWIZZLE: u32 = 1 << 31;

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum $name { $($variant = $number,)* }

        impl $name {
            /// The one with this number.
            pub(super) fn from_number(number: u32) -> Option<$name> {
                match number { $($number => Some($name::$variant),)* _ => None }
            }
        }
    };
}

numbered! {
    /// What a record is.
    Kind {
        Shader = 1,
        Directive = 2,
        Remark = 3,
        Void = 4,
        Vector = 5,
        Matrix = 6,
        Array = 7,
        Struct = 8,
        Sampler = 9,
        Texture = 10,
        Image = 11,
        AtomicUint = 12,
        Variable = 13,
        Block = 14,
        If = 15,
        Else = 16,
        EndIf = 17,
        Loop = 18,
        Continue = 19,
        EndLoop = 20,
        Alu = 21,
        Const = 22,
        Undef = 23,
        Phi = 24,
        Deref = 25,
        Intrinsic = 26,
        Tex = 27,
        Jump = 28,
    }
}

/// The numbers of frequent kinds.
pub(super) mod kind {
    use super::Kind;

    pub(in crate::wire) const ALU: u32 = Kind::Alu as u32;
    pub(in crate::wire) const CONST: u32 = Kind::Const as u32;
    pub(in crate::wire) const DEREF: u32 = Kind::Deref as u32;
    pub(in crate::wire) const INTRINSIC: u32 = Kind::Intrinsic as u32;
    pub(in crate::wire) const VARIABLE: u32 = Kind::Variable as u32;
    pub(in crate::wire) const VECTOR: u32 = Kind::Vector as u32;
    pub(in crate::wire) const ARRAY: u32 = Kind::Array as u32;
    pub(in crate::wire) const STRUCT: u32 = Kind::Struct as u32;
    pub(in crate::wire) const BLOCK: u32 = Kind::Block as u32;
}

/// A list of names whose places are numbers in a wire.
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
    /// The one with this number.
    pub fn from_number(number: u32) -> Option<Table> {
        pick(&[Table::Alu, Table::Intrinsic, Table::Format], number)
    }
}

numbered! {
    /// A step of a pointer.
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

impl Step {
    /// The words of its record behind type and modes.
    pub(super) fn num_words(self) -> usize {
        match self {
            Step::Var | Step::ArrayWildcard => 1,
            Step::Array | Step::PtrAsArray | Step::Struct => 2,
            Step::ArrayImm | Step::PtrAsArrayImm => 3,
            Step::Cast => 4,
        }
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
    pub(super) struct TexFlags: u32 {
        const GATHER_IMPLICIT_LOD = 1 << 0;
        const TEXTURE_NON_UNIFORM = 1 << 1;
        const SAMPLER_NON_UNIFORM = 1 << 2;
        const SPARSE = 1 << 3;
        const OFFSETS = 1 << 4;
    }
}

pub(super) const JUMPS: &[Jump] = &[Jump::Break, Jump::Continue, Jump::Return, Jump::Halt];

pub(super) const HINTS: &[BranchHint] =
    &[BranchHint::None, BranchHint::Flatten, BranchHint::DontFlatten, BranchHint::DivergentAlwaysTaken];

pub(super) const PRECISIONS: &[Precision] = &[Precision::None, Precision::High, Precision::Medium, Precision::Low];

const BASES: [Base; 4] = [Base::Bool, Base::Int, Base::Uint, Base::Float];

/// The element of `list` that a number stands for.
pub(super) fn pick<T: Copy>(list: &[T], number: u32) -> Option<T> {
    list.get(number as usize).copied()
}

/// The number that stands for `item`.
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

/// What the numbers of a variable can be: `None` for what GLSL has no scalar of.
#[inline]
pub(super) fn scalar(packed: u32) -> Option<AluType> {
    // All widths are powers of two, so that a sum of them is a set.
    const WIDTHS: [u8; 4] = [1, 8 + 16 + 32 + 64, 8 + 16 + 32 + 64, 16 + 32 + 64];
    let (base, bits) = (BASES[(packed >> 8 & 3) as usize], packed as u8);
    let exists = packed >> 10 == 0 && bits.is_power_of_two() && WIDTHS[base as usize] & bits != 0;
    exists.then_some(AluType::new(base, bits))
}

/// What the components of a texel can be.
pub(super) fn texel(packed: u32) -> Option<AluType> {
    alu_type(packed).filter(|ty| match ty.base {
        // `void` images: the shader does not say.
        Base::Bool => ty.bits == 1,
        Base::Int | Base::Uint => ty.bits >= 32,
        Base::Float => ty.bits == 32,
    })
}

/// An ALU type as `ntv_alu_type` packs it.
pub(super) fn alu_type(packed: u32) -> Option<AluType> {
    let base = pick(&BASES, packed >> 8)?;
    let bits = packed as u8;
    matches!(bits, 0 | 1 | 8 | 16 | 32 | 64).then_some(AluType::new(base, bits))
}

/// Opcode, shape of the result, and flags of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) op: u32,
    pub(super) num_components: u8,
    pub(super) bit_size: u8,
    pub(super) flags: u8,
}

impl Head {
    pub(super) fn pack(self) -> u32 {
        self.op | u32::from(self.num_components) << 16 | u32::from(self.bit_size) << 21 | u32::from(self.flags) << 28
    }

    pub(super) fn unpack(word: u32) -> Head {
        Head {
            op: word & 0xffff,
            num_components: (word >> 16 & 0x1f) as u8,
            bit_size: (word >> 21 & 0x7f) as u8,
            flags: (word >> 28) as u8,
        }
    }
}
