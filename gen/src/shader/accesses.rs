// SPDX-License-Identifier: MIT

//! Loads and stores at the offsets of [`offsets`](super::offsets): of whole records, of members that share a base, in loops.
//!
//! A base of an access is remembered while it dominates the following code, so that later accesses use it: after it, in an if or
//! a loop, and after that.

use super::memory::{OWN_BYTES, RESULTS, SCRATCH_BYTES, SHARED_BYTES};
use super::offsets::Number;
use super::{Generator, Kind, Shape, DEPTH};
use arbitrary::Result;
use ntv::ir::{AluFlags, Def};
use ntv::op::{AluOp, Index, Intrinsic};

/// The memory of an access.
#[derive(Clone, Copy, Debug)]
pub(super) enum Region {
    /// The uniform block of this number.
    Uniform(u32),
    /// One of the uniform blocks after the first: the one with this index.
    AnyUniform(Def),
    /// A storage block that is not written.
    Storage,
    /// The bytes of a storage block that only this invocation uses.
    Own,
    PushConstant,
    /// The bytes of shared memory that only this invocation uses.
    Shared,
    Scratch,
}

/// An offset that more than one access starts from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    place: Region,
    offset: Number,
    /// A constant to add to it.
    ahead: u32,
    /// The number of bytes from there on that may be accessed.
    room: u32,
}

/// The bytes of storage block 1 that are read.
const STORAGE_BYTES: u32 = 1020;

/// The possible sizes of a record in bytes.
const RECORDS: &[u32] = &[4, 12, 16, 20, 32, 36, 44, 48, 64, 68, 80];

