/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A small driver: builds shaders through ntvr_wire.h, translates them and checks the results.
 *
 * usage: consumer [SPIRV-VAL]    also validates each module with the program
 */

#define _POSIX_C_SOURCE 200809L /* popen */

#include "build.h"
#include "ntvr_module.h"
#include "ntvr_xfb.h"

#include <pthread.h>

#define NUM_THREADS 16
#define ROUNDS 20

static const char *spirv_val;

static uint32_t
deref_var(struct ntvr_wire *w, uint32_t variable)
{
   const struct ntvr_deref_result result = {.bits = 32};

   return ntvr_wire_deref(w, NTVR_DEREF_VAR, result, variable, 0, 0);
}

/* Counts to ten in a loop, and stores the count to a buffer and to shared memory. Returns the number of a boolean. */
static uint32_t
write_compute(struct ntvr_wire *w)
{
   const struct index coherent[] = {{"write_mask", 1}, {"access", NTVR_ACCESS_COHERENT}};
   const struct index written[] = {{"write_mask", 1}};
   const struct index atomic[] = {{"atomic_op", NTVR_ATOMIC_OP_UMAX}};
   const struct ntvr_shader shader = {
      .stage = NTVR_STAGE_COMPUTE, .workgroup_size = {4, 2, 1}, .next_stage = NTVR_NONE, .num_ssbos = 1, .shared_size = 16,
      .entry = "main", .name = "count"};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_info(w, NTVR_INFO_SYSTEM_VALUES_READ, 0);
   NTVR_WIRE_WRITE(w, 0, 1, 0);
   ntvr_wire_directive(w, NTVR_DIRECTIVE_SHARED_OFFSET_UNITS, NTVR_OFFSET_UNITS_BYTES);

   uint32_t uint = ntvr_wire_type(w, NTVR_TYPE_VECTOR, ntvr_alu_type(NTVR_BASE_UINT, 32), 1, 0);
   uint32_t array = ntvr_wire_type(w, NTVR_TYPE_ARRAY, uint, 4, 0);
   uint32_t run_time = ntvr_wire_type(w, NTVR_TYPE_ARRAY, uint, NTVR_NONE, 4);
   uint32_t block = ntvr_wire_type_struct(w, "block", 1);
   ntvr_wire_type_field(w, "unsized", run_time, 0);

   struct ntvr_variable ssbo;
   ntvr_variable_init(&ssbo, "out", block, NTVR_MODE_SSBO);
   ssbo.descriptor_set = 2;
   ssbo.binding = 5;
   uint32_t out = ntvr_wire_variable(w, &ssbo);
   struct ntvr_variable shared;
   ntvr_variable_init(&shared, "numbers", array, NTVR_MODE_SHARED);
   uint32_t numbers = ntvr_wire_variable(w, &shared);

   uint32_t before = ntvr_wire_block(w);
   uint32_t zero = const32(w, 0);
   uint32_t ten = const32(w, 10);
   uint32_t one = const32(w, 1);
   ntvr_wire_plain(w, NTVR_PLAIN_UNDEF, 1, 32);
   ntvr_wire_control(w, NTVR_CONTROL_LOOP);
   ntvr_wire_block(w);
   uint32_t count = ntvr_wire_plain(w, NTVR_PLAIN_PHI, 1, 32);
   uint32_t enough = alu2(w, "ige", 1, 1, count, ten);
   ntvr_wire_if(w, enough, NTVR_HINT_DONT_FLATTEN);
   ntvr_wire_block(w);
   ntvr_wire_plain(w, NTVR_PLAIN_BREAK, 0, 0);
   ntvr_wire_control(w, NTVR_CONTROL_ELSE);
   ntvr_wire_block(w);
   ntvr_wire_control(w, NTVR_CONTROL_END_IF);
   uint32_t behind = ntvr_wire_block(w);
   uint32_t more = alu2(w, "iadd", 1, 32, count, one);
   ntvr_wire_phi_src(w, count, before, zero);
   ntvr_wire_phi_src(w, count, behind, more);
   ntvr_wire_control(w, NTVR_CONTROL_END_LOOP);

   ntvr_wire_block(w);
   struct ntvr_deref_result member = {32, run_time, NTVR_MODE_SSBO};
   struct ntvr_deref_result element = {32, uint, NTVR_MODE_SSBO};
   uint32_t pointer = deref_var(w, out);
   pointer = ntvr_wire_deref(w, NTVR_DEREF_STRUCT, member, pointer, 0, 0);
   pointer = ntvr_wire_deref(w, NTVR_DEREF_ARRAY, element, pointer, zero, 0);
   intrinsic2(w, "store_deref", 0, 0, pointer, count, coherent, 2);

   struct ntvr_deref_result part = {32, uint, NTVR_MODE_SHARED};
   uint32_t start = deref_var(w, numbers);
   pointer = ntvr_wire_deref(w, NTVR_DEREF_ARRAY_IMM, part, start, 3, 0);
   intrinsic2(w, "store_deref", 0, 0, pointer, count, written, 1);
   pointer = ntvr_wire_deref(w, NTVR_DEREF_ARRAY, part, start, one, 0);
   intrinsic2(w, "deref_atomic", 1, 32, pointer, ten, atomic, 1);
   return enough;
}

