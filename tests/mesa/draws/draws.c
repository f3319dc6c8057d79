/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Measures the CPU time of a draw, for each kind of change between two draws, on any driver of OpenGL.
 *
 * usage: draws SIDE [ROUNDS]   measures; a table on stdout, tab-separated, whose column `side` has the name SIDE in each line
 *        draws --check         draws with both states of each workload, and compares pixels with the expected ones
 *
 * `cargo xtask bench --draws` builds it, runs it on zink, and compares it with the benchmark `draws` of ntv's own driver, which does
 * the same work. In the terms of both APIs (the shape of a draw is that of piglit's drawoverhead):
 *
 * Target        32 x 32 pixels, R8G8B8A8_UNORM, one sample, no depth buffer; two of them for the workload `framebuffer`.
 * Draw          3 vertices, a list of triangles, no indices, one instance.
 * Vertices      one buffer, stride 32, two attributes: 0 is R32G32_SFLOAT at offset 0, 1 is R8G8B8A8_UNORM at offset 8.
 *               At offset 16 each vertex has an R32G32B32A32_SFLOAT, which only the workload `vertex format` reads.
 * Uniforms      one uniform block in the vertex stage, of which 16 bytes are bound, and one vec4 in the default block of the fragment
 *               stage (Gallium's constant buffer 0 with user data, 16 bytes).
 * Texture       one, in the fragment stage: 4 x 4 pixels, R8G8B8A8_UNORM, one level, nearest, repeated, with a sampler.
 * States        blending is enabled, add, factors one and zero; scissor test enabled, viewport and scissor are the target; no depth
 *               test, no culling, no dithering.
 * Shaders       GLSL below; vertex.nir, fragment.nir and inverse.nir are the NIR that a Gallium driver gets.
 *
 * Each workload is a loop of that draw with one change before each draw, to state n % 2 for draw n:
 *
 * none            nothing
 * vertex buffer   the buffer of binding 0: one of two, with the same layout, offset 0
 * uniform buffer  the range of the uniform block: offset 0 or 256 of one buffer, 16 bytes
 * uniform         the vec4 of the default block
 * texture         the bound texture: one of two of the same size and format, with the same sampler
 * program         the program: one of two, which share the vertex shader's source and differ in the fragment shader
 * blend           the factors: one, zero or one, one
 * vertex format   attribute 1: R8G8B8A8_UNORM at offset 8, or R32G32B32A32_SFLOAT at offset 16
 * viewport        viewport and scissor: 32 x 32 or 16 x 16, both at 0, 0
 * framebuffer     the target: one of two
 *
 * A round measures each workload once: all states are set to 0, then there is one draw and glFinish, then DRAWS draws
 * (FRAMEBUFFER_DRAWS of `framebuffer`) and one flush, which are timed: the CPU time of the calling thread and the wall time. Three
 * rounds before the first are not counted. A line has the median and the minimum over the rounds, in nanoseconds for a draw. DRAWS is
 * below the 30,000 after which zink flushes itself.
 *
 * The environment keeps other work away from the measured thread, and zink's work on it:
 *
 * - Nothing is drawn: with LP_NO_RAST=1 llvmpipe, and so lavapipe, bins triangles and draws none (lp_rast.c). Rasterizer discard
 *   would do that on any device, but it is a state that drivers treat differently: they need not bind resources of fragment shaders.
 *   lavapipe executes submissions on a thread of its own, so LP_NO_RAST and LP_NUM_THREADS=0 only keep the cores free. `--check` runs
 *   without them.
 * - glibc keeps freed memory (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_, MALLOC_TOP_PAD_): lavapipe allocates memory for each
 *   recorded command. If it is returned to the kernel when a command buffer is reset, page faults are up to half of the time of the
 *   next round, and most of its noise.
 * - GALLIUM_THREAD=0: zink works on the calling thread. Otherwise it gets its calls from a thread of the threaded context, flushes on
 *   another one, and the calling thread's time would only be that of a recording.
 * - mesa_glthread=false: for the same reason.
 * - GALLIUM_NOOP=1 gives the time of OpenGL itself: Mesa's state tracker on a driver that does nothing. The difference is comparable
 *   with ntv's driver, which begins at Gallium's interface.
 */

#define _GNU_SOURCE

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#define SIZE 32
#define STRIDE 32
#define BLOCK_STEP 256
#define DRAWS 10000
#define FRAMEBUFFER_DRAWS 1000
#define ROUNDS 51
#define WARM_UP 3

/* The colours for both states of a change, as a byte in each channel: of the vertices, the texture, the tint, the cleared target. */
#define COLOUR 64
#define OTHER_COLOUR 128
#define WHITE 255
#define OTHER_TEXEL 192
#define TINT 64
#define CLEARED 32

static const char vertex_source[] = "#version 450 core\n"
                                    "layout(location = 0) in vec2 position;\n"
                                    "layout(location = 1) in vec4 colour;\n"
                                    "layout(std140, binding = 0) uniform Block { vec4 scale; };\n"
                                    "layout(location = 0) out vec4 shade;\n"
                                    "layout(location = 1) out vec2 place;\n"
                                    "void main() {\n"
                                    "   gl_Position = vec4(position * scale.xy, 0.0, 1.0);\n"
                                    "   shade = colour;\n"
                                    "   place = position;\n"
                                    "}\n";

static const char fragment_source[] = "#version 450 core\n"
                                      "layout(location = 0) in vec4 shade;\n"
                                      "layout(location = 1) in vec2 place;\n"
                                      "layout(binding = 0) uniform sampler2D image;\n"
                                      "layout(location = 0) uniform vec4 tint;\n"
                                      "layout(location = 0) out vec4 result;\n"
                                      "void main() {\n"
                                      "   result = texture(image, place) * shade + tint;\n"
                                      "}\n";

static const char inverse_source[] = "#version 450 core\n"
                                     "layout(location = 0) in vec4 shade;\n"
                                     "layout(location = 1) in vec2 place;\n"
                                     "layout(binding = 0) uniform sampler2D image;\n"
                                     "layout(location = 0) uniform vec4 tint;\n"
                                     "layout(location = 0) out vec4 result;\n"
                                     "void main() {\n"
                                     "   result = vec4(1.0) - (texture(image, place) * shade + tint);\n"
                                     "}\n";

struct vertex {
   float position[2];
   unsigned char colour[4];
   unsigned char unused[4];
   float other_colour[4];
};

_Static_assert(sizeof(struct vertex) == STRIDE, "the stride of the buffer");

/* The functions that the program calls; libEGL returns them all, so no other library has to be linked. */
#define FUNCTIONS(X)                                                                                                           \
   X(PFNGLATTACHSHADERPROC, AttachShader)                                                                                      \
   X(PFNGLBINDBUFFERPROC, BindBuffer)                                                                                          \
   X(PFNGLBINDBUFFERRANGEPROC, BindBufferRange)                                                                                \
   X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                                                \
   X(PFNGLBINDSAMPLERPROC, BindSampler)                                                                                        \
   X(PFNGLBINDTEXTUREPROC, BindTexture)                                                                                        \
   X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                                                \
   X(PFNGLBINDVERTEXBUFFERPROC, BindVertexBuffer)                                                                              \
   X(PFNGLBLENDFUNCPROC, BlendFunc)                                                                                            \
   X(PFNGLBUFFERSTORAGEPROC, BufferStorage)                                                                                    \
   X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                                                  \
   X(PFNGLCLEARCOLORPROC, ClearColor)                                                                                          \
   X(PFNGLCLEARPROC, Clear)                                                                                                    \
   X(PFNGLCOMPILESHADERPROC, CompileShader)                                                                                    \
   X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                                                    \
   X(PFNGLCREATESHADERPROC, CreateShader)                                                                                      \
   X(PFNGLDISABLEPROC, Disable)                                                                                                \
   X(PFNGLDRAWARRAYSPROC, DrawArrays)                                                                                          \
   X(PFNGLENABLEPROC, Enable)                                                                                                  \
   X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                                                \
   X(PFNGLFINISHPROC, Finish)                                                                                                  \
   X(PFNGLFLUSHPROC, Flush)                                                                                                    \
   X(PFNGLFRAMEBUFFERTEXTURE2DPROC, FramebufferTexture2D)                                                                      \
   X(PFNGLGENBUFFERSPROC, GenBuffers)                                                                                          \
   X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                                                \
   X(PFNGLGENSAMPLERSPROC, GenSamplers)                                                                                        \
   X(PFNGLGENTEXTURESPROC, GenTextures)                                                                                        \
   X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                                                \
   X(PFNGLGETERRORPROC, GetError)                                                                                              \
   X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                                                                            \
   X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                                                      \
   X(PFNGLGETSTRINGPROC, GetString)                                                                                            \
   X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                                                        \
   X(PFNGLREADPIXELSPROC, ReadPixels)                                                                                          \
   X(PFNGLSAMPLERPARAMETERIPROC, SamplerParameteri)                                                                            \
   X(PFNGLSCISSORPROC, Scissor)                                                                                                \
   X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                                                      \
   X(PFNGLTEXSTORAGE2DPROC, TexStorage2D)                                                                                      \
   X(PFNGLTEXSUBIMAGE2DPROC, TexSubImage2D)                                                                                    \
   X(PFNGLUNIFORM4FPROC, Uniform4f)                                                                                            \
   X(PFNGLUSEPROGRAMPROC, UseProgram)                                                                                          \
   X(PFNGLVERTEXATTRIBBINDINGPROC, VertexAttribBinding)                                                                        \
   X(PFNGLVERTEXATTRIBFORMATPROC, VertexAttribFormat)                                                                          \
   X(PFNGLVIEWPORTPROC, Viewport)

#define DECLARE(type, name) static type gl##name;
FUNCTIONS(DECLARE)

static GLuint vertex_buffers[2], uniform_buffer, textures[2], programs[2], framebuffers[2];

static void
fail(const char *what)
{
   fprintf(stderr, "draws: %s\n", what);
   exit(1);
}

/* A context without a window, and all functions. */
static void
open_context(void)
{
   static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5,
                                       EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);

   if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
      fail("EGL has no display without surfaces");
   if (!eglBindAPI(EGL_OPENGL_API))
      fail("EGL has no OpenGL");
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      fail("there is no context of OpenGL 4.5");
#define LOAD(type, name)                                                                                                       \
   if (!(gl##name = (type)eglGetProcAddress("gl" #name)))                                                                      \
      fail("there is no gl" #name);
   FUNCTIONS(LOAD)
}

static GLuint
create_program(const char *fragment)
{
   const char *sources[] = {vertex_source, fragment};
   const GLenum stages[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
   GLuint program = glCreateProgram();
   GLint linked = 0;

   for (unsigned stage = 0; stage < 2; stage++) {
      GLuint shader = glCreateShader(stages[stage]);

      glShaderSource(shader, 1, &sources[stage], NULL);
      glCompileShader(shader);
      glAttachShader(program, shader);
   }
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked) {
      char log[1024] = "";

      glGetProgramInfoLog(program, sizeof(log), NULL, log);
      fail(log);
   }
   return program;
}

/* A triangle over the whole target, and three times its colours. */
static GLuint
create_vertices(unsigned char colour)
{
   static const float places[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
   struct vertex vertices[3] = {0};
   GLuint buffer;

   for (unsigned i = 0; i < 3; i++) {
      memcpy(vertices[i].position, places[i], sizeof(places[i]));
      memset(vertices[i].colour, colour, 4);
      for (unsigned channel = 0; channel < 4; channel++)
         vertices[i].other_colour[channel] = 1;
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferStorage(GL_ARRAY_BUFFER, sizeof(vertices), vertices, 0);
   return buffer;
}

/* Two ranges: with the second one the triangle is half as large, and its longest side crosses the middle of the target. */
static void
create_uniforms(void)
{
   static const float whole[4] = {1, 1, 1, 1}, half[4] = {0.5f, 0.5f, 1, 1};
   char bytes[2 * BLOCK_STEP] = {0};

   memcpy(bytes, whole, sizeof(whole));
   memcpy(bytes + BLOCK_STEP, half, sizeof(half));
   glGenBuffers(1, &uniform_buffer);
   glBindBuffer(GL_UNIFORM_BUFFER, uniform_buffer);
   glBufferStorage(GL_UNIFORM_BUFFER, sizeof(bytes), bytes, 0);
}

/* A texture of one colour. */
static GLuint
create_texture(unsigned size, unsigned char texel)
{
   unsigned char texels[4 * SIZE * SIZE];
   GLuint texture;

   memset(texels, texel, sizeof(texels));
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, size, size);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   return texture;
}

static void
create_sampler(void)
{
   GLuint sampler;

   glGenSamplers(1, &sampler);
   glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glBindSampler(0, sampler);
}

static GLuint
create_framebuffer(void)
{
   GLuint framebuffer, target = create_texture(SIZE, 0);

   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fail("the target is not complete");
   return framebuffer;
}

/* All objects, and the states that never change. */
static void
create_objects(void)
{
   GLuint array;

   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   for (unsigned attribute = 0; attribute < 2; attribute++) {
      glEnableVertexAttribArray(attribute);
      glVertexAttribBinding(attribute, 0);
   }
   glVertexAttribFormat(0, 2, GL_FLOAT, GL_FALSE, 0);
   create_uniforms();
   create_sampler();
   for (unsigned i = 0; i < 2; i++) {
      vertex_buffers[i] = create_vertices(i ? OTHER_COLOUR : COLOUR);
      textures[i] = create_texture(4, i ? OTHER_TEXEL : WHITE);
      programs[i] = create_program(i ? inverse_source : fragment_source);
      framebuffers[i] = create_framebuffer();
   }
   glEnable(GL_BLEND);
   glEnable(GL_SCISSOR_TEST);
   glDisable(GL_DITHER);
   glClearColor(CLEARED / 255.0f, CLEARED / 255.0f, CLEARED / 255.0f, CLEARED / 255.0f);
}

/* One function for each change; `i` is 0 or 1. */

static inline void
change_none(unsigned i)
{
   (void)i;
}

static inline void
change_vertex_buffer(unsigned i)
{
   glBindVertexBuffer(0, vertex_buffers[i], 0, STRIDE);
}

static inline void
change_uniform_buffer(unsigned i)
{
   glBindBufferRange(GL_UNIFORM_BUFFER, 0, uniform_buffer, i * BLOCK_STEP, 16);
}

static inline void
change_uniform(unsigned i)
{
   float tint = i ? TINT / 255.0f : 0;

   glUniform4f(0, tint, tint, tint, tint);
}

static inline void
change_texture(unsigned i)
{
   glBindTexture(GL_TEXTURE_2D, textures[i]);
}

static inline void
change_program(unsigned i)
{
   glUseProgram(programs[i]);
}

static inline void
change_blend(unsigned i)
{
   glBlendFunc(GL_ONE, i ? GL_ONE : GL_ZERO);
}

static inline void
change_vertex_format(unsigned i)
{
   if (i)
      glVertexAttribFormat(1, 4, GL_FLOAT, GL_FALSE, 16);
   else
      glVertexAttribFormat(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 8);
}

static inline void
change_viewport(unsigned i)
{
   GLsizei size = i ? SIZE / 2 : SIZE;

   glViewport(0, 0, size, size);
   glScissor(0, 0, size, size);
}

static inline void
change_framebuffer(unsigned i)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
}

/* The workloads: the change, its name, the draws of a round, and the pixel at 24, 24 in the first target after a draw in state 1. */
#define WORKLOADS(X)                                                                                                           \
   X(none, "none", DRAWS, COLOUR)                                                                                              \
   X(vertex_buffer, "vertex buffer", DRAWS, OTHER_COLOUR)                                                                      \
   X(uniform_buffer, "uniform buffer", DRAWS, CLEARED)                                                                         \
   X(uniform, "uniform", DRAWS, COLOUR + TINT)                                                                                 \
   X(texture, "texture", DRAWS, COLOUR *OTHER_TEXEL / WHITE)                                                                   \
   X(program, "program", DRAWS, WHITE - COLOUR)                                                                                \
   X(blend, "blend", DRAWS, COLOUR + CLEARED)                                                                                  \
   X(vertex_format, "vertex format", DRAWS, WHITE)                                                                             \
   X(viewport, "viewport", DRAWS, CLEARED)                                                                                     \
   X(framebuffer, "framebuffer", FRAMEBUFFER_DRAWS, CLEARED)

/* Each loop contains its change, so that no call through a pointer is measured. */
#define LOOP(id, name, draws, pixel)                                                                                           \
   static void loop_##id(unsigned count)                                                                                       \
   {                                                                                                                           \
      for (unsigned n = 0; n < count; n++) {                                                                                   \
         change_##id(n & 1);                                                                                                   \
         glDrawArrays(GL_TRIANGLES, 0, 3);                                                                                     \
      }                                                                                                                        \
   }
WORKLOADS(LOOP)

struct workload {
   const char *name;
   void (*change)(unsigned);
   void (*loop)(unsigned);
   unsigned draws;
   int pixel;
};

#define ROW(id, name, draws, pixel) {name, change_##id, loop_##id, draws, pixel},
static const struct workload workloads[] = {WORKLOADS(ROW)};
#define NUM_WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

/* State 0 of everything. The uniform belongs to a program: both get it. */
static void
reset(void)
{
   for (unsigned i = 2; i-- > 0;) {
      change_program(i);
      change_uniform(0);
   }
   for (unsigned i = 0; i < NUM_WORKLOADS; i++)
      workloads[i].change(0);
}

/* Whether the pixel at 24, 24 in the first target has this in all channels. */
static bool
is_pixel(int want)
{
   unsigned char pixel[4];
   bool same = true;

   glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
   glReadPixels(24, 24, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   for (unsigned channel = 0; channel < 4; channel++)
      same &= abs(pixel[channel] - want) <= 1;
   if (!same)
      fprintf(stderr, "draws: %d %d %d %d instead of %d\n", pixel[0], pixel[1], pixel[2], pixel[3], want);
   return same;
}

/* Draws with both states of each workload. */
static bool
check(void)
{
   bool fine = true;

   for (const struct workload *workload = workloads; workload < workloads + NUM_WORKLOADS; workload++) {
      for (unsigned i = 0; i < 2; i++) {
         reset();
         glClear(GL_COLOR_BUFFER_BIT);
         workload->change(i);
         glDrawArrays(GL_TRIANGLES, 0, 3);
         if (!is_pixel(i ? workload->pixel : COLOUR)) {
            fprintf(stderr, "draws: that is state %u of `%s`\n", i, workload->name);
            fine = false;
         }
      }
   }
   return fine;
}

static double
now(clockid_t clock)
{
   struct timespec time;

   clock_gettime(clock, &time);
   return time.tv_sec * 1e9 + time.tv_nsec;
}

struct times {
   double *cpu, *wall;
};

/* Nanoseconds for a draw, in one round. */
static void
measure(const struct workload *workload, double *cpu, double *wall)
{
   reset();
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glFinish();
   double wall_start = now(CLOCK_MONOTONIC), cpu_start = now(CLOCK_THREAD_CPUTIME_ID);
   workload->loop(workload->draws);
   glFlush();
   double cpu_end = now(CLOCK_THREAD_CPUTIME_ID), wall_end = now(CLOCK_MONOTONIC);
   *cpu = (cpu_end - cpu_start) / workload->draws;
   *wall = (wall_end - wall_start) / workload->draws;
   glFinish();
}

static int
compare(const void *a, const void *b)
{
   double left = *(const double *)a, right = *(const double *)b;

   return (left > right) - (left < right);
}

/* Writes the median and the minimum. */
static void
print_times(double *times, unsigned count)
{
   qsort(times, count, sizeof(*times), compare);
   printf("\t%.1f\t%.1f", times[count / 2], times[0]);
}

static void
measure_all(const char *side, unsigned rounds)
{
   struct times times[NUM_WORKLOADS];
   time_t seconds = time(NULL);
   char date[16] = "";

   strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&seconds));
   for (unsigned i = 0; i < NUM_WORKLOADS; i++) {
      times[i].cpu = calloc(rounds, sizeof(double));
      times[i].wall = calloc(rounds, sizeof(double));
      if (!times[i].cpu || !times[i].wall)
         fail("out of memory");
   }
   /* The workloads take turns, so that what else the machine does falls on all of them. */
   for (unsigned round = 0; round < WARM_UP + rounds; round++) {
      unsigned place = round < WARM_UP ? 0 : round - WARM_UP;

      for (unsigned i = 0; i < NUM_WORKLOADS; i++)
         measure(&workloads[i], &times[i].cpu[place], &times[i].wall[place]);
   }
   printf("date\tside\tdevice\tdriver\tworkload\tdraws\trounds\tcpu_ns\tcpu_min_ns\twall_ns\twall_min_ns\n");
   for (unsigned i = 0; i < NUM_WORKLOADS; i++) {
      printf("%s\t%s\t%s\t%s\t%s\t%u\t%u", date, side, (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION), workloads[i].name, workloads[i].draws, rounds);
      print_times(times[i].cpu, rounds);
      print_times(times[i].wall, rounds);
      printf("\n");
      free(times[i].cpu);
      free(times[i].wall);
   }
}

int
main(int argc, char **argv)
{
   long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : ROUNDS;
   bool is_check = argc == 2 && strcmp(argv[1], "--check") == 0, fine = true;

   if (argc < 2 || argc > 3 || rounds < 1 || rounds > 100000 || (!is_check && argv[1][0] == '-')) {
      fprintf(stderr, "usage: draws SIDE [ROUNDS]\n       draws --check\n");
      return 2;
   }
   open_context();
   create_objects();
   if (is_check) {
      fine = check();
      printf("%s\n", (const char *)glGetString(GL_RENDERER));
   } else {
      measure_all(argv[1], rounds);
   }
   if (glGetError() != GL_NO_ERROR)
      fail("OpenGL has an error");
   return fine ? 0 : 1;
}
