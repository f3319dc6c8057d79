/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A draw that captures is given, in shader buffers that no application reaches, what it writes to and the state of the draw. Such a
 * draw is a direct one without indices: others are made to be.
 */

#include "zink_ntv_xfb.h"

#include "ntv.h"
#include "nir_xfb_info.h"
#include "util/log.h"
#include "util/u_debug.h"
#include "util/u_draw.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_upload_mgr.h"
#include "zink_context.h"
#include "zink_descriptors.h"
#include "zink_screen.h"

DEBUG_GET_ONCE_OPTION(ntv_xfb, "ZINK_NTV_XFB", "extension")
DEBUG_GET_ONCE_OPTION(ntv_translator, "ZINK_NTV", "rust")

/* Bindings of zink in the set of shader buffers are lower. */
#define FIRST_BINDING 64
#define BINDINGS_OF_STAGE 8

/* Streams, and words of a stride, where no device says it: what OpenGL 4.6 asks for at least. */
#define MAX_STREAMS 4

static_assert(NTV_XFB_STATE_BINDING + 1 == ZINK_NTV_XFB_SLOTS, "each buffer of a shader that captures has a slot");
static_assert(ZINK_NTV_XFB_SLOTS <= BINDINGS_OF_STAGE, "stages do not share bindings");
static_assert((int)MESA_PRIM_POINTS == NTV_TOPOLOGY_POINTS && (int)MESA_PRIM_TRIANGLE_FAN == NTV_TOPOLOGY_TRIANGLE_FAN,
              "topologies have the same numbers in ntv");

bool
zink_ntv_stores_captures(void)
{
   return !strcmp(debug_get_option_ntv_xfb(), "storage") && strcmp(debug_get_option_ntv_translator(), "c");
}

/* Takes `feature` out of the chain of what the device is asked for. */
static void
unlink_feature(struct zink_device_info *info, const void *feature)
{
   VkBaseOutStructure *at = (VkBaseOutStructure *)&info->feats;

   while (at->pNext && at->pNext != feature)
      at = at->pNext;
   if (at->pNext)
      at->pNext = at->pNext->pNext;
}

