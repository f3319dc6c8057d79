// SPDX-License-Identifier: MIT

//! The cost of dynamic offsets into buffers, for ntv and zink's C translator: the shaders of the corpus with such offsets, the
//! modules of both translators, and the counts of these.
//!
//! The report `offsets` and the test of that name use this module, so they have the same numbers.

mod cost;
mod memory;
mod pairs;

pub use cost::{Cost, Measure};
pub use memory::{dynamic, MemoryKind};
pub use pairs::{Corpus, Level, Pair};

use anyhow::{Context, Result};
use ntv::{EmitOptions, Feature, Options, Target, Translator};

/// The most common driver, and the other features of the device of the corpus, without which C's modules would not be valid.
pub fn device() -> Target {
    let mut target = Target::default();
    target.set(Feature::uniformBufferStandardLayout, true);
    target.uniform_ranges_in_vec4s = true;
    target
}

/// A shader that both translated.
pub struct Compared<'a> {
    /// The shader.
    pub pair: &'a Pair,
    /// The counts of ntv's module.
    pub ours: Cost,
}

/// Translates each shader for `target` and counts.
pub fn compare<'a>(corpus: &'a Corpus, target: &Target) -> Result<Vec<Compared<'a>>> {
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let mut compare = |pair: &'a Pair| -> Result<Compared<'a>> {
        let module = translator.translate(&mut pair.shader.clone(), &EmitOptions::default())?;
        Ok(Compared { pair, ours: Cost::of(&module.words)? })
    };
    corpus.pairs.iter().map(|pair| compare(pair).with_context(|| pair.name())).collect()
}

impl Compared<'_> {
    /// The counts of `measure`, ntv's first.
    pub fn both(&self, measure: Measure) -> [usize; 2] {
        [self.ours.get(measure), self.pair.theirs.get(measure)]
    }

    /// Whether ntv has a higher count.
    pub fn is_worse(&self, measure: Measure) -> bool {
        let [ours, theirs] = self.both(measure);
        ours > theirs
    }
}

/// The total counts of all `rows`, ntv's first.
pub fn totals<'a, 'b: 'a>(rows: impl IntoIterator<Item = &'a Compared<'b>> + Clone) -> [Cost; 2] {
    [rows.clone().into_iter().map(|row| row.ours).sum(), rows.into_iter().map(|row| row.pair.theirs).sum()]
}

/// The ratio of ntv's count to C's; infinite if only ntv's is not 0, 1 if both are 0.
pub fn ratio([ours, theirs]: [usize; 2]) -> f64 {
    if ours == theirs {
        1.0
    } else {
        ours as f64 / theirs as f64
    }
}
