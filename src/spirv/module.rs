// SPDX-License-Identifier: MIT

//! The sections of a module, each a buffer that only grows, and the header that precedes them at the end.
//!
//! SPIR-V 2.4 fixes the order of the sections. Instructions are appended to their section at their first use, so a type is written
//! with its first value, and unused declarations are never written.

use super::late::{Notes, Section};
use super::types::NumericTypes;
use super::words::{literal, Dedup, Words};
use super::EmitOptions;
use crate::error::{Error, ErrorKind, Place};
use crate::module::{
    Binding, Condition, Decisions, Key, Module, PatchKind, Range, ShaderStage, Tables, Varying, ALWAYS,
};
use spirv::{AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op, StorageClass};

const GLSL: [u32; 4] = literal("GLSL.std.450");
const MAIN: [u32; 2] = literal("main");

/// A module under construction. Its memory is reused for the next one.
#[derive(Debug, Default)]
pub(super) struct ModuleBuilder {
    /// The version of SPIR-V.
    pub(super) version: (u8, u8),
    next_id: u32,
    /// Whether pointers may come from addresses.
    pub(super) addresses: bool,
    /// The capabilities in the order of their first use, with their conditions.
    pub(super) capabilities: Vec<(Capability, u16)>,
    pub(super) extensions: Vec<&'static str>,
    /// The id of the GLSL.std.450 import, 0 if unused.
    glsl: u32,
    /// The variables that the entry point lists, with their conditions.
    pub(super) interface: Vec<(u32, u16)>,
    /// The conditions of late decisions.
    pub(super) conditions: Vec<Condition>,
    pub(super) notes: Notes,
    /// Bits of a key that may be set later.
    offered: u64,
    /// Whether no tables and lists are created.
    pub(super) words_only: bool,
    /// All decisions, if they are known already.
    pub(super) decided: Option<Decisions>,
    /// Inputs and outputs.
    pub(super) varyings: Vec<Varying>,
    pub(super) modes: Words,
    /// OpString and OpSource.
    pub(super) sources: Words,
    pub(super) names: Words,
    pub(super) annotations: Words,
    /// Types, constants and variables outside of functions.
    pub(super) globals: Words,
    known: Dedup,
    /// Scalar and vector types.
    pub(super) numeric_types: NumericTypes,
    /// The first constants of `uint`, 0 for those that do not exist: members and elements. Pointers use so many that searching for
    /// them in `known` would take a tenth of all instructions of a translation.
    pub(super) uints: [u32; 16],
    /// OpVariable instructions of the function.
    pub(super) locals: Words,
    /// The function after its variables: its beginning, and the rest.
    pub(super) prologue: Words,
    pub(super) code: Words,
    /// The void type, and the type of a void function without parameters; 0 if not created.
    void_function: [u32; 2],
    /// The descriptors of variables.
    pub(super) bindings: Vec<Binding>,
    /// Memory for the unsorted descriptors.
    old_bindings: Vec<Binding>,
    main: u32,
    /// The label of the first block of the function, which has its variables.
    pub(super) entry_label: u32,
}

impl ModuleBuilder {
    /// Clears the last module and starts a new one.
    pub(super) fn begin(&mut self, version: (u8, u8), options: &EmitOptions<'_>) {
        self.conditions.clear();
        self.notes.clear();
        self.varyings.clear();
        let EmitOptions { offer, decided, .. } = *options;
        // Names and captures are always in ranges.
        (self.version, self.offered) = (version, offer | Key::STRIP | Key::NO_CAPTURE);
        self.words_only = options.words_only && !options.linkable && offer == 0 && decided.is_none();
        if self.words_only {
            self.offered = 0;
        } else {
            // It is swapped with the list of another module; this capacity is enough for most.
            self.varyings.reserve(8);
        }
        if decided.is_some() || self.decided.is_some() {
            self.decided = decided.cloned();
        }
        self.next_id = 1;
        self.addresses = false;
        self.capabilities.clear();
        self.extensions.clear();
        self.glsl = 0;
        self.interface.clear();
        let sections = [
            &mut self.modes,
            &mut self.sources,
            &mut self.names,
            &mut self.annotations,
            &mut self.globals,
            &mut self.locals,
            &mut self.prologue,
            &mut self.code,
        ];
        sections.into_iter().for_each(Words::clear);
        self.known.clear();
        self.numeric_types.clear();
        self.uints = [0; 16];
        self.void_function = [0; 2];
        self.bindings.clear();
        self.main = self.id();
        self.entry_label = self.id();
        self.capabilities.push((Capability::Shader, ALWAYS));
    }

    /// A new id.
    #[inline(always)]
    pub(super) fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The id of the entry point.
    pub(super) fn main(&self) -> u32 {
        self.main
    }

