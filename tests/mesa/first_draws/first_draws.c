/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Measures the first draws of programs: the first draw of each program with each of its states.
 *
 * usage: first_draws STATES           measures; a table on stdout, tab-separated
 *        first_draws STATES --check   draws with vertices, and compares the pixels after each draw with black
 *        first_draws 1 --memory       counts the memory of zink instead of the time
 *
 * There are 200 programs (programs.c), and each is drawn with the first STATES of its states (states.c): 1 to 8. `cargo xtask mesa
 * --first-draws` builds the workload, runs it on zink, and joins the table with the probes of zink (ffi/mesa/zink_ntvr_probes.h),
 * which use the same clock and the same numbers of threads.
 *
 * All programs are linked first, as in applications that have a loading screen; a line of the phase `link` has the time of each. Then
 * all programs are drawn with their first state, then with their second one, and so on: each draw changes the program. (With shader
 * objects, zink 25.0.7 crashes if only the state changes so that a program needs a pipeline: replace_separable_prog() returns a
 * program without modules.) Before a draw, the state is set; only the draw itself is timed. After it, the workload waits for the
 * device and for the threads that compile, so that no work of a draw is left when the next one starts. A program of its own is drawn
 * before the others, and is not measured: the objects that the driver makes once are made then.
 *
 * Measured draws have no vertices: their number is in a buffer, which the driver does not read on the measured thread. So zink does all
 * work for the draw, but lavapipe need not compile shaders with LLVM on its own threads, which takes ten times as long as the draw.
 * With `--check` draws have vertices.
 *
 * With `--memory`, each program is drawn with its first state as soon as it is linked. A line of the phase `peak` has the most bytes of
 * a program in place of the time, and the line `held` the bytes that are left of all (memory.h).
 *
 * draws/draws.c describes the environment that keeps other work away from the measured thread.
 */

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "memory.h"
#include "states.h"

/* A context without a window, with the states that core profiles lack. Returns its display. */
static EGLDisplay
open_context(void)
{
   static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
                                       EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                                       EGL_NONE};
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   EGLContext context;

   if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
      fail("EGL has no display without surfaces");
   if (!eglBindAPI(EGL_OPENGL_API))
      fail("EGL has no OpenGL");
   context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      fail("there is no compatibility context of OpenGL 4.5");
   return display;
}

/* Destroys the context, so that the driver completes the entries of its disk cache. */
static void
close_context(EGLDisplay display)
{
   EGLContext context = eglGetCurrentContext();

   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(display, context);
   eglTerminate(display);
}

/* Nanoseconds: of the clock of the probes, and of the calling thread. */
struct times {
   int64_t wall;
   int64_t cpu;
};

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

static void
print_line(const char *phase, unsigned index, const struct program *program, unsigned number, const char *state,
           struct times start, struct times end)
{
   printf("%s\t%u\t%s\t%u\t%s\t%d\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", phase, index, program->name, number, state,
          (int)syscall(SYS_gettid), start.wall, end.wall, end.cpu - start.cpu);
}

/* Links the program, and prints a line with its time. */
static void
link_program(struct program *program, unsigned index)
{
   struct times start = now();

   create_program(program, index);
   print_line("link", index, program, 0, "-", start, now());
}

/* Draws the program with its state of this number. Returns false if the draw has no pixels. */
static bool
draw_program(const struct program *program, unsigned index, unsigned number, bool is_check, const char *phase)
{
   const struct state *states[MAX_STATES], *state;
   struct times start, end;
   bool fine = true;

   choose_states(states, program, index);
   state = states[number];
   set_state(program, state);
   if (is_check)
      glClear(GL_COLOR_BUFFER_BIT);
   start = now();
   draw(program, state, !is_check);
   end = now();
   glFinish();
   await_program(program);
   print_line(phase, index, program, number, state->name, start, end);
   if (is_check && !is_drawn(state)) {
      fprintf(stderr, "first_draws: program %u (%s) draws nothing with the state %s\n", index, program->name, state->name);
      fine = false;
   }
   reset_state(program, state);
   return fine;
}

/* Prints a line with a number of bytes in the place of the time. */
static void
print_bytes(const char *phase, unsigned index, const struct program *program, int64_t bytes)
{
   int64_t wall = now().wall;

   print_line(phase, index, program, 0, "-", (struct times){wall, 0}, (struct times){wall, bytes});
}

/* Creates the program that is not measured, and draws it with its states. */
static void
warm_up(struct program *program)
{
   create_program(program, NUM_PROGRAMS);
   await_program(program);
   for (unsigned number = 0; number < MAX_STATES; number++)
      draw_program(program, NUM_PROGRAMS, number, false, "first");
}

static bool
measure_memory(void)
{
   static struct program programs[NUM_PROGRAMS], first;
   int64_t start;
   bool fine = true;

   warm_up(&first);
   start = held_bytes();
   for (unsigned i = 0; i < NUM_PROGRAMS; i++) {
      int64_t before = held_bytes();

      reset_peak();
      link_program(&programs[i], i);
      await_program(&programs[i]);
      fine &= draw_program(&programs[i], i, 0, false, "draw");
      print_bytes("peak", i, &programs[i], peak_bytes() - before);
   }
   print_bytes("held", NUM_PROGRAMS, &first, held_bytes() - start);
   return fine;
}

static bool
measure(unsigned num_states, bool is_check)
{
   static struct program programs[NUM_PROGRAMS], first;
   bool fine = true;

   warm_up(&first);
   for (unsigned i = 0; i < NUM_PROGRAMS; i++)
      link_program(&programs[i], i);
   for (unsigned i = 0; i < NUM_PROGRAMS; i++)
      await_program(&programs[i]);
   for (unsigned number = 0; number < num_states; number++) {
      for (unsigned i = 0; i < NUM_PROGRAMS; i++)
         fine &= draw_program(&programs[i], i, number, is_check, "draw");
   }
   return fine;
}

int
main(int argc, char **argv)
{
   long num_states = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
   bool is_check = argc == 3 && strcmp(argv[2], "--check") == 0;
   bool is_memory = argc == 3 && strcmp(argv[2], "--memory") == 0 && num_states == 1, fine;
   EGLDisplay display;

   if (num_states < 1 || num_states > MAX_STATES || (argc == 3 && !is_check && !is_memory) || argc > 3) {
      fprintf(stderr, "usage: first_draws STATES [--check]\n       first_draws 1 --memory\n");
      return 2;
   }
   display = open_context();
   create_objects();
   /* The name of the driver comes before the table. */
   printf("%s\n", (const char *)glGetString(GL_RENDERER));
   printf("phase\tprogram\ttemplate\tnumber\tstate\tthread\tstart_ns\tend_ns\tcpu_ns\n");
   fine = is_memory ? measure_memory() : measure((unsigned)num_states, is_check);
   if (glGetError() != GL_NO_ERROR)
      fail("OpenGL has an error");
   close_context(display);
   return fine ? 0 : 1;
}
