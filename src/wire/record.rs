//! The words of a record, taken one after the other.

use super::format::NONE;
use crate::error::{Error, ErrorKind, Place};
use std::borrow::Cow;

/// A record behind its first word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    words: &'a [u32],
    /// Where the next word stands in the wire.
    at: usize,
}

impl<'a> Record<'a> {
    /// The record whose words behind the first start at `at` of the wire.
    pub(super) fn new(words: &'a [u32], at: usize) -> Record<'a> {
        Record { words, at }
    }

    /// Where the next word stands in the wire.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many words are left.
    pub(super) fn left(&self) -> usize {
        self.words.len()
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Result<u32, Error> {
        let Some((word, rest)) = self.words.split_first() else { return Err(self.short()) };
        self.words = rest;
        self.at += 1;
        Ok(*word)
    }

    /// The next `N` words.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u32; N], Error> {
        let Some((words, rest)) = self.words.split_first_chunk() else { return Err(self.short()) };
        self.words = rest;
        self.at += N;
        Ok(*words)
    }

    /// The next number of 64 bits.
    pub(super) fn word64(&mut self) -> Result<u64, Error> {
        let low = self.word()?;
        Ok(u64::from(low) | u64::from(self.word()?) << 32)
    }

    /// The next `count` words.
    pub(super) fn words(&mut self, count: usize) -> Result<&'a [u32], Error> {
        if count > self.words.len() {
            return Err(self.short());
        }
        let (words, rest) = self.words.split_at(count);
        self.words = rest;
        self.at += count;
        Ok(words)
    }

    /// The next number, unless it is "none".
    pub(super) fn optional(&mut self) -> Result<Option<u32>, Error> {
        Ok(Some(self.word()?).filter(|word| *word != NONE))
    }

    /// The next word as a truth value.
    pub(super) fn flag(&mut self) -> Result<bool, Error> {
        self.pick("0 or 1", |word| (word < 2).then_some(word == 1))
    }

    /// What the next word stands for.
    pub(super) fn pick<T>(&mut self, what: &str, meaning: impl FnOnce(u32) -> Option<T>) -> Result<T, Error> {
        let word = self.word()?;
        meaning(word).ok_or_else(|| self.behind(format_args!("expected {what}, found {word}")))
    }

    /// The next string, in `buffer`; `None` for none.
    pub(super) fn string<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<Option<Cow<'b, str>>, Error> {
        let bytes = self.bytes(buffer)?;
        Ok(bytes.map(|bytes| std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)))
    }

    /// The bytes of the next string, in `buffer`; `None` for none.
    pub(super) fn bytes<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<Option<&'b [u8]>, Error> {
        let Some(len) = self.optional()? else { return Ok(None) };
        let len = len as usize;
        let words = self.words(len.div_ceil(4))?;
        // Never shorter than what it holds, so that it is not filled with zeros again and again.
        if buffer.len() < 4 * words.len() {
            buffer.resize(4 * words.len(), 0);
        }
        for (bytes, word) in buffer.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Ok(Some(&buffer[..len]))
    }

    /// Refuses words that are left.
    pub(super) fn end(&self) -> Result<(), Error> {
        match self.words.len() {
            0 => Ok(()),
            left => Err(self.error(format_args!("the record is {left} words longer than what it says"))),
        }
    }

    fn short(&self) -> Error {
        self.error(format_args!("the record ends too early"))
    }

    /// An error at the next word.
    #[cold]
    pub(super) fn error(&self, message: std::fmt::Arguments<'_>) -> Error {
        error(self.at, message)
    }

    /// An error at the word that was taken last.
    #[cold]
    pub(super) fn behind(&self, message: std::fmt::Arguments<'_>) -> Error {
        error(self.at - 1, message)
    }
}

/// An error at a word of the wire.
#[cold]
pub(super) fn error(at: usize, message: std::fmt::Arguments<'_>) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), format!("word {at}: {message}"))
}
