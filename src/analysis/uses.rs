// SPDX-License-Identifier: MIT

//! The uses of values: counts, and the users.
//!
//! The condition of an if is a use like a source of an instruction. An instruction that uses a value twice counts twice and
//! is listed twice.

use crate::entity::{Id, SideTable};
use crate::ir::{Block, Cf, Def, Inst, Shader};

/// A user of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// A source of this instruction.
    Inst(Inst),
    /// The condition of the if after this block.
    If(Block),
}

/// The number of uses of each value by the instructions and conditions of the program order.
pub fn use_counts(shader: &Shader) -> SideTable<Def, u32> {
    let mut counts = shader.def_table(0);
    for_each_use(shader, |def, _| *counts.entry(def) += 1);
    counts
}

/// The users of every value. It is not updated when the shader changes.
#[derive(Clone, Debug)]
pub struct Uses {
    /// The users of each value are a run of `users`.
    runs: SideTable<Def, (u32, u32)>,
    users: Vec<User>,
}

impl Uses {
    /// The users of all values of `shader`.
    pub fn new(shader: &Shader) -> Uses {
        let counts = use_counts(shader);
        let mut runs = shader.def_table((0, 0));
        let mut total = 0;
        for def in (0..shader.num_defs()).map(Def::from_index) {
            runs.set(def, (total, total));
            total += counts[def];
        }
        let mut users = vec![User::Inst(Inst::from_index(0)); total as usize];
        for_each_use(shader, |def, user| {
            let run = runs.entry(def);
            users[run.1 as usize] = user;
            run.1 += 1;
        });
        Uses { runs, users }
    }

    /// The users of `def` in program order, with phis at their own position.
    pub fn of(&self, def: Def) -> &[User] {
        let (start, end) = self.runs[def];
        &self.users[start as usize..end as usize]
    }

    /// The number of uses of `def`.
    pub fn count(&self, def: Def) -> usize {
        self.of(def).len()
    }
}

fn for_each_use(shader: &Shader, mut visit: impl FnMut(Def, User)) {
    let mut block = None;
    for item in &shader.cf {
        match *item {
            Cf::Block(next) => {
                block = Some(next);
                for inst in shader.block_insts(next) {
                    shader.for_each_src(*inst, |def| visit(def, User::Inst(*inst)));
                }
            }
            Cf::If { cond, .. } => block.into_iter().for_each(|block| visit(cond, User::If(block))),
            Cf::Else | Cf::EndIf | Cf::Loop | Cf::Continue | Cf::EndLoop => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builder;
    use crate::op::AluOp;

    #[test]
    fn sources_and_conditions_are_uses() {
        let mut shader = Shader::default();
        let entry = shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let sum = b.alu(AluOp::iadd, &[x, x]);
        let cond = b.undef(1, 1);
        b.begin_if(cond);
        b.begin_else();
        b.end_if();
        let uses = Uses::new(&shader);
        assert_eq!(uses.of(x), [User::Inst(sum.inst()); 2]);
        assert_eq!(uses.of(cond), [User::If(entry)]);
        assert_eq!(uses.count(sum), 0);
        assert_eq!(use_counts(&shader)[x], 2);
    }
}
