/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The headers in C++: they compile without a warning, and a wire is written and refused.
 */

#include "ntv_module.h"
#include "ntv_plan.h"
#include "ntv_wire.h"
#include "ntv_xfb.h"

int
main()
{
   ntv_wire wire = {};
   ntv_target target;
   ntv_result result;
   ntv_shader shader = {};

   shader.stage = NTV_STAGE_FRAGMENT;
   shader.next_stage = NTV_NONE;
   ntv_wire_begin(&wire, &shader);
   bool same = !ntv_check_version();
   bool written = ntv_wire_end(&wire) && ntv_target_init(&target, 1u << 22);
   ntv_translator *translator = ntv_translator_create();
   /* A shader without a block. */
   ntv_status status = ntv_translate(translator, &target, wire.words, wire.len, nullptr, &result);
   bool refused = status == NTV_ERROR_INVALID && result.error && !result.words;
   ntv_result_free(&result, nullptr);
   ntv_translator_destroy(translator);
   ntv_wire_fini(&wire);
   return same && written && refused ? 0 : 1;
}
