// SPDX-License-Identifier: MIT

//! Derefs: the pointers that they compute.

use crate::fault::FaultKind;
use crate::layout::component_bytes;
use crate::machine::Machine;
use crate::memory::{Address, MemoryRegion};
use crate::pointer::{IoPointer, Pointer};
use crate::words::joined;
use crate::Bits;
use ntv::ir::{ArrayIndex, Def, Deref, DerefKind, Inst, Stage, Type, TypeData, Var, VarFlags, Variable};
use ntv::op::fold::sign_extend;
use ntv::op::Modes;

/// The part of its parent that a deref selects.
#[derive(Clone, Copy)]
enum Selector {
    /// An element of an array, a column of a matrix, or a component of a vector.
    Index(i64),
    /// A member of a struct.
    Field(u32),
}

impl Machine<'_> {
    /// Runs a deref.
    pub(crate) fn deref(&mut self, inst: Inst, deref: &Deref) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let pointer = match deref.kind {
                DerefKind::Var(var) => self.variable(inst, var, lane),
                DerefKind::Array { parent, index } => self
                    .index(inst, (parent, index), lane)
                    .map_or(Pointer::Nowhere, |n| self.walk(parent, lane, Selector::Index(n))),
                DerefKind::Struct { parent, field } => self.walk(parent, lane, Selector::Field(field)),
                DerefKind::PtrAsArray { parent, index } => {
                    let stride = self.stride_of_elements(parent);
                    let index = self.index(inst, (parent, index), lane).zip(stride);
                    match (index, self.pointer(parent, lane)) {
                        (Some((n, stride)), Pointer::Memory(at)) => Pointer::Memory(at.plus(n.wrapping_mul(stride))),
                        _ => Pointer::Nowhere,
                    }
                }
                DerefKind::Cast { parent, .. } => self.cast(inst, parent, deref.modes, lane),
                DerefKind::ArrayWildcard { .. } => {
                    self.fault(FaultKind::Unsupported, inst, lane, "a wildcard");
                    Pointer::Nowhere
                }
            };
            self.set_pointer(inst, lane, pointer);
        }
    }

    /// A deref as another type, or a number as an address.
    fn cast(&mut self, inst: Inst, parent: Def, modes: Modes, lane: usize) -> Pointer {
        if self.shader.as_deref(parent).is_some() {
            return self.pointer(parent, lane);
        }
        // Without integers of 64 bits an address is two words.
        let address = match *self.value(parent, lane) {
            [low, high, ..] => joined(low, high),
            _ => self.scalar(parent, lane),
        };
        if modes != Modes::GLOBAL {
            self.fault(FaultKind::Unsupported, inst, lane, "a cast of a number to an address outside of global memory");
            return Pointer::Nowhere;
        }
        self.check_certain(inst, [Some(parent), None], lane);
        Pointer::Memory(Address::anywhere(MemoryRegion::Global, address.value as i64))
    }

    /// The distance in bytes between elements of the array that `pointer` points into.
    fn stride_of_elements(&self, mut pointer: Def) -> Option<i64> {
        loop {
            let deref = self.shader.as_deref(pointer)?;
            match deref.kind {
                DerefKind::PtrAsArray { parent, .. } => pointer = parent,
                DerefKind::Cast { stride, .. } if stride != 0 => return Some(stride.into()),
                DerefKind::Array { parent, .. } => {
                    let array = self.shader.as_deref(parent)?.ty;
                    return self.layout.stride(&self.shader.types, array).map(|stride| stride as i64);
                }
                _ => return self.layout.of(deref.ty).map(|extent| extent.size as i64),
            }
        }
    }

    fn variable(&mut self, inst: Inst, var: Var, lane: usize) -> Pointer {
        let variable = &self.shader.vars[var];
        let size = self.layout.of(variable.ty).map_or(0, |extent| extent.size) as i64;
        let start = self.places[var] as i64;
        let own = |memory| Pointer::Memory(Address { memory, byte: start, start, end: start + size });
        let pointer = match variable.mode {
            Modes::UBO => Pointer::Block(MemoryRegion::Uniform(variable.driver_location)),
            // A pass has placed a uniform block in a storage buffer.
            Modes::SSBO if self.is_placed(var) => Pointer::Block(MemoryRegion::Uniform(variable.driver_location)),
            Modes::SSBO => Pointer::Block(MemoryRegion::Storage(variable.driver_location)),
            Modes::PUSH_CONST => Pointer::Block(MemoryRegion::Push),
            // A block is as large as shared memory, because a dump lacks its size.
            Modes::SHARED if self.shader.types.as_struct(variable.ty).is_some() => Pointer::Block(MemoryRegion::Shared),
            Modes::SHARED => own(MemoryRegion::Shared),
            Modes::TASK_PAYLOAD => Pointer::Block(MemoryRegion::Payload),
            Modes::SHADER_TEMP | Modes::FUNCTION_TEMP | Modes::CONSTANT => own(MemoryRegion::Private),
            Modes::SHADER_IN | Modes::SHADER_OUT => {
                let needs_vertex = self.is_per_vertex(var);
                Pointer::Io(IoPointer { var, vertex: 0, needs_vertex, word: u32::from(variable.location_frac) })
            }
            _ => self.first_descriptor(var).map_or(Pointer::Nowhere, Pointer::Descriptor),
        };
        if variable.initializer.is_some() && variable.values.is_none() && variable.mode != Modes::UNIFORM {
            self.fault(FaultKind::Unsupported, inst, lane, "a variable whose initial value is not known");
        }
        pointer
    }

    /// Whether a storage block has the set and binding of a uniform block: then it is this block.
    fn is_placed(&self, var: Var) -> bool {
        let at = |variable: &Variable| (variable.descriptor_set, variable.binding, variable.driver_location);
        let block = &self.shader.vars[var];
        let mut uniforms = self.shader.vars.values().filter(|variable| variable.mode == Modes::UBO);
        block.descriptor_set.is_some() && uniforms.any(|uniform| at(uniform) == at(block))
    }

    /// Whether the outermost array of an input or output counts vertices or primitives.
    fn is_per_vertex(&self, var: Var) -> bool {
        let variable = &self.shader.vars[var];
        let is_input = variable.mode == Modes::SHADER_IN;
        let arrayed = match self.shader.stage() {
            Stage::TessCtrl => true,
            Stage::TessEval | Stage::Geometry => is_input,
            Stage::Mesh => !is_input,
            _ => false,
        };
        arrayed && !variable.flags.contains(VarFlags::PATCH) && self.shader.types.as_array(variable.ty).is_some()
    }

    /// The value of an index into `parent`; `None` if it is undefined and selects a texture or image.
    fn index(&mut self, inst: Inst, (parent, index): (Def, ArrayIndex), lane: usize) -> Option<i64> {
        match index {
            ArrayIndex::Imm(value) => Some(value),
            ArrayIndex::Def(def) => {
                let value = self.scalar(def, lane);
                if !value.is_defined() && matches!(self.pointer(parent, lane), Pointer::Descriptor(_)) {
                    let message = format!("the index {} is undefined", self.shader.shown(def));
                    self.fault(FaultKind::UndefinedAddress, inst, lane, message);
                    return None;
                }
                self.check_certain(inst, [Some(def), None], lane);
                Some(sign_extend(value.value, self.shader.bit_size(def)))
            }
        }
    }

    /// Whether an index or the address that `pointer` was computed from has undefined bits.
    pub(crate) fn is_uncertain(&self, pointer: Def, lane: usize) -> bool {
        let mut at = Some(pointer);
        while let Some(def) = at {
            let Some(deref) = self.shader.as_deref(def) else {
                return self.value(def, lane).iter().any(|part| !part.is_defined());
            };
            let index = match deref.kind {
                DerefKind::Array { index, .. } | DerefKind::PtrAsArray { index, .. } => Some(index),
                _ => None,
            };
            if matches!(index, Some(ArrayIndex::Def(index)) if !self.scalar(index, lane).is_defined()) {
                return true;
            }
            at = deref.kind.parent();
        }
        false
    }

    /// The pointer to the part of `parent` that `selector` selects.
    fn walk(&self, parent: Def, lane: usize, selector: Selector) -> Pointer {
        let Some(ty) = self.shader.as_deref(parent).map(|deref| deref.ty) else { return Pointer::Nowhere };
        match self.pointer(parent, lane) {
            Pointer::Nowhere => Pointer::Nowhere,
            Pointer::Block(memory) => self.walk_block(memory, ty, selector),
            Pointer::Memory(address) => {
                self.bytes(ty, selector).map_or(Pointer::Nowhere, |bytes| Pointer::Memory(address.plus(bytes)))
            }
            Pointer::Io(io) => self.walk_io(io, ty, selector),
            Pointer::Descriptor(first) => match selector {
                Selector::Index(index) => {
                    self.descriptor_element(first, ty, index).map_or(Pointer::Nowhere, Pointer::Descriptor)
                }
                Selector::Field(_) => Pointer::Nowhere,
            },
        }
    }

    /// The pointer to a part of a block, or to an element of an array of blocks.
    fn walk_block(&self, memory: MemoryRegion, ty: Type, selector: Selector) -> Pointer {
        let types = &self.shader.types;
        let Selector::Index(index) = selector else {
            let into = self.bytes(ty, selector);
            return into.map_or(Pointer::Nowhere, |byte| Pointer::Memory(Address::anywhere(memory, byte)));
        };
        let blocks = match types.as_array(ty) {
            Some((elem, _)) if types.as_struct(types.without_arrays(elem)).is_some() => self.block_count(elem),
            _ => return Pointer::Nowhere,
        };
        // No block has the index u32::MAX.
        let plus = |first: u32| {
            u32::try_from(i64::from(first).saturating_add(index.saturating_mul(blocks))).unwrap_or(u32::MAX)
        };
        match memory {
            MemoryRegion::Uniform(first) => Pointer::Block(MemoryRegion::Uniform(plus(first))),
            MemoryRegion::Storage(first) => Pointer::Block(MemoryRegion::Storage(plus(first))),
            _ => Pointer::Nowhere,
        }
    }

    fn block_count(&self, mut ty: Type) -> i64 {
        let mut count = 1i64;
        while let Some((elem, len)) = self.shader.types.as_array(ty) {
            count = count.saturating_mul(i64::from(len.unwrap_or(1)));
            ty = elem;
        }
        count
    }

    /// The offset in bytes of the part of `ty` that `selector` selects.
    fn bytes(&self, ty: Type, selector: Selector) -> Option<i64> {
        let types = &self.shader.types;
        match selector {
            Selector::Index(index) => {
                // A component beyond the end of a vector must not be one of the next vector.
                if matches!(types.get(ty), TypeData::Vector(_, n) if !(0..i64::from(n)).contains(&index)) {
                    return Some(i64::MIN / 2);
                }
                Some(index.saturating_mul(self.layout.stride(types, ty)? as i64))
            }
            Selector::Field(field) => self.layout.field_offset(types, ty, field).map(|bytes| bytes as i64),
        }
    }

    fn walk_io(&self, io: IoPointer, ty: Type, selector: Selector) -> Pointer {
        let types = &self.shader.types;
        let words = match selector {
            Selector::Index(index) => {
                let Ok(index) = u32::try_from(index) else { return Pointer::Nowhere };
                if io.needs_vertex {
                    return Pointer::Io(IoPointer { vertex: index, needs_vertex: false, ..io });
                }
                index.saturating_mul(match types.get(ty) {
                    TypeData::Array { .. } if self.is_compact(io.var) => 1,
                    TypeData::Array { elem, .. } => 4 * types.slots(elem),
                    TypeData::Matrix { scalar, rows, .. } if scalar.bits == 64 && rows > 2 => 8,
                    TypeData::Matrix { .. } => 4,
                    TypeData::Vector(scalar, n) if index < u32::from(n) => component_bytes(scalar).div_ceil(4) as u32,
                    _ => return Pointer::Nowhere,
                })
            }
            Selector::Field(field) => {
                let fields = types.as_struct(ty).map_or(&[][..], |data| &data.fields[..]);
                let before = fields.iter().take(field as usize);
                before.fold(0u32, |words, field| words.saturating_add(4 * types.slots(field.ty)))
            }
        };
        Pointer::Io(IoPointer { word: io.word.saturating_add(words), ..io })
    }

    fn is_compact(&self, var: Var) -> bool {
        self.shader.vars[var].flags.contains(VarFlags::COMPACT)
    }

    /// The length of the run-time array that is the last member of the block at `pointer`.
    pub(crate) fn array_length(&mut self, inst: Inst, pointer: Def) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let length = self.block_array_length(pointer, lane);
            if length.is_none() {
                self.fault(FaultKind::OutOfBounds, inst, lane, "no block with a run-time array");
            }
            let length = length.map(Bits::new);
            self.set(inst, lane, length.as_slice());
        }
    }

    fn block_array_length(&self, pointer: Def, lane: usize) -> Option<u64> {
        let types = &self.shader.types;
        let ty = self.shader.as_deref(pointer)?.ty;
        let (array, start, size) = match self.pointer(pointer, lane) {
            Pointer::Block(memory) => {
                let last = types.as_struct(ty)?.fields.len().checked_sub(1)?;
                let start = self.layout.field_offset(types, ty, last as u32)?;
                (types.as_struct(ty)?.fields[last].ty, start, self.memory_size(memory, lane)?)
            }
            Pointer::Memory(address) => (ty, address.byte as u64, self.memory_size(address.memory, lane)?),
            _ => return None,
        };
        size.saturating_sub(start).checked_div(self.layout.stride(types, array)?)
    }
}
