// SPDX-License-Identifier: MIT

//! Turns accesses to global memory into loads and stores of derefs that are cast from addresses.
//!
//! **What.** `load_global`, `load_global_constant`, `store_global` and `global_atomic*` access a `deref_cast` of their address
//! to the vector type. 64-bit numbers are accessed as two words; vectors of more than four components, and components that the
//! write mask omits, need several accesses. Values with less alignment than their components, or of 8 or 16 bits if the target
//! has no such members of buffers, are accessed through the words that contain them; see `byte_access`.
//!
//! **Why.** SPIR-V has global memory as pointers in the PhysicalStorageBuffer class; each access has an alignment, which must
//! be at least the size of a component (VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314).
//!
//! Before:
//!
//! ```text
//! 32x3   %1 = @load_global (%0) (access=none, align_mul=16, align_offset=0)
//! @store_global (%1, %0) (wrmask=yz, access=none, align_mul=16, align_offset=0)
//! ```
//!
//! After:
//!
//! ```text
//! 64     %1 = deref_cast (uvec3 *)%0 (global uvec3)  (ptr_stride=0, align_mul=16, align_offset=0)
//! 32x3   %2 = @load_deref (%1) (access=none)
//! ...
//! 64     %7 = load_const (0x0000000000010004 = 0.000000 = 65540)
//! 64     %8 = deref_cast (uvec2 *)%7 (global uvec2)  (ptr_stride=0, align_mul=4, align_offset=0)
//! 32x2   %9 = vec2 %4, %5
//!             @store_deref (%8, %9) (wrmask=xy, access=none)
//! ```

use super::byte_access::{self, global_pointer, Address, MemoryView, Whole};
use super::memory_inst::MemoryInst;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, InstKind, Shader, TypeData};
use crate::op::meaning::{MemoryKind, MemoryOperation};
use crate::op::{AluOp, Facts, Index, Modes};
use crate::pass::{Context, Pass};
use crate::target::Target;
use std::ops::Deref;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_global",
    about: "turns accesses to global memory into loads and stores of casts of addresses",
    facts: Facts::GLOBAL_ADDRESSES.union(Facts::derefs(Modes::GLOBAL)),
    removes: Facts::GLOBAL_ADDRESSES,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let target = &context.target;
    rewrite(shader, |b, inst| match GlobalAccess::new(b, inst) {
        Some(access) => access.lower(b, target),
        // Addresses have replaced them. A target without 64-bit integers cannot compute the remaining ones.
        None if is_step(b.shader, inst) => Edit::Remove,
        None => Edit::Keep,
    })
}

/// Whether `inst` is a deref of a part of global memory.
fn is_step(shader: &Shader, inst: Inst) -> bool {
    match shader.insts[inst].kind {
        InstKind::Deref(deref) => {
            let deref = &shader.derefs[deref];
            deref.modes == Modes::GLOBAL && !matches!(deref.kind, DerefKind::Cast { .. })
        }
        _ => false,
    }
}

/// An access to global memory.
struct GlobalAccess {
    access: MemoryInst,
    address: Def,
    /// The address is `align.1` modulo `align.0`.
    align: (u32, u32),
}

impl Deref for GlobalAccess {
    type Target = MemoryInst;

    fn deref(&self) -> &MemoryInst {
        &self.access
    }
}

/// The maximum number of words of an access: those of sixteen numbers of 64 bits.
const MOST_WORDS: usize = 32;

impl GlobalAccess {
    fn new(b: &mut Builder<'_>, inst: Inst) -> Option<GlobalAccess> {
        let (op, srcs) = b.shader.as_intrinsic(inst)?;
        let first = *srcs.first()?;
        let info = op.info().memory.filter(|info| matches!(info.kind, MemoryKind::Global | MemoryKind::Deref))?;
        if info.operation == MemoryOperation::Size {
            return None;
        }
        let address = info.offset.map(|address| srcs[usize::from(address)]);
        let access = MemoryInst::new(b.shader, inst, info)?;
        let (address, align) = match address {
            Some(address) => {
                let align = (b.shader.index(inst, Index::align_mul), b.shader.index(inst, Index::align_offset));
                (address, align)
            }
            None => {
                let deref = *b.shader.as_deref(first).filter(|deref| deref.modes == Modes::GLOBAL)?;
                let align = match deref.kind {
                    DerefKind::Cast { align_mul, align_offset, .. } => (align_mul, align_offset),
                    _ => (0, 0),
                };
                (address_of(b, first)?, align)
            }
        };
        // Without a given alignment, the access has that of its components.
        let align = if align.0 == 0 { (u32::from(access.bits) / 8, 0) } else { align };
        Some(GlobalAccess { access, address, align })
    }

