// SPDX-License-Identifier: MIT

//! The headers as bindgen sees them: `BLESS=1 cargo test --package ntv-ffi` makes this file.

pub const NTVR_VERSION: &[u8; 6] = b"0.1.0\0";
pub const NTVR_HEADERS: u64 = 1500235870834105465;
pub const NTVR_WIRE_VERSION: u32 = 7;
pub const NTVR_NONE: u32 = 4294967295;
pub const NTVR_XFB_BUFFER_BINDING: u32 = 64;
pub const NTVR_XFB_STATE_WORDS: u32 = 24;
pub const NTVR_XFB_STATE_BINDING: u32 = 4;
pub const NTVR_XFB_LIST_BINDING: u32 = 5;
pub const NTVR_XFB_COUNTS_BINDING: u32 = 6;
pub const NTVR_XFB_VERTEX_BUFFER_BINDING: u32 = 7;
pub const NTVR_WIRE_MAGIC: u32 = 1465275470;
pub const NTVR_WIDE_SOURCES: u32 = 8;
extern "C" {
    pub fn ntvr_version() -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn ntvr_wire_version() -> u32;
}
extern "C" {
    pub fn ntvr_check_headers(headers: u64) -> *const ::std::os::raw::c_char;
}
pub const NTVR_STAGE_VERTEX: ntvr_stage = 0;
pub const NTVR_STAGE_TESS_CTRL: ntvr_stage = 1;
pub const NTVR_STAGE_TESS_EVAL: ntvr_stage = 2;
pub const NTVR_STAGE_GEOMETRY: ntvr_stage = 3;
pub const NTVR_STAGE_FRAGMENT: ntvr_stage = 4;
pub const NTVR_STAGE_COMPUTE: ntvr_stage = 5;
pub const NTVR_STAGE_KERNEL: ntvr_stage = 6;
pub const NTVR_STAGE_TASK: ntvr_stage = 7;
pub const NTVR_STAGE_MESH: ntvr_stage = 8;
pub type ntvr_stage = ::std::os::raw::c_uint;
pub const NTVR_TABLE_ALU: ntvr_table = 0;
pub const NTVR_TABLE_INTRINSIC: ntvr_table = 1;
pub const NTVR_TABLE_FORMAT: ntvr_table = 2;
pub type ntvr_table = ::std::os::raw::c_uint;
extern "C" {
    pub fn ntvr_wire_number(
        table: ntvr_table,
        name: *const ::std::os::raw::c_char,
    ) -> u32;
}
extern "C" {
    pub fn ntvr_wire_num_indices(intrinsic: u32) -> u32;
}
extern "C" {
    pub fn ntvr_wire_index(intrinsic: u32, index: *const ::std::os::raw::c_char) -> u32;
}
pub const NTVR_BUFFER_ACCESS_AUTO: ntvr_buffer_access = 0;
pub const NTVR_BUFFER_ACCESS_LANE: ntvr_buffer_access = 1;
pub type ntvr_buffer_access = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_target {
    pub struct_size: u32,
    pub vulkan_version: u32,
    pub features: [u32; 4usize],
    pub max_uniform_buffer_range: u32,
    pub max_push_constants_size: u32,
    pub indexed_draw_offset: u32,
    pub draw_id_offset: u32,
    pub max_draw_buffers: u32,
    pub max_clip_and_cull_distances: u32,
    pub buffer_access: ntvr_buffer_access,
    pub uniform_ranges_in_vec4s: bool,
    pub reserved: [u8; 3usize],
    pub workarounds: u32,
}
extern "C" {
    pub fn ntvr_target_init(target: *mut ntvr_target, vulkan_version: u32) -> bool;
}
extern "C" {
    pub fn ntvr_target_enable(
        target: *mut ntvr_target,
        feature: *const ::std::os::raw::c_char,
        on: bool,
    ) -> bool;
}
extern "C" {
    pub fn ntvr_target_workaround(
        target: *mut ntvr_target,
        workaround: *const ::std::os::raw::c_char,
        on: bool,
    ) -> bool;
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_translator {
    _unused: [u8; 0],
}
extern "C" {
    pub fn ntvr_translator_create() -> *mut ntvr_translator;
}
extern "C" {
    pub fn ntvr_translator_destroy(translator: *mut ntvr_translator);
}
pub const NTVR_OK: ntvr_status = 0;
pub const NTVR_ERROR_ARGUMENT: ntvr_status = 1;
pub const NTVR_ERROR_MALFORMED: ntvr_status = 2;
pub const NTVR_ERROR_INVALID: ntvr_status = 3;
pub const NTVR_ERROR_UNSUPPORTED: ntvr_status = 4;
pub const NTVR_ERROR_INTERNAL: ntvr_status = 5;
pub const NTVR_ERROR_MEMORY: ntvr_status = 6;
pub type ntvr_status = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_allocator {
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
pub const NTVR_OPTION_NAMES: ntvr_option_flags = 1;
pub const NTVR_OPTION_WORDS_ONLY: ntvr_option_flags = 2;
pub const NTVR_OPTION_VALID_NIR: ntvr_option_flags = 4;
pub const NTVR_OPTION_LINES: ntvr_option_flags = 8;
pub type ntvr_option_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_push_constants {
    pub struct_size: u32,
    pub alpha_reference: u32,
    pub point_size: u32,
}
pub const NTVR_CLASS_DEFAULT_UNIFORMS: ntvr_descriptor_class = 0;
pub const NTVR_CLASS_UNIFORM_BUFFER: ntvr_descriptor_class = 1;
pub const NTVR_CLASS_TEXTURE: ntvr_descriptor_class = 2;
pub const NTVR_CLASS_STORAGE_BUFFER: ntvr_descriptor_class = 3;
pub const NTVR_CLASS_IMAGE: ntvr_descriptor_class = 4;
pub const NTVR_CLASS_BINDLESS: ntvr_descriptor_class = 5;
pub const NTVR_NUM_CLASSES: ntvr_descriptor_class = 6;
pub type ntvr_descriptor_class = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_descriptor_slot {
    pub set: u32,
    pub binding: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_block_array {
    pub first: u32,
    pub count: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_descriptor_layout {
    pub struct_size: u32,
    pub uniform_blocks: ntvr_block_array,
    pub storage_blocks: ntvr_block_array,
    pub slots: [ntvr_descriptor_slot; 6usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_options {
    pub struct_size: u32,
    pub flags: u32,
    pub allocator: ntvr_allocator,
    pub placements: *const ntvr_placement,
    pub num_placements: usize,
    pub xfb: *const ntvr_xfb_options,
    pub push_constants: *const ntvr_push_constants,
    pub descriptors: *const ntvr_descriptor_layout,
}
extern "C" {
    pub fn ntvr_slot_location(slot: u32) -> u32;
}
pub const NTVR_DESCRIPTOR_UNIFORM_BUFFER: ntvr_descriptor = 0;
pub const NTVR_DESCRIPTOR_STORAGE_BUFFER: ntvr_descriptor = 1;
pub const NTVR_DESCRIPTOR_COMBINED_IMAGE_SAMPLER: ntvr_descriptor = 2;
pub const NTVR_DESCRIPTOR_SAMPLED_IMAGE: ntvr_descriptor = 3;
pub const NTVR_DESCRIPTOR_SAMPLER: ntvr_descriptor = 4;
pub const NTVR_DESCRIPTOR_UNIFORM_TEXEL_BUFFER: ntvr_descriptor = 5;
pub const NTVR_DESCRIPTOR_STORAGE_IMAGE: ntvr_descriptor = 6;
pub const NTVR_DESCRIPTOR_STORAGE_TEXEL_BUFFER: ntvr_descriptor = 7;
pub const NTVR_DESCRIPTOR_INPUT_ATTACHMENT: ntvr_descriptor = 8;
pub type ntvr_descriptor = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_binding {
    pub set: u32,
    pub binding: u32,
    pub kind: ntvr_descriptor,
    pub count: u32,
    pub min_range: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_varying {
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
pub struct ntvr_result {
    pub struct_size: u32,
    pub words: *mut u32,
    pub num_words: usize,
    pub patch_vertices_word: u32,
    pub workgroup_size: [u32; 3usize],
    pub bindings: *mut ntvr_binding,
    pub num_bindings: usize,
    pub varyings: *mut ntvr_varying,
    pub num_varyings: usize,
    pub patches: *mut ntvr_patch,
    pub num_patches: usize,
    pub error: *mut ::std::os::raw::c_char,
}
extern "C" {
    pub fn ntvr_translate(
        translator: *mut ntvr_translator,
        target: *const ntvr_target,
        wire: *const u32,
        num_words: usize,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_result_free(result: *mut ntvr_result, options: *const ntvr_options);
}
pub const NTVR_PATCH_DESCRIPTOR_SET: ntvr_patch_kind = 0;
pub const NTVR_PATCH_BINDING: ntvr_patch_kind = 1;
pub const NTVR_PATCH_ARRAY_LENGTH: ntvr_patch_kind = 2;
pub const NTVR_PATCH_LOCATION: ntvr_patch_kind = 3;
pub const NTVR_PATCH_COMPONENT: ntvr_patch_kind = 4;
pub const NTVR_PATCH_INDEX: ntvr_patch_kind = 5;
pub const NTVR_PATCH_XFB_BUFFER: ntvr_patch_kind = 6;
pub const NTVR_PATCH_XFB_STRIDE: ntvr_patch_kind = 7;
pub const NTVR_PATCH_XFB_OFFSET: ntvr_patch_kind = 8;
pub const NTVR_PATCH_SPEC_ID: ntvr_patch_kind = 9;
pub const NTVR_PATCH_SPEC_VALUE: ntvr_patch_kind = 10;
pub const NTVR_PATCH_LOCAL_SIZE: ntvr_patch_kind = 11;
pub const NTVR_PATCH_OUTPUT_VERTICES: ntvr_patch_kind = 12;
pub type ntvr_patch_kind = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_patch {
    pub word: u32,
    pub kind: ntvr_patch_kind,
    pub of: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_module {
    _unused: [u8; 0],
}
pub const NTVR_DITHER_NONE: ntvr_dither = 0;
pub const NTVR_DITHER_4444: ntvr_dither = 1;
pub const NTVR_DITHER_5551: ntvr_dither = 2;
pub const NTVR_DITHER_565: ntvr_dither = 3;
pub type ntvr_dither = ::std::os::raw::c_uint;
pub const NTVR_ALPHA_TEST_ALWAYS: ntvr_alpha_test = 0;
pub const NTVR_ALPHA_TEST_NEVER: ntvr_alpha_test = 1;
pub const NTVR_ALPHA_TEST_LESS: ntvr_alpha_test = 2;
pub const NTVR_ALPHA_TEST_EQUAL: ntvr_alpha_test = 3;
pub const NTVR_ALPHA_TEST_LEQUAL: ntvr_alpha_test = 4;
pub const NTVR_ALPHA_TEST_GREATER: ntvr_alpha_test = 5;
pub const NTVR_ALPHA_TEST_NOTEQUAL: ntvr_alpha_test = 6;
pub const NTVR_ALPHA_TEST_GEQUAL: ntvr_alpha_test = 7;
pub type ntvr_alpha_test = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_key {
    pub struct_size: u32,
    pub reserved: u32,
    pub bits: u64,
    pub size: [u32; 2usize],
    pub uniforms: [u32; 4usize],
    pub swizzles: [u8; 8usize],
}
pub const NTVR_SWIZZLE_RED: ntvr_swizzle = 0;
pub const NTVR_SWIZZLE_ZERO: ntvr_swizzle = 1;
pub const NTVR_SWIZZLE_ONE: ntvr_swizzle = 2;
pub type ntvr_swizzle = ::std::os::raw::c_uint;
extern "C" {
    pub fn ntvr_module_create(
        translator: *mut ntvr_translator,
        target: *const ntvr_target,
        wire: *const u32,
        num_words: usize,
        offer: u64,
        module: *mut *mut ntvr_module,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_module_load(
        words: *const u32,
        num_words: usize,
        module: *mut *mut ntvr_module,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_module_store(
        module: *const ntvr_module,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_module_destroy(module: *mut ntvr_module);
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_move {
    pub set: u32,
    pub binding: u32,
    pub new_set: u32,
    pub new_binding: u32,
    pub new_count: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_spec_id {
    pub id: u32,
    pub new_id: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_spec_value {
    pub id: u32,
    pub value: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_varying_number {
    pub varying: u32,
    pub number: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_capture {
    pub varying: u32,
    pub buffer: u32,
    pub stride: u32,
    pub offset: u32,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_link_info {
    pub struct_size: u32,
    pub moves: *const ntvr_move,
    pub num_moves: usize,
    pub spec_ids: *const ntvr_spec_id,
    pub num_spec_ids: usize,
    pub spec_values: *const ntvr_spec_value,
    pub num_spec_values: usize,
    pub locations: *const ntvr_varying_number,
    pub num_locations: usize,
    pub components: *const ntvr_varying_number,
    pub num_components: usize,
    pub indices: *const ntvr_varying_number,
    pub num_indices: usize,
    pub captures: *const ntvr_capture,
    pub num_captures: usize,
    pub workgroup_size: [u32; 3usize],
    pub patch_vertices: u32,
}
extern "C" {
    pub fn ntvr_link(
        stages: *const *const ntvr_module,
        num_stages: usize,
        infos: *const ntvr_link_info,
        linked: *mut *mut ntvr_module,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_program_keys(
        stages: *const *const ntvr_module,
        num_stages: usize,
        key: *const ntvr_key,
        keys: *mut ntvr_key,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_likely_keys(
        stages: *const *const ntvr_module,
        num_stages: usize,
        always: *const ntvr_key,
        keys: *mut ntvr_key,
        most: usize,
    ) -> usize;
}
extern "C" {
    pub fn ntvr_module_instantiate(
        module: *const ntvr_module,
        key: *const ntvr_key,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
pub const NTVR_BLOCK_UNIFORM: ntvr_block_class = 0;
pub const NTVR_BLOCK_STORAGE: ntvr_block_class = 1;
pub const NTVR_BLOCK_PUSH_CONSTANT: ntvr_block_class = 2;
pub type ntvr_block_class = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_placement {
    pub block: u32,
    pub block_class: u32,
    pub range: u32,
    pub offset: u32,
    pub clamp: bool,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_plan {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_limits {
    pub struct_size: u32,
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
pub struct ntvr_plan_wishes {
    pub struct_size: u32,
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
pub struct ntvr_block {
    pub struct_size: u32,
    pub bytes: u32,
    pub is_unsized: bool,
    pub is_at_hand: bool,
    pub is_asked: bool,
    pub block_class: u32,
    pub offset: u32,
}
pub const NTVR_PLAN_FITS: ntvr_plan_reason = 0;
pub const NTVR_PLAN_RANGE: ntvr_plan_reason = 1;
pub const NTVR_PLAN_UNSIZED: ntvr_plan_reason = 2;
pub const NTVR_PLAN_DESCRIPTORS: ntvr_plan_reason = 3;
pub const NTVR_PLAN_THRESHOLD: ntvr_plan_reason = 4;
pub const NTVR_PLAN_ANGLE: ntvr_plan_reason = 5;
pub const NTVR_PLAN_ASKED: ntvr_plan_reason = 6;
pub const NTVR_PLAN_PUSH_CONSTANTS: ntvr_plan_reason = 7;
pub const NTVR_PLAN_ARRAY: ntvr_plan_reason = 8;
pub type ntvr_plan_reason = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_planned {
    pub struct_size: u32,
    pub name: *const ::std::os::raw::c_char,
    pub why: *const ::std::os::raw::c_char,
    pub block_class: u32,
    pub offset: u32,
    pub reason: ntvr_plan_reason,
    pub buffer_usage: u32,
    pub access: u32,
    pub offset_alignment: u32,
    pub range: u32,
    pub dynamic_bytes: u32,
    pub clamp: bool,
}
extern "C" {
    pub fn ntvr_plan_create() -> *mut ntvr_plan;
}
extern "C" {
    pub fn ntvr_plan_destroy(plan: *mut ntvr_plan);
}
extern "C" {
    pub fn ntvr_plan_add_stage(
        plan: *mut ntvr_plan,
        wire: *const u32,
        num_words: usize,
        names: *const *const ::std::os::raw::c_char,
        num_names: usize,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_plan_know_block(
        plan: *mut ntvr_plan,
        name: *const ::std::os::raw::c_char,
        block: *const ntvr_block,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_plan_decide(
        plan: *mut ntvr_plan,
        limits: *const ntvr_limits,
        wishes: *const ntvr_plan_wishes,
        options: *const ntvr_options,
        result: *mut ntvr_result,
    ) -> ntvr_status;
}
extern "C" {
    pub fn ntvr_plan_blocks(
        plan: *const ntvr_plan,
        blocks: *mut ntvr_planned,
        most: usize,
    ) -> usize;
}
extern "C" {
    pub fn ntvr_plan_placements(
        plan: *const ntvr_plan,
        stage: ntvr_stage,
        placements: *mut ntvr_placement,
        most: usize,
    ) -> usize;
}
pub const NTVR_XFB_EXTENSION: ntvr_xfb_back_end = 0;
pub const NTVR_XFB_STORAGE: ntvr_xfb_back_end = 1;
pub const NTVR_XFB_COMPUTE: ntvr_xfb_back_end = 2;
pub type ntvr_xfb_back_end = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_attribute {
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
pub struct ntvr_xfb_options {
    pub struct_size: u32,
    pub back_end: u32,
    pub set: u32,
    pub binding: u32,
    pub attributes: *const ntvr_attribute,
    pub num_attributes: usize,
    pub passes_instance: bool,
    pub instance_location: u32,
}
pub const NTVR_TOPOLOGY_POINTS: ntvr_topology = 0;
pub const NTVR_TOPOLOGY_LINES: ntvr_topology = 1;
pub const NTVR_TOPOLOGY_LINE_LOOP: ntvr_topology = 2;
pub const NTVR_TOPOLOGY_LINE_STRIP: ntvr_topology = 3;
pub const NTVR_TOPOLOGY_TRIANGLES: ntvr_topology = 4;
pub const NTVR_TOPOLOGY_TRIANGLE_STRIP: ntvr_topology = 5;
pub const NTVR_TOPOLOGY_TRIANGLE_FAN: ntvr_topology = 6;
pub type ntvr_topology = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_xfb_state {
    pub struct_size: u32,
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
    pub fn ntvr_xfb_state_words(state: *const ntvr_xfb_state, words: *mut u32) -> bool;
}
extern "C" {
    pub fn ntvr_topology_primitives(topology: u32, vertices: u32) -> u32;
}
extern "C" {
    pub fn ntvr_topology_vertices_per_primitive(topology: u32) -> u32;
}
extern "C" {
    pub fn ntvr_emission_list(
        topology: u32,
        first_provokes: bool,
        indices: *const u32,
        num_indices: usize,
        restart: *const u32,
        list: *mut u32,
        most: usize,
    ) -> usize;
}
pub const NTVR_MODE_SYSTEM: ntvr_mode = 1;
pub const NTVR_MODE_UNIFORM: ntvr_mode = 2;
pub const NTVR_MODE_SHADER_IN: ntvr_mode = 4;
pub const NTVR_MODE_SHADER_OUT: ntvr_mode = 8;
pub const NTVR_MODE_IMAGE: ntvr_mode = 16;
pub const NTVR_MODE_UBO: ntvr_mode = 32;
pub const NTVR_MODE_PUSH_CONST: ntvr_mode = 64;
pub const NTVR_MODE_SSBO: ntvr_mode = 128;
pub const NTVR_MODE_CONSTANT: ntvr_mode = 256;
pub const NTVR_MODE_TASK_PAYLOAD: ntvr_mode = 512;
pub const NTVR_MODE_SHADER_TEMP: ntvr_mode = 1024;
pub const NTVR_MODE_FUNCTION_TEMP: ntvr_mode = 2048;
pub const NTVR_MODE_SHARED: ntvr_mode = 4096;
pub const NTVR_MODE_GLOBAL: ntvr_mode = 8192;
pub type ntvr_mode = ::std::os::raw::c_uint;
pub const NTVR_ACCESS_COHERENT: ntvr_access = 1;
pub const NTVR_ACCESS_RESTRICT: ntvr_access = 2;
pub const NTVR_ACCESS_VOLATILE: ntvr_access = 4;
pub const NTVR_ACCESS_WRITEONLY: ntvr_access = 8;
pub const NTVR_ACCESS_READONLY: ntvr_access = 16;
pub const NTVR_ACCESS_NON_UNIFORM: ntvr_access = 32;
pub const NTVR_ACCESS_REORDERABLE: ntvr_access = 64;
pub const NTVR_ACCESS_NON_TEMPORAL: ntvr_access = 128;
pub const NTVR_ACCESS_INCLUDE_HELPERS: ntvr_access = 256;
pub const NTVR_ACCESS_IS_SWIZZLED_AMD: ntvr_access = 512;
pub const NTVR_ACCESS_USES_FORMAT_AMD: ntvr_access = 1024;
pub const NTVR_ACCESS_FMASK_LOWERED_AMD: ntvr_access = 2048;
pub const NTVR_ACCESS_SPECULATABLE: ntvr_access = 4096;
pub const NTVR_ACCESS_CP_GE_COHERENT_AMD: ntvr_access = 8192;
pub const NTVR_ACCESS_IN_BOUNDS_AGX: ntvr_access = 16384;
pub const NTVR_ACCESS_KEEP_SCALAR: ntvr_access = 32768;
pub const NTVR_ACCESS_SMEM_AMD: ntvr_access = 65536;
pub const NTVR_ACCESS_ATOMIC: ntvr_access = 131072;
pub type ntvr_access = ::std::os::raw::c_uint;
pub const NTVR_ATOMIC_OP_IADD: ntvr_atomic_op = 0;
pub const NTVR_ATOMIC_OP_IMIN: ntvr_atomic_op = 1;
pub const NTVR_ATOMIC_OP_UMIN: ntvr_atomic_op = 2;
pub const NTVR_ATOMIC_OP_IMAX: ntvr_atomic_op = 3;
pub const NTVR_ATOMIC_OP_UMAX: ntvr_atomic_op = 4;
pub const NTVR_ATOMIC_OP_IAND: ntvr_atomic_op = 5;
pub const NTVR_ATOMIC_OP_IOR: ntvr_atomic_op = 6;
pub const NTVR_ATOMIC_OP_IXOR: ntvr_atomic_op = 7;
pub const NTVR_ATOMIC_OP_XCHG: ntvr_atomic_op = 8;
pub const NTVR_ATOMIC_OP_FADD: ntvr_atomic_op = 9;
pub const NTVR_ATOMIC_OP_FMIN: ntvr_atomic_op = 10;
pub const NTVR_ATOMIC_OP_FMAX: ntvr_atomic_op = 11;
pub const NTVR_ATOMIC_OP_CMPXCHG: ntvr_atomic_op = 12;
pub const NTVR_ATOMIC_OP_FCMPXCHG: ntvr_atomic_op = 13;
pub const NTVR_ATOMIC_OP_INC_WRAP: ntvr_atomic_op = 14;
pub const NTVR_ATOMIC_OP_DEC_WRAP: ntvr_atomic_op = 15;
pub type ntvr_atomic_op = ::std::os::raw::c_uint;
pub const NTVR_SCOPE_NONE: ntvr_scope = 0;
pub const NTVR_SCOPE_INVOCATION: ntvr_scope = 1;
pub const NTVR_SCOPE_SUBGROUP: ntvr_scope = 2;
pub const NTVR_SCOPE_SHADER_CALL: ntvr_scope = 3;
pub const NTVR_SCOPE_WORKGROUP: ntvr_scope = 4;
pub const NTVR_SCOPE_QUEUE_FAMILY: ntvr_scope = 5;
pub const NTVR_SCOPE_DEVICE: ntvr_scope = 6;
pub type ntvr_scope = ::std::os::raw::c_uint;
pub const NTVR_SEMANTICS_ACQUIRE: ntvr_semantics = 1;
pub const NTVR_SEMANTICS_RELEASE: ntvr_semantics = 2;
pub const NTVR_SEMANTICS_MAKE_AVAILABLE: ntvr_semantics = 4;
pub const NTVR_SEMANTICS_MAKE_VISIBLE: ntvr_semantics = 8;
pub type ntvr_semantics = ::std::os::raw::c_uint;
pub const NTVR_INTERP_MODE_NONE: ntvr_interp_mode = 0;
pub const NTVR_INTERP_MODE_SMOOTH: ntvr_interp_mode = 1;
pub const NTVR_INTERP_MODE_FLAT: ntvr_interp_mode = 2;
pub const NTVR_INTERP_MODE_NOPERSPECTIVE: ntvr_interp_mode = 3;
pub const NTVR_INTERP_MODE_EXPLICIT: ntvr_interp_mode = 4;
pub type ntvr_interp_mode = ::std::os::raw::c_uint;
pub const NTVR_PRECISION_NONE: ntvr_precision = 0;
pub const NTVR_PRECISION_HIGH: ntvr_precision = 1;
pub const NTVR_PRECISION_MEDIUM: ntvr_precision = 2;
pub const NTVR_PRECISION_LOW: ntvr_precision = 3;
pub type ntvr_precision = ::std::os::raw::c_uint;
pub const NTVR_DIM_1D: ntvr_dim = 0;
pub const NTVR_DIM_2D: ntvr_dim = 1;
pub const NTVR_DIM_3D: ntvr_dim = 2;
pub const NTVR_DIM_CUBE: ntvr_dim = 3;
pub const NTVR_DIM_RECT: ntvr_dim = 4;
pub const NTVR_DIM_BUF: ntvr_dim = 5;
pub const NTVR_DIM_EXTERNAL: ntvr_dim = 6;
pub const NTVR_DIM_MS: ntvr_dim = 7;
pub const NTVR_DIM_SUBPASS: ntvr_dim = 8;
pub const NTVR_DIM_SUBPASS_MS: ntvr_dim = 9;
pub type ntvr_dim = ::std::os::raw::c_uint;
pub const NTVR_DESC_TYPE_SAMPLER: ntvr_desc_type = 0;
pub const NTVR_DESC_TYPE_COMBINED_IMAGE_SAMPLER: ntvr_desc_type = 1;
pub const NTVR_DESC_TYPE_SAMPLED_IMAGE: ntvr_desc_type = 2;
pub const NTVR_DESC_TYPE_STORAGE_IMAGE: ntvr_desc_type = 3;
pub const NTVR_DESC_TYPE_UNIFORM_TEXEL_BUFFER: ntvr_desc_type = 4;
pub const NTVR_DESC_TYPE_STORAGE_TEXEL_BUFFER: ntvr_desc_type = 5;
pub const NTVR_DESC_TYPE_UNIFORM_BUFFER: ntvr_desc_type = 6;
pub const NTVR_DESC_TYPE_STORAGE_BUFFER: ntvr_desc_type = 7;
pub const NTVR_DESC_TYPE_INPUT_ATTACHMENT: ntvr_desc_type = 8;
pub const NTVR_DESC_TYPE_INLINE_UNIFORM_BLOCK: ntvr_desc_type = 9;
pub const NTVR_DESC_TYPE_ACCELERATION_STRUCTURE: ntvr_desc_type = 10;
pub type ntvr_desc_type = ::std::os::raw::c_uint;
pub const NTVR_TEX_OP_TEX: ntvr_tex_op = 0;
pub const NTVR_TEX_OP_TXB: ntvr_tex_op = 1;
pub const NTVR_TEX_OP_TXL: ntvr_tex_op = 2;
pub const NTVR_TEX_OP_TXD: ntvr_tex_op = 3;
pub const NTVR_TEX_OP_TXF: ntvr_tex_op = 4;
pub const NTVR_TEX_OP_TXF_MS: ntvr_tex_op = 5;
pub const NTVR_TEX_OP_TXS: ntvr_tex_op = 6;
pub const NTVR_TEX_OP_LOD: ntvr_tex_op = 7;
pub const NTVR_TEX_OP_TG4: ntvr_tex_op = 8;
pub const NTVR_TEX_OP_QUERY_LEVELS: ntvr_tex_op = 9;
pub const NTVR_TEX_OP_TEXTURE_SAMPLES: ntvr_tex_op = 10;
pub const NTVR_TEX_OP_SAMPLES_IDENTICAL: ntvr_tex_op = 11;
pub type ntvr_tex_op = ::std::os::raw::c_uint;
pub const NTVR_TEX_SRC_COORD: ntvr_tex_src = 0;
pub const NTVR_TEX_SRC_PROJECTOR: ntvr_tex_src = 1;
pub const NTVR_TEX_SRC_COMPARATOR: ntvr_tex_src = 2;
pub const NTVR_TEX_SRC_OFFSET: ntvr_tex_src = 3;
pub const NTVR_TEX_SRC_BIAS: ntvr_tex_src = 4;
pub const NTVR_TEX_SRC_LOD: ntvr_tex_src = 5;
pub const NTVR_TEX_SRC_MIN_LOD: ntvr_tex_src = 6;
pub const NTVR_TEX_SRC_MS_INDEX: ntvr_tex_src = 7;
pub const NTVR_TEX_SRC_DDX: ntvr_tex_src = 8;
pub const NTVR_TEX_SRC_DDY: ntvr_tex_src = 9;
pub const NTVR_TEX_SRC_TEXTURE_DEREF: ntvr_tex_src = 10;
pub const NTVR_TEX_SRC_SAMPLER_DEREF: ntvr_tex_src = 11;
pub const NTVR_TEX_SRC_TEXTURE_OFFSET: ntvr_tex_src = 12;
pub const NTVR_TEX_SRC_SAMPLER_OFFSET: ntvr_tex_src = 13;
pub const NTVR_TEX_SRC_TEXTURE_HANDLE: ntvr_tex_src = 14;
pub const NTVR_TEX_SRC_SAMPLER_HANDLE: ntvr_tex_src = 15;
pub const NTVR_TEX_SRC_PLANE: ntvr_tex_src = 16;
pub const NTVR_TEX_SRC_BACKEND1: ntvr_tex_src = 17;
pub const NTVR_TEX_SRC_BACKEND2: ntvr_tex_src = 18;
pub const NTVR_TEX_SRC_SAMPLER_DEREF_INTRINSIC: ntvr_tex_src = 19;
pub const NTVR_TEX_SRC_TEXTURE_DEREF_INTRINSIC: ntvr_tex_src = 20;
pub type ntvr_tex_src = ::std::os::raw::c_uint;
pub const NTVR_HINT_NONE: ntvr_hint = 0;
pub const NTVR_HINT_FLATTEN: ntvr_hint = 1;
pub const NTVR_HINT_DONT_FLATTEN: ntvr_hint = 2;
pub const NTVR_HINT_DIVERGENT_ALWAYS_TAKEN: ntvr_hint = 3;
pub type ntvr_hint = ::std::os::raw::c_uint;
pub const NTVR_FLOAT_SIGNED_ZERO_PRESERVE: ntvr_float_controls = 1;
pub const NTVR_FLOAT_INF_PRESERVE: ntvr_float_controls = 8;
pub const NTVR_FLOAT_NAN_PRESERVE: ntvr_float_controls = 64;
pub const NTVR_FLOAT_DENORM_PRESERVE: ntvr_float_controls = 512;
pub const NTVR_FLOAT_DENORM_FLUSH_TO_ZERO: ntvr_float_controls = 4096;
pub const NTVR_FLOAT_ROUNDING_MODE_RTE: ntvr_float_controls = 32768;
pub const NTVR_FLOAT_ROUNDING_MODE_RTZ: ntvr_float_controls = 262144;
pub type ntvr_float_controls = ::std::os::raw::c_uint;
pub const NTVR_BASE_BOOL: ntvr_base = 0;
pub const NTVR_BASE_INT: ntvr_base = 1;
pub const NTVR_BASE_UINT: ntvr_base = 2;
pub const NTVR_BASE_FLOAT: ntvr_base = 3;
pub type ntvr_base = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_wire {
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
pub const NTVR_RECORD_ALU: ntvr_record = 0;
pub const NTVR_RECORD_INTRINSIC: ntvr_record = 1;
pub const NTVR_RECORD_CONST: ntvr_record = 2;
pub const NTVR_RECORD_DEREF_VAR: ntvr_record = 3;
pub const NTVR_RECORD_DEREF: ntvr_record = 4;
pub const NTVR_RECORD_TEX: ntvr_record = 5;
pub const NTVR_RECORD_PLAIN: ntvr_record = 6;
pub const NTVR_RECORD_CONTROL: ntvr_record = 7;
pub const NTVR_RECORD_TYPE: ntvr_record = 8;
pub const NTVR_RECORD_VARIABLE: ntvr_record = 9;
pub const NTVR_RECORD_VARIABLE_TYPE: ntvr_record = 10;
pub const NTVR_RECORD_PHI_SRC: ntvr_record = 11;
pub const NTVR_RECORD_DIRECTIVE: ntvr_record = 12;
pub const NTVR_RECORD_FACT: ntvr_record = 13;
pub const NTVR_RECORD_NAME: ntvr_record = 14;
pub const NTVR_RECORD_MATH: ntvr_record = 15;
pub type ntvr_record = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_shader {
    pub stage: ntvr_stage,
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
pub const NTVR_INFO_INPUTS_READ: ntvr_info_field = 6;
pub const NTVR_INFO_OUTPUTS_WRITTEN: ntvr_info_field = 8;
pub const NTVR_INFO_OUTPUTS_READ: ntvr_info_field = 9;
pub const NTVR_INFO_SYSTEM_VALUES_READ: ntvr_info_field = 10;
pub const NTVR_INFO_XFB_STRIDE: ntvr_info_field = 37;
pub const NTVR_INFO_INLINABLE_UNIFORM_DW_OFFSETS: ntvr_info_field = 38;
pub const NTVR_INFO_OUTPUT_PRIMITIVE: ntvr_info_field = 65;
pub const NTVR_INFO_INPUT_PRIMITIVE: ntvr_info_field = 66;
pub const NTVR_INFO_COLOR0_INTERP: ntvr_info_field = 90;
pub const NTVR_INFO_COLOR1_INTERP: ntvr_info_field = 93;
pub const NTVR_INFO_PRIMITIVE_MODE: ntvr_info_field = 57;
pub const NTVR_INFO_SPACING: ntvr_info_field = 59;
pub const NTVR_INFO_PATCH_INPUTS_READ: ntvr_info_field = 19;
pub const NTVR_INFO_PATCH_OUTPUTS_WRITTEN: ntvr_info_field = 20;
pub const NTVR_INFO_PATCH_OUTPUTS_READ: ntvr_info_field = 21;
pub const NTVR_INFO_CLIP_DISTANCE_ARRAY_SIZE: ntvr_info_field = 40;
pub const NTVR_INFO_CULL_DISTANCE_ARRAY_SIZE: ntvr_info_field = 41;
pub const NTVR_INFO_SEPARATE_SHADER: ntvr_info_field = 47;
pub const NTVR_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS: ntvr_info_field = 48;
pub const NTVR_INFO_IO_LOWERED: ntvr_info_field = 50;
pub const NTVR_INFO_WRITES_MEMORY: ntvr_info_field = 51;
pub const NTVR_INFO_WINDOW_SPACE_POSITION: ntvr_info_field = 55;
pub const NTVR_INFO_TCS_VERTICES_OUT: ntvr_info_field = 58;
pub const NTVR_INFO_CCW: ntvr_info_field = 60;
pub const NTVR_INFO_POINT_MODE: ntvr_info_field = 61;
pub const NTVR_INFO_VERTICES_OUT: ntvr_info_field = 67;
pub const NTVR_INFO_INVOCATIONS: ntvr_info_field = 68;
pub const NTVR_INFO_VERTICES_IN: ntvr_info_field = 69;
pub const NTVR_INFO_USES_END_PRIMITIVE: ntvr_info_field = 70;
pub const NTVR_INFO_ACTIVE_STREAM_MASK: ntvr_info_field = 71;
pub const NTVR_INFO_USES_DISCARD: ntvr_info_field = 72;
pub const NTVR_INFO_USES_FBFETCH_OUTPUT: ntvr_info_field = 73;
pub const NTVR_INFO_COLOR_IS_DUAL_SOURCE: ntvr_info_field = 74;
pub const NTVR_INFO_USES_SAMPLE_QUALIFIER: ntvr_info_field = 77;
pub const NTVR_INFO_USES_SAMPLE_SHADING: ntvr_info_field = 78;
pub const NTVR_INFO_EARLY_FRAGMENT_TESTS: ntvr_info_field = 79;
pub const NTVR_INFO_INNER_COVERAGE: ntvr_info_field = 80;
pub const NTVR_INFO_POST_DEPTH_COVERAGE: ntvr_info_field = 81;
pub const NTVR_INFO_PIXEL_CENTER_INTEGER: ntvr_info_field = 82;
pub const NTVR_INFO_ORIGIN_UPPER_LEFT: ntvr_info_field = 83;
pub const NTVR_INFO_PIXEL_INTERLOCK_ORDERED: ntvr_info_field = 84;
pub const NTVR_INFO_PIXEL_INTERLOCK_UNORDERED: ntvr_info_field = 85;
pub const NTVR_INFO_SAMPLE_INTERLOCK_ORDERED: ntvr_info_field = 86;
pub const NTVR_INFO_SAMPLE_INTERLOCK_UNORDERED: ntvr_info_field = 87;
pub const NTVR_INFO_COLOR0_SAMPLE: ntvr_info_field = 91;
pub const NTVR_INFO_COLOR0_CENTROID: ntvr_info_field = 92;
pub const NTVR_INFO_COLOR1_SAMPLE: ntvr_info_field = 94;
pub const NTVR_INFO_COLOR1_CENTROID: ntvr_info_field = 95;
pub const NTVR_INFO_PTR_SIZE: ntvr_info_field = 99;
pub const NTVR_INFO_SCRATCH: ntvr_info_field = 103;
pub const NTVR_INFO_NUM_INLINABLE_UNIFORMS: ntvr_info_field = 39;
pub const NTVR_INFO_TASK_PAYLOAD_SIZE: ntvr_info_field = 105;
pub const NTVR_INFO_MAX_VERTICES_OUT: ntvr_info_field = 107;
pub const NTVR_INFO_MAX_PRIMITIVES_OUT: ntvr_info_field = 108;
pub const NTVR_INFO_PRIMITIVE_TYPE: ntvr_info_field = 109;
pub type ntvr_info_field = ::std::os::raw::c_uint;
pub const NTVR_DIRECTIVE_SHARED_OFFSET_UNITS: ntvr_directive = 0;
pub const NTVR_DIRECTIVE_LOCATIONS: ntvr_directive = 1;
pub const NTVR_DIRECTIVE_VARIABLE_SHARED_MEMORY: ntvr_directive = 2;
pub const NTVR_DIRECTIVE_STRUCT: ntvr_directive = 3;
pub const NTVR_DIRECTIVE_FRAMEBUFFER: ntvr_directive = 4;
pub const NTVR_DIRECTIVE_UNIFORM_BLOCKS: ntvr_directive = 5;
pub const NTVR_DIRECTIVE_STORAGE_BLOCKS: ntvr_directive = 6;
pub const NTVR_DIRECTIVE_XFB: ntvr_directive = 7;
pub type ntvr_directive = ::std::os::raw::c_uint;
pub const NTVR_OFFSET_UNITS_BYTES: ntvr_offset_units = 0;
pub const NTVR_OFFSET_UNITS_ELEMENTS: ntvr_offset_units = 1;
pub type ntvr_offset_units = ::std::os::raw::c_uint;
pub const NTVR_LOCATIONS_DECLARED: ntvr_locations = 0;
pub const NTVR_LOCATIONS_SLOTS: ntvr_locations = 1;
pub const NTVR_LOCATIONS_SPIRV: ntvr_locations = 2;
pub type ntvr_locations = ::std::os::raw::c_uint;
pub const NTVR_FRAMEBUFFER_SINGLE_SAMPLE: ntvr_framebuffer = 0;
pub const NTVR_FRAMEBUFFER_MULTISAMPLE: ntvr_framebuffer = 1;
pub type ntvr_framebuffer = ::std::os::raw::c_uint;
pub const NTVR_BLOCKS_ARRAY: ntvr_blocks = 0;
pub type ntvr_blocks = ::std::os::raw::c_uint;
pub const NTVR_TYPE_ARRAYED: ntvr_type_flags = 1;
pub const NTVR_TYPE_SHADOW: ntvr_type_flags = 2;
pub const NTVR_TYPE_BARE: ntvr_type_flags = 4;
pub type ntvr_type_flags = ::std::os::raw::c_uint;
pub const NTVR_TYPE_VOID: ntvr_type = 0;
pub const NTVR_TYPE_VECTOR: ntvr_type = 1;
pub const NTVR_TYPE_MATRIX: ntvr_type = 2;
pub const NTVR_TYPE_ARRAY: ntvr_type = 3;
pub const NTVR_TYPE_STRUCT: ntvr_type = 4;
pub const NTVR_TYPE_SAMPLER: ntvr_type = 5;
pub const NTVR_TYPE_TEXTURE: ntvr_type = 6;
pub const NTVR_TYPE_IMAGE: ntvr_type = 7;
pub const NTVR_TYPE_ATOMIC_UINT: ntvr_type = 8;
pub type ntvr_type = ::std::os::raw::c_uint;
pub const NTVR_VARIABLE_BINDLESS: ntvr_variable_flags = 1;
pub const NTVR_VARIABLE_CENTROID: ntvr_variable_flags = 2;
pub const NTVR_VARIABLE_SAMPLE: ntvr_variable_flags = 4;
pub const NTVR_VARIABLE_PATCH: ntvr_variable_flags = 8;
pub const NTVR_VARIABLE_INVARIANT: ntvr_variable_flags = 16;
pub const NTVR_VARIABLE_PER_VIEW: ntvr_variable_flags = 32;
pub const NTVR_VARIABLE_PER_PRIMITIVE: ntvr_variable_flags = 64;
pub const NTVR_VARIABLE_RAY_QUERY: ntvr_variable_flags = 128;
pub const NTVR_VARIABLE_FB_FETCH_OUTPUT: ntvr_variable_flags = 256;
pub const NTVR_VARIABLE_COMPACT: ntvr_variable_flags = 512;
pub const NTVR_VARIABLE_HIGH_DVEC2: ntvr_variable_flags = 1024;
pub type ntvr_variable_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_variable {
    pub name: *const ::std::os::raw::c_char,
    pub type_: u32,
    pub mode: ntvr_mode,
    pub interpolation: ntvr_interp_mode,
    pub precision: ntvr_precision,
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
pub const NTVR_CONTROL_BLOCK: ntvr_control = 0;
pub const NTVR_CONTROL_IF: ntvr_control = 1;
pub const NTVR_CONTROL_ELSE: ntvr_control = 2;
pub const NTVR_CONTROL_END_IF: ntvr_control = 3;
pub const NTVR_CONTROL_LOOP: ntvr_control = 4;
pub const NTVR_CONTROL_CONTINUE: ntvr_control = 5;
pub const NTVR_CONTROL_END_LOOP: ntvr_control = 6;
pub type ntvr_control = ::std::os::raw::c_uint;
pub const NTVR_PLAIN_UNDEF: ntvr_plain = 0;
pub const NTVR_PLAIN_PHI: ntvr_plain = 1;
pub const NTVR_PLAIN_BREAK: ntvr_plain = 2;
pub const NTVR_PLAIN_CONTINUE: ntvr_plain = 3;
pub const NTVR_PLAIN_RETURN: ntvr_plain = 4;
pub const NTVR_PLAIN_HALT: ntvr_plain = 5;
pub type ntvr_plain = ::std::os::raw::c_uint;
pub const NTVR_ALU_EXACT: ntvr_alu_flags = 1;
pub const NTVR_ALU_NO_SIGNED_WRAP: ntvr_alu_flags = 2;
pub const NTVR_ALU_NO_UNSIGNED_WRAP: ntvr_alu_flags = 4;
pub type ntvr_alu_flags = ::std::os::raw::c_uint;
pub const NTVR_MATH_NO_CONTRACT: ntvr_math_control = 1;
pub const NTVR_MATH_NO_REASSOC: ntvr_math_control = 8;
pub const NTVR_MATH_NO_TRANSFORM: ntvr_math_control = 16;
pub const NTVR_MATH_PRESERVE_SIGNED_ZERO: ntvr_math_control = 32;
pub const NTVR_MATH_PRESERVE_INF: ntvr_math_control = 64;
pub const NTVR_MATH_PRESERVE_NAN: ntvr_math_control = 128;
pub type ntvr_math_control = ::std::os::raw::c_uint;
pub const NTVR_DEREF_VAR: ntvr_deref = 0;
pub const NTVR_DEREF_ARRAY: ntvr_deref = 1;
pub const NTVR_DEREF_ARRAY_IMM: ntvr_deref = 2;
pub const NTVR_DEREF_ARRAY_WILDCARD: ntvr_deref = 3;
pub const NTVR_DEREF_PTR_AS_ARRAY: ntvr_deref = 4;
pub const NTVR_DEREF_PTR_AS_ARRAY_IMM: ntvr_deref = 5;
pub const NTVR_DEREF_STRUCT: ntvr_deref = 6;
pub const NTVR_DEREF_CAST: ntvr_deref = 7;
pub type ntvr_deref = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_deref_result {
    pub bits: ::std::os::raw::c_uint,
    pub type_: u32,
    pub modes: u32,
}
pub const NTVR_IO_EXPLICIT_STRICT: ntvr_io_flags = 1;
pub const NTVR_IO_DUALSRC: ntvr_io_flags = 2;
pub const NTVR_IO_FBFETCH: ntvr_io_flags = 4;
pub const NTVR_IO_COHERENT: ntvr_io_flags = 8;
pub const NTVR_IO_PERVIEW: ntvr_io_flags = 16;
pub const NTVR_IO_MEDIUMP: ntvr_io_flags = 32;
pub const NTVR_IO_HIGH_16BITS: ntvr_io_flags = 64;
pub const NTVR_IO_INVARIANT: ntvr_io_flags = 128;
pub const NTVR_IO_HIGH_DVEC2: ntvr_io_flags = 256;
pub const NTVR_IO_NO_VARYING: ntvr_io_flags = 512;
pub const NTVR_IO_NO_SYSVAL_OUTPUT: ntvr_io_flags = 1024;
pub type ntvr_io_flags = ::std::os::raw::c_uint;
pub const NTVR_TEX_GATHER_IMPLICIT_LOD: ntvr_tex_flags = 1;
pub const NTVR_TEX_TEXTURE_NON_UNIFORM: ntvr_tex_flags = 2;
pub const NTVR_TEX_SAMPLER_NON_UNIFORM: ntvr_tex_flags = 4;
pub const NTVR_TEX_SPARSE: ntvr_tex_flags = 8;
pub const NTVR_TEX_OFFSETS: ntvr_tex_flags = 16;
pub type ntvr_tex_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct ntvr_tex {
    pub op: ntvr_tex_op,
    pub dest_type: u32,
    pub flags: u32,
    pub component: u32,
    pub texture_index: u32,
    pub sampler_index: u32,
    pub offsets: *const [::std::os::raw::c_schar; 2usize],
}
