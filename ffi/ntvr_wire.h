/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Writes a NIR shader as words, a wire, for the functions of ntvr.h. C11 or C++17. docs/formats.md describes the words.
 *
 * Types, variables, blocks and instructions are each numbered from 0 in the order in which they are written. Functions that write
 * one return its number; a reference is only valid to an earlier object, except for the sources of phis. An SSA value has the
 * number of its instruction: a writer can keep it in nir_instr::index. The order is
 *
 *    header of the shader      ntvr_wire_begin, ntvr_wire_info, ntvr_wire_info_text, ntvr_wire_directive
 *    types and variables       ntvr_wire_type*, ntvr_wire_variable
 *    control flow              ntvr_wire_block, ntvr_wire_if, ntvr_wire_control
 *    instructions of a block   ntvr_wire_alu, ntvr_wire_intrinsic, ...
 *    the end                   ntvr_wire_end
 *
 * The parts of an object, such as the sources after ntvr_wire_alu, must follow it directly. Functions that write do not fail: after
 * a failed allocation they have no effect, and ntvr_wire_end returns false.
 */

#ifndef NTVR_WIRE_H
#define NTVR_WIRE_H

#include "ntvr.h"

#include <stdlib.h>

#ifndef NTVR_REALLOC /* the allocation functions of wires */
#define NTVR_REALLOC realloc
#define NTVR_FREE free
#endif

#define NTVR_WIRE_MAGIC 0x5756544eu /* "NTVW" in a file */

/* The writer maps Mesa's enumerations to these. nir_variable_mode: a variable has one, a deref or a barrier may have several. */
enum ntvr_mode {
   NTVR_MODE_SYSTEM = 1 << 0, NTVR_MODE_UNIFORM = 1 << 1, NTVR_MODE_SHADER_IN = 1 << 2, NTVR_MODE_SHADER_OUT = 1 << 3,
   NTVR_MODE_IMAGE = 1 << 4, NTVR_MODE_UBO = 1 << 5, NTVR_MODE_PUSH_CONST = 1 << 6, NTVR_MODE_SSBO = 1 << 7,
   NTVR_MODE_CONSTANT = 1 << 8, NTVR_MODE_TASK_PAYLOAD = 1 << 9, NTVR_MODE_SHADER_TEMP = 1 << 10,
   NTVR_MODE_FUNCTION_TEMP = 1 << 11, NTVR_MODE_SHARED = 1 << 12, NTVR_MODE_GLOBAL = 1 << 13,
};
enum ntvr_access { /* gl_access_qualifier */
   NTVR_ACCESS_COHERENT = 1 << 0, NTVR_ACCESS_RESTRICT = 1 << 1, NTVR_ACCESS_VOLATILE = 1 << 2, NTVR_ACCESS_WRITEONLY = 1 << 3,
   NTVR_ACCESS_READONLY = 1 << 4, NTVR_ACCESS_NON_UNIFORM = 1 << 5, NTVR_ACCESS_REORDERABLE = 1 << 6,
   NTVR_ACCESS_NON_TEMPORAL = 1 << 7, NTVR_ACCESS_INCLUDE_HELPERS = 1 << 8, NTVR_ACCESS_IS_SWIZZLED_AMD = 1 << 9,
   NTVR_ACCESS_USES_FORMAT_AMD = 1 << 10, NTVR_ACCESS_FMASK_LOWERED_AMD = 1 << 11, NTVR_ACCESS_SPECULATABLE = 1 << 12,
   NTVR_ACCESS_CP_GE_COHERENT_AMD = 1 << 13, NTVR_ACCESS_IN_BOUNDS_AGX = 1 << 14, NTVR_ACCESS_KEEP_SCALAR = 1 << 15,
   NTVR_ACCESS_SMEM_AMD = 1 << 16, NTVR_ACCESS_ATOMIC = 1 << 17,
};
enum ntvr_atomic_op { /* nir_atomic_op */
   NTVR_ATOMIC_OP_IADD = 0, NTVR_ATOMIC_OP_IMIN, NTVR_ATOMIC_OP_UMIN, NTVR_ATOMIC_OP_IMAX, NTVR_ATOMIC_OP_UMAX, NTVR_ATOMIC_OP_IAND,
   NTVR_ATOMIC_OP_IOR, NTVR_ATOMIC_OP_IXOR, NTVR_ATOMIC_OP_XCHG, NTVR_ATOMIC_OP_FADD, NTVR_ATOMIC_OP_FMIN, NTVR_ATOMIC_OP_FMAX,
   NTVR_ATOMIC_OP_CMPXCHG, NTVR_ATOMIC_OP_FCMPXCHG, NTVR_ATOMIC_OP_INC_WRAP, NTVR_ATOMIC_OP_DEC_WRAP,
};
enum ntvr_scope { /* mesa_scope */
   NTVR_SCOPE_NONE = 0, NTVR_SCOPE_INVOCATION, NTVR_SCOPE_SUBGROUP, NTVR_SCOPE_SHADER_CALL, NTVR_SCOPE_WORKGROUP,
   NTVR_SCOPE_QUEUE_FAMILY, NTVR_SCOPE_DEVICE,
};
enum ntvr_semantics { /* nir_memory_semantics */
   NTVR_SEMANTICS_ACQUIRE = 1 << 0, NTVR_SEMANTICS_RELEASE = 1 << 1, NTVR_SEMANTICS_MAKE_AVAILABLE = 1 << 2,
   NTVR_SEMANTICS_MAKE_VISIBLE = 1 << 3,
};
enum ntvr_interp_mode { /* glsl_interp_mode */
   NTVR_INTERP_MODE_NONE = 0, NTVR_INTERP_MODE_SMOOTH, NTVR_INTERP_MODE_FLAT, NTVR_INTERP_MODE_NOPERSPECTIVE,
   NTVR_INTERP_MODE_EXPLICIT,
};
enum ntvr_precision { NTVR_PRECISION_NONE = 0, NTVR_PRECISION_HIGH, NTVR_PRECISION_MEDIUM, NTVR_PRECISION_LOW }; /* GLSL_PRECISION_* */
enum ntvr_dim { /* glsl_sampler_dim */
   NTVR_DIM_1D = 0, NTVR_DIM_2D, NTVR_DIM_3D, NTVR_DIM_CUBE, NTVR_DIM_RECT, NTVR_DIM_BUF, NTVR_DIM_EXTERNAL, NTVR_DIM_MS,
   NTVR_DIM_SUBPASS, NTVR_DIM_SUBPASS_MS,
};

