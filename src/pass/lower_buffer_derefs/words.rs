//! Accesses to storage blocks that are arrays of words, which stay as they are: only their pointers lead into another variable.

use super::steps::Steps;
use super::survey::Survey;
use super::Views;
use crate::ir::Shader;

/// Lets the pointers lead to the new variables.
pub(super) fn lower(shader: &mut Shader, survey: &mut Survey) {
    let Survey { words, arrays, extents, changes, .. } = survey;
    let mut steps = Steps { shader, changes };
    for array in arrays.iter() {
        if let Some(Views { words: Some(view), .. }) = extents[array.extent].views {
            steps.lead_to(array.def, view);
        }
    }
    for pointer in words {
        steps.point_to(*pointer, None);
    }
}
