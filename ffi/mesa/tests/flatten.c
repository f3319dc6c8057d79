/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Builds shaders with nir_builder, and writes each in the format of Mesa's printer and as ntvr_nir.c writes it. Both must be the
 * same shader for ntv: `cargo xtask mesa --flatten` compares its modules of both.
 *
 * usage: flatten FOLDER              writes text-NAME.nir and wire-NAME.ntvw to the folder
 *        flatten --numbers FOLDER    only writes wires, of shaders with all numbers that ntvr_nir.c maps; Mesa's library does not
 *                                    use these numbers, so this file can be compiled with others
 */

#include "ntvr_nir.h"

#include <stdio.h>

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_builder.h"

static const nir_shader_compiler_options options = {0};

static FILE *
create(const char *folder, const char *kind, const char *name, const char *extension)
{
   char path[4096];
   FILE *file;

   snprintf(path, sizeof(path), "%s/%s-%s.%s", folder, kind, name, extension);
   file = fopen(path, "wb");
   if (!file) {
      perror(path);
      exit(1);
   }
   return file;
}

static void
save_wire(const char *folder, const char *name, nir_shader *nir)
{
   struct ntvr_wire wire = {0};
   const char *missing;
   FILE *file;

   missing = ntvr_wire_nir(&wire, nir, NTVR_NIR_GALLIUM, true);
   if (missing) {
      fprintf(stderr, "%s: no form for %s\n", name, missing);
      exit(1);
   }
   file = create(folder, "wire", name, "ntvw");
   fwrite(wire.words, sizeof(uint32_t), wire.len, file);
   fclose(file);
   ntvr_wire_fini(&wire);
}

/* Writes a shader in both forms. `directive` is data that its text lacks, or NULL. */
static void
save(const char *folder, const char *name, nir_shader *nir, const char *directive)
{
   char *text;
   size_t stage; /* length of the first line */
   FILE *file;

   save_wire(folder, name, nir);
   file = create(folder, "text", name, "nir");
   text = nir_shader_as_str(nir, NULL);
   stage = strcspn(text, "\n") + 1;
   fwrite(text, 1, stage, file);
   if (directive)
      fprintf(file, "// ntv: %s\n", directive);
   fputs(text + stage, file);
   ralloc_free(text);
   fclose(file);
}

static nir_variable *
variable(nir_shader *nir, nir_variable_mode mode, const struct glsl_type *type, const char *name, int location)
{
   nir_variable *var = nir_variable_create(nir, mode, type, name);

   var->data.location = location;
   var->data.driver_location = 0;
   return var;
}

/* Adds up in a loop, with a branch in it: phis of a loop and of an if. */
static nir_shader *
vertex_shader(void)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, &options, "loop");
   nir_variable *in = variable(b.shader, nir_var_shader_in, glsl_vec4_type(), "in", VERT_ATTRIB_GENERIC0);
   nir_variable *out = variable(b.shader, nir_var_shader_out, glsl_vec4_type(), "gl_Position", VARYING_SLOT_POS);
   nir_variable *count = nir_local_variable_create(b.impl, glsl_int_type(), "count");
   nir_variable *sum = nir_local_variable_create(b.impl, glsl_vec4_type(), "sum");
   nir_def *value = nir_load_var(&b, in);

   nir_store_var(&b, count, nir_imm_int(&b, 0), 1);
   nir_store_var(&b, sum, value, 0xf);
   nir_push_loop(&b);
   {
      nir_def *n = nir_load_var(&b, count);
      nir_if *done = nir_push_if(&b, nir_ige(&b, n, nir_imm_int(&b, 10)));

      nir_jump(&b, nir_jump_break);
      nir_pop_if(&b, done);
      nir_store_var(&b, count, nir_iadd(&b, n, nir_imm_int(&b, 1)), 1);
      nir_if *even = nir_push_if(&b, nir_ieq(&b, nir_iand(&b, n, nir_imm_int(&b, 1)), nir_imm_int(&b, 0)));
      nir_store_var(&b, sum, nir_fadd(&b, nir_load_var(&b, sum), nir_fabs(&b, value)), 0xf);
      nir_push_else(&b, even);
      nir_store_var(&b, sum, nir_fmul(&b, nir_load_var(&b, sum), nir_swizzle(&b, value, (unsigned[]){3, 2, 1, 0}, 4)), 0xf);
      nir_pop_if(&b, even);
   }
   nir_pop_loop(&b, NULL);
   nir_store_var(&b, out, nir_load_var(&b, sum), 0xf);
   nir_lower_vars_to_ssa(b.shader);
   nir_validate_shader(b.shader, "of loop");
   nir_shader_gather_info(b.shader, b.impl);
   return b.shader;
}

