// SPDX-License-Identifier: MIT

//! Dumps within other text, as bug reports have them: quoted, indented, in a log with a prefix on each line, with the colors of a
//! terminal, or after a byte order mark.
//!
//! ```text
//! > shader: MESA_SHADER_VERTEX
//! MESA: info: shader: MESA_SHADER_VERTEX
//! Nov 26 12:00:00 box game[123]: shader: MESA_SHADER_VERTEX
//! ```
//!
//! The text before the first line of a shader is the prefix of its lines. Its digits may change from line to line, as those of times
//! do. Lines without it belong to something else. Places of errors are those in the original text.

use crate::error::Error;
use std::borrow::Cow;

/// The start of a shader's first line, in all dialects.
pub(super) const FIRST_LINE: &str = "shader: MESA_SHADER_";

const BYTE_ORDER_MARK: char = '\u{feff}';
const ESCAPE: char = '\u{1b}';

/// A text in which dumps start at the start of a line, and the text that it is from. Both have the same lines.
pub(super) struct Plain<'a> {
    original: &'a str,
    text: String,
}

impl<'a> Plain<'a> {
    pub(super) fn new(original: &'a str) -> Plain<'a> {
        Plain { original, text: without_prefixes(original) }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Moves the place of an error to that in the original text.
    pub(super) fn restore(&self, error: &mut Error) {
        if error.place.column == 0 {
            return;
        }
        let at = error.place.line.saturating_sub(1) as usize;
        let (Some(plain), Some(original)) = (self.text.lines().nth(at), self.original.lines().nth(at)) else { return };
        let clean = without_escapes(original);
        let prefix = clean.chars().count().saturating_sub(plain.chars().count());
        let wanted = prefix + error.place.column as usize - 1;
        let mut visible = (1..).zip(visible_chars(original)).filter_map(|(column, c)| c.map(|_| column));
        error.place.column = visible.nth(wanted).unwrap_or(error.place.column);
    }
}

/// Whether the text has a byte order mark or the colors of a terminal.
pub(super) fn has_marks(text: &str) -> bool {
    text.starts_with(BYTE_ORDER_MARK) || text.as_bytes().contains(&(ESCAPE as u8))
}

/// Whether `line` is a shader's first line after a prefix.
pub(super) fn is_prefixed(line: &str) -> bool {
    line.contains(FIRST_LINE) && {
        let plain = without_escapes(line);
        first_line_at(&plain).is_some_and(|at| at > 0 || plain != line)
    }
}

/// The text with the prefixes of lines removed. Lines of a dump that lack its prefix are empty.
fn without_prefixes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut prefix = String::new();
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let line = without_escapes(line);
        if let Some(at) = first_line_at(&line) {
            prefix.clear();
            prefix.push_str(&line[..at]);
        }
        plain.push_str(without_prefix(&line, &prefix));
        plain.push_str(end);
    }
    plain
}

/// The position of a shader's first line in `line`: only the name of the stage follows. A line that starts with `;` is a comment, such
/// as the expected output in a test.
fn first_line_at(line: &str) -> Option<usize> {
    let at = line.find(FIRST_LINE).filter(|_| !line.starts_with(';'))?;
    let stage = line[at + FIRST_LINE.len()..].trim_end();
    stage.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_').then_some(at)
}

/// The part of `line` after `prefix`; nothing if it has another prefix.
fn without_prefix<'l>(line: &'l str, prefix: &str) -> &'l str {
    let has_numbers = prefix.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = |c: char| c.is_ascii_digit() || c == ' ';
    let same = |a: char, b: char| a == b || has_numbers && is_number(a) && is_number(b);
    let mut rest = line.chars();
    match prefix.chars().all(|c| rest.next().is_some_and(|found| same(c, found))) {
        true => rest.as_str(),
        false => "",
    }
}

/// The line without the colors of a terminal and without a byte order mark.
fn without_escapes(line: &str) -> Cow<'_, str> {
    match line.contains([ESCAPE, BYTE_ORDER_MARK]) {
        true => visible_chars(line).flatten().collect(),
        false => Cow::Borrowed(line),
    }
}

/// The characters of a line; `None` for those of control sequences (ECMA-48, 5.4) and byte order marks.
fn visible_chars(line: &str) -> impl Iterator<Item = Option<char>> + '_ {
    #[derive(PartialEq)]
    enum Part {
        Text,
        Escape,
        Sequence,
    }
    let mut part = Part::Text;
    line.chars().map(move |c| {
        let was = std::mem::replace(&mut part, Part::Text);
        match (was, c) {
            (_, ESCAPE) => part = Part::Escape,
            (Part::Escape, '[') => part = Part::Sequence,
            (Part::Sequence, '\u{20}'..='\u{3f}') => part = Part::Sequence,
            (Part::Text, c) if c != BYTE_ORDER_MARK => return Some(c),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_removed() {
        let plain = |text| Plain::new(text).text().to_string();
        assert_eq!(plain("> shader: MESA_SHADER_VERTEX\n> name: a\n>\nend"), "shader: MESA_SHADER_VERTEX\nname: a\n\n");
        assert_eq!(plain("[ 9.9] x: shader: MESA_SHADER_VERTEX\n[10.0] x: b\n"), "shader: MESA_SHADER_VERTEX\nb\n");
        assert_eq!(plain("\u{feff}shader: MESA_SHADER_VERTEX"), "shader: MESA_SHADER_VERTEX");
        assert_eq!(plain("\u{1b}[32mshader: MESA_SHADER_VERTEX\u{1b}[0m"), "shader: MESA_SHADER_VERTEX");
        let comment = "shader: MESA_SHADER_VERTEX\n; shader: MESA_SHADER_VERTEX\n";
        assert_eq!(plain(comment), comment);
        let prose = "the shader: MESA_SHADER_VERTEX is dumped\nshader: MESA_SHADER_VERTEX\n";
        assert_eq!(plain(prose), prose);
    }
}
