// SPDX-License-Identifier: MIT

//! Turns accesses to a block with a dynamic index into ifs on the index, with an access to one block in each.
//!
//! **What.** The index is compared with the middle of the blocks, then with the middle of that half, and so on: a binary tree
//! of ifs. Its leaves have the access with a constant index, and phis return the result. They are no longer `non-uniform`.
//!
//! **Why.** GL allows shaders to index arrays of blocks. Vulkan has a feature for indices that are the same in all invocations
//! (`shaderUniformBufferArrayDynamicIndexing`, `shaderStorageBufferArrayDynamicIndexing`), and one for others, which NIR calls
//! `non-uniform` (`shaderUniformBufferArrayNonUniformIndexing`, `shaderStorageBufferArrayNonUniformIndexing`). lavapipe has
//! none of the latter. An access for which the device has the feature stays.
//!
//! The blocks are those that the header counts, or those of a declared array, without those that the index cannot be:
//! [`known_bits`](crate::analysis::known_bits). An index out of range, which GL leaves undefined, selects the first or last of
//! them. `check` refuses shaders with too many.
//!
//! The blocks are declared as one array nevertheless, so the bindings do not depend on features: a directive,
//! `uniform_blocks=array` or `storage_blocks=array`, tells the passes that declare them. A read up to some byte of such a block
//! implies nothing about its size: the block may never be selected.
//!
//! Before:
//!
//! ```text
//! 32x4   %3 = @load_ubo (%0, %1 (0x0)) (access=non-uniform, align_mul=16, align_offset=0, range_base=0, range=16)
//! ```
//!
//! After:
//!
//! ```text
//! 32     %3 = load_const (0x00000001)
//! 1      %4 = ult %0, %3 (0x1)
//!             // succs: b1 b2
//! if %4 {
//!     block b1:   // preds: b0
//!     32     %5 = load_const (0x00000000 = 0.000000)
//!     32x4   %6 = @load_ubo (%5 (0x0), %1 (0x0)) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)
//!                 // succs: b6
//! } else {
//!     block b2:   // preds: b0
//!     32     %7 = load_const (0x00000002)
//!     1      %8 = ult %0, %7 (0x2)
//!                 // succs: b3 b4
//!     if %8 {
//!         block b3:   // preds: b2
//!         32     %9 = load_const (0x00000001 = 0.000000)
//!         32x4  %10 = @load_ubo (%9 (0x1), %1 (0x0)) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)
//!                     // succs: b5
//!     } else {
//!         block b4:   // preds: b2
//!         32    %11 = load_const (0x00000002 = 0.000000)
//!         32x4  %12 = @load_ubo (%11 (0x2), %1 (0x0)) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)
//!                     // succs: b5
//!     }
//!     block b5:   // preds: b3 b4
//!     32x4  %13 = phi b3: %10, b4: %12
//!                 // succs: b6
//! }
//! block b6:   // preds: b1 b5
//! 32x4  %14 = phi b1: %6, b5: %13
//! ```

use crate::analysis::block_picks::{block_source, BlockPick, PickOf, SelectableBlocks, FEATURES, MOST_BLOCKS};
use crate::analysis::known_bits::KnownBits;
use crate::ir::{rewrite, Builder, Def, Directive, Edit, Inst, InstData, InstKind, PhiSrc, Shader};
use crate::op::fold::mask;
use crate::op::{Access, AluOp, Facts, Index};
use crate::pass::{Context, Pass};
use std::ops::Range;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_block_index",
    about: "turns accesses to a block with a dynamic index into ifs on the index",
    facts: Facts::PICKED_BLOCKS,
    met_by: |context| Facts::all_if(context.target.has_all(&FEATURES)),
    run,
    ..Pass::IDLE
};

/// What tells that the blocks are one array.
const DIRECTIVES: [(PickOf, Directive); 2] =
    [(PickOf::Uniforms, Directive::UniformBlockArray), (PickOf::Storage, Directive::StorageBlockArray)];

