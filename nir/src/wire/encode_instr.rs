// SPDX-License-Identifier: MIT

//! Writes instructions.

use super::encode::Writer;
use super::format::{alu_bits, number_in, plain, record, Head, Step, TexFlags, JUMPS, WIDE};
use super::names::{alu_number, intrinsic_number};
use crate::entity::{Id, Slice};
use crate::ir::{AluFlags, AluSrc, ArrayIndex, Deref, DerefKind, Inst, InstKind, TexData};
use crate::op::names::pack_alu_type;
use crate::op::{AluOp, Intrinsic};

impl Writer<'_> {
    pub(super) fn instruction(&mut self, inst: Inst) {
        let shader = self.shader;
        let bit_size = shader.insts[inst].bit_size;
        match shader.insts[inst].kind {
            InstKind::Alu { op, flags, srcs } => self.alu(inst, op, flags, srcs),
            InstKind::Const(values) => {
                self.head(record::CONST, inst, 0, 0);
                for value in &shader.consts[values] {
                    match bit_size {
                        64 => self.push64(*value),
                        _ => self.push(&[*value as u32]),
                    }
                }
            }
            InstKind::Undef => self.head(record::PLAIN, inst, plain::UNDEF, 0),
            InstKind::Phi(_) => self.head(record::PLAIN, inst, plain::PHI, 0),
            InstKind::Deref(deref) => self.deref(inst, &shader.derefs[deref]),
            InstKind::Intrinsic { op, srcs, indices } => self.intrinsic(inst, op, srcs, indices),
            InstKind::Tex(tex) => self.tex(inst, &shader.texs[tex]),
            InstKind::Jump(jump) => self.head(record::PLAIN, inst, plain::JUMP + number_in(JUMPS, &jump), 0),
        }
    }

    /// Begins an instruction.
    fn head(&mut self, record: u32, inst: Inst, op: u32, flags: u8) {
        let data = &self.shader.insts[inst];
        self.push(&[Head::new(record, op, flags).with_result(data.num_components, data.bit_size).0]);
    }

    fn alu(&mut self, inst: Inst, op: AluOp, flags: AluFlags, srcs: Slice) {
        let shader = self.shader;
        let components = shader.insts[inst].num_components;
        let is_wide = op.info().srcs.iter().any(|operand| operand.components(components) > 8);
        let (bits, math) = alu_bits(flags);
        if math != self.math {
            self.math = math;
            self.push(&[Head::new(record::MATH, math.bits().into(), 0).0]);
        }
        self.head(record::ALU, inst, alu_number(op), bits | if is_wide { WIDE } else { 0 });
        for AluSrc { def, swizzle } in &shader.alu_srcs[srcs] {
            let bits = swizzle.bits();
            self.push(&[self.number(*def), bits as u32]);
            if is_wide {
                self.push(&[(bits >> 32) as u32]);
            }
        }
    }

    fn deref(&mut self, inst: Inst, deref: &Deref) {
        if let DerefKind::Var(var) = deref.kind {
            let variable = &self.shader.vars[var];
            if (deref.ty, deref.modes) == (variable.ty, variable.mode) {
                self.head(record::DEREF_VAR, inst, Step::Var as u32, 0);
                return self.push(&[var.index() as u32]);
            }
        }
        let step = match deref.kind {
            DerefKind::Var(_) => Step::Var,
            DerefKind::Array { index: ArrayIndex::Def(_), .. } => Step::Array,
            DerefKind::Array { index: ArrayIndex::Imm(_), .. } => Step::ArrayImm,
            DerefKind::ArrayWildcard { .. } => Step::ArrayWildcard,
            DerefKind::PtrAsArray { index: ArrayIndex::Def(_), .. } => Step::PtrAsArray,
            DerefKind::PtrAsArray { index: ArrayIndex::Imm(_), .. } => Step::PtrAsArrayImm,
            DerefKind::Struct { .. } => Step::Struct,
            DerefKind::Cast { .. } => Step::Cast,
        };
        self.head(record::DEREF, inst, step as u32, 0);
        self.push(&[self.type_number(deref.ty), deref.modes.bits()]);
        let words = match deref.kind {
            DerefKind::Var(var) => [var.index() as u32, 0, 0],
            DerefKind::ArrayWildcard { parent } => [self.number(parent), 0, 0],
            DerefKind::Struct { parent, field } => [self.number(parent), field, 0],
            DerefKind::Cast { parent, stride, align_mul, .. } => [self.number(parent), stride, align_mul],
            DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => match index {
                ArrayIndex::Def(index) => [self.number(parent), self.number(index), 0],
                ArrayIndex::Imm(index) => [self.number(parent), index as u32, (index as u64 >> 32) as u32],
            },
        };
        self.push(&words);
        if let DerefKind::Cast { align_offset, .. } = deref.kind {
            self.push(&[align_offset]);
        }
    }

    fn intrinsic(&mut self, inst: Inst, op: Intrinsic, srcs: Slice, indices: Slice) {
        let shader = self.shader;
        self.head(record::INTRINSIC, inst, intrinsic_number(op), 0);
        shader.srcs[srcs].iter().for_each(|src| self.push(&[self.number(*src)]));
        self.push(&shader.indices[indices]);
    }

    fn tex(&mut self, inst: Inst, tex: &TexData) {
        let mut flags = TexFlags::empty();
        flags.set(TexFlags::GATHER_IMPLICIT_LOD, tex.is_gather_implicit_lod);
        flags.set(TexFlags::TEXTURE_NON_UNIFORM, tex.texture_non_uniform);
        flags.set(TexFlags::SAMPLER_NON_UNIFORM, tex.sampler_non_uniform);
        flags.set(TexFlags::SPARSE, tex.is_sparse);
        flags.set(TexFlags::OFFSETS, tex.offsets.is_some());
        self.head(record::TEX, inst, tex.op as u32, 0);
        let bits = [flags.bits(), tex.component, tex.srcs.len() as u8, tex.dim.map_or(0, |dim| dim as u8 + 1)];
        let offsets = tex.offsets.unwrap_or_default().map(|[x, y]| u32::from(x as u8) | u32::from(y as u8) << 8);
        self.push(&[pack_alu_type(tex.dest_type), u32::from_le_bytes(bits), tex.texture_index, tex.sampler_index]);
        self.push(&[offsets[0] | offsets[1] << 16, offsets[2] | offsets[3] << 16]);
        tex.srcs.iter().for_each(|(kind, def)| self.push(&[*kind as u32, self.number(*def)]));
    }
}
