// SPDX-License-Identifier: MIT

//! Blocks and other memory by byte offset.

use super::{layout, Nir};
use crate::flow::{Machine, Step};
use crate::term::Term;
use crate::world::{self, Choices, Space};
use ntv::analysis::block_table::{BlockTable, DeclaredBlocks};
use ntv::ir::{Def, Directive, Inst, Variable};
use ntv::op::meaning::{MemoryAccess, MemoryKind, MemoryOperation, OffsetUnit};
use ntv::op::{zink, AluOp, Index, Modes};
use ntv::raise;
use ntv::target::Descriptor;

/// A storage block: set, binding, and the element in its array.
pub(super) type StorageBlock = (u32, u32, Term);

/// Memory with byte addresses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Region {
    /// The state of memory that cannot be written: a uniform block, push constants.
    Constant(Term),
    Storage(StorageBlock),
    Space(Space),
}

/// Facts of a shader, found once: each needs a walk over all instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryFacts {
    /// The declared uniform blocks, and the storage blocks.
    declared: [BlockTable; 2],
    uniform_array: bool,
    storage_array: bool,
    offsets_in_elements: bool,
}

/// Whether zink divides the offsets of such accesses, if it divides any.
fn is_divided(access: MemoryAccess) -> bool {
    matches!(access.kind, MemoryKind::Shared | MemoryKind::Scratch) && !access.operation.is_atomic()
}

