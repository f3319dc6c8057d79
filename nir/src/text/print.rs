// SPDX-License-Identifier: MIT

//! Prints a shader as Mesa 25.0 does: values and blocks are numbered in program order, and all columns are padded as in Mesa.

use super::body::HINTS;
use super::edges::Edges;
use super::layout::Learned;
use super::readings::Readings;
use super::{decl, header};
use crate::entity::SideTable;
use crate::ir::{Block, BranchHint, Cf, Def, Inst, LineNumber, Shader, Var};
use crate::op::Modes;
use rustc_hash::FxHashSet;
use std::fmt::{Result, Write};

/// Prints `shader`.
pub(super) fn print(shader: &Shader) -> String {
    let mut out = String::with_capacity(64 * shader.order.len() + 1024);
    // Writing to a string cannot fail.
    let _ = Printer::new(shader).shader(&mut out, &mut Vec::new());
    out
}

/// Prints `shader`, and sets the line of each of its instructions.
pub(super) fn print_with_lines(shader: &mut Shader) -> String {
    let (mut out, mut starts) = (String::new(), Vec::with_capacity(shader.order.len()));
    // Writing to a string cannot fail.
    let _ = Printer::new(shader).shader(&mut out, &mut starts);
    let (mut line, mut end) = (1, 0);
    for (inst, start) in starts {
        line += out[end..start].matches('\n').count() as u32;
        end = start;
        shader.lines.set(inst, LineNumber(line));
    }
    out
}

/// Prints the instructions of each block.
pub(super) fn print_blocks(shader: &Shader) -> Vec<Vec<String>> {
    let printer = Printer::new(shader);
    let insts = |block| {
        let insts = shader.block_insts(block);
        let padding = printer.padding(insts);
        let line = |inst: &Inst| {
            let mut line = String::new();
            // Writing to a string cannot fail.
            let _ = printer.inst(*inst, padding, &mut line);
            line
        };
        insts.iter().map(line).collect()
    };
    shader.block_order().map(insts).collect()
}

/// The instructions of a printed dump, and the places in the text where their lines start.
type Starts = Vec<(Inst, usize)>;

/// The names and numbers of a printed dump.
pub(super) struct Printer<'a> {
    pub(super) shader: &'a Shader,
    pub(super) readings: Readings<'a>,
    pub(super) names: SideTable<Var, String>,
    pub(super) numbers: SideTable<Def, u32>,
    pub(super) block_numbers: SideTable<Block, u32>,
    /// The number of digits of the largest number.
    pub(super) digits: usize,
}

