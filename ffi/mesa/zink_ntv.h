/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv in the place of zink's nir_to_spirv.
 */

#ifndef ZINK_NTV_H
#define ZINK_NTV_H

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
 *    ZINK_NTV_VALIDATE  1: each module of ntv is given to spirv-val, which says what is wrong
 *    ZINK_NTV_DUMP      a folder that gets each shader as ntv's wire (.ntvw) and as text (.nir)
 */
struct spirv_shader *zink_ntv(struct nir_shader *nir, const struct zink_shader_info *sinfo,
                              const struct zink_screen *screen);

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTV_H */
