//! Transform feedback from GL's names to bytes: random shaders, requests and draws, and all shapes under all draws. What the three back
//! ends capture is what a model on the CPU says, which knows the names and GL's rules, and no plan.
//!
//! `NTV_SEED=N cargo test --features vulkan --test lavapipe random_captures` tries seed N alone, and prints it. `NTV_SEEDS=N` tries so many.

#![allow(clippy::print_stdout)]

mod draw;
mod matrix;
mod program;
mod random;
mod run;
mod wish;

use crate::gpu::Gpu;
use crate::support;
use draw::Case;
use program::Program;
use random::seeded;
use run::Modules;
use std::process::Command;
use wish::Wish;

/// So many seeds are tried.
const SEEDS: u64 = 2000;
/// One module in so many is validated.
const VALIDATED: u64 = 40;
/// So many share a device.
const SHARE: u64 = 50;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Says what is wrong with a draw, and with the modules if they are validated.
fn check(gpu: &Gpu, (program, wish, case): (&Program, &Wish, &Case), is_validated: bool) -> Result<(), String> {
    let modules = Modules::new(gpu, program, wish, case.pulls)?;
    if is_validated {
        modules.validate(gpu)?;
    }
    modules.check(gpu, case)
}

/// What is wrong with the seeds from `first` on.
fn wrong_seeds(seeds: std::ops::Range<u64>) -> Vec<String> {
    let gpu = Gpu::open();
    let wrong = |seed: u64| {
        let checked = support::caught(|| {
            let (program, wish, case) = seeded(seed);
            check(&gpu, (&program, &wish, &case), seed % VALIDATED == 0)
        });
        // After a panic nobody has asked for them.
        gpu.take_messages();
        // A shader that is refused is printed as a whole.
        let short = |problem: String| problem.lines().take(30).collect::<Vec<_>>().join("\n");
        checked.err().map(|problem| format!("NTV_SEED={seed}: {}", short(problem)))
    };
    seeds.filter_map(wrong).collect()
}

/// Runs the test `name` of this program in a process of its own, in which lavapipe does not optimize: half of the time goes to
/// that, and most shaders run once. False: this is that process.
fn in_own_process(name: &str) -> bool {
    const VARIABLE: &str = "GALLIVM_PERF";
    if std::env::var_os(VARIABLE).is_some() {
        return false;
    }
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command.args(["--exact", name, "--nocapture"]).env(VARIABLE, "nopt").output().expect("this program");
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn random_captures_are_what_gl_says() {
    if in_own_process("xfb::random_captures_are_what_gl_says") {
        return;
    }
    if let Some(seed) = number("NTV_SEED") {
        let (program, wish, case) = seeded(seed);
        let (_, rows) = run::rows(&program, &wish).expect("a plan");
        let (header, body) = program.shader(&rows);
        println!("{wish:#?}\n{case:#?}\n{header}{body}");
        check(&Gpu::open(), (&program, &wish, &case), true).unwrap_or_else(|problem| panic!("{problem}"));
        return;
    }
    let count = number("NTV_SEEDS").unwrap_or(SEEDS);
    let shares = (0..count).step_by(SHARE as usize).map(|first| first..(first + SHARE).min(count)).collect();
    let wrong: Vec<String> = support::in_parallel(shares, wrong_seeds).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of {count} seeds:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}