impl Generator<'_, '_, '_> {
    /// Some memory, an offset in it at which accesses may start, and the number of bytes that follow.
    fn place(&mut self) -> Result<(Region, Number, u32)> {
        let zero = self.imm_number(0);
        let ends = self.uniform_ends;
        Ok(match self.u.int_in_range(0..=11)? {
            0..=3 => (Region::Uniform(0), zero, ends[0]),
            4 | 5 => (Region::Uniform(1), zero, ends[1]),
            6 => (Region::AnyUniform(self.uniform_index(2)?), zero, ends[1]),
            7 | 8 => (Region::Storage, zero, STORAGE_BYTES),
            9 => (Region::PushConstant, zero, 128),
            10 if self.blocks.is_none() && self.chance(2)? => {
                self.fill_scratch()?;
                (Region::Scratch, zero, SCRATCH_BYTES)
            }
            10 if self.blocks.is_none() => match self.own_bytes(SHARED_BYTES, false)? {
                Some(start) => {
                    self.fill_shared(start)?;
                    let start = self.start_of_own(start, SHARED_BYTES);
                    (Region::Shared, start, SHARED_BYTES)
                }
                None => (Region::Uniform(2), zero, ends[1]),
            },
            _ => match self.own_bytes(OWN_BYTES, true)? {
                Some(start) => (Region::Own, self.start_of_own(start, OWN_BYTES), RESULTS),
                None => (Region::Uniform(3), zero, ends[1]),
            },
        })
    }

    /// The range of the start of the bytes of an invocation.
    fn start_of_own(&self, start: Def, bytes: u32) -> Number {
        // Two workgroups of at most 8, or the points and pixels of a draw.
        Number { mul: bytes, ..Number::up_to(31 * bytes, start) }
    }

    /// A base for records of `bytes` bytes.
    fn new_base(&mut self, bytes: u32) -> Result<Base> {
        let (place, start, end) = self.place()?;
        let most = end - bytes.min(end);
        let offset = match self.known_offset(most)? {
            Some(known) if start.max == 0 => known,
            _ => self.offset_up_to(most)?,
        };
        let ahead = self.constant_up_to(most - offset.max)?.max;
        let room = end - offset.max - ahead;
        let offset = if start.max == 0 { offset } else { self.sum(start, offset)? };
        Ok(Base { place, offset, ahead, room })
    }

    /// Sometimes, an offset up to `most` of an earlier access.
    fn known_offset(&mut self, most: u32) -> Result<Option<Number>> {
        let known = self.bases.iter().map(|base| base.offset).filter(|offset| offset.max <= most);
        let known: Vec<Number> = known.collect();
        Ok(if known.is_empty() || !self.chance(4)? { None } else { Some(self.choose(&known)?) })
    }

    /// The offset `bytes` bytes after a base.
    fn offset_after(&mut self, base: Base, bytes: u32) -> Result<Number> {
        if base.ahead + bytes == 0 {
            return Ok(base.offset);
        }
        let constant = self.imm_number(base.ahead + bytes);
        self.sum(base.offset, constant)
    }

    fn remember(&mut self, base: Base) {
        self.bases.push(base);
    }

    /// An access at an old or at a new base.
    pub(super) fn member(&mut self) -> Result<()> {
        if self.bases.is_empty() || self.chance(3)? {
            let bytes = self.choose(RECORDS)?;
            let base = self.new_base(bytes)?;
            self.remember(base);
        }
        let recent = self.bases.len().saturating_sub(3);
        let base = self.u.int_in_range(recent..=self.bases.len() - 1)?;
        self.access(self.bases[base])
    }

    /// Loads of all members of a record or all columns of a matrix.
    pub(super) fn record(&mut self) -> Result<()> {
        let count = self.u.int_in_range(2..=4)?;
        let stride = self.choose(&[16, 16, 16, 4, 8, 12])?;
        let base = self.new_base(count * stride)?;
        self.remember(base);
        let components = self.choose(&[1, 2, 3, 4])?.min(stride as u8 / 4);
        for member in (0..count).filter(|member| (member + 1) * stride <= base.room) {
            let offset = self.offset_after(base, member * stride)?;
            self.load_at(base.place, offset, Shape { components, ..Shape::INDEX })?;
        }
        Ok(())
    }

    /// A loop over an array.
    pub(super) fn walk(&mut self) -> Result<()> {
        let stride = self.choose(&[16, 16, 32, 12, 4, 48])?;
        let count = self.u.int_in_range(1..=4)?;
        let base = self.new_base(count * stride)?;
        if self.depth == DEPTH || base.room < count * stride {
            return self.access(base);
        }
        self.remember(base);
        let scope = self.scope();
        let counter = self.begin_walk(count, stride);
        let offset = self.sum(base.offset, counter)?;
        let room = base.room - counter.max;
        self.remember(Base { offset, room, ..base });
        for _ in 0..self.u.int_in_range(1..=3)? {
            self.member()?;
        }
        self.end_walk(counter, stride);
        self.forget(scope);
        Ok(())
    }

    /// A load or store after a base: at a constant distance, or of a column or row of a matrix.
    fn access(&mut self, base: Base) -> Result<()> {
        let mut shape = self.memory_shape()?;
        // Some bases have fewer than 64 bits, and odd offsets are only for bytes.
        while shape.bytes() > base.room {
            shape = Shape { bits: 8, components: shape.components.min(base.room.max(1) as u8), ..shape };
        }
        let left = base.room - shape.bytes();
        let ahead = if self.chance(4)? { self.term(left)? } else { self.constant_up_to(left.min(80))? };
        let offset = if ahead.is_constant() {
            self.offset_after(base, ahead.max)?
        } else {
            let offset = self.sum(base.offset, ahead)?;
            self.offset_after(Base { offset, ..base }, 0)?
        };
        match base.place {
            Region::Own | Region::Shared | Region::Scratch if self.chance(2)? => {
                self.store_at(base.place, offset, shape)
            }
            place => self.load_at(place, offset, shape),
        }
    }

    fn load_at(&mut self, place: Region, offset: Number, shape: Shape) -> Result<()> {
        let loaded = match self.blocks {
            Some(blocks) if place.is_block() => self.load_elements(&blocks, place, offset, shape)?,
            _ => self.load_bytes(place, offset, shape)?,
        };
        self.observe(loaded);
        self.push(loaded, shape.kind);
        Ok(())
    }

    fn load_bytes(&mut self, place: Region, offset: Number, shape: Shape) -> Result<Def> {
        let mut indices = self.printed_alignment(offset)?.to_vec();
        let (range_base, range) = self.printed_range(place, offset, shape)?;
        indices.extend([(Index::range_base, range_base), (Index::range, range)]);
        let offset = self.def_of(offset);
        let (op, srcs) = match place {
            Region::Uniform(block) => (Intrinsic::load_ubo, vec![self.b.imm32(block), offset]),
            Region::AnyUniform(index) => (Intrinsic::load_ubo, vec![self.b.iadd_imm(index, 1), offset]),
            Region::Storage => (Intrinsic::load_ssbo, vec![self.b.imm32(1), offset]),
            Region::Own => (Intrinsic::load_ssbo, vec![self.b.imm32(0), offset]),
            Region::PushConstant => (Intrinsic::load_push_constant, vec![offset]),
            Region::Shared => (Intrinsic::load_shared, vec![offset]),
            Region::Scratch => (Intrinsic::load_scratch, vec![offset]),
        };
        let loaded = self.b.intrinsic_with(op, shape.components, shape.bits, &srcs, &indices).def();
        let is_uniform = matches!(op, Intrinsic::load_ubo | Intrinsic::load_push_constant);
        Ok(if is_uniform { self.unknown(loaded, shape) } else { loaded })
    }

    fn store_at(&mut self, place: Region, offset: Number, shape: Shape) -> Result<()> {
        let value = self.value_of(shape)?;
        let mask = self.u.int_in_range(1..=(1u32 << shape.components) - 1)?;
        if let Some(blocks) = self.blocks {
            return self.store_elements(&blocks, offset, value, mask);
        }
        let indices = [&self.printed_alignment(offset)?[..], &[(Index::write_mask, mask)]].concat();
        let offset = self.def_of(offset);
        let (op, srcs) = match place {
            Region::Shared => (Intrinsic::store_shared, vec![value, offset]),
            Region::Scratch => (Intrinsic::store_scratch, vec![value, offset]),
            _ => (Intrinsic::store_ssbo, vec![value, self.b.imm32(0), offset]),
        };
        self.b.intrinsic_with(op, 0, 0, &srcs, &indices);
        Ok(())
    }

    /// The alignment of an offset in a dump: true, but often not the largest.
    fn printed_alignment(&mut self, offset: Number) -> Result<[(Index, u32); 2]> {
        let mul = match self.u.int_in_range(0..=5)? {
            0 => offset.mul,
            1 => offset.mul.min(16),
            2 => 1,
            _ => offset.mul.min(4),
        };
        Ok([(Index::align_mul, mul), (Index::align_offset, offset.rem % mul)])
    }

    /// `range_base` and `range`: a range that contains the access, or the range of unknown accesses.
    fn printed_range(&mut self, place: Region, offset: Number, shape: Shape) -> Result<(u32, u32)> {
        let end = offset.max + shape.bytes();
        let unknown = self.choose(&[0, u32::MAX])?;
        Ok(match self.u.int_in_range(0..=3)? {
            _ if matches!(place, Region::PushConstant) => (0, 128),
            0 => (offset.min, end - offset.min),
            1 => (0, end),
            _ => (0, unknown),
        })
    }

    pub(super) fn fill_scratch(&mut self) -> Result<()> {
        self.b.shader.info.scratch = SCRATCH_BYTES;
        let zero = self.b.imm32(0);
        self.fill(Intrinsic::store_scratch, zero, SCRATCH_BYTES)
    }

    fn fill_shared(&mut self, start: Def) -> Result<()> {
        self.b.shader.info.shared_size = self.invocations() * SHARED_BYTES;
        self.fill(Intrinsic::store_shared, start, SHARED_BYTES)
    }

    /// Stores to all of the bytes from `start` on.
    fn fill(&mut self, op: Intrinsic, start: Def, bytes: u32) -> Result<()> {
        for at in (0..bytes).step_by(16) {
            let value = self.value_of(Shape { components: 4, ..Shape::INDEX })?;
            let offset = self.b.iadd_imm(start, at.into());
            let indices = [(Index::align_mul, 16), (Index::align_offset, 0), (Index::write_mask, 15)];
            self.b.intrinsic_with(op, 0, 0, &[value, offset], &indices);
        }
        Ok(())
    }

    /// Makes the results of the shader depend on `def`, which may go out of scope.
    fn observe(&mut self, def: Def) {
        let Some(seen) = self.seen else { return };
        let mut words = Vec::new();
        self.words(def, &mut words);
        let pointer = self.b.deref_var(seen);
        let mut sum = self.b.load_deref(pointer, 0);
        for word in words {
            let factor = self.b.imm32(0x0100_0193);
            let mixed = self.raw_alu(AluOp::ixor, AluFlags::empty(), &[sum.into(), word.into()], (1, 32));
            sum = self.raw_alu(AluOp::imul, AluFlags::empty(), &[mixed.into(), factor.into()], (1, 32));
        }
        self.b.store_deref(pointer, sum, 1, 0);
    }

    /// Stores the observed values.
    pub(super) fn observed(&mut self) {
        let Some(seen) = self.seen else { return };
        let pointer = self.b.deref_var(seen);
        let sum = self.b.load_deref(pointer, 0);
        self.push(sum, Kind::Int);
    }
}

impl Region {
    fn is_block(self) -> bool {
        matches!(self, Region::Uniform(_) | Region::AnyUniform(_) | Region::Storage | Region::Own)
    }
}
