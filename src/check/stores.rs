// SPDX-License-Identifier: MIT

//! Stores and atomics on memory outside of the shader, which not every device supports in every stage.
//!
//! Without the feature a shader of such a stage must not write a storage buffer, a storage image or a storage texel buffer, and
//! all variables of them are NonWritable (VUID-RuntimeSpirv-NonWritable-06340, -06341). Variables that are not written have this
//! decoration on any device.

use crate::ir::{Inst, Shader, Stage};
use crate::op::meaning::MemoryKind::{self, Global, Ssbo};
use crate::op::{intrinsics_where, Intrinsic, IntrinsicInfo, IntrinsicSet, Modes};
use crate::target::Feature::{self, *};
use crate::target::Target;

/// Intrinsics that always write such memory.
static WRITES: IntrinsicSet = intrinsics_where!(|info, meaning| {
    let to_image = matches!(meaning.image, Some(image) if image.operation.writes());
    to_image || writes(info, Ssbo) || writes(info, Global)
});

/// Intrinsics that write the memory of their deref.
static WRITES_BY_POINTER: IntrinsicSet = intrinsics_where!(|info, _meaning| writes(info, MemoryKind::Deref));

const fn writes(info: &IntrinsicInfo, kind: MemoryKind) -> bool {
    matches!(info.memory, Some(memory) if memory.operation.writes() && memory.kind as u8 == kind as u8)
}

/// The feature that stores and atomics of a stage need.
pub(super) fn feature(stage: Stage) -> Option<Feature> {
    match stage {
        Stage::Fragment => Some(fragmentStoresAndAtomics),
        Stage::Vertex | Stage::TessCtrl | Stage::TessEval | Stage::Geometry => Some(vertexPipelineStoresAndAtomics),
        _ => None,
    }
}

/// Whether the target lacks the feature, and the shader may have such stores.
pub(super) fn lacks(target: &Target, shader: &Shader) -> bool {
    let is_lacked = feature(shader.stage()).is_some_and(|feature| !target.has(feature));
    is_lacked && shader.inventory().has_some(&WRITES.union(WRITES_BY_POINTER))
}

/// The first instruction that writes such memory.
pub(super) fn first(shader: &Shader) -> Option<Inst> {
    shader.order.iter().copied().find(|inst| writes_buffer(shader, *inst))
}

fn writes_buffer(shader: &Shader, inst: Inst) -> bool {
    let Some((op, srcs)) = shader.as_intrinsic(inst) else { return false };
    let memory = |op: Intrinsic| match WRITES_BY_POINTER.contains(op) {
        true => srcs.first().and_then(|pointer| shader.as_deref(*pointer)).map(|deref| deref.modes),
        false => None,
    };
    WRITES.contains(op) || memory(op).is_some_and(|modes| modes.intersects(Modes::SSBO | Modes::GLOBAL))
}
