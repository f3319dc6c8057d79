// SPDX-License-Identifier: MIT

//! The features of a device: Vulkan's feature structs, and the [`Target`] that follows from them.

use crate::error::{Error, Result};
use ash::vk;
use ash::vk::ShaderFloatControlsIndependence as Independence;
use ntv::target::{Feature, Target, Version};
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::ptr;

/// Extensions that are used if the device has them.
pub(crate) const EXTENSIONS: &[&CStr] = &[
    vk::KHR_SHADER_CLOCK_NAME,
    vk::KHR_SHADER_FLOAT_CONTROLS2_NAME,
    vk::KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_NAME,
    vk::EXT_SHADER_ATOMIC_FLOAT_NAME,
    vk::EXT_SHADER_ATOMIC_FLOAT2_NAME,
    vk::EXT_TRANSFORM_FEEDBACK_NAME,
    vk::EXT_SHADER_STENCIL_EXPORT_NAME,
    vk::EXT_ROBUSTNESS2_NAME,
    vk::EXT_PRIMITIVES_GENERATED_QUERY_NAME,
    vk::EXT_INDEX_TYPE_UINT8_NAME,
    vk::EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_NAME,
    vk::EXT_PROVOKING_VERTEX_NAME,
    vk::EXT_VERTEX_INPUT_DYNAMIC_STATE_NAME,
    vk::EXT_EXTENDED_DYNAMIC_STATE2_NAME,
    vk::EXT_EXTENDED_DYNAMIC_STATE3_NAME,
    vk::EXT_DEPTH_CLIP_ENABLE_NAME,
    vk::EXT_DEPTH_CLIP_CONTROL_NAME,
    vk::EXT_VERTEX_ATTRIBUTE_DIVISOR_NAME,
    vk::EXT_GRAPHICS_PIPELINE_LIBRARY_NAME,
    vk::KHR_PIPELINE_LIBRARY_NAME,
    vk::EXT_MESH_SHADER_NAME,
    vk::KHR_PIPELINE_EXECUTABLE_PROPERTIES_NAME,
    vk::NV_COMPUTE_SHADER_DERIVATIVES_NAME,
];

/// Extensions, and the extensions that they require.
pub(super) const NEEDED: &[(&CStr, &CStr)] = &[
    (vk::EXT_PRIMITIVES_GENERATED_QUERY_NAME, vk::EXT_TRANSFORM_FEEDBACK_NAME),
    (vk::EXT_GRAPHICS_PIPELINE_LIBRARY_NAME, vk::KHR_PIPELINE_LIBRARY_NAME),
];

/// The feature structs of Vulkan 1.3 and of [`EXTENSIONS`].
#[derive(Default)]
pub(crate) struct Features {
    pub(crate) extensions: HashSet<CString>,
    pub(crate) core: vk::PhysicalDeviceFeatures,
    v11: vk::PhysicalDeviceVulkan11Features<'static>,
    v12: vk::PhysicalDeviceVulkan12Features<'static>,
    v13: vk::PhysicalDeviceVulkan13Features<'static>,
    clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    float_controls: vk::PhysicalDeviceShaderFloatControls2FeaturesKHR<'static>,
    shared_layout: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    atomic_float2: vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT<'static>,
    feedback: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
    robustness: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
    generated: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>,
    /// Whether transform feedback has queries.
    feedback_queries: bool,
    index_type: vk::PhysicalDeviceIndexTypeUint8FeaturesEXT<'static>,
    list_restart: vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'static>,
    pub(super) provoking: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'static>,
    pub(super) vertex_input: vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT<'static>,
    pub(super) dynamic2: vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT<'static>,
    pub(super) dynamic3: vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'static>,
    pub(super) depth_clip: vk::PhysicalDeviceDepthClipEnableFeaturesEXT<'static>,
    pub(super) clip_control: vk::PhysicalDeviceDepthClipControlFeaturesEXT<'static>,
    divisor: vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT<'static>,
    library: vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT<'static>,
    mesh: vk::PhysicalDeviceMeshShaderFeaturesEXT<'static>,
    executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    derivatives: vk::PhysicalDeviceComputeShaderDerivativesFeaturesNV<'static>,
    /// Whether linking pipelines from libraries is fast.
    links_fast: bool,
    subgroup: vk::SubgroupFeatureFlags,
    floats: vk::PhysicalDeviceFloatControlsProperties<'static>,
}