fn run(shader: &mut Shader, context: &Context) -> bool {
    let lowered = |shader: &Shader, inst| {
        BlockPick::new(shader, inst).filter(|pick: &BlockPick| !context.target.has(pick.feature))
    };
    // The common case: all blocks are known, or the device has the feature.
    if !shader.order.iter().any(|inst| lowered(shader, *inst).is_some()) {
        return false;
    }
    let blocks = SelectableBlocks::new(shader);
    shader.with_spare(|shader, known: &mut KnownBits| {
        known.analyse(shader);
        let mut picked = Vec::new();
        let changed = rewrite(shader, |b, inst| {
            let Some(pick) = lowered(b.shader, inst) else { return Edit::Keep };
            let Some(blocks) = blocks.of(b.shader, &pick).filter(|range| range.end - range.start <= MOST_BLOCKS) else {
                return Edit::Keep;
            };
            picked.push(pick.of);
            let blocks = possible(b.shader, known, pick.index, blocks);
            match ladder(b, inst, &pick, blocks) {
                Some(result) => Edit::Replace(result),
                None => Edit::Remove,
            }
        });
        known.shrink(shader);
        for (of, directive) in DIRECTIVES {
            if picked.contains(&of) {
                shader.info.say(directive);
            }
        }
        changed
    })
}

/// The range of `blocks` that `index` can be; at least one.
fn possible(shader: &Shader, known: &KnownBits, index: Def, blocks: Range<u32>) -> Range<u32> {
    let of_index = known.of(shader, index);
    let least = of_index.ones.max(least_sum(shader, known, index));
    let end = blocks.end.min(u32::try_from(of_index.max).unwrap_or(u32::MAX).saturating_add(1)).max(blocks.start + 1);
    let start = blocks.start.max(u32::try_from(least).unwrap_or(u32::MAX)).min(end - 1);
    start..end
}

/// A lower bound of `index`: the constant that is added to another value, if the sum cannot wrap.
fn least_sum(shader: &Shader, known: &KnownBits, index: Def) -> u64 {
    let Some((AluOp::iadd, &[a, b])) = shader.as_alu(index) else { return 0 };
    let most = mask(u64::MAX, shader.bit_size(index));
    [(a, b), (b, a)]
        .into_iter()
        .filter_map(|(added, other)| {
            let added = shader.as_const_src(added)?;
            let sum = known.of_src(shader, other).max.checked_add(added)?;
            (sum <= most).then_some(added)
        })
        .max()
        .unwrap_or(0)
}

/// Builds the ifs for the access `inst` to one of `blocks`, 4096 at most, and returns its result if it has one.
fn ladder(b: &mut Builder<'_>, inst: Inst, pick: &BlockPick, blocks: Range<u32>) -> Option<Def> {
    let Range { start, end } = blocks;
    if end - start == 1 {
        return leaf(b, inst, pick, start);
    }
    let middle = start + (end - start) / 2;
    let first_above = b.imm(b.shader.bit_size(pick.index), middle.into());
    let is_below = b.alu(AluOp::ult, &[pick.index, first_above]);
    b.begin_if(is_below);
    let below = ladder(b, inst, pick, start..middle);
    let end_below = b.current_block();
    b.begin_else();
    let above = ladder(b, inst, pick, middle..end);
    let end_above = b.current_block();
    b.end_if();
    let InstData { num_components, bit_size, .. } = b.shader.insts[inst];
    let srcs = [PhiSrc { pred: end_below, def: below? }, PhiSrc { pred: end_above, def: above? }];
    Some(b.phi(num_components, bit_size, &srcs))
}

/// Emits the access `inst` to this block and returns its result if it has one.
fn leaf(b: &mut Builder<'_>, inst: Inst, pick: &BlockPick, block: u32) -> Option<Def> {
    let InstData { num_components, bit_size, kind } = b.shader.insts[inst];
    let InstKind::Intrinsic { op, srcs, indices } = kind else { return None };
    let mut operands = b.shader.srcs[srcs].to_vec();
    operands[block_source(op)?.0] = b.imm(b.shader.bit_size(pick.index), block.into());
    let values = b.shader.indices[indices].to_vec();
    let (srcs, indices) = (b.shader.srcs.push(&operands), b.shader.indices.push(&values));
    let copy = b.inst(num_components, bit_size, InstKind::Intrinsic { op, srcs, indices });
    let access = b.shader.index(copy, Index::access) & !Access::NON_UNIFORM.bits();
    b.shader.set_index(copy, Index::access, access);
    b.shader.insts[copy].has_def().then(|| copy.def())
}
