/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_cache.h"

#include <stdlib.h>
#include <string.h>

#include "nir_to_spirv/nir_to_spirv.h"
#include "util/blob.h"
#include "util/log.h"
#include "util/mesa-blake3.h"
#include "util/ralloc.h"
#include "util/u_atomic.h"
#include "ntvr_module.h"
#include "zink_ntvr_debug.h"
#include "zink_ntvr_module.h"
#include "zink_ntvr_private.h"
#include "zink_ntvr_probes.h"
#include "zink_types.h"

#define SPIRV_MAGIC        0x07230203u
#define SPIRV_HEADER_WORDS 5

/* ------------------------------------------------------------------------------------------------------------------
 * The facts that words depend on
 * ------------------------------------------------------------------------------------------------------------------ */

/* A field of the screen that lower_shader(), lower_variant(), zink_ntvr_shader.c or zink_ntvr_module.c read. */
struct fact {
   const char *name;
   uint32_t offset, size;
};

#define FACT(field)                                                                            \
   {                                                                                           \
#field, offsetof(struct zink_screen, field), sizeof(((struct zink_screen *)NULL)->field) \
   }

/* `cargo xtask mesa --small` compares the list with the sources. What is not in it is in the target of ntv, in the key of the disk
 * cache itself (disk_cache_init: the driconf options, the workarounds), or does not change words. */
static const struct fact facts[] = {
   FACT(compact_descriptors),
   FACT(desc_set_id),
   FACT(info.feats.features.robustBufferAccess),
   FACT(info.feats.features.shaderFloat64),
   FACT(info.feats.features.shaderImageGatherExtended),
   FACT(info.feats.features.shaderInt64),
   FACT(info.feats.features.shaderStorageImageMultisample),
   FACT(info.have_EXT_depth_clip_control),
   FACT(info.have_EXT_shader_atomic_float),
   FACT(info.have_EXT_shader_demote_to_helper_invocation),
   FACT(info.have_EXT_shader_object),
   FACT(info.have_KHR_maintenance5),
   FACT(info.have_KHR_shader_float_controls),
   FACT(info.have_KHR_vulkan_memory_model),
   FACT(info.have_KHR_workgroup_memory_explicit_layout),
   FACT(info.props11.subgroupSize),
   FACT(info.props12.denormBehaviorIndependence),
   FACT(info.props12.shaderDenormFlushToZeroFloat16),
   FACT(info.props12.shaderDenormFlushToZeroFloat32),
   FACT(info.props12.shaderDenormFlushToZeroFloat64),
   FACT(info.props12.shaderDenormPreserveFloat16),
   FACT(info.props12.shaderDenormPreserveFloat32),
   FACT(info.props12.shaderDenormPreserveFloat64),
   FACT(info.subgroup.supportedStages),
   FACT(is_cpu),
   FACT(need_2D_sparse),
   FACT(need_2D_zs),
   FACT(optimal_keys),
   FACT(spirv_version),
};

static void
hash_facts(struct mesa_blake3 *hash, const struct zink_screen *screen)
{
   for (unsigned i = 0; i < ARRAY_SIZE(facts); i++)
      _mesa_blake3_update(hash, (const char *)screen + facts[i].offset, facts[i].size);
}

#ifdef ZINK_NTVR_DEBUG
unsigned
zink_ntvr_cache_check_facts(const struct zink_screen *screen)
{
   unsigned seen = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(facts); i++) {
      /* The other thread of a screen must not see the change. */
      struct zink_screen *copy = malloc(sizeof(*copy));
      blake3_hash before, after;
      struct mesa_blake3 hash;

      if (!copy)
         return 0;
      memcpy(copy, screen, sizeof(*copy));
      _mesa_blake3_init(&hash);
      hash_facts(&hash, copy);
      _mesa_blake3_final(&hash, before);
      ((char *)copy)[facts[i].offset] ^= 1;
      _mesa_blake3_init(&hash);
      hash_facts(&hash, copy);
      _mesa_blake3_final(&hash, after);
      if (memcmp(before, after, sizeof(before)))
         seen++;
      else
         mesa_loge("ntv: the keys of the disk cache do not depend on %s", facts[i].name);
      free(copy);
   }
   return seen;
}
#endif

/* Begins the hash of an entry with what all of a kind depend on. */
static void
begin_hash(struct mesa_blake3 *hash, const struct zink_screen *screen, const struct zink_shader *zs, const char *kind)
{
   const uint32_t of_call[] = {zink_ntvr_flags(), zs->info.stage, zs->has_gallium_nir, zs->needs_inlining, zs->sinfo.storage_blocks};

   _mesa_blake3_init(hash);
   _mesa_blake3_update(hash, kind, strlen(kind) + 1);
   /* without padding, as ntvr.h guarantees */
   _mesa_blake3_update(hash, &screen->ntvr->target, sizeof(screen->ntvr->target));
   _mesa_blake3_update(hash, of_call, sizeof(of_call));
   hash_facts(hash, screen);
}

