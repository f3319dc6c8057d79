/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Modules of ntv: a shader is translated once, when it is made. Programs link the modules of their stages, and the variants for
 * shader keys are the words of linked modules with patches. Only a key that has no patch makes zink lower and translate the shader
 * again; docs/zink.md of ntv has a list of them.
 */

#ifndef ZINK_NTVR_MODULE_H
#define ZINK_NTVR_MODULE_H

#include <stdbool.h>

#include "compiler/shader_enums.h"

struct nir_shader;
struct ntvr_module;
struct spirv_shader;
struct zink_gfx_program;
struct zink_screen;
struct zink_shader;
struct zink_shader_key;
struct zink_zs_swizzle_key;
union zink_shader_key_optimal;

#ifdef __cplusplus
extern "C" {
#endif

/* The number of Locations that unlinked modules use between stages: ntvr_slot_location(). */
#define ZINK_NTVR_MAX_LOCATIONS 96

/* The location of each slot of a linked stage. */
struct zink_ntvr_locations {
   /* By the direction, and the Location in an unlinked module; -1 for a slot that the stage does not share with another one. */
   int16_t of[2][ZINK_NTVR_MAX_LOCATIONS];
};

#ifdef HAVE_ZINK_NTVR

/* Whether the shader may have a module. */
bool zink_ntvr_wants_module(const struct zink_screen *screen, const struct zink_shader *zs);

/* The key whose variant is the module. */
void zink_ntvr_module_key(struct zink_shader_key *key, const struct zink_shader *zs);

/* Gives inputs and outputs the locations by which ntv links modules. */
void zink_ntvr_module_locations(struct nir_shader *nir);

/*
 * Sets zink_shader::ntvr_module to that of NIR that was lowered for zink_ntvr_module_key(), with zink_ntvr_module_locations(). It stays
 * NULL if ntv refuses the shader: the variants of programs with it are compiled one by one then.
 */
void zink_ntvr_module_create(struct zink_screen *screen, struct zink_shader *zs, struct nir_shader *nir);

void zink_ntvr_module_destroy(struct zink_shader *zs);

/*
 * The words of the module of a shader that is linked to none, for `key` and swizzles as in zink_ntvr_program_variant(). NULL if it has
 * no module, the key has no patch, or memory is short.
 */
struct spirv_shader *zink_ntvr_shader_variant(const struct zink_screen *screen, const struct zink_shader *zs,
                                              const struct zink_shader_key *key, const struct zink_zs_swizzle_key *swizzles);

/*
 * Sets zink_shader::ntvr_separate to the module with its descriptors in `set`, at the offsets of zink's
 * zink_descriptor_shader_get_binding_offsets(), and the locations of a separate shader. Returns its words for the default key. NULL if
 * the shader has to be compiled.
 */
struct spirv_shader *zink_ntvr_separate(struct zink_screen *screen, struct zink_shader *zs, unsigned set, const unsigned *offsets);

/* Whether zink_ntvr_separate_variant() has the variant for `key`. */
bool zink_ntvr_separate_has_key(const struct zink_screen *screen, const struct zink_shader *zs,
                                const union zink_shader_key_optimal *key);

/* The words of zink_shader::ntvr_separate for `key`. NULL if the key has no patch, or if memory is short. */
struct spirv_shader *zink_ntvr_separate_variant(struct zink_screen *screen, const struct zink_shader *zs,
                                                const union zink_shader_key_optimal *key);

/*
 * Links the modules of a program's stages. Returns false if one of them has no module, or they cannot be linked: zink then assigns
 * locations itself and compiles variants of the stages.
 */
bool zink_ntvr_program_link(struct zink_gfx_program *prog);

void zink_ntvr_program_unlink(struct zink_gfx_program *prog);

/*
 * The words of a stage of a linked program for `key`, which is NULL if no key has an effect, and for the swizzles of textures, which
 * are NULL if the key needs none. NULL if the key has no patch, or if memory is short: the variant is compiled then, with the
 * locations of zink_ntvr_program_locations(). The linked modules are freed with the first variants, and kept from the second one on.
 */
struct spirv_shader *zink_ntvr_program_variant(struct zink_screen *screen, struct zink_gfx_program *prog, gl_shader_stage stage,
                                               const struct zink_shader_key *key, const struct zink_zs_swizzle_key *swizzles);

/* The locations of a stage of a linked program, which keeps them. NULL if memory is short. */
const struct zink_ntvr_locations *zink_ntvr_program_locations(struct zink_gfx_program *prog, gl_shader_stage stage);

/*
 * Gives the inputs and outputs of a stage's NIR these locations, as zink_compiler_assign_io() does for both stages. Those that the
 * other stage does not have are removed, with zink_compiler_remove_varying().
 */
void zink_ntvr_assign_locations(struct nir_shader *nir, const struct zink_ntvr_locations *locations);

#else

static inline bool
zink_ntvr_wants_module(const struct zink_screen *screen, const struct zink_shader *zs)
{
   return false;
}

static inline void
zink_ntvr_module_key(struct zink_shader_key *key, const struct zink_shader *zs)
{
}

static inline void
zink_ntvr_module_locations(struct nir_shader *nir)
{
}

static inline void
zink_ntvr_module_create(struct zink_screen *screen, struct zink_shader *zs, struct nir_shader *nir)
{
}

static inline void
zink_ntvr_module_destroy(struct zink_shader *zs)
{
}

static inline struct spirv_shader *
zink_ntvr_shader_variant(const struct zink_screen *screen, const struct zink_shader *zs, const struct zink_shader_key *key,
                         const struct zink_zs_swizzle_key *swizzles)
{
   return NULL;
}

static inline struct spirv_shader *
zink_ntvr_separate(struct zink_screen *screen, struct zink_shader *zs, unsigned set, const unsigned *offsets)
{
   return NULL;
}

static inline bool
zink_ntvr_separate_has_key(const struct zink_screen *screen, const struct zink_shader *zs, const union zink_shader_key_optimal *key)
{
   return false;
}

static inline struct spirv_shader *
zink_ntvr_separate_variant(struct zink_screen *screen, const struct zink_shader *zs, const union zink_shader_key_optimal *key)
{
   return NULL;
}

static inline bool
zink_ntvr_program_link(struct zink_gfx_program *prog)
{
   return false;
}

static inline void
zink_ntvr_program_unlink(struct zink_gfx_program *prog)
{
}

static inline struct spirv_shader *
zink_ntvr_program_variant(struct zink_screen *screen, const struct zink_gfx_program *prog, gl_shader_stage stage,
                          const struct zink_shader_key *key, const struct zink_zs_swizzle_key *swizzles)
{
   return NULL;
}

static inline const struct zink_ntvr_locations *
zink_ntvr_program_locations(struct zink_gfx_program *prog, gl_shader_stage stage)
{
   return NULL;
}

static inline void
zink_ntvr_assign_locations(struct nir_shader *nir, const struct zink_ntvr_locations *locations)
{
}

#endif /* HAVE_ZINK_NTVR */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTVR_MODULE_H */
