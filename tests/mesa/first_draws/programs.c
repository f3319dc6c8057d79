/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#define _GNU_SOURCE

#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_SOURCE 8192

/*
 * The parameters: N, the number of steps of unrolled loops; M, the number of varyings; K, a constant. Results are never black, so
 * that a pixel shows whether something was drawn.
 */
#define PRELUDE                                                                                                                \
   "#version 430 compatibility\n"                                                                                              \
   "#define N %u\n"                                                                                                            \
   "#define M %u\n"                                                                                                            \
   "#define K %u.%03u\n"                                                                                                       \
   "uniform int turns;\n"                                                                                                      \
   "layout(std140, binding = 0) uniform Block { vec4 lights[32]; };\n"                                                         \
   "vec4 shade(vec4 value, int step) {\n"                                                                                      \
   "   vec4 light = lights[step];\n"                                                                                           \
   "   if (dot(value, light) > K)\n"                                                                                           \
   "      value = value * light + sin(value.wzyx * K);\n"                                                                      \
   "   return mix(value, light.yzwx, 0.125) + K;\n"                                                                            \
   "}\n"                                                                                                                       \
   "vec4 shade_all(vec4 value) {\n"                                                                                            \
   "   for (int i = 0; i < N; i++)\n"                                                                                          \
   "      value = shade(value, i);\n"                                                                                          \
   "   for (int i = 0; i < turns; i++)\n"                                                                                      \
   "      value += shade(value.yxwz, i + N);\n"                                                                                \
   "   return value;\n"                                                                                                        \
   "}\n"                                                                                                                       \
   "vec4 visible(vec4 value) {\n"                                                                                              \
   "   return vec4(0.25 + 0.5 * fract(abs(value.rgb)), 1.0);\n"                                                                \
   "}\n"

#define ATTRIBUTES                                                                                                             \
   "layout(location = 0) in vec4 position;\n"                                                                                  \
   "layout(location = 1) in vec4 colour;\n"

#define PER_VERTEX "out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };\n"

static const char colour_vertex[] = ATTRIBUTES "void main() {\n"
                                               "   gl_Position = position;\n"
                                               "   gl_FrontColor = visible(shade_all(colour));\n"
                                               "   gl_BackColor = gl_FrontColor.gbra;\n"
                                               "   gl_FrontSecondaryColor = gl_FrontColor.brga * K;\n"
                                               "   gl_BackSecondaryColor = gl_BackColor.brga;\n"
                                               "}\n";

static const char colour_fragment[] = "void main() {\n"
                                      "   gl_FragColor = visible(shade_all(gl_Color) + gl_SecondaryColor);\n"
                                      "}\n";

static const char texture_vertex[] = ATTRIBUTES "void main() {\n"
                                                "   gl_Position = position;\n"
                                                "   gl_TexCoord[0] = position * 0.5 + 0.5;\n"
                                                "   gl_TexCoord[1] = shade_all(colour);\n"
                                                "}\n";

static const char texture_fragment[] = "layout(binding = 0) uniform sampler2D image;\n"
                                       "void main() {\n"
                                       "   vec4 sum = gl_TexCoord[1];\n"
                                       "   for (int i = 0; i < N; i++)\n"
                                       "      sum += texture2D(image, gl_TexCoord[0].xy * K + lights[i].xy) * lights[i];\n"
                                       "   gl_FragColor = visible(shade_all(sum));\n"
                                       "}\n";

static const char varyings_vertex[] = ATTRIBUTES "out Varyings { vec4 v[M]; } varyings;\n"
                                                 "void main() {\n"
                                                 "   gl_Position = position;\n"
                                                 "   for (int i = 0; i < M; i++)\n"
                                                 "      varyings.v[i] = shade(colour, i);\n"
                                                 "}\n";

