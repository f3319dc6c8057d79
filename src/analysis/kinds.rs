//! Where the instructions of one kind are.
//!
//! A walk that asks each instruction what it is takes another way at every second one, which processors cannot foresee and
//! which costs more than all else that such a walk does. The list is made without asking: each instruction is written to where
//! the next of the kind stands, and stays there if it is of that kind.

use crate::ir::{InstKind, Shader};

/// Lists where in the order of a shader the intrinsics are.
pub(crate) fn list_intrinsics(shader: &Shader, places: &mut Vec<u32>) {
    places.resize(shader.order.len(), 0);
    let mut count = 0;
    for (at, inst) in shader.order.iter().enumerate() {
        places[count] = at as u32;
        count += usize::from(matches!(shader.insts[*inst].kind, InstKind::Intrinsic { .. }));
    }
    places.truncate(count);
}
