/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Writes a NIR shader as words, a wire, for the functions of ntv.h. C11 or C++17. docs/formats.md describes the words.
 *
 * Types, variables, blocks and instructions are each numbered from 0 in the order in which they are written. Functions that write
 * one return its number; a reference is only valid to an earlier object, except for the sources of phis. An SSA value has the
 * number of its instruction: a writer can keep it in nir_instr::index. The order is
 *
 *    header of the shader      ntv_wire_begin, ntv_wire_info, ntv_wire_info_text, ntv_wire_directive
 *    types and variables       ntv_wire_type*, ntv_wire_variable
 *    control flow              ntv_wire_block, ntv_wire_if, ntv_wire_control
 *    instructions of a block   ntv_wire_alu, ntv_wire_intrinsic, ...
 *    the end                   ntv_wire_end
 *
 * The parts of an object, such as the sources after ntv_wire_alu, must follow it directly. Functions that write do not fail: after
 * a failed allocation they have no effect, and ntv_wire_end returns false.
 */

#ifndef NTV_WIRE_H
#define NTV_WIRE_H

#include "ntv.h"

#include <stdlib.h>

#ifndef NTV_REALLOC /* the allocation functions of wires */
#define NTV_REALLOC realloc
#define NTV_FREE free
#endif

#define NTV_WIRE_MAGIC 0x5756544eu /* "NTVW" in a file */

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

