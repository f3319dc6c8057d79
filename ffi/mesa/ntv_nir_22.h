/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * The differences of Mesa 22.3's nir.h from 25.0's, only for ntv_nir.c.
 *
 * In 22.3, operands may be registers. The wire has registers as 25.0 has them: intrinsics declare, load and store them, so a
 * source is loaded before its instruction and a result is stored after it. Names that only 22.3 has are written by these names:
 * ntv supports them.
 */

#ifndef NTV_NIR_22_H
#define NTV_NIR_22_H

typedef nir_ssa_def nir_def;
typedef nir_dest nir_result;
#define RESULT(instr) (&(instr)->dest)
#define ALU_RESULT(alu) (&(alu)->dest.dest)

#define nir_instr_type_undef nir_instr_type_ssa_undef
#define nir_instr_as_undef nir_instr_as_ssa_undef

#define mesa_prim shader_prim
#define MESA_PRIM_POINTS SHADER_PRIM_POINTS
#define MESA_PRIM_LINES SHADER_PRIM_LINES
#define MESA_PRIM_LINE_LOOP SHADER_PRIM_LINE_LOOP
#define MESA_PRIM_LINE_STRIP SHADER_PRIM_LINE_STRIP
#define MESA_PRIM_TRIANGLES SHADER_PRIM_TRIANGLES
#define MESA_PRIM_TRIANGLE_STRIP SHADER_PRIM_TRIANGLE_STRIP
#define MESA_PRIM_TRIANGLE_FAN SHADER_PRIM_TRIANGLE_FAN
#define MESA_PRIM_QUADS SHADER_PRIM_QUADS
#define MESA_PRIM_QUAD_STRIP SHADER_PRIM_QUAD_STRIP
#define MESA_PRIM_LINES_ADJACENCY SHADER_PRIM_LINES_ADJACENCY
#define MESA_PRIM_TRIANGLES_ADJACENCY SHADER_PRIM_TRIANGLES_ADJACENCY

static inline bool
find_number(struct flatten *f, const void *key, uint32_t *number)
{
   struct number *place = find_place(f, key);

   *number = place->number;
   return place->key != NULL;
}

static void
set_number(struct flatten *f, const void *key, uint32_t number)
{
   fill_place(f, find_place(f, key), key, number);
}

/* Writes an intrinsic of registers. The caller writes its sources and the indices that are not 0; NULL if memory is short. */
static uint32_t *
register_intrinsic(struct flatten *f, const char *name, struct shape shape, unsigned num_srcs)
{
   uint32_t number = ntv_wire_number(NTV_TABLE_INTRINSIC, name);
   uint32_t num_indices = ntv_wire_num_indices(number);
   uint32_t *words = ntv_wire_instr(f->w, ntv_wire_head(NTV_RECORD_INTRINSIC, number, shape.components, shape.bits),
                                    num_srcs + num_indices);

   if (words)
      memset(words, 0, (num_srcs + num_indices) * sizeof(*words));
   return words;
}

static uint32_t
register_index(const char *name, const char *index)
{
   return ntv_wire_index(ntv_wire_number(NTV_TABLE_INTRINSIC, name), index);
}

/* The value of the declaration of a register. */
static uint32_t
register_handle(struct flatten *f, const nir_register *reg, bool whole)
{
   uint32_t number = 0;

   if (!whole || reg->num_array_elems || !find_number(f, reg, &number))
      miss(f, "an array of registers");
   return number;
}

/* Declares the registers, at the start of the first block. */
static void
declare_registers(struct flatten *f)
{
   foreach_list_typed(nir_register, reg, node, &f->impl->registers) {
      const struct shape handle = {1, 32};
      uint32_t *words;

      set_number(f, reg, f->w->num_instrs);
      words = register_intrinsic(f, "decl_reg", handle, 0);
      if (words) {
         words[register_index("decl_reg", "num_components")] = reg->num_components;
         words[register_index("decl_reg", "bit_size")] = reg->bit_size;
      }
   }
}

/* Writes the load of a register source, and stores its value for `source`. */
static bool
load_source(nir_src *src, void *data)
{
   struct flatten *f = data;
   struct shape shape;
   uint32_t handle, number, *words;

   if (src->is_ssa)
      return true;
   if (f->num_loaded == ARRAY_SIZE(f->loaded)) {
      miss(f, "this number of registers in one instruction");
      return false;
   }
   handle = register_handle(f, src->reg.reg, !src->reg.indirect && !src->reg.base_offset);
   shape = (struct shape){src->reg.reg->num_components, src->reg.reg->bit_size};
   number = f->w->num_instrs;
   words = register_intrinsic(f, "load_reg", shape, 1);
   if (words)
      words[0] = handle;
   f->loaded[f->num_loaded++] = (struct number){src, number};
   return true;
}

/* Loads all register sources, before the instruction is numbered. */
static void
load_sources(struct flatten *f, nir_instr *instr)
{
   f->num_loaded = 0;
   nir_foreach_src(instr, load_source, f);
}

/* The number of a source, or of the load of a register source. */
static uint32_t
source(struct flatten *f, const nir_src *src)
{
   if (src->is_ssa)
      return ssa_number(src);
   for (unsigned i = 0; i < f->num_loaded; i++) {
      if (f->loaded[i].key == src)
         return f->loaded[i].number;
   }
   return 0;
}

static uint32_t
condition(struct flatten *f, nir_if *nif)
{
   f->num_loaded = 0;
   load_source(&nif->condition, f);
   return source(f, &nif->condition);
}

static struct shape
result_shape(const nir_result *result)
{
   return (struct shape){nir_dest_num_components(*result), nir_dest_bit_size(*result)};
}

/* Stores the result of an instruction to its register, if it has one. */
static void
end_result(struct flatten *f, const nir_result *result, const nir_instr *instr)
{
   const struct shape none = {0};
   uint32_t handle, *words;

   if (result->is_ssa)
      return;
   handle = register_handle(f, result->reg.reg, !result->reg.indirect && !result->reg.base_offset);
   words = register_intrinsic(f, "store_reg", none, 2);
   if (words) {
      words[0] = instr->index;
      words[1] = handle;
      words[2 + register_index("store_reg", "write_mask")] = BITFIELD_MASK(nir_dest_num_components(*result));
   }
}

/* nir_to_spirv does not support these either. */
static void
check_modifiers(struct flatten *f, const nir_alu_instr *alu)
{
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
      if (alu->src[i].negate || alu->src[i].abs)
         miss(f, "a negated source");
   }
   if (alu->dest.saturate)
      miss(f, "a saturated result");
   if (alu->dest.write_mask != BITFIELD_MASK(nir_dest_num_components(alu->dest.dest)))
      miss(f, "a result that is written in part");
}

#endif /* NTV_NIR_22_H */
