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
use super::deref::MAX_DEPTH;
use super::parser::Parser;
use crate::error::Error;
use crate::ir::info::is_directive;
use crate::ir::{Capture, Field, Shader, TypeData, Variable};
use std::fmt::Write;

/// The most members of a described struct, with those of inner structs: functions on types visit each.
const MAX_MEMBERS: usize = 4096;

/// The members of a described struct.
pub(super) struct Members {
    pub(super) fields: Vec<Field>,
    /// The number of levels of structs in it.
    depth: usize,
    /// The number of members, with those of inner structs.
    count: usize,
}

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
        if !is_directive(key, value) {
            return Err(line.error(start, "expected `key=value` of a known directive"));
        }
        self.shader.info.directives.push((key.to_string().into(), value.to_string().into()));
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
        let mut members = Members { fields: Vec::new(), depth: 0, count: 0 };
        while members.fields.is_empty() || line.eat(b',') {
            self.member(line, &mut members)?;
        }
        line.expect(b'}', "`,` or `}`")?;
        line.expect_end()?;
        self.members.insert(name, members);
        self.shader.info.directives.push(("struct".into(), text.to_string().into()));
        Ok(())
    }

    /// Parses `type member offset=0 stride=4`; only arrays have a stride.
    fn member(&mut self, line: &mut Cursor<'a>, members: &mut Members) -> Result<(), Error> {
        let start = line.token_start();
        let word = line.token();
        let type_span = line.span_from(start);
        let stem = word.split('[').next().unwrap_or_default();
        let (depth, count) = self.members.get(stem).map_or((0, 1), |inner| (inner.depth + 1, inner.count + 1));
        members.depth = members.depth.max(depth);
        members.count += count;
        if depth >= MAX_DEPTH || members.count > MAX_MEMBERS {
            return Err(line.error(start, "this struct has too many members, or is nested too deeply"));
        }
        let ty = if depth > 0 { self.new_struct_type(word, 0) } else { self.builtin_type(word) };
        let mut ty = ty.ok_or_else(|| line.error(start, "expected a type, or a struct that was described"))?;
        let name = self.shader.strings.add(line.word());
        let offset = key_number(line, "offset")?;
        if line.eat_str("stride=") {
            let stride = line.number32("a number")?;
            let TypeData::Array { elem, len, .. } = self.shader.types.get(ty) else {
                return Err(line.error_at(type_span, "only arrays have a stride"));
            };
            ty = self.shader.types.array(elem, len, stride);
        }
        members.fields.push(Field { name, ty, offset: Some(offset) });
        Ok(())
    }
}

/// Prints the directives for the shader.
pub(super) fn print(shader: &Shader, out: &mut String) -> std::fmt::Result {
    shader.info.directives.iter().try_for_each(|(key, value)| writeln!(out, "// ntv: {key}={value}"))?;
    shader.xfb_info.rows().try_for_each(|row| writeln!(out, "// ntv: xfb={row}"))
}

/// Parses the text after `// ntv:` at the end of a declaration.
pub(super) fn parse_note(line: &mut Cursor<'_>, var: &mut Variable) -> Result<(), Error> {
    while line.skip_blanks() != 0 {
        if line.eat_word("xfb") {
            line.expect(b'(', "`(`")?;
            let [buffer, stride, offset] =
                [key_number(line, "buffer")?, key_number(line, "stride")?, key_number(line, "offset")?];
            line.expect(b')', "`)`")?;
            var.capture = Some(Capture { buffer, stride, offset });
        } else if line.rest().starts_with("stream") {
            var.stream = key_number(line, "stream")?;
        } else if line.rest().starts_with("set") {
            var.descriptor_set = Some(key_number(line, "set")?);
        } else {
            var.index = key_number(line, "index")?;
        }
    }
    Ok(())
}

/// Prints the comment that [`parse_note`] reads, unless it would be empty.
pub(super) fn print_note(var: &Variable, out: &mut String) -> std::fmt::Result {
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
    if out.len() > start {
        out.insert_str(start, "  // ntv:");
    }
    Ok(())
}

/// Parses `key=1`.
fn key_number(line: &mut Cursor<'_>, key: &str) -> Result<u32, Error> {
    if !line.eat_word(key) {
        return Err(line.unexpected(&format!("`{key}=`")));
    }
    line.expect(b'=', "`=`")?;
    line.number32("a number")
}
