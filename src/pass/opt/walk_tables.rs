// SPDX-License-Identifier: MIT

//! The information that the walk collects about each instruction, for later instructions and for the steps after the walk.

use super::algebraic;
use super::cse::InstTable;
use super::dead_cf::Joined;
use crate::entity::Id;
use crate::ir::{Def, Inst, Shader};
use bitflags::bitflags;

bitflags! {
    /// Properties of an instruction that the walk has passed.
    #[derive(Clone, Copy, Default)]
    pub(super) struct InstFlags: u8 {
        /// It is a constant.
        const NUMBER = algebraic::NUMBER;
        /// It has effects besides its value.
        const EFFECTS = 1 << 1;
        /// It is an ALU operation.
        const MADE = algebraic::MADE;
        /// It is a move or vector.
        const COPY = 1 << 3;
        /// It stays.
        const STAYS = 1 << 4;
        /// It is removed and replaced by another value.
        const RENAMED = 1 << 5;
        /// It reads more values than [`InstState::reads`] can hold.
        const READS_MORE = 1 << 6;
        /// It must stay: it has effects, or an instruction that must stay reads it.
        const NEEDED = 1 << 7;
    }
}

/// The information about an instruction.
#[derive(Clone, Copy)]
pub(super) struct InstState {
    /// The values that it reads; unused elements are any value. The first element of a renamed instruction is its replacement.
    pub(super) reads: [Def; 3],
    pub(super) flags: InstFlags,
}

/// The tables of the walk.
#[derive(Default)]
pub(super) struct WalkTables {
    /// Indexed by the number of the instruction.
    pub(super) insts: Vec<InstState>,
    pub(super) known: InstTable,
    /// The phis that stay.
    pub(super) phis: Vec<Inst>,
    /// Blocks that were merged into others when an empty if was removed.
    pub(super) joined: Joined,
    /// Constants that rules made.
    pub(super) constants: Vec<Inst>,
}

impl WalkTables {
    pub(super) fn reset(&mut self, shader: &Shader) {
        self.insts.clear();
        self.make_room(shader);
        self.known.reset(shader);
        self.phis.clear();
    }

    /// Adds entries for new instructions.
    pub(super) fn make_room(&mut self, shader: &Shader) {
        let nothing = InstState { reads: [Inst::from_index(0).def(); 3], flags: InstFlags::empty() };
        self.insts.resize(shader.num_defs(), nothing);
    }

    /// Frees large tables: see [`Shader::most_kept`].
    pub(super) fn shrink(&mut self, shader: &Shader) {
        if self.insts.capacity() > shader.most_kept() {
            *self = WalkTables::default();
        }
    }

    /// The value that replaces `def`, or `def` itself.
    #[inline(always)]
    pub(super) fn renamed(&self, def: Def) -> Def {
        let InstState { reads, flags } = &self.insts[def.index()];
        match flags.contains(InstFlags::RENAMED) {
            true => reads[0],
            false => def,
        }
    }

    pub(super) fn flags(&self, def: Def) -> InstFlags {
        self.insts[def.index()].flags
    }
}
