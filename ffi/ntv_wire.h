/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Writes a NIR shader as words, a wire, for the functions of ntv.h. C11 or C++17. docs/formats.md describes the words.
 *
 * Types, variables, blocks and instructions are each numbered from 0 in the order in which they are written. Functions that write
 * one return its number; a reference is only valid to an earlier object, except for the sources of phis:
 *
 *    header of the shader      ntv_wire_begin, ntv_wire_info*, ntv_wire_directive
 *    types and variables       ntv_wire_type*, ntv_wire_variable
 *    control flow              ntv_wire_block, ntv_wire_if, ntv_wire_control
 *    instructions of a block   ntv_wire_alu, ntv_wire_intrinsic, ...
 *    the end                   ntv_wire_end
 *
 * An SSA value has the number of its instruction: a writer can keep it in nir_instr::index. The parts of an object, such as the
 * sources after ntv_wire_alu, must follow it directly. Functions that write do not fail: after a failed allocation they have no
 * effect, and ntv_wire_end returns false.
 */

#ifndef NTV_WIRE_H
#define NTV_WIRE_H

#include "ntv.h"

#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NTV_REALLOC /* the allocation functions of wires */
#define NTV_REALLOC realloc
#define NTV_FREE free
#endif
#if defined(__GNUC__) /* attributes of functions that are rarely called, and of functions that must not be inlined */
#define NTV_COLD __attribute__((cold, noinline, unused))
#define NTV_NOINLINE __attribute__((noinline, unused))
#else
#define NTV_COLD
#define NTV_NOINLINE
#endif

#define NTV_WIRE_MAGIC 0x5756544eu /* "NTVW" in a file */
#define NTV_WIRE_HEADER_WORDS 16u

enum ntv_table {
   NTV_TABLE_ALU = 0,   /* nir_op_infos[].name: "fadd" */
   NTV_TABLE_INTRINSIC, /* nir_intrinsic_infos[].name: "load_ubo" */
   NTV_TABLE_FORMAT,    /* util_format_short_name(): "r32_uint" */
};

/* The number of a name of any version of Mesa; NTV_NONE if ntv does not have the name, or for NULL. */
uint32_t ntv_wire_number(enum ntv_table table, const char *name);

/* The number of indices in the record of an intrinsic, by its number; 0 if there is no such intrinsic. */
uint32_t ntv_wire_num_indices(uint32_t intrinsic);

/* The position of an index among them, by nir_intrinsic_index_flag in small letters: "write_mask". NTV_NONE if the intrinsic of
 * ntv does not have the index, or for NULL. */
uint32_t ntv_wire_index(uint32_t intrinsic, const char *index);

