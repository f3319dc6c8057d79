// SPDX-License-Identifier: MIT

//! One walk that rebuilds the program order of a shader: the way in which passes change a shader.
//!
//! The walk visits every instruction in order. For each, the pass returns whether to keep it, remove it, or replace its result,
//! and may first append new instructions, including ifs, before it. Uses of replaced results are renamed when the walk reaches
//! them; phis, whose sources may come later, at the end. A shader that a walk has changed is no longer [tidy](Shader::is_tidy).

use super::{Block, Builder, Cf, Def, Inst, InstKind, Shader};
use crate::entity::{Id, SideTable};
use std::cell::Cell;

/// The edit of the visited instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It is kept, after the instructions that the visit appended.
    Keep,
    /// It is removed; it has no result, or its result is not used.
    Remove,
    /// It is removed, and its result is replaced by this value.
    Replace(Def),
}

/// Visits every instruction of `shader` in program order. Returns true if anything changed.
pub fn rewrite(shader: &mut Shader, mut visit: impl FnMut(&mut Builder<'_>, Inst) -> Edit) -> bool {
    rewrite_cf(shader, &mut visit)
}

/// The callbacks of a walk: a closure that visits instructions, or a type that also handles blocks.
pub trait Rewriter {
    /// Called with each block as it is opened, before its first instruction; phis may be appended.
    fn enter(&mut self, _builder: &mut Builder<'_>, _block: Block) {}

    /// Returns the edit of `inst`.
    fn visit(&mut self, builder: &mut Builder<'_>, inst: Inst) -> Edit;
}

impl<F: FnMut(&mut Builder<'_>, Inst) -> Edit> Rewriter for F {
    fn visit(&mut self, builder: &mut Builder<'_>, inst: Inst) -> Edit {
        self(builder, inst)
    }
}

/// Rewrites a shader as [`rewrite`] does, with a visitor that also sees blocks.
#[inline(never)]
pub fn rewrite_cf(shader: &mut Shader, rewriter: &mut dyn Rewriter) -> bool {
    let mut scratch = std::mem::take(&mut shader.scratch);
    scratch.order.clear();
    std::mem::swap(&mut shader.order, &mut scratch.order);
    std::mem::swap(&mut shader.cf, &mut scratch.cf);
    let changed = rebuild(shader, rewriter, &scratch.order, &scratch.cf, &mut scratch.names);
    scratch.cf.clear();
    scratch.names.clear(shader.most_kept());
    shader.scratch = scratch;
    changed
}

/// The walk: builds new program order and control flow from the old ones. It is one function for all passes, because they are
/// rare.
fn rebuild(shader: &mut Shader, rewriter: &mut dyn Rewriter, order: &[Inst], cf: &[Cf], names: &mut Names) -> bool {
    let mut changed = false;
    let first_new = shader.insts.next_id();
    let has_lines = !shader.lines.is_clear();
    for item in cf {
        let block = match *item {
            Cf::Block(block) => block,
            Cf::If { cond, hint } => {
                shader.append_cf(Cf::If { cond: names.resolve(cond), hint });
                continue;
            }
            other => {
                shader.append_cf(other);
                continue;
            }
        };
        let range = shader.blocks[block];
        shader.append_cf(Cf::Block(block));
        let mut builder = Builder::new(shader);
        rewriter.enter(&mut builder, block);
        for inst in &order[range.start as usize..range.end as usize] {
            if names.any {
                names.rename_srcs(builder.shader, *inst);
            }
            if has_lines {
                builder.line = builder.shader.lines[*inst];
            }
            builder.visited = Some(*inst);
            match rewriter.visit(&mut builder, *inst) {
                // The common case: most instructions of most walks are kept.
                Edit::Keep => builder.shader.order.push(*inst),
                Edit::Remove => changed = true,
                Edit::Replace(def) => names.set(inst.def(), def),
            }
        }
        builder.shader.end_block(builder.shader.order.len());
        if builder.split {
            names.last_part.set(block, Some(builder.current_block()));
            changed = true;
        }
    }
    changed |= names.any || shader.insts.next_id() != first_new;
    if changed {
        shader.is_tidy = false;
        names.rename_phis(shader, first_new);
        names.rename_conditions(shader);
    }
    changed
}

/// The old lists of a walk, and its tables: their memory is used again for the next walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) order: Vec<Inst>,
    cf: Vec<Cf>,
    names: Names,
}

/// The new names of values and blocks after the walk.
#[derive(Clone, Debug, Default)]
struct Names {
    /// Whether there is an alias.
    any: bool,
    alias: SideTable<Def, Option<Def>>,
    /// The block that ends where an old block ended, if it was split.
    last_part: SideTable<Block, Option<Block>>,
}

impl Names {
    fn set(&mut self, def: Def, alias: Def) {
        self.any = true;
        self.alias.set(def, Some(alias));
    }

    /// Forgets all, and frees a table of aliases that is larger than this.
    fn clear(&mut self, most_kept: usize) {
        self.any = false;
        self.alias.clear_to(most_kept);
        self.last_part.clear();
    }

    fn resolve(&self, mut def: Def) -> Def {
        while let Some(next) = self.alias[def] {
            def = next;
        }
        def
    }

    /// Renames the sources of `inst`, unless it is a phi. Most walks rename nothing, so it is not inlined.
    #[inline(never)]
    fn rename_srcs(&self, shader: &mut Shader, inst: Inst) {
        if !matches!(shader.insts[inst].kind, InstKind::Phi(_)) {
            shader.map_srcs(inst, |def| self.resolve(def));
        }
    }

    /// Renames the sources of all phis, which are first in their blocks. Phis from `first_new` on were made by the walk, and
    /// refer to the blocks that it opened.
    fn rename_phis(&self, shader: &mut Shader, first_new: Inst) {
        let Shader { cf, blocks, order, insts, phi_srcs, .. } = shader;
        for item in cf.iter() {
            let Cf::Block(block) = *item else { continue };
            for inst in &order[blocks[block].start as usize..blocks[block].end as usize] {
                let InstKind::Phi(srcs) = insts[*inst].kind else { break };
                for src in &mut phi_srcs[srcs] {
                    src.def = self.resolve(src.def);
                    if *inst < first_new {
                        src.pred = self.last_part[src.pred].unwrap_or(src.pred);
                    }
                }
            }
        }
    }

    fn rename_conditions(&self, shader: &mut Shader) {
        for item in &mut shader.cf {
            if let Cf::If { cond, .. } = item {
                *cond = self.resolve(*cond);
            }
        }
    }
}

impl Shader {
    /// Removes the instructions for which `keep` returns false; kept ones may not use them. Returns true if there were any.
    pub fn retain(&mut self, keep: impl Fn(Inst) -> bool) -> bool {
        let Shader { cf, blocks, order, .. } = self;
        let cells = Cell::from_mut(order.as_mut_slice()).as_slice_of_cells();
        let mut to = 0;
        for item in cf.iter() {
            let Cf::Block(block) = *item else { continue };
            let range = &mut blocks[block];
            let insts = &cells[range.start as usize..range.end as usize];
            range.start = to as u32;
            for inst in insts {
                cells[to].set(inst.get());
                to += usize::from(keep(inst.get()));
            }
            range.end = to as u32;
        }
        let some_went = to != order.len();
        order.truncate(to);
        some_went
    }

    /// A table with an entry for each existing instruction.
    pub fn inst_table<V: Clone>(&self, default: V) -> SideTable<Inst, V> {
        SideTable::with_len(default, self.insts.len())
    }

    /// A table with an entry for each existing value.
    pub fn def_table<V: Clone>(&self, default: V) -> SideTable<Def, V> {
        SideTable::with_len(default, self.insts.len())
    }

    /// A table with an entry for each existing block.
    pub fn block_table<V: Clone>(&self, default: V) -> SideTable<Block, V> {
        SideTable::with_len(default, self.blocks.len())
    }

    /// The number of possible values: one past the largest id.
    pub fn num_defs(&self) -> usize {
        self.insts.next_id().index()
    }
}
