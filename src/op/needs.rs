//! What an instruction may need to have done to it before it can be emitted: which passes have to look at a shader.

use super::Intrinsic;
use bitflags::bitflags;

bitflags! {
    /// What a shader has that SPIR-V does not take as it is: a bit for each pass of the pipeline, in its order.
    ///
    /// Opcodes have a column of them. See [`Shader::needs`](crate::ir::Shader::needs) for what the other bits come from.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Needs: u32 {
        /// Registers: `regs_to_ssa`.
        const REGISTERS = 1 << 0;
        /// Ends of invocations that depend on a condition, or leave code after them: `lower_discard_if`.
        const DISCARDS = 1 << 1;
        /// Vertices of geometry shaders that are counted, or not made at all: `lower_gs_counters`.
        const VERTEX_COUNTERS = 1 << 2;
        /// System values that Vulkan does not have, or not in this form: `lower_sysvals`.
        const SYSTEM_VALUES = 1 << 3;
        /// Pointers to memory of the shader's own: `const_arrays`.
        const OWN_MEMORY = 1 << 4;
        /// Loads of what the framebuffer holds: `lower_fbfetch`.
        const FRAMEBUFFER_READS = 1 << 5;
        /// Inputs and outputs by slot: `lower_io`.
        const EXPLICIT_IO = 1 << 6;
        /// Inputs and outputs of types that an interface may not have: `lower_io_types`.
        const IO_TYPES = 1 << 7;
        /// The output for all colours: `lower_frag_color`.
        const FRAG_COLOR = 1 << 8;
        /// Inputs or outputs that may share a Location: `assign_locations`.
        const LOCATIONS = 1 << 9;
        /// Uniform blocks, some of which may be in push constants: `inline_blocks`.
        const INLINED_BLOCKS = 1 << 10;
        /// Shared memory, scratch and push constants by byte offset: `lower_memory`.
        const MEMORY_OFFSETS = 1 << 11;
        /// Blocks that are picked by a number: `lower_block_index`.
        const BLOCK_INDICES = 1 << 12;
        /// Pointers to uniform and storage blocks: `lower_buffer_derefs`.
        const BUFFER_DEREFS = 1 << 13;
        /// Uniform blocks by byte offset: `lower_ubo`.
        const UBO_OFFSETS = 1 << 14;
        /// Storage blocks by byte offset: `lower_ssbo`.
        const SSBO_OFFSETS = 1 << 15;
        /// Global memory: `lower_global`.
        const GLOBAL_MEMORY = 1 << 16;
        /// Atomics by pointer: `lower_atomics`.
        const ATOMICS = 1 << 17;
        /// What transform feedback captures: `lower_captures`.
        const CAPTURES = 1 << 18;
        /// Textures and images: `lower_descriptors`.
        const TEXTURES = 1 << 19;
        /// The same, whose operands may not be as SPIR-V's: `lower_tex`.
        const TEXTURE_OPERANDS = 1 << 20;
        /// Texels and residency codes in one vector: `lower_sparse`.
        const RESIDENCY = 1 << 21;
        /// Operations on subgroups: `lower_subgroups`.
        const SUBGROUPS = 1 << 22;
        /// Outputs that may be stored to twice: `combine_stores`.
        const REPEATED_STORES = 1 << 23;
        /// ALU operations that SPIR-V does not have: `lower_alu`.
        const LOWERED_ALU = 1 << 24;
        /// Vectors of more than four components: `lower_wide_vectors`.
        const WIDE_VECTORS = 1 << 25;
        /// Numbers of 64 bits that may be floats: `lower_doubles`.
        const DOUBLES = 1 << 26;
        /// Numbers of 64 bits: `lower_int64`.
        const INT64 = 1 << 27;
        /// Numbers of 8 and 16 bits: `lower_narrow`.
        const NARROW = 1 << 28;
        /// What passes left, and control flow that is decided: `clean_up`.
        const UNTIDY = 1 << 29;
        /// Pointers to uniform blocks, some of which may be in storage: `place_blocks`.
        const PLACED_BLOCKS = 1 << 30;
    }
}