static const char varyings_fragment[] = "in Varyings { vec4 v[M]; } varyings;\n"
                                        "layout(binding = 0) uniform sampler2D image;\n"
                                        "layout(location = 0) out vec4 result;\n"
                                        "void main() {\n"
                                        "   vec4 sum = texture(image, gl_PointCoord * K);\n"
                                        "   for (int i = 0; i < M; i++)\n"
                                        "      sum += varyings.v[i] * lights[i];\n"
                                        "   result = visible(shade_all(sum));\n"
                                        "}\n";

/* The same without gl_PointCoord, for programs that draw no points. */
static const char plain_fragment[] = "in Varyings { vec4 v[M]; } varyings;\n"
                                     "layout(binding = 0) uniform sampler2D image;\n"
                                     "layout(location = 0) out vec4 result;\n"
                                     "void main() {\n"
                                     "   vec4 sum = texture(image, varyings.v[0].xy * K);\n"
                                     "   for (int i = 1; i < M; i++)\n"
                                     "      sum += varyings.v[i] * lights[i];\n"
                                     "   result = visible(shade_all(sum));\n"
                                     "}\n";

static const char clip_vertex[] = ATTRIBUTES "out Varyings { vec4 v[M]; } varyings;\n"
                                             "out float gl_ClipDistance[M];\n"
                                             "void main() {\n"
                                             "   gl_Position = position;\n"
                                             "   for (int i = 0; i < M; i++) {\n"
                                             "      varyings.v[i] = shade(colour, i);\n"
                                             "      gl_ClipDistance[i] = 2.0 + position.x * K;\n"
                                             "   }\n"
                                             "}\n";

static const char shadow_fragment[] = "layout(binding = 1) uniform sampler2DShadow depths;\n"
                                      "void main() {\n"
                                      "   vec4 sum = gl_TexCoord[1];\n"
                                      "   for (int i = 0; i < N; i++)\n"
                                      "      sum += shadow2D(depths, gl_TexCoord[0].xyz * K) * lights[i];\n"
                                      "   gl_FragColor = visible(shade_all(sum));\n"
                                      "}\n";

static const char dual_fragment[] = "in Varyings { vec4 v[M]; } varyings;\n"
                                    "layout(location = 0, index = 0) out vec4 result;\n"
                                    "layout(location = 0, index = 1) out vec4 factor;\n"
                                    "void main() {\n"
                                    "   result = visible(shade_all(varyings.v[0]));\n"
                                    "   factor = vec4(varyings.v[1].rgb * K, 1.0);\n"
                                    "}\n";

static const char samples_fragment[] = "in Varyings { vec4 v[M]; } varyings;\n"
                                       "layout(location = 0) out vec4 result;\n"
                                       "void main() {\n"
                                       "   vec4 sum = interpolateAtSample(varyings.v[0], 1);\n"
                                       "   gl_SampleMask[0] = 13;\n"
                                       "   result = visible(shade_all(sum + varyings.v[1]));\n"
                                       "}\n";

static const char geometry_source[] = "layout(triangles) in;\n"
                                      "layout(triangle_strip, max_vertices = 3) out;\n"
                                      "in Varyings { vec4 v[M]; } inputs[];\n"
                                      "out Varyings { vec4 v[M]; } varyings;\n"
                                      "void main() {\n"
                                      "   for (int vertex = 0; vertex < 3; vertex++) {\n"
                                      "      gl_Position = gl_in[vertex].gl_Position;\n"
                                      "      for (int i = 0; i < M; i++)\n"
                                      "         varyings.v[i] = inputs[vertex].v[i] + K;\n"
                                      "      EmitVertex();\n"
                                      "   }\n"
                                      "   EndPrimitive();\n"
                                      "}\n";

static const char control_source[] = "layout(vertices = 3) out;\n"
                                     "in Varyings { vec4 v[M]; } inputs[];\n"
                                     "out Varyings { vec4 v[M]; } varyings[];\n"
                                     "void main() {\n"
                                     "   gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
                                     "   for (int i = 0; i < M; i++)\n"
                                     "      varyings[gl_InvocationID].v[i] = shade(inputs[gl_InvocationID].v[i], i);\n"
                                     "   for (int i = 0; i < 3; i++)\n"
                                     "      gl_TessLevelOuter[i] = 1.0 + float(N & 1);\n"
                                     "   gl_TessLevelInner[0] = 1.0;\n"
                                     "}\n";

