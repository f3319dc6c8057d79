/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv: NIR to SPIR-V, as a C library. C11 or C++17. This header has the versions, the target and the translation of a shader:
 *
 *    const char *message = ntvr_check_version();
 *    if (message)
 *       report(message);
 *    struct ntvr_target target = {.struct_size = sizeof(target)};
 *    ntvr_target_init(&target, VK_API_VERSION_1_3);
 *    ntvr_target_enable(&target, "shaderFloat64", features.shaderFloat64);
 *
 *    struct ntvr_translator *translator = ntvr_translator_create();
 *    struct ntvr_result result = {.struct_size = sizeof(result)};
 *    if (ntvr_translate(translator, &target, wire.words, wire.len, NULL, &result) != NTVR_OK)
 *       report(result.error);
 *    else
 *       use(result.words, result.num_words);
 *    ntvr_result_free(&result, NULL);
 *    ntvr_translator_destroy(translator);
 *
 * Each other header has one subject, and includes this one:
 *
 *    ntvr_wire.h     writes a NIR shader as a wire, the input of a translation
 *    ntvr_module.h   changes of SPIR-V after its translation: single words, links, variants for draws
 *    ntvr_plan.h     plans, which decide how uniform blocks are bound
 *    ntvr_xfb.h      transform feedback that shaders write
 *
 * Every function may be called from any thread at any time. No function prints, reads the environment or unwinds. An internal error
 * of ntv is an error like others (NTVR_ERROR_INTERNAL), for which the Rust runtime also writes a line to stderr. If the allocator of
 * a call returns NULL, the call returns NTVR_ERROR_MEMORY, and the driver can go on. If malloc fails within the library, for the
 * memory that a translation needs on the way, the process is aborted, as in all of Rust's standard library.
 *
 * The ABI. The library is libntvr.so.0, and the versions of its symbols are NTVR_0: the number is that of the ABI. As long as it is
 * the same, a library works with drivers that were built for an older one. A structure that the caller fills begins with
 * `struct_size`, which the caller sets to its sizeof, and may get more fields at its end: fields that an older driver does not have
 * are 0, and a newer driver may only set those that the library has. Arrays of such structures have the size of the first one.
 * Structures without `struct_size` do not change. The structures of a wire are used by inline functions alone.
 */

#ifndef NTVR_H
#define NTVR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NTVR_VERSION "0.1.0"

/* The hash of all headers without comments and spaces. `BLESS=1 cargo test --package ntv-ffi` writes it. */
#define NTVR_HEADERS 0x14d1e893705d9c79ull

/* Changes with every change of wires that an older reader would misread. */
#define NTVR_WIRE_VERSION 7u

/* The values of the loaded library. */
const char *ntvr_version(void);
uint32_t ntvr_wire_version(void);

/* NULL if the loaded library works with a driver that was built with the headers of this hash. Otherwise a message. */
const char *ntvr_check_headers(uint64_t headers);

/* NULL if the loaded library works with this header. Otherwise a message, and the results of all other functions are undefined. A
 * driver calls it once, before it creates a translator. */
static inline const char *
ntvr_check_version(void)
{
   if (ntvr_wire_version() != NTVR_WIRE_VERSION)
      return "the loaded libntvr reads another version of wires than this driver writes";
   return ntvr_check_headers(NTVR_HEADERS);
}

/* The value "none" of optional numbers. */
#define NTVR_NONE 0xffffffffu

enum ntvr_stage {
   NTVR_STAGE_VERTEX = 0, NTVR_STAGE_TESS_CTRL, NTVR_STAGE_TESS_EVAL, NTVR_STAGE_GEOMETRY, NTVR_STAGE_FRAGMENT, NTVR_STAGE_COMPUTE,
   NTVR_STAGE_KERNEL, NTVR_STAGE_TASK, NTVR_STAGE_MESH,
};

/* The names in a wire: a writer looks up their numbers. */
enum ntvr_table {
   NTVR_TABLE_ALU = 0,   /* nir_op_infos[].name: "fadd" */
   NTVR_TABLE_INTRINSIC, /* nir_intrinsic_infos[].name: "load_ubo" */
   NTVR_TABLE_FORMAT,    /* util_format_short_name(): "r32_uint" */
};

