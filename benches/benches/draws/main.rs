// SPDX-License-Identifier: MIT

//! Measures the CPU time of a draw on ntv's own driver, for each kind of change between two draws. `tests/mesa/draws/draws.c`
//! measures the other side: its head describes the draws, the changes, the times, and the environment.
//!
//! ```text
//! cargo xtask bench --draws                                        both sides, and the report
//! cargo bench -p ntv-benches --features vulkan --bench draws -- LOG [ROUNDS]    this side, on the first device
//! cargo bench -p ntv-benches --features vulkan --bench draws -- --check         compares pixels
//! cargo bench -p ntv-benches --features vulkan --bench draws -- --loop SIDE WORKLOAD [ROUNDS]    for profilers: one workload
//! ```
//!
//! A line for each workload and side is written to LOG. The side `ntv` is the driver on a Vulkan device, `ntv null` the same
//! calls on [`null_vulkan`], which only counts commands: its time is that of the driver alone.
//!
//! The measured interface is Gallium's. The calls before a draw ([`Workload::change`]) are those that zink gets from Mesa's state
//! tracker for draws.c, as `GALLIUM_TRACE` shows. One of them is more work here: the state tracker uploads the uniform to a
//! buffer before it calls zink, so that is a part of OpenGL's time; this driver gets the bytes, and uploads them.

#![allow(clippy::print_stdout, reason = "the user must see what is measured")]

mod scene;
mod workload;

use anyhow::{bail, ensure, Context as _, Result};
use ntv_benches::log;
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::Implementation;
use null_vulkan::{World, WorldOptions};
use rustix::time::{clock_gettime, ClockId};
use scene::Scene;
use std::io::Write;
use workload::{Workload, COLOUR, WORKLOADS};

/// The default number of measured rounds.
const ROUNDS: usize = 51;
/// The number of rounds before them.
const WARM_UP: usize = 3;

const USAGE: &str = "usage: LOG [ROUNDS], --check, or --loop SIDE WORKLOAD [ROUNDS]";

const SIDES: [&str; 2] = ["ntv", "ntv null"];

fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let rounds = |text: Option<&&str>| text.map_or(Ok(ROUNDS), |text| text.parse().context(USAGE));
    match arguments[..] {
        ["--check"] => check(),
        ["--loop", side, name, ref rest @ ..] if rest.len() < 2 => repeat(side, name, rounds(rest.first())?),
        [log, ref rest @ ..] if !log.starts_with('-') && rest.len() < 2 => measure_all(log, rounds(rest.first())?),
        _ => bail!(USAGE),
    }
}

/// The device of a side.
fn device(side: &str) -> Result<Device> {
    let implementation = match side {
        "ntv" => Implementation::default(),
        "ntv null" => {
            let world = World::new(WorldOptions::unchecked());
            Implementation::new(move || world.open())
        }
        _ => bail!("there is no side {side:?}"),
    };
    Ok(Device::open(&DeviceOptions { implementation, ..DeviceOptions::default() })?)
}

/// Draws with both states of each workload, and compares pixels.
fn check() -> Result<()> {
    let device = device("ntv")?;
    let mut scene = Scene::new(&device)?;
    for workload in WORKLOADS {
        for state in [false, true] {
            workload::reset(&mut scene)?;
            scene.clear()?;
            workload.change(&mut scene, state)?;
            scene.draw()?;
            let (pixel, want) = (scene.pixel()?, if state { workload.pixel() } else { COLOUR });
            let is_near = pixel.iter().all(|channel| channel.abs_diff(want) <= 1);
            ensure!(is_near, "{pixel:?} instead of {want} in state {} of `{}`", u8::from(state), workload.name());
        }
    }
    println!("{} ({})", device.name(), device.driver());
    Ok(())
}

/// Repeats the measured work of one workload.
fn repeat(side: &str, name: &str, rounds: usize) -> Result<()> {
    let workload = WORKLOADS.into_iter().find(|workload| workload.name() == name);
    let workload = workload.with_context(|| format!("there is no workload {name:?}"))?;
    let mut scene = Scene::new(&device(side)?)?;
    let times = (0..rounds).map(|_| measure(&mut scene, workload)).collect::<Result<Vec<Times>>>()?;
    println!("{name}: {:.1} ns", summary(times.iter().map(|times| times.cpu)).1);
    Ok(())
}

/// The times of a draw in one round, in nanoseconds.
#[derive(Clone, Copy)]
struct Times {
    /// CPU time of this thread.
    cpu: f64,
    wall: f64,
}

fn now(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Measures a round of a workload.
fn measure(scene: &mut Scene, workload: Workload) -> Result<Times> {
    workload::reset(scene)?;
    scene.draw()?;
    scene.context.finish()?;
    let (wall, cpu) = (now(ClockId::Monotonic), now(ClockId::ThreadCPUTime));
    workload.draw(scene)?;
    scene.context.flush()?;
    let (cpu_end, wall_end) = (now(ClockId::ThreadCPUTime), now(ClockId::Monotonic));
    scene.context.finish()?;
    let draws = f64::from(workload.draws());
    Ok(Times { cpu: (cpu_end - cpu) / draws, wall: (wall_end - wall) / draws })
}

/// The median and the minimum.
fn summary(times: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[0])
}

fn measure_all(log: &str, rounds: usize) -> Result<()> {
    ensure!(rounds > 0, USAGE);
    let mut log = std::fs::File::create(log).with_context(|| log.to_string())?;
    writeln!(log, "date\tside\tdevice\tdriver\tworkload\tdraws\trounds\tcpu_ns\tcpu_min_ns\twall_ns\twall_min_ns")?;
    for side in SIDES {
        println!("Measuring {side}.");
        let device = device(side)?;
        let start = format!("{}\t{side}\t{}\t{}", log::today(), device.name(), device.driver());
        let times = measure_side(&device, rounds)?;
        for (workload, times) in WORKLOADS.into_iter().zip(times) {
            let (name, draws) = (workload.name(), workload.draws());
            let (cpu, cpu_min) = summary(times.iter().map(|times| times.cpu));
            let (wall, wall_min) = summary(times.iter().map(|times| times.wall));
            writeln!(log, "{start}\t{name}\t{draws}\t{rounds}\t{cpu:.1}\t{cpu_min:.1}\t{wall:.1}\t{wall_min:.1}")?;
        }
    }
    Ok(())
}

/// The times of all rounds of each workload. The workloads are measured in turns, so that other load on the machine affects all
/// of them.
fn measure_side(device: &Device, rounds: usize) -> Result<[Vec<Times>; WORKLOADS.len()]> {
    let mut scene = Scene::new(device)?;
    let mut times = WORKLOADS.map(|_| Vec::new());
    for round in 0..WARM_UP + rounds {
        for (workload, times) in WORKLOADS.into_iter().zip(&mut times) {
            let measured = measure(&mut scene, workload)?;
            if round >= WARM_UP {
                times.push(measured);
            }
        }
    }
    Ok(times)
}
