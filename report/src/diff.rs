// SPDX-License-Identifier: MIT

//! Compares two modules by structure: ids do not matter.
//!
//! Instructions are aligned by a key: the opcode, the literals, and for each operand what it is, but not its number. The alignment maps
//! the ids of one module to those of the other, also those of an instruction that took the place of another one. Aligned instructions are equal if the map holds for all their operands. So modules
//! without a difference are the same up to their ids.

use crate::assembly::{Look, Printed};
use rspirv::binary::ParseState;
use rspirv::dr::{Instruction, Operand};
use similar::{capture_diff_slices, Algorithm, DiffOp};
use spirv::{Op, Word};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The equal lines around a difference.
const AROUND: usize = 3;

/// The differences of two modules.
pub struct Difference {
    /// The versions of SPIR-V if they differ, as comments, and all instructions of both modules, in order.
    pub lines: Vec<Line>,
    /// The number of instructions that only the first module has.
    pub removed: usize,
    /// The number of instructions that only the second module has.
    pub added: usize,
}

/// An instruction in one of the modules, or in both, where its ids may have other numbers.
pub struct Line {
    /// Its line in the disassembly of the first module.
    pub old: Option<String>,
    /// Its line in that of the second module.
    pub new: Option<String>,
}

impl Line {
    fn is_different(&self) -> bool {
        self.old.is_none() || self.new.is_none()
    }
}

/// The numbers of an instruction in the modules that have it.
#[derive(Clone, Copy)]
struct Row(Option<usize>, Option<usize>);

/// Compares the words of two modules.
pub fn diff(old: &[u32], new: &[u32], look: Look) -> Result<Difference, ParseState> {
    let (old, new) = (Printed::new(old, look)?, Printed::new(new, look)?);
    let rows = align(&old, &new);
    let removed = rows.iter().filter(|row| row.1.is_none()).count();
    let added = rows.iter().filter(|row| row.0.is_none()).count();
    let (old_insts, new_insts): (Vec<&Instruction>, Vec<&Instruction>) =
        (old.instructions().collect(), new.instructions().collect());
    let line = |Row(before, after): Row| Line {
        old: before.map(|number| old.text(old_insts[number])),
        new: after.map(|number| new.text(new_insts[number])),
    };
    let mut lines = Vec::new();
    if old.version() != new.version() {
        lines.push(Line { old: Some(old.version()), new: None });
        lines.push(Line { old: None, new: Some(new.version()) });
    }
    lines.extend(rows.into_iter().map(line));
    Ok(Difference { lines, removed, added })
}

fn align(old: &Printed, new: &Printed) -> Vec<Row> {
    let (old_keys, new_keys) = (keys(old), keys(new));
    let ops = capture_diff_slices(Algorithm::Patience, &old_keys, &new_keys);
    let (old_insts, new_insts): (Vec<&Instruction>, Vec<&Instruction>) =
        (old.instructions().collect(), new.instructions().collect());
    let mut map: HashMap<Word, Word> = HashMap::new();
    // An instruction in the place of one of the same opcode has its users.
    for (before, after) in ops.iter().flat_map(|op| op.old_range().zip(op.new_range())) {
        if old_insts[before].class.opcode != new_insts[after].class.opcode {
            continue;
        }
        if let (Some(one), Some(other)) = (old_insts[before].result_id, new_insts[after].result_id) {
            map.insert(one, other);
        }
    }
    let mut lines = Vec::new();
    for op in &ops {
        if !matches!(op, DiffOp::Equal { .. }) {
            lines.extend(op.old_range().map(|number| Row(Some(number), None)));
            lines.extend(op.new_range().map(|number| Row(None, Some(number))));
            continue;
        }
        for (before, after) in op.old_range().zip(op.new_range()) {
            match holds(old_insts[before], new_insts[after], &map) {
                true => lines.push(Row(Some(before), Some(after))),
                false => lines.extend([Row(Some(before), None), Row(None, Some(after))]),
            }
        }
    }
    lines
}

/// The key of each instruction.
fn keys(printed: &Printed) -> Vec<String> {
    let kinds: HashMap<Word, String> =
        printed.instructions().filter_map(|inst| Some((inst.result_id?, kind(inst, printed)))).collect();
    let unknown = String::from("?");
    let key = |inst: &Instruction| {
        let mut key = inst.class.opname.to_string();
        if let Some(id) = inst.result_type {
            let _ = write!(key, " {}", kinds.get(&id).unwrap_or(&unknown));
        }
        for operand in &inst.operands {
            match ids(operand) {
                Some(id) => drop(write!(key, " {}", kinds.get(&id).unwrap_or(&unknown))),
                None => drop(write!(key, " {operand}")),
            }
        }
        // Variables with other names or places are other variables.
        if let Some(id) = inst.result_id.filter(|_| inst.class.opcode == Op::Variable) {
            let _ = write!(key, " {}", printed.place(id));
        }
        key
    };
    printed.instructions().map(key).collect()
}

