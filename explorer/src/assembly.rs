// SPDX-License-Identifier: MIT

//! The disassembly of SPIR-V, with the line of the dump from which each instruction comes.
//!
//! A module that is emitted with lines has the instructions of the same module without them, in the same order, and OpLine, OpNoLine,
//! OpString and OpSource between them. So the n-th instruction of one is the n-th of the other.

use crate::api::{Problem, SpirvLine};
use crate::shaders;
use similar::{capture_diff_slices, Algorithm, DiffOp};
use spirv::Op;

/// The number of words of the header of a module.
const HEADER: usize = 5;

/// The instructions of a module: the opcode and the words of each.
pub(crate) fn instructions(words: &[u32]) -> impl Iterator<Item = (Option<Op>, &[u32])> {
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
fn origins(words_with_lines: &[u32]) -> Vec<Option<u32>> {
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

fn disassemble(words: &[u32]) -> Result<String, Problem> {
    let text = ntv_report::assembly::disassemble(words);
    text.map_err(|error| shaders::problem("internal", &error.to_string()))
}

/// The disassembly of `words`, with the lines of the same module with lines.
pub(crate) fn lines(words: &[u32], words_with_lines: &[u32]) -> Result<Vec<SpirvLine>, Problem> {
    let text = disassemble(words)?;
    let mut origins = origins(words_with_lines).into_iter();
    let line = |text: &str| SpirvLine {
        text: text.to_string(),
        // The comments before the first instruction describe the header.
        origin: if text.starts_with(';') { None } else { origins.next().flatten() },
        changed_by_key: false,
    };
    Ok(text.lines().map(line).collect())
}

/// The disassembly of the words of a variant: lines that the variant has in common with the `default` words keep their origin, the
/// others are marked.
pub(crate) fn changed(default: &[SpirvLine], words: &[u32]) -> Result<Vec<SpirvLine>, Problem> {
    let text = disassemble(words)?;
    let (old, new): (Vec<&str>, Vec<&str>) =
        (default.iter().map(|line| line.text.as_str()).collect(), text.lines().collect());
    let mut lines: Vec<SpirvLine> = Vec::with_capacity(new.len());
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let same = matches!(op, DiffOp::Equal { .. });
        let mut before = default[op.old_range()].iter();
        for text in &new[op.new_range()] {
            let origin = before.next().and_then(|line| line.origin);
            lines.push(SpirvLine { text: (*text).to_string(), origin, changed_by_key: !same });
        }
    }
    Ok(lines)
}
