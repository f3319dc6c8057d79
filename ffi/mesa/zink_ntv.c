/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Several threads translate shaders at a time. Each takes a translator from the screen's list of idle ones, or makes one; so there
 * are as many translators as there were threads at the same time, and each keeps its memory for the next shader.
 */

#include "zink_ntv.h"

#include "nir_to_spirv/nir_to_spirv.h"
#include "util/build_id.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_call_once.h"
#include "util/u_debug.h"
#include "util/u_memory.h"
#include "ntv_module.h"
#include "ntv_nir.h"
#include "zink_ntv_debug.h"
#include "zink_ntv_private.h"
#include "zink_ntv_probes.h"
#include "zink_types.h"

DEBUG_GET_ONCE_OPTION(ntv, "ZINK_NTV", "rust")

static bool is_enabled;

static void
decide(void)
{
   const char *mismatch;

   if (!strcmp(debug_get_option_ntv(), "c"))
      return;
   mismatch = ntv_check_version();
   if (mismatch)
      mesa_loge("ntv: all shaders are translated by nir_to_spirv: %s", mismatch);
   is_enabled = !mismatch;
}

bool
zink_ntv_is_enabled(void)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   util_call_once(&once, decide);
   return is_enabled;
}

void
zink_ntv_update_cache_key(struct mesa_blake3 *key)
{
   const bool enabled = zink_ntv_is_enabled();
   /* the state tracker's NIR in the cache has scalars then */
   const bool compares = zink_ntv_debug_compares();
   const char *version = ntv_version();
   const uint32_t wire_version = ntv_wire_version();

   _mesa_blake3_update(key, &enabled, sizeof(enabled));
   _mesa_blake3_update(key, &compares, sizeof(compares));
   _mesa_blake3_update(key, version, strlen(version) + 1);
   _mesa_blake3_update(key, &wire_version, sizeof(wire_version));
#ifdef HAVE_DL_ITERATE_PHDR
   /* The build of ntv, if it is a shared library: two builds may have the same version. */
   const struct build_id_note *note = build_id_find_nhdr_for_addr((const void *)(uintptr_t)ntv_version);
   if (note)
      _mesa_blake3_update(key, build_id_data(note), build_id_length(note));
#endif
}

/* ------------------------------------------------------------------------------------------------------------------
 * The translators of a screen
 * ------------------------------------------------------------------------------------------------------------------ */

static void
destroy_translator(struct zink_ntv_translator *t)
{
   ntv_translator_destroy(t->ntv);
   ntv_wire_fini(&t->wire);
   FREE(t);
}

/* NULL if memory is short. */
static struct zink_ntv_translator *
create_translator(void)
{
   struct zink_ntv_translator *t = CALLOC_STRUCT(zink_ntv_translator);

   if (!t)
      return NULL;
   t->ntv = ntv_translator_create();
   if (!t->ntv) {
      destroy_translator(t);
      return NULL;
   }
   return t;
}

struct zink_ntv_translator *
zink_ntv_take_translator(struct zink_ntv *ntv)
{
   struct zink_ntv_translator *t;

   simple_mtx_lock(&ntv->lock);
   t = ntv->idle;
   if (t)
      ntv->idle = t->next;
   simple_mtx_unlock(&ntv->lock);
   return t ? t : create_translator();
}

void
zink_ntv_return_translator(struct zink_ntv *ntv, struct zink_ntv_translator *t)
{
   simple_mtx_lock(&ntv->lock);
   t->next = ntv->idle;
   ntv->idle = t;
   simple_mtx_unlock(&ntv->lock);
}

bool
zink_ntv_init(struct zink_screen *screen)
{
   if (!zink_ntv_is_enabled())
      return true;
   screen->ntv = CALLOC_STRUCT(zink_ntv);
   if (!screen->ntv)
      return false;
   simple_mtx_init(&screen->ntv->lock, mtx_plain);
   zink_ntv_describe(&screen->ntv->target, screen);
   return true;
}

