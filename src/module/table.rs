// SPDX-License-Identifier: MIT

//! The tables: conditions, patches and ranges.

use super::Module;
use crate::error::{Error, ErrorKind, Place};

/// The index of a patch without a condition.
pub const ALWAYS: u16 = u16::MAX;

/// The index of a patch whose word the translation has used as a fact: a link can only leave it as it is.
pub const SETTLED: u16 = u16::MAX - 1;

/// StorageClass Private, for inputs and outputs that no other stage uses.
pub const PRIVATE: u32 = spirv::StorageClass::Private as u32;

/// A test of one word of late decisions: word 0 is the key, the others are those of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Condition {
    /// 0 for the bits of a [`Key`](super::Key); `1 + 2 * (i / 32)` for varying `i` if that is an input, one more for an output.
    pub word: u16,
    /// The tested bits.
    pub mask: u64,
    /// The value to compare with.
    pub value: u64,
    /// Whether the condition holds if they are equal, or if they differ.
    pub equal: bool,
    /// The condition does not hold if any of these bits is set.
    pub unless: u64,
}

impl Condition {
    /// Holds if any bit of `mask` is in the key.
    pub fn any(mask: u64) -> Condition {
        Condition { mask, ..Condition::default() }
    }

    /// Holds if no bit of `mask` is in the key.
    pub fn none(mask: u64) -> Condition {
        Condition { mask, equal: true, ..Condition::default() }
    }

    /// Holds if the bits of `mask` in the key are `value`.
    pub fn is(mask: u64, value: u64) -> Condition {
        Condition { mask, value, equal: true, ..Condition::default() }
    }

    /// This condition, but it does not hold if any bit of `bits` is in the key.
    pub fn unless(self, bits: u64) -> Condition {
        Condition { unless: self.unless | bits, ..self }
    }

    /// Holds if no other stage uses varying `index`, an output or an input.
    pub fn removed(index: usize, is_output: bool) -> Condition {
        let word = 1 + 2 * (index / VARYINGS) as u16 + u16::from(is_output);
        Condition { word, mask: REMOVED << varying_shift(index), ..Condition::default() }
    }

    /// Holds if varying `index` is shared by two stages.
    pub fn live(index: usize, is_output: bool) -> Condition {
        Condition { equal: true, ..Condition::removed(index, is_output) }
    }

    /// Holds if varying `index` may have less precision in both stages.
    pub fn relaxed(index: usize, is_output: bool) -> Condition {
        Condition { mask: PRECISE << varying_shift(index), ..Condition::live(index, is_output) }
    }

    /// For a condition of a varying, the index of its word and whether the side is the outputs.
    pub(super) fn varyings(&self) -> Option<(usize, bool)> {
        let word = self.word.checked_sub(1)?;
        Some((usize::from(word / 2), word % 2 != 0))
    }

    /// Whether it holds for the bits of a key, if no link removes anything.
    pub fn holds_for_key(&self, key: u64) -> bool {
        self.holds_in(if self.word == 0 { key } else { 0 })
    }

    /// Whether it holds for the value of its word.
    pub(super) fn holds_in(&self, word: u64) -> bool {
        (word & self.mask == self.value) == self.equal && word & self.unless == 0
    }
}

/// A value for the inputs of a stage, and one for its outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// The value for the inputs.
    pub inputs: T,
    /// The value for the outputs.
    pub outputs: T,
}

impl<T> Sides<T> {
    /// The value for the outputs, or for the inputs.
    pub fn of(&self, is_output: bool) -> &T {
        if is_output {
            &self.outputs
        } else {
            &self.inputs
        }
    }

    /// The mutable value for the outputs, or for the inputs.
    pub fn of_mut(&mut self, is_output: bool) -> &mut T {
        if is_output {
            &mut self.outputs
        } else {
            &mut self.inputs
        }
    }
}

/// The number of varyings in a word of a link: each has two bits.
const VARYINGS: usize = 32;

/// The bits of a varying: no other stage uses it; it has full precision.
pub(super) const REMOVED: u64 = 1;
pub(super) const PRECISE: u64 = 2;

fn varying_shift(index: usize) -> usize {
    index % VARYINGS * 2
}

/// Sets a bit of varying `index` in the words of a link.
pub(super) fn set_varying(links: &mut Vec<u64>, index: usize, bit: u64) {
    let word = index / VARYINGS;
    if links.len() <= word {
        links.resize(word + 1, 0);
    }
    links[word] |= bit << varying_shift(index);
}

macro_rules! patch_kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// The kind of a patched word, which determines its new value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum PatchKind { $($(#[$doc])* $name = $number,)* }

        impl PatchKind {
            /// The kind with this number in the serialised form.
            pub fn from_number(number: u32) -> Option<PatchKind> {
                match number { $($number => Some(PatchKind::$name),)* _ => None }
            }
        }
    };
}

