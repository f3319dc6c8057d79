/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "memory.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The allocator of glibc, under names that this file does not replace. */
void *__libc_memalign(size_t alignment, size_t size);
void *__libc_malloc(size_t size);
void __libc_free(void *memory);

/* It is before each block, which keeps malloc's alignment. */
struct header {
   void *start;
   /* The size, and whether it counts. */
   uint32_t size;
   uint32_t is_counted;
};

static_assert(sizeof(struct header) == alignof(max_align_t), "blocks keep the alignment of malloc");

/* Whether the innermost probe of the thread counts. */
static __thread bool counts;

static atomic_int_fast64_t held, peak;

void
ntvr_probe_counts(bool on)
{
   counts = on;
}

int64_t
held_bytes(void)
{
   return held;
}

void
reset_peak(void)
{
   peak = held;
}

int64_t
peak_bytes(void)
{
   return peak;
}

static void
add(uint32_t size)
{
   int_fast64_t now = atomic_fetch_add(&held, size) + size, before = peak;

   while (before < now && !atomic_compare_exchange_weak(&peak, &before, now))
      ;
}

static void *
allocate(size_t alignment, size_t size)
{
   size_t room = alignment > sizeof(struct header) ? alignment : sizeof(struct header);
   struct header *header;
   char *start;

   if (size > UINT32_MAX || room > UINT32_MAX) {
      errno = ENOMEM;
      return NULL;
   }
   start = room > sizeof(struct header) ? __libc_memalign(alignment, size + room) : __libc_malloc(size + room);
   if (!start)
      return NULL;
   header = (struct header *)(start + room) - 1;
   *header = (struct header){.start = start, .size = (uint32_t)size, .is_counted = counts};
   if (counts)
      add(header->size);
   return header + 1;
}

void *
malloc(size_t size)
{
   return allocate(1, size);
}

void *
calloc(size_t count, size_t size)
{
   void *memory;

   if (size && count > UINT32_MAX / size) {
      errno = ENOMEM;
      return NULL;
   }
   memory = allocate(1, count * size);
   return memory ? memset(memory, 0, count * size) : NULL;
}

void
free(void *memory)
{
   const struct header *header = (struct header *)memory - 1;

   if (!memory)
      return;
   if (header->is_counted)
      atomic_fetch_sub(&held, header->size);
   __libc_free(header->start);
}

/* A block stays what it was when it was new: the memory of zink, or not. */
void *
realloc(void *memory, size_t size)
{
   const struct header *header = (struct header *)memory - 1;
   bool outer = counts;
   void *other;

   if (!memory)
      return malloc(size);
   counts = header->is_counted;
   other = allocate(1, size);
   counts = outer;
   if (!other)
      return NULL;
   memcpy(other, memory, size < header->size ? size : header->size);
   free(memory);
   return other;
}

void *
memalign(size_t alignment, size_t size)
{
   return allocate(alignment, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
   return allocate(alignment, size);
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
   *memory = allocate(alignment, size);
   return *memory ? 0 : ENOMEM;
}

size_t
malloc_usable_size(void *memory)
{
   return memory ? ((struct header *)memory - 1)->size : 0;
}
