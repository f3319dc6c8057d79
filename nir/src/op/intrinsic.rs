// SPDX-License-Identifier: MIT

//! The intrinsics: operands, printed indices, effects and meaning, one row each.
//!
//! A row reads: name, components of each source, `->` components of the result, indices in the order NIR prints them,
//! widths the result may have (`[]`: any), effects, meaning. For example
//!
//! ```text
//! load_ssbo [ANY, 1] -> N [access, align_mul, align_offset] [] ELIMINATE,
//!     SSBO.in_block(Ssbo, Load, [0, 1]).carried().wide_result();
//! ```
//!
//! is a load whose block index has any number of components, whose byte offset is a scalar, and whose result has as many
//! components as the instruction. The last column is a [`Meaning`]. It starts with a constant: `SPECIAL` has
//! no facts, `SSBO` has the common facts of all accesses to storage blocks, a function such as `builtin` has parameters for the
//! differences. Each method adds a fact; facts that no method adds have a default:
//!
//! | methods | the facts that they add | default |
//! |-|-|-|
//! | `facts` | what the shader has with it: see [`Facts`] | none |
//! | `only_in` | the stages that have it | all |
//! | `in_block`, `at_offset`, `at_deref`, `size_of`, `counts` | the memory that it accesses, how, and by which sources | none |
//! | `image` | the operation on an image, and how the image is named | none |
//! | `input`, `output` | the access by slot, and its sources | none |
//! | `samples` | where it interpolates an input | none |
//! | `pointers` | the number of its first sources that are derefs | 0; 1 with `at_deref`, and `image` by deref |
//! | `features`, `features_by_operands` | Vulkan's features that it needs, or may need | none |
//! | `carried`, `wide_result`, `wide_sources`, `condition`, `basic`, `since_1_1` | a [trait](Traits) | no |
//!
//! Checks, passes, emitter, interpreter and printer read these facts. None of the facts depends on the spelling of a name.
//!
//! A new row is added at the end of the table: its index is its number on the [wire](crate::wire), and the existing numbers must
//! not change.
//!
//! The table has the intrinsics that a Gallium driver may receive and those that zink makes from them. For others the parser
//! reports an error with their name.

use super::by_name::ByName;
use super::facts::Facts;
use super::meaning::ImageName::{self, Deref, Handle, Unit};
use super::meaning::MemoryKind::{
    self, Constant, Global, KernelInput, PushConstant, Scratch, Shared, Ssbo, TaskPayload, Ubo, Uniform,
};
use super::meaning::MemoryOperation::{Atomic, AtomicSwap, Load, Size, Store};
use super::meaning::SPECIAL;
use super::meaning::{
    builtin, untranslated, ImageOperation, IntrinsicForm, Meaning, MemoryAccess, OffsetUnit, Sampling, Stages, Traits,
};
use super::Base::{self, Bool, Float, Int, Uint};
use crate::feature::Feature::*;
use bitflags::bitflags;
use spirv::BuiltIn::{self, *};
use spirv::Capability::{self, GroupNonUniformBallot, GroupNonUniformQuad, GroupNonUniformShuffleRelative};
use spirv::GroupOperation::{self, ExclusiveScan, InclusiveScan, Reduce};
use spirv::Op::{self, *};

/// Components of a source or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Components {
    /// No result.
    None,
    /// The number of components of the used definition (derefs, handles, block indices).
    Any,
    /// The number of components of the instruction: of the result, or of the stored value.
    Instr,
    /// Exactly this many.
    Exactly(u8),
}

bitflags! {
    /// The optimisations that an intrinsic allows: NIR's `nir_intrinsic_semantic_flag`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Effects: u8 {
        /// It can be removed if it has no uses.
        const ELIMINATE = 1 << 0;
        /// It gives the same result for the same operands at any place, so equal ones can be merged.
        const REORDER = 1 << 1;
    }
}