void
zink_ntv_hide_transform_feedback(struct zink_device_info *info)
{
   unsigned kept = 0;

   unlink_feature(info, &info->tf_feats);
   unlink_feature(info, &info->primgen_feats);
   for (unsigned i = 0; i < info->num_extensions; i++) {
      if (strcmp(info->extensions[i], VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) &&
          strcmp(info->extensions[i], VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME))
         info->extensions[kept++] = info->extensions[i];
   }
   info->num_extensions = kept;
   info->have_EXT_transform_feedback = info->have_EXT_primitives_generated_query = false;
   memset(&info->tf_feats, 0, sizeof(info->tf_feats));
   memset(&info->tf_props, 0, sizeof(info->tf_props));
   info->tf_props.maxTransformFeedbackStreams = MAX_STREAMS;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Shaders
 * ------------------------------------------------------------------------------------------------------------------ */

struct zink_ntv_xfb_place
zink_ntv_xfb_place(const struct zink_shader *zs, const struct zink_screen *screen, bool is_separate)
{
   struct zink_ntv_xfb_place place = {
      .set = screen->desc_set_id[ZINK_DESCRIPTOR_TYPE_SSBO],
      .binding = FIRST_BINDING + BINDINGS_OF_STAGE * zs->info.stage,
   };

   if (is_separate) {
      unsigned offsets[ZINK_DESCRIPTOR_BASE_TYPES];

      zink_descriptor_shader_get_binding_offsets(zs, offsets);
      place.set = screen->info.have_EXT_shader_object ? zs->info.stage : zs->info.stage == MESA_SHADER_FRAGMENT;
      place.binding += offsets[ZINK_DESCRIPTOR_TYPE_SSBO];
   }
   return place;
}

void
zink_ntv_xfb_add_bindings(struct zink_shader *zs, const nir_shader *nir, const struct zink_screen *screen)
{
   const enum zink_descriptor_type type = ZINK_DESCRIPTOR_TYPE_SSBO;

   zs->ntv_captures = zink_ntv_stores_captures() && nir->xfb_info && nir->xfb_info->output_count;
   if (!zs->ntv_captures)
      return;
   for (unsigned i = 0; i < ZINK_NTV_XFB_SLOTS; i++) {
      unsigned at = zs->num_bindings[type]++;
      zs->bindings[type][at].index = ZINK_NTV_XFB_SLOT + i;
      zs->bindings[type][at].binding = zink_ntv_xfb_place(zs, screen, false).binding + i;
      zs->bindings[type][at].type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      zs->bindings[type][at].size = 1;
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Targets
 * ------------------------------------------------------------------------------------------------------------------ */

void
zink_ntv_set_stream_output_targets(struct zink_context *ctx, unsigned num_targets,
                                   struct pipe_stream_output_target **targets, const unsigned *offsets)
{
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      struct pipe_stream_output_target *target = i < num_targets ? targets[i] : NULL;

      pipe_so_target_reference(&ctx->so_targets[i], target);
      /* It goes on where it was. */
      if (target && offsets[i] != (unsigned)-1)
         zink_so_target(target)->ntv_written = offsets[i];
   }
   ctx->ntv_xfb.num_targets = num_targets;
}

/* Bytes of a target that are in its buffer. */
static uint32_t
get_size(const struct zink_so_target *t)
{
   uint32_t end = t->base.buffer->width0;

   return t->base.buffer_offset < end ? MIN2(t->base.buffer_size, end - t->base.buffer_offset) : 0;
}

/* Primitives that fit into what is left of all targets that the shader captures to. */
static uint32_t
get_primitives_left(const struct zink_context *ctx, const struct zink_shader *zs, unsigned vertices_per_primitive)
{
   uint32_t most = UINT32_MAX;

   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      const struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);
      uint32_t primitive = zs->sinfo.stride[i] * vertices_per_primitive;
      uint32_t size;

      if (!primitive)
         continue;
      size = t ? get_size(t) : 0;
      most = MIN2(most, t && t->ntv_written < size ? (size - t->ntv_written) / primitive : 0);
   }
   return most;
}

/* Says that so many primitives have been written. */
static void
advance(struct zink_context *ctx, const struct zink_shader *zs, uint32_t vertices)
{
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);

      if (t && zs->sinfo.stride[i]) {
         t->stride = zs->sinfo.stride[i];
         t->ntv_written += vertices * t->stride;
      }
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Draws
 * ------------------------------------------------------------------------------------------------------------------ */

/* Binds what a shader that captures has. `state` gets the places where targets begin. */
static bool
bind(struct zink_context *ctx, const struct zink_shader *zs, struct ntv_xfb_state *state)
{
   const unsigned alignment = zink_screen(ctx->base.screen)->info.props.limits.minStorageBufferOffsetAlignment;
   struct pipe_shader_buffer buffers[ZINK_NTV_XFB_SLOTS] = {0};
   struct pipe_shader_buffer *words = &buffers[NTV_XFB_STATE_BINDING];
   uint32_t data[NTV_XFB_STATE_WORDS] = {0};
   unsigned writable = 0;

   for (unsigned i = 0; state->is_active && i < PIPE_MAX_SO_BUFFERS; i++) {
      const struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);

      if (!t || !zs->sinfo.stride[i])
         continue;
      buffers[i].buffer = t->base.buffer;
      buffers[i].buffer_offset = ROUND_DOWN_TO(t->base.buffer_offset, alignment);
      buffers[i].buffer_size = t->base.buffer_offset - buffers[i].buffer_offset + get_size(t);
      state->first_words[i] = (t->base.buffer_offset - buffers[i].buffer_offset + t->ntv_written) / 4;
      writable |= BITFIELD_BIT(i);
   }
   ntv_xfb_state_words(state, data);
   words->buffer_size = sizeof(data);
   u_upload_data(ctx->base.const_uploader, 0, sizeof(data), MAX2(alignment, 4), data, &words->buffer_offset, &words->buffer);
   if (!words->buffer)
      return false;
   ctx->base.set_shader_buffers(&ctx->base, zs->info.stage, ZINK_NTV_XFB_SLOT, ZINK_NTV_XFB_SLOTS, buffers, writable);
   pipe_resource_reference(&words->buffer, NULL);
   ctx->ntv_xfb.is_idle[zs->info.stage] = !state->is_active;
   return true;
}

