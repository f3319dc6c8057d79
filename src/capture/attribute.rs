//! Where a vertex shader that reads attributes itself finds those of its vertices.

/// An attribute of vertices: what Vulkan's `VkVertexInputAttributeDescription` and the binding's description say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// Location of the input.
    pub location: u32,
    /// What its bytes mean.
    pub format: AttributeFormat,
    /// The vertex buffer: the storage buffer at [`VERTEX_BUFFER_BINDING`] and so many after it.
    pub binding: u32,
    /// Bytes from where an element begins to the attribute. Any number: nothing has to be aligned.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// `None` if there is an element for each vertex. Else there is one for so many instances, or for all if it is 0.
    pub divisor: Option<u32>,
}

/// The binding of the first vertex buffer, in the set of storage blocks. A shader that runs as a compute shader, or was told where its
/// attributes are, reads them.
pub const VERTEX_BUFFER_BINDING: u32 = super::STATE_BINDING + 3;

/// What the bytes of an attribute mean. As Vulkan's formats of one to four components: of 8, 16 or 32 bits, as any kind of number,
/// of 64 bits as floats, and two packed ones of 10, 10, 10 and 2 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeFormat {
    channels: Channels,
    /// How many there are.
    count: u8,
    /// Blue comes first.
    is_bgra: bool,
    numbers: Numbers,
}

/// Where the components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Channels {
    /// One after the other, so many bits each.
    Each(u8),
    /// 10, 10, 10 and 2 bits of a word, the first one lowest.
    Packed,
}

/// What the bits of a component mean.
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

    /// Whether the uppermost bit of an integer is its sign.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Numbers::Snorm | Numbers::Sscaled | Numbers::Sint)
    }
}

impl AttributeFormat {
    /// The format that Vulkan calls `VK_FORMAT_` and `name`, such as `R8G8B8A8_UNORM` or `A2B10G10R10_SNORM_PACK32`. There are names
    /// for what GL has besides: `R32G32_UNORM`. `None` for what no attribute here has.
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

    /// Bytes of an attribute.
    pub fn bytes(&self) -> u32 {
        match self.channels {
            Channels::Each(bits) => u32::from(bits / 8) * u32::from(self.count),
            Channels::Packed => 4,
        }
    }

    /// What its components mean.
    pub(crate) fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// Whether its components have 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        self.channels == Channels::Each(64)
    }

    /// The first bit of component `c`, red being the first, and how many it has. `None` if there is no such component.
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

/// The bits of each component, and how many there are, of a name such as `R16G16B16`.
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
