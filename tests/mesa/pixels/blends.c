/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Advanced blending (GL_KHR_blend_equation_advanced): the fragment shader reads the framebuffer. The formulas are those of the
 * extension's specification.
 */

#include "pixels.h"

#include <math.h>
#include <stdio.h>

/* An error of the picture that the rounding of colors explains. */
#define TOLERANCE 4

typedef float (*blend)(float source, float destination);

static float
multiply(float s, float d)
{
   return s * d;
}

static float
screen(float s, float d)
{
   return s + d - s * d;
}

static float
hard_light(float s, float d)
{
   return s <= .5f ? 2 * s * d : 1 - 2 * (1 - s) * (1 - d);
}

static float
overlay(float s, float d)
{
   return hard_light(d, s);
}

static float
darken(float s, float d)
{
   return fminf(s, d);
}

static float
lighten(float s, float d)
{
   return fmaxf(s, d);
}

static float
color_dodge(float s, float d)
{
   return d <= 0 ? 0 : s >= 1 ? 1 : fminf(1, d / (1 - s));
}

static float
color_burn(float s, float d)
{
   return d >= 1 ? 1 : s <= 0 ? 0 : 1 - fminf(1, (1 - d) / s);
}

static float
soft_light(float s, float d)
{
   if (s <= .5f)
      return d - (1 - 2 * s) * d * (1 - d);
   if (d <= .25f)
      return d + (2 * s - 1) * d * ((16 * d - 12) * d + 3);
   return d + (2 * s - 1) * (sqrtf(d) - d);
}

static float
difference(float s, float d)
{
   return fabsf(d - s);
}

static float
exclusion(float s, float d)
{
   return s + d - 2 * s * d;
}

struct color {
   float rgb[3];
};

static float
least(struct color c)
{
   return fminf(c.rgb[0], fminf(c.rgb[1], c.rgb[2]));
}

static float
most(struct color c)
{
   return fmaxf(c.rgb[0], fmaxf(c.rgb[1], c.rgb[2]));
}

static float
luminosity(struct color c)
{
   return .30f * c.rgb[0] + .59f * c.rgb[1] + .11f * c.rgb[2];
}

/* `base` with the luminosity of `from`, moved towards gray where it leaves the range of colors. */
static struct color
with_luminosity(struct color base, struct color from)
{
   float wanted = luminosity(from), step = wanted - luminosity(base), low, high;

   for (unsigned n = 0; n < 3; n++)
      base.rgb[n] += step;
   low = least(base);
   high = most(base);
   for (unsigned n = 0; n < 3; n++) {
      if (low < 0)
         base.rgb[n] = wanted + (base.rgb[n] - wanted) * wanted / (wanted - low);
      if (high > 1)
         base.rgb[n] = wanted + (base.rgb[n] - wanted) * (1 - wanted) / (high - wanted);
   }
   return base;
}

/* `base` with the saturation of `saturated`, and the luminosity of `from`. */
static struct color
with_saturation(struct color base, struct color saturated, struct color from)
{
   float low = least(base), range = most(base) - low, wanted = most(saturated) - least(saturated);

   for (unsigned n = 0; n < 3; n++)
      base.rgb[n] = range > 0 ? (base.rgb[n] - low) * wanted / range : 0;
   return with_luminosity(base, from);
}

static struct color
hsl(GLenum equation, struct color s, struct color d)
{
   switch (equation) {
   case GL_HSL_HUE_KHR:
      return with_saturation(s, d, d);
   case GL_HSL_SATURATION_KHR:
      return with_saturation(d, s, d);
   case GL_HSL_COLOR_KHR:
      return with_luminosity(s, d);
   default:
      return with_luminosity(d, s);
   }
}

struct equation {
   GLenum name;
   /* How a component is blended; NULL if all are blended together. */
   blend blend;
};

static const struct equation equations[] = {
   {GL_MULTIPLY_KHR, multiply},     {GL_SCREEN_KHR, screen},         {GL_OVERLAY_KHR, overlay},
   {GL_DARKEN_KHR, darken},         {GL_LIGHTEN_KHR, lighten},       {GL_COLORDODGE_KHR, color_dodge},
   {GL_COLORBURN_KHR, color_burn},  {GL_HARDLIGHT_KHR, hard_light},  {GL_SOFTLIGHT_KHR, soft_light},
   {GL_DIFFERENCE_KHR, difference}, {GL_EXCLUSION_KHR, exclusion},   {GL_HSL_HUE_KHR, NULL},
   {GL_HSL_SATURATION_KHR, NULL},   {GL_HSL_COLOR_KHR, NULL},        {GL_HSL_LUMINOSITY_KHR, NULL},
};

