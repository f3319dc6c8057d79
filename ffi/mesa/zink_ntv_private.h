/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Definitions that the files zink_ntv*.c share.
 */

#ifndef ZINK_NTV_PRIVATE_H
#define ZINK_NTV_PRIVATE_H

#include "util/simple_mtx.h"
#include "ntv_nir.h"
#include "ntv_wire.h"

struct nir_shader;
struct ntv_key;
struct ntv_module;
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
   /* Whether the disk cache had the module of a shader: an earlier process has filled it. */
   bool is_warm;
};

/* The translation of one shader. */
struct zink_ntv_job {
   const struct zink_screen *screen;
   const struct zink_shader *zs;
   struct nir_shader *nir;
   enum ntv_nir_level level;
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

/* Takes a translator from the idle ones, or creates one; NULL if memory is short. */
struct zink_ntv_translator *zink_ntv_take_translator(struct zink_ntv *ntv);
void zink_ntv_return_translator(struct zink_ntv *ntv, struct zink_ntv_translator *t);

/* The flags of options for a translation, with those that ZINK_DEBUG adds. */
uint32_t zink_ntv_flags(void);

/* Logs the first refusal of a form of a shader, and what happens instead. `reason` is NULL if memory is short. */
void zink_ntv_log_refusal(struct zink_shader *zs, const char *instead, const char *reason);

/*
 * Translates NIR as zink_ntv_module_create() does. NULL if ntv refuses it: `error`, which the caller frees with ralloc_free(), is the
 * reason, or stays as it is if memory is short.
 */
struct ntv_module *zink_ntv_module_translate(const struct zink_screen *screen, const struct zink_shader *zs,
                                             struct nir_shader *nir, char **error);

/* The bits of ntv's keys that variants of a shader may need. */
uint64_t zink_ntv_module_offer(const struct zink_screen *screen, const struct zink_shader *zs);

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

/* The words of a module for a key. NULL after an error. */
struct spirv_shader *zink_ntv_instantiate(const struct ntv_module *module, const struct ntv_key *key);

#endif /* ZINK_NTV_PRIVATE_H */
