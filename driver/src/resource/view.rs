// SPDX-License-Identifier: MIT

//! Views of resources by shaders and framebuffers: a part of a resource, in a format.

use super::texture::{Texture, TextureTarget};
use super::Buffer;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use crate::format::aspects;
use ash::vk;
use std::sync::Arc;

/// The source of a component of a texel: Gallium's `PIPE_SWIZZLE_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Swizzle {
    /// The component itself.
    #[default]
    Identity,
    X,
    Y,
    Z,
    W,
    Zero,
    One,
}

impl Swizzle {
    fn raw(self) -> vk::ComponentSwizzle {
        match self {
            Swizzle::Identity => vk::ComponentSwizzle::IDENTITY,
            Swizzle::X => vk::ComponentSwizzle::R,
            Swizzle::Y => vk::ComponentSwizzle::G,
            Swizzle::Z => vk::ComponentSwizzle::B,
            Swizzle::W => vk::ComponentSwizzle::A,
            Swizzle::Zero => vk::ComponentSwizzle::ZERO,
            Swizzle::One => vk::ComponentSwizzle::ONE,
        }
    }
}

/// A view that a shader samples.
#[derive(Clone, Debug)]
pub enum SamplerView {
    /// A part of a texture.
    Texture {
        /// The texture.
        texture: Arc<Texture>,
        /// The format of the view.
        format: vk::Format,
        /// The target of the view.
        target: TextureTarget,
        /// The first level and the number of levels.
        levels: [u32; 2],
        /// The first layer and the number of layers.
        layers: [u32; 2],
        /// The source of each component.
        swizzle: [Swizzle; 4],
    },
    /// A part of a buffer, as texels.
    Buffer {
        /// The buffer.
        buffer: Arc<Buffer>,
        /// The format of its texels.
        format: vk::Format,
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        size: u64,
    },
}

impl SamplerView {
    /// A view of a whole texture with its own format and target.
    pub fn whole(texture: &Arc<Texture>) -> SamplerView {
        let description = texture.description();
        SamplerView::Texture {
            texture: Arc::clone(texture),
            format: description.format,
            target: description.target,
            levels: [0, description.levels],
            layers: [0, description.layers],
            swizzle: [Swizzle::Identity; 4],
        }
    }

    /// The key of the Vulkan image view that it needs; `None` for a buffer.
    pub(crate) fn key(&self) -> Option<ViewKey> {
        let SamplerView::Texture { format, target, levels, layers, swizzle, .. } = self else { return None };
        // A shader samples depth or stencil, not both.
        let all = aspects(*format);
        let aspect = if all.contains(vk::ImageAspectFlags::DEPTH) { vk::ImageAspectFlags::DEPTH } else { all };
        Some(ViewKey {
            view: target.view_type(),
            format: *format,
            aspect,
            levels: *levels,
            layers: *layers,
            swizzle: *swizzle,
        })
    }
}

impl PartialEq for SamplerView {
    fn eq(&self, other: &SamplerView) -> bool {
        match (self, other) {
            (SamplerView::Texture { texture, .. }, SamplerView::Texture { texture: other_texture, .. }) => {
                Arc::ptr_eq(texture, other_texture) && self.key() == other.key()
            }
            (
                SamplerView::Buffer { buffer, format, offset, size },
                SamplerView::Buffer { buffer: buffer2, format: format2, offset: offset2, size: size2 },
            ) => Arc::ptr_eq(buffer, buffer2) && (format, offset, size) == (format2, offset2, size2),
            _ => false,
        }
    }
}

/// A view for loads and stores of a shader: Gallium's `pipe_image_view`.
#[derive(Clone, Debug)]
pub enum ImageView {
    /// A level of a texture.
    Texture {
        /// The texture.
        texture: Arc<Texture>,
        /// The format of the view.
        format: vk::Format,
        /// The level.
        level: u32,
        /// The first layer and the number of layers.
        layers: [u32; 2],
        /// Whether the shader sees one layer as a texture without layers.
        single_layer: bool,
    },
    /// A part of a buffer, as texels.
    Buffer {
        /// The buffer.
        buffer: Arc<Buffer>,
        /// The format of its texels.
        format: vk::Format,
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        size: u64,
    },
}

