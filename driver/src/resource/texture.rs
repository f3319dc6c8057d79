// SPDX-License-Identifier: MIT

//! Textures.

use super::view::ViewKey;
use super::{unique_id, ResourceMemory};
use crate::context::Dirty;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use crate::format::{aspects, FormatInfo};
use crate::state::Subject;
use ash::vk;
use gpu_allocator::MemoryLocation;
use std::sync::{Arc, Mutex, PoisonError};

/// The kind of a texture: Gallium's `pipe_texture_target`, without buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TextureTarget {
    Texture1D,
    #[default]
    Texture2D,
    Texture3D,
    Cube,
    Texture1DArray,
    Texture2DArray,
    CubeArray,
}

impl TextureTarget {
    fn image_type(self) -> vk::ImageType {
        match self {
            TextureTarget::Texture1D | TextureTarget::Texture1DArray => vk::ImageType::TYPE_1D,
            TextureTarget::Texture3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        }
    }

    pub(crate) fn view_type(self) -> vk::ImageViewType {
        match self {
            TextureTarget::Texture1D => vk::ImageViewType::TYPE_1D,
            TextureTarget::Texture2D => vk::ImageViewType::TYPE_2D,
            TextureTarget::Texture3D => vk::ImageViewType::TYPE_3D,
            TextureTarget::Cube => vk::ImageViewType::CUBE,
            TextureTarget::Texture1DArray => vk::ImageViewType::TYPE_1D_ARRAY,
            TextureTarget::Texture2DArray => vk::ImageViewType::TYPE_2D_ARRAY,
            TextureTarget::CubeArray => vk::ImageViewType::CUBE_ARRAY,
        }
    }

    /// The target of a view type; `None` for types that Vulkan does not have.
    pub fn of_view(view: vk::ImageViewType) -> Option<TextureTarget> {
        use TextureTarget::*;
        const ALL: [TextureTarget; 7] =
            [Texture1D, Texture2D, Texture3D, Cube, Texture1DArray, Texture2DArray, CubeArray];
        ALL.into_iter().find(|target| target.view_type() == view)
    }
}

bitflags::bitflags! {
    /// The ways in which a texture is bound: Gallium's `PIPE_BIND_*`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Bind: u8 {
        /// Shaders sample it.
        const SAMPLER_VIEW = 1;
        /// It is a color attachment.
        const RENDER_TARGET = 2;
        /// It is a depth or stencil attachment.
        const DEPTH_STENCIL = 4;
        /// Shaders load and store its texels.
        const SHADER_IMAGE = 8;
    }
}

/// The parameters of a new texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDescription {
    /// The kind of the texture.
    pub target: TextureTarget,
    /// The format of its texels.
    pub format: vk::Format,
    /// Width, height and depth of level 0 in texels; 1 for dimensions that it does not have.
    pub size: [u32; 3],
    /// The number of layers; six for each cube.
    pub layers: u32,
    /// The number of levels.
    pub levels: u32,
    /// The number of samples of a texel.
    pub samples: u32,
    /// The ways in which it is bound.
    pub bind: Bind,
}

impl Default for TextureDescription {
    fn default() -> TextureDescription {
        TextureDescription {
            target: TextureTarget::Texture2D,
            format: vk::Format::R8G8B8A8_UNORM,
            size: [1; 3],
            layers: 1,
            levels: 1,
            samples: 1,
            bind: Bind::SAMPLER_VIEW,
        }
    }
}

impl TextureDescription {
    /// Width, height and depth of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| size.checked_shr(level).unwrap_or(0).max(1))
    }

    /// The layout that its image has between batches of commands.
    fn home(&self) -> vk::ImageLayout {
        match self.bind {
            bind if bind.contains(Bind::SHADER_IMAGE) => vk::ImageLayout::GENERAL,
            bind if bind.contains(Bind::SAMPLER_VIEW) => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            bind if bind.contains(Bind::DEPTH_STENCIL) => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            bind if bind.contains(Bind::RENDER_TARGET) => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
            _ => vk::ImageLayout::GENERAL,
        }
    }

    fn usage(&self) -> vk::ImageUsageFlags {
        let rows = [
            (Bind::SAMPLER_VIEW, vk::ImageUsageFlags::SAMPLED),
            (Bind::RENDER_TARGET, vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::INPUT_ATTACHMENT),
            (
                Bind::DEPTH_STENCIL,
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::INPUT_ATTACHMENT,
            ),
            (Bind::SHADER_IMAGE, vk::ImageUsageFlags::STORAGE),
        ];
        let both = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        rows.into_iter().filter(|row| self.bind.contains(row.0)).fold(both, |all, row| all | row.1)
    }
}

/// Texels that contexts bind.
pub struct Texture {
    /// A number that no other texture has.
    pub(crate) id: u64,
    device: Arc<Logical>,
    description: TextureDescription,
    storage: Mutex<Arc<ImageStorage>>,
    /// The contexts that have it bound.
    pub(crate) subject: Subject<Dirty>,
}

impl Texture {
    pub(crate) fn new(device: &Arc<Logical>, description: TextureDescription) -> Result<Arc<Texture>> {
        let id = unique_id();
        let storage = Mutex::new(Arc::new(ImageStorage::new(device, &description, id)?));
        Ok(Arc::new(Texture { id, device: Arc::clone(device), description, storage, subject: Subject::new() }))
    }

