/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv: NIR to SPIR-V, as a C library. C11 or C++17.
 *
 * A driver serializes a NIR shader to a buffer of words (`struct ntv_wire`, part 1), describes its Vulkan device (`struct
 * ntv_target`, part 2) and gets a SPIR-V module (`ntv_translate`, part 3), or one that links and draws may still change (`struct
 * ntv_module`, part 4). A plan of the program decides how each uniform block is bound (`struct ntv_plan`, part 5):
 *
 *    struct ntv_wire wire;
 *    ntv_wire_init(&wire);
 *    ... ntv_wire_begin(), the functions for each part of the shader, ntv_wire_end() ...
 *
 *    struct ntv_target target;
 *    ntv_target_init(&target, VK_API_VERSION_1_3);
 *    ntv_target_enable(&target, "shaderFloat64", features.shaderFloat64);
 *
 *    struct ntv_translator *translator = ntv_translator_create();
 *    struct ntv_result result;
 *    if (ntv_translate(translator, &target, wire.words, wire.len, NULL, &result) != NTV_OK)
 *       report(result.error);
 *    else
 *       use(result.words, result.num_words);
 *    ntv_result_free(&result, NULL);
 *    ntv_translator_destroy(translator);
 *    ntv_wire_fini(&wire);
 *
 * Every function may be called from any thread at any time. No function prints, reads the environment or unwinds. The process is
 * aborted only if malloc fails within the library. An internal error of ntv is an error like others (NTV_ERROR_INTERNAL), for
 * which the Rust runtime also writes a line to stderr.
 */

#ifndef NTV_H
#define NTV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The allocation functions of buffers of `struct ntv_wire`. */
#ifndef NTV_REALLOC
#define NTV_REALLOC realloc
#define NTV_FREE free
#endif

/* Attributes of functions that are rarely called, and of functions that must not be inlined. */
#if defined(__GNUC__)
#define NTV_COLD __attribute__((cold, noinline, unused))
#define NTV_NOINLINE __attribute__((noinline, unused))
#else
#define NTV_COLD
#define NTV_NOINLINE
#endif

/* The value "none" of optional numbers. */
#define NTV_NONE 0xffffffffu

/* ==================================================================================================================
 * Part 1: wire, a NIR shader as words
 *
 * A wire is a sequence of 32-bit words in the byte order of the machine (little-endian in a file, `.ntvw`). It starts with a
 * header: magic, version, number of words, number of instructions, and those fields of the shader that most shaders set. Records
 * follow the header in the order in which they are written: all words are written and read once, in order. The first word of a
 * record has its kind, from which, with the words after it, its length follows. A string is its length in bytes, and then (unless
 * other words are in between) its bytes, padded to whole words. A 64-bit number is two words, the low one first.
 *
 * Types, variables, blocks and instructions are each numbered from 0 in the order in which they are written, and functions that
 * write one return its number:
 *
 *    header of the shader      ntv_wire_begin, ntv_wire_info*
 *    data that NIR lacks       ntv_wire_directive
 *    types                     ntv_wire_type_*
 *    variables                 ntv_wire_variable
 *    control flow              ntv_wire_block, ntv_wire_if, ntv_wire_else, ntv_wire_end_if, ntv_wire_loop, ...
 *    instructions of a block   ntv_wire_alu, ...     after their block
 *
 * An SSA value has the number of its instruction: the writer can keep the number in nir_instr::index. A reference is only valid
 * to an earlier object, except for the sources of phis, which are written when they are known. A function that begins an object
 * with parts, such as ntv_wire_alu, must be followed by the functions for its parts before anything else is written.
 *
 * Opcodes, intrinsics and image formats have ntv's numbers, which ntv_wire_number returns for the names of any version of Mesa.
 * Call it once for each name, or use the numbers in ffi/mesa/ntv_names.h: they are those of this version of the wire. The writer
 * translates the other, small enumerations to the constants below.
 *
 * Functions that write do not fail: after a failed allocation they have no effect, and ntv_wire_end returns false.
 * ================================================================================================================== */

/* "NTVW" in a file. */
#define NTV_WIRE_MAGIC 0x5756544eu

/* Changes with every change of part 1 that an older reader would misread. */
#define NTV_WIRE_VERSION 6u

/* The kind of a record: the lowest four bits of its first word. The functions that write a record document its words. */
enum ntv_record {
   NTV_RECORD_ALU = 0,
   NTV_RECORD_INTRINSIC,
   NTV_RECORD_CONST,
   NTV_RECORD_DEREF_VAR,
   NTV_RECORD_DEREF,
   NTV_RECORD_TEX,
   NTV_RECORD_PLAIN,
   NTV_RECORD_CONTROL,
   NTV_RECORD_TYPE,
   NTV_RECORD_VARIABLE,
   NTV_RECORD_VARIABLE_TYPE,
   NTV_RECORD_PHI_SRC,
   NTV_RECORD_DIRECTIVE,
   NTV_RECORD_FACT,
   NTV_RECORD_NAME,
};

enum ntv_stage {
   NTV_STAGE_VERTEX = 0,
   NTV_STAGE_TESS_CTRL,
   NTV_STAGE_TESS_EVAL,
   NTV_STAGE_GEOMETRY,
   NTV_STAGE_FRAGMENT,
   NTV_STAGE_COMPUTE,
   NTV_STAGE_KERNEL,
};

/* The table of a name. */
enum ntv_table {
   NTV_TABLE_ALU = 0,   /* nir_op, as in nir_op_infos[].name: "fadd" */
   NTV_TABLE_INTRINSIC, /* nir_intrinsic_op, as in nir_intrinsic_infos[].name: "load_ubo" */
   NTV_TABLE_FORMAT,    /* pipe_format, as in util_format_short_name(): "r32_uint" */
};

/* The number of `name` in a wire; NTV_NONE if ntv does not have the name, or for NULL. */
uint32_t ntv_wire_number(enum ntv_table table, const char *name);

/* The number of sources of an ALU opcode of Mesa 25.0, by its number; 0 for opcodes of only older releases, and for unknown
 * numbers. */
uint32_t ntv_wire_num_sources(uint32_t alu);

/* The number of indices in the record of an intrinsic, by its number; 0 if there is no such intrinsic. */
uint32_t ntv_wire_num_indices(uint32_t intrinsic);

/* The position of an index among them, by nir_intrinsic_index_flag in small letters: "write_mask". NTV_NONE if the intrinsic of
 * ntv does not have the index, or for NULL. */
uint32_t ntv_wire_index(uint32_t intrinsic, const char *index);

/* nir_variable_mode. A variable has one, a deref or a barrier may have several. */
enum ntv_mode {
   NTV_MODE_SYSTEM = 1 << 0,
   NTV_MODE_UNIFORM = 1 << 1,
   NTV_MODE_SHADER_IN = 1 << 2,
   NTV_MODE_SHADER_OUT = 1 << 3,
   NTV_MODE_IMAGE = 1 << 4,
   NTV_MODE_UBO = 1 << 5,
   NTV_MODE_PUSH_CONST = 1 << 6,
   NTV_MODE_SSBO = 1 << 7,
   NTV_MODE_CONSTANT = 1 << 8,
   NTV_MODE_TASK_PAYLOAD = 1 << 9,
   NTV_MODE_SHADER_TEMP = 1 << 10,
   NTV_MODE_FUNCTION_TEMP = 1 << 11,
   NTV_MODE_SHARED = 1 << 12,
   NTV_MODE_GLOBAL = 1 << 13,
};

/* gl_access_qualifier. */
enum ntv_access {
   NTV_ACCESS_COHERENT = 1 << 0,
   NTV_ACCESS_RESTRICT = 1 << 1,
   NTV_ACCESS_VOLATILE = 1 << 2,
   NTV_ACCESS_WRITEONLY = 1 << 3,
   NTV_ACCESS_READONLY = 1 << 4,
   NTV_ACCESS_NON_UNIFORM = 1 << 5,
   NTV_ACCESS_REORDERABLE = 1 << 6,
   NTV_ACCESS_NON_TEMPORAL = 1 << 7,
   NTV_ACCESS_INCLUDE_HELPERS = 1 << 8,
   NTV_ACCESS_IS_SWIZZLED_AMD = 1 << 9,
   NTV_ACCESS_USES_FORMAT_AMD = 1 << 10,
   NTV_ACCESS_FMASK_LOWERED_AMD = 1 << 11,
   NTV_ACCESS_SPECULATABLE = 1 << 12,
   NTV_ACCESS_CP_GE_COHERENT_AMD = 1 << 13,
   NTV_ACCESS_IN_BOUNDS_AGX = 1 << 14,
   NTV_ACCESS_KEEP_SCALAR = 1 << 15,
   NTV_ACCESS_SMEM_AMD = 1 << 16,
   NTV_ACCESS_ATOMIC = 1 << 17,
};

/* nir_atomic_op. */
enum ntv_atomic_op {
   NTV_ATOMIC_OP_IADD = 0,
   NTV_ATOMIC_OP_IMIN,
   NTV_ATOMIC_OP_UMIN,
   NTV_ATOMIC_OP_IMAX,
   NTV_ATOMIC_OP_UMAX,
   NTV_ATOMIC_OP_IAND,
   NTV_ATOMIC_OP_IOR,
   NTV_ATOMIC_OP_IXOR,
   NTV_ATOMIC_OP_XCHG,
   NTV_ATOMIC_OP_FADD,
   NTV_ATOMIC_OP_FMIN,
   NTV_ATOMIC_OP_FMAX,
   NTV_ATOMIC_OP_CMPXCHG,
   NTV_ATOMIC_OP_FCMPXCHG,
   NTV_ATOMIC_OP_INC_WRAP,
   NTV_ATOMIC_OP_DEC_WRAP,
};

/* mesa_scope. */
enum ntv_scope {
   NTV_SCOPE_NONE = 0,
   NTV_SCOPE_INVOCATION,
   NTV_SCOPE_SUBGROUP,
   NTV_SCOPE_SHADER_CALL,
   NTV_SCOPE_WORKGROUP,
   NTV_SCOPE_QUEUE_FAMILY,
   NTV_SCOPE_DEVICE,
};

/* nir_memory_semantics. */
enum ntv_semantics {
   NTV_SEMANTICS_ACQUIRE = 1 << 0,
   NTV_SEMANTICS_RELEASE = 1 << 1,
   NTV_SEMANTICS_MAKE_AVAILABLE = 1 << 2,
   NTV_SEMANTICS_MAKE_VISIBLE = 1 << 3,
};

/* glsl_interp_mode. */
enum ntv_interp_mode {
   NTV_INTERP_MODE_NONE = 0,
   NTV_INTERP_MODE_SMOOTH,
   NTV_INTERP_MODE_FLAT,
   NTV_INTERP_MODE_NOPERSPECTIVE,
   NTV_INTERP_MODE_EXPLICIT,
};

/* glsl_sampler_dim. */
enum ntv_dim {
   NTV_DIM_1D = 0,
   NTV_DIM_2D,
   NTV_DIM_3D,
   NTV_DIM_CUBE,
   NTV_DIM_RECT,
   NTV_DIM_BUF,
   NTV_DIM_EXTERNAL,
   NTV_DIM_MS,
   NTV_DIM_SUBPASS,
   NTV_DIM_SUBPASS_MS,
};

