// SPDX-License-Identifier: MIT

//! The words of real shaders are proved: those of this repository, and those of `../shared/corpus` if it is there.

#![allow(clippy::print_stdout)] // the output lists what is not proved

#[path = "../../tests/support/mod.rs"]
mod support;

use ntv::{EmitOptions, Options, Shader, Target, Translator};
use ntv_prove::compare::{Prover, Verdict};
use rayon::prelude::*;
use std::path::PathBuf;
use support::{files, own_dumps, shared_corpus, valid_shaders};

/// What was found of the words of a shader; `None` if the target refuses it.
fn prove(shader: &Shader) -> Option<Verdict> {
    let target = Target::default();
    let options = Options::default().target(target.clone());
    let module = Translator::new(options).translate(&mut shader.clone(), &EmitOptions::default()).ok()?;
    let mut prover = Prover { trials: 8, ..Prover::default() };
    Some(prover.prove(shader, &target, &module.words))
}

/// Proves all files; returns the number of shaders and of those that are proved. Prints the others.
fn prove_all(files: &[PathBuf]) -> (usize, usize) {
    let verdicts: Vec<(&PathBuf, Verdict)> = files
        .par_iter()
        .flat_map_iter(|file| valid_shaders(file).into_iter().filter_map(move |shader| Some((file, prove(&shader)?))))
        .collect();
    for (file, verdict) in &verdicts {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match verdict {
            Verdict::Proved => {}
            Verdict::Different(it) => println!("{name}: different: {}: {}, not {}", it.what, it.found, it.expected),
            Verdict::Undecided(it) => println!("{name}: {}: {:.120}", it.place, it.reason),
        }
    }
    let proved = verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Proved)).count();
    println!("proved {proved} of {}", verdicts.len());
    (verdicts.len(), proved)
}

/// Shaders that use what Mesa seldom gives a driver are among them, so that more of them are not proved.
#[test]
fn shaders_of_the_repository_are_proved() {
    let (count, proved) = prove_all(&own_dumps());
    assert!(count > 400, "{count}");
    assert!(100 * proved >= 90 * count, "proved {proved} of {count}");
    // A rule for terms that helps some shaders may harm others.
    assert!(proved >= 580, "proved {proved}");
}

/// Of what piglit gives to drivers, 95 of 100 shaders are proved.
#[test]
fn shaders_of_real_programs_are_proved() {
    let Some(corpus) = shared_corpus() else { return };
    for folder in ["mesa25/gallium", "mesa25/ssa", "mesa26/gallium", "mesa26/zink", "mesa26/gles"] {
        let (count, proved) = prove_all(&files(&corpus.join(folder), &["nir", "log"]));
        println!("{folder}: proved {proved} of {count}");
        assert!(100 * proved >= 95 * count, "{folder}: proved {proved} of {count}");
    }
}
