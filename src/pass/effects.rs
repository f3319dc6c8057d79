//! Which instructions may go if nobody reads them, and which give the same wherever they stand.

use crate::ir::{Inst, InstKind, Shader};
use crate::op::{Access, Effects, Index, Intrinsic, Modes};

/// Memory that a shader reads and nobody writes while it runs.
const READ_ONLY: Modes = Modes::SYSTEM
    .union(Modes::UNIFORM)
    .union(Modes::SHADER_IN)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::CONSTANT);

/// Whether `inst` does nothing but make a value.
pub(super) fn can_eliminate(shader: &Shader, inst: Inst) -> bool {
    match shader.insts[inst].kind {
        InstKind::Intrinsic { op, .. } => {
            op.info().effects.contains(Effects::ELIMINATE) && !access(shader, inst).contains(Access::VOLATILE)
        }
        InstKind::Jump(_) => false,
        _ => true,
    }
}

/// Whether `inst` gives the same for the same operands wherever it stands. A phi does not: its block is an operand.
pub(super) fn can_reorder(shader: &Shader, inst: Inst) -> bool {
    match shader.insts[inst].kind {
        InstKind::Intrinsic { op, srcs, .. } => {
            let access = access(shader, inst);
            let pointer = shader.srcs[srcs].first().and_then(|src| shader.as_deref(*src));
            let read_only =
                || op == Intrinsic::load_deref && pointer.is_some_and(|deref| READ_ONLY.contains(deref.modes));
            let eliminate = op.info().effects.contains(Effects::ELIMINATE);
            let reorder = op.info().effects.contains(Effects::REORDER) || access.contains(Access::REORDERABLE);
            eliminate && (reorder || read_only()) && !access.contains(Access::VOLATILE)
        }
        InstKind::Phi(_) | InstKind::Jump(_) => false,
        _ => true,
    }
}

fn access(shader: &Shader, inst: Inst) -> Access {
    Access::from_bits_retain(shader.index(inst, Index::access))
}
