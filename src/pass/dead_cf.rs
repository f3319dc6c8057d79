//! Ifs whose way is known, and loops that run once, are removed.
//!
//! **What.** The body that runs takes the place of its if, and an if with nothing in it goes. What stands behind a jump
//! that now always happens goes with the body that does not run. A loop without a way but to its end, and a break there, is
//! its body.
//!
//! **Why.** Folding decides conditions, and `dce` empties bodies. SPIR-V would pay for each if with a merge and a
//! branch; and phis that one value reaches keep the passes after this one from seeing through them.
//!
//! Blocks that come to stand in a row are one block; phis lose the operands from blocks that are gone, and one that
//! stands behind a removed if or loop is its remaining operand.
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

use super::{Context, Forms, Pass};
use crate::entity::SideTable;
use crate::ir::{Block, Cf, Def, Inst, InstKind, Jump, Shader};
use rustc_hash::FxHashMap;

/// The pass.
pub const PASS: Pass = Pass {
    name: "dead_cf",
    about: "removes control flow that does not depend on anything",
    removes: Forms::empty(),
    run,
};

fn run(shader: &mut Shader, _context: &Context) -> bool {
    if shader.cf.len() == 1 {
        return false;
    }
    if !(0..shader.cf.len()).any(|at| may_start(shader, &shader.cf[at..])) {
        return false;
    }
    let mut walk = Walk {
        once: loops_that_run_once(shader),
        old_cf: std::mem::take(&mut shader.cf),
        old_order: std::mem::take(&mut shader.order),
        now: shader.block_table(None),
        alias: shader.def_table(None),
        open: Vec::new(),
        continues: false,
        shader,
    };
    walk.walk();
    let Walk { old_cf, old_order, now, alias, shader, .. } = walk;
    let changed = shader.cf != old_cf || shader.order != old_order;
    if changed {
        rename(shader, &now, &alias);
    }
    changed
}

/// Whether something may be dead where a part of the control flow starts: an if that is decided or empty, what follows a jump, or
/// a loop that ends in one. The walk finds no more unless it finds such a one first.
fn may_start(shader: &Shader, rest: &[Cf]) -> bool {
    let is_empty = |block: &Block| shader.block_insts(*block).is_empty();
    match rest {
        [Cf::If { cond, .. }, ..] if shader.as_const_scalar(*cond).is_some() => true,
        [Cf::If { .. }, Cf::Block(then), Cf::Else, Cf::Block(or_else), ..] => is_empty(then) && is_empty(or_else),
        [Cf::Block(block), Cf::If { .. } | Cf::Loop | Cf::EndLoop, ..] => shader.block_jump(*block).is_some(),
        _ => false,
    }
}

/// An if or loop around what is visited.
#[derive(Clone, Copy)]
enum Open {
    /// An if that stays, and where it is in the new list.
    If {
        at: usize,
    },
    /// An if that its then-body, or else its else-body, takes the place of.
    Chosen {
        then: bool,
    },
    Loop,
    /// A loop that its body takes the place of, and the last block of that.
    Once {
        last: Block,
    },
}

/// The loops, by their place in the list, that nothing leaves or repeats but a break at the end of their body: in this block.
fn loops_that_run_once(shader: &Shader) -> FxHashMap<usize, Block> {
    let mut once = FxHashMap::default();
    // The loops around, and how many jumps of each were seen.
    let mut around: Vec<(usize, usize)> = Vec::new();
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
    once
}

struct Walk<'a> {
    shader: &'a mut Shader,
    old_cf: Vec<Cf>,
    old_order: Vec<Inst>,
    /// The block that an old block is part of; `None` for those that are gone, or not reached yet.
    now: SideTable<Block, Option<Block>>,
    alias: SideTable<Def, Option<Def>>,
    open: Vec<Open>,
    /// See [`loops_that_run_once`].
    once: FxHashMap<usize, Block>,
    /// The next block continues the one that is open.
    continues: bool,
}

