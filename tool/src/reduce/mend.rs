// SPDX-License-Identifier: MIT

//! Makes a valid shader from a shader that has lost parts: replaces what its remaining instructions need.
//!
//! The search removes instructions and control flow in any way. This module then merges neighbouring blocks, gives phis one
//! source per predecessor, and replaces removed values by a zero or an undef at the start of the shader. If a value cannot be
//! replaced, such as a deref, its users are removed, too.

use ntv::analysis::cfg::Cfg;
use ntv::entity::{Id as _, SideTable};
use ntv::ir::{Block, Cf, Def, Inst, InstData, InstKind, Jump, PhiSrc, Swizzle};
use ntv::op::intrinsic::Components;
use ntv::op::{Index, Intrinsic};
use ntv::Shader;

/// The replacement of a removed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// A zero.
    Zero,
    /// An undef.
    Undef,
}

/// A shader, and the parts that it has lost.
pub(super) struct Edit {
    /// The shader with its new control flow list; blocks may follow each other in it.
    pub(super) shader: Shader,
    /// The replacement of removed values.
    pub(super) fill: Fill,
    removed: SideTable<Inst, bool>,
    /// The value that the users of a value get in its place.
    renamed: SideTable<Def, Option<Def>>,
    /// The block that a block became part of.
    merged: SideTable<Block, Option<Block>>,
    fills: Vec<Inst>,
}

impl Edit {
    /// An edit that removes nothing.
    pub(super) fn new(shader: &Shader, fill: Fill) -> Edit {
        Edit {
            removed: shader.inst_table(false),
            renamed: shader.def_table(None),
            merged: shader.block_table(None),
            fills: Vec::new(),
            shader: shader.clone(),
            fill,
        }
    }

    /// Removes `inst`.
    pub(super) fn remove(&mut self, inst: Inst) {
        self.removed.set(inst, true);
    }

    /// Removes the instruction of `def`, and replaces `def` by `other` in its users.
    pub(super) fn replace(&mut self, def: Def, other: Def) {
        let other = self.resolve(other);
        if other != def {
            self.remove(def.inst());
            self.renamed.set(def, Some(other));
        }
    }

    /// Makes the valid shader.
    pub(super) fn mend(mut self) -> Shader {
        self.merge_blocks();
        let cfg = Cfg::new(&self.shader);
        self.find_fills();
        while self.connect(&cfg) {}
        self.drop_removed();
        self.put_fills();
        self.shader
    }

    fn resolve(&self, mut def: Def) -> Def {
        while let Some(next) = self.renamed[def] {
            def = next;
        }
        def
    }

    /// The block that now has the instructions of `block`.
    fn part_of(&self, mut block: Block) -> Block {
        while let Some(next) = self.merged[block] {
            block = next;
        }
        block
    }

    /// Rebuilds the program order and merges blocks that follow each other.
    fn merge_blocks(&mut self) {
        let old_cf = std::mem::take(&mut self.shader.cf);
        let old_order = std::mem::take(&mut self.shader.order);
        let (mut open, mut loops, mut jumped) = (None, 0, false);
        for item in old_cf {
            let Cf::Block(block) = item else {
                loops += i32::from(item == Cf::Loop) - i32::from(item == Cf::EndLoop);
                self.shader.append_cf(item);
                open = None;
                continue;
            };
            let range = self.shader.blocks[block];
            match open {
                Some(first) => self.merged.set(block, Some(first)),
                None => {
                    self.shader.append_cf(item);
                    (open, jumped) = (Some(block), false);
                }
            }
            for inst in &old_order[range.start as usize..range.end as usize] {
                if !jumped && !self.removed[*inst] && self.keeps(*inst, block, loops) {
                    jumped = matches!(self.shader.insts[*inst].kind, InstKind::Jump(_));
                    self.shader.append_existing(*inst);
                }
            }
        }
    }

    /// Whether `inst` of `block` can stay there. A phi in the middle of a block has one predecessor and is replaced by its
    /// source.
    fn keeps(&mut self, inst: Inst, block: Block, loops: i32) -> bool {
        match self.shader.insts[inst].kind {
            InstKind::Jump(Jump::Break | Jump::Continue) => loops > 0,
            InstKind::Phi(srcs) if self.merged[block].is_some() => {
                let here = self.part_of(block);
                let srcs = &self.shader.phi_srcs[srcs];
                let src = srcs.iter().find(|src| self.part_of(src.pred) == here).or(srcs.first());
                if let Some(def) = src.map(|src| src.def) {
                    self.replace(inst.def(), def);
                }
                false
            }
            _ => true,
        }
    }

