//! The instructions of a shader by kind, each kind in program order.
//!
//! A walk that asks each instruction what it is takes another way at every second one, which processors cannot foresee and
//! which costs more than all else that such a walk does. The list is made without asking: the instructions of each kind are
//! counted, so that each can be written to where its kind has got to.

use crate::entity::Id;
use crate::ir::{Inst, InstKind, Shader};

/// Lists where in the order of a shader the intrinsics are: without asking, too.
pub(crate) fn list_intrinsics(shader: &Shader, places: &mut Vec<u32>) {
    list_some(shader, places, |kind| matches!(kind, InstKind::Intrinsic { .. }), |at, _| at as u32);
}

/// Lists the intrinsics and the texture operations of a shader in the same way.
pub(crate) fn list_intrinsics_and_texs(shader: &Shader, insts: &mut Vec<Inst>) {
    list_some(shader, insts, |kind| matches!(kind, InstKind::Intrinsic { .. } | InstKind::Tex(_)), |_, inst| inst);
}

/// Lists what `entry` makes of the place and the instruction of those that are `listed`.
#[inline(always)]
fn list_some<T: Copy>(
    shader: &Shader,
    list: &mut Vec<T>,
    listed: impl Fn(&InstKind) -> bool,
    entry: impl Fn(usize, Inst) -> T,
) {
    list.resize(shader.order.len(), entry(0, Inst::from_index(0)));
    let mut count = 0;
    for (at, inst) in shader.order.iter().enumerate() {
        list[count] = entry(at, *inst);
        count += usize::from(listed(&shader.insts[*inst].kind));
    }
    list.truncate(count);
}

/// The instructions of a shader, by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    /// As long as the longest order so far.
    sorted: Vec<Inst>,
    /// Behind the last of each kind, by its number.
    ends: [usize; InstKind::COUNT],
}

impl Kinds {
    /// Lists the instructions of another shader.
    pub(crate) fn list(&mut self, shader: &Shader) {
        let kind = |inst: &Inst| shader.insts[*inst].kind.number();
        let mut next = [0; InstKind::COUNT];
        shader.order.iter().for_each(|inst| next[kind(inst)] += 1);
        let mut start = 0;
        for next in &mut next {
            (*next, start) = (start, start + *next);
        }
        let len = shader.order.len();
        if self.sorted.len() < len {
            self.sorted.resize(len, Inst::from_index(0));
        }
        for inst in &shader.order {
            let at = &mut next[kind(inst)];
            self.sorted[*at] = *inst;
            *at += 1;
        }
        self.ends = next;
    }

    /// Those of the kinds from one number to another.
    fn of(&self, first: usize, last: usize) -> &[Inst] {
        let start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.sorted[start..self.ends[last]]
    }

    /// The ALU instructions.
    pub(crate) fn alu(&self) -> &[Inst] {
        self.of(0, 0)
    }

    /// The constants.
    pub(crate) fn consts(&self) -> &[Inst] {
        self.of(1, 1)
    }

    /// The derefs.
    pub(crate) fn derefs(&self) -> &[Inst] {
        self.of(2, 2)
    }

    /// The intrinsics.
    pub(crate) fn intrinsics(&self) -> &[Inst] {
        self.of(3, 3)
    }

    /// All that are none of these.
    pub(crate) fn others(&self) -> &[Inst] {
        self.of(4, InstKind::COUNT - 1)
    }
}
