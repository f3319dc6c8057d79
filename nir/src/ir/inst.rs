// SPDX-License-Identifier: MIT

//! Instructions and their operands.
//!
//! An instruction has at most one result, so a [`Def`] is the [`Inst`] that defines it. Operand lists are in the pools of the
//! shader; an instruction holds a [`Slice`] of them. Those of texture instructions are in `tex`.

use super::types::Type;
use super::variable::Var;
use crate::entity::{entity, Slice};
use crate::op::{AluOp, Intrinsic, Modes};
use bitflags::bitflags;

entity!(
    /// An instruction.
    Inst,
    "inst"
);
entity!(
    /// The result of an instruction; prints like NIR's: `%5`.
    Def,
    "%"
);
entity!(
    /// A basic block; prints like NIR's: `b3`.
    Block,
    "b"
);
entity!(
    /// The operands of a texture instruction.
    Tex,
    "tex"
);
entity!(
    /// The data of a deref.
    DerefId,
    "deref"
);

impl Def {
    /// The instruction that defines this value.
    pub fn inst(self) -> Inst {
        Inst(self.0)
    }
}

impl Inst {
    /// The result, which exists if the instruction has components; see [`InstData::has_def`].
    #[inline]
    pub fn def(self) -> Def {
        Def(self.0)
    }
}

/// An instruction: the shape of its result, and its kind.
#[derive(Clone, Copy, Debug)]
pub struct InstData {
    /// Components of the result: 0 (no result), 1 to 5, 8 or 16.
    pub num_components: u8,
    /// Width of the result: 1, 8, 16, 32 or 64 bits; 0 without a result.
    pub bit_size: u8,
    /// Its kind and operands.
    pub kind: InstKind,
}

impl InstData {
    /// True if there is a result.
    #[inline]
    pub fn has_def(&self) -> bool {
        self.num_components != 0
    }
}

/// The kind of an instruction.
///
/// Every walk reads it, so the kind is a byte of its own, and large operands are stored elsewhere.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum InstKind {
    /// Arithmetic on swizzled sources.
    Alu {
        /// Restrictions and assumptions.
        flags: AluFlags,
        /// The opcode.
        op: AluOp,
        /// In [`Shader::alu_srcs`](super::Shader::alu_srcs).
        srcs: Slice,
    },
    /// Constant bits, one `u64` per component, in [`Shader::consts`](super::Shader::consts).
    Const(Slice),
    /// A deref, in [`Shader::derefs`](super::Shader::derefs).
    Deref(DerefId),
    /// All other instructions: those with effects, or that are not arithmetic.
    Intrinsic {
        /// The opcode.
        op: Intrinsic,
        /// In [`Shader::srcs`](super::Shader::srcs).
        srcs: Slice,
        /// In [`Shader::indices`](super::Shader::indices), in the order of the opcode's row.
        indices: Slice,
    },
    /// An undefined value.
    Undef,
    /// One value per predecessor, in [`Shader::phi_srcs`](super::Shader::phi_srcs). Phis are first in their block.
    Phi(Slice),
    /// A texture operation, in [`Shader::texs`](super::Shader::texs).
    Tex(Tex),
    /// The last instruction of a block that does not fall through.
    Jump(Jump),
}

impl InstKind {
    /// The number of kinds.
    pub const COUNT: usize = 8;

    /// A bit for each kind without an effect or computation of its own, by number: constants, derefs, undefined values.
    pub const SILENT: u32 = 1 << 1 | InstKind::DEREFS | 1 << 4;

    /// The bit of ALU instructions.
    pub const ALU: u32 = 1 << 0;

    /// The bit of derefs.
    pub const DEREFS: u32 = 1 << 2;

    /// The number of the kind, which is read without a branch: code that sorts by it is fast.
    #[inline(always)]
    pub fn number(&self) -> usize {
        match self {
            InstKind::Alu { .. } => 0,
            InstKind::Const(_) => 1,
            InstKind::Deref(_) => 2,
            InstKind::Intrinsic { .. } => 3,
            InstKind::Undef => 4,
            InstKind::Phi(_) => 5,
            InstKind::Tex(_) => 6,
            InstKind::Jump(_) => 7,
        }
    }
}

