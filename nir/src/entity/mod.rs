// SPDX-License-Identifier: MIT

//! Typed 32-bit ids, the dense arenas they index, and the interning tables: the only container code of the crate.
//!
//! An id is four bytes and so is an `Option` of it. Ids of one arena are dense from 0, so a side table is a plain vector
//! indexed by id. Entities are not freed one by one: a shader clears its arenas and keeps their memory.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut, Range};

pub use strings::{Str, StringTable};

/// A typed dense index.
pub trait Id: Copy + Eq + fmt::Debug {
    /// The id of the `index`-th entity.
    fn from_index(index: usize) -> Self;
    /// The position of the entity in its arena.
    fn index(self) -> usize;
}

/// Stores an index as index + 1, which leaves 0 for `Option`'s `None`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawId(NonZeroU32);

impl RawId {
    /// Packs `index`, which must be below 2^32 - 1.
    #[inline(always)]
    pub fn new(index: usize) -> RawId {
        debug_assert!(index < u32::MAX as usize, "fewer than 2^32 - 1 entities");
        RawId(NonZeroU32::MIN.saturating_add(index as u32))
    }

    /// The packed index.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Declares a typed id that prints as `prefix` and its index.
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($crate::entity::RawId);

        impl $crate::entity::Id for $name {
            fn from_index(index: usize) -> Self {
                $name($crate::entity::RawId::new(index))
            }
            fn index(self) -> usize {
                self.0.index()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), $crate::entity::Id::index(*self))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self, f)
            }
        }
    };
}
pub(crate) use entity;

mod strings;

/// A dense vector of entities, indexed by their id.
#[derive(Clone)]
pub struct Arena<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Id, V> Arena<K, V> {
    /// An arena without entities.
    pub const fn new() -> Self {
        Arena { items: Vec::new(), key: PhantomData }
    }

    /// Adds an entity and returns its id.
    pub fn push(&mut self, value: V) -> K {
        self.items.push(value);
        K::from_index(self.items.len() - 1)
    }

    /// The id that the next [`push`](Arena::push) returns.
    pub fn next_id(&self) -> K {
        K::from_index(self.items.len())
    }

    /// The number of entities.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there is no entity.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entity, or `None` for an id of another arena.
    pub fn get(&self, id: K) -> Option<&V> {
        self.items.get(id.index())
    }

    /// The entity at a position, or `None` beyond the last.
    #[inline(always)]
    pub fn at(&self, index: usize) -> Option<&V> {
        self.items.get(index)
    }

    /// The entity at a position, to change; `None` beyond the last.
    #[inline(always)]
    pub fn at_mut(&mut self, index: usize) -> Option<&mut V> {
        self.items.get_mut(index)
    }

    /// Reserves memory for `additional` more entities.
    pub fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional);
    }

    /// Changes the number of entities to `len`; new ones are `value`.
    pub fn resize(&mut self, len: usize, value: V)
    where
        V: Clone,
    {
        self.items.resize(len, value);
    }

    /// Forgets all entities but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        (0..self.items.len()).map(K::from_index)
    }

    /// All entities with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, value)| (K::from_index(index), value))
    }

    /// All entities, in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }

    /// All entities, in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }

    /// Forgets all entities, but keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Removes all entities and returns them, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = V> + '_ {
        self.items.drain(..)
    }
}

impl<K: Id, V> Default for Arena<K, V> {
    fn default() -> Self {
        Arena::new()
    }
}

impl<K: Id, V> Index<K> for Arena<K, V> {
    type Output = V;
    fn index(&self, id: K) -> &V {
        &self.items[id.index()]
    }
}

impl<K: Id, V> IndexMut<K> for Arena<K, V> {
    fn index_mut(&mut self, id: K) -> &mut V {
        &mut self.items[id.index()]
    }
}

impl<K, V: fmt::Debug> fmt::Debug for Arena<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

/// Information about the entities of an arena, stored separately; an entity without an entry has the default.
#[derive(Clone, Debug)]
pub struct SideTable<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Id, V: Clone> SideTable<K, V> {
    /// A table in which every entity has `default`.
    pub fn new(default: V) -> Self {
        SideTable { items: Vec::new(), default, key: PhantomData }
    }

    /// A table with room for `len` entities, each with `default`.
    pub fn with_len(default: V, len: usize) -> Self {
        SideTable { items: vec![default.clone(); len], default, key: PhantomData }
    }

    /// Sets the entry of `id`.
    pub fn set(&mut self, id: K, value: V) {
        *self.entry(id) = value;
    }

    /// The entry of `id`, created from the default if there was none.
    #[inline]
    pub fn entry(&mut self, id: K) -> &mut V {
        let at = id.index();
        if at >= self.items.len() {
            return self.new_entry(at);
        }
        &mut self.items[at]
    }

    #[inline(never)]
    fn new_entry(&mut self, at: usize) -> &mut V {
        self.items.resize(at + 1, self.default.clone());
        &mut self.items[at]
    }

    /// Resets all entries to the default, but keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Resets all entries to the default, and frees a table of more than `most` entities.
    pub fn clear_to(&mut self, most: usize) {
        self.items.clear();
        if self.items.capacity() > most {
            self.items = Vec::new();
        }
    }

    /// True if no entry was set, so that every entity has the default.
    pub fn is_clear(&self) -> bool {
        self.items.is_empty()
    }

