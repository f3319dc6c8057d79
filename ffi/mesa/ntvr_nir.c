/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Walks a nir_shader once and writes it. Numbers of enumerations are mapped by name or asserted, so that a change of Mesa's
 * numbers does not change the wire. The result for a shader with a construct that has no form in the wire is the name of the
 * construct; nothing else can fail, because the wire stores its own failures.
 */

#include "ntvr_nir.h"
#include "ntvr_mesa.h"
#include "ntvr_names.h"

#include "util/format/u_format.h"

#include <vulkan/vulkan_core.h>

/* The number of a type in the wire. */
struct type_number {
   const struct glsl_type *type;
   uint32_t number;
};

/* The number of entries that need no allocation: a power of two, and its logarithm. */
enum {
   INITIAL_LOG2 = 5,
   INITIAL_ENTRIES = 1 << INITIAL_LOG2,
};

struct flattener {
   struct ntvr_wire *w;
   nir_shader *nir;
   nir_function_impl *impl;
   /* The construct that the wire has no form for, or NULL. */
   const char *missing;
   bool has_phis;
   enum ntvr_nir_level level;
   bool names;
   /* NTVR_MATH_* of the next instruction that computes. */
   uint32_t math;
   /* The variable whose type is written with its first deref; see are_push_constants. */
   nir_variable *push_constants;
   /* A hash table of types with linear probing. At most half of it is used. */
   struct type_number *types;
   uint32_t num_types;
   uint32_t log2_entries;
   struct type_number initial[INITIAL_ENTRIES];
};

static void
miss(struct flattener *f, const char *what)
{
   if (!f->missing)
      f->missing = what;
}

/* The entry of a type, or a free entry for it, whose type is NULL. */
static inline struct type_number *
find_entry(struct flattener *f, const struct glsl_type *type)
{
   struct type_number *types = f->types;
   uint32_t mask = (1u << f->log2_entries) - 1;
   uint32_t at = (uint32_t)((uintptr_t)type >> 3) * 0x9e3779b1u >> (32 - f->log2_entries);
   const struct glsl_type *there;

   while ((there = types[at].type) && there != type)
      at = (at + 1) & mask;
   return &types[at];
}

/* Doubles the size of the table. */
static void
grow_types(struct flattener *f)
{
   uint32_t count = 1u << f->log2_entries;
   struct type_number *old = f->types, *types = calloc(2 * (size_t)count, sizeof(*types));

   if (!types) {
      /* The table is lost, but the walk has failed anyway. */
      miss(f, "all types (memory is short)");
      memset(old, 0, count * sizeof(*old));
      f->num_types = 1;
      return;
   }
   f->types = types;
   f->log2_entries++;
   for (uint32_t i = 0; i < count; i++) {
      if (old[i].type)
         *find_entry(f, old[i].type) = old[i];
   }
   if (old != f->initial)
      free(old);
}

/* Assigns a number to a new type in the free entry `entry`. */
static inline void
fill_entry(struct flattener *f, struct type_number *entry, const struct glsl_type *type, uint32_t number)
{
   *entry = (struct type_number){type, number};
   if (2 * ++f->num_types > 1u << f->log2_entries)
      grow_types(f);
}

/* nir_instr::index holds the number of the next instruction in the wire. */
static inline void
number_instr(struct flattener *f, nir_instr *instr)
{
   instr->index = f->w->num_instrs;
}

/* Begins an instruction with `count` words after its first word, which the caller must write. NULL if memory is short. */
static inline uint32_t *
begin_instr(struct flattener *f, nir_instr *instr, uint32_t head, size_t count)
{
   uint32_t *words = ntvr_wire_words(f->w, 1 + count);

   instr->index = f->w->num_instrs++;
   if (!words)
      return NULL;
   words[0] = head;
   return words + 1;
}

