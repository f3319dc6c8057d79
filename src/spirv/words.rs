//! Words: appending SPIR-V instructions to a buffer, and finding an equal one that is already there.

use crate::module::{Patch, PatchKind, Range, Tables};
use spirv::Op;

/// The most words an instruction can have: its length is a 16-bit field (SPIR-V 2.3).
pub(super) const MAX_INSTRUCTION: usize = 65535;

/// A run of instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<u32>,
    /// An instruction was longer than [`MAX_INSTRUCTION`].
    overflow: bool,
    /// Which of the words may change or go.
    pub(super) tables: Tables,
}

impl Words {
    /// None yet, in the memory of others.
    pub(super) fn in_memory_of(mut words: Vec<u32>, mut tables: Tables) -> Words {
        words.clear();
        tables.clear();
        Words { words, overflow: false, tables }
    }

    /// Makes room for exactly so many.
    pub(super) fn reserve(&mut self, words: usize, patches: usize, ranges: usize) {
        self.words.reserve_exact(words);
        self.tables.patches.reserve_exact(patches);
        self.tables.ranges.reserve_exact(ranges);
    }

    pub(super) fn into_parts(self) -> (Vec<u32>, Tables) {
        (self.words, self.tables)
    }

    /// Appends an instruction. Returns where its first operand stands.
    #[inline(always)]
    pub(super) fn op(&mut self, op: Op, operands: &[u32]) -> usize {
        let at = self.words.len() + 1;
        let head = (operands.len() as u32 + 1) << 16 | op as u32;
        // At once, and without a call to copy few words.
        match *operands {
            [] => self.words.extend_from_slice(&[head]),
            [a] => self.words.extend_from_slice(&[head, a]),
            [a, b] => self.words.extend_from_slice(&[head, a, b]),
            [a, b, c] => self.words.extend_from_slice(&[head, a, b, c]),
            [a, b, c, d] => self.words.extend_from_slice(&[head, a, b, c, d]),
            [a, b, c, d, e] => self.words.extend_from_slice(&[head, a, b, c, d, e]),
            _ => drop(self.op2(op, operands, &[])),
        }
        at
    }

    /// Appends an instruction with operands in two parts. Returns where the first stands.
    pub(super) fn op2(&mut self, op: Op, first: &[u32], rest: &[u32]) -> usize {
        self.head(op, first.len() + rest.len());
        let at = self.words.len();
        self.words.extend_from_slice(first);
        self.words.extend_from_slice(rest);
        at
    }

    /// Appends an instruction with a result type and a result.
    #[inline(always)]
    pub(super) fn result(&mut self, op: Op, [ty, id]: [u32; 2], operands: &[u32]) {
        let head = (operands.len() as u32 + 3) << 16 | op as u32;
        match *operands {
            [] => self.words.extend_from_slice(&[head, ty, id]),
            [a] => self.words.extend_from_slice(&[head, ty, id, a]),
            [a, b] => self.words.extend_from_slice(&[head, ty, id, a, b]),
            [a, b, c] => self.words.extend_from_slice(&[head, ty, id, a, b, c]),
            [a, b, c, d] => self.words.extend_from_slice(&[head, ty, id, a, b, c, d]),
            _ => drop(self.op2(op, &[ty, id], operands)),
        }
    }

    /// Appends an instruction with a result, and a result type if it has one.
    #[inline(always)]
    pub(super) fn definition(&mut self, op: Op, ty: Option<u32>, id: u32, operands: &[u32]) {
        match ty {
            Some(ty) => self.result(op, [ty, id], operands),
            None => match *operands {
                [] => drop(self.op(op, &[id])),
                [a] => drop(self.op(op, &[id, a])),
                [a, b] => drop(self.op(op, &[id, a, b])),
                _ => drop(self.op2(op, &[id], operands)),
            },
        }
    }

