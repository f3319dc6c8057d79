/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Lines of polygons: with flat shading, all edges have the color of the polygon's provoking vertex (OpenGL 4.6 compatibility profile,
 * "Flatshading" and "Polygon Rasterization"). zink makes quads and stipples in geometry shaders of its own.
 */

#include "pixels.h"

#include <stdio.h>

enum {
   BLACK = 0,
   RED = 1,
   GREEN = 2,
   BLUE = 4,
   MAGENTA = 5,
   WHITE = 7,
};

/* The colors of the four vertices of a quad. */
static const unsigned colors[4] = {RED, GREEN, BLUE, MAGENTA};

static void
vertex(unsigned color, float x, float y)
{
   glColor3f(color & RED ? 1 : 0, color & GREEN ? 1 : 0, color & BLUE ? 1 : 0);
   glVertex2f(x, y);
}

/* The corners of a quad, counterclockwise from the bottom left one. */
static const float corners[4][2] = {{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}};

/* A quad with four colors, of which the edges in `hidden` (a bit for each, from the vertex of this number on) are no boundary. */
static void
quad(GLenum mode, unsigned hidden)
{
   glBegin(mode);
   for (unsigned n = 0; n < 4; n++) {
      glEdgeFlag(!(hidden >> n & 1));
      vertex(colors[n], corners[n][0], corners[n][1]);
   }
   glEnd();
   glEdgeFlag(GL_TRUE);
}

static void
lines_of_polygons(GLenum shading)
{
   glShadeModel(shading);
   glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
   glLineWidth(1);
}

/* The most pixels that an edge of the quad has: the distance of its vertices, and one. */
#define EDGE (SIZE / 2 + 1)

/* Whether the picture has pixels of `color` and black ones only, and their number is in this range. */
static bool
has_only(const struct picture *picture, unsigned color, unsigned least, unsigned most)
{
   unsigned count = count_color(picture, color), black = count_color(picture, BLACK);

   if (count >= least && count <= most && count + black == SIZE * SIZE)
      return true;
   printf("   %u pixels of color %u instead of %u to %u, and %u of others:", count, color, least, most,
          SIZE * SIZE - count - black);
   for (unsigned other = 1; other < 8; other++)
      printf(" %u", count_color(picture, other));
   printf("\n");
   return false;
}

static bool
flat_quads(struct picture *picture)
{
   lines_of_polygons(GL_FLAT);
   quad(GL_QUADS, 0);
   read_picture(picture);
   return has_only(picture, MAGENTA, 4 * (EDGE - 2), 4 * EDGE);
}

/* The first vertex of a quad provokes if quads follow the convention, which a driver decides. */
static bool
flat_quads_with_first_vertex(struct picture *picture)
{
   GLboolean follows;

   glGetBooleanv(GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION, &follows);
   glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
   lines_of_polygons(GL_FLAT);
   quad(GL_QUADS, 0);
   read_picture(picture);
   glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
   return has_only(picture, follows ? RED : MAGENTA, 4 * (EDGE - 2), 4 * EDGE);
}

/* A polygon has the color of its first vertex, in both conventions. zink draws polygons as triangles, with their inner edges. */
static bool
flat_polygon(struct picture *picture)
{
   lines_of_polygons(GL_FLAT);
   quad(GL_POLYGON, 0);
   read_picture(picture);
   return has_only(picture, RED, 4 * (EDGE - 2), 5 * EDGE);
}

static bool
flat_quad_strip(struct picture *picture)
{
   lines_of_polygons(GL_FLAT);
   glBegin(GL_QUAD_STRIP);
   vertex(RED, -.5, -.5);
   vertex(GREEN, -.5, .5);
   vertex(BLUE, .5, -.5);
   vertex(MAGENTA, .5, .5);
   glEnd();
   read_picture(picture);
   return has_only(picture, MAGENTA, 4 * (EDGE - 2), 4 * EDGE);
}

static bool
flat_triangle(struct picture *picture)
{
   lines_of_polygons(GL_FLAT);
   glBegin(GL_TRIANGLES);
   vertex(RED, -.5, -.5);
   vertex(GREEN, .5, -.5);
   vertex(BLUE, .5, .5);
   glEnd();
   read_picture(picture);
   return has_only(picture, BLUE, 2 * (EDGE - 2), 3 * EDGE);
}

/* The number of pixels that are not black near the middle of the edge from the vertex of this number on. */
static unsigned
pixels_of_edge(const struct picture *picture, unsigned edge)
{
   static const int middles[4][2] = {{SIZE / 2, SIZE / 4}, {3 * SIZE / 4, SIZE / 2}, {SIZE / 2, 3 * SIZE / 4},
                                     {SIZE / 4, SIZE / 2}};
   unsigned count = 0;

   for (int y = middles[edge][1] - 4; y < middles[edge][1] + 4; y++) {
      for (int x = middles[edge][0] - 4; x < middles[edge][0] + 4; x++) {
         const uint8_t *pixel = picture->pixels[y][x];
         count += pixel[0] || pixel[1] || pixel[2];
      }
   }
   return count;
}