static bool
build_compute(struct ntvr_wire *w)
{
   write_compute(w);
   return ntvr_wire_end(w);
}

/* The same with an ALU instruction after it, whose sources are booleans. */
static void
add_to_compute(struct ntvr_wire *w, uint32_t op)
{
   uint32_t boolean = write_compute(w);

   ntvr_wire_alu(w, op, 0, 1, 32);
   ntvr_wire_alu_src(w, 0, boolean, xyzw, 1);
   ntvr_wire_alu_src(w, 0, boolean, xyzw, 1);
   CHECK(ntvr_wire_end(w));
}

/* Samples a texture at the centre of a texel and writes the colour. */
static bool
build_fragment(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {.stage = NTVR_STAGE_FRAGMENT, .next_stage = NTVR_NONE, .entry = "main"};
   const uint32_t float32 = ntvr_alu_type(NTVR_BASE_FLOAT, 32);
   const struct index output[] = {{"range", 1},
                                  {"write_mask", 15},
                                  {"src_type", float32},
                                  {"io_semantics", ntvr_io_semantics(4 /* FRAG_RESULT_DATA0 */, 1, 0, 0)}};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_info(w, NTVR_INFO_ORIGIN_UPPER_LEFT, 1);
   ntvr_wire_info_text(w, NTVR_INFO_COLOR0_INTERP, "INTERP_MODE_NONE");
   uint32_t sampler = ntvr_wire_type(w, NTVR_TYPE_TEXTURE, NTVR_DIM_2D, 0, float32);
   struct ntvr_variable texture;
   ntvr_variable_init(&texture, "texture", sampler, NTVR_MODE_UNIFORM);
   texture.binding = 3;
   uint32_t variable = ntvr_wire_variable(w, &texture);

   ntvr_wire_block(w);
   uint32_t half = ntvr_wire_const(w, 2, 32);
   NTVR_WIRE_WRITE(w, 0x3f000000, 0x3f000000);
   uint32_t centre = alu2(w, "fadd", 2, 32, half, half);
   uint32_t zero = const32(w, 0);
   uint32_t deref = deref_var(w, variable);
   const struct ntvr_tex tex = {.op = NTVR_TEX_OP_TEX, .dest_type = float32};
   uint32_t colour = ntvr_wire_tex(w, &tex, 4, 32, 3);
   ntvr_wire_tex_src(w, NTVR_TEX_SRC_TEXTURE_DEREF, deref);
   ntvr_wire_tex_src(w, NTVR_TEX_SRC_SAMPLER_DEREF, deref);
   ntvr_wire_tex_src(w, NTVR_TEX_SRC_COORD, centre);
   intrinsic2(w, "store_output", 0, 0, colour, zero, output, 4);
   return ntvr_wire_end(w);
}

