// SPDX-License-Identifier: MIT

//! The disassembly of SPIR-V, with the line of the dump from which each instruction comes.

use crate::api::{Problem, SpirvLine};
use crate::shaders;
pub(crate) use ntv_report::assembly::instructions;
use ntv_report::assembly::{listing, origins, Look};
use similar::{capture_diff_slices, Algorithm, DiffOp};

/// The lines of the disassembly, with names of types and constants, or with numbers. They are not aligned: a variant may have wider
/// results, and its other lines stay the same.
fn disassemble(words: &[u32], names: bool) -> Result<String, Problem> {
    let text = listing(words, Look { names, colors: false }, None);
    let text = text.map(|text| text.lines().map(|line| format!("{}\n", line.trim_start())).collect());
    text.map_err(|error| shaders::problem("internal", &error.to_string()))
}

/// The disassembly of `words`, with the lines of the same module with lines.
pub(crate) fn lines(words: &[u32], words_with_lines: &[u32], names: bool) -> Result<Vec<SpirvLine>, Problem> {
    let text = disassemble(words, names)?;
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
pub(crate) fn changed(default: &[SpirvLine], words: &[u32], names: bool) -> Result<Vec<SpirvLine>, Problem> {
    let text = disassemble(words, names)?;
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
