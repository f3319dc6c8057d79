//! Words from a module and what was decided: the two walks over the tables.

use super::table::set_varying;
use super::{Binding, Capture, Condition, Key, Module, Patch, PatchKind, Range, ALWAYS};

/// What a link gives new numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The location of each varying; those that are missing keep theirs.
    pub locations: Vec<u32>,
    /// The first component of varyings in their location, by varying. One that starts with the first of all has no word for it.
    pub components: Vec<(u32, u32)>,
    /// The source of blending that outputs are, by varying: 0, or 1 for the second. They have a word for it if any is the second.
    pub indices: Vec<(u32, u32)>,
    /// What transform feedback captures now, by varying; those that are missing stay.
    pub captures: Vec<(u32, Capture)>,
    /// Descriptors that move: set and binding, and those that they get.
    pub bindings: Vec<([u32; 2], [u32; 2])>,
    /// Arrays of descriptors, by set and binding as they were, and how many there are now. No index that is a constant may be
    /// behind the end.
    pub lengths: Vec<([u32; 2], u32)>,
    /// Specialization constants that get another number: as it was, and the new one.
    pub spec_ids: Vec<(u32, u32)>,
    /// Specialization constants whose default changes: number, as it was, and value.
    pub spec_values: Vec<(u32, u32)>,
    /// The size of a workgroup.
    pub local_size: Option<[u32; 3]>,
    /// Vertices of the patch that a tessellation control shader makes.
    pub output_vertices: Option<u32>,
}

impl Assignment {
    /// Where the descriptors at `set` and `binding` are now.
    pub fn binding(&self, set: u32, binding: u32) -> [u32; 2] {
        let row = self.bindings.iter().find(|row| row.0 == [set, binding]);
        row.map_or([set, binding], |row| row.1)
    }

    fn length(&self, binding: &Binding) -> Option<u32> {
        let row = self.lengths.iter().find(|row| row.0 == [binding.set, binding.binding]);
        // SPIR-V has no empty arrays (OpTypeArray, Length).
        row.map(|row| row.1.max(1))
    }

    /// The number of a specialization constant now.
    fn spec_id(&self, old: u32) -> Option<u32> {
        find(&self.spec_ids, old)
    }

    fn capture(&self, varying: u32) -> Option<&Capture> {
        self.captures.iter().find(|row| row.0 == varying).map(|row| &row.1)
    }

    fn value(&self, kind: PatchKind, arg: u32, bindings: &[Binding]) -> Option<u32> {
        let binding = || bindings.get(arg as usize).map(|row| self.binding(row.set, row.binding));
        match kind {
            PatchKind::DescriptorSet => binding().map(|[set, _]| set),
            PatchKind::Binding => binding().map(|[_, binding]| binding),
            PatchKind::Location => self.locations.get(arg as usize).copied(),
            PatchKind::Component => find(&self.components, arg),
            PatchKind::Index => find(&self.indices, arg),
            PatchKind::XfbBuffer => self.capture(arg).map(|capture| capture.buffer),
            PatchKind::XfbStride => self.capture(arg).map(|capture| capture.stride),
            PatchKind::XfbOffset => self.capture(arg).map(|capture| capture.offset),
            PatchKind::SpecId => self.spec_id(arg),
            PatchKind::SpecValue => find(&self.spec_values, arg),
            PatchKind::LocalSize => self.local_size.and_then(|size| size.get(arg as usize).copied()),
            PatchKind::OutputVertices => self.output_vertices,
            PatchKind::ArrayLength => bindings.get(arg as usize).and_then(|row| self.length(row)),
            PatchKind::Word | PatchKind::Width | PatchKind::Height => None,
        }
    }
}

/// What stands beside `key`.
fn find(rows: &[(u32, u32)], key: u32) -> Option<u32> {
    rows.iter().find(|row| row.0 == key).map(|row| row.1)
}

/// All that is decided about a module by now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// The key of a draw, if there is one yet.
    pub key: Option<Key>,
    /// Bits of the varyings, if there was a link.
    pub links: Option<Vec<u64>>,
    /// New numbers.
    pub assignment: Assignment,
}

