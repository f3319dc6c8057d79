// SPDX-License-Identifier: MIT

//! Keys: the options of a draw that change words. The table of options has their bits.

use super::key_form::refusal;
use super::{OptionId, PatchKind};

/// The facts of a draw that a shader may depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The bits of options, by their masks.
    pub bits: u64,
    /// The width and height of the framebuffer in pixels, for `gl_FragCoord` in a turned or flipped image.
    pub size: [u32; 2],
    /// The values of inlined uniforms, in the order of NIR's `inlinable_uniform_dw_offsets`. Each stage has its own.
    pub uniforms: [u32; 4],
    /// The swizzles of shadow textures by their number (NIR's `driver_location`), for [`Key::SHADOW_SWIZZLES`]: two bits for each
    /// component, from the lowest, with the values of [`Key::SWIZZLES`].
    pub swizzles: [u8; 8],
}

impl Key {
    /// The number of colour targets that can be dithered.
    pub const DITHERED_TARGETS: u32 = 8;

    /// The number of texture coordinates that can be replaced.
    pub const SPRITES: u32 = 8;

    /// The number of uniforms that can be inlined: NIR's `MAX_INLINABLE_UNIFORMS`.
    pub const INLINED: usize = 4;

    /// The number of textures that can be swizzled.
    pub const SWIZZLED: usize = 8;

    /// The letters of a swizzle in the text of a key, by their values: the result of the comparison, zero, one.
    pub const SWIZZLES: [char; 3] = ['r', '0', '1'];

    /// The dithered formats, in the order of their numbers in a key; 0 is none. The numbers are the bits of red, green, blue,
    /// alpha.
    pub const DITHERED_FORMATS: [(&'static str, [u32; 4]); 3] =
        [("4444", [4, 4, 4, 4]), ("5551", [5, 5, 5, 0]), ("565", [5, 6, 5, 0])];

    /// The functions of the alpha test, in the order of their numbers in a key; 0 is no test.
    pub const ALPHA_FUNCTIONS: [&'static str; 7] =
        ["never", "less", "equal", "lequal", "greater", "notequal", "gequal"];

    /// The bits that dither target `target` with the format of this number; 3 for the mask.
    pub const fn dither(target: u32, format: u64) -> u64 {
        (format & 3) << (Key::DITHER.trailing_zeros() + 2 * target)
    }

    /// The bit that replaces `gl_TexCoord[coordinate]` by `gl_PointCoord`.
    pub const fn point_sprite(coordinate: u32) -> u64 {
        1 << (Key::POINT_SPRITES.trailing_zeros() + coordinate % Key::SPRITES)
    }

    /// The bits of an alpha test with the function of this number; 7 for the mask.
    pub const fn alpha_test(function: u64) -> u64 {
        (function & 7) << Key::ALPHA_TEST.trailing_zeros()
    }

    /// The names of the options with any of these bits; a number for bits without an option.
    pub fn option_names(bits: u64) -> String {
        let names = Key::options(bits).map(|option| option.name().to_string());
        let unknown = bits & !Key::ALL;
        names.chain((unknown != 0).then(|| format!("{unknown:#x}"))).collect::<Vec<String>>().join(",")
    }

    /// A key with these bits.
    pub const fn new(bits: u64) -> Key {
        Key { bits, size: [0; 2], uniforms: [0; Key::INLINED], swizzles: [0; Key::SWIZZLED] }
    }

    /// The word of a patch whose condition holds; `None` for a kind that a link determines.
    pub(super) fn value(&self, kind: PatchKind, arg: u32) -> Option<u32> {
        match kind {
            PatchKind::Word => Some(arg),
            PatchKind::Width => Some((self.size[0] as f32).to_bits()),
            PatchKind::Height => Some((self.size[1] as f32).to_bits()),
            PatchKind::Uniform => self.uniforms.get(arg as usize).copied(),
            PatchKind::Swizzle => {
                let Swizzled { texture, component, constants } = Swizzled::unpack(arg);
                let value = u32::from(self.swizzles[texture] >> (2 * component) & 3);
                (1..=2).contains(&value).then(|| constants.wrapping_add(value - 1))
            }
            _ => None,
        }
    }

    /// The part of the swizzles that a patch with this argument depends on.
    pub(super) fn copy_swizzle(&mut self, from: &Key, arg: u32) {
        let Swizzled { texture, component, .. } = Swizzled::unpack(arg);
        self.swizzles[texture] |= from.swizzles[texture] & 3 << (2 * component);
    }

    /// Parses a key: names of options, `sprite0`, `dither0=565`, `alpha_test=less`, `size=640x480`, `uniform0=0x3f800000`,
    /// `swizzle0=rrr1`, with commas between them.
    pub fn parse(text: &str) -> Result<Key, String> {
        let mut key = Key::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if let Some(size) = (name == "size").then(|| parse_size(value)).flatten() {
                key.size = size;
            } else if let Some((index, word)) = parse_uniform(name, value) {
                (key.bits, key.uniforms[index]) = (key.bits | Key::INLINED_UNIFORMS, word);
            } else if let Some((texture, swizzle)) = parse_swizzle(name, value) {
                (key.bits, key.swizzles[texture]) = (key.bits | Key::SHADOW_SWIZZLES, swizzle);
            } else if let Some(bits) = parse_dither(name, value).or_else(|| parse_sprite(part)) {
                key.bits |= bits;
            } else if let Some(bits) = parse_alpha_test(name, value) {
                key.bits = key.bits & !Key::ALPHA_TEST | bits;
            } else {
                let option = OptionId::from_name(part).filter(|option| option.mask().count_ones() == 1);
                key.bits |= option.ok_or_else(|| refusal(part))?.mask();
            }
        }
        Ok(key)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let single = Key::options(self.bits).filter(|option| option.mask().count_ones() == 1);
        let mut parts: Vec<String> = single.map(|option| option.name().to_string()).collect();
        for target in 0..Key::DITHERED_TARGETS {
            let format = (self.bits >> Key::dither(target, 3).trailing_zeros() & 3) as usize;
            if let Some((name, _)) = format.checked_sub(1).and_then(|format| Key::DITHERED_FORMATS.get(format)) {
                parts.push(format!("dither{target}={name}"));
            }
        }
        let sprites = (0..Key::SPRITES).filter(|n| self.bits & Key::point_sprite(*n) != 0);
        parts.extend(sprites.map(|n| format!("sprite{n}")));
        let function = ((self.bits & Key::ALPHA_TEST) >> Key::ALPHA_TEST.trailing_zeros()) as usize;
        let function = function.checked_sub(1).and_then(|number| Key::ALPHA_FUNCTIONS.get(number));
        parts.extend(function.map(|name| format!("alpha_test={name}")));
        if self.size != [0; 2] {
            parts.push(format!("size={}x{}", self.size[0], self.size[1]));
        }
        let uniforms = self.uniforms.iter().enumerate().filter(|(_, word)| **word != 0);
        parts.extend(uniforms.map(|(index, word)| format!("uniform{index}={word:#x}")));
        let swizzles = self.swizzles.iter().enumerate().filter(|(_, swizzle)| **swizzle != 0);
        parts.extend(swizzles.map(|(texture, swizzle)| format!("swizzle{texture}={}", swizzle_letters(*swizzle))));
        f.write_str(&parts.join(","))
    }
}

/// The argument of a patch of [`PatchKind::Swizzle`]: the texture, the component, and the id of the constant 0, whose successor is
/// the constant 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swizzled {
    pub(crate) texture: usize,
    pub(crate) component: u32,
    pub(crate) constants: u32,
}

impl Swizzled {
    pub(crate) fn pack(self) -> u32 {
        let texture = self.texture as u32 % Key::SWIZZLED as u32;
        texture | (self.component << 3) | (self.constants << 5)
    }