impl<'a> Printer<'a> {
    fn new(shader: &'a Shader) -> Printer<'a> {
        let mut numbers = shader.def_table(0);
        let mut count = 0;
        for inst in shader.order.iter().filter(|inst| shader.insts[**inst].has_def()) {
            numbers.set(inst.def(), count);
            count += 1;
        }
        let mut block_numbers = shader.block_table(0);
        for (number, block) in shader.block_order().enumerate() {
            block_numbers.set(block, number as u32);
        }
        Printer {
            shader,
            readings: Readings::of(shader),
            names: unique_names(shader),
            numbers,
            block_numbers,
            digits: num_digits(count),
        }
    }

    /// Prints the shader. `starts` gets the place in `out` of each instruction.
    fn shader(&self, out: &mut String, starts: &mut Starts) -> Result {
        let shader = self.shader;
        header::print(shader, out)?;
        let learned = Learned::of(shader);
        let is_local = |var: &Var| shader.vars[*var].mode == Modes::FUNCTION_TEMP;
        for var in shader.vars.ids().filter(|var| !is_local(var)) {
            decl::print(shader, var, (&self.names[var], &learned), out)?;
        }
        let entry = if shader.entry.is_empty() { "main" } else { &shader.entry };
        write!(out, "decl_function {entry} () (entrypoint)\n\nimpl {entry} {{\n")?;
        for var in shader.vars.ids().filter(is_local) {
            indent(1, out);
            decl::print(shader, var, (&self.names[var], &learned), out)?;
        }
        self.body(out, starts)?;
        let end = shader.block_order().count();
        write!(out, "    block b{end}:\n}}\n\n")
    }

    fn body(&self, out: &mut String, starts: &mut Starts) -> Result {
        let edges = Edges::of(self.shader);
        let mut depth = 1usize;
        for item in &self.shader.cf {
            // The structure may be invalid, and a print should show it.
            depth = depth.saturating_sub(matches!(item, Cf::Else | Cf::Continue | Cf::EndIf | Cf::EndLoop).into());
            match *item {
                Cf::Block(block) => {
                    self.block(block, depth, &edges, out, starts)?;
                    continue;
                }
                Cf::If { cond, hint } => {
                    indent(depth, out);
                    out.push_str("if ");
                    self.src(cond, None, out)?;
                    if let Some((_, text)) = HINTS.iter().find(|(h, _)| *h == hint && *h != BranchHint::None) {
                        write!(out, "  // {text}")?;
                    }
                    out.push_str(" {\n");
                }
                Cf::Loop => line("loop {", depth, out),
                Cf::Else => line("} else {", depth, out),
                Cf::Continue => line("} continue {", depth, out),
                Cf::EndIf | Cf::EndLoop => line("}", depth, out),
            }
            depth += usize::from(!matches!(item, Cf::EndIf | Cf::EndLoop));
        }
        Ok(())
    }

    fn block(&self, block: Block, depth: usize, edges: &Edges, out: &mut String, starts: &mut Starts) -> Result {
        let insts = self.shader.block_insts(block);
        let number = self.block_numbers[block];
        let (preds, succs) = (&edges.preds[number as usize], &edges.succs[number as usize]);
        indent(depth, out);
        write!(out, "block b{number}:")?;
        if insts.is_empty() {
            block_names("  // preds:", preds, out)?;
            block_names(", succs:", succs, out)?;
            out.push('\n');
            return Ok(());
        }
        let padding = self.padding(insts);
        pad(padding.saturating_sub(8 + num_digits(number)), out);
        block_names("// preds:", preds, out)?;
        out.push('\n');
        for inst in insts {
            starts.push((*inst, out.len()));
            indent(depth, out);
            self.inst(*inst, padding, out)?;
            out.push('\n');
        }
        indent(depth, out);
        pad(padding, out);
        block_names("// succs:", succs, out)?;
        out.push('\n');
        Ok(())
    }

    /// The width of `32x4 %12 = `, if any instruction of a block has a result.
    fn padding(&self, insts: &[Inst]) -> usize {
        let has_def = insts.iter().any(|inst| self.shader.insts[*inst].has_def());
        if has_def {
            10 + self.digits
        } else {
            0
        }
    }
}

/// The name of each variable in a dump: its own, changed if an earlier variable has it.
fn unique_names(shader: &Shader) -> SideTable<Var, String> {
    let mut names = SideTable::with_len(String::new(), shader.vars.len());
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut count = 0;
    for (id, var) in shader.vars.iter() {
        let own = &shader.strings[var.name];
        let mut name = own.to_string();
        while !taken.insert(name.clone()) {
            name = format!("{own}#{count}");
            count += 1;
        }
        names.set(id, name);
    }
    names
}

fn block_names(what: &str, blocks: &[u32], out: &mut String) -> Result {
    out.push_str(what);
    blocks.iter().try_for_each(|block| write!(out, " b{block}"))
}

fn line(text: &str, depth: usize, out: &mut String) {
    indent(depth, out);
    out.push_str(text);
    out.push('\n');
}

fn indent(depth: usize, out: &mut String) {
    pad(4 * depth, out);
}

/// Writes blanks.
pub(super) fn pad(blanks: usize, out: &mut String) {
    out.extend(std::iter::repeat(' ').take(blanks));
}

/// The number of digits of `number`.
pub(super) fn num_digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}
