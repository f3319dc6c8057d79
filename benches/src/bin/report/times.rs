// SPDX-License-Identifier: MIT

//! Criterion's last measurements.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use walkdir::WalkDir;

/// Medians, by benchmark and parameter.
pub(crate) struct Times(BTreeMap<(String, String), Time>);

#[derive(Clone, Copy)]
pub(crate) struct Time {
    pub(crate) nanoseconds: f64,
    /// The number of instructions, bytes or modules.
    pub(crate) amount: f64,
}

impl Time {
    pub(crate) fn each(self) -> f64 {
        self.nanoseconds / self.amount
    }
}

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    value_str: Option<String>,
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
enum Throughput {
    Elements(u64),
    Bytes(u64),
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

impl Times {
    pub(crate) fn read(folder: &Path) -> Result<Times> {
        let mut times = BTreeMap::new();
        for entry in WalkDir::new(folder) {
            let path = entry.context("run the benchmarks first")?.into_path();
            if !path.ends_with("new/benchmark.json") {
                continue;
            }
            let benchmark: Benchmark = serde_json::from_slice(&std::fs::read(&path)?)?;
            let estimates: Estimates = serde_json::from_slice(&std::fs::read(path.with_file_name("estimates.json"))?)?;
            let amount = match benchmark.throughput.context("a benchmark without throughput")? {
                Throughput::Elements(count) | Throughput::Bytes(count) => count as f64,
            };
            let time = Time { nanoseconds: estimates.median.point_estimate, amount };
            times.insert((benchmark.group_id, benchmark.value_str.unwrap_or_default()), time);
        }
        Ok(Times(times))
    }

    pub(crate) fn get(&self, group: &str, parameter: &str) -> Result<Time> {
        let time = self.0.get(&(group.to_owned(), parameter.to_owned())).copied();
        time.with_context(|| format!("nothing measured for {group} of {parameter}"))
    }
}
