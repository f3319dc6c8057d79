//! Byte addresses by what is known of them, and the lanes they lead to.

use super::Memory;
use crate::ir::{ArrayIndex, Builder, Def, Shader};
use crate::op::AluOp;

/// A byte address, by what is known of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::pass) enum Address {
    /// A constant.
    Static { byte: u32 },
    /// Byte `byte` (below 16) of vec4 `index`.
    Vec4 { index: Def, byte: u32 },
    /// Byte `byte` (below 4) of lane `index`, counted over all vec4s; `even` if that is known to be an even lane.
    Dword { index: Def, byte: u32, even: bool },
    /// Byte `offset`, which is `mul * n + rem` with `mul` 1 or 2.
    Byte { offset: Def, mul: u32, rem: u32 },
}

/// What is known of a byte offset before code is made for it: `dynamic * 1 + constant`, where `dynamic` is a multiple of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::pass) struct Vec4Offset {
    /// The part that is not constant.
    pub(in crate::pass) dynamic: Option<Def>,
    /// The rest.
    pub(in crate::pass) constant: u32,
}

impl Vec4Offset {
    /// Splits `offset`, which is `align_offset` modulo `align_mul`; `None` if its remainder modulo 16 is unknown.
    pub(in crate::pass) fn new(shader: &Shader, offset: Def, align_mul: u32, align_offset: u32) -> Option<Vec4Offset> {
        if let Some(value) = shader.as_const_scalar(offset) {
            return Some(Vec4Offset { dynamic: None, constant: value as u32 });
        }
        if align_mul < 16 {
            return None;
        }
        let byte = align_offset % 16;
        // (x + c) is byte c % 16 of a vec4, so x is a multiple of 16 and x + (c & !15) never carries into the lane.
        if let Some((AluOp::iadd, srcs)) = shader.as_alu(offset) {
            for (x, c) in [(srcs[0], srcs[1]), (srcs[1], srcs[0])] {
                let constant = shader.as_const(c.def).map(|values| values[usize::from(c.swizzle.get(0))] as u32);
                if let Some(constant) = constant.filter(|c| c % 16 == byte) {
                    if shader.num_components(x.def) == 1 {
                        return Some(Vec4Offset { dynamic: Some(x.def), constant });
                    }
                }
            }
        }
        Some(Vec4Offset { dynamic: Some(offset), constant: byte }).filter(|_| byte == 0)
    }

    /// The vec4 that dword `k` from here is in, and its lane.
    pub(in crate::pass) fn lane(self, k: u32) -> (Vec4Offset, u32) {
        let byte = self.constant.wrapping_add(4 * k);
        (Vec4Offset { constant: byte & !15, ..self }, byte / 4 % 4)
    }
}

impl Address {
    /// The address of byte offset `offset`, which is `align_offset` modulo `align_mul`.
    pub(in crate::pass) fn new(b: &mut Builder<'_>, offset: Def, align_mul: u32, align_offset: u32) -> Address {
        if let Some(split) = Vec4Offset::new(b.shader, offset, align_mul, align_offset) {
            let Some(dynamic) = split.dynamic else {
                return Address::Static { byte: split.constant };
            };
            let aligned = b.iadd_imm(dynamic, u64::from(split.constant & !15));
            return Address::Vec4 { index: b.ushr_imm(aligned, 4), byte: split.constant & 15 };
        }
        let mul = align_mul.max(1);
        let rem = align_offset % mul;
        match mul {
            1 | 2 => Address::Byte { offset, mul, rem },
            4 => Address::Dword { index: b.ushr_imm(offset, 2), byte: rem, even: false },
            8 => Address::Dword { index: b.ushr_imm(offset, 2), byte: rem % 4, even: rem < 4 },
            _ => Address::Vec4 { index: b.ushr_imm(offset, 4), byte: rem % 16 },
        }
    }

