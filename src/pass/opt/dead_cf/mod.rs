// SPDX-License-Identifier: MIT

//! Removes ifs with constant conditions, and loops that run once.
//!
//! **What.** The body that runs replaces its if, and an empty if is removed. Code after a jump that is now always taken is
//! removed, like the body that does not run. A loop that is left only by a break at its end, and that nothing continues, is
//! replaced by its body.
//!
//! **Why.** Folding makes conditions constant, and `dce` empties bodies. SPIR-V needs a merge and a branch for each if; and
//! phis with one value prevent later passes from seeing that value.
//!
//! Consecutive blocks are merged; phis lose the operands from removed blocks, and a phi after a removed if or loop is replaced
//! by its remaining operand.
//!
//! Before:
//!
//! ```text
//! if %2 (true) {
//!     block b1:   // preds: b0
//!     32     %3 = iadd %1, %1
//!                 // succs: b3
//! } else {
//!     block b2:   // preds: b0
//!     32     %4 = imul %1, %1
//!                 // succs: b3
//! }
//! block b3:   // preds: b1 b2
//! 32     %5 = phi b1: %3, b2: %4
//! @store_ssbo (%5, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = iadd %1, %1
//! @store_ssbo (%3, %0 (0x0), %0 (0x0)) (wrmask=x, access=none, align_mul=4, align_offset=0)
//! ```

mod empty;
#[cfg(test)]
mod tests;

pub(super) use empty::{remove_empty_ifs, Joined};

use crate::entity::SideTable;
use crate::ir::{Block, Cf, Def, Inst, InstKind, Jump, PhiSrc, Shader};
use crate::op::Facts;
use crate::pass::{Context, Pass};
use rustc_hash::FxHashMap;

/// The pass.
pub const PASS: Pass = Pass {
    name: "dead_cf",
    about: "removes ifs with constant conditions, empty ifs and loops that run once",
    facts: Facts::UNTIDY,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _context: &Context) -> bool {
    shader.with_spare(|shader, joined: &mut Joined| remove_dead(shader) | remove_empty_ifs(shader, joined))
}

/// Removes constant branches; empty ifs remain.
#[inline(never)]
pub(super) fn remove_dead(shader: &mut Shader) -> bool {
    if !(0..shader.cf.len()).any(|at| may_start(shader, &shader.cf[at..])) {
        return false;
    }
    shader.with_spare(|shader, tables: &mut ControlTables| {
        tables.reset(shader);
        let mut walk = Walk { shader, tables, continues: false };
        walk.walk();
        let changed = shader.cf != tables.old_cf || shader.order != tables.old_order;
        if changed {
            rename(shader, tables);
        }
        changed
    })
}

/// Whether something may be dead where a part of the control flow starts: a constant if, code after a jump, or a loop that ends
/// in a jump. The walk finds dead code only after such a start.
fn may_start(shader: &Shader, rest: &[Cf]) -> bool {
    match rest {
        [Cf::If { cond, .. }, ..] => shader.as_const_scalar(*cond).is_some(),
        [Cf::Block(block), Cf::If { .. } | Cf::Loop | Cf::EndLoop, ..] => shader.block_jump(*block).is_some(),
        _ => false,
    }
}

/// An if or loop that contains the visited item.
#[derive(Clone, Copy)]
enum Open {
    /// An if that stays.
    If,
    /// An if that is replaced by its then-body, or else by its else-body.
    Chosen {
        then: bool,
    },
    Loop,
    /// A loop that is replaced by its body, and the last block of that.
    Once {
        last: Block,
    },
}

