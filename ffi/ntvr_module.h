/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Changes of SPIR-V after its translation: emit once, then patch. C11 or C++17.
 *
 * The other stage, and the orientation of a draw on the screen, are not known when a shader is compiled. `struct ntvr_patch` is a
 * word of a result that a driver may change itself. A module has a list of the words that may be changed or removed, so that
 * links and draws copy slices and write words, and SPIR-V is never parsed:
 *
 *    ntvr_module_create()        once for a shader
 *    ntvr_link()                 once for a program: removes unused varyings, packs locations, moves descriptors
 *    ntvr_program_keys()         for a draw with another key: the part of it for each stage; equal keys have equal words
 *    ntvr_module_instantiate()   for a new key: its words
 *
 * Modules do not change, so threads may share them.
 */

#ifndef NTVR_MODULE_H
#define NTVR_MODULE_H

#include "ntvr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The meaning of a word that may be changed, and of `of` in its patch. */
enum ntvr_patch_kind {
   /* `of` is the index in `bindings`. */
   NTVR_PATCH_DESCRIPTOR_SET = 0, NTVR_PATCH_BINDING,
   NTVR_PATCH_ARRAY_LENGTH, /* of descriptors; only in modules for links */
   /* `of` is the index in `varyings`; the index is that of dual-source blending. */
   NTVR_PATCH_LOCATION, NTVR_PATCH_COMPONENT, NTVR_PATCH_INDEX, NTVR_PATCH_XFB_BUFFER, NTVR_PATCH_XFB_STRIDE, NTVR_PATCH_XFB_OFFSET,
   /* `of` is the number of the specialization constant; the value is the default. */
   NTVR_PATCH_SPEC_ID, NTVR_PATCH_SPEC_VALUE,
   NTVR_PATCH_LOCAL_SIZE,      /* `of` is the axis: 0, 1 or 2 */
   NTVR_PATCH_OUTPUT_VERTICES, /* tessellation control: the size of the output patch; `of` is 0 */
};

/* A word that may be changed: the module stays valid if the new value is valid. A value may be in several words, for example if
 * two variables use one descriptor: change all of them. */
struct ntvr_patch {
   uint32_t word; /* words[word] has the current value */
   enum ntvr_patch_kind kind;
   uint32_t of;
};

struct ntvr_module;

/* Bits of a key: the state of a draw that changes words. `ntv options` prints the reasons, and the mechanisms for other state. */
#define NTVR_KEY_STRIP UINT64_C(0x1)                /* no names */
#define NTVR_KEY_EARLY_FRAGMENT_TESTS UINT64_C(0x2) /* where they change only alpha to coverage */
#define NTVR_KEY_NO_CAPTURE UINT64_C(0x4)           /* transform feedback is off */
#define NTVR_KEY_SAMPLE_SHADING UINT64_C(0x8)       /* inputs are interpolated at each sample */
#define NTVR_KEY_SWAP_XY UINT64_C(0x10)             /* X and Y are swapped, before they are flipped */
#define NTVR_KEY_FLIP_X UINT64_C(0x20)
#define NTVR_KEY_FLIP_Y UINT64_C(0x40)
#define NTVR_KEY_GL_DEPTH UINT64_C(0x80)           /* clip space has depths from -w to w */
#define NTVR_KEY_DISCARD UINT64_C(0x100)           /* every vertex is outside of the clip volume */
#define NTVR_KEY_POINT_SIZE UINT64_C(0x200)        /* a shader without a point size writes 1, or the pushed size */
#define NTVR_KEY_NO_SAMPLE_MASK UINT64_C(0x400)    /* writes of gl_SampleMask have no effect */
#define NTVR_KEY_FLIP_POINT_COORD UINT64_C(0x800)  /* gl_PointCoord.y is 1 - y, after the turns of the image */
#define NTVR_KEY_INLINED_UNIFORMS UINT64_C(0x1000) /* loads of inlinable uniforms are constants */
#define NTVR_KEY_DUAL_SOURCE UINT64_C(0x2000)      /* the second output is the second source of blending */
#define NTVR_KEY_FLAT_SHADING UINT64_C(0x4000)     /* glShadeModel(GL_FLAT): colours without a qualifier are flat */
#define NTVR_KEY_CLAMP_COLORS UINT64_C(0x8000)     /* glClampColor: colours are clamped to 0..1 */

