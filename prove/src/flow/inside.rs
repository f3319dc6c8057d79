// SPDX-License-Identifier: MIT

//! Indices and addresses that have to be inside of what they lead to.
//!
//! The reference does not leave its arrays and its memory: what it accesses is a *limit*. An index of the other code has to be less than
//! the length of its array, for which such a limit, or the bits that it may have, are enough; else it is an obligation.

use super::{Machine, Obligation};
use crate::term::{Node, Op, Term};
use ntv::op::AluOp;
use rustc_hash::FxHashMap;

/// The obligation of an index that is less than the length of its array.
pub(crate) const OUTSIDE: &str = "whether an index is outside of its array";

/// Where control comes by a path of the reference, a term is less than a number.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    term: Term,
    end: u64,
    path: Term,
    /// The loop from the start of whose iteration the path leads.
    within: Option<usize>,
}

/// The limits of each term.
pub type Limits = FxHashMap<Term, Vec<Limit>>;

/// The limits of a run, by their terms.
pub fn by_term(limits: &[Limit]) -> Limits {
    let mut map = Limits::default();
    for limit in limits {
        map.entry(limit.term).or_default().push(*limit);
    }
    map
}

impl Machine<'_> {
    /// Notes that a term is less than `end` where control comes here, or else behaviour is undefined.
    pub fn limit(&mut self, term: Term, end: u64) {
        if self.reference.is_some() || self.arena.as_const(term).is_some_and(|number| number < end) {
            return;
        }
        self.is_outside |= self.arena.is_concrete() && self.arena.as_const(term).is_some();
        self.limits.push(Limit { term, end, path: self.state.path, within: self.within });
    }

    /// A number that a term is certainly less than where control comes here: by its bits, its operands, and the limits.
    pub fn end_of(&mut self, term: Term) -> u64 {
        self.end_within(term, 8)
    }

    /// The least limit of a term that holds here.
    fn limit_of(&mut self, term: Term) -> u64 {
        let limits = self.reference.and_then(|reference| reference.limits.get(&term));
        let mut end = u64::MAX;
        for limit in limits.into_iter().flatten() {
            let other = self.arena.not(limit.path);
            let is_always = limit.within.is_none() && self.arena.as_const(limit.path) == Some(1);
            let beside = self.arena.both(self.state.path, other);
            if is_always || limit.within == self.within && self.arena.as_const(beside) == Some(0) {
                end = end.min(limit.end);
            }
        }
        end
    }

    /// The least limit of a term that follows from those of others: of the bytes before it, and of a sum without masks, which is not
    /// less.
    fn limit_about(&mut self, term: Term) -> u64 {
        if self.reference.is_none_or(|reference| reference.limits.is_empty()) {
            return u64::MAX;
        }
        let node = self.arena.node(term).clone();
        let whole = match node.op {
            Op::Sum => {
                let arg = |arg: Term| match self.arena.node(arg) {
                    Node { op: Op::Mask, args, .. } => args[0],
                    _ => arg,
                };
                let coefficients = node.immediates[1..].iter().copied();
                let parts: Vec<(Term, u64)> = node.args.iter().map(|it| arg(*it)).zip(coefficients).collect();
                self.arena.combination(node.width, node.immediates[0], &parts)
            }
            _ => term,
        };
        let mut end = u64::MAX;
        for term in [term, whole] {
            for back in 0..8 {
                let before = self.arena.plus(term, u64::wrapping_neg(back));
                end = end.min(self.limit_of(before).saturating_add(back));
            }
        }
        end
    }

    /// The number that a condition says a term is less than.
    fn is_less(&self, condition: Term, term: Term) -> Option<u64> {
        let node = self.arena.node(condition);
        match (node.op, &*node.args) {
            (Op::Ult, [less, number]) if *less == term => self.arena.as_const(*number),
            _ => None,
        }
    }

    fn end_within(&mut self, term: Term, depth: u32) -> u64 {
        let mut end = self.arena.possible(term).saturating_add(1).min(self.limit_about(term));
        let Some(depth) = depth.checked_sub(1) else { return end };
        for multiple in [2, 4, 8, 16] {
            if self.arena.width(term) == 32 && end > 1 {
                let scaled = self.arena.combination(32, 0, &[(term, multiple)]);
                end = end.min(self.limit_about(scaled).saturating_sub(1) / multiple + 1);
            }
        }
        let node = self.arena.node(term).clone();
        let by_operands = match node.op {
            Op::Mask | Op::Zext | Op::Trunc => self.end_within(node.args[0], depth),
            Op::Lshr => match self.arena.as_const(node.args[1]) {
                Some(count) => (self.end_within(node.args[0], depth).saturating_sub(1) >> count.min(63)) + 1,
                None => end,
            },
            Op::Ite if self.is_less(node.args[0], node.args[1]).is_some() => {
                let other = self.end_within(node.args[2], depth);
                self.is_less(node.args[0], node.args[1]).unwrap_or(end).max(other)
            }
            Op::Ite => self.end_within(node.args[1], depth).max(self.end_within(node.args[2], depth)),
            Op::Alu(AluOp::umod) => self.end_within(node.args[1], depth).saturating_sub(1),
            Op::Alu(AluOp::umin) => self.end_within(node.args[0], depth).min(self.end_within(node.args[1], depth)),
            Op::Sum => {
                let mut most = u128::from(node.immediates[0]);
                for (arg, coefficient) in node.args.iter().zip(&node.immediates[1..]) {
                    most += u128::from(self.end_within(*arg, depth).saturating_sub(1)) * u128::from(*coefficient);
                }
                // A sum beyond the width is another number.
                if most >> node.width != 0 {
                    return end;
                }
                most as u64 + 1
            }
            _ => end,
        };
        // A remainder of a division by 0 is open.
        end.min(by_operands.max(1))
    }

    /// An index that is less than `count`, or else behaviour is undefined.
    pub fn keep_inside(&mut self, index: Term, count: u64) {
        if self.reference.is_none() || self.end_of(index) <= count {
            return;
        }
        let width = self.arena.width(index);
        let length = self.arena.constant(width, count);
        let inside = self.arena.scalar(AluOp::ult, 1, &[index, length]);
        let outside = self.arena.not(inside);
        let found = self.arena.both(self.state.path, outside);
        let expected = self.arena.boolean(false);
        if found != expected {
            self.obligations.push(Obligation { what: OUTSIDE.into(), expected, found });
        }
    }
}
