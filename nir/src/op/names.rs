// SPDX-License-Identifier: MIT

//! Enumerated values by the names that a dump prints: access flags, variable modes, atomic operations, scopes, I/O slots.
//!
//! Numbers are this crate's own. NIR's numbers change between releases and are valid only in the process that made them.

use super::tex::named;
use super::{AluType, Base};
use bitflags::bitflags;

bitflags! {
    /// Qualifiers of a variable or a memory access: NIR's `gl_access_qualifier`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Access: u32 {
        /// Visible to other invocations without a barrier.
        const COHERENT = 1 << 0;
        /// No other variable names this memory.
        const RESTRICT = 1 << 1;
        /// May change at any time.
        const VOLATILE = 1 << 2;
        /// Never read.
        const WRITEONLY = 1 << 3;
        /// Never written.
        const READONLY = 1 << 4;
        /// The index of the buffer or image may differ between invocations.
        const NON_UNIFORM = 1 << 5;
        /// Reads may be moved across writes.
        const REORDERABLE = 1 << 6;
        /// Will not be used again soon.
        const NON_TEMPORAL = 1 << 7;
        /// Helper invocations must load too.
        const INCLUDE_HELPERS = 1 << 8;
        /// AMD buffer swizzle.
        const IS_SWIZZLED_AMD = 1 << 9;
        /// AMD typed access.
        const USES_FORMAT_AMD = 1 << 10;
        /// AMD FMASK was applied.
        const FMASK_LOWERED_AMD = 1 << 11;
        /// May be executed where control flow would not execute it.
        const SPECULATABLE = 1 << 12;
        /// AMD coherence between command processor and geometry engine.
        const CP_GE_COHERENT_AMD = 1 << 13;
        /// AGX: known to be in bounds.
        const IN_BOUNDS_AGX = 1 << 14;
        /// Not to be vectorised.
        const KEEP_SCALAR = 1 << 15;
        /// AMD scalar memory.
        const SMEM_AMD = 1 << 16;
        /// An atomic load, as in later versions of NIR: compare-exchange loops start with one.
        const ATOMIC = 1 << 17;
    }
}

impl Access {
    /// Each flag with its name in a dump, in printed order.
    pub const NAMES: &'static [(Access, &'static str)] = &[
        (Access::COHERENT, "coherent"),
        (Access::RESTRICT, "restrict"),
        (Access::VOLATILE, "volatile"),
        (Access::READONLY, "readonly"),
        (Access::WRITEONLY, "writeonly"),
        (Access::NON_UNIFORM, "non-uniform"),
        (Access::REORDERABLE, "reorderable"),
        (Access::NON_TEMPORAL, "non-temporal"),
        (Access::INCLUDE_HELPERS, "include-helpers"),
        (Access::IS_SWIZZLED_AMD, "is-swizzled-amd"),
        (Access::USES_FORMAT_AMD, "uses-format-amd"),
        (Access::FMASK_LOWERED_AMD, "fmask-lowered-amd"),
        (Access::SPECULATABLE, "speculatable"),
        (Access::CP_GE_COHERENT_AMD, "cp-ge-coherent-amd"),
        (Access::IN_BOUNDS_AGX, "in-bounds-agx"),
        (Access::KEEP_SCALAR, "keep-scalar"),
        (Access::SMEM_AMD, "smem-amd"),
        (Access::ATOMIC, "atomic"),
    ];
}

bitflags! {
    /// The memory of a variable: NIR's `nir_variable_mode`, a set because barriers and generic derefs have several.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Modes: u32 {
        /// A value the system provides.
        const SYSTEM = 1 << 0;
        /// GL's loose uniforms, samplers and textures.
        const UNIFORM = 1 << 1;
        /// Input of the stage.
        const SHADER_IN = 1 << 2;
        /// Output of the stage.
        const SHADER_OUT = 1 << 3;
        /// Storage image.
        const IMAGE = 1 << 4;
        /// Uniform block.
        const UBO = 1 << 5;
        /// Push constants.
        const PUSH_CONST = 1 << 6;
        /// Storage block.
        const SSBO = 1 << 7;
        /// OpenCL constant memory.
        const CONSTANT = 1 << 8;
        /// Task shader payload.
        const TASK_PAYLOAD = 1 << 9;
        /// Global to the invocation.
        const SHADER_TEMP = 1 << 10;
        /// Local to a function.
        const FUNCTION_TEMP = 1 << 11;
        /// Shared by a workgroup.
        const SHARED = 1 << 12;
        /// Device memory through an address.
        const GLOBAL = 1 << 13;
    }
}

