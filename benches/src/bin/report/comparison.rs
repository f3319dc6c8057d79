// SPDX-License-Identifier: MIT

//! Compares ntv with zink's own translator, shader by shader.

use crate::{finish, head, plot};
use anyhow::{ensure, Context, Result};
use ntv_benches::log::Row;
use ntv_benches::{Log, Ratios};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A comparison.
pub(crate) struct Comparison {
    /// The name of the files.
    name: &'static str,
    title: &'static str,
    command: &'static str,
    /// The title of each log, if there are several. The first log is plotted.
    logs: &'static [&'static str],
    /// The measures. The first is a time, which is plotted.
    measures: &'static [Measure],
}

struct Measure {
    name: &'static str,
    /// The columns of the log: ntv, then C.
    columns: [&'static str; 2],
    /// If set, only shaders with a value in this column count.
    only: Option<&'static str>,
}

const fn measure(name: &'static str, columns: [&'static str; 2]) -> Measure {
    Measure { name, columns, only: None }
}

pub(crate) const MESA: Comparison = Comparison {
    name: "mesa",
    title: "Translation inside zink",
    command: "cargo xtask bench --mesa",
    logs: &["Cold: each shader is translated once", "Warm: five times, of which the best counts"],
    measures: &[
        measure("time from the state tracker's NIR to words", ["ntv_ns", "c_ns"]),
        measure("of it the translators", ["ntv_translate_ns", "c_translate_ns"]),
        measure("SPIR-V words", ["ntv_words", "c_words"]),
    ],
};

pub(crate) const PIPELINES: Comparison = Comparison {
    name: "pipelines",
    title: "Modules and pipelines in the driver",
    command: "cargo xtask bench --pipelines",
    logs: &[""],
    measures: &[
        measure("time of module and pipeline", ["ntv_ns", "c_ns"]),
        Measure { only: Some("phis"), ..measure("the same where ntv has phis", ["ntv_ns", "c_ns"]) },
        measure("of it vkCreateShaderModule", ["ntv_module_ns", "c_module_ns"]),
        measure("SPIR-V words", ["ntv_words", "c_words"]),
    ],
};

/// The rows of the table by size: the number of instructions from which each row starts.
pub(crate) const SIZES: [f64; 6] = [0.0, 10.0, 30.0, 100.0, 300.0, f64::INFINITY];
/// The number of listed shaders with the worst ratios.
const WORST: usize = 10;

/// The rows of the table by age: the number of earlier translations of the process from which each row starts.
const AGES: [f64; 5] = [0.0, 1.0, 5.0, 20.0, f64::INFINITY];

/// Writes tables of `logs`, and a plot of the first.
pub(crate) fn write(comparison: &Comparison, logs: &[&PathBuf], results: &Path) -> Result<()> {
    ensure!(logs.len() == comparison.logs.len(), "{} logs, not {}", logs.len(), comparison.logs.len());
    let mut out = head(comparison.title, comparison.command);
    for (number, (title, path)) in comparison.logs.iter().zip(logs).enumerate() {
        if !title.is_empty() {
            write!(out, "\n## {title}\n")?;
        }
        let log = Log::read(path)?;
        section(&mut out, comparison, &log)?;
        if number == 0 {
            let done: Vec<Row<'_>> = translated(&log).0;
            let times = pairs(&done, comparison.measures[0].columns)?;
            let points: Vec<(f64, f64)> = times.iter().map(|[ours, theirs]| (*theirs, *ours)).collect();
            let lines = [(1.0, "as long"), (0.25, "a quarter")];
            let plot = results.join(format!("{}.svg", comparison.name));
            plot::scatter(&plot, comparison.title, ["C, ns", "ntv, ns"], &points, &lines)?;
        }
    }
    finish(results, &format!("{}.md", comparison.name), &out)
}

/// The shaders that ntv translated, and the others.
fn translated(log: &Log) -> (Vec<Row<'_>>, Vec<Row<'_>>) {
    log.rows().partition(|row| row.number("ntv_words").is_ok_and(|words| words > 0.0))
}

