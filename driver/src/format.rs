// SPDX-License-Identifier: MIT

//! Formats: the properties of a `VkFormat` that a driver needs besides its name.

use ash::vk;

/// The numeric type of a texel's components, for shader reads, clears and vertex fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numeric {
    /// Floats, and also normalized and scaled numbers.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// Depth, stencil, or both.
    DepthStencil,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// Vulkan's format.
    pub format: vk::Format,
    /// The name: Vulkan's in small letters, without `VK_FORMAT_`.
    pub name: &'static str,
    /// The number of bytes of a texel.
    pub bytes: u32,
    /// The numeric type of its components.
    pub numeric: Numeric,
}

macro_rules! formats {
    ($($format:ident $name:literal $bytes:literal $numeric:ident;)*) => {
        /// The formats that resources, attributes and targets may have.
        pub const FORMATS: &[FormatInfo] = &[$(FormatInfo {
            format: vk::Format::$format,
            name: $name,
            bytes: $bytes,
            numeric: Numeric::$numeric,
        },)*];
    };
}

formats! {
    R8_UNORM "r8_unorm" 1 Float;
    R8_SNORM "r8_snorm" 1 Float;
    R8_UINT "r8_uint" 1 Uint;
    R8_SINT "r8_sint" 1 Sint;
    R8G8_UNORM "r8g8_unorm" 2 Float;
    R8G8_SNORM "r8g8_snorm" 2 Float;
    R8G8_UINT "r8g8_uint" 2 Uint;
    R8G8_SINT "r8g8_sint" 2 Sint;
    R8G8B8A8_UNORM "r8g8b8a8_unorm" 4 Float;
    R8G8B8A8_SNORM "r8g8b8a8_snorm" 4 Float;
    R8G8B8A8_SRGB "r8g8b8a8_srgb" 4 Float;
    R8G8B8A8_UINT "r8g8b8a8_uint" 4 Uint;
    R8G8B8A8_SINT "r8g8b8a8_sint" 4 Sint;
    B8G8R8A8_UNORM "b8g8r8a8_unorm" 4 Float;
    B8G8R8A8_SRGB "b8g8r8a8_srgb" 4 Float;
    R5G6B5_UNORM_PACK16 "r5g6b5_unorm_pack16" 2 Float;
    R4G4B4A4_UNORM_PACK16 "r4g4b4a4_unorm_pack16" 2 Float;
    R5G5B5A1_UNORM_PACK16 "r5g5b5a1_unorm_pack16" 2 Float;
    A2B10G10R10_UNORM_PACK32 "a2b10g10r10_unorm_pack32" 4 Float;
    A2B10G10R10_UINT_PACK32 "a2b10g10r10_uint_pack32" 4 Uint;
    B10G11R11_UFLOAT_PACK32 "b10g11r11_ufloat_pack32" 4 Float;
    R16_UNORM "r16_unorm" 2 Float;
    R16_SNORM "r16_snorm" 2 Float;
    R16_UINT "r16_uint" 2 Uint;
    R16_SINT "r16_sint" 2 Sint;
    R16_SFLOAT "r16_sfloat" 2 Float;
    R16G16_UNORM "r16g16_unorm" 4 Float;
    R16G16_SNORM "r16g16_snorm" 4 Float;
    R16G16_UINT "r16g16_uint" 4 Uint;
    R16G16_SINT "r16g16_sint" 4 Sint;
    R16G16_SFLOAT "r16g16_sfloat" 4 Float;
    R16G16B16A16_UNORM "r16g16b16a16_unorm" 8 Float;
    R16G16B16A16_SNORM "r16g16b16a16_snorm" 8 Float;
    R16G16B16A16_UINT "r16g16b16a16_uint" 8 Uint;
    R16G16B16A16_SINT "r16g16b16a16_sint" 8 Sint;
    R16G16B16A16_SFLOAT "r16g16b16a16_sfloat" 8 Float;
    R32_UINT "r32_uint" 4 Uint;
    R32_SINT "r32_sint" 4 Sint;
    R32_SFLOAT "r32_sfloat" 4 Float;
    R32G32_UINT "r32g32_uint" 8 Uint;
    R32G32_SINT "r32g32_sint" 8 Sint;
    R32G32_SFLOAT "r32g32_sfloat" 8 Float;
    R32G32B32_UINT "r32g32b32_uint" 12 Uint;
    R32G32B32_SINT "r32g32b32_sint" 12 Sint;
    R32G32B32_SFLOAT "r32g32b32_sfloat" 12 Float;
    R32G32B32A32_UINT "r32g32b32a32_uint" 16 Uint;
    R32G32B32A32_SINT "r32g32b32a32_sint" 16 Sint;
    R32G32B32A32_SFLOAT "r32g32b32a32_sfloat" 16 Float;
    R64_UINT "r64_uint" 8 Uint;
    R64_SINT "r64_sint" 8 Sint;
    D16_UNORM "d16_unorm" 2 DepthStencil;
    D32_SFLOAT "d32_sfloat" 4 DepthStencil;
    S8_UINT "s8_uint" 1 DepthStencil;
    D24_UNORM_S8_UINT "d24_unorm_s8_uint" 4 DepthStencil;
    D32_SFLOAT_S8_UINT "d32_sfloat_s8_uint" 8 DepthStencil;
}

impl FormatInfo {
    /// The row of `format`; `None` if it is not in the table.
    pub fn of(format: vk::Format) -> Option<&'static FormatInfo> {
        FORMATS.iter().find(|row| row.format == format)
    }

    /// NIR's name of the format, after `enum pipe_format` (Mesa, `nir_print.c`).
    pub fn nir_name(&self) -> String {
        match self.format {
            vk::Format::A2B10G10R10_UNORM_PACK32 => "r10g10b10a2_unorm".into(),
            vk::Format::A2B10G10R10_UINT_PACK32 => "r10g10b10a2_uint".into(),
            vk::Format::B10G11R11_UFLOAT_PACK32 => "r11g11b10_float".into(),
            _ => self.name.replace("sfloat", "float"),
        }
    }

    /// The row of the format with this name.
    pub fn named(name: &str) -> Option<&'static FormatInfo> {
        FORMATS.iter().find(|row| row.name == name)
    }
}

/// The aspects of `format`: color, depth, stencil.
pub fn aspects(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
        vk::Format::D16_UNORM_S8_UINT | vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
        }
        _ => vk::ImageAspectFlags::COLOR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_there_once() {
        for (at, row) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..at].iter().all(|other| other.format != row.format && other.name != row.name), "{row:?}");
            assert_eq!(FormatInfo::named(row.name).map(|row| row.format), Some(row.format));
            assert_eq!(row.numeric == Numeric::DepthStencil, aspects(row.format) != vk::ImageAspectFlags::COLOR);
            assert_eq!(format!("{:?}", row.format).to_lowercase(), row.name);
        }
    }
}
