//! Which intrinsics may go if nobody reads them, and which give the same wherever they stand.

use crate::entity::Slice;
use crate::ir::Shader;
use crate::op::{Access, Effects, Index, Intrinsic, Modes};

/// Memory that a shader reads and nobody writes while it runs.
const READ_ONLY: Modes = Modes::SYSTEM
    .union(Modes::UNIFORM)
    .union(Modes::SHADER_IN)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::CONSTANT);

/// What may be done with an intrinsic: whether it may go if nobody reads it, and whether it gives the same for the same operands
/// wherever it stands.
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