impl Modes {
    /// Each mode with its name in a dump, in printed order.
    pub const NAMES: &'static [(Modes, &'static str)] = &[
        (Modes::SYSTEM, "system"),
        (Modes::UNIFORM, "uniform"),
        (Modes::SHADER_IN, "shader_in"),
        (Modes::SHADER_OUT, "shader_out"),
        (Modes::IMAGE, "image"),
        (Modes::UBO, "ubo"),
        (Modes::PUSH_CONST, "push_const"),
        (Modes::SSBO, "ssbo"),
        (Modes::CONSTANT, "constant"),
        (Modes::TASK_PAYLOAD, "task_payload"),
        (Modes::SHADER_TEMP, "shader_temp"),
        (Modes::FUNCTION_TEMP, "function_temp"),
        (Modes::SHARED, "shared"),
        (Modes::GLOBAL, "global"),
    ];
}

named! {
    /// The operation of an atomic: NIR's `nir_atomic_op`.
    AtomicOp {
        iadd "iadd",
        imin "imin",
        umin "umin",
        imax "imax",
        umax "umax",
        iand "iand",
        ior "ior",
        ixor "ixor",
        xchg "xchg",
        fadd "fadd",
        fmin "fmin",
        fmax "fmax",
        cmpxchg "cmpxchg",
        fcmpxchg "fcmpxchg",
        inc_wrap "inc_wrap",
        dec_wrap "dec_wrap",
    }
}

impl AtomicOp {
    /// Whether it adds or compares floats. SPIR-V has these with an extension only.
    pub fn is_float(self) -> bool {
        matches!(self, AtomicOp::fadd | AtomicOp::fmin | AtomicOp::fmax)
    }

    /// Whether SPIR-V does not have it.
    pub fn is_lowered(self) -> bool {
        matches!(self, AtomicOp::fcmpxchg | AtomicOp::inc_wrap | AtomicOp::dec_wrap)
    }
}

named! {
    /// A scope of execution or memory: NIR's `mesa_scope`.
    Scope {
        none "NONE",
        invocation "INVOCATION",
        subgroup "SUBGROUP",
        shader_call "SHADER_CALL",
        workgroup "WORKGROUP",
        queue_family "QUEUE_FAMILY",
        device "DEVICE",
    }
}

named! {
    /// The interpolation of an input over a primitive: NIR's `glsl_interp_mode`.
    InterpMode {
        /// The default of the type: smooth for floats, flat for integers.
        none "INTERP_MODE_NONE",
        smooth "INTERP_MODE_SMOOTH",
        flat "INTERP_MODE_FLAT",
        noperspective "INTERP_MODE_NOPERSPECTIVE",
        explicit "INTERP_MODE_EXPLICIT",
    }
}

named! {
    /// Dimensionality of a sampler or image: NIR's `glsl_sampler_dim`, with the names of intrinsic indices.
    ImageDim {
        dim_1d "1D",
        dim_2d "2D",
        dim_3d "3D",
        cube "Cube",
        rect "Rect",
        buf "Buf",
        external "External",
        ms "2D-MSAA",
        subpass "Subpass",
        subpass_ms "Subpass-MSAA",
    }
}

named! {
    /// The kind of a descriptor: Vulkan's `VkDescriptorType`, with the names of intrinsic indices.
    DescriptorType {
        sampler "sampler",
        combined_image_sampler "texture+sampler",
        sampled_image "texture",
        storage_image "image",
        uniform_texel_buffer "texture-buffer",
        storage_texel_buffer "image-buffer",
        uniform_buffer "UBO",
        storage_buffer "SSBO",
        input_attachment "input-att",
        inline_uniform_block "inline-UBO",
        acceleration_structure "accel-struct",
    }
}

