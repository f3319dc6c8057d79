// SPDX-License-Identifier: MIT

//! Buffers at every alignment, shared memory, scratch memory, memory at addresses, arrays.
//!
//! Uniform blocks and storage block 1 are read only. In storage block 0 each invocation of a compute shader has its own part.
//! Storage block 2 is only changed by atomic operations whose order does not matter. Block 3 has records, see
//! [`records`](super::records).

use super::{Generator, Kind, Purpose, Shape, POINTS, ROW};
use arbitrary::Result;
use ntv::ir::{AluFlags, AluSrc, ArrayIndex, Def, Stage, Swizzle, Variable};
use ntv::op::names::{Scope, Semantics};
use ntv::op::{AluOp, AluType, AtomicOp, Base, Index, Intrinsic, Modes};

/// The number of uniform blocks.
pub(super) const UNIFORM_BLOCKS: u32 = 4;
pub(super) const STORAGE_BLOCKS: u32 = 4;

/// The storage block of records.
pub(crate) const RECORDS_BLOCK: u32 = 3;

/// The bytes of storage block 0 of an invocation.
pub(super) const OWN_BYTES: u32 = 256;

/// The offset of the results in them; the bytes before are read and written by the shader.
pub(super) const RESULTS: u32 = 128;

/// The bytes of global memory of an invocation.
const OWN_GLOBAL_BYTES: u32 = 16;

/// The size of scratch memory in bytes.
pub(super) const SCRATCH_BYTES: u32 = 64;

/// The bytes of shared memory of an invocation.
pub(super) const SHARED_BYTES: u32 = 64;

/// A byte offset that is `rem` modulo `mul`.
struct Offset {
    def: Def,
    mul: u32,
    rem: u32,
}

impl Offset {
    fn indices(&self) -> [(Index, u32); 2] {
        [(Index::align_mul, self.mul), (Index::align_offset, self.rem)]
    }
}

