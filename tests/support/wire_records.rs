// SPDX-License-Identifier: MIT

//! Finds the start and the end of the records of a wire, independently of the decoder.

use ntv::ir::info::{FieldMut, DIRECTIVES, FIELDS};
use ntv::ir::ShaderInfo;
use ntv::op::{AluOp, Intrinsic};

/// Words of the header: the third counts all words, the fourth the instructions.
pub(crate) const HEADER: usize = 16;

/// The kind of a record: the lowest four bits of its first word.
pub(crate) mod record {
    #![allow(dead_code)]
    pub(crate) const ALU: u32 = 0;
    pub(crate) const INTRINSIC: u32 = 1;
    pub(crate) const CONST: u32 = 2;
    pub(crate) const DEREF_VAR: u32 = 3;
    pub(crate) const DEREF: u32 = 4;
    pub(crate) const TEX: u32 = 5;
    pub(crate) const PLAIN: u32 = 6;
    pub(crate) const CONTROL: u32 = 7;
    pub(crate) const TYPE: u32 = 8;
    pub(crate) const VARIABLE: u32 = 9;
    pub(crate) const VARIABLE_TYPE: u32 = 10;
    pub(crate) const PHI_SRC: u32 = 11;
    pub(crate) const DIRECTIVE: u32 = 12;
    pub(crate) const FACT: u32 = 13;
    pub(crate) const NAME: u32 = 14;
}

/// The records of a valid wire, each as its start and its number of words. For an invalid wire, those before the error.
pub(crate) fn records(words: &[u32]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = HEADER;
    while let Some(len) = words.get(at..).and_then(len).filter(|len| *len <= words.len() - at) {
        all.push((at, len));
        at += len;
    }
    all
}

/// The records of one kind.
#[allow(dead_code)]
pub(crate) fn records_of(words: &[u32], kind: u32) -> Vec<(usize, usize)> {
    records(words).into_iter().filter(|(at, _)| words[*at] & 15 == kind).collect()
}

/// The number of words of a string, whose length is the last word before it.
fn string(bytes: u32) -> usize {
    (bytes as usize).div_ceil(4)
}

/// The number of words of the first record in `words`.
fn len(words: &[u32]) -> Option<usize> {
    let head = *words.first()?;
    let (op, components, bits, flags) = ((head >> 4 & 0xfff) as usize, head >> 16 & 31, head >> 21 & 127, head >> 28);
    let word = |at: usize| words.get(at).copied();
    let named = |at: usize| Some(at + 1 + string(word(at)?));
    Some(match head & 15 {
        record::ALU => {
            let srcs = AluOp::ALL.get(op).map_or(1, |op| op.info().srcs.len());
            1 + srcs * if flags & 8 == 0 { 2 } else { 3 }
        }
        record::INTRINSIC => {
            let info = Intrinsic::ALL.get(op)?.info();
            1 + info.srcs.len() + info.indices.len()
        }
        record::CONST => 1 + (components << u32::from(bits == 64)) as usize,
        record::DEREF_VAR => 2,
        record::DEREF => 6 + usize::from(op == 7),
        record::TEX => 7 + 2 * (word(2)? >> 16 & 0xff) as usize,
        record::PLAIN => 1,
        record::CONTROL => 1 + usize::from(op == 1),
        record::TYPE if op == 4 => {
            let mut at = 4 + string(word(3)?);
            for _ in 0..word(1)? {
                at += 3 + string(word(at + 2)?);
            }
            at
        }
        record::TYPE => 4,
        record::VARIABLE => match (named(9)?, word(2)? >> 27 & 1) {
            (end, 0) => end,
            (end, _) => {
                let initializer = end + 6 + 2 * word(end + 5)? as usize;
                initializer + 1 + word(initializer).filter(|len| *len != u32::MAX).map_or(0, string)
            }
        },
        record::VARIABLE_TYPE => 3,
        record::PHI_SRC => 4,
        record::DIRECTIVE if DIRECTIVES.get(op)?.1.is_empty() => named(1)?,
        record::DIRECTIVE => 2,
        record::FACT => match (FIELDS.get(op)?.field)(&mut ShaderInfo::default()) {
            FieldMut::Dec(_) | FieldMut::Hex(..) | FieldMut::Flag(_) => 2,
            FieldMut::Ranges(_) | FieldMut::Words(..) => 5,
            FieldMut::Name(_) => named(1)?,
            FieldMut::List(list) => 1 + list.len(),
        },
        record::NAME => named(1)?,
        _ => return None,
    })
}
