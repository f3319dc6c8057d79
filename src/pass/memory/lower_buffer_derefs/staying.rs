// SPDX-License-Identifier: MIT

//! Accesses to storage blocks at unknown indices, which stay as they are: only their derefs lead to other variables.

use super::redirect::Redirect;
use super::survey::Survey;
use crate::ir::Shader;

/// Changes the derefs to derefs of the new variables.
pub(super) fn lower(shader: &mut Shader, survey: &mut Survey) {
    let Survey { staying, arrays, extents, changes, .. } = survey;
    let mut redirect = Redirect { shader, changes };
    for array in arrays.iter().filter(|array| extents[array.extent].stays != 0) {
        let view = extents[array.extent].views.and_then(|views| views.of_elements(array.pointer.bytes));
        view.into_iter().for_each(|view| redirect.set_variable(array.def, view));
    }
    for pointer in staying {
        redirect.set_element(*pointer, None);
    }
}
