// SPDX-License-Identifier: MIT

//! `cargo xtask oracle`: runs random shaders on the interpreter and on lavapipe, until two results differ or all have run.
//!
//! Every shader follows from a number. A mismatch ends the run (not with `--all`), reports that number and leaves the shader in
//! `target/oracle/`; `--seed` runs it again and prints everything about it, so that `ntv reduce` can shrink it: `ntv reduce 7.nir
//! --command 'cargo xtask oracle --seed 7 --shader'`.
//!
//! The work is done by processes of this program that write a line for each shader: a driver that crashes ends only one of them,
//! and the number of the shader is known.

#![allow(clippy::print_stdout, reason = "a program prints its results")]

mod through;

use anyhow::{bail, Context, Result};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use ntv::{text, Shader};
use ntv_gen::oracle::{Oracle, Verdict};
use ntv_gen::{program_of_seed, stimulus_of_seed, Purpose};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Compares ntv and the interpreter with a Vulkan driver.
#[derive(Parser)]
#[command(name = "cargo xtask oracle")]
struct Arguments {
    /// The number of shaders to run
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The number of the first shader
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Continue after a mismatch, and report all of them at the end
    #[arg(long)]
    all: bool,
    /// Run this shader alone, and print it
    #[arg(long, conflicts_with_all = ["count", "first"])]
    seed: Option<u64>,
    /// With `--seed`: run this shader instead of the one of the number, on the same inputs
    #[arg(long, requires = "seed")]
    shader: Option<PathBuf>,
    /// Processes; one per core if not given
    #[arg(long)]
    jobs: Option<u64>,
    /// The device, by a part of its name
    #[arg(long, default_value = "llvmpipe")]
    device: String,
    /// The folder for shaders whose results differ
    #[arg(long, default_value = "target/oracle")]
    out: PathBuf,
    /// Have this program of Mesa, spirv2nir, read each module, and translate the result again
    #[arg(long, value_name = "SPIRV2NIR")]
    through: Option<PathBuf>,
    /// Be one of the worker processes: run every N-th shader
    #[arg(long, hide = true)]
    step: Option<u64>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match (arguments.seed, arguments.step) {
        (Some(seed), _) => one(seed, &arguments),
        (None, Some(step)) => work(step, &arguments),
        (None, None) => many(&arguments),
    }
}

/// Runs one shader and prints it.
fn one(seed: u64, arguments: &Arguments) -> Result<()> {
    let mut oracle = Oracle::open(&arguments.device)?;
    let program = match &arguments.shader {
        Some(path) => read(path)?,
        None => program_of_seed(seed),
    };
    program.iter().for_each(|shader| println!("{}", text::print(shader)));
    let first = program.first().context("there is no shader")?;
    let verdict = match &arguments.through {
        Some(reader) => through::ask(&mut oracle, seed, reader),
        None => oracle.compare(&program, &stimulus_of_seed(first, seed, Purpose::Driver)),
    };
    match verdict {
        Verdict::Same(bytes) => println!("shader {seed}: {bytes} bytes are the same"),
        Verdict::Meaningless(why) => println!("shader {seed} has no meaning: {why}"),
        Verdict::Excused(fault) => println!("shader {seed}: a fault of {}: {fault}", oracle.driver()),
        Verdict::Wrong(problem) => bail!("shader {seed}: {problem}"),
    }
    Ok(())
}

/// The shaders in a file.
fn read(path: &Path) -> Result<Vec<Shader>> {
    let dump = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text::find(&dump).map(|parsed| Ok(parsed.shader?)).collect()
}

/// Runs a worker process: writes a line for each of its shaders.
fn work(step: u64, arguments: &Arguments) -> Result<()> {
    let mut oracle = Oracle::open(&arguments.device)?;
    for seed in (arguments.first..arguments.first + arguments.count).step_by(step as usize) {
        let verdict = match &arguments.through {
            Some(reader) => through::ask(&mut oracle, seed, reader),
            None => oracle.ask(seed),
        };
        match verdict {
            Verdict::Same(bytes) => println!("same {bytes}"),
            Verdict::Meaningless(_) => println!("left depends on what is undefined"),
            Verdict::Excused(fault) => println!("left a fault of the driver: {fault}"),
            Verdict::Wrong(problem) => println!("wrong {}", problem.replace('\n', " ")),
        }
    }
    Ok(())
}

/// The output of a process: its number, and a line; `None` at its end.
type Message = (u64, Option<String>);

/// The worker processes, each of which runs every N-th shader.
struct Crew<'a> {
    arguments: &'a Arguments,
    jobs: u64,
    /// Each with the number of its next shader.
    workers: Vec<(Child, u64)>,
    sender: mpsc::Sender<Message>,
}

