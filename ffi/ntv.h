/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv: NIR to SPIR-V, as a C library. C11 or C++17.
 *
 * A driver writes a NIR shader as a wire (ntv_wire.h, part 1), describes its Vulkan device (`struct ntv_target`, part 2) and gets
 * a SPIR-V module (`ntv_translate`, part 3), or one that links and draws may still change (`struct ntv_module`, part 4). Plans
 * decide how uniform blocks are bound (part 5), and shaders can write transform feedback (part 6):
 *
 *    const char *message = ntv_check_version();
 *    if (message)
 *       report(message);
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
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NTV_VERSION "0.1.0"

/* Changes with every change of wires that an older reader would misread. */
#define NTV_WIRE_VERSION 6u

/* The values of the loaded library. */
const char *ntv_version(void);
uint32_t ntv_wire_version(void);

/* NULL if the loaded library is that of this header. Otherwise a message, and the results of all other functions are undefined. A
 * driver calls it once, before it creates a translator. */
static inline const char *
ntv_check_version(void)
{
   const char *version = ntv_version();

   if (ntv_wire_version() != NTV_WIRE_VERSION)
      return "the loaded libntv reads another version of wires than this driver writes";
   if (!version || strcmp(version, NTV_VERSION) != 0)
      return "this driver was built for libntv " NTV_VERSION ", but another version is loaded";
   return NULL;
}

/* The value "none" of optional numbers. */
#define NTV_NONE 0xffffffffu

enum ntv_stage {
   NTV_STAGE_VERTEX = 0, NTV_STAGE_TESS_CTRL, NTV_STAGE_TESS_EVAL, NTV_STAGE_GEOMETRY, NTV_STAGE_FRAGMENT, NTV_STAGE_COMPUTE,
   NTV_STAGE_KERNEL,
};

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

struct ntv_translator *ntv_translator_create(void); /* NULL if memory is short */
void ntv_translator_destroy(struct ntv_translator *translator); /* NULL is fine */

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
    * of the time. A shader that breaks a rule nevertheless gives any error, including NTV_ERROR_INTERNAL, or invalid SPIR-V, and
    * may take more time and memory than others; memory stays safe. A library with debug assertions always checks. */
   NTV_OPTION_VALID_NIR = 1 << 2,
   /* OpSource with the shader as text, as nir_print_shader prints it, and OpLine for each of its instructions: debuggers show
    * them. Costs several times the time of a translation. */
   NTV_OPTION_LINES = 1 << 3,
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
   uint32_t binding, offset, stride;
   bool per_instance;
   uint32_t divisor; /* per_instance: instances per element; 0: all instances have the first element */
};

/* How captures are written: see part 6. */
struct ntv_xfb_options {
   uint32_t back_end; /* enum ntv_xfb_back_end */
   /* The set and binding of the first storage buffer; if both are 0, set 3 and NTV_XFB_BUFFER_BINDING. The constants of part 6
    * have the offsets of the bindings of the other buffers. */
   uint32_t set, binding;
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
   NTV_DESCRIPTOR_UNIFORM_BUFFER = 0, NTV_DESCRIPTOR_STORAGE_BUFFER, NTV_DESCRIPTOR_COMBINED_IMAGE_SAMPLER,
   NTV_DESCRIPTOR_SAMPLED_IMAGE, NTV_DESCRIPTOR_SAMPLER, NTV_DESCRIPTOR_UNIFORM_TEXEL_BUFFER, NTV_DESCRIPTOR_STORAGE_IMAGE,
   NTV_DESCRIPTOR_STORAGE_TEXEL_BUFFER, NTV_DESCRIPTOR_INPUT_ATTACHMENT,
};

