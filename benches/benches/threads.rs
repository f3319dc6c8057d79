// SPDX-License-Identifier: MIT

//! Measures how long 1, 2, 4 and so on threads, up to the number of cores, take to translate all large shaders, each thread
//! separately: the time stays the same if threads do not disturb each other. The same number of processes, which share nothing,
//! shows the limit of the machine.
//!
//! `cargo bench --package ntv-benches --bench threads -- LOG` writes a line for each measurement to LOG. All are measured in
//! turns, because the speed of a virtual core changes from one second to the next.

use anyhow::{ensure, Context, Result};
use ntv_benches::{log, sets, Worker};
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{stdin, stdout, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The number of turns of each.
const TURNS: usize = 50;
/// The number of passes of a thread over the shaders in a turn.
const ROUNDS: usize = 5;
/// The argument of a measured process.
const ALONE: &str = "--alone";

fn main() -> Result<()> {
    let sets = sets::real()?;
    let large = sets.iter().find(|set| set.name == "large").context("no large shaders")?;
    let wires = large.wires();
    if std::env::args_os().any(|argument| argument == ALONE) {
        return alone(&wires);
    }
    let log = log::wanted()?;
    let mut lines = String::from("count\tinstrs\tthreads_ns\tprocesses_ns\n");
    for _ in 0..TURNS {
        for count in counts() {
            let (threads, processes) = (threads(count, &wires), processes(count)?);
            let instructions = count * ROUNDS * large.instructions();
            writeln!(lines, "{count}\t{instructions}\t{}\t{}", threads.as_nanos(), processes.as_nanos())?;
        }
    }
    std::fs::write(log, lines)?;
    Ok(())
}

/// Powers of two below the number of cores, and this number.
fn counts() -> impl Iterator<Item = usize> {
    let cores = available_parallelism().map_or(1, usize::from);
    std::iter::successors(Some(1), |count| Some(2 * count)).take_while(move |count| *count < cores).chain([cores])
}

/// Translates `wires` once, so that a worker has its memory, calls `wait`, and translates them [`ROUNDS`] times.
fn work(wires: &[Vec<u32>], wait: impl FnOnce()) {
    let mut worker = Worker::default();
    let mut go = || wires.iter().for_each(|wire| drop(black_box(worker.translate(wire))));
    go();
    wait();
    (0..ROUNDS).for_each(|_| go());
}

/// The time of `count` threads.
fn threads(count: usize, wires: &[Vec<u32>]) -> Duration {
    let barrier = Barrier::new(count + 1);
    let wait = || {
        barrier.wait();
    };
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                work(wires, wait);
                wait();
            });
        }
        wait();
        let start = Instant::now();
        wait();
        start.elapsed()
    })
}

/// The time of `count` processes.
fn processes(count: usize) -> Result<Duration> {
    let program = std::env::current_exe()?;
    let start = || Command::new(&program).arg(ALONE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut children: Vec<Child> = (0..count).map(|_| start()).collect::<std::io::Result<_>>()?;
    children.iter_mut().try_for_each(signal)?;
    let start = Instant::now();
    for child in &mut children {
        child.stdin.take().context("no pipe")?.write_all(b"!")?;
    }
    children.iter_mut().try_for_each(signal)?;
    let time = start.elapsed();
    for mut child in children {
        ensure!(child.wait()?.success(), "a process failed");
    }
    Ok(time)
}

/// Waits for the signal of `child`.
fn signal(child: &mut Child) -> Result<()> {
    Ok(child.stdout.as_mut().context("no pipe")?.read_exact(&mut [0])?)
}

/// The work of such a process.
fn alone(wires: &[Vec<u32>]) -> Result<()> {
    let mut heard = Ok(());
    work(wires, || heard = tell().and_then(|()| stdin().read_exact(&mut [0])));
    heard?;
    Ok(tell()?)
}

/// Sends the signal that [`signal`] waits for.
fn tell() -> std::io::Result<()> {
    let mut out = stdout();
    out.write_all(b"!")?;
    out.flush()
}
