// SPDX-License-Identifier: MIT

//! Wires with faults: bits flipped, words replaced, records removed, doubled, swapped, moved, cut or taken from another wire.

use crate::mutation::Random;
use crate::wire_records::{records, HEADER};
use ntv::{text, wire};

/// The shaders in `dumps` as words.
pub(crate) fn wires(dumps: &[String]) -> Vec<Vec<u32>> {
    let shaders = dumps.iter().flat_map(|dump| text::find(dump)).filter_map(|found| found.shader.ok());
    shaders.map(|shader| wire::encode(&shader)).collect()
}

/// The bytes of a wire with one fault, or a few. Mostly the header is corrected, so that the decoder reaches the fault.
pub(crate) fn mutate(random: &mut Random, wires: &[Vec<u32>]) -> Vec<u8> {
    let mut words = random.of(wires).clone();
    let faults = if random.below(4) == 0 { 2 + random.below(4) } else { 1 };
    for _ in 0..faults {
        match random.below(8) {
            0..=2 => replace_word(random, &mut words),
            3 | 4 => replace_operand(random, &mut words),
            5 => flip_bit(random, &mut words),
            _ => words = break_records(random, &words, wires),
        }
    }
    if random.below(16) != 0 && words.len() >= HEADER {
        words[2] = words.len() as u32;
        words[3] = records(&words).iter().filter(|(at, _)| words[*at] & 15 < 7).count() as u32;
    }
    let mut bytes = wire::to_bytes(&words);
    if random.below(64) == 0 {
        bytes.truncate(random.below(bytes.len() + 1));
    }
    bytes
}

fn flip_bit(random: &mut Random, words: &mut [u32]) {
    let at = random.below(words.len());
    words[at] ^= 1 << random.below(32);
}

/// Replaces a word by another word, by a similar number, or by a special number.
fn replace_word(random: &mut Random, words: &mut [u32]) {
    let (at, from) = (random.below(words.len()), random.below(words.len()));
    words[at] = match random.below(4) {
        0 => words[from],
        1 => words[at].wrapping_add(random.below(5) as u32).wrapping_sub(2),
        2 => *random.of(&[0, 1, 0xff, 0xffff, 1 << 16, 1 << 31, i32::MAX as u32, u32::MAX]),
        _ => words[at] & 0xff | words[from] & !0xff,
    };
}

/// Replaces a word of a record by the same word of another record of its kind: a fault that keeps the form.
fn replace_operand(random: &mut Random, words: &mut [u32]) {
    let all = records(words);
    if all.is_empty() {
        return;
    }
    let (to, len) = *random.of(&all);
    let kind = words[to] & 15;
    let alike: Vec<_> = all.into_iter().filter(|(at, _)| words[*at] & 15 == kind).collect();
    let (from, other) = *random.of(&alike);
    let at = random.below(len.min(other));
    words[to + at] = words[from + at];
}

/// Removes, doubles, swaps, moves or cuts records, or inserts some from another wire.
fn break_records(random: &mut Random, words: &[u32], wires: &[Vec<u32>]) -> Vec<u32> {
    let of = |words: &[u32]| -> Vec<Vec<u32>> {
        records(words).into_iter().map(|(at, len)| words[at..at + len].to_vec()).collect()
    };
    let mut all = of(words);
    if all.is_empty() {
        return words.to_vec();
    }
    let (a, b) = (random.below(all.len()), random.below(all.len()));
    match random.below(6) {
        0 => drop(all.remove(a)),
        1 => all.insert(b, all[a].clone()),
        2 => all.swap(a, b),
        3 => {
            let record = all.remove(a);
            all.insert(b, record);
        }
        4 => all.truncate(a),
        _ => {
            let other = of(random.of::<Vec<u32>>(wires));
            let start = random.below(other.len() + 1);
            all.splice(a..a, other.into_iter().skip(start).take(1 + b % 8));
        }
    }
    [&words[..HEADER], &all.concat()].concat()
}
