/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_module.h"

#include <stddef.h>
#include <stdlib.h>

#include "nir_to_spirv/nir_to_spirv.h"
#include "ntvr_module.h"
#include "zink_compiler.h"
#include "zink_ntvr.h"
#include "zink_ntvr_cache.h"
#include "zink_ntvr_debug.h"
#include "zink_ntvr_private.h"
#include "zink_ntvr_probes.h"
#include "zink_ntvr_shader.h"
#include "zink_ntvr_storage.h"
#include "zink_ntvr_xfb.h"
#include "zink_program.h"
#include "zink_types.h"

/* ------------------------------------------------------------------------------------------------------------------
 * Keys
 * ------------------------------------------------------------------------------------------------------------------ */

static bool
is_vertex_stage(gl_shader_stage stage)
{
   return stage == MESA_SHADER_VERTEX || stage == MESA_SHADER_TESS_EVAL || stage == MESA_SHADER_GEOMETRY;
}

static bool
writes_sample_mask(const struct zink_shader *zs)
{
   return zs->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_SAMPLE_MASK);
}

/* The texture coordinates that a fragment shader reads, a bit each. */
static uint8_t
texture_coordinates(const struct zink_shader *zs)
{
   return zs->info.inputs_read >> VARYING_SLOT_TEX0;
}

/* Whether it may read gl_PointCoord, also as a texture coordinate. */
static bool
reads_point_coord(const struct zink_shader *zs)
{
   return BITSET_TEST(zs->info.system_values_read, SYSTEM_VALUE_POINT_COORD) || texture_coordinates(zs);
}

static bool
has_second_output(const struct zink_shader *zs)
{
   return zs->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_DATA1);
}

/* The colors that may be flat. */
static bool
reads_colors(const struct zink_shader *zs)
{
   return zs->info.inputs_read & (VARYING_BIT_COL0 | VARYING_BIT_COL1 | VARYING_BIT_BFC0 | VARYING_BIT_BFC1);
}

/* The color whose alpha is tested. */
static bool
writes_first_color(const struct zink_shader *zs)
{
   return zs->info.outputs_written & (BITFIELD64_BIT(FRAG_RESULT_COLOR) | BITFIELD64_BIT(FRAG_RESULT_DATA0));
}

void
zink_ntvr_module_key(struct zink_shader_key *key, const struct zink_shader *zs)
{
   const gl_shader_stage stage = zs->info.stage;

   memset(key, 0, sizeof(*key));
   /* Such a shader has no buffer for its uniforms. */
   key->inline_uniforms = zs->needs_inlining;
   memcpy(key->base.inlined_uniform_values, zs->ntvr_uniforms, sizeof(zs->ntvr_uniforms));
   if (is_vertex_stage(stage)) {
      key->key.vs_base.last_vertex_stage = true;
      key->key.vs_base.clip_halfz = true;
   } else if (stage == MESA_SHADER_FRAGMENT) {
      key->key.fs_base.samples = true;
   }
}

uint64_t
zink_ntvr_module_offer(const struct zink_screen *screen, const struct zink_shader *zs)
{
   uint64_t bits = zs->ntvr_inlines ? NTVR_KEY_INLINED_UNIFORMS : 0;

   if (is_vertex_stage(zs->info.stage))
      return bits | NTVR_KEY_NO_CAPTURE | (screen->info.have_EXT_depth_clip_control ? 0 : NTVR_KEY_GL_DEPTH);
   if (zs->info.stage != MESA_SHADER_FRAGMENT)
      return bits;
   if (writes_sample_mask(zs))
      bits |= NTVR_KEY_NO_SAMPLE_MASK;
   if (reads_point_coord(zs))
      bits |= NTVR_KEY_FLIP_POINT_COORD;
   if (screen->driconf.dual_color_blend_by_location && has_second_output(zs))
      bits |= NTVR_KEY_DUAL_SOURCE;
   if (zs->fs.legacy_shadow_mask)
      bits |= NTVR_KEY_SHADOW_SWIZZLES;
   if (reads_colors(zs))
      bits |= NTVR_KEY_FLAT_SHADING;
   if (writes_first_color(zs))
      bits |= ntvr_key_alpha_test(NTVR_ALPHA_TEST_GEQUAL); /* all of its bits */
   bits |= NTVR_KEY_CLAMP_COLORS;
   return bits | NTVR_KEY_SAMPLE_SHADING | texture_coordinates(zs) * ntvr_key_point_sprite(0);
}

