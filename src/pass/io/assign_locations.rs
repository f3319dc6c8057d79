// SPDX-License-Identifier: MIT

//! Gives inputs and outputs without a Location of their own one.
//!
//! **What.** If two variables of one direction have the same Location and component, or the directive `// ntv: locations=slots`
//! says that no variable has a Location of its own, every variable of that direction that is not a built-in gets the Location
//! of its slot, by the rule of [`lower_io`](super::lower_io).
//!
//! **Why.** The driver assigns Locations when it links. An earlier dump has numbers there that do not match those of the next
//! stage, or 0; Vulkan requires them to be distinct and to match ("Shader Interfaces", on the assignment of Locations and on
//! interface matching). Dumps of zink 22.3 are earlier, so reading one sets the directive. Patches have Locations of their own:
//! one of them may have the Location of a variable of vertices.
//!
//! Mesa's reader of SPIR-V assigns no Location: it makes a slot of each. With `locations=spirv`, the Location is that of the module.
//!
//! The attributes of a vertex shader, and slots for which the rule gives the same Location, get consecutive Locations in the
//! order of their slots. Colour outputs stay: they have the number of their attachment.
//!
//! Before:
//!
//! ```text
//! decl_var shader_out INTERP_MODE_SMOOTH none vec4 a (VARYING_SLOT_VAR0.xyzw, 0, 0)
//! decl_var shader_out INTERP_MODE_SMOOTH none vec4 b (VARYING_SLOT_VAR1.xyzw, 0, 0)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var shader_out INTERP_MODE_SMOOTH none vec4 a (VARYING_SLOT_VAR0.xyzw, 0, 0)
//! decl_var shader_out INTERP_MODE_SMOOTH none vec4 b (VARYING_SLOT_VAR1.xyzw, 1, 0)
//! ```

use crate::ir::{Directive, Shader, Stage, Var, VarFlags};
use crate::location;
use crate::op::names::{varying, vert_attrib, SlotKind};
use crate::op::slots::location;
use crate::op::{slots, Facts, Modes};
use crate::pass::{Context, Pass};
use std::ops::Range;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "assign_locations",
    about: "gives inputs and outputs that share a Location one each",
    facts: Facts::SHARED_LOCATIONS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let inputs = assign(shader, Modes::SHADER_IN);
    let outputs = assign(shader, Modes::SHADER_OUT);
    inputs || outputs
}

fn assign(shader: &mut Shader, mode: Modes) -> bool {
    let kind = shader.stage().slot_kind(mode == Modes::SHADER_OUT);
    if kind == SlotKind::FragResult {
        // Colour outputs keep the number of their attachment.
        return false;
    }
    let fragment_input = shader.stage() == Stage::Fragment && mode == Modes::SHADER_IN;
    let is_user = |shader: &Shader, var: &Var| {
        let v = &shader.vars[*var];
        v.mode == mode && v.location.is_some_and(|slot| slots::builtin(kind, slot, fragment_input).is_none())
    };
    if shader.info.says(Directive::SlotsOfLocations) {
        return restore(shader, kind, mode);
    }
    let unlinked = kind.is_varying() && shader.info.says(Directive::LocationsOfSlots);
    shader.with_spare(|shader, LocationTables { vars, extents }: &mut LocationTables| {
        vars.clear();
        vars.extend(shader.vars.ids().filter(|var| is_user(shader, var)));
        vars.sort_unstable_by_key(|var| (shader.vars[*var].location, *var));
        let claimed = |shader: &Shader, var: &Var| shader.vars[*var].driver_location;
        if !unlinked && !overlap(shader, vars, extents, claimed) {
            return false;
        }
        let by_slot = |shader: &Shader, var: &Var| location(kind, shader.vars[*var].location.unwrap_or(0), 0);
        if kind == SlotKind::VertAttrib || overlap(shader, vars, extents, by_slot) {
            // Consecutive Locations, in the order of the slots.
            let mut next = 0;
            for var in vars {
                shader.vars[*var].driver_location = next;
                next += shader.num_slots(*var);
            }
            return true;
        }
        for var in vars {
            shader.vars[*var].driver_location = by_slot(shader, var);
        }
        true
    })
}

/// Gives each input or output the Location of which vtn made its slot.
fn restore(shader: &mut Shader, kind: SlotKind, mode: Modes) -> bool {
    let first = |slot: u32| match kind {
        SlotKind::VertAttrib => vert_attrib::GENERIC0,
        _ if slot >= varying::PATCH0 => varying::PATCH0,
        _ => varying::VAR0,
    };
    let mut changed = false;
    for variable in shader.vars.values_mut().filter(|variable| variable.mode == mode) {
        let location = variable.location.and_then(|slot| slot.checked_sub(first(slot)));
        changed |=
            location.is_some_and(|location| std::mem::replace(&mut variable.driver_location, location) != location);
    }
    changed
}

/// Tables that are kept for the next shader.
#[derive(Debug, Default)]
struct LocationTables {
    /// Inputs or outputs of the user, by slot.
    vars: Vec<Var>,
    extents: Vec<Extent>,
}

/// The components that a variable uses.
#[derive(Clone, Debug)]
struct Extent {
    locations: Range<u32>,
    /// The first word and the number of words of its vectors: all of a Location for a struct.
    vector: (u32, u32),
    /// The index for dual-source blending, and whether it is of a patch: these have separate Locations.
    apart: (u32, bool),
}

impl Extent {
    fn new(shader: &Shader, var: Var, first: u32) -> Extent {
        let v = &shader.vars[var];
        let vector = match shader.types.vector_words(v.ty) {
            Some(words) => (v.location_frac.into(), words),
            None => (0, location::WORDS),
        };
        let locations = first..first.saturating_add(shader.num_slots(var));
        Extent { locations, vector, apart: (v.index, v.flags.contains(VarFlags::PATCH)) }
    }

    /// The words that it uses in a Location that it has.
    fn mask(&self, location: u32) -> u32 {
        location::mask(self.vector.0, self.vector.1, location - self.locations.start)
    }

    /// Whether both use a component of a Location. The vectors of a variable are alike, and have at most two Locations.
    fn overlaps(&self, other: &Extent) -> bool {
        let first = self.locations.start.max(other.locations.start);
        let end = self.locations.end.min(other.locations.end).min(first.saturating_add(2));
        self.apart == other.apart && (first..end).any(|location| self.mask(location) & other.mask(location) != 0)
    }
}

/// Whether two of `vars` share a Location and a component.
fn overlap(shader: &Shader, vars: &[Var], extents: &mut Vec<Extent>, first: impl Fn(&Shader, &Var) -> u32) -> bool {
    extents.clear();
    extents.extend(vars.iter().map(|var| Extent::new(shader, *var, first(shader, var))));
    extents.iter().enumerate().any(|(i, a)| extents[..i].iter().any(|b| a.overlaps(b)))
}
