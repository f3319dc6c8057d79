// SPDX-License-Identifier: MIT

//! The dominator tree: for each block its immediate dominator.
//!
//! Structured control flow allows it to be built in one walk, without a graph: the dominator of the current position is known,
//! and is kept for the else-body of an if and for the code after a loop.

use crate::entity::SideTable;
use crate::ir::{Block, Cf, Jump, Shader};

/// The tree.
#[derive(Clone, Debug, Default)]
pub struct Dominators {
    nodes: SideTable<Block, Option<Node>>,
    /// Tables of the walk.
    ifs: Vec<Option<Block>>,
    loops: Vec<Loop>,
}

/// A reachable block.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The parent; the entry block is its own.
    idom: Block,
    /// An ancestor further up, chosen so that any ancestor is reached in a logarithmic number of jumps.
    jump: Block,
    depth: u32,
}

/// An open loop: the common dominator of all its jumps of each kind so far.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    breaks: Option<Block>,
    continues: Option<Block>,
}

impl Dominators {
    /// The tree of a valid shader.
    pub fn new(shader: &Shader) -> Dominators {
        let mut tree = Dominators::default();
        tree.build(shader);
        tree
    }

    /// Rebuilds the tree for a valid shader.
    pub fn build(&mut self, shader: &Shader) {
        self.reset(shader.blocks.len());
        let (mut ifs, mut loops) = (std::mem::take(&mut self.ifs), std::mem::take(&mut self.loops));
        // The innermost block that dominates this position; `None` if it is unreachable.
        let mut here = None;
        for (at, item) in shader.cf.iter().enumerate() {
            match *item {
                Cf::Block(block) => {
                    match here {
                        Some(idom) => self.add(block, idom),
                        None if at == 0 => self.add_entry(block),
                        None => continue,
                    }
                    here = Some(block);
                    let Some(jump) = shader.block_jump(block) else { continue };
                    if let Some(innermost) = loops.last_mut() {
                        match jump {
                            Jump::Break => innermost.breaks = self.common(innermost.breaks, here),
                            Jump::Continue => innermost.continues = self.common(innermost.continues, here),
                            Jump::Return | Jump::Halt => {}
                        }
                    }
                    here = None;
                }
                Cf::If { .. } => ifs.push(here),
                Cf::Else => {
                    // Until here it was the block before the if, from here on it is the end of the then-body.
                    if let Some(other) = ifs.last_mut() {
                        std::mem::swap(other, &mut here);
                    }
                }
                Cf::EndIf => here = self.common(here, ifs.pop().flatten()),
                Cf::Loop => loops.push(Loop::default()),
                Cf::Continue => here = self.common(here, loops.last().and_then(|innermost| innermost.continues)),
                Cf::EndLoop => here = loops.pop().and_then(|innermost| innermost.breaks),
            }
        }
        ifs.clear();
        loops.clear();
        (self.ifs, self.loops) = (ifs, loops);
    }

    /// Whether a path leads to `block`, whatever the conditions.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.nodes[block].is_some()
    }

    /// Whether every path to `b` leads through `a`. There is no path to an unreachable block, so all blocks dominate it.
    pub fn dominates(&self, a: Block, mut b: Block) -> bool {
        let Some(top) = self.nodes[a] else { return !self.is_reachable(b) };
        while let Some(node) = self.nodes[b].filter(|node| node.depth > top.depth) {
            b = self.step_up(node, top.depth);
        }
        a == b || !self.is_reachable(b)
    }

    /// The immediate dominator of `block`; `None` for the entry block and unreachable ones.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.nodes[block].map(|node| node.idom).filter(|idom| *idom != block)
    }

    /// Forgets all, and makes room for `blocks` blocks.
    pub(super) fn reset(&mut self, blocks: usize) {
        self.nodes.reset(blocks);
    }

    /// Adds the entry block.
    pub(super) fn add_entry(&mut self, block: Block) {
        self.nodes.set(block, Some(Node { idom: block, jump: block, depth: 0 }));
    }

    /// Adds a block below `idom`.
    pub(super) fn add(&mut self, block: Block, idom: Block) {
        let Some(parent) = self.nodes[idom] else { return };
        self.nodes.set(block, Some(Node { idom, jump: self.jump_below(idom, parent), depth: parent.depth + 1 }));
    }

    /// The jump of a child of `parent`: two equal jumps in a row are joined to one of twice the length.
    fn jump_below(&self, parent_block: Block, parent: Node) -> Block {
        let depth = |block: Block| self.nodes[block].map_or(0, |node| node.depth);
        match self.nodes[parent.jump] {
            Some(jump) if parent.depth - depth(parent.jump) == depth(parent.jump) - depth(jump.jump) => jump.jump,
            _ => parent_block,
        }
    }

    /// The innermost block that dominates both `a` and `b`; the other one if one is unreachable.
    pub(super) fn common(&self, a: Option<Block>, b: Option<Block>) -> Option<Block> {
        let (Some(mut a), Some(mut b)) = (a, b) else { return a.or(b) };
        while let (Some(x), Some(y)) = (self.nodes[a], self.nodes[b]) {
            if a == b {
                break;
            }
            if x.depth < y.depth {
                b = self.step_up(y, x.depth);
            } else if x.depth > y.depth {
                a = self.step_up(x, y.depth);
            } else if x.jump != y.jump {
                (a, b) = (x.jump, y.jump);
            } else {
                (a, b) = (x.idom, y.idom);
            }
        }
        Some(a)
    }

    /// An ancestor of `node` that is not above `depth`.
    fn step_up(&self, node: Node, depth: u32) -> Block {
        match self.nodes[node.jump] {
            Some(jump) if jump.depth >= depth => node.jump,
            _ => node.idom,
        }
    }
}