/* The writer maps Mesa's enumerations to these. nir_variable_mode: a variable has one, a deref or a barrier may have several. */
enum ntv_mode {
   NTV_MODE_SYSTEM = 1 << 0, NTV_MODE_UNIFORM = 1 << 1, NTV_MODE_SHADER_IN = 1 << 2, NTV_MODE_SHADER_OUT = 1 << 3,
   NTV_MODE_IMAGE = 1 << 4, NTV_MODE_UBO = 1 << 5, NTV_MODE_PUSH_CONST = 1 << 6, NTV_MODE_SSBO = 1 << 7,
   NTV_MODE_CONSTANT = 1 << 8, NTV_MODE_TASK_PAYLOAD = 1 << 9, NTV_MODE_SHADER_TEMP = 1 << 10,
   NTV_MODE_FUNCTION_TEMP = 1 << 11, NTV_MODE_SHARED = 1 << 12, NTV_MODE_GLOBAL = 1 << 13,
};
enum ntv_access { /* gl_access_qualifier */
   NTV_ACCESS_COHERENT = 1 << 0, NTV_ACCESS_RESTRICT = 1 << 1, NTV_ACCESS_VOLATILE = 1 << 2, NTV_ACCESS_WRITEONLY = 1 << 3,
   NTV_ACCESS_READONLY = 1 << 4, NTV_ACCESS_NON_UNIFORM = 1 << 5, NTV_ACCESS_REORDERABLE = 1 << 6,
   NTV_ACCESS_NON_TEMPORAL = 1 << 7, NTV_ACCESS_INCLUDE_HELPERS = 1 << 8, NTV_ACCESS_IS_SWIZZLED_AMD = 1 << 9,
   NTV_ACCESS_USES_FORMAT_AMD = 1 << 10, NTV_ACCESS_FMASK_LOWERED_AMD = 1 << 11, NTV_ACCESS_SPECULATABLE = 1 << 12,
   NTV_ACCESS_CP_GE_COHERENT_AMD = 1 << 13, NTV_ACCESS_IN_BOUNDS_AGX = 1 << 14, NTV_ACCESS_KEEP_SCALAR = 1 << 15,
   NTV_ACCESS_SMEM_AMD = 1 << 16, NTV_ACCESS_ATOMIC = 1 << 17,
};
enum ntv_atomic_op { /* nir_atomic_op */
   NTV_ATOMIC_OP_IADD = 0, NTV_ATOMIC_OP_IMIN, NTV_ATOMIC_OP_UMIN, NTV_ATOMIC_OP_IMAX, NTV_ATOMIC_OP_UMAX, NTV_ATOMIC_OP_IAND,
   NTV_ATOMIC_OP_IOR, NTV_ATOMIC_OP_IXOR, NTV_ATOMIC_OP_XCHG, NTV_ATOMIC_OP_FADD, NTV_ATOMIC_OP_FMIN, NTV_ATOMIC_OP_FMAX,
   NTV_ATOMIC_OP_CMPXCHG, NTV_ATOMIC_OP_FCMPXCHG, NTV_ATOMIC_OP_INC_WRAP, NTV_ATOMIC_OP_DEC_WRAP,
};
enum ntv_scope { /* mesa_scope */
   NTV_SCOPE_NONE = 0, NTV_SCOPE_INVOCATION, NTV_SCOPE_SUBGROUP, NTV_SCOPE_SHADER_CALL, NTV_SCOPE_WORKGROUP,
   NTV_SCOPE_QUEUE_FAMILY, NTV_SCOPE_DEVICE,
};
enum ntv_semantics { /* nir_memory_semantics */
   NTV_SEMANTICS_ACQUIRE = 1 << 0, NTV_SEMANTICS_RELEASE = 1 << 1, NTV_SEMANTICS_MAKE_AVAILABLE = 1 << 2,
   NTV_SEMANTICS_MAKE_VISIBLE = 1 << 3,
};
enum ntv_interp_mode { /* glsl_interp_mode */
   NTV_INTERP_MODE_NONE = 0, NTV_INTERP_MODE_SMOOTH, NTV_INTERP_MODE_FLAT, NTV_INTERP_MODE_NOPERSPECTIVE,
   NTV_INTERP_MODE_EXPLICIT,
};
enum ntv_precision { NTV_PRECISION_NONE = 0, NTV_PRECISION_HIGH, NTV_PRECISION_MEDIUM, NTV_PRECISION_LOW }; /* GLSL_PRECISION_* */
enum ntv_dim { /* glsl_sampler_dim */
   NTV_DIM_1D = 0, NTV_DIM_2D, NTV_DIM_3D, NTV_DIM_CUBE, NTV_DIM_RECT, NTV_DIM_BUF, NTV_DIM_EXTERNAL, NTV_DIM_MS,
   NTV_DIM_SUBPASS, NTV_DIM_SUBPASS_MS,
};
enum ntv_tex_op { /* nir_texop */
   NTV_TEX_OP_TEX = 0, NTV_TEX_OP_TXB, NTV_TEX_OP_TXL, NTV_TEX_OP_TXD, NTV_TEX_OP_TXF, NTV_TEX_OP_TXF_MS, NTV_TEX_OP_TXS,
   NTV_TEX_OP_LOD, NTV_TEX_OP_TG4, NTV_TEX_OP_QUERY_LEVELS, NTV_TEX_OP_TEXTURE_SAMPLES, NTV_TEX_OP_SAMPLES_IDENTICAL,
};
enum ntv_tex_src { /* nir_tex_src_type */
   NTV_TEX_SRC_COORD = 0, NTV_TEX_SRC_PROJECTOR, NTV_TEX_SRC_COMPARATOR, NTV_TEX_SRC_OFFSET, NTV_TEX_SRC_BIAS, NTV_TEX_SRC_LOD,
   NTV_TEX_SRC_MIN_LOD, NTV_TEX_SRC_MS_INDEX, NTV_TEX_SRC_DDX, NTV_TEX_SRC_DDY, NTV_TEX_SRC_TEXTURE_DEREF,
   NTV_TEX_SRC_SAMPLER_DEREF, NTV_TEX_SRC_TEXTURE_OFFSET, NTV_TEX_SRC_SAMPLER_OFFSET, NTV_TEX_SRC_TEXTURE_HANDLE,
   NTV_TEX_SRC_SAMPLER_HANDLE, NTV_TEX_SRC_PLANE, NTV_TEX_SRC_BACKEND1, NTV_TEX_SRC_BACKEND2,
   NTV_TEX_SRC_SAMPLER_DEREF_INTRINSIC, NTV_TEX_SRC_TEXTURE_DEREF_INTRINSIC,
};
enum ntv_hint { /* nir_selection_control */
   NTV_HINT_NONE = 0, NTV_HINT_FLATTEN, NTV_HINT_DONT_FLATTEN, NTV_HINT_DIVERGENT_ALWAYS_TAKEN,
};

/* float_controls, for 16-bit floats. The next bit of each is for 32 bits, and the one after it for 64. */
enum ntv_float_controls {
   NTV_FLOAT_SIGNED_ZERO_PRESERVE = 1 << 0, NTV_FLOAT_INF_PRESERVE = 1 << 3, NTV_FLOAT_NAN_PRESERVE = 1 << 6,
   NTV_FLOAT_DENORM_PRESERVE = 1 << 9, NTV_FLOAT_DENORM_FLUSH_TO_ZERO = 1 << 12, NTV_FLOAT_ROUNDING_MODE_RTE = 1 << 15,
   NTV_FLOAT_ROUNDING_MODE_RTZ = 1 << 18,
};
enum ntv_base { NTV_BASE_BOOL = 0, NTV_BASE_INT, NTV_BASE_UINT, NTV_BASE_FLOAT }; /* nir_alu_type without its size */

/* nir_alu_type; 0 for nir_type_invalid. `bits` is 0 for "any", 1, 8, 16, 32 or 64. */
static inline uint32_t
ntv_alu_type(enum ntv_base base, unsigned bits)
{
   return (uint32_t)base << 8 | bits;
}

/* A wire that is being written. Its memory can be used for many shaders, one after the other. */
struct ntv_wire {
   uint32_t *words;
   size_t len;      /* number of words of the wire; 0 before ntv_wire_end */
   size_t written;  /* number of words written */
   size_t capacity; /* number of words allocated */
   uint32_t num_types, num_variables, num_blocks;
   uint32_t num_instrs; /* the number of the next instruction */
   bool failed;         /* an allocation failed */
};

