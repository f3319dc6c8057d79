// SPDX-License-Identifier: MIT

//! The numbers of textures, images and samplers.

use std::fmt;

/// The number of a texture, image or sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Descriptor {
    /// The binding of a variable, plus the element if it is an array.
    Binding(u32),
    /// A bindless handle.
    Handle(u32),
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Descriptor::Binding(binding) => write!(f, "binding {binding}"),
            Descriptor::Handle(handle) => write!(f, "handle {handle}"),
        }
    }
}

impl Descriptor {
    /// Element `index` of the array that starts here.
    pub(crate) fn element(self, index: u32) -> Descriptor {
        match self {
            Descriptor::Binding(first) => Descriptor::Binding(first.saturating_add(index)),
            Descriptor::Handle(first) => Descriptor::Handle(first.saturating_add(index)),
        }
    }
}
