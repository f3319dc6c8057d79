// SPDX-License-Identifier: MIT

//! Measures how long a Vulkan driver takes for a module and its pipeline: for the words that C's nir_to_spirv made of a shader,
//! and for ntv's words of the same NIR, in turns; the best time of each counts.
//!
//! `cargo bench --package ntv-benches --features vulkan --bench pipelines -- LOG` writes a line for each shader of the corpus
//! that `$NTV_CORPUS` names to LOG. The device is lavapipe. A compute or vertex shader is a pipeline of its own; fragment and
//! geometry shaders get an empty vertex shader (`outside`), tessellation stages would need two. There is no pipeline cache, and
//! Mesa's own is disabled.

#![allow(clippy::print_stdout, reason = "the user must see what is left out")]

mod outside;
#[path = "../common/partners.rs"]
mod partners;
#[path = "../common/subject.rs"]
mod subject;

use anyhow::{bail, Result};
use ntv::module::ShaderStage;
use ntv::{EmitOptions, Options, Translator};
use ntv_benches::log;
use ntv_benches::twins::Twin;
use ntv_driver::headless::{CompileTime, Device, DeviceOptions, Dispatch, Draw};
use outside::Outside;
use rspirv::dr;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The number of runs of each module in the driver.
const ROUNDS: usize = 5;
/// The size that every device supports.
const PUSH_CONSTANTS: [u8; 128] = [0; 128];

fn main() -> Result<()> {
    let log = log::wanted()?;
    std::env::set_var("MESA_SHADER_CACHE_DISABLE", "1");
    // Pipelines are complete, and not linked from libraries.
    let without = vec!["VK_EXT_graphics_pipeline_library".into()];
    let device = Device::open(&DeviceOptions { name: Some("llvmpipe".into()), without, ..DeviceOptions::default() })?;
    println!("{}", device.driver());
    let mut lines =
        String::from("shader\tstage\tinstrs\tc_ns\tntv_ns\tc_module_ns\tntv_module_ns\tc_words\tntv_words\tphis\n");
    let mut left_out: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for twin in Twin::all()? {
        let name = twin.stem();
        match line(&device, &twin) {
            Ok(line) => writeln!(lines, "{name}\t{line}")?,
            Err(error) => left_out.entry(format!("{error:#}")).or_insert((0, name)).0 += 1,
        }
    }
    for (why, (count, first)) in &left_out {
        println!("{count} left out, {first} first: {why}");
    }
    std::fs::write(log, lines)?;
    Ok(())
}

/// A line of the log, without the name.
fn line(device: &Device, twin: &Twin) -> Result<String> {
    let mut shader = twin.shader()?;
    let (stage, instructions) = (shader.info.stage, shader.order.len());
    let mut translator = Translator::new(Options::default().target(device.target().clone()));
    let ours = translator.translate(&mut shader, &EmitOptions::default())?.words;
    let theirs = twin.words()?;
    let cases = [Case::new(&ours)?, Case::new(&theirs)?];
    let mut best = [CompileTime { modules: Duration::MAX, pipeline: Duration::MAX }; 2];
    for _ in 0..ROUNDS {
        for (best, case) in best.iter_mut().zip(&cases) {
            let time = case.time(device)?;
            *best = CompileTime { modules: best.modules.min(time.modules), pipeline: best.pipeline.min(time.pipeline) };
        }
    }
    let modules = best.map(|time| time.modules.as_nanos());
    let whole = best.map(|time| (time.modules + time.pipeline).as_nanos());
    Ok(format!(
        "{stage:?}\t{instructions}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
        whole[1],
        whole[0],
        modules[1],
        modules[0],
        theirs.len(),
        ours.len(),
        cases[0].phis,
    ))
}

/// A module and the other parts of its pipeline.
struct Case<'a> {
    words: &'a [u32],
    stage: ShaderStage,
    outside: Outside,
    phis: usize,
}

impl<'a> Case<'a> {
    fn new(words: &'a [u32]) -> Result<Case<'a>> {
        let stage = ntv::import::reflect(words)?.stage;
        let module = dr::load_words(words).map_err(|error| anyhow::anyhow!("rspirv: {error}"))?;
        let phis = module.all_inst_iter().filter(|inst| inst.class.opcode == spirv::Op::Phi).count();
        Ok(Case { words, stage, outside: Outside::new(&module)?, phis })
    }

    fn time(&self, device: &Device) -> Result<CompileTime> {
        let push_constants = &PUSH_CONSTANTS[..];
        let draw = |modules: &[&[u32]]| {
            let Outside { topology, attributes, attachments, .. } = &self.outside;
            let topology = *topology;
            let draw =
                Draw { modules, topology, vertices: 0, attributes, push_constants, attachments, ..Draw::default() };
            device.time_draw(&draw)
        };
        Ok(match self.stage {
            ShaderStage::Compute => {
                device.time_dispatch(&Dispatch { module: self.words, groups: [1; 3], push_constants })?
            }
            ShaderStage::Vertex => draw(&[self.words])?,
            ShaderStage::Fragment | ShaderStage::Geometry => draw(&[&self.outside.partner, self.words])?,
            stage => bail!("the stage is {stage:?}"),
        })
    }
}
