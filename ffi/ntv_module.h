/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Changes of SPIR-V after its translation: emit once, then patch. C11 or C++17.
 *
 * The other stage, and the orientation of a draw on the screen, are not known when a shader is compiled. `struct ntv_patch` is a
 * word of a result that a driver may change itself. A module has a list of the words that may be changed or removed, so that
 * links and draws copy slices and write words, and SPIR-V is never parsed:
 *
 *    ntv_module_create()        once for a shader
 *    ntv_link()                 once for a program: removes unused varyings, packs locations, moves descriptors
 *    ntv_program_keys()         for a draw with another key: the part of it for each stage; equal keys have equal words
 *    ntv_module_instantiate()   for a new key: its words
 *
 * Modules do not change, so threads may share them.
 */

#ifndef NTV_MODULE_H
#define NTV_MODULE_H

#include "ntv.h"

#ifdef __cplusplus
extern "C" {
#endif

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

struct ntv_module;

/* Bits of a key: the state of a draw that changes words. `ntv options` prints the reasons, and the mechanisms for other state. */
#define NTV_KEY_STRIP UINT64_C(0x1)                /* no names */
#define NTV_KEY_EARLY_FRAGMENT_TESTS UINT64_C(0x2) /* where they change only alpha to coverage */
#define NTV_KEY_NO_CAPTURE UINT64_C(0x4)           /* transform feedback is off */
#define NTV_KEY_SAMPLE_SHADING UINT64_C(0x8)       /* inputs are interpolated at each sample */
#define NTV_KEY_SWAP_XY UINT64_C(0x10)             /* X and Y are swapped, before they are flipped */
#define NTV_KEY_FLIP_X UINT64_C(0x20)
#define NTV_KEY_FLIP_Y UINT64_C(0x40)
#define NTV_KEY_GL_DEPTH UINT64_C(0x80)           /* clip space has depths from -w to w */
#define NTV_KEY_DISCARD UINT64_C(0x100)           /* every vertex is outside of the clip volume */
#define NTV_KEY_POINT_SIZE UINT64_C(0x200)        /* a shader without a point size writes 1, or the pushed size */
#define NTV_KEY_NO_SAMPLE_MASK UINT64_C(0x400)    /* writes of gl_SampleMask have no effect */
#define NTV_KEY_FLIP_POINT_COORD UINT64_C(0x800)  /* gl_PointCoord.y is 1 - y, after the turns of the image */
#define NTV_KEY_INLINED_UNIFORMS UINT64_C(0x1000) /* loads of inlinable uniforms are constants */
#define NTV_KEY_DUAL_SOURCE UINT64_C(0x2000)      /* the second output is the second source of blending */
#define NTV_KEY_FLAT_SHADING UINT64_C(0x4000)     /* glShadeModel(GL_FLAT): colours without a qualifier are flat */
#define NTV_KEY_CLAMP_COLORS UINT64_C(0x8000)     /* glClampColor: colours are clamped to 0..1 */

#define NTV_KEY_SHADOW_SWIZZLES UINT64_C(0x80000000000) /* old-style comparisons have the swizzles of the key */

enum ntv_dither { NTV_DITHER_NONE = 0, NTV_DITHER_4444, NTV_DITHER_5551, NTV_DITHER_565 };

/* The bits that dither colour target `target`, below 8. */
static inline uint64_t
ntv_key_dither(unsigned target, enum ntv_dither format)
{
   return (uint64_t)((unsigned)format & 3u) << (16 + 2 * (target & 7u));
}

/* The bit that replaces gl_TexCoord[coordinate] by gl_PointCoord; `coordinate` is below 8. */
static inline uint64_t
ntv_key_point_sprite(unsigned coordinate)
{
   return UINT64_C(1) << (32 + (coordinate & 7u));
}

/* glAlphaFunc, in the order of GL and of Gallium. */
enum ntv_alpha_test {
   NTV_ALPHA_TEST_ALWAYS = 0, NTV_ALPHA_TEST_NEVER, NTV_ALPHA_TEST_LESS, NTV_ALPHA_TEST_EQUAL, NTV_ALPHA_TEST_LEQUAL,
   NTV_ALPHA_TEST_GREATER, NTV_ALPHA_TEST_NOTEQUAL, NTV_ALPHA_TEST_GEQUAL,
};

/* The bits that discard invocations unless the alpha of colour 0 compares so with `alpha_reference` of struct
 * ntv_push_constants; alpha is clamped before with NTV_KEY_CLAMP_COLORS. A shader without such an alpha does not change. One with
 * an alpha, but without the reference, cannot take them. */
static inline uint64_t
ntv_key_alpha_test(enum ntv_alpha_test test)
{
   return (uint64_t)((unsigned)test & 7u) << 40;
}

/* Plain data without padding: keys are equal if their bytes are. */
struct ntv_key {
   uint64_t bits;
   uint32_t size[2]; /* of the framebuffer in pixels, for a gl_FragCoord that is flipped */
   /* The values of inlined uniforms of one stage, in the order of shader_info's inlinable_uniform_dw_offsets. */
   uint32_t uniforms[4];
   /* The swizzles of shadow textures, by the driver_location of NIR's variable: ntv_key_swizzle of the four components. */
   uint8_t swizzles[8];
};

/* A component of a swizzle: the result of the comparison, 0 or 1. */
enum ntv_swizzle { NTV_SWIZZLE_RED = 0, NTV_SWIZZLE_ZERO, NTV_SWIZZLE_ONE };

static inline uint8_t
ntv_key_swizzle(enum ntv_swizzle r, enum ntv_swizzle g, enum ntv_swizzle b, enum ntv_swizzle a)
{
   return (uint8_t)((unsigned)r | (unsigned)g << 2 | (unsigned)b << 4 | (unsigned)a << 6);
}

/* Translates as ntv_translate does, to a module that supports the bits `offer` and links. ntv_module_instantiate returns its
 * words; `result` has the other data, or the error. `*module` is NULL after an error. */
enum ntv_status ntv_module_create(struct ntv_translator *translator, const struct ntv_target *target, const uint32_t *wire,
                                  size_t num_words, uint64_t offer, struct ntv_module **module,
                                  const struct ntv_options *options, struct ntv_result *result);

/* Loads the words of ntv_module_store; or SPIR-V from elsewhere, which is parsed once to make its tables, and supports
 * NTV_KEY_STRIP and NTV_KEY_NO_CAPTURE. Malformed words are safe, but SPIR-V is not validated. `*module` is NULL after an error.
 * A stored module that is damaged or of another version is NTV_ERROR_MALFORMED: the driver creates it again.
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
 * key that is not possible for a stage is an error with the name of the stage; `result` only receives errors, and may be NULL.
 * Allocates memory only for errors. */
enum ntv_status ntv_program_keys(const struct ntv_module *const *stages, size_t num_stages, const struct ntv_key *key,
                                 struct ntv_key *keys, const struct ntv_options *options, struct ntv_result *result);

/* Writes the most likely keys of draws to `keys`, which has space for `most`, the likeliest first. All have the bits and the size
 * of `always`. Returns the number of keys; 0 for NULL, for stages that no pipeline has, and if `always` is not possible for
 * them. */
size_t ntv_likely_keys(const struct ntv_module *const *stages, size_t num_stages, const struct ntv_key *always,
                       struct ntv_key *keys, size_t most);

/* Returns the words for `key` in `result`, and the descriptors that they use. It is an error if the key has options that the
 * module was not made for, or lacks the size of the framebuffer where words depend on it; the message names them. Options of
 * other stages are ignored. All memory that it allocates is that of the result, unless there is an error. */
enum ntv_status ntv_module_instantiate(const struct ntv_module *module, const struct ntv_key *key,
                                       const struct ntv_options *options, struct ntv_result *result);

#ifdef __cplusplus
}
#endif

#endif /* NTV_MODULE_H */
