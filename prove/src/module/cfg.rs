// SPDX-License-Identifier: MIT

//! The order of the blocks of a function, and its loops.

use super::Reason;
use crate::flow::{BlockId, Loop};
use rustc_hash::FxHashSet;

/// A block of the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// The blocks that may follow.
    pub(super) successors: Vec<BlockId>,
    /// The block after the loop, if this is the header of one.
    pub(super) merge: Option<BlockId>,
}

/// The order of the blocks and the loops.
#[derive(Debug, Default)]
pub(super) struct Cfg {
    pub(super) order: Vec<BlockId>,
    pub(super) loops: Vec<Loop>,
}

/// Orders the blocks that control may reach, and finds the loops.
///
/// # Errors
/// The control flow is not structured.
pub(super) fn cfg(nodes: &[Node]) -> Reason<Cfg> {
    let order = order(nodes)?;
    let dominators = Dominators::new(nodes, &order);
    let mut loops = Vec::new();
    for &header in &order {
        let Some(merge) = nodes[header].merge else { continue };
        let is_inside = |block: &BlockId| dominators.dominates(header, *block) && !dominators.dominates(merge, *block);
        let mut body: FxHashSet<BlockId> = order.iter().copied().filter(is_inside).collect();
        body.extend(latches(nodes, header, &order, &dominators)?);
        body.insert(header);
        loops.push(Loop { header, body });
    }
    Ok(Cfg { order, loops })
}

/// The blocks that are dominated by the header and from which control comes back to it.
fn latches(nodes: &[Node], header: BlockId, order: &[BlockId], dominators: &Dominators) -> Reason<Vec<BlockId>> {
    let mut reaching = FxHashSet::from_iter([header]);
    for &block in order.iter().rev() {
        if block != header && nodes[block].successors.iter().any(|next| reaching.contains(next)) {
            let is_back = dominators.position[block] > dominators.position[header];
            if is_back && !dominators.dominates(header, block) {
                return Err("a loop with several entries".into());
            }
            if is_back {
                reaching.insert(block);
            }
        }
    }
    Ok(reaching.into_iter().collect())
}

/// The reverse postorder without edges back to the headers of loops.
fn order(nodes: &[Node]) -> Reason<Vec<BlockId>> {
    if nodes.is_empty() {
        return Err("a function without blocks".into());
    }
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; nodes.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, 0)];
    marks[0] = Mark::Open;
    while let Some((block, next)) = stack.last_mut() {
        let block = *block;
        // What is later in the text is visited first, so that it is later in the order: loops are numbered alike.
        let mut successors = nodes[block].successors.clone();
        successors.sort_unstable_by(|a, b| b.cmp(a));
        let Some(&to) = successors.get(*next) else {
            marks[block] = Mark::Done;
            order.push(block);
            stack.pop();
            continue;
        };
        *next += 1;
        match marks[to] {
            Mark::New => {
                marks[to] = Mark::Open;
                stack.push((to, 0));
            }
            Mark::Open if nodes[to].merge.is_none() => return Err("a cycle that is no loop".into()),
            _ => {}
        }
    }
    order.reverse();
    Ok(order)
}

/// The dominator tree (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm").
struct Dominators {
    /// The place of each block in the order.
    position: Vec<usize>,
    /// For the block at each place, the place of its immediate dominator.
    immediate: Vec<usize>,
}

impl Dominators {
    fn new(nodes: &[Node], order: &[BlockId]) -> Dominators {
        let mut position = vec![usize::MAX; nodes.len()];
        for (place, block) in order.iter().enumerate() {
            position[*block] = place;
        }
        let mut predecessors = vec![Vec::new(); order.len()];
        for (place, block) in order.iter().enumerate() {
            for next in &nodes[*block].successors {
                predecessors[position[*next]].push(place);
            }
        }
        let mut immediate = vec![usize::MAX; order.len()];
        immediate[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for place in 1..order.len() {
                let known = predecessors[place].iter().copied().filter(|from| immediate[*from] != usize::MAX);
                let found = known.reduce(|mut a, mut b| {
                    while a != b {
                        match a > b {
                            true => a = immediate[a],
                            false => b = immediate[b],
                        }
                    }
                    a
                });
                if let Some(found) = found.filter(|found| immediate[place] != *found) {
                    immediate[place] = found;
                    changed = true;
                }
            }
        }
        Dominators { position, immediate }
    }

    /// Whether control can't come to `block` but through `above`. A block that is not reached dominates nothing.
    fn dominates(&self, above: BlockId, block: BlockId) -> bool {
        let (above, mut place) = (self.position[above], self.position[block]);
        if above == usize::MAX || place == usize::MAX {
            return false;
        }
        while place > above {
            place = self.immediate[place];
        }
        place == above
    }
}
