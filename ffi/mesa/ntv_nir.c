/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Walks a nir_shader once and writes it. Names and numbers of enumerations come from the headers of Mesa that this file is
 * compiled with, and the library returns its numbers for the names once, so that a change of Mesa's numbers does not change the
 * wire. A construct without a form in the wire ends the walk with its name; nothing else can fail, because the wire stores its
 * own failures.
 */

#include "ntv_nir.h"

/* The release of Mesa whose nir.h this is compiled with: 2500 for 25.0, 2203 for 22.3. */
#ifndef NTV_MESA
#define NTV_MESA 2500
#endif

#include "compiler/nir/nir.h"
#include "util/format/u_format.h"
#include "util/u_dynarray.h"

/* The number of a key in the wire. */
struct number {
   const void *key;
   uint32_t number;
};

/* The number of keys that need no allocation: a power of two. */
#define LOG2_FEW 5
#define FEW (1 << LOG2_FEW)

struct flatten {
   struct ntv_wire *w;
   nir_shader *nir;
   nir_function_impl *impl;
   /* The construct that the wire has no form for, or NULL. */
   const char *missing;
   bool has_phis;
   bool names;
   /* The variable whose type is written with its first deref; see are_push_constants. */
   nir_variable *push_constants;
   /* A hash table of glsl_type and nir_register with linear probing. At most half of it is used. */
   struct number *numbers;
   uint32_t num_numbers;
   uint32_t log2_places;
   struct number few[FEW];
#if NTV_MESA < 2500
   /* The registers that an instruction reads, by their sources, and the values of their loads. */
   struct number loaded[32];
   uint32_t num_loaded;
#endif
};

static void
miss(struct flatten *f, const char *what)
{
   if (!f->missing)
      f->missing = what;
}

/* The entry of a key, or a free entry for it, whose key is NULL. */
static inline struct number *
find_place(struct flatten *f, const void *key)
{
   struct number *numbers = f->numbers;
   uint32_t mask = (1u << f->log2_places) - 1;
   uint32_t at = (uint32_t)((uintptr_t)key >> 3) * 0x9e3779b1u >> (32 - f->log2_places);
   const void *there;

   while ((there = numbers[at].key) && there != key)
      at = (at + 1) & mask;
   return &numbers[at];
}

/* Doubles the size of the table. */
static void
grow_numbers(struct flatten *f)
{
   uint32_t count = 1u << f->log2_places;
   struct number *old = f->numbers, *numbers = calloc(2 * (size_t)count, sizeof(*numbers));

   if (!numbers) {
      /* The table is lost, but the walk has failed anyway. */
      miss(f, "all types (memory is short)");
      memset(old, 0, count * sizeof(*old));
      f->num_numbers = 1;
      return;
   }
   f->numbers = numbers;
   f->log2_places++;
   for (uint32_t i = 0; i < count; i++) {
      if (old[i].key)
         *find_place(f, old[i].key) = old[i];
   }
   if (old != f->few)
      free(old);
}

/* Assigns a number to a new key in the free entry `place`. */
static inline void
fill_place(struct flatten *f, struct number *place, const void *key, uint32_t number)
{
   *place = (struct number){key, number};
   if (2 * ++f->num_numbers > 1u << f->log2_places)
      grow_numbers(f);
}

/* The shape of a value. */
struct shape {
   unsigned components;
   unsigned bits;
};

/* nir_instr::index holds the number of the next instruction in the wire. */
static inline void
number_instr(struct flatten *f, nir_instr *instr)
{
   instr->index = f->w->num_instrs;
}

static inline uint32_t
ssa_number(const nir_src *src)
{
   return src->ssa->parent_instr->index;
}

#if NTV_MESA >= 2500
/* ------------------------------------------------------------------------------------------------------------------
 * Operands
 * ------------------------------------------------------------------------------------------------------------------ */

typedef nir_def nir_result;
#define RESULT(instr) (&(instr)->def)
#define ALU_RESULT(alu) (&(alu)->def)

/* Called before an instruction is numbered. */
static inline void
load_sources(struct flatten *f, nir_instr *instr)
{
}

static inline uint32_t
source(struct flatten *f, const nir_src *src)
{
   return ssa_number(src);
}

static inline uint32_t
condition(struct flatten *f, nir_if *nif)
{
   return ssa_number(&nif->condition);
}

static inline struct shape
result_shape(const nir_result *result)
{
   return (struct shape){result->num_components, result->bit_size};
}

static inline void
end_result(struct flatten *f, const nir_result *result, const nir_instr *instr)
{
}

static inline void
declare_registers(struct flatten *f)
{
}

static inline void
check_modifiers(struct flatten *f, const nir_alu_instr *alu)
{
}
#else
#include "ntv_nir_22.h"
#endif

/* ------------------------------------------------------------------------------------------------------------------
 * Enumerations
 * ------------------------------------------------------------------------------------------------------------------ */

/* The index of the only set bit of a constant, as a constant. */
#define BIT_OF(x) \
   ((((x) & 0xaaaaaaaau) != 0) | (((x) & 0xccccccccu) != 0) << 1 | (((x) & 0xf0f0f0f0u) != 0) << 2 | \
    (((x) & 0xff00ff00u) != 0) << 3 | (((x) & 0xffff0000u) != 0) << 4)

static const uint16_t mode_of_bit[32] = {
   [BIT_OF(nir_var_system_value)] = NTV_MODE_SYSTEM,
   [BIT_OF(nir_var_uniform)] = NTV_MODE_UNIFORM,
   [BIT_OF(nir_var_shader_in)] = NTV_MODE_SHADER_IN,
   [BIT_OF(nir_var_shader_out)] = NTV_MODE_SHADER_OUT,
   [BIT_OF(nir_var_image)] = NTV_MODE_IMAGE,
   [BIT_OF(nir_var_mem_ubo)] = NTV_MODE_UBO,
   [BIT_OF(nir_var_mem_push_const)] = NTV_MODE_PUSH_CONST,
   [BIT_OF(nir_var_mem_ssbo)] = NTV_MODE_SSBO,
   [BIT_OF(nir_var_mem_constant)] = NTV_MODE_CONSTANT,
   [BIT_OF(nir_var_mem_task_payload)] = NTV_MODE_TASK_PAYLOAD,
   [BIT_OF(nir_var_shader_temp)] = NTV_MODE_SHADER_TEMP,
   [BIT_OF(nir_var_function_temp)] = NTV_MODE_FUNCTION_TEMP,
   [BIT_OF(nir_var_mem_shared)] = NTV_MODE_SHARED,
   [BIT_OF(nir_var_mem_global)] = NTV_MODE_GLOBAL,
};

