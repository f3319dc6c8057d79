// SPDX-License-Identifier: MIT

//! Passes: one lowering or optimisation per file, each a function from shader to shader.
//!
//! [`PIPELINE`] has their order. A pass gets a valid shader that the target can run, and leaves a valid shader: it cannot fail,
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
//! use ntv::op::{AluOp, Facts, Intrinsic};
//! use ntv::pass::{Context, Pass};
//!
//! /// See the module.
//! pub const PASS: Pass = Pass {
//!     name: "lower_front_face",
//!     about: "the front face as a number is selected by the boolean",
//!     facts: Facts::SYSTEM_VALUES,
//!     run,
//!     ..Pass::IDLE
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
//! - `facts` are those of the shaders that the pass is for. It is called for a shader with one of these [facts](Facts), so `run`
//!   does not check first whether there is something to do. [`Shader::facts`] collects them while instructions and variables are
//!   made: opcodes have a column of them, and others depend on more than an opcode. The facts of instructions that passes make
//!   count, too: they cause a later pass to be called. `met_by` says with which targets and options the pass has nothing to do.
//!   Debug builds run a pass that is not needed on a copy of the shader, and the copy must not change.
//! - A pass that also handles blocks, for instance to insert phis, implements [`Rewriter`](crate::ir::Rewriter) for
//!   [`rewrite_cf`](crate::ir::rewrite_cf). It collects information about the whole shader before the walk.
//! - Tables are kept for the next shader: see [`spare`](crate::ir::spare).
//! - `removes` names the facts that are permanently gone after the pass. Debug builds record the facts again after every later
//!   pass and check that none of these has come back, and that the shader is still valid.
//! - Emission skips instructions without uses, and copies cost nothing there. Equal values and arithmetic on constants may be left
//!   to [`clean_up`](opt::clean_up). It runs on shaders that `rewrite` has changed. A pass that leaves neither says so by
//!   `is_tidy`; one that leaves them by other means than `rewrite` calls [`set_tidy(false)`](Shader::set_tidy).
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
//! `BLESS=1 cargo test -p ntv-tool --test corpus` appends the result; read it before it is committed. Then add two
//! lines to this file: a `pub mod` for the pass, and its place in [`PIPELINE`].

/// Control flow and values that are not stored in buffers: registers, discards, geometry counters, system values.
pub mod control {
    pub mod lower_discard_if;
    pub mod lower_gs_counters;
    pub mod lower_sysvals;
    pub mod regs_to_ssa;
}

/// Inputs and outputs: variables with types and Locations that Vulkan's interfaces take.
pub mod io {
    pub mod assign_locations;
    pub mod define_distances;
    pub mod lower_fbfetch;
    pub mod lower_frag_color;
    pub mod lower_io;
    pub mod lower_io_types;

    mod io_vars;
}

/// Memory: byte offsets and typed derefs become access chains into the types that the module declares.
pub mod memory {
    pub mod const_arrays;
    pub mod inline_blocks;
    pub mod lower_atomics;
    pub mod lower_block_index;
    pub mod lower_global;
    pub mod lower_memory;
    pub mod lower_ssbo;
    pub mod lower_ubo;
    pub mod place_blocks;

    mod block_vars;
    pub(super) mod blocks;
    pub(super) mod byte_access;
    mod lower_halves;
    mod memories;
    mod memory_inst;
}

/// Transform feedback: captures as variables of the extension, or as stores to buffers.
pub mod capture {
    pub mod lower_captures;

    mod attributes;
    mod capture_stores;
    mod captured;
    mod drawn_vertex;
    mod geometry_stores;
    mod state;
    mod vertex_to_compute;
}

/// Textures and images: descriptors, and the operands that SPIR-V's image instructions take.
pub mod texture {
    pub mod lower_descriptors;
    pub mod lower_sparse;
    pub mod lower_tex;

    pub(super) mod textures;
}

/// Arithmetic: operations and widths that SPIR-V or the target lacks.
pub mod arith {
    pub mod lower_alu;
    pub mod lower_doubles;
    pub mod lower_int64;
    pub mod lower_narrow;
    pub mod lower_subgroups;
    pub mod lower_wide_vectors;
}

/// Optimisations: the clean-up after the lowerings, and its parts.
pub mod opt {
    pub mod algebraic;
    pub mod clean_up;
    pub mod constant_fold;
    pub mod copy_prop;
    pub mod cse;
    pub mod dce;
    pub mod dead_cf;

    pub(super) mod effects;
    mod walk_tables;
}

#[cfg(test)]
mod testing;

use self::{arith::*, capture::*, control::*, io::*, memory::*, opt::*, texture::*};
use crate::capture::{Attribute, BackEnd};
use crate::ir::Shader;
use crate::op::Facts;
use crate::plan::Placements;
use crate::target::Target;

pub(crate) use capture::lower_captures::replaced_features;
pub use opt::clean_up::parts::PARTS;

