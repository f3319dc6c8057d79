// SPDX-License-Identifier: MIT

//! Lanes of a memory whose elements are `uint64_t`: each is half of an element.
//!
//! 64-bit atomics need a pointer to 64 bits. If no second view of the memory can alias the first (Workgroup variables without
//! an explicit layout), all accesses use 64-bit elements.

use super::address::LaneIndices;
use super::MemoryView;
use crate::ir::{AluFlags, ArrayIndex, Builder, Def};
use crate::op::{AluOp, AtomicOp, Index, Intrinsic};

/// A deref of the element that contains the lane at `indices`.
pub(super) fn pointer(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    let index = match (indices.element, indices.lane) {
        (ArrayIndex::Imm(vec4), ArrayIndex::Imm(lane)) => ArrayIndex::Imm(vec4 * 2 + lane / 2),
        (vec4, lane) => {
            let (vec4, lane) = (as_def(b, vec4), as_def(b, lane));
            let first = b.ishl_imm(vec4, 1);
            let half = b.ushr_imm(lane, 1);
            ArrayIndex::Def(b.iadd(first, half))
        }
    };
    b.deref_array(memory.base, index)
}

fn as_def(b: &mut Builder<'_>, index: ArrayIndex) -> Def {
    match index {
        ArrayIndex::Imm(value) => b.imm32(value as u32),
        ArrayIndex::Def(def) => def,
    }
}

/// Whether the lane is the upper half of its element.
fn is_upper(b: &mut Builder<'_>, lane: ArrayIndex) -> Def {
    let lane = as_def(b, lane);
    let bit = b.iand_imm(lane, 1);
    let zero = b.imm32(0);
    b.alu(AluOp::ine, &[bit, zero])
}

/// Loads the element whose lower half is the lane at `indices`.
pub(super) fn load_element(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    if indices.is_outside(memory) {
        return b.imm(64, 0);
    }
    let pointer = pointer(b, memory, indices);
    b.load_deref(pointer, memory.access)
}

/// Loads one lane.
pub(super) fn load_lane(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    let pointer = pointer(b, memory, indices);
    let element = b.load_deref(pointer, memory.access);
    let halves = b.alu(AluOp::unpack_64_2x32, &[element]);
    let (low, high) = (b.channel(halves, 0), b.channel(halves, 1));
    match indices.lane {
        ArrayIndex::Imm(lane) => [low, high][lane as usize % 2],
        lane => {
            let is_upper = is_upper(b, lane);
            b.alu(AluOp::bcsel, &[is_upper, high, low])
        }
    }
}

/// Stores both lanes of the element at `indices`.
pub(super) fn store_both(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices, lanes: [Def; 2]) {
    let pair = b.vec(&lanes);
    let element = b.alu(AluOp::pack_64_2x32, &[pair]);
    let pointer = pointer(b, memory, indices);
    b.store_deref(pointer, element, 1, memory.access);
}

/// Stores the bits of one lane that are in `mask`, by clearing and setting bits of the element atomically.
pub(super) fn store_lane(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices, value: Def, mask: Def) {
    let (value, mask) = (in_element(b, indices.lane, value), in_element(b, indices.lane, mask));
    let keep = b.alu(AluOp::inot, &[mask]);
    let pointer = pointer(b, memory, indices);
    for (op, operand) in [(AtomicOp::iand, keep), (AtomicOp::ior, value)] {
        let indices = [(Index::access, memory.access), (Index::atomic_op, op as u32)];
        b.intrinsic_with(Intrinsic::deref_atomic, 1, 64, &[pointer, operand], &indices);
    }
}

/// The value of a lane at its position in the element, with the other half zero.
fn in_element(b: &mut Builder<'_>, lane: ArrayIndex, value: Def) -> Def {
    let wide = b.alu_with(AluOp::u2u64, AluFlags::empty(), &[value.into()], Some((1, 64)));
    match lane {
        ArrayIndex::Imm(lane) => b.ishl_imm(wide, 32 * (lane as u32 % 2)),
        ArrayIndex::Def(lane) => {
            let bit = b.iand_imm(lane, 1);
            let count = b.ishl_imm(bit, 5);
            b.alu(AluOp::ishl, &[wide, count])
        }
    }
}
