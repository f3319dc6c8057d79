//! The intrinsics: operands, printed indices, effects and SPIR-V form, one row each.
//!
//! A row reads: name, components of each source, `->` components of the result, indices in the order NIR prints them,
//! widths the result may have (`[]`: any), effects, SPIR-V form. For example
//!
//! ```text
//! load_ubo [ANY, 1] -> N [access, align_mul, align_offset, range_base, range] [] ELIMINATE|REORDER, Special;
//! ```
//!
//! is a load whose block index has components of its own, whose byte offset is a scalar, and whose result has as many
//! components as the instruction says. The list is what a Gallium driver may receive and what zink makes of it; an
//! intrinsic that is not here is an error of the parser that names it.

use super::by_name::ByName;
use super::needs::{self, Needs};
use super::Base::{self, Bool, Float, Int, Uint};
use bitflags::bitflags;
use spirv::BuiltIn::{self, *};
use spirv::Op::{self, *};

/// Components of a source or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Components {
    /// There is no result.
    None,
    /// As many as the definition used has (pointers, handles, block indices).
    Any,
    /// As many as the instruction has: those of the result, or of the stored value.
    Instr,
    /// Exactly this many.
    Exactly(u8),
}

/// What an intrinsic is in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A load of a built-in input whose components have this base type.
    BuiltIn(BuiltIn, Base),
    /// One instruction on the sources as they are, floats in and out.
    Op(Op),
    /// More than that: the emitter's family for it, or a pass that rewrites it, has the rest.
    Special,
}

bitflags! {
    /// What may be done with an intrinsic: NIR's `nir_intrinsic_semantic_flag`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Effects: u8 {
        /// Without uses it can be removed.
        const ELIMINATE = 1 << 0;
        /// The same operands give the same result wherever it stands, so equal ones can be merged.
        const REORDER = 1 << 1;
    }
}

/// How the value of an index is written in a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// A signed decimal number.
    Int,
    /// `xyzw` letters of a write mask.
    WriteMask,
    /// [`Access`](super::Access) flags.
    Access,
    /// An [`AtomicOp`](super::AtomicOp).
    AtomicOp,
    /// [`Modes`](super::Modes), joined by `|`.
    Modes,
    /// A scope: `NONE`, `WORKGROUP`, ...
    Scope,
    /// Memory semantics: `ACQ|REL`, ...
    Semantics,
    /// `INTERP_MODE_*`.
    InterpMode,
    /// An ALU opcode.
    AluOp,
    /// A NIR ALU type such as `float32`, packed by [`pack_alu_type`](super::names::pack_alu_type).
    AluType,
    /// An image dimensionality: `2D`, `Cube`, ...
    ImageDim,
    /// An image format's short name, as an index into [`FORMATS`](super::names::FORMATS).
    Format,
    /// `true` or `false`.
    Bool,
    /// An I/O slot and its flags, packed as [`IoSemantics`](super::names::IoSemantics).
    IoSemantics,
    /// Transform feedback of two components, packed as [`IoXfb`](super::names::IoXfb).
    IoXfb,
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident $kind:ident $printed:literal;)*) => {
        /// A constant operand of an intrinsic, by NIR's name.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Index { $($(#[$doc])* $name,)* }

        impl Index {
            /// All indices.
            pub const ALL: &'static [Index] = &[$(Index::$name),*];

            /// How its value is written in a dump.
            pub fn kind(self) -> IndexKind {
                match self { $(Index::$name => IndexKind::$kind,)* }
            }

            /// NIR's name of it: `write_mask`.
            pub fn name(self) -> &'static str {
                match self { $(Index::$name => stringify!($name),)* }
            }

            /// Its name in a dump: `wrmask` for `write_mask`.
            pub fn printed(self) -> &'static str {
                match self { $(Index::$name => $printed,)* }
            }
        }
    };
}