static inline void
ntv_wire_init(struct ntv_wire *w)
{
   memset(w, 0, sizeof(*w));
}

static inline void
ntv_wire_fini(struct ntv_wire *w)
{
   NTV_FREE(w->words);
   memset(w, 0, sizeof(*w));
}

/* Allocates space for `count` more words. Called only if the buffer is too small. */
NTV_COLD static bool
ntv_wire_grow(struct ntv_wire *w, size_t count)
{
   size_t capacity = w->capacity ? w->capacity : 4096;
   uint32_t *words;

   while (!w->failed && capacity - w->written < count) {
      w->failed = capacity > SIZE_MAX / 256;
      capacity *= 2;
   }
   if (w->failed)
      return false;
   words = (uint32_t *)NTV_REALLOC(w->words, capacity * sizeof(*words));
   if (!words) {
      /* Prevents all further writes. */
      w->failed = true;
      w->capacity = w->written;
      return false;
   }
   w->words = words;
   w->capacity = capacity;
   return true;
}

/* Reserves `count` words and counts them as written. The caller must write them before anything else. NULL if memory is short. */
static inline uint32_t *
ntv_wire_words(struct ntv_wire *w, size_t count)
{
   size_t written = w->written;

   if (count > w->capacity - written && !ntv_wire_grow(w, count))
      return NULL;
   w->written = written + count;
   return w->words + written;
}

static inline void
ntv_wire_copy(struct ntv_wire *w, const uint32_t *from, size_t count)
{
   uint32_t *words = ntv_wire_words(w, count);

   if (words)
      memcpy(words, from, count * sizeof(*words));
}

static inline void
ntv_wire_operand(struct ntv_wire *w, uint32_t word)
{
   ntv_wire_copy(w, &word, 1);
}

/* The bytes of a string, padded to whole words. */
static inline void
ntv_wire_text(struct ntv_wire *w, const char *text, size_t bytes)
{
   size_t count = bytes / 4 + (bytes % 4 != 0);
   uint32_t *words = count ? ntv_wire_words(w, count) : NULL;

   if (words) {
      words[count - 1] = 0;
      memcpy(words, text, bytes);
   }
}

static inline size_t
ntv_wire_text_bytes(const char *text)
{
   return text ? strlen(text) : 0;
}

/* The kind of a record: the lowest four bits of its first word. */
enum ntv_record {
   NTV_RECORD_ALU = 0, NTV_RECORD_INTRINSIC, NTV_RECORD_CONST, NTV_RECORD_DEREF_VAR, NTV_RECORD_DEREF, NTV_RECORD_TEX,
   NTV_RECORD_PLAIN, NTV_RECORD_CONTROL, NTV_RECORD_TYPE, NTV_RECORD_VARIABLE, NTV_RECORD_VARIABLE_TYPE, NTV_RECORD_PHI_SRC,
   NTV_RECORD_DIRECTIVE, NTV_RECORD_FACT, NTV_RECORD_NAME,
};

/* A first word. `components` and `bits` are the shape of the result of an instruction; without a result, both are 0. */
static inline uint32_t
ntv_wire_head(enum ntv_record record, uint32_t op, unsigned components, unsigned bits)
{
   return (uint32_t)record | op << 4 | (uint32_t)components << 16 | (uint32_t)bits << 21;
}

/* Writes a record with one word. */
NTV_NOINLINE static void
ntv_wire_small(struct ntv_wire *w, uint32_t head, uint32_t word)
{
   const uint32_t words[] = {head, word};

   ntv_wire_copy(w, words, 2);
}

NTV_COLD static void
ntv_wire_named(struct ntv_wire *w, uint32_t head, const char *text)
{
   size_t bytes = strlen(text);

   ntv_wire_small(w, head, (uint32_t)bytes);
   ntv_wire_text(w, text, bytes);
}

/* The fields that most shaders set. */
struct ntv_shader {
   enum ntv_stage stage;
   uint32_t workgroup_size[3]; /* compute only */
   bool workgroup_size_variable;
   bool first_ubo_is_default_ubo;
   uint32_t next_stage; /* enum ntv_stage, NTV_NONE if not known */
   uint32_t num_textures, num_ubos, num_ssbos, num_images;
   uint32_t float_controls_execution_mode; /* enum ntv_float_controls */
   uint32_t shared_size;
   uint32_t derivative_group; /* 1 quads, 2 linear */
   uint32_t depth_layout;     /* 1 any, 2 greater, 3 less, 4 unchanged */
   const char *entry;         /* name of the entry point, NULL for "main" */
   const char *source_hash, *name, *label; /* may be NULL */
};

/* Starts a wire. The old contents of the buffer are discarded, its memory is reused. */
static inline void
ntv_wire_begin(struct ntv_wire *w, const struct ntv_shader *shader)
{
   const char *names[] = {shader->entry, shader->source_hash, shader->name, shader->label};
   uint32_t *words, i;

   w->len = w->written = 0;
   w->num_types = w->num_variables = w->num_blocks = w->num_instrs = 0;
   w->failed = false;
   words = ntv_wire_words(w, NTV_WIRE_HEADER_WORDS);
   if (!words)
      return;
   words[0] = NTV_WIRE_MAGIC;
   words[1] = NTV_WIRE_VERSION;
   words[4] = (uint32_t)shader->stage | (shader->next_stage & 0xff) << 8 |
              (uint32_t)shader->workgroup_size_variable << 16 | (uint32_t)shader->first_ubo_is_default_ubo << 17;
   for (i = 0; i < 3; i++)
      words[5 + i] = shader->workgroup_size[i];
   words[8] = shader->num_textures;
   words[9] = shader->num_ubos;
   words[10] = shader->num_ssbos;
   words[11] = shader->num_images;
   words[12] = shader->float_controls_execution_mode;
   words[13] = shader->shared_size;
   words[14] = shader->derivative_group;
   words[15] = shader->depth_layout;
   for (i = 0; i < 4; i++) {
      if (names[i])
         ntv_wire_named(w, ntv_wire_head(NTV_RECORD_NAME, i, 0, 0), names[i]);
   }
}