/* Vulkan's VkDescriptorType. */
enum ntv_desc_type {
   NTV_DESC_TYPE_SAMPLER = 0,
   NTV_DESC_TYPE_COMBINED_IMAGE_SAMPLER,
   NTV_DESC_TYPE_SAMPLED_IMAGE,
   NTV_DESC_TYPE_STORAGE_IMAGE,
   NTV_DESC_TYPE_UNIFORM_TEXEL_BUFFER,
   NTV_DESC_TYPE_STORAGE_TEXEL_BUFFER,
   NTV_DESC_TYPE_UNIFORM_BUFFER, /* also with a dynamic offset */
   NTV_DESC_TYPE_STORAGE_BUFFER,
   NTV_DESC_TYPE_INPUT_ATTACHMENT,
   NTV_DESC_TYPE_INLINE_UNIFORM_BLOCK,
   NTV_DESC_TYPE_ACCELERATION_STRUCTURE,
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

/* A wire that is being written. All bytes are 0 at first. Its memory can be used for many shaders, one after the other. */
struct ntv_wire {
   uint32_t *words;
   size_t len;      /* number of words of the wire; 0 before ntv_wire_end */
   size_t written;  /* number of words written */
   size_t capacity; /* number of words allocated */
   uint32_t num_types, num_variables, num_blocks, num_instrs; /* each is the number of the next one */
   bool failed; /* an allocation failed */
};

static inline void
ntv_wire_fini(struct ntv_wire *w)
{
   NTV_FREE(w->words);
   memset(w, 0, sizeof(*w));
}

/* Allocates space for `count` more words. Called only if the buffer is too small. */
#ifdef __GNUC__
__attribute__((cold, noinline, unused))
#endif
static bool
ntv_wire_grow(struct ntv_wire *w, size_t count)
{
   const size_t most = SIZE_MAX / 64;
   bool fits = !w->failed && w->written <= most && count <= most;
   size_t capacity = 2 * (w->written + count) + 4096;
   uint32_t *words = fits ? (uint32_t *)NTV_REALLOC(w->words, capacity * sizeof(*words)) : NULL;

   w->failed = !words;
   w->words = words ? words : w->words;
   w->capacity = words ? capacity : w->written; /* a failure prevents all further writes */
   return words != NULL;
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

/* GCC turns this loop into stores without the caller's array, which memcpy would read from the stack. */
static inline void
ntv_wire_copy(struct ntv_wire *w, const uint32_t *from, size_t count)
{
   uint32_t *words = ntv_wire_words(w, count);
   size_t i;

   if (!words)
      return;
   for (i = 0; i < count; i++)
      words[i] = from[i];
}

/* Writes the arguments after `w`, a word each. */
#define NTV_WIRE_WRITE(w, ...)                                             \
   do {                                                                    \
      const uint32_t ntv_words[] = {__VA_ARGS__};                          \
      ntv_wire_copy(w, ntv_words, sizeof(ntv_words) / sizeof(*ntv_words)); \
   } while (0)

static inline void
ntv_wire_operand(struct ntv_wire *w, uint32_t word)
{
   ntv_wire_copy(w, &word, 1);
}

/* Writes the number of bytes of a string, then the bytes, padded to whole words. NULL is the empty string. */
static inline void
ntv_wire_text(struct ntv_wire *w, const char *text)
{
   size_t bytes = text ? strlen(text) : 0, count = bytes / 4 + (bytes % 4 != 0);
   uint32_t *words = ntv_wire_words(w, 1 + count);

   if (!words)
      return;
   words[count] = 0;
   words[0] = (uint32_t)bytes;
   if (text)
      memcpy(words + 1, text, bytes);
}

/* The kind of a record: the lowest four bits of its first word. */
enum ntv_record {
   NTV_RECORD_ALU = 0, NTV_RECORD_INTRINSIC, NTV_RECORD_CONST, NTV_RECORD_DEREF_VAR, NTV_RECORD_DEREF, NTV_RECORD_TEX,
   NTV_RECORD_PLAIN, NTV_RECORD_CONTROL, NTV_RECORD_TYPE, NTV_RECORD_VARIABLE, NTV_RECORD_VARIABLE_TYPE, NTV_RECORD_PHI_SRC,
   NTV_RECORD_DIRECTIVE, NTV_RECORD_FACT, NTV_RECORD_NAME, NTV_RECORD_MATH,
};

/* A first word. `components` and `bits` are the shape of the result of an instruction; without a result, both are 0. */
static inline uint32_t
ntv_wire_head(enum ntv_record record, uint32_t op, unsigned components, unsigned bits)
{
   return (uint32_t)record | op << 4 | components << 16 | bits << 21;
}

/* The fields that most shaders set. */
struct ntv_shader {
   enum ntv_stage stage;
   uint32_t workgroup_size[3]; /* compute, task and mesh shaders only */
   bool workgroup_size_variable, first_ubo_is_default_ubo;
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
   const uint32_t *size = shader->workgroup_size;
   uint32_t i, flags = (uint32_t)shader->stage | (shader->next_stage & 0xff) << 8 |
                       (uint32_t)shader->workgroup_size_variable << 16 | (uint32_t)shader->first_ubo_is_default_ubo << 17;

   w->len = w->written = 0;
   w->num_types = w->num_variables = w->num_blocks = w->num_instrs = 0;
   w->failed = false;
   /* ntv_wire_end writes the numbers of words and of instructions. */
   NTV_WIRE_WRITE(w, NTV_WIRE_MAGIC, NTV_WIRE_VERSION, 0, 0, flags, size[0], size[1], size[2], shader->num_textures,
                  shader->num_ubos, shader->num_ssbos, shader->num_images, shader->float_controls_execution_mode,
                  shader->shared_size, shader->derivative_group, shader->depth_layout);
   for (i = 0; i < 4; i++) {
      if (names[i]) {
         ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_NAME, i, 0, 0));
         ntv_wire_text(w, names[i]);
      }
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

/* Fields of shader_info and nir_shader that few shaders set. A field that is not written is 0, and a flag is 0 or 1. */
enum ntv_info_field {
   /* Four words: ntv_wire_operand must follow for the other three. System values have the numbers of Mesa 25.0. */
   NTV_INFO_INPUTS_READ = 6, NTV_INFO_OUTPUTS_WRITTEN = 8, NTV_INFO_OUTPUTS_READ = 9, NTV_INFO_SYSTEM_VALUES_READ = 10,
   NTV_INFO_XFB_STRIDE = 37, NTV_INFO_INLINABLE_UNIFORM_DW_OFFSETS = 38,
   /* ntv_wire_info_text: "POINTS", "LINES", "LINE_STRIP", "TRIANGLES", "TRIANGLE_STRIP", "LINES_ADJACENCY", ... */
   NTV_INFO_OUTPUT_PRIMITIVE = 65, NTV_INFO_INPUT_PRIMITIVE = 66,
   NTV_INFO_COLOR0_INTERP = 90, NTV_INFO_COLOR1_INTERP = 93, /* ntv_wire_info_text: "INTERP_MODE_FLAT", ... */
   NTV_INFO_PRIMITIVE_MODE = 57, /* 1 triangles, 2 quads, 3 isolines */
   NTV_INFO_SPACING = 59,        /* 1 equal, 2 fractional odd, 3 fractional even */
   NTV_INFO_PATCH_INPUTS_READ = 19, NTV_INFO_PATCH_OUTPUTS_WRITTEN = 20, NTV_INFO_PATCH_OUTPUTS_READ = 21,
   NTV_INFO_CLIP_DISTANCE_ARRAY_SIZE = 40, NTV_INFO_CULL_DISTANCE_ARRAY_SIZE = 41, NTV_INFO_SEPARATE_SHADER = 47,
   NTV_INFO_HAS_TRANSFORM_FEEDBACK_VARYINGS = 48, NTV_INFO_IO_LOWERED = 50, NTV_INFO_WRITES_MEMORY = 51,
   NTV_INFO_WINDOW_SPACE_POSITION = 55, NTV_INFO_TCS_VERTICES_OUT = 58, NTV_INFO_CCW = 60, NTV_INFO_POINT_MODE = 61,
   NTV_INFO_VERTICES_OUT = 67, NTV_INFO_INVOCATIONS = 68, NTV_INFO_VERTICES_IN = 69, NTV_INFO_USES_END_PRIMITIVE = 70,
   NTV_INFO_ACTIVE_STREAM_MASK = 71, NTV_INFO_USES_DISCARD = 72, NTV_INFO_USES_FBFETCH_OUTPUT = 73,
   NTV_INFO_COLOR_IS_DUAL_SOURCE = 74, NTV_INFO_USES_SAMPLE_QUALIFIER = 77, NTV_INFO_USES_SAMPLE_SHADING = 78,
   NTV_INFO_EARLY_FRAGMENT_TESTS = 79, NTV_INFO_INNER_COVERAGE = 80, NTV_INFO_POST_DEPTH_COVERAGE = 81,
   NTV_INFO_PIXEL_CENTER_INTEGER = 82, NTV_INFO_ORIGIN_UPPER_LEFT = 83, NTV_INFO_PIXEL_INTERLOCK_ORDERED = 84,
   NTV_INFO_PIXEL_INTERLOCK_UNORDERED = 85, NTV_INFO_SAMPLE_INTERLOCK_ORDERED = 86, NTV_INFO_SAMPLE_INTERLOCK_UNORDERED = 87,
   NTV_INFO_COLOR0_SAMPLE = 91, NTV_INFO_COLOR0_CENTROID = 92, NTV_INFO_COLOR1_SAMPLE = 94, NTV_INFO_COLOR1_CENTROID = 95,
   NTV_INFO_PTR_SIZE = 99, NTV_INFO_SCRATCH = 103, NTV_INFO_NUM_INLINABLE_UNIFORMS = 39,
   NTV_INFO_TASK_PAYLOAD_SIZE = 105, /* in bytes; of task and mesh shaders */
   NTV_INFO_MAX_VERTICES_OUT = 107, NTV_INFO_MAX_PRIMITIVES_OUT = 108, /* of mesh shaders */
   NTV_INFO_PRIMITIVE_TYPE = 109, /* ntv_wire_info_text: "POINTS", "LINES", "TRIANGLES" */
};

static inline void
ntv_wire_info(struct ntv_wire *w, enum ntv_info_field field, uint32_t value)
{
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_FACT, field, 0, 0), value);
}

