// SPDX-License-Identifier: MIT

//! The function: structured control flow, labels, and phis.
//!
//! SPIR-V requires a merge instruction before each selection and loop branch, and one back edge per loop (SPIR-V 2.11). NIR's list
//! has the same structure. Blocks of the IR become blocks of the module without blocks in between:
//!
//! ```text
//! block b0                 %l0 = OpLabel ...
//! if %3 {                        OpSelectionMerge %l2 None
//!   block b1                     OpBranchConditional %3 %l1 %l2
//! } else {                 %l1 = OpLabel ...
//!   block b2  (empty)            OpBranch %l2
//! }
//! block b3                 %l2 = OpLabel ...
//! ```
//!
//! A side of an if that is empty or only leaves the loop does not become a block: the branch has its target. The header of a loop
//! is its first block if that ends in `if { break }` or without an if; otherwise it is a new block that has only the phis. Code
//! that is unreachable after a jump is not emitted.

use super::memory::is_silent;
use super::value::ScopeMark;
use super::{internal, unsupported, Emit, Result};
use crate::ir::{Block, BranchHint, Cf, Def, Inst, Jump, Stage};
use crate::op::{Base, Intrinsic};
use spirv::{LoopControl, Op, SelectionControl};

/// The state of the walk through the control flow list.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The partner of each item: of If its Else, of Else its EndIf, of Loop its Continue or EndLoop, of Continue its EndLoop.
    matching: Vec<u32>,
    /// Open items while `matching` is filled.
    open: Vec<u32>,
    ifs: Vec<OpenIf>,
    loops: Vec<OpenLoop>,
    /// The label of the block under construction, 0 where control flow does not arrive.
    pub(super) label: u32,
    /// The position of the code after that label.
    start: usize,
    /// The branches to that block.
    preds: Preds,
    /// The block of the IR.
    block: Option<Block>,
    /// The merge block and the continue target of the loop whose header is under construction.
    header: Option<[u32; 2]>,
}

impl Flow {
    pub(super) fn clear(&mut self) {
        self.matching.clear();
        self.open.clear();
        self.ifs.clear();
        self.loops.clear();
        self.label = 0;
        self.start = 0;
        self.preds = Preds::default();
        self.block = None;
        self.header = None;
    }
}

/// The branches to a block, as far as they are needed.
#[derive(Clone, Copy, Debug, Default)]
struct Preds {
    count: u32,
    /// The label of the last predecessor.
    last: u32,
}

impl Preds {
    fn one(label: u32) -> Preds {
        Preds { count: 1, last: label }
    }

    fn add(&mut self, label: u32) {
        self.count += 1;
        self.last = label;
    }
}

#[derive(Clone, Copy, Debug)]
struct OpenIf {
    /// The label of the block that branches to the sides.
    from: u32,
    merge: u32,
    /// The label of the else side, 0 if it is not emitted.
    else_label: u32,
    /// The branches to the merge block.
    joins: Preds,
    /// The state of the scope before the if.
    mark: ScopeMark,
}

#[derive(Clone, Copy, Debug)]
struct OpenLoop {
    header: u32,
    merge: u32,
    /// The label of the continue target.
    next: u32,
    /// Whether there is a branch to the continue target.
    repeats: bool,
    /// The branches to the merge block.
    breaks: Preds,
    /// The progress of the continue target.
    stage: LoopStage,
    /// Blocks of the IR: the one before the loop, its first, the first of its continue construct if it has one, and the one after
    /// it.
    before: Block,
    first: Block,
    construct: Option<Block>,
    after: Block,
    /// The index of its first phi among those of all open headers.
    first_back: usize,
    /// The state of the scope before the loop.
    mark: ScopeMark,
}

