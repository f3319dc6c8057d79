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
pub const VERSION: u32 = 5;
/// Words of the header: magic, version, words in all, instructions, bytes of the text, and start and words of each section.
pub(super) const HEADER_WORDS: usize = 5 + 2 * Section::COUNT;
/// Words of the section of the shader.
pub(super) const SHADER_WORDS: usize = 14 + ShaderInfo::NUM_WORDS;
/// "There is none", where a number or a string is optional.
pub(super) const NONE: u32 = u32::MAX;

/// Words of a row, where a section has rows of one length.
pub(super) mod row {
    pub(in crate::wire) const DIRECTIVE: usize = 3;
    pub(in crate::wire) const TYPE: usize = 4;
    pub(in crate::wire) const VARIABLE: usize = 22;
    pub(in crate::wire) const CONTROL: usize = 3;
    pub(in crate::wire) const PLAIN: usize = 2;
    pub(in crate::wire) const PHI_SRC: usize = 3;
    pub(in crate::wire) const DEREF_VAR: usize = 3;
    pub(in crate::wire) const DEREF: usize = 8;
}

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

/// A part of a wire: what is alike lies together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Shader,
    Directive,
    Type,
    Variable,
    Value,
    Control,
    Plain,
    PhiSrc,
    Tex,
    Intrinsic,
    Const,
    DerefVar,
    Deref,
    /// ALU instructions of today of so many sources, with one word for a swizzle.
    Alu1,
    Alu2,
    Alu3,
    Alu4,
    /// Any ALU instructions.
    Alu,
    Text,
}

impl Section {
    pub(super) const COUNT: usize = Section::Text as usize + 1;
}

numbered! {
    /// What a type is.
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

/// The opcodes of instructions without operands. Those of jumps follow.
pub(super) mod plain {
    pub(in crate::wire) const UNDEF: u32 = 0;
    pub(in crate::wire) const PHI: u32 = 1;
    pub(in crate::wire) const JUMP: u32 = 2;
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
    /// A bit for each step that [`Inventory`](crate::ir::Inventory) takes for usual.
    pub(super) const ARE_USUAL: u32 = 1 << Step::Var as u32 | 1 << Step::ArrayImm as u32 | 1 << Step::Struct as u32;
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

/// The flag of an ALU instruction the sources of which have three words: more of their swizzles.
pub(super) const WIDE: u8 = 1 << 3;

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
