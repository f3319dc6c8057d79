//! What is decided late: notes, while words are appended, of those that may change or go.
//!
//! Where everything is decided already (`EmitOptions::decided`) nothing is noted: words that go are taken back at once,
//! and patches get their values. Either way the same ids are given, in the same order, so both ways lead to the same words;
//! that they do is what the tests of [`module`](crate::module) hold on to.
//!
//! An option costs nothing unless it is offered (`EmitOptions::offer`): then words for it are emitted, in ranges of their own.

use super::module::ModuleBuilder;
use super::words::Words;
use super::Emit;
use crate::module::{Condition, Patch, PatchKind, Range, Tables, ALWAYS, PRIVATE};
use spirv::{Capability, Op, StorageClass};

/// A section of a module that has ranges and patches, in the order in which they stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Modes,
    Names,
    Annotations,
    Globals,
    /// What the function does first of all.
    Prologue,
    Code,
}

/// Patches and ranges of all sections, by and by, each relative to the start of its section.
#[derive(Debug, Default)]
pub(super) struct Notes {
    patches: Vec<(Section, Patch)>,
    ranges: Vec<(Section, Range)>,
}

impl Notes {
    pub(super) fn clear(&mut self) {
        self.patches.clear();
        self.ranges.clear();
    }

    /// Adds them to the `tables` of a module in which the sections start at these places.
    pub(super) fn write(&self, starts: [u32; Section::Code as usize + 1], tables: &mut Tables) {
        let patch = |(section, patch): &(Section, Patch)| Patch { at: patch.at + starts[*section as usize], ..*patch };
        tables.patches.reserve_exact(self.patches.len());
        tables.patches.extend(self.patches.iter().map(patch));
        let range = |(section, range): &(Section, Range)| {
            let base = starts[*section as usize];
            let head = if range.head == 0 { 0 } else { range.head + base };
            Range { start: range.start + base, end: range.end + base, head, when: range.when }
        };
        tables.ranges.reserve_exact(self.ranges.len());
        tables.ranges.extend(self.ranges.iter().map(range));
    }
}

/// An input or output that becomes a Private variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Redirect {
    /// When it does.
    pub(super) away: u16,
    /// When it does not.
    pub(super) stays: u16,
}

impl ModuleBuilder {
    pub(super) fn section(&mut self, section: Section) -> &mut Words {
        match section {
            Section::Modes => &mut self.modes,
            Section::Names => &mut self.names,
            Section::Annotations => &mut self.annotations,
            Section::Globals => &mut self.globals,
            Section::Prologue => &mut self.prologue,
            Section::Code => &mut self.code,
        }
    }

    /// The index of a condition that several ask for.
    pub(super) fn condition(&mut self, condition: Condition) -> u16 {
        match self.conditions.iter().position(|other| *other == condition) {
            Some(index) => index as u16,
            None => self.new_condition(condition),
        }
    }

    /// The index of a condition of one variable.
    pub(super) fn new_condition(&mut self, condition: Condition) -> u16 {
        if self.words_only {
            return ALWAYS;
        }
        // Locations are so few that varyings never make so many.
        let index = self.conditions.len().min(usize::from(ALWAYS) - 1);
        if index == self.conditions.len() {
            self.conditions.push(condition);
        }
        index as u16
    }

    /// Whether a condition holds; `None` if that is not decided yet.
    pub(super) fn holds(&self, when: u16) -> Option<bool> {
        match (&self.decided, self.conditions.get(usize::from(when))) {
            (Some(decided), Some(condition)) => decided.holds(condition),
            _ => None,
        }
    }

    /// Where the next word of `section` will stand.
    pub(super) fn mark(&mut self, section: Section) -> usize {
        self.section(section).len()
    }

    /// The words of `section` from `start` on are there only under a condition.
    pub(super) fn end_range(&mut self, section: Section, start: usize, when: u16) {
        match self.holds(when) {
            Some(true) => {}
            Some(false) => self.section(section).cut(start, None),
            None => self.note_range(section, start, 0, when),
        }
    }

    /// The last words, from `start` on, of the instruction at `head` are there only under a condition.
    pub(super) fn end_part(&mut self, section: Section, head: usize, start: usize, when: u16) {
        match self.holds(when) {
            Some(true) => {}
            Some(false) => self.section(section).cut(start, Some(head)),
            None => self.note_range(section, start, head, when),
        }
    }

    /// Notes that the last words of `section`, from `start` on, may go, a part of the instruction at `head` if that is not 0.
    fn note_range(&mut self, section: Section, start: usize, head: usize, when: u16) {
        if self.words_only {
            return;
        }
        let end = self.section(section).len() as u32;
        let range = Range { start: start as u32, end, head: head as u32, when };
        if !range.is_empty() {
            self.notes.ranges.push((section, range));
        }
    }

    /// The word at `at` may change.
    pub(super) fn patch(&mut self, section: Section, at: usize, kind: PatchKind, when: u16, arg: u32) {
        if self.words_only && kind != PatchKind::OutputVertices {
            return;
        }
        match self.decided {
            None => self.notes.patches.push((section, Patch { at: at as u32, kind, when, arg })),
            Some(_) => self.decided_patch(section, at, kind, when, arg),
        }
    }

    fn decided_patch(&mut self, section: Section, at: usize, kind: PatchKind, when: u16, arg: u32) {
        let Some(decided) = &self.decided else { return };
        let patch = Patch { at: 0, kind, when, arg };
        if let Some(value) = decided.value(&patch, self.holds(when), &self.bindings) {
            self.section(section).patch(at, value);
        }
    }

    /// A pointer type of a variable's own, which becomes one of Private with it.
    pub(super) fn redirected_pointer(&mut self, class: StorageClass, ty: u32, redirect: Redirect) -> u32 {
        let id = self.id();
        let at = self.globals.op(Op::TypePointer, &[id, class as u32, ty]);
        self.patch(Section::Globals, at + 1, PatchKind::Word, redirect.away, PRIVATE);
        id
    }

    /// An input or output that becomes a Private variable with `first` in it, if that is not 0.
    pub(super) fn redirected_variable(&mut self, ty: u32, class: StorageClass, redirect: Redirect, first: u32) -> u32 {
        let pointer = self.redirected_pointer(class, ty, redirect);
        let id = self.id();
        let at = self.globals.op(Op::Variable, &[pointer, id, class as u32]);
        self.patch(Section::Globals, at + 2, PatchKind::Word, redirect.away, PRIVATE);
        if first != 0 {
            self.globals.patch(at - 1, 5 << 16 | Op::Variable as u32);
            self.globals.extend(&[first]);
            self.end_part(Section::Globals, at - 1, at + 3, redirect.away);
        }
        // Before SPIR-V 1.4 the entry point lists inputs and outputs only (OpEntryPoint).
        self.interface.push((id, if self.version >= (1, 4) { ALWAYS } else { redirect.stays }));
        id
    }

    /// Declares a capability that is needed under a condition.
    pub(super) fn capability_when(&mut self, capability: Capability, when: u16) {
        match self.capabilities.iter_mut().find(|row| row.0 == capability) {
            Some(known) if known.1 != when => known.1 = ALWAYS,
            Some(_) => {}
            None => {
                self.capability(capability);
                self.capabilities.last_mut().into_iter().for_each(|row| row.1 = when);
            }
        }
    }

    /// True if the module declares `capability`, whatever is decided.
    pub(super) fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.iter().any(|row| row.0 == capability)
    }
}

impl Emit<'_> {
    /// Whether bits of a key are to be provided for.
    pub(super) fn offers(&self, bits: u64) -> bool {
        self.options.offer & bits != 0
    }
}
