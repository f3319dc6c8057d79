//! Instructions whose results nobody reads are removed.
//!
//! **What.** A value is needed if an instruction with effects, the condition of an if, or another needed instruction
//! reads it; a phi that only feeds itself around a loop is not.
//!
//! **Why.** NIR arrives without such instructions, but the passes leave them: the offset of a load that became a
//! pointer, a vector of which one component was read.
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

use super::effects::can_eliminate;
use super::{Context, Forms, Pass};
use crate::entity::Id;
use crate::ir::{Cf, Def, Inst, Shader};

/// The pass.
pub const PASS: Pass =
    Pass { name: "dce", about: "removes instructions whose results nobody reads", removes: Forms::empty(), run };

fn run(shader: &mut Shader, _context: &Context) -> bool {
    shader.with_spare(|shader, memory: &mut Memory| {
        memory.find_needed(shader) && shader.retain(|inst| memory.need[inst.index()] == Need::Needed)
    })
}

/// What is known of an instruction on the way back from the end.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    /// Nothing yet.
    Unknown,
    /// It was reached, and nothing behind it needs it.
    NotBehind,
    Needed,
}

/// What is found out, by instruction.
#[derive(Default)]
struct Memory {
    need: Vec<Need>,
    /// What a loop brings back to its head stands behind it: those that were passed before it was known that they are needed.
    behind: Vec<Inst>,
}

impl Memory {
    /// Finds the instructions that must stay: those with effects, and what they read. Backwards, uses come before what they
    /// use. Returns true if there are others.
    fn find_needed(&mut self, shader: &Shader) -> bool {
        self.need.clear();
        self.need.resize(shader.num_defs(), Need::Unknown);
        for item in &shader.cf {
            if let Cf::If { cond, .. } = item {
                self.need[cond.inst().index()] = Need::Needed;
            }
        }
        let (need, behind) = (self.need.as_mut_slice(), &mut self.behind);
        let mut needed = 0;
        for inst in shader.order.iter().rev() {
            let kind = &shader.insts[*inst].kind;
            let known = &mut need[inst.index()];
            if *known == Need::Unknown && can_eliminate(shader, kind) {
                *known = Need::NotBehind;
                continue;
            }
            *known = Need::Needed;
            needed += 1;
            shader.for_each_src_of(kind, |def| read(need, behind, def));
        }
        while let Some(inst) = behind.pop() {
            if std::mem::replace(&mut need[inst.index()], Need::Needed) != Need::Needed {
                needed += 1;
                shader.for_each_src(inst, |def| read(need, behind, def));
            }
        }
        needed != shader.order.len()
    }
}

/// Notes that something needed reads `def`.
#[inline(always)]
fn read(need: &mut [Need], behind: &mut Vec<Inst>, def: Def) {
    match &mut need[def.index()] {
        Need::NotBehind => found_late(behind, def.inst()),
        need => *need = Need::Needed,
    }
}

#[cold]
fn found_late(behind: &mut Vec<Inst>, inst: Inst) {
    behind.push(inst);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, InstKind, PhiSrc};
    use crate::op::{AluOp, Intrinsic};

    fn store(b: &mut Builder<'_>, value: Def) -> Inst {
        let zero = b.imm32(0);
        b.intrinsic(Intrinsic::store_output, 0, 0, &[value, zero])
    }

    #[test]
    fn a_chain_without_a_reader_goes() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let sum = b.iadd(x, x);
        b.alu(AluOp::imul, &[sum, x]);
        let stored = store(&mut b, x);
        assert!(run(&mut shader, &Context::default()));
        assert_eq!(shader.order.len(), 3, "x, the offset and the store");
        assert_eq!(shader.order.last(), Some(&stored));
        assert!(!run(&mut shader, &Context::default()));
    }

    #[test]
    fn a_phi_that_feeds_itself_goes() {
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
        assert!(run(&mut shader, &Context::default()));
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
        assert!(!run(&mut shader, &Context::default()));
    }
}