/* Ends a wire. Nothing may be written after it. Returns false if memory was short: then there is no wire. */
static inline bool
ntv_wire_end(struct ntv_wire *w)
{
   w->failed |= w->written >= NTV_NONE / 4;
   if (w->failed)
      return false;
   w->words[2] = (uint32_t)w->written;
   w->words[3] = w->num_instrs;
   w->len = w->written;
   return true;
}

/* Fields of shader_info and nir_shader that few shaders set. A field that is not written is 0, and a flag is 0 or 1. Those with a
 * comment are written by another function than ntv_wire_info. */
enum ntv_info_field {
   /* ntv_wire_info_list, with four words */
   NTV_INFO_INPUTS_READ = 6, NTV_INFO_OUTPUTS_WRITTEN = 8, NTV_INFO_OUTPUTS_READ = 9,
   NTV_INFO_SYSTEM_VALUES_READ = 10, /* numbered as in Mesa 25.0 */
   NTV_INFO_XFB_STRIDE = 37,
   NTV_INFO_PATCH_INPUTS_READ = 19, NTV_INFO_PATCH_OUTPUTS_WRITTEN = 20, NTV_INFO_PATCH_OUTPUTS_READ = 21,
   NTV_INFO_CLIP_DISTANCE_ARRAY_SIZE = 40, NTV_INFO_CULL_DISTANCE_ARRAY_SIZE = 41, NTV_INFO_SEPARATE_SHADER = 47,
   NTV_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS = 48, NTV_INFO_IO_LOWERED = 50, NTV_INFO_WRITES_MEMORY = 51,
   NTV_INFO_WINDOW_SPACE_POSITION = 55,
   /* Tessellation. primitive_mode: 1 triangles, 2 quads, 3 isolines; spacing: 1 equal, 2 fractional odd, 3 fractional even */
   NTV_INFO_PRIMITIVE_MODE = 57, NTV_INFO_TCS_VERTICES_OUT = 58, NTV_INFO_SPACING = 59, NTV_INFO_CCW = 60,
   NTV_INFO_POINT_MODE = 61,
   /* Geometry. ntv_wire_info_text: "POINTS", "LINES", "LINE_STRIP", "TRIANGLES", "TRIANGLE_STRIP", "LINES_ADJACENCY", ... */
   NTV_INFO_OUTPUT_PRIMITIVE = 65, NTV_INFO_INPUT_PRIMITIVE = 66,
   NTV_INFO_VERTICES_OUT = 67, NTV_INFO_INVOCATIONS = 68, NTV_INFO_VERTICES_IN = 69, NTV_INFO_USES_END_PRIMITIVE = 70,
   NTV_INFO_ACTIVE_STREAM_MASK = 71,
   /* Fragment */
   NTV_INFO_USES_DISCARD = 72, NTV_INFO_USES_FBFETCH_OUTPUT = 73, NTV_INFO_COLOR_IS_DUAL_SOURCE = 74,
   NTV_INFO_USES_SAMPLE_QUALIFIER = 77, NTV_INFO_USES_SAMPLE_SHADING = 78, NTV_INFO_EARLY_FRAGMENT_TESTS = 79,
   NTV_INFO_INNER_COVERAGE = 80, NTV_INFO_POST_DEPTH_COVERAGE = 81, NTV_INFO_PIXEL_CENTER_INTEGER = 82,
   NTV_INFO_ORIGIN_UPPER_LEFT = 83, NTV_INFO_PIXEL_INTERLOCK_ORDERED = 84, NTV_INFO_PIXEL_INTERLOCK_UNORDERED = 85,
   NTV_INFO_SAMPLE_INTERLOCK_ORDERED = 86, NTV_INFO_SAMPLE_INTERLOCK_UNORDERED = 87,
   NTV_INFO_COLOR0_INTERP = 90, NTV_INFO_COLOR1_INTERP = 93, /* ntv_wire_info_text: "INTERP_MODE_FLAT", ... */
   NTV_INFO_COLOR0_SAMPLE = 91, NTV_INFO_COLOR0_CENTROID = 92, NTV_INFO_COLOR1_SAMPLE = 94, NTV_INFO_COLOR1_CENTROID = 95,
   /* Compute */
   NTV_INFO_PTR_SIZE = 99, NTV_INFO_SCRATCH = 103,
};

static inline void
ntv_wire_info(struct ntv_wire *w, enum ntv_info_field field, uint32_t value)
{
   ntv_wire_small(w, ntv_wire_head(NTV_RECORD_FACT, (uint32_t)field, 0, 0), value);
}

NTV_COLD static void
ntv_wire_info_list(struct ntv_wire *w, enum ntv_info_field field, const uint32_t values[4])
{
   ntv_wire_small(w, ntv_wire_head(NTV_RECORD_FACT, (uint32_t)field, 0, 0), values[0]);
   ntv_wire_copy(w, values + 1, 3);
}

