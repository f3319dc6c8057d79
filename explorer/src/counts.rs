// SPDX-License-Identifier: MIT

//! What a module consists of.

use crate::api::{Class, Counts};
use crate::assembly::instructions;
use spirv::Op;

/// The first and last opcodes of each class of instructions, by the sections of "Instructions" in SPIR-V's specification.
const CLASSES: [(&str, u32, u32); 17] = [
    ("debug", 1, 8),
    ("extension", 10, 12),
    ("mode-setting", 14, 17),
    ("type", 19, 39),
    ("constant", 41, 52),
    ("function", 54, 57),
    ("memory", 59, 70),
    ("annotation", 71, 75),
    ("composite", 77, 84),
    ("image", 86, 107),
    ("conversion", 109, 124),
    ("arithmetic", 126, 152),
    ("relational and logical", 154, 191),
    ("bit", 194, 205),
    ("derivative", 207, 215),
    ("atomic", 227, 242),
    ("control flow", 245, 257),
];

/// The counts of a module.
pub(crate) fn counts(words: &[u32]) -> Counts {
    let mut counts = Counts { words: words.len() as u32, ..Counts::default() };
    let mut classes = [0; CLASSES.len() + 1];
    for (op, inst) in instructions(words) {
        counts.instructions += 1;
        counts.loads += u32::from(op == Some(Op::Load));
        let number = inst[0] & 0xffff;
        let class = CLASSES.iter().position(|(_, first, last)| (*first..=*last).contains(&number));
        classes[class.unwrap_or(CLASSES.len())] += 1;
    }
    let names = CLASSES.iter().map(|row| row.0).chain(["other"]);
    let present = names.zip(classes).filter(|(_, count)| *count > 0);
    counts.classes = present.map(|(name, count)| Class { name: name.to_string(), count }).collect();
    counts
}