/* The number of a name of any version of Mesa; NTVR_NONE if ntv does not have the name, or for NULL. */
uint32_t ntvr_wire_number(enum ntvr_table table, const char *name);

/* The number of indices in the record of an intrinsic, by its number; 0 if there is no such intrinsic. */
uint32_t ntvr_wire_num_indices(uint32_t intrinsic);

/* The position of an index among them, by nir_intrinsic_index_flag in small letters: "write_mask". NTVR_NONE if the intrinsic of
 * ntv does not have the index, or for NULL. */
uint32_t ntvr_wire_index(uint32_t intrinsic, const char *index);

enum ntvr_buffer_access {
   NTVR_BUFFER_ACCESS_AUTO = 0, /* one load for all components that are needed of a vec4 */
   NTVR_BUFFER_ACCESS_LANE,     /* always one load per 32-bit component */
};

/* The abilities of the Vulkan device. Plain data, which may be copied. Call ntvr_target_init before setting fields. */
struct ntvr_target {
   uint32_t struct_size;
   uint32_t vulkan_version; /* as VK_MAKE_API_VERSION makes it; the SPIR-V version follows from it */
   uint32_t features[4];    /* ntvr_target_enable */
   uint32_t max_uniform_buffer_range;
   uint32_t max_push_constants_size;
   uint32_t indexed_draw_offset; /* byte offset in the push constants of a word that is 0 in draws without indices */
   /* Byte offset in the push constants of a number that is added to DrawIndex for load_draw_id; NTVR_NONE by default. */
   uint32_t draw_id_offset;
   uint32_t max_draw_buffers;
   uint32_t max_clip_and_cull_distances; /* maxCombinedClipAndCullDistances */
   enum ntvr_buffer_access buffer_access;
   /* A guarantee of the driver, false by default: every range of a uniform buffer that it binds has a multiple of 16 bytes. Then
    * a shader may load a whole vec4 to read a part of it. Without the guarantee the range may end within the vec4, and a device
    * with robust buffer access may return zeros for all of it (Vulkan, "Robust Buffer Access"). */
   bool uniform_ranges_in_vec4s;
   uint8_t reserved[3]; /* 0 */
   uint32_t workarounds; /* ntvr_target_workaround */
};

/* Sets the features and limits that most drivers of this Vulkan version offer. Returns false, without a write, if `target` is
 * NULL, its struct_size is too small or the version is below 1.0; versions above 1.4 are treated as 1.4. All other bytes become 0,
 * so a driver may hash the target as memory. */
bool ntvr_target_init(struct ntvr_target *target, uint32_t vulkan_version);

/* Enables or disables a feature, by Vulkan's name for it: "shaderFloat64". Returns false for NULL or an unknown feature. */
bool ntvr_target_enable(struct ntvr_target *target, const char *feature, bool on);

/* Enables or disables a workaround for a bug of the device's driver, by its name. None is enabled after ntvr_target_init. Returns
 * false if there is no such workaround, or for NULL.
 *
 *    "unsigned_constants"   constants of NIR are unsigned integers, and OpBitcast converts them to other types */
bool ntvr_target_workaround(struct ntvr_target *target, const char *workaround, bool on);

/* The memory of translations, reused by each. Use one per thread: calls that share a translator wait for each other. */
struct ntvr_translator;

struct ntvr_translator *ntvr_translator_create(void); /* NULL if memory is short */
void ntvr_translator_destroy(struct ntvr_translator *translator); /* NULL is fine */

enum ntvr_status {
   NTVR_OK = 0,
   NTVR_ERROR_ARGUMENT,    /* a null pointer, an invalid target, or a key or link that is not possible for the modules */
   NTVR_ERROR_MALFORMED,   /* the words are not a wire of this version */
   NTVR_ERROR_INVALID,     /* the shader breaks a rule of NIR */
   NTVR_ERROR_UNSUPPORTED, /* the target lacks a feature, or ntv cannot do it */
   NTVR_ERROR_INTERNAL,    /* a bug of ntv; please report it, unless NTVR_OPTION_VALID_NIR was set for invalid NIR */
   NTVR_ERROR_MEMORY,      /* the allocator returned NULL */
};

