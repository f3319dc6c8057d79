// SPDX-License-Identifier: MIT

//! Byte offsets with their known bits, the addresses that are made from them, and the lanes of these addresses.

use super::MemoryView;
use crate::analysis::offsets::{Offsets, Parts, Split, Term};
use crate::ir::{AluSrc, ArrayIndex, Builder, Def, Shader};
use crate::op::AluOp;
use crate::pass::memory::blocks::MadeOnce;

/// A byte offset before code is made for it: `(value << unit) + plus`, and its known lowest bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::pass) struct Offset {
    value: Def,
    unit: u32,
    plus: u32,
    /// The number of known lowest bits: 32 if it is constant, else four at most.
    bits: u32,
    /// The values of these bits.
    low: u32,
}

impl Offset {
    /// `(value << unit) + plus`; in NIR it is `align.1` modulo `align.0`.
    pub(in crate::pass) fn new(
        shader: &Shader,
        offsets: &Offsets,
        (value, unit, plus): (Def, u32, u32),
        align: (u32, u32),
    ) -> Offset {
        if let Some(number) = shader.as_const_scalar(value) {
            return Offset::constant(value, ((number as u32) << unit).wrapping_add(plus));
        }
        let (known, low) = offsets.known(shader, value).low_bits();
        let (known, low) = ((known + unit).min(4), ((low as u32) << unit).wrapping_add(plus));
        let said = align.0.max(1).trailing_zeros().min(4);
        let (bits, low) = if known >= said { (known, low) } else { (said, align.1) };
        Offset { value, unit, plus, bits, low: low & !(u32::MAX << bits) }
    }

    /// `byte`, whatever `value` is.
    pub(in crate::pass) fn constant(value: Def, byte: u32) -> Offset {
        Offset { value, unit: 0, plus: 0, bits: 32, low: byte }
    }

    /// Whether it is a multiple of this power of two, 16 at most.
    pub(in crate::pass) fn is_multiple_of(self, bytes: u32) -> bool {
        self.bits >= bytes.trailing_zeros() && self.low % bytes == 0
    }

    /// The byte of the first dword at which it starts, if that is known, else 0.
    pub(in crate::pass) fn start(self) -> u32 {
        if self.bits < 2 {
            0
        } else {
            self.low % 4
        }
    }

    /// The offset, if it is constant.
    pub(in crate::pass) fn as_static(self) -> Option<u32> {
        (self.bits == 32).then_some(self.low)
    }

    /// The number of lanes of the largest vector in which its lane is known: 4, 2 or 1; `None` if it may be any byte of a lane.
    pub(in crate::pass) fn lanes(self) -> Option<u32> {
        match self.bits {
            4.. => Some(4),
            3 => Some(2),
            2 => Some(1),
            _ => None,
        }
    }

    /// The number of lanes of the elements of the view that its address is in.
    pub(in crate::pass) fn view(self, granularity: Granularity) -> u32 {
        match self.lanes() {
            Some(lanes) if self.as_static().is_none() => granularity.lanes(granularity.counted(lanes)),
            Some(_) => granularity.lanes(4),
            None => granularity.lanes(1),
        }
    }

    /// The byte within a vector of `lanes` lanes.
    fn byte(self, lanes: u32) -> u32 {
        self.low % (4 * lanes)
    }

    /// The index of the element of `bytes` bytes, the unit at least, that it is in.
    fn parts(self, shader: &Shader, offsets: &Offsets, bytes: u32) -> Parts {
        let shift = bytes.trailing_zeros() - self.unit;
        let low = (self.bits.saturating_sub(self.unit), self.low >> self.unit);
        offsets.split(shader, (self.value, self.plus >> self.unit), shift, low)
    }

    /// Whether bits may be lost by the product with the size of an element of `lanes` lanes, 4 or 2, that it is, or is a sum
    /// with. Then the index of the element costs a mask: `(x << 4) + 32` is vec4 `((x << 4) + 32) >> 4`, not `x + 2`.
    pub(in crate::pass) fn loses_bits(self, shader: &Shader, offsets: &Offsets) -> bool {
        let Some(lanes @ (4 | 2)) = self.lanes().filter(|_| self.as_static().is_none() && self.unit == 0) else {
            return false;
        };
        let parts = self.parts(shader, offsets, 4 * lanes);
        !parts.is_whole && parts.split.term.is_some_and(|term| term.scale == 4 * lanes)
    }