static void
end_hash(cache_key key, struct mesa_blake3 *hash, const struct zink_screen *screen)
{
   blake3_hash blake3;

   _mesa_blake3_final(hash, blake3);
   disk_cache_compute_key(screen->disk_cache, blake3, sizeof(blake3), key);
}

/* The sizes of parts keep the hashes of different parts apart. */
static void
hash_part(struct mesa_blake3 *hash, const void *data, size_t size)
{
   _mesa_blake3_update(hash, &size, sizeof(size));
   if (size)
      _mesa_blake3_update(hash, data, size);
}

/*
 * The words of an entry, which the caller frees; NULL if there is none. Mesa's cache searches all of its files for an entry that it
 * does not have, which takes 0.5 ms. Its index is quick, but forgets entries: so the files are searched only for an entry that is in
 * the index, or probably exists.
 */
static uint32_t *
get_words(const struct zink_screen *screen, const cache_key key, bool is_probable, size_t *num_words)
{
   size_t size = 0;
   uint32_t *words = NULL;

   if (is_probable || disk_cache_has_key(screen->disk_cache, key))
      words = disk_cache_get(screen->disk_cache, key, &size);
   if (words && (size == 0 || size % sizeof(*words) != 0)) {
      free(words);
      return NULL;
   }
   *num_words = size / sizeof(*words);
   return words;
}

