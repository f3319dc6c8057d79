/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Transform feedback for devices without VK_EXT_transform_feedback: shaders write captures to storage buffers.
 *
 * ZINK_NTVR_XFB=storage also enables this on a device that has the extension, which is then hidden. The device only needs
 * vertexPipelineStoresAndAtomics.
 *
 * Counts of primitives are on the CPU: pausing and resuming transform feedback, and glDrawTransformFeedback, do not wait for the
 * device. These are read back, and so wait: parameters of indirect draws, indices and the vertices that they name, and the output
 * of geometry shaders. A driver that is made for such a device can keep them on the device, see ntv's `capture::kernels`.
 */

#ifndef ZINK_NTVR_XFB_H
#define ZINK_NTVR_XFB_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/shader_enums.h"
#include "pipe/p_defines.h"
#include "pipe/p_state.h"
#include "util/bitset.h"
#ifdef HAVE_ZINK_NTVR
#include "ntvr_xfb.h"
#endif

struct nir_shader;
struct zink_context;
struct zink_device_info;
struct zink_screen;
struct zink_shader;

#ifdef __cplusplus
extern "C" {
#endif

/* The shader buffers of a stage that captures, from the last one downwards: those of ntvr_xfb.h, in its order. */
#define ZINK_NTVR_XFB_SLOTS 7
#define ZINK_NTVR_XFB_SLOT  (PIPE_MAX_SHADER_BUFFERS - ZINK_NTVR_XFB_SLOTS)

/* Primitives of each stream, since the context was made. */
struct zink_ntvr_xfb_count {
   uint64_t generated[PIPE_MAX_VERTEX_STREAMS];
   uint64_t written[PIPE_MAX_VERTEX_STREAMS];
};

/* The state of transform feedback of a context. It uses the targets in zink's fields, while zink itself sees none. */
struct zink_ntvr_xfb {
   unsigned num_targets;
   struct zink_ntvr_xfb_count count;
   /* Whether the bound state of a stage says that nothing is captured. */
   bool is_idle[MESA_SHADER_STAGES];
   /* Whether the current draw is made by zink_ntvr_xfb_draw(). */
   bool is_drawing;
};

/* The captures of a shader. */
struct zink_ntvr_xfb_shader {
   bool captures;
   struct {
      uint8_t stream;
      /* A bit for each word of a vertex that is captured. */
      BITSET_DECLARE(words, 512);
   } buffers[PIPE_MAX_SO_BUFFERS];
};

#ifdef HAVE_ZINK_NTVR

/* Whether shaders write captures. The result does not change while the process runs. */
bool zink_ntvr_stores_captures(void);

/*
 * Removes VK_EXT_transform_feedback, and the query that depends on it, from the device's features, before the device is created.
 */
void zink_ntvr_hide_transform_feedback(struct zink_device_info *info);

/*
 * Sets the options for a shader, and returns them; NULL if shaders do not write captures. `is_separate`: the shader has its own
 * set, as in zink_shader_compile_separate().
 */
const struct ntvr_xfb_options *zink_ntvr_xfb_options(struct ntvr_xfb_options *options, const struct zink_shader *zs,
                                                     const struct zink_screen *screen, bool is_separate);

/* Adds the bindings for captures to a shader. */
void zink_ntvr_xfb_add_bindings(struct zink_shader *zs, const struct nir_shader *nir, const struct zink_screen *screen);

/* Replaces pipe_context::set_stream_output_targets. */
void zink_ntvr_set_stream_output_targets(struct zink_context *ctx, unsigned num_targets,
                                         struct pipe_stream_output_target **targets, const unsigned *offsets);

/* Releases all buffers, before the context is destroyed. */
void zink_ntvr_xfb_release(struct zink_context *ctx);

/* Prepares a draw of a shader that captures. Returns true if the draw is done, as several or as other draws. */
bool zink_ntvr_xfb_draw(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
                        const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
                        unsigned num_draws);

/* Whether a query counts primitives that zink_ntvr_xfb_draw() counts. */
bool zink_ntvr_xfb_counts(enum pipe_query_type type, unsigned index);

/* Computes the result of such a query. */
void zink_ntvr_xfb_result(enum pipe_query_type type, unsigned index, const struct zink_ntvr_xfb_count *begin,
                          const struct zink_ntvr_xfb_count *end, union pipe_query_result *result);

#else

static inline bool
zink_ntvr_stores_captures(void)
{
   return false;
}

static inline void
zink_ntvr_hide_transform_feedback(struct zink_device_info *info)
{
}

static inline void
zink_ntvr_xfb_add_bindings(struct zink_shader *zs, const struct nir_shader *nir, const struct zink_screen *screen)
{
}

static inline void
zink_ntvr_set_stream_output_targets(struct zink_context *ctx, unsigned num_targets,
                                    struct pipe_stream_output_target **targets, const unsigned *offsets)
{
}

static inline void
zink_ntvr_xfb_release(struct zink_context *ctx)
{
}

static inline bool
zink_ntvr_xfb_draw(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
                   const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
                   unsigned num_draws)
{
   return false;
}

static inline bool
zink_ntvr_xfb_counts(enum pipe_query_type type, unsigned index)
{
   return false;
}

static inline void
zink_ntvr_xfb_result(enum pipe_query_type type, unsigned index, const struct zink_ntvr_xfb_count *begin,
                     const struct zink_ntvr_xfb_count *end, union pipe_query_result *result)
{
}

#endif /* HAVE_ZINK_NTVR */

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTVR_XFB_H */
