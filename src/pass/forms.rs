//! Forms: constructs in a shader that a pass removes permanently.
//!
//! A pass names the forms that it removes; after it, and after every later pass, no instruction of these forms may exist. Debug
//! builds check this.

use crate::analysis::framebuffer::FramebufferRead;
use crate::ir::{InstKind, Shader};
use crate::op::meaning::Traits;
use crate::op::{Intrinsic, Needs};
use crate::pass::control::lower_sysvals;
use crate::pass::memory::{lower_atomics, lower_buffer_derefs, lower_global};
use crate::pass::texture::{lower_descriptors, lower_sparse};
use bitflags::bitflags;

bitflags! {
    /// Constructs that have no SPIR-V.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Forms: u32 {
        /// `decl_reg`, `load_reg`, `store_reg`.
        const REGISTERS = 1 << 0;
        /// Inputs and outputs by slot.
        const EXPLICIT_IO = 1 << 1;
        /// Uniform blocks by byte offset.
        const UBO_OFFSETS = 1 << 2;
        /// Storage blocks by byte offset.
        const SSBO_OFFSETS = 1 << 3;
        /// Shared memory, scratch and push constants by byte offset.
        const MEMORY_OFFSETS = 1 << 4;
        /// Pointers into blocks whose element is not `uvec4`.
        const BUFFER_DEREFS = 1 << 5;
        /// `demote_if`, `terminate_if`.
        const CONDITIONAL_DISCARD = 1 << 6;
        /// ALU operations without a SPIR-V instruction.
        const LOWERED_ALU = 1 << 7;
        /// Vectors of more than four components.
        const WIDE_VECTORS = 1 << 8;
        /// Atomics that SPIR-V does not have.
        const LOWERED_ATOMICS = 1 << 9;
        /// Intrinsics that count the vertices of geometry shaders.
        const VERTEX_COUNTERS = 1 << 10;
        /// System values that Vulkan does not have.
        const SYSTEM_VALUES = 1 << 11;
        /// Textures and images by the number of a unit or by a handle.
        const TEXTURE_NAMES = 1 << 12;
        /// Texels and residency codes in one vector.
        const RESIDENCY = 1 << 13;
        /// Global memory by address.
        const GLOBAL_ADDRESSES = 1 << 14;
        /// Loads of what the framebuffer holds.
        const FRAMEBUFFER_READS = 1 << 15;
        /// Parts of outputs that transform feedback captures, and values that only the state of a captured draw provides.
        const CAPTURES = 1 << 16;
    }
}

impl Forms {
    /// The forms that `shader` contains.
    pub fn of(shader: &Shader) -> Forms {
        let captures = if shader.xfb_info.is_empty() { Forms::empty() } else { Forms::CAPTURES };
        shader.order.iter().fold(captures, |forms, inst| {
            let data = &shader.insts[*inst];
            let wide = if data.num_components > 4 { Forms::WIDE_VECTORS } else { Forms::empty() };
            let own = match data.kind {
                InstKind::Alu { .. } if shader.is_lowered(*inst) => Forms::LOWERED_ALU,
                InstKind::Intrinsic { .. } if lower_atomics::is_foreign(shader, *inst) => Forms::LOWERED_ATOMICS,
                InstKind::Intrinsic { .. } if lower_global::is_by_address(shader, *inst) => Forms::GLOBAL_ADDRESSES,
                InstKind::Intrinsic { op, .. } => intrinsic_forms(op),
                _ => Forms::empty(),
            };
            let unnamed = lower_descriptors::is_unnamed(shader, *inst);
            let unnamed = if unnamed { Forms::TEXTURE_NAMES } else { Forms::empty() };
            let reads = FramebufferRead::new(shader, *inst).is_some();
            let reads = if reads { Forms::FRAMEBUFFER_READS } else { Forms::empty() };
            let joined = if lower_sparse::is_joined(shader, *inst) { Forms::RESIDENCY } else { Forms::empty() };
            let typed = lower_buffer_derefs::is_typed_access(shader, *inst);
            forms | wide | own | unnamed | joined | reads | if typed { Forms::BUFFER_DEREFS } else { Forms::empty() }
        })
    }
}

/// What passes that have to look at an intrinsic remove for good.
const REMOVED: &[(Needs, Forms)] = &[
    (Needs::REGISTERS, Forms::REGISTERS),
    (Needs::UBO_OFFSETS, Forms::UBO_OFFSETS),
    (Needs::SSBO_OFFSETS, Forms::SSBO_OFFSETS),
    (Needs::MEMORY_OFFSETS, Forms::MEMORY_OFFSETS),
    (Needs::VERTEX_COUNTERS, Forms::VERTEX_COUNTERS),
    (Needs::EXPLICIT_IO, Forms::EXPLICIT_IO),
];

fn intrinsic_forms(op: Intrinsic) -> Forms {
    let needs = op.info().needs;
    if let Some((_, removed)) = REMOVED.iter().find(|(need, _)| needs.contains(*need)) {
        return *removed;
    }
    match op {
        _ if needs.contains(Needs::DISCARDS) && op.info().traits.contains(Traits::CONDITION) => {
            Forms::CONDITIONAL_DISCARD
        }
        Intrinsic::load_is_indexed_draw => Forms::CAPTURES,
        _ if lower_sysvals::is_computed(op) => Forms::SYSTEM_VALUES,
        _ => Forms::empty(),
    }
}
