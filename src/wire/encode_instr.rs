//! Writing instructions.

use super::encode::Writer;
use super::format::{number_in, Head, Kind, Step, TexFlags, JUMPS, WIDE_SWIZZLE};
use crate::entity::{Id, Slice};
use crate::ir::{AluSrc, ArrayIndex, Def, Deref, DerefKind, Inst, InstKind, TexData};
use crate::op::names::pack_alu_type;
use crate::op::Intrinsic;

impl Writer<'_> {
    pub(super) fn instruction(&mut self, inst: Inst) {
        let shader = self.shader;
        let bit_size = shader.insts[inst].bit_size;
        match shader.insts[inst].kind {
            InstKind::Alu { op, flags, srcs } => {
                self.head(Kind::Alu, inst, op as u32, flags.bits());
                let srcs = shader.alu_srcs[srcs].iter().zip(op.info().srcs);
                for (src, operand) in srcs {
                    let read = operand.components(shader.insts[inst].num_components);
                    self.alu_src(src, read);
                }
            }
            InstKind::Const(values) => {
                self.head(Kind::Const, inst, 0, 0);
                for value in &shader.consts[values] {
                    match bit_size {
                        64 => self.push64(*value),
                        _ => self.push(&[*value as u32]),
                    }
                }
            }
            InstKind::Undef => self.head(Kind::Undef, inst, 0, 0),
            InstKind::Phi(srcs) => {
                self.head(Kind::Phi, inst, 0, 0);
                shader.phi_srcs[srcs].iter().for_each(|src| self.push(&[src.pred.index() as u32, number(src.def)]));
            }
            InstKind::Deref(deref) => self.deref(inst, &shader.derefs[deref]),
            InstKind::Intrinsic { op, srcs, indices } => self.intrinsic(inst, op, srcs, indices),
            InstKind::Tex(tex) => self.tex(inst, &shader.texs[tex]),
            InstKind::Jump(jump) => self.head(Kind::Jump, inst, number_in(JUMPS, &jump), 0),
        }
    }

    fn head(&mut self, kind: Kind, inst: Inst, op: u32, flags: u8) {
        let data = &self.shader.insts[inst];
        let head = Head { op, num_components: data.num_components, bit_size: data.bit_size, flags };
        let def = if data.has_def() { number(inst.def()) } else { 0 };
        self.record(kind);
        self.push(&[head.pack(), def]);
    }

    fn alu_src(&mut self, src: &AluSrc, read: u8) {
        let bits = src.swizzle.bits();
        if read > 8 {
            self.push(&[number(src.def) | WIDE_SWIZZLE, bits as u32, (bits >> 32) as u32]);
        } else {
            self.push(&[number(src.def), bits as u32]);
        }
    }

    fn deref(&mut self, inst: Inst, deref: &Deref) {
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
        self.head(Kind::Deref, inst, step as u32, 0);
        self.push(&[self.type_number(deref.ty), deref.modes.bits()]);
        match deref.kind {
            DerefKind::Var(var) => self.push(&[var.index() as u32]),
            DerefKind::ArrayWildcard { parent } => self.push(&[number(parent)]),
            DerefKind::Struct { parent, field } => self.push(&[number(parent), field]),
            DerefKind::Cast { parent, stride, align_mul, align_offset } => {
                self.push(&[number(parent), stride, align_mul, align_offset]);
            }
            DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => {
                self.push(&[number(parent)]);
                match index {
                    ArrayIndex::Def(index) => self.push(&[number(index)]),
                    ArrayIndex::Imm(index) => self.push64(index as u64),
                }
            }
        }
    }

    fn intrinsic(&mut self, inst: Inst, op: Intrinsic, srcs: Slice, indices: Slice) {
        let shader = self.shader;
        self.head(Kind::Intrinsic, inst, op as u32, 0);
        shader.srcs[srcs].iter().for_each(|src| self.push(&[number(*src)]));
        self.push(&shader.indices[indices]);
    }

    fn tex(&mut self, inst: Inst, tex: &TexData) {
        let mut flags = TexFlags::empty();
        flags.set(TexFlags::GATHER_IMPLICIT_LOD, tex.is_gather_implicit_lod);
        flags.set(TexFlags::TEXTURE_NON_UNIFORM, tex.texture_non_uniform);
        flags.set(TexFlags::SAMPLER_NON_UNIFORM, tex.sampler_non_uniform);
        flags.set(TexFlags::SPARSE, tex.is_sparse);
        flags.set(TexFlags::OFFSETS, tex.offsets.is_some());
        self.head(Kind::Tex, inst, tex.op as u32, 0);
        self.push(&[pack_alu_type(tex.dest_type), flags.bits(), tex.component.into()]);
        self.push(&[tex.texture_index, tex.sampler_index]);
        for [x, y] in tex.offsets.iter().flatten() {
            self.push(&[u32::from(*x as u8) | u32::from(*y as u8) << 8]);
        }
        tex.srcs.iter().for_each(|(kind, def)| self.push(&[*kind as u32, number(*def)]));
    }
}

/// What a value is called.
fn number(def: Def) -> u32 {
    def.index() as u32
}
