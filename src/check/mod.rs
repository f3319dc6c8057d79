//! The validator: collects every problem of a shader, never stops at the first.

use crate::error::Errors;
use crate::ir::Shader;
use crate::target::Target;

/// Checks the rules of NIR.
pub fn validate(_shader: &Shader) -> Result<(), Errors> {
    Ok(())
}

/// Checks that `target` has what the shader needs.
pub fn supported(_shader: &Shader, _target: &Target) -> Result<(), Errors> {
    Ok(())
}