/* Most variables and derefs have one mode. */
static uint32_t
mode_bits(uint32_t mode)
{
   uint32_t bits = 0;

   for (; mode; mode &= mode - 1)
      bits |= mode_of_bit[ffs(mode) - 1];
   return bits;
}

static uint32_t
alu_type(nir_alu_type type)
{
   unsigned bits = nir_alu_type_get_type_size(type);

   switch (nir_alu_type_get_base_type(type)) {
   case nir_type_bool:
      return ntv_alu_type(NTV_BASE_BOOL, bits);
   case nir_type_int:
      return ntv_alu_type(NTV_BASE_INT, bits);
   case nir_type_uint:
      return ntv_alu_type(NTV_BASE_UINT, bits);
   case nir_type_float:
      return ntv_alu_type(NTV_BASE_FLOAT, bits);
   default:
      return 0;
   }
}

static enum ntv_stage
stage(struct flatten *f, gl_shader_stage stage)
{
   switch (stage) {
   case MESA_SHADER_VERTEX:
      return NTV_STAGE_VERTEX;
   case MESA_SHADER_TESS_CTRL:
      return NTV_STAGE_TESS_CTRL;
   case MESA_SHADER_TESS_EVAL:
      return NTV_STAGE_TESS_EVAL;
   case MESA_SHADER_GEOMETRY:
      return NTV_STAGE_GEOMETRY;
   case MESA_SHADER_FRAGMENT:
      return NTV_STAGE_FRAGMENT;
   case MESA_SHADER_COMPUTE:
      return NTV_STAGE_COMPUTE;
   case MESA_SHADER_KERNEL:
      return NTV_STAGE_KERNEL;
   default:
      miss(f, "a shader of this stage");
      return NTV_STAGE_VERTEX;
   }
}

static enum ntv_dim
dim(enum glsl_sampler_dim dim)
{
   switch (dim) {
   case GLSL_SAMPLER_DIM_1D:
      return NTV_DIM_1D;
   case GLSL_SAMPLER_DIM_2D:
      return NTV_DIM_2D;
   case GLSL_SAMPLER_DIM_3D:
      return NTV_DIM_3D;
   case GLSL_SAMPLER_DIM_CUBE:
      return NTV_DIM_CUBE;
   case GLSL_SAMPLER_DIM_RECT:
      return NTV_DIM_RECT;
   case GLSL_SAMPLER_DIM_BUF:
      return NTV_DIM_BUF;
   case GLSL_SAMPLER_DIM_EXTERNAL:
      return NTV_DIM_EXTERNAL;
   case GLSL_SAMPLER_DIM_MS:
      return NTV_DIM_MS;
   case GLSL_SAMPLER_DIM_SUBPASS:
      return NTV_DIM_SUBPASS;
   case GLSL_SAMPLER_DIM_SUBPASS_MS:
      return NTV_DIM_SUBPASS_MS;
   }
   unreachable("all are there");
}

static const char *
primitive(enum mesa_prim primitive)
{
   switch (primitive) {
   case MESA_PRIM_POINTS:
      return "POINTS";
   case MESA_PRIM_LINES:
      return "LINES";
   case MESA_PRIM_LINE_LOOP:
      return "LINE_LOOP";
   case MESA_PRIM_LINE_STRIP:
      return "LINE_STRIP";
   case MESA_PRIM_TRIANGLES:
      return "TRIANGLES";
   case MESA_PRIM_TRIANGLE_STRIP:
      return "TRIANGLE_STRIP";
   case MESA_PRIM_TRIANGLE_FAN:
      return "TRIANGLE_FAN";
   case MESA_PRIM_QUADS:
      return "QUADS";
   case MESA_PRIM_QUAD_STRIP:
      return "QUAD_STRIP";
   case MESA_PRIM_LINES_ADJACENCY:
      return "LINES_ADJACENCY";
   case MESA_PRIM_TRIANGLES_ADJACENCY:
      return "TRIANGLES_ADJACENCY";
   default:
      return "UNKNOWN";
   }
}

