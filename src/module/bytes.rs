// SPDX-License-Identifier: MIT

//! Modules as words that can be stored, and loaded without trust.
//!
//! All numbers are 32-bit words. A stored module starts with a magic number, the version of this form, a hash of all words after
//! it (low, high), the stage, the bits of keys that it takes (low, high), flags (settled inputs, settled outputs, exact inputs),
//! and the length of each table. The tables follow, with a fixed number of words for each record, in the order of [`Module`]'s
//! members:
//!
//! | table | words of a record |
//! |-|-|
//! | words | 1 |
//! | patches | at, kind and condition, argument |
//! | ranges | start, end, head, condition |
//! | conditions | word and comparison, mask (low, high), value (low, high), exceptions (low, high) |
//! | interface | flags and built-in, location, locations, components, capture (3) |
//! | bindings | set, binding, kind, count, least range |
//!
//! Another version is refused, and so is damage: a cache then compiles again. Any change of one word, any cut and any appended word
//! is found, and other changes with a chance of all but 2^-64. The hash detects errors of storage, not attacks: every loaded module
//! is checked by [`Module::check`], so it can neither be read out of bounds nor make more words than it has.

use super::write::seen;
use super::{Binding, Condition, DescriptorKind, Module, Patch, PatchKind, Range, ShaderStage, Sides, Varying};
use crate::error::{Error, ErrorKind, Place};
use crate::ir::Capture;

const MAGIC: u32 = u32::from_le_bytes(*b"ntvm");
const VERSION: u32 = 5;
/// The number of words before the lengths of the tables.
const FRONT: usize = 10;
/// The number of words before those that have a hash.
const UNHASHED: usize = 4;
/// The number of words of a record of each table.
const RECORDS: [usize; 6] = [1, 3, 4, 7, 7, 6];
/// "No built-in", in the upper half of a word.
const NO_BUILTIN: u32 = 0xffff;

impl Module {
    /// The module as words.
    pub fn to_words(&self) -> Vec<u32> {
        let lengths = [
            self.words.len(),
            self.patches.len(),
            self.ranges.len(),
            self.conditions.len(),
            self.interface.len(),
            self.bindings.len(),
        ];
        let Sides { inputs, outputs } = self.settled;
        let flags = [inputs.is_some(), outputs.is_some(), self.has_exact_inputs];
        let flags = (0..).zip(flags).fold(0, |all, (bit, set)| all | u32::from(set) << bit);
        let mut out = vec![MAGIC, VERSION, 0, 0, self.stage as u32];
        out.extend(halves(self.offered));
        out.extend([flags, inputs.unwrap_or(0), outputs.unwrap_or(0)]);
        out.extend(lengths.map(|len| len as u32));
        out.extend_from_slice(&self.words);
        for patch in &self.patches {
            out.extend([patch.at, patch.kind as u32 | u32::from(patch.when) << 16, patch.arg]);
        }
        for range in &self.ranges {
            out.extend([range.start, range.end, range.head, u32::from(range.when)]);
        }
        for when in &self.conditions {
            out.push(u32::from(when.word) | u32::from(when.equal) << 16);
            out.extend([when.mask, when.value, when.unless].into_iter().flat_map(halves));
        }
        for varying in &self.interface {
            out.extend(write_varying(varying));
        }
        for binding in &self.bindings {
            let Binding { set, binding, kind, count, used, min_range } = *binding;
            out.extend([set, binding, kind as u32, count, used, min_range]);
        }
        let hash = halves(hash(&out[UNHASHED..]));
        out[2..UNHASHED].copy_from_slice(&hash);
        out
    }

    /// A hash of the varyings that a link left on one side, with their places.
    pub(crate) fn side_hash(&self, is_output: bool) -> u32 {
        let passed = |it: &&Varying| it.is_output == is_output && !it.removed && !it.is_copy;
        let places = self.interface.iter().filter(passed).flat_map(|it| {
            let [_, location, locations, components, ..] = write_varying(it);
            [it.builtin.unwrap_or(NO_BUILTIN) | u32::from(it.patch) << 16, location, locations, components]
        });
        hash(&places.collect::<Vec<u32>>()) as u32
    }

