//! One walk that rebuilds a shader's program order: how passes change a shader.
//!
//! The walk visits every instruction in order. For each, the pass says whether to keep it, drop it, or replace its result,
//! and may first append new instructions, new ifs among them, in front. Uses of replaced results are renamed as the walk
//! reaches them; phis, whose sources may come later, at its end. A shader that a walk has changed is
//! [tidy](Shader::is_tidy) no more.

use super::{Block, Builder, Cf, Def, Inst, InstKind, Shader};
use crate::entity::{Id, SideTable};
use std::cell::Cell;

/// What becomes of the instruction that is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It stays, behind what the visit appended.
    Keep,
    /// It goes; it has no result, or none that is used.
    Remove,
    /// It goes, and its result is this value from now on.
    Replace(Def),
}

/// Visits every instruction of `shader` in program order. Returns true if anything changed.
pub fn rewrite(shader: &mut Shader, mut visit: impl FnMut(&mut Builder<'_>, Inst) -> Edit) -> bool {
    rewrite_cf(shader, &mut visit)
}

/// What a walk does: a closure that visits instructions, or a type that also looks at blocks.
pub trait Rewriter {
    /// Called with each block as it is opened, before its first instruction; phis may be appended.
    fn enter(&mut self, _builder: &mut Builder<'_>, _block: Block) {}

    /// Says what becomes of `inst`.
    fn visit(&mut self, builder: &mut Builder<'_>, inst: Inst) -> Edit;
}

impl<F: FnMut(&mut Builder<'_>, Inst) -> Edit> Rewriter for F {
    fn visit(&mut self, builder: &mut Builder<'_>, inst: Inst) -> Edit {
        self(builder, inst)
    }
}

/// Like [`rewrite`], with a visitor that also sees blocks.
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

/// The walk: makes program order and control flow anew from the old ones. One function for all passes, as they are rare.
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
            match rewriter.visit(&mut builder, *inst) {
                // The end of the block follows below: most instructions of most walks stay.
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

/// The old lists of a walk, and its tables: their memory serves the next walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) order: Vec<Inst>,
    cf: Vec<Cf>,
    names: Names,
}

/// What values and blocks are called after the walk.
#[derive(Clone, Debug, Default)]
struct Names {
    /// There is an alias.
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

    /// Forgets all, and keeps a table of aliases that has no more room than this.
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

    /// Renames the sources of `inst`, unless it is a phi. Out of the way of walks that rename nothing.
    #[inline(never)]
    fn rename_srcs(&self, shader: &mut Shader, inst: Inst) {
        if !matches!(shader.insts[inst].kind, InstKind::Phi(_)) {
            shader.map_srcs(inst, |def| self.resolve(def));
        }
    }

    /// Renames the sources of all phis, which stand first in their blocks. Those from `first_new` on were made by the walk,
    /// and name the blocks that it opened.
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
    /// Removes the instructions of which `keep` says no; nothing that stays may use them. Returns true if there were such.
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

    /// A table with an entry for each instruction that exists now.
    pub fn inst_table<V: Clone>(&self, default: V) -> SideTable<Inst, V> {
        SideTable::with_len(default, self.insts.len())
    }

    /// A table with an entry for each value that exists now.
    pub fn def_table<V: Clone>(&self, default: V) -> SideTable<Def, V> {
        SideTable::with_len(default, self.insts.len())
    }

    /// A table with an entry for each block that exists now.
    pub fn block_table<V: Clone>(&self, default: V) -> SideTable<Block, V> {
        SideTable::with_len(default, self.blocks.len())
    }

    /// The number of values that could exist: one past the largest id.
    pub fn num_defs(&self) -> usize {
        self.insts.next_id().index()
    }
}
