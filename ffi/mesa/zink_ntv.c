/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Several threads translate shaders at a time. Each takes a translator from a list of idle ones, or makes one; so there are as
 * many translators as there were threads at the same time, and each keeps its memory for the next shader.
 */

#include "zink_ntv.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "c11/threads.h"
#include "nir_to_spirv/nir_to_spirv.h"
#include "ntv_nir.h"
#include "util/hash_table.h"
#include "util/log.h"
#include "util/os_time.h"
#include "util/set.h"
#include "util/simple_mtx.h"
#include "util/u_atomic.h"
#include "util/u_debug.h"
#include "zink_ntv_xfb.h"
#include "zink_types.h"

DEBUG_GET_ONCE_OPTION(ntv, "ZINK_NTV", "rust")
DEBUG_GET_ONCE_OPTION(ntv_log, "ZINK_NTV_LOG", NULL)
DEBUG_GET_ONCE_OPTION(ntv_dump, "ZINK_NTV_DUMP", NULL)
DEBUG_GET_ONCE_OPTION(ntv_storage, "ZINK_NTV_STORAGE", "")
DEBUG_GET_ONCE_BOOL_OPTION(ntv_validate, "ZINK_NTV_VALIDATE", false)
/* The number of runs of each translator on a compared shader; the fastest counts. Otherwise one translator runs once. */
DEBUG_GET_ONCE_NUM_OPTION(ntv_runs, "ZINK_NTV_RUNS", 1)

/* Whether NIR is assumed to be valid: like nir_validate_shader, ntv checks the rules of NIR in debug builds only. */
#ifdef NDEBUG
#define BELIEF NTV_OPTION_VALID_NIR
#else
#define BELIEF 0
#endif

struct translator {
   struct translator *next;
   struct ntv_translator *context;
   struct ntv_wire wire;
   /* The screen that these fields describe. */
   unsigned screen_id;
   struct ntv_target target;
   /* The options of captures of the current shader, if it writes captures itself. */
   struct ntv_xfb_options xfb;
};

static struct translator *idle;
/* The lock of all static variables of this file. */
static simple_mtx_t lock = SIMPLE_MTX_INITIALIZER;

/* ------------------------------------------------------------------------------------------------------------------
 * The target
 * ------------------------------------------------------------------------------------------------------------------ */

struct feature {
   const char *name;
   bool on;
};

static void
enable(struct ntv_target *target, const struct feature *features, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (!ntv_target_enable(target, features[i].name, features[i].on))
         mesa_logw("ntv: there is no feature %s", features[i].name);
   }
}

/* It is in Vulkan 1.2. zink does not enable the extension for older versions. */
static bool
has_uniform_buffer_standard_layout(const struct zink_device_info *info)
{
   return info->have_vulkan12 && info->feats12.uniformBufferStandardLayout;
}

static bool
has_scalar_block_layout(const struct zink_device_info *info)
{
   return info->have_vulkan12 ? info->feats12.scalarBlockLayout : info->have_EXT_scalar_block_layout;
}