/// The tables of a log.
fn section(out: &mut String, comparison: &Comparison, log: &Log) -> Result<()> {
    let (done, refused) = translated(log);
    writeln!(out, "\n{} shaders; {} more that ntv did not translate.\n", done.len(), refused.len())?;
    *out += "| ntv / C";
    *out += Ratios::HEAD;
    for measure in comparison.measures {
        *out += &Ratios::new(measure.pairs(&done)?).context("an empty log")?.row(measure.name);
    }
    let times = comparison.measures[0].columns;
    totals(out, &done, comparison)?;
    steps(out, &done, times, "instrs", "NIR instructions", &SIZES)?;
    if log.has("before") {
        steps(out, &done, times, "before", "shaders that the process had before", &AGES)?;
    }
    worst(out, &done, times)
}

impl Measure {
    fn pairs(&self, rows: &[Row<'_>]) -> Result<Vec<[f64; 2]>> {
        let counts = |row: &&Row<'_>| self.only.is_none_or(|column| row.number(column).is_ok_and(|value| value > 0.0));
        pairs(&rows.iter().filter(counts).copied().collect::<Vec<_>>(), self.columns)
    }
}

/// The numbers in two columns.
fn pairs(rows: &[Row<'_>], columns: [&str; 2]) -> Result<Vec<[f64; 2]>> {
    rows.iter().map(|row| Ok([row.number(columns[0])?, row.number(columns[1])?])).collect()
}

fn totals(out: &mut String, rows: &[Row<'_>], comparison: &Comparison) -> Result<()> {
    *out += "\n| in total | ntv | C |\n| --- | ---: | ---: |\n";
    for measure in comparison.measures {
        let (pairs, name) = (measure.pairs(rows)?, measure.name);
        let [ours, theirs] = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).sum::<f64>());
        match measure.columns[0].ends_with("_ns") {
            true => writeln!(out, "| {name}, ms | {:.2} | {:.2} |", ours / 1e6, theirs / 1e6)?,
            false => writeln!(out, "| {name} | {ours} | {theirs} |")?,
        }
    }
    Ok(())
}

/// A table of the rows by the number in a column: each range starts at one of `from`, and ends before the next.
fn steps(out: &mut String, rows: &[Row<'_>], times: [&str; 2], column: &str, name: &str, from: &[f64]) -> Result<()> {
    writeln!(out, "\n| {name} | shaders | ntv, median us | C, median us | ntv / C, geometric mean | total |")?;
    *out += "| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for step in from.windows(2) {
        let (from, to) = (step[0], step[1]);
        let mut own = Vec::new();
        for row in rows {
            let number = row.number(column)?;
            own.extend((number >= from && number < to).then_some(*row));
        }
        let pairs = pairs(&own, times)?;
        if let Some(ratios) = Ratios::new(pairs.iter().copied()) {
            let name = match to - 1.0 {
                last if last == from => format!("{from}"),
                last if last.is_finite() => format!("{from} to {last}"),
                _ => format!("{from} and more"),
            };
            let [ours, theirs] = [0, 1].map(|side| median(pairs.iter().map(|pair| pair[side])) / 1e3);
            let (mean, total) = (ratios.geometric_mean(), ratios.total());
            writeln!(out, "| {name} | {} | {ours:.2} | {theirs:.2} | {mean:.3} | {total:.3} |", own.len())?;
        }
    }
    Ok(())
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn worst(out: &mut String, rows: &[Row<'_>], times: [&str; 2]) -> Result<()> {
    *out += "\n| the worst | stage | instructions | ntv, us | C, us | ntv / C |\n| --- | --- | ---: | ---: | ---: | ---: |\n";
    let mut sorted: Vec<([f64; 2], Row<'_>)> = pairs(rows, times)?.into_iter().zip(rows.iter().copied()).collect();
    sorted.sort_by(|([a, b], _), ([c, d], _)| (c / d).total_cmp(&(a / b)));
    for ([ours, theirs], row) in sorted.into_iter().take(WORST) {
        let (name, stage, size) = (row.text("shader")?, row.text("stage")?, row.text("instrs")?);
        let (us, them) = (ours / 1e3, theirs / 1e3);
        writeln!(out, "| {name} | {stage} | {size} | {us:.2} | {them:.2} | {:.3} |", ours / theirs)?;
    }
    Ok(())
}