    /// The description with which it was created.
    pub fn description(&self) -> &TextureDescription {
        &self.description
    }

    /// The number of contexts that are notified when its storage is replaced.
    pub fn observers(&self) -> usize {
        self.subject.len()
    }

    /// The storage that later commands use.
    pub(crate) fn storage(&self) -> Arc<ImageStorage> {
        Arc::clone(&self.storage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the storage by a new one with undefined contents, and notifies the contexts that have it bound.
    pub(crate) fn replace_storage(&self) -> Result<Arc<ImageStorage>> {
        let new = Arc::new(ImageStorage::new(&self.device, &self.description, self.id)?);
        *self.storage.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&new);
        self.subject.notify();
        Ok(new)
    }
}

impl std::fmt::Debug for Texture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Texture").field("description", &self.description).finish_non_exhaustive()
    }
}

/// A Vulkan image with its memory and its views.
pub(crate) struct ImageStorage {
    /// Declared before the image, so that they are destroyed before it.
    views: Mutex<Vec<(ViewKey, Owned<vk::ImageView>)>>,
    pub(crate) raw: Owned<vk::Image>,
    _memory: ResourceMemory,
    pub(crate) id: u64,
    /// The number of its texture.
    pub(crate) texture: u64,
    pub(crate) aspects: vk::ImageAspectFlags,
    pub(crate) home: vk::ImageLayout,
    /// Whether commands have brought it into its home layout.
    pub(crate) is_initialized: std::sync::atomic::AtomicBool,
}

impl ImageStorage {
    fn new(device: &Arc<Logical>, description: &TextureDescription, texture: u64) -> Result<ImageStorage> {
        check(&device.limits, description)?;
        let cube = matches!(description.target, TextureTarget::Cube | TextureTarget::CubeArray);
        let flags = if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() };
        let [width, height, depth] = description.size;
        let info = vk::ImageCreateInfo::default()
            .flags(flags | vk::ImageCreateFlags::MUTABLE_FORMAT)
            .image_type(description.target.image_type())
            .format(description.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(description.levels)
            .array_layers(description.layers)
            .samples(vk::SampleCountFlags::from_raw(description.samples))
            .usage(description.usage());
        device.check_image(&info)?;
        // SAFETY: `check` has checked Vulkan's requirements of the shape, and the device has reported that it supports it.
        let raw = unsafe { device.raw.create_image(&info, None) }.during("vkCreateImage")?;
        let raw = Owned::new(device, raw);
        // SAFETY: the image belongs to this device.
        let needs = unsafe { device.raw.get_image_memory_requirements(*raw) };
        let memory = ResourceMemory::new(device, needs, MemoryLocation::GpuOnly, false)?;
        let (block, offset) = memory.place();
        // SAFETY: the memory has a type and size that the image accepts, and is bound once.
        unsafe { device.raw.bind_image_memory(*raw, block, offset) }.during("vkBindImageMemory")?;
        Ok(ImageStorage {
            views: Mutex::new(Vec::new()),
            raw,
            _memory: memory,
            id: unique_id(),
            texture,
            aspects: aspects(description.format),
            home: description.home(),
            is_initialized: std::sync::atomic::AtomicBool::new(false),
        })
    }

    /// The view that `key` describes; the first call creates it.
    pub(crate) fn view(&self, device: &Arc<Logical>, key: &ViewKey) -> Result<vk::ImageView> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| known == key) {
            return Ok(**view);
        }
        let view = Owned::new(device, key.create(device, *self.raw)?);
        let raw = *view;
        views.push((*key, view));
        Ok(raw)
    }
}

/// Whether Vulkan allows the shape.
fn check(limits: &vk::PhysicalDeviceLimits, description: &TextureDescription) -> Result<()> {
    let TextureDescription { target, format, size, layers, levels, samples, .. } = *description;
    if FormatInfo::of(format).is_none() {
        return Err(Error::new(format!("textures of format {format:?} are not supported")));
    }
    let most = match target {
        TextureTarget::Texture1D | TextureTarget::Texture1DArray => [limits.max_image_dimension1_d, 1, 1],
        TextureTarget::Texture3D => [limits.max_image_dimension3_d; 3],
        TextureTarget::Cube | TextureTarget::CubeArray => {
            [limits.max_image_dimension_cube, limits.max_image_dimension_cube, 1]
        }
        _ => [limits.max_image_dimension2_d, limits.max_image_dimension2_d, 1],
    };
    let most_layers = match target {
        TextureTarget::Texture1DArray | TextureTarget::Texture2DArray => limits.max_image_array_layers,
        TextureTarget::CubeArray => limits.max_image_array_layers / 6 * 6,
        TextureTarget::Cube => 6,
        _ => 1,
    };
    let cubes = matches!(target, TextureTarget::Cube | TextureTarget::CubeArray);
    let longest = size.into_iter().max().unwrap_or(1).max(1);
    let is_fine = (0..3).all(|axis| (1..=most[axis]).contains(&size[axis]))
        && (1..=most_layers).contains(&layers)
        && (1..=longest.ilog2() + 1).contains(&levels)
        && samples.is_power_of_two()
        && samples <= 64
        && (samples == 1 || levels == 1 && target.image_type() == vk::ImageType::TYPE_2D && !cubes)
        && (!cubes || size[0] == size[1] && layers % 6 == 0);
    is_fine
        .then_some(())
        .ok_or_else(|| Error::new(format!("textures of this shape are not supported: {description:?}")))
}
