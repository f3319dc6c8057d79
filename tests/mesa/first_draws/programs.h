/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The programs of the workload: a few templates of GLSL, with parameters by which all programs differ.
 */

#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define NUM_PROGRAMS 200

/* Properties of a template, which states depend on. */
enum {
   /* reads gl_Color in the fragment stage, and writes both sides of it */
   HAS_COLOURS = 1 << 0,
   /* has only a vertex and a fragment stage, so it can draw points; reads gl_TexCoord[0] or gl_PointCoord */
   HAS_SPRITES = 1 << 1,
   /* its last vertex stage is a vertex shader without clip distances */
   HAS_CLIP_PLANES = 1 << 2,
   /* reads a shadow sampler with the function of GLSL 1.10, whose result has the components of GL_DEPTH_TEXTURE_MODE */
   HAS_SHADOWS = 1 << 3,
   /* writes a second source of blending */
   HAS_SECOND_SOURCE = 1 << 4,
   /* each stage is a program of its own; a geometry shader can be added */
   IS_SEPARABLE = 1 << 5,
   /* draws patches of three vertices */
   IS_TESSELLATED = 1 << 6,
};

enum stage { VERTEX, TESS_CTRL, TESS_EVAL, GEOMETRY, FRAGMENT, NUM_STAGES };

struct program {
   const char *name; /* of its template */
   unsigned flags;
   /* A program object, or one for each stage if it is separable: then the pipelines have them all, with and without geometry. */
   GLuint whole;
   GLuint stages[NUM_STAGES];
   GLuint pipeline, geometry_pipeline;
};

/* Creates program `index`; all indices have another program. */
void create_program(struct program *program, unsigned index);

/* Waits until no thread of the driver compiles the program. */
void await_program(const struct program *program);

/* Sets the number of turns of its loops. */
void set_turns(const struct program *program, int turns);

/* Prints the message, and ends the process. */
_Noreturn void fail(const char *what);

#endif
