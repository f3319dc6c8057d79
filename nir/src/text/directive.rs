// SPDX-License-Identifier: MIT

//! `// ntv:` comments: facts that a dump does not have. The documentation of [`text`](super) has a table of them.
//!
//! Before the first variable they apply to the shader, one `key=value` on a line. After a declaration they apply to the variable,
//! with any number of them:
//!
//! ```text
//! // ntv: shared_offset_units=bytes
//! // ntv: struct=light { vec3 color offset=0, float[4] power offset=16 stride=4 }
//! decl_var shader_out INTERP_MODE_NONE none vec4 a (VARYING_SLOT_VAR0.xyzw, 0, 0)  // ntv: xfb(buffer=0 stride=32 offset=16) stream=1
//! decl_var ubo INTERP_MODE_NONE none light lights (0, 1, 3)  // ntv: set=2
//! ```

use super::cursor::Cursor;
use super::layout::{is_next, Learned, Members};
use super::parser::Parser;
use crate::error::Error;
use crate::ir::info::Directive;
use crate::ir::{Capture, Shader, Var, VarFlags, Variable};
use std::fmt::Write;

impl<'a> Parser<'a> {
    /// Parses a directive for the shader, after `// ntv:`.
    pub(super) fn directive(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let start = line.token_start();
        if line.eat_str("struct=") {
            return self.struct_directive(line, start);
        }
        let (key, value) = line.token().split_once('=').unwrap_or_default();
        if key == "xfb" {
            let row = value.parse().map_err(|message: String| line.error(start, &message))?;
            self.shader.xfb_info.add_row(row);
            return Ok(());
        }
        let Some(directive) = Directive::new(key, value) else {
            return Err(line.error(start, "expected `key=value` of a known directive"));
        };
        self.shader.info.say(directive);
        Ok(())
    }

    /// Parses the text after `// ntv:` at the end of a declaration.
    pub(super) fn note(&mut self, line: &mut Cursor<'a>, var: &mut Variable) -> Result<(), Error> {
        while line.skip_blanks() != 0 {
            let start = line.token_start();
            if line.eat_word("xfb") {
                line.expect(b'(', "`(`")?;
                let [buffer, stride, offset] =
                    [key_number(line, "buffer")?, key_number(line, "stride")?, key_number(line, "offset")?];
                line.expect(b')', "`)`")?;
                var.capture = Some(Capture { buffer, stride, offset });
            } else if is_next(line, "stream") {
                var.stream = key_number(line, "stream")?;
            } else if is_next(line, "set") {
                var.descriptor_set = Some(key_number(line, "set")?);
            } else if is_next(line, "stride") {
                let span = line.span_from(start);
                var.ty = self.with_strides(var.ty, line, span)?;
            } else if line.eat_word("high_dvec2") {
                var.flags |= VarFlags::HIGH_DVEC2;
            } else if line.eat(b'{') {
                let members = if line.eat(b'}') { Members::default() } else { self.members(line, 1)? };
                if !self.set_members(var.ty, members) {
                    return Err(line.error(start, "only structs have members"));
                }
            } else {
                var.index = key_number(line, "index")?;
            }
        }
        Ok(())
    }

    /// Parses `name { type member offset=0, type[4] member offset=16 stride=4 }`: the members of the structs with that name.
    fn struct_directive(&mut self, line: &mut Cursor<'a>, start: usize) -> Result<(), Error> {
        let text = line.rest().trim_end();
        let name = line.token();
        if !self.vars.is_empty() || self.members.contains_key(name) {
            return Err(line.error(start, "a struct is described once, before the first variable"));
        }
        line.expect(b'{', "`{`")?;
        let members = self.members(line, 1)?;
        line.expect_end()?;
        self.members.insert(name, members);
        self.shader.info.say(Directive::Struct(text.into()));
        Ok(())
    }
}

/// Prints the directives for the shader.
pub(super) fn print(shader: &Shader, out: &mut String) -> std::fmt::Result {
    shader.info.directives.iter().try_for_each(|directive| writeln!(out, "// ntv: {directive}"))?;
    shader.xfb_info.rows().try_for_each(|row| writeln!(out, "// ntv: xfb={row}"))
}

/// Prints the comment that [`Parser::note`] reads, unless it would be empty.
pub(super) fn print_note(id: Var, var: &Variable, learned: &Learned<'_>, out: &mut String) -> std::fmt::Result {
    let start = out.len();
    if let Some(Capture { buffer, stride, offset }) = var.capture {
        write!(out, " xfb(buffer={buffer} stride={stride} offset={offset})")?;
    }
    if var.stream != 0 {
        write!(out, " stream={}", var.stream)?;
    }
    if let Some(set) = var.descriptor_set {
        write!(out, " set={set}")?;
    }
    if var.index != 0 {
        write!(out, " index={}", var.index)?;
    }
    if var.flags.contains(VarFlags::HIGH_DVEC2) {
        out.push_str(" high_dvec2");
    }
    if learned.untold.contains(&id) {
        learned.print_note(var, out);
    }
    if out.len() > start {
        out.insert_str(start, "  // ntv:");
    }
    Ok(())
}

/// Parses `key=1`.
pub(super) fn key_number(line: &mut Cursor<'_>, key: &str) -> Result<u32, Error> {
    if !line.eat_word(key) {
        return Err(line.unexpected(&format!("`{key}=`")));
    }
    line.expect(b'=', "`=`")?;
    line.number32("a number")
}