/// The features of a device for vertices of draws.
#[derive(Clone, Copy)]
pub(crate) struct InputFeatures {
    /// Whether indices may have 8 bits.
    pub(crate) has_8_bit_indices: bool,
    /// Whether indices may restart topologies whose primitives share no vertices.
    pub(crate) restarts_lists: bool,
    /// Whether the last vertex of a primitive may be the provoking one.
    pub(crate) provokes_last: bool,
}

/// The features of a device that a context uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContextFeatures {
    /// Whether descriptors may be null, which reads as zeros.
    pub(crate) null_descriptor: bool,
    /// Whether linking pipelines from libraries is fast.
    pub(crate) pipeline_library: bool,
    /// Whether a value of a vertex buffer may be used for several instances.
    pub(crate) instance_divisor: bool,
    /// Whether clip space may have GL's depth range.
    pub(crate) depth_clip_control: bool,
    /// Whether clipping at the near and the far plane is independent of clamping.
    pub(crate) depth_clip_enable: bool,
    /// Whether the device has timeline semaphores and Vulkan 1.3's barriers, which contexts need.
    pub(crate) timeline: bool,
}

impl Features {
    /// Queries `physical`, which has Vulkan 1.3 and the given `extensions` of [`EXTENSIONS`].
    pub(crate) fn query(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        extensions: HashSet<CString>,
    ) -> Features {
        let mut features = Features { extensions, ..Features::default() };
        let mut chain = features.chain();
        // SAFETY: the chain has only structs that the version and the extensions of the device define.
        unsafe { instance.get_physical_device_features2(physical, &mut chain) };
        features.core = chain.features;
        // It needs another extension.
        features.mesh.primitive_fragment_shading_rate_mesh_shader = vk::FALSE;
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut feedback = vk::PhysicalDeviceTransformFeedbackPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup).push_next(&mut floats);
        if features.extensions.contains(vk::EXT_TRANSFORM_FEEDBACK_NAME) {
            properties = properties.push_next(&mut feedback);
        }
        let mut library = vk::PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT::default();
        if features.extensions.contains(vk::EXT_GRAPHICS_PIPELINE_LIBRARY_NAME) {
            properties = properties.push_next(&mut library);
        }
        // SAFETY: the structs in the chain are from Vulkan 1.1 and 1.2, and from extensions that the device has.
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        features.links_fast = library.graphics_pipeline_library_fast_linking == vk::TRUE;
        features.feedback_queries = feedback.transform_feedback_queries == vk::TRUE;
        features.subgroup = subgroup.supported_operations;
        features.floats = vk::PhysicalDeviceFloatControlsProperties { p_next: ptr::null_mut(), ..floats };
        features
    }

    /// All structs that the device supports as one chain, for a query or for the creation of a device.
    pub(crate) fn chain(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
        let mut chain = vk::PhysicalDeviceFeatures2::default().features(self.core);
        // Each struct's old chain is cleared first, because `push_next` would keep the structs in it.
        macro_rules! link {
            ($($field:ident if $wanted:expr;)*) => {$(
                self.$field.p_next = ptr::null_mut();
                if $wanted {
                    chain = chain.push_next(&mut self.$field);
                }
            )*};
        }
        let known = &self.extensions;
        link! {
            v11 if true;
            v12 if true;
            v13 if true;
            clock if known.contains(vk::KHR_SHADER_CLOCK_NAME);
            float_controls if known.contains(vk::KHR_SHADER_FLOAT_CONTROLS2_NAME);
            shared_layout if known.contains(vk::KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_NAME);
            atomic_float if known.contains(vk::EXT_SHADER_ATOMIC_FLOAT_NAME);
            atomic_float2 if known.contains(vk::EXT_SHADER_ATOMIC_FLOAT2_NAME);
            feedback if known.contains(vk::EXT_TRANSFORM_FEEDBACK_NAME);
            robustness if known.contains(vk::EXT_ROBUSTNESS2_NAME);
            generated if known.contains(vk::EXT_PRIMITIVES_GENERATED_QUERY_NAME);
            index_type if known.contains(vk::EXT_INDEX_TYPE_UINT8_NAME);
            list_restart if known.contains(vk::EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_NAME);
            provoking if known.contains(vk::EXT_PROVOKING_VERTEX_NAME);
            vertex_input if known.contains(vk::EXT_VERTEX_INPUT_DYNAMIC_STATE_NAME);
            dynamic2 if known.contains(vk::EXT_EXTENDED_DYNAMIC_STATE2_NAME);
            dynamic3 if known.contains(vk::EXT_EXTENDED_DYNAMIC_STATE3_NAME);
            depth_clip if known.contains(vk::EXT_DEPTH_CLIP_ENABLE_NAME);
            clip_control if known.contains(vk::EXT_DEPTH_CLIP_CONTROL_NAME);
            divisor if known.contains(vk::EXT_VERTEX_ATTRIBUTE_DIVISOR_NAME);
            library if known.contains(vk::EXT_GRAPHICS_PIPELINE_LIBRARY_NAME);
            mesh if known.contains(vk::EXT_MESH_SHADER_NAME);
            executables if known.contains(vk::KHR_PIPELINE_EXECUTABLE_PROPERTIES_NAME);
            derivatives if known.contains(vk::NV_COMPUTE_SHADER_DERIVATIVES_NAME);
        }
        chain
    }

    /// Sets whether accesses beyond the end of a buffer read 0 (robustBufferAccess2). Without it, such accesses are errors of
    /// this crate, which a driver should not hide.
    pub(crate) fn set_robust(&mut self, robust: bool) -> Result<()> {
        if robust && self.robustness.robust_buffer_access2 == vk::FALSE {
            return Err(Error::new("the device has no robustBufferAccess2"));
        }
        self.core.robust_buffer_access = robust.into();
        let has_null = self.robustness.null_descriptor == vk::TRUE;
        self.robustness =
            vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(robust).null_descriptor(has_null);
        Ok(())
    }

    /// Whether pipelines can be used without a render pass object.
    pub(crate) fn has_dynamic_rendering(&self) -> bool {
        self.v13.dynamic_rendering == vk::TRUE
    }

    /// Whether buffers have addresses.
    pub(crate) fn has_addresses(&self) -> bool {
        self.v12.buffer_device_address == vk::TRUE
    }

    /// Whether it has Vulkan's memory model, with the scope of the device.
    pub(crate) fn has_memory_model(&self) -> bool {
        self.v12.vulkan_memory_model == vk::TRUE && self.v12.vulkan_memory_model_device_scope == vk::TRUE
    }

    /// Whether vertices can be captured.
    pub(crate) fn has_feedback(&self) -> bool {
        self.feedback.transform_feedback == vk::TRUE
    }

    /// Whether mesh shaders can draw.
    pub(crate) fn has_meshes(&self) -> bool {
        self.mesh.mesh_shader == vk::TRUE
    }

    /// Whether pipelines have statistics about their machine code.
    pub(crate) fn has_executables(&self) -> bool {
        self.executables.pipeline_executable_info == vk::TRUE
    }

    /// The queries that draws may have. Primitives are only counted if the count includes rasterizer discard.
    pub(crate) fn queries(&self) -> Queries {
        let generated = &self.generated;
        Queries {
            statistics: self.core.pipeline_statistics_query == vk::TRUE,
            feedback: self.has_feedback() && self.feedback_queries,
            generated: generated.primitives_generated_query == vk::TRUE
                && generated.primitives_generated_query_with_rasterizer_discard == vk::TRUE,
        }
    }

    /// The features that a context uses.
    pub(crate) fn context(&self) -> ContextFeatures {
        ContextFeatures {
            null_descriptor: self.robustness.null_descriptor == vk::TRUE,
            pipeline_library: self.library.graphics_pipeline_library == vk::TRUE && self.links_fast,
            instance_divisor: self.divisor.vertex_attribute_instance_rate_divisor == vk::TRUE,
            depth_clip_control: self.clip_control.depth_clip_control == vk::TRUE,
            depth_clip_enable: self.depth_clip.depth_clip_enable == vk::TRUE,
            timeline: self.v12.timeline_semaphore == vk::TRUE && self.v13.synchronization2 == vk::TRUE,
        }
    }

    /// The features of the input of draws.
    pub(crate) fn input(&self) -> InputFeatures {
        InputFeatures {
            has_8_bit_indices: self.index_type.index_type_uint8 == vk::TRUE,
            restarts_lists: self.list_restart.primitive_topology_list_restart == vk::TRUE,
            provokes_last: self.provoking.provoking_vertex_last == vk::TRUE,
        }
    }

    /// The target of translations for a device with these features and `limits`.
    pub(crate) fn target(&self, limits: &vk::PhysicalDeviceLimits) -> Target {
        let mut target = Target::new(Version(1, 3));
        for feature in Feature::ALL {
            target.set(*feature, false);
        }
        for (feature, has) in TABLE {
            target.set(*feature, has(self));
        }
        target.max_uniform_buffer_range = limits.max_uniform_buffer_range;
        target.max_push_constants_size = limits.max_push_constants_size;
        target.max_draw_buffers = limits.max_color_attachments;
        target.max_clip_and_cull_distances = limits.max_combined_clip_and_cull_distances;
        target
    }
}

