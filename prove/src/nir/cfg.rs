// SPDX-License-Identifier: MIT

//! The blocks that follow each other, from the control flow list.

use crate::flow::{BlockId, Loop};
use ntv::entity::Id;
use ntv::ir::{Cf, Def, Shader};
use rustc_hash::{FxHashMap, FxHashSet};

/// What follows a block without a jump.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    Block(BlockId),
    If(Def, BlockId, BlockId),
    End,
}

/// The control flow of a shader.
#[derive(Debug, Default)]
pub(super) struct Cfg {
    pub(super) order: Vec<BlockId>,
    pub(super) loops: Vec<Loop>,
    pub(super) next: FxHashMap<BlockId, Next>,
    /// For each block in a loop, the block after the innermost one.
    pub(super) breaks: FxHashMap<BlockId, Option<BlockId>>,
    /// For each block in a loop, the block to which `continue` jumps.
    pub(super) continues: FxHashMap<BlockId, BlockId>,
}

/// The items of an if or a loop.
#[derive(Clone, Copy, Debug)]
struct Construct {
    start: usize,
    middle: Option<usize>,
    end: usize,
}

impl Cfg {
    pub(super) fn new(shader: &Shader) -> Cfg {
        let cf = &shader.cf;
        let constructs = constructs(cf);
        let block_at = |at: usize| match cf.get(at) {
            Some(Cf::Block(block)) => Some(block.index()),
            _ => None,
        };
        let mut cfg = Cfg::default();
        for (at, item) in cf.iter().enumerate() {
            match item {
                Cf::Block(block) => {
                    cfg.order.push(block.index());
                    let next = next(cf, &constructs, at);
                    cfg.next.insert(block.index(), next);
                    let around = constructs.iter().filter(|it| it.start < at && at < it.end);
                    let innermost = around.filter(|it| cf[it.start] == Cf::Loop).max_by_key(|it| it.start);
                    if let Some(it) = innermost {
                        cfg.breaks.insert(block.index(), block_at(it.end + 1));
                        let target = it.middle.map_or(it.start + 1, |middle| middle + 1);
                        cfg.continues.insert(block.index(), block_at(target).unwrap_or_default());
                    }
                }
                Cf::Loop => {
                    let Some(it) = constructs.iter().find(|it| it.start == at) else { continue };
                    let body: FxHashSet<BlockId> = (it.start..it.end).filter_map(block_at).collect();
                    cfg.loops.push(Loop { header: block_at(at + 1).unwrap_or_default(), body });
                }
                _ => {}
            }
        }
        cfg
    }
}

/// All ifs and loops.
fn constructs(cf: &[Cf]) -> Vec<Construct> {
    let mut open: Vec<Construct> = Vec::new();
    let mut done = Vec::new();
    for (at, item) in cf.iter().enumerate() {
        match item {
            Cf::If { .. } | Cf::Loop => open.push(Construct { start: at, middle: None, end: at }),
            Cf::Else | Cf::Continue => {
                if let Some(construct) = open.last_mut() {
                    construct.middle = Some(at);
                }
            }
            Cf::EndIf | Cf::EndLoop => {
                if let Some(mut construct) = open.pop() {
                    construct.end = at;
                    done.push(construct);
                }
            }
            Cf::Block(_) => {}
        }
    }
    done
}

/// What follows the block at `at`.
fn next(cf: &[Cf], constructs: &[Construct], at: usize) -> Next {
    let block_at = |at: usize| match cf.get(at) {
        Some(Cf::Block(block)) => Some(block.index()),
        _ => None,
    };
    let to = |at: usize| block_at(at).map_or(Next::End, Next::Block);
    let starting = |at: usize| constructs.iter().find(|it| it.start == at);
    match cf.get(at + 1) {
        Some(Cf::If { cond, .. }) => {
            let otherwise = starting(at + 1).and_then(|it| block_at(it.middle? + 1));
            match (block_at(at + 2), otherwise) {
                (Some(yes), Some(no)) => Next::If(*cond, yes, no),
                _ => Next::End,
            }
        }
        Some(Cf::Else) => {
            let construct = constructs.iter().find(|it| it.middle == Some(at + 1));
            construct.map_or(Next::End, |it| to(it.end + 1))
        }
        Some(Cf::EndIf | Cf::Loop | Cf::Continue) => to(at + 2),
        Some(Cf::EndLoop) => {
            let construct = constructs.iter().find(|it| it.end == at + 1);
            construct.map_or(Next::End, |it| to(it.start + 1))
        }
        Some(Cf::Block(block)) => Next::Block(block.index()),
        None => Next::End,
    }
}