/// All passes in the order in which they run, with the reasons for it.
///
/// The passes that a shader needs run once. The lowerings are first. Each may rely on what the passes before it removed, and must
/// not add it again. The passes that clean up are after them. `ntv compile --stop-after PASS --emit nir` shows a shader in between.
///
/// A new pass is a line here, below the passes that make its input and above those that read its output, with a comment where
/// that is not clear from the names.
pub const PIPELINE: &[Pass] = &[
    // Registers first: other passes cannot see through them.
    regs_to_ssa::PASS,
    lower_discard_if::PASS,
    lower_gs_counters::PASS,
    // Before the pass that makes variables of inputs: some system values are inputs.
    lower_sysvals::PASS,
    // Tables before they become accesses to memory.
    const_arrays::PASS,
    // Reads of the framebuffer are not I/O.
    lower_fbfetch::PASS,
    // Variables for I/O before everything else, so that later passes see only derefs.
    lower_io::PASS,
    define_distances::PASS,
    lower_io_types::PASS,
    lower_frag_color::PASS,
    assign_locations::PASS,
    // Moves blocks into push constants.
    inline_blocks::PASS,
    // Shared memory before blocks, because its offsets are in units that blocks determine.
    lower_memory::PASS,
    // Before each access to a block becomes several accesses to lanes: one access is one tree of ifs. And after all passes that
    // compute the index of a block, from registers or inputs.
    lower_block_index::PASS,
    lower_ubo::PASS,
    lower_ssbo::PASS,
    lower_global::PASS,
    // Atomics have pointers by now. Their loops compute with opcodes that may need lowering.
    lower_atomics::PASS,
    // After all passes that change the types and the Locations of outputs: it makes more outputs, in free Locations. And after
    // all passes that lower storage blocks: it makes variables of blocks in their final form, or global accesses.
    lower_captures::PASS,
    // Every texture is accessed through a deref of its type before texture operations take the form that the type needs.
    lower_descriptors::PASS,
    lower_tex::PASS,
    lower_sparse::PASS,
    // Ballots are packed, and narrow values widened, by ALU operations that may need lowering.
    lower_subgroups::PASS,
    // The ALU opcodes that the lowerings above made may themselves need lowering.
    lower_alu::PASS,
    // Wide values are loaded from buffers, which are accessed in lanes by now, and are used by dot products and comparisons of
    // whole vectors, which are operations on components by now.
    lower_wide_vectors::PASS,
    // After lower_alu, which keeps the operations on doubles that SPIR-V has.
    lower_doubles::PASS,
    // After both, because they use 64-bit integers.
    lower_int64::PASS,
    // After the passes that pack 64 bits from 16.
    lower_narrow::PASS,
    // After all lowerings: cleans up after them, if they left anything.
    clean_up::PASS,
    // Last, so that no other pass uses a block that may be written.
    place_blocks::PASS,
];

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
    /// The pass is called for shaders with one of these facts.
    pub facts: Facts,
    /// Those of its facts with which the pass has nothing to do in a context: the target supports the original form, or does not
    /// support the result, or an option is not used.
    pub met_by: fn(&Context) -> Facts,
    /// The facts that no shader has after the pass.
    pub removes: Facts,
    /// Whether the results of the pass need no clean-up: see [`Shader::is_tidy`].
    pub is_tidy: bool,
    /// Runs the pass; true if the shader changed. It relies on [`facts`](Pass::facts): call [`apply`](Pass::apply).
    pub run: fn(&mut Shader, &Context) -> bool,
}

impl Pass {
    /// A pass that does nothing, for no shader: the start of others.
    pub const IDLE: Pass = Pass {
        name: "",
        about: "",
        facts: Facts::empty(),
        met_by: |_| Facts::empty(),
        removes: Facts::empty(),
        is_tidy: false,
        run: |_, _| false,
    };

    /// The facts for which the pass is called in this context.
    pub fn mask(&self, context: &Context) -> Facts {
        self.facts - (self.met_by)(context)
    }

    /// Whether the pass may have something to do in `shader`.
    pub fn is_needed(&self, shader: &Shader, context: &Context) -> bool {
        shader.facts().intersects(self.mask(context))
    }

    /// Runs the pass if it is needed; true if the shader changed.
    pub fn apply(&self, shader: &mut Shader, context: &Context) -> bool {
        self.is_needed(shader, context) && self.run_needed(shader, context)
    }

    /// Runs the pass on a shader that needs it; true if the shader changed.
    pub(crate) fn run_needed(&self, shader: &mut Shader, context: &Context) -> bool {
        let was_tidy = shader.is_tidy();
        let changed = (self.run)(shader, context);
        if self.is_tidy {
            shader.set_tidy(was_tidy);
        }
        changed
    }
}

/// The pass of this name: of the pipeline, or a part of one.
pub fn named(name: &str) -> Option<&'static Pass> {
    PIPELINE.iter().chain(PARTS).find(|pass| pass.name == name)
}

/// The masks of the passes of the pipeline in a context.
pub(crate) type Masks = [Facts; PIPELINE.len()];

/// See [`Masks`].
pub(crate) fn masks(context: &Context) -> Masks {
    std::array::from_fn(|at| PIPELINE[at].mask(context))
}

/// A fact that is recorded in case of doubt cannot be checked to be gone.
const _: () = {
    let mut at = 0;
    while at < PIPELINE.len() {
        assert!(!PIPELINE[at].removes.intersects(Facts::INEXACT));
        at += 1;
    }
};