static inline void
ntv_wire_info_text(struct ntv_wire *w, enum ntv_info_field field, const char *text)
{
   ntv_wire_named(w, ntv_wire_head(NTV_RECORD_FACT, (uint32_t)field, 0, 0), text);
}

/* Data that NIR does not have but a reader needs. */
enum ntv_directive {
   /* The units of offsets of shared and scratch memory: enum ntv_offset_units. zink divides them by the element size. The default
    * is elements in shaders that access their buffers through derefs, and bytes in others. */
   NTV_DIRECTIVE_SHARED_OFFSET_UNITS = 0,
   /* driver_location of inputs and outputs is SPIR-V's Location (the default), or is not assigned yet: enum ntv_locations. */
   NTV_DIRECTIVE_LOCATIONS,
   /* cs.has_variable_shared_mem, 0 or 1: the pipeline adds to the shared memory. */
   NTV_DIRECTIVE_VARIABLE_SHARED_MEMORY,
   NTV_DIRECTIVE_STRUCT, /* only for ntv: a string that is kept for printing */
   /* The samples of the framebuffer that a fragment shader reads: enum ntv_framebuffer. */
   NTV_DIRECTIVE_FRAMEBUFFER,
   /* How uniform and storage blocks without variables are declared: enum ntv_blocks. */
   NTV_DIRECTIVE_UNIFORM_BLOCKS,
   NTV_DIRECTIVE_STORAGE_BLOCKS,
   NTV_DIRECTIVE_XFB, /* only for ntv: a string with the captures of transform feedback of a slot */
};
enum ntv_offset_units { NTV_OFFSET_UNITS_BYTES = 0, NTV_OFFSET_UNITS_ELEMENTS };
enum ntv_locations { NTV_LOCATIONS_DECLARED = 0, NTV_LOCATIONS_SLOTS };
enum ntv_blocks {
   NTV_BLOCKS_ARRAY = 0, /* all as one array */
   NTV_BLOCKS_PICKED,    /* uniform blocks: separately; the shader may also read blocks of any size that it does not use */
};
enum ntv_framebuffer {
   NTV_FRAMEBUFFER_SINGLE_SAMPLE = 0,
   NTV_FRAMEBUFFER_MULTISAMPLE, /* a shader that reads it runs per sample */
};

static inline void
ntv_wire_directive(struct ntv_wire *w, enum ntv_directive key, uint32_t value)
{
   ntv_wire_small(w, ntv_wire_head(NTV_RECORD_DIRECTIVE, (uint32_t)key, 0, 0), value);
}

enum ntv_type_flags {
   NTV_TYPE_ARRAYED = 1 << 0, /* has layers */
   NTV_TYPE_SHADOW = 1 << 1,  /* has a comparison */
   NTV_TYPE_BARE = 1 << 2,    /* a texture without a sampler: texture2D */
};

/* The kind of a type, with the words that follow it. `texel` is the ntv_alu_type of a component of a texel: 32 bits, or 64. */
enum ntv_type {
   NTV_TYPE_VOID = 0,
   NTV_TYPE_VECTOR,      /* ntv_alu_type, number of components: also a scalar; booleans have 1 bit */
   NTV_TYPE_MATRIX,      /* bits, columns, rows; of floats */
   NTV_TYPE_ARRAY,       /* type of an element, length, stride; NTV_NONE: no length; stride 0: no explicit layout */
   NTV_TYPE_STRUCT,      /* ntv_wire_type_struct */
   NTV_TYPE_SAMPLER,     /* 1 with a comparison, otherwise 0: a sampler without a texture */
   NTV_TYPE_TEXTURE,     /* enum ntv_dim, enum ntv_type_flags, texel: a texture with or without a sampler */
   NTV_TYPE_IMAGE,       /* enum ntv_dim, NTV_TYPE_ARRAYED or 0, texel: a storage image or input attachment */
   NTV_TYPE_ATOMIC_UINT,
};

/* Words that the kind does not have are 0. Equal types may be written once or several times. */
NTV_NOINLINE static uint32_t
ntv_wire_type(struct ntv_wire *w, enum ntv_type kind, uint32_t a, uint32_t b, uint32_t c)
{
   uint32_t *words = ntv_wire_words(w, 4);

   if (words) {
      words[0] = ntv_wire_head(NTV_RECORD_TYPE, (uint32_t)kind, 0, 0);
      words[1] = a;
      words[2] = b;
      words[3] = c;
   }
   return w->num_types++;
}

/* A struct or interface block, which is a new type each time. ntv_wire_type_field must follow for each of its members, whose types
 * have been written before. */
static inline uint32_t
ntv_wire_type_struct(struct ntv_wire *w, const char *name, uint32_t num_members)
{
   size_t bytes = ntv_wire_text_bytes(name);
   uint32_t number = ntv_wire_type(w, NTV_TYPE_STRUCT, num_members, 0, (uint32_t)bytes);

   ntv_wire_text(w, name, bytes);
   return number;
}

/* `name` may be NULL. `offset` is in bytes, NTV_NONE without an explicit layout. */
static inline void
ntv_wire_type_field(struct ntv_wire *w, const char *name, uint32_t type, uint32_t offset)
{
   size_t bytes = ntv_wire_text_bytes(name);
   const uint32_t words[] = {type, offset, (uint32_t)bytes};

   ntv_wire_copy(w, words, 3);
   ntv_wire_text(w, name, bytes);
}

