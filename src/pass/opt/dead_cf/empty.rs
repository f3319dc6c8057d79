//! Ifs that do nothing.

use crate::entity::SideTable;
use crate::ir::{Block, Cf, InstKind, Shader};

/// The block that a block became part of.
pub(in crate::pass) type Joined = SideTable<Block, Option<Block>>;

/// Removes ifs with nothing in them. What stands behind one goes on with the block in front of it.
pub(in crate::pass) fn remove_empty_ifs(shader: &mut Shader, joined: &mut Joined) -> bool {
    let ends_empty_if =
        |at: &usize| shader.cf[*at] == Cf::EndIf && front_of_empty_if(shader, &shader.cf[..*at + 2]).is_some();
    let Some(first) = (0..shader.cf.len()).find(ends_empty_if) else { return false };
    joined.clear();
    let behind_first = first + 1;
    let mut len = behind_first;
    for at in behind_first..shader.cf.len() {
        shader.cf[len] = shader.cf[at];
        len += 1;
        if let Some((front, behind)) = front_of_empty_if(shader, &shader.cf[..len]) {
            shader.blocks[front].end = shader.blocks[behind].end;
            joined.set(behind, Some(front));
            len -= LEN_OF_EMPTY_IF + 1;
        }
    }
    shader.cf.truncate(len);
    rename_predecessors(shader, joined);
    true
}

/// An if, two blocks, and what stands between and behind them.
const LEN_OF_EMPTY_IF: usize = 5;

/// The blocks in front of and behind an if that does nothing, and after which nobody asks which way control came, if `cf` ends in
/// these.
fn front_of_empty_if(shader: &Shader, cf: &[Cf]) -> Option<(Block, Block)> {
    let [.., Cf::Block(front), Cf::If { .. }, Cf::Block(then), Cf::Else, Cf::Block(or_else), Cf::EndIf, Cf::Block(behind)] =
        *cf
    else {
        return None;
    };
    let is_empty = |block| shader.block_insts(block).is_empty();
    let has_phi = || shader.block_insts(behind).first().is_some_and(|inst| shader.phi(*inst).is_some());
    // Behind a jump nothing runs, and nothing may stand in the same block.
    let goes = is_empty(then) && is_empty(or_else) && !has_phi() && shader.block_jump(front).is_none();
    goes.then_some((front, behind))
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
