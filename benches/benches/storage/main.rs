//! What it costs to read a uniform block through a storage buffer: the time of a shader and of its pipeline, for each size of the
//! block and each kind of index, in both classes, and in the second with offsets kept within the range.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench storage -- LOG [DEVICE]` writes a line for each measurement to LOG.
//! DEVICE is a part of the device's name; the first device is measured if it is not given. The classes take turns, and begin with
//! another one each round. What they compute has to be the same, and what it has to be is known here (`subject`).

#![allow(clippy::print_stdout, reason = "what is measured and what is left out has to be visible")]

mod subject;

use anyhow::{ensure, Result};
use ntv::driver::{Device, DeviceOptions, Dispatch, Resource, Resources};
use ntv::plan::{Class, Placement, Placements};
use ntv::{EmitOptions, Options, Translator};
use ntv_benches::log;
use std::fmt::Write as _;
use std::time::Duration;
use subject::{Index, Subject, BLOCK, GROUPS, INDICES};

/// How often each class has its turn.
const ROUNDS: usize = 15;
/// How often a shader is run in a turn, behind the first time; the median counts.
const TIMES: u32 = 3;
/// The fastest shader takes at least so long, so that the clock and the start of a dispatch do not matter.
const LEAST: Duration = Duration::from_millis(4);
/// The fewest and the most iterations of the shaders' loop.
const ITERATIONS: (u32, u32) = (8, 1 << 18);
/// Bytes of the block.
const SIZES: [u32; 4] = [1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// What is compared, the first with the others.
const CLASSES: [(&str, Placement); 3] = [
    ("uniform", Placement { class: Class::Uniform, range: 0, clamp: false }),
    ("storage", Placement { class: Class::Storage, range: 0, clamp: false }),
    ("clamped", Placement { class: Class::Storage, range: 0, clamp: true }),
];

fn main() -> Result<()> {
    let log = log::wanted()?;
    // Mesa's cache and NVIDIA's.
    std::env::set_var("MESA_SHADER_CACHE_DISABLE", "1");
    std::env::set_var("__GL_SHADER_DISK_CACHE", "0");
    let name = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).nth(1);
    let timeout = Duration::from_secs(60);
    let device = Device::open(&DeviceOptions { name, timeout, ..DeviceOptions::default() })?;
    println!("{} ({})", device.name(), device.driver());
    let iterations = iterations(&device)?;
    let mut lines =
        String::from("device\tdriver\tbytes\tindex\tloads\tround\tclass\tshader_ns\tpipeline_ns\tfirst_use_ns\n");
    for (bytes, index) in SIZES.iter().flat_map(|bytes| INDICES.map(|index| (*bytes, index))) {
        if bytes > device.target().max_uniform_buffer_range {
            println!("left out: {bytes} bytes are more than a uniform buffer has");
            continue;
        }
        let loads = u64::from(iterations) * subject::LOADS_PER_ITERATION;
        let start = format!("{}\t{}\t{bytes}\t{}\t{loads}", device.name(), device.driver(), index.name());
        for turn in measure(&device, Subject { bytes, index, iterations })? {
            let times = [turn.shader, turn.pipeline, turn.first_use].map(|time| time.as_nanos().to_string());
            writeln!(lines, "{start}\t{}\t{}\t{}", turn.round, turn.class, times.join("\t"))?;
        }
    }
    std::fs::write(log, lines)?;
    Ok(())
}

/// How many iterations make the fastest shader run long enough.
fn iterations(device: &Device) -> Result<u32> {
    let mut iterations = ITERATIONS.0;
    while iterations < ITERATIONS.1 {
        let subject = Subject { bytes: SIZES[0], index: Index::Constant, iterations };
        let words = module(device, subject, CLASSES[0].1)?;
        let time = device.time_shader(&dispatch(&words), &mut subject.resources(), TIMES)?;
        if median(time.others) >= LEAST {
            break;
        }
        iterations *= 2;
    }
    Ok(iterations)
}

/// What was measured in a turn.
struct Turn {
    round: usize,
    class: &'static str,
    /// Of the shader, when it runs again.
    shader: Duration,
    /// Of vkCreateShaderModule and vkCreateComputePipelines.
    pipeline: Duration,
    /// What the first run takes more.
    first_use: Duration,
}

/// Measures each class as often as there are rounds, and looks at what was computed.
fn measure(device: &Device, subject: Subject) -> Result<Vec<Turn>> {
    let words: Vec<Vec<u32>> =
        CLASSES.iter().map(|(_, placement)| module(device, subject, *placement)).collect::<Result<_>>()?;
    let (mut all, mut first) = (Vec::new(), None);
    for round in 0..ROUNDS {
        for number in 0..CLASSES.len() {
            let number = (round + number) % CLASSES.len();
            let (class, words) = (CLASSES[number].0, &words[number]);
            let compile = device.time_dispatch(&dispatch(words))?;
            let mut resources = subject.resources();
            let times = device.time_shader(&dispatch(words), &mut resources, TIMES)?;
            let output = written(&resources)?;
            ensure!(subject.is_right(&output), "{class}: {subject:?} computed something else");
            let first = first.get_or_insert_with(|| output.clone());
            ensure!(*first == output, "{class}: {subject:?} computed something else than before");
            let shader = median(times.others);
            let first_use = times.first.saturating_sub(shader);
            all.push(Turn { round, class, shader, pipeline: compile.modules + compile.pipeline, first_use });
        }
    }
    Ok(all)
}

fn dispatch(words: &[u32]) -> Dispatch<'_> {
    Dispatch { module: words, groups: [GROUPS, 1, 1], push_constants: &[] }
}

/// The subject, with its block in this place, as a module for `device`.
fn module(device: &Device, subject: Subject, placement: Placement) -> Result<Vec<u32>> {
    let mut placements = Placements::default();
    placements.set(BLOCK, placement);
    let mut translator = Translator::new(Options { target: device.target().clone(), ..Options::default() });
    translator.set_placements(placements);
    Ok(translator.translate(&mut subject.shader(), &EmitOptions::default())?.words)
}

/// The words that the shader wrote.
fn written(resources: &Resources) -> Result<Vec<u32>> {
    match resources.get(&subject::OUTPUT) {
        Some(Resource::Buffer(bytes)) => Ok(ntv::wire::from_bytes(bytes)?),
        _ => anyhow::bail!("no output"),
    }
}

/// At least one is there.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