/* Vulkan's VkDescriptorType. */
enum ntvr_desc_type {
   NTVR_DESC_TYPE_SAMPLER = 0,
   NTVR_DESC_TYPE_COMBINED_IMAGE_SAMPLER,
   NTVR_DESC_TYPE_SAMPLED_IMAGE,
   NTVR_DESC_TYPE_STORAGE_IMAGE,
   NTVR_DESC_TYPE_UNIFORM_TEXEL_BUFFER,
   NTVR_DESC_TYPE_STORAGE_TEXEL_BUFFER,
   NTVR_DESC_TYPE_UNIFORM_BUFFER, /* also with a dynamic offset */
   NTVR_DESC_TYPE_STORAGE_BUFFER,
   NTVR_DESC_TYPE_INPUT_ATTACHMENT,
   NTVR_DESC_TYPE_INLINE_UNIFORM_BLOCK,
   NTVR_DESC_TYPE_ACCELERATION_STRUCTURE,
};
enum ntvr_tex_op { /* nir_texop */
   NTVR_TEX_OP_TEX = 0, NTVR_TEX_OP_TXB, NTVR_TEX_OP_TXL, NTVR_TEX_OP_TXD, NTVR_TEX_OP_TXF, NTVR_TEX_OP_TXF_MS, NTVR_TEX_OP_TXS,
   NTVR_TEX_OP_LOD, NTVR_TEX_OP_TG4, NTVR_TEX_OP_QUERY_LEVELS, NTVR_TEX_OP_TEXTURE_SAMPLES, NTVR_TEX_OP_SAMPLES_IDENTICAL,
};
enum ntvr_tex_src { /* nir_tex_src_type */
   NTVR_TEX_SRC_COORD = 0, NTVR_TEX_SRC_PROJECTOR, NTVR_TEX_SRC_COMPARATOR, NTVR_TEX_SRC_OFFSET, NTVR_TEX_SRC_BIAS, NTVR_TEX_SRC_LOD,
   NTVR_TEX_SRC_MIN_LOD, NTVR_TEX_SRC_MS_INDEX, NTVR_TEX_SRC_DDX, NTVR_TEX_SRC_DDY, NTVR_TEX_SRC_TEXTURE_DEREF,
   NTVR_TEX_SRC_SAMPLER_DEREF, NTVR_TEX_SRC_TEXTURE_OFFSET, NTVR_TEX_SRC_SAMPLER_OFFSET, NTVR_TEX_SRC_TEXTURE_HANDLE,
   NTVR_TEX_SRC_SAMPLER_HANDLE, NTVR_TEX_SRC_PLANE, NTVR_TEX_SRC_BACKEND1, NTVR_TEX_SRC_BACKEND2,
   NTVR_TEX_SRC_SAMPLER_DEREF_INTRINSIC, NTVR_TEX_SRC_TEXTURE_DEREF_INTRINSIC,
};
enum ntvr_hint { /* nir_selection_control */
   NTVR_HINT_NONE = 0, NTVR_HINT_FLATTEN, NTVR_HINT_DONT_FLATTEN, NTVR_HINT_DIVERGENT_ALWAYS_TAKEN,
};

/* float_controls, for 16-bit floats. The next bit of each is for 32 bits, and the one after it for 64. */
enum ntvr_float_controls {
   NTVR_FLOAT_SIGNED_ZERO_PRESERVE = 1 << 0, NTVR_FLOAT_INF_PRESERVE = 1 << 3, NTVR_FLOAT_NAN_PRESERVE = 1 << 6,
   NTVR_FLOAT_DENORM_PRESERVE = 1 << 9, NTVR_FLOAT_DENORM_FLUSH_TO_ZERO = 1 << 12, NTVR_FLOAT_ROUNDING_MODE_RTE = 1 << 15,
   NTVR_FLOAT_ROUNDING_MODE_RTZ = 1 << 18,
};
enum ntvr_base { NTVR_BASE_BOOL = 0, NTVR_BASE_INT, NTVR_BASE_UINT, NTVR_BASE_FLOAT }; /* nir_alu_type without its size */

