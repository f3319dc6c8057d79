// SPDX-License-Identifier: MIT

//! The slots of inputs and outputs.

use crate::Bits;
use std::collections::BTreeMap;

/// A slot of the inputs or outputs, in NIR's numbering for the stage and direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The slot.
    pub slot: u32,
    /// The vertex, for per-vertex inputs and outputs; otherwise 0.
    pub vertex: u32,
    /// 1 for the second source of dual-source blending and for the second half of an attribute of four doubles; otherwise 0.
    pub index: u32,
}

impl Slot {
    /// A slot that is not per-vertex.
    pub fn new(slot: u32) -> Slot {
        Slot { slot, vertex: 0, index: 0 }
    }
}

/// Outputs by slot, with four words of 32 bits each. Slots without an entry are undefined.
pub type Outputs = BTreeMap<Slot, [Bits; 4]>;
