//! What shaders are given: the contents of each descriptor.

use super::{Error, Result};
use crate::format::{FormatInfo, FORMATS};
use ash::vk;
use ntv::interp::{self, Sampler};
use ntv::op::names::ImageDim;
use std::collections::BTreeMap;
use std::rc::Rc;

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
    /// A part of a buffer, which is read.
    Part(Part),
    /// A buffer of texels.
    TexelBuffer(vk::Format, Vec<u8>),
    /// All of a buffer, of which parts may be bound elsewhere, as texels. It is read.
    TexelPart(vk::Format, Rc<[u8]>),
    /// An image.
    Image(Image),
    /// An image with a sampler.
    Sampled(Image, Sampler),
    /// A sampler alone.
    Sampler(Sampler),
}

/// A part of a buffer. Parts with the same `bytes`, not only with equal ones, are of one buffer on the device. What a shader
/// writes there is not read back.
#[derive(Clone, Debug)]
pub struct Part {
    /// All bytes of the buffer.
    pub bytes: Rc<[u8]>,
    /// Where the part starts: a multiple of the device's minUniformBufferOffsetAlignment or minStorageBufferOffsetAlignment.
    pub offset: usize,
    /// The bytes of the part.
    pub len: usize,
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

/// Bytes of a texel of `format`; `None` for formats that are not of use here.
pub fn texel_size(format: vk::Format) -> Option<usize> {
    FormatInfo::of(format).map(|info| info.bytes as usize)
}

impl Resource {
    /// The image that the interpreter is given, with its sampler if it is a texture.
    pub fn given(image: &interp::Image, sampler: Option<&Sampler>) -> Result<Resource> {
        let same = |info: &&FormatInfo| interp::Format::from_name(&info.nir_name()) == Some(image.format);
        let format = FORMATS.iter().find(same).map(|info| info.format);
        let mut format = format.ok_or_else(|| Error::new(format!("no device is given {:?}", image.format)))?;
        let levels: Vec<Vec<u8>> = image.levels.iter().map(|level| level.bytes.clone()).collect();
        if image.dim == ImageDim::buf {
            return Ok(Resource::TexelBuffer(format, levels.concat()));
        }
        // What is compared is a depth.
        if sampler.is_some_and(|sampler| sampler.compare.is_some()) {
            format = match format {
                vk::Format::R32_SFLOAT => vk::Format::D32_SFLOAT,
                vk::Format::R16_UNORM => vk::Format::D16_UNORM,
                _ => return Err(Error::new("what is compared is an r32_float or r16_unorm")),
            };
        }
        let view = view(image.dim, image.array)?;
        let samples = vk::SampleCountFlags::TYPE_1;
        let image = Image { format, view, extent: image.size, layers: image.layers, samples, levels };
        Ok(match sampler {
            Some(sampler) => Resource::Sampled(image, sampler.clone()),
            None => Resource::Image(image),
        })
    }
}

fn view(dim: ImageDim, array: bool) -> Result<vk::ImageViewType> {
    use vk::ImageViewType as View;
    Ok(match (dim, array) {
        (ImageDim::dim_1d, false) => View::TYPE_1D,
        (ImageDim::dim_1d, true) => View::TYPE_1D_ARRAY,
        (ImageDim::dim_2d | ImageDim::rect | ImageDim::external, false) => View::TYPE_2D,
        (ImageDim::dim_2d, true) => View::TYPE_2D_ARRAY,
        (ImageDim::dim_3d, false) => View::TYPE_3D,
        (ImageDim::cube, false) => View::CUBE,
        (ImageDim::cube, true) => View::CUBE_ARRAY,
        _ => return Err(Error::new("images of several samples have no contents")),
    })
}