/* What zink does. */
static void
draw(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid,
     const struct pipe_draw_start_count_bias *range)
{
   ctx->ntv_xfb.is_drawing = true;
   ctx->base.draw_vbo(&ctx->base, info, drawid, NULL, range, 1);
   ctx->ntv_xfb.is_drawing = false;
}

/* Draws and captures without indices. */
static void
capture(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid,
        const struct pipe_draw_start_count_bias *range)
{
   const struct zink_shader *zs = ctx->last_vertex_stage;
   const unsigned vertices_per_primitive = ntv_topology_vertices_per_primitive(info->mode);
   uint64_t made = (uint64_t)ntv_topology_primitives(info->mode, range->count) * info->instance_count;
   struct ntv_xfb_state state = {
      .is_active = true,
      .first_provokes = ctx->rast_state->base.flatshade_first,
      .topology = info->mode,
      .first_vertex = range->start,
      .vertices = range->count,
      .first_instance = info->start_instance,
      .instances = info->instance_count,
      .draw = drawid,
      .primitives_most = get_primitives_left(ctx, zs, vertices_per_primitive),
   };
   uint64_t written = MIN2(made, state.primitives_most);

   if (!bind(ctx, zs, &state)) {
      mesa_logw("ntv: no memory for transform feedback");
      return;
   }
   draw(ctx, info, drawid, range);
   advance(ctx, zs, written * vertices_per_primitive);
   ctx->ntv_xfb.count.generated[0] += made;
   ctx->ntv_xfb.count.written[0] += written;
   /* What reads it next may be anything. */
   ctx->base.memory_barrier(&ctx->base, PIPE_BARRIER_ALL);
}

/* The indices of a draw, widened. NULL if memory is short. */
static uint32_t *
read_indices(struct zink_context *ctx, const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *range)
{
   const unsigned offset = range->start * info->index_size;
   uint32_t *indices = malloc(MAX2(range->count, 1) * sizeof(*indices));
   struct pipe_transfer *transfer = NULL;
   const uint8_t *bytes;

   if (!indices)
      return NULL;
   if (info->has_user_indices)
      bytes = (const uint8_t *)info->index.user + offset;
   else
      bytes = pipe_buffer_map_range(&ctx->base, info->index.resource, offset, range->count * info->index_size, PIPE_MAP_READ,
                                    &transfer);
   for (unsigned i = 0; bytes && i < range->count; i++) {
      indices[i] = info->index_size == 1   ? bytes[i]
                   : info->index_size == 2 ? ((const uint16_t *)bytes)[i]
                                           : ((const uint32_t *)bytes)[i];
   }
   if (transfer)
      pipe_buffer_unmap(&ctx->base, transfer);
   if (!bytes)
      FREE(indices);
   return bytes ? indices : NULL;
}

/* Whether a vertex buffer has an element for each vertex, and how far it is to the next. */
static bool
is_per_vertex(const struct zink_vertex_elements_state *elements, const struct zink_screen *screen, unsigned binding,
              unsigned *stride)
{
   const struct zink_vertex_elements_hw_state *hw = &elements->hw_state;

   if (screen->info.have_EXT_vertex_input_dynamic_state) {
      *stride = hw->dynbindings[binding].stride;
      return hw->dynbindings[binding].inputRate == VK_VERTEX_INPUT_RATE_VERTEX;
   }
   *stride = hw->b.strides[binding];
   return elements->bindings[binding].inputRate == VK_VERTEX_INPUT_RATE_VERTEX;
}

