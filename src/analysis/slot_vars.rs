// SPDX-License-Identifier: MIT

//! The variables that accesses to inputs and outputs by slot read or write, and the parts of an access.
//!
//! ```text
//! decl_var shader_in in_VAR0.y (VARYING_SLOT_VAR0.yz)      a vec2 from component 1 of VAR0 on
//! 32x3  %1 = @load_input (component=0, io location=VARYING_SLOT_VAR0)      components 1 and 2 of %1 are the vec2
//! ```

use super::slot_access::Io;
use crate::ir::{Shader, Stage, Var, VarFlags};
use crate::location;
use crate::op::names::IoFlags;
use crate::op::slots::compact;
use crate::op::{AluType, Modes};

/// A variable that accesses by slot read or write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotVar {
    pub var: Var,
    is_output: bool,
    /// `DUALSRC` and `HIGH_DVEC2`: of two variables at one slot, one has the flag.
    flags: IoFlags,
    /// The numbers of its vectors, and their count. An array of single numbers that share slots has one.
    pub scalar: AluType,
    pub n: u8,
    /// Its slots, and the slots of each element.
    slot: u32,
    slots: u32,
    pub slots_per_element: u32,
    /// The first word of its vectors in their slot.
    first_word: u32,
    /// The length of an array of single numbers that share slots.
    len: Option<u32>,
}

/// The part of an access that is in one variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotPart {
    /// The number of the variable.
    pub at: usize,
    /// The element of an array, before a dynamic offset.
    pub element: Option<u32>,
    /// The first component of the vector that is accessed, and the number of components.
    pub first: u8,
    pub count: u8,
    /// The first component of the loaded or stored value.
    pub source: u8,
}

/// The inputs and outputs of a shader that have slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotVars {
    vars: Vec<SlotVar>,
}

impl SlotVars {
    /// Replaces the table by that of the variables of `shader` from number `first` on.
    pub(crate) fn collect(&mut self, shader: &Shader, first: usize) {
        self.vars.clear();
        for (var, variable) in shader.vars.iter().skip(first) {
            let is_output = variable.mode == Modes::SHADER_OUT;
            let (Some(slot), true) = (variable.location, is_output || variable.mode == Modes::SHADER_IN) else {
                continue;
            };
            let is_arrayed = shader.stage().is_per_vertex(is_output, slot) && !variable.flags.contains(VarFlags::PATCH);
            let ty = match shader.types.as_array(variable.ty) {
                Some((vertex, _)) if is_arrayed => vertex,
                _ => variable.ty,
            };
            let (vector, elements) =
                shader.types.as_array(ty).map_or((ty, 1), |(vector, len)| (vector, len.unwrap_or(1)));
            let Some((scalar, n)) = shader.types.as_vector(vector) else { continue };
            let first_word = u32::from(variable.location_frac);
            let slots_per_element = location::locations(first_word + location::words(scalar.bits, n));
            let len = variable.flags.contains(VarFlags::COMPACT).then_some(elements);
            let mut flags = IoFlags::empty();
            flags.set(IoFlags::DUALSRC, is_output && variable.index != 0);
            flags.set(IoFlags::HIGH_DVEC2, variable.flags.contains(VarFlags::HIGH_DVEC2));
            let slots = if len.is_some() { 2 } else { elements.saturating_mul(slots_per_element) };
            self.vars.push(SlotVar {
                var,
                is_output,
                flags,
                scalar,
                n,
                slot,
                slots,
                slots_per_element,
                first_word,
                len,
            });
        }
    }

    /// Forgets all variables.
    pub(crate) fn clear(&mut self) {
        self.vars.clear();
    }

    /// The variable of a part.
    pub(crate) fn of(&self, part: SlotPart) -> SlotVar {
        self.vars[part.at]
    }

    /// Adds the parts of an access to `parts`: several if its components are spread.
    pub(crate) fn add_parts(&self, stage: Stage, io: &Io, parts: &mut Vec<SlotPart>) {
        for (at, variable) in self.vars.iter().enumerate().filter(|(_, variable)| variable.meets(io)) {
            match variable.len {
                None => parts.extend(variable.vector_part(at, io)),
                Some(len) => parts.extend(variable.elements(at, stage, io, len)),
            }
        }
    }
}

impl SlotVar {
    /// Whether an access may have a part in this variable.
    #[inline(always)]
    fn meets(&self, io: &Io) -> bool {
        self.is_output == io.is_output
            && io.slot.wrapping_sub(self.slot) < self.slots
            && self.scalar.bits == io.ty.bits
            && self.flags == io.flags & (IoFlags::DUALSRC | IoFlags::HIGH_DVEC2)
    }

    /// The parts of an access in this array of `len` single numbers that share slots: one for each.
    fn elements<'a>(&'a self, at: usize, stage: Stage, io: &'a Io, len: u32) -> impl Iterator<Item = SlotPart> + 'a {
        let is_it = compact(io.kind(stage), io.slot).is_some_and(|row| row.first == self.slot);
        let first = 4 * (io.slot - self.slot) + io.component;
        let end = if is_it { (first + io.num_components).min(len) } else { first };
        (first..end).map(move |element| SlotPart {
            at,
            element: Some(element),
            first: 0,
            count: 1,
            source: (element - first) as u8,
        })
    }

    /// The part of an access in this variable of vectors.
    fn vector_part(&self, at: usize, io: &Io) -> Option<SlotPart> {
        let slot = io.slot.checked_sub(self.slot).filter(|slot| *slot < self.slots)?;
        let words = location::words(self.scalar.bits, 1);
        let (element, half) = (slot / self.slots_per_element, slot % self.slots_per_element);
        let component = io.component + location::WORDS * half;
        let first = component.max(self.first_word);
        let end = (component + io.num_components * words).min(self.first_word + u32::from(self.n) * words);
        (first < end).then(|| SlotPart {
            at,
            element: (self.slots > self.slots_per_element).then_some(element),
            first: ((first - self.first_word) / words) as u8,
            count: ((end - first) / words) as u8,
            source: ((first - component) / words) as u8,
        })
    }
}