static inline void
ntv_wire_info_text(struct ntv_wire *w, enum ntv_info_field field, const char *text)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_FACT, field, 0, 0));
   ntv_wire_text(w, text);
}

/* Data that NIR does not have but a reader needs. Strings are only for ntv. */
enum ntv_directive {
   /* The units of offsets of shared and scratch memory. zink divides the offsets by the element size. The default is elements in
    * shaders that access their buffers through derefs, and bytes in others. */
   NTV_DIRECTIVE_SHARED_OFFSET_UNITS = 0,
   NTV_DIRECTIVE_LOCATIONS, /* driver_location of inputs and outputs: SPIR-V's Location (the default), or not assigned: enum ntv_locations */
   NTV_DIRECTIVE_VARIABLE_SHARED_MEMORY, /* cs.has_variable_shared_mem, 0 or 1: the pipeline adds to the shared memory */
   NTV_DIRECTIVE_STRUCT,                 /* a string that is kept for printing */
   NTV_DIRECTIVE_FRAMEBUFFER,            /* the framebuffer that a shader reads; with several samples it runs per sample */
   NTV_DIRECTIVE_UNIFORM_BLOCKS,         /* the declaration of uniform blocks without variables: enum ntv_blocks */
   NTV_DIRECTIVE_STORAGE_BLOCKS,         /* the same for storage blocks: NTV_BLOCKS_ARRAY */
   NTV_DIRECTIVE_XFB,                    /* a string with the captures of transform feedback of a slot */
};
enum ntv_offset_units { NTV_OFFSET_UNITS_BYTES = 0, NTV_OFFSET_UNITS_ELEMENTS };
enum ntv_locations {
   NTV_LOCATIONS_DECLARED = 0,
   NTV_LOCATIONS_SLOTS, /* a rule assigns Locations */
   NTV_LOCATIONS_SPIRV, /* those of a module that was read: slot VAR1 is Location 1 */
};
enum ntv_framebuffer { NTV_FRAMEBUFFER_SINGLE_SAMPLE = 0, NTV_FRAMEBUFFER_MULTISAMPLE };
enum ntv_blocks {
   NTV_BLOCKS_ARRAY = 0, /* all as one array */
};

