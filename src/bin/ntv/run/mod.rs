//! `ntv run`: shaders on a Vulkan device, with inputs from a JSON file; what they wrote as JSON, or as a picture.

mod inputs;

use crate::args::RunArgs;
use crate::diagnostics::{problems, Reporter};
use crate::shaders::{each, load};
use crate::AllFine;
use anyhow::{bail, ensure, Context, Result};
use inputs::{Data, DrawInput, Form, Inputs, Work};
use ntv::driver::{vk, Attachment, Attribute, Device, DeviceOptions, Dispatch, Draw, Resource, Resources, Slot};
use ntv::{EmitOptions, Options};
use serde_json::{json, Value};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

pub(crate) fn run(args: &RunArgs, reporter: &Reporter) -> Result<AllFine> {
    let name = args.file.display();
    let text = fs::read_to_string(&args.file).with_context(|| name.to_string())?;
    let given = Inputs::parse(&text).with_context(|| name.to_string())?;
    let options = DeviceOptions { name: args.device.clone(), ..DeviceOptions::default() };
    let device = Device::open(&options)?;
    let options = Options { target: device.target().clone(), ..Options::default() };
    let loaded = load(crate::inputs::collect(&args.inputs)?, reporter);
    let modules = each(loaded, &options, reporter, |translator, mut job| {
        translator.translate(&mut job.shader, &EmitOptions::default()).map(|module| module.words).map_err(problems)
    });
    let Some(modules) = modules.into_iter().collect::<Option<Vec<Vec<u32>>>>() else { return Ok(false) };

    let mut resources: Resources =
        given.buffers.iter().map(|(slot, data)| (*slot, Resource::Buffer(data.bytes.clone()))).collect();
    let mut targets = Vec::new();
    match &given.work {
        Work::Dispatch(groups) => {
            let [module] = &modules[..] else { bail!("a dispatch is of one shader, not of {}", modules.len()) };
            let dispatch = Dispatch { module, groups: *groups, push_constants: &given.push_constants };
            device.dispatch(&dispatch, &mut resources)?;
        }
        Work::Draw(draw) => targets = draw_with(&device, &modules, draw, &given, &mut resources)?,
    }
    if let Some(png) = &args.png {
        let (Work::Draw(draw), Some(pixels)) = (&given.work, targets.first()) else { bail!("--png takes a draw") };
        write_png(png, draw, pixels)?;
    }
    let result = json!({ "buffers": buffers(&given, &resources), "targets": target_values(&given, &targets) });
    writeln!(io::stdout().lock(), "{result}")?;
    Ok(true)
}

/// Draws, and gives the bytes of each target.
fn draw_with(
    device: &Device,
    modules: &[Vec<u32>],
    draw: &DrawInput,
    given: &Inputs,
    resources: &mut Resources,
) -> Result<Vec<Vec<u8>>> {
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let attributes: Vec<Attribute<'_>> = draw
        .attributes
        .iter()
        .map(|attribute| {
            let (location, format) = (attribute.location, attribute.format);
            Attribute { location, format, bytes: &attribute.data.bytes, per_instance: false }
        })
        .collect();
    let clear = |format: &inputs::Target| Attachment { format: format.format, clear: vec![0; format.texel] };
    let attachments: Vec<Attachment> = draw.targets.iter().map(clear).collect();
    let draw = Draw {
        modules: &modules,
        topology: draw.topology,
        patch_vertices: draw.patch_vertices,
        vertices: draw.vertices,
        instances: draw.instances,
        attributes: &attributes,
        push_constants: &given.push_constants,
        size: draw.size,
        attachments: &attachments,
        captures: &[],
    };
    Ok(device.draw(&draw, resources)?.attachments)
}

/// The buffers that were given, as they are now.
fn buffers(given: &Inputs, resources: &Resources) -> Vec<Value> {
    let value = |(slot, data): &(Slot, Data)| {
        let Some(Resource::Buffer(bytes)) = resources.get(slot) else { return Value::Null };
        json!({
            "set": slot.set, "binding": slot.binding, "element": slot.element, data.form.name(): data.form.values(bytes),
        })
    };
    given.buffers.iter().map(value).collect()
}

fn target_values(given: &Inputs, targets: &[Vec<u8>]) -> Vec<Value> {
    let Work::Draw(draw) = &given.work else { return Vec::new() };
    let value = |(target, bytes): (&inputs::Target, &Vec<u8>)| json!({ "size": draw.size, "format": target.name, target.form.name(): target.form.values(bytes) });
    draw.targets.iter().zip(targets).map(value).collect()
}

/// Writes a target of bytes as a picture.
fn write_png(path: &Path, draw: &DrawInput, pixels: &[u8]) -> Result<()> {
    let bytes = draw.targets.first().is_some_and(|target| target.format == vk::Format::R8G8B8A8_UNORM);
    ensure!(bytes && Form::U8 == draw.targets[0].form, "--png takes a first target of the format rgba8");
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), draw.size[0], draw.size[1]);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}
