/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Prints what a GL driver reports of itself: extensions, limits and formats, which follow from the caps of the Gallium driver.
 */

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <stdio.h>
#include <string.h>

typedef const GLubyte *get_stringi_fn(GLenum name, GLuint index);

/* Numbers of GL's limits are in these ranges. A name that the driver does not have is an error, and printed as one. */
static const struct {
   GLenum first, last;
} ranges[] = {{0x0d30, 0x0d3f}, {0x8000, 0x8dff}, {0x8e00, 0x8fff}, {0x90b0, 0x93ff}, {0x84e0, 0x84ff}, {0x0b00, 0x0bff}};

int
main(void)
{
   PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
   EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
   GLint count = 0;

   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
      return 1;
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      return 1;
   get_stringi_fn *get_string = (get_stringi_fn *)eglGetProcAddress("glGetStringi");
   printf("%s\n%s\n", glGetString(GL_RENDERER), glGetString(GL_SHADING_LANGUAGE_VERSION));
   glGetIntegerv(GL_NUM_EXTENSIONS, &count);
   for (GLint i = 0; i < count; i++)
      printf("%s\n", get_string(GL_EXTENSIONS, i));
   for (size_t r = 0; r < sizeof(ranges) / sizeof(*ranges); r++) {
      for (GLenum name = ranges[r].first; name <= ranges[r].last; name++) {
         GLint values[64];

         memset(values, 0, sizeof(values));
         glGetIntegerv(name, values);
         GLenum error = glGetError();
         if (error == GL_NO_ERROR)
            printf("%#x %d %d %d %d\n", name, values[0], values[1], values[2], values[3]);
      }
   }
   return 0;
}
