//! Wires with faults: bits flipped, words replaced, words dropped, doubled, swapped, moved, cut off or taken from another.

use crate::mutation::Random;
use ntv::{text, wire};

/// Words of the header: the third counts all words, the fifth the bytes of the text. Then come the starts and lengths of all sections.
const HEADER: usize = PLACES + 2 * NUM_SECTIONS;
const PLACES: usize = 5;
const NUM_SECTIONS: usize = 19;
/// Words of a row of each section, or of the smallest.
const ROWS: [usize; NUM_SECTIONS] = [1, 3, 4, 22, 2, 3, 2, 3, 2, 2, 3, 3, 8, 4, 6, 8, 10, 2, 1];

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
            _ => words = break_rows(random, &words, wires),
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

/// Puts a word of a row in the place of the same one of another row of its section: the fault that keeps the form.
fn replace_operand(random: &mut Random, words: &mut [u32]) {
    let sections = sections(words);
    let (section, start, len) = *random.of(&sections);
    let rows = len / ROWS[section];
    if rows > 0 {
        let [to, from] = [random.below(rows), random.below(rows)].map(|row| start + ROWS[section] * row);
        let at = random.below(ROWS[section]);
        words[to + at] = words[from + at];
    }
}

/// Number, start and length of each section; empty if it is not there.
fn sections(words: &[u32]) -> Vec<(usize, usize, usize)> {
    let place = |section: usize| {
        let [start, len] = [0, 1].map(|at| words.get(PLACES + 2 * section + at).map_or(0, |word| *word as usize));
        if start.saturating_add(len) > words.len() {
            return (section, 0, 0);
        }
        (section, start, len)
    };
    (0..NUM_SECTIONS).map(place).collect()
}

/// Drops, doubles, swaps, moves or cuts off rows of a section, or brings some from another wire.
fn break_rows(random: &mut Random, words: &[u32], wires: &[Vec<u32>]) -> Vec<u32> {
    let full = sections(words).into_iter().filter(|section| section.2 != 0).collect::<Vec<_>>();
    if full.is_empty() {
        return words.to_vec();
    }
    let (section, start, len) = *random.of(&full);
    let mut rows = words[start..start + len].chunks(ROWS[section]).map(<[u32]>::to_vec).collect::<Vec<_>>();
    let (a, b) = (random.below(rows.len()), random.below(rows.len()));
    match random.below(6) {
        0 => drop(rows.remove(a)),
        1 => rows.insert(b, rows[a].clone()),
        2 => rows.swap(a, b),
        3 => {
            let row = rows.remove(a);
            rows.insert(b, row);
        }
        4 => rows.truncate(a),
        _ => {
            let other: &Vec<u32> = random.of(wires);
            let (_, start, len) = sections(other)[section];
            rows.splice(a..a, other[start..start + len].chunks(ROWS[section]).take(b + 1).map(<[u32]>::to_vec));
        }
    }
    let rows = rows.concat();
    let mut words = [&words[..start], &rows, &words[start + len..]].concat();
    // Mostly sections are what the header says, so that their words are looked at.
    if random.below(8) != 0 && words.len() >= HEADER {
        words[PLACES + 2 * section + 1] = rows.len() as u32;
        for other in (0..NUM_SECTIONS).map(|section| PLACES + 2 * section) {
            if words[other] as usize > start {
                words[other] = words[other].wrapping_add(rows.len() as u32).wrapping_sub(len as u32);
            }
        }
    }
    words
}
