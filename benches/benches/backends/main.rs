// SPDX-License-Identifier: MIT

//! Compiles the words that C's nir_to_spirv made of each shader of the corpus, and ntv's words of the same NIR, with the Vulkan
//! driver of a GPU, which need not exist. Nothing runs: the driver tells what its machine code is like.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench backends -- LOG [COUNT]` writes two lines for each shader to LOG; for
//! COUNT shaders, spread over the corpus that `$NTV_CORPUS` names. A line is begun before the driver gets the module. If the driver
//! crashes, the next run with the same LOG ends the line with `crash`, and goes on after it.

#[path = "../common/subject.rs"]
mod subject;

use anyhow::{Context, Result};
use ntv::module::{Binding, Stage};
use ntv::target::{Feature, Target};
use ntv::{EmitOptions, Options, Translator};
use ntv_benches::log;
use ntv_benches::twins::Twin;
use ntv_driver::headless::{Compiled, Device, DeviceOptions};
use spirv::{Capability, Op};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use subject::Subject;

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
    let theirs = twin.words()?;
    let reflection = ntv::import::reflect(&theirs)?;
    if matches!(reflection.stage, Stage::TessCtrl | Stage::TessEval) {
        // They need each other.
        return Ok(());
    }
    let mut bindings = reflection.bindings;
    let target = target(device);
    let head = format!("{}\t{name}\t{:?}", device.driver(), reflection.stage);
    if let Some(why) = left_out(&theirs, &target) {
        return ["c", "ntv"]
            .iter()
            .try_for_each(|side| journal.line(&format!("{head}\t{side}"), &[], || Err(anyhow::anyhow!("{why}"))));
    }
    let mut shader = twin.shader()?;
    let mut translator = Translator::new(Options::default().target(target));
    let ours = translator.translate(&mut shader, &EmitOptions::default()).map(|module| module.words);
    if let Ok(words) = &ours {
        merge(&mut bindings, ntv::import::reflect(words)?.bindings);
    }
    let partner = match reflection.stage {
        Stage::Geometry => Some(partner(&theirs)?),
        _ => None,
    };
    let compile = |words: &[u32]| {
        let modules: Vec<&[u32]> = partner.iter().map(Vec::as_slice).chain([words]).collect();
        let mut best: Option<Compiled> = None;
        for _ in 0..ROUNDS {
            let made = device.compile(&modules, &bindings)?;
            best = best.filter(|best| best.time.pipeline <= made.time.pipeline).or(Some(made));
        }
        best.context("no round")
    };
    journal.line(&format!("{head}\tc"), &theirs, || compile(&theirs))?;
    match &ours {
        Ok(ours) => journal.line(&format!("{head}\tntv"), ours, || compile(ours)),
        Err(error) => journal.line(&format!("{head}\tntv"), &[], || anyhow::bail!("ntv: {error}")),
    }
}

/// A vertex shader before the stage of the module.
fn partner(words: &[u32]) -> Result<Vec<u32>> {
    let module = rspirv::dr::load_words(words).map_err(|error| anyhow::anyhow!("rspirv: {error}"))?;
    Subject::new(&module).partner(true)
}

/// Features that zink does not enable, even if the device has them (`ffi/mesa/zink_ntv_target.c`).
const UNUSED: &[Feature] = &[
    Feature::shaderFloatControls2,
    Feature::shaderBufferFloat32AtomicMinMax,
    Feature::shaderSharedFloat32AtomicMinMax,
    Feature::shaderImageFloat32AtomicMinMax,
    Feature::meshShader,
];

/// Types that the NIR of a device without the feature does not have: zink tells Mesa to lower them before.
const TYPES: &[(Capability, Feature)] = &[
    (Capability::Float16, Feature::shaderFloat16),
    (Capability::Float64, Feature::shaderFloat64),
    (Capability::Int8, Feature::shaderInt8),
    (Capability::Int16, Feature::shaderInt16),
    (Capability::Int64, Feature::shaderInt64),
];

/// The reason why the module is not compared. Capabilities are the first instructions of a module.
fn left_out(words: &[u32], target: &Target) -> Option<String> {
    let start = 2 << 16 | Op::Capability as u32;
    let declares = |wanted: Capability| {
        let mut capabilities = words[5..].chunks(2).take_while(|inst| inst[0] == start);
        capabilities.any(|inst| inst[1] == wanted as u32)
    };
    if declares(Capability::TransformFeedback) {
        // The captures are not in the dump.
        return Some("the module captures".into());
    }
    let missing = TYPES.iter().find(|(capability, feature)| declares(*capability) && !target.has(*feature));
    missing.map(|(_, feature)| format!("the device has no {}", feature.name()))
}

/// The target of the device that zink would describe.
fn target(device: &Device) -> Target {
    let mut target = device.target().clone();
    // Vulkan 1.3 requires both.
    target.set(Feature::vulkanMemoryModel, true);
    target.set(Feature::vulkanMemoryModelDeviceScope, true);
    UNUSED.iter().for_each(|feature| target.set(*feature, false));
    target.uniform_ranges_in_vec4s = true;
    target
}

/// Adds the descriptors of another module.
fn merge(bindings: &mut Vec<Binding>, more: Vec<Binding>) {
    for new in more {
        match bindings.iter_mut().find(|old| (old.set, old.binding) == (new.set, new.binding)) {
            Some(old) => old.count = old.count.max(new.count),
            None => bindings.push(new),
        }
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