bitflags! {
    /// Ordering of a barrier: NIR's `nir_memory_semantics`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Semantics: u32 {
        /// Later accesses stay later.
        const ACQUIRE = 1 << 0;
        /// Earlier accesses stay earlier.
        const RELEASE = 1 << 1;
        /// Earlier writes become available.
        const MAKE_AVAILABLE = 1 << 2;
        /// Available writes become visible.
        const MAKE_VISIBLE = 1 << 3;
    }
}

impl Semantics {
    /// Each flag with its name in a dump, in printed order.
    pub const NAMES: &'static [(Semantics, &'static str)] = &[
        (Semantics::ACQUIRE, "ACQ"),
        (Semantics::RELEASE, "REL"),
        (Semantics::MAKE_AVAILABLE, "AVAILABLE"),
        (Semantics::MAKE_VISIBLE, "VISIBLE"),
    ];
}

/// Image formats by short name, the first being "no format": those of SPIR-V's `Image Format` operand that GL has.
pub const FORMATS: &[(&str, spirv::ImageFormat)] = {
    use spirv::ImageFormat as Format;
    &[
        ("none", Format::Unknown),
        ("r32g32b32a32_float", Format::Rgba32f),
        ("r16g16b16a16_float", Format::Rgba16f),
        ("r32_float", Format::R32f),
        ("r8g8b8a8_unorm", Format::Rgba8),
        ("r8g8b8a8_snorm", Format::Rgba8Snorm),
        ("r32g32b32a32_sint", Format::Rgba32i),
        ("r16g16b16a16_sint", Format::Rgba16i),
        ("r8g8b8a8_sint", Format::Rgba8i),
        ("r32_sint", Format::R32i),
        ("r32g32b32a32_uint", Format::Rgba32ui),
        ("r16g16b16a16_uint", Format::Rgba16ui),
        ("r8g8b8a8_uint", Format::Rgba8ui),
        ("r32_uint", Format::R32ui),
        ("r32g32_float", Format::Rg32f),
        ("r16g16_float", Format::Rg16f),
        ("r11g11b10_float", Format::R11fG11fB10f),
        ("r16_float", Format::R16f),
        ("r16g16b16a16_unorm", Format::Rgba16),
        ("r10g10b10a2_unorm", Format::Rgb10A2),
        ("r16g16_unorm", Format::Rg16),
        ("r8g8_unorm", Format::Rg8),
        ("r16_unorm", Format::R16),
        ("r8_unorm", Format::R8),
        ("r16g16b16a16_snorm", Format::Rgba16Snorm),
        ("r16g16_snorm", Format::Rg16Snorm),
        ("r8g8_snorm", Format::Rg8Snorm),
        ("r16_snorm", Format::R16Snorm),
        ("r8_snorm", Format::R8Snorm),
        ("r32g32_sint", Format::Rg32i),
        ("r16g16_sint", Format::Rg16i),
        ("r8g8_sint", Format::Rg8i),
        ("r16_sint", Format::R16i),
        ("r8_sint", Format::R8i),
        ("r10g10b10a2_uint", Format::Rgb10a2ui),
        ("r32g32_uint", Format::Rg32ui),
        ("r16g16_uint", Format::Rg16ui),
        ("r8g8_uint", Format::Rg8ui),
        ("r16_uint", Format::R16ui),
        ("r8_uint", Format::R8ui),
        ("r64_sint", Format::R64i),
        ("r64_uint", Format::R64ui),
    ]
};

/// The base of the numbers of a format, which is an index into [`FORMATS`]; `None` for no format.
pub fn format_base(format: u32) -> Option<Base> {
    let (name, _) = FORMATS.get(format as usize).filter(|_| format != 0)?;
    Some(match name.rsplit('_').next() {
        Some("sint") => Base::Int,
        Some("uint") => Base::Uint,
        _ => Base::Float,
    })
}

/// The format of texels that are one number, which atomics require: an index into [`FORMATS`], 0 if there is none.
pub fn scalar_format(texel: AluType) -> u32 {
    use spirv::ImageFormat as Format;
    let format = match (texel.base, texel.bits) {
        (Base::Float, 32) => Format::R32f,
        (Base::Int, 32) => Format::R32i,
        (Base::Uint, 32) => Format::R32ui,
        (Base::Int, 64) => Format::R64i,
        (Base::Uint, 64) => Format::R64ui,
        _ => Format::Unknown,
    };
    FORMATS.iter().position(|row| row.1 == format).map_or(0, |index| index as u32)
}

