// SPDX-License-Identifier: MIT

//! Random sequences of calls: a context that records only changes has the same results as one that records everything.
//!
//! Sequences are numbered. Every failure prints the number and the calls, without those that have no effect on it. `NTV_SEED=N`
//! plays only sequence N, `NTV_SEEDS=N` plays the first N.

#![allow(clippy::print_stdout, reason = "tests print their results")]

mod bound;
mod call;
mod compare;
mod computed;
mod generate;
mod play;
mod recorded;
mod scene;
#[path = "../support/shaders.rs"]
mod shaders;
#[path = "../support/mod.rs"]
mod support;
mod tables;

use call::Call;
use std::time::Instant;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The sequences to play: those of the variables, or the first `count`.
fn seeds(count: u64) -> std::ops::Range<u64> {
    match number("NTV_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("NTV_SEEDS").unwrap_or(count),
    }
}

/// Removes the calls that have no effect on the failure; returns the others, and the last problem of `fails`.
fn shrink(mut calls: Vec<Call>, problem: &str, fails: impl Fn(&[Call]) -> Option<String>) -> (Vec<Call>, String) {
    let mut last = fails(&calls).unwrap_or_else(|| format!("{problem} (it does not fail again)"));
    for at in (0..calls.len()).rev() {
        let mut fewer = calls.clone();
        fewer.remove(at);
        if let Some(found) = fails(&fewer) {
            (calls, last) = (fewer, found);
        }
    }
    (calls, last)
}

/// One call per line.
fn show(calls: &[Call]) -> String {
    calls.iter().map(|call| format!("    {call:?}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn pixels_and_buffers_are_the_same_in_all_ways() {
    let (start, seeds) = (Instant::now(), seeds(200));
    computed::compare_all(seeds.clone());
    println!("{} sequences in {:.1} s", seeds.end - seeds.start, start.elapsed().as_secs_f32());
}

#[test]
fn recording_changes_is_enough() {
    let start = Instant::now();
    // `cargo xtask nightly` plays 100,000.
    let seeds = seeds(10_000);
    let (count, threads) =
        (seeds.end - seeds.start, std::thread::available_parallelism().map_or(1, usize::from) as u64);
    let (first, share) = (seeds.start, count.div_ceil(threads));
    let done: Vec<recorded::Statistics> = std::thread::scope(|scope| {
        let part = |thread: u64| {
            let start = first + thread * share;
            start.min(seeds.end)..(start + share).min(seeds.end)
        };
        let workers: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || recorded::compare_all(part(thread)))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut all = recorded::Statistics::default();
    done.iter().for_each(|part| all += part);
    println!("{count} sequences in {:.1} s: {all:?}", start.elapsed().as_secs_f32());
    if number("NTV_SEED").is_none() {
        assert!(all.drawn > count, "the generator creates too few valid draws");
    }
}
