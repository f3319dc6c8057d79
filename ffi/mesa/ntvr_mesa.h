/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The differences between the nir.h of Mesa 25.0 and of Mesa 26.1, only for ntvr_nir.c. Other code is right for both.
 */

#ifndef NTVR_MESA_H
#define NTVR_MESA_H

#include "compiler/nir/nir.h"
#include "ntvr_wire.h"

/* nir_def_instr() is a macro, in 26.1. */
#ifdef nir_def_instr

static inline const nir_instr *
ntvr_mesa_def_instr(const nir_def *def)
{
   return nir_def_instr(def);
}

static inline bool
ntvr_mesa_is_exact(const nir_alu_instr *alu)
{
   return (alu->fp_math_ctrl & nir_fp_exact) == nir_fp_exact;
}

/* What an instruction requires besides being exact: NTVR_MATH_*. */
static inline uint32_t
ntvr_mesa_math_control(const nir_alu_instr *alu)
{
   const struct {
      uint32_t mesa, ntvr;
   } rows[] = {
      {nir_fp_no_contract, NTVR_MATH_NO_CONTRACT},
      {nir_fp_no_reassoc, NTVR_MATH_NO_REASSOC},
      {nir_fp_no_transform, NTVR_MATH_NO_TRANSFORM},
      {nir_fp_preserve_signed_zero, NTVR_MATH_PRESERVE_SIGNED_ZERO},
      {nir_fp_preserve_inf, NTVR_MATH_PRESERVE_INF},
      {nir_fp_preserve_nan, NTVR_MATH_PRESERVE_NAN},
   };
   uint32_t required = alu->fp_math_ctrl, control = 0;

   if (ntvr_mesa_is_exact(alu))
      required &= ~(uint32_t)nir_fp_exact;
   for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
      control |= required & rows[i].mesa ? rows[i].ntvr : 0;
   return control;
}

/* 26.1 makes the instructions exact instead. */
static inline bool
ntvr_mesa_is_invariant(nir_io_semantics io)
{
   (void)io;
   return false;
}

/* 26.1 has data for debuggers before an instruction, not as one. */
static inline bool
ntvr_mesa_is_comment(const nir_instr *instr)
{
   (void)instr;
   return false;
}

/* The captures of the first or the last two components of a store, as the first two of the result. */
static inline nir_io_xfb
ntvr_mesa_io_xfb(const nir_intrinsic_instr *store, bool last)
{
   nir_io_xfb xfb = nir_intrinsic_io_xfb(store);

   if (last) {
      xfb.out[0] = xfb.out[2];
      xfb.out[1] = xfb.out[3];
   }
   return xfb;
}

/* The captures of the last two components have no flag of their own, so this is a number that no index has. */
enum { NTVR_MESA_IO_XFB2 = NIR_INTRINSIC_NUM_INDEX_FLAGS };

enum {
   NTVR_MESA_ACCESS_IN_BOUNDS = ACCESS_IN_BOUNDS,
   NTVR_MESA_ACCESS_ATOMIC = ACCESS_ATOMIC,
};

/* 26.1 has the preservation of zeros, infinities and NaNs in each instruction, not in the header. */
#define NTVR_MESA_PRESERVED(X)

/* Names that 26.1 does not have. */
#define NTVR_MESA_OLD_ALU(X)
#define NTVR_MESA_OLD_INTRINSICS(X)

#else

static inline const nir_instr *
ntvr_mesa_def_instr(const nir_def *def)
{
   return def->parent_instr;
}

static inline bool
ntvr_mesa_is_exact(const nir_alu_instr *alu)
{
   return alu->exact;
}

static inline uint32_t
ntvr_mesa_math_control(const nir_alu_instr *alu)
{
   (void)alu;
   return 0;
}

static inline bool
ntvr_mesa_is_invariant(nir_io_semantics io)
{
   return io.invariant;
}

static inline bool
ntvr_mesa_is_comment(const nir_instr *instr)
{
   return instr->type == nir_instr_type_debug_info;
}

static inline nir_io_xfb
ntvr_mesa_io_xfb(const nir_intrinsic_instr *store, bool last)
{
   return last ? nir_intrinsic_io_xfb2(store) : nir_intrinsic_io_xfb(store);
}

enum { NTVR_MESA_IO_XFB2 = NIR_INTRINSIC_IO_XFB2 };

enum {
   NTVR_MESA_ACCESS_IN_BOUNDS = ACCESS_IN_BOUNDS_AGX,
   NTVR_MESA_ACCESS_ATOMIC = 0, /* 25.0 does not have it */
};

#define NTVR_MESA_PRESERVED(X)                                             \
   X(FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE, NTVR_FLOAT_SIGNED_ZERO_PRESERVE) \
   X(FLOAT_CONTROLS_INF_PRESERVE, NTVR_FLOAT_INF_PRESERVE)                 \
   X(FLOAT_CONTROLS_NAN_PRESERVE, NTVR_FLOAT_NAN_PRESERVE)

#define NTVR_MESA_OLD_ALU(X)        NTVR_NAMES_OF_OLD_ALU(X)
#define NTVR_MESA_OLD_INTRINSICS(X) NTVR_NAMES_OF_OLD_INTRINSICS(X)

#endif

#endif /* NTVR_MESA_H */
