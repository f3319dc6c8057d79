// SPDX-License-Identifier: MIT

//! The words of a set that threads share: the storage of the messages of an [`Inbox`](super::Inbox).
//!
//! [`AtomicWords::post`] adds bits and [`AtomicWords::take`] removes all of them. Each posted bit is taken once, by one taker,
//! unless it is posted again. A taker of a bit sees all earlier writes of the poster: post is a release operation, take an
//! acquire operation.

use super::words::{Tree, Word, WordIndices, Words};
use std::sync::atomic::{AtomicU64, Ordering};

/// Storage of a set that threads share.
pub trait AtomicWords<W>: Default + Send + Sync {
    /// Adds `bits`.
    fn post(&self, bits: W);
    /// Removes all bits and returns them. If there are none, this is one relaxed load.
    fn take(&self) -> W;
}

/// Up to 64 bits.
#[derive(Debug, Default)]
pub struct AtomicWord(AtomicU64);

/// Up to `64 * W` bits.
///
/// A poster writes its words first and the summary last, a taker reads the summary first. So the summary may have a bit for a
/// word that was already taken, which costs one more load, but a word with bits always gets its bit in the summary.
#[derive(Debug)]
pub struct AtomicTree<const W: usize> {
    summary: AtomicU64,
    words: [AtomicU64; W],
}

impl<const W: usize> Default for AtomicTree<W> {
    fn default() -> Self {
        AtomicTree { summary: AtomicU64::new(0), words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }
}

/// Adds `bits` to `word`, after all earlier writes of this thread.
fn post(word: &AtomicU64, bits: u64) {
    if bits != 0 {
        word.fetch_or(bits, Ordering::Release);
    }
}

/// Takes all bits of `word`; earlier writes of their posters become visible.
fn take(word: &AtomicU64) -> u64 {
    if word.load(Ordering::Relaxed) == 0 {
        return 0;
    }
    word.swap(0, Ordering::Acquire)
}

impl AtomicWords<Word> for AtomicWord {
    fn post(&self, bits: Word) {
        post(&self.0, bits.0);
    }

    fn take(&self) -> Word {
        Word(take(&self.0))
    }
}

impl<const W: usize> AtomicWords<Tree<W>> for AtomicTree<W> {
    fn post(&self, bits: Tree<W>) {
        let (summary, words) = bits.parts();
        self.words.iter().zip(words).for_each(|(word, bits)| post(word, *bits));
        post(&self.summary, summary);
    }

    fn take(&self) -> Tree<W> {
        let mut taken = Tree::EMPTY;
        for at in WordIndices(take(&self.summary)) {
            taken.put(at, take(&self.words[at]));
        }
        taken
    }
}
