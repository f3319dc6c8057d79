// SPDX-License-Identifier: MIT

//! Warm-up: predicts the variants of a program that its first draws need.
//!
//! The program itself gives hints: one with captures usually captures, one that writes no point size rarely draws points. Each such
//! guess is a row with a probability in percent; the probability of a key is the product over the rows on which the program's words
//! depend. Keys that the program cannot take are left out. The size of the framebuffer cannot be predicted, so it has to be given
//! if words depend on it.

use super::Program;
use crate::module::{Key, OptionId};

/// Options that a draw may have, their probability, and the reason.
const GUESSES: &[(OptionId, u32, &str)] = &[
    (OptionId::FlipY, 60, "most draws are to the window, where GL's y increases upwards"),
    (OptionId::NoCapture, 30, "a program with captures usually captures"),
    (OptionId::FlipPointCoord, 40, "the origin of points depends on the orientation of the framebuffer"),
    (OptionId::NoSampleMask, 20, "a shader with a mask of samples is usually for several samples"),
    (OptionId::PointSize, 10, "a program for points usually writes their size"),
    (OptionId::SampleShading, 4, "minSampleShading is rarely set"),
    (OptionId::Dither, 3, "565, on small screens"),
    (OptionId::Discard, 1, "rasterizer discard is for captures"),
];

/// The bits of an option in a draw that has it: for dithering, one format of one target.
const fn wanted(option: OptionId) -> u64 {
    match option {
        OptionId::Dither => Key::dither(0, 3),
        _ => option.mask(),
    }
}

/// The most likely keys of draws of `program`, the most likely first, at most `most`. `always` has the bits of all draws on this
/// device (stripped names, GL's depth, a rotated screen), and the size of the window.
pub fn likely_keys(program: &Program, always: Key, most: usize) -> Vec<Key> {
    let seen = |bits: u64| {
        let key = Key { size: [1; 2], ..Key::new(bits) };
        let parts = program.keys(&key);
        parts.is_ok_and(|mut parts| parts.any(|(_, part)| part.bits & bits != 0))
    };
    let rows = GUESSES.iter().map(|(option, percent, _)| (wanted(*option), *percent));
    let guesses: Vec<(u64, u32)> = rows.filter(|(bits, _)| bits & always.bits == 0 && seen(*bits)).collect();
    let mut keys: Vec<(u64, Key)> = Vec::new();
    for choice in 0..1u32 << guesses.len() {
        let chosen = |n: usize| choice >> n & 1 != 0;
        let bits = (0..guesses.len()).filter(|n| chosen(*n)).fold(always.bits, |bits, n| bits | guesses[n].0);
        let chance = |n: usize| u64::from(if chosen(n) { guesses[n].1 } else { 100 - guesses[n].1 });
        // In percent for each row: the product of eight rows fits in 64 bits.
        keys.push(((0..guesses.len()).map(chance).product(), Key { bits, ..always }));
    }
    keys.sort_by_key(|(chance, key)| (std::cmp::Reverse(*chance), key.bits));
    keys.into_iter().map(|(_, key)| key).filter(|key| program.keys(key).is_ok()).take(most).collect()
}
