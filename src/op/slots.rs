//! What is special about slots of the stage interface: built-ins, patches.

use super::names::{frag_result, varying, SlotKind};
use spirv::BuiltIn;

/// Slots between stages: slot, what it is as an input of fragment shaders, what it is elsewhere.
const VARYINGS: &[(u32, Option<BuiltIn>, Option<BuiltIn>)] = &[
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
        SlotKind::Varying if slot >= varying::VAR0 => None,
        SlotKind::Varying => {
            let row = VARYINGS.iter().find(|row| row.0 == slot)?;
            if fragment_input {
                row.1
            } else {
                row.2
            }
        }
    }
}

/// Whether a slot between tessellation shaders has one value for the whole patch.
pub fn is_patch(slot: u32) -> bool {
    slot >= varying::PATCH0 || (varying::TESS_LEVEL_OUTER..varying::VIEW_INDEX).contains(&slot)
}
