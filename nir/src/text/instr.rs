// SPDX-License-Identifier: MIT

//! Instructions: the result, the operands, and the simple kinds of instructions.
//!
//! ```text
//! 32x2   %7 = fmul! %3.xx, %4 (0.500000, 2.000000)
//! result      ALU opcode, flags, sources with swizzles; a constant repeated in parentheses is skipped
//! ```

use super::body::block_name;
use super::cursor::{Cursor, Span};
use super::decl::component_of;
use super::dialect22;
use super::dialect26;
use super::parser::{Parser, PendingPhiSrc};
use crate::error::Error;
use crate::ir::{AluFlags, AluSrc, Def, InstKind, Jump, PhiSrc};
use crate::near::similar;
use crate::op::old::old_alu;
use crate::op::{AluOp, Operand};

/// The result at the start of an instruction's line.
pub(super) struct Dest {
    pub(super) num_components: u8,
    pub(super) bit_size: u8,
    pub(super) target: Target,
}

/// The destination of a result.
pub(super) enum Target {
    /// The value with this number.
    Number(u32, Span),
    /// A register, in 22.3.
    Register(dialect22::RegisterRef),
}

/// The jumps in structured control flow.
pub(super) const JUMPS: &[(Jump, &str)] =
    &[(Jump::Break, "break"), (Jump::Continue, "continue"), (Jump::Return, "return"), (Jump::Halt, "halt")];

impl<'a> Parser<'a> {
    /// Parses a line with an instruction.
    pub(super) fn instruction(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        if line.peek() == b'@' {
            line.eat(b'@');
            return self.intrinsic(line, None, false).map(|_| ());
        }
        if line.peek().is_ascii_alphabetic() {
            if line.eat_word("intrinsic") {
                return self.intrinsic(line, None, true).map(|_| ());
            }
            let mut ahead = *line;
            let word = ahead.word();
            if let Some((jump, _)) = JUMPS.iter().find(|(_, name)| *name == word) {
                self.emit(0, 0, InstKind::Jump(*jump));
                return ahead.expect_end();
            }
            if let "goto" | "call" = word {
                let what = if word == "call" {
                    "a function without calls: inline them first"
                } else {
                    "structured control flow"
                };
                return Err(line.unexpected(what));
            }
        }
        let dest = self.dest(line)?;
        let value = self.operation(line, &dest);
        // A number is bound even if its line has an error, so that only this line is reported.
        let bound = match &value {
            Ok(def) => *def,
            Err(_) => self.broken_value(&dest),
        };
        match dest.target {
            Target::Number(number, span) => {
                if !self.defs.define(number, bound) {
                    self.report(line.error_at(span, &format!("%{number} is defined twice")));
                }
            }
            Target::Register(register) => self.store_register(&register, bound),
        }
        value.map(|_| ())
    }

    fn broken_value(&mut self, dest: &Dest) -> Def {
        let def = self.emit(dest.num_components, dest.bit_size, InstKind::Undef).def();
        self.broken.insert(def);
        def
    }

    /// Parses the text after `=`. Returns the value.
    fn operation(&mut self, line: &mut Cursor<'a>, dest: &Dest) -> Result<Def, Error> {
        match line.skip_blanks() {
            b'@' => {
                line.eat(b'@');
                return self.intrinsic_value(line, dest, false);
            }
            b'(' => return self.tex(line, dest),
            _ => {}
        }
        let start = line.token_start();
        let word = line.word();
        match word {
            "load_const" => self.load_const(line, dest),
            "undefined" => {
                line.expect_end()?;
                Ok(self.emit(dest.num_components, dest.bit_size, InstKind::Undef).def())
            }
            "phi" => self.phi(line, dest),
            "intrinsic" => self.intrinsic_value(line, dest, true),
            "deref_var" | "deref_array" | "deref_struct" | "deref_cast" | "deref_ptr_as_array" => {
                self.deref(line, word, dest)
            }
            _ => self.alu(line, dest, word, start),
        }
    }

    /// Parses `32x4   %5 =` (25.0), `vec4 32 ssa_5 =` or `r2.xy =` (22.3).
    fn dest(&mut self, line: &mut Cursor<'a>) -> Result<Dest, Error> {
        skip_divergence(line);
        if line.peek() == b'r' && line.peek_second().is_ascii_digit() {
            return self.register_dest(line);
        }
        let (bit_size, num_components) = if line.peek().is_ascii_digit() {
            let bits = bit_size(line)?;
            (bits, if line.peek() == b'x' { self.component_count(line, "x")? } else { 1 })
        } else {
            let num_components = self.component_count(line, "vec")?;
            (bit_size(line)?, num_components)
        };
        skip_divergence(line);
        let start = line.token_start();
        if !line.eat(b'%') && !line.eat_str("ssa_") {
            return Err(line.unexpected("the number of the result, such as `%1`"));
        }
        let number = line.number32("a number")?;
        let span = line.span_from(start);
        line.expect(b'=', "`=`")?;
        Ok(Dest { num_components, bit_size, target: Target::Number(number, span) })
    }

