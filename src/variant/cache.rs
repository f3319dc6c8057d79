// SPDX-License-Identifier: MIT

//! A cache of the driver's modules: by shader and key, and by their words.

use super::NumberedModule;
use crate::error::Error;
use crate::module::Key;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Statistics of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    /// The number of lookups that found a module.
    pub hits: u64,
    /// The number of variants whose words were written.
    pub instantiated: u64,
    /// The number of words written for them.
    pub words_copied: u64,
    /// The number of modules that the driver made, for words without a module.
    pub modules_made: u64,
    /// The number of evicted modules.
    pub evicted: u64,
}

/// No entry.
const NONE: u32 = u32::MAX;

/// A module, and its neighbours in the order of last use.
#[derive(Debug)]
struct Entry<M> {
    made: M,
    words: Box<[u32]>,
    hash: u64,
    /// All names of this entry.
    names: Vec<(u64, Key)>,
    /// The entries used just after it and just before it.
    newer: u32,
    older: u32,
}

/// Keeps a module `M` (for example, a `VkShaderModule`) for each variant. Variants with equal words share one. The number of words
/// of all modules has a bound; beyond it, the least recently used module is evicted first.
#[derive(Debug)]
pub struct Cache<M> {
    /// The most words that the cache keeps.
    bound: usize,
    words: usize,
    entries: Vec<Option<Entry<M>>>,
    free: Vec<u32>,
    by_name: FxHashMap<(u64, Key), u32>,
    by_hash: FxHashMap<u64, Vec<u32>>,
    newest: u32,
    oldest: u32,
    evicted: Vec<M>,
    scratch: Vec<u32>,
    counters: CacheCounters,
}

impl<M> Cache<M> {
    /// A cache that keeps at most `bound` words. The newest module stays even if it alone is longer.
    pub fn new(bound: usize) -> Cache<M> {
        Cache {
            bound,
            words: 0,
            entries: Vec::new(),
            free: Vec::new(),
            by_name: FxHashMap::default(),
            by_hash: FxHashMap::default(),
            newest: NONE,
            oldest: NONE,
            evicted: Vec::new(),
            scratch: Vec::new(),
            counters: CacheCounters::default(),
        }
    }

    /// The statistics so far.
    pub fn counters(&self) -> CacheCounters {
        self.counters
    }

    /// The number of words in the cache.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of modules in the cache.
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The modules that were evicted since the last call. The driver destroys them when the device has finished with them.
    pub fn take_evicted(&mut self) -> Vec<M> {
        std::mem::take(&mut self.evicted)
    }

    /// The module of `shader` for `key`, which comes from [`Program::keys`](super::Program::keys). `make` creates it from its
    /// words. The error is that of `make`, or the shader cannot take the key.
    pub fn get<E: From<Error>>(
        &mut self,
        shader: &NumberedModule,
        key: &Key,
        make: impl FnOnce(&[u32]) -> Result<M, E>,
    ) -> Result<&M, E> {
        let name = (shader.id, *key);
        let index = match self.by_name.get(&name) {
            Some(index) => {
                self.counters.hits += 1;
                *index
            }
            None => self.add(name, shader, make)?,
        };
        self.unlink(index);
        self.link(index);
        self.trim(index);
        match &self.entries[index as usize] {
            Some(entry) => Ok(&entry.made),
            None => unreachable!("names lead to entries"),
        }
    }

    /// Forgets all modules of a deleted shader, except those whose words other shaders share.
    pub fn remove(&mut self, shader: u64) {
        for index in 0..self.entries.len() {
            let Some(entry) = &mut self.entries[index] else { continue };
            entry.names.retain(|name| name.0 != shader);
            if entry.names.is_empty() {
                self.evict(index as u32);
            }
        }
        self.by_name.retain(|name, _| name.0 != shader);
    }

    fn add<E: From<Error>>(
        &mut self,
        name: (u64, Key),
        shader: &NumberedModule,
        make: impl FnOnce(&[u32]) -> Result<M, E>,
    ) -> Result<u32, E> {
        let mut words = std::mem::take(&mut self.scratch);
        shader.module.instantiate(&name.1, &mut words)?;
        self.counters.instantiated += 1;
        self.counters.words_copied += words.len() as u64;
        let hash = hash(&words);
        let same = |index: &&u32| self.entries[**index as usize].as_ref().is_some_and(|entry| *entry.words == *words);
        let known = self.by_hash.get(&hash).and_then(|list| list.iter().find(same)).copied();
        let index = match known {
            Some(index) => Ok(index),
            None => make(&words).map(|made| self.insert(made, &words, hash)),
        };
        self.scratch = words;
        let index = index?;
        self.by_name.insert(name, index);
        if let Some(entry) = &mut self.entries[index as usize] {
            entry.names.push(name);
        }
        Ok(index)
    }

    fn insert(&mut self, made: M, words: &[u32], hash: u64) -> u32 {
        self.counters.modules_made += 1;
        self.words += words.len();
        let entry = Entry { made, words: words.into(), hash, names: Vec::new(), newer: NONE, older: NONE };
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.entries.len() as u32 - 1
        });
        self.entries[index as usize] = Some(entry);
        self.by_hash.entry(hash).or_default().push(index);
        self.link(index);
        index
    }

    /// Evicts the least recently used modules until the rest fits, but never `keep`.
    fn trim(&mut self, keep: u32) {
        while self.words > self.bound && self.oldest != keep {
            self.counters.evicted += 1;
            self.evict(self.oldest);
        }
    }

    fn evict(&mut self, index: u32) {
        self.unlink(index);
        let Some(entry) = self.entries[index as usize].take() else { return };
        self.free.push(index);
        self.words -= entry.words.len();
        for name in &entry.names {
            self.by_name.remove(name);
        }
        if let Some(list) = self.by_hash.get_mut(&entry.hash) {
            list.retain(|other| *other != index);
            if list.is_empty() {
                self.by_hash.remove(&entry.hash);
            }
        }
        self.evicted.push(entry.made);
    }

    /// Makes an entry that is not in the order the newest.
    fn link(&mut self, index: u32) {
        let before = std::mem::replace(&mut self.newest, index);
        if let Some(entry) = &mut self.entries[index as usize] {
            (entry.older, entry.newer) = (before, NONE);
        }
        match self.entries.get_mut(before as usize) {
            Some(Some(entry)) => entry.newer = index,
            _ => self.oldest = index,
        }
    }

    /// Removes an entry from the order.
    fn unlink(&mut self, index: u32) {
        let Some(Some(Entry { newer, older, .. })) = self.entries.get(index as usize) else { return };
        let (newer, older) = (*newer, *older);
        match self.entries.get_mut(newer as usize) {
            Some(Some(entry)) => entry.older = older,
            _ => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(Some(entry)) => entry.newer = newer,
            _ => self.oldest = newer,
        }
    }
}

fn hash(words: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    words.hash(&mut hasher);
    hasher.finish()
}
