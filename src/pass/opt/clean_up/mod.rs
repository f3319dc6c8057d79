// SPDX-License-Identifier: MIT

//! Removes redundant instructions after the lowerings, in one walk.
//!
//! **What.** The walk applies sets of rules to each instruction: sources skip copies ([`copy_prop`]), operations on constants
//! are computed ([`constant_fold`]), others are simplified ([`algebraic`]), and an instruction is removed if an equal one
//! dominates it ([`cse`]). After the walk, instructions without uses ([`dce`]) and empty ifs are removed. If branches have become
//! constant, they are removed ([`dead_cf`]), and the walk runs once more.
//!
//! **Why.** Each lowering emits code without regard to its surroundings. The rules are most effective together: equal
//! instructions are found when copies are skipped, and constants are found when equal loads are one. And most of the cost of a
//! walk is the walk itself: the branch on the kind of the next instruction.
//!
//! Mesa optimises NIR before, and most shaders need few lowerings: for [tidy](Shader::is_tidy) shaders, only the control flow
//! is checked, which is fast.
//!
//! Each set of rules is also a pass of its own, this walk without the other rules, for tests and for developers who search for
//! the rule that changed an instruction.
//!
//! Before:
//!
//! ```text
//! 32     %3 = mov %2.y
//! 32     %4 = ishl %3, %1 (0x4)
//! 32     %5 = mov %2.y
//! 32     %6 = ishl %5, %1 (0x4)
//! 32     %7 = ushr %6, %1 (0x4)
//! 32     %8 = iadd %4, %7
//! ```
//!
//! After:
//!
//! ```text
//! 32    %4 = ishl %3.y, %2 (0x4)
//! 32    %5 = iand %3.y, %0 (0xfffffff)
//! 32    %6 = iadd %4, %5
//! ```

mod operands;
pub mod parts;
mod simplify;

use operands::{DerefOperands, Operands};

use super::walk_tables::{InstFlags, InstState, WalkTables};
use super::{algebraic, constant_fold, copy_prop, cse, dce, dead_cf, effects};
use crate::entity::Id;
use crate::ir::{Block, BlockData, Cf, Def, DerefId, Inst, InstData, InstKind, Shader};
use crate::op::{AluOp, AluSet, Effects, Facts};
use crate::pass::{Context, Pass};
use bitflags::bitflags;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "clean_up",
    about: "computes constants, removes copies, equal values and instructions without uses",
    facts: Facts::UNTIDY,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let changed = !shader.is_tidy() && run_rules(shader, Rules::all());
    if dead_cf::remove_dead(shader) {
        run_rules(shader, Rules::all());
        return true;
    }
    changed
}

bitflags! {
    /// Sets of rules.
    #[derive(Clone, Copy)]
    pub(super) struct Rules: u8 {
        /// Rules of [`copy_prop`].
        const COPIES = 1 << 0;
        /// Rules of [`constant_fold`].
        const CONSTANTS = 1 << 1;
        /// Rules of [`algebraic`].
        const ALGEBRA = 1 << 2;
        /// Rules of [`cse`].
        const EQUALS = 1 << 3;
        /// Rules of [`dce`].
        const UNREAD = 1 << 4;
        /// Rules of [`dead_cf`] that remove empty ifs.
        const EMPTY_IFS = 1 << 5;
    }
}

/// Operations that are examined whatever their operands are: for the rules of vectors.
const ALWAYS_EXAMINED: AluSet =
    AluSet::of(&[AluOp::vec2, AluOp::vec3, AluOp::vec4, AluOp::vec5, AluOp::vec8, AluOp::vec16]);

/// The flags of ALU operations that stay, by opcode.
const FLAGS_OF: [InstFlags; AluOp::ALL.len()] = {
    let mut flags = [InstFlags::MADE; AluOp::ALL.len()];
    let mut at = 0;
    while at < flags.len() {
        if copy_prop::COPIES.contains(AluOp::ALL[at]) {
            flags[AluOp::ALL[at] as usize] = InstFlags::MADE.union(InstFlags::COPY);
        }
        at += 1;
    }
    flags
};

/// Runs the walk with some of the rules. Returns true if anything changed.
#[inline(never)]
pub(super) fn run_rules(shader: &mut Shader, rules: Rules) -> bool {
    shader.with_spare(|shader, tables: &mut WalkTables| {
        tables.reset(shader);
        let Some(Cf::Block(entry)) = shader.cf.first().copied() else { return false };
        let changed =
            Walk { shader: &mut *shader, tables: &mut *tables, rules, entry, block: entry, changed: false }.run();
        tables.shrink(shader);
        changed
    })
}

