//! Facts about a shader as a whole: NIR's `shader_info`, as the header of a dump prints it.
//!
//! One table gives each field its name in the dump (the field's own), its printed form and whether it is printed when zero.

use crate::op::names::{varying, SlotKind};
use crate::op::slots;
use std::borrow::Cow;

/// A stage of the pipeline.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stage {
    #[default]
    Vertex,
    TessCtrl,
    TessEval,
    Geometry,
    Fragment,
    Compute,
    Kernel,
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
    ];

    /// The name in a dump.
    pub fn name(self) -> &'static str {
        Stage::NAMES.iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    /// The stage that a dump calls `name`.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::NAMES.iter().find(|(_, n)| *n == name).map(|(stage, _)| *stage)
    }

    /// The numbering of the slots of its inputs or outputs.
    pub fn slot_kind(self, output: bool) -> SlotKind {
        match (self, output) {
            (Stage::Vertex, false) => SlotKind::VertAttrib,
            (Stage::Fragment, true) => SlotKind::FragResult,
            _ => SlotKind::Varying,
        }
    }

    /// Whether `slot` of its inputs or outputs, in the numbering of varyings, has a value for each vertex: the variable is
    /// an array of vertices then.
    pub fn is_per_vertex(self, output: bool, slot: u32) -> bool {
        let arrayed = match self {
            Stage::TessCtrl => true,
            Stage::TessEval | Stage::Geometry => !output,
            _ => false,
        };
        arrayed && !slots::is_patch(slot) && slot != varying::PRIMITIVE_ID
    }

    /// True for compute shaders and kernels, which have workgroups.
    pub fn is_compute(self) -> bool {
        matches!(self, Stage::Compute | Stage::Kernel)
    }

    /// True where invocations come in workgroups, which can wait: patches of control shaders are such.
    pub fn has_workgroups(self) -> bool {
        self.is_compute() || self == Stage::TessCtrl
    }
}

/// A field of the header, by its printed form.
#[derive(Debug)]
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
    /// Printed even when zero, in the stages for which the function says so.
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

/// Key and value.
pub type Directive = (Cow<'static, str>, Cow<'static, str>);

/// A field as words, so that all of them are read in one go and without a question for each.
trait Field {
    /// How many words it takes.
    const WORDS: usize;

    /// Takes it from as many words, names from `text`. False for what it cannot be.
    fn set(&mut self, words: &[u32], text: &str) -> bool;
}

impl Field for u32 {
    const WORDS: usize = 1;

    fn set(&mut self, words: &[u32], _: &str) -> bool {
        *self = words[0];
        true
    }
}

impl Field for bool {
    const WORDS: usize = 1;

    fn set(&mut self, words: &[u32], _: &str) -> bool {
        *self = words[0] != 0;
        words[0] < 2
    }
}

impl Field for u128 {
    const WORDS: usize = 4;

    fn set(&mut self, words: &[u32], _: &str) -> bool {
        let pair = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        *self = u128::from(pair(0)) | u128::from(pair(2)) << 64;
        true
    }
}

impl<const N: usize> Field for [u32; N] {
    const WORDS: usize = N;

    fn set(&mut self, words: &[u32], _: &str) -> bool {
        self.copy_from_slice(words);
        true
    }
}

impl Field for String {
    /// Where it starts in the text, and how many bytes it has.
    const WORDS: usize = 2;