/* A vertex buffer with the elements that a list names, in its order. */
static bool
gather(struct zink_context *ctx, const struct pipe_vertex_buffer *from, struct pipe_vertex_buffer *to, unsigned stride,
       const uint32_t *list, size_t count)
{
   struct pipe_resource *pres = from->buffer.resource;
   struct pipe_transfer *transfer = NULL;
   uint8_t *elements = calloc(MAX2(count, 1), stride);
   const uint8_t *bytes =
      elements ? pipe_buffer_map_range(&ctx->base, pres, 0, pres->width0, PIPE_MAP_READ, &transfer) : NULL;

   for (size_t i = 0; bytes && i < count; i++) {
      uint64_t at = (uint64_t)list[i] * stride + from->buffer_offset;

      if (at < pres->width0)
         memcpy(elements + i * stride, bytes + at, MIN2(stride, pres->width0 - at));
   }
   if (transfer)
      pipe_buffer_unmap(&ctx->base, transfer);
   to->buffer.resource = NULL;
   if (bytes)
      u_upload_data(ctx->base.stream_uploader, 0, MAX2(count, 1) * stride, 16, elements, &to->buffer_offset,
                    &to->buffer.resource);
   free(elements);
   return to->buffer.resource != NULL;
}

/* Draws and captures with indices: as a draw of those vertices that they name, one after the other. */
static void
capture_list(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid, const uint32_t *list, size_t count)
{
   const struct zink_screen *screen = zink_screen(ctx->base.screen);
   const struct zink_vertex_elements_state *elements = ctx->element_state;
   const unsigned num_buffers = util_last_bit(ctx->gfx_pipeline_state.vertex_buffers_enabled_mask);
   static const enum mesa_prim lists[] = {0, MESA_PRIM_POINTS, MESA_PRIM_LINES, MESA_PRIM_TRIANGLES};
   struct pipe_vertex_buffer old[PIPE_MAX_ATTRIBS] = {0}, new[PIPE_MAX_ATTRIBS] = {0};
   const struct pipe_draw_start_count_bias range = {.count = count};
   struct pipe_draw_info array = *info;
   bool ok = true;

   array.mode = lists[ntv_topology_vertices_per_primitive(info->mode)];
   array.index_size = 0;
   array.has_user_indices = false;
   array.primitive_restart = false;
   array.index.resource = NULL;
   for (unsigned i = 0; i < num_buffers; i++) {
      pipe_vertex_buffer_reference(&old[i], &ctx->vertex_buffers[i]);
      pipe_vertex_buffer_reference(&new[i], &ctx->vertex_buffers[i]);
   }
   for (unsigned i = 0; ok && i < elements->hw_state.num_bindings; i++) {
      unsigned slot = elements->hw_state.binding_map[i], stride;

      if (!is_per_vertex(elements, screen, i, &stride) || !stride || !old[slot].buffer.resource)
         continue;
      pipe_vertex_buffer_unreference(&new[slot]);
      ok = gather(ctx, &old[slot], &new[slot], stride, list, count);
   }
   if (ok) {
      /* This takes the references. */
      ctx->base.set_vertex_buffers(&ctx->base, num_buffers, new);
      capture(ctx, &array, drawid, &range);
      ctx->base.set_vertex_buffers(&ctx->base, num_buffers, old);
   } else {
      mesa_logw("ntv: no memory for transform feedback");
   }
}

static void
capture_indexed(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid,
                const struct pipe_draw_start_count_bias *range)
{
   const uint32_t *restart = info->primitive_restart ? &info->restart_index : NULL;
   const bool first_provokes = ctx->rast_state->base.flatshade_first;
   uint32_t *indices = read_indices(ctx, info, range);
   size_t count = indices ? ntv_emission_list(info->mode, first_provokes, indices, range->count, restart, NULL, 0) : 0;
   uint32_t *list = count ? malloc(count * sizeof(*list)) : NULL;

   if (list) {
      ntv_emission_list(info->mode, first_provokes, indices, range->count, restart, list, count);
      for (size_t i = 0; i < count; i++)
         list[i] += range->index_bias;
      capture_list(ctx, info, drawid, list, count);
   }
   free(list);
   FREE(indices);
}

