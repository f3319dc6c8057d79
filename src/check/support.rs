//! x

use crate::error::Errors;
use crate::ir::Shader;
use crate::target::Target;

/// x
pub(super) fn check(_shader: &Shader, _target: &Target) -> Result<(), Errors> {
    Ok(())
}