type FeatureRow = (Feature, fn(&Features) -> bool);

macro_rules! rows {
    ($($feature:ident $from:expr;)*) => {
        &[$((Feature::$feature, $from)),*]
    };
}

/// The sources of the features in Vulkan's structs.
const TABLE: &[FeatureRow] = rows! {
    shaderInt64 |f| f.core.shader_int64 != 0;
    shaderInt16 |f| f.core.shader_int16 != 0;
    shaderInt8 |f| f.v12.shader_int8 != 0;
    shaderFloat16 |f| f.v12.shader_float16 != 0;
    shaderFloat64 |f| f.core.shader_float64 != 0;
    storageBuffer8BitAccess |f| f.v12.storage_buffer8_bit_access != 0;
    storageBuffer16BitAccess |f| f.v11.storage_buffer16_bit_access != 0;
    uniformAndStorageBuffer8BitAccess |f| f.v12.uniform_and_storage_buffer8_bit_access != 0;
    uniformAndStorageBuffer16BitAccess |f| f.v11.uniform_and_storage_buffer16_bit_access != 0;
    storagePushConstant8 |f| f.v12.storage_push_constant8 != 0;
    storagePushConstant16 |f| f.v11.storage_push_constant16 != 0;
    storageInputOutput16 |f| f.v11.storage_input_output16 != 0;
    geometryShader |f| f.core.geometry_shader != 0;
    tessellationShader |f| f.core.tessellation_shader != 0;
    sampleRateShading |f| f.core.sample_rate_shading != 0;
    shaderClipDistance |f| f.core.shader_clip_distance != 0;
    shaderCullDistance |f| f.core.shader_cull_distance != 0;
    multiViewport |f| f.core.multi_viewport != 0;
    shaderOutputViewportIndex |f| f.v12.shader_output_viewport_index != 0;
    shaderOutputLayer |f| f.v12.shader_output_layer != 0;
    shaderUniformBufferArrayDynamicIndexing |f| f.core.shader_uniform_buffer_array_dynamic_indexing != 0;
    shaderStorageBufferArrayDynamicIndexing |f| f.core.shader_storage_buffer_array_dynamic_indexing != 0;
    shaderUniformBufferArrayNonUniformIndexing |f| f.v12.shader_uniform_buffer_array_non_uniform_indexing != 0;
    shaderStorageBufferArrayNonUniformIndexing |f| f.v12.shader_storage_buffer_array_non_uniform_indexing != 0;
    shaderDrawParameters |f| f.v11.shader_draw_parameters != 0;
    multiview |f| f.v11.multiview != 0;
    subgroupVote |f| f.subgroup.contains(vk::SubgroupFeatureFlags::VOTE);
    subgroupBallot |f| f.subgroup.contains(vk::SubgroupFeatureFlags::BALLOT);
    subgroupShuffle |f| f.subgroup.contains(vk::SubgroupFeatureFlags::SHUFFLE);
    subgroupArithmetic |f| f.subgroup.contains(vk::SubgroupFeatureFlags::ARITHMETIC);
    subgroupQuad |f| f.subgroup.contains(vk::SubgroupFeatureFlags::QUAD);
    shaderDemoteToHelperInvocation |f| f.v13.shader_demote_to_helper_invocation != 0;
    maintenance4 |f| f.v13.maintenance4 != 0;
    shaderFloatControls2 |f| f.float_controls.shader_float_controls2 != 0;
    shaderTerminateInvocation |f| f.v13.shader_terminate_invocation != 0;
    shaderSubgroupClock |f| f.clock.shader_subgroup_clock != 0;
    shaderDeviceClock |f| f.clock.shader_device_clock != 0;
    shaderBufferInt64Atomics |f| f.v12.shader_buffer_int64_atomics != 0;
    shaderSharedInt64Atomics |f| f.v12.shader_shared_int64_atomics != 0;
    shaderBufferFloat32AtomicAdd |f| f.atomic_float.shader_buffer_float32_atomic_add != 0;
    shaderSharedFloat32AtomicAdd |f| f.atomic_float.shader_shared_float32_atomic_add != 0;
    shaderBufferFloat32AtomicMinMax |f| f.atomic_float2.shader_buffer_float32_atomic_min_max != 0;
    shaderSharedFloat32AtomicMinMax |f| f.atomic_float2.shader_shared_float32_atomic_min_max != 0;
    // Every device has it: Vulkan has no feature for it ("Capabilities", DerivativeControl).
    derivativeControl |_| true;
    // Not enabled, even if the device has it: drivers for OpenGL use a target without it.
    vulkanMemoryModel |_| false;
    vulkanMemoryModelDeviceScope |_| false;
    uniformBufferStandardLayout |f| f.v12.uniform_buffer_standard_layout != 0;
    scalarBlockLayout |f| f.v12.scalar_block_layout != 0;
    imageCubeArray |f| f.core.image_cube_array != 0;
    shaderImageGatherExtended |f| f.core.shader_image_gather_extended != 0;
    shaderResourceMinLod |f| f.core.shader_resource_min_lod != 0;
    shaderResourceResidency |f| f.core.shader_resource_residency != 0;
    shaderStorageImageExtendedFormats |f| f.core.shader_storage_image_extended_formats != 0;
    shaderStorageImageMultisample |f| f.core.shader_storage_image_multisample != 0;
    shaderStorageImageReadWithoutFormat |f| f.core.shader_storage_image_read_without_format != 0;
    shaderStorageImageWriteWithoutFormat |f| f.core.shader_storage_image_write_without_format != 0;
    shaderSampledImageArrayDynamicIndexing |f| f.core.shader_sampled_image_array_dynamic_indexing != 0;
    shaderStorageImageArrayDynamicIndexing |f| f.core.shader_storage_image_array_dynamic_indexing != 0;
    shaderTessellationAndGeometryPointSize |f| f.core.shader_tessellation_and_geometry_point_size != 0;
    shaderUniformTexelBufferArrayDynamicIndexing |f| f.v12.shader_uniform_texel_buffer_array_dynamic_indexing != 0;
    shaderStorageTexelBufferArrayDynamicIndexing |f| f.v12.shader_storage_texel_buffer_array_dynamic_indexing != 0;
    shaderSampledImageArrayNonUniformIndexing |f| f.v12.shader_sampled_image_array_non_uniform_indexing != 0;
    shaderStorageImageArrayNonUniformIndexing |f| f.v12.shader_storage_image_array_non_uniform_indexing != 0;
    shaderUniformTexelBufferArrayNonUniformIndexing |f| f.v12.shader_uniform_texel_buffer_array_non_uniform_indexing != 0;
    shaderStorageTexelBufferArrayNonUniformIndexing |f| f.v12.shader_storage_texel_buffer_array_non_uniform_indexing != 0;
    shaderSubgroupExtendedTypes |f| f.v12.shader_subgroup_extended_types != 0;
    subgroupBroadcastDynamicId |f| f.v12.subgroup_broadcast_dynamic_id != 0;
    bufferDeviceAddress |f| f.v12.buffer_device_address != 0;
    shaderBufferFloat64AtomicAdd |f| f.atomic_float.shader_buffer_float64_atomic_add != 0;
    shaderSharedFloat64AtomicAdd |f| f.atomic_float.shader_shared_float64_atomic_add != 0;
    shaderImageFloat32Atomics |f| f.atomic_float.shader_image_float32_atomics != 0;
    shaderImageFloat32AtomicAdd |f| f.atomic_float.shader_image_float32_atomic_add != 0;
    shaderBufferFloat16AtomicAdd |f| f.atomic_float2.shader_buffer_float16_atomic_add != 0;
    shaderBufferFloat16AtomicMinMax |f| f.atomic_float2.shader_buffer_float16_atomic_min_max != 0;
    shaderBufferFloat64AtomicMinMax |f| f.atomic_float2.shader_buffer_float64_atomic_min_max != 0;
    shaderSharedFloat64AtomicMinMax |f| f.atomic_float2.shader_shared_float64_atomic_min_max != 0;
    shaderImageFloat32AtomicMinMax |f| f.atomic_float2.shader_image_float32_atomic_min_max != 0;
    transformFeedback |f| f.feedback.transform_feedback != 0;
    geometryStreams |f| f.feedback.geometry_streams != 0;
    VK_EXT_shader_stencil_export |f| f.extensions.contains(vk::EXT_SHADER_STENCIL_EXPORT_NAME);
    subgroupShuffleRelative |f| f.subgroup.contains(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE);
    subgroupClustered |f| f.subgroup.contains(vk::SubgroupFeatureFlags::CLUSTERED);
    shaderDenormPreserveFloat16 |f| f.floats.shader_denorm_preserve_float16 != 0;
    shaderDenormPreserveFloat32 |f| f.floats.shader_denorm_preserve_float32 != 0;
    shaderDenormPreserveFloat64 |f| f.floats.shader_denorm_preserve_float64 != 0;
    shaderDenormFlushToZeroFloat16 |f| f.floats.shader_denorm_flush_to_zero_float16 != 0;
    shaderDenormFlushToZeroFloat32 |f| f.floats.shader_denorm_flush_to_zero_float32 != 0;
    shaderDenormFlushToZeroFloat64 |f| f.floats.shader_denorm_flush_to_zero_float64 != 0;
    shaderSignedZeroInfNanPreserveFloat16 |f| f.floats.shader_signed_zero_inf_nan_preserve_float16 != 0;
    shaderSignedZeroInfNanPreserveFloat32 |f| f.floats.shader_signed_zero_inf_nan_preserve_float32 != 0;
    shaderSignedZeroInfNanPreserveFloat64 |f| f.floats.shader_signed_zero_inf_nan_preserve_float64 != 0;
    shaderRoundingModeRTEFloat16 |f| f.floats.shader_rounding_mode_rte_float16 != 0;
    shaderRoundingModeRTEFloat32 |f| f.floats.shader_rounding_mode_rte_float32 != 0;
    shaderRoundingModeRTEFloat64 |f| f.floats.shader_rounding_mode_rte_float64 != 0;
    shaderRoundingModeRTZFloat16 |f| f.floats.shader_rounding_mode_rtz_float16 != 0;
    shaderRoundingModeRTZFloat32 |f| f.floats.shader_rounding_mode_rtz_float32 != 0;
    shaderRoundingModeRTZFloat64 |f| f.floats.shader_rounding_mode_rtz_float64 != 0;
    denormBehaviorIndependenceAll |f| f.floats.denorm_behavior_independence == Independence::ALL;
    denormBehaviorIndependence32BitOnly |f| f.floats.denorm_behavior_independence == Independence::TYPE_32_ONLY;
    roundingModeIndependenceAll |f| f.floats.rounding_mode_independence == Independence::ALL;
    roundingModeIndependence32BitOnly |f| f.floats.rounding_mode_independence == Independence::TYPE_32_ONLY;
    vertexPipelineStoresAndAtomics |f| f.core.vertex_pipeline_stores_and_atomics != 0;
    fragmentStoresAndAtomics |f| f.core.fragment_stores_and_atomics != 0;
    shaderInputAttachmentArrayDynamicIndexing |f| f.v12.shader_input_attachment_array_dynamic_indexing != 0;
    shaderInputAttachmentArrayNonUniformIndexing |f| f.v12.shader_input_attachment_array_non_uniform_indexing != 0;
    meshShader |f| f.mesh.mesh_shader != 0;
    taskShader |f| f.mesh.task_shader != 0;
    computeDerivativeGroupQuads |f| f.derivatives.compute_derivative_group_quads != 0;
    computeDerivativeGroupLinear |f| f.derivatives.compute_derivative_group_linear != 0;
    // Features that need an extension that is not in EXTENSIONS, or a property that is not queried. Shaders must not use them
    // here.
    VK_EXT_post_depth_coverage |_| false;
    shaderSubgroupRotate |_| false;
    shaderSubgroupRotateClustered |_| false;
    fragmentShaderPixelInterlock |_| false;
    fragmentShaderSampleInterlock |_| false;
    shaderImageInt64Atomics |_| false;
    workgroupMemoryExplicitLayout |f| f.shared_layout.workgroup_memory_explicit_layout != 0;
    workgroupMemoryExplicitLayout8BitAccess |f| f.shared_layout.workgroup_memory_explicit_layout8_bit_access != 0;
    workgroupMemoryExplicitLayout16BitAccess |f| f.shared_layout.workgroup_memory_explicit_layout16_bit_access != 0;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_source() {
        let missing = |feature: &&Feature| TABLE.iter().all(|(known, _)| known != *feature);
        let missing: Vec<&str> = Feature::ALL.iter().filter(missing).map(|feature| feature.name()).collect();
        assert!(missing.is_empty(), "no row for {}", missing.join(", "));
    }
}

/// The queries of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// The invocations of stages: `VK_QUERY_TYPE_PIPELINE_STATISTICS`.
    pub statistics: bool,
    /// The captures of transform feedback: `VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT`, of stream 0.
    pub feedback: bool,
    /// The number of primitives, captured or not: `VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT`, of stream 0.
    pub generated: bool,
}

impl Queries {
    /// All queries.
    pub const ALL: Queries = Queries { statistics: true, feedback: true, generated: true };

    /// The queries of `self` that are also in `known`.
    pub fn and(self, known: Queries) -> Queries {
        Queries {
            statistics: self.statistics && known.statistics,
            feedback: self.feedback && known.feedback,
            generated: self.generated && known.generated,
        }
    }
}
