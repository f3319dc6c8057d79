// SPDX-License-Identifier: MIT

//! Removes instructions whose results have no uses.
//!
//! **What.** A value is needed if an instruction with effects, the condition of an if, or another needed instruction
//! reads it; a phi that only feeds itself around a loop is not.
//!
//! **Why.** NIR has no such instructions, but passes leave them: the offset of a load that became a deref, a vector of which
//! one component was read.
//!
//! Before:
//!
//! ```text
//! 32     %2 = iadd %1, %1
//! 32     %3 = imul %1, %1
//! @store_ssbo (%3, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %1 = @load_local_invocation_index
//! 32    %2 = imul %1, %1
//! @store_ssbo (%2, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
//! ```

use super::walk_tables::{InstFlags, InstState, WalkTables};
use crate::entity::Id;
use crate::ir::{Cf, Inst, Shader};

/// Marks the instructions that are needed.
pub(super) fn find_needed(shader: &Shader, tables: &mut WalkTables) {
    let (insts, late) = (tables.insts.as_mut_slice(), &mut tables.phis);
    late.clear();
    // Backwards: uses are visited before the values that they use, except for phis of loops.
    for inst in shader.order.iter().rev() {
        let InstState { reads, flags } = insts[inst.index()];
        for read in reads {
            insts[read.index()].flags |= flags & InstFlags::NEEDED;
        }
        if flags.contains(InstFlags::NEEDED | InstFlags::READS_MORE) {
            read_all(shader, insts, *inst, late);
        }
    }
    while let Some(inst) = late.pop() {
        read_all(shader, insts, inst, late);
    }
}

/// Clears the marks of [`find_needed`], because some of the control flow was removed.
pub(super) fn forget_needs(shader: &Shader, tables: &mut WalkTables) {
    let insts = tables.insts.as_mut_slice();
    for inst in &shader.order {
        let flags = &mut insts[inst.index()].flags;
        flags.set(InstFlags::NEEDED, flags.contains(InstFlags::EFFECTS));
    }
    for item in &shader.cf {
        if let Cf::If { cond, .. } = item {
            insts[cond.index()].flags |= InstFlags::NEEDED;
        }
    }
}

/// Marks all values that `inst` reads. Sources of phis are marked later, because the walk may have passed them: a phi may read
/// a value that is defined after it.
fn read_all(shader: &Shader, insts: &mut [InstState], inst: Inst, late: &mut Vec<Inst>) {
    shader.for_each_src(inst, |def| {
        let flags = &mut insts[def.index()].flags;
        if !flags.contains(InstFlags::NEEDED) {
            flags.insert(InstFlags::NEEDED);
            late.push(def.inst());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Cf, Def, InstKind, PhiSrc};
    use crate::op::{AluOp, Intrinsic};
    use crate::pass::opt::clean_up::{run_rules, Rules};

    fn store(b: &mut Builder<'_>, value: Def) -> Inst {
        let zero = b.imm32(0);
        b.intrinsic(Intrinsic::store_output, 0, 0, &[value, zero])
    }

    #[test]
    fn chains_without_uses_are_removed() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let sum = b.iadd(x, x);
        b.alu(AluOp::imul, &[sum, x]);
        let stored = store(&mut b, x);
        assert!(run_rules(&mut shader, Rules::UNREAD));
        assert_eq!(shader.order.len(), 3, "x, the offset and the store");
        assert_eq!(shader.order.last(), Some(&stored));
        assert!(!run_rules(&mut shader, Rules::UNREAD));
    }

    #[test]
    fn phis_that_only_use_themselves_are_removed() {
        let mut shader = Shader::default();
        let entry = shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        b.shader.append_cf(Cf::Loop);
        let body = b.shader.append_new_block();
        let phi = b.phi(1, 32, &[PhiSrc { pred: entry, def: x }, PhiSrc { pred: body, def: x }]);
        let next = b.iadd_imm(phi, 1);
        let InstKind::Phi(srcs) = b.shader.insts[phi.inst()].kind else { unreachable!() };
        b.shader.phi_srcs[srcs][1].def = next;
        b.shader.append_cf(Cf::EndLoop);
        b.shader.append_new_block();
        assert!(run_rules(&mut shader, Rules::UNREAD));
        assert!(shader.order.is_empty());
    }

    #[test]
    fn conditions_and_volatile_loads_stay() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let volatile = crate::op::Access::VOLATILE.bits();
        let indices = [(crate::op::Index::access, volatile)];
        b.intrinsic_with(Intrinsic::load_ssbo, 1, 32, &[x, x], &indices);
        let cond = b.alu(AluOp::ieq, &[x, x]);
        b.begin_if(cond);
        b.begin_else();
        b.end_if();
        assert!(!run_rules(&mut shader, Rules::UNREAD));
    }
}
