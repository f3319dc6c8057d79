//! Wires with faults: bits flipped, words replaced, records dropped, doubled, swapped, moved, cut off or taken from another.

use crate::mutation::Random;
use ntv::{text, wire};

/// Words before the first record, one of which counts all words, and one the bytes of the text behind the last.
const HEADER: usize = 4;

/// The shaders in `dumps` as words.
pub(crate) fn wires(dumps: &[String]) -> Vec<Vec<u32>> {
    let shaders = dumps.iter().flat_map(|dump| text::parse(dump)).filter_map(|found| found.shader.ok());
    shaders.map(|shader| wire::encode(&shader)).collect()
}

/// The bytes of a wire with one fault, or a few. Mostly the header is made right again, so that the fault is looked at.
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

/// Puts a word in the place of another, or a number near it, or one that is often special.
fn replace_word(random: &mut Random, words: &mut [u32]) {
    let (at, from) = (random.below(words.len()), random.below(words.len()));
    words[at] = match random.below(4) {
        0 => words[from],
        1 => words[at].wrapping_add(random.below(5) as u32).wrapping_sub(2),
        2 => *random.of(&[0, 1, 0xff, 0xffff, 1 << 16, 1 << 31, i32::MAX as u32, u32::MAX]),
        _ => words[at] & 0xff | words[from] & !0xff,
    };
}

/// Puts a word of a record in the place of the same one of another record of its kind: the fault that keeps the form.
fn replace_operand(random: &mut Random, words: &mut [u32]) {
    let records = records(words);
    if records.is_empty() {
        return;
    }
    let (to, from) = (*random.of(&records), *random.of(&records));
    let alike = records.iter().filter(|record| words[record.0] == words[to.0]).copied().collect::<Vec<_>>();
    let from = if random.below(8) == 0 { from } else { *random.of(&alike) };
    let at = random.below(to.1.min(from.1));
    words[to.0 + at] = words[from.0 + at];
}

/// Start and length of each record.
fn records(words: &[u32]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut at, end) = (HEADER, text_start(words));
    while at < end {
        let len = (words[at] >> 8) as usize;
        if len == 0 || len > end - at {
            break;
        }
        found.push((at, len));
        at += len;
    }
    found
}

/// Where the text starts, behind the records.
fn text_start(words: &[u32]) -> usize {
    let num_words = words.get(HEADER - 1).map_or(0, |bytes| bytes.div_ceil(4) as usize);
    words.len().saturating_sub(num_words)
}

/// Drops, doubles, swaps, moves or cuts off records, or brings one from another wire.
fn break_records(random: &mut Random, words: &[u32], wires: &[Vec<u32>]) -> Vec<u32> {
    let slices = |words: &[u32]| -> Vec<Vec<u32>> {
        records(words).into_iter().map(|(at, len)| words[at..at + len].to_vec()).collect()
    };
    let mut parts = slices(words);
    if parts.is_empty() {
        return words.to_vec();
    }
    let (a, b) = (random.below(parts.len()), random.below(parts.len()));
    match random.below(6) {
        0 => drop(parts.remove(a)),
        1 => parts.insert(b, parts[a].clone()),
        2 => parts.swap(a, b),
        3 => {
            let part = parts.remove(a);
            parts.insert(b.min(parts.len()), part);
        }
        4 => parts.truncate(a),
        _ => {
            let other: &Vec<u32> = random.of(wires);
            let other = slices(other);
            parts.insert(a, random.of(&other).clone());
        }
    }
    [&words[..HEADER.min(words.len())], &parts.concat(), &words[text_start(words)..]].concat()
}
