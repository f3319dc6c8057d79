/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 */

#include "states.h"

#include <stddef.h>
#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define NUM_LIGHTS 32
#define DEFAULT_TURNS 2

struct vertex {
   float position[4];
   float colour[4];
};

static GLuint framebuffers[NUM_TARGETS];
static GLuint resolved;

/* ------------------------------------------------------------------------------------------------------------------
 * The changes
 * ------------------------------------------------------------------------------------------------------------------ */

static void
enable_sample_shading(const struct program *program)
{
   (void)program;
   glEnable(GL_SAMPLE_SHADING);
   glMinSampleShading(1);
}

static void
disable_sample_shading(const struct program *program)
{
   (void)program;
   glDisable(GL_SAMPLE_SHADING);
}

static void
use_depths_from_zero(const struct program *program)
{
   (void)program;
   glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
}

static void
use_default_depths(const struct program *program)
{
   (void)program;
   glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

static void
enable_alpha_test(const struct program *program)
{
   (void)program;
   glAlphaFunc(GL_GREATER, 0.125f);
   glEnable(GL_ALPHA_TEST);
}

static void
disable_alpha_test(const struct program *program)
{
   (void)program;
   glDisable(GL_ALPHA_TEST);
}

static void
clamp_fragments(const struct program *program)
{
   (void)program;
   glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_TRUE);
}

static void
clamp_default_fragments(const struct program *program)
{
   (void)program;
   glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FIXED_ONLY);
}

static void
draw_polygons_as_lines(const struct program *program)
{
   (void)program;
   glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
}

static void
fill_polygons(const struct program *program)
{
   (void)program;
   glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

static void
change_uniform(const struct program *program)
{
   set_turns(program, DEFAULT_TURNS + 1);
}

static void
restore_uniform(const struct program *program)
{
   set_turns(program, DEFAULT_TURNS);
}

static void
shade_flat(const struct program *program)
{
   (void)program;
   glShadeModel(GL_FLAT);
}

static void
shade_smooth(const struct program *program)
{
   (void)program;
   glShadeModel(GL_SMOOTH);
}

static void
enable_two_sides(const struct program *program)
{
   (void)program;
   glEnable(GL_VERTEX_PROGRAM_TWO_SIDE);
}

static void
disable_two_sides(const struct program *program)
{
   (void)program;
   glDisable(GL_VERTEX_PROGRAM_TWO_SIDE);
}

static void
keep_vertex_colours(const struct program *program)
{
   (void)program;
   glClampColor(GL_CLAMP_VERTEX_COLOR, GL_FALSE);
}

static void
clamp_vertex_colours(const struct program *program)
{
   (void)program;
   glClampColor(GL_CLAMP_VERTEX_COLOR, GL_TRUE);
}

static void
enable_sprites(const struct program *program)
{
   (void)program;
   glEnable(GL_POINT_SPRITE);
   glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, GL_TRUE);
   glPointSize(6);
}

static void
enable_lower_left_sprites(const struct program *program)
{
   enable_sprites(program);
   glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_LOWER_LEFT);
}

static void
disable_sprites(const struct program *program)
{
   (void)program;
   /* With another size, the state tracker makes variants of all vertex shaders. */
   glPointSize(1);
   glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_UPPER_LEFT);
   glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, GL_FALSE);
   glDisable(GL_POINT_SPRITE);
}

static void
stipple_lines(const struct program *program)
{
   (void)program;
   glLineStipple(2, 0xaaaa);
   glEnable(GL_LINE_STIPPLE);
}

static void
disable_stipple(const struct program *program)
{
   (void)program;
   glDisable(GL_LINE_STIPPLE);
}

static void
enable_clip_plane(const struct program *program)
{
   /* All vertices are on the visible side. */
   static const double plane[4] = {1, 0, 0, 2};

   (void)program;
   glClipPlane(GL_CLIP_PLANE0, plane);
   glEnable(GL_CLIP_PLANE0);
}

static void
disable_clip_plane(const struct program *program)
{
   (void)program;
   glDisable(GL_CLIP_PLANE0);
}