impl Generator<'_, '_, '_> {
    /// An offset below `end`, a power of two, from `start` on, which is a multiple of 16.
    fn offset(&mut self, start: Option<Def>, end: u32) -> Result<Offset> {
        let mul = self.choose(&[16, 8, 4, 4, 2, 1])?;
        let rem = self.u.int_in_range(0..=mul - 1)?;
        let count = end / mul;
        if start.is_none() && self.chance(2)? {
            let def = self.u.int_in_range(0..=count - 1)? * mul + rem;
            return Ok(Offset { def: self.b.imm32(def), mul, rem });
        }
        let index = self.array_index(count)?;
        let scaled = self.b.ishl_imm(index, mul.trailing_zeros());
        let mut def = self.b.iadd_imm(scaled, u64::from(rem));
        if let Some(start) = start {
            def = self.b.iadd(start, def);
        }
        Ok(Offset { def, mul, rem })
    }

    /// The width, number of components and kind of a loaded or stored value.
    pub(super) fn memory_shape(&mut self) -> Result<Shape> {
        let bits = self.choose(&[32, 32, 32, 8, 16, 64])?;
        let components = self.choose(&[1, 1, 2, 3, 4])?;
        Ok(Shape { kind: Kind::Int, bits, components })
    }

    fn load(&mut self, op: Intrinsic, srcs: &[Def], offset: &Offset, indices: &[(Index, u32)]) -> Result<()> {
        let shape = self.memory_shape()?;
        let indices = [&offset.indices()[..], indices].concat();
        let mut def = self.b.intrinsic_with(op, shape.components, shape.bits, srcs, &indices).def();
        if matches!(op, Intrinsic::load_push_constant | Intrinsic::load_ubo) {
            def = self.unknown(def, shape);
        }
        self.push(def, shape.kind);
        Ok(())
    }

    /// `def`, combined so that a driver cannot compute it from uniforms alone: lavapipe of Mesa 22.3 makes a variant of the
    /// shader for uniforms that branches depend on, and crashes when it searches them (`update_inline_shader_state` uses the
    /// constant buffer before the first).
    pub(super) fn unknown(&mut self, def: Def, shape: Shape) -> Def {
        let Some(never) = self.never else { return def };
        let zero = self.b.constant(shape.bits, &[0; 4][..usize::from(shape.components)]);
        let cond = AluSrc { def: never, swizzle: Swizzle::splat(0) };
        let srcs = [cond, zero.into(), def.into()];
        self.raw_alu(AluOp::bcsel, AluFlags::empty(), &srcs, (shape.components, shape.bits))
    }

    pub(super) fn uniform_load(&mut self) -> Result<()> {
        let block = if self.chance(5)? {
            self.uniform_index(UNIFORM_BLOCKS)?
        } else {
            let block = self.u.int_in_range(0..=UNIFORM_BLOCKS - 1)?;
            self.b.imm32(block)
        };
        let offset = self.offset(None, 1024)?;
        self.load(Intrinsic::load_ubo, &[block, offset.def], &offset, &[(Index::range, u32::MAX)])
    }

    pub(super) fn push_constant_load(&mut self) -> Result<()> {
        let offset = self.offset(None, 64)?;
        self.load(Intrinsic::load_push_constant, &[offset.def], &offset, &[(Index::range, 128)])
    }

    pub(super) fn storage_load(&mut self) -> Result<()> {
        let own = self.own_bytes(OWN_BYTES, true)?;
        let (block, offset) = match own {
            Some(start) if self.chance(2)? => (self.b.imm32(0), self.offset(Some(start), RESULTS / 2)?),
            _ => (self.b.imm32(1), self.offset(None, 1024)?),
        };
        self.load(Intrinsic::load_ssbo, &[block, offset.def], &offset, &[])
    }

    /// An integer below `end`, a power of two, that is the same in all invocations, as required for the index of a block.
    pub(super) fn uniform_index(&mut self, end: u32) -> Result<Def> {
        let at = self.u.int_in_range(0..=15u32)? * 4;
        let at = self.b.imm32(at);
        let indices = [(Index::align_mul, 4), (Index::align_offset, 0), (Index::range, 64)];
        let word = self.b.intrinsic_with(Intrinsic::load_push_constant, 1, 32, &[at], &indices).def();
        Ok(self.b.iand_imm(word, u64::from(end - 1)))
    }

    /// The start of the part of shared memory or, with `anywhere`, of a storage block that only this invocation uses; `None` in
    /// stages without numbers of invocations.
    pub(super) fn own_bytes(&mut self, bytes: u32, anywhere: bool) -> Result<Option<Def>> {
        let stage = self.b.shader.stage();
        if !stage.is_compute() {
            let is_numbered = self.purpose == Purpose::Driver && anywhere;
            return Ok(is_numbered
                .then(|| self.point_number())
                .map(|number| self.b.ishl_imm(number, bytes.trailing_zeros())));
        }
        let mut index = self.b.intrinsic(Intrinsic::load_local_invocation_index, 1, 32, &[]).def();
        if anywhere {
            let group = self.b.intrinsic(Intrinsic::load_workgroup_id, 3, 32, &[]).def();
            let group = self.b.channel(group, 0);
            let size = self.b.imm32(self.invocations());
            let before = self.b.alu(AluOp::imul, &[group, size]);
            index = self.b.iadd(index, before);
        }
        Ok(Some(self.b.ishl_imm(index, bytes.trailing_zeros())))
    }

    /// The number of a vertex or, in a range after the vertices, of the pixel of a fragment.
    fn point_number(&mut self) -> Def {
        if self.b.shader.stage() == Stage::Vertex {
            return self.b.intrinsic(Intrinsic::load_vertex_id, 1, 32, &[]).def();
        }
        let coord = self.b.intrinsic(Intrinsic::load_frag_coord, 4, 32, &[]).def();
        let [x, y] = [0, 1].map(|c| self.b.channel(coord, c)).map(|c| self.b.alu(AluOp::f2u32, &[c]));
        let row = self.b.ishl_imm(y, ROW.trailing_zeros());
        let pixel = self.b.iadd(row, x);
        self.b.iadd_imm(pixel, POINTS.into())
    }

    /// The number of invocations of a workgroup.
    pub(super) fn invocations(&self) -> u32 {
        self.b.shader.info.workgroup_size.iter().product()
    }

    pub(super) fn storage_store(&mut self) -> Result<()> {
        let Some(start) = self.own_bytes(OWN_BYTES, true)? else { return self.arithmetic() };
        let offset = self.offset(Some(start), RESULTS / 2)?;
        let shape = self.memory_shape()?;
        let value = self.value_of(shape)?;
        let write_mask = self.u.int_in_range(1..=(1u32 << shape.components) - 1)?;
        let indices = [&offset.indices()[..], &[(Index::write_mask, write_mask)]].concat();
        let block = self.b.imm32(0);
        self.b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[value, block, offset.def], &indices);
        Ok(())
    }

    pub(super) fn storage_atomic(&mut self) -> Result<()> {
        if !self.b.shader.stage().is_compute() {
            return self.arithmetic();
        }
        let op = self.choose(&[
            (0, AtomicOp::iadd),
            (1, AtomicOp::imin),
            (2, AtomicOp::umin),
            (3, AtomicOp::imax),
            (4, AtomicOp::umax),
            (5, AtomicOp::iand),
            (6, AtomicOp::ior),
            (7, AtomicOp::ixor),
        ])?;
        // Each operation has its own words: otherwise the order of different operations would matter.
        let index = self.small_index(8)?;
        let scaled = self.b.ishl_imm(index, 2);
        let offset = self.b.iadd_imm(scaled, 32 * op.0);
        let block = self.b.imm32(2);
        let value = self.value_of(Shape::INDEX)?;
        self.b.intrinsic_with(
            Intrinsic::ssbo_atomic,
            1,
            32,
            &[block, offset, value],
            &[(Index::atomic_op, op.1 as u32)],
        );
        Ok(())
    }

    /// Every invocation reads a value of its neighbour.
    pub(super) fn shared_exchange(&mut self) -> Result<()> {
        let Some(own) = self.own_bytes(SHARED_BYTES, false)?.filter(|_| self.depth == 0) else {
            return self.arithmetic();
        };
        let invocations = self.invocations();
        self.b.shader.info.shared_size = invocations * SHARED_BYTES;
        let shape = self.memory_shape()?;
        let value = self.value_of(shape)?;
        let align = [(Index::align_mul, 16), (Index::align_offset, 0)];
        let all = [&align[..], &[(Index::write_mask, (1 << shape.components) - 1)]].concat();
        self.b.intrinsic_with(Intrinsic::store_shared, 0, 0, &[value, own], &all);
        self.barrier();
        let next = self.b.iadd_imm(own, u64::from(SHARED_BYTES));
        let end = self.b.imm32(invocations * SHARED_BYTES);
        let neighbour = self.b.alu(AluOp::umod, &[next, end]);
        let loaded =
            self.b.intrinsic_with(Intrinsic::load_shared, shape.components, shape.bits, &[neighbour], &align).def();
        self.barrier();
        self.push(loaded, shape.kind);
        Ok(())
    }

    fn barrier(&mut self) {
        let scope = Scope::workgroup as u32;
        let order = Semantics::ACQUIRE | Semantics::RELEASE;
        self.b.intrinsic_with(
            Intrinsic::barrier,
            0,
            0,
            &[],
            &[
                (Index::execution_scope, scope),
                (Index::memory_scope, scope),
                (Index::memory_semantics, order.bits()),
                (Index::memory_modes, Modes::SHARED.bits()),
            ],
        );
    }

    /// An array that is filled, changed at one index, and read at one index.
    pub(super) fn local_array(&mut self) -> Result<()> {
        let number = self.b.shader.vars.len();
        let name = self.b.shader.strings.add(&format!("array{number}"));
        let elem = self.b.shader.types.vector(AluType::new(Base::Uint, 32), 1);
        let ty = self.b.shader.types.array(elem, Some(4), 0);
        let var = self.b.shader.declare(Variable::new(name, ty, Modes::FUNCTION_TEMP));
        for element in 0..4 {
            let value = self.value_of(Shape::INDEX)?;
            self.array_store(var, ArrayIndex::Imm(element), value);
        }
        let (index, value) = (self.array_index(4)?, self.value_of(Shape::INDEX)?);
        self.array_store(var, ArrayIndex::Def(index), value);
        let index = self.array_index(4)?;
        let array = self.b.deref_var(var);
        let pointer = self.b.deref_array(array, ArrayIndex::Def(index));
        let loaded = self.b.load_deref(pointer, 0);
        self.push(loaded, Kind::Int);
        Ok(())
    }

    /// Scratch memory that is filled, changed at one offset, and read at one offset.
    pub(super) fn scratch(&mut self) -> Result<()> {
        self.fill_scratch()?;
        // The longest access has 32 bytes.
        let offset = self.offset(None, SCRATCH_BYTES / 2)?;
        let shape = self.memory_shape()?;
        let value = self.value_of(shape)?;
        let indices = [&offset.indices()[..], &[(Index::write_mask, (1 << shape.components) - 1)]].concat();
        self.b.intrinsic_with(Intrinsic::store_scratch, 0, 0, &[value, offset.def], &indices);
        let offset = self.offset(None, SCRATCH_BYTES / 2)?;
        self.load(Intrinsic::load_scratch, &[offset.def], &offset, &[])
    }

    /// Loads from memory at an address, stores to the bytes that only this invocation uses, or changes some by an atomic whose
    /// order does not matter. The address of a driver's memory is not known beforehand.
    pub(super) fn global(&mut self) -> Result<()> {
        if self.purpose == Purpose::Driver {
            return self.arithmetic();
        }
        let is_compute = self.b.shader.stage().is_compute();
        match self.u.int_in_range(0..=3)? {
            0 if is_compute => {
                let Some(start) = self.own_bytes(OWN_GLOBAL_BYTES, true)? else { return Ok(()) };
                let bits = self.choose(&[32, 8, 16])?;
                let components = self.u.int_in_range(1..=4)?;
                let value = self.value_of(Shape { kind: Kind::Int, bits, components })?;
                let address = self.address(2, start);
                let mask = self.u.int_in_range(1..=(1u32 << components) - 1)?;
                let indices = [(Index::align_mul, 16), (Index::align_offset, 0), (Index::write_mask, mask)];
                self.b.intrinsic_with(Intrinsic::store_global, 0, 0, &[value, address], &indices);
                Ok(())
            }
            1 if is_compute => {
                let ops =
                    [AtomicOp::iadd, AtomicOp::umin, AtomicOp::imax, AtomicOp::iand, AtomicOp::ior, AtomicOp::ixor];
                let row = self.u.int_in_range(0..=ops.len() - 1)?;
                let index = self.small_index(8)?;
                let scaled = self.b.ishl_imm(index, 2);
                let offset = self.b.iadd_imm(scaled, 32 * row as u64);
                let (address, value) = (self.address(3, offset), self.value_of(Shape::INDEX)?);
                let indices = [(Index::atomic_op, ops[row] as u32)];
                self.b.intrinsic_with(Intrinsic::global_atomic, 1, 32, &[address, value], &indices);
                Ok(())
            }
            _ => {
                let offset = self.offset(None, 128)?;
                let address = self.address(1, offset.def);
                self.load(Intrinsic::load_global, &[address], &offset, &[])
            }
        }
    }

    /// The address of byte `offset` of buffer `number` of the global memory.
    fn address(&mut self, number: u64, offset: Def) -> Def {
        let offset = self.b.alu(AluOp::u2u64, &[offset]);
        let start = self.b.imm(64, number << 32);
        self.b.iadd(start, offset)
    }

    fn array_store(&mut self, var: ntv::ir::Var, index: ArrayIndex, value: Def) {
        let array = self.b.deref_var(var);
        let pointer = self.b.deref_array(array, index);
        self.b.store_deref(pointer, value, 1, 0);
    }
}
