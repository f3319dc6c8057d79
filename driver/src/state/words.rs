// SPDX-License-Identifier: MIT

//! The words that hold the bits of a set: one `u64` up to 64 bits, and a tree of two levels up to 4096.
//!
//! In a [`Tree`], bit `w` of the summary word tells whether word `w` has a bit. A search for a bit reads two words for any number
//! of bits, and empty words cost nothing:
//!
//! ```text
//! summary   0b0101                    words 0 and 2 have bits
//! words     [0b0110, 0, 0b1000, 0]    bits 1, 2 and 131
//! ```
//!
//! Users of this module use [`BitSet`](super::BitSet). Only an implementation of [`Bit`](super::Bit) without
//! [`bits!`](crate::bits) names these types.

use super::atomic::{AtomicTree, AtomicWord, AtomicWords};
use std::fmt::Debug;
use std::hash::Hash;

/// The maximum number of bits of a set.
pub const MOST: usize = 64 * 64;

/// Storage of a set. Indices are below [`Words::CAPACITY`].
pub trait Words: Copy + Eq + Hash + Debug + Send + Sync + 'static + sealed::Sealed {
    /// No bits.
    const EMPTY: Self;
    /// The number of bits that fit.
    const CAPACITY: usize;
    /// The indices of the bits, lowest first.
    type Indices: ExactSizeIterator<Item = usize> + Clone + Debug;
    /// Words of these bits that threads share.
    type Atomic: AtomicWords<Self>;

    /// Whether there are no bits.
    fn is_empty(&self) -> bool;
    /// The number of bits.
    fn len(&self) -> usize;
    /// Whether the set has bit `index`.
    fn contains(&self, index: usize) -> bool;
    /// Adds bit `index`.
    fn insert(&mut self, index: usize);
    /// Removes bit `index`.
    fn remove(&mut self, index: usize);
    /// Combines the words of both with `join`, which must return 0 for two zeros.
    fn zip(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self;
    /// The lowest common bit from `from` on.
    fn next_common(&self, other: &Self, from: usize) -> Option<usize>;
    /// The highest bit.
    fn last(&self) -> Option<usize>;
    /// The indices of the bits, lowest first, of a copy.
    fn indices(self) -> Self::Indices;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Word {}
    impl<const W: usize> Sealed for super::Tree<W> {}
}

/// Up to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word(pub(super) u64);

/// Up to `64 * W` bits; `W` is at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tree<const W: usize> {
    /// The mask of words that are not 0.
    summary: u64,
    words: [u64; W],
}

/// Selects the storage by the number of words: a [`Word`] if `ONE` is true, otherwise a [`Tree`].
#[derive(Debug)]
pub struct Size<const WORDS: usize, const ONE: bool>;

/// The selection of [`Size`].
pub trait Choose {
    /// The storage.
    type Words: Words;
}

impl<const WORDS: usize> Choose for Size<WORDS, true> {
    type Words = Word;
}

impl<const WORDS: usize> Choose for Size<WORDS, false> {
    type Words = Tree<WORDS>;
}

/// The storage of a set of some bits: `WordsOf<{ words_for(N) }, { N <= 64 }>` for `N` of them.
pub type WordsOf<const WORDS: usize, const ONE: bool> = <Size<WORDS, ONE> as Choose>::Words;

/// The number of words for `bits` bits.
///
/// # Panics
///
/// Panics if there are more than [`MOST`] bits. In a constant, this is a compile error.
pub const fn words_for(bits: usize) -> usize {
    assert!(bits <= MOST, "a BitSet has at most 4096 bits");
    bits.div_ceil(64)
}

/// The `count` lowest bits; all of them from 64 on.
const fn lowest(count: usize) -> u64 {
    if count < 64 {
        (1 << count) - 1
    } else {
        u64::MAX
    }
}

/// The lowest bit of `word`, which is not 0.
fn first(word: u64) -> usize {
    word.trailing_zeros() as usize
}

/// The highest bit of `word`, which is not 0.
fn last(word: u64) -> usize {
    63 - word.leading_zeros() as usize
}

// Functions for constants, which cannot call trait methods.
impl Word {
    /// The bits below `count`.
    pub const fn below(count: usize) -> Word {
        Word(lowest(count))
    }

    /// These bits and bit `index`.
    #[must_use]
    pub const fn with(self, index: usize) -> Word {
        Word(self.0 | 1 << index)
    }

    /// Whether the set has bit `index`.
    pub const fn has(&self, index: usize) -> bool {
        self.0 >> index & 1 != 0
    }
}

impl Words for Word {
    const EMPTY: Word = Word(0);
    const CAPACITY: usize = 64;
    type Indices = WordIndices;
    type Atomic = AtomicWord;

