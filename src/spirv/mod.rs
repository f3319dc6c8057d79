//! IR to SPIR-V words in one forward walk.

use crate::error::Errors;
use crate::ir::Shader;
use crate::target::Target;

/// A SPIR-V module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The words, header first.
    pub words: Vec<u32>,
}

/// What to emit besides the code.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitOptions<'a> {
    /// OpName for variables, types and the entry point.
    pub names: bool,
    /// OpSource with this text and OpLine to the lines of its instructions: file name and contents of the dump.
    pub lines: Option<(&'a str, &'a str)>,
}

/// Emits a shader in emittable form.
pub fn emit(_shader: &Shader, _target: &Target, _options: &EmitOptions<'_>) -> Result<Module, Errors> {
    Ok(Module::default())
}
