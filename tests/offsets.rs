//! What dynamic offsets into buffers cost: over the corpus beside the repository, no shader costs more than what zink's C
//! translator made of it, and those that read uniform blocks so cost much less.
//!
//! `cargo xtask bench --offsets` writes the same numbers down. The corpus is too big for the repository; where it is absent, this
//! says so.

// What was not checked has to be visible.
#![allow(clippy::print_stdout)]

mod support;

use ntv_benches::offsets::{compare, device, ratio, totals, Compared, Corpus, Level, Measure, Memory};
use std::fmt::Write as _;

/// What must not be more in any shader of which both were given the same NIR: what the Gallium driver receives is optimised by
/// zink before its own translator sees it. The words are not among it: declarations are most of those of a small shader.
const NEVER_MORE: [Measure; 3] = [Measure::Chains, Measure::Loads, Measure::Integers];

/// What all shaders with dynamic offsets into uniform blocks may have together, as part of what C's modules have.
const UNIFORM: [(Measure, [usize; 2]); 2] = [(Measure::Loads, [1, 2]), (Measure::Integers, [2, 3])];

/// So many of the worst shaders are named.
const WORST: usize = 10;

#[test]
fn dynamic_offsets_cost_less_than_in_c() {
    let Some(folder) = support::shared_corpus() else { return };
    let corpus = Corpus::read(&folder).expect("a corpus");
    let rows = compare(&corpus, &device()).expect("shaders that translate");
    let Corpus { alone, ambiguous, .. } = corpus;
    println!("{} shaders checked; {alone} have no module of C, {ambiguous} have several", rows.len());
    assert!(rows.len() > 100, "only {} shaders of {} have a module of C", rows.len(), folder.display());
    let failures: String = NEVER_MORE.map(|measure| worse(&rows, measure)).concat() + &uniform(&rows);
    assert!(failures.is_empty(), "ntv / C\n{failures}");
}

/// How many shaders have more of `measure` than C's modules, and the worst of them.
fn worse(rows: &[Compared<'_>], measure: Measure) -> String {
    let same_nir = rows.iter().filter(|row| row.pair.level != Level::Gallium);
    let mut worse: Vec<&Compared<'_>> = same_nir.filter(|row| row.is_worse(measure)).collect();
    worse.sort_by(|a, b| ratio(b.both(measure)).total_cmp(&ratio(a.both(measure))));
    let mut out = String::new();
    if !worse.is_empty() {
        writeln!(out, "{} of {} shaders have more {}:", worse.len(), rows.len(), measure.name()).expect("a string");
    }
    for row in worse.into_iter().take(WORST) {
        let counts = NEVER_MORE.map(|measure| {
            let [ours, theirs] = row.both(measure);
            format!("{} {ours} / {theirs}", measure.name())
        });
        writeln!(out, "    {}: {}", row.pair.name(), counts.join(", ")).expect("a string");
    }
    out
}

/// Which totals over the shaders with dynamic offsets into uniform blocks are too high.
fn uniform(rows: &[Compared<'_>]) -> String {
    let [ours, theirs] = totals(rows.iter().filter(|row| row.pair.memory.contains(&Memory::Uniform)));
    let mut out = String::new();
    for (measure, [part, whole]) in UNIFORM {
        let both = [ours, theirs].map(|cost| cost.get(measure));
        if both[0] * whole > both[1] * part {
            let (name, now) = (measure.name(), ratio(both));
            let [ours, theirs] = both;
            writeln!(
                out,
                "with dynamic offsets into uniform blocks: {name} {ours} / {theirs} = {now:.2}, wanted {part}/{whole}"
            )
            .expect("a string");
        }
    }
    out
}