/* Writes the number of a vertex to an output that transform feedback captures. */
static bool
build_captured(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {.stage = NTVR_STAGE_VERTEX, .next_stage = NTVR_NONE, .entry = "main"};
   struct ntvr_variable number;

   ntvr_wire_begin(w, &shader);
   uint32_t type = ntvr_wire_type(w, NTVR_TYPE_VECTOR, ntvr_alu_type(NTVR_BASE_UINT, 32), 1, 0);
   ntvr_variable_init(&number, "number", type, NTVR_MODE_SHADER_OUT);
   number.location = 32; /* VARYING_SLOT_VAR0 */
   number.driver_location = 0;
   number.xfb_buffer = 1;
   number.xfb_stride = 4;
   number.xfb_offset = 0;
   uint32_t variable = ntvr_wire_variable(w, &number);
   ntvr_wire_block(w);
   const struct index written[] = {{"write_mask", 1}};
   uint32_t vertex = ntvr_wire_intrinsic(w, ntvr_wire_number(NTVR_TABLE_INTRINSIC, "load_vertex_id"), 1, 32);
   uint32_t pointer = deref_var(w, variable);
   intrinsic2(w, "store_deref", 0, 0, pointer, vertex, written, 1);
   return ntvr_wire_end(w);
}

/* Makes patches of three vertices. */
static bool
build_tess_ctrl(struct ntvr_wire *w)
{
   const struct ntvr_shader shader = {.stage = NTVR_STAGE_TESS_CTRL, .next_stage = NTVR_STAGE_TESS_EVAL, .entry = "main"};

   ntvr_wire_begin(w, &shader);
   ntvr_wire_info(w, NTVR_INFO_TCS_VERTICES_OUT, 3);
   ntvr_wire_block(w);
   return ntvr_wire_end(w);
}

/* Validates a module. */
static void
validate(const struct ntvr_result *result)
{
   char command[4096];
   FILE *pipe;

   if (!spirv_val)
      return;
   snprintf(command, sizeof(command), "%s --target-env vulkan1.3 -", spirv_val);
   pipe = popen(command, "w");
   CHECK(pipe);
   if (pipe) {
      /* Little-endian, because spirv-val reads the strings of a big-endian file in another order than that of SPIR-V. */
      for (size_t i = 0; i < result->num_words; i++) {
         for (int shift = 0; shift < 32; shift += 8)
            CHECK(fputc(result->words[i] >> shift & 0xff, pipe) != EOF);
      }
      CHECK(pclose(pipe) == 0);
   }
}

static void
translate(struct ntvr_translator *translator, const struct ntvr_wire *w, struct ntvr_result *result)
{
   struct ntvr_target target = {.struct_size = sizeof(target)};

   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   enum ntvr_status status = ntvr_translate(translator, &target, w->words, w->len, NULL, result);
   if (result->error)
      fprintf(stderr, "%s\n", result->error);
   CHECK(status == NTVR_OK && !result->error);
   CHECK(result->num_words > 5 && result->words[0] == 0x07230203 && result->words[1] == 0x00010600);
   validate(result);
}

/* The word of the only patch of this kind and owner. */
static uint32_t *
patched_word(const struct ntvr_result *result, enum ntvr_patch_kind kind, uint32_t of)
{
   uint32_t *word = NULL;

   for (size_t i = 0; i < result->num_patches; i++) {
      const struct ntvr_patch *patch = &result->patches[i];
      CHECK(patch->word > 5 && patch->word < result->num_words);
      CHECK(i == 0 || result->patches[i - 1].word < patch->word);
      if (patch->kind == kind && patch->of == of) {
         CHECK(!word);
         word = &result->words[patch->word];
      }
   }
   CHECK(word);
   return word;
}

