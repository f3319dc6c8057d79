// SPDX-License-Identifier: MIT

//! The cost of dynamic offsets into buffers: over the larger corpus, no shader costs more than the module of zink's C translator,
//! and shaders that read uniform blocks at dynamic offsets cost much less.
//!
//! `cargo xtask bench --offsets` writes the same numbers. The corpus is too large for the repository; the test prints if it is
//! missing.

// The output must show what was not checked.
#![allow(clippy::print_stdout)]

#[path = "../../tests/support/mod.rs"]
mod support;

use ntv_benches::offsets::{compare, device, ratio, totals, Compared, Corpus, Level, Measure, MemoryKind};
use std::fmt::Write as _;

/// The counts that must not be higher in any shader of which both translators had the same NIR: zink optimises the NIR of the
/// Gallium driver before its own translator gets it. The words are not one of these counts: most words of a small shader are
/// declarations.
const NEVER_MORE: [Measure; 3] = [Measure::Chains, Measure::Loads, Measure::Integers];

/// The limits for all shaders with dynamic offsets into uniform blocks together, as a fraction of C's counts. A vec4 whose index would
/// need a mask is loaded in four parts, as in C.
const UNIFORM: [(Measure, [usize; 2]); 2] = [(Measure::Loads, [3, 5]), (Measure::Integers, [2, 3])];

/// The number of reported shaders.
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

/// The number of shaders with more of `measure` than C's modules, and the worst of them.
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

/// The totals over the shaders with dynamic offsets into uniform blocks that are too high.
fn uniform(rows: &[Compared<'_>]) -> String {
    let [ours, theirs] = totals(rows.iter().filter(|row| row.pair.memory.contains(&MemoryKind::Uniform)));
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