    /// The vec4 of dword `k` from here, and its lane; `None` if the lane is unknown.
    pub(in crate::pass) fn vec4(self, shader: &Shader, offsets: &Offsets, k: u32) -> Option<(Split, u32)> {
        let (split, byte) = match self.as_static() {
            Some(byte) => (Split { term: None, after: byte / 16 }, byte % 16),
            None if self.bits == 4 => (self.parts(shader, offsets, 16).split, self.byte(4)),
            None => return None,
        };
        let dword = byte / 4 + k;
        Some((Split { after: split.after.wrapping_add(dword / 4), ..split }, dword % 4))
    }

    /// The vec4 that it is in: a value, made once for equal ones, and a number that is added to it. And the byte of the vec4.
    /// `None` if the byte is unknown, or the offset is constant.
    pub(in crate::pass) fn vec4_and_byte(
        self,
        b: &mut Builder<'_>,
        offsets: &Offsets,
        made: &mut MadeOnce<Term>,
    ) -> Option<((Def, u32), u32)> {
        if self.bits != 4 {
            return None;
        }
        let parts = self.parts(b.shader, offsets, 16);
        let vec4 = match parts.split {
            Split { term: Some(term), after } => (made.get_or_make(b, term, |b| variable_part(b, &parts, term)), after),
            Split { term: None, after } => (b.imm32(after), 0),
        };
        Some((vec4, self.byte(4)))
    }

    /// Makes code for it, for memory with these views.
    pub(in crate::pass) fn address(self, b: &mut Builder<'_>, offsets: &Offsets, granularity: Granularity) -> Address {
        if let Some(byte) = self.as_static() {
            return Address::Static { byte };
        }
        match self.lanes().map(|lanes| granularity.counted(lanes)) {
            None => {
                let offset = self.bytes(b);
                Address::Byte { offset, mul: 1 << self.bits, rem: self.low }
            }
            Some(lanes) if self.unit > (4 * lanes).trailing_zeros() => {
                let bytes = self.bytes(b);
                let index = b.ushr_imm(bytes, 2);
                Address::Dword { index, byte: self.byte(lanes), even: self.is_even() }
            }
            Some(lanes) => {
                let parts = self.parts(b.shader, offsets, 4 * lanes);
                let byte = self.byte(lanes);
                match lanes {
                    1 => Address::Dword { index: word(b, &parts), byte, even: self.is_even() },
                    _ => Address::Vector { index: quotient(b, &parts), byte, lanes },
                }
            }
        }
    }

    /// The index of the element of `bytes` bytes, the unit at least, that it is in.
    pub(in crate::pass) fn element(self, b: &mut Builder<'_>, offsets: &Offsets, bytes: u32) -> ArrayIndex {
        match self.as_static() {
            Some(byte) => imm(byte / bytes),
            None => ArrayIndex::Def(self.quotient(b, offsets, bytes)),
        }
    }

    /// The index of that element for an offset that is not constant.
    pub(super) fn quotient(self, b: &mut Builder<'_>, offsets: &Offsets, bytes: u32) -> Def {
        let parts = self.parts(b.shader, offsets, bytes);
        quotient(b, &parts)
    }

    fn bytes(self, b: &mut Builder<'_>) -> Def {
        let bytes = b.ishl_imm(self.value, self.unit);
        b.iadd_imm(bytes, self.plus.into())
    }

    fn is_even(self) -> bool {
        self.bits > 2 && self.low & 4 == 0
    }
}

/// Makes code for the quotient.
fn quotient(b: &mut Builder<'_>, parts: &Parts) -> Def {
    match parts.split {
        Split { term: Some(term), after } => {
            let before = variable_part(b, parts, term);
            b.iadd_imm(before, after.into())
        }
        Split { term: None, after } => b.imm32(after),
    }
}

/// Makes code for the quotient by 4. If the shift is one of a sum, each word of a vector has its own: Turnip does not know the range of
/// a sum with a shift of a sum. See `docs/spirv-shapes.md`.
fn word(b: &mut Builder<'_>, parts: &Parts) -> Def {
    match parts.split {
        Split { term: Some(term), after } if is_shifted(parts, term) && term.before != 0 => {
            shifted_sum(b, parts, term, after)
        }
        _ => quotient(b, parts),
    }
}

