/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Comparison with nir_to_spirv, validation and dumps, in builds with the Meson option zink-ntvr-debug. Environment variables:
 *
 *    ZINK_NTVR           compare: both ways from the state tracker's NIR to words run when a shader is made, and ntv's counts; see
 *                       zink_ntvr.h for other values
 *    ZINK_NTVR_LOG       a log file with a line for each compared shader; its first line has the names of the columns
 *    ZINK_NTVR_RUNS      the number of runs of both for a compared shader, 1 by default: the best time of each is logged
 *    ZINK_NTVR_VALIDATE  1: each module of ntv is validated by spirv-val, which prints errors; each variant of a linked program is
 *                       also compared with that of modules which are translated again
 *    ZINK_NTVR_CHECK_KEYS  1: zink checks the keys of its disk cache, and prints the number of fields of the screen in them
 *    ZINK_NTVR_DUMP      a folder to which each shader is written as ntv's wire (.ntvw) and as text (.nir)
 */

#ifndef ZINK_NTVR_DEBUG_H
#define ZINK_NTVR_DEBUG_H

#include "compiler/shader_enums.h"
#include "zink_ntvr_private.h"

struct zink_gfx_program;

#ifdef ZINK_NTVR_DEBUG

/* zink_ntvr_run(), with all that the environment requests. */
struct spirv_shader *zink_ntvr_debug_run(struct zink_ntvr_job *job);

/* Writes the shader to the folder for dumps, if the environment names one. */
void zink_ntvr_debug_dump(struct zink_ntvr_job *job);

/* Whether both translators run for each shader. */
bool zink_ntvr_debug_compares(void);

/* If they do, runs both on a shader of the state tracker, and logs their times and words. The shader stays as it is. */
void zink_ntvr_debug_compare(struct zink_screen *screen, struct zink_shader *zs);

/*
 * If the environment requests it, validates the words of a linked module, and checks that they are those of modules that are
 * translated again. Logs failures.
 */
void zink_ntvr_debug_check_variant(struct zink_screen *screen, const struct zink_gfx_program *prog, gl_shader_stage stage,
                                   const struct ntvr_key *key, const struct spirv_shader *spirv);

/* With ZINK_NTVR_CHECK_KEYS, checks that the keys of the disk cache depend on each fact of the screen, and prints their number. */
void zink_ntvr_debug_check_keys(const struct zink_screen *screen);

#else

static inline struct spirv_shader *
zink_ntvr_debug_run(struct zink_ntvr_job *job)
{
   return zink_ntvr_run(job);
}

static inline void
zink_ntvr_debug_dump(struct zink_ntvr_job *job)
{
}

static inline bool
zink_ntvr_debug_compares(void)
{
   return false;
}

static inline void
zink_ntvr_debug_compare(struct zink_screen *screen, struct zink_shader *zs)
{
}

static inline void
zink_ntvr_debug_check_variant(struct zink_screen *screen, const struct zink_gfx_program *prog, gl_shader_stage stage,
                              const struct ntvr_key *key, const struct spirv_shader *spirv)
{
}

static inline void
zink_ntvr_debug_check_keys(const struct zink_screen *screen)
{
}

#endif

#endif /* ZINK_NTVR_DEBUG_H */
