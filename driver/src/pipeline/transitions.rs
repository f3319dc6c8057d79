// SPDX-License-Identifier: MIT

//! Transitions: from the current pipeline and the changed words to the next pipeline.
//!
//! An application that draws frame after frame changes the same state at the same points. So the pipeline that followed for these
//! words the last time usually follows again:
//!
//! ```text
//! (pipeline 3, { Blend: 2 -> 5 })  ->  pipeline 8
//! ```
//!
//! The table has open addressing and a fixed size: a new row replaces an old one if all rows that it can use are taken. A wrong
//! pipeline cannot be found, since the words of the row are compared. The table does not keep pipelines alive.

use super::desc::{PipelineDesc, Word};
use super::table::Pipeline;
use crate::state::BitSet;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// The lookups in a table of transitions so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransitionCounters {
    /// The number of transitions that were found.
    pub hits: u64,
    /// The number of transitions that were not found.
    pub misses: u64,
}

struct Transition {
    from: u64,
    to: Weak<Pipeline>,
}

/// The number of rows; a power of 2.
const ROWS: usize = 1024;

/// The number of rows that a lookup checks.
const PROBES: usize = 4;

/// The table of a context.
pub(crate) struct Transitions {
    rows: Vec<Option<Transition>>,
    pub(crate) counters: TransitionCounters,
}

impl Default for Transitions {
    fn default() -> Transitions {
        Transitions { rows: (0..ROWS).map(|_| None).collect(), counters: TransitionCounters::default() }
    }
}

impl Transitions {
    /// The pipeline that follows `from` when its words `changed` become those of `to`.
    pub(crate) fn get(&mut self, from: &Pipeline, changed: BitSet<Word>, to: &PipelineDesc) -> Option<Arc<Pipeline>> {
        let first = first_row(from.id, changed, to);
        let found = (0..PROBES).find_map(|probe| {
            let row = self.rows[(first + probe) % ROWS].as_ref().filter(|row| row.from == from.id)?;
            row.to.upgrade().filter(|pipeline| pipeline.desc == *to)
        });
        let count = if found.is_some() { &mut self.counters.hits } else { &mut self.counters.misses };
        *count += 1;
        found
    }

    /// Records that `to` follows `from`.
    pub(crate) fn add(&mut self, from: &Pipeline, changed: BitSet<Word>, to: &Arc<Pipeline>) {
        let first = first_row(from.id, changed, &to.desc);
        let is_free = |at: &usize| self.rows[*at].as_ref().is_none_or(|row| row.to.strong_count() == 0);
        let free = (0..PROBES).map(|probe| (first + probe) % ROWS).find(is_free);
        // If all rows are taken, replace the first one.
        self.rows[free.unwrap_or(first)] = Some(Transition { from: from.id, to: Arc::downgrade(to) });
    }
}

fn first_row(from: u64, changed: BitSet<Word>, to: &PipelineDesc) -> usize {
    let mut hasher = FxHasher::default();
    from.hash(&mut hasher);
    for word in changed.iter() {
        (word as u32, to.get(word)).hash(&mut hasher);
    }
    let hash = hasher.finish();
    (hash ^ hash >> 32) as usize % ROWS
}
