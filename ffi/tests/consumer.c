/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A small driver: builds shaders through ntv_wire.h, translates them and checks the results.
 *
 * usage: consumer [SPIRV-VAL]    also validates each module with the program
 */

#define _POSIX_C_SOURCE 200809L /* popen */

#include "build.h"
#include "ntv_module.h"
#include "ntv_xfb.h"

#include <pthread.h>

#define NUM_THREADS 16
#define ROUNDS 20

static const char *spirv_val;

static uint32_t
deref_var(struct ntv_wire *w, uint32_t variable)
{
   const struct ntv_deref_result result = {.bits = 32};

   return ntv_wire_deref(w, NTV_DEREF_VAR, result, variable, 0, 0);
}

/* Counts to ten in a loop, and stores the count to a buffer and to shared memory. Returns the number of a boolean. */
static uint32_t
write_compute(struct ntv_wire *w)
{
   const struct index coherent[] = {{"write_mask", 1}, {"access", NTV_ACCESS_COHERENT}};
   const struct index written[] = {{"write_mask", 1}};
   const struct index atomic[] = {{"atomic_op", NTV_ATOMIC_OP_UMAX}};
   const struct ntv_shader shader = {
      .stage = NTV_STAGE_COMPUTE, .workgroup_size = {4, 2, 1}, .next_stage = NTV_NONE, .num_ssbos = 1, .shared_size = 16,
      .entry = "main", .name = "count"};

   ntv_wire_begin(w, &shader);
   ntv_wire_info(w, NTV_INFO_SYSTEM_VALUES_READ, 0);
   NTV_WIRE_WRITE(w, 0, 1, 0);
   ntv_wire_directive(w, NTV_DIRECTIVE_SHARED_OFFSET_UNITS, NTV_OFFSET_UNITS_BYTES);

   uint32_t uint = ntv_wire_type(w, NTV_TYPE_VECTOR, ntv_alu_type(NTV_BASE_UINT, 32), 1, 0);
   uint32_t array = ntv_wire_type(w, NTV_TYPE_ARRAY, uint, 4, 0);
   uint32_t run_time = ntv_wire_type(w, NTV_TYPE_ARRAY, uint, NTV_NONE, 4);
   uint32_t block = ntv_wire_type_struct(w, "block", 1);
   ntv_wire_type_field(w, "unsized", run_time, 0);

   struct ntv_variable ssbo;
   ntv_variable_init(&ssbo, "out", block, NTV_MODE_SSBO);
   ssbo.descriptor_set = 2;
   ssbo.binding = 5;
   uint32_t out = ntv_wire_variable(w, &ssbo);
   struct ntv_variable shared;
   ntv_variable_init(&shared, "numbers", array, NTV_MODE_SHARED);
   uint32_t numbers = ntv_wire_variable(w, &shared);

   uint32_t before = ntv_wire_block(w);
   uint32_t zero = const32(w, 0);
   uint32_t ten = const32(w, 10);
   uint32_t one = const32(w, 1);
   ntv_wire_plain(w, NTV_PLAIN_UNDEF, 1, 32);
   ntv_wire_control(w, NTV_CONTROL_LOOP);
   ntv_wire_block(w);
   uint32_t count = ntv_wire_plain(w, NTV_PLAIN_PHI, 1, 32);
   uint32_t enough = alu2(w, "ige", 1, 1, count, ten);
   ntv_wire_if(w, enough, NTV_HINT_DONT_FLATTEN);
   ntv_wire_block(w);
   ntv_wire_plain(w, NTV_PLAIN_BREAK, 0, 0);
   ntv_wire_control(w, NTV_CONTROL_ELSE);
   ntv_wire_block(w);
   ntv_wire_control(w, NTV_CONTROL_END_IF);
   uint32_t behind = ntv_wire_block(w);
   uint32_t more = alu2(w, "iadd", 1, 32, count, one);
   ntv_wire_phi_src(w, count, before, zero);
   ntv_wire_phi_src(w, count, behind, more);
   ntv_wire_control(w, NTV_CONTROL_END_LOOP);

   ntv_wire_block(w);
   struct ntv_deref_result member = {32, run_time, NTV_MODE_SSBO};
   struct ntv_deref_result element = {32, uint, NTV_MODE_SSBO};
   uint32_t pointer = deref_var(w, out);
   pointer = ntv_wire_deref(w, NTV_DEREF_STRUCT, member, pointer, 0, 0);
   pointer = ntv_wire_deref(w, NTV_DEREF_ARRAY, element, pointer, zero, 0);
   intrinsic2(w, "store_deref", 0, 0, pointer, count, coherent, 2);

   struct ntv_deref_result part = {32, uint, NTV_MODE_SHARED};
   uint32_t start = deref_var(w, numbers);
   pointer = ntv_wire_deref(w, NTV_DEREF_ARRAY_IMM, part, start, 3, 0);
   intrinsic2(w, "store_deref", 0, 0, pointer, count, written, 1);
   pointer = ntv_wire_deref(w, NTV_DEREF_ARRAY, part, start, one, 0);
   intrinsic2(w, "deref_atomic", 1, 32, pointer, ten, atomic, 1);
   return enough;
}