/// Vertex attributes: NIR's `gl_vert_attrib`.
pub mod vert_attrib {
    /// Position of fixed-function GL.
    pub const POS: u32 = 0;
    /// First generic attribute.
    pub const GENERIC0: u32 = 15;

    /// Names without a number, by slot.
    pub(super) const NAMES: &[(u32, u32, &str)] = &[
        (0, 1, "POS"),
        (1, 1, "NORMAL"),
        (2, 2, "COLOR"),
        (4, 1, "FOG"),
        (5, 1, "COLOR_INDEX"),
        (6, 8, "TEX"),
        (14, 1, "POINT_SIZE"),
        (15, 16, "GENERIC"),
        (31, 1, "EDGEFLAG"),
    ];
}

/// Values between stages: NIR's `gl_varying_slot`.
#[allow(missing_docs)]
pub mod varying {
    pub const POS: u32 = 0;
    pub const COL0: u32 = 1;
    pub const COL1: u32 = 2;
    pub const FOGC: u32 = 3;
    pub const TEX0: u32 = 4;
    pub const PSIZ: u32 = 12;
    pub const BFC0: u32 = 13;
    pub const BFC1: u32 = 14;
    pub const EDGE: u32 = 15;
    pub const CLIP_VERTEX: u32 = 16;
    pub const CLIP_DIST0: u32 = 17;
    pub const CLIP_DIST1: u32 = 18;
    pub const CULL_DIST0: u32 = 19;
    pub const CULL_DIST1: u32 = 20;
    pub const PRIMITIVE_ID: u32 = 21;
    pub const LAYER: u32 = 22;
    pub const VIEWPORT: u32 = 23;
    pub const FACE: u32 = 24;
    pub const PNTC: u32 = 25;
    pub const TESS_LEVEL_OUTER: u32 = 26;
    pub const TESS_LEVEL_INNER: u32 = 27;
    pub const VIEW_INDEX: u32 = 30;
    /// Outputs of mesh shaders only: the vertices of each primitive. It has the number of [`TESS_LEVEL_INNER`].
    pub const PRIMITIVE_INDICES: u32 = TESS_LEVEL_INNER;
    /// Outputs of mesh shaders only. It has the number of the first bounding box.
    pub const CULL_PRIMITIVE: u32 = 28;
    pub const VAR0: u32 = 32;
    pub const PATCH0: u32 = 64;
    /// One past the last patch slot.
    pub const END: u32 = 96;

    pub(super) const NAMES: &[(u32, u32, &str)] = &[
        (0, 1, "POS"),
        (1, 2, "COL"),
        (3, 1, "FOGC"),
        (4, 8, "TEX"),
        (12, 1, "PSIZ"),
        (13, 2, "BFC"),
        (15, 1, "EDGE"),
        (16, 1, "CLIP_VERTEX"),
        (17, 2, "CLIP_DIST"),
        (19, 2, "CULL_DIST"),
        (21, 1, "PRIMITIVE_ID"),
        (22, 1, "LAYER"),
        (23, 1, "VIEWPORT"),
        (24, 1, "FACE"),
        (25, 1, "PNTC"),
        (26, 1, "TESS_LEVEL_OUTER"),
        (27, 1, "TESS_LEVEL_INNER"),
        (28, 2, "BOUNDING_BOX"),
        (30, 1, "VIEW_INDEX"),
        (31, 1, "VIEWPORT_MASK"),
        (32, 32, "VAR"),
        (64, 32, "PATCH"),
    ];

    /// The slots with another name among the outputs of a mesh shader.
    pub(super) const MESH_NAMES: &[(u32, u32, &str)] =
        &[(PRIMITIVE_INDICES, 1, "PRIMITIVE_INDICES"), (CULL_PRIMITIVE, 1, "CULL_PRIMITIVE")];
}

/// Outputs of a fragment shader: NIR's `gl_frag_result`.
#[allow(missing_docs)]
pub mod frag_result {
    pub const DEPTH: u32 = 0;
    pub const STENCIL: u32 = 1;
    /// Broadcast to all colour attachments.
    pub const COLOR: u32 = 2;
    pub const SAMPLE_MASK: u32 = 3;
    /// First colour attachment.
    pub const DATA0: u32 = 4;