/* nir_alu_type; 0 for nir_type_invalid. `bits` is 0 for "any", 1, 8, 16, 32 or 64. */
static inline uint32_t
ntvr_alu_type(enum ntvr_base base, unsigned bits)
{
   return (uint32_t)base << 8 | bits;
}

/* A wire that is being written. All bytes are 0 at first. Its memory can be used for many shaders, one after the other. */
struct ntvr_wire {
   uint32_t *words;
   size_t len;      /* number of words of the wire; 0 before ntvr_wire_end */
   size_t written;  /* number of words written */
   size_t capacity; /* number of words allocated */
   uint32_t num_types, num_variables, num_blocks, num_instrs; /* each is the number of the next one */
   bool failed; /* an allocation failed */
};

static inline void
ntvr_wire_fini(struct ntvr_wire *w)
{
   NTVR_FREE(w->words);
   memset(w, 0, sizeof(*w));
}

/* Allocates space for `count` more words. Called only if the buffer is too small. */
#ifdef __GNUC__
__attribute__((cold, noinline, unused))
#endif
static bool
ntvr_wire_grow(struct ntvr_wire *w, size_t count)
{
   const size_t most = SIZE_MAX / 64;
   bool fits = !w->failed && w->written <= most && count <= most;
   size_t capacity = 2 * (w->written + count) + 4096;
   uint32_t *words = fits ? (uint32_t *)NTVR_REALLOC(w->words, capacity * sizeof(*words)) : NULL;

   w->failed = !words;
   w->words = words ? words : w->words;
   w->capacity = words ? capacity : w->written; /* a failure prevents all further writes */
   return words != NULL;
}

/* Reserves `count` words and counts them as written. The caller must write them before anything else. NULL if memory is short. */
static inline uint32_t *
ntvr_wire_words(struct ntvr_wire *w, size_t count)
{
   size_t written = w->written;

   if (count > w->capacity - written && !ntvr_wire_grow(w, count))
      return NULL;
   w->written = written + count;
   return w->words + written;
}

/* GCC turns this loop into stores without the caller's array, which memcpy would read from the stack. */
static inline void
ntvr_wire_copy(struct ntvr_wire *w, const uint32_t *from, size_t count)
{
   uint32_t *words = ntvr_wire_words(w, count);
   size_t i;

   if (!words)
      return;
   for (i = 0; i < count; i++)
      words[i] = from[i];
}

/* Writes the arguments after `w`, a word each. */
#define NTVR_WIRE_WRITE(w, ...)                                                \
   do {                                                                        \
      const uint32_t ntvr_words[] = {__VA_ARGS__};                             \
      ntvr_wire_copy(w, ntvr_words, sizeof(ntvr_words) / sizeof(*ntvr_words)); \
   } while (0)

static inline void
ntvr_wire_operand(struct ntvr_wire *w, uint32_t word)
{
   ntvr_wire_copy(w, &word, 1);
}

/* Writes the number of bytes of a string, then the bytes, padded to whole words: the first byte of a word is in its lowest bits, in
 * either byte order of the machine. NULL is the empty string. */
static inline void
ntvr_wire_text(struct ntvr_wire *w, const char *text)
{
   size_t bytes = text ? strlen(text) : 0, count = bytes / 4 + (bytes % 4 != 0);
   uint32_t *words = ntvr_wire_words(w, 1 + count);
   size_t i;

   if (!words)
      return;
   memset(words, 0, (1 + count) * sizeof(*words));
   words[0] = (uint32_t)bytes;
   for (i = 0; i < bytes; i++)
      words[1 + i / 4] |= (uint32_t)(uint8_t)text[i] << 8 * (i % 4);
}

/* The kind of a record: the lowest four bits of its first word. */
enum ntvr_record {
   NTVR_RECORD_ALU = 0, NTVR_RECORD_INTRINSIC, NTVR_RECORD_CONST, NTVR_RECORD_DEREF_VAR, NTVR_RECORD_DEREF, NTVR_RECORD_TEX,
   NTVR_RECORD_PLAIN, NTVR_RECORD_CONTROL, NTVR_RECORD_TYPE, NTVR_RECORD_VARIABLE, NTVR_RECORD_VARIABLE_TYPE, NTVR_RECORD_PHI_SRC,
   NTVR_RECORD_DIRECTIVE, NTVR_RECORD_FACT, NTVR_RECORD_NAME, NTVR_RECORD_MATH,
};

/* A first word. `components` and `bits` are the shape of the result of an instruction; without a result, both are 0. */
static inline uint32_t
ntvr_wire_head(enum ntvr_record record, uint32_t op, unsigned components, unsigned bits)
{
   return (uint32_t)record | op << 4 | components << 16 | bits << 21;
}

/* The fields that most shaders set. */
struct ntvr_shader {
   enum ntvr_stage stage;
   uint32_t workgroup_size[3]; /* compute, task and mesh shaders only */
   bool workgroup_size_variable, first_ubo_is_default_ubo;
   uint32_t next_stage; /* enum ntvr_stage, NTVR_NONE if not known */
   uint32_t num_textures, num_ubos, num_ssbos, num_images;
   uint32_t float_controls_execution_mode; /* enum ntvr_float_controls */
   uint32_t shared_size;
   uint32_t derivative_group; /* 1 quads, 2 linear */
   uint32_t depth_layout;     /* 1 any, 2 greater, 3 less, 4 unchanged */
   const char *entry;         /* name of the entry point, NULL for "main" */
   const char *source_hash, *name, *label; /* may be NULL */
};

