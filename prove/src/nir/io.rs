// SPDX-License-Identifier: MIT

//! Inputs and outputs, by slot or by variable.
//!
//! A cell is a word of 32 bits: 4 for each Location, or the components and elements of a built-in.

use super::deref::{Memory, Pointer};
use super::tex::{narrowed, widened};
use super::{layout, Nir};
use crate::flow::{Machine, Step};
use crate::term::{Arena, Term};
use crate::world::{self, Input, Interpolation, Place, Space};
use ntv::ir::{Def, Directive, Inst, InstKind, Stage, TypeData, Var, VarFlags};
use ntv::op::meaning::{IoAccess, Sampling};
use ntv::op::names::{frag_result, unpack_alu_type, varying, vert_attrib, InterpMode, IoFlags, IoSemantics, SlotKind};
use ntv::op::{slots, Base, Index, Intrinsic, Modes};
use ntv::Feature;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::BuiltIn;

/// The place of an input or output: a built-in, or a Location; and its first cell there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    builtin: Option<BuiltIn>,
    patch: bool,
    first: u64,
    /// Which source of dual-source blending.
    index: u32,
}

impl Slot {
    fn space(self) -> Space {
        match self.builtin {
            Some(builtin) => Space::BuiltIn(builtin as u32),
            None => Space::Output(self.patch, self.index),
        }
    }
}

/// The first of the slots that hold the array of a built-in.
fn first_slot(slot: u32) -> u32 {
    match slot {
        varying::CLIP_DIST1 => varying::CLIP_DIST0,
        varying::CULL_DIST1 => varying::CULL_DIST0,
        slot => slot,
    }
}

