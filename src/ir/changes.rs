// SPDX-License-Identifier: MIT

//! Changes of program order that are collected, by instruction, and made at once.
//!
//! A pass that changes few instructions, and finds them itself, notes their changes and makes all of them at once: no code runs
//! for the other instructions, as in a [walk](super::rewrite()).

use super::{Cf, Inst, Shader};
use crate::entity::SideTable;

/// The changes of instructions.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    of: SideTable<Inst, Change>,
    /// The number of inserted instructions.
    more: usize,
}

/// The change of one instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    removed: bool,
    before: Option<Inst>,
}

impl Changes {
    /// Forgets all changes, and makes room for the instructions of `shader`.
    pub fn reset(&mut self, shader: &Shader) {
        self.of.reset(shader.num_defs());
        self.more = 0;
    }

    /// Marks `inst` as removed. Returns false if it was already.
    pub fn remove(&mut self, inst: Inst) -> bool {
        !std::mem::replace(&mut self.of.entry(inst).removed, true)
    }

    /// Cancels the removal of `inst`.
    pub fn keep(&mut self, inst: Inst) {
        self.of.entry(inst).removed = false;
    }

    /// Inserts `new`, which is in no block, before `inst`. There can be only one.
    pub fn insert_before(&mut self, inst: Inst, new: Inst) {
        self.of.entry(inst).before = Some(new);
        self.more += 1;
    }
}

impl Shader {
    /// Makes the changes.
    pub fn change_order(&mut self, changes: &Changes) {
        if changes.more == 0 {
            self.retain(|inst| !changes.of[inst].removed);
            return;
        }
        let Shader { cf, blocks, order, scratch, .. } = self;
        let old = &mut scratch.order;
        std::mem::swap(order, old);
        let Some(any) = old.first().copied() else { return };
        // One more element, because removed instructions are written and then overwritten.
        order.resize(old.len() + changes.more + 1, any);
        let mut to = 0;
        for item in cf.iter() {
            let Cf::Block(block) = *item else { continue };
            let range = &mut blocks[block];
            let insts = &old[range.start as usize..range.end as usize];
            range.start = to as u32;
            for inst in insts {
                let Change { removed, before } = changes.of[*inst];
                if let Some(before) = before {
                    order[to] = before;
                    to += 1;
                }
                order[to] = *inst;
                to += usize::from(!removed);
            }
            range.end = to as u32;
        }
        order.truncate(to);
    }
}
