// SPDX-License-Identifier: MIT

//! The features of the device: every supported struct of features, field by field.

use crate::World;
use ash::vk;
use ash::vk::TaggedStructure;
use std::collections::HashSet;
use std::ffi::c_void;
use std::mem::offset_of;

/// A struct whose fields, after its head, are features.
pub(crate) struct FeatureStruct {
    kind: vk::StructureType,
    /// The extension that it belongs to; empty for structs of Vulkan itself.
    extension: &'static str,
    /// The features' names in ash, and their offsets in the struct.
    fields: &'static [(&'static str, usize)],
}

macro_rules! features {
    ($($ty:ident of $extension:literal { $($field:ident)* })*) => {
        &[$(FeatureStruct {
            kind: <vk::$ty<'static> as TaggedStructure>::STRUCTURE_TYPE,
            extension: $extension,
            fields: &[$((stringify!($field), offset_of!(vk::$ty<'static>, $field))),*],
        }),*]
    };
}

macro_rules! core_features {
    ($($field:ident)*) => {
        &[$((stringify!($field), offset_of!(vk::PhysicalDeviceFeatures, $field))),*]
    };
}

/// Features that the device never has.
const ABSENT: &[&str] = &[
    "sparse",
    "shaderResourceResidency",
    "protectedMemory",
    "textureCompressionASTC",
    "multiDevice",
    "captureReplay",
    "inlineUniformBlock",
    "samplerYcbcrConversion",
    "viewportWScaling",
    "viewportSwizzle",
    "coverageToColor",
    "coverageModulation",
    "coverageReduction",
    "representativeFragment",
    "shadingRate",
    "conservativeRasterization",
    "extraPrimitiveOverestimation",
    "variableMultisampleRate",
    "sampleLocations",
    "colorBlendAdvanced",
];

/// The fields of `VkPhysicalDeviceFeatures`.
const CORE: &[(&str, usize)] = core_features! {
        robust_buffer_access full_draw_index_uint32 image_cube_array independent_blend geometry_shader tessellation_shader
        sample_rate_shading dual_src_blend logic_op multi_draw_indirect draw_indirect_first_instance depth_clamp depth_bias_clamp
        fill_mode_non_solid depth_bounds wide_lines large_points alpha_to_one multi_viewport sampler_anisotropy
        texture_compression_etc2 texture_compression_astc_ldr texture_compression_bc occlusion_query_precise
        pipeline_statistics_query vertex_pipeline_stores_and_atomics fragment_stores_and_atomics
        shader_tessellation_and_geometry_point_size shader_image_gather_extended shader_storage_image_extended_formats
        shader_storage_image_multisample shader_storage_image_read_without_format shader_storage_image_write_without_format
        shader_uniform_buffer_array_dynamic_indexing shader_sampled_image_array_dynamic_indexing
        shader_storage_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing shader_clip_distance
        shader_cull_distance shader_float64 shader_int64 shader_int16 shader_resource_residency shader_resource_min_lod
        sparse_binding sparse_residency_buffer sparse_residency_image2_d sparse_residency_image3_d sparse_residency2_samples
        sparse_residency4_samples sparse_residency8_samples sparse_residency16_samples sparse_residency_aliased
        variable_multisample_rate inherited_queries
};

/// The structs of a chain.
const STRUCTS: &[FeatureStruct] = features! {
    PhysicalDeviceVulkan11Features of "" {
        storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access storage_push_constant16 storage_input_output16
        multiview multiview_geometry_shader multiview_tessellation_shader variable_pointers_storage_buffer variable_pointers
        protected_memory sampler_ycbcr_conversion shader_draw_parameters
    }
    PhysicalDeviceVulkan12Features of "" {
        sampler_mirror_clamp_to_edge draw_indirect_count storage_buffer8_bit_access uniform_and_storage_buffer8_bit_access
        storage_push_constant8 shader_buffer_int64_atomics shader_shared_int64_atomics shader_float16 shader_int8
        descriptor_indexing shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing
        shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing
        shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing
        shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing
        shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing
        descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind
        descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind
        descriptor_binding_uniform_texel_buffer_update_after_bind descriptor_binding_storage_texel_buffer_update_after_bind
        descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound
        descriptor_binding_variable_descriptor_count runtime_descriptor_array sampler_filter_minmax scalar_block_layout
        imageless_framebuffer uniform_buffer_standard_layout shader_subgroup_extended_types separate_depth_stencil_layouts
        host_query_reset timeline_semaphore buffer_device_address buffer_device_address_capture_replay
        buffer_device_address_multi_device vulkan_memory_model vulkan_memory_model_device_scope
        vulkan_memory_model_availability_visibility_chains shader_output_viewport_index shader_output_layer
        subgroup_broadcast_dynamic_id
    }
    PhysicalDeviceVulkan13Features of "" {
        robust_image_access inline_uniform_block descriptor_binding_inline_uniform_block_update_after_bind
        pipeline_creation_cache_control private_data shader_demote_to_helper_invocation shader_terminate_invocation
        subgroup_size_control compute_full_subgroups synchronization2 texture_compression_astc_hdr
        shader_zero_initialize_workgroup_memory dynamic_rendering shader_integer_dot_product maintenance4
    }
    PhysicalDeviceTimelineSemaphoreFeatures of "" {
        timeline_semaphore
    }
    PhysicalDeviceSynchronization2Features of "" {
        synchronization2
    }
    PhysicalDeviceDynamicRenderingFeatures of "" {
        dynamic_rendering
    }
    PhysicalDeviceHostQueryResetFeatures of "" {
        host_query_reset
    }
    PhysicalDeviceBufferDeviceAddressFeatures of "" {
        buffer_device_address buffer_device_address_capture_replay buffer_device_address_multi_device
    }
    PhysicalDeviceDescriptorIndexingFeatures of "" {
        shader_input_attachment_array_dynamic_indexing shader_uniform_texel_buffer_array_dynamic_indexing
        shader_storage_texel_buffer_array_dynamic_indexing shader_uniform_buffer_array_non_uniform_indexing
        shader_sampled_image_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing
        shader_storage_image_array_non_uniform_indexing shader_input_attachment_array_non_uniform_indexing
        shader_uniform_texel_buffer_array_non_uniform_indexing shader_storage_texel_buffer_array_non_uniform_indexing
        descriptor_binding_uniform_buffer_update_after_bind descriptor_binding_sampled_image_update_after_bind
        descriptor_binding_storage_image_update_after_bind descriptor_binding_storage_buffer_update_after_bind
        descriptor_binding_uniform_texel_buffer_update_after_bind descriptor_binding_storage_texel_buffer_update_after_bind
        descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound
        descriptor_binding_variable_descriptor_count runtime_descriptor_array
    }
    PhysicalDeviceShaderFloatControls2FeaturesKHR of "VK_KHR_shader_float_controls2" {
        shader_float_controls2
    }
    PhysicalDeviceShaderClockFeaturesKHR of "VK_KHR_shader_clock" {
        shader_subgroup_clock shader_device_clock
    }
    PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR of "VK_KHR_workgroup_memory_explicit_layout" {
        workgroup_memory_explicit_layout workgroup_memory_explicit_layout_scalar_block_layout
        workgroup_memory_explicit_layout8_bit_access workgroup_memory_explicit_layout16_bit_access
    }
    PhysicalDeviceShaderAtomicFloatFeaturesEXT of "VK_EXT_shader_atomic_float" {
        shader_buffer_float32_atomics shader_buffer_float32_atomic_add shader_buffer_float64_atomics
        shader_buffer_float64_atomic_add shader_shared_float32_atomics shader_shared_float32_atomic_add
        shader_shared_float64_atomics shader_shared_float64_atomic_add shader_image_float32_atomics
        shader_image_float32_atomic_add sparse_image_float32_atomics sparse_image_float32_atomic_add
    }
    PhysicalDeviceShaderAtomicFloat2FeaturesEXT of "VK_EXT_shader_atomic_float2" {
        shader_buffer_float16_atomics shader_buffer_float16_atomic_add shader_buffer_float16_atomic_min_max
        shader_buffer_float32_atomic_min_max shader_buffer_float64_atomic_min_max shader_shared_float16_atomics
        shader_shared_float16_atomic_add shader_shared_float16_atomic_min_max shader_shared_float32_atomic_min_max
        shader_shared_float64_atomic_min_max shader_image_float32_atomic_min_max sparse_image_float32_atomic_min_max
    }
    PhysicalDeviceTransformFeedbackFeaturesEXT of "VK_EXT_transform_feedback" {
        transform_feedback geometry_streams
    }
    PhysicalDeviceRobustness2FeaturesEXT of "VK_EXT_robustness2" {
        robust_buffer_access2 robust_image_access2 null_descriptor
    }
    PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT of "VK_EXT_primitives_generated_query" {
        primitives_generated_query primitives_generated_query_with_rasterizer_discard
        primitives_generated_query_with_non_zero_streams
    }
    PhysicalDeviceIndexTypeUint8FeaturesKHR of "VK_EXT_index_type_uint8" {
        index_type_uint8
    }
    PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT of "VK_EXT_primitive_topology_list_restart" {
        primitive_topology_list_restart primitive_topology_patch_list_restart
    }
    PhysicalDeviceProvokingVertexFeaturesEXT of "VK_EXT_provoking_vertex" {
        provoking_vertex_last transform_feedback_preserves_provoking_vertex
    }
    PhysicalDeviceExtendedDynamicStateFeaturesEXT of "VK_EXT_extended_dynamic_state" {
        extended_dynamic_state
    }
    PhysicalDeviceExtendedDynamicState2FeaturesEXT of "VK_EXT_extended_dynamic_state2" {
        extended_dynamic_state2 extended_dynamic_state2_logic_op extended_dynamic_state2_patch_control_points
    }
    PhysicalDeviceExtendedDynamicState3FeaturesEXT of "VK_EXT_extended_dynamic_state3" {
        extended_dynamic_state3_tessellation_domain_origin extended_dynamic_state3_depth_clamp_enable
        extended_dynamic_state3_polygon_mode extended_dynamic_state3_rasterization_samples extended_dynamic_state3_sample_mask
        extended_dynamic_state3_alpha_to_coverage_enable extended_dynamic_state3_alpha_to_one_enable
        extended_dynamic_state3_logic_op_enable extended_dynamic_state3_color_blend_enable
        extended_dynamic_state3_color_blend_equation extended_dynamic_state3_color_write_mask
        extended_dynamic_state3_rasterization_stream extended_dynamic_state3_conservative_rasterization_mode
        extended_dynamic_state3_extra_primitive_overestimation_size extended_dynamic_state3_depth_clip_enable
        extended_dynamic_state3_sample_locations_enable extended_dynamic_state3_color_blend_advanced
        extended_dynamic_state3_provoking_vertex_mode extended_dynamic_state3_line_rasterization_mode
        extended_dynamic_state3_line_stipple_enable extended_dynamic_state3_depth_clip_negative_one_to_one
        extended_dynamic_state3_viewport_w_scaling_enable extended_dynamic_state3_viewport_swizzle
        extended_dynamic_state3_coverage_to_color_enable extended_dynamic_state3_coverage_to_color_location
        extended_dynamic_state3_coverage_modulation_mode extended_dynamic_state3_coverage_modulation_table_enable
        extended_dynamic_state3_coverage_modulation_table extended_dynamic_state3_coverage_reduction_mode
        extended_dynamic_state3_representative_fragment_test_enable extended_dynamic_state3_shading_rate_image_enable
    }
    PhysicalDeviceVertexInputDynamicStateFeaturesEXT of "VK_EXT_vertex_input_dynamic_state" {
        vertex_input_dynamic_state
    }
    PhysicalDeviceLineRasterizationFeaturesKHR of "VK_EXT_line_rasterization" {
        rectangular_lines bresenham_lines smooth_lines stippled_rectangular_lines stippled_bresenham_lines stippled_smooth_lines
    }
    PhysicalDeviceColorWriteEnableFeaturesEXT of "VK_EXT_color_write_enable" {
        color_write_enable
    }
    PhysicalDeviceConditionalRenderingFeaturesEXT of "VK_EXT_conditional_rendering" {
        conditional_rendering inherited_conditional_rendering
    }
    PhysicalDeviceDepthClipControlFeaturesEXT of "VK_EXT_depth_clip_control" {
        depth_clip_control
    }
    PhysicalDeviceDepthClipEnableFeaturesEXT of "VK_EXT_depth_clip_enable" {
        depth_clip_enable
    }
    PhysicalDeviceCustomBorderColorFeaturesEXT of "VK_EXT_custom_border_color" {
        custom_border_colors custom_border_color_without_format
    }
    PhysicalDeviceBorderColorSwizzleFeaturesEXT of "VK_EXT_border_color_swizzle" {
        border_color_swizzle border_color_swizzle_from_image
    }
    PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT of "VK_EXT_graphics_pipeline_library" {
        graphics_pipeline_library
    }
    PhysicalDeviceVertexAttributeDivisorFeaturesKHR of "VK_EXT_vertex_attribute_divisor" {
        vertex_attribute_instance_rate_divisor vertex_attribute_instance_rate_zero_divisor
    }
    PhysicalDeviceMultiDrawFeaturesEXT of "VK_EXT_multi_draw" {
        multi_draw
    }
    PhysicalDeviceImage2DViewOf3DFeaturesEXT of "VK_EXT_image_2d_view_of_3d" {
        image2_d_view_of3_d sampler2_d_view_of3_d
    }
    PhysicalDeviceImageViewMinLodFeaturesEXT of "VK_EXT_image_view_min_lod" {
        min_lod
    }
    PhysicalDeviceNonSeamlessCubeMapFeaturesEXT of "VK_EXT_non_seamless_cube_map" {
        non_seamless_cube_map
    }
    PhysicalDevice4444FormatsFeaturesEXT of "VK_EXT_4444_formats" {
        format_a4r4g4b4 format_a4b4g4r4
    }
    PhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT of "VK_EXT_attachment_feedback_loop_layout" {
        attachment_feedback_loop_layout
    }
    PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT of "VK_EXT_dynamic_rendering_unused_attachments" {
        dynamic_rendering_unused_attachments
    }
};

/// Extensions of the device that have no features.
const PLAIN_EXTENSIONS: &[&str] = &[
    "VK_KHR_push_descriptor",
    "VK_KHR_pipeline_library",
    "VK_EXT_shader_stencil_export",
    "VK_EXT_memory_budget",
    "VK_EXT_scalar_block_layout",
    "VK_EXT_shader_viewport_index_layer",
    "VK_EXT_depth_range_unrestricted",
    "VK_EXT_load_store_op_none",
    "VK_EXT_discard_rectangles",
    "VK_KHR_synchronization2",
    "VK_KHR_dynamic_rendering",
    "VK_KHR_timeline_semaphore",
    "VK_KHR_copy_commands2",
    "VK_KHR_maintenance4",
];

/// A name in a form that is equal for Vulkan's and ash's spelling.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

impl World {
    /// The extensions that the device has.
    pub(crate) fn extensions(&self) -> Vec<&'static str> {
        let featured = STRUCTS.iter().map(|row| row.extension).filter(|name| !name.is_empty());
        let all = featured.chain(PLAIN_EXTENSIONS.iter().copied());
        all.filter(|name| !self.lacks(name)).collect()
    }

    fn has_feature(&self, row: &FeatureStruct, name: &str) -> bool {
        (row.extension.is_empty() || !self.lacks(row.extension)) && self.has_core_feature(name)
    }

    fn has_core_feature(&self, name: &str) -> bool {
        let name = plain(name);
        let absent = ABSENT.iter().any(|absent| name.contains(&plain(absent)));
        !absent && self.options.without.iter().all(|without| plain(without) != name)
    }

    /// Fills in the core features.
    pub(crate) fn core_features(&self) -> vk::PhysicalDeviceFeatures {
        let mut features = vk::PhysicalDeviceFeatures::default();
        for (name, offset) in CORE {
            let has = self.has_core_feature(name).into();
            // SAFETY: the offset is that of a field of the struct, and all are of this type.
            unsafe { (&raw mut features).byte_add(*offset).cast::<vk::Bool32>().write(has) };
        }
        features
    }

    /// Fills in the structs of a chain.
    ///
    /// # Safety
    /// `chain` is a chain of structs that can be written.
    pub(crate) unsafe fn fill_features(&self, mut chain: *mut c_void) {
        while !chain.is_null() {
            let head = chain.cast::<vk::BaseOutStructure<'_>>();
            // SAFETY: every struct of a chain begins with this one.
            let kind = unsafe { (*head).s_type };
            match STRUCTS.iter().find(|row| row.kind == kind) {
                Some(row) => {
                    for (name, offset) in row.fields {
                        let has = self.has_feature(row, name).into();
                        // SAFETY: the offset is that of a field of the struct, and all are of this type.
                        unsafe { chain.byte_add(*offset).cast::<vk::Bool32>().write(has) };
                    }
                }
                None => self.lock().report(format!("vkGetPhysicalDeviceFeatures2: {kind:?} is not supported")),
            }
            // SAFETY: as above.
            chain = unsafe { (*head).p_next.cast() };
        }
    }

    /// Checks that the device has the features and extensions that are enabled.
    ///
    /// # Safety
    /// `info` and the structs that it points to are valid.
    pub(crate) unsafe fn check_enabled(
        &self,
        info: &vk::DeviceCreateInfo<'_>,
        enabled: &HashSet<String>,
    ) -> Result<(), vk::Result> {
        let known = self.extensions();
        if let Some(name) = enabled.iter().find(|name| !known.contains(&name.as_str())) {
            self.lock().report(format!("vkCreateDevice: extension {name} is not supported"));
            return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
        }
        let mut missing = Vec::new();
        if !info.p_enabled_features.is_null() {
            // SAFETY: the caller guarantees it.
            unsafe { self.missing_core(info.p_enabled_features, &mut missing) };
        }
        let mut chain = info.p_next;
        while !chain.is_null() {
            let head = chain.cast::<vk::BaseInStructure<'_>>();
            // SAFETY: every struct of a chain begins with this one.
            let (kind, next) = unsafe { ((*head).s_type, (*head).p_next) };
            if kind == vk::StructureType::PHYSICAL_DEVICE_FEATURES_2 {
                // SAFETY: the structure type gives the Rust type.
                unsafe {
                    self.missing_core(
                        &raw const (*chain.cast::<vk::PhysicalDeviceFeatures2<'_>>()).features,
                        &mut missing,
                    )
                };
            }
            if let Some(row) = STRUCTS.iter().find(|row| row.kind == kind) {
                if !row.extension.is_empty() && !enabled.contains(row.extension) {
                    missing.push(row.extension);
                }
                for (name, offset) in row.fields {
                    // SAFETY: the offset is that of a field of the struct, and all are of this type.
                    let wanted = unsafe { chain.byte_add(*offset).cast::<vk::Bool32>().read() } != vk::FALSE;
                    if wanted && !self.has_feature(row, name) {
                        missing.push(name);
                    }
                }
            }
            chain = next.cast();
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.lock().report(format!("vkCreateDevice: not supported: {}", missing.join(", ")));
        Err(vk::Result::ERROR_FEATURE_NOT_PRESENT)
    }

    unsafe fn missing_core(&self, features: *const vk::PhysicalDeviceFeatures, missing: &mut Vec<&'static str>) {
        for (name, offset) in CORE {
            // SAFETY: the offset is that of a field of the struct, and all are of this type.
            let wanted = unsafe { features.byte_add(*offset).cast::<vk::Bool32>().read() } != vk::FALSE;
            if wanted && !self.has_core_feature(name) {
                missing.push(name);
            }
        }
    }
}
