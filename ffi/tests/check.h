/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Checks of the C programs of this folder.
 */

#ifndef NTVR_TESTS_CHECK_H
#define NTVR_TESTS_CHECK_H

#include <stdio.h>

#define VULKAN_1_3 (1u << 22 | 3u << 12)

static int failures;

#define CHECK(condition)                                                            \
   do {                                                                             \
      if (!(condition)) {                                                           \
         fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
         failures++;                                                                \
      }                                                                             \
   } while (0)

#endif
