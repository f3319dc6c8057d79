// SPDX-License-Identifier: MIT

//! Determines which intrinsics may be removed if their results have no uses, and which give the same result at all positions.

use crate::entity::Slice;
use crate::ir::Shader;
use crate::op::{Access, Effects, Index, Intrinsic, Modes};

/// The modes of memory that a shader reads and that is not written while it runs.
const READ_ONLY: Modes = Modes::SYSTEM
    .union(Modes::UNIFORM)
    .union(Modes::SHADER_IN)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::CONSTANT);

/// The properties of an intrinsic: whether it may be removed if its result has no uses, and whether it gives the same result
/// for the same operands at all positions.
pub(super) fn of(shader: &Shader, op: Intrinsic, srcs: Slice, indices: Slice) -> Effects {
    let effects = op.info().effects;
    if !effects.contains(Effects::ELIMINATE) {
        return Effects::empty();
    }
    let access = access(shader, op, indices);
    if access.contains(Access::VOLATILE) {
        return Effects::empty();
    }
    let pointer = || shader.srcs[srcs].first().and_then(|src| shader.as_deref(*src));
    let read_only = || op == Intrinsic::load_deref && pointer().is_some_and(|deref| READ_ONLY.contains(deref.modes));
    match access.contains(Access::REORDERABLE) || read_only() {
        true => effects | Effects::REORDER,
        false => effects,
    }
}

fn access(shader: &Shader, op: Intrinsic, indices: Slice) -> Access {
    let slot = op.info().index_slot(Index::access);
    slot.map_or(Access::empty(), |slot| Access::from_bits_retain(shader.indices[indices][slot]))
}