    /// Gives every user a value that reaches it. Returns true if an instruction was removed, so that its users must be connected
    /// again.
    fn connect(&mut self, cfg: &Cfg) -> bool {
        let mut sites = self.shader.inst_table(None);
        let blocks: Vec<Block> = self.shader.block_order().collect();
        for block in &blocks {
            for (at, inst) in self.shader.block_insts(*block).iter().enumerate() {
                if !self.removed[*inst] {
                    sites.set(*inst, Some((*block, at)));
                }
            }
        }
        let reach = Reach { cfg, sites };
        let mut again = false;
        for block in blocks {
            for at in 0..self.shader.block_insts(block).len() {
                let inst = self.shader.block_insts(block)[at];
                if self.removed[inst] {
                    continue;
                }
                let fine = match self.shader.insts[inst].kind {
                    InstKind::Phi(_) => self.connect_phi(&reach, inst, block),
                    _ => self.connect_inst(&reach, inst, (block, at)),
                };
                if !fine {
                    self.remove(inst);
                    again = true;
                }
            }
        }
        self.connect_conditions(&reach);
        again
    }

    fn connect_inst(&mut self, reach: &Reach<'_>, inst: Inst, site: (Block, usize)) -> bool {
        let mut srcs = Vec::new();
        self.shader.for_each_src(inst, |def| srcs.push(def));
        let mut connected = Vec::with_capacity(srcs.len());
        for def in srcs {
            let Some(def) = self.reaching(reach, def, site) else { return false };
            connected.push(def);
        }
        let mut connected = connected.into_iter();
        self.shader.map_srcs(inst, |def| connected.next().unwrap_or(def));
        self.fit_components(inst);
        true
    }

    fn connect_phi(&mut self, reach: &Reach<'_>, inst: Inst, block: Block) -> bool {
        let old = self.shader.phi(inst).unwrap_or_default().to_vec();
        let mut srcs = Vec::new();
        for pred in reach.cfg.preds(block) {
            let from_there = old.iter().find(|src| self.part_of(src.pred) == *pred);
            let def = from_there.map_or(inst.def(), |src| src.def);
            let reaching =
                if from_there.is_some() { self.reaching(reach, def, (*pred, usize::MAX)) } else { self.fill(def) };
            let Some(def) = reaching else { return false };
            srcs.push(PhiSrc { pred: *pred, def });
        }
        let kind = InstKind::Phi(self.shader.phi_srcs.push(&srcs));
        self.shader.set_kind(inst, kind);
        !srcs.is_empty()
    }

    fn connect_conditions(&mut self, reach: &Reach<'_>) {
        let mut last = None;
        for at in 0..self.shader.cf.len() {
            match self.shader.cf[at] {
                Cf::Block(block) => last = Some(block),
                Cf::If { cond, hint } => {
                    let block = last.unwrap_or_else(|| Block::from_index(0));
                    let cond = self.reaching(reach, cond, (block, usize::MAX)).unwrap_or(cond);
                    self.shader.cf[at] = Cf::If { cond, hint };
                }
                _ => {}
            }
        }
    }

    /// The current name of `def` if it reaches `user`, otherwise its replacement; `None` if there is none.
    fn reaching(&mut self, reach: &Reach<'_>, def: Def, user: (Block, usize)) -> Option<Def> {
        let def = self.resolve(def);
        let reaches = self.fills.contains(&def.inst()) || (!self.removed[def.inst()] && reach.reaches(def, user));
        if reaches {
            Some(def)
        } else {
            self.fill(def)
        }
    }