    /// The greatest power of two that is known to divide the address.
    fn alignment(&self) -> u32 {
        match self.align {
            (mul, 0) => mul,
            (mul, offset) => mul.min(1 << offset.trailing_zeros()),
        }
    }

    fn lower(&self, b: &mut Builder<'_>, target: &Target) -> Edit {
        let is_direct = self.alignment() >= u32::from(self.bits) / 8 || self.bits == 64 && self.alignment() >= 4;
        let has_members = byte_access::has_elements(target, self.bits);
        match self.stored(b.shader) {
            None if self.operation.is_atomic() && self.bits >= 32 => {
                let pointer = global_pointer(b, self.address, (1, self.bits), u32::from(self.bits) / 8);
                Edit::Replace(self.lower_atomic(b, pointer))
            }
            None if is_direct && has_members && !self.operation.is_atomic() => Edit::Replace(self.load(b)),
            Some((value, mask)) if is_direct && has_members => {
                self.store(b, value, mask);
                Edit::Remove
            }
            _ => self.lower_words(b, target),
        }
    }

    /// The number of words, or smaller components, of an access, and the bits of each.
    fn words(&self) -> (u8, u8) {
        if self.bits == 64 {
            (self.components * 2, 32)
        } else {
            (self.components, self.bits)
        }
    }

    /// A deref of `components` words of `bits` bits from the `first` on.
    fn pointer(&self, b: &mut Builder<'_>, first: u8, (components, bits): (u8, u8)) -> Def {
        let byte = u32::from(first) * u32::from(bits) / 8;
        let address = b.iadd_imm(self.address, u64::from(byte));
        let alignment = if byte == 0 { self.alignment() } else { self.alignment().min(1 << byte.trailing_zeros()) };
        // A larger alignment has no use.
        global_pointer(b, address, (components, bits), alignment.min(16))
    }

    fn load(&self, b: &mut Builder<'_>) -> Def {
        let (count, bits) = self.words();
        let qualifiers = self.qualifiers(b.shader);
        let mut words = [self.address; MOST_WORDS];
        for first in (0..count).step_by(4) {
            let components = (count - first).min(4);
            let pointer = self.pointer(b, first, (components, bits));
            let value = b.load_deref(pointer, qualifiers);
            if components == count && bits == self.bits {
                return value;
            }
            (0..components).for_each(|c| words[usize::from(first + c)] = b.channel(value, c));
        }
        b.vec_of(self.components, |b, c| match self.bits {
            64 => pack(b, &words[2 * usize::from(c)..][..2]),
            _ => words[usize::from(c)],
        })
    }

    fn store(&self, b: &mut Builder<'_>, value: Def, mask: u32) {
        let qualifiers = self.qualifiers(b.shader);
        let mut words = [None; MOST_WORDS];
        for c in 0..self.components {
            let written = mask >> c & 1 != 0;
            let (scalar, at) = (b.channel(value, c), usize::from(c));
            if self.bits == 64 {
                let halves = b.alu(AluOp::unpack_64_2x32, &[scalar]);
                for half in 0..2 {
                    words[2 * at + half] = Some(b.channel(halves, half as u8)).filter(|_| written);
                }
            } else {
                words[at] = Some(scalar).filter(|_| written);
            }
        }
        let (count, bits) = self.words();
        let mut first = 0;
        while first < count {
            let left = words[usize::from(first)..].iter();
            let mut run = left.take(4).map_while(|word| *word);
            let len = run.clone().count() as u8;
            if len != 0 {
                let pointer = self.pointer(b, first, (len, bits));
                let value = b.vec_of(len, |_, _| run.next().unwrap_or(value));
                b.store_deref(pointer, value, (1 << len) - 1, qualifiers);
            }
            first += len.max(1);
        }
    }

