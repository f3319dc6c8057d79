// SPDX-License-Identifier: MIT

//! Numbers of 64 bits as two words of 32: what computes with words becomes what computes with the whole.

use super::sum::Linear;
use super::{Arena, Op, Term};
use std::collections::BTreeMap;

/// The factor of the upper word.
const WORD: u64 = 1 << 32;

impl Arena {
    /// The words of a number of 64 bits, with their factors, if it is made of numbers of 32.
    pub(super) fn words(&mut self, term: Term) -> Option<Vec<(Term, u64)>> {
        let node = self.node(term);
        if node.op == Op::Sext && self.width(node.args[0]) == 32 {
            let low = node.args[0];
            let count = self.constant(32, 31);
            let sign = self.ashr(low, count);
            return Some(vec![(self.zext(low, 64), 1), (self.zext(sign, 64), WORD)]);
        }
        let parts = self.linear(term);
        let is_word = |(term, factor): (&Term, &u64)| {
            let node = self.node(*term);
            node.op == Op::Zext && matches!(*factor, 1 | WORD) && self.width(node.args[0]) <= 32
        };
        let is_made = parts.constant == 0 && parts.terms.len() <= 2 && parts.terms.iter().all(is_word);
        is_made.then(|| parts.terms.into_iter().collect())
    }

    /// The product of two numbers of 64 bits, word by word.
    pub(super) fn product_of_words(&mut self, a: &[(Term, u64)], b: &[(Term, u64)]) -> Term {
        let mut parts = Vec::new();
        for ((x, c), (y, d)) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
            if c.wrapping_mul(*d) != 0 {
                parts.push((self.mul(*x, *y), c.wrapping_mul(*d)));
            }
        }
        self.combination(64, 0, &parts)
    }

    /// Replaces numbers of 32 bits in the upper word of a sum of 64 by their parts: what is beyond the word is beyond the sum, too.
    pub(super) fn open_upper_words(&mut self, sum: &mut Linear) {
        let is_upper = |arena: &Arena, term: Term, c: u64| {
            let node = arena.node(term);
            node.op == Op::Zext
                && c.trailing_zeros() >= 32
                && arena.width(node.args[0]) == 32
                && arena.node(node.args[0]).op == Op::Sum
        };
        while let Some((term, c)) =
            sum.terms.iter().map(|(term, c)| (*term, *c)).find(|(term, c)| is_upper(self, *term, *c))
        {
            sum.terms.remove(&term);
            let inner = self.linear(self.node(term).args[0]);
            let mut wide = Linear { constant: inner.constant, terms: BTreeMap::new() };
            for (part, factor) in inner.terms {
                let part = self.zext(part, 64);
                let part = self.linear(part);
                wide.add(&part, factor);
            }
            sum.add(&wide, c);
        }
    }
}
