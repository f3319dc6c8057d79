// SPDX-License-Identifier: MIT

//! Writes the words of a module for given decisions: walks over the tables.

use super::decisions::refused;
use super::{Condition, Decisions, Key, Module, Patch, PatchKind, Range, ALWAYS, SETTLED};
use crate::error::Error;

/// The progress of a copy.
#[derive(Clone, Copy)]
struct Cursor {
    /// The start of the next slice in the module.
    from: usize,
    /// Its start in the output.
    to: usize,
    /// The index of the next patch.
    patch: usize,
    /// The last instruction with a removed part: its start in the module and in the output.
    head: (u32, usize),
}

/// The words of a module for a key, before they are written: a driver can allocate memory for exactly these.
#[derive(Clone, Copy, Debug)]
pub struct Variant<'m> {
    module: &'m Module,
    key: Key,
    num_words: usize,
}

impl Variant<'_> {
    /// The variant of `module` for a key that it takes.
    pub(super) fn new(module: &Module, key: Key) -> Variant<'_> {
        let removed: usize = module.removed(key.bits).map(|range| range.len() as usize).sum();
        Variant { module, key, num_words: module.words.len().saturating_sub(removed) }
    }

    /// The number of its words.
    pub fn num_words(&self) -> usize {
        self.num_words
    }

    /// Writes the words, without any allocation. Returns an error if `words` has another length.
    pub fn write(&self, words: &mut [u32]) -> Result<(), Error> {
        if words.len() != self.num_words {
            return Err(refused(format!("a variant of {} words cannot be {} words", self.num_words, words.len())));
        }
        let Variant { module, key, .. } = self;
        let mut cursor = Cursor { from: 0, to: 0, patch: 0, head: (0, 0) };
        for range in module.removed(key.bits) {
            module.skip(key, range, &mut cursor, words);
        }
        module.copy(key, module.words.len(), &mut cursor, words);
        Ok(())
    }
}

impl Module {
    /// Writes the words for `key` to `words`, which are overwritten. It removes nothing that depends on a link. Returns an error if
    /// the module cannot take the key ([`Module::takes`]); there are no words then.
    pub fn instantiate(&self, key: &Key, words: &mut Vec<u32>) -> Result<(), Error> {
        let variant = self.variant(key).inspect_err(|_| words.clear())?;
        // Words of the last variant are overwritten, so they need not be zeros.
        words.resize(variant.num_words(), 0);
        variant.write(words)
    }

