/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Transform feedback for devices without VK_EXT_transform_feedback: shaders store what is captured to storage buffers.
 *
 * ZINK_NTV_XFB=storage does so on a device that has the extension. The extension is hidden then. Nothing else is asked for but
 * vertexPipelineStoresAndAtomics.
 *
 * Counts of primitives are on the CPU, which knows them: transform feedback is paused and resumed, and glDrawTransformFeedback draws,
 * without a wait. These are read back, and so wait: parameters of indirect draws, indices and the vertices that they name, and what
 * geometry shaders wrote. A driver that is made for such a device leaves them there, see ntv's `capture::kernels`.
 */

#ifndef ZINK_NTV_XFB_H
#define ZINK_NTV_XFB_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/shader_enums.h"
#include "pipe/p_defines.h"
#include "pipe/p_state.h"
#include "util/bitset.h"

struct nir_shader;
struct zink_context;
struct zink_device_info;
struct zink_screen;
struct zink_shader;

#ifdef __cplusplus
extern "C" {
#endif

/* The shader buffers of a stage that captures, from the last one down: those of part 6 of ntv.h, in its order. */
#define ZINK_NTV_XFB_SLOTS 7
#define ZINK_NTV_XFB_SLOT (PIPE_MAX_SHADER_BUFFERS - ZINK_NTV_XFB_SLOTS)

/* Primitives of each stream, since the context was made. */
struct zink_ntv_xfb_count {
   uint64_t generated[PIPE_MAX_VERTEX_STREAMS];
   uint64_t written[PIPE_MAX_VERTEX_STREAMS];
};

/* What a context knows of transform feedback. The targets are where those of zink are; zink itself has none. */
struct zink_ntv_xfb {
   unsigned num_targets;
   struct zink_ntv_xfb_count count;
   /* Whether what is bound for a stage says that nothing is captured. */
   bool is_idle[MESA_SHADER_STAGES];
   /* The draw is one of zink_ntv_xfb_draw(). */
   bool is_drawing;
};

/* What a shader captures. */
struct zink_ntv_xfb_shader {
   bool captures;
   struct {
      uint8_t stream;
      /* Words of a vertex that are captured, a bit each. */
      BITSET_DECLARE(words, 512);
   } buffers[PIPE_MAX_SO_BUFFERS];
};

/* Whether shaders store what is captured. The answer does not change while the process runs. */
bool zink_ntv_stores_captures(void);

/* Takes VK_EXT_transform_feedback, and the query that depends on it, from what is known of the device, before that is made. */
void zink_ntv_hide_transform_feedback(struct zink_device_info *info);

/* Where the first buffer is bound of a shader that captures. */
struct zink_ntv_xfb_place {
   uint32_t set;
   uint32_t binding;
};

/* The Location at which vertex shaders tell geometry shaders the number of the instance: the last one. */
#define ZINK_NTV_XFB_INSTANCE_LOCATION 31

/* `is_separate`: the shader has a set of its own, as zink_shader_compile_separate() makes them. */
struct zink_ntv_xfb_place zink_ntv_xfb_place(const struct zink_shader *zs, const struct zink_screen *screen, bool is_separate);

/* Gives a shader that captures the bindings for it. */
void zink_ntv_xfb_add_bindings(struct zink_shader *zs, const struct nir_shader *nir, const struct zink_screen *screen);

/* In the place of pipe_context::set_stream_output_targets. */
void zink_ntv_set_stream_output_targets(struct zink_context *ctx, unsigned num_targets,
                                        struct pipe_stream_output_target **targets, const unsigned *offsets);

/* Prepares a draw of a shader that captures. True if the draw has been carried out here, as several or as other ones. */
bool zink_ntv_xfb_draw(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
                       const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
                       unsigned num_draws);

/* Whether a query counts primitives that only zink_ntv_xfb_draw() knows. */
bool zink_ntv_xfb_counts(enum pipe_query_type type, unsigned index);

/* What such a query gives. */
void zink_ntv_xfb_result(enum pipe_query_type type, unsigned index, const struct zink_ntv_xfb_count *begin,
                         const struct zink_ntv_xfb_count *end, union pipe_query_result *result);

#ifdef __cplusplus
}
#endif

#endif /* ZINK_NTV_XFB_H */