/// Finds the loops that are left only by a break at the end of their body and never repeated.
fn find_loops_that_run_once(shader: &Shader, tables: &mut ControlTables) {
    let ControlTables { once, around, .. } = tables;
    once.clear();
    around.clear();
    for (at, item) in shader.cf.iter().enumerate() {
        match (*item, around.last_mut()) {
            (Cf::Loop, _) => around.push((at, 0)),
            (Cf::Continue, Some((_, jumps))) => *jumps += 1,
            (Cf::EndLoop, _) => drop(around.pop()),
            (Cf::Block(block), Some((start, jumps))) => match shader.block_jump(block) {
                Some(Jump::Break) if *jumps == 0 && shader.cf.get(at + 1) == Some(&Cf::EndLoop) => {
                    once.insert(*start, block);
                }
                Some(Jump::Break | Jump::Continue) => *jumps += 1,
                _ => {}
            },
            _ => {}
        }
    }
}

#[derive(Default)]
struct ControlTables {
    old_cf: Vec<Cf>,
    old_order: Vec<Inst>,
    /// The block that an old block became part of; `None` for removed blocks and for blocks that are not visited yet.
    now: SideTable<Block, Option<Block>>,
    alias: SideTable<Def, Option<Def>>,
    open: Vec<Open>,
    /// The loops that run once, by their index in the list, and the block that leaves each.
    once: FxHashMap<usize, Block>,
    /// The enclosing loops, and the number of jumps of each that were found.
    around: Vec<(usize, usize)>,
    /// The remaining operands of a phi.
    left: Vec<PhiSrc>,
}

impl ControlTables {
    /// Takes the lists of the shader.
    fn reset(&mut self, shader: &mut Shader) {
        find_loops_that_run_once(shader, self);
        self.old_cf.clear();
        self.old_order.clear();
        std::mem::swap(&mut self.old_cf, &mut shader.cf);
        std::mem::swap(&mut self.old_order, &mut shader.order);
        self.now.clear();
        self.alias.clear();
        self.open.clear();
    }
}

struct Walk<'a> {
    shader: &'a mut Shader,
    tables: &'a mut ControlTables,
    /// Whether the next block continues the open one.
    continues: bool,
}

