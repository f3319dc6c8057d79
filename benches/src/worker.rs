// SPDX-License-Identifier: MIT

//! The memory of a driver's thread, which is reused for each shader.

use ntv::wire::Decoder;
use ntv::{EmitOptions, Errors, Module, Shader, Translator};

/// Translates the words of a driver.
#[derive(Default)]
pub struct Worker {
    decoder: Decoder,
    shader: Shader,
    translator: Translator,
    module: Module,
}

impl Worker {
    /// Reads a shader.
    pub fn decode(&mut self, wire: &[u32]) -> Result<&mut Shader, Errors> {
        self.decoder.decode(wire, &mut self.shader)?;
        Ok(&mut self.shader)
    }

    /// Reads a shader and translates it.
    pub fn translate(&mut self, wire: &[u32]) -> Result<&Module, Errors> {
        self.decode(wire)?;
        let options = EmitOptions::default().words_only(true);
        self.translator.translate_to(&mut self.shader, &options, &mut self.module)?;
        Ok(&self.module)
    }
}