indices! {
    /// Added to the offset, or the driver location of I/O.
    base Int "base";
    /// Components that a store writes.
    write_mask WriteMask "wrmask";
    /// Geometry stream.
    stream_id Int "stream_id";
    /// User clip plane.
    ucp_id Int "ucp_id";
    /// Start of the bytes that may be accessed.
    range_base Int "range_base";
    /// Bytes (or slots) that may be accessed; all ones if unknown.
    range Int "range";
    /// First component within the I/O slot.
    component Int "component";
    /// Interpolation of an input.
    interp_mode InterpMode "interp_mode";
    /// Operation of a reduction or scan.
    reduction_op AluOp "reduction_op";
    /// Invocations that a reduction spans, 0 for the subgroup.
    cluster_size Int "cluster_size";
    /// Dimensionality of an image.
    image_dim ImageDim "image_dim";
    /// True for arrays of image layers.
    image_array Bool "image_array";
    /// Format of an image.
    format Format "format";
    /// Qualifiers of a memory access.
    access Access "access";
    /// The offset is `align_offset` modulo this power of two, in bytes.
    align_mul Int "align_mul";
    /// See `align_mul`.
    align_offset Int "align_offset";
    /// How the stored bits are read.
    src_type AluType "src_type";
    /// How the loaded bits are read.
    dest_type AluType "dest_type";
    /// Qualifiers of the copy's destination.
    dst_access Access "dst_access";
    /// Qualifiers of the copy's source.
    src_access Access "src_access";
    /// Ordering of a barrier.
    memory_semantics Semantics "mem_semantics";
    /// Memory that a barrier orders.
    memory_modes Modes "mem_modes";
    /// Invocations for which memory is ordered.
    memory_scope Scope "memory_scope";
    /// Invocations that wait for each other.
    execution_scope Scope "execution_scope";
    /// I/O slot and its flags.
    io_semantics IoSemantics "io";
    /// Transform feedback of components x and y.
    io_xfb IoXfb "xfb";
    /// Transform feedback of components z and w.
    io_xfb2 IoXfb "xfb2";
    /// Operation of an atomic.
    atomic_op AtomicOp "atomic_op";
    /// Components of a register.
    num_components Int "num_components";
    /// Elements of a register array, 0 for no array.
    num_array_elems Int "num_array_elems";
    /// Width of a register in bits.
    bit_size Int "bit_size";
    /// The register may differ between invocations.
    divergent Int "divergent";
    /// The loaded value's magnitude is meant.
    legacy_fabs Int "legacy_fabs";
    /// The loaded value's negative is meant.
    legacy_fneg Int "legacy_fneg";
    /// The stored value is clamped to 0..1.
    legacy_fsat Int "legacy_fsat";
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct IntrinsicInfo {
    /// NIR's name.
    pub name: &'static str,
    /// Components of each source.
    pub srcs: &'static [Components],
    /// Components of the result.
    pub dest: Components,
    /// Indices in printed order; an instruction stores its values in this order.
    pub indices: &'static [Index],
    /// Widths the result may have; empty for any.
    pub dest_bits: &'static [u8],
    /// What may be done with it.
    pub effects: Effects,
    /// What it is in SPIR-V.
    pub form: Form,
    /// How many of the first sources are pointers.
    pub pointers: u8,
    /// The first source that has as many components as the instruction.
    pub value: Option<u8>,
    /// What it may need before emission.
    pub needs: Needs,
    /// Where each index stands in `indices`, for `index_slot`.
    slots: [u8; Index::ALL.len()],
}

/// In `slots`: an index that the intrinsic does not have.
const NO_SLOT: u8 = u8::MAX;

impl IntrinsicInfo {
    /// Where an instruction stores the value of `index`.
    pub fn index_slot(&self, index: Index) -> Option<usize> {
        let slot = self.slots[index as usize];
        (slot != NO_SLOT).then_some(slot.into())
    }

    /// True if there is such an index.
    pub const fn has_index(&self, index: Index) -> bool {
        self.slots[index as usize] != NO_SLOT
    }
}

/// The column `slots` of a row with these indices.
const fn slots(indices: &[Index]) -> [u8; Index::ALL.len()] {
    let mut slots = [NO_SLOT; Index::ALL.len()];
    let mut at = 0;
    while at < indices.len() {
        slots[indices[at] as usize] = at as u8;
        at += 1;
    }
    slots
}

/// The column `pointers`: NIR names what takes a pointer so, and a copy takes two.
const fn pointers(name: &str, srcs: &[Components]) -> u8 {
    match (contains(name.as_bytes(), b"deref"), srcs) {
        (true, [Components::Any, Components::Any]) => 2,
        (is_deref, _) => is_deref as u8,
    }
}

/// The column `value`.
const fn value(srcs: &[Components]) -> Option<u8> {
    let mut at = 0;
    while at < srcs.len() {
        if matches!(srcs[at], Components::Instr) {
            return Some(at as u8);
        }
        at += 1;
    }
    None
}

const fn contains(text: &[u8], word: &[u8]) -> bool {
    let mut start = 0;
    while start + word.len() <= text.len() {
        let mut len = 0;
        while len < word.len() && text[start + len] == word[len] {
            len += 1;
        }
        if len == word.len() {
            return true;
        }
        start += 1;
    }
    false
}

impl Intrinsic {
    /// The row of this intrinsic.
    pub fn info(self) -> &'static IntrinsicInfo {
        &TABLE[self as usize]
    }

    /// NIR's name of this intrinsic.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether the first source is a ballot, which is asked something.
    pub fn reads_ballot(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            inverse_ballot
                | ballot_bitfield_extract
                | ballot_bit_count_reduce
                | ballot_bit_count_inclusive
                | ballot_bit_count_exclusive
                | ballot_find_lsb
                | ballot_find_msb
        )
    }

    /// Whether the first source and the result are the same bits of different invocations of a subgroup.
    pub fn moves_between_invocations(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            read_invocation
                | read_first_invocation
                | shuffle
                | shuffle_xor
                | shuffle_up
                | shuffle_down
                | rotate
                | quad_broadcast
                | quad_swap_horizontal
                | quad_swap_vertical
                | quad_swap_diagonal
        )
    }

    /// The intrinsic that NIR calls `name`.
    pub fn from_name(name: &str) -> Option<Intrinsic> {
        static BY_NAME: ByName<1024> = ByName::new(Intrinsic::NAMES);
        BY_NAME.find(Intrinsic::NAMES, name).map(|number| Intrinsic::ALL[number])
    }
}