static bool
build_compute(struct ntv_wire *w)
{
   write_compute(w);
   return ntv_wire_end(w);
}

/* The same with an ALU instruction after it, whose sources are booleans. */
static void
add_to_compute(struct ntv_wire *w, uint32_t op)
{
   uint32_t boolean = write_compute(w);

   ntv_wire_alu(w, op, 0, 1, 32);
   ntv_wire_alu_src(w, 0, boolean, xyzw, 1);
   ntv_wire_alu_src(w, 0, boolean, xyzw, 1);
   CHECK(ntv_wire_end(w));
}

/* Samples a texture at the centre of a texel and writes the colour. */
static bool
build_fragment(struct ntv_wire *w)
{
   const struct ntv_shader shader = {.stage = NTV_STAGE_FRAGMENT, .next_stage = NTV_NONE, .entry = "main"};
   const uint32_t float32 = ntv_alu_type(NTV_BASE_FLOAT, 32);
   const struct index output[] = {{"range", 1},
                                  {"write_mask", 15},
                                  {"src_type", float32},
                                  {"io_semantics", ntv_io_semantics(4 /* FRAG_RESULT_DATA0 */, 1, 0, 0)}};

   ntv_wire_begin(w, &shader);
   ntv_wire_info(w, NTV_INFO_ORIGIN_UPPER_LEFT, 1);
   ntv_wire_info_text(w, NTV_INFO_COLOR0_INTERP, "INTERP_MODE_NONE");
   uint32_t sampler = ntv_wire_type(w, NTV_TYPE_TEXTURE, NTV_DIM_2D, 0, float32);
   struct ntv_variable texture;
   ntv_variable_init(&texture, "texture", sampler, NTV_MODE_UNIFORM);
   texture.binding = 3;
   uint32_t variable = ntv_wire_variable(w, &texture);

   ntv_wire_block(w);
   uint32_t half = ntv_wire_const(w, 2, 32);
   NTV_WIRE_WRITE(w, 0x3f000000, 0x3f000000);
   uint32_t centre = alu2(w, "fadd", 2, 32, half, half);
   uint32_t zero = const32(w, 0);
   uint32_t deref = deref_var(w, variable);
   const struct ntv_tex tex = {.op = NTV_TEX_OP_TEX, .dest_type = float32};
   uint32_t colour = ntv_wire_tex(w, &tex, 4, 32, 3);
   ntv_wire_tex_src(w, NTV_TEX_SRC_TEXTURE_DEREF, deref);
   ntv_wire_tex_src(w, NTV_TEX_SRC_SAMPLER_DEREF, deref);
   ntv_wire_tex_src(w, NTV_TEX_SRC_COORD, centre);
   intrinsic2(w, "store_output", 0, 0, colour, zero, output, 4);
   return ntv_wire_end(w);
}

