// SPDX-License-Identifier: MIT

//! Information about a shader as a whole: NIR's `shader_info`, as the header of a dump prints it.
//!
//! One table gives each field its name in the dump (the field's own), its printed form and whether it is printed when zero.

use super::inst::AluFlags;
use crate::op::meaning::Stages;
use crate::op::names::{varying, SlotKind};
use crate::op::slots;

/// A stage of the pipeline.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    #[default]
    Vertex,
    TessCtrl,
    TessEval,
    Geometry,
    Fragment,
    Compute,
    Kernel,
    Task,
    Mesh,
}

impl Stage {
    /// Each stage with its name in a dump.
    pub const NAMES: &'static [(Stage, &'static str)] = &[
        (Stage::Vertex, "MESA_SHADER_VERTEX"),
        (Stage::TessCtrl, "MESA_SHADER_TESS_CTRL"),
        (Stage::TessEval, "MESA_SHADER_TESS_EVAL"),
        (Stage::Geometry, "MESA_SHADER_GEOMETRY"),
        (Stage::Fragment, "MESA_SHADER_FRAGMENT"),
        (Stage::Compute, "MESA_SHADER_COMPUTE"),
        (Stage::Kernel, "MESA_SHADER_KERNEL"),
        (Stage::Task, "MESA_SHADER_TASK"),
        (Stage::Mesh, "MESA_SHADER_MESH"),
    ];

    /// The name in a dump.
    pub fn name(self) -> &'static str {
        Stage::NAMES.iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    /// The stage with this name in a dump.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::NAMES.iter().find(|(_, n)| *n == name).map(|(stage, _)| *stage)
    }

    /// The set with this stage alone.
    pub fn set(self) -> Stages {
        match self {
            Stage::Vertex => Stages::VERTEX,
            Stage::TessCtrl => Stages::TESS_CTRL,
            Stage::TessEval => Stages::TESS_EVAL,
            Stage::Geometry => Stages::GEOMETRY,
            Stage::Fragment => Stages::FRAGMENT,
            Stage::Compute | Stage::Kernel => Stages::COMPUTE,
            Stage::Task => Stages::TASK,
            Stage::Mesh => Stages::MESH,
        }
    }

    /// The numbering of the slots of its inputs or outputs.
    pub fn slot_kind(self, output: bool) -> SlotKind {
        match (self, output) {
            (Stage::Vertex, false) => SlotKind::VertAttrib,
            (Stage::Fragment, true) => SlotKind::FragResult,
            (Stage::Mesh, true) => SlotKind::MeshOutput,
            _ => SlotKind::Varying,
        }
    }

    /// Whether `slot` of its inputs or outputs, in the numbering of varyings, has a value for each vertex: then the variable is
    /// an array over vertices. Outputs of mesh shaders are arrays over vertices or primitives.
    #[inline]
    pub fn is_per_vertex(self, output: bool, slot: u32) -> bool {
        let arrayed = match self {
            Stage::Mesh => return output,
            Stage::TessCtrl => true,
            Stage::TessEval | Stage::Geometry => !output,
            _ => false,
        };
        arrayed && !slots::is_patch(slot) && slot != varying::PRIMITIVE_ID
    }

    /// True for compute shaders and kernels.
    pub fn is_compute(self) -> bool {
        matches!(self, Stage::Compute | Stage::Kernel)
    }

    /// True if there is a grid of workgroups that have a size and shared memory: compute, task and mesh shaders.
    pub fn has_grid(self) -> bool {
        self.is_compute() || matches!(self, Stage::Task | Stage::Mesh)
    }

    /// True if invocations are in workgroups, which have barriers: patches of tessellation control shaders are such.
    pub fn has_workgroups(self) -> bool {
        self.has_grid() || self == Stage::TessCtrl
    }
}

