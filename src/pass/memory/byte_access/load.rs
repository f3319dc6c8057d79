// SPDX-License-Identifier: MIT

//! Loads: reads dwords from lanes or whole vec4s, shifts them, and splits or joins them.

use super::address::{imm, rest_of, Address, LaneIndices};
use super::{load_lane, pair, MemoryView, Whole};
use crate::ir::{ArrayIndex, Builder, Def};
use crate::op::{Access, AluOp};

/// A component of a value.
#[derive(Clone, Copy, Debug)]
struct Lane {
    def: Def,
    component: u8,
}

impl From<Def> for Lane {
    fn from(def: Def) -> Lane {
        Lane { def, component: 0 }
    }
}

/// Loads `components` values of `bits` bits.
pub(in crate::pass) fn load(
    b: &mut Builder<'_>,
    memory: &MemoryView,
    address: Address,
    (components, bits): (u8, u8),
) -> Def {
    let bytes = u32::from(components) * u32::from(bits) / 8;
    if memory.in_pairs && bits == 64 && address.is_even(0) && address.start() == 0 {
        return b.vec_of(components, |b, c| {
            let indices = address.indices(b, memory, 2 * u32::from(c));
            pair::load_element(b, memory, indices)
        });
    }
    if let Some(value) = load_from_one(b, memory, address, (bytes, bits)) {
        return value;
    }
    let mut dwords: Box<Vec<Lane>> = b.shader.take_spare();
    dwords.clear();
    let mut start = address.start();
    if let Address::Byte { offset, mul, rem } = address {
        load_straddling(b, memory, address, bytes, (mul, rem), &mut dwords);
        let shift = b.iand_imm(offset, 3);
        let shift = b.ishl_imm(shift, 3);
        realign(b, &mut dwords, bytes, Shift::Dynamic(shift));
    } else {
        load_dwords(b, memory, address, (start + bytes).div_ceil(4), &mut dwords);
        if start * 8 % u32::from(bits.min(32)) != 0 {
            realign(b, &mut dwords, bytes, Shift::Static(start * 8));
            start = 0;
        }
    }
    let first = start * 8 / u32::from(bits);
    let value = match bits {
        32 => gather(b, &dwords[first as usize..][..usize::from(components)]),
        _ => gather_elements(b, &dwords, bits, first as usize, usize::from(components)),
    };
    b.shader.give_back(dwords);
    value
}

/// Fast path for the common case: up to four lanes of one vec4 at known positions that are loaded with all of it, or a single
/// lane.
fn load_from_one(b: &mut Builder<'_>, memory: &MemoryView, address: Address, (bytes, bits): (u32, u8)) -> Option<Def> {
    let first = address.first_lane(memory.lanes)?;
    let count = bytes / 4;
    if address.start() != 0 || bits < 32 || first + count > memory.lanes {
        return None;
    }
    let indices = address.indices(b, memory, 0);
    let (first, count) = (first as u8, count as u8);
    if !memory.reads_whole(indices, lanes_of(first, count)) || indices.is_outside(memory) {
        return (count == 1).then(|| load_lane(b, memory, indices));
    }
    let vec4 = load_whole(b, memory, indices);
    let lanes = [first, first + 1, first + 2, first + 3];
    if bits == 32 {
        return Some(b.swizzle(vec4, &lanes[..usize::from(count)]));
    }
    let mut pairs = [vec4; 2];
    for (pair, lanes) in pairs.iter_mut().zip(lanes.chunks_exact(2)).take(usize::from(count / 2)) {
        let lanes = b.swizzle(vec4, lanes);
        *pair = b.alu(AluOp::pack_64_2x32, &[lanes]);
    }
    Some(b.vec(&pairs[..usize::from(count / 2)]))
}

/// Loads `count` dwords with known lanes, or each from its own lane.
fn load_dwords(b: &mut Builder<'_>, memory: &MemoryView, address: Address, count: u32, dwords: &mut Vec<Lane>) {
    let own = address.first_lane(memory.lanes);
    let mut k = 0;
    while k < count {
        let indices = address.indices(b, memory, k);
        let Some(own) = own else {
            dwords.push(load_lane(b, memory, indices).into());
            k += 1;
            continue;
        };
        let first = (own + k) % memory.lanes;
        let lanes = (memory.lanes - first).min(count - k);
        load_vector(b, memory, indices, (first as u8, lanes as u8), dwords);
        k += lanes;
    }
}

/// A bit for each of `count` lanes from `first` on.
fn lanes_of(first: u8, count: u8) -> u8 {
    ((1u8 << count) - 1) << first
}

impl MemoryView {
    /// Whether the lanes `own` are loaded with their whole vector: if all of it may be read, and if it saves loads.
    fn reads_whole(&self, indices: LaneIndices, own: u8) -> bool {
        let covers = own >> (self.lanes - 1) & 1 != 0;
        let may = match (self.whole, indices.element) {
            // Only loads of scalars are atomic.
            _ if Access::from_bits_retain(self.access).contains(Access::ATOMIC) => false,
            (Whole::Never, _) => false,
            (Whole::Covered, _) => covers,
            (Whole::Until(end), ArrayIndex::Imm(element)) => {
                covers || (element + 1) * i64::from(4 * self.lanes) <= end.into()
            }
            (Whole::Until(_), ArrayIndex::Def(_)) => covers,
            (Whole::Always, _) => true,
        };
        may && own.count_ones() > 1
    }
}

/// Loads the vector at `indices`.
fn load_whole(b: &mut Builder<'_>, memory: &MemoryView, indices: LaneIndices) -> Def {
    let pointer = b.deref_array(memory.base, indices.element);
    b.load_deref(pointer, memory.access)
}

