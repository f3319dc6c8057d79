//! Transitions: from the current pipeline, by what changed, to the next.
//!
//! An application that draws frame after frame changes the same state in the same places. So what came after a pipeline for these
//! words the last time is what comes after it now:
//!
//! ```text
//! (pipeline 3, { Blend: 2 -> 5 })  ->  pipeline 8
//! ```
//!
//! The table is open addressed with a bound: a full neighbourhood loses an old row. A wrong guess is not possible, since the
//! words of what is found are compared. It keeps no pipeline from going away.

use super::desc::{PipelineDesc, Word};
use super::table::Pipeline;
use crate::state::BitSet;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// What a table of transitions did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransitionCounters {
    /// Times that a transition was known.
    pub hits: u64,
    /// Times that it was not.
    pub misses: u64,
}

struct Row {
    from: u64,
    to: Weak<Pipeline>,
}

/// Rows of the table; a power of 2.
const ROWS: usize = 1024;

/// Rows that are looked at.
const PROBES: usize = 4;

/// The table of a context.
pub(crate) struct Transitions {
    rows: Vec<Option<Row>>,
    pub(crate) counters: TransitionCounters,
}

impl Default for Transitions {
    fn default() -> Transitions {
        Transitions { rows: (0..ROWS).map(|_| None).collect(), counters: TransitionCounters::default() }
    }
}

impl Transitions {
    /// What comes after `from` where `changed` of its words become those of `to`.
    pub(crate) fn get(&mut self, from: &Pipeline, changed: BitSet<Word>, to: &PipelineDesc) -> Option<Arc<Pipeline>> {
        let first = place(from.id, changed, to);
        let found = (0..PROBES).find_map(|probe| {
            let row = self.rows[(first + probe) % ROWS].as_ref().filter(|row| row.from == from.id)?;
            row.to.upgrade().filter(|pipeline| pipeline.desc == *to)
        });
        let count = if found.is_some() { &mut self.counters.hits } else { &mut self.counters.misses };
        *count += 1;
        found
    }

    /// Remembers that `to` comes after `from`.
    pub(crate) fn add(&mut self, from: &Pipeline, changed: BitSet<Word>, to: &Arc<Pipeline>) {
        let first = place(from.id, changed, &to.desc);
        let is_free = |at: &usize| self.rows[*at].as_ref().is_none_or(|row| row.to.strong_count() == 0);
        let free = (0..PROBES).map(|probe| (first + probe) % ROWS).find(is_free);
        // Where all are taken the first goes: the next time it is the last that came.
        self.rows[free.unwrap_or(first)] = Some(Row { from: from.id, to: Arc::downgrade(to) });
    }
}

fn place(from: u64, changed: BitSet<Word>, to: &PipelineDesc) -> usize {
    let mut hasher = FxHasher::default();
    from.hash(&mut hasher);
    for word in changed.iter() {
        (word as u32, to.get(word)).hash(&mut hasher);
    }
    let hash = hasher.finish();
    (hash ^ hash >> 32) as usize % ROWS
}
