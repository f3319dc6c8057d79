/*
 * Copyright (c) the ntv authors
 * SPDX-License-Identifier: MIT
 *
 * What Mesa 22.3's nir.h has otherwise than 25.0's, for ntv_nir.c alone.
 *
 * Operands may be registers there. The wire has registers as 25.0 has them: intrinsics declare, load and store them, so a
 * source is loaded before its instruction and a result stored behind it. What 22.3 calls by other names crosses by
 * those: ntv knows them.
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

/* Numbers in the wire that no intrinsic and no index of 22.3 has. */
enum {
   REGISTER_DECLARE = NTV_TABLE_SIZE - 3,
   REGISTER_LOAD,
   REGISTER_STORE,
};

enum {
   INDEX_NUM_COMPONENTS = 253,
   INDEX_BIT_SIZE,
   INDEX_WRITE_MASK,
};

/* Begins an intrinsic of registers; its sources and the values of its indices follow. */
static void
register_intrinsic(struct flatten *f, unsigned op, struct value value)
{
   static const struct {
      const char *name;
      uint8_t indices[2];
      unsigned num_indices;
   } rows[] = {
      {"decl_reg", {INDEX_NUM_COMPONENTS, INDEX_BIT_SIZE}, 2},
      {"load_reg", {0}, 0},
      {"store_reg", {INDEX_WRITE_MASK}, 1},
   };
   static const char *const index_names[] = {"num_components", "bit_size", "write_mask"};
   unsigned row = op - REGISTER_DECLARE;

   if (ntv_wire_is_new(f->w, NTV_TABLE_INTRINSIC, op)) {
      for (unsigned i = 0; i < rows[row].num_indices; i++)
         ntv_wire_name(f->w, NTV_TABLE_INDEX, rows[row].indices[i], index_names[rows[row].indices[i] - INDEX_NUM_COMPONENTS]);
      ntv_wire_name_intrinsic(f->w, op, rows[row].name, rows[row].indices, rows[row].num_indices);
   }
   ntv_wire_intrinsic(f->w, op, value.number, value.components, value.bits);
}

/* The value that stands for a register. */
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
      struct value handle = {f->next_value++, 1, 32};

      set_number(f, reg, handle.number);
      register_intrinsic(f, REGISTER_DECLARE, handle);
      ntv_wire_push(f->w, reg->num_components);
      ntv_wire_push(f->w, reg->bit_size);
   }
}

/* The number of the value of a source, which a register is loaded to. */
static uint32_t
source(struct flatten *f, const nir_src *src)
{
   struct value value;
   uint32_t handle;

   if (src->is_ssa)
      return src->ssa->index;
   handle = register_handle(f, src->reg.reg, !src->reg.indirect && !src->reg.base_offset);
   value = (struct value){f->next_value++, src->reg.reg->num_components, src->reg.reg->bit_size};
   register_intrinsic(f, REGISTER_LOAD, value);
   ntv_wire_push(f->w, handle);
   return value.number;
}

/* What an instruction makes: end_result follows behind it. */
static struct value
begin_result(struct flatten *f, const nir_result *result)
{
   uint32_t number = result->is_ssa ? result->ssa.index : f->next_value++;

   return (struct value){number, nir_dest_num_components(*result), nir_dest_bit_size(*result)};
}

/* Stores what an instruction made, if that goes to a register. */
static void
end_result(struct flatten *f, const nir_result *result, struct value value)
{
   const struct value none = {0};
   uint32_t handle;

   if (result->is_ssa)
      return;
   handle = register_handle(f, result->reg.reg, !result->reg.indirect && !result->reg.base_offset);
   register_intrinsic(f, REGISTER_STORE, none);
   ntv_wire_push(f->w, value.number);
   ntv_wire_push(f->w, handle);
   ntv_wire_push(f->w, BITFIELD_MASK(value.components));
}

/* nir_to_spirv has no form for these either. */
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
