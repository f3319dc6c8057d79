// SPDX-License-Identifier: MIT

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
//! [`pipeline`] has their order. A pass gets a valid shader that the target can run, and leaves a valid shader: it cannot fail,
//! print or read the environment. `check` has refused shaders that cannot be lowered.
//!
//! # Writing a pass
//!
//! A pass is a file with the name of the pass. It has a constant `PASS` and a private function `run` after it. Most passes are
//! one walk, [`rewrite`](crate::ir::rewrite()): it visits every instruction, the pass may append new ones before it, and
//! returns whether the visited instruction is kept, removed, or replaced by a value.
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
//! - `needs` are the properties of the shaders that the pass is for. It is not called for a shader that does not have this
//!   [need](Needs), nor for a target that [meets](pipeline::met_by) it, so `run` does not check first whether there is
//!   something to do. Each pass of the pipeline has a need of its own. A shader has the needs of its opcodes, which are a
//!   column of their tables, and others that depend on more than an opcode: [`Shader::needs`] collects them while instructions
//!   and variables are made. The needs of instructions that passes make count, too: they cause a later pass to be called. Debug
//!   builds run a pass that is not needed on a copy of the shader, and the copy must not change.
//! - A pass that also handles blocks, for instance to insert phis, implements [`Rewriter`](crate::ir::Rewriter) for
//!   [`rewrite_cf`](crate::ir::rewrite_cf). It collects information about the whole shader before the walk.
//! - A pass that changes few instructions, all of which are found before the walk, notes them in
//!   [`Changes`](crate::ir::Changes).
//! - Tables are kept for the next shader: see [`spare`](crate::ir::spare).
//! - `removes` names the [`Forms`] that are permanently gone after the pass. Debug builds check after every later pass that
//!   none has been added again, and that the shader is still valid.
//! - Instructions without uses, copies and equal values may be left to [`clean_up`](opt::clean_up). It runs on shaders that
//!   `rewrite` has changed. A pass that changes them by other means and leaves such instructions calls
//!   [`set_tidy(false)`](Shader::set_tidy).
//! - Accesses to memory by byte offset use `memory::byte_access`; `memory::blocks` declares the blocks that they access.
//!
//! Its description begins with a one-sentence summary. Then it says **What** the pass does and **Why** SPIR-V, Vulkan or NIR
//! makes it necessary. It ends with a shader `Before:` and `After:`. These two are excerpts of
//! `tests/corpus/pass/NAME_example.nir`, which `tests/pass_examples.rs` checks. Cases that do not fit into the example have
//! files `NAME_*.nir` there:
//!
//! ```text
//! ; What this file shows.
//! ; test: pass lower_front_face
//! shader: MESA_SHADER_FRAGMENT
//! ...
//! ```
//!
//! `BLESS=1 cargo test -p ntv-tool --test corpus` appends the result; read it before it is committed. Then add a `pub mod` for the pass to
//! its folder and a line to [`pipeline`].

pub mod arith;
pub mod capture;
pub mod control;
mod find_forms;
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
pub use find_forms::find_forms;
pub use forms::Forms;

use crate::capture::{Attribute, BackEnd};
use crate::ir::Shader;
use crate::op::Needs;
use crate::plan::Placements;
use crate::target::Target;

/// The loads that are made of byte offsets into buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferAccess {
    /// One load per lane, or one load of a whole vec4 where several of its lanes are used.
    #[default]
    Auto,
    /// Only three-index chains with one load per lane.
    Lane,
}

/// The information that a pass has besides the shader.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The Vulkan device and driver that runs the shader.
    pub target: Target,
    /// The loads of buffers.
    pub buffer_access: BufferAccess,
    /// The placement of the blocks of the shader that are not in uniform buffers.
    pub placements: Placements,
    /// The stage or mechanism that writes the data that transform feedback captures.
    pub captures: BackEnd,
    /// The set of the buffers of captures, and the binding of the first.
    pub capture_slot: Option<(u32, u32)>,
    /// The vertex attributes that a shader reads itself, with their buffers.
    pub attributes: Vec<Attribute>,
    /// The Location at which a vertex shader passes its instance to a geometry shader that captures.
    pub instance_location: Option<u32>,
    /// The byte offset of the push constant that a key may read.
    pub pushed: Option<u32>,
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
    /// The name of the pass: that of its file.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The pass is called for shaders that have one of these needs, unless the target meets it.
    pub needs: Needs,
    /// The forms that no shader contains after the pass.
    pub removes: Forms,
    /// Runs the pass; true if the shader changed. It relies on [`needs`](Pass::needs): call [`apply`](Pass::apply).
    pub run: fn(&mut Shader, &Context) -> bool,
}

impl Pass {
    /// Whether the pass may have something to do in `shader`.
    pub fn is_needed(&self, shader: &Shader, context: &Context) -> bool {
        (shader.needs() - pipeline::met_by(context)).intersects(self.needs)
    }

    /// Runs the pass if it is needed; true if the shader changed.
    pub fn apply(&self, shader: &mut Shader, context: &Context) -> bool {
        self.is_needed(shader, context) && (self.run)(shader, context)
    }
}
