// SPDX-License-Identifier: MIT

//! `ntv run`: runs shaders on the interpreter or on a Vulkan device with inputs from a JSON file, and prints their results as
//! JSON or writes a picture.

#[cfg(feature = "vulkan")]
pub(crate) mod device;

use crate::args::RunArgs;
use crate::diagnostics::Reporter;
use crate::shaders::{all_valid, load, Loaded};
use crate::{absent, destination, inputs, reflect, AllFine};
use anyhow::{ensure, Context, Result};
use ntv::{Options, Shader};
use ntv_report::reflect::Reflection;
use ntv_report::run::inputs::{Inputs, Work};
use ntv_report::run::{self as report, Ran};

pub(crate) fn run(args: &RunArgs, reporter: &Reporter) -> Result<AllFine> {
    let text = match &args.file {
        Some(file) => inputs::read_text(file)?,
        None => match template(args, reporter)? {
            Some(text) => text,
            None => return Ok(false),
        },
    };
    if args.template {
        destination::print(text.as_bytes())?;
        return Ok(true);
    }
    let name = || args.file.as_ref().map_or("the inputs of --template".into(), |file| file.display().to_string());
    #[cfg_attr(not(feature = "vulkan"), allow(unused_mut))]
    let mut given = Inputs::parse(&text, u64::MAX).with_context(name)?;
    ensure!(args.png.is_none() || matches!(given.work, Work::Draw(_)), "--png needs a draw");
    ensure!(args.png.is_none() || cfg!(feature = "png"), absent("png", "run --png"));
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    let read = loaded.sources.iter().map(|source| source.input.file()).chain(args.file.as_deref());
    destination::decide(read, args.png.iter().map(|path| ("--png", path.as_path())))?;
    if !all_valid(&loaded, reporter) {
        return Ok(false);
    }
    let ran = match args.device {
        None => interpret(args, &given, &loaded, reporter)?,
        #[cfg(feature = "vulkan")]
        Some(_) => device::run(args, &mut given, loaded, reporter)?,
        #[cfg(not(feature = "vulkan"))]
        Some(_) => return Err(absent("vulkan", "run")),
    };
    let Some(ran) = ran else { return Ok(false) };
    #[cfg(feature = "png")]
    if let (Some(png), Work::Draw(draw)) = (&args.png, &given.work) {
        crate::picture::write_target(png, draw, ran.targets.first())?;
    }
    destination::print(format!("{}\n", ran.to_json(&given)).as_bytes())?;
    Ok(ran.fine)
}

/// Inputs of the shaders, with zeros; `None` if a shader has errors.
fn template(args: &RunArgs, reporter: &Reporter) -> Result<Option<String>> {
    let (stages, fine) = reflect::reflect(inputs::collect(&args.inputs)?, Options::default(), reporter)?;
    let stages: Vec<Reflection> = stages.into_iter().map(|stage| stage.reflection).collect();
    let text = || Ok(report::template::to_text(&report::template::template(&stages)?));
    fine.then(text).transpose()
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