    /// Accesses the words that contain the value.
    fn lower_words(&self, b: &mut Builder<'_>, target: &Target) -> Edit {
        let (mul, offset) = self.align;
        let (base, address) = if mul >= 4 {
            let byte = offset % 4;
            (b.iadd_imm(self.address, u64::from(byte).wrapping_neg()), Address::Static { byte })
        } else {
            let low = b.alu(AluOp::u2u32, &[self.address]);
            let byte = b.iand_imm(low, 3);
            let wide = b.alu(AluOp::u2u64, &[byte]);
            let base = b.alu(AluOp::isub, &[self.address, wide]);
            (base, Address::Byte { offset: byte, mul: mul.max(1), rem: offset % mul.max(1) })
        };
        let memory = MemoryView {
            base,
            access: self.qualifiers(b.shader),
            whole: Whole::Never,
            len: None,
            shared: true,
            in_pairs: false,
            lanes: 4,
            at_address: true,
        };
        self.lower_lanes(b, target, &memory, address)
    }
}

fn pack(b: &mut Builder<'_>, halves: &[Def]) -> Def {
    let pair = b.vec(halves);
    b.alu(AluOp::pack_64_2x32, &[pair])
}

/// A level of a deref chain: an index, if it has one, and its stride in bytes.
type Step = (Option<ArrayIndex>, u32);

/// The address of `pointer`, a deref chain from a cast; `None` if its layout is unknown.
fn address_of(b: &mut Builder<'_>, pointer: Def) -> Option<Def> {
    let mut steps: Box<Vec<Step>> = b.shader.take_spare();
    let start = list_steps(b.shader, pointer, &mut steps);
    let address = start.map(|start| steps.iter().rev().fold(start, |address, step| address_below(b, address, *step)));
    b.shader.give_back(steps);
    address
}

/// Lists the levels of `pointer`, the last one first. Returns the address that they start from.
fn list_steps(shader: &Shader, pointer: Def, steps: &mut Vec<Step>) -> Option<Def> {
    steps.clear();
    let mut at = pointer;
    loop {
        let deref = shader.as_deref(at)?;
        let parent = deref.kind.parent()?;
        match deref.kind {
            DerefKind::Cast { .. } => return Some(parent),
            DerefKind::Array { index, .. } => steps.push((Some(index), stride_of(shader, parent)?)),
            DerefKind::PtrAsArray { index, .. } => steps.push((Some(index), stride_of_elements(shader, parent)?)),
            DerefKind::Struct { field, .. } => {
                let data = shader.types.as_struct(shader.as_deref(parent)?.ty)?;
                steps.push((None, data.fields.get(field as usize)?.offset?));
            }
            DerefKind::Var(_) | DerefKind::ArrayWildcard { .. } => return None,
        }
        at = parent;
    }
}

/// The address of a level below `address`.
fn address_below(b: &mut Builder<'_>, address: Def, (index, stride): Step) -> Def {
    let offset = match index {
        None => b.imm(64, u64::from(stride)),
        Some(ArrayIndex::Imm(index)) => b.imm(64, (index as u64).wrapping_mul(u64::from(stride))),
        Some(ArrayIndex::Def(index)) => {
            let index = if b.shader.bit_size(index) == 64 { index } else { b.alu(AluOp::i2i64, &[index]) };
            let stride = b.imm(64, u64::from(stride));
            b.alu(AluOp::imul, &[index, stride])
        }
    };
    b.iadd(address, offset)
}

/// The stride in bytes of the elements of the array at `pointer`.
fn stride_of(shader: &Shader, pointer: Def) -> Option<u32> {
    match shader.types.get(shader.as_deref(pointer)?.ty) {
        TypeData::Vector(scalar, _) => Some(u32::from(scalar.bits) / 8),
        TypeData::Array { elem, stride: 0, .. } => {
            let (scalar, components) = shader.types.as_vector(elem)?;
            Some(u32::from(scalar.bits) / 8 * u32::from(components))
        }
        TypeData::Array { stride, .. } => Some(stride),
        _ => None,
    }
}

/// The distance in bytes from the value at `pointer` to the next of its kind.
fn stride_of_elements(shader: &Shader, mut pointer: Def) -> Option<u32> {
    loop {
        match shader.as_deref(pointer)?.kind {
            DerefKind::Cast { stride, .. } => return Some(stride).filter(|stride| *stride != 0),
            DerefKind::PtrAsArray { parent, .. } => pointer = parent,
            DerefKind::Array { parent, .. } => return stride_of(shader, parent),
            _ => return None,
        }
    }
}
