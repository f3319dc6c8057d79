// SPDX-License-Identifier: MIT

//! Arenas that only `ir` changes.

use crate::entity::Arena;
use std::ops::Deref;

/// An arena of a shader that every module reads and only `ir` changes: [`Shader`](super::Shader) has a function for each change,
/// which also enters it into the [`Inventory`](super::Inventory).
#[derive(Clone, Debug)]
pub struct Tracked<K, V> {
    pub(super) arena: Arena<K, V>,
}

impl<K, V> Default for Tracked<K, V>
where
    Arena<K, V>: Default,
{
    fn default() -> Self {
        Tracked { arena: Arena::default() }
    }
}

impl<K, V> Deref for Tracked<K, V> {
    type Target = Arena<K, V>;

    fn deref(&self) -> &Arena<K, V> {
        &self.arena
    }
}
