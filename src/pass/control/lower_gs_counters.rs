// SPDX-License-Identifier: MIT

//! Removes the vertex counts of geometry shaders.
//!
//! **What.** `emit_vertex_with_counter` and `end_primitive_with_counter` become `emit_vertex` and `end_primitive`, and
//! `set_vertex_and_primitive_count` is removed, except in mesh shaders, for which SPIR-V has it, too. A shader that may make no vertex at all makes none.
//!
//! **Why.** `nir_lower_gs_intrinsics`, which zink 22.3 runs, counts for hardware that needs counts. SPIR-V's OpEmitVertex
//! counts itself; only the limit has to be at least 1 (Vulkan, VUID-VkPipelineShaderStageCreateInfo-stage-00714).
//!
//! Before:
//!
//! ```text
//! @emit_vertex_with_counter (%1 (0x0), %1 (0x0), %1 (0x0), %1 (0x0)) (stream_id=0)
//! 32     %4 = iadd %1 (0x0), %0 (0x1)
//! @end_primitive_with_counter (%4, %1 (0x0), %1 (0x0), %1 (0x0)) (stream_id=0)
//! @set_vertex_and_primitive_count (%4, %1 (0x0), %1 (0x0)) (stream_id=0)
//! ```
//!
//! After:
//!
//! ```text
//! @emit_vertex (stream_id=0)
//! 32    %4 = iadd %1 (0x0), %0 (0x1)
//! @end_primitive (stream_id=0)
//! ```

use crate::ir::{rewrite, Builder, Edit, Inst, Shader, Stage};
use crate::op::{Facts, Index, Intrinsic};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_gs_counters",
    about: "removes the vertex counts of geometry shaders",
    facts: Facts::VERTEX_COUNTERS.union(Facts::NO_VERTICES),
    removes: Facts::VERTEX_COUNTERS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let makes_none = shader.info.vertices_out == 0;
    let is_mesh = shader.stage() == Stage::Mesh;
    rewrite(shader, |b, inst| {
        let Some((op, _)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
        match op {
            Intrinsic::emit_vertex | Intrinsic::emit_vertex_with_counter if makes_none => Edit::Remove,
            Intrinsic::end_primitive | Intrinsic::end_primitive_with_counter if makes_none => Edit::Remove,
            Intrinsic::emit_vertex_with_counter => replace(b, inst, Intrinsic::emit_vertex),
            Intrinsic::end_primitive_with_counter => replace(b, inst, Intrinsic::end_primitive),
            Intrinsic::set_vertex_and_primitive_count if !is_mesh => Edit::Remove,
            _ => Edit::Keep,
        }
    })
}

fn replace(b: &mut Builder<'_>, inst: Inst, op: Intrinsic) -> Edit {
    let stream = b.shader.index(inst, Index::stream_id);
    b.intrinsic_with(op, 0, 0, &[], &[(Index::stream_id, stream)]);
    Edit::Remove
}