    /// The variant for `key`, which writes the same words as [`Module::instantiate`], to memory of its size.
    pub fn variant(&self, key: &Key) -> Result<Variant<'_>, Error> {
        self.takes(key)?;
        Ok(Variant::new(self, *key))
    }

    /// The ranges that the bits of a key remove, without those within other ones.
    fn removed(&self, key: u64) -> impl Iterator<Item = &Range> {
        let mut end = 0;
        self.ranges.iter().filter(move |range| {
            let is_removed = range.start >= end && !self.conditions[usize::from(range.when)].holds_for_key(key);
            end = if is_removed { range.end } else { end };
            is_removed
        })
    }

    /// The patches without a condition, with their positions in the words that [`Module::instantiate`] writes for `key`.
    pub fn placed_patches<'m>(&'m self, key: &'m Key) -> impl Iterator<Item = Patch> + 'm {
        let mut ranges = self.removed(key.bits).peekable();
        // The end of the last removed range, and the number of words removed up to it.
        let (mut end, mut removed) = (0, 0);
        self.patches.iter().filter_map(move |patch| {
            while let Some(range) = ranges.next_if(|range| range.start <= patch.at) {
                (end, removed) = (range.end, removed + range.len());
            }
            (patch.at >= end && patch.when == ALWAYS).then(|| Patch { at: patch.at - removed, ..*patch })
        })
    }

    /// Copies the words before `range`, and shortens the instruction that contains it.
    fn skip(&self, key: &Key, range: &Range, cursor: &mut Cursor, words: &mut [u32]) {
        let (base, from) = (cursor.to, cursor.from);
        self.copy(key, range.start as usize, cursor, words);
        cursor.from = range.end as usize;
        let gone = self.patches[cursor.patch..].iter().take_while(|patch| patch.at < range.end);
        cursor.patch += gone.count();
        if range.head != 0 {
            if cursor.head.0 != range.head {
                cursor.head = (range.head, base + (range.head as usize).saturating_sub(from));
            }
            if let Some(head) = words.get_mut(cursor.head.1) {
                *head = head.wrapping_sub(range.len() << 16);
            }
        }
    }

    fn copy(&self, key: &Key, end: usize, cursor: &mut Cursor, words: &mut [u32]) {
        let (base, from) = (cursor.to, cursor.from);
        cursor.to += end - from;
        words[base..cursor.to].copy_from_slice(&self.words[from..end]);
        let patches = self.patches[cursor.patch..].iter().take_while(|patch| (patch.at as usize) < end);
        for patch in patches {
            let at = patch.at as usize;
            cursor.patch += 1;
            let when = self.conditions.get(usize::from(patch.when));
            if !when.is_some_and(|when| when.holds_for_key(key.bits)) {
                continue;
            }
            if let Some(value) = key.value(patch.kind, patch.arg) {
                words[base + at - from] = value;
            }
        }
    }

    /// The module after `decisions`. Everything that they leave open stays open.
    pub fn link(&self, decisions: &Decisions) -> Module {
        let holds: Vec<Option<bool>> = self.conditions.iter().map(|when| decisions.holds(when)).collect();
        let mut out = Module {
            stage: self.stage,
            offered: if decisions.key.is_some() { 0 } else { self.offered },
            settled: self.settled,
            has_exact_inputs: self.has_exact_inputs,
            ..Module::default()
        };
        out.words.reserve(self.words.len());
        let mut moves = Moves::default();
        let mut from = 0;
        for range in &self.ranges {
            match holds[usize::from(range.when)] {
                Some(false) if range.start as usize >= from => {
                    moves.slice(from, range.start as usize, &self.words, &mut out.words);
                    from = range.end as usize;
                    if let Some(head) = moves.find(range.head).filter(|_| range.head != 0) {
                        out.words[head] = out.words[head].wrapping_sub(range.len() << 16);
                    }
                }
                _ => {}
            }
        }
        moves.slice(from, self.words.len(), &self.words, &mut out.words);
        self.link_tables(decisions, &holds, &moves, &mut out);
        out.shrink_to_fit();
        out
    }

    /// Frees memory for more words and entries of tables than there are.
    fn shrink_to_fit(&mut self) {
        self.words.shrink_to_fit();
        self.patches.shrink_to_fit();
        self.ranges.shrink_to_fit();
        self.conditions.shrink_to_fit();
    }

    fn link_tables(&self, decisions: &Decisions, holds: &[Option<bool>], moves: &Moves, out: &mut Module) {
        let mut conditions = Kept { old: &self.conditions, new: Vec::new(), index: vec![ALWAYS; holds.len()] };
        for range in self.ranges.iter().filter(|range| holds[usize::from(range.when)].is_none()) {
            // The rest of the range: ranges in it may be removed, also at its start or end.
            let (start, end) = (moves.find_start(range.start), moves.find_end(range.end));
            let head = if range.head == 0 { 0 } else { moves.find(range.head).unwrap_or(0) as u32 };
            if start < end {
                out.ranges.push(Range {
                    start: start as u32,
                    end: end as u32,
                    head,
                    when: conditions.keep(range.when),
                });
            }
        }
        out.bindings = self.bindings.clone();
        for binding in &mut out.bindings {
            [binding.set, binding.binding] = decisions.assignment.binding(binding.set, binding.binding);
        }
        for patch in &self.patches {
            let Some(at) = moves.find(patch.at) else { continue };
            let when = holds.get(usize::from(patch.when)).copied().flatten();
            if let Some(value) = decisions.value(patch, when, &self.bindings) {
                out.words[at] = value;
                let array = out.bindings.get_mut(patch.arg as usize).filter(|_| patch.kind == PatchKind::ArrayLength);
                array.into_iter().for_each(|binding| binding.count = value);
            }
            if when.is_none() {
                let when = if patch.when >= SETTLED { patch.when } else { conditions.keep(patch.when) };
                let arg = match patch.kind {
                    PatchKind::SpecId | PatchKind::SpecValue => decisions.assignment.spec_id(patch.arg),
                    _ => None,
                };
                out.patches.push(Patch { at: at as u32, when, arg: arg.unwrap_or(patch.arg), ..*patch });
            }
        }
        out.conditions = conditions.new;
        out.seen = seen(&out.conditions);
        let varyings = self.interface.iter().enumerate();
        out.interface = varyings.map(|(index, varying)| decisions.applied(index, varying)).collect();
        out.declare(&decisions.undeclared);
        decisions.widened.iter().for_each(|(input, words)| out.widen(*input, *words));
        for is_output in [false, true] {
            if decisions.links.of(is_output).is_some() {
                *out.settled.of_mut(is_output) = Some(out.side_hash(is_output));
            }
        }
    }
}

/// The bits of a key that `conditions` test.
pub(super) fn seen(conditions: &[Condition]) -> u64 {
    conditions.iter().filter(|when| when.word == 0).fold(0, |all, when| all | when.mask | when.unless)
}

/// Conditions that are still open, each once.
struct Kept<'m> {
    old: &'m [Condition],
    new: Vec<Condition>,
    /// The new index of each condition.
    index: Vec<u16>,
}

impl Kept<'_> {
    fn keep(&mut self, when: u16) -> u16 {
        let index = &mut self.index[usize::from(when)];
        if *index == ALWAYS {
            *index = self.new.len() as u16;
            self.new.push(self.old[usize::from(when)]);
        }
        *index
    }
}

/// The positions of a module's slices in the new module.
#[derive(Default)]
struct Moves {
    /// Start and end in the module, and the start in the new one.
    slices: Vec<(usize, usize, usize)>,
}

impl Moves {
    fn slice(&mut self, start: usize, end: usize, from: &[u32], to: &mut Vec<u32>) {
        self.slices.push((start, end, to.len()));
        to.extend_from_slice(&from[start..end]);
    }

    /// The new position of the word at `at`, unless it is removed.
    fn find(&self, at: u32) -> Option<usize> {
        let at = at as usize;
        let slice = self.slices.partition_point(|slice| slice.0 <= at).checked_sub(1)?;
        let (start, end, to) = self.slices[slice];
        (at < end).then(|| to + at - start)
    }

    /// The new position of the first remaining word from `start` on.
    fn find_start(&self, start: u32) -> usize {
        let at = start as usize;
        let slice = self.slices.partition_point(|slice| slice.1 <= at);
        self.slices.get(slice).map_or(usize::MAX, |(start, _, to)| to + at.saturating_sub(*start))
    }

    /// The new end of the remaining words before `end`.
    fn find_end(&self, end: u32) -> usize {
        let at = end as usize;
        let Some(slice) = self.slices.partition_point(|slice| slice.0 < at).checked_sub(1) else { return 0 };
        let (start, slice_end, to) = self.slices[slice];
        to + at.min(slice_end) - start
    }
}
