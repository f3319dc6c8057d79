// SPDX-License-Identifier: MIT

//! Each pass keeps the meaning of real shaders, on a target with the features of most devices and on one with few.

#![allow(clippy::print_stdout)] // the output lists what is not proved

#[path = "../../tests/support/mod.rs"]
mod support;

use ntv::target::Version;
use ntv::{check, text, Feature, Options, Shader, Target};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::passes::prove_passes;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::{files, root};

/// The shaders of a file that are valid.
fn shaders(file: &Path) -> Vec<Shader> {
    let text = std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let found = text::parse(&text).into_iter().filter_map(|found| found.shader.ok());
    found.filter(|shader| check::validate(shader).is_ok()).collect()
}

/// What was found of a step.
#[derive(Default)]
struct Counts {
    proved: usize,
    undecided: usize,
    different: usize,
}

/// Proves the steps of all shaders in files of at most so many bytes; prints those that are not proved.
fn prove_all(target: &Target, most_bytes: u64) -> BTreeMap<&'static str, Counts> {
    let folders = ["tests/corpus", "examples"].map(|folder| root().join(folder));
    let is_small = |file: &PathBuf| file.metadata().is_ok_and(|data| data.len() <= most_bytes);
    let all: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder, &["nir"])).filter(is_small).collect();
    let options = Options::default().target(target.clone());
    let prove = |shader: &Shader| {
        let mut prover = Prover { trials: 4, ..Prover::default() };
        prove_passes(&mut prover, shader, &options).unwrap_or_default()
    };
    let proofs: Vec<_> = all
        .par_iter()
        .flat_map_iter(|file| {
            shaders(file).into_iter().flat_map(move |shader| prove(&shader)).map(move |it| (file, it))
        })
        .collect();
    let mut steps: BTreeMap<&str, Counts> = BTreeMap::new();
    for (file, proof) in proofs {
        let counts = steps.entry(proof.step).or_default();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match proof.verdict {
            Verdict::Proved => counts.proved += 1,
            Verdict::Undecided(it) => {
                println!("{name}: {}: {}: {:.120}", proof.step, it.place, it.reason);
                counts.undecided += 1;
            }
            Verdict::Different(it) => {
                println!("{name}: {}: different: {}: {}, not {}", proof.step, it.what, it.found, it.expected);
                counts.different += 1;
            }
        }
    }
    steps
}

/// No step is refuted, and at least `percent` of them are proved.
fn check(target: &Target, most_bytes: u64, percent: usize) {
    let steps = prove_all(target, most_bytes);
    for (step, Counts { proved, undecided, different }) in &steps {
        println!("{step}: proved {proved}, not decided {undecided}, different {different}");
    }
    let sum = |of: fn(&Counts) -> usize| steps.values().map(of).sum::<usize>();
    let (proved, undecided, different) = (sum(|it| it.proved), sum(|it| it.undecided), sum(|it| it.different));
    println!("proved {proved} of {} steps", proved + undecided + different);
    assert_eq!(different, 0);
    assert!(100 * proved >= percent * (proved + undecided), "proved {proved}, not decided {undecided}");
    assert!(steps.len() > 20, "{} steps", steps.len());
}

#[test]
fn passes_for_a_usual_target_keep_the_meaning() {
    check(&Target::default(), u64::MAX, 85);
}

#[test]
fn passes_for_a_poor_target_keep_the_meaning() {
    let mut poor = Target::new(Version(1, 0));
    Feature::ALL.iter().for_each(|feature| poor.set(*feature, false));
    check(&poor, u64::MAX, 85);
}
