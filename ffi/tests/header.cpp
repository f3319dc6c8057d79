/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The headers in C++: they compile without a warning, and a wire is written and refused.
 */

#include "ntvr_module.h"
#include "ntvr_plan.h"
#include "ntvr_wire.h"
#include "ntvr_xfb.h"

int
main()
{
   ntvr_wire wire = {};
   ntvr_target target = {};
   ntvr_result result = {};
   ntvr_shader shader = {};

   target.struct_size = sizeof(target);
   result.struct_size = sizeof(result);
   shader.stage = NTVR_STAGE_FRAGMENT;
   shader.next_stage = NTVR_NONE;
   ntvr_wire_begin(&wire, &shader);
   bool same = !ntvr_check_version();
   bool written = ntvr_wire_end(&wire) && ntvr_target_init(&target, 1u << 22);
   ntvr_translator *translator = ntvr_translator_create();
   /* A shader without a block. */
   ntvr_status status = ntvr_translate(translator, &target, wire.words, wire.len, nullptr, &result);
   bool refused = status == NTVR_ERROR_INVALID && result.error && !result.words;
   ntvr_result_free(&result, nullptr);
   ntvr_translator_destroy(translator);
   ntvr_wire_fini(&wire);
   return same && written && refused ? 0 : 1;
}