/* The allocator of results. `alloc` returns memory aligned as malloc's, or NULL. `free` may be NULL if the caller frees the
 * memory in another way. Neither may unwind. */
struct ntvr_allocator {
   void *(*alloc)(void *user, size_t size);
   void (*free)(void *user, void *memory);
   void *user;
};

enum ntvr_option_flags {
   NTVR_OPTION_NAMES = 1 << 0,      /* names of variables in the SPIR-V */
   NTVR_OPTION_WORDS_ONLY = 1 << 1, /* no bindings, varyings and patches in the result */
   /* The caller guarantees that the shader passes nir_validate_shader: ntv does not check the rules of NIR, which takes a sixth
    * of the time. A shader that breaks a rule nevertheless gives any error, including NTVR_ERROR_INTERNAL, or invalid SPIR-V, and
    * may take more time and memory than others; memory stays safe. A library with debug assertions always checks. */
   NTVR_OPTION_VALID_NIR = 1 << 2,
   /* OpSource with the shader as text, as nir_print_shader prints it, and OpLine for each of its instructions: debuggers show
    * them. Costs several times the time of a translation. */
   NTVR_OPTION_LINES = 1 << 3,
};

struct ntvr_patch;       /* ntvr_module.h */
struct ntvr_placement;   /* ntvr_plan.h */
struct ntvr_xfb_options; /* ntvr_xfb.h */

/* The places of floats in the push constants that options of keys read (ntvr_module.h): byte offsets, multiples of 4, or NTVR_NONE. */
struct ntvr_push_constants {
   uint32_t struct_size;
   uint32_t alpha_reference; /* see ntvr_key_alpha_test */
   uint32_t point_size;      /* NTVR_KEY_POINT_SIZE writes it instead of 1 */
};

/* Kinds of descriptors that have sets of their own. */
enum ntvr_descriptor_class {
   NTVR_CLASS_DEFAULT_UNIFORMS = 0, /* uniform block 0 if first_ubo_is_default_ubo; the attachments that a shader reads */
   NTVR_CLASS_UNIFORM_BUFFER, NTVR_CLASS_TEXTURE, NTVR_CLASS_STORAGE_BUFFER, NTVR_CLASS_IMAGE, NTVR_CLASS_BINDLESS, NTVR_NUM_CLASSES,
};

/* The set and the binding of the first descriptor of a class: block, unit or image 0. The bindings of the others follow, those of
 * bindless arrays by their type: 0 to 3 for textures, texel buffers, images and storage texel buffers. Attachments have the binding
 * that ntvr_binding describes. */
struct ntvr_descriptor_slot {
   uint32_t set, binding;
};

/* Blocks that are the elements of one array of descriptors, at the binding of their class. It must have all blocks that the shader
 * accesses, and those that a dynamic index may select. */
struct ntvr_block_array {
   uint32_t first; /* the block, by NIR's number, that is element 0 */
   uint32_t count; /* 0: each block has a binding of its own, unless a dynamic index selects blocks */
};

/* The sets and bindings of a shader's descriptors. Variables in a wire that have a set keep it. */
struct ntvr_descriptor_layout {
   uint32_t struct_size;
   struct ntvr_block_array uniform_blocks; /* without block 0 if first_ubo_is_default_ubo */
   struct ntvr_block_array storage_blocks;
   struct ntvr_descriptor_slot slots[NTVR_NUM_CLASSES]; /* last, because a newer library may have more classes */
};

/* All other fields may be 0. Only ntvr_translate and ntvr_module_create read the fields after the allocator. */
struct ntvr_options {
   uint32_t struct_size;
   uint32_t flags;
   struct ntvr_allocator allocator; /* malloc and free if `alloc` is NULL */
   const struct ntvr_placement *placements; /* NULL: all blocks are uniform buffers */
   size_t num_placements;
   const struct ntvr_xfb_options *xfb; /* NULL: the device writes captures */
   const struct ntvr_push_constants *push_constants; /* NULL: none */
   const struct ntvr_descriptor_layout *descriptors; /* NULL: sets 0 to 5 in the order of the classes, with bindings from 0 on */
};

