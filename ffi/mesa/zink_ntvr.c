/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Several threads translate shaders at a time. Each takes a translator from the screen's list of idle ones, or makes one; so there
 * are as many translators as there were threads at the same time, and each keeps its memory for the next shader.
 */

#include "zink_ntvr.h"

#include "nir_to_spirv/nir_to_spirv.h"
#include "util/build_id.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_call_once.h"
#include "util/u_debug.h"
#include "util/u_memory.h"
#include "ntvr_module.h"
#include "ntvr_nir.h"
#include "zink_ntvr_debug.h"
#include "zink_ntvr_private.h"
#include "zink_ntvr_probes.h"
#include "zink_types.h"

DEBUG_GET_ONCE_OPTION(ntvr, "ZINK_NTVR", "rust")

static bool is_enabled;

static void
decide(void)
{
   const char *mismatch;

   if (!strcmp(debug_get_option_ntvr(), "c"))
      return;
   mismatch = ntvr_check_version();
   if (mismatch)
      mesa_loge("ntv: all shaders are translated by nir_to_spirv: %s", mismatch);
   is_enabled = !mismatch;
}

bool
zink_ntvr_is_enabled(void)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   util_call_once(&once, decide);
   return is_enabled;
}

void
zink_ntvr_update_cache_key(struct mesa_blake3 *key)
{
   const bool enabled = zink_ntvr_is_enabled();
   /* the state tracker's NIR in the cache has scalars then */
   const bool compares = zink_ntvr_debug_compares();
   const char *version = ntvr_version();
   const uint32_t wire_version = ntvr_wire_version();

   _mesa_blake3_update(key, &enabled, sizeof(enabled));
   _mesa_blake3_update(key, &compares, sizeof(compares));
   _mesa_blake3_update(key, version, strlen(version) + 1);
   _mesa_blake3_update(key, &wire_version, sizeof(wire_version));
#ifdef HAVE_DL_ITERATE_PHDR
   /* The build of ntv, if it is a shared library: two builds may have the same version. */
   const struct build_id_note *note = build_id_find_nhdr_for_addr((const void *)(uintptr_t)ntvr_version);
   if (note)
      _mesa_blake3_update(key, build_id_data(note), build_id_length(note));
#endif
}

/* ------------------------------------------------------------------------------------------------------------------
 * The translators of a screen
 * ------------------------------------------------------------------------------------------------------------------ */

static void
destroy_translator(struct zink_ntvr_translator *t)
{
   ntvr_translator_destroy(t->ntvr);
   ntvr_wire_fini(&t->wire);
   FREE(t);
}

/* NULL if memory is short. */
static struct zink_ntvr_translator *
create_translator(void)
{
   struct zink_ntvr_translator *t = CALLOC_STRUCT(zink_ntvr_translator);

   if (!t)
      return NULL;
   t->ntvr = ntvr_translator_create();
   if (!t->ntvr) {
      destroy_translator(t);
      return NULL;
   }
   return t;
}

struct zink_ntvr_translator *
zink_ntvr_take_translator(struct zink_ntvr *ntvr)
{
   struct zink_ntvr_translator *t;

   simple_mtx_lock(&ntvr->lock);
   t = ntvr->idle;
   if (t)
      ntvr->idle = t->next;
   simple_mtx_unlock(&ntvr->lock);
   return t ? t : create_translator();
}

void
zink_ntvr_return_translator(struct zink_ntvr *ntvr, struct zink_ntvr_translator *t)
{
   simple_mtx_lock(&ntvr->lock);
   t->next = ntvr->idle;
   ntvr->idle = t;
   simple_mtx_unlock(&ntvr->lock);
}

bool
zink_ntvr_init(struct zink_screen *screen)
{
   if (!zink_ntvr_is_enabled())
      return true;
   screen->ntvr = CALLOC_STRUCT(zink_ntvr);
   if (!screen->ntvr)
      return false;
   simple_mtx_init(&screen->ntvr->lock, mtx_plain);
   zink_ntvr_describe(&screen->ntvr->target, screen);
   zink_ntvr_debug_check_keys(screen);
   return true;
}

