//! What kinds of instructions a shader has: how a pass knows without looking that it has nothing to do.
//!
//! Every instruction that is appended or changed is entered, none is taken out: an opcode that is not listed is nowhere in the
//! shader; one that is may be gone by now. Debug builds look after each pass whether the list is complete.

use super::{ArrayIndex, Deref, DerefId, DerefKind, Inst, InstData, InstKind, Shader};
use crate::entity::Arena;
use crate::op::{AluSet, Intrinsic, IntrinsicSet, Modes};

/// The opcodes, pointers and sizes that a shader has, or has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    alu: AluSet,
    intrinsics: IntrinsicSet,
    modes: Modes,
    /// A bit for each width of a result: 1, 8, 16, 32 and 64 are powers of two.
    widths: u8,
    has_phis: bool,
    has_textures: bool,
    has_jumps: bool,
    has_unusual_steps: bool,
    has_wide_vectors: bool,
    /// How many pointers its intrinsics take, each counted again when it changes.
    num_pointers: u32,
}

impl Inventory {
    /// Enters an instruction of a shader with these `derefs`.
    #[inline(always)]
    pub(super) fn add(&mut self, data: &InstData, derefs: &Arena<DerefId, Deref>) {
        self.add_result(data);
        match data.kind {
            InstKind::Alu { op, .. } => self.alu.insert(op),
            InstKind::Intrinsic { op, .. } => {
                self.intrinsics.insert(op);
                self.num_pointers += u32::from(op.info().pointers);
            }
            InstKind::Deref(deref) => {
                let Deref { kind, modes, .. } = derefs[deref];
                self.add_step(data, modes, is_usual_step(kind));
            }
            InstKind::Tex(_) => self.has_textures = true,
            InstKind::Phi(_) => self.has_phis = true,
            InstKind::Jump(_) => self.has_jumps = true,
            InstKind::Const(_) | InstKind::Undef => {}
        }
    }

    /// Enters a step of a pointer, of which the caller knows what it leads to.
    #[inline(always)]
    pub(super) fn add_step(&mut self, data: &InstData, modes: Modes, is_usual: bool) {
        self.add_result(data);
        self.modes |= modes;
        self.has_unusual_steps |= !is_usual;
    }

    #[inline(always)]
    fn add_result(&mut self, data: &InstData) {
        self.widths |= data.bit_size;
        self.has_wide_vectors |= data.num_components > 4;
    }

    /// True if there may be one of these ALU operations.
    pub fn has_any_alu(&self, ops: &AluSet) -> bool {
        self.alu.intersects(ops)
    }

    /// True if there may be such an intrinsic.
    pub fn has(&self, op: Intrinsic) -> bool {
        self.intrinsics.contains(op)
    }

    /// True if there may be one of these intrinsics.
    pub fn has_any(&self, ops: &[Intrinsic]) -> bool {
        ops.iter().any(|op| self.has(*op))
    }

    /// True if all intrinsics are in this set.
    pub fn has_no_other(&self, ops: &IntrinsicSet) -> bool {
        ops.has_all(&self.intrinsics)
    }

    /// True if there may be one of the intrinsics of this set.
    pub fn has_some(&self, ops: &IntrinsicSet) -> bool {
        self.intrinsics.intersects(ops)
    }

    /// The intrinsics that there may be.
    pub fn intrinsics(&self) -> impl Iterator<Item = Intrinsic> + '_ {
        self.intrinsics.iter()
    }

    /// True if there may be a pointer to memory of one of these modes.
    pub fn has_derefs(&self, modes: Modes) -> bool {
        self.modes.intersects(modes)
    }

    /// True if there may be a result of this width.
    pub fn has_width(&self, bits: u8) -> bool {
        self.widths & bits != 0
    }

    /// True if there may be a phi.
    pub fn has_phis(&self) -> bool {
        self.has_phis
    }

    /// True if there may be a texture operation.
    pub fn has_textures(&self) -> bool {
        self.has_textures
    }

    /// True if there may be a step of a pointer other than to a variable, a member, or an element the number of which is known:
    /// where there is none, no value names an element.
    pub fn has_unusual_steps(&self) -> bool {
        self.has_unusual_steps
    }

    /// How many pointers its intrinsics take, if none has changed since it was made.
    pub fn num_pointers(&self) -> usize {
        self.num_pointers as usize
    }

    /// True if there may be a jump.
    pub fn has_jumps(&self) -> bool {
        self.has_jumps
    }

    /// True if there may be a vector of more than four components.
    pub fn has_wide_vectors(&self) -> bool {
        self.has_wide_vectors
    }

    /// True if `inst` of `shader` is entered; what the check of debug builds looks at.
    pub fn lists(&self, shader: &Shader, inst: Inst) -> bool {
        let mut with = *self;
        with.add(&shader.insts[inst], &shader.derefs);
        with.num_pointers = self.num_pointers;
        with == *self
    }
}

#[inline(always)]
fn is_usual_step(kind: DerefKind) -> bool {
    matches!(kind, DerefKind::Var(_) | DerefKind::Struct { .. } | DerefKind::Array { index: ArrayIndex::Imm(_), .. })
}
