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
    /// Whether the assembly has names.
    pub names: bool,
}

impl Lined {
    /// Emits a lowered shader.
    pub(crate) fn emit(
        shader: &Shader,
        target: &Target,
        options: &EmitOptions<'_>,
        names: bool,
    ) -> Result<Lined, Errors> {
        let options = &options.names(names);
        // The text of the dump is not needed for lines.
        let with_lines = options.lines(Some(("", "")));
        let (plain, with_lines) = (emit(shader, target, options)?, emit(shader, target, &with_lines)?);
        Ok(Lined { plain, with_lines, names })
    }

    /// The words for `key`.
    pub(crate) fn words(&self, key: &Key) -> Result<Vec<u32>, Problem> {
        words(&self.plain, key)
    }

    /// The assembly for `key`, with marks at what differs from the `default` one.
    pub(crate) fn changed(&self, default: &[SpirvLine], words: &[u32]) -> Result<Vec<SpirvLine>, Problem> {
        assembly::changed(default, words, self.names)
    }

    /// The assembly for `key`.
    pub(crate) fn assembly(&self, key: &Key) -> Result<Vec<SpirvLine>, Problem> {
        let (plain, with_lines) = (self.words(key)?, words(&self.with_lines, key)?);
        assembly::lines(&plain, &with_lines, self.names)
    }
}

fn words(module: &Module, key: &Key) -> Result<Vec<u32>, Problem> {
    let mut words = Vec::new();
    module.instantiate(key, &mut words).map_err(shaders::placed)?;
    Ok(words)
}
