// SPDX-License-Identifier: MIT

//! The resources of shaders: the contents of each descriptor.

use crate::format::FormatInfo;
use crate::resource::SamplerState;
use ash::vk;
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
    Sampled(Image, SamplerState),
    /// A sampler alone.
    Sampler(SamplerState),
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
