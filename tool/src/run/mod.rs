// SPDX-License-Identifier: MIT

//! `ntv run`: runs shaders on the interpreter or on a Vulkan device with inputs from a JSON file, and prints their results as
//! JSON or writes a picture.

#[cfg(feature = "vulkan")]
mod device;
mod inputs;
mod interpreter;
mod textures;
mod wanted;

use crate::args::RunArgs;
use crate::diagnostics::Reporter;
use crate::shaders::{all_valid, load};
use crate::AllFine;
use anyhow::{bail, ensure, Context, Result};
use inputs::{Data, DrawInput, Form, Inputs, Slot, Work};
use serde_json::{json, Value};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

/// The results of a run.
struct Ran {
    /// The contents of the given buffers after the run.
    buffers: Vec<Vec<u8>>,
    /// The texels of all levels of the given images after the run.
    images: Vec<Vec<u8>>,
    /// The texels of each target.
    targets: Vec<Vec<u8>>,
    /// The contents of each transform feedback buffer.
    captures: Vec<Vec<u8>>,
    /// Whether the shaders ran without faults.
    fine: AllFine,
}

pub(crate) fn run(args: &RunArgs, reporter: &Reporter) -> Result<AllFine> {
    let name = args.file.display();
    let text = fs::read_to_string(&args.file).with_context(|| name.to_string())?;
    let given = Inputs::parse(&text).with_context(|| name.to_string())?;
    let png = match (&args.png, &given.work) {
        (Some(_), Work::Dispatch(_)) => bail!("--png needs a draw"),
        (Some(png), Work::Draw(draw)) => Some((png, draw)),
        (None, _) => None,
    };
    let loaded = load(crate::inputs::collect(&args.inputs)?, reporter);
    if !all_valid(&loaded, reporter) {
        return Ok(false);
    }
    let ran = match args.device {
        None => interpreter::run(args, &given, &loaded, reporter)?,
        #[cfg(feature = "vulkan")]
        Some(_) => device::run(args, &given, loaded, reporter)?,
        #[cfg(not(feature = "vulkan"))]
        Some(_) => bail!("this ntv was built without Vulkan: cargo run --features vulkan -- run ..."),
    };
    let Some(ran) = ran else { return Ok(false) };
    if let Some((png, draw)) = png {
        write_png(png, draw, ran.targets.first())?;
    }
    let captures: Vec<Value> = ran.captures.iter().map(|bytes| json!({ "u32": Form::U32.values(bytes) })).collect();
    let result = json!({
        "buffers": buffers(&given, &ran), "images": images(&given, &ran),
        "targets": target_values(&given, &ran), "captures": captures,
    });
    writeln!(io::stdout().lock(), "{result}")?;
    Ok(ran.fine)
}

fn buffers(given: &Inputs, ran: &Ran) -> Vec<Value> {
    let pairs = given.buffers.iter().zip(&ran.buffers);
    pairs.map(|((slot, data), bytes): (&(Slot, Data), _)| descriptor_value(*slot, data.form, bytes)).collect()
}

fn images(given: &Inputs, ran: &Ran) -> Vec<Value> {
    let pairs = given.images.iter().zip(&ran.images);
    pairs.map(|(input, bytes)| descriptor_value(input.slot, input.form, bytes)).collect()
}

fn descriptor_value(slot: Slot, form: Form, bytes: &[u8]) -> Value {
    json!({
        "set": slot.set, "binding": slot.binding, "element": slot.element, form.name(): form.values(bytes),
    })
}

fn target_values(given: &Inputs, ran: &Ran) -> Vec<Value> {
    let Work::Draw(draw) = &given.work else { return Vec::new() };
    let value = |(target, bytes): (&inputs::TargetInput, &Vec<u8>)| {
        let inputs::Target { name, form, .. } = target.kind;
        json!({ "size": draw.size, "format": name, form.name(): form.values(bytes) })
    };
    draw.targets.iter().zip(&ran.targets).map(value).collect()
}

/// Writes a target of bytes as a picture.
fn write_png(path: &Path, draw: &DrawInput, pixels: Option<&Vec<u8>>) -> Result<()> {
    let bytes = draw.targets.first().is_some_and(|target| target.kind.form == Form::U8);
    ensure!(bytes, "--png needs a first target of the format rgba8");
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), draw.size[0], draw.size[1]);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels.context("the draw has no target")?)?;
    Ok(())
}
