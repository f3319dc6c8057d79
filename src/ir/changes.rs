//! Changes of program order that are decided before it is made anew, by instruction.
//!
//! A pass that changes few instructions, and knows them, notes what becomes of each and has all done at once: nothing is asked
//! of the others, as a [walk](super::rewrite()) does.

use super::{Cf, Inst, Shader};
use crate::entity::SideTable;

/// What becomes of instructions.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    of: SideTable<Inst, Change>,
    /// How many come in front of others.
    more: usize,
}

/// What becomes of one.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    goes: bool,
    front: Option<Inst>,
}

impl Changes {
    /// Nothing is to change in `shader`.
    pub fn reset(&mut self, shader: &Shader) {
        self.of.reset(shader.num_defs());
        self.more = 0;
    }

    /// Lets `inst` go. Returns false if it went already.
    pub fn remove(&mut self, inst: Inst) -> bool {
        !std::mem::replace(&mut self.of.entry(inst).goes, true)
    }

    /// Lets `inst` stay after all.
    pub fn keep(&mut self, inst: Inst) {
        self.of.entry(inst).goes = false;
    }

    /// Puts `new`, which is in no block, in front of `inst`. There is room for one.
    pub fn insert_before(&mut self, inst: Inst, new: Inst) {
        self.of.entry(inst).front = Some(new);
        self.more += 1;
    }
}

impl Shader {
    /// Makes the changes.
    pub fn change_order(&mut self, changes: &Changes) {
        if changes.more == 0 {
            self.retain(|inst| !changes.of[inst].goes);
            return;
        }
        let Shader { cf, blocks, order, scratch, .. } = self;
        let old = &mut scratch.order;
        std::mem::swap(order, old);
        let Some(any) = old.first().copied() else { return };
        // One more, as what goes is written and then overwritten.
        order.resize(old.len() + changes.more + 1, any);
        let mut to = 0;
        for item in cf.iter() {
            let Cf::Block(block) = *item else { continue };
            let range = &mut blocks[block];
            let insts = &old[range.start as usize..range.end as usize];
            range.start = to as u32;
            for inst in insts {
                let Change { goes, front } = changes.of[*inst];
                if let Some(front) = front {
                    order[to] = front;
                    to += 1;
                }
                order[to] = *inst;
                to += usize::from(!goes);
            }
            range.end = to as u32;
        }
        order.truncate(to);
    }
}