    fn set(&mut self, words: &[u32], text: &str) -> bool {
        self.clear();
        let (start, len) = (words[0] as usize, words[1] as usize);
        len == 0 || text.get(start..start.saturating_add(len)).map(|name| self.push_str(name)).is_some()
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

macro_rules! info_fields {
    ($($name:ident: $ty:ty, $kind:ident, $always:ident;)*) => {
        /// The header of a shader. Fields have NIR's names; those that only matter for printing a dump again are kept as
        /// they were read.
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
            /// The workgroup size is given when the pipeline is made.
            pub workgroup_size_variable: bool,
            /// The stage that consumes the outputs, if known.
            pub next_stage: Option<Stage>,
            /// `// ntv: key=value` lines: what a dump cannot say but a reader must know.
            pub directives: Vec<Directive>,
            $(pub $name: $ty,)*
        }

        /// The header's table, in printed order, without the fields that every dump starts with.
        pub const FIELDS: &[FieldRow] = &[$(FieldRow {
            name: stringify!($name),
            always: $always,
            field: |info| field_kind!($kind, &mut info.$name),
        },)*];

        impl ShaderInfo {
            /// How many words all fields of the table take.
            pub(crate) const NUM_WORDS: usize = 0 $(+ <$ty as Field>::WORDS)*;

            /// Takes all fields of the table from words, in its order, and names from `text`. False if a field has a value that it
            /// cannot have.
            pub(crate) fn set_fields(&mut self, words: &[u32; ShaderInfo::NUM_WORDS], text: &str) -> bool {
                let (mut rest, mut sound) = (&words[..], true);
                $({
                    let (field, behind) = rest.split_at(<$ty as Field>::WORDS);
                    sound &= self.$name.set(field, text);
                    rest = behind;
                })*
                sound && rest.is_empty()
            }
        }
    };
}

info_fields! {
    internal: bool, Flag, never;
    num_textures: u32, Dec, never;
    num_ubos: u32, Dec, never;
    num_abos: u32, Dec, never;
    num_ssbos: u32, Dec, never;
    num_images: u32, Dec, never;
    inputs_read: u128, Ranges, never;
    dual_slot_inputs: u128, Ranges, never;
    outputs_written: u128, Ranges, never;
    outputs_read: u128, Ranges, never;
    system_values_read: u128, Words4, never;
    per_primitive_inputs: u128, Ranges, never;
    per_primitive_outputs: u128, Ranges, never;
    per_view_outputs: u128, Ranges, never;
    inputs_read_16bit: u32, Hex4, never;
    outputs_written_16bit: u32, Hex4, never;
    outputs_read_16bit: u32, Hex4, never;
    inputs_read_indirectly_16bit: u32, Hex4, never;
    outputs_accessed_indirectly_16bit: u32, Hex4, never;
    patch_inputs_read: u32, Hex8, never;
    patch_outputs_written: u32, Hex8, never;
    patch_outputs_read: u32, Hex8, never;
    inputs_read_indirectly: u128, Ranges, never;
    outputs_accessed_indirectly: u128, Ranges, never;
    patch_inputs_read_indirectly: u128, Ranges, never;
    patch_outputs_accessed_indirectly: u128, Ranges, never;
    textures_used: u128, Words4, never;
    textures_used_by_txf: u128, Words4, never;
    samplers_used: u128, Words1, never;
    images_used: u128, Words2, never;
    image_buffers: u128, Words2, never;
    msaa_images: u128, Words2, never;
    float_controls_execution_mode: u32, Hex8, never;
    shared_size: u32, Dec, never;
    ray_queries: u32, Dec, never;
    subgroup_size: u32, Dec, everywhere;
    uses_wide_subgroup_intrinsics: bool, Flag, never;
    xfb_stride: [u32; 4], List, never;
    inlinable_uniform_dw_offsets: [u32; 4], List, never;
    num_inlinable_uniforms: u32, Dec, never;
    clip_distance_array_size: u32, Dec, never;
    cull_distance_array_size: u32, Dec, never;
    uses_texture_gather: bool, Flag, never;
    uses_resource_info_query: bool, Flag, never;
    bit_sizes_float: u32, Hex2, never;
    bit_sizes_int: u32, Hex2, never;
    first_ubo_is_default_ubo: bool, Flag, never;
    separate_shader: bool, Flag, never;
    has_transform_feedback_varyings: bool, Flag, never;
    flrp_lowered: bool, Flag, never;
    io_lowered: bool, Flag, never;
    writes_memory: bool, Flag, never;
    derivative_group: u32, Dec, never;

    double_inputs: u128, Ranges, never;
    blit_sgprs_amd: u32, Dec, never;
    window_space_position: bool, Flag, never;
    needs_edge_flag: bool, Flag, never;

    primitive_mode: u32, Dec, in_tess;
    tcs_vertices_out: u32, Dec, in_tess;
    spacing: u32, Dec, in_tess;
    ccw: bool, Flag, never;
    point_mode: bool, Flag, never;
    tcs_same_invocation_inputs_read: u128, Ranges, never;
    tcs_cross_invocation_inputs_read: u128, Ranges, never;
    tcs_cross_invocation_outputs_read: u128, Ranges, never;

    output_primitive: String, Name, in_geometry;
    input_primitive: String, Name, in_geometry;
    vertices_out: u32, Dec, in_geometry;
    invocations: u32, Dec, in_geometry;
    vertices_in: u32, Dec, in_geometry;
    uses_end_primitive: bool, Flag, never;
    active_stream_mask: u32, Hex2, in_geometry;

    uses_discard: bool, Flag, never;
    uses_fbfetch_output: bool, Flag, never;
    color_is_dual_source: bool, Flag, never;
    require_full_quads: bool, Flag, never;
    needs_quad_helper_invocations: bool, Flag, never;
    uses_sample_qualifier: bool, Flag, never;
    uses_sample_shading: bool, Flag, never;
    early_fragment_tests: bool, Flag, never;
    inner_coverage: bool, Flag, never;
    post_depth_coverage: bool, Flag, never;
    pixel_center_integer: bool, Flag, never;
    origin_upper_left: bool, Flag, never;
    pixel_interlock_ordered: bool, Flag, never;
    pixel_interlock_unordered: bool, Flag, never;
    sample_interlock_ordered: bool, Flag, never;
    sample_interlock_unordered: bool, Flag, never;
    untyped_color_outputs: bool, Flag, never;
    depth_layout: u32, Dec, never;
    color0_interp: String, Name, never;
    color0_sample: bool, Flag, never;
    color0_centroid: bool, Flag, never;
    color1_interp: String, Name, never;
    color1_sample: bool, Flag, never;
    color1_centroid: bool, Flag, never;
    advanced_blend_modes: u32, Hex8, never;

    workgroup_size_hint: [u32; 3], List, never;
    user_data_components_amd: u32, Dec, never;
    ptr_size: u32, Dec, never;

    inputs: u32, Dec, never;
    outputs: u32, Dec, never;
    uniforms: u32, Dec, never;
    scratch: u32, Dec, never;
    constants: u32, Dec, never;
}

/// What a directive may say, and the values it may have; none if it is a text.
pub const DIRECTIVES: &[(&str, &[&str])] = &[
    // zink divides the offsets of shared and scratch memory by the element size; Gallium's are bytes.
    ("shared_offset_units", &["bytes", "elements"]),
    // zink 25.0 assigns locations before its translator runs. 22.3 prints its shaders before: they have those of their slots.
    ("locations", &["declared", "slots"]),
    // Kernels may be given more shared memory when they start.
    ("variable_shared_memory", &["false", "true"]),
    // Members of a struct: of use to the parser only.
    ("struct", &[]),
    // Whether the framebuffer that a fragment shader reads has several samples of each pixel.
    ("framebuffer", &["single_sample", "multisample"]),
];

/// Whether there is a directive `key` that may be `value`.
pub fn is_directive(key: &str, value: &str) -> bool {
    DIRECTIVES.iter().any(|(name, values)| *name == key && values.contains(&value))
}

impl ShaderInfo {
    /// Forgets everything, keeps the memory of names and of the list of directives.
    pub fn clear(&mut self) {
        self.directives.clear();
        let directives = std::mem::take(&mut self.directives);
        let names = [
            &mut self.source_hash,
            &mut self.output_primitive,
            &mut self.input_primitive,
            &mut self.color0_interp,
            &mut self.color1_interp,
        ];
        let [source_hash, output_primitive, input_primitive, color0_interp, color1_interp] = names.map(|name| {
            name.clear();
            std::mem::take(name)
        });
        *self = ShaderInfo {
            source_hash,
            output_primitive,
            input_primitive,
            color0_interp,
            color1_interp,
            directives,
            ..ShaderInfo::default()
        };
    }

    /// True if invocations have neighbours, from which texture operations choose a level of detail.
    pub fn has_implicit_lod(&self) -> bool {
        self.stage == Stage::Fragment || self.stage.is_compute() && self.derivative_group != 0
    }

    /// True if the driver adds shared memory, whose size is only known when the pipeline is made.
    pub fn has_variable_shared_memory(&self) -> bool {
        self.directive("variable_shared_memory") == Some("true")
    }

    /// What the directive `key` says, if it was given; the last counts.
    pub fn directive(&self, key: &str) -> Option<&str> {
        self.directives.iter().rev().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }
}
