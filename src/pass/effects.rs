//! Which instructions may go if nobody reads them, and which give the same wherever they stand.

use crate::entity::Slice;
use crate::ir::{InstKind, Shader};
use crate::op::{Access, Effects, Index, Intrinsic, Modes};

/// Memory that a shader reads and nobody writes while it runs.
const READ_ONLY: Modes = Modes::SYSTEM
    .union(Modes::UNIFORM)
    .union(Modes::SHADER_IN)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::CONSTANT);

/// Whether an instruction of this kind does nothing but make a value.
pub(super) fn can_eliminate(shader: &Shader, kind: &InstKind) -> bool {
    match kind {
        InstKind::Intrinsic { op, indices, .. } => {
            op.info().effects.contains(Effects::ELIMINATE) && !access(shader, *op, *indices).contains(Access::VOLATILE)
        }
        InstKind::Jump(_) => false,
        _ => true,
    }
}

/// Whether an intrinsic gives the same for the same operands wherever it stands.
pub(super) fn can_reorder(shader: &Shader, op: Intrinsic, srcs: Slice, indices: Slice) -> bool {
    let effects = op.info().effects;
    if !effects.contains(Effects::ELIMINATE) {
        return false;
    }
    let access = access(shader, op, indices);
    let pointer = || shader.srcs[srcs].first().and_then(|src| shader.as_deref(*src));
    let read_only = || op == Intrinsic::load_deref && pointer().is_some_and(|deref| READ_ONLY.contains(deref.modes));
    !access.contains(Access::VOLATILE)
        && (effects.contains(Effects::REORDER) || access.contains(Access::REORDERABLE) || read_only())
}

fn access(shader: &Shader, op: Intrinsic, indices: Slice) -> Access {
    let slot = op.info().index_slot(Index::access);
    slot.map_or(Access::empty(), |slot| Access::from_bits_retain(shader.indices[indices][slot]))
}
