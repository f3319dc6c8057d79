// SPDX-License-Identifier: MIT

//! Clip and cull distances of mesh shaders as Mesa 26.2 makes them: each element of the arrays has a slot of its own.
//!
//! Other shaders have four elements in a slot, and so have mesh shaders after this:
//!
//! ```text
//! store_per_vertex_output ... (component=0, io location=VARYING_SLOT_CLIP_DIST1 slots=1)    before
//! store_per_vertex_output ... (component=1, io location=VARYING_SLOT_CLIP_DIST0 slots=1)    after
//! ```

use super::{Shader, Stage};
use crate::op::names::{varying, IoSemantics};
use crate::op::Index;

impl Shader {
    /// Gives the distances of a mesh shader their usual places. An array of at most four elements is enough for the first slot, so
    /// the second slot shows that each element has one. Longer arrays are as usual.
    pub(crate) fn place_mesh_distances(&mut self) {
        if self.stage() != Stage::Mesh {
            return;
        }
        let arrays = [
            (varying::CLIP_DIST0, self.info.clip_distance_array_size),
            (varying::CULL_DIST0, self.info.cull_distance_array_size),
        ];
        for at in 0..self.order.len() {
            let inst = self.order[at];
            let is_io = self.as_intrinsic(inst).is_some_and(|(op, _)| op.info().has_index(Index::io_semantics));
            let io = IoSemantics::unpack(self.index(inst, Index::io_semantics));
            let is_second = |(first, length): &(u32, u32)| io.location == first + 1 && (1..=4).contains(length);
            if let Some((first, _)) = arrays.iter().find(|array| is_io && is_second(array)) {
                let component = self.index(inst, Index::component).saturating_add(1);
                self.set_index(inst, Index::io_semantics, IoSemantics { location: *first, ..io }.pack());
                self.set_index(inst, Index::component, component);
            }
        }
    }
}