impl Walk<'_> {
    fn walk(&mut self) {
        let mut at = 0;
        while at < self.old_cf.len() {
            let item = self.old_cf[at];
            at += 1;
            let rest_is_dead = match item {
                Cf::Block(block) => self.block(block),
                Cf::If { cond, .. } => self.begin_if(item, cond),
                Cf::Else => self.begin_else(),
                Cf::EndIf => self.end_if(at),
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

    /// These return true if what follows in the same list never runs.
    fn block(&mut self, block: Block) -> bool {
        let range = self.shader.blocks[block];
        let open = match self.shader.cf.last() {
            Some(Cf::Block(open)) if self.continues => Some(*open),
            _ => None,
        };
        if open.is_none() {
            self.shader.append_cf(Cf::Block(block));
        }
        self.now.set(block, Some(open.unwrap_or(block)));
        self.continues = false;
        let leaves_once = matches!(self.open.last(), Some(Open::Once { last }) if *last == block);
        for index in range.start..range.end - u32::from(leaves_once) {
            let inst = self.old_order[index as usize];
            match open {
                Some(_) if self.shader.phi(inst).is_some() => self.settle_phi(inst),
                _ => self.shader.append_existing(inst),
            }
        }
        self.jumps()
    }

    fn begin_loop(&mut self, at: usize) -> bool {
        match self.once.get(&at) {
            Some(last) => {
                self.open.push(Open::Once { last: *last });
                self.continues = true;
            }
            None => {
                self.open.push(Open::Loop);
                self.shader.append_cf(Cf::Loop);
            }
        }
        false
    }

    fn end_loop(&mut self) -> bool {
        if let Some(Open::Once { .. }) = self.open.pop() {
            self.continues = true;
            return self.jumps();
        }
        self.shader.append_cf(Cf::EndLoop);
        false
    }

    fn begin_if(&mut self, item: Cf, cond: Def) -> bool {
        match self.shader.as_const_scalar(resolve(&self.alias, cond)) {
            Some(value) => {
                let then = value != 0;
                self.open.push(Open::Chosen { then });
                self.continues = true;
                !then
            }
            None => {
                self.open.push(Open::If { at: self.shader.cf.len() });
                self.shader.append_cf(item);
                false
            }
        }
    }

    fn begin_else(&mut self) -> bool {
        match self.open.last() {
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

    /// Ends an if; its successor is at `next` in the old list.
    fn end_if(&mut self, next: usize) -> bool {
        match self.open.pop() {
            Some(Open::Chosen { .. }) => self.continues = true,
            Some(Open::If { at }) if self.is_empty_if(at, next) => {
                self.shader.cf.truncate(at);
                self.continues = true;
            }
            _ => {
                self.shader.append_cf(Cf::EndIf);
                return false;
            }
        }
        self.jumps()
    }

    /// Whether the if at `at` of the new list does nothing and the block behind it does not ask which way control came.
    fn is_empty_if(&self, at: usize, next: usize) -> bool {
        let Some(Cf::Block(behind)) = self.old_cf.get(next) else { return false };
        let range = self.shader.blocks[*behind];
        let first = self.old_order[range.start as usize..range.end as usize].first();
        let has_phi = first.is_some_and(|inst| self.shader.phi(*inst).is_some());
        let is_empty = |block: Block| self.shader.block_insts(block).is_empty();
        match self.shader.cf[at..] {
            [Cf::If { .. }, Cf::Block(then), Cf::Else, Cf::Block(or_else)] => {
                !has_phi && is_empty(then) && is_empty(or_else)
            }
            _ => false,
        }
    }

    /// Whether the open block ends in a jump.
    fn jumps(&self) -> bool {
        match self.shader.cf.last() {
            Some(Cf::Block(block)) => self.shader.block_jump(*block).is_some(),
            _ => false,
        }
    }

    /// The item of the old list, at or behind `at`, that ends the body that `at` is in.
    fn end_of_list(&self, at: usize) -> usize {
        let mut depth = 0;
        let end = self.old_cf[at..].iter().position(|item| match item {
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
        end.map_or(self.old_cf.len(), |end| at + end)
    }

    /// Replaces a phi whose block has one predecessor left, which it now continues.
    fn settle_phi(&mut self, phi: Inst) {
        let srcs = self.shader.phi(phi).unwrap_or(&[]);
        let value = srcs.iter().find(|src| self.now[src.pred].is_some()).map(|src| resolve(&self.alias, src.def));
        match value.filter(|value| *value != phi.def()) {
            Some(value) => self.alias.set(phi.def(), Some(value)),
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
fn rename(shader: &mut Shader, now: &SideTable<Block, Option<Block>>, alias: &SideTable<Def, Option<Def>>) {
    for index in 0..shader.order.len() {
        let inst = shader.order[index];
        if shader.phi(inst).is_some() {
            drop_dead_operands(shader, inst, now);
        }
        shader.map_srcs(inst, |def| resolve(alias, def));
    }
    for item in &mut shader.cf {
        if let Cf::If { cond, .. } = item {
            *cond = resolve(alias, *cond);
        }
    }
}

fn drop_dead_operands(shader: &mut Shader, phi: Inst, now: &SideTable<Block, Option<Block>>) {
    let Some(srcs) = shader.phi(phi) else { return };
    let mut left: Vec<_> = srcs.to_vec();
    left.retain_mut(|src| {
        let block = now[src.pred];
        src.pred = block.unwrap_or(src.pred);
        block.is_some()
    });
    shader.insts[phi].kind = match left.is_empty() {
        true => InstKind::Undef,
        false => InstKind::Phi(shader.phi_srcs.push(&left)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Id;
    use crate::ir::{BranchHint, Builder, PhiSrc};

    /// Control flow from words: `if`, `else`, `end`, `loop`, `continue`, `endloop`, the jumps `break` and `next`, and `work`
    /// for an instruction. `if` has an unknown condition, `yes` a true one, `no` a false one. A block stands in front of
    /// every item and at the end.
    fn shader(words: &str) -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let conds = [b.undef(1, 1), b.imm(1, 1), b.imm(1, 0)];
        for word in words.split_whitespace() {
            let begin = |i: usize| Cf::If { cond: conds[i], hint: BranchHint::None };
            let item = match word {
                "if" => begin(0),
                "yes" => begin(1),
                "no" => begin(2),
                "else" => Cf::Else,
                "end" => Cf::EndIf,
                "loop" => Cf::Loop,
                "continue" => Cf::Continue,
                "endloop" => Cf::EndLoop,
                "work" => {
                    b.undef(1, 32);
                    continue;
                }
                _ => {
                    b.inst(0, 0, InstKind::Jump(if word == "break" { Jump::Break } else { Jump::Continue }));
                    continue;
                }
            };
            b.shader.append_cf(item);
            b.shader.append_new_block();
        }
        shader
    }

    fn words(shader: &Shader) -> String {
        let mut words = Vec::new();
        for (at, item) in shader.cf.iter().enumerate() {
            match item {
                Cf::Block(block) => {
                    assert!(!matches!(shader.cf.get(at + 1), Some(Cf::Block(_))), "two blocks in a row");
                    words.extend(shader.block_insts(*block).iter().filter_map(|inst| match shader.insts[*inst].kind {
                        InstKind::Undef if shader.insts[*inst].bit_size == 32 => Some("work"),
                        InstKind::Jump(Jump::Break) => Some("break"),
                        InstKind::Jump(_) => Some("next"),
                        _ => None,
                    }));
                }
                Cf::If { .. } => words.push("if"),
                Cf::Else => words.push("else"),
                Cf::EndIf => words.push("end"),
                Cf::Loop => words.push("loop"),
                Cf::Continue => words.push("continue"),
                Cf::EndLoop => words.push("endloop"),
            }
        }
        words.join(" ")
    }

    fn after(text: &str) -> String {
        let mut shader = shader(text);
        let before = words(&shader);
        let changed = run(&mut shader, &Context::default());
        assert!(changed || words(&shader) == before);
        words(&shader)
    }

    #[test]
    fn the_body_that_runs_takes_the_place_of_the_if() {
        assert_eq!(after("yes work else end work"), "work work");
        assert_eq!(after("no work else work work end"), "work work");
        assert_eq!(after("yes if work else end else loop break endloop end"), "if work else end");
        assert_eq!(
            after("no loop break endloop else loop work if work else end next endloop end"),
            "loop work if work else end next endloop"
        );
    }

    #[test]
    fn ifs_without_content_go() {
        assert_eq!(after("if else end work"), "work");
        assert_eq!(after("if if else end else no work else end end"), "");
        assert_eq!(after("if else work end"), "if else work end");
        assert_eq!(after("loop if break else end endloop"), "loop if break else end endloop");
    }

    #[test]
    fn a_loop_that_runs_once_is_its_body() {
        assert_eq!(
            after("work loop work if work else end work break endloop work"),
            "work work if work else end work work"
        );
        assert_eq!(after("loop loop work break endloop break endloop work"), "work work");
        assert_eq!(after("loop loop if break else end endloop break endloop"), "loop if break else end endloop");
        for stays in
            ["loop work next endloop", "loop if next else end break endloop", "loop break continue work endloop"]
        {
            assert_eq!(after(stays), stays);
        }
    }

    #[test]
    fn nothing_runs_behind_a_jump() {
        assert_eq!(after("loop yes break else end work endloop work"), "loop break endloop work");
        assert_eq!(
            after("loop if yes work next else end work if work else end else end break endloop"),
            "loop if work next else end break endloop"
        );
        assert_eq!(
            after("loop yes work next else end work continue work endloop"),
            "loop work next continue work endloop"
        );
    }

    #[test]
    fn known_conditions_behind_phis_are_found() {
        let mut shader = shader("yes else end");
        let blocks: Vec<_> = shader.block_order().collect();
        let mut b = Builder::new(&mut shader);
        let (no, unknown) = (Def::from_index(2), Def::from_index(0));
        let phi = b.phi(1, 1, &[PhiSrc { pred: blocks[1], def: no }, PhiSrc { pred: blocks[2], def: unknown }]);
        b.begin_if(phi);
        b.undef(1, 32);
        b.begin_else();
        b.end_if();
        assert!(run(&mut shader, &Context::default()));
        assert_eq!(words(&shader), "");
    }

    #[test]
    fn phis_lose_the_operands_of_dead_blocks() {
        let mut shader = shader("loop yes break else end if break else end endloop");
        let blocks: Vec<_> = shader.block_order().collect();
        let mut b = Builder::new(&mut shader);
        let (x, y) = (Def::from_index(1), Def::from_index(2));
        let phi = b.phi(1, 1, &[PhiSrc { pred: blocks[2], def: x }, PhiSrc { pred: blocks[5], def: y }]);
        assert!(run(&mut shader, &Context::default()));
        assert_eq!(words(&shader), "loop break endloop");
        // The body of the first if is part of the loop's first block now.
        assert_eq!(shader.phi(phi.inst()), Some(&[PhiSrc { pred: blocks[1], def: x }][..]));
    }

    #[test]
    fn a_phi_without_predecessors_is_undefined() {
        let mut shader = shader("loop no break else end endloop");
        let blocks: Vec<_> = shader.block_order().collect();
        let mut b = Builder::new(&mut shader);
        let phi = b.phi(1, 1, &[PhiSrc { pred: blocks[2], def: Def::from_index(1) }]);
        assert!(run(&mut shader, &Context::default()));
        assert!(matches!(shader.def(phi).kind, InstKind::Undef));
    }
}
