//! Warm-up: which variants of a program the first draws will want.
//!
//! A program says much of how it will be drawn: one with captures is there to capture, one that does not say a point size seldom draws
//! points. Each such guess is a row with a chance in percent; the chance of a key is the product of its rows, as far as the
//! program's words depend on them. A key that the program cannot take is not among them: as a framebuffer's size cannot be guessed,
//! it has to be given where words depend on it.

use super::Program;
use crate::module::{Key, OptionId};

/// Options that a draw may want, how often it does, and why.
const GUESSES: &[(OptionId, u32, &str)] = &[
    (OptionId::FlipY, 60, "most draws go to the window, whose y GL counts from below"),
    (OptionId::NoCapture, 30, "a program with captures is there to capture"),
    (OptionId::PointSize, 10, "who draws points says how big they are"),
    (OptionId::SampleShading, 4, "minSampleShading is rarely set"),
    (OptionId::Dither, 3, "565, on small screens"),
    (OptionId::Discard, 1, "rasterizer discard is for captures"),
];

/// The bits of an option that a draw which wants it has: one format of one target, where it is dithered.
const fn wanted(option: OptionId) -> u64 {
    match option {
        OptionId::Dither => Key::dither(0, 3),
        _ => option.mask(),
    }
}

/// The keys that draws of `program` most likely have, the likeliest first, at most `most`. `always` are the bits that all draws on this
/// device have (stripped names, GL's depth, a rotated screen), with the size of the window.
pub fn likely_keys(program: &Program, always: Key, most: usize) -> Vec<Key> {
    let seen = |bits: u64| {
        let key = Key { bits, size: [1; 2] };
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
        // In hundredths of each row: six rows fit 64 bits.
        keys.push(((0..guesses.len()).map(chance).product(), Key { bits, ..always }));
    }
    keys.sort_by_key(|(chance, key)| (std::cmp::Reverse(*chance), key.bits));
    keys.into_iter().map(|(_, key)| key).filter(|key| program.keys(key).is_ok()).take(most).collect()
}