/// A field of the header, by its printed form.
#[derive(Debug, PartialEq)]
pub enum FieldMut<'a> {
    /// `12`.
    Dec(&'a mut u32),
    /// `0x` and this many digits.
    Hex(&'a mut u32, usize),
    /// `true`, absent if false.
    Flag(&'a mut bool),
    /// Numbers and ranges of set bits: `0,15-17`.
    Ranges(&'a mut u128),
    /// `0x` and this many 32-bit words, most significant first, with `'` between.
    Words(&'a mut u128, usize),
    /// A name of its own kind (primitive types), or a number.
    Name(&'a mut String),
    /// `{a, b, c}`.
    List(&'a mut [u32]),
}

/// A row of the header table.
pub struct FieldRow {
    /// The name in the dump, which is also the field's.
    pub name: &'static str,
    /// Whether it is printed even when zero, by stage.
    pub always: fn(Stage) -> bool,
    /// The field.
    pub field: fn(&mut ShaderInfo) -> FieldMut<'_>,
}

fn never(_: Stage) -> bool {
    false
}
fn everywhere(_: Stage) -> bool {
    true
}
fn in_tess(stage: Stage) -> bool {
    matches!(stage, Stage::TessCtrl | Stage::TessEval)
}
fn in_geometry(stage: Stage) -> bool {
    stage == Stage::Geometry
}
fn in_mesh(stage: Stage) -> bool {
    stage == Stage::Mesh
}
fn with_payload(stage: Stage) -> bool {
    matches!(stage, Stage::Task | Stage::Mesh)
}

/// Information that a dump cannot express but a reader needs: `// ntv: key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Offsets of shared memory and scratch count bytes, as Gallium's do.
    OffsetsInBytes,
    /// They count elements: zink divides them by the element size.
    OffsetsInElements,
    /// Locations are assigned: zink 25.0 does so before its translator runs.
    DeclaredLocations,
    /// Locations are the slots: zink 22.3 prints its shaders before it assigns them.
    LocationsOfSlots,
    /// Slots are made of Locations, which are not assigned: Mesa's reader of SPIR-V.
    SlotsOfLocations,
    /// The header has all shared memory.
    FixedSharedMemory,
    /// Kernels may be given more shared memory when they are started.
    VariableSharedMemory,
    /// A name and the members of the structs with that name: used only by the parser.
    Struct(Box<str>),
    /// The framebuffer that a fragment shader reads has one sample of each pixel.
    SingleSample,
    /// It has several.
    Multisample,
    /// Uniform blocks that are not variables are one array. They may have constant indices because a pass made an access for
    /// each block that an index may select: reads of one imply nothing about its size.
    UniformBlockArray,
    /// Storage blocks that are not variables are one array.
    StorageBlockArray,
}

/// Clears a field.
trait Clear {
    fn clear(&mut self);
}

impl<T: Copy + Default> Clear for T {
    fn clear(&mut self) {
        *self = T::default();
    }
}

macro_rules! field_kind {
    (Dec, $e:expr) => {
        FieldMut::Dec($e)
    };
    (Hex2, $e:expr) => {
        FieldMut::Hex($e, 2)
    };
    (Hex4, $e:expr) => {
        FieldMut::Hex($e, 4)
    };
    (Hex8, $e:expr) => {
        FieldMut::Hex($e, 8)
    };
    (Words1, $e:expr) => {
        FieldMut::Words($e, 1)
    };
    (Words2, $e:expr) => {
        FieldMut::Words($e, 2)
    };
    (Words4, $e:expr) => {
        FieldMut::Words($e, 4)
    };
    ($kind:ident, $e:expr) => {
        FieldMut::$kind($e)
    };
}

macro_rules! info_place {
    (read, $info:ident, $name:ident) => {
        &mut $info.$name
    };
    (printed, $info:ident, $name:ident) => {
        &mut $info.printed.make().$name
    };
}

macro_rules! info_fields {
    (
        read { $($read:ident: $read_ty:ty,)* }
        printed { $($printed:ident: $printed_ty:ty,)* }
        table { $($name:ident: $kind:ident, $always:ident, $place:ident;)* }
    ) => {
        /// The header of a shader. Fields have NIR's names.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[allow(missing_docs)]
        pub struct ShaderInfo {
            /// The stage.
            pub stage: Stage,
            /// `source_blake3` (25.0) or `source_sha1` (22.3), without braces.
            pub source_hash: String,
            /// The shader's name.
            pub name: Option<String>,
            /// The application's label.
            pub label: Option<String>,
            /// Invocations of a workgroup in x, y, z.
            pub workgroup_size: [u32; 3],
            /// The workgroup size is set when the pipeline is created.
            pub workgroup_size_variable: bool,
            /// The stage that consumes the outputs, if known.
            pub next_stage: Option<Stage>,
            /// `// ntv: key=value` lines: information that a dump cannot express but a reader needs.
            pub directives: Vec<Directive>,
            printed: Rest,
            $(pub $read: $read_ty,)*
        }

        impl ShaderInfo {
            /// Forgets everything, but keeps the memory of names and of the list of directives.
            pub fn clear(&mut self) {
                self.stage = Stage::default();
                self.source_hash.clear();
                self.name = None;
                self.label = None;
                self.workgroup_size = [0; 3];
                self.workgroup_size_variable = false;
                self.next_stage = None;
                self.directives.clear();
                if let Some(printed) = &mut self.printed.0 {
                    **printed = Printed::default();
                }
                $(self.$read.clear();)*
            }
        }

        /// The fields that no code uses: they are kept as they were read, only to print a dump again.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[allow(missing_docs)]
        pub struct Printed {
            $(pub $printed: $printed_ty,)*
        }

        /// The table of the header, in printed order, without the fields that every dump starts with. The index of a row is its
        /// number on the [wire](crate::wire), so a new row is added at the end.
        pub const FIELDS: &[FieldRow] = &[$(FieldRow {
            name: stringify!($name),
            always: $always,
            field: |info| field_kind!($kind, info_place!($place, info, $name)),
        },)*];
    };
}

/// A [`Printed`], or nothing if no field of it was set: a driver sets none.
#[derive(Clone, Debug, Default)]
struct Rest(Option<Box<Printed>>);

impl Rest {
    #[cold]
    fn make(&mut self) -> &mut Printed {
        self.0.get_or_insert_with(Box::default)
    }
}

impl PartialEq for Rest {
    fn eq(&self, other: &Rest) -> bool {
        let same = |a: &Rest, b: &Rest| {
            a.0.as_ref().map_or(true, |a| b.0.as_ref().map_or(**a == Printed::default(), |b| a == b))
        };
        same(self, other) && same(other, self)
    }
}

info_fields! {
    read {
        num_textures: u32,
        num_ubos: u32,
        num_ssbos: u32,
        num_images: u32,
        float_controls_execution_mode: u32,
        shared_size: u32,
        task_payload_size: u32,
        scratch: u32,
        xfb_stride: [u32; 4],
        inlinable_uniform_dw_offsets: [u32; 4],
        num_inlinable_uniforms: u32,
        first_ubo_is_default_ubo: bool,
        derivative_group: u32,
        primitive_mode: u32,
        clip_distance_array_size: u32,
        cull_distance_array_size: u32,
        tcs_vertices_out: u32,
        spacing: u32,
        ccw: bool,
        point_mode: bool,
        output_primitive: String,
        input_primitive: String,
        vertices_out: u32,
        invocations: u32,
        vertices_in: u32,
        max_vertices_out: u32,
        max_primitives_out: u32,
        primitive_type: String,
        uses_sample_shading: bool,
        early_fragment_tests: bool,
        post_depth_coverage: bool,
        pixel_interlock_ordered: bool,
        pixel_interlock_unordered: bool,
        sample_interlock_ordered: bool,
        sample_interlock_unordered: bool,
        depth_layout: u32,
        color0_interp: String,
        color0_sample: bool,
        color0_centroid: bool,
        color1_interp: String,
        color1_sample: bool,
        color1_centroid: bool,
    }
    printed {
        internal: bool,
        num_abos: u32,
        inputs_read: u128,
        dual_slot_inputs: u128,
        outputs_written: u128,
        outputs_read: u128,
        system_values_read: u128,
        per_primitive_inputs: u128,
        per_primitive_outputs: u128,
        per_view_outputs: u128,
        inputs_read_16bit: u32,
        outputs_written_16bit: u32,
        outputs_read_16bit: u32,
        inputs_read_indirectly_16bit: u32,
        outputs_accessed_indirectly_16bit: u32,
        patch_inputs_read: u32,
        patch_outputs_written: u32,
        patch_outputs_read: u32,
        inputs_read_indirectly: u128,
        outputs_accessed_indirectly: u128,
        patch_inputs_read_indirectly: u128,
        patch_outputs_accessed_indirectly: u128,
        textures_used: u128,
        textures_used_by_txf: u128,
        samplers_used: u128,
        images_used: u128,
        image_buffers: u128,
        msaa_images: u128,
        ray_queries: u32,
        subgroup_size: u32,
        uses_wide_subgroup_intrinsics: bool,
        uses_texture_gather: bool,
        uses_resource_info_query: bool,
        bit_sizes_float: u32,
        bit_sizes_int: u32,
        separate_shader: bool,
        has_transform_feedback_varyings: bool,
        flrp_lowered: bool,
        io_lowered: bool,
        writes_memory: bool,
        double_inputs: u128,
        blit_sgprs_amd: u32,
        window_space_position: bool,
        needs_edge_flag: bool,
        tcs_same_invocation_inputs_read: u128,
        tcs_cross_invocation_inputs_read: u128,
        tcs_cross_invocation_outputs_read: u128,
        uses_end_primitive: bool,
        active_stream_mask: u32,
        uses_discard: bool,
        uses_fbfetch_output: bool,
        color_is_dual_source: bool,
        require_full_quads: bool,
        needs_quad_helper_invocations: bool,
        uses_sample_qualifier: bool,
        inner_coverage: bool,
        pixel_center_integer: bool,
        origin_upper_left: bool,
        untyped_color_outputs: bool,
        advanced_blend_modes: u32,
        workgroup_size_hint: [u32; 3],
        user_data_components_amd: u32,
        ms_cross_invocation_output_access: u128,
        nv: bool,
        ptr_size: u32,
        inputs: u32,
        outputs: u32,
        uniforms: u32,
        constants: u32,
    }
    table {
        internal: Flag, never, printed;
        num_textures: Dec, never, read;
        num_ubos: Dec, never, read;
        num_abos: Dec, never, printed;
        num_ssbos: Dec, never, read;
        num_images: Dec, never, read;
        inputs_read: Ranges, never, printed;
        dual_slot_inputs: Ranges, never, printed;
        outputs_written: Ranges, never, printed;
        outputs_read: Ranges, never, printed;
        system_values_read: Words4, never, printed;
        per_primitive_inputs: Ranges, never, printed;
        per_primitive_outputs: Ranges, never, printed;
        per_view_outputs: Ranges, never, printed;
        inputs_read_16bit: Hex4, never, printed;
        outputs_written_16bit: Hex4, never, printed;
        outputs_read_16bit: Hex4, never, printed;
        inputs_read_indirectly_16bit: Hex4, never, printed;
        outputs_accessed_indirectly_16bit: Hex4, never, printed;
        patch_inputs_read: Hex8, never, printed;
        patch_outputs_written: Hex8, never, printed;
        patch_outputs_read: Hex8, never, printed;
        inputs_read_indirectly: Ranges, never, printed;
        outputs_accessed_indirectly: Ranges, never, printed;
        patch_inputs_read_indirectly: Ranges, never, printed;
        patch_outputs_accessed_indirectly: Ranges, never, printed;
        textures_used: Words4, never, printed;
        textures_used_by_txf: Words4, never, printed;
        samplers_used: Words1, never, printed;
        images_used: Words2, never, printed;
        image_buffers: Words2, never, printed;
        msaa_images: Words2, never, printed;
        float_controls_execution_mode: Hex8, never, read;
        shared_size: Dec, never, read;
        ray_queries: Dec, never, printed;
        subgroup_size: Dec, everywhere, printed;
        uses_wide_subgroup_intrinsics: Flag, never, printed;
        xfb_stride: List, never, read;
        inlinable_uniform_dw_offsets: List, never, read;
        num_inlinable_uniforms: Dec, never, read;
        clip_distance_array_size: Dec, never, read;
        cull_distance_array_size: Dec, never, read;
        uses_texture_gather: Flag, never, printed;
        uses_resource_info_query: Flag, never, printed;
        bit_sizes_float: Hex2, never, printed;
        bit_sizes_int: Hex2, never, printed;
        first_ubo_is_default_ubo: Flag, never, read;
        separate_shader: Flag, never, printed;
        has_transform_feedback_varyings: Flag, never, printed;
        flrp_lowered: Flag, never, printed;
        io_lowered: Flag, never, printed;
        writes_memory: Flag, never, printed;
        derivative_group: Dec, never, read;
        double_inputs: Ranges, never, printed;
        blit_sgprs_amd: Dec, never, printed;
        window_space_position: Flag, never, printed;
        needs_edge_flag: Flag, never, printed;
        primitive_mode: Dec, in_tess, read;
        tcs_vertices_out: Dec, in_tess, read;
        spacing: Dec, in_tess, read;
        ccw: Flag, never, read;
        point_mode: Flag, never, read;
        tcs_same_invocation_inputs_read: Ranges, never, printed;
        tcs_cross_invocation_inputs_read: Ranges, never, printed;
        tcs_cross_invocation_outputs_read: Ranges, never, printed;
        output_primitive: Name, in_geometry, read;
        input_primitive: Name, in_geometry, read;
        vertices_out: Dec, in_geometry, read;
        invocations: Dec, in_geometry, read;
        vertices_in: Dec, in_geometry, read;
        uses_end_primitive: Flag, never, printed;
        active_stream_mask: Hex2, in_geometry, printed;
        uses_discard: Flag, never, printed;
        uses_fbfetch_output: Flag, never, printed;
        color_is_dual_source: Flag, never, printed;
        require_full_quads: Flag, never, printed;
        needs_quad_helper_invocations: Flag, never, printed;
        uses_sample_qualifier: Flag, never, printed;
        uses_sample_shading: Flag, never, read;
        early_fragment_tests: Flag, never, read;
        inner_coverage: Flag, never, printed;
        post_depth_coverage: Flag, never, read;
        pixel_center_integer: Flag, never, printed;
        origin_upper_left: Flag, never, printed;
        pixel_interlock_ordered: Flag, never, read;
        pixel_interlock_unordered: Flag, never, read;
        sample_interlock_ordered: Flag, never, read;
        sample_interlock_unordered: Flag, never, read;
        untyped_color_outputs: Flag, never, printed;
        depth_layout: Dec, never, read;
        color0_interp: Name, never, read;
        color0_sample: Flag, never, read;
        color0_centroid: Flag, never, read;
        color1_interp: Name, never, read;
        color1_sample: Flag, never, read;
        color1_centroid: Flag, never, read;
        advanced_blend_modes: Hex8, never, printed;
        workgroup_size_hint: List, never, printed;
        user_data_components_amd: Dec, never, printed;
        ptr_size: Dec, never, printed;
        inputs: Dec, never, printed;
        outputs: Dec, never, printed;
        uniforms: Dec, never, printed;
        scratch: Dec, never, read;
        constants: Dec, never, printed;
        task_payload_size: Dec, with_payload, read;
        ms_cross_invocation_output_access: Ranges, never, printed;
        max_vertices_out: Dec, in_mesh, read;
        max_primitives_out: Dec, in_mesh, read;
        primitive_type: Name, in_mesh, read;
        nv: Flag, never, printed;
    }
}

/// The keys of directives, and their possible values; none if the value is a text.
pub const DIRECTIVES: &[(&str, &[(&str, Directive)])] = {
    use Directive::*;
    &[
        ("shared_offset_units", &[("bytes", OffsetsInBytes), ("elements", OffsetsInElements)]),
        ("locations", &[("declared", DeclaredLocations), ("slots", LocationsOfSlots), ("spirv", SlotsOfLocations)]),
        ("variable_shared_memory", &[("false", FixedSharedMemory), ("true", VariableSharedMemory)]),
        ("struct", &[]),
        ("framebuffer", &[("single_sample", SingleSample), ("multisample", Multisample)]),
        ("uniform_blocks", &[("array", UniformBlockArray)]),
        ("storage_blocks", &[("array", StorageBlockArray)]),
        // Not stored as a directive: a row of the shader's `xfb_info`.
        ("xfb", &[]),
    ]
};

impl Directive {
    /// The directive `key` with the value `value`, which is not a text.
    pub fn new(key: &str, value: &str) -> Option<Directive> {
        let (_, values) = DIRECTIVES.iter().find(|(name, _)| *name == key)?;
        values.iter().find(|(name, _)| *name == value).map(|(_, directive)| directive.clone())
    }

    /// Its row of [`DIRECTIVES`], and the number of its value there.
    pub fn numbers(&self) -> (usize, usize) {
        let number = |values: &[(&str, Directive)]| values.iter().position(|(_, value)| value == self);
        let found = DIRECTIVES.iter().enumerate().find_map(|(row, (_, values))| Some((row, number(values)?)));
        // Only one kind of text is stored.
        found.unwrap_or((Directive::STRUCT, 0))
    }

    /// The row of the members of structs.
    const STRUCT: usize = 3;
}

impl std::fmt::Display for Directive {
    /// `key=value`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (row, value) = self.numbers();
        let (key, values) = DIRECTIVES[row];
        let value = match self {
            Directive::Struct(text) => text,
            _ => values[value].0,
        };
        write!(f, "{key}={value}")
    }
}

impl ShaderInfo {
    /// The fields that only matter for printing, if any was set.
    pub fn printed(&self) -> Option<&Printed> {
        self.printed.0.as_deref()
    }

    /// True if invocations have neighbours, with which texture operations compute a level of detail.
    pub fn has_implicit_lod(&self) -> bool {
        self.stage == Stage::Fragment || self.stage.is_compute() && self.derivative_group != 0
    }

    /// True if the driver adds shared memory, whose size is only known when the pipeline is created.
    pub fn has_variable_shared_memory(&self) -> bool {
        self.says(Directive::VariableSharedMemory)
    }

    /// True if all blocks of this kind are declared as one array.
    pub fn has_block_array(&self, is_uniform: bool) -> bool {
        self.says(if is_uniform { Directive::UniformBlockArray } else { Directive::StorageBlockArray })
    }

    /// The values that all computations with floats of this width keep: bits of `float_controls_execution_mode` (Mesa,
    /// `shader_enums.h`).
    pub fn kept_values(&self, bits: u8) -> AluFlags {
        const KINDS: [AluFlags; 3] = [AluFlags::PRESERVE_SIGNED_ZERO, AluFlags::PRESERVE_INF, AluFlags::PRESERVE_NAN];
        let Some(width) = [16, 32, 64].iter().position(|width| *width == bits) else { return AluFlags::empty() };
        let is_set = |kind: usize| self.float_controls_execution_mode >> (3 * kind + width) & 1 != 0;
        KINDS.into_iter().enumerate().filter(|(kind, _)| is_set(*kind)).map(|(_, flag)| flag).collect()
    }

    /// Whether the result of an operation on NaN matters: the operation is exact, or it or the whole shader keeps NaNs. GLSL leaves
    /// the result open otherwise (GLSL 4.60, "Range and Precision").
    pub fn keeps_nan(&self, flags: AluFlags, bits: u8) -> bool {
        flags.intersects(AluFlags::EXACT | AluFlags::PRESERVE_NAN)
            || self.kept_values(bits).contains(AluFlags::PRESERVE_NAN)
    }

    /// Whether it has this directive.
    pub fn says(&self, directive: Directive) -> bool {
        self.directives.contains(&directive)
    }

    /// Whether it says how Locations and slots belong together.
    #[inline]
    pub fn says_locations(&self) -> bool {
        use Directive::{DeclaredLocations, LocationsOfSlots, SlotsOfLocations};
        self.directives.iter().any(|it| matches!(it, DeclaredLocations | LocationsOfSlots | SlotsOfLocations))
    }

    /// Adds a directive, in place of those with the same key if its value is not a text.
    pub fn say(&mut self, directive: Directive) {
        let row = directive.numbers().0;
        if row != Directive::STRUCT {
            self.directives.retain(|other| other.numbers().0 != row);
        }
        self.directives.push(directive);
    }
}
