// SPDX-License-Identifier: MIT

//! The results of task and mesh shaders.

use crate::memory::Buffer;
use crate::slot::{Outputs, Slot};
use ntv::ir::{Shader, VarFlags};
use ntv::op::names::{varying, IoSemantics};
use ntv::op::{slots, Index, Intrinsic};
use std::collections::BTreeSet;

/// The workgroups of a mesh shader that a workgroup of a task shader starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Their number in x, y, z.
    pub workgroups: [u32; 3],
    /// What they read as the payload: the [`Resources::payload`](crate::Resources) of their run.
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
pub(crate) fn slots_of_primitives(shader: &Shader) -> BTreeSet<u32> {
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
