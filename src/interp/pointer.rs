//! The places that pointers lead to.

use super::descriptor::Descriptor;
use super::memory::{Address, Memory};
use crate::ir::Var;

/// What a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pointer {
    /// Nothing that can be accessed.
    Nowhere,
    /// A block, or an array of them: this one and those behind it.
    Block(Memory),
    /// Memory.
    Memory(Address),
    /// A part of an input or output.
    Io(IoPointer),
    /// A texture, image or sampler, or an array of them.
    Descriptor(Descriptor),
}

/// A part of an input or output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IoPointer {
    pub var: Var,
    /// The vertex, of per-vertex inputs and outputs.
    pub vertex: u32,
    /// The vertex is still to be named by the next index.
    pub wants_vertex: bool,
    /// Words from the variable's first slot on.
    pub word: u32,
}
