// SPDX-License-Identifier: MIT

//! Late decisions: records which of the appended words may change or be removed.
//!
//! If all decisions are known (`EmitOptions::decided`), nothing is recorded: removed words are cut at once, and patched words get
//! their values. Both ways use the same ids in the same order, so they produce the same words. The tests of
//! [`module`](crate::module) check that.
//!
//! An option costs nothing unless it is offered (`EmitOptions::offer`): then its words are emitted in separate ranges.

use super::module::ModuleBuilder;
use super::words::Words;
use super::Emit;
use crate::module::{Condition, Patch, PatchKind, Range, Tables, ALWAYS, PRIVATE, SETTLED};
use rustc_hash::FxHashMap;
use spirv::{Capability, Op, StorageClass};

/// A section of a module that has ranges and patches, in the order of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Modes,
    Names,
    Annotations,
    Globals,
    /// The beginning of the function.
    Prologue,
    Code,
}

/// Patches and ranges of all sections, in the order in which they were recorded, each relative to the start of its section.
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

    /// Adds them to the `tables` of a module whose sections start at these positions.
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
    /// The condition under which it does.
    pub(super) away: u16,
    /// The condition under which it does not.
    pub(super) stays: u16,
}

/// The inputs and outputs that become Private variables.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    /// By id.
    vars: FxHashMap<u32, Redirect>,
    /// Pointer types within them, by variable and type.
    pointers: FxHashMap<(u32, u32), u32>,
}

impl Redirects {
    pub(super) fn clear(&mut self) {
        self.vars.clear();
        self.pointers.clear();
    }

    /// Records that the variable `id` becomes a Private one.
    pub(super) fn add(&mut self, id: u32, redirect: Redirect) {
        self.vars.insert(id, redirect);
    }

    /// Whether the variable `id` becomes a Private one.
    pub(super) fn get(&self, id: u32) -> Option<Redirect> {
        self.vars.get(&id).copied()
    }

    /// The type of pointers to `ty` within `variable`.
    pub(super) fn pointer(&mut self, m: &mut ModuleBuilder, variable: u32, class: StorageClass, ty: u32) -> u32 {
        let Some(redirect) = self.get(variable) else { return m.pointer(class, ty) };
        *self.pointers.entry((variable, ty)).or_insert_with(|| m.redirected_pointer(class, ty, redirect))
    }
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

    /// The index of a condition that several records share.
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
        // There are so few locations that varyings never have so many conditions.
        let index = self.conditions.len().min(usize::from(SETTLED) - 1);
        if index == self.conditions.len() {
            self.conditions.push(condition);
        }
        index as u16
    }

    /// Whether a condition holds; `None` if it is not decided yet.
    pub(super) fn holds(&self, when: u16) -> Option<bool> {
        match (&self.decided, self.conditions.get(usize::from(when))) {
            (Some(decided), Some(condition)) => decided.holds(condition),
            _ => None,
        }
    }

    /// The position of the next word of `section`.
    pub(super) fn mark(&mut self, section: Section) -> usize {
        self.section(section).len()
    }

    /// Makes the words of `section` from `start` on depend on a condition.
    pub(super) fn end_range(&mut self, section: Section, start: usize, when: u16) {
        match self.holds(when) {
            Some(true) => {}
            Some(false) => self.section(section).cut(start, None),
            None => self.note_range(section, start, 0, when),
        }
    }

    /// Makes the last words of the instruction at `head`, from `start` on, depend on a condition.
    pub(super) fn end_part(&mut self, section: Section, head: usize, start: usize, when: u16) {
        match self.holds(when) {
            Some(true) => {}
            Some(false) => self.section(section).cut(start, Some(head)),
            None => self.note_range(section, start, head, when),
        }
    }

    /// Records that the last words of `section`, from `start` on, may be removed. They are a part of the instruction at `head` if
    /// that is not 0.
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

    /// Records that the word at `at` may change.
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

    /// A pointer type for one variable only, which becomes a Private pointer together with the variable.
    pub(super) fn redirected_pointer(&mut self, class: StorageClass, ty: u32, redirect: Redirect) -> u32 {
        let id = self.id();
        let at = self.globals.op(Op::TypePointer, &[id, class as u32, ty]);
        self.patch(Section::Globals, at + 1, PatchKind::Word, redirect.away, PRIVATE);
        id
    }

    /// An input or output that becomes a Private variable. Its initializer is `first` if that is not 0.
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
        // Before SPIR-V 1.4 the entry point lists only inputs and outputs (OpEntryPoint).
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

    /// True if the module declares `capability` unconditionally.
    pub(super) fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.iter().any(|row| row.0 == capability)
    }
}

impl Emit<'_> {
    /// Whether some bits of a key are offered.
    pub(super) fn offers(&self, bits: u64) -> bool {
        self.options.offer & bits != 0
    }
}