    /// Removes reads and writes of components that a value no longer has.
    fn fit_components(&mut self, inst: Inst) {
        let shader = &mut self.shader;
        match shader.insts[inst].kind {
            InstKind::Alu { srcs, .. } => {
                for at in 0..srcs.len() {
                    let mut src = shader.alu_srcs[srcs][at];
                    let last = shader.num_components(src.def).saturating_sub(1);
                    let components: Vec<u8> = src.swizzle.components(16).map(|c| c.min(last)).collect();
                    src.swizzle = Swizzle::new(&components);
                    shader.alu_srcs[srcs][at] = src;
                }
            }
            InstKind::Intrinsic { op, srcs, .. } => {
                let value = op.info().srcs.iter().position(|components| *components == Components::Instr);
                let value = value.and_then(|at| shader.srcs[srcs].get(at).copied());
                if let Some(value) = value {
                    let written = (1u32 << shader.num_components(value)) - 1;
                    let mask = shader.index(inst, Index::write_mask) & written;
                    shader.set_index(inst, Index::write_mask, mask);
                }
            }
            _ => {}
        }
    }

    /// A value with the shape of `def` that reaches every block.
    fn fill(&mut self, def: Def) -> Option<Def> {
        let InstData { num_components, bit_size, kind } = *self.shader.def(def);
        let is_pointer = matches!(kind, InstKind::Deref(_) | InstKind::Intrinsic { op: Intrinsic::decl_reg, .. });
        if is_pointer || num_components == 0 {
            return None;
        }
        let found = self.fills.iter().find(|inst| {
            let data = &self.shader.insts[**inst];
            (data.num_components, data.bit_size) == (num_components, bit_size) && self.is_fill(**inst)
        });
        if let Some(inst) = found {
            return Some(inst.def());
        }
        let kind = match self.fill {
            Fill::Undef => InstKind::Undef,
            Fill::Zero => InstKind::Const(self.shader.consts.extend((0..num_components).map(|_| 0))),
        };
        let inst = self.shader.make(InstData { num_components, bit_size, kind });
        self.fills.push(inst);
        Some(inst.def())
    }

    fn is_fill(&self, inst: Inst) -> bool {
        match (self.fill, self.shader.insts[inst].kind) {
            (Fill::Zero, InstKind::Const(values)) => self.shader.consts[values].iter().all(|value| *value == 0),
            (Fill::Undef, InstKind::Undef) => true,
            _ => false,
        }
    }

    /// Collects the replacements that are already at the start of the shader.
    fn find_fills(&mut self) {
        let first = self.shader.block_order().next();
        let insts = first.map_or(&[][..], |block| self.shader.block_insts(block));
        let is_plain = |inst: &&Inst| matches!(self.shader.insts[**inst].kind, InstKind::Const(_) | InstKind::Undef);
        self.fills = insts.iter().take_while(is_plain).filter(|inst| !self.removed[**inst]).copied().collect();
    }

    fn drop_removed(&mut self) {
        let removed = &self.removed;
        let old_order = std::mem::take(&mut self.shader.order);
        for item in std::mem::take(&mut self.shader.cf) {
            let Cf::Block(block) = item else {
                self.shader.append_cf(item);
                continue;
            };
            let range = self.shader.blocks[block];
            self.shader.append_cf(item);
            let kept = old_order[range.start as usize..range.end as usize].iter().filter(|inst| !removed[**inst]);
            kept.for_each(|inst| self.shader.append_existing(*inst));
        }
    }

    /// Inserts new replacements at the start of the shader.
    fn put_fills(&mut self) {
        let first = self.shader.block_order().next();
        let there = first.map_or(&[][..], |block| self.shader.block_insts(block));
        let new: Vec<Inst> = self.fills.iter().filter(|inst| !there.contains(inst)).copied().collect();
        let blocks: Vec<Block> = self.shader.block_order().collect();
        for block in blocks {
            let data = &mut self.shader.blocks[block];
            data.start += if Some(block) == first { 0 } else { new.len() as u32 };
            data.end += new.len() as u32;
        }
        self.shader.order.splice(0..0, new);
    }
}

/// The places of values, and the places that they reach.
struct Reach<'a> {
    cfg: &'a Cfg,
    sites: SideTable<Inst, Option<(Block, usize)>>,
}

impl Reach<'_> {
    fn reaches(&self, def: Def, user: (Block, usize)) -> bool {
        let Some(site) = self.sites[def.inst()] else { return false };
        if site.0 == user.0 {
            return site.1 < user.1;
        }
        if self.cfg.is_reachable(user.0) {
            self.cfg.dominates(site.0, user.0)
        } else {
            self.cfg.position(site.0) < self.cfg.position(user.0)
        }
    }
}
