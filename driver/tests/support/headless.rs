// SPDX-License-Identifier: MIT

//! A dispatch and a draw of the headless device, for any implementation.

pub(crate) mod implementation;

use ntv::{EmitOptions, Options, Translator};
use ntv_driver::headless::{
    vk, Attachment, Attribute, Device, Dispatch, Draw, Drawn, Queries, Resource, Resources, Result, Slot,
};

/// The words of the module in the file `path` of the repository.
pub(crate) fn module(device: &Device, path: &str) -> Vec<u32> {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let dump = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut shader = ntv::text::parse(&dump).unwrap();
    let options = Options::default().target(device.target().clone());
    Translator::new(options).translate(&mut shader, &EmitOptions::default()).unwrap().words
}

fn storage(binding: u32) -> Slot {
    Slot { set: 3, binding, element: 0 }
}

fn words(words: &[u32]) -> Resource {
    Resource::Buffer(words.iter().flat_map(|word| word.to_ne_bytes()).collect())
}

/// Computes a histogram of samples, all of which are 3, in bins with an initial value of 5.
pub(crate) fn dispatch(device: &Device) -> Result<Vec<u32>> {
    let module = module(device, "examples/histogram.nir");
    let mut resources = Resources::from([(storage(0), words(&[4, 3, 3, 3, 3])), (storage(1), words(&[5; 64]))]);
    device.dispatch(&Dispatch { module: &module, groups: [1, 1, 1], push_constants: &[] }, &mut resources)?;
    let Some(Resource::Buffer(bytes)) = resources.get(&storage(1)) else { panic!("the buffer is gone") };
    Ok(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect())
}

/// Draws a triangle over a cleared attachment, with all queries that the device supports.
pub(crate) fn draw(device: &Device) -> Result<Drawn> {
    let modules = [module(device, "examples/vertex.nir"), module(device, "examples/fragment.nir")];
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let corners: [[f32; 4]; 3] = [[-1.0, -1.0, 0.5, 1.0], [3.0, -1.0, 0.5, 1.0], [-1.0, 3.0, 0.5, 1.0]];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|value| value.to_ne_bytes()).collect();
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let clear = [-1.0_f32; 4].iter().flat_map(|value| value.to_ne_bytes()).collect();
    let draw = Draw {
        modules: &modules,
        attributes: &[Attribute { location: 0, format, bytes: &bytes, per_instance: false }],
        attachments: &[Attachment { format, clear }],
        size: [4, 4],
        queries: Queries::ALL.and(device.queries()),
        ..Draw::default()
    };
    device.draw(&draw, &mut Resources::new())
}
