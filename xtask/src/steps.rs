// SPDX-License-Identifier: MIT

//! The steps of a chore, with the time of each.

use anyhow::{ensure, Result};
use nix::sys::resource::{getrusage, UsageWho};
use std::fs::File;
use std::io::{self, Seek as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The steps that are done.
pub(crate) struct Steps {
    start: Instant,
    done: Vec<Step>,
}

struct Step {
    name: &'static str,
    wall: Duration,
    /// The time of processors in the programs that the step has run.
    processor: Duration,
}

impl Steps {
    pub(crate) fn new() -> Steps {
        Steps { start: Instant::now(), done: Vec::new() }
    }

    /// Runs a step, and prints its time if it succeeds.
    pub(crate) fn run(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("== {name}");
        let (start, before) = (Instant::now(), processor_time()?);
        work()?;
        let step = Step { name, wall: start.elapsed(), processor: processor_time()?.saturating_sub(before) };
        println!("== {}", step.line());
        self.done.push(step);
        Ok(())
    }

    /// Does the steps of `work` while another chore runs, whose name is its argument: one of them often waits for one core. The
    /// output of the other chore is printed after that of the steps. Both are done to their ends if one fails.
    pub(crate) fn beside(&mut self, chore: &'static str, work: impl FnOnce(&mut Steps) -> Result<()>) -> Result<()> {
        println!("== {chore}, beside the next steps");
        let mut log = tempfile::tempfile()?;
        let said = |log: &File| Ok::<Stdio, io::Error>(log.try_clone()?.into());
        let mut other = Command::new(std::env::current_exe()?);
        let start = Instant::now();
        let mut other = other.arg(chore).stdin(Stdio::null()).stdout(said(&log)?).stderr(said(&log)?).spawn()?;
        let worked = work(self);
        let before = processor_time()?;
        let status = other.wait()?;
        log.rewind()?;
        io::copy(&mut log, &mut io::stdout())?;
        let step = Step { name: chore, wall: start.elapsed(), processor: processor_time()?.saturating_sub(before) };
        println!("== {}", step.line());
        self.done.push(step);
        ensure!(status.success(), "`cargo xtask {chore}` failed: {status}");
        worked
    }

    /// Prints the times of all steps, and of all together.
    pub(crate) fn print(&self) {
        let processor = self.done.iter().map(|step| step.processor).sum();
        let all = Step { name: "all of these steps", wall: self.start.elapsed(), processor };
        self.done.iter().chain([&all]).for_each(|step| println!("== {}", step.line()));
    }
}

impl Step {
    fn line(&self) -> String {
        let [wall, processor] = [self.wall, self.processor].map(|time| time.as_secs());
        format!("{}: {wall} s, {processor} s of processor time", self.name)
    }
}

/// The time of processors in all programs that this one has started and that have ended.
fn processor_time() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let [user, system] = [usage.user_time(), usage.system_time()].map(|time| {
        Duration::from_secs(time.tv_sec().unsigned_abs()) + Duration::from_micros(time.tv_usec().unsigned_abs())
    });
    Ok(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This program takes the name of a test, or refuses an option, where `cargo xtask` takes that of a chore.
    #[test]
    fn both_are_done_if_one_fails() {
        let mut steps = Steps::new();
        steps.beside("no_test_has_this_name", |steps| steps.run("a step", || Ok(()))).unwrap();
        let refused = steps.beside("--no-such-option", |steps| steps.run("another step", || Ok(()))).unwrap_err();
        assert!(refused.to_string().contains("--no-such-option"), "{refused}");
        let failed = steps.beside("no_test_has_this_name", |_| anyhow::bail!("a fault")).unwrap_err();
        assert_eq!(failed.to_string(), "a fault");
        let names: Vec<&str> = steps.done.iter().map(|step| step.name).collect();
        let other = "no_test_has_this_name";
        assert_eq!(names, ["a step", other, "another step", "--no-such-option", other]);
    }
}