/// Whether the part that is not constant takes a shift, because bits are lost that it loses. A product by 1 loses them with a mask.
fn is_shifted(parts: &Parts, Term { scale, before, shift, .. }: Term) -> bool {
    let is_multiple = scale.trailing_zeros() >= shift;
    let is_bare = scale >> shift == 1 && before == 0;
    !(is_multiple && (parts.is_whole || is_bare))
}

/// Makes code for the part that is not constant. A mask of a sum costs GPUs more than the shift of NIR's own sum: see
/// `docs/spirv-shapes.md`.
fn variable_part(b: &mut Builder<'_>, parts: &Parts, term: Term) -> Def {
    if is_shifted(parts, term) {
        return shifted_sum(b, parts, term, 0);
    }
    let Term { x, scale, before, shift } = term;
    let x = b.channel(x.def, x.component);
    let product = times(b, x, scale >> shift);
    match parts.is_whole {
        true => b.iadd_imm(product, (before >> shift).into()),
        false => b.iand_imm(product, (u32::MAX >> shift).into()),
    }
}

/// `((scale * x + before) >> shift) + after` as the shift of one sum, which does not wrap.
fn shifted_sum(b: &mut Builder<'_>, parts: &Parts, Term { before, shift, .. }: Term, after: u32) -> Def {
    let scaled = b.channel(parts.scaled.def, parts.scaled.component);
    let constant = before.wrapping_add(after << shift).wrapping_sub(parts.inner);
    let sum = b.iadd_imm(scaled, constant.into());
    shift_down(b, sum, shift)
}

/// `value >> shift`. If the value is only some bits of another, they are extracted, so that the mask may become unused.
fn shift_down(b: &mut Builder<'_>, value: Def, shift: u32) -> Def {
    match masked(b.shader, value) {
        Some((x, kept)) if kept & kept.wrapping_add(1) == 0 && kept >> shift != 0 && shift != 0 => {
            let x = b.channel(x.def, x.swizzle.get(0));
            let (first, count) = (b.imm32(shift), b.imm32(kept.count_ones() - shift));
            b.alu(AluOp::ubitfield_extract, &[x, first, count])
        }
        _ => b.ushr_imm(value, shift),
    }
}

/// `value & kept`, without a mask of `value` that keeps these bits.
fn low_bits(b: &mut Builder<'_>, value: Def, kept: u32) -> Def {
    let value = match masked(b.shader, value) {
        Some((x, mask)) if mask & kept == kept => b.channel(x.def, x.swizzle.get(0)),
        _ => value,
    };
    b.iand_imm(value, kept.into())
}

/// The other operand and the mask, if `value` is some bits of another value.
fn masked(shader: &Shader, value: Def) -> Option<(AluSrc, u32)> {
    match shader.as_alu(value)? {
        (AluOp::iand, [x, kept]) => shader.as_const_src(*kept).map(|kept| (*x, kept as u32)),
        _ => None,
    }
}

fn times(b: &mut Builder<'_>, x: Def, scale: u32) -> Def {
    if scale.is_power_of_two() {
        return b.ishl_imm(x, scale.trailing_zeros());
    }
    let scale = b.imm32(scale);
    b.alu(AluOp::imul, &[x, scale])
}

/// A byte address, by its known bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::pass) enum Address {
    /// A constant.
    Static { byte: u32 },
    /// Byte `byte` of vector `index`, in vectors of `lanes` lanes: 4 or 2.
    Vector { index: Def, byte: u32, lanes: u32 },
    /// Byte `byte` (below 4) of lane `index`, counted over all vectors; `even` if that is known to be an even lane.
    Dword { index: Def, byte: u32, even: bool },
    /// Byte `offset`, which is `mul * n + rem` with `mul` 1 or 2.
    Byte { offset: Def, mul: u32, rem: u32 },
}

impl Address {
    /// The byte of the first dword at which the access starts, where it is known.
    pub(super) fn start(self) -> u32 {
        match self {
            Address::Static { byte } | Address::Vector { byte, .. } | Address::Dword { byte, .. } => byte % 4,
            Address::Byte { .. } => 0,
        }
    }