static inline void
ntv_wire_directive(struct ntv_wire *w, enum ntv_directive key, uint32_t value)
{
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_DIRECTIVE, key, 0, 0), value);
}

enum ntv_type_flags {
   NTV_TYPE_ARRAYED = 1 << 0, /* has layers */
   NTV_TYPE_SHADOW = 1 << 1,  /* has a comparison */
   NTV_TYPE_BARE = 1 << 2,    /* a texture without a sampler: texture2D */
};

/* The kind of a type, with the words that follow it. `texel` is the ntv_alu_type of a component of a texel: 32 bits, or 64. */
enum ntv_type {
   NTV_TYPE_VOID = 0,
   NTV_TYPE_VECTOR,      /* ntv_alu_type, number of components: also a scalar; booleans have 1 bit; stride of components or 0 */
   NTV_TYPE_MATRIX,      /* bits, columns, rows; of floats; one with an explicit layout is an array of columns */
   NTV_TYPE_ARRAY,       /* type of an element, length, stride; NTV_NONE: no length; stride 0: no explicit layout */
   NTV_TYPE_STRUCT,      /* ntv_wire_type_struct */
   NTV_TYPE_SAMPLER,     /* 1 with a comparison, otherwise 0: a sampler without a texture */
   NTV_TYPE_TEXTURE,     /* enum ntv_dim, enum ntv_type_flags, texel: a texture with or without a sampler */
   NTV_TYPE_IMAGE,       /* enum ntv_dim, NTV_TYPE_ARRAYED or 0, texel: a storage image or input attachment */
   NTV_TYPE_ATOMIC_UINT,
};

