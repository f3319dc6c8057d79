// SPDX-License-Identifier: MIT

//! The decisions about a module: those of links, which renumber and remove varyings, and the key of a draw.

use super::table::{set_varying, PRECISE, REMOVED};
use super::{Binding, Condition, Key, Module, Patch, PatchKind, Sides, Undeclared, Varying, SETTLED};
use crate::error::{Error, ErrorKind, Place};
use crate::ir::Capture;
use crate::location;

/// The new numbers that a link assigns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The first locations of varyings, by varying; absent ones keep theirs, here and below.
    pub locations: Vec<(u32, u32)>,
    /// The first component of varyings in their location, by varying. A varying that starts at component 0 has no word for it.
    pub components: Vec<(u32, u32)>,
    /// The blend source of outputs, by varying: 0, or 1 for the second. They have a word for it if any is the second.
    pub indices: Vec<(u32, u32)>,
    /// The new captures of transform feedback, by varying; absent ones do not change.
    pub captures: Vec<(u32, Capture)>,
    /// Moved descriptors: their set and binding, and the new ones.
    pub bindings: Vec<([u32; 2], [u32; 2])>,
    /// New lengths of arrays of descriptors, by their old set and binding. Constant indices must stay within the length.
    pub lengths: Vec<([u32; 2], u32)>,
    /// Renumbered specialization constants: the old and the new number.
    pub spec_ids: Vec<(u32, u32)>,
    /// New defaults of specialization constants: the old number, and the value.
    pub spec_values: Vec<(u32, u32)>,
    /// The size of a workgroup.
    pub local_size: Option<[u32; 3]>,
    /// The number of vertices of the output patch of a tessellation control shader.
    pub output_vertices: Option<u32>,
}

impl Assignment {
    /// The current place of the descriptors at `set` and `binding`.
    pub fn binding(&self, set: u32, binding: u32) -> [u32; 2] {
        let row = self.bindings.iter().find(|row| row.0 == [set, binding]);
        row.map_or([set, binding], |row| row.1)
    }

    /// Sets the location of varying `index`.
    pub(crate) fn set_location(&mut self, index: usize, location: u32) {
        match self.locations.iter_mut().find(|row| row.0 == index as u32) {
            Some(row) => row.1 = location,
            None => self.locations.push((index as u32, location)),
        }
    }

    fn length(&self, binding: &Binding) -> Option<u32> {
        let row = self.lengths.iter().find(|row| row.0 == [binding.set, binding.binding]);
        // SPIR-V has no empty arrays (OpTypeArray, Length).
        row.map(|row| row.1.max(1))
    }

    /// The new number of a specialization constant.
    pub(super) fn spec_id(&self, old: u32) -> Option<u32> {
        find(&self.spec_ids, old)
    }

    fn capture(&self, varying: u32) -> Option<&Capture> {
        self.captures.iter().find(|row| row.0 == varying).map(|row| &row.1)
    }

    fn value(&self, kind: PatchKind, arg: u32, bindings: &[Binding]) -> Option<u32> {
        let binding = || bindings.get(arg as usize).map(|row| self.binding(row.set, row.binding));
        match kind {
            PatchKind::DescriptorSet => binding().map(|[set, _]| set),
            PatchKind::Binding => binding().map(|[_, binding]| binding),
            PatchKind::Location => find(&self.locations, arg),
            PatchKind::Component => find(&self.components, arg),
            PatchKind::Index => find(&self.indices, arg),
            PatchKind::XfbBuffer => self.capture(arg).map(|capture| capture.buffer),
            PatchKind::XfbStride => self.capture(arg).map(|capture| capture.stride),
            PatchKind::XfbOffset => self.capture(arg).map(|capture| capture.offset),
            PatchKind::SpecId => self.spec_id(arg),
            PatchKind::SpecValue => find(&self.spec_values, arg),
            PatchKind::LocalSize => self.local_size.and_then(|size| size.get(arg as usize).copied()),
            PatchKind::OutputVertices => self.output_vertices,
            PatchKind::ArrayLength => bindings.get(arg as usize).and_then(|row| self.length(row)),
            PatchKind::Word | PatchKind::Width | PatchKind::Height | PatchKind::Uniform | PatchKind::Swizzle => None,
        }
    }
}

