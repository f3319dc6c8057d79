// SPDX-License-Identifier: MIT

//! What the compilers of GPUs make of the modules of ntv and of C.

use crate::{finish, head, plot};
use anyhow::{Context, Result};
use ntv_benches::log::Row;
use ntv_benches::{Log, Ratios};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The statistics that count, by the names of drivers in lower case. The first of them that a
/// driver has is compared.
const FIGURES: &[&str] = &[
    "instructions",
    "instruction count",
    "code size",
    "preamble instruction count",
    "registers used",
    "max waves per core",
    "vgprs",
    "sgprs",
    "pre-sched vgprs",
    "pre-sched sgprs",
    "number of gprs",
    "max live registers",
    "spilled vgprs",
    "spilled sgprs",
    "spill count",
    "fill count",
    "scratch size",
    "scratch memory size",
    "slm size",
    "subgroups per simd",
    "max dispatch width",
    "latency",
    "inverse throughput",
    "cycle count",
    "send count",
    "loop count",
    "branches",
    "copies",
    "valu",
    "salu",
    "vmem",
    "smem",
];

/// A shader counts as worse or better if the ratio differs from 1 by more.
const MARGIN: f64 = 0.05;
/// The number of listed shaders with the worst ratios.
const WORST: usize = 10;

/// Figures by name, summed up over the parts of the machine code. The names of parts are those that both modules have.
type Figures = BTreeMap<String, f64>;

/// A shader that the driver compiled from both modules.
struct Pair {
    shader: String,
    stage: String,
    /// Of ntv, and of C.
    figures: [Figures; 2],
}

/// A log.
struct BackEnd {
    name: String,
    driver: String,
    pairs: Vec<Pair>,
    /// The shaders of which something went wrong: what became of ntv's module, and of C's.
    failed: BTreeMap<[String; 2], Vec<String>>,
}

/// Writes tables of `logs`, one of each back end, and a plot.
pub(crate) fn write(logs: &[PathBuf], results: &Path) -> Result<()> {
    let ends: Vec<BackEnd> = logs.iter().map(|log| BackEnd::read(log.as_path())).collect::<Result<_>>()?;
    let mut out = head("Compilers of GPUs", "cargo xtask bench --backends");
    out += "\n| ntv / C | shaders | instructions, total | geometric mean | worse by 5 % | better by 5 % | time, total \
        | geometric mean | failed with ntv only | failed with C only |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for end in &ends {
        end.summary(&mut out)?;
    }
    for end in &ends {
        end.section(&mut out)?;
    }
    let points = ends.iter().flat_map(|end| end.both(end.instructions())).map(|[ours, theirs]| (theirs, ours));
    let points: Vec<(f64, f64)> = points.collect();
    let axes = ["C, instructions", "ntv, instructions"];
    plot::scatter(&results.join("backends.svg"), "Compilers of GPUs", axes, &points, &[(1.0, "as many")])?;
    finish(results, "backends.md", &out)
}

impl BackEnd {
    fn read(path: &Path) -> Result<BackEnd> {
        let log = Log::read(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut end = BackEnd { name, driver: String::new(), pairs: Vec::new(), failed: BTreeMap::new() };
        let rows: Vec<Row<'_>> = log.rows().collect();
        for both in rows.chunks_exact(2) {
            let [theirs, ours] = [both[0], both[1]];
            theirs.text("driver")?.clone_into(&mut end.driver);
            let shader = theirs.text("shader")?.to_owned();
            let outcomes = [ours.text("outcome")?.to_owned(), theirs.text("outcome")?.to_owned()];
            if outcomes.iter().any(|outcome| outcome != "ok") {
                end.failed.entry(outcomes).or_default().push(shader);
                continue;
            }
            let stage = theirs.text("stage")?.to_owned();
            end.pairs.push(Pair { shader, stage, figures: figures(ours, theirs)? });
        }
        Ok(end)
    }

    /// The name of the figure that is compared.
    fn instructions(&self) -> &'static str {
        let has = |name: &&&str| self.pairs.iter().any(|pair| pair.figures[0].contains_key(**name));
        FIGURES.iter().find(has).copied().unwrap_or(FIGURES[0])
    }

