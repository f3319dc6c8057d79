/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * A draw that captures has its targets and its state in shader buffers that the application cannot use. Such a draw is a direct
 * one without indices: other draws are converted.
 */

#include "zink_ntvr_xfb.h"

#include "util/log.h"
#include "util/u_debug.h"
#include "util/u_draw.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "util/u_prim.h"
#include "util/u_upload_mgr.h"
#include "nir_xfb_info.h"
#include "zink_context.h"
#include "zink_descriptors.h"
#include "zink_ntvr.h"
#include "zink_screen.h"

DEBUG_GET_ONCE_OPTION(ntvr_xfb, "ZINK_NTVR_XFB", "extension")

/* zink's bindings in the set of shader buffers are lower. */
#define FIRST_BINDING     64
#define BINDINGS_OF_STAGE 8

/* The Location of the number of the instance from vertex shaders to geometry shaders: the last one. */
#define INSTANCE_LOCATION 31

/* The number of streams, and of words of a stride, if no device reports them: the minimum that OpenGL 4.6 requires. */
#define MAX_STREAMS 4

static_assert(NTVR_XFB_COUNTS_BINDING + 1 == ZINK_NTVR_XFB_SLOTS, "each buffer of a shader that captures has a slot");
static_assert(ZINK_NTVR_XFB_SLOTS <= BINDINGS_OF_STAGE, "stages do not share bindings");
static_assert((int)MESA_PRIM_POINTS == NTVR_TOPOLOGY_POINTS && (int)MESA_PRIM_TRIANGLE_FAN == NTVR_TOPOLOGY_TRIANGLE_FAN,
              "topologies have the same numbers in ntv");

bool
zink_ntvr_stores_captures(void)
{
   return !strcmp(debug_get_option_ntvr_xfb(), "storage") && zink_ntvr_is_enabled();
}

/* Removes `feature` from the chain of features to enable. */
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
zink_ntvr_hide_transform_feedback(struct zink_device_info *info)
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

/* The place of the first buffer of a shader that captures. */
struct place {
   uint32_t set;
   uint32_t binding;
};

static struct place
get_place(const struct zink_shader *zs, const struct zink_screen *screen, bool is_separate)
{
   struct place place = {
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

const struct ntvr_xfb_options *
zink_ntvr_xfb_options(struct ntvr_xfb_options *options, const struct zink_shader *zs, const struct zink_screen *screen,
                      bool is_separate)
{
   struct place place;

   if (!zink_ntvr_stores_captures())
      return NULL;
   place = get_place(zs, screen, is_separate);
   *options = (struct ntvr_xfb_options){
      .struct_size = sizeof(struct ntvr_xfb_options),
      .back_end = NTVR_XFB_STORAGE,
      .set = place.set,
      .binding = place.binding,
      .passes_instance = true,
      .instance_location = INSTANCE_LOCATION,
   };
   return options;
}

void
zink_ntvr_xfb_add_bindings(struct zink_shader *zs, const nir_shader *nir, const struct zink_screen *screen)
{
   const enum zink_descriptor_type type = ZINK_DESCRIPTOR_TYPE_SSBO;

   memset(&zs->ntvr_xfb, 0, sizeof(zs->ntvr_xfb));
   if (!zink_ntvr_stores_captures() || !nir->xfb_info || !nir->xfb_info->output_count)
      return;
   zs->ntvr_xfb.captures = true;
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++)
      zs->ntvr_xfb.buffers[i].stream = nir->xfb_info->buffer_to_stream[i];
   for (unsigned i = 0; i < nir->xfb_info->output_count; i++) {
      const nir_xfb_output_info *output = &nir->xfb_info->outputs[i];
      unsigned first = output->offset / 4, count = util_bitcount(output->component_mask);

      BITSET_SET_RANGE(zs->ntvr_xfb.buffers[output->buffer].words, first, first + count - 1);
   }
   for (unsigned i = 0; i < ZINK_NTVR_XFB_SLOTS; i++) {
      unsigned at = zs->num_bindings[type]++;
      zs->bindings[type][at].index = ZINK_NTVR_XFB_SLOT + i;
      zs->bindings[type][at].binding = get_place(zs, screen, false).binding + i;
      zs->bindings[type][at].type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      zs->bindings[type][at].size = 1;
   }
}

/* ------------------------------------------------------------------------------------------------------------------
 * Targets
 * ------------------------------------------------------------------------------------------------------------------ */

void
zink_ntvr_set_stream_output_targets(struct zink_context *ctx, unsigned num_targets,
                                    struct pipe_stream_output_target **targets, const unsigned *offsets)
{
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      struct pipe_stream_output_target *target = i < num_targets ? targets[i] : NULL;

      pipe_so_target_reference(&ctx->so_targets[i], target);
      /* Captures continue at the old offset. */
      if (target && offsets[i] != (unsigned)-1)
         zink_so_target(target)->ntvr_written = offsets[i];
   }
   ctx->ntvr_xfb.num_targets = num_targets;
}

