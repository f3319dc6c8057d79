/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Flattens Mesa's NIR into ntv's wire.
 */

#ifndef NTV_NIR_H
#define NTV_NIR_H

#include <stdbool.h>

#include "ntv.h"

struct nir_shader;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes the entry point of `nir`, with all variables, to `wire`. Phis may be there, or be registers. The result is NULL, or
 * says what the wire has no form for. The shader keeps its meaning; blocks, instructions and variables get new values of
 * nir_block::index, nir_instr::index and nir_variable::index.
 *
 * `element_offsets` says that offsets of shared and scratch memory have been divided by the size of the element, as zink
 * does for its own translator. `names` asks for all names: those for people as well, of inputs, outputs and members.
 */
const char *ntv_wire_nir(struct ntv_wire *wire, struct nir_shader *nir, bool element_offsets, bool names);

#ifdef __cplusplus
}
#endif

#endif /* NTV_NIR_H */