/* Samples, takes a derivative, discards. */
static nir_shader *
fragment_shader(void)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &options, "sample");
   nir_variable *in = variable(b.shader, nir_var_shader_in, glsl_vec_type(2), "in", VARYING_SLOT_VAR0);
   nir_variable *out = variable(b.shader, nir_var_shader_out, glsl_vec4_type(), "out", FRAG_RESULT_DATA0);
   const struct glsl_type *sampler = glsl_sampler_type(GLSL_SAMPLER_DIM_2D, false, false, GLSL_TYPE_FLOAT);
   nir_variable *texture = variable(b.shader, nir_var_uniform, sampler, "texture", 0);
   nir_def *coord = nir_load_var(&b, in);
   nir_def *slope = nir_ddx(&b, nir_channel(&b, coord, 1));
   nir_def *deref = &nir_build_deref_var(&b, texture)->def;
   nir_tex_instr *tex = nir_tex_instr_create(b.shader, 3);

   /* ntv's set for textures; the text lacks it. */
   texture->data.descriptor_set = 2;
   nir_terminate_if(&b, nir_flt(&b, nir_imm_float(&b, 0.5), slope));
   tex->op = nir_texop_tex;
   tex->sampler_dim = GLSL_SAMPLER_DIM_2D;
   tex->dest_type = nir_type_float32;
   tex->coord_components = 2;
   tex->src[0].src_type = nir_tex_src_coord;
   tex->src[0].src = nir_src_for_ssa(coord);
   tex->src[1].src_type = nir_tex_src_texture_deref;
   tex->src[1].src = nir_src_for_ssa(deref);
   tex->src[2].src_type = nir_tex_src_sampler_deref;
   tex->src[2].src = nir_src_for_ssa(deref);
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   nir_builder_instr_insert(&b, &tex->instr);
   nir_store_var(&b, out, nir_fadd(&b, &tex->def, nir_vec4(&b, slope, slope, slope, slope)), 0xf);
   nir_validate_shader(b.shader, "of sample");
   nir_shader_gather_info(b.shader, b.impl);
   return b.shader;
}

/* Adds to a buffer, waits, and reads and writes shared memory. */
static nir_shader *
compute_shader(void)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_COMPUTE, &options, "count");
   nir_def *zero = nir_imm_int(&b, 0);
   nir_def *id = nir_load_local_invocation_index(&b);
   nir_def *old;

   b.shader->info.workgroup_size[0] = 64;
   b.shader->info.workgroup_size[1] = b.shader->info.workgroup_size[2] = 1;
   b.shader->info.num_ssbos = 1;
   b.shader->info.shared_size = 256;
   old = nir_ssbo_atomic(&b, 32, zero, nir_imul(&b, id, nir_imm_int(&b, 4)), id, .atomic_op = nir_atomic_op_iadd);
   nir_store_shared(&b, old, nir_imul(&b, id, nir_imm_int(&b, 4)), .align_mul = 4);
   nir_barrier(&b, .execution_scope = SCOPE_WORKGROUP, .memory_scope = SCOPE_WORKGROUP,
               .memory_semantics = NIR_MEMORY_ACQ_REL, .memory_modes = nir_var_mem_shared);
   nir_store_ssbo(&b, nir_load_shared(&b, 1, 32, zero, .align_mul = 4), zero, nir_imul(&b, id, nir_imm_int(&b, 4)),
                  .align_mul = 4);
   nir_validate_shader(b.shader, "of count");
   nir_shader_gather_info(b.shader, b.impl);
   return b.shader;
}

/* Sets all fields of a variable that the library may have set by its own numbers. */
static nir_variable *
plain_variable(nir_shader *nir, nir_variable_mode mode, const struct glsl_type *type, const char *name)
{
   nir_variable *var = variable(nir, mode, type, name, -1);

   var->data.interpolation = INTERP_MODE_NONE;
   return var;
}

