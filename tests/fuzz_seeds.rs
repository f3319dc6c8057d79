//! The fuzz targets without a fuzzer: on the seed corpus as it is, and mutated for a while.
//!
//! `NTV_FUZZ_SECONDS=n` gives each target that long. A case that fails is left in a file, which the target takes under
//! `cargo fuzz run`.

// A test that cannot tell what it did cannot be repeated.
#![allow(clippy::print_stdout)]

#[path = "support/mutation.rs"]
mod mutation;
mod support;
#[path = "../fuzz/src/targets.rs"]
mod targets;

use mutation::{dumps, mutate, Random};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What each target gets.
const SECONDS: u64 = 5;

/// Cases between two looks at the clock.
const BATCH: u64 = 64;

#[test]
fn targets_hold_on_the_seeds() {
    let dumps = dumps();
    let choices = [0, 7, 255];
    for (name, target) in targets::TARGETS {
        let seeds = dumps.iter().flat_map(|dump| choices.map(|choice| input(name, choice, dump))).collect();
        run(name, *target, seeds);
    }
}

#[test]
fn targets_hold_on_mutated_seeds() {
    let dumps = dumps();
    let seconds = std::env::var("NTV_FUZZ_SECONDS").map_or(SECONDS, |text| text.parse().expect("a number"));
    for (name, target) in targets::TARGETS {
        let end = Instant::now() + Duration::from_secs(seconds);
        let mut cases = 0;
        while cases == 0 || Instant::now() < end {
            let case = |number| {
                let mut random = Random(number);
                let choice = random.below(256) as u8;
                input(name, choice, &mutate(&mut random, &dumps))
            };
            run(name, *target, (cases..cases + BATCH).map(case).collect());
            cases += BATCH;
        }
        println!("{name}: {cases} cases");
    }
}

/// The bytes for a target that are `dump`.
fn input(target: &str, choice: u8, dump: &str) -> Vec<u8> {
    let choice = if target == "passes" { vec![choice] } else { Vec::new() };
    [choice, dump.as_bytes().to_vec()].concat()
}

fn run(name: &str, target: fn(&[u8]), inputs: Vec<Vec<u8>>) {
    let failures = support::in_parallel(inputs, |bytes| {
        let problem = support::caught(|| {
            target(&bytes);
            Ok(())
        });
        let problem = problem.err()?;
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
        fs::write(&file, &bytes).expect("a file");
        Some(format!("{}: {problem}", file.display()))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{name}: {} cases fail\n{}", failures.len(), failures[0]);
}
