/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_shader.h"

#include "nir_to_spirv/nir_to_spirv.h"
#include "ntvr.h"
#include "zink_compiler.h"
#include "zink_descriptors.h"
#include "zink_ntvr.h"
#include "zink_ntvr_cache.h"
#include "zink_ntvr_debug.h"
#include "zink_ntvr_module.h"
#include "zink_ntvr_private.h"
#include "zink_ntvr_probes.h"
#include "zink_ntvr_storage.h"
#include "zink_program.h"
#include "zink_types.h"

/* ------------------------------------------------------------------------------------------------------------------
 * Facts of instructions
 * ------------------------------------------------------------------------------------------------------------------ */

/* A shader that is read. */
struct reader {
   const struct zink_screen *screen;
   struct zink_shader *zs;
   nir_shader *nir;
   /* What the shader has that only zink's lowering handles; NULL if there is nothing. */
   const char *unhandled;
};

/* Sets the bits of the units of a texture or image. */
static void
set_units(BITSET_WORD *set, const nir_variable *var, unsigned first)
{
   const unsigned count = glsl_type_is_array(var->type) ? glsl_get_aoa_size(var->type) : 1;

   BITSET_SET_RANGE(set, first, first + MAX2(count, 1) - 1);
}

static void
read_tex(struct reader *r, nir_tex_instr *tex)
{
   const int texture = nir_tex_instr_src_index(tex, nir_tex_src_texture_deref);

   if (nir_tex_instr_src_index(tex, nir_tex_src_texture_handle) >= 0)
      r->zs->bindless = true;
   if (texture >= 0) {
      const nir_variable *var = nir_deref_instr_get_variable(nir_src_as_deref(tex->src[texture].src));

      set_units(r->nir->info.textures_used, var, var->data.driver_location);
   }
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_1D && tex->is_shadow && r->screen->need_2D_zs)
      r->unhandled = "a depth texture of one dimension, which the device does not have";
}

static void
read_image(struct reader *r, nir_intrinsic_instr *intrinsic)
{
   const nir_variable *var = nir_intrinsic_get_var(intrinsic, 0);

   set_units(r->nir->info.images_used, var, var->data.binding);
   if (nir_intrinsic_image_dim(intrinsic) == GLSL_SAMPLER_DIM_MS && !r->screen->info.feats.features.shaderStorageImageMultisample)
      r->unhandled = "a multisampled image, which the device does not have";
}

/* The bits of the blocks that an index may select: `all` if it is dynamic. */
static uint32_t
selected_blocks(nir_src index, uint32_t all)
{
   return nir_src_is_const(index) ? BITFIELD_BIT(nir_src_as_uint(index) % 32) : all;
}

/* The inputs of fragment shaders that are flat, or become so with the shade model. */
static void
read_input(struct reader *r, nir_intrinsic_instr *load)
{
   const nir_io_semantics semantics = nir_intrinsic_io_semantics(load);
   const uint64_t slots = BITFIELD64_RANGE(semantics.location, semantics.num_slots);
   const uint64_t colors = VARYING_BIT_COL0 | VARYING_BIT_COL1 | VARYING_BIT_BFC0 | VARYING_BIT_BFC1;

   if (r->nir->info.stage != MESA_SHADER_FRAGMENT || semantics.location >= VARYING_SLOT_PATCH0)
      return;
   if (load->intrinsic == nir_intrinsic_load_input)
      r->zs->flat_flags |= slots;
   else if (nir_intrinsic_interp_mode(nir_src_as_intrinsic(load->src[0])) == INTERP_MODE_NONE)
      r->zs->flat_shaded |= slots & colors;
}

/* The stride of the buffers that a store is captured to. */
static void
read_captures(struct reader *r, nir_intrinsic_instr *store)
{
   const nir_io_xfb xfb[] = {nir_intrinsic_io_xfb(store), nir_intrinsic_io_xfb2(store)};

   for (unsigned i = 0; i < 4; i++) {
      const unsigned buffer = xfb[i / 2].out[i % 2].buffer;

      if (xfb[i / 2].out[i % 2].num_components)
         r->zs->sinfo.stride[buffer] = r->nir->info.xfb_stride[buffer] * 4;
   }
}