/* The number of a format in the wire. Few shaders use formats, so the number is not cached. */
static uint32_t
format(struct flatten *f, enum pipe_format format)
{
   uint32_t number = ntv_wire_number(NTV_TABLE_FORMAT, util_format_short_name(format));

   if (number == NTV_NONE)
      miss(f, util_format_short_name(format));
   return number;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Opcodes
 * ------------------------------------------------------------------------------------------------------------------ */

/* An intrinsic of this release of Mesa, with its data in ntv. */
struct intrinsic {
   uint16_t number; /* plus one: 0 if ntv does not have the name */
   uint8_t num_srcs;
   bool has_dest;
   uint8_t num_indices; /* in ntv */
   bool plain;          /* ntv has the same indices in the same order, with the same values */
};

/* An ALU opcode of this release of Mesa, with its data in ntv. */
struct alu {
   uint16_t number;     /* as above */
   uint8_t num_inputs;
   bool wide;           /* reads more than four components of an input, independent of the result */
   /* For each of the first four inputs: the number of components, 0 if it is that of the result. */
   uint8_t input_sizes[4];
};

#if NTV_MESA >= 2500
/* Numbers of names at compile time, so that the first shader of a process needs no look-up. */
#include "ntv_names.h"

static const struct alu alu_ops[nir_num_opcodes] = {
#define ROW(name, number, num_inputs, wide, a, b, c, d) [nir_op_##name] = {number + 1, num_inputs, wide, {a, b, c, d}},
   NTV_NAMES_OF_ALU(ROW)
#undef ROW
};

static const struct intrinsic intrinsics[nir_num_intrinsics] = {
#define ROW(name, number, num_srcs, has_dest, num_indices, plain) \
   [nir_intrinsic_##name] = {number + 1, num_srcs, has_dest, num_indices, plain},
   NTV_NAMES_OF_INTRINSICS(ROW)
#undef ROW
};

static inline const struct alu *
alu_row(nir_op op)
{
   return &alu_ops[op];
}

static inline const struct intrinsic *
intrinsic_row(nir_intrinsic_op op)
{
   return &intrinsics[op];
}

/* The position of the value of an index of an intrinsic, NTV_NONE if ntv does not have the index. */
static inline uint32_t
index_slot(nir_intrinsic_op op, unsigned index)
{
   return index;
}
#else
#include "ntv_names_22.h"
#endif

static inline uint32_t
alu_op(struct flatten *f, nir_op op)
{
   const struct alu *row = alu_row(op);

   if (unlikely(!row->number)) {
      miss(f, nir_op_infos[op].name);
      return 0;
   }
   return row->number - 1;
}

/* ------------------------------------------------------------------------------------------------------------------
 * The shader as a whole
 * ------------------------------------------------------------------------------------------------------------------ */

/* A rare fact. */
static inline void
write_fact(struct flatten *f, enum ntv_info_field field, uint32_t value)
{
   if (value)
      ntv_wire_info(f->w, field, value);
}

static void
write_tess_info(struct flatten *f, const struct shader_info *s)
{
   write_fact(f, NTV_INFO_PRIMITIVE_MODE, s->tess._primitive_mode);
   write_fact(f, NTV_INFO_TCS_VERTICES_OUT, s->tess.tcs_vertices_out);
   write_fact(f, NTV_INFO_SPACING, s->tess.spacing);
   write_fact(f, NTV_INFO_CCW, s->tess.ccw);
   write_fact(f, NTV_INFO_POINT_MODE, s->tess.point_mode);
}

static void
write_geometry_info(struct flatten *f, const struct shader_info *s)
{
   ntv_wire_info_text(f->w, NTV_INFO_OUTPUT_PRIMITIVE, primitive(s->gs.output_primitive));
   ntv_wire_info_text(f->w, NTV_INFO_INPUT_PRIMITIVE, primitive(s->gs.input_primitive));
   write_fact(f, NTV_INFO_VERTICES_OUT, s->gs.vertices_out);
   write_fact(f, NTV_INFO_INVOCATIONS, s->gs.invocations);
   write_fact(f, NTV_INFO_VERTICES_IN, s->gs.vertices_in);
   write_fact(f, NTV_INFO_USES_END_PRIMITIVE, s->gs.uses_end_primitive);
   write_fact(f, NTV_INFO_ACTIVE_STREAM_MASK, s->gs.active_stream_mask);
}

static void
write_fragment_info(struct flatten *f, const struct shader_info *s)
{
   write_fact(f, NTV_INFO_USES_SAMPLE_SHADING, s->fs.uses_sample_shading);
   write_fact(f, NTV_INFO_EARLY_FRAGMENT_TESTS, s->fs.early_fragment_tests);
   write_fact(f, NTV_INFO_POST_DEPTH_COVERAGE, s->fs.post_depth_coverage);
   write_fact(f, NTV_INFO_PIXEL_INTERLOCK_ORDERED, s->fs.pixel_interlock_ordered);
   write_fact(f, NTV_INFO_PIXEL_INTERLOCK_UNORDERED, s->fs.pixel_interlock_unordered);
   write_fact(f, NTV_INFO_SAMPLE_INTERLOCK_ORDERED, s->fs.sample_interlock_ordered);
   write_fact(f, NTV_INFO_SAMPLE_INTERLOCK_UNORDERED, s->fs.sample_interlock_unordered);
}

/* Facts that are only printed. */
static void
write_printed_info(struct flatten *f, const struct shader_info *s)
{
#if NTV_MESA >= 2500
   uint32_t values[4] = {0};

   STATIC_ASSERT(BITSET_WORDBITS == 32);
   memcpy(values, s->system_values_read, MIN2(BITSET_WORDS(SYSTEM_VALUE_MAX), 4) * sizeof(*values));
   ntv_wire_info_list(f->w, NTV_INFO_SYSTEM_VALUES_READ, values, 4);
#endif
   ntv_wire_info_bits(f->w, NTV_INFO_INPUTS_READ, s->inputs_read, 0);
   ntv_wire_info_bits(f->w, NTV_INFO_OUTPUTS_WRITTEN, s->outputs_written, 0);
   ntv_wire_info_bits(f->w, NTV_INFO_OUTPUTS_READ, s->outputs_read, 0);
   write_fact(f, NTV_INFO_PATCH_INPUTS_READ, s->patch_inputs_read);
   write_fact(f, NTV_INFO_PATCH_OUTPUTS_WRITTEN, s->patch_outputs_written);
   write_fact(f, NTV_INFO_PATCH_OUTPUTS_READ, s->patch_outputs_read);
   write_fact(f, NTV_INFO_SUBGROUP_SIZE, s->subgroup_size);
   write_fact(f, NTV_INFO_CLIP_DISTANCE_ARRAY_SIZE, s->clip_distance_array_size);
   write_fact(f, NTV_INFO_CULL_DISTANCE_ARRAY_SIZE, s->cull_distance_array_size);
   write_fact(f, NTV_INFO_SEPARATE_SHADER, s->separate_shader);
   write_fact(f, NTV_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS, s->has_transform_feedback_varyings);
   write_fact(f, NTV_INFO_IO_LOWERED, s->io_lowered);
   write_fact(f, NTV_INFO_WRITES_MEMORY, s->writes_memory);
   if (s->stage == MESA_SHADER_VERTEX)
      write_fact(f, NTV_INFO_WINDOW_SPACE_POSITION, s->vs.window_space_position);
   if (s->stage == MESA_SHADER_FRAGMENT) {
      write_fact(f, NTV_INFO_USES_DISCARD, s->fs.uses_discard);
      write_fact(f, NTV_INFO_USES_FBFETCH_OUTPUT, s->fs.uses_fbfetch_output);
      write_fact(f, NTV_INFO_COLOR_IS_DUAL_SOURCE, s->fs.color_is_dual_source);
      write_fact(f, NTV_INFO_USES_SAMPLE_QUALIFIER, s->fs.uses_sample_qualifier);
      write_fact(f, NTV_INFO_INNER_COVERAGE, s->fs.inner_coverage);
      write_fact(f, NTV_INFO_PIXEL_CENTER_INTEGER, s->fs.pixel_center_integer);
      write_fact(f, NTV_INFO_ORIGIN_UPPER_LEFT, s->fs.origin_upper_left);
   }
   if (gl_shader_stage_is_compute(s->stage))
      write_fact(f, NTV_INFO_PTR_SIZE, s->cs.ptr_size);
}

static void
write_header(struct flatten *f, bool element_offsets)
{
   const struct shader_info *s = &f->nir->info;
   bool compute = gl_shader_stage_is_compute(s->stage);
   struct ntv_shader shader = {
      .stage = stage(f, s->stage),
      .next_stage = s->next_stage >= MESA_SHADER_VERTEX && s->next_stage <= MESA_SHADER_FRAGMENT ? stage(f, s->next_stage) : NTV_NONE,
      .first_ubo_is_default_ubo = s->first_ubo_is_default_ubo,
      .num_textures = s->num_textures,
      .num_ubos = s->num_ubos,
      .num_ssbos = s->num_ssbos,
      .num_images = s->num_images,
      .float_controls_execution_mode = s->float_controls_execution_mode,
      .shared_size = s->shared_size,
      .name = f->names ? s->name : NULL,
      .label = f->names ? s->label : NULL,
   };

   if (compute) {
      for (unsigned i = 0; i < 3; i++)
         shader.workgroup_size[i] = s->workgroup_size[i];
      /* zink and nir_to_spirv use a size of 0 for a size that the pipeline sets. */
      shader.workgroup_size_variable = !s->workgroup_size[0] && !s->workgroup_size[1] && !s->workgroup_size[2];
#if NTV_MESA >= 2500
      shader.derivative_group = s->derivative_group;
#else
      shader.derivative_group = s->cs.derivative_group;
#endif
   } else if (s->stage == MESA_SHADER_FRAGMENT) {
      shader.depth_layout = s->fs.depth_layout;
   }
   ntv_wire_begin(f->w, &shader);
   if (s->stage == MESA_SHADER_FRAGMENT)
      write_fragment_info(f, s);
   else if (s->stage == MESA_SHADER_GEOMETRY)
      write_geometry_info(f, s);
   else if (s->stage == MESA_SHADER_TESS_CTRL || s->stage == MESA_SHADER_TESS_EVAL)
      write_tess_info(f, s);
#if NTV_MESA >= 2500
   else if (compute && s->cs.has_variable_shared_mem)
      ntv_wire_directive(f->w, NTV_DIRECTIVE_VARIABLE_SHARED_MEMORY, true);
#endif
   write_fact(f, NTV_INFO_SCRATCH, f->nir->scratch_size);
   if (f->names)
      write_printed_info(f, s);
   ntv_wire_directive(f->w, NTV_DIRECTIVE_SHARED_OFFSET_UNITS,
                      element_offsets ? NTV_OFFSET_UNITS_ELEMENTS : NTV_OFFSET_UNITS_BYTES);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Types and variables
 * ------------------------------------------------------------------------------------------------------------------ */

static uint32_t
number_type(enum glsl_base_type base)
{
   switch (base) {
   case GLSL_TYPE_BOOL:
      return ntv_alu_type(NTV_BASE_BOOL, 1);
   case GLSL_TYPE_FLOAT:
   case GLSL_TYPE_FLOAT16:
   case GLSL_TYPE_DOUBLE:
      return ntv_alu_type(NTV_BASE_FLOAT, glsl_base_type_get_bit_size(base));
   case GLSL_TYPE_INT:
   case GLSL_TYPE_INT8:
   case GLSL_TYPE_INT16:
   case GLSL_TYPE_INT64:
      return ntv_alu_type(NTV_BASE_INT, glsl_base_type_get_bit_size(base));
   case GLSL_TYPE_UINT:
   case GLSL_TYPE_UINT8:
   case GLSL_TYPE_UINT16:
   case GLSL_TYPE_UINT64:
      return ntv_alu_type(NTV_BASE_UINT, glsl_base_type_get_bit_size(base));
   default:
      /* A bare sampler has no type of texels. */
      return ntv_alu_type(NTV_BASE_FLOAT, 32);
   }
}

static uint32_t write_new_type(struct flatten *f, const struct glsl_type *type, struct number *place);

/* The number of a type, which is written if it is new. */
static inline uint32_t
write_type(struct flatten *f, const struct glsl_type *type)
{
   struct number *place = find_place(f, type);

   return place->key ? place->number : write_new_type(f, type, place);
}

static uint32_t
write_number_type(struct flatten *f, const struct glsl_type *type)
{
   uint32_t number = number_type(glsl_get_base_type(type));
   enum ntv_base base = number >> 8;
   unsigned bits = number & 0xff;

   if (glsl_type_is_matrix(type))
      return ntv_wire_type_matrix(f->w, bits, glsl_get_matrix_columns(type), glsl_get_vector_elements(type));
   return ntv_wire_type_vector(f->w, base, bits, glsl_get_vector_elements(type));
}

static uint32_t
write_array_type(struct flatten *f, const struct glsl_type *type)
{
   uint32_t element = write_type(f, glsl_get_array_element(type));
   unsigned length = glsl_get_length(type);

   return ntv_wire_type_array(f->w, element, length ? length : NTV_NONE, glsl_get_explicit_stride(type));
}

static uint32_t
write_struct_type(struct flatten *f, const struct glsl_type *type)
{
   unsigned length = glsl_get_length(type);
   uint32_t types[16], number;

   /* The types of members must be written first. */
   for (unsigned i = 0; i < length; i++)
      types[i % ARRAY_SIZE(types)] = write_type(f, glsl_get_struct_field(type, i));
   number = ntv_wire_type_struct(f->w, glsl_get_type_name(type), length);
   for (unsigned i = 0; i < length; i++) {
      int offset = glsl_get_struct_field_offset(type, i);
      uint32_t field =
         length <= ARRAY_SIZE(types) ? types[i] : write_type(f, glsl_get_struct_field(type, i));

      ntv_wire_type_field(f->w, f->names ? glsl_get_struct_elem_name(type, i) : NULL, field,
                          offset < 0 ? NTV_NONE : (uint32_t)offset);
   }
   return number;
}

static uint32_t
write_texture_type(struct flatten *f, const struct glsl_type *type)
{
   uint32_t flags = 0;

   if (glsl_sampler_type_is_array(type))
      flags |= NTV_TYPE_ARRAYED;
   if (glsl_type_is_texture(type))
      flags |= NTV_TYPE_BARE;
   else if (glsl_sampler_type_is_shadow(type))
      flags |= NTV_TYPE_SHADOW;
   return ntv_wire_type_texture(f->w, dim(glsl_get_sampler_dim(type)), flags,
                                number_type(glsl_get_sampler_result_type(type)));
}

/* Writes a new type with the free entry `place`. */
static uint32_t
write_new_type(struct flatten *f, const struct glsl_type *type, struct number *place)
{
   bool has_parts = false;
   uint32_t number;

   switch (glsl_get_base_type(type)) {
   case GLSL_TYPE_ARRAY:
      number = write_array_type(f, type);
      has_parts = true;
      break;
   case GLSL_TYPE_STRUCT:
   case GLSL_TYPE_INTERFACE:
      number = write_struct_type(f, type);
      has_parts = true;
      break;
   case GLSL_TYPE_SAMPLER:
      if (glsl_type_is_bare_sampler(type))
         number = ntv_wire_type_sampler(f->w, glsl_sampler_type_is_shadow(type));
      else
         number = write_texture_type(f, type);
      break;
   case GLSL_TYPE_TEXTURE:
      number = write_texture_type(f, type);
      break;
   case GLSL_TYPE_IMAGE:
      number = ntv_wire_type_image(f->w, dim(glsl_get_sampler_dim(type)), glsl_sampler_type_is_array(type),
                                   number_type(glsl_get_sampler_result_type(type)));
      break;
   case GLSL_TYPE_ATOMIC_UINT:
      number = ntv_wire_type_atomic_uint(f->w);
      break;
   case GLSL_TYPE_VOID:
   case GLSL_TYPE_SUBROUTINE:
   case GLSL_TYPE_ERROR:
      number = ntv_wire_type_void(f->w);
      break;
   default:
      number = write_number_type(f, type);
      break;
   }
   /* The types of parts may have used the entry. */
   fill_place(f, has_parts ? find_place(f, type) : place, type, number);
   return number;
}

/* Appends the scalars of an initializer. */
static void
collect_values(struct util_dynarray *values, const nir_constant *constant, const struct glsl_type *type)
{
   if (glsl_type_is_vector_or_scalar(type)) {
      unsigned bits = glsl_type_is_boolean(type) ? 1 : glsl_get_bit_size(type);

      for (unsigned i = 0; i < glsl_get_vector_elements(type); i++)
         util_dynarray_append(values, uint64_t, nir_const_value_as_uint(constant->values[i], bits));
   } else if (glsl_type_is_struct_or_ifc(type)) {
      for (unsigned i = 0; i < glsl_get_length(type); i++)
         collect_values(values, constant->elements[i], glsl_get_struct_field(type, i));
   } else if (glsl_type_is_matrix(type)) {
      for (unsigned i = 0; i < glsl_get_matrix_columns(type); i++)
         collect_values(values, constant->elements[i], glsl_get_column_type(type));
   } else if (glsl_type_is_array(type)) {
      for (unsigned i = 0; i < glsl_get_length(type); i++)
         collect_values(values, constant->elements[i], glsl_get_array_element(type));
   }
}

static uint32_t
variable_flags(const nir_variable *var)
{
   return (var->data.bindless ? NTV_VARIABLE_BINDLESS : 0) | (var->data.centroid ? NTV_VARIABLE_CENTROID : 0) |
          (var->data.sample ? NTV_VARIABLE_SAMPLE : 0) | (var->data.patch ? NTV_VARIABLE_PATCH : 0) |
          (var->data.invariant ? NTV_VARIABLE_INVARIANT : 0) | (var->data.per_view ? NTV_VARIABLE_PER_VIEW : 0) |
          (var->data.per_primitive ? NTV_VARIABLE_PER_PRIMITIVE : 0) |
          (var->data.ray_query ? NTV_VARIABLE_RAY_QUERY : 0) |
          (var->data.fb_fetch_output ? NTV_VARIABLE_FB_FETCH_OUTPUT : 0) |
          (var->data.compact ? NTV_VARIABLE_COMPACT : 0);
}

/* Whether a variable looks like zink's push constants, which all graphics shaders have. Most shaders read them by intrinsics with
 * constant offsets, or not at all: their struct type is only written for derefs. */
static bool
are_push_constants(const struct flatten *f, const nir_variable *var)
{
   return var->data.mode == nir_var_mem_push_const && !f->push_constants && !f->names &&
          glsl_type_is_struct_or_ifc(var->type);
}

/* Writes the type of the push constants, for a deref. */
static void
write_push_constants(struct flatten *f)
{
   const nir_variable *var = f->push_constants;

   f->push_constants = NULL;
   ntv_wire_variable_type(f->w, var->index, write_type(f, var->type));
}

static void
write_variable(struct flatten *f, nir_variable *var)
{
   const uint32_t resources = NTV_MODE_UNIFORM | NTV_MODE_IMAGE | NTV_MODE_UBO | NTV_MODE_SSBO;
   /* ntv does not use names of inputs and outputs; from names of buffers it derives zink's use of them. */
   bool named = f->names || !(var->data.mode & (nir_var_shader_in | nir_var_shader_out));
   bool typed_late = are_push_constants(f, var);
   struct ntv_variable v = ntv_variable_init(named ? var->name : NULL, typed_late ? ntv_wire_type_struct(f->w, "", 0) : write_type(f, var->type),
                                             mode_bits(var->data.mode));
   struct util_dynarray values = {0};

   if (typed_late)
      f->push_constants = var;
   if (!v.mode) {
      miss(f, "a variable of this mode");
      return;
   }
   v.interpolation = var->data.interpolation;
   v.precision = var->data.precision;
   v.access = var->data.access;
   v.flags = variable_flags(var);
   v.location = var->data.location;
   v.location_frac = var->data.location_frac;
   v.driver_location = var->data.driver_location;
   v.binding = var->data.binding;
   v.index = var->data.index;
   if (v.mode & resources)
      v.descriptor_set = var->data.descriptor_set;
   /* These fields share memory in a union. */
   if (glsl_type_is_image(glsl_without_array(var->type))) {
      v.image_format = format(f, var->data.image.format);
   } else if (v.mode == NTV_MODE_SHADER_OUT) {
      v.stream = var->data.stream;
      if (var->data.explicit_xfb_buffer && (NTV_MESA < 2500 || f->nir->xfb_info)) {
         v.xfb_buffer = var->data.xfb.buffer;
         v.xfb_stride = var->data.xfb.stride;
         v.xfb_offset = var->data.offset;
      }
   }
   if (var->constant_initializer) {
      util_dynarray_init(&values, NULL);
      collect_values(&values, var->constant_initializer, var->type);
      v.values = values.data;
      v.num_values = util_dynarray_num_elements(&values, uint64_t);
   }
   /* Like nir_instr::index, this holds the number in the wire. */
   var->index = ntv_wire_variable(f->w, &v);
   if (var->constant_initializer)
      util_dynarray_fini(&values);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Instructions
 * ------------------------------------------------------------------------------------------------------------------ */

/* A swizzle of four components or fewer. */
static inline uint32_t
swizzle4(const uint8_t *swizzle, unsigned components)
{
   uint32_t bytes = swizzle[0] | swizzle[1] << 8 | swizzle[2] << 16 | (uint32_t)swizzle[3] << 24;
   uint32_t pairs = (bytes | bytes >> 4) & 0x00ff00ffu;
   uint32_t bits = (pairs | pairs >> 8) & 0xffffu;
   uint32_t unread = 0xffffffffu << 4 * components;

   return (bits & ~unread) | (0x76543210u & unread);
}

static inline unsigned
read_components(const nir_op_info *about, unsigned input, struct shape result)
{
   return about->input_sizes[input] ? about->input_sizes[input] : result.components;
}

/* An instruction with sources of any number and size. */
static void
write_large_alu(struct flatten *f, nir_alu_instr *alu, uint32_t op, uint32_t flags)
{
   const nir_op_info *about = &nir_op_infos[alu->op];
   struct shape shape = result_shape(ALU_RESULT(alu));
   bool wide = false;

   for (unsigned i = 0; i < about->num_inputs; i++)
      wide |= read_components(about, i, shape) > 8;
   ntv_wire_alu(f->w, op, wide ? flags | NTV_WIDE_SOURCES : flags, shape.components, shape.bits);
   for (unsigned i = 0; i < about->num_inputs; i++) {
      uint32_t src = source(f, &alu->src[i].src);
      unsigned components = read_components(about, i, shape);

      if (wide)
         ntv_wire_wide_alu_src(f->w, src, alu->src[i].swizzle, components);
      else
         ntv_wire_alu_src(f->w, src, alu->src[i].swizzle, components);
   }
}

static void
write_alu(struct flatten *f, nir_alu_instr *alu)
{
   const struct alu *row = alu_row(alu->op);
   uint32_t op = alu_op(f, alu->op);
   uint32_t flags = (alu->exact ? NTV_ALU_EXACT : 0) | (alu->no_signed_wrap ? NTV_ALU_NO_SIGNED_WRAP : 0) |
                    (alu->no_unsigned_wrap ? NTV_ALU_NO_UNSIGNED_WRAP : 0);
   struct shape shape = result_shape(ALU_RESULT(alu));
   uint32_t *words;

   assert(!row->number || row->num_inputs == nir_op_infos[alu->op].num_inputs);
   check_modifiers(f, alu);
   load_sources(f, &alu->instr);
   number_instr(f, &alu->instr);
   if (shape.components > 4 || row->wide || row->num_inputs > ARRAY_SIZE(row->input_sizes)) {
      write_large_alu(f, alu, op, flags);
   } else {
      words = ntv_wire_instr(f->w, ntv_wire_head(NTV_RECORD_ALU, op, shape.components, shape.bits) | flags << 28,
                             2 * row->num_inputs);
      for (unsigned i = 0; words && i < row->num_inputs; i++) {
         unsigned components = row->input_sizes[i] ? row->input_sizes[i] : shape.components;

         words[2 * i] = source(f, &alu->src[i].src);
         words[2 * i + 1] = swizzle4(alu->src[i].swizzle, components);
      }
   }
   end_result(f, ALU_RESULT(alu), &alu->instr);
}

static void
write_const(struct flatten *f, nir_load_const_instr *load)
{
   unsigned bits = load->def.bit_size, components = load->def.num_components;

   number_instr(f, &load->instr);
   if (bits == 32) {
      uint32_t *words = ntv_wire_instr(f->w, ntv_wire_head(NTV_RECORD_CONST, 0, components, bits), components);

      if (words) {
         for (unsigned i = 0; i < components; i++)
            words[i] = load->value[i].u32;
      }
      return;
   }
   ntv_wire_const(f->w, components, bits);
   for (unsigned i = 0; i < components; i++)
      ntv_wire_const_value(f->w, bits, nir_const_value_as_uint(load->value[i], bits));
}

/* Neither the result nor a source is a register: Mesa leaves phis only in SSA form, and then all of them. */
static void
write_phi(struct flatten *f, nir_phi_instr *phi)
{
   struct shape shape = result_shape(RESULT(phi));

   f->has_phis = true;
   number_instr(f, &phi->instr);
   ntv_wire_phi(f->w, shape.components, shape.bits);
}

/* Called at the end, when all values have their numbers. */
static void
write_phi_srcs(struct flatten *f)
{
   nir_foreach_block(block, f->impl) {
      nir_foreach_instr(instr, block) {
         if (instr->type != nir_instr_type_phi)
            break;
         nir_foreach_phi_src(src, nir_instr_as_phi(instr))
            ntv_wire_phi_src(f->w, instr->index, src->pred->index, ssa_number(&src->src));
      }
   }
}

static void
write_array_deref(struct flatten *f, nir_deref_instr *deref, struct ntv_deref_result r)
{
   bool pointer = deref->deref_type == nir_deref_type_ptr_as_array;
   uint32_t parent = ssa_number(&deref->parent);

   if (nir_src_is_const(deref->arr.index))
      ntv_wire_deref_array_imm(f->w, pointer ? NTV_DEREF_PTR_AS_ARRAY_IMM : NTV_DEREF_ARRAY_IMM, r, parent,
                               nir_src_as_int(deref->arr.index));
   else
      ntv_wire_deref_array(f->w, pointer ? NTV_DEREF_PTR_AS_ARRAY : NTV_DEREF_ARRAY, r, parent,
                           source(f, &deref->arr.index));
}

/* A deref with a parent. Derefs are always in SSA form. */
static void
write_step(struct flatten *f, nir_deref_instr *deref)
{
   struct ntv_deref_result r = {result_shape(RESULT(deref)).bits, write_type(f, deref->type), mode_bits(deref->modes)};

   load_sources(f, &deref->instr);
   number_instr(f, &deref->instr);
   switch (deref->deref_type) {
   case nir_deref_type_struct:
      ntv_wire_deref_struct(f->w, r, ssa_number(&deref->parent), deref->strct.index);
      break;
   case nir_deref_type_array_wildcard:
      ntv_wire_deref_array_wildcard(f->w, r, ssa_number(&deref->parent));
      break;
   case nir_deref_type_cast:
      ntv_wire_deref_cast(f->w, r, ssa_number(&deref->parent), deref->cast.ptr_stride, deref->cast.align_mul,
                          deref->cast.align_offset);
      break;
   default:
      write_array_deref(f, deref, r);
      break;
   }
}

static inline void
write_deref(struct flatten *f, nir_deref_instr *deref)
{
   if (deref->deref_type == nir_deref_type_var) {
      if (unlikely(deref->var == f->push_constants))
         write_push_constants(f);
      number_instr(f, &deref->instr);
      ntv_wire_deref_var(f->w, result_shape(RESULT(deref)).bits, deref->var->index);
   } else {
      write_step(f, deref);
   }
}

static uint32_t
io_semantics(nir_io_semantics io)
{
   uint32_t flags = (io.dual_source_blend_index ? NTV_IO_DUALSRC : 0) | (io.fb_fetch_output ? NTV_IO_FBFETCH : 0) |
                    (io.per_view ? NTV_IO_PERVIEW : 0) | (io.medium_precision ? NTV_IO_MEDIUMP : 0) |
                    (io.high_16bits ? NTV_IO_HIGH_16BITS : 0) | (io.invariant ? NTV_IO_INVARIANT : 0) |
                    (io.no_varying ? NTV_IO_NO_VARYING : 0) | (io.no_sysval_output ? NTV_IO_NO_SYSVAL_OUTPUT : 0);

#if NTV_MESA >= 2500
   flags |= (io.interp_explicit_strict ? NTV_IO_EXPLICIT_STRICT : 0) |
            (io.fb_fetch_output_coherent ? NTV_IO_COHERENT : 0) | (io.high_dvec2 ? NTV_IO_HIGH_DVEC2 : 0);
#endif
   return ntv_io_semantics(io.location, io.num_slots, io.gs_streams, flags);
}

static uint32_t
io_xfb(nir_io_xfb xfb)
{
   return ntv_io_xfb(xfb.out[0].num_components, xfb.out[0].buffer, xfb.out[0].offset, xfb.out[1].num_components,
                     xfb.out[1].buffer, xfb.out[1].offset);
}

/* The value of an index of an intrinsic in the wire. */
static uint32_t
index_value(struct flatten *f, const nir_intrinsic_instr *intrinsic, unsigned index, uint32_t value)
{
   switch (index) {
   case NIR_INTRINSIC_MEMORY_MODES:
      return mode_bits(value);
   case NIR_INTRINSIC_IMAGE_DIM:
      return dim(value);
   case NIR_INTRINSIC_FORMAT:
      return format(f, value);
   case NIR_INTRINSIC_REDUCTION_OP:
      return alu_op(f, value);
   case NIR_INTRINSIC_SRC_TYPE:
   case NIR_INTRINSIC_DEST_TYPE:
      return alu_type(value);
   case NIR_INTRINSIC_IO_SEMANTICS:
      return io_semantics(nir_intrinsic_io_semantics(intrinsic));
   case NIR_INTRINSIC_IO_XFB:
      return io_xfb(nir_intrinsic_io_xfb(intrinsic));
   case NIR_INTRINSIC_IO_XFB2:
      return io_xfb(nir_intrinsic_io_xfb2(intrinsic));
   default:
      /* The other enumerations have the wire's numbers. */
      return value;
   }
}

/* Writes the values of indices whose order or values differ in ntv. */
static void
write_indices(struct flatten *f, const nir_intrinsic_instr *intrinsic, const struct intrinsic *row, uint32_t *words)
{
   const nir_intrinsic_info *about = &nir_intrinsic_infos[intrinsic->intrinsic];

   memset(words, 0, row->num_indices * sizeof(*words));
   for (unsigned i = 0; i < about->num_indices; i++) {
      uint32_t slot = index_slot(intrinsic->intrinsic, i);

      if (slot != NTV_NONE)
         words[slot] = index_value(f, intrinsic, about->indices[i], intrinsic->const_index[i]);
      else if (intrinsic->const_index[i])
         miss(f, nir_intrinsic_index_names[about->indices[i]]);
   }
}

static void
write_intrinsic(struct flatten *f, nir_intrinsic_instr *intrinsic)
{
   const struct intrinsic *row = intrinsic_row(intrinsic->intrinsic);
   struct shape shape = {0};
   uint32_t *words;

   if (unlikely(!row->number)) {
      miss(f, nir_intrinsic_infos[intrinsic->intrinsic].name);
      return;
   }
   assert(row->num_srcs == nir_intrinsic_infos[intrinsic->intrinsic].num_srcs &&
          row->has_dest == nir_intrinsic_infos[intrinsic->intrinsic].has_dest &&
          (!row->plain || row->num_indices == nir_intrinsic_infos[intrinsic->intrinsic].num_indices));
   if (row->has_dest)
      shape = result_shape(RESULT(intrinsic));
   load_sources(f, &intrinsic->instr);
   number_instr(f, &intrinsic->instr);
   words = ntv_wire_instr(f->w, ntv_wire_head(NTV_RECORD_INTRINSIC, row->number - 1, shape.components, shape.bits),
                          row->num_srcs + row->num_indices);
   if (!words)
      return;
   for (unsigned i = 0; i < row->num_srcs; i++)
      *words++ = source(f, &intrinsic->src[i]);
   if (row->plain) {
      for (unsigned i = 0; i < row->num_indices; i++)
         words[i] = intrinsic->const_index[i];
   } else {
      write_indices(f, intrinsic, row, words);
   }
   if (row->has_dest)
      end_result(f, RESULT(intrinsic), &intrinsic->instr);
}

static enum ntv_tex_op
tex_op(struct flatten *f, nir_texop op)
{
   switch (op) {
   case nir_texop_tex:
      return NTV_TEX_OP_TEX;
   case nir_texop_txb:
      return NTV_TEX_OP_TXB;
   case nir_texop_txl:
      return NTV_TEX_OP_TXL;
   case nir_texop_txd:
      return NTV_TEX_OP_TXD;
   case nir_texop_txf:
      return NTV_TEX_OP_TXF;
   case nir_texop_txf_ms:
      return NTV_TEX_OP_TXF_MS;
   case nir_texop_txs:
      return NTV_TEX_OP_TXS;
   case nir_texop_lod:
      return NTV_TEX_OP_LOD;
   case nir_texop_tg4:
      return NTV_TEX_OP_TG4;
   case nir_texop_query_levels:
      return NTV_TEX_OP_QUERY_LEVELS;
   case nir_texop_texture_samples:
      return NTV_TEX_OP_TEXTURE_SAMPLES;
   case nir_texop_samples_identical:
      return NTV_TEX_OP_SAMPLES_IDENTICAL;
   default:
      miss(f, "a texture operation of another driver");
      return NTV_TEX_OP_TEX;
   }
}

static enum ntv_tex_src
tex_src(struct flatten *f, nir_tex_src_type type)
{
   switch (type) {
   case nir_tex_src_coord:
      return NTV_TEX_SRC_COORD;
   case nir_tex_src_projector:
      return NTV_TEX_SRC_PROJECTOR;
   case nir_tex_src_comparator:
      return NTV_TEX_SRC_COMPARATOR;
   case nir_tex_src_offset:
      return NTV_TEX_SRC_OFFSET;
   case nir_tex_src_bias:
      return NTV_TEX_SRC_BIAS;
   case nir_tex_src_lod:
      return NTV_TEX_SRC_LOD;
   case nir_tex_src_min_lod:
      return NTV_TEX_SRC_MIN_LOD;
   case nir_tex_src_ms_index:
      return NTV_TEX_SRC_MS_INDEX;
   case nir_tex_src_ddx:
      return NTV_TEX_SRC_DDX;
   case nir_tex_src_ddy:
      return NTV_TEX_SRC_DDY;
   case nir_tex_src_texture_deref:
      return NTV_TEX_SRC_TEXTURE_DEREF;
   case nir_tex_src_sampler_deref:
      return NTV_TEX_SRC_SAMPLER_DEREF;
   case nir_tex_src_texture_offset:
      return NTV_TEX_SRC_TEXTURE_OFFSET;
   case nir_tex_src_sampler_offset:
      return NTV_TEX_SRC_SAMPLER_OFFSET;
   case nir_tex_src_texture_handle:
      return NTV_TEX_SRC_TEXTURE_HANDLE;
   case nir_tex_src_sampler_handle:
      return NTV_TEX_SRC_SAMPLER_HANDLE;
   default:
      miss(f, "a texture operand of another driver");
      return NTV_TEX_SRC_COORD;
   }
}

static void
write_tex(struct flatten *f, nir_tex_instr *tex)
{
   struct ntv_tex t = {
      .op = tex_op(f, tex->op),
      .dest_type = alu_type(tex->dest_type),
      .flags = (tex->texture_non_uniform ? NTV_TEX_TEXTURE_NON_UNIFORM : 0) |
               (tex->sampler_non_uniform ? NTV_TEX_SAMPLER_NON_UNIFORM : 0) | (tex->is_sparse ? NTV_TEX_SPARSE : 0),
      .component = tex->component,
      .texture_index = tex->texture_index,
      .sampler_index = tex->sampler_index,
      .offsets = nir_tex_instr_has_explicit_tg4_offsets(tex) ? tex->tg4_offsets : NULL,
   };

   struct shape shape = result_shape(RESULT(tex));

#if NTV_MESA >= 2500
   t.flags |= tex->is_gather_implicit_lod ? NTV_TEX_GATHER_IMPLICIT_LOD : 0;
#endif
   load_sources(f, &tex->instr);
   number_instr(f, &tex->instr);
   ntv_wire_tex(f->w, &t, shape.components, shape.bits, tex->num_srcs);
   for (unsigned i = 0; i < tex->num_srcs; i++)
      ntv_wire_tex_src(f->w, tex_src(f, tex->src[i].src_type), source(f, &tex->src[i].src));
   end_result(f, RESULT(tex), &tex->instr);
}

static void
write_jump(struct flatten *f, const nir_jump_instr *jump)
{
   switch (jump->type) {
   case nir_jump_break:
      ntv_wire_jump(f->w, NTV_JUMP_BREAK);
      break;
   case nir_jump_continue:
      ntv_wire_jump(f->w, NTV_JUMP_CONTINUE);
      break;
   case nir_jump_return:
      ntv_wire_jump(f->w, NTV_JUMP_RETURN);
      break;
   case nir_jump_halt:
      ntv_wire_jump(f->w, NTV_JUMP_HALT);
      break;
   default:
      miss(f, "a goto");
      break;
   }
}

static void
write_seldom_instr(struct flatten *f, nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_tex:
      write_tex(f, nir_instr_as_tex(instr));
      break;
   case nir_instr_type_jump:
      write_jump(f, nir_instr_as_jump(instr));
      break;
   case nir_instr_type_undef: {
      const nir_def *def = &nir_instr_as_undef(instr)->def;

      number_instr(f, instr);
      ntv_wire_undef(f->w, def->num_components, def->bit_size);
      break;
   }
   case nir_instr_type_phi:
      write_phi(f, nir_instr_as_phi(instr));
      break;
   case nir_instr_type_call:
      miss(f, "a call");
      break;
   case nir_instr_type_parallel_copy:
      miss(f, "a parallel copy");
      break;
   default:
      /* Comments. */
      break;
   }
}

static inline void
write_instr(struct flatten *f, nir_instr *instr)
{
   /* The most frequent kinds are compared one by one: an indirect jump would often be mispredicted. */
   if (instr->type == nir_instr_type_deref)
      write_deref(f, nir_instr_as_deref(instr));
   else if (instr->type == nir_instr_type_alu)
      write_alu(f, nir_instr_as_alu(instr));
   else if (instr->type == nir_instr_type_intrinsic)
      write_intrinsic(f, nir_instr_as_intrinsic(instr));
   else if (instr->type == nir_instr_type_load_const)
      write_const(f, nir_instr_as_load_const(instr));
   else
      write_seldom_instr(f, instr);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Control flow
 * ------------------------------------------------------------------------------------------------------------------ */

static enum ntv_hint
hint(nir_selection_control control)
{
   switch (control) {
   case nir_selection_control_flatten:
      return NTV_HINT_FLATTEN;
   case nir_selection_control_dont_flatten:
      return NTV_HINT_DONT_FLATTEN;
   case nir_selection_control_divergent_always_taken:
      return NTV_HINT_DIVERGENT_ALWAYS_TAKEN;
   default:
      return NTV_HINT_NONE;
   }
}

static void
write_cf_list(struct flatten *f, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list) {
      switch (node->type) {
      case nir_cf_node_block: {
         nir_block *block = nir_cf_node_as_block(node);

         /* This is the number that nir_index_blocks assigned. */
         ntv_wire_block(f->w);
         if (block == nir_start_block(f->impl))
            declare_registers(f);
         nir_foreach_instr(instr, block)
            write_instr(f, instr);
         break;
      }
      case nir_cf_node_if: {
         nir_if *nif = nir_cf_node_as_if(node);

         ntv_wire_if(f->w, condition(f, nif), hint(nif->control));
         write_cf_list(f, &nif->then_list);
         ntv_wire_else(f->w);
         write_cf_list(f, &nif->else_list);
         ntv_wire_end_if(f->w);
         break;
      }
      case nir_cf_node_loop: {
         nir_loop *loop = nir_cf_node_as_loop(node);

         ntv_wire_loop(f->w);
         write_cf_list(f, &loop->body);
#if NTV_MESA >= 2500
         if (nir_loop_has_continue_construct(loop)) {
            ntv_wire_continue(f->w);
            write_cf_list(f, &loop->continue_list);
         }
#endif
         ntv_wire_end_loop(f->w);
         break;
      }
      default:
         miss(f, "a function in a function");
         break;
      }
   }
}

const char *
ntv_wire_nir(struct ntv_wire *wire, nir_shader *nir, bool element_offsets, bool names)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct flatten f = {.w = wire, .nir = nir, .impl = impl, .names = names, .log2_places = LOG2_FEW};

   f.numbers = f.few;
   nir_metadata_require(impl, nir_metadata_block_index);
   write_header(&f, element_offsets);
   nir_foreach_variable_in_shader(var, nir)
      write_variable(&f, var);
   nir_foreach_function_temp_variable(var, impl)
      write_variable(&f, var);
   /* From here on nir_instr::index holds the number in the wire. */
   impl->valid_metadata &= ~nir_metadata_instr_index;
   write_cf_list(&f, &impl->body);
   if (f.has_phis)
      write_phi_srcs(&f);
   if (!ntv_wire_end(wire))
      miss(&f, "a shader of this size");
   if (f.numbers != f.few)
      free(f.numbers);
   return f.missing;
}
