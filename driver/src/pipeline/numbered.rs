// SPDX-License-Identifier: MIT

//! State objects with numbers, by which descriptions of pipelines name them.

use super::desc::Word;
use super::Pipelines;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A state object. When the last reference to it is dropped, the pipelines that name it are dropped.
#[derive(Debug)]
pub(crate) struct Numbered<T: Eq + Hash> {
    /// A number that no other state ever has; not 0.
    pub(crate) number: u32,
    pub(crate) state: Arc<T>,
    numbers: Weak<Numbers<T>>,
}

/// The states that have numbers in a word. Equal states share one number.
pub(crate) struct Numbers<T: Eq + Hash> {
    word: Word,
    pipelines: Arc<Pipelines>,
    known: Mutex<FxHashMap<Arc<T>, Weak<Numbered<T>>>>,
    last: AtomicU32,
}

impl<T: Eq + Hash> Numbers<T> {
    /// The states of `word` in the descriptions of `pipelines`.
    pub(crate) fn new(word: Word, pipelines: &Arc<Pipelines>) -> Arc<Numbers<T>> {
        let pipelines = Arc::clone(pipelines);
        Arc::new(Numbers { word, pipelines, known: Mutex::default(), last: AtomicU32::new(0) })
    }

    /// The object of `state`; the first call creates it.
    pub(crate) fn get(self: &Arc<Self>, state: T) -> Arc<Numbered<T>> {
        let mut known = self.known();
        if let Some(same) = known.get(&state).and_then(Weak::upgrade) {
            return same;
        }
        let (number, state) = (self.last.fetch_add(1, Ordering::Relaxed) + 1, Arc::new(state));
        let made = Arc::new(Numbered { number, state: Arc::clone(&state), numbers: Arc::downgrade(self) });
        known.insert(state, Arc::downgrade(&made));
        made
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.known().len()
    }

    fn known(&self) -> MutexGuard<'_, FxHashMap<Arc<T>, Weak<Numbered<T>>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Eq + Hash> Drop for Numbered<T> {
    fn drop(&mut self) {
        let Some(numbers) = self.numbers.upgrade() else { return };
        let mut known = numbers.known();
        // Another thread may have created an equal one since.
        if known.get(&*self.state).is_some_and(|same| same.strong_count() == 0) {
            known.remove(&*self.state);
        }
        drop(known);
        numbers.pipelines.forget(numbers.word, self.number);
    }
}