static void
read_intrinsic(struct reader *r, nir_intrinsic_instr *intrinsic)
{
   const shader_info *info = &r->nir->info;

   switch (intrinsic->intrinsic) {
   case nir_intrinsic_load_ubo:
   case nir_intrinsic_load_ubo_vec4:
      r->zs->ubos_used |= selected_blocks(intrinsic->src[0], BITFIELD_MASK(info->num_ubos) & ~BITFIELD_BIT(0));
      break;
   case nir_intrinsic_store_ssbo:
      r->zs->ssbos_used |= selected_blocks(intrinsic->src[1], BITFIELD_MASK(info->num_ssbos));
      break;
   case nir_intrinsic_load_ssbo:
   case nir_intrinsic_get_ssbo_size:
   case nir_intrinsic_ssbo_atomic:
   case nir_intrinsic_ssbo_atomic_swap:
      r->zs->ssbos_used |= selected_blocks(intrinsic->src[0], BITFIELD_MASK(info->num_ssbos));
      break;
   case nir_intrinsic_image_deref_load:
   case nir_intrinsic_image_deref_sparse_load:
   case nir_intrinsic_image_deref_store:
   case nir_intrinsic_image_deref_atomic:
   case nir_intrinsic_image_deref_atomic_swap:
   case nir_intrinsic_image_deref_size:
   case nir_intrinsic_image_deref_samples:
   case nir_intrinsic_image_deref_format:
   case nir_intrinsic_image_deref_order:
      read_image(r, intrinsic);
      break;
   case nir_intrinsic_bindless_image_load:
   case nir_intrinsic_bindless_image_sparse_load:
   case nir_intrinsic_bindless_image_store:
   case nir_intrinsic_bindless_image_atomic:
   case nir_intrinsic_bindless_image_atomic_swap:
   case nir_intrinsic_bindless_image_size:
   case nir_intrinsic_bindless_image_samples:
      r->zs->bindless = true;
      break;
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_interpolated_input:
      read_input(r, intrinsic);
      break;
   case nir_intrinsic_store_output:
      if (info->stage < MESA_SHADER_FRAGMENT)
         read_captures(r, intrinsic);
      break;
   default:
      break;
   }
}