    /// A figure of each shader that has it.
    fn both<'a>(&'a self, name: &'a str) -> impl Iterator<Item = [f64; 2]> + 'a {
        self.pairs.iter().filter_map(move |pair| pair.both(name))
    }

    /// The row of the first table.
    fn summary(&self, out: &mut String) -> Result<()> {
        let [instructions, time] = [self.instructions(), TIME].map(|name| compared(self.both(name)));
        let failed = |side: usize| -> usize {
            let only = |outcomes: &&[String; 2]| outcomes[side] != "ok" && outcomes[1 - side] == "ok";
            self.failed.keys().filter(only).map(|outcomes| self.failed[outcomes].len()).sum()
        };
        let Compared { total, mean, worse, better, .. } = instructions;
        let cells = format!("{} | {total} | {mean} | {worse} | {better}", self.pairs.len());
        let (name, time) = (&self.name, format!("{} | {}", time.total, time.mean));
        writeln!(out, "| {name} | {cells} | {time} | {} | {} |", failed(0), failed(1))?;
        Ok(())
    }

    /// The tables of a back end.
    fn section(&self, out: &mut String) -> Result<()> {
        writeln!(out, "\n## {}\n\n{}, {} shaders.\n", self.name, self.driver, self.pairs.len())?;
        *out += "| figure | ntv | C | ntv / C, total | geometric mean | worse by 5 % | better by 5 % |\n\
            | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
        for name in FIGURES.iter().chain([&TIME]) {
            let row = compared(self.both(name));
            if row.sums != [0.0; 2] {
                row.write(out, name)?;
            }
        }
        let name = self.instructions();
        let mut stages: Vec<&str> = self.pairs.iter().map(|pair| pair.stage.as_str()).collect();
        stages.sort_unstable();
        stages.dedup();
        for stage in stages {
            let own = self.pairs.iter().filter(|pair| pair.stage == stage);
            compared(own.filter_map(|pair| pair.both(name))).write(out, &format!("{name}, {stage}"))?;
        }
        self.worst(out, name)?;
        if !self.failed.is_empty() {
            *out += "\n| failed | first | with ntv | with C |\n| ---: | --- | --- | --- |\n";
        }
        for ([ours, theirs], shaders) in &self.failed {
            writeln!(out, "| {} | {} | {ours} | {theirs} |", shaders.len(), shaders[0])?;
        }
        Ok(())
    }

    fn worst(&self, out: &mut String, name: &str) -> Result<()> {
        let ratio = |pair: &Pair| pair.both(name).map_or(0.0, |[ours, theirs]| ours / theirs);
        let mut sorted: Vec<&Pair> = self.pairs.iter().filter(|pair| ratio(pair) > 1.0).collect();
        sorted.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
        writeln!(out, "\n| the worst | stage | ntv | C | ntv / C |\n| --- | --- | ---: | ---: | ---: |")?;
        for pair in sorted.into_iter().take(WORST) {
            let [ours, theirs] = pair.both(name).context("a shader without the figure")?;
            let Pair { shader, stage, .. } = pair;
            writeln!(out, "| {shader} | {stage} | {ours} | {theirs} | {:.3} |", ours / theirs)?;
        }
        Ok(())
    }
}

/// The name of the time that a pipeline takes, in nanoseconds.
const TIME: &str = "time, ns";

impl Pair {
    fn both(&self, name: &str) -> Option<[f64; 2]> {
        let [ours, theirs] = &self.figures;
        Some([*ours.get(name)?, *theirs.get(name)?])
    }
}

