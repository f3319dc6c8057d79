// SPDX-License-Identifier: MIT

//! Malformed input: thousands of dumps with flipped bytes and with lines removed, doubled, swapped or cut, and wires with the
//! same changes to their words. Each gives a valid module, or an error that is not an internal one; no case panics, hangs,
//! overflows the stack or uses too much memory.
//!
//! The cases depend only on a seed, which is printed: `NTV_SEED=n cargo test --test mutations` runs others, `NTV_CASE=n` one case
//! alone.

// The test must print its seed, so that it can be repeated.
#![allow(clippy::print_stdout)]

#[path = "../../support/mutation.rs"]
mod mutation;
#[path = "../../support/mod.rs"]
mod support;
mod wire_mutation;
#[path = "../../support/wire_records.rs"]
mod wire_records;

use mutation::{dumps, mutate, Random};
use ntv::capture::{Attribute, AttributeFormat, BackEnd};
use ntv::{
    text, wire, BufferAccess, EmitOptions, ErrorKind, Errors, Feature, Module, Options, Shader, Target, Translator,
};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The number of mutated dumps, and of mutated wires.
const CASES: u64 = 10_000;

/// The time limit of a case. Most take a millisecond; this is for a slow machine with other load.
const CASE_LIMIT: Duration = Duration::from_secs(60);

/// The limit of the process's peak memory.
const MEMORY_LIMIT_KIB: u64 = 1 << 20;

#[test]
fn mutated_dumps_give_errors_or_valid_modules() {
    let dumps = dumps();
    run(|random| Input::Text(mutate(random, &dumps)));
}

#[test]
fn mutated_wires_give_errors_or_valid_modules() {
    let wires = wire_mutation::wires(&dumps());
    run(|random| Input::Wire(wire_mutation::mutate(random, &wires)));
}

/// A wire that breaks a rule, but is declared valid, gives an error, a panic that the C ABI catches, or any module, in a limited
/// time. Debug builds check the rules nevertheless: `cargo xtask test` also runs this test in a release build.
#[test]
fn mutated_wires_declared_valid_terminate() {
    let wires = wire_mutation::wires(&dumps());
    let seed = number("NTV_SEED").unwrap_or(1);
    println!("seed {seed}");
    let running = Running::default();
    watch_for_hangs(running.clone());
    let modules = support::in_parallel((0..CASES).collect(), |case: u64| {
        let options = options(case).input(ntv::Input::Valid);
        let bytes = wire_mutation::mutate(&mut Random(seed.wrapping_mul(CASES).wrapping_add(case)), &wires);
        translated(&running, case, &Input::Wire(bytes), &options).map_or(0, |modules| modules.len())
    });
    let modules = modules.into_iter().sum::<usize>();
    println!("{modules} modules, peak memory {:?} KiB", peak_memory_kib());
    assert!(modules > 0, "no mutation left a valid shader: this tests nothing");
    assert!(peak_memory_kib().unwrap_or(0) < MEMORY_LIMIT_KIB, "too much memory");
}

