// SPDX-License-Identifier: MIT

//! The names of a shader: consecutive strings.

use super::Id;
use std::fmt::Arguments;
use std::io::Write;
use std::ops::Index;

entity!(
    /// A string in a [`StringTable`]. Equal strings may have different ids: compare the text.
    Str,
    "str"
);

/// Strings in one buffer. Adding a string does not search for an equal one: there are many names, and few are ever read.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    /// In UTF-8, each string by itself.
    text: Vec<u8>,
    /// The start and the number of bytes of each string.
    spans: Vec<(u32, u32)>,
}

impl StringTable {
    /// Copies `text`.
    pub fn add(&mut self, text: &str) -> Str {
        let start = self.text.len();
        self.text.extend_from_slice(text.as_bytes());
        self.push(start as u32, text.len() as u32)
    }

    /// Formats `text` into the buffer.
    pub fn format(&mut self, text: Arguments<'_>) -> Str {
        let start = self.text.len();
        // Writing to memory does not fail.
        let _ = self.text.write_fmt(text);
        self.push(start as u32, (self.text.len() - start) as u32)
    }

    /// Copies the first `len` bytes of `words`. A byte that is not UTF-8 becomes a question mark.
    pub(crate) fn add_words(&mut self, words: &[u32], len: usize) -> Str {
        let (start, mut all) = (self.text.len(), 0);
        for word in words {
            all |= word;
            self.text.extend_from_slice(&word.to_le_bytes());
        }
        self.text.truncate(start + len);
        if all & 0x8080_8080 != 0 {
            with_question_marks(&mut self.text[start..]);
        }
        self.push(start as u32, len as u32)
    }

    #[inline]
    fn push(&mut self, start: u32, len: u32) -> Str {
        self.spans.push((start, len));
        Str::from_index(self.spans.len() - 1)
    }

    /// The string of `id`.
    #[inline]
    pub fn get(&self, id: Str) -> &str {
        let (start, len) = self.spans[id.index()];
        std::str::from_utf8(&self.text[start as usize..][..len as usize]).unwrap_or_default()
    }

    /// Forgets all strings, but keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
    }
}

/// Replaces bytes that are not UTF-8 by question marks.
#[cold]
fn with_question_marks(bytes: &mut [u8]) {
    let mut start = 0;
    while let Err(error) = std::str::from_utf8(&bytes[start..]) {
        let wrong = start + error.valid_up_to();
        start = error.error_len().map_or(bytes.len(), |len| wrong + len);
        bytes[wrong..start].fill(b'?');
    }
}

impl Index<Str> for StringTable {
    type Output = str;
    #[inline]
    fn index(&self, id: Str) -> &str {
        self.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_from_words() {
        let words = |text: &[u8]| -> Vec<u32> {
            text.chunks(4).map(|part| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect()
        };
        let mut strings = StringTable::default();
        let texts: [(&[u8], &str); 5] = [
            (b"base", "base"),
            (b"\xc3\xa9t\xc3?\xe2\x82\xac\xe2\x82", "\u{e9}t??\u{20ac}??"),
            (b"", ""),
            (b"cut", "cut"),
            (b"more than a word", "more than a word"),
        ];
        let added = texts.map(|(bytes, _)| strings.add_words(&words(bytes), bytes.len()));
        assert_eq!(added.map(|id| &strings[id]), texts.map(|(_, text)| text));
        // Bytes after the first `len` are ignored.
        let cut = strings.add_words(&words(b"cut\xff"), 3);
        assert_eq!(&strings[cut], "cut");
    }
}
