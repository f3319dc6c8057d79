// SPDX-License-Identifier: MIT

//! ntv alone: time, memory, growth, steps, variants, peers.

use crate::memory::{measure, MemoryUse};
use crate::times::Times;
use crate::{finish, head, plot};
use anyhow::{ensure, Result};
use ntv::pass::PIPELINE;
use ntv_benches::{sets, Set};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the tables and plots of criterion's results in `criterion`.
pub(crate) fn write(criterion: &Path, results: &Path) -> Result<()> {
    let times = Times::read(criterion)?;
    let sets = sets::all()?;
    let memories: Vec<MemoryUse> = sets.iter().map(measure).collect::<Result<_>>()?;
    let mut out = head("Translation", "cargo xtask bench");
    time_table(&mut out, &times, &sets, &memories)?;
    memory_table(&mut out, &sets, &memories)?;
    steps_table(&mut out, &times)?;
    variants_table(&mut out, &times)?;
    peers_table(&mut out, &times)?;
    growth_plots(results, &times, &sets, &memories)?;
    steps_plot(&results.join("steps.svg"), &times)?;
    finish(results, "translation.md", &out)?;
    // After the tables are written, so that they can be inspected.
    for (set, memory) in sets.iter().zip(&memories) {
        ensure!(memory.allocations == 0, "{}: {} allocations in the steady state", set.name, memory.allocations);
    }
    Ok(())
}

fn time_table(out: &mut String, times: &Times, sets: &[Set], memories: &[MemoryUse]) -> Result<()> {
    *out += "\n| set | shaders | instructions | parse, MB/s | decode, ns/instruction | translate, ns/instruction \
        | from wire, us/shader | ns/instruction | million words/s |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (set, memory) in sets.iter().zip(memories) {
        let parse = times.get("parse", &set.name)?;
        let [decode, translate, whole] = ["decode", "translate", "from wire"].map(|group| times.get(group, &set.name));
        let (decode, translate, whole) = (decode?, translate?, whole?);
        let count = set.shaders.len();
        writeln!(
            out,
            "| {} | {count} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            set.name,
            set.instructions(),
            parse.amount / parse.nanoseconds * 1e3,
            decode.each(),
            translate.each(),
            whole.nanoseconds / 1e3 / count as f64,
            whole.each(),
            memory.words as f64 / whole.nanoseconds * 1e3,
        )?;
    }
    Ok(())
}

fn memory_table(out: &mut String, sets: &[Set], memories: &[MemoryUse]) -> Result<()> {
    *out += "\n| set | words/instruction | allocations/shader | peak, KiB | peak bytes/instruction |\n\
        | --- | ---: | ---: | ---: | ---: |\n";
    for (set, memory) in sets.iter().zip(memories) {
        let (count, instructions) = (set.shaders.len() as f64, set.instructions() as f64);
        writeln!(
            out,
            "| {} | {:.2} | {:.1} | {:.1} | {:.0} |",
            set.name,
            memory.words as f64 / instructions,
            memory.allocations as f64 / count,
            memory.peak as f64 / 1024.0,
            memory.peaks as f64 / instructions,
        )?;
    }
    Ok(())
}

/// The steps of a translation, in their order.
fn steps() -> impl Iterator<Item = String> {
    let passes = PIPELINE.iter().map(|pass| format!("pass {}", pass.name));
    std::iter::once("check".to_owned()).chain(passes).chain(std::iter::once("emit".to_owned()))
}

fn steps_table(out: &mut String, times: &Times) -> Result<()> {
    write!(out, "\n| step, ns/instruction |")?;
    sets::STEPPED.iter().try_for_each(|set| write!(out, " {set} |"))?;
    writeln!(out, "\n| --- |{}", " ---: |".repeat(sets::STEPPED.len()))?;
    for step in steps() {
        write!(out, "| {step} |")?;
        for set in sets::STEPPED {
            write!(out, " {:.2} |", times.get(&step, set)?.each())?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn variants_table(out: &mut String, times: &Times) -> Result<()> {
    let [small, large] = ["small", "large"].map(|set| format!("variant, {set}"));
    *out += "\n| variant of a module, ns | small | large |\n| --- | ---: | ---: |\n";
    for way in ["copy", "instantiate", "link", "emit", "translate", "parse"] {
        let (small, large) = (times.get(&small, way)?.each(), times.get(&large, way)?.each());
        writeln!(out, "| {way} | {small:.0} | {large:.0} |")?;
    }
    Ok(())
}

fn peers_table(out: &mut String, times: &Times) -> Result<()> {
    let [small, large] = ["small", "large"].map(|set| format!("peers, {set}"));
    *out += "\n| peers, us/shader | small | large |\n| --- | ---: | ---: |\n";
    for way in ["ntv", "ntv, all passes", "naga", "naga, validation", "rspirv", "rspirv, assembly"] {
        let (small, large) = (times.get(&small, way)?.each() / 1e3, times.get(&large, way)?.each() / 1e3);
        writeln!(out, "| {way} | {small:.1} | {large:.1} |")?;
    }
    Ok(())
}

/// Time and memory per instruction, by the size of generated shaders.
fn growth_plots(results: &Path, times: &Times, sets: &[Set], memories: &[MemoryUse]) -> Result<()> {
    let (mut time, mut memory) = (Vec::new(), Vec::new());
    for (set, took) in sets.iter().zip(memories).filter(|(set, _)| set.name.starts_with("generated")) {
        let size = set.instructions() as f64;
        time.push((size, times.get("from wire", &set.name)?.each()));
        memory.push((size, took.peak as f64 / size));
    }
    let title = "Time of an instruction over the size of the shader";
    plot::growth(&results.join("growth.svg"), title, ["instructions", "ns per instruction"], &time)?;
    let title = "Memory of an instruction over the size of the shader";
    plot::growth(&results.join("memory.svg"), title, ["instructions", "bytes per instruction"], &memory)
}

/// A bar for each step of the large shaders with at least a hundredth of the total time.
fn steps_plot(path: &Path, times: &Times) -> Result<()> {
    let mut bars: Vec<(String, f64)> =
        steps().map(|step| Ok((step.clone(), times.get(&step, "large")?.each()))).collect::<Result<_>>()?;
    let whole: f64 = bars.iter().map(|bar| bar.1).sum();
    bars.retain(|bar| bar.1 >= whole / 100.0);
    plot::bars(path, "Time of each step, large shaders", "ns per instruction", &bars)
}
