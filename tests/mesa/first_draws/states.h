/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The states with which programs are drawn. Each is the default state with one change.
 */

#ifndef STATES_H
#define STATES_H

#include "programs.h"

#define SIZE 16
#define MAX_STATES 8

/* The targets: 8 bits for each channel, the same with four samples, and floats. */
enum target { PLAIN, MULTISAMPLED, FLOATS, NUM_TARGETS };

struct state {
   const char *name;
   unsigned needs; /* the flags that a program must have */
   enum target target;
   GLenum mode; /* of the draw; 0 is that of the program */
   void (*set)(const struct program *program);
   void (*reset)(const struct program *program);
};

/* Creates the targets, vertices, uniforms and textures, and sets the default state. */
void create_objects(void);

/*
 * The states of program `index`, of which the first is the default. The others are the first of a list of the states that the program
 * can have, and begin elsewhere in the list for each program, so that all states have about the same number of programs.
 */
void choose_states(const struct state *states[MAX_STATES], const struct program *program, unsigned index);

/* Binds the program, its target and its state. */
void set_state(const struct program *program, const struct state *state);
/* Draws a primitive. If `is_empty`, the driver does all work for the draw, but the number of vertices, which is in a buffer, is 0. */
void draw(const struct program *program, const struct state *state, bool is_empty);
void reset_state(const struct program *program, const struct state *state);

/* Whether a pixel of the target of `state` is not black. */
bool is_drawn(const struct state *state);

#endif