/* The interpretation of the bits of a number: nir_alu_type without its size. */
enum ntv_base {
   NTV_BASE_BOOL = 0,
   NTV_BASE_INT,
   NTV_BASE_UINT,
   NTV_BASE_FLOAT,
};

/* nir_alu_type; 0 for nir_type_invalid. `bits` is 0 for "any", 1, 8, 16, 32 or 64. */
static inline uint32_t
ntv_alu_type(enum ntv_base base, unsigned bits)
{
   return (uint32_t)base << 8 | bits;
}

/* nir_texop. */
enum ntv_tex_op {
   NTV_TEX_OP_TEX = 0,
   NTV_TEX_OP_TXB,
   NTV_TEX_OP_TXL,
   NTV_TEX_OP_TXD,
   NTV_TEX_OP_TXF,
   NTV_TEX_OP_TXF_MS,
   NTV_TEX_OP_TXS,
   NTV_TEX_OP_LOD,
   NTV_TEX_OP_TG4,
   NTV_TEX_OP_QUERY_LEVELS,
   NTV_TEX_OP_TEXTURE_SAMPLES,
   NTV_TEX_OP_SAMPLES_IDENTICAL,
};

/* nir_tex_src_type. */
enum ntv_tex_src {
   NTV_TEX_SRC_COORD = 0,
   NTV_TEX_SRC_PROJECTOR,
   NTV_TEX_SRC_COMPARATOR,
   NTV_TEX_SRC_OFFSET,
   NTV_TEX_SRC_BIAS,
   NTV_TEX_SRC_LOD,
   NTV_TEX_SRC_MIN_LOD,
   NTV_TEX_SRC_MS_INDEX,
   NTV_TEX_SRC_DDX,
   NTV_TEX_SRC_DDY,
   NTV_TEX_SRC_TEXTURE_DEREF,
   NTV_TEX_SRC_SAMPLER_DEREF,
   NTV_TEX_SRC_TEXTURE_OFFSET,
   NTV_TEX_SRC_SAMPLER_OFFSET,
   NTV_TEX_SRC_TEXTURE_HANDLE,
   NTV_TEX_SRC_SAMPLER_HANDLE,
   NTV_TEX_SRC_PLANE,
   NTV_TEX_SRC_BACKEND1,
   NTV_TEX_SRC_BACKEND2,
   NTV_TEX_SRC_SAMPLER_DEREF_INTRINSIC,
   NTV_TEX_SRC_TEXTURE_DEREF_INTRINSIC,
};

/* nir_jump_type. */
enum ntv_jump {
   NTV_JUMP_BREAK = 0,
   NTV_JUMP_CONTINUE,
   NTV_JUMP_RETURN,
   NTV_JUMP_HALT,
};

/* nir_selection_control. */
enum ntv_hint {
   NTV_HINT_NONE = 0,
   NTV_HINT_FLATTEN,
   NTV_HINT_DONT_FLATTEN,
   NTV_HINT_DIVERGENT_ALWAYS_TAKEN,
};

/* ------------------------------------------------------------------------------------------------------------------
 * The buffer
 * ------------------------------------------------------------------------------------------------------------------ */

/* A wire that is being written. Its memory can be used for many shaders, one after the other. */
struct ntv_wire {
   uint32_t *words;
   size_t len;      /* number of words of the wire; 0 before ntv_wire_end */
   size_t written;  /* number of words written */
   size_t capacity; /* number of words allocated */
   uint32_t num_types;
   uint32_t num_variables;
   uint32_t num_blocks;
   uint32_t num_instrs; /* the number of the next instruction */
   bool failed;         /* an allocation failed */
};

/* Words of the header. */
#define NTV_WIRE_HEADER_WORDS 16u

/* The capacity of the first allocation, in words. */
#define NTV_WIRE_ROOM 4096u

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
   size_t capacity = w->capacity ? w->capacity : NTV_WIRE_ROOM;
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

/* The number of words for the bytes of a string. */
static inline size_t
ntv_wire_text_words(size_t bytes)
{
   return bytes / 4 + (bytes % 4 != 0);
}

/* Writes the bytes of a string. Its length has been written before. */
static inline void
ntv_wire_text(struct ntv_wire *w, const char *text, size_t bytes)
{
   uint32_t *words = bytes ? ntv_wire_words(w, ntv_wire_text_words(bytes)) : NULL;

   if (words) {
      words[ntv_wire_text_words(bytes) - 1] = 0;
      memcpy(words, text, bytes);
   }
}

/* Writes a record with one word. */
NTV_NOINLINE static void
ntv_wire_small(struct ntv_wire *w, uint32_t head, uint32_t word)
{
   uint32_t *words = ntv_wire_words(w, 2);

   if (words) {
      words[0] = head;
      words[1] = word;
   }
}

NTV_COLD static void
ntv_wire_named(struct ntv_wire *w, uint32_t head, const char *text)
{
   size_t bytes = strlen(text);

   ntv_wire_small(w, head, (uint32_t)bytes);
   ntv_wire_text(w, text, bytes);
}

/* ------------------------------------------------------------------------------------------------------------------
 * The shader as a whole
 * ------------------------------------------------------------------------------------------------------------------ */

/* float_controls, for 16-bit floats. The next bit of each is for 32 bits, and the one after it for 64. */
enum ntv_float_controls {
   NTV_FLOAT_SIGNED_ZERO_PRESERVE = 1 << 0,
   NTV_FLOAT_INF_PRESERVE = 1 << 3,
   NTV_FLOAT_NAN_PRESERVE = 1 << 6,
   NTV_FLOAT_DENORM_PRESERVE = 1 << 9,
   NTV_FLOAT_DENORM_FLUSH_TO_ZERO = 1 << 12,
   NTV_FLOAT_ROUNDING_MODE_RTE = 1 << 15,
   NTV_FLOAT_ROUNDING_MODE_RTZ = 1 << 18,
};

/* The fields that most shaders set. ntv_wire_info need not write them again. */
struct ntv_shader {
   enum ntv_stage stage;
   uint32_t workgroup_size[3]; /* compute only */
   bool workgroup_size_variable;
   bool first_ubo_is_default_ubo;
   uint32_t next_stage; /* enum ntv_stage, NTV_NONE if not known */
   uint32_t num_textures;
   uint32_t num_ubos;
   uint32_t num_ssbos;
   uint32_t num_images;
   uint32_t float_controls_execution_mode; /* enum ntv_float_controls */
   uint32_t shared_size;
   uint32_t derivative_group;
   uint32_t depth_layout;
   const char *entry;       /* name of the entry point, NULL for "main" */
   const char *source_hash; /* these three may be NULL */
   const char *name;
   const char *label;
};

/* The object of a name. */
enum ntv_name {
   NTV_NAME_ENTRY = 0,
   NTV_NAME_SOURCE_HASH,
   NTV_NAME_SHADER,
   NTV_NAME_LABEL,
};

/* The first word of a record without a result. */
static inline uint32_t
ntv_wire_record(enum ntv_record record, uint32_t op)
{
   return (uint32_t)record | op << 4;
}

/* Writes the names that are not NULL. */
NTV_COLD static void
ntv_wire_names(struct ntv_wire *w, const struct ntv_shader *shader)
{
   const char *names[] = {shader->entry, shader->source_hash, shader->name, shader->label};
   uint32_t i;

   for (i = 0; i < 4; i++) {
      if (names[i])
         ntv_wire_named(w, ntv_wire_record(NTV_RECORD_NAME, i), names[i]);
   }
}