/* Moves the only binding, and checks that the word is the one that ends `OpDecorate %variable Binding`. */
static void
move_binding(struct ntvr_result *result)
{
   uint32_t *set = patched_word(result, NTVR_PATCH_DESCRIPTOR_SET, 0), *binding = patched_word(result, NTVR_PATCH_BINDING, 0);

   if (!set || !binding)
      return;
   CHECK(set[-3] == (4u << 16 | 71) && set[-1] == 34 && *set == result->bindings[0].set);
   CHECK(binding[-3] == (4u << 16 | 71) && binding[-1] == 33 && *binding == result->bindings[0].binding);
   *set = 1;
   *binding = 9;
   validate(result);
}

static void
test_shaders(void)
{
   struct ntvr_translator *translator = ntvr_translator_create();
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_wire w = {0};

   CHECK(translator);
   CHECK(build_compute(&w));
   translate(translator, &w, &result);
   CHECK(result.workgroup_size[0] == 4 && result.workgroup_size[1] == 2 && result.workgroup_size[2] == 1);
   CHECK(result.patch_vertices_word == 0);
   CHECK(result.num_bindings == 1 && result.bindings[0].set == 2 && result.bindings[0].binding == 5);
   CHECK(result.bindings[0].kind == NTVR_DESCRIPTOR_STORAGE_BUFFER && result.bindings[0].count == 1);
   CHECK(result.bindings[0].min_range == 0);
   CHECK(result.num_varyings == 0 && !result.varyings);
   for (uint32_t axis = 0; axis < 3; axis++) {
      uint32_t *size = patched_word(&result, NTVR_PATCH_LOCAL_SIZE, axis);
      CHECK(size && *size == result.workgroup_size[axis]);
   }
   move_binding(&result);
   ntvr_result_free(&result, NULL);

   CHECK(build_fragment(&w));
   translate(translator, &w, &result);
   CHECK(result.num_bindings == 1 && result.bindings[0].binding == 3);
   CHECK(result.bindings[0].kind == NTVR_DESCRIPTOR_COMBINED_IMAGE_SAMPLER);
   CHECK(result.num_varyings == 1 && result.varyings[0].is_output && result.varyings[0].builtin == NTVR_NONE);
   CHECK(result.varyings[0].num_locations == 1 && result.varyings[0].num_components == 4);
   uint32_t *location = patched_word(&result, NTVR_PATCH_LOCATION, 0);
   CHECK(location && *location == result.varyings[0].location);
   move_binding(&result);
   ntvr_result_free(&result, NULL);

   CHECK(build_tess_ctrl(&w));
   translate(translator, &w, &result);
   CHECK(result.patch_vertices_word > 5 && result.words[result.patch_vertices_word] == 3);
   CHECK(patched_word(&result, NTVR_PATCH_OUTPUT_VERTICES, 0) == &result.words[result.patch_vertices_word]);
   result.words[result.patch_vertices_word] = 4;
   validate(&result);
   ntvr_result_free(&result, NULL);

   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* Translates `len` malformed words, and checks that the error has `text`. */
static void
expect_error(struct ntvr_translator *translator, const uint32_t *words, size_t len, enum ntvr_status status, const char *text)
{
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_result result = {.struct_size = sizeof(result)};

   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   CHECK(ntvr_translate(translator, &target, words, len, NULL, &result) == status);
   CHECK(result.error && strstr(result.error, text));
   if (result.error && !strstr(result.error, text))
      fprintf(stderr, "%s\n", result.error);
   CHECK(!result.words && !result.bindings && !result.varyings && !result.patches);
   ntvr_result_free(&result, NULL);
}

/* A driver hashes targets as memory. */
static void
test_targets(void)
{
   struct ntvr_target targets[2];

   for (size_t at = 0; at < 2; at++) {
      memset(&targets[at], at ? 0xaa : 0x55, sizeof(targets[at]));
      targets[at].struct_size = sizeof(targets[at]);
      CHECK(ntvr_target_init(&targets[at], VULKAN_1_3));
      CHECK(ntvr_target_enable(&targets[at], "shaderFloat64", false));
   }
   CHECK(memcmp(&targets[0], &targets[1], sizeof(targets[0])) == 0);
}

static void
test_errors(void)
{
   struct ntvr_translator *translator = ntvr_translator_create();
   struct ntvr_wire w = {0};

   CHECK(build_compute(&w));
   expect_error(NULL, w.words, w.len, NTVR_ERROR_ARGUMENT, "translator is NULL");
   expect_error(translator, NULL, 0, NTVR_ERROR_ARGUMENT, "wire is NULL");
   for (size_t len = 0; len < w.len; len++)
      expect_error(translator, w.words, len, NTVR_ERROR_MALFORMED, len < 3 ? "not a wire" : "should have");
   w.words[1]++;
   expect_error(translator, w.words, w.len, NTVR_ERROR_MALFORMED, "reads version 7");

   CHECK(build_compute(&w));
   CHECK(ntvr_wire_number(NTVR_TABLE_ALU, "vec2_of_the_future") == NTVR_NONE);
   CHECK(ntvr_wire_number(NTVR_TABLE_FORMAT, NULL) == NTVR_NONE);
   CHECK(ntvr_wire_index(ntvr_wire_number(NTVR_TABLE_INTRINSIC, "load_ubo"), "write_mask") == NTVR_NONE);
   CHECK(ntvr_wire_num_indices(NTVR_NONE) == 0);
   w.words[4] = NTVR_NONE;
   expect_error(translator, w.words, w.len, NTVR_ERROR_MALFORMED, "stages and flags");

   add_to_compute(&w, 1000);
   expect_error(translator, w.words, w.len, NTVR_ERROR_MALFORMED, "there is no ALU opcode 1000");
   add_to_compute(&w, ntvr_wire_number(NTVR_TABLE_ALU, "fadd"));
   expect_error(translator, w.words, w.len, NTVR_ERROR_INVALID, "fadd");

   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* An allocator that keeps count. */
static void *
count_alloc(void *user, size_t size)
{
   ++*(int *)user;
   return malloc(size);
}

static void
count_free(void *user, void *memory)
{
   --*(int *)user;
   free(memory);
}

static void
test_allocator(void)
{
   struct ntvr_translator *translator = ntvr_translator_create();
   int live = 0;
   struct ntvr_options options = {
      .struct_size = sizeof(options), .flags = NTVR_OPTION_NAMES, .allocator = {count_alloc, count_free, &live}};
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_wire w = {0};

   CHECK(build_fragment(&w));
   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   CHECK(ntvr_target_enable(&target, "shaderInt64", false) && !ntvr_target_enable(&target, "shaderInt65", true));
   CHECK(ntvr_translate(translator, &target, w.words, w.len, &options, &result) == NTVR_OK);
   /* Words, bindings, varyings, patches. */
   CHECK(live == 4);
   ntvr_result_free(&result, &options);
   CHECK(live == 0);
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* A shader that its caller guarantees to be valid has the same words. */
static void
test_vouched(void)
{
   const struct ntvr_options options = {.struct_size = sizeof(options), .flags = NTVR_OPTION_VALID_NIR};
   struct ntvr_translator *translator = ntvr_translator_create();
   struct ntvr_result result[2] = {{.struct_size = sizeof(*result)}, {.struct_size = sizeof(*result)}};
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_wire w = {0};

   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   for (int i = 0; i < 2; i++) {
      CHECK(i ? build_compute(&w) : build_fragment(&w));
      CHECK(ntvr_translate(translator, &target, w.words, w.len, NULL, &result[0]) == NTVR_OK);
      CHECK(ntvr_translate(translator, &target, w.words, w.len, &options, &result[1]) == NTVR_OK);
      CHECK(result[0].num_words == result[1].num_words);
      CHECK(!memcmp(result[0].words, result[1].words, result[0].num_words * sizeof(uint32_t)));
      ntvr_result_free(&result[0], NULL);
      ntvr_result_free(&result[1], &options);
   }
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* The work of each thread, with its own translator and with one that all share. */
struct job {
   struct ntvr_translator *shared;
   const struct ntvr_result *expected;
   bool same;
};

static void *
run_job(void *data)
{
   struct job *job = data;
   struct ntvr_translator *own = ntvr_translator_create();
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_wire w = {0};

   job->same = own && ntvr_target_init(&target, VULKAN_1_3);
   for (int i = 0; i < ROUNDS; i++) {
      struct ntvr_result result = {.struct_size = sizeof(result)};
      bool built = i % 2 ? build_compute(&w) : build_fragment(&w);
      enum ntvr_status status = ntvr_translate(i % 3 ? own : job->shared, &target, w.words, w.len, NULL, &result);
      const struct ntvr_result *expected = &job->expected[i % 2];
      job->same &= built && status == NTVR_OK && result.num_words == expected->num_words &&
                   !memcmp(result.words, expected->words, result.num_words * sizeof(uint32_t));
      ntvr_result_free(&result, NULL);
   }
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(own);
   return NULL;
}

static void
test_threads(void)
{
   struct ntvr_translator *translator = ntvr_translator_create();
   struct ntvr_result expected[2] = {{.struct_size = sizeof(*expected)}, {.struct_size = sizeof(*expected)}};
   struct job jobs[NUM_THREADS];
   pthread_t threads[NUM_THREADS];
   struct ntvr_wire w = {0};

   CHECK(build_fragment(&w));
   translate(translator, &w, &expected[0]);
   CHECK(build_compute(&w));
   translate(translator, &w, &expected[1]);
   for (int i = 0; i < NUM_THREADS; i++) {
      jobs[i] = (struct job){.shared = translator, .expected = expected};
      CHECK(!pthread_create(&threads[i], NULL, run_job, &jobs[i]));
   }
   for (int i = 0; i < NUM_THREADS; i++) {
      CHECK(!pthread_join(threads[i], NULL));
      CHECK(jobs[i].same);
   }
   ntvr_result_free(&expected[0], NULL);
   ntvr_result_free(&expected[1], NULL);
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* A module with tables: stored, loaded, linked, and written for two keys. */
static void
test_modules(void)
{
   struct ntvr_translator *translator = ntvr_translator_create();
   const struct ntvr_key plain = {.struct_size = sizeof(plain)};
   const struct ntvr_key stripped = {.struct_size = sizeof(stripped), .bits = NTVR_KEY_STRIP};
   const struct ntvr_key *keys[] = {&plain, &stripped};
   const struct ntvr_options options = {.struct_size = sizeof(options), .flags = NTVR_OPTION_NAMES};
   struct ntvr_module *module = NULL, *loaded = NULL, *linked = NULL;
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_result words[2] = {{.struct_size = sizeof(*words)}, {.struct_size = sizeof(*words)}};
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_key seen = {.struct_size = sizeof(seen)};
   struct ntvr_wire w = {0};

   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   CHECK(build_fragment(&w));
   CHECK(ntvr_module_create(translator, &target, w.words, w.len, UINT64_MAX, &module, &options, &result) == NTVR_OK);
   ntvr_result_free(&result, &options);
   CHECK(ntvr_module_store(module, NULL, &result) == NTVR_OK);
   CHECK(ntvr_module_load(result.words, result.num_words, &loaded, NULL, NULL) == NTVR_OK);
   ntvr_result_free(&result, NULL);
   CHECK(ntvr_link((const struct ntvr_module *const *)&loaded, 1, NULL, &linked, NULL, NULL) == NTVR_OK);
   CHECK(ntvr_program_keys((const struct ntvr_module *const *)&linked, 1, &stripped, &seen, NULL, NULL) == NTVR_OK);
   CHECK(ntvr_key_alpha_test(NTVR_ALPHA_TEST_GEQUAL) == UINT64_C(7) << 40);
   CHECK(seen.bits == NTVR_KEY_STRIP && ntvr_key_dither(1, NTVR_DITHER_565) == UINT64_C(0xc0000));
   for (int i = 0; i < 2; i++) {
      CHECK(ntvr_module_instantiate(linked, keys[i], NULL, &words[i]) == NTVR_OK);
      move_binding(&words[i]);
      validate(&words[i]);
   }
   CHECK(words[1].num_words < words[0].num_words);
   for (int i = 0; i < 2; i++)
      ntvr_result_free(&words[i], NULL);
   ntvr_module_destroy(linked);
   ntvr_module_destroy(loaded);
   ntvr_module_destroy(module);
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

/* A shader that writes captures itself, and its parameters. */
static void
test_captures(void)
{
   struct ntvr_translator *translator = ntvr_translator_create();
   const struct ntvr_xfb_options xfb = {.struct_size = sizeof(xfb), .back_end = NTVR_XFB_STORAGE, .set = 2, .binding = 10};
   const struct ntvr_options options = {.struct_size = sizeof(options), .xfb = &xfb};
   struct ntvr_xfb_state state = {
      .struct_size = sizeof(state), .is_active = true, .topology = NTVR_TOPOLOGY_LINE_STRIP, .vertices = 4, .instances = 1, .primitives_most = 9};
   const uint32_t indices[] = {7, 8, 9}, restart = 8;
   uint32_t words[NTVR_XFB_STATE_WORDS] = {0}, list[4];
   struct ntvr_result result = {.struct_size = sizeof(result)};
   struct ntvr_target target = {.struct_size = sizeof(target)};
   struct ntvr_wire w = {0};

   CHECK(build_captured(&w));
   CHECK(ntvr_target_init(&target, VULKAN_1_3));
   CHECK(ntvr_translate(translator, &target, w.words, w.len, &options, &result) == NTVR_OK);
   if (result.error)
      fprintf(stderr, "%s\n", result.error);
   validate(&result);
   /* The captures, the state and the list. */
   CHECK(result.num_bindings == 3);
   for (size_t i = 0; i < result.num_bindings; i++) {
      uint32_t after = result.bindings[i].binding - xfb.binding;
      CHECK(result.bindings[i].set == xfb.set && result.bindings[i].kind == NTVR_DESCRIPTOR_STORAGE_BUFFER);
      CHECK(after == 1 || after == NTVR_XFB_STATE_BINDING || after == NTVR_XFB_LIST_BINDING);
   }
   ntvr_result_free(&result, &options);

   CHECK(ntvr_xfb_state_words(&state, words) && words[0] == 1 && words[4] == 4);
   CHECK(ntvr_topology_primitives(NTVR_TOPOLOGY_LINE_STRIP, 4) == 3);
   CHECK(ntvr_topology_vertices_per_primitive(NTVR_TOPOLOGY_LINE_STRIP) == 2);
   CHECK(ntvr_emission_list(NTVR_TOPOLOGY_LINE_STRIP, false, indices, 3, NULL, list, 4) == 4);
   CHECK(list[0] == 7 && list[1] == 8 && list[2] == 8 && list[3] == 9);
   CHECK(ntvr_emission_list(NTVR_TOPOLOGY_LINE_STRIP, false, indices, 3, &restart, list, 4) == 0);
   state.topology = NTVR_TOPOLOGY_TRIANGLE_FAN + 1;
   CHECK(!ntvr_xfb_state_words(&state, words));
   ntvr_wire_fini(&w);
   ntvr_translator_destroy(translator);
}

int
main(int argc, char **argv)
{
   spirv_val = argc > 1 ? argv[1] : NULL;
   CHECK(!ntvr_check_version());
   /* The same numbers as in ffi/src/tests/agreement.rs. */
   CHECK(ntvr_io_semantics(33, 5, 0xe4, NTVR_IO_DUALSRC | NTVR_IO_INVARIANT) == 0x105c82a1);
   CHECK((ntvr_io_xfb(4, 2, 200) | ntvr_io_xfb(1, 3, 7) << 16) == 0x0731c824);
   test_shaders();
   test_targets();
   test_errors();
   test_allocator();
   test_vouched();
   test_threads();
   test_modules();
   test_captures();
   if (!failures)
      printf("ntv %s: all is well\n", ntvr_version());
   return failures ? 1 : 0;
}