patch_kinds! {
    /// Any word: becomes `arg` if the condition holds.
    Word = 0,
    /// A 32-bit float: becomes the width of the key if the condition holds.
    Width = 1,
    /// A 32-bit float: becomes the height of the key if the condition holds.
    Height = 2,
    /// DescriptorSet of the descriptors `arg` in the module's list.
    DescriptorSet = 3,
    /// Binding of the descriptors `arg`.
    Binding = 4,
    /// Location of the varying `arg`.
    Location = 5,
    /// Component of the varying `arg`.
    Component = 6,
    /// Index of the varying `arg`, for dual-source blending.
    Index = 7,
    /// XfbBuffer of the varying `arg`.
    XfbBuffer = 8,
    /// XfbStride of the varying `arg`.
    XfbStride = 9,
    /// Offset of the varying `arg` in the buffer of transform feedback.
    XfbOffset = 10,
    /// SpecId: the number `arg` of a specialization constant.
    SpecId = 11,
    /// The default value of the 32-bit specialization constant `arg`.
    SpecValue = 12,
    /// Axis `arg` of LocalSize.
    LocalSize = 13,
    /// OutputVertices of a tessellation control shader; `arg` is the length of its shortest output, the most that it can be.
    OutputVertices = 14,
    /// The length of the array of descriptors with index `arg`, a constant that is not used otherwise.
    ArrayLength = 15,
    /// A 32-bit number: becomes the inlined uniform `arg` of the key if the condition holds.
    Uniform = 16,
    /// An id: becomes that of a constant 0 or 1 by the swizzle of the key if the condition holds; `arg` has the texture, the
    /// component and the constants.
    Swizzle = 17,
}

/// A word that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Its position in [`Module::words`].
    pub at: u32,
    /// Its kind.
    pub kind: PatchKind,
    /// An index into [`Module::conditions`], [`ALWAYS`] or [`SETTLED`].
    pub when: u16,
    /// The argument of the kind.
    pub arg: u32,
}

/// A sequence of words that exists only under a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Its start in [`Module::words`].
    pub start: u32,
    /// Its end, exclusive.
    pub end: u32,
    /// The first word of the instruction that contains it; 0 if it is whole instructions.
    pub head: u32,
    /// The index of its condition.
    pub when: u16,
}

impl Range {
    /// Its number of words.
    pub fn len(&self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Patches and ranges of a module that is under construction.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Patches, in the order in which they were recorded.
    pub patches: Vec<Patch>,
    /// Ranges, the inner before the outer.
    pub ranges: Vec<Range>,
}

impl Tables {
    /// Clears the tables.
    pub fn clear(&mut self) {
        self.patches.clear();
        self.ranges.clear();
    }

    /// Sorts: patches by word, ranges by start, the outer first.
    pub fn sort(&mut self) {
        // Most are in order already, except those of words that were written late.
        if self.patches.windows(2).any(|pair| pair[0].at > pair[1].at) {
            self.patches.sort_by_key(|patch| patch.at);
        }
        self.ranges.sort_by_key(|range| (range.start, u32::MAX - range.end));
    }
}

impl Module {
    /// Checks that the tables fit the words: a module that passes can be linked and instantiated, whatever its origin. It does not
    /// check that the words are valid SPIR-V.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::new(ErrorKind::Malformed, Place::default(), what));
        if self.words.len() < 5 || self.words[0] != spirv::MAGIC_NUMBER || self.words.len() > u32::MAX as usize / 2 {
            return wrong("the words do not start with a header of SPIR-V");
        }
        let len = self.words.len() as u32;
        let known = |when: u16| usize::from(when) < self.conditions.len();
        let mut last = 0;
        for patch in &self.patches {
            if patch.at < last.max(5) || patch.at >= len || !(known(patch.when) || patch.when >= SETTLED) {
                return wrong("the patches are not in order, or out of bounds");
            }
            last = patch.at;
        }
        let mut open: Vec<Range> = Vec::new();
        let mut last = 0;
        for range in &self.ranges {
            while open.last().is_some_and(|outer| outer.end <= range.start) {
                open.pop();
            }
            let within = open.last().map_or((5, len), |outer| (outer.start, outer.end));
            let bounds = last.max(within.0) <= range.start && range.start < range.end && range.end <= within.1;
            let head = range.head == 0 || (5..range.start).contains(&range.head);
            if !bounds || !head || !known(range.when) {
                return wrong("the ranges are not nested, or out of bounds");
            }
            last = range.start;
            open.push(*range);
        }
        Ok(())
    }
}
