/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * VK_LAYER_NTV_calls: a Vulkan layer that writes what a driver creates to the file NTV_CALLS, a line each: modules, layouts,
 * pipelines, buffers and views. Handles become hashes of what they were made of, so that two runs can be compared.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))
#define MOST 65536

/* The hash of each handle that is an object of other calls. */
static struct {
   uint64_t handle, hash;
} known[MOST];
static uint32_t num_known;
static FILE *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t
hash(uint64_t start, const void *data, size_t size)
{
   const uint8_t *bytes = data;

   for (size_t i = 0; i < size; i++)
      start = (start ^ bytes[i]) * 0x100000001b3;
   return start;
}

#define START UINT64_C(0xcbf29ce484222325)
#define ADD(at, value) (at = hash(at, &(value), sizeof(value)))

static uint64_t
hash_of(uint64_t handle)
{
   uint64_t found = 0;

   pthread_mutex_lock(&lock);
   /* The newest first: handles are used again. */
   for (uint32_t i = num_known; i > 0 && !found; i--) {
      if (known[i - 1].handle == handle)
         found = known[i - 1].hash;
   }
   pthread_mutex_unlock(&lock);
   return found;
}

static void
write_line(const char *kind, uint64_t handle, uint64_t of)
{
   pthread_mutex_lock(&lock);
   if (num_known == MOST) {
      fputs("VK_LAYER_NTV_calls: too many objects\n", stderr);
      abort();
   }
   known[num_known].handle = handle;
   known[num_known++].hash = of;
   if (!file)
      file = fopen(getenv("NTV_CALLS"), "w");
   if (!file) {
      fputs("VK_LAYER_NTV_calls: no file NTV_CALLS\n", stderr);
      abort();
   }
   fprintf(file, "%s %016llx\n", kind, (unsigned long long)of);
   fflush(file);
   pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------------------------------
 * The functions of the device. Programs under test make one device at a time.
 * ------------------------------------------------------------------------------------------------------------------ */

static PFN_vkGetInstanceProcAddr next_instance_function;
static PFN_vkGetDeviceProcAddr next_device_function;
static VkDevice device_of_calls;

#define NEXT(name) ((PFN_##name)next_device_function(device_of_calls, #name))

static VKAPI_ATTR VkResult VKAPI_CALL
create_module(VkDevice device, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *allocator, VkShaderModule *made)
{
   VkResult result = NEXT(vkCreateShaderModule)(device, info, allocator, made);

   if (result == VK_SUCCESS)
      write_line("module", (uint64_t)*made, hash(START, info->pCode, info->codeSize));
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_set_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info, const VkAllocationCallbacks *allocator,
                  VkDescriptorSetLayout *made)
{
   VkResult result = NEXT(vkCreateDescriptorSetLayout)(device, info, allocator, made);
   uint64_t of = START;

   ADD(of, info->flags);
   for (uint32_t i = 0; i < info->bindingCount; i++) {
      const VkDescriptorSetLayoutBinding *b = &info->pBindings[i];
      const uint32_t fields[] = {b->binding, (uint32_t)b->descriptorType, b->descriptorCount, b->stageFlags};
      ADD(of, fields);
   }
   if (result == VK_SUCCESS)
      write_line("set", (uint64_t)*made, of);
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_layout(VkDevice device, const VkPipelineLayoutCreateInfo *info, const VkAllocationCallbacks *allocator,
              VkPipelineLayout *made)
{
   VkResult result = NEXT(vkCreatePipelineLayout)(device, info, allocator, made);
   uint64_t of = START;

   for (uint32_t i = 0; i < info->setLayoutCount; i++) {
      uint64_t set = hash_of((uint64_t)info->pSetLayouts[i]);
      ADD(of, set);
   }
   of = hash(of, info->pPushConstantRanges, info->pushConstantRangeCount * sizeof(*info->pPushConstantRanges));
   if (result == VK_SUCCESS)
      write_line("layout", (uint64_t)*made, of);
   return result;
}

static void
add_stage(uint64_t *of, const VkPipelineShaderStageCreateInfo *stage)
{
   uint64_t module = hash_of((uint64_t)stage->module);

   ADD(*of, stage->stage);
   ADD(*of, module);
}

static uint64_t
hash_graphics(const VkGraphicsPipelineCreateInfo *info)
{
   uint64_t of = START, layout = hash_of((uint64_t)info->layout);

   ADD(of, info->flags);
   ADD(of, layout);
   for (uint32_t i = 0; i < info->stageCount; i++)
      add_stage(&of, &info->pStages[i]);
   if (info->pVertexInputState) {
      const VkPipelineVertexInputStateCreateInfo *v = info->pVertexInputState;
      of = hash(of, v->pVertexBindingDescriptions, v->vertexBindingDescriptionCount * sizeof(*v->pVertexBindingDescriptions));
      of = hash(of, v->pVertexAttributeDescriptions, v->vertexAttributeDescriptionCount * sizeof(*v->pVertexAttributeDescriptions));
   }
   if (info->pInputAssemblyState)
      ADD(of, info->pInputAssemblyState->topology);
   if (info->pRasterizationState) {
      ADD(of, info->pRasterizationState->polygonMode);
      ADD(of, info->pRasterizationState->cullMode);
      ADD(of, info->pRasterizationState->rasterizerDiscardEnable);
   }
   if (info->pMultisampleState)
      ADD(of, info->pMultisampleState->rasterizationSamples);
   if (info->pColorBlendState) {
      const VkPipelineColorBlendStateCreateInfo *c = info->pColorBlendState;
      of = hash(of, c->pAttachments, c->pAttachments ? c->attachmentCount * sizeof(*c->pAttachments) : 0);
   }
   if (info->pDynamicState)
      of = hash(of, info->pDynamicState->pDynamicStates, info->pDynamicState->dynamicStateCount * sizeof(VkDynamicState));
   return of;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_graphics(VkDevice device, VkPipelineCache cache, uint32_t count, const VkGraphicsPipelineCreateInfo *infos,
                const VkAllocationCallbacks *allocator, VkPipeline *made)
{
   VkResult result = NEXT(vkCreateGraphicsPipelines)(device, cache, count, infos, allocator, made);

   for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
      write_line("graphics", (uint64_t)made[i], hash_graphics(&infos[i]));
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_compute(VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo *infos,
               const VkAllocationCallbacks *allocator, VkPipeline *made)
{
   VkResult result = NEXT(vkCreateComputePipelines)(device, cache, count, infos, allocator, made);

   for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
      uint64_t of = hash_of((uint64_t)infos[i].layout);
      add_stage(&of, &infos[i].stage);
      write_line("compute", (uint64_t)made[i], of);
   }
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_buffer(VkDevice device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *allocator, VkBuffer *made)
{
   VkResult result = NEXT(vkCreateBuffer)(device, info, allocator, made);
   uint64_t of = START;

   ADD(of, info->size);
   ADD(of, info->usage);
   if (result == VK_SUCCESS)
      write_line("buffer", (uint64_t)*made, of);
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_view(VkDevice device, const VkBufferViewCreateInfo *info, const VkAllocationCallbacks *allocator, VkBufferView *made)
{
   VkResult result = NEXT(vkCreateBufferView)(device, info, allocator, made);
   uint64_t of = hash_of((uint64_t)info->buffer);

   ADD(of, info->format);
   ADD(of, info->offset);
   ADD(of, info->range);
   if (result == VK_SUCCESS)
      write_line("view", (uint64_t)*made, of);
   return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *created)
{
   VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;

   while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
      link = (VkLayerInstanceCreateInfo *)link->pNext;
   next_instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
   link->u.pLayerInfo = link->u.pLayerInfo->pNext;
   return ((PFN_vkCreateInstance)next_instance_function(NULL, "vkCreateInstance"))(info, allocator, created);
}

static VkInstance the_instance;

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *created)
{
   VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
   VkResult result;

   while (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO)
      link = (VkLayerDeviceCreateInfo *)link->pNext;
   next_device_function = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
   PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
   link->u.pLayerInfo = link->u.pLayerInfo->pNext;
   result = ((PFN_vkCreateDevice)get(the_instance, "vkCreateDevice"))(physical, info, allocator, created);
   device_of_calls = result == VK_SUCCESS ? *created : VK_NULL_HANDLE;
   return result;
}

static const struct {
   const char *name;
   PFN_vkVoidFunction function;
} own[] = {
   {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
   {"vkCreateDescriptorSetLayout", (PFN_vkVoidFunction)create_set_layout},
   {"vkCreatePipelineLayout", (PFN_vkVoidFunction)create_layout},
   {"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)create_graphics},
   {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_compute},
   {"vkCreateBuffer", (PFN_vkVoidFunction)create_buffer},
   {"vkCreateBufferView", (PFN_vkVoidFunction)create_view},
};

static PFN_vkVoidFunction
find(const char *name)
{
   for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
      if (!strcmp(own[i].name, name))
         return own[i].function;
   }
   return NULL;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetDeviceProcAddr(VkDevice device, const char *name)
{
   PFN_vkVoidFunction function = find(name);

   if (!strcmp(name, "vkGetDeviceProcAddr"))
      return (PFN_vkVoidFunction)vkGetDeviceProcAddr;
   return function ? function : next_device_function(device, name);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance of, const char *name)
{
   PFN_vkVoidFunction function = find(name);

   the_instance = of ? of : the_instance;
   if (!strcmp(name, "vkGetInstanceProcAddr"))
      return (PFN_vkVoidFunction)vkGetInstanceProcAddr;
   if (!strcmp(name, "vkGetDeviceProcAddr"))
      return (PFN_vkVoidFunction)vkGetDeviceProcAddr;
   if (!strcmp(name, "vkCreateInstance"))
      return (PFN_vkVoidFunction)create_instance;
   if (!strcmp(name, "vkCreateDevice"))
      return (PFN_vkVoidFunction)create_device;
   return function ? function : next_instance_function(of, name);
}