    /// Parses a number of components after `prefix`.
    pub(super) fn component_count(&mut self, line: &mut Cursor<'a>, prefix: &str) -> Result<u8, Error> {
        let start = line.token_start();
        if !line.eat_str(prefix) {
            return Err(line.unexpected("an instruction"));
        }
        match line.number32("a number of components")? {
            n @ (1..=5 | 8 | 16) => Ok(n as u8),
            _ => Err(line.error(start, "expected 1, 2, 3, 4, 5, 8 or 16 components")),
        }
    }

    /// Parses a source: `%5`, `ssa_5`, or a register of 22.3. The value of a constant after it is skipped.
    pub(super) fn src(&mut self, line: &mut Cursor<'a>) -> Result<Def, Error> {
        let def = self.src_without_note(line)?;
        if line.skip_blanks() == b'(' {
            line.skip_group();
        }
        Ok(def)
    }

    /// Parses a source without the text after it.
    pub(super) fn src_without_note(&mut self, line: &mut Cursor<'a>) -> Result<Def, Error> {
        let start = line.token_start();
        if line.peek() == b'r' && line.peek_second().is_ascii_digit() {
            return self.load_register(line);
        }
        if !line.eat(b'%') && !line.eat_str("ssa_") {
            return Err(line.unexpected("a value such as `%1`"));
        }
        let number = line.number32("the number of a value")?;
        match self.defs.get(number) {
            Some(def) => {
                self.uses_broken |= !self.broken.is_empty() && self.broken.contains(&def);
                Ok(def)
            }
            None => Err(line.error(start, &format!("%{number} is not defined before this use"))),
        }
    }

    fn alu(&mut self, line: &mut Cursor<'a>, dest: &Dest, name: &str, start: usize) -> Result<Def, Error> {
        let span = line.span_from(start);
        let Some(op) = AluOp::from_name(name).or_else(|| dialect26::alu_op(name)) else {
            return match old_alu(name) {
                Some(old) => self.old_alu(line, dest, old),
                None if name.is_empty() => Err(line.unexpected("an instruction")),
                None => {
                    let near = similar(name, AluOp::ALL.iter().map(|op| op.name()));
                    Err(line.error_at(span, &format!("unknown ALU opcode `{name}`{near}")))
                }
            };
        };
        let (flags, saturate) = alu_flags(line)?;
        let info = op.info();
        if info.dest.size != 0 && info.dest.size != dest.num_components {
            let n = info.dest.size;
            return Err(line.error_at(span, &format!("the result of `{name}` has {n} components")));
        }
        let first = self.alu_src(line, dest, &info.srcs[0])?;
        let mut srcs = [first; 16];
        for (src, operand) in srcs.iter_mut().zip(info.srcs).skip(1) {
            line.expect(b',', "`,` and another source")?;
            *src = self.alu_src(line, dest, operand)?;
        }
        let math = self.math_control(line)?;
        line.expect_end()?;
        if !math.is_empty() {
            let bits = [dest.bit_size, self.shader.bit_size(first.def)];
            bits.iter().for_each(|bits| self.record_preserved(math, *bits));
        }
        let flags = flags | math;
        let def = self.emit_alu(op, flags, dest, &srcs[..info.srcs.len()]);
        Ok(if saturate { self.saturate(def) } else { def })
    }

    pub(super) fn emit_alu(&mut self, op: AluOp, flags: AluFlags, dest: &Dest, srcs: &[AluSrc]) -> Def {
        let srcs = self.shader.push_alu_srcs(srcs);
        self.emit(dest.num_components, dest.bit_size, InstKind::Alu { op, flags, srcs }).def()
    }

    /// Parses a source of an ALU instruction: `%5.xy`, in 22.3 with `-` and `abs()` around it.
    pub(super) fn alu_src(&mut self, line: &mut Cursor<'a>, dest: &Dest, operand: &Operand) -> Result<AluSrc, Error> {
        let needed = operand.components(dest.num_components);
        let negate = line.eat(b'-');
        let abs = line.eat_str("abs(");
        let start = line.token_start();
        let def = self.src(line)?;
        let live = self.shader.num_components(def);
        let mut src = AluSrc::from(def);
        if line.eat(b'.') {
            let letters = line.word();
            let wanted = || format!("expected {needed} of the {live} components");
            if letters.len() != usize::from(needed) {
                return Err(line.error(start, &wanted()));
            }
            for (i, letter) in letters.bytes().enumerate() {
                match component_of(letter).filter(|c| *c < live) {
                    Some(component) => src.swizzle.set(i, component),
                    None => return Err(line.error(start, &wanted())),
                }
            }
        } else if live != needed {
            return Err(
                line.error(start, &format!("expected a swizzle: {needed} components are read, there are {live}"))
            );
        }
        if abs {
            line.expect(b')', "`)`")?;
        }
        Ok(if negate || abs { self.modified(src, needed, operand, negate, abs) } else { src })
    }