/* Starts a wire. The old contents of the buffer are discarded, its memory is reused. */
static inline void
ntv_wire_begin(struct ntv_wire *w, const struct ntv_shader *shader)
{
   uint32_t *words;

   w->len = 0;
   w->written = 0;
   w->num_types = 0;
   w->num_variables = 0;
   w->num_blocks = 0;
   w->num_instrs = 0;
   w->failed = false;

   words = ntv_wire_words(w, NTV_WIRE_HEADER_WORDS);
   if (!words)
      return;
   words[0] = NTV_WIRE_MAGIC;
   words[1] = NTV_WIRE_VERSION;
   words[4] = (uint32_t)shader->stage | (shader->next_stage & 0xff) << 8 |
              (uint32_t)shader->workgroup_size_variable << 16 | (uint32_t)shader->first_ubo_is_default_ubo << 17;
   words[5] = shader->workgroup_size[0];
   words[6] = shader->workgroup_size[1];
   words[7] = shader->workgroup_size[2];
   words[8] = shader->num_textures;
   words[9] = shader->num_ubos;
   words[10] = shader->num_ssbos;
   words[11] = shader->num_images;
   words[12] = shader->float_controls_execution_mode;
   words[13] = shader->shared_size;
   words[14] = shader->derivative_group;
   words[15] = shader->depth_layout;
   if (shader->entry || shader->source_hash || shader->name || shader->label)
      ntv_wire_names(w, shader);
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

/*
 * Facts about the shader: fields of shader_info and nir_shader, with the names that nir_print_shader prints. A field that is not
 * written is 0. Fields marked "bits" are written by ntv_wire_info_bits, "list" by ntv_wire_info_list (xfb_stride and
 * inlinable_uniform_dw_offsets have four numbers, workgroup_size_hint three), "text" by ntv_wire_info_text; the others by
 * ntv_wire_info, flags as 0 or 1. Bits of system_values_read are numbered as in Mesa 25.0. Enumerations are
 *
 *    primitive_mode      1 triangles, 2 quads, 3 isolines
 *    spacing             1 equal, 2 fractional odd, 3 fractional even
 *    depth_layout        1 any, 2 greater, 3 less, 4 unchanged
 *    derivative_group    1 quads, 2 linear
 *    *_primitive         "POINTS", "LINES", "LINE_STRIP", "TRIANGLES", "TRIANGLE_STRIP", "LINES_ADJACENCY", ...
 *    color*_interp       "INTERP_MODE_FLAT", ...
 *    float_controls_execution_mode    enum ntv_float_controls
 *
 * A fact is a record with the constant as its opcode. "bits" have four words, "list" has one for each number, "text" is a string,
 * the others have one.
 */
enum ntv_info_field {
   NTV_INFO_INTERNAL = 0,
   NTV_INFO_NUM_TEXTURES = 1,
   NTV_INFO_NUM_UBOS = 2,
   NTV_INFO_NUM_ABOS = 3,
   NTV_INFO_NUM_SSBOS = 4,
   NTV_INFO_NUM_IMAGES = 5,
   NTV_INFO_INPUTS_READ = 6, /* bits */
   NTV_INFO_DUAL_SLOT_INPUTS = 7, /* bits */
   NTV_INFO_OUTPUTS_WRITTEN = 8, /* bits */
   NTV_INFO_OUTPUTS_READ = 9, /* bits */
   NTV_INFO_SYSTEM_VALUES_READ = 10, /* bits */
   NTV_INFO_PER_PRIMITIVE_INPUTS = 11, /* bits */
   NTV_INFO_PER_PRIMITIVE_OUTPUTS = 12, /* bits */
   NTV_INFO_PER_VIEW_OUTPUTS = 13, /* bits */
   NTV_INFO_INPUTS_READ_16BIT = 14,
   NTV_INFO_OUTPUTS_WRITTEN_16BIT = 15,
   NTV_INFO_OUTPUTS_READ_16BIT = 16,
   NTV_INFO_INPUTS_READ_INDIRECTLY_16BIT = 17,
   NTV_INFO_OUTPUTS_ACCESSED_INDIRECTLY_16BIT = 18,
   NTV_INFO_PATCH_INPUTS_READ = 19,
   NTV_INFO_PATCH_OUTPUTS_WRITTEN = 20,
   NTV_INFO_PATCH_OUTPUTS_READ = 21,
   NTV_INFO_INPUTS_READ_INDIRECTLY = 22, /* bits */
   NTV_INFO_OUTPUTS_ACCESSED_INDIRECTLY = 23, /* bits */
   NTV_INFO_PATCH_INPUTS_READ_INDIRECTLY = 24, /* bits */
   NTV_INFO_PATCH_OUTPUTS_ACCESSED_INDIRECTLY = 25, /* bits */
   NTV_INFO_TEXTURES_USED = 26, /* bits */
   NTV_INFO_TEXTURES_USED_BY_TXF = 27, /* bits */
   NTV_INFO_SAMPLERS_USED = 28, /* bits */
   NTV_INFO_IMAGES_USED = 29, /* bits */
   NTV_INFO_IMAGE_BUFFERS = 30, /* bits */
   NTV_INFO_MSAA_IMAGES = 31, /* bits */
   NTV_INFO_FLOAT_CONTROLS_EXECUTION_MODE = 32,
   NTV_INFO_SHARED_SIZE = 33,
   NTV_INFO_RAY_QUERIES = 34,
   NTV_INFO_SUBGROUP_SIZE = 35,
   NTV_INFO_USES_WIDE_SUBGROUP_INTRINSICS = 36,
   NTV_INFO_XFB_STRIDE = 37, /* list */
   NTV_INFO_INLINABLE_UNIFORM_DW_OFFSETS = 38, /* list */
   NTV_INFO_NUM_INLINABLE_UNIFORMS = 39,
   NTV_INFO_CLIP_DISTANCE_ARRAY_SIZE = 40,
   NTV_INFO_CULL_DISTANCE_ARRAY_SIZE = 41,
   NTV_INFO_USES_TEXTURE_GATHER = 42,
   NTV_INFO_USES_RESOURCE_INFO_QUERY = 43,
   NTV_INFO_BIT_SIZES_FLOAT = 44,
   NTV_INFO_BIT_SIZES_INT = 45,
   NTV_INFO_FIRST_UBO_IS_DEFAULT_UBO = 46,
   NTV_INFO_SEPARATE_SHADER = 47,
   NTV_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS = 48,
   NTV_INFO_FLRP_LOWERED = 49,
   NTV_INFO_IO_LOWERED = 50,
   NTV_INFO_WRITES_MEMORY = 51,
   NTV_INFO_DERIVATIVE_GROUP = 52,
   NTV_INFO_DOUBLE_INPUTS = 53, /* bits */
   NTV_INFO_BLIT_SGPRS_AMD = 54,
   NTV_INFO_WINDOW_SPACE_POSITION = 55,
   NTV_INFO_NEEDS_EDGE_FLAG = 56,
   NTV_INFO_PRIMITIVE_MODE = 57,
   NTV_INFO_TCS_VERTICES_OUT = 58,
   NTV_INFO_SPACING = 59,
   NTV_INFO_CCW = 60,
   NTV_INFO_POINT_MODE = 61,
   NTV_INFO_TCS_SAME_INVOCATION_INPUTS_READ = 62, /* bits */
   NTV_INFO_TCS_CROSS_INVOCATION_INPUTS_READ = 63, /* bits */
   NTV_INFO_TCS_CROSS_INVOCATION_OUTPUTS_READ = 64, /* bits */
   NTV_INFO_OUTPUT_PRIMITIVE = 65, /* text */
   NTV_INFO_INPUT_PRIMITIVE = 66, /* text */
   NTV_INFO_VERTICES_OUT = 67,
   NTV_INFO_INVOCATIONS = 68,
   NTV_INFO_VERTICES_IN = 69,
   NTV_INFO_USES_END_PRIMITIVE = 70,
   NTV_INFO_ACTIVE_STREAM_MASK = 71,
   NTV_INFO_USES_DISCARD = 72,
   NTV_INFO_USES_FBFETCH_OUTPUT = 73,
   NTV_INFO_COLOR_IS_DUAL_SOURCE = 74,
   NTV_INFO_REQUIRE_FULL_QUADS = 75,
   NTV_INFO_NEEDS_QUAD_HELPER_INVOCATIONS = 76,
   NTV_INFO_USES_SAMPLE_QUALIFIER = 77,
   NTV_INFO_USES_SAMPLE_SHADING = 78,
   NTV_INFO_EARLY_FRAGMENT_TESTS = 79,
   NTV_INFO_INNER_COVERAGE = 80,
   NTV_INFO_POST_DEPTH_COVERAGE = 81,
   NTV_INFO_PIXEL_CENTER_INTEGER = 82,
   NTV_INFO_ORIGIN_UPPER_LEFT = 83,
   NTV_INFO_PIXEL_INTERLOCK_ORDERED = 84,
   NTV_INFO_PIXEL_INTERLOCK_UNORDERED = 85,
   NTV_INFO_SAMPLE_INTERLOCK_ORDERED = 86,
   NTV_INFO_SAMPLE_INTERLOCK_UNORDERED = 87,
   NTV_INFO_UNTYPED_COLOR_OUTPUTS = 88,
   NTV_INFO_DEPTH_LAYOUT = 89,
   NTV_INFO_COLOR0_INTERP = 90, /* text */
   NTV_INFO_COLOR0_SAMPLE = 91,
   NTV_INFO_COLOR0_CENTROID = 92,
   NTV_INFO_COLOR1_INTERP = 93, /* text */
   NTV_INFO_COLOR1_SAMPLE = 94,
   NTV_INFO_COLOR1_CENTROID = 95,
   NTV_INFO_ADVANCED_BLEND_MODES = 96,
   NTV_INFO_WORKGROUP_SIZE_HINT = 97, /* list */
   NTV_INFO_USER_DATA_COMPONENTS_AMD = 98,
   NTV_INFO_PTR_SIZE = 99,
   NTV_INFO_INPUTS = 100,
   NTV_INFO_OUTPUTS = 101,
   NTV_INFO_UNIFORMS = 102,
   NTV_INFO_SCRATCH = 103,
   NTV_INFO_CONSTANTS = 104,
};

static inline void
ntv_wire_info(struct ntv_wire *w, enum ntv_info_field field, uint32_t value)
{
   ntv_wire_small(w, ntv_wire_record(NTV_RECORD_FACT, (uint32_t)field), value);
}

NTV_COLD static void
ntv_wire_info_list(struct ntv_wire *w, enum ntv_info_field field, const uint32_t *values, unsigned count)
{
   uint32_t *words = ntv_wire_words(w, 1 + (size_t)count);

   if (words) {
      words[0] = ntv_wire_record(NTV_RECORD_FACT, (uint32_t)field);
      memcpy(words + 1, values, count * sizeof(*values));
   }
}

static inline void
ntv_wire_info_bits(struct ntv_wire *w, enum ntv_info_field field, uint64_t bits_0_63, uint64_t bits_64_127)
{
   uint32_t words[4];

   words[0] = (uint32_t)bits_0_63;
   words[1] = (uint32_t)(bits_0_63 >> 32);
   words[2] = (uint32_t)bits_64_127;
   words[3] = (uint32_t)(bits_64_127 >> 32);
   ntv_wire_info_list(w, field, words, 4);
}

static inline void
ntv_wire_info_text(struct ntv_wire *w, enum ntv_info_field field, const char *text)
{
   ntv_wire_named(w, ntv_wire_record(NTV_RECORD_FACT, (uint32_t)field), text ? text : "");
}

/* Data that NIR does not have but a reader needs. */
enum ntv_directive {
   /* The units of offsets of shared and scratch memory: enum ntv_offset_units. zink divides them by the element size. */
   NTV_DIRECTIVE_SHARED_OFFSET_UNITS = 0,
   /* driver_location of inputs and outputs is SPIR-V's Location, or is not assigned yet: enum ntv_locations. */
   NTV_DIRECTIVE_LOCATIONS,
   /* cs.has_variable_shared_mem, 0 or 1: the pipeline adds to the shared memory. */
   NTV_DIRECTIVE_VARIABLE_SHARED_MEMORY,
   /* Only for ntv: a string that is kept for printing. */
   NTV_DIRECTIVE_STRUCT,
   /* The samples of the framebuffer that a fragment shader reads: enum ntv_framebuffer. */
   NTV_DIRECTIVE_FRAMEBUFFER,
   /* How uniform blocks without variables are declared: enum ntv_blocks. */
   NTV_DIRECTIVE_UNIFORM_BLOCKS,
   /* The same for storage blocks. */
   NTV_DIRECTIVE_STORAGE_BLOCKS,
   /* Only for ntv: a string with the captures of transform feedback of a slot. */
   NTV_DIRECTIVE_XFB,
};

enum ntv_offset_units {
   NTV_OFFSET_UNITS_BYTES = 0,
   NTV_OFFSET_UNITS_ELEMENTS,
};

enum ntv_locations {
   NTV_LOCATIONS_DECLARED = 0,
   NTV_LOCATIONS_SLOTS,
};

enum ntv_blocks {
   NTV_BLOCKS_ARRAY = 0, /* all as one array */
   NTV_BLOCKS_PICKED,    /* uniform blocks: separately; the shader may also read blocks of any size that it does not use */
};

enum ntv_framebuffer {
   NTV_FRAMEBUFFER_SINGLE_SAMPLE = 0,
   NTV_FRAMEBUFFER_MULTISAMPLE, /* a shader that reads it runs per sample */
};

/* Defaults: offsets are elements in shaders that access their buffers through derefs, and bytes in others; locations are
 * declared; shared memory is not variable; the framebuffer has one sample per pixel. A record has the key as its opcode, and the
 * value. */
static inline void
ntv_wire_directive(struct ntv_wire *w, enum ntv_directive key, uint32_t value)
{
   ntv_wire_small(w, ntv_wire_record(NTV_RECORD_DIRECTIVE, (uint32_t)key), value);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Types of variables and derefs. Equal types may be written once or several times; a struct is a new type each time.
 * ------------------------------------------------------------------------------------------------------------------ */

enum ntv_type_flags {
   NTV_TYPE_ARRAYED = 1 << 0, /* has layers */
   NTV_TYPE_SHADOW = 1 << 1,  /* has a comparison */
   NTV_TYPE_BARE = 1 << 2,    /* a texture without a sampler: texture2D */
};

enum ntv_type {
   NTV_TYPE_VOID = 0,
   NTV_TYPE_VECTOR,
   NTV_TYPE_MATRIX,
   NTV_TYPE_ARRAY,
   NTV_TYPE_STRUCT,
   NTV_TYPE_SAMPLER,
   NTV_TYPE_TEXTURE,
   NTV_TYPE_IMAGE,
   NTV_TYPE_ATOMIC_UINT,
};

/* A record has the kind of the type as its opcode, and three words whose meaning depends on the kind. */
NTV_NOINLINE static uint32_t
ntv_wire_type(struct ntv_wire *w, enum ntv_type kind, uint32_t a, uint32_t b, uint32_t c)
{
   uint32_t *words = ntv_wire_words(w, 4);

   if (words) {
      words[0] = ntv_wire_record(NTV_RECORD_TYPE, (uint32_t)kind);
      words[1] = a;
      words[2] = b;
      words[3] = c;
   }
   return w->num_types++;
}

static inline uint32_t
ntv_wire_type_void(struct ntv_wire *w)
{
   return ntv_wire_type(w, NTV_TYPE_VOID, 0, 0, 0);
}

/* A scalar (one component) or vector. Booleans have 1 bit. */
static inline uint32_t
ntv_wire_type_vector(struct ntv_wire *w, enum ntv_base base, unsigned bits, unsigned components)
{
   return ntv_wire_type(w, NTV_TYPE_VECTOR, ntv_alu_type(base, bits), components, 0);
}

/* A matrix of floats. */
static inline uint32_t
ntv_wire_type_matrix(struct ntv_wire *w, unsigned bits, unsigned columns, unsigned rows)
{
   return ntv_wire_type(w, NTV_TYPE_MATRIX, bits, columns, rows);
}

/* `length` is NTV_NONE for an array without a length (0 in glsl_type); `stride` is the distance between elements in bytes, 0
 * without an explicit layout. */
static inline uint32_t
ntv_wire_type_array(struct ntv_wire *w, uint32_t element, uint32_t length, uint32_t stride)
{
   return ntv_wire_type(w, NTV_TYPE_ARRAY, element, length, stride);
}

/* A struct or interface block; ntv_wire_type_field must follow for each of its members, whose types have been written before. The
 * record has the number of members, 0, the name, and the words of the members. */
static inline uint32_t
ntv_wire_type_struct(struct ntv_wire *w, const char *name, uint32_t num_members)
{
   size_t bytes = name ? strlen(name) : 0;
   uint32_t number = ntv_wire_type(w, NTV_TYPE_STRUCT, num_members, 0, (uint32_t)bytes);

   ntv_wire_text(w, name, bytes);
   return number;
}

/* Type, offset and name, which may be NULL. `offset` is in bytes, NTV_NONE without an explicit layout. */
static inline void
ntv_wire_type_field(struct ntv_wire *w, const char *name, uint32_t type, uint32_t offset)
{
   size_t bytes = name ? strlen(name) : 0;
   uint32_t *words = ntv_wire_words(w, 3);

   if (words) {
      words[0] = type;
      words[1] = offset;
      words[2] = (uint32_t)bytes;
   }
   ntv_wire_text(w, name, bytes);
}

/* A sampler without a texture. */
static inline uint32_t
ntv_wire_type_sampler(struct ntv_wire *w, bool shadow)
{
   return ntv_wire_type(w, NTV_TYPE_SAMPLER, shadow, 0, 0);
}

/* A texture with or without a sampler. `texel` is the ntv_alu_type of a component of a texel: 32 bits, or 64. */
static inline uint32_t
ntv_wire_type_texture(struct ntv_wire *w, enum ntv_dim dim, uint32_t flags, uint32_t texel)
{
   return ntv_wire_type(w, NTV_TYPE_TEXTURE, (uint32_t)dim, flags, texel);
}

/* A storage image or input attachment. */
static inline uint32_t
ntv_wire_type_image(struct ntv_wire *w, enum ntv_dim dim, bool arrayed, uint32_t texel)
{
   return ntv_wire_type(w, NTV_TYPE_IMAGE, (uint32_t)dim, arrayed ? (uint32_t)NTV_TYPE_ARRAYED : 0, texel);
}

static inline uint32_t
ntv_wire_type_atomic_uint(struct ntv_wire *w)
{
   return ntv_wire_type(w, NTV_TYPE_ATOMIC_UINT, 0, 0, 0);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Variables
 * ------------------------------------------------------------------------------------------------------------------ */

enum ntv_variable_flags {
   NTV_VARIABLE_BINDLESS = 1 << 0,
   NTV_VARIABLE_CENTROID = 1 << 1,
   NTV_VARIABLE_SAMPLE = 1 << 2,
   NTV_VARIABLE_PATCH = 1 << 3,
   NTV_VARIABLE_INVARIANT = 1 << 4,
   NTV_VARIABLE_PER_VIEW = 1 << 5,
   NTV_VARIABLE_PER_PRIMITIVE = 1 << 6,
   NTV_VARIABLE_RAY_QUERY = 1 << 7,
   NTV_VARIABLE_FB_FETCH_OUTPUT = 1 << 8,
   NTV_VARIABLE_COMPACT = 1 << 9,
   NTV_VARIABLE_HIGH_DVEC2 = 1 << 10, /* the second half of an attribute of three or four doubles; only for ntv */
};

enum ntv_precision {
   NTV_PRECISION_NONE = 0,
   NTV_PRECISION_HIGH,
   NTV_PRECISION_MEDIUM,
   NTV_PRECISION_LOW,
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
   /* Inputs and outputs: gl_vert_attrib, gl_varying_slot or gl_frag_result, numbered as in Mesa 25.0; NTV_NONE for -1. */
   uint32_t location;
   uint32_t location_frac;
   /* Inputs and outputs: SPIR-V's Location. Buffers: index of the first block of the variable. */
   uint32_t driver_location;
   uint32_t binding;
   uint32_t descriptor_set; /* NTV_NONE: ntv's set for descriptors of this kind */
   uint32_t index;          /* dual-source blending, or input attachment */
   uint32_t image_format;   /* images: a number of NTV_TABLE_FORMAT; 0 for no format and for other variables */
   uint32_t stream;         /* outputs of geometry shaders */
   /* Outputs: the place of transform feedback, in bytes; xfb_buffer is NTV_NONE for outputs that are not captured. */
   uint32_t xfb_buffer;
   uint32_t xfb_stride;
   uint32_t xfb_offset;
   /* The initial value, if there is one: all scalars of the type in order, each in the low bits of a number. */
   const uint64_t *values;
   uint32_t num_values;
   /* The same as text, for printing; may be NULL. */
   const char *initializer;
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
   v.location = NTV_NONE;
   v.descriptor_set = NTV_NONE;
   v.xfb_buffer = NTV_NONE;
   return v;
}

/* Writes the rare fields of variables: six words, the values, and the initializer, with NTV_NONE as its length if there is
 * none. */
NTV_COLD static void
ntv_wire_more_of_variable(struct ntv_wire *w, const struct ntv_variable *v)
{
   size_t bytes = v->initializer ? strlen(v->initializer) : 0;
   uint32_t *words = ntv_wire_words(w, 7 + 2 * (size_t)v->num_values);
   uint32_t i;

   if (words) {
      words[0] = v->image_format;
      words[1] = v->stream;
      words[2] = v->xfb_buffer;
      words[3] = v->xfb_stride;
      words[4] = v->xfb_offset;
      words[5] = v->num_values;
      for (i = 0; i < v->num_values; i++) {
         words[6 + 2 * (size_t)i] = (uint32_t)v->values[i];
         words[7 + 2 * (size_t)i] = (uint32_t)(v->values[i] >> 32);
      }
      words[6 + 2 * (size_t)v->num_values] = v->initializer ? (uint32_t)bytes : NTV_NONE;
   }
   ntv_wire_text(w, v->initializer, bytes);
}

/* A record has the type, two words of flags, four words for its location, driver location, binding and set, its index, and its
 * name. The first word of flags has the mode, the interpolation from bit 14 on, the precision from bit 17 on, location_frac from
 * bit 19 on, and in bit 27 whether the rare fields follow the name; the second has the access flags, and the other flags from bit
 * 18 on. */
static inline uint32_t
ntv_wire_variable(struct ntv_wire *w, const struct ntv_variable *v)
{
   bool more = v->image_format || v->stream || v->xfb_buffer != NTV_NONE || v->num_values || v->initializer;
   size_t bytes = v->name ? strlen(v->name) : 0;
   uint32_t *words = ntv_wire_words(w, 10);

   if (words) {
      words[0] = ntv_wire_record(NTV_RECORD_VARIABLE, 0);
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
   uint32_t *words = ntv_wire_words(w, 3);

   if (words) {
      words[0] = ntv_wire_record(NTV_RECORD_VARIABLE_TYPE, 0);
      words[1] = variable;
      words[2] = type;
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Control flow: the structured tree of the entry point in order. A block is between any two of the other nodes, before the first
 * and after the last, as in nir_cf_node lists:
 *
 *    block  if  block  else  block  end_if  block
 *    block  loop  block  [continue  block]  end_loop  block
 * ------------------------------------------------------------------------------------------------------------------ */

enum ntv_control {
   NTV_CONTROL_BLOCK = 0,
   NTV_CONTROL_IF,
   NTV_CONTROL_ELSE,
   NTV_CONTROL_END_IF,
   NTV_CONTROL_LOOP,
   NTV_CONTROL_CONTINUE,
   NTV_CONTROL_END_LOOP,
};

/* A record has the kind of the node as its opcode and, for an if, the hint in place of flags. An if has one word, the
 * condition. */
NTV_NOINLINE static void
ntv_wire_control(struct ntv_wire *w, enum ntv_control kind)
{
   uint32_t *words = ntv_wire_words(w, 1);

   if (words)
      words[0] = ntv_wire_record(NTV_RECORD_CONTROL, (uint32_t)kind);
}

/* The instructions of the block follow. Numbers of blocks are those of nir_block::index after nir_index_blocks. */
static inline uint32_t
ntv_wire_block(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_BLOCK);
   return w->num_blocks++;
}

/* The then-list follows, and then an else. */
static inline void
ntv_wire_if(struct ntv_wire *w, uint32_t condition, enum ntv_hint hint)
{
   ntv_wire_small(w, ntv_wire_record(NTV_RECORD_CONTROL, NTV_CONTROL_IF) | (uint32_t)hint << 28, condition);
}

static inline void
ntv_wire_else(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_ELSE);
}

static inline void
ntv_wire_end_if(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_END_IF);
}

static inline void
ntv_wire_loop(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_LOOP);
}

/* The continue list of the loop follows. */
static inline void
ntv_wire_continue(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_CONTINUE);
}

static inline void
ntv_wire_end_loop(struct ntv_wire *w)
{
   ntv_wire_control(w, NTV_CONTROL_END_LOOP);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Instructions. `components` and `bits` are the shape of the result. Without a result, both are 0.
 *
 * The first word of an instruction has the kind of the record in bits 0 to 3, the opcode in 4 to 15, the components in 16 to 20,
 * the bits in 21 to 27 and the flags of an ALU instruction in 28 to 31. The following words depend on these.
 * ------------------------------------------------------------------------------------------------------------------ */

/* The first word of an instruction. */
static inline uint32_t
ntv_wire_head(enum ntv_record record, uint32_t op, unsigned components, unsigned bits)
{
   return ntv_wire_record(record, op) | (uint32_t)components << 16 | (uint32_t)bits << 21;
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

/* Opcodes of instructions without operands. */
enum ntv_plain {
   NTV_PLAIN_UNDEF = 0,
   NTV_PLAIN_PHI,
   NTV_PLAIN_JUMP, /* plus enum ntv_jump */
};

static inline uint32_t
ntv_wire_plain(struct ntv_wire *w, uint32_t op, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_PLAIN, op, components, bits), 0);
   return w->num_instrs - 1;
}

/* nir_undef_instr. */
static inline uint32_t
ntv_wire_undef(struct ntv_wire *w, unsigned components, unsigned bits)
{
   return ntv_wire_plain(w, NTV_PLAIN_UNDEF, components, bits);
}

/* nir_phi_instr. */
static inline uint32_t
ntv_wire_phi(struct ntv_wire *w, unsigned components, unsigned bits)
{
   return ntv_wire_plain(w, NTV_PLAIN_PHI, components, bits);
}

/* A source of a phi, at any time after the block and the value. The sources of a phi must be written one after the other. A
 * record has the phi, the block and the value. */
static inline void
ntv_wire_phi_src(struct ntv_wire *w, uint32_t phi, uint32_t block, uint32_t def)
{
   uint32_t *words = ntv_wire_words(w, 4);

   if (words) {
      words[0] = ntv_wire_record(NTV_RECORD_PHI_SRC, 0);
      words[1] = phi;
      words[2] = block;
      words[3] = def;
   }
}

/* nir_jump_instr. */
static inline void
ntv_wire_jump(struct ntv_wire *w, enum ntv_jump jump)
{
   ntv_wire_plain(w, (uint32_t)NTV_PLAIN_JUMP + (uint32_t)jump, 0, 0);
}

enum ntv_alu_flags {
   NTV_ALU_EXACT = 1 << 0,
   NTV_ALU_NO_SIGNED_WRAP = 1 << 1,
   NTV_ALU_NO_UNSIGNED_WRAP = 1 << 2,
};

/* Another flag: the opcode reads more than 8 components of a source, as nir_ssa_alu_instr_src_components returns. */
#define NTV_WIDE_SOURCES 8u

/* `op` is a number of NTV_TABLE_ALU; ntv_wire_alu_src, or ntv_wire_wide_alu_src, must follow for each source. */
static inline uint32_t
ntv_wire_alu(struct ntv_wire *w, uint32_t op, uint32_t flags, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_ALU, op, components, bits) | flags << 28, 0);
   return w->num_instrs - 1;
}