    /// The indices in `memory` of dword `k`, counted from the dword that contains the first byte.
    pub(super) fn indices(self, b: &mut Builder<'_>, memory: &MemoryView, k: u32) -> LaneIndices {
        let lanes = memory.lanes;
        match self {
            Address::Static { byte } => {
                let dword = byte / 4 + k;
                LaneIndices { element: imm(dword / lanes), lane: imm(dword % lanes) }
            }
            Address::Vector { index, byte, lanes: own } => {
                debug_assert_eq!(own, lanes, "the memory is of such vectors");
                let dword = byte / 4 + k;
                let element = b.iadd_imm(index, u64::from(dword / lanes));
                LaneIndices { element: ArrayIndex::Def(element), lane: imm(dword % lanes) }
            }
            Address::Dword { index, even: true, .. } if k % 2 == 1 && lanes == 4 => {
                // The dword after an even one is in the same vec4.
                let before = b.iadd_imm(index, u64::from(k - 1));
                let mut indices = LaneIndices::of_dword(b, memory, before);
                if let ArrayIndex::Def(lane) = indices.lane {
                    indices.lane = ArrayIndex::Def(b.iadd_imm(lane, 1));
                }
                indices
            }
            Address::Dword { index, .. } => {
                let dword = b.iadd_imm(index, u64::from(k));
                LaneIndices::of_dword(b, memory, dword)
            }
            Address::Byte { offset, .. } => {
                let first = b.ushr_imm(offset, 2);
                let dword = b.iadd_imm(first, u64::from(k));
                LaneIndices::of_dword(b, memory, dword)
            }
        }
    }

    /// True if dword `k` is known to be in an even lane.
    pub(super) fn is_even(self, k: u32) -> bool {
        match self {
            Address::Static { byte } | Address::Vector { byte, .. } => (byte / 4 + k) % 2 == 0,
            Address::Dword { even, .. } => even && k % 2 == 0,
            Address::Byte { .. } => false,
        }
    }

    /// The lane of the first dword in its vector of `lanes` lanes, if it is known: then those of all dwords are known.
    pub(super) fn first_lane(self, lanes: u32) -> Option<u32> {
        match self {
            Address::Static { byte } | Address::Vector { byte, .. } => Some(byte / 4 % lanes),
            Address::Dword { .. } | Address::Byte { .. } => None,
        }
    }
}

/// The possible element types of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Granularity {
    /// `uvec4`, the layout that is legal everywhere.
    Vec4s,
    /// `uint`.
    Words,
    /// `uvec4`, `uvec2` or `uint`, by access.
    All,
}

impl Granularity {
    /// The number of lanes of the vectors that an index counts, if `lanes` would be possible: 1 for single lanes.
    fn counted(self, lanes: u32) -> u32 {
        match self {
            Granularity::Vec4s if lanes == 4 => 4,
            Granularity::Vec4s | Granularity::Words => 1,
            Granularity::All => lanes,
        }
    }

    /// The number of lanes of the elements of the view for vectors of `counted` lanes.
    fn lanes(self, counted: u32) -> u32 {
        match self {
            Granularity::Vec4s => 4,
            Granularity::Words => 1,
            Granularity::All => counted,
        }
    }
}

/// Indices of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneIndices {
    pub(super) element: ArrayIndex,
    pub(super) lane: ArrayIndex,
}

impl LaneIndices {
    pub(super) fn of_dword(b: &mut Builder<'_>, memory: &MemoryView, dword: Def) -> LaneIndices {
        if memory.lanes == 1 {
            return LaneIndices { element: ArrayIndex::Def(dword), lane: imm(0) };
        }
        let vec4 = shift_down(b, dword, 2);
        let lane = low_bits(b, dword, 3);
        LaneIndices { element: ArrayIndex::Def(vec4), lane: ArrayIndex::Def(lane) }
    }

    pub(super) fn is_outside(self, memory: &MemoryView) -> bool {
        let len = memory.len.map(|len| i64::from(len) * i64::from(4 / memory.lanes));
        matches!((self.element, len), (ArrayIndex::Imm(i), Some(len)) if i >= len)
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
