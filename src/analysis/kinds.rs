//! The instructions of a shader by kind, each kind in program order.
//!
//! A walk that asks each instruction what it is takes another way at every second one, which processors cannot foresee and
//! which costs more than all else that such a walk does. The lists are made without asking: each instruction is written to the
//! end of the list of its kind.

use crate::entity::Id;
use crate::ir::{Inst, InstKind, Shader};

/// The kinds of instructions.
const KINDS: usize = 8;

/// Lists of the instructions of a shader, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// A part for each kind, as long as all instructions.
    insts: Vec<Inst>,
    part: usize,
    counts: [usize; KINDS],
}

impl Kinds {
    /// Lists the instructions of another shader.
    pub(super) fn list(&mut self, shader: &Shader) {
        self.part = shader.order.len();
        self.counts = [0; KINDS];
        if self.insts.len() < self.part * KINDS {
            self.insts.resize(self.part * KINDS, Inst::from_index(0));
        }
        for inst in &shader.order {
            let kind = number(&shader.insts[*inst].kind);
            self.insts[kind * self.part + self.counts[kind]] = *inst;
            self.counts[kind] += 1;
        }
    }

    /// The ALU instructions.
    pub(super) fn alu(&self) -> &[Inst] {
        self.of(0)
    }

    /// The constants.
    pub(super) fn consts(&self) -> &[Inst] {
        self.of(1)
    }

    /// The undefined values.
    pub(super) fn undefs(&self) -> &[Inst] {
        self.of(2)
    }

    /// The phis.
    pub(super) fn phis(&self) -> &[Inst] {
        self.of(3)
    }

    /// The derefs.
    pub(super) fn derefs(&self) -> &[Inst] {
        self.of(4)
    }

    /// The intrinsics.
    pub(super) fn intrinsics(&self) -> &[Inst] {
        self.of(5)
    }

    /// The texture operations.
    pub(super) fn texs(&self) -> &[Inst] {
        self.of(6)
    }

    fn of(&self, kind: usize) -> &[Inst] {
        &self.insts[kind * self.part..][..self.counts[kind]]
    }
}

/// The number of a kind: as they are declared, so that nothing is compared.
#[inline(always)]
fn number(kind: &InstKind) -> usize {
    match kind {
        InstKind::Alu { .. } => 0,
        InstKind::Const(_) => 1,
        InstKind::Undef => 2,
        InstKind::Phi(_) => 3,
        InstKind::Deref(_) => 4,
        InstKind::Intrinsic { .. } => 5,
        InstKind::Tex(_) => 6,
        InstKind::Jump(_) => 7,
    }
}
