// SPDX-License-Identifier: MIT

//! Compiles the words that C's nir_to_spirv made of each shader of the corpus, and ntv's words of the same NIR, with the Vulkan
//! driver of a GPU, which need not exist. Nothing runs: the driver tells what its machine code is like.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench backends -- LOG [COUNT]` writes two lines for each shader to LOG; for
//! COUNT shaders, spread over the corpus that `$NTV_CORPUS` names. A line is begun before the driver gets the module. If the driver
//! crashes, the next run with the same LOG ends the line with `crash`, and goes on after it.

#[path = "../common/memory_model.rs"]
mod memory_model;
#[path = "../common/pair.rs"]
mod pair;
#[path = "../common/partners.rs"]
mod partners;
#[path = "../common/subject.rs"]
mod subject;

use anyhow::{Context, Result};
use ntv_benches::log;
use ntv_benches::twins::Twin;
use ntv_driver::headless::{Compiled, Device, DeviceOptions};
use pair::{Pair, Pairing};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// The number of times that each module is compiled. The shortest time counts.
const ROUNDS: usize = 3;

fn main() -> Result<()> {
    let log = log::wanted()?;
    let count: Option<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).next();
    std::env::set_var("MESA_SHADER_CACHE_DISABLE", "1");
    let device = Device::open(&DeviceOptions { only_compiles: true, ..DeviceOptions::default() })?;
    let mut journal = Journal::open(&log)?;
    let twins = Twin::all()?;
    let step = count.map_or(1, |count| twins.len().div_ceil(count.max(1)));
    for twin in twins.iter().step_by(step) {
        let name = format!("{}/{}", twin.set(), twin.stem());
        let compared = compare(&device, twin, &name, &mut journal);
        compared.with_context(|| twin.file.display().to_string())?;
    }
    Ok(())
}

/// Compiles both modules of a shader.
fn compare(device: &Device, twin: &Twin, name: &str, journal: &mut Journal) -> Result<()> {
    let head = |stage| format!("{}\t{name}\t{stage:?}", device.driver());
    let pair = match Pair::of(device, twin)? {
        Pairing::Both(pair) => pair,
        Pairing::LeftOut(stage, why) => {
            let line = |side| journal.line(&format!("{}\t{side}", head(stage)), &[], || anyhow::bail!("{why}"));
            return ["c", "ntv"].into_iter().try_for_each(line);
        }
    };
    let head = head(pair.stage);
    let compile = |words: &[u32]| {
        let mut best: Option<Compiled> = None;
        for _ in 0..ROUNDS {
            let made = pair.compile(device, words)?;
            best = best.filter(|best| best.time.pipeline <= made.time.pipeline).or(Some(made));
        }
        best.context("no round")
    };
    journal.line(&format!("{head}\tc"), &pair.theirs, || compile(&pair.theirs))?;
    match &pair.ours {
        Ok(ours) => journal.line(&format!("{head}\tntv"), ours, || compile(ours)),
        Err(error) => journal.line(&format!("{head}\tntv"), &[], || anyhow::bail!("ntv: {error}")),
    }
}

/// The log, of which some lines may be those of an earlier run.
struct Journal {
    file: File,
    /// The beginnings of the lines that exist.
    known: HashSet<String>,
}

impl Journal {
    fn open(path: &Path) -> Result<Journal> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let mut text = std::fs::read_to_string(path)?;
        let end = match text.as_str() {
            "" => "driver\tshader\tstage\tside\toutcome\tmodule_ns\tpipeline_ns\twords\tfigures\n",
            text if !text.ends_with('\n') => "crash\t0\t0\t0\t\n",
            _ => "",
        };
        file.write_all(end.as_bytes())?;
        text += end;
        let head = |line: &str| line.split('\t').take(4).collect::<Vec<_>>().join("\t");
        Ok(Journal { file, known: text.lines().map(head).collect() })
    }

    /// Writes the line that begins with `head`, unless it is there.
    fn line(&mut self, head: &str, words: &[u32], compile: impl FnOnce() -> Result<Compiled>) -> Result<()> {
        if self.known.contains(head) {
            return Ok(());
        }
        // If the driver crashes, this is what remains.
        write!(self.file, "{head}\t")?;
        let (outcome, compiled) = match compile() {
            Ok(compiled) => ("ok".to_owned(), Some(compiled)),
            Err(error) => (format!("{error:#}").replace(['\t', '\n'], " "), None),
        };
        let time = compiled.as_ref().map(|compiled| compiled.time);
        let [module, pipeline] = time.map_or([0; 2], |time| [time.modules, time.pipeline].map(|time| time.as_nanos()));
        let figures = compiled.as_ref().map_or(String::new(), figures);
        writeln!(self.file, "{outcome}\t{module}\t{pipeline}\t{}\t{figures}", words.len())?;
        Ok(())
    }
}

/// The statistics as `EXECUTABLE/NAME=VALUE`, separated by semicolons.
fn figures(compiled: &Compiled) -> String {
    let of_one = |executable: &ntv_driver::headless::Executable| {
        let figure = |(name, value): &(String, f64)| format!("{}/{name}={value}", executable.name);
        executable.statistics.iter().map(figure).collect::<Vec<_>>()
    };
    compiled.executables.iter().flat_map(of_one).collect::<Vec<_>>().join(";")
}
