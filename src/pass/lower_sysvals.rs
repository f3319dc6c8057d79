//! System values that GL counts differently from Vulkan are computed from Vulkan's.
//!
//! **What.** The instance id is the instance index less the base instance, the zero-based vertex id the vertex id less
//! the first vertex, and the sign of the front face is selected by the front face.
//!
//! **Why.** Vulkan's InstanceIndex and VertexIndex count from the first instance and vertex of the draw, GL's
//! gl_InstanceID from 0; and FrontFacing is a boolean (Vulkan, "Built-In Variables").
//!
//! zink subtracts the base instance before its translator runs. A dump of zink's own level, which declares zink's push
//! constants, keeps its `load_instance_id`: there it is InstanceIndex already.
//!
//! Before:
//!
//! ```text
//! 32     %0 = @load_instance_id
//! ```
//!
//! After:
//!
//! ```text
//! 32    %0 = @load_instance_index
//! 32    %1 = @load_base_instance
//! 32    %2 = isub %0, %1
//! ```

use super::{Context, Forms, Pass};
use crate::ir::{rewrite, Builder, Def, Edit, Shader};
use crate::op::{AluOp, Intrinsic, Modes};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_sysvals",
    about: "system values that GL counts differently are computed from Vulkan's",
    removes: Forms::empty(),
    run,
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let is_zink_level = is_zink_level(shader);
    rewrite(shader, |b, inst| {
        let Some((op, _)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
        let value = match op {
            Intrinsic::load_instance_id if is_zink_level => system_value(b, Intrinsic::load_instance_index),
            Intrinsic::load_instance_id => difference(b, Intrinsic::load_instance_index, Intrinsic::load_base_instance),
            Intrinsic::load_vertex_id_zero_base => {
                difference(b, Intrinsic::load_vertex_id, Intrinsic::load_first_vertex)
            }
            Intrinsic::load_front_face_fsign => {
                let front = b.intrinsic(Intrinsic::load_front_face, 1, 1, &[]).def();
                let (one, minus_one) = (b.imm32(1f32.to_bits()), b.imm32((-1f32).to_bits()));
                b.alu(AluOp::bcsel, &[front, one, minus_one])
            }
            _ => return Edit::Keep,
        };
        Edit::Replace(value)
    })
}

/// Whether the shader went through zink's own passes, all of which add this variable to graphics stages.
pub(super) fn is_zink_level(shader: &Shader) -> bool {
    shader.vars.values().any(|v| v.mode == Modes::PUSH_CONST && &shader.strings[v.name] == "gfx_pushconst")
}

fn system_value(b: &mut Builder<'_>, op: Intrinsic) -> Def {
    b.intrinsic(op, 1, 32, &[]).def()
}

fn difference(b: &mut Builder<'_>, minuend: Intrinsic, subtrahend: Intrinsic) -> Def {
    let (minuend, subtrahend) = (system_value(b, minuend), system_value(b, subtrahend));
    b.alu(AluOp::isub, &[minuend, subtrahend])
}