void
zink_ntvr_xfb_release(struct zink_context *ctx)
{
   if (!zink_ntvr_stores_captures())
      return;
   zink_ntvr_set_stream_output_targets(ctx, 0, NULL, NULL);
   for (unsigned stage = MESA_SHADER_VERTEX; stage < MESA_SHADER_FRAGMENT; stage++)
      ctx->base.set_shader_buffers(&ctx->base, stage, ZINK_NTVR_XFB_SLOT, ZINK_NTVR_XFB_SLOTS, NULL, 0);
}

/* The size of the part of a target that is inside of its buffer, in bytes. */
static uint32_t
get_size(const struct zink_so_target *t)
{
   uint32_t end = t->base.buffer->width0;

   return t->base.buffer_offset < end ? MIN2(t->base.buffer_size, end - t->base.buffer_offset) : 0;
}

/* Whether a buffer has captures of a stream, and a target. */
static bool
is_target(const struct zink_context *ctx, const struct zink_shader *zs, unsigned buffer, unsigned stream)
{
   return zs->sinfo.stride[buffer] && zs->ntvr_xfb.buffers[buffer].stream == stream && ctx->so_targets[buffer];
}

/* The number of primitives of a stream that fit into the rest of all targets that the shader captures to. */
static uint32_t
get_primitives_left(const struct zink_context *ctx, const struct zink_shader *zs, unsigned stream,
                    unsigned vertices_per_primitive)
{
   uint32_t most = UINT32_MAX;

   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      const struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);
      uint32_t primitive = zs->sinfo.stride[i] * vertices_per_primitive;
      uint32_t size;

      if (!primitive || zs->ntvr_xfb.buffers[i].stream != stream)
         continue;
      size = t ? get_size(t) : 0;
      most = MIN2(most, t && t->ntvr_written < size ? (size - t->ntvr_written) / primitive : 0);
   }
   return most;
}

/* Counts the generated and the written primitives of a stream. */
static void
advance(struct zink_context *ctx, const struct zink_shader *zs, unsigned stream, uint64_t made, uint64_t written,
        unsigned vertices_per_primitive)
{
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      if (is_target(ctx, zs, i, stream)) {
         struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);

         t->stride = zs->sinfo.stride[i];
         t->ntvr_written += written * vertices_per_primitive * t->stride;
      }
   }
   ctx->ntvr_xfb.count.generated[stream] += made;
   ctx->ntvr_xfb.count.written[stream] += written;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Draws
 * ------------------------------------------------------------------------------------------------------------------ */

/* A draw that captures: the draw for zink, and the state for the shader. */
struct capture {
   const struct zink_shader *zs; /* the shader that captures */
   const struct pipe_draw_info *info;
   unsigned drawid;
   const struct pipe_draw_start_count_bias *range;
   struct ntvr_xfb_state state;
   struct pipe_shader_buffer buffers[ZINK_NTVR_XFB_SLOTS];
   unsigned writable;
};

