/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * ntv as a static library in a program that has another Rust library. Both use one copy of Rust's standard library: the linker would
 * report the symbols of a second one.
 */

#include "ntvr.h"

size_t count_digits(uint32_t number);

int
main(void)
{
   struct ntvr_target target = {.struct_size = sizeof(target)};

   return ntvr_target_init(&target, 1u << 22) && count_digits(1231) == 3 && count_digits(0) == 0 ? 0 : 1;
}
