// SPDX-License-Identifier: MIT

//! Runs on a Vulkan device.

use crate::args::RunArgs;
use crate::diagnostics::{problems, Reporter};
use crate::shaders::{each, Loaded};
use anyhow::{bail, ensure, Error, Result};
use ntv::ir::Stage;
use ntv::{EmitOptions, Options, Translator};
use ntv_driver::headless::{
    self, vk, Attachment, Attribute, Device, DeviceOptions, Dispatch, Draw, Drawn, Resource, Resources,
};
use ntv_gen::oracle::convert;
use ntv_report::run::cover;
use ntv_report::run::inputs::{Data, DrawInput, Form, Inputs, Pointer, Slot, Topology, Work};
use ntv_report::run::textures::ImageInput;
use ntv_report::run::wanted::{self, Translated};
use ntv_report::run::Ran;
use std::sync::{Mutex, PoisonError};

/// Runs `loaded`; `None` if a shader cannot be translated, or if an input is missing. A fragment shader alone gets a vertex shader, and
/// `given` the draw with it.
pub(super) fn run(args: &RunArgs, given: &mut Inputs, loaded: Loaded, reporter: &Reporter) -> Result<Option<Ran>> {
    let device = open(args.device.as_deref().unwrap_or_default(), args.validate)?;
    let mut target = device.target().clone();
    args.workaround.iter().for_each(|workaround| target.work_around(*workaround, true));
    let options = Options::default().target(target);
    let is_alone = loaded.units.len() == 1 && matches!(given.work, Work::Draw(_));
    let cover = Mutex::new(None);
    let modules = each(loaded, &options, reporter, |translator, mut job| {
        let read = job.shader.clone();
        let module = translator.translate(&mut job.shader, &EmitOptions::default()).map_err(problems)?;
        let missing = wanted::missing(&Translated { read: &read, lowered: &job.shader, module: &module }, given, true);
        if is_alone && job.shader.stage() == Stage::Fragment {
            *cover.lock().unwrap_or_else(PoisonError::into_inner) = Some(cover::vertex_shader(&job.shader));
        }
        match missing.is_empty() {
            true => Ok(module.words),
            false => Err(missing),
        }
    });
    let Some(mut modules) = modules.into_iter().collect::<Option<Vec<Vec<u32>>>>() else { return Ok(None) };
    if let Some(vertex) = cover.into_inner().unwrap_or_else(PoisonError::into_inner) {
        modules.insert(0, Translator::new(options).translate(&mut vertex?, &EmitOptions::default())?.words);
        if let Work::Draw(draw) = &mut given.work {
            (draw.topology, draw.vertices, draw.instances) = (Topology::Triangles, cover::VERTICES, 1);
            draw.attributes.clear();
        }
    }
    run_modules(&device, &modules, given).map(Some)
}

/// Opens the first device, or the one with `name` in its name.
pub(crate) fn open(name: &str, validation: bool) -> Result<Device> {
    let name = (!name.is_empty()).then(|| name.to_owned());
    Ok(Device::open(&DeviceOptions { name, validation, ..DeviceOptions::default() })?)
}

/// Runs modules.
pub(crate) fn run_modules(device: &Device, modules: &[Vec<u32>], given: &Inputs) -> Result<Ran> {
    run_with(device, given, |resources| match &given.work {
        Work::Dispatch(groups) => {
            let [module] = modules else { bail!("a dispatch needs one shader, not {}", modules.len()) };
            let dispatch = Dispatch { module, groups: *groups, push_constants: &given.push_constants };
            device.dispatch(&dispatch, resources)?;
            Ok(Drawn::default())
        }
        Work::Draw(draw) => draw_with(device, modules, draw, given, resources),
        Work::Invocations(_) => {
            bail!("`invocations` run only on the interpreter: a device draws with a whole pipeline, and needs a `draw`")
        }
    })
}