/* The swizzle of the first `components` components, 8 at most. The other components are not swizzled. */
static inline uint32_t
ntv_wire_swizzle(const uint8_t *swizzle, unsigned components)
{
   uint32_t bits = 0x76543210u;
   unsigned i;

   for (i = 0; i < components; i++)
      bits = (bits & ~(15u << (4 * i))) | (uint32_t)(swizzle[i] & 15) << (4 * i);
   return bits;
}

/* A source is two words: the value, and a swizzle of four bits per component, the first component in the lowest bits. Components
 * that the instruction does not read have their own index. */
static inline void
ntv_wire_alu_src(struct ntv_wire *w, uint32_t def, const uint8_t *swizzle, unsigned components)
{
   uint32_t *words = ntv_wire_words(w, 2);

   if (words) {
      words[0] = def;
      words[1] = ntv_wire_swizzle(swizzle, components);
   }
}

/* With NTV_WIDE_SOURCES, a third word has the swizzle from the ninth component on. */
static inline void
ntv_wire_wide_alu_src(struct ntv_wire *w, uint32_t def, const uint8_t *swizzle, unsigned components)
{
   uint32_t *words = ntv_wire_words(w, 3);
   unsigned i;

   if (!words)
      return;
   words[0] = def;
   words[1] = ntv_wire_swizzle(swizzle, components < 8 ? components : 8);
   words[2] = 0xfedcba98u;
   for (i = 8; i < components; i++)
      words[2] = (words[2] & ~(15u << (4 * i - 32))) | (uint32_t)(swizzle[i] & 15) << (4 * i - 32);
}

