//! A quick look at the whole shader, which tells what has to be looked at closely.
//!
//! In nearly all shaders every value is used behind its definition, in the same body or in one within it, where every way has
//! passed it:
//!
//! ```text
//! 32  %0 = ...            the body of the function
//! if ... {
//!     32  %1 = fneg %0    sees %0
//! } else {
//!     32  %2 = fneg %1    does not see %1, the body of which is closed
//! }
//! ```
//!
//! One walk finds that out, by the bodies that are open. It takes no dominators; only other uses need those, and phis.

use super::ssa;
use crate::entity::SideTable;
use crate::ir::{Block, Cf, Def, Inst, InstData, InstKind, Shader};
use crate::op::Intrinsic;

/// What the walk finds, and its memory.
#[derive(Debug, Default)]
pub(super) struct Glance {
    /// An instruction stands in the shader more than once.
    pub(super) has_twins: bool,
    pub(super) has_jumps: bool,
    pub(super) has_phis: bool,
    /// A register is declared behind the first block.
    pub(super) has_stray_registers: bool,
    /// Something may be wrong with the use of a value, other than by phis.
    pub(super) has_odd_uses: bool,
    /// Where each instruction stands.
    places: SideTable<Inst, Place>,
    /// By place, whether what stands there is seen.
    is_open: Vec<bool>,
    /// The bodies around this place.
    around: Vec<Place>,
}

/// A body by its number, or one of the places below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place(u32);

/// Not in the shader, or further down.
const NOWHERE: Place = Place(0);
/// That of instructions that make no value, and of registers that are not where they belong.
const UNSEEN: Place = Place(1);
/// That of registers of the first block, which only their accesses see.
const REGISTERS: Place = Place(2);

impl Glance {
    /// Looks at `shader`, the control flow list of which is sound; calls `visit` for each instruction.
    pub(super) fn look(&mut self, shader: &Shader, mut visit: impl FnMut(Inst, &InstData)) {
        self.clear(shader);
        self.begin();
        for (at, item) in shader.cf.iter().enumerate() {
            match *item {
                Cf::Block(block) => self.look_at_block(shader, block, at == 0, &mut visit),
                Cf::If { cond, .. } => {
                    let def = shader.def(cond);
                    self.has_odd_uses |= !self.sees(cond) || (def.num_components, def.bit_size) != (1, 1);
                    self.begin();
                }
                Cf::Loop => self.begin(),
                Cf::Else | Cf::Continue => {
                    self.end();
                    self.begin();
                }
                Cf::EndIf | Cf::EndLoop => self.end(),
            }
        }
        // A value that is made twice counts where it is made last.
        self.has_odd_uses |= self.has_twins;
    }

    fn clear(&mut self, shader: &Shader) {
        (self.has_twins, self.has_jumps, self.has_phis) = (false, false, false);
        (self.has_stray_registers, self.has_odd_uses) = (false, false);
        self.places.reset(shader.insts.len());
        self.around.clear();
        self.is_open.clear();
        self.is_open.resize(3, false);
    }

    fn begin(&mut self) {
        self.around.push(Place(self.is_open.len() as u32));
        self.is_open.push(true);
    }

    fn end(&mut self) {
        if let Some(body) = self.around.pop() {
            self.is_open[body.0 as usize] = false;
        }
    }

    #[inline]
    fn look_at_block(
        &mut self,
        shader: &Shader,
        block: Block,
        is_first: bool,
        visit: &mut impl FnMut(Inst, &InstData),
    ) {
        let body = self.around.last().copied().unwrap_or(NOWHERE);
        let mut in_phis = true;
        for inst in shader.block_insts(block) {
            let data = &shader.insts[*inst];
            let mut place = if data.has_def() { body } else { UNSEEN };
            match data.kind {
                InstKind::Phi(_) => {
                    self.has_phis = true;
                    self.has_odd_uses |= !in_phis;
                }
                _ => {
                    in_phis = false;
                    let mut sees_all = true;
                    shader.for_each_src_of(&data.kind, |def| sees_all &= self.sees(def));
                    if !sees_all {
                        self.has_odd_uses |= !self.accesses_registers(shader, *inst);
                    }
                }
            }
            match data.kind {
                InstKind::Jump(_) => self.has_jumps = true,
                InstKind::Intrinsic { op: Intrinsic::decl_reg, .. } => {
                    self.has_stray_registers |= !is_first;
                    place = if is_first && data.has_def() { REGISTERS } else { UNSEEN };
                }
                _ => {}
            }
            let before = std::mem::replace(self.places.entry(*inst), place);
            self.has_twins |= before != NOWHERE;
            visit(*inst, data);
        }
    }

    /// Whether every way to this place has passed the definition of `def`.
    fn sees(&self, def: Def) -> bool {
        self.is_open[self.places[def.inst()].0 as usize]
    }

    /// Whether what `user` does not see are registers of the first block, and it is a read or write of one.
    fn accesses_registers(&self, shader: &Shader, user: Inst) -> bool {
        let mut known = true;
        shader.for_each_src(user, |def| known &= self.sees(def) || self.places[def.inst()] == REGISTERS);
        known && ssa::accesses_register(shader, user)
    }
}
