// SPDX-License-Identifier: MIT

//! Repairs: rules of other translators that give another result than NIR, or leave it open, made right in a whole module.
//!
//! Where a proof fails without a repair and not with it, the repair is the reason why it fails.

use super::{instruction, Change, Code, Plant};
use rustc_hash::FxHashMap;
use spirv::{GlslStd450Op as GLOp, Op};

/// A rule, and what makes it right.
#[derive(Clone, Copy, Debug)]
pub struct Repair {
    /// What is changed.
    pub name: &'static str,
    changes: Plant,
}

/// All repairs.
pub const REPAIRS: &[Repair] = &[
    Repair { name: "FMin as NMin", changes: |code| renamed(code, GLOp::FMin, GLOp::NMin) },
    Repair { name: "FMax as NMax", changes: |code| renamed(code, GLOp::FMax, GLOp::NMax) },
    Repair { name: "AllEqual of integers as of floats", changes: votes_on_floats },
];

impl Repair {
    /// The words with the repair at all its places; `None` if there is none.
    pub fn apply(&self, words: &[u32]) -> Option<Vec<u32>> {
        let mut changes = (self.changes)(&Code::new(words));
        // From the last to the first, so that each is where it was.
        changes.sort_by_key(|change| std::cmp::Reverse(change.at));
        let first = words.to_vec();
        (!changes.is_empty()).then(|| changes.iter().fold(first, |words, change| change.apply(&words)))
    }
}

fn renamed(code: &Code<'_>, from: GLOp, to: GLOp) -> Vec<Change> {
    code.glsl(from).map(|it| it.with_word(4, to as u32)).collect()
}

/// A module that gets new ids and declarations.
struct More<'a, 'b> {
    code: &'a Code<'b>,
    bound: u32,
    declared: Vec<u32>,
    /// The types among them.
    types: FxHashMap<Vec<u32>, u32>,
    changes: Vec<Change>,
}

impl<'a, 'b> More<'a, 'b> {
    /// The place of the bound of ids in the header.
    const BOUND: usize = 3;

    fn new(code: &'a Code<'b>) -> More<'a, 'b> {
        let bound = code.header.get(Self::BOUND).copied().unwrap_or(0);
        More { code, bound, declared: Vec::new(), types: FxHashMap::default(), changes: Vec::new() }
    }

    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The type that is declared so, where word 1 is the type.
    fn ty(&mut self, op: Op, operands: &[u32]) -> u32 {
        let known = self.code.all(op).find(|it| it.words[2..] == *operands).map(|it| it.word(1));
        let key = instruction(op, operands);
        known.or_else(|| self.types.get(&key).copied()).unwrap_or_else(|| {
            let id = self.id();
            self.declared.extend(instruction(op, &[&[id], operands].concat()));
            self.types.insert(key, id);
            id
        })
    }

    /// The changes, with those of the header and the declarations; none if there is no other.
    fn all(mut self) -> Vec<Change> {
        let (Some(function), false) = (self.code.all(Op::Function).next(), self.changes.is_empty()) else {
            return Vec::new();
        };
        self.changes.push(Change { at: function.at, removed: 0, by: self.declared });
        self.changes.push(Change { at: Self::BOUND, removed: 1, by: vec![self.bound] });
        self.changes
    }
}

/// Votes on integers compare them as the floats with these bits.
fn votes_on_floats(code: &Code<'_>) -> Vec<Change> {
    let mut more = More::new(code);
    for it in code.all(Op::GroupNonUniformAllEqual) {
        let operand = code.results.get(&it.word(4)).and_then(|(ty, _)| code.definition(*ty));
        let Some(ty) = operand.filter(|ty| ty.is(Op::TypeInt)) else { continue };
        let (float, cast) = (more.ty(Op::TypeFloat, &[ty.word(2)]), more.id());
        let mut vote = it.words.to_vec();
        vote[4] = cast;
        more.changes.push(it.with([instruction(Op::Bitcast, &[float, cast, it.word(4)]), vote].concat()));
    }
    more.all()
}