/// The column of an intrinsic. Those that depend on more than the opcode are settled when an instruction is entered.
pub(super) const fn of_intrinsic(op: Intrinsic) -> Needs {
    use Intrinsic::*;
    match op {
        decl_reg | load_reg | store_reg | load_reg_indirect | store_reg_indirect => Needs::REGISTERS,
        terminate | terminate_if | demote_if => Needs::DISCARDS,
        emit_vertex_with_counter | end_primitive_with_counter | set_vertex_and_primitive_count => {
            Needs::VERTEX_COUNTERS
        }
        load_instance_id
        | load_vertex_id_zero_base
        | load_base_vertex
        | load_is_indexed_draw
        | load_front_face
        | load_front_face_fsign
        | load_helper_invocation
        | load_pixel_coord
        | load_color0
        | load_color1
        | load_workgroup_index
        | load_global_invocation_id
        | load_global_invocation_index => Needs::SYSTEM_VALUES,
        load_input => Needs::EXPLICIT_IO.union(Needs::SYSTEM_VALUES),
        load_output => Needs::EXPLICIT_IO.union(Needs::FRAMEBUFFER_READS),
        load_interpolated_input
        | load_per_vertex_input
        | load_per_primitive_input
        | load_per_vertex_output
        | store_output
        | store_per_vertex_output
        | load_barycentric_pixel
        | load_barycentric_centroid
        | load_barycentric_sample
        | load_barycentric_at_sample
        | load_barycentric_at_offset => Needs::EXPLICIT_IO,
        load_shared
        | store_shared
        | shared_atomic
        | shared_atomic_swap
        | load_scratch
        | store_scratch
        | load_push_constant
        | load_push_constant_zink => Needs::MEMORY_OFFSETS,
        load_ubo | load_ubo_vec4 => Needs::UBO_OFFSETS.union(Needs::BLOCK_INDICES).union(Needs::INLINED_BLOCKS),
        load_ssbo | store_ssbo | ssbo_atomic | ssbo_atomic_swap | get_ssbo_size => {
            Needs::SSBO_OFFSETS.union(Needs::BLOCK_INDICES)
        }
        load_global | load_global_constant | store_global | global_atomic | global_atomic_swap => Needs::GLOBAL_MEMORY,
        deref_atomic | deref_atomic_swap => Needs::ATOMICS,
        is_sparse_resident_zink | sparse_residency_code_and => Needs::RESIDENCY,
        store_deref => Needs::REPEATED_STORES,
        _ => of_image_or_subgroup(op),
    }
}

const fn of_image_or_subgroup(op: Intrinsic) -> Needs {
    use Intrinsic::*;
    match op {
        image_sparse_load | bindless_image_sparse_load | image_deref_sparse_load => IMAGES.union(Needs::RESIDENCY),
        image_load
        | image_store
        | image_atomic
        | image_atomic_swap
        | image_size
        | image_samples
        | image_levels
        | bindless_image_load
        | bindless_image_store
        | bindless_image_atomic
        | bindless_image_atomic_swap
        | bindless_image_size
        | bindless_image_samples
        | bindless_image_levels
        | image_deref_load
        | image_deref_store
        | image_deref_atomic
        | image_deref_atomic_swap
        | image_deref_size
        | image_deref_samples
        | image_deref_levels
        | image_deref_samples_identical => IMAGES,
        load_subgroup_eq_mask
        | load_subgroup_ge_mask
        | load_subgroup_gt_mask
        | load_subgroup_le_mask
        | load_subgroup_lt_mask
        | vote_feq
        | vote_ieq
        | read_invocation
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
        | reduce
        | inclusive_scan
        | exclusive_scan
        | inverse_ballot
        | ballot_bitfield_extract
        | ballot_bit_count_reduce
        | ballot_bit_count_inclusive
        | ballot_bit_count_exclusive
        | ballot_find_lsb
        | ballot_find_msb
        | ballot
        | ballot_relaxed
        | quad_vote_any
        | quad_vote_all
        | elect
        | first_invocation
        | last_invocation => Needs::SUBGROUPS,
        _ => Needs::empty(),
    }
}

/// Of operations on images.
const IMAGES: Needs = Needs::TEXTURES.union(Needs::TEXTURE_OPERANDS);
