// SPDX-License-Identifier: MIT

//! The inputs of the invocations of a run.

use crate::{Bits, Floats, Slot};
use ntv::op::Intrinsic;
use std::collections::BTreeMap;

/// The inputs of a run besides buffers.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The inputs of each invocation. A fragment shader has four per quad: top left, top right, bottom left, bottom right. The
    /// workgroup alone determines the number of invocations of compute, task and mesh shaders.
    pub invocations: Vec<Invocation>,
    /// The number of workgroups in x, y, z.
    pub workgroups: [u32; 3],
    /// The size of a workgroup if the shader has a variable one.
    pub workgroup_size: [u32; 3],
    /// The number of invocations of a subgroup.
    pub subgroup_size: u32,
    /// The number of colour attachments that a broadcast colour is written to.
    pub draw_buffers: u32,
    /// The rules for floats.
    pub floats: Floats,
}

impl Default for Inputs {
    fn default() -> Inputs {
        Inputs {
            invocations: vec![Invocation::default()],
            workgroups: [1; 3],
            workgroup_size: [1; 3],
            subgroup_size: 4,
            draw_buffers: 8,
            floats: Floats::default(),
        }
    }
}

/// The inputs of one invocation.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The inputs, four words to a slot. A 64-bit component takes two words. A 16-bit component takes a word too, with the number
    /// converted to 32 bits, because the target determines whether stages pass it with 16 or 32 bits.
    pub slots: BTreeMap<Slot, [u32; 4]>,
    /// The undefined bits of `slots`, as the previous stage left them. Slots without an entry are defined.
    pub undef: BTreeMap<Slot, [u32; 4]>,
    /// The texel of each attachment at the fragment, by [`attachment_number`](ntv::target::attachment_number).
    pub framebuffer: Vec<[Bits; 4]>,
    /// The system values by the intrinsic that loads them. Values that follow from others or from the workgroup may be left out.
    pub system: BTreeMap<Intrinsic, Vec<u64>>,
}
