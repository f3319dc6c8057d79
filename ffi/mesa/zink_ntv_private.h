/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Definitions that the files zink_ntv*.c share.
 */

#ifndef ZINK_NTV_PRIVATE_H
#define ZINK_NTV_PRIVATE_H

#include "util/simple_mtx.h"
#include "ntv_wire.h"

struct nir_shader;
struct spirv_shader;
struct zink_device_info;
struct zink_screen;
struct zink_shader;

/* The flags of all calls. Like nir_validate_shader, ntv checks the rules of NIR in debug builds only. */
#ifdef NDEBUG
#define ZINK_NTV_FLAGS NTV_OPTION_VALID_NIR
#else
#define ZINK_NTV_FLAGS 0
#endif

/* A translator, with its buffer for the words of a shader. One thread uses it at a time. */
struct zink_ntv_translator {
   struct zink_ntv_translator *next;
   struct ntv_translator *ntv;
   struct ntv_wire wire;
};

/* The translators of a screen. */
struct zink_ntv {
   struct ntv_target target;
   simple_mtx_t lock;
   struct zink_ntv_translator *idle;
};

/* The translation of one shader. */
struct zink_ntv_job {
   const struct zink_screen *screen;
   const struct zink_shader *zs;
   struct nir_shader *nir;
   struct zink_ntv_translator *translator;
   struct ntv_options options;
   /* The reason if the shader is refused; NULL if memory is short. The caller frees it with ralloc_free(). */
   char *error;
};

/* Whether the device has the features uniformBufferStandardLayout and scalarBlockLayout. */
bool zink_ntv_has_standard_layout(const struct zink_device_info *info);
bool zink_ntv_has_scalar_layout(const struct zink_device_info *info);

/* Describes the device of the screen. */
void zink_ntv_describe(struct ntv_target *target, const struct zink_screen *screen);

/* Writes the shader to the wire of the translator. */
bool zink_ntv_flatten(struct zink_ntv_job *job);

/* Translates the wire of the translator. NULL after an error. */
struct spirv_shader *zink_ntv_emit(struct zink_ntv_job *job);

/* Both of these. */
static inline struct spirv_shader *
zink_ntv_run(struct zink_ntv_job *job)
{
   return zink_ntv_flatten(job) ? zink_ntv_emit(job) : NULL;
}

#endif /* ZINK_NTV_PRIVATE_H */