/* Words that the kind does not have are 0. Equal types may be written once or several times. */
static inline uint32_t
ntv_wire_type(struct ntv_wire *w, enum ntv_type kind, uint32_t a, uint32_t b, uint32_t c)
{
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_TYPE, kind, 0, 0), a, b, c);
   return w->num_types++;
}

/* A struct or interface block, which is a new type each time. ntv_wire_type_field must follow for each of its members. */
static inline uint32_t
ntv_wire_type_struct(struct ntv_wire *w, const char *name, uint32_t num_members)
{
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_TYPE, NTV_TYPE_STRUCT, 0, 0), num_members, 0);
   ntv_wire_text(w, name);
   return w->num_types++;
}

/* `name` may be NULL. `offset` is in bytes, NTV_NONE without an explicit layout. */
static inline void
ntv_wire_type_field(struct ntv_wire *w, const char *name, uint32_t type, uint32_t offset)
{
   NTV_WIRE_WRITE(w, type, offset);
   ntv_wire_text(w, name);
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
static inline void
ntv_variable_init(struct ntv_variable *v, const char *name, uint32_t type, enum ntv_mode mode)
{
   memset(v, 0, sizeof(*v));
   v->name = name;
   v->type = type;
   v->mode = mode;
   v->location = v->descriptor_set = v->xfb_buffer = NTV_NONE;
}

static inline uint32_t
ntv_wire_variable(struct ntv_wire *w, const struct ntv_variable *v)
{
   bool more = v->image_format || v->stream || v->xfb_buffer != NTV_NONE || v->num_values || v->initializer;
   uint32_t i, mode = (uint32_t)v->mode | (uint32_t)v->interpolation << 14 | (uint32_t)v->precision << 17 |
                      v->location_frac << 19 | (uint32_t)more << 27;

   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_VARIABLE, 0, 0, 0), v->type, mode, v->access | v->flags << 18, v->location,
                  v->driver_location, v->binding, v->descriptor_set, v->index);
   ntv_wire_text(w, v->name);
   if (more) {
      NTV_WIRE_WRITE(w, v->image_format, v->stream, v->xfb_buffer, v->xfb_stride, v->xfb_offset, v->num_values);
      for (i = 0; i < v->num_values; i++)
         NTV_WIRE_WRITE(w, (uint32_t)v->values[i], (uint32_t)(v->values[i] >> 32));
      if (v->initializer)
         ntv_wire_text(w, v->initializer);
      else
         ntv_wire_operand(w, NTV_NONE);
   }
   return w->num_variables++;
}

/* Changes the type of a variable without values, for a type that was not known before. Earlier derefs keep the old type. */
static inline void
ntv_wire_variable_type(struct ntv_wire *w, uint32_t variable, uint32_t type)
{
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_VARIABLE_TYPE, 0, 0, 0), variable, type);
}

/* Control flow: the structured tree of the entry point in order. A block is between any two of the other nodes, before the first
 * and after the last, as in nir_cf_node lists: "block if block else block end_if block", "block loop block end_loop block", or
 * "block loop block continue block end_loop block". */
enum ntv_control {
   NTV_CONTROL_BLOCK = 0, NTV_CONTROL_IF, NTV_CONTROL_ELSE, NTV_CONTROL_END_IF, NTV_CONTROL_LOOP, NTV_CONTROL_CONTINUE,
   NTV_CONTROL_END_LOOP,
};

/* A node other than a block and an if. */
static inline void
ntv_wire_control(struct ntv_wire *w, enum ntv_control kind)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_CONTROL, kind, 0, 0));
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
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_CONTROL, NTV_CONTROL_IF, 0, 0) | (uint32_t)hint << 28, condition);
}

