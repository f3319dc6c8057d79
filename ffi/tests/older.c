/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A driver that was built for older headers of the same ABI: its structures are shorter, and the memory after them is not the
 * library's. It opens the shared library, and takes its functions by name and version.
 */

#define _GNU_SOURCE
#include "check.h"
#include "ntvr_wire.h"

#include <dlfcn.h>

#define ABI "NTVR_0"
#define BEYOND 0xa5

/* The first fields of the structures. */
struct older_target {
   uint32_t struct_size, vulkan_version, features[4];
   uint32_t max_uniform_buffer_range, max_push_constants_size, indexed_draw_offset, draw_id_offset, max_draw_buffers;
};

struct older_options {
   uint32_t struct_size, flags;
};

struct older_result {
   uint32_t struct_size;
   uint32_t *words;
   size_t num_words;
   uint32_t patch_vertices_word, workgroup_size[3];
};

typedef bool target_init_fn(struct older_target *, uint32_t);
typedef bool target_enable_fn(struct older_target *, const char *, bool);
typedef struct ntvr_translator *translator_create_fn(void);
typedef void translator_destroy_fn(struct ntvr_translator *);
typedef enum ntvr_status translate_fn(struct ntvr_translator *, const struct older_target *, const uint32_t *, size_t,
                                      const struct older_options *, struct older_result *);
typedef void result_free_fn(struct older_result *, const struct older_options *);

/* A structure, and bytes that are not a part of it. */
#define SURROUNDED(type) \
   struct {              \
      struct type it;    \
      uint8_t after[64]; \
   }

/* Sets the pointer to a function. */
static void
find(void *library, const char *name, void *function)
{
   void *address = dlvsym(library, name, ABI);

   CHECK(address);
   memcpy(function, &address, sizeof(address));
}

static bool
is_intact(const uint8_t *bytes, size_t size)
{
   for (size_t i = 0; i < size; i++) {
      if (bytes[i] != BEYOND)
         return false;
   }
   return true;
}

/* A shader without instructions: its writer needs no function of the library. */
static bool
build(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {
      .stage = NTVR_STAGE_COMPUTE, .workgroup_size = {64, 1, 1}, .next_stage = NTVR_NONE, .entry = "main"};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_block(w);
   return ntvr_wire_end(w);
}

static void
test(void *library)
{
   target_init_fn *target_init;
   target_enable_fn *target_enable;
   translator_create_fn *translator_create;
   translator_destroy_fn *translator_destroy;
   translate_fn *translate;
   result_free_fn *result_free;
   SURROUNDED(older_target) target;
   SURROUNDED(older_options) options;
   SURROUNDED(older_result) result;
   struct ntvr_wire w = {0};

   find(library, "ntvr_target_init", &target_init);
   find(library, "ntvr_target_enable", &target_enable);
   find(library, "ntvr_translator_create", &translator_create);
   find(library, "ntvr_translator_destroy", &translator_destroy);
   find(library, "ntvr_translate", &translate);
   find(library, "ntvr_result_free", &result_free);
   if (failures)
      return;
   memset(&target, BEYOND, sizeof(target));
   memset(&options, BEYOND, sizeof(options));
   memset(&result, BEYOND, sizeof(result));
   target.it.struct_size = sizeof(target.it);
   options.it = (struct older_options){.struct_size = sizeof(options.it), .flags = NTVR_OPTION_WORDS_ONLY};
   result.it.struct_size = sizeof(result.it);
   CHECK(target_init(&target.it, VULKAN_1_3) && target_enable(&target.it, "shaderFloat64", false));
   CHECK(target.it.max_draw_buffers > 0);

   struct ntvr_translator *translator = translator_create();
   CHECK(translator && build(&w));
   CHECK(translate(translator, &target.it, w.words, w.len, &options.it, &result.it) == NTVR_OK);
   CHECK(result.it.num_words > 5 && result.it.words[0] == 0x07230203 && result.it.workgroup_size[0] == 64);
   result_free(&result.it, &options.it);
   CHECK(!result.it.words && result.it.struct_size == sizeof(result.it));

   /* Words that are not a wire: the older result has no place for the message. */
   CHECK(translate(translator, &target.it, w.words, 3, &options.it, &result.it) == NTVR_ERROR_MALFORMED);
   CHECK(!result.it.words);
   result_free(&result.it, &options.it);
   CHECK(is_intact(target.after, sizeof(target.after)) && is_intact(options.after, sizeof(options.after)));
   CHECK(is_intact(result.after, sizeof(result.after)));
   translator_destroy(translator);
   ntvr_wire_fini(&w);
}

int
main(int argc, char **argv)
{
   void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

   if (!library) {
      fprintf(stderr, "usage: older LIBNTVR.SO\n");
      return 1;
   }
   CHECK(!dlvsym(library, "ntvr_translate", "NTVR_1"));
   test(library);
   /* The library stays open: Rust's standard library has destructors of threads. */
   if (!failures)
      printf("an older driver works with %s\n", argv[1]);
   return failures ? 1 : 0;
}
