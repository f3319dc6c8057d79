/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "zink_ntvr_probes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "util/log.h"
#include "util/macros.h"
#include "util/u_call_once.h"
#include "util/u_debug.h"

DEBUG_GET_ONCE_OPTION(ntvr_probes, "ZINK_NTVR_PROBES", NULL)

/* More than any probe of zink nests. */
#define MAX_DEPTH 16

/* Numbers of one thread, in nanoseconds. */
struct times {
   int64_t wall;
   int64_t cpu;
};

struct probe {
   const char *kind;
   gl_shader_stage stage;
   struct times start;
   /* The times of the probes within this one, with the time for writing their lines. */
   struct times within;
};

static __thread struct probe probes[MAX_DEPTH];
static __thread unsigned depth;

static FILE *file;

/*
 * A program that counts zink's memory has this function (tests/mesa/first_draws/memory.h): whether the thread's allocations are
 * zink's from now on.
 */
extern void ntvr_probe_counts(bool on) __attribute__((weak));

/* Tells a program that counts memory which probe is the innermost one now. */
static void
count_memory(void)
{
   static const char *const of_driver[] = {"module", "pipeline", "library", "link"};
   bool is_own = depth > 0;

   if (!ntvr_probe_counts)
      return;
   for (unsigned i = 0; i < ARRAY_SIZE(of_driver); i++)
      is_own = is_own && strcmp(probes[depth - 1].kind, of_driver[i]) != 0;
   ntvr_probe_counts(is_own);
}

static void
open_file(void)
{
   const char *name = debug_get_option_ntvr_probes();

   if (!name)
      return;
   file = fopen(name, "w");
   if (!file) {
      mesa_logw("ntv: cannot write %s", name);
      return;
   }
   /* Lines are written when the buffer is full, and at the end of the process. */
   setvbuf(file, NULL, _IOFBF, 1 << 20);
   fputs("thread\tkind\tstage\tstart_ns\tend_ns\twall_ns\tcpu_ns\n", file);
}

static bool
is_enabled(void)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;

   util_call_once(&once, open_file);
   return file;
}

static int64_t
read_clock(clockid_t clock)
{
   struct timespec time;

   clock_gettime(clock, &time);
   return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static struct times
now(void)
{
   return (struct times){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_THREAD_CPUTIME_ID)};
}

void
zink_ntvr_probe_begin(const char *kind, gl_shader_stage stage)
{
   if (!is_enabled())
      return;
   assert(depth < MAX_DEPTH);
   probes[depth++] = (struct probe){.kind = kind, .stage = stage, .start = now()};
   count_memory();
}

void
zink_ntvr_probe_end(void)
{
   const struct probe *probe;
   struct times end, outer_end;

   if (!is_enabled())
      return;
   end = now();
   assert(depth > 0);
   probe = &probes[--depth];
   count_memory();
   fprintf(file, "%d\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", (int)syscall(SYS_gettid),
           probe->kind, probe->stage == MESA_SHADER_NONE ? "-" : _mesa_shader_stage_to_abbrev(probe->stage),
           probe->start.wall, end.wall, end.wall - probe->start.wall - probe->within.wall,
           end.cpu - probe->start.cpu - probe->within.cpu);
   if (depth == 0)
      return;
   outer_end = now();
   probes[depth - 1].within.wall += outer_end.wall - probe->start.wall;
   probes[depth - 1].within.cpu += outer_end.cpu - probe->start.cpu;
}