/* Instructions without operands: nir_undef_instr, nir_phi_instr, nir_jump_instr. */
enum ntv_plain {
   NTV_PLAIN_UNDEF = 0, NTV_PLAIN_PHI, NTV_PLAIN_BREAK, NTV_PLAIN_CONTINUE, NTV_PLAIN_RETURN, NTV_PLAIN_HALT,
};

static inline uint32_t
ntv_wire_plain(struct ntv_wire *w, enum ntv_plain op, unsigned components, unsigned bits)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_PLAIN, op, components, bits));
   return w->num_instrs++;
}

/* A source of a phi, at any time after the block and the value. The sources of a phi must be written one after the other. */
static inline void
ntv_wire_phi_src(struct ntv_wire *w, uint32_t phi, uint32_t block, uint32_t def)
{
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_PHI_SRC, 0, 0, 0), phi, block, def);
}

enum ntv_alu_flags { NTV_ALU_EXACT = 1 << 0, NTV_ALU_NO_SIGNED_WRAP = 1 << 1, NTV_ALU_NO_UNSIGNED_WRAP = 1 << 2 };

/* Mesa 26's fp_math_ctrl, for the instructions after it; NTV_ALU_EXACT is that of one instruction, and means the first three. */
enum ntv_math_control {
   NTV_MATH_NO_CONTRACT = 1 << 0, NTV_MATH_NO_REASSOC = 1 << 3, NTV_MATH_NO_TRANSFORM = 1 << 4,
   NTV_MATH_PRESERVE_SIGNED_ZERO = 1 << 5, NTV_MATH_PRESERVE_INF = 1 << 6, NTV_MATH_PRESERVE_NAN = 1 << 7,
};

static inline void
ntv_wire_math(struct ntv_wire *w, uint32_t control)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_MATH, control, 0, 0));
}

#define NTV_WIDE_SOURCES 8u /* another flag: nir_ssa_alu_instr_src_components is more than 8 for a source */

/* `op` is a number of NTV_TABLE_ALU; ntv_wire_alu_src must follow for each source. */
static inline uint32_t
ntv_wire_alu(struct ntv_wire *w, uint32_t op, uint32_t flags, unsigned components, unsigned bits)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_ALU, op, components, bits) | flags << 28);
   return w->num_instrs++;
}

/* `flags` are those of the instruction. `components` is the number of those that it reads, and that `swizzle` has. */
static inline void
ntv_wire_alu_src(struct ntv_wire *w, uint32_t flags, uint32_t def, const uint8_t *swizzle, unsigned components)
{
   unsigned i, count = flags & NTV_WIDE_SOURCES ? 16 : 8;
   uint64_t bits = 0;

   for (i = 0; i < count; i++)
      bits |= (uint64_t)((i < components ? swizzle[i] : i) & 15) << (4 * i);
   NTV_WIRE_WRITE(w, def, (uint32_t)bits);
   if (flags & NTV_WIDE_SOURCES)
      ntv_wire_operand(w, (uint32_t)(bits >> 32));
}

/* nir_load_const_instr. ntv_wire_operand must follow for each component, twice for 64 bits: the low word, then the high one. Bits
 * above the width are 0. */
static inline uint32_t
ntv_wire_const(struct ntv_wire *w, unsigned components, unsigned bits)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_CONST, 0, components, bits));
   return w->num_instrs++;
}

/* nir_deref_type, with the two words of its record; the names with _IMM have a constant index. */
enum ntv_deref {
   NTV_DEREF_VAR = 0,          /* none */
   NTV_DEREF_ARRAY,            /* index */
   NTV_DEREF_ARRAY_IMM,        /* index, low and high word */
   NTV_DEREF_ARRAY_WILDCARD,   /* none */
   NTV_DEREF_PTR_AS_ARRAY,     /* index */
   NTV_DEREF_PTR_AS_ARRAY_IMM, /* index, low and high word */
   NTV_DEREF_STRUCT,           /* index of the field */
   NTV_DEREF_CAST,             /* ptr_stride, align_mul; ntv_wire_operand(align_offset) must follow */
};

