// SPDX-License-Identifier: MIT

//! The intrinsics of task and mesh shaders besides memory, inputs and outputs.

use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::meshlet::Launch;
use ntv::ir::{Def, Inst, Stage};
use ntv::op::{slots, Intrinsic};

impl Machine<'_> {
    /// `launch_mesh_workgroups`: ends the workgroup.
    pub(crate) fn launch(&mut self, inst: Inst, size: Def) {
        self.expect_all(inst);
        let first = self.active[0];
        let size = self.value(size, first).to_vec();
        if let Some(at) = size.iter().position(|count| !count.is_defined()) {
            let message = format!("the number of workgroups in {} is undefined", ["x", "y", "z"][at.min(2)]);
            self.fault(FaultKind::UndefinedOutput, inst, first, message);
        }
        let count = |at: usize| size.get(at).map_or(0, |count| count.value as u32);
        let launch = Launch { workgroups: [0, 1, 2].map(count), payload: self.payload.clone() };
        self.launched = Some(launch);
        self.end_active();
    }

    /// `set_vertex_and_primitive_count` of a mesh shader: the numbers of the first invocation count.
    pub(crate) fn set_mesh_outputs(&mut self, inst: Inst, srcs: &[Def]) {
        self.expect_all(inst);
        let (first, info) = (self.active[0], &self.shader.info);
        let limits = [(info.max_vertices_out, "vertices"), (info.max_primitives_out, "primitives")];
        let mut counts = [0; 2];
        for ((count, src), (most, what)) in counts.iter_mut().zip(srcs).zip(limits) {
            let value = self.scalar(*src, first);
            if !value.is_defined() {
                self.fault(FaultKind::UndefinedOutput, inst, first, format!("the number of {what} is undefined"));
            } else if value.value > most.into() {
                self.fault(FaultKind::OutOfBounds, inst, first, format!("{} {what} of {most}", value.value));
            }
            *count = value.value.min(most.into()) as u32;
        }
        (self.meshlet.vertices, self.meshlet.primitives) = (counts[0], counts[1]);
    }

    /// Reports an instruction that is only allowed where all invocations are together.
    fn expect_all(&mut self, inst: Inst) {
        if self.active.len() != self.running() {
            let message = format!("{} of {} invocations are here", self.active.len(), self.running());
            self.fault(FaultKind::DivergentBarrier, inst, self.active[0], message);
        }
    }

    /// One past the last vertex or primitive that an output of a mesh shader has; other stages have no such limit.
    pub(crate) fn vertex_end(&self, op: Intrinsic, slot: u32) -> u64 {
        use Intrinsic::{load_per_primitive_output, store_per_primitive_output};
        let info = &self.shader.info;
        match self.shader.stage() {
            Stage::Mesh if matches!(op, load_per_primitive_output | store_per_primitive_output) => {
                info.max_primitives_out.into()
            }
            Stage::Mesh if slots::is_of_primitive(slot) => info.max_primitives_out.into(),
            Stage::Mesh => info.max_vertices_out.into(),
            _ => i32::MAX as u64 + 1,
        }
    }
}
