//! `cargo xtask oracle`: random shaders on the interpreter and on lavapipe, as many as asked for, until two results differ.
//!
//! Every shader has a number that it follows from. A mismatch ends the run, names that number and leaves the shader in
//! `target/oracle/`; `--seed` runs one again and prints everything about it.
//!
//! The work is done by processes of this program that write a line for each shader: a driver that crashes takes only one of
//! them along, and the shader that it crashed on is known.

#![allow(clippy::print_stdout, reason = "a program says what it found")]

use anyhow::{bail, Context, Result};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use ntv::text;
use ntv_gen::oracle::{Oracle, Verdict};
use ntv_gen::{shader_of_seed, Purpose};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Holds ntv and the interpreter against a Vulkan driver.
#[derive(Parser)]
#[command(name = "cargo xtask oracle")]
struct Arguments {
    /// How many shaders to run
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The number of the first shader
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Run this shader alone, and print it
    #[arg(long, conflicts_with_all = ["count", "first"])]
    seed: Option<u64>,
    /// Processes; one per core if not given
    #[arg(long)]
    jobs: Option<u64>,
    /// The device, by a part of its name
    #[arg(long, default_value = "llvmpipe")]
    device: String,
    /// Where a shader goes whose results differ
    #[arg(long, default_value = "target/oracle")]
    out: PathBuf,
    /// Be one of the processes that work: run every so many shaders
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
    println!("{}", text::print(&shader_of_seed(seed, Purpose::Driver)));
    match oracle.ask(seed) {
        Verdict::Same(bytes) => println!("shader {seed}: {bytes} bytes are the same"),
        Verdict::Meaningless(why) => println!("shader {seed} has no meaning: {why}"),
        Verdict::Wrong(problem) => bail!("shader {seed}: {problem}"),
    }
    Ok(())
}

/// A process that works: writes a line for each of its shaders.
fn work(step: u64, arguments: &Arguments) -> Result<()> {
    let mut oracle = Oracle::open(&arguments.device)?;
    for seed in (arguments.first..arguments.first + arguments.count).step_by(step as usize) {
        match oracle.ask(seed) {
            Verdict::Same(bytes) => println!("same {bytes}"),
            Verdict::Meaningless(why) => println!("meaningless {}", why.replace('\n', " ")),
            Verdict::Wrong(problem) => println!("wrong {}", problem.replace('\n', " ")),
        }
    }
    Ok(())
}

/// What a process says: its number, and a line; `None` at its end.
type Message = (u64, Option<String>);

/// Runs one shader after the other until all are done or one is wrong.
fn many(arguments: &Arguments) -> Result<()> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let jobs = arguments.jobs.unwrap_or_else(cores).clamp(1, arguments.count.max(1));
    let (sender, messages) = mpsc::channel();
    let start = Instant::now();
    let mut workers: Vec<Child> =
        (0..jobs).map(|job| spawn(job, jobs, arguments, sender.clone())).collect::<Result<_>>()?;
    drop(sender);
    let tally = listen(jobs, &messages, arguments);
    for worker in &mut workers {
        // Those that are done cannot be killed, which is no fault.
        let _ = worker.kill();
        worker.wait()?;
    }
    let tally = tally?;
    let asked = tally.same + tally.meaningless.values().sum::<u64>();
    let rate = asked as f64 / start.elapsed().as_secs_f64();
    println!("{asked} shaders, {rate:.0} per second: {} agree, in {} bytes", tally.same, tally.bytes);
    tally.meaningless.iter().for_each(|(why, count)| println!("{count:8} have no meaning: {why}"));
    match tally.wrong {
        Some((seed, problem)) => bail!("{}", report(seed, &problem, arguments)?),
        None => Ok(()),
    }
}

/// Starts process `job` of `jobs`, with a thread that passes on what it says.
fn spawn(job: u64, jobs: u64, arguments: &Arguments, sender: mpsc::Sender<Message>) -> Result<Child> {
    let number = |number: u64| number.to_string();
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--step", &number(jobs), "--first", &number(arguments.first + job)])
        .args(["--count", &number(arguments.count - job), "--device", &arguments.device])
        .stdout(Stdio::piped())
        .spawn()?;
    let lines = BufReader::new(child.stdout.take().context("a process without output")?).lines();
    std::thread::spawn(move || {
        // Nobody listens any more once a shader was wrong.
        lines.map_while(Result::ok).for_each(|line| drop(sender.send((job, Some(line)))));
        drop(sender.send((job, None)));
    });
    Ok(child)
}

/// What came of all shaders.
#[derive(Default)]
struct Tally {
    same: u64,
    bytes: u64,
    meaningless: BTreeMap<String, u64>,
    /// The first mismatch that was found.
    wrong: Option<(u64, String)>,
}

/// Counts what the processes say.
fn listen(jobs: u64, messages: &mpsc::Receiver<Message>, arguments: &Arguments) -> Result<Tally> {
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} shaders, {per_sec}, {eta} left")?;
    let bar = ProgressBar::new(arguments.count).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    let mut tally = Tally::default();
    // The next shader of each process.
    let mut next: Vec<u64> = (0..jobs).map(|job| arguments.first + job).collect();
    for (job, line) in messages {
        let seed = next[job as usize];
        let line = match line {
            Some(line) => line,
            None if seed < arguments.first + arguments.count => "wrong the process died".to_string(),
            None => continue,
        };
        next[job as usize] += jobs;
        bar.inc(1);
        let (verdict, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match verdict {
            "same" => {
                tally.same += 1;
                tally.bytes += rest.parse::<u64>().unwrap_or(0);
            }
            "meaningless" => *tally.meaningless.entry(rest.to_string()).or_default() += 1,
            _ => {
                tally.wrong = Some((seed, rest.to_string()));
                break;
            }
        }
    }
    bar.finish_and_clear();
    Ok(tally)
}

/// Leaves the shader in a file; what to tell.
fn report(seed: u64, problem: &str, arguments: &Arguments) -> Result<String> {
    std::fs::create_dir_all(&arguments.out)?;
    let path = arguments.out.join(format!("{seed}.nir"));
    std::fs::write(&path, text::print(&shader_of_seed(seed, Purpose::Driver)))?;
    let again = format!("`cargo xtask oracle --seed {seed}` runs it again");
    Ok(format!("shader {seed}: {problem}\nIt is in {}; {again}.", path.display()))
}