/* The key of ntv for a vertex, tessellation evaluation or geometry shader. Returns false if there is none. */
static bool
map_vertex_key(const struct zink_screen *screen, const struct zink_shader *zs, const struct zink_shader_key *key,
               uint64_t *bits)
{
   const struct zink_vs_key_base *base = &key->key.vs_base;

   if (base->robust_access)
      return false;
   if (!screen->optimal_keys) {
      const struct zink_gs_key *gs = &key->key.gs;

      if (zs->info.stage == MESA_SHADER_VERTEX && (key->key.vs.u32.decomposed_attrs || key->key.vs.u32.decomposed_attrs_without_w))
         return false;
      if (zs->info.stage == MESA_SHADER_GEOMETRY &&
          (gs->lower_line_stipple || gs->lower_line_smooth || gs->lower_gl_point || gs->lower_pv_mode))
         return false;
   }
   if (!base->last_vertex_stage) {
      *bits |= NTVR_KEY_NO_CAPTURE;
      return true;
   }
   if (!base->clip_halfz && !screen->info.have_EXT_depth_clip_control)
      *bits |= NTVR_KEY_GL_DEPTH;
   return true;
}

static enum ntvr_swizzle
map_swizzle(uint8_t swizzle)
{
   switch (swizzle) {
   case PIPE_SWIZZLE_0:
      return NTVR_SWIZZLE_ZERO;
   case PIPE_SWIZZLE_1:
      return NTVR_SWIZZLE_ONE;
   default:
      return NTVR_SWIZZLE_RED;
   }
}

/* Adds the swizzles of old-style shadow textures. Returns false if there are none, or for a texture without a place in a key. */
static bool
map_swizzles(const struct zink_shader *zs, const struct zink_zs_swizzle_key *swizzles, struct ntvr_key *mapped)
{
   if (!swizzles)
      return false;
   u_foreach_bit (i, zs->fs.legacy_shadow_mask & swizzles->mask) {
      const uint8_t *s = swizzles->swizzle[i].s;

      if (i >= ARRAY_SIZE(mapped->swizzles))
         return false;
      mapped->swizzles[i] = ntvr_key_swizzle(map_swizzle(s[0]), map_swizzle(s[1]), map_swizzle(s[2]), map_swizzle(s[3]));
   }
   mapped->bits |= NTVR_KEY_SHADOW_SWIZZLES;
   return true;
}

/* The same for a fragment shader. */
static bool
map_fragment_key(const struct zink_screen *screen, const struct zink_shader *zs, const struct zink_shader_key *key,
                 const struct zink_zs_swizzle_key *swizzles, struct ntvr_key *mapped)
{
   const struct zink_fs_key_base *base = &key->key.fs_base;
   uint64_t *bits = &mapped->bits;

   if (!screen->optimal_keys) {
      const struct zink_fs_key *fs = &key->key.fs;

      if (fs->lower_line_stipple || fs->lower_line_smooth || fs->lower_point_smooth || fs->robust_access)
         return false;
   }
   if (base->fbfetch_ms)
      return false;
   if (base->shadow_needs_shader_swizzle && zs->fs.legacy_shadow_mask && !map_swizzles(zs, swizzles, mapped))
      return false;
   if (base->force_persample_interp)
      *bits |= NTVR_KEY_SAMPLE_SHADING;
   if (!base->samples && writes_sample_mask(zs))
      *bits |= NTVR_KEY_NO_SAMPLE_MASK;
   if (base->point_coord_yinvert && reads_point_coord(zs))
      *bits |= NTVR_KEY_FLIP_POINT_COORD;
   if (base->force_dual_color_blend && has_second_output(zs))
      *bits |= NTVR_KEY_DUAL_SOURCE;
   if (base->flat_shading && reads_colors(zs))
      *bits |= NTVR_KEY_FLAT_SHADING;
   if (base->clamp_colors)
      *bits |= NTVR_KEY_CLAMP_COLORS;
   if (writes_first_color(zs))
      *bits |= ntvr_key_alpha_test((enum ntvr_alpha_test)base->alpha_test);
   *bits |= (base->coord_replace_bits & texture_coordinates(zs)) * ntvr_key_point_sprite(0);
   return true;
}

