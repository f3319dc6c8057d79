// SPDX-License-Identifier: MIT

//! Locations: two inputs or two outputs must not share a component of a location (Vulkan 15.1.5,
//! VUID-StandaloneSpirv-OpEntryPoint-08721).
//!
//! Drivers assign locations without overlap; a dump may have any.

use super::{unsupported, Emit, Result};
use crate::error::Error;
use crate::ir::{Stage, Type, VarFlags, Variable};
use crate::location;
use crate::op::{AluType, Modes};
use spirv::StorageClass;

/// The most locations of one variable; devices have far fewer.
pub(super) const MAX_LOCATIONS: u32 = 1024;

/// A bit for each used component, by location: four bits for each class, patch, and blend index, which have separate numbers.
#[derive(Debug)]
pub(super) struct Locations {
    taken: Vec<u32>,
}

impl Default for Locations {
    fn default() -> Locations {
        Locations { taken: vec![0; Locations::FEW] }
    }
}

/// The locations that a variable uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    /// The number of locations.
    pub(super) count: u32,
    /// The number of words of its vectors; 4 for a struct, whose members may differ.
    pub(super) words: u32,
}

impl Locations {
    /// The number of locations that suffices for most shaders.
    const FEW: usize = 32;

    pub(super) fn clear(&mut self) {
        self.taken.truncate(Locations::FEW);
        self.taken[..Locations::FEW].fill(0);
    }

    /// The first location that no output uses.
    pub(super) fn first_free_output(&self) -> u32 {
        let outputs = 0xffff << 16;
        self.taken.iter().position(|taken| taken & outputs == 0).unwrap_or(self.taken.len()) as u32
    }

    /// Marks components of a location as used. False if one of them was used already.
    fn take(&mut self, location: u32, components: u32) -> bool {
        let at = location as usize;
        if at >= self.taken.len() {
            self.taken.resize(at + 1, 0);
        }
        let free = self.taken[at] & components == 0;
        self.taken[at] |= components;
        free
    }
}

impl Emit<'_> {
    /// Marks the components of an input or output at `location` as used.
    pub(super) fn take_locations(
        &mut self,
        variable: &Variable,
        class: StorageClass,
        location: u32,
        Located { count, words }: Located,
    ) -> Result<()> {
        if count > MAX_LOCATIONS || location > MAX_LOCATIONS {
            return Err(unsupported(format_args!("a variable of {count} locations from {location} on")));
        }
        let first = u32::from(variable.location_frac);
        if first + words.min(location::WORDS) > location::WORDS {
            return Err(unsupported(format_args!("a variable of {words} components from {first} on")));
        }
        let apart = [class == StorageClass::Output, variable.flags.contains(VarFlags::PATCH), variable.index != 0];
        let [output, patch, second] = apart.map(u32::from);
        let class = location::WORDS * (4 * output + 2 * patch + second);
        for slot in 0..count {
            let mask = location::mask(first, words, slot) << class;
            if !self.state.locations.take(location + slot, mask) {
                return Err(shared(location + slot));
            }
        }
        Ok(())
    }

    /// The type that determines the locations: without the array of vertices.
    fn located_type(&self, variable: &Variable) -> Type {
        match self.shader.types.as_array(variable.ty) {
            Some((vertex, _)) if !variable.flags.contains(VarFlags::PATCH) && self.is_per_vertex(variable.mode) => {
                vertex
            }
            _ => variable.ty,
        }
    }

    /// The locations that a variable uses.
    pub(super) fn located(&self, variable: &Variable) -> Located {
        let (types, ty) = (&self.shader.types, self.located_type(variable));
        if let Some((AluType { bits: 8..=32, .. }, n @ 1..=4)) = types.as_vector(ty) {
            return Located { count: 1, words: n.into() };
        }
        Located { count: types.slots(ty), words: types.vector_words(ty).unwrap_or(location::WORDS) }
    }

    /// True if inputs or outputs of this stage are arrays with one element per vertex or primitive.
    fn is_per_vertex(&self, mode: Modes) -> bool {
        match self.shader.stage() {
            Stage::TessCtrl => true,
            Stage::TessEval | Stage::Geometry => mode == Modes::SHADER_IN,
            Stage::Mesh => mode == Modes::SHADER_OUT,
            _ => false,
        }
    }
}

#[cold]
fn shared(location: u32) -> Box<Error> {
    unsupported(format_args!("more than one variable at location {location}"))
}
