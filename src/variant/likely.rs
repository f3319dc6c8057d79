//! Warm-up: which variants of a program the first draws will want.
//!
//! A program says much of how it will be drawn: one with captures is there to capture, one that does not say a point size seldom draws
//! points. Each such guess is a row with a chance in percent; the chance of a key is the product of its rows, as far as the
//! program's words depend on them. A framebuffer's size cannot be guessed, so it has to be given where words depend on it.

use super::Program;
use crate::module::Key;

/// Bits that a draw may want, how often it does, and why.
const GUESSES: &[(u64, u32, &str)] = &[
    (Key::FLIP_Y, 60, "most draws go to the window, whose y GL counts from below"),
    (Key::NO_CAPTURE, 30, "a program with captures is there to capture"),
    (Key::POINT_SIZE, 10, "who draws points says how big they are"),
    (Key::SAMPLE_SHADING, 4, "minSampleShading is rarely set"),
    (Key::dither(0, 3), 3, "565, on small screens"),
    (Key::DISCARD, 1, "rasterizer discard is for captures"),
];

/// The keys that draws of `program` most likely have, the likeliest first, at most `most`. `always` are the bits that all draws on this
/// device have (stripped names, GL's depth, a rotated screen), with the size of the window.
pub fn likely_keys(program: &Program, always: Key, most: usize) -> Vec<Key> {
    let seen = |bits: u64| program.keys(&Key::new(bits)).any(|(_, key)| key.bits & bits != 0);
    let guesses: Vec<_> = GUESSES.iter().filter(|row| row.0 & always.bits == 0 && seen(row.0)).collect();
    let mut keys: Vec<(u64, Key)> = Vec::new();
    for choice in 0..1u32 << guesses.len() {
        let chosen = |n: usize| choice >> n & 1 != 0;
        let bits = (0..guesses.len()).filter(|n| chosen(*n)).fold(always.bits, |bits, n| bits | guesses[n].0);
        let chance = |n: usize| u64::from(if chosen(n) { guesses[n].1 } else { 100 - guesses[n].1 });
        // In hundredths of each row: six rows fit 64 bits.
        keys.push(((0..guesses.len()).map(chance).product(), Key { bits, ..always }));
    }
    keys.sort_by_key(|(chance, key)| (std::cmp::Reverse(*chance), key.bits));
    let mut likely: Vec<Key> = Vec::new();
    for (_, key) in keys {
        let parts = |key: &Key| program.keys(key).map(|(_, part)| part).collect::<Vec<Key>>();
        let needs_size = parts(&Key { size: [1; 2], ..key }) != parts(&Key { size: [2; 2], ..key });
        if likely.len() < most && !(needs_size && always.size == [0; 2]) {
            likely.push(key);
        }
    }
    likely
}
