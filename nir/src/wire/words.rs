// SPDX-License-Identifier: MIT

//! Functions for the readers of all records: sequences of words, strings, sources, and errors.

use super::decode::Reading;
use crate::entity::{Id, Str};
use crate::error::{Error, ErrorKind, Place};
use crate::ir::Def;
use std::fmt::Arguments;

/// The end of reading. The reason is in the [`Decoder`](super::Decoder), so that results fit in a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop;

/// A result, unless reading has ended.
pub(super) type Read<T> = Result<T, Stop>;

impl<'a> Reading<'a> {
    /// The next `N` words.
    #[inline(always)]
    pub(super) fn row<const N: usize>(&mut self) -> Read<&'a [u32; N]> {
        match self.rest.first_chunk::<N>() {
            Some(row) => {
                self.rest = &self.rest[N..];
                Ok(row)
            }
            None => Err(self.ends_early()),
        }
    }

    /// The next `count` words.
    #[inline(always)]
    pub(super) fn words(&mut self, count: usize) -> Read<&'a [u32]> {
        if count > self.rest.len() {
            return Err(self.ends_early());
        }
        let (words, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(words)
    }

    /// A string of the shader's table, whose length was the last word.
    #[inline(never)]
    pub(super) fn string(&mut self, len: u32) -> Read<Str> {
        let words = self.words((len as usize).div_ceil(4))?;
        Ok(self.shader.strings.add_words(words, len as usize))
    }

    /// The value `number`, which is `back` words before the rest: one of the instructions read so far.
    #[inline(always)]
    pub(super) fn src(&mut self, number: u32, back: usize) -> Read<Def> {
        match self.shader.insts.at(number as usize) {
            Some(data) if data.has_def() => Ok(Def::from_index(number as usize)),
            _ => Err(self.undefined(number, back)),
        }
    }

    #[cold]
    #[inline(never)]
    fn undefined(&mut self, number: u32, back: usize) -> Stop {
        self.stop(back, format_args!("value {number} is not defined before this use"))
    }

    /// An error for `word`, which is `back` words before the rest.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&mut self, back: usize, what: &str, word: u32) -> Stop {
        self.stop(back, format_args!("expected {what}, found {word}"))
    }

    /// An error for a wire that ends too early.
    #[cold]
    #[inline(never)]
    pub(super) fn ends_early(&mut self) -> Stop {
        self.rest = &[];
        self.stop(0, format_args!("the wire ends too early"))
    }

    /// Ends reading with an error for the word that is `back` words before the rest.
    #[cold]
    #[inline(never)]
    pub(super) fn stop(&mut self, back: usize, message: Arguments<'_>) -> Stop {
        let at = self.wire.len() - self.rest.len() - back;
        self.state.error = Some(error(at, message));
        Stop
    }
}

/// An error at a word of the wire.
#[cold]
pub(super) fn error(at: usize, message: Arguments<'_>) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), format!("word {at}: {message}"))
}
