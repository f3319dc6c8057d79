// SPDX-License-Identifier: MIT

//! Derefs: which memory they point to, and what is loaded and stored through them.

use super::layout::{self, scalar_bytes};
use super::memory::Region;
use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::{Arena, Term};
use crate::world::{self, Space};
use ntv::entity::Id;
use ntv::ir::{ArrayIndex, Def, Deref, DerefKind, Inst, Type, TypeData, Var, VarFlags};
use ntv::op::Modes;
use ntv::target::Descriptor;

/// The memory that a deref points to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Memory {
    /// A uniform or storage block. The variable may be an array of blocks, whose element is chosen first.
    Block { set: u32, binding: u32, is_uniform: bool, element: Option<Term> },
    /// Other memory with byte addresses.
    Bytes(Region),
    /// A variable of the shader.
    Local(u32),
    /// An input or output, by variable; the vertex comes first if each has a value.
    Io { vertex: Option<Term> },
    /// A texture, sampler or image; the element if it is in an array.
    Opaque { element: Option<Term> },
}

impl Memory {
    /// The memory, if it has byte addresses.
    pub(super) fn region(self, arena: &mut Arena) -> Option<Region> {
        match self {
            Memory::Block { set, binding, is_uniform, element } => {
                let element = element.unwrap_or_else(|| arena.constant(32, 0));
                Some(match is_uniform {
                    true => Region::Constant(world::uniform_block(arena, set, binding, element)),
                    false => Region::Storage((set, binding, element)),
                })
            }
            Memory::Bytes(region) => Some(region),
            Memory::Local(_) | Memory::Io { .. } | Memory::Opaque { .. } => None,
        }
    }
}

/// What a deref points to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    /// The variable that it leads into; `None` for an address.
    pub(super) var: Option<Var>,
    pub(super) memory: Memory,
    pub(super) ty: Type,
    /// Bytes, scalars of local variables, or cells of inputs and outputs.
    pub(super) address: Term,
    /// Whether an index of an array of blocks, or of vertices, is still to come.
    pub(super) awaits_index: bool,
}