    /// Loads a module that [`Module::to_words`] stored.
    pub fn from_words(stored: &[u32]) -> Result<Module, Error> {
        if stored.first() != Some(&MAGIC) {
            return Err(malformed("not a stored module"));
        }
        let (header, mut rest) = split(stored, FRONT + RECORDS.len())?;
        if header[1] != VERSION {
            return Err(malformed(&format!("a stored module of version {}, but this is version {VERSION}", header[1])));
        }
        let lengths: usize = header[FRONT..].iter().zip(RECORDS).map(|(len, record)| *len as usize * record).sum();
        if lengths != rest.len() || whole(&header[2..4]) != hash(&stored[UNHASHED..]) {
            return Err(malformed("a stored module is damaged"));
        }
        let mut tables = [&[][..]; 6];
        for ((table, len), record) in tables.iter_mut().zip(&header[FRONT..]).zip(RECORDS) {
            (*table, rest) = split(rest, *len as usize * record)?;
        }
        let [words, patches, ranges, conditions, interface, bindings] = tables;
        let stage = ShaderStage::ALL.get(header[4] as usize).ok_or_else(|| malformed("an unknown stage"))?;
        let settled = |side: u32| (header[7] >> side & 1 != 0).then(|| header[8 + side as usize]);
        let mut module = Module {
            words: words.to_vec(),
            patches: patches.chunks_exact(3).map(read_patch).collect::<Result<_, _>>()?,
            ranges: ranges.chunks_exact(4).map(read_range).collect::<Result<_, _>>()?,
            conditions: conditions.chunks_exact(7).map(read_condition).collect::<Result<_, _>>()?,
            stage: *stage,
            interface: interface.chunks_exact(7).map(read_varying).collect::<Result<_, _>>()?,
            bindings: bindings.chunks_exact(6).map(read_binding).collect::<Result<_, _>>()?,
            seen: 0,
            offered: whole(&header[5..7]),
            has_exact_inputs: header[7] >> 2 & 1 != 0,
            settled: Sides { inputs: settled(0), outputs: settled(1) },
        };
        module.seen = seen(&module.conditions);
        module.check()?;
        Ok(module)
    }
}

fn malformed(what: &str) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), what)
}

/// The first `len` words, and the rest.
fn split(words: &[u32], len: usize) -> Result<(&[u32], &[u32]), Error> {
    if words.len() < len {
        return Err(malformed("a stored module is too short"));
    }
    Ok(words.split_at(len))
}

/// A hash of words. Each step maps different hashes to different ones, so a change of one word is never lost. The shift moves high
/// bits down: a multiplication alone moves them only up, and two changes of the highest bit would cancel.
fn hash(words: &[u32]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        let hash = (hash ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ hash >> 32
    })
}

