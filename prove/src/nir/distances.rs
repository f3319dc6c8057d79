// SPDX-License-Identifier: MIT

//! Clip and cull distances.
//!
//! GL ignores the distances that are not enabled, so NIR may leave some of them open. Vulkan uses all elements of the arrays. So here
//! each element is 0, which is inside, until it is written; after the emission of a vertex, too.

use super::Nir;
use crate::flow::Machine;
use crate::world::Space;
use ntv::analysis::distances;
use ntv::ir::Stage;
use spirv::BuiltIn;

impl Nir<'_> {
    /// The arrays of distances of which the shader writes an element, with their lengths. Those of each vertex of a patch or mesh are
    /// not among them.
    pub(super) fn find_distances(&self) -> Vec<(Space, u64)> {
        if !matches!(self.shader.stage(), Stage::Vertex | Stage::TessEval | Stage::Geometry) {
            return Vec::new();
        }
        let arrays = [BuiltIn::ClipDistance, BuiltIn::CullDistance].map(|builtin| Space::BuiltIn(builtin as u32));
        let lengths = distances::lengths(self.shader, true).map(u64::from);
        let is_written = |space: Space| self.output_cells.iter().any(|cell| cell.0 == space);
        arrays.into_iter().zip(lengths).filter(|(space, _)| is_written(*space)).collect()
    }

    /// The cells of the arrays of distances.
    pub(super) fn cells_of_distances(&self) -> impl Iterator<Item = (Space, u64)> + '_ {
        self.distances.iter().flat_map(|(space, length)| (0..*length).map(|cell| (*space, cell)))
    }

    /// Makes all distances 0.
    pub(super) fn define_distances(&self, machine: &mut Machine<'_>) {
        for (space, cell) in self.cells_of_distances() {
            let (cell, zero) = (machine.arena.constant(32, cell), machine.arena.constant(32, 0));
            let state = machine.space(space);
            let state = machine.arena.write(state, cell, zero);
            machine.set_space(space, state);
        }
    }

    /// Leaves distances of 0 open that a vertex of a stream has which is not drawn.
    pub(super) fn open_distances(&self, machine: &mut Machine<'_>, stream: u32) {
        for (space, cell) in self.cells_of_distances().filter(|_| stream != 0) {
            let (cell, state) = (machine.arena.constant(32, cell), machine.space(space));
            let distance = machine.arena.read(state, cell, 32);
            if machine.arena.as_const(distance) == Some(0) {
                let open = machine.arena.undefined(32);
                let state = machine.arena.write(state, cell, open);
                machine.set_space(space, state);
            }
        }
    }
}