/// Runs `work` with the resources that are given.
pub(crate) fn run_with(
    device: &Device,
    given: &Inputs,
    work: impl FnOnce(&mut Resources) -> Result<Drawn>,
) -> Result<Ran> {
    let mut resources: Resources =
        given.buffers.iter().map(|(slot, data)| (place(*slot), buffer(*slot, data, &given.pointers))).collect();
    for (slot, texture) in &given.textures {
        resources.insert(place(*slot), convert::resource(&texture.image, Some(&texture.sampler)).map_err(Error::msg)?);
    }
    for (slot, sampler) in &given.samplers {
        resources.insert(place(*slot), Resource::Sampler(convert::sampler(sampler).map_err(Error::msg)?));
    }
    for input in &given.images {
        resources.insert(place(input.slot), convert::resource(&input.image, None).map_err(Error::msg)?);
    }
    let Drawn { attachments: targets, captures, .. } = work(&mut resources)?;
    let messages = device.take_messages();
    ensure!(messages.is_empty(), "messages of the validation layer:\n{}", messages.join("\n"));
    let buffer = |(slot, _): &(Slot, _)| match resources.get(&place(*slot)) {
        Some(Resource::Buffer(bytes) | Resource::Addresses(bytes, _)) => bytes.clone(),
        _ => Vec::new(),
    };
    let image = |input: &ImageInput| match resources.get(&place(input.slot)) {
        Some(Resource::Image(image)) => image.levels.concat(),
        Some(Resource::TexelBuffer(_, bytes)) => bytes.clone(),
        _ => Vec::new(),
    };
    let (buffers, images) = (given.buffers.iter().map(buffer).collect(), given.images.iter().map(image).collect());
    Ok(Ran { buffers, images, targets, captures, invocations: None, fine: true })
}

/// The buffer at `slot`, with the addresses that it has.
fn buffer(slot: Slot, data: &Data, pointers: &[Pointer]) -> Resource {
    let own = pointers.iter().filter(|pointer| pointer.slot == slot);
    let addresses: Vec<_> = own.map(|pointer| (pointer.offset, place(pointer.to))).collect();
    match addresses.is_empty() {
        true => Resource::Buffer(data.bytes.clone()),
        false => Resource::Addresses(data.bytes.clone(), addresses),
    }
}

fn place(Slot { set, binding, element }: Slot) -> headless::Slot {
    headless::Slot { set, binding, element }
}

/// Draws.
fn draw_with(
    device: &Device,
    modules: &[Vec<u32>],
    draw: &DrawInput,
    given: &Inputs,
    resources: &mut Resources,
) -> Result<Drawn> {
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let attributes: Vec<Attribute<'_>> = draw
        .attributes
        .iter()
        .map(|attribute| {
            let (location, format) = (attribute.location, format_of(attribute.data.form));
            Attribute { location, format, bytes: &attribute.data.bytes, per_instance: false }
        })
        .collect();
    let attachments = draw.targets.iter().map(|target| {
        let format = target_format(target.kind.name)?;
        Ok(Attachment { format, clear: target.clear.clone() })
    });
    let attachments: Vec<Attachment> = attachments.collect::<Result<_>>()?;
    let draw = Draw {
        modules: &modules,
        topology: topology(draw.topology),
        patch_vertices: draw.patch_vertices,
        vertices: draw.vertices,
        instances: draw.instances,
        attributes: &attributes,
        push_constants: &given.push_constants,
        size: draw.size,
        attachments: &attachments,
        captures: &draw.captures,
        ..Draw::default()
    };
    Ok(device.draw(&draw, resources)?)
}

fn topology(topology: Topology) -> vk::PrimitiveTopology {
    match topology {
        Topology::Points => vk::PrimitiveTopology::POINT_LIST,
        Topology::Lines => vk::PrimitiveTopology::LINE_LIST,
        Topology::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
        Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
        Topology::Patches => vk::PrimitiveTopology::PATCH_LIST,
    }
}

/// The format of four numbers of a form.
fn format_of(form: Form) -> vk::Format {
    match form {
        Form::U32 => vk::Format::R32G32B32A32_UINT,
        Form::I32 => vk::Format::R32G32B32A32_SINT,
        Form::F32 => vk::Format::R32G32B32A32_SFLOAT,
        Form::U8 => vk::Format::R8G8B8A8_UNORM,
    }
}

fn target_format(name: &str) -> Result<vk::Format> {
    Ok(match name {
        "rgba8" => vk::Format::R8G8B8A8_UNORM,
        "rgba32f" => vk::Format::R32G32B32A32_SFLOAT,
        "rgba32ui" => vk::Format::R32G32B32A32_UINT,
        "r32ui" => vk::Format::R32_UINT,
        _ => bail!("there is no target {name}"),
    })
}
