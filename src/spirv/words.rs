// SPDX-License-Identifier: MIT

//! Buffers of words: append SPIR-V instructions, and find equal ones.

use spirv::Op;

/// The most words of an instruction: its length is a 16-bit field (SPIR-V 2.3).
pub(super) const MAX_INSTRUCTION: usize = 65535;

/// A sequence of instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<u32>,
    /// Whether an instruction was longer than [`MAX_INSTRUCTION`].
    overflow: bool,
}

impl Words {
    /// An empty sequence with space for `room` words, in the memory of `words`.
    pub(super) fn in_memory_of(mut words: Vec<u32>, room: usize) -> Words {
        words.clear();
        words.reserve(room);
        Words { words, overflow: false }
    }

    pub(super) fn into_words(self) -> Vec<u32> {
        self.words
    }

    /// Appends an instruction. Returns the position of its first operand.
    pub(super) fn op<const N: usize>(&mut self, op: Op, operands: &[u32; N]) -> usize {
        self.words.push((N as u32 + 1) << 16 | op as u32);
        self.words.extend_from_slice(operands);
        self.words.len() - N
    }

    /// Appends an instruction with operands in two parts. Returns the position of the first operand.
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

    /// Appends an instruction with a result type, or 0 for none, and a result.
    pub(super) fn result(&mut self, op: Op, [ty, id]: [u32; 2], operands: &[u32]) {
        self.head(op, usize::from(ty != 0) + 1 + operands.len());
        if ty != 0 {
            self.words.push(ty);
        }
        self.words.push(id);
        // There are few operands: a call that copies them would take longer.
        operands.iter().for_each(|operand| self.words.push(*operand));
    }

    /// The result of the instruction at `at`, if it equals this one.
    fn result_of(&self, at: u32, op: Op, ty: u32, operands: &[u32]) -> Option<u32> {
        let typed = usize::from(ty != 0);
        let len = typed + 2 + operands.len();
        let words = self.words.get(at as usize..at as usize + len)?;
        let (result, rest) = words[1 + typed..].split_first()?;
        let is_it = words[0] == (len as u32) << 16 | op as u32
            && (ty == 0 || words[1] == ty)
            && rest.iter().zip(operands).all(|(a, b)| a == b);
        is_it.then_some(*result)
    }

    /// Appends the first `len` of `words`, an instruction that begins with its opcode: without a branch for each length.
    pub(super) fn start_of<const N: usize>(&mut self, mut words: [u32; N], len: usize) {
        words[0] |= (len as u32) << 16;
        let end = self.words.len() + len.min(N);
        self.words.extend_from_slice(&words);
        self.words.truncate(end);
    }

