// SPDX-License-Identifier: MIT

//! Intrinsics: the dispatch to the files that run them, and the loads and stores of memory.

use crate::alu;
use crate::fault::FaultKind;
use crate::machine::{Machine, Section};
use crate::memory::{Address, Buffer, MemoryRegion};
use crate::order::Invocation;
use crate::pointer::Pointer;
use crate::race::Use;
use crate::texture::RESIDENT;
use crate::Bits;
use ntv::analysis::textures::Texture;
use ntv::ir::{Def, Directive, Inst, Stage};
use ntv::op::fold::mask;
use ntv::op::meaning::{MemoryAccess, MemoryKind, MemoryOperation, OffsetUnit, Sampling};
use ntv::op::names::Scope;
use ntv::op::{zink, Base, Index, Intrinsic, Modes};

impl Machine<'_> {
    /// Runs an intrinsic for all active invocations.
    pub(crate) fn intrinsic(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        use Intrinsic::*;
        let places = op.info().memory.and_then(|access| Some((access, memory_of(access.kind)?)));
        if let Some((access, memory)) = places {
            return self.access(inst, access, memory, srcs);
        }
        if let Some(io) = op.meaning().io {
            return self.explicit_io(inst, op, io, srcs);
        }
        if op.is_barycentric() {
            // `load_interpolated_input` reads the intrinsic and its sources, not its value.
            return self.set_all(inst, &[Bits::new(0); 2]);
        }
        match op {
            decl_reg => self.set_all(inst, &[Bits::new(0)]),
            load_reg | store_reg | load_reg_indirect | store_reg_indirect => self.register_access(inst, op, srcs),
            load_deref => self.load_pointer(inst, op, srcs),
            store_deref => self.store_pointer(inst, srcs),
            _ if self.is_attachment(inst) => self.load_attachment(inst, srcs[0]),
            _ if op.is_deref_atomic() => self.pointer_atomic(inst, srcs),
            deref_buffer_array_length => self.array_length(inst, srcs[0]),
            emit_vertex | end_primitive | emit_vertex_with_counter | end_primitive_with_counter => self.emit(inst, op),
            set_vertex_and_primitive_count if self.shader.stage() == Stage::Mesh => self.set_mesh_outputs(inst, srcs),
            set_vertex_and_primitive_count => {}
            launch_mesh_workgroups => self.launch(inst, srcs[0]),
            terminate => self.terminate(|_, _| true),
            terminate_if => self.terminate(|machine, lane| machine.scalar(srcs[0], lane).value != 0),
            demote => self.demote(|_, _| true),
            demote_if => self.demote(|machine, lane| machine.scalar(srcs[0], lane).value != 0),
            barrier => self.barrier(inst),
            begin_invocation_interlock => self.begin_section(inst),
            end_invocation_interlock => self.end_section(inst),
            load_color0 => self.color(inst, 0),
            load_color1 => self.color(inst, 1),
            // The time is undefined.
            shader_clock => self.set_all(inst, &[]),
            is_sparse_texels_resident | is_sparse_resident_zink => self.is_resident(inst, srcs[0]),
            sparse_residency_code => self.set_all(inst, &[RESIDENT]),
            sparse_residency_code_and => self.both_codes(inst, srcs),
            _ if matches!(op.meaning().sampling, Some(sampling) if sampling != Sampling::AtVertex) => {
                self.load_pointer(inst, op, srcs);
            }
            _ if self.image(inst, op, srcs) || self.subgroup(inst, op, srcs) => {}
            _ => self.load_system_value(inst, op),
        }
        if matches!(op, terminate_if | demote_if) {
            self.check_condition(inst, srcs[0]);
        }
    }

    /// Sets whether the residency code, the last component of `texels`, reports that they are in memory.
    fn is_resident(&mut self, inst: Inst, texels: Def) {
        let bits = self.shader.insts[inst].bit_size;
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let code = self.value(texels, lane).last().copied().unwrap_or(Bits::undef(32));
            let resident = u64::from(code == RESIDENT).wrapping_neg();
            let resident = if code.is_defined() { Bits::new(mask(resident, bits)) } else { Bits::undef(bits) };
            self.set(inst, lane, &[resident]);
        }
    }

    fn both_codes(&mut self, inst: Inst, srcs: &[Def]) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let [a, b] = [0, 1].map(|i| self.scalar(srcs[i], lane));
            self.set(inst, lane, &[if a == RESIDENT { b } else { a }]);
        }
    }

    fn is_attachment(&self, inst: Inst) -> bool {
        Texture::of_image(self.shader, inst).dim.is_subpass()
    }

    fn check_condition(&mut self, inst: Inst, cond: Def) {
        let undefined = (0..self.lanes.len()).find(|lane| !self.scalar(cond, *lane).is_defined());
        if let Some(lane) = undefined.filter(|lane| self.active.contains(lane)) {
            self.fault(FaultKind::UndefinedCondition, inst, lane, "the condition is undefined");
        }
    }

    fn demote(&mut self, demotes: impl Fn(&Self, usize) -> bool) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            if demotes(self, lane) {
                (self.lanes[lane].is_helper, self.lanes[lane].is_discarded) = (true, true);
            }
        }
    }

    fn barrier(&mut self, inst: Inst) {
        if !self.shader.stage().has_workgroups() {
            return;
        }
        let scopes = [Index::execution_scope, Index::memory_scope].map(|index| self.shader.index(inst, index));
        let mut groups: Vec<u64> = self.active.iter().map(|lane| self.subgroup_number(*lane)).collect();
        groups.dedup();
        self.races.order.barrier(self.ordered(inst), scopes, &groups);
        let waits_for = |lane: &usize| match scopes[0] {
            scope if scope >= Scope::workgroup as u32 => self.is_running(*lane),
            scope if scope >= Scope::subgroup as u32 => {
                self.is_running(*lane) && groups.contains(&self.subgroup_number(*lane))
            }
            _ => false,
        };
        let count = (0..self.lanes.len()).filter(waits_for).count();
        if count > self.active.len() {
            let message = format!("{} of {count} invocations are here", self.active.len());
            self.fault(FaultKind::DivergentBarrier, inst, self.active[0], message);
        }
    }

    fn subgroup_number(&self, lane: usize) -> u64 {
        lane as u64 / u64::from(self.inputs.subgroup_size.max(1))
    }

    /// The memory that a barrier orders. GLSL's barrier() names none where Mesa found no shared memory, but orders all.
    fn ordered(&self, inst: Inst) -> Modes {
        let modes = Modes::from_bits_truncate(self.shader.index(inst, Index::memory_modes));
        match self.shader.index(inst, Index::memory_scope) {
            0 => Modes::empty(),
            _ if modes.is_empty() => Modes::all(),
            _ => modes,
        }
    }

    /// An access to a block or to memory of the shader by offset.
    fn access(&mut self, inst: Inst, access: MemoryAccess, memory: MemoryRegion, srcs: &[Def]) {
        let size = match access.operation {
            MemoryOperation::Store => (self.shader.num_components(srcs[0]), self.shader.bit_size(srcs[0])),
            _ => (self.shader.insts[inst].num_components, self.shader.insts[inst].bit_size),
        };
        let address_srcs = [access.block, access.offset].map(|at| at.map(|at| srcs[usize::from(at)]));
        for i in 0..self.active.len() {
            let lane = self.active[i];
            if access.operation == MemoryOperation::Size {
                self.buffer_size(inst, access, memory, srcs, lane);
                continue;
            }
            let is_uncertain = self.check_certain(inst, address_srcs, lane);
            let Some(address) = self.byte_address(inst, access, memory, srcs, size.1, lane) else {
                self.no_memory(inst, lane);
                if access.operation != MemoryOperation::Store {
                    self.set(inst, lane, &[]);
                }
                continue;
            };
            match access.operation {
                MemoryOperation::Load | MemoryOperation::Size => {
                    let value = self.load(inst, lane, address, size);
                    self.set(inst, lane, &value);
                }
                MemoryOperation::Store => {
                    let value = self.value(srcs[0], lane).to_vec();
                    self.store(inst, lane, address, &value, size.1);
                }
                MemoryOperation::Atomic | MemoryOperation::AtomicSwap => {
                    self.atomic(inst, lane, address, &srcs[access.atomic_data()..]);
                }
            }
            if is_uncertain {
                self.forget_result(inst, lane);
            }
            if is_uncertain && access.operation != MemoryOperation::Load {
                self.forget_written(address.memory, lane);
            }
        }
    }

    /// Reports addresses with undefined bits: true if one of `parts` has some.
    pub(crate) fn check_certain(&mut self, inst: Inst, parts: [Option<Def>; 2], lane: usize) -> bool {
        let part = parts.into_iter().flatten().find(|part| !self.scalar(*part, lane).is_defined());
        if let Some(part) = part {
            let message = format!("{} is undefined", self.shader.shown(part));
            self.fault(FaultKind::UncertainAddress, inst, lane, message);
        }
        part.is_some()
    }

    /// Marks the storage, or another region, to which something was written at an undefined address.
    fn forget_written(&mut self, memory: MemoryRegion, lane: usize) {
        let is_own = matches!(memory, MemoryRegion::Private | MemoryRegion::Scratch);
        if self.lanes[lane].is_helper && !is_own {
            return;
        }
        match memory {
            MemoryRegion::Storage(_) => self.resources.storage.iter_mut().for_each(Buffer::forget),
            MemoryRegion::Global => self.resources.global.iter_mut().for_each(|(_, buffer)| buffer.forget()),
            memory => self.buffer_mut(memory, lane).into_iter().for_each(Buffer::forget),
        }
    }

    /// The address of an access by offset; `None` if there is none.
    fn byte_address(
        &mut self,
        inst: Inst,
        access: MemoryAccess,
        memory: MemoryRegion,
        srcs: &[Def],
        bits: u8,
        lane: usize,
    ) -> Option<Address> {
        let offset = self.scalar(srcs[usize::from(access.offset?)], lane);
        let block = self.block_number(access, srcs, lane);
        let memory = memory.numbered(block.value as u32);
        let index = |index| i64::from(self.shader.index(inst, index));
        let bytes = i64::from(bits / 8);
        let offset = if memory == MemoryRegion::Global { offset.value as i64 } else { offset.value as u32 as i64 };
        let base = index(Index::base);
        let byte = match access.unit {
            OffsetUnit::Vec4s => (offset + base) * 16 + index(Index::component) * bytes,
            OffsetUnit::ZinkMembers => i64::from(zink::offset(offset as usize)?) + 4 * index(Index::component),
            OffsetUnit::Bytes if self.counts_elements(access, memory) => offset * bytes + base,
            OffsetUnit::Bytes => {
                self.check_alignment(inst, lane, offset, access);
                offset + base
            }
        };
        Some(Address::anywhere(memory, byte))
    }

    /// The index of the block that an access has as a source; 0 if it has none.
    fn block_number(&self, access: MemoryAccess, srcs: &[Def], lane: usize) -> Bits {
        access.block.map_or(Bits::new(0), |block| self.scalar(srcs[usize::from(block)], lane))
    }

    /// Whether the offset into `memory` counts elements, as those of loads and stores do after zink's own lowering. A dump lacks
    /// this: see [`say_offset_units`](ntv::raise::say_offset_units).
    fn counts_elements(&self, access: MemoryAccess, memory: MemoryRegion) -> bool {
        matches!(memory, MemoryRegion::Shared | MemoryRegion::Scratch)
            && !access.operation.is_atomic()
            && self.shader.info.says(Directive::OffsetsInElements)
    }

    fn check_alignment(&mut self, inst: Inst, lane: usize, offset: i64, access: MemoryAccess) {
        let (mul, rem) = match access.operation {
            // An atomic is aligned to its width.
            operation if operation.is_atomic() => (i64::from(self.shader.insts[inst].bit_size / 8), 0),
            _ => (
                i64::from(self.shader.index(inst, Index::align_mul)),
                i64::from(self.shader.index(inst, Index::align_offset)),
            ),
        };
        if mul != 0 && offset % mul != rem {
            let message = format!("offset {offset} is not {rem} modulo {mul}");
            self.fault(FaultKind::Misaligned, inst, lane, message);
        }
    }

    fn buffer_size(&mut self, inst: Inst, access: MemoryAccess, memory: MemoryRegion, srcs: &[Def], lane: usize) {
        let block = self.block_number(access, srcs, lane);
        let size = self.memory_size(memory.numbered(block.value as u32), lane);
        if size.is_none() {
            self.fault(FaultKind::OutOfBounds, inst, lane, "no such block");
        }
        let bits = self.shader.insts[inst].bit_size;
        let size = size.map(|size| alu::all_or_nothing(size, bits, &[block]));
        self.set(inst, lane, size.as_slice());
    }

    fn load_pointer(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let data = self.shader.insts[inst];
        let is_bool = self.points_to_bool(srcs[0]);
        for i in 0..self.active.len() {
            let lane = self.active[i];
            match self.pointer(srcs[0], lane) {
                Pointer::Io(io) => self.load_io(inst, op, srcs, io, lane),
                Pointer::Memory(address) => {
                    let bits = if is_bool { 32 } else { data.bit_size };
                    let mut value = self.load(inst, lane, address, (data.num_components, bits));
                    if is_bool && data.bit_size == 1 {
                        value.iter_mut().for_each(|c| *c = to_bool(*c));
                    }
                    self.set(inst, lane, &value);
                }
                _ => {
                    self.no_memory(inst, lane);
                    self.set(inst, lane, &[]);
                }
            }
            if self.is_uncertain(srcs[0], lane) {
                self.forget_result(inst, lane);
            }
        }
    }

    fn store_pointer(&mut self, inst: Inst, srcs: &[Def]) {
        let is_bool = self.points_to_bool(srcs[0]);
        let bits = if is_bool { 32 } else { self.shader.bit_size(srcs[1]) };
        for i in 0..self.active.len() {
            let lane = self.active[i];
            match self.pointer(srcs[0], lane) {
                Pointer::Io(io) => self.store_io(inst, srcs[0], srcs[1], io, lane),
                Pointer::Memory(address) => {
                    let mut value = self.value(srcs[1], lane).to_vec();
                    if is_bool && self.shader.bit_size(srcs[1]) == 1 {
                        value.iter_mut().for_each(|c| *c = from_bool(*c));
                    }
                    self.store(inst, lane, address, &value, bits);
                }
                _ => self.no_memory(inst, lane),
            }
            if self.is_uncertain(srcs[0], lane) {
                self.forget_result(inst, lane);
                self.forget_pointee(srcs[0], lane);
            }
        }
    }

    fn pointer_atomic(&mut self, inst: Inst, srcs: &[Def]) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            match self.pointer(srcs[0], lane) {
                Pointer::Memory(address) => self.atomic(inst, lane, address, &srcs[1..]),
                _ => {
                    self.no_memory(inst, lane);
                    self.set(inst, lane, &[]);
                }
            }
            if self.is_uncertain(srcs[0], lane) {
                self.forget_result(inst, lane);
                self.forget_pointee(srcs[0], lane);
            }
        }
    }

    /// Marks all that may have been written through a deref with an undefined index.
    fn forget_pointee(&mut self, pointer: Def, lane: usize) {
        match self.pointer(pointer, lane) {
            Pointer::Memory(address) => self.forget_written(address.memory, lane),
            Pointer::Io(_) => self.forget_outputs(lane),
            _ => {}
        }
    }

    fn points_to_bool(&self, pointer: Def) -> bool {
        let pointee = self.shader.as_deref(pointer).and_then(|deref| self.shader.types.as_vector(deref.ty));
        pointee.is_some_and(|(scalar, _)| scalar.base == Base::Bool)
    }

    fn no_memory(&mut self, inst: Inst, lane: usize) {
        self.fault(FaultKind::OutOfBounds, inst, lane, "the deref refers to no memory");
    }

    /// The components at `address`; undefined if they are out of bounds.
    pub(crate) fn load(&mut self, inst: Inst, lane: usize, address: Address, (count, bits): (u8, u8)) -> Vec<Bits> {
        let step = i64::from(bits / 8);
        let components = (0..i64::from(count)).map(|c| self.read(address.plus(c * step), bits, lane));
        let loaded: Option<Vec<Bits>> = components.collect();
        if loaded.is_some() {
            self.record_end(address, step * i64::from(count));
            self.record_use(inst, lane, address, |_| Use::Read, step * i64::from(count));
        }
        loaded.unwrap_or_else(|| {
            self.out_of_bounds(inst, lane, address, step * i64::from(count));
            vec![Bits::undef(bits); count.into()]
        })
    }

    /// Stores the components of `value` in the write mask.
    fn store(&mut self, inst: Inst, lane: usize, address: Address, value: &[Bits], bits: u8) {
        let write_mask = self.shader.index(inst, Index::write_mask);
        let is_outside = matches!(address.memory, MemoryRegion::Storage(_) | MemoryRegion::Global);
        let step = i64::from(bits / 8);
        for (c, component) in value.iter().enumerate().filter(|(c, _)| write_mask >> c & 1 != 0) {
            if is_outside && !component.is_defined() {
                self.fault(FaultKind::UndefinedOutput, inst, lane, format!("component {c} is undefined"));
            }
            let address = address.plus(c as i64 * step);
            let old = self.read(address, bits, lane);
            if self.write(address, bits, *component, lane).is_none() {
                self.out_of_bounds(inst, lane, address, step);
                continue;
            }
            self.record_end(address, step);
            if let Some(old) = old.filter(|_| !self.lanes[lane].is_helper) {
                let changed = (old.value ^ component.value) | (old.undef ^ component.undef);
                let what = |byte| if changed >> (8 * byte) & 0xff != 0 { Use::Write } else { Use::Read };
                self.record_use(inst, lane, address, what, step);
            }
        }
    }

    /// Records the end of an access.
    pub(crate) fn record_end(&mut self, address: Address, bytes: i64) {
        let end = self.ends.entry(address.memory).or_default();
        *end = (*end).max(address.byte.saturating_add(bytes) as u64);
    }

    /// Records the use of `bytes` bytes, and reports races.
    pub(crate) fn record_use(
        &mut self,
        inst: Inst,
        lane: usize,
        address: Address,
        what: impl Fn(i64) -> Use,
        bytes: i64,
    ) {
        let is_own = matches!(
            address.memory,
            MemoryRegion::Uniform(_) | MemoryRegion::Push | MemoryRegion::Private | MemoryRegion::Scratch
        );
        let is_alone = self.lanes.len() == 1 && (!self.shader.stage().has_grid() || self.inputs.workgroups == [1; 3]);
        if is_alone || is_own {
            return;
        }
        let group = match self.shader.stage() {
            Stage::Fragment => (self.lanes[lane].section == Section::Within).then(|| self.pixel(lane)),
            _ => Some(self.subgroup_number(lane)),
        };
        let by = Invocation { lane: lane as u32, group };
        for byte in 0..bytes {
            if self.races.record(address.memory, address.byte + byte, by, what(byte)) {
                let memory = self.memory_name(address.memory);
                let message = format!("byte {} of {memory} without a barrier", address.byte + byte);
                self.fault(FaultKind::Race, inst, lane, message);
            }
        }
    }

    pub(crate) fn out_of_bounds(&mut self, inst: Inst, lane: usize, address: Address, bytes: i64) {
        let Address { memory, byte, start, .. } = address;
        let size = self.memory_size(memory, lane);
        let message = match size {
            Some(size) => {
                format!("{bytes} bytes at {} of {}, which has {size}", byte - start, self.memory_name(memory))
            }
            None if memory == MemoryRegion::Global => format!("{bytes} bytes at address {byte:#x}"),
            None => format!("there is no {}", self.memory_name(memory)),
        };
        self.fault(FaultKind::OutOfBounds, inst, lane, message);
    }

    /// The bytes of `memory`; `None` if there is no such region, and for global memory.
    pub(crate) fn memory_size(&self, memory: MemoryRegion, lane: usize) -> Option<u64> {
        self.buffer(memory, lane).map(|buffer| buffer.bytes.len() as u64)
    }

    fn buffer(&self, memory: MemoryRegion, lane: usize) -> Option<&Buffer> {
        match memory {
            MemoryRegion::Uniform(block) => self.resources.uniform.get(block as usize),
            MemoryRegion::Storage(block) => self.resources.storage.get(block as usize),
            MemoryRegion::Push => Some(&self.resources.push_constants),
            MemoryRegion::Shared => Some(&self.shared),
            MemoryRegion::Payload => Some(&self.payload),
            MemoryRegion::Private => Some(&self.lanes[lane].private),
            MemoryRegion::Scratch => Some(&self.lanes[lane].scratch),
            MemoryRegion::Image(image) => self.resources.images.get(&image)?.levels.first(),
            MemoryRegion::Global => None,
        }
    }

    fn buffer_mut(&mut self, memory: MemoryRegion, lane: usize) -> Option<&mut Buffer> {
        match memory {
            MemoryRegion::Storage(block) => self.resources.storage.get_mut(block as usize),
            MemoryRegion::Shared => Some(&mut self.shared),
            MemoryRegion::Payload => Some(&mut self.payload),
            MemoryRegion::Private => Some(&mut self.lanes[lane].private),
            MemoryRegion::Scratch => Some(&mut self.lanes[lane].scratch),
            MemoryRegion::Image(image) => self.resources.images.get_mut(&image)?.levels.first_mut(),
            MemoryRegion::Uniform(_) | MemoryRegion::Push | MemoryRegion::Global => None,
        }
    }

    /// The buffer of global memory that has the `bits` bits at an address, and their first byte in it.
    fn global(&self, address: i64, bits: u8) -> Option<(usize, i64)> {
        let places = self.resources.global.iter().map(|(start, _)| address.wrapping_sub(*start as i64));
        let mut places = places.enumerate().zip(&self.resources.global);
        places.find_map(|((number, byte), (_, buffer))| buffer.read(byte, bits).map(|_| (number, byte)))
    }

    /// The `bits` bits at `address`; `None` out of bounds.
    pub(crate) fn read(&self, address: Address, bits: u8, lane: usize) -> Option<Bits> {
        if address.memory == MemoryRegion::Global {
            let (number, byte) = self.global(address.byte, bits)?;
            return self.resources.global[number].1.read(byte, bits);
        }
        is_inside(address, bits).then_some(())?;
        self.buffer(address.memory, lane)?.read(address.byte, bits)
    }

    /// Writes `bits` bits; `None` out of bounds. A helper invocation changes only its own memory.
    pub(crate) fn write(&mut self, address: Address, bits: u8, value: Bits, lane: usize) -> Option<()> {
        let is_own = matches!(address.memory, MemoryRegion::Private | MemoryRegion::Scratch);
        let is_global = address.memory == MemoryRegion::Global;
        (is_global || is_inside(address, bits)).then_some(())?;
        if self.lanes[lane].is_helper && !is_own {
            return Some(());
        }
        if is_global {
            let (number, byte) = self.global(address.byte, bits)?;
            return self.resources.global[number].1.write(byte, bits, value);
        }
        self.buffer_mut(address.memory, lane)?.write(address.byte, bits, value)
    }
}

