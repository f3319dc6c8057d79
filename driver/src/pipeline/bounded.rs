//! A map with a bound.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A map that loses what nobody asked for in a long time. It has two halves: what is asked for moves to the young one, and when that is
/// full it becomes the old one, whose values go.
pub(crate) struct Bounded<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    /// Values of a half.
    most: usize,
}

impl<K: Eq + Hash, V: Clone> Bounded<K, V> {
    /// A map of at most `most` values, of which those stay that were asked for since another half as many were.
    pub(crate) fn new(most: usize) -> Bounded<K, V> {
        Bounded { young: FxHashMap::default(), old: FxHashMap::default(), most: (most / 2).max(1) }
    }

    /// What is there for `key`.
    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    /// What is there for `key`, or `value`, which is there from now on.
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

    /// Loses the values whose keys do not stay.
    pub(crate) fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        self.young.retain(|key, _| stays(key));
        self.old.retain(|key, _| stays(key));
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays() {
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
