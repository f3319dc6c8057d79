//! Prints a shader as Mesa 25.0 does: values and blocks numbered in program order.
//!
//! Constants are repeated where they are used, as in Mesa, in one interpretation. What Mesa infers from all uses of a value
//! (whether to print a constant as a float) is not: where an operand has no type, its constants print as hexadecimal.

use super::body::HINTS;
use super::decl::component_letters;
use super::edges::Edges;
use super::index::print_index;
use super::instr::JUMPS;
use super::intrinsic::IndexContext;
use super::{decl, deref, header, tex};
use crate::entity::SideTable;
use crate::ir::{AluFlags, AluSrc, Block, BranchHint, Cf, Def, Inst, InstKind, Shader, Var};
use crate::op::fold::{sign_extend, to_float};
use crate::op::intrinsic::Components;
use crate::op::{AluOp, Base, Intrinsic, Modes, Operand};
use rustc_hash::FxHashMap;
use std::fmt::{Result, Write};

/// Prints `shader`.
pub(super) fn print(shader: &Shader) -> String {
    let mut printer = Printer::new(shader);
    // Writing to a string cannot fail.
    let _ = printer.shader();
    printer.out
}

struct Printer<'a> {
    shader: &'a Shader,
    out: String,
    names: SideTable<Var, String>,
    numbers: SideTable<Def, u32>,
    block_numbers: SideTable<Block, u32>,
    /// Digits of the largest number.
    digits: usize,
}

