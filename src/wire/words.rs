//! What the readers of all sections share: rows of words, sources, and errors.

use crate::entity::{Arena, Id};
use crate::error::{Error, ErrorKind, Place};
use crate::ir::{Def, Inst, InstData};
use std::fmt::Arguments;

/// The rows of a section, each with the place of its first word.
#[inline(always)]
pub(super) fn rows<const N: usize>(
    words: &[u32],
    start: usize,
) -> Result<impl ExactSizeIterator<Item = (usize, &[u32; N])>, Error> {
    let rows = words.chunks_exact(N);
    if !rows.remainder().is_empty() {
        return Err(ends_early(start + words.len()));
    }
    let rows = rows.map(|row| <&[u32; N]>::try_from(row).unwrap_or(&[0; N]));
    Ok(rows.enumerate().map(move |(n, row)| (start + N * n, row)))
}

/// Looks at the numbers of values that are used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sources {
    /// The first number that meant nothing where it was used, and where that was.
    undefined: Option<(u32, usize)>,
}

impl Sources {
    /// The value `number`, which stands at `at` and is used by instruction `user`. If there is none before that, it is some value,
    /// and the wire is refused at its end: looking once is enough.
    #[inline(always)]
    pub(super) fn get(&mut self, insts: &Arena<Inst, InstData>, number: u32, user: u32, at: usize) -> Def {
        match insts.at(number as usize) {
            Some(data) if number < user && data.has_def() => Def::from_index(number as usize),
            _ => self.undefined(number, at),
        }
    }

    #[cold]
    #[inline(never)]
    fn undefined(&mut self, number: u32, at: usize) -> Def {
        self.undefined.get_or_insert((number, at));
        Def::from_index(0)
    }

    /// Refuses a number that meant nothing where it was used.
    pub(super) fn are_sound(&self) -> Result<(), Error> {
        match self.undefined {
            None => Ok(()),
            Some((number, at)) => Err(error(at, format_args!("value {number} is not defined before this use"))),
        }
    }
}

/// What is wrong with `word`, which stands at `at`.
#[cold]
pub(super) fn unexpected(at: usize, what: &str, word: u32) -> Error {
    error(at, format_args!("expected {what}, found {word}"))
}

/// That a section ends at `at` where more words should follow.
#[cold]
pub(super) fn ends_early(at: usize) -> Error {
    error(at, format_args!("the section ends too early"))
}

/// An error at a word of the wire.
#[cold]
pub(super) fn error(at: usize, message: Arguments<'_>) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), format!("word {at}: {message}"))
}
