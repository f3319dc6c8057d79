// SPDX-License-Identifier: MIT

//! The predecessors and successors that a dump prints with each block.

use crate::ir::{Cf, Jump, Shader};

/// The predecessors and successors of each block, by its number in program order. The end of the function is a block too.
pub(super) struct Edges {
    pub(super) preds: Vec<Vec<u32>>,
    pub(super) succs: Vec<Vec<u32>>,
}

impl Edges {
    /// The edges between the blocks of `shader`.
    pub(super) fn of(shader: &Shader) -> Edges {
        let tree = Tree::of(shader);
        let end = tree.end as usize;
        let mut edges = Edges { preds: vec![Vec::new(); end + 1], succs: vec![Vec::new(); end + 1] };
        let mut loops = Vec::new();
        for (at, item) in shader.cf.iter().enumerate() {
            match *item {
                Cf::Block(block) => {
                    let from = tree.block_at(at);
                    for to in tree.successors(at, shader.block_jump(block), loops.last().copied()) {
                        edges.succs[from as usize].push(to);
                        edges.preds[to as usize].push(from);
                    }
                }
                Cf::Loop => loops.push(at),
                Cf::EndLoop => {
                    loops.pop();
                }
                _ => {}
            }
        }
        edges
    }
}

/// The control flow list with the positions of its bodies.
struct Tree<'a> {
    cf: &'a [Cf],
    /// For each item that opens a body, the end of that body: the index of Else, EndIf, Continue or EndLoop.
    body_end: Vec<usize>,
    /// For each item, the number of blocks before it.
    blocks_before: Vec<u32>,
    /// The number of the end of the function.
    end: u32,
}

impl<'a> Tree<'a> {
    fn of(shader: &'a Shader) -> Tree<'a> {
        let cf = &shader.cf[..];
        let mut tree = Tree { cf, body_end: vec![cf.len(); cf.len()], blocks_before: Vec::new(), end: 0 };
        let mut open = Vec::new();
        for (at, item) in cf.iter().enumerate() {
            tree.blocks_before.push(tree.end);
            tree.end += u32::from(matches!(item, Cf::Block(_)));
            if matches!(item, Cf::Else | Cf::Continue | Cf::EndIf | Cf::EndLoop) {
                if let Some(start) = open.pop() {
                    tree.body_end[start] = at;
                }
            }
            if matches!(item, Cf::If { .. } | Cf::Else | Cf::Loop | Cf::Continue) {
                open.push(at);
            }
        }
        tree
    }

    /// The number of the block at index `at` of the list.
    fn block_at(&self, at: usize) -> u32 {
        self.blocks_before.get(at).copied().unwrap_or(self.end)
    }

    /// The block after the body that the item at `start` opens.
    fn block_after(&self, start: usize) -> u32 {
        self.block_at(self.body_end[start] + 1)
    }

    /// The successors of the block at `at`, within the loop at `innermost`.
    fn successors(&self, at: usize, jump: Option<Jump>, innermost: Option<usize>) -> Vec<u32> {
        let continue_at =
            innermost.map(|start| self.body_end[start]).filter(|end| self.cf.get(*end) == Some(&Cf::Continue));
        match (jump, innermost) {
            (Some(Jump::Break), Some(start)) => return vec![self.block_after(continue_at.unwrap_or(start))],
            (Some(Jump::Continue), Some(start)) => return vec![self.block_at(continue_at.unwrap_or(start) + 1)],
            (Some(_), _) => return vec![self.end],
            (None, _) => {}
        }
        match (self.cf.get(at + 1), innermost) {
            (Some(Cf::If { .. }), _) => vec![self.block_at(at + 2), self.block_after(at + 1)],
            (Some(Cf::Else), _) => vec![self.block_after(at + 1)],
            (Some(Cf::EndLoop), Some(start)) => vec![self.block_at(start + 1)],
            (Some(_), _) => vec![self.block_at(at + 2)],
            (None, _) => vec![self.end],
        }
    }
}
