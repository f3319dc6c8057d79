// SPDX-License-Identifier: MIT

//! Formats of texels: from bytes to numbers and back (Vulkan 1.3, 43.1.4 and 16.1).
//!
//! ```text
//! r8g8_unorm   [ff 33]                    (1.0, 0.2, 0.0, 1.0)
//! r32_sint     [fe ff ff ff]              (-2, 0, 0, 1)
//! ```
//!
//! Components that a format lacks are 0; the fourth component is 1. The first component has the lowest bits. A format has NIR's
//! name; those with depth are `r16_unorm` and `r32_float`.

use crate::{Bits, Floats};
use ntv::op::fold::{from_float, mask, sign_extend, to_float};
use ntv::op::names::FORMATS;

/// The numeric type of the components of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// Fractions from 0 to 1.
    Unorm,
    /// Fractions from -1 to 1.
    Snorm,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Floats; those of 10 and 11 bits have no sign.
    Float,
}

const NUMBERS: &[(&str, Numbers)] = &[
    ("unorm", Numbers::Unorm),
    ("snorm", Numbers::Snorm),
    ("uint", Numbers::Uint),
    ("sint", Numbers::Sint),
    ("float", Numbers::Float),
];

/// A format: the bits of each component, 0 for those that it lacks, and their numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    bits: [u8; 4],
    numbers: Numbers,
}

/// The bits of a texel, and a mask of those that are undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texel {
    pub value: u128,
    pub undef: u128,
}

impl Format {
    /// The format with NIR's name `name`, for instance `r10g10b10a2_unorm`. All numbers of bits that make sense are allowed.
    pub fn from_name(name: &str) -> Option<Format> {
        let (channels, numbers) = name.split_once('_')?;
        let numbers = NUMBERS.iter().find(|row| row.0 == numbers)?.1;
        let mut bits = [0; 4];
        let mut rest = channels;
        for (c, letter) in ["r", "g", "b", "a"].into_iter().enumerate() {
            if rest.is_empty() {
                break;
            }
            let digits = rest.strip_prefix(letter)?;
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            bits[c] = digits[..end].parse().ok()?;
            rest = &digits[end..];
        }
        let widths: &[u8] = match numbers {
            Numbers::Float => &[0, 10, 11, 16, 32],
            Numbers::Unorm | Numbers::Snorm => &[0, 2, 8, 10, 16],
            Numbers::Uint | Numbers::Sint => &[0, 2, 8, 10, 16, 32, 64],
        };
        let is_known = rest.is_empty() && bits[0] != 0 && bits.iter().all(|bits| widths.contains(bits));
        let format = Format { bits, numbers };
        (is_known && format.total_bits().is_multiple_of(8) && format.total_bits() <= 128).then_some(format)
    }

    /// The format with this number in NIR's list; `None` if it is not a format.
    pub fn from_index(index: u32) -> Option<Format> {
        FORMATS.get(index as usize).and_then(|row| Format::from_name(row.0))
    }

    /// The numeric type of its components.
    pub fn numbers(self) -> Numbers {
        self.numbers
    }

    /// The size of a texel in bytes.
    pub fn bytes(self) -> usize {
        self.total_bits() as usize / 8
    }

    /// The number of components.
    pub fn components(self) -> usize {
        self.bits.iter().filter(|bits| **bits != 0).count()
    }

    fn total_bits(self) -> u32 {
        self.bits.iter().map(|bits| u32::from(*bits)).sum()
    }

    /// Whether its components are integers.
    pub fn is_integer(self) -> bool {
        matches!(self.numbers, Numbers::Uint | Numbers::Sint)
    }

    /// Whether its components are 32-bit floats, which filtering does not convert.
    pub(crate) fn is_single(self) -> bool {
        self.numbers == Numbers::Float && self.bits[0] == 32
    }

    /// The width of a component after a load.
    fn wide(self) -> u8 {
        if self.bits[0] == 64 {
            64
        } else {
            32
        }
    }