static const unsigned interpolations[] = {INTERP_MODE_NONE, INTERP_MODE_SMOOTH, INTERP_MODE_FLAT, INTERP_MODE_NOPERSPECTIVE,
                                          INTERP_MODE_EXPLICIT};

/* Variables of all modes, precisions, interpolations and flags of access, and of some system values. */
static void
declare_numbers(nir_shader *nir)
{
   static const nir_variable_mode modes[] = {
      nir_var_uniform,  nir_var_shader_out,   nir_var_mem_ubo,          nir_var_mem_push_const, nir_var_mem_ssbo,
      nir_var_image,    nir_var_mem_constant, nir_var_mem_task_payload, nir_var_shader_temp,    nir_var_mem_shared,
      nir_var_mem_global,
   };
   static const unsigned precisions[] = {GLSL_PRECISION_NONE, GLSL_PRECISION_HIGH, GLSL_PRECISION_MEDIUM,
                                         GLSL_PRECISION_LOW};
   static const unsigned access[] = {
      ACCESS_COHERENT,    ACCESS_RESTRICT,    ACCESS_VOLATILE,     ACCESS_NON_READABLE,    ACCESS_NON_WRITEABLE,
      ACCESS_NON_UNIFORM, ACCESS_CAN_REORDER, ACCESS_NON_TEMPORAL, ACCESS_INCLUDE_HELPERS,
   };
   static const gl_system_value values[] = {
      SYSTEM_VALUE_SUBGROUP_SIZE, SYSTEM_VALUE_VERTEX_ID,  SYSTEM_VALUE_FRAG_COORD,   SYSTEM_VALUE_POINT_COORD,
      SYSTEM_VALUE_SAMPLE_ID,     SYSTEM_VALUE_TESS_COORD, SYSTEM_VALUE_WORKGROUP_ID, SYSTEM_VALUE_VIEW_INDEX,
   };
   static const enum glsl_sampler_dim dims[] = {
      GLSL_SAMPLER_DIM_1D,   GLSL_SAMPLER_DIM_2D,  GLSL_SAMPLER_DIM_3D,       GLSL_SAMPLER_DIM_CUBE,
      GLSL_SAMPLER_DIM_RECT, GLSL_SAMPLER_DIM_BUF, GLSL_SAMPLER_DIM_EXTERNAL, GLSL_SAMPLER_DIM_MS,
   };

   for (unsigned i = 0; i < ARRAY_SIZE(modes); i++)
      plain_variable(nir, modes[i], glsl_uint_type(), "mode");
   for (unsigned i = 0; i < ARRAY_SIZE(interpolations); i++)
      plain_variable(nir, nir_var_shader_in, glsl_vec4_type(), "interpolation")->data.interpolation = interpolations[i];
   for (unsigned i = 0; i < ARRAY_SIZE(precisions); i++)
      plain_variable(nir, nir_var_uniform, glsl_vec4_type(), "precision")->data.precision = precisions[i];
   for (unsigned i = 0; i < ARRAY_SIZE(access); i++)
      plain_variable(nir, nir_var_mem_ssbo, glsl_uint_type(), "access")->data.access = access[i];
   for (unsigned i = 0; i < ARRAY_SIZE(dims); i++)
      plain_variable(nir, nir_var_uniform, glsl_sampler_type(dims[i], false, false, GLSL_TYPE_FLOAT), "dim");
   for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
      plain_variable(nir, nir_var_system_value, glsl_uint_type(), "value")->data.location = values[i];
      BITSET_SET(nir->info.system_values_read, values[i]);
   }
}