static unsigned
get_alignment(const struct zink_context *ctx)
{
   return MAX2(zink_screen(ctx->base.screen)->info.props.limits.minStorageBufferOffsetAlignment, 4);
}

/* Uploads words to a buffer, with a reference. */
static bool
upload(struct zink_context *ctx, struct pipe_shader_buffer *buffer, const uint32_t *words, size_t count)
{
   buffer->buffer_size = count * sizeof(*words);
   u_upload_data(ctx->base.const_uploader, 0, buffer->buffer_size, get_alignment(ctx), words, &buffer->buffer_offset,
                 &buffer->buffer);
   return buffer->buffer != NULL;
}

/* Binds the buffers of a shader that captures. */
static bool
bind(struct zink_context *ctx, struct capture *capture)
{
   const unsigned stage = capture->zs->info.stage;
   struct pipe_shader_buffer *state = &capture->buffers[NTVR_XFB_STATE_BINDING];
   uint32_t words[NTVR_XFB_STATE_WORDS] = {0};

   ntvr_xfb_state_words(&capture->state, words);
   if (!upload(ctx, state, words, ARRAY_SIZE(words)))
      return false;
   ctx->base.set_shader_buffers(&ctx->base, stage, ZINK_NTVR_XFB_SLOT, ZINK_NTVR_XFB_SLOTS, capture->buffers, capture->writable);
   pipe_resource_reference(&state->buffer, NULL);
   ctx->ntvr_xfb.is_idle[stage] = !capture->state.is_active;
   return true;
}

/* Draws with zink's own function. All later commands may read the results. */
static void
draw(struct zink_context *ctx, const struct capture *capture)
{
   ctx->ntvr_xfb.is_drawing = true;
   ctx->base.draw_vbo(&ctx->base, capture->info, capture->drawid, NULL, capture->range, 1);
   ctx->ntvr_xfb.is_drawing = false;
   ctx->base.memory_barrier(&ctx->base, PIPE_BARRIER_ALL);
}

static void
no_memory(void)
{
   mesa_logw("ntv: no memory for transform feedback");
}

/* Draws with a vertex shader without indices, which writes directly to the targets. */
static void
capture_vertices(struct zink_context *ctx, struct capture *capture)
{
   const struct zink_shader *zs = capture->zs;
   const struct pipe_draw_info *info = capture->info;
   const unsigned vertices_per_primitive = ntvr_topology_vertices_per_primitive(info->mode);
   uint64_t made = (uint64_t)ntvr_topology_primitives(info->mode, capture->range->count) * info->instance_count;
   uint32_t most = get_primitives_left(ctx, zs, 0, vertices_per_primitive);
   struct ntvr_xfb_state *state = &capture->state;

   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      struct pipe_shader_buffer *buffer = &capture->buffers[i];
      const struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);

      if (!is_target(ctx, zs, i, 0))
         continue;
      buffer->buffer = t->base.buffer;
      buffer->buffer_offset = ROUND_DOWN_TO(t->base.buffer_offset, get_alignment(ctx));
      buffer->buffer_size = t->base.buffer_offset - buffer->buffer_offset + get_size(t);
      state->first_words[i] = (t->base.buffer_offset - buffer->buffer_offset + t->ntvr_written) / 4;
      capture->writable |= BITFIELD_BIT(i);
   }
   state->is_active = true;
   state->first_provokes = ctx->rast_state->base.flatshade_first;
   state->topology = info->mode;
   state->first_vertex = capture->range->start;
   state->vertices = capture->range->count;
   state->first_instance = info->start_instance;
   state->instances = info->instance_count;
   state->draw = capture->drawid;
   state->primitives_most = most;
   if (!bind(ctx, capture)) {
      no_memory();
      return;
   }
   draw(ctx, capture);
   advance(ctx, zs, 0, made, MIN2(made, most), vertices_per_primitive);
}

