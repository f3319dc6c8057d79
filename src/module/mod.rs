//! A SPIR-V module and what is known about its words: which may change, which may go, and what decides it.
//!
//! A layered driver learns things late: descriptor sets, and what the other stage reads, when it links; the format of a
//! target, or whether it is turned on its side, when it draws. A shader is emitted once all the same. While the emitter appends words
//! it notes in tables where they stand, and from then on nobody parses SPIR-V:
//!
//! - A [`Patch`] is one word that may become another: a set, a binding, a location, a storage class, a constant.
//! - A [`Range`] is a run of words that is only there under a [`Condition`]: a decoration, a capability, an execution mode, an
//!   instruction, a function. Ranges nest. A range within an instruction also shortens the word that says how long it is.
//! - A [`Condition`] asks for some bits of a [`Key`] (known at draws), or for two bits of a varying (known at links).
//!
//! ```text
//! OpDecorate %color Location 3      patch: Location of varying 1    range: varying 1 is used
//! OpDecorate %color Sample                                          range: in this one, if the key has `sample_shading`
//! %p = OpTypePointer Output %v4     patch: Private, if varying 1 is unused
//! ```
//!
//! Two functions use the tables. [`Module::link`] decides all that a link knows, and gives a module in which the rest is left to be
//! asked: keys, and the varyings of a side that no other stage was on. [`Module::instantiate`] writes the words for a key: it
//! copies the slices between ranges that go, and patches; its cost is that of the copy. What a module has no words for it
//! refuses ([`Module::accepts`], [`Module::takes`]).
//!
//! Rules, the first two of which [`Module::check`] finds broken, the others the tests in `tests/variants`:
//!
//! - Ranges are sorted by their start, the outer before the inner, and each is within or apart from each other.
//! - Patches are sorted by the word, and with no condition met, `words` have the values that they would get.
//! - What a range defines is used within ranges that are there only if it is. So types are never in ranges: anybody may
//!   find and use one. Constants, variables and code in a range are their own, never shared.
//! - Ids never change, and the bound in the header stays: a variant has gaps in its numbers, and no map of ids is needed.
//!
//! The proof that nothing was forgotten is [`Decisions`] in `EmitOptions::decided`:
//! the emitter then writes the final words straight away, and
//! they have to equal those that the tables give, byte for byte.

mod bytes;
mod decisions;
mod interface;
mod key;
mod options;
mod table;
mod write;

pub use decisions::{Assignment, Decisions};
pub use interface::{Binding, Capture, DescriptorKind, Stage, Varying};
pub use key::Key;
pub use options::{Mechanism, OptionId, OptionInfo, OPTIONS};
pub use table::{Condition, Patch, PatchKind, Range, Sides, Tables, ALWAYS, PRIVATE};

use crate::error::Error;
pub(crate) use decisions::refused;

/// A SPIR-V module with its tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The words, header first, with every range in them. Where no option was offered to the emitter this is a module as it is, the one of
    /// the empty [`Key`]; else [`Module::instantiate`] makes one of it.
    pub words: Vec<u32>,
    /// Words that may change, in order.
    pub patches: Vec<Patch>,
    /// Runs of words that may go, in order.
    pub ranges: Vec<Range>,
    /// What patches and ranges depend on.
    pub conditions: Vec<Condition>,
    /// The stage of its entry point.
    pub stage: Stage,
    /// Inputs and outputs that other stages see, in the order in which the shader first names them.
    pub interface: Vec<Varying>,
    /// Descriptors that it uses: each place and kind once, in order.
    pub bindings: Vec<Binding>,
    /// Bits of a [`Key`] that change its words.
    pub seen: u64,
    /// Bits of a [`Key`] that it provides for, whether they change its words or not.
    pub offered: u64,
    /// What links settled with the stages before it and after it: a number that both sides have; `None` where there was no link yet.
    pub settled: Sides<Option<u32>>,
}

impl Module {
    /// Becomes the module of words and their tables; it has the conditions and lists already.
    pub(crate) fn fill(&mut self, words: Vec<u32>, tables: Tables, stage: Stage, offered: u64) {
        (self.words, self.patches, self.ranges) = (words, tables.patches, tables.ranges);
        (self.stage, self.offered, self.settled) = (stage, offered & Key::ALL, Sides::default());
        self.seen = write::seen(&self.conditions);
    }

    /// Takes its words and tables away.
    pub(crate) fn take_parts(&mut self) -> (Vec<u32>, Tables) {
        let (patches, ranges) = (std::mem::take(&mut self.patches), std::mem::take(&mut self.ranges));
        (std::mem::take(&mut self.words), Tables { patches, ranges })
    }

    /// Tessellation control: the word that says how many vertices the patch has that is made. A driver may change it.
    pub fn tcs_vertices_out(&self) -> Option<usize> {
        let patch = self.patches.iter().find(|patch| patch.kind == PatchKind::OutputVertices)?;
        Some(patch.at as usize)
    }

    /// Whether the words for `key` can be had. An option that means something in this stage has to be offered: SPIR-V from elsewhere
    /// offers few. Where words depend on the size of the framebuffer, the key has to have one. Options of other stages are fine:
    /// a key says all that a draw knows.
    pub fn takes(&self, key: &Key) -> Result<(), Error> {
        let here = Key::of_stage(self.stage);
        let missing = key.bits & !self.offered & (here | !Key::ALL);
        if missing != 0 {
            let offered = Key::option_names(self.offered & here);
            let offered = if offered.is_empty() { "no option" } else { &offered };
            let (missing, stage) = (Key::option_names(missing), self.stage.name());
            return Err(refused(format!("the {stage} module cannot take `{missing}` in a key: it takes {offered}")));
        }
        if key.size.contains(&0) && key.bits & self.seen & Key::ORIENTATION != 0 {
            return self.takes_without_size(key);
        }
        Ok(())
    }

    /// The same for a key that turns the picture and lacks a side of the framebuffer.
    fn takes_without_size(&self, key: &Key) -> Result<(), Error> {
        let sized = Key { size: [1; 2], ..*key };
        let wanted = self.masked(&sized).size;
        match (0..2).find(|axis| wanted[*axis] != 0 && key.size[*axis] == 0) {
            Some(axis) => {
                let (side, turn) = (["width", "height"][axis], Key::option_names(key.bits & Key::ORIENTATION));
                Err(refused(format!(
                    "`{turn}` in a key wants the {side} of the framebuffer (size=WIDTHxHEIGHT): the shader reads gl_FragCoord"
                )))
            }
            None => Ok(()),
        }
    }

    /// What is left of `key` when all is taken away that does not change the words of this module.
    pub fn masked(&self, key: &Key) -> Key {
        let bits = key.bits & self.seen;
        let mut size = [0; 2];
        for patch in &self.patches {
            let axis = match patch.kind {
                PatchKind::Width => 0,
                PatchKind::Height => 1,
                _ => continue,
            };
            if self.conditions.get(usize::from(patch.when)).is_some_and(|when| when.holds_for_key(bits)) {
                size[axis] = key.size[axis];
            }
        }
        Key { bits, size }
    }
}
