// SPDX-License-Identifier: MIT

//! The facts about a shader that decide which passes run and which checks are worthwhile.

use super::Modes;
use bitflags::bitflags;

bitflags! {
    /// What a shader has. Facts know no pass: each pass names those that make it run.
    ///
    /// Opcodes have a column of them. Facts that depend on more than the opcode are recorded when an instruction or a variable is
    /// added, and [`Shader::facts`](crate::ir::Shader::facts) adds those of the header and the types.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Facts: u64 {
        /// Results of one bit. The bit of a width is the width, so that it is recorded without a table.
        const BITS_1 = 1;
        /// Results of 8 bits.
        const BITS_8 = 8;
        /// Results of 16 bits.
        const BITS_16 = 16;
        /// Results of 32 bits.
        const BITS_32 = 32;
        /// Results of 64 bits.
        const BITS_64 = 64;
        /// Types of 64-bit numbers.
        const TYPES_64 = 1 << 1;
        /// Vectors of more than four components.
        const WIDE_VECTORS = 1 << 2;
        /// Phis.
        const PHIS = 1 << 7;
        /// Jumps.
        const JUMPS = 1 << 8;
        /// Derefs other than of a variable, a member, or an element with a constant index: without them, no element has a dynamic
        /// index.
        const UNUSUAL_STEPS = 1 << 9;
        /// ALU operations that SPIR-V does not have.
        const LOWERED_ALU = 1 << 10;
        /// NIR's registers.
        const REGISTERS = 1 << 11;
        /// Terminations of invocations.
        const TERMINATIONS = 1 << 12;
        /// Terminations and demotions of invocations on a condition.
        const CONDITIONAL_DISCARDS = 1 << 13;
        /// Counts of the vertices of geometry shaders.
        const VERTEX_COUNTERS = 1 << 14;
        /// A geometry shader that must not emit a vertex.
        const NO_VERTICES = 1 << 15;
        /// System values that Vulkan does not have, or has in another form.
        const SYSTEM_VALUES = 1 << 16;
        /// Loads of the number of the draw, which may be counted from another one.
        const DRAW_IDS = 1 << 17;
        /// Loads of whether the draw has indices.
        const DRAW_KINDS = 1 << 18;
        /// Inputs and outputs by slot.
        const EXPLICIT_IO = 1 << 19;
        /// Those with a flag that has no translation, a stream, or captures of transform feedback.
        const UNUSUAL_SLOTS = 1 << 46;
        /// Loads of outputs of a fragment shader by slot: of what the framebuffer holds.
        const FRAMEBUFFER_READS = 1 << 20;
        /// Output variables that are read from the framebuffer.
        const FETCHED_OUTPUTS = 1 << 21;
        /// Clip and cull distances, some of which may have no value.
        const DISTANCES = 1 << 22;
        /// Inputs and outputs of types that an interface may not have.
        const ODD_IO_TYPES = 1 << 23;
        /// The output for all colours.
        const FRAG_COLOR = 1 << 24;
        /// Inputs or outputs that may share a Location, or whose Locations are to be assigned.
        const SHARED_LOCATIONS = 1 << 25;
        /// Private memory that constants are stored to.
        const PRIVATE_CONSTANTS = 1 << 26;
        /// Uniform blocks by byte offset.
        const UBO_OFFSETS = 1 << 27;
        /// Storage blocks by byte offset.
        const SSBO_OFFSETS = 1 << 28;
        /// Shared memory, scratch and push constants by byte offset.
        const MEMORY_OFFSETS = 1 << 29;
        /// Global memory by address.
        const GLOBAL_ADDRESSES = 1 << 30;
        /// Uniform and storage blocks that an index selects.
        const PICKED_BLOCKS = 1 << 31;
        /// Atomics through derefs.
        const DEREF_ATOMICS = 1 << 32;
        /// Those with operations that SPIR-V does not have.
        const LOWERED_ATOMICS = 1 << 33;
        /// Captures of transform feedback by slot.
        const CAPTURED_SLOTS = 1 << 34;
        /// Output variables that transform feedback captures.
        const CAPTURED_OUTPUTS = 1 << 35;
        /// Texture operations.
        const TEXTURES = 1 << 36;
        /// Operations on images.
        const IMAGES = 1 << 37;
        /// Textures and images by the number of a unit or by a handle.
        const UNNAMED_TEXTURES = 1 << 38;
        /// Texels and residency codes in one vector.
        const JOINED_RESIDENCY = 1 << 39;
        /// Subgroup operations.
        const SUBGROUPS = 1 << 40;
        /// Instructions without uses that passes left, and control flow with constant conditions.
        const UNTIDY = 1 << 41;
        /// A vertex shader.
        const VERTEX_STAGE = 1 << 42;
        /// A geometry shader.
        const GEOMETRY_STAGE = 1 << 43;
        /// A mesh shader.
        const MESH_STAGE = 1 << 44;
        /// A kernel of OpenCL.
        const KERNEL_STAGE = 1 << 45;
        /// Derefs: a bit for each of [`Modes`].
        const DEREFS = u64::MAX << Facts::DEREFS_SHIFT;
    }
}

impl Facts {
    const DEREFS_SHIFT: u32 = 50;

    /// Facts that are recorded in case of doubt: they may be absent when they are recorded again. No pass removes them.
    pub const INEXACT: Facts = Facts::PRIVATE_CONSTANTS.union(Facts::SHARED_LOCATIONS).union(Facts::UNTIDY);

    /// Derefs of memory of one of these modes.
    pub const fn derefs(modes: Modes) -> Facts {
        Facts::from_bits_retain((modes.bits() as u64) << Facts::DEREFS_SHIFT)
    }

    /// Results of one of the widths of which `bits` is the sum.
    pub const fn widths(bits: u8) -> Facts {
        Facts::from_bits_retain(bits as u64)
    }

    /// All facts if `is_any`, otherwise none.
    pub const fn all_if(is_any: bool) -> Facts {
        if is_any {
            Facts::all()
        } else {
            Facts::empty()
        }
    }
}

/// Each mode has a bit.
const _: () = assert!(Modes::all().bits() >> (u64::BITS - Facts::DEREFS_SHIFT) == 0);
