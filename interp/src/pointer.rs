// SPDX-License-Identifier: MIT

//! Pointers: the values of derefs.

use crate::descriptor::Descriptor;
use crate::memory::{Address, MemoryRegion};
use ntv::ir::Var;

/// The value of a deref.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pointer {
    /// Refers to nothing that can be accessed.
    Nowhere,
    /// A block, or the first one of an array of blocks.
    Block(MemoryRegion),
    /// An address in memory.
    Memory(Address),
    /// A part of an input or output.
    Io(IoPointer),
    /// A texture, image or sampler, or the first one of an array.
    Descriptor(Descriptor),
}

/// A part of an input or output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct IoPointer {
    pub var: Var,
    /// The vertex, for per-vertex inputs and outputs.
    pub vertex: u32,
    /// Whether the next index selects the vertex.
    pub needs_vertex: bool,
    /// The word, counted from the variable's first slot.
    pub word: u32,
}
