// SPDX-License-Identifier: MIT

//! The vec4s of uniform blocks that accesses use.

use crate::analysis::offsets::Split;
use crate::ir::{ArrayIndex, Block, Def};
use rustc_hash::FxHashMap;

/// The vec4s of uniform blocks, at known positions, that are accessed. Several may have one key: one of them represents all.
#[derive(Default)]
pub(super) struct WantedVec4s {
    /// In the order of accesses.
    all: Vec<WantedVec4>,
    /// Indices of the same in the order of keys; kept to avoid allocations.
    sorted: Vec<usize>,
    /// The numbers of vec4s at dynamic positions.
    dynamic: FxHashMap<DynamicVec4Key, usize>,
}

/// A dynamic position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct DynamicVec4Key {
    pub(super) extent: usize,
    /// The block, if the variable is an array.
    pub(super) block: Option<ArrayIndex>,
    /// The number in the block.
    pub(super) number: Split,
    /// The block of the IR, if loads elsewhere imply nothing about the bytes that may be loaded here.
    pub(super) within: Option<Block>,
}

/// The position of a vec4, as one number to compare: a bit for whether it is one of pairs of lanes, index of the extent (15
/// bits), block if it is an array of them (20 bits), number in the block (28 bits). A vec4 at a dynamic position has a number
/// of its own, and the index of no extent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Vec4Key(u64);

impl Vec4Key {
    /// `None` for numbers that are too large, which are then treated as unknown.
    pub(super) fn new(extent: usize, block: u64, number: u32) -> Option<Vec4Key> {
        let fits = extent < (1 << 15) - 1 && block < 1 << 20 && number < 1 << 28;
        fits.then_some(Vec4Key((extent as u64) << 48 | block << 28 | u64::from(number)))
    }

    /// Its number in the block.
    pub(super) fn number(self) -> u32 {
        self.0 as u32 & ((1 << 28) - 1)
    }

    /// The key of the `number`-th vec4 at a dynamic position.
    fn dynamic(number: usize) -> Vec4Key {
        Vec4Key(((1 << 15) - 1) << 48 | number as u64)
    }

    /// The key of the same position in pairs of lanes.
    pub(super) fn of_pairs(self) -> Vec4Key {
        Vec4Key(self.0 | 1 << 63)
    }
}

/// A vec4 that is accessed.
pub(super) struct WantedVec4 {
    key: Vec4Key,
    /// The index of the one that represents it.
    same: usize,
    /// A bit for each lane, or pair, that is used.
    pub(super) lanes: u8,
    /// The last load of all of it: the block of the IR, the access and the value.
    pub(super) loaded: Option<(Block, u32, Def)>,
}

impl WantedVec4 {
    /// Its number in the block.
    pub(super) fn number(&self) -> u32 {
        self.key.number()
    }
}

impl WantedVec4s {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.dynamic.clear();
    }

    /// The same for a dynamic position.
    pub(super) fn add_dynamic(&mut self, key: DynamicVec4Key, lanes: u8) -> usize {
        let next = self.dynamic.len();
        let number = *self.dynamic.entry(key).or_insert(next);
        self.add(Vec4Key::dynamic(number), lanes)
    }

    /// Adds the vec4 with this key, of which these lanes are used, and returns its index.
    pub(super) fn add(&mut self, key: Vec4Key, lanes: u8) -> usize {
        match self.all.last_mut() {
            // Scalars of a vector are next to each other.
            Some(last) if last.key == key => last.lanes |= lanes,
            _ => self.all.push(WantedVec4 { key, same: self.all.len(), lanes, loaded: None }),
        }
        self.all.len() - 1
    }

    /// Makes the first of the vec4s with one key represent all of them.
    pub(super) fn unite(&mut self) {
        let WantedVec4s { all, sorted, .. } = self;
        if all.windows(2).all(|pair| pair[0].key < pair[1].key) {
            return;
        }
        sorted.clear();
        sorted.extend(0..all.len());
        sorted.sort_unstable_by_key(|at| (all[*at].key, *at));
        let mut first = sorted[0];
        for at in sorted.iter().copied().skip(1) {
            if all[at].key == all[first].key {
                all[first].lanes |= all[at].lanes;
                all[at].same = first;
            } else {
                first = at;
            }
        }
    }

    /// The vec4 that represents the one at `at`.
    pub(super) fn get_mut(&mut self, at: usize) -> &mut WantedVec4 {
        let same = self.all[at].same;
        &mut self.all[same]
    }
}
