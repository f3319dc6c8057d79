// SPDX-License-Identifier: MIT

//! The report on the back ends of transform feedback.

use crate::{finish, head, median};
use anyhow::{ensure, Result};
use ntv_benches::log::{Log, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The compared ways; the first is the reference.
const WAYS: [&str; 4] = ["extension", "storage", "compute", "nothing"];

/// The nanoseconds of a round, by the index of the way in [`WAYS`].
type Round = [Option<f64>; 4];

/// The rounds by primitives, words and vertices.
type Cells = BTreeMap<(String, u64, u64), BTreeMap<u64, Round>>;

/// Writes the tables of logs of the benchmark `captures`, one device each.
pub(crate) fn write(logs: &[PathBuf], results: &Path) -> Result<()> {
    let mut out = head("The back ends of transform feedback", "cargo xtask bench --captures");
    for log in logs {
        device(&mut out, &Log::read(log)?)?;
    }
    finish(results, "captures.md", &out)
}

/// The table of a device.
fn device(out: &mut String, log: &Log) -> Result<()> {
    let mut titles = BTreeSet::new();
    let mut cells = Cells::new();
    for row in log.rows() {
        titles.insert((row.text("device")?, row.text("driver")?, row.text("clock")?, row.text("date")?));
        add(&mut cells, row)?;
    }
    ensure!(titles.len() == 1, "a log of {} devices", titles.len());
    for (device, driver, clock, date) in titles {
        writeln!(out, "\n## {device}\n\nThe driver is {driver}. Draws were timed by {clock}, on {date}.")?;
    }
    *out += "\n| primitives | words | vertices | rounds | extension, us | ns for a vertex | storage / extension \
        | compute / extension | nothing / extension |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for ((primitives, words, vertices), rounds) in &cells {
        let own = some_median(rounds.values().filter_map(|round| round[0]).collect());
        let times = [own.map(|time| time / 1e3), own.map(|time| time / *vertices as f64)];
        let ratio = |way: usize| {
            let all = rounds.values().filter_map(|round| Some(round[way]? / round[0]?));
            some_median(all.collect())
        };
        let [time, each] = times.map(|time| figure(time, 1));
        let ratios = [1, 2, 3].map(|way| figure(ratio(way), 2)).join(" | ");
        writeln!(out, "| {primitives} | {words} | {vertices} | {} | {time} | {each} | {ratios} |", rounds.len())?;
    }
    Ok(())
}

fn add(cells: &mut Cells, row: Row<'_>) -> Result<()> {
    let name = row.text("way")?;
    let way = WAYS.iter().position(|known| *known == name);
    let way = way.ok_or_else(|| anyhow::anyhow!("way is {name:?}"))?;
    let key = (row.text("topology")?.to_string(), row.number("words")? as u64, row.number("vertices")? as u64);
    let rounds = cells.entry(key).or_default();
    rounds.entry(row.number("round")? as u64).or_default()[way] = Some(row.number("ns")?);
    Ok(())
}

/// The median, or `None` of an empty list.
fn some_median(numbers: Vec<f64>) -> Option<f64> {
    (!numbers.is_empty()).then(|| median(numbers))
}

fn figure(number: Option<f64>, decimals: usize) -> String {
    number.map_or("-".into(), |number| format!("{number:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_a_round() {
        let mut text = "date\tdevice\tdriver\tclock\ttopology\tvertices\twords\tround\tway\tns".to_string();
        // The device is twice as slow in the second round, and three times in the third.
        for round in 0..3 {
            for (way, factor) in [("extension", 2), ("storage", 3), ("nothing", 1)] {
                let time = 10_000 * (round + 1) * factor;
                write!(text, "\n2026-01-02\tgpu\tit 1.0\ttimestamps\tpoints\t1000\t4\t{round}\t{way}\t{time}").unwrap();
            }
        }
        let mut out = String::new();
        device(&mut out, &Log::parse(&text)).unwrap();
        assert!(out.contains("Draws were timed by timestamps, on 2026-01-02.\n"), "{out}");
        assert!(out.contains("| points | 4 | 1000 | 3 | 40.0 | 40.0 | 1.50 | - | 0.50 |\n"), "{out}");
    }
}
