/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A driver on Vulkan in miniature, for docs/driver-guide.md: a screen describes the device, shaders become modules when they are
 * made, a program links them, and a draw takes the words for its state. It draws a triangle over a small picture, and compares the
 * pixels. Every function that can fail prints the reason and returns false; what it made until then is destroyed at the end.
 *
 * usage: driver [DEVICE]    uses the device with this in its name, or the first
 */

#include "ntvr_module.h"
#include "ntvr_wire.h"

#include <vulkan/vulkan.h>

#include <stdio.h>

#define SIZE 4
#define FORMAT VK_FORMAT_R32G32B32A32_SFLOAT

/* The state of draws that this driver has keys for: Vulkan's y axis points down, and names are not needed. */
#define KEYS (NTVR_KEY_STRIP | NTVR_KEY_FLIP_Y)

/* VERT_ATTRIB, VARYING_SLOT and FRAG_RESULT of NIR. */
enum { SLOT_POS = 0, SLOT_VAR0 = 32, SLOT_DATA0 = 4 };

/* The contents of the uniform blocks of the stages, whose sum is the colour of each pixel. */
static const float blocks[2][4] = {{0.25f, 0.5f, 0.125f, 1.0f}, {0.5f, 0.25f, 0.75f, 2.0f}};

static bool
fail(const char *what, const char *why)
{
   fprintf(stderr, "%s: %s\n", what, why ? why : "memory is short");
   return false;
}

