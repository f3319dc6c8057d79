// SPDX-License-Identifier: MIT

//! Applies rules to ALU operations.

use super::algebraic::{self, New};
use super::operands::Operands;
use super::{constant_fold, copy_prop, InstFlags, Rules, Walk};
use crate::ir::{AluFlags, AluSrc, BlockData, Cf, Def, Inst, InstData, InstKind, LineNumber, Shader};
use crate::op::fold::mask;
use crate::op::AluOp;

impl Walk<'_> {
    /// Simplifies an ALU operation that a rule may be for.
    #[inline(never)]
    pub(super) fn simplify(&mut self, inst: Inst) {
        let InstData { num_components, kind: InstKind::Alu { op, srcs, .. }, .. } = self.shader.insts[inst] else {
            return;
        };
        for at in 0..srcs.len() {
            let src = self.shader.alu_srcs[srcs][at];
            if self.tables.flags(src.def).intersects(InstFlags::COPY | InstFlags::RENAMED) {
                let mut new = AluSrc { def: self.tables.renamed(src.def), ..src };
                if self.rules.contains(Rules::COPIES) {
                    let read = op.info().srcs[at].components(num_components);
                    new = copy_prop::look_through_copies(self.shader, &self.tables.insts, new, read.into());
                }
                self.changed |= new != src;
                self.shader.alu_srcs[srcs][at] = new;
            }
        }
        let operands = Operands::new(&self.shader.alu_srcs[srcs]);
        let rules = algebraic::rules(op, operands.there(self.tables));
        let is_computed = self.tables.flags(operands.defs[0]).contains(InstFlags::NUMBER) && self.compute(inst);
        if !is_computed && rules != 0 && self.apply_algebra(inst, rules) {
            self.compute(inst);
        }
        self.settle_simplified(inst);
    }

    /// Makes an operation on constants a constant, and a selection with a constant condition the selected value. False if
    /// neither holds.
    fn compute(&mut self, inst: Inst) -> bool {
        let is_computed = self.rules.contains(Rules::CONSTANTS) && constant_fold::fold(self.shader, inst);
        self.changed |= is_computed;
        is_computed
    }

    /// Replaces an operation by the result of the first of these rules that matches. False if none does.
    fn apply_algebra(&mut self, inst: Inst, rules: u64) -> bool {
        let data = self.shader.insts[inst];
        let InstKind::Alu { op, flags, srcs } = data.kind else { return false };
        if !self.rules.contains(Rules::ALGEBRA) {
            return false;
        }
        let Some(new) = algebraic::first_replacement(self.shader, rules, &data, op, &self.shader.alu_srcs[srcs]) else {
            return false;
        };
        let flags = flags & AluFlags::MATH;
        let components = usize::from(data.num_components);
        let kind = match new {
            New::Value(src) => {
                let srcs = self.shader.push_alu_srcs(&[src]);
                InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs }
            }
            New::Const(value) => {
                let value = mask(value, data.bit_size);
                InstKind::Const(self.shader.consts.push(&[value; 16][..components]))
            }
            New::Op(op, srcs) => {
                let srcs = self.shader.push_alu_srcs(&srcs[..op.info().srcs.len()]);
                InstKind::Alu { op, flags, srcs }
            }
            New::WithConst(op, src, value) => {
                let bits = op.info().srcs[1].bits(data.bit_size);
                let number = self.constant(inst, bits, &[mask(value, bits); 16][..components]);
                let srcs = self.shader.push_alu_srcs(&[src, number.into()]);
                InstKind::Alu { op, flags, srcs }
            }
        };
        self.shader.set_kind(inst, kind);
        self.changed = true;
        true
    }

    /// A constant that `inst` may read.
    fn constant(&mut self, inst: Inst, bits: u8, values: &[u64]) -> Def {
        let values = self.shader.consts.push(values);
        let data = InstData { num_components: values.len() as u8, bit_size: bits, kind: InstKind::Const(values) };
        let constant = self.shader.make(data);
        if self.shader.lines[inst] != LineNumber(0) {
            self.shader.lines.set(constant, self.shader.lines[inst]);
        }
        self.tables.make_room(self.shader);
        self.tables.constants.push(constant);
        let block = std::mem::replace(&mut self.block, self.entry);
        self.settle_constant(constant, &data);
        self.block = block;
        self.tables.renamed(constant.def())
    }

    /// Inserts the new constants where all instructions can read them: before all others but phis, which the first block may
    /// have, though they have no sources.
    #[inline(never)]
    pub(super) fn insert_constants(&mut self) {
        let Shader { cf, blocks, order, insts, .. } = &mut *self.shader;
        let more = self.tables.constants.len() as u32;
        let is_phi = |inst: &&Inst| matches!(insts[**inst].kind, InstKind::Phi(_));
        let at = order.iter().take(blocks[self.entry].end as usize).take_while(is_phi).count();
        order.splice(at..at, self.tables.constants.drain(..));
        for item in cf {
            let Cf::Block(block) = *item else { continue };
            let BlockData { start, end } = blocks[block];
            let start = if block == self.entry { 0 } else { start + more };
            blocks[block] = BlockData { start, end: end + more };
        }
    }

    fn settle_simplified(&mut self, inst: Inst) {
        let data = self.shader.insts[inst];
        match data.kind {
            InstKind::Alu { op, .. } if copy_prop::COPIES.contains(op) => self.settle_copy(inst, op),
            InstKind::Alu { .. } => self.settle_as_it_is(inst),
            _ => self.settle_constant(inst, &data),
        }
    }

    fn settle_copy(&mut self, inst: Inst, op: AluOp) {
        if op != AluOp::mov && self.rules.contains(Rules::COPIES) {
            self.changed |= copy_prop::vector_to_move(self.shader, inst);
        }
        let same = copy_prop::copied_value(self.shader, inst);
        if let Some(same) = same.filter(|same| self.may_be_read_instead(*same)) {
            return self.rename(inst, same);
        }
        self.settle_as_it_is(inst);
    }

    fn settle_as_it_is(&mut self, inst: Inst) {
        let data = self.shader.insts[inst];
        let InstKind::Alu { op, srcs, .. } = data.kind else { return };
        let operands = Operands::new(&self.shader.alu_srcs[srcs]);
        self.settle_alu(inst, &data, op, &operands);
    }
}
