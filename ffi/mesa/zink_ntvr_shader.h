/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Shaders as the state tracker made them. ntv translates their NIR as it is: no NIR pass of zink runs. What zink itself has to know
 * of a shader is read from that NIR. zink's own lowering makes another form of it, for nir_to_spirv and for generated shaders; both
 * forms have the same sets and bindings.
 */

#ifndef ZINK_NTVR_SHADER_H
#define ZINK_NTVR_SHADER_H

#include <stdbool.h>

struct nir_shader;
struct ntvr_descriptor_layout;
struct zink_screen;
struct zink_shader;

#ifdef __cplusplus
extern "C" {
#endif

#ifdef HAVE_ZINK_NTVR

/*
 * Whether the state tracker keeps vectors, and zink_ntvr_finalize() runs in pipe_screen::finalize_nir. What nir_to_spirv needs instead runs
 * before zink's lowering.
 */
bool zink_ntvr_finalizes(void);

/*
 * Removes what the state tracker's lowering of uniforms leaves: a third of the instructions. The state tracker has optimized the NIR
 * before that, and ntv lowers what devices lack. Without these passes, ntv would take longer by their time.
 */
void zink_ntvr_finalize(struct nir_shader *nir);

/*
 * Makes the module of a shader from the state tracker's NIR, zink_shader::nir, which zink_shader::blob keeps, and sets the fields of
 * zink_shader that zink's lowering sets otherwise. Returns false if zink has to lower the shader; then the fields are as before.
 */
bool zink_ntvr_shader_init(struct zink_screen *screen, struct zink_shader *zs);

/*
 * Sets the fields of zink_shader from its NIR, without its module. Returns false if only zink's lowering handles the shader. Then, and to
 * read it again, zink_ntvr_shader_forget() clears the fields.
 */
bool zink_ntvr_shader_read(struct zink_screen *screen, struct zink_shader *zs);
void zink_ntvr_shader_forget(struct zink_shader *zs);

/* The sets and bindings of the shader's descriptors in zink. */
void zink_ntvr_shader_layout(struct ntvr_descriptor_layout *layout, const struct zink_screen *screen, const struct zink_shader *zs);

#else

static inline bool
zink_ntvr_finalizes(void)
{
   return false;
}

static inline void
zink_ntvr_finalize(struct nir_shader *nir)
{
}

static inline bool
zink_ntvr_shader_init(struct zink_screen *screen, struct zink_shader *zs)
{
   return false;
}

#endif /* HAVE_ZINK_NTVR */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTVR_SHADER_H */