/* Starts a wire. The old contents of the buffer are discarded, its memory is reused. */
static inline void
ntvr_wire_begin(struct ntvr_wire *w, const struct ntvr_shader *shader)
{
   const char *names[] = {shader->entry, shader->source_hash, shader->name, shader->label};
   const uint32_t *size = shader->workgroup_size;
   uint32_t i, flags = (uint32_t)shader->stage | (shader->next_stage & 0xff) << 8 |
                       (uint32_t)shader->workgroup_size_variable << 16 | (uint32_t)shader->first_ubo_is_default_ubo << 17;

   w->len = w->written = 0;
   w->num_types = w->num_variables = w->num_blocks = w->num_instrs = 0;
   w->failed = false;
   /* ntvr_wire_end writes the numbers of words and of instructions. */
   NTVR_WIRE_WRITE(w, NTVR_WIRE_MAGIC, NTVR_WIRE_VERSION, 0, 0, flags, size[0], size[1], size[2], shader->num_textures,
                   shader->num_ubos, shader->num_ssbos, shader->num_images, shader->float_controls_execution_mode,
                   shader->shared_size, shader->derivative_group, shader->depth_layout);
   for (i = 0; i < 4; i++) {
      if (names[i]) {
         ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_NAME, i, 0, 0));
         ntvr_wire_text(w, names[i]);
      }
   }
}

/* Ends a wire. Nothing may be written after it. Returns false if memory was short: then there is no wire. */
static inline bool
ntvr_wire_end(struct ntvr_wire *w)
{
   w->failed |= w->written >= NTVR_NONE / 4;
   if (w->failed)
      return false;
   w->words[2] = (uint32_t)w->written;
   w->words[3] = w->num_instrs;
   w->len = w->written;
   return true;
}

/* Fields of shader_info and nir_shader that few shaders set. A field that is not written is 0, and a flag is 0 or 1. */
enum ntvr_info_field {
   /* Four words: ntvr_wire_operand must follow for the other three. System values have the numbers of Mesa 25.0. */
   NTVR_INFO_INPUTS_READ = 6, NTVR_INFO_OUTPUTS_WRITTEN = 8, NTVR_INFO_OUTPUTS_READ = 9, NTVR_INFO_SYSTEM_VALUES_READ = 10,
   NTVR_INFO_XFB_STRIDE = 37, NTVR_INFO_INLINABLE_UNIFORM_DW_OFFSETS = 38,
   /* ntvr_wire_info_text: "POINTS", "LINES", "LINE_STRIP", "TRIANGLES", "TRIANGLE_STRIP", "LINES_ADJACENCY", ... */
   NTVR_INFO_OUTPUT_PRIMITIVE = 65, NTVR_INFO_INPUT_PRIMITIVE = 66,
   NTVR_INFO_COLOR0_INTERP = 90, NTVR_INFO_COLOR1_INTERP = 93, /* ntvr_wire_info_text: "INTERP_MODE_FLAT", ... */
   NTVR_INFO_PRIMITIVE_MODE = 57, /* 1 triangles, 2 quads, 3 isolines */
   NTVR_INFO_SPACING = 59,        /* 1 equal, 2 fractional odd, 3 fractional even */
   NTVR_INFO_PATCH_INPUTS_READ = 19, NTVR_INFO_PATCH_OUTPUTS_WRITTEN = 20, NTVR_INFO_PATCH_OUTPUTS_READ = 21,
   NTVR_INFO_CLIP_DISTANCE_ARRAY_SIZE = 40, NTVR_INFO_CULL_DISTANCE_ARRAY_SIZE = 41, NTVR_INFO_SEPARATE_SHADER = 47,
   NTVR_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS = 48, NTVR_INFO_IO_LOWERED = 50, NTVR_INFO_WRITES_MEMORY = 51,
   NTVR_INFO_WINDOW_SPACE_POSITION = 55, NTVR_INFO_TCS_VERTICES_OUT = 58, NTVR_INFO_CCW = 60, NTVR_INFO_POINT_MODE = 61,
   NTVR_INFO_VERTICES_OUT = 67, NTVR_INFO_INVOCATIONS = 68, NTVR_INFO_VERTICES_IN = 69, NTVR_INFO_USES_END_PRIMITIVE = 70,
   NTVR_INFO_ACTIVE_STREAM_MASK = 71, NTVR_INFO_USES_DISCARD = 72, NTVR_INFO_USES_FBFETCH_OUTPUT = 73,
   NTVR_INFO_COLOR_IS_DUAL_SOURCE = 74, NTVR_INFO_USES_SAMPLE_QUALIFIER = 77, NTVR_INFO_USES_SAMPLE_SHADING = 78,
   NTVR_INFO_EARLY_FRAGMENT_TESTS = 79, NTVR_INFO_INNER_COVERAGE = 80, NTVR_INFO_POST_DEPTH_COVERAGE = 81,
   NTVR_INFO_PIXEL_CENTER_INTEGER = 82, NTVR_INFO_ORIGIN_UPPER_LEFT = 83, NTVR_INFO_PIXEL_INTERLOCK_ORDERED = 84,
   NTVR_INFO_PIXEL_INTERLOCK_UNORDERED = 85, NTVR_INFO_SAMPLE_INTERLOCK_ORDERED = 86, NTVR_INFO_SAMPLE_INTERLOCK_UNORDERED = 87,
   NTVR_INFO_COLOR0_SAMPLE = 91, NTVR_INFO_COLOR0_CENTROID = 92, NTVR_INFO_COLOR1_SAMPLE = 94, NTVR_INFO_COLOR1_CENTROID = 95,
   NTVR_INFO_PTR_SIZE = 99, NTVR_INFO_SCRATCH = 103, NTVR_INFO_NUM_INLINABLE_UNIFORMS = 39,
   NTVR_INFO_TASK_PAYLOAD_SIZE = 105, /* in bytes; of task and mesh shaders */
   NTVR_INFO_MAX_VERTICES_OUT = 107, NTVR_INFO_MAX_PRIMITIVES_OUT = 108, /* of mesh shaders */
   NTVR_INFO_PRIMITIVE_TYPE = 109, /* ntvr_wire_info_text: "POINTS", "LINES", "TRIANGLES" */
};

