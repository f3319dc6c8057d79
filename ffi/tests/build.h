/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The common code of the C programs of this folder: instructions of shaders.
 */

#ifndef NTVR_TESTS_BUILD_H
#define NTVR_TESTS_BUILD_H

#include "check.h"
#include "ntvr_wire.h"

static const uint8_t xyzw[] = {0, 1, 2, 3};

/* An ALU instruction with two sources of the same shape as its result. */
static uint32_t
alu2(struct ntvr_wire *w, const char *name, unsigned components, unsigned bits, uint32_t a, uint32_t b)
{
   uint32_t number = ntvr_wire_alu(w, ntvr_wire_number(NTVR_TABLE_ALU, name), 0, components, bits);

   ntvr_wire_alu_src(w, 0, a, xyzw, components);
   ntvr_wire_alu_src(w, 0, b, xyzw, components);
   return number;
}

struct index {
   const char *name;
   uint32_t value;
};

/* An intrinsic with two sources. */
static uint32_t
intrinsic2(struct ntvr_wire *w, const char *name, unsigned components, unsigned bits, uint32_t a, uint32_t b,
           const struct index *indices, unsigned num_indices)
{
   uint32_t values[16] = {0}, def, number = ntvr_wire_number(NTVR_TABLE_INTRINSIC, name);

   for (unsigned i = 0; i < num_indices; i++) {
      uint32_t slot = ntvr_wire_index(number, indices[i].name);

      CHECK(slot < ntvr_wire_num_indices(number));
      values[slot & 15] = indices[i].value;
   }
   def = ntvr_wire_intrinsic(w, number, components, bits);
   ntvr_wire_operand(w, a);
   ntvr_wire_operand(w, b);
   for (unsigned i = 0; i < ntvr_wire_num_indices(number); i++)
      ntvr_wire_operand(w, values[i]);
   return def;
}

static uint32_t
const32(struct ntvr_wire *w, uint32_t value)
{
   uint32_t number = ntvr_wire_const(w, 1, 32);

   ntvr_wire_operand(w, value);
   return number;
}

#endif
