/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A small driver that draws: two stages become modules, a link moves the descriptors of each, and Vulkan draws with the words.
 *
 * usage: draw [DEVICE]    uses the device with this in its name, or the first
 */

#include "build.h"
#include "ntvr_module.h"

#include <vulkan/vulkan.h>

#define SIZE 4
#define FORMAT VK_FORMAT_R32G32B32A32_SFLOAT

/* VERT_ATTRIB, VARYING_SLOT and FRAG_RESULT of NIR. */
enum { SLOT_POS = 0, SLOT_VAR0 = 32, SLOT_DATA0 = 4 };

/* The contents of the uniform blocks of the stages, whose sum is the colour of each pixel. */
static const float blocks[2][4] = {{0.25f, 0.5f, 0.125f, 1.0f}, {0.5f, 0.25f, 0.75f, 2.0f}};

static uint32_t
const_float(struct ntvr_wire *w, float value)
{
   uint32_t bits;

   memcpy(&bits, &value, sizeof(bits));
   return const32(w, bits);
}

static uint32_t
intrinsic0(struct ntvr_wire *w, const char *name, unsigned components, unsigned bits)
{
   uint32_t number = ntvr_wire_number(NTVR_TABLE_INTRINSIC, name), def = ntvr_wire_intrinsic(w, number, components, bits);

   for (unsigned i = 0; i < ntvr_wire_num_indices(number); i++)
      ntvr_wire_operand(w, 0);
   return def;
}

static void
store_output(struct ntvr_wire *w, unsigned slot, uint32_t value, uint32_t zero)
{
   const struct index indices[] = {{"base", slot},
                                   {"range", 1},
                                   {"write_mask", 15},
                                   {"src_type", ntvr_alu_type(NTVR_BASE_FLOAT, 32)},
                                   {"io_semantics", ntvr_io_semantics(slot, 1, 0, 0)}};

   intrinsic2(w, "store_output", 0, 0, value, zero, indices, 5);
}

/* The vec4 that the first block starts with. */
static uint32_t
load_block(struct ntvr_wire *w, uint32_t zero)
{
   const struct index indices[] = {{"align_mul", 16}, {"range", 16}};

   return intrinsic2(w, "load_ubo", 4, 32, zero, zero, indices, 2);
}

/* A triangle over the whole picture from the number of the vertex; the block is written to VAR3, and to VAR0, which is not
 * read. */
static bool
build_vertex(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {
      .stage = NTVR_STAGE_VERTEX, .next_stage = NTVR_STAGE_FRAGMENT, .num_ubos = 1, .entry = "main"};
   const uint8_t x[] = {0};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_block(w);
   uint32_t zero = const32(w, 0), one = const32(w, 1);
   uint32_t id = intrinsic0(w, "load_vertex_id", 1, 32), place[2];
   for (unsigned axis = 0; axis < 2; axis++) {
      /* 0 and 1 become -1 and 3. */
      uint32_t bit = alu2(w, "iand", 1, 32, axis ? alu2(w, "ushr", 1, 32, id, one) : id, one);
      uint32_t number = ntvr_wire_alu(w, ntvr_wire_number(NTVR_TABLE_ALU, "u2f32"), 0, 1, 32);
      ntvr_wire_alu_src(w, 0, bit, x, 1);
      place[axis] = alu2(w, "fmul", 1, 32, number, const_float(w, 4));
      place[axis] = alu2(w, "fadd", 1, 32, place[axis], const_float(w, -1));
   }
   uint32_t half = const_float(w, 0.5f), full = const_float(w, 1);
   uint32_t position = ntvr_wire_alu(w, ntvr_wire_number(NTVR_TABLE_ALU, "vec4"), 0, 4, 32);
   const uint32_t lanes[] = {place[0], place[1], half, full};
   for (unsigned lane = 0; lane < 4; lane++)
      ntvr_wire_alu_src(w, 0, lanes[lane], x, 1);
   uint32_t colour = load_block(w, zero);
   store_output(w, SLOT_POS, position, zero);
   store_output(w, SLOT_VAR0, position, zero);
   store_output(w, SLOT_VAR0 + 3, colour, zero);
   return ntvr_wire_end(w);
}