/// A 64-bit number as two words, the low one first.
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The number in two words.
fn whole(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// The low half of a word; the high half has to be 0.
fn half(word: u32) -> Result<u16, Error> {
    u16::try_from(word).map_err(|_| malformed("a number is too big"))
}

fn read_patch(words: &[u32]) -> Result<Patch, Error> {
    let kind = PatchKind::from_number(words[1] & 0xffff).ok_or_else(|| malformed("an unknown kind of patch"))?;
    Ok(Patch { at: words[0], kind, when: (words[1] >> 16) as u16, arg: words[2] })
}

fn read_range(words: &[u32]) -> Result<Range, Error> {
    Ok(Range { start: words[0], end: words[1], head: words[2], when: half(words[3])? })
}

fn read_condition(words: &[u32]) -> Result<Condition, Error> {
    let equal = half(words[0] >> 16)? == 1;
    let [mask, value, unless] = [1, 3, 5].map(|at| whole(&words[at..at + 2]));
    Ok(Condition { word: words[0] as u16, mask, value, equal, unless })
}

fn write_varying(varying: &Varying) -> [u32; 7] {
    let flags = [
        varying.is_output,
        varying.patch,
        varying.relaxed,
        varying.removable,
        varying.removed,
        varying.capture.is_some(),
        varying.is_copy,
    ];
    let flags = flags.iter().enumerate().fold(0, |all, (bit, set)| all | u32::from(*set) << bit);
    let capture = varying.capture.unwrap_or_default();
    [
        flags | varying.builtin.unwrap_or(NO_BUILTIN) << 16,
        varying.location,
        varying.locations,
        u32::from(varying.component) | u32::from(varying.components) << 8,
        capture.buffer,
        capture.stride,
        capture.offset,
    ]
}

fn read_varying(words: &[u32]) -> Result<Varying, Error> {
    let flag = |bit: u32| words[0] >> bit & 1 != 0;
    let capture = Capture { buffer: words[4], stride: words[5], offset: words[6] };
    Ok(Varying {
        is_output: flag(0),
        patch: flag(1),
        builtin: Some(words[0] >> 16).filter(|builtin| *builtin != NO_BUILTIN),
        location: words[1],
        locations: words[2],
        component: words[3] as u8,
        components: (words[3] >> 8) as u8,
        relaxed: flag(2),
        removable: flag(3),
        removed: flag(4),
        capture: flag(5).then_some(capture),
        is_copy: flag(6),
    })
}

fn read_binding(words: &[u32]) -> Result<Binding, Error> {
    let kind = DescriptorKind::ALL.get(words[2] as usize).ok_or_else(|| malformed("an unknown kind of descriptor"))?;
    Ok(Binding { set: words[0], binding: words[1], kind: *kind, count: words[3], used: words[4], min_range: words[5] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::{Decisions, Key, Variant, ALWAYS};

    /// A module with all kinds of records.
    fn example() -> Module {
        let conditions = vec![Condition::any(Key::STRIP), Condition::removed(0, false), Condition::none(Key::FLIP_Y)];
        let patch = |at, kind, when| Patch { at, kind, when, arg: 0 };
        let range = |start, end, head, when| Range { start, end, head, when };
        Module {
            words: [spirv::MAGIC_NUMBER].into_iter().chain(1..40).collect(),
            patches: vec![
                patch(6, PatchKind::Location, ALWAYS),
                patch(9, PatchKind::Word, 1),
                patch(30, PatchKind::Height, 2),
            ],
            ranges: vec![range(8, 20, 0, 0), range(10, 15, 0, 1), range(13, 15, 11, 2), range(30, 33, 29, 0)],
            seen: seen(&conditions),
            offered: Key::STRIP | Key::FLIP_Y,
            has_exact_inputs: true,
            settled: Sides { inputs: None, outputs: Some(7) },
            conditions,
            stage: ShaderStage::Fragment,
            interface: vec![Varying {
                location: 3,
                locations: 1,
                components: 4,
                removable: true,
                ..Varying::default()
            }],
            bindings: vec![Binding {
                set: 0,
                binding: 1,
                kind: DescriptorKind::UniformBuffer,
                count: 1,
                used: 1,
                min_range: 48,
            }],
        }
    }

    #[test]
    fn stored_modules_are_loaded_unchanged() {
        let module = example();
        assert_eq!(Module::from_words(&module.to_words()), Ok(module));
    }

    #[test]
    fn loaded_modules_can_be_used() {
        let stored = example().to_words();
        let (mut loaded, mut words) = (0, Vec::new());
        let mut removed = Decisions::default();
        removed.remove(0, false);
        for at in 0..stored.len() {
            for value in [0, 1, 2, 7, 12, 40, 0xffff, 0x1_0000, u32::MAX, stored[at] ^ 1, stored[at].wrapping_add(3)] {
                let mut damaged = stored.clone();
                damaged[at] = value;
                if damaged != stored {
                    let error = Module::from_words(&damaged).expect_err("a word that is not looked at").message;
                    let expected = match at {
                        0 => "not a stored module".to_string(),
                        1 => format!("a stored module of version {value}, but this is version {VERSION}"),
                        _ => "a stored module is damaged".to_string(),
                    };
                    assert_eq!(error, expected, "word {at}");
                }
                let corrected = halves(hash(&damaged[UNHASHED..]));
                damaged[2..UNHASHED].copy_from_slice(&corrected);
                let Ok(module) = Module::from_words(&damaged) else { continue };
                loaded += 1;
                let linked = module.link(&removed);
                assert!(linked.check().is_ok(), "word {at} as {value}: {linked:?}");
                for key in [Key::default(), Key::new(u64::MAX), Key::new(Key::FLIP_Y)] {
                    for module in [&module, &linked] {
                        let variant = Variant::new(module, key);
                        words.resize(variant.num_words(), 0);
                        assert!(words.len() <= module.words.len() && variant.write(&mut words).is_ok());
                    }
                }
            }
        }
        assert!(loaded > 100, "{loaded} damaged modules were loaded");
        for len in 0..stored.len() {
            let error = Module::from_words(&stored[..len]).expect_err("a module that is cut").message;
            let expected = match len {
                0 => "not a stored module",
                _ if len < FRONT + RECORDS.len() => "a stored module is too short",
                _ => "a stored module is damaged",
            };
            assert_eq!(error, expected);
        }
    }
}
