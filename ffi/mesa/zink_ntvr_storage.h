/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Uniform blocks that are bound and read as storage buffers, by the environment variable ZINK_NTVR_STORAGE. There are none by
 * default, and where nir_to_spirv translates all shaders. The values of the variable:
 *
 *    a number N   the blocks of a stage that indexes N bytes or more of one of them dynamically, or that ntv plans as storage
 *                 buffers for another reason
 *    blocks       all blocks
 *    all          also the uniforms that are in no block
 */

#ifndef ZINK_NTVR_STORAGE_H
#define ZINK_NTVR_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/mesa-blake3.h"
#ifdef HAVE_ZINK_NTVR
#include "ntvr_plan.h"
#endif

struct nir_shader;
struct zink_device_info;
struct zink_screen;

#ifdef __cplusplus
extern "C" {
#endif

#ifdef HAVE_ZINK_NTVR

/*
 * Whether zink_ntvr_storage_blocks() may have this bit for a shader. Bit 0 is set for every shader or for none. The result does
 * not change while the process runs.
 */
bool zink_ntvr_may_store_block(unsigned index);

/* Divides the limits of storage buffers between both kinds of blocks, if uniform blocks may be storage buffers. */
void zink_ntvr_divide_limits(struct zink_device_info *info);

/*
 * The constant buffers of a shader that are bound and read as storage buffers, a bit for each. Bit 0 is the uniforms that are in
 * no block. The other bits are equal: all blocks of a stage are one array of descriptors in zink. `is_lowered`: the NIR has zink's
 * variables of blocks, and is not that of the state tracker. Shaders of a program may differ, because each stage of zink has its own bindings.
 */
uint32_t zink_ntvr_storage_blocks(struct nir_shader *nir, bool is_lowered, const struct zink_screen *screen);

/* Writes the placements of the blocks of a shader, up to PIPE_MAX_CONSTANT_BUFFERS, and returns their number. */
unsigned zink_ntvr_placements(struct ntvr_placement *placements, uint32_t storage_blocks, const struct zink_screen *screen);

/* Adds the variable to the key of the disk cache. */
void zink_ntvr_storage_update_cache_key(struct mesa_blake3 *key);

#else

static inline bool
zink_ntvr_may_store_block(unsigned index)
{
   return false;
}

static inline void
zink_ntvr_divide_limits(struct zink_device_info *info)
{
}

static inline uint32_t
zink_ntvr_storage_blocks(struct nir_shader *nir, bool is_lowered, const struct zink_screen *screen)
{
   return 0;
}

static inline void
zink_ntvr_storage_update_cache_key(struct mesa_blake3 *key)
{
}

#endif /* HAVE_ZINK_NTVR */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTVR_STORAGE_H */
