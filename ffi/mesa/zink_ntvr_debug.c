/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_debug.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/file.h>

#include "nir_to_spirv/nir_to_spirv.h"
#include "util/log.h"
#include "util/os_time.h"
#include "util/u_atomic.h"
#include "util/u_debug.h"
#include "ntvr_module.h"
#include "ntvr_nir.h"
#include "zink_compiler.h"
#include "zink_ntvr_cache.h"
#include "zink_ntvr_shader.h"
#include "zink_types.h"

DEBUG_GET_ONCE_OPTION(ntvr, "ZINK_NTVR", "rust")
DEBUG_GET_ONCE_OPTION(ntvr_log, "ZINK_NTVR_LOG", NULL)
DEBUG_GET_ONCE_OPTION(ntvr_dump, "ZINK_NTVR_DUMP", NULL)
DEBUG_GET_ONCE_BOOL_OPTION(ntvr_validate, "ZINK_NTVR_VALIDATE", false)
DEBUG_GET_ONCE_BOOL_OPTION(ntvr_check_keys, "ZINK_NTVR_CHECK_KEYS", false)
DEBUG_GET_ONCE_NUM_OPTION(ntvr_runs, "ZINK_NTVR_RUNS", 1)

/* ------------------------------------------------------------------------------------------------------------------
 * Validation and dumps
 * ------------------------------------------------------------------------------------------------------------------ */

/* Whether spirv-val, which prints its errors, accepts the module. */
static bool
validate(const struct spirv_shader *spirv, const struct zink_screen *screen)
{
   const struct zink_device_info *info = &screen->info;
   char command[128];
   FILE *pipe;

   snprintf(command, sizeof(command), "spirv-val --target-env vulkan1.3%s%s - >&2",
            zink_ntvr_has_standard_layout(info) ? " --uniform-buffer-standard-layout" : "",
            zink_ntvr_has_scalar_layout(info) ? " --scalar-block-layout" : "");
   pipe = popen(command, "w");
   if (!pipe)
      return false;
   fwrite(spirv->words, sizeof(uint32_t), spirv->num_words, pipe);
   return pclose(pipe) == 0;
}

/* Makes a unique name for the shader. */
static void
make_name(char *name, size_t size)
{
   static uint32_t count;

   snprintf(name, size, "%d-%04u", (int)getpid(), p_atomic_inc_return(&count));
}

static FILE *
open_dump(const char *name, const char *extension)
{
   char path[4096];
   FILE *file;

   snprintf(path, sizeof(path), "%s/%s.%s", debug_get_option_ntvr_dump(), name, extension);
   file = fopen(path, "wb");
   if (!file)
      mesa_logw("ntv: cannot write %s", path);
   return file;
}