bitflags! {
    /// Flags of an ALU instruction.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct AluFlags: u8 {
        /// It is not combined with another operation, as a product and a sum to `ffma` (SPIR-V's NoContraction).
        const NO_CONTRACT = 1 << 0;
        /// Printed `.nsw`.
        const NO_SIGNED_WRAP = 1 << 1;
        /// Printed `.nuw`.
        const NO_UNSIGNED_WRAP = 1 << 2;
        /// Operands of several operations do not change places.
        const NO_REASSOC = 1 << 3;
        /// Its result is not computed by another formula.
        const NO_TRANSFORM = 1 << 4;
        /// The sign of a zero is significant.
        const PRESERVE_SIGNED_ZERO = 1 << 5;
        /// Infinite operands and results are possible.
        const PRESERVE_INF = 1 << 6;
        /// NaNs as operands and results are possible.
        const PRESERVE_NAN = 1 << 7;
        /// Printed `!`: no transformation changes its value.
        const EXACT = Self::NO_CONTRACT.bits() | Self::NO_REASSOC.bits() | Self::NO_TRANSFORM.bits();
        /// The values that a computation keeps.
        const PRESERVE =
            Self::PRESERVE_SIGNED_ZERO.bits() | Self::PRESERVE_INF.bits() | Self::PRESERVE_NAN.bits();
        /// NIR's `fp_math_ctrl`: what the compiler must not do with floats.
        const MATH = Self::EXACT.bits() | Self::PRESERVE.bits();
    }
}

/// The component of the source that each component reads: 16 numbers of four bits, component 0 lowest.
///
/// Packed, so that an [`AluSrc`] has no padding.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, packed(4))]
pub struct Swizzle(u64);

impl Swizzle {
    /// Component i reads component i.
    pub const IDENTITY: Swizzle = Swizzle(0xfedc_ba98_7654_3210);

    /// Every component reads component `c`.
    #[inline]
    pub const fn splat(c: u8) -> Swizzle {
        Swizzle(0x1111_1111_1111_1111 * c as u64)
    }

    /// From the components that are read; the rest read their own.
    pub fn new(components: &[u8]) -> Swizzle {
        let mut swizzle = Swizzle::IDENTITY;
        for (i, c) in components.iter().enumerate() {
            swizzle.set(i, *c);
        }
        swizzle
    }

    /// From the four-bit numbers of the first eight components; the rest read their own.
    #[inline(always)]
    pub fn from_first(bits: u32) -> Swizzle {
        Swizzle(u64::from(bits) | Swizzle::IDENTITY.0 & !u64::from(u32::MAX))
    }

    /// The bits of all components but the first `n`.
    pub fn unread(n: u8) -> u64 {
        u64::MAX.checked_shl(4 * u32::from(n)).unwrap_or(0)
    }

    /// The four-bit numbers of all components.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The component that component `i` reads.
    #[inline]
    pub fn get(self, i: usize) -> u8 {
        (self.0 >> (4 * i) & 15) as u8
    }

    /// Makes component `i` read component `c`.
    pub fn set(&mut self, i: usize, c: u8) {
        self.0 = self.0 & !(15 << (4 * i)) | u64::from(c & 15) << (4 * i);
    }

    /// The components that the first `n` components read.
    pub fn components(self, n: usize) -> impl Iterator<Item = u8> {
        (0..n).map(move |i| self.get(i))
    }

    /// True if one of the first `n` components reads beyond the `there` components that exist.
    #[inline]
    pub fn reads_beyond(self, n: u8, there: u8) -> bool {
        const BYTES: u64 = 0x0101_0101_0101_0101;
        let read = self.0 & !u64::MAX.checked_shl(4 * u32::from(n)).unwrap_or(0);
        // Adds the missing count to all numbers at once, each in a byte: numbers that are not below `there` reach 16.
        let short = BYTES * u64::from(16u8.saturating_sub(there));
        let halves = [read, read >> 4].map(|half| (half & (15 * BYTES)) + short);
        (halves[0] | halves[1]) & (16 * BYTES) != 0
    }

    /// True if the first `n` components read their own.
    #[inline]
    pub fn is_identity(self, n: usize) -> bool {
        self.is_same(Swizzle::IDENTITY, n)
    }

    /// 0 if the first `n` components, at least one, read their own: [`is_identity`](Swizzle::is_identity) for callers that
    /// combine several such tests.
    #[inline(always)]
    #[doc(hidden)]
    pub fn moved(self, n: u8) -> u64 {
        (self.0 ^ Swizzle::IDENTITY.0).wrapping_shl(64u32.wrapping_sub(4 * u32::from(n)))
    }

    /// The swizzle that reads `count` components further on, the last ones in a circle.
    pub fn moved_by(self, count: u8) -> Swizzle {
        const LOW: u64 = 0x7777_7777_7777_7777;
        let step = Swizzle::splat(count).0;
        // Adds all numbers at once, without carries from one to the next.
        Swizzle(((self.0 & LOW) + (step & LOW)) ^ ((self.0 ^ step) & !LOW))
    }

