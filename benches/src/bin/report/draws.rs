// SPDX-License-Identifier: MIT

//! The CPU time of a draw, on ntv's own driver and on zink.

use crate::{finish, head};
use anyhow::{ensure, Context, Result};
use ntv_benches::log::{Log, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The names of the sides in logs.
const SIDES: [&str; 5] = ["ntv", "zink", "zink threaded", "opengl", "ntv null"];

/// Workloads in the order of the table.
const WORKLOADS: [&str; 10] = [
    "none",
    "vertex buffer",
    "uniform buffer",
    "uniform",
    "texture",
    "program",
    "blend",
    "vertex format",
    "viewport",
    "framebuffer",
];

/// The times of a draw, in nanoseconds.
#[derive(Clone, Copy)]
struct Times {
    /// CPU time of the calling thread: the median and the minimum of all rounds.
    cpu: [f64; 2],
    /// The same for the wall time.
    wall: [f64; 2],
}

/// The measurements of a workload.
#[derive(Default)]
struct Cell {
    /// The number of draws of a round, which is the same on all sides.
    draws: Option<f64>,
    /// The times by the index of the side in [`SIDES`].
    times: [Option<Times>; 5],
}

impl Cell {
    fn cpu(&self, side: usize) -> Option<[f64; 2]> {
        self.times[side].map(|times| times.cpu)
    }

    /// zink's time without OpenGL's time above it.
    fn zink_alone(&self) -> Option<[f64; 2]> {
        let ([median, least], [above, least_above]) = (self.cpu(1)?, self.cpu(3)?);
        Some([median - above, least - least_above])
    }
}

/// The measurements by the index of the workload.
type Cells = BTreeMap<usize, Cell>;

/// Writes the tables of logs of the benchmark `draws` and of `tests/mesa/draws/draws.c`.
pub(crate) fn write(logs: &[PathBuf], results: &Path) -> Result<()> {
    let logs = logs.iter().map(|log| Log::read(log)).collect::<Result<Vec<Log>>>()?;
    finish(results, "draws.md", &text(&logs)?)
}

fn text(logs: &[Log]) -> Result<String> {
    let (mut cells, mut devices) = (Cells::new(), BTreeSet::new());
    for row in logs.iter().flat_map(Log::rows) {
        let side = add(&mut cells, row)?;
        devices.insert((side, row.text("device")?, row.text("driver")?, row.text("date")?, row.text("rounds")?));
    }
    ensure!(!cells.is_empty(), "nothing was measured");
    let mut out = head("Draws", "cargo xtask bench --draws");
    out += "\n| | device | driver | date | rounds |\n| --- | --- | --- | --- | ---: |\n";
    for (side, device, driver, date, rounds) in devices {
        writeln!(out, "| {} | {device} | {driver} | {date} | {rounds} |", SIDES[side])?;
    }
    costs(&mut out, &cells)?;
    rates(&mut out, &cells)?;
    Ok(out)
}

/// Adds a line of a log; returns the index of its side.
fn add(cells: &mut Cells, row: Row<'_>) -> Result<usize> {
    let place = |names: &[&str], column| -> Result<usize> {
        let name = row.text(column)?;
        names.iter().position(|known| *known == name).with_context(|| format!("{column} is {name:?}"))
    };
    let (side, workload) = (place(&SIDES, "side")?, place(&WORKLOADS, "workload")?);
    let pair = |median, least| Ok::<_, anyhow::Error>([row.number(median)?, row.number(least)?]);
    let times = Times { cpu: pair("cpu_ns", "cpu_min_ns")?, wall: pair("wall_ns", "wall_min_ns")? };
    let (cell, draws) = (cells.entry(workload).or_default(), row.number("draws")?);
    let name = WORKLOADS[workload];
    ensure!(cell.draws.is_none_or(|known| known == draws), "{name}: the numbers of draws of the sides differ");
    cell.draws = Some(draws);
    let old = cell.times[side].replace(times);
    ensure!(old.is_none(), "{name}: {} was measured twice", SIDES[side]);
    Ok(side)
}

/// The table of the CPU time of the calling thread. A ratio below 1 means that ntv's driver is faster.
fn costs(out: &mut String, cells: &Cells) -> Result<()> {
    *out += "\n## CPU time of a draw, in ns\n\n\
        | changes | draws | ntv | zink alone | ntv / zink alone | ntv, least | zink alone, least | ntv / zink alone, least \
        | ntv on the null device | OpenGL above zink | zink with OpenGL | zink threaded, with OpenGL |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (workload, cell) in cells {
        write!(out, "| {} | {} ", WORKLOADS[*workload], cell.draws.unwrap_or_default())?;
        let (own, zink) = (cell.cpu(0), cell.zink_alone());
        for which in 0..2 {
            let [own, zink] = [own, zink].map(|times| times.map(|times| times[which]));
            let ratio = own.zip(zink).map(|(own, zink)| own / zink);
            write!(out, "| {} | {} | {} ", figure(own, 0), figure(zink, 0), figure(ratio, 2))?;
        }
        let others = [4, 3, 1, 2].map(|side| figure(cell.cpu(side).map(|times| times[0]), 0));
        writeln!(out, "| {} |", others.join(" | "))?;
    }
    Ok(())
}