static inline void
ntvr_wire_info(struct ntvr_wire *w, enum ntvr_info_field field, uint32_t value)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_FACT, field, 0, 0), value);
}

static inline void
ntvr_wire_info_text(struct ntvr_wire *w, enum ntvr_info_field field, const char *text)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_FACT, field, 0, 0));
   ntvr_wire_text(w, text);
}

/* Data that NIR does not have but a reader needs. Strings are only for ntv. */
enum ntvr_directive {
   /* The units of offsets of shared and scratch memory: bytes, or elements if the driver has divided them. The default is elements
    * in shaders that access their buffers through derefs, and bytes in others. */
   NTVR_DIRECTIVE_SHARED_OFFSET_UNITS = 0,
   NTVR_DIRECTIVE_LOCATIONS, /* driver_location of inputs and outputs: SPIR-V's Location (the default), or not assigned: enum ntvr_locations */
   NTVR_DIRECTIVE_VARIABLE_SHARED_MEMORY, /* cs.has_variable_shared_mem, 0 or 1: the pipeline adds to the shared memory */
   NTVR_DIRECTIVE_STRUCT,                 /* a string that is kept for printing */
   NTVR_DIRECTIVE_FRAMEBUFFER,            /* the framebuffer that a shader reads; with several samples it runs per sample */
   NTVR_DIRECTIVE_UNIFORM_BLOCKS,         /* the declaration of uniform blocks without variables: enum ntvr_blocks */
   NTVR_DIRECTIVE_STORAGE_BLOCKS,         /* the same for storage blocks: NTVR_BLOCKS_ARRAY */
   NTVR_DIRECTIVE_XFB,                    /* a string with the captures of transform feedback of a slot */
};
enum ntvr_offset_units { NTVR_OFFSET_UNITS_BYTES = 0, NTVR_OFFSET_UNITS_ELEMENTS };
enum ntvr_locations {
   NTVR_LOCATIONS_DECLARED = 0,
   NTVR_LOCATIONS_SLOTS, /* a rule assigns Locations */
   NTVR_LOCATIONS_SPIRV, /* those of a module that was read: slot VAR1 is Location 1 */
};
enum ntvr_framebuffer { NTVR_FRAMEBUFFER_SINGLE_SAMPLE = 0, NTVR_FRAMEBUFFER_MULTISAMPLE };
enum ntvr_blocks {
   NTVR_BLOCKS_ARRAY = 0, /* all as one array */
};

static inline void
ntvr_wire_directive(struct ntvr_wire *w, enum ntvr_directive key, uint32_t value)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_DIRECTIVE, key, 0, 0), value);
}

enum ntvr_type_flags {
   NTVR_TYPE_ARRAYED = 1 << 0, /* has layers */
   NTVR_TYPE_SHADOW = 1 << 1,  /* has a comparison */
   NTVR_TYPE_BARE = 1 << 2,    /* a texture without a sampler: texture2D */
};

/* The kind of a type, with the words that follow it. `texel` is the ntvr_alu_type of a component of a texel: 32 bits, or 64. */
enum ntvr_type {
   NTVR_TYPE_VOID = 0,
   NTVR_TYPE_VECTOR,      /* ntvr_alu_type, number of components: also a scalar; booleans have 1 bit; stride of components or 0 */
   NTVR_TYPE_MATRIX,      /* bits, columns, rows; of floats; one with an explicit layout is an array of columns */
   NTVR_TYPE_ARRAY,       /* type of an element, length, stride; NTVR_NONE: no length; stride 0: no explicit layout */
   NTVR_TYPE_STRUCT,      /* ntvr_wire_type_struct */
   NTVR_TYPE_SAMPLER,     /* 1 with a comparison, otherwise 0: a sampler without a texture */
   NTVR_TYPE_TEXTURE,     /* enum ntvr_dim, enum ntvr_type_flags, texel: a texture with or without a sampler */
   NTVR_TYPE_IMAGE,       /* enum ntvr_dim, NTVR_TYPE_ARRAYED or 0, texel: a storage image or input attachment */
   NTVR_TYPE_ATOMIC_UINT,
};

/* Words that the kind does not have are 0. Equal types may be written once or several times. */
static inline uint32_t
ntvr_wire_type(struct ntvr_wire *w, enum ntvr_type kind, uint32_t a, uint32_t b, uint32_t c)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_TYPE, kind, 0, 0), a, b, c);
   return w->num_types++;
}

