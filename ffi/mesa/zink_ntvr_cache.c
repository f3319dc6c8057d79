/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_cache.h"

#include <stdlib.h>
#include <string.h>

#include "nir_to_spirv/nir_to_spirv.h"
#include "util/blob.h"
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

/* Begins the hash of an entry with what all of a kind depend on. */
static void
begin_hash(struct mesa_blake3 *hash, const struct zink_screen *screen, const char *kind)
{
   const uint32_t flags = zink_ntvr_flags();

   _mesa_blake3_init(hash);
   _mesa_blake3_update(hash, kind, strlen(kind) + 1);
   _mesa_blake3_update(hash, &screen->ntvr->target, sizeof(screen->ntvr->target));
   _mesa_blake3_update(hash, &flags, sizeof(flags));
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

   begin_hash(&hash, screen, "ntv module");
   hash_part(&hash, zs->blob.data, zs->blob.size);
   _mesa_blake3_update(&hash, &offer, sizeof(offer));
   _mesa_blake3_update(&hash, &zs->needs_inlining, sizeof(zs->needs_inlining));
   _mesa_blake3_update(&hash, zs->ntvr_uniforms, sizeof(zs->ntvr_uniforms));
   _mesa_blake3_update(&hash, &zs->sinfo.storage_blocks, sizeof(zs->sinfo.storage_blocks));
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

bool
zink_ntvr_cache_key(cache_key key, struct zink_screen *screen, const struct zink_ntvr_variant_source *source)
{
   struct mesa_blake3 hash;

   if (!screen->disk_cache || !screen->ntvr || zink_ntvr_debug_compares())
      return false;
   zink_ntvr_probe_begin("load", MESA_SHADER_NONE);
   begin_hash(&hash, screen, "ntv variant");
   hash_part(&hash, source->nir->data, source->nir->size);
   hash_part(&hash, source->key, sizeof(*source->key));
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