/* Writes the number of a vertex to an output that transform feedback captures. */
static bool
build_captured(struct ntv_wire *w)
{
   const struct ntv_shader shader = {.stage = NTV_STAGE_VERTEX, .next_stage = NTV_NONE, .entry = "main"};
   struct ntv_variable number;

   ntv_wire_begin(w, &shader);
   uint32_t type = ntv_wire_type(w, NTV_TYPE_VECTOR, ntv_alu_type(NTV_BASE_UINT, 32), 1, 0);
   ntv_variable_init(&number, "number", type, NTV_MODE_SHADER_OUT);
   number.location = 32; /* VARYING_SLOT_VAR0 */
   number.driver_location = 0;
   number.xfb_buffer = 1;
   number.xfb_stride = 4;
   number.xfb_offset = 0;
   uint32_t variable = ntv_wire_variable(w, &number);
   ntv_wire_block(w);
   const struct index written[] = {{"write_mask", 1}};
   uint32_t vertex = ntv_wire_intrinsic(w, ntv_wire_number(NTV_TABLE_INTRINSIC, "load_vertex_id"), 1, 32);
   uint32_t pointer = deref_var(w, variable);
   intrinsic2(w, "store_deref", 0, 0, pointer, vertex, written, 1);
   return ntv_wire_end(w);
}

/* Makes patches of three vertices. */
static bool
build_tess_ctrl(struct ntv_wire *w)
{
   const struct ntv_shader shader = {.stage = NTV_STAGE_TESS_CTRL, .next_stage = NTV_STAGE_TESS_EVAL, .entry = "main"};

   ntv_wire_begin(w, &shader);
   ntv_wire_info(w, NTV_INFO_TCS_VERTICES_OUT, 3);
   ntv_wire_block(w);
   return ntv_wire_end(w);
}

/* Validates a module. */
static void
validate(const struct ntv_result *result)
{
   char command[4096];
   FILE *pipe;

   if (!spirv_val)
      return;
   snprintf(command, sizeof(command), "%s --target-env vulkan1.3 -", spirv_val);
   pipe = popen(command, "w");
   CHECK(pipe);
   if (pipe) {
      CHECK(fwrite(result->words, sizeof(uint32_t), result->num_words, pipe) == result->num_words);
      CHECK(pclose(pipe) == 0);
   }
}

static void
translate(struct ntv_translator *translator, const struct ntv_wire *w, struct ntv_result *result)
{
   struct ntv_target target;

   CHECK(ntv_target_init(&target, VULKAN_1_3));
   enum ntv_status status = ntv_translate(translator, &target, w->words, w->len, NULL, result);
   if (result->error)
      fprintf(stderr, "%s\n", result->error);
   CHECK(status == NTV_OK && !result->error);
   CHECK(result->num_words > 5 && result->words[0] == 0x07230203 && result->words[1] == 0x00010600);
   validate(result);
}

