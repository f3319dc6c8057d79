// SPDX-License-Identifier: MIT

//! The body of the entry point: control flow and the lines in it.
//!
//! The braces of a dump become the flat control flow list. The predecessors and successors in a dump follow from that list, and so
//! does its last, empty block: the parser skips both.

use super::cursor::Cursor;
use super::parser::{Flow, Open, Parser, Part};
use crate::error::Error;
use crate::ir::{BranchHint, Cf};

/// The hints that an `if` prints between condition and brace, in the order of matching: `don't flatten` contains `flatten`.
pub(super) const HINTS: &[(BranchHint, &str)] = &[
    (BranchHint::DontFlatten, "don't flatten"),
    (BranchHint::DivergentAlwaysTaken, "divergent always taken"),
    (BranchHint::Flatten, "flatten"),
];

impl<'a> Parser<'a> {
    /// Parses `main () (entrypoint)`, after `decl_function`.
    pub(super) fn decl_function(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let start = line.token_start();
        let name = line.take_while(|b| b != b' ' && b != b'(');
        let span = line.span_from(start);
        if self.part == Part::Done {
            return Err(line.error_at(span, "only one function is supported: inline the others first"));
        }
        line.expect(b'(', "`(`")?;
        if self.part == Part::Header || line.rest().contains("(entrypoint)") {
            self.shader.entry.clear();
            self.shader.entry.push_str(name);
            self.part = Part::Declared;
        }
        Ok(())
    }

    /// Parses `main {`, after `impl`.
    pub(super) fn begin_impl(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let start = line.token_start();
        let name = line.take_while(|b| b != b' ');
        let span = line.span_from(start);
        // The body is read with any name, so that its lines are not taken for header lines.
        let before = std::mem::replace(&mut self.part, Part::Body);
        if before != Part::Declared {
            let what =
                if before == Part::Header { "expected `decl_function` before it" } else { "expected one function" };
            return Err(line.error_at(span, what));
        }
        if name != self.shader.entry {
            return Err(line.error_at(span, &format!("expected the entry point `{}`", self.shader.entry)));
        }
        line.expect(b'{', "`{`")?;
        line.expect_end()
    }

    /// Parses a line of the body.
    pub(super) fn body_line(&mut self, mut line: Cursor<'a>) -> Flow {
        line.skip_blanks();
        let control = match line.peek() {
            b'}' => self.close(&mut line),
            b'b' if line.rest().starts_with("block ") => self.block(&mut line),
            b'i' if line.rest().starts_with("if ") => self.begin_if(&mut line),
            b'l' if line.rest().starts_with("loop ") => self.begin_loop(&mut line),
            b'c' | b'd' if line.eat_str("con block ") || line.eat_str("div block ") => self.block_number(&mut line),
            b'c' | b'd' if line.eat_str("con loop ") || line.eat_str("div loop ") => self.open_loop(&mut line),
            _ => {
                self.uses_broken = false;
                if let Err(error) = self.statement(&mut line) {
                    if !self.uses_broken {
                        self.report(error);
                    }
                }
                return Flow::Next;
            }
        };
        match control {
            Ok(()) => Flow::Next,
            Err(error) => {
                self.report(error);
                Flow::Stop
            }
        }
    }

    /// Parses a declaration or an instruction.
    fn statement(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        match line.peek() {
            b'd' if line.eat_str("decl_var ") => return self.decl_var(line),
            b'd' if line.eat_str("decl_reg ") => return self.decl_reg(line),
            b'p' if line.rest().starts_with("preamble ") => return Err(line.unexpected("a body without a preamble")),
            _ => {}
        }
        if self.part == Part::EndBlock {
            return Err(line.unexpected("`}`: an empty block ended the function"));
        }
        if !self.in_block() {
            return Err(line.unexpected("a block"));
        }
        self.instruction(line)
    }

    fn block(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        line.eat_str("block ");
        self.block_number(line)
    }

    /// Parses `b5:`, after `block`.
    fn block_number(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let start = line.token_start();
        let number = block_name(line)?;
        let span = line.span_from(start);
        line.expect(b':', "`:`")?;
        line.expect_end()?;
        if self.part == Part::EndBlock {
            return Err(line.error_at(span, "expected `}`: an empty block ended the function"));
        }
        if self.in_block() {
            if !self.open.is_empty() {
                return Err(line.error_at(span, "a block cannot follow another"));
            }
            self.part = Part::EndBlock;
            return Ok(());
        }
        let block = self.shader.append_new_block();
        if !self.blocks.define(number, block) {
            self.report(line.error_at(span, &format!("block b{number} is defined twice")));
        }
        if self.blocks_are_first() {
            self.declare_registers();
        }
        Ok(())
    }

    fn blocks_are_first(&self) -> bool {
        self.shader.cf.len() == 1
    }

    fn begin_if(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        self.expect_block(line)?;
        line.eat_str("if ");
        // The hint is a comment, and the brace is after it.
        let text = line.rest();
        let hint = HINTS.iter().find(|(_, name)| text.contains(name)).map_or(BranchHint::None, |(hint, _)| *hint);
        let cond = self.src(line)?;
        if !text.trim_end().ends_with('{') {
            return Err(line.unexpected("`{`"));
        }
        self.shader.append_cf(Cf::If { cond, hint });
        self.open.push(Open::Then);
        Ok(())
    }

    fn begin_loop(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        line.eat_str("loop ");
        self.open_loop(line)
    }

    /// Parses `{`, after `loop`.
    fn open_loop(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        self.expect_block(line)?;
        line.expect(b'{', "`{`")?;
        line.expect_end()?;
        self.shader.append_cf(Cf::Loop);
        self.open.push(Open::Loop);
        Ok(())
    }

    /// Parses `}`, `} else {` or `} continue {`.
    fn close(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        if self.part != Part::EndBlock {
            self.expect_block(line)?;
        }
        line.eat(b'}');
        let (from, cf, to) = if line.eat_str("else {") {
            (Open::Then, Cf::Else, Some(Open::Else))
        } else if line.eat_str("continue {") {
            (Open::Loop, Cf::Continue, Some(Open::Continue))
        } else {
            line.expect_end()?;
            match self.open.last() {
                Some(Open::Then) => return Err(line.unexpected("`else {`: every if has an else")),
                Some(Open::Else) => (Open::Else, Cf::EndIf, None),
                Some(open) => (*open, Cf::EndLoop, None),
                None => {
                    self.part = Part::Done;
                    return Ok(());
                }
            }
        };
        if self.open.last() != Some(&from) {
            return Err(line.error(0, "this does not close the open construct"));
        }
        self.open.pop();
        self.open.extend(to);
        self.shader.append_cf(cf);
        Ok(())
    }

    /// Checks that the last item of control flow is a block.
    fn expect_block(&self, line: &mut Cursor<'a>) -> Result<(), Error> {
        if self.part == Part::EndBlock {
            return Err(line.unexpected("`}`: an empty block ended the function"));
        }
        if !self.in_block() {
            return Err(line.unexpected("a block before it"));
        }
        Ok(())
    }
}

/// Parses `b5` (25.0) or `block_5` (22.3).
pub(super) fn block_name(line: &mut Cursor<'_>) -> Result<u32, Error> {
    if !line.eat_str("block_") && !line.eat(b'b') {
        return Err(line.unexpected("a block such as `b1`"));
    }
    line.number32("the number of a block")
}