static inline uint32_t
src_number(const nir_src *src)
{
   return ntvr_mesa_def_instr(src->ssa)->index;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Enumerations
 * ------------------------------------------------------------------------------------------------------------------ */

/* Mesa's numbers change between releases, so this file does not copy them: it maps them by name. An entry of a table is ntv's
 * number plus one; 0 means that ntv does not have the number. */
static uint32_t
map_number(struct flattener *f, const uint8_t *table, size_t size, unsigned number, const char *what)
{
   if (likely(number < size && table[number]))
      return table[number] - 1;
   miss(f, what);
   return 0;
}

/* Moves a flag of Mesa from `set` to ntv's flag in `moved`. An optimizing compiler moves flags that have
 * ntv's bits together. */
#define NTVR_MOVE_FLAG(flag, ntvr_flag)               \
   moved |= set & (flag) ? (uint32_t)(ntvr_flag) : 0; \
   set &= ~(uint32_t)(flag);

/* Fails to compile if a number that is used as it is has changed. */
#define NTVR_ASSERT_NUMBER(name, number) static_assert(name == number, "Mesa has another number for " #name);

NTVR_NAMES_OF_SLOTS(NTVR_ASSERT_NUMBER)
NTVR_ASSERT_NUMBER(TESS_PRIMITIVE_TRIANGLES, 1)
NTVR_ASSERT_NUMBER(TESS_PRIMITIVE_QUADS, 2)
NTVR_ASSERT_NUMBER(TESS_PRIMITIVE_ISOLINES, 3)
NTVR_ASSERT_NUMBER(TESS_SPACING_EQUAL, 1)
NTVR_ASSERT_NUMBER(TESS_SPACING_FRACTIONAL_ODD, 2)
NTVR_ASSERT_NUMBER(TESS_SPACING_FRACTIONAL_EVEN, 3)
NTVR_ASSERT_NUMBER(FRAG_DEPTH_LAYOUT_ANY, 1)
NTVR_ASSERT_NUMBER(FRAG_DEPTH_LAYOUT_GREATER, 2)
NTVR_ASSERT_NUMBER(FRAG_DEPTH_LAYOUT_LESS, 3)
NTVR_ASSERT_NUMBER(FRAG_DEPTH_LAYOUT_UNCHANGED, 4)
NTVR_ASSERT_NUMBER(DERIVATIVE_GROUP_QUADS, 1)
NTVR_ASSERT_NUMBER(DERIVATIVE_GROUP_LINEAR, 2)

/* Modes that ntv does not have are dropped: barriers have them, of other APIs. */
static inline uint32_t
map_modes(uint32_t set)
{
   uint32_t moved = 0;

   NTVR_MOVE_FLAG(nir_var_system_value, NTVR_MODE_SYSTEM)
   NTVR_MOVE_FLAG(nir_var_uniform, NTVR_MODE_UNIFORM)
   NTVR_MOVE_FLAG(nir_var_shader_in, NTVR_MODE_SHADER_IN)
   NTVR_MOVE_FLAG(nir_var_shader_out, NTVR_MODE_SHADER_OUT)
   NTVR_MOVE_FLAG(nir_var_image, NTVR_MODE_IMAGE)
   NTVR_MOVE_FLAG(nir_var_mem_ubo, NTVR_MODE_UBO)
   NTVR_MOVE_FLAG(nir_var_mem_push_const, NTVR_MODE_PUSH_CONST)
   NTVR_MOVE_FLAG(nir_var_mem_ssbo, NTVR_MODE_SSBO)
   NTVR_MOVE_FLAG(nir_var_mem_constant, NTVR_MODE_CONSTANT)
   NTVR_MOVE_FLAG(nir_var_mem_task_payload, NTVR_MODE_TASK_PAYLOAD)
   NTVR_MOVE_FLAG(nir_var_shader_temp, NTVR_MODE_SHADER_TEMP)
   NTVR_MOVE_FLAG(nir_var_function_temp, NTVR_MODE_FUNCTION_TEMP)
   NTVR_MOVE_FLAG(nir_var_mem_shared, NTVR_MODE_SHARED)
   NTVR_MOVE_FLAG(nir_var_mem_global, NTVR_MODE_GLOBAL)
   return moved;
}

static inline uint32_t
map_access(struct flattener *f, uint32_t set)
{
   uint32_t moved = 0;

   NTVR_MOVE_FLAG(ACCESS_COHERENT, NTVR_ACCESS_COHERENT)
   NTVR_MOVE_FLAG(ACCESS_RESTRICT, NTVR_ACCESS_RESTRICT)
   NTVR_MOVE_FLAG(ACCESS_VOLATILE, NTVR_ACCESS_VOLATILE)
   NTVR_MOVE_FLAG(ACCESS_NON_READABLE, NTVR_ACCESS_WRITEONLY)
   NTVR_MOVE_FLAG(ACCESS_NON_WRITEABLE, NTVR_ACCESS_READONLY)
   NTVR_MOVE_FLAG(ACCESS_NON_UNIFORM, NTVR_ACCESS_NON_UNIFORM)
   NTVR_MOVE_FLAG(ACCESS_CAN_REORDER, NTVR_ACCESS_REORDERABLE)
   NTVR_MOVE_FLAG(ACCESS_NON_TEMPORAL, NTVR_ACCESS_NON_TEMPORAL)
   NTVR_MOVE_FLAG(ACCESS_INCLUDE_HELPERS, NTVR_ACCESS_INCLUDE_HELPERS)
   NTVR_MOVE_FLAG(ACCESS_IS_SWIZZLED_AMD, NTVR_ACCESS_IS_SWIZZLED_AMD)
   NTVR_MOVE_FLAG(ACCESS_USES_FORMAT_AMD, NTVR_ACCESS_USES_FORMAT_AMD)
   NTVR_MOVE_FLAG(ACCESS_FMASK_LOWERED_AMD, NTVR_ACCESS_FMASK_LOWERED_AMD)
   NTVR_MOVE_FLAG(ACCESS_CAN_SPECULATE, NTVR_ACCESS_SPECULATABLE)
   NTVR_MOVE_FLAG(ACCESS_CP_GE_COHERENT_AMD, NTVR_ACCESS_CP_GE_COHERENT_AMD)
   NTVR_MOVE_FLAG(NTVR_MESA_ACCESS_IN_BOUNDS, NTVR_ACCESS_IN_BOUNDS_AGX)
   NTVR_MOVE_FLAG(ACCESS_KEEP_SCALAR, NTVR_ACCESS_KEEP_SCALAR)
   NTVR_MOVE_FLAG(ACCESS_SMEM_AMD, NTVR_ACCESS_SMEM_AMD)
   NTVR_MOVE_FLAG(NTVR_MESA_ACCESS_ATOMIC, NTVR_ACCESS_ATOMIC)
   if (unlikely(set))
      miss(f, "an access flag of another driver");
   return moved;
}

static uint32_t
map_semantics(struct flattener *f, uint32_t set)
{
   uint32_t moved = 0;

   NTVR_MOVE_FLAG(NIR_MEMORY_ACQUIRE, NTVR_SEMANTICS_ACQUIRE)
   NTVR_MOVE_FLAG(NIR_MEMORY_RELEASE, NTVR_SEMANTICS_RELEASE)
   NTVR_MOVE_FLAG(NIR_MEMORY_MAKE_AVAILABLE, NTVR_SEMANTICS_MAKE_AVAILABLE)
   NTVR_MOVE_FLAG(NIR_MEMORY_MAKE_VISIBLE, NTVR_SEMANTICS_MAKE_VISIBLE)
   if (set)
      miss(f, "a barrier in two parts");
   return moved;
}

/* The flags of a float control for 16, 32 and 64 bits. */
#define NTVR_MOVE_CONTROL(control, ntvr_flag)     \
   NTVR_MOVE_FLAG(control##_FP16, ntvr_flag)      \
   NTVR_MOVE_FLAG(control##_FP32, ntvr_flag << 1) \
   NTVR_MOVE_FLAG(control##_FP64, ntvr_flag << 2)

static uint32_t
map_float_controls(struct flattener *f, uint32_t set)
{
   uint32_t moved = 0;

   NTVR_MESA_PRESERVED(NTVR_MOVE_CONTROL)
   NTVR_MOVE_CONTROL(FLOAT_CONTROLS_DENORM_PRESERVE, NTVR_FLOAT_DENORM_PRESERVE)
   NTVR_MOVE_CONTROL(FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO, NTVR_FLOAT_DENORM_FLUSH_TO_ZERO)
   NTVR_MOVE_CONTROL(FLOAT_CONTROLS_ROUNDING_MODE_RTE, NTVR_FLOAT_ROUNDING_MODE_RTE)
   NTVR_MOVE_CONTROL(FLOAT_CONTROLS_ROUNDING_MODE_RTZ, NTVR_FLOAT_ROUNDING_MODE_RTZ)
   if (set)
      miss(f, "a float control");
   return moved;
}

static uint32_t
map_alu_type(nir_alu_type type)
{
   unsigned bits = nir_alu_type_get_type_size(type);

   switch (nir_alu_type_get_base_type(type)) {
   case nir_type_bool:
      return ntvr_alu_type(NTVR_BASE_BOOL, bits);
   case nir_type_int:
      return ntvr_alu_type(NTVR_BASE_INT, bits);
   case nir_type_uint:
      return ntvr_alu_type(NTVR_BASE_UINT, bits);
   case nir_type_float:
      return ntvr_alu_type(NTVR_BASE_FLOAT, bits);
   default:
      return 0;
   }
}

static enum ntvr_stage
map_stage(struct flattener *f, int stage)
{
   static const uint8_t stages[] = {
      [MESA_SHADER_VERTEX] = 1 + NTVR_STAGE_VERTEX,
      [MESA_SHADER_TESS_CTRL] = 1 + NTVR_STAGE_TESS_CTRL,
      [MESA_SHADER_TESS_EVAL] = 1 + NTVR_STAGE_TESS_EVAL,
      [MESA_SHADER_GEOMETRY] = 1 + NTVR_STAGE_GEOMETRY,
      [MESA_SHADER_FRAGMENT] = 1 + NTVR_STAGE_FRAGMENT,
      [MESA_SHADER_COMPUTE] = 1 + NTVR_STAGE_COMPUTE,
      [MESA_SHADER_KERNEL] = 1 + NTVR_STAGE_KERNEL,
      [MESA_SHADER_TASK] = 1 + NTVR_STAGE_TASK,
      [MESA_SHADER_MESH] = 1 + NTVR_STAGE_MESH,
   };

   return map_number(f, stages, ARRAY_SIZE(stages), stage, "a shader of this stage");
}

static enum ntvr_dim
map_dim(struct flattener *f, enum glsl_sampler_dim dim)
{
   static const uint8_t dims[] = {
      [GLSL_SAMPLER_DIM_1D] = 1 + NTVR_DIM_1D,
      [GLSL_SAMPLER_DIM_2D] = 1 + NTVR_DIM_2D,
      [GLSL_SAMPLER_DIM_3D] = 1 + NTVR_DIM_3D,
      [GLSL_SAMPLER_DIM_CUBE] = 1 + NTVR_DIM_CUBE,
      [GLSL_SAMPLER_DIM_RECT] = 1 + NTVR_DIM_RECT,
      [GLSL_SAMPLER_DIM_BUF] = 1 + NTVR_DIM_BUF,
      [GLSL_SAMPLER_DIM_EXTERNAL] = 1 + NTVR_DIM_EXTERNAL,
      [GLSL_SAMPLER_DIM_MS] = 1 + NTVR_DIM_MS,
      [GLSL_SAMPLER_DIM_SUBPASS] = 1 + NTVR_DIM_SUBPASS,
      [GLSL_SAMPLER_DIM_SUBPASS_MS] = 1 + NTVR_DIM_SUBPASS_MS,
   };

   return map_number(f, dims, ARRAY_SIZE(dims), dim, "a texture of this dimensionality");
}

static enum ntvr_desc_type
map_desc_type(struct flattener *f, VkDescriptorType type)
{
   switch (type) {
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
   case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      return NTVR_DESC_TYPE_UNIFORM_BUFFER;
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
   case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return NTVR_DESC_TYPE_STORAGE_BUFFER;
   case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return NTVR_DESC_TYPE_INLINE_UNIFORM_BLOCK;
   default:
      miss(f, "a descriptor other than of a block");
      return NTVR_DESC_TYPE_UNIFORM_BUFFER;
   }
}

static enum ntvr_interp_mode
map_interp_mode(struct flattener *f, unsigned mode)
{
   static const uint8_t modes[] = {
      [INTERP_MODE_NONE] = 1 + NTVR_INTERP_MODE_NONE,
      [INTERP_MODE_SMOOTH] = 1 + NTVR_INTERP_MODE_SMOOTH,
      [INTERP_MODE_FLAT] = 1 + NTVR_INTERP_MODE_FLAT,
      [INTERP_MODE_NOPERSPECTIVE] = 1 + NTVR_INTERP_MODE_NOPERSPECTIVE,
      [INTERP_MODE_EXPLICIT] = 1 + NTVR_INTERP_MODE_EXPLICIT,
   };

   return map_number(f, modes, ARRAY_SIZE(modes), mode, "an input with this interpolation");
}

static enum ntvr_precision
map_precision(struct flattener *f, unsigned precision)
{
   static const uint8_t precisions[] = {
      [GLSL_PRECISION_NONE] = 1 + NTVR_PRECISION_NONE,
      [GLSL_PRECISION_HIGH] = 1 + NTVR_PRECISION_HIGH,
      [GLSL_PRECISION_MEDIUM] = 1 + NTVR_PRECISION_MEDIUM,
      [GLSL_PRECISION_LOW] = 1 + NTVR_PRECISION_LOW,
   };

   return map_number(f, precisions, ARRAY_SIZE(precisions), precision, "a variable of this precision");
}

static enum ntvr_scope
map_scope(struct flattener *f, unsigned scope)
{
   static const uint8_t scopes[] = {
      [SCOPE_NONE] = 1 + NTVR_SCOPE_NONE,
      [SCOPE_INVOCATION] = 1 + NTVR_SCOPE_INVOCATION,
      [SCOPE_SUBGROUP] = 1 + NTVR_SCOPE_SUBGROUP,
      [SCOPE_SHADER_CALL] = 1 + NTVR_SCOPE_SHADER_CALL,
      [SCOPE_WORKGROUP] = 1 + NTVR_SCOPE_WORKGROUP,
      [SCOPE_QUEUE_FAMILY] = 1 + NTVR_SCOPE_QUEUE_FAMILY,
      [SCOPE_DEVICE] = 1 + NTVR_SCOPE_DEVICE,
   };

   return map_number(f, scopes, ARRAY_SIZE(scopes), scope, "a barrier with this scope");
}

static enum ntvr_atomic_op
map_atomic_op(struct flattener *f, unsigned op)
{
   static const uint8_t ops[] = {
      [nir_atomic_op_iadd] = 1 + NTVR_ATOMIC_OP_IADD,
      [nir_atomic_op_imin] = 1 + NTVR_ATOMIC_OP_IMIN,
      [nir_atomic_op_umin] = 1 + NTVR_ATOMIC_OP_UMIN,
      [nir_atomic_op_imax] = 1 + NTVR_ATOMIC_OP_IMAX,
      [nir_atomic_op_umax] = 1 + NTVR_ATOMIC_OP_UMAX,
      [nir_atomic_op_iand] = 1 + NTVR_ATOMIC_OP_IAND,
      [nir_atomic_op_ior] = 1 + NTVR_ATOMIC_OP_IOR,
      [nir_atomic_op_ixor] = 1 + NTVR_ATOMIC_OP_IXOR,
      [nir_atomic_op_xchg] = 1 + NTVR_ATOMIC_OP_XCHG,
      [nir_atomic_op_fadd] = 1 + NTVR_ATOMIC_OP_FADD,
      [nir_atomic_op_fmin] = 1 + NTVR_ATOMIC_OP_FMIN,
      [nir_atomic_op_fmax] = 1 + NTVR_ATOMIC_OP_FMAX,
      [nir_atomic_op_cmpxchg] = 1 + NTVR_ATOMIC_OP_CMPXCHG,
      [nir_atomic_op_fcmpxchg] = 1 + NTVR_ATOMIC_OP_FCMPXCHG,
      [nir_atomic_op_inc_wrap] = 1 + NTVR_ATOMIC_OP_INC_WRAP,
      [nir_atomic_op_dec_wrap] = 1 + NTVR_ATOMIC_OP_DEC_WRAP,
   };

   return map_number(f, ops, ARRAY_SIZE(ops), op, "an atomic operation of another driver");
}

/* System values, in variables and in system_values_read. */
static const uint8_t system_values[SYSTEM_VALUE_MAX] = {
#define NTVR_SYSTEM_VALUE(name, number) [SYSTEM_VALUE_##name] = 1 + number,
   NTVR_NAMES_OF_SYSTEM_VALUES(NTVR_SYSTEM_VALUE)
#undef NTVR_SYSTEM_VALUE
};

static const char *
primitive_name(enum mesa_prim primitive)
{
   static const char *const names[] = {
      [MESA_PRIM_POINTS] = "POINTS",
      [MESA_PRIM_LINES] = "LINES",
      [MESA_PRIM_LINE_LOOP] = "LINE_LOOP",
      [MESA_PRIM_LINE_STRIP] = "LINE_STRIP",
      [MESA_PRIM_TRIANGLES] = "TRIANGLES",
      [MESA_PRIM_TRIANGLE_STRIP] = "TRIANGLE_STRIP",
      [MESA_PRIM_TRIANGLE_FAN] = "TRIANGLE_FAN",
      [MESA_PRIM_QUADS] = "QUADS",
      [MESA_PRIM_QUAD_STRIP] = "QUAD_STRIP",
      [MESA_PRIM_LINES_ADJACENCY] = "LINES_ADJACENCY",
      [MESA_PRIM_TRIANGLES_ADJACENCY] = "TRIANGLES_ADJACENCY",
   };

   return primitive < ARRAY_SIZE(names) && names[primitive] ? names[primitive] : "UNKNOWN";
}

/* The number of a format in the wire. Few shaders use formats, so the number is not cached. */
static uint32_t
map_format(struct flattener *f, enum pipe_format format)
{
   uint32_t number = ntvr_wire_number(NTVR_TABLE_FORMAT, util_format_short_name(format));

   if (number == NTVR_NONE)
      miss(f, util_format_short_name(format));
   return number;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Opcodes
 * ------------------------------------------------------------------------------------------------------------------ */

/* An intrinsic, with its data in ntv. */
struct intrinsic_row {
   uint16_t number; /* plus one: 0 if ntv does not have the name */
   uint8_t num_srcs;
   bool has_dest;
   bool maps_values; /* ntv has other numbers for a value of an index */
   uint8_t num_indices;
   uint8_t indices[8]; /* in ntv's order */
};

/* An ALU opcode, with its data in ntv. */
struct alu_row {
   uint16_t number; /* as above */
   uint8_t num_inputs;
   bool wide; /* reads more than four components of an input, independent of the result */
   /* For each of the first four inputs: the number of components, 0 if it is that of the result. */
   uint8_t input_sizes[4];
};

/* The numbers of names are known at compile time, so that the first shader of a process needs no look-up. */
static const struct alu_row alu_rows[nir_num_opcodes] = {
#define NTVR_ALU(name, number, num_inputs, wide, a, b, c, d) [nir_op_##name] = {number + 1, num_inputs, wide, {a, b, c, d}},
   NTVR_NAMES_OF_ALU(NTVR_ALU)
      NTVR_MESA_OLD_ALU(NTVR_ALU)
#undef NTVR_ALU
};

static const struct intrinsic_row intrinsic_rows[nir_num_intrinsics] = {
#define NTVR_INTRINSIC(name, number, num_srcs, has_dest, maps_values, num_indices, ...) \
   [nir_intrinsic_##name] = {number + 1, num_srcs, has_dest, maps_values, num_indices, {__VA_ARGS__}},
   NTVR_NAMES_OF_INTRINSICS(NTVR_INTRINSIC)
      NTVR_MESA_OLD_INTRINSICS(NTVR_INTRINSIC)
#undef NTVR_INTRINSIC
};

static inline uint32_t
map_alu_op(struct flattener *f, nir_op op)
{
   const struct alu_row *row = &alu_rows[op];

   if (unlikely(!row->number)) {
      miss(f, nir_op_infos[op].name);
      return 0;
   }
   return row->number - 1;
}

/* ------------------------------------------------------------------------------------------------------------------
 * The shader as a whole
 * ------------------------------------------------------------------------------------------------------------------ */

static bool
is_compute(const struct shader_info *s)
{
   return s->stage == MESA_SHADER_COMPUTE || s->stage == MESA_SHADER_KERNEL;
}

/* Whether there is a grid of workgroups. */
static bool
has_grid(const struct shader_info *s)
{
   return is_compute(s) || s->stage == MESA_SHADER_TASK || s->stage == MESA_SHADER_MESH;
}

/* A rare fact. */
static void
write_fact(struct flattener *f, enum ntvr_info_field field, uint32_t value)
{
   if (value)
      ntvr_wire_info(f->w, field, value);
}

static void
write_tess_info(struct flattener *f, const struct shader_info *s)
{
   write_fact(f, NTVR_INFO_PRIMITIVE_MODE, s->tess._primitive_mode);
   write_fact(f, NTVR_INFO_TCS_VERTICES_OUT, s->tess.tcs_vertices_out);
   write_fact(f, NTVR_INFO_SPACING, s->tess.spacing);
   write_fact(f, NTVR_INFO_CCW, s->tess.ccw);
   write_fact(f, NTVR_INFO_POINT_MODE, s->tess.point_mode);
}

static void
write_geometry_info(struct flattener *f, const struct shader_info *s)
{
   ntvr_wire_info_text(f->w, NTVR_INFO_OUTPUT_PRIMITIVE, primitive_name(s->gs.output_primitive));
   ntvr_wire_info_text(f->w, NTVR_INFO_INPUT_PRIMITIVE, primitive_name(s->gs.input_primitive));
   write_fact(f, NTVR_INFO_VERTICES_OUT, s->gs.vertices_out);
   write_fact(f, NTVR_INFO_INVOCATIONS, s->gs.invocations);
   write_fact(f, NTVR_INFO_VERTICES_IN, s->gs.vertices_in);
   write_fact(f, NTVR_INFO_USES_END_PRIMITIVE, s->gs.uses_end_primitive);
   write_fact(f, NTVR_INFO_ACTIVE_STREAM_MASK, s->gs.active_stream_mask);
}

static void
write_mesh_info(struct flattener *f, const struct shader_info *s)
{
   ntvr_wire_info_text(f->w, NTVR_INFO_PRIMITIVE_TYPE, primitive_name(s->mesh.primitive_type));
   write_fact(f, NTVR_INFO_MAX_VERTICES_OUT, s->mesh.max_vertices_out);
   write_fact(f, NTVR_INFO_MAX_PRIMITIVES_OUT, s->mesh.max_primitives_out);
}

static void
write_fragment_info(struct flattener *f, const struct shader_info *s)
{
   write_fact(f, NTVR_INFO_USES_SAMPLE_SHADING, s->fs.uses_sample_shading);
   write_fact(f, NTVR_INFO_EARLY_FRAGMENT_TESTS, s->fs.early_fragment_tests);
   write_fact(f, NTVR_INFO_POST_DEPTH_COVERAGE, s->fs.post_depth_coverage);
   write_fact(f, NTVR_INFO_PIXEL_INTERLOCK_ORDERED, s->fs.pixel_interlock_ordered);
   write_fact(f, NTVR_INFO_PIXEL_INTERLOCK_UNORDERED, s->fs.pixel_interlock_unordered);
   write_fact(f, NTVR_INFO_SAMPLE_INTERLOCK_ORDERED, s->fs.sample_interlock_ordered);
   write_fact(f, NTVR_INFO_SAMPLE_INTERLOCK_UNORDERED, s->fs.sample_interlock_unordered);
}

/* A fact with four words. */
static void
write_list(struct flattener *f, enum ntvr_info_field field, const uint32_t words[4])
{
   ntvr_wire_info(f->w, field, words[0]);
   ntvr_wire_copy(f->w, words + 1, 3);
}

static void
write_bits(struct flattener *f, enum ntvr_info_field field, uint64_t bits)
{
   const uint32_t words[4] = {bits, bits >> 32};

   write_list(f, field, words);
}

/* The strides of captures, in components. */
static void
write_xfb_strides(struct flattener *f, const struct shader_info *s)
{
   uint32_t strides[4];

   for (unsigned i = 0; i < ARRAY_SIZE(strides); i++)
      strides[i] = s->xfb_stride[i];
   write_list(f, NTVR_INFO_XFB_STRIDE, strides);
}

static void
write_inlinable_uniforms(struct flattener *f, const struct shader_info *s)
{
   uint32_t offsets[4] = {0};

   static_assert(MAX_INLINABLE_UNIFORMS == ARRAY_SIZE(offsets), "the wire has space for as many");
   for (unsigned i = 0; i < s->num_inlinable_uniforms; i++)
      offsets[i] = s->inlinable_uniform_dw_offsets[i];
   write_list(f, NTVR_INFO_INLINABLE_UNIFORM_DW_OFFSETS, offsets);
   write_fact(f, NTVR_INFO_NUM_INLINABLE_UNIFORMS, s->num_inlinable_uniforms);
}

static void
write_system_values(struct flattener *f, const struct shader_info *s)
{
   uint32_t words[4] = {0};

   for (unsigned i = 0; i < SYSTEM_VALUE_MAX; i++) {
      if (system_values[i] && BITSET_TEST(s->system_values_read, i))
         words[(system_values[i] - 1) / 32] |= 1u << (system_values[i] - 1) % 32;
   }
   write_list(f, NTVR_INFO_SYSTEM_VALUES_READ, words);
}

/* Facts that are only printed. */
static void
write_printed_info(struct flattener *f, const struct shader_info *s)
{
   write_system_values(f, s);
   write_bits(f, NTVR_INFO_INPUTS_READ, s->inputs_read);
   write_bits(f, NTVR_INFO_OUTPUTS_WRITTEN, s->outputs_written);
   write_bits(f, NTVR_INFO_OUTPUTS_READ, s->outputs_read);
   write_fact(f, NTVR_INFO_PATCH_INPUTS_READ, s->patch_inputs_read);
   write_fact(f, NTVR_INFO_PATCH_OUTPUTS_WRITTEN, s->patch_outputs_written);
   write_fact(f, NTVR_INFO_PATCH_OUTPUTS_READ, s->patch_outputs_read);
   write_fact(f, NTVR_INFO_SEPARATE_SHADER, s->separate_shader);
   write_fact(f, NTVR_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS, s->has_transform_feedback_varyings);
   write_fact(f, NTVR_INFO_IO_LOWERED, s->io_lowered);
   write_fact(f, NTVR_INFO_WRITES_MEMORY, s->writes_memory);
   if (s->stage == MESA_SHADER_VERTEX)
      write_fact(f, NTVR_INFO_WINDOW_SPACE_POSITION, s->vs.window_space_position);
   if (s->stage == MESA_SHADER_FRAGMENT) {
      write_fact(f, NTVR_INFO_USES_DISCARD, s->fs.uses_discard);
      write_fact(f, NTVR_INFO_USES_FBFETCH_OUTPUT, s->fs.uses_fbfetch_output);
      write_fact(f, NTVR_INFO_COLOR_IS_DUAL_SOURCE, s->fs.color_is_dual_source);
      write_fact(f, NTVR_INFO_USES_SAMPLE_QUALIFIER, s->fs.uses_sample_qualifier);
      write_fact(f, NTVR_INFO_INNER_COVERAGE, s->fs.inner_coverage);
      write_fact(f, NTVR_INFO_PIXEL_CENTER_INTEGER, s->fs.pixel_center_integer);
      write_fact(f, NTVR_INFO_ORIGIN_UPPER_LEFT, s->fs.origin_upper_left);
   }
   if (is_compute(s))
      write_fact(f, NTVR_INFO_PTR_SIZE, s->cs.ptr_size);
}

static void
write_header(struct flattener *f)
{
   const struct shader_info *s = &f->nir->info;
   bool compute = is_compute(s);
   bool has_next_stage = s->next_stage >= MESA_SHADER_VERTEX && s->next_stage <= MESA_SHADER_FRAGMENT;
   struct ntvr_shader shader = {
      .stage = map_stage(f, s->stage),
      .next_stage = has_next_stage ? map_stage(f, s->next_stage) : NTVR_NONE,
      .first_ubo_is_default_ubo = s->first_ubo_is_default_ubo,
      .num_textures = s->num_textures,
      .num_ubos = s->num_ubos,
      .num_ssbos = s->num_ssbos,
      .num_images = s->num_images,
      .float_controls_execution_mode = map_float_controls(f, s->float_controls_execution_mode),
      .shared_size = s->shared_size,
      .name = f->names ? s->name : NULL,
      .label = f->names ? s->label : NULL,
   };

   if (has_grid(s)) {
      for (unsigned i = 0; i < 3; i++)
         shader.workgroup_size[i] = s->workgroup_size[i];
      /* zink and nir_to_spirv use a size of 0 for a size that the pipeline sets. */
      shader.workgroup_size_variable = !s->workgroup_size[0] && !s->workgroup_size[1] && !s->workgroup_size[2];
      shader.derivative_group = compute ? s->derivative_group : 0;
   } else if (s->stage == MESA_SHADER_FRAGMENT) {
      shader.depth_layout = s->fs.depth_layout;
   }
   ntvr_wire_begin(f->w, &shader);
   if (s->stage == MESA_SHADER_FRAGMENT)
      write_fragment_info(f, s);
   else if (s->stage == MESA_SHADER_GEOMETRY)
      write_geometry_info(f, s);
   else if (s->stage == MESA_SHADER_TESS_CTRL || s->stage == MESA_SHADER_TESS_EVAL)
      write_tess_info(f, s);
   else if (s->stage == MESA_SHADER_MESH)
      write_mesh_info(f, s);
   else if (compute && s->cs.has_variable_shared_mem)
      ntvr_wire_directive(f->w, NTVR_DIRECTIVE_VARIABLE_SHARED_MEMORY, true);
   write_fact(f, NTVR_INFO_SCRATCH, f->nir->scratch_size);
   if (s->stage == MESA_SHADER_TASK || s->stage == MESA_SHADER_MESH)
      write_fact(f, NTVR_INFO_TASK_PAYLOAD_SIZE, s->task_payload_size);
   write_fact(f, NTVR_INFO_CLIP_DISTANCE_ARRAY_SIZE, s->clip_distance_array_size);
   write_fact(f, NTVR_INFO_CULL_DISTANCE_ARRAY_SIZE, s->cull_distance_array_size);
   if (s->num_inlinable_uniforms)
      write_inlinable_uniforms(f, s);
   if (f->level == NTVR_NIR_GALLIUM && s->has_transform_feedback_varyings)
      write_xfb_strides(f, s);
   if (f->names)
      write_printed_info(f, s);
   ntvr_wire_directive(f->w, NTVR_DIRECTIVE_SHARED_OFFSET_UNITS,
                       f->level == NTVR_NIR_ZINK ? NTVR_OFFSET_UNITS_ELEMENTS : NTVR_OFFSET_UNITS_BYTES);
   if (f->level == NTVR_NIR_GALLIUM && !s->io_lowered)
      ntvr_wire_directive(f->w, NTVR_DIRECTIVE_LOCATIONS, NTVR_LOCATIONS_SLOTS);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Types and variables
 * ------------------------------------------------------------------------------------------------------------------ */

static uint32_t
number_type(enum glsl_base_type base)
{
   switch (base) {
   case GLSL_TYPE_BOOL:
      return ntvr_alu_type(NTVR_BASE_BOOL, 1);
   case GLSL_TYPE_FLOAT:
   case GLSL_TYPE_FLOAT16:
   case GLSL_TYPE_DOUBLE:
      return ntvr_alu_type(NTVR_BASE_FLOAT, glsl_base_type_get_bit_size(base));
   case GLSL_TYPE_INT:
   case GLSL_TYPE_INT8:
   case GLSL_TYPE_INT16:
   case GLSL_TYPE_INT64:
      return ntvr_alu_type(NTVR_BASE_INT, glsl_base_type_get_bit_size(base));
   case GLSL_TYPE_UINT:
   case GLSL_TYPE_UINT8:
   case GLSL_TYPE_UINT16:
   case GLSL_TYPE_UINT64:
      return ntvr_alu_type(NTVR_BASE_UINT, glsl_base_type_get_bit_size(base));
   default:
      /* A bare sampler has no type of texels. */
      return ntvr_alu_type(NTVR_BASE_FLOAT, 32);
   }
}

static uint32_t write_new_type(struct flattener *f, const struct glsl_type *type, struct type_number *entry);

/* The number of a type, which is written if it is new. */
static inline uint32_t
write_type(struct flattener *f, const struct glsl_type *type)
{
   struct type_number *entry = find_entry(f, type);

   return entry->type ? entry->number : write_new_type(f, type, entry);
}

static uint32_t
write_number_type(struct flattener *f, const struct glsl_type *type)
{
   uint32_t number = number_type(glsl_get_base_type(type));
   unsigned columns = glsl_get_matrix_columns(type), rows = glsl_get_vector_elements(type);

   unsigned stride = glsl_get_explicit_stride(type);
   bool row_major;
   uint32_t column;

   if (!glsl_type_is_matrix(type))
      return ntvr_wire_type(f->w, NTVR_TYPE_VECTOR, number, rows, stride);
   if (!stride)
      return ntvr_wire_type(f->w, NTVR_TYPE_MATRIX, number & 0xff, columns, rows);
   /* With an explicit layout, it is an array of its columns. */
   row_major = glsl_matrix_type_is_row_major(type);
   column = ntvr_wire_type(f->w, NTVR_TYPE_VECTOR, number, rows, row_major ? stride : 0);
   return ntvr_wire_type(f->w, NTVR_TYPE_ARRAY, column, columns, row_major ? (number & 0xff) / 8 : stride);
}

static uint32_t
write_array_type(struct flattener *f, const struct glsl_type *type)
{
   uint32_t element = write_type(f, glsl_get_array_element(type));
   unsigned length = glsl_get_length(type);

   return ntvr_wire_type(f->w, NTVR_TYPE_ARRAY, element, length ? length : NTVR_NONE, glsl_get_explicit_stride(type));
}

static uint32_t
write_struct_type(struct flattener *f, const struct glsl_type *type)
{
   unsigned length = glsl_get_length(type);
   uint32_t types[16], number;

   /* The types of members must be written first. */
   for (unsigned i = 0; i < length; i++)
      types[i % ARRAY_SIZE(types)] = write_type(f, glsl_get_struct_field(type, i));
   number = ntvr_wire_type_struct(f->w, glsl_get_type_name(type), length);
   for (unsigned i = 0; i < length; i++) {
      int offset = glsl_get_struct_field_offset(type, i);
      uint32_t field =
         length <= ARRAY_SIZE(types) ? types[i] : write_type(f, glsl_get_struct_field(type, i));

      ntvr_wire_type_field(f->w, f->names ? glsl_get_struct_elem_name(type, i) : NULL, field,
                           offset < 0 ? NTVR_NONE : (uint32_t)offset);
   }
   return number;
}

static uint32_t
write_texture_type(struct flattener *f, const struct glsl_type *type)
{
   uint32_t flags = 0;

   if (glsl_sampler_type_is_array(type))
      flags |= NTVR_TYPE_ARRAYED;
   if (glsl_type_is_texture(type))
      flags |= NTVR_TYPE_BARE;
   else if (glsl_sampler_type_is_shadow(type))
      flags |= NTVR_TYPE_SHADOW;
   return ntvr_wire_type(f->w, NTVR_TYPE_TEXTURE, map_dim(f, glsl_get_sampler_dim(type)), flags,
                         number_type(glsl_get_sampler_result_type(type)));
}

/* Writes a new type with the free entry `entry`. */
static uint32_t
write_new_type(struct flattener *f, const struct glsl_type *type, struct type_number *entry)
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
         number = ntvr_wire_type(f->w, NTVR_TYPE_SAMPLER, glsl_sampler_type_is_shadow(type), 0, 0);
      else
         number = write_texture_type(f, type);
      break;
   case GLSL_TYPE_TEXTURE:
      number = write_texture_type(f, type);
      break;
   case GLSL_TYPE_IMAGE:
      number = ntvr_wire_type(f->w, NTVR_TYPE_IMAGE, map_dim(f, glsl_get_sampler_dim(type)),
                              glsl_sampler_type_is_array(type) ? NTVR_TYPE_ARRAYED : 0,
                              number_type(glsl_get_sampler_result_type(type)));
      break;
   case GLSL_TYPE_ATOMIC_UINT:
      number = ntvr_wire_type(f->w, NTVR_TYPE_ATOMIC_UINT, 0, 0, 0);
      break;
   case GLSL_TYPE_VOID:
   case GLSL_TYPE_SUBROUTINE:
   case GLSL_TYPE_ERROR:
      number = ntvr_wire_type(f->w, NTVR_TYPE_VOID, 0, 0, 0);
      break;
   default:
      number = write_number_type(f, type);
      break;
   }
   /* The types of parts may have used the entry. */
   fill_entry(f, has_parts ? find_entry(f, type) : entry, type, number);
   return number;
}

/* The number of scalars of an initializer. */
static uint32_t
count_values(const struct glsl_type *type)
{
   uint32_t count = 0;

   if (glsl_type_is_array(type))
      return glsl_get_length(type) * count_values(glsl_get_array_element(type));
   if (!glsl_type_is_struct_or_ifc(type))
      return glsl_get_vector_elements(type) * glsl_get_matrix_columns(type);
   for (unsigned i = 0; i < glsl_get_length(type); i++)
      count += count_values(glsl_get_struct_field(type, i));
   return count;
}

/* Writes the scalars of an initializer to `values`, and returns the end of them. */
static uint64_t *
collect_values(uint64_t *values, const nir_constant *constant, const struct glsl_type *type)
{
   if (glsl_type_is_vector_or_scalar(type)) {
      unsigned bits = glsl_type_is_boolean(type) ? 1 : glsl_get_bit_size(type);

      for (unsigned i = 0; i < glsl_get_vector_elements(type); i++)
         *values++ = nir_const_value_as_uint(constant->values[i], bits);
   } else if (glsl_type_is_struct_or_ifc(type)) {
      for (unsigned i = 0; i < glsl_get_length(type); i++)
         values = collect_values(values, constant->elements[i], glsl_get_struct_field(type, i));
   } else if (glsl_type_is_matrix(type)) {
      for (unsigned i = 0; i < glsl_get_matrix_columns(type); i++)
         values = collect_values(values, constant->elements[i], glsl_get_column_type(type));
   } else if (glsl_type_is_array(type)) {
      for (unsigned i = 0; i < glsl_get_length(type); i++)
         values = collect_values(values, constant->elements[i], glsl_get_array_element(type));
   }
   return values;
}

/* Sets the initial value of a variable, which the caller frees. */
static void
set_values(struct flattener *f, struct ntvr_variable *v, const nir_variable *var)
{
   uint64_t *values;

   v->num_values = count_values(var->type);
   values = calloc(v->num_values, sizeof(*values));
   if (values) {
      collect_values(values, var->constant_initializer, var->type);
      v->values = values;
   } else {
      miss(f, "an initial value (memory is short)");
      v->num_values = 0;
   }
}

static uint32_t
map_location(struct flattener *f, const nir_variable *var)
{
   if (var->data.mode != nir_var_system_value)
      return var->data.location;
   return map_number(f, system_values, ARRAY_SIZE(system_values), var->data.location, "a system value of another driver");
}

static uint32_t
variable_flags(const nir_variable *var)
{
   return (var->data.bindless ? NTVR_VARIABLE_BINDLESS : 0) | (var->data.centroid ? NTVR_VARIABLE_CENTROID : 0) |
          (var->data.sample ? NTVR_VARIABLE_SAMPLE : 0) | (var->data.patch ? NTVR_VARIABLE_PATCH : 0) |
          (var->data.invariant ? NTVR_VARIABLE_INVARIANT : 0) | (var->data.per_view ? NTVR_VARIABLE_PER_VIEW : 0) |
          (var->data.per_primitive ? NTVR_VARIABLE_PER_PRIMITIVE : 0) |
          (var->data.ray_query ? NTVR_VARIABLE_RAY_QUERY : 0) |
          (var->data.fb_fetch_output ? NTVR_VARIABLE_FB_FETCH_OUTPUT : 0) |
          (var->data.compact ? NTVR_VARIABLE_COMPACT : 0);
}

/* Whether a variable looks like zink's push constants, which all graphics shaders have. Most shaders read them by intrinsics with
 * constant offsets, or not at all: their struct type is only written for derefs. */
static bool
are_push_constants(const struct flattener *f, const nir_variable *var)
{
   return var->data.mode == nir_var_mem_push_const && !f->push_constants && !f->names &&
          glsl_type_is_struct_or_ifc(var->type);
}

/* Writes the type of the push constants, for a deref. */
static void
write_push_constants(struct flattener *f)
{
   const nir_variable *var = f->push_constants;

   f->push_constants = NULL;
   ntvr_wire_variable_type(f->w, var->index, write_type(f, var->type));
}

static void
write_variable(struct flattener *f, nir_variable *var)
{
   const uint32_t resources = NTVR_MODE_UNIFORM | NTVR_MODE_IMAGE | NTVR_MODE_UBO | NTVR_MODE_SSBO;
   /* ntv does not use names of inputs and outputs; from names of buffers it derives zink's use of them. */
   bool named = f->names || !(var->data.mode & (nir_var_shader_in | nir_var_shader_out));
   bool typed_late = are_push_constants(f, var);
   uint32_t type = typed_late ? ntvr_wire_type_struct(f->w, "", 0) : write_type(f, var->type);
   struct ntvr_variable v;

   ntvr_variable_init(&v, named ? var->name : NULL, type, map_modes(var->data.mode));
   if (typed_late)
      f->push_constants = var;
   if (!v.mode) {
      miss(f, "a variable of this mode");
      return;
   }
   v.interpolation = map_interp_mode(f, var->data.interpolation);
   v.precision = map_precision(f, var->data.precision);
   v.access = map_access(f, var->data.access);
   v.flags = variable_flags(var);
   v.location = map_location(f, var);
   v.location_frac = var->data.location_frac;
   v.driver_location = var->data.driver_location;
   v.binding = var->data.binding;
   v.index = var->data.index;
   if (v.mode & resources && f->level == NTVR_NIR_ZINK)
      v.descriptor_set = var->data.descriptor_set;
   /* These fields share memory in a union. */
   if (glsl_type_is_image(glsl_without_array(var->type))) {
      v.image_format = map_format(f, var->data.image.format);
   } else if (v.mode == NTVR_MODE_SHADER_OUT) {
      v.stream = var->data.stream;
      if (var->data.explicit_xfb_buffer && f->nir->xfb_info) {
         v.xfb_buffer = var->data.xfb.buffer;
         v.xfb_stride = var->data.xfb.stride;
         v.xfb_offset = var->data.offset;
      }
   }
   if (var->constant_initializer)
      set_values(f, &v, var);
   /* Like nir_instr::index, this holds the number in the wire. */
   var->index = ntvr_wire_variable(f->w, &v);
   free((void *)v.values);
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
read_components(const nir_op_info *about, unsigned input, const nir_def *def)
{
   return about->input_sizes[input] ? about->input_sizes[input] : def->num_components;
}

/* An instruction with sources of any number and size. */
static void
write_large_alu(struct flattener *f, nir_alu_instr *alu, uint32_t op, uint32_t flags)
{
   const nir_op_info *about = &nir_op_infos[alu->op];
   const nir_def *def = &alu->def;

   for (unsigned i = 0; i < about->num_inputs; i++) {
      if (read_components(about, i, def) > 8)
         flags |= NTVR_WIDE_SOURCES;
   }
   ntvr_wire_alu(f->w, op, flags, def->num_components, def->bit_size);
   for (unsigned i = 0; i < about->num_inputs; i++)
      ntvr_wire_alu_src(f->w, flags, src_number(&alu->src[i].src), alu->src[i].swizzle, read_components(about, i, def));
}

static void
write_alu(struct flattener *f, nir_alu_instr *alu)
{
   const struct alu_row *row = &alu_rows[alu->op];
   uint32_t op = map_alu_op(f, alu->op);
   uint32_t flags = (ntvr_mesa_is_exact(alu) ? NTVR_ALU_EXACT : 0) | (alu->no_signed_wrap ? NTVR_ALU_NO_SIGNED_WRAP : 0) |
                    (alu->no_unsigned_wrap ? NTVR_ALU_NO_UNSIGNED_WRAP : 0);
   const uint32_t math = ntvr_mesa_math_control(alu);
   const nir_def *def = &alu->def;
   uint32_t *words;

   if (math != f->math) {
      ntvr_wire_math(f->w, math);
      f->math = math;
   }
   assert(!row->number || row->num_inputs == nir_op_infos[alu->op].num_inputs);
   if (def->num_components > 4 || row->wide || row->num_inputs > ARRAY_SIZE(row->input_sizes)) {
      number_instr(f, &alu->instr);
      write_large_alu(f, alu, op, flags);
      return;
   }
   words = begin_instr(f, &alu->instr, ntvr_wire_head(NTVR_RECORD_ALU, op, def->num_components, def->bit_size) | flags << 28,
                       2 * row->num_inputs);
   for (unsigned i = 0; words && i < row->num_inputs; i++) {
      unsigned components = row->input_sizes[i] ? row->input_sizes[i] : def->num_components;

      words[2 * i] = src_number(&alu->src[i].src);
      words[2 * i + 1] = swizzle4(alu->src[i].swizzle, components);
   }
}

static void
write_const(struct flattener *f, nir_load_const_instr *load)
{
   unsigned bits = load->def.bit_size, components = load->def.num_components;
   uint32_t *words = begin_instr(f, &load->instr, ntvr_wire_head(NTVR_RECORD_CONST, 0, components, bits),
                                 bits == 64 ? 2 * components : components);

   for (unsigned i = 0; words && i < components; i++) {
      uint64_t value = bits == 32 ? load->value[i].u32 : nir_const_value_as_uint(load->value[i], bits);

      *words++ = value;
      if (bits == 64)
         *words++ = value >> 32;
   }
}

static void
write_phi(struct flattener *f, nir_phi_instr *phi)
{
   f->has_phis = true;
   number_instr(f, &phi->instr);
   ntvr_wire_plain(f->w, NTVR_PLAIN_PHI, phi->def.num_components, phi->def.bit_size);
}

/* Called at the end, when all values have their numbers. */
static void
write_phi_srcs(struct flattener *f)
{
   nir_foreach_block (block, f->impl) {
      nir_foreach_instr (instr, block) {
         if (instr->type != nir_instr_type_phi)
            break;
         nir_foreach_phi_src (src, nir_instr_as_phi(instr))
            ntvr_wire_phi_src(f->w, instr->index, src->pred->index, src_number(&src->src));
      }
   }
}

static void
write_array_deref(struct flattener *f, nir_deref_instr *deref, struct ntvr_deref_result r)
{
   bool pointer = deref->deref_type == nir_deref_type_ptr_as_array;
   uint32_t parent = src_number(&deref->parent);

   if (nir_src_is_const(deref->arr.index)) {
      uint64_t index = nir_src_as_int(deref->arr.index);

      ntvr_wire_deref(f->w, pointer ? NTVR_DEREF_PTR_AS_ARRAY_IMM : NTVR_DEREF_ARRAY_IMM, r, parent, index, index >> 32);
   } else {
      ntvr_wire_deref(f->w, pointer ? NTVR_DEREF_PTR_AS_ARRAY : NTVR_DEREF_ARRAY, r, parent, src_number(&deref->arr.index), 0);
   }
}

/* A deref with a parent. */
static void
write_deref_of_parent(struct flattener *f, nir_deref_instr *deref)
{
   struct ntvr_deref_result r = {deref->def.bit_size, write_type(f, deref->type), map_modes(deref->modes)};

   if (!r.modes)
      miss(f, "a deref of this mode");
   number_instr(f, &deref->instr);
   switch (deref->deref_type) {
   case nir_deref_type_struct:
      ntvr_wire_deref(f->w, NTVR_DEREF_STRUCT, r, src_number(&deref->parent), deref->strct.index, 0);
      break;
   case nir_deref_type_array_wildcard:
      ntvr_wire_deref(f->w, NTVR_DEREF_ARRAY_WILDCARD, r, src_number(&deref->parent), 0, 0);
      break;
   case nir_deref_type_cast:
      ntvr_wire_deref(f->w, NTVR_DEREF_CAST, r, src_number(&deref->parent), deref->cast.ptr_stride, deref->cast.align_mul);
      ntvr_wire_operand(f->w, deref->cast.align_offset);
      break;
   default:
      write_array_deref(f, deref, r);
      break;
   }
}

static inline void
write_deref(struct flattener *f, nir_deref_instr *deref)
{
   if (deref->deref_type == nir_deref_type_var) {
      if (unlikely(deref->var == f->push_constants))
         write_push_constants(f);
      number_instr(f, &deref->instr);
      ntvr_wire_deref(f->w, NTVR_DEREF_VAR, (struct ntvr_deref_result){.bits = deref->def.bit_size}, deref->var->index, 0, 0);
   } else {
      write_deref_of_parent(f, deref);
   }
}

static uint32_t
pack_io_semantics(nir_io_semantics io)
{
   uint32_t flags = (io.dual_source_blend_index ? NTVR_IO_DUALSRC : 0) | (io.fb_fetch_output ? NTVR_IO_FBFETCH : 0) |
                    (io.fb_fetch_output_coherent ? NTVR_IO_COHERENT : 0) | (io.per_view ? NTVR_IO_PERVIEW : 0) |
                    (io.medium_precision ? NTVR_IO_MEDIUMP : 0) | (io.high_16bits ? NTVR_IO_HIGH_16BITS : 0) |
                    (ntvr_mesa_is_invariant(io) ? NTVR_IO_INVARIANT : 0) | (io.high_dvec2 ? NTVR_IO_HIGH_DVEC2 : 0) |
                    (io.no_varying ? NTVR_IO_NO_VARYING : 0) | (io.no_sysval_output ? NTVR_IO_NO_SYSVAL_OUTPUT : 0) |
                    (io.interp_explicit_strict ? NTVR_IO_EXPLICIT_STRICT : 0);

   return ntvr_io_semantics(io.location, io.num_slots, io.gs_streams, flags);
}

static uint32_t
pack_io_xfb(nir_io_xfb xfb)
{
   return ntvr_io_xfb(xfb.out[0].num_components, xfb.out[0].buffer, xfb.out[0].offset) |
          ntvr_io_xfb(xfb.out[1].num_components, xfb.out[1].buffer, xfb.out[1].offset) << 16;
}

/* The value of an index in the wire. `value` is that of Mesa, 0 if Mesa does not have the index. */
static uint32_t
map_value(struct flattener *f, const nir_intrinsic_instr *intrinsic, unsigned index, uint32_t value)
{
   switch (index) {
   case NIR_INTRINSIC_DST_ACCESS:
   case NIR_INTRINSIC_SRC_ACCESS:
      return map_access(f, value);
   case NIR_INTRINSIC_ATOMIC_OP:
      return map_atomic_op(f, value);
   case NIR_INTRINSIC_MEMORY_MODES:
      return map_modes(value);
   case NIR_INTRINSIC_MEMORY_SCOPE:
   case NIR_INTRINSIC_EXECUTION_SCOPE:
      return map_scope(f, value);
   case NIR_INTRINSIC_MEMORY_SEMANTICS:
      return map_semantics(f, value);
   case NIR_INTRINSIC_INTERP_MODE:
      return map_interp_mode(f, value);
   case NIR_INTRINSIC_IMAGE_DIM:
      return map_dim(f, value);
   case NIR_INTRINSIC_DESC_TYPE:
      return map_desc_type(f, value);
   case NIR_INTRINSIC_FORMAT:
      return map_format(f, value);
   case NIR_INTRINSIC_REDUCTION_OP:
      return map_alu_op(f, value);
   case NIR_INTRINSIC_SRC_TYPE:
   case NIR_INTRINSIC_DEST_TYPE:
      return map_alu_type(value);
   case NIR_INTRINSIC_IO_SEMANTICS:
      return pack_io_semantics(nir_intrinsic_io_semantics(intrinsic));
   case NIR_INTRINSIC_IO_XFB:
      return pack_io_xfb(ntvr_mesa_io_xfb(intrinsic, false));
   case NTVR_MESA_IO_XFB2:
      return pack_io_xfb(ntvr_mesa_io_xfb(intrinsic, true));
   default:
      return value;
   }
}

/* Refuses values of indices that ntv does not have. */
static void
check_other_indices(struct flattener *f, const nir_intrinsic_instr *intrinsic, const struct intrinsic_row *row)
{
   const nir_intrinsic_info *about = &nir_intrinsic_infos[intrinsic->intrinsic];

   for (unsigned i = 0; i < about->num_indices; i++) {
      unsigned index = about->indices[i];

      if (!memchr(row->indices, index, row->num_indices) && intrinsic->const_index[about->index_map[index] - 1])
         miss(f, nir_intrinsic_index_names[index]);
   }
}

/* The value of an index in Mesa, 0 if Mesa does not have the index. */
static uint32_t
find_value(const nir_intrinsic_instr *intrinsic, unsigned index)
{
   const nir_intrinsic_info *about = &nir_intrinsic_infos[intrinsic->intrinsic];
   unsigned slot = index < NIR_INTRINSIC_NUM_INDEX_FLAGS ? about->index_map[index] : 0;

   return slot ? intrinsic->const_index[slot - 1] : 0;
}

/* Writes the values of the indices in ntv's order. */
static inline void
write_indices(struct flattener *f, const nir_intrinsic_instr *intrinsic, const struct intrinsic_row *row, uint32_t *words)
{
   const nir_intrinsic_info *about = &nir_intrinsic_infos[intrinsic->intrinsic];
   /* The common case, for which index_map is not read. Indices that may be wider than a word are the last ones. */
   bool same_order =
      about->num_indices == row->num_indices && !memcmp(about->indices, row->indices, sizeof(row->indices));

   for (unsigned i = 0; i < row->num_indices; i++) {
      unsigned index = row->indices[i];
      uint32_t value = likely(same_order) ? intrinsic->const_index[i] : find_value(intrinsic, index);

      if (index == NIR_INTRINSIC_ACCESS)
         value = map_access(f, value);
      else if (row->maps_values)
         value = map_value(f, intrinsic, index, value);
      words[i] = value;
   }
   if (unlikely(!same_order))
      check_other_indices(f, intrinsic, row);
}

static void
write_intrinsic(struct flattener *f, nir_intrinsic_instr *intrinsic)
{
   const struct intrinsic_row *row = &intrinsic_rows[intrinsic->intrinsic];
   const nir_intrinsic_info *about = &nir_intrinsic_infos[intrinsic->intrinsic];
   unsigned components = row->has_dest ? intrinsic->def.num_components : 0;
   unsigned bits = row->has_dest ? intrinsic->def.bit_size : 0;
   uint32_t *words;

   if (unlikely(!row->number || row->num_srcs != about->num_srcs || row->has_dest != about->has_dest)) {
      miss(f, about->name);
      return;
   }
   words = begin_instr(f, &intrinsic->instr, ntvr_wire_head(NTVR_RECORD_INTRINSIC, row->number - 1, components, bits),
                       row->num_srcs + row->num_indices);
   if (!words)
      return;
   for (unsigned i = 0; i < row->num_srcs; i++)
      *words++ = src_number(&intrinsic->src[i]);
   write_indices(f, intrinsic, row, words);
}

static enum ntvr_tex_op
map_tex_op(struct flattener *f, nir_texop op)
{
   static const uint8_t ops[] = {
      [nir_texop_tex] = 1 + NTVR_TEX_OP_TEX,
      [nir_texop_txb] = 1 + NTVR_TEX_OP_TXB,
      [nir_texop_txl] = 1 + NTVR_TEX_OP_TXL,
      [nir_texop_txd] = 1 + NTVR_TEX_OP_TXD,
      [nir_texop_txf] = 1 + NTVR_TEX_OP_TXF,
      [nir_texop_txf_ms] = 1 + NTVR_TEX_OP_TXF_MS,
      [nir_texop_txs] = 1 + NTVR_TEX_OP_TXS,
      [nir_texop_lod] = 1 + NTVR_TEX_OP_LOD,
      [nir_texop_tg4] = 1 + NTVR_TEX_OP_TG4,
      [nir_texop_query_levels] = 1 + NTVR_TEX_OP_QUERY_LEVELS,
      [nir_texop_texture_samples] = 1 + NTVR_TEX_OP_TEXTURE_SAMPLES,
      [nir_texop_samples_identical] = 1 + NTVR_TEX_OP_SAMPLES_IDENTICAL,
   };

   return map_number(f, ops, ARRAY_SIZE(ops), op, "a texture operation of another driver");
}

static enum ntvr_tex_src
map_tex_src(struct flattener *f, nir_tex_src_type type)
{
   static const uint8_t types[nir_num_tex_src_types] = {
      [nir_tex_src_coord] = 1 + NTVR_TEX_SRC_COORD,
      [nir_tex_src_projector] = 1 + NTVR_TEX_SRC_PROJECTOR,
      [nir_tex_src_comparator] = 1 + NTVR_TEX_SRC_COMPARATOR,
      [nir_tex_src_offset] = 1 + NTVR_TEX_SRC_OFFSET,
      [nir_tex_src_bias] = 1 + NTVR_TEX_SRC_BIAS,
      [nir_tex_src_lod] = 1 + NTVR_TEX_SRC_LOD,
      [nir_tex_src_min_lod] = 1 + NTVR_TEX_SRC_MIN_LOD,
      [nir_tex_src_ms_index] = 1 + NTVR_TEX_SRC_MS_INDEX,
      [nir_tex_src_ddx] = 1 + NTVR_TEX_SRC_DDX,
      [nir_tex_src_ddy] = 1 + NTVR_TEX_SRC_DDY,
      [nir_tex_src_texture_deref] = 1 + NTVR_TEX_SRC_TEXTURE_DEREF,
      [nir_tex_src_sampler_deref] = 1 + NTVR_TEX_SRC_SAMPLER_DEREF,
      [nir_tex_src_texture_offset] = 1 + NTVR_TEX_SRC_TEXTURE_OFFSET,
      [nir_tex_src_sampler_offset] = 1 + NTVR_TEX_SRC_SAMPLER_OFFSET,
      [nir_tex_src_texture_handle] = 1 + NTVR_TEX_SRC_TEXTURE_HANDLE,
      [nir_tex_src_sampler_handle] = 1 + NTVR_TEX_SRC_SAMPLER_HANDLE,
   };

   return map_number(f, types, ARRAY_SIZE(types), type, "a texture operand of another driver");
}

static void
write_tex(struct flattener *f, nir_tex_instr *tex)
{
   struct ntvr_tex t = {
      .op = map_tex_op(f, tex->op),
      .dest_type = map_alu_type(tex->dest_type),
      .flags = (tex->texture_non_uniform ? NTVR_TEX_TEXTURE_NON_UNIFORM : 0) |
               (tex->sampler_non_uniform ? NTVR_TEX_SAMPLER_NON_UNIFORM : 0) | (tex->is_sparse ? NTVR_TEX_SPARSE : 0) |
               (tex->is_gather_implicit_lod ? NTVR_TEX_GATHER_IMPLICIT_LOD : 0),
      .component = tex->component,
      .texture_index = tex->texture_index,
      .sampler_index = tex->sampler_index,
      .offsets = nir_tex_instr_has_explicit_tg4_offsets(tex) ? tex->tg4_offsets : NULL,
   };

   number_instr(f, &tex->instr);
   ntvr_wire_tex(f->w, &t, tex->def.num_components, tex->def.bit_size, tex->num_srcs);
   for (unsigned i = 0; i < tex->num_srcs; i++)
      ntvr_wire_tex_src(f->w, map_tex_src(f, tex->src[i].src_type), src_number(&tex->src[i].src));
}

static void
write_jump(struct flattener *f, const nir_jump_instr *jump)
{
   static const uint8_t jumps[] = {
      [nir_jump_break] = 1 + NTVR_PLAIN_BREAK,
      [nir_jump_continue] = 1 + NTVR_PLAIN_CONTINUE,
      [nir_jump_return] = 1 + NTVR_PLAIN_RETURN,
      [nir_jump_halt] = 1 + NTVR_PLAIN_HALT,
   };

   ntvr_wire_plain(f->w, map_number(f, jumps, ARRAY_SIZE(jumps), jump->type, "a goto"), 0, 0);
}

static void
write_seldom_instr(struct flattener *f, nir_instr *instr)
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
      ntvr_wire_plain(f->w, NTVR_PLAIN_UNDEF, def->num_components, def->bit_size);
      break;
   }
   case nir_instr_type_phi:
      write_phi(f, nir_instr_as_phi(instr));
      break;
   default:
      if (!ntvr_mesa_is_comment(instr))
         miss(f, "a call or a parallel copy");
      break;
   }
}

static inline void
write_instr(struct flattener *f, nir_instr *instr)
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

static enum ntvr_hint
map_hint(struct flattener *f, nir_selection_control control)
{
   static const uint8_t hints[] = {
      [nir_selection_control_none] = 1 + NTVR_HINT_NONE,
      [nir_selection_control_flatten] = 1 + NTVR_HINT_FLATTEN,
      [nir_selection_control_dont_flatten] = 1 + NTVR_HINT_DONT_FLATTEN,
      [nir_selection_control_divergent_always_taken] = 1 + NTVR_HINT_DIVERGENT_ALWAYS_TAKEN,
   };

   return map_number(f, hints, ARRAY_SIZE(hints), control, "an if with this hint");
}

static void
write_cf_list(struct flattener *f, struct exec_list *list)
{
   foreach_list_typed (nir_cf_node, node, node, list) {
      switch (node->type) {
      case nir_cf_node_block: {
         nir_block *block = nir_cf_node_as_block(node);

         /* This is the number that nir_index_blocks assigned. */
         ntvr_wire_block(f->w);
         nir_foreach_instr (instr, block)
            write_instr(f, instr);
         break;
      }
      case nir_cf_node_if: {
         nir_if *nif = nir_cf_node_as_if(node);

         ntvr_wire_if(f->w, src_number(&nif->condition), map_hint(f, nif->control));
         write_cf_list(f, &nif->then_list);
         ntvr_wire_control(f->w, NTVR_CONTROL_ELSE);
         write_cf_list(f, &nif->else_list);
         ntvr_wire_control(f->w, NTVR_CONTROL_END_IF);
         break;
      }
      case nir_cf_node_loop: {
         nir_loop *loop = nir_cf_node_as_loop(node);

         ntvr_wire_control(f->w, NTVR_CONTROL_LOOP);
         write_cf_list(f, &loop->body);
         if (nir_loop_has_continue_construct(loop)) {
            ntvr_wire_control(f->w, NTVR_CONTROL_CONTINUE);
            write_cf_list(f, &loop->continue_list);
         }
         ntvr_wire_control(f->w, NTVR_CONTROL_END_LOOP);
         break;
      }
      default:
         miss(f, "a function in a function");
         break;
      }
   }
}

const char *
ntvr_wire_nir(struct ntvr_wire *wire, nir_shader *nir, enum ntvr_nir_level level, bool names)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   struct flattener f = {.w = wire, .nir = nir, .impl = impl, .level = level, .names = names, .log2_entries = INITIAL_LOG2};

   f.types = f.initial;
   nir_metadata_require(impl, nir_metadata_block_index);
   write_header(&f);
   nir_foreach_variable_in_shader (var, nir)
      write_variable(&f, var);
   nir_foreach_function_temp_variable (var, impl)
      write_variable(&f, var);
   /* From here on nir_instr::index holds the number in the wire. */
   impl->valid_metadata &= ~nir_metadata_instr_index;
   write_cf_list(&f, &impl->body);
   if (f.has_phis)
      write_phi_srcs(&f);
   if (!ntvr_wire_end(wire))
      miss(&f, "a shader of this size");
   if (f.types != f.initial)
      free(f.types);
   return f.missing;
}