    /// Appends an instruction whose operands are `first`, the literal `text`, and `rest`.
    pub(super) fn op_string(&mut self, op: Op, first: &[u32], text: &str, rest: &[u32]) {
        self.head(op, first.len() + string_words(text) + rest.len());
        self.words.extend_from_slice(first);
        // UTF-8, four bytes to a word from its low end, followed by at least one 0 byte (SPIR-V 2.2.1). A 0 byte within the text
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

    /// Appends a section. Returns its start.
    #[inline(never)]
    pub(super) fn append(&mut self, section: &Words) -> u32 {
        self.overflow |= section.overflow;
        self.words.extend_from_slice(&section.words);
        (self.words.len() - section.words.len()) as u32
    }

    /// Sets the length of the last instruction, at `head`, so that it ends at the end of the buffer.
    pub(super) fn lengthen(&mut self, head: usize) {
        let len = self.words.len() - head;
        self.overflow |= len > MAX_INSTRUCTION;
        self.words[head] = (len as u32) << 16 | self.words[head] & 0xffff;
    }

    /// Removes the words from `start` on. They are the end of the instruction at `head`, if there is one.
    pub(super) fn cut(&mut self, start: usize, head: Option<usize>) {
        let gone = (self.words.len() - start) as u32;
        if let Some(head) = head {
            self.words[head] -= gone << 16;
        }
        self.words.truncate(start);
    }

    /// True if an instruction does not fit its length field, so that the words are not a valid module.
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

/// The number of words of a literal string.
fn string_words(text: &str) -> usize {
    text.len() / 4 + 1
}

/// Operands that are pushed from the last to the first.
pub(super) struct Backwards {
    words: [u32; Backwards::MOST],
    at: usize,
}

impl Backwards {
    /// The most operands: more than the levels of types of variables.
    const MOST: usize = 44;

    pub(super) fn new() -> Backwards {
        Backwards { words: [0; Backwards::MOST], at: Backwards::MOST }
    }

    /// Inserts `word` before the others. False if there are too many.
    pub(super) fn push(&mut self, word: u32) -> bool {
        let room = self.at != 0;
        self.at -= usize::from(room);
        self.words[self.at] = word;
        room
    }

    pub(super) fn operands(&self) -> &[u32] {
        &self.words[self.at..]
    }
}

/// Finds instructions of a [`Words`] by all their words except the result. The entries added last can be removed again, so that a
/// value is found only where its definition dominates.
#[derive(Clone, Debug)]
pub(super) struct Dedup {
    entries: Vec<Entry>,
    /// The last entry of each bucket, plus one; 0 for an empty one. Their number is a power of two.
    heads: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    /// The previous entry of its bucket, plus one.
    next: u32,
    /// The position of the instruction.
    at: u32,
}

impl Default for Dedup {
    fn default() -> Dedup {
        Dedup { entries: Vec::new(), heads: vec![0; Dedup::FEW] }
    }
}

impl Dedup {
    /// The number of buckets that suffices for most modules.
    const FEW: usize = 64;

    /// The result of an equal instruction in `words`. If there is none, it is appended with the result `new`. `ty` is the result
    /// type, 0 if it has none.
    #[inline(never)]
    pub(super) fn intern(&mut self, words: &mut Words, new: &mut u32, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let hash = hash(op, ty, operands);
        let bucket = self.bucket(hash);
        let mut next = self.heads[bucket];
        while let Some(entry) = (next as usize).checked_sub(1).and_then(|at| self.entries.get(at)) {
            if entry.hash == hash {
                if let Some(id) = words.result_of(entry.at, op, ty, operands) {
                    return id;
                }
            }
            next = entry.next;
        }
        self.entries.push(Entry { hash, next: self.heads[bucket], at: words.len() as u32 });
        self.heads[bucket] = self.entries.len() as u32;
        if self.entries.len() > self.heads.len() {
            self.grow();
        }
        let id = *new;
        *new += 1;
        words.result(op, [ty, id], operands);
        id
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.heads.len() * 2;
        self.heads.clear();
        self.heads.resize(len, 0);
        // In order, so that later entries still precede earlier ones in their bucket.
        for at in 0..self.entries.len() {
            let bucket = self.bucket(self.entries[at].hash);
            self.entries[at].next = self.heads[bucket];
            self.heads[bucket] = at as u32 + 1;
        }
    }

    /// The index in `heads` of the bucket of this hash.
    #[inline(always)]
    fn bucket(&self, hash: u32) -> usize {
        hash as usize & self.heads.len().wrapping_sub(1)
    }

    /// The current state, for [`release`](Dedup::release).
    pub(super) fn mark(&self) -> usize {
        self.entries.len()
    }

    /// Removes the entries added since `mark`.
    pub(super) fn release(&mut self, mark: usize) {
        while self.entries.len() > mark {
            let Some(entry) = self.entries.pop() else { return };
            let bucket = self.bucket(entry.hash);
            self.heads[bucket] = entry.next;
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        // A large module makes a large table, which the next module rarely needs.
        self.heads.truncate(Dedup::FEW);
        self.heads.fill(0);
    }
}

/// Hashes all words of an instruction except its result.
fn hash(op: Op, ty: u32, operands: &[u32]) -> u32 {
    let mut hash = u64::from(op as u32) << 32 | u64::from(ty);
    for word in operands {
        hash = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(23) ^ u64::from(*word);
    }
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
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
        let mut get = |dedup: &mut Dedup, operand| dedup.intern(&mut words, &mut next, Op::Bitcast, 90, &[operand]);
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
        for ty in [0, 9] {
            let ids = lists.map(|list| dedup.intern(&mut words, &mut next, Op::TypeStruct, ty, list));
            assert_eq!(lists.map(|list| dedup.intern(&mut words, &mut next, Op::TypeStruct, ty, list)), ids);
            let mut expected = Words::default();
            for (list, id) in lists.into_iter().zip(ids) {
                match ty {
                    0 => expected.op2(Op::TypeStruct, &[id], list),
                    _ => expected.op2(Op::TypeStruct, &[ty, id], list),
                };
            }
            assert_eq!(words.words, expected.words);
            words.clear();
            dedup.clear();
        }
        assert_eq!(next, 15);
    }

    #[test]
    fn constant_strings_are_those_that_are_written() {
        let mut words = Words::default();
        words.op_string(Op::ExtInstImport, &[1], "GLSL.std.450", &[]);
        assert_eq!(words.words[2..], literal::<4>("GLSL.std.450"));
    }
}
