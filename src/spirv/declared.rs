// SPDX-License-Identifier: MIT

//! The order in which inputs and outputs are declared, that of their slots, inputs first; and parts of shared memory, that of their
//! bytes.
//!
//! Compilers of GPUs store outputs, and choose registers, in the order of the declarations, and are used to this one, which is that of
//! Mesa's variables. See `docs/spirv-shapes.md`.

use super::interface::View;
use super::{Emit, Result};
use crate::ir::{DerefKind, InstKind, Var};
use crate::op::Modes;

/// What the variables are sorted by: whether it is an output, its slot, and the first component in it. The last is the variable.
pub(super) type Place = (bool, u32, u8, Var);

/// A slot after all others, for the variables of shared memory.
const OF_SHARED: u32 = u32::MAX;

impl Emit<'_> {
    /// Declares the inputs and outputs that the shader reads and writes; not those of loads without a use.
    pub(super) fn declare_io(&mut self) -> Result<()> {
        let mut places = std::mem::take(&mut self.state.places);
        places.clear();
        let shader = self.shader;
        for inst in &shader.order {
            let InstKind::Deref(deref) = shader.insts[*inst].kind else { continue };
            match shader.derefs[deref].kind {
                DerefKind::Var(var) if self.types.is_used(inst.def()) => places.extend(self.place(var)),
                _ => {}
            }
        }
        places.extend((0..self.state.slots.num_parts()).filter_map(|part| self.place(self.state.slots.var_of(part))));
        places.sort_unstable();
        places.dedup();
        // Parts of shared memory are in their order, so that tools that read the module know the bytes of each.
        let parts = places.partition_point(|(_, slot, ..)| *slot != OF_SHARED);
        if places.len() == parts + 1 || self.state.vars.are_shared_views {
            places.truncate(parts);
        }
        let declared = places.iter().try_for_each(|(.., var)| self.root(*var, View::Whole).map(|_| ()));
        self.state.places = places;
        declared
    }

    /// The place of an input or output at a slot, or of a variable of shared memory.
    fn place(&self, var: Var) -> Option<Place> {
        let variable = &self.shader.vars[var];
        if variable.mode == Modes::SHARED {
            return Some((true, OF_SHARED, 0, var));
        }
        let is_io = variable.mode.intersects(Modes::SHADER_IN | Modes::SHADER_OUT);
        let slot = variable.location.filter(|_| is_io)?;
        Some((variable.mode == Modes::SHADER_OUT, slot, variable.location_frac, var))
    }
}
