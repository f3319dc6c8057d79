//! ntv translates NIR, the SSA shader IR of Mesa's drivers, to SPIR-V for Vulkan layered drivers.

pub mod entity;
pub mod error;
pub mod op;
pub mod target;

pub mod ir;

pub mod analysis;
pub mod check;
pub mod pass;
pub mod spirv;
pub mod text;
mod translator;

pub use error::{Error, ErrorKind, Errors, Place};
pub use ir::Shader;
pub use pass::BufferAccess;
pub use spirv::{EmitOptions, Module};
pub use target::{Feature, Target};
pub use translator::{Options, Translator};
