//! What the invocations of a run are given.

use super::{Bits, Floats, Slot};
use crate::op::Intrinsic;
use std::collections::BTreeMap;

/// What a run is given besides buffers.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Of each invocation. A fragment shader has four per quad: top left, top right, bottom left, bottom right. Compute
    /// shaders have as many as the workgroup, whatever stands here.
    pub invocations: Vec<Invocation>,
    /// Workgroups in x, y, z.
    pub workgroups: [u32; 3],
    /// Size of a workgroup if the shader leaves it open.
    pub workgroup_size: [u32; 3],
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// Colour attachments that a broadcast colour is written to.
    pub draw_buffers: u32,
    /// Whose rules floats follow.
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

/// What one invocation is given.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// Inputs, four words to a slot. A 64-bit component takes two words. A 16-bit one takes a word too, with the number in 32
    /// bits: whether it crosses between stages in 16 or 32 is the target's choice.
    pub slots: BTreeMap<Slot, [u32; 4]>,
    /// Which bits of these are undefined, as the stage before left them; none where nothing stands here.
    pub undef: BTreeMap<Slot, [u32; 4]>,
    /// What each attachment holds at the fragment, by [`attachment_number`](crate::target::attachment_number).
    pub framebuffer: Vec<[Bits; 4]>,
    /// System values by the intrinsic that loads them. Those that follow from others and from the workgroup need not be
    /// given.
    pub system: BTreeMap<Intrinsic, Vec<u64>>,
}
