// SPDX-License-Identifier: MIT

//! Faults in the scopes of barriers, and in the bounds of critical sections.

use super::{instruction, Change, Code, Inst, Plant};
use spirv::{Op, Scope};

/// The faults, with the changes that they make.
pub(super) const FAULTS: &[(&str, Plant)] = &[
    ("a barrier is only of the subgroup", |code| narrowed(code, (Op::ControlBarrier, 1), Scope::Subgroup)),
    ("a control barrier orders memory of the subgroup", |code| {
        narrowed(code, (Op::ControlBarrier, 2), Scope::Subgroup)
    }),
    ("a memory barrier orders memory of the subgroup", |code| narrowed(code, (Op::MemoryBarrier, 1), Scope::Subgroup)),
    ("a memory barrier orders memory of the workgroup", |code| {
        narrowed(code, (Op::MemoryBarrier, 1), Scope::Workgroup)
    }),
    ("a memory barrier orders memory of the invocation", |code| {
        narrowed(code, (Op::MemoryBarrier, 1), Scope::Invocation)
    }),
    ("a critical section begins at its end", |code| {
        sections(code, |[begin, inside, end]| [inside, begin, end].concat())
    }),
    ("a critical section ends at its start", |code| {
        sections(code, |[begin, inside, end]| [begin, end, inside].concat())
    }),
];

/// A scope becomes a narrower one. From the device to the invocation, each has a higher number than the one around it.
fn narrowed(code: &Code<'_>, (op, word): (Op, usize), scope: Scope) -> Vec<Change> {
    let narrower = |it: Inst<'_>| {
        let old = code.definition(it.word(word)).filter(|old| old.is(Op::Constant) && old.word(3) < scope as u32)?;
        code.with_constant(it, word, old.word(1), scope as u32)
    };
    code.all(op).filter_map(narrower).collect()
}

/// Another order of the start of a critical section, its inside, and its end, where they are in one block.
fn sections(code: &Code<'_>, reorder: fn([&[u32]; 3]) -> Vec<u32>) -> Vec<Change> {
    let section = |(number, begin): (usize, &Inst<'_>)| {
        let length = code.insts[number..].iter().position(|it| it.is(Op::EndInvocationInterlockEXT))?;
        let (inside, end) = (&code.insts[number + 1..number + length], code.insts[number + length]);
        let has_effect = inside.iter().any(|it| it.is(Op::Load) || it.is(Op::Store));
        let is_block = !inside.iter().any(|it| it.is(Op::Label));
        let inside: Vec<u32> = inside.iter().flat_map(|it| it.words.to_vec()).collect();
        let by = reorder([begin.words, &inside, end.words]);
        (is_block && has_effect).then_some(Change { at: begin.at, removed: by.len(), by })
    };
    let begins = code.insts.iter().enumerate().filter(|(_, it)| it.is(Op::BeginInvocationInterlockEXT));
    begins.filter_map(section).collect()
}

impl Code<'_> {
    /// A change of an operand to a constant, which is declared if it has not been.
    fn with_constant(&self, it: Inst<'_>, word: usize, ty: u32, number: u32) -> Option<Change> {
        const BOUND: usize = 3;
        let is_it = |it: &Inst<'_>| it.word(1) == ty && it.words.len() == 4 && it.word(3) == number;
        if let Some(known) = self.all(Op::Constant).find(is_it) {
            return Some(it.with_word(word, known.word(2)));
        }
        let id = *self.header.get(BOUND)?;
        let function = self.insts.iter().find(|it| it.is(Op::Function))?.at;
        let mut by = [&[id + 1], &self.header[BOUND + 1..]].concat();
        for other in self.insts.iter().filter(|other| other.at <= it.at) {
            if other.at == function {
                by.extend(instruction(Op::Constant, &[ty, id, number]));
            }
            by.extend(other.words);
        }
        let place = by.len() - it.words.len() + word;
        by[place] = id;
        Some(Change { at: BOUND, removed: it.at + it.words.len() - BOUND, by })
    }
}