/// The format of the value of an index in a dump.
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
    /// A [`DescriptorType`](super::names::DescriptorType).
    DescriptorType,
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
    ($($(#[doc = $doc:literal])* $name:ident $kind:ident $printed:literal;)*) => {
        /// A constant operand of an intrinsic, by NIR's name.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Index { $($(#[doc = $doc])* $name,)* }

        impl Index {
            /// All indices.
            pub const ALL: &'static [Index] = &[$(Index::$name),*];

            /// The format of its value in a dump.
            pub fn kind(self) -> IndexKind {
                match self { $(Index::$name => IndexKind::$kind,)* }
            }

            /// NIR's name: `write_mask`.
            pub fn name(self) -> &'static str {
                match self { $(Index::$name => stringify!($name),)* }
            }

            /// Its name in a dump: `wrmask` for `write_mask`.
            pub fn printed(self) -> &'static str {
                match self { $(Index::$name => $printed,)* }
            }

            /// Its documentation.
            pub fn about(self) -> &'static str {
                match self { $(Index::$name => concat!($($doc),*).trim(),)* }
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
    /// The type of the stored bits.
    src_type AluType "src_type";
    /// The type of the loaded bits.
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
    /// The result is the absolute value of the loaded value.
    legacy_fabs Int "legacy_fabs";
    /// The result is the negated loaded value.
    legacy_fneg Int "legacy_fneg";
    /// The stored value is clamped to 0..1.
    legacy_fsat Int "legacy_fsat";
    /// Vulkan's descriptor set.
    desc_set Int "desc_set";
    /// Vulkan's binding in the set.
    binding Int "binding";
    /// Kind of a descriptor.
    desc_type DescriptorType "desc_type";
}

/// One row of the table: the facts that a translation reads often. The other facts are in its [`Meaning`].
#[derive(Clone, Copy, Debug)]
pub struct IntrinsicInfo {
    /// Components of each source.
    pub srcs: &'static [Components],
    /// Components of the result.
    pub dest: Components,
    /// Indices in printed order; an instruction stores its values in this order.
    pub indices: &'static [Index],
    /// The sum of the widths that the result may have, which are powers of two; 0 for any.
    pub dest_bits: u8,
    /// The optimisations that it allows.
    pub effects: Effects,
    /// Its form in SPIR-V.
    pub form: IntrinsicForm,
    /// The number of its first sources that are derefs.
    pub pointers: u8,
    /// The first source that has as many components as the instruction.
    pub value: Option<u8>,
    /// What a shader has with it; other facts depend on its operands.
    pub facts: Facts,
    /// The stages that have it.
    pub stages: Stages,
    /// Its other properties.
    pub traits: Traits,
    /// The memory that it accesses, and how.
    pub memory: Option<MemoryAccess>,
    /// The position of each index in `indices`, for `index_slot`.
    slots: [u8; Index::ALL.len()],
}

/// In `slots`: an index that the intrinsic does not have.
const NO_SLOT: u8 = u8::MAX;

impl IntrinsicInfo {
    /// The position at which an instruction stores the value of `index`.
    pub fn index_slot(&self, index: Index) -> Option<usize> {
        let slot = self.slots[index as usize];
        (slot != NO_SLOT).then_some(slot.into())
    }

    /// Whether there is a translation, at least for some operands.
    pub const fn is_translated(&self) -> bool {
        !matches!(self.form, IntrinsicForm::Untranslated)
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

impl Intrinsic {
    /// The row of this intrinsic.
    pub fn info(self) -> &'static IntrinsicInfo {
        &TABLE[self as usize]
    }

    /// The facts about this intrinsic that its row does not have.
    pub fn meaning(self) -> &'static Meaning {
        &MEANINGS[self as usize]
    }

    /// NIR's name of this intrinsic.
    pub fn name(self) -> &'static str {
        Intrinsic::NAMES[self as usize]
    }

    /// Whether it is a query of a ballot, which is the first source.
    pub fn reads_ballot(self) -> bool {
        matches!(self.info().form, IntrinsicForm::BallotQuery(..))
    }

    /// Whether the first source and the result are the same bits of different invocations of a subgroup.
    pub fn moves_between_invocations(self) -> bool {
        matches!(self.info().form, IntrinsicForm::Move(..) | IntrinsicForm::QuadSwap(_))
    }

    /// Whether it is an atomic through the deref in its first source.
    #[inline]
    pub fn is_deref_atomic(self) -> bool {
        self.info().memory.is_some_and(|memory| memory.kind == MemoryKind::Deref && memory.operation.is_atomic())
    }

    /// Whether it reads or writes an input or output by slot, or is a barycentric.
    #[inline(always)]
    pub fn is_by_slot(self) -> bool {
        self.info().facts.contains(Facts::EXPLICIT_IO)
    }

    /// Whether it is a barycentric, which only determines where `load_interpolated_input` interpolates.
    pub fn is_barycentric(self) -> bool {
        self.meaning().sampling.is_some() && self.info().pointers == 0
    }

    /// The intrinsic for `operation` on an image that is named by `name`; `None` if NIR has none.
    pub fn on_image(operation: ImageOperation, name: ImageName) -> Option<Intrinsic> {
        static ON_IMAGE: [[Option<Intrinsic>; ImageName::COUNT]; ImageOperation::COUNT] = {
            let mut table = [[None; ImageName::COUNT]; ImageOperation::COUNT];
            let mut at = 0;
            while at < MEANINGS.len() {
                if let Some(image) = MEANINGS[at].image {
                    table[image.operation as usize][image.name as usize] = Some(Intrinsic::ALL[at]);
                }
                at += 1;
            }
            table
        };
        ON_IMAGE[operation as usize][name as usize]
    }

    /// The intrinsic with NIR's name `name`.
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
    ($($name:ident [$($src:tt),*] -> $dest:tt [$($index:ident),*] [$($bits:literal),*] $($effect:ident)|*, $meaning:expr;)*) => {
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

        #[doc(hidden)]
        pub static TABLE: &[IntrinsicInfo] = &[$(IntrinsicInfo {
            srcs: &[$(components!($src)),*],
            dest: components!($dest),
            indices: &[$(Index::$index),*],
            dest_bits: 0 $(+ $bits)*,
            effects: Effects::empty()$(.union(Effects::$effect))*,
            form: $meaning.form,
            pointers: $meaning.pointers,
            value: value(&[$(components!($src)),*]),
            facts: $meaning.facts,
            stages: $meaning.stages,
            traits: $meaning.traits,
            memory: $meaning.memory,
            slots: slots(&[$(Index::$index),*]),
        }),*];

        /// The last column, for the facts that the rows do not have.
        #[doc(hidden)]
        pub static MEANINGS: &[Meaning] = &[$($meaning),*];
    };
}

const VERTEX: Stages = Stages::VERTEX;
const TESS_CTRL: Stages = Stages::TESS_CTRL;
const TESS_EVAL: Stages = Stages::TESS_EVAL;
const TESSELLATION: Stages = TESS_CTRL.union(TESS_EVAL);
const GEOMETRY: Stages = Stages::GEOMETRY;
const FRAGMENT: Stages = Stages::FRAGMENT;
const COMPUTE: Stages = Stages::COMPUTE;
const TASK: Stages = Stages::TASK;
const MESH: Stages = Stages::MESH;
const GRID: Stages = Stages::GRID;
const GRAPHICS: Stages = Stages::all().difference(GRID);

/// NIR's registers.
const REGISTER: Meaning = SPECIAL.facts(Facts::REGISTERS).carried();

/// Inputs and outputs by slot.
const BY_SLOT: Meaning = SPECIAL.facts(Facts::EXPLICIT_IO).carried();

/// Why descriptors by set and binding have no translation where `raise` leaves them.
const VULKAN: &str = "it does not lead to a uniform or storage block through derefs alone";

/// Why a launch with a payload by deref has no translation where `raise` leaves it.
const PAYLOAD_DEREF: &str = "its payload is not a variable";

const BARYCENTRIC: Meaning = BY_SLOT.only_in(FRAGMENT);

/// Interpolation of an input at a place that the shader selects.
const INTERPOLATION: Meaning = SPECIAL.pointers(1).only_in(FRAGMENT).features(&[sampleRateShading]).carried();

const UBO_LOAD: Meaning = SPECIAL
    .in_block(Ubo, Load, [0, 1])
    .carried()
    .facts(Facts::UBO_OFFSETS.union(Facts::PICKED_BLOCKS))
    .features_by_operands(&[shaderUniformBufferArrayDynamicIndexing, shaderUniformBufferArrayNonUniformIndexing]);

const SSBO: Meaning = SPECIAL
    .facts(Facts::SSBO_OFFSETS.union(Facts::PICKED_BLOCKS))
    .features_by_operands(&[shaderStorageBufferArrayDynamicIndexing, shaderStorageBufferArrayNonUniformIndexing]);

/// Shared memory, scratch and push constants by offset.
const BY_OFFSET: Meaning = SPECIAL.facts(Facts::MEMORY_OFFSETS).carried();

/// The payload that a task shader gives to mesh shaders, which read it.
const PAYLOAD: Meaning = BY_OFFSET.only_in(TASK);

const GLOBAL: Meaning = SPECIAL.facts(Facts::GLOBAL_ADDRESSES).features(&[bufferDeviceAddress]).carried();

/// System values that are computed from those that Vulkan has.
const COMPUTED: Meaning = SPECIAL.facts(Facts::SYSTEM_VALUES);

/// Emission of a vertex, or the end of a primitive, of a stream.
const STREAM: Meaning = SPECIAL.only_in(GEOMETRY).features_by_operands(&[geometryStreams]);

const DEMOTION: Meaning = SPECIAL.only_in(FRAGMENT).features(&[shaderDemoteToHelperInvocation]);