/// The number in the row with `key`.
fn find(rows: &[(u32, u32)], key: u32) -> Option<u32> {
    rows.iter().find(|row| row.0 == key).map(|row| row.1)
}

/// All decisions about a module so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// The key of a draw, if it is known.
    pub key: Option<Key>,
    /// The bits of the varyings, for each linked side.
    pub links: Sides<Option<Vec<u64>>>,
    /// The new numbers.
    pub assignment: Assignment,
    /// The components that the next stage reads and this one does not declare.
    pub undeclared: Vec<Undeclared>,
    /// Inputs that get as many words as the outputs that they read, by varying.
    pub widened: Vec<(u32, u8)>,
}

impl Decisions {
    /// The decisions of a draw without a link.
    pub fn of_key(key: Key) -> Decisions {
        Decisions { key: Some(key), ..Decisions::of_link() }
    }

    /// The decisions of a link that keeps all varyings of both sides.
    pub fn of_link() -> Decisions {
        let links = Sides { inputs: Some(Vec::new()), outputs: Some(Vec::new()) };
        Decisions { links, ..Decisions::default() }
    }

    /// Removes varying `index`, an output or an input.
    pub fn remove(&mut self, index: usize, is_output: bool) {
        set_varying(self.links.of_mut(is_output).get_or_insert_with(Vec::new), index, REMOVED);
    }

    /// Sets varying `index`, an output or an input, to full precision.
    pub fn be_precise(&mut self, index: usize, is_output: bool) {
        set_varying(self.links.of_mut(is_output).get_or_insert_with(Vec::new), index, PRECISE);
    }

    /// Whether a condition holds; `None` if it is not decided.
    pub fn holds(&self, condition: &Condition) -> Option<bool> {
        match condition.varyings() {
            None => self.key.map(|key| condition.holds_for_key(key.bits)),
            Some((word, is_output)) => {
                let links = self.links.of(is_output).as_ref()?;
                Some(condition.holds_in(links.get(word).copied().unwrap_or(0)))
            }
        }
    }

    /// The new value of the word of `patch`, if it is decided and changes.
    pub fn value(&self, patch: &Patch, when: Option<bool>, bindings: &[Binding]) -> Option<u32> {
        let of_key =
            when.filter(|holds| *holds).and_then(|_| self.key.unwrap_or_default().value(patch.kind, patch.arg));
        let numbers = Some(&self.assignment).filter(|_| patch.when != SETTLED);
        of_key.or_else(|| numbers?.value(patch.kind, patch.arg, bindings))
    }

    /// Varying `index` after all decisions.
    pub(crate) fn applied(&self, index: usize, varying: &Varying) -> Varying {
        let mut new = *varying;
        let numbers = &self.assignment;
        let is_output = varying.is_output;
        new.removed |= varying.removable && self.holds(&Condition::removed(index, is_output)) == Some(true);
        new.removed |= varying.is_copy && self.key.is_some_and(|key| key.bits & Key::NO_CAPTURE != 0);
        new.relaxed &= self.holds(&Condition::relaxed(index, is_output)) != Some(false);
        new.removable &= self.links.of(is_output).is_none();
        if let Some(location) = find(&numbers.locations, index as u32) {
            new.location = location;
        }
        if let Some(component) = find(&numbers.components, index as u32) {
            new.component = component as u8;
        }
        if varying.capture.is_some() {
            new.capture = numbers.capture(index as u32).copied().or(varying.capture);
        }
        new
    }
}

impl Module {
    /// Returns an error if a link cannot apply `assignment`. Rows of descriptors and specialization constants that the module does
    /// not have are ignored: they are for other stages. A row of a varying, a length or a size without a word is an error.
    pub fn accepts(&self, assignment: &Assignment) -> Result<(), Error> {
        let numbers = [
            (PatchKind::Location, "location", &assignment.locations),
            (PatchKind::Component, "component", &assignment.components),
            (PatchKind::Index, "index", &assignment.indices),
        ];
        for (kind, what, rows) in numbers {
            rows.iter().try_for_each(|(varying, number)| self.accepts_number(kind, what, *varying, *number))?;
        }
        for (varying, _) in &assignment.captures {
            if self.varying(*varying)?.capture.is_none() {
                return Err(refused(format!("varying {varying} of the {} stage is not captured", self.stage.name())));
            }
        }
        self.accepts_sizes(assignment)
    }

