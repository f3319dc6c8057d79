//! Writes `benches/results/`: what criterion measured last, with allocations and peak memory, as a table and plots.
//!
//! `ntv-bench-report CRITERION_FOLDER RESULTS_FOLDER`

use anyhow::{Context, Result};
use ntv::{EmitOptions, Translator};
use ntv_benches::{sets, Set};
use plotters::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Counts allocations; the times are not taken in this program.
#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (criterion, results) =
        arguments.next().zip(arguments.next()).context("wanted: CRITERION_FOLDER RESULTS_FOLDER")?;
    let times = Times::read(&criterion)?;
    let sets = sets::all()?;
    std::fs::create_dir_all(&results)?;
    let table = table(&times, &sets)?;
    std::fs::write(results.join("README.md"), table)?;
    growth_plot(&results.join("growth.svg"), &times, &sets)?;
    steps_plot(&results.join("steps.svg"), &times)?;
    Ok(())
}

/// Medians in nanoseconds, by benchmark and set.
struct Times(BTreeMap<(String, String), Time>);

#[derive(Clone, Copy)]
struct Time {
    nanoseconds: f64,
    /// Instructions or bytes.
    amount: f64,
}

impl Time {
    fn each(self) -> f64 {
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
    fn read(folder: &Path) -> Result<Times> {
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

    fn get(&self, group: &str, set: &str) -> Result<Time> {
        let time = self.0.get(&(group.to_owned(), set.to_owned())).copied();
        time.with_context(|| format!("nothing measured for {group} of {set}"))
    }

    /// The steps of a translation, with nanoseconds per instruction, in the order of the pipeline.
    fn steps(&self) -> Result<Vec<(String, f64)>> {
        let passes = ntv::pass::pipeline::PIPELINE.iter().map(|pass| format!("pass {}", pass.name));
        let groups = std::iter::once("check".to_owned()).chain(passes).chain(std::iter::once("emit".to_owned()));
        groups.map(|group| Ok((group.clone(), self.get(&group, "large")?.each()))).collect()
    }
}

/// What a translation of all shaders of a set, one after the other with the same translator, takes and makes.
struct Cost {
    words: usize,
    allocations: u64,
    peak: usize,
}

/// Translates the set twice: the second time the translator's memory is there.
fn cost(set: &Set) -> Result<Cost> {
    let mut translator = Translator::default();
    let mut cost = Cost { words: 0, allocations: 0, peak: 0 };
    for round in 0..2 {
        for shader in &set.shaders {
            let mut shader = shader.clone();
            let profiler = dhat::Profiler::builder().testing().build();
            let module = translator.translate(&mut shader, &EmitOptions::default())?;
            let stats = dhat::HeapStats::get();
            drop(profiler);
            if round == 1 {
                cost.words += module.words.len();
                cost.allocations += stats.total_blocks;
                cost.peak = cost.peak.max(stats.max_bytes);
            }
        }
    }
    Ok(cost)
}

fn table(times: &Times, sets: &[Set]) -> Result<String> {
    let mut out = String::from(HEAD);
    for set in sets {
        let (parse, translate) = (times.get("parse", &set.name)?, times.get("translate", &set.name)?);
        let (count, instructions, cost) = (set.shaders.len(), set.instructions(), cost(set)?);
        writeln!(
            out,
            "| {} | {count} | {instructions} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} |",
            set.name,
            parse.amount / parse.nanoseconds * 1e3,
            translate.nanoseconds / 1e3 / count as f64,
            translate.each(),
            cost.words as f64 / translate.nanoseconds * 1e3,
            cost.allocations as f64 / count as f64,
            cost.peak as f64 / (instructions as f64 / count as f64),
        )?;
    }
    out.push_str(STEPS_HEAD);
    for (step, each) in times.steps()? {
        writeln!(out, "| {step} | {each:.2} |")?;
    }
    Ok(out)
}

const HEAD: &str = "\
# What translation costs

Written by `cargo xtask bench`. Times are criterion's medians on the machine that ran it: compare lines and columns of one
run, not runs of two machines.

- *Small* and *large* are real shaders below and from 100 instructions, as a Gallium driver receives them; *generated N* is one
  shader of N instructions (`benches/src/generated.rs`).
- *Parse* is the text of a dump to IR. *Translate* is IR to words: check, all passes, emission, with the memory of one
  `Translator` for all; *allocations* are those of one shader then, the largest *peak* is divided by the mean number of
  instructions.
- `growth.svg` shows the cost of an instruction over the size of a shader, `steps.svg` where the time goes.

| set | shaders | instructions | parse, MB/s | translate, us/shader | ns/instruction | million words/s | allocations/shader | peak bytes/instruction |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

const STEPS_HEAD: &str = "
| step, over the large shaders | ns/instruction |
| --- | ---: |
";

/// Nanoseconds per instruction over the size of generated shaders.
fn growth_plot(path: &Path, times: &Times, sets: &[Set]) -> Result<()> {
    let points: Vec<(f64, f64)> = sets
        .iter()
        .filter(|set| set.name.starts_with("generated"))
        .map(|set| Ok((set.instructions() as f64, times.get("translate", &set.name)?.each())))
        .collect::<Result<_>>()?;
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let largest = points.iter().map(|point| point.0).fold(1.0, f64::max);
    let root = SVGBackend::new(path, (720, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Cost of an instruction over the size of the shader", ("sans-serif", 18))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d((50f64..2.0 * largest).log_scale(), 0f64..1.2 * most)?;
    chart.configure_mesh().x_desc("instructions").y_desc("ns per instruction").draw()?;
    chart.draw_series(LineSeries::new(points.iter().copied(), &BLUE))?;
    chart.draw_series(points.iter().map(|point| Circle::new(*point, 4, BLUE.filled())))?;
    root.present()?;
    Ok(())
}

/// A bar for each step that takes a hundredth of the whole or more.
fn steps_plot(path: &Path, times: &Times) -> Result<()> {
    let mut steps = times.steps()?;
    let whole: f64 = steps.iter().map(|step| step.1).sum();
    steps.retain(|step| step.1 >= whole / 100.0);
    steps.reverse();
    let most = steps.iter().map(|step| step.1).fold(0.0, f64::max);
    let root = SVGBackend::new(path, (720, 32 * steps.len() as u32 + 96)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Where the time goes", ("sans-serif", 18))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(190)
        .build_cartesian_2d(0f64..1.05 * most, 0f64..steps.len() as f64)?;
    let name = |at: &f64| steps.get(*at as usize).map_or(String::new(), |step| step.0.clone());
    chart
        .configure_mesh()
        .disable_y_mesh()
        .x_desc("ns per instruction")
        .y_label_formatter(&name)
        .y_labels(steps.len())
        .draw()?;
    chart.draw_series(steps.iter().enumerate().map(|(at, step)| {
        Rectangle::new([(0.0, at as f64 + 0.1), (step.1, at as f64 + 0.9)], BLUE.mix(0.7).filled())
    }))?;
    root.present()?;
    Ok(())
}