/// The figures of two lines, of ntv and of C, and their times.
fn figures(ours: Row<'_>, theirs: Row<'_>) -> Result<[Figures; 2]> {
    let parsed = [parts(ours.text("figures")?), parts(theirs.text("figures")?)];
    let mut figures = [Figures::new(), Figures::new()];
    for (key @ (_, name), own) in &parsed[0] {
        // The machine code for a width of SIMD may be missing on one side.
        if let Some(other) = parsed[1].get(key) {
            *figures[0].entry(name.clone()).or_default() += own;
            *figures[1].entry(name.clone()).or_default() += other;
        }
    }
    for (figures, row) in figures.iter_mut().zip([ours, theirs]) {
        figures.insert(TIME.into(), row.number("pipeline_ns")?);
    }
    Ok(figures)
}

/// The figures of a line, by part and name.
fn parts(text: &str) -> BTreeMap<(String, String), f64> {
    let one = |figure: &str| {
        let (name, value) = figure.rsplit_once('=')?;
        let (part, name) = name.rsplit_once('/')?;
        Some(((part.to_owned(), name.to_lowercase()), value.parse().ok()?))
    };
    text.split(';').filter_map(one).collect()
}

/// A figure over many shaders.
struct Compared {
    sums: [f64; 2],
    total: String,
    mean: String,
    worse: usize,
    better: usize,
}

fn compared(pairs: impl Iterator<Item = [f64; 2]>) -> Compared {
    let pairs: Vec<[f64; 2]> = pairs.collect();
    let sums = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).sum());
    let ratio = |[ours, theirs]: &[f64; 2]| ours / theirs;
    let positive = pairs.iter().copied().filter(|pair| pair.iter().all(|figure| *figure > 0.0));
    let mean = Ratios::new(positive).map_or("-".into(), |ratios| format!("{:.4}", ratios.geometric_mean()));
    let total = if sums[1] > 0.0 { format!("{:.4}", ratio(&sums)) } else { "-".into() };
    let worse = pairs.iter().filter(|pair| ratio(pair) > 1.0 + MARGIN).count();
    let better = pairs.iter().filter(|pair| ratio(pair) < 1.0 - MARGIN).count();
    Compared { sums, total, mean, worse, better }
}

impl Compared {
    fn write(&self, out: &mut String, name: &str) -> Result<()> {
        let Compared { sums: [ours, theirs], total, mean, worse, better } = self;
        writeln!(out, "| {name} | {ours} | {theirs} | {total} | {mean} | {worse} | {better} |")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "driver\tshader\tstage\tside\toutcome\tmodule_ns\tpipeline_ns\twords\tfigures\n\
        d\tset/a.fs\tFragment\tc\tok\t1\t10\t9\tSIMD8/Instructions=10;SIMD16/Instructions=20\n\
        d\tset/a.fs\tFragment\tntv\tok\t1\t5\t9\tSIMD8/Instructions=11\n\
        d\tset/b.vs\tVertex\tc\tok\t1\t10\t9\tV/Instructions=20;V/Hash=7\n\
        d\tset/b.vs\tVertex\tntv\tok\t1\t10\t9\tV/Instructions=10;V/Hash=9\n\
        d\tset/c.vs\tVertex\tc\tok\t1\t10\t9\tV/Instructions=20\n\
        d\tset/c.vs\tVertex\tntv\tcrash\t0\t0\t0\t\n";

    #[test]
    fn tables_compare_what_both_have() {
        let folder = std::env::temp_dir().join(format!("ntv-backends-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("family.tsv");
        std::fs::write(&path, LOG).unwrap();
        let end = BackEnd::read(&path).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        let mut out = String::new();
        end.summary(&mut out).unwrap();
        assert_eq!(out, "| family | 2 | 0.7000 | 0.7416 | 1 | 1 | 0.7500 | 0.7071 | 1 | 0 |\n");
        let mut out = String::new();
        end.section(&mut out).unwrap();
        assert!(out.contains("| instructions | 21 | 30 | 0.7000 | 0.7416 | 1 | 1 |\n"), "{out}");
        assert!(out.contains("| set/a.fs | Fragment | 11 | 10 | 1.100 |\n"), "{out}");
        assert!(out.contains("| 1 | set/c.vs | crash | ok |\n"), "{out}");
        assert!(!out.contains("hash"), "{out}");
    }
}
