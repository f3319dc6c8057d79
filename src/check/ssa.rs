// SPDX-License-Identifier: MIT

//! Definitions dominate their uses, and phis agree with the control flow graph.

use crate::analysis::cfg::Cfg;
use crate::entity::SideTable;
use crate::ir::{Block, Cf, Def, Inst, InstKind, Shader};
use crate::op::Intrinsic;
use crate::report::{plural, Report};

/// The place of a definition.
#[derive(Clone, Copy, Debug)]
struct Site {
    block: Block,
    /// Index into the program order.
    at: u32,
}

/// The tables of the walk over uses, which are reused for the next shader.
#[derive(Debug, Default)]
pub(super) struct UseTables {
    sites: SideTable<Inst, Option<Site>>,
    /// The block whose predecessors were marked last.
    is_pred: SideTable<Block, Option<Block>>,
    /// The last phi with a source from this block.
    has_src: SideTable<Block, Option<Inst>>,
}

/// Reports uses that their definitions do not dominate, and phis that do not fit their block.
pub(super) fn check(report: &mut Report<'_>, cfg: &Cfg, tables: &mut UseTables) {
    let shader = report.shader;
    tables.find_sites(shader);
    tables.is_pred.reset(shader.blocks.len());
    tables.has_src.reset(shader.blocks.len());
    let mut checker = Checker { report, cfg, tables };
    let mut current = None;
    for item in &shader.cf {
        match *item {
            Cf::Block(block) => {
                checker.check_block(block);
                current = Some(block);
            }
            Cf::If { cond, .. } => current.into_iter().for_each(|block| checker.check_condition(block, cond)),
            Cf::Else | Cf::EndIf | Cf::Loop | Cf::Continue | Cf::EndLoop => {}
        }
    }
    // Frees large tables.
    tables.sites.clear_to(shader.most_kept());
}

impl UseTables {
    fn find_sites(&mut self, shader: &Shader) {
        self.sites.reset(shader.insts.len());
        for block in shader.block_order() {
            for (at, inst) in (shader.blocks[block].start..).zip(shader.block_insts(block)) {
                self.sites.set(*inst, Some(Site { block, at }));
            }
        }
    }
}

struct Checker<'r, 'a> {
    report: &'r mut Report<'a>,
    cfg: &'r Cfg,
    tables: &'r mut UseTables,
}

impl Checker<'_, '_> {
    fn check_block(&mut self, block: Block) {
        let shader = self.report.shader;
        for pred in self.cfg.preds(block) {
            self.tables.is_pred.set(*pred, Some(block));
        }
        let mut in_phis = true;
        for (at, inst) in (shader.blocks[block].start..).zip(shader.block_insts(block)) {
            if matches!(shader.insts[*inst].kind, InstKind::Phi(_)) {
                if !in_phis {
                    self.report.at(*inst, "follows an instruction that is not a phi");
                }
                self.check_phi(*inst, block);
            } else {
                in_phis = false;
                shader.for_each_src(*inst, |def| self.check_use(*inst, def, Site { block, at }));
            }
        }
    }

    fn check_use(&mut self, user: Inst, def: Def, user_site: Site) {
        if is_register(self.report.shader, def) && !accesses_register(self.report.shader, user) {
            self.report.at(user, format_args!("{} is a register, not a value", self.report.shader.shown(def)));
        }
        if let Some(problem) = self.problem_of_use(def, user_site) {
            self.report.at(user, format_args!("{} {problem}", self.report.shader.shown(def)));
        }
    }

    /// The problem of a use of `def` at a place.
    fn problem_of_use(&self, def: Def, user: Site) -> Option<&'static str> {
        let Some(site) = self.tables.sites[def.inst()].filter(|_| self.report.shader.def(def).has_def()) else {
            return Some("is not defined");
        };
        let reached = if site.block == user.block || !self.cfg.is_reachable(user.block) {
            site.at < user.at
        } else {
            self.cfg.dominates(site.block, user.block)
        };
        (!reached).then_some("is not defined on every way to this use")
    }

    fn check_condition(&mut self, block: Block, cond: Def) {
        let shader = self.report.shader;
        let last = shader.block_insts(block).last().copied();
        let site = Site { block, at: shader.blocks[block].end };
        if let Some(problem) = self.problem_of_use(cond, site) {
            self.report.near(last, format_args!("condition of an if: {} {problem}", shader.shown(cond)));
        } else if (shader.num_components(cond), shader.bit_size(cond)) != (1, 1) {
            self.report.at(cond.inst(), "is the condition of an if, but not one component of 1 bit");
        }
    }

    fn check_phi(&mut self, phi: Inst, block: Block) {
        let shader = self.report.shader;
        let data = &shader.insts[phi];
        let srcs = shader.phi(phi).unwrap_or_default();
        let preds = self.cfg.preds(block).len();
        if srcs.len() != preds {
            let (srcs, preds) = (plural(srcs.len(), "source"), plural(preds, "predecessor"));
            self.report.at(phi, format_args!("has {srcs}, but its block has {preds}"));
        }
        for src in srcs {
            if self.tables.is_pred[src.pred] != Some(block) {
                self.report.at(phi, format_args!("{} is not a predecessor of its block", shader.shown_block(src.pred)));
            } else if self.tables.has_src[src.pred] == Some(phi) {
                self.report.at(phi, format_args!("has two sources from {}", shader.shown_block(src.pred)));
            }
            self.tables.has_src.set(src.pred, Some(phi));
            // The value is used after the last instruction of the predecessor.
            let end = Site { block: src.pred, at: u32::MAX };
            match self.problem_of_use(src.def, end) {
                Some(problem) => self.report.at(phi, format_args!("{} {problem}", shader.shown(src.def))),
                None => {
                    let def = shader.def(src.def);
                    if (def.num_components, def.bit_size) != (data.num_components, data.bit_size) {
                        self.report.at(phi, format_args!("{} is of another size", shader.shown(src.def)));
                    }
                }
            }
        }
    }
}

/// Whether `def` is a register, which is not a value.
fn is_register(shader: &Shader, def: Def) -> bool {
    matches!(shader.def(def).kind, InstKind::Intrinsic { op: Intrinsic::decl_reg, .. })
}

/// Whether `inst` is a read or write of a register; `intrinsic` checks which of its sources names the register.
fn accesses_register(shader: &Shader, inst: Inst) -> bool {
    use Intrinsic::*;
    let op = shader.as_intrinsic(inst).map(|(op, _)| op);
    matches!(op, Some(load_reg | load_reg_indirect | store_reg | store_reg_indirect))
}
