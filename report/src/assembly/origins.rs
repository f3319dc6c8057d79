// SPDX-License-Identifier: MIT

//! The line of the dump from which each instruction of a module comes.
//!
//! A module that is emitted with lines has the instructions of the same module without them, in the same order, and OpLine, OpNoLine,
//! OpString and OpSource between them. So the n-th instruction of one is the n-th of the other.

use spirv::Op;

/// The number of words of the header of a module.
const HEADER: usize = 5;

/// The instructions of a module: the opcode and the words of each.
pub fn instructions(words: &[u32]) -> impl Iterator<Item = (Option<Op>, &[u32])> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let length = (first >> 16) as usize;
        let inst = rest.get(..length.max(1))?;
        rest = &rest[inst.len()..];
        Some((Op::from_u32(first & 0xffff), inst))
    })
}

/// The line of the dump of each instruction of a module that was emitted with lines. Those that only modules with lines have are
/// not in the list.
pub fn origins(words_with_lines: &[u32]) -> Vec<Option<u32>> {
    let (mut line, mut origins) = (None, Vec::new());
    for (op, inst) in instructions(words_with_lines) {
        match op {
            Some(Op::Line) => line = inst.get(2).copied(),
            Some(Op::NoLine) => line = None,
            Some(Op::String | Op::Source) => {}
            // A block, and the end of a function, belong to no instruction of NIR.
            Some(Op::Label | Op::FunctionEnd) => {
                line = None;
                origins.push(None);
            }
            _ => origins.push(line),
        }
    }
    origins
}
