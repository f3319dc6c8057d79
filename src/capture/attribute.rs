// SPDX-License-Identifier: MIT

//! The layout of vertex attributes in memory, for vertex shaders that read them from storage buffers.

/// A vertex attribute: the contents of Vulkan's `VkVertexInputAttributeDescription` and of the description of its binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// Location of the input.
    pub location: u32,
    /// The format of its bytes.
    pub format: AttributeFormat,
    /// The index of the vertex buffer: the storage buffer has the binding [`VERTEX_BUFFER_BINDING`] plus this index.
    pub binding: u32,
    /// The offset in bytes of the attribute in an element. It can have any alignment.
    pub offset: u32,
    /// The distance in bytes between two elements.
    pub stride: u32,
    /// `None` if there is an element for each vertex. Otherwise the number of instances that share an element, or 0 if all do.
    pub divisor: Option<u32>,
}

/// The binding of the first vertex buffer, in the set of storage blocks. Compute shaders made from vertex shaders, and vertex
/// shaders translated with attributes, read vertex buffers.
pub const VERTEX_BUFFER_BINDING: u32 = super::STATE_BINDING + 3;

/// The format of an attribute: Vulkan's formats of one to four components of 8, 16 or 32 bits with any kind of number, those of
/// 64-bit floats, and the two packed formats of 10, 10, 10 and 2 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeFormat {
    channels: Channels,
    /// The number of components.
    count: u8,
    /// The first component in memory is blue.
    is_bgra: bool,
    numbers: Numbers,
}

/// The positions of the components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Channels {
    /// The components follow each other and have this number of bits each.
    Each(u8),
    /// 10, 10, 10 and 2 bits of a word; the first component is in the lowest bits.
    Packed,
}

/// The kind of number in a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Numbers {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Sfloat,
}

impl Numbers {
    const NAMES: [(Numbers, &'static str); 7] = [
        (Numbers::Unorm, "UNORM"),
        (Numbers::Snorm, "SNORM"),
        (Numbers::Uscaled, "USCALED"),
        (Numbers::Sscaled, "SSCALED"),
        (Numbers::Uint, "UINT"),
        (Numbers::Sint, "SINT"),
        (Numbers::Sfloat, "SFLOAT"),
    ];

    /// Whether the integer components are signed.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Numbers::Snorm | Numbers::Sscaled | Numbers::Sint)
    }
}

impl AttributeFormat {
    /// The format `VK_FORMAT_` + `name` of Vulkan, such as `R8G8B8A8_UNORM` or `A2B10G10R10_SNORM_PACK32`, or a format that only GL
    /// has, such as `R32G32_UNORM`. `None` if attributes cannot have it.
    pub fn from_name(name: &str) -> Option<AttributeFormat> {
        let (channels, numbers) = name.strip_suffix("_PACK32").unwrap_or(name).split_once('_')?;
        let numbers = Numbers::NAMES.iter().find(|row| row.1 == numbers)?.0;
        let is_float = numbers == Numbers::Sfloat;
        let (channels, count, is_bgra) = match channels {
            "A2B10G10R10" => (Channels::Packed, 4, false),
            "A2R10G10B10" => (Channels::Packed, 4, true),
            "B8G8R8A8" => (Channels::Each(8), 4, true),
            _ => {
                let (bits, count) = rgba(channels)?;
                (Channels::Each(bits), count, false)
            }
        };
        let is_known = match channels {
            Channels::Each(8) | Channels::Packed => !is_float,
            Channels::Each(64) => is_float,
            Channels::Each(_) => true,
        };
        let is_named = (channels == Channels::Packed) == name.ends_with("_PACK32");
        (is_known && is_named).then_some(AttributeFormat { channels, count, is_bgra, numbers })
    }

    /// The size of an attribute in bytes.
    pub fn bytes(&self) -> u32 {
        match self.channels {
            Channels::Each(bits) => u32::from(bits / 8) * u32::from(self.count),
            Channels::Packed => 4,
        }
    }

    /// The kind of number in the components.
    pub(crate) fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// Whether the components have 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        self.channels == Channels::Each(64)
    }

    /// The first bit of component `c`, where 0 is red, and its number of bits. `None` if there is no such component.
    pub(crate) fn bits(&self, c: u32) -> Option<(u32, u32)> {
        if c >= u32::from(self.count) {
            return None;
        }
        let place = if self.is_bgra && c < 3 { 2 - c } else { c };
        Some(match self.channels {
            Channels::Each(bits) => (place * u32::from(bits), bits.into()),
            Channels::Packed => (10 * place, if place == 3 { 2 } else { 10 }),
        })
    }
}

/// The bits of each component and the number of components of a name such as `R16G16B16`.
fn rgba(name: &str) -> Option<(u8, u8)> {
    let bits = [8, 16, 32, 64].into_iter().find(|bits| name.ends_with(&bits.to_string()))?;
    let mut full = String::new();
    (1..).zip(["R", "G", "B", "A"]).find_map(|(count, letter)| {
        full += &format!("{letter}{bits}");
        (full == name).then_some((bits, count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_the_names_and_bits_of_vulkan() {
        let of = |name: &str| AttributeFormat::from_name(name).unwrap_or_else(|| panic!("{name}"));
        let bits = |name: &str| -> Vec<(u32, u32)> { (0..5).filter_map(|c| of(name).bits(c)).collect() };
        assert_eq!(bits("R16G16B16_SFLOAT"), [(0, 16), (16, 16), (32, 16)]);
        assert_eq!(bits("B8G8R8A8_UNORM"), [(16, 8), (8, 8), (0, 8), (24, 8)]);
        assert_eq!(bits("A2B10G10R10_SINT_PACK32"), [(0, 10), (10, 10), (20, 10), (30, 2)]);
        assert_eq!(bits("A2R10G10B10_UINT_PACK32"), [(20, 10), (10, 10), (0, 10), (30, 2)]);
        assert_eq!((of("R64G64B64_SFLOAT").bytes(), of("R64G64B64_SFLOAT").is_wide()), (24, true));
        assert_eq!((of("A2B10G10R10_SNORM_PACK32").bytes(), of("R8_UINT").bytes()), (4, 1));
    }

    #[test]
    fn other_names_are_none() {
        let names = [
            "R8_SFLOAT",
            "R64_UINT",
            "A2B10G10R10_SFLOAT_PACK32",
            "A2B10G10R10_UNORM",
            "R8_UNORM_PACK32",
            "R8G8B8A8_SRGB",
            "R8G16_UNORM",
            "R8G8B8A8A8_UNORM",
            "B10G11R11_UFLOAT_PACK32",
            "8_UNORM",
            "",
        ];
        for name in names {
            assert_eq!(AttributeFormat::from_name(name), None, "{name}");
        }
    }
}
