//! Textures, images and samplers by their numbers.

use std::fmt;

/// A texture, image or sampler that a shader may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Descriptor {
    /// The binding of a variable, plus the element if it is an array.
    Binding(u32),
    /// What a bindless handle stands for.
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
    /// Element `index` of what starts here.
    pub(super) fn element(self, index: u32) -> Descriptor {
        match self {
            Descriptor::Binding(first) => Descriptor::Binding(first.saturating_add(index)),
            Descriptor::Handle(first) => Descriptor::Handle(first.saturating_add(index)),
        }
    }
}
