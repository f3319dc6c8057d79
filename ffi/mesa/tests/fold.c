/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * Folds ALU opcodes with Mesa, for `cargo xtask prove --table`. prove/src/mesa.rs describes requests and answers.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nir/nir.h"
#include "compiler/nir/nir_constant_expressions.h"

struct source {
   uint64_t bits, components;
};

static void
read_words(uint64_t *words, size_t count)
{
   if (fread(words, sizeof(*words), count, stdin) != count)
      exit(1);
}

static void
write_words(const uint64_t *words, size_t count)
{
   if (fwrite(words, sizeof(*words), count, stdout) != count)
      exit(1);
}

static nir_op
find_op(const char *name)
{
   for (unsigned op = 0; op < nir_num_opcodes; op++) {
      if (!strcmp(nir_op_infos[op].name, name))
         return op;
   }
   return nir_num_opcodes;
}

/* Folds one case: `words` are the components of all sources, and become those of the result. */
static void
fold(nir_op op, const struct source *sources, unsigned num_sources, uint64_t components, uint64_t bits, uint64_t width,
     const uint64_t *words, uint64_t *results)
{
   nir_const_value values[NIR_ALU_MAX_INPUTS][NIR_MAX_VEC_COMPONENTS], result[NIR_MAX_VEC_COMPONENTS];
   nir_const_value *pointers[NIR_ALU_MAX_INPUTS];

   memset(values, 0, sizeof(values));
   memset(result, 0, sizeof(result));
   for (unsigned i = 0; i < num_sources; i++) {
      pointers[i] = values[i];
      for (unsigned c = 0; c < sources[i].components; c++)
         values[i][c] = nir_const_value_for_raw_uint(*words++, sources[i].bits);
   }
   nir_eval_const_opcode(op, result, components, width, pointers, 0);
   for (unsigned c = 0; c < components; c++)
      results[c] = nir_const_value_as_uint(result[c], bits);
}

int
main(void)
{
   uint64_t head[8];

   while (fread(head, sizeof(head), 1, stdin) == 1) {
      const uint64_t components = head[4], bits = head[5], width = head[6], num_sources = head[7];
      struct source sources[NIR_ALU_MAX_INPUTS];
      uint64_t cases, per_case = 0;
      uint64_t *words, *results;
      nir_op op;

      ((char *)head)[4 * sizeof(*head) - 1] = '\0';
      op = find_op((const char *)head);
      if (num_sources > NIR_ALU_MAX_INPUTS || components > NIR_MAX_VEC_COMPONENTS)
         return 1;
      for (unsigned i = 0; i < num_sources; i++) {
         read_words(&sources[i].bits, 1);
         read_words(&sources[i].components, 1);
         if (sources[i].components > NIR_MAX_VEC_COMPONENTS)
            return 1;
         per_case += sources[i].components;
      }
      read_words(&cases, 1);
      words = malloc((cases * per_case + 1) * sizeof(*words));
      results = malloc((cases * components + 1) * sizeof(*results));
      if (!words || !results)
         return 1;
      read_words(words, cases * per_case);
      if (op == nir_num_opcodes || nir_op_infos[op].num_inputs != num_sources) {
         write_words(&(uint64_t){0}, 1);
      } else {
         for (uint64_t i = 0; i < cases; i++)
            fold(op, sources, num_sources, components, bits, width, words + i * per_case, results + i * components);
         write_words(&components, 1);
         write_words(results, cases * components);
      }
      fflush(stdout);
      free(words);
      free(results);
   }
   return 0;
}