/* The indices of a draw as 32-bit numbers; without indices, the numbers of its vertices. NULL if memory is short. */
static uint32_t *
read_indices(struct zink_context *ctx, const struct pipe_draw_info *info, const struct pipe_draw_start_count_bias *range)
{
   const unsigned offset = range->start * info->index_size;
   uint32_t *indices = malloc(MAX2(range->count, 1) * sizeof(*indices));
   struct pipe_transfer *transfer = NULL;
   const uint8_t *bytes;

   if (!indices)
      return NULL;
   for (unsigned i = 0; !info->index_size && i < range->count; i++)
      indices[i] = range->start + i;
   if (!info->index_size)
      return indices;
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
      free(indices);
   return bytes ? indices : NULL;
}

/* Whether a vertex buffer has an element for each vertex, and its stride. */
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

/* Makes a vertex buffer with the elements of a list, in its order. */
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

/* Draws with a vertex shader over a list of vertices, in their order. */
static void
capture_list(struct zink_context *ctx, struct capture *capture, const uint32_t *list, size_t count)
{
   const struct pipe_draw_info *info = capture->info;
   struct pipe_shader_buffer *words = &capture->buffers[NTVR_XFB_LIST_BINDING];
   const struct zink_screen *screen = zink_screen(ctx->base.screen);
   const struct zink_vertex_elements_state *elements = ctx->element_state;
   const unsigned num_buffers = util_last_bit(ctx->gfx_pipeline_state.vertex_buffers_enabled_mask);
   static const enum mesa_prim lists[] = {0, MESA_PRIM_POINTS, MESA_PRIM_LINES, MESA_PRIM_TRIANGLES};
   struct pipe_vertex_buffer old[PIPE_MAX_ATTRIBS] = {0}, new[PIPE_MAX_ATTRIBS] = {0};
   const struct pipe_draw_start_count_bias range = {.count = count};
   struct pipe_draw_info array = *info;
   bool ok = upload(ctx, words, list, count);

   capture->state.has_list = true;
   capture->state.base_vertex = info->index_size ? capture->range->index_bias : capture->range->start;
   capture->info = &array;
   capture->range = &range;
   array.mode = info->mode == MESA_PRIM_QUADS ? MESA_PRIM_TRIANGLES : lists[ntvr_topology_vertices_per_primitive(info->mode)];
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
      capture_vertices(ctx, capture);
      ctx->base.set_vertex_buffers(&ctx->base, num_buffers, old);
   } else {
      no_memory();
   }
   pipe_resource_reference(&words->buffer, NULL);
}

/* The vertices of the triangles of quads, in the order of zink_create_quads_emulation_gs(). Returns their number; `list` has
 * space for one and a half times the number of indices. */
static size_t
list_quads(const uint32_t *indices, size_t count, const uint32_t *restart, bool first_provokes, uint32_t *list)
{
   static const uint8_t corners[2][6] = {{0, 1, 3, 1, 2, 3}, {0, 1, 2, 0, 2, 3}};
   size_t made = 0, first = 0;

   for (size_t i = 0; i < count; i++) {
      if (restart && indices[i] == *restart) {
         first = i + 1;
      } else if (i - first == 3) {
         for (unsigned corner = 0; corner < 6; corner++)
            list[made++] = indices[first + corners[first_provokes][corner]];
         first = i + 1;
      }
   }
   return made;
}

/* The vertices of the points, lines or triangles of a draw, in their order. NULL if memory is short, or if there are none. */
static uint32_t *
make_list(const struct capture *capture, const uint32_t *indices, bool first_provokes, size_t *count)
{
   const struct pipe_draw_info *info = capture->info;
   const uint32_t *restart = info->index_size && info->primitive_restart ? &info->restart_index : NULL;
   const bool is_quads = info->mode == MESA_PRIM_QUADS;
   const size_t most = is_quads ? capture->range->count / 4 * 6
                                : ntvr_emission_list(info->mode, first_provokes, indices, capture->range->count, restart, NULL, 0);
   uint32_t *list = most ? malloc(most * sizeof(*list)) : NULL;

   if (list) {
      *count = is_quads ? list_quads(indices, capture->range->count, restart, first_provokes, list)
                        : ntvr_emission_list(info->mode, first_provokes, indices, capture->range->count, restart, list, most);
      for (size_t i = 0; i < *count; i++)
         list[i] += info->index_size ? capture->range->index_bias : 0;
   }
   return list;
}