static void
read_instrs(struct reader *r)
{
   nir_foreach_block (block, nir_shader_get_entrypoint(r->nir)) {
      nir_foreach_instr (instr, block) {
         if (instr->type == nir_instr_type_intrinsic)
            read_intrinsic(r, nir_instr_as_intrinsic(instr));
         else if (instr->type == nir_instr_type_tex)
            read_tex(r, nir_instr_as_tex(instr));
      }
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Descriptors
 * ------------------------------------------------------------------------------------------------------------------ */

/* The uniform blocks in the array of descriptors, which is as short as possible. Block 0 has the uniforms that are in no block. */
static struct ntvr_block_array
uniform_blocks(const struct zink_shader *zs)
{
   const uint32_t used = zs->ubos_used & ~BITFIELD_BIT(0);
   const unsigned first = used ? ffs(used) - 1 : 0;

   return (struct ntvr_block_array){first, used ? zs->info.num_ubos - first : 0};
}

static struct ntvr_block_array
storage_blocks(const struct zink_shader *zs)
{
   const unsigned first = zs->ssbos_used ? ffs(zs->ssbos_used) - 1 : 0;

   return (struct ntvr_block_array){first, zs->ssbos_used ? zs->info.num_ssbos - first : 0};
}

void
zink_ntvr_shader_layout(struct ntvr_descriptor_layout *layout, const struct zink_screen *screen, const struct zink_shader *zs)
{
   const gl_shader_stage stage = clamp_stage(&zs->info);
   const bool compact = screen->compact_descriptors;
   const uint8_t *sets = screen->desc_set_id;

   *layout = (struct ntvr_descriptor_layout){
      .struct_size = sizeof(struct ntvr_descriptor_layout),
      .slots = {
         [NTVR_CLASS_DEFAULT_UNIFORMS] = {0, stage},
         [NTVR_CLASS_UNIFORM_BUFFER] = {1, zink_binding(stage, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, compact)},
         [NTVR_CLASS_TEXTURE] = {sets[ZINK_DESCRIPTOR_TYPE_SAMPLER_VIEW],
                                 zink_binding(stage, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 0, compact)},
         [NTVR_CLASS_STORAGE_BUFFER] = {sets[ZINK_DESCRIPTOR_TYPE_SSBO],
                                        zink_binding(stage, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, compact)},
         [NTVR_CLASS_IMAGE] = {sets[ZINK_DESCRIPTOR_TYPE_IMAGE],
                               zink_binding(stage, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 0, compact)},
         [NTVR_CLASS_BINDLESS] = {sets[ZINK_DESCRIPTOR_BINDLESS], 0},
      },
      .uniform_blocks = uniform_blocks(zs),
      .storage_blocks = storage_blocks(zs),
   };
}

static void
add_binding(struct zink_shader *zs, VkDescriptorType type, enum zink_descriptor_type kind, unsigned index, unsigned binding,
            unsigned size)
{
   const unsigned at = zs->num_bindings[kind]++;

   zs->bindings[kind][at].index = index;
   zs->bindings[kind][at].binding = binding;
   zs->bindings[kind][at].type = type;
   zs->bindings[kind][at].size = size;
}

static void
add_blocks(const struct zink_screen *screen, struct zink_shader *zs)
{
   struct ntvr_descriptor_layout layout;

   zink_ntvr_shader_layout(&layout, screen, zs);
   zs->has_uniforms = zs->ubos_used & BITFIELD_BIT(0);
   if (layout.uniform_blocks.count) {
      const bool stored = zs->sinfo.storage_blocks & BITFIELD_BIT(layout.uniform_blocks.first);

      add_binding(zs, stored ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, ZINK_DESCRIPTOR_TYPE_UBO,
                  layout.uniform_blocks.first, layout.slots[NTVR_CLASS_UNIFORM_BUFFER].binding, layout.uniform_blocks.count);
   }
   if (layout.storage_blocks.count)
      add_binding(zs, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ZINK_DESCRIPTOR_TYPE_SSBO, layout.storage_blocks.first,
                  layout.slots[NTVR_CLASS_STORAGE_BUFFER].binding, layout.storage_blocks.count);
}

static void
add_texture(const struct zink_screen *screen, struct zink_shader *zs, const nir_variable *var)
{
   const struct glsl_type *type = glsl_without_array(var->type);
   const unsigned unit = var->data.binding;
   VkDescriptorType vktype;

   if (!glsl_type_is_sampler(type) && !glsl_type_is_image(type))
      return;
   vktype = glsl_type_is_image(type) ? zink_image_type(type) : zink_sampler_type(type);
   add_binding(zs, vktype, zink_desc_type_from_vktype(vktype), unit,
               zink_binding(zs->info.stage, vktype, unit, screen->compact_descriptors),
               glsl_type_is_array(var->type) ? glsl_get_aoa_size(var->type) : 1);
}

/* In the order of zink's lowering, on which the bindings of separate shaders depend. */
static void
add_bindings(struct reader *r)
{
   add_blocks(r->screen, r->zs);
   foreach_list_typed_reverse (nir_variable, var, node, &r->nir->variables) {
      if (!(var->data.mode & (nir_var_uniform | nir_var_image)))
         continue;
      if (var->data.bindless)
         r->zs->bindless = true;
      else
         add_texture(r->screen, r->zs, var);
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Shaders
 * ------------------------------------------------------------------------------------------------------------------ */

/* Whether the shader may be translated as it is. */
static bool
is_candidate(const struct zink_screen *screen, const struct zink_shader *zs)
{
   const nir_shader *nir = zs->nir;
   const VkShaderStageFlags stage = mesa_to_vk_shader_stage(clamp_stage(&nir->info));

   /* zink writes the shaders that it generates for its own lowering. */
   return zink_ntvr_wants_module(screen, zs) && !zs->needs_inlining && nir->info.stage != MESA_SHADER_KERNEL &&
          (!nir->info.num_ubos || nir->info.first_ubo_is_default_ubo) &&
          (!nir->info.uses_wide_subgroup_intrinsics || screen->info.subgroup.supportedStages & stage);
}

bool
zink_ntvr_shader_read(struct zink_screen *screen, struct zink_shader *zs)
{
   struct reader r = {.screen = screen, .zs = zs, .nir = zs->nir};
   const char *name = zs->info.name;

   zs->has_gallium_nir = true;
   nir_shader_gather_info(r.nir, nir_shader_get_entrypoint(r.nir));
   read_instrs(&r);
   if (r.unhandled) {
      zink_ntvr_log_refusal(zs, "lowered by zink", r.unhandled);
      return false;
   }
   zs->info = r.nir->info;
   zs->info.name = name;
   zs->sinfo.storage_blocks = zink_ntvr_storage_blocks(r.nir, false, screen);
   add_bindings(&r);
   zs->ntvr_inlines = screen->driconf.inline_uniforms && r.nir->info.num_inlinable_uniforms &&
                      nir_shader_get_entrypoint(r.nir)->ssa_alloc <= ZINK_ALWAYS_INLINE_LIMIT;
   return true;
}

void
zink_ntvr_shader_forget(struct zink_shader *zs)
{
   memset(zs->num_bindings, 0, sizeof(zs->num_bindings));
   memset(zs->sinfo.stride, 0, sizeof(zs->sinfo.stride));
   zs->sinfo.storage_blocks = zs->ubos_used = zs->ssbos_used = 0;
   zs->flat_flags = zs->flat_shaded = zs->ntvr_refusals = 0;
   zs->has_uniforms = zs->bindless = zs->ntvr_inlines = zs->has_gallium_nir = false;
}

bool
zink_ntvr_finalizes(void)
{
   /* a comparison gives both translators the same NIR */
   return zink_ntvr_is_enabled() && !zink_ntvr_debug_compares();
}

void
zink_ntvr_finalize(nir_shader *nir)
{
   NIR_PASS_V(nir, nir_lower_vars_to_ssa);
   NIR_PASS_V(nir, nir_copy_prop);
   NIR_PASS_V(nir, nir_opt_constant_folding);
   NIR_PASS_V(nir, nir_opt_cse);
   NIR_PASS_V(nir, nir_opt_dce);
}

/* As zink prints the NIR that its own translator gets. */
static void
print_nir(nir_shader *nir)
{
   if (!(zink_debug & ZINK_DEBUG_NIR))
      return;
   fprintf(stderr, "NIR shader:\n---8<---\n");
   nir_print_shader(nir, stderr);
   fprintf(stderr, "---8<---\n");
}

/* Keeps the NIR as it is, without the room for more that a blob has: a third of it. */
static void
keep_nir(struct zink_shader *zs)
{
   void *data;

   zink_shader_serialize_blob(zs->nir, &zs->blob);
   data = realloc(zs->blob.data, zs->blob.size);
   if (data) {
      zs->blob.data = data;
      zs->blob.allocated = zs->blob.size;
   }
}

bool
zink_ntvr_shader_init(struct zink_screen *screen, struct zink_shader *zs)
{
   bool is_read;

   if (!is_candidate(screen, zs))
      return false;
   print_nir(zs->nir);
   zink_ntvr_debug_compare(screen, zs);
   zink_ntvr_probe_begin("facts", zs->info.stage);
   is_read = zink_ntvr_shader_read(screen, zs);
   if (is_read)
      keep_nir(zs);
   zink_ntvr_probe_end();
   if (is_read && !zink_ntvr_cache_get_module(screen, zs))
      zink_ntvr_module_create(screen, zs, zs->nir);
   if (zs->ntvr_module)
      return true;
   blob_finish(&zs->blob);
   zink_ntvr_shader_forget(zs);
   return false;
}
