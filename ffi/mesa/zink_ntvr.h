/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv as a replacement of zink's nir_to_spirv.
 *
 * The environment variable ZINK_NTVR selects the translator: "rust" (default) is ntv, "c" is nir_to_spirv. A build with the Meson
 * option zink-ntvr-debug has other variables, see zink_ntvr_debug.h. Without the option zink-ntvr, all functions are empty.
 */

#ifndef ZINK_NTVR_H
#define ZINK_NTVR_H

#include <stdbool.h>

#include "util/mesa-blake3.h"

struct nir_shader;
struct ntvr_options;
struct spirv_shader;
struct zink_screen;
struct zink_shader;

#ifdef __cplusplus
extern "C" {
#endif

#ifdef HAVE_ZINK_NTVR

/*
 * Whether ntv translates shaders: not with ZINK_NTVR=c, and not if the library has another version than its header, which is
 * logged. The result does not change while the process runs.
 */
bool zink_ntvr_is_enabled(void);

/* Creates zink_screen::ntvr, if ntv is enabled. The data about the device must be final. Returns false if memory is short. */
bool zink_ntvr_init(struct zink_screen *screen);

/* Destroys zink_screen::ntvr, which may be NULL. No thread may translate a shader of the screen. */
void zink_ntvr_deinit(struct zink_screen *screen);

/*
 * Translates the shader before nir_convert_from_ssa, and returns a result like that of nir_to_spirv. The flags and the allocator
 * of `options` are ignored. Returns NULL if ntv refuses the shader, which is logged once for each zink_shader.
 */
struct spirv_shader *zink_ntvr_translate(struct zink_screen *screen, struct zink_shader *zs, struct nir_shader *nir,
                                         const struct ntvr_options *options);

/* Adds the translator and its version to the key of the disk cache. */
void zink_ntvr_update_cache_key(struct mesa_blake3 *key);

#else

static inline bool
zink_ntvr_is_enabled(void)
{
   return false;
}

static inline bool
zink_ntvr_init(struct zink_screen *screen)
{
   return true;
}

static inline void
zink_ntvr_deinit(struct zink_screen *screen)
{
}

static inline void
zink_ntvr_update_cache_key(struct mesa_blake3 *key)
{
}

#endif /* HAVE_ZINK_NTVR */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTVR_H */
