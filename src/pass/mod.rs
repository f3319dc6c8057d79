//! Passes: one lowering or optimisation per file, each a function from shader to shader.
//!
//! A pass states the forms it removes; it cannot fail, print or read the environment. What cannot be lowered was refused by
//! `check` before.

pub mod algebraic;
pub mod assign_locations;
pub mod combine_stores;
pub mod constant_fold;
pub mod copy_prop;
pub mod cse;
pub mod dce;
pub mod dead_cf;
pub mod forms;
pub mod lower_alu;
pub mod lower_buffer_derefs;
pub mod lower_discard_if;
pub mod lower_io;
pub mod lower_memory;
pub mod lower_ssbo;
pub mod lower_sysvals;
pub mod lower_ubo;
pub mod lower_wide_vectors;
pub mod pipeline;
pub mod regs_to_ssa;

mod blocks;
mod effects;
mod io_vars;
mod lanes;
#[cfg(test)]
mod testing;

pub use forms::Forms;

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
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: that of its file.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What is gone after it.
    pub removes: Forms,
    /// Does it; true if the shader changed.
    pub run: fn(&mut Shader, &Context) -> bool,
}
