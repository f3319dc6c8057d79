// SPDX-License-Identifier: MIT

//! The lengths of the arrays of clip and cull distances.
//!
//! GL ignores the elements that the application has not enabled; Vulkan uses all elements of the arrays. So an array has the length
//! that the shader declares, not that of the slots which an access may reach.

use crate::ir::{Shader, Stage, Variable};
use crate::op::names::{varying, IoSemantics, SlotKind};
use crate::op::{Index, Modes};

/// The most elements of an array.
const MOST: u32 = 8;

/// The lengths in the header of a shader: those of the outputs, or of the inputs of a fragment shader.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclaredDistances {
    stage: Stage,
    clip: u32,
    cull: u32,
}

/// An access by slot to an array of distances.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The first slot.
    pub slot: u32,
    /// One past the last component that it accesses in the first slot.
    pub end: u32,
    /// The number of slots, if the offset is dynamic.
    pub slots: Option<u32>,
}

/// The first slot of the array of distances that has `slot`.
pub fn array_of(kind: SlotKind, slot: u32) -> Option<u32> {
    match slot {
        varying::CLIP_DIST0 | varying::CLIP_DIST1 if kind.is_varying() => Some(varying::CLIP_DIST0),
        varying::CULL_DIST0 | varying::CULL_DIST1 if kind.is_varying() => Some(varying::CULL_DIST0),
        _ => None,
    }
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

    /// The number of elements that the array at slot `array` has for an access.
    pub fn length(&self, array: u32, is_output: bool, reach: Reach) -> u32 {
        let declared = if array == varying::CLIP_DIST0 { self.clip } else { self.cull };
        let is_own = is_output || self.stage == Stage::Fragment;
        let first = 4 * (reach.slot - array);
        let least = first + reach.end;
        let length = match reach.slots.map(|slots| first + 4 * slots) {
            // The stage before most likely has the same length if it takes as many slots.
            Some(most) if declared == 0 || !is_own && declared.div_ceil(4) != most / 4 => most,
            None if !is_own => least,
            _ => least.max(declared),
        };
        length.min(MOST)
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
        let offset = shader.as_const_scalar(srcs[usize::from(io.offset)]).map(|offset| offset as u32);
        let slot = semantics.location.saturating_add(offset.unwrap_or(0));
        let Some(array) = array_of(kind, slot) else { continue };
        let sized = if shader.insts[*inst].has_def() { inst.def() } else { srcs[0] };
        let end = shader.index(*inst, Index::component).saturating_add(shader.num_components(sized).into());
        let slots = offset.is_none().then_some(semantics.num_slots.clamp(1, 2));
        add(array, declared.length(array, is_output, Reach { slot, end, slots }));
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
