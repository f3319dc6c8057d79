/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Probes that measure the work of zink for shaders and pipelines, in builds with the Meson option zink-ntvr-debug.
 *
 * The environment variable ZINK_NTVR_PROBES has the name of a file, to which each probe appends a line when it ends; the first line
 * has the names of the columns. The kinds of probes:
 *
 *    finalize      NIR of the state tracker is finalized (pipe_screen::finalize_nir)
 *    shader        the NIR of a new shader is lowered
 *    facts         what zink has to know of a new shader is read from its NIR
 *    program       the stages of a program are linked: by ntv, or by deserializing, changing and serializing NIR
 *    deserialize   NIR is deserialized
 *    lower         NIR is lowered for the module of a shader, or for the key of a variant
 *    instantiate   ntv writes the words of a module for a key
 *    load          a module, or the SPIR-V of a variant, is read from the disk cache
 *    store         a module, or the SPIR-V of a variant, is given to the disk cache
 *    translate     NIR is translated to SPIR-V
 *    wire          a part of `translate`: ntvr_nir.c writes NIR as ntv's wire
 *    ntv           a part of `translate`: ntv translates the wire
 *    module        vkCreateShaderModule or vkCreateShadersEXT
 *    pipeline      vkCreateGraphicsPipelines for a whole pipeline
 *    library       vkCreateGraphicsPipelines for a pipeline library
 *    link          vkCreateGraphicsPipelines that links libraries
 */

#ifndef ZINK_NTVR_PROBES_H
#define ZINK_NTVR_PROBES_H

#include "compiler/shader_enums.h"

#ifdef ZINK_NTVR_DEBUG

/*
 * Begins and ends a probe of the calling thread. Probes nest: the times of a probe do not contain those of the probes within it.
 * `kind` is a literal of the list above. `stage` is the shader's, or MESA_SHADER_NONE.
 */
void zink_ntvr_probe_begin(const char *kind, gl_shader_stage stage);
void zink_ntvr_probe_end(void);

#else

static inline void
zink_ntvr_probe_begin(const char *kind, gl_shader_stage stage)
{
}

static inline void
zink_ntvr_probe_end(void)
{
}

#endif

#endif /* ZINK_NTVR_PROBES_H */