/* nir_load_const_instr; ntv_wire_const_value follows for each component. */
static inline uint32_t
ntv_wire_const(struct ntv_wire *w, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_CONST, 0, components, bits), 0);
   return w->num_instrs - 1;
}

/* One word, or two if `bits` is 64. Bits above the width are 0. */
static inline void
ntv_wire_const_value(struct ntv_wire *w, unsigned bits, uint64_t value)
{
   uint32_t *words = ntv_wire_words(w, bits == 64 ? 2 : 1);

   if (!words)
      return;
   words[0] = (uint32_t)value;
   if (bits == 64)
      words[1] = (uint32_t)(value >> 32);
}

enum ntv_deref {
   NTV_DEREF_VAR = 0,
   NTV_DEREF_ARRAY,
   NTV_DEREF_ARRAY_IMM,
   NTV_DEREF_ARRAY_WILDCARD,
   NTV_DEREF_PTR_AS_ARRAY,
   NTV_DEREF_PTR_AS_ARRAY_IMM,
   NTV_DEREF_STRUCT,
   NTV_DEREF_CAST,
};

/* The result of a deref with a parent: the bit size of its one component, its type, and its modes. */
struct ntv_deref_result {
   unsigned bits;
   uint32_t type;
   uint32_t modes; /* enum ntv_mode */
};

/* A record has the type and the modes, then the parent, and two more words, which are 0 if the deref does not need them. A cast
 * has one more word. */
static inline uint32_t
ntv_wire_deref(struct ntv_wire *w, enum ntv_deref kind, struct ntv_deref_result r, uint32_t from, uint32_t a, uint32_t b)
{
   uint32_t *words = ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_DEREF, (uint32_t)kind, 1, r.bits), 5);

   if (words) {
      words[0] = r.type;
      words[1] = r.modes;
      words[2] = from;
      words[3] = a;
      words[4] = b;
   }
   return w->num_instrs - 1;
}

/* A deref of a variable, with the type and mode of the variable: a record with one word. */
static inline uint32_t
ntv_wire_deref_var(struct ntv_wire *w, unsigned bits, uint32_t variable)
{
   uint32_t *words = ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_DEREF_VAR, (uint32_t)NTV_DEREF_VAR, 1, bits), 1);

   if (words)
      words[0] = variable;
   return w->num_instrs - 1;
}

/* An index that is not constant. `kind` is NTV_DEREF_ARRAY or NTV_DEREF_PTR_AS_ARRAY. */
static inline uint32_t
ntv_wire_deref_array(struct ntv_wire *w, enum ntv_deref kind, struct ntv_deref_result r, uint32_t parent, uint32_t index)
{
   return ntv_wire_deref(w, kind, r, parent, index, 0);
}

/* A constant index. `kind` is NTV_DEREF_ARRAY_IMM or NTV_DEREF_PTR_AS_ARRAY_IMM. */
static inline uint32_t
ntv_wire_deref_array_imm(struct ntv_wire *w, enum ntv_deref kind, struct ntv_deref_result r, uint32_t parent, int64_t index)
{
   return ntv_wire_deref(w, kind, r, parent, (uint32_t)index, (uint32_t)((uint64_t)index >> 32));
}

static inline uint32_t
ntv_wire_deref_array_wildcard(struct ntv_wire *w, struct ntv_deref_result r, uint32_t parent)
{
   return ntv_wire_deref(w, NTV_DEREF_ARRAY_WILDCARD, r, parent, 0, 0);
}

static inline uint32_t
ntv_wire_deref_struct(struct ntv_wire *w, struct ntv_deref_result r, uint32_t parent, uint32_t field)
{
   return ntv_wire_deref(w, NTV_DEREF_STRUCT, r, parent, field, 0);
}

static inline uint32_t
ntv_wire_deref_cast(struct ntv_wire *w, struct ntv_deref_result r, uint32_t parent, uint32_t ptr_stride,
                    uint32_t align_mul, uint32_t align_offset)
{
   uint32_t number = ntv_wire_deref(w, NTV_DEREF_CAST, r, parent, ptr_stride, align_mul);
   uint32_t *words = ntv_wire_words(w, 1);

   if (words)
      words[0] = align_offset;
   return number;
}

/*
 * nir_intrinsic_instr. `op` is a number of NTV_TABLE_INTRINSIC. ntv_wire_operand must follow for each source (the number of the
 * value), then for the value of each index: ntv_wire_num_indices values, at the positions that ntv_wire_index returns. The value
 * of an index that the writer does not have is 0. The values are
 *
 *    access, dst_access, src_access    enum ntv_access
 *    atomic_op                         enum ntv_atomic_op
 *    memory_modes                      enum ntv_mode
 *    memory_scope, execution_scope     enum ntv_scope
 *    memory_semantics                  enum ntv_semantics
 *    interp_mode                       enum ntv_interp_mode
 *    image_dim                         enum ntv_dim
 *    image_array                       0 or 1
 *    format                            a number of NTV_TABLE_FORMAT
 *    reduction_op                      a number of NTV_TABLE_ALU
 *    src_type, dest_type               ntv_alu_type()
 *    io_semantics                      ntv_io_semantics()
 *    io_xfb, io_xfb2                   ntv_io_xfb()
 *    any other                         unchanged
 */
static inline uint32_t
ntv_wire_intrinsic(struct ntv_wire *w, uint32_t op, unsigned components, unsigned bits)
{
   ntv_wire_instr(w, ntv_wire_head(NTV_RECORD_INTRINSIC, op, components, bits), 0);
   return w->num_instrs - 1;
}

static inline void
ntv_wire_operand(struct ntv_wire *w, uint32_t word)
{
   uint32_t *words = ntv_wire_words(w, 1);

   if (words)
      words[0] = word;
}

enum ntv_io_flags {
   NTV_IO_EXPLICIT_STRICT = 1 << 0,
   NTV_IO_DUALSRC = 1 << 1,
   NTV_IO_FBFETCH = 1 << 2,
   NTV_IO_COHERENT = 1 << 3,
   NTV_IO_PERVIEW = 1 << 4,
   NTV_IO_MEDIUMP = 1 << 5,
   NTV_IO_HIGH_16BITS = 1 << 6,
   NTV_IO_INVARIANT = 1 << 7,
   NTV_IO_HIGH_DVEC2 = 1 << 8,
   NTV_IO_NO_VARYING = 1 << 9,
   NTV_IO_NO_SYSVAL_OUTPUT = 1 << 10,
};

/* nir_io_semantics. `gs_streams` has two bits for each component. */
static inline uint32_t
ntv_io_semantics(unsigned location, unsigned num_slots, unsigned gs_streams, uint32_t flags)
{
   return (location & 0x7fu) | (uint32_t)(num_slots & 0x3fu) << 7 | (uint32_t)(gs_streams & 0xffu) << 13 | flags << 21;
}

