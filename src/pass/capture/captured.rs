// SPDX-License-Identifier: MIT

//! Finds the words of output variables that transform feedback captures, from captures by slot.

use crate::analysis::output_words::{OutputWord, OutputWords, Step};
use crate::ir::{ArrayIndex, Builder, Capture, Def, Shader, Var, XfbInfo};
use crate::op::AluOp;

/// A captured 32-bit word of an output, and its position in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub buffer: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    pub source: OutputWord,
}

/// The captured words, by slot or of variables that are captured as a whole, sorted by buffer and offset. Captured slots without
/// a variable are ignored.
pub(super) fn captured(outputs: &OutputWords, shader: &Shader, info: &XfbInfo) -> Vec<Word> {
    let by_slot = outputs.all().filter_map(|((location, component), source)| {
        let (buffer, offset) = info.captured(*location, *component)?;
        Some(Word { buffer, offset, source: source.clone() })
    });
    let whole = outputs.of_captured(shader);
    let whole =
        whole.map(|((_, source), Capture { buffer, .. }, offset)| Word { buffer, offset, source: source.clone() });
    let mut words: Vec<Word> = by_slot.chain(whole).collect();
    words.sort_by_key(|word| (word.buffer, word.offset));
    words
}

/// The outputs that have a slot, with or without variables that are captured as a whole.
pub(super) fn outputs(shader: &Shader, with_captured: bool) -> OutputWords {
    OutputWords::new(shader, |variable| variable.location.filter(|_| with_captured || variable.capture.is_none()))
}

/// Loads words of outputs, and each vector only once.
#[derive(Default)]
pub(super) struct Loads {
    /// The vectors that were loaded.
    vectors: Vec<(Var, Vec<Step>, Def)>,
}

impl Loads {
    /// The word `source`, as 32 bits.
    pub(super) fn word(&mut self, b: &mut Builder<'_>, source: &OutputWord) -> Def {
        let vector = self.vector(b, source);
        let scalar = b.channel(vector, source.component);
        match source.half {
            Some(0) => b.alu(AluOp::unpack_64_2x32_split_x, &[scalar]),
            Some(_) => b.alu(AluOp::unpack_64_2x32_split_y, &[scalar]),
            None => scalar,
        }
    }

    fn vector(&mut self, b: &mut Builder<'_>, source: &OutputWord) -> Def {
        let same = |row: &&(Var, Vec<Step>, Def)| row.0 == source.var && row.1 == source.path;
        if let Some((_, _, known)) = self.vectors.iter().find(same) {
            return *known;
        }
        let mut pointer = b.deref_var(source.var);
        for step in &source.path {
            pointer = match *step {
                Step::Element(index) => b.deref_array(pointer, ArrayIndex::Imm(i64::from(index))),
                Step::Member(number) => b.deref_struct(pointer, number),
            };
        }
        let loaded = b.load_deref(pointer, 0);
        self.vectors.push((source.var, source.path.clone(), loaded));
        loaded
    }
}
