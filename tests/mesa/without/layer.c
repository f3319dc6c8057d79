/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * VK_LAYER_NTV_without: a Vulkan layer that hides a feature of the device, so that zink and the translators see a device that
 * lacks it. NTV_WITHOUT has the name of the feature, or of an extension. An unknown name ends the process with a message, so that
 * no run is taken for one without the feature.
 */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

/* A VkBool32 in a struct of features. A feature is in several structs. The first VkPhysicalDeviceFeatures is the member `features`
 * of VkPhysicalDeviceFeatures2. */
struct feature {
   const char *name;
   VkStructureType type;
   size_t offset;
};

#define IN(type, struct_name, field) {#field, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, offsetof(VkPhysicalDevice##struct_name, field)}
#define CORE(field) {#field, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, offsetof(VkPhysicalDeviceFeatures2, features.field)}
#define VULKAN_11(field) IN(VULKAN_1_1_FEATURES, Vulkan11Features, field)
#define VULKAN_12(field) IN(VULKAN_1_2_FEATURES, Vulkan12Features, field)
#define VULKAN_13(field) IN(VULKAN_1_3_FEATURES, Vulkan13Features, field)

static const struct feature features[] = {
   CORE(shaderInt64),
   CORE(shaderInt16),
   CORE(shaderFloat64),
   CORE(shaderTessellationAndGeometryPointSize),
   CORE(sampleRateShading),
   CORE(vertexPipelineStoresAndAtomics),
   CORE(fragmentStoresAndAtomics),
   CORE(shaderClipDistance),
   CORE(shaderCullDistance),
   CORE(multiViewport),
   CORE(imageCubeArray),
   CORE(shaderImageGatherExtended),
   CORE(shaderResourceMinLod),
   CORE(shaderResourceResidency),
   CORE(shaderStorageImageExtendedFormats),
   CORE(shaderStorageImageMultisample),
   CORE(shaderStorageImageReadWithoutFormat),
   CORE(shaderStorageImageWriteWithoutFormat),
   CORE(shaderUniformBufferArrayDynamicIndexing),
   CORE(shaderSampledImageArrayDynamicIndexing),
   CORE(shaderStorageBufferArrayDynamicIndexing),
   CORE(shaderStorageImageArrayDynamicIndexing),
   CORE(robustBufferAccess),
   VULKAN_12(shaderInt8),
   IN(SHADER_FLOAT16_INT8_FEATURES, ShaderFloat16Int8Features, shaderInt8),
   VULKAN_12(shaderFloat16),
   IN(SHADER_FLOAT16_INT8_FEATURES, ShaderFloat16Int8Features, shaderFloat16),
   VULKAN_12(storageBuffer8BitAccess),
   IN(8BIT_STORAGE_FEATURES, 8BitStorageFeatures, storageBuffer8BitAccess),
   VULKAN_12(uniformAndStorageBuffer8BitAccess),
   IN(8BIT_STORAGE_FEATURES, 8BitStorageFeatures, uniformAndStorageBuffer8BitAccess),
   VULKAN_11(storageBuffer16BitAccess),
   IN(16BIT_STORAGE_FEATURES, 16BitStorageFeatures, storageBuffer16BitAccess),
   VULKAN_11(uniformAndStorageBuffer16BitAccess),
   IN(16BIT_STORAGE_FEATURES, 16BitStorageFeatures, uniformAndStorageBuffer16BitAccess),
   VULKAN_11(shaderDrawParameters),
   IN(SHADER_DRAW_PARAMETERS_FEATURES, ShaderDrawParametersFeatures, shaderDrawParameters),
   VULKAN_12(uniformBufferStandardLayout),
   IN(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, UniformBufferStandardLayoutFeatures, uniformBufferStandardLayout),
   VULKAN_12(scalarBlockLayout),
   IN(SCALAR_BLOCK_LAYOUT_FEATURES, ScalarBlockLayoutFeatures, scalarBlockLayout),
   VULKAN_12(vulkanMemoryModel),
   IN(VULKAN_MEMORY_MODEL_FEATURES, VulkanMemoryModelFeatures, vulkanMemoryModel),
   VULKAN_12(vulkanMemoryModelDeviceScope),
   IN(VULKAN_MEMORY_MODEL_FEATURES, VulkanMemoryModelFeatures, vulkanMemoryModelDeviceScope),
   VULKAN_12(shaderOutputViewportIndex),
   VULKAN_12(shaderOutputLayer),
   VULKAN_12(subgroupBroadcastDynamicId),
   VULKAN_12(shaderSubgroupExtendedTypes),
   IN(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, ShaderSubgroupExtendedTypesFeatures, shaderSubgroupExtendedTypes),
   VULKAN_12(shaderBufferInt64Atomics),
   IN(SHADER_ATOMIC_INT64_FEATURES, ShaderAtomicInt64Features, shaderBufferInt64Atomics),
   VULKAN_12(shaderSharedInt64Atomics),
   IN(SHADER_ATOMIC_INT64_FEATURES, ShaderAtomicInt64Features, shaderSharedInt64Atomics),
   VULKAN_12(shaderUniformTexelBufferArrayDynamicIndexing),
   IN(DESCRIPTOR_INDEXING_FEATURES, DescriptorIndexingFeatures, shaderUniformTexelBufferArrayDynamicIndexing),
   VULKAN_12(shaderStorageTexelBufferArrayDynamicIndexing),
   IN(DESCRIPTOR_INDEXING_FEATURES, DescriptorIndexingFeatures, shaderStorageTexelBufferArrayDynamicIndexing),
   VULKAN_13(shaderDemoteToHelperInvocation),
   IN(SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, ShaderDemoteToHelperInvocationFeatures, shaderDemoteToHelperInvocation),
   VULKAN_13(shaderTerminateInvocation),
   IN(SHADER_TERMINATE_INVOCATION_FEATURES, ShaderTerminateInvocationFeatures, shaderTerminateInvocation),
   IN(WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, WorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayout),
   IN(SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
   IN(SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT, shaderSharedFloat32AtomicAdd),
   IN(SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT, shaderImageFloat32AtomicAdd),
   IN(SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR, shaderSubgroupClock),
   IN(SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR, shaderDeviceClock),
   IN(TRANSFORM_FEEDBACK_FEATURES_EXT, TransformFeedbackFeaturesEXT, geometryStreams),
};

static const char *
hidden(void)
{
   const char *name = getenv("NTV_WITHOUT");

   return name ? name : "";
}

/* Ends the process if the hidden name is of neither a feature nor an extension. */
static void
check_name(void)
{
   const char *name = hidden();

   if (!strncmp(name, "VK_", 3))
      return;
   for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
      if (!strcmp(features[i].name, name))
         return;
   }
   fprintf(stderr, "NTV_WITHOUT: there is no feature %s\n", name);
   exit(1);
}

