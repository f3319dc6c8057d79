//! The sections of a module, each a buffer that only grows, and the header in front of them when all is done.
//!
//! SPIR-V 2.4 fixes the order of the sections. Instructions go to the section they belong to as soon as something needs
//! them, so a type is written when the first value of it is, and nothing that is unused is ever written.

use super::words::{Dedup, Words};
use super::{Binding, Module};
use crate::error::{Error, ErrorKind, Place};
use spirv::{AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op, StorageClass};

/// A module under construction. Its memory is reused for the next one.
#[derive(Debug, Default)]
pub(super) struct ModuleBuilder {
    /// Version of SPIR-V.
    pub(super) version: (u8, u8),
    next_id: u32,
    /// Pointers may come from addresses.
    pub(super) addresses: bool,
    /// In the order in which something needed them.
    pub(super) capabilities: Vec<Capability>,
    pub(super) extensions: Vec<&'static str>,
    /// Id of the GLSL.std.450 import, 0 if unused.
    glsl: u32,
    /// Variables that the entry point lists.
    interface: Vec<u32>,
    pub(super) modes: Words,
    /// OpString and OpSource.
    pub(super) sources: Words,
    pub(super) names: Words,
    annotations: Words,
    /// Types, constants and variables outside of functions.
    pub(super) globals: Words,
    pub(super) known: Dedup,
    /// OpVariable of the function.
    pub(super) locals: Words,
    /// The function behind its variables.
    pub(super) code: Words,
    /// Ids of scalar and vector types, by base, width and size.
    pub(super) numeric_types: Vec<u32>,
    /// Descriptors that variables name.
    pub(super) bindings: Vec<Binding>,
    /// Where the number of vertices of a patch stands among the modes.
    tcs_vertices_out: Option<usize>,
    main: u32,
    /// Label of the block in which the function starts, and its variables stand.
    pub(super) entry_label: u32,
}

impl ModuleBuilder {
    /// Forgets the last module and starts one.
    pub(super) fn begin(&mut self, version: (u8, u8)) {
        self.version = version;
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
            &mut self.code,
        ];
        sections.into_iter().for_each(Words::clear);
        self.known.clear();
        self.numeric_types.clear();
        self.bindings.clear();
        self.tcs_vertices_out = None;
        self.main = self.id();
        self.entry_label = self.id();
        self.capability(Capability::Shader);
    }

    /// A new id.
    pub(super) fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// The id of the entry point.
    pub(super) fn main(&self) -> u32 {
        self.main
    }

    /// A type, constant or undefined value: the one that is already there if there is an equal one.
    pub(super) fn global(&mut self, op: Op, ty: Option<u32>, operands: &[u32]) -> u32 {
        self.known.intern(&mut self.globals, &mut self.next_id, op, ty, operands)
    }

    /// An instruction without effects in the function: the one that `scope` knows if there is an equal one.
    pub(super) fn pure(&mut self, scope: &mut Dedup, op: Op, ty: u32, operands: &[u32]) -> u32 {
        scope.intern(&mut self.code, &mut self.next_id, op, Some(ty), operands)
    }

    /// An instruction of the function with a result.
    pub(super) fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.code.op2(op, &[ty, id], operands);
        id
    }

    /// The import of GLSL.std.450.
    pub(super) fn glsl(&mut self) -> u32 {
        if self.glsl == 0 {
            self.glsl = self.id();
        }
        self.glsl
    }

    /// Decorates `target`. Returns where the first operand stands in the section.
    pub(super) fn decorate(&mut self, target: u32, decoration: Decoration, operands: &[u32]) -> usize {
        self.annotations.op2(Op::Decorate, &[target, decoration as u32], operands) + 2
    }

    /// Decorates member `member` of the struct type `target`.
    pub(super) fn decorate_member(&mut self, target: u32, member: u32, decoration: Decoration, operands: &[u32]) {
        self.annotations.op2(Op::MemberDecorate, &[target, member, decoration as u32], operands);
    }

    /// Gives the entry point an execution mode.
    pub(super) fn mode(&mut self, mode: ExecutionMode, operands: &[u32]) {
        self.modes.op2(Op::ExecutionMode, &[self.main, mode as u32], operands);
    }

    /// Says how many vertices a tessellation control shader makes of a patch, and where that stands.
    pub(super) fn tcs_output_vertices(&mut self, vertices: u32) {
        self.mode(ExecutionMode::OutputVertices, &[vertices]);
        self.tcs_vertices_out = Some(self.modes.len() - 1);
    }

    /// A variable outside of the function. `ty` is the pointer type.
    pub(super) fn global_variable(&mut self, ty: u32, class: StorageClass) -> u32 {
        self.global_variable_with(ty, class, &[])
    }

    /// The same, with a constant to start with, or none.
    pub(super) fn global_variable_with(&mut self, ty: u32, class: StorageClass, first: &[u32]) -> u32 {
        let id = self.id();
        self.globals.op2(Op::Variable, &[ty, id, class as u32], first);
        // From 1.4 on the interface is every global variable used, before only inputs and outputs (OpEntryPoint).
        if self.version >= (1, 4) || matches!(class, StorageClass::Input | StorageClass::Output) {
            self.interface.push(id);
        }
        id
    }

    /// Puts the sections together.
    pub(super) fn finish(&mut self, model: ExecutionModel, memory: MemoryModel) -> Result<Module, Error> {
        let void = self.global(Op::TypeVoid, None, &[]);
        let function_type = self.global(Op::TypeFunction, None, &[void]);
        let sections = self.sections().map(Words::len).iter().sum::<usize>();
        let mut words = Words::with_capacity(sections + self.interface.len() + 128);
        let version = u32::from(self.version.0) << 16 | u32::from(self.version.1) << 8;
        words.extend(&[spirv::MAGIC_NUMBER, version, 0, self.next_id, 0]);
        for capability in &self.capabilities {
            words.op(Op::Capability, &[*capability as u32]);
        }
        for extension in &self.extensions {
            words.op_string(Op::Extension, &[], extension, &[]);
        }
        if self.glsl != 0 {
            words.op_string(Op::ExtInstImport, &[self.glsl], "GLSL.std.450", &[]);
        }
        let addressing =
            if self.addresses { AddressingModel::PhysicalStorageBuffer64 } else { AddressingModel::Logical };
        words.op(Op::MemoryModel, &[addressing as u32, memory as u32]);
        words.op_string(Op::EntryPoint, &[model as u32, self.main], "main", &self.interface);
        let tcs_vertices_out = self.tcs_vertices_out.map(|at| words.len() + at);
        let [modes, sources, names, annotations, globals, locals, code] = self.sections();
        [modes, sources, names, annotations, globals].iter().for_each(|section| words.extend(section.as_slice()));
        words.op(Op::Function, &[void, self.main, spirv::FunctionControl::NONE.bits(), function_type]);
        words.op(Op::Label, &[self.entry_label]);
        [locals, code].iter().for_each(|section| words.extend(section.as_slice()));
        if words.overflowed() || self.sections().iter().any(|section| section.overflowed()) {
            let message = "an instruction would have more than 65535 words";
            return Err(Error::new(ErrorKind::Unsupported, Place::default(), message));
        }
        self.bindings.sort_unstable();
        Ok(Module { words: words.into_vec(), bindings: self.bindings.clone(), tcs_vertices_out })
    }

    fn sections(&self) -> [&Words; 7] {
        [&self.modes, &self.sources, &self.names, &self.annotations, &self.globals, &self.locals, &self.code]
    }
}
