//! Words: appending SPIR-V instructions to a buffer, and finding an equal one that is already there.

use spirv::Op;

/// The most words an instruction can have: its length is a 16-bit field (SPIR-V 2.3).
pub(super) const MAX_INSTRUCTION: usize = 65535;

/// A run of instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<u32>,
    /// An instruction was longer than [`MAX_INSTRUCTION`].
    overflow: bool,
}

impl Words {
    /// None yet, with room for exactly so many, in the memory of others.
    pub(super) fn in_memory_of(mut words: Vec<u32>, room: usize) -> Words {
        words.clear();
        words.reserve_exact(room);
        Words { words, overflow: false }
    }

    pub(super) fn into_words(self) -> Vec<u32> {
        self.words
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

    /// Appends an instruction whose operands are `first` and `rest`.
    pub(super) fn op_of(&mut self, op: Op, first: u32, rest: impl ExactSizeIterator<Item = u32>) {
        self.head(op, 1 + rest.len());
        self.words.push(first);
        self.words.extend(rest);
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

    /// Appends the first `len` of `words`, an instruction: without a branch for each length.
    #[inline(always)]
    pub(super) fn start_of<const N: usize>(&mut self, words: [u32; N], len: usize) {
        let end = self.words.len() + len.min(N);
        self.words.extend_from_slice(&words);
        self.words.truncate(end);
    }

    /// Appends the instruction that `content` is, with a result.
    #[inline(always)]
    pub(super) fn definition(&mut self, content: &Content<'_>, id: u32) {
        let Content { start: Start { head, ty, first }, rest } = *content;
        let len = (head >> 16) as usize;
        match ty {
            0 => self.start_of([head, id, first[0], first[1], first[2], first[3]], len),
            _ => self.start_of([head, ty, id, first[0], first[1], first[2], first[3]], len),
        }
        if !rest.is_empty() {
            self.overflow |= Operands::FIRST + rest.len() > MAX_INSTRUCTION - 3;
            self.words.extend_from_slice(rest);
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

    /// Appends a section. Returns where it starts.
    pub(super) fn append(&mut self, section: &Words) -> u32 {
        let start = self.words.len() as u32;
        self.overflow |= section.overflow;
        if !section.words.is_empty() {
            self.words.extend_from_slice(&section.words);
        }
        start
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

/// The operands of an instruction: the first, with 0 for those that are not there, and the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands<'a> {
    first: [u32; Operands::FIRST],
    len: u32,
    rest: &'a [u32],
}

impl Operands<'_> {
    const FIRST: usize = 4;
    pub(super) const NONE: Operands<'static> = Operands { first: [0; Operands::FIRST], len: 0, rest: &[] };
}

/// Operands that are put together from the last to the first.
pub(super) struct Backwards {
    /// With 0 behind the last, for the first of few.
    words: [u32; Backwards::MOST + Operands::FIRST],
    at: usize,
}

impl Backwards {
    /// The most operands: more than types are deep that variables can have.
    const MOST: usize = 44;

    #[inline(always)]
    pub(super) fn new() -> Backwards {
        Backwards { words: [0; Backwards::MOST + Operands::FIRST], at: Backwards::MOST }
    }

    /// Puts `word` in front. False if there are too many.
    #[inline(always)]
    pub(super) fn push(&mut self, word: u32) -> bool {
        let room = self.at != 0;
        self.at -= usize::from(room);
        self.words[self.at] = word;
        room
    }

    pub(super) fn len(&self) -> usize {
        Backwards::MOST - self.at
    }

    #[inline(always)]
    pub(super) fn operands(&self) -> Operands<'_> {
        let words = &self.words[self.at..];
        let first = [words[0], words[1], words[2], words[3]];
        let rest = words[Operands::FIRST..].len() - Operands::FIRST.min(words.len() - Operands::FIRST);
        Operands { first, len: self.len() as u32, rest: &words[Operands::FIRST..][..rest] }
    }
}

impl<'a, const N: usize> From<&'a [u32; N]> for Operands<'a> {
    #[inline(always)]
    fn from(operands: &'a [u32; N]) -> Operands<'a> {
        Operands::from(&operands[..])
    }
}

impl<'a> From<&'a [u32]> for Operands<'a> {
    #[inline(always)]
    fn from(operands: &'a [u32]) -> Operands<'a> {
        let len = operands.len() as u32;
        let (first, rest): (_, &[u32]) = match *operands {
            [] => ([0; 4], &[]),
            [a] => ([a, 0, 0, 0], &[]),
            [a, b] => ([a, b, 0, 0], &[]),
            [a, b, c] => ([a, b, c, 0], &[]),
            [a, b, c, d, ref rest @ ..] => ([a, b, c, d], rest),
        };
        Operands { first, len, rest }
    }
}

/// What an instruction is, its result aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content<'a> {
    start: Start,
    rest: &'a [u32],
}

/// The start of a [`Content`], which is the whole of most: as long for each, so that they are compared at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Start {
    /// The first word.
    head: u32,
    /// The result type, 0 if it has none.
    ty: u32,
    first: [u32; Operands::FIRST],
}

impl<'a> Content<'a> {
    #[inline(always)]
    pub(super) fn new(op: Op, ty: Option<u32>, operands: Operands<'a>) -> Content<'a> {
        let head = (operands.len + 2 + u32::from(ty.is_some())) << 16 | op as u32;
        Content { start: Start { head, ty: ty.unwrap_or(0), first: operands.first }, rest: operands.rest }
    }

    #[inline(always)]
    fn hash(&self) -> u32 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let Start { head, ty, first } = self.start;
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        let mut hash = pair(head, ty).wrapping_mul(FACTOR);
        hash = (hash.rotate_left(23) ^ pair(first[0], first[1])).wrapping_mul(FACTOR);
        hash = (hash.rotate_left(23) ^ pair(first[2], first[3])).wrapping_mul(FACTOR);
        for word in self.rest {
            hash = (hash.rotate_left(23) ^ u64::from(*word)).wrapping_mul(FACTOR);
        }
        (hash >> 32) as u32
    }
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
    start: Start,
    hash: u32,
    /// The entry before it in its bucket, plus one.
    next: u32,
    /// Where the instruction starts.
    at: u32,
    /// Its result.
    id: u32,
}

impl Default for Dedup {
    fn default() -> Dedup {
        Dedup { entries: Vec::new(), heads: vec![0; Dedup::FEW] }
    }
}

impl Dedup {
    /// Buckets for most modules.
    const FEW: usize = 128;

