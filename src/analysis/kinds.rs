//! The instructions of a shader by kind, each kind in program order.
//!
//! A walk that asks each instruction what it is takes another way at every second one, which processors cannot foresee and
//! which costs more than all else that such a walk does. The lists are made without asking: each instruction is written to the
//! end of the list of its kind.

use crate::ir::{Inst, InstKind, Shader};

/// The kinds of instructions.
const KINDS: usize = 8;

/// Lists of the instructions of a shader, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds([Vec<Inst>; KINDS]);

impl Kinds {
    /// Lists the instructions of another shader.
    pub(super) fn list(&mut self, shader: &Shader) {
        self.0.iter_mut().for_each(Vec::clear);
        for inst in &shader.order {
            self.0[number(&shader.insts[*inst].kind)].push(*inst);
        }
    }

    /// The ALU instructions.
    pub(super) fn alu(&self) -> &[Inst] {
        &self.0[0]
    }

    /// The constants.
    pub(super) fn consts(&self) -> &[Inst] {
        &self.0[1]
    }

    /// The undefined values.
    pub(super) fn undefs(&self) -> &[Inst] {
        &self.0[2]
    }

    /// The phis.
    pub(super) fn phis(&self) -> &[Inst] {
        &self.0[3]
    }

    /// The derefs.
    pub(super) fn derefs(&self) -> &[Inst] {
        &self.0[4]
    }

    /// The intrinsics.
    pub(super) fn intrinsics(&self) -> &[Inst] {
        &self.0[5]
    }

    /// The texture operations.
    pub(super) fn texs(&self) -> &[Inst] {
        &self.0[6]
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