macro_rules! components {
    (ANY) => {
        Components::Any
    };
    (N) => {
        Components::Instr
    };
    (NONE) => {
        Components::None
    };
    ($n:literal) => {
        Components::Exactly($n)
    };
}

macro_rules! intrinsics {
    ($($name:ident [$($src:tt),*] -> $dest:tt [$($index:ident),*] [$($bits:literal),*] $($effect:ident)|*, $form:expr;)*) => {
        /// An intrinsic, by NIR's name.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Intrinsic { $($name,)* }

        impl Intrinsic {
            /// All intrinsics, in table order.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$name),*];

            /// Their names.
            const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
        }

        pub(crate) static TABLE: &[IntrinsicInfo] = &[$(IntrinsicInfo {
            name: stringify!($name),
            srcs: &[$(components!($src)),*],
            dest: components!($dest),
            indices: &[$(Index::$index),*],
            dest_bits: &[$($bits),*],
            effects: Effects::empty()$(.union(Effects::$effect))*,
            form: $form,
            pointers: pointers(stringify!($name), &[$(components!($src)),*]),
            value: value(&[$(components!($src)),*]),
            needs: needs::of_intrinsic(Intrinsic::$name),
            slots: slots(&[$(Index::$index),*]),
        }),*];
    };
}

use Form::{BuiltIn as Builtin, Op as One, Special};

