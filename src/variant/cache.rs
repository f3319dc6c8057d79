//! The cache: what a driver made of the words of a variant, by shader and key, and by the words themselves.

use super::Shader;
use crate::error::Error;
use crate::module::Key;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// What a cache did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Times that what was wanted was there.
    pub hits: u64,
    /// Variants whose words were written.
    pub instantiated: u64,
    /// Words that were written for them.
    pub words_copied: u64,
    /// Words of SPIR-V that were parsed: always 0.
    pub words_parsed: u64,
    /// Modules that the driver made: of words that it had no module of.
    pub modules_made: u64,
    /// Modules that were thrown out.
    pub evicted: u64,
}

/// No entry.
const NONE: u32 = u32::MAX;

/// A module, and its neighbours in the order of use.
#[derive(Debug)]
struct Entry<M> {
    made: M,
    words: Box<[u32]>,
    hash: u64,
    /// All that lead here.
    names: Vec<(u64, Key)>,
    /// Used just after it, and just before.
    newer: u32,
    older: u32,
}

/// Keeps a module `M` (say, a `VkShaderModule`) for each variant. One of equal words serves all. The words of all modules together have a
/// bound; beyond it, what was not used for longest goes first.
#[derive(Debug)]
pub struct Cache<M> {
    /// The most words that may be kept.
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
    counters: Counters,
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
            counters: Counters::default(),
        }
    }

    /// What it did so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Words that it keeps now.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Modules that it keeps now.
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Whether it keeps none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Modules that were thrown out since the last call, for the driver to destroy when the device is done with them.
    pub fn take_evicted(&mut self) -> Vec<M> {
        std::mem::take(&mut self.evicted)
    }

    /// The module of `shader` for `key`, which [`Program::keys`](super::Program::keys) gave. `make` makes it of its words. An error
    /// is that of `make`, or says that the shader cannot take the key.
    pub fn get<E: From<Error>>(
        &mut self,
        shader: &Shader,
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

    /// Forgets all modules of a shader that goes away, but for those whose words others share.
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
        shader: &Shader,
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

    /// Throws out what was not used for longest until the rest fits, but never `keep`.
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

    /// Makes an entry that is in no order the newest.
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

    /// Takes an entry out of the order.
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