/* A struct or interface block, which is a new type each time. ntvr_wire_type_field must follow for each of its members. */
static inline uint32_t
ntvr_wire_type_struct(struct ntvr_wire *w, const char *name, uint32_t num_members)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_TYPE, NTVR_TYPE_STRUCT, 0, 0), num_members, 0);
   ntvr_wire_text(w, name);
   return w->num_types++;
}

/* `name` may be NULL. `offset` is in bytes, NTVR_NONE without an explicit layout. */
static inline void
ntvr_wire_type_field(struct ntvr_wire *w, const char *name, uint32_t type, uint32_t offset)
{
   NTVR_WIRE_WRITE(w, type, offset);
   ntvr_wire_text(w, name);
}

enum ntvr_variable_flags {
   NTVR_VARIABLE_BINDLESS = 1 << 0, NTVR_VARIABLE_CENTROID = 1 << 1, NTVR_VARIABLE_SAMPLE = 1 << 2, NTVR_VARIABLE_PATCH = 1 << 3,
   NTVR_VARIABLE_INVARIANT = 1 << 4, NTVR_VARIABLE_PER_VIEW = 1 << 5, NTVR_VARIABLE_PER_PRIMITIVE = 1 << 6,
   NTVR_VARIABLE_RAY_QUERY = 1 << 7, NTVR_VARIABLE_FB_FETCH_OUTPUT = 1 << 8, NTVR_VARIABLE_COMPACT = 1 << 9,
   NTVR_VARIABLE_HIGH_DVEC2 = 1 << 10, /* the second half of an attribute of three or four doubles; only for ntv */
};

/* nir_variable. */
struct ntvr_variable {
   const char *name; /* may be NULL */
   uint32_t type;
   enum ntvr_mode mode;
   enum ntvr_interp_mode interpolation;
   enum ntvr_precision precision;
   uint32_t access; /* enum ntvr_access */
   uint32_t flags;  /* enum ntvr_variable_flags */
   uint32_t location; /* gl_vert_attrib, gl_varying_slot, gl_frag_result or gl_system_value as in Mesa 25.0; NTVR_NONE for -1 */
   uint32_t location_frac;
   uint32_t driver_location; /* inputs and outputs: SPIR-V's Location; buffers: index of the first block of the variable */
   uint32_t binding;
   uint32_t descriptor_set; /* NTVR_NONE: ntv's set for descriptors of this kind */
   uint32_t index;          /* dual-source blending, or input attachment */
   uint32_t image_format;   /* images: a number of NTVR_TABLE_FORMAT; 0 for no format and for other variables */
   uint32_t stream;         /* outputs of geometry shaders */
   uint32_t xfb_buffer, xfb_stride, xfb_offset; /* outputs: in bytes; xfb_buffer is NTVR_NONE if it is not captured */
   const uint64_t *values; /* the initial value: all scalars of the type in order, each in the low bits of a number */
   uint32_t num_values;    /* 0 if there is no initial value */
   const char *initializer; /* the same as text, for printing; may be NULL */
};

/* A variable with only a name, a type and a mode. */
static inline void
ntvr_variable_init(struct ntvr_variable *v, const char *name, uint32_t type, enum ntvr_mode mode)
{
   memset(v, 0, sizeof(*v));
   v->name = name;
   v->type = type;
   v->mode = mode;
   v->location = v->descriptor_set = v->xfb_buffer = NTVR_NONE;
}

static inline uint32_t
ntvr_wire_variable(struct ntvr_wire *w, const struct ntvr_variable *v)
{
   bool more = v->image_format || v->stream || v->xfb_buffer != NTVR_NONE || v->num_values || v->initializer;
   uint32_t i, mode = (uint32_t)v->mode | (uint32_t)v->interpolation << 14 | (uint32_t)v->precision << 17 |
                      v->location_frac << 19 | (uint32_t)more << 27;

   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_VARIABLE, 0, 0, 0), v->type, mode, v->access | v->flags << 18, v->location,
                   v->driver_location, v->binding, v->descriptor_set, v->index);
   ntvr_wire_text(w, v->name);
   if (more) {
      NTVR_WIRE_WRITE(w, v->image_format, v->stream, v->xfb_buffer, v->xfb_stride, v->xfb_offset, v->num_values);
      for (i = 0; i < v->num_values; i++)
         NTVR_WIRE_WRITE(w, (uint32_t)v->values[i], (uint32_t)(v->values[i] >> 32));
      if (v->initializer)
         ntvr_wire_text(w, v->initializer);
      else
         ntvr_wire_operand(w, NTVR_NONE);
   }
   return w->num_variables++;
}

/* Changes the type of a variable without values, for a type that was not known before. Earlier derefs keep the old type. */
static inline void
ntvr_wire_variable_type(struct ntvr_wire *w, uint32_t variable, uint32_t type)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_VARIABLE_TYPE, 0, 0, 0), variable, type);
}

/* Control flow: the structured tree of the entry point in order. A block is between any two of the other nodes, before the first
 * and after the last, as in nir_cf_node lists: "block if block else block end_if block", "block loop block end_loop block", or
 * "block loop block continue block end_loop block". */
