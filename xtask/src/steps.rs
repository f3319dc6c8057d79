// SPDX-License-Identifier: MIT

//! The steps of a chore, with the time of each.

use anyhow::Result;
use nix::sys::resource::{getrusage, UsageWho};
use std::time::{Duration, Instant};

/// The steps that are done.
pub(crate) struct Steps {
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
        Steps { done: Vec::new() }
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

    /// Prints the times of all steps, and their sums.
    pub(crate) fn print(&self) {
        let sum = |time: fn(&Step) -> Duration| self.done.iter().map(time).sum();
        let all =
            Step { name: "all of these steps", wall: sum(|step| step.wall), processor: sum(|step| step.processor) };
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