/* Adds the block to VAR3, and to VAR5, which is not written. */
static bool
build_fragment(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {.stage = NTVR_STAGE_FRAGMENT, .next_stage = NTVR_NONE, .num_ubos = 1, .entry = "main"};
   const unsigned slots[] = {SLOT_VAR0 + 3, SLOT_VAR0 + 5};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_info(w, NTVR_INFO_ORIGIN_UPPER_LEFT, 1);
   ntvr_wire_block(w);
   uint32_t zero = const32(w, 0), pixel = intrinsic0(w, "load_barycentric_pixel", 2, 32);
   uint32_t sum = load_block(w, zero);
   for (unsigned i = 0; i < 2; i++) {
      const struct index indices[] = {{"base", i},
                                      {"dest_type", ntvr_alu_type(NTVR_BASE_FLOAT, 32)},
                                      {"io_semantics", ntvr_io_semantics(slots[i], 1, 0, 0)}};
      uint32_t input = intrinsic2(w, "load_interpolated_input", 4, 32, pixel, zero, indices, 3);
      sum = alu2(w, "fadd", 4, 32, sum, input);
   }
   store_output(w, SLOT_DATA0, sum, zero);
   return ntvr_wire_end(w);
}

/* The words of both stages, linked, in which the block of stage `i` is binding `i` of set 0. Before the link, both have the same
 * binding. */
static void
make_words(struct ntvr_result words[2])
{
   struct ntvr_translator *translator = ntvr_translator_create();
   struct ntvr_module *modules[2] = {0}, *linked[2] = {0};
   const struct ntvr_key key = {.struct_size = sizeof(key), .bits = NTVR_KEY_STRIP | NTVR_KEY_FLIP_Y, .size = {SIZE, SIZE}};
   struct ntvr_link_info infos[2] = {{.struct_size = sizeof(*infos)}, {.struct_size = sizeof(*infos)}};
   struct ntvr_move moves[2];
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_key keys[2];
   struct ntvr_wire w = {0};

   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   for (uint32_t i = 0; i < 2; i++) {
      CHECK(i ? build_fragment(&w) : build_vertex(&w));
      enum ntvr_status status = ntvr_module_create(translator, &target, w.words, w.len, UINT64_MAX, &modules[i], NULL, &result);
      if (status != NTVR_OK)
         fprintf(stderr, "%s\n", result.error);
      CHECK(status == NTVR_OK && result.num_bindings == 1);
      moves[i] = (struct ntvr_move){.set = result.bindings[0].set, .binding = result.bindings[0].binding, .new_binding = i};
      infos[i].moves = &moves[i];
      infos[i].num_moves = 1;
      ntvr_result_free(&result, NULL);
   }
   CHECK(moves[0].set == moves[1].set && moves[0].binding == moves[1].binding);

   /* In the wrong order they do not link. */
   const struct ntvr_module *stages[] = {modules[1], modules[0]};
   CHECK(ntvr_link(stages, 2, infos, linked, NULL, &result) == NTVR_ERROR_ARGUMENT && !linked[0] && !linked[1]);
   CHECK(result.error && strstr(result.error, "no pipeline has a vertex stage right after a fragment stage"));
   ntvr_result_free(&result, NULL);

   stages[0] = modules[0];
   stages[1] = modules[1];
   CHECK(ntvr_link(stages, 2, infos, linked, NULL, NULL) == NTVR_OK);
   stages[0] = linked[0];
   stages[1] = linked[1];
   CHECK(ntvr_program_keys(stages, 2, &key, keys, NULL, NULL) == NTVR_OK);
   CHECK(keys[0].bits == (NTVR_KEY_STRIP | NTVR_KEY_FLIP_Y) || keys[0].bits == NTVR_KEY_FLIP_Y);
   for (uint32_t i = 0; i < 2; i++) {
      CHECK(ntvr_module_instantiate(linked[i], &keys[i], NULL, &words[i]) == NTVR_OK);
      CHECK(words[i].num_bindings == 1 && words[i].bindings[0].set == 0 && words[i].bindings[0].binding == i);
      ntvr_module_destroy(linked[i]);
      ntvr_module_destroy(modules[i]);
   }
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Vulkan
 * ------------------------------------------------------------------------------------------------------------------ */

/* Ends the program if a call fails, because the following calls would fail, too. */
#define VK(call)                                                              \
   do {                                                                       \
      VkResult vk_result = (call);                                            \
      if (vk_result != VK_SUCCESS) {                                          \
         fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, (int)vk_result); \
         exit(1);                                                             \
      }                                                                       \
   } while (0)

struct gpu {
   VkInstance instance;
   VkPhysicalDevice physical;
   VkDevice device;
   VkQueue queue;
};

struct buffer {
   VkBuffer buffer;
   VkDeviceMemory memory;
   void *mapped;
};