static void
set_depth_mode(GLint mode)
{
   glActiveTexture(GL_TEXTURE1);
   glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_TEXTURE_MODE, mode);
   glActiveTexture(GL_TEXTURE0);
}

static void
read_depths_as_alpha(const struct program *program)
{
   (void)program;
   set_depth_mode(GL_ALPHA);
}

static void
read_depths_as_red(const struct program *program)
{
   (void)program;
   set_depth_mode(GL_RED);
}

static void
read_depths_as_luminance(const struct program *program)
{
   (void)program;
   set_depth_mode(GL_LUMINANCE);
}

static void
blend_with_second_source(const struct program *program)
{
   (void)program;
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_SRC1_COLOR);
}

static void
disable_blending(const struct program *program)
{
   (void)program;
   glDisable(GL_BLEND);
}

static void
add_geometry(const struct program *program)
{
   glBindProgramPipeline(program->geometry_pipeline);
}

static void
remove_geometry(const struct program *program)
{
   glBindProgramPipeline(program->pipeline);
}

static void
change_nothing(const struct program *program)
{
   (void)program;
}

static const struct state default_state = {"default", 0, PLAIN, 0, change_nothing, change_nothing};

static const struct state states[] = {
   {"multisampling", 0, MULTISAMPLED, 0, change_nothing, change_nothing},
   {"sample shading", 0, MULTISAMPLED, 0, enable_sample_shading, disable_sample_shading},
   {"clip control", 0, PLAIN, 0, use_depths_from_zero, use_default_depths},
   {"alpha test", 0, PLAIN, 0, enable_alpha_test, disable_alpha_test},
   {"clamped fragments", 0, FLOATS, 0, clamp_fragments, clamp_default_fragments},
   {"polygons as lines", 0, PLAIN, 0, draw_polygons_as_lines, fill_polygons},
   {"uniform", 0, PLAIN, 0, change_uniform, restore_uniform},
   {"flat shading", HAS_COLOURS, PLAIN, 0, shade_flat, shade_smooth},
   {"two sides", HAS_COLOURS, PLAIN, 0, enable_two_sides, disable_two_sides},
   {"vertex colours not clamped", HAS_COLOURS, PLAIN, 0, keep_vertex_colours, clamp_vertex_colours},
   {"sprites", HAS_SPRITES, PLAIN, GL_POINTS, enable_sprites, disable_sprites},
   {"lower-left sprites", HAS_SPRITES, PLAIN, GL_POINTS, enable_lower_left_sprites, disable_sprites},
   {"stippled lines", HAS_CLIP_PLANES, PLAIN, GL_LINES, stipple_lines, disable_stipple},
   {"clip plane", HAS_CLIP_PLANES, PLAIN, 0, enable_clip_plane, disable_clip_plane},
   {"quads", HAS_CLIP_PLANES, PLAIN, GL_QUADS, change_nothing, change_nothing},
   {"depth as alpha", HAS_SHADOWS, PLAIN, 0, read_depths_as_alpha, read_depths_as_luminance},
   {"depth as red", HAS_SHADOWS, PLAIN, 0, read_depths_as_red, read_depths_as_luminance},
   {"second source", HAS_SECOND_SOURCE, PLAIN, 0, blend_with_second_source, disable_blending},
   {"geometry shader", IS_SEPARABLE, PLAIN, 0, add_geometry, remove_geometry},
};

void
choose_states(const struct state *chosen[MAX_STATES], const struct program *program, unsigned index)
{
   const struct state *possible[ARRAY_SIZE(states)];
   unsigned count = 0;

   for (unsigned i = 0; i < ARRAY_SIZE(states); i++) {
      if ((states[i].needs & program->flags) == states[i].needs)
         possible[count++] = &states[i];
   }
   if (count < MAX_STATES - 1)
      fail("a program has too few states");
   chosen[0] = &default_state;
   for (unsigned i = 1; i < MAX_STATES; i++)
      chosen[i] = possible[(index + i) % count];
}

/* ------------------------------------------------------------------------------------------------------------------
 * Objects
 * ------------------------------------------------------------------------------------------------------------------ */

