// SPDX-License-Identifier: MIT

//! Accesses to inputs and outputs by slot and component, and the stores to outputs, of which components are combined.
//!
//! The variables are those that `lower_io` declared. An access reads or writes a part of one or several:
//!
//! ```text
//! 32  %1 = @load_input (%0 (0x0)) (component=1, io location=VARYING_SLOT_VAR0)      %4 = OpLoad %v2float %in_VAR0_y
//! 32  %2 = @load_input (%0 (0x0)) (component=2, io location=VARYING_SLOT_VAR0)
//! 32  %3 = fadd %1, %2                                                              extracts component 0 and 1 of %4
//! ```
//!
//! An input is loaded once where the load dominates, and the value of the access is a part of that load. Components that are
//! stored one by one to an output are stored together when all of them have a value. Before that, they are stored where an
//! output must have its exact value: at the end of a block, before an instruction that other invocations or stages may observe,
//! such as `emit_vertex`, and before a read of an output.

use super::interface::View;
use super::memory::{Origin, Pointer};
use super::value::Component;
use super::{internal, Emit, Result};
use crate::analysis::slot_access::Io;
use crate::analysis::slot_vars::{SlotPart, SlotVar, SlotVars};
use crate::analysis::value_types::ValueTypes;
use crate::ir::{AluSrc, ArrayIndex, Def, DerefKind, Inst, InstData, InstKind, Shader, Swizzle, Var};
use crate::op::{Access, AluType, Base, Facts, Intrinsic, Modes};
use spirv::Op;

/// An access, with the numbers of its parts.
#[derive(Clone, Copy, Debug)]
struct SlotAccess {
    inst: Inst,
    io: Io,
    first: usize,
    end: usize,
}

/// Components of an output that are not stored yet.
#[derive(Clone, Copy, Debug)]
struct Unstored {
    var: Var,
    scalar: AluType,
    n: u8,
    components: [Option<AluSrc>; 4],
}

/// The accesses by slot of a shader, and the state of their emission.
#[derive(Debug, Default)]
pub(super) struct Slots {
    vars: SlotVars,
    /// In the order in which they are emitted.
    accesses: Vec<SlotAccess>,
    parts: Vec<SlotPart>,
    /// The number of the access that is emitted next.
    next: usize,
    /// Outputs of which components have a value that is not stored yet.
    unstored: Vec<Unstored>,
}

impl Slots {
    /// Finds the accesses by slot, and the variables that they read or write.
    pub(super) fn find(&mut self, shader: &Shader, types: &ValueTypes) {
        self.vars.clear();
        self.accesses.clear();
        self.parts.clear();
        self.next = 0;
        self.unstored.clear();
        if !shader.facts().intersects(Facts::EXPLICIT_IO) {
            return;
        }
        self.vars.collect(shader, 0);
        for inst in &shader.order {
            match shader.insts[*inst].kind {
                InstKind::Intrinsic { op, .. } if op.is_by_slot() && types.is_needed(shader, *inst) => {
                    self.add(shader, *inst, op);
                }
                _ => {}
            }
        }
    }

    /// Adds an access by slot with its parts, if it has any: a barycentric is a part of the load that uses it.
    fn add(&mut self, shader: &Shader, inst: Inst, op: Intrinsic) {
        let Some(io) = Io::new(shader, op, inst) else { return };
        let first = self.parts.len();
        self.vars.add_parts(shader.stage(), &io, &mut self.parts);
        self.accesses.push(SlotAccess { inst, io, first, end: self.parts.len() });
    }

    /// The access of `inst`. They come in the order in which they were found.
    fn next(&mut self, inst: Inst) -> Option<SlotAccess> {
        let left = &self.accesses[self.next..];
        let skipped = left.iter().position(|access| access.inst == inst)?;
        self.next += skipped + 1;
        left.get(skipped).copied()
    }

    /// The number of parts of all accesses.
    pub(super) fn num_parts(&self) -> usize {
        self.parts.len()
    }

    /// The variable of a part of an access.
    pub(super) fn var_of(&self, part: usize) -> Var {
        self.vars.of(self.parts[part]).var
    }