    /// A type; an equal one is reused.
    pub(super) fn global_type(&mut self, op: Op, operands: &[u32]) -> u32 {
        self.global(op, 0, operands)
    }

    /// A constant or undefined value; an equal one is reused.
    pub(super) fn global(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.known.intern(&mut self.globals, &mut self.next_id, op, ty, operands)
    }

    /// An instruction without effects in the function; an equal one in `scope` is reused.
    pub(super) fn pure(&mut self, scope: &mut Dedup, op: Op, ty: u32, operands: &[u32]) -> u32 {
        scope.intern(&mut self.code, &mut self.next_id, op, ty, operands)
    }

    /// Takes back options of a key that the module was to support.
    pub(super) fn withdraw(&mut self, bits: u64) {
        self.offered &= !bits;
    }

    /// The options of a key that the module supports so far.
    pub(super) fn offered(&self) -> u64 {
        self.offered
    }

    /// An instruction of the function with a result.
    pub(super) fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.code.result(op, [ty, id], operands);
        id
    }

    /// The void type, and the type of a void function without parameters.
    pub(super) fn void_function(&mut self) -> [u32; 2] {
        let void = self.void();
        if self.void_function[1] == 0 {
            self.void_function[1] = self.id();
            self.globals.op(Op::TypeFunction, &[self.void_function[1], void]);
        }
        self.void_function
    }

    /// The void type.
    pub(super) fn void(&mut self) -> u32 {
        if self.void_function[0] == 0 {
            self.void_function[0] = self.id();
            self.globals.op(Op::TypeVoid, &[self.void_function[0]]);
        }
        self.void_function[0]
    }

    /// The import of GLSL.std.450.
    pub(super) fn glsl(&mut self) -> u32 {
        if self.glsl == 0 {
            self.glsl = self.id();
        }
        self.glsl
    }

    /// Decorates `target`. Returns the position of the first operand in the section.
    #[inline(always)]
    pub(super) fn decorate(&mut self, target: u32, decoration: Decoration, operands: &[u32]) -> usize {
        let decoration = decoration as u32;
        2 + match *operands {
            [] => self.annotations.op(Op::Decorate, &[target, decoration]),
            [number] => self.annotations.op(Op::Decorate, &[target, decoration, number]),
            _ => self.annotations.op2(Op::Decorate, &[target, decoration], operands),
        }
    }

    /// Decorates member `member` of the struct type `target`.
    pub(super) fn decorate_member(&mut self, target: u32, member: u32, decoration: Decoration, operand: u32) {
        self.annotations.op(Op::MemberDecorate, &[target, member, decoration as u32, operand]);
    }

    /// Adds an execution mode to the entry point.
    pub(super) fn mode(&mut self, mode: ExecutionMode, operands: &[u32]) {
        self.modes.op2(Op::ExecutionMode, &[self.main, mode as u32], operands);
    }

    /// Adds an execution mode whose operands are ids to the entry point.
    pub(super) fn mode_id(&mut self, mode: ExecutionMode, operands: &[u32]) {
        self.modes.op2(Op::ExecutionModeId, &[self.main, mode as u32], operands);
    }

    /// Sets the number of vertices in the output patch of a tessellation control shader, which a link can change up to `most`.
    pub(super) fn tcs_output_vertices(&mut self, vertices: u32, most: u32) {
        self.mode(ExecutionMode::OutputVertices, &[vertices]);
        self.patch(Section::Modes, self.modes.len() - 1, PatchKind::OutputVertices, ALWAYS, most);
    }

    /// A variable outside of the function. `ty` is the pointer type.
    pub(super) fn global_variable(&mut self, ty: u32, class: StorageClass) -> u32 {
        self.global_variable_with(ty, class, &[])
    }

    /// A variable outside of the function, with an optional constant as initializer.
    pub(super) fn global_variable_with(&mut self, ty: u32, class: StorageClass, first: &[u32]) -> u32 {
        let id = self.id();
        match *first {
            [] => self.globals.op(Op::Variable, &[ty, id, class as u32]),
            _ => self.globals.op2(Op::Variable, &[ty, id, class as u32], first),
        };
        // From 1.4 on, the interface lists every global variable in use; before, only inputs and outputs (OpEntryPoint).
        if self.version >= (1, 4) || matches!(class, StorageClass::Input | StorageClass::Output) {
            self.interface.push((id, ALWAYS));
        }
        id
    }

    /// Joins the sections, in the memory of another `module`.
    pub(super) fn finish(&mut self, stage: ShaderStage, memory: MemoryModel, module: &mut Module) -> Result<(), Error> {
        let [void, function_type] = self.void_function();
        let (words, mut tables) = module.take_parts();
        tables.clear();
        let mut words = Words::in_memory_of(words, self.len());
        self.header(&mut words, &mut tables);
        let addressing =
            if self.addresses { AddressingModel::PhysicalStorageBuffer64 } else { AddressingModel::Logical };
        words.op(Op::MemoryModel, &[addressing as u32, memory as u32]);
        self.entry_point(&mut words, &mut tables, stage.execution_model());
        let [modes, debug, names] = [&self.modes, &self.sources, &self.names].map(|section| words.append(section));
        let stripped = if self.words_only { None } else { self.stripped(&mut words, debug as usize) };
        let [annotations, globals] = [&self.annotations, &self.globals].map(|section| words.append(section));
        words.op(Op::Function, &[void, self.main, spirv::FunctionControl::NONE.bits(), function_type]);
        words.op(Op::Label, &[self.entry_label]);
        let [_, prologue, code] = [&self.locals, &self.prologue, &self.code].map(|section| words.append(section));
        if words.overflowed() {
            let message = "an instruction would have more than 65535 words";
            return Err(Error::new(ErrorKind::Unsupported, Place::default(), message));
        }
        self.notes.write([modes, names, annotations, globals, prologue, code], &mut tables);
        // Inner ranges precede outer ones.
        tables.ranges.extend(stripped);
        if !self.words_only {
            self.sort(&mut tables);
        }
        // These are swapped with lists that are no longer needed.
        std::mem::swap(&mut module.conditions, &mut self.conditions);
        std::mem::swap(&mut module.interface, &mut self.varyings);
        std::mem::swap(&mut module.bindings, &mut self.bindings);
        module.fill(words.into_words(), tables, stage, self.offered);
        Ok(())
    }

    /// Appends the words for debuggers. Returns their range if ranges are recorded, as they may be removed.
    #[inline(never)]
    fn stripped(&mut self, words: &mut Words, start: usize) -> Option<Range> {
        if words.len() == start {
            return None;
        }
        let named = self.condition(Condition::none(Key::STRIP));
        self.range_of(words, start, named)
    }

    /// Sorts the tables and the list of descriptors.
    #[inline(never)]
    fn sort(&mut self, tables: &mut Tables) {
        tables.sort();
        if self.bindings.windows(2).any(|pair| pair[0] > pair[1]) {
            // The list of descriptors is sorted, and patches refer to its rows.
            let old = &mut self.old_bindings;
            old.clone_from(&self.bindings);
            self.bindings.sort_unstable();
            for patch in &mut tables.patches {
                if matches!(patch.kind, PatchKind::DescriptorSet | PatchKind::Binding | PatchKind::ArrayLength) {
                    let row = old.get(patch.arg as usize).and_then(|row| self.bindings.binary_search(row).ok());
                    patch.arg = row.unwrap_or(0) as u32;
                }
            }
        }
    }

    /// Writes all sections before the memory model.
    fn header(&self, words: &mut Words, tables: &mut Tables) {
        let version = u32::from(self.version.0) << 16 | u32::from(self.version.1) << 8;
        words.extend(&[spirv::MAGIC_NUMBER, version, 0, self.next_id, 0]);
        for (capability, when) in &self.capabilities {
            let start = words.len();
            words.op(Op::Capability, &[*capability as u32]);
            if *when != ALWAYS {
                tables.ranges.extend(self.range_of(words, start, *when));
            }
        }
        for extension in &self.extensions {
            words.op_string(Op::Extension, &[], extension, &[]);
        }
        if self.glsl != 0 {
            words.op2(Op::ExtInstImport, &[self.glsl], &GLSL);
        }
    }

    /// Writes the entry point, whose list of variables may get shorter.
    fn entry_point(&self, words: &mut Words, tables: &mut Tables, model: ExecutionModel) {
        let head = words.len();
        words.op(Op::EntryPoint, &[model as u32, self.main, MAIN[0], MAIN[1]]);
        for (id, when) in &self.interface {
            let at = words.len();
            words.extend(&[*id]);
            if *when != ALWAYS {
                let range = self.range_of(words, at, *when);
                tables.ranges.extend(range.map(|range| Range { head: head as u32, ..range }));
            }
        }
        words.lengthen(head);
    }

    /// Ends a range of words outside of the sections. Returns the range if ranges are recorded.
    fn range_of(&self, words: &mut Words, start: usize, when: u16) -> Option<Range> {
        match self.holds(when) {
            Some(true) => None,
            Some(false) => {
                words.cut(start, None);
                None
            }
            None => Some(Range { start: start as u32, end: words.len() as u32, head: 0, when }),
        }
    }

    /// The approximate number of words of the module, without the short header.
    fn len(&self) -> usize {
        64 + self.annotations.len() + self.globals.len() + self.code.len()
    }
}
