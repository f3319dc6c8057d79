/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The memory that zink allocates for shaders: this program's malloc, which all its libraries use, too, counts blocks that are
 * allocated within a probe of zink (ffi/mesa/zink_ntvr_probes.h), but not within one of the Vulkan driver.
 *
 * A block has 16 bytes before it, so times of programs with this allocator are not those of users. The bytes are as requested.
 */

#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Zink's probes call it: whether blocks that the calling thread allocates from now on count. */
void ntvr_probe_counts(bool on);

/* The bytes of the blocks that count and are not freed. */
int64_t held_bytes(void);

/* The most of them since the last reset_peak(). */
int64_t peak_bytes(void);
void reset_peak(void);

#endif /* MEMORY_H */