    fn is_empty(&self) -> bool {
        self.0 == 0
    }

    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    fn contains(&self, index: usize) -> bool {
        self.has(index)
    }

    fn insert(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    fn remove(&mut self, index: usize) {
        self.0 &= !(1 << index);
    }

    fn zip(&self, other: &Word, join: impl Fn(u64, u64) -> u64) -> Word {
        Word(join(self.0, other.0))
    }

    fn next_common(&self, other: &Word, from: usize) -> Option<usize> {
        let word = self.0 & other.0 & !lowest(from);
        (word != 0).then(|| first(word))
    }

    fn last(&self) -> Option<usize> {
        (self.0 != 0).then(|| last(self.0))
    }

    fn indices(self) -> WordIndices {
        WordIndices(self.0)
    }
}

impl<const W: usize> Tree<W> {
    /// The bits below `count`.
    pub const fn below(count: usize) -> Tree<W> {
        let mut tree = Tree { summary: lowest(count.div_ceil(64)), words: [0; W] };
        let mut at = 0;
        while 64 * at < count {
            tree.words[at] = lowest(count - 64 * at);
            at += 1;
        }
        tree
    }

    /// These bits and bit `index`.
    #[must_use]
    pub const fn with(mut self, index: usize) -> Tree<W> {
        self.summary |= 1 << (index / 64);
        self.words[index / 64] |= 1 << (index % 64);
        self
    }

    /// Whether the set has bit `index`.
    pub const fn has(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    /// Writes word `at`.
    pub(super) fn put(&mut self, at: usize, word: u64) {
        self.words[at] = word;
        self.summary = self.summary & !(1 << at) | u64::from(word != 0) << at;
    }

    /// The summary word and the words.
    pub(super) fn parts(&self) -> (u64, &[u64; W]) {
        (self.summary, &self.words)
    }
}

impl<const W: usize> Words for Tree<W> {
    const EMPTY: Tree<W> = Tree { summary: 0, words: [0; W] };
    const CAPACITY: usize = 64 * W;
    type Indices = TreeIndices<W>;
    type Atomic = AtomicTree<W>;

    fn is_empty(&self) -> bool {
        self.summary == 0
    }

    fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn contains(&self, index: usize) -> bool {
        self.has(index)
    }

    fn insert(&mut self, index: usize) {
        *self = self.with(index);
    }

    fn remove(&mut self, index: usize) {
        let at = index / 64;
        self.put(at, self.words[at] & !(1 << (index % 64)));
    }

    fn zip(&self, other: &Tree<W>, join: impl Fn(u64, u64) -> u64) -> Tree<W> {
        let mut joined = Self::EMPTY;
        for at in 0..W {
            joined.put(at, join(self.words[at], other.words[at]));
        }
        joined
    }

    fn next_common(&self, other: &Tree<W>, from: usize) -> Option<usize> {
        let at = from / 64;
        if at >= W {
            return None;
        }
        let word = self.words[at] & other.words[at] & !lowest(from % 64);
        if word != 0 {
            return Some(64 * at + first(word));
        }
        let mut summary = self.summary & other.summary & !lowest(at + 1);
        while summary != 0 {
            let at = first(summary);
            let word = self.words[at] & other.words[at];
            if word != 0 {
                return Some(64 * at + first(word));
            }
            summary &= summary - 1;
        }
        None
    }

    fn last(&self) -> Option<usize> {
        let at = (self.summary != 0).then(|| last(self.summary))?;
        Some(64 * at + last(self.words[at]))
    }

    fn indices(self) -> TreeIndices<W> {
        TreeIndices { word: WordIndices(0), at: 0, summary: WordIndices(self.summary), words: self.words }
    }
}

/// The indices of the bits of a [`Word`].
#[derive(Clone, Debug)]
pub struct WordIndices(pub(super) u64);

impl Iterator for WordIndices {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let index = (self.0 != 0).then(|| first(self.0))?;
        self.0 &= self.0 - 1;
        Some(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for WordIndices {}

/// The indices of the bits of a [`Tree`].
#[derive(Clone, Debug)]
pub struct TreeIndices<const W: usize> {
    /// The remaining bits of word `at`.
    word: WordIndices,
    at: usize,
    /// The mask of the later words.
    summary: WordIndices,
    words: [u64; W],
}

impl<const W: usize> Iterator for TreeIndices<W> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.word.0 == 0 {
            self.at = self.summary.next()?;
            self.word = WordIndices(self.words[self.at]);
        }
        self.word.next().map(|index| 64 * self.at + index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let after = self.summary.clone().map(|at| self.words[at].count_ones() as usize);
        let len = self.word.len() + after.sum::<usize>();
        (len, Some(len))
    }
}

impl<const W: usize> ExactSizeIterator for TreeIndices<W> {}
