// SPDX-License-Identifier: MIT

//! Reads instructions: one record each, whose first word has the number of the others.

use super::decode::Reading;
use super::format::{self, alu_type, pick, plain, Head, Step, TexFlags, JUMPS, WIDE};
use super::names::{alu, intrinsic, FIRST_ALU, FIRST_INTRINSICS};
use super::names::{has_names, old_alu, old_intrinsic, value_without_name};
use super::words::{Read, Stop};
use crate::entity::{Id, Slice};
use crate::ir::{
    AluFlags, AluSrc, ArrayIndex, Block, Def, Deref, DerefKind, Inst, InstData, InstKind, PhiSrc, Swizzle, TexData,
    TexSrcs,
};
use crate::op::names::ImageDim;
use crate::op::old::OldAlu;
use crate::op::{AluOp, Intrinsic, Modes};

impl Reading<'_> {
    /// Reads instructions without operands, and phis, whose operands may follow later.
    #[inline(never)]
    pub(super) fn plain(&mut self, head: Head) -> Read<InstKind> {
        let kind = match head.op() {
            plain::UNDEF => InstKind::Undef,
            plain::PHI => InstKind::Phi(Slice::default()),
            op => {
                let jump = op.checked_sub(plain::JUMP).and_then(|op| pick(JUMPS, op));
                InstKind::Jump(jump.ok_or_else(|| self.unexpected(1, "an instruction without operands", op))?)
            }
        };
        match matches!(kind, InstKind::Jump(_)) == head.has_no_result() {
            true => Ok(kind),
            false => Err(self.no_shape(head, 1)),
        }
    }

    /// Reads a source of a phi. The sources of one phi follow each other.
    pub(super) fn phi_src(&mut self) -> Read<()> {
        let &[phi, pred, def] = self.row()?;
        let all = self.shader.phi_srcs.values().len();
        let srcs = match self.shader.insts.at(phi as usize) {
            Some(InstData { kind: InstKind::Phi(srcs), .. }) => srcs.longer(all),
            _ => None,
        };
        let Some(srcs) = srcs else {
            return Err(self.unexpected(3, "a phi of which all sources follow", phi));
        };
        if pred as usize >= self.shader.blocks.len() {
            return Err(self.unexpected(2, "a block", pred));
        }
        let def = self.src(def, 1)?;
        self.shader.phi_srcs.add(PhiSrc { pred: Block::from_index(pred as usize), def });
        self.shader.set_kind(Inst::from_index(phi as usize), InstKind::Phi(srcs));
        Ok(())
    }

    #[inline(always)]
    pub(super) fn alu(&mut self, head: Head) -> Read<InstKind> {
        let first = self.shader.alu_srcs.values().len();
        let op = match pick(FIRST_ALU, head.op()) {
            Some(op) if !head.has_no_result() && head.flags() & WIDE == 0 => op,
            _ => return self.other_alu(head),
        };
        let flags = format::alu_flags(head.flags(), self.math);
        let words = self.words(2 * op.info().srcs.len())?;
        for (at, pair) in words.chunks_exact(2).enumerate() {
            let [number, swizzle] = [pair[0], pair[1]];
            let def = self.src(number, words.len() - 2 * at)?;
            self.shader.alu_srcs.add(AluSrc { def, swizzle: Swizzle::from_first(swizzle) });
        }
        let srcs = self.shader.alu_srcs.since(first);
        Ok(InstKind::Alu { op, flags, srcs })
    }

    /// Reads ALU instructions with more than eight components of a source, and those of older releases.
    #[cold]
    #[inline(never)]
    fn other_alu(&mut self, head: Head) -> Read<InstKind> {
        let is_wide = head.flags() & WIDE != 0;
        let flags = format::alu_flags(head.flags(), self.math);
        if head.has_no_result() {
            return Err(self.no_shape(head, 1));
        }
        let Some(op) = alu(head.op()) else {
            return self.old_alu(head, flags, is_wide);
        };
        let first = self.shader.alu_srcs.values().len();
        for _ in op.info().srcs {
            let src = self.alu_src(is_wide)?;
            self.shader.alu_srcs.add(src);
        }
        let srcs = self.shader.alu_srcs.since(first);
        Ok(InstKind::Alu { op, flags, srcs })
    }

    fn alu_src(&mut self, is_wide: bool) -> Read<AluSrc> {
        let &[number, swizzle] = self.row()?;
        let (def, mut swizzle) = (self.src(number, 2)?, Swizzle::from_first(swizzle));
        if is_wide {
            let &[high] = self.row()?;
            (0..8).for_each(|n| swizzle.set(8 + n, (high >> (4 * n)) as u8));
        }
        Ok(AluSrc { def, swizzle })
    }

    /// Reads an opcode of an older release: its current instruction, after the additional ones that it needs.
    fn old_alu(&mut self, head: Head, flags: AluFlags, is_wide: bool) -> Read<InstKind> {
        let Some(old) = old_alu(head.op()) else {
            return Err(self.stop(1, format_args!("there is no ALU opcode {}", head.op())));
        };
        let components = head.num_components();
        let src = self.alu_src(is_wide)?;
        let of = *self.shader.def(src.def);
        let kind = match old {
            OldAlu::NotZero(op) => {
                let zero = InstKind::Const(self.shader.consts.push(&[0]));
                let zero = AluSrc { def: self.extra(1, of.bit_size, zero), swizzle: Swizzle::splat(0) };
                InstKind::Alu { op, flags, srcs: self.shader.push_alu_srcs(&[src, zero]) }
            }
            OldAlu::Intrinsic(op) => {
                let plain = of.num_components == components;
                let value = if plain && src.swizzle.is_identity(components.into()) {
                    src.def
                } else {
                    let srcs = self.shader.push_alu_srcs(&[src]);
                    let mov = InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs };
                    self.extra(components, of.bit_size, mov)
                };
                let (srcs, indices) = (self.shader.srcs.push(&[value]), Slice::default());
                InstKind::Intrinsic { op, srcs, indices }
            }
        };
        Ok(kind)
    }

    /// Adds an instruction that is not in the wire, before the one that is read.
    fn extra(&mut self, num_components: u8, bit_size: u8, kind: InstKind) -> Def {
        let inst = Inst::from_index(self.num_insts + self.state.extras.len());
        self.state.extras.push((self.shader.insts.next_id(), InstData { num_components, bit_size, kind }));
        inst.def()
    }

    #[inline(always)]
    pub(super) fn constant(&mut self, head: Head) -> Read<InstKind> {
        if head.has_no_result() {
            return Err(self.no_shape(head, 1));
        }
        let first = self.shader.consts.values().len();
        let is_long = head.bit_size() == 64;
        let words = self.words(usize::from(head.num_components()) << u8::from(is_long))?;
        match is_long {
            false => words.iter().for_each(|word| self.shader.consts.add(u64::from(*word))),
            true => words.chunks_exact(2).for_each(|pair| self.shader.consts.add(long(pair))),
        }
        Ok(InstKind::Const(self.shader.consts.since(first)))
    }

    /// Reads a deref of a variable, with its type and mode.
    #[inline(always)]
    pub(super) fn deref_var(&mut self, head: Head) -> Read<InstKind> {
        let &[number] = self.row()?;
        let (var, ty, modes) = self.var(number, 1)?;
        self.step(head, Deref { kind: DerefKind::Var(var), ty, modes })
    }

    /// Reads a deref with a parent.
    #[inline(always)]
    pub(super) fn deref(&mut self, head: Head) -> Read<InstKind> {
        let &[ty, modes, first, a, b] = self.row()?;
        let ty = self.type_row(ty, 5)?.ty;
        let modes = Modes::from_bits(modes).ok_or_else(|| self.unexpected(4, "modes", modes))?;
        let step = Step::from_number(head.op()).ok_or_else(|| self.unexpected(6, "a kind of deref", head.op()))?;
        if step == Step::Var {
            let kind = DerefKind::Var(self.var(first, 3)?.0);
            return self.step(head, Deref { kind, ty, modes });
        }
        let parent = self.src(first, 3)?;
        let imm = ArrayIndex::Imm((u64::from(a) | u64::from(b) << 32) as i64);
        let kind = match step {
            Step::ArrayImm => DerefKind::Array { parent, index: imm },
            Step::Array => DerefKind::Array { parent, index: ArrayIndex::Def(self.src(a, 2)?) },
            Step::Struct => DerefKind::Struct { parent, field: a },
            Step::Var | Step::ArrayWildcard => DerefKind::ArrayWildcard { parent },
            Step::PtrAsArray => DerefKind::PtrAsArray { parent, index: ArrayIndex::Def(self.src(a, 2)?) },
            Step::PtrAsArrayImm => DerefKind::PtrAsArray { parent, index: imm },
            Step::Cast => {
                let &[align_offset] = self.row()?;
                DerefKind::Cast { parent, stride: a, align_mul: b, align_offset }
            }
        };
        self.step(head, Deref { kind, ty, modes })
    }

    #[inline(always)]
    fn step(&mut self, head: Head, deref: Deref) -> Read<InstKind> {
        match head.has_no_result() {
            true => Err(self.no_shape(head, 0)),
            false => Ok(InstKind::Deref(self.shader.push_deref(deref))),
        }
    }

    #[inline(always)]
    pub(super) fn intrinsic(&mut self, head: Head) -> Read<InstKind> {
        match pick(FIRST_INTRINSICS, head.op()) {
            Some(op) => self.intrinsic_of_today(op),
            None => self.other_intrinsic(head),
        }
    }

    #[inline(always)]
    fn intrinsic_of_today(&mut self, op: Intrinsic) -> Read<InstKind> {
        let info = op.info();
        let words = self.words(info.srcs.len() + info.indices.len())?;
        let (srcs, values) = words.split_at(info.srcs.len());
        let srcs = self.srcs(srcs, words.len())?;
        if has_names(info) {
            self.are_values(op, values)?;
        }
        let first = self.shader.indices.values().len();
        // There are few values: a call would cost more.
        values.iter().for_each(|value| self.shader.indices.add(*value));
        let indices = self.shader.indices.since(first);
        Ok(InstKind::Intrinsic { op, srcs, indices })
    }

    /// The sources of an intrinsic, the first of which is `back` words before the rest.
    #[inline(always)]
    fn srcs(&mut self, numbers: &[u32], back: usize) -> Read<Slice> {
        let first = self.shader.srcs.values().len();
        for (at, number) in numbers.iter().enumerate() {
            let def = self.src(*number, back - at)?;
            self.shader.srcs.add(def);
        }
        Ok(self.shader.srcs.since(first))
    }

    /// Reads an intrinsic of an older release: its current form, with the indices that the old name implied.
    #[cold]
    #[inline(never)]
    fn other_intrinsic(&mut self, head: Head) -> Read<InstKind> {
        match intrinsic(head.op()) {
            Some(op) => self.intrinsic_of_today(op),
            None => self.old_intrinsic(head),
        }
    }

    /// An intrinsic of an older release: what it is today, with the indices that the old name implied.
    fn old_intrinsic(&mut self, head: Head) -> Read<InstKind> {
        let Some(old) = old_intrinsic(head.op(), self.shader.info.stage) else {
            return Err(self.stop(1, format_args!("there is no intrinsic {}", head.op())));
        };
        let (op, info) = (old.op, old.op.info());
        let first = self.shader.srcs.values().len();
        let srcs = self.words(info.srcs.len() - old.missing_srcs)?;
        self.srcs(srcs, srcs.len())?;
        let indices = self.words(info.indices.len())?;
        self.are_values(op, indices)?;
        for _ in 0..old.missing_srcs {
            let undefined = self.extra(1, 32, InstKind::Undef);
            self.shader.srcs.add(undefined);
        }
        let srcs = self.shader.srcs.since(first);
        let indices = self.shader.indices.push(indices);
        for (index, value) in old.indices {
            if let Some(slot) = info.index_slot(index) {
                self.shader.indices[indices][slot] = value;
            }
        }
        Ok(InstKind::Intrinsic { op, srcs, indices })
    }

    /// Refuses indices, the words before the rest, with values that are not valid.
    #[cold]
    #[inline(never)]
    fn are_values(&mut self, op: Intrinsic, indices: &[u32]) -> Read<()> {
        match value_without_name(op, indices) {
            None => Ok(()),
            Some((at, name)) => {
                let value = indices[at];
                Err(self.stop(indices.len() - at, format_args!("{name} is {value}, which is not a known value")))
            }
        }
    }

    #[inline(never)]
    pub(super) fn tex(&mut self, head: Head) -> Read<InstKind> {
        if head.has_no_result() {
            return Err(self.no_shape(head, 1));
        }
        let &[dest_type, bits, texture_index, sampler_index, low, high] = self.row()?;
        let [flags, component, num_srcs, dim] = bits.to_le_bytes();
        let op = format::tex_op(head.op()).ok_or_else(|| self.unexpected(7, "a texture operation", head.op()))?;
        let dest_type = alu_type(dest_type).ok_or_else(|| self.unexpected(6, "a type of a result", dest_type))?;
        let flags =
            TexFlags::from_bits(flags).ok_or_else(|| self.unexpected(5, "flags of a texture operation", bits))?;
        let mut srcs = TexSrcs::new();
        for _ in 0..num_srcs {
            let &[kind, number] = self.row()?;
            let kind = format::tex_src(kind).ok_or_else(|| self.unexpected(2, "a kind of source", kind))?;
            if !srcs.push(kind, self.src(number, 1)?) {
                return Err(self.stop(2, format_args!("more sources than source kinds")));
            }
        }
        let offsets = [low, low >> 16, high, high >> 16].map(|pair| [pair as i8, (pair >> 8) as i8]);
        let tex = self.shader.texs.push(TexData {
            op,
            dest_type,
            srcs,
            texture_index,
            sampler_index,
            component,
            offsets: flags.contains(TexFlags::OFFSETS).then_some(offsets),
            is_gather_implicit_lod: flags.contains(TexFlags::GATHER_IMPLICIT_LOD),
            texture_non_uniform: flags.contains(TexFlags::TEXTURE_NON_UNIFORM),
            sampler_non_uniform: flags.contains(TexFlags::SAMPLER_NON_UNIFORM),
            is_sparse: flags.contains(TexFlags::SPARSE),
            dim: ImageDim::ALL.get(usize::from(dim).wrapping_sub(1)).copied(),
        });
        Ok(InstKind::Tex(tex))
    }

    /// Refuses the result of a record whose head is `back` words before the rest.
    #[cold]
    #[inline(never)]
    pub(super) fn no_shape(&mut self, head: Head, back: usize) -> Stop {
        let (components, bits) = (head.num_components(), head.bit_size());
        self.stop(back, format_args!("a result of {components} components of {bits} bits"))
    }
}

/// A number of two words.
pub(super) fn long(pair: &[u32]) -> u64 {
    u64::from(pair[0]) | u64::from(pair[1]) << 32
}
