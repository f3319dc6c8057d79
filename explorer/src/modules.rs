// SPDX-License-Identifier: MIT

//! Modules with the lines of the dump from which their instructions come.

use crate::api::{Problem, SpirvLine};
use crate::{assembly, shaders};
use ntv::spirv::emit;
use ntv::{EmitOptions, Errors, Key, Module, Shader, Target};

/// The options of modules that can be linked and patched: those of `ntv link` and `ntv variant`.
pub(crate) fn patchable() -> EmitOptions<'static> {
    EmitOptions::default().offer(u64::MAX).linkable(true)
}

/// A module, and the same with lines.
pub(crate) struct Lined {
    /// The module.
    pub plain: Module,
    /// The module with OpLine.
    pub with_lines: Module,
}

impl Lined {
    /// Emits a lowered shader.
    pub(crate) fn emit(shader: &Shader, target: &Target, options: &EmitOptions<'_>) -> Result<Lined, Errors> {
        // The text of the dump is not needed for lines.
        let with_lines = options.lines(Some(("", "")));
        Ok(Lined { plain: emit(shader, target, options)?, with_lines: emit(shader, target, &with_lines)? })
    }

    /// The words for `key`.
    pub(crate) fn words(&self, key: &Key) -> Result<Vec<u32>, Problem> {
        words(&self.plain, key)
    }

    /// The assembly for `key`.
    pub(crate) fn assembly(&self, key: &Key) -> Result<Vec<SpirvLine>, Problem> {
        let (plain, with_lines) = (self.words(key)?, words(&self.with_lines, key)?);
        assembly::lines(&plain, &with_lines)
    }
}

fn words(module: &Module, key: &Key) -> Result<Vec<u32>, Problem> {
    let mut words = Vec::new();
    module.instantiate(key, &mut words).map_err(shaders::placed)?;
    Ok(words)
}
