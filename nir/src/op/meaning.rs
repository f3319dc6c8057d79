// SPDX-License-Identifier: MIT

//! The meaning of intrinsics: the last column of their table.
//!
//! A [`Meaning`] starts as `SPECIAL` or as the result of a function such as `builtin` or `untranslated`, and each method adds a
//! fact. Rows that share many facts start with a constant above the table.

use super::builtins::BuiltInInfo;
use super::facts::Facts;
use super::Base;
use crate::feature::Feature;
use bitflags::bitflags;
use spirv::{BuiltIn, Capability, GroupOperation, Op};

/// The form of an intrinsic in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntrinsicForm {
    /// A load of a built-in input whose components have this base type.
    BuiltIn(BuiltIn, Base),
    /// A derivative: one instruction on the source as it is, floats in and out.
    Derivative(Op),
    /// A vote: the instruction, the instruction of SPV_KHR_subgroup_vote, and the type as which values are compared.
    Vote(Op, Op, Base),
    /// The value of another invocation, which a second source may number.
    Move(Op, Capability),
    /// The value of another invocation of the quad, in this direction.
    QuadSwap(u8),
    /// A query of a ballot, and how its bits are counted if they are.
    BallotQuery(Op, Option<GroupOperation>),
    /// A reduction or scan.
    Reduction(GroupOperation),
    /// Another form: the emitter's family for it, or a pass that rewrites it, has the details.
    Special,
    /// A shader that has it cannot be translated.
    Untranslated,
}

bitflags! {
    /// Stages of the pipeline.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stages: u8 {
        /// Vertex shaders.
        const VERTEX = 1 << 0;
        /// Tessellation control shaders.
        const TESS_CTRL = 1 << 1;
        /// Tessellation evaluation shaders.
        const TESS_EVAL = 1 << 2;
        /// Geometry shaders.
        const GEOMETRY = 1 << 3;
        /// Fragment shaders.
        const FRAGMENT = 1 << 4;
        /// Compute shaders and kernels.
        const COMPUTE = 1 << 5;
        /// Task shaders.
        const TASK = 1 << 6;
        /// Mesh shaders.
        const MESH = 1 << 7;
        /// Shaders with a grid of workgroups.
        const GRID = Self::COMPUTE.bits() | Self::TASK.bits() | Self::MESH.bits();
    }
}

bitflags! {
    /// Properties of some intrinsics.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Traits: u8 {
        /// Its values can be carried in 32-bit values: it reads and writes memory by words, or moves bits between invocations.
        const CARRIED = 1 << 0;
        /// Its result may have more components than a SPIR-V vector: a pass splits it.
        const WIDE_RESULT = 1 << 1;
        /// Its sources may have more components than a SPIR-V vector.
        const WIDE_SOURCES = 1 << 2;
        /// Its first source is a condition, of 1 bit.
        const CONDITION = 1 << 3;
        /// Every driver of Vulkan 1.1 has it; before 1.1 the extension for ballots is required.
        const BASIC_SUBGROUP = 1 << 4;
        /// No extension of Vulkan 1.0 has it.
        const NOT_BEFORE_1_1 = 1 << 5;
    }
}

/// The kind of memory that an intrinsic accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Uniform blocks.
    Ubo,
    /// Storage blocks.
    Ssbo,
    /// Push constants.
    PushConstant,
    /// Memory of the workgroup.
    Shared,
    /// What the workgroup of a task shader gives to those of mesh shaders.
    TaskPayload,
    /// Memory of the invocation.
    Scratch,
    /// Memory by address: the address is in the source that has the offset for other kinds.
    Global,
    /// The shader's constant data.
    Constant,
    /// Parameters of a kernel.
    KernelInput,
    /// Uniforms outside of blocks.
    Uniform,
    /// The memory of the deref in the first source.
    Deref,
}

/// An operation on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOperation {
    /// A read.
    Load,
    /// A write.
    Store,
    /// An atomic operation with one operand.
    Atomic,
    /// An atomic operation with two operands: the value to compare, and the value to store.
    AtomicSwap,
    /// A query of the size.
    Size,
}

impl MemoryOperation {
    /// Whether it is an atomic.
    pub const fn is_atomic(self) -> bool {
        matches!(self, MemoryOperation::Atomic | MemoryOperation::AtomicSwap)
    }

    /// Whether it changes the memory.
    pub const fn writes(self) -> bool {
        self.is_atomic() || matches!(self, MemoryOperation::Store)
    }
}

/// The unit of the offset of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Bytes.
    Bytes,
    /// Vectors of 16 bytes.
    Vec4s,
    /// Members of zink's push constants.
    ZinkMembers,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The memory.
    pub kind: MemoryKind,
    /// The operation.
    pub operation: MemoryOperation,
    /// The source with the index of the block, if there are several.
    pub block: Option<u8>,
    /// The source with the offset or the address; `None` for sizes and derefs.
    pub offset: Option<u8>,
    /// The unit of the offset.
    pub unit: OffsetUnit,
}