static void
build_memory_numbers(nir_builder *b)
{
   static const nir_atomic_op ops[] = {
      nir_atomic_op_iadd, nir_atomic_op_imin, nir_atomic_op_umin, nir_atomic_op_imax, nir_atomic_op_umax,     nir_atomic_op_iand,
      nir_atomic_op_ior,  nir_atomic_op_ixor, nir_atomic_op_xchg, nir_atomic_op_fadd, nir_atomic_op_fmin,     nir_atomic_op_fmax,
      nir_atomic_op_inc_wrap, nir_atomic_op_dec_wrap,
   };
   static const mesa_scope scopes[] = {SCOPE_NONE,      SCOPE_INVOCATION,   SCOPE_SUBGROUP, SCOPE_SHADER_CALL,
                                       SCOPE_WORKGROUP, SCOPE_QUEUE_FAMILY, SCOPE_DEVICE};
   static const nir_memory_semantics semantics[] = {NIR_MEMORY_ACQUIRE, NIR_MEMORY_RELEASE, NIR_MEMORY_MAKE_AVAILABLE,
                                                    NIR_MEMORY_MAKE_VISIBLE};
   static const enum gl_access_qualifier access[] = {
      ACCESS_COHERENT,         ACCESS_RESTRICT,        ACCESS_VOLATILE,          ACCESS_NON_READABLE,  ACCESS_NON_WRITEABLE,
      ACCESS_NON_UNIFORM,      ACCESS_CAN_REORDER,     ACCESS_NON_TEMPORAL,      ACCESS_INCLUDE_HELPERS, ACCESS_IS_SWIZZLED_AMD,
      ACCESS_USES_FORMAT_AMD,  ACCESS_FMASK_LOWERED_AMD, ACCESS_CAN_SPECULATE,   ACCESS_CP_GE_COHERENT_AMD, ACCESS_IN_BOUNDS_AGX,
      ACCESS_KEEP_SCALAR,      ACCESS_SMEM_AMD,
   };
   nir_def *zero = nir_imm_int(b, 0);

   for (unsigned i = 0; i < ARRAY_SIZE(ops); i++)
      nir_ssbo_atomic(b, 32, zero, zero, zero, .atomic_op = ops[i], .access = ACCESS_COHERENT);
   nir_ssbo_atomic_swap(b, 32, zero, zero, zero, zero, .atomic_op = nir_atomic_op_cmpxchg);
   nir_ssbo_atomic_swap(b, 32, zero, zero, zero, zero, .atomic_op = nir_atomic_op_fcmpxchg);
   for (unsigned i = 0; i < ARRAY_SIZE(scopes); i++)
      nir_barrier(b, .execution_scope = scopes[i], .memory_scope = scopes[(i + 1) % ARRAY_SIZE(scopes)]);
   for (unsigned i = 0; i < ARRAY_SIZE(semantics); i++)
      nir_barrier(b, .memory_scope = SCOPE_DEVICE, .memory_semantics = semantics[i],
                  .memory_modes = nir_var_mem_ssbo | nir_var_image | nir_var_mem_shared);
   for (unsigned i = 0; i < ARRAY_SIZE(access); i++)
      nir_load_ssbo(b, 1, 32, zero, zero, .access = access[i], .align_mul = 4);
   nir_image_load(b, 4, 32, zero, nir_undef(b, 4, 32), zero, zero, .image_dim = GLSL_SAMPLER_DIM_MS, .image_array = true,
                  .format = PIPE_FORMAT_R32_UINT, .access = ACCESS_NON_WRITEABLE, .dest_type = nir_type_uint32);
   nir_image_load(b, 4, 32, zero, nir_undef(b, 4, 32), zero, zero, .image_dim = GLSL_SAMPLER_DIM_SUBPASS_MS,
                  .format = PIPE_FORMAT_R32_UINT, .access = ACCESS_VOLATILE, .dest_type = nir_type_float32);
   nir_reduce(b, zero, .reduction_op = nir_op_umin, .cluster_size = 4);
}

static void
build_texture_numbers(nir_builder *b)
{
   static const nir_texop ops[] = {
      nir_texop_tex, nir_texop_txb, nir_texop_txl, nir_texop_txd,          nir_texop_txf,             nir_texop_txf_ms,
      nir_texop_txs, nir_texop_lod, nir_texop_tg4, nir_texop_query_levels, nir_texop_texture_samples, nir_texop_samples_identical,
   };
   static const nir_tex_src_type srcs[] = {
      nir_tex_src_coord,          nir_tex_src_projector,      nir_tex_src_comparator,     nir_tex_src_offset,
      nir_tex_src_bias,           nir_tex_src_lod,            nir_tex_src_min_lod,        nir_tex_src_ms_index,
      nir_tex_src_ddx,            nir_tex_src_ddy,            nir_tex_src_texture_deref,  nir_tex_src_sampler_deref,
      nir_tex_src_texture_offset, nir_tex_src_sampler_offset, nir_tex_src_texture_handle, nir_tex_src_sampler_handle,
   };
   nir_def *zero = nir_imm_int(b, 0);

   for (unsigned i = 0; i < ARRAY_SIZE(ops); i++) {
      nir_tex_instr *tex = nir_tex_instr_create(b->shader, ARRAY_SIZE(srcs));

      tex->op = ops[i];
      tex->dest_type = nir_type_int32;
      for (unsigned j = 0; j < ARRAY_SIZE(srcs); j++)
         tex->src[j] = (nir_tex_src){.src = nir_src_for_ssa(zero), .src_type = srcs[j]};
      nir_def_init(&tex->instr, &tex->def, 4, 32);
      nir_builder_instr_insert(b, &tex->instr);
   }
   for (unsigned i = 0; i < ARRAY_SIZE(interpolations); i++)
      nir_load_barycentric_pixel(b, 32, .interp_mode = interpolations[i]);
}