    /// The four components of a texel.
    pub(crate) fn decode(self, texel: Texel, floats: Floats) -> [Bits; 4] {
        let mut shift = 0;
        std::array::from_fn(|c| {
            let bits = self.bits[c];
            if bits == 0 {
                return self.missing(c);
            }
            let part = |word: u128| mask((word >> shift) as u64, bits);
            let (value, undef) = (part(texel.value), part(texel.undef));
            shift += u32::from(bits);
            self.decode_component(Bits { value, undef }, bits, floats)
        })
    }

    /// The value of component `c` if the format lacks it.
    fn missing(self, c: usize) -> Bits {
        let one = if self.is_integer() { 1 } else { from_float(1.0, 32) };
        Bits::new(if c == 3 { one } else { 0 })
    }

    /// `texel` with the defaults for the components that the format lacks (Vulkan 1.3, 16.3.5).
    pub(crate) fn expanded(self, texel: [Bits; 4]) -> [Bits; 4] {
        std::array::from_fn(|c| if self.bits[c] == 0 { self.missing(c) } else { texel[c] })
    }

    fn decode_component(self, raw: Bits, bits: u8, floats: Floats) -> Bits {
        if bits == self.wide() || self.numbers == Numbers::Uint {
            return raw;
        }
        if !raw.is_defined() {
            return Bits::undef(32);
        }
        match self.numbers {
            Numbers::Unorm | Numbers::Snorm => {
                let number =
                    if self.numbers == Numbers::Snorm { sign_extend(raw.value, bits) } else { raw.value as i64 };
                let top = self.top(bits);
                // Devices may round the quotient in different ways.
                let is_open = floats == Floats::Vulkan && number != 0 && number as f64 != top;
                let fraction = (number as f64 / top).max(-1.0);
                if is_open {
                    Bits::undef(32)
                } else {
                    Bits::new(from_float(fraction, 32))
                }
            }
            Numbers::Float => Bits::new(from_float(to_float(raw.value << missing_bits(bits), 16), 32)),
            Numbers::Uint | Numbers::Sint => Bits::new(mask(sign_extend(raw.value, bits) as u64, 32)),
        }
    }

    /// The value that represents 1.0 in `bits` bits.
    fn top(self, bits: u8) -> f64 {
        let bits = if self.numbers == Numbers::Snorm { bits - 1 } else { bits };
        mask(u64::MAX, bits) as f64
    }

    /// A texel with these components. Numbers that the format cannot represent are undefined (Vulkan 1.3, 16.1).
    pub(crate) fn encode(self, numbers: &[Bits], floats: Floats) -> Texel {
        let mut texel = Texel::default();
        let mut shift = 0;
        for (bits, number) in self.bits.into_iter().zip(numbers).filter(|(bits, _)| *bits != 0) {
            let raw = self.encode_component(*number, bits, floats);
            texel.value |= u128::from(raw.value) << shift;
            texel.undef |= u128::from(raw.undef) << shift;
            shift += u32::from(bits);
        }
        texel
    }

    fn encode_component(self, number: Bits, bits: u8, floats: Floats) -> Bits {
        if bits == self.wide() {
            return number;
        }
        if !number.is_defined() {
            return Bits::undef(bits);
        }
        let float = to_float(number.value, 32);
        let raw = match self.numbers {
            Numbers::Unorm | Numbers::Snorm => {
                let least = if self.numbers == Numbers::Snorm { -1.0 } else { 0.0 };
                let scaled = float.clamp(least, 1.0) * self.top(bits);
                // A NaN becomes 0.
                Some(scaled.round_ties_even() as i64 as u64).filter(|_| floats == Floats::Nir || scaled.fract() == 0.0)
            }
            Numbers::Float => {
                let (half, missing) = (from_float(float, 16), missing_bits(bits));
                // Formats without a sign store 0 for negative numbers.
                let half = if missing != 0 && half >> 15 != 0 { 0 } else { half };
                let is_exact = to_float(half, 16) == float && mask(half, missing) == 0;
                Some(half >> missing).filter(|_| floats == Floats::Nir || is_exact)
            }
            Numbers::Uint => Some(number.value).filter(|value| *value == mask(*value, bits)),
            Numbers::Sint => {
                let value = sign_extend(number.value, 32);
                Some(value as u64).filter(|raw| sign_extend(mask(*raw, bits), bits) == value)
            }
        };
        raw.map_or(Bits::undef(bits), |raw| Bits::new(mask(raw, bits)))
    }
}

