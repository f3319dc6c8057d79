//! The names of a shader: strings one behind the other.

use super::Id;
use std::ops::Index;

entity!(
    /// A string in a [`StringTable`]. Equal strings may have different ids: compare the text.
    Str,
    "str"
);

/// Strings in one buffer. Adding one looks for no other: names are many, and hardly any is ever read.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    /// Text, where there are spans.
    bytes: Vec<u8>,
    /// What comes behind the bytes: strings as words, from which [`settle`](StringTable::settle) makes bytes all at once.
    words: Vec<u32>,
    /// Where each string starts, and how many bytes it has.
    spans: Vec<(u32, u32)>,
}

impl StringTable {
    /// Copies `text`.
    pub fn add(&mut self, text: &str) -> Str {
        self.settle();
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        self.add_span(start, text.len())
    }

    /// Copies the first `len` bytes of `words`, which are there to be looked at after [`settle`](StringTable::settle). What is
    /// no UTF-8 is replaced.
    #[inline]
    pub(crate) fn add_words(&mut self, words: &[u32], len: usize) -> Str {
        const NOT_ASCII: u32 = 0x8080_8080;
        if words.iter().any(|word| word & NOT_ASCII != 0) {
            return self.add_lossy(words, len);
        }
        let start = self.bytes.len() + 4 * self.words.len();
        self.words.extend_from_slice(words);
        self.add_span(start, len.min(4 * words.len()))
    }

    #[cold]
    fn add_lossy(&mut self, words: &[u32], len: usize) -> Str {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take(len).collect();
        self.add(&String::from_utf8_lossy(&bytes))
    }

    /// The next string, which is `len` bytes at `start`.
    fn add_span(&mut self, start: usize, len: usize) -> Str {
        self.spans.push((start as u32, len as u32));
        Str::from_index(self.spans.len() - 1)
    }

    /// Makes bytes of words.
    pub(crate) fn settle(&mut self) {
        let start = self.bytes.len();
        self.bytes.resize(start + 4 * self.words.len(), 0);
        let places = self.bytes[start..].chunks_exact_mut(4);
        places.zip(&self.words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
        self.words.clear();
    }

    /// The string of `id`.
    pub fn get(&self, id: Str) -> &str {
        let (start, len) = self.spans[id.index()];
        let bytes = &self.bytes[start as usize..][..len as usize];
        // All of them are text, but the compiler does not know.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// Forgets all strings, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.words.clear();
        self.spans.clear();
    }
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
    fn strings_of_words_are_those_of_text() {
        let mut strings = StringTable::default();
        let words = |text: &[u8]| -> Vec<u32> {
            text.chunks(4).map(|part| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect()
        };
        let texts: [&[u8]; 7] = [b"", b"base", b"unsized", "\u{e9}t\u{e9}".as_bytes(), b"\xc3", b"\xa9", b"base2"];
        for _ in 0..2 {
            let ids = texts.map(|text| strings.add_words(&words(text), text.len()));
            let more = texts.map(|text| [strings.add("more"), strings.add_words(&words(text), text.len())]);
            strings.settle();
            for ((text, id), [other, again]) in texts.iter().zip(ids).zip(more) {
                let read = String::from_utf8_lossy(text);
                assert_eq!([&strings[id], &strings[other], &strings[again]], [&read, "more", &read]);
            }
            strings.clear();
        }
    }
}