/* Draws with a vertex shader over the list of vertices of the draw. */
static void
capture_as_list(struct zink_context *ctx, struct capture *capture)
{
   uint32_t *indices = read_indices(ctx, capture->info, capture->range);
   size_t count = 0;
   uint32_t *list = indices ? make_list(capture, indices, ctx->rast_state->base.flatshade_first, &count) : NULL;

   if (count)
      capture_list(ctx, capture, list, count);
   free(list);
   free(indices);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Draws with geometry shaders
 * ------------------------------------------------------------------------------------------------------------------ */

/* The maximum size of the scratch buffers of a draw. */
#define MAX_SCRATCH (1u << 30)

/* The maximum output of the geometry shader of a draw. */
struct geometry {
   uint64_t invocations;
   unsigned most_primitives; /* per invocation */
   unsigned vertices_per_primitive;
};

static struct geometry
get_geometry(const struct zink_shader *zs, uint64_t primitives)
{
   const enum mesa_prim topology = zs->info.gs.output_primitive;

   return (struct geometry){
      .invocations = primitives * MAX2(zs->info.gs.invocations, 1),
      .most_primitives = ntvr_topology_primitives(topology, zs->info.gs.vertices_out),
      .vertices_per_primitive = ntvr_topology_vertices_per_primitive(topology),
   };
}

/* Binds a new buffer that can be read back. */
static bool
give_buffer(struct zink_context *ctx, struct capture *capture, unsigned binding, uint64_t size)
{
   struct pipe_shader_buffer *buffer = &capture->buffers[binding];

   if (size > MAX_SCRATCH)
      return false;
   buffer->buffer_size = MAX2(size, 4);
   buffer->buffer = pipe_buffer_create(ctx->base.screen, PIPE_BIND_SHADER_BUFFER, PIPE_USAGE_STAGING, buffer->buffer_size);
   capture->writable |= BITFIELD_BIT(binding);
   return buffer->buffer != NULL;
}

/* Binds scratch buffers for the geometry shader, and counts that are 0 where no invocation writes them. */
static bool
give_scratch(struct zink_context *ctx, const struct zink_shader *zs, const struct geometry *geometry, struct capture *capture)
{
   const uint64_t vertices = geometry->invocations * geometry->most_primitives * geometry->vertices_per_primitive;
   struct pipe_transfer *transfer = NULL;
   void *counts;

   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      if (zs->sinfo.stride[i] && !give_buffer(ctx, capture, i, vertices * zs->sinfo.stride[i]))
         return false;
   }
   if (!give_buffer(ctx, capture, NTVR_XFB_COUNTS_BINDING, geometry->invocations * 16))
      return false;
   counts = pipe_buffer_map(&ctx->base, capture->buffers[NTVR_XFB_COUNTS_BINDING].buffer, PIPE_MAP_WRITE, &transfer);
   if (!counts)
      return false;
   memset(counts, 0, capture->buffers[NTVR_XFB_COUNTS_BINDING].buffer_size);
   pipe_buffer_unmap(&ctx->base, transfer);
   return true;
}

/* A mapped buffer. */
struct mapped {
   uint32_t *words;
   struct pipe_transfer *transfer;
};

static struct mapped
map(struct zink_context *ctx, struct pipe_resource *pres, unsigned offset, unsigned size, unsigned usage)
{
   struct mapped mapped = {0};

   if (pres && size)
      mapped.words = pipe_buffer_map_range(&ctx->base, pres, offset, size, usage, &mapped.transfer);
   return mapped;
}

