// SPDX-License-Identifier: MIT

//! Lists the instructions of one kind.
//!
//! A walk that tests the kind of each instruction takes another branch at every second one. Processors cannot predict these
//! branches, which cost more than the rest of such a walk. The list is made without branches: each instruction is written to
//! the next free element, which is kept if the instruction is of that kind.

use crate::ir::{InstKind, Shader};

/// Lists the positions of the intrinsics in the order of a shader.
pub(crate) fn list_intrinsics(shader: &Shader, places: &mut Vec<u32>) {
    places.resize(shader.order.len(), 0);
    let mut count = 0;
    for (at, inst) in shader.order.iter().enumerate() {
        places[count] = at as u32;
        count += usize::from(matches!(shader.insts[*inst].kind, InstKind::Intrinsic { .. }));
    }
    places.truncate(count);
}
