// SPDX-License-Identifier: MIT

//! Pictures in files.

use crate::destination;
use anyhow::{ensure, Context as _, Result};
use ntv_report::run::inputs::{DrawInput, Form};
use std::path::Path;

/// Writes rows of pixels of 8 bits for each component as a PNG file.
pub(crate) fn write(path: &Path, [width, height]: [u32; 2], color: png::ColorType, pixels: &[u8]) -> Result<()> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(destination::write(path, &bytes)?)
}

/// Writes a target of a draw, of bytes, as a picture.
pub(crate) fn write_target(path: &Path, draw: &DrawInput, pixels: Option<&Vec<u8>>) -> Result<()> {
    let bytes = draw.targets.first().is_some_and(|target| target.kind.form == Form::U8);
    ensure!(bytes, "--png needs a first target of the format rgba8");
    write(path, draw.size, png::ColorType::Rgba, pixels.context("the draw has no target")?)
}
