// SPDX-License-Identifier: MIT

//! Lowers accesses to bytes at an offset to loads and stores of 32-bit lanes of `uvec4 base[]`.
//!
//! Every buffer and memory that NIR addresses in bytes becomes a block `struct { uvec4 base[N]; }`, the one layout that is
//! legal in every storage class without an optional layout feature (Vulkan, "Offset and Stride Assignment": arrays in uniform
//! blocks have strides that are multiples of 16). An access is then a chain of three indices: member 0, the vec4 (`offset >>
//! 4`), the lane (`offset >> 2 & 3`). The form depends on the known part of the offset:
//!
//! | known | form | cost besides the loads |
//! |-|-|-|
//! | the offset | [`Address::Static`] | nothing |
//! | the offset modulo 16 | [`Address::Vector`] | a mask or a shift, or nothing |
//! | the offset modulo 4 | [`Address::Dword`] | that, and a shift and a mask per lane |
//! | less | [`Address::Byte`] | that, and shifts that move the bytes into place |
//!
//! If the layout of the memory is free, it has another [`Granularity`]: `uint base[]`, in which an unknown lane costs no more
//! than a known one, and `uvec2 base[]` for an offset that is known modulo 8.
//!
//! An [`Offset`] has the known bits before code is made. [`offsets`](crate::analysis::offsets) splits it into terms, so that
//! accesses to one vec4 are recognized. Code is made for `((scale * x + before) >> shift) + after`: the shift is undone if that
//! takes no more instructions than it saves.
//!
//! Only the requested bytes are accessed, except the other bytes of a 32-bit lane, and the other lanes of a vec4 if [`Whole`]
//! says that they exist. Values narrower than a lane are extracted from it; wider ones are joined.

mod address;
mod atomic;
mod elements;
mod load;
mod pair;
mod store;
mod wide;

pub(super) use address::{Address, Granularity, Offset};
pub(super) use atomic::{atomic, atomic_at};
pub(super) use elements::{has_elements, has_shared_elements, is_narrow, Elements};
pub(super) use load::load;
pub(super) use store::store;
pub(super) use wide::{is_single, is_wide, load_wide, uniform_granularity};

use crate::ir::{ArrayIndex, Builder, Def, Deref, DerefKind, InstKind};
use crate::op::{AluOp, AluType, Base, Modes};
use address::LaneIndices;

/// 16 components of 8 bytes, and one more lane for an unaligned start.
const MAX_DWORDS: usize = 33;

/// The condition under which a whole vec4 may be loaded although not all of its lanes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// One load per lane, always.
    Never,
    /// If the last lane is used, so that the vec4 cannot exceed the readable range.
    Covered,
    /// That, and if the vec4 is known to end at this byte or before: the range up to it may be read.
    Until(u32),
    /// Always: all of it may be read.
    Always,
}

/// The memory of a deref of `uvec4 base[]`, or another view of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryView {
    /// The deref.
    pub base: Def,
    /// [`Access`](crate::op::Access) bits of each load and store.
    pub access: u32,
    /// The condition for loads of whole vec4s.
    pub whole: Whole,
    /// The number of lanes of an element: 4, or 2 or 1 for a view of the same bytes as `uvec2` or `uint`.
    pub lanes: u32,
    /// Number of vec4s, if known: accesses at constant offsets beyond them read zeros and write nothing.
    pub len: Option<u32>,
    /// Invocations may write neighbouring bytes of one lane at the same time.
    pub shared: bool,
    /// The elements are not `uvec4` but `uint64_t`, two lanes each, for 64-bit atomics where views cannot alias.
    pub in_pairs: bool,
    /// There is no such deref: `base` is the address of the first vec4, and each lane has an address of its own.
    pub at_address: bool,
}

/// A deref of a lane.
fn pointer(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    if memory.at_address {
        return address_of(b, memory, indices);
    }
    let element = b.deref_array(memory.base, indices.element);
    if memory.lanes == 1 {
        return element;
    }
    b.deref_array(element, indices.lane)
}

/// A pointer to a lane of memory that has no deref of all of it, by the address of the lane.
fn address_of(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    let bytes = |b: &mut Builder<'_>, index, shift| match index {
        ArrayIndex::Imm(index) => b.imm32((index as u32) << shift),
        ArrayIndex::Def(index) => b.ishl_imm(index, shift),
    };
    let (vec4, lane) = (bytes(b, indices.element, 4), bytes(b, indices.lane, 2));
    let offset = b.iadd(vec4, lane);
    let offset = b.alu(AluOp::u2u64, &[offset]);
    let address = b.iadd(memory.base, offset);
    global_pointer(b, address, (1, 32), 4)
}

/// A deref of `components` numbers of `bits` bits at a global address that is a multiple of `align`.
pub(super) fn global_pointer(b: &mut Builder<'_>, address: Def, (components, bits): (u8, u8), align: u32) -> Def {
    let ty = b.shader.types.vector(AluType::new(Base::Uint, bits), components);
    let kind = DerefKind::Cast { parent: address, stride: 0, align_mul: align, align_offset: 0 };
    let width = b.shader.bit_size(address);
    let deref = b.shader.push_deref(Deref { kind, ty, modes: Modes::GLOBAL });
    b.inst(1, width, InstKind::Deref(deref)).def()
}

/// Loads one lane.
fn load_lane(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    if indices.is_outside(memory) {
        return b.imm32(0);
    }
    if memory.in_pairs {
        return pair::load_lane(b, memory, indices);
    }
    let pointer = pointer(b, memory, indices);
    b.load_deref(pointer, memory.access)
}
