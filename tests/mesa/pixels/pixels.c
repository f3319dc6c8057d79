/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Draws with states for which zink makes shaders of its own, and checks the pixels.
 *
 * usage: pixels            runs all checks
 *        pixels NAME...    runs these checks
 *
 * `cargo xtask mesa --pixels` builds the program and runs it on zink, with ntv. Each check knows the right picture, so that no
 * other driver is needed: zink's own translator draws some of them wrongly.
 */

#include "pixels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

void
fail(const char *format, ...)
{
   va_list arguments;

   va_start(arguments, format);
   vfprintf(stderr, format, arguments);
   va_end(arguments);
   fputc('\n', stderr);
   exit(2);
}

void
read_picture(struct picture *picture)
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, picture->pixels);
}

unsigned
count_color(const struct picture *picture, unsigned color)
{
   unsigned count = 0;

   for (unsigned at = 0; at < SIZE * SIZE; at++) {
      const uint8_t *pixel = picture->pixels[at / SIZE][at % SIZE];

      count += ((pixel[0] > 127) | (pixel[1] > 127) << 1 | (pixel[2] > 127) << 2) == (int)color;
   }
   return count;
}

static GLuint
compile(GLenum stage, const char *source)
{
   GLuint shader = glCreateShader(stage);
   GLint compiled;
   char log[1024];

   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   if (!compiled) {
      glGetShaderInfoLog(shader, sizeof(log), NULL, log);
      fail("%s", log);
   }
   return shader;
}

GLuint
link_program(const char *vertex, const char *fragment)
{
   GLuint program = glCreateProgram();
   GLint linked;

   glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
   glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked)
      fail("a program does not link");
   return program;
}

/* Makes a context current that has the states that core profiles lack, with a framebuffer. */
static void
open_context(void)
{
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   EGLContext context;
   GLuint buffers[2];

   if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
      fail("EGL has no display without surfaces");
   if (!eglBindAPI(EGL_OPENGL_API))
      fail("EGL has no OpenGL");
   context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
   if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      fail("there is no compatibility context of OpenGL");
   glGenFramebuffers(1, &buffers[0]);
   glGenRenderbuffers(1, &buffers[1]);
   glBindFramebuffer(GL_FRAMEBUFFER, buffers[0]);
   glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[1]);
   glViewport(0, 0, SIZE, SIZE);
}

/* Whether the arguments name this check. */
static bool
is_selected(const struct check *check, char *const *names)
{
   if (!*names)
      return true;
   while (*names) {
      if (!strcmp(*names++, check->name))
         return true;
   }
   return false;
}

int
main(int argc, char **argv)
{
   static const struct check *const files[] = {line_checks, blend_checks};
   unsigned run = 0, failed = 0;

   (void)argc;
   open_context();
   printf("%s\n", (const char *)glGetString(GL_RENDERER));
   for (unsigned file = 0; file < sizeof(files) / sizeof(files[0]); file++) {
      for (const struct check *check = files[file]; check->name; check++) {
         static struct picture picture;
         GLenum error;
         bool fine;

         if (!is_selected(check, argv + 1))
            continue;
         glPushAttrib(GL_ALL_ATTRIB_BITS);
         glClearColor(0, 0, 0, 0);
         glClear(GL_COLOR_BUFFER_BIT);
         fine = check->run(&picture);
         glUseProgram(0);
         glPopAttrib();
         error = glGetError();
         if (error)
            printf("   OpenGL has the error %x\n", error);
         fine = fine && !error;
         printf("%s: %s\n", check->name, fine ? "ok" : "FAILED");
         run++;
         failed += !fine;
      }
   }
   printf("%u of %u checks failed\n", failed, run);
   return failed || !run;
}
