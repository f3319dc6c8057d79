// SPDX-License-Identifier: MIT

//! What the options of a key do to a draw, by their documentation: the interpreter does not know keys.

use ntv::module::OptionId;
use ntv::Key;
use ntv_interp::Bits;

/// The byte of the push constants that has the reference of the alpha test, after those that random shaders read.
pub(super) const ALPHA_REFERENCE: u32 = 124;

/// The value there.
pub(super) const REFERENCE: f32 = 0.5;

/// The pixel of the target that has the fragment of `pixel`.
pub(super) fn place(key: &Key, pixel: [u32; 2], size: [u32; 2]) -> [u32; 2] {
    let flipped = |c: usize, flip| if key.has(flip) { size[c] - 1 - pixel[c] } else { pixel[c] };
    [flipped(0, OptionId::FlipX), flipped(1, OptionId::FlipY)]
}

/// Changes the first colour, and says whether it passes the alpha test; `None` if that is undefined.
pub(super) fn colour(key: &Key, colour: &mut [Bits; 4]) -> Option<bool> {
    if key.has(OptionId::ClampColors) {
        for word in colour.iter_mut() {
            word.value = f32::from_bits(word.value as u32).clamp(0.0, 1.0).to_bits().into();
        }
    }
    let function = (key.bits & Key::ALPHA_TEST) >> Key::ALPHA_TEST.trailing_zeros();
    let alpha = f32::from_bits(colour[3].value as u32);
    let passes = match function {
        0 => return Some(true),
        1 => return Some(false),
        2 => alpha < REFERENCE,
        3 => alpha == REFERENCE,
        4 => alpha <= REFERENCE,
        5 => alpha > REFERENCE,
        6 => alpha != REFERENCE,
        _ => alpha >= REFERENCE,
    };
    colour[3].is_defined().then_some(passes)
}