#define NTVR_KEY_SHADOW_SWIZZLES UINT64_C(0x80000000000) /* old-style comparisons have the swizzles of the key */

enum ntvr_dither { NTVR_DITHER_NONE = 0, NTVR_DITHER_4444, NTVR_DITHER_5551, NTVR_DITHER_565 };

/* The bits that dither colour target `target`, below 8. */
static inline uint64_t
ntvr_key_dither(unsigned target, enum ntvr_dither format)
{
   return (uint64_t)((unsigned)format & 3u) << (16 + 2 * (target & 7u));
}

/* The bit that replaces gl_TexCoord[coordinate] by gl_PointCoord; `coordinate` is below 8. */
static inline uint64_t
ntvr_key_point_sprite(unsigned coordinate)
{
   return UINT64_C(1) << (32 + (coordinate & 7u));
}

/* glAlphaFunc, in the order of GL and of Gallium. */
enum ntvr_alpha_test {
   NTVR_ALPHA_TEST_ALWAYS = 0, NTVR_ALPHA_TEST_NEVER, NTVR_ALPHA_TEST_LESS, NTVR_ALPHA_TEST_EQUAL, NTVR_ALPHA_TEST_LEQUAL,
   NTVR_ALPHA_TEST_GREATER, NTVR_ALPHA_TEST_NOTEQUAL, NTVR_ALPHA_TEST_GEQUAL,
};

/* The bits that discard invocations unless the alpha of colour 0 compares so with `alpha_reference` of struct
 * ntvr_push_constants; alpha is clamped before with NTVR_KEY_CLAMP_COLORS. A shader without such an alpha does not change. One with
 * an alpha, but without the reference, cannot take them. */
static inline uint64_t
ntvr_key_alpha_test(enum ntvr_alpha_test test)
{
   return (uint64_t)((unsigned)test & 7u) << 40;
}

/* Plain data without padding: keys are equal if their bytes are. */
struct ntvr_key {
   uint32_t struct_size;
   uint32_t reserved; /* 0 */
   uint64_t bits;
   uint32_t size[2]; /* of the framebuffer in pixels, for a gl_FragCoord that is flipped */
   /* The values of inlined uniforms of one stage, in the order of shader_info's inlinable_uniform_dw_offsets. */
   uint32_t uniforms[4];
   /* The swizzles of shadow textures, by the driver_location of NIR's variable: ntvr_key_swizzle of the four components. */
   uint8_t swizzles[8];
};

/* A component of a swizzle: the result of the comparison, 0 or 1. */
enum ntvr_swizzle { NTVR_SWIZZLE_RED = 0, NTVR_SWIZZLE_ZERO, NTVR_SWIZZLE_ONE };

static inline uint8_t
ntvr_key_swizzle(enum ntvr_swizzle r, enum ntvr_swizzle g, enum ntvr_swizzle b, enum ntvr_swizzle a)
{
   return (uint8_t)((unsigned)r | (unsigned)g << 2 | (unsigned)b << 4 | (unsigned)a << 6);
}

/* Translates as ntvr_translate does, to a module that supports the bits `offer` and links. ntvr_module_instantiate returns its
 * words; `result` has the other data, or the error. `*module` is NULL after an error.
 *
 * A driver calls it when a shader is made, and knows then whether ntv refuses the shader. A few shaders cannot take some of the bits
 * that were offered: ntvr_program_keys of the module alone, with those that the driver uses, tells it before any draw. After that, a
 * link is refused only for stages that do not follow each other, and a variant only if memory is short. */
enum ntvr_status ntvr_module_create(struct ntvr_translator *translator, const struct ntvr_target *target, const uint32_t *wire,
                                    size_t num_words, uint64_t offer, struct ntvr_module **module,
                                    const struct ntvr_options *options, struct ntvr_result *result);