impl OpenLoop {
    /// The target block of a `continue` in the IR.
    fn continue_block(&self) -> Block {
        self.construct.unwrap_or(self.first)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopStage {
    /// The continue target is not yet open.
    Body,
    /// The only block of the body after the header is the continue target.
    Tail,
    /// The continue construct is open.
    Construct,
    /// The back edge is emitted.
    Closed,
}

/// A side of an if, by its form in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// It is empty: the branch leads to the merge block.
    Empty(Block),
    /// The branch leads to the merge block of the loop.
    Break(Block),
    /// The branch leads to the continue target of the loop.
    Continue(Block),
    /// It is emitted.
    Body,
}

impl Side {
    /// True if both have the same target, so that phis could not distinguish them.
    fn same_target(self, other: Side) -> bool {
        self != Side::Body && std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// The indices of an if in the control flow list.
#[derive(Clone, Copy, Debug)]
struct IfItems {
    then_side: Side,
    else_side: Side,
    else_at: usize,
    end_at: usize,
    after: Block,
}

impl<'a> Emit<'a> {
    /// Emits the function after its first label.
    pub(super) fn body(&mut self) -> Result<()> {
        self.match_items()?;
        self.state.flow.label = self.m.entry_label;
        let mut at = 0;
        while let Some(item) = self.shader.cf.get(at) {
            at = match *item {
                Cf::Block(block) => self.block(at, block)?,
                Cf::If { cond, hint } => self.begin_if(at, cond, hint)?,
                Cf::Else => self.begin_else(at)?,
                Cf::EndIf => self.end_if(at)?,
                Cf::Loop => self.begin_loop(at)?,
                Cf::Continue => self.begin_construct(at)?,
                Cf::EndLoop => self.end_loop(at)?,
            };
        }
        if self.is_live() {
            self.leave(Op::Return);
        }
        self.m.code.op(Op::FunctionEnd, &[]);
        Ok(())
    }

    /// Finds the partner of each item, and checks that the list is properly nested.
    fn match_items(&mut self) -> Result<()> {
        let cf = &self.shader.cf;
        if let [Cf::Block(_)] = cf[..] {
            return Ok(());
        }
        let Flow { matching, open, .. } = &mut self.state.flow;
        let broken = || internal("control flow is not nested");
        matching.resize(cf.len(), 0);
        let mut after_block = false;
        for (at, item) in cf.iter().enumerate() {
            // Bodies begin and end with a block, and two blocks are never adjacent.
            if matches!(item, Cf::Block(_)) == after_block {
                return Err(broken());
            }
            after_block = !after_block;
            if !matches!(item, Cf::Block(_) | Cf::If { .. } | Cf::Loop) {
                let opener = open.pop().ok_or_else(broken)? as usize;
                let fits = match item {
                    Cf::Else => matches!(cf[opener], Cf::If { .. }),
                    Cf::EndIf => cf[opener] == Cf::Else,
                    Cf::Continue => cf[opener] == Cf::Loop,
                    _ => matches!(cf[opener], Cf::Loop | Cf::Continue),
                };
                if !fits {
                    return Err(broken());
                }
                matching[opener] = at as u32;
            }
            if !matches!(item, Cf::Block(_) | Cf::EndIf | Cf::EndLoop) {
                open.push(at as u32);
            }
        }
        if open.is_empty() && after_block {
            Ok(())
        } else {
            Err(broken())
        }
    }

    /// The index of the partner of the item at `at`.
    fn partner(&self, at: usize) -> usize {
        self.state.flow.matching[at] as usize
    }

    /// The block at index `at`.
    fn block_at(&self, at: usize) -> Result<Block> {
        match self.shader.cf.get(at) {
            Some(Cf::Block(block)) => Ok(*block),
            _ => Err(internal("a body without a block")),
        }
    }

    fn is_live(&self) -> bool {
        self.state.flow.label != 0
    }

    /// Starts a block of the module.
    fn open(&mut self, label: u32, preds: Preds) {
        self.m.code.op(Op::Label, &[label]);
        self.state.flow.label = label;
        self.state.flow.start = self.m.code.len();
        self.state.flow.preds = preds;
        self.state.lines.end_block();
    }

    /// Ends the block of the module. The block of a loop header ends with the merge instruction and the branch.
    pub(super) fn close(&mut self, op: Op, operands: &[u32]) {
        if let Some([merge, next]) = self.state.flow.header.take() {
            self.m.code.op(Op::LoopMerge, &[merge, next, LoopControl::NONE.bits()]);
        }
        self.m.code.op2(op, operands, &[]);
        self.state.flow.label = 0;
    }

    fn branch(&mut self, target: u32) {
        self.close(Op::Branch, &[target]);
    }

    /// Ends the function or the invocation.
    pub(super) fn leave(&mut self, op: Op) {
        if op == Op::Return && self.shader.stage() != Stage::Geometry {
            self.call_epilogue();
        }
        self.close(op, &[]);
    }

    /// Starts a merge block, or marks control flow as dead if there are no branches to it.
    fn open_merge(&mut self, label: u32, preds: Preds) {
        self.open(label, preds);
        if preds.count == 0 {
            self.leave(Op::Unreachable);
        }
    }

    /// Emits a block of the IR into the open block of the module. Returns the index of the next item.
    fn block(&mut self, at: usize, block: Block) -> Result<usize> {
        self.state.flow.block = Some(block);
        let shader = self.shader;
        let (phis, others) = shader.block_insts(block).split_at(self.phis(block).len());
        // In reverse order: see `spirv::phi`.
        for inst in phis.iter().rev().chain(others) {
            let data = &shader.insts[*inst];
            if is_silent(data) || !self.types.is_needed(shader, *inst) {
                continue;
            }
            if !self.is_live() {
                break;
            }
            if let Err(mut error) = self.inst(*inst, data) {
                if error.place.line == 0 {
                    error.place.line = shader.lines[*inst].0;
                }
                return Err(error);
            }
        }
        self.store_rest()?;
        Ok(at + 1)
    }

    /// The IR block under emission.
    pub(super) fn current_block(&self) -> Result<Block> {
        self.state.flow.block.ok_or_else(|| internal("no block is open"))
    }

    // Ifs.

    fn if_items(&self, at: usize) -> Result<IfItems> {
        let else_at = self.partner(at);
        let end_at = self.partner(else_at);
        Ok(IfItems {
            then_side: self.side(at + 1, else_at)?,
            else_side: self.side(else_at + 1, end_at)?,
            else_at,
            end_at,
            after: self.block_at(end_at + 1)?,
        })
    }

    /// The form of the side of an if that starts at `start` and ends before `end`.
    fn side(&self, start: usize, end: usize) -> Result<Side> {
        let block = self.block_at(start)?;
        if end != start + 1 {
            return Ok(Side::Body);
        }
        let insts = self.shader.block_insts(block);
        let silent = insts.iter().take_while(|inst| is_silent(&self.shader.insts[**inst])).count();
        // There are no jumps out of a continue construct.
        let jumps = self.state.flow.loops.last().is_some_and(|open| open.stage != LoopStage::Construct);
        Ok(match insts[silent..] {
            [] => Side::Empty(block),
            [_] if jumps => match self.shader.block_jump(block) {
                Some(Jump::Break) => Side::Break(block),
                Some(Jump::Continue) => Side::Continue(block),
                _ => Side::Body,
            },
            _ => Side::Body,
        })
    }

    fn begin_if(&mut self, at: usize, cond: Def, hint: BranchHint) -> Result<usize> {
        let mut items = self.if_items(at)?;
        if !self.is_live() {
            return Ok(items.end_at + 1);
        }
        if self.state.flow.header.is_some() {
            return self.leave_from_header(items, cond);
        }
        if items.then_side.same_target(items.else_side) {
            if matches!(items.then_side, Side::Empty(_)) && self.phis(items.after).is_empty() {
                return Ok(items.end_at + 1);
            }
            items.then_side = Side::Body;
        }
        let mark = self.state.values.mark();
        let cond = self.value(cond, Base::Bool)?;
        let merge = self.m.id();
        let then_label = self.side_label(items.then_side, items.after, merge)?;
        let else_label = self.side_label(items.else_side, items.after, merge)?;
        let control = match hint {
            BranchHint::Flatten => SelectionControl::FLATTEN,
            BranchHint::DontFlatten => SelectionControl::DONT_FLATTEN,
            BranchHint::None | BranchHint::DivergentAlwaysTaken => SelectionControl::NONE,
        };
        let from = self.state.flow.label;
        self.m.code.op(Op::SelectionMerge, &[merge, control.bits()]);
        self.close(Op::BranchConditional, &[cond, then_label, else_label]);
        let mut joins = Preds::default();
        let empty = [items.then_side, items.else_side].iter().any(|side| matches!(side, Side::Empty(_)));
        empty.then(|| joins.add(from));
        let else_label = if items.else_side == Side::Body { else_label } else { 0 };
        self.state.flow.ifs.push(OpenIf { from, merge, else_label, joins, mark });
        if items.then_side == Side::Body {
            self.open(then_label, Preds::one(from));
            return Ok(at + 1);
        }
        Ok(items.else_at)
    }

    /// The label that the branch to a side has. If the side is not emitted, its phis get their values.
    fn side_label(&mut self, side: Side, after: Block, merge: u32) -> Result<u32> {
        match side {
            Side::Body => Ok(self.m.id()),
            Side::Empty(block) => {
                self.edge(block, after)?;
                Ok(merge)
            }
            Side::Break(block) => self.break_edge(block),
            Side::Continue(block) => self.continue_edge(block),
        }
    }

    fn begin_else(&mut self, at: usize) -> Result<usize> {
        let end_at = self.partner(at);
        self.join(self.block_at(end_at + 1)?)?;
        match self.state.flow.ifs.last() {
            Some(&OpenIf { from, else_label, .. }) if else_label != 0 => {
                self.open(else_label, Preds::one(from));
                Ok(at + 1)
            }
            _ => Ok(end_at),
        }
    }

    fn end_if(&mut self, at: usize) -> Result<usize> {
        self.join(self.block_at(at + 1)?)?;
        let open = self.state.flow.ifs.pop().ok_or_else(|| internal("no if is open"))?;
        self.open_merge(open.merge, open.joins);
        Ok(at + 1)
    }

    /// Ends a side of the innermost if: branches to the merge block, unless control flow is dead.
    fn join(&mut self, after: Block) -> Result<()> {
        let label = self.state.flow.label;
        if label != 0 {
            self.edge(self.current_block()?, after)?;
        }
        let open = self.state.flow.ifs.last_mut().ok_or_else(|| internal("no if is open"))?;
        let OpenIf { merge, mark, .. } = *open;
        if label != 0 {
            open.joins.add(label);
            self.branch(merge);
        }
        self.state.values.release(mark);
        Ok(())
    }

    // Loops.

    fn begin_loop(&mut self, at: usize) -> Result<usize> {
        let mut end_at = self.partner(at);
        let mut construct = None;
        if self.shader.cf[end_at] == Cf::Continue {
            construct = Some(self.block_at(end_at + 1)?);
            end_at = self.partner(end_at);
        }
        if !self.is_live() {
            return Ok(end_at + 1);
        }
        let (before, first) = (self.current_block()?, self.block_at(at + 1)?);
        let after = self.block_at(end_at + 1)?;
        let mark = self.state.values.mark();
        self.edge(before, first)?;
        let header = self.open_header(before, first)?;
        let (merge, next) = (self.m.id(), self.m.id());
        let first_back = self.header_phis(before, first)?;
        let stage = LoopStage::Body;
        let (repeats, breaks) = (false, Preds::default());
        let open =
            OpenLoop { header, merge, next, repeats, breaks, stage, before, first, construct, after, first_back, mark };
        self.state.flow.loops.push(open);
        self.state.flow.header = Some([merge, next]);
        if !self.first_is_header(at, first)? {
            let label = self.m.id();
            self.branch(label);
            self.open(label, Preds::one(header));
        }
        Ok(at + 1)
    }

    /// Starts the header of a loop: a new block, or the open one if it is still empty.
    fn open_header(&mut self, before: Block, first: Block) -> Result<u32> {
        let Flow { label, start, preds, .. } = self.state.flow;
        // Not if it is the function's first block, which cannot be a branch target, or the header of another loop.
        let can_be_header = label != self.m.entry_label && self.state.flow.header.is_none();
        let empty = can_be_header && self.m.code.len() == start;
        if empty && (preds.count == 1 || self.phis(first).is_empty()) {
            for phi in self.phis(first) {
                self.edge_from(*phi, before)?.label = preds.last;
            }
            return Ok(label);
        }
        let header = self.m.id();
        self.branch(header);
        self.open(header, Preds::one(label));
        Ok(header)
    }

    /// True if the first block of the loop at `at` can be its header: it ends in an unconditional branch, or in a branch out of the
    /// loop.
    fn first_is_header(&self, at: usize, first: Block) -> Result<bool> {
        if !self.is_straight(first) {
            return Ok(false);
        }
        let Cf::If { .. } = self.shader.cf[at + 2] else { return Ok(true) };
        let items = self.if_items(at + 2)?;
        Ok(matches!(
            (items.then_side, items.else_side),
            (Side::Break(_), Side::Empty(_)) | (Side::Empty(_), Side::Break(_))
        ))
    }

    /// True if control flow reaches the end of `block`.
    fn is_straight(&self, block: Block) -> bool {
        self.shader.block_jump(block).is_none() && !self.terminates(block)
    }

    /// True if an instruction of `block` ends the invocation.
    fn terminates(&self, block: Block) -> bool {
        let ends = |inst: &Inst| matches!(self.shader.as_intrinsic(*inst), Some((Intrinsic::terminate, _)));
        self.shader.inventory().has(Intrinsic::terminate) && self.shader.block_insts(block).iter().any(ends)
    }

    /// Emits the if after a loop header that is the header's own branch: one side leaves the loop, the other continues.
    fn leave_from_header(&mut self, items: IfItems, cond: Def) -> Result<usize> {
        let cond = self.value(cond, Base::Bool)?;
        let tail = self.shader.cf.get(items.end_at + 2) == Some(&Cf::EndLoop) && self.is_tail(items.after);
        let next = if tail { self.innermost()?.next } else { self.m.id() };
        let then_label = self.side_label(items.then_side, items.after, next)?;
        let else_label = self.side_label(items.else_side, items.after, next)?;
        let header = self.state.flow.label;
        self.close(Op::BranchConditional, &[cond, then_label, else_label]);
        if tail {
            self.innermost()?.stage = LoopStage::Tail;
        }
        self.open(next, Preds::one(header));
        Ok(items.end_at + 1)
    }

    /// True if `block`, the last of a loop, can be the continue target: only its end branches back.
    fn is_tail(&self, block: Block) -> bool {
        matches!(self.shader.block_jump(block), None | Some(Jump::Continue)) && !self.terminates(block)
    }

    fn innermost(&mut self) -> Result<&mut OpenLoop> {
        self.state.flow.loops.last_mut().ok_or_else(|| internal("a jump outside of a loop"))
    }

    /// Ends the body of a loop and starts its continue construct.
    fn begin_construct(&mut self, at: usize) -> Result<usize> {
        let block = self.block_at(at + 1)?;
        if self.is_live() {
            let target = self.continue_edge(self.current_block()?)?;
            self.branch(target);
        }
        let OpenLoop { next, repeats, mark, .. } = *self.innermost()?;
        self.state.values.release(mark);
        self.open(next, Preds::default());
        // A continue target cannot be the header of another loop, even if it is empty.
        self.state.flow.start = usize::MAX;
        self.innermost()?.stage = LoopStage::Construct;
        if !repeats {
            // There are no branches to this block, but a loop must have a back edge.
            self.back_edge()?;
        }
        debug_assert_eq!(self.innermost()?.construct, Some(block));
        Ok(at + 1)
    }

    fn end_loop(&mut self, at: usize) -> Result<usize> {
        match self.innermost()?.stage {
            LoopStage::Closed => {}
            LoopStage::Tail | LoopStage::Construct => {
                if !self.is_live() {
                    return Err(unsupported("a continue construct that does not repeat the loop"));
                }
                let first = self.innermost()?.first;
                self.edge(self.current_block()?, first)?;
                self.back_edge()?;
            }
            LoopStage::Body => {
                if self.is_live() {
                    let target = self.continue_edge(self.current_block()?)?;
                    self.branch(target);
                }
                let OpenLoop { next, mark, .. } = *self.innermost()?;
                self.state.values.release(mark);
                self.open(next, Preds::default());
                self.back_edge()?;
            }
        }
        let open = *self.innermost()?;
        self.state.flow.loops.pop();
        self.state.values.release(open.mark);
        self.open_merge(open.merge, open.breaks);
        Ok(at + 1)
    }

    /// Branches back to the header and completes its phis.
    fn back_edge(&mut self) -> Result<()> {
        let open = *self.innermost()?;
        self.finish_header_phis(open.before, open.first_back);
        self.innermost()?.stage = LoopStage::Closed;
        self.branch(open.header);
        Ok(())
    }

    // Jumps.

    /// Emits the jump at the end of a block.
    pub(super) fn jump(&mut self, jump: Jump) -> Result<()> {
        let target = match jump {
            Jump::Return | Jump::Halt => {
                self.leave(Op::Return);
                return Ok(());
            }
            // The end of the continue target is the back edge.
            Jump::Continue if self.innermost()?.stage == LoopStage::Tail => return Ok(()),
            _ if self.innermost()?.stage != LoopStage::Body => {
                return Err(unsupported("a jump out of a continue construct"));
            }
            Jump::Break => self.break_edge(self.current_block()?)?,
            Jump::Continue => self.continue_edge(self.current_block()?)?,
        };
        self.branch(target);
        Ok(())
    }

    /// Prepares a branch out of the innermost loop.
    fn break_edge(&mut self, from: Block) -> Result<u32> {
        let OpenLoop { after, merge, .. } = *self.innermost()?;
        self.edge(from, after)?;
        let label = self.state.flow.label;
        self.innermost()?.breaks.add(label);
        Ok(merge)
    }

    /// Prepares a branch to the continue target of the innermost loop.
    fn continue_edge(&mut self, from: Block) -> Result<u32> {
        let open = *self.innermost()?;
        self.edge(from, open.continue_block())?;
        self.innermost()?.repeats = true;
        Ok(open.next)
    }
}
