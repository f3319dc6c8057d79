// SPDX-License-Identifier: MIT

//! The lengths of the arrays of clip and cull distances.
//!
//! GL ignores the elements that the application has not enabled; Vulkan uses all elements of the arrays. So an array has the length
//! that the shader declares, not that of the slots which an access may reach.

use crate::ir::{Shader, Stage, Variable};
use crate::op::names::{varying, IoSemantics, SlotKind};
use crate::op::{slots, Index, Modes};

/// The most elements of an array.
const MOST: u32 = 8;

/// The lengths in the header of a shader: those of the outputs, or of the inputs of a fragment shader.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclaredDistances {
    stage: Stage,
    clip: u32,
    cull: u32,
}

/// The first slot of the array of distances that has `slot`.
pub fn array_of(kind: SlotKind, slot: u32) -> Option<u32> {
    slots::compact(kind, slot).map(|row| row.first).filter(|first| !slots::is_patch(*first))
}

/// Whether `slot` holds clip or cull distances, of the inputs or of the outputs of `shader`.
pub fn has_slot(shader: &Shader, is_output: bool, slot: u32) -> bool {
    array_of(shader.stage().slot_kind(is_output), slot).is_some()
}

impl DeclaredDistances {
    /// The lengths in the header of `shader`.
    pub fn of(shader: &Shader) -> DeclaredDistances {
        let info = &shader.info;
        DeclaredDistances {
            stage: info.stage,
            clip: info.clip_distance_array_size,
            cull: info.cull_distance_array_size,
        }
    }

    /// The number of elements that the array at slot `array` has for an access whose last element may be the one before `end`.
    pub fn length(&self, array: u32, is_output: bool, end: u32) -> u32 {
        let declared = if array == varying::CLIP_DIST0 { self.clip } else { self.cull };
        let is_own = is_output || self.stage == Stage::Fragment;
        end.max(if is_own { declared } else { 0 }).min(MOST)
    }
}

/// The number of elements of the arrays of clip and of cull distances, of inputs or of outputs.
pub fn lengths(shader: &Shader, is_output: bool) -> [u32; 2] {
    let kind = shader.stage().slot_kind(is_output);
    let mut lengths = [0; 2];
    let mut add = |array: u32, length: u32| {
        let at = usize::from(array == varying::CULL_DIST0);
        lengths[at] = length.max(lengths[at]);
    };
    let mode = if is_output { Modes::SHADER_OUT } else { Modes::SHADER_IN };
    for variable in shader.vars.values().filter(|variable| variable.mode == mode) {
        if let Some(array) = variable.location.and_then(|slot| array_of(kind, slot)) {
            add(array, variable_length(shader, variable));
        }
    }
    let declared = DeclaredDistances::of(shader);
    for inst in &shader.order {
        let Some((op, srcs)) = shader.as_intrinsic(*inst) else { continue };
        let Some(io) = op.meaning().io.filter(|io| io.is_output == is_output) else { continue };
        let semantics = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
        let Some(array) = array_of(kind, semantics.location) else { continue };
        let sized = if shader.insts[*inst].has_def() { inst.def() } else { srcs[0] };
        let first = (4 * (semantics.location - array)).saturating_add(shader.index(*inst, Index::component));
        let offset = shader.as_const_scalar(srcs[usize::from(io.offset)]);
        let most = offset.map_or(semantics.num_slots.max(1) - 1, |offset| offset as u32);
        let last = first.saturating_add(most.saturating_mul(slots::step(kind, semantics, offset)));
        add(array, declared.length(array, is_output, last.saturating_add(shader.num_components(sized).into())));
    }
    lengths
}

/// The number of elements of a variable of distances, without its array over vertices.
pub fn variable_length(shader: &Shader, variable: &Variable) -> u32 {
    let is_per_vertex =
        shader.stage().is_per_vertex(variable.mode == Modes::SHADER_OUT, variable.location.unwrap_or(0));
    let types = &shader.types;
    let ty = match types.as_array(variable.ty) {
        Some((vertex, _)) if is_per_vertex => vertex,
        _ => variable.ty,
    };
    types.as_array(ty).and_then(|(_, length)| length).unwrap_or(1)
}