struct Walk<'a> {
    shader: &'a mut Shader,
    tables: &'a mut WalkTables,
    rules: Rules,
    entry: Block,
    /// The block that is visited.
    block: Block,
    changed: bool,
}

impl Walk<'_> {
    fn run(mut self) -> bool {
        let order = std::mem::take(&mut self.shader.order);
        for at in 0..self.shader.cf.len() {
            let Cf::Block(block) = self.shader.cf[at] else { continue };
            self.block = block;
            let BlockData { start, end } = self.shader.blocks[block];
            for inst in &order[start as usize..end as usize] {
                self.visit(*inst);
            }
        }
        self.shader.order = order;
        self.rename_later_uses();
        if !self.tables.constants.is_empty() {
            self.insert_constants();
        }
        let mut changed = self.changed | self.remove_unread();
        while self.rules.contains(Rules::EMPTY_IFS) && dead_cf::remove_empty_ifs(self.shader, &mut self.tables.joined) {
            dce::forget_needs(self.shader, self.tables);
            self.remove_unread();
            changed = true;
        }
        changed
    }

    /// Removes the instructions that the walk marked as unneeded. Returns true if there were any.
    fn remove_unread(&mut self) -> bool {
        let kept = match self.rules.contains(Rules::UNREAD) {
            true => {
                dce::find_needed(self.shader, self.tables);
                InstFlags::NEEDED
            }
            false => InstFlags::STAYS,
        };
        self.shader.retain(|inst| self.tables.insts[inst.index()].flags.intersects(kept))
    }

    fn visit(&mut self, inst: Inst) {
        let data = self.shader.insts[inst];
        if let InstKind::Alu { op, srcs, .. } = data.kind {
            let operands = Operands::new(&self.shader.alu_srcs[srcs]);
            match self.is_plain(&data, op, &operands) {
                true => self.settle_alu(inst, &data, op, &operands),
                false => self.simplify(inst),
            }
        } else {
            self.visit_other(inst, &data);
        }
    }

    /// Visits an instruction that is not an ALU operation.
    #[inline(never)]
    fn visit_other(&mut self, inst: Inst, data: &InstData) {
        match data.kind {
            InstKind::Deref(deref) => self.visit_deref(inst, deref),
            InstKind::Intrinsic { .. } => self.visit_intrinsic(inst, data),
            InstKind::Const(_) => self.settle_constant(inst, data),
            _ => self.visit_rare(inst, data),
        }
    }

    /// Whether no rule is for this operation, so that it stays unless an equal one is known.
    #[inline(always)]
    fn is_plain(&self, data: &InstData, op: AluOp, operands: &Operands) -> bool {
        let [a, b, c] = operands.defs.map(|def| self.tables.flags(def));
        let to_replace = (a | b | c) & (InstFlags::COPY | InstFlags::RENAMED) | a & b & c & InstFlags::NUMBER;
        let rules = algebraic::rules(op, operands.there(self.tables));
        // A move of a whole value begins with the first component, which is the only one of most values.
        let may_be_whole = (op == AluOp::mov)
            & (operands.contents[0] & 15 == 0)
            & (self.shader.num_components(operands.defs[0]) == data.num_components);
        let is_other = ALWAYS_EXAMINED.contains(op) | may_be_whole | (operands.count > operands.defs.len());
        u64::from(to_replace.bits()) | rules | u64::from(is_other) == 0
    }

    /// Keeps an instruction, unless an equal one, which has this hash, is known.
    #[inline(never)]
    fn settle(&mut self, inst: Inst, flags: InstFlags, reads: [Def; 3], hash: Option<u64>) {
        if let Some(hash) = hash.filter(|_| self.rules.contains(Rules::EQUALS)) {
            if let Some(same) = self.tables.known.find(self.shader, self.block, inst, hash) {
                return self.rename(inst, same.def());
            }
        }
        self.tables.insts[inst.index()] = InstState { reads, flags: flags | InstFlags::STAYS };
    }

    /// Replaces an instruction by `def`.
    fn rename(&mut self, inst: Inst, def: Def) {
        self.tables.insts[inst.index()] = InstState { reads: [def; 3], flags: InstFlags::RENAMED };
        self.changed = true;
    }

    fn settle_constant(&mut self, inst: Inst, data: &InstData) {
        let InstKind::Const(values) = data.kind else { return };
        let hash = cse::hash_of_constant(data, &self.shader.consts[values]);
        self.settle(inst, InstFlags::NUMBER, [inst.def(); 3], Some(hash));
    }

    fn settle_alu(&mut self, inst: Inst, data: &InstData, op: AluOp, operands: &Operands) {
        let hash = cse::hash_of_alu(data, op, &operands.contents, operands.count);
        let mut flags = FLAGS_OF[op as usize];
        flags.set(InstFlags::READS_MORE, operands.count > operands.defs.len());
        self.settle(inst, flags, operands.defs, Some(hash));
    }

    fn visit_deref(&mut self, inst: Inst, deref: DerefId) {
        let own = inst.def();
        let mut operands = DerefOperands::new(&self.shader.derefs[deref].kind, own);
        if operands.index != own || self.tables.flags(operands.parent).contains(InstFlags::RENAMED) {
            self.simplify_deref(inst);
            operands = DerefOperands::new(&self.shader.derefs[deref].kind, own);
        }
        let hash = cse::hash_of_deref(operands.content, self.shader.derefs[deref].ty);
        self.settle(inst, InstFlags::empty(), [operands.parent, operands.index, own], Some(hash));
    }

    #[inline(never)]
    fn simplify_deref(&mut self, inst: Inst) {
        let Walk { shader, tables, .. } = self;
        shader.map_srcs(inst, |def| tables.renamed(def));
        if self.rules.contains(Rules::CONSTANTS) {
            self.changed |= constant_fold::fold_index(self.shader, inst);
        }
    }

    fn visit_intrinsic(&mut self, inst: Inst, data: &InstData) {
        let InstKind::Intrinsic { op, srcs, indices } = data.kind else { return };
        let own = inst.def();
        let mut flags = InstFlags::empty();
        let reads = match &mut self.shader.srcs[srcs] {
            [] => [own; 3],
            [a] => {
                *a = self.tables.renamed(*a);
                [*a, own, own]
            }
            [a, b] => {
                (*a, *b) = (self.tables.renamed(*a), self.tables.renamed(*b));
                [*a, *b, own]
            }
            more => {
                more.iter_mut().for_each(|src| *src = self.tables.renamed(*src));
                flags |= InstFlags::READS_MORE;
                [own; 3]
            }
        };
        let effects = effects::of(self.shader, op, srcs, indices);
        flags.set(InstFlags::NEEDED | InstFlags::EFFECTS, !effects.contains(Effects::ELIMINATE));
        let is_equal_anywhere = effects.contains(Effects::REORDER);
        let hash = is_equal_anywhere.then(|| cse::hash_of_intrinsic(self.shader, data));
        self.settle(inst, flags, reads, hash);
    }

    /// Visits rare instructions. The common path stays small without them.
    #[inline(never)]
    fn visit_rare(&mut self, inst: Inst, data: &InstData) {
        let own = inst.def();
        match data.kind {
            InstKind::Phi(srcs) => {
                for src in &mut self.shader.phi_srcs[srcs] {
                    src.def = self.tables.renamed(src.def);
                }
                let same = copy_prop::only_operand(&self.shader.phi_srcs[srcs], own);
                if let Some(same) = same.filter(|same| self.may_be_read_instead(*same)) {
                    return self.rename(inst, same);
                }
                self.tables.phis.push(inst);
                self.settle(inst, InstFlags::READS_MORE, [own; 3], None);
            }
            InstKind::Tex(tex) => {
                let Walk { shader, tables, .. } = self;
                shader.texs[tex].srcs.iter_mut().for_each(|(_, src)| *src = tables.renamed(*src));
                let hash = cse::hash_of_tex(&self.shader.texs[tex]);
                self.settle(inst, InstFlags::READS_MORE, [own; 3], Some(hash));
            }
            InstKind::Undef => self.settle(inst, InstFlags::empty(), [own; 3], Some(cse::hash_of_undef(data))),
            _ => self.settle(inst, InstFlags::NEEDED | InstFlags::EFFECTS, [own; 3], None),
        }
    }

    /// Whether uses of copies of `def` may read `def` itself. It dominates them unless they form a cycle, which is never
    /// reached.
    fn may_be_read_instead(&self, def: Def) -> bool {
        self.rules.intersects(Rules::COPIES | Rules::ALGEBRA) && self.tables.flags(def).contains(InstFlags::STAYS)
    }

    /// Updates phis and conditions, which may read values that are defined further down.
    fn rename_later_uses(&mut self) {
        let Shader { cf, phi_srcs, insts, .. } = &mut *self.shader;
        for phi in &self.tables.phis {
            let InstKind::Phi(srcs) = insts[*phi].kind else { continue };
            phi_srcs[srcs].iter_mut().for_each(|src| src.def = self.tables.renamed(src.def));
        }
        for item in cf {
            if let Cf::If { cond, .. } = item {
                *cond = self.tables.renamed(*cond);
                self.tables.insts[cond.index()].flags |= InstFlags::NEEDED;
            }
        }
    }
}
