// SPDX-License-Identifier: MIT

//! Removes ifs that do nothing.

use crate::entity::SideTable;
use crate::ir::{Block, Cf, InstKind, Shader};

/// The block that a block became part of.
pub(in crate::pass) type Joined = SideTable<Block, Option<Block>>;

/// Removes ifs with empty bodies. The block after such an if is merged into the block before it.
pub(in crate::pass) fn remove_empty_ifs(shader: &mut Shader, joined: &mut Joined) -> bool {
    let ends_empty_if =
        |at: &usize| shader.cf[*at] == Cf::EndIf && blocks_around_empty_if(shader, &shader.cf[..*at + 2]).is_some();
    let Some(first) = (0..shader.cf.len()).find(ends_empty_if) else { return false };
    joined.clear();
    let after_first = first + 1;
    let mut len = after_first;
    for at in after_first..shader.cf.len() {
        shader.cf[len] = shader.cf[at];
        len += 1;
        if let Some((before, after)) = blocks_around_empty_if(shader, &shader.cf[..len]) {
            shader.blocks[before].end = shader.blocks[after].end;
            joined.set(after, Some(before));
            len -= LEN_OF_EMPTY_IF + 1;
        }
    }
    shader.cf.truncate(len);
    rename_predecessors(shader, joined);
    true
}

/// The number of items of an empty if: the if, two bodies, and the blocks between and after them.
const LEN_OF_EMPTY_IF: usize = 5;

/// The blocks before and after an if that does nothing, if `cf` ends in these and no phi in the block after it depends on the
/// branch.
fn blocks_around_empty_if(shader: &Shader, cf: &[Cf]) -> Option<(Block, Block)> {
    let [.., Cf::Block(before), Cf::If { .. }, Cf::Block(then), Cf::Else, Cf::Block(or_else), Cf::EndIf, Cf::Block(after)] =
        *cf
    else {
        return None;
    };
    let is_empty = |block| shader.block_insts(block).is_empty();
    let has_phi = || shader.block_insts(after).first().is_some_and(|inst| shader.phi(*inst).is_some());
    // A block after a jump never runs, and nothing may be appended to a block that ends in one.
    let does_nothing = is_empty(then) && is_empty(or_else) && !has_phi() && shader.block_jump(before).is_none();
    does_nothing.then_some((before, after))
}

fn rename_predecessors(shader: &mut Shader, joined: &Joined) {
    for at in 0..shader.cf.len() {
        let Cf::Block(block) = shader.cf[at] else { continue };
        for index in shader.blocks[block].start..shader.blocks[block].end {
            let InstKind::Phi(srcs) = shader.insts[shader.order[index as usize]].kind else { break };
            for src in &mut shader.phi_srcs[srcs] {
                src.pred = joined[src.pred].unwrap_or(src.pred);
            }
        }
    }
}
