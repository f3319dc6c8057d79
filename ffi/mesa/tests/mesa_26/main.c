/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Tests the side of ntvr_mesa.h for Mesa 26.1 with declarations like those of its nir.h.
 */

#include "ntvr_mesa.h"

#define NTVR_COUNT(...) +1

int
main(void)
{
   const nir_alu_instr exact = {.instr = {.index = 7}, .fp_math_ctrl = nir_fp_exact};
   const nir_alu_instr other = {.fp_math_ctrl = nir_fp_preserve_nan};
   const nir_alu_instr both = {.fp_math_ctrl = nir_fp_exact | nir_fp_preserve_signed_zero};
   const nir_alu_instr part = {.fp_math_ctrl = nir_fp_no_contract | nir_fp_preserve_inf};
   const nir_intrinsic_instr store = {.xfb = {{{1, 0, 8}, {2, 0, 9}, {3, 1, 10}, {4, 1, 11}}}};
   const nir_io_semantics io = {0};
   nir_io_xfb first = ntvr_mesa_io_xfb(&store, false), last = ntvr_mesa_io_xfb(&store, true);
   bool right = ntvr_mesa_def_instr(&exact.def)->index == 7 && ntvr_mesa_is_exact(&exact) && !ntvr_mesa_is_exact(&other);

   right &= !ntvr_mesa_math_control(&exact) && ntvr_mesa_math_control(&other) == NTVR_MATH_PRESERVE_NAN;
   right &= ntvr_mesa_is_exact(&both) && ntvr_mesa_math_control(&both) == NTVR_MATH_PRESERVE_SIGNED_ZERO;
   right &= !ntvr_mesa_is_exact(&part) && ntvr_mesa_math_control(&part) == (NTVR_MATH_NO_CONTRACT | NTVR_MATH_PRESERVE_INF);
   right &= first.out[0].offset == 8 && first.out[1].num_components == 2;
   right &= last.out[0].offset == 10 && last.out[0].buffer == 1 && last.out[1].num_components == 4;
   right &= !ntvr_mesa_is_invariant(io) && !ntvr_mesa_is_comment(&exact.instr);
   right &= (int)NTVR_MESA_IO_XFB2 != (int)NIR_INTRINSIC_IO_XFB && NTVR_MESA_ACCESS_ATOMIC == 1 << 18;
   right &= (0 NTVR_MESA_OLD_ALU(NTVR_COUNT) NTVR_MESA_OLD_INTRINSICS(NTVR_COUNT) NTVR_MESA_PRESERVED(NTVR_COUNT)) == 0;
   return right && NTVR_MESA_ACCESS_IN_BOUNDS ? 0 : 1;
}
