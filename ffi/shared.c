/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The shared library is linked by the C compiler, of the static one: it needs a source in C.
 */

typedef int ntvr_shared;
