// SPDX-License-Identifier: MIT

//! The slots of the stage interface that are built-ins or belong to patches.

use super::names::{frag_result, varying, SlotKind};
use spirv::BuiltIn;

/// Slots between stages that are built-ins: the slot, its built-in as an input of fragment shaders, its built-in elsewhere.
const BUILT_INS: &[(u32, Option<BuiltIn>, Option<BuiltIn>)] = &[
    (varying::POS, Some(BuiltIn::FragCoord), Some(BuiltIn::Position)),
    (varying::PSIZ, None, Some(BuiltIn::PointSize)),
    (varying::CLIP_DIST0, Some(BuiltIn::ClipDistance), Some(BuiltIn::ClipDistance)),
    (varying::CULL_DIST0, Some(BuiltIn::CullDistance), Some(BuiltIn::CullDistance)),
    (varying::PRIMITIVE_ID, Some(BuiltIn::PrimitiveId), Some(BuiltIn::PrimitiveId)),
    (varying::LAYER, Some(BuiltIn::Layer), Some(BuiltIn::Layer)),
    (varying::VIEWPORT, Some(BuiltIn::ViewportIndex), Some(BuiltIn::ViewportIndex)),
    (varying::FACE, Some(BuiltIn::FrontFacing), None),
    (varying::PNTC, Some(BuiltIn::PointCoord), None),
    (varying::TESS_LEVEL_OUTER, None, Some(BuiltIn::TessLevelOuter)),
    (varying::TESS_LEVEL_INNER, None, Some(BuiltIn::TessLevelInner)),
    (varying::VIEW_INDEX, Some(BuiltIn::ViewIndex), None),
];

/// Outputs of fragment shaders that are built-ins.
const RESULTS: &[(u32, BuiltIn)] = &[
    (frag_result::DEPTH, BuiltIn::FragDepth),
    (frag_result::STENCIL, BuiltIn::FragStencilRefEXT),
    (frag_result::SAMPLE_MASK, BuiltIn::SampleMask),
];

/// Built-ins by slot.
type Slots<const N: usize> = [Option<BuiltIn>; N];

/// The built-ins of inputs of fragment shaders, and those elsewhere.
static VARYINGS: [Slots<{ varying::VAR0 as usize }>; 2] = {
    let mut by_slot = [[None; varying::VAR0 as usize]; 2];
    let mut at = 0;
    while at < BUILT_INS.len() {
        let (slot, fragment_input, other) = BUILT_INS[at];
        by_slot[0][slot as usize] = fragment_input;
        by_slot[1][slot as usize] = other;
        at += 1;
    }
    by_slot
};

static FRAG_RESULTS: Slots<{ frag_result::DATA0 as usize }> = {
    let mut by_slot = [None; frag_result::DATA0 as usize];
    let mut at = 0;
    while at < RESULTS.len() {
        by_slot[RESULTS[at].0 as usize] = Some(RESULTS[at].1);
        at += 1;
    }
    by_slot
};

/// The built-ins by slot; slots after the last are not built-ins. `fragment_input` is true for inputs of fragment shaders, for
/// which some slots are other built-ins.
pub fn builtins(kind: SlotKind, fragment_input: bool) -> &'static [Option<BuiltIn>] {
    match kind {
        SlotKind::VertAttrib => &[],
        SlotKind::FragResult => &FRAG_RESULTS,
        SlotKind::Varying => &VARYINGS[usize::from(!fragment_input)],
    }
}

/// The built-in at `slot`, if it is one.
pub fn builtin(kind: SlotKind, slot: u32, fragment_input: bool) -> Option<BuiltIn> {
    *builtins(kind, fragment_input).get(slot as usize)?
}

/// Whether a slot between tessellation shaders has one value for the whole patch.
pub fn is_patch(slot: u32) -> bool {
    slot >= varying::PATCH0 || (varying::TESS_LEVEL_OUTER..varying::VIEW_INDEX).contains(&slot)
}
