// SPDX-License-Identifier: MIT

//! Task and mesh shaders: the payload, the workgroups that a task shader starts, and the sizes of the outputs of a mesh shader.

use super::fault::FaultKind;
use super::machine::Machine;
use super::slot::Slot;
use super::{Buffer, Outputs};
use crate::ir::{Def, Inst, Shader, Stage, VarFlags};
use crate::op::names::{varying, IoSemantics};
use crate::op::{slots, Index, Intrinsic};
use std::collections::BTreeSet;

/// The workgroups of a mesh shader that a workgroup of a task shader starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Their number in x, y, z.
    pub workgroups: [u32; 3],
    /// What they read as the payload: the [`Resources::payload`](super::Resources) of their run.
    pub payload: Buffer,
}

/// The outputs of a workgroup of a mesh shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meshlet {
    /// The number of vertices.
    pub vertices: u32,
    /// The number of primitives.
    pub primitives: u32,
    /// The outputs, those of vertices and primitives that do not exist included. The vertex of a slot is the number of the primitive
    /// if each primitive has a value of the slot.
    pub outputs: Outputs,
    /// The slots of which each primitive has a value.
    pub of_primitives: BTreeSet<u32>,
}

impl Machine<'_> {
    /// `launch_mesh_workgroups`: ends the workgroup.
    pub(super) fn launch(&mut self, inst: Inst, size: Def) {
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
    pub(super) fn set_mesh_outputs(&mut self, inst: Inst, srcs: &[Def]) {
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
    pub(super) fn vertex_end(&self, op: Intrinsic, slot: u32) -> u64 {
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

impl Meshlet {
    /// The outputs of one vertex, without its number.
    pub fn vertex(&self, number: u32) -> Outputs {
        self.numbered(number, false)
    }

    /// The outputs of one primitive, without its number.
    pub fn primitive(&self, number: u32) -> Outputs {
        self.numbered(number, true)
    }

    fn numbered(&self, number: u32, of_primitive: bool) -> Outputs {
        let has = |slot: &Slot| slot.vertex == number && self.of_primitives.contains(&slot.slot) == of_primitive;
        let own = self.outputs.iter().filter(|(slot, _)| has(slot));
        own.map(|(slot, words)| (Slot { vertex: 0, ..*slot }, *words)).collect()
    }
}

/// The slots of which each primitive of a mesh shader has a value.
pub(super) fn slots_of_primitives(shader: &Shader) -> BTreeSet<u32> {
    let flagged = shader.vars.iter().filter(|(_, variable)| variable.flags.contains(VarFlags::PER_PRIMITIVE));
    let of_vars = flagged.filter_map(|(var, variable)| {
        let first = variable.location?;
        Some(first..first.saturating_add(shader.num_slots(var).min(varying::END)))
    });
    let of_stores = shader.order.iter().filter_map(|inst| {
        let (op, _) = shader.as_intrinsic(*inst)?;
        let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
        (op == Intrinsic::store_per_primitive_output).then_some(io.location..io.location + io.num_slots)
    });
    let builtins = (0..varying::VAR0).filter(|slot| slots::is_of_primitive(*slot));
    of_vars.chain(of_stores).flatten().chain(builtins).collect()
}