static void
dump(struct zink_ntvr_job *job, const char *name)
{
   struct ntvr_wire *wire = &job->translator->wire;
   FILE *file;

   if (!ntvr_wire_nir(wire, job->nir, job->level, true)) {
      file = open_dump(name, "ntvw");
      if (file) {
         fwrite(wire->words, sizeof(uint32_t), wire->len, file);
         fclose(file);
      }
   }
   file = open_dump(name, "nir");
   if (file) {
      nir_print_shader(job->nir, file);
      fclose(file);
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Comparison
 * ------------------------------------------------------------------------------------------------------------------ */

/* The times of a shader from the state tracker's NIR to words, and of the translator alone. */
struct times {
   int64_t all;
   int64_t translate;
};

/* The words of both translators for a shader, and their best times. */
struct compared {
   struct spirv_shader *c, *ntvr;
   struct times c_best, ntvr_best;
};

static unsigned
count_instructions(nir_shader *nir)
{
   unsigned count = 0;

   nir_foreach_block (block, nir_shader_get_entrypoint(nir))
      count += exec_list_length(&block->instr_list);
   return count;
}

/* Appends a line to the log, after a first line with the names of the columns. Several processes may write at a time. */
static void
log_line(const char *line)
{
   FILE *file = debug_get_option_ntvr_log() ? fopen(debug_get_option_ntvr_log(), "a") : NULL;

   if (!file)
      return;
   flock(fileno(file), LOCK_EX);
   fseek(file, 0, SEEK_END);
   if (ftell(file) == 0)
      fputs("shader\tstage\tbefore\tinstrs\tc_ns\tc_translate_ns\tntv_ns\tntv_translate_ns\tc_words\tntv_words\tc_valid\tntv_valid\n",
            file);
   fputs(line, file);
   fclose(file);
}

/* "1" or "0", or "-" without validation. */
static char
validity(const struct spirv_shader *spirv, const struct zink_screen *screen)
{
   if (!spirv || !debug_get_option_ntvr_validate())
      return '-';
   return validate(spirv, screen) ? '1' : '0';
}

static void
keep_best(struct times *best, int64_t start, int64_t translated_from)
{
   const int64_t end = os_time_get_nano();

   if (end - start < best->all)
      *best = (struct times){end - start, end - translated_from};
}

static void
run_c(struct compared *compared, struct zink_screen *screen, const struct zink_shader *zs)
{
   nir_shader *clone = nir_shader_clone(NULL, zs->nir);
   int64_t start, lowered;

   ralloc_free(compared->c);
   start = os_time_get_nano();
   compared->c = zink_compiler_translate_with_c(screen, zs, clone, &lowered);
   keep_best(&compared->c_best, start, lowered);
   ralloc_free(clone);
}

static void
run_ntvr(struct compared *compared, struct zink_screen *screen, struct zink_shader *zs)
{
   const struct ntvr_key key = {.struct_size = sizeof(key)};
   struct ntvr_module *module;
   char *error = NULL;
   int64_t start, read;

   ralloc_free(compared->ntvr);
   start = os_time_get_nano();
   compared->ntvr = NULL;
   if (!zink_ntvr_shader_read(screen, zs))
      return;
   read = os_time_get_nano();
   module = zink_ntvr_module_translate(screen, zs, zs->nir, &error);
   if (module)
      compared->ntvr = zink_ntvr_instantiate(module, &key);
   keep_best(&compared->ntvr_best, start, read);
   ntvr_module_destroy(module);
   ralloc_free(error);
   zink_ntvr_shader_forget(zs);
}

void
zink_ntvr_debug_compare(struct zink_screen *screen, struct zink_shader *zs)
{
   static uint32_t count;
   uint32_t before;
   struct compared compared = {.c_best = {.all = INT64_MAX}, .ntvr_best = {.all = INT64_MAX}};
   const struct times *c = &compared.c_best, *ntvr = &compared.ntvr_best;
   char name[64], line[512];

   if (!zink_ntvr_debug_compares())
      return;
   before = p_atomic_inc_return(&count) - 1;
   make_name(name, sizeof(name));
   for (int64_t i = 0; i < MAX2(debug_get_option_ntvr_runs(), 1); i++) {
      if (before % 2 == 0)
         run_c(&compared, screen, zs);
      run_ntvr(&compared, screen, zs);
      if (before % 2 != 0)
         run_c(&compared, screen, zs);
   }
   snprintf(line, sizeof(line),
            "%s\t%s\t%u\t%u\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%zu\t%zu\t%c\t%c\n", name,
            _mesa_shader_stage_to_abbrev(zs->nir->info.stage), before, count_instructions(zs->nir), c->all, c->translate,
            ntvr->all, ntvr->translate, compared.c ? compared.c->num_words : 0, compared.ntvr ? compared.ntvr->num_words : 0,
            validity(compared.c, screen), validity(compared.ntvr, screen));
   log_line(line);
   ralloc_free(compared.c);
   ralloc_free(compared.ntvr);
}

void
zink_ntvr_debug_dump(struct zink_ntvr_job *job)
{
   char name[64];

   if (!debug_get_option_ntvr_dump())
      return;
   make_name(name, sizeof(name));
   dump(job, name);
}

bool
zink_ntvr_debug_compares(void)
{
   return !strcmp(debug_get_option_ntvr(), "compare");
}

/* Translates the stages of a program again, and returns their number; 0 if ntv refuses one. */
static unsigned
translate_again(const struct ntvr_module **modules, struct zink_screen *screen, const struct zink_gfx_program *prog)
{
   unsigned count = 0;

   for (unsigned i = 0; i < ZINK_GFX_SHADER_COUNT; i++) {
      struct zink_shader *zs = prog->shaders[i];
      char *error = NULL;
      nir_shader *nir;

      if (!zs)
         continue;
      nir = zs->has_gallium_nir ? zink_shader_blob_deserialize(screen, &zs->blob)
                                : zink_compiler_lower_for_ntvr(screen, zs, zink_shader_deserialize(screen, zs));
      modules[count] = zink_ntvr_module_translate(screen, zs, nir, &error);
      ralloc_free(nir);
      ralloc_free(error);
      if (!modules[count])
         return 0;
      count++;
   }
   return count;
}

/* Whether the words are those of a program that is translated again. */
static bool
is_reproduced(struct zink_screen *screen, const struct zink_gfx_program *prog, gl_shader_stage stage,
              const struct ntvr_key *key, const struct spirv_shader *spirv)
{
   const struct ntvr_module *modules[ZINK_GFX_SHADER_COUNT] = {0};
   struct ntvr_module *linked[ZINK_GFX_SHADER_COUNT] = {0};
   const unsigned at = util_bitcount(prog->stages_present & BITFIELD_MASK(stage));
   const unsigned count = translate_again(modules, screen, prog);
   struct spirv_shader *again = NULL;
   bool is_equal;

   if (count && ntvr_link(modules, count, NULL, linked, NULL, NULL) == NTVR_OK)
      again = zink_ntvr_instantiate(linked[at], key);
   is_equal = again && again->num_words == spirv->num_words &&
              !memcmp(again->words, spirv->words, spirv->num_words * sizeof(*spirv->words));
   ralloc_free(again);
   for (unsigned i = 0; i < ZINK_GFX_SHADER_COUNT; i++) {
      ntvr_module_destroy((struct ntvr_module *)modules[i]);
      ntvr_module_destroy(linked[i]);
   }
   return is_equal;
}

void
zink_ntvr_debug_check_variant(struct zink_screen *screen, const struct zink_gfx_program *prog, gl_shader_stage stage,
                              const struct ntvr_key *key, const struct spirv_shader *spirv)
{
   if (!debug_get_option_ntvr_validate())
      return;
   if (!validate(spirv, screen))
      mesa_logw("ntv: spirv-val rejects the variant of a %s shader", _mesa_shader_stage_to_string(stage));
   if (!is_reproduced(screen, prog, stage, key, spirv))
      mesa_logw("ntv: the variant of a %s shader differs from a new translation", _mesa_shader_stage_to_string(stage));
}

struct spirv_shader *
zink_ntvr_debug_run(struct zink_ntvr_job *job)
{
   struct spirv_shader *spirv;
   char name[64];

   make_name(name, sizeof(name));
   if (debug_get_option_ntvr_dump())
      dump(job, name);
   spirv = zink_ntvr_run(job);
   if (spirv && debug_get_option_ntvr_validate() && !validate(spirv, job->screen))
      mesa_logw("ntv: spirv-val rejects %s shader %s", _mesa_shader_stage_to_string(job->nir->info.stage), name);
   return spirv;
}

void
zink_ntvr_debug_check_keys(const struct zink_screen *screen)
{
   if (debug_get_option_ntvr_check_keys())
      fprintf(stderr, "ntv: the keys of the disk cache depend on %u fields of the screen\n", zink_ntvr_cache_check_facts(screen));
}
