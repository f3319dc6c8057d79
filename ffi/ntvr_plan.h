/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Plans of uniform blocks: uniform buffers, storage buffers or push constants. C11 or C++17.
 *
 * A plan decides which uniform blocks of a program are read through storage buffers or push constants: once for all stages, before
 * they are translated. Call ntvr_plan_create, ntvr_plan_add_stage for each stage, ntvr_plan_know_block for each block about which the
 * driver has data or whose class it sets, ntvr_plan_decide, and then ntvr_plan_placements for the options of ntvr_translate and
 * ntvr_module_create. Only one thread may use a plan at a time.
 */

#ifndef NTVR_PLAN_H
#define NTVR_PLAN_H

#include "ntvr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a shader reads a uniform block. */
enum ntvr_block_class {
   NTVR_BLOCK_UNIFORM = 0,   /* through a uniform buffer */
   NTVR_BLOCK_STORAGE,       /* through a storage buffer with the set and binding that the uniform buffer would have */
   NTVR_BLOCK_PUSH_CONSTANT, /* in push constants; only for blocks that are read by load_ubo */
};

/* The class and place of a uniform block of a stage, as decided by ntvr_plan. Blocks without a placement are uniform buffers.
 * The field `placements` of struct ntvr_options points to them. */
struct ntvr_placement {
   uint32_t block;       /* its number in the stage: the index of load_ubo, or driver_location plus the index in the array */
   uint32_t block_class; /* enum ntvr_block_class */
   uint32_t range;       /* the maximum number of bytes that are bound; 0: the limit of the device */
   uint32_t offset;      /* NTVR_BLOCK_PUSH_CONSTANT: its first byte in the push constants, a multiple of 16 */
   /* NTVR_BLOCK_STORAGE: the shader clamps dynamic offsets to the bound range, because the device does not. Bound ranges must then
    * have multiples of 16 bytes. */
   bool clamp;
};

struct ntvr_plan;

/* The limits of the device: VkPhysicalDeviceLimits. */
struct ntvr_limits {
   uint32_t struct_size;
   uint32_t max_uniform_buffer_range, max_storage_buffer_range;
   uint32_t max_per_stage_descriptor_uniform_buffers, max_per_stage_descriptor_storage_buffers;
   uint32_t max_descriptor_set_uniform_buffers, max_descriptor_set_storage_buffers;
   uint32_t min_uniform_buffer_offset_alignment, min_storage_buffer_offset_alignment;
   uint32_t max_push_constants_size;
   uint32_t robust_buffer_access; /* 1 if it or robustBufferAccess2 is enabled */
};

/* The driver's requests. Fields of 0 request nothing. */
struct ntvr_plan_wishes {
   uint32_t struct_size;
   uint32_t threshold;        /* blocks with this number of dynamically indexed bytes become storage buffers; 0: no threshold */
   uint32_t offset_alignment; /* of ranges, as reported to applications; 0: min_uniform_buffer_offset_alignment */
   uint32_t push_constants_begin, push_constants_end;     /* the bytes of push constants that are free for blocks */
   uint32_t other_uniform_buffers, other_storage_buffers; /* of each stage, not for blocks of the program */
   bool all_in_storage; /* all blocks for which it is possible: for tests */
};

/* The driver's data about a block. */
struct ntvr_block {
   uint32_t struct_size;
   uint32_t bytes;   /* its size, GL_UNIFORM_BLOCK_DATA_SIZE; 0 if it is not known */
   bool is_unsized;  /* its size is that of the bound range */
   bool is_at_hand;  /* the driver has its bytes on the CPU when it draws: they can be push constants */
   bool is_asked;    /* the driver sets its class: */
   uint32_t block_class;
   uint32_t offset; /* NTVR_BLOCK_PUSH_CONSTANT: its first byte there */
};

enum ntvr_plan_reason {
   NTVR_PLAN_FITS = 0,       /* there is no reason for another class */
   NTVR_PLAN_RANGE,          /* it is larger than a uniform buffer may be */
   NTVR_PLAN_UNSIZED,        /* its size is that of the bound range */
   NTVR_PLAN_DESCRIPTORS,    /* more uniform buffers than the limit */
   NTVR_PLAN_THRESHOLD,      /* enough of it is indexed dynamically */
   NTVR_PLAN_ANGLE,          /* ANGLE's rule */
   NTVR_PLAN_ASKED,          /* the driver has set it */
   NTVR_PLAN_PUSH_CONSTANTS, /* it fits into push constants */
   NTVR_PLAN_ARRAY,          /* it shares an array with a block that needs the class */
};

/* The decision about a block. The texts are valid until the plan is decided again or destroyed. */
struct ntvr_planned {
   uint32_t struct_size;
   const char *name;
   const char *why; /* a sentence */
   uint32_t block_class;
   uint32_t offset; /* NTVR_BLOCK_PUSH_CONSTANT: its first byte there */
   enum ntvr_plan_reason reason;
   uint32_t buffer_usage;     /* VkBufferUsageFlags that its buffer needs; 0 for push constants */
   uint32_t access;           /* VkAccessFlags of the shaders' reads; 0 for push constants */
   uint32_t offset_alignment; /* of the bound range */
   uint32_t range;            /* the minimum size of the bound range in bytes */
   uint32_t dynamic_bytes;    /* the number of dynamically indexed bytes */
   bool clamp;                /* shaders clamp dynamic offsets to the range */
};

struct ntvr_plan *ntvr_plan_create(void); /* NULL if memory is short */
void ntvr_plan_destroy(struct ntvr_plan *plan); /* NULL is fine */

/* Adds a stage: the shader in `num_words` words at `wire`. `names[n]` is the program's name for the stage's block n; blocks with
 * equal names are one block. NULL, as an entry or for `names`, means "ubo<n>"; or, for a block 0 with the stage's loose uniforms,
 * a name that is unique to the stage. In this function and the next two, `result` only receives errors, and may be NULL. */
enum ntvr_status ntvr_plan_add_stage(struct ntvr_plan *plan, const uint32_t *wire, size_t num_words, const char *const *names,
                                     size_t num_names, const struct ntvr_options *options, struct ntvr_result *result);

/* Sets the driver's data about a block. */
enum ntvr_status ntvr_plan_know_block(struct ntvr_plan *plan, const char *name, const struct ntvr_block *block,
                                      const struct ntvr_options *options, struct ntvr_result *result);

/* Decides the classes of all blocks. NTVR_ERROR_UNSUPPORTED, with the reason, if no classes of the blocks fit the device. */
enum ntvr_status ntvr_plan_decide(struct ntvr_plan *plan, const struct ntvr_limits *limits, const struct ntvr_plan_wishes *wishes,
                                  const struct ntvr_options *options, struct ntvr_result *result);

/* Writes the first `most` blocks, sorted by name, and returns the number of all blocks. It is 0 before ntvr_plan_decide. The caller
 * sets the struct_size of the first one, unless `most` is 0. */
size_t ntvr_plan_blocks(const struct ntvr_plan *plan, struct ntvr_planned *blocks, size_t most);

/* Writes the first `most` placements of a stage, and returns the number of all. */
size_t ntvr_plan_placements(const struct ntvr_plan *plan, enum ntvr_stage stage, struct ntvr_placement *placements, size_t most);

#ifdef __cplusplus
}
#endif

#endif /* NTVR_PLAN_H */
