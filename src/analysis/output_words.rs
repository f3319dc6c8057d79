// SPDX-License-Identifier: MIT

//! The words of output variables in the order in which transform feedback writes a variable that is captured as a whole.

use crate::ir::{Capture, Shader, Type, TypeData, Var, Variable};
use crate::op::Modes;

/// A word of an output variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputWord {
    /// The variable.
    pub var: Var,
    /// The path from the variable to a vector or scalar.
    pub path: Vec<Step>,
    /// The component of that vector.
    pub component: u8,
    /// The half of a 64-bit component.
    pub half: Option<u8>,
}

/// A level of a path into a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An element of an array, or a column of a matrix.
    Element(u32),
    /// A member of a struct.
    Member(u32),
}

/// The maximum number of words of a variable that are counted: outputs do not have as many components.
const MOST_WORDS: usize = 1024;

/// The words of all outputs that have a slot, with the slot and component by which
/// [`XfbInfo`](crate::ir::XfbInfo) identifies them.
pub struct OutputWords {
    /// By variable, in the order in which a variable that is captured as a whole is written to a buffer.
    list: Vec<((u32, u8), OutputWord)>,
}

impl OutputWords {
    /// The words of the outputs for which `slot` has the first slot.
    pub fn new(shader: &Shader, slot: impl Fn(&Variable) -> Option<u32>) -> OutputWords {
        let mut list = Vec::new();
        for (var, variable) in shader.vars.ids().zip(shader.vars.values()) {
            let location = slot(variable).filter(|_| variable.mode == Modes::SHADER_OUT && variable.index == 0);
            let Some(location) = location else { continue };
            let is_compact = is_compact(shader, variable);
            let mut walk = Walk { shader, var, location, is_compact, path: Vec::new(), list: &mut list, most: 0 };
            walk.most = walk.list.len() + MOST_WORDS;
            walk.words(variable.ty, 0, u32::from(variable.location_frac));
        }
        OutputWords { list }
    }

    /// The words of all outputs, each with its slot and component.
    pub fn all(&self) -> impl Iterator<Item = &((u32, u8), OutputWord)> {
        self.list.iter()
    }

    /// The words of `var`.
    pub fn of(&self, var: Var) -> impl Iterator<Item = &OutputWord> {
        self.list.iter().map(|row| &row.1).filter(move |source| source.var == var)
    }

    /// The words of all variables that are captured as a whole: slot and component, the buffer, and the offset in bytes.
    pub fn of_captured<'a>(
        &'a self,
        shader: &'a Shader,
    ) -> impl Iterator<Item = (&'a ((u32, u8), OutputWord), Capture, u32)> + 'a {
        let captured = shader.vars.ids().filter_map(|var| Some((var, shader.vars[var].capture?)));
        captured.flat_map(move |(var, capture)| {
            let offsets = (0u32..).map(move |word| capture.offset.saturating_add(4 * word));
            let words = self.list.iter().filter(move |row| row.1.var == var);
            words.zip(offsets).map(move |(row, offset)| (row, capture, offset))
        })
    }
}

/// Whether the elements of a variable share slots, four to each.
fn is_compact(shader: &Shader, variable: &Variable) -> bool {
    use crate::op::names::varying::{CLIP_DIST0, CULL_DIST1};
    let distances = variable.location.is_some_and(|slot| (CLIP_DIST0..=CULL_DIST1).contains(&slot));
    distances && shader.types.as_array(variable.ty).is_some()
}

/// Walks the type of a variable.
struct Walk<'a> {
    shader: &'a Shader,
    var: Var,
    location: u32,
    is_compact: bool,
    path: Vec<Step>,
    list: &'a mut Vec<((u32, u8), OutputWord)>,
    most: usize,
}

impl Walk<'_> {
    /// The words of a part of type `ty`, which begins `slot` slots, and `first` components, after the variable's slot.
    fn words(&mut self, ty: Type, slot: u32, first: u32) {
        match self.shader.types.get(ty) {
            TypeData::Array { elem, len, .. } => {
                let slots = self.shader.types.slots(elem);
                for i in 0..len.unwrap_or(0) {
                    let (slot, first) = match self.is_compact {
                        true => (slot + (first + i) / 4, (first + i) % 4),
                        false => (slot.saturating_add(slots.saturating_mul(i)), first),
                    };
                    if !self.step(Step::Element(i), elem, slot, first) {
                        break;
                    }
                }
            }
            TypeData::Matrix { scalar, columns, rows } => {
                let columns = u32::from(columns);
                let slots = self.shader.types.slots(ty).checked_div(columns).unwrap_or(0);
                for column in 0..columns {
                    self.path.push(Step::Element(column));
                    self.vector(scalar.bits, rows, slot.saturating_add(slots * column), first);
                    self.path.pop();
                }
            }
            TypeData::Struct(_) => {
                let members = self.shader.types.as_struct(ty).map_or(&[][..], |data| &data.fields);
                let mut slot = slot;
                for (number, member) in (0..).zip(members) {
                    if !self.step(Step::Member(number), member.ty, slot, first) {
                        break;
                    }
                    slot = slot.saturating_add(self.shader.types.slots(member.ty));
                }
            }
            _ => {
                if let Some((scalar, components)) = self.shader.types.as_vector(ty) {
                    self.vector(scalar.bits, components, slot, first);
                }
            }
        }
    }

    /// Walks one level deeper; false if there is no more room.
    fn step(&mut self, step: Step, ty: Type, slot: u32, first: u32) -> bool {
        self.path.push(step);
        if self.path.len() < 32 {
            self.words(ty, slot, first);
        }
        self.path.pop();
        self.list.len() < self.most
    }

    fn vector(&mut self, bits: u8, components: u8, slot: u32, first: u32) {
        let halves = if bits == 64 { 2 } else { 1 };
        for word in 0..u32::from(components) * halves {
            let at = first + word;
            let location = self.location.saturating_add(slot).saturating_add(at / 4);
            let source = OutputWord {
                var: self.var,
                path: self.path.clone(),
                component: (word / halves) as u8,
                half: (bits == 64).then_some((word % 2) as u8),
            };
            self.list.push(((location, (at % 4) as u8), source));
        }
    }
}