    /// True if the first `n` components read the same.
    #[inline]
    pub fn is_same(self, other: Swizzle, n: usize) -> bool {
        let read = !u64::MAX.checked_shl(4 * n as u32).unwrap_or(0);
        (self.0 ^ other.0) & read == 0
    }

    /// `self` applied to the result of `inner`: component i reads inner's component self(i).
    pub fn compose(self, inner: Swizzle) -> Swizzle {
        let component = |i: u32| (inner.0 >> (4 * (self.0 >> (4 * i) & 15)) & 15) << (4 * i);
        let first = component(0) | component(1) | component(2) | component(3);
        // Few swizzles have more than four components that are not in order.
        if self.is_short() && inner.is_short() {
            return Swizzle(first | Swizzle::IDENTITY.0 & Swizzle::unread(4));
        }
        Swizzle((4..16).fold(first, |all, i| all | component(i)))
    }

    /// True if all components but the first four read their own.
    fn is_short(self) -> bool {
        (self.0 ^ Swizzle::IDENTITY.0) & Swizzle::unread(4) == 0
    }
}

impl std::fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.components(4).try_for_each(|c| write!(f, "{c:x}"))
    }
}

/// A source of an ALU instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AluSrc {
    /// The value.
    pub def: Def,
    /// The components that are read.
    pub swizzle: Swizzle,
}

impl From<Def> for AluSrc {
    fn from(def: Def) -> AluSrc {
        AluSrc { def, swizzle: Swizzle::IDENTITY }
    }
}

/// A source of a phi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhiSrc {
    /// The predecessor.
    pub pred: Block,
    /// The value if control comes from there.
    pub def: Def,
}

/// A deref: NIR's `nir_deref_instr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deref {
    /// Its kind.
    pub kind: DerefKind,
    /// The type of the memory at the deref.
    pub ty: Type,
    /// The modes of memory that it may point to.
    pub modes: Modes,
}

/// The kind of a deref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DerefKind {
    /// Of a variable.
    Var(Var),
    /// Of an element of the array, matrix or vector at `parent`.
    Array {
        /// Deref of the whole.
        parent: Def,
        /// The element.
        index: ArrayIndex,
    },
    /// Of all elements, in copies.
    ArrayWildcard {
        /// Deref of the whole.
        parent: Def,
    },
    /// Of the `index`-th object after the one at `parent`.
    PtrAsArray {
        /// Deref of an object.
        parent: Def,
        /// The distance.
        index: ArrayIndex,
    },
    /// Of member `field` of the struct at `parent`.
    Struct {
        /// Deref of the whole.
        parent: Def,
        /// Index into the struct's fields.
        field: u32,
    },
    /// Of the memory at the address `parent`.
    Cast {
        /// The address or deref.
        parent: Def,
        /// The distance of the objects in bytes, 0 if unspecified.
        stride: u32,
        /// Alignment of the address, 0 if unspecified.
        align_mul: u32,
        /// Remainder modulo `align_mul`.
        align_offset: u32,
    },
}

/// Index of an array deref. A dump prints a constant as a number and loses its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayIndex {
    /// A constant.
    Imm(i64),
    /// A scalar.
    Def(Def),
}

/// The target of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// The block after the innermost loop.
    Break,
    /// The continue construct, or the head, of the innermost loop.
    Continue,
    /// The end of the function.
    Return,
    /// The end of the shader.
    Halt,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::size_of;

    #[test]
    fn instructions_are_small() {
        assert_eq!((size_of::<InstData>(), size_of::<AluSrc>()), (24, 12));
    }

    #[test]
    fn components_are_there_or_not() {
        let swizzle = Swizzle::new(&[1, 0, 2, 4, 15]);
        for (n, there) in [(1, 1), (1, 2), (2, 1), (3, 2), (3, 3), (4, 4), (4, 5), (5, 8), (5, 16), (16, 15), (16, 16)]
        {
            let beyond = swizzle.components(n.into()).any(|c| c >= there);
            assert_eq!(swizzle.reads_beyond(n, there), beyond, "{n} of {there}");
        }
    }

    #[test]
    fn components_move_in_a_circle() {
        for count in 0..16 {
            let moved = Swizzle::new(&[1, 0, 2, 15]).moved_by(count);
            let expected: Vec<u8> =
                [1, 0, 2, 15].into_iter().chain(4..16).map(|component| (component + count) % 16).collect();
            assert_eq!(moved.components(16).collect::<Vec<_>>(), expected, "{count}");
        }
    }
}
