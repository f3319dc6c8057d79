// SPDX-License-Identifier: MIT

//! Measures the cost of reading a uniform block through a storage buffer: the time of a shader and of its pipeline, for each size
//! of the block and each kind of index, in both classes, and in the second also with clamped offsets.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench storage -- LOG [DEVICE]` writes a line for each measurement to
//! LOG. DEVICE is a part of the device's name; the default is the first device. The program that Cargo builds has the same
//! arguments, and needs only Vulkan's loader: it can be copied to another machine.
//!
//! The classes are measured in turns, and each round begins with another one. Their results are checked first: they must be the
//! same, and equal to results that are computed here (`subject`).

#![allow(clippy::print_stdout, reason = "the user must see what is measured and what is left out")]

mod subject;

use anyhow::{bail, ensure, Result};
use ntv::plan::{Class, Placement, Placements};
use ntv::{EmitOptions, Options, Translator};
use ntv_benches::log;
use ntv_driver::headless::{Device, DeviceOptions, Dispatch, Resource};
use std::io::Write;
use std::time::{Duration, Instant};
use subject::{Subject, BLOCK, INDICES};

/// The number of rounds.
const ROUNDS: u32 = 11;
/// The minimum of rounds, if they take longer than [`PATIENCE`].
const FEWEST_ROUNDS: u32 = 5;
/// The time limit of the rounds of a subject.
const PATIENCE: Duration = Duration::from_secs(5);
/// The number of repetitions of a shader in a turn, after the first time; the median counts.
const TIMES: u32 = 3;
/// The minimum time of the fastest class, so that the clock and the start of a dispatch do not matter.
const LEAST: Duration = Duration::from_millis(2);
/// The sizes of the block in bytes.
const SIZES: [u32; 4] = [1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// The compared classes; the first is the reference.
const CLASSES: [(&str, Class, bool); 3] =
    [("uniform", Class::Uniform, false), ("storage", Class::Storage, false), ("clamped", Class::Storage, true)];

fn main() -> Result<()> {
    let log = log::wanted()?;
    // Mesa's cache and NVIDIA's.
    std::env::set_var("MESA_SHADER_CACHE_DISABLE", "1");
    std::env::set_var("__GL_SHADER_DISK_CACHE", "0");
    // lavapipe's time must not depend on how many cores are free.
    std::env::set_var("LP_NUM_THREADS", "1");
    let name = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).nth(1);
    let timeout = Duration::from_secs(60);
    let device = Device::open(&DeviceOptions { name, timeout, ..DeviceOptions::default() })?;
    let clock = if device.has_clock() { "timestamps" } else { "wall clock" };
    println!("{} ({}), {clock}", device.name(), device.driver());
    let mut log = std::fs::File::create(log)?;
    writeln!(
        log,
        "device\tdriver\tclock\tbytes\tindex\tloads\tround\tclass\twords\tshader_ns\tpipeline_ns\tfirst_use_ns"
    )?;
    for (bytes, index) in SIZES.iter().flat_map(|bytes| INDICES.map(|index| (*bytes, index))) {
        if bytes > device.target().max_uniform_buffer_range {
            println!("left out: a uniform buffer may not have {bytes} bytes");
            continue;
        }
        let start = Instant::now();
        let subject = large_enough(&device, Subject::new(bytes, index))?;
        look(&device, subject)?;
        let turns = measure(&device, subject)?;
        let loads = subject.loads();
        for turn in &turns {
            let times = [turn.shader, turn.pipeline, turn.first_use].map(|time| time.as_nanos().to_string()).join("\t");
            let start = format!("{}\t{}\t{clock}\t{bytes}\t{}\t{loads}", device.name(), device.driver(), index.name());
            writeln!(log, "{start}\t{}\t{}\t{}\t{times}", turn.round, turn.class, turn.words)?;
        }
        println!("{bytes} bytes, {} index: {} turns, {:.1?}", index.name(), turns.len(), start.elapsed());
    }
    Ok(())
}

/// Increases the work of the subject until its fastest class runs long enough.
fn large_enough(device: &Device, mut subject: Subject) -> Result<Subject> {
    let modules = CLASSES.iter().map(|class| module(device, subject, class)).collect::<Result<Vec<_>>>()?;
    loop {
        let resources = subject.resources();
        let mut fastest = Duration::MAX;
        for words in &modules {
            fastest = fastest.min(median(device.time_shader(&dispatch(subject, words), &resources, TIMES)?.others));
        }
        // The factor is limited, because a GPU is not fully used by few invocations.
        let wanted = LEAST.div_duration_f64(fastest).clamp(1.0, 16.0).log2().ceil() as u32;
        if wanted == 0 || !(0..wanted).all(|_| subject.double()) {
            return Ok(subject);
        }
    }
}

/// Checks the results of each class.
fn look(device: &Device, subject: Subject) -> Result<()> {
    let mut first = None;
    for class in &CLASSES {
        let mut resources = subject.resources();
        device.dispatch(&dispatch(subject, &module(device, subject, class)?), &mut resources)?;
        let Some(Resource::Buffer(bytes)) = resources.remove(&subject::OUTPUT) else { bail!("no output") };
        if first.is_none() {
            ensure!(subject.is_right(&ntv::wire::from_bytes(&bytes)?), "{subject:?} has wrong results");
        }
        ensure!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{}: {subject:?} has other results", class.0);
    }
    Ok(())
}

/// The measurements of a turn.
struct Turn {
    round: u32,
    class: &'static str,
    /// The size of the module.
    words: usize,
    /// The time of the shader, after the first run.
    shader: Duration,
    /// The time of vkCreateShaderModule and vkCreateComputePipelines.
    pipeline: Duration,
    /// The additional time of the first run.
    first_use: Duration,
}

/// Measures each class once per round.
fn measure(device: &Device, mut subject: Subject) -> Result<Vec<Turn>> {
    let start = Instant::now();
    let resources = subject.resources();
    let mut all = Vec::new();
    for round in 0..ROUNDS {
        if round >= FEWEST_ROUNDS && start.elapsed() > PATIENCE {
            break;
        }
        subject.salt = round + 1;
        for number in 0..CLASSES.len() {
            let class = &CLASSES[(round as usize + number) % CLASSES.len()];
            let words = module(device, subject, class)?;
            let times = device.time_shader(&dispatch(subject, &words), &resources, TIMES)?;
            let shader = median(times.others);
            let pipeline = times.compile.modules + times.compile.pipeline;
            let first_use = times.first.saturating_sub(shader);
            all.push(Turn { round, class: class.0, words: words.len(), shader, pipeline, first_use });
        }
    }
    Ok(all)
}

fn dispatch(subject: Subject, words: &[u32]) -> Dispatch<'_> {
    Dispatch { module: words, groups: [subject.groups, 1, 1], push_constants: &[] }
}

/// The subject, with its block in this class, as a module for `device`.
fn module(device: &Device, subject: Subject, &(_, class, clamp): &(&str, Class, bool)) -> Result<Vec<u32>> {
    let mut placements = Placements::default();
    placements.set(BLOCK, Placement { class, range: subject.bytes, clamp });
    let mut translator = Translator::new(Options::default().target(device.target().clone()));
    translator.set_placements(placements);
    Ok(translator.translate(&mut subject.shader(), &EmitOptions::default())?.words)
}

/// The median of at least one time.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
