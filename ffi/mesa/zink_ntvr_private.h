/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Definitions that the files zink_ntvr*.c share.
 */

#ifndef ZINK_NTVR_PRIVATE_H
#define ZINK_NTVR_PRIVATE_H

#include "util/simple_mtx.h"
#include "ntvr_nir.h"
#include "ntvr_wire.h"

struct nir_shader;
struct ntvr_key;
struct ntvr_module;
struct spirv_shader;
struct zink_device_info;
struct zink_screen;
struct zink_shader;

/* The flags of all calls. Like nir_validate_shader, ntv checks the rules of NIR in debug builds only. */
#ifdef NDEBUG
#define ZINK_NTVR_FLAGS NTVR_OPTION_VALID_NIR
#else
#define ZINK_NTVR_FLAGS 0
#endif

/* A translator, with its buffer for the words of a shader. One thread uses it at a time. */
struct zink_ntvr_translator {
   struct zink_ntvr_translator *next;
   struct ntvr_translator *ntvr;
   struct ntvr_wire wire;
};

/* The translators of a screen. */
struct zink_ntvr {
   struct ntvr_target target;
   simple_mtx_t lock;
   struct zink_ntvr_translator *idle;
   /* Whether the disk cache had the module of a shader: an earlier process has filled it. */
   bool is_warm;
};

/* The translation of one shader. */
struct zink_ntvr_job {
   const struct zink_screen *screen;
   const struct zink_shader *zs;
   struct nir_shader *nir;
   enum ntvr_nir_level level;
   struct zink_ntvr_translator *translator;
   struct ntvr_options options;
   /* The reason if the shader is refused; NULL if memory is short. The caller frees it with ralloc_free(). */
   char *error;
};

/* Whether the device has the features uniformBufferStandardLayout and scalarBlockLayout. */
bool zink_ntvr_has_standard_layout(const struct zink_device_info *info);
bool zink_ntvr_has_scalar_layout(const struct zink_device_info *info);

/* Describes the device of the screen. */
void zink_ntvr_describe(struct ntvr_target *target, const struct zink_screen *screen);

/* Takes a translator from the idle ones, or creates one; NULL if memory is short. */
struct zink_ntvr_translator *zink_ntvr_take_translator(struct zink_ntvr *ntvr);
void zink_ntvr_return_translator(struct zink_ntvr *ntvr, struct zink_ntvr_translator *t);

/* The flags of options for a translation, with those that ZINK_DEBUG adds. */
uint32_t zink_ntvr_flags(void);

/* Logs the first refusal of a form of a shader, and what happens instead. `reason` is NULL if memory is short. */
void zink_ntvr_log_refusal(struct zink_shader *zs, const char *instead, const char *reason);

/*
 * Translates NIR as zink_ntvr_module_create() does. NULL if ntv refuses it: `error`, which the caller frees with ralloc_free(), is the
 * reason, or stays as it is if memory is short.
 */
struct ntvr_module *zink_ntvr_module_translate(const struct zink_screen *screen, const struct zink_shader *zs,
                                               struct nir_shader *nir, char **error);

/* The bits of ntv's keys that variants of a shader may need. */
uint64_t zink_ntvr_module_offer(const struct zink_screen *screen, const struct zink_shader *zs);

/* Writes the shader to the wire of the translator. */
bool zink_ntvr_flatten(struct zink_ntvr_job *job);

/* Translates the wire of the translator. NULL after an error. */
struct spirv_shader *zink_ntvr_emit(struct zink_ntvr_job *job);

/* Both of these. */
static inline struct spirv_shader *
zink_ntvr_run(struct zink_ntvr_job *job)
{
   return zink_ntvr_flatten(job) ? zink_ntvr_emit(job) : NULL;
}

/* The words of a module for a key. NULL after an error. */
struct spirv_shader *zink_ntvr_instantiate(const struct ntvr_module *module, const struct ntvr_key *key);

#endif /* ZINK_NTVR_PRIVATE_H */