impl Walk<'_> {
    fn walk(&mut self) {
        let mut at = 0;
        while at < self.tables.old_cf.len() {
            let item = self.tables.old_cf[at];
            at += 1;
            let rest_is_dead = match item {
                Cf::Block(block) => self.block(block),
                Cf::If { cond, .. } => self.begin_if(item, cond),
                Cf::Else => self.begin_else(),
                Cf::EndIf => self.end_if(),
                Cf::Loop => self.begin_loop(at - 1),
                Cf::Continue => {
                    self.shader.append_cf(item);
                    false
                }
                Cf::EndLoop => self.end_loop(),
            };
            if rest_is_dead {
                at = self.end_of_list(at);
            }
        }
    }

    /// These functions return true if the rest of the same list never runs.
    fn block(&mut self, block: Block) -> bool {
        let range = self.shader.blocks[block];
        let open = match self.shader.cf.last() {
            Some(Cf::Block(open)) if self.continues => Some(*open),
            _ => None,
        };
        if open.is_none() {
            self.shader.append_cf(Cf::Block(block));
        }
        self.tables.now.set(block, Some(open.unwrap_or(block)));
        self.continues = false;
        let leaves_once = matches!(self.tables.open.last(), Some(Open::Once { last }) if *last == block);
        for index in range.start..range.end - u32::from(leaves_once) {
            let inst = self.tables.old_order[index as usize];
            match open {
                Some(_) if self.shader.phi(inst).is_some() => self.settle_phi(inst),
                _ => self.shader.append_existing(inst),
            }
        }
        self.jumps()
    }

    fn begin_loop(&mut self, at: usize) -> bool {
        match self.tables.once.get(&at) {
            Some(last) => {
                self.tables.open.push(Open::Once { last: *last });
                self.continues = true;
            }
            None => {
                self.tables.open.push(Open::Loop);
                self.shader.append_cf(Cf::Loop);
            }
        }
        false
    }

    fn end_loop(&mut self) -> bool {
        if let Some(Open::Once { .. }) = self.tables.open.pop() {
            self.continues = true;
            return self.jumps();
        }
        self.shader.append_cf(Cf::EndLoop);
        false
    }

    fn begin_if(&mut self, item: Cf, cond: Def) -> bool {
        match self.shader.as_const_scalar(resolve(&self.tables.alias, cond)) {
            Some(value) => {
                let then = value != 0;
                self.tables.open.push(Open::Chosen { then });
                self.continues = true;
                !then
            }
            None => {
                self.tables.open.push(Open::If);
                self.shader.append_cf(item);
                false
            }
        }
    }

    fn begin_else(&mut self) -> bool {
        match self.tables.open.last() {
            Some(Open::Chosen { then }) => {
                self.continues = true;
                *then
            }
            _ => {
                self.shader.append_cf(Cf::Else);
                false
            }
        }
    }

    fn end_if(&mut self) -> bool {
        if let Some(Open::Chosen { .. }) = self.tables.open.pop() {
            self.continues = true;
            return self.jumps();
        }
        self.shader.append_cf(Cf::EndIf);
        false
    }

    /// Whether the open block ends in a jump.
    fn jumps(&self) -> bool {
        match self.shader.cf.last() {
            Some(Cf::Block(block)) => self.shader.block_jump(*block).is_some(),
            _ => false,
        }
    }

    /// The item of the old list, at or after `at`, that ends the body that contains `at`.
    fn end_of_list(&self, at: usize) -> usize {
        let mut depth = 0;
        let end = self.tables.old_cf[at..].iter().position(|item| match item {
            Cf::If { .. } | Cf::Loop => {
                depth += 1;
                false
            }
            Cf::Else | Cf::Continue => depth == 0,
            Cf::EndIf | Cf::EndLoop => {
                depth -= 1;
                depth < 0
            }
            Cf::Block(_) => false,
        });
        end.map_or(self.tables.old_cf.len(), |end| at + end)
    }

    /// Replaces a phi whose block has one predecessor left, of which it is now a part.
    fn settle_phi(&mut self, phi: Inst) {
        let srcs = self.shader.phi(phi).unwrap_or(&[]);
        let value =
            srcs.iter().find(|src| self.tables.now[src.pred].is_some()).map(|src| resolve(&self.tables.alias, src.def));
        match value.filter(|value| *value != phi.def()) {
            Some(value) => self.tables.alias.set(phi.def(), Some(value)),
            // Only code that is never reached has a phi of itself.
            None => {
                self.shader.set_kind(phi, InstKind::Undef);
                self.shader.append_existing(phi);
            }
        }
    }
}

fn resolve(alias: &SideTable<Def, Option<Def>>, mut def: Def) -> Def {
    while let Some(next) = alias[def] {
        def = next;
    }
    def
}

/// Renames values and predecessors.
fn rename(shader: &mut Shader, tables: &mut ControlTables) {
    let ControlTables { now, alias, left, .. } = tables;
    for index in 0..shader.order.len() {
        let inst = shader.order[index];
        if shader.phi(inst).is_some() {
            drop_dead_operands(shader, inst, now, left);
        }
        shader.map_srcs(inst, |def| resolve(alias, def));
    }
    for item in &mut shader.cf {
        if let Cf::If { cond, .. } = item {
            *cond = resolve(alias, *cond);
        }
    }
}

fn drop_dead_operands(shader: &mut Shader, phi: Inst, now: &SideTable<Block, Option<Block>>, left: &mut Vec<PhiSrc>) {
    left.clear();
    let srcs = shader.phi(phi).unwrap_or(&[]).iter();
    left.extend(srcs.filter_map(|src| Some(PhiSrc { pred: now[src.pred]?, ..*src })));
    let kind = match left.is_empty() {
        true => InstKind::Undef,
        false => InstKind::Phi(shader.phi_srcs.push(left)),
    };
    shader.set_kind(phi, kind);
}
