// SPDX-License-Identifier: MIT

//! Finds the words of output variables that transform feedback captures, from captures by slot.

use crate::ir::{ArrayIndex, Builder, Capture, Def, Shader, Type, TypeData, Var, Variable, XfbInfo};
use crate::op::{AluOp, Modes};

/// A captured 32-bit word of an output, and its position in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub buffer: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    pub source: OutputWord,
}

/// A word of an output variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OutputWord {
    pub var: Var,
    /// The path from the variable to a vector or scalar.
    path: Vec<Step>,
    /// The component of that vector.
    component: u8,
    /// The half of a 64-bit component.
    half: Option<u8>,
}

/// A level of a path into a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Element(u32),
    Member(u32),
}

/// The maximum number of words of a variable that are counted: outputs do not have as many components.
const MOST_WORDS: usize = 1024;

/// The words of all outputs that have a slot, with the slot and component by which [`XfbInfo`] identifies them.
pub(super) struct OutputWords {
    /// By variable, in the order in which a variable that is captured as a whole is written to a buffer.
    list: Vec<((u32, u8), OutputWord)>,
}

impl OutputWords {
    /// With or without variables that are captured as a whole.
    pub(super) fn new(shader: &Shader, with_captured: bool) -> OutputWords {
        let mut list = Vec::new();
        for (var, variable) in shader.vars.ids().zip(shader.vars.values()) {
            let Some(location) = variable.location.filter(|_| variable.mode == Modes::SHADER_OUT) else { continue };
            if variable.index != 0 || variable.capture.is_some() && !with_captured {
                continue;
            }
            let is_compact = is_compact(shader, variable);
            let mut walk = Walk { shader, var, location, is_compact, path: Vec::new(), list: &mut list, most: 0 };
            walk.most = walk.list.len() + MOST_WORDS;
            walk.words(variable.ty, 0, u32::from(variable.location_frac));
        }
        OutputWords { list }
    }

    /// The captured words, by slot or of variables that are captured as a whole, sorted by buffer and offset. Captured slots
    /// without a variable are ignored.
    pub(super) fn captured(&self, shader: &Shader, info: &XfbInfo) -> Vec<Word> {
        let mut words = Vec::new();
        for ((location, component), source) in &self.list {
            if let Some((buffer, offset)) = info.captured(*location, *component) {
                words.push(Word { buffer, offset, source: source.clone() });
            }
        }
        for (var, variable) in shader.vars.ids().zip(shader.vars.values()) {
            let Some(Capture { buffer, offset, .. }) = variable.capture else { continue };
            let offsets = (0u32..).map(|word| offset.saturating_add(4 * word));
            words.extend(self.of(var).zip(offsets).map(|(source, offset)| Word {
                buffer,
                offset,
                source: source.clone(),
            }));
        }
        words.sort_by_key(|word| (word.buffer, word.offset));
        words
    }

    /// The words of `var`.
    pub(super) fn of(&self, var: Var) -> impl Iterator<Item = &OutputWord> {
        self.list.iter().map(|row| &row.1).filter(move |source| source.var == var)
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

/// Loads words of outputs, and each vector only once.
#[derive(Default)]
pub(super) struct Loads {
    /// The vectors that were loaded.
    vectors: Vec<(Var, Vec<Step>, Def)>,
}

impl Loads {
    /// The word `source`, as 32 bits.
    pub(super) fn word(&mut self, b: &mut Builder<'_>, source: &OutputWord) -> Def {
        let vector = self.vector(b, source);
        let scalar = b.channel(vector, source.component);
        match source.half {
            Some(0) => b.alu(AluOp::unpack_64_2x32_split_x, &[scalar]),
            Some(_) => b.alu(AluOp::unpack_64_2x32_split_y, &[scalar]),
            None => scalar,
        }
    }

    fn vector(&mut self, b: &mut Builder<'_>, source: &OutputWord) -> Def {
        let same = |row: &&(Var, Vec<Step>, Def)| row.0 == source.var && row.1 == source.path;
        if let Some((_, _, known)) = self.vectors.iter().find(same) {
            return *known;
        }
        let mut pointer = b.deref_var(source.var);
        for step in &source.path {
            pointer = match *step {
                Step::Element(index) => b.deref_array(pointer, ArrayIndex::Imm(i64::from(index))),
                Step::Member(number) => b.deref_struct(pointer, number),
            };
        }
        let loaded = b.load_deref(pointer, 0);
        self.vectors.push((source.var, source.path.clone(), loaded));
        loaded
    }
}