impl Nir<'_> {
    fn slot_kind(&self, is_output: bool) -> SlotKind {
        self.shader.stage().slot_kind(is_output)
    }

    /// The place of a slot with the driver's number `base`.
    fn slot(&self, is_output: bool, slot: u32, base: u32) -> Slot {
        let kind = self.slot_kind(is_output);
        let is_fragment_input = self.shader.stage() == Stage::Fragment && !is_output;
        let first = first_slot(slot);
        let patch = self.is_patch(is_output, slot);
        let builtin = slots::builtin(kind, first, is_fragment_input);
        // The vertices of a primitive are another built-in for each type of primitive.
        let of_primitive = slots::primitive_indices(&self.shader.info.primitive_type).map(|(_, builtin)| builtin);
        let builtin = match builtin {
            Some(BuiltIn::PrimitiveTriangleIndicesEXT) => of_primitive.or(builtin),
            builtin => builtin,
        };
        match builtin {
            Some(builtin) => Slot { builtin: Some(builtin), patch, first: 4 * u64::from(slot - first), index: 0 },
            None => {
                let location = slots::location(kind, slot, base);
                Slot { builtin: None, patch, first: 4 * u64::from(location), index: 0 }
            }
        }
    }

    fn is_patch(&self, is_output: bool, slot: u32) -> bool {
        let between = matches!((self.shader.stage(), is_output), (Stage::TessCtrl, true) | (Stage::TessEval, false));
        between && slots::is_patch(slot)
    }

    /// The place of an access by slot, and the cells by which its offset counts.
    fn slot_of_access(&self, inst: Inst, (op, access): (Intrinsic, IoAccess), offset: Def) -> (Slot, IoSemantics, u64) {
        use Intrinsic::{load_per_primitive_input, load_per_primitive_output, store_per_primitive_output};
        let io = IoSemantics::unpack(self.shader.index(inst, Index::io_semantics));
        let mut slot = self.slot(access.is_output, io.location, self.shader.index(inst, Index::base));
        slot.index = u32::from(io.flags.contains(IoFlags::DUALSRC));
        slot.patch |= matches!(op, load_per_primitive_input | load_per_primitive_output | store_per_primitive_output);
        let step = slots::step(self.slot_kind(access.is_output), io, self.shader.as_const_scalar(offset));
        (slot, io, step.into())
    }

    /// Runs a load or store by slot.
    pub(super) fn explicit_io(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        (op, access): (Intrinsic, IoAccess),
        srcs: &[Def],
    ) -> Step<()> {
        let offset = srcs[usize::from(access.offset)];
        let (slot, io, step) = self.slot_of_access(inst, (op, access), offset);
        if io.flags.contains(IoFlags::FBFETCH) {
            return self.framebuffer(machine, inst);
        }
        let offset = self.scalar(machine, offset);
        machine.limit(offset, io.num_slots.max(1).into());
        let component = u64::from(self.shader.index(inst, Index::component));
        let start = machine.arena.combination(32, slot.first + component, &[(offset, step)]);
        let vertex = access.vertex.map(|vertex| self.scalar(machine, srcs[usize::from(vertex)]));
        let is_store = !self.shader.insts[inst].has_def();
        if is_store {
            let base = unpack_alu_type(self.shader.index(inst, Index::src_type)).base;
            for (c, value) in self.written(machine, inst, srcs[0]) {
                let value = self.as_word(machine, value, base);
                let words = u64::from(machine.arena.width(value).max(32)) / 32;
                let cell = machine.arena.plus(start, words * c as u64);
                self.write_output(machine, inst, slot, vertex, (cell, value))?;
            }
            return Ok(());
        }
        let (count, width) = (self.shader.insts[inst].num_components, self.shader.insts[inst].bit_size);
        let words = u64::from(width.max(32)) / 32;
        if !access.is_output && slot.builtin == Some(BuiltIn::FrontFacing) {
            let is_float = unpack_alu_type(self.shader.index(inst, Index::dest_type)).base == Base::Float;
            let front = builtin_scalar(machine.arena, BuiltIn::FrontFacing, 1, 0);
            let values = if is_float { [0x3f80_0000, 0xbf80_0000] } else { [u64::MAX, 0] };
            let [yes, no] = values.map(|value| machine.arena.constant(width, value));
            let face = machine.arena.ite(front, yes, no);
            self.set(machine, inst, vec![face]);
            return Ok(());
        }
        let at = if access.is_output { Vec::new() } else { self.extra_operands(machine, op, srcs) };
        let interpolation = match access.is_output {
            true => Interpolation::default(),
            false => self.explicit_interpolation(inst, op, srcs)?,
        };
        let input = Input { patch: slot.patch, interpolation, vertex, at: &at };
        let base = unpack_alu_type(self.shader.index(inst, Index::dest_type)).base;
        let wide = width.max(if width == 16 { 32 } else { 0 });
        let mut terms = Vec::new();
        for c in 0..count {
            let cell = machine.arena.plus(start, words * u64::from(c));
            let term = match access.is_output {
                true => self.read_output(machine, inst, slot, vertex, cell, wide)?,
                false => self.read_input(machine, inst, (slot, &input), cell, wide)?,
            };
            terms.push(narrowed(machine.arena, term, width, base));
        }
        self.set(machine, inst, terms);
        Ok(())
    }

    /// The way in which an input by slot is interpolated.
    fn explicit_interpolation(&self, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Step<Interpolation> {
        if self.shader.stage() != Stage::Fragment {
            return Ok(Interpolation::default());
        }
        if op != Intrinsic::load_interpolated_input {
            return Ok(Interpolation { flat: true, ..Interpolation::default() });
        }
        let barycentric = srcs[0].inst();
        let sampling = self.shader.as_intrinsic(barycentric).and_then(|(op, _)| op.meaning().sampling);
        let Some(place) = sampling.and_then(place_of) else {
            return self.unsupported(inst, "barycentrics that are not the result of an intrinsic for them");
        };
        let mode = self.shader.index(barycentric, Index::interp_mode);
        Ok(Interpolation {
            flat: mode == InterpMode::flat as u32,
            no_perspective: mode == InterpMode::noperspective as u32,
            place,
        })
    }

    /// The sample or offset at which an input is interpolated.
    fn extra_operands(&self, machine: &mut Machine<'_>, op: Intrinsic, srcs: &[Def]) -> Vec<Term> {
        if op != Intrinsic::load_interpolated_input {
            return Vec::new();
        }
        match self.shader.as_intrinsic(srcs[0].inst()) {
            Some((_, srcs)) => srcs.to_vec().iter().flat_map(|src| self.scalars(machine, *src)).collect(),
            None => Vec::new(),
        }
    }

    /// The type of the scalars of a variable.
    fn base_of(&self, var: Var) -> Base {
        self.shader.types.scalar_of(self.shader.vars[var].ty).map_or(Base::Uint, |scalar| scalar.base)
    }

    /// A number of 16 bits as the word of an output, as [`world::as_word`] has it where stages pass it with 16 bits.
    fn as_word(&self, machine: &mut Machine<'_>, value: Term, base: Base) -> Term {
        match base {
            Base::Int | Base::Uint if self.target.has(Feature::storageInputOutput16) => {
                world::as_word(machine.arena, value, false)
            }
            _ => widened(machine.arena, value, base),
        }
    }

    fn read_input(
        &self,
        machine: &mut Machine<'_>,
        inst: Inst,
        (slot, input): (Slot, &Input<'_>),
        cell: Term,
        width: u8,
    ) -> Step<Term> {
        if let Some(builtin) = slot.builtin {
            let bits = if builtin == BuiltIn::FrontFacing { 1 } else { 32 };
            let term = world::builtin(machine.arena, builtin, bits, input.vertex, cell);
            return match (width, bits) {
                (32, 1) => Ok(machine.arena.sext(term, 32)),
                _ if width == bits => Ok(term),
                _ => self.unsupported(inst, "a built-in of this width"),
            };
        }
        match input.number(machine.arena, cell, width) {
            Some(number) => Ok(number),
            None => self.unsupported(inst, "an input of this width"),
        }
    }

    fn write_output(
        &self,
        machine: &mut Machine<'_>,
        inst: Inst,
        slot: Slot,
        vertex: Option<Term>,
        (cell, value): (Term, Term),
    ) -> Step<()> {
        let cell = world::output_cell(machine.arena, vertex, cell);
        let value = match slot.builtin {
            Some(BuiltIn::CullPrimitiveEXT) => {
                let is_true = machine.arena.is_not_zero(value);
                machine.arena.zext(is_true, 32)
            }
            _ => value,
        };
        let state = machine.space(slot.space());
        let Some(state) = world::write_cells(machine.arena, state, cell, value) else {
            return self.unsupported(inst, "an output of this width");
        };
        machine.set_space(slot.space(), state);
        Ok(())
    }

    fn read_output(
        &self,
        machine: &mut Machine<'_>,
        inst: Inst,
        slot: Slot,
        vertex: Option<Term>,
        cell: Term,
        width: u8,
    ) -> Step<Term> {
        let cell = world::output_cell(machine.arena, vertex, cell);
        let state = machine.space(slot.space());
        match world::read_cells(machine.arena, state, cell, width) {
            // A boolean of NIR has all bits, or none.
            Some(number) if slot.builtin == Some(BuiltIn::CullPrimitiveEXT) => {
                let is_true = machine.arena.is_not_zero(number);
                Ok(machine.arena.sext(is_true, width))
            }
            Some(number) => Ok(number),
            None => self.unsupported(inst, "an output of this width"),
        }
    }

    /// Whether a variable is an array with an element for each vertex.
    pub(super) fn is_per_vertex(&self, var: Var) -> bool {
        let variable = &self.shader.vars[var];
        let is_output = variable.mode == Modes::SHADER_OUT;
        let slot = variable.location.unwrap_or(0);
        !variable.flags.contains(VarFlags::PATCH)
            && self.shader.stage().is_per_vertex(is_output, slot)
            && self.shader.types.as_array(variable.ty).is_some()
    }

    /// The distance in cells of the elements of what a pointer points to.
    pub(super) fn cell_stride(&self, pointer: Pointer) -> u64 {
        let types = &self.shader.types;
        match types.get(pointer.ty) {
            TypeData::Array { .. } if pointer.var.is_some_and(|var| self.is_compact(var)) => 1,
            TypeData::Array { elem, .. } => 4 * u64::from(types.slots(elem)),
            TypeData::Matrix { scalar, rows, .. } => 4 * (u64::from(scalar.bits) * u64::from(rows)).div_ceil(128),
            TypeData::Vector(scalar, _) => u64::from(scalar.bits.max(32)) / 32,
            _ => 1,
        }
    }

    /// Whether the elements of an array share slots: those of built-ins do, too.
    fn is_compact(&self, var: Var) -> bool {
        let variable = &self.shader.vars[var];
        let is_output = variable.mode == Modes::SHADER_OUT;
        let slot = self.slot(is_output, variable.location.unwrap_or(0), 0);
        variable.flags.contains(VarFlags::COMPACT) || slot.builtin.is_some()
    }

    /// The place of a variable.
    fn slot_of_variable(&self, var: Var) -> Slot {
        let variable = &self.shader.vars[var];
        let is_output = variable.mode == Modes::SHADER_OUT;
        let mut slot = match variable.location {
            Some(number) => self.slot(is_output, number, variable.driver_location),
            // What a pass made for transform feedback has a Location, but is not a varying of NIR.
            None => Slot { builtin: None, patch: false, first: 0, index: 0 },
        };
        let is_fragment_result = self.slot_kind(is_output) == SlotKind::FragResult;
        slot.patch = variable.flags.intersects(VarFlags::PATCH | VarFlags::PER_PRIMITIVE);
        if slot.builtin.is_none() {
            slot.first = 4 * u64::from(self.location(var));
        }
        slot.index = if is_fragment_result { variable.index } else { 0 };
        slot.first += u64::from(variable.location_frac);
        slot
    }

    /// The Location of a variable.
    pub(crate) fn location(&self, var: Var) -> u32 {
        self.locations.get(&var).copied().unwrap_or(self.shader.vars[var].driver_location)
    }

    /// The Locations of variables whose own Locations are not distinct, or not yet assigned: those of their slots.
    pub(super) fn find_locations(&self) -> FxHashMap<Var, u32> {
        let shader = self.shader;
        let mut locations = FxHashMap::default();
        for mode in [Modes::SHADER_IN, Modes::SHADER_OUT] {
            let kind = self.slot_kind(mode == Modes::SHADER_OUT);
            let is_user = |var: &Var| {
                let variable = &shader.vars[*var];
                let slot = variable.location.filter(|_| variable.mode == mode);
                slot.is_some_and(|slot| self.slot(mode == Modes::SHADER_OUT, slot, 0).builtin.is_none())
            };
            let mut vars: Vec<Var> = shader.vars.ids().filter(is_user).collect();
            // A colour output has the number of its attachment.
            if kind == SlotKind::FragResult {
                let attachment = |var: Var| shader.vars[var].location?.checked_sub(frag_result::DATA0);
                locations.extend(vars.iter().filter_map(|var| Some((*var, attachment(*var)?))));
                continue;
            }
            // Those of a module from which the slots were made.
            if shader.info.says(Directive::SlotsOfLocations) {
                let first = |slot: u32| match kind {
                    SlotKind::VertAttrib => vert_attrib::GENERIC0,
                    _ if slots::is_patch(slot) => varying::PATCH0,
                    _ => varying::VAR0,
                };
                let slot = |var: Var| shader.vars[var].location.unwrap_or(0);
                locations.extend(vars.iter().map(|var| (*var, slot(*var).saturating_sub(first(slot(*var))))));
                continue;
            }
            let is_unlinked = kind.is_varying() && shader.info.says(Directive::LocationsOfSlots);
            let mut claimed = FxHashSet::default();
            if vars.iter().all(|var| self.words_of(*var).into_iter().all(|word| claimed.insert(word))) && !is_unlinked {
                continue;
            }
            vars.sort_unstable_by_key(|var| (shader.vars[*var].location, *var));
            let mut next = 0;
            for var in vars {
                let slot = shader.vars[var].location.unwrap_or(0);
                // Attributes are numbered one after the other.
                let location = if kind == SlotKind::VertAttrib { next } else { slots::location(kind, slot, 0) };
                next += shader.types.slots(shader.vars[var].ty);
                locations.insert(var, location);
            }
        }
        locations
    }

    /// The words that a variable with a Location of its own has: Locations, components, and what keeps them apart.
    fn words_of(&self, var: Var) -> Vec<(u32, u32, (u32, bool))> {
        let variable = &self.shader.vars[var];
        let apart = (variable.index, variable.flags.contains(VarFlags::PATCH));
        let (first, at) = (variable.driver_location, variable.location_frac.into());
        let ty = self.shader.types.without_arrays(variable.ty);
        let (slots, count) = (self.shader.num_slots(var), self.shader.types.vector_words(ty).unwrap_or(4));
        let words = |slot: u32| (at..4.min(at + count)).map(move |word| (first.saturating_add(slot), word, apart));
        (0..slots.max(1)).flat_map(words).collect()
    }

    /// Loads an input, interpolated at a place that the instruction chooses.
    pub(super) fn interpolate(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        op: Intrinsic,
        srcs: &[Def],
    ) -> Step<()> {
        let pointer = self.accessed(machine, inst, srcs[0])?;
        let places = self.scalar_places(machine, inst, pointer)?;
        let Some(place) = op.meaning().sampling.and_then(place_of) else {
            return self.unsupported(inst, "an interpolation of this kind");
        };
        let at: Vec<Term> = srcs[1..].iter().flat_map(|src| self.scalars(machine, *src)).collect();
        let terms = self.load_io(machine, inst, pointer, &places, Some((place, at)))?;
        self.set(machine, inst, terms);
        Ok(())
    }

    /// Loads an input or output through a deref; an input, at `place` if the instruction chooses it, with its operands.
    pub(super) fn load_io(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        pointer: Pointer,
        places: &[(u8, Term)],
        place: Option<(Place, Vec<Term>)>,
    ) -> Step<Vec<Term>> {
        let Memory::Io { vertex } = pointer.memory else { return self.unsupported(inst, "not an input or output") };
        let var = self.variable_of(inst, pointer)?;
        let slot = self.slot_of_variable(var);
        let variable = &self.shader.vars[var];
        let is_output = variable.mode == Modes::SHADER_OUT;
        let width = self.shader.insts[inst].bit_size;
        let (place, at) = place.map_or((None, Vec::new()), |(place, at)| (Some(place), at));
        let mut interpolation = self.interpolation_of(var);
        interpolation.place = place.unwrap_or(interpolation.place);
        let input = Input { patch: slot.patch, interpolation, vertex, at: &at };
        let base = self.base_of(var);
        let wide = width.max(if width == 16 { 32 } else { 0 });
        let mut terms = Vec::new();
        for (_, address) in places {
            let cell = machine.arena.plus(*address, slot.first);
            let term = match is_output {
                true => self.read_output(machine, inst, slot, vertex, cell, wide)?,
                false => self.read_input(machine, inst, (slot, &input), cell, wide)?,
            };
            terms.push(narrowed(machine.arena, term, width, base));
        }
        Ok(terms)
    }

    /// The way in which an input is interpolated by its declaration.
    fn interpolation_of(&self, var: Var) -> Interpolation {
        if self.shader.stage() != Stage::Fragment {
            return Interpolation::default();
        }
        let variable = &self.shader.vars[var];
        let scalar = self.shader.types.scalar_of(variable.ty);
        let is_number = scalar.is_some_and(|scalar| scalar.base != Base::Float || scalar.bits == 64);
        let place = match () {
            () if variable.flags.contains(VarFlags::SAMPLE) => Place::Sample,
            () if variable.flags.contains(VarFlags::CENTROID) => Place::Centroid,
            () => Place::Pixel,
        };
        Interpolation {
            flat: variable.interp == InterpMode::flat || is_number,
            no_perspective: variable.interp == InterpMode::noperspective,
            place,
        }
    }

    /// Stores a scalar to an output through a deref.
    pub(super) fn store_io(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        (var, vertex): (Var, Option<Term>),
        address: Term,
        value: Term,
    ) -> Step<()> {
        let slot = self.slot_of_variable(var);
        let cell = machine.arena.plus(address, slot.first);
        let value = self.as_word(machine, value, self.base_of(var));
        self.write_output(machine, inst, slot, vertex, (cell, value))
    }

    /// The cells of all outputs that the shader may write, without those that each vertex or primitive has.
    pub(super) fn find_output_cells(&self) -> Vec<(Space, u64)> {
        let mut cells = Vec::new();
        for inst in &self.shader.order {
            let Some((op, srcs)) = self.shader.as_intrinsic(*inst) else { continue };
            if op == Intrinsic::store_deref {
                if let Some(var) = self.shader.deref_var(srcs[0]) {
                    self.add_variable_cells(var, &mut cells);
                }
            }
            let Some(access) = op.meaning().io.filter(|access| access.is_output && access.vertex.is_none()) else {
                continue;
            };
            if self.shader.insts[*inst].has_def() {
                continue;
            }
            let offset = srcs[usize::from(access.offset)];
            let (slot, io, step) = self.slot_of_access(*inst, (op, access), offset);
            let offsets = match self.shader.as_const_scalar(offset) {
                Some(offset) => offset..offset + 1,
                None => 0..u64::from(io.num_slots.max(1)),
            };
            let mask = self.shader.index(*inst, Index::write_mask);
            let words = u64::from(self.shader.bit_size(srcs[0]).max(32)) / 32;
            let component = u64::from(self.shader.index(*inst, Index::component));
            let start = slot.first + component;
            for c in (0..16).filter(|c| mask >> c & 1 != 0) {
                for word in 0..words {
                    cells.extend(offsets.clone().map(|o| (slot.space(), start + step * o + words * c + word)));
                }
            }
        }
        cells
    }

    fn add_variable_cells(&self, var: Var, cells: &mut Vec<(Space, u64)>) {
        let variable = &self.shader.vars[var];
        if variable.mode != Modes::SHADER_OUT || self.is_per_vertex(var) {
            return;
        }
        let slot = self.slot_of_variable(var);
        let types = &self.shader.types;
        let is_compact = self.is_compact(var);
        let count = match types.get(variable.ty) {
            TypeData::Array { len, .. } if is_compact => u64::from(len.unwrap_or(0)),
            TypeData::Scalar(scalar) | TypeData::Vector(scalar, _) => {
                layout::scalars(types, variable.ty) * u64::from(scalar.bits.max(32)) / 32
            }
            _ => 4 * u64::from(types.slots(variable.ty)),
        };
        cells.extend((0..count).map(|cell| (slot.space(), slot.first + cell)));
    }

    /// Whether the instruction is a barycentric, whose value only chooses a place.
    pub(super) fn is_barycentric(&self, inst: Inst) -> bool {
        matches!(self.shader.insts[inst].kind, InstKind::Intrinsic { op, .. } if op.is_barycentric())
    }
}

/// The place at which an intrinsic interpolates.
fn place_of(sampling: Sampling) -> Option<Place> {
    Some(match sampling {
        Sampling::Pixel => Place::Pixel,
        Sampling::Centroid => Place::Centroid,
        Sampling::Sample => Place::Sample,
        Sampling::AtSample => Place::AtSample,
        Sampling::AtOffset => Place::AtOffset,
        Sampling::AtVertex => return None,
    })
}

/// A component of a built-in input.
pub(super) fn builtin_scalar(arena: &mut Arena, builtin: BuiltIn, width: u8, component: u64) -> Term {
    let cell = arena.constant(32, component);
    world::builtin(arena, builtin, width, None, cell)
}
