//! The instructions of a shader in three lists: what does arithmetic, what does something else, what does anything.
//!
//! As in [`kinds`](super::kinds), they are made without asking what an instruction is: each is written to where the next of
//! its list stands, and the next of another list takes its place there.

use crate::entity::Id;
use crate::ir::{Def, Inst, InstKind, Shader};
use crate::op::Intrinsic;

/// The instructions of a shader, by what they do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// From the front on arithmetic, from the back on others, with room between them for one more.
    sorted: Vec<Inst>,
    num_alu: usize,
    first_other: usize,
    /// Where in the order those are that do something where they stand, the first so many of these.
    active: Vec<u32>,
    num_active: usize,
}

impl Lists {
    /// Lists the instructions of another shader.
    pub(crate) fn list(&mut self, shader: &Shader) {
        let most = shader.order.len() + 1;
        if self.sorted.len() < most {
            self.sorted.resize(most, Inst::from_index(0));
            self.active.resize(most, 0);
        }
        let (sorted, active) = (&mut self.sorted[..], &mut self.active[..]);
        let (mut num_alu, mut before_others, mut num_active) = (0, sorted.len() - 1, 0);
        let steps = if shader.inventory().has_unusual_steps() { InstKind::DEREFS } else { 0 };
        let others = !InstKind::ALU & !InstKind::SILENT | steps;
        for (place, inst) in shader.order.iter().enumerate() {
            let data = &shader.insts[*inst];
            let kind = data.kind.number();
            active[num_active] = place as u32;
            num_active += usize::from(InstKind::SILENT >> kind & 1 == 0);
            sorted[before_others] = *inst;
            before_others -= usize::from(others >> kind & 1 != 0);
            sorted[num_alu] = *inst;
            num_alu += usize::from(kind == 0);
        }
        (self.num_alu, self.first_other, self.num_active) = (num_alu, before_others + 1, num_active);
    }

    /// Where in the order those are that do something where they stand: all but constants, undefined values and derefs.
    pub(crate) fn active(&self) -> &[u32] {
        &self.active[..self.num_active]
    }

    /// The ALU instructions, to change.
    pub(crate) fn alu_mut(&mut self) -> &mut [Inst] {
        &mut self.sorted[..self.num_alu]
    }

    /// All others that are active, and derefs if one may be unusual; in no order.
    pub(crate) fn others(&self) -> &[Inst] {
        &self.sorted[self.first_other..]
    }

    /// The intrinsics among the instructions of `shader`, in no order.
    pub(crate) fn intrinsics<'a>(&'a self, shader: &'a Shader) -> impl Iterator<Item = (Inst, Intrinsic, &'a [Def])> {
        self.others().iter().filter_map(|inst| {
            let (op, srcs) = shader.as_intrinsic(*inst)?;
            Some((*inst, op, srcs))
        })
    }
}
