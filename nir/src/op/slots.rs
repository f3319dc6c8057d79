// SPDX-License-Identifier: MIT

//! The slots of the stage interface that are built-ins, share an array or belong to patches.

use super::names::{frag_result, varying, IoSemantics, SlotKind};
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

/// Slots that are other built-ins among the outputs of mesh shaders. Mesa 26.2 gives gl_ViewportIndex the slot of the view, which no
/// shader can write. The vertices of primitives have a built-in for each primitive type: see [`primitive_indices`].
const MESH_OUTPUTS: &[(u32, Option<BuiltIn>)] = &[
    (varying::TESS_LEVEL_OUTER, None),
    (varying::PRIMITIVE_INDICES, Some(BuiltIn::PrimitiveTriangleIndicesEXT)),
    (varying::CULL_PRIMITIVE, Some(BuiltIn::CullPrimitiveEXT)),
    (varying::VIEW_INDEX, Some(BuiltIn::ViewportIndex)),
];

/// The primitives of mesh shaders by Mesa's names, with the number of their vertices and the built-in for these.
const MESH_PRIMITIVES: [(&str, u8, BuiltIn); 3] = [
    ("POINTS", 1, BuiltIn::PrimitivePointIndicesEXT),
    ("LINES", 2, BuiltIn::PrimitiveLineIndicesEXT),
    ("TRIANGLES", 3, BuiltIn::PrimitiveTriangleIndicesEXT),
];

/// The number of vertices of a primitive of a mesh shader, by Mesa's name of the type, and the built-in for them.
pub fn primitive_indices(primitive_type: &str) -> Option<(u8, BuiltIn)> {
    let name = primitive_type.strip_prefix("MESA_PRIM_").unwrap_or(primitive_type);
    MESH_PRIMITIVES.iter().find(|row| row.0 == name).map(|(_, vertices, builtin)| (*vertices, *builtin))
}

/// Outputs of fragment shaders that are built-ins.
const RESULTS: &[(u32, BuiltIn)] = &[
    (frag_result::DEPTH, BuiltIn::FragDepth),
    (frag_result::STENCIL, BuiltIn::FragStencilRefEXT),
    (frag_result::SAMPLE_MASK, BuiltIn::SampleMask),
];

/// Built-ins by slot.
type Slots<const N: usize> = [Option<BuiltIn>; N];

/// The built-ins of inputs of fragment shaders, those elsewhere, and those of outputs of mesh shaders.
static VARYINGS: [Slots<{ varying::VAR0 as usize }>; 3] = {
    let mut by_slot = [[None; varying::VAR0 as usize]; 3];
    let mut at = 0;
    while at < BUILT_INS.len() {
        let (slot, fragment_input, other) = BUILT_INS[at];
        by_slot[0][slot as usize] = fragment_input;
        by_slot[1][slot as usize] = other;
        by_slot[2][slot as usize] = other;
        at += 1;
    }
    at = 0;
    while at < MESH_OUTPUTS.len() {
        by_slot[2][MESH_OUTPUTS[at].0 as usize] = MESH_OUTPUTS[at].1;
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
        SlotKind::MeshOutput => &VARYINGS[2],
    }
}

/// The built-in at `slot`, if it is one.
pub fn builtin(kind: SlotKind, slot: u32, fragment_input: bool) -> Option<BuiltIn> {
    *builtins(kind, fragment_input).get(slot as usize)?
}

/// A built-in that is an array of floats over one or two slots, which NIR calls compact.
#[derive(Clone, Copy, Debug)]
pub struct Compact {
    /// The first slot.
    pub first: u32,
    slots: u32,
    /// The maximum length of the array.
    pub most: u32,
    /// The minimum length of the array.
    pub least: u32,
}

/// Tessellation levels have the size that SPIR-V requires (VUID-TessLevelOuter-TessLevelOuter-04393), distances that of the
/// declared or accessed elements.
const COMPACT: &[Compact] = &[
    Compact { first: varying::CLIP_DIST0, slots: 2, most: 8, least: 1 },
    Compact { first: varying::CULL_DIST0, slots: 2, most: 8, least: 1 },
    Compact { first: varying::TESS_LEVEL_OUTER, slots: 1, most: 4, least: 4 },
    Compact { first: varying::TESS_LEVEL_INNER, slots: 1, most: 2, least: 2 },
];

