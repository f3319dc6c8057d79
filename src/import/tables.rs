// SPDX-License-Identifier: MIT

//! The second pass over a module: copies the words, inserts pointer types for varyings, and makes the tables.

use super::lists::{binding, bindings, blocks, varyings, VaryingId, WHOLE};
use super::source::{Global, SourceModule};
use super::{instructions, Inst};
use crate::error::Error;
use crate::module::{
    Binding, Condition, Key, Module, Patch, PatchKind, Range, ShaderStage, Tables, Varying, ALWAYS, PRIVATE, SETTLED,
};
use rustc_hash::FxHashMap;
use spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};

/// The options of a key that need no code, so that import can offer them.
const OFFERED: u64 = Key::STRIP | Key::NO_CAPTURE;

/// The module of `source`.
pub(super) fn write(source: &SourceModule<'_>) -> Result<Module, Error> {
    let varyings = varyings(source)?;
    let mut writer = Writer {
        source,
        words: source.words[..5].to_vec(),
        tables: Tables::default(),
        conditions: Vec::new(),
        known: FxHashMap::default(),
        bound: source.words[3],
        pointers: FxHashMap::default(),
        users: pointer_users(source),
        places: varyings.iter().enumerate().map(|(index, (place, _))| (*place, index)).collect(),
        varyings,
        blocks: blocks(source),
        bindings: bindings(source),
    };
    for inst in instructions(source.words) {
        writer.inst(inst?);
    }
    writer.words[3] = writer.bound;
    let Writer { words, mut tables, conditions, varyings, bindings, .. } = writer;
    tables.sort();
    let interface = varyings.into_iter().map(|(_, varying)| varying).collect();
    let mut module = Module { conditions, interface, bindings, ..Module::default() };
    module.fill(words, tables, source.stage, OFFERED);
    Ok(module)
}

/// The variables that need a separate pointer type, by the pointer type.
fn pointer_users(source: &SourceModule<'_>) -> FxHashMap<u32, Vec<u32>> {
    let mut users: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let removable = |root: u32| source.io(root).is_some_and(|global| global.removable);
    for (root, pointer) in source.chains.values().filter(|(root, _)| removable(*root)) {
        let users = users.entry(*pointer).or_default();
        if !users.contains(root) {
            users.push(*root);
        }
    }
    users.values_mut().for_each(|users| users.sort_unstable());
    users
}

struct Writer<'f, 'w> {
    source: &'f SourceModule<'w>,
    words: Vec<u32>,
    tables: Tables,
    conditions: Vec<Condition>,
    known: FxHashMap<Condition, u16>,
    bound: u32,
    /// The separate pointer types, by variable and old type.
    pointers: FxHashMap<(u32, u32), u32>,
    users: FxHashMap<u32, Vec<u32>>,
    varyings: Vec<(VaryingId, Varying)>,
    /// The index of each in that list.
    places: FxHashMap<VaryingId, usize>,
    blocks: FxHashMap<u32, Option<u32>>,
    bindings: Vec<Binding>,
}