intrinsics! {
    decl_reg  []     -> 1    [num_components, num_array_elems, bit_size, divergent] [] ELIMINATE, Special;
    load_reg  [1]    -> N    [base, legacy_fabs, legacy_fneg]                       [] ELIMINATE, Special;
    store_reg [N, 1] -> NONE [base, write_mask, legacy_fsat]                        []         , Special;

    load_reg_indirect  [1, 1]    -> N    [base, legacy_fabs, legacy_fneg] [] ELIMINATE, Special;
    store_reg_indirect [N, 1, 1] -> NONE [base, write_mask, legacy_fsat]  []         , Special;

    load_deref  [ANY]      -> N    [access]                 [] ELIMINATE, Special;
    store_deref [ANY, N]   -> NONE [write_mask, access]     []         , Special;
    copy_deref  [ANY, ANY] -> NONE [dst_access, src_access] []         , Special;

    load_input               [1]    -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE|REORDER, Special;
    load_input_vertex        [1, 1] -> N [base, component, dest_type, io_semantics]        [] ELIMINATE|REORDER, Special;
    load_interpolated_input  [2, 1] -> N [base, component, dest_type, io_semantics]        [] ELIMINATE|REORDER, Special;
    load_per_vertex_input    [1, 1] -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE|REORDER, Special;
    load_per_primitive_input [1]    -> N [base, component, dest_type, io_semantics]        [] ELIMINATE|REORDER, Special;
    load_output              [1]    -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE       , Special;
    load_per_vertex_output   [1, 1] -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE       , Special;

    store_output            [N, 1]    -> NONE [base, range, write_mask, component, src_type, io_semantics, io_xfb, io_xfb2] [], Special;
    store_per_vertex_output [N, 1, 1] -> NONE [base, range, write_mask, component, src_type, io_semantics] [], Special;

    load_barycentric_pixel     []  -> 2 [interp_mode] [] ELIMINATE|REORDER, Special;
    load_barycentric_centroid  []  -> 2 [interp_mode] [] ELIMINATE|REORDER, Special;
    load_barycentric_sample    []  -> 2 [interp_mode] [] ELIMINATE|REORDER, Special;
    load_barycentric_at_sample [1] -> 2 [interp_mode] [] ELIMINATE|REORDER, Special;
    load_barycentric_at_offset [2] -> 2 [interp_mode] [] ELIMINATE|REORDER, Special;
    load_barycentric_model     []  -> 3 [interp_mode] [] ELIMINATE|REORDER, Special;

    interp_deref_at_centroid [1]    -> N [] [] ELIMINATE|REORDER, Special;
    interp_deref_at_sample   [1, 1] -> N [] [] ELIMINATE|REORDER, Special;
    interp_deref_at_offset   [1, 2] -> N [] [] ELIMINATE|REORDER, Special;
    interp_deref_at_vertex   [1, 1] -> N [] [] ELIMINATE|REORDER, Special;

    load_ubo                [ANY, 1]    -> N    [access, align_mul, align_offset, range_base, range] [] ELIMINATE|REORDER, Special;
    load_ubo_vec4           [ANY, 1]    -> N    [access, base, component]                            [] ELIMINATE|REORDER, Special;
    load_ssbo               [ANY, 1]    -> N    [access, align_mul, align_offset]                    [] ELIMINATE       , Special;
    store_ssbo              [N, ANY, 1] -> NONE [write_mask, access, align_mul, align_offset]        []                 , Special;
    load_push_constant      [1]         -> N    [base, range, align_mul, align_offset]               [] ELIMINATE|REORDER, Special;
    load_push_constant_zink [1]         -> N    [component]                                          [] ELIMINATE|REORDER, Special;
    load_shared             [1]         -> N    [base, align_mul, align_offset]                      [] ELIMINATE       , Special;
    store_shared            [N, 1]      -> NONE [base, write_mask, align_mul, align_offset]          []                 , Special;
    load_scratch            [1]         -> N    [align_mul, align_offset]                            [] ELIMINATE       , Special;
    store_scratch           [N, 1]      -> NONE [align_mul, align_offset, write_mask]                []                 , Special;

    load_global          [1]    -> N    [access, align_mul, align_offset]              [] ELIMINATE       , Special;
    load_global_constant [1]    -> N    [access, align_mul, align_offset]              [] ELIMINATE|REORDER, Special;
    store_global         [N, 1] -> NONE [write_mask, access, align_mul, align_offset]  []                 , Special;
    load_constant        [1]    -> N    [base, range, access, align_mul, align_offset] [] ELIMINATE|REORDER, Special;
    load_kernel_input    [1]    -> N    [base, range, align_mul, align_offset]         [] ELIMINATE|REORDER, Special;
    load_uniform         [1]    -> N    [base, range, dest_type]                       [] ELIMINATE|REORDER, Special;

    get_ssbo_size [ANY] -> 1 [access] [32] ELIMINATE|REORDER, Special;
    get_ubo_size  [ANY] -> 1 []       []   ELIMINATE|REORDER, Special;

    ssbo_atomic        [ANY, 1, 1]    -> 1 [access, atomic_op] [], Special;
    ssbo_atomic_swap   [ANY, 1, 1, 1] -> 1 [access, atomic_op] [], Special;
    shared_atomic      [1, 1]         -> 1 [base, atomic_op]   [], Special;
    shared_atomic_swap [1, 1, 1]      -> 1 [base, atomic_op]   [], Special;
    global_atomic      [1, 1]         -> 1 [atomic_op]         [], Special;
    global_atomic_swap [1, 1, 1]      -> 1 [atomic_op]         [], Special;
    deref_atomic       [ANY, 1]       -> 1 [access, atomic_op] [], Special;
    deref_atomic_swap  [ANY, 1, 1]    -> 1 [access, atomic_op] [], Special;

    deref_buffer_array_length [ANY] -> 1 [access] [] ELIMINATE|REORDER, Special;

    load_vertex_id           [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(VertexIndex, Int);
    load_vertex_id_zero_base [] -> 1 [] [32] ELIMINATE|REORDER, Special;
    load_instance_id         [] -> 1 [] [32] ELIMINATE|REORDER, Special;
    // Vulkan's InstanceIndex, which counts from the base instance; load_instance_id, GL's gl_InstanceID, counts from 0.
    load_instance_index         [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(InstanceIndex, Int);
    load_base_vertex         [] -> 1 [] [32] ELIMINATE|REORDER, Special;
    // Vulkan's BaseVertex; load_base_vertex, GL's gl_BaseVertex, is 0 in draws without indices.
    load_first_vertex        [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(BaseVertex, Int);
    load_is_indexed_draw     [] -> 1 [] [32] ELIMINATE|REORDER, Special;
    load_base_instance       [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(BaseInstance, Int);
    load_draw_id             [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(DrawIndex, Int);
    load_view_index          [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(ViewIndex, Int);

    load_primitive_id             [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(PrimitiveId, Int);
    load_invocation_id            [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(InvocationId, Int);
    load_patch_vertices_in        [] -> 1 [] [32] ELIMINATE|REORDER, Builtin(PatchVertices, Int);
    load_tess_coord               [] -> 3 [] [32] ELIMINATE|REORDER, Builtin(TessCoord, Float);
    load_tess_coord_xy            [] -> 2 [] [32] ELIMINATE|REORDER, Builtin(TessCoord, Float);
    load_tess_level_outer         [] -> 4 [] [32] ELIMINATE|REORDER, Builtin(TessLevelOuter, Float);
    load_tess_level_inner         [] -> 2 [] [32] ELIMINATE|REORDER, Builtin(TessLevelInner, Float);
    load_tess_level_outer_default [] -> 4 [] [32] ELIMINATE|REORDER, Special;
    load_tess_level_inner_default [] -> 2 [] [32] ELIMINATE|REORDER, Special;

    emit_vertex                    []           -> NONE [stream_id] [], Special;
    end_primitive                  []           -> NONE [stream_id] [], Special;
    emit_vertex_with_counter       [1, 1, 1, 1] -> NONE [stream_id] [], Special;
    end_primitive_with_counter     [1, 1, 1, 1] -> NONE [stream_id] [], Special;
    set_vertex_and_primitive_count [1, 1, 1]    -> NONE [stream_id] [], Special;

    load_front_face                []  -> 1 []       [1, 32] ELIMINATE|REORDER, Builtin(FrontFacing, Bool);
    load_front_face_fsign          []  -> 1 []       [32]    ELIMINATE|REORDER, Special;
    load_sample_id                 []  -> 1 []       [32]    ELIMINATE|REORDER, Builtin(SampleId, Int);
    load_sample_id_no_per_sample   []  -> 1 []       [32]    ELIMINATE|REORDER, Special;
    load_sample_pos                []  -> 2 []       [32]    ELIMINATE|REORDER, Builtin(SamplePosition, Float);
    load_sample_pos_or_center      []  -> 2 []       [32]    ELIMINATE|REORDER, Special;
    load_sample_pos_from_id        [1] -> 2 []       []      ELIMINATE|REORDER, Special;
    load_sample_mask_in            []  -> 1 []       [32]    ELIMINATE|REORDER, Builtin(SampleMask, Int);
    load_point_coord               []  -> 2 []       [32]    ELIMINATE|REORDER, Builtin(PointCoord, Float);
    load_point_coord_maybe_flipped [2] -> 2 []       [32]                    , Builtin(PointCoord, Float);
    load_line_coord                []  -> 1 []       [32]    ELIMINATE|REORDER, Special;
    load_frag_coord                []  -> 4 []       [32]    ELIMINATE|REORDER, Builtin(FragCoord, Float);
    load_pixel_coord               []  -> 2 []       [16]    ELIMINATE|REORDER, Special;
    load_helper_invocation         []  -> 1 []       [1, 32] ELIMINATE       , Builtin(HelperInvocation, Bool);
    is_helper_invocation           []  -> 1 []       [1]     ELIMINATE       , Special;
    load_layer_id                  []  -> 1 []       [32]    ELIMINATE|REORDER, Builtin(Layer, Int);
    load_color0                    []  -> 4 []       [32]    ELIMINATE|REORDER, Special;
    load_color1                    []  -> 4 []       [32]    ELIMINATE|REORDER, Special;
    load_sample_mask               []  -> 1 []       [32]    ELIMINATE       , Special;
    load_user_clip_plane           []  -> 4 [ucp_id] [32]    ELIMINATE|REORDER, Special;
    load_blend_const_color_rgba    []  -> 4 []       [32]    ELIMINATE|REORDER, Special;

    load_workgroup_id              [] -> 3 [] [32]     ELIMINATE|REORDER, Builtin(WorkgroupId, Uint);
    load_workgroup_index           [] -> 1 [] [32]     ELIMINATE|REORDER, Special;
    load_num_workgroups            [] -> 3 [] [32]     ELIMINATE|REORDER, Builtin(NumWorkgroups, Uint);
    load_local_invocation_id       [] -> 3 [] [32]     ELIMINATE|REORDER, Builtin(LocalInvocationId, Uint);
    load_local_invocation_index    [] -> 1 [] [32]     ELIMINATE|REORDER, Builtin(LocalInvocationIndex, Uint);
    load_global_invocation_id      [] -> 3 [] [32, 64] ELIMINATE|REORDER, Builtin(GlobalInvocationId, Uint);
    load_global_invocation_index   [] -> 1 [] [32, 64] ELIMINATE|REORDER, Special;
    load_base_workgroup_id         [] -> 3 [] [32, 64] ELIMINATE|REORDER, Special;
    load_base_global_invocation_id [] -> 3 [] [32, 64] ELIMINATE|REORDER, Special;
    load_workgroup_size            [] -> 3 [] [32]     ELIMINATE|REORDER, Special;
    load_work_dim                  [] -> 1 [] [32]     ELIMINATE|REORDER, Special;

    load_subgroup_size       [] -> 1 [] [32]     ELIMINATE|REORDER, Builtin(SubgroupSize, Uint);
    load_subgroup_invocation [] -> 1 [] [32]     ELIMINATE|REORDER, Builtin(SubgroupLocalInvocationId, Uint);
    load_subgroup_id         [] -> 1 [] [32]     ELIMINATE|REORDER, Builtin(SubgroupId, Uint);
    load_num_subgroups       [] -> 1 [] [32]     ELIMINATE|REORDER, Builtin(NumSubgroups, Uint);
    load_subgroup_eq_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, Builtin(SubgroupEqMask, Uint);
    load_subgroup_ge_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, Builtin(SubgroupGeMask, Uint);
    load_subgroup_gt_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, Builtin(SubgroupGtMask, Uint);
    load_subgroup_le_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, Builtin(SubgroupLeMask, Uint);
    load_subgroup_lt_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, Builtin(SubgroupLtMask, Uint);

    terminate    []  -> NONE [] [], Special;
    terminate_if [1] -> NONE [] [], Special;
    demote       []  -> NONE [] [], Special;
    demote_if    [1] -> NONE [] [], Special;

    ddx        [N] -> N [] [16, 32] ELIMINATE, One(DPdx);
    ddx_fine   [N] -> N [] [16, 32] ELIMINATE, One(DPdxFine);
    ddx_coarse [N] -> N [] [16, 32] ELIMINATE, One(DPdxCoarse);
    ddy        [N] -> N [] [16, 32] ELIMINATE, One(DPdy);
    ddy_fine   [N] -> N [] [16, 32] ELIMINATE, One(DPdyFine);
    ddy_coarse [N] -> N [] [16, 32] ELIMINATE, One(DPdyCoarse);

    begin_invocation_interlock [] -> NONE [] [], Special;
    end_invocation_interlock   [] -> NONE [] [], Special;

    barrier      [] -> NONE [execution_scope, memory_scope, memory_semantics, memory_modes] []           , Special;
    shader_clock [] -> 2    [memory_scope]                                               [32] ELIMINATE, Special;

    vote_any                   [1]    -> 1 [] [1]      ELIMINATE        , Special;
    vote_all                   [1]    -> 1 [] [1]      ELIMINATE        , Special;
    vote_feq                   [N]    -> 1 [] [1]      ELIMINATE        , Special;
    vote_ieq                   [N]    -> 1 [] [1]      ELIMINATE        , Special;
    ballot                     [1]    -> N [] [32, 64] ELIMINATE        , Special;
    ballot_bitfield_extract    [4, 1] -> 1 [] [1]      ELIMINATE|REORDER, Special;
    ballot_bit_count_reduce    [4]    -> 1 [] [32]     ELIMINATE|REORDER, Special;
    ballot_bit_count_inclusive [4]    -> 1 [] [32]     ELIMINATE|REORDER, Special;
    ballot_bit_count_exclusive [4]    -> 1 [] [32]     ELIMINATE|REORDER, Special;
    ballot_find_lsb            [4]    -> 1 [] [32]     ELIMINATE|REORDER, Special;
    ballot_find_msb            [4]    -> 1 [] [32]     ELIMINATE|REORDER, Special;
    ballot_relaxed             [1]    -> N [] [32, 64] ELIMINATE        , Special;
    inverse_ballot             [N]    -> 1 [] [1]      ELIMINATE        , Special;
    elect                      []     -> 1 [] [1]      ELIMINATE        , Special;
    first_invocation           []     -> 1 [] [32]     ELIMINATE        , Special;
    last_invocation            []     -> 1 [] [32]     ELIMINATE        , Special;

    read_invocation       [N, 1] -> N []                           []  ELIMINATE, Special;
    read_first_invocation [N]    -> N []                           []  ELIMINATE, Special;
    shuffle               [N, 1] -> N []                           []  ELIMINATE, Special;
    shuffle_xor           [N, 1] -> N []                           []  ELIMINATE, Special;
    shuffle_up            [N, 1] -> N []                           []  ELIMINATE, Special;
    shuffle_down          [N, 1] -> N []                           []  ELIMINATE, Special;
    rotate                [N, 1] -> N [cluster_size]               []  ELIMINATE, Special;
    quad_broadcast        [N, 1] -> N []                           []  ELIMINATE, Special;
    quad_swap_horizontal  [N]    -> N []                           []  ELIMINATE, Special;
    quad_swap_vertical    [N]    -> N []                           []  ELIMINATE, Special;
    quad_swap_diagonal    [N]    -> N []                           []  ELIMINATE, Special;
    quad_vote_any         [1]    -> 1 []                           [1] ELIMINATE, Special;
    quad_vote_all         [1]    -> 1 []                           [1] ELIMINATE, Special;
    reduce                [N]    -> N [reduction_op, cluster_size] []  ELIMINATE, Special;
    inclusive_scan        [N]    -> N [reduction_op]               []  ELIMINATE, Special;
    exclusive_scan        [N]    -> N [reduction_op]               []  ELIMINATE, Special;

    is_sparse_texels_resident [1]    -> 1 [] [1, 32] ELIMINATE|REORDER, Special;
    is_sparse_resident_zink   [N]    -> 1 [] [1]     ELIMINATE|REORDER, Special;
    sparse_residency_code_and [1, 1] -> 1 [] [32]    ELIMINATE|REORDER, Special;
    // The code that belongs to these texels: `lower_sparse` takes it out of the result. NIR has no name for it.
    sparse_residency_code     [N]    -> 1 [] [32]    ELIMINATE|REORDER, Special;

    image_deref_load              [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE       , Special;
    image_deref_sparse_load       [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE       , Special;
    image_deref_store             [ANY, 4, 1, N, 1] -> NONE [image_dim, image_array, format, access, src_type]  []                 , Special;
    image_deref_atomic            [ANY, 4, 1, 1]    -> 1    [image_dim, image_array, format, access, atomic_op] []                 , Special;
    image_deref_atomic_swap       [ANY, 4, 1, 1, 1] -> 1    [image_dim, image_array, format, access, atomic_op] []                 , Special;
    image_deref_size              [ANY, 1]          -> N    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER, Special;
    image_deref_samples           [ANY]             -> 1    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER, Special;
    image_deref_levels            [ANY]             -> 1    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER, Special;
    image_deref_samples_identical [ANY, 4]          -> 1    [image_dim, image_array, format, access]            [] ELIMINATE       , Special;

    image_load        [1, 4, 1, 1]    -> N    [image_dim, image_array, format, access, range_base, dest_type] [] ELIMINATE       , Special;
    image_sparse_load [1, 4, 1, 1]    -> N    [image_dim, image_array, format, access, range_base, dest_type] [] ELIMINATE       , Special;
    image_store       [1, 4, 1, N, 1] -> NONE [image_dim, image_array, format, access, range_base, src_type] []                 , Special;
    image_atomic      [1, 4, 1, 1]    -> 1    [image_dim, image_array, format, access, range_base, atomic_op] []                 , Special;
    image_atomic_swap [1, 4, 1, 1, 1] -> 1    [image_dim, image_array, format, access, range_base, atomic_op] []                 , Special;
    image_size        [1, 1]          -> N    [image_dim, image_array, format, access, range_base]         [] ELIMINATE|REORDER, Special;
    image_samples     [1]             -> 1    [image_dim, image_array, format, access, range_base]         [] ELIMINATE|REORDER, Special;
    image_levels      [1]             -> 1    [image_dim, image_array, format, access, range_base]         [] ELIMINATE|REORDER, Special;

    bindless_image_load        [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE       , Special;
    bindless_image_sparse_load [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE       , Special;
    bindless_image_store       [ANY, 4, 1, N, 1] -> NONE [image_dim, image_array, format, access, src_type]  []                 , Special;
    bindless_image_atomic      [ANY, 4, 1, 1]    -> 1    [image_dim, image_array, format, access, atomic_op] []                 , Special;
    bindless_image_atomic_swap [ANY, 4, 1, 1, 1] -> 1    [image_dim, image_array, format, access, atomic_op] []                 , Special;
    bindless_image_size        [ANY, 1]          -> N    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER, Special;
    bindless_image_samples     [ANY]             -> 1    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER, Special;
    bindless_image_levels      [ANY]             -> 1    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER, Special;

}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_from_others() {
        for op in Intrinsic::ALL {
            let info = op.info();
            for index in Index::ALL {
                assert_eq!(info.index_slot(*index), info.indices.iter().position(|other| other == index));
            }
            assert_eq!(info.pointers != 0, info.name.contains("deref"), "{}", info.name);
            let value = info.srcs.iter().position(|components| *components == Components::Instr);
            assert_eq!(info.value.map(usize::from), value, "{}", info.name);
        }
        let pointers = [Intrinsic::load_ubo, Intrinsic::store_deref, Intrinsic::copy_deref];
        assert_eq!(pointers.map(|op| op.info().pointers), [0, 1, 2]);
    }
}