enum ntvr_control {
   NTVR_CONTROL_BLOCK = 0, NTVR_CONTROL_IF, NTVR_CONTROL_ELSE, NTVR_CONTROL_END_IF, NTVR_CONTROL_LOOP, NTVR_CONTROL_CONTINUE,
   NTVR_CONTROL_END_LOOP,
};

/* A node other than a block and an if. */
static inline void
ntvr_wire_control(struct ntvr_wire *w, enum ntvr_control kind)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_CONTROL, kind, 0, 0));
}

/* The instructions of the block follow. Numbers of blocks are those of nir_block::index after nir_index_blocks. */
static inline uint32_t
ntvr_wire_block(struct ntvr_wire *w)
{
   ntvr_wire_control(w, NTVR_CONTROL_BLOCK);
   return w->num_blocks++;
}

static inline void
ntvr_wire_if(struct ntvr_wire *w, uint32_t condition, enum ntvr_hint hint)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_CONTROL, NTVR_CONTROL_IF, 0, 0) | (uint32_t)hint << 28, condition);
}

/* Instructions without operands: nir_undef_instr, nir_phi_instr, nir_jump_instr. */
enum ntvr_plain {
   NTVR_PLAIN_UNDEF = 0, NTVR_PLAIN_PHI, NTVR_PLAIN_BREAK, NTVR_PLAIN_CONTINUE, NTVR_PLAIN_RETURN, NTVR_PLAIN_HALT,
};

static inline uint32_t
ntvr_wire_plain(struct ntvr_wire *w, enum ntvr_plain op, unsigned components, unsigned bits)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_PLAIN, op, components, bits));
   return w->num_instrs++;
}

/* A source of a phi, at any time after the block and the value. The sources of a phi must be written one after the other. */
static inline void
ntvr_wire_phi_src(struct ntvr_wire *w, uint32_t phi, uint32_t block, uint32_t def)
{
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_PHI_SRC, 0, 0, 0), phi, block, def);
}

enum ntvr_alu_flags { NTVR_ALU_EXACT = 1 << 0, NTVR_ALU_NO_SIGNED_WRAP = 1 << 1, NTVR_ALU_NO_UNSIGNED_WRAP = 1 << 2 };

/* Mesa 26's fp_math_ctrl, for the instructions after it; NTVR_ALU_EXACT is that of one instruction, and means the first three. */
enum ntvr_math_control {
   NTVR_MATH_NO_CONTRACT = 1 << 0, NTVR_MATH_NO_REASSOC = 1 << 3, NTVR_MATH_NO_TRANSFORM = 1 << 4,
   NTVR_MATH_PRESERVE_SIGNED_ZERO = 1 << 5, NTVR_MATH_PRESERVE_INF = 1 << 6, NTVR_MATH_PRESERVE_NAN = 1 << 7,
};

static inline void
ntvr_wire_math(struct ntvr_wire *w, uint32_t control)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_MATH, control, 0, 0));
}

#define NTVR_WIDE_SOURCES 8u /* another flag: nir_ssa_alu_instr_src_components is more than 8 for a source */

/* `op` is a number of NTVR_TABLE_ALU; ntvr_wire_alu_src must follow for each source. */
static inline uint32_t
ntvr_wire_alu(struct ntvr_wire *w, uint32_t op, uint32_t flags, unsigned components, unsigned bits)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_ALU, op, components, bits) | flags << 28);
   return w->num_instrs++;
}

/* `flags` are those of the instruction. `components` is the number of those that it reads, and that `swizzle` has. */
static inline void
ntvr_wire_alu_src(struct ntvr_wire *w, uint32_t flags, uint32_t def, const uint8_t *swizzle, unsigned components)
{
   unsigned i, count = flags & NTVR_WIDE_SOURCES ? 16 : 8;
   uint64_t bits = 0;

   for (i = 0; i < count; i++)
      bits |= (uint64_t)((i < components ? swizzle[i] : i) & 15) << (4 * i);
   NTVR_WIRE_WRITE(w, def, (uint32_t)bits);
   if (flags & NTVR_WIDE_SOURCES)
      ntvr_wire_operand(w, (uint32_t)(bits >> 32));
}

/* nir_load_const_instr. ntvr_wire_operand must follow for each component, twice for 64 bits: the low word, then the high one. Bits
 * above the width are 0. */
static inline uint32_t
ntvr_wire_const(struct ntvr_wire *w, unsigned components, unsigned bits)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_CONST, 0, components, bits));
   return w->num_instrs++;
}

/* nir_deref_type, with the two words of its record; the names with _IMM have a constant index. */
enum ntvr_deref {
   NTVR_DEREF_VAR = 0,          /* none */
   NTVR_DEREF_ARRAY,            /* index */
   NTVR_DEREF_ARRAY_IMM,        /* index, low and high word */
   NTVR_DEREF_ARRAY_WILDCARD,   /* none */
   NTVR_DEREF_PTR_AS_ARRAY,     /* index */
   NTVR_DEREF_PTR_AS_ARRAY_IMM, /* index, low and high word */
   NTVR_DEREF_STRUCT,           /* index of the field */
   NTVR_DEREF_CAST,             /* ptr_stride, align_mul; ntvr_wire_operand(align_offset) must follow */
};

/* The result of a deref: the bit size of its one component, its type, and its modes. */
struct ntvr_deref_result {
   unsigned bits;
   uint32_t type;
   uint32_t modes; /* enum ntvr_mode */
};

