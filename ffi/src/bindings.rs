// SPDX-License-Identifier: MIT

//! The headers as bindgen sees them: `BLESS=1 cargo test --package ntv-ffi` makes this file.

pub const NTV_VERSION: &[u8; 6] = b"0.1.0\0";
pub const NTV_WIRE_VERSION: u32 = 7;
pub const NTV_NONE: u32 = 4294967295;
pub const NTV_XFB_BUFFER_BINDING: u32 = 64;
pub const NTV_XFB_STATE_WORDS: u32 = 24;
pub const NTV_XFB_STATE_BINDING: u32 = 4;
pub const NTV_XFB_LIST_BINDING: u32 = 5;
pub const NTV_XFB_COUNTS_BINDING: u32 = 6;
pub const NTV_XFB_VERTEX_BUFFER_BINDING: u32 = 7;
pub const NTV_WIRE_MAGIC: u32 = 1465275470;
pub const NTV_WIDE_SOURCES: u32 = 8;
extern "C" {
    pub fn ntv_version() -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn ntv_wire_version() -> u32;
}
pub const NTV_STAGE_VERTEX: ntv_stage = 0;
pub const NTV_STAGE_TESS_CTRL: ntv_stage = 1;
pub const NTV_STAGE_TESS_EVAL: ntv_stage = 2;
pub const NTV_STAGE_GEOMETRY: ntv_stage = 3;
pub const NTV_STAGE_FRAGMENT: ntv_stage = 4;
pub const NTV_STAGE_COMPUTE: ntv_stage = 5;
pub const NTV_STAGE_KERNEL: ntv_stage = 6;
pub const NTV_STAGE_TASK: ntv_stage = 7;
pub const NTV_STAGE_MESH: ntv_stage = 8;
pub type ntv_stage = ::std::os::raw::c_uint;
pub const NTV_TABLE_ALU: ntv_table = 0;
pub const NTV_TABLE_INTRINSIC: ntv_table = 1;
pub const NTV_TABLE_FORMAT: ntv_table = 2;
pub type ntv_table = ::std::os::raw::c_uint;
extern "C" {
    pub fn ntv_wire_number(table: ntv_table, name: *const ::std::os::raw::c_char) -> u32;
}
extern "C" {
    pub fn ntv_wire_num_indices(intrinsic: u32) -> u32;
}
extern "C" {
    pub fn ntv_wire_index(intrinsic: u32, index: *const ::std::os::raw::c_char) -> u32;
}
pub const NTV_BUFFER_ACCESS_AUTO: ntv_buffer_access = 0;
pub const NTV_BUFFER_ACCESS_LANE: ntv_buffer_access = 1;
pub type ntv_buffer_access = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_target {
    pub vulkan_version: u32,
    pub features: [u32; 4usize],
    pub max_uniform_buffer_range: u32,
    pub max_push_constants_size: u32,
    pub indexed_draw_offset: u32,
    pub draw_id_offset: u32,
    pub max_draw_buffers: u32,
    pub max_clip_and_cull_distances: u32,
    pub buffer_access: ntv_buffer_access,
    pub uniform_ranges_in_vec4s: bool,
    pub workarounds: u32,
}
extern "C" {
    pub fn ntv_target_init(target: *mut ntv_target, vulkan_version: u32) -> bool;
}
extern "C" {
    pub fn ntv_target_enable(
        target: *mut ntv_target,
        feature: *const ::std::os::raw::c_char,
        on: bool,
    ) -> bool;
}
extern "C" {
    pub fn ntv_target_workaround(
        target: *mut ntv_target,
        workaround: *const ::std::os::raw::c_char,
        on: bool,
    ) -> bool;
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_translator {
    _unused: [u8; 0],
}
extern "C" {
    pub fn ntv_translator_create() -> *mut ntv_translator;
}
extern "C" {
    pub fn ntv_translator_destroy(translator: *mut ntv_translator);
}
pub const NTV_OK: ntv_status = 0;
pub const NTV_ERROR_ARGUMENT: ntv_status = 1;
pub const NTV_ERROR_MALFORMED: ntv_status = 2;
pub const NTV_ERROR_INVALID: ntv_status = 3;
pub const NTV_ERROR_UNSUPPORTED: ntv_status = 4;
pub const NTV_ERROR_INTERNAL: ntv_status = 5;
pub const NTV_ERROR_MEMORY: ntv_status = 6;
pub type ntv_status = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_allocator {
    pub alloc: ::std::option::Option<
        unsafe extern "C" fn(
            user: *mut ::std::os::raw::c_void,
            size: usize,
        ) -> *mut ::std::os::raw::c_void,
    >,
    pub free: ::std::option::Option<
        unsafe extern "C" fn(
            user: *mut ::std::os::raw::c_void,
            memory: *mut ::std::os::raw::c_void,
        ),
    >,
    pub user: *mut ::std::os::raw::c_void,
}
pub const NTV_OPTION_NAMES: ntv_option_flags = 1;
pub const NTV_OPTION_WORDS_ONLY: ntv_option_flags = 2;
pub const NTV_OPTION_VALID_NIR: ntv_option_flags = 4;
pub const NTV_OPTION_LINES: ntv_option_flags = 8;
pub type ntv_option_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_push_constants {
    pub alpha_reference: u32,
    pub point_size: u32,
}
pub const NTV_CLASS_DEFAULT_UNIFORMS: ntv_descriptor_class = 0;
pub const NTV_CLASS_UNIFORM_BUFFER: ntv_descriptor_class = 1;
pub const NTV_CLASS_TEXTURE: ntv_descriptor_class = 2;
pub const NTV_CLASS_STORAGE_BUFFER: ntv_descriptor_class = 3;
pub const NTV_CLASS_IMAGE: ntv_descriptor_class = 4;
pub const NTV_CLASS_BINDLESS: ntv_descriptor_class = 5;
pub const NTV_NUM_CLASSES: ntv_descriptor_class = 6;
pub type ntv_descriptor_class = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_descriptor_slot {
    pub set: u32,
    pub binding: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_block_array {
    pub first: u32,
    pub count: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_descriptor_layout {
    pub slots: [ntv_descriptor_slot; 6usize],
    pub uniform_blocks: ntv_block_array,
    pub storage_blocks: ntv_block_array,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_options {
    pub flags: u32,
    pub allocator: ntv_allocator,
    pub placements: *const ntv_placement,
    pub num_placements: usize,
    pub xfb: *const ntv_xfb_options,
    pub push_constants: *const ntv_push_constants,
    pub descriptors: *const ntv_descriptor_layout,
}
extern "C" {
    pub fn ntv_slot_location(slot: u32) -> u32;
}
pub const NTV_DESCRIPTOR_UNIFORM_BUFFER: ntv_descriptor = 0;
pub const NTV_DESCRIPTOR_STORAGE_BUFFER: ntv_descriptor = 1;
pub const NTV_DESCRIPTOR_COMBINED_IMAGE_SAMPLER: ntv_descriptor = 2;
pub const NTV_DESCRIPTOR_SAMPLED_IMAGE: ntv_descriptor = 3;
pub const NTV_DESCRIPTOR_SAMPLER: ntv_descriptor = 4;
pub const NTV_DESCRIPTOR_UNIFORM_TEXEL_BUFFER: ntv_descriptor = 5;
pub const NTV_DESCRIPTOR_STORAGE_IMAGE: ntv_descriptor = 6;
pub const NTV_DESCRIPTOR_STORAGE_TEXEL_BUFFER: ntv_descriptor = 7;
pub const NTV_DESCRIPTOR_INPUT_ATTACHMENT: ntv_descriptor = 8;
pub type ntv_descriptor = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_binding {
    pub set: u32,
    pub binding: u32,
    pub kind: ntv_descriptor,
    pub count: u32,
    pub min_range: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_varying {
    pub is_output: bool,
    pub per_patch: bool,
    pub is_removed: bool,
    pub builtin: u32,
    pub location: u32,
    pub num_locations: u32,
    pub component: u32,
    pub num_components: u32,
    pub is_captured: bool,
    pub is_copy: bool,
    pub xfb_buffer: u32,
    pub xfb_stride: u32,
    pub xfb_offset: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_result {
    pub words: *mut u32,
    pub num_words: usize,
    pub tcs_vertices_out_word: u32,
    pub workgroup_size: [u32; 3usize],
    pub bindings: *mut ntv_binding,
    pub num_bindings: usize,
    pub varyings: *mut ntv_varying,
    pub num_varyings: usize,
    pub patches: *mut ntv_patch,
    pub num_patches: usize,
    pub error: *mut ::std::os::raw::c_char,
}
extern "C" {
    pub fn ntv_translate(
        translator: *mut ntv_translator,
        target: *const ntv_target,
        wire: *const u32,
        num_words: usize,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_result_free(result: *mut ntv_result, options: *const ntv_options);
}
pub const NTV_PATCH_DESCRIPTOR_SET: ntv_patch_kind = 0;
pub const NTV_PATCH_BINDING: ntv_patch_kind = 1;
pub const NTV_PATCH_ARRAY_LENGTH: ntv_patch_kind = 2;
pub const NTV_PATCH_LOCATION: ntv_patch_kind = 3;
pub const NTV_PATCH_COMPONENT: ntv_patch_kind = 4;
pub const NTV_PATCH_INDEX: ntv_patch_kind = 5;
pub const NTV_PATCH_XFB_BUFFER: ntv_patch_kind = 6;
pub const NTV_PATCH_XFB_STRIDE: ntv_patch_kind = 7;
pub const NTV_PATCH_XFB_OFFSET: ntv_patch_kind = 8;
pub const NTV_PATCH_SPEC_ID: ntv_patch_kind = 9;
pub const NTV_PATCH_SPEC_VALUE: ntv_patch_kind = 10;
pub const NTV_PATCH_LOCAL_SIZE: ntv_patch_kind = 11;
pub const NTV_PATCH_OUTPUT_VERTICES: ntv_patch_kind = 12;
pub type ntv_patch_kind = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_patch {
    pub word: u32,
    pub kind: ntv_patch_kind,
    pub of: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_module {
    _unused: [u8; 0],
}
pub const NTV_DITHER_NONE: ntv_dither = 0;
pub const NTV_DITHER_4444: ntv_dither = 1;
pub const NTV_DITHER_5551: ntv_dither = 2;
pub const NTV_DITHER_565: ntv_dither = 3;
pub type ntv_dither = ::std::os::raw::c_uint;
pub const NTV_ALPHA_TEST_ALWAYS: ntv_alpha_test = 0;
pub const NTV_ALPHA_TEST_NEVER: ntv_alpha_test = 1;
pub const NTV_ALPHA_TEST_LESS: ntv_alpha_test = 2;
pub const NTV_ALPHA_TEST_EQUAL: ntv_alpha_test = 3;
pub const NTV_ALPHA_TEST_LEQUAL: ntv_alpha_test = 4;
pub const NTV_ALPHA_TEST_GREATER: ntv_alpha_test = 5;
pub const NTV_ALPHA_TEST_NOTEQUAL: ntv_alpha_test = 6;
pub const NTV_ALPHA_TEST_GEQUAL: ntv_alpha_test = 7;
pub type ntv_alpha_test = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_key {
    pub bits: u64,
    pub size: [u32; 2usize],
    pub uniforms: [u32; 4usize],
    pub swizzles: [u8; 8usize],
}
pub const NTV_SWIZZLE_RED: ntv_swizzle = 0;
pub const NTV_SWIZZLE_ZERO: ntv_swizzle = 1;
pub const NTV_SWIZZLE_ONE: ntv_swizzle = 2;
pub type ntv_swizzle = ::std::os::raw::c_uint;
extern "C" {
    pub fn ntv_module_create(
        translator: *mut ntv_translator,
        target: *const ntv_target,
        wire: *const u32,
        num_words: usize,
        offer: u64,
        module: *mut *mut ntv_module,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_module_load(
        words: *const u32,
        num_words: usize,
        module: *mut *mut ntv_module,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_module_store(
        module: *const ntv_module,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_module_destroy(module: *mut ntv_module);
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_move {
    pub set: u32,
    pub binding: u32,
    pub new_set: u32,
    pub new_binding: u32,
    pub new_count: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_spec_id {
    pub id: u32,
    pub new_id: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_spec_value {
    pub id: u32,
    pub value: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_varying_number {
    pub varying: u32,
    pub number: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_capture {
    pub varying: u32,
    pub buffer: u32,
    pub stride: u32,
    pub offset: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_link_info {
    pub moves: *const ntv_move,
    pub num_moves: usize,
    pub spec_ids: *const ntv_spec_id,
    pub num_spec_ids: usize,
    pub spec_values: *const ntv_spec_value,
    pub num_spec_values: usize,
    pub locations: *const ntv_varying_number,
    pub num_locations: usize,
    pub components: *const ntv_varying_number,
    pub num_components: usize,
    pub indices: *const ntv_varying_number,
    pub num_indices: usize,
    pub captures: *const ntv_capture,
    pub num_captures: usize,
    pub workgroup_size: [u32; 3usize],
    pub patch_vertices: u32,
}
extern "C" {
    pub fn ntv_link(
        stages: *const *const ntv_module,
        num_stages: usize,
        infos: *const ntv_link_info,
        linked: *mut *mut ntv_module,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_program_keys(
        stages: *const *const ntv_module,
        num_stages: usize,
        key: *const ntv_key,
        keys: *mut ntv_key,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_likely_keys(
        stages: *const *const ntv_module,
        num_stages: usize,
        always: *const ntv_key,
        keys: *mut ntv_key,
        most: usize,
    ) -> usize;
}
extern "C" {
    pub fn ntv_module_instantiate(
        module: *const ntv_module,
        key: *const ntv_key,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
pub const NTV_BLOCK_UNIFORM: ntv_block_class = 0;
pub const NTV_BLOCK_STORAGE: ntv_block_class = 1;
pub const NTV_BLOCK_PUSH_CONSTANT: ntv_block_class = 2;
pub type ntv_block_class = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_placement {
    pub block: u32,
    pub block_class: u32,
    pub range: u32,
    pub offset: u32,
    pub clamp: bool,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_plan {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_limits {
    pub max_uniform_buffer_range: u32,
    pub max_storage_buffer_range: u32,
    pub max_per_stage_descriptor_uniform_buffers: u32,
    pub max_per_stage_descriptor_storage_buffers: u32,
    pub max_descriptor_set_uniform_buffers: u32,
    pub max_descriptor_set_storage_buffers: u32,
    pub min_uniform_buffer_offset_alignment: u32,
    pub min_storage_buffer_offset_alignment: u32,
    pub max_push_constants_size: u32,
    pub robust_buffer_access: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_plan_wishes {
    pub threshold: u32,
    pub offset_alignment: u32,
    pub push_constants_begin: u32,
    pub push_constants_end: u32,
    pub other_uniform_buffers: u32,
    pub other_storage_buffers: u32,
    pub all_in_storage: bool,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_block {
    pub bytes: u32,
    pub is_unsized: bool,
    pub is_at_hand: bool,
    pub is_asked: bool,
    pub block_class: u32,
    pub offset: u32,
}
pub const NTV_PLAN_FITS: ntv_plan_reason = 0;
pub const NTV_PLAN_RANGE: ntv_plan_reason = 1;
pub const NTV_PLAN_UNSIZED: ntv_plan_reason = 2;
pub const NTV_PLAN_DESCRIPTORS: ntv_plan_reason = 3;
pub const NTV_PLAN_THRESHOLD: ntv_plan_reason = 4;
pub const NTV_PLAN_ANGLE: ntv_plan_reason = 5;
pub const NTV_PLAN_ASKED: ntv_plan_reason = 6;
pub const NTV_PLAN_PUSH_CONSTANTS: ntv_plan_reason = 7;
pub const NTV_PLAN_ARRAY: ntv_plan_reason = 8;
pub type ntv_plan_reason = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_planned {
    pub name: *const ::std::os::raw::c_char,
    pub why: *const ::std::os::raw::c_char,
    pub block_class: u32,
    pub offset: u32,
    pub reason: ntv_plan_reason,
    pub buffer_usage: u32,
    pub access: u32,
    pub offset_alignment: u32,
    pub range: u32,
    pub dynamic_bytes: u32,
    pub clamp: bool,
}
extern "C" {
    pub fn ntv_plan_create() -> *mut ntv_plan;
}
extern "C" {
    pub fn ntv_plan_destroy(plan: *mut ntv_plan);
}
extern "C" {
    pub fn ntv_plan_add_stage(
        plan: *mut ntv_plan,
        wire: *const u32,
        num_words: usize,
        names: *const *const ::std::os::raw::c_char,
        num_names: usize,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_plan_know_block(
        plan: *mut ntv_plan,
        name: *const ::std::os::raw::c_char,
        block: *const ntv_block,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_plan_decide(
        plan: *mut ntv_plan,
        limits: *const ntv_limits,
        wishes: *const ntv_plan_wishes,
        options: *const ntv_options,
        result: *mut ntv_result,
    ) -> ntv_status;
}
extern "C" {
    pub fn ntv_plan_blocks(
        plan: *const ntv_plan,
        blocks: *mut ntv_planned,
        most: usize,
    ) -> usize;
}
extern "C" {
    pub fn ntv_plan_placements(
        plan: *const ntv_plan,
        stage: ntv_stage,
        placements: *mut ntv_placement,
        most: usize,
    ) -> usize;
}
pub const NTV_XFB_EXTENSION: ntv_xfb_back_end = 0;
pub const NTV_XFB_STORAGE: ntv_xfb_back_end = 1;
pub const NTV_XFB_COMPUTE: ntv_xfb_back_end = 2;
pub type ntv_xfb_back_end = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_attribute {
    pub location: u32,
    pub format: *const ::std::os::raw::c_char,
    pub binding: u32,
    pub offset: u32,
    pub stride: u32,
    pub per_instance: bool,
    pub divisor: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_xfb_options {
    pub back_end: u32,
    pub set: u32,
    pub binding: u32,
    pub attributes: *const ntv_attribute,
    pub num_attributes: usize,
    pub passes_instance: bool,
    pub instance_location: u32,
}
pub const NTV_TOPOLOGY_POINTS: ntv_topology = 0;
pub const NTV_TOPOLOGY_LINES: ntv_topology = 1;
pub const NTV_TOPOLOGY_LINE_LOOP: ntv_topology = 2;
pub const NTV_TOPOLOGY_LINE_STRIP: ntv_topology = 3;
pub const NTV_TOPOLOGY_TRIANGLES: ntv_topology = 4;
pub const NTV_TOPOLOGY_TRIANGLE_STRIP: ntv_topology = 5;
pub const NTV_TOPOLOGY_TRIANGLE_FAN: ntv_topology = 6;
pub type ntv_topology = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_xfb_state {
    pub is_active: bool,
    pub only_counts: bool,
    pub first_provokes: bool,
    pub topology: u32,
    pub first_vertex: u32,
    pub vertices: u32,
    pub first_instance: u32,
    pub instances: u32,
    pub draw: u32,
    pub primitives_before: u32,
    pub primitives_most: u32,
    pub first_words: [u32; 4usize],
    pub has_list: bool,
    pub list_first_word: u32,
    pub base_vertex: u32,
}
extern "C" {
    pub fn ntv_xfb_state_words(state: *const ntv_xfb_state, words: *mut u32) -> bool;
}
extern "C" {
    pub fn ntv_topology_primitives(topology: u32, vertices: u32) -> u32;
}
extern "C" {
    pub fn ntv_topology_vertices_per_primitive(topology: u32) -> u32;
}
extern "C" {
    pub fn ntv_emission_list(
        topology: u32,
        first_provokes: bool,
        indices: *const u32,
        num_indices: usize,
        restart: *const u32,
        list: *mut u32,
        most: usize,
    ) -> usize;
}
pub const NTV_MODE_SYSTEM: ntv_mode = 1;
pub const NTV_MODE_UNIFORM: ntv_mode = 2;
pub const NTV_MODE_SHADER_IN: ntv_mode = 4;
pub const NTV_MODE_SHADER_OUT: ntv_mode = 8;
pub const NTV_MODE_IMAGE: ntv_mode = 16;
pub const NTV_MODE_UBO: ntv_mode = 32;
pub const NTV_MODE_PUSH_CONST: ntv_mode = 64;
pub const NTV_MODE_SSBO: ntv_mode = 128;
pub const NTV_MODE_CONSTANT: ntv_mode = 256;
pub const NTV_MODE_TASK_PAYLOAD: ntv_mode = 512;
pub const NTV_MODE_SHADER_TEMP: ntv_mode = 1024;
pub const NTV_MODE_FUNCTION_TEMP: ntv_mode = 2048;
pub const NTV_MODE_SHARED: ntv_mode = 4096;
pub const NTV_MODE_GLOBAL: ntv_mode = 8192;
pub type ntv_mode = ::std::os::raw::c_uint;
pub const NTV_ACCESS_COHERENT: ntv_access = 1;
pub const NTV_ACCESS_RESTRICT: ntv_access = 2;
pub const NTV_ACCESS_VOLATILE: ntv_access = 4;
pub const NTV_ACCESS_WRITEONLY: ntv_access = 8;
pub const NTV_ACCESS_READONLY: ntv_access = 16;
pub const NTV_ACCESS_NON_UNIFORM: ntv_access = 32;
pub const NTV_ACCESS_REORDERABLE: ntv_access = 64;
pub const NTV_ACCESS_NON_TEMPORAL: ntv_access = 128;
pub const NTV_ACCESS_INCLUDE_HELPERS: ntv_access = 256;
pub const NTV_ACCESS_IS_SWIZZLED_AMD: ntv_access = 512;
pub const NTV_ACCESS_USES_FORMAT_AMD: ntv_access = 1024;
pub const NTV_ACCESS_FMASK_LOWERED_AMD: ntv_access = 2048;
pub const NTV_ACCESS_SPECULATABLE: ntv_access = 4096;
pub const NTV_ACCESS_CP_GE_COHERENT_AMD: ntv_access = 8192;
pub const NTV_ACCESS_IN_BOUNDS_AGX: ntv_access = 16384;
pub const NTV_ACCESS_KEEP_SCALAR: ntv_access = 32768;
pub const NTV_ACCESS_SMEM_AMD: ntv_access = 65536;
pub const NTV_ACCESS_ATOMIC: ntv_access = 131072;
pub type ntv_access = ::std::os::raw::c_uint;
pub const NTV_ATOMIC_OP_IADD: ntv_atomic_op = 0;
pub const NTV_ATOMIC_OP_IMIN: ntv_atomic_op = 1;
pub const NTV_ATOMIC_OP_UMIN: ntv_atomic_op = 2;
pub const NTV_ATOMIC_OP_IMAX: ntv_atomic_op = 3;
pub const NTV_ATOMIC_OP_UMAX: ntv_atomic_op = 4;
pub const NTV_ATOMIC_OP_IAND: ntv_atomic_op = 5;
pub const NTV_ATOMIC_OP_IOR: ntv_atomic_op = 6;
pub const NTV_ATOMIC_OP_IXOR: ntv_atomic_op = 7;
pub const NTV_ATOMIC_OP_XCHG: ntv_atomic_op = 8;
pub const NTV_ATOMIC_OP_FADD: ntv_atomic_op = 9;
pub const NTV_ATOMIC_OP_FMIN: ntv_atomic_op = 10;
pub const NTV_ATOMIC_OP_FMAX: ntv_atomic_op = 11;
pub const NTV_ATOMIC_OP_CMPXCHG: ntv_atomic_op = 12;
pub const NTV_ATOMIC_OP_FCMPXCHG: ntv_atomic_op = 13;
pub const NTV_ATOMIC_OP_INC_WRAP: ntv_atomic_op = 14;
pub const NTV_ATOMIC_OP_DEC_WRAP: ntv_atomic_op = 15;
pub type ntv_atomic_op = ::std::os::raw::c_uint;
pub const NTV_SCOPE_NONE: ntv_scope = 0;
pub const NTV_SCOPE_INVOCATION: ntv_scope = 1;
pub const NTV_SCOPE_SUBGROUP: ntv_scope = 2;
pub const NTV_SCOPE_SHADER_CALL: ntv_scope = 3;
pub const NTV_SCOPE_WORKGROUP: ntv_scope = 4;
pub const NTV_SCOPE_QUEUE_FAMILY: ntv_scope = 5;
pub const NTV_SCOPE_DEVICE: ntv_scope = 6;
pub type ntv_scope = ::std::os::raw::c_uint;
pub const NTV_SEMANTICS_ACQUIRE: ntv_semantics = 1;
pub const NTV_SEMANTICS_RELEASE: ntv_semantics = 2;
pub const NTV_SEMANTICS_MAKE_AVAILABLE: ntv_semantics = 4;
pub const NTV_SEMANTICS_MAKE_VISIBLE: ntv_semantics = 8;
pub type ntv_semantics = ::std::os::raw::c_uint;
pub const NTV_INTERP_MODE_NONE: ntv_interp_mode = 0;
pub const NTV_INTERP_MODE_SMOOTH: ntv_interp_mode = 1;
pub const NTV_INTERP_MODE_FLAT: ntv_interp_mode = 2;
pub const NTV_INTERP_MODE_NOPERSPECTIVE: ntv_interp_mode = 3;
pub const NTV_INTERP_MODE_EXPLICIT: ntv_interp_mode = 4;
pub type ntv_interp_mode = ::std::os::raw::c_uint;
pub const NTV_PRECISION_NONE: ntv_precision = 0;
pub const NTV_PRECISION_HIGH: ntv_precision = 1;
pub const NTV_PRECISION_MEDIUM: ntv_precision = 2;
pub const NTV_PRECISION_LOW: ntv_precision = 3;
pub type ntv_precision = ::std::os::raw::c_uint;
pub const NTV_DIM_1D: ntv_dim = 0;
pub const NTV_DIM_2D: ntv_dim = 1;
pub const NTV_DIM_3D: ntv_dim = 2;
pub const NTV_DIM_CUBE: ntv_dim = 3;
pub const NTV_DIM_RECT: ntv_dim = 4;
pub const NTV_DIM_BUF: ntv_dim = 5;
pub const NTV_DIM_EXTERNAL: ntv_dim = 6;
pub const NTV_DIM_MS: ntv_dim = 7;
pub const NTV_DIM_SUBPASS: ntv_dim = 8;
pub const NTV_DIM_SUBPASS_MS: ntv_dim = 9;
pub type ntv_dim = ::std::os::raw::c_uint;
pub const NTV_DESC_TYPE_SAMPLER: ntv_desc_type = 0;
pub const NTV_DESC_TYPE_COMBINED_IMAGE_SAMPLER: ntv_desc_type = 1;
pub const NTV_DESC_TYPE_SAMPLED_IMAGE: ntv_desc_type = 2;
pub const NTV_DESC_TYPE_STORAGE_IMAGE: ntv_desc_type = 3;
pub const NTV_DESC_TYPE_UNIFORM_TEXEL_BUFFER: ntv_desc_type = 4;
pub const NTV_DESC_TYPE_STORAGE_TEXEL_BUFFER: ntv_desc_type = 5;
pub const NTV_DESC_TYPE_UNIFORM_BUFFER: ntv_desc_type = 6;
pub const NTV_DESC_TYPE_STORAGE_BUFFER: ntv_desc_type = 7;
pub const NTV_DESC_TYPE_INPUT_ATTACHMENT: ntv_desc_type = 8;
pub const NTV_DESC_TYPE_INLINE_UNIFORM_BLOCK: ntv_desc_type = 9;
pub const NTV_DESC_TYPE_ACCELERATION_STRUCTURE: ntv_desc_type = 10;
pub type ntv_desc_type = ::std::os::raw::c_uint;
pub const NTV_TEX_OP_TEX: ntv_tex_op = 0;
pub const NTV_TEX_OP_TXB: ntv_tex_op = 1;
pub const NTV_TEX_OP_TXL: ntv_tex_op = 2;
pub const NTV_TEX_OP_TXD: ntv_tex_op = 3;
pub const NTV_TEX_OP_TXF: ntv_tex_op = 4;
pub const NTV_TEX_OP_TXF_MS: ntv_tex_op = 5;
pub const NTV_TEX_OP_TXS: ntv_tex_op = 6;
pub const NTV_TEX_OP_LOD: ntv_tex_op = 7;
pub const NTV_TEX_OP_TG4: ntv_tex_op = 8;
pub const NTV_TEX_OP_QUERY_LEVELS: ntv_tex_op = 9;
pub const NTV_TEX_OP_TEXTURE_SAMPLES: ntv_tex_op = 10;
pub const NTV_TEX_OP_SAMPLES_IDENTICAL: ntv_tex_op = 11;
pub type ntv_tex_op = ::std::os::raw::c_uint;
pub const NTV_TEX_SRC_COORD: ntv_tex_src = 0;
pub const NTV_TEX_SRC_PROJECTOR: ntv_tex_src = 1;
pub const NTV_TEX_SRC_COMPARATOR: ntv_tex_src = 2;
pub const NTV_TEX_SRC_OFFSET: ntv_tex_src = 3;
pub const NTV_TEX_SRC_BIAS: ntv_tex_src = 4;
pub const NTV_TEX_SRC_LOD: ntv_tex_src = 5;
pub const NTV_TEX_SRC_MIN_LOD: ntv_tex_src = 6;
pub const NTV_TEX_SRC_MS_INDEX: ntv_tex_src = 7;
pub const NTV_TEX_SRC_DDX: ntv_tex_src = 8;
pub const NTV_TEX_SRC_DDY: ntv_tex_src = 9;
pub const NTV_TEX_SRC_TEXTURE_DEREF: ntv_tex_src = 10;
pub const NTV_TEX_SRC_SAMPLER_DEREF: ntv_tex_src = 11;
pub const NTV_TEX_SRC_TEXTURE_OFFSET: ntv_tex_src = 12;
pub const NTV_TEX_SRC_SAMPLER_OFFSET: ntv_tex_src = 13;
pub const NTV_TEX_SRC_TEXTURE_HANDLE: ntv_tex_src = 14;
pub const NTV_TEX_SRC_SAMPLER_HANDLE: ntv_tex_src = 15;
pub const NTV_TEX_SRC_PLANE: ntv_tex_src = 16;
pub const NTV_TEX_SRC_BACKEND1: ntv_tex_src = 17;
pub const NTV_TEX_SRC_BACKEND2: ntv_tex_src = 18;
pub const NTV_TEX_SRC_SAMPLER_DEREF_INTRINSIC: ntv_tex_src = 19;
pub const NTV_TEX_SRC_TEXTURE_DEREF_INTRINSIC: ntv_tex_src = 20;
pub type ntv_tex_src = ::std::os::raw::c_uint;
pub const NTV_HINT_NONE: ntv_hint = 0;
pub const NTV_HINT_FLATTEN: ntv_hint = 1;
pub const NTV_HINT_DONT_FLATTEN: ntv_hint = 2;
pub const NTV_HINT_DIVERGENT_ALWAYS_TAKEN: ntv_hint = 3;
pub type ntv_hint = ::std::os::raw::c_uint;
pub const NTV_FLOAT_SIGNED_ZERO_PRESERVE: ntv_float_controls = 1;
pub const NTV_FLOAT_INF_PRESERVE: ntv_float_controls = 8;
pub const NTV_FLOAT_NAN_PRESERVE: ntv_float_controls = 64;
pub const NTV_FLOAT_DENORM_PRESERVE: ntv_float_controls = 512;
pub const NTV_FLOAT_DENORM_FLUSH_TO_ZERO: ntv_float_controls = 4096;
pub const NTV_FLOAT_ROUNDING_MODE_RTE: ntv_float_controls = 32768;
pub const NTV_FLOAT_ROUNDING_MODE_RTZ: ntv_float_controls = 262144;
pub type ntv_float_controls = ::std::os::raw::c_uint;
pub const NTV_BASE_BOOL: ntv_base = 0;
pub const NTV_BASE_INT: ntv_base = 1;
pub const NTV_BASE_UINT: ntv_base = 2;
pub const NTV_BASE_FLOAT: ntv_base = 3;
pub type ntv_base = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_wire {
    pub words: *mut u32,
    pub len: usize,
    pub written: usize,
    pub capacity: usize,
    pub num_types: u32,
    pub num_variables: u32,
    pub num_blocks: u32,
    pub num_instrs: u32,
    pub failed: bool,
}
pub const NTV_RECORD_ALU: ntv_record = 0;
pub const NTV_RECORD_INTRINSIC: ntv_record = 1;
pub const NTV_RECORD_CONST: ntv_record = 2;
pub const NTV_RECORD_DEREF_VAR: ntv_record = 3;
pub const NTV_RECORD_DEREF: ntv_record = 4;
pub const NTV_RECORD_TEX: ntv_record = 5;
pub const NTV_RECORD_PLAIN: ntv_record = 6;
pub const NTV_RECORD_CONTROL: ntv_record = 7;
pub const NTV_RECORD_TYPE: ntv_record = 8;
pub const NTV_RECORD_VARIABLE: ntv_record = 9;
pub const NTV_RECORD_VARIABLE_TYPE: ntv_record = 10;
pub const NTV_RECORD_PHI_SRC: ntv_record = 11;
pub const NTV_RECORD_DIRECTIVE: ntv_record = 12;
pub const NTV_RECORD_FACT: ntv_record = 13;
pub const NTV_RECORD_NAME: ntv_record = 14;
pub const NTV_RECORD_MATH: ntv_record = 15;
pub type ntv_record = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_shader {
    pub stage: ntv_stage,
    pub workgroup_size: [u32; 3usize],
    pub workgroup_size_variable: bool,
    pub first_ubo_is_default_ubo: bool,
    pub next_stage: u32,
    pub num_textures: u32,
    pub num_ubos: u32,
    pub num_ssbos: u32,
    pub num_images: u32,
    pub float_controls_execution_mode: u32,
    pub shared_size: u32,
    pub derivative_group: u32,
    pub depth_layout: u32,
    pub entry: *const ::std::os::raw::c_char,
    pub source_hash: *const ::std::os::raw::c_char,
    pub name: *const ::std::os::raw::c_char,
    pub label: *const ::std::os::raw::c_char,
}
pub const NTV_INFO_INPUTS_READ: ntv_info_field = 6;
pub const NTV_INFO_OUTPUTS_WRITTEN: ntv_info_field = 8;
pub const NTV_INFO_OUTPUTS_READ: ntv_info_field = 9;
pub const NTV_INFO_SYSTEM_VALUES_READ: ntv_info_field = 10;
pub const NTV_INFO_XFB_STRIDE: ntv_info_field = 37;
pub const NTV_INFO_INLINABLE_UNIFORM_DW_OFFSETS: ntv_info_field = 38;
pub const NTV_INFO_OUTPUT_PRIMITIVE: ntv_info_field = 65;
pub const NTV_INFO_INPUT_PRIMITIVE: ntv_info_field = 66;
pub const NTV_INFO_COLOR0_INTERP: ntv_info_field = 90;
pub const NTV_INFO_COLOR1_INTERP: ntv_info_field = 93;
pub const NTV_INFO_PRIMITIVE_MODE: ntv_info_field = 57;
pub const NTV_INFO_SPACING: ntv_info_field = 59;
pub const NTV_INFO_PATCH_INPUTS_READ: ntv_info_field = 19;
pub const NTV_INFO_PATCH_OUTPUTS_WRITTEN: ntv_info_field = 20;
pub const NTV_INFO_PATCH_OUTPUTS_READ: ntv_info_field = 21;
pub const NTV_INFO_CLIP_DISTANCE_ARRAY_SIZE: ntv_info_field = 40;
pub const NTV_INFO_CULL_DISTANCE_ARRAY_SIZE: ntv_info_field = 41;
pub const NTV_INFO_SEPARATE_SHADER: ntv_info_field = 47;
pub const NTV_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS: ntv_info_field = 48;
pub const NTV_INFO_IO_LOWERED: ntv_info_field = 50;
pub const NTV_INFO_WRITES_MEMORY: ntv_info_field = 51;
pub const NTV_INFO_WINDOW_SPACE_POSITION: ntv_info_field = 55;
pub const NTV_INFO_TCS_VERTICES_OUT: ntv_info_field = 58;
pub const NTV_INFO_CCW: ntv_info_field = 60;
pub const NTV_INFO_POINT_MODE: ntv_info_field = 61;
pub const NTV_INFO_VERTICES_OUT: ntv_info_field = 67;
pub const NTV_INFO_INVOCATIONS: ntv_info_field = 68;
pub const NTV_INFO_VERTICES_IN: ntv_info_field = 69;
pub const NTV_INFO_USES_END_PRIMITIVE: ntv_info_field = 70;
pub const NTV_INFO_ACTIVE_STREAM_MASK: ntv_info_field = 71;
pub const NTV_INFO_USES_DISCARD: ntv_info_field = 72;
pub const NTV_INFO_USES_FBFETCH_OUTPUT: ntv_info_field = 73;
pub const NTV_INFO_COLOR_IS_DUAL_SOURCE: ntv_info_field = 74;
pub const NTV_INFO_USES_SAMPLE_QUALIFIER: ntv_info_field = 77;
pub const NTV_INFO_USES_SAMPLE_SHADING: ntv_info_field = 78;
pub const NTV_INFO_EARLY_FRAGMENT_TESTS: ntv_info_field = 79;
pub const NTV_INFO_INNER_COVERAGE: ntv_info_field = 80;
pub const NTV_INFO_POST_DEPTH_COVERAGE: ntv_info_field = 81;
pub const NTV_INFO_PIXEL_CENTER_INTEGER: ntv_info_field = 82;
pub const NTV_INFO_ORIGIN_UPPER_LEFT: ntv_info_field = 83;
pub const NTV_INFO_PIXEL_INTERLOCK_ORDERED: ntv_info_field = 84;
pub const NTV_INFO_PIXEL_INTERLOCK_UNORDERED: ntv_info_field = 85;
pub const NTV_INFO_SAMPLE_INTERLOCK_ORDERED: ntv_info_field = 86;
pub const NTV_INFO_SAMPLE_INTERLOCK_UNORDERED: ntv_info_field = 87;
pub const NTV_INFO_COLOR0_SAMPLE: ntv_info_field = 91;
pub const NTV_INFO_COLOR0_CENTROID: ntv_info_field = 92;
pub const NTV_INFO_COLOR1_SAMPLE: ntv_info_field = 94;
pub const NTV_INFO_COLOR1_CENTROID: ntv_info_field = 95;
pub const NTV_INFO_PTR_SIZE: ntv_info_field = 99;
pub const NTV_INFO_SCRATCH: ntv_info_field = 103;
pub const NTV_INFO_NUM_INLINABLE_UNIFORMS: ntv_info_field = 39;
pub const NTV_INFO_TASK_PAYLOAD_SIZE: ntv_info_field = 105;
pub const NTV_INFO_MAX_VERTICES_OUT: ntv_info_field = 107;
pub const NTV_INFO_MAX_PRIMITIVES_OUT: ntv_info_field = 108;
pub const NTV_INFO_PRIMITIVE_TYPE: ntv_info_field = 109;
pub type ntv_info_field = ::std::os::raw::c_uint;
pub const NTV_DIRECTIVE_SHARED_OFFSET_UNITS: ntv_directive = 0;
pub const NTV_DIRECTIVE_LOCATIONS: ntv_directive = 1;
pub const NTV_DIRECTIVE_VARIABLE_SHARED_MEMORY: ntv_directive = 2;
pub const NTV_DIRECTIVE_STRUCT: ntv_directive = 3;
pub const NTV_DIRECTIVE_FRAMEBUFFER: ntv_directive = 4;
pub const NTV_DIRECTIVE_UNIFORM_BLOCKS: ntv_directive = 5;
pub const NTV_DIRECTIVE_STORAGE_BLOCKS: ntv_directive = 6;
pub const NTV_DIRECTIVE_XFB: ntv_directive = 7;
pub type ntv_directive = ::std::os::raw::c_uint;
pub const NTV_OFFSET_UNITS_BYTES: ntv_offset_units = 0;
pub const NTV_OFFSET_UNITS_ELEMENTS: ntv_offset_units = 1;
pub type ntv_offset_units = ::std::os::raw::c_uint;
pub const NTV_LOCATIONS_DECLARED: ntv_locations = 0;
pub const NTV_LOCATIONS_SLOTS: ntv_locations = 1;
pub const NTV_LOCATIONS_SPIRV: ntv_locations = 2;
pub type ntv_locations = ::std::os::raw::c_uint;
pub const NTV_FRAMEBUFFER_SINGLE_SAMPLE: ntv_framebuffer = 0;
pub const NTV_FRAMEBUFFER_MULTISAMPLE: ntv_framebuffer = 1;
pub type ntv_framebuffer = ::std::os::raw::c_uint;
pub const NTV_BLOCKS_ARRAY: ntv_blocks = 0;
pub type ntv_blocks = ::std::os::raw::c_uint;
pub const NTV_TYPE_ARRAYED: ntv_type_flags = 1;
pub const NTV_TYPE_SHADOW: ntv_type_flags = 2;
pub const NTV_TYPE_BARE: ntv_type_flags = 4;
pub type ntv_type_flags = ::std::os::raw::c_uint;
pub const NTV_TYPE_VOID: ntv_type = 0;
pub const NTV_TYPE_VECTOR: ntv_type = 1;
pub const NTV_TYPE_MATRIX: ntv_type = 2;
pub const NTV_TYPE_ARRAY: ntv_type = 3;
pub const NTV_TYPE_STRUCT: ntv_type = 4;
pub const NTV_TYPE_SAMPLER: ntv_type = 5;
pub const NTV_TYPE_TEXTURE: ntv_type = 6;
pub const NTV_TYPE_IMAGE: ntv_type = 7;
pub const NTV_TYPE_ATOMIC_UINT: ntv_type = 8;
pub type ntv_type = ::std::os::raw::c_uint;
pub const NTV_VARIABLE_BINDLESS: ntv_variable_flags = 1;
pub const NTV_VARIABLE_CENTROID: ntv_variable_flags = 2;
pub const NTV_VARIABLE_SAMPLE: ntv_variable_flags = 4;
pub const NTV_VARIABLE_PATCH: ntv_variable_flags = 8;
pub const NTV_VARIABLE_INVARIANT: ntv_variable_flags = 16;
pub const NTV_VARIABLE_PER_VIEW: ntv_variable_flags = 32;
pub const NTV_VARIABLE_PER_PRIMITIVE: ntv_variable_flags = 64;
pub const NTV_VARIABLE_RAY_QUERY: ntv_variable_flags = 128;
pub const NTV_VARIABLE_FB_FETCH_OUTPUT: ntv_variable_flags = 256;
pub const NTV_VARIABLE_COMPACT: ntv_variable_flags = 512;
pub const NTV_VARIABLE_HIGH_DVEC2: ntv_variable_flags = 1024;
pub type ntv_variable_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_variable {
    pub name: *const ::std::os::raw::c_char,
    pub type_: u32,
    pub mode: ntv_mode,
    pub interpolation: ntv_interp_mode,
    pub precision: ntv_precision,
    pub access: u32,
    pub flags: u32,
    pub location: u32,
    pub location_frac: u32,
    pub driver_location: u32,
    pub binding: u32,
    pub descriptor_set: u32,
    pub index: u32,
    pub image_format: u32,
    pub stream: u32,
    pub xfb_buffer: u32,
    pub xfb_stride: u32,
    pub xfb_offset: u32,
    pub values: *const u64,
    pub num_values: u32,
    pub initializer: *const ::std::os::raw::c_char,
}
pub const NTV_CONTROL_BLOCK: ntv_control = 0;
pub const NTV_CONTROL_IF: ntv_control = 1;
pub const NTV_CONTROL_ELSE: ntv_control = 2;
pub const NTV_CONTROL_END_IF: ntv_control = 3;
pub const NTV_CONTROL_LOOP: ntv_control = 4;
pub const NTV_CONTROL_CONTINUE: ntv_control = 5;
pub const NTV_CONTROL_END_LOOP: ntv_control = 6;
pub type ntv_control = ::std::os::raw::c_uint;
pub const NTV_PLAIN_UNDEF: ntv_plain = 0;
pub const NTV_PLAIN_PHI: ntv_plain = 1;
pub const NTV_PLAIN_BREAK: ntv_plain = 2;
pub const NTV_PLAIN_CONTINUE: ntv_plain = 3;
pub const NTV_PLAIN_RETURN: ntv_plain = 4;
pub const NTV_PLAIN_HALT: ntv_plain = 5;
pub type ntv_plain = ::std::os::raw::c_uint;
pub const NTV_ALU_EXACT: ntv_alu_flags = 1;
pub const NTV_ALU_NO_SIGNED_WRAP: ntv_alu_flags = 2;
pub const NTV_ALU_NO_UNSIGNED_WRAP: ntv_alu_flags = 4;
pub type ntv_alu_flags = ::std::os::raw::c_uint;
pub const NTV_MATH_NO_CONTRACT: ntv_math_control = 1;
pub const NTV_MATH_NO_REASSOC: ntv_math_control = 8;
pub const NTV_MATH_NO_TRANSFORM: ntv_math_control = 16;
pub const NTV_MATH_PRESERVE_SIGNED_ZERO: ntv_math_control = 32;
pub const NTV_MATH_PRESERVE_INF: ntv_math_control = 64;
pub const NTV_MATH_PRESERVE_NAN: ntv_math_control = 128;
pub type ntv_math_control = ::std::os::raw::c_uint;
pub const NTV_DEREF_VAR: ntv_deref = 0;
pub const NTV_DEREF_ARRAY: ntv_deref = 1;
pub const NTV_DEREF_ARRAY_IMM: ntv_deref = 2;
pub const NTV_DEREF_ARRAY_WILDCARD: ntv_deref = 3;
pub const NTV_DEREF_PTR_AS_ARRAY: ntv_deref = 4;
pub const NTV_DEREF_PTR_AS_ARRAY_IMM: ntv_deref = 5;
pub const NTV_DEREF_STRUCT: ntv_deref = 6;
pub const NTV_DEREF_CAST: ntv_deref = 7;
pub type ntv_deref = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_deref_result {
    pub bits: ::std::os::raw::c_uint,
    pub type_: u32,
    pub modes: u32,
}
pub const NTV_IO_EXPLICIT_STRICT: ntv_io_flags = 1;
pub const NTV_IO_DUALSRC: ntv_io_flags = 2;
pub const NTV_IO_FBFETCH: ntv_io_flags = 4;
pub const NTV_IO_COHERENT: ntv_io_flags = 8;
pub const NTV_IO_PERVIEW: ntv_io_flags = 16;
pub const NTV_IO_MEDIUMP: ntv_io_flags = 32;
pub const NTV_IO_HIGH_16BITS: ntv_io_flags = 64;
pub const NTV_IO_INVARIANT: ntv_io_flags = 128;
pub const NTV_IO_HIGH_DVEC2: ntv_io_flags = 256;
pub const NTV_IO_NO_VARYING: ntv_io_flags = 512;
pub const NTV_IO_NO_SYSVAL_OUTPUT: ntv_io_flags = 1024;
pub type ntv_io_flags = ::std::os::raw::c_uint;
pub const NTV_TEX_GATHER_IMPLICIT_LOD: ntv_tex_flags = 1;
pub const NTV_TEX_TEXTURE_NON_UNIFORM: ntv_tex_flags = 2;
pub const NTV_TEX_SAMPLER_NON_UNIFORM: ntv_tex_flags = 4;
pub const NTV_TEX_SPARSE: ntv_tex_flags = 8;
pub const NTV_TEX_OFFSETS: ntv_tex_flags = 16;
pub type ntv_tex_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntv_tex {
    pub op: ntv_tex_op,
    pub dest_type: u32,
    pub flags: u32,
    pub component: u32,
    pub texture_index: u32,
    pub sampler_index: u32,
    pub offsets: *const [::std::os::raw::c_schar; 2usize],
}