enum ntv_variable_flags {
   NTV_VARIABLE_BINDLESS = 1 << 0, NTV_VARIABLE_CENTROID = 1 << 1, NTV_VARIABLE_SAMPLE = 1 << 2, NTV_VARIABLE_PATCH = 1 << 3,
   NTV_VARIABLE_INVARIANT = 1 << 4, NTV_VARIABLE_PER_VIEW = 1 << 5, NTV_VARIABLE_PER_PRIMITIVE = 1 << 6,
   NTV_VARIABLE_RAY_QUERY = 1 << 7, NTV_VARIABLE_FB_FETCH_OUTPUT = 1 << 8, NTV_VARIABLE_COMPACT = 1 << 9,
   NTV_VARIABLE_HIGH_DVEC2 = 1 << 10, /* the second half of an attribute of three or four doubles; only for ntv */
};

/* nir_variable. */
struct ntv_variable {
   const char *name; /* may be NULL */
   uint32_t type;
   enum ntv_mode mode;
   enum ntv_interp_mode interpolation;
   enum ntv_precision precision;
   uint32_t access; /* enum ntv_access */
   uint32_t flags;  /* enum ntv_variable_flags */
   uint32_t location; /* gl_vert_attrib, gl_varying_slot, gl_frag_result or gl_system_value as in Mesa 25.0; NTV_NONE for -1 */
   uint32_t location_frac;
   uint32_t driver_location; /* inputs and outputs: SPIR-V's Location; buffers: index of the first block of the variable */
   uint32_t binding;
   uint32_t descriptor_set; /* NTV_NONE: ntv's set for descriptors of this kind */
   uint32_t index;          /* dual-source blending, or input attachment */
   uint32_t image_format;   /* images: a number of NTV_TABLE_FORMAT; 0 for no format and for other variables */
   uint32_t stream;         /* outputs of geometry shaders */
   uint32_t xfb_buffer, xfb_stride, xfb_offset; /* outputs: in bytes; xfb_buffer is NTV_NONE if it is not captured */
   const uint64_t *values; /* the initial value: all scalars of the type in order, each in the low bits of a number */
   uint32_t num_values;    /* 0 if there is no initial value */
   const char *initializer; /* the same as text, for printing; may be NULL */
};

/* A variable with only a name, a type and a mode. */
static inline struct ntv_variable
ntv_variable_init(const char *name, uint32_t type, enum ntv_mode mode)
{
   struct ntv_variable v;

   memset(&v, 0, sizeof(v));
   v.name = name;
   v.type = type;
   v.mode = mode;
   v.location = v.descriptor_set = v.xfb_buffer = NTV_NONE;
   return v;
}

/* The rare fields of variables. */
NTV_COLD static void
ntv_wire_more_of_variable(struct ntv_wire *w, const struct ntv_variable *v)
{
   size_t bytes = ntv_wire_text_bytes(v->initializer);
   const uint32_t words[] = {v->image_format, v->stream, v->xfb_buffer, v->xfb_stride, v->xfb_offset, v->num_values};
   uint32_t i;

   ntv_wire_copy(w, words, 6);
   for (i = 0; i < v->num_values; i++)
      ntv_wire_small(w, (uint32_t)v->values[i], (uint32_t)(v->values[i] >> 32));
   ntv_wire_operand(w, v->initializer ? (uint32_t)bytes : NTV_NONE);
   ntv_wire_text(w, v->initializer, bytes);
}

static inline uint32_t
ntv_wire_variable(struct ntv_wire *w, const struct ntv_variable *v)
{
   bool more = v->image_format || v->stream || v->xfb_buffer != NTV_NONE || v->num_values || v->initializer;
   size_t bytes = ntv_wire_text_bytes(v->name);
   uint32_t *words = ntv_wire_words(w, 10);

   if (words) {
      words[0] = ntv_wire_head(NTV_RECORD_VARIABLE, 0, 0, 0);
      words[1] = v->type;
      words[2] = (uint32_t)v->mode | (uint32_t)v->interpolation << 14 | (uint32_t)v->precision << 17 |
                 v->location_frac << 19 | (uint32_t)more << 27;
      words[3] = v->access | v->flags << 18;
      words[4] = v->location;
      words[5] = v->driver_location;
      words[6] = v->binding;
      words[7] = v->descriptor_set;
      words[8] = v->index;
      words[9] = (uint32_t)bytes;
   }
   ntv_wire_text(w, v->name, bytes);
   if (more)
      ntv_wire_more_of_variable(w, v);
   return w->num_variables++;
}

/* Changes the type of a variable without values: for a type that was not known when the variable was written. Derefs that were
 * written before keep the old type. */
NTV_COLD static void
ntv_wire_variable_type(struct ntv_wire *w, uint32_t variable, uint32_t type)
{
   const uint32_t words[] = {ntv_wire_head(NTV_RECORD_VARIABLE_TYPE, 0, 0, 0), variable, type};

   ntv_wire_copy(w, words, 3);
}

/* Control flow: the structured tree of the entry point in order. A block is between any two of the other nodes, before the first
 * and after the last, as in nir_cf_node lists: "block if block else block end_if block", "block loop block end_loop block", or
 * "block loop block continue block end_loop block". */
enum ntv_control {
   NTV_CONTROL_BLOCK = 0, NTV_CONTROL_IF, NTV_CONTROL_ELSE, NTV_CONTROL_END_IF, NTV_CONTROL_LOOP, NTV_CONTROL_CONTINUE,
   NTV_CONTROL_END_LOOP,
};

/* A node other than a block and an if. */
NTV_NOINLINE static void
ntv_wire_control(struct ntv_wire *w, enum ntv_control kind)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_CONTROL, (uint32_t)kind, 0, 0));
}