    pub(super) const NAMES: &[(u32, u32, &str)] =
        &[(0, 1, "DEPTH"), (1, 1, "STENCIL"), (2, 1, "COLOR"), (3, 1, "SAMPLE_MASK"), (4, 8, "DATA")];
}

/// Values that the system provides: NIR's `gl_system_value`, with the numbers of Mesa 25.0, which are also the bits of
/// `system_values_read` in a header.
pub mod system_value {
    const PREFIX: &str = "SYSTEM_VALUE_";

    /// The name of `value` in a dump.
    pub fn name(value: u32) -> Option<String> {
        NAMES.get(value as usize).map(|name| format!("{PREFIX}{name}"))
    }

    /// The value that has `name` in a dump.
    pub fn from_name(name: &str) -> Option<u32> {
        let name = name.strip_prefix(PREFIX)?;
        NAMES.iter().position(|n| *n == name).map(|value| value as u32)
    }

    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "SUBGROUP_SIZE", "SUBGROUP_INVOCATION", "SUBGROUP_EQ_MASK", "SUBGROUP_GE_MASK", "SUBGROUP_GT_MASK",
        "SUBGROUP_LE_MASK", "SUBGROUP_LT_MASK", "NUM_SUBGROUPS", "SUBGROUP_ID", "VERTEX_ID", "INSTANCE_ID",
        "INSTANCE_INDEX", "VERTEX_ID_ZERO_BASE", "BASE_VERTEX", "FIRST_VERTEX", "IS_INDEXED_DRAW", "BASE_INSTANCE",
        "DRAW_ID", "INVOCATION_ID", "FRAG_COORD", "PIXEL_COORD", "POINT_COORD", "LINE_COORD", "FRONT_FACE",
        "FRONT_FACE_FSIGN", "SAMPLE_ID", "SAMPLE_POS", "SAMPLE_POS_OR_CENTER", "SAMPLE_MASK_IN", "LAYER_ID",
        "HELPER_INVOCATION", "COLOR0", "COLOR1", "TESS_COORD", "VERTICES_IN", "PRIMITIVE_ID", "TESS_LEVEL_OUTER",
        "TESS_LEVEL_INNER", "TESS_LEVEL_OUTER_DEFAULT", "TESS_LEVEL_INNER_DEFAULT", "LOCAL_INVOCATION_ID",
        "LOCAL_INVOCATION_INDEX", "GLOBAL_INVOCATION_ID", "BASE_GLOBAL_INVOCATION_ID", "GLOBAL_INVOCATION_INDEX",
        "WORKGROUP_ID", "BASE_WORKGROUP_ID", "WORKGROUP_INDEX", "NUM_WORKGROUPS", "WORKGROUP_SIZE",
        "GLOBAL_GROUP_SIZE", "WORK_DIM", "USER_DATA_AMD", "DEVICE_INDEX", "VIEW_INDEX", "VERTEX_CNT",
        "BARYCENTRIC_PERSP_PIXEL", "BARYCENTRIC_PERSP_SAMPLE", "BARYCENTRIC_PERSP_CENTROID",
        "BARYCENTRIC_PERSP_CENTER_RHW", "BARYCENTRIC_LINEAR_PIXEL", "BARYCENTRIC_LINEAR_CENTROID",
        "BARYCENTRIC_LINEAR_SAMPLE", "BARYCENTRIC_PULL_MODEL", "BARYCENTRIC_PERSP_COORD", "BARYCENTRIC_LINEAR_COORD",
        "RAY_LAUNCH_ID", "RAY_LAUNCH_SIZE", "RAY_WORLD_ORIGIN", "RAY_WORLD_DIRECTION", "RAY_OBJECT_ORIGIN",
        "RAY_OBJECT_DIRECTION", "RAY_T_MIN", "RAY_T_MAX", "RAY_OBJECT_TO_WORLD", "RAY_WORLD_TO_OBJECT",
        "RAY_HIT_KIND", "RAY_FLAGS", "RAY_GEOMETRY_INDEX", "RAY_INSTANCE_CUSTOM_INDEX", "CULL_MASK",
        "RAY_TRIANGLE_VERTEX_POSITIONS", "MESH_VIEW_COUNT", "MESH_VIEW_INDICES", "GS_HEADER_IR3", "TCS_HEADER_IR3",
        "REL_PATCH_ID_IR3", "FRAG_SHADING_RATE", "FULLY_COVERED", "FRAG_SIZE", "FRAG_INVOCATION_COUNT",
        "SHADER_INDEX", "COALESCED_INPUT_COUNT", "WARPS_PER_SM_NV", "SM_COUNT_NV", "WARP_ID_NV", "SM_ID_NV",
    ];
}

