// SPDX-License-Identifier: MIT

//! Atomics: on a lane, on the element of a pair, or on a part of either by a loop that exchanges the whole.

use super::address::{Address, LaneIndices};
use super::{pair, pointer, MemoryView};
use crate::ir::{ArrayIndex, Builder, Def, Inst};
use crate::op::{AluOp, AtomicOp, Index, Intrinsic};
use crate::pass::memory::lower_atomics::{compare_exchange_loop, updated, Data};
use crate::target::Target;

/// The atomic `inst`, whose data starts at source `data`, at `address`, which is a multiple of its size. Beyond the end of the
/// memory it returns 0.
pub(in crate::pass) fn atomic(
    b: &mut Builder<'_>,
    target: &Target,
    memory: &MemoryView,
    address: Address,
    (inst, data): (Inst, usize),
) -> Def {
    let bits = b.shader.insts[inst].bit_size;
    let indices = address.indices(b, memory, 0);
    if indices.is_outside(memory) {
        return b.imm(bits, 0);
    }
    match (bits, memory.in_pairs) {
        (64, _) => {
            let pointer = pair::pointer(b, memory, indices);
            atomic_at(b, inst, pointer, data)
        }
        (32, false) => {
            let pointer = pointer(b, memory, indices);
            atomic_at(b, inst, pointer, data)
        }
        (_, false) => {
            let whole = Whole { pointer: pointer(b, memory, indices), bits: 32 };
            let shift = shift_in_lane(b, address);
            atomic_on_part(b, target, whole, shift, (inst, data))
        }
        (_, true) => {
            let whole = Whole { pointer: pair::pointer(b, memory, indices), bits: 64 };
            let shift = shift_in_pair(b, address, indices);
            atomic_on_part(b, target, whole, shift, (inst, data))
        }
    }
}

/// The atomic `inst`, whose data starts at source `data`, on `pointer`.
pub(in crate::pass) fn atomic_at(b: &mut Builder<'_>, inst: Inst, pointer: Def, data: usize) -> Def {
    let data = b.shader.as_intrinsic(inst).map_or(&[][..], |(_, srcs)| &srcs[data..]);
    let (mut srcs, count) = ([pointer; 3], 1 + data.len());
    srcs[1..count].copy_from_slice(data);
    let op = if count == 3 { Intrinsic::deref_atomic_swap } else { Intrinsic::deref_atomic };
    let indices = [Index::access, Index::atomic_op].map(|index| (index, b.shader.index(inst, index)));
    let bits = b.shader.insts[inst].bit_size;
    b.intrinsic_with(op, 1, bits, &srcs[..count], &indices).def()
}

/// The operand of a compare-exchange.
#[derive(Clone, Copy)]
struct Whole {
    pointer: Def,
    bits: u8,
}

/// The number of bits in its lane below the start of an access.
fn shift_in_lane(b: &mut Builder<'_>, address: Address) -> Def {
    match address {
        Address::Byte { offset, .. } => {
            let byte = b.iand_imm(offset, 3);
            b.ishl_imm(byte, 3)
        }
        known => b.imm32(8 * known.start()),
    }
}

/// The number of bits in its element below the start of an access.
fn shift_in_pair(b: &mut Builder<'_>, address: Address, indices: LaneIndices) -> Def {
    let lane = match indices.lane {
        ArrayIndex::Imm(lane) => b.imm32(lane as u32),
        ArrayIndex::Def(lane) => lane,
    };
    let upper = b.iand_imm(lane, 1);
    let upper = b.ishl_imm(upper, 5);
    let shift = shift_in_lane(b, address);
    b.iadd(upper, shift)
}

/// The atomic on the bits from `shift` up of `whole`.
fn atomic_on_part(b: &mut Builder<'_>, target: &Target, whole: Whole, shift: Def, (inst, data): (Inst, usize)) -> Def {
    let bits = b.shader.insts[inst].bit_size;
    let data = Data::of(b.shader, inst, data);
    let access = b.shader.index(inst, Index::access);
    let Some(op) = AtomicOp::ALL.get(b.shader.index(inst, Index::atomic_op) as usize).copied() else {
        return b.imm(bits, 0);
    };
    let ones = b.imm(whole.bits, u64::MAX >> (64 - bits));
    let field = b.alu(AluOp::ishl, &[ones, shift]);
    let rest = b.alu(AluOp::inot, &[field]);
    let seen = compare_exchange_loop(b, target, (whole.pointer, whole.bits), access, |b, all| {
        let old = part(b, all, shift, bits);
        let new = updated(b, op, old, data);
        let new = b.alu(to_width(whole.bits), &[new]);
        let new = b.alu(AluOp::ishl, &[new, shift]);
        let kept = b.alu(AluOp::iand, &[all, rest]);
        b.alu(AluOp::ior, &[kept, new])
    });
    part(b, seen, shift, bits)
}

/// `bits` bits of `all` from `shift` up.
fn part(b: &mut Builder<'_>, all: Def, shift: Def, bits: u8) -> Def {
    let low = b.alu(AluOp::ushr, &[all, shift]);
    b.alu(to_width(bits), &[low])
}

fn to_width(bits: u8) -> AluOp {
    match bits {
        8 => AluOp::u2u8,
        16 => AluOp::u2u16,
        32 => AluOp::u2u32,
        _ => AluOp::u2u64,
    }
}
