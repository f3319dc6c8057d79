/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Tests the side of ntv_mesa.h for Mesa 26.1 with declarations like those of its nir.h.
 */

#include "ntv_mesa.h"

#define NTV_COUNT(...) +1

int
main(void)
{
   const nir_alu_instr exact = {.instr = {.index = 7}, .fp_math_ctrl = nir_fp_exact};
   const nir_alu_instr other = {.fp_math_ctrl = nir_fp_preserve_nan};
   const nir_alu_instr both = {.fp_math_ctrl = nir_fp_exact | nir_fp_preserve_signed_zero};
   const nir_alu_instr part = {.fp_math_ctrl = nir_fp_no_contract | nir_fp_preserve_inf};
   const nir_intrinsic_instr store = {.xfb = {{{1, 0, 8}, {2, 0, 9}, {3, 1, 10}, {4, 1, 11}}}};
   const nir_io_semantics io = {0};
   nir_io_xfb first = ntv_mesa_io_xfb(&store, false), last = ntv_mesa_io_xfb(&store, true);
   bool right = ntv_mesa_def_instr(&exact.def)->index == 7 && ntv_mesa_is_exact(&exact) && !ntv_mesa_is_exact(&other);

   right &= !ntv_mesa_math_control(&exact) && ntv_mesa_math_control(&other) == NTV_MATH_PRESERVE_NAN;
   right &= ntv_mesa_is_exact(&both) && ntv_mesa_math_control(&both) == NTV_MATH_PRESERVE_SIGNED_ZERO;
   right &= !ntv_mesa_is_exact(&part) && ntv_mesa_math_control(&part) == (NTV_MATH_NO_CONTRACT | NTV_MATH_PRESERVE_INF);
   right &= first.out[0].offset == 8 && first.out[1].num_components == 2;
   right &= last.out[0].offset == 10 && last.out[0].buffer == 1 && last.out[1].num_components == 4;
   right &= !ntv_mesa_is_invariant(io) && !ntv_mesa_is_comment(&exact.instr);
   right &= (int)NTV_MESA_IO_XFB2 != (int)NIR_INTRINSIC_IO_XFB && NTV_MESA_ACCESS_ATOMIC == 1 << 18;
   right &= (0 NTV_MESA_OLD_ALU(NTV_COUNT) NTV_MESA_OLD_INTRINSICS(NTV_COUNT) NTV_MESA_PRESERVED(NTV_COUNT)) == 0;
   return right && NTV_MESA_ACCESS_IN_BOUNDS ? 0 : 1;
}
