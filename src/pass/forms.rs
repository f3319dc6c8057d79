// SPDX-License-Identifier: MIT

//! Forms: constructs in a shader that a pass removes permanently.
//!
//! A pass names the forms that it removes; after it, and after every later pass, no instruction of these forms may exist. Debug
//! builds check this.

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
