// SPDX-License-Identifier: MIT

//! Finds the [`Forms`] that a shader contains. Each pass has the rule for its own.

use super::Forms;
use crate::analysis::framebuffer::FramebufferRead;
use crate::ir::{InstKind, Shader, Stage};
use crate::op::meaning::Traits;
use crate::op::{Intrinsic, Needs};
use crate::pass::control::lower_sysvals;
use crate::pass::memory::{lower_atomics, lower_buffer_derefs, lower_global};
use crate::pass::texture::{lower_descriptors, lower_sparse};

/// The forms that `shader` contains.
pub fn find_forms(shader: &Shader) -> Forms {
    let captures = if shader.xfb_info.is_empty() { Forms::empty() } else { Forms::CAPTURES };
    shader.order.iter().fold(captures, |forms, inst| {
        let data = &shader.insts[*inst];
        let wide = if data.num_components > 4 { Forms::WIDE_VECTORS } else { Forms::empty() };
        let own = match data.kind {
            InstKind::Alu { .. } if shader.is_lowered(*inst) => Forms::LOWERED_ALU,
            InstKind::Intrinsic { .. } if lower_atomics::is_foreign(shader, *inst) => Forms::LOWERED_ATOMICS,
            InstKind::Intrinsic { .. } if lower_global::is_by_address(shader, *inst) => Forms::GLOBAL_ADDRESSES,
            InstKind::Intrinsic { op: Intrinsic::set_vertex_and_primitive_count, .. }
                if shader.stage() == Stage::Mesh =>
            {
                Forms::empty()
            }
            InstKind::Intrinsic { op, .. } => intrinsic_forms(op),
            _ => Forms::empty(),
        };
        let unnamed = lower_descriptors::is_unnamed(shader, *inst);
        let unnamed = if unnamed { Forms::TEXTURE_NAMES } else { Forms::empty() };
        let reads = FramebufferRead::new(shader, *inst).is_some();
        let reads = if reads { Forms::FRAMEBUFFER_READS } else { Forms::empty() };
        let joined = if lower_sparse::is_joined(shader, *inst) { Forms::RESIDENCY } else { Forms::empty() };
        let typed = lower_buffer_derefs::is_typed_access(shader, *inst);
        forms | wide | own | unnamed | joined | reads | if typed { Forms::BUFFER_DEREFS } else { Forms::empty() }
    })
}

/// The forms that a pass removes permanently, by the need that an intrinsic has for this pass.
const REMOVED: &[(Needs, Forms)] = &[
    (Needs::REGISTERS, Forms::REGISTERS),
    (Needs::UBO_OFFSETS, Forms::UBO_OFFSETS),
    (Needs::SSBO_OFFSETS, Forms::SSBO_OFFSETS),
    (Needs::MEMORY_OFFSETS, Forms::MEMORY_OFFSETS),
    (Needs::VERTEX_COUNTERS, Forms::VERTEX_COUNTERS),
    (Needs::EXPLICIT_IO, Forms::EXPLICIT_IO),
];

fn intrinsic_forms(op: Intrinsic) -> Forms {
    let needs = op.info().needs;
    if let Some((_, removed)) = REMOVED.iter().find(|(need, _)| needs.contains(*need)) {
        return *removed;
    }
    match op {
        _ if needs.contains(Needs::DISCARDS) && op.info().traits.contains(Traits::CONDITION) => {
            Forms::CONDITIONAL_DISCARD
        }
        Intrinsic::load_is_indexed_draw => Forms::CAPTURES,
        _ if lower_sysvals::is_computed(op) => Forms::SYSTEM_VALUES,
        _ => Forms::empty(),
    }
}