/* Ends the function if a call of Vulkan fails. */
#define TRY(call)                                                            \
   do {                                                                      \
      VkResult vk_result = (call);                                           \
      if (vk_result != VK_SUCCESS) {                                         \
         fprintf(stderr, "%s returned %d\n", #call, (int)vk_result);         \
         return false;                                                       \
      }                                                                      \
   } while (0)

/* ------------------------------------------------------------------------------------------------------------------
 * The shaders: a driver in Mesa writes its nir_shader instead, with ntvr_wire_nir() of ffi/mesa/ntvr_nir.c
 * ------------------------------------------------------------------------------------------------------------------ */

struct index {
   const char *name;
   uint32_t value;
};

static const uint8_t xyzw[] = {0, 1, 2, 3};

/* The number of a name. A name that ntv does not have fails the wire. */
static uint32_t
number_of(struct ntvr_wire *w, enum ntvr_table table, const char *name)
{
   uint32_t number = ntvr_wire_number(table, name);

   if (number != NTVR_NONE)
      return number;
   fail(name, "ntv has no such opcode or intrinsic");
   w->failed = true;
   return 0;
}

/* An ALU instruction with one or two sources of the same shape as its result. */
static uint32_t
alu(struct ntvr_wire *w, const char *name, unsigned components, const uint32_t *sources, unsigned num_sources)
{
   uint32_t def = ntvr_wire_alu(w, number_of(w, NTVR_TABLE_ALU, name), 0, components, 32);

   for (unsigned i = 0; i < num_sources; i++)
      ntvr_wire_alu_src(w, 0, sources[i], xyzw, num_sources == 4 ? 1 : components);
   return def;
}

static uint32_t
alu2(struct ntvr_wire *w, const char *name, unsigned components, uint32_t a, uint32_t b)
{
   const uint32_t sources[] = {a, b};

   return alu(w, name, components, sources, 2);
}

/* An intrinsic, with the values of its indices by name; the others are 0. */
static uint32_t
intrinsic(struct ntvr_wire *w, const char *name, unsigned components, const uint32_t *sources, unsigned num_sources,
          const struct index *indices, unsigned num_indices)
{
   uint32_t values[16] = {0}, number = number_of(w, NTVR_TABLE_INTRINSIC, name);
   uint32_t def = ntvr_wire_intrinsic(w, number, components, components ? 32 : 0);

   for (unsigned i = 0; i < num_sources; i++)
      ntvr_wire_operand(w, sources[i]);
   for (unsigned i = 0; i < num_indices; i++) {
      uint32_t slot = ntvr_wire_index(number, indices[i].name);

      if (slot >= sizeof(values) / sizeof(*values)) {
         fail(indices[i].name, "the intrinsic has no such index");
         w->failed = true;
         slot = 0;
      }
      values[slot] = indices[i].value;
   }
   for (unsigned i = 0; i < ntvr_wire_num_indices(number); i++)
      ntvr_wire_operand(w, values[i & 15]);
   return def;
}

static uint32_t
constant(struct ntvr_wire *w, uint32_t value)
{
   uint32_t def = ntvr_wire_const(w, 1, 32);

   ntvr_wire_operand(w, value);
   return def;
}

static uint32_t
constant_float(struct ntvr_wire *w, float value)
{
   uint32_t bits;

   memcpy(&bits, &value, sizeof(bits));
   return constant(w, bits);
}

static void
store_output(struct ntvr_wire *w, unsigned slot, uint32_t value, uint32_t zero)
{
   const uint32_t sources[] = {value, zero};
   const struct index indices[] = {{"base", slot},
                                   {"range", 1},
                                   {"write_mask", 15},
                                   {"src_type", ntvr_alu_type(NTVR_BASE_FLOAT, 32)},
                                   {"io_semantics", ntvr_io_semantics(slot, 1, 0, 0)}};

   intrinsic(w, "store_output", 0, sources, 2, indices, 5);
}

/* The vec4 that the first block starts with. */
static uint32_t
load_block(struct ntvr_wire *w, uint32_t zero)
{
   const uint32_t sources[] = {zero, zero};
   const struct index indices[] = {{"align_mul", 16}, {"range", 16}};

   return intrinsic(w, "load_ubo", 4, sources, 2, indices, 2);
}

/* A triangle over the whole picture from the number of the vertex; the block is written to VAR3, and the position to VAR0, which
 * is not read. */
static bool
write_vertex(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {
      .stage = NTVR_STAGE_VERTEX, .next_stage = NTVR_STAGE_FRAGMENT, .num_ubos = 1, .entry = "main"};
   uint32_t place[4];

   ntvr_wire_begin(w, &shader);
   ntvr_wire_block(w);
   uint32_t zero = constant(w, 0), one = constant(w, 1);
   uint32_t id = intrinsic(w, "load_vertex_id", 1, NULL, 0, NULL, 0);
   for (unsigned axis = 0; axis < 2; axis++) {
      /* 0 and 1 become -1 and 3. */
      uint32_t bit = alu2(w, "iand", 1, axis ? alu2(w, "ushr", 1, id, one) : id, one);
      uint32_t number = alu(w, "u2f32", 1, &bit, 1);
      place[axis] = alu2(w, "fmul", 1, number, constant_float(w, 4));
      place[axis] = alu2(w, "fadd", 1, place[axis], constant_float(w, -1));
   }
   place[2] = constant_float(w, 0.5f);
   place[3] = constant_float(w, 1);
   uint32_t position = alu(w, "vec4", 4, place, 4), colour = load_block(w, zero);
   store_output(w, SLOT_POS, position, zero);
   store_output(w, SLOT_VAR0, position, zero);
   store_output(w, SLOT_VAR0 + 3, colour, zero);
   return ntvr_wire_end(w);
}

/* Adds the block to VAR3, and to VAR5, which is not written. */
static bool
write_fragment(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {.stage = NTVR_STAGE_FRAGMENT, .next_stage = NTVR_NONE, .num_ubos = 1, .entry = "main"};
   const unsigned slots[] = {SLOT_VAR0 + 3, SLOT_VAR0 + 5};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_info(w, NTVR_INFO_ORIGIN_UPPER_LEFT, 1);
   ntvr_wire_block(w);
   uint32_t zero = constant(w, 0);
   const uint32_t sources[] = {intrinsic(w, "load_barycentric_pixel", 2, NULL, 0, NULL, 0), zero};
   uint32_t sum = load_block(w, zero);
   for (unsigned i = 0; i < 2; i++) {
      const struct index indices[] = {{"base", i},
                                      {"dest_type", ntvr_alu_type(NTVR_BASE_FLOAT, 32)},
                                      {"io_semantics", ntvr_io_semantics(slots[i], 1, 0, 0)}};
      sum = alu2(w, "fadd", 4, sum, intrinsic(w, "load_interpolated_input", 4, sources, 2, indices, 3));
   }
   store_output(w, SLOT_DATA0, sum, zero);
   return ntvr_wire_end(w);
}

/* ------------------------------------------------------------------------------------------------------------------
 * The screen: the device, and its description for ntv
 * ------------------------------------------------------------------------------------------------------------------ */

struct screen {
   VkInstance instance;
   VkPhysicalDevice physical;
   VkDevice device;
   VkQueue queue;
   struct ntvr_target target;
   struct ntvr_translator *translator; /* a driver with threads has one for each */
};

static bool
find_device(struct screen *screen, const char *name)
{
   VkPhysicalDevice devices[16];
   uint32_t count = 16;
   VkResult listed = vkEnumeratePhysicalDevices(screen->instance, &count, devices);

   for (uint32_t i = 0; listed >= 0 && i < count; i++) {
      VkPhysicalDeviceProperties properties;

      vkGetPhysicalDeviceProperties(devices[i], &properties);
      if ((!name || strstr(properties.deviceName, name)) && properties.apiVersion >= VK_API_VERSION_1_3) {
         screen->physical = devices[i];
         return true;
      }
   }
   return fail(name ? name : "any device", "there is no device of this name with Vulkan 1.3");
}

/* Describes the device: its limits, and each feature that the driver enabled. */
static bool
describe_device(struct screen *screen)
{
   /* The names of Vulkan. A driver has a row for each feature of `ntv features`; this one enables none of these. */
   static const char *const disabled[] = {"shaderFloat64", "shaderInt64", "shaderInt16", "shaderFloat16", "shaderInt8",
                                          "shaderClipDistance", "shaderCullDistance", "geometryShader", "tessellationShader"};
   VkPhysicalDeviceProperties properties;

   vkGetPhysicalDeviceProperties(screen->physical, &properties);
   screen->target.struct_size = sizeof(screen->target);
   if (!ntvr_target_init(&screen->target, VK_API_VERSION_1_3))
      return fail("ntvr_target_init", "no such version of Vulkan");
   screen->target.max_uniform_buffer_range = properties.limits.maxUniformBufferRange;
   screen->target.max_push_constants_size = properties.limits.maxPushConstantsSize;
   screen->target.max_draw_buffers = properties.limits.maxColorAttachments;
   screen->target.max_clip_and_cull_distances = properties.limits.maxCombinedClipAndCullDistances;
   for (size_t i = 0; i < sizeof(disabled) / sizeof(*disabled); i++) {
      if (!ntvr_target_enable(&screen->target, disabled[i], false))
         return fail(disabled[i], "ntv knows no such feature");
   }
   return true;
}

static bool
screen_create(struct screen *screen, const char *name)
{
   const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
   const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                               .pApplicationInfo = &application};
   const float priority = 1;
   const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .queueCount = 1,
                                               .pQueuePriorities = &priority};
   VkPhysicalDeviceVulkan13Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                .dynamicRendering = VK_TRUE};
   const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                           .pNext = &features,
                                           .queueCreateInfoCount = 1,
                                           .pQueueCreateInfos = &queue_info};
   const char *mismatch = ntvr_check_version();

   if (mismatch)
      return fail("libntvr", mismatch);
   TRY(vkCreateInstance(&instance_info, NULL, &screen->instance));
   if (!find_device(screen, name))
      return false;
   TRY(vkCreateDevice(screen->physical, &device_info, NULL, &screen->device));
   vkGetDeviceQueue(screen->device, 0, 0, &screen->queue);
   screen->translator = ntvr_translator_create();
   if (!screen->translator)
      return fail("ntvr_translator_create", NULL);
   return describe_device(screen);
}

