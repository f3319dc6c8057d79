/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The description of the Vulkan device for ntv.
 */

#include "zink_ntvr_private.h"

#include "util/log.h"
#include "zink_types.h"

struct feature {
   const char *name;
   bool on;
};

/* The fields of a feature that has the name of a field of Vulkan. */
#define FEATURE(structure, field) #field, (structure).field

static void
enable(struct ntvr_target *target, const struct feature *features, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (!ntvr_target_enable(target, features[i].name, features[i].on))
         mesa_logw("ntv: there is no feature %s", features[i].name);
   }
}

/* It is in Vulkan 1.2. zink does not enable the extension for older versions. */
bool
zink_ntvr_has_standard_layout(const struct zink_device_info *info)
{
   return info->have_vulkan12 && info->feats12.uniformBufferStandardLayout;
}

bool
zink_ntvr_has_scalar_layout(const struct zink_device_info *info)
{
   return info->have_vulkan12 ? info->feats12.scalarBlockLayout : info->have_EXT_scalar_block_layout;
}

static void
enable_shaders(struct ntvr_target *target, const struct zink_device_info *info)
{
   const VkPhysicalDeviceFeatures *f = &info->feats.features;
   const bool layer = info->have_EXT_shader_viewport_index_layer;
   const struct feature features[] = {
      {FEATURE(*f, shaderInt64)},
      {FEATURE(*f, shaderInt16)},
      {FEATURE(info->shader_float16_int8_feats, shaderInt8)},
      {FEATURE(info->shader_float16_int8_feats, shaderFloat16)},
      {FEATURE(*f, shaderFloat64)},
      {FEATURE(info->storage_8bit_feats, storageBuffer8BitAccess)},
      {FEATURE(info->storage_16bit_feats, storageBuffer16BitAccess)},
      {FEATURE(info->storage_8bit_feats, uniformAndStorageBuffer8BitAccess)},
      {FEATURE(info->storage_16bit_feats, uniformAndStorageBuffer16BitAccess)},
      {FEATURE(info->storage_8bit_feats, storagePushConstant8)},
      {FEATURE(info->storage_16bit_feats, storagePushConstant16)},
      {FEATURE(info->storage_16bit_feats, storageInputOutput16)},
      /* Vulkan 1.4 has these, and zink does not enable them. */
      {"shaderFloatControls2", false},
      {"shaderSubgroupRotate", false},
      {"shaderSubgroupRotateClustered", false},
      {FEATURE(*f, geometryShader)},
      {FEATURE(*f, tessellationShader)},
      {FEATURE(*f, shaderTessellationAndGeometryPointSize)},
      {"meshShader", false},
      {FEATURE(info->tf_feats, transformFeedback)},
      {FEATURE(info->tf_feats, geometryStreams)},
      {FEATURE(*f, sampleRateShading)},
      {FEATURE(*f, vertexPipelineStoresAndAtomics)},
      {FEATURE(*f, fragmentStoresAndAtomics)},
      {FEATURE(*f, shaderClipDistance)},
      {FEATURE(*f, shaderCullDistance)},
      {FEATURE(*f, multiViewport)},
      {"shaderOutputViewportIndex", info->have_vulkan12 ? info->feats12.shaderOutputViewportIndex : layer},
      {"shaderOutputLayer", info->have_vulkan12 ? info->feats12.shaderOutputLayer : layer},
      {"VK_EXT_shader_stencil_export", info->have_EXT_shader_stencil_export},
      {"VK_EXT_post_depth_coverage", info->have_EXT_post_depth_coverage},
      {FEATURE(info->shader_derivs_feats, computeDerivativeGroupQuads)},
      {FEATURE(info->shader_derivs_feats, computeDerivativeGroupLinear)},
      {"shaderDrawParameters",
       info->have_vulkan11 ? info->feats11.shaderDrawParameters : info->have_KHR_shader_draw_parameters},
      {FEATURE(info->feats11, multiview)},
      {FEATURE(info->interlock_feats, fragmentShaderPixelInterlock)},
      {FEATURE(info->interlock_feats, fragmentShaderSampleInterlock)},
      {"shaderDemoteToHelperInvocation", info->have_EXT_shader_demote_to_helper_invocation},
      {FEATURE(info->feats13, shaderTerminateInvocation)},
      {FEATURE(info->shader_clock_feats, shaderSubgroupClock)},
      {FEATURE(info->shader_clock_feats, shaderDeviceClock)},
      {FEATURE(info->bda_feats, bufferDeviceAddress)},
      {"derivativeControl", true},
      {"uniformBufferStandardLayout", zink_ntvr_has_standard_layout(info)},
      {"scalarBlockLayout", zink_ntvr_has_scalar_layout(info)},
      {FEATURE(info->feats12, vulkanMemoryModel)},
      {FEATURE(info->feats12, vulkanMemoryModelDeviceScope)},
      {FEATURE(info->explicit_layout_feats, workgroupMemoryExplicitLayout)},
      {"maintenance4", info->feats13.maintenance4 || info->maint4_feats.maintenance4},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
enable_resources(struct ntvr_target *target, const struct zink_device_info *info)
{
   const VkPhysicalDeviceFeatures *f = &info->feats.features;
   const VkPhysicalDeviceDescriptorIndexingFeatures *d = &info->desc_indexing_feats;
   const struct feature features[] = {
      {FEATURE(*f, imageCubeArray)},
      {FEATURE(*f, shaderImageGatherExtended)},
      {FEATURE(*f, shaderResourceMinLod)},
      {FEATURE(*f, shaderResourceResidency)},
      {FEATURE(*f, shaderStorageImageExtendedFormats)},
      {FEATURE(*f, shaderStorageImageMultisample)},
      {FEATURE(*f, shaderStorageImageReadWithoutFormat)},
      {FEATURE(*f, shaderStorageImageWriteWithoutFormat)},
      {FEATURE(*f, shaderUniformBufferArrayDynamicIndexing)},
      {FEATURE(*f, shaderSampledImageArrayDynamicIndexing)},
      {FEATURE(*f, shaderStorageBufferArrayDynamicIndexing)},
      {FEATURE(*f, shaderStorageImageArrayDynamicIndexing)},
      {FEATURE(*d, shaderInputAttachmentArrayDynamicIndexing)},
      {FEATURE(*d, shaderInputAttachmentArrayNonUniformIndexing)},
      {FEATURE(*d, shaderUniformTexelBufferArrayDynamicIndexing)},
      {FEATURE(*d, shaderStorageTexelBufferArrayDynamicIndexing)},
      {FEATURE(*d, shaderUniformBufferArrayNonUniformIndexing)},
      {FEATURE(*d, shaderSampledImageArrayNonUniformIndexing)},
      {FEATURE(*d, shaderStorageBufferArrayNonUniformIndexing)},
      {FEATURE(*d, shaderStorageImageArrayNonUniformIndexing)},
      {FEATURE(*d, shaderUniformTexelBufferArrayNonUniformIndexing)},
      {FEATURE(*d, shaderStorageTexelBufferArrayNonUniformIndexing)},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
enable_subgroups_and_atomics(struct ntvr_target *target, const struct zink_device_info *info)
{
   const VkSubgroupFeatureFlags subgroup = info->subgroup.supportedOperations;
   const VkPhysicalDeviceShaderAtomicFloatFeaturesEXT *a = &info->atomic_float_feats;
   const struct feature features[] = {
      {"subgroupVote", (subgroup & VK_SUBGROUP_FEATURE_VOTE_BIT) || info->have_EXT_shader_subgroup_vote},
      {"subgroupBallot", (subgroup & VK_SUBGROUP_FEATURE_BALLOT_BIT) || info->have_EXT_shader_subgroup_ballot},
      {"subgroupShuffle", subgroup & VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
      {"subgroupArithmetic", subgroup & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
      {"subgroupShuffleRelative", subgroup & VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
      {"subgroupClustered", subgroup & VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
      {"subgroupQuad", subgroup & VK_SUBGROUP_FEATURE_QUAD_BIT},
      {FEATURE(info->feats12, subgroupBroadcastDynamicId)},
      {FEATURE(info->feats12, shaderSubgroupExtendedTypes)},
      {FEATURE(info->atomic_int_feats, shaderBufferInt64Atomics)},
      {FEATURE(info->atomic_int_feats, shaderSharedInt64Atomics)},
      {FEATURE(*a, shaderBufferFloat32AtomicAdd)},
      {FEATURE(*a, shaderSharedFloat32AtomicAdd)},
      {FEATURE(*a, shaderBufferFloat64AtomicAdd)},
      {FEATURE(*a, shaderSharedFloat64AtomicAdd)},
      {FEATURE(*a, shaderImageFloat32Atomics)},
      {FEATURE(*a, shaderImageFloat32AtomicAdd)},
      /* zink does not enable the extensions of these features. */
      {"shaderBufferFloat32AtomicMinMax", false},
      {"shaderSharedFloat32AtomicMinMax", false},
      {"shaderImageFloat32AtomicMinMax", false},
      {"shaderImageInt64Atomics", false},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
enable_float_controls(struct ntvr_target *target, const VkPhysicalDeviceVulkan12Properties *p)
{
   const VkShaderFloatControlsIndependence all = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
   const VkShaderFloatControlsIndependence only_32 = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY;
   const struct feature features[] = {
      {FEATURE(*p, shaderDenormPreserveFloat16)},
      {FEATURE(*p, shaderDenormPreserveFloat32)},
      {FEATURE(*p, shaderDenormPreserveFloat64)},
      {FEATURE(*p, shaderDenormFlushToZeroFloat16)},
      {FEATURE(*p, shaderDenormFlushToZeroFloat32)},
      {FEATURE(*p, shaderDenormFlushToZeroFloat64)},
      {FEATURE(*p, shaderSignedZeroInfNanPreserveFloat16)},
      {FEATURE(*p, shaderSignedZeroInfNanPreserveFloat32)},
      {FEATURE(*p, shaderSignedZeroInfNanPreserveFloat64)},
      {FEATURE(*p, shaderRoundingModeRTEFloat16)},
      {FEATURE(*p, shaderRoundingModeRTEFloat32)},
      {FEATURE(*p, shaderRoundingModeRTEFloat64)},
      {FEATURE(*p, shaderRoundingModeRTZFloat16)},
      {FEATURE(*p, shaderRoundingModeRTZFloat32)},
      {FEATURE(*p, shaderRoundingModeRTZFloat64)},
      {"denormBehaviorIndependenceAll", p->denormBehaviorIndependence == all},
      {"denormBehaviorIndependence32BitOnly", p->denormBehaviorIndependence == only_32},
      {"roundingModeIndependenceAll", p->roundingModeIndependence == all},
      {"roundingModeIndependence32BitOnly", p->roundingModeIndependence == only_32},
   };

   enable(target, features, ARRAY_SIZE(features));
}

void
zink_ntvr_describe(struct ntvr_target *target, const struct zink_screen *screen)
{
   const struct zink_device_info *info = &screen->info;

   target->struct_size = sizeof(*target);
   ntvr_target_init(target, screen->vk_version);
   target->max_uniform_buffer_range = info->props.limits.maxUniformBufferRange;
   target->max_push_constants_size = info->props.limits.maxPushConstantsSize;
   target->indexed_draw_offset = offsetof(struct zink_gfx_push_constant, draw_mode_is_indexed);
   target->draw_id_offset = offsetof(struct zink_gfx_push_constant, draw_id);
   target->max_draw_buffers = MIN2(info->props.limits.maxColorAttachments, PIPE_MAX_COLOR_BUFS);
   target->max_clip_and_cull_distances = info->props.limits.maxCombinedClipAndCullDistances;
   /* zink rounds the size of each range up: get_ubo_range() in zink_context.c. */
   target->uniform_ranges_in_vec4s = screen->whole_ubo_vec4s;
   enable_shaders(target, info);
   enable_resources(target, info);
   enable_subgroups_and_atomics(target, info);
   if (info->have_KHR_shader_float_controls)
      enable_float_controls(target, &info->props12);
   /* The workaround that nir_to_spirv has as broken_arbitary_type_const of its zink_shader_info. */
   if (!ntvr_target_workaround(target, "unsigned_constants", screen->driver_compiler_workarounds.broken_const))
      mesa_logw("ntv: there is no workaround unsigned_constants");
}
