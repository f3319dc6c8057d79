// SPDX-License-Identifier: MIT

//! Converts texels to bytes, and bytes to texels, for the formats of generated and probed textures.

/// The representation of a component.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Component {
    Byte,
    Float,
}

/// The formats: Vulkan's names in small letters, the number of components, and the representation of each.
const FORMATS: &[(&str, usize, Component)] = &[
    ("r8_unorm", 1, Component::Byte),
    ("r8g8_unorm", 2, Component::Byte),
    ("r8g8b8a8_unorm", 4, Component::Byte),
    ("r8g8b8a8_srgb", 4, Component::Byte),
    ("r32_sfloat", 1, Component::Float),
    ("r32g32_sfloat", 2, Component::Float),
    ("r32g32b32a32_sfloat", 4, Component::Float),
    ("d32_sfloat", 1, Component::Float),
];

fn row(format: &str) -> Result<(usize, Component), String> {
    let found = FORMATS.iter().find(|row| row.0 == format);
    let names: Vec<&str> = FORMATS.iter().map(|row| row.0).collect();
    let unknown = || format!("texels of {format} are neither made nor probed; those of {} are", names.join(", "));
    found.map(|row| (row.1, row.2)).ok_or_else(unknown)
}

/// Texels in a format.
pub(crate) fn encode(texels: &[[f32; 4]], format: &str) -> Result<Vec<u8>, String> {
    let (components, stored) = row(format)?;
    let each = texels.iter().flat_map(|texel| &texel[..components]);
    Ok(match stored {
        Component::Byte => each.map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect(),
        Component::Float => each.flat_map(|value| value.to_le_bytes()).collect(),
    })
}

/// Decodes texels in a format. Components that the format does not have are 0, and alpha is 1.
pub(crate) fn decode(bytes: &[u8], format: &str) -> Result<Vec<[f32; 4]>, String> {
    let (components, stored) = row(format)?;
    let values: Vec<f32> = match stored {
        Component::Byte => bytes.iter().map(|byte| f32::from(*byte) / 255.0).collect(),
        Component::Float => {
            bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
        }
    };
    let texel = |values: &[f32]| {
        let mut texel = [0.0, 0.0, 0.0, 1.0];
        texel[..components].copy_from_slice(values);
        texel
    };
    Ok(values.chunks_exact(components).map(texel).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_decoded_as_encoded() {
        let texels = [[0.0, 1.0, 0.2, 1.0], [1.0, 0.4, 0.6, 1.0]];
        for (format, components, _) in FORMATS {
            let back = decode(&encode(&texels, format).expect("bytes"), format).expect("texels");
            for (texel, back) in texels.iter().zip(back) {
                assert_eq!(texel[..*components], back[..*components], "{format}");
                assert_eq!(back[3], 1.0);
            }
        }
        assert!(encode(&texels, "r4g4_unorm").is_err());
    }
}