/* NTVR_DEREF_VAR has only `bits`, and a variable as `parent`. Words that another deref does not have are 0. */
static inline uint32_t
ntvr_wire_deref(struct ntvr_wire *w, enum ntvr_deref kind, struct ntvr_deref_result r, uint32_t parent, uint32_t a, uint32_t b)
{
   if (kind == NTVR_DEREF_VAR)
      NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_DEREF_VAR, kind, 1, r.bits), parent);
   else
      NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_DEREF, kind, 1, r.bits), r.type, r.modes, parent, a, b);
   return w->num_instrs++;
}

/* nir_intrinsic_instr. `op` is a number of NTVR_TABLE_INTRINSIC. ntvr_wire_operand must follow for each source (the number of the
 * value), then for the value of each index: ntvr_wire_num_indices values, at the positions that ntvr_wire_index returns. The value
 * of an index that the writer does not have is 0. Other values are those of Mesa, except for
 *
 *    access, atomic_op, dst_access, execution_scope, image_dim,             the enumerations above
 *    interp_mode, memory_modes, memory_scope, memory_semantics, src_access
 *    format, reduction_op                                                   a number of NTVR_TABLE_FORMAT, of NTVR_TABLE_ALU
 *    src_type, dest_type                                                    ntvr_alu_type()
 *    io_semantics, io_xfb, io_xfb2                                          ntvr_io_semantics(), ntvr_io_xfb() for both outputs */
static inline uint32_t
ntvr_wire_intrinsic(struct ntvr_wire *w, uint32_t op, unsigned components, unsigned bits)
{
   ntvr_wire_operand(w, ntvr_wire_head(NTVR_RECORD_INTRINSIC, op, components, bits));
   return w->num_instrs++;
}

enum ntvr_io_flags {
   NTVR_IO_EXPLICIT_STRICT = 1 << 0, NTVR_IO_DUALSRC = 1 << 1, NTVR_IO_FBFETCH = 1 << 2, NTVR_IO_COHERENT = 1 << 3,
   NTVR_IO_PERVIEW = 1 << 4, NTVR_IO_MEDIUMP = 1 << 5, NTVR_IO_HIGH_16BITS = 1 << 6, NTVR_IO_INVARIANT = 1 << 7,
   NTVR_IO_HIGH_DVEC2 = 1 << 8, NTVR_IO_NO_VARYING = 1 << 9, NTVR_IO_NO_SYSVAL_OUTPUT = 1 << 10,
};

/* nir_io_semantics. `gs_streams` has two bits for each component. */
static inline uint32_t
ntvr_io_semantics(unsigned location, unsigned num_slots, unsigned gs_streams, uint32_t flags)
{
   return (location & 0x7f) | (num_slots & 0x3f) << 7 | (gs_streams & 0xff) << 13 | flags << 21;
}

/* An output of nir_io_xfb, `offset` in units of 4 bytes; the second output is shifted left by 16 bits. */
static inline uint32_t
ntvr_io_xfb(unsigned components, unsigned buffer, unsigned offset)
{
   return (components & 15) | (buffer & 15) << 4 | (offset & 255) << 8;
}

enum ntvr_tex_flags {
   NTVR_TEX_GATHER_IMPLICIT_LOD = 1 << 0, NTVR_TEX_TEXTURE_NON_UNIFORM = 1 << 1, NTVR_TEX_SAMPLER_NON_UNIFORM = 1 << 2,
   NTVR_TEX_SPARSE = 1 << 3, NTVR_TEX_OFFSETS = 1 << 4, /* ntvr_wire_tex sets the last one */
};

/* nir_tex_instr without its sources. Dimensionality, layers and comparison are those of the texture. */
struct ntvr_tex {
   enum ntvr_tex_op op;
   uint32_t dest_type; /* ntvr_alu_type() */
   uint32_t flags;     /* enum ntvr_tex_flags */
   uint32_t component; /* gathers */
   uint32_t texture_index, sampler_index;
   const int8_t (*offsets)[2]; /* gathers: four of them, or NULL */
};

/* ntvr_wire_tex_src must follow for each source. */
static inline uint32_t
ntvr_wire_tex(struct ntvr_wire *w, const struct ntvr_tex *tex, unsigned components, unsigned bits, unsigned num_srcs)
{
   uint32_t flags = tex->offsets ? tex->flags | NTVR_TEX_OFFSETS : tex->flags & ~(uint32_t)NTVR_TEX_OFFSETS;
   uint64_t offsets = 0;
   unsigned i;

   for (i = 0; tex->offsets && i < 8; i++)
      offsets |= (uint64_t)(uint8_t)tex->offsets[i / 2][i % 2] << (8 * i);
   NTVR_WIRE_WRITE(w, ntvr_wire_head(NTVR_RECORD_TEX, tex->op, components, bits), tex->dest_type,
                   flags | tex->component << 8 | num_srcs << 16, tex->texture_index, tex->sampler_index, (uint32_t)offsets,
                   (uint32_t)(offsets >> 32));
   return w->num_instrs++;
}

static inline void
ntvr_wire_tex_src(struct ntvr_wire *w, enum ntvr_tex_src kind, uint32_t def)
{
   NTVR_WIRE_WRITE(w, (uint32_t)kind, def);
}

#endif /* NTVR_WIRE_H */