static const char evaluation_source[] = "layout(triangles) in;\n"
                                        "in Varyings { vec4 v[M]; } inputs[];\n"
                                        "out Varyings { vec4 v[M]; } varyings;\n"
                                        "void main() {\n"
                                        "   gl_Position = vec4(0.0);\n"
                                        "   for (int vertex = 0; vertex < 3; vertex++)\n"
                                        "      gl_Position += gl_in[vertex].gl_Position * gl_TessCoord[vertex];\n"
                                        "   for (int i = 0; i < M; i++)\n"
                                        "      varyings.v[i] = inputs[0].v[i] * gl_TessCoord.x + inputs[1].v[i] * K;\n"
                                        "}\n";

struct template {
   const char *name;
   unsigned flags;
   unsigned count; /* of its programs */
   const char *sources[NUM_STAGES];
};

/*
 * No program has an evaluation stage without a control stage: if a second program of zink 25.0.7 has the same evaluation shader, as with
 * the alpha test, zink reads the NIR of the generated control shader after it has freed it (gfx_program_init).
 */
static const struct template templates[] = {
   {"colours", HAS_COLOURS | HAS_CLIP_PLANES, 32, {[VERTEX] = colour_vertex, [FRAGMENT] = colour_fragment}},
   {"texture", HAS_SPRITES | HAS_CLIP_PLANES, 32, {[VERTEX] = texture_vertex, [FRAGMENT] = texture_fragment}},
   {"varyings", HAS_SPRITES | HAS_CLIP_PLANES, 32, {[VERTEX] = varyings_vertex, [FRAGMENT] = varyings_fragment}},
   {"clip distances", 0, 12, {[VERTEX] = clip_vertex, [FRAGMENT] = plain_fragment}},
   {"shadow", HAS_SHADOWS | HAS_CLIP_PLANES, 16, {[VERTEX] = texture_vertex, [FRAGMENT] = shadow_fragment}},
   {"dual source", HAS_SECOND_SOURCE | HAS_CLIP_PLANES, 12, {[VERTEX] = varyings_vertex, [FRAGMENT] = dual_fragment}},
   {"samples", HAS_CLIP_PLANES, 12, {[VERTEX] = varyings_vertex, [FRAGMENT] = samples_fragment}},
   {"geometry", 0, 16, {[VERTEX] = varyings_vertex, [GEOMETRY] = geometry_source, [FRAGMENT] = plain_fragment}},
   {"tessellation",
    IS_TESSELLATED,
    12,
    {[VERTEX] = varyings_vertex, [TESS_CTRL] = control_source, [TESS_EVAL] = evaluation_source, [FRAGMENT] = plain_fragment}},
   {"separable",
    IS_SEPARABLE,
    16,
    {[VERTEX] = varyings_vertex, [GEOMETRY] = geometry_source, [FRAGMENT] = plain_fragment}},
   {"separable samples",
    IS_SEPARABLE,
    8,
    {[VERTEX] = varyings_vertex, [GEOMETRY] = geometry_source, [FRAGMENT] = samples_fragment}},
};

static const GLenum stages[NUM_STAGES] = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER,
                                          GL_GEOMETRY_SHADER, GL_FRAGMENT_SHADER};

static const GLbitfield stage_bits[NUM_STAGES] = {GL_VERTEX_SHADER_BIT, GL_TESS_CONTROL_SHADER_BIT,
                                                  GL_TESS_EVALUATION_SHADER_BIT, GL_GEOMETRY_SHADER_BIT,
                                                  GL_FRAGMENT_SHADER_BIT};

void
fail(const char *what)
{
   fprintf(stderr, "first_draws: %s\n", what);
   exit(1);
}

