//! What transform feedback takes by each of its back ends: the time of a draw that captures, for points and strips of triangles,
//! few and many vertices, few and many words of each.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench captures -- LOG [DEVICE]` writes a line for each measurement to
//! LOG. DEVICE is a part of the device's name; the first device is measured if it is not given. The program that Cargo builds takes
//! the same arguments, and needs nothing but Vulkan's loader: it may be copied to the machine that is to be measured.
//!
//! The back ends take turns, and begin with another one each round. What they capture is compared before.

#![allow(clippy::print_stdout, reason = "what is measured and what is left out has to be visible")]

mod subject;

use anyhow::{ensure, Result};
use ntv_benches::log;
use ntv_driver::headless::{Device, DeviceOptions};
use std::io::Write;
use std::time::{Duration, Instant};
use subject::{Modules, Subject, Way, TOPOLOGIES, WAYS};

/// How often each back end has its turn.
const ROUNDS: u32 = 11;
/// How often at least, where they take longer than [`PATIENCE`].
const FEWEST_ROUNDS: u32 = 3;
/// How long the rounds of a subject may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a draw is repeated in a turn, after the first time; the median counts.
const TIMES: u32 = 3;
/// Vertices of a draw.
const VERTICES: [u32; 3] = [1 << 10, 1 << 16, 1 << 20];
/// Words that are captured of each.
const WORDS: [u32; 2] = [4, 32];

fn main() -> Result<()> {
    let log = log::wanted()?;
    // Mesa's cache and NVIDIA's.
    std::env::set_var("MESA_SHADER_CACHE_DISABLE", "1");
    std::env::set_var("__GL_SHADER_DISK_CACHE", "0");
    // lavapipe's time must not depend on how many cores are free.
    std::env::set_var("LP_NUM_THREADS", "1");
    let name = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).nth(1);
    let timeout = Duration::from_secs(120);
    let device = Device::open(&DeviceOptions { name, timeout, ..DeviceOptions::default() })?;
    let clock = if device.has_clock_of_draws() { "timestamps" } else { "wall clock" };
    let ways: Vec<Way> = WAYS.into_iter().filter(|way| way.is_known(device.target())).collect();
    println!("{} ({}), {clock}, {ways:?}", device.name(), device.driver());
    let mut log = std::fs::File::create(log)?;
    writeln!(log, "date\tdevice\tdriver\tclock\ttopology\tvertices\twords\tround\tway\tns")?;
    let start = format!("{}\t{}\t{}\t{clock}", log::today(), device.name(), device.driver());
    for words in WORDS {
        let modules = Modules::new(device.target(), words, &ways)?;
        for (topology, vertices) in TOPOLOGIES.iter().flat_map(|topology| VERTICES.map(|count| (*topology, count))) {
            let subject = Subject { topology, vertices, words };
            let most = device.limits().max_storage_buffer_range as usize;
            if subject.captured_bytes() > most {
                println!("left out: {subject:?}, as a storage buffer has {most} bytes at most");
                continue;
            }
            let begin = Instant::now();
            look(&device, &modules, subject, &ways)?;
            let turns = measure(&device, &modules, subject, &ways)?;
            for (round, way, time) in &turns {
                let row = format!("{}\t{vertices}\t{words}\t{round}\t{}", topology.name(), way.name());
                writeln!(log, "{start}\t{row}\t{}", time.as_nanos())?;
            }
            println!("{subject:?}: {} turns, {:.1?}", turns.len(), begin.elapsed());
        }
    }
    Ok(())
}

/// Looks whether all capture the same.
fn look(device: &Device, modules: &Modules, subject: Subject, ways: &[Way]) -> Result<()> {
    let mut first: Option<Vec<u8>> = None;
    for way in ways.iter().filter(|way| **way != Way::Nothing) {
        let captured = subject.capture(device, modules, *way)?;
        ensure!(captured.iter().any(|byte| *byte != 0), "{way:?} captures nothing of {subject:?}");
        let same = first.as_ref().is_none_or(|first| *first == captured);
        ensure!(same, "{way:?} captures something else of {subject:?}");
        first = Some(captured);
    }
    Ok(())
}

/// Measures each way as often as there are rounds.
fn measure(device: &Device, modules: &Modules, subject: Subject, ways: &[Way]) -> Result<Vec<(u32, Way, Duration)>> {
    let start = Instant::now();
    let mut all = Vec::new();
    for round in 0..ROUNDS {
        if round >= FEWEST_ROUNDS && start.elapsed() > PATIENCE {
            break;
        }
        for number in 0..ways.len() {
            let way = ways[(round as usize + number) % ways.len()];
            let mut times = subject.time(device, modules, way, TIMES)?;
            // The first one pays for what a driver leaves for it to do.
            times.remove(0);
            times.sort();
            all.push((round, way, times[times.len() / 2]));
        }
    }
    Ok(all)
}
