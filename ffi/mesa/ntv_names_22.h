/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The numbers of Mesa 22.3's opcodes in the wire, only for ntv_nir.c. They are looked up in the library when a shader first uses
 * an opcode: the library also has the names of 22.3 that 25.0 does not have.
 */

#ifndef NTV_NAMES_22_H
#define NTV_NAMES_22_H

#include "util/simple_mtx.h"
#include "util/u_atomic.h"

static struct {
   bool known;
   struct alu row;
} alu_ops[nir_num_opcodes];

static struct {
   bool known;
   struct intrinsic row;
   /* Where the value of each index goes, NTV_NONE if nowhere. */
   uint32_t slots[NIR_INTRINSIC_MAX_CONST_INDEX];
} intrinsics[nir_num_intrinsics];

static simple_mtx_t filling = SIMPLE_MTX_INITIALIZER;

/* Whether the values of an index are others in the wire: see index_value. */
static bool
is_translated(unsigned index)
{
   switch (index) {
   case NIR_INTRINSIC_MEMORY_MODES:
   case NIR_INTRINSIC_IMAGE_DIM:
   case NIR_INTRINSIC_FORMAT:
   case NIR_INTRINSIC_REDUCTION_OP:
   case NIR_INTRINSIC_SRC_TYPE:
   case NIR_INTRINSIC_DEST_TYPE:
   case NIR_INTRINSIC_IO_SEMANTICS:
   case NIR_INTRINSIC_IO_XFB:
   case NIR_INTRINSIC_IO_XFB2:
      return true;
   default:
      return false;
   }
}

static void
fill_intrinsic(unsigned op)
{
   const nir_intrinsic_info *about = &nir_intrinsic_infos[op];
   struct intrinsic *row = &intrinsics[op].row;
   uint32_t number = ntv_wire_number(NTV_TABLE_INTRINSIC, about->name);

   if (number == NTV_NONE)
      return;
   row->number = number + 1;
   row->num_srcs = about->num_srcs;
   row->has_dest = about->has_dest;
   row->num_indices = ntv_wire_num_indices(number);
   row->plain = row->num_indices == about->num_indices;
   for (unsigned i = 0; i < about->num_indices; i++) {
      intrinsics[op].slots[i] = ntv_wire_index(number, nir_intrinsic_index_names[about->indices[i]]);
      row->plain &= intrinsics[op].slots[i] == i && !is_translated(about->indices[i]);
   }
}

static void
fill_alu(unsigned op)
{
   const nir_op_info *about = &nir_op_infos[op];
   struct alu *row = &alu_ops[op].row;
   uint32_t number = ntv_wire_number(NTV_TABLE_ALU, about->name);
   uint32_t num_sources = ntv_wire_num_sources(number);

   /* Those of older releases have no sources there. */
   if (number == NTV_NONE || (num_sources && num_sources != about->num_inputs))
      return;
   row->number = number + 1;
   row->num_inputs = about->num_inputs;
   for (unsigned i = 0; i < about->num_inputs; i++) {
      row->wide |= about->input_sizes[i] > 4;
      if (i < ARRAY_SIZE(row->input_sizes))
         row->input_sizes[i] = about->input_sizes[i];
   }
}

/* Fills a row unless it is known. Threads that want it at the same time wait for the one that fills it. */
static inline void
fill_once(bool *known, void (*fill)(unsigned op), unsigned op)
{
   if (likely(p_atomic_read(known)))
      return;
   simple_mtx_lock(&filling);
   if (!*known) {
      fill(op);
      p_atomic_set(known, true);
   }
   simple_mtx_unlock(&filling);
}

static const struct alu *
alu_row(nir_op op)
{
   fill_once(&alu_ops[op].known, fill_alu, op);
   return &alu_ops[op].row;
}

static const struct intrinsic *
intrinsic_row(nir_intrinsic_op op)
{
   fill_once(&intrinsics[op].known, fill_intrinsic, op);
   return &intrinsics[op].row;
}

static uint32_t
index_slot(nir_intrinsic_op op, unsigned index)
{
   return intrinsics[op].slots[index];
}

#endif /* NTV_NAMES_22_H */