/* The instructions of the block follow. Numbers of blocks are those of nir_block::index after nir_index_blocks. */
static inline uint32_t
ntv_wire_block(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_BLOCK);
   return w->num_blocks++;
}

static inline void
ntv_wire_if(struct ntv_wire *w, uint32_t condition, enum ntv_hint hint)
{
   ntv_wire_small(w, ntv_wire_head(NTV_RECORD_CONTROL, NTV_CONTROL_IF, 0, 0) | (uint32_t)hint << 28, condition);
}

/* Begins an instruction with `count` words after its first word, which the caller must write. NULL if memory is short. The number
 * of the instruction is the value of num_instrs before the call. */
static inline uint32_t *
ntv_wire_instr(struct ntv_wire *w, uint32_t head, size_t count)
{
   uint32_t *words = ntv_wire_words(w, 1 + count);

   w->num_instrs++;
   if (!words)
      return NULL;
   words[0] = head;
   return words + 1;
}

/* Instructions without operands: nir_undef_instr, nir_phi_instr, nir_jump_instr. */
enum ntv_plain {
   NTV_PLAIN_UNDEF = 0, NTV_PLAIN_PHI, NTV_PLAIN_BREAK, NTV_PLAIN_CONTINUE, NTV_PLAIN_RETURN, NTV_PLAIN_HALT,
};

static inline uint32_t
ntv_wire_plain(struct ntv_wire *w, enum ntv_plain op, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_PLAIN, (uint32_t)op, components, bits), 0);
   return w->num_instrs - 1;
}

/* A source of a phi, at any time after the block and the value. The sources of a phi must be written one after the other. */
static inline void
ntv_wire_phi_src(struct ntv_wire *w, uint32_t phi, uint32_t block, uint32_t def)
{
   const uint32_t words[] = {ntv_wire_head(NTV_RECORD_PHI_SRC, 0, 0, 0), phi, block, def};

   ntv_wire_copy(w, words, 4);
}

enum ntv_alu_flags { NTV_ALU_EXACT = 1 << 0, NTV_ALU_NO_SIGNED_WRAP = 1 << 1, NTV_ALU_NO_UNSIGNED_WRAP = 1 << 2 };

/* Another flag: the opcode reads more than 8 components of a source, as nir_ssa_alu_instr_src_components returns. */
#define NTV_WIDE_SOURCES 8u

/* `op` is a number of NTV_TABLE_ALU; ntv_wire_alu_src, or ntv_wire_wide_alu_src, must follow for each source. */
static inline uint32_t
ntv_wire_alu(struct ntv_wire *w, uint32_t op, uint32_t flags, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_ALU, op, components, bits) | flags << 28, 0);
   return w->num_instrs - 1;
}

/* The swizzle of eight components from `first` on. Components from `components` on are not swizzled. */
static inline uint32_t
ntv_wire_swizzle(const uint8_t *swizzle, unsigned first, unsigned components)
{
   uint32_t bits = 0;
   unsigned i;

   for (i = first; i < first + 8; i++)
      bits |= (uint32_t)((i < components ? swizzle[i] : i) & 15) << (4 * (i - first));
   return bits;
}

static inline void
ntv_wire_alu_src(struct ntv_wire *w, uint32_t def, const uint8_t *swizzle, unsigned components)
{
   ntv_wire_small(w, def, ntv_wire_swizzle(swizzle, 0, components));
}

/* For NTV_WIDE_SOURCES. */
static inline void
ntv_wire_wide_alu_src(struct ntv_wire *w, uint32_t def, const uint8_t *swizzle, unsigned components)
{
   ntv_wire_alu_src(w, def, swizzle, components);
   ntv_wire_operand(w, ntv_wire_swizzle(swizzle, 8, components));
}

/* nir_load_const_instr. Bits of a value above the width are 0. */
static inline uint32_t
ntv_wire_const(struct ntv_wire *w, unsigned components, unsigned bits, const uint64_t *values)
{
   unsigned i;

   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_CONST, 0, components, bits), 0);
   for (i = 0; i < components; i++) {
      ntv_wire_operand(w, (uint32_t)values[i]);
      if (bits == 64)
         ntv_wire_operand(w, (uint32_t)(values[i] >> 32));
   }
   return w->num_instrs - 1;
}

/* nir_deref_type, with the two words of its record; the names with _IMM have a constant index. */
enum ntv_deref {
   NTV_DEREF_VAR = 0,          /* ntv_wire_deref_var */
   NTV_DEREF_ARRAY,            /* index */
   NTV_DEREF_ARRAY_IMM,        /* index, low and high word */
   NTV_DEREF_ARRAY_WILDCARD,
   NTV_DEREF_PTR_AS_ARRAY,     /* index */
   NTV_DEREF_PTR_AS_ARRAY_IMM, /* index, low and high word */
   NTV_DEREF_STRUCT,           /* index of the field */
   NTV_DEREF_CAST,             /* ptr_stride, align_mul; ntv_wire_operand(align_offset) must follow */
};

/* The result of a deref with a parent: the bit size of its one component, its type, and its modes. */
struct ntv_deref_result {
   unsigned bits;
   uint32_t type;
   uint32_t modes; /* enum ntv_mode */
};

/* Words that the deref does not have are 0. */
static inline uint32_t
ntv_wire_deref(struct ntv_wire *w, enum ntv_deref kind, struct ntv_deref_result r, uint32_t parent, uint32_t a, uint32_t b)
{
   uint32_t *words = ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_DEREF, (uint32_t)kind, 1, r.bits), 5);

   if (words) {
      words[0] = r.type;
      words[1] = r.modes;
      words[2] = parent;
      words[3] = a;
      words[4] = b;
   }
   return w->num_instrs - 1;
}

