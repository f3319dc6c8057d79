// SPDX-License-Identifier: MIT

//! The interface of a module, and modules whose words do not change.

use super::lists::{binding, varyings, WHOLE};
use super::names::{text, Names};
use super::source::SourceModule;
use super::{instructions, malformed};
use crate::error::Error;
use crate::module::{Binding, Module, Patch, PatchKind, ShaderStage, Varying, ALWAYS};
use spirv::{Decoration, Op, StorageClass};

/// The interface of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reflection {
    /// The stage of its entry point.
    pub stage: ShaderStage,
    /// The name of its entry point.
    pub entry: String,
    /// Its descriptors: each place once, in order.
    pub bindings: Vec<Binding>,
    /// The name of each binding, as debug information of the module has it; empty without one. Modules of ntv have names with
    /// [`EmitOptions::names`](crate::EmitOptions::names).
    pub binding_names: Vec<String>,
    /// The InputAttachmentIndex of each binding that has one.
    pub attachments: Vec<Option<u32>>,
    /// Its inputs and outputs, in their order.
    pub varyings: Vec<Varying>,
    /// The name of each of them, like those of the bindings.
    pub varying_names: Vec<String>,
    /// Whether it reads push constants.
    pub reads_push_constants: bool,
}

/// Reads the interface of the module in `words`. Returns an error if two variables with one set and binding have different kinds.
pub fn reflect(words: &[u32]) -> Result<Reflection, Error> {
    Reflection::new(&SourceModule::new(words)?)
}

/// A module of `words` in which only descriptors can move: it has no varyings that a link could remove or move, and no options, so
/// its words are the input except for the numbers of sets and bindings. Vertex inputs are in its list, as links do not change them.
pub fn keep(words: &[u32]) -> Result<(Module, Reflection), Error> {
    let source = SourceModule::new(words)?;
    let reflection = Reflection::new(&source)?;
    let mut patches = Vec::new();
    let mut at = 5;
    for inst in instructions(words) {
        let inst = inst?;
        let kind = match Decoration::from_u32(inst.word(2)) {
            Some(Decoration::DescriptorSet) => Some(PatchKind::DescriptorSet),
            Some(Decoration::Binding) => Some(PatchKind::Binding),
            _ => None,
        };
        let row = source.global(inst.word(1)).and_then(|global| reflection.row(&binding(&source, global)?));
        if let (true, Some(kind), Some(row)) = (inst.is(Op::Decorate) && inst.len() == 4, kind, row) {
            patches.push(Patch { at: at + 3, kind, when: ALWAYS, arg: row });
        }
        at += inst.len() as u32;
    }
    let inputs = reflection.varyings.iter().filter(|it| source.stage == ShaderStage::Vertex && !it.is_output);
    let interface = inputs.map(|it| Varying { removable: false, ..*it }).collect();
    let (stage, bindings) = (source.stage, reflection.bindings.clone());
    let module = Module { words: words.to_vec(), patches, stage, interface, bindings, ..Module::default() };
    module.check()?;
    Ok((module, reflection))
}

impl Reflection {
    fn new(source: &SourceModule<'_>) -> Result<Reflection, Error> {
        let names = Names::new(source.words);
        let mut found = Reflection { stage: source.stage, entry: entry(source), ..Reflection::default() };
        for ((id, member), varying) in varyings(source)? {
            found.varyings.push(varying);
            found.varying_names.push(names.varying(source, id, Some(member).filter(|it| *it != WHOLE)).to_string());
        }
        let mut rows: Vec<(Binding, &str, Option<u32>)> = Vec::new();
        for global in &source.globals {
            found.reads_push_constants |= global.class == StorageClass::PushConstant as u32;
            let Some(new) = binding(source, global) else { continue };
            // Several variables can have the same descriptors.
            let attachment = source.decoration(global.id, Decoration::InputAttachmentIndex);
            match rows.iter_mut().find(|(old, ..)| (old.set, old.binding) == (new.set, new.binding)) {
                Some((old, ..)) if old.kind == new.kind => old.count = old.count.max(new.count),
                Some(_) => return Err(malformed("one set and binding has descriptors of two kinds")),
                None => rows.push((new, names.descriptor(source, global), attachment)),
            }
        }
        rows.sort_unstable();
        for (binding, name, attachment) in rows {
            found.bindings.push(binding);
            found.binding_names.push(name.to_string());
            found.attachments.push(attachment);
        }
        Ok(found)
    }

    /// The row with the set and binding of `variable`.
    fn row(&self, variable: &Binding) -> Option<u32> {
        let same = |row: &Binding| (row.set, row.binding) == (variable.set, variable.binding);
        self.bindings.iter().position(same).map(|row| row as u32)
    }
}

/// The name of the entry point.
fn entry(source: &SourceModule<'_>) -> String {
    let entry = instructions(source.words).flatten().find(|inst| inst.is(Op::EntryPoint));
    entry.map_or(String::new(), |inst| text(inst, 3))
}