/// The numbering that an I/O slot belongs to; it depends on stage and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Inputs of a vertex shader.
    VertAttrib,
    /// Between stages.
    Varying,
    /// Outputs of a fragment shader.
    FragResult,
    /// Outputs of a mesh shader: slots between stages, some of which have another meaning.
    MeshOutput,
}

/// Appends `number`, for which std's formatting takes several hundred machine instructions.
#[doc(hidden)]
pub fn push_number(text: &mut String, number: u32) {
    if number > 9 {
        push_number(text, number / 10);
    }
    text.push((b'0' + (number % 10) as u8).into());
}

impl SlotKind {
    fn table(self) -> (&'static str, &'static [(u32, u32, &'static str)]) {
        match self {
            SlotKind::VertAttrib => ("VERT_ATTRIB_", vert_attrib::NAMES),
            SlotKind::Varying | SlotKind::MeshOutput => ("VARYING_SLOT_", varying::NAMES),
            SlotKind::FragResult => ("FRAG_RESULT_", frag_result::NAMES),
        }
    }

    /// Whether the slots are those between stages.
    pub fn is_varying(self) -> bool {
        matches!(self, SlotKind::Varying | SlotKind::MeshOutput)
    }

    /// The rows of names, those that only this kind has first.
    fn rows(self) -> impl Iterator<Item = &'static (u32, u32, &'static str)> {
        let own = if self == SlotKind::MeshOutput { varying::MESH_NAMES } else { &[] };
        own.iter().chain(self.table().1)
    }

    /// The full name of `slot`, such as `VARYING_SLOT_VAR0`, or its number if it has none.
    pub fn name(self, slot: u32) -> String {
        let mut name = String::new();
        let (stem, _) = self.stem(slot);
        if !stem.is_empty() {
            name.push_str(self.table().0);
        }
        self.push_short_name(slot, &mut name);
        name
    }

    /// Appends the name of `slot` without the common prefix of its numbering: `VAR0`.
    pub fn push_short_name(self, slot: u32, text: &mut String) {
        let (stem, number) = self.stem(slot);
        text.push_str(stem);
        if let Some(number) = number {
            push_number(text, number);
        }
    }

    /// The parts of a name: the name of the slots that are counted together, if any, and the number.
    fn stem(self, slot: u32) -> (&'static str, Option<u32>) {
        match self.rows().find(|(first, count, _)| (*first..first + count).contains(&slot)) {
            Some((_, 1, name)) => (name, None),
            Some((first, _, name)) => (name, Some(slot - first)),
            None => ("", Some(slot)),
        }
    }

    /// The slot with this full name.
    pub fn from_name(self, name: &str) -> Option<u32> {
        let name = name.strip_prefix(self.table().0)?;
        self.rows().find_map(|(first, count, stem)| match count {
            1 => (name == *stem).then_some(*first),
            _ => {
                let number: u32 = name.strip_prefix(stem)?.parse().ok()?;
                (number < *count).then_some(first + number)
            }
        })
    }
}

/// NIR's `nir_io_semantics`, packed in the `io_semantics` index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoSemantics {
    /// The slot, in the numbering of [`SlotKind`].
    pub location: u32,
    /// Slots that may be accessed.
    pub num_slots: u32,
    /// Geometry stream of each component, two bits each.
    pub gs_streams: u8,
    /// The other members of `nir_io_semantics`.
    pub flags: IoFlags,
}

