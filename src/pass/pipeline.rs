// SPDX-License-Identifier: MIT

//! The order of the passes, with the reasons for it.
//!
//! The passes that a shader needs run once, in this order: see [`Pass::needs`]. The lowerings are first. Each may
//! rely on the [`Forms`](super::Forms) that the passes before it removed, and must not add one again. The passes that clean up
//! are after them. `ntv compile --stop-after PASS --emit nir` shows a shader in between.
//!
//! A new pass is a line here, below the passes that make its input and above those that read its output, with a comment where
//! that is not clear from the names, and a bit of [`Needs`] in the same position.

use super::arith::*;
use super::capture::*;
use super::control::*;
use super::io::*;
use super::memory::*;
use super::opt::*;
use super::texture::*;
use super::{Context, Pass};
use crate::analysis::block_picks;
use crate::op::Needs;
use crate::target::{Feature, Workaround};

/// All passes in the order in which they run.
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
    // zink's block derefs before byte offsets: their `get_ssbo_size` uses another variable.
    lower_buffer_derefs::PASS,
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
    // Outputs are variables by now, written component by component.
    combine_stores::PASS,
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

/// Passes are found by the bits of their needs.
const _: () = {
    let mut at = 0;
    while at < PIPELINE.len() {
        assert!(PIPELINE[at].needs.bits() == 1 << at, "needs have the order of the passes");
        at += 1;
    }
};

/// The needs for which passes have nothing to do in this context: the target supports the original form, or does not support
/// the result, or all blocks are in uniform buffers.
pub fn met_by(Context { target, placements, .. }: &Context) -> Needs {
    let has = |features: &[Feature]| features.iter().all(|feature| target.has(*feature));
    let rules = [
        (Needs::BLOCK_INDICES, has(&block_picks::FEATURES)),
        // The initializers of variables are constants of any type.
        (Needs::OWN_MEMORY, target.works_around(Workaround::broken_arbitary_type_const)),
        (Needs::INLINED_BLOCKS, !placements.has_push_constants()),
        (Needs::PLACED_BLOCKS, !placements.has_storage()),
        (Needs::DOUBLES, has(&[Feature::shaderFloat64])),
        (Needs::INT64, has(&[Feature::shaderInt64])),
        (Needs::NARROW, has(&[Feature::shaderInt8, Feature::shaderInt16, Feature::shaderFloat16])),
    ];
    rules.into_iter().filter(|(_, is_met)| *is_met).fold(Needs::empty(), |met, (needs, _)| met | needs)
}

pub use super::opt::clean_up::parts::PARTS;

/// The pass of this name: of the pipeline, or a part of one.
pub fn named(name: &str) -> Option<&'static Pass> {
    PIPELINE.iter().chain(PARTS).find(|pass| pass.name == name)
}