impl MemoryAccess {
    const fn new(kind: MemoryKind, operation: MemoryOperation, block: Option<u8>, offset: Option<u8>) -> MemoryAccess {
        MemoryAccess { kind, operation, block, offset, unit: OffsetUnit::Bytes }
    }

    /// The first source of an atomic's data: the operand, or the value to compare and the value to store. It follows the address.
    pub const fn atomic_data(self) -> usize {
        match self.offset {
            Some(offset) => offset as usize + 1,
            None => 1,
        }
    }
}

/// The way in which an intrinsic names its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageName {
    /// By the number of a unit.
    Unit,
    /// By a handle.
    Handle,
    /// By a deref.
    Deref,
}

/// An operation on an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageOperation {
    /// A read of a texel.
    Load,
    /// A read of a texel and of its residency code.
    SparseLoad,
    /// A write of a texel.
    Store,
    /// An atomic operation with one operand.
    Atomic,
    /// An atomic operation with two operands: the value to compare, and the value to store.
    AtomicSwap,
    /// A query of the size.
    Size,
    /// A query of the number of samples.
    Samples,
    /// A query of the number of levels.
    Levels,
    /// A query of whether all samples of a texel are the same.
    SamplesIdentical,
}

impl ImageName {
    /// The number of variants.
    pub(super) const COUNT: usize = 3;
}

impl ImageOperation {
    /// The number of variants.
    pub(super) const COUNT: usize = 9;

    /// Whether it reads texels.
    pub const fn loads(self) -> bool {
        matches!(self, ImageOperation::Load | ImageOperation::SparseLoad)
    }

    /// Whether it is an atomic.
    pub const fn is_atomic(self) -> bool {
        matches!(self, ImageOperation::Atomic | ImageOperation::AtomicSwap)
    }

    /// Whether it changes the image.
    pub const fn writes(self) -> bool {
        self.is_atomic() || matches!(self, ImageOperation::Store)
    }

    /// Whether it is a query of the image, not of its texels.
    pub const fn is_query(self) -> bool {
        matches!(self, ImageOperation::Size | ImageOperation::Samples | ImageOperation::Levels)
    }

    /// The source with the level, if there is one.
    pub const fn level(self) -> Option<usize> {
        match self {
            ImageOperation::Load | ImageOperation::SparseLoad => Some(3),
            ImageOperation::Store => Some(4),
            ImageOperation::Size => Some(1),
            _ => None,
        }
    }
}

/// An operation on an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageAccess {
    /// The operation.
    pub operation: ImageOperation,
    /// The way in which the first source names the image.
    pub name: ImageName,
}

/// A read or write of an input or output by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoAccess {
    /// Whether it is an output.
    pub is_output: bool,
    /// The source with the vertex, if each vertex has a value, or with the primitive, if each primitive has one.
    pub vertex: Option<u8>,
    /// The source with the offset, which counts by [`step`](super::slots::step).
    pub offset: u8,
}

/// The place in a pixel at which an input is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// In the middle of the pixel.
    Pixel,
    /// At the centroid of the part of the pixel that the primitive covers.
    Centroid,
    /// At the sample that the fragment is shaded for.
    Sample,
    /// At the sample that the last source numbers.
    AtSample,
    /// At the offset from the middle in the last source.
    AtOffset,
    /// At the vertex that the last source numbers.
    AtVertex,
}

/// The facts about an intrinsic. [`Intrinsic::info`](super::Intrinsic::info) has those that a translation reads often; the others
/// are here.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    pub(super) form: IntrinsicForm,
    pub(super) facts: Facts,
    pub(super) stages: Stages,
    pub(super) traits: Traits,
    pub(super) pointers: u8,
    pub(super) memory: Option<MemoryAccess>,
    /// Its operation on an image.
    pub image: Option<ImageAccess>,
    /// Its access to inputs or outputs.
    pub io: Option<IoAccess>,
    /// The place at which it, or the intrinsic that uses its result, interpolates an input.
    pub sampling: Option<Sampling>,
    /// The features that it needs with any operands.
    pub features: &'static [Feature],
    /// The features that it may need in addition, because of its operands or of the rest of the shader.
    pub features_by_operands: &'static [Feature],
    /// The reason why it has no translation; empty if it has one.
    pub why: &'static str,
}

/// The start of intrinsics without a [`IntrinsicForm`] of their own.
pub(super) const SPECIAL: Meaning = Meaning::new(IntrinsicForm::Special);

/// The start of intrinsics that are only read, printed and checked, for this reason: the end of a message that begins with
/// `is not translated: `.
pub(super) const fn untranslated(why: &'static str) -> Meaning {
    Meaning { why, ..Meaning::new(IntrinsicForm::Untranslated) }
}

/// A load of a built-in input, in the stages that have it.
pub(super) const fn builtin(builtin: BuiltIn, base: Base) -> Meaning {
    Meaning::new(IntrinsicForm::BuiltIn(builtin, base)).only_in(BuiltInInfo::of(builtin).inputs)
}

