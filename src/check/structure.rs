// SPDX-License-Identifier: MIT

//! The control flow list: bodies are nested and closed, the ranges of blocks cover all instructions, jumps are at valid places.

use crate::entity::SideTable;
use crate::ir::{Block, BlockData, Cf, Inst, InstKind, Jump, Shader};
use crate::report::Report;

/// A body that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    Then,
    Else,
    Loop,
    Continue,
}

/// The state of the walks over the list, which is reused for the next shader.
#[derive(Debug, Default)]
pub(super) struct ListWalk {
    open: Vec<Body>,
    seen: SideTable<Block, bool>,
    seen_insts: SideTable<Inst, bool>,
}

/// Returns false if the list or the blocks are wrong in a way that no other rule can handle.
pub(super) fn check(report: &mut Report<'_>, walk: &mut ListWalk) -> bool {
    let before = report.len();
    check_list(report, &mut walk.open);
    check_blocks(report, &mut walk.seen);
    report.len() == before
}

/// Checks the nesting, and that blocks and other items alternate.
fn check_list(report: &mut Report<'_>, open: &mut Vec<Body>) {
    open.clear();
    let mut after_block = false;
    for item in &report.shader.cf {
        let is_block = matches!(item, Cf::Block(_));
        if is_block == after_block {
            let problem = if is_block { "follows another block" } else { "does not follow a block" };
            report.whole(format_args!("{} {problem}", item_name(*item)));
        }
        after_block = is_block;
        if !enter(open, *item) {
            report.whole(format_args!("{} does not match an open body", item_name(*item)));
        }
    }
    if !after_block {
        report.whole("the control flow list does not end with a block");
    }
    if !open.is_empty() {
        report.whole("an if or a loop is not closed");
    }
}

/// Opens and closes bodies as `item` does; returns false if `item` is not valid at this place.
fn enter(open: &mut Vec<Body>, item: Cf) -> bool {
    match item {
        Cf::Block(_) => true,
        Cf::If { .. } => {
            open.push(Body::Then);
            true
        }
        Cf::Loop => {
            open.push(Body::Loop);
            true
        }
        Cf::Else => replace(open, Body::Then, Body::Else),
        Cf::Continue => replace(open, Body::Loop, Body::Continue),
        Cf::EndIf => close(open, &[Body::Else]),
        Cf::EndLoop => close(open, &[Body::Loop, Body::Continue]),
    }
}

fn replace(open: &mut [Body], old: Body, new: Body) -> bool {
    match open.last_mut() {
        Some(body) if *body == old => {
            *body = new;
            true
        }
        _ => false,
    }
}

fn close(open: &mut Vec<Body>, bodies: &[Body]) -> bool {
    match open.last() {
        Some(body) if bodies.contains(body) => {
            open.pop();
            true
        }
        _ => false,
    }
}

fn item_name(item: Cf) -> &'static str {
    match item {
        Cf::Block(_) => "a block",
        Cf::If { .. } => "an if",
        Cf::Else => "an else",
        Cf::EndIf => "the end of an if",
        Cf::Loop => "a loop",
        Cf::Continue => "a continue construct",
        Cf::EndLoop => "the end of a loop",
    }
}

/// Checks that each block occurs once, and that each range begins at the end of the one before.
fn check_blocks(report: &mut Report<'_>, seen: &mut SideTable<Block, bool>) {
    let shader = report.shader;
    seen.reset(shader.blocks.len());
    let mut next = 0;
    for block in shader.block_order() {
        let BlockData { start, end } = shader.blocks[block];
        if seen[block] {
            report.whole(format_args!("block {block} is in the control flow list twice"));
        } else if start != next || end < start {
            report
                .whole(format_args!("block {block} has instructions {start} to {end}, but follows instruction {next}"));
        }
        seen.set(block, true);
        next = end;
    }
    if next as usize != shader.order.len() {
        report.whole(format_args!("the blocks end at instruction {next} of {}", shader.order.len()));
    }
}

/// Reports instructions that are in the shader more than once.
pub(super) fn check_instructions_once(report: &mut Report<'_>, ListWalk { seen_insts: seen, .. }: &mut ListWalk) {
    seen.reset(report.shader.insts.len());
    for inst in &report.shader.order {
        if seen[*inst] {
            report.at(*inst, "is in the shader twice");
        }
        seen.set(*inst, true);
    }
    // Frees large tables.
    seen.clear_to(report.shader.most_kept());
}

/// Reports jumps at places where none is allowed.
pub(super) fn check_jumps(report: &mut Report<'_>, ListWalk { open: loops, .. }: &mut ListWalk) {
    let shader = report.shader;
    // The bodies of the open loops, the innermost last, and the number of continue constructs around them.
    loops.clear();
    let mut continues = 0;
    for item in &shader.cf {
        match *item {
            Cf::Block(block) => check_block_jumps(report, block, loops.last().copied(), continues > 0),
            Cf::Loop => loops.push(Body::Loop),
            Cf::Continue => {
                loops.pop();
                loops.push(Body::Continue);
                continues += 1;
            }
            Cf::EndLoop => continues -= i32::from(loops.pop() == Some(Body::Continue)),
            Cf::If { .. } | Cf::Else | Cf::EndIf => {}
        }
    }
}

fn check_block_jumps(report: &mut Report<'_>, block: Block, innermost: Option<Body>, in_continue: bool) {
    let shader: &Shader = report.shader;
    let insts = shader.block_insts(block);
    for (at, inst) in insts.iter().enumerate() {
        let InstKind::Jump(jump) = shader.insts[*inst].kind else { continue };
        if at + 1 != insts.len() {
            report.at(*inst, "is not the last instruction of its block");
        }
        let of_loop = matches!(jump, Jump::Break | Jump::Continue);
        if of_loop && innermost.is_none() {
            report.at(*inst, "is not in a loop");
        } else if (of_loop && innermost == Some(Body::Continue)) || (!of_loop && in_continue) {
            report.at(*inst, "leaves a continue construct");
        }
    }
}
