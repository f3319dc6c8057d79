//! The order of the passes, with the reasons for it.
//!
//! A shader goes through the passes that it needs once, in this order: see [`Pass::needs`]. First come the lowerings, each of
//! which may rely on the [`Forms`](super::Forms) that the passes before it removed and must not bring one back, then what cleans up after them. `ntv compile --stop-after PASS --emit nir` shows a shader in between.
//!
//! A new pass is a line here, below what makes its input and above what reads its output, with a comment where that is not
//! plain from the names, and a bit of [`Needs`] in the same place.

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

/// All passes in the order in which a shader goes through them.
pub const PIPELINE: &[Pass] = &[
    // Registers first: what they hold is hidden from every other pass.
    regs_to_ssa::PASS,
    lower_discard_if::PASS,
    lower_gs_counters::PASS,
    // Before the pass that makes variables of inputs: some system values are inputs.
    lower_sysvals::PASS,
    // Tables before anything makes accesses to memory of them.
    const_arrays::PASS,
    // What reads the framebuffer is not I/O.
    lower_fbfetch::PASS,
    // Variables for I/O before anything else, so that later passes see derefs only.
    lower_io::PASS,
    lower_io_types::PASS,
    lower_frag_color::PASS,
    assign_locations::PASS,
    // Makes push constants of blocks.
    inline_blocks::PASS,
    // Shared memory before blocks, which say in what units its offsets are.
    lower_memory::PASS,
    // Before the accesses to blocks become several of lanes each: one access is one tree of ifs. And behind all that computes
    // which block, in registers or of inputs.
    lower_block_index::PASS,
    // zink's block derefs before byte offsets: their `get_ssbo_size` asks another variable.
    lower_buffer_derefs::PASS,
    lower_ubo::PASS,
    lower_ssbo::PASS,
    lower_global::PASS,
    // Atomics have pointers by now. Their loops compute with opcodes that may need lowering.
    lower_atomics::PASS,
    // After all that changes the types and the Locations of outputs: it makes more of them, in Locations that are free. And after
    // all that lowers storage blocks: it makes such, or variables of blocks in their final form.
    lower_captures::PASS,
    // Every texture is behind a pointer to its type before operations on it take the form that the type wants.
    lower_descriptors::PASS,
    lower_tex::PASS,
    lower_sparse::PASS,
    // Ballots are packed, and narrow values widened, by ALU operations that may need lowering.
    lower_subgroups::PASS,
    // Outputs are variables by now, written component by component.
    combine_stores::PASS,
    // What the lowerings above made of ALU opcodes may itself need lowering.
    lower_alu::PASS,
    // Wide values come from buffers, which are lanes by now, and go to dot products and comparisons of whole vectors, which
    // are arithmetic of components by now.
    lower_wide_vectors::PASS,
    // Behind lower_alu, which leaves the operations on doubles that SPIR-V has, too.
    lower_doubles::PASS,
    // Behind both, as they compute with 64-bit integers themselves.
    lower_int64::PASS,
    // 64 bits are packed of 16, too.
    lower_narrow::PASS,
    // Behind all, what they left, if they left anything.
    clean_up::PASS,
    // Last of all, so that others take no block for one that somebody may write.
    place_blocks::PASS,
];

/// The passes are found by the bits of the needs.
const _: () = {
    let mut at = 0;
    while at < PIPELINE.len() {
        assert!(PIPELINE[at].needs.bits() == 1 << at, "needs have the order of the passes");
        at += 1;
    }
};

/// The needs that passes do nothing about in this context: the target has what they would replace, or cannot take what they
/// make; or no block is anywhere but in a uniform buffer.
pub fn met_by(Context { target, placements, .. }: &Context) -> Needs {
    let has = |features: &[Feature]| features.iter().all(|feature| target.has(*feature));
    let rules = [
        (Needs::BLOCK_INDICES, has(&block_picks::FEATURES)),
        // The first values of variables are constants of any type.
        (Needs::OWN_MEMORY, target.works_around(Workaround::broken_arbitary_type_const)),
        (Needs::INLINED_BLOCKS, !placements.has_push_constants()),
        (Needs::PLACED_BLOCKS, !placements.has_storage()),
        (Needs::DOUBLES, has(&[Feature::shaderFloat64])),
        (Needs::INT64, has(&[Feature::shaderInt64])),
        (Needs::NARROW, has(&[Feature::shaderInt8, Feature::shaderInt16, Feature::shaderFloat16])),
    ];
    rules.into_iter().filter(|(_, is_met)| *is_met).fold(Needs::empty(), |met, (needs, _)| met | needs)
}

/// What `clean_up` is made of: each by itself, for tests and for those who look for what changed an instruction.
pub const PARTS: &[Pass] =
    &[copy_prop::PASS, constant_fold::PASS, algebraic::PASS, cse::PASS, wide_ubo_lanes::PASS, dce::PASS, dead_cf::PASS];

/// The pass of this name: of the pipeline, or a part of one.
pub fn named(name: &str) -> Option<&'static Pass> {
    PIPELINE.iter().chain(PARTS).find(|pass| pass.name == name)
}