/* Edges that are no boundary are not drawn. */
static bool
edge_flags(struct picture *picture, GLenum shading)
{
   for (unsigned hidden = 0; hidden < 16; hidden++) {
      glClear(GL_COLOR_BUFFER_BIT);
      lines_of_polygons(shading);
      quad(GL_QUADS, hidden);
      read_picture(picture);
      for (unsigned edge = 0; edge < 4; edge++) {
         bool is_hidden = hidden >> edge & 1, is_drawn = pixels_of_edge(picture, edge) > 0;

         if (is_hidden == is_drawn) {
            printf("   edge %u is %s, with hidden edges %x\n", edge, is_drawn ? "drawn" : "not drawn", hidden);
            return false;
         }
      }
      if (shading == GL_FLAT && hidden != 15 && !has_only(picture, MAGENTA, EDGE - 2, 4 * EDGE))
         return false;
   }
   return true;
}

static bool
flat_edge_flags(struct picture *picture)
{
   return edge_flags(picture, GL_FLAT);
}

static bool
smooth_edge_flags(struct picture *picture)
{
   return edge_flags(picture, GL_SMOOTH);
}

/* Half of the pixels, in one color. */
static bool
flat_stippled_quads(struct picture *picture)
{
   lines_of_polygons(GL_FLAT);
   glEnable(GL_LINE_STIPPLE);
   glLineStipple(1, 0x3333);
   quad(GL_QUADS, 0);
   read_picture(picture);
   return has_only(picture, MAGENTA, 2 * (EDGE - 4), 2 * (EDGE + 4));
}

/* A stippled strip of lines: each line has the color of its last vertex, and the pattern goes on. */
static bool
flat_stippled_strip(struct picture *picture)
{
   glShadeModel(GL_FLAT);
   glEnable(GL_LINE_STIPPLE);
   glLineStipple(1, 0x3333);
   glBegin(GL_LINE_STRIP);
   vertex(RED, -.5, -.5);
   vertex(GREEN, .5, -.5);
   vertex(BLUE, .5, .5);
   glEnd();
   read_picture(picture);
   if (count_color(picture, RED) || count_color(picture, WHITE)) {
      printf("   a line has the color of its first vertex\n");
      return false;
   }
   for (unsigned color = GREEN; color <= BLUE; color *= 2) {
      unsigned count = count_color(picture, color);

      if (count < EDGE / 2 - 4 || count > EDGE / 2 + 4) {
         printf("   %u pixels of color %u\n", count, color);
         return false;
      }
   }
   return true;
}

/* Smooth lines of one color have it with other coverage: red and blue are equal, and there is no green. */
static bool
flat_smooth_quads(struct picture *picture)
{
   unsigned drawn = 0;

   lines_of_polygons(GL_FLAT);
   glEnable(GL_LINE_SMOOTH);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   quad(GL_QUADS, 0);
   read_picture(picture);
   for (unsigned at = 0; at < SIZE * SIZE; at++) {
      const uint8_t *pixel = picture->pixels[at / SIZE][at % SIZE];

      drawn += pixel[0] > 0;
      if (pixel[1] || pixel[0] != pixel[2]) {
         printf("   the pixel at %u, %u is %u, %u, %u\n", at % SIZE, at / SIZE, pixel[0], pixel[1], pixel[2]);
         return false;
      }
   }
   if (drawn < 4 * (EDGE - 2))
      printf("   %u pixels are drawn\n", drawn);
   return drawn >= 4 * (EDGE - 2);
}

/* Filled quads have one color, too. */
static bool
flat_filled_quads(struct picture *picture)
{
   glShadeModel(GL_FLAT);
   quad(GL_QUADS, 0);
   read_picture(picture);
   return has_only(picture, MAGENTA, (EDGE - 1) * (EDGE - 1), (EDGE - 1) * (EDGE - 1));
}

const struct check line_checks[] = {
   {"flat_quads", flat_quads},
   {"flat_quads_with_first_vertex", flat_quads_with_first_vertex},
   {"flat_polygon", flat_polygon},
   {"flat_quad_strip", flat_quad_strip},
   {"flat_triangle", flat_triangle},
   {"flat_edge_flags", flat_edge_flags},
   {"smooth_edge_flags", smooth_edge_flags},
   {"flat_stippled_quads", flat_stippled_quads},
   {"flat_stippled_strip", flat_stippled_strip},
   {"flat_smooth_quads", flat_smooth_quads},
   {"flat_filled_quads", flat_filled_quads},
   {0},
};