impl Decisions {
    /// What a draw without a link decides.
    pub fn of_key(key: Key) -> Decisions {
        Decisions { key: Some(key), links: Some(Vec::new()), ..Decisions::default() }
    }

    /// Takes varying `index` away.
    pub fn remove(&mut self, index: usize) {
        set_varying(self.links.get_or_insert_with(Vec::new), index, 1);
    }

    /// Gives varying `index` its full precision.
    pub fn be_precise(&mut self, index: usize) {
        set_varying(self.links.get_or_insert_with(Vec::new), index, 2);
    }

    /// Whether a condition holds; `None` if that is not decided.
    pub fn holds(&self, condition: &Condition) -> Option<bool> {
        match condition.word {
            0 => self.key.map(|key| condition.holds(key.bits, &[])),
            _ => self.links.as_ref().map(|links| condition.holds(0, links)),
        }
    }

    /// What the word of `patch` becomes if that is decided and it does not stay.
    pub fn value(&self, patch: &Patch, when: Option<bool>, bindings: &[Binding]) -> Option<u32> {
        let size = || self.key.unwrap_or_default().size;
        match (patch.kind, when) {
            (PatchKind::Word, Some(true)) => Some(patch.arg),
            (PatchKind::Width, Some(true)) => Some((size()[0] as f32).to_bits()),
            (PatchKind::Height, Some(true)) => Some((size()[1] as f32).to_bits()),
            (PatchKind::Word | PatchKind::Width | PatchKind::Height, _) => None,
            (kind, _) => self.assignment.value(kind, patch.arg, bindings),
        }
    }
}

/// How much of a module was copied.
#[derive(Clone, Copy)]
struct Cursor {
    /// Where the next slice starts in the module.
    from: usize,
    /// The next patch.
    patch: usize,
    /// The instruction that ranges were last taken from: where it starts in the module and in what is written.
    head: (u32, usize),
}

impl Module {
    /// Writes the words for `key` to `words`, which are overwritten. Nothing is removed of what a link might.
    pub fn instantiate(&self, key: &Key, words: &mut Vec<u32>) {
        words.clear();
        words.reserve(self.words.len());
        let mut cursor = Cursor { from: 0, patch: 0, head: (0, 0) };
        for range in &self.ranges {
            if range.start as usize >= cursor.from && !self.conditions[usize::from(range.when)].holds(key.bits, &[]) {
                self.skip(key, range, &mut cursor, words);
            }
        }
        self.copy(key, self.words.len(), &mut cursor, words);
    }

    /// The patches without a condition, each where its word stands in what [`Module::instantiate`] writes for `key`.
    pub fn placed_patches<'m>(&'m self, key: &'m Key) -> impl Iterator<Item = Patch> + 'm {
        let mut ranges = self.ranges.as_slice();
        // Where the last range that is gone ended, and how many words went until there.
        let (mut end, mut removed) = (0, 0);
        self.patches.iter().filter_map(move |patch| {
            while let Some((range, rest)) = ranges.split_first().filter(|(range, _)| range.start <= patch.at) {
                ranges = rest;
                if range.start >= end && !self.conditions[usize::from(range.when)].holds(key.bits, &[]) {
                    (end, removed) = (range.end, removed + range.len());
                }
            }
            (patch.at >= end && patch.when == ALWAYS).then(|| Patch { at: patch.at - removed, ..*patch })
        })
    }

