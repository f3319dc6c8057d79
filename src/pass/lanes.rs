//! The lane loader: bytes at an offset as loads and stores of 32-bit lanes of `uvec4 base[]`.
//!
//! Every buffer and memory that NIR addresses in bytes becomes a block `struct { uvec4 base[N]; }`, the one layout that is
//! legal in every storage class without an optional layout feature (Vulkan, "Offset and Stride Assignment": arrays in
//! uniform blocks have strides that are multiples of 16). An access is then a chain of three indices: member 0, the vec4
//! (`offset >> 4`), the lane (`offset >> 2 & 3`). What is known of the offset decides the form:
//!
//! | known | form | cost besides the loads |
//! |-|-|-|
//! | the offset | [`Address::Static`] | nothing |
//! | the offset modulo 16 | [`Address::Vec4`] | one shift |
//! | the offset modulo 4 | [`Address::Dword`] | a shift and a mask per lane |
//! | less | [`Address::Byte`] | that, and shifts that move the bytes into place |
//!
//! Nothing outside the bytes asked for is touched, but for the other bytes of a 32-bit lane, and the other lanes of a vec4
//! where [`Whole`] says that they exist. Values narrower than a lane are cut out of it; wider ones are put together.

use crate::ir::{AluFlags, AluSrc, ArrayIndex, Builder, Def, Inst, Shader};
use crate::op::{AluOp, AtomicOp, Index, Intrinsic};

/// 16 components of 8 bytes, and one more lane where they straddle.
const MAX_DWORDS: usize = 33;

/// When a whole vec4 may be loaded although not all of its lanes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// One load per lane, always.
    Never,
    /// If the last lane is wanted, so that the vec4 cannot stick out of the buffer.
    Covered,
    /// Always: the size is a multiple of 16 bytes.
    Always,
}

/// The memory behind a pointer to `uvec4 base[]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// The pointer.
    pub base: Def,
    /// [`Access`](crate::op::Access) bits of each load and store.
    pub access: u32,
    /// When whole vec4s may be loaded.
    pub whole: Whole,
    /// Number of vec4s, if known: constant offsets behind them read zeros and write nothing.
    pub len: Option<u32>,
    /// Invocations may write neighbouring bytes of one lane at the same time.
    pub shared: bool,
}

/// A byte address, by what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address {
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
pub(super) struct Vec4Offset {
    /// The part that is not constant.
    pub dynamic: Option<Def>,
    /// The rest.
    pub constant: u32,
}