    /// The variables of all accesses by slot that store, or of those that load: of each part of each access.
    pub(super) fn vars(&self, stores: bool) -> impl Iterator<Item = impl Iterator<Item = Var> + '_> + '_ {
        let of_kind = move |access: &&SlotAccess| access.io.is_store == stores;
        let vars = |access: &SlotAccess| (access.first..access.end).map(|part| self.var_of(part));
        self.accesses.iter().filter(of_kind).map(vars)
    }
}

impl Emit<'_> {
    /// Emits an access by slot.
    #[inline(never)]
    pub(super) fn by_slot(&mut self, inst: Inst, data: &InstData) -> Result<()> {
        let Some(access) = self.state.slots.next(inst) else { return Ok(()) };
        match access.io.value {
            Some((value, mask)) => self.store_slot(&access, value, mask),
            None => self.load_slot(data, &access),
        }
    }

    fn load_slot(&mut self, data: &InstData, access: &SlotAccess) -> Result<()> {
        let SlotAccess { inst, io, first, end } = access;
        if io.is_output {
            self.store_rest()?;
        }
        if *end == first + 1 {
            let part = self.state.slots.parts[*first];
            let (id, base) = self.load_part(io, part)?;
            self.define_part(*inst, data, (id, base, self.state.slots.vars.of(part).n), part.first);
            return Ok(());
        }
        let mut components = [Component::default(); 4];
        let mut base = io.ty.base;
        for at in *first..*end {
            let part = self.state.slots.parts[at];
            let (id, own) = self.load_part(io, part)?;
            base = own;
            let n = self.state.slots.vars.of(part).n;
            for c in 0..part.count {
                let place = components.get_mut(usize::from(part.source + c)).ok_or_else(strange)?;
                *place = Component { id, n, component: part.first + c };
            }
        }
        if components[..usize::from(data.num_components)].iter().any(|component| component.id == 0) {
            return Err(strange());
        }
        self.define_scattered(*inst, data, base, components);
        Ok(())
    }

    /// Loads the vector that `part` is in: its id, and the base of its numbers.
    fn load_part(&mut self, io: &Io, part: SlotPart) -> Result<(u32, Base)> {
        let pointer = self.slot_pointer(io, part, None)?;
        self.note_pointer(&pointer, Access::empty(), true, false);
        let id = match io.is_output {
            true => self.m.value(Op::Load, pointer.ty, &[pointer.id]),
            false => self.load_once(pointer.id, pointer.ty),
        };
        let id = match self.options.offer {
            0 => id,
            _ => {
                let slot = if io.offset.is_some() { None } else { Some(part.element.unwrap_or(0)) };
                self.input_unless_replaced(&pointer, slot, id)
            }
        };
        Ok((id, pointer.base))
    }

    /// A pointer to the vector that `part` is in, or to its component `lane`.
    fn slot_pointer(&mut self, io: &Io, part: SlotPart, lane: Option<u8>) -> Result<Pointer> {
        let SlotVar { var, scalar, n, slots_per_element, .. } = self.state.slots.vars.of(part);
        // The variable is declared before the constants of the steps.
        self.root(var, View::Whole)?;
        let mut steps = [0; 3];
        let mut len = 0;
        if let Some(vertex) = io.vertex {
            steps[len] = self.index(vertex)?;
            len += 1;
        }
        if let Some(element) = part.element {
            steps[len] = match io.offset {
                None => self.m.uint(element),
                Some(offset) => self.element(offset, slots_per_element, element)?,
            };
            len += 1;
        }
        let Some(lane) = lane else { return self.io_pointer((var, scalar, n), &steps[..len], None) };
        steps[len] = self.m.uint(lane.into());
        self.io_pointer((var, scalar, 1), &steps[..=len], None)
    }

    /// The index of the element that is `offset` slots after `first`.
    fn element(&mut self, offset: Def, slots_per_element: u32, first: u32) -> Result<u32> {
        let uint = self.m.numeric(Base::Uint, 32, 1);
        let mut index = match slots_per_element {
            2 => {
                let (slots, one) = (self.value(offset, Base::Uint)?, self.m.uint(1));
                self.pure(Op::ShiftRightLogical, uint, &[slots, one])
            }
            _ => self.index(offset)?,
        };
        if first != 0 {
            let first = self.m.uint(first);
            index = self.pure(Op::IAdd, uint, &[index, first]);
        }
        Ok(index)
    }

    /// A pointer to the vector of `n` numbers that `steps` lead to from `var`, or to its component `lane`.
    fn io_pointer(&mut self, (var, scalar, n): (Var, AluType, u8), steps: &[u32], lane: Option<u8>) -> Result<Pointer> {
        let root = self.root(var, View::Whole)?;
        let n = if lane.is_some() { 1 } else { n };
        let ty = self.m.numeric(scalar.base, scalar.bits, n);
        let mut id = root.id;
        if root.wrapped || lane.is_some() || !steps.is_empty() {
            let pointer = self.pointer_within(root.id, root.class, ty);
            // gl_SampleMask is an array; NIR's variable is not.
            let wrapped = root.wrapped.then(|| self.m.uint(0));
            let lane = lane.map(|lane| self.m.uint(lane.into()));
            let mut chain = [root.id; 5];
            let mut len = 1;
            for step in steps.iter().copied().chain(wrapped).chain(lane) {
                chain[len] = step;
                len += 1;
            }
            id = self.pure(Op::AccessChain, pointer, &chain[..len]);
        }
        Ok(Pointer { id, class: root.class, origin: Origin::Var(var), base: scalar.base, scalar, n, ty })
    }

    /// Stores to an output.
    fn store_to(&mut self, pointer: &Pointer, value: u32) {
        self.note_pointer(pointer, Access::empty(), false, true);
        self.store(pointer, pointer.id, value, Access::empty());
    }

    /// The id of an index.
    fn index(&mut self, index: Def) -> Result<u32> {
        self.array_index(ArrayIndex::Def(index))
    }

    fn store_slot(&mut self, SlotAccess { io, first, end, .. }: &SlotAccess, value: Def, mask: u32) -> Result<()> {
        for at in *first..*end {
            let part = self.state.slots.parts[at];
            let written = mask >> part.source & ((1 << part.count) - 1);
            if written == 0 {
                continue;
            }
            let is_vector = io.vertex.is_none() && part.element.is_none();
            if is_vector {
                let SlotVar { var, scalar, n, .. } = self.state.slots.vars.of(part);
                self.store_components((var, scalar, n), (value, part.source, part.first, written))?;
                continue;
            }
            self.store_rest()?;
            self.store_part(io, part, value, written)?;
        }
        Ok(())
    }

    /// Stores a part of an element of an array, or of the output of another vertex.
    fn store_part(&mut self, io: &Io, part: SlotPart, value: Def, written: u32) -> Result<()> {
        let SlotVar { scalar, n, .. } = self.state.slots.vars.of(part);
        if written << part.first == (1 << n) - 1 {
            let source = AluSrc { def: value, swizzle: Swizzle::IDENTITY.moved_by(part.source) };
            let whole = self.src(&source, n, scalar.base)?;
            let pointer = self.slot_pointer(io, part, None)?;
            self.store_to(&pointer, whole);
            return Ok(());
        }
        for c in (0..part.count).filter(|c| written >> c & 1 != 0) {
            let source = AluSrc { def: value, swizzle: Swizzle::splat(part.source + c) };
            let component = self.src(&self.shader.unpacked(source), 1, scalar.base)?;
            let lane = (n > 1).then_some(part.first + c);
            let pointer = self.slot_pointer(io, part, lane)?;
            self.store_to(&pointer, component);
        }
        Ok(())
    }

    /// The output that `target` points into, if that is a vector, and the component that it points to.
    pub(super) fn output_vector(&self, target: Def) -> Option<(Var, AluType, u8, u8)> {
        let deref = self.shader.as_deref(target).filter(|deref| deref.modes == Modes::SHADER_OUT)?;
        let (var, first) = match deref.kind {
            DerefKind::Var(var) => (var, 0),
            DerefKind::Array { parent, index: ArrayIndex::Imm(lane) } => match self.shader.as_deref(parent)?.kind {
                DerefKind::Var(var) => (var, u8::try_from(lane).ok()?),
                _ => return None,
            },
            _ => return None,
        };
        let (scalar, n) = self.shader.types.as_vector(self.shader.vars[var].ty)?;
        (n <= 4 && first < n).then_some((var, scalar, n, first))
    }

    /// Stores components of the vector `var`: those of `value` from `source` on, of which `written` has a bit each, to those from
    /// `first` on.
    pub(super) fn store_components(
        &mut self,
        (var, scalar, n): (Var, AluType, u8),
        (value, source, first, written): (Def, u8, u8, u32),
    ) -> Result<()> {
        let shader = self.shader;
        let at = self.state.slots.unstored.iter().position(|output| output.var == var);
        let all = (1 << n) - 1;
        if written << first & all == all {
            at.map(|at| self.state.slots.unstored.swap_remove(at));
            let whole = AluSrc { def: value, swizzle: Swizzle::IDENTITY.moved_by(source) };
            let whole = self.src(&whole, n, scalar.base)?;
            let pointer = self.io_pointer((var, scalar, n), &[], None)?;
            self.store_to(&pointer, whole);
            return Ok(());
        }
        let at = at.unwrap_or_else(|| {
            self.state.slots.unstored.push(Unstored { var, scalar, n, components: [None; 4] });
            self.state.slots.unstored.len() - 1
        });
        let output = &mut self.state.slots.unstored[at];
        for c in (0..n - first).filter(|c| written >> c & 1 != 0) {
            let component = AluSrc { def: value, swizzle: Swizzle::splat(source + c) };
            output.components[usize::from(first + c)] = Some(shader.unpacked(component));
        }
        if output.components[..usize::from(n)].iter().all(Option::is_some) {
            let output = self.state.slots.unstored.swap_remove(at);
            return self.store_output(&output);
        }
        Ok(())
    }

    /// Stores all components that are not stored yet.
    #[inline(always)]
    pub(super) fn store_rest(&mut self) -> Result<()> {
        match self.state.slots.unstored.is_empty() {
            true => Ok(()),
            false => self.store_outputs(),
        }
    }

    #[inline(never)]
    fn store_outputs(&mut self) -> Result<()> {
        for at in 0..self.state.slots.unstored.len() {
            let output = self.state.slots.unstored[at];
            self.store_output(&output)?;
        }
        self.state.slots.unstored.clear();
        Ok(())
    }

    /// Stores the components that have a value: in one store if all have.
    fn store_output(&mut self, &Unstored { var, scalar, n, components }: &Unstored) -> Result<()> {
        let count = usize::from(n);
        if let ([Some(first), ..], true) = (components, components[..count].iter().all(Option::is_some)) {
            let sources = components.map(|component| component.unwrap_or(first));
            let whole = self.construct(&sources[..count], scalar.base, scalar.bits)?;
            let pointer = self.io_pointer((var, scalar, n), &[], None)?;
            self.store_to(&pointer, whole);
            return Ok(());
        }
        for (lane, component) in (0..n).zip(components) {
            let Some(component) = component else { continue };
            let component = self.src(&component, 1, scalar.base)?;
            let pointer = self.io_pointer((var, scalar, n), &[], Some(lane))?;
            self.store_to(&pointer, component);
        }
        Ok(())
    }

    /// Stores what is left before an intrinsic at which outputs must have their exact values.
    #[inline(always)]
    pub(super) fn store_before(&mut self, op: Intrinsic, srcs: &[Def]) -> Result<()> {
        match self.state.slots.unstored.is_empty() || !self.observes_outputs(op, srcs) {
            true => Ok(()),
            false => self.store_outputs(),
        }
    }

    fn observes_outputs(&self, op: Intrinsic, srcs: &[Def]) -> bool {
        let is_output =
            |src: &Def| self.shader.as_deref(*src).is_some_and(|deref| deref.modes.intersects(Modes::SHADER_OUT));
        op.info().effects.is_empty() || srcs.iter().any(is_output)
    }
}

/// The variables are not those that the accesses need.
#[cold]
fn strange() -> Box<crate::error::Error> {
    internal("an input or output by slot without a variable")
}
