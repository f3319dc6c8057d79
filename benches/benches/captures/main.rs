// SPDX-License-Identifier: MIT

//! Measures transform feedback with each of its back ends: the time of a draw that captures, for points and strips of triangles,
//! with few and many vertices of few and many words.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench captures -- LOG [DEVICE]` writes a line for each measurement to
//! LOG. DEVICE is a part of the device's name; the default is the first device. The program that Cargo builds has the same
//! arguments, and needs only Vulkan's loader: it can be copied to another machine.
//!
//! The back ends are measured in turns, and each round begins with another one. Their captures are compared first.

#![allow(clippy::print_stdout, reason = "the user must see what is measured and what is left out")]

mod subject;

use anyhow::{ensure, Result};
use ntv_benches::log;
use ntv_driver::headless::{Device, DeviceOptions};
use std::io::Write;
use std::time::{Duration, Instant};
use subject::{Modules, Subject, Way, TOPOLOGIES, WAYS};

/// The number of rounds.
const ROUNDS: u32 = 11;
/// The minimum of rounds, if they take longer than [`PATIENCE`].
const FEWEST_ROUNDS: u32 = 3;
/// The time limit of the rounds of a subject.
const PATIENCE: Duration = Duration::from_secs(5);
/// The number of repetitions of a draw in a turn, after the first time; the median counts.
const TIMES: u32 = 3;
/// Vertices of a draw.
const VERTICES: [u32; 3] = [1 << 10, 1 << 16, 1 << 20];
/// The captured words of each vertex.
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

/// Checks that all ways capture the same.
fn look(device: &Device, modules: &Modules, subject: Subject, ways: &[Way]) -> Result<()> {
    let mut first: Option<Vec<u8>> = None;
    for way in ways.iter().filter(|way| **way != Way::Nothing) {
        let captured = subject.capture(device, modules, *way)?;
        ensure!(captured.iter().any(|byte| *byte != 0), "{way:?} captures nothing of {subject:?}");
        let same = first.as_ref().is_none_or(|first| *first == captured);
        ensure!(same, "{way:?} captures other data of {subject:?}");
        first = Some(captured);
    }
    Ok(())
}

/// Measures each way once per round.
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
            // The first draw includes work that the driver has deferred.
            times.remove(0);
            times.sort();
            all.push((round, way, times[times.len() / 2]));
        }
    }
    Ok(all)
}