    /// Appends an instruction whose operands are `first`, the literal `text`, and `rest`.
    pub(super) fn op_string(&mut self, op: Op, first: &[u32], text: &str, rest: &[u32]) {
        self.head(op, first.len() + string_words(text) + rest.len());
        self.words.extend_from_slice(first);
        // UTF-8, four bytes to a word from its low end, with at least one 0 byte behind (SPIR-V 2.2.1). A 0 byte within
        // would end the string early.
        let byte = |byte: u8| u32::from(if byte == 0 { b' ' } else { byte });
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, next| word << 8 | byte(*next));
        self.words.extend(text.as_bytes().chunks(4).map(word));
        if text.len() % 4 == 0 {
            self.words.push(0);
        }
        self.words.extend_from_slice(rest);
    }

    fn head(&mut self, op: Op, operands: usize) {
        self.overflow |= operands >= MAX_INSTRUCTION;
        self.words.push((operands as u32 + 1) << 16 | op as u32);
    }

    /// Overwrites the word at `at`.
    pub(super) fn patch(&mut self, at: usize, word: u32) {
        self.words[at] = word;
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Appends words.
    pub(super) fn extend(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    /// Appends a section, with its tables.
    pub(super) fn append(&mut self, section: &Words) {
        if !section.tables.is_empty() {
            self.tables.append(&section.tables, self.words.len() as u32);
        }
        self.overflow |= section.overflow;
        if section.words.is_empty() {
            return;
        }
        self.words.extend_from_slice(&section.words);
    }

    /// Notes that the word at `at` may change.
    pub(super) fn note(&mut self, at: usize, kind: PatchKind, when: u16, arg: u32) {
        self.tables.patches.push(Patch { at: at as u32, kind, when, arg });
    }

    /// Notes that the words from `start` on may go.
    pub(super) fn note_range(&mut self, start: usize, head: usize, when: u16) {
        self.note_part(start..self.words.len(), head, when);
    }

    /// Notes that words may go, a part of the instruction at `head` if that is not 0.
    pub(super) fn note_part(&mut self, part: std::ops::Range<usize>, head: usize, when: u16) {
        let range = Range { start: part.start as u32, end: part.end as u32, head: head as u32, when };
        if !range.is_empty() {
            self.tables.ranges.push(range);
        }
    }

    /// Says that all words behind `head` are of the instruction there.
    pub(super) fn lengthen(&mut self, head: usize) {
        let len = self.words.len() - head;
        self.overflow |= len > MAX_INSTRUCTION;
        self.words[head] = (len as u32) << 16 | self.words[head] & 0xffff;
    }

    /// Takes the words from `start` on away; they are the last of the instruction at `head`, if that is given.
    pub(super) fn cut(&mut self, start: usize, head: Option<usize>) {
        let gone = (self.words.len() - start) as u32;
        if let Some(head) = head {
            self.words[head] -= gone << 16;
        }
        self.words.truncate(start);
    }

    /// True if some instruction does not fit its length field, so the words are no module.
    pub(super) fn overflowed(&self) -> bool {
        self.overflow
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.tables.clear();
        self.overflow = false;
    }
}

/// A literal string of `N` words, which ends within the last.
pub(super) const fn literal<const N: usize>(text: &str) -> [u32; N] {
    let bytes = text.as_bytes();
    assert!(bytes.len() / 4 + 1 == N);
    let mut words = [0; N];
    let mut at = 0;
    while at < bytes.len() {
        words[at / 4] |= (bytes[at] as u32) << (at % 4 * 8);
        at += 1;
    }
    words
}

/// Words that a literal string takes.
pub(super) fn string_words(text: &str) -> usize {
    text.len() / 4 + 1
}

/// Finds instructions of a [`Words`] by what they are, the result aside. What was added last can be forgotten again, so
/// that a value is found only where its definition dominates.
#[derive(Clone, Debug)]
pub(super) struct Dedup {
    entries: Vec<Entry>,
    /// Last entry of each bucket, plus one; 0 for an empty one. As many as a power of two.
    heads: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    /// The entry before it in its bucket, plus one.
    next: u32,
    /// Where the instruction starts.
    at: u32,
}

impl Default for Dedup {
    fn default() -> Dedup {
        Dedup { entries: Vec::new(), heads: vec![0; 64] }
    }
}

impl Dedup {
    /// The result of the instruction in `words` that equals this one, which is appended with result `new` if there is none.
    /// `ty` is the result type, for instructions that have one.
    #[inline(always)]
    pub(super) fn intern(
        &mut self,
        words: &mut Words,
        new: &mut u32,
        op: Op,
        ty: Option<u32>,
        operands: &[u32],
    ) -> u32 {
        let head = (operands.len() as u32 + 2 + u32::from(ty.is_some())) << 16 | op as u32;
        let hash = hash(head, ty, operands);
        let result = 1 + usize::from(ty.is_some());
        let bucket = self.bucket(hash);
        let mut next = self.heads[bucket];
        while let Some(entry) = (next as usize).checked_sub(1).and_then(|at| self.entries.get(at)) {
            let old = &words.words[entry.at as usize..];
            if entry.hash == hash && old[0] == head && ty.map_or(true, |ty| old[1] == ty) {
                // As long as the other, as the heads are equal; a call of `memcmp` would take longer than the few words.
                if old[result + 1..].iter().zip(operands).all(|(old, new)| old == new) {
                    return old[result];
                }
            }
            next = entry.next;
        }
        let id = *new;
        *new += 1;
        self.entries.push(Entry { hash, next: self.heads[bucket], at: words.len() as u32 });
        self.heads[bucket] = self.entries.len() as u32;
        if self.entries.len() * 2 > self.heads.len() {
            self.grow();
        }
        words.definition(op, ty, id, operands);
        id
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.heads.len() * 2;
        self.heads.clear();
        self.heads.resize(len, 0);
        // In order, so that later entries still stand before earlier ones in their bucket.
        for at in 0..self.entries.len() {
            let bucket = self.bucket(self.entries[at].hash);
            self.entries[at].next = self.heads[bucket];
            self.heads[bucket] = at as u32 + 1;
        }
    }

    /// Where the entries with this hash start in `heads`.
    #[inline(always)]
    fn bucket(&self, hash: u32) -> usize {
        hash as usize & self.heads.len().wrapping_sub(1)
    }

    /// How much is known now, for [`release`](Dedup::release).
    pub(super) fn mark(&self) -> usize {
        self.entries.len()
    }

    /// Forgets what was added since `mark`.
    pub(super) fn release(&mut self, mark: usize) {
        while self.entries.len() > mark {
            let Some(entry) = self.entries.pop() else { return };
            let bucket = self.bucket(entry.hash);
            self.heads[bucket] = entry.next;
        }
    }

    pub(super) fn clear(&mut self) {
        // After a large module the table is large, and few entries of the next ones are in it.
        match self.entries.len() * 8 < self.heads.len() {
            true => self.release(0),
            false => self.heads.fill(0),
        }
        self.entries.clear();
    }
}

/// The first few of what has a key of one word or two, in front of a [`Dedup`]. Each key has one place, which it keeps; what finds
/// its place taken goes to the other.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// 0 where a place is free.
    keys: [u64; 1 << Front::BITS],
    ids: [u32; 1 << Front::BITS],
}