impl<'a> Printer<'a> {
    fn new(shader: &'a Shader) -> Printer<'a> {
        let mut numbers = SideTable::with_len(0, shader.insts.len());
        let mut count = 0;
        for inst in shader.order.iter().filter(|inst| shader.insts[**inst].has_def()) {
            numbers.set(inst.def(), count);
            count += 1;
        }
        let mut block_numbers = SideTable::with_len(0, shader.blocks.len());
        for (number, block) in shader.block_order().enumerate() {
            block_numbers.set(block, number as u32);
        }
        let digits = count.to_string().len();
        Printer { shader, out: String::new(), names: unique_names(shader), numbers, block_numbers, digits }
    }

    fn shader(&mut self) -> Result {
        let shader = self.shader;
        header::print(&shader.info, &mut self.out)?;
        let is_local = |var: &Var| shader.vars[*var].mode == Modes::FUNCTION_TEMP;
        for var in shader.vars.ids().filter(|var| !is_local(var)) {
            decl::print(shader, &shader.vars[var], &self.names[var], &mut self.out)?;
        }
        let entry = if shader.entry.is_empty() { "main" } else { &shader.entry };
        write!(self.out, "decl_function {entry} () (entrypoint)\n\nimpl {entry} {{\n")?;
        for var in shader.vars.ids().filter(is_local) {
            self.out.push_str("    ");
            decl::print(shader, &shader.vars[var], &self.names[var], &mut self.out)?;
        }
        self.body()?;
        let end = shader.block_order().count();
        write!(self.out, "    block b{end}:\n}}\n\n")
    }

    fn body(&mut self) -> Result {
        let edges = Edges::of(self.shader);
        let mut depth = 1;
        for item in &self.shader.cf {
            match *item {
                Cf::Block(block) => {
                    self.block(block, depth, &edges)?;
                    continue;
                }
                Cf::If { cond, hint } => {
                    self.indent(depth);
                    self.out.push_str("if ");
                    self.src(cond, Base::Uint)?;
                    if let Some((_, text)) = HINTS.iter().find(|(h, _)| *h == hint && *h != BranchHint::None) {
                        write!(self.out, "  // {text}")?;
                    }
                    self.out.push_str(" {\n");
                    depth += 1;
                    continue;
                }
                Cf::Loop => {
                    self.indent(depth);
                    self.out.push_str("loop {\n");
                    depth += 1;
                    continue;
                }
                Cf::Else => self.close(depth, "} else {\n"),
                Cf::Continue => self.close(depth, "} continue {\n"),
                Cf::EndIf | Cf::EndLoop => {
                    depth -= 1;
                    self.indent(depth);
                    self.out.push_str("}\n");
                }
            }
        }
        Ok(())
    }

    fn close(&mut self, depth: usize, text: &str) {
        self.indent(depth - 1);
        self.out.push_str(text);
    }

    fn indent(&mut self, depth: usize) {
        self.pad(4 * depth);
    }

    fn pad(&mut self, blanks: usize) {
        self.out.extend(std::iter::repeat(' ').take(blanks));
    }

    fn block(&mut self, block: Block, depth: usize, edges: &Edges) -> Result {
        let insts = self.shader.block_insts(block);
        let number = self.block_numbers[block];
        self.indent(depth);
        write!(self.out, "block b{number}:")?;
        if insts.is_empty() {
            self.out.push_str("  // preds:");
            self.block_list(&edges.preds[number as usize])?;
            self.out.push_str(", succs:");
            self.block_list(&edges.succs[number as usize])?;
            self.out.push('\n');
            return Ok(());
        }
        // The width of `32x4 %12 = `, if any instruction of the block has a result.
        let has_def = insts.iter().any(|inst| self.shader.insts[*inst].has_def());
        let padding = if has_def { 10 + self.digits } else { 0 };
        self.pad(padding.saturating_sub(8 + number.to_string().len()));
        self.out.push_str("// preds:");
        self.block_list(&edges.preds[number as usize])?;
        self.out.push('\n');
        for inst in insts {
            self.indent(depth);
            self.inst(*inst, padding)?;
            self.out.push('\n');
        }
        self.indent(depth);
        self.pad(padding);
        self.out.push_str("// succs:");
        self.block_list(&edges.succs[number as usize])?;
        self.out.push('\n');
        Ok(())
    }

    fn block_list(&mut self, blocks: &[u32]) -> Result {
        blocks.iter().try_for_each(|block| write!(self.out, " b{block}"))
    }

    fn inst(&mut self, inst: Inst, padding: usize) -> Result {
        let shader = self.shader;
        let data = shader.insts[inst];
        if data.has_def() {
            self.def(inst.def(), data.num_components, data.bit_size)?;
            self.out.push_str(" = ");
        } else {
            self.pad(padding);
        }
        match data.kind {
            InstKind::Alu { op, flags, srcs } => self.alu(op, flags, &shader.alu_srcs[srcs], data.num_components),
            InstKind::Const(values) => self.constant(&shader.consts[values], data.bit_size),
            InstKind::Undef => {
                self.out.push_str("undefined");
                Ok(())
            }
            InstKind::Phi(_) => self.phi(inst),
            InstKind::Deref(deref) => {
                let (names, numbers) = (&self.names, &self.numbers);
                deref::print(shader, &deref, |var| names[var].clone(), |def| numbers[def], &mut self.out)
            }
            InstKind::Intrinsic { op, srcs, indices } => {
                self.intrinsic(op, &shader.srcs[srcs], &shader.indices[indices], data.num_components)
            }
            InstKind::Tex(tex) => {
                let mut out = std::mem::take(&mut self.out);
                let result = tex::print(&shader.texs[tex], |def, out| self.src_to(def, Base::Uint, out), &mut out);
                self.out = out;
                result
            }
            InstKind::Jump(jump) => {
                self.out.push_str(JUMPS.iter().find(|(j, _)| *j == jump).map_or("", |(_, name)| name));
                Ok(())
            }
        }
    }

    /// `32x4   %5`.
    fn def(&mut self, def: Def, num_components: u8, bit_size: u8) -> Result {
        let number = self.numbers[def];
        let size = if num_components == 1 { String::new() } else { format!("x{num_components}") };
        let padding = usize::from(bit_size <= 8) + 1 + self.digits.saturating_sub(number.to_string().len());
        write!(self.out, "{bit_size}{size:<3}{:padding$}%{number}", "")
    }

    fn alu(&mut self, op: AluOp, flags: AluFlags, srcs: &[AluSrc], num_components: u8) -> Result {
        self.out.push_str(op.name());
        let words = [(AluFlags::EXACT, "!"), (AluFlags::NO_SIGNED_WRAP, ".nsw"), (AluFlags::NO_UNSIGNED_WRAP, ".nuw")];
        for (_, word) in words.iter().filter(|(flag, _)| flags.contains(*flag)) {
            self.out.push_str(word);
        }
        for (i, (src, operand)) in srcs.iter().zip(op.info().srcs).enumerate() {
            self.out.push_str(if i == 0 { " " } else { ", " });
            self.alu_src(src, operand, num_components)?;
        }
        Ok(())
    }

    fn alu_src(&mut self, src: &AluSrc, operand: &Operand, num_components: u8) -> Result {
        self.src(src.def, operand.ty.base)?;
        let read = if operand.size == 0 { num_components } else { operand.size };
        let live = self.shader.num_components(src.def);
        if read != live || !src.swizzle.is_identity(usize::from(read)) {
            let letters = component_letters(live).as_bytes();
            self.out.push('.');
            for component in src.swizzle.components(usize::from(read)) {
                self.out.push(char::from(*letters.get(usize::from(component)).unwrap_or(&b'?')));
            }
        }
        Ok(())
    }

    /// A value that is used, with its components if it is a constant.
    fn src(&mut self, def: Def, base: Base) -> Result {
        let mut out = std::mem::take(&mut self.out);
        self.src_to(def, base, &mut out);
        self.out = out;
        Ok(())
    }

    fn src_to(&self, def: Def, base: Base, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(out, "%{}", self.numbers[def]);
        let Some(values) = self.shader.as_const(def) else { return };
        let bits = self.shader.bit_size(def);
        for (i, value) in values.iter().enumerate() {
            out.push_str(if i == 0 { " (" } else { ", " });
            let _ = match (base, bits) {
                (_, 1) | (Base::Bool, _) => write!(out, "{}", *value != 0),
                (Base::Float, 16..) => write!(out, "{}", float_text(*value, bits)),
                _ => write!(out, "0x{value:x}"),
            };
        }
        out.push(')');
    }

    /// All ways to write a constant that tell something.
    fn constant(&mut self, values: &[u64], bits: u8) -> Result {
        let separator = if values.len() > 1 { ") = (" } else { " = " };
        self.out.push_str("load_const (");
        if bits == 1 {
            self.list(values, |value| (value != 0).to_string());
            self.out.push(')');
            return Ok(());
        }
        let digits = usize::from(bits) / 4;
        self.list(values, |value| format!("0x{value:0digits$x}"));
        if bits > 8 {
            self.out.push_str(separator);
            self.list(values, |value| float_text(value, bits));
        }
        if values.iter().any(|value| sign_extend(*value, bits) < 0) {
            self.out.push_str(separator);
            self.list(values, |value| format!("{:+}", sign_extend(value, bits)));
        }
        if values.iter().any(|value| *value >= 10) {
            self.out.push_str(separator);
            self.list(values, |value| value.to_string());
        }
        self.out.push(')');
        Ok(())
    }

    fn list(&mut self, values: &[u64], print: impl Fn(u64) -> String) {
        for (i, value) in values.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.out.push_str(&print(*value));
        }
    }