bitflags! {
    /// Flags of [`IoSemantics`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct IoFlags: u32 {
        /// Vertex order of an explicit interpolation is kept.
        const EXPLICIT_STRICT = 1 << 0;
        /// Second source of dual-source blending.
        const DUALSRC = 1 << 1;
        /// Reads the framebuffer.
        const FBFETCH = 1 << 2;
        /// Coherent framebuffer fetch.
        const COHERENT = 1 << 3;
        /// One value per view.
        const PERVIEW = 1 << 4;
        /// GLSL's mediump.
        const MEDIUMP = 1 << 5;
        /// The high half of a slot of 16-bit components.
        const HIGH_16BITS = 1 << 6;
        /// GLSL's invariant.
        const INVARIANT = 1 << 7;
        /// The second half of a dvec3 or dvec4.
        const HIGH_DVEC2 = 1 << 8;
        /// Not consumed by the next stage.
        const NO_VARYING = 1 << 9;
        /// Has no effect on fixed-function hardware.
        const NO_SYSVAL_OUTPUT = 1 << 10;
    }
}

impl IoFlags {
    /// Each flag with its name in a dump, in printed order.
    pub const NAMES: &'static [(IoFlags, &'static str)] = &[
        (IoFlags::EXPLICIT_STRICT, "explicit_strict"),
        (IoFlags::DUALSRC, "dualsrc"),
        (IoFlags::FBFETCH, "fbfetch"),
        (IoFlags::COHERENT, "coherent"),
        (IoFlags::PERVIEW, "perview"),
        (IoFlags::MEDIUMP, "mediump"),
        (IoFlags::HIGH_16BITS, "high_16bits"),
        (IoFlags::INVARIANT, "invariant"),
        (IoFlags::HIGH_DVEC2, "high_dvec2"),
        (IoFlags::NO_VARYING, "no_varying"),
        (IoFlags::NO_SYSVAL_OUTPUT, "no_sysval_output"),
    ];
}

impl IoSemantics {
    /// Packs the semantics into one index value: location in bits 0..7, slots in 7..13, streams in 13..21, flags above.
    pub fn pack(self) -> u32 {
        (self.location & 0x7f)
            | (self.num_slots & 0x3f) << 7
            | u32::from(self.gs_streams) << 13
            | self.flags.bits() << 21
    }

    /// The inverse of [`pack`](IoSemantics::pack).
    pub fn unpack(value: u32) -> IoSemantics {
        IoSemantics {
            location: value & 0x7f,
            num_slots: value >> 7 & 0x3f,
            gs_streams: (value >> 13) as u8,
            flags: IoFlags::from_bits_truncate(value >> 21),
        }
    }
}

/// Transform feedback of two consecutive components: NIR's `nir_io_xfb`, packed in `io_xfb` and `io_xfb2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoXfb {
    /// For the first and the second component.
    pub out: [IoXfbOutput; 2],
}

/// One captured run of components, starting at the component of this entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoXfbOutput {
    /// Components captured; 0 for none.
    pub num_components: u8,
    /// Transform feedback buffer, 0 to 3.
    pub buffer: u8,
    /// Offset in the buffer, in 4-byte units.
    pub offset: u8,
}

impl IoXfb {
    /// True if some component is captured.
    #[inline]
    pub fn is_capture(self) -> bool {
        self.out.iter().any(|out| out.num_components != 0)
    }

    /// Packs the captures into one index value.
    pub fn pack(self) -> u32 {
        let half = |out: IoXfbOutput| {
            u32::from(out.num_components & 15) | u32::from(out.buffer & 15) << 4 | u32::from(out.offset) << 8
        };
        half(self.out[0]) | half(self.out[1]) << 16
    }

    /// The inverse of [`pack`](IoXfb::pack).
    pub fn unpack(value: u32) -> IoXfb {
        let half = |bits: u32| IoXfbOutput {
            num_components: (bits & 15) as u8,
            buffer: (bits >> 4 & 15) as u8,
            offset: (bits >> 8) as u8,
        };
        IoXfb { out: [half(value), half(value >> 16)] }
    }
}

/// An ALU type as one index value: bits, and the base above them.
pub fn pack_alu_type(ty: AluType) -> u32 {
    u32::from(ty.bits) | (ty.base as u32) << 8
}

/// The inverse of [`pack_alu_type`].
pub fn unpack_alu_type(value: u32) -> AluType {
    let base = match value >> 8 {
        0 => Base::Bool,
        1 => Base::Int,
        2 => Base::Uint,
        _ => Base::Float,
    };
    AluType::new(base, value as u8)
}
