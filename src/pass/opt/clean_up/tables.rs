//! What the walk finds out of each instruction, for those behind it and for what is done behind the walk.

use crate::entity::Id;
use crate::ir::{Def, Inst, Shader};
use crate::pass::opt::{algebraic, cse::Known, dead_cf::Joined};
use bitflags::bitflags;

bitflags! {
    /// What is known of an instruction that the walk has passed.
    #[derive(Clone, Copy, Default)]
    pub(in crate::pass) struct InstFlags: u8 {
        /// It is a constant.
        const NUMBER = algebraic::NUMBER;
        /// It does more than to make a value.
        const EFFECTS = 1 << 1;
        /// It is arithmetic.
        const MADE = algebraic::MADE;
        /// It is a move or vector.
        const COPY = 1 << 3;
        /// It stays.
        const STAYS = 1 << 4;
        /// It is gone, and another value took its place.
        const RENAMED = 1 << 5;
        /// It reads more than [`WalkTables::reads`] has room for.
        const READS_MORE = 1 << 6;
        /// It must stay: it has effects, or something that must stay reads it.
        const NEEDED = 1 << 7;
    }
}

/// What is known of an instruction.
#[derive(Clone, Copy)]
pub(in crate::pass) struct InstState {
    /// What it reads; any value where that is less. Of one that is renamed, first what took its place.
    pub(in crate::pass) reads: [Def; 3],
    pub(in crate::pass) flags: InstFlags,
}

/// WalkTables of the walk.
#[derive(Default)]
pub(in crate::pass) struct WalkTables {
    /// By the number of the instruction.
    pub(in crate::pass) insts: Vec<InstState>,
    pub(super) known: Known,
    /// The phis that stay.
    pub(in crate::pass) phis: Vec<Inst>,
    /// Blocks that went with an if that does nothing.
    pub(super) joined: Joined,
    /// What packs two lanes to 64 bits.
    pub(super) packs: Vec<Inst>,
    /// Constants that rules made.
    pub(super) constants: Vec<Inst>,
}

impl WalkTables {
    pub(super) fn reset(&mut self, shader: &Shader) {
        self.insts.clear();
        self.make_room(shader);
        self.known.reset(shader);
        self.phis.clear();
        self.packs.clear();
    }

    /// Nothing is known of new instructions yet.
    pub(super) fn make_room(&mut self, shader: &Shader) {
        let nothing = InstState { reads: [Inst::from_index(0).def(); 3], flags: InstFlags::empty() };
        self.insts.resize(shader.num_defs(), nothing);
    }

    /// Keeps no large tables: see [`Shader::most_kept`].
    pub(super) fn shrink(&mut self, shader: &Shader) {
        if self.insts.capacity() > shader.most_kept() {
            *self = WalkTables::default();
        }
    }

    /// What `def` is called now.
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