/// The table of draws per second of wall time, including the flush of the last one.
fn rates(out: &mut String, cells: &Cells) -> Result<()> {
    *out += "\n## Thousand draws per second\n\n\
        | changes | ntv | zink | ntv / zink | zink threaded | ntv, most | zink, most | zink threaded, most |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (workload, cell) in cells {
        let rate = |side: usize, which: usize| cell.times[side].map(|times| 1e6 / times.wall[which]);
        let ratio = rate(0, 0).zip(rate(1, 0)).map(|(own, zink)| own / zink);
        let [own, zink, threaded] = [0, 1, 2].map(|side| figure(rate(side, 0), 0));
        let most = [0, 1, 2].map(|side| figure(rate(side, 1), 0)).join(" | ");
        let ratio = figure(ratio, 2);
        writeln!(out, "| {} | {own} | {zink} | {ratio} | {threaded} | {most} |", WORKLOADS[*workload])?;
    }
    Ok(())
}

fn figure(number: Option<f64>, decimals: usize) -> String {
    number.map_or("-".into(), |number| format!("{number:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "date\tside\tdevice\tdriver\tworkload\tdraws\trounds\tcpu_ns\tcpu_min_ns\twall_ns\twall_min_ns";

    fn log(rows: &[(&str, &str, [u32; 5])]) -> Log {
        let mut text = HEAD.to_string();
        for (side, workload, [draws, cpu, cpu_min, wall, wall_min]) in rows {
            let start = format!("\n2026-01-02\t{side}\tgpu\tit 1.0\t{workload}\t{draws}\t31");
            write!(text, "{start}\t{cpu}\t{cpu_min}\t{wall}\t{wall_min}").unwrap();
        }
        Log::parse(&text)
    }

    #[test]
    fn both_sides_are_compared_without_the_time_of_opengl() {
        let zink = log(&[
            ("zink", "blend", [1000, 500, 450, 1000, 800]),
            ("zink threaded", "blend", [1000, 90, 80, 500, 400]),
            ("opengl", "blend", [1000, 100, 50, 100, 100]),
            ("zink", "none", [1000, 300, 300, 500, 500]),
        ]);
        let own = log(&[("ntv", "blend", [1000, 200, 100, 250, 200]), ("ntv null", "blend", [1000, 40, 30, 50, 40])]);
        let text = text(&[zink, own]).unwrap();
        assert!(text.contains("\n| zink threaded | gpu | it 1.0 | 2026-01-02 | 31 |\n"), "{text}");
        assert!(
            text.contains("\n| blend | 1000 | 200 | 400 | 0.50 | 100 | 400 | 0.25 | 40 | 100 | 500 | 90 |\n"),
            "{text}"
        );
        assert!(text.contains("\n| none | 1000 | - | - | - | - | - | - | - | - | 300 | - |\n"), "{text}");
        assert!(text.contains("\n| blend | 4000 | 1000 | 4.00 | 2000 | 5000 | 1250 | 2500 |\n"), "{text}");
        assert!(text.find("| none |").unwrap() < text.find("| blend |").unwrap());
    }

    #[test]
    fn logs_of_different_work_are_refused() {
        let refused = |rows: &[(&str, &str, [u32; 5])]| text(&[log(rows)]).unwrap_err().to_string();
        let times = [1000, 1, 1, 1, 1];
        let other = refused(&[("ntv", "none", times), ("zink", "none", [2000, 1, 1, 1, 1])]);
        assert_eq!(other, "none: the numbers of draws of the sides differ");
        assert_eq!(refused(&[("ntv", "none", times), ("ntv", "none", times)]), "none: ntv was measured twice");
        assert_eq!(refused(&[("ntv", "scissor", times)]), "workload is \"scissor\"");
        assert_eq!(refused(&[("mesa", "none", times)]), "side is \"mesa\"");
        assert_eq!(refused(&[]), "nothing was measured");
    }
}
