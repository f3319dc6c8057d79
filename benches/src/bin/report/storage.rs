// SPDX-License-Identifier: MIT

//! The cost of reading a uniform block through a storage buffer, on each measured device.

use crate::{finish, head, median};
use anyhow::{ensure, Result};
use ntv_benches::log::Row;
use ntv_benches::Log;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The compared classes; the first is the reference.
const CLASSES: [&str; 3] = ["uniform", "storage", "clamped"];
/// The names of indices in the benchmark, and in the tables.
const INDICES: [[&str; 2]; 4] =
    [["straight", "constant, no loop"], ["constant", "constant"], ["uniform", "uniform"], ["divergent", "divergent"]];

/// The times of a turn, in nanoseconds.
#[derive(Clone, Copy)]
struct Times {
    shader: f64,
    pipeline: f64,
    /// The time of the pipeline, and the additional time of the shader's first run.
    until_used: f64,
}

/// The turns of a round, by the index of the class in [`CLASSES`].
type Round = [Option<Times>; 3];

/// The measurements of a size and an index.
#[derive(Default)]
struct Cell {
    rounds: BTreeMap<u64, Round>,
    loads: f64,
    words: [f64; 3],
}

/// The measurements by bytes, and by the index in [`INDICES`].
type Cells = BTreeMap<(u64, usize), Cell>;

/// Writes the tables of logs of the benchmark `storage`, one device each.
pub(crate) fn write(logs: &[PathBuf], results: &Path) -> Result<()> {
    let mut out = head("Uniform blocks in storage buffers", "cargo xtask bench --storage");
    for log in logs {
        device(&mut out, &Log::read(log)?)?;
    }
    finish(results, "storage.md", &out)
}

/// The tables of a device.
fn device(out: &mut String, log: &Log) -> Result<()> {
    let mut titles = BTreeSet::new();
    let mut cells = Cells::new();
    for row in log.rows() {
        titles.insert((row.text("device")?, row.text("driver")?, row.text("clock")?));
        add(&mut cells, row)?;
    }
    ensure!(titles.len() == 1, "a log of {} devices", titles.len());
    for (device, driver, clock) in titles {
        writeln!(out, "\n## {device}\n\nThe driver is {driver}. Shaders are timed by {clock}.")?;
    }
    shaders(out, &cells)?;
    pipelines(out, &cells)
}

fn add(cells: &mut Cells, row: Row<'_>) -> Result<()> {
    let place = |names: &[&str], column| -> Result<usize> {
        let name = row.text(column)?;
        let place = names.iter().position(|known| *known == name);
        place.ok_or_else(|| anyhow::anyhow!("{column} is {name:?}"))
    };
    let (class, index) = (place(&CLASSES, "class")?, place(&INDICES.map(|[name, _]| name), "index")?);
    let cell = cells.entry((row.number("bytes")? as u64, index)).or_default();
    let pipeline = row.number("pipeline_ns")?;
    let times =
        Times { shader: row.number("shader_ns")?, pipeline, until_used: pipeline + row.number("first_use_ns")? };
    cell.rounds.entry(row.number("round")? as u64).or_default()[class] = Some(times);
    cell.loads = row.number("loads")?;
    cell.words[class] = row.number("words")?;
    Ok(())
}

impl Cell {
    /// The median time of a class.
    fn time(&self, class: usize, what: fn(Times) -> f64) -> Option<f64> {
        some_median(self.rounds.values().filter_map(|round| round[class].map(what)).collect())
    }

    /// The median, over the rounds, of the time of a class divided by that of the first.
    fn ratio(&self, class: usize, what: fn(Times) -> f64) -> Option<f64> {
        let ratio = |round: &Round| Some(what(round[class]?) / what(round[0]?));
        some_median(self.rounds.values().filter_map(ratio).collect())
    }
}

/// The median, or `None` of an empty list.
fn some_median(numbers: Vec<f64>) -> Option<f64> {
    (!numbers.is_empty()).then(|| median(numbers))
}

fn figure(number: Option<f64>, decimals: usize) -> String {
    number.map_or("-".into(), |number| format!("{number:.decimals$}"))
}

fn shaders(out: &mut String, cells: &Cells) -> Result<()> {
    *out +=
        "\n| block, KiB | index | rounds | uniform, us for a million loads | storage / uniform | clamped / uniform |\n\
        | ---: | --- | ---: | ---: | ---: | ---: |\n";
    for ((bytes, index), cell) in cells {
        let own = cell.time(0, |times| times.shader).map(|time| time / cell.loads * 1e3);
        let [storage, clamped] = [1, 2].map(|class| figure(cell.ratio(class, |times| times.shader), 2));
        let (kib, index, rounds) = (bytes / 1024, INDICES[*index][1], cell.rounds.len());
        writeln!(out, "| {kib} | {index} | {rounds} | {} | {storage} | {clamped} |", figure(own, 2))?;
    }
    Ok(())
}

fn pipelines(out: &mut String, cells: &Cells) -> Result<()> {
    *out += "\n| block, KiB | index | pipeline, uniform, ms | storage / uniform | clamped / uniform \
        | pipeline and first use, uniform, ms | storage / uniform | clamped / uniform | words: uniform, storage, clamped |\n\
        | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for ((bytes, index), cell) in cells {
        write!(out, "| {} | {}", bytes / 1024, INDICES[*index][1])?;
        let kinds: [fn(Times) -> f64; 2] = [|times| times.pipeline, |times| times.until_used];
        for what in kinds {
            let own = cell.time(0, what).map(|time| time / 1e6);
            let [storage, clamped] = [1, 2].map(|class| figure(cell.ratio(class, what), 2));
            write!(out, " | {} | {storage} | {clamped}", figure(own, 2))?;
        }
        writeln!(out, " | {} |", cell.words.map(|words| words.to_string()).join(", "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "device\tdriver\tclock\tbytes\tindex\tloads\tround\tclass\twords\tshader_ns\tpipeline_ns\tfirst_use_ns";

    #[test]
    fn ratios_are_those_of_a_round() {
        let mut text = HEAD.to_string();
        // The device is twice as slow in the second round, and three times in the third.
        for round in 0..3 {
            for (class, factor) in [("uniform", 1), ("storage", 4), ("clamped", 5)] {
                let time = 1000 * (round + 1) * factor;
                let start = format!("gpu\tit 1.0\ttimestamps\t4096\tdivergent\t1000\t{round}\t{class}");
                write!(text, "\n{start}\t{}\t{time}\t{time}\t0", 10 * factor).unwrap();
            }
        }
        let mut out = String::new();
        device(&mut out, &Log::parse(&text)).unwrap();
        assert!(out.contains("## gpu\n\nThe driver is it 1.0. Shaders are timed by timestamps.\n"), "{out}");
        assert!(out.contains("| 4 | divergent | 3 | 2000.00 | 4.00 | 5.00 |\n"), "{out}");
        assert!(out.contains("| 4 | divergent | 0.00 | 4.00 | 5.00 | 0.00 | 4.00 | 5.00 | 10, 40, 50 |\n"), "{out}");
    }

    #[test]
    fn a_log_of_two_devices_is_refused() {
        let row = |device| format!("{device}\tit\ttimestamps\t4096\tuniform\t1\t0\tuniform\t1\t1\t1\t1");
        let text = format!("{HEAD}\n{}\n{}", row("one"), row("other"));
        let error = device(&mut String::new(), &Log::parse(&text)).unwrap_err();
        assert_eq!(error.to_string(), "a log of 2 devices");
    }
}
