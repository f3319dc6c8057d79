// SPDX-License-Identifier: MIT

//! Each pass keeps the meaning of real shaders, on a target with the features of most devices and on one with few.

#![allow(clippy::print_stdout)] // the output lists what is not proved

#[path = "../../tests/support/mod.rs"]
mod support;

use ntv::{Options, Shader, Target};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::forms;
use ntv_prove::passes::prove_passes;
use rayon::prelude::*;
use std::collections::BTreeMap;
use support::{own_dumps, valid_shaders};

/// What was found of a step.
#[derive(Default)]
struct Counts {
    proved: usize,
    undecided: usize,
    different: usize,
}

/// Proves the steps of all shaders of the repository; prints those that are not proved.
fn prove_all(target: &Target) -> BTreeMap<&'static str, Counts> {
    let all = own_dumps();
    let options = Options::default().target(target.clone());
    let prove = |shader: &Shader| {
        let mut prover = Prover { trials: 4, ..Prover::default() };
        prove_passes(&mut prover, shader, &options).unwrap_or_default()
    };
    let proofs: Vec<_> = all
        .par_iter()
        .flat_map_iter(|file| {
            valid_shaders(file).into_iter().flat_map(move |shader| prove(&shader)).map(move |it| (file, it))
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

/// No step is refuted, and at least `percent` of them, and so many, are proved.
fn check(target: &Target, percent: usize, least: usize) {
    let steps = prove_all(target);
    for (step, Counts { proved, undecided, different }) in &steps {
        println!("{step}: proved {proved}, not decided {undecided}, different {different}");
    }
    let sum = |of: fn(&Counts) -> usize| steps.values().map(of).sum::<usize>();
    let (proved, undecided, different) = (sum(|it| it.proved), sum(|it| it.undecided), sum(|it| it.different));
    println!("proved {proved} of {} steps", proved + undecided + different);
    assert_eq!(different, 0);
    assert!(100 * proved >= percent * (proved + undecided), "proved {proved}, not decided {undecided}");
    assert!(proved >= least, "proved {proved}");
    assert!(steps.len() > 20, "{} steps", steps.len());
}

#[test]
fn passes_for_a_usual_target_keep_the_meaning() {
    check(&Target::default(), 90, 1997);
}

#[test]
fn passes_for_a_poor_target_keep_the_meaning() {
    check(&forms::poor_target(), 90, 1424);
}
