/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Transform feedback without VK_EXT_transform_feedback. C11 or C++17.
 *
 * Shaders that write captures themselves (struct ntvr_xfb_options) read the parameters of each draw from a storage buffer. One
 * module is enough for all topologies, and for draws that capture nothing. A draw with indices is replaced by one without
 * indices over a list, whose vertex i is entry i of the list. docs/transform-feedback.md describes the buffers of geometry shaders,
 * and `ntv::capture::kernels` in the library the shaders that count, list and copy on the device. The storage buffers are, as
 * offsets from the first binding:
 *
 *    0 to 3   the transform feedback buffers; only those that the shader captures to
 *    4        the words of struct ntvr_xfb_state
 *    5        the list of vertices of a draw with indices, for vertex shaders: ntvr_emission_list()
 *    6        the counts of geometry shaders
 *    7, 8...  vertex buffers that the shader fetches from itself
 */

#ifndef NTVR_XFB_H
#define NTVR_XFB_H

#include "ntvr.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NTVR_XFB_BUFFER_BINDING 64u /* the default binding of the first buffer */
#define NTVR_XFB_STATE_WORDS 24u    /* the number of words of a state */
#define NTVR_XFB_STATE_BINDING 4u   /* these are offsets from the first binding */
#define NTVR_XFB_LIST_BINDING 5u
#define NTVR_XFB_COUNTS_BINDING 6u
#define NTVR_XFB_VERTEX_BUFFER_BINDING 7u

/* How captures of transform feedback are written. */
enum ntvr_xfb_back_end {
   NTVR_XFB_EXTENSION = 0, /* by the device: VK_EXT_transform_feedback */
   NTVR_XFB_STORAGE,       /* by the vertex or geometry shader, to storage buffers: needs vertexPipelineStoresAndAtomics */
   NTVR_XFB_COMPUTE,       /* by a compute shader with the work of the vertex shader, 64 vertices per workgroup */
};

/* A vertex attribute that the shader fetches itself: VkVertexInputAttributeDescription and the fields of its binding. */
struct ntvr_attribute {
   uint32_t location;
   const char *format; /* the name of the VkFormat after VK_FORMAT_: "R32G32_SFLOAT" */
   uint32_t binding, offset, stride;
   bool per_instance;
   uint32_t divisor; /* per_instance: instances per element; 0: all instances have the first element */
};

/* The options for a shader that writes captures itself: the field `xfb` of struct ntvr_options. */
struct ntvr_xfb_options {
   uint32_t struct_size;
   uint32_t back_end; /* enum ntvr_xfb_back_end */
   /* The set and binding of the first storage buffer; if both are 0, set 3 and NTVR_XFB_BUFFER_BINDING. */
   uint32_t set, binding;
   /* The attributes that a vertex shader fetches itself. With NTVR_XFB_STORAGE it fetches them in draws over a list, and only if
    * they are given: otherwise vertex fetch must supply the vertices of the list. */
   const struct ntvr_attribute *attributes;
   size_t num_attributes;
   /* NTVR_XFB_STORAGE: vertex shaders write the number of the instance to this Location, and geometry shaders that capture read it
    * from there. Otherwise, draws with such geometry shaders must have one instance. */
   bool passes_instance;
   uint32_t instance_location;
};

/* The topology of primitives: the numbers are those of GL and of Mesa's enum mesa_prim. */
enum ntvr_topology {
   NTVR_TOPOLOGY_POINTS = 0, NTVR_TOPOLOGY_LINES, NTVR_TOPOLOGY_LINE_LOOP, NTVR_TOPOLOGY_LINE_STRIP, NTVR_TOPOLOGY_TRIANGLES,
   NTVR_TOPOLOGY_TRIANGLE_STRIP, NTVR_TOPOLOGY_TRIANGLE_FAN,
};

/* The parameters of a draw for a shader that writes captures itself. */
struct ntvr_xfb_state {
   uint32_t struct_size;
   bool is_active;         /* transform feedback is active and not paused; otherwise the other fields do not matter */
   bool only_counts;       /* geometry shaders, if it is not active: counts are written, but nothing is captured */
   bool first_provokes;    /* the first vertex of a primitive is the provoking vertex, as in Vulkan; the last is GL's */
   uint32_t topology;      /* enum ntvr_topology; for geometry shaders any with as many primitives as the input, or more */
   uint32_t first_vertex;  /* firstVertex of the draw */
   uint32_t vertices;      /* number of vertices of an instance */
   uint32_t first_instance;
   uint32_t instances;
   uint32_t draw;               /* gl_DrawID, for NTVR_XFB_COMPUTE */
   uint32_t primitives_before;  /* number captured since transform feedback began */
   uint32_t primitives_most;    /* number that fits into the buffers, including primitives_before */
   uint32_t first_words[4];     /* words from the start of a bound range to the place of the captures */
   bool has_list;               /* the draw is over a list: */
   uint32_t list_first_word;    /* words from the start of the bound range to the list */
   uint32_t base_vertex;        /* vertexOffset of the draw with indices: gl_BaseVertex */
};

/* Writes the words that the shader reads. Returns false, without a write, if a pointer is NULL, the
 * struct_size is too small, or the topology is unknown. */
bool ntvr_xfb_state_words(const struct ntvr_xfb_state *state, uint32_t words[NTVR_XFB_STATE_WORDS]);

/* The number of primitives of an instance with this number of vertices; 0 if the topology is unknown. */
uint32_t ntvr_topology_primitives(uint32_t topology, uint32_t vertices);

/* The number of vertices of a captured primitive; 0 if the topology is unknown. */
uint32_t ntvr_topology_vertices_per_primitive(uint32_t topology);

/* The indices that a draw of `num_indices` indices captures, as a list of points, lines or triangles in their order; `restart`,
 * if not NULL, is the primitive restart index. Writes the first `most` of them, and returns the number of all. */
size_t ntvr_emission_list(uint32_t topology, bool first_provokes, const uint32_t *indices, size_t num_indices,
                          const uint32_t *restart, uint32_t *list, size_t most);

#ifdef __cplusplus
}
#endif

#endif /* NTVR_XFB_H */