static GLuint
create_target(GLenum format, GLsizei samples)
{
   GLuint framebuffer, renderbuffer;

   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, SIZE, SIZE);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fail("a target is not complete");
   return framebuffer;
}

/* A quad; its first three vertices are the triangle. */
static void
create_vertices(void)
{
   static const struct vertex vertices[4] = {
      {{-0.8f, -0.8f, 0, 1}, {0.3f, 0.5f, 0.7f, 0.9f}},
      {{0.8f, -0.8f, 0, 1}, {0.9f, 0.2f, 0.4f, 0.6f}},
      {{0.2f, 0.8f, 0, 1}, {0.1f, 0.8f, 0.3f, 0.5f}},
      {{-0.8f, 0.8f, 0, 1}, {0.6f, 0.4f, 0.9f, 0.2f}},
   };
   GLuint buffer;

   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferStorage(GL_ARRAY_BUFFER, sizeof(vertices), vertices, 0);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex), NULL);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex), (void *)offsetof(struct vertex, colour));
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
}

/* The numbers of an indirect draw without vertices. */
static void
create_empty_draw(void)
{
   static const GLuint numbers[4] = {0, 1, 0, 0};
   GLuint buffer;

   glGenBuffers(1, &buffer);
   glBindBuffer(GL_DRAW_INDIRECT_BUFFER, buffer);
   glBufferStorage(GL_DRAW_INDIRECT_BUFFER, sizeof(numbers), numbers, 0);
}

static void
create_lights(void)
{
   float lights[NUM_LIGHTS][4];
   GLuint buffer;

   for (unsigned i = 0; i < 4 * NUM_LIGHTS; i++)
      lights[i / 4][i % 4] = 0.1f + (float)(i * 37 % 64) / 64;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
   glBufferStorage(GL_UNIFORM_BUFFER, sizeof(lights), lights, 0);
}

static void
create_texture(GLenum unit, GLenum internal, GLenum format)
{
   float texels[4 * 4 * 4];
   GLuint texture;

   for (unsigned i = 0; i < ARRAY_SIZE(texels); i++)
      texels[i] = (float)(i % 7) / 8;
   glGenTextures(1, &texture);
   glActiveTexture(unit);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, 4, 4, 0, format, GL_FLOAT, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   if (format == GL_DEPTH_COMPONENT)
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
   glActiveTexture(GL_TEXTURE0);
}

void
create_objects(void)
{
   GLuint array;

   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   create_vertices();
   create_empty_draw();
   create_lights();
   create_texture(GL_TEXTURE0, GL_RGBA8, GL_RGBA);
   create_texture(GL_TEXTURE1, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT);
   framebuffers[PLAIN] = create_target(GL_RGBA8, 0);
   framebuffers[MULTISAMPLED] = create_target(GL_RGBA8, 4);
   framebuffers[FLOATS] = create_target(GL_RGBA16F, 0);
   resolved = create_target(GL_RGBA8, 0);
   glViewport(0, 0, SIZE, SIZE);
   glPatchParameteri(GL_PATCH_VERTICES, 3);
}

/* ------------------------------------------------------------------------------------------------------------------
 * Draws
 * ------------------------------------------------------------------------------------------------------------------ */

void
set_state(const struct program *program, const struct state *state)
{
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[state->target]);
   glUseProgram(program->whole);
   glBindProgramPipeline(program->pipeline);
   restore_uniform(program);
   state->set(program);
}

void
draw(const struct program *program, const struct state *state, bool is_empty)
{
   GLenum mode = program->flags & IS_TESSELLATED ? GL_PATCHES : GL_TRIANGLES;

   if (state->mode)
      mode = state->mode;
   if (is_empty)
      glDrawArraysIndirect(mode, NULL);
   else
      glDrawArrays(mode, 0, mode == GL_QUADS ? 4 : 3);
}

void
reset_state(const struct program *program, const struct state *state)
{
   state->reset(program);
}

bool
is_drawn(const struct state *state)
{
   static const unsigned char black[4];
   unsigned char pixels[SIZE * SIZE][4];

   if (state->target == MULTISAMPLED) {
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved);
      glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved);
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (memcmp(pixels[i], black, sizeof(black)))
         return true;
   }
   return false;
}