const INTERLOCK: Meaning = SPECIAL.only_in(FRAGMENT).features_by_operands(&[fragmentShaderPixelInterlock]);

const BALLOT: Meaning = SPECIAL.facts(Facts::SUBGROUPS).features(&[subgroupBallot]);

const QUAD_VOTE: Meaning = SPECIAL.facts(Facts::SUBGROUPS).features(&[subgroupClustered]).since_1_1().condition();

const IMAGE: Meaning = SPECIAL.facts(Facts::IMAGES);

/// A read whose result ends in a residency code.
const SPARSE_IMAGE: Meaning = IMAGE.facts(Facts::JOINED_RESIDENCY).wide_result();

/// A query of a storage image that GL and Vulkan have for textures only.
const TEXTURE_QUERY: Meaning = untranslated("it is a query of textures, not of storage images").facts(Facts::IMAGES);

const fn derivative(op: Op) -> Meaning {
    Meaning::new(IntrinsicForm::Derivative(op)).only_in(FRAGMENT.union(COMPUTE)).carried()
}

const fn subgroup_mask(mask: BuiltIn) -> Meaning {
    builtin(mask, Uint).facts(Facts::SUBGROUPS).features(&[subgroupBallot]).carried()
}

const fn vote(op: Op, extension: Op, base: Base) -> Meaning {
    Meaning::new(IntrinsicForm::Vote(op, extension, base)).features(&[subgroupVote])
}

const fn ballot_query(op: Op, count: Option<GroupOperation>) -> Meaning {
    Meaning::new(IntrinsicForm::BallotQuery(op, count)).facts(Facts::SUBGROUPS).features(&[subgroupBallot])
}

const fn moved(op: Op, capability: Capability) -> Meaning {
    Meaning::new(IntrinsicForm::Move(op, capability)).facts(Facts::SUBGROUPS).carried()
}

const fn quad_swap(direction: u8) -> Meaning {
    let swap = Meaning::new(IntrinsicForm::QuadSwap(direction)).facts(Facts::SUBGROUPS).carried();
    swap.features(&[subgroupQuad]).since_1_1()
}

const fn reduction(operation: GroupOperation) -> Meaning {
    let reduction = Meaning::new(IntrinsicForm::Reduction(operation)).facts(Facts::SUBGROUPS);
    reduction.features_by_operands(&[shaderSubgroupExtendedTypes]).since_1_1()
}

