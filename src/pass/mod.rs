//! Passes: one lowering or optimisation per file, each a function from shader to shader.
//!
//! A pass states the forms it removes; it cannot fail, print or read the environment. What cannot be lowered was refused by
//! `check` before.

pub mod pipeline;

use crate::ir::Shader;
use crate::target::Target;

/// How byte offsets into buffers become loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferAccess {
    /// Lane loads, and one load of a whole vec4 where several of its lanes are wanted.
    #[default]
    Auto,
    /// Only three-index chains with one load per lane.
    Lane,
}

/// What a pass may know besides the shader.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The driver below.
    pub target: Target,
    /// How buffers are read.
    pub buffer_access: BufferAccess,
}

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name: that of its file.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Does it; true if the shader changed.
    pub run: fn(&mut Shader, &Context) -> bool,
}