impl Meaning {
    pub(super) const fn new(form: IntrinsicForm) -> Meaning {
        Meaning {
            form,
            facts: Facts::empty(),
            stages: Stages::all(),
            traits: Traits::empty(),
            pointers: 0,
            memory: None,
            image: None,
            io: None,
            sampling: None,
            features: &[],
            features_by_operands: &[],
            why: "",
        }
    }

    /// Adds what a shader has with it.
    pub(super) const fn facts(mut self, facts: Facts) -> Meaning {
        self.facts = self.facts.union(facts);
        self
    }

    /// Limits it to these stages.
    pub(super) const fn only_in(mut self, stages: Stages) -> Meaning {
        self.stages = stages;
        self
    }

    /// Sets the features that it needs.
    pub(super) const fn features(mut self, features: &'static [Feature]) -> Meaning {
        self.features = features;
        self
    }

    /// Sets the features that it may need in addition.
    pub(super) const fn features_by_operands(mut self, features: &'static [Feature]) -> Meaning {
        self.features_by_operands = features;
        self
    }

    const fn with(mut self, traits: Traits) -> Meaning {
        self.traits = self.traits.union(traits);
        self
    }

    /// See [`Traits::CARRIED`].
    pub(super) const fn carried(self) -> Meaning {
        self.with(Traits::CARRIED)
    }

    /// See [`Traits::WIDE_RESULT`].
    pub(super) const fn wide_result(self) -> Meaning {
        self.with(Traits::WIDE_RESULT)
    }

    /// See [`Traits::WIDE_SOURCES`].
    pub(super) const fn wide_sources(self) -> Meaning {
        self.with(Traits::WIDE_SOURCES)
    }

    /// See [`Traits::CONDITION`].
    pub(super) const fn condition(self) -> Meaning {
        self.with(Traits::CONDITION)
    }

    /// See [`Traits::BASIC_SUBGROUP`].
    pub(super) const fn basic(self) -> Meaning {
        self.with(Traits::BASIC_SUBGROUP)
    }

    /// See [`Traits::NOT_BEFORE_1_1`].
    pub(super) const fn since_1_1(self) -> Meaning {
        self.with(Traits::NOT_BEFORE_1_1)
    }

    /// Sets the number of its first sources that are derefs.
    pub(super) const fn pointers(mut self, pointers: u8) -> Meaning {
        self.pointers = pointers;
        self
    }

    /// Adds an access to the block with the index in source `block`, at the offset in source `offset`.
    pub(super) const fn in_block(
        mut self,
        kind: MemoryKind,
        operation: MemoryOperation,
        [block, offset]: [u8; 2],
    ) -> Meaning {
        self.memory = Some(MemoryAccess::new(kind, operation, Some(block), Some(offset)));
        self
    }

    /// Adds an access to memory at the offset, or address, in source `offset`.
    pub(super) const fn at_offset(mut self, kind: MemoryKind, operation: MemoryOperation, offset: u8) -> Meaning {
        self.memory = Some(MemoryAccess::new(kind, operation, None, Some(offset)));
        self
    }

    /// Adds a query of the size of the block with the index in the first source.
    pub(super) const fn size_of(mut self, kind: MemoryKind) -> Meaning {
        self.memory = Some(MemoryAccess::new(kind, MemoryOperation::Size, Some(0), None));
        self
    }

    /// Adds an access to the memory of the deref in the first source.
    pub(super) const fn at_deref(mut self, operation: MemoryOperation) -> Meaning {
        self.memory = Some(MemoryAccess::new(MemoryKind::Deref, operation, None, None));
        self.pointers(1)
    }

    /// Sets the unit of the offset of its access; bytes are the default.
    pub(super) const fn counts(mut self, unit: OffsetUnit) -> Meaning {
        if let Some(memory) = self.memory {
            self.memory = Some(MemoryAccess { unit, ..memory });
        }
        self
    }

    /// Adds an operation on an image.
    pub(super) const fn image(mut self, operation: ImageOperation, name: ImageName) -> Meaning {
        self.image = Some(ImageAccess { operation, name });
        match name {
            ImageName::Deref => self.pointers(1),
            ImageName::Unit | ImageName::Handle => self.facts(Facts::UNNAMED_TEXTURES),
        }
    }

    /// Adds a read of an input with the offset in source `offset`, and the vertex in source `vertex` if there is one.
    pub(super) const fn input(mut self, vertex: Option<u8>, offset: u8) -> Meaning {
        self.io = Some(IoAccess { is_output: false, vertex, offset });
        self
    }

    /// Adds a read or write of an output; see [`Meaning::input`].
    pub(super) const fn output(mut self, vertex: Option<u8>, offset: u8) -> Meaning {
        self.io = Some(IoAccess { is_output: true, vertex, offset });
        self
    }

    /// Sets the place at which it interpolates an input.
    pub(super) const fn samples(mut self, sampling: Sampling) -> Meaning {
        self.sampling = Some(sampling);
        self
    }
}