/* The blended color, of colors that are multiplied by their alpha. */
static void
blend_colors(const struct equation *equation, const float source[4], const float destination[4], float result[4])
{
   const float sa = source[3], da = destination[3];
   struct color s, d, blended;

   for (unsigned n = 0; n < 3; n++) {
      s.rgb[n] = sa > 0 ? source[n] / sa : 0;
      d.rgb[n] = da > 0 ? destination[n] / da : 0;
   }
   if (equation->blend) {
      for (unsigned n = 0; n < 3; n++)
         blended.rgb[n] = equation->blend(s.rgb[n], d.rgb[n]);
   } else {
      blended = hsl(equation->name, s, d);
   }
   for (unsigned n = 0; n < 3; n++)
      result[n] = blended.rgb[n] * sa * da + s.rgb[n] * sa * (1 - da) + d.rgb[n] * da * (1 - sa);
   result[3] = sa * da + sa * (1 - da) + da * (1 - sa);
}

static const float sources[][4] = {{.2f, .5f, .7f, 1}, {.1f, .4f, .3f, .5f}, {.9f, .1f, .5f, 1}, {.3f, .3f, .1f, .8f}};
static const float destinations[][4] = {{.6f, .3f, .8f, 1}, {.5f, .2f, .1f, .6f}, {.1f, .7f, .4f, 1}, {0, 0, 0, 0}};

static const char vertex_source[] = "#version 330 compatibility\n"
                                    "void main() { gl_Position = gl_Vertex; }\n";

/* The fragment shaders that write the color: as a whole, and by parts. */
static const char *const fragment_sources[] = {
   "#version 330\n"
   "#extension GL_KHR_blend_equation_advanced : require\n"
   "layout(blend_support_all_equations) out;\n"
   "layout(location = 0) out vec4 color;\n"
   "uniform vec4 source;\n"
   "void main() { color = source; }\n",
   "#version 330\n"
   "#extension GL_KHR_blend_equation_advanced : require\n"
   "layout(blend_support_all_equations) out;\n"
   "layout(location = 0) out vec4 color;\n"
   "uniform vec4 source;\n"
   "void main() { color.a = source.a; if (source.r > .25) color.rg = source.rg; else color.rg = source.rg; color.b = source.b; }\n",
};

static bool
is_near(const uint8_t found[4], const float wanted[4])
{
   for (unsigned n = 0; n < 4; n++) {
      if (fabsf(found[n] - 255 * wanted[n]) > TOLERANCE)
         return false;
   }
   return true;
}

/* Draws with each equation over each color of the framebuffer. */
static bool
advanced(struct picture *picture, const char *fragment)
{
   GLuint program = link_program(vertex_source, fragment);
   GLint source = glGetUniformLocation(program, "source");
   bool fine = true;

   glUseProgram(program);
   glEnable(GL_BLEND);
   for (unsigned n = 0; n < sizeof(equations) / sizeof(equations[0]); n++) {
      for (unsigned pair = 0; pair < 16; pair++) {
         const float *s = sources[pair % 4], *d = destinations[pair / 4];
         const uint8_t *found = picture->pixels[SIZE / 2][SIZE / 2];
         float wanted[4];

         glClearColor(d[0], d[1], d[2], d[3]);
         glClear(GL_COLOR_BUFFER_BIT);
         glUniform4fv(source, 1, s);
         glBlendEquation(equations[n].name);
         glBlendBarrierKHR();
         glRectf(-1, -1, 1, 1);
         read_picture(picture);
         blend_colors(&equations[n], s, d, wanted);
         if (!is_near(found, wanted)) {
            printf("   equation %x of colors %u: %u, %u, %u, %u instead of %g, %g, %g, %g\n", equations[n].name, pair, found[0],
                   found[1], found[2], found[3], 255 * wanted[0], 255 * wanted[1], 255 * wanted[2], 255 * wanted[3]);
            fine = false;
         }
      }
   }
   glDeleteProgram(program);
   return fine;
}

static bool
advanced_whole(struct picture *picture)
{
   return advanced(picture, fragment_sources[0]);
}

static bool
advanced_parts(struct picture *picture)
{
   return advanced(picture, fragment_sources[1]);
}

const struct check blend_checks[] = {
   {"advanced_whole", advanced_whole},
   {"advanced_parts", advanced_parts},
   {0},
};