impl Writer<'_, '_> {
    fn inst(&mut self, inst: Inst<'_>) {
        let at = self.words.len();
        self.words.extend_from_slice(inst.words);
        let Some(op) = Op::from_u32(inst.op) else { return };
        let strip = match op {
            Op::String => !self.source.has_debug_info,
            Op::Source | Op::SourceContinued | Op::SourceExtension | Op::Name | Op::MemberName => true,
            Op::Line | Op::NoLine | Op::ModuleProcessed => true,
            _ => false,
        };
        if strip {
            return self.range(at, Condition::none(Key::STRIP));
        }
        match op {
            Op::Capability if inst.word(1) == Capability::TransformFeedback as u32 => self.captured(at),
            Op::EntryPoint => self.entry_point(inst, at),
            Op::ExecutionMode => self.mode(inst, at),
            Op::Decorate => self.decorate(inst, at),
            Op::MemberDecorate => self.decorate_member(inst, at),
            Op::TypePointer => self.pointer(inst),
            Op::Variable => self.variable(inst, at),
            Op::ExtInst => self.interpolation(inst, at),
            Op::SpecConstant if inst.len() == 4 => {
                if let Some(spec_id) = self.source.decoration(inst.word(2), Decoration::SpecId) {
                    self.patch(at + 3, PatchKind::SpecValue, spec_id);
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                let root = self.source.chains.get(&inst.word(2)).map(|(root, _)| *root);
                if let Some(pointer) = root.and_then(|root| self.pointers.get(&(root, inst.word(1)))) {
                    self.words[at + 1] = *pointer;
                }
            }
            _ => {}
        }
    }

    fn condition(&mut self, condition: Condition) -> u16 {
        *self.known.entry(condition).or_insert_with(|| {
            self.conditions.push(condition);
            (self.conditions.len() - 1) as u16
        })
    }

    /// Makes the words from `start` on depend on a condition. Adjacent words share one range.
    fn range(&mut self, start: usize, condition: Condition) {
        let when = self.condition(condition);
        let (start, end) = (start as u32, self.words.len() as u32);
        match self.tables.ranges.last_mut() {
            Some(last) if (last.end, last.when, last.head) == (start, when, 0) => last.end = end,
            _ => self.tables.ranges.push(Range { start, end, head: 0, when }),
        }
    }

    fn patch(&mut self, at: usize, kind: PatchKind, arg: u32) {
        self.tables.patches.push(Patch { at: at as u32, kind, when: ALWAYS, arg });
    }

    /// Makes the words from `at` on depend on transform feedback.
    fn captured(&mut self, at: usize) {
        self.range(at, Condition::none(Key::NO_CAPTURE));
    }

    /// The varying of a variable, if the whole variable is one.
    fn varying(&self, id: u32) -> Option<usize> {
        self.places.get(&(id, WHOLE)).copied()
    }

    fn removable(&self, id: u32) -> Option<usize> {
        self.varying(id).filter(|index| self.varyings[*index].1.removable)
    }

    fn removed(&self, index: usize) -> Condition {
        Condition::removed(index, self.varyings[index].1.is_output)
    }

    fn live(&self, index: usize) -> Condition {
        Condition::live(index, self.varyings[index].1.is_output)
    }

    fn relaxed(&self, index: usize) -> Condition {
        Condition::relaxed(index, self.varyings[index].1.is_output)
    }

    fn entry_point(&mut self, inst: Inst<'_>, at: usize) {
        // From 1.4 on the list has all variables, also Private ones.
        if self.source.words[1] >= 0x0001_0400 {
            return;
        }
        for (word, id) in inst.words.iter().enumerate().skip(inst.name_end(3)) {
            if let Some(index) = self.removable(*id) {
                let when = self.condition(self.live(index));
                let start = (at + word) as u32;
                self.tables.ranges.push(Range { start, end: start + 1, head: at as u32, when });
            }
        }
    }

    fn mode(&mut self, inst: Inst<'_>, at: usize) {
        const LOCAL_SIZE: u32 = ExecutionMode::LocalSize as u32;
        const OUTPUT_VERTICES: u32 = ExecutionMode::OutputVertices as u32;
        const XFB: u32 = ExecutionMode::Xfb as u32;
        match inst.word(2) {
            XFB => self.captured(at),
            LOCAL_SIZE if inst.len() == 6 => {
                // The other compiler may have used the size: a module has no trace of a folded constant.
                let settled = |axis: usize| Patch {
                    at: (at + 3 + axis) as u32,
                    kind: PatchKind::LocalSize,
                    when: SETTLED,
                    arg: axis as u32,
                };
                self.tables.patches.extend((0..3).map(settled));
            }
            OUTPUT_VERTICES if self.source.stage == ShaderStage::TessCtrl && inst.len() == 4 => {
                self.patch(at + 3, PatchKind::OutputVertices, inst.word(3));
            }
            _ => {}
        }
    }

    fn decorate(&mut self, inst: Inst<'_>, at: usize) {
        let Some(decoration) = Decoration::from_u32(inst.word(2)) else { return };
        let (id, number) = (inst.word(1), inst.len() == 4);
        match (decoration, self.varying(id)) {
            (Decoration::SpecId, _) if number => self.patch(at + 3, PatchKind::SpecId, inst.word(3)),
            (Decoration::DescriptorSet, _) if number => self.patch_binding(id, at + 3, PatchKind::DescriptorSet),
            (Decoration::Binding, _) if number => self.patch_binding(id, at + 3, PatchKind::Binding),
            (Decoration::RelaxedPrecision, Some(index)) => return self.range(at, self.relaxed(index)),
            (_, Some(index)) if number => self.decorate_varying(decoration, index, at),
            // A captured block: its members have the offsets.
            (Decoration::XfbBuffer | Decoration::XfbStride, None) => self.captured(at),
            _ => {}
        }
        if let Some(index) = self.removable(id) {
            let when = self.condition(self.live(index));
            let range = Range { start: at as u32, end: self.words.len() as u32, head: 0, when };
            self.tables.ranges.push(range);
        }
    }

    /// Records a decoration whose last word is a number that a link may change.
    fn decorate_varying(&mut self, decoration: Decoration, index: usize, at: usize) {
        let captured = self.varyings[index].1.capture.is_some();
        let kind = match decoration {
            Decoration::Location => PatchKind::Location,
            Decoration::Component => PatchKind::Component,
            Decoration::Index => PatchKind::Index,
            Decoration::XfbBuffer => PatchKind::XfbBuffer,
            Decoration::XfbStride => PatchKind::XfbStride,
            Decoration::Offset if captured => PatchKind::XfbOffset,
            _ => return,
        };
        self.patch(self.words.len() - 1, kind, index as u32);
        if matches!(kind, PatchKind::XfbBuffer | PatchKind::XfbStride | PatchKind::XfbOffset) {
            self.captured(at);
        }
    }

    fn decorate_member(&mut self, inst: Inst<'_>, at: usize) {
        let Some(decoration) = Decoration::from_u32(inst.word(3)) else { return };
        let only = self.blocks.get(&inst.word(1)).copied().flatten();
        let index = only.and_then(|id| self.places.get(&(id, inst.word(2)))).copied();
        match (decoration, index) {
            (Decoration::RelaxedPrecision, Some(index)) => self.range(at, self.relaxed(index)),
            (_, Some(index)) if inst.len() == 5 => self.decorate_varying(decoration, index, at),
            (Decoration::XfbBuffer | Decoration::XfbStride, None) => self.captured(at),
            _ => {}
        }
    }

    fn patch_binding(&mut self, id: u32, at: usize, kind: PatchKind) {
        let source = self.source;
        if let Some(row) = source.global(id).and_then(|global| self.row(global)) {
            self.patch(at, kind, row);
        }
    }

    /// The row of the variable's descriptors in the list.
    fn row(&self, global: &Global) -> Option<u32> {
        let row = self.bindings.binary_search(&binding(self.source, global)?);
        row.ok().map(|row| row as u32)
    }

    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// Inserts the separate pointer types of varyings after the pointer type that they replace.
    fn pointer(&mut self, inst: Inst<'_>) {
        for root in self.users.remove(&inst.word(1)).unwrap_or_default() {
            let Some(index) = self.removable(root) else { continue };
            let id = self.id();
            let at = self.words.len();
            self.words.extend([inst.words[0], id, inst.word(2), inst.word(3)]);
            self.become_private(at + 2, index);
            self.pointers.insert((root, inst.word(1)), id);
        }
    }

    fn become_private(&mut self, at: usize, index: usize) {
        let when = self.condition(self.removed(index));
        self.tables.patches.push(Patch { at: at as u32, kind: PatchKind::Word, when, arg: PRIVATE });
    }

    fn variable(&mut self, inst: Inst<'_>, at: usize) {
        let Some(global) = self.source.global(inst.word(2)).copied() else { return };
        if global.resizable {
            return self.array(inst, &global, at);
        }
        let Some(index) = self.removable(global.id) else { return };
        let Some(pointer) = self.pointers.get(&(global.id, global.pointer)).copied() else { return };
        if global.class != StorageClass::Input as u32 {
            self.words[at + 1] = pointer;
            return self.become_private(at + 3, index);
        }
        // An input that no stage writes is initialized with zeros.
        let first = self.id();
        self.words.truncate(at);
        self.words.extend([3 << 16 | Op::ConstantNull as u32, global.ty, first]);
        self.range(at, self.removed(index));
        let head = self.words.len();
        self.words.extend([5 << 16 | Op::Variable as u32, pointer, global.id, global.class, first]);
        self.become_private(head + 3, index);
        let when = self.condition(self.removed(index));
        let start = head as u32 + 4;
        self.tables.ranges.push(Range { start, end: start + 1, head: head as u32, when });
    }

    /// Gives an array of descriptors a separate type, with a length that is not used otherwise.
    fn array(&mut self, inst: Inst<'_>, global: &Global, at: usize) {
        let types = &self.source.types;
        let Some((array, row)) = types.get(&global.ty).zip(self.row(global)) else { return };
        let Some(length) = types.get(&array.word(3)) else { return };
        let [constant, array_type, pointer] = std::array::from_fn(|_| self.id());
        self.words.truncate(at);
        self.words.extend([length.words[0], length.word(1), constant, length.word(3)]);
        self.patch(at + 3, PatchKind::ArrayLength, row);
        self.words.extend([array.words[0], array_type, array.word(2), constant]);
        self.words.extend([4 << 16 | Op::TypePointer as u32, pointer, global.class, array_type]);
        self.words.extend([inst.words[0], pointer, global.id, global.class]);
    }

    /// An input that became Private has the same value everywhere.
    fn interpolation(&mut self, inst: Inst<'_>, at: usize) {
        let Some(pointer) = self.source.interpolated(inst) else { return };
        let root = self.source.chains.get(&pointer).map(|chain| chain.0);
        let Some(index) = root.and_then(|root| self.removable(root)) else { return };
        self.range(at, self.live(index));
        let at = self.words.len();
        self.words.extend([4 << 16 | Op::Load as u32, inst.word(1), inst.word(2), pointer]);
        self.range(at, self.removed(index));
    }
}