/* Descriptors that the module uses. Several variables may use the same descriptor.
 *
 * Reads of the framebuffer by a fragment shader (load_output, variables with NTV_VARIABLE_FB_FETCH_OUTPUT) are input attachments
 * in the set of the default uniforms, 0. Attachment n has the binding 5 + n and the InputAttachmentIndex n: 0 to 7 are the
 * colours, 8 is depth (a float), 9 is stencil (an unsigned integer). The list does not have attachments that the shader does not
 * read. An attachment that is a variable of the shader has the binding and the index of that variable. */
struct ntv_binding {
   uint32_t set, binding;
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
   uint32_t xfb_buffer, xfb_stride, xfb_offset;
};

/* The meaning of a word that may be changed, and of `of` in its patch. */
enum ntv_patch_kind {
   /* `of` is the index in `bindings`. */
   NTV_PATCH_DESCRIPTOR_SET = 0, NTV_PATCH_BINDING,
   NTV_PATCH_ARRAY_LENGTH, /* of descriptors; only in modules for links */
   /* `of` is the index in `varyings`; the index is that of dual-source blending. */
   NTV_PATCH_LOCATION, NTV_PATCH_COMPONENT, NTV_PATCH_INDEX, NTV_PATCH_XFB_BUFFER, NTV_PATCH_XFB_STRIDE, NTV_PATCH_XFB_OFFSET,
   /* `of` is the number of the specialization constant; the value is the default. */
   NTV_PATCH_SPEC_ID, NTV_PATCH_SPEC_VALUE,
   NTV_PATCH_LOCAL_SIZE,      /* `of` is the axis: 0, 1 or 2 */
   NTV_PATCH_OUTPUT_VERTICES, /* tessellation control: the size of the output patch; `of` is 0 */
};

/* A word that may be changed: the module stays valid if the new value is valid. A value may be in several words, for example if
 * two variables use one descriptor: change all of them. */
struct ntv_patch {
   uint32_t word; /* words[word] has the current value */
   enum ntv_patch_kind kind;
   uint32_t of;
};