static struct gpu
open_gpu(const char *name)
{
   const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
   const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                               .pApplicationInfo = &application};
   VkPhysicalDevice devices[16];
   uint32_t count = 16;
   struct gpu gpu = {0};

   VK(vkCreateInstance(&instance_info, NULL, &gpu.instance));
   VkResult listed = vkEnumeratePhysicalDevices(gpu.instance, &count, devices);
   for (uint32_t i = 0; listed >= 0 && i < count && !gpu.physical; i++) {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(devices[i], &properties);
      if ((!name || strstr(properties.deviceName, name)) && properties.apiVersion >= VK_API_VERSION_1_3)
         gpu.physical = devices[i];
   }
   if (!gpu.physical) {
      fprintf(stderr, "there is no Vulkan 1.3 device called %s\n", name ? name : "anything");
      exit(1);
   }
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
   VK(vkCreateDevice(gpu.physical, &device_info, NULL, &gpu.device));
   vkGetDeviceQueue(gpu.device, 0, 0, &gpu.queue);
   return gpu;
}

static VkDeviceMemory
allocate(const struct gpu *gpu, VkMemoryRequirements wanted, VkMemoryPropertyFlags flags)
{
   VkPhysicalDeviceMemoryProperties memories;
   VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = wanted.size};
   VkDeviceMemory memory;

   vkGetPhysicalDeviceMemoryProperties(gpu->physical, &memories);
   while (info.memoryTypeIndex < memories.memoryTypeCount &&
          (!(wanted.memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (memories.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags))
      info.memoryTypeIndex++;
   VK(vkAllocateMemory(gpu->device, &info, NULL, &memory));
   return memory;
}

static struct buffer
make_buffer(const struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage)
{
   const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
   VkMemoryRequirements wanted;
   struct buffer made;

   VK(vkCreateBuffer(gpu->device, &info, NULL, &made.buffer));
   vkGetBufferMemoryRequirements(gpu->device, made.buffer, &wanted);
   made.memory =
      allocate(gpu, wanted, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
   VK(vkBindBufferMemory(gpu->device, made.buffer, made.memory, 0));
   VK(vkMapMemory(gpu->device, made.memory, 0, size, 0, &made.mapped));
   return made;
}

static void
destroy_buffer(const struct gpu *gpu, struct buffer buffer)
{
   vkDestroyBuffer(gpu->device, buffer.buffer, NULL);
   vkFreeMemory(gpu->device, buffer.memory, NULL);
}

struct target {
   VkImage image;
   VkDeviceMemory memory;
   VkImageView view;
};

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

static struct target
make_target(const struct gpu *gpu)
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
   struct target made;

   VK(vkCreateImage(gpu->device, &info, NULL, &made.image));
   vkGetImageMemoryRequirements(gpu->device, made.image, &wanted);
   made.memory = allocate(gpu, wanted, 0);
   VK(vkBindImageMemory(gpu->device, made.image, made.memory, 0));
   const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = made.image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = FORMAT,
                                       .subresourceRange = whole};
   VK(vkCreateImageView(gpu->device, &view, NULL, &made.view));
   return made;
}

static void
destroy_target(const struct gpu *gpu, struct target target)
{
   vkDestroyImageView(gpu->device, target.view, NULL);
   vkDestroyImage(gpu->device, target.image, NULL);
   vkFreeMemory(gpu->device, target.memory, NULL);
}

/* A set of two uniform buffers, one for each stage. */
struct bindings {
   VkDescriptorSetLayout set_layout;
   VkPipelineLayout layout;
   VkDescriptorPool pool;
   VkDescriptorSet set;
   struct buffer buffers[2];
};

static struct bindings
make_bindings(const struct gpu *gpu)
{
   VkDescriptorSetLayoutBinding rows[2];
   struct bindings made;

   for (uint32_t i = 0; i < 2; i++)
      rows[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                               .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                               .descriptorCount = 1,
                                               .stageFlags = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT};
   const VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                     .bindingCount = 2,
                                                     .pBindings = rows};
   VK(vkCreateDescriptorSetLayout(gpu->device, &set_info, NULL, &made.set_layout));
   const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                   .setLayoutCount = 1,
                                                   .pSetLayouts = &made.set_layout};
   VK(vkCreatePipelineLayout(gpu->device, &layout_info, NULL, &made.layout));
   const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2};
   const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                 .maxSets = 1,
                                                 .poolSizeCount = 1,
                                                 .pPoolSizes = &size};
   VK(vkCreateDescriptorPool(gpu->device, &pool_info, NULL, &made.pool));
   const VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = made.pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &made.set_layout};
   VK(vkAllocateDescriptorSets(gpu->device, &set, &made.set));
   for (uint32_t i = 0; i < 2; i++) {
      made.buffers[i] = make_buffer(gpu, sizeof(blocks[i]), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
      memcpy(made.buffers[i].mapped, blocks[i], sizeof(blocks[i]));
      const VkDescriptorBufferInfo range = {made.buffers[i].buffer, 0, VK_WHOLE_SIZE};
      const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                          .dstSet = made.set,
                                          .dstBinding = i,
                                          .descriptorCount = 1,
                                          .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                          .pBufferInfo = &range};
      vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
   }
   return made;
}

