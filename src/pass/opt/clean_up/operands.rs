// SPDX-License-Identifier: MIT

//! The values that an instruction reads, collected with few branches.

use crate::ir::{AluSrc, ArrayIndex, Def, DerefKind};
use crate::pass::opt::walk_tables::{InstFlags, WalkTables};
use crate::pass::opt::{algebraic, cse};

/// A deref.
pub(super) struct DerefOperands {
    /// The values that it reads; its own value where there is none.
    pub(super) parent: Def,
    pub(super) index: Def,
    /// The part of the hash that distinguishes it from other derefs.
    pub(super) content: u64,
}

impl DerefOperands {
    #[inline(always)]
    pub(super) fn new(kind: &DerefKind, own: Def) -> DerefOperands {
        let after = |parent: Def, index: u64| DerefOperands {
            parent,
            index: own,
            content: cse::mixed(cse::word(parent)) ^ index,
        };
        match *kind {
            DerefKind::Var(var) => DerefOperands { parent: own, index: own, content: cse::word(var) },
            DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => match index {
                ArrayIndex::Imm(number) => after(parent, number as u64),
                ArrayIndex::Def(index) => DerefOperands { index, ..after(parent, cse::word(index)) },
            },
            DerefKind::Struct { parent, field } => after(parent, field.into()),
            DerefKind::ArrayWildcard { parent } | DerefKind::Cast { parent, .. } => after(parent, 0),
        }
    }
}

/// The operands of an ALU operation, in a form that does not depend on their number.
pub(super) struct Operands {
    /// The values that the first three read; the last is repeated where there are fewer.
    pub(super) defs: [Def; 3],
    /// The part of the hash that distinguishes them from other operands.
    pub(super) contents: [u64; 3],
    pub(super) count: usize,
}

impl Operands {
    #[inline(always)]
    pub(super) fn new(srcs: &[AluSrc]) -> Operands {
        let last = srcs.len() - 1;
        let [a, b, c] = [&srcs[0], &srcs[last.min(1)], &srcs[last.min(2)]];
        let contents = [cse::operand(a), cse::operand(b), cse::operand(c)];
        Operands { defs: [a.def, b.def, c.def], contents, count: srcs.len() }
    }

    /// The conditions of algebraic rules that these operands meet.
    #[inline(always)]
    pub(super) fn there(&self, tables: &WalkTables) -> u8 {
        let [a, b, c] = self.defs;
        let kinds = (tables.flags(a) | tables.flags(b) | tables.flags(c)) & (InstFlags::NUMBER | InstFlags::MADE);
        let is_same = (a == b) & (self.count > 1) | (b == c) & (self.count > 2);
        kinds.bits() | if is_same { algebraic::SAME } else { 0 }
    }
}