static void
enable_core(struct ntv_target *target, const struct zink_device_info *info)
{
   const VkPhysicalDeviceFeatures *f = &info->feats.features;
   const struct feature features[] = {
      {"shaderInt64", f->shaderInt64},
      {"shaderInt16", f->shaderInt16},
      {"shaderInt8", info->shader_float16_int8_feats.shaderInt8},
      {"shaderFloat16", info->shader_float16_int8_feats.shaderFloat16},
      {"shaderFloat64", f->shaderFloat64},
      {"storageBuffer8BitAccess", info->storage_8bit_feats.storageBuffer8BitAccess},
      {"storageBuffer16BitAccess", info->storage_16bit_feats.storageBuffer16BitAccess},
      {"uniformAndStorageBuffer8BitAccess", info->storage_8bit_feats.uniformAndStorageBuffer8BitAccess},
      {"uniformAndStorageBuffer16BitAccess", info->storage_16bit_feats.uniformAndStorageBuffer16BitAccess},
      {"storagePushConstant8", info->storage_8bit_feats.storagePushConstant8},
      {"storagePushConstant16", info->storage_16bit_feats.storagePushConstant16},
      {"storageInputOutput16", info->storage_16bit_feats.storageInputOutput16},
      {"geometryShader", f->geometryShader},
      {"tessellationShader", f->tessellationShader},
      {"shaderTessellationAndGeometryPointSize", f->shaderTessellationAndGeometryPointSize},
      {"meshShader", false},
      {"transformFeedback", info->tf_feats.transformFeedback},
      {"geometryStreams", info->tf_feats.geometryStreams},
      {"sampleRateShading", f->sampleRateShading},
      {"vertexPipelineStoresAndAtomics", f->vertexPipelineStoresAndAtomics},
      {"fragmentStoresAndAtomics", f->fragmentStoresAndAtomics},
      {"shaderClipDistance", f->shaderClipDistance},
      {"shaderCullDistance", f->shaderCullDistance},
      {"multiViewport", f->multiViewport},
      {"shaderOutputViewportIndex",
       info->have_vulkan12 ? info->feats12.shaderOutputViewportIndex : info->have_EXT_shader_viewport_index_layer},
      {"shaderOutputLayer",
       info->have_vulkan12 ? info->feats12.shaderOutputLayer : info->have_EXT_shader_viewport_index_layer},
      {"VK_EXT_shader_stencil_export", info->have_EXT_shader_stencil_export},
      {"VK_EXT_post_depth_coverage", info->have_EXT_post_depth_coverage},
      {"computeDerivativeGroupQuads", info->shader_derivs_feats.computeDerivativeGroupQuads},
      {"computeDerivativeGroupLinear", info->shader_derivs_feats.computeDerivativeGroupLinear},
      {"shaderDrawParameters",
       info->have_vulkan11 ? info->feats11.shaderDrawParameters : info->have_KHR_shader_draw_parameters},
      {"multiview", info->feats11.multiview},
      {"fragmentShaderPixelInterlock", info->interlock_feats.fragmentShaderPixelInterlock},
      {"fragmentShaderSampleInterlock", info->interlock_feats.fragmentShaderSampleInterlock},
      {"shaderDemoteToHelperInvocation", info->have_EXT_shader_demote_to_helper_invocation},
      {"shaderTerminateInvocation", info->feats13.shaderTerminateInvocation},
      {"shaderSubgroupClock", info->shader_clock_feats.shaderSubgroupClock},
      {"shaderDeviceClock", info->shader_clock_feats.shaderDeviceClock},
      {"bufferDeviceAddress", info->bda_feats.bufferDeviceAddress},
      {"derivativeControl", true},
      {"uniformBufferStandardLayout", has_uniform_buffer_standard_layout(info)},
      {"scalarBlockLayout", has_scalar_block_layout(info)},
      {"vulkanMemoryModel", info->feats12.vulkanMemoryModel},
      {"vulkanMemoryModelDeviceScope", info->feats12.vulkanMemoryModelDeviceScope},
      {"workgroupMemoryExplicitLayout", info->explicit_layout_feats.workgroupMemoryExplicitLayout},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
enable_resources(struct ntv_target *target, const struct zink_device_info *info)
{
   const VkPhysicalDeviceFeatures *f = &info->feats.features;
   const VkPhysicalDeviceDescriptorIndexingFeatures *d = &info->desc_indexing_feats;
   const struct feature features[] = {
      {"imageCubeArray", f->imageCubeArray},
      {"shaderImageGatherExtended", f->shaderImageGatherExtended},
      {"shaderResourceMinLod", f->shaderResourceMinLod},
      {"shaderResourceResidency", f->shaderResourceResidency},
      {"shaderStorageImageExtendedFormats", f->shaderStorageImageExtendedFormats},
      {"shaderStorageImageMultisample", f->shaderStorageImageMultisample},
      {"shaderStorageImageReadWithoutFormat", f->shaderStorageImageReadWithoutFormat},
      {"shaderStorageImageWriteWithoutFormat", f->shaderStorageImageWriteWithoutFormat},
      {"shaderUniformBufferArrayDynamicIndexing", f->shaderUniformBufferArrayDynamicIndexing},
      {"shaderSampledImageArrayDynamicIndexing", f->shaderSampledImageArrayDynamicIndexing},
      {"shaderStorageBufferArrayDynamicIndexing", f->shaderStorageBufferArrayDynamicIndexing},
      {"shaderStorageImageArrayDynamicIndexing", f->shaderStorageImageArrayDynamicIndexing},
      {"shaderInputAttachmentArrayDynamicIndexing", d->shaderInputAttachmentArrayDynamicIndexing},
      {"shaderInputAttachmentArrayNonUniformIndexing", d->shaderInputAttachmentArrayNonUniformIndexing},
      {"shaderUniformTexelBufferArrayDynamicIndexing", d->shaderUniformTexelBufferArrayDynamicIndexing},
      {"shaderStorageTexelBufferArrayDynamicIndexing", d->shaderStorageTexelBufferArrayDynamicIndexing},
      {"shaderUniformBufferArrayNonUniformIndexing", d->shaderUniformBufferArrayNonUniformIndexing},
      {"shaderSampledImageArrayNonUniformIndexing", d->shaderSampledImageArrayNonUniformIndexing},
      {"shaderStorageBufferArrayNonUniformIndexing", d->shaderStorageBufferArrayNonUniformIndexing},
      {"shaderStorageImageArrayNonUniformIndexing", d->shaderStorageImageArrayNonUniformIndexing},
      {"shaderUniformTexelBufferArrayNonUniformIndexing", d->shaderUniformTexelBufferArrayNonUniformIndexing},
      {"shaderStorageTexelBufferArrayNonUniformIndexing", d->shaderStorageTexelBufferArrayNonUniformIndexing},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
enable_subgroups_and_atomics(struct ntv_target *target, const struct zink_device_info *info)
{
   VkSubgroupFeatureFlags subgroup = info->subgroup.supportedOperations;
   const VkPhysicalDeviceShaderAtomicFloatFeaturesEXT *a = &info->atomic_float_feats;
   const struct feature features[] = {
      {"subgroupVote", (subgroup & VK_SUBGROUP_FEATURE_VOTE_BIT) || info->have_EXT_shader_subgroup_vote},
      {"subgroupBallot", (subgroup & VK_SUBGROUP_FEATURE_BALLOT_BIT) || info->have_EXT_shader_subgroup_ballot},
      {"subgroupShuffle", subgroup & VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
      {"subgroupArithmetic", subgroup & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT},
      {"subgroupShuffleRelative", subgroup & VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
      {"subgroupClustered", subgroup & VK_SUBGROUP_FEATURE_CLUSTERED_BIT},
      {"subgroupQuad", subgroup & VK_SUBGROUP_FEATURE_QUAD_BIT},
      {"subgroupBroadcastDynamicId", info->feats12.subgroupBroadcastDynamicId},
      {"shaderSubgroupExtendedTypes", info->feats12.shaderSubgroupExtendedTypes},
      {"shaderBufferInt64Atomics", info->atomic_int_feats.shaderBufferInt64Atomics},
      {"shaderSharedInt64Atomics", info->atomic_int_feats.shaderSharedInt64Atomics},
      {"shaderBufferFloat32AtomicAdd", a->shaderBufferFloat32AtomicAdd},
      {"shaderSharedFloat32AtomicAdd", a->shaderSharedFloat32AtomicAdd},
      {"shaderBufferFloat64AtomicAdd", a->shaderBufferFloat64AtomicAdd},
      {"shaderSharedFloat64AtomicAdd", a->shaderSharedFloat64AtomicAdd},
      {"shaderImageFloat32Atomics", a->shaderImageFloat32Atomics},
      {"shaderImageFloat32AtomicAdd", a->shaderImageFloat32AtomicAdd},
      /* zink does not enable the extensions of these features. */
      {"shaderBufferFloat32AtomicMinMax", false},
      {"shaderSharedFloat32AtomicMinMax", false},
      {"shaderImageFloat32AtomicMinMax", false},
      {"shaderImageInt64Atomics", false},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
enable_float_controls(struct ntv_target *target, const struct zink_device_info *info)
{
   const VkPhysicalDeviceVulkan12Properties *p = &info->props12;
   const struct feature features[] = {
      {"shaderDenormPreserveFloat16", p->shaderDenormPreserveFloat16},
      {"shaderDenormPreserveFloat32", p->shaderDenormPreserveFloat32},
      {"shaderDenormPreserveFloat64", p->shaderDenormPreserveFloat64},
      {"shaderDenormFlushToZeroFloat16", p->shaderDenormFlushToZeroFloat16},
      {"shaderDenormFlushToZeroFloat32", p->shaderDenormFlushToZeroFloat32},
      {"shaderDenormFlushToZeroFloat64", p->shaderDenormFlushToZeroFloat64},
      {"shaderSignedZeroInfNanPreserveFloat16", p->shaderSignedZeroInfNanPreserveFloat16},
      {"shaderSignedZeroInfNanPreserveFloat32", p->shaderSignedZeroInfNanPreserveFloat32},
      {"shaderSignedZeroInfNanPreserveFloat64", p->shaderSignedZeroInfNanPreserveFloat64},
      {"shaderRoundingModeRTEFloat16", p->shaderRoundingModeRTEFloat16},
      {"shaderRoundingModeRTEFloat32", p->shaderRoundingModeRTEFloat32},
      {"shaderRoundingModeRTEFloat64", p->shaderRoundingModeRTEFloat64},
      {"shaderRoundingModeRTZFloat16", p->shaderRoundingModeRTZFloat16},
      {"shaderRoundingModeRTZFloat32", p->shaderRoundingModeRTZFloat32},
      {"shaderRoundingModeRTZFloat64", p->shaderRoundingModeRTZFloat64},
      {"denormBehaviorIndependenceAll", p->denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL},
      {"denormBehaviorIndependence32BitOnly",
       p->denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY},
      {"roundingModeIndependenceAll", p->roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL},
      {"roundingModeIndependence32BitOnly",
       p->roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY},
   };

   enable(target, features, ARRAY_SIZE(features));
}

static void
describe(struct ntv_target *target, const struct zink_screen *screen)
{
   const struct zink_device_info *info = &screen->info;

   ntv_target_init(target, screen->vk_version);
   target->max_uniform_buffer_range = info->props.limits.maxUniformBufferRange;
   target->max_push_constants_size = info->props.limits.maxPushConstantsSize;
   target->indexed_draw_offset = offsetof(struct zink_gfx_push_constant, draw_mode_is_indexed);
   target->max_draw_buffers = MIN2(info->props.limits.maxColorAttachments, PIPE_MAX_COLOR_BUFS);
   /* zink rounds the size of each range up: get_ubo_range() in zink_context.c, see patches/. */
   target->uniform_ranges_in_vec4s = true;
   enable_core(target, info);
   enable_resources(target, info);
   enable_subgroups_and_atomics(target, info);
   if (info->have_KHR_shader_float_controls)
      enable_float_controls(target, info);
   /* The workaround that nir_to_spirv has as broken_arbitary_type_const of its zink_shader_info. */
   if (!ntv_target_workaround(target, "broken_arbitary_type_const", screen->driver_compiler_workarounds.broken_const))
      mesa_logw("ntv: there is no workaround broken_arbitary_type_const");
}

/* ------------------------------------------------------------------------------------------------------------------
 * Translation
 * ------------------------------------------------------------------------------------------------------------------ */

/* Takes an idle translator or makes one; NULL if memory is short. */
static struct translator *
take_translator(const struct zink_screen *screen)
{
   struct translator *t;

   simple_mtx_lock(&lock);
   t = idle;
   if (t)
      idle = t->next;
   simple_mtx_unlock(&lock);
   if (!t) {
      t = calloc(1, sizeof(*t));
      if (!t)
         return NULL;
      ntv_wire_init(&t->wire);
      t->context = ntv_translator_create();
   }
   /* Screens are numbered from 1. */
   if (t->screen_id != screen->screen_id) {
      t->screen_id = screen->screen_id;
      describe(&t->target, screen);
   }
   return t;
}

static void
give_translator_back(struct translator *t)
{
   simple_mtx_lock(&lock);
   t->next = idle;
   idle = t;
   simple_mtx_unlock(&lock);
}

static void *
ralloc_alloc(void *context, size_t size)
{
   return ralloc_size(context, size);
}

static void
ralloc_release(void *context, void *memory)
{
   ralloc_free(memory);
}

struct times {
   int64_t flatten;
   int64_t translate;
   int64_t all;
};

/* Writes the placements of the uniform blocks of a stage, and returns their number. */
static unsigned
place(struct ntv_placement *placements, uint32_t storage_blocks, const struct zink_screen *screen)
{
   unsigned count = 0;

   u_foreach_bit(i, storage_blocks) {
      placements[count++] = (struct ntv_placement){
         .block = i,
         .block_class = NTV_BLOCK_STORAGE,
         /* zink enables the feature if the device has it. */
         .clamp = !screen->info.feats.features.robustBufferAccess,
      };
   }
   return count;
}

/* Translates with ntv. NULL after an error; then `error` has the message, which the caller must free. */
static struct spirv_shader *
translate(struct translator *t, nir_shader *nir, const struct zink_shader_info *sinfo, const struct zink_screen *screen,
          struct times *times, char **error)
{
   int64_t start = os_time_get_nano();
   struct spirv_shader *spirv = ralloc(NULL, struct spirv_shader);
   struct ntv_placement placements[PIPE_MAX_CONSTANT_BUFFERS];
   struct ntv_options options = {
      .flags = NTV_OPTION_WORDS_ONLY | BELIEF,
      .allocator = {ralloc_alloc, ralloc_release, spirv},
      .placements = placements,
      .num_placements = place(placements, sinfo->storage_blocks, screen),
      .xfb = zink_ntv_stores_captures() ? &t->xfb : NULL,
   };
   struct ntv_result result;
   const char *missing = ntv_wire_nir(&t->wire, nir, true, false);
   int64_t flat = os_time_get_nano();

   times->flatten = flat - start;
   *error = NULL;
   if (missing) {
      *error = ralloc_asprintf(NULL, "there is no form for %s", missing);
   } else if (ntv_translate(t->context, &t->target, t->wire.words, t->wire.len, &options, &result) != NTV_OK) {
      *error = ralloc_strdup(NULL, result.error ? result.error : "memory is short");
   } else {
      spirv->words = result.words;
      spirv->num_words = result.num_words;
      spirv->tcs_vertices_out_word = result.tcs_vertices_out_word;
      /* The rest of the result is freed. */
      result.words = NULL;
      ntv_result_free(&result, &options);
   }
   if (*error) {
      ralloc_free(spirv);
      spirv = NULL;
   }
   times->all = os_time_get_nano() - start;
   times->translate = os_time_get_nano() - flat;
   return spirv;
}

/* Whether the message has not been logged yet for the shader: each of its variants is translated. */
static bool
is_news(const nir_shader *nir, const char *error)
{
   static struct set *said;
   uintptr_t key = _mesa_hash_string(error) ^ _mesa_hash_data(nir->info.source_blake3, sizeof(nir->info.source_blake3));
   bool found = false;

   simple_mtx_lock(&lock);
   if (!said)
      said = _mesa_pointer_set_create(NULL);
   if (said)
      _mesa_set_search_or_add(said, (void *)(key | 1), &found);
   simple_mtx_unlock(&lock);
   return !found;
}

static void
complain(const nir_shader *nir, const char *error)
{
   if (!is_news(nir, error))
      return;
   mesa_logw("ntv: %s shader is translated by nir_to_spirv: %s", _mesa_shader_stage_to_string(nir->info.stage), error);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Uniform blocks in storage buffers
 * ------------------------------------------------------------------------------------------------------------------ */

/* The options in ZINK_NTV_STORAGE. */
struct storage_option {
   bool loose;         /* uniforms that are in no block */
   bool blocks;        /* all blocks */
   uint32_t threshold; /* the blocks that a plan with this threshold makes storage buffers, if not 0 */
};

static struct storage_option storage_option;

static void
read_storage_option(void)
{
   const char *text = debug_get_option_ntv_storage();
   uint64_t threshold;
   char *end;

   if (!*text || !strcmp(debug_get_option_ntv(), "c"))
      return;
   storage_option.loose = !strcmp(text, "all");
   storage_option.blocks = storage_option.loose || !strcmp(text, "blocks");
   if (storage_option.blocks)
      return;
   threshold = strtoull(text, &end, 0);
   if (*end)
      mesa_logw("ntv: ZINK_NTV_STORAGE must be \"blocks\", \"all\" or a number of bytes");
   else
      storage_option.threshold = MIN2(threshold, UINT32_MAX);
}

static const struct storage_option *
get_storage_option(void)
{
   static once_flag once = ONCE_FLAG_INIT;

   call_once(&once, read_storage_option);
   return &storage_option;
}

bool
zink_ntv_may_store_block(unsigned index)
{
   const struct storage_option *option = get_storage_option();

   return index ? option->blocks || option->threshold : option->loose;
}

static struct ntv_limits
get_limits(const struct zink_screen *screen)
{
   const VkPhysicalDeviceLimits *limits = &screen->info.props.limits;

   return (struct ntv_limits){
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

static_assert((int)MESA_SHADER_VERTEX == NTV_STAGE_VERTEX && (int)MESA_SHADER_COMPUTE == NTV_STAGE_COMPUTE,
              "stages of OpenGL have the same numbers in ntv");

/* Whether ntv plans that a block of the shader becomes a storage buffer. */
static bool
plan(struct translator *t, nir_shader *nir, const struct zink_screen *screen)
{
   const struct ntv_limits limits = get_limits(screen);
   const struct ntv_plan_wishes wishes = {.threshold = get_storage_option()->threshold};
   const struct ntv_options options = {.flags = BELIEF};
   struct ntv_placement placements[PIPE_MAX_CONSTANT_BUFFERS];
   struct ntv_result result = {0};
   struct ntv_plan *plan = ntv_plan_create();
   enum ntv_status status = plan ? NTV_OK : NTV_ERROR_MEMORY;
   const char *missing = ntv_wire_nir(&t->wire, nir, true, false);
   bool stored = false;

   if (status == NTV_OK && missing)
      status = NTV_ERROR_UNSUPPORTED;
   if (status == NTV_OK)
      status = ntv_plan_add_stage(plan, t->wire.words, t->wire.len, NULL, 0, &options, &result);
   if (status == NTV_OK)
      status = ntv_plan_decide(plan, &limits, &wishes, &options, &result);
   if (status == NTV_OK) {
      size_t count = ntv_plan_placements(plan, (enum ntv_stage)nir->info.stage, placements, ARRAY_SIZE(placements));
      for (size_t i = 0; i < MIN2(count, ARRAY_SIZE(placements)); i++)
         stored |= placements[i].block && placements[i].block_class == NTV_BLOCK_STORAGE;
   } else {
      const char *why = missing ? missing : result.error ? result.error : "memory is short";
      mesa_logw("ntv: uniform blocks remain uniform buffers: %s", why);
   }
   ntv_result_free(&result, &options);
   ntv_plan_destroy(plan);
   return stored;
}

uint32_t
zink_ntv_storage_blocks(nir_shader *nir, const struct zink_screen *screen)
{
   const struct storage_option *option = get_storage_option();
   struct translator *t;
   bool stored = option->blocks;

   if (!stored && option->threshold && nir->info.stage <= MESA_SHADER_COMPUTE &&
       nir->info.num_ubos > nir->info.first_ubo_is_default_ubo) {
      t = take_translator(screen);
      if (!t)
         return 0;
      stored = plan(t, nir, screen);
      give_translator_back(t);
   }
   return (option->loose ? BITFIELD_BIT(0) : 0) | (stored ? BITFIELD_RANGE(1, PIPE_MAX_CONSTANT_BUFFERS - 1) : 0);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Validation, dumps and comparison
 * ------------------------------------------------------------------------------------------------------------------ */

/* Whether spirv-val, which prints its errors, accepts the module. */
static bool
validate(const struct spirv_shader *spirv, const struct zink_screen *screen)
{
   char command[128];
   FILE *pipe;

   snprintf(command, sizeof(command), "spirv-val --target-env vulkan1.3%s%s - >&2",
            has_uniform_buffer_standard_layout(&screen->info) ? " --uniform-buffer-standard-layout" : "",
            has_scalar_block_layout(&screen->info) ? " --scalar-block-layout" : "");
   pipe = popen(command, "w");
   if (!pipe)
      return false;
   fwrite(spirv->words, sizeof(uint32_t), spirv->num_words, pipe);
   return pclose(pipe) == 0;
}

/* Makes a unique name for the shader. */
static void
make_name(char *name, size_t size)
{
   static uint32_t count;

   snprintf(name, size, "%d-%04u", (int)getpid(), p_atomic_inc_return(&count));
}

static FILE *
open_dump(const char *name, const char *extension)
{
   char path[4096];
   FILE *file;

   snprintf(path, sizeof(path), "%s/%s.%s", debug_get_option_ntv_dump(), name, extension);
   file = fopen(path, "wb");
   if (!file)
      mesa_logw("ntv: cannot write %s", path);
   return file;
}

static void
dump(struct translator *t, nir_shader *nir, const char *name)
{
   FILE *file;

   if (!ntv_wire_nir(&t->wire, nir, true, true)) {
      file = open_dump(name, "ntvw");
      if (file) {
         fwrite(t->wire.words, sizeof(uint32_t), t->wire.len, file);
         fclose(file);
      }
   }
   file = open_dump(name, "nir");
   if (file) {
      nir_print_shader(nir, file);
      fclose(file);
   }
}

static unsigned
count_instructions(nir_shader *nir)
{
   unsigned count = 0;

   nir_foreach_block(block, nir_shader_get_entrypoint(nir))
      count += exec_list_length(&block->instr_list);
   return count;
}

/* Appends a line to the log, after a first line with the names of the columns. Several processes may write at a time. */
static void
log_line(const char *line)
{
   FILE *file = debug_get_option_ntv_log() ? fopen(debug_get_option_ntv_log(), "a") : NULL;

   if (!file)
      return;
   flock(fileno(file), LOCK_EX);
   fseek(file, 0, SEEK_END);
   if (ftell(file) == 0)
      fputs("shader\tstage\tbefore\tinstrs\tc_ns\tflatten_ns\ttranslate_ns\tntv_ns\tc_words\tntv_words\tc_valid\tntv_valid\n",
            file);
   fputs(line, file);
   fclose(file);
}

/* "1" or "0", or "-" without validation. */
static char
validity(const struct spirv_shader *spirv, const struct zink_screen *screen)
{
   if (!spirv || !debug_get_option_ntv_validate())
      return '-';
   return validate(spirv, screen) ? '1' : '0';
}

/* The best times of both translators for a shader. */
struct compared {
   struct spirv_shader *c, *ntv;
   int64_t c_best;
   struct times best;
};

static void
run_c(struct compared *compared, nir_shader *nir, const struct zink_shader_info *sinfo, const struct zink_screen *screen)
{
   nir_shader *clone = nir_shader_clone(NULL, nir);
   int64_t start = os_time_get_nano();

   ralloc_free(compared->c);
   NIR_PASS_V(clone, nir_convert_from_ssa, true, false);
   compared->c = nir_to_spirv(clone, sinfo, screen);
   compared->c_best = MIN2(compared->c_best, os_time_get_nano() - start);
   ralloc_free(clone);
}

static void
run_ntv(struct compared *compared, struct translator *t, nir_shader *nir, const struct zink_shader_info *sinfo,
        const struct zink_screen *screen, char **error)
{
   struct times times;

   ralloc_free(compared->ntv);
   ralloc_free(*error);
   compared->ntv = translate(t, nir, sinfo, screen, &times, error);
   if (times.all < compared->best.all)
      compared->best = times;
}

/* Runs both translators, in an order that changes from shader to shader, and logs. The result is ntv's. */
static struct spirv_shader *
compare(struct translator *t, nir_shader *nir, const struct zink_shader_info *sinfo, const struct zink_screen *screen,
        const char *name, char **error)
{
   static uint32_t count;
   uint32_t before = p_atomic_inc_return(&count) - 1;
   struct compared compared = {.c_best = INT64_MAX, .best = {.all = INT64_MAX}};
   const struct times *best = &compared.best;
   char line[512];

   *error = NULL;
   for (int64_t i = 0; i < MAX2(debug_get_option_ntv_runs(), 1); i++) {
      if (before % 2 == 0)
         run_c(&compared, nir, sinfo, screen);
      run_ntv(&compared, t, nir, sinfo, screen, error);
      if (before % 2 != 0)
         run_c(&compared, nir, sinfo, screen);
   }
   snprintf(line, sizeof(line),
            "%s\t%s\t%u\t%u\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%zu\t%zu\t%c\t%c\n", name,
            _mesa_shader_stage_to_abbrev(nir->info.stage), before, count_instructions(nir), compared.c_best,
            best->flatten, best->translate, best->all, compared.c ? compared.c->num_words : 0,
            compared.ntv ? compared.ntv->num_words : 0, validity(compared.c, screen), validity(compared.ntv, screen));
   log_line(line);
   ralloc_free(compared.c);
   return compared.ntv;
}

struct spirv_shader *
zink_ntv(nir_shader *nir, const struct zink_shader_info *sinfo, struct zink_ntv_xfb_place place,
         const struct zink_screen *screen)
{
   bool comparing = !strcmp(debug_get_option_ntv(), "compare");
   struct translator *t;
   struct spirv_shader *spirv;
   struct times times;
   char name[64], *error;

   if (!strcmp(debug_get_option_ntv(), "c"))
      return NULL;
   t = take_translator(screen);
   if (!t)
      return NULL;
   t->xfb = (struct ntv_xfb_options){
      .back_end = NTV_XFB_STORAGE,
      .set = place.set,
      .binding = place.binding,
      .passes_instance = true,
      .instance_location = ZINK_NTV_XFB_INSTANCE_LOCATION,
   };
   make_name(name, sizeof(name));
   if (debug_get_option_ntv_dump())
      dump(t, nir, name);
   if (comparing)
      spirv = compare(t, nir, sinfo, screen, name, &error);
   else
      spirv = translate(t, nir, sinfo, screen, &times, &error);
   give_translator_back(t);
   if (error)
      complain(nir, error);
   ralloc_free(error);
   if (spirv && !comparing && debug_get_option_ntv_validate() && !validate(spirv, screen))
      mesa_logw("ntv: spirv-val rejects %s shader %s", _mesa_shader_stage_to_string(nir->info.stage), name);
   return spirv;
}