/* ------------------------------------------------------------------------------------------------------------------
 * The next functions in the chain of layers. Programs under test make one instance and one device at a time.
 * ------------------------------------------------------------------------------------------------------------------ */

static PFN_vkGetDeviceProcAddr next_device_function;

/* They are looked up when the instance is made: later the loader returns the first functions of the chain. */
static struct {
   PFN_vkGetInstanceProcAddr get_instance_function;
   PFN_vkGetPhysicalDeviceFeatures get_features;
   PFN_vkGetPhysicalDeviceFeatures2 get_features2;
   PFN_vkEnumerateDeviceExtensionProperties enumerate_extensions;
   PFN_vkCreateDevice create_device;
} next;

static VKAPI_ATTR void VKAPI_CALL
get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures *core)
{
   VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

   next.get_features(device, core);
   for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
      if (features[i].type == all.sType && !strcmp(features[i].name, hidden()))
         *(VkBool32 *)((char *)core + features[i].offset - offsetof(VkPhysicalDeviceFeatures2, features)) = VK_FALSE;
   }
}

static VKAPI_ATTR void VKAPI_CALL
get_features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *all)
{
   next.get_features2(device, all);
   for (VkBaseOutStructure *part = (VkBaseOutStructure *)all; part; part = part->pNext) {
      for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
         if (features[i].type == part->sType && !strcmp(features[i].name, hidden()))
            *(VkBool32 *)((char *)part + features[i].offset) = VK_FALSE;
      }
   }
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
   uint32_t number = 0, kept = 0;
   VkExtensionProperties *all;
   VkResult result;

   if (layer)
      return next.enumerate_extensions(device, layer, count, properties);
   result = next.enumerate_extensions(device, NULL, &number, NULL);
   if (result != VK_SUCCESS)
      return result;
   all = calloc(number ? number : 1, sizeof(*all));
   if (!all)
      return VK_ERROR_OUT_OF_HOST_MEMORY;
   result = next.enumerate_extensions(device, NULL, &number, all);
   for (uint32_t i = 0; i < number; i++) {
      if (strcmp(all[i].extensionName, hidden()))
         all[kept++] = all[i];
   }
   if (properties && result == VK_SUCCESS) {
      result = *count < kept ? VK_INCOMPLETE : VK_SUCCESS;
      kept = *count < kept ? *count : kept;
      memcpy(properties, all, kept * sizeof(*all));
   }
   *count = kept;
   free(all);
   return result;
}

#define NEXT(instance, name) ((PFN_##name)next.get_instance_function(instance, #name))

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *created)
{
   VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
   VkResult result;

   while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
      link = (VkLayerInstanceCreateInfo *)link->pNext;
   next.get_instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
   link->u.pLayerInfo = link->u.pLayerInfo->pNext;
   result = ((PFN_vkCreateInstance)next.get_instance_function(NULL, "vkCreateInstance"))(info, allocator, created);
   if (result == VK_SUCCESS) {
      next.get_features = NEXT(*created, vkGetPhysicalDeviceFeatures);
      next.get_features2 = NEXT(*created, vkGetPhysicalDeviceFeatures2);
      next.enumerate_extensions = NEXT(*created, vkEnumerateDeviceExtensionProperties);
      next.create_device = NEXT(*created, vkCreateDevice);
   }
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
              VkDevice *created)
{
   VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;

   while (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
      link = (VkLayerDeviceCreateInfo *)link->pNext;
   next_device_function = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
   link->u.pLayerInfo = link->u.pLayerInfo->pNext;
   return next.create_device(physical, info, allocator, created);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetDeviceProcAddr(VkDevice device, const char *name)
{
   return next_device_function(device, name);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance of, const char *name)
{
   static const struct {
      const char *name;
      PFN_vkVoidFunction function;
   } own[] = {
      {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)vkGetInstanceProcAddr},
      {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)vkGetDeviceProcAddr},
      {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
      {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
      {"vkGetPhysicalDeviceFeatures", (PFN_vkVoidFunction)get_features},
      {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features2},
      {"vkGetPhysicalDeviceFeatures2KHR", (PFN_vkVoidFunction)get_features2},
      {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions},
   };

   for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
      if (!strcmp(own[i].name, name))
         return own[i].function;
   }
   return of ? next.get_instance_function(of, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *versions)
{
   check_name();
   versions->loaderLayerInterfaceVersion = 2;
   versions->pfnGetInstanceProcAddr = vkGetInstanceProcAddr;
   versions->pfnGetDeviceProcAddr = vkGetDeviceProcAddr;
   versions->pfnGetPhysicalDeviceProcAddr = NULL;
   return VK_SUCCESS;
}