    fn phi(&mut self, inst: Inst) -> Result {
        self.out.push_str("phi");
        for (i, src) in self.shader.phi(inst).unwrap_or(&[]).iter().enumerate() {
            write!(self.out, "{} b{}: ", if i == 0 { "" } else { "," }, self.block_numbers[src.pred])?;
            self.src(src.def, Base::Uint)?;
        }
        Ok(())
    }

    fn intrinsic(&mut self, op: Intrinsic, srcs: &[Def], indices: &[u32], num_components: u8) -> Result {
        write!(self.out, "@{}", op.name())?;
        for (i, src) in srcs.iter().enumerate() {
            self.out.push_str(if i == 0 { " (" } else { ", " });
            self.src(*src, Base::Uint)?;
        }
        self.out.push_str(if srcs.is_empty() { "" } else { ")" });
        let info = op.info();
        // A store has as many components as what it stores.
        let stored = info.srcs.iter().position(|components| *components == Components::Instr);
        let num_components = match (num_components, stored.and_then(|at| srcs.get(at))) {
            (0, Some(src)) => self.shader.num_components(*src),
            (n, _) => n,
        };
        let context = IndexContext { op, stage: self.shader.info.stage };
        for (i, (index, value)) in info.indices.iter().zip(indices).enumerate() {
            self.out.push_str(if i == 0 { " (" } else { ", " });
            print_index(*index, *value, num_components, &context, &mut self.out)?;
        }
        self.out.push_str(if indices.is_empty() { "" } else { ")" });
        Ok(())
    }
}

/// A float as C's `%f` prints it.
fn float_text(value: u64, bits: u8) -> String {
    let value = to_float(value, bits);
    match (value.is_nan(), value.is_sign_negative()) {
        (false, _) => format!("{value:.6}"),
        (true, false) => "nan".into(),
        (true, true) => "-nan".into(),
    }
}

/// The name of each variable in a dump: its own, made different from those before it.
fn unique_names(shader: &Shader) -> SideTable<Var, String> {
    let mut names = SideTable::with_len(String::new(), shader.vars.len());
    let mut taken: FxHashMap<String, ()> = FxHashMap::default();
    let mut count = 0;
    for (id, var) in shader.vars.iter() {
        let own = &shader.strings[var.name];
        let mut name = own.to_string();
        while taken.insert(name.clone(), ()).is_some() {
            name = format!("{own}#{count}");
            count += 1;
        }
        names.set(id, name);
    }
    names
}