static void
build_control_numbers(nir_builder *b)
{
   static const nir_selection_control controls[] = {nir_selection_control_none, nir_selection_control_flatten,
                                                    nir_selection_control_dont_flatten,
                                                    nir_selection_control_divergent_always_taken};
   static const nir_jump_type jumps[] = {nir_jump_break, nir_jump_continue};

   for (unsigned i = 0; i < ARRAY_SIZE(controls); i++) {
      nir_push_loop(b);
      nir_if *nif = nir_push_if(b, nir_imm_true(b));
      nif->control = controls[i];
      nir_jump(b, jumps[i % 2]);
      nir_pop_if(b, nif);
      nir_jump(b, jumps[1 - i % 2]);
      nir_pop_loop(b, NULL);
   }
}

static void
save_numbers(const char *folder)
{
   static const gl_shader_stage stages[] = {MESA_SHADER_FRAGMENT, MESA_SHADER_COMPUTE, MESA_SHADER_KERNEL, MESA_SHADER_GEOMETRY};
   static const unsigned controls[] = {
      FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE_FP16 | FLOAT_CONTROLS_INF_PRESERVE_FP32 | FLOAT_CONTROLS_NAN_PRESERVE_FP64,
      FLOAT_CONTROLS_DENORM_PRESERVE_FP16 | FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP32,
      FLOAT_CONTROLS_ROUNDING_MODE_RTE_FP16 | FLOAT_CONTROLS_ROUNDING_MODE_RTZ_FP64,
      FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP16 | FLOAT_CONTROLS_ROUNDING_MODE_RTZ_FP32,
   };
   static const enum mesa_prim primitives[] = {MESA_PRIM_POINTS, MESA_PRIM_LINES, MESA_PRIM_TRIANGLES};

   for (unsigned i = 0; i < ARRAY_SIZE(stages); i++) {
      nir_builder b = nir_builder_init_simple_shader(stages[i], &options, "numbers");
      char name[16];

      b.shader->info.float_controls_execution_mode = controls[i];
      if (stages[i] == MESA_SHADER_GEOMETRY) {
         b.shader->info.gs.input_primitive = primitives[i % 3];
         b.shader->info.gs.output_primitive = primitives[(i + 1) % 3];
      }
      declare_numbers(b.shader);
      build_memory_numbers(&b);
      build_texture_numbers(&b);
      build_control_numbers(&b);
      snprintf(name, sizeof(name), "%u", i);
      save_wire(folder, name, b.shader);
      ralloc_free(b.shader);
   }
}

static void
save_shaders(const char *folder)
{
   nir_shader *vertex = vertex_shader(), *fragment = fragment_shader(), *compute = compute_shader();

   save(folder, "vertex", vertex, NULL);
   nir_convert_from_ssa(vertex, true, false);
   save(folder, "registers", vertex, NULL);
   save(folder, "fragment", fragment, NULL);
   save(folder, "compute", compute, NULL);
   compute->info.cs.has_variable_shared_mem = true;
   save(folder, "variable", compute, "variable_shared_memory=true");
   ralloc_free(vertex);
   ralloc_free(fragment);
   ralloc_free(compute);
}

int
main(int argc, char **argv)
{
   bool numbers = argc == 3 && !strcmp(argv[1], "--numbers");

   if (argc != 2 && !numbers) {
      fprintf(stderr, "usage: flatten [--numbers] FOLDER\n");
      return 2;
   }
   glsl_type_singleton_init_or_ref();
   if (numbers)
      save_numbers(argv[2]);
   else
      save_shaders(argv[1]);
   glsl_type_singleton_decref();
   return 0;
}