fn ids(operand: &Operand) -> Option<Word> {
    match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}

/// What the result of an instruction is: its structure if it is a type or a constant, otherwise the opcode.
fn kind(definer: &Instruction, printed: &Printed) -> String {
    let opcode = definer.class.opcode;
    match definer.result_id {
        Some(id) if opcode.is_type() || opcode.is_constant() => printed.structure(id),
        Some(id) if opcode == Op::Variable => format!("variable {}", printed.place(id)),
        _ => definer.class.opname.to_string(),
    }
}

/// Whether the operands of two aligned instructions are the same ids by `map`.
fn holds(old: &Instruction, new: &Instruction, map: &HashMap<Word, Word>) -> bool {
    let same = |one: Word, other: Word| map.get(&one) == Some(&other);
    let types = match (old.result_type, new.result_type) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let operands = old.operands.iter().zip(&new.operands).all(|(one, other)| match (ids(one), ids(other)) {
        (Some(one), Some(other)) => same(one, other),
        _ => one == other,
    });
    types && operands && old.operands.len() == new.operands.len()
}

impl Difference {
    /// Whether the modules are the same but for the numbers of ids.
    pub fn is_same(&self) -> bool {
        !self.lines.iter().any(Line::is_different)
    }

    /// The lines with differences, and some around them: ` ` before those in both modules, `-` and `+` before the others. Empty if
    /// there is no difference.
    pub fn text(&self) -> String {
        let around = |at: usize| at.saturating_sub(AROUND)..(at + AROUND + 1).min(self.lines.len());
        let mut text = String::new();
        let mut is_gap = false;
        for (at, line) in self.lines.iter().enumerate() {
            if !self.lines[around(at)].iter().any(Line::is_different) {
                is_gap = true;
                continue;
            }
            if std::mem::take(&mut is_gap) && !text.is_empty() {
                text.push_str("...\n");
            }
            let _ = match (&line.old, &line.new) {
                (Some(old), Some(_)) => writeln!(text, "  {old}"),
                (Some(old), None) => writeln!(text, "- {old}"),
                (None, new) => writeln!(text, "+ {}", new.as_deref().unwrap_or_default()),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ntv::{text, EmitOptions, Target, Translator};

    const SHADER: &str = include_str!("../../examples/ubo_loop.nir");

    fn words(target: Option<&str>) -> Vec<u32> {
        let target = target.and_then(Target::preset).unwrap_or_default();
        let mut shader = text::parse(SHADER).expect("a shader");
        let mut translator = Translator::new(ntv::Options::default().target(target));
        translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words
    }

    /// The words with another number for each id.
    fn renumbered(words: &[u32]) -> Vec<u32> {
        let mut module = rspirv::dr::load_words(words).expect("a module");
        let new = |id: Word| id * 3 + 5;
        for inst in module.all_inst_iter_mut() {
            inst.result_id = inst.result_id.map(new);
            inst.result_type = inst.result_type.map(new);
            for operand in &mut inst.operands {
                if let Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) = operand {
                    *id = new(*id);
                }
            }
        }
        rspirv::binary::Assemble::assemble(&module)
    }

    #[test]
    fn ids_make_no_difference() {
        let words = words(None);
        let found = diff(&words, &renumbered(&words), Look::default()).expect("modules");
        assert_eq!((found.removed, found.added), (0, 0), "{}", found.text());
    }

    #[test]
    fn another_operand_is_a_difference() {
        let words = words(None);
        let mut other = rspirv::dr::load_words(&words).expect("a module");
        // Two values of one type change their places.
        let changed = other.functions[0].blocks.iter_mut().flat_map(|block| &mut block.instructions);
        let mut changed = changed.filter(|inst| inst.class.opcode == Op::FMul || inst.class.opcode == Op::FSub);
        let inst = changed.next().expect("an instruction with two operands");
        inst.operands.reverse();
        let other = rspirv::binary::Assemble::assemble(&other);
        let found = diff(&words, &other, Look::default()).expect("modules");
        assert_eq!((found.removed, found.added), (1, 1), "{}", found.text());
    }

    #[test]
    fn another_version_is_a_difference() {
        let (old, mut new) = (words(None), words(None));
        new[1] = 0x1_0000;
        let found = diff(&old, &new, Look::default()).expect("modules");
        assert_eq!((found.removed, found.added, found.is_same()), (0, 0, false));
        assert!(found.text().starts_with("- ; Version: 1.6\n+ ; Version: 1.0\n"), "{}", found.text());
        assert!(diff(&old, &old, Look::default()).expect("modules").is_same());
    }

    #[test]
    fn a_target_makes_few_differences() {
        let found = diff(&words(None), &words(Some("vulkan1.0")), Look::default()).expect("modules");
        assert!(
            found.removed + found.added > 0 && found.text().contains("\n- ") && found.text().contains("OpEntryPoint")
        );
    }
}
