//! Passes: one lowering or optimisation per file, each a function from shader to shader.
//!
//! | module | its passes are about |
//! |-|-|
//! | [`control`] | registers, discards, counters of geometry shaders, system values |
//! | [`io`] | inputs and outputs |
//! | [`memory`] | uniform and storage blocks, shared and global memory, atomics |
//! | [`capture`] | transform feedback |
//! | [`texture`] | textures and images |
//! | [`arith`] | operations and widths that SPIR-V or the target lacks |
//! | [`opt`] | the clean-up at the end |
//!
//! [`pipeline`] has their order. A pass is given a valid shader that the target can run, and leaves one: it cannot fail, print
//! or read the environment. What cannot be lowered was refused by `check` before.
//!
//! # Writing a pass
//!
//! A pass is a file whose name is that of the pass, with a constant `PASS` and a private function `run` after it. Most are
//! one walk, [`rewrite`](crate::ir::rewrite()): it visits every instruction, the pass may append new ones before it, and says
//! whether the visited one stays, goes, or is replaced by a value.
//!
//! ```
//! use ntv::ir::{rewrite, Edit, Shader};
//! use ntv::op::{AluOp, Intrinsic, Needs};
//! use ntv::pass::{Context, Forms, Pass};
//!
//! /// See the module.
//! pub const PASS: Pass = Pass {
//!     name: "lower_front_face",
//!     about: "the front face as a number is selected by the boolean",
//!     needs: Needs::SYSTEM_VALUES,
//!     removes: Forms::empty(),
//!     run,
//! };
//!
//! fn run(shader: &mut Shader, _: &Context) -> bool {
//!     rewrite(shader, |b, inst| match b.shader.as_intrinsic(inst) {
//!         Some((Intrinsic::load_front_face_fsign, _)) => {
//!             let front = b.intrinsic(Intrinsic::load_front_face, 1, 1, &[]).def();
//!             let (one, minus_one) = (b.imm32(1f32.to_bits()), b.imm32((-1f32).to_bits()));
//!             Edit::Replace(b.alu(AluOp::bcsel, &[front, one, minus_one]))
//!         }
//!         _ => Edit::Keep,
//!     })
//! }
//! # assert!(!PASS.apply(&mut Shader::default(), &Context::default()));
//! ```
//!
//! - `needs` says which shaders the pass is for: it is not called for one that does not have this [need](Needs), nor for a target
//!   that [meets](pipeline::met_by) it, so `run` does not look first whether there is something to do. Each pass of the pipeline
//!   has one of its own. A shader has the needs of its opcodes, which are a column of their tables, and others that depend on more
//!   than an opcode: [`Shader::needs`] gathers them while instructions and variables are made. Those that passes make count, too:
//!   what a pass leaves for a later one calls that. Debug builds run a pass that is not needed on a copy of the shader, and the
//!   copy must not change.
//! - A pass that also looks at blocks, to place phis for instance, implements [`Rewriter`](crate::ir::Rewriter) for
//!   [`rewrite_cf`](crate::ir::rewrite_cf). What it must know of the whole shader it gathers before the walk.
//! - A pass that changes few instructions, and knows which before it walks, notes them in [`Changes`](crate::ir::Changes).
//! - Tables are kept for the next shader: see [`spare`](crate::ir::spare).
//! - `removes` names the [`Forms`] that are gone after it for good. Debug builds look after every later pass whether one is
//!   back, and whether the shader is still valid.
//! - Instructions that nobody reads any more, copies and equal values may be left to [`clean_up`](opt::clean_up). It looks at shaders that
//!   `rewrite` has changed; a pass that changes them by other means and leaves such things calls
//!   [`set_tidy(false)`](Shader::set_tidy).
//! - Accesses to memory by byte offset go through `memory::byte_access`; `memory::blocks` declares the blocks that they access.
//!
//! Its description begins with a sentence to remember, then says **What** it does and **Why** SPIR-V, Vulkan or NIR makes it
//! necessary, and ends with a shader `Before:` and `After:`. These two are excerpts of `tests/corpus/pass/NAME_example.nir`,
//! which `tests/pass_examples.rs` checks. What the example is too small for goes into more files `NAME_*.nir` there:
//!
//! ```text
//! ; What this file shows.
//! ; test: pass lower_front_face
//! shader: MESA_SHADER_FRAGMENT
//! ...
//! ```
//!
//! `BLESS=1 cargo test --test corpus` appends what comes out; read it before it is committed. Then the pass gets a `pub mod`
//! in its folder and a line in [`pipeline`].

pub mod arith;
pub mod capture;
pub mod control;
pub mod forms;
pub mod io;
pub mod memory;
pub mod opt;
pub mod pipeline;
#[cfg(test)]
mod testing;
pub mod texture;

pub(crate) use capture::lower_captures::has_stores;
pub use capture::lower_captures::is_captured;
pub use forms::Forms;

use crate::capture::{Attribute, BackEnd};
use crate::ir::Shader;
use crate::op::Needs;
use crate::plan::Placements;
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
    /// Where the blocks of the shader are that are not in uniform buffers.
    pub placements: Placements,
    /// Who writes what transform feedback captures.
    pub captures: BackEnd,
    /// The set of the buffers of captures, and the binding of the first.
    pub capture_slot: Option<(u32, u32)>,
    /// Where a shader finds the attributes of vertices that it reads itself.
    pub attributes: Vec<Attribute>,
    /// The Location at which a vertex shader tells a geometry shader that captures which instance it is.
    pub instance_location: Option<u32>,
}

impl Context {
    /// The most bytes that one of `count` uniform blocks from `first` on may have.
    fn most_bytes(&self, first: u32, count: u32) -> u32 {
        self.placements.most_bytes((first, count), self.target.max_uniform_buffer_range)
    }
}

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: that of its file.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// It is called for shaders that have one of these needs, unless the target meets it.
    pub needs: Needs,
    /// What is gone after it.
    pub removes: Forms,
    /// Does it; true if the shader changed. It relies on [`needs`](Pass::needs): call [`apply`](Pass::apply).
    pub run: fn(&mut Shader, &Context) -> bool,
}

impl Pass {
    /// Whether `shader` may have something for it to do.
    pub fn is_needed(&self, shader: &Shader, context: &Context) -> bool {
        (shader.needs() - pipeline::met_by(context)).intersects(self.needs)
    }

    /// Runs it if it is needed; true if the shader changed.
    pub fn apply(&self, shader: &mut Shader, context: &Context) -> bool {
        self.is_needed(shader, context) && (self.run)(shader, context)
    }
}
