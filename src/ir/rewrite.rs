//! One walk that rebuilds a shader's program order: how passes change a shader.
//!
//! The walk visits every instruction in order. For each, the pass says whether to keep it, drop it, or replace its result,
//! and may first append new instructions, new ifs among them, in front. Uses of replaced results are renamed as the walk
//! reaches them; phis, whose sources may come later, at its end.

use super::{Block, Builder, Cf, Def, Inst, InstKind, Shader};
use crate::entity::{Id, SideTable};

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
pub fn rewrite_cf(shader: &mut Shader, rewriter: &mut impl Rewriter) -> bool {
    let old_order = std::mem::take(&mut shader.order);
    let old_cf = std::mem::take(&mut shader.cf);
    shader.order.reserve(old_order.len());
    shader.cf.reserve(old_cf.len());
    let first_new = shader.insts.next_id();
    let mut names = Names { alias: SideTable::new(None), last_part: SideTable::new(None) };
    for item in &old_cf {
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
        for inst in &old_order[range.start as usize..range.end as usize] {
            if !matches!(builder.shader.insts[*inst].kind, InstKind::Phi(_)) {
                builder.shader.map_srcs(*inst, |def| names.resolve(def));
            }
            builder.line = builder.shader.lines[*inst];
            match rewriter.visit(&mut builder, *inst) {
                Edit::Keep => builder.shader.append_existing(*inst),
                Edit::Remove => {}
                Edit::Replace(def) => names.alias.set(inst.def(), Some(def)),
            }
        }
        if builder.split {
            names.last_part.set(block, Some(builder.current_block()));
        }
    }
    let changed = shader.order != old_order || shader.cf != old_cf;
    if changed {
        names.rename_phis(shader, first_new);
        names.rename_conditions(shader);
    }
    changed
}

/// What values and blocks are called after the walk.
struct Names {
    alias: SideTable<Def, Option<Def>>,
    /// The block that ends where an old block ended, if it was split.
    last_part: SideTable<Block, Option<Block>>,
}

impl Names {
    fn resolve(&self, mut def: Def) -> Def {
        while let Some(next) = self.alias[def] {
            def = next;
        }
        def
    }

    /// Renames the sources of all phis. Those from `first_new` on were made by the walk, and name the blocks that it opened.
    fn rename_phis(&self, shader: &mut Shader, first_new: Inst) {
        for index in 0..shader.order.len() {
            let inst = shader.order[index];
            if let InstKind::Phi(srcs) = shader.insts[inst].kind {
                for src in &mut shader.phi_srcs[srcs] {
                    src.def = self.resolve(src.def);
                    if inst < first_new {
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