struct ntv_result {
   uint32_t *words; /* the module; NULL after an error */
   size_t num_words;
   uint32_t tcs_vertices_out_word; /* tessellation control: its word has the size of the output patch; 0 in other stages */
   uint32_t workgroup_size[3];     /* compute; all 0 in other stages, and if it is made of specialization constants */
   struct ntv_binding *bindings;   /* each set, binding and kind once, sorted by set and binding */
   size_t num_bindings;
   struct ntv_varying *varyings;
   size_t num_varyings;
   struct ntv_patch *patches; /* in the order of words; empty if the result has no SPIR-V */
   size_t num_patches;
   char *error; /* a line for each problem; NULL without an error, or if there was no memory for it */
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
 * The other stage, and the orientation of a draw on the screen, are not known when a shader is compiled. A module has a list of
 * the words that may be changed or removed, so that links and draws copy slices and write words, and SPIR-V is never parsed:
 *
 *    ntv_module_create()        once for a shader
 *    ntv_link()                 once for a program: removes unused varyings, packs locations, moves descriptors
 *    ntv_program_keys()         for a draw with another key: the part of it for each stage; equal keys have equal words
 *    ntv_module_instantiate()   for a new key: its words
 *
 * Modules do not change, so threads may share them.
 * ================================================================================================================== */

struct ntv_module;

/* Bits of a key: the state of a draw that changes words. `ntv options` prints the reasons, and the mechanisms for other state. */
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

enum ntv_dither { NTV_DITHER_NONE = 0, NTV_DITHER_4444, NTV_DITHER_5551, NTV_DITHER_565 };

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

void ntv_module_destroy(struct ntv_module *module); /* NULL is fine */

/* New sets, bindings and lengths of descriptors. */
struct ntv_move {
   uint32_t set, binding, new_set, new_binding;
   uint32_t new_count; /* the new length of an array, beyond all constant indices; 0 to keep the length */
};

/* A new number, and a new default value, of a specialization constant. `id` is its number before the link. */
struct ntv_spec_id {
   uint32_t id, new_id;
};

struct ntv_spec_value {
   uint32_t id, value;
};

/* A number of an input or output: `varying` is its index in `varyings` of the result of the module's creation. */
struct ntv_varying_number {
   uint32_t varying, number;
};

/* The place of a captured output in transform feedback. */
struct ntv_capture {
   uint32_t varying; /* its index in `varyings` */
   uint32_t buffer, stride, offset; /* in bytes */
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
 * A plan decides which uniform blocks of a program are read through storage buffers or push constants: once for all stages, before
 * they are translated. Call ntv_plan_create, ntv_plan_add_stage for each stage, ntv_plan_know_block for each block about which the
 * driver has data or whose class it sets, ntv_plan_decide, and then ntv_plan_placements for the options of ntv_translate and
 * ntv_module_create. Only one thread may use a plan at a time.
 * ================================================================================================================== */

struct ntv_plan;
/* The limits of the device: VkPhysicalDeviceLimits. */
struct ntv_limits {
   uint32_t max_uniform_buffer_range, max_storage_buffer_range;
   uint32_t max_per_stage_descriptor_uniform_buffers, max_per_stage_descriptor_storage_buffers;
   uint32_t max_descriptor_set_uniform_buffers, max_descriptor_set_storage_buffers;
   uint32_t min_uniform_buffer_offset_alignment, min_storage_buffer_offset_alignment;
   uint32_t max_push_constants_size;
   uint32_t robust_buffer_access; /* 1 if it or robustBufferAccess2 is enabled */
};

/* The driver's requests. Fields of 0 request nothing. */
struct ntv_plan_wishes {
   uint32_t threshold;        /* blocks with this number of dynamically indexed bytes become storage buffers; 0: no threshold */
   uint32_t offset_alignment; /* of ranges, as reported to applications; 0: min_uniform_buffer_offset_alignment */
   uint32_t push_constants_begin, push_constants_end;     /* the bytes of push constants that are free for blocks */
   uint32_t other_uniform_buffers, other_storage_buffers; /* of each stage, not for blocks of the program */
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

struct ntv_plan *ntv_plan_create(void); /* NULL if memory is short */
void ntv_plan_destroy(struct ntv_plan *plan); /* NULL is fine */

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
 * module is enough for all topologies, and for draws that capture nothing. A draw with indices is replaced by one without
 * indices over a list, whose vertex i is entry i of the list. docs/transform-feedback.md describes the buffers of geometry shaders,
 * and `ntv::capture::kernels` in the library the shaders that count, list and copy on the device. The storage buffers are, as
 * offsets from the first binding:
 *
 *    0 to 3   the transform feedback buffers; only those that the shader captures to
 *    4        the words of struct ntv_xfb_state
 *    5        the list of vertices of a draw with indices, for vertex shaders: ntv_emission_list()
 *    6        the counts of geometry shaders
 *    7, 8...  vertex buffers that the shader fetches from itself
 * ================================================================================================================== */

#define NTV_XFB_BUFFER_BINDING 64u /* the default binding of the first buffer */
#define NTV_XFB_STATE_WORDS 24u    /* the number of words of a state */
#define NTV_XFB_STATE_BINDING 4u   /* these are offsets from the first binding */
#define NTV_XFB_LIST_BINDING 5u
#define NTV_XFB_COUNTS_BINDING 6u
#define NTV_XFB_VERTEX_BUFFER_BINDING 7u

/* The topology of primitives: the numbers are those of GL and of Mesa's enum mesa_prim. */
enum ntv_topology {
   NTV_TOPOLOGY_POINTS = 0, NTV_TOPOLOGY_LINES, NTV_TOPOLOGY_LINE_LOOP, NTV_TOPOLOGY_LINE_STRIP, NTV_TOPOLOGY_TRIANGLES,
   NTV_TOPOLOGY_TRIANGLE_STRIP, NTV_TOPOLOGY_TRIANGLE_FAN,
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

#ifdef __cplusplus
}
#endif

#endif /* NTV_H */
