// SPDX-License-Identifier: MIT

//! Texture instructions.
//!
//! ```text
//! 32x4   %7 = (float32)tg4 %5 (texture_deref), %5 (sampler_deref), %6 (coord), 1 (gather_component)
//!              type    op   sources, each with its kind                numbers, each with its kind
//! ```

use super::cursor::Cursor;
use super::dialect26;
use super::index::alu_type_named;
use super::instr::Dest;
use super::parser::Parser;
use crate::error::Error;
use crate::ir::{Def, InstKind, TexData, TexSrcs};
use crate::near::similar;
use crate::op::{TexOp, TexSrcKind};

impl<'a> Parser<'a> {
    /// Parses a texture instruction, from its type on.
    pub(super) fn tex(&mut self, line: &mut Cursor<'a>, dest: &Dest) -> Result<Def, Error> {
        line.expect(b'(', "`(`")?;
        let start = line.token_start();
        let name = line.word();
        let dest_type = alu_type_named(name).ok_or_else(|| line.error(start, "expected a type such as `float32`"))?;
        line.expect(b')', "`)`")?;
        let start = line.token_start();
        let name = line.word();
        let Some(op) = TexOp::from_name(name) else {
            let near = similar(name, TexOp::ALL.iter().map(|op| op.name()));
            return Err(line.error(start, &format!("unknown texture operation `{name}`{near}")));
        };
        let mut tex = TexData {
            op,
            dest_type,
            srcs: TexSrcs::new(),
            texture_index: 0,
            sampler_index: 0,
            component: 0,
            offsets: None,
            is_gather_implicit_lod: false,
            texture_non_uniform: false,
            sampler_non_uniform: false,
            is_sparse: false,
            dim: None,
        };
        let mut first = true;
        while !line.at_end() {
            if !line.eat(b',') && !first {
                return Err(line.unexpected("`,`"));
            }
            first = false;
            self.tex_item(line, &mut tex)?;
        }
        let tex = self.shader.texs.push(tex);
        Ok(self.emit(dest.num_components, dest.bit_size, InstKind::Tex(tex)).def())
    }

    /// Parses a source, a number or a flag.
    fn tex_item(&mut self, line: &mut Cursor<'a>, tex: &mut TexData) -> Result<(), Error> {
        if line.skip_blanks() == b'{' {
            tex.offsets = Some(offsets(line)?);
            return Ok(());
        }
        if let Some(dim) = dialect26::dimension(line) {
            tex.dim = Some(dim);
            return Ok(());
        }
        if line.peek().is_ascii_digit() {
            return number(line, tex);
        }
        for (flag, text) in flags(tex) {
            if line.eat_str(text) {
                *flag = true;
                return Ok(());
            }
        }
        let def = self.src_without_note(line)?;
        let mut kind = group(line)?;
        if line.skip_blanks() == b'(' {
            // The first group was the value of a constant.
            kind = group(line)?;
        }
        let (kind, start) = kind;
        let kind = TexSrcKind::from_name(kind).ok_or_else(|| {
            let span = super::cursor::Span { start, end: start + kind.len() };
            line.error_at(span, "expected the kind of this source, such as `coord`")
        })?;
        match tex.srcs.push(kind, def) {
            true => Ok(()),
            false => Err(line.error(start, "more sources than source kinds")),
        }
    }
}

/// The flags, in printed order.
fn flags(tex: &mut TexData) -> [(&mut bool, &'static str); 4] {
    [
        (&mut tex.is_gather_implicit_lod, "implicit lod"),
        (&mut tex.texture_non_uniform, "texture non-uniform"),
        (&mut tex.sampler_non_uniform, "sampler non-uniform"),
        (&mut tex.is_sparse, "sparse"),
    ]
}

/// The text in parentheses, and its position.
fn group<'a>(line: &mut Cursor<'a>) -> Result<(&'a str, usize), Error> {
    line.expect(b'(', "`(` and the kind of this source")?;
    let start = line.token_start();
    let text = line.take_while(|b| b != b')');
    line.expect(b')', "`)`")?;
    Ok((text, start))
}

/// Parses `0 (texture)`.
fn number(line: &mut Cursor<'_>, tex: &mut TexData) -> Result<(), Error> {
    let value = line.number32("a number")?;
    let start = line.token_start();
    match group(line)?.0 {
        "texture" => tex.texture_index = value,
        "sampler" => tex.sampler_index = value,
        "gather_component" if value < 4 => tex.component = value as u8,
        _ => return Err(line.error(start, "expected `(texture)`, `(sampler)` or `(gather_component)`")),
    }
    Ok(())
}

/// Parses `{ (0, 0), (1, 0), (0, 1), (1, 1) } (offsets)`.
fn offsets(line: &mut Cursor<'_>) -> Result<[[i8; 2]; 4], Error> {
    let mut offsets = [[0; 2]; 4];
    line.expect(b'{', "`{`")?;
    for (i, pair) in offsets.iter_mut().enumerate() {
        if i > 0 {
            line.expect(b',', "`,`")?;
        }
        line.expect(b'(', "`(`")?;
        for (j, offset) in pair.iter_mut().enumerate() {
            if j > 0 {
                line.expect(b',', "`,`")?;
            }
            let start = line.token_start();
            let value = line.number_signed("an offset")?;
            *offset = i8::try_from(value).map_err(|_| line.error(start, "expected an offset of 8 bits"))?;
        }
        line.expect(b')', "`)`")?;
    }
    line.expect(b'}', "`}`")?;
    line.skip_group();
    Ok(offsets)
}