static void
screen_destroy(struct screen *screen)
{
   ntvr_translator_destroy(screen->translator);
   if (screen->device)
      vkDestroyDevice(screen->device, NULL);
   if (screen->instance)
      vkDestroyInstance(screen->instance, NULL);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Shaders and programs
 * ------------------------------------------------------------------------------------------------------------------ */

struct shader {
   struct ntvr_module *module;
   struct ntvr_move move; /* the place of its block in the descriptors of a program */
};

/* Prints the error of a call, frees its result, and returns whether there was none. */
static bool
succeeded(const char *what, enum ntvr_status status, struct ntvr_result *result)
{
   if (status != NTVR_OK)
      fail(what, result->error);
   ntvr_result_free(result, NULL);
   return status == NTVR_OK;
}

/* pipe_context::create_vs_state and its like. A shader that ntv refuses is refused here, before any draw. */
static bool
shader_create(const struct screen *screen, struct shader *shader, bool (*write)(struct ntvr_wire *w), uint32_t binding)
{
   const struct ntvr_key all = {.struct_size = sizeof(all), .bits = KEYS, .size = {SIZE, SIZE}};
   const struct ntvr_module *const *stages = (const struct ntvr_module *const *)&shader->module;
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_key taken;
   struct ntvr_wire w = {0};
   enum ntvr_status status;

   if (!write(&w)) {
      ntvr_wire_fini(&w);
      return fail("the wire of a shader", NULL);
   }
   status = ntvr_module_create(screen->translator, &screen->target, w.words, w.len, KEYS, &shader->module, NULL, &result);
   ntvr_wire_fini(&w);
   /* Each of the shaders has one block. Both get the same binding from ntv: a link moves them. */
   if (status == NTVR_OK && result.num_bindings == 1)
      shader->move = (struct ntvr_move){
         .set = result.bindings[0].set, .binding = result.bindings[0].binding, .new_binding = binding};
   if (!succeeded("ntv refuses a shader", status, &result))
      return false;
   /* Whether it takes the keys of all draws. */
   status = ntvr_program_keys(stages, 1, &all, &taken, NULL, &result);
   return succeeded("a shader does not take a state of draws", status, &result);
}

/* The modules of both stages with each other's locations, and with their blocks at bindings of their own. */
static bool
program_link(const struct shader shaders[2], struct ntvr_module *linked[2])
{
   const struct ntvr_module *stages[] = {shaders[0].module, shaders[1].module};
   const struct ntvr_link_info infos[] = {
      {.struct_size = sizeof(*infos), .moves = &shaders[0].move, .num_moves = 1},
      {.struct_size = sizeof(*infos), .moves = &shaders[1].move, .num_moves = 1},
   };
   struct ntvr_result result = {.struct_size = sizeof(result)};
   enum ntvr_status status = ntvr_link(stages, 2, infos, linked, NULL, &result);

   return succeeded("the shaders do not link", status, &result);
}

/* The words of both stages for the state of a draw. A driver keeps the words, and finds them by the keys of the stages. */
static bool
program_words(struct ntvr_module *linked[2], const struct ntvr_key *key, struct ntvr_result words[2])
{
   const struct ntvr_options options = {.struct_size = sizeof(options), .flags = NTVR_OPTION_WORDS_ONLY};
   const struct ntvr_module *stages[] = {linked[0], linked[1]};
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_key keys[2];

   if (!succeeded("the key of a draw", ntvr_program_keys(stages, 2, key, keys, NULL, &result), &result))
      return false;
   for (int i = 0; i < 2; i++) {
      if (ntvr_module_instantiate(linked[i], &keys[i], &options, &words[i]) != NTVR_OK)
         return fail("the words of a draw", words[i].error);
   }
   return true;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Vulkan: nothing of ntv
 * ------------------------------------------------------------------------------------------------------------------ */

struct buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   void *mapped;
};

static bool
allocate(const struct screen *screen, VkMemoryRequirements wanted, VkMemoryPropertyFlags flags, VkDeviceMemory *memory)
{
   VkPhysicalDeviceMemoryProperties memories;
   VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = wanted.size};

   vkGetPhysicalDeviceMemoryProperties(screen->physical, &memories);
   while (info.memoryTypeIndex < memories.memoryTypeCount &&
          (!(wanted.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (memories.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags))
      info.memoryTypeIndex++;
   if (info.memoryTypeIndex == memories.memoryTypeCount)
      return fail("a resource", "the device has no memory for it");
   TRY(vkAllocateMemory(screen->device, &info, NULL, memory));
   return true;
}

static bool
make_buffer(const struct screen *screen, VkDeviceSize size, VkBufferUsageFlags usage, struct buffer *made)
{
   const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
   const VkMemoryPropertyFlags flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
   VkMemoryRequirements wanted;

   TRY(vkCreateBuffer(screen->device, &info, NULL, &made->buffer));
   vkGetBufferMemoryRequirements(screen->device, made->buffer, &wanted);
   if (!allocate(screen, wanted, flags, &made->memory))
      return false;
   TRY(vkBindBufferMemory(screen->device, made->buffer, made->memory, 0));
   TRY(vkMapMemory(screen->device, made->memory, 0, size, 0, &made->mapped));
   return true;
}

static void
destroy_buffer(const struct screen *screen, struct buffer buffer)
{
   vkDestroyBuffer(screen->device, buffer.buffer, NULL);
   vkFreeMemory(screen->device, buffer.memory, NULL);
}

struct target {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
};

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

static bool
make_target(const struct screen *screen, struct target *made)
{
   const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .imageType = VK_IMAGE_TYPE_2D,
                                   .format = FORMAT,
                                   .extent = {SIZE, SIZE, 1},
                                   .mipLevels = 1,
                                   .arrayLayers = 1,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
   VkMemoryRequirements wanted;

   TRY(vkCreateImage(screen->device, &info, NULL, &made->image));
   vkGetImageMemoryRequirements(screen->device, made->image, &wanted);
   if (!allocate(screen, wanted, 0, &made->memory))
      return false;
   TRY(vkBindImageMemory(screen->device, made->image, made->memory, 0));
   const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = made->image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = FORMAT,
                                       .subresourceRange = whole};
   TRY(vkCreateImageView(screen->device, &view, NULL, &made->view));
   return true;
}

static void
destroy_target(const struct screen *screen, struct target target)
{
   vkDestroyImageView(screen->device, target.view, NULL);
   vkDestroyImage(screen->device, target.image, NULL);
   vkFreeMemory(screen->device, target.memory, NULL);
}

/* A set of two uniform buffers, one for each stage. */
struct bindings {
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkDescriptorPool pool;
   VkDescriptorSet set;
   struct buffer buffers[2];
};

static bool
make_bindings(const struct screen *screen, struct bindings *made)
{
   VkDescriptorSetLayoutBinding rows[2];

   for (uint32_t i = 0; i < 2; i++)
      rows[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                               .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                               .descriptorCount = 1,
                                               .stageFlags = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT};
   const VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                     .bindingCount = 2,
                                                     .pBindings = rows};
   TRY(vkCreateDescriptorSetLayout(screen->device, &set_info, NULL, &made->set_layout));
   const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                   .setLayoutCount = 1,
                                                   .pSetLayouts = &made->set_layout};
   TRY(vkCreatePipelineLayout(screen->device, &layout_info, NULL, &made->layout));
   const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2};
   const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                 .maxSets = 1,
                                                 .poolSizeCount = 1,
                                                 .pPoolSizes = &size};
   TRY(vkCreateDescriptorPool(screen->device, &pool_info, NULL, &made->pool));
   const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = made->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &made->set_layout};
   TRY(vkAllocateDescriptorSets(screen->device, &set, &made->set));
   for (uint32_t i = 0; i < 2; i++) {
      if (!make_buffer(screen, sizeof(blocks[i]), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &made->buffers[i]))
         return false;
      memcpy(made->buffers[i].mapped, blocks[i], sizeof(blocks[i]));
      const VkDescriptorBufferInfo range = {made->buffers[i].buffer, 0, VK_WHOLE_SIZE};
      const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = made->set,
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                          .pBufferInfo = &range};
      vkUpdateDescriptorSets(screen->device, 1, &write, 0, NULL);
   }
   return true;
}

