//! What dynamic offsets into buffers cost, ntv beside zink's C translator: the shaders of the corpus that have some, what both
//! translators make of them, and what of it counts.
//!
//! The report `offsets` and the test of that name ask here, so they speak of the same numbers.

mod cost;
mod memory;
mod pairs;

pub use cost::{Cost, Measure};
pub use memory::{dynamic, Memory};
pub use pairs::{Corpus, Level, Pair};

use anyhow::{Context, Result};
use ntv::{EmitOptions, Feature, Options, Target, Translator};

/// The most common driver, and what the device under the corpus has besides, without which C's modules would not be valid there.
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
    /// What ntv's module spends.
    pub ours: Cost,
}

/// What ntv makes of each shader for `target`.
pub fn compare<'a>(corpus: &'a Corpus, target: &Target) -> Result<Vec<Compared<'a>>> {
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let mut compare = |pair: &'a Pair| -> Result<Compared<'a>> {
        let module = translator.translate(&mut pair.shader.clone(), &EmitOptions::default())?;
        Ok(Compared { pair, ours: Cost::of(&module.words)? })
    };
    corpus.pairs.iter().map(|pair| compare(pair).with_context(|| pair.name())).collect()
}

impl Compared<'_> {
    /// What either spends of `measure`, ours first.
    pub fn both(&self, measure: Measure) -> [usize; 2] {
        [self.ours.get(measure), self.pair.theirs.get(measure)]
    }

    /// Whether ntv spends more.
    pub fn is_worse(&self, measure: Measure) -> bool {
        let [ours, theirs] = self.both(measure);
        ours > theirs
    }
}

/// What either spends on all of `rows`, ours first.
pub fn totals<'a, 'b: 'a>(rows: impl IntoIterator<Item = &'a Compared<'b>> + Clone) -> [Cost; 2] {
    [rows.clone().into_iter().map(|row| row.ours).sum(), rows.into_iter().map(|row| row.pair.theirs).sum()]
}

/// Ours by theirs; infinite if only ours is something, 1 if neither is.
pub fn ratio([ours, theirs]: [usize; 2]) -> f64 {
    if ours == theirs {
        1.0
    } else {
        ours as f64 / theirs as f64
    }
}