/// Loads `count` lanes from `first` on of the vector at `indices`.
fn load_vector(
    b: &mut Builder<'_>,
    memory: &MemoryView,
    indices: LaneIndices,
    (first, count): (u8, u8),
    dwords: &mut Vec<Lane>,
) {
    let own = lanes_of(first, count);
    if memory.reads_whole(indices, own) && !indices.is_outside(memory) {
        let vec4 = load_whole(b, memory, indices);
        dwords.extend((first..first + count).map(|component| Lane { def: vec4, component }));
        return;
    }
    for lane in first..first + count {
        dwords.push(load_lane(b, memory, LaneIndices { lane: imm(u32::from(lane)), ..indices }).into());
    }
}

/// Loads every dword that `bytes` bytes at an unaligned address may touch. Whether they touch the last one depends on the
/// address, so its index is computed from the last byte: the same dword may be loaded twice, but none beyond it.
fn load_straddling(
    b: &mut Builder<'_>,
    memory: &MemoryView,
    address: Address,
    bytes: u32,
    (mul, rem): (u32, u32),
    dwords: &mut Vec<Lane>,
) {
    let Address::Byte { offset, .. } = address else { unreachable!("only unaligned addresses straddle") };
    let largest_start = 4 - mul + rem % mul;
    let count = (largest_start + bytes).div_ceil(4);
    for k in 0..count {
        let surely_touched = k == 0 || 4 * k < bytes;
        let indices = if surely_touched {
            address.indices(b, memory, k)
        } else {
            let last = b.iadd_imm(offset, u64::from(bytes - 1));
            let last = b.ushr_imm(last, 2);
            LaneIndices::of_dword(b, memory, last)
        };
        dwords.push(load_lane(b, memory, indices).into());
    }
}

/// The distance that bytes have to move: in bits, below 32 and a multiple of 8.
#[derive(Clone, Copy)]
enum Shift {
    Static(u32),
    Dynamic(Def),
}

/// Moves `bytes` bytes that start `shift` bits into the first dword to the start of the first dword.
fn realign(b: &mut Builder<'_>, dwords: &mut Vec<Lane>, bytes: u32, shift: Shift) {
    for lane in dwords.iter_mut() {
        *lane = b.channel(lane.def, lane.component).into();
    }
    let count = bytes.div_ceil(4) as usize;
    for k in 0..count {
        let low = shift_down(b, dwords[k].def, shift);
        let value = match dwords.get(k + 1) {
            None => low,
            Some(next) => {
                let high = shift_up_rest(b, next.def, shift);
                b.alu(AluOp::ior, &[low, high])
            }
        };
        dwords[k] = value.into();
    }
    dwords.truncate(count);
}

/// `value >> shift`.
fn shift_down(b: &mut Builder<'_>, value: Def, shift: Shift) -> Def {
    match shift {
        Shift::Static(bits) => b.ushr_imm(value, bits),
        Shift::Dynamic(bits) => b.alu(AluOp::ushr, &[value, bits]),
    }
}

/// `value << (32 - shift)`, 0 for a shift of 0: in two steps, because GPUs take a count of 32 as 0.
fn shift_up_rest(b: &mut Builder<'_>, value: Def, shift: Shift) -> Def {
    match shift {
        Shift::Static(bits) => b.ishl_imm(value, 32 - bits),
        Shift::Dynamic(bits) => {
            let once = b.ishl_imm(value, 1);
            let rest = rest_of(b, bits);
            b.alu(AluOp::ishl, &[once, rest])
        }
    }
}

/// Components `first .. first + count` of `bits` bits, not 32, of the dwords, as one value.
fn gather_elements(b: &mut Builder<'_>, dwords: &[Lane], bits: u8, first: usize, count: usize) -> Def {
    // The maximum number of components of a vector, and the dwords that these use where they have less than 32 bits.
    let (mut elements, mut unpacked) = ([dwords[0]; 16], [None; 16]);
    for (i, element) in (first..).zip(&mut elements[..count]) {
        *element = match bits {
            64 => {
                let pair = gather(b, &dwords[2 * i..2 * i + 2]);
                b.alu(AluOp::pack_64_2x32, &[pair]).into()
            }
            _ => {
                let (op, per_dword) = if bits == 16 { (AluOp::unpack_32_2x16, 2) } else { (AluOp::unpack_32_4x8, 4) };
                let at = i / per_dword;
                let lane = dwords[at];
                let parts = *unpacked[at].get_or_insert_with(|| {
                    let dword = b.channel(lane.def, lane.component);
                    b.alu(op, &[dword])
                });
                Lane { def: parts, component: (i % per_dword) as u8 }
            }
        };
    }
    gather(b, &elements[..count])
}

/// Makes one value of the lanes: a swizzle if they are of one value, else a vector.
fn gather(b: &mut Builder<'_>, lanes: &[Lane]) -> Def {
    let first = lanes[0].def;
    if lanes.len() <= 4 && lanes.iter().all(|lane| lane.def == first) {
        let mut components = [0; 4];
        components.iter_mut().zip(lanes).for_each(|(component, lane)| *component = lane.component);
        return b.swizzle(first, &components[..lanes.len()]);
    }
    // The maximum number of components of a vector.
    let mut scalars = [first; 16];
    scalars.iter_mut().zip(lanes).for_each(|(scalar, lane)| *scalar = b.channel(lane.def, lane.component));
    b.vec(&scalars[..lanes.len()])
}