/// The region of this kind that is accessed by offset. The index of a block is 0 here.
fn memory_of(kind: MemoryKind) -> Option<MemoryRegion> {
    match kind {
        MemoryKind::Ubo => Some(MemoryRegion::Uniform(0)),
        MemoryKind::Ssbo => Some(MemoryRegion::Storage(0)),
        MemoryKind::PushConstant => Some(MemoryRegion::Push),
        MemoryKind::Shared => Some(MemoryRegion::Shared),
        MemoryKind::TaskPayload => Some(MemoryRegion::Payload),
        MemoryKind::Scratch => Some(MemoryRegion::Scratch),
        MemoryKind::Global => Some(MemoryRegion::Global),
        MemoryKind::Constant | MemoryKind::KernelInput | MemoryKind::Uniform | MemoryKind::Deref => None,
    }
}

fn is_inside(address: Address, bits: u8) -> bool {
    address.byte >= address.start && address.byte.saturating_add(i64::from(bits / 8)) <= address.end
}

/// A boolean in memory as a 1-bit value.
fn to_bool(word: Bits) -> Bits {
    alu::all_or_nothing(u64::from(word.value != 0), 1, &[word])
}

/// A 1-bit value as a boolean in memory.
fn from_bool(bit: Bits) -> Bits {
    let spread = |bit: u64| mask(bit.wrapping_neg(), 32);
    Bits { value: spread(bit.value), undef: spread(bit.undef) }
}
