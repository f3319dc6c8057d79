// SPDX-License-Identifier: MIT

//! A SPIR-V module with tables of its variable words: which may change, which may be removed, and under which conditions.
//!
//! A layered driver has some facts late: descriptor sets and the inputs of the other stage when it links; the format of a target
//! and the orientation of the image when it draws. A shader is still emitted only once. While the emitter appends words, it records
//! the positions of those that depend on such facts, so SPIR-V is never parsed afterwards:
//!
//! - A [`Patch`] is one word that may change: a set, a binding, a location, a storage class, a constant.
//! - A [`Range`] is a sequence of words that exists only under a [`Condition`]: a decoration, a capability, an execution mode, an
//!   instruction, a function. Ranges nest. A range within an instruction also changes the word with the instruction's length.
//! - A [`Condition`] tests some bits of a [`Key`] (known at draws), or two bits of a varying (known at links).
//!
//! ```text
//! OpDecorate %color Location 3      patch: Location of varying 1    range: varying 1 is used
//! OpDecorate %color Sample                                          range: in this one, if the key has `sample_shading`
//! %p = OpTypePointer Output %v4     patch: Private, if varying 1 is unused
//! ```
//!
//! Two functions use the tables. [`Module::link`] applies the decisions of a link, and returns a module in which the rest stays
//! open: keys, and the varyings of a side that is not linked yet. [`Module::instantiate`] writes the words for a key: it copies the
//! slices between removed ranges, and applies patches; it costs little more than the copy. A module refuses decisions for which it
//! has no words ([`Module::accepts`], [`Module::takes`]).
//!
//! The tables follow these rules. [`Module::check`] checks the first two, the tests in `tests/variants` the others:
//!
//! - Ranges are sorted by their start, the outer before the inner, and two ranges are nested or disjoint.
//! - Patches are sorted by their word, and `words` have the values for the case that no condition holds.
//! - A definition in a range is used only within ranges whose condition implies the first. So types are never in ranges, as they
//!   are reused. Constants, variables and code in a range are not shared.
//! - Ids never change, and the bound in the header does not either: a variant has gaps in its ids, and needs no map of them.
//!
//! Tests prove that the tables are complete: they give [`Decisions`] to the emitter, which then writes the final words at once, and
//! compare them with the words from the tables, byte for byte.

mod bytes;
mod decisions;
mod fit;
mod interface;
mod key;
mod key_form;
mod options;
mod table;
mod write;

pub use decisions::{Assignment, Decisions};
pub use fit::Undeclared;
pub use interface::{Binding, DescriptorKind, ShaderStage, Varying};
pub use key::Key;
pub(crate) use key::Swizzled;
pub use key_form::KeyForm;
pub use options::{Mechanism, OptionId, OptionInfo, OPTIONS};
pub use table::{Condition, Patch, PatchKind, Range, Sides, Tables, ALWAYS, PRIVATE, SETTLED};
pub use write::Variant;

use crate::error::Error;
pub(crate) use decisions::refused;

/// A SPIR-V module with its tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The words, header first, with all ranges. If the emitter offered no option, these are the words of the empty [`Key`], a
    /// valid module; otherwise [`Module::instantiate`] writes a valid module.
    pub words: Vec<u32>,
    /// Words that may change, in order.
    pub patches: Vec<Patch>,
    /// Words that may be removed, in order.
    pub ranges: Vec<Range>,
    /// The conditions of patches and ranges.
    pub conditions: Vec<Condition>,
    /// The stage of its entry point.
    pub stage: ShaderStage,
    /// Inputs and outputs that other stages share, in the order of their first use.
    pub interface: Vec<Varying>,
    /// The descriptors in use: each place and kind once, in order.
    pub bindings: Vec<Binding>,
    /// Bits of a [`Key`] that change its words.
    pub seen: u64,
    /// Bits of a [`Key`] that it supports, with those that do not change its words.
    pub offered: u64,
    /// Whether its inputs must have as many components as the outputs that they read: the target lacks `maintenance4`.
    pub has_exact_inputs: bool,
    /// The results of links with the stages before and after it: a number that both sides have; `None` for a side that is not
    /// linked.
    pub settled: Sides<Option<u32>>,
}

impl Module {
    /// Fills in words, tables and stage; the conditions and lists are filled already.
    pub(crate) fn fill(&mut self, words: Vec<u32>, tables: Tables, stage: ShaderStage, offered: u64) {
        (self.words, self.patches, self.ranges) = (words, tables.patches, tables.ranges);
        (self.stage, self.offered, self.settled) = (stage, offered & Key::ALL, Sides::default());
        self.seen = write::seen(&self.conditions);
    }

    /// Removes and returns its words and tables.
    pub(crate) fn take_parts(&mut self) -> (Vec<u32>, Tables) {
        let (patches, ranges) = (std::mem::take(&mut self.patches), std::mem::take(&mut self.ranges));
        (std::mem::take(&mut self.words), Tables { patches, ranges })
    }

    /// Tessellation control: the position of the word with the number of output vertices. A driver may change it.
    pub fn tcs_vertices_out(&self) -> Option<usize> {
        let patch = self.patches.iter().find(|patch| patch.kind == PatchKind::OutputVertices)?;
        Some(patch.at as usize)
    }

    /// Returns an error if the module has no words for `key`. Options with an effect in this stage have to be offered; imported
    /// SPIR-V offers few. If words depend on the size of the framebuffer, the key needs one. Options of other stages are accepted:
    /// a key has all facts of a draw.
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

    /// The result of `takes` for a key that turns the image and lacks a side of the framebuffer.
    fn takes_without_size(&self, key: &Key) -> Result<(), Error> {
        let sized = Key { size: [1; 2], ..*key };
        let wanted = self.masked(&sized).size;
        match (0..2).find(|axis| wanted[*axis] != 0 && key.size[*axis] == 0) {
            Some(axis) => {
                let (side, turn) = (["width", "height"][axis], Key::option_names(key.bits & Key::ORIENTATION));
                Err(refused(format!(
                    "`{turn}` in a key needs the {side} of the framebuffer (size=WIDTHxHEIGHT): the shader reads gl_FragCoord"
                )))
            }
            None => Ok(()),
        }
    }

    /// The part of `key` that changes the words of this module.
    pub fn masked(&self, key: &Key) -> Key {
        let mut masked = Key::new(key.bits & self.seen);
        for patch in &self.patches {
            let when = self.conditions.get(usize::from(patch.when));
            if !when.is_some_and(|when| when.holds_for_key(masked.bits)) {
                continue;
            }
            let index = patch.arg as usize;
            match patch.kind {
                PatchKind::Width => masked.size[0] = key.size[0],
                PatchKind::Height => masked.size[1] = key.size[1],
                PatchKind::Uniform if index < Key::INLINED => masked.uniforms[index] = key.uniforms[index],
                PatchKind::Swizzle => masked.copy_swizzle(key, patch.arg),
                _ => {}
            }
        }
        masked
    }
}
