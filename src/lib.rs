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