impl ImageView {
    /// A view of level 0 of a texture with its own format.
    pub fn whole(texture: &Arc<Texture>) -> ImageView {
        let description = texture.description();
        ImageView::Texture {
            texture: Arc::clone(texture),
            format: description.format,
            level: 0,
            layers: [0, description.layers],
            single_layer: false,
        }
    }

    /// The key of the Vulkan image view that it needs; `None` for a buffer.
    pub(crate) fn key(&self) -> Option<ViewKey> {
        let ImageView::Texture { texture, format, level, layers, single_layer } = self else { return None };
        let view = match (texture.description().target, single_layer) {
            (TextureTarget::Texture1DArray, true) => vk::ImageViewType::TYPE_1D,
            (TextureTarget::Texture2DArray | TextureTarget::Cube | TextureTarget::CubeArray, true) => {
                vk::ImageViewType::TYPE_2D
            }
            (target, _) => target.view_type(),
        };
        Some(ViewKey {
            view,
            format: *format,
            aspect: aspects(*format),
            levels: [*level, 1],
            layers: *layers,
            swizzle: [Swizzle::Identity; 4],
        })
    }
}

impl PartialEq for ImageView {
    fn eq(&self, other: &ImageView) -> bool {
        match (self, other) {
            (ImageView::Texture { texture, .. }, ImageView::Texture { texture: other_texture, .. }) => {
                Arc::ptr_eq(texture, other_texture) && self.key() == other.key()
            }
            (
                ImageView::Buffer { buffer, format, offset, size },
                ImageView::Buffer { buffer: buffer2, format: format2, offset: offset2, size: size2 },
            ) => Arc::ptr_eq(buffer, buffer2) && (format, offset, size) == (format2, offset2, size2),
            _ => false,
        }
    }
}

/// A render target: a level of a texture, and layers of it. Gallium's `pipe_surface`.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The texture.
    pub texture: Arc<Texture>,
    /// The format of the view.
    pub format: vk::Format,
    /// The level.
    pub level: u32,
    /// The first layer and the number of layers.
    pub layers: [u32; 2],
}

impl Surface {
    /// Level 0 and the first layer of a texture.
    pub fn new(texture: &Arc<Texture>) -> Surface {
        Surface { texture: Arc::clone(texture), format: texture.description().format, level: 0, layers: [0, 1] }
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        let [width, height, _] = self.texture.description().level_size(self.level);
        [width, height]
    }

    pub(crate) fn key(&self) -> ViewKey {
        let view = match self.layers[1] {
            1 => vk::ImageViewType::TYPE_2D,
            _ => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        ViewKey {
            view,
            format: self.format,
            aspect: aspects(self.format),
            levels: [self.level, 1],
            layers: self.layers,
            swizzle: [Swizzle::Identity; 4],
        }
    }
}

impl PartialEq for Surface {
    fn eq(&self, other: &Surface) -> bool {
        Arc::ptr_eq(&self.texture, &other.texture)
            && (self.format, self.level, self.layers) == (other.format, other.level, other.layers)
    }
}

/// The properties that distinguish views of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ViewKey {
    pub(crate) view: vk::ImageViewType,
    pub(crate) format: vk::Format,
    pub(crate) aspect: vk::ImageAspectFlags,
    pub(crate) levels: [u32; 2],
    pub(crate) layers: [u32; 2],
    pub(crate) swizzle: [Swizzle; 4],
}

impl ViewKey {
    pub(super) fn create(&self, device: &Logical, image: vk::Image) -> Result<vk::ImageView> {
        if self.levels[1] == 0 || self.layers[1] == 0 {
            return Err(Error::new("a view must have at least one level and one layer"));
        }
        let [r, g, b, a] = self.swizzle.map(Swizzle::raw);
        let range = vk::ImageSubresourceRange {
            aspect_mask: self.aspect,
            base_mip_level: self.levels[0],
            level_count: self.levels[1],
            base_array_layer: self.layers[0],
            layer_count: self.layers[1],
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(self.view)
            .format(self.format)
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(range);
        // SAFETY: the image belongs to this device and has memory; the creator of the view has checked that the texture has these
        // levels and layers.
        unsafe { device.raw.create_image_view(&info, None) }.during("vkCreateImageView")
    }
}