static void
unmap(struct zink_context *ctx, const struct mapped *mapped)
{
   if (mapped->transfer)
      pipe_buffer_unmap(&ctx->base, mapped->transfer);
}

/* Copies the captured words of the vertices of a primitive. */
static void
copy_primitive(const struct zink_shader *zs, unsigned buffer, uint32_t *to, const uint32_t *from, unsigned vertices)
{
   const unsigned stride = zs->sinfo.stride[buffer] / 4;

   for (unsigned vertex = 0; vertex < vertices; vertex++) {
      for (unsigned word = 0; word < stride; word++) {
         if (BITSET_TEST(zs->ntvr_xfb.buffers[buffer].words, word))
            to[vertex * stride + word] = from[vertex * stride + word];
      }
   }
}

/* Copies the primitives of a stream, one after the other, to the targets. */
static void
compact(struct zink_context *ctx, const struct zink_shader *zs, const struct geometry *geometry, const struct capture *capture,
        const uint32_t *counts, unsigned stream)
{
   const unsigned corners = geometry->vertices_per_primitive;
   const uint32_t most = get_primitives_left(ctx, zs, stream, corners);
   struct mapped from[PIPE_MAX_SO_BUFFERS] = {0}, to[PIPE_MAX_SO_BUFFERS] = {0};
   uint64_t made = 0;

   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      const struct zink_so_target *t = zink_so_target(ctx->so_targets[i]);
      const struct pipe_shader_buffer *scratch = &capture->buffers[i];

      if (!is_target(ctx, zs, i, stream) || !most)
         continue;
      from[i] = map(ctx, scratch->buffer, 0, scratch->buffer_size, PIPE_MAP_READ);
      to[i] = map(ctx, t->base.buffer, t->base.buffer_offset + t->ntvr_written, get_size(t) - t->ntvr_written,
                  PIPE_MAP_READ | PIPE_MAP_WRITE);
   }
   for (uint64_t n = 0; n < geometry->invocations; n++) {
      for (unsigned p = 0; p < counts[4 * n + stream]; p++, made++) {
         for (unsigned i = 0; made < most && i < PIPE_MAX_SO_BUFFERS; i++) {
            const size_t primitive = corners * zs->sinfo.stride[i] / 4;

            if (from[i].words && to[i].words)
               copy_primitive(zs, i, to[i].words + made * primitive,
                              from[i].words + (n * geometry->most_primitives + p) * primitive, corners);
         }
      }
   }
   for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
      unmap(ctx, &from[i]);
      unmap(ctx, &to[i]);
   }
   advance(ctx, zs, stream, made, MIN2(made, most), corners);
}

static void
capture_geometry(struct zink_context *ctx, struct capture *capture)
{
   const struct zink_shader *zs = capture->zs;
   const struct pipe_draw_info *info = capture->info;
   const uint32_t primitives = u_prims_for_vertices(info->mode, capture->range->count);
   const struct geometry geometry = get_geometry(zs, (uint64_t)primitives * info->instance_count);
   struct mapped counts = {0};

   capture->state.is_active = true;
   capture->state.first_provokes = ctx->rast_state->base.flatshade_first;
   capture->state.topology = NTVR_TOPOLOGY_POINTS;
   capture->state.vertices = primitives;
   capture->state.instances = info->instance_count;
   if (give_scratch(ctx, zs, &geometry, capture) && bind(ctx, capture)) {
      const struct pipe_shader_buffer *buffer = &capture->buffers[NTVR_XFB_COUNTS_BINDING];

      draw(ctx, capture);
      counts = map(ctx, buffer->buffer, 0, buffer->buffer_size, PIPE_MAP_READ);
      for (unsigned stream = 0; counts.words && stream < MAX_STREAMS; stream++)
         compact(ctx, zs, &geometry, capture, counts.words, stream);
      unmap(ctx, &counts);
   } else {
      no_memory();
   }
   for (unsigned i = 0; i < ZINK_NTVR_XFB_SLOTS; i++)
      pipe_resource_reference(&capture->buffers[i].buffer, NULL);
}

