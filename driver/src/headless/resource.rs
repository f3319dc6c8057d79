// SPDX-License-Identifier: MIT

//! The resources of shaders: the contents of each descriptor.

use super::{Error, Result};
use crate::format::{FormatInfo, FORMATS};
use crate::resource::TextureTarget;
use ash::vk;
use ntv::interp::{self, Sampler};
use ntv::op::names::ImageDim;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The position of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// The element of an array of descriptors, otherwise 0.
    pub element: u32,
}

/// The contents of all descriptors. Modules may leave some of them unused; each one that a module uses must be present.
pub type Resources = BTreeMap<Slot, Resource>;

/// The contents of a descriptor. The modules decide whether a buffer is a uniform or a storage buffer, and an image a sampled or
/// a storage image; storage is written back.
#[derive(Clone, Debug)]
pub enum Resource {
    /// A buffer with exactly these bytes.
    Buffer(Vec<u8>),
    /// A buffer with these bytes except for addresses of buffers: the byte of each address, of eight bytes, and the place of the
    /// buffer to whose first byte it points. A shader with such an address may write to that buffer.
    Addresses(Vec<u8>, Vec<(usize, Slot)>),
    /// A read-only part of a buffer.
    Part(Part),
    /// A buffer of texels.
    TexelBuffer(vk::Format, Vec<u8>),
    /// A whole buffer as texels; parts of it may be bound elsewhere. It is read-only.
    TexelPart(vk::Format, Rc<[u8]>),
    /// An image.
    Image(Image),
    /// An image with a sampler.
    Sampled(Image, Sampler),
    /// A sampler alone.
    Sampler(Sampler),
}

/// A part of a buffer. Parts with the same `bytes`, and not only with equal ones, share one buffer on the device. Writes of a
/// shader to it are not read back.
#[derive(Clone, Debug)]
pub struct Part {
    /// All bytes of the buffer.
    pub bytes: Rc<[u8]>,
    /// The offset of the part: a multiple of the device's minUniformBufferOffsetAlignment or minStorageBufferOffsetAlignment.
    pub offset: usize,
    /// The number of bytes of the part.
    pub len: usize,
}

/// An image with its contents.
#[derive(Clone, Debug)]
pub struct Image {
    /// The format of a texel; see [`texel_size`].
    pub format: vk::Format,
    /// The view type in the shader.
    pub view: vk::ImageViewType,
    /// Width, height, depth of level 0.
    pub extent: [u32; 3],
    /// The number of layers; six for each cube.
    pub layers: u32,
    /// The number of samples of a texel. Multisampled images have undefined contents at the start and are not read back.
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

/// The number of bytes of a texel of `format`; `None` for formats that the driver does not support.
pub fn texel_size(format: vk::Format) -> Option<usize> {
    FormatInfo::of(format).map(|info| info.bytes as usize)
}

impl Resource {
    /// Converts an image of the interpreter, with its sampler if it is a texture.
    pub fn given(image: &interp::Image, sampler: Option<&Sampler>) -> Result<Resource> {
        let same = |info: &&FormatInfo| interp::Format::from_name(&info.nir_name()) == Some(image.format);
        let format = FORMATS.iter().find(same).map(|info| info.format);
        let mut format =
            format.ok_or_else(|| Error::new(format!("images of format {:?} are not supported", image.format)))?;
        let levels: Vec<Vec<u8>> = image.levels.iter().map(|level| level.bytes.clone()).collect();
        if image.dim == ImageDim::buf {
            return Ok(Resource::TexelBuffer(format, levels.concat()));
        }
        // A comparison needs a depth format.
        if sampler.is_some_and(|sampler| sampler.compare.is_some()) {
            format = match format {
                vk::Format::R32_SFLOAT => vk::Format::D32_SFLOAT,
                vk::Format::R16_UNORM => vk::Format::D16_UNORM,
                _ => return Err(Error::new("only r32_float and r16_unorm images can be compared")),
            };
        }
        let target = TextureTarget::of_dim(image.dim, image.array);
        let target = target.ok_or_else(|| Error::new("multisampled images cannot have contents"))?;
        let view = target.view_type();
        let samples = vk::SampleCountFlags::TYPE_1;
        let image = Image { format, view, extent: image.size, layers: image.layers, samples, levels };
        Ok(match sampler {
            Some(sampler) => Resource::Sampled(image, sampler.clone()),
            None => Resource::Image(image),
        })
    }
}