    /// The result of the instruction in `words` that equals this one, which is appended with result `new` if there is none.
    #[inline(always)]
    pub(super) fn intern(&mut self, words: &mut Words, new: &mut u32, content: &Content<'_>) -> u32 {
        let hash = content.hash();
        let bucket = self.bucket(hash);
        let mut next = self.heads[bucket];
        while let Some(entry) = (next as usize).checked_sub(1).and_then(|at| self.entries.get(at)) {
            if entry.hash == hash && entry.start == content.start && entry.has_rest(words, content) {
                return entry.id;
            }
            next = entry.next;
        }
        let id = *new;
        *new += 1;
        let entry = Entry { start: content.start, hash, next: self.heads[bucket], at: words.len() as u32, id };
        self.entries.push(entry);
        self.heads[bucket] = self.entries.len() as u32;
        if self.entries.len() * 2 > self.heads.len() {
            self.grow();
        }
        words.definition(content, id);
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
        self.entries.clear();
        // After a large module the table is large, which the next hardly needs.
        self.heads.truncate(Dedup::FEW);
        self.heads.fill(0);
    }
}

impl Entry {
    /// True if behind the first operands come those of `content`; there are as many.
    #[inline(always)]
    fn has_rest(&self, words: &Words, content: &Content<'_>) -> bool {
        content.rest.is_empty() || {
            let first = self.at as usize + 2 + usize::from(content.start.ty != 0) + Operands::FIRST;
            words.words.get(first..first + content.rest.len()) == Some(content.rest)
        }
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

    /// Keeps `new` for `key`, which is not there, if its place is free.
    #[inline(always)]
    pub(super) fn put(&mut self, key: u64, new: u32) -> bool {
        let at = Front::at(key);
        let free = self.keys[at] == 0;
        if free {
            (self.keys[at], self.ids[at]) = (key, new);
        }
        free
    }
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
        let mut get = |dedup: &mut Dedup, operand| {
            dedup.intern(&mut words, &mut next, &Content::new(Op::Bitcast, Some(90), (&[operand]).into()))
        };
        let outer: Vec<u32> = (0..100).map(|operand| get(&mut dedup, operand)).collect();
        let mark = dedup.mark();
        let inner: Vec<u32> = (100..300).map(|operand| get(&mut dedup, operand)).collect();
        assert_eq!(get(&mut dedup, 299), inner[199]);
        dedup.release(mark);
        assert_eq!(get(&mut dedup, 50), outer[50]);
        assert_ne!(get(&mut dedup, 299), inner[199]);
    }

    #[test]
    fn instructions_differ_in_each_operand() {
        let (mut words, mut dedup, mut next) = (Words::default(), Dedup::default(), 1);
        let lists: [&[u32]; 7] = [&[], &[0], &[1], &[1, 0], &[1, 2, 3, 4], &[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 7]];
        for ty in [None, Some(9)] {
            let key = |list: &'static [u32]| Content::new(Op::TypeStruct, ty, list.into());
            let ids = lists.map(|list| dedup.intern(&mut words, &mut next, &key(list)));
            assert_eq!(lists.map(|list| dedup.intern(&mut words, &mut next, &key(list))), ids);
            let mut expected = Words::default();
            for (list, id) in lists.into_iter().zip(ids) {
                match ty {
                    Some(ty) => expected.result(Op::TypeStruct, [ty, id], list),
                    None => drop(expected.op2(Op::TypeStruct, &[id], list)),
                }
            }
            assert_eq!(words.words, expected.words);
            words.clear();
            dedup.clear();
        }
        assert_eq!(next, 15);
    }

    #[test]
    fn keys_keep_their_places() {
        let mut front = Front::default();
        let free: Vec<u64> = (1..1000).filter(|key| front.put(*key, *key as u32)).collect();
        assert!((2..=1 << Front::BITS).contains(&free.len()), "{free:?}");
        for key in 1..1000 {
            assert_eq!(front.get(key), free.contains(&key).then_some(key as u32));
            assert!(!front.put(key, 0));
        }
    }

    #[test]
    fn constant_strings_are_those_that_are_written() {
        let mut words = Words::default();
        words.op_string(Op::ExtInstImport, &[1], "GLSL.std.450", &[]);
        assert_eq!(words.words[2..], literal::<4>("GLSL.std.450"));
    }
}