/* Loads the words of ntvr_module_store; or SPIR-V from elsewhere, which is parsed once to make its tables, and supports
 * NTVR_KEY_STRIP and NTVR_KEY_NO_CAPTURE. Malformed words are safe, but SPIR-V is not validated. `*module` is NULL after an error.
 * A stored module that is damaged or of another version is NTVR_ERROR_MALFORMED: the driver creates it again.
 * Here and in the functions below that mention it, `result` only receives errors, and may be NULL. */
enum ntvr_status ntvr_module_load(const uint32_t *words, size_t num_words, struct ntvr_module **module,
                                  const struct ntvr_options *options, struct ntvr_result *result);

/* Returns words in `result` that ntvr_module_load of this version of the library can load. */
enum ntvr_status ntvr_module_store(const struct ntvr_module *module, const struct ntvr_options *options,
                                   struct ntvr_result *result);

void ntvr_module_destroy(struct ntvr_module *module); /* NULL is fine */

/* New sets, bindings and lengths of descriptors. */
struct ntvr_move {
   uint32_t set, binding, new_set, new_binding;
   uint32_t new_count; /* the new length of an array, beyond all constant indices; 0 to keep the length */
};

/* A new number, and a new default value, of a specialization constant. `id` is its number before the link. */
struct ntvr_spec_id {
   uint32_t id, new_id;
};

struct ntvr_spec_value {
   uint32_t id, value;
};

/* A number of an input or output: `varying` is its index in `varyings` of the result of the module's creation. */
struct ntvr_varying_number {
   uint32_t varying, number;
};

/* The place of a captured output in transform feedback. */
struct ntvr_capture {
   uint32_t varying; /* its index in `varyings` */
   uint32_t buffer, stride, offset; /* in bytes */
};

/* The driver's decisions about a stage at a link. Fields of 0 change nothing. Moves and specialization constants that the stage
 * does not have are ignored; a varying, a length or a size that cannot be changed is an error. */
struct ntvr_link_info {
   uint32_t struct_size;
   const struct ntvr_move *moves;
   size_t num_moves;
   const struct ntvr_spec_id *spec_ids;
   size_t num_spec_ids;
   const struct ntvr_spec_value *spec_values;
   size_t num_spec_values;
   const struct ntvr_varying_number *locations; /* by which stages match; between linked stages they are packed afterwards */
   size_t num_locations;
   const struct ntvr_varying_number *components; /* of those that do not start at component 0 */
   size_t num_components;
   const struct ntvr_varying_number *indices; /* of dual-source blending: 0 or 1 */
   size_t num_indices;
   const struct ntvr_capture *captures;
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
enum ntvr_status ntvr_link(const struct ntvr_module *const *stages, size_t num_stages, const struct ntvr_link_info *infos,
                           struct ntvr_module **linked, const struct ntvr_options *options, struct ntvr_result *result);

/* Writes the part of `key` for each stage, in the order of the pipeline, to `keys`, an array of the struct_size of `key`. Variants of equal keys have equal words. A
 * key that is not possible for a stage is an error with the name of the stage; `result` only receives errors, and may be NULL.
 * Allocates memory only for errors. */
enum ntvr_status ntvr_program_keys(const struct ntvr_module *const *stages, size_t num_stages, const struct ntvr_key *key,
                                   struct ntvr_key *keys, const struct ntvr_options *options, struct ntvr_result *result);

/* Writes the most likely keys of draws to `keys`, which has space for `most` of the struct_size of `always`, the likeliest first. All have the bits and the size
 * of `always`. Returns the number of keys; 0 for NULL, for stages that no pipeline has, and if `always` is not possible for
 * them. */
size_t ntvr_likely_keys(const struct ntvr_module *const *stages, size_t num_stages, const struct ntvr_key *always,
                        struct ntvr_key *keys, size_t most);

/* Returns the words for `key` in `result`, and the descriptors that they use. It is an error if the key has options that the
 * module was not made for, or lacks the size of the framebuffer where words depend on it; the message names them. Options of
 * other stages are ignored. All memory that it allocates is that of the result, unless there is an error. */
enum ntvr_status ntvr_module_instantiate(const struct ntvr_module *module, const struct ntvr_key *key,
                                         const struct ntvr_options *options, struct ntvr_result *result);

#ifdef __cplusplus
}
#endif

#endif /* NTVR_MODULE_H */