static void
destroy_bindings(const struct screen *screen, struct bindings bindings)
{
   for (int i = 0; i < 2; i++)
      destroy_buffer(screen, bindings.buffers[i]);
   vkDestroyDescriptorPool(screen->device, bindings.pool, NULL);
   vkDestroyPipelineLayout(screen->device, bindings.layout, NULL);
   vkDestroyDescriptorSetLayout(screen->device, bindings.set_layout, NULL);
}

static bool
make_pipeline(const struct screen *screen, VkPipelineLayout layout, const struct ntvr_result words[2], VkShaderModule modules[2],
              VkPipeline *pipeline)
{
   VkPipelineShaderStageCreateInfo stages[2];

   for (int i = 0; i < 2; i++) {
      const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = words[i].num_words * sizeof(uint32_t),
                                             .pCode = words[i].words};
      stages[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                    .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
                                                    .pName = "main"};
      TRY(vkCreateShaderModule(screen->device, &info, NULL, &modules[i]));
      stages[i].module = modules[i];
   }
   const VkFormat format = FORMAT;
   const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                    .colorAttachmentCount = 1,
                                                    .pColorAttachmentFormats = &format};
   const VkPipelineVertexInputStateCreateInfo inputs = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
   const VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
   const VkViewport area = {0, 0, SIZE, SIZE, 0, 1};
   const VkRect2D scissor = {{0, 0}, {SIZE, SIZE}};
   const VkPipelineViewportStateCreateInfo viewport = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                       .viewportCount = 1,
                                                       .pViewports = &area,
                                                       .scissorCount = 1,
                                                       .pScissors = &scissor};
   const VkPipelineRasterizationStateCreateInfo rasterization = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
   const VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                         .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
   const VkPipelineColorBlendAttachmentState plain = {.colorWriteMask = 15};
   const VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                      .attachmentCount = 1,
                                                      .pAttachments = &plain};
   const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                              .pNext = &rendering,
                                              .stageCount = 2,
                                              .pStages = stages,
                                              .pVertexInputState = &inputs,
                                              .pInputAssemblyState = &assembly,
                                              .pViewportState = &viewport,
                                              .pRasterizationState = &rasterization,
                                              .pMultisampleState = &samples,
                                              .pColorBlendState = &blend,
                                              .layout = layout};
   TRY(vkCreateGraphicsPipelines(screen->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline));
   return true;
}