/* nir_io_xfb: number of components, buffer, and offset in units of 4 bytes, of the first and of the second entry. */
static inline uint32_t
ntv_io_xfb(unsigned components0, unsigned buffer0, unsigned offset0, unsigned components1, unsigned buffer1,
           unsigned offset1)
{
   return (components0 & 15u) | (uint32_t)(buffer0 & 15u) << 4 | (uint32_t)(offset0 & 255u) << 8 |
          (uint32_t)(components1 & 15u) << 16 | (uint32_t)(buffer1 & 15u) << 20 | (uint32_t)(offset1 & 255u) << 24;
}

enum ntv_tex_flags {
   NTV_TEX_GATHER_IMPLICIT_LOD = 1 << 0,
   NTV_TEX_TEXTURE_NON_UNIFORM = 1 << 1,
   NTV_TEX_SAMPLER_NON_UNIFORM = 1 << 2,
   NTV_TEX_SPARSE = 1 << 3,
   NTV_TEX_OFFSETS = 1 << 4, /* tg4_offsets are used; set by ntv_wire_tex */
};

/* nir_tex_instr without its sources. Dimensionality, layers and comparison are those of the texture. */
struct ntv_tex {
   enum ntv_tex_op op;
   uint32_t dest_type; /* ntv_alu_type() */
   uint32_t flags;     /* enum ntv_tex_flags */
   uint32_t component; /* gathers */
   uint32_t texture_index;
   uint32_t sampler_index;
   const int8_t (*offsets)[2]; /* gathers: four of them, or NULL */
};

/* ntv_wire_tex_src must follow for each source. The words before the sources are the type, the flags (with the component in bits
 * 8 to 15 and the number of sources in 16 to 23), texture, sampler, and two words of offsets. */
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
      words[4] = 0;
      words[5] = 0;
      for (i = 0; tex->offsets && i < 8; i++)
         words[4 + i / 4] |= (uint32_t)(uint8_t)tex->offsets[i / 2][i % 2] << (8 * (i % 4));
   }
   return w->num_instrs - 1;
}

/* A source: its kind and its value. */
static inline void
ntv_wire_tex_src(struct ntv_wire *w, enum ntv_tex_src kind, uint32_t def)
{
   uint32_t *words = ntv_wire_words(w, 2);

   if (words) {
      words[0] = (uint32_t)kind;
      words[1] = def;
   }
}

/* ==================================================================================================================
 * Part 2: the target
 * ================================================================================================================== */

enum ntv_buffer_access {
   NTV_BUFFER_ACCESS_AUTO = 0, /* one load for all components that are needed of a vec4 */
   NTV_BUFFER_ACCESS_LANE,     /* always one load per 32-bit component */
};

/* The abilities of the Vulkan device. Plain data, which may be copied. Call ntv_target_init before setting fields. */
struct ntv_target {
   uint32_t vulkan_version; /* as VK_MAKE_API_VERSION makes it; the SPIR-V version follows from it */
   uint32_t features[4];    /* ntv_target_enable */
   uint32_t max_uniform_buffer_range;
   uint32_t max_push_constants_size;
   uint32_t indexed_draw_offset; /* byte offset in the push constants of a word that is 0 in draws without indices */
   uint32_t max_draw_buffers;
   enum ntv_buffer_access buffer_access;
   /* A guarantee of the driver, false by default: every range of a uniform buffer that it binds has a multiple of 16 bytes. Then
    * a shader may load a whole vec4 to read a part of it. Without the guarantee the range may end within the vec4, and a device
    * with robust buffer access may return zeros for all of it (Vulkan, "Robust Buffer Access"). */
   bool uniform_ranges_in_vec4s;
   uint32_t workarounds; /* ntv_target_workaround */
};

/* Sets the features and limits that most drivers of this Vulkan version offer. Returns false, without a write, if `target` is
 * NULL or the version is below 1.0; versions above 1.3 are treated as 1.3. */
bool ntv_target_init(struct ntv_target *target, uint32_t vulkan_version);

/* Enables or disables a feature, by Vulkan's name for it: "shaderFloat64". Returns false if there is no such feature, or for
 * NULL. */
bool ntv_target_enable(struct ntv_target *target, const char *feature, bool on);

/* Enables or disables a workaround for a bug of the device's driver, by zink's name for it. None is enabled after
 * ntv_target_init. Returns false if there is no such workaround, or for NULL.
 *
 *    "broken_arbitary_type_const"   constants of NIR are unsigned integers, and OpBitcast converts them to other types */
bool ntv_target_workaround(struct ntv_target *target, const char *workaround, bool on);

/* ==================================================================================================================
 * Part 3: translation
 * ================================================================================================================== */

/* The memory of translations, reused by each. Use one per thread: calls that share a translator wait for each other. */
struct ntv_translator;

/* NULL if memory is short. */
struct ntv_translator *ntv_translator_create(void);

/* NULL is fine. */
void ntv_translator_destroy(struct ntv_translator *translator);

enum ntv_status {
   NTV_OK = 0,
   NTV_ERROR_ARGUMENT,    /* a null pointer, an invalid target, or a key or link that is not possible for the modules */
   NTV_ERROR_MALFORMED,   /* the words are not a wire of this version */
   NTV_ERROR_INVALID,     /* the shader breaks a rule of NIR */
   NTV_ERROR_UNSUPPORTED, /* the target lacks a feature, or ntv cannot do it */
   NTV_ERROR_INTERNAL,    /* a bug of ntv; please report it, unless NTV_OPTION_VALID_NIR was set for invalid NIR */
   NTV_ERROR_MEMORY,      /* the allocator returned NULL */
};

/* The allocator of results. `alloc` returns memory aligned as malloc's, or NULL. `free` may be NULL if the caller frees the
 * memory in another way. Neither may unwind. */
struct ntv_allocator {
   void *(*alloc)(void *user, size_t size);
   void (*free)(void *user, void *memory);
   void *user;
};

enum ntv_option_flags {
   NTV_OPTION_NAMES = 1 << 0,      /* names of variables in the SPIR-V */
   NTV_OPTION_WORDS_ONLY = 1 << 1, /* no bindings, varyings and patches in the result */
   /* The caller guarantees that the shader passes nir_validate_shader: ntv does not check the rules of NIR, which takes a sixth
    * of the time. Shaders that cannot be translated, or need a feature that the target lacks, are still refused. A shader that
    * breaks a rule nevertheless gives any error, including NTV_ERROR_INTERNAL, or invalid SPIR-V; memory stays safe. It may take
    * more time and memory than other shaders. A library with debug assertions always checks. */
   NTV_OPTION_VALID_NIR = 1 << 2,
};

/* How a shader reads a uniform block. */
enum ntv_block_class {
   NTV_BLOCK_UNIFORM = 0,   /* through a uniform buffer */
   NTV_BLOCK_STORAGE,       /* through a storage buffer with the set and binding that the uniform buffer would have */
   NTV_BLOCK_PUSH_CONSTANT, /* in push constants; only for blocks that are read by load_ubo */
};

/* The class and place of a uniform block of a stage, as decided by ntv_plan. Blocks without a placement are uniform buffers. */
struct ntv_placement {
   uint32_t block;       /* its number in the stage: the index of load_ubo, or driver_location plus the index in the array */
   uint32_t block_class; /* enum ntv_block_class */
   uint32_t range;       /* the maximum number of bytes that are bound; 0: the limit of the device */
   uint32_t offset;      /* NTV_BLOCK_PUSH_CONSTANT: its first byte in the push constants, a multiple of 16 */
   /* NTV_BLOCK_STORAGE: the shader clamps dynamic offsets to the bound range, because the device does not. Bound ranges must then
    * have multiples of 16 bytes. */
   bool clamp;
};

/* How captures of transform feedback are written. */
enum ntv_xfb_back_end {
   NTV_XFB_EXTENSION = 0, /* by the device: VK_EXT_transform_feedback */
   NTV_XFB_STORAGE,       /* by the vertex or geometry shader, to storage buffers: needs vertexPipelineStoresAndAtomics */
   NTV_XFB_COMPUTE,       /* by a compute shader with the work of the vertex shader, 64 vertices per workgroup */
};

/* A vertex attribute that the shader fetches itself: VkVertexInputAttributeDescription and the fields of its binding. */
struct ntv_attribute {
   uint32_t location;
   const char *format; /* the name of the VkFormat after VK_FORMAT_: "R32G32_SFLOAT" */
   uint32_t binding;
   uint32_t offset;
   uint32_t stride;
   bool per_instance;
   uint32_t divisor; /* per_instance: instances per element; 0: all instances have the first element */
};

/* How captures are written: see part 6. */
struct ntv_xfb_options {
   uint32_t back_end; /* enum ntv_xfb_back_end */
   /* The set and binding of the first storage buffer; if both are 0, set 3 and NTV_XFB_BUFFER_BINDING. The constants of part 6
    * have the offsets of the bindings of the other buffers. */
   uint32_t set;
   uint32_t binding;
   /* The attributes that a vertex shader fetches itself. With NTV_XFB_STORAGE it fetches them in draws over a list, and only if
    * they are given: otherwise vertex fetch must supply the vertices of the list. */
   const struct ntv_attribute *attributes;
   size_t num_attributes;
   /* NTV_XFB_STORAGE: vertex shaders write the number of the instance to this Location, and geometry shaders that capture read it
    * from there. Otherwise, draws with such geometry shaders must have one instance. */
   bool passes_instance;
   uint32_t instance_location;
};

/* All fields may be 0. Only ntv_translate and ntv_module_create read the fields after the first two. */
struct ntv_options {
   uint32_t flags;
   struct ntv_allocator allocator; /* malloc and free if `alloc` is NULL */
   const struct ntv_placement *placements; /* NULL: all blocks are uniform buffers */
   size_t num_placements;
   const struct ntv_xfb_options *xfb; /* NULL: the device writes captures */
};

enum ntv_descriptor {
   NTV_DESCRIPTOR_UNIFORM_BUFFER = 0,
   NTV_DESCRIPTOR_STORAGE_BUFFER,
   NTV_DESCRIPTOR_COMBINED_IMAGE_SAMPLER,
   NTV_DESCRIPTOR_SAMPLED_IMAGE,
   NTV_DESCRIPTOR_SAMPLER,
   NTV_DESCRIPTOR_UNIFORM_TEXEL_BUFFER,
   NTV_DESCRIPTOR_STORAGE_IMAGE,
   NTV_DESCRIPTOR_STORAGE_TEXEL_BUFFER,
   NTV_DESCRIPTOR_INPUT_ATTACHMENT,
};

/* Descriptors that the module uses. Several variables may use the same descriptor.
 *
 * Reads of the framebuffer by a fragment shader (load_output, variables with NTV_VARIABLE_FB_FETCH_OUTPUT) are input attachments
 * in the set of the default uniforms, 0. Attachment n has the binding 5 + n and the InputAttachmentIndex n: 0 to 7 are the
 * colours, 8 is depth (a float), 9 is stencil (an unsigned integer). The list does not have attachments that the shader does not
 * read. An attachment that is a variable of the shader has the binding and the index of that variable. */
