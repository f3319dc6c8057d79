// SPDX-License-Identifier: MIT

//! The forms of the parts of a key in text that have a number or a value, and the message for a wrong part.

use super::{Key, OptionId, OPTIONS};
use crate::near::similar;

/// A part of a key that is not only the name of an option.
#[derive(Clone, Copy, Debug)]
pub struct KeyForm {
    /// The name, without a number.
    pub name: &'static str,
    /// How many numbers may follow the name, from 0 on; 0 if it has none.
    pub numbers: usize,
    /// The values that may follow; empty if it has none.
    pub values: &'static str,
    /// A part of this form.
    pub example: &'static str,
    /// The option that it sets; `None` if it has a value for other options.
    pub option: Option<OptionId>,
    /// What it does.
    pub about: &'static str,
}

impl KeyForm {
    /// All forms.
    pub const ALL: &'static [KeyForm] = &[
        KeyForm {
            name: "alpha_test",
            numbers: 0,
            values: "never, less, equal, lequal, greater, notequal or gequal",
            example: "alpha_test=gequal",
            option: Some(OptionId::AlphaTest),
            about: "or another function: never, less, equal, lequal, greater, notequal",
        },
        KeyForm {
            name: "swizzle",
            numbers: Key::SWIZZLED,
            values: "four letters of r, 0 and 1",
            example: "swizzle0=rrr1",
            option: Some(OptionId::ShadowSwizzles),
            about: "for texture 0: four letters of r, 0 and 1",
        },
        KeyForm {
            name: "dither",
            numbers: Key::DITHERED_TARGETS as usize,
            values: "4444, 5551 or 565",
            example: "dither0=565",
            option: Some(OptionId::Dither),
            about: "for colour target 0, or another format: 4444, 5551",
        },
        KeyForm {
            name: "sprite",
            numbers: Key::SPRITES as usize,
            values: "",
            example: "sprite0",
            option: Some(OptionId::PointSprites),
            about: "for gl_TexCoord[0]",
        },
        KeyForm {
            name: "uniform",
            numbers: Key::INLINED,
            values: "a number of 32 bits, such as 0x3f800000",
            example: "uniform0=0x3f800000",
            option: Some(OptionId::InlinedUniforms),
            about: "the word of inlinable uniform 0",
        },
        KeyForm {
            name: "size",
            numbers: 0,
            values: "WIDTHxHEIGHT in pixels",
            example: "size=640x480",
            option: None,
            about: "the framebuffer's width and height, which turned and flipped gl_FragCoord needs",
        },
    ];

    /// The text after the name in `name`, if it may be the number of this form.
    fn number<'t>(&self, name: &'t str) -> Option<&'t str> {
        let number = name.strip_prefix(self.name)?;
        (number.is_empty() || self.numbers > 0 && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
    }
}

/// The reason why `part` is not a part of a key.
pub(super) fn refusal(part: &str) -> String {
    let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name.trim(), Some(value.trim())));
    let form = KeyForm::ALL.iter().find_map(|form| Some((form, form.number(name)?)));
    if let Some((form, number)) = form {
        let KeyForm { name: stem, numbers, values, example, .. } = form;
        let is_number = |number: &str| number.parse::<usize>().is_ok_and(|number| number < *numbers);
        return match value {
            _ if *numbers > 0 && number.is_empty() => format!("`{part}` has no number: expected `{example}`"),
            _ if *numbers > 0 && !is_number(number) => {
                format!("there is no `{name}`: the last one is `{stem}{}`", numbers - 1)
            }
            None | Some("") if !values.is_empty() => format!("`{name}` has no value: expected {values}"),
            Some(value) if !values.is_empty() => format!("`{value}` is not a value of `{name}`: expected {values}"),
            _ => format!("`{name}` takes no value"),
        };
    }
    match OptionId::from_name(name).map(OptionId::info) {
        Some(row) if row.mask == 0 => {
            format!("`{name}` is not in a key: its mechanism is another one, {}", row.mechanism.name())
        }
        Some(row) => match KeyForm::ALL.iter().find(|form| form.option == Some(row.id)) {
            Some(form) if row.mask.count_ones() > 1 => format!("`{name}` is written as `{}` in a key", form.example),
            _ => format!("`{name}` takes no value"),
        },
        None => {
            let single = OPTIONS.iter().filter(|row| row.mask.count_ones() == 1).map(|row| row.name);
            let names = single.chain(KeyForm::ALL.iter().map(|form| form.example));
            format!("no option of a key is called `{name}`{}", similar(name, names))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_parts_of_a_key() {
        for form in KeyForm::ALL {
            let key = Key::parse(form.example).unwrap_or_else(|message| panic!("{}: {message}", form.example));
            assert_eq!(form.option.map(|option| key.has(option)), form.option.map(|_| true), "{}", form.example);
            assert_eq!(
                form.number(form.example.split('=').next().unwrap()).map(str::is_empty),
                Some(form.numbers == 0)
            );
        }
        // All options with several bits have a form.
        for row in OPTIONS.iter().filter(|row| row.mask.count_ones() > 1) {
            assert!(KeyForm::ALL.iter().any(|form| form.option == Some(row.id)), "{}", row.name);
        }
    }

    #[test]
    fn a_wrong_part_has_its_reason() {
        for (part, reason) in [
            ("alpha_test=foo", "`foo` is not a value of `alpha_test`: expected never, less"),
            ("alpha_test", "`alpha_test` has no value: expected never, less"),
            ("size=6x", "`6x` is not a value of `size`: expected WIDTHxHEIGHT"),
            ("size=", "`size` has no value: expected WIDTHxHEIGHT"),
            ("dither0=888", "`888` is not a value of `dither0`: expected 4444, 5551 or 565"),
            ("dither=565", "`dither=565` has no number: expected `dither0=565`"),
            ("dither8=565", "there is no `dither8`: the last one is `dither7`"),
            ("sprite8", "there is no `sprite8`: the last one is `sprite7`"),
            ("sprite0=1", "`sprite0` takes no value"),
            ("strip=1", "`strip` takes no value"),
            ("point_sprites", "`point_sprites` is written as `sprite0` in a key"),
            ("uniform4=1", "there is no `uniform4`"),
            ("uniform0=x", "`x` is not a value of `uniform0`"),
            ("swizzle0=rgba", "`rgba` is not a value of `swizzle0`: expected four letters"),
            ("front face", "`front face` is not in a key: its mechanism is another one, dynamic state"),
            ("flip", "no option of a key is called `flip`; similar names: flip_x, flip_y"),
            ("qqqqqqqq", "no option of a key is called `qqqqqqqq`"),
        ] {
            let message = Key::parse(&format!("strip,{part}")).expect_err(part);
            assert!(message.starts_with(reason), "{part}: {message}");
        }
    }
}
