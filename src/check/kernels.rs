// SPDX-License-Identifier: MIT

//! Modes of floats that a kernel cannot do without: OpenCL's results are rounded, where Vulkan leaves the mode to the driver.
//!
//! A mode that the header asks for and the target lacks is dropped for other shaders, which GL allows. OpenCL requires one rounding
//! mode for each width, and denormals of doubles (OpenCL API, `CL_DEVICE_SINGLE_FP_CONFIG` and its likes); whether others are kept
//! or flushed is open.

use super::feature_check::Features;
use crate::ir::{Inst, InstKind, Shader, Stage};
use crate::op::Base;
use crate::target::{Feature, Target};

/// Bits of `float_controls_execution_mode`, the width of the floats, and the property of the target.
const MODES: [(u32, u8, Feature); 7] = {
    use Feature::*;
    [
        (1 << 11, 64, shaderDenormPreserveFloat64),
        (1 << 15, 16, shaderRoundingModeRTEFloat16),
        (1 << 16, 32, shaderRoundingModeRTEFloat32),
        (1 << 17, 64, shaderRoundingModeRTEFloat64),
        (1 << 18, 16, shaderRoundingModeRTZFloat16),
        (1 << 19, 32, shaderRoundingModeRTZFloat32),
        (1 << 20, 64, shaderRoundingModeRTZFloat64),
    ]
};

/// The features that a kernel may need for the modes in its header.
pub(super) fn may_need(shader: &Shader) -> Features {
    asked_for(shader).fold(0, |needs, (_, feature)| needs | 1 << feature as u8)
}

/// The features that a kernel needs for the modes in its header: those of the widths that it computes with.
pub(super) fn needed<'a>(shader: &'a Shader, target: &'a Target) -> impl Iterator<Item = Feature> + 'a {
    let has_operations = |width| match width {
        // Passes compute with other numbers where the target has no such floats.
        16 => target.has(Feature::shaderFloat16),
        64 => target.has(Feature::shaderFloat64),
        _ => true,
    };
    let computes =
        move |width| has_operations(width) && shader.order.iter().any(|inst| gives_float(shader, *inst, width));
    asked_for(shader)
        .filter(move |(width, feature)| !target.has(*feature) && computes(*width))
        .map(|(_, feature)| feature)
}

fn asked_for(shader: &Shader) -> impl Iterator<Item = (u8, Feature)> {
    let controls = match shader.stage() {
        Stage::Kernel => shader.info.float_controls_execution_mode,
        _ => 0,
    };
    MODES.into_iter().filter(move |(bit, ..)| controls & bit != 0).map(|(_, width, feature)| (width, feature))
}

/// Whether `inst` computes floats of this width.
fn gives_float(shader: &Shader, inst: Inst, width: u8) -> bool {
    let data = &shader.insts[inst];
    matches!(data.kind, InstKind::Alu { op, .. } if op.info().dest.ty.base == Base::Float) && data.bit_size == width
}