    /// Parses `(0x3f800000, 0x00000000) = (1.000000, 0.000000)`: the bits, and other forms of them, which are skipped.
    fn load_const(&mut self, line: &mut Cursor<'a>, dest: &Dest) -> Result<Def, Error> {
        line.expect(b'(', "`(`")?;
        let mut values = [0; 16];
        let count = usize::from(dest.num_components);
        for (i, value) in values[..count].iter_mut().enumerate() {
            if i > 0 {
                line.expect(b',', &format!("`,` and another of {count} components"))?;
            }
            *value = constant(line, dest.bit_size)?;
        }
        match line.skip_blanks() {
            b')' | b'=' => {}
            _ => return Err(line.unexpected("`)`")),
        }
        let values = self.shader.consts.push(&values[..count]);
        Ok(self.emit(dest.num_components, dest.bit_size, InstKind::Const(values)).def())
    }

    /// Parses `b1: %4, b2: %7`. Blocks and values may be defined later, so they are resolved at the end.
    fn phi(&mut self, line: &mut Cursor<'a>, dest: &Dest) -> Result<Def, Error> {
        let phi = self.shader.insts.next_id();
        let block = self.shader.block_order().next_back();
        let mut count = 0;
        while !line.at_end() {
            if count > 0 {
                line.expect(b',', "`,`")?;
            }
            let start = line.token_start();
            let pred = block_name(line)?;
            let pred_span = line.span_from(start);
            line.expect(b':', "`:`")?;
            let start = line.token_start();
            if !line.eat(b'%') && !line.eat_str("ssa_") {
                return Err(line.unexpected("a value such as `%1`"));
            }
            let def = line.number32("the number of a value")?;
            let def_span = line.span_from(start);
            line.skip_group();
            self.phi_srcs.push(PendingPhiSrc { phi, index: count, pred, def, cursor: *line, pred_span, def_span });
            count += 1;
        }
        // Until then, each source is the phi itself.
        let srcs = block.map(|pred| PhiSrc { pred, def: phi.def() }).into_iter().cycle().take(count);
        let srcs = self.shader.phi_srcs.extend(srcs);
        Ok(self.emit(dest.num_components, dest.bit_size, InstKind::Phi(srcs)).def())
    }
}

/// Skips the result of Mesa's divergence analysis, if there is one.
pub(super) fn skip_divergence(line: &mut Cursor<'_>) {
    if matches!(line.skip_blanks(), b'c' | b'd') && (line.eat_word("div") || line.eat_word("con")) {
        line.skip_blanks();
    }
}

pub(super) fn bit_size(line: &mut Cursor<'_>) -> Result<u8, Error> {
    let start = line.token_start();
    match line.number32("a width in bits")? {
        bits @ (1 | 8 | 16 | 32 | 64) => Ok(bits as u8),
        _ => Err(line.error(start, "expected a width of 1, 8, 16, 32 or 64 bits")),
    }
}

/// Parses the text after an opcode: flags, and whether the result is clamped to 0..1 (22.3).
pub(super) fn alu_flags(line: &mut Cursor<'_>) -> Result<(AluFlags, bool), Error> {
    let mut flags = AluFlags::empty();
    let mut saturate = false;
    loop {
        match line.peek() {
            b'!' => {
                line.eat(b'!');
                flags |= AluFlags::EXACT;
            }
            b'.' => {
                let start = line.token_start();
                line.eat(b'.');
                match line.word() {
                    "nsw" => flags |= AluFlags::NO_SIGNED_WRAP,
                    "nuw" => flags |= AluFlags::NO_UNSIGNED_WRAP,
                    "sat" => saturate = true,
                    _ => return Err(line.error(start, "expected `.nsw`, `.nuw` or `.sat`")),
                }
            }
            _ => return Ok((flags, saturate)),
        }
    }
}

/// A component of a constant: `true`, `false` or `0x...`.
fn constant(line: &mut Cursor<'_>, bit_size: u8) -> Result<u64, Error> {
    let start = line.token_start();
    let word = line.word();
    match (bit_size, word) {
        (1, "true") => Ok(1),
        (1, "false") => Ok(0),
        (1, _) => Err(line.error(start, "expected `true` or `false`")),
        _ => word
            .strip_prefix("0x")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .filter(|value| bit_size == 64 || value >> bit_size == 0)
            .ok_or_else(|| line.error(start, &format!("expected {bit_size} bits such as `0x0`"))),
    }
}
