// SPDX-License-Identifier: MIT

//! The order in which inputs and outputs are declared: that of their slots, inputs first.
//!
//! Compilers of GPUs store outputs, and choose registers, in the order of the declarations, and are used to this one, which is that of
//! Mesa's variables. See `docs/spirv-shapes.md`.

use super::interface::View;
use super::{Emit, Result};
use crate::ir::{DerefKind, InstKind, Var};
use crate::op::Modes;

/// What the variables are sorted by: whether it is an output, its slot, and the first component in it. The last is the variable.
pub(super) type Place = (bool, u32, u8, Var);

impl Emit<'_> {
    /// Declares the inputs and outputs that the shader reads and writes; not those of loads without a use.
    pub(super) fn declare_io(&mut self) -> Result<()> {
        let mut places = std::mem::take(&mut self.state.places);
        places.clear();
        for inst in &self.shader.order {
            match self.shader.insts[*inst].kind {
                InstKind::Deref(deref) if self.types.is_used(inst.def()) => {
                    if let DerefKind::Var(var) = self.shader.derefs[deref].kind {
                        places.extend(self.place(var));
                    }
                }
                InstKind::Intrinsic { op, .. } if op.is_by_slot() && self.types.is_needed(self.shader, *inst) => {
                    places.extend(self.slot_vars(*inst, op).filter_map(|var| self.place(var)));
                }
                _ => {}
            }
        }
        places.sort_unstable();
        places.dedup();
        let declared = places.iter().try_for_each(|(.., var)| self.root(*var, View::Whole).map(|_| ()));
        self.state.places = places;
        declared
    }

    /// The place of an input or output at a slot.
    fn place(&self, var: Var) -> Option<Place> {
        let variable = &self.shader.vars[var];
        let is_io = variable.mode.intersects(Modes::SHADER_IN | Modes::SHADER_OUT);
        let slot = variable.location.filter(|_| is_io)?;
        Some((variable.mode == Modes::SHADER_OUT, slot, variable.location_frac, var))
    }
}
