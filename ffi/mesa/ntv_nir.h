/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Serializes Mesa's NIR as ntv's wire.
 */

#ifndef NTV_NIR_H
#define NTV_NIR_H

#include <stdbool.h>

#include "ntv_wire.h"

struct nir_shader;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes the entry point of `nir`, with all variables, to `wire`. Phis may be present, or be registers. Returns NULL, or the name
 * of a construct that the wire has no form for. The shader keeps its meaning; blocks, instructions and variables get new values
 * of nir_block::index, nir_instr::index and nir_variable::index.
 *
 * `element_offsets`: offsets of shared and scratch memory have been divided by the size of the element, as zink does for its own
 * translator. `names`: all names are written, including those of inputs, outputs and members, which are only for printing.
 */
const char *ntv_wire_nir(struct ntv_wire *wire, struct nir_shader *nir, bool element_offsets, bool names);

#ifdef __cplusplus
}
#endif

#endif /* NTV_NIR_H */