    /// Copies what is in front of `range`, and shortens the instruction that it is a part of.
    fn skip(&self, key: &Key, range: &Range, cursor: &mut Cursor, words: &mut Vec<u32>) {
        let (base, from) = (words.len(), cursor.from);
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

    fn copy(&self, key: &Key, end: usize, cursor: &mut Cursor, words: &mut Vec<u32>) {
        let (base, from) = (words.len(), cursor.from);
        words.extend_from_slice(&self.words[from..end]);
        let patches = self.patches[cursor.patch..].iter().take_while(|patch| (patch.at as usize) < end);
        for patch in patches {
            let at = patch.at as usize;
            cursor.patch += 1;
            if patch.when == ALWAYS || !self.conditions[usize::from(patch.when)].holds(key.bits, &[]) {
                continue;
            }
            words[base + at - from] = match patch.kind {
                PatchKind::Width => (key.size[0] as f32).to_bits(),
                PatchKind::Height => (key.size[1] as f32).to_bits(),
                _ => patch.arg,
            };
        }
    }

    /// The module in which everything is as `decisions` say. What they leave open stays open.
    pub fn link(&self, decisions: &Decisions) -> Module {
        let holds: Vec<Option<bool>> = self.conditions.iter().map(|when| decisions.holds(when)).collect();
        let mut out = Module { stage: self.stage, ..Module::default() };
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
        out
    }

    fn link_tables(&self, decisions: &Decisions, holds: &[Option<bool>], moves: &Moves, out: &mut Module) {
        let mut conditions = Kept { old: &self.conditions, new: Vec::new(), index: vec![ALWAYS; holds.len()] };
        for range in self.ranges.iter().filter(|range| holds[usize::from(range.when)].is_none()) {
            // What is left of it: ranges in it may have gone, from its start or its end on.
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
            if patch.when == ALWAYS || when.is_none() {
                let when = if patch.when == ALWAYS { ALWAYS } else { conditions.keep(patch.when) };
                let arg = match patch.kind {
                    PatchKind::SpecId | PatchKind::SpecValue => decisions.assignment.spec_id(patch.arg),
                    _ => None,
                };
                out.patches.push(Patch { at: at as u32, when, arg: arg.unwrap_or(patch.arg), ..*patch });
            }
        }
        out.conditions = conditions.new;
        out.seen = seen(&out.conditions);
        out.interface = self.interface.clone();
        for (index, varying) in out.interface.iter_mut().enumerate() {
            varying.removed |= varying.removable && decisions.holds(&Condition::removed(index)) == Some(true);
            varying.relaxed &= decisions.holds(&Condition::relaxed(index)) != Some(false);
            if let Some(location) = decisions.assignment.locations.get(index) {
                varying.location = *location;
            }
            if let Some(component) = find(&decisions.assignment.components, index as u32) {
                varying.component = component as u8;
            }
            if let (Some(capture), Some(new)) = (&mut varying.capture, decisions.assignment.capture(index as u32)) {
                *capture = *new;
            }
        }
    }
}

/// The bits of a key that `conditions` look at.
pub(super) fn seen(conditions: &[Condition]) -> u64 {
    conditions.iter().filter(|when| when.word == 0).fold(0, |all, when| all | when.mask)
}

/// Conditions that are still open, each once.
struct Kept<'m> {
    old: &'m [Condition],
    new: Vec<Condition>,
    /// The new index of each.
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

/// Which slices of a module went where.
#[derive(Default)]
struct Moves {
    /// Start and end in the module, and the place of the start in the new one.
    slices: Vec<(usize, usize, usize)>,
}

impl Moves {
    fn slice(&mut self, start: usize, end: usize, from: &[u32], to: &mut Vec<u32>) {
        self.slices.push((start, end, to.len()));
        to.extend_from_slice(&from[start..end]);
    }

    /// Where the word at `at` is now, if it still is.
    fn find(&self, at: u32) -> Option<usize> {
        let at = at as usize;
        let slice = self.slices.partition_point(|slice| slice.0 <= at).checked_sub(1)?;
        let (start, end, to) = self.slices[slice];
        (at < end).then(|| to + at - start)
    }

    /// Where what is left from `start` on starts now.
    fn find_start(&self, start: u32) -> usize {
        let at = start as usize;
        let slice = self.slices.partition_point(|slice| slice.1 <= at);
        self.slices.get(slice).map_or(usize::MAX, |(start, _, to)| to + at.saturating_sub(*start))
    }

    /// Where what is left in front of `end` ends now.
    fn find_end(&self, end: u32) -> usize {
        let at = end as usize;
        let Some(slice) = self.slices.partition_point(|slice| slice.0 < at).checked_sub(1) else { return 0 };
        let (start, slice_end, to) = self.slices[slice];
        to + at.min(slice_end) - start
    }
}
