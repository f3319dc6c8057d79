/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_storage.h"

#include "util/log.h"
#include "util/u_call_once.h"
#include "util/u_debug.h"
#include "ntvr_nir.h"
#include "zink_ntvr.h"
#include "zink_ntvr_private.h"
#include "zink_types.h"

DEBUG_GET_ONCE_OPTION(ntvr_storage, "ZINK_NTVR_STORAGE", "")

static_assert((int)MESA_SHADER_VERTEX == NTVR_STAGE_VERTEX && (int)MESA_SHADER_COMPUTE == NTVR_STAGE_COMPUTE,
              "stages of OpenGL have the same numbers in ntv");

/* The contents of ZINK_NTVR_STORAGE. */
struct storage_option {
   bool loose;         /* uniforms that are in no block */
   bool blocks;        /* all blocks */
   uint32_t threshold; /* the blocks that a plan with this threshold makes storage buffers, if not 0 */
};

static struct storage_option storage_option;

static void
read_storage_option(void)
{
   const char *text = debug_get_option_ntvr_storage();
   uint64_t threshold;
   char *end;

   if (!*text || !zink_ntvr_is_enabled())
      return;
   storage_option.loose = !strcmp(text, "all");
   storage_option.blocks = storage_option.loose || !strcmp(text, "blocks");
   if (storage_option.blocks)
      return;
   threshold = strtoull(text, &end, 0);
   if (*end)
      mesa_logw("ntv: ZINK_NTVR_STORAGE must be \"blocks\", \"all\" or a number of bytes");
   else
      storage_option.threshold = MIN2(threshold, UINT32_MAX);
}

static const struct storage_option *
get_storage_option(void)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   util_call_once(&once, read_storage_option);
   return &storage_option;
}

bool
zink_ntvr_may_store_block(unsigned index)
{
   const struct storage_option *option = get_storage_option();

   return index ? option->blocks || option->threshold : option->loose;
}

void
zink_ntvr_storage_update_cache_key(struct mesa_blake3 *key)
{
   _mesa_blake3_update(key, get_storage_option(), sizeof(struct storage_option));
}

void
zink_ntvr_divide_limits(struct zink_device_info *info)
{
   VkPhysicalDeviceLimits *l = &info->props.limits;

   if (!zink_ntvr_may_store_block(1))
      return;
   /* Constant buffers start and end where storage buffers may, and are some of the storage buffers that a stage may have. */
   l->minUniformBufferOffsetAlignment = MAX2(l->minUniformBufferOffsetAlignment, l->minStorageBufferOffsetAlignment);
   l->maxUniformBufferRange = MIN2(l->maxUniformBufferRange, l->maxStorageBufferRange);
   l->maxPerStageDescriptorUniformBuffers =
      MIN3(l->maxPerStageDescriptorUniformBuffers, PIPE_MAX_CONSTANT_BUFFERS, l->maxPerStageDescriptorStorageBuffers / 2);
   l->maxPerStageDescriptorStorageBuffers -= l->maxPerStageDescriptorUniformBuffers;
}

unsigned
zink_ntvr_placements(struct ntvr_placement *placements, uint32_t storage_blocks, const struct zink_screen *screen)
{
   unsigned count = 0;

   u_foreach_bit (i, storage_blocks) {
      placements[count++] = (struct ntvr_placement){
         .block = i,
         .block_class = NTVR_BLOCK_STORAGE,
         /* zink enables the feature if the device has it. */
         .clamp = !screen->info.feats.features.robustBufferAccess,
      };
   }
   return count;
}

static struct ntvr_limits
get_limits(const struct zink_screen *screen)
{
   const VkPhysicalDeviceLimits *limits = &screen->info.props.limits;

   return (struct ntvr_limits){
      .struct_size = sizeof(struct ntvr_limits),
      .max_uniform_buffer_range = limits->maxUniformBufferRange,
      .max_storage_buffer_range = limits->maxStorageBufferRange,
      .max_per_stage_descriptor_uniform_buffers = limits->maxPerStageDescriptorUniformBuffers,
      .max_per_stage_descriptor_storage_buffers = limits->maxPerStageDescriptorStorageBuffers,
      .max_descriptor_set_uniform_buffers = limits->maxDescriptorSetUniformBuffers,
      .max_descriptor_set_storage_buffers = limits->maxDescriptorSetStorageBuffers,
      .min_uniform_buffer_offset_alignment = limits->minUniformBufferOffsetAlignment,
      .min_storage_buffer_offset_alignment = limits->minStorageBufferOffsetAlignment,
      .max_push_constants_size = limits->maxPushConstantsSize,
      .robust_buffer_access = screen->info.feats.features.robustBufferAccess,
   };
}

/* Whether ntv plans that a block of the shader becomes a storage buffer. */
static bool
plan_stores_block(nir_shader *nir, enum ntvr_nir_level level, const struct zink_screen *screen)
{
   const struct ntvr_limits limits = get_limits(screen);
   const struct ntvr_plan_wishes wishes = {.struct_size = sizeof(wishes), .threshold = get_storage_option()->threshold};
   const struct ntvr_options options = {.struct_size = sizeof(options), .flags = ZINK_NTVR_FLAGS};
   struct ntvr_placement placements[PIPE_MAX_CONSTANT_BUFFERS];
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_wire wire = {0};
   struct ntvr_plan *plan = ntvr_plan_create();
   enum ntvr_status status = plan ? NTVR_OK : NTVR_ERROR_MEMORY;
   const char *missing;
   bool stored = false;

   missing = ntvr_wire_nir(&wire, nir, level, false);
   if (status == NTVR_OK && missing)
      status = NTVR_ERROR_UNSUPPORTED;
   if (status == NTVR_OK)
      status = ntvr_plan_add_stage(plan, wire.words, wire.len, NULL, 0, &options, &result);
   if (status == NTVR_OK)
      status = ntvr_plan_decide(plan, &limits, &wishes, &options, &result);
   if (status == NTVR_OK) {
      size_t count = ntvr_plan_placements(plan, (enum ntvr_stage)nir->info.stage, placements, ARRAY_SIZE(placements));
      for (size_t i = 0; i < MIN2(count, ARRAY_SIZE(placements)); i++)
         stored |= placements[i].block && placements[i].block_class == NTVR_BLOCK_STORAGE;
   } else {
      const char *why = missing ? missing : result.error ? result.error
                                                         : "memory is short";
      mesa_logw("ntv: uniform blocks remain uniform buffers: %s", why);
   }
   ntvr_result_free(&result, &options);
   ntvr_plan_destroy(plan);
   ntvr_wire_fini(&wire);
   return stored;
}

uint32_t
zink_ntvr_storage_blocks(nir_shader *nir, bool is_lowered, const struct zink_screen *screen)
{
   const struct storage_option *option = get_storage_option();
   bool stored = option->blocks;

   if (!stored && option->threshold && nir->info.stage <= MESA_SHADER_COMPUTE &&
       nir->info.num_ubos > nir->info.first_ubo_is_default_ubo)
      stored = plan_stores_block(nir, is_lowered ? NTVR_NIR_ZINK : NTVR_NIR_GALLIUM, screen);
   return (option->loose ? BITFIELD_BIT(0) : 0) | (stored ? BITFIELD_RANGE(1, PIPE_MAX_CONSTANT_BUFFERS - 1) : 0);
}