    /// Gives the default to every entity, with room for `len` entities.
    pub fn reset(&mut self, len: usize) {
        self.items.clear();
        // Loops with few different lengths are predictable.
        self.items.resize(len.next_multiple_of(8), self.default.clone());
    }
}

impl<K: Id, V: Clone> Index<K> for SideTable<K, V> {
    type Output = V;
    fn index(&self, id: K) -> &V {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

/// A run of values in a [`Pool`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    start: u32,
    len: u32,
}

impl Slice {
    /// The number of values of the run.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// True if the run has no values.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The run with one more value, for the last run of a pool of `end` values, or for an empty one.
    pub(crate) fn longer(self, end: usize) -> Option<Slice> {
        let start = if self.is_empty() { end as u32 } else { self.start };
        ((start + self.len) as usize == end).then_some(Slice { start, len: self.len + 1 })
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// One vector that holds the variable-length parts of many entities.
#[derive(Clone, Debug)]
pub struct Pool<T> {
    items: Vec<T>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { items: Vec::new() }
    }
}

impl<T: Copy> Pool<T> {
    /// Reserves memory for `additional` more values.
    pub fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional);
    }

    /// Copies `values` into the pool.
    pub fn push(&mut self, values: &[T]) -> Slice {
        let start = self.items.len() as u32;
        self.items.extend_from_slice(values);
        Slice { start, len: values.len() as u32 }
    }

    /// Adds a value to the run that a caller builds, see [`since`](Pool::since).
    #[inline(always)]
    pub fn add(&mut self, value: T) {
        self.items.push(value);
    }

    /// Collects `values` into the pool.
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) -> Slice {
        let start = self.items.len();
        self.items.extend(values);
        Slice { start: start as u32, len: (self.items.len() - start) as u32 }
    }

    /// All values from the `start`-th on.
    pub fn since(&self, start: usize) -> Slice {
        Slice { start: start as u32, len: (self.items.len() - start) as u32 }
    }

    /// The values of all runs, including unused ones.
    pub fn values(&self) -> &[T] {
        &self.items
    }

    /// The values of all runs, to change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Forgets all runs, but keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

impl<T> Index<Slice> for Pool<T> {
    type Output = [T];
    fn index(&self, slice: Slice) -> &[T] {
        &self.items[slice.range()]
    }
}

impl<T> IndexMut<Slice> for Pool<T> {
    fn index_mut(&mut self, slice: Slice) -> &mut [T] {
        &mut self.items[slice.range()]
    }
}

/// The map from the numbers of values or blocks in an input (`%5`, `b3`) to ids.
///
/// Numbers are small and mostly dense, but an input may use any: a table covers those near the numbers seen so far, a map the
/// rest, so memory is proportional to their count.
#[derive(Clone, Debug)]
pub struct Numbering<K> {
    near: Vec<Option<K>>,
    far: rustc_hash::FxHashMap<u32, K>,
    count: usize,
}

impl<K: Copy> Numbering<K> {
    /// A numbering without numbers.
    pub fn new() -> Numbering<K> {
        Numbering { near: Vec::new(), far: rustc_hash::FxHashMap::default(), count: 0 }
    }

    /// The id of `number`.
    #[inline]
    pub fn get(&self, number: u32) -> Option<K> {
        match self.near.get(number as usize) {
            Some(Some(id)) => Some(*id),
            _ => self.get_far(number),
        }
    }

    /// The id of a number that is not in the table.
    #[cold]
    #[inline(never)]
    fn get_far(&self, number: u32) -> Option<K> {
        self.far.get(&number).copied()
    }

    /// Defines `number`; false if it is defined already.
    #[inline(always)]
    pub fn define(&mut self, number: u32, id: K) -> bool {
        match self.near.get_mut(number as usize) {
            Some(slot @ None) if self.far.is_empty() => {
                *slot = Some(id);
                self.count += 1;
                true
            }
            _ => self.define_outside(number, id),
        }
    }

    /// Defines a number that may be outside of the table.
    #[cold]
    fn define_outside(&mut self, number: u32, id: K) -> bool {
        if self.get(number).is_some() {
            return false;
        }
        self.count += 1;
        let at = number as usize;
        let most = 1024 + 4 * self.count;
        if at < self.near.len().max(most) {
            if at >= self.near.len() {
                // It grows by more than one element, because numbers usually count up.
                self.near.resize((2 * at).clamp(64, most).max(at + 1), None);
            }
            self.near[at] = Some(id);
        } else {
            self.far.insert(number, id);
        }
        true
    }

    /// Forgets all numbers, but keeps the memory.
    pub fn clear(&mut self) {
        self.near.clear();
        self.far.clear();
        self.count = 0;
    }
}

impl<K: Copy> Default for Numbering<K> {
    fn default() -> Self {
        Numbering::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distant_numbers_use_no_more_memory() {
        let mut numbering = Numbering::new();
        for i in 0..1000u32 {
            assert!(numbering.define(i * 4_000_000, i) && !numbering.define(i * 4_000_000, i));
        }
        assert!((0..1000).all(|i| numbering.get(i * 4_000_000) == Some(i)));
        assert!(numbering.near.len() < 10_000, "{}", numbering.near.len());
        // The table may grow over numbers that are in the map.
        assert!((1..6000).all(|i| numbering.define(i, i) && numbering.get(i) == Some(i)));
        assert_eq!(numbering.get(4_000_000), Some(1));
    }
}
