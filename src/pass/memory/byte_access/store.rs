// SPDX-License-Identifier: MIT

//! Stores: joins parts of values into dwords, and dwords into vec4s; stores parts of dwords without changing the rest.

use super::address::{imm, rest_of, Address, LaneIndices};
use super::{pair, pointer, MemoryView, Whole, MAX_DWORDS};
use crate::ir::{AluFlags, AluSrc, Builder, Def, Shader};
use crate::op::{AluOp, AtomicOp, Index, Intrinsic};

/// Stores the components of `value` that are in `write_mask`.
pub(in crate::pass) fn store(b: &mut Builder<'_>, memory: &MemoryView, address: Address, value: Def, write_mask: u32) {
    let (components, bits) = (b.shader.num_components(value), b.shader.bit_size(value));
    let written = (0..components).filter(|c| write_mask >> c & 1 != 0);
    let mut parts: Box<Vec<Part>> = b.shader.take_spare();
    parts.clear();
    for c in written {
        let component = b.channel(value, c);
        push_parts(b, component, u32::from(c) * u32::from(bits) / 8, &mut parts);
    }
    match address {
        Address::Byte { offset, mul, rem } => {
            for part in parts.iter().copied() {
                store_unaligned(b, memory, offset, (mul, rem), part);
            }
        }
        _ => store_parts(b, memory, address, &parts),
    }
    b.shader.give_back(parts);
    debug_assert!(bits >= 8, "booleans have no memory layout");
}

/// `bytes` (1, 2 or 4) bytes to store at byte `at` from the address, in the low bits of a 32-bit value.
#[derive(Clone, Copy)]
struct Part {
    value: Def,
    at: u32,
    bytes: u32,
}

impl Part {
    fn mask(self) -> u32 {
        (u64::MAX >> (64 - 8 * self.bytes)) as u32
    }
}

fn push_parts(b: &mut Builder<'_>, scalar: Def, at: u32, parts: &mut Vec<Part>) {
    match b.shader.bit_size(scalar) {
        64 => {
            let halves = b.alu(AluOp::unpack_64_2x32, &[scalar]);
            for half in 0..2 {
                parts.push(Part { value: b.channel(halves, half), at: at + 4 * u32::from(half), bytes: 4 });
            }
        }
        32 => parts.push(Part { value: scalar, at, bytes: 4 }),
        bits => {
            let value = b.alu_with(AluOp::u2u32, AluFlags::empty(), &[scalar.into()], Some((1, 32)));
            parts.push(Part { value, at, bytes: u32::from(bits) / 8 });
        }
    }
}

/// The new bits of one dword: a value, and a mask of its bits.
#[derive(Clone, Copy, Default)]
struct Image {
    value: Option<Def>,
    mask: u32,
}

impl Image {
    fn add(&mut self, b: &mut Builder<'_>, value: Def, mask: u32) {
        self.value = Some(match self.value {
            None => value,
            Some(old) => b.alu(AluOp::ior, &[old, value]),
        });
        self.mask |= mask;
    }
}

/// Stores parts whose position within a dword is known: dword by dword, whole vec4s at once.
fn store_parts(b: &mut Builder<'_>, memory: &MemoryView, address: Address, parts: &[Part]) {
    let mut images = [Image::default(); MAX_DWORDS];
    for part in parts {
        let byte = address.start() + part.at;
        let (k, shift) = (byte as usize / 4, byte % 4 * 8);
        let low = b.ishl_imm(part.value, shift);
        images[k].add(b, low, part.mask() << shift);
        if shift + 8 * part.bytes > 32 {
            let high = b.ushr_imm(part.value, 32 - shift);
            images[k + 1].add(b, high, part.mask() >> (32 - shift));
        }
    }
    let mut k = 0;
    while k < MAX_DWORDS {
        let Some(value) = images[k].value else {
            k += 1;
            continue;
        };
        let indices = address.indices(b, memory, k as u32);
        let high = images.get(k + 1).filter(|high| images[k].mask & high.mask == u32::MAX).and_then(|high| high.value);
        if let (true, Some(high)) = (memory.in_pairs && address.is_even(k as u32), high) {
            if !indices.is_outside(memory) {
                pair::store_both(b, memory, indices, [value, high]);
            }
            k += 2;
            continue;
        }
        let count = memory.lanes as usize;
        let next = &images[k..(k + count).min(MAX_DWORDS)];
        let has_lanes = address.first_lane(memory.lanes).is_some() && indices.lane == imm(0);
        let whole = has_lanes && memory.whole != Whole::Never && count > 1;
        if whole && next.len() == count && next.iter().all(|image| image.mask == u32::MAX) {
            let mut lanes = [value; 4];
            for (lane, image) in lanes.iter_mut().zip(next) {
                *lane = image.value.unwrap_or(value);
            }
            store_vector(b, memory, indices, &lanes[..count]);
            k += count;
            continue;
        }
        store_lane(b, memory, indices, value, Mask::Static(images[k].mask));
        k += 1;
    }
}