    fn unpack(arg: u32) -> Swizzled {
        Swizzled { texture: arg as usize % Key::SWIZZLED, component: arg >> 3 & 3, constants: arg >> 5 }
    }
}

fn swizzle_letters(swizzle: u8) -> String {
    let value = |component: u8| usize::from(swizzle >> (2 * component) & 3);
    (0..4).map(|component| Key::SWIZZLES.get(value(component)).unwrap_or(&Key::SWIZZLES[0])).collect()
}

fn parse_size(text: &str) -> Option<[u32; 2]> {
    let (width, height) = text.split_once('x')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}

fn parse_sprite(name: &str) -> Option<u64> {
    let coordinate: u32 = name.strip_prefix("sprite")?.parse().ok()?;
    (coordinate < Key::SPRITES).then(|| Key::point_sprite(coordinate))
}

fn parse_alpha_test(name: &str, function: &str) -> Option<u64> {
    let number = Key::ALPHA_FUNCTIONS.iter().position(|row| *row == function)?;
    (name == "alpha_test").then(|| Key::alpha_test(number as u64 + 1))
}

fn parse_uniform(name: &str, value: &str) -> Option<(usize, u32)> {
    let index = name.strip_prefix("uniform")?.parse().ok().filter(|index| *index < Key::INLINED)?;
    let word = match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => value.parse(),
    };
    Some((index, word.ok()?))
}

fn parse_swizzle(name: &str, letters: &str) -> Option<(usize, u8)> {
    let texture = name.strip_prefix("swizzle")?.parse().ok().filter(|texture| *texture < Key::SWIZZLED)?;
    let value = |letter: char| Key::SWIZZLES.iter().position(|known| *known == letter);
    let values: Vec<usize> = letters.chars().map(value).collect::<Option<_>>()?;
    let swizzle = values.iter().rev().fold(0, |swizzle, value| swizzle << 2 | *value as u8);
    (values.len() == 4).then_some((texture, swizzle))
}

fn parse_dither(name: &str, format: &str) -> Option<u64> {
    let target: u32 = name.strip_prefix("dither")?.parse().ok()?;
    let format = Key::DITHERED_FORMATS.iter().position(|row| row.0 == format)?;
    (target < Key::DITHERED_TARGETS).then(|| Key::dither(target, format as u64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_print_as_they_are_parsed() {
        for text in [
            "",
            "strip",
            "strip,swap_xy,flip_y,dither0=565,dither7=4444,sprite0,sprite7,size=640x480",
            "inlined_uniforms,uniform3=0x2a",
            "shadow_swizzles,swizzle0=rrr1,swizzle7=0r1r",
            "flat_shading,clamp_colors,dither0=565,alpha_test=gequal",
            "alpha_test=never",
        ] {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Key::parse("uniform3=42"), Key::parse("inlined_uniforms,uniform3=0x2a"));
        assert_eq!(Key::parse("alpha_test=gequal,alpha_test=less"), Ok(Key::new(Key::alpha_test(2))));
        let wrong = ["dither8=565", "dither0=888", "locations", "size=640", "sprite8", "uniform4=1", "uniform0=x"];
        let wrong = wrong.into_iter().chain(["alpha_test", "alpha_test=always", "alpha=less", "less"]);
        for text in wrong.chain(["swizzle8=rrr1", "swizzle0=rr", "swizzle0=rgba"]) {
            assert!(Key::parse(text).is_err(), "{text}");
        }
    }
}
