// SPDX-License-Identifier: MIT

//! What a person can do about an error: for a feature that the target lacks, how the target gets it.

use crate::error::{Error, ErrorKind};
use crate::target::Feature;

/// The words before the name of a feature, in the errors of this module.
const BEFORE: &str = "need feature ";

/// What to do about an error that names a feature which the target lacks; `None` for other errors.
pub fn advice(error: &Error) -> Option<String> {
    if error.kind != ErrorKind::Unsupported {
        return None;
    }
    let message = error.message.replace("needs feature ", BEFORE);
    let (_, rest) = message.split_once(BEFORE)?;
    let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let feature = Feature::from_name(name)?;
    let enable = format!("if the device has {name}, enable it: `Target::set`, `ntv_target_enable`, --enable {name}");
    Some(match feature.info().since {
        Some(version) => format!("{enable}; targets of Vulkan {}.{} and newer have it", version.0, version.1),
        None => format!("{enable}; no target has it by itself"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    #[test]
    fn an_error_of_a_feature_has_advice() {
        let error = |message: &str| Error::new(ErrorKind::Unsupported, Place::default(), message);
        let said =
            advice(&error("the shader needs feature shaderFloatControls2, which the target lacks")).expect("advice");
        assert!(
            said.contains("--enable shaderFloatControls2") && said.ends_with("Vulkan 1.4 and newer have it"),
            "{said}"
        );
        let said =
            advice(&error("storage buffers for captures need feature vertexPipelineStoresAndAtomics, which ..."));
        assert!(said.expect("advice").contains("--enable vertexPipelineStoresAndAtomics"));
        assert_eq!(advice(&error("recursion")), None);
        assert_eq!(advice(&error("needs feature nothing, which the target lacks")), None);
    }
}