intrinsics! {
    decl_reg  []     -> 1    [num_components, num_array_elems, bit_size, divergent] [] ELIMINATE, REGISTER;
    load_reg  [1]    -> N    [base, legacy_fabs, legacy_fneg]                       [] ELIMINATE, REGISTER;
    store_reg [N, 1] -> NONE [base, write_mask, legacy_fsat]                        []         , REGISTER;

    load_reg_indirect  [1, 1]    -> N    [base, legacy_fabs, legacy_fneg] [] ELIMINATE, REGISTER;
    store_reg_indirect [N, 1, 1] -> NONE [base, write_mask, legacy_fsat]  []         , REGISTER;

    load_deref  [ANY]      -> N    [access]                 [] ELIMINATE, SPECIAL.at_deref(Load);
    store_deref [ANY, N]   -> NONE [write_mask, access]     []         , SPECIAL.at_deref(Store).facts(Facts::PRIVATE_CONSTANTS);
    copy_deref  [ANY, ANY] -> NONE [dst_access, src_access] []         , untranslated("Mesa makes loads and stores of it (nir_lower_var_copies)").pointers(2);

    load_input               [1]    -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE|REORDER,
        BY_SLOT.input(None, 0).only_in(GRAPHICS).facts(Facts::SYSTEM_VALUES);
    load_input_vertex        [1, 1] -> N [base, component, dest_type, io_semantics]        [] ELIMINATE|REORDER,
        untranslated("GL has no inputs of single vertices").input(None, 1).only_in(FRAGMENT);
    load_interpolated_input  [2, 1] -> N [base, component, dest_type, io_semantics]        [] ELIMINATE|REORDER,
        BY_SLOT.input(None, 1).only_in(FRAGMENT);
    load_per_vertex_input    [1, 1] -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE|REORDER,
        BY_SLOT.input(Some(0), 1).only_in(TESSELLATION.union(GEOMETRY));
    load_per_primitive_input [1]    -> N [base, component, dest_type, io_semantics]        [] ELIMINATE|REORDER,
        BY_SLOT.input(None, 0).only_in(FRAGMENT).features(&[meshShader]);
    load_output              [1]    -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE,
        BY_SLOT.output(None, 0).only_in(GRAPHICS).facts(Facts::FRAMEBUFFER_READS);
    load_per_vertex_output   [1, 1] -> N [base, range, component, dest_type, io_semantics] [] ELIMINATE,
        BY_SLOT.output(Some(0), 1).only_in(TESS_CTRL.union(MESH));

    store_output            [N, 1]    -> NONE [base, range, write_mask, component, src_type, io_semantics, io_xfb, io_xfb2] [],
        BY_SLOT.output(None, 1).only_in(GRAPHICS);
    store_per_vertex_output [N, 1, 1] -> NONE [base, range, write_mask, component, src_type, io_semantics] [],
        BY_SLOT.output(Some(1), 2).only_in(TESS_CTRL.union(MESH));

    load_barycentric_pixel     []  -> 2 [interp_mode] [] ELIMINATE|REORDER,
        BARYCENTRIC.samples(Sampling::Pixel);
    load_barycentric_centroid  []  -> 2 [interp_mode] [] ELIMINATE|REORDER,
        BARYCENTRIC.samples(Sampling::Centroid);
    load_barycentric_sample    []  -> 2 [interp_mode] [] ELIMINATE|REORDER,
        BARYCENTRIC.samples(Sampling::Sample).features(&[sampleRateShading]);
    load_barycentric_at_sample [1] -> 2 [interp_mode] [] ELIMINATE|REORDER,
        BARYCENTRIC.samples(Sampling::AtSample).features(&[sampleRateShading]);
    load_barycentric_at_offset [2] -> 2 [interp_mode] [] ELIMINATE|REORDER,
        BARYCENTRIC.samples(Sampling::AtOffset).features(&[sampleRateShading]);
    load_barycentric_model     []  -> 3 [interp_mode] [] ELIMINATE|REORDER,
        untranslated("no input is interpolated by the coordinates of a device").only_in(FRAGMENT);

    interp_deref_at_centroid [1]    -> N [] [] ELIMINATE|REORDER,
        INTERPOLATION.samples(Sampling::Centroid);
    interp_deref_at_sample   [1, 1] -> N [] [] ELIMINATE|REORDER,
        INTERPOLATION.samples(Sampling::AtSample);
    interp_deref_at_offset   [1, 2] -> N [] [] ELIMINATE|REORDER,
        INTERPOLATION.samples(Sampling::AtOffset);
    interp_deref_at_vertex   [1, 1] -> N [] [] ELIMINATE|REORDER,
        untranslated("GL has no inputs of single vertices").pointers(1).only_in(FRAGMENT).samples(Sampling::AtVertex);

    load_ubo                [ANY, 1]    -> N    [access, align_mul, align_offset, range_base, range] [] ELIMINATE|REORDER,
        UBO_LOAD.wide_result();
    load_ubo_vec4           [ANY, 1]    -> N    [access, base, component]                            [] ELIMINATE|REORDER,
        UBO_LOAD.counts(OffsetUnit::Vec4s);
    load_ssbo               [ANY, 1]    -> N    [access, align_mul, align_offset]                    [] ELIMINATE,
        SSBO.in_block(Ssbo, Load, [0, 1]).carried().wide_result();
    store_ssbo              [N, ANY, 1] -> NONE [write_mask, access, align_mul, align_offset]        [],
        SSBO.in_block(Ssbo, Store, [1, 2]).carried().wide_sources();
    load_push_constant      [1]         -> N    [base, range, align_mul, align_offset]               [] ELIMINATE|REORDER,
        BY_OFFSET.at_offset(PushConstant, Load, 0).wide_result();
    load_push_constant_zink [1]         -> N    [component]                                          [] ELIMINATE|REORDER,
        BY_OFFSET.at_offset(PushConstant, Load, 0).wide_result().counts(OffsetUnit::ZinkMembers);
    load_shared             [1]         -> N    [base, access, align_mul, align_offset]              [] ELIMINATE,
        BY_OFFSET.at_offset(Shared, Load, 0).wide_result().only_in(GRID);
    store_shared            [N, 1]      -> NONE [base, access, write_mask, align_mul, align_offset]  [],
        BY_OFFSET.at_offset(Shared, Store, 1).wide_sources().only_in(GRID);
    load_scratch            [1]         -> N    [align_mul, align_offset]                            [] ELIMINATE,
        BY_OFFSET.at_offset(Scratch, Load, 0).wide_result();
    store_scratch           [N, 1]      -> NONE [align_mul, align_offset, write_mask]                [],
        BY_OFFSET.at_offset(Scratch, Store, 1).wide_sources();

    load_global          [1]    -> N    [access, align_mul, align_offset]              [] ELIMINATE,
        GLOBAL.at_offset(Global, Load, 0).wide_result();
    load_global_constant [1]    -> N    [access, align_mul, align_offset]              [] ELIMINATE|REORDER,
        GLOBAL.at_offset(Global, Load, 0).wide_result();
    store_global         [N, 1] -> NONE [write_mask, access, align_mul, align_offset]  [],
        GLOBAL.at_offset(Global, Store, 1).wide_sources();
    load_constant        [1]    -> N    [base, range, access, align_mul, align_offset] [] ELIMINATE|REORDER,
        untranslated("a dump does not have the constant data; Mesa makes loads from a uniform block of it").at_offset(Constant, Load, 0);
    load_kernel_input    [1]    -> N    [base, range, align_mul, align_offset]         [] ELIMINATE|REORDER,
        untranslated("the parameters of kernels are in buffers that the driver chooses").at_offset(KernelInput, Load, 0).only_in(COMPUTE);
    load_uniform         [1]    -> N    [base, range, dest_type]                       [] ELIMINATE|REORDER,
        untranslated("Mesa makes loads from a uniform block of it (nir_lower_uniforms_to_ubo)").at_offset(Uniform, Load, 0);

    get_ssbo_size [ANY] -> 1 [access] [32] ELIMINATE|REORDER, SSBO.size_of(Ssbo);
    get_ubo_size  [ANY] -> 1 []       []   ELIMINATE|REORDER, untranslated("SPIR-V has no query of the size of a uniform buffer").size_of(Ubo);

    ssbo_atomic        [ANY, 1, 1]    -> 1 [access, atomic_op] [], SSBO.in_block(Ssbo, Atomic, [0, 1]).carried();
    ssbo_atomic_swap   [ANY, 1, 1, 1] -> 1 [access, atomic_op] [], SSBO.in_block(Ssbo, AtomicSwap, [0, 1]).carried();
    shared_atomic      [1, 1]         -> 1 [base, atomic_op]   [], BY_OFFSET.at_offset(Shared, Atomic, 0).only_in(GRID);
    shared_atomic_swap [1, 1, 1]      -> 1 [base, atomic_op]   [], BY_OFFSET.at_offset(Shared, AtomicSwap, 0).only_in(GRID);
    global_atomic      [1, 1]         -> 1 [atomic_op]         [], GLOBAL.at_offset(Global, Atomic, 0);
    global_atomic_swap [1, 1, 1]      -> 1 [atomic_op]         [], GLOBAL.at_offset(Global, AtomicSwap, 0);
    deref_atomic       [ANY, 1]       -> 1 [access, atomic_op] [], SPECIAL.at_deref(Atomic).facts(Facts::DEREF_ATOMICS);
    deref_atomic_swap  [ANY, 1, 1]    -> 1 [access, atomic_op] [], SPECIAL.at_deref(AtomicSwap).facts(Facts::DEREF_ATOMICS);

    deref_buffer_array_length [ANY] -> 1 [access] [] ELIMINATE|REORDER, SPECIAL.at_deref(Size);

    load_vertex_id           [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(VertexIndex, Int);
    load_vertex_id_zero_base [] -> 1 [] [32] ELIMINATE|REORDER,
        COMPUTED.only_in(VERTEX).features(&[shaderDrawParameters]);
    load_instance_id         [] -> 1 [] [32] ELIMINATE|REORDER,
        COMPUTED.only_in(VERTEX);
    // Vulkan's InstanceIndex, which counts from the base instance; load_instance_id, GL's gl_InstanceID, counts from 0.
    load_instance_index         [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(InstanceIndex, Int);
    load_base_vertex         [] -> 1 [] [32] ELIMINATE|REORDER,
        COMPUTED.only_in(VERTEX).features(&[shaderDrawParameters]);
    // Vulkan's BaseVertex; load_base_vertex, GL's gl_BaseVertex, is 0 in draws without indices.
    load_first_vertex        [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(BaseVertex, Int);
    load_is_indexed_draw     [] -> 1 [] [32] ELIMINATE|REORDER,
        SPECIAL.facts(Facts::DRAW_KINDS).only_in(VERTEX);
    load_base_instance       [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(BaseInstance, Int);
    load_draw_id             [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(DrawIndex, Int).facts(Facts::DRAW_IDS);
    load_view_index          [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(ViewIndex, Int);

    load_primitive_id             [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(PrimitiveId, Int);
    load_invocation_id            [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(InvocationId, Int);
    load_patch_vertices_in        [] -> 1 [] [32] ELIMINATE|REORDER,
        builtin(PatchVertices, Int);
    load_tess_coord               [] -> 3 [] [32] ELIMINATE|REORDER,
        builtin(TessCoord, Float);
    load_tess_coord_xy            [] -> 2 [] [32] ELIMINATE|REORDER,
        builtin(TessCoord, Float);
    load_tess_level_outer         [] -> 4 [] [32] ELIMINATE|REORDER,
        builtin(TessLevelOuter, Float);
    load_tess_level_inner         [] -> 2 [] [32] ELIMINATE|REORDER,
        builtin(TessLevelInner, Float);
    load_tess_level_outer_default [] -> 4 [] [32] ELIMINATE|REORDER,
        untranslated("the driver has the default levels, and writes them in a control shader of its own").only_in(TESSELLATION);
    load_tess_level_inner_default [] -> 2 [] [32] ELIMINATE|REORDER,
        untranslated("the driver has the default levels, and writes them in a control shader of its own").only_in(TESSELLATION);

    emit_vertex                    []           -> NONE [stream_id] [], STREAM;
    end_primitive                  []           -> NONE [stream_id] [], STREAM;
    emit_vertex_with_counter       [1, 1, 1, 1] -> NONE [stream_id] [], STREAM.facts(Facts::VERTEX_COUNTERS);
    end_primitive_with_counter     [1, 1, 1, 1] -> NONE [stream_id] [], STREAM.facts(Facts::VERTEX_COUNTERS);
    // Of a mesh shader: the numbers of vertices and primitives, and an unused source.
    set_vertex_and_primitive_count [1, 1, 1]    -> NONE [stream_id] [], SPECIAL.only_in(GEOMETRY.union(MESH)).facts(Facts::VERTEX_COUNTERS);

    load_front_face                []  -> 1 []       [1, 32] ELIMINATE|REORDER,
        builtin(FrontFacing, Bool).facts(Facts::SYSTEM_VALUES);
    load_front_face_fsign          []  -> 1 []       [32]    ELIMINATE|REORDER,
        COMPUTED.only_in(FRAGMENT);
    load_sample_id                 []  -> 1 []       [32]    ELIMINATE|REORDER,
        builtin(SampleId, Int);
    load_sample_id_no_per_sample   []  -> 1 []       [32]    ELIMINATE|REORDER,
        untranslated("Vulkan's SampleId always shades each sample").only_in(FRAGMENT);
    load_sample_pos                []  -> 2 []       [32]    ELIMINATE|REORDER,
        builtin(SamplePosition, Float);
    load_sample_pos_or_center      []  -> 2 []       [32]    ELIMINATE|REORDER,
        COMPUTED.only_in(FRAGMENT);
    load_sample_pos_from_id        [1] -> 2 []       []      ELIMINATE|REORDER,
        untranslated("Vulkan has only the position of the own sample").only_in(FRAGMENT);
    load_sample_mask_in            []  -> 1 []       [32]    ELIMINATE|REORDER,
        builtin(SampleMask, Int);
    load_point_coord               []  -> 2 []       [32]    ELIMINATE|REORDER,
        builtin(PointCoord, Float);
    load_point_coord_maybe_flipped [2] -> 2 []       [32],
        builtin(PointCoord, Float);
    load_line_coord                []  -> 1 []       [32]    ELIMINATE|REORDER,
        untranslated("Vulkan has no coordinate of a line").only_in(FRAGMENT);
    load_frag_coord                []  -> 4 []       [32]    ELIMINATE|REORDER,
        builtin(FragCoord, Float);
    load_pixel_coord               []  -> 2 []       [16]    ELIMINATE|REORDER,
        COMPUTED.only_in(FRAGMENT);
    load_helper_invocation         []  -> 1 []       [1, 32] ELIMINATE,
        builtin(HelperInvocation, Bool).facts(Facts::SYSTEM_VALUES);
    is_helper_invocation           []  -> 1 []       [1]     ELIMINATE,
        SPECIAL.only_in(FRAGMENT).features(&[shaderDemoteToHelperInvocation]);
    load_layer_id                  []  -> 1 []       [32]    ELIMINATE|REORDER,
        builtin(Layer, Int);
    load_color0                    []  -> 4 []       [32]    ELIMINATE|REORDER,
        COMPUTED.only_in(FRAGMENT);
    load_color1                    []  -> 4 []       [32]    ELIMINATE|REORDER,
        COMPUTED.only_in(FRAGMENT);
    load_sample_mask               []  -> 1 []       [32]    ELIMINATE,
        untranslated("the driver has the mask of the API").only_in(FRAGMENT);
    load_user_clip_plane           []  -> 4 [ucp_id] [32]    ELIMINATE|REORDER,
        untranslated("the driver has the planes; Mesa makes loads from a uniform block of it (nir_lower_clip_vs)");
    load_blend_const_color_rgba    []  -> 4 []       [32]    ELIMINATE|REORDER,
        untranslated("the driver has the colour; it is for blending in a shader, which is Vulkan's").only_in(FRAGMENT);

    load_workgroup_id              [] -> 3 [] [32]     ELIMINATE|REORDER,
        builtin(WorkgroupId, Uint);
    load_workgroup_index           [] -> 1 [] [32]     ELIMINATE|REORDER,
        COMPUTED.only_in(GRID);
    load_num_workgroups            [] -> 3 [] [32]     ELIMINATE|REORDER,
        builtin(NumWorkgroups, Uint);
    load_local_invocation_id       [] -> 3 [] [32]     ELIMINATE|REORDER,
        builtin(LocalInvocationId, Uint);
    load_local_invocation_index    [] -> 1 [] [32]     ELIMINATE|REORDER,
        builtin(LocalInvocationIndex, Uint);
    load_global_invocation_id      [] -> 3 [] [32, 64] ELIMINATE|REORDER,
        builtin(GlobalInvocationId, Uint).facts(Facts::SYSTEM_VALUES);
    load_global_invocation_index   [] -> 1 [] [32, 64] ELIMINATE|REORDER,
        COMPUTED.only_in(GRID);
    load_base_workgroup_id         [] -> 3 [] [32, 64] ELIMINATE|REORDER,
        COMPUTED.only_in(GRID);
    load_base_global_invocation_id [] -> 3 [] [32, 64] ELIMINATE|REORDER,
        COMPUTED.only_in(GRID);
    load_workgroup_size            [] -> 3 [] [32]     ELIMINATE|REORDER,
        SPECIAL.only_in(GRID);
    load_work_dim                  [] -> 1 [] [32]     ELIMINATE|REORDER,
        untranslated("the driver has the number of dimensions").only_in(COMPUTE);

    load_subgroup_size       [] -> 1 [] [32]     ELIMINATE|REORDER, builtin(SubgroupSize, Uint).basic();
    load_subgroup_invocation [] -> 1 [] [32]     ELIMINATE|REORDER, builtin(SubgroupLocalInvocationId, Uint).basic();
    load_subgroup_id         [] -> 1 [] [32]     ELIMINATE|REORDER, builtin(SubgroupId, Uint).since_1_1();
    load_num_subgroups       [] -> 1 [] [32]     ELIMINATE|REORDER, builtin(NumSubgroups, Uint).since_1_1();
    load_subgroup_eq_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, subgroup_mask(SubgroupEqMask);
    load_subgroup_ge_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, subgroup_mask(SubgroupGeMask);
    load_subgroup_gt_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, subgroup_mask(SubgroupGtMask);
    load_subgroup_le_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, subgroup_mask(SubgroupLeMask);
    load_subgroup_lt_mask    [] -> N [] [32, 64] ELIMINATE|REORDER, subgroup_mask(SubgroupLtMask);

    terminate    []  -> NONE [] [], SPECIAL.only_in(FRAGMENT).facts(Facts::TERMINATIONS);
    terminate_if [1] -> NONE [] [], SPECIAL.only_in(FRAGMENT).facts(Facts::CONDITIONAL_DISCARDS).condition();
    demote       []  -> NONE [] [], DEMOTION;
    demote_if    [1] -> NONE [] [], DEMOTION.facts(Facts::CONDITIONAL_DISCARDS).condition();

    ddx        [N] -> N [] [16, 32] ELIMINATE, derivative(DPdx);
    ddx_fine   [N] -> N [] [16, 32] ELIMINATE, derivative(DPdxFine);
    ddx_coarse [N] -> N [] [16, 32] ELIMINATE, derivative(DPdxCoarse);
    ddy        [N] -> N [] [16, 32] ELIMINATE, derivative(DPdy);
    ddy_fine   [N] -> N [] [16, 32] ELIMINATE, derivative(DPdyFine);
    ddy_coarse [N] -> N [] [16, 32] ELIMINATE, derivative(DPdyCoarse);

    begin_invocation_interlock [] -> NONE [] [], INTERLOCK;
    end_invocation_interlock   [] -> NONE [] [], INTERLOCK;

    barrier      [] -> NONE [execution_scope, memory_scope, memory_semantics, memory_modes] [],
        SPECIAL;
    shader_clock [] -> 2    [memory_scope]                                               [32] ELIMINATE,
        SPECIAL.features_by_operands(&[shaderDeviceClock, shaderSubgroupClock]);

    vote_any                   [1]    -> 1 [] [1]      ELIMINATE,
        vote(GroupNonUniformAny, SubgroupAnyKHR, Bool).condition();
    vote_all                   [1]    -> 1 [] [1]      ELIMINATE,
        vote(GroupNonUniformAll, SubgroupAllKHR, Bool).condition();
    vote_feq                   [N]    -> 1 [] [1]      ELIMINATE,
        vote(GroupNonUniformAllEqual, SubgroupAllEqualKHR, Float).facts(Facts::SUBGROUPS).carried();
    vote_ieq                   [N]    -> 1 [] [1]      ELIMINATE,
        vote(GroupNonUniformAllEqual, SubgroupAllEqualKHR, Uint).facts(Facts::SUBGROUPS).carried();
    ballot                     [1]    -> N [] [32, 64] ELIMINATE,
        BALLOT.condition().carried();
    ballot_bitfield_extract    [4, 1] -> 1 [] [1]      ELIMINATE|REORDER,
        ballot_query(GroupNonUniformBallotBitExtract, None);
    ballot_bit_count_reduce    [4]    -> 1 [] [32]     ELIMINATE|REORDER,
        ballot_query(GroupNonUniformBallotBitCount, Some(Reduce));
    ballot_bit_count_inclusive [4]    -> 1 [] [32]     ELIMINATE|REORDER,
        ballot_query(GroupNonUniformBallotBitCount, Some(InclusiveScan));
    ballot_bit_count_exclusive [4]    -> 1 [] [32]     ELIMINATE|REORDER,
        ballot_query(GroupNonUniformBallotBitCount, Some(ExclusiveScan));
    ballot_find_lsb            [4]    -> 1 [] [32]     ELIMINATE|REORDER,
        ballot_query(GroupNonUniformBallotFindLSB, None);
    ballot_find_msb            [4]    -> 1 [] [32]     ELIMINATE|REORDER,
        ballot_query(GroupNonUniformBallotFindMSB, None);
    ballot_relaxed             [1]    -> N [] [32, 64] ELIMINATE,
        BALLOT.condition().carried();
    inverse_ballot             [N]    -> 1 [] [1]      ELIMINATE,
        ballot_query(GroupNonUniformInverseBallot, None).carried();
    elect                      []     -> 1 [] [1]      ELIMINATE,
        SPECIAL.facts(Facts::SUBGROUPS).basic();
    first_invocation           []     -> 1 [] [32]     ELIMINATE,
        BALLOT;
    last_invocation            []     -> 1 [] [32]     ELIMINATE,
        BALLOT;

    read_invocation       [N, 1] -> N []                           []  ELIMINATE,
        moved(GroupNonUniformBroadcast, GroupNonUniformBallot).features_by_operands(&[subgroupBallot, subgroupShuffle]);
    read_first_invocation [N]    -> N []                           []  ELIMINATE,
        moved(GroupNonUniformBroadcastFirst, GroupNonUniformBallot).features(&[subgroupBallot]);
    shuffle               [N, 1] -> N []                           []  ELIMINATE,
        moved(GroupNonUniformShuffle, Capability::GroupNonUniformShuffle).features(&[subgroupShuffle]).since_1_1();
    shuffle_xor           [N, 1] -> N []                           []  ELIMINATE,
        moved(GroupNonUniformShuffleXor, Capability::GroupNonUniformShuffle).features(&[subgroupShuffle]).since_1_1();
    shuffle_up            [N, 1] -> N []                           []  ELIMINATE,
        moved(GroupNonUniformShuffleUp, GroupNonUniformShuffleRelative).features(&[subgroupShuffleRelative]).since_1_1();
    shuffle_down          [N, 1] -> N []                           []  ELIMINATE,
        moved(GroupNonUniformShuffleDown, GroupNonUniformShuffleRelative).features(&[subgroupShuffleRelative]).since_1_1();
    rotate                [N, 1] -> N [cluster_size]               []  ELIMINATE,
        moved(GroupNonUniformRotateKHR, Capability::GroupNonUniformRotateKHR).features_by_operands(&[subgroupShuffle]).since_1_1();
    quad_broadcast        [N, 1] -> N []                           []  ELIMINATE,
        moved(GroupNonUniformQuadBroadcast, GroupNonUniformQuad).features(&[subgroupQuad]).since_1_1();
    quad_swap_horizontal  [N]    -> N []                           []  ELIMINATE,
        quad_swap(0);
    quad_swap_vertical    [N]    -> N []                           []  ELIMINATE,
        quad_swap(1);
    quad_swap_diagonal    [N]    -> N []                           []  ELIMINATE,
        quad_swap(2);
    quad_vote_any         [1]    -> 1 []                           [1] ELIMINATE,
        QUAD_VOTE;
    quad_vote_all         [1]    -> 1 []                           [1] ELIMINATE,
        QUAD_VOTE;
    reduce                [N]    -> N [reduction_op, cluster_size] []  ELIMINATE,
        reduction(Reduce).features_by_operands(&[subgroupArithmetic, subgroupClustered, shaderSubgroupExtendedTypes]);
    inclusive_scan        [N]    -> N [reduction_op]               []  ELIMINATE,
        reduction(InclusiveScan).features(&[subgroupArithmetic]);
    exclusive_scan        [N]    -> N [reduction_op]               []  ELIMINATE,
        reduction(ExclusiveScan).features(&[subgroupArithmetic]);

    is_sparse_texels_resident [1]    -> 1 [] [1, 32] ELIMINATE|REORDER, SPECIAL.wide_sources();
    is_sparse_resident_zink   [N]    -> 1 [] [1]     ELIMINATE|REORDER, SPECIAL.facts(Facts::JOINED_RESIDENCY).wide_sources();
    sparse_residency_code_and [1, 1] -> 1 [] [32]    ELIMINATE|REORDER, SPECIAL.facts(Facts::JOINED_RESIDENCY);
    // The residency code of these texels, which `lower_sparse` takes from the result. NIR has no such intrinsic.
    sparse_residency_code     [N]    -> 1 [] [32]    ELIMINATE|REORDER, untranslated("only ntv makes it");

    image_deref_load              [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE,
        IMAGE.image(ImageOperation::Load, Deref);
    image_deref_sparse_load       [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE,
        SPARSE_IMAGE.image(ImageOperation::SparseLoad, Deref);
    image_deref_store             [ANY, 4, 1, N, 1] -> NONE [image_dim, image_array, format, access, src_type] [],
        IMAGE.image(ImageOperation::Store, Deref);
    image_deref_atomic            [ANY, 4, 1, 1]    -> 1    [image_dim, image_array, format, access, atomic_op] [],
        IMAGE.image(ImageOperation::Atomic, Deref);
    image_deref_atomic_swap       [ANY, 4, 1, 1, 1] -> 1    [image_dim, image_array, format, access, atomic_op] [],
        IMAGE.image(ImageOperation::AtomicSwap, Deref);
    image_deref_size              [ANY, 1]          -> N    [image_dim, image_array, format, access]           [] ELIMINATE|REORDER,
        IMAGE.image(ImageOperation::Size, Deref);
    image_deref_samples           [ANY]             -> 1    [image_dim, image_array, format, access]           [] ELIMINATE|REORDER,
        IMAGE.image(ImageOperation::Samples, Deref);
    image_deref_levels            [ANY]             -> 1    [image_dim, image_array, format, access]           [] ELIMINATE|REORDER,
        TEXTURE_QUERY.image(ImageOperation::Levels, Deref);
    image_deref_samples_identical [ANY, 4]          -> 1    [image_dim, image_array, format, access]           [] ELIMINATE,
        TEXTURE_QUERY.image(ImageOperation::SamplesIdentical, Deref);

    image_load        [1, 4, 1, 1]    -> N    [image_dim, image_array, format, access, range_base, dest_type] [] ELIMINATE,
        IMAGE.image(ImageOperation::Load, Unit);
    image_sparse_load [1, 4, 1, 1]    -> N    [image_dim, image_array, format, access, range_base, dest_type] [] ELIMINATE,
        SPARSE_IMAGE.image(ImageOperation::SparseLoad, Unit);
    image_store       [1, 4, 1, N, 1] -> NONE [image_dim, image_array, format, access, range_base, src_type] [],
        IMAGE.image(ImageOperation::Store, Unit);
    image_atomic      [1, 4, 1, 1]    -> 1    [image_dim, image_array, format, access, range_base, atomic_op] [],
        IMAGE.image(ImageOperation::Atomic, Unit);
    image_atomic_swap [1, 4, 1, 1, 1] -> 1    [image_dim, image_array, format, access, range_base, atomic_op] [],
        IMAGE.image(ImageOperation::AtomicSwap, Unit);
    image_size        [1, 1]          -> N    [image_dim, image_array, format, access, range_base]         [] ELIMINATE|REORDER,
        IMAGE.image(ImageOperation::Size, Unit);
    image_samples     [1]             -> 1    [image_dim, image_array, format, access, range_base]         [] ELIMINATE|REORDER,
        IMAGE.image(ImageOperation::Samples, Unit);
    image_levels      [1]             -> 1    [image_dim, image_array, format, access, range_base]         [] ELIMINATE|REORDER,
        TEXTURE_QUERY.image(ImageOperation::Levels, Unit);

    bindless_image_load        [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE,
        IMAGE.image(ImageOperation::Load, Handle);
    bindless_image_sparse_load [ANY, 4, 1, 1]    -> N    [image_dim, image_array, format, access, dest_type] [] ELIMINATE,
        SPARSE_IMAGE.image(ImageOperation::SparseLoad, Handle);
    bindless_image_store       [ANY, 4, 1, N, 1] -> NONE [image_dim, image_array, format, access, src_type]  [],
        IMAGE.image(ImageOperation::Store, Handle);
    bindless_image_atomic      [ANY, 4, 1, 1]    -> 1    [image_dim, image_array, format, access, atomic_op] [],
        IMAGE.image(ImageOperation::Atomic, Handle);
    bindless_image_atomic_swap [ANY, 4, 1, 1, 1] -> 1    [image_dim, image_array, format, access, atomic_op] [],
        IMAGE.image(ImageOperation::AtomicSwap, Handle);
    bindless_image_size        [ANY, 1]          -> N    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER,
        IMAGE.image(ImageOperation::Size, Handle);
    bindless_image_samples     [ANY]             -> 1    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER,
        IMAGE.image(ImageOperation::Samples, Handle);
    bindless_image_levels      [ANY]             -> 1    [image_dim, image_array, format, access]            [] ELIMINATE|REORDER,
        TEXTURE_QUERY.image(ImageOperation::Levels, Handle);

    load_per_primitive_output  [1, 1]    -> N    [base, component, dest_type, io_semantics]                     [] ELIMINATE,
        BY_SLOT.output(Some(0), 1).only_in(MESH);
    store_per_primitive_output [N, 1, 1] -> NONE [base, range, write_mask, component, src_type, io_semantics] [],
        BY_SLOT.output(Some(1), 2).only_in(MESH);
    load_task_payload          [1]       -> N    [base, access, align_mul, align_offset]                        [] ELIMINATE,
        BY_OFFSET.at_offset(TaskPayload, Load, 0).wide_result().only_in(TASK.union(MESH));
    store_task_payload         [N, 1]    -> NONE [base, access, write_mask, align_mul, align_offset]            [],
        PAYLOAD.at_offset(TaskPayload, Store, 1).wide_sources();
    task_payload_atomic        [1, 1]    -> 1    [base, atomic_op]                                              [],
        PAYLOAD.at_offset(TaskPayload, Atomic, 0);
    task_payload_atomic_swap   [1, 1, 1] -> 1    [base, atomic_op]                                              [],
        PAYLOAD.at_offset(TaskPayload, AtomicSwap, 0);
    // Ends the task shader; the payload is `range` bytes from `base`.
    launch_mesh_workgroups     [3]       -> NONE [base, range]                                                  [],
        SPECIAL.only_in(TASK);

    // Blocks as SPIR-V of Vulkan names them; `raise` makes blocks by number of them.
    vulkan_resource_index   [1]      -> ANY [desc_set, binding, desc_type] [] ELIMINATE|REORDER, untranslated(VULKAN);
    vulkan_resource_reindex [ANY, 1] -> ANY [desc_type]                    [] ELIMINATE|REORDER, untranslated(VULKAN);
    load_vulkan_descriptor  [ANY]    -> ANY [desc_type]                    [] ELIMINATE|REORDER, untranslated(VULKAN);

    // The payload is that of a variable.
    launch_mesh_workgroups_with_payload_deref [3, ANY] -> NONE [] [], untranslated(PAYLOAD_DEREF).only_in(TASK);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::meaning::MemoryOperation;

    #[test]
    fn columns_follow_from_others() {
        for op in Intrinsic::ALL {
            let info = op.info();
            for index in Index::ALL {
                assert_eq!(info.index_slot(*index), info.indices.iter().position(|other| other == index));
            }
            let value = info.srcs.iter().position(|components| *components == Components::Instr);
            assert_eq!(info.value.map(usize::from), value, "{}", op.name());
        }
    }

    #[test]
    fn pointers_are_sources_of_any_size() {
        for op in Intrinsic::ALL {
            let info = op.info();
            let first = info.srcs.get(..info.pointers.into()).expect("as many sources");
            let by_one = [Components::Any, Components::Exactly(1)];
            assert!(first.iter().all(|components| by_one.contains(components)), "{}", op.name());
        }
        let pointers = [Intrinsic::load_ubo, Intrinsic::store_deref, Intrinsic::copy_deref];
        assert_eq!(pointers.map(|op| op.info().pointers), [0, 1, 2]);
    }

    #[test]
    fn accesses_name_their_sources() {
        for op in Intrinsic::ALL {
            let (info, name) = (op.info(), op.name());
            let Some(memory) = info.memory else { continue };
            let components =
                |src: u8| *info.srcs.get(usize::from(src)).unwrap_or_else(|| panic!("{name}: source {src}"));
            assert!(memory.block.map_or(true, |block| components(block) == Components::Any), "{name}");
            assert!(memory.offset.map_or(true, |offset| components(offset) == Components::Exactly(1)), "{name}");
            assert_eq!(memory.kind == MemoryKind::Deref, memory.block.or(memory.offset).is_none(), "{name}");
            let data = match memory.operation {
                MemoryOperation::Load | MemoryOperation::Size => 0,
                MemoryOperation::Store | MemoryOperation::Atomic => 1,
                MemoryOperation::AtomicSwap => 2,
            };
            let places = usize::from(info.pointers) + memory.block.iter().count() + memory.offset.iter().count();
            assert_eq!(info.srcs.len(), places + data, "{name}");
            assert_eq!(info.dest == Components::None, memory.operation == MemoryOperation::Store, "{name}");
            assert_eq!(info.value.is_some(), memory.operation == MemoryOperation::Store, "{name}");
            if memory.operation.is_atomic() {
                assert_eq!(memory.atomic_data(), places, "{name}");
            }
        }
    }

    #[test]
    fn inputs_and_outputs_name_their_sources() {
        for op in Intrinsic::ALL {
            let (info, name) = (op.info(), op.name());
            assert_eq!(op.meaning().io.is_some(), info.has_index(Index::io_semantics), "{name}");
            let Some(io) = op.meaning().io else { continue };
            assert_eq!(usize::from(io.offset), info.srcs.len() - 1, "{name}");
            let vertex = io.vertex.map(|vertex| info.srcs[usize::from(vertex)]);
            assert!(matches!(vertex, None | Some(Components::Exactly(1))), "{name}");
            assert!(io.is_output || info.dest != Components::None, "{name}");
        }
    }

    #[test]
    fn atomics_have_their_memory() {
        for op in Intrinsic::ALL {
            let of_memory = op.info().memory.is_some_and(|memory| memory.operation.is_atomic());
            let of_image = op.meaning().image.is_some_and(|image| image.operation.is_atomic());
            assert_eq!(op.info().has_index(Index::atomic_op), of_memory || of_image, "{}", op.name());
        }
    }

    #[test]
    fn operations_on_images_are_found() {
        for op in Intrinsic::ALL {
            let (info, name) = (op.info(), op.name());
            assert_eq!(op.meaning().image.is_some(), info.has_index(Index::image_dim), "{name}");
            let Some(image) = op.meaning().image else { continue };
            assert_eq!(Intrinsic::on_image(image.operation, image.name), Some(*op), "{name}");
            assert_eq!(info.pointers == 1, image.name == Deref, "{name}");
            let by = if image.name == Unit { Components::Exactly(1) } else { Components::Any };
            assert_eq!(info.srcs[0], by, "{name}");
            let level = image.operation.level().map(|level| info.srcs[level]);
            assert!(matches!(level, None | Some(Components::Exactly(1))), "{name}");
        }
        assert_eq!(Intrinsic::on_image(ImageOperation::SamplesIdentical, Handle), None);
    }

    #[test]
    fn forms_fit_their_rows() {
        for op in Intrinsic::ALL {
            let (info, name) = (op.info(), op.name());
            match info.form {
                IntrinsicForm::Derivative(_) | IntrinsicForm::QuadSwap(_) => {
                    assert_eq!(info.srcs, [Components::Instr], "{name}")
                }
                IntrinsicForm::Move(..) => assert!(info.srcs[0] == Components::Instr && info.srcs.len() <= 2, "{name}"),
                IntrinsicForm::Vote(..) => assert_eq!(info.dest_bits, 1, "{name}"),
                IntrinsicForm::BuiltIn(..)
                | IntrinsicForm::BallotQuery(..)
                | IntrinsicForm::Special
                | IntrinsicForm::Untranslated => {}
                IntrinsicForm::Reduction(_) => {}
            }
            assert_eq!(matches!(info.form, IntrinsicForm::Reduction(_)), info.has_index(Index::reduction_op), "{name}");
            let features = op.meaning().features;
            assert!(op.meaning().features_by_operands.iter().all(|feature| !features.contains(feature)), "{name}");
        }
    }
}
