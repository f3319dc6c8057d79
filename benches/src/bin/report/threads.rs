// SPDX-License-Identifier: MIT

//! ntv on several threads.

use crate::{finish, head, median};
use anyhow::{Context, Result};
use ntv_benches::Log;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Instructions per microsecond, of threads and of processes, at each turn.
type Rates = [Vec<f64>; 2];

/// Writes the table of a log of the benchmark `threads`.
pub(crate) fn write(log: &Path, results: &Path) -> Result<()> {
    let mut by_count: BTreeMap<u64, Rates> = BTreeMap::new();
    for row in Log::read(log)?.rows() {
        let rates = by_count.entry(row.number("count")? as u64).or_default();
        for (rates, time) in rates.iter_mut().zip(["threads_ns", "processes_ns"]) {
            rates.push(row.number("instrs")? / row.number(time)? * 1e3);
        }
    }
    let medians: Vec<(u64, [f64; 2])> = by_count.into_iter().map(|(count, rates)| (count, rates.map(median))).collect();
    let (_, alone) = medians.first().context("nothing was measured")?;
    let mut out = head("Threads", "cargo xtask bench --threads");
    out += "\n| threads | million instructions/s | times one thread | as many processes, times one process |\n\
        | ---: | ---: | ---: | ---: |\n";
    for (count, rates) in &medians {
        writeln!(out, "| {count} | {:.2} | {:.2} | {:.2} |", rates[0], rates[0] / alone[0], rates[1] / alone[1])?;
    }
    finish(results, "threads.md", &out)
}