fn store_vector(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices, lanes: &[Def]) {
    if indices.is_outside(memory) {
        return;
    }
    let value = whole_vector(b.shader, lanes).unwrap_or_else(|| b.vec(lanes));
    let pointer = b.deref_array(memory.base, indices.element);
    b.store_deref(pointer, value, 0xf, memory.access);
}

/// The vector whose components, in order, `lanes` are.
fn whole_vector(shader: &Shader, lanes: &[Def]) -> Option<Def> {
    let mut whole = None;
    for (i, lane) in lanes.iter().enumerate() {
        let (AluOp::mov, [AluSrc { def, swizzle }]) = shader.as_alu(*lane)? else { return None };
        let fits = usize::from(shader.num_components(*def)) == lanes.len() && usize::from(swizzle.get(0)) == i;
        if !fits || whole.is_some_and(|other| other != *def) {
            return None;
        }
        whole = Some(*def);
    }
    whole
}

/// The bits of a dword that a store changes.
#[derive(Clone, Copy)]
enum Mask {
    Static(u32),
    Dynamic(Def),
}

impl Mask {
    fn as_def(self, b: &mut Builder<'_>) -> Def {
        match self {
            Mask::Static(mask) => b.imm32(mask),
            Mask::Dynamic(mask) => mask,
        }
    }
}

/// Stores one dword, or the bits of it that are in `mask` and `value`. If other invocations may write the other bits at the
/// same time, those are preserved by clearing and setting bits atomically.
fn store_lane(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices, value: Def, mask: Mask) {
    if indices.is_outside(memory) {
        return;
    }
    if memory.in_pairs {
        let mask = mask.as_def(b);
        return pair::store_lane(b, memory, indices, value, mask);
    }
    let pointer = pointer(b, memory, indices);
    if let Mask::Static(u32::MAX) = mask {
        return b.store_deref(pointer, value, 1, memory.access);
    }
    let mask = mask.as_def(b);
    let keep = b.alu(AluOp::inot, &[mask]);
    if memory.shared {
        for (op, operand) in [(AtomicOp::iand, keep), (AtomicOp::ior, value)] {
            let indices = [(Index::access, memory.access), (Index::atomic_op, op as u32)];
            b.intrinsic_with(Intrinsic::deref_atomic, 1, 32, &[pointer, operand], &indices);
        }
        return;
    }
    let old = b.load_deref(pointer, memory.access);
    let kept = b.alu(AluOp::iand, &[old, keep]);
    let new = b.alu(AluOp::ior, &[kept, value]);
    b.store_deref(pointer, new, 1, memory.access);
}

/// Stores a part at an address whose position within a dword is unknown: its low bytes into the dword of the first byte, the
/// rest into the dword of the last, which may be the same.
fn store_unaligned(b: &mut Builder<'_>, memory: &MemoryView, offset: Def, (mul, rem): (u32, u32), part: Part) {
    let first = b.iadd_imm(offset, u64::from(part.at));
    let shift = b.iand_imm(first, 3);
    let shift = b.ishl_imm(shift, 3);
    let all = b.imm32(part.mask());

    let low = b.alu(AluOp::ishl, &[part.value, shift]);
    let low_mask = b.alu(AluOp::ishl, &[all, shift]);
    let dword = b.ushr_imm(first, 2);
    let indices = LaneIndices::of_dword(b, memory, dword);
    store_lane(b, memory, indices, low, Mask::Dynamic(low_mask));

    let largest_start = 4 - mul + (rem + part.at) % mul;
    if largest_start + part.bytes <= 4 {
        return;
    }
    let rest = rest_of(b, shift);
    let half = b.ushr_imm(part.value, 1);
    let high = b.alu(AluOp::ushr, &[half, rest]);
    let half_mask = b.ushr_imm(all, 1);
    let high_mask = b.alu(AluOp::ushr, &[half_mask, rest]);
    let last = b.iadd_imm(first, u64::from(part.bytes - 1));
    let dword = b.ushr_imm(last, 2);
    let indices = LaneIndices::of_dword(b, memory, dword);
    store_lane(b, memory, indices, high, Mask::Dynamic(high_mask));
}