impl Vec4Offset {
    /// Splits `offset`, which is `align_offset` modulo `align_mul`; `None` if its remainder modulo 16 is unknown.
    pub(super) fn new(shader: &Shader, offset: Def, align_mul: u32, align_offset: u32) -> Option<Vec4Offset> {
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
    pub(super) fn lane(self, k: u32) -> (Vec4Offset, u32) {
        let byte = self.constant.wrapping_add(4 * k);
        (Vec4Offset { constant: byte & !15, ..self }, byte / 4 % 4)
    }
}

impl Address {
    /// The address of byte offset `offset`, which is `align_offset` modulo `align_mul`.
    pub(super) fn new(b: &mut Builder<'_>, offset: Def, align_mul: u32, align_offset: u32) -> Address {
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
    pub(super) fn element(b: &mut Builder<'_>, index: ArrayIndex, bytes: u32) -> Address {
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
    fn start(self) -> u32 {
        match self {
            Address::Static { byte } | Address::Vec4 { byte, .. } | Address::Dword { byte, .. } => byte % 4,
            Address::Byte { .. } => 0,
        }
    }

    /// Where dword `k`, counted from the dword that holds the first byte, is.
    fn place(self, b: &mut Builder<'_>, k: u32) -> Place {
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

    /// True if the lane of every dword is known.
    fn has_static_lanes(self) -> bool {
        matches!(self, Address::Static { .. } | Address::Vec4 { .. })
    }
}

/// Indices of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    vec4: ArrayIndex,
    lane: ArrayIndex,
}

impl Place {
    fn of_dword(b: &mut Builder<'_>, dword: Def) -> Place {
        let vec4 = b.ushr_imm(dword, 2);
        let lane = b.iand_imm(dword, 3);
        Place { vec4: ArrayIndex::Def(vec4), lane: ArrayIndex::Def(lane) }
    }

    fn is_outside(self, memory: &Memory) -> bool {
        matches!((self.vec4, memory.len), (ArrayIndex::Imm(i), Some(len)) if i >= i64::from(len))
    }
}

fn imm(value: u32) -> ArrayIndex {
    ArrayIndex::Imm(i64::from(value))
}

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

/// Loads `components` values of `bits` bits. `others(i)` are the lanes of the `i`-th vec4 touched that other loads want.
pub(super) fn load(
    b: &mut Builder<'_>,
    memory: &Memory,
    address: Address,
    (components, bits): (u8, u8),
    others: impl Fn(u32) -> u8,
) -> Def {
    let bytes = u32::from(components) * u32::from(bits) / 8;
    let mut dwords = Vec::with_capacity(MAX_DWORDS);
    let mut start = address.start();
    if let Address::Byte { offset, mul, rem } = address {
        load_straddling(b, memory, address, bytes, (mul, rem), &mut dwords);
        let shift = b.iand_imm(offset, 3);
        let shift = b.ishl_imm(shift, 3);
        realign(b, &mut dwords, bytes, Shift::Dynamic(shift));
    } else {
        load_dwords(b, memory, address, (start + bytes).div_ceil(4), &others, &mut dwords);
        if start * 8 % u32::from(bits.min(32)) != 0 {
            realign(b, &mut dwords, bytes, Shift::Static(start * 8));
            start = 0;
        }
    }
    let first = start * 8 / u32::from(bits);
    let elements = elements(b, &dwords, bits, first, components);
    gather(b, &elements)
}

/// Loads `count` dwords whose lanes are known, or each its own.
fn load_dwords(
    b: &mut Builder<'_>,
    memory: &Memory,
    address: Address,
    count: u32,
    others: &impl Fn(u32) -> u8,
    dwords: &mut Vec<Lane>,
) {
    let mut k = 0;
    while k < count {
        let place = address.place(b, k);
        if !address.has_static_lanes() {
            dwords.push(load_lane(b, memory, place));
            k += 1;
            continue;
        }
        let ArrayIndex::Imm(first) = place.lane else { unreachable!("lanes are static") };
        let lanes = (4 - first as u32).min(count - k);
        let vec4 = (match address {
            Address::Static { byte } | Address::Vec4 { byte, .. } => byte % 16 / 4,
            _ => 0,
        } + k)
            / 4;
        load_vec4(b, memory, place, (first as u8, lanes as u8), others(vec4), dwords);
        k += lanes;
    }
}

/// Loads `lanes.1` lanes from `lanes.0` on of the vec4 at `place`, all at once where that is allowed and pays.
fn load_vec4(
    b: &mut Builder<'_>,
    memory: &Memory,
    place: Place,
    (first, count): (u8, u8),
    others: u8,
    dwords: &mut Vec<Lane>,
) {
    let own = ((1u8 << count) - 1) << first;
    let whole = match memory.whole {
        Whole::Never => false,
        Whole::Covered => own & 8 != 0 && count > 1,
        Whole::Always => (own | others).count_ones() > 1,
    };
    if whole && !place.is_outside(memory) {
        let pointer = b.deref_array(memory.base, place.vec4);
        let vec4 = b.load_deref(pointer, memory.access);
        dwords.extend((first..first + count).map(|component| Lane { def: vec4, component }));
        return;
    }
    for lane in first..first + count {
        dwords.push(load_lane(b, memory, Place { lane: imm(u32::from(lane)), ..place }));
    }
}

fn load_lane(b: &mut Builder<'_>, memory: &Memory, place: Place) -> Lane {
    if place.is_outside(memory) {
        return b.imm32(0).into();
    }
    let pointer = lane_pointer(b, memory, place);
    b.load_deref(pointer, memory.access).into()
}

fn lane_pointer(b: &mut Builder<'_>, memory: &Memory, place: Place) -> Def {
    let vec4 = b.deref_array(memory.base, place.vec4);
    b.deref_array(vec4, place.lane)
}

/// Loads every dword that `bytes` bytes at an unaligned address may touch. Whether they touch the last one depends on the
/// address, so it is found from the last byte: it is loaded twice rather than anything behind it.
fn load_straddling(
    b: &mut Builder<'_>,
    memory: &Memory,
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
        let place = if surely_touched {
            address.place(b, k)
        } else {
            let last = b.iadd_imm(offset, u64::from(bytes - 1));
            let last = b.ushr_imm(last, 2);
            Place::of_dword(b, last)
        };
        dwords.push(load_lane(b, memory, place));
    }
}

/// How far bytes have to move: bits, below 32 and a multiple of 8.
#[derive(Clone, Copy)]
enum Shift {
    Static(u32),
    Dynamic(Def),
}

/// Moves `bytes` bytes that start `shift` bits into the first dword to the start of the first dword.
fn realign(b: &mut Builder<'_>, dwords: &mut Vec<Lane>, bytes: u32, shift: Shift) {
    let count = bytes.div_ceil(4) as usize;
    let raw: Vec<Def> = dwords.iter().map(|lane| b.channel(lane.def, lane.component)).collect();
    dwords.clear();
    for k in 0..count {
        let low = shift_down(b, raw[k], shift);
        let value = match raw.get(k + 1) {
            None => low,
            Some(next) => {
                let high = shift_up_rest(b, *next, shift);
                b.alu(AluOp::ior, &[low, high])
            }
        };
        dwords.push(value.into());
    }
}

/// `value >> shift`.
fn shift_down(b: &mut Builder<'_>, value: Def, shift: Shift) -> Def {
    match shift {
        Shift::Static(bits) => b.ushr_imm(value, bits),
        Shift::Dynamic(bits) => b.alu(AluOp::ushr, &[value, bits]),
    }
}

/// `value << (32 - shift)`, 0 for a shift of 0: in two steps, as a count of 32 is one of 0 to a GPU.
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

/// 31 - shift.
fn rest_of(b: &mut Builder<'_>, shift: Def) -> Def {
    let all = b.imm32(31);
    b.alu(AluOp::ixor, &[shift, all])
}

/// Components `first .. first + count` of `bits` bits of the dwords.
fn elements(b: &mut Builder<'_>, dwords: &[Lane], bits: u8, first: u32, count: u8) -> Vec<Lane> {
    let mut unpacked: Vec<Option<Def>> = vec![None; dwords.len()];
    (first as usize..first as usize + usize::from(count))
        .map(|i| match bits {
            32 => dwords[i],
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
        })
        .collect()
}

/// The lanes as one value: a swizzle if they are of one value, else put together.
fn gather(b: &mut Builder<'_>, lanes: &[Lane]) -> Def {
    let first = lanes[0].def;
    if lanes.len() <= 4 && lanes.iter().all(|lane| lane.def == first) {
        let components: Vec<u8> = lanes.iter().map(|lane| lane.component).collect();
        return b.swizzle(first, &components);
    }
    let scalars: Vec<Def> = lanes.iter().map(|lane| b.channel(lane.def, lane.component)).collect();
    b.vec(&scalars)
}

/// Stores the components of `value` that `write_mask` names.
pub(super) fn store(b: &mut Builder<'_>, memory: &Memory, address: Address, value: Def, write_mask: u32) {
    let (components, bits) = (b.shader.num_components(value), b.shader.bit_size(value));
    let written = (0..components).filter(|c| write_mask >> c & 1 != 0);
    let mut parts = Vec::with_capacity(MAX_DWORDS);
    for c in written {
        let component = b.channel(value, c);
        push_parts(b, component, u32::from(c) * u32::from(bits) / 8, &mut parts);
    }
    match address {
        Address::Byte { offset, mul, rem } => {
            for part in parts {
                store_unaligned(b, memory, offset, (mul, rem), part);
            }
        }
        _ => store_parts(b, memory, address, &parts),
    }
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

/// What one dword gets: a value, and which of its bits count.
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

/// Stores parts whose place within a dword is known: dword by dword, whole vec4s at once.
fn store_parts(b: &mut Builder<'_>, memory: &Memory, address: Address, parts: &[Part]) {
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
        let place = address.place(b, k as u32);
        let next = &images[k..(k + 4).min(MAX_DWORDS)];
        let whole = address.has_static_lanes() && memory.whole != Whole::Never && place.lane == imm(0);
        if whole && next.len() == 4 && next.iter().all(|image| image.mask == u32::MAX) {
            let lanes: Vec<Def> = next.iter().filter_map(|image| image.value).collect();
            store_vec4(b, memory, place, &lanes);
            k += 4;
            continue;
        }
        store_lane(b, memory, place, value, Mask::Static(images[k].mask));
        k += 1;
    }
}

fn store_vec4(b: &mut Builder<'_>, memory: &Memory, place: Place, lanes: &[Def]) {
    if place.is_outside(memory) {
        return;
    }
    let value = whole_vector(b.shader, lanes).unwrap_or_else(|| b.vec(lanes));
    let pointer = b.deref_array(memory.base, place.vec4);
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

/// Which bits of a dword a store changes.
#[derive(Clone, Copy)]
enum Mask {
    Static(u32),
    Dynamic(Def),
}

/// Stores one dword, or the bits of it that `mask` names and `value` holds. Where other invocations may write the other
/// bits meanwhile, those are kept by clearing and setting bits atomically.
fn store_lane(b: &mut Builder<'_>, memory: &Memory, place: Place, value: Def, mask: Mask) {
    if place.is_outside(memory) {
        return;
    }
    let pointer = lane_pointer(b, memory, place);
    let mask = match mask {
        Mask::Static(u32::MAX) => return b.store_deref(pointer, value, 1, memory.access),
        Mask::Static(mask) => b.imm32(mask),
        Mask::Dynamic(mask) => mask,
    };
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

/// Stores a part at an address whose place within a dword is unknown: its low bytes into the dword of the first byte, the
/// rest into the dword of the last, which may be the same.
fn store_unaligned(b: &mut Builder<'_>, memory: &Memory, offset: Def, (mul, rem): (u32, u32), part: Part) {
    let first = b.iadd_imm(offset, u64::from(part.at));
    let shift = b.iand_imm(first, 3);
    let shift = b.ishl_imm(shift, 3);
    let all = b.imm32(part.mask());

    let low = b.alu(AluOp::ishl, &[part.value, shift]);
    let low_mask = b.alu(AluOp::ishl, &[all, shift]);
    let dword = b.ushr_imm(first, 2);
    let place = Place::of_dword(b, dword);
    store_lane(b, memory, place, low, Mask::Dynamic(low_mask));

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
    let place = Place::of_dword(b, dword);
    store_lane(b, memory, place, high, Mask::Dynamic(high_mask));
}

/// A pointer to the lane at `address`, for an atomic; the address is a multiple of 4.
pub(super) fn atomic_pointer(b: &mut Builder<'_>, memory: &Memory, address: Address) -> Option<Def> {
    let place = address.place(b, 0);
    (!place.is_outside(memory)).then(|| lane_pointer(b, memory, place))
}

/// The atomic `inst`, whose data starts at source `data`, on the lane at `pointer`.
pub(super) fn atomic(b: &mut Builder<'_>, inst: Inst, pointer: Def, data: usize) -> Def {
    let mut srcs = vec![pointer];
    if let Some((_, old)) = b.shader.as_intrinsic(inst) {
        srcs.extend_from_slice(&old[data..]);
    }
    let op = if srcs.len() == 3 { Intrinsic::deref_atomic_swap } else { Intrinsic::deref_atomic };
    let indices = [Index::access, Index::atomic_op].map(|index| (index, b.shader.index(inst, index)));
    let bits = b.shader.insts[inst].bit_size;
    b.intrinsic_with(op, 1, bits, &srcs, &indices).def()
}