struct ntv_binding {
   uint32_t set;
   uint32_t binding;
   enum ntv_descriptor kind;
   uint32_t count; /* 1 if it is not an array */
   /* Uniform blocks of every class: the least number of bytes of a bound range for which every load of the original NIR is in
    * bounds. 0 if that is not known, and for other descriptors. */
   uint32_t min_range;
};

/* Inputs and outputs that are connected to another stage, the fixed function or a vertex buffer. */
struct ntv_varying {
   bool is_output;
   bool per_patch;   /* tessellation: per patch, not per vertex */
   bool is_removed;  /* ntv_link removed it */
   uint32_t builtin; /* SPIR-V's BuiltIn; NTV_NONE if it has a location */
   uint32_t location;
   uint32_t num_locations;
   uint32_t component; /* of each location, in units of 32 bits */
   uint32_t num_components;
   bool is_captured; /* transform feedback captures it, with the fields below */
   bool is_copy;     /* a copy of a captured built-in, or of a part of one: no other stage reads it */
   uint32_t xfb_buffer;
   uint32_t xfb_stride;
   uint32_t xfb_offset;
};

/* The meaning of a word that may be changed, and of `of` in its patch. */
enum ntv_patch_kind {
   /* `of` is the index in `bindings`. */
   NTV_PATCH_DESCRIPTOR_SET = 0,
   NTV_PATCH_BINDING,
   NTV_PATCH_ARRAY_LENGTH, /* of descriptors; only in modules for links */
   /* `of` is the index in `varyings`. */
   NTV_PATCH_LOCATION,
   NTV_PATCH_COMPONENT,
   NTV_PATCH_INDEX, /* of dual-source blending */
   NTV_PATCH_XFB_BUFFER,
   NTV_PATCH_XFB_STRIDE,
   NTV_PATCH_XFB_OFFSET,
   /* `of` is the number of the specialization constant. */
   NTV_PATCH_SPEC_ID,
   NTV_PATCH_SPEC_VALUE, /* its value unless the pipeline sets another */
   /* `of` is the axis: 0, 1 or 2. */
   NTV_PATCH_LOCAL_SIZE,
   /* `of` is 0. */
   NTV_PATCH_OUTPUT_VERTICES, /* tessellation control: the size of the output patch */
};

/* A word that may be changed: the module stays valid if the new value is valid. A value may be in several words, for example if
 * two variables use one descriptor: change all of them. */
struct ntv_patch {
   uint32_t word; /* words[word] has the current value */
   enum ntv_patch_kind kind;
   uint32_t of;
};

struct ntv_result {
   /* The module; NULL after an error. */
   uint32_t *words;
   size_t num_words;
   /* Tessellation control: words[tcs_vertices_out_word] is the size of the output patch, and may be changed. 0 in other
    * stages. */
   uint32_t tcs_vertices_out_word;
   /* Compute: the size of a workgroup; all 0 if it is made of specialization constants. 0 in other stages. */
   uint32_t workgroup_size[3];
   /* Bindings, each combination of set, binding and kind once, sorted by set and binding. */
   struct ntv_binding *bindings;
   size_t num_bindings;
   /* Inputs and outputs. */
   struct ntv_varying *varyings;
   size_t num_varyings;
   /* Words of the module that may be changed, in order. Empty if the result has no SPIR-V. */
   struct ntv_patch *patches;
   size_t num_patches;
   /* The error messages, a line for each problem; NULL without an error, or if there was no memory for it. */
   char *error;
};

/* Translates the shader in `num_words` words at `wire`. `options` may be NULL. All of `result` is written, unless it is
 * NULL. */
enum ntv_status ntv_translate(struct ntv_translator *translator, const struct ntv_target *target, const uint32_t *wire,
                              size_t num_words, const struct ntv_options *options, struct ntv_result *result);

/* Frees what `result` points to, with the allocator of the same options, and clears it. */
void ntv_result_free(struct ntv_result *result, const struct ntv_options *options);

/* ==================================================================================================================
 * Part 4: emit once, then patch
 *
 * A driver learns late what the other stage reads, and the orientation of a draw on the screen. A module with tables has a list
 * of the words that may be changed or removed, so that links and draws copy slices and write words, and SPIR-V is never parsed:
 *
 *    ntv_module_create()        once for a shader
 *    ntv_link()                 once for a program: removes unused varyings, packs locations, moves descriptors
 *    ntv_program_keys()         for a draw with another key: the part of it for each stage; equal keys have equal words
 *    ntv_module_instantiate()   for a new key: its words
 *
 * Modules do not change, so threads may share them.
 * ================================================================================================================== */

struct ntv_module;

/* Bits of a key: the state of a draw that changes words. `ntv options` prints why, and by which mechanism the other options that
 * a driver learns late are implemented. */
#define NTV_KEY_STRIP UINT64_C(0x1)                /* no names */
#define NTV_KEY_EARLY_FRAGMENT_TESTS UINT64_C(0x2) /* where they change only alpha to coverage */
#define NTV_KEY_NO_CAPTURE UINT64_C(0x4)           /* transform feedback is off */
#define NTV_KEY_SAMPLE_SHADING UINT64_C(0x8)       /* inputs are interpolated at each sample */
#define NTV_KEY_SWAP_XY UINT64_C(0x10)             /* X and Y are swapped, before they are flipped */
#define NTV_KEY_FLIP_X UINT64_C(0x20)
#define NTV_KEY_FLIP_Y UINT64_C(0x40)
#define NTV_KEY_GL_DEPTH UINT64_C(0x80)   /* clip space has depths from -w to w */
#define NTV_KEY_DISCARD UINT64_C(0x100)   /* every vertex is outside of the clip volume */
#define NTV_KEY_POINT_SIZE UINT64_C(0x200) /* a shader without a point size writes 1 */

enum ntv_dither {
   NTV_DITHER_NONE = 0,
   NTV_DITHER_4444,
   NTV_DITHER_5551,
   NTV_DITHER_565,
};

/* The bits that dither colour target `target`, below 8. */
static inline uint64_t
ntv_key_dither(unsigned target, enum ntv_dither format)
{
   return (uint64_t)((unsigned)format & 3u) << (16 + 2 * (target & 7u));
}

/* Plain data without padding: keys are equal if their bytes are. */
struct ntv_key {
   uint64_t bits;
   uint32_t size[2]; /* of the framebuffer in pixels, for a gl_FragCoord that is flipped */
};

/* Translates as ntv_translate does, to a module that supports the bits `offer` and links. ntv_module_instantiate returns its
 * words; `result` has the other data, or the error. `*module` is NULL after an error. */
enum ntv_status ntv_module_create(struct ntv_translator *translator, const struct ntv_target *target, const uint32_t *wire,
                                  size_t num_words, uint64_t offer, struct ntv_module **module,
                                  const struct ntv_options *options, struct ntv_result *result);

/* Loads the words of ntv_module_store; or SPIR-V from elsewhere, which is parsed once to make its tables, and supports
 * NTV_KEY_STRIP and NTV_KEY_NO_CAPTURE. Malformed words are safe, but SPIR-V is not validated. `*module` is NULL after an error.
 * Here and in the functions below that mention it, `result` only receives errors, and may be NULL. */
enum ntv_status ntv_module_load(const uint32_t *words, size_t num_words, struct ntv_module **module,
                                const struct ntv_options *options, struct ntv_result *result);

/* Returns words in `result` that ntv_module_load of this version of the library can load. */
enum ntv_status ntv_module_store(const struct ntv_module *module, const struct ntv_options *options,
                                 struct ntv_result *result);

/* NULL is fine. */
void ntv_module_destroy(struct ntv_module *module);

/* New places of descriptors. */
struct ntv_move {
   uint32_t set;
   uint32_t binding;
   uint32_t new_set;
   uint32_t new_binding;
   uint32_t new_count; /* the new length of an array, beyond all constant indices; 0 to keep the length */
};

/* A new number of a specialization constant. */
struct ntv_spec_id {
   uint32_t id;
   uint32_t new_id;
};

/* A new default value of a specialization constant. */
struct ntv_spec_value {
   uint32_t id; /* its number before the link */
   uint32_t value;
};

/* A number of an input or output: `varying` is its index in `varyings` of the result of the module's creation. */
struct ntv_varying_number {
   uint32_t varying;
   uint32_t number;
};

/* The place of a captured output in transform feedback. */
struct ntv_capture {
   uint32_t varying; /* its index in `varyings` */
   uint32_t buffer;
   uint32_t stride; /* in bytes, like the offset */
   uint32_t offset;
};

/* The driver's decisions about a stage at a link. Fields of 0 change nothing. Moves and specialization constants that the stage
 * does not have are ignored; a varying, a length or a size that cannot be changed is an error. */
struct ntv_link_info {
   const struct ntv_move *moves;
   size_t num_moves;
   const struct ntv_spec_id *spec_ids;
   size_t num_spec_ids;
   const struct ntv_spec_value *spec_values;
   size_t num_spec_values;
   const struct ntv_varying_number *locations; /* by which stages match; between linked stages they are packed afterwards */
   size_t num_locations;
   const struct ntv_varying_number *components; /* of those that do not start at component 0 */
   size_t num_components;
   const struct ntv_varying_number *indices; /* of dual-source blending: 0 or 1 */
   size_t num_indices;
   const struct ntv_capture *captures;
   size_t num_captures;
   uint32_t workgroup_size[3]; /* of a compute shader that neither reads nor specializes it */
   uint32_t patch_vertices;    /* size of the output patch of tessellation control */
};

/* Links stages that follow each other in a pipeline: one or more, in its order. `infos` has one entry for each, or is NULL.
 * Writes the same number of new modules to `linked`, or NULL everywhere after an error; `result` only receives errors, and may be
 * NULL.
 *
 * Links can follow each other, for example a link of a stage alone to move its descriptors, and then a link of all stages: the
 * result is that of a single link with all decisions. The first and the last interface of a link remain open. An interface
 * between two linked stages is final: to link one of them with another stage is an error. */
enum ntv_status ntv_link(const struct ntv_module *const *stages, size_t num_stages, const struct ntv_link_info *infos,
                         struct ntv_module **linked, const struct ntv_options *options, struct ntv_result *result);

/* Writes the part of `key` for each stage, in the order of the pipeline, to `keys`. Variants of equal keys have equal words. A
 * key that is not possible for a stage is an error with the name of the stage; `result` only receives errors, and may be NULL. */
enum ntv_status ntv_program_keys(const struct ntv_module *const *stages, size_t num_stages, const struct ntv_key *key,
                                 struct ntv_key *keys, const struct ntv_options *options, struct ntv_result *result);

/* Writes the most likely keys of draws to `keys`, which has space for `most`, the likeliest first. All have the bits and the size
 * of `always`. Returns the number of keys; 0 for NULL, for stages that no pipeline has, and if `always` is not possible for
 * them. */
size_t ntv_likely_keys(const struct ntv_module *const *stages, size_t num_stages, const struct ntv_key *always,
                       struct ntv_key *keys, size_t most);

/* Returns the words for `key` in `result`, and the descriptors that they use. It is an error if the key has options that the
 * module was not made for, or lacks the size of the framebuffer where words depend on it; the message names them. Options of
 * other stages are ignored. */
