// SPDX-License-Identifier: MIT

//! Reads one line of a dump from left to right.
//!
//! A dump is line-oriented: no construct spans two lines, so an error costs one line and the parser continues with the next. The
//! cursor works on bytes and stops only at ASCII ones, so it can return parts of the line without copies. Blanks and 22.3's `/* ...
//! */` notes between tokens are skipped; `//` ends a line.

use crate::error::{Error, ErrorKind, Place};

/// The lines of a text with their numbers.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: Option<&'a str>,
    number: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Lines<'a> {
        Lines { rest: Some(text), number: 0 }
    }

    /// The next line, without its end.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Cursor<'a>> {
        let rest = self.rest?;
        self.number += 1;
        let line = match rest.find('\n') {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                &rest[..end]
            }
            None => {
                self.rest = None;
                rest
            }
        };
        Some(Cursor { line: line.strip_suffix('\r').unwrap_or(line), number: self.number, at: 0 })
    }

    /// The number of the last line that was returned.
    pub(super) fn number(&self) -> u32 {
        self.number
    }
}

/// A part of a line, for the position of an error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A position in a line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    line: &'a str,
    number: u32,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The number of the line, from 1.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The rest of the line.
    #[inline(always)]
    pub(super) fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    /// The byte at the cursor, 0 at the end of the line.
    #[inline(always)]
    pub(super) fn peek(&self) -> u8 {
        self.line.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The byte after the cursor.
    #[inline(always)]
    pub(super) fn peek_second(&self) -> u8 {
        self.line.as_bytes().get(self.at + 1).copied().unwrap_or(0)
    }

    /// Skips blanks and notes, and returns the byte at the cursor.
    #[inline]
    pub(super) fn skip_blanks(&mut self) -> u8 {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'/' if self.peek_second() == b'*' => self.skip_note(),
                other => return other,
            }
        }
    }

    /// Skips `/* ... */`.
    fn skip_note(&mut self) {
        let end = self.line[self.at + 2..].find("*/");
        self.at = end.map_or(self.line.len(), |end| self.at + 2 + end + 2);
    }

    /// Enters a `/* ... */` note, if one is next.
    pub(super) fn enter_note(&mut self) -> bool {
        let mut ahead = *self;
        ahead.take_while(|b| b == b' ');
        let found = ahead.rest().starts_with("/*");
        if found {
            ahead.at += 2;
            *self = ahead;
        }
        found
    }

    /// True if there is only a comment left.
    #[inline]
    pub(super) fn at_end(&mut self) -> bool {
        match self.skip_blanks() {
            0 => self.at >= self.line.len(),
            b'/' => self.peek_second() == b'/',
            _ => false,
        }
    }

    /// Skips blanks, then `byte` if it is there.
    #[inline(always)]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.skip_blanks() == byte && byte != 0;
        self.at += usize::from(found);
        found
    }

    /// Skips blanks, then `text` if it is there.
    #[inline(always)]
    pub(super) fn eat_str(&mut self, text: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Skips `word` if it is there as a whole word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let found = ahead.word() == word;
        if found {
            *self = ahead;
        }
        found
    }

    /// Skips `byte`, which must be there; `what` names it in the error.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8, what: &str) -> Result<(), Error> {
        if self.eat(byte) {
            return Ok(());
        }
        Err(self.unexpected(what))
    }

    /// Checks that there is only a comment left.
    pub(super) fn expect_end(&mut self) -> Result<(), Error> {
        if self.at_end() {
            return Ok(());
        }
        Err(self.unexpected("the end of the line"))
    }

    /// The letters, digits and underscores at the cursor, possibly none.
    pub(super) fn word(&mut self) -> &'a str {
        self.skip_blanks();
        self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_')
    }

    /// The text up to the next blank.
    #[inline(always)]
    pub(super) fn token(&mut self) -> &'a str {
        self.skip_blanks();
        self.take_while(|b| b != b' ' && b != b'\t')
    }

    /// The text from the cursor up to the first byte that is not `wanted`. `wanted` must be true of all bytes above 127 or of none.
    pub(super) fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        let bytes = &self.line.as_bytes()[start..];
        self.at = start + bytes.iter().position(|b| !wanted(*b)).unwrap_or(bytes.len());
        &self.line[start..self.at]
    }

    /// The text up to `stop`, an ASCII byte, or up to the end.
    pub(super) fn until(&mut self, stop: u8) -> &'a str {
        self.take_while(|b| b != stop)
    }

    /// An unsigned decimal number.
    pub(super) fn number32(&mut self, what: &str) -> Result<u32, Error> {
        let start = self.token_start();
        let digits = self.take_while(|b| b.is_ascii_digit());
        digits.parse().map_err(|_| self.error(start, &format!("expected {what}")))
    }

    /// A decimal number that may be negative.
    pub(super) fn number_signed(&mut self, what: &str) -> Result<i64, Error> {
        let start = self.token_start();
        let digits = self.take_while(|b| b.is_ascii_digit() || b == b'-');
        digits.parse().map_err(|_| self.error(start, &format!("expected {what}")))
    }

    /// Skips a `( ... )` group without inner groups, if there is one.
    pub(super) fn skip_group(&mut self) {
        if self.eat(b'(') {
            self.take_while(|b| b != b')');
            self.eat(b')');
        }
    }

    /// Skips blanks and returns the start of the next token.
    #[inline(always)]
    pub(super) fn token_start(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// The span from `start` to the cursor.
    pub(super) fn span_from(&self, start: usize) -> Span {
        Span { start, end: self.at }
    }

    /// An error for a token that is not `what`.
    pub(super) fn unexpected(&mut self, what: &str) -> Error {
        let start = self.token_start();
        self.take_while(|b| !matches!(b, b' ' | b'\t' | b',' | b'(' | b')'));
        if self.at == start && self.at < self.line.len() {
            self.at += 1;
        }
        self.error(start, &format!("expected {what}"))
    }

    /// A syntax error for the text from `start` to the cursor, or to the end of the token that starts there.
    pub(super) fn error(&self, start: usize, message: &str) -> Error {
        self.error_at(self.span_from(start), message)
    }

    /// A syntax error for `span`.
    pub(super) fn error_at(&self, span: Span, message: &str) -> Error {
        let text = self.line.get(span.start..span.end).unwrap_or("");
        let found = if text.is_empty() { "the end of the line".to_string() } else { format!("`{text}`") };
        let message =
            if message.starts_with("expected") { format!("{message}, found {found}") } else { message.to_string() };
        Error::new(ErrorKind::Syntax, self.place(span), message)
    }

    /// The place of `span`, in characters.
    pub(super) fn place(&self, span: Span) -> Place {
        let chars = |from: usize, to: usize| self.line.get(from..to).map_or(0, |text| text.chars().count() as u32);
        Place { line: self.number, column: chars(0, span.start) + 1, len: chars(span.start, span.end).max(1) }
    }
}
