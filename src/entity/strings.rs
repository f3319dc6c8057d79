//! Strings, equal ones once, and the table of hashes that finds them, and types, again.

use super::Id;
use std::ops::Index;

entity!(
    /// A string in a [`StringTable`].
    Str,
    "str"
);

/// Strings in one buffer, equal strings once.
#[derive(Clone, Debug, Default)]
pub struct StringTable {
    text: String,
    /// What comes behind the text: strings, all of them UTF-8, which [`settle`](StringTable::settle) looks at all at once.
    unsettled: Vec<u8>,
    spans: Vec<(u32, u32)>,
    lookup: HashIndex<Str>,
}

impl StringTable {
    /// The id of `text`, which is copied if it is new.
    pub fn intern(&mut self, text: &str) -> Str {
        let hash = hash_of(text.as_bytes());
        if let Some(id) = self.lookup.find(hash, |id| self.bytes(id) == text.as_bytes()) {
            return id;
        }
        self.settle();
        self.text.push_str(text);
        self.add(hash, self.text.len(), text.len())
    }

    /// The id of the string of the first `len` bytes of `words`, which is there to be looked at after
    /// [`settle`](StringTable::settle). What is no UTF-8 is replaced.
    pub(crate) fn intern_words(&mut self, words: &[u32], len: usize) -> Str {
        const NOT_ASCII: u32 = 0x8080_8080;
        let start = self.unsettled.len();
        let mut bits = 0;
        for word in words {
            bits |= word;
            self.unsettled.extend_from_slice(&word.to_le_bytes());
        }
        self.unsettled.truncate(start + len);
        if bits & NOT_ASCII != 0 {
            let text = String::from_utf8_lossy(&self.unsettled[start..]).into_owned();
            self.unsettled.truncate(start);
            return self.intern(&text);
        }
        let new = &self.unsettled[start..];
        let hash = hash_of(new);
        if let Some(id) = self.lookup.find(hash, |id| self.bytes(id) == new) {
            self.unsettled.truncate(start);
            return id;
        }
        self.add(hash, self.text.len() + self.unsettled.len(), new.len())
    }

    /// The string of `len` bytes that ends at `end`.
    fn add(&mut self, hash: u32, end: usize, len: usize) -> Str {
        let id = Str::from_index(self.spans.len());
        self.spans.push(((end - len) as u32, len as u32));
        self.lookup.insert(hash, id);
        id
    }

    fn bytes(&self, id: Str) -> &[u8] {
        let (start, len) = self.spans[id.index()];
        let (start, len) = (start as usize, len as usize);
        match start.checked_sub(self.text.len()) {
            None => &self.text.as_bytes()[start..start + len],
            Some(start) => &self.unsettled[start..start + len],
        }
    }

    /// Makes text of words.
    pub(crate) fn settle(&mut self) {
        self.text.push_str(std::str::from_utf8(&self.unsettled).unwrap_or_default());
        self.unsettled.clear();
    }

    /// The string of `id`.
    pub fn get(&self, id: Str) -> &str {
        let (start, len) = self.spans[id.index()];
        &self.text[start as usize..(start + len) as usize]
    }

    /// Forgets all strings, keeps the memory of the text.
    pub fn clear(&mut self) {
        self.text.clear();
        self.unsettled.clear();
        self.spans.clear();
        self.lookup.clear();
    }
}

impl Index<Str> for StringTable {
    type Output = str;
    fn index(&self, id: Str) -> &str {
        self.get(id)
    }
}

/// Ids by the hash of what they stand for, which the caller has and compares. Cheap to fill and to empty again where there
/// are few, as in most shaders.
#[derive(Clone, Debug)]
pub(crate) struct HashIndex<K> {
    /// In the order in which they came.
    entries: Vec<(u32, K)>,
    /// As many as a power of two, or none; never more than half of them taken. An id stands in the first free one from where
    /// its hash leads.
    slots: Vec<Option<(u32, K)>>,
}

impl<K: Id> HashIndex<K> {
    /// The id with this hash for which `is_it` holds.
    pub(crate) fn find(&self, hash: u32, is_it: impl Fn(K) -> bool) -> Option<K> {
        let mut at = hash as usize;
        loop {
            // Without slots, all numbers are beyond them.
            let (found, id) = (*self.slots.get(at & self.slots.len().wrapping_sub(1))?)?;
            if found == hash && is_it(id) {
                return Some(id);
            }
            at += 1;
        }
    }

    /// Enters an id that is not there.
    pub(crate) fn insert(&mut self, hash: u32, id: K) {
        self.entries.push((hash, id));
        if 2 * self.entries.len() <= self.slots.len() {
            return self.place(hash, id);
        }
        let len = (2 * self.slots.len()).max(64);
        self.slots.clear();
        self.slots.resize(len, None);
        for at in 0..self.entries.len() {
            let (hash, id) = self.entries[at];
            self.place(hash, id);
        }
    }

    fn place(&mut self, hash: u32, id: K) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some((hash, id));
    }

    /// Forgets all ids, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.entries.clear();
    }
}

impl<K> Default for HashIndex<K> {
    fn default() -> Self {
        HashIndex { entries: Vec::new(), slots: Vec::new() }
    }
}

/// The hash of `key` for a [`HashIndex`].
pub(crate) fn hash_of(key: impl std::hash::Hash) -> u32 {
    use std::hash::{BuildHasher, BuildHasherDefault};
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(key) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_there_once() {
        let mut strings = StringTable::default();
        for round in 0..3 {
            let texts: Vec<String> = (0..1000 * round).map(|n| format!("name{n}")).collect();
            let ids: Vec<Str> = texts.iter().map(|text| strings.intern(text)).collect();
            assert!(ids.iter().enumerate().all(|(n, id)| id.index() == n), "all are new");
            assert!(texts.iter().zip(&ids).all(|(text, id)| strings.intern(text) == *id && strings[*id] == **text));
            strings.clear();
        }
    }

    #[test]
    fn strings_of_words_are_those_of_text() {
        let mut strings = StringTable::default();
        let words = |text: &[u8]| -> Vec<u32> {
            text.chunks(4).map(|part| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))).collect()
        };
        let texts: [&[u8]; 7] = [b"", b"base", b"unsized", "\u{e9}t\u{e9}".as_bytes(), b"\xc3", b"\xa9", b"base2"];
        let ids = texts.map(|text| strings.intern_words(&words(text), text.len()));
        let read = texts.map(|text| String::from_utf8_lossy(text).into_owned());
        for round in 0..2 {
            for (at, text) in read.iter().enumerate() {
                assert_eq!(strings.intern(text), ids[at], "{text} in round {round}");
                assert_eq!(
                    strings.intern_words(&words(texts[at]), texts[at].len()),
                    ids[at],
                    "{text} in round {round}"
                );
            }
            strings.settle();
        }
        assert!(read.iter().zip(ids).all(|(text, id)| strings[id] == **text));
        assert_eq!(ids[4], ids[5], "neither is text");
    }

    #[test]
    fn ids_of_one_hash_are_told_apart() {
        let mut index = HashIndex::default();
        let ids: Vec<Str> = (0..200).map(Str::from_index).collect();
        ids.iter().for_each(|id| index.insert(u32::MAX, *id));
        assert!(ids.iter().all(|id| index.find(u32::MAX, |found| found == *id) == Some(*id)));
        assert_eq!(index.find(u32::MAX, |_| false), None);
        index.clear();
        assert_eq!(index.find(u32::MAX, |_| true), None);
    }
}