/* Draws as many vertices as a target has. */
static void
draw_feedback(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid,
              const struct pipe_stream_output_target *target)
{
   const struct zink_so_target *t = (const struct zink_so_target *)target;
   const struct pipe_draw_start_count_bias range = {.count = t->stride ? t->ntv_written / t->stride : 0};

   if (range.count)
      ctx->base.draw_vbo(&ctx->base, info, drawid, NULL, &range, 1);
}

/* Whether a condition that the application set says that nothing is drawn. */
static bool
is_skipped(struct zink_context *ctx)
{
   struct pipe_query *query = (struct pipe_query *)ctx->render_condition.query;
   union pipe_query_result result = {0};

   if (!ctx->render_condition_active || !query)
      return false;
   ctx->base.get_query_result(&ctx->base, query, true, &result);
   return (result.u64 != 0) == ctx->render_condition.inverted;
}

bool
zink_ntv_xfb_draw(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
                  const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
                  unsigned num_draws)
{
   struct zink_ntv_xfb *xfb = &ctx->ntv_xfb;
   struct zink_shader *zs = ctx->last_vertex_stage;
   struct ntv_xfb_state inactive = {0};

   if (likely(!zink_ntv_stores_captures()) || xfb->is_drawing)
      return false;
   if (indirect && indirect->count_from_stream_output) {
      draw_feedback(ctx, info, drawid_offset, indirect->count_from_stream_output);
      return true;
   }
   if (!zs)
      return false;
   /* Another thread may be about to find out whether it captures. */
   util_queue_fence_wait(&zs->precompile.fence);
   if (!zs->ntv_captures)
      return false;
   if (!xfb->num_targets) {
      if (!xfb->is_idle[zs->info.stage])
         bind(ctx, zs, &inactive);
      return false;
   }
   if (indirect) {
      util_draw_indirect(&ctx->base, info, drawid_offset, indirect);
      return true;
   }
   for (unsigned i = 0; i < num_draws && !is_skipped(ctx); i++) {
      unsigned drawid = drawid_offset + (info->increment_draw_id ? i : 0);

      if (!draws[i].count || !info->instance_count)
         continue;
      if (info->index_size)
         capture_indexed(ctx, info, drawid, &draws[i]);
      else
         capture(ctx, info, drawid, &draws[i]);
   }
   return true;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Queries
 * ------------------------------------------------------------------------------------------------------------------ */

bool
zink_ntv_xfb_counts(enum pipe_query_type type, unsigned index)
{
   if (!zink_ntv_stores_captures())
      return false;
   return type == PIPE_QUERY_PRIMITIVES_EMITTED || type == PIPE_QUERY_SO_OVERFLOW_PREDICATE ||
          type == PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE || type == PIPE_QUERY_SO_STATISTICS ||
          (type == PIPE_QUERY_PRIMITIVES_GENERATED && index);
}

void
zink_ntv_xfb_result(enum pipe_query_type type, unsigned index, const struct zink_ntv_xfb_count *begin,
                    const struct zink_ntv_xfb_count *end, union pipe_query_result *result)
{
   uint64_t generated[PIPE_MAX_VERTEX_STREAMS], written[PIPE_MAX_VERTEX_STREAMS];

   for (unsigned i = 0; i < PIPE_MAX_VERTEX_STREAMS; i++) {
      generated[i] = end->generated[i] - begin->generated[i];
      written[i] = end->written[i] - begin->written[i];
   }
   switch (type) {
   case PIPE_QUERY_PRIMITIVES_GENERATED:
      result->u64 = generated[index];
      break;
   case PIPE_QUERY_PRIMITIVES_EMITTED:
      result->u64 = written[index];
      break;
   case PIPE_QUERY_SO_STATISTICS:
      result->so_statistics.num_primitives_written = written[index];
      result->so_statistics.primitives_storage_needed = generated[index];
      break;
   case PIPE_QUERY_SO_OVERFLOW_PREDICATE:
      result->b = generated[index] != written[index];
      break;
   case PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE:
      result->b = memcmp(generated, written, sizeof(generated)) != 0;
      break;
   default:
      unreachable("other queries are zink's");
   }
}
