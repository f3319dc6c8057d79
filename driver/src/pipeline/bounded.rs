// SPDX-License-Identifier: MIT

//! A map with a maximum size.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A map that drops values that were not used for a long time. It has two halves: a lookup moves its value to the young half.
/// When that half is full, it becomes the old one, and the values of the former old half are dropped.
pub(crate) struct Bounded<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    /// The maximum number of values of a half.
    most: usize,
}

impl<K: Eq + Hash, V: Clone> Bounded<K, V> {
    /// A map of at most `most` values. A value is kept until half as many other values were used after it.
    pub(crate) fn new(most: usize) -> Bounded<K, V> {
        Bounded { young: FxHashMap::default(), old: FxHashMap::default(), most: (most / 2).max(1) }
    }

    /// The value of `key`.
    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    /// The value of `key`; inserts `value` if there is none.
    pub(crate) fn get_or_insert(&mut self, key: K, value: V) -> V {
        if let Some(known) = self.get(&key) {
            return known;
        }
        self.insert(key, value.clone());
        value
    }

    fn insert(&mut self, key: K, value: V) {
        if self.young.len() == self.most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    /// Drops the values whose keys do not match `stays`.
    pub(crate) fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        self.young.retain(|key, _| stays(key));
        self.old.retain(|key, _| stays(key));
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_values_are_kept() {
        let mut map = Bounded::new(8);
        assert_eq!(map.get_or_insert(0, "kept"), "kept");
        for key in 1..100 {
            assert_eq!(map.get_or_insert(key, "new"), "new");
            assert_eq!(map.get_or_insert(0, "other"), "kept");
            assert!(map.len() <= 8);
        }
        assert_eq!((map.get(&99), map.get(&1)), (Some("new"), None));
        map.retain(|key| *key != 0);
        assert_eq!(map.get(&0), None);
    }
}