impl Nir<'_> {
    /// Runs a load, store, atomic or query of memory by offset.
    pub(super) fn access(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        access: MemoryAccess,
        srcs: &[Def],
    ) -> Step<()> {
        self.promised = None;
        let region = self.region(machine, inst, access, srcs)?;
        if access.operation == MemoryOperation::Size {
            let Region::Storage(block) = region else { return self.unsupported(inst, "a query of this memory") };
            let size = self.storage_size(machine, inst, block)?;
            self.set(machine, inst, vec![size]);
            return Ok(());
        }
        let address = self.byte_address(machine, inst, access, srcs)?;
        match access.operation {
            MemoryOperation::Load => {
                let (count, width) = (self.shader.insts[inst].num_components, self.shader.insts[inst].bit_size);
                let mut terms = Vec::new();
                let unit = self.unit(inst, access, width);
                let end = self.uniform_end(inst, access, srcs);
                let most = u64::from(self.target.max_uniform_buffer_range).saturating_sub(u64::from(width / 8) - 1);
                for c in 0..count {
                    let at = machine.arena.plus(address, u64::from(width / 8) * u64::from(c));
                    let end = end.saturating_sub(u64::from(width / 8) - 1);
                    self.limit_place(machine, at, end);
                    // In a run with chosen inputs, the limit alone says that it is outside.
                    let is_outside = machine.arena.as_const(at).is_some_and(|at| at >= end && at >= most);
                    if is_outside && !machine.arena.is_concrete() {
                        terms.push(machine.arena.undefined(width));
                        continue;
                    }
                    let mut parts = Vec::new();
                    for part in 0..width / unit {
                        let at = machine.arena.plus(at, u64::from(unit / 8 * part));
                        parts.push(self.load_region(machine, inst, region, at, unit)?);
                    }
                    terms.push(machine.arena.joined(&parts));
                }
                self.set(machine, inst, terms);
            }
            MemoryOperation::Store => {
                for (c, value) in self.written(machine, inst, srcs[0]) {
                    let width = machine.arena.width(value);
                    let unit = self.unit(inst, access, width);
                    let at = machine.arena.plus(address, u64::from(width / 8) * c as u64);
                    for part in 0..width / unit {
                        let at = machine.arena.plus(at, u64::from(unit / 8 * part));
                        let value = machine.arena.part(value, unit * part, unit);
                        self.store_region(machine, inst, region, at, value)?;
                    }
                }
            }
            MemoryOperation::Atomic | MemoryOperation::AtomicSwap => {
                self.region_atomic(machine, inst, (region, address), &srcs[access.atomic_data()..])?;
            }
            MemoryOperation::Size => {}
        }
        Ok(())
    }

    fn region(&mut self, machine: &mut Machine<'_>, inst: Inst, access: MemoryAccess, srcs: &[Def]) -> Step<Region> {
        let block = access.block.map(|block| srcs[usize::from(block)]);
        let is_dynamic = block.is_some_and(|block| self.shader.as_const_scalar(block).is_none());
        let declared = block.and_then(|block| self.declared(access.kind, block));
        let block = block.map(|block| self.scalar(machine, block));
        if let (Some(block), Some(declared)) = (block, declared) {
            let block = self.declared_block(machine, block, declared);
            return Ok(match access.kind {
                MemoryKind::Ubo => Region::Constant(world::uniform_block(machine.arena, block.0, block.1, block.2)),
                _ => Region::Storage(block),
            });
        }
        if let (Some(block), true) = (block, is_dynamic && access.kind == MemoryKind::Ubo) {
            self.limit_uniform_index(machine, block);
        }
        Ok(match (access.kind, block) {
            (MemoryKind::Ubo, Some(block)) => Region::Constant(self.uniform(machine, block)),
            (MemoryKind::Ssbo, Some(block)) => {
                let set = self.target.descriptor_set(Descriptor::StorageBuffer);
                Region::Storage(self.numbered(machine, set, block, self.facts.storage_array))
            }
            (MemoryKind::PushConstant, _) => Region::Constant(world::push_constants(machine.arena)),
            (MemoryKind::Shared, _) => Region::Space(Space::Shared),
            (MemoryKind::TaskPayload, _) => Region::Space(Space::Payload),
            (MemoryKind::Global, _) => Region::Space(Space::Global),
            (MemoryKind::Scratch, _) => Region::Space(Space::Local(u32::MAX)),
            _ => return self.unsupported(inst, "this kind of memory"),
        })
    }

    /// The declaration of the blocks that `block` is the number of one of, if there is one.
    fn declared(&self, kind: MemoryKind, block: Def) -> Option<DeclaredBlocks> {
        let table = &self.facts.declared[usize::from(kind == MemoryKind::Ssbo)];
        match self.shader.as_const_scalar(block) {
            Some(number) => table.of(number as u32).copied(),
            None => table.array_of(self.shader, block).copied(),
        }
    }

    /// A block by its number, as it is declared.
    fn declared_block(&mut self, machine: &mut Machine<'_>, number: Term, declared: DeclaredBlocks) -> StorageBlock {
        let DeclaredBlocks { first, count, slot, .. } = declared;
        let mut element = machine.arena.constant(32, 0);
        if declared.is_array() {
            element = machine.arena.plus(number, u64::from(first).wrapping_neg());
            if let (Some(count), None) = (count, machine.arena.as_const(element)) {
                self.limit_index(machine, element, count.into());
            }
        }
        (slot.set, slot.binding, element)
    }

    /// The state of the uniform block with a number.
    fn uniform(&self, machine: &mut Machine<'_>, block: Term) -> Term {
        let number = machine.arena.as_const(block);
        let is_default = self.shader.info.first_ubo_is_default_ubo && number == Some(0);
        let set = self.target.descriptor_set(match is_default {
            true => Descriptor::DefaultUniforms,
            false => Descriptor::UniformBuffer,
        });
        let (set, binding, element) = self.numbered(machine, set, block, self.facts.uniform_array);
        world::uniform_block(machine.arena, set, binding, element)
    }

    /// A block by its number: a binding of its own, or an element of an array of all blocks.
    fn numbered(&self, machine: &mut Machine<'_>, set: u32, block: Term, is_array: bool) -> StorageBlock {
        match machine.arena.as_const(block) {
            // The default uniforms are never in the array.
            Some(number) if !is_array || set == self.target.descriptor_set(Descriptor::DefaultUniforms) => {
                (set, number as u32, machine.arena.constant(32, 0))
            }
            _ => {
                let first = u32::from(
                    self.shader.info.first_ubo_is_default_ubo
                        && set == self.target.descriptor_set(Descriptor::UniformBuffer),
                );
                let element = machine.arena.plus(block, u64::from(first).wrapping_neg());
                if set == self.target.descriptor_set(Descriptor::UniformBuffer) && self.shader.info.num_ubos > first {
                    machine.limit(element, (self.shader.info.num_ubos - first).into());
                }
                (set, first, element)
            }
        }
    }

    /// The facts of the whole shader on which the meaning of an access depends.
    pub(super) fn find_facts(&self) -> MemoryFacts {
        let raised = raise::is_needed(self.shader).then(|| {
            let mut raised = self.shader.clone();
            raise::raise(&mut raised, &self.target.descriptors).map(|()| raised)
        });
        let shader = raised.as_ref().and_then(|raised| raised.as_ref().ok()).unwrap_or(self.shader);
        let declared = [Modes::UBO, Modes::SSBO].map(|mode| {
            let mut table = BlockTable::default();
            table.collect(shader, mode);
            table
        });
        MemoryFacts {
            declared,
            uniform_array: self.has_block_array(MemoryKind::Ubo),
            storage_array: self.has_block_array(MemoryKind::Ssbo),
            offsets_in_elements: self.has_offsets_in_elements(),
        }
    }

    /// Whether all blocks are in one array: they are if the index of one is not constant.
    fn has_block_array(&self, kind: MemoryKind) -> bool {
        let shader = self.shader;
        shader.info.has_block_array(kind == MemoryKind::Ubo)
            || shader.order.iter().any(|inst| {
                let Some((op, srcs)) = shader.as_intrinsic(*inst) else { return false };
                let block = op.info().memory.filter(|access| access.kind == kind).and_then(|access| access.block);
                block.is_some_and(|block| shader.as_const_scalar(srcs[usize::from(block)]).is_none())
            })
    }

    /// Whether the offsets of loads and stores of shared memory and scratch are in elements: zink divides them before its translator,
    /// without a mark. It makes typed derefs of blocks at the same time.
    fn has_offsets_in_elements(&self) -> bool {
        let shader = self.shader;
        if shader.info.says(Directive::OffsetsInElements) || shader.info.says(Directive::OffsetsInBytes) {
            return shader.info.says(Directive::OffsetsInElements);
        }
        let accesses = || {
            shader.order.iter().filter_map(|inst| {
                let (op, srcs) = shader.as_intrinsic(*inst)?;
                Some((*inst, op.info().memory?, srcs))
            })
        };
        let is_block = |kind| matches!(kind, MemoryKind::Ubo | MemoryKind::Ssbo);
        if accesses().any(|(_, access, _)| is_block(access.kind)) {
            return false;
        }
        let through_deref = |access: MemoryAccess, srcs: &[Def]| {
            let var = srcs.first().and_then(|src| shader.deref_var(*src));
            access.kind == MemoryKind::Deref
                && var.is_some_and(|var| shader.vars[var].mode.intersects(Modes::UBO | Modes::SSBO))
        };
        if accesses().any(|(_, access, srcs)| through_deref(access, srcs)) {
            return true;
        }
        // Else a constant offset tells that is not aligned as bytes.
        accesses().filter(|(_, access, _)| is_divided(*access)).any(|(inst, access, srcs)| {
            let [multiple, rest, base] =
                [Index::align_mul, Index::align_offset, Index::base].map(|index| shader.index(inst, index));
            let offset = access.offset.and_then(|at| shader.as_const_scalar(srcs[usize::from(at)]));
            offset.is_some_and(|offset| multiple != 0 && (offset as u32).wrapping_add(base) % multiple != rest)
        })
    }

    fn byte_address(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        access: MemoryAccess,
        srcs: &[Def],
    ) -> Step<Term> {
        let Some(offset) = access.offset else { return self.unsupported(inst, "an access without an offset") };
        let offset = self.scalar(machine, srcs[usize::from(offset)]);
        let base = u64::from(self.shader.index(inst, Index::base));
        let component = u64::from(self.shader.index(inst, Index::component));
        Ok(match access.unit {
            OffsetUnit::Bytes if is_divided(access) && self.facts.offsets_in_elements => {
                let bits = match access.operation {
                    MemoryOperation::Store => self.shader.bit_size(srcs[0]),
                    _ => self.shader.insts[inst].bit_size,
                };
                let bytes = u64::from(bits / 8).max(1);
                machine.arena.combination(32, bytes * base, &[(offset, bytes)])
            }
            OffsetUnit::Bytes => {
                let address = machine.arena.plus(offset, base);
                self.aligned(machine, inst, address)
            }
            OffsetUnit::Vec4s => {
                let vector = machine.arena.plus(offset, base);
                machine.limit(vector, self.uniform_end(inst, access, srcs).div_ceil(16));
                // NIR counts components of the width of the result (nir_lower_ubo_vec4.c).
                let bytes = u64::from(self.shader.insts[inst].bit_size) / 8;
                machine.arena.combination(32, 16 * base + bytes * component, &[(offset, 16)])
            }
            OffsetUnit::ZinkMembers => {
                let member = machine.arena.as_const(offset);
                match member.and_then(|member| zink::offset(member as usize)) {
                    Some(bytes) => machine.arena.constant(32, u64::from(bytes) + 4 * component),
                    None => return self.unsupported(inst, "a push constant that zink does not have"),
                }
            }
        })
    }

    /// The address, with the low bits that NIR promises.
    fn aligned(&mut self, machine: &mut Machine<'_>, inst: Inst, address: Term) -> Term {
        let align = [Index::align_mul, Index::align_offset].map(|index| self.shader.index(inst, index));
        self.aligned_to(machine, address, align.into())
    }

    /// The address that leaves the second number if it is divided by the first.
    pub(super) fn aligned_to(
        &mut self,
        machine: &mut Machine<'_>,
        address: Term,
        (multiple, rest): (u32, u32),
    ) -> Term {
        let (multiple, rest) = (u64::from(multiple), u64::from(rest));
        if !multiple.is_power_of_two() || machine.arena.as_const(address).is_some() {
            return address;
        }
        let high = machine.arena.mask(address, !(multiple - 1));
        let aligned = machine.arena.plus(high, rest);
        self.promised = Some((address, aligned));
        // Control comes here in any case, so that the promise holds everywhere.
        if aligned != address && machine.arena.as_const(machine.state.path) == Some(1) && machine.is_outside_loops() {
            self.promises.push((address, aligned));
            self.promises.extend(machine.arena.part_with_low_bits(address, multiple, rest));
        }
        aligned
    }

    /// The width of the parts of a number that do not straddle words: of an unaligned one, that of what NIR says to be aligned.
    fn unit(&self, inst: Inst, access: MemoryAccess, width: u8) -> u8 {
        let is_aligned = access.unit != OffsetUnit::Bytes || is_divided(access) && self.facts.offsets_in_elements;
        let [multiple, rest] = [Index::align_mul, Index::align_offset].map(|index| self.shader.index(inst, index));
        match (multiple | rest).trailing_zeros() {
            bytes @ 0..=1 if !is_aligned => width.min(8 << bytes),
            _ => width,
        }
    }

    /// The end of the bytes of a uniform block or of push constants, as far as a load or a variable says it.
    fn uniform_end(&self, inst: Inst, access: MemoryAccess, srcs: &[Def]) -> u64 {
        const MOST: u64 = 1 << 16;
        let shader = self.shader;
        if access.kind == MemoryKind::PushConstant && shader.index(inst, Index::range) != 0 {
            return shader.index(inst, Index::base).saturating_add(shader.index(inst, Index::range)).into();
        }
        let MemoryAccess { kind: MemoryKind::Ubo, block: Some(block), .. } = access else { return u64::MAX };
        let [base, range] = [Index::range_base, Index::range].map(|index| shader.index(inst, index));
        let range = Some(base.saturating_add(range)).filter(|_| range != 0 && range != u32::MAX);
        let number = shader.as_const_scalar(srcs[usize::from(block)]);
        let is_it = |it: &&Variable| {
            it.mode == Modes::UBO && number.is_none_or(|number| u64::from(it.driver_location) == number)
        };
        let size = |it: &Variable| layout::size(&shader.types, it.ty);
        // A struct whose members are not known has no size: nothing is known of any then.
        let sizes = shader.vars.values().filter(is_it).map(|it| Some(size(it)).filter(|size| *size > 0));
        let declared = sizes.collect::<Option<Vec<u64>>>().and_then(|sizes| sizes.into_iter().max());
        // Mesa gives too small a range to the columns of a matrix that is stored by rows.
        let said = range.map(u64::from).max(declared).unwrap_or(MOST);
        // No uniform buffer is larger than the target says.
        said.min(self.target.max_uniform_buffer_range.into())
    }

    /// Notes that the bytes of a number are inside of their memory.
    fn limit_address(&self, machine: &mut Machine<'_>, region: Region, (at, width): (Term, u8)) {
        let info = &self.shader.info;
        let size = match region {
            Region::Space(Space::Shared) => info.shared_size.into(),
            Region::Space(Space::Payload) => info.task_payload_size.into(),
            Region::Space(Space::Local(_)) => info.scratch.into(),
            _ => return,
        };
        if let Some(last) = u64::checked_sub(size, u64::from(width / 8)) {
            self.limit_place(machine, at, last + 1);
        }
    }

    /// Notes that an address is less than `end`, and so is the one without the low bits that NIR promises.
    fn limit_place(&self, machine: &mut Machine<'_>, at: Term, end: u64) {
        machine.limit(at, end);
        let Some((address, aligned)) = self.promised else { return };
        let distance = machine.arena.sub(at, aligned);
        if let Some(distance) = machine.arena.as_const(distance) {
            let place = machine.arena.plus(address, distance);
            machine.limit(place, end);
        }
    }

    /// Loads a number.
    pub(super) fn load_region(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        region: Region,
        at: Term,
        width: u8,
    ) -> Step<Term> {
        self.limit_address(machine, region, (at, width));
        let state = match region {
            Region::Constant(state) => state,
            Region::Space(space) => machine.space(space),
            Region::Storage(block) => {
                return self.of_storage(machine, inst, block, width, |machine, space| {
                    let state = machine.space(space);
                    world::read_bytes(machine.arena, state, at, width)
                });
            }
        };
        Ok(world::read_bytes(machine.arena, state, at, width))
    }

    /// Stores a number.
    pub(super) fn store_region(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        region: Region,
        at: Term,
        value: Term,
    ) -> Step<()> {
        self.limit_address(machine, region, (at, machine.arena.width(value)));
        match region {
            Region::Constant(_) => return self.unsupported(inst, "a store to this memory"),
            Region::Space(space) => world::store(machine, space, at, value),
            Region::Storage(block) => {
                let choices = self.storage_spaces(machine, inst, block)?;
                world::change_chosen(machine, &choices, |machine, space| world::store(machine, space, at, value));
            }
        }
        Ok(())
    }

    /// Runs an atomic operation of this instruction's kind. `data` are its operands.
    fn region_atomic(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        (region, at): (Region, Term),
        data: &[Def],
    ) -> Step<()> {
        let args: Vec<Term> = data.iter().map(|def| self.scalar(machine, *def)).collect();
        let width = self.shader.insts[inst].bit_size;
        self.limit_address(machine, region, (at, width));
        let name = self.atomic_name(inst);
        let atomic = |machine: &mut Machine<'_>, space: Space| world::atomic(machine, space, &name, at, &args, width);
        let result = match region {
            Region::Constant(_) => return self.unsupported(inst, "an atomic of this memory"),
            Region::Space(space) => atomic(machine, space),
            Region::Storage(block) => self.of_storage(machine, inst, block, width, atomic)?,
        };
        self.set(machine, inst, vec![result]);
        Ok(())
    }

    /// The number that `access` gives of a storage block; an index beyond its array gives an undefined one.
    fn of_storage(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        block: StorageBlock,
        width: u8,
        access: impl FnMut(&mut Machine<'_>, Space) -> Term,
    ) -> Step<Term> {
        let choices = self.storage_spaces(machine, inst, block)?;
        let undefined = machine.arena.undefined(width);
        Ok(world::of_chosen(machine, &choices, Some(undefined), access).unwrap_or(undefined))
    }

    /// The storage blocks that an access may be to.
    fn storage_spaces(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        (set, binding, element): StorageBlock,
    ) -> Step<Choices> {
        let count = Some(self.storage_elements(binding)).filter(|count| *count > 0);
        if let Some(count) = count {
            self.limit_index(machine, element, count);
        }
        let space = |number| Space::Storage(set, binding, number);
        match world::choices(machine.arena, element, count, space) {
            Some(choices) => Ok(choices),
            None => self.unsupported(inst, "a block of a large array, by an index that is not constant"),
        }
    }

    /// A dynamic index of a uniform block is one of them, but the default uniforms have none.
    fn limit_uniform_index(&mut self, machine: &mut Machine<'_>, block: Term) {
        let info = &self.shader.info;
        if info.first_ubo_is_default_ubo {
            let is_first = machine.arena.is_zero(block);
            self.leave_undefined(machine, is_first);
        }
        if info.num_ubos > 0 {
            self.limit_index(machine, block, info.num_ubos.into());
        }
    }

    /// What happens with an index of descriptors beyond their number is not defined.
    pub(super) fn limit_index(&mut self, machine: &mut Machine<'_>, index: Term, count: u64) {
        machine.limit(index, count);
        let count = machine.arena.constant(32, count);
        let inside = machine.arena.scalar(AluOp::ult, 1, &[index, count]);
        let beyond = machine.arena.not(inside);
        self.leave_undefined(machine, beyond);
    }

    /// What happens if control comes here and the condition holds is not defined.
    fn leave_undefined(&mut self, machine: &mut Machine<'_>, condition: Term) {
        let reached = machine.arena.both(machine.state.path, condition);
        // In a loop, the path begins at its start, but in a run with chosen inputs.
        let is_whole = machine.is_outside_loops() || machine.arena.is_concrete();
        if is_whole && machine.arena.as_const(reached) != Some(0) {
            self.undefined.push(reached);
        }
    }

    /// The number of storage blocks at a binding.
    fn storage_elements(&self, binding: u32) -> u64 {
        let shader = self.shader;
        let arrays = shader.vars.values().filter(|it| it.mode == Modes::SSBO && it.binding == binding);
        let longest = arrays.filter_map(|it| shader.types.as_array(it.ty)?.1).max();
        longest.unwrap_or(shader.info.num_ssbos).max(shader.info.num_ssbos).into()
    }

    fn storage_size(&mut self, machine: &mut Machine<'_>, inst: Inst, block: StorageBlock) -> Step<Term> {
        self.of_storage(machine, inst, block, 32, |machine, space| world::size_of_space(machine.arena, space))
    }

    /// NIR's name of the atomic operation of an instruction.
    pub(super) fn atomic_name(&self, inst: Inst) -> String {
        let number = self.shader.index(inst, Index::atomic_op);
        let found = ntv::op::names::AtomicOp::ALL.iter().find(|op| **op as u32 == number);
        found.map_or_else(|| format!("operation {number}"), |op| format!("{op:?}"))
    }

    /// An atomic through a deref.
    pub(super) fn deref_atomic(&mut self, machine: &mut Machine<'_>, inst: Inst, srcs: &[Def]) -> Step<()> {
        let pointer = self.accessed(machine, inst, srcs[0])?;
        match pointer.memory.region(machine.arena) {
            Some(region) => self.region_atomic(machine, inst, (region, pointer.address), &srcs[1..]),
            None => self.unsupported(inst, "an atomic of this memory"),
        }
    }

    /// The length of a run-time array at the end of a block.
    pub(super) fn array_length(&mut self, machine: &mut Machine<'_>, inst: Inst, srcs: &[Def]) -> Step<()> {
        let mut pointer = self.pointer(inst, srcs[0])?;
        let Some(Region::Storage(block)) = pointer.memory.region(machine.arena) else {
            return self.unsupported(inst, "the length of an array of this memory");
        };
        // Of a block, it is the length of its last member.
        if let Some((last, field)) = layout::fields(&self.shader.types, pointer.ty).iter().enumerate().next_back() {
            pointer = self.member(machine, inst, pointer, last, field.ty)?;
        }
        let stride = layout::stride(&self.shader.types, pointer.ty);
        if stride == 0 {
            return self.unsupported(inst, "the length of an array whose type the dump does not have");
        }
        let size = self.storage_size(machine, inst, block)?;
        let rest = machine.arena.sub(size, pointer.address);
        let length = world::elements(machine.arena, rest, stride);
        self.set(machine, inst, vec![length]);
        Ok(())
    }
}
