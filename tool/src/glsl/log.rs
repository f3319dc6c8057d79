// SPDX-License-Identifier: MIT

//! The messages of Mesa's compiler and linker, with their places in the files.
//!
//! ```text
//! 0:7(12): error: `colour' undeclared
//! error: vertex shader output `uv' declared as type `vec2', ...
//! ```
//!
//! A line of the compiler has the number of the string, the line in it, and the column. Other lines continue a message, or have no
//! place.

use ntv::Place;
use ntv_report::problem::Problem;

/// The kind of the problems: see `docs/formats.md`.
pub(super) const KIND: &str = "glsl";

/// A message.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    pub(super) is_error: bool,
    /// The line of the source, or 0.
    pub(super) line: u32,
    column: u32,
    text: String,
}

impl Message {
    /// The message as a problem of the file `text`, in which the source starts after `lines_before` lines.
    pub(super) fn problem(&self, text: &str, lines_before: u32) -> Problem {
        let mut place = Place::default();
        if self.line > 0 {
            place.line = self.line + lines_before;
            let line = text.lines().nth(place.line as usize - 1).unwrap_or_default();
            if let Some(column) = column(line, self.column) {
                let word = line.chars().skip(column).take_while(|c| c.is_alphanumeric() || *c == '_').count();
                (place.column, place.len) = (column as u32 + 1, word.max(1) as u32);
            }
        }
        Problem::at(place, KIND, self.text.clone())
    }
}

/// The index of the character of `line` at a column, from 1, of Mesa's preprocessor: it makes one space of several. `None` if there is
/// none, as in a line with a macro.
fn column(line: &str, column: u32) -> Option<usize> {
    let mut before = None;
    let counted = line.chars().enumerate().filter(|(_, c)| {
        let is_space = c.is_whitespace() && before.is_some_and(char::is_whitespace);
        before = Some(*c);
        !is_space
    });
    let found = counted.skip(column.checked_sub(1)? as usize).find(|(_, c)| !c.is_whitespace());
    found.map(|(index, _)| index)
}

/// The messages of a log.
pub(super) fn messages(log: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for line in log.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
        let placed = placed(line);
        let (line_number, column, rest) = placed.unwrap_or((0, 0, line));
        let said = ["error: ", "preprocessor error: ", "warning: ", "preprocessor warning: "];
        match (said.iter().find_map(|head| Some((head, rest.strip_prefix(head)?))), messages.last_mut()) {
            (Some((head, text)), _) => messages.push(Message {
                is_error: head.ends_with("error: "),
                line: line_number,
                column,
                text: text.to_string(),
            }),
            (None, Some(last)) if placed.is_none() => last.text += &format!("\n{line}"),
            _ => messages.push(Message { is_error: true, line: line_number, column, text: rest.to_string() }),
        }
    }
    messages
}

/// The line, the column and the rest of `0:7(12): rest`.
fn placed(line: &str) -> Option<(u32, u32, &str)> {
    let (place, rest) = line.split_once(": ")?;
    let (place, column) = place.strip_suffix(')')?.split_once('(')?;
    let (_, number) = place.split_once(':')?;
    Some((number.parse().ok()?, column.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_places_of_the_file() {
        let log = "0:2(9): warning: `b' used uninitialized\n0:3(6): error: `colour' undeclared\n  see line 1\nerror: no main\n";
        let messages = messages(log);
        let short: Vec<_> = messages.iter().map(|it| (it.is_error, it.line, it.text.as_str())).collect();
        let expected = [
            (false, 2, "`b' used uninitialized"),
            (true, 3, "`colour' undeclared\n  see line 1"),
            (true, 0, "no main"),
        ];
        assert_eq!(short, expected);
        let place = messages[1].problem("\n\n\n    b = colour;\n", 1).place;
        assert_eq!((place.line, place.column, place.len), (4, 9, 6));
        assert_eq!(messages[1].problem("\n\n\nB\n", 1).place, Place::line(4));
        assert_eq!(messages[2].problem("", 1).place, Place::default());
    }
}
