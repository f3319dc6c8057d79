// SPDX-License-Identifier: MIT

//! The properties and limits of the device.

use crate::World;
use ash::vk;
use ash::vk::TaggedStructure;
use std::ffi::{c_char, c_void};

/// Writes `text` into an array of characters.
pub(crate) fn write_text<const N: usize>(text: &str) -> [c_char; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(text.bytes()).take(N - 1) {
        *to = from as c_char;
    }
    out
}

/// The sample counts of images: 1, 2, 4 or 8.
const SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::from_raw(0b1111);

const LIMITS: vk::PhysicalDeviceLimits = vk::PhysicalDeviceLimits {
    max_image_dimension1_d: 16384,
    max_image_dimension2_d: 16384,
    max_image_dimension3_d: 2048,
    max_image_dimension_cube: 16384,
    max_image_array_layers: 2048,
    max_texel_buffer_elements: 1 << 27,
    max_uniform_buffer_range: 1 << 16,
    max_storage_buffer_range: 1 << 30,
    max_push_constants_size: 256,
    max_memory_allocation_count: 4096,
    max_sampler_allocation_count: 4000,
    buffer_image_granularity: 64,
    sparse_address_space_size: 0,
    max_bound_descriptor_sets: 8,
    max_per_stage_descriptor_samplers: 1 << 16,
    max_per_stage_descriptor_uniform_buffers: 1 << 16,
    max_per_stage_descriptor_storage_buffers: 1 << 16,
    max_per_stage_descriptor_sampled_images: 1 << 16,
    max_per_stage_descriptor_storage_images: 1 << 16,
    max_per_stage_descriptor_input_attachments: 8,
    max_per_stage_resources: 1 << 18,
    max_descriptor_set_samplers: 1 << 16,
    max_descriptor_set_uniform_buffers: 1 << 16,
    max_descriptor_set_uniform_buffers_dynamic: 16,
    max_descriptor_set_storage_buffers: 1 << 16,
    max_descriptor_set_storage_buffers_dynamic: 16,
    max_descriptor_set_sampled_images: 1 << 16,
    max_descriptor_set_storage_images: 1 << 16,
    max_descriptor_set_input_attachments: 8,
    max_vertex_input_attributes: 32,
    max_vertex_input_bindings: 32,
    max_vertex_input_attribute_offset: 2047,
    max_vertex_input_binding_stride: 2048,
    max_vertex_output_components: 128,
    max_tessellation_generation_level: 64,
    max_tessellation_patch_size: 32,
    max_tessellation_control_per_vertex_input_components: 128,
    max_tessellation_control_per_vertex_output_components: 128,
    max_tessellation_control_per_patch_output_components: 120,
    max_tessellation_control_total_output_components: 4096,
    max_tessellation_evaluation_input_components: 128,
    max_tessellation_evaluation_output_components: 128,
    max_geometry_shader_invocations: 32,
    max_geometry_input_components: 128,
    max_geometry_output_components: 128,
    max_geometry_output_vertices: 1024,
    max_geometry_total_output_components: 1024,
    max_fragment_input_components: 128,
    max_fragment_output_attachments: 8,
    max_fragment_dual_src_attachments: 1,
    max_fragment_combined_output_resources: 1 << 16,
    max_compute_shared_memory_size: 1 << 15,
    max_compute_work_group_count: [65535; 3],
    max_compute_work_group_invocations: 1024,
    max_compute_work_group_size: [1024; 3],
    sub_pixel_precision_bits: 8,
    sub_texel_precision_bits: 8,
    mipmap_precision_bits: 8,
    max_draw_indexed_index_value: u32::MAX,
    max_draw_indirect_count: u32::MAX,
    max_sampler_lod_bias: 16.0,
    max_sampler_anisotropy: 16.0,
    max_viewports: 16,
    max_viewport_dimensions: [16384; 2],
    viewport_bounds_range: [-32768.0, 32768.0],
    viewport_sub_pixel_bits: 8,
    min_memory_map_alignment: 64,
    min_texel_buffer_offset_alignment: 16,
    min_uniform_buffer_offset_alignment: 16,
    min_storage_buffer_offset_alignment: 16,
    min_texel_offset: -32,
    max_texel_offset: 31,
    min_texel_gather_offset: -32,
    max_texel_gather_offset: 31,
    min_interpolation_offset: -0.5,
    max_interpolation_offset: 0.5,
    sub_pixel_interpolation_offset_bits: 4,
    max_framebuffer_width: 16384,
    max_framebuffer_height: 16384,
    max_framebuffer_layers: 2048,
    framebuffer_color_sample_counts: SAMPLES,
    framebuffer_depth_sample_counts: SAMPLES,
    framebuffer_stencil_sample_counts: SAMPLES,
    framebuffer_no_attachments_sample_counts: SAMPLES,
    max_color_attachments: 8,
    sampled_image_color_sample_counts: SAMPLES,
    sampled_image_integer_sample_counts: SAMPLES,
    sampled_image_depth_sample_counts: SAMPLES,
    sampled_image_stencil_sample_counts: SAMPLES,
    storage_image_sample_counts: SAMPLES,
    max_sample_mask_words: 1,
    timestamp_compute_and_graphics: vk::TRUE,
    timestamp_period: 1.0,
    max_clip_distances: 8,
    max_cull_distances: 8,
    max_combined_clip_and_cull_distances: 8,
    discrete_queue_priorities: 2,
    point_size_range: [1.0, 255.0],
    line_width_range: [1.0, 255.0],
    point_size_granularity: 0.125,
    line_width_granularity: 0.125,
    strict_lines: vk::TRUE,
    standard_sample_locations: vk::TRUE,
    optimal_buffer_copy_offset_alignment: 1,
    optimal_buffer_copy_row_pitch_alignment: 1,
    non_coherent_atom_size: 64,
};

