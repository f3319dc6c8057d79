// SPDX-License-Identifier: MIT

//! `ntv run`: runs shaders on the interpreter or on a Vulkan device with inputs from a JSON file, and prints their results as
//! JSON or writes a picture.

#[cfg(feature = "vulkan")]
pub(crate) mod device;

use crate::args::RunArgs;
use crate::diagnostics::Reporter;
use crate::shaders::{all_valid, load, Loaded};
use crate::{destination, inputs, picture, AllFine};
use anyhow::{bail, ensure, Context, Result};
use ntv::Shader;
use ntv_report::run::inputs::{DrawInput, Form, Inputs, Work};
use ntv_report::run::{self as report, Ran};
use std::path::Path;

pub(crate) fn run(args: &RunArgs, reporter: &Reporter) -> Result<AllFine> {
    let name = args.file.display();
    let text = inputs::read_text(&args.file)?;
    let given = Inputs::parse(&text, u64::MAX).with_context(|| name.to_string())?;
    let png = match (&args.png, &given.work) {
        (Some(png), Work::Draw(draw)) => Some((png, draw)),
        (Some(_), _) => bail!("--png needs a draw"),
        (None, _) => None,
    };
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    let read = loaded.sources.iter().map(|source| source.input.file()).chain([args.file.as_path()]);
    destination::decide(read, png.map(|(path, _)| ("--png", path.as_path())))?;
    if !all_valid(&loaded, reporter) {
        return Ok(false);
    }
    let ran = match args.device {
        None => interpret(args, &given, &loaded, reporter)?,
        #[cfg(feature = "vulkan")]
        Some(_) => device::run(args, &given, loaded, reporter)?,
        #[cfg(not(feature = "vulkan"))]
        Some(_) => return Err(crate::absent("vulkan", "run")),
    };
    let Some(ran) = ran else { return Ok(false) };
    if let Some((png, draw)) = png {
        write_png(png, draw, ran.targets.first())?;
    }
    destination::print(format!("{}\n", ran.to_json(&given)).as_bytes())?;
    Ok(ran.fine)
}

/// Runs `loaded`, whose shaders are all valid, on the interpreter; `None` if they cannot run.
fn interpret(args: &RunArgs, given: &Inputs, loaded: &Loaded, reporter: &Reporter) -> Result<Option<Ran>> {
    let shaders: Vec<Shader> = loaded.units.iter().filter_map(|unit| unit.shader.as_ref().ok()).cloned().collect();
    let outcome = report::run(&shaders, given, args.limit)?;
    for (number, problem) in &outcome.problems {
        let unit = &loaded.units[*number];
        let source = &loaded.sources[unit.source];
        reporter.problem(&source.input.name, &source.text, unit.number, problem);
    }
    Ok(outcome.ran)
}

/// Writes a target of bytes as a picture.
fn write_png(path: &Path, draw: &DrawInput, pixels: Option<&Vec<u8>>) -> Result<()> {
    let bytes = draw.targets.first().is_some_and(|target| target.kind.form == Form::U8);
    ensure!(bytes, "--png needs a first target of the format rgba8");
    picture::write(path, draw.size, png::ColorType::Rgba, pixels.context("the draw has no target")?)
}