void
zink_ntvr_deinit(struct zink_screen *screen)
{
   struct zink_ntvr *ntvr = screen->ntvr;
   struct zink_ntvr_translator *t;

   if (!ntvr)
      return;
   while ((t = ntvr->idle)) {
      ntvr->idle = t->next;
      destroy_translator(t);
   }
   simple_mtx_destroy(&ntvr->lock);
   FREE(ntvr);
   screen->ntvr = NULL;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Translation
 * ------------------------------------------------------------------------------------------------------------------ */

static void *
ralloc_alloc(void *context, size_t size)
{
   return ralloc_size(context, size);
}

static void
ralloc_release(void *context, void *memory)
{
   ralloc_free(memory);
}

uint32_t
zink_ntvr_flags(void)
{
   return ZINK_NTVR_FLAGS | (zink_debug & ZINK_DEBUG_NTVR_LINES ? NTVR_OPTION_NAMES | NTVR_OPTION_LINES : 0);
}

bool
zink_ntvr_flatten(struct zink_ntvr_job *job)
{
   const bool names = job->options.flags & NTVR_OPTION_NAMES;
   const char *missing;

   zink_ntvr_probe_begin("wire", job->nir->info.stage);
   missing = ntvr_wire_nir(&job->translator->wire, job->nir, job->level, names);
   zink_ntvr_probe_end();
   if (missing)
      job->error = ralloc_asprintf(NULL, "there is no form for %s", missing);
   return !missing;
}

/* Sets the allocator of a call, so that its words belong to the returned shader. NULL if memory is short. */
static struct spirv_shader *
begin_shader(struct ntvr_options *options)
{
   struct spirv_shader *spirv = ralloc(NULL, struct spirv_shader);

   options->allocator = (struct ntvr_allocator){ralloc_alloc, ralloc_release, spirv};
   return spirv;
}

/* Moves the words of the call to the shader, and returns it. After an error, frees it and returns NULL. */
static struct spirv_shader *
end_shader(struct spirv_shader *spirv, enum ntvr_status status, struct ntvr_result *result)
{
   if (status != NTVR_OK) {
      ralloc_free(spirv);
      return NULL;
   }
   spirv->words = result->words;
   spirv->num_words = result->num_words;
   spirv->tcs_vertices_out_word = result->patch_vertices_word;
   return spirv;
}

struct spirv_shader *
zink_ntvr_emit(struct zink_ntvr_job *job)
{
   const struct zink_ntvr_translator *t = job->translator;
   struct spirv_shader *spirv = begin_shader(&job->options);
   struct ntvr_result result = {.struct_size = sizeof(result)};
   enum ntvr_status status;

   if (!spirv)
      return NULL;
   zink_ntvr_probe_begin("ntv", job->nir->info.stage);
   status = ntvr_translate(t->ntvr, &job->screen->ntvr->target, t->wire.words, t->wire.len, &job->options, &result);
   zink_ntvr_probe_end();
   if (result.error)
      job->error = ralloc_strdup(NULL, result.error);
   return end_shader(spirv, status, &result);
}

struct spirv_shader *
zink_ntvr_instantiate(const struct ntvr_module *module, const struct ntvr_key *key)
{
   struct ntvr_options options = {.struct_size = sizeof(options), .flags = NTVR_OPTION_WORDS_ONLY};
   struct spirv_shader *spirv = begin_shader(&options);
   struct ntvr_result result = {.struct_size = sizeof(result)};

   if (!spirv)
      return NULL;
   return end_shader(spirv, ntvr_module_instantiate(module, key, &options, &result), &result);
}

/* Each variant of a shader is translated, but only the first refusal of each form is logged. */
void
zink_ntvr_log_refusal(struct zink_shader *zs, const char *instead, const char *reason)
{
   if (p_atomic_inc_return(&zs->ntvr_refusals) == 1)
      mesa_logw("ntv: %s shader is %s: %s", _mesa_shader_stage_to_string(zs->info.stage), instead,
                reason ? reason : "memory is short");
}

struct spirv_shader *
zink_ntvr_translate(struct zink_screen *screen, struct zink_shader *zs, nir_shader *nir, const struct ntvr_options *options)
{
   struct zink_ntvr_job job = {
      .screen = screen,
      .zs = zs,
      .nir = nir,
      .level = NTVR_NIR_ZINK,
      .translator = zink_ntvr_take_translator(screen->ntvr),
      .options = *options,
   };
   struct spirv_shader *spirv = NULL;

   job.options.struct_size = sizeof(job.options);
   job.options.flags = zink_ntvr_flags() | NTVR_OPTION_WORDS_ONLY;
   if (job.translator) {
      spirv = zink_ntvr_debug_run(&job);
      zink_ntvr_return_translator(screen->ntvr, job.translator);
   }
   if (!spirv)
      zink_ntvr_log_refusal(zs, "translated by nir_to_spirv", job.error);
   ralloc_free(job.error);
   return spirv;
}
