/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv in the place of zink's nir_to_spirv.
 */

#ifndef ZINK_NTV_H
#define ZINK_NTV_H

#include <stdbool.h>
#include <stdint.h>

#include "zink_ntv_xfb.h"

struct nir_shader;
struct spirv_shader;
struct zink_screen;
struct zink_shader_info;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What nir_to_spirv returns, for the shader before nir_convert_from_ssa. NULL if nir_to_spirv shall do it, because that
 * was asked for or because ntv cannot, which is said then.
 *
 *    ZINK_NTV           rust (if not given): ntv; c: nir_to_spirv; compare: both, and what they take goes to ZINK_NTV_LOG
 *    ZINK_NTV_LOG       a file that gets a line for each compared shader; the columns are in its first line
 *    ZINK_NTV_RUNS      how often both translate a compared shader, 1 if not given: the best time of each counts
 *    ZINK_NTV_STORAGE   which uniform blocks are bound and read as storage buffers; none if not given or with ZINK_NTV=c.
 *                       A number N: the blocks of a stage that indexes N bytes or more of one of them dynamically, or that
 *                       ntv plans to have there for another reason; blocks: all blocks; all: also the uniforms that are in no
 *                       block
 *    ZINK_NTV_XFB       extension (if not given): the device writes what transform feedback captures, as VK_EXT_transform_feedback
 *                       does; storage: the shaders do, see zink_ntv_xfb.h
 *    ZINK_NTV_VALIDATE  1: each module of ntv is given to spirv-val, which says what is wrong
 *    ZINK_NTV_DUMP      a folder that gets each shader as ntv's wire (.ntvw) and as text (.nir)
 */
struct spirv_shader *zink_ntv(struct nir_shader *nir, const struct zink_shader_info *sinfo,
                              struct zink_ntv_xfb_place place, const struct zink_screen *screen);

/*
 * Which constant buffers of a shader are bound and read as storage buffers, a bit each. Bit 0 is the uniforms that are in no
 * block. The others are equal: all blocks of a stage are one array of descriptors in zink. The NIR has zink's variables of
 * blocks already. Shaders of a program may differ, as each stage of zink has bindings of its own.
 */
uint32_t zink_ntv_storage_blocks(struct nir_shader *nir, const struct zink_screen *screen);

/*
 * Whether zink_ntv_storage_blocks() may have this bit for a shader. It has bit 0 for every shader or for none. The answer does
 * not change while the process runs.
 */
bool zink_ntv_may_store_block(unsigned index);

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTV_H */
