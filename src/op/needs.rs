// SPDX-License-Identifier: MIT

//! The passes that a shader may need before it can be emitted, as flags of its instructions.

use bitflags::bitflags;

bitflags! {
    /// The properties of a shader that passes have to lower: one bit for each pass of the pipeline, in the pipeline's order.
    ///
    /// Opcodes have a column of them. Bits that depend on more than the opcode are set when an instruction is added.
    /// [`Shader::needs`](crate::ir::Shader::needs) lists the sources of the other bits.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Needs: u32 {
        /// Registers: `regs_to_ssa`.
        const REGISTERS = 1 << 0;
        /// Terminations, and conditional demotions, of invocations: `lower_discard_if`.
        const DISCARDS = 1 << 1;
        /// Vertex counts of geometry shaders, and geometry shaders that must not emit a vertex: `lower_gs_counters`.
        const VERTEX_COUNTERS = 1 << 2;
        /// System values that Vulkan does not have, or has in another form: `lower_sysvals`.
        const SYSTEM_VALUES = 1 << 3;
        /// Derefs of the shader's own memory: `const_arrays`.
        const OWN_MEMORY = 1 << 4;
        /// Loads from the framebuffer: `lower_fbfetch`.
        const FRAMEBUFFER_READS = 1 << 5;
        /// Inputs and outputs by slot: `lower_io`.
        const EXPLICIT_IO = 1 << 6;
        /// Clip and cull distances, some of which may have no value: `define_distances`.
        const DISTANCES = 1 << 7;
        /// Inputs and outputs of types that an interface may not have: `lower_io_types`.
        const IO_TYPES = 1 << 8;
        /// The output for all colours: `lower_frag_color`.
        const FRAG_COLOR = 1 << 9;
        /// Inputs or outputs that may share a Location: `assign_locations`.
        const LOCATIONS = 1 << 10;
        /// Uniform blocks, some of which may be in push constants: `inline_blocks`.
        const INLINED_BLOCKS = 1 << 11;
        /// Shared memory, scratch and push constants by byte offset: `lower_memory`.
        const MEMORY_OFFSETS = 1 << 12;
        /// Uniform and storage blocks that are selected by an index: `lower_block_index`.
        const BLOCK_INDICES = 1 << 13;
        /// Derefs of uniform and storage blocks: `lower_buffer_derefs`.
        const BUFFER_DEREFS = 1 << 14;
        /// Uniform blocks by byte offset: `lower_ubo`.
        const UBO_OFFSETS = 1 << 15;
        /// Storage blocks by byte offset: `lower_ssbo`.
        const SSBO_OFFSETS = 1 << 16;
        /// Global memory: `lower_global`.
        const GLOBAL_MEMORY = 1 << 17;
        /// Atomics through derefs: `lower_atomics`.
        const ATOMICS = 1 << 18;
        /// Outputs that transform feedback captures: `lower_captures`.
        const CAPTURES = 1 << 19;
        /// Textures and images: `lower_descriptors`.
        const TEXTURES = 1 << 20;
        /// Textures and images whose operands may differ from SPIR-V's: `lower_tex`.
        const TEXTURE_OPERANDS = 1 << 21;
        /// Texels and residency codes in one vector: `lower_sparse`.
        const RESIDENCY = 1 << 22;
        /// Subgroup operations: `lower_subgroups`.
        const SUBGROUPS = 1 << 23;
        /// Outputs that may be stored to twice: `combine_stores`.
        const REPEATED_STORES = 1 << 24;
        /// ALU operations that SPIR-V does not have: `lower_alu`.
        const LOWERED_ALU = 1 << 25;
        /// Vectors of more than four components: `lower_wide_vectors`.
        const WIDE_VECTORS = 1 << 26;
        /// Numbers of 64 bits that may be floats: `lower_doubles`.
        const DOUBLES = 1 << 27;
        /// Numbers of 64 bits: `lower_int64`.
        const INT64 = 1 << 28;
        /// Numbers of 8 and 16 bits: `lower_narrow`.
        const NARROW = 1 << 29;
        /// Instructions without uses that passes left, and control flow with constant conditions: `clean_up`.
        const UNTIDY = 1 << 30;
        /// Derefs of uniform blocks, some of which may be in storage buffers: `place_blocks`.
        const PLACED_BLOCKS = 1 << 31;
    }
}
