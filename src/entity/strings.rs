//! The names of a shader: strings one behind the other.

use super::Id;
use std::fmt::{Arguments, Write};
use std::ops::Index;

entity!(
    /// A string in a [`StringTable`]. Equal strings may have different ids: compare the text.
    Str,
    "str"
);

/// Strings in one buffer. Adding one looks for no other: names are many, and hardly any is ever read.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    text: String,
    /// Where each string starts, and how many bytes it has.
    spans: Vec<(u32, u32)>,
}

impl StringTable {
    /// Copies `text`.
    pub fn add(&mut self, text: &str) -> Str {
        let start = self.text.len();
        self.text.push_str(text);
        self.push(start as u32, text.len() as u32)
    }

    /// Writes `text` where it stays.
    pub(crate) fn format(&mut self, text: Arguments<'_>) -> Str {
        let start = self.text.len();
        // A string takes all that is written to it.
        let _ = self.text.write_fmt(text);
        self.push(start as u32, (self.text.len() - start) as u32)
    }

    /// Takes the first `len` bytes of `words` for the text, in which [`add_part`](StringTable::add_part) finds strings. In place of a
    /// byte that is no UTF-8 there is a question mark.
    pub(crate) fn set_text(&mut self, words: &[u32], len: usize) {
        // Bytes are looked at by sixteens: whole ones are never looked at one by one.
        const STEP: usize = 16;
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        bytes.resize((len + 1).next_multiple_of(STEP), 0);
        let (whole, rest) = (len / 4, len % 4);
        let places = bytes.chunks_exact_mut(4);
        places.zip(&words[..whole]).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
        let last = words.get(whole).map_or(0, |word| word & !(u32::MAX << (8 * rest)));
        bytes[4 * whole..4 * whole + 4].copy_from_slice(&last.to_le_bytes());
        self.text = String::from_utf8(bytes).unwrap_or_else(|error| with_question_marks(error.into_bytes()));
        self.text.truncate(len);
    }

    /// All text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The string of `len` bytes at `start` of the text; `None` if the text does not go so far. A part that begins or ends within a
    /// character is read as an empty one.
    #[inline]
    pub(crate) fn add_part(&mut self, start: u32, len: u32) -> Option<Str> {
        let there = u64::from(start) + u64::from(len) <= self.text.len() as u64;
        there.then(|| self.push(start, len))
    }

    #[inline]
    fn push(&mut self, start: u32, len: u32) -> Str {
        self.spans.push((start, len));
        Str::from_index(self.spans.len() - 1)
    }

    /// The string of `id`.
    pub fn get(&self, id: Str) -> &str {
        let (start, len) = self.spans[id.index()];
        part(&self.text, start, len).unwrap_or_default()
    }

    /// Forgets all strings, keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
    }
}

/// The `len` bytes at `start`, if they are there and whole characters.
#[inline]
pub(crate) fn part(text: &str, start: u32, len: u32) -> Option<&str> {
    let start = start as usize;
    text.get(start..start.checked_add(len as usize)?)
}

/// `bytes` with question marks for what is no UTF-8.
#[cold]
fn with_question_marks(mut bytes: Vec<u8>) -> String {
    let mut start = 0;
    while let Err(error) = std::str::from_utf8(&bytes[start..]) {
        let wrong = start + error.valid_up_to();
        start = error.error_len().map_or(bytes.len(), |len| wrong + len);
        bytes[wrong..start].fill(b'?');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

impl Index<Str> for StringTable {
    type Output = str;
    fn index(&self, id: Str) -> &str {
        self.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_parts_of_a_text() {
        let words = |text: &[u8]| -> Vec<u32> {
            text.chunks(4).map(|part| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect()
        };
        let mut strings = StringTable::default();
        for _ in 0..2 {
            let text = b"base\xc3\xa9t\xc3?\xe2\x82\xac\xe2\x82";
            strings.set_text(&words(text), text.len());
            assert_eq!(strings.text(), "base\u{e9}t??\u{20ac}??");
            let parts = [(0, 4), (4, 2), (2, 0), (14, 0)].map(|(start, len)| strings.add_part(start, len).unwrap());
            let more = strings.add("more");
            assert_eq!(parts.map(|part| &strings[part]), ["base", "\u{e9}", "", ""]);
            assert_eq!(&strings[more], "more");
            for (start, len) in [(30, 0), (0, 30), (u32::MAX, u32::MAX)] {
                assert_eq!(strings.add_part(start, len), None);
            }
            let half = strings.add_part(5, 1).unwrap();
            assert_eq!(&strings[half], "");
            strings.clear();
        }
    }
}
