/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Checks of pixels: each file has a list of draws, and what each draws.
 */

#ifndef PIXELS_H
#define PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

/* The width and the height of the framebuffer. */
#define SIZE 64

/* The colors of the framebuffer, without alpha, from the bottom left pixel on. */
struct picture {
   uint8_t pixels[SIZE][SIZE][4];
};

/* A draw, and a check of its picture, which prints what is wrong. */
struct check {
   const char *name;
   bool (*run)(struct picture *picture);
};

/* The checks of a file, which end with one without a name. */
extern const struct check line_checks[], blend_checks[];

/* Reads the framebuffer. */
void read_picture(struct picture *picture);

/* The number of pixels of this color: bit 0 is red, bit 1 green, bit 2 blue, each of at least half intensity. 0 is black. */
unsigned count_color(const struct picture *picture, unsigned color);

/* The program of two shaders. Ends the process with a message if it does not link. */
GLuint link_program(const char *vertex, const char *fragment);

/* Ends the process with a message. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
