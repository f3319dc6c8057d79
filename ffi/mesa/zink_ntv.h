/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv as a replacement of zink's nir_to_spirv.
 *
 * The environment variable ZINK_NTV selects the translator: "rust" (default) is ntv, "c" is nir_to_spirv. A build with the Meson
 * option zink-ntv-debug has other variables, see zink_ntv_debug.h. Without the option zink-ntv, all functions are empty.
 */

#ifndef ZINK_NTV_H
#define ZINK_NTV_H

#include <stdbool.h>

#include "util/mesa-blake3.h"

struct nir_shader;
struct ntv_options;
struct spirv_shader;
struct zink_screen;
struct zink_shader;

#ifdef __cplusplus
extern "C" {
#endif

#ifdef HAVE_ZINK_NTV

/*
 * Whether ntv translates shaders: not with ZINK_NTV=c, and not if the library has another version than its header, which is
 * logged. The result does not change while the process runs.
 */
bool zink_ntv_is_enabled(void);

/* Creates zink_screen::ntv, if ntv is enabled. The data about the device must be final. Returns false if memory is short. */
bool zink_ntv_init(struct zink_screen *screen);

/* Destroys zink_screen::ntv, which may be NULL. No thread may translate a shader of the screen. */
void zink_ntv_deinit(struct zink_screen *screen);

/*
 * Translates the shader before nir_convert_from_ssa, and returns a result like that of nir_to_spirv. The flags and the allocator
 * of `options` are ignored. Returns NULL if ntv refuses the shader, which is logged once for each zink_shader.
 */
struct spirv_shader *zink_ntv_translate(struct zink_screen *screen, struct zink_shader *zs, struct nir_shader *nir,
                                        const struct ntv_options *options);

/* Adds the translator and its version to the key of the disk cache. */
void zink_ntv_update_cache_key(struct mesa_blake3 *key);

#else

static inline bool
zink_ntv_init(struct zink_screen *screen)
{
   return true;
}

static inline void
zink_ntv_deinit(struct zink_screen *screen)
{
}

static inline void
zink_ntv_update_cache_key(struct mesa_blake3 *key)
{
}

#endif /* HAVE_ZINK_NTV */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTV_H */