/* The Location that an unlinked module of ntvr_module_create() has for a slot of NIR (gl_varying_slot), in every stage: its inputs and
 * outputs are explicit (io_lowered), or have no locations. Below 96 for slots that stages pass on; NTVR_NONE if there is no such slot. */
uint32_t ntvr_slot_location(uint32_t slot);

enum ntvr_descriptor {
   NTVR_DESCRIPTOR_UNIFORM_BUFFER = 0, NTVR_DESCRIPTOR_STORAGE_BUFFER, NTVR_DESCRIPTOR_COMBINED_IMAGE_SAMPLER,
   NTVR_DESCRIPTOR_SAMPLED_IMAGE, NTVR_DESCRIPTOR_SAMPLER, NTVR_DESCRIPTOR_UNIFORM_TEXEL_BUFFER, NTVR_DESCRIPTOR_STORAGE_IMAGE,
   NTVR_DESCRIPTOR_STORAGE_TEXEL_BUFFER, NTVR_DESCRIPTOR_INPUT_ATTACHMENT,
};

/* Descriptors that the module uses. Several variables may use the same descriptor.
 *
 * Reads of the framebuffer by a fragment shader (load_output, variables with NTVR_VARIABLE_FB_FETCH_OUTPUT) are input attachments
 * in the set of the default uniforms, 0. Attachment n has the binding 5 + n and the InputAttachmentIndex n: 0 to 7 are the
 * colours, 8 is depth (a float), 9 is stencil (an unsigned integer). The list does not have attachments that the shader does not
 * read. An attachment that is a variable of the shader has the binding and the index of that variable. */
struct ntvr_binding {
   uint32_t set, binding;
   enum ntvr_descriptor kind;
   uint32_t count; /* 1 if it is not an array */
   /* Uniform blocks of every class: the least number of bytes of a bound range for which every load of the original NIR is in
    * bounds. 0 if that is not known, and for other descriptors. */
   uint32_t min_range;
};

/* Inputs and outputs that are connected to another stage, the fixed function or a vertex buffer. */
struct ntvr_varying {
   bool is_output;
   bool per_patch;   /* tessellation: per patch, not per vertex */
   bool is_removed;  /* ntvr_link removed it */
   uint32_t builtin; /* SPIR-V's BuiltIn; NTVR_NONE if it has a location */
   uint32_t location;
   uint32_t num_locations;
   uint32_t component; /* of each location, in units of 32 bits */
   uint32_t num_components; /* of each of its vectors; more than four continue in the next location */
   bool is_captured; /* transform feedback captures it, with the fields below */
   bool is_copy;     /* a copy of a captured built-in, or of a part of one: no other stage reads it */
   uint32_t xfb_buffer, xfb_stride, xfb_offset;
};

struct ntvr_result {
   uint32_t struct_size; /* the caller sets it; the other fields need not be initialized */
   uint32_t *words; /* the module; NULL after an error */
   size_t num_words;
   uint32_t patch_vertices_word; /* tessellation control: its word has the size of the output patch; 0 in other stages */
   uint32_t workgroup_size[3];     /* compute; all 0 in other stages, and if it is made of specialization constants */
   struct ntvr_binding *bindings;   /* each set, binding and kind once, sorted by set and binding */
   size_t num_bindings;
   struct ntvr_varying *varyings;
   size_t num_varyings;
   struct ntvr_patch *patches; /* ntvr_module.h; in the order of words; empty if the result has no SPIR-V */
   size_t num_patches;
   char *error; /* a line for each problem; NULL without an error, or if there was no memory for it */
};

/* Translates the shader in `num_words` words at `wire`. `options` may be NULL. Writes all of `result`, unless it is NULL or its
 * struct_size is too small. */
enum ntvr_status ntvr_translate(struct ntvr_translator *translator, const struct ntvr_target *target, const uint32_t *wire,
                                size_t num_words, const struct ntvr_options *options, struct ntvr_result *result);

/* Frees what `result` points to, with the allocator of the same options, and clears it, apart from struct_size. */
void ntvr_result_free(struct ntvr_result *result, const struct ntvr_options *options);

#ifdef __cplusplus
}
#endif

#endif /* NTVR_H */
