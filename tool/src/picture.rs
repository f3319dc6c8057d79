// SPDX-License-Identifier: MIT

//! Pictures in files.

use crate::destination;
use anyhow::Result;
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
