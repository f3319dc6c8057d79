// SPDX-License-Identifier: MIT

//! The control flow graph of the structured list: predecessors, successors and dominators of every block.
//!
//! ```text
//! block b0            b0 -> b1, b3
//! if %3 {
//!   block b1          b1 -> b2
//!   loop {
//!     block b2        b2 -> b4 (break: after the loop)
//!     break
//!   }
//!   block b4          b4 -> b5
//! } else {
//!   block b3          b3 -> b5
//! }
//! block b5            b5 ends the shader: no successors
//! ```
//!
//! The end of the shader is not a block. A block that ends in a jump has only the target of the jump as successor, so the code
//! after it may be unreachable. Every edge but the one back to the first block of a loop leads forward in program order;
//! reachability and dominators therefore need one walk.
//!
//! The list must meet the invariants of [`ir`](crate::ir), which `check` verifies. For another list the graph is wrong or lacks
//! edges, but is built without panicking as long as every block of the list exists and has instructions that exist.

use super::dominators::Dominators;
use crate::entity::{Id, SideTable};
use crate::ir::{Block, Cf, Jump, Shader};

/// The graph. It is not updated when the shader changes.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    succs: SideTable<Block, [Option<Block>; 2]>,
    /// The predecessors of each block are a run of `pred_list`.
    pred_runs: SideTable<Block, (u32, u32)>,
    pred_list: Vec<Block>,
    position: SideTable<Block, u32>,
    dominators: Dominators,
    /// The subtree of each block in preorder of the dominator tree: the position of the block, and the number of blocks in the
    /// subtree.
    spans: SideTable<Block, (u32, u32)>,
    /// Tables for building.
    nesting: Nesting,
    open: Vec<usize>,
    next_pre: SideTable<Block, u32>,
}

impl Cfg {
    /// The graph of `shader`.
    pub fn new(shader: &Shader) -> Cfg {
        let mut cfg = Cfg::default();
        cfg.build(shader);
        cfg
    }

    /// Rebuilds the graph for `shader`.
    pub fn build(&mut self, shader: &Shader) {
        let blocks = shader.blocks.len();
        self.succs.reset(blocks);
        self.pred_runs.reset(blocks);
        self.position.reset(blocks);
        self.dominators.reset(blocks);
        self.spans.reset(blocks);
        self.link(shader);
        self.collect_preds(shader);
        self.build_dominators(shader);
        self.number_dominators(shader);
    }

    /// The predecessors of `block`, in program order, including unreachable ones.
    pub fn preds(&self, block: Block) -> &[Block] {
        let (start, end) = self.pred_runs[block];
        &self.pred_list[start as usize..end as usize]
    }

    /// The successors of `block`: then- and else-body before an if, else at most one.
    pub fn succs(&self, block: Block) -> [Option<Block>; 2] {
        self.succs[block]
    }

    /// Whether a path leads to `block`, whatever the conditions.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.dominators.is_reachable(block)
    }

    /// The immediate dominator of `block`; `None` for the entry block and unreachable ones.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.dominators.idom(block)
    }

    /// Whether every path to `b` leads through `a`. There is no path to an unreachable block, so all blocks dominate it.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (start, size) = self.spans[a];
        // Unreachable blocks have no span.
        match self.spans[b] {
            (_, 0) => true,
            (place, _) => (start..start + size).contains(&place),
        }
    }

    /// The index of `block` in program order, from 0.
    pub fn position(&self, block: Block) -> usize {
        self.position[block] as usize
    }

    fn link(&mut self, shader: &Shader) {
        self.nesting.find(&shader.cf, &mut self.open);
        let nesting = &self.nesting;
        let open_loops = &mut self.open;
        open_loops.clear();
        let mut position = 0;
        for (at, item) in shader.cf.iter().enumerate() {
            match *item {
                Cf::Loop => open_loops.push(at),
                Cf::EndLoop => drop(open_loops.pop()),
                Cf::Block(block) => {
                    self.position.set(block, position);
                    position += 1;
                    let succs = match shader.block_jump(block) {
                        Some(jump) => [nesting.jump_target(&shader.cf, jump, open_loops.last().copied()), None],
                        None => nesting.fall_targets(&shader.cf, at),
                    };
                    self.succs.set(block, succs);
                }
                Cf::If { .. } | Cf::Else | Cf::EndIf | Cf::Continue => {}
            }
        }
    }

    fn collect_preds(&mut self, shader: &Shader) {
        let edges = |cfg: &Cfg, block| cfg.succs[block].into_iter().flatten();
        for block in shader.block_order() {
            edges(self, block).for_each(|succ| self.pred_runs.entry(succ).1 += 1);
        }
        let mut total = 0;
        for block in shader.blocks.ids() {
            let count = self.pred_runs[block].1;
            self.pred_runs.set(block, (total, total));
            total += count;
        }
        self.pred_list.clear();
        self.pred_list.resize(total as usize, Block::from_index(0));
        for block in shader.block_order() {
            for succ in edges(self, block) {
                let run = self.pred_runs.entry(succ);
                if let Some(slot) = self.pred_list.get_mut(run.1 as usize) {
                    *slot = block;
                    run.1 += 1;
                }
            }
        }
    }

    fn build_dominators(&mut self, shader: &Shader) {
        for (position, block) in shader.block_order().enumerate() {
            let mut idom = None;
            for pred in self.preds(block) {
                // Paths through a back edge have passed this block before.
                if self.position(*pred) < position && self.is_reachable(*pred) {
                    idom = self.dominators.common(idom, Some(*pred));
                }
            }
            match idom {
                Some(idom) => self.dominators.add(block, idom),
                None if position == 0 => self.dominators.add_entry(block),
                None => {}
            }
        }
    }

    fn number_dominators(&mut self, shader: &Shader) {
        // A block is after its dominators, so backwards each subtree is complete before its root is visited.
        for block in shader.block_order().rev().filter(|block| self.dominators.is_reachable(*block)) {
            let size = &mut self.spans.entry(block).1;
            *size += 1;
            let size = *size;
            if let Some(idom) = self.dominators.idom(block) {
                self.spans.entry(idom).1 += size;
            }
        }
        self.next_pre.reset(shader.blocks.len());
        for block in shader.block_order().filter(|block| self.dominators.is_reachable(*block)) {
            if let Some(idom) = self.dominators.idom(block) {
                let next = self.next_pre.entry(idom);
                self.spans.entry(block).0 = *next;
                *next += self.spans[block].1;
            }
            self.next_pre.set(block, self.spans[block].0 + 1);
        }
    }
}