/* The result of a deref: the bit size of its one component, its type, and its modes. */
struct ntv_deref_result {
   unsigned bits;
   uint32_t type;
   uint32_t modes; /* enum ntv_mode */
};

/* NTV_DEREF_VAR has only `bits`, and a variable as `parent`. Words that another deref does not have are 0. */
static inline uint32_t
ntv_wire_deref(struct ntv_wire *w, enum ntv_deref kind, struct ntv_deref_result r, uint32_t parent, uint32_t a, uint32_t b)
{
   if (kind == NTV_DEREF_VAR)
      NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_DEREF_VAR, kind, 1, r.bits), parent);
   else
      NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_DEREF, kind, 1, r.bits), r.type, r.modes, parent, a, b);
   return w->num_instrs++;
}

/* nir_intrinsic_instr. `op` is a number of NTV_TABLE_INTRINSIC. ntv_wire_operand must follow for each source (the number of the
 * value), then for the value of each index: ntv_wire_num_indices values, at the positions that ntv_wire_index returns. The value
 * of an index that the writer does not have is 0. Other values are those of Mesa, except for
 *
 *    access, atomic_op, dst_access, execution_scope, image_dim,             the enumerations above
 *    interp_mode, memory_modes, memory_scope, memory_semantics, src_access
 *    format, reduction_op                                                   a number of NTV_TABLE_FORMAT, of NTV_TABLE_ALU
 *    src_type, dest_type                                                    ntv_alu_type()
 *    io_semantics, io_xfb, io_xfb2                                          ntv_io_semantics(), ntv_io_xfb() for both outputs */
static inline uint32_t
ntv_wire_intrinsic(struct ntv_wire *w, uint32_t op, unsigned components, unsigned bits)
{
   ntv_wire_operand(w, ntv_wire_head(NTV_RECORD_INTRINSIC, op, components, bits));
   return w->num_instrs++;
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
   return (location & 0x7f) | (num_slots & 0x3f) << 7 | (gs_streams & 0xff) << 13 | flags << 21;
}

/* An output of nir_io_xfb, `offset` in units of 4 bytes; the second output is shifted left by 16 bits. */
static inline uint32_t
ntv_io_xfb(unsigned components, unsigned buffer, unsigned offset)
{
   return (components & 15) | (buffer & 15) << 4 | (offset & 255) << 8;
}

enum ntv_tex_flags {
   NTV_TEX_GATHER_IMPLICIT_LOD = 1 << 0, NTV_TEX_TEXTURE_NON_UNIFORM = 1 << 1, NTV_TEX_SAMPLER_NON_UNIFORM = 1 << 2,
   NTV_TEX_SPARSE = 1 << 3, NTV_TEX_OFFSETS = 1 << 4, /* ntv_wire_tex sets the last one */
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
   uint32_t flags = tex->offsets ? tex->flags | NTV_TEX_OFFSETS : tex->flags & ~(uint32_t)NTV_TEX_OFFSETS;
   uint64_t offsets = 0;
   unsigned i;

   for (i = 0; tex->offsets && i < 8; i++)
      offsets |= (uint64_t)(uint8_t)tex->offsets[i / 2][i % 2] << (8 * i);
   NTV_WIRE_WRITE(w, ntv_wire_head(NTV_RECORD_TEX, tex->op, components, bits), tex->dest_type,
                  flags | tex->component << 8 | num_srcs << 16, tex->texture_index, tex->sampler_index, (uint32_t)offsets,
                  (uint32_t)(offsets >> 32));
   return w->num_instrs++;
}

static inline void
ntv_wire_tex_src(struct ntv_wire *w, enum ntv_tex_src kind, uint32_t def)
{
   NTV_WIRE_WRITE(w, (uint32_t)kind, def);
}

#endif /* NTV_WIRE_H */