static void
destroy_bindings(const struct gpu *gpu, struct bindings bindings)
{
   for (int i = 0; i < 2; i++)
      destroy_buffer(gpu, bindings.buffers[i]);
   vkDestroyDescriptorPool(gpu->device, bindings.pool, NULL);
   vkDestroyPipelineLayout(gpu->device, bindings.layout, NULL);
   vkDestroyDescriptorSetLayout(gpu->device, bindings.set_layout, NULL);
}

static VkPipeline
make_pipeline(const struct gpu *gpu, VkPipelineLayout layout, const struct ntvr_result words[2])
{
   VkPipelineShaderStageCreateInfo stages[2];
   VkPipeline pipeline;

   for (int i = 0; i < 2; i++) {
      const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = words[i].num_words * sizeof(uint32_t),
                                             .pCode = words[i].words};
      stages[i] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                    .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
                                                    .pName = "main"};
      VK(vkCreateShaderModule(gpu->device, &info, NULL, &stages[i].module));
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
   VK(vkCreateGraphicsPipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   for (int i = 0; i < 2; i++)
      vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
   return pipeline;
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

static void
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

   VK(vkBeginCommandBuffer(commands, &begin));
   change_layout(commands, target->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
   vkCmdBeginRendering(commands, &rendering);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
   vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bindings->layout, 0, 1, &bindings->set, 0, NULL);
   vkCmdDraw(commands, 3, 1, 0, 0);
   vkCmdEndRendering(commands);
   change_layout(commands, target->image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
   vkCmdCopyImageToBuffer(commands, target->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture, 1, &copy);
   VK(vkEndCommandBuffer(commands));
}

/* Draws with the words, and writes the pixels to `pixels`. */
static void
draw(const struct gpu *gpu, const struct ntvr_result words[2], float pixels[SIZE * SIZE][4])
{
   const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
   struct bindings bindings = make_bindings(gpu);
   struct target target = make_target(gpu);
   struct buffer picture = make_buffer(gpu, sizeof(float[SIZE * SIZE][4]), VK_BUFFER_USAGE_TRANSFER_DST_BIT);
   VkPipeline pipeline = make_pipeline(gpu, bindings.layout, words);
   VkCommandBuffer commands;
   VkCommandPool pool;

   VK(vkCreateCommandPool(gpu->device, &pool_info, NULL, &pool));
   const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool,
                                             .commandBufferCount = 1};
   VK(vkAllocateCommandBuffers(gpu->device, &info, &commands));
   record(commands, pipeline, &bindings, &target, picture.buffer);
   const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
   VK(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE));
   VK(vkQueueWaitIdle(gpu->queue));
   memcpy(pixels, picture.mapped, sizeof(float[SIZE * SIZE][4]));
   vkDestroyCommandPool(gpu->device, pool, NULL);
   vkDestroyPipeline(gpu->device, pipeline, NULL);
   destroy_buffer(gpu, picture);
   destroy_target(gpu, target);
   destroy_bindings(gpu, bindings);
}

int
main(int argc, char **argv)
{
   struct gpu gpu = open_gpu(argc > 1 ? argv[1] : NULL);
   float pixels[SIZE * SIZE][4] = {{0}};
   struct ntvr_result words[2] = {{.struct_size = sizeof(*words)}, {.struct_size = sizeof(*words)}};

   make_words(words);
   if (!failures) {
      draw(&gpu, words, pixels);
      for (int pixel = 0; pixel < SIZE * SIZE; pixel++)
         for (int lane = 0; lane < 4; lane++)
            CHECK(pixels[pixel][lane] == blocks[0][lane] + blocks[1][lane]);
   }
   for (int i = 0; i < 2; i++)
      ntvr_result_free(&words[i], NULL);
   vkDestroyDevice(gpu.device, NULL);
   vkDestroyInstance(gpu.instance, NULL);
   if (!failures)
      printf("ntv %s: two stages link and draw\n", ntvr_version());
   return failures ? 1 : 0;
}