/* The template of a program, so that programs of different templates take turns. */
static const struct template *
find_template(unsigned index)
{
   /* 73 and 200 have no common divisor, so each place below 200 has one index. */
   unsigned place = index * 73 % NUM_PROGRAMS;

   for (unsigned i = 0; i < ARRAY_SIZE(templates); i++) {
      if (place < templates[i].count)
         return &templates[i];
      place -= templates[i].count;
   }
   fail("the templates have too few programs");
}

static void
write_source(char *source, const char *body, bool is_separable, enum stage stage, unsigned index)
{
   /* Separable stages that write built-in variables have to declare them. */
   const char *declarations = is_separable && stage != FRAGMENT ? PER_VERTEX : "";
   const char *inputs =
      is_separable && stage == GEOMETRY ? "in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];\n" : "";
   int length = snprintf(source, MAX_SOURCE, PRELUDE "%s%s%s", 2 + index % 7, 2 + index * 5 % 7, index / 1000, index % 1000,
                         inputs, declarations, body);

   if (length >= MAX_SOURCE)
      fail("a source is too long");
}

static void
check_link(GLuint program)
{
   GLint linked = 0;
   char log[4096] = "";

   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (linked)
      return;
   glGetProgramInfoLog(program, sizeof(log), NULL, log);
   fail(log);
}

static void
create_separable(struct program *program, const struct template *template, unsigned index)
{
   char source[MAX_SOURCE];

   glGenProgramPipelines(1, &program->pipeline);
   glGenProgramPipelines(1, &program->geometry_pipeline);
   for (enum stage stage = 0; stage < NUM_STAGES; stage++) {
      const char *text = source;

      if (!template->sources[stage])
         continue;
      write_source(source, template->sources[stage], true, stage, index);
      program->stages[stage] = glCreateShaderProgramv(stages[stage], 1, &text);
      check_link(program->stages[stage]);
      glUseProgramStages(program->geometry_pipeline, stage_bits[stage], program->stages[stage]);
      if (stage != GEOMETRY)
         glUseProgramStages(program->pipeline, stage_bits[stage], program->stages[stage]);
   }
}

static void
create_whole(struct program *program, const struct template *template, unsigned index)
{
   char source[MAX_SOURCE];

   program->whole = glCreateProgram();
   for (enum stage stage = 0; stage < NUM_STAGES; stage++) {
      const char *text = source;
      GLuint shader;

      if (!template->sources[stage])
         continue;
      write_source(source, template->sources[stage], false, stage, index);
      shader = glCreateShader(stages[stage]);
      glShaderSource(shader, 1, &text, NULL);
      glCompileShader(shader);
      glAttachShader(program->whole, shader);
   }
   glLinkProgram(program->whole);
   check_link(program->whole);
}

void
create_program(struct program *program, unsigned index)
{
   const struct template *template = find_template(index);

   *program = (struct program){.name = template->name, .flags = template->flags};
   if (template->flags & IS_SEPARABLE)
      create_separable(program, template, index);
   else
      create_whole(program, template, index);
}

static void
await_object(GLuint object)
{
   static const struct timespec pause = {.tv_nsec = 50000};
   GLint done = 0;

   while (object) {
      glGetProgramiv(object, GL_COMPLETION_STATUS_ARB, &done);
      if (done)
         return;
      nanosleep(&pause, NULL);
   }
}

void
await_program(const struct program *program)
{
   await_object(program->whole);
   for (enum stage stage = 0; stage < NUM_STAGES; stage++)
      await_object(program->stages[stage]);
}

static void
set_turns_of(GLuint object, int turns)
{
   if (object)
      glProgramUniform1i(object, glGetUniformLocation(object, "turns"), turns);
}

void
set_turns(const struct program *program, int turns)
{
   set_turns_of(program->whole, turns);
   for (enum stage stage = 0; stage < NUM_STAGES; stage++)
      set_turns_of(program->stages[stage], turns);
}
