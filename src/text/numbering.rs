//! What the numbers of a dump (`%5`, `b3`) mean.
//!
//! Numbers are small and mostly dense, but a text may use any: a table covers those near the ones seen so far, a map the
//! rest, so memory stays in proportion to the text.

use rustc_hash::FxHashMap;

/// From the numbers of a dump to ids.
pub(super) struct Numbering<K> {
    near: Vec<Option<K>>,
    far: FxHashMap<u32, K>,
}

/// How much further than the numbers seen so far the table may grow at once.
const STEP: usize = 1024;

impl<K: Copy> Numbering<K> {
    pub(super) fn new() -> Numbering<K> {
        Numbering { near: Vec::new(), far: FxHashMap::default() }
    }

    /// What `number` means.
    pub(super) fn get(&self, number: u32) -> Option<K> {
        match self.near.get(number as usize) {
            Some(Some(id)) => Some(*id),
            _ if self.far.is_empty() => None,
            _ => self.far.get(&number).copied(),
        }
    }

    /// Gives `number` a meaning; false if it had one.
    pub(super) fn define(&mut self, number: u32, id: K) -> bool {
        if self.get(number).is_some() {
            return false;
        }
        let at = number as usize;
        if at < self.near.len() + STEP {
            if at >= self.near.len() {
                self.near.resize(at + 1, None);
            }
            self.near[at] = Some(id);
        } else {
            self.far.insert(number, id);
        }
        true
    }

    pub(super) fn clear(&mut self) {
        self.near.clear();
        self.far.clear();
    }
}
