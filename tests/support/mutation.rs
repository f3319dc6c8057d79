// SPDX-License-Identifier: MIT

//! Dumps with faults: bytes flipped, words replaced, lines removed, doubled, swapped, moved or cut.

use crate::support;
use std::fs;

/// The dumps to mutate: the project's own, and some of the larger corpus if it exists.
pub(crate) fn dumps() -> Vec<String> {
    let mut files = support::files(&support::root().join("examples"), &["nir"]);
    files.extend(support::files(&support::root().join("tests/corpus"), &["nir"]));
    if let Some(shared) = support::shared_corpus() {
        files.extend(support::files(&shared, &["nir", "log"]).into_iter().step_by(20));
    }
    let dumps = files.iter().map(|file| String::from_utf8_lossy(&fs::read(file).expect("a dump")).into_owned());
    dumps.filter(|dump| dump.len() < 1 << 16).collect()
}

/// A dump with one fault, or a few: a single one more often leaves a valid shader, which is the harder case.
pub(crate) fn mutate(random: &mut Random, dumps: &[String]) -> String {
    let mut bytes = random.of(dumps).clone().into_bytes();
    let faults = if random.below(4) == 0 { 2 + random.below(4) } else { 1 };
    for _ in 0..faults {
        match random.below(4) {
            0 => flip_bytes(random, &mut bytes),
            1 => bytes = break_lines(random, &bytes, dumps),
            _ => bytes = replace_word(random, &bytes),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn flip_bytes(random: &mut Random, bytes: &mut [u8]) {
    for _ in 0..1 + random.below(2) {
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] =
                if random.below(2) == 0 { bytes[at] ^ 1 << random.below(8) } else { b' ' + random.below(95) as u8 };
        }
    }
}

/// Replaces a word by another with the same first letter, such as `%5` by `%7` or `fadd` by `fmul`: a fault that mostly keeps the
/// grammar.
fn replace_word(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_%@".contains(byte);
    let starts: Vec<usize> =
        (0..bytes.len()).filter(|at| is_word(&bytes[*at]) && (*at == 0 || !is_word(&bytes[at - 1]))).collect();
    let end =
        |start: usize| bytes[start..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |len| start + len);
    if starts.is_empty() {
        return bytes.to_vec();
    }
    let old = *random.of(&starts);
    let alike: Vec<usize> = starts.into_iter().filter(|start| bytes[*start] == bytes[old]).collect();
    let new = *random.of(&alike);
    [&bytes[..old], &bytes[new..end(new)], &bytes[end(old)..]].concat()
}

/// Removes, doubles, swaps, moves or cuts lines, or inserts one from another dump.
fn break_lines(random: &mut Random, bytes: &[u8], dumps: &[String]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(6) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(a, lines[a]),
        2 => lines.swap(a, b),
        3 => {
            let line = lines.remove(a);
            lines.insert(b.min(lines.len()), line);
        }
        4 => lines.truncate(a),
        _ => {
            let other: Vec<&str> = random.of(dumps).lines().collect();
            if !other.is_empty() {
                lines.insert(a, random.of(&other).as_bytes());
            }
        }
    }
    lines.join(&b'\n')
}

/// SplitMix64, a small generator of uniform quality for all seeds.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