/* The word of the only patch of this kind and owner. */
static uint32_t *
patched_word(const struct ntv_result *result, enum ntv_patch_kind kind, uint32_t of)
{
   uint32_t *word = NULL;

   for (size_t i = 0; i < result->num_patches; i++) {
      const struct ntv_patch *patch = &result->patches[i];
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
move_binding(struct ntv_result *result)
{
   uint32_t *set = patched_word(result, NTV_PATCH_DESCRIPTOR_SET, 0), *binding = patched_word(result, NTV_PATCH_BINDING, 0);

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
   struct ntv_translator *translator = ntv_translator_create();
   struct ntv_result result;
   struct ntv_wire w = {0};

   CHECK(translator);
   CHECK(build_compute(&w));
   translate(translator, &w, &result);
   CHECK(result.workgroup_size[0] == 4 && result.workgroup_size[1] == 2 && result.workgroup_size[2] == 1);
   CHECK(result.tcs_vertices_out_word == 0);
   CHECK(result.num_bindings == 1 && result.bindings[0].set == 2 && result.bindings[0].binding == 5);
   CHECK(result.bindings[0].kind == NTV_DESCRIPTOR_STORAGE_BUFFER && result.bindings[0].count == 1);
   CHECK(result.bindings[0].min_range == 0);
   CHECK(result.num_varyings == 0 && !result.varyings);
   for (uint32_t axis = 0; axis < 3; axis++) {
      uint32_t *size = patched_word(&result, NTV_PATCH_LOCAL_SIZE, axis);
      CHECK(size && *size == result.workgroup_size[axis]);
   }
   move_binding(&result);
   ntv_result_free(&result, NULL);

   CHECK(build_fragment(&w));
   translate(translator, &w, &result);
   CHECK(result.num_bindings == 1 && result.bindings[0].binding == 3);
   CHECK(result.bindings[0].kind == NTV_DESCRIPTOR_COMBINED_IMAGE_SAMPLER);
   CHECK(result.num_varyings == 1 && result.varyings[0].is_output && result.varyings[0].builtin == NTV_NONE);
   CHECK(result.varyings[0].num_locations == 1 && result.varyings[0].num_components == 4);
   uint32_t *location = patched_word(&result, NTV_PATCH_LOCATION, 0);
   CHECK(location && *location == result.varyings[0].location);
   move_binding(&result);
   ntv_result_free(&result, NULL);

   CHECK(build_tess_ctrl(&w));
   translate(translator, &w, &result);
   CHECK(result.tcs_vertices_out_word > 5 && result.words[result.tcs_vertices_out_word] == 3);
   CHECK(patched_word(&result, NTV_PATCH_OUTPUT_VERTICES, 0) == &result.words[result.tcs_vertices_out_word]);
   result.words[result.tcs_vertices_out_word] = 4;
   validate(&result);
   ntv_result_free(&result, NULL);

   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
}

/* Translates `len` malformed words, and checks that the error has `text`. */
static void
expect_error(struct ntv_translator *translator, const uint32_t *words, size_t len, enum ntv_status status, const char *text)
{
   struct ntv_target target;
   struct ntv_result result;

   CHECK(ntv_target_init(&target, VULKAN_1_3));
   CHECK(ntv_translate(translator, &target, words, len, NULL, &result) == status);
   CHECK(result.error && strstr(result.error, text));
   if (result.error && !strstr(result.error, text))
      fprintf(stderr, "%s\n", result.error);
   CHECK(!result.words && !result.bindings && !result.varyings && !result.patches);
   ntv_result_free(&result, NULL);
}

/* A driver hashes targets as memory. */
static void
test_targets(void)
{
   struct ntv_target targets[2];

   for (size_t at = 0; at < 2; at++) {
      memset(&targets[at], at ? 0xaa : 0x55, sizeof(targets[at]));
      CHECK(ntv_target_init(&targets[at], VULKAN_1_3));
      CHECK(ntv_target_enable(&targets[at], "shaderFloat64", false));
   }
   CHECK(memcmp(&targets[0], &targets[1], sizeof(targets[0])) == 0);
}

static void
test_errors(void)
{
   struct ntv_translator *translator = ntv_translator_create();
   struct ntv_wire w = {0};

   CHECK(build_compute(&w));
   expect_error(NULL, w.words, w.len, NTV_ERROR_ARGUMENT, "translator is NULL");
   expect_error(translator, NULL, 0, NTV_ERROR_ARGUMENT, "wire is NULL");
   for (size_t len = 0; len < w.len; len++)
      expect_error(translator, w.words, len, NTV_ERROR_MALFORMED, len < 3 ? "not a wire" : "should have");
   w.words[1]++;
   expect_error(translator, w.words, w.len, NTV_ERROR_MALFORMED, "reads version 7");

   CHECK(build_compute(&w));
   CHECK(ntv_wire_number(NTV_TABLE_ALU, "vec2_of_the_future") == NTV_NONE);
   CHECK(ntv_wire_number(NTV_TABLE_FORMAT, NULL) == NTV_NONE);
   CHECK(ntv_wire_index(ntv_wire_number(NTV_TABLE_INTRINSIC, "load_ubo"), "write_mask") == NTV_NONE);
   CHECK(ntv_wire_num_indices(NTV_NONE) == 0);
   w.words[4] = NTV_NONE;
   expect_error(translator, w.words, w.len, NTV_ERROR_MALFORMED, "stages and flags");

   add_to_compute(&w, 1000);
   expect_error(translator, w.words, w.len, NTV_ERROR_MALFORMED, "there is no ALU opcode 1000");
   add_to_compute(&w, ntv_wire_number(NTV_TABLE_ALU, "fadd"));
   expect_error(translator, w.words, w.len, NTV_ERROR_INVALID, "fadd");

   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
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
   struct ntv_translator *translator = ntv_translator_create();
   int live = 0;
   struct ntv_options options = {.flags = NTV_OPTION_NAMES, .allocator = {count_alloc, count_free, &live}};
   struct ntv_target target;
   struct ntv_result result;
   struct ntv_wire w = {0};

   CHECK(build_fragment(&w));
   CHECK(ntv_target_init(&target, VULKAN_1_3));
   CHECK(ntv_target_enable(&target, "shaderInt64", false) && !ntv_target_enable(&target, "shaderInt65", true));
   CHECK(ntv_translate(translator, &target, w.words, w.len, &options, &result) == NTV_OK);
   /* Words, bindings, varyings, patches. */
   CHECK(live == 4);
   ntv_result_free(&result, &options);
   CHECK(live == 0);
   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
}

/* A shader that its caller guarantees to be valid has the same words. */
static void
test_vouched(void)
{
   const struct ntv_options options = {.flags = NTV_OPTION_VALID_NIR};
   struct ntv_translator *translator = ntv_translator_create();
   struct ntv_result result[2];
   struct ntv_target target;
   struct ntv_wire w = {0};

   CHECK(ntv_target_init(&target, VULKAN_1_3));
   for (int i = 0; i < 2; i++) {
      CHECK(i ? build_compute(&w) : build_fragment(&w));
      CHECK(ntv_translate(translator, &target, w.words, w.len, NULL, &result[0]) == NTV_OK);
      CHECK(ntv_translate(translator, &target, w.words, w.len, &options, &result[1]) == NTV_OK);
      CHECK(result[0].num_words == result[1].num_words);
      CHECK(!memcmp(result[0].words, result[1].words, result[0].num_words * sizeof(uint32_t)));
      ntv_result_free(&result[0], NULL);
      ntv_result_free(&result[1], &options);
   }
   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
}

/* The work of each thread, with its own translator and with one that all share. */
struct job {
   struct ntv_translator *shared;
   const struct ntv_result *expected;
   bool same;
};

static void *
run_job(void *data)
{
   struct job *job = data;
   struct ntv_translator *own = ntv_translator_create();
   struct ntv_target target;
   struct ntv_wire w = {0};

   job->same = own && ntv_target_init(&target, VULKAN_1_3);
   for (int i = 0; i < ROUNDS; i++) {
      struct ntv_result result;
      bool built = i % 2 ? build_compute(&w) : build_fragment(&w);
      enum ntv_status status = ntv_translate(i % 3 ? own : job->shared, &target, w.words, w.len, NULL, &result);
      const struct ntv_result *expected = &job->expected[i % 2];
      job->same &= built && status == NTV_OK && result.num_words == expected->num_words &&
                   !memcmp(result.words, expected->words, result.num_words * sizeof(uint32_t));
      ntv_result_free(&result, NULL);
   }
   ntv_wire_fini(&w);
   ntv_translator_destroy(own);
   return NULL;
}

static void
test_threads(void)
{
   struct ntv_translator *translator = ntv_translator_create();
   struct ntv_result expected[2];
   struct job jobs[NUM_THREADS];
   pthread_t threads[NUM_THREADS];
   struct ntv_wire w = {0};

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
   ntv_result_free(&expected[0], NULL);
   ntv_result_free(&expected[1], NULL);
   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
}

/* A module with tables: stored, loaded, linked, and written for two keys. */
static void
test_modules(void)
{
   struct ntv_translator *translator = ntv_translator_create();
   const struct ntv_key plain = {0}, stripped = {.bits = NTV_KEY_STRIP};
   const struct ntv_key *keys[] = {&plain, &stripped};
   const struct ntv_options options = {.flags = NTV_OPTION_NAMES};
   struct ntv_module *module = NULL, *loaded = NULL, *linked = NULL;
   struct ntv_result result, words[2];
   struct ntv_target target;
   struct ntv_key seen;
   struct ntv_wire w = {0};

   CHECK(ntv_target_init(&target, VULKAN_1_3));
   CHECK(build_fragment(&w));
   CHECK(ntv_module_create(translator, &target, w.words, w.len, UINT64_MAX, &module, &options, &result) == NTV_OK);
   ntv_result_free(&result, &options);
   CHECK(ntv_module_store(module, NULL, &result) == NTV_OK);
   CHECK(ntv_module_load(result.words, result.num_words, &loaded, NULL, NULL) == NTV_OK);
   ntv_result_free(&result, NULL);
   CHECK(ntv_link((const struct ntv_module *const *)&loaded, 1, NULL, &linked, NULL, NULL) == NTV_OK);
   CHECK(ntv_program_keys((const struct ntv_module *const *)&linked, 1, &stripped, &seen, NULL, NULL) == NTV_OK);
   CHECK(ntv_key_alpha_test(NTV_ALPHA_TEST_GEQUAL) == UINT64_C(7) << 40);
   CHECK(seen.bits == NTV_KEY_STRIP && ntv_key_dither(1, NTV_DITHER_565) == UINT64_C(0xc0000));
   for (int i = 0; i < 2; i++) {
      CHECK(ntv_module_instantiate(linked, keys[i], NULL, &words[i]) == NTV_OK);
      move_binding(&words[i]);
      validate(&words[i]);
   }
   CHECK(words[1].num_words < words[0].num_words);
   for (int i = 0; i < 2; i++)
      ntv_result_free(&words[i], NULL);
   ntv_module_destroy(linked);
   ntv_module_destroy(loaded);
   ntv_module_destroy(module);
   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
}

/* A shader that writes captures itself, and its parameters. */
static void
test_captures(void)
{
   struct ntv_translator *translator = ntv_translator_create();
   const struct ntv_xfb_options xfb = {.back_end = NTV_XFB_STORAGE, .set = 2, .binding = 10};
   const struct ntv_options options = {.xfb = &xfb};
   struct ntv_xfb_state state = {
      .is_active = true, .topology = NTV_TOPOLOGY_LINE_STRIP, .vertices = 4, .instances = 1, .primitives_most = 9};
   const uint32_t indices[] = {7, 8, 9}, restart = 8;
   uint32_t words[NTV_XFB_STATE_WORDS] = {0}, list[4];
   struct ntv_result result;
   struct ntv_target target;
   struct ntv_wire w = {0};

   CHECK(build_captured(&w));
   CHECK(ntv_target_init(&target, VULKAN_1_3));
   CHECK(ntv_translate(translator, &target, w.words, w.len, &options, &result) == NTV_OK);
   if (result.error)
      fprintf(stderr, "%s\n", result.error);
   validate(&result);
   /* The captures, the state and the list. */
   CHECK(result.num_bindings == 3);
   for (size_t i = 0; i < result.num_bindings; i++) {
      uint32_t after = result.bindings[i].binding - xfb.binding;
      CHECK(result.bindings[i].set == xfb.set && result.bindings[i].kind == NTV_DESCRIPTOR_STORAGE_BUFFER);
      CHECK(after == 1 || after == NTV_XFB_STATE_BINDING || after == NTV_XFB_LIST_BINDING);
   }
   ntv_result_free(&result, &options);

   CHECK(ntv_xfb_state_words(&state, words) && words[0] == 1 && words[4] == 4);
   CHECK(ntv_topology_primitives(NTV_TOPOLOGY_LINE_STRIP, 4) == 3);
   CHECK(ntv_topology_vertices_per_primitive(NTV_TOPOLOGY_LINE_STRIP) == 2);
   CHECK(ntv_emission_list(NTV_TOPOLOGY_LINE_STRIP, false, indices, 3, NULL, list, 4) == 4);
   CHECK(list[0] == 7 && list[1] == 8 && list[2] == 8 && list[3] == 9);
   CHECK(ntv_emission_list(NTV_TOPOLOGY_LINE_STRIP, false, indices, 3, &restart, list, 4) == 0);
   state.topology = NTV_TOPOLOGY_TRIANGLE_FAN + 1;
   CHECK(!ntv_xfb_state_words(&state, words));
   ntv_wire_fini(&w);
   ntv_translator_destroy(translator);
}

int
main(int argc, char **argv)
{
   spirv_val = argc > 1 ? argv[1] : NULL;
   CHECK(!ntv_check_version());
   /* The same numbers as in ffi/src/tests/agreement.rs. */
   CHECK(ntv_io_semantics(33, 5, 0xe4, NTV_IO_DUALSRC | NTV_IO_INVARIANT) == 0x105c82a1);
   CHECK((ntv_io_xfb(4, 2, 200) | ntv_io_xfb(1, 3, 7) << 16) == 0x0731c824);
   test_shaders();
   test_targets();
   test_errors();
   test_allocator();
   test_vouched();
   test_threads();
   test_modules();
   test_captures();
   if (!failures)
      printf("ntv %s: all is well\n", ntv_version());
   return failures ? 1 : 0;
}
