// SPDX-License-Identifier: MIT

//! Images: texels of a format in levels, layers and samples. Samplers.

use crate::format::{Format, Texel};
use crate::memory::Buffer;
use crate::{Bits, Floats};
use ntv::op::names::ImageDim;
use std::fmt;

/// An image with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The dimensionality.
    pub dim: ImageDim,
    /// Whether the image has layers.
    pub array: bool,
    /// The format of a texel.
    pub format: Format,
    /// The width, height and depth of level 0; 1 for dimensions that the image lacks.
    pub size: [u32; 3],
    /// The number of layers; six for each cube.
    pub layers: u32,
    /// The number of samples of a texel.
    pub samples: u32,
    /// The texels of each level, without gaps. The order is layer, plane, row, texel, sample.
    pub levels: Vec<Buffer>,
}

/// The position of a texel in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TexelPosition {
    pub level: usize,
    pub texel: [i64; 3],
    pub layer: i64,
    pub sample: i64,
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Image { dim, size, layers, samples, levels, .. } = self;
        write!(
            f,
            "the image is {} of {size:?}, {layers} layers, {samples} samples, {} levels",
            dim.name(),
            levels.len()
        )
    }
}

impl Image {
    /// An image of one level of zeros.
    pub fn new(dim: ImageDim, format: Format, size: [u32; 3]) -> Image {
        let layers = if dim == ImageDim::cube { 6 } else { 1 };
        let mut image = Image { dim, array: false, format, size, layers, samples: 1, levels: Vec::new() };
        image.levels.push(Buffer::zeroed(image.level_bytes(0)));
        image
    }

    /// The width, height and depth of a level.
    pub fn level_size(&self, level: usize) -> [u32; 3] {
        let level = level.min(31) as u32;
        self.size.map(|size| (size >> level).max(1))
    }

    /// The size of a level in bytes.
    pub fn level_bytes(&self, level: usize) -> usize {
        let texels = self.level_size(level).iter().fold(1usize, |n, size| n.saturating_mul(*size as usize));
        let all = texels.saturating_mul(self.layers as usize).saturating_mul(self.samples as usize);
        all.saturating_mul(self.format.bytes())
    }

    /// The number of layers, or of cubes.
    pub(crate) fn elements(&self) -> u32 {
        if self.dim == ImageDim::cube {
            self.layers / 6
        } else {
            self.layers
        }
    }

    /// The first byte of a texel in its level; `None` outside of the image.
    pub(crate) fn byte(&self, place: TexelPosition) -> Option<i64> {
        self.levels.get(place.level)?;
        let [width, height, depth] = self.level_size(place.level).map(i64::from);
        let inside = |at: i64, size: i64| (0..size).contains(&at).then_some(at);
        let [x, y, z] = place.texel;
        let (x, y, z) = (inside(x, width)?, inside(y, height)?, inside(z, depth)?);
        let (layer, sample) = (inside(place.layer, self.layers.into())?, inside(place.sample, self.samples.into())?);
        let texel = ((layer * depth + z) * height + y) * width + x;
        Some((texel * i64::from(self.samples) + sample) * self.format.bytes() as i64)
    }

    /// The components of a texel; `None` outside of the image.
    pub(crate) fn fetch(&self, place: TexelPosition, floats: Floats) -> Option<[Bits; 4]> {
        let (byte, level) = (self.byte(place)?, self.levels.get(place.level)?);
        let mut texel = Texel::default();
        for i in (0..self.format.bytes()).rev() {
            let bits = level.read(byte + i as i64, 8)?;
            texel.value = texel.value << 8 | u128::from(bits.value);
            texel.undef = texel.undef << 8 | u128::from(bits.undef);
        }
        Some(self.format.decode(texel, floats))
    }
}

/// An image and a sampler for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The image.
    pub image: Image,
    /// The sampler of a combined image and sampler.
    pub sampler: Sampler,
}

/// The parameters of sampling (Vulkan 1.3, 13: "Samplers").
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    /// The filter if a texel is larger than a pixel.
    pub mag: Filter,
    /// The filter if it is smaller.
    pub min: Filter,
    /// The filter between levels.
    pub mip: Filter,
    /// The wrap mode of each dimension.
    pub wrap: [Wrap; 3],
    /// The comparison of the reference with a texel, if there is one.
    pub compare: Option<Compare>,
    /// The bias of the level of detail.
    pub lod_bias: f32,
    /// The least and the greatest level of detail.
    pub lod: [f32; 2],
    /// The border texel: the bits of four floats or integers.
    pub border: [u32; 4],
    /// Whether coordinates count texels.
    pub unnormalized: bool,
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler {
            mag: Filter::Nearest,
            min: Filter::Nearest,
            mip: Filter::Nearest,
            wrap: [Wrap::ClampToEdge; 3],
            compare: None,
            lod_bias: 0.0,
            lod: [0.0, 1000.0],
            border: [0; 4],
            unnormalized: false,
        }
    }
}

/// The way in which neighbouring texels, or levels, are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The nearest one is used.
    Nearest,
    /// They are weighted by their distance.
    Linear,
}

/// The texels beyond the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// The image is repeated.
    Repeat,
    /// The image is mirrored and repeated.
    MirroredRepeat,
    /// The last texel is repeated.
    ClampToEdge,
    /// The border texel is used.
    ClampToBorder,
    /// The image is mirrored once, then its last texel is repeated.
    MirrorClampToEdge,
}

/// The condition under which a comparison of a reference with a texel is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    Always,
}

impl Compare {
    pub(crate) fn holds(self, reference: f64, texel: f64) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => reference < texel,
            Compare::Equal => reference == texel,
            Compare::LessOrEqual => reference <= texel,
            Compare::Greater => reference > texel,
            Compare::NotEqual => reference != texel,
            Compare::GreaterOrEqual => reference >= texel,
            Compare::Always => true,
        }
    }
}

impl Wrap {
    /// The texel in a dimension of `size` texels that coordinate `texel` wraps to; `None` for the border.
    pub(crate) fn texel(self, texel: i64, size: i64) -> Option<i64> {
        let mirrored = |texel: i64| if texel < 0 { -1 - texel } else { texel };
        Some(match self {
            Wrap::Repeat => texel.rem_euclid(size),
            Wrap::MirroredRepeat => size - 1 - mirrored(texel.rem_euclid(2 * size) - size),
            Wrap::ClampToEdge => texel.clamp(0, size - 1),
            Wrap::ClampToBorder => return Some(texel).filter(|texel| (0..size).contains(texel)),
            Wrap::MirrorClampToEdge => mirrored(texel).min(size - 1),
        })
    }
}
