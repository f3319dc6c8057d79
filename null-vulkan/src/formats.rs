// SPDX-License-Identifier: MIT

//! The properties of formats on the device.

use crate::World;
use ash::vk;

/// Ranges of format numbers, with the bytes of a texel or block.
const SIZES: &[(i32, i32, u64)] = &[
    (1, 1, 1),      // R4G4
    (2, 8, 2),      // 16 bits packed
    (9, 15, 1),     // R8
    (16, 22, 2),    // R8G8
    (23, 36, 3),    // R8G8B8
    (37, 69, 4),    // R8G8B8A8, 32 bits packed
    (70, 76, 2),    // R16
    (77, 83, 4),    // R16G16
    (84, 90, 6),    // R16G16B16
    (91, 97, 8),    // R16G16B16A16
    (98, 100, 4),   // R32
    (101, 103, 8),  // R32G32
    (104, 106, 12), // R32G32B32
    (107, 109, 16), // R32G32B32A32
    (110, 112, 8),  // R64
    (113, 115, 16), // R64G64
    (116, 118, 24), // R64G64B64
    (119, 121, 32), // R64G64B64A64
    (122, 123, 4),  // B10G11R11, E5B9G9R9
    (124, 124, 2),  // D16
    (125, 126, 4),  // X8_D24, D32
    (127, 127, 1),  // S8
    (128, 128, 3),  // D16_S8
    (129, 129, 4),  // D24_S8
    (130, 130, 8),  // D32_S8
    (131, 134, 8),  // BC1
    (135, 138, 16), // BC2, BC3
    (139, 140, 8),  // BC4
    (141, 146, 16), // BC5, BC6H, BC7
    (147, 152, 8),  // ETC2 without alpha of 8 bits
    (153, 154, 16), // EAC of alpha
    (155, 156, 8),  // EAC R11
    (157, 158, 16), // EAC R11G11
    (1000340000, 1000340001, 2),
];

/// The number of bytes of a texel or block; 0 for formats that the device does not have.
pub(crate) fn size(format: vk::Format) -> u64 {
    let raw = format.as_raw();
    SIZES.iter().find(|(from, to, _)| (*from..=*to).contains(&raw)).map_or(0, |row| row.2)
}

/// Whether a format consists of blocks of texels.
pub(crate) fn is_compressed(format: vk::Format) -> bool {
    (131..=158).contains(&format.as_raw())
}

/// Whether a format has a depth or a stencil.
pub(crate) fn is_depth_stencil(format: vk::Format) -> bool {
    (124..=130).contains(&format.as_raw())
}

/// Three components of equal size: only for vertices, as on most hardware.
fn is_for_vertices(format: vk::Format) -> bool {
    [23..=36, 84..=90, 104..=106, 110..=121].iter().any(|range| range.contains(&format.as_raw()))
}

/// Integers cannot be filtered or blended: their names in Vulkan end in INT.
fn is_integer(format: vk::Format) -> bool {
    format!("{format:?}").split('_').any(|part| part == "UINT" || part == "SINT") && !is_depth_stencil(format)
}

impl World {
    pub(crate) fn format_properties(&self, format: vk::Format) -> vk::FormatProperties {
        use vk::FormatFeatureFlags as F;
        if size(format) == 0 || self.options.without_formats.contains(&format) {
            return vk::FormatProperties::default();
        }
        let copies = F::TRANSFER_SRC | F::TRANSFER_DST;
        let sampled = copies | F::SAMPLED_IMAGE | F::BLIT_SRC;
        let images = match format {
            _ if is_for_vertices(format) => F::empty(),
            _ if is_compressed(format) => sampled | F::SAMPLED_IMAGE_FILTER_LINEAR,
            _ if is_depth_stencil(format) => {
                sampled | F::SAMPLED_IMAGE_FILTER_LINEAR | F::DEPTH_STENCIL_ATTACHMENT | F::BLIT_DST
            }
            _ if is_integer(format) => {
                sampled | F::COLOR_ATTACHMENT | F::BLIT_DST | F::STORAGE_IMAGE | F::STORAGE_IMAGE_ATOMIC
            }
            _ => {
                let drawn = F::COLOR_ATTACHMENT | F::COLOR_ATTACHMENT_BLEND | F::BLIT_DST;
                sampled | F::SAMPLED_IMAGE_FILTER_LINEAR | F::SAMPLED_IMAGE_FILTER_MINMAX | drawn | F::STORAGE_IMAGE
            }
        };
        let buffer = match is_compressed(format) || is_depth_stencil(format) {
            true => F::empty(),
            false => {
                F::VERTEX_BUFFER | F::UNIFORM_TEXEL_BUFFER | F::STORAGE_TEXEL_BUFFER | F::STORAGE_TEXEL_BUFFER_ATOMIC
            }
        };
        vk::FormatProperties {
            linear_tiling_features: images,
            optimal_tiling_features: images,
            buffer_features: buffer,
        }
    }

    pub(crate) fn image_format_properties(
        &self,
        format: vk::Format,
        ty: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
    ) -> Result<vk::ImageFormatProperties, vk::Result> {
        use vk::{FormatFeatureFlags as F, ImageUsageFlags as U};
        let has = self.format_properties(format).optimal_tiling_features;
        let needs = [
            (U::SAMPLED, F::SAMPLED_IMAGE),
            (U::STORAGE, F::STORAGE_IMAGE),
            (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
            (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
            (U::INPUT_ATTACHMENT, F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT),
        ];
        let lacks = |(wanted, feature): &(U, F)| usage.contains(*wanted) && !has.intersects(*feature);
        if has.is_empty() || needs.iter().any(lacks) {
            return Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        }
        let limits = self.properties().limits;
        let (side, height, depth) = match ty {
            vk::ImageType::TYPE_1D => (limits.max_image_dimension1_d, 1, 1),
            vk::ImageType::TYPE_3D => [limits.max_image_dimension3_d; 3].into(),
            _ => (limits.max_image_dimension2_d, limits.max_image_dimension2_d, 1),
        };
        let drawn = F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT;
        let several = ty == vk::ImageType::TYPE_2D && tiling == vk::ImageTiling::OPTIMAL && has.intersects(drawn);
        Ok(vk::ImageFormatProperties {
            max_extent: vk::Extent3D { width: side, height, depth },
            max_mip_levels: side.ilog2() + 1,
            max_array_layers: if ty == vk::ImageType::TYPE_3D { 1 } else { limits.max_image_array_layers },
            sample_counts: if several { limits.framebuffer_color_sample_counts } else { vk::SampleCountFlags::TYPE_1 },
            max_resource_size: 1 << 31,
        })
    }
}
