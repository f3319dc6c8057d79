// SPDX-License-Identifier: MIT

//! Blocks and other memory by byte offset.

use super::deref::Memory;
use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::Term;
use crate::world::{self, Space};
use ntv::ir::{Def, Inst};
use ntv::op::meaning::{MemoryAccess, MemoryKind, MemoryOperation, OffsetUnit};
use ntv::op::{zink, Index, Intrinsic, Modes};
use ntv::target::Descriptor;

/// The most elements of an array of blocks whose element is not known.
const MOST_ELEMENTS: u32 = 16;

/// A storage block: set, binding, and the element in its array.
pub(super) type StorageBlock = (u32, u32, Term);

/// The memory of an access.
#[derive(Clone, Copy, Debug)]
enum Region {
    Uniform(Term),
    Storage(StorageBlock),
    Push,
    Space(Space),
}

/// Facts of a shader, found once: each needs a walk over all instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MemoryFacts {
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
        (op, access): (Intrinsic, MemoryAccess),
        srcs: &[Def],
    ) -> Step<()> {
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
                for c in 0..count {
                    let at = machine.arena.plus(address, u64::from(width / 8) * u64::from(c));
                    terms.push(self.load_region(machine, inst, region, at, width)?);
                }
                self.set(machine, inst, terms);
            }
            MemoryOperation::Store => {
                let values = self.scalars(machine, srcs[0]);
                let mask = match op.info().index_slot(Index::write_mask) {
                    Some(_) => self.shader.index(inst, Index::write_mask),
                    None => u32::MAX,
                };
                for (c, value) in values.into_iter().enumerate().filter(|(c, _)| mask >> c & 1 != 0) {
                    let bytes = u64::from(machine.arena.width(value) / 8);
                    let at = machine.arena.plus(address, bytes * c as u64);
                    match region {
                        Region::Storage(block) => self.store_storage(machine, inst, block, at, value)?,
                        Region::Space(space) => world::store(machine, space, at, value),
                        _ => return self.unsupported(inst, "a store to this memory"),
                    }
                }
            }
            MemoryOperation::Atomic | MemoryOperation::AtomicSwap => {
                let data: Vec<Def> = srcs[access.atomic_data()..].to_vec();
                let args: Vec<Term> = data.into_iter().map(|def| self.scalar(machine, def)).collect();
                let result = match region {
                    Region::Storage(block) => self.storage_atomic(machine, inst, block, address, &args)?,
                    Region::Space(space) => self.atomic(machine, inst, space, address, &args),
                    _ => return self.unsupported(inst, "an atomic of this memory"),
                };
                self.set(machine, inst, vec![result]);
            }
            MemoryOperation::Size => {}
        }
        Ok(())
    }

    fn region(&mut self, machine: &mut Machine<'_>, inst: Inst, access: MemoryAccess, srcs: &[Def]) -> Step<Region> {
        let block = access.block.map(|block| self.scalar(machine, srcs[usize::from(block)]));
        Ok(match (access.kind, block) {
            (MemoryKind::Ubo, Some(block)) => Region::Uniform(self.uniform(machine, block)),
            (MemoryKind::Ssbo, Some(block)) => {
                let set = self.target.descriptor_set(Descriptor::StorageBuffer);
                Region::Storage(self.numbered(machine, set, block, self.facts.storage_array))
            }
            (MemoryKind::PushConstant, _) => Region::Push,
            (MemoryKind::Shared, _) => Region::Space(Space::Shared),
            (MemoryKind::TaskPayload, _) => Region::Space(Space::Payload),
            (MemoryKind::Scratch, _) => Region::Space(Space::Local(u32::MAX)),
            _ => return self.unsupported(inst, "this kind of memory"),
        })
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
                (set, first, element)
            }
        }
    }

    /// The facts of the whole shader on which the meaning of an access depends.
    pub(super) fn find_facts(&self) -> MemoryFacts {
        MemoryFacts {
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
        if let Some(unit) = shader.info.directive("shared_offset_units") {
            return unit == "elements";
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
            OffsetUnit::Vec4s => machine.arena.combination(32, 16 * base + 4 * component, &[(offset, 16)]),
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
        let multiple = u64::from(self.shader.index(inst, Index::align_mul));
        let rest = u64::from(self.shader.index(inst, Index::align_offset));
        if !multiple.is_power_of_two() || machine.arena.as_const(address).is_some() {
            return address;
        }
        let high = machine.arena.mask(address, !(multiple - 1));
        let aligned = machine.arena.plus(high, rest);
        // Control comes here in any case, so that the promise holds everywhere.
        if aligned != address && machine.arena.as_const(machine.state.path) == Some(1) && machine.is_outside_loops() {
            self.promises.push((address, aligned));
        }
        aligned
    }

    fn load_region(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        region: Region,
        at: Term,
        width: u8,
    ) -> Step<Term> {
        let state = match region {
            Region::Uniform(state) => state,
            Region::Storage(block) => return self.load_storage(machine, inst, block, at, width),
            Region::Push => world::push_constants(machine.arena),
            Region::Space(space) => machine.space(space),
        };
        Ok(world::read_bytes(machine.arena, state, at, width))
    }

    /// The storage blocks that an access may be to, each with the condition under which it is.
    fn storage_spaces(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        (set, binding, element): StorageBlock,
    ) -> Step<Vec<(Term, Space)>> {
        if let Some(element) = machine.arena.as_const(element) {
            let always = machine.arena.boolean(true);
            return Ok(vec![(always, Space::Storage(set, binding, element as u32))]);
        }
        let count = self.storage_elements(binding);
        if count == 0 || count > MOST_ELEMENTS {
            return self.unsupported(inst, "a block of a large array, by an index that is not constant");
        }
        let mut spaces = Vec::new();
        for number in 0..count {
            let number_term = machine.arena.constant(32, number.into());
            let is_it = machine.arena.equal(element, number_term);
            spaces.push((is_it, Space::Storage(set, binding, number)));
        }
        Ok(spaces)
    }

    /// The number of storage blocks at a binding.
    fn storage_elements(&self, binding: u32) -> u32 {
        let shader = self.shader;
        let arrays = shader.vars.values().filter(|it| it.mode == ntv::op::Modes::SSBO && it.binding == binding);
        let longest = arrays.filter_map(|it| shader.types.as_array(it.ty)?.1).max();
        longest.unwrap_or(shader.info.num_ssbos).max(shader.info.num_ssbos)
    }

    pub(super) fn load_storage(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        block: StorageBlock,
        at: Term,
        width: u8,
    ) -> Step<Term> {
        let spaces = self.storage_spaces(machine, inst, block)?;
        let mut value = machine.arena.undefined(width);
        for (condition, space) in spaces.into_iter().rev() {
            let state = machine.space(space);
            let read = world::read_bytes(machine.arena, state, at, width);
            value = machine.arena.ite(condition, read, value);
        }
        Ok(value)
    }

    pub(super) fn store_storage(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        block: StorageBlock,
        at: Term,
        value: Term,
    ) -> Step<()> {
        for (condition, space) in self.storage_spaces(machine, inst, block)? {
            let before = machine.space(space);
            world::store(machine, space, at, value);
            let after = machine.space(space);
            let chosen = machine.arena.ite(condition, after, before);
            machine.set_space(space, chosen);
        }
        Ok(())
    }

    pub(super) fn storage_atomic(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        block: StorageBlock,
        at: Term,
        args: &[Term],
    ) -> Step<Term> {
        let width = self.shader.insts[inst].bit_size;
        let mut result = machine.arena.undefined(width);
        for (condition, space) in self.storage_spaces(machine, inst, block)?.into_iter().rev() {
            let before = machine.space(space);
            let old = self.atomic(machine, inst, space, at, args);
            let after = machine.space(space);
            let chosen = machine.arena.ite(condition, after, before);
            machine.set_space(space, chosen);
            result = machine.arena.ite(condition, old, result);
        }
        Ok(result)
    }

    fn storage_size(&mut self, machine: &mut Machine<'_>, inst: Inst, block: StorageBlock) -> Step<Term> {
        let spaces = self.storage_spaces(machine, inst, block)?;
        let mut size = machine.arena.undefined(32);
        for (condition, space) in spaces.into_iter().rev() {
            let Space::Storage(set, binding, element) = space else { continue };
            let of = machine.arena.symbol(&format!("size of storage block {set}.{binding}[{element}]"), 32, &[]);
            size = machine.arena.ite(condition, of, size);
        }
        Ok(size)
    }

    /// An atomic operation of this instruction's kind.
    fn atomic(&mut self, machine: &mut Machine<'_>, inst: Inst, space: Space, at: Term, args: &[Term]) -> Term {
        let width = self.shader.insts[inst].bit_size;
        let name = self.atomic_name(inst);
        world::atomic(machine, space, &name, at, args, width)
    }

    /// NIR's name of the atomic operation of an instruction.
    pub(super) fn atomic_name(&self, inst: Inst) -> String {
        let number = self.shader.index(inst, Index::atomic_op);
        let found = ntv::op::names::AtomicOp::ALL.iter().find(|op| **op as u32 == number);
        found.map_or_else(|| format!("operation {number}"), |op| format!("{op:?}"))
    }

    /// An atomic through a deref.
    pub(super) fn deref_atomic(&mut self, machine: &mut Machine<'_>, inst: Inst, srcs: &[Def]) -> Step<()> {
        let pointer = self.pointer(inst, srcs[0])?;
        let args: Vec<Term> = srcs[1..].iter().map(|def| self.scalar(machine, *def)).collect();
        let result = match pointer.memory {
            Memory::Block { set, binding, is_uniform: false, element } => {
                let element = element.unwrap_or_else(|| machine.arena.constant(32, 0));
                self.storage_atomic(machine, inst, (set, binding, element), pointer.address, &args)?
            }
            Memory::Shared => self.atomic(machine, inst, Space::Shared, pointer.address, &args),
            Memory::Payload => self.atomic(machine, inst, Space::Payload, pointer.address, &args),
            _ => return self.unsupported(inst, "an atomic of this memory"),
        };
        self.set(machine, inst, vec![result]);
        Ok(())
    }

    /// The length of a run-time array at the end of a block.
    pub(super) fn array_length(&mut self, machine: &mut Machine<'_>, inst: Inst, srcs: &[Def]) -> Step<()> {
        let pointer = self.pointer(inst, srcs[0])?;
        let Memory::Block { set, binding, is_uniform: false, element } = pointer.memory else {
            return self.unsupported(inst, "the length of an array of this memory");
        };
        let element = element.unwrap_or_else(|| machine.arena.constant(32, 0));
        let size = self.storage_size(machine, inst, (set, binding, element))?;
        let rest = machine.arena.sub(size, pointer.address);
        let stride = self.layout.stride(&self.shader.types, pointer.ty);
        let length = match stride.is_power_of_two() {
            true => {
                let count = machine.arena.constant(32, stride.trailing_zeros().into());
                machine.arena.lshr(rest, count)
            }
            false => {
                let stride = machine.arena.constant(32, stride);
                machine.arena.scalar(ntv::op::AluOp::udiv, 32, &[rest, stride])
            }
        };
        self.set(machine, inst, vec![length]);
        Ok(())
    }
}