/// Writes fields into the struct at `$at` if its type is in the list; returns whether it is.
macro_rules! fill {
    ($at:expr; $($ty:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        // SAFETY: every struct of a chain begins with its type, which gives the Rust type.
        match unsafe { (*$at.cast::<vk::BaseOutStructure<'_>>()).s_type } {
            $(<vk::$ty<'static> as TaggedStructure>::STRUCTURE_TYPE => {
                // SAFETY: as above.
                let to = unsafe { &mut *$at.cast::<vk::$ty<'_>>() };
                $(to.$field = $value;)*
                true
            })*
            _ => false,
        }
    };
}

const DRIVER: &str = "ntv null";
const SUBGROUP: u32 = 32;

fn subgroup_stages() -> vk::ShaderStageFlags {
    vk::ShaderStageFlags::ALL_GRAPHICS | vk::ShaderStageFlags::COMPUTE
}

fn subgroup_operations() -> vk::SubgroupFeatureFlags {
    vk::SubgroupFeatureFlags::from_raw(0xff)
}

fn resolves() -> vk::ResolveModeFlags {
    vk::ResolveModeFlags::SAMPLE_ZERO
        | vk::ResolveModeFlags::AVERAGE
        | vk::ResolveModeFlags::MIN
        | vk::ResolveModeFlags::MAX
}

impl World {
    pub(crate) fn properties(&self) -> vk::PhysicalDeviceProperties {
        let mut limits = LIMITS;
        if let Some(change) = self.options.limits {
            change(&mut limits);
        }
        vk::PhysicalDeviceProperties {
            api_version: vk::API_VERSION_1_3,
            driver_version: 1,
            vendor_id: 0x10000,
            device_type: vk::PhysicalDeviceType::OTHER,
            device_name: write_text(&self.options.name),
            pipeline_cache_uuid: *b"ntv null caches1",
            limits,
            ..vk::PhysicalDeviceProperties::default()
        }
    }

    /// Fills in the structs of a chain.
    ///
    /// # Safety
    /// `chain` is a chain of structs that can be written.
    pub(crate) unsafe fn fill_properties(&self, mut chain: *mut c_void) {
        while !chain.is_null() {
            let head = chain.cast::<vk::BaseOutStructure<'_>>();
            if !(fill_core(chain) || fill_extensions(chain)) {
                // SAFETY: every struct of a chain begins with this one.
                let kind = unsafe { (*head).s_type };
                self.lock().report(format!("vkGetPhysicalDeviceProperties2: {kind:?} is not supported"));
            }
            // SAFETY: as above.
            chain = unsafe { (*head).p_next.cast() };
        }
    }
}

fn fill_core(at: *mut c_void) -> bool {
    let (all, no) = (vk::ShaderFloatControlsIndependence::ALL, vk::FALSE);
    let version = vk::ConformanceVersion { major: 1, minor: 3, subminor: 0, patch: 0 };
    fill! { at;
        PhysicalDeviceVulkan11Properties {
            subgroup_size: SUBGROUP, subgroup_supported_stages: subgroup_stages(),
            subgroup_supported_operations: subgroup_operations(), max_multiview_view_count: 6,
            max_multiview_instance_index: u32::MAX, max_per_set_descriptors: 1 << 20, max_memory_allocation_size: 1 << 32,
        }
        PhysicalDeviceVulkan12Properties {
            driver_id: vk::DriverId::MESA_LLVMPIPE, driver_name: write_text(DRIVER), driver_info: write_text(""),
            conformance_version: version, denorm_behavior_independence: all, rounding_mode_independence: all,
            max_update_after_bind_descriptors_in_all_pools: 1 << 20,
            supported_depth_resolve_modes: resolves(), supported_stencil_resolve_modes: resolves(),
            independent_resolve: vk::TRUE, independent_resolve_none: vk::TRUE,
            max_timeline_semaphore_value_difference: u64::MAX,
            framebuffer_integer_color_sample_counts: SAMPLES,
        }
        PhysicalDeviceVulkan13Properties {
            min_subgroup_size: SUBGROUP, max_subgroup_size: SUBGROUP, max_compute_workgroup_subgroups: 32,
            storage_texel_buffer_offset_alignment_bytes: 16, uniform_texel_buffer_offset_alignment_bytes: 16,
            max_buffer_size: 1 << 32,
        }
        PhysicalDeviceSubgroupProperties {
            subgroup_size: SUBGROUP, supported_stages: subgroup_stages(), supported_operations: subgroup_operations(),
        }
        PhysicalDeviceDriverProperties {
            driver_id: vk::DriverId::MESA_LLVMPIPE, driver_name: write_text(DRIVER), driver_info: write_text(""),
            conformance_version: version,
        }
        PhysicalDeviceFloatControlsProperties {
            denorm_behavior_independence: all, rounding_mode_independence: all,
            shader_signed_zero_inf_nan_preserve_float32: vk::TRUE, shader_denorm_preserve_float32: vk::TRUE,
            shader_rounding_mode_rte_float32: vk::TRUE, shader_rounding_mode_rtz_float64: no,
        }
        PhysicalDeviceIDProperties { device_uuid: *b"ntv null device1", driver_uuid: *b"ntv null driver1" }
        PhysicalDeviceMaintenance3Properties { max_per_set_descriptors: 1 << 20, max_memory_allocation_size: 1 << 32 }
        PhysicalDeviceMaintenance4Properties { max_buffer_size: 1 << 32 }
        PhysicalDeviceTimelineSemaphoreProperties { max_timeline_semaphore_value_difference: u64::MAX }
        PhysicalDeviceTexelBufferAlignmentProperties {
            storage_texel_buffer_offset_alignment_bytes: 16, uniform_texel_buffer_offset_alignment_bytes: 16,
        }
        PhysicalDeviceDepthStencilResolveProperties {
            supported_depth_resolve_modes: resolves(), supported_stencil_resolve_modes: resolves(),
            independent_resolve: vk::TRUE, independent_resolve_none: vk::TRUE,
        }
    }
}

fn fill_extensions(at: *mut c_void) -> bool {
    fill! { at;
        PhysicalDeviceTransformFeedbackPropertiesEXT {
            max_transform_feedback_streams: 4, max_transform_feedback_buffers: 4,
            max_transform_feedback_buffer_size: 1 << 32, max_transform_feedback_stream_data_size: 512,
            max_transform_feedback_buffer_data_size: 512, max_transform_feedback_buffer_data_stride: 2048,
            transform_feedback_queries: vk::TRUE, transform_feedback_streams_lines_triangles: vk::TRUE,
            transform_feedback_rasterization_stream_select: vk::TRUE, transform_feedback_draw: vk::TRUE,
        }
        PhysicalDevicePushDescriptorPropertiesKHR { max_push_descriptors: 32 }
        PhysicalDeviceRobustness2PropertiesEXT {
            robust_storage_buffer_access_size_alignment: 4, robust_uniform_buffer_access_size_alignment: 16,
        }
        PhysicalDeviceLineRasterizationPropertiesKHR { line_sub_pixel_precision_bits: 8 }
        PhysicalDeviceCustomBorderColorPropertiesEXT { max_custom_border_color_samplers: 4000 }
        PhysicalDeviceProvokingVertexPropertiesEXT {
            provoking_vertex_mode_per_pipeline: vk::TRUE,
            transform_feedback_preserves_triangle_fan_provoking_vertex: vk::TRUE,
        }
        PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT {
            graphics_pipeline_library_fast_linking: vk::TRUE,
            graphics_pipeline_library_independent_interpolation_decoration: vk::TRUE,
        }
        PhysicalDeviceExtendedDynamicState3PropertiesEXT { dynamic_primitive_topology_unrestricted: vk::TRUE }
        PhysicalDeviceVertexAttributeDivisorPropertiesKHR {
            max_vertex_attrib_divisor: u32::MAX, supports_non_zero_first_instance: vk::TRUE,
        }
        PhysicalDeviceVertexAttributeDivisorPropertiesEXT { max_vertex_attrib_divisor: u32::MAX }
        PhysicalDeviceMultiDrawPropertiesEXT { max_multi_draw_count: 2048 }
    }
}