impl Crew<'_> {
    fn end(&self) -> u64 {
        self.arguments.first + self.arguments.count
    }

    /// Starts process `job` with shader `first`, and a thread that forwards its output.
    fn start(&self, job: u64, first: u64) -> Result<Child> {
        let number = |number: u64| number.to_string();
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--step", &number(self.jobs), "--first", &number(first), "--count", &number(self.end() - first)])
            .args(["--device", &self.arguments.device])
            .args(self.arguments.through.iter().flat_map(|reader| ["--through".as_ref(), reader.as_os_str()]))
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().context("a process without output")?).lines();
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            // The receiver is gone after a wrong shader.
            lines.map_while(Result::ok).for_each(|line| drop(sender.send((job, Some(line)))));
            drop(sender.send((job, None)));
        });
        Ok(child)
    }

    /// Counts the results of the processes, until all shaders are done or one is wrong.
    fn listen(&mut self, messages: &mpsc::Receiver<Message>) -> Result<Tally> {
        let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} shaders, {per_sec}, {eta} left")?;
        let bar = ProgressBar::new(self.arguments.count).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(500));
        let mut tally = Tally::default();
        let mut left = self.jobs;
        while left > 0 && (self.arguments.all || tally.wrong.is_empty()) {
            let (job, line) = messages.recv()?;
            let seed = self.workers[job as usize].1;
            let died = line.is_none() && seed < self.end();
            let Some(line) = line.or_else(|| died.then(|| "wrong the process died".to_string())) else {
                left -= 1;
                continue;
            };
            tally.count(seed, &line);
            bar.inc(1);
            let next = seed + self.jobs;
            self.workers[job as usize].1 = next;
            if died && next < self.end() {
                self.workers[job as usize].0 = self.start(job, next)?;
            } else if died {
                left -= 1;
            }
        }
        bar.finish_and_clear();
        Ok(tally)
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        for (worker, _) in &mut self.workers {
            // Processes that have ended cannot be killed, which is not an error.
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

/// The results of all shaders.
#[derive(Default)]
struct Tally {
    same: u64,
    bytes: u64,
    /// Shaders that were left out, by reason.
    left_out: BTreeMap<String, u64>,
    /// The mismatches that were found.
    wrong: BTreeMap<u64, String>,
}

impl Tally {
    /// Counts the result of the shader of `seed`.
    fn count(&mut self, seed: u64, line: &str) {
        let (verdict, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verdict {
            "same" => {
                self.same += 1;
                self.bytes += rest.parse::<u64>().unwrap_or(0);
            }
            "left" => *self.left_out.entry(rest.to_string()).or_default() += 1,
            _ => drop(self.wrong.insert(seed, rest.to_string())),
        }
    }

    /// The number of shaders that were run.
    fn asked(&self) -> u64 {
        self.same + self.left_out.values().sum::<u64>() + self.wrong.len() as u64
    }
}

/// Runs one shader after the other until all are done or one is wrong.
fn many(arguments: &Arguments) -> Result<()> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let jobs = arguments.jobs.unwrap_or_else(cores).clamp(1, arguments.count.max(1));
    let (sender, messages) = mpsc::channel();
    let start = Instant::now();
    let mut crew = Crew { arguments, jobs, workers: Vec::new(), sender };
    for job in 0..jobs {
        let first = arguments.first + job;
        let worker = crew.start(job, first)?;
        crew.workers.push((worker, first));
    }
    let tally = crew.listen(&messages)?;
    let asked = tally.asked();
    let rate = asked as f64 / start.elapsed().as_secs_f64();
    println!("{asked} shaders, {rate:.0} per second: {} agree, in {} bytes", tally.same, tally.bytes);
    tally.left_out.iter().for_each(|(why, count)| println!("{count:8} left out: {why}"));
    let reports: Vec<String> =
        tally.wrong.iter().map(|(seed, problem)| report(*seed, problem, arguments)).collect::<Result<_>>()?;
    match reports.len() {
        0 => Ok(()),
        wrong => bail!("{wrong} of {asked} shaders are wrong\n{}", reports.join("\n")),
    }
}

/// Writes the shader to a file, and returns the message.
fn report(seed: u64, problem: &str, arguments: &Arguments) -> Result<String> {
    std::fs::create_dir_all(&arguments.out)?;
    let path = arguments.out.join(format!("{seed}.nir"));
    let program: Vec<String> = program_of_seed(seed).iter().map(text::print).collect();
    std::fs::write(&path, program.join("\n"))?;
    let again = format!("`cargo xtask oracle --seed {seed}` runs it again");
    Ok(format!("shader {seed}: {problem}\nIt is in {}; {again}.", path.display()))
}
