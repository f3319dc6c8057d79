//! What shaders are given: the contents of each descriptor.

use ash::vk;
use std::collections::BTreeMap;

/// A descriptor's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of an array of descriptors, otherwise 0.
    pub element: u32,
}

/// The contents of all descriptors. Modules may leave some unused; those that they use must be there.
pub type Resources = BTreeMap<Slot, Resource>;

/// The contents of a descriptor. Whether a buffer is a uniform or a storage buffer, an image sampled or a storage image, is
/// for the modules to say; storage is written back.
#[derive(Clone, Debug)]
pub enum Resource {
    /// A buffer of exactly these bytes.
    Buffer(Vec<u8>),
    /// A buffer of texels.
    TexelBuffer(vk::Format, Vec<u8>),
    /// An image.
    Image(Image),
    /// An image with a sampler.
    Sampled(Image, Sampler),
    /// A sampler alone.
    Sampler(Sampler),
}

/// An image with its contents.
#[derive(Clone, Debug)]
pub struct Image {
    /// Format of a texel; see [`texel_size`].
    pub format: vk::Format,
    /// How the shader sees it.
    pub view: vk::ImageViewType,
    /// Width, height, depth of level 0.
    pub extent: [u32; 3],
    /// Layers; six for each cube.
    pub layers: u32,
    /// Samples of a texel. Images of several start undefined and are not read back.
    pub samples: vk::SampleCountFlags,
    /// Texels of each level, without gaps: layers of planes of rows.
    pub levels: Vec<Vec<u8>>,
}

impl Image {
    /// A 2D image of one level.
    pub fn new_2d(format: vk::Format, width: u32, height: u32, texels: Vec<u8>) -> Image {
        Image {
            format,
            view: vk::ImageViewType::TYPE_2D,
            extent: [width, height, 1],
            layers: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            levels: vec![texels],
        }
    }
}

/// How an image is sampled.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    /// Between texels, and between levels.
    pub filter: vk::Filter,
    /// Beyond the edge.
    pub address: vk::SamplerAddressMode,
    /// What `Dref` is compared by, if at all.
    pub compare: Option<vk::CompareOp>,
    /// Coordinates count texels.
    pub unnormalized: bool,
}

impl Default for Sampler {
    fn default() -> Sampler {
        let address = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        Sampler { filter: vk::Filter::NEAREST, address, compare: None, unnormalized: false }
    }
}

/// The formats that images may have here, with the bytes of a texel.
const FORMATS: &[(vk::Format, usize)] = &[
    (vk::Format::R8_UNORM, 1),
    (vk::Format::R8_UINT, 1),
    (vk::Format::S8_UINT, 1),
    (vk::Format::R16_UINT, 2),
    (vk::Format::D16_UNORM, 2),
    (vk::Format::R8G8_UNORM, 2),
    (vk::Format::R8G8B8A8_UNORM, 4),
    (vk::Format::R8G8B8A8_SRGB, 4),
    (vk::Format::R8G8B8A8_UINT, 4),
    (vk::Format::R8G8B8A8_SINT, 4),
    (vk::Format::R32_SFLOAT, 4),
    (vk::Format::R32_UINT, 4),
    (vk::Format::R32_SINT, 4),
    (vk::Format::D32_SFLOAT, 4),
    (vk::Format::R64_UINT, 8),
    (vk::Format::R64_SINT, 8),
    (vk::Format::R16G16B16A16_SFLOAT, 8),
    (vk::Format::R32G32_SFLOAT, 8),
    (vk::Format::R32G32_UINT, 8),
    (vk::Format::R32G32B32_SFLOAT, 12),
    (vk::Format::R32G32B32A32_SFLOAT, 16),
    (vk::Format::R32G32B32A32_UINT, 16),
    (vk::Format::R32G32B32A32_SINT, 16),
];

/// Bytes of a texel of `format`; `None` for formats that are not of use here.
pub fn texel_size(format: vk::Format) -> Option<usize> {
    FORMATS.iter().find(|row| row.0 == format).map(|row| row.1)
}