void
zink_ntv_deinit(struct zink_screen *screen)
{
   struct zink_ntv *ntv = screen->ntv;
   struct zink_ntv_translator *t;

   if (!ntv)
      return;
   while ((t = ntv->idle)) {
      ntv->idle = t->next;
      destroy_translator(t);
   }
   simple_mtx_destroy(&ntv->lock);
   FREE(ntv);
   screen->ntv = NULL;
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
zink_ntv_flags(void)
{
   return ZINK_NTV_FLAGS | (zink_debug & ZINK_DEBUG_NTV_LINES ? NTV_OPTION_NAMES | NTV_OPTION_LINES : 0);
}

bool
zink_ntv_flatten(struct zink_ntv_job *job)
{
   const bool names = job->options.flags & NTV_OPTION_NAMES;
   const char *missing;

   zink_ntv_probe_begin("wire", job->nir->info.stage);
   missing = ntv_wire_nir(&job->translator->wire, job->nir, job->level, names);
   zink_ntv_probe_end();
   if (missing)
      job->error = ralloc_asprintf(NULL, "there is no form for %s", missing);
   return !missing;
}

/* Sets the allocator of a call, so that its words belong to the returned shader. NULL if memory is short. */
static struct spirv_shader *
begin_shader(struct ntv_options *options)
{
   struct spirv_shader *spirv = ralloc(NULL, struct spirv_shader);

   options->allocator = (struct ntv_allocator){ralloc_alloc, ralloc_release, spirv};
   return spirv;
}

/* Moves the words of the call to the shader, and returns it. After an error, frees it and returns NULL. */
static struct spirv_shader *
end_shader(struct spirv_shader *spirv, enum ntv_status status, struct ntv_result *result)
{
   if (status != NTV_OK) {
      ralloc_free(spirv);
      return NULL;
   }
   spirv->words = result->words;
   spirv->num_words = result->num_words;
   spirv->tcs_vertices_out_word = result->tcs_vertices_out_word;
   return spirv;
}

struct spirv_shader *
zink_ntv_emit(struct zink_ntv_job *job)
{
   const struct zink_ntv_translator *t = job->translator;
   struct spirv_shader *spirv = begin_shader(&job->options);
   struct ntv_result result = {0};
   enum ntv_status status;

   if (!spirv)
      return NULL;
   zink_ntv_probe_begin("ntv", job->nir->info.stage);
   status = ntv_translate(t->ntv, &job->screen->ntv->target, t->wire.words, t->wire.len, &job->options, &result);
   zink_ntv_probe_end();
   if (result.error)
      job->error = ralloc_strdup(NULL, result.error);
   return end_shader(spirv, status, &result);
}

struct spirv_shader *
zink_ntv_instantiate(const struct ntv_module *module, const struct ntv_key *key)
{
   struct ntv_options options = {.flags = NTV_OPTION_WORDS_ONLY};
   struct spirv_shader *spirv = begin_shader(&options);
   struct ntv_result result = {0};

   if (!spirv)
      return NULL;
   return end_shader(spirv, ntv_module_instantiate(module, key, &options, &result), &result);
}

/* Each variant of a shader is translated, but only the first refusal of each form is logged. */
void
zink_ntv_log_refusal(struct zink_shader *zs, const char *instead, const char *reason)
{
   if (p_atomic_inc_return(&zs->ntv_refusals) == 1)
      mesa_logw("ntv: %s shader is %s: %s", _mesa_shader_stage_to_string(zs->info.stage), instead,
                reason ? reason : "memory is short");
}

struct spirv_shader *
zink_ntv_translate(struct zink_screen *screen, struct zink_shader *zs, nir_shader *nir, const struct ntv_options *options)
{
   struct zink_ntv_job job = {
      .screen = screen,
      .zs = zs,
      .nir = nir,
      .level = NTV_NIR_ZINK,
      .translator = zink_ntv_take_translator(screen->ntv),
      .options = *options,
   };
   struct spirv_shader *spirv = NULL;

   job.options.flags = zink_ntv_flags() | NTV_OPTION_WORDS_ONLY;
   if (job.translator) {
      spirv = zink_ntv_debug_run(&job);
      zink_ntv_return_translator(screen->ntv, job.translator);
   }
   if (!spirv)
      zink_ntv_log_refusal(zs, "translated by nir_to_spirv", job.error);
   ralloc_free(job.error);
   return spirv;
}