impl Nir<'_> {
    /// The pointer of a deref that was computed.
    pub(super) fn pointer(&self, inst: Inst, def: Def) -> Step<Pointer> {
        match self.pointers.get(&def) {
            Some(pointer) => Ok(*pointer),
            None => self.unsupported(inst, "a pointer that is not a chain of derefs"),
        }
    }

    /// The variable into which a pointer leads.
    pub(super) fn variable_of(&self, inst: Inst, pointer: Pointer) -> Step<Var> {
        match pointer.var {
            Some(var) => Ok(var),
            None => self.unsupported(inst, "an address of this memory"),
        }
    }

    /// The pointer of a deref through which memory is accessed: its indices are inside of their arrays.
    pub(super) fn accessed(&self, machine: &mut Machine<'_>, inst: Inst, def: Def) -> Step<Pointer> {
        let mut next = Some(def);
        while let Some(deref) = next.and_then(|def| self.shader.as_deref(def)) {
            if let Some((index, Some(length))) = next.and_then(|def| self.indices.get(&def)) {
                machine.limit(*index, u64::from(*length));
            }
            next = match deref.kind {
                DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => Some(parent),
                _ => None,
            };
        }
        self.pointer(inst, def)
    }

    /// Computes a deref.
    pub(super) fn deref(&mut self, machine: &mut Machine<'_>, inst: Inst, deref: Deref) -> Step<()> {
        let pointer = match deref.kind {
            DerefKind::Var(var) => self.pointer_to(machine, inst, var)?,
            DerefKind::Array { parent, index } => {
                let parent = self.pointer(inst, parent)?;
                let index = self.array_index(machine, index);
                let types = &self.shader.types;
                let length = match types.get(parent.ty) {
                    TypeData::Vector(_, count) | TypeData::Strided { components: count, .. } => Some(count.into()),
                    TypeData::Matrix { columns, .. } => Some(columns.into()),
                    _ => types.as_array(parent.ty).and_then(|(_, length)| length),
                };
                self.indices.insert(inst.def(), (index, length));
                self.element(machine, inst, parent, index, deref.ty)?
            }
            DerefKind::Struct { parent, field } => {
                let parent = self.pointer(inst, parent)?;
                self.member(machine, inst, parent, field as usize, deref.ty)?
            }
            DerefKind::Cast { parent, align_mul, align_offset, .. } if deref.modes == Modes::GLOBAL => {
                let address = self.scalar(machine, parent);
                let address = self.aligned_to(machine, address, (align_mul, align_offset));
                self.promised = None;
                let memory = Memory::Bytes(Region::Space(Space::Global));
                Pointer { var: None, memory, ty: deref.ty, address, awaits_index: false }
            }
            _ => return self.unsupported(inst, "a deref of another kind"),
        };
        self.pointers.insert(inst.def(), pointer);
        Ok(())
    }

    /// An index as a term of 32 bits.
    fn array_index(&self, machine: &mut Machine<'_>, index: ArrayIndex) -> Term {
        match index {
            ArrayIndex::Imm(value) => machine.arena.constant(32, value as u64),
            ArrayIndex::Def(def) => {
                let term = self.scalar(machine, def);
                match machine.arena.width(term) {
                    64 => machine.arena.trunc(term, 32),
                    _ => machine.arena.sext(term, 32),
                }
            }
        }
    }

    fn pointer_to(&mut self, machine: &mut Machine<'_>, inst: Inst, var: Var) -> Step<Pointer> {
        let shader = self.shader;
        let variable = &shader.vars[var];
        let mode = variable.mode;
        let is_array = shader.types.as_array(variable.ty).is_some();
        let address = machine.arena.constant(32, 0);
        let (memory, awaits_index) = match mode {
            Modes::UBO | Modes::SSBO => {
                let is_uniform = mode == Modes::UBO;
                let is_default = variable.driver_location == 0 && shader.info.first_ubo_is_default_ubo;
                let kind = match is_uniform {
                    true if is_default => Descriptor::DefaultUniforms,
                    true => Descriptor::UniformBuffer,
                    false => Descriptor::StorageBuffer,
                };
                let set = variable.descriptor_set.unwrap_or_else(|| self.target.descriptor_set(kind));
                let memory = Memory::Block { set, binding: variable.binding, is_uniform, element: None };
                (memory, self.is_block_array(variable.ty))
            }
            Modes::PUSH_CONST => (Memory::Bytes(Region::Constant(world::push_constants(machine.arena))), false),
            Modes::SHARED => (Memory::Bytes(Region::Space(Space::Shared)), false),
            Modes::TASK_PAYLOAD => (Memory::Bytes(Region::Space(Space::Payload)), false),
            Modes::SHADER_IN | Modes::SHADER_OUT => (Memory::Io { vertex: None }, self.is_per_vertex(var)),
            Modes::UNIFORM | Modes::IMAGE => (Memory::Opaque { element: None }, is_array),
            Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::CONSTANT => (Memory::Local(var.index() as u32), false),
            _ => return self.unsupported(inst, "a deref of a variable of this mode"),
        };
        if let Memory::Local(_) = memory {
            self.initialize(machine, inst, var)?;
        }
        Ok(Pointer { var: Some(var), memory, ty: variable.ty, address, awaits_index })
    }

    /// Whether a block variable is an array of blocks, not a block that is an array.
    fn is_block_array(&self, ty: Type) -> bool {
        let types = &self.shader.types;
        types.as_array(ty).is_some_and(|(elem, _)| types.as_struct(types.without_arrays(elem)).is_some())
    }

    /// Writes the initial value of a variable, where its space has not been written.
    fn initialize(&mut self, machine: &mut Machine<'_>, inst: Inst, var: Var) -> Step<()> {
        let variable = &self.shader.vars[var];
        let space = Space::Local(var.index() as u32);
        // A pass leaves only the values.
        let has_value = variable.initializer.is_some() || variable.values.is_some();
        if !has_value || machine.state.spaces().any(|it| it == space) {
            return Ok(());
        }
        let (Some(values), Some(scalar)) = (variable.values, self.shader.types.scalar_of(variable.ty)) else {
            return self.unsupported(inst, "an initial value of this type");
        };
        let mut state = machine.space(space);
        for (at, value) in self.shader.consts[values].iter().enumerate() {
            let address = machine.arena.constant(32, at as u64);
            let value = machine.arena.constant(scalar.bits, *value);
            state = machine.arena.write(state, address, value);
        }
        machine.set_space(space, state);
        Ok(())
    }

    /// The pointer to an element.
    fn element(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        parent: Pointer,
        index: Term,
        ty: Type,
    ) -> Step<Pointer> {
        let mut pointer = Pointer { ty, ..parent };
        if parent.awaits_index {
            pointer.awaits_index = false;
            match &mut pointer.memory {
                Memory::Block { element, .. } => *element = Some(index),
                Memory::Io { vertex } => *vertex = Some(index),
                Memory::Opaque { element } => {
                    let types = &self.shader.types;
                    let inner = types.as_array(ty).map_or(1, |_| layout::scalars(types, ty));
                    let scaled = machine.arena.combination(32, 0, &[(index, inner)]);
                    *element = Some(match *element {
                        Some(outer) => machine.arena.add(outer, scaled),
                        None => scaled,
                    });
                    pointer.awaits_index = types.as_array(ty).is_some();
                }
                _ => return self.unsupported(inst, "an index of this memory"),
            }
            return Ok(pointer);
        }
        let step = match parent.memory {
            Memory::Local(_) => layout::scalars(&self.shader.types, ty),
            Memory::Io { .. } => self.cell_stride(parent),
            _ => layout::stride(&self.shader.types, parent.ty),
        };
        let width = machine.arena.width(parent.address);
        let index = machine.arena.sext(index, width);
        pointer.address = machine.arena.combination(width, 0, &[(parent.address, 1), (index, step)]);
        Ok(pointer)
    }

    /// The pointer to a field.
    pub(super) fn member(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        parent: Pointer,
        field: usize,
        ty: Type,
    ) -> Step<Pointer> {
        let types = &self.shader.types;
        let fields = layout::fields(types, parent.ty);
        let before = || fields.iter().take(field);
        let is_pushed = parent.var.is_some_and(|var| self.shader.vars[var].mode == Modes::PUSH_CONST);
        let offset = match parent.memory {
            Memory::Local(_) => before().map(|field| layout::scalars(types, field.ty)).sum(),
            Memory::Io { .. } => 4 * before().map(|field| u64::from(types.slots(field.ty))).sum::<u64>(),
            // zink's push constants, whose members a dump does not have.
            _ if is_pushed && !fields.is_empty() && fields.iter().all(|field| field.offset.is_none()) => {
                match ntv::op::zink::offset(field) {
                    Some(offset) => offset.into(),
                    None => return self.unsupported(inst, "a push constant that zink does not have"),
                }
            }
            _ => layout::offset(types, parent.ty, field),
        };
        let address = machine.arena.plus(parent.address, offset);
        Ok(Pointer { ty, address, ..parent })
    }

    /// The width and the place of each scalar at a pointer: the address, in the unit of its memory.
    pub(super) fn scalar_places(
        &self,
        machine: &mut Machine<'_>,
        inst: Inst,
        pointer: Pointer,
    ) -> Step<Vec<(u8, Term)>> {
        let types = &self.shader.types;
        let (scalar, count, bytes) = match types.get(pointer.ty) {
            TypeData::Scalar(scalar) => (scalar, 1, 0),
            TypeData::Vector(scalar, n) => (scalar, n, scalar_bytes(scalar)),
            TypeData::Strided { scalar, components, stride } => (scalar, components, stride.into()),
            _ => return self.unsupported(inst, "an access to a whole array or struct"),
        };
        let step = match pointer.memory {
            Memory::Local(_) => 1,
            Memory::Io { .. } => u64::from(scalar.bits.max(32)) / 32,
            _ => bytes,
        };
        let place = |c: u8| (scalar.bits, machine.arena.plus(pointer.address, step * u64::from(c)));
        Ok((0..count).map(place).collect())
    }

    /// The end of what is at the addresses of a variable, or of a block.
    fn end_of(&self, pointer: Pointer) -> u64 {
        let types = &self.shader.types;
        let Some(ty) = pointer.var.map(|var| self.shader.vars[var].ty) else { return u64::MAX };
        let size = match pointer.memory {
            Memory::Block { element: Some(_), .. } => {
                types.as_array(ty).map_or(0, |(block, _)| layout::size(types, block))
            }
            Memory::Block { .. } | Memory::Bytes(_) => layout::size(types, ty),
            Memory::Local(_) => layout::scalars(types, ty),
            Memory::Io { .. } | Memory::Opaque { .. } => 0,
        };
        // The length of a run-time array is not known.
        if size == 0 || matches!(pointer.memory, Memory::Block { is_uniform: false, .. }) {
            u64::MAX
        } else {
            size
        }
    }

    /// Loads the value at a pointer.
    pub(super) fn load_deref(&mut self, machine: &mut Machine<'_>, inst: Inst, srcs: &[Def]) -> Step<()> {
        let pointer = self.accessed(machine, inst, srcs[0])?;
        let width = self.shader.insts[inst].bit_size;
        let places = self.scalar_places(machine, inst, pointer)?;
        if let Memory::Io { .. } = pointer.memory {
            if pointer.var.is_some_and(|var| self.shader.vars[var].flags.contains(VarFlags::FB_FETCH_OUTPUT)) {
                return self.framebuffer(machine, inst);
            }
            let terms = self.load_io(machine, inst, pointer, &places, None)?;
            self.set(machine, inst, terms);
            return Ok(());
        }
        let region = pointer.memory.region(machine.arena);
        let end = self.end_of(pointer);
        let mut terms = Vec::new();
        for (bits, address) in places {
            machine.limit(address, end);
            let term = match (pointer.memory, region) {
                (Memory::Local(number), _) => {
                    let state = machine.space(Space::Local(number));
                    machine.arena.read(state, address, bits)
                }
                (_, Some(region)) => self.load_region(machine, inst, region, address, bits_in_memory(bits))?,
                _ => return self.unsupported(inst, "a load from this memory"),
            };
            terms.push(self.as_width(machine, term, width));
        }
        self.set(machine, inst, terms);
        Ok(())
    }

    /// A number in memory as one of `width` bits: booleans in memory have 32.
    fn as_width(&self, machine: &mut Machine<'_>, term: Term, width: u8) -> Term {
        let bits = machine.arena.width(term);
        match (bits, width) {
            (32, 1) => machine.arena.is_not_zero(term),
            (1, 32) => machine.arena.sext(term, 32),
            _ => term,
        }
    }

    /// Stores a value at a pointer.
    pub(super) fn store_deref(&mut self, machine: &mut Machine<'_>, inst: Inst, srcs: &[Def]) -> Step<()> {
        let pointer = self.accessed(machine, inst, srcs[0])?;
        let region = pointer.memory.region(machine.arena);
        let places = self.scalar_places(machine, inst, pointer)?;
        for (c, value) in self.written(machine, inst, srcs[1]) {
            let Some((bits, address)) = places.get(c).copied() else { continue };
            machine.limit(address, self.end_of(pointer));
            match (pointer.memory, region) {
                (Memory::Io { vertex }, _) => {
                    let var = self.variable_of(inst, pointer)?;
                    self.store_io(machine, inst, (var, vertex), address, value)?;
                }
                (Memory::Local(number), _) => {
                    let value = self.as_width(machine, value, bits);
                    let state = machine.space(Space::Local(number));
                    let state = machine.arena.write(state, address, value);
                    machine.set_space(Space::Local(number), state);
                }
                (_, Some(region)) => {
                    let value = self.as_width(machine, value, bits_in_memory(bits));
                    self.store_region(machine, inst, region, address, value)?;
                }
                _ => return self.unsupported(inst, "a store to this memory"),
            }
        }
        Ok(())
    }
}

/// The width of a scalar in memory with byte addresses.
fn bits_in_memory(bits: u8) -> u8 {
    match bits {
        1 => 32,
        bits => bits,
    }
}