    fn accepts_number(&self, kind: PatchKind, what: &str, varying: u32, number: u32) -> Result<(), Error> {
        let (known, stage) = (self.varying(varying)?, self.stage.name());
        if self.settled.of(known.is_output).is_some() && kind != PatchKind::Index {
            let message = format!("a link has settled the {what} of varying {varying} of the {stage} stage already");
            return Err(refused(message));
        }
        let of = format_args!("the {what} of varying {varying} of the {stage} stage").to_string();
        match self.patch(kind, varying) {
            None => {
                return Err(refused(format!("varying {varying} of the {stage} stage has no {what} that could change")))
            }
            Some(patch) => self.keeps(patch, number, &of)?,
        }
        let beyond = || number.saturating_add(u32::from(known.components).min(location::WORDS)) > location::WORDS;
        if kind == PatchKind::Component && beyond() {
            let message = format!("varying {varying} of the {stage} stage does not fit from component {number} on");
            return Err(refused(message));
        }
        Ok(())
    }

    fn accepts_sizes(&self, assignment: &Assignment) -> Result<(), Error> {
        let stage = self.stage.name();
        for ([set, binding], length) in &assignment.lengths {
            let rows = (0..).zip(&self.bindings).filter(|(_, row)| [row.set, row.binding] == [*set, *binding]);
            for (row, array) in rows {
                self.accepts_length(row, array, *length)?;
            }
        }
        for (axis, size) in (0..).zip(assignment.local_size.iter().flatten()) {
            let Some(patch) = self.patch(PatchKind::LocalSize, axis) else {
                return Err(refused(format!("the {stage} stage has no size of workgroups that could change")));
            };
            self.keeps(patch, *size, &format!("the size of workgroups of the {stage} stage along axis {axis}"))?;
        }
        let Some(vertices) = assignment.output_vertices else { return Ok(()) };
        match self.patches.iter().find(|patch| patch.kind == PatchKind::OutputVertices) {
            None => Err(refused(format!("the {stage} stage has no size of patches that could change"))),
            Some(patch) if vertices > patch.arg => {
                let most = patch.arg;
                Err(refused(format!("a patch of {vertices} vertices: outputs of the {stage} stage have {most}")))
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns an error if row `row` of the descriptors cannot have this number of them.
    fn accepts_length(&self, row: u32, array: &Binding, length: u32) -> Result<(), Error> {
        let of = format!("set {}, binding {} of the {} stage", array.set, array.binding, self.stage.name());
        let Some(patch) = self.patch(PatchKind::ArrayLength, row) else {
            return Err(refused(format!("{of} has no length that could change")));
        };
        if length.max(1) < array.used {
            return Err(refused(format!(
                "{of} cannot have the length {length}: descriptor {} is used",
                array.used - 1
            )));
        }
        self.keeps(patch, length.max(1), &format!("the length of {of}"))
    }

    /// Returns an error if translation has used the word of `patch` as a fact, and `value` is another one.
    fn keeps(&self, patch: &Patch, value: u32, what: &str) -> Result<(), Error> {
        let own = self.words.get(patch.at as usize).copied().unwrap_or(value);
        if patch.when != SETTLED || own == value {
            return Ok(());
        }
        Err(refused(format!("{what} cannot become {value}: the translation relies on {own}")))
    }

    fn varying(&self, index: u32) -> Result<&Varying, Error> {
        let (stage, count) = (self.stage.name(), self.interface.len());
        let message = || refused(format!("the {stage} stage has no varying {index}: it has {count}"));
        self.interface.get(index as usize).ok_or_else(message)
    }

    /// The first patch of this kind with this argument.
    fn patch(&self, kind: PatchKind, arg: u32) -> Option<&Patch> {
        self.patches.iter().find(|patch| (patch.kind, patch.arg) == (kind, arg))
    }
}

/// An error for an operation that the modules cannot do.
pub(crate) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, Place::default(), message)
}
