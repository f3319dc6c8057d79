// SPDX-License-Identifier: MIT

//! Import: parses SPIR-V of other compilers once, and makes its tables.
//!
//! Modules that ntv emits have tables. A module of another compiler gets them here, so that it can be linked and patched like any
//! other: names, lines and captures become ranges; sets, bindings, lengths, locations and constants become patches; inputs and
//! outputs become varyings. A varying that another stage may not have gets separate pointer types, as in emitted modules, so that
//! its storage class can change. An array of descriptors gets a separate type for its length:
//!
//! ```text
//! %p = OpTypePointer Input %v4      %p = OpTypePointer Input %v4
//! %a = OpVariable %p Input          %q = OpTypePointer Input %v4     patch: Private
//! %b = OpVariable %p Input          %a = OpVariable %q Input         patch: Private
//! ```
//!
//! First, an interface block is split into a variable for each member, so that each can be removed and moved by itself, also each
//! one of `gl_PerVertex`.
//!
//! Unclear cases are left unchanged: a varying with uses other than loads, stores, access chains and interpolation stays; a block
//! that is used as a whole is not split, and its members only get other numbers. Import does not offer the options of a
//! [`Key`](crate::Key) that need code, which only the emitter makes. A module with several entry points is refused.
//!
//! [`keep`] leaves a module's words unchanged except for descriptors, and [`reflect`] only returns the interface.

mod lists;
mod names;
mod reflect;
mod sizes;
mod source;
mod split;
mod tables;

use crate::error::{Error, ErrorKind, Place};
use crate::module::{Module, ShaderStage};
pub use reflect::{keep, reflect, Reflection};
use source::SourceModule;
use spirv::ExecutionModel;

/// Makes a module with tables from `words`.
pub fn import(words: &[u32]) -> Result<Module, Error> {
    let source = SourceModule::new(words)?;
    // Only the descriptors of mesh shaders can move: see `keep`.
    match source.stage {
        ShaderStage::Task => return Err(source::unsupported(ExecutionModel::TaskEXT as u32)),
        ShaderStage::Mesh => return Err(source::unsupported(ExecutionModel::MeshEXT as u32)),
        _ => {}
    }
    let module = match split::blocks(&source)? {
        Some(words) => tables::write(&SourceModule::new(&words)?)?,
        None => tables::write(&source)?,
    };
    module.check()?;
    Ok(module)
}

fn malformed(what: &str) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), what)
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
struct Inst<'w> {
    /// Its opcode.
    op: u32,
    /// Its words. The first has its length and opcode.
    words: &'w [u32],
}

impl Inst<'_> {
    fn is(&self, op: spirv::Op) -> bool {
        self.op == op as u32
    }

    /// Operand `at`, counted from 1; 0, which is not an id, if it does not exist.
    fn word(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// The index of the word after the string at operand `at`.
    fn name_end(&self, at: usize) -> usize {
        let ends = |word: &u32| word.to_le_bytes().contains(&0);
        let name = self.words.get(at..).and_then(|words| words.iter().position(ends));
        name.map_or(self.len(), |name| at + name + 1)
    }

    /// The number of words.
    fn len(&self) -> usize {
        self.words.len()
    }
}

/// The instructions of a module, after its header.
fn instructions(words: &[u32]) -> impl Iterator<Item = Result<Inst<'_>, Error>> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let len = (first >> 16) as usize;
        if len == 0 || len > rest.len() {
            rest = &[];
            return Some(Err(malformed("an instruction is longer than the module")));
        }
        let (words, after) = rest.split_at(len);
        rest = after;
        Some(Ok(Inst { op: first & 0xffff, words }))
    })
}
