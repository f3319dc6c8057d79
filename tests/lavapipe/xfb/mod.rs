// SPDX-License-Identifier: MIT

//! Transform feedback from GL's names to bytes: random shaders, requests and draws, and all shapes with all draws. The captures
//! of the three back ends must be those of a model on the CPU, which uses the names and GL's rules, but no plan.
//!
//! `NTV_SEED=N cargo test --package ntv-lavapipe-tests random_captures` runs only seed N, and prints it. `NTV_SEEDS=N` sets
//! the number of seeds.

#![allow(clippy::print_stdout)]

mod draw;
mod matrix;
mod program;
mod random;
mod run;
mod wish;

use crate::gpu::Gpu;
use crate::support;
use draw::{Case, NOTHING};
use program::Program;
use random::seeded;
use run::Modules;
use std::process::Command;
use wish::Wish;

/// The default number of seeds. `cargo xtask nightly` tries 20,000.
const SEEDS: u64 = 400;
/// One of this number of modules is validated.
const VALIDATED: u64 = 40;
/// The number of seeds that share a device.
const SHARE: u64 = 50;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Returns the error of a draw, and of the modules if they are validated.
fn check(gpu: &Gpu, (program, wish, case): (&Program, &Wish, &Case), is_validated: bool) -> Result<(), String> {
    let modules = Modules::new(gpu, program, wish, case.pulls)?;
    if is_validated {
        modules.validate(gpu)?;
    }
    modules.check(gpu, case)
}

/// The number of seeds with captures, and the errors.
fn try_seeds(seeds: std::ops::Range<u64>) -> (usize, Vec<String>) {
    let gpu = Gpu::open();
    let (mut told, mut wrong) = (0, Vec::new());
    for seed in seeds {
        let checked = support::caught(|| {
            let (program, wish, case) = seeded(seed);
            check(&gpu, (&program, &wish, &case), seed % VALIDATED == 0)?;
            Ok(case.model(&program, &wish, NOTHING).concat().iter().any(|word| *word != NOTHING))
        });
        // After a panic, the messages are still there.
        gpu.take_messages();
        match checked {
            Ok(tells) => told += usize::from(tells),
            // A shader that is refused is printed completely.
            Err(problem) => {
                let problem: Vec<&str> = problem.lines().take(30).collect();
                wrong.push(format!("NTV_SEED={seed}: {}", problem.join("\n")));
            }
        }
    }
    (told, wrong)
}

/// Runs the test `name` of this program in a process of its own, in which lavapipe does not optimize: that would take half of the
/// time, and most shaders run once. Returns false in that process.
fn in_own_process(name: &str) -> bool {
    const VARIABLE: &str = "GALLIVM_PERF";
    if std::env::var_os(VARIABLE).is_some() {
        return false;
    }
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command.args(["--exact", name, "--nocapture"]).env(VARIABLE, "nopt").output().expect("this program");
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    assert!(output.status.success() && said.contains(" 1 passed"), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn random_captures_agree_with_gl() {
    if in_own_process("xfb::random_captures_agree_with_gl") {
        return;
    }
    if let Some(seed) = number("NTV_SEED") {
        let (program, wish, case) = seeded(seed);
        let (header, body) = program.shader(&run::planned(&program, &wish).expect("a plan"));
        println!("{wish:#?}\n{case:#?}\n{header}{body}");
        check(&Gpu::open(), (&program, &wish, &case), true).unwrap_or_else(|problem| panic!("{problem}"));
        return;
    }
    let count = number("NTV_SEEDS").unwrap_or(SEEDS);
    let shares = (0..count).step_by(SHARE as usize).map(|first| first..(first + SHARE).min(count)).collect();
    let tried = support::in_parallel(shares, try_seeds);
    let told: usize = tried.iter().map(|(told, _)| told).sum();
    let wrong: Vec<&str> = tried.iter().flat_map(|(_, wrong)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {count} seeds:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    println!("{told} of {count} seeds capture something");
    assert!(told as u64 > count / 4 * 3, "{told} of {count} seeds capture something");
}
