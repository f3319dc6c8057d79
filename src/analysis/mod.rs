//! Read-only questions about a shader.

pub mod cfg;
pub mod dominators;
pub(crate) mod kinds;
pub(crate) mod lists;
pub mod textures;
pub mod uses;
pub mod value_types;
mod wants;
