//! The tables: conditions, patches and ranges.

use super::Module;
use crate::error::{Error, ErrorKind, Place};

/// The index of no condition: a patch that does not depend on any.
pub const ALWAYS: u16 = u16::MAX;

/// StorageClass Private, which inputs and outputs become that nobody else sees.
pub const PRIVATE: u32 = spirv::StorageClass::Private as u32;

/// A question about one word of what is decided late: word 0 is the key, the others are the links'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Condition {
    /// 0 for the bits of a [`Key`](super::Key); `1 + 2 * (i / 32)` for varying `i` if that is an input, one more for an output.
    pub word: u16,
    /// The bits that are looked at.
    pub mask: u64,
    /// What they are compared with.
    pub value: u64,
    /// The condition holds if they are equal; else if they are not.
    pub equal: bool,
    /// It does not hold if any of these bits is set.
    pub unless: u64,
}

impl Condition {
    /// Any bit of `mask` is in the key.
    pub fn any(mask: u64) -> Condition {
        Condition { mask, ..Condition::default() }
    }

    /// No bit of `mask` is in the key.
    pub fn none(mask: u64) -> Condition {
        Condition { mask, equal: true, ..Condition::default() }
    }

    /// The bits of `mask` in the key are `value`.
    pub fn is(mask: u64, value: u64) -> Condition {
        Condition { mask, value, equal: true, ..Condition::default() }
    }

    /// The same condition, which does not hold if any bit of `bits` is in the key.
    pub fn unless(self, bits: u64) -> Condition {
        Condition { unless: self.unless | bits, ..self }
    }

    /// No other stage sees varying `index`, an output or an input.
    pub fn removed(index: usize, is_output: bool) -> Condition {
        let word = 1 + 2 * (index / VARYINGS) as u16 + u16::from(is_output);
        Condition { word, mask: REMOVED << varying_shift(index), ..Condition::default() }
    }

    /// Varying `index` is passed from one stage to the next.
    pub fn live(index: usize, is_output: bool) -> Condition {
        Condition { equal: true, ..Condition::removed(index, is_output) }
    }

    /// Varying `index` may have less precision: both stages say so.
    pub fn relaxed(index: usize, is_output: bool) -> Condition {
        Condition { mask: PRECISE << varying_shift(index), ..Condition::live(index, is_output) }
    }

    /// Where the condition looks if it is about a varying: which word of which side.
    pub(super) fn varyings(&self) -> Option<(usize, bool)> {
        let word = self.word.checked_sub(1)?;
        Some((usize::from(word / 2), word % 2 != 0))
    }

    /// Whether it holds for the bits of a key, if no link removes anything.
    pub fn holds_for_key(&self, key: u64) -> bool {
        self.holds_in(if self.word == 0 { key } else { 0 })
    }

    /// Whether it holds for the word that it looks at.
    pub(super) fn holds_in(&self, word: u64) -> bool {
        (word & self.mask == self.value) == self.equal && word & self.unless == 0
    }
}

/// What is said of the inputs of a stage, and of its outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// Of the inputs.
    pub inputs: T,
    /// Of the outputs.
    pub outputs: T,
}

impl<T> Sides<T> {
    /// Of the outputs, or of the inputs.
    pub fn of(&self, is_output: bool) -> &T {
        if is_output {
            &self.outputs
        } else {
            &self.inputs
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, is_output: bool) -> &mut T {
        if is_output {
            &mut self.outputs
        } else {
            &mut self.inputs
        }
    }
}

/// Varyings to a word of a link: each has two bits.
const VARYINGS: usize = 32;

/// The bits of a varying: no other stage sees it; it has full precision.
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
        /// What a patched word is, and so where its new value comes from.
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
    /// OutputVertices of a tessellation control shader.
    OutputVertices = 14,
    /// How many descriptors the array at place `arg` has: a constant that nothing else uses.
    ArrayLength = 15,
}

/// One word that may become another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Where it stands in [`Module::words`].
    pub at: u32,
    /// What it is.
    pub kind: PatchKind,
    /// An index into [`Module::conditions`], or [`ALWAYS`].
    pub when: u16,
    /// What the kind says.
    pub arg: u32,
}

/// A run of words that is only there under a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Where it starts in [`Module::words`].
    pub start: u32,
    /// Where what is behind it starts.
    pub end: u32,
    /// The first word of the instruction that it is a part of; 0 if it is made of whole instructions.
    pub head: u32,
    /// The index of its condition.
    pub when: u16,
}

impl Range {
    /// How many words it has.
    pub fn len(&self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Patches and ranges of a module that is under construction.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Patches, by and by.
    pub patches: Vec<Patch>,
    /// Ranges, the inner before the outer.
    pub ranges: Vec<Range>,
}

impl Tables {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.patches.clear();
        self.ranges.clear();
    }

    /// Sorts: patches by word, ranges by start, the outer first.
    pub fn sort(&mut self) {
        // Most are in order already: only those of words that were written late are not.
        if self.patches.windows(2).any(|pair| pair[0].at > pair[1].at) {
            self.patches.sort_by_key(|patch| patch.at);
        }
        self.ranges.sort_by_key(|range| (range.start, u32::MAX - range.end));
    }
}

impl Module {
    /// Looks whether the tables fit the words: a module from anywhere that passes can be linked and instantiated. Whether
    /// the words are valid SPIR-V is another question.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::new(ErrorKind::Malformed, Place::default(), what));
        if self.words.len() < 5 || self.words[0] != spirv::MAGIC_NUMBER || self.words.len() > u32::MAX as usize / 2 {
            return wrong("the words do not start with a header of SPIR-V");
        }
        let len = self.words.len() as u32;
        let known = |when: u16| usize::from(when) < self.conditions.len();
        let mut last = 0;
        for patch in &self.patches {
            if patch.at < last.max(5) || patch.at >= len || !(known(patch.when) || patch.when == ALWAYS) {
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
