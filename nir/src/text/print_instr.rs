// SPDX-License-Identifier: MIT

//! Prints instructions.
//!
//! The definition of a constant has all plausible readings, and a use has one reading.

use super::decl::{component_letters, print_flags};
use super::dialect26::{is_only_in_26, print_math};
use super::index::{print_alu_type, print_index};
use super::instr::JUMPS;
use super::intrinsic::IndexContext;
use super::print::{num_digits, pad, Printer};
use super::readings::{intrinsic_src_base, tex_src_base};
use crate::ir::{AluFlags, AluSrc, ArrayIndex, Def, Deref, DerefKind, Inst, InstKind, TexData};
use crate::op::fold::{sign_extend, to_float};
use crate::op::{AluOp, Base, Intrinsic, Modes, Operand, TexOp, TexSrcKind};
use std::fmt::{Result, Write};

/// The most derefs in the comment with a whole deref chain; it is omitted for longer ones.
const MAX_CHAIN: usize = 64;

impl Printer<'_> {
    /// Prints an instruction; `padding` is the indentation of an instruction without a result.
    pub(super) fn inst(&self, inst: Inst, padding: usize, out: &mut String) -> Result {
        let shader = self.shader;
        let data = shader.insts[inst];
        if data.has_def() {
            self.def(inst.def(), data.num_components, data.bit_size, out)?;
        } else {
            pad(padding, out);
        }
        match data.kind {
            InstKind::Alu { op, flags, srcs } => self.alu(op, flags, &shader.alu_srcs[srcs], data.num_components, out),
            InstKind::Const(values) => self.constant(inst.def(), &shader.consts[values], out),
            InstKind::Undef => {
                out.push_str("undefined");
                Ok(())
            }
            InstKind::Phi(_) => self.phi(inst, out),
            InstKind::Deref(deref) => self.deref(&shader.derefs[deref], out),
            InstKind::Intrinsic { op, .. } => self.intrinsic(inst, op, out),
            InstKind::Tex(tex) => self.tex(&shader.texs[tex], out),
            InstKind::Jump(jump) => {
                out.push_str(JUMPS.iter().find(|(j, _)| *j == jump).map_or("", |(_, name)| name));
                Ok(())
            }
        }
    }

    /// Prints `32x4   %5 = `.
    fn def(&self, def: Def, num_components: u8, bit_size: u8, out: &mut String) -> Result {
        let number = self.numbers[def];
        write!(out, "{bit_size}")?;
        match num_components {
            1 => out.push_str("   "),
            n => write!(out, "x{n:<2}")?,
        }
        pad(usize::from(bit_size <= 8) + 1 + self.digits.saturating_sub(num_digits(number)), out);
        write!(out, "%{number} = ")
    }

    /// Prints a source. A constant is followed by its components, as `base` or as in the readings.
    pub(super) fn src(&self, def: Def, base: Option<Base>, out: &mut String) -> Result {
        write!(out, "%{}", self.numbers[def])?;
        let Some(values) = self.shader.as_const(def) else { return Ok(()) };
        let bits = self.shader.bit_size(def);
        let base = base.unwrap_or(if self.readings.is_float(def) { Base::Float } else { Base::Uint });
        for (i, value) in values.iter().enumerate() {
            out.push_str(if i == 0 { " (" } else { ", " });
            match (base, bits) {
                (_, 1) | (Base::Bool, _) => write!(out, "{}", *value != 0)?,
                (Base::Float, 16..) => print_float(*value, bits, out)?,
                _ => write!(out, "0x{value:x}")?,
            }
        }
        out.push(')');
        Ok(())
    }

    fn alu(&self, op: AluOp, flags: AluFlags, srcs: &[AluSrc], num_components: u8, out: &mut String) -> Result {
        out.push_str(op.name());
        let words = [(AluFlags::EXACT, "!"), (AluFlags::NO_SIGNED_WRAP, ".nsw"), (AluFlags::NO_UNSIGNED_WRAP, ".nuw")];
        for (_, word) in words.iter().filter(|(flag, _)| flags.contains(*flag)) {
            out.push_str(word);
        }
        for (i, (src, operand)) in srcs.iter().zip(op.info().srcs).enumerate() {
            out.push_str(if i == 0 { " " } else { ", " });
            self.alu_src(src, operand, num_components, out)?;
        }
        print_math(flags, out);
        Ok(())
    }

    fn alu_src(&self, src: &AluSrc, operand: &Operand, num_components: u8, out: &mut String) -> Result {
        self.src(src.def, Some(operand.ty.base), out)?;
        let read = operand.components(num_components);
        let live = self.shader.num_components(src.def);
        if read != live || !src.swizzle.is_identity(usize::from(read)) {
            let letters = component_letters(live).as_bytes();
            out.push('.');
            out.extend(
                src.swizzle.components(usize::from(read)).map(|c| char::from(letters[usize::from(c) % letters.len()])),
            );
        }
        Ok(())
    }

    /// Prints the bits, then each plausible reading.
    fn constant(&self, def: Def, values: &[u64], out: &mut String) -> Result {
        let bits = self.shader.bit_size(def);
        let separator = if values.len() > 1 { ") = (" } else { " = " };
        out.push_str("load_const (");
        if bits == 1 {
            print_list(values, out, |value, out| write!(out, "{}", value != 0))?;
            out.push(')');
            return Ok(());
        }
        let digits = usize::from(bits) / 4;
        print_list(values, out, |value, out| write!(out, "0x{value:0digits$x}"))?;
        if bits > 8 && !self.readings.is_int(def) {
            out.push_str(separator);
            print_list(values, out, |value, out| print_float(value, bits, out))?;
        }
        let may_be_int = !self.readings.is_float(def);
        if may_be_int && values.iter().any(|value| sign_extend(*value, bits) < 0) {
            out.push_str(separator);
            print_list(values, out, |value, out| write!(out, "{:+}", sign_extend(value, bits)))?;
        }
        if may_be_int && values.iter().any(|value| *value >= 10) {
            out.push_str(separator);
            print_list(values, out, |value, out| write!(out, "{value}"))?;
        }
        out.push(')');
        Ok(())
    }

    fn phi(&self, inst: Inst, out: &mut String) -> Result {
        out.push_str("phi");
        for (i, src) in self.shader.phi(inst).unwrap_or(&[]).iter().enumerate() {
            write!(out, "{} b{}: ", if i == 0 { "" } else { "," }, self.block_numbers[src.pred])?;
            self.src(src.def, None, out)?;
        }
        Ok(())
    }

    fn intrinsic(&self, inst: Inst, op: Intrinsic, out: &mut String) -> Result {
        let shader = self.shader;
        let InstKind::Intrinsic { srcs, indices, .. } = shader.insts[inst].kind else { return Ok(()) };
        let (srcs, indices) = (&shader.srcs[srcs], &shader.indices[indices]);
        write!(out, "@{}", op.name())?;
        for (i, src) in srcs.iter().enumerate() {
            out.push_str(if i == 0 { " (" } else { ", " });
            self.src(*src, intrinsic_src_base(shader, inst, op, srcs, i), out)?;
        }
        out.push_str(if srcs.is_empty() { "" } else { ")" });
        let context = IndexContext::new(shader, op, shader.insts[inst].num_components, srcs);
        let shown = op.info().indices.iter().zip(indices).filter(|(index, value)| !is_only_in_26(op, **index, **value));
        for (i, (index, value)) in shown.enumerate() {
            out.push_str(if i == 0 { " (" } else { ", " });
            print_index(*index, *value, &context, out)?;
        }
        out.push_str(if indices.is_empty() { "" } else { ")" });
        Ok(())
    }

    fn deref(&self, deref: &Deref, out: &mut String) -> Result {
        let shader = self.shader;
        let ty = shader.types.name(deref.ty, &shader.strings);
        match deref.kind {
            DerefKind::Var(var) => write!(out, "deref_var &{}", self.names[var])?,
            DerefKind::Array { parent, .. } | DerefKind::ArrayWildcard { parent } => {
                write!(out, "deref_array &(*%{})", self.numbers[parent])?;
            }
            DerefKind::PtrAsArray { parent, .. } => write!(out, "deref_ptr_as_array &(*%{})", self.numbers[parent])?,
            DerefKind::Struct { parent, .. } => write!(out, "deref_struct &%{}->", self.numbers[parent])?,
            DerefKind::Cast { parent, .. } => write!(out, "deref_cast ({ty} *)%{}", self.numbers[parent])?,
        }
        self.deref_step(&deref.kind, out)?;
        out.push_str(" (");
        let modes = Modes::NAMES.iter().filter(|(mode, _)| deref.modes.contains(*mode)).map(|(_, name)| *name);
        print_flags(modes, "|", out);
        write!(out, " {ty})")?;
        match deref.kind {
            DerefKind::Var(_) => Ok(()),
            DerefKind::Cast { stride, align_mul, align_offset, .. } => {
                write!(out, "  (ptr_stride={stride}, align_mul={align_mul}, align_offset={align_offset})")
            }
            _ => self.deref_chain(*deref, out),
        }
    }

    /// Prints the member or the index of a deref.
    fn deref_step(&self, kind: &DerefKind, out: &mut String) -> Result {
        match *kind {
            DerefKind::Var(_) | DerefKind::Cast { .. } => Ok(()),
            DerefKind::ArrayWildcard { .. } => write!(out, "[*]"),
            DerefKind::Array { index: ArrayIndex::Imm(value), .. }
            | DerefKind::PtrAsArray { index: ArrayIndex::Imm(value), .. } => write!(out, "[{value}]"),
            DerefKind::Array { index: ArrayIndex::Def(def), .. }
            | DerefKind::PtrAsArray { index: ArrayIndex::Def(def), .. } => write!(out, "[%{}]", self.numbers[def]),
            DerefKind::Struct { parent, field } => {
                let data = self.shader.as_deref(parent).and_then(|deref| self.shader.types.as_struct(deref.ty));
                let name = data.and_then(|data| Some(&self.shader.strings[data.fields.get(field as usize)?.name]));
                match name {
                    // A driver may omit names.
                    Some("") => write!(out, "field{field}"),
                    name => write!(out, "{}", name.unwrap_or("?")),
                }
            }
        }
    }

    /// Prints a comment with all derefs, from a variable or a cast on.
    fn deref_chain(&self, last: Deref, out: &mut String) -> Result {
        let mut steps = vec![last];
        while let Some(parent) = steps.last().and_then(|step| self.shader.as_deref(step.kind.parent()?)) {
            steps.push(*parent);
            if steps.len() > MAX_CHAIN {
                return Ok(());
            }
            if matches!(parent.kind, DerefKind::Cast { .. }) {
                break;
            }
        }
        out.push_str("  // &");
        let mut from_cast = false;
        for (i, step) in steps.iter().enumerate().rev() {
            match step.kind {
                DerefKind::Var(var) => out.push_str(&self.names[var]),
                DerefKind::Cast { parent, .. } => {
                    let to_struct = i > 0 && matches!(steps[i - 1].kind, DerefKind::Struct { .. });
                    let star = if to_struct { "" } else { "*" };
                    let ty = self.shader.types.name(step.ty, &self.shader.strings);
                    write!(out, "({star}({ty} *)%{})", self.numbers[parent])?;
                }
                DerefKind::Struct { .. } => out.push_str(if from_cast { "->" } else { "." }),
                _ => {}
            }
            from_cast = matches!(step.kind, DerefKind::Cast { .. });
            self.deref_step(&step.kind, out)?;
        }
        Ok(())
    }

    fn tex(&self, tex: &TexData, out: &mut String) -> Result {
        out.push('(');
        print_alu_type(tex.dest_type, out)?;
        write!(out, "){} ", tex.op.name())?;
        for (i, (kind, def)) in tex.srcs.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            self.src(*def, Some(tex_src_base(tex, *kind)), out)?;
            write!(out, " ({})", kind.name())?;
        }
        if tex.is_gather_implicit_lod {
            out.push_str(", implicit lod");
        }
        if tex.op == TexOp::tg4 {
            write!(out, ", {} (gather_component)", tex.component)?;
        }
        if let Some(offsets) = tex.offsets {
            let pairs = offsets.map(|[x, y]| format!("({x}, {y})"));
            write!(out, ", {{ {} }} (offsets)", pairs.join(", "))?;
        }
        let has = |kinds: &[TexSrcKind]| tex.srcs.iter().any(|(kind, _)| kinds.contains(kind));
        use TexSrcKind as Kind;
        if !has(&[Kind::texture_deref, Kind::texture_deref_intrinsic, Kind::sampler_deref_intrinsic]) {
            write!(out, ", {} (texture)", tex.texture_index)?;
        }
        // Mesa omits the number if the operation has no sampler; it is then 0.
        if !has(&[Kind::sampler_deref]) && (needs_sampler(tex.op) || tex.sampler_index != 0) {
            write!(out, ", {} (sampler)", tex.sampler_index)?;
        }
        let words = [
            (tex.texture_non_uniform, ", texture non-uniform"),
            (tex.sampler_non_uniform, ", sampler non-uniform"),
            (tex.is_sparse, ", sparse"),
        ];
        words.iter().filter(|(set, _)| *set).for_each(|(_, word)| out.push_str(word));
        if let Some(dim) = tex.dim {
            write!(out, ", {}", dim.name())?;
        }
        Ok(())
    }
}

/// True for operations that sample or gather.
fn needs_sampler(op: TexOp) -> bool {
    matches!(op, TexOp::tex | TexOp::txb | TexOp::txl | TexOp::txd | TexOp::lod | TexOp::tg4)
}

fn print_list(values: &[u64], out: &mut String, print: impl Fn(u64, &mut String) -> Result) -> Result {
    for (i, value) in values.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        print(*value, out)?;
    }
    Ok(())
}

/// A float as C's `%f` prints it.
fn print_float(value: u64, bits: u8, out: &mut String) -> Result {
    let value = to_float(value, bits);
    match (value.is_nan(), value.is_sign_negative()) {
        (false, _) => write!(out, "{value:.6}"),
        (true, false) => write!(out, "nan"),
        (true, true) => write!(out, "-nan"),
    }
}