/* A deref of a variable, with the type and mode of the variable. */
static inline uint32_t
ntv_wire_deref_var(struct ntv_wire *w, unsigned bits, uint32_t variable)
{
   uint32_t *words = ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_DEREF_VAR, NTV_DEREF_VAR, 1, bits), 1);

   if (words)
      words[0] = variable;
   return w->num_instrs - 1;
}

/*
 * nir_intrinsic_instr. `op` is a number of NTV_TABLE_INTRINSIC. ntv_wire_operand must follow for each source (the number of the
 * value), then for the value of each index: ntv_wire_num_indices values, at the positions that ntv_wire_index returns. The value
 * of an index that the writer does not have is 0. Indices that are enumerations have the numbers above: access, dst_access,
 * src_access, atomic_op, memory_modes, memory_scope, execution_scope, memory_semantics, interp_mode, image_dim. Others are
 *
 *    format, reduction_op    a number of NTV_TABLE_FORMAT, of NTV_TABLE_ALU
 *    src_type, dest_type     ntv_alu_type()
 *    io_semantics            ntv_io_semantics()
 *    io_xfb, io_xfb2         ntv_io_xfb()
 *    any other               unchanged; image_array is 0 or 1
 */
static inline uint32_t
ntv_wire_intrinsic(struct ntv_wire *w, uint32_t op, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_INTRINSIC, op, components, bits), 0);
   return w->num_instrs - 1;
}

enum ntv_io_flags {
   NTV_IO_EXPLICIT_STRICT = 1 << 0, NTV_IO_DUALSRC = 1 << 1, NTV_IO_FBFETCH = 1 << 2, NTV_IO_COHERENT = 1 << 3,
   NTV_IO_PERVIEW = 1 << 4, NTV_IO_MEDIUMP = 1 << 5, NTV_IO_HIGH_16BITS = 1 << 6, NTV_IO_INVARIANT = 1 << 7,
   NTV_IO_HIGH_DVEC2 = 1 << 8, NTV_IO_NO_VARYING = 1 << 9, NTV_IO_NO_SYSVAL_OUTPUT = 1 << 10,
};

/* nir_io_semantics. `gs_streams` has two bits for each component. */
static inline uint32_t
ntv_io_semantics(unsigned location, unsigned num_slots, unsigned gs_streams, uint32_t flags)
{
   return (location & 0x7fu) | (uint32_t)(num_slots & 0x3fu) << 7 | (uint32_t)(gs_streams & 0xffu) << 13 | flags << 21;
}

/* Two entries of nir_io_xfb: number of components, buffer, and offset in units of 4 bytes, of each. */
static inline uint32_t
ntv_io_xfb(unsigned components0, unsigned buffer0, unsigned offset0, unsigned components1, unsigned buffer1, unsigned offset1)
{
   return (components0 & 15u) | (uint32_t)(buffer0 & 15u) << 4 | (uint32_t)(offset0 & 255u) << 8 |
          (uint32_t)(components1 & 15u) << 16 | (uint32_t)(buffer1 & 15u) << 20 | (uint32_t)(offset1 & 255u) << 24;
}

enum ntv_tex_flags {
   NTV_TEX_GATHER_IMPLICIT_LOD = 1 << 0, NTV_TEX_TEXTURE_NON_UNIFORM = 1 << 1, NTV_TEX_SAMPLER_NON_UNIFORM = 1 << 2,
   NTV_TEX_SPARSE = 1 << 3,
   NTV_TEX_OFFSETS = 1 << 4, /* tg4_offsets are used; set by ntv_wire_tex */
};

/* nir_tex_instr without its sources. Dimensionality, layers and comparison are those of the texture. */
struct ntv_tex {
   enum ntv_tex_op op;
   uint32_t dest_type; /* ntv_alu_type() */
   uint32_t flags;     /* enum ntv_tex_flags */
   uint32_t component; /* gathers */
   uint32_t texture_index, sampler_index;
   const int8_t (*offsets)[2]; /* gathers: four of them, or NULL */
};

/* ntv_wire_tex_src must follow for each source. */
static inline uint32_t
ntv_wire_tex(struct ntv_wire *w, const struct ntv_tex *tex, unsigned components, unsigned bits, unsigned num_srcs)
{
   uint32_t *words = ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_TEX, (uint32_t)tex->op, components, bits), 6);
   uint32_t flags = tex->flags & ~(uint32_t)NTV_TEX_OFFSETS;
   unsigned i;

   if (words) {
      words[0] = tex->dest_type;
      words[1] = (tex->offsets ? flags | (uint32_t)NTV_TEX_OFFSETS : flags) | tex->component << 8 | (uint32_t)num_srcs << 16;
      words[2] = tex->texture_index;
      words[3] = tex->sampler_index;
      words[4] = words[5] = 0;
      for (i = 0; tex->offsets && i < 8; i++)
         words[4 + i / 4] |= (uint32_t)(uint8_t)tex->offsets[i / 2][i % 2] << (8 * (i % 4));
   }
   return w->num_instrs - 1;
}

static inline void
ntv_wire_tex_src(struct ntv_wire *w, enum ntv_tex_src kind, uint32_t def)
{
   ntv_wire_small(w, (uint32_t)kind, def);
}

#ifdef __cplusplus
}
#endif

#endif /* NTV_WIRE_H */