/// Runs all cases on inputs that `make` makes from random numbers.
fn run(make: impl Fn(&mut Random) -> Input + Sync) {
    let seed = number("NTV_SEED").unwrap_or(1);
    let cases = number("NTV_CASE").map_or((0..CASES).collect(), |case| vec![case]);
    println!("seed {seed}");

    let judge = Judge::default();
    watch_for_hangs(judge.running.clone());
    let input = |case: u64| make(&mut Random(seed.wrapping_mul(CASES).wrapping_add(case)));
    let failures: Vec<String> =
        support::in_parallel(cases, |case| judge.case(case, &input(case)).err()).into_iter().flatten().collect();
    let modules = judge.modules.into_inner();
    println!("{modules} modules, peak memory {:?} KiB", peak_memory_kib());
    assert!(
        failures.is_empty(),
        "{} cases fail (seed {seed})\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert!(modules > 0, "no mutation left a valid shader: this tests nothing");
    assert!(peak_memory_kib().unwrap_or(0) < MEMORY_LIMIT_KIB, "too much memory");
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{variable} is not a number")))
}

/// The running cases, with their start times.
type Running = std::sync::Arc<Mutex<Vec<(u64, Instant)>>>;

/// Translates the input of a case, which is in `running` meanwhile; `Err` has the message of a panic.
fn translated(running: &Running, case: u64, input: &Input, options: &Options) -> Result<Vec<Vec<u32>>, String> {
    running.lock().expect("no panic holds it").push((case, Instant::now()));
    let modules = support::caught(|| Ok(input.translate(options)));
    running.lock().expect("no panic holds it").retain(|(running, _)| *running != case);
    modules
}

/// The input of a case.
enum Input {
    Text(String),
    Wire(Vec<u8>),
}

impl Input {
    /// The modules of its valid shaders.
    fn translate(&self, options: &Options) -> Vec<Vec<u32>> {
        let shaders = match self {
            Input::Text(text) => text::find(text).filter_map(|found| found.shader.ok()).collect(),
            Input::Wire(bytes) => read_wire(bytes).into_iter().collect::<Vec<_>>(),
        };
        let mut translator = Translator::new(options.clone());
        let translated =
            shaders.into_iter().map(|mut shader| translator.translate(&mut shader, &EmitOptions::default()));
        let words = |module: Result<Module, Errors>| match module {
            Ok(module) => Some(module.words),
            Err(errors) => {
                let is_ours = errors.0.iter().any(|error| error.kind == ErrorKind::Internal);
                assert!(!is_ours, "a fault of ntv's: {errors}");
                None
            }
        };
        translated.filter_map(words).collect()
    }

    /// Its contents as a file, and the extension of such files.
    fn file(&self) -> (&[u8], &'static str) {
        match self {
            Input::Text(text) => (text.as_bytes(), "nir"),
            Input::Wire(bytes) => (bytes, "ntvw"),
        }
    }
}

/// The shader in `bytes`, if there is one; it need not be valid, but it must be possible to print and to write it.
fn read_wire(bytes: &[u8]) -> Option<Shader> {
    let shader = wire::decode(&wire::from_bytes(bytes).ok()?).ok()?;
    assert!(!text::print(&shader).is_empty(), "it can be printed");
    let again = wire::decode(&wire::encode(&shader)).unwrap_or_else(|error| panic!("written again: {error}"));
    assert!(again == shader, "the shader is unchanged by writing and reading");
    Some(shader)
}

/// Runs cases and counts modules.
#[derive(Default)]
struct Judge {
    running: Running,
    /// The number of valid modules.
    modules: AtomicUsize,
}

impl Judge {
    /// Runs one case; writes its input to a file if it fails.
    fn case(&self, case: u64, input: &Input) -> Result<(), String> {
        let options = options(case);
        let modules = translated(&self.running, case, input, &options);
        let result =
            modules.and_then(|modules| modules.iter().try_for_each(|words| self.module(words, &options.target)));
        result.map_err(|error| {
            let (bytes, extension) = input.file();
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("case-{case}.{extension}"));
            let kept = fs::write(&file, bytes).map_or_else(|error| error.to_string(), |()| file.display().to_string());
            format!("case {case}: {error} ({kept})")
        })
    }

    fn module(&self, words: &[u32], target: &Target) -> Result<(), String> {
        self.modules.fetch_add(1, Ordering::Relaxed);
        support::spirv_val(words, target)
    }
}

/// The options of a case: different cases are translated for different drivers.
fn options(case: u64) -> Options {
    let (_, vulkan) = Target::PRESETS[case as usize % Target::PRESETS.len()];
    let mut target = Target::new(vulkan);
    // Debian's spirv-val does not know the extension.
    target.set(Feature::shaderFloatControls2, false);
    let buffer_access = if case / 4 % 2 == 0 { BufferAccess::Auto } else { BufferAccess::Lane };
    let captures = [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute][case as usize / 8 % 3];
    let attributes = ["R8G8B8A8_SNORM", "R64G64_SFLOAT"].iter().zip(0..).filter_map(|(name, number)| {
        let format = AttributeFormat::from_name(name)?;
        Some(Attribute { location: 2 * number, format, binding: number, offset: 1, stride: 7, divisor: None })
    });
    let attributes = attributes.take(case as usize / 24 % 3).collect();
    let instance_location = (case / 72 % 2 == 0).then_some(31);
    Options::default()
        .target(target)
        .buffer_access(buffer_access)
        .captures(captures)
        .attributes(attributes)
        .instance_location(instance_location)
}

/// Ends the process when a case runs too long, because a thread cannot be stopped.
fn watch_for_hangs(running: Running) {
    std::thread::spawn(move || loop {
        std::thread::sleep(Duration::from_secs(1));
        let running = running.lock().expect("no panic holds it");
        if let Some((case, _)) = running.iter().find(|(_, start)| start.elapsed() > CASE_LIMIT) {
            println!("case {case} hangs");
            std::process::exit(1);
        }
    });
}

/// The peak memory of this process, if Linux reports it.
fn peak_memory_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
