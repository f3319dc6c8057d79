// SPDX-License-Identifier: MIT

//! Names and lines, if they are requested: OpName, OpSource with the text of the dump, and OpLine with lines of it.

use super::late::Section;
use super::words::MAX_INSTRUCTION;
use super::Emit;
use crate::ir::{Inst, LineNumber};
use crate::module::{Condition, Key};
use spirv::{Op, SourceLanguage};

/// The source line of the instructions that follow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines {
    /// The OpString of the file's name, 0 if lines are not requested.
    file: u32,
    current: LineNumber,
}

impl Lines {
    /// A new block has no line until the next OpLine.
    pub(super) fn end_block(&mut self) {
        self.current = LineNumber(0);
    }
}

impl Emit<'_> {
    /// Names `id` if names are requested.
    pub(super) fn name(&mut self, id: u32, name: &str) {
        if self.options.names {
            self.m.names.op_string(Op::Name, &[id], name, &[]);
        }
    }

    /// Gives a built-in variable its name in GLSL if names are requested.
    pub(super) fn name_builtin(&mut self, id: u32, builtin: spirv::BuiltIn) {
        if self.options.names {
            self.name(id, &format!("gl_{builtin:?}"));
        }
    }

    /// Names a member of a struct if names are requested.
    pub(super) fn name_member(&mut self, ty: u32, member: u32, name: &str) {
        if self.options.names {
            self.m.names.op_string(Op::MemberName, &[ty, member], name, &[]);
        }
    }

    /// Emits OpString and OpSource for the text that OpLine refers to.
    pub(super) fn source_text(&mut self) {
        self.name(self.m.main(), "main");
        let Some((file, text)) = self.options.lines else { return };
        self.state.lines.file = self.m.id();
        let id = self.state.lines.file;
        self.m.sources.op_string(Op::String, &[id], file, &[]);
        // One instruction has space for 65531 words of text, less the other operands of the first one.
        let (first, mut rest) = split_text(text, (MAX_INSTRUCTION - 5) * 4);
        self.m.sources.op_string(Op::Source, &[SourceLanguage::Unknown as u32, 0, id], first, &[]);
        while !rest.is_empty() {
            let (part, next) = split_text(rest, (MAX_INSTRUCTION - 5) * 4);
            self.m.sources.op_string(Op::SourceContinued, &[], part, &[]);
            rest = next;
        }
    }

    /// Sets the line of the next instructions to that of `inst` if lines are requested.
    #[inline]
    pub(super) fn line(&mut self, inst: Inst) {
        if self.state.lines.file != 0 {
            self.line_is(self.shader.lines[inst]);
        }
    }

    fn line_is(&mut self, line: LineNumber) {
        let lines = &mut self.state.lines;
        if line != LineNumber(0) && line != lines.current {
            lines.current = line;
            let start = self.m.code.len();
            self.m.code.op(Op::Line, &[lines.file, line.0, 0]);
            let named = self.m.condition(Condition::none(Key::STRIP));
            self.m.end_range(Section::Code, start, named);
        }
    }
}

/// The first part of `text` of at most `max` bytes, and the rest.
fn split_text(text: &str, max: usize) -> (&str, &str) {
    let mut at = text.len().min(max);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.split_at(at)
}