/// The items of the list that belong together, by their indices.
#[derive(Clone, Debug, Default)]
struct Nesting {
    /// For an item that ends a body or opens a second one: the If or Loop. For an If or Loop: its last item.
    partner: Vec<usize>,
    /// For an If its Else, for a Loop its Continue, if it has one.
    second: Vec<Option<usize>>,
}

impl Nesting {
    /// Processes another list; `open` is kept to avoid allocations.
    fn find(&mut self, cf: &[Cf], open: &mut Vec<usize>) {
        self.partner.clear();
        self.partner.extend(0..cf.len());
        self.second.clear();
        self.second.resize(cf.len(), None);
        open.clear();
        for (at, item) in cf.iter().enumerate() {
            match item {
                Cf::Block(_) => {}
                Cf::If { .. } | Cf::Loop => open.push(at),
                Cf::Else | Cf::Continue => {
                    if let Some(start) = open.last() {
                        self.partner[at] = *start;
                        self.second[*start] = Some(at);
                    }
                }
                Cf::EndIf | Cf::EndLoop => {
                    if let Some(start) = open.pop() {
                        self.partner[at] = start;
                        self.partner[start] = at;
                    }
                }
            }
        }
    }

    /// The successors of the block at `at`, which has no jump.
    fn fall_targets(&self, cf: &[Cf], at: usize) -> [Option<Block>; 2] {
        let item = at + 1;
        match cf.get(item) {
            Some(Cf::If { .. }) => {
                [block_after(cf, item), self.second[item].and_then(|else_item| block_after(cf, else_item))]
            }
            Some(Cf::Else) => [block_after(cf, self.partner[self.partner[item]]), None],
            Some(Cf::EndIf | Cf::Loop | Cf::Continue) => [block_after(cf, item), None],
            Some(Cf::EndLoop) => [block_after(cf, self.partner[item]), None],
            Some(Cf::Block(_)) | None => [None, None],
        }
    }

    /// The target of `jump` within the loop that starts at `innermost`.
    fn jump_target(&self, cf: &[Cf], jump: Jump, innermost: Option<usize>) -> Option<Block> {
        let start = innermost?;
        match jump {
            Jump::Break => block_after(cf, self.partner[start]),
            Jump::Continue => block_after(cf, self.second[start].unwrap_or(start)),
            Jump::Return | Jump::Halt => None,
        }
    }
}

