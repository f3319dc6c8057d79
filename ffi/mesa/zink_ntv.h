/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv as a replacement of zink's nir_to_spirv.
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
 * Translates the shader before nir_convert_from_ssa, and returns a result like that of nir_to_spirv. NULL if nir_to_spirv must
 * translate it, because the environment requests it or because ntv cannot, which is logged.
 *
 *    ZINK_NTV           rust (default): ntv; c: nir_to_spirv; compare: both, and their times are written to ZINK_NTV_LOG
 *    ZINK_NTV_LOG       a log file with a line for each compared shader; its first line has the names of the columns
 *    ZINK_NTV_RUNS      the number of runs of both for a compared shader, 1 by default: the best time of each is logged
 *    ZINK_NTV_STORAGE   the uniform blocks that are bound and read as storage buffers; none by default or with ZINK_NTV=c.
 *                       A number N: the blocks of a stage that indexes N bytes or more of one of them dynamically, or that
 *                       ntv plans as storage buffers for another reason; blocks: all blocks; all: also the uniforms that are in no
 *                       block
 *    ZINK_NTV_XFB       extension (default): the device writes the captures of transform feedback with VK_EXT_transform_feedback;
 *                       storage: the shaders write them, see zink_ntv_xfb.h
 *    ZINK_NTV_VALIDATE  1: each module of ntv is validated by spirv-val, which prints errors
 *    ZINK_NTV_DUMP      a folder to which each shader is written as ntv's wire (.ntvw) and as text (.nir)
 */
struct spirv_shader *zink_ntv(struct nir_shader *nir, const struct zink_shader_info *sinfo,
                              struct zink_ntv_xfb_place place, const struct zink_screen *screen);

/*
 * The constant buffers of a shader that are bound and read as storage buffers, a bit for each. Bit 0 is the uniforms that are in
 * no block. The other bits are equal: all blocks of a stage are one array of descriptors in zink. The NIR already has zink's
 * variables of blocks. Shaders of a program may differ, because each stage of zink has its own bindings.
 */
uint32_t zink_ntv_storage_blocks(struct nir_shader *nir, const struct zink_screen *screen);

/*
 * Whether zink_ntv_storage_blocks() may have this bit for a shader. Bit 0 is set for every shader or for none. The result does
 * not change while the process runs.
 */
bool zink_ntv_may_store_block(unsigned index);

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTV_H */
