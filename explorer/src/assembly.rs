// SPDX-License-Identifier: MIT

//! The disassembly of SPIR-V, with the line of the dump from which each instruction comes.

use crate::api::{Problem, SpirvLine};
use crate::shaders;
pub(crate) use ntv_report::assembly::instructions;
use ntv_report::assembly::origins;
use similar::{capture_diff_slices, Algorithm, DiffOp};

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