static void
change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
   const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                         .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                         .oldLayout = from,
                                         .newLayout = to,
                                         .image = image,
                                         .subresourceRange = whole};

   vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                        NULL, 1, &barrier);
}

static bool
record(VkCommandBuffer commands, VkPipeline pipeline, const struct bindings *bindings, const struct target *target,
       VkBuffer picture)
{
   const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   const VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                 .imageView = target->view,
                                                 .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                                 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
   const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                      .renderArea = {{0, 0}, {SIZE, SIZE}},
                                      .layerCount = 1,
                                      .colorAttachmentCount = 1,
                                      .pColorAttachments = &attachment};
   const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}};

   TRY(vkBeginCommandBuffer(commands, &begin));
   change_layout(commands, target->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
   vkCmdBeginRendering(commands, &rendering);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bindings->layout, 0, 1, &bindings->set, 0, NULL);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRendering(commands);
   change_layout(commands, target->image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
   vkCmdCopyImageToBuffer(commands, target->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture, 1, &copy);
   TRY(vkEndCommandBuffer(commands));
   return true;
}

/* All that a draw needs of Vulkan. */
struct scene {
   struct bindings bindings;
   struct target target;
   struct buffer picture;
   VkShaderModule modules[2];
   VkPipeline pipeline;
   VkCommandPool pool;
};

