//! What is special about slots of the stage interface: built-ins, patches.

use super::names::{frag_result, varying, SlotKind};
use spirv::BuiltIn;

/// Slots between stages that are built-ins: slot, what it is as an input of fragment shaders, what it is elsewhere.
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

/// The same by slot.
const VARYINGS: [[Option<BuiltIn>; 2]; varying::VAR0 as usize] = {
    let mut by_slot = [[None; 2]; varying::VAR0 as usize];
    let mut at = 0;
    while at < BUILT_INS.len() {
        let (slot, fragment_input, other) = BUILT_INS[at];
        by_slot[slot as usize] = [fragment_input, other];
        at += 1;
    }
    by_slot
};

/// The built-in that `slot` is. `fragment_input` is true for inputs of fragment shaders, which see some slots differently.
pub fn builtin(kind: SlotKind, slot: u32, fragment_input: bool) -> Option<BuiltIn> {
    match kind {
        SlotKind::VertAttrib => None,
        SlotKind::FragResult => match slot {
            frag_result::DEPTH => Some(BuiltIn::FragDepth),
            frag_result::STENCIL => Some(BuiltIn::FragStencilRefEXT),
            frag_result::SAMPLE_MASK => Some(BuiltIn::SampleMask),
            _ => None,
        },
        SlotKind::Varying => VARYINGS.get(slot as usize)?[usize::from(!fragment_input)],
    }
}

/// Whether a slot between tessellation shaders has one value for the whole patch.
pub fn is_patch(slot: u32) -> bool {
    slot >= varying::PATCH0 || (varying::TESS_LEVEL_OUTER..varying::VIEW_INDEX).contains(&slot)
}