/// The number of low mantissa bits of a half that a float of `bits` bits lacks.
fn missing_bits(bits: u8) -> u8 {
    match bits {
        10 => 5,
        11 => 4,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(name: &str, value: u128) -> [u64; 4] {
        let format = Format::from_name(name).expect(name);
        format.decode(Texel { value, undef: 0 }, Floats::Nir).map(|bits| bits.value)
    }

    fn encoded(name: &str, numbers: [u64; 4]) -> u128 {
        Format::from_name(name).expect(name).encode(&numbers.map(Bits::new), Floats::Nir).value
    }

    fn float(value: f32) -> u64 {
        value.to_bits().into()
    }

    #[test]
    fn all_formats_of_nir_are_known() {
        for (index, (name, _)) in FORMATS.iter().enumerate() {
            assert_eq!(Format::from_index(index as u32).is_some(), *name != "none", "{name}");
        }
        for name in ["r32", "r33_uint", "g8_uint", "r8g8b8a8b8_uint", "_uint", "r8_", "r64g64b64_uint", "r32_unorm"] {
            assert_eq!(Format::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn texels_are_decoded() {
        assert_eq!(decoded("r8g8_unorm", 0x33ff), [float(1.0), float(0.2), 0, float(1.0)]);
        assert_eq!(decoded("r8g8b8a8_snorm", 0x807f_0081), [float(-1.0), 0, float(1.0), float(-1.0)]);
        assert_eq!(decoded("r16g16_sint", 0x7fff_fffe), [0xffff_fffe, 0x7fff, 0, 1]);
        assert_eq!(decoded("r10g10b10a2_uint", 0xffc0_0001), [1, 0, 0x3fc, 3]);
        assert_eq!(decoded("r16g16_float", 0xc000_3c00), [float(1.0), float(-2.0), 0, float(1.0)]);
        assert_eq!(
            decoded("r11g11b10_float", 0x3c0 | 0x400 << 11 | 0x1c0 << 22),
            [float(1.0), float(2.0), float(0.5), float(1.0)]
        );
        assert_eq!(decoded("r64_uint", u128::from(u64::MAX)), [u64::MAX, 0, 0, 1]);
    }

    #[test]
    fn texels_are_encoded() {
        assert_eq!(encoded("r8g8b8a8_unorm", [2.0, -1.0, 0.5, f32::NAN].map(float)), 0x0080_00ff);
        assert_eq!(encoded("r8_snorm", [-2.0; 4].map(float)), 0x81);
        assert_eq!(encoded("r11g11b10_float", [1.0, -2.0, 0.5, 0.0].map(float)), 0x3c0 | 0x1c0 << 22);
        assert_eq!(encoded("r16g16_sint", [0xffff_fffe, 7, 0, 0]), 0x0007_fffe);
        let wide = Format::from_name("r8_sint").expect("r8_sint").encode(&[Bits::new(128)], Floats::Nir);
        assert_eq!(wide, Texel { value: 0, undef: 0xff });
    }

    #[test]
    fn rounded_components_are_undefined_in_vulkan() {
        let format = Format::from_name("r8_unorm").expect("r8_unorm");
        let read = |value| format.decode(Texel { value, undef: 0 }, Floats::Vulkan)[0].is_defined();
        assert_eq!([read(0), read(51), read(255)], [true, false, true]);
        let written = |value: f32| format.encode(&[Bits::new(float(value))], Floats::Vulkan).undef;
        assert_eq!([written(0.0), written(0.3), written(7.0)], [0, 0xff, 0]);
    }
}