    /// The address of element `index` of an array of `bytes`-sized elements (1, 2, 4 or 8) that starts at 0.
    pub(in crate::pass) fn element(b: &mut Builder<'_>, index: ArrayIndex, bytes: u32) -> Address {
        match (index, bytes) {
            (ArrayIndex::Imm(i), _) => Address::Static { byte: (i as u32).wrapping_mul(bytes) },
            (ArrayIndex::Def(index), 4) => Address::Dword { index, byte: 0, even: false },
            (ArrayIndex::Def(index), 8) => Address::Dword { index: b.ishl_imm(index, 1), byte: 0, even: true },
            (ArrayIndex::Def(index), _) => {
                Address::Byte { offset: b.ishl_imm(index, bytes.trailing_zeros()), mul: bytes, rem: 0 }
            }
        }
    }

    /// The byte of the first dword at which the access starts, where it is known.
    pub(super) fn start(self) -> u32 {
        match self {
            Address::Static { byte } | Address::Vec4 { byte, .. } | Address::Dword { byte, .. } => byte % 4,
            Address::Byte { .. } => 0,
        }
    }

    /// Where dword `k`, counted from the dword that holds the first byte, is.
    pub(super) fn place(self, b: &mut Builder<'_>, k: u32) -> Place {
        match self {
            Address::Static { byte } => {
                let dword = byte / 4 + k;
                Place { vec4: imm(dword / 4), lane: imm(dword % 4) }
            }
            Address::Vec4 { index, byte } => {
                let dword = byte / 4 + k;
                let vec4 = b.iadd_imm(index, u64::from(dword / 4));
                Place { vec4: ArrayIndex::Def(vec4), lane: imm(dword % 4) }
            }
            Address::Dword { index, even: true, .. } if k % 2 == 1 => {
                // The dword after an even one is in the same vec4.
                let before = b.iadd_imm(index, u64::from(k - 1));
                let mut place = Place::of_dword(b, before);
                if let ArrayIndex::Def(lane) = place.lane {
                    place.lane = ArrayIndex::Def(b.iadd_imm(lane, 1));
                }
                place
            }
            Address::Dword { index, .. } => {
                let dword = b.iadd_imm(index, u64::from(k));
                Place::of_dword(b, dword)
            }
            Address::Byte { offset, .. } => {
                let first = b.ushr_imm(offset, 2);
                let dword = b.iadd_imm(first, u64::from(k));
                Place::of_dword(b, dword)
            }
        }
    }

    /// True if dword `k` is known to be in an even lane.
    pub(super) fn is_even(self, k: u32) -> bool {
        match self {
            Address::Static { byte } | Address::Vec4 { byte, .. } => (byte / 4 + k) % 2 == 0,
            Address::Dword { even, .. } => even && k % 2 == 0,
            Address::Byte { .. } => false,
        }
    }

    /// True if the lane of every dword is known.
    pub(super) fn has_static_lanes(self) -> bool {
        matches!(self, Address::Static { .. } | Address::Vec4 { .. })
    }
}

/// Indices of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) vec4: ArrayIndex,
    pub(super) lane: ArrayIndex,
}

impl Place {
    pub(super) fn of_dword(b: &mut Builder<'_>, dword: Def) -> Place {
        let vec4 = b.ushr_imm(dword, 2);
        let lane = b.iand_imm(dword, 3);
        Place { vec4: ArrayIndex::Def(vec4), lane: ArrayIndex::Def(lane) }
    }

    pub(super) fn is_outside(self, memory: &Memory) -> bool {
        matches!((self.vec4, memory.len), (ArrayIndex::Imm(i), Some(len)) if i >= i64::from(len))
    }
}

pub(super) fn imm(value: u32) -> ArrayIndex {
    ArrayIndex::Imm(i64::from(value))
}

/// 31 - `shift`, for a shift below 32.
pub(super) fn rest_of(b: &mut Builder<'_>, shift: Def) -> Def {
    let all = b.imm32(31);
    b.alu(AluOp::ixor, &[shift, all])
}