static void
put_words(const struct zink_screen *screen, const cache_key key, const uint32_t *words, size_t num_words)
{
   disk_cache_put(screen->disk_cache, key, words, num_words * sizeof(*words), NULL);
   disk_cache_put_key(screen->disk_cache, key);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Modules
 * ------------------------------------------------------------------------------------------------------------------ */

static void
module_key(cache_key key, const struct zink_screen *screen, const struct zink_shader *zs)
{
   const uint64_t offer = zink_ntvr_module_offer(screen, zs);
   struct mesa_blake3 hash;

   begin_hash(&hash, screen, zs, "ntv module");
   hash_part(&hash, zs->blob.data, zs->blob.size);
   _mesa_blake3_update(&hash, &offer, sizeof(offer));
   _mesa_blake3_update(&hash, zs->ntvr_uniforms, sizeof(zs->ntvr_uniforms));
   end_hash(key, &hash, screen);
}

bool
zink_ntvr_cache_get_module(struct zink_screen *screen, struct zink_shader *zs)
{
   cache_key key;
   size_t num_words = 0;
   uint32_t *words;

   if (!screen->disk_cache)
      return false;
   zink_ntvr_probe_begin("load", zs->info.stage);
   module_key(key, screen, zs);
   words = get_words(screen, key, p_atomic_read(&screen->ntvr->is_warm), &num_words);
   /* ntv would parse SPIR-V, but only stored modules are expected here. */
   if (words && words[0] != SPIRV_MAGIC)
      ntvr_module_load(words, num_words, &zs->ntvr_module, NULL, NULL);
   free(words);
   zs->is_ntvr_cached = zs->ntvr_module;
   if (zs->ntvr_module)
      p_atomic_set(&screen->ntvr->is_warm, true);
   zink_ntvr_probe_end();
   return zs->ntvr_module;
}

void
zink_ntvr_cache_put_module(struct zink_screen *screen, const struct zink_shader *zs)
{
   const struct ntvr_options options = {.struct_size = sizeof(options), .flags = NTVR_OPTION_WORDS_ONLY};
   struct ntvr_result stored = {.struct_size = sizeof(stored)};
   cache_key key;

   if (!screen->disk_cache)
      return;
   zink_ntvr_probe_begin("store", zs->info.stage);
   if (ntvr_module_store(zs->ntvr_module, &options, &stored) == NTVR_OK) {
      module_key(key, screen, zs);
      put_words(screen, key, stored.words, stored.num_words);
   }
   ntvr_result_free(&stored, &options);
   zink_ntvr_probe_end();
}

/* ------------------------------------------------------------------------------------------------------------------
 * SPIR-V of variants
 * ------------------------------------------------------------------------------------------------------------------ */

/* Hashes the fields of a key: the bytes between them may have any value. */
static void
hash_shader_key(struct mesa_blake3 *hash, const struct zink_screen *screen, gl_shader_stage stage, const struct zink_shader_key *key)
{
   uint32_t words[12 + MAX_INLINABLE_UNIFORMS] = {key->base.needs_zs_shader_swizzle, key->base.nonseamless_cube_mask,
                                                  key->inline_uniforms, key->size};
   uint32_t *of_stage = &words[4 + MAX_INLINABLE_UNIFORMS];

   memcpy(&words[4], key->base.inlined_uniform_values, sizeof(key->base.inlined_uniform_values));
   if (stage == MESA_SHADER_FRAGMENT) {
      const struct zink_fs_key *fs = &key->key.fs;
      const struct zink_fs_key_base *base = &fs->base;

      of_stage[0] = base->point_coord_yinvert | base->samples << 1 | base->force_dual_color_blend << 2 |
                    base->force_persample_interp << 3 | base->fbfetch_ms << 4 | base->shadow_needs_shader_swizzle << 5 |
                    base->flat_shading << 6 | base->clamp_colors << 7 | base->alpha_test << 8;
      of_stage[1] = base->coord_replace_bits;
      if (!screen->optimal_keys)
         of_stage[2] = fs->lower_line_stipple | fs->lower_line_smooth << 1 | fs->lower_point_smooth << 2 | fs->robust_access << 3;
   } else if (stage == MESA_SHADER_TESS_CTRL) {
      of_stage[0] = key->key.tcs.patch_vertices;
   } else if (stage == MESA_SHADER_COMPUTE) {
      of_stage[0] = key->key.cs.robust_access;
   } else {
      const struct zink_vs_key_base *base = &key->key.vs_base;

      of_stage[0] = base->last_vertex_stage | base->clip_halfz << 1 | base->robust_access << 2;
      if (stage == MESA_SHADER_GEOMETRY && !screen->optimal_keys) {
         const struct zink_gs_key *gs = &key->key.gs;

         of_stage[1] = gs->lower_line_stipple | gs->lower_line_smooth << 1 | gs->lower_gl_point << 2 | gs->line_rectangular << 3 |
                       gs->lower_pv_mode << 4;
      } else if (stage == MESA_SHADER_VERTEX && !screen->optimal_keys) {
         of_stage[1] = key->key.vs.size;
         switch (key->key.vs.size) {
         case 4:
            of_stage[2] = key->key.vs.u32.decomposed_attrs;
            of_stage[3] = key->key.vs.u32.decomposed_attrs_without_w;
            break;
         case 2:
            of_stage[2] = key->key.vs.u16.decomposed_attrs;
            of_stage[3] = key->key.vs.u16.decomposed_attrs_without_w;
            break;
         case 1:
            of_stage[2] = key->key.vs.u8.decomposed_attrs;
            of_stage[3] = key->key.vs.u8.decomposed_attrs_without_w;
            break;
         }
      }
   }
   _mesa_blake3_update(hash, words, sizeof(words));
}

bool
zink_ntvr_cache_key(cache_key key, struct zink_screen *screen, const struct zink_shader *zs,
                    const struct zink_ntvr_variant_source *source)
{
   struct mesa_blake3 hash;

   if (!screen->disk_cache || !screen->ntvr || zink_ntvr_debug_compares())
      return false;
   zink_ntvr_probe_begin("load", MESA_SHADER_NONE);
   begin_hash(&hash, screen, zs, "ntv variant");
   hash_part(&hash, source->nir->data, source->nir->size);
   hash_shader_key(&hash, screen, zs->info.stage, source->key);
   hash_part(&hash, source->zs_swizzle, source->zs_swizzle ? sizeof(*source->zs_swizzle) : 0);
   hash_part(&hash, source->locations, source->locations ? sizeof(*source->locations) : 0);
   end_hash(key, &hash, screen);
   zink_ntvr_probe_end();
   return true;
}

struct spirv_shader *
zink_ntvr_cache_get_spirv(const struct zink_screen *screen, const struct zink_shader *zs, const cache_key key)
{
   struct spirv_shader *spirv = NULL;
   size_t num_words = 0;
   uint32_t *words;

   zink_ntvr_probe_begin("load", MESA_SHADER_NONE);
   words = get_words(screen, key, zs->is_ntvr_cached, &num_words);
   if (words && num_words >= SPIRV_HEADER_WORDS && words[0] == SPIRV_MAGIC)
      spirv = rzalloc(NULL, struct spirv_shader);
   if (spirv) {
      spirv->words = ralloc_memdup(spirv, words, num_words * sizeof(*words));
      spirv->num_words = num_words;
   }
   free(words);
   zink_ntvr_probe_end();
   if (spirv && !spirv->words) {
      ralloc_free(spirv);
      return NULL;
   }
   return spirv;
}

void
zink_ntvr_cache_put_spirv(const struct zink_screen *screen, const cache_key key, const struct spirv_shader *spirv)
{
   zink_ntvr_probe_begin("store", MESA_SHADER_NONE);
   put_words(screen, key, spirv->words, spirv->num_words);
   zink_ntvr_probe_end();
}