fn block_after(cf: &[Cf], item: usize) -> Option<Block> {
    match cf.get(item + 1) {
        Some(Cf::Block(block)) => Some(*block),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BranchHint, InstData, InstKind};

    /// Builds a shader from words: `if else end loop continue endloop`, jumps, and `.` between neighbours; there is a block
    /// before every item but a jump, and at the end.
    fn shader(words: &str) -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        let cond = shader.append(InstData { num_components: 1, bit_size: 1, kind: InstKind::Undef }).def();
        for word in words.split_whitespace() {
            let jump = |jump| InstData { num_components: 0, bit_size: 0, kind: InstKind::Jump(jump) };
            let item = match word {
                "break" => {
                    shader.append(jump(Jump::Break));
                    continue;
                }
                "next" => {
                    shader.append(jump(Jump::Continue));
                    continue;
                }
                "halt" => {
                    shader.append(jump(Jump::Halt));
                    continue;
                }
                "if" => Cf::If { cond, hint: BranchHint::None },
                "else" => Cf::Else,
                "end" => Cf::EndIf,
                "loop" => Cf::Loop,
                "continue" => Cf::Continue,
                _ => Cf::EndLoop,
            };
            shader.append_cf(item);
            shader.append_new_block();
        }
        shader
    }

    /// `b0: b1 b2 | idom` per block.
    fn describe(words: &str) -> String {
        let shader = shader(words);
        let cfg = Cfg::new(&shader);
        let mut text = String::new();
        for block in shader.block_order() {
            let succs: Vec<String> = cfg.succs(block).iter().flatten().map(Block::to_string).collect();
            let idom = match (cfg.is_reachable(block), cfg.idom(block)) {
                (false, _) => "unreachable".into(),
                (true, idom) => idom.map_or("entry".into(), |b| b.to_string()),
            };
            text += &format!("{block} -> {} | {idom}\n", succs.join(" "));
            for succ in cfg.succs(block).into_iter().flatten() {
                assert!(cfg.preds(succ).contains(&block), "{succ} misses its predecessor {block}");
            }
        }
        text
    }

    #[test]
    fn straight_line() {
        assert_eq!(describe(""), "b0 ->  | entry\n");
    }

    #[test]
    fn if_joins() {
        assert_eq!(describe("if else end"), "b0 -> b1 b2 | entry\nb1 -> b3 | b0\nb2 -> b3 | b0\nb3 ->  | b0\n");
    }

    #[test]
    fn loop_with_break_in_an_if() {
        let expected = "b0 -> b1 | entry\nb1 -> b2 b3 | b0\nb2 -> b5 | b1\nb3 -> b4 | b1\nb4 -> b1 | b3\nb5 ->  | b2\n";
        assert_eq!(describe("loop if break else end endloop"), expected);
    }

    #[test]
    fn continue_construct_is_between_body_and_head() {
        let expected = "b0 -> b1 | entry\nb1 -> b2 b3 | b0\nb2 -> b5 | b1\nb3 -> b4 | b1\nb4 -> b6 | b3\n\
                        b5 -> b1 | b1\nb6 ->  | b4\n";
        // b2 continues, b4 breaks, b5 is the continue construct.
        assert_eq!(
            describe("loop if next else end break continue endloop"),
            expected.replace("b5 -> b1 | b1", "b5 -> b1 | b2")
        );
    }

    #[test]
    fn jumps_leave_code_unreachable() {
        let expected =
            "b0 -> b1 b2 | entry\nb1 ->  | b0\nb2 ->  | b0\nb3 -> b4 | unreachable\nb4 -> b4 | unreachable\n\
                        b5 ->  | unreachable\n";
        assert_eq!(describe("if halt else halt end loop endloop"), expected);
    }

    #[test]
    fn dominance_agrees_with_the_tree() {
        let words =
            "if loop if break else if next else end end endloop else loop break continue endloop end if else end";
        let shader = shader(words);
        let cfg = Cfg::new(&shader);
        for a in shader.block_order() {
            for b in shader.block_order().filter(|b| cfg.is_reachable(*b)) {
                let mut up = Some(b);
                while up.is_some_and(|up| up != a) {
                    up = up.and_then(|block| cfg.idom(block));
                }
                assert_eq!(cfg.dominates(a, b), up.is_some(), "{a} over {b}");
            }
        }
    }

    #[test]
    fn one_walk_gives_the_tree_of_the_graph() {
        for words in [
            "",
            "if break else end",
            "if else halt end if halt else end",
            "if halt else halt end loop endloop",
            "loop if break else end if next else if break else end end endloop",
            "loop if next else end continue if break else end endloop if else end",
            "loop loop if break else next end continue endloop if else break end endloop if else end",
            "if loop if break else if next else end end endloop else loop break continue endloop end if else end",
            "loop if halt else if break else next end end continue if break else end endloop loop next endloop",
        ] {
            let shader = shader(words);
            let (cfg, tree) = (Cfg::new(&shader), Dominators::new(&shader));
            for a in shader.block_order() {
                assert_eq!((tree.idom(a), tree.is_reachable(a)), (cfg.idom(a), cfg.is_reachable(a)), "{a} in {words}");
                for b in shader.block_order() {
                    assert_eq!(tree.dominates(a, b), cfg.dominates(a, b), "{a} over {b} in {words}");
                }
            }
        }
    }

    #[test]
    fn ill_formed_lists_do_not_panic() {
        for words in [
            "else",
            "end",
            "endloop",
            "continue",
            "if",
            "loop else",
            "if loop end endloop",
            "break",
            "loop if endloop end",
        ] {
            describe(words);
        }
        let mut twice = shader("if else end");
        let first = twice.cf[0];
        twice.cf.push(first);
        Cfg::new(&twice);
        Cfg::new(&Shader::default());
    }

    #[test]
    fn many_breaks_take_no_quadratic_time() {
        let words = "loop ".to_string() + &"if break else end ".repeat(50_000) + "endloop";
        let shader = shader(&words);
        let cfg = Cfg::new(&shader);
        let last = shader.block_order().last().unwrap();
        assert_eq!(cfg.idom(last).map(|block| cfg.position(block)), Some(1));
    }
}