/// The compact array that has `slot`.
#[inline]
pub fn compact(kind: SlotKind, slot: u32) -> Option<&'static Compact> {
    let row = COMPACT.iter().find(|row| (row.first..row.first + row.slots).contains(&slot))?;
    (kind == SlotKind::Varying || kind == SlotKind::MeshOutput && !is_patch(slot)).then_some(row)
}

/// The words of 32 bits by which the offset source of an access by slot counts: 4, a slot, or 1, an element of a compact array.
/// `constant` is the offset, if it is a `load_const`.
///
/// Mesa's `get_io_offset` (nir_lower_io.c) turns a constant index of a compact array into slots and a component. Any other index
/// is the offset as it is: it counts elements from the component on, and `num_slots` is the number of elements. A constant that
/// leaves the slots of the array is such an index, which was not constant at first.
///
/// ```text
/// @load_input (%0 (0x1)) (component=1, io location=VARYING_SLOT_CLIP_DIST0 slots=6)    gl_ClipDistance[5]
/// @load_input (%1) (component=0, io location=VARYING_SLOT_CLIP_DIST0 slots=6)          gl_ClipDistance[%1]
/// ```
#[inline]
pub fn step(kind: SlotKind, io: IoSemantics, constant: Option<u64>) -> u32 {
    let end = |row: &Compact| u64::from(row.first + row.slots - io.location);
    match compact(kind, io.location) {
        Some(row) if !constant.is_some_and(|offset| offset < end(row)) => 1,
        _ => 4,
    }
}

/// Whether a slot between tessellation shaders has one value for the whole patch.
#[inline]
pub fn is_patch(slot: u32) -> bool {
    slot >= varying::PATCH0 || (varying::TESS_LEVEL_OUTER..varying::VIEW_INDEX).contains(&slot)
}

/// Whether `slot`, of the outputs of a mesh shader, is a built-in that each primitive has. Mesa 26.2 stores some of them as if each
/// vertex had one, with the number of the primitive as that of the vertex.
pub fn is_of_primitive(slot: u32) -> bool {
    use varying::{CULL_PRIMITIVE, LAYER, PRIMITIVE_ID, PRIMITIVE_INDICES, VIEWPORT, VIEW_INDEX};
    matches!(slot, PRIMITIVE_ID | LAYER | VIEWPORT | PRIMITIVE_INDICES | CULL_PRIMITIVE | VIEW_INDEX)
}

/// The Location of a slot that is not a built-in: in the order of the slots, generic varyings first, patches after the
/// fixed-function slots, slots that are not passed between stages last.
#[inline]
pub fn location(kind: SlotKind, slot: u32, base: u32) -> u32 {
    use varying::{CLIP_VERTEX, COL0, EDGE, END, PATCH0, PSIZ, TEX0, VAR0};
    const FIXED: &[(u32, u32)] = &[(COL0, 3), (TEX0, 8), (PSIZ + 1, 2), (EDGE, 1), (CLIP_VERTEX, 1)];
    const GENERIC: u32 = PATCH0 - VAR0;
    const PATCHES: u32 = GENERIC + 3 + 8 + 2 + 1 + 1;
    const OTHERS: u32 = PATCHES + END - PATCH0;
    match kind {
        SlotKind::VertAttrib => base,
        SlotKind::FragResult => slot.saturating_sub(frag_result::DATA0),
        _ if slot >= PATCH0 => PATCHES + slot - PATCH0,
        _ if slot >= VAR0 => slot - VAR0,
        SlotKind::Varying | SlotKind::MeshOutput => {
            let mut next = GENERIC;
            for (first, count) in FIXED {
                if (*first..first + count).contains(&slot) {
                    return next + slot - first;
                }
                next += count;
            }
            OTHERS + slot
        }
    }
}