static bool
make_scene(const struct screen *screen, const struct ntvr_result words[2], struct scene *scene)
{
   const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   const size_t size = sizeof(float[SIZE * SIZE][4]);

   if (!make_bindings(screen, &scene->bindings) || !make_target(screen, &scene->target) ||
       !make_buffer(screen, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &scene->picture) ||
       !make_pipeline(screen, scene->bindings.layout, words, scene->modules, &scene->pipeline))
      return false;
   TRY(vkCreateCommandPool(screen->device, &pool_info, NULL, &scene->pool));
   return true;
}

static void
destroy_scene(const struct screen *screen, struct scene *scene)
{
   vkDestroyCommandPool(screen->device, scene->pool, NULL);
   vkDestroyPipeline(screen->device, scene->pipeline, NULL);
   for (int i = 0; i < 2; i++)
      vkDestroyShaderModule(screen->device, scene->modules[i], NULL);
   destroy_buffer(screen, scene->picture);
   destroy_target(screen, scene->target);
   destroy_bindings(screen, scene->bindings);
}

static bool
draw(const struct screen *screen, const struct scene *scene)
{
   const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = scene->pool,
                                             .commandBufferCount = 1};
   VkCommandBuffer commands;

   TRY(vkAllocateCommandBuffers(screen->device, &info, &commands));
   if (!record(commands, scene->pipeline, &scene->bindings, &scene->target, scene->picture.buffer))
      return false;
   const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
   TRY(vkQueueSubmit(screen->queue, 1, &submit, VK_NULL_HANDLE));
   TRY(vkQueueWaitIdle(screen->queue));
   return true;
}

