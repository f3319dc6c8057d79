//! The words of a record, taken one after the other.
//!
//! Taking a word does not fail: words that are missing are 0, and [`end`](Record::end), or whatever refuses the record before,
//! tells that it ends too early.

use super::values::Values;
use crate::error::{Error, ErrorKind, Place};
use crate::ir::Def;
use std::fmt::Arguments;

/// A record. It is handed on by value where that is the end of it, so that it can be in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// The wire to the end of the record.
    words: &'a [u32],
    /// Where the next word stands.
    at: usize,
}

impl<'a> Record<'a> {
    /// The record at the end of `words` of which the next word stands at `at`.
    #[inline(always)]
    pub(super) fn new(words: &'a [u32], at: usize) -> Record<'a> {
        Record { words, at }
    }

    /// Where the next word stands in the wire.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// How many words are left.
    pub(super) fn left(self) -> usize {
        self.words.len().saturating_sub(self.at)
    }

    /// All words that are left.
    pub(super) fn rest(self) -> &'a [u32] {
        self.words.get(self.at..).unwrap_or(&[])
    }

    /// The next word.
    #[inline(always)]
    pub(super) fn word(&mut self) -> u32 {
        let word = self.words.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        word
    }

    /// The next `count` words; none if some are missing.
    #[inline(always)]
    pub(super) fn words(&mut self, count: usize) -> &'a [u32] {
        match self.rest().get(..count) {
            Some(words) => {
                self.at += count;
                words
            }
            None => {
                self.at = self.words.len() + 1;
                &[]
            }
        }
    }

    /// The next value.
    #[inline(always)]
    pub(super) fn def(&mut self, values: &mut Values) -> Def {
        values.get(self.word(), self.at - 1)
    }

    /// The next word as a truth value.
    #[inline(always)]
    pub(super) fn flag(&mut self) -> Result<bool, Error> {
        self.pick("0 or 1", |word| (word < 2).then_some(word == 1))
    }

    /// What the next word stands for.
    #[inline(always)]
    pub(super) fn pick<T>(&mut self, what: &str, meaning: impl FnOnce(u32) -> Option<T>) -> Result<T, Error> {
        let word = self.word();
        meaning(word).ok_or_else(|| self.unexpected(what, word))
    }

    #[cold]
    fn unexpected(self, what: &str, word: u32) -> Error {
        self.behind(format_args!("expected {what}, found {word}"))
    }

    /// Whether words were taken that are missing.
    #[inline(always)]
    pub(super) fn lacks_words(self) -> bool {
        self.at > self.words.len()
    }

    /// Refuses a record that is too short or too long.
    #[inline(always)]
    pub(super) fn end(self) -> Result<(), Error> {
        match self.at == self.words.len() {
            true => Ok(()),
            false => Err(self.error(format_args!("the record is {} words longer than what it says", self.left()))),
        }
    }

    /// That not `count` words are left.
    #[cold]
    pub(super) fn wrong_length(mut self, count: usize) -> Error {
        self.words(count);
        self.end().err().unwrap_or_else(|| self.error(format_args!("the record has {count} words")))
    }

    /// An error at the next word.
    #[cold]
    pub(super) fn error(self, message: Arguments<'_>) -> Error {
        self.error_at(self.at, message)
    }

    /// An error at the word that was taken last.
    #[cold]
    pub(super) fn behind(self, message: Arguments<'_>) -> Error {
        self.error_at(self.at - 1, message)
    }

    /// An error at a word of the record, unless words are missing.
    #[cold]
    pub(super) fn error_at(self, at: usize, message: Arguments<'_>) -> Error {
        match self.lacks_words() {
            true => error(self.words.len(), format_args!("the record ends too early")),
            false => error(at, message),
        }
    }
}

/// What is wrong with `word`, which stands at `at`.
#[cold]
pub(super) fn unexpected(at: usize, what: &str, word: u32) -> Error {
    error(at, format_args!("expected {what}, found {word}"))
}

/// An error at a word of the wire.
#[cold]
pub(super) fn error(at: usize, message: Arguments<'_>) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), format!("word {at}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_too_much_is_told() {
        let message = |record: Record<'_>| record.end().unwrap_err().message;
        let early = "word 12: the record ends too early";
        let wire = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2];
        let take: [fn(&mut Record<'_>); 3] = [
            |record| assert_eq!([record.word(), record.word(), record.word()], [1, 2, 0]),
            |record| assert_eq!(record.words(3), []),
            |record| assert_eq!(record.words(usize::MAX), []),
        ];
        for take in take {
            let mut record = Record::new(&wire, 10);
            take(&mut record);
            assert_eq!(message(record), early);
            assert_eq!(record.left(), 0);
            assert_eq!(record.rest(), []);
            assert_eq!(record.pick("much", |_| None::<u32>).unwrap_err().message, early);
        }
        let mut record = Record::new(&wire, 9);
        record.word();
        assert_eq!(message(record), "word 10: the record is 2 words longer than what it says");
        assert_eq!(record.flag(), Ok(true));
        assert_eq!(record.flag().unwrap_err().message, "word 11: expected 0 or 1, found 2");
    }
}