/// What a [`Front`] says about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The id is known.
    Known(u32),
    /// There is no such key, here or elsewhere.
    Free,
    /// Another key has the place.
    Taken,
}

impl Default for Front {
    fn default() -> Front {
        Front { keys: [0; 1 << Front::BITS], ids: [0; 1 << Front::BITS] }
    }
}

impl Front {
    const BITS: u32 = 6;

    #[inline(always)]
    fn at(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Front::BITS)) as usize
    }

    /// The id at the place of `key`, if it is there.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let at = Front::at(key);
        (self.keys[at] == key).then_some(self.ids[at])
    }

    /// What is at the place of `key`, where `new` is from now on if it is free.
    pub(super) fn place(&mut self, key: u64, new: u32) -> Place {
        let at = Front::at(key);
        match self.keys[at] {
            0 => {
                (self.keys[at], self.ids[at]) = (key, new);
                Place::Free
            }
            known if known == key => Place::Known(self.ids[at]),
            _ => Place::Taken,
        }
    }

    pub(super) fn clear(&mut self) {
        self.keys.fill(0);
    }
}

#[inline(always)]
fn hash(head: u32, ty: Option<u32>, operands: &[u32]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (u64::from(head) << 32 | u64::from(ty.unwrap_or(0))).wrapping_mul(FACTOR);
    for word in operands {
        hash = (hash.rotate_left(23) ^ u64::from(*word)).wrapping_mul(FACTOR);
    }
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_in_a_zero_byte() {
        let mut words = Words::default();
        words.op_string(Op::Name, &[7], "main", &[]);
        words.op_string(Op::Name, &[8], "é", &[]);
        words.op_string(Op::Name, &[9], "a\0b", &[]);
        let expected = [4 << 16 | 5, 7, 0x6e69_616d, 0, 3 << 16 | 5, 8, 0xa9c3, 3 << 16 | 5, 9, 0x62_2061];
        assert_eq!(words.words, expected);
    }

    #[test]
    fn equal_instructions_are_found_until_released() {
        let (mut words, mut dedup, mut next) = (Words::default(), Dedup::default(), 1);
        let mut get =
            |dedup: &mut Dedup, operand| dedup.intern(&mut words, &mut next, Op::Bitcast, Some(90), &[operand]);
        let outer: Vec<u32> = (0..100).map(|operand| get(&mut dedup, operand)).collect();
        let mark = dedup.mark();
        let inner: Vec<u32> = (100..300).map(|operand| get(&mut dedup, operand)).collect();
        assert_eq!(get(&mut dedup, 299), inner[199]);
        dedup.release(mark);
        assert_eq!(get(&mut dedup, 50), outer[50]);
        assert_ne!(get(&mut dedup, 299), inner[199]);
    }

    #[test]
    fn keys_keep_their_places() {
        let mut front = Front::default();
        let free: Vec<u64> = (1..1000).filter(|key| front.place(*key, *key as u32) == Place::Free).collect();
        assert!((2..=1 << Front::BITS).contains(&free.len()), "{free:?}");
        for key in 1..1000 {
            let expected = if free.contains(&key) { Place::Known(key as u32) } else { Place::Taken };
            assert_eq!(front.place(key, 0), expected);
        }
        front.clear();
        assert_eq!(front.place(free[0], 7), Place::Free);
    }

    #[test]
    fn constant_strings_are_those_that_are_written() {
        let mut words = Words::default();
        words.op_string(Op::ExtInstImport, &[1], "GLSL.std.450", &[]);
        assert_eq!(words.words[2..], literal::<4>("GLSL.std.450"));
    }
}