enum ntv_status ntv_module_instantiate(const struct ntv_module *module, const struct ntv_key *key,
                                       const struct ntv_options *options, struct ntv_result *result);

/* ==================================================================================================================
 * Part 5: plans
 *
 * Decides which uniform blocks of a program are read through storage buffers or push constants: once for all stages, before they
 * are translated.
 *
 *    ntv_plan_create()       for a program
 *    ntv_plan_add_stage()    for each of its stages
 *    ntv_plan_know_block()   for each block about which the driver knows more than the stages, or whose class it sets
 *    ntv_plan_decide()       by the limits of the device
 *    ntv_plan_blocks()       the blocks to bind, with their classes
 *    ntv_plan_placements()   the placements of a stage for the options of ntv_translate and ntv_module_create
 *
 * Only one thread may use a plan at a time.
 * ================================================================================================================== */

struct ntv_plan;

/* The limits of the device: VkPhysicalDeviceLimits. */
struct ntv_limits {
   uint32_t max_uniform_buffer_range;
   uint32_t max_storage_buffer_range;
   uint32_t max_per_stage_descriptor_uniform_buffers;
   uint32_t max_per_stage_descriptor_storage_buffers;
   uint32_t max_descriptor_set_uniform_buffers;
   uint32_t max_descriptor_set_storage_buffers;
   uint32_t min_uniform_buffer_offset_alignment;
   uint32_t min_storage_buffer_offset_alignment;
   uint32_t max_push_constants_size;
   uint32_t robust_buffer_access; /* 1 if it or robustBufferAccess2 is enabled */
};

/* The driver's requests. Fields of 0 request nothing. */
struct ntv_plan_wishes {
   uint32_t threshold;        /* blocks with this number of dynamically indexed bytes become storage buffers; 0: no threshold */
   uint32_t offset_alignment; /* of ranges, as reported to applications; 0: min_uniform_buffer_offset_alignment */
   uint32_t push_constants_begin; /* the first byte of push constants that is free for blocks, */
   uint32_t push_constants_end;   /* and the end of the free bytes */
   uint32_t other_uniform_buffers; /* of each stage, not for blocks of the program */
   uint32_t other_storage_buffers;
   bool all_in_storage; /* all blocks for which it is possible: for tests */
};

/* The driver's data about a block. */
struct ntv_block {
   uint32_t bytes;   /* its size, GL_UNIFORM_BLOCK_DATA_SIZE; 0 if it is not known */
   bool is_unsized;  /* its size is that of the bound range */
   bool is_at_hand;  /* the driver has its bytes on the CPU when it draws: they can be push constants */
   bool is_asked;    /* the driver sets its class: */
   uint32_t block_class;
   uint32_t offset; /* NTV_BLOCK_PUSH_CONSTANT: its first byte there */
};

enum ntv_plan_reason {
   NTV_PLAN_FITS = 0,       /* there is no reason for another class */
   NTV_PLAN_RANGE,          /* it is larger than a uniform buffer may be */
   NTV_PLAN_UNSIZED,        /* its size is that of the bound range */
   NTV_PLAN_DESCRIPTORS,    /* more uniform buffers than the limit */
   NTV_PLAN_THRESHOLD,      /* enough of it is indexed dynamically */
   NTV_PLAN_ANGLE,          /* ANGLE's rule */
   NTV_PLAN_ASKED,          /* the driver has set it */
   NTV_PLAN_PUSH_CONSTANTS, /* it fits into push constants */
   NTV_PLAN_ARRAY,          /* it shares an array with a block that needs the class */
};

/* The decision about a block. The texts are valid until the plan is decided again or destroyed. */
struct ntv_planned {
   const char *name;
   const char *why; /* a sentence */
   uint32_t block_class;
   uint32_t offset; /* NTV_BLOCK_PUSH_CONSTANT: its first byte there */
   enum ntv_plan_reason reason;
   uint32_t buffer_usage;     /* VkBufferUsageFlags that its buffer needs; 0 for push constants */
   uint32_t access;           /* VkAccessFlags of the shaders' reads; 0 for push constants */
   uint32_t offset_alignment; /* of the bound range */
   uint32_t range;            /* the minimum size of the bound range in bytes */
   uint32_t dynamic_bytes;    /* the number of dynamically indexed bytes */
   bool clamp;                /* shaders clamp dynamic offsets to the range */
};

/* NULL if memory is short. */
struct ntv_plan *ntv_plan_create(void);

/* NULL is fine. */
void ntv_plan_destroy(struct ntv_plan *plan);

/* Adds a stage: the shader in `num_words` words at `wire`. `names[n]` is the program's name for the stage's block n; blocks with
 * equal names are one block. NULL, as an entry or for `names`, means "ubo<n>"; or, for a block 0 with the stage's loose uniforms,
 * a name that is unique to the stage. In this function and the next two, `result` only receives errors, and may be NULL. */
enum ntv_status ntv_plan_add_stage(struct ntv_plan *plan, const uint32_t *wire, size_t num_words, const char *const *names,
                                   size_t num_names, const struct ntv_options *options, struct ntv_result *result);

/* Sets the driver's data about a block. */
enum ntv_status ntv_plan_know_block(struct ntv_plan *plan, const char *name, const struct ntv_block *block,
                                    const struct ntv_options *options, struct ntv_result *result);

/* Decides the classes of all blocks. NTV_ERROR_UNSUPPORTED, with the reason, if no classes of the blocks fit the device. */
enum ntv_status ntv_plan_decide(struct ntv_plan *plan, const struct ntv_limits *limits, const struct ntv_plan_wishes *wishes,
                                const struct ntv_options *options, struct ntv_result *result);

/* Writes the first `most` blocks, sorted by name, and returns the number of all blocks. It is 0 before ntv_plan_decide. */
size_t ntv_plan_blocks(const struct ntv_plan *plan, struct ntv_planned *blocks, size_t most);

/* Writes the first `most` placements of a stage, and returns the number of all. */
size_t ntv_plan_placements(const struct ntv_plan *plan, enum ntv_stage stage, struct ntv_placement *placements, size_t most);

/* ==================================================================================================================
 * Part 6: transform feedback without VK_EXT_transform_feedback
 *
 * Shaders that write captures themselves (struct ntv_xfb_options) read the parameters of each draw from a storage buffer. One
 * module is enough for all topologies, and for draws that capture nothing. The storage buffers of such a shader are, as offsets
 * from the first binding:
 *
 *    0 to 3   the transform feedback buffers; only those that the shader captures to
 *    4        the words of struct ntv_xfb_state
 *    5        the list of vertices of a draw with indices, for vertex shaders
 *    6        the counts of geometry shaders
 *    7, 8...  vertex buffers that the shader fetches from itself
 *
 * A draw with indices is replaced by one without indices over a list: see ntv_emission_list(). Its vertex i is entry i of the
 * list.
 *
 * A geometry shader writes to scratch buffers instead of the transform feedback buffers. Its invocation
 *
 *    n = (instance * primitives + gl_PrimitiveIDIn) * invocations + gl_InvocationID
 *
 * writes the number of its primitives of a stream to counts[4 * n + stream]; invocations that do not run leave the old values,
 * and those without a count in the bound range write nothing. Vertex `corner` of its primitive p begins at word ((n * most + p) *
 * corners + corner) * stride of each scratch buffer, where `most` is ntv_topology_primitives() of its output topology and
 * max_vertices. The driver then copies the primitives, one after the other, to the transform feedback buffers.
 *
 * The device can do the counting, the lists and the copy: ntv has compute shaders for them, which the command `ntv compile`
 * translates to SPIR-V. `ntv::capture::kernels`, in the documentation of the library, describes their use.
 * ================================================================================================================== */

#define NTV_XFB_BUFFER_BINDING 64u /* the default binding of the first buffer */

/* The number of words of a state, and the offsets of bindings from the first. */
#define NTV_XFB_STATE_WORDS 24u
#define NTV_XFB_STATE_BINDING 4u

#define NTV_XFB_LIST_BINDING 5u
#define NTV_XFB_COUNTS_BINDING 6u
#define NTV_XFB_VERTEX_BUFFER_BINDING 7u

/* The topology of primitives: the numbers are those of GL and of Mesa's enum mesa_prim. */
enum ntv_topology {
   NTV_TOPOLOGY_POINTS = 0,
   NTV_TOPOLOGY_LINES,
   NTV_TOPOLOGY_LINE_LOOP,
   NTV_TOPOLOGY_LINE_STRIP,
   NTV_TOPOLOGY_TRIANGLES,
   NTV_TOPOLOGY_TRIANGLE_STRIP,
   NTV_TOPOLOGY_TRIANGLE_FAN,
};

/* The parameters of a draw for a shader that writes captures itself. */
struct ntv_xfb_state {
   bool is_active;         /* transform feedback is active and not paused; otherwise the other fields do not matter */
   bool only_counts;       /* geometry shaders, if it is not active: counts are written, but nothing is captured */
   bool first_provokes;    /* the first vertex of a primitive is the provoking vertex, as in Vulkan; the last is GL's */
   uint32_t topology;      /* enum ntv_topology; for geometry shaders any with as many primitives as the input, or more */
   uint32_t first_vertex;  /* firstVertex of the draw */
   uint32_t vertices;      /* number of vertices of an instance */
   uint32_t first_instance;
   uint32_t instances;
   uint32_t draw;               /* gl_DrawID, for NTV_XFB_COMPUTE */
   uint32_t primitives_before;  /* number captured since transform feedback began */
   uint32_t primitives_most;    /* number that fits into the buffers, including primitives_before */
   uint32_t first_words[4];     /* words from the start of a bound range to the place of the captures */
   bool has_list;               /* the draw is over a list: */
   uint32_t list_first_word;    /* words from the start of the bound range to the list */
   uint32_t base_vertex;        /* vertexOffset of the draw with indices: gl_BaseVertex */
};

/* Writes the words that the shader reads. Returns false, without a write, if a pointer is NULL or the topology is unknown. */
bool ntv_xfb_state_words(const struct ntv_xfb_state *state, uint32_t words[NTV_XFB_STATE_WORDS]);

/* The number of primitives of an instance with this number of vertices; 0 if the topology is unknown. */
uint32_t ntv_topology_primitives(uint32_t topology, uint32_t vertices);

/* The number of vertices of a captured primitive; 0 if the topology is unknown. */
uint32_t ntv_topology_vertices_per_primitive(uint32_t topology);

/* The indices that a draw of `num_indices` indices captures, as a list of points, lines or triangles in their order; `restart`,
 * if not NULL, is the primitive restart index. Writes the first `most` of them, and returns the number of all. */
size_t ntv_emission_list(uint32_t topology, bool first_provokes, const uint32_t *indices, size_t num_indices,
                         const uint32_t *restart, uint32_t *list, size_t most);

/* ================================================================================================================== */

/* Version of the library: "0.1.0". */
const char *ntv_version(void);

/* NTV_WIRE_VERSION of the library. It differs from that of this header if an older or newer library is loaded. */
uint32_t ntv_wire_version(void);

#ifdef __cplusplus
}
#endif

#endif /* NTV_H */