/* Whether each pixel is the sum of the blocks. */
static bool
check(const struct scene *scene)
{
   const float(*pixels)[4] = scene->picture.mapped;

   for (int pixel = 0; pixel < SIZE * SIZE; pixel++) {
      for (int lane = 0; lane < 4; lane++) {
         if (pixels[pixel][lane] != blocks[0][lane] + blocks[1][lane])
            return fail("the picture", "a pixel has another colour");
      }
   }
   return true;
}

static bool
run(const char *name, struct screen *screen, struct shader shaders[2], struct ntvr_module *linked[2], struct ntvr_result words[2],
    struct scene *scene)
{
   const struct ntvr_key key = {.struct_size = sizeof(key), .bits = KEYS, .size = {SIZE, SIZE}};

   return screen_create(screen, name) && shader_create(screen, &shaders[0], write_vertex, 0) &&
          shader_create(screen, &shaders[1], write_fragment, 1) && program_link(shaders, linked) &&
          program_words(linked, &key, words) && make_scene(screen, words, scene) && draw(screen, scene) && check(scene);
}

int
main(int argc, char **argv)
{
   struct ntvr_result words[2] = {{.struct_size = sizeof(*words)}, {.struct_size = sizeof(*words)}};
   struct ntvr_module *linked[2] = {0};
   struct shader shaders[2] = {0};
   struct screen screen = {0};
   struct scene scene = {0};
   bool right = run(argc > 1 ? argv[1] : NULL, &screen, shaders, linked, words, &scene);

   if (screen.device)
      destroy_scene(&screen, &scene);
   for (int i = 0; i < 2; i++) {
      ntvr_result_free(&words[i], NULL);
      ntvr_module_destroy(linked[i]);
      ntvr_module_destroy(shaders[i].module);
   }
   screen_destroy(&screen);
   if (right)
      printf("ntv %s: two stages link and draw\n", ntvr_version());
   return right ? 0 : 1;
}
