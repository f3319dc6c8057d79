/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Serializes Mesa's NIR as ntv's wire.
 */

#ifndef NTVR_NIR_H
#define NTVR_NIR_H

#include <stdbool.h>

#include "ntvr_wire.h"

struct nir_shader;

#ifdef __cplusplus
extern "C" {
#endif

/* The passes that NIR went through. */
enum ntvr_nir_level {
   /* Those of the state tracker. The caller gives the sets and bindings of descriptors, and links modules by slots. */
   NTVR_NIR_GALLIUM,
   /* Those of zink: variables have sets, bindings and locations, and offsets of shared and scratch memory are in elements. */
   NTVR_NIR_ZINK,
};

/*
 * Writes the entry point of `nir`, with all variables, to `wire`. Phis may be present, or be registers. Returns NULL, or the name
 * of a construct that the wire has no form for. The shader keeps its meaning; blocks, instructions and variables get new values
 * of nir_block::index, nir_instr::index and nir_variable::index.
 *
 * `names`: all names are written, including those of inputs, outputs and members, which are only for printing.
 */
const char *ntvr_wire_nir(struct ntvr_wire *wire, struct nir_shader *nir, enum ntvr_nir_level level, bool names);

#ifdef __cplusplus
}
#endif

#endif /* NTVR_NIR_H */