/* Adds the inlined uniforms of a key of zink. Returns false if the module has none, or others. */
static bool
map_uniforms(const struct zink_shader *zs, const struct zink_shader_key *key, struct ntvr_key *mapped)
{
   const size_t size = zs->info.num_inlinable_uniforms * sizeof(mapped->uniforms[0]);

   static_assert(ARRAY_SIZE(mapped->uniforms) == MAX_INLINABLE_UNIFORMS, "a key has space for as many");
   if (!key->inline_uniforms || !size)
      return !zs->needs_inlining;
   if (zs->needs_inlining)
      return !memcmp(key->base.inlined_uniform_values, zs->ntvr_uniforms, size);
   if (!zs->ntvr_inlines)
      return false;
   mapped->bits |= NTVR_KEY_INLINED_UNIFORMS;
   memcpy(mapped->uniforms, key->base.inlined_uniform_values, size);
   return true;
}

/* The key of ntv for a key of zink and the swizzles of textures, which may be NULL. Returns false if there is none. */
static bool
map_key(const struct zink_screen *screen, const struct zink_shader *zs, const struct zink_shader_key *key,
        const struct zink_zs_swizzle_key *swizzles, struct ntvr_key *mapped)
{
   const gl_shader_stage stage = zs->info.stage;

   *mapped = (struct ntvr_key){.struct_size = sizeof(struct ntvr_key)};
   if (!key) {
      if (is_vertex_stage(stage))
         mapped->bits = NTVR_KEY_NO_CAPTURE;
      return true;
   }
   if (!map_uniforms(zs, key, mapped) || key->base.needs_zs_shader_swizzle || key->base.nonseamless_cube_mask)
      return false;
   if (is_vertex_stage(stage))
      return map_vertex_key(screen, zs, key, &mapped->bits);
   if (stage == MESA_SHADER_FRAGMENT)
      return map_fragment_key(screen, zs, key, swizzles, mapped);
   return stage != MESA_SHADER_COMPUTE || !key->key.cs.robust_access;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Modules of shaders
 * ------------------------------------------------------------------------------------------------------------------ */

bool
zink_ntvr_wants_module(const struct zink_screen *screen, const struct zink_shader *zs)
{
   /* The offsets of captures by shaders are descriptors that a program adds, and a layer is clamped for both stages. */
   return screen->ntvr && zs->info.stage <= MESA_SHADER_COMPUTE && !zink_ntvr_stores_captures() &&
          !screen->driver_compiler_workarounds.needs_sanitised_layer;
}

/* Whether a slot is a built-in of Vulkan, which has no location. */
static bool
is_builtin(const nir_variable *var)
{
   switch (var->data.location) {
   case VARYING_SLOT_POS:
   case VARYING_SLOT_PSIZ:
   case VARYING_SLOT_LAYER:
   case VARYING_SLOT_PRIMITIVE_ID:
   case VARYING_SLOT_CLIP_DIST0:
   case VARYING_SLOT_CULL_DIST0:
   case VARYING_SLOT_VIEWPORT:
   case VARYING_SLOT_FACE:
   case VARYING_SLOT_TESS_LEVEL_OUTER:
   case VARYING_SLOT_TESS_LEVEL_INNER:
      return true;
   default:
      return false;
   }
}

/* The Location of a slot in an unlinked module. */
static unsigned
zink_ntvr_location(unsigned slot)
{
   return ntvr_slot_location(slot);
}

/* The inputs and outputs that a link may move: neither vertex attributes nor colours. */
static nir_variable_mode
linked_modes(gl_shader_stage stage)
{
   nir_variable_mode modes = nir_var_shader_in | nir_var_shader_out;

   if (stage == MESA_SHADER_VERTEX)
      modes &= ~nir_var_shader_in;
   if (stage == MESA_SHADER_FRAGMENT)
      modes &= ~nir_var_shader_out;
   return modes;
}

void
zink_ntvr_module_locations(nir_shader *nir)
{
   nir_foreach_variable_with_modes (var, nir, linked_modes(nir->info.stage))
      var->data.driver_location = is_builtin(var) ? UINT32_MAX : zink_ntvr_location(var->data.location);
}

struct ntvr_module *
zink_ntvr_module_translate(const struct zink_screen *screen, const struct zink_shader *zs, nir_shader *nir, char **error)
{
   const struct ntvr_push_constants push_constants = {
      .struct_size = sizeof(push_constants),
      .alpha_reference = offsetof(struct zink_gfx_push_constant, alpha_reference),
      .point_size = NTVR_NONE,
   };
   struct ntvr_placement placements[PIPE_MAX_CONSTANT_BUFFERS];
   struct ntvr_descriptor_layout layout;
   struct zink_ntvr_job job = {
      .screen = screen,
      .zs = zs,
      .nir = nir,
      .level = zs->has_gallium_nir ? NTVR_NIR_GALLIUM : NTVR_NIR_ZINK,
      .translator = zink_ntvr_take_translator(screen->ntvr),
      .options = {
         .struct_size = sizeof(struct ntvr_options),
         .flags = zink_ntvr_flags() | NTVR_OPTION_WORDS_ONLY,
         .placements = placements,
         .num_placements = zink_ntvr_placements(placements, zs->sinfo.storage_blocks, screen),
         .push_constants = &push_constants,
         .descriptors = zs->has_gallium_nir ? &layout : NULL,
      },
   };
   struct ntvr_module *module = NULL;
   struct ntvr_result result = {.struct_size = sizeof(result)};

   if (!job.translator)
      return NULL;
   if (zs->has_gallium_nir)
      zink_ntvr_shader_layout(&layout, screen, zs);
   zink_ntvr_debug_dump(&job);
   if (zink_ntvr_flatten(&job)) {
      const struct ntvr_wire *wire = &job.translator->wire;

      zink_ntvr_probe_begin("ntv", zs->info.stage);
      ntvr_module_create(job.translator->ntvr, &screen->ntvr->target, wire->words, wire->len,
                         zink_ntvr_module_offer(screen, zs), &module, &job.options, &result);
      zink_ntvr_probe_end();
   }
   zink_ntvr_return_translator(screen->ntvr, job.translator);
   *error = job.error;
   if (result.error)
      *error = ralloc_strdup(NULL, result.error);
   ntvr_result_free(&result, &job.options);
   return module;
}

void
zink_ntvr_module_create(struct zink_screen *screen, struct zink_shader *zs, nir_shader *nir)
{
   char *error = NULL;

   zink_ntvr_probe_begin("translate", zs->info.stage);
   zs->ntvr_module = zink_ntvr_module_translate(screen, zs, nir, &error);
   zink_ntvr_probe_end();
   if (zs->ntvr_module)
      zink_ntvr_cache_put_module(screen, zs);
   else
      zink_ntvr_log_refusal(zs, zs->has_gallium_nir ? "lowered by zink" : "translated by nir_to_spirv", error);
   ralloc_free(error);
}

void
zink_ntvr_module_destroy(struct zink_shader *zs)
{
   ntvr_module_destroy(zs->ntvr_module);
   ntvr_module_destroy(zs->ntvr_separate);
   zs->ntvr_module = zs->ntvr_separate = NULL;
}

/* The words of a linked or moved module of the shader for a key. NULL after an error. */
static struct spirv_shader *
write_variant(const struct zink_shader *zs, const struct ntvr_module *module, const struct ntvr_key *key)
{
   struct spirv_shader *spirv;

   zink_ntvr_probe_begin("instantiate", zs->info.stage);
   spirv = zink_ntvr_instantiate(module, key);
   zink_ntvr_probe_end();
   return spirv;
}

struct spirv_shader *
zink_ntvr_shader_variant(const struct zink_screen *screen, const struct zink_shader *zs, const struct zink_shader_key *key,
                         const struct zink_zs_swizzle_key *swizzles)
{
   struct ntvr_key mapped;

   if (!zs->ntvr_module || !map_key(screen, zs, key, swizzles, &mapped))
      return NULL;
   return write_variant(zs, zs->ntvr_module, &mapped);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Separate shaders
 * ------------------------------------------------------------------------------------------------------------------ */

/* The inputs and outputs of a module, in the same order before and after a link. Returns false if memory is short. */
static bool
read_varyings(const struct ntvr_module *module, struct ntvr_result *result)
{
   return ntvr_module_instantiate(module, NULL, NULL, result) == NTVR_OK;
}

/* Writes where the descriptors of a shader are in its own set, and returns their number: as zink_shader_compile_separate(). */
static unsigned
move_descriptors(struct ntvr_move *moves, const struct zink_screen *screen, const struct zink_shader *zs, unsigned set,
                 const unsigned *offsets)
{
   unsigned count = 0;

   if (zs->has_uniforms)
      moves[count++] = (struct ntvr_move){.set = 0, .binding = clamp_stage(&zs->info), .new_set = set, .new_binding = 0};
   for (unsigned type = 0; type < ZINK_DESCRIPTOR_BASE_TYPES; type++) {
      for (unsigned i = 0; i < zs->num_bindings[type]; i++) {
         const unsigned binding = zs->bindings[type][i].binding;
         const bool is_uniform = type == ZINK_DESCRIPTOR_TYPE_UBO;

         moves[count++] = (struct ntvr_move){
            .set = is_uniform ? 1 : screen->desc_set_id[type],
            .binding = binding,
            .new_set = set,
            .new_binding = is_uniform ? 1 : binding + offsets[type],
         };
      }
   }
   return count;
}

/* Whether all varyings of a direction are in the slots before VAR1: those of ARB programs, whose interfaces need not match. */
static bool
are_fixed(const struct ntvr_result *module, bool is_output)
{
   for (size_t i = 0; i < module->num_varyings; i++) {
      const struct ntvr_varying *v = &module->varyings[i];

      if (v->is_output == is_output && v->builtin == NTVR_NONE &&
          (v->per_patch || (v->location >= zink_ntvr_location(VARYING_SLOT_VAR1) && v->location < zink_ntvr_location(VARYING_SLOT_COL0))))
         return false;
   }
   return true;
}

/* The number of slots of the varyings that begin at a slot. */
static unsigned
slots_at(const struct ntvr_result *module, bool is_output, unsigned slot)
{
   unsigned slots = 0;

   for (size_t i = 0; i < module->num_varyings; i++) {
      const struct ntvr_varying *v = &module->varyings[i];

      if (v->is_output != is_output || v->builtin != NTVR_NONE || v->per_patch || v->location != zink_ntvr_location(slot))
         continue;
      if (!v->component || !slots)
         slots += v->num_locations;
   }
   return slots;
}

/*
 * Writes the Location of each slot in a separate shader: as zink's fixup_io_locations(), because the other shader may be one that zink
 * lowered.
 */
static void
assign_separate(unsigned *locations, const struct ntvr_result *module, bool is_output)
{
   const bool fixed = are_fixed(module, is_output);
   unsigned next = 0;

   for (unsigned slot = 0; slot < VARYING_SLOT_TESS_MAX; slot++) {
      unsigned slots;

      if (fixed) {
         locations[slot] = slot == VARYING_SLOT_VAR0 ? 0 : slot;
         continue;
      }
      if (nir_slot_is_sysval_output(slot, MESA_SHADER_NONE))
         continue;
      slots = slots_at(module, is_output, slot);
      locations[slot] = next;
      next += slots ? slots : slot >= VARYING_SLOT_VAR0;
      slot += slots ? slots - 1 : 0;
   }
}

/* Writes the new Location of each varying of a direction, and returns their number. */
static unsigned
separate_locations(struct ntvr_varying_number *numbers, const struct ntvr_result *module, bool is_output)
{
   unsigned locations[VARYING_SLOT_TESS_MAX] = {0};
   unsigned count = 0;

   assign_separate(locations, module, is_output);
   for (size_t i = 0; i < module->num_varyings; i++) {
      const struct ntvr_varying *v = &module->varyings[i];

      if (v->is_output != is_output || v->builtin != NTVR_NONE)
         continue;
      for (unsigned slot = 0; slot < VARYING_SLOT_TESS_MAX; slot++) {
         if (zink_ntvr_location(slot) == v->location)
            numbers[count++] = (struct ntvr_varying_number){
               i, v->per_patch ? slot - VARYING_SLOT_PATCH0 : locations[slot]};
      }
   }
   return count;
}

struct spirv_shader *
zink_ntvr_separate(struct zink_screen *screen, struct zink_shader *zs, unsigned set, const unsigned *offsets)
{
   const union zink_shader_key_optimal key = {.val = ZINK_SHADER_KEY_OPTIMAL_DEFAULT};
   const struct ntvr_module *stage = zs->ntvr_module;
   const gl_shader_stage at = zs->info.stage;
   struct ntvr_move moves[1 + ZINK_DESCRIPTOR_BASE_TYPES * ZINK_MAX_DESCRIPTORS_PER_TYPE];
   struct ntvr_link_info info = {.struct_size = sizeof(info), .moves = moves};
   struct ntvr_varying_number *locations = NULL;
   struct ntvr_result module = {.struct_size = sizeof(module)};

   if (!stage)
      return NULL;
   info.num_moves = move_descriptors(moves, screen, zs, set, offsets);
   if (read_varyings(stage, &module))
      locations = calloc(module.num_varyings + 1, sizeof(*locations));
   if (locations) {
      info.locations = locations;
      if (at != MESA_SHADER_VERTEX)
         info.num_locations += separate_locations(locations, &module, false);
      if (at != MESA_SHADER_FRAGMENT)
         info.num_locations += separate_locations(locations + info.num_locations, &module, true);
      if (ntvr_link(&stage, 1, &info, &zs->ntvr_separate, NULL, NULL) != NTVR_OK)
         zs->ntvr_separate = NULL;
   }
   free(locations);
   ntvr_result_free(&module, NULL);
   return zink_ntvr_separate_variant(screen, zs, &key);
}

/* The key of ntv for an optimal key of zink. Returns false if there is none. */
static bool
map_optimal_key(const struct zink_screen *screen, const struct zink_shader *zs, const union zink_shader_key_optimal *optimal,
                struct ntvr_key *mapped)
{
   struct zink_shader_key key = {0};

   if (zs->info.stage == MESA_SHADER_FRAGMENT)
      key.key.fs_base = optimal->fs;
   else
      key.key.vs_base = optimal->vs_base;
   return map_key(screen, zs, &key, NULL, mapped);
}

bool
zink_ntvr_separate_has_key(const struct zink_screen *screen, const struct zink_shader *zs, const union zink_shader_key_optimal *key)
{
   const struct ntvr_module *module = zs->ntvr_separate;
   struct ntvr_key mapped, seen = {.struct_size = sizeof(seen)};

   return module && map_optimal_key(screen, zs, key, &mapped) &&
          ntvr_program_keys(&module, 1, &mapped, &seen, NULL, NULL) == NTVR_OK;
}

struct spirv_shader *
zink_ntvr_separate_variant(struct zink_screen *screen, const struct zink_shader *zs, const union zink_shader_key_optimal *key)
{
   struct ntvr_key mapped;

   if (!zs->ntvr_separate || !map_optimal_key(screen, zs, key, &mapped))
      return NULL;
   return write_variant(zs, zs->ntvr_separate, &mapped);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Programs
 * ------------------------------------------------------------------------------------------------------------------ */

bool
zink_ntvr_program_link(struct zink_gfx_program *prog)
{
   const struct ntvr_module *stages[ZINK_GFX_SHADER_COUNT];
   struct ntvr_module *linked[ZINK_GFX_SHADER_COUNT];
   unsigned count = 0;

   for (unsigned i = 0; i < ZINK_GFX_SHADER_COUNT; i++) {
      const struct zink_shader *zs = prog->shaders[i];

      if (!zs)
         continue;
      /* A generated control shader is made from the NIR of the evaluation shader. */
      if (!zs->ntvr_module || (i == MESA_SHADER_TESS_CTRL && zs->non_fs.is_generated))
         return false;
      stages[count++] = zs->ntvr_module;
   }
   if (ntvr_link(stages, count, NULL, linked, NULL, NULL) != NTVR_OK)
      return false;
   count = 0;
   for (unsigned i = 0; i < ZINK_GFX_SHADER_COUNT; i++) {
      if (prog->shaders[i])
         prog->ntvr_modules[i] = linked[count++];
   }
   prog->ntvr_linked = true;
   return true;
}

void
zink_ntvr_program_unlink(struct zink_gfx_program *prog)
{
   for (unsigned i = 0; i < ZINK_GFX_SHADER_COUNT; i++) {
      ntvr_module_destroy(prog->ntvr_modules[i]);
      prog->ntvr_modules[i] = NULL;
   }
}

/* The linked module of a stage: linked again if the program had its first variant already. NULL if memory is short. */
static const struct ntvr_module *
linked_module(struct zink_gfx_program *prog, gl_shader_stage stage)
{
   if (!prog->ntvr_modules[stage]) {
      zink_ntvr_program_unlink(prog);
      prog->ntvr_linked_again = true;
      zink_ntvr_program_link(prog);
   }
   return prog->ntvr_modules[stage];
}

struct spirv_shader *
zink_ntvr_program_variant(struct zink_screen *screen, struct zink_gfx_program *prog, gl_shader_stage stage,
                          const struct zink_shader_key *key, const struct zink_zs_swizzle_key *swizzles)
{
   const struct zink_shader *zs = prog->shaders[stage];
   const struct ntvr_module *module;
   struct spirv_shader *spirv;
   struct ntvr_key mapped;

   if (!map_key(screen, zs, key, swizzles, &mapped))
      return NULL;
   module = linked_module(prog, stage);
   if (!module)
      return NULL;
   spirv = write_variant(zs, module, &mapped);
   /* Most programs have one variant. For the others, a second link takes 20 us. */
   if (!prog->ntvr_linked_again) {
      ntvr_module_destroy(prog->ntvr_modules[stage]);
      prog->ntvr_modules[stage] = NULL;
   }
   if (spirv)
      zink_ntvr_debug_check_variant(screen, prog, stage, &mapped, spirv);
   return spirv;
}

static void
set_location(struct zink_ntvr_locations *locations, const struct ntvr_varying *before, const struct ntvr_varying *after)
{
   if (after->builtin != NTVR_NONE || after->is_removed || after->is_copy)
      return;
   for (unsigned i = 0; i < after->num_locations && before->location + i < ZINK_NTVR_MAX_LOCATIONS; i++)
      locations->of[after->is_output][before->location + i] = after->location + i;
}

const struct zink_ntvr_locations *
zink_ntvr_program_locations(struct zink_gfx_program *prog, gl_shader_stage stage)
{
   struct zink_ntvr_locations *locations = prog->ntvr_locations[stage];
   const struct ntvr_module *module;
   struct ntvr_result before = {.struct_size = sizeof(before)}, after = {.struct_size = sizeof(after)};

   if (locations)
      return locations;
   module = linked_module(prog, stage);
   locations = ralloc(prog, struct zink_ntvr_locations);
   if (locations && module && read_varyings(prog->shaders[stage]->ntvr_module, &before) && read_varyings(module, &after)) {
      memset(locations, 0xff, sizeof(*locations));
      for (size_t i = 0; i < after.num_varyings; i++)
         set_location(locations, &before.varyings[i], &after.varyings[i]);
      prog->ntvr_locations[stage] = locations;
   }
   if (!prog->ntvr_locations[stage])
      ralloc_free(locations);
   ntvr_result_free(&before, NULL);
   ntvr_result_free(&after, NULL);
   return prog->ntvr_locations[stage];
}

void
zink_ntvr_assign_locations(nir_shader *nir, const struct zink_ntvr_locations *locations)
{
   nir_foreach_variable_with_modes_safe (var, nir, linked_modes(nir->info.stage)) {
      const bool is_output = var->data.mode == nir_var_shader_out;
      const int location = is_builtin(var) ? -1 : locations->of[is_output][zink_ntvr_location(var->data.location)];

      var->data.driver_location = location;
      if (location < 0 && !is_builtin(var))
         zink_compiler_remove_varying(nir, var);
   }
}
