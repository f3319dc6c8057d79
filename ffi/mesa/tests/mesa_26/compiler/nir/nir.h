/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The declarations of Mesa 26.1's nir.h that ntvr_mesa.h uses, because Mesa 26.1 cannot be built in the tests.
 */

#include <stdbool.h>
#include <stdint.h>

enum gl_access_qualifier { ACCESS_IN_BOUNDS = 1 << 14, ACCESS_ATOMIC = 1 << 18 };

enum { NIR_INTRINSIC_IO_XFB = 5, NIR_INTRINSIC_NUM_INDEX_FLAGS = 9 };

enum {
   nir_fp_preserve_signed_zero = 1 << 0,
   nir_fp_preserve_inf = 1 << 1,
   nir_fp_preserve_nan = 1 << 2,
   nir_fp_no_contract = 1 << 3,
   nir_fp_no_reassoc = 1 << 4,
   nir_fp_no_transform = 1 << 5,
   nir_fp_exact = nir_fp_no_contract | nir_fp_no_reassoc | nir_fp_no_transform,
};

typedef struct nir_instr {
   uint32_t index;
} nir_instr;

typedef struct nir_def {
   unsigned index;
} nir_def;

typedef struct nir_alu_instr {
   nir_instr instr;
   nir_def def;
   uint32_t fp_math_ctrl : 6;
} nir_alu_instr;

typedef struct nir_io_semantics {
   unsigned location : 7;
} nir_io_semantics;

typedef struct nir_io_xfb {
   struct {
      uint8_t num_components : 4;
      uint8_t buffer : 4;
      uint8_t offset;
   } out[4];
} nir_io_xfb;

typedef struct nir_intrinsic_instr {
   nir_instr instr;
   nir_io_xfb xfb;
} nir_intrinsic_instr;

static inline const nir_instr *
nir_def_instr_const(const nir_def *def)
{
   return (const nir_instr *)def - 1;
}

#define nir_def_instr(def) _Generic((def), const nir_def *: nir_def_instr_const)(def)

static inline nir_io_xfb
nir_intrinsic_io_xfb(const nir_intrinsic_instr *intrinsic)
{
   return intrinsic->xfb;
}
