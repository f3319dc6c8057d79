/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Builds shaders with nir_builder, and writes each in the format of Mesa's printer and as ntv_nir.c writes it. Both must be the
 * same shader for ntv: `cargo xtask mesa --flatten` compares its modules of both.
 *
 * usage: flatten FOLDER    writes text-NAME.nir and wire-NAME.ntvw to the folder
 */

#include "ntv_nir.h"

#include <stdio.h>

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_builder.h"

#if NTV_MESA < 2500
typedef nir_ssa_def nir_def;
#define nir_ddx nir_fddx
#define discard_if nir_discard_if
#define convert_from_ssa(nir) nir_convert_from_ssa(nir, true)
#else
#define discard_if nir_terminate_if
#define convert_from_ssa(nir) nir_convert_from_ssa(nir, true, false)
#endif

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

/* Writes a shader in both forms. `directive` is data that its text lacks, or NULL. */
static void
save(const char *folder, const char *name, nir_shader *nir, const char *directive)
{
   struct ntv_wire wire;
   const char *missing;
   char *text;
   size_t stage; /* length of the first line */
   FILE *file;

   ntv_wire_init(&wire);
   missing = ntv_wire_nir(&wire, nir, false, true);
   if (missing) {
      fprintf(stderr, "%s: no form for %s\n", name, missing);
      exit(1);
   }
   file = create(folder, "wire", name, "ntvw");
   fwrite(wire.words, sizeof(uint32_t), wire.len, file);
   fclose(file);
   ntv_wire_fini(&wire);

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
   nir_def *deref = &nir_build_deref_var(&b, texture)->
#if NTV_MESA < 2500
      dest.ssa;
#else
      def;
#endif
   nir_tex_instr *tex = nir_tex_instr_create(b.shader, 3);
   nir_def *texel;

   /* ntv's set for textures; the text lacks it. */
   texture->data.descriptor_set = 2;
   discard_if(&b, nir_flt(&b, nir_imm_float(&b, 0.5), slope));
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
#if NTV_MESA < 2500
   nir_ssa_dest_init(&tex->instr, &tex->dest, 4, 32, NULL);
   texel = &tex->dest.ssa;
#else
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   texel = &tex->def;
#endif
   nir_builder_instr_insert(&b, &tex->instr);
   nir_store_var(&b, out, nir_fadd(&b, texel, nir_vec4(&b, slope, slope, slope, slope)), 0xf);
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
#if NTV_MESA < 2500
   old = nir_ssbo_atomic_add(&b, 32, zero, nir_imul(&b, id, nir_imm_int(&b, 4)), id);
   nir_store_shared(&b, old, nir_imul(&b, id, nir_imm_int(&b, 4)), .align_mul = 4);
   nir_memory_barrier_shared(&b);
   nir_control_barrier(&b);
#else
   old = nir_ssbo_atomic(&b, 32, zero, nir_imul(&b, id, nir_imm_int(&b, 4)), id, .atomic_op = nir_atomic_op_iadd);
   nir_store_shared(&b, old, nir_imul(&b, id, nir_imm_int(&b, 4)), .align_mul = 4);
   nir_barrier(&b, .execution_scope = SCOPE_WORKGROUP, .memory_scope = SCOPE_WORKGROUP,
               .memory_semantics = NIR_MEMORY_ACQ_REL, .memory_modes = nir_var_mem_shared);
#endif
   nir_store_ssbo(&b, nir_load_shared(&b, 1, 32, zero, .align_mul = 4), zero, nir_imul(&b, id, nir_imm_int(&b, 4)),
                  .align_mul = 4);
   nir_validate_shader(b.shader, "of count");
   nir_shader_gather_info(b.shader, b.impl);
   return b.shader;
}

int
main(int argc, char **argv)
{
   nir_shader *vertex, *fragment, *compute;

   if (argc != 2) {
      fprintf(stderr, "usage: flatten FOLDER\n");
      return 2;
   }
   glsl_type_singleton_init_or_ref();
   vertex = vertex_shader();
   save(argv[1], "vertex", vertex, NULL);
   convert_from_ssa(vertex);
   save(argv[1], "registers", vertex, NULL);
   fragment = fragment_shader();
   save(argv[1], "fragment", fragment, NULL);
   compute = compute_shader();
   save(argv[1], "compute", compute, NULL);
#if NTV_MESA >= 2500
   compute->info.cs.has_variable_shared_mem = true;
   save(argv[1], "variable", compute, "variable_shared_memory=true");
#endif
   ralloc_free(vertex);
   ralloc_free(fragment);
   ralloc_free(compute);
   glsl_type_singleton_decref();
   return 0;
}
