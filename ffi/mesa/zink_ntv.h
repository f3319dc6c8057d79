/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv in the place of zink's nir_to_spirv.
 */

#ifndef ZINK_NTV_H
#define ZINK_NTV_H

#include <stdbool.h>

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
 *    ZINK_NTV_STORAGE   1: uniform blocks are bound and read as storage buffers; all: what is not in a block is too
 *    ZINK_NTV_VALIDATE  1: each module of ntv is given to spirv-val, which says what is wrong
 *    ZINK_NTV_DUMP      a folder that gets each shader as ntv's wire (.ntvw) and as text (.nir)
 */
struct spirv_shader *zink_ntv(struct nir_shader *nir, const struct zink_shader_info *sinfo,
                              const struct zink_screen *screen);

/*
 * Whether constant buffers of this index, in any stage, are bound as storage buffers and read as such. Index 0 has the
 * uniforms that are in no block. The answer is the same for as long as the process runs.
 */
bool zink_ntv_block_is_storage(unsigned index);

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTV_H */