/* ------------------------------------------------------------------------------------------------------------------
 * All draws
 * ------------------------------------------------------------------------------------------------------------------ */

/* Draws the number of vertices that a target has. */
static void
draw_feedback(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid,
              const struct pipe_stream_output_target *target)
{
   const struct zink_so_target *t = (const struct zink_so_target *)target;
   const struct pipe_draw_start_count_bias range = {.count = t->stride ? t->ntvr_written / t->stride : 0};

   if (range.count)
      ctx->base.draw_vbo(&ctx->base, info, drawid, NULL, &range, 1);
}

/* Whether conditional rendering of the application skips draws. */
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

/* The application's last stage: zink converts quads in its own geometry shader. */
static struct zink_shader *
get_last_stage(const struct zink_context *ctx)
{
   struct zink_shader *zs = ctx->last_vertex_stage;

   return zs && zs->info.stage == MESA_SHADER_GEOMETRY && zs->non_fs.is_generated ? zs->non_fs.parent : zs;
}

bool
zink_ntvr_xfb_draw(struct zink_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
                   const struct pipe_draw_indirect_info *indirect, const struct pipe_draw_start_count_bias *draws,
                   unsigned num_draws)
{
   struct zink_ntvr_xfb *xfb = &ctx->ntvr_xfb;
   struct zink_shader *zs = get_last_stage(ctx);

   if (likely(!zink_ntvr_stores_captures()) || xfb->is_drawing)
      return false;
   if (indirect && indirect->count_from_stream_output) {
      draw_feedback(ctx, info, drawid_offset, indirect->count_from_stream_output);
      return true;
   }
   if (!zs)
      return false;
   /* Another thread may be determining whether the shader captures. */
   util_queue_fence_wait(&zs->precompile.fence);
   if (!zs->ntvr_xfb.captures)
      return false;
   if (!xfb->num_targets) {
      struct capture inactive = {.zs = zs, .state = {.struct_size = sizeof(inactive.state)}};

      if (!xfb->is_idle[zs->info.stage])
         bind(ctx, &inactive);
      return false;
   }
   if (indirect) {
      util_draw_indirect(&ctx->base, info, drawid_offset, indirect);
      return true;
   }
   for (unsigned i = 0; i < num_draws && !is_skipped(ctx); i++) {
      struct capture capture = {
         .state = {.struct_size = sizeof(capture.state)},
         .zs = zs,
         .info = info,
         .drawid = drawid_offset + (info->increment_draw_id ? i : 0),
         .range = &draws[i],
      };

      if (!draws[i].count || !info->instance_count)
         continue;
      if (zs->info.stage == MESA_SHADER_GEOMETRY)
         capture_geometry(ctx, &capture);
      else if (info->index_size || info->mode == MESA_PRIM_QUADS)
         capture_as_list(ctx, &capture);
      else
         capture_vertices(ctx, &capture);
   }
   return true;
}

/* ------------------------------------------------------------------------------------------------------------------
 * Queries
 * ------------------------------------------------------------------------------------------------------------------ */

bool
zink_ntvr_xfb_counts(enum pipe_query_type type, unsigned index)
{
   if (!zink_ntvr_stores_captures())
      return false;
   return type == PIPE_QUERY_PRIMITIVES_EMITTED || type == PIPE_QUERY_SO_OVERFLOW_PREDICATE ||
          type == PIPE_QUERY_SO_OVERFLOW_ANY_PREDICATE || type == PIPE_QUERY_SO_STATISTICS ||
          (type == PIPE_QUERY_PRIMITIVES_GENERATED && index);
}

void
zink_ntvr_xfb_result(enum pipe_query_type type, unsigned index, const struct zink_ntvr_xfb_count *begin,
                     const struct zink_ntvr_xfb_count *end, union pipe_query_result *result)
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
      assert(!"other queries are zink's");
   }
}
