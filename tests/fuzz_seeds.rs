// SPDX-License-Identifier: MIT

//! Runs the fuzz targets without a fuzzer: on the seed corpus, and on mutations of it.
//!
//! `NTV_FUZZ_SECONDS=n` sets the time of each target. A failing case is written to a file, which the target can run with `cargo
//! fuzz run`.

// The test must print its work, so that it can be repeated.
#![allow(clippy::print_stdout)]

#[path = "support/mutation.rs"]
mod mutation;
mod support;
#[path = "../fuzz/src/targets.rs"]
mod targets;

use mutation::{dumps, mutate, Random};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The default time of each target in seconds.
const SECONDS: u64 = 5;
/// The most cases of a target without `NTV_FUZZ_SECONDS`: the same on every machine that is fast enough.
const CASES: u64 = 1536;

/// The number of cases between checks of the time.
const BATCH: u64 = 64;

#[test]
fn targets_hold_on_the_seeds() {
    let (dumps, mut random) = (dumps(), Random(0));
    for (name, target) in targets::TARGETS {
        let mut failures = Failures::new();
        let inputs: Vec<Vec<u8>> = dumps.iter().map(|dump| input(name, &mut random, dump)).collect();
        let count = inputs.iter().filter(|input| !input.is_empty()).count();
        assert!(count > 150, "only {count} seeds for {name}");
        run(*target, inputs, &mut failures);
        judge(name, &failures);
    }
}

#[test]
fn targets_hold_on_mutated_seeds() {
    let dumps = dumps();
    let asked: Option<u64> = std::env::var("NTV_FUZZ_SECONDS").ok().map(|text| text.parse().expect("a number"));
    let (seconds, most) = asked.map_or((SECONDS, CASES), |seconds| (seconds, u64::MAX));
    for (name, target) in targets::TARGETS {
        let end = Instant::now() + Duration::from_secs(seconds);
        let (mut cases, mut failures) = (0, Failures::new());
        while cases == 0 || cases < most && Instant::now() < end && failures.len() < 20 {
            let case = |number| {
                let random = &mut Random(number);
                if matches!(*name, "wire" | "spirv" | "module") {
                    let dump = random.of::<String>(&dumps).clone();
                    let mut bytes = input(name, random, &dump);
                    mutate_words(random, &mut bytes);
                    return bytes;
                }
                let dump = mutate(random, &dumps);
                input(name, random, &dump)
            };
            run(*target, (cases..cases + BATCH).map(case).collect(), &mut failures);
            cases += BATCH;
        }
        println!("{name}: {cases} cases");
        judge(name, &failures);
    }
}

/// The input of a target for `dump`.
fn input(target: &str, random: &mut Random, dump: &str) -> Vec<u8> {
    match target {
        "passes" => [&[random.below(256) as u8], dump.as_bytes()].concat(),
        "wire" => wire(dump),
        "spirv" => spirv(dump),
        "module" => module(dump).map_or_else(Vec::new, |module| support::bytes(&module.to_words())),
        "shader" => (0..4096).map(|_| random.below(256) as u8).collect(),
        _ => dump.as_bytes().to_vec(),
    }
}

/// The first shader of `dump` as a wire.
fn wire(dump: &str) -> Vec<u8> {
    let shader = ntv::text::find(dump).find_map(|found| found.shader.ok());
    let shader = shader.filter(|shader| ntv::check::validate(shader).is_ok());
    shader.map_or_else(Vec::new, |shader| ntv::wire::to_bytes(&ntv::wire::encode(&shader)))
}

/// The first shader of `dump` as SPIR-V, with names.
fn spirv(dump: &str) -> Vec<u8> {
    let options = ntv::EmitOptions::default().names(true);
    translated(dump, &options).map_or_else(Vec::new, |module| support::bytes(&module.words))
}

/// The first shader of `dump` as a module with all late options.
fn module(dump: &str) -> Option<ntv::Module> {
    translated(dump, &ntv::EmitOptions::default().names(true).offer(u64::MAX).linkable(true))
}

fn translated(dump: &str, options: &ntv::EmitOptions<'_>) -> Option<ntv::Module> {
    let mut shader = ntv::text::find(dump).find_map(|found| found.shader.ok())?;
    ntv::Translator::default().translate(&mut shader, options).ok()
}

/// The target of stored modules would refuse all mutated ones if its hash differed from that of the library.
#[test]
fn stored_modules_have_the_hash_of_the_target() {
    let stored = dumps().iter().find_map(|dump| module(dump)).expect("a module").to_words();
    let mut words = stored.clone();
    words[..4].fill(0);
    targets::correct_hash(&mut words);
    assert_eq!(words, stored);
}

/// Changes some words of a wire or module: flips a bit, sets all bits, copies another word, removes the end, or appends a copy of
/// the beginning.
fn mutate_words(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let words = bytes.len() / 4;
        if words > 0 {
            let (at, other) = (4 * random.below(words), 4 * random.below(words));
            match random.below(16) {
                14 => bytes.truncate(at),
                15 => bytes.extend_from_within(..at),
                0..=3 => bytes[at + random.below(4)] ^= 1 << random.below(8),
                4..=6 => bytes[at..at + 4].fill(0xff),
                7..=9 => bytes[at] = bytes[at].wrapping_add(1),
                _ => bytes.copy_within(other..other + 4, at),
            }
        }
    }
}

/// Failing cases, one for each message.
type Failures = BTreeMap<String, Vec<u8>>;

/// Runs `target` on all `inputs`.
fn run(target: fn(&[u8]), inputs: Vec<Vec<u8>>, failures: &mut Failures) {
    let found = support::in_parallel(inputs, |bytes| {
        let problem = support::caught(|| {
            target(&bytes);
            Ok(())
        });
        Some((problem.err()?, bytes))
    });
    failures.extend(found.into_iter().flatten());
}

/// Writes the failing cases to files, and fails if there are any.
fn judge(name: &str, failures: &Failures) {
    let mut report = String::new();
    for (number, (problem, bytes)) in failures.iter().enumerate() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}-{number}"));
        fs::write(&file, bytes).expect("a file");
        report += &format!("{}: {problem}\n", file.display());
    }
    assert!(failures.is_empty(), "{name} fails\n{report}");
}
