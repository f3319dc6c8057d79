/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Modules and SPIR-V in zink's disk cache. A later start of the program loads them: it neither lowers nor translates NIR.
 *
 * The keys of entries have the NIR, the device and the options of ntv; the disk cache itself is that of one version of Mesa, ntv
 * and the Vulkan driver. An entry that cannot be loaded is made again.
 */

#ifndef ZINK_NTVR_CACHE_H
#define ZINK_NTVR_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/disk_cache.h"

struct blob;
struct spirv_shader;
struct zink_ntvr_locations;
struct zink_screen;
struct zink_shader;
struct zink_shader_key;
struct zink_zs_swizzle_key;

#ifdef __cplusplus
extern "C" {
#endif

/* All that the SPIR-V of a variant depends on, apart from the screen. */
struct zink_ntvr_variant_source {
   const struct blob *nir;
   /* Without what has no effect on the shader. */
   const struct zink_shader_key *key;
   /* NULL if the key does not use swizzles of depth textures. */
   const struct zink_zs_swizzle_key *zs_swizzle;
   /* NULL if `nir` has the locations of its program. */
   const struct zink_ntvr_locations *locations;
};

#ifdef HAVE_ZINK_NTVR

/* Sets zink_shader::ntvr_module to that of the cache. Returns false if there is none. */
bool zink_ntvr_cache_get_module(struct zink_screen *screen, struct zink_shader *zs);
/* Puts zink_shader::ntvr_module, which is not NULL, into the cache, if there is one. */
void zink_ntvr_cache_put_module(struct zink_screen *screen, const struct zink_shader *zs);

/* Computes the key of a variant's SPIR-V. Returns false if there is no cache. */
bool zink_ntvr_cache_key(cache_key key, struct zink_screen *screen, const struct zink_shader *zs,
                         const struct zink_ntvr_variant_source *source);

/* The SPIR-V of a variant; NULL if the cache does not have it. */
struct spirv_shader *zink_ntvr_cache_get_spirv(const struct zink_screen *screen, const struct zink_shader *zs, const cache_key key);
void zink_ntvr_cache_put_spirv(const struct zink_screen *screen, const cache_key key, const struct spirv_shader *spirv);

/* Changes each field of the screen that keys depend on. Returns the number of those for which the keys change, and logs the others.
 * Only in builds with the option zink-ntvr-debug. */
unsigned zink_ntvr_cache_check_facts(const struct zink_screen *screen);

#else

static inline bool
zink_ntvr_cache_get_module(struct zink_screen *screen, struct zink_shader *zs)
{
   return false;
}

static inline bool
zink_ntvr_cache_key(cache_key key, struct zink_screen *screen, const struct zink_shader *zs,
                    const struct zink_ntvr_variant_source *source)
{
   return false;
}

static inline struct spirv_shader *
zink_ntvr_cache_get_spirv(const struct zink_screen *screen, const struct zink_shader *zs, const cache_key key)
{
   return NULL;
}

static inline void
zink_ntvr_cache_put_spirv(const struct zink_screen *screen, const cache_key key, const struct spirv_shader *spirv)
{
}

#endif /* HAVE_ZINK_NTVR */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTVR_CACHE_H */
