// SPDX-License-Identifier: MIT

//! Sums, masks and shifts by constants: the arithmetic of addresses.
//!
//! A sum is a constant and terms with coefficients, modulo 2 to the width. A shift to the left is a coefficient. A mask, and a shift
//! to the right and back, keep bits of a term; a sum adds such parts of one term bit by bit, so `x - (x & 3)` and `x & ~3` are one
//! term, and so are `16 * (x >> 4) + (x & 15)` and `x`.

use super::{Arena, Node, Op, Term};
use ntv::op::fold::{mask, sign_extend};
use std::collections::BTreeMap;

/// A sum in parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub(super) constant: u64,
    pub(super) terms: BTreeMap<Term, u64>,
}

impl Linear {
    /// Adds `factor` times `other`.
    pub(super) fn add(&mut self, other: &Linear, factor: u64) {
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for (term, coefficient) in &other.terms {
            let sum = self.terms.entry(*term).or_default();
            *sum = sum.wrapping_add(coefficient.wrapping_mul(factor));
        }
    }
}

impl Arena {
    /// The parts of `term`.
    pub(super) fn linear(&self, term: Term) -> Linear {
        let node = self.node(term);
        match node.op {
            Op::Const => Linear { constant: node.immediates[0], terms: BTreeMap::new() },
            Op::Sum => Linear {
                constant: node.immediates[0],
                terms: node.args.iter().copied().zip(node.immediates[1..].iter().copied()).collect(),
            },
            _ => Linear { constant: 0, terms: BTreeMap::from([(term, 1)]) },
        }
    }

    /// The constant part of a sum, and the sum without it.
    pub fn split_constant(&mut self, term: Term) -> (u64, Term) {
        let width = self.width(term);
        let mut parts = self.linear(term);
        let constant = std::mem::take(&mut parts.constant);
        (constant, self.sum(width, parts))
    }

    /// The sum of all `parts` with their factors.
    pub fn combination(&mut self, width: u8, constant: u64, parts: &[(Term, u64)]) -> Term {
        let mut sum = Linear { constant, terms: BTreeMap::new() };
        for (term, factor) in parts {
            let part = self.linear(*term);
            sum.add(&part, *factor);
        }
        self.sum(width, sum)
    }

    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.combination(self.width(a), 0, &[(a, 1), (b, 1)])
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.combination(self.width(a), 0, &[(a, 1), (b, u64::MAX)])
    }

    /// `a + constant`.
    pub fn plus(&mut self, a: Term, constant: u64) -> Term {
        self.combination(self.width(a), constant, &[(a, 1)])
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let Some(factor) = self.as_const(b) {
            return self.combination(width, 0, &[(a, factor)]);
        }
        if let Some(factor) = self.as_const(a) {
            return self.combination(width, 0, &[(b, factor)]);
        }
        if let (64, Some(x), Some(y)) = (width, self.words(a), self.words(b)) {
            if x.len() + y.len() > 2 {
                return self.product_of_words(&x, &y);
            }
        }
        // A constant factor of all terms of a sum is taken out.
        let [(a, x), (b, y)] = [a, b].map(|factor| self.without_factor(factor));
        let product = self.make(Op::Mul, width, &[], &[a.min(b), a.max(b)]);
        self.combination(width, 0, &[(product, x.wrapping_mul(y))])
    }

    /// A term and the constant that it is multiplied with.
    fn without_factor(&self, term: Term) -> (Term, u64) {
        let node = self.node(term);
        match (node.op, &*node.immediates, &*node.args) {
            (Op::Sum, [0, factor], [inner]) => (*inner, *factor),
            _ => (term, 1),
        }
    }

    /// The sum with these parts.
    pub(super) fn sum(&mut self, width: u8, mut sum: Linear) -> Term {
        if width == 64 {
            self.open_upper_words(&mut sum);
        }
        self.join_parts(width, &mut sum);
        let mut of_choice = None;
        for (term, coefficient) in &mut sum.terms {
            *coefficient = mask(*coefficient, width);
            if *coefficient != 0 && self.node(*term).op == Op::Ite {
                of_choice = Some(*term);
            }
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        sum.constant = mask(sum.constant, width);
        if sum.terms.is_empty() {
            return self.constant(width, sum.constant);
        }
        if sum.terms.len() == 1 {
            if let (0, Some((term, 1))) = (sum.constant, sum.terms.iter().next()) {
                return *term;
            }
            // A choice of constants stays one.
            if let Some(choice) = of_choice {
                let factor = sum.terms[&choice];
                let made = self.of_constants(choice, &mut |arena, leaf| {
                    let value = arena.as_const(leaf).unwrap_or(0);
                    arena.constant(width, value.wrapping_mul(factor).wrapping_add(sum.constant))
                });
                if let Some(made) = made {
                    return made;
                }
            }
        }
        let immediates: Vec<u64> = [sum.constant].into_iter().chain(sum.terms.values().copied()).collect();
        let args: Vec<Term> = sum.terms.keys().copied().collect();
        self.make(Op::Sum, width, &immediates, &args)
    }

    /// Joins parts of one term: masks of it, and shifts to the right and back.
    fn join_parts(&mut self, width: u8, sum: &mut Linear) {
        loop {
            let mut bases: BTreeMap<Term, Vec<(Term, u64, u64)>> = BTreeMap::new();
            for (term, coefficient) in sum.terms.clone() {
                let (base, bits, part) = self.as_part(width, term, coefficient);
                bases.entry(base).or_default().push((term, bits, part));
            }
            let mut changed = false;
            for (base, parts) in bases {
                changed |= self.join_base(width, base, &parts, sum);
            }
            if !changed {
                return;
            }
        }
    }

    /// `coefficient · term` as a coefficient, a term, and the bits of the term that count.
    fn as_part(&mut self, width: u8, term: Term, coefficient: u64) -> (Term, u64, u64) {
        let all = mask(u64::MAX, width);
        let node = self.node(term);
        let (mut term, mut kept, mut coefficient) = match node.op {
            Op::Mask => (node.args[0], node.immediates[0], coefficient),
            _ => (term, all, coefficient),
        };
        // 4 · (x & 3) is (4 · x) & 12.
        let zeros = mask(coefficient, width).trailing_zeros();
        if kept != all && zeros > 0 && zeros < u32::from(width) && self.as_const_shift(term).is_none() {
            let scaled = self.combination(width, 0, &[(term, 1 << zeros)]);
            (kept, coefficient) = (mask(kept << zeros, width), coefficient >> zeros);
            let node = self.node(scaled);
            (term, kept) = match node.op {
                Op::Mask => (node.args[0], kept & node.immediates[0]),
                _ => (scaled, kept),
            };
            return (term, kept, coefficient);
        }
        let node = self.node(term);
        if node.op == Op::Lshr {
            if let Some(count) = self.as_const(node.args[1]) {
                if coefficient.trailing_zeros() as u64 >= count {
                    let bits = mask(kept << count, width);
                    return (node.args[0], bits, coefficient >> count);
                }
            }
        }
        (term, kept, coefficient)
    }

    /// The count by which `term` is shifted to the right, if it is a constant.
    fn as_const_shift(&self, term: Term) -> Option<u64> {
        let node = self.node(term);
        if node.op != Op::Lshr {
            return None;
        }
        self.as_const(node.args[1])
    }

    /// Replaces the parts of `base` by as few as possible; true if that changes them.
    fn join_base(&mut self, width: u8, base: Term, parts: &[(Term, u64, u64)], sum: &mut Linear) -> bool {
        if let [(term, bits, _)] = parts {
            if *term == base && *bits == mask(u64::MAX, width) {
                return false;
            }
        }
        // The coefficient of each bit of the base. Bit j of it counts modulo 2 to the width - j.
        let possible = self.possible(base);
        let mut groups: Vec<(u64, u64)> = Vec::new();
        for bit in (0..width).filter(|bit| possible >> bit & 1 != 0) {
            let coefficient =
                parts.iter().filter(|part| part.1 >> bit & 1 != 0).fold(0u64, |c, part| c.wrapping_add(part.2));
            let coefficient = mask(coefficient, width - bit);
            let known = groups.iter_mut().find(|group| mask(group.0, width - bit) == coefficient);
            match known {
                Some(group) => group.1 |= 1 << bit,
                None => groups.push((coefficient, 1 << bit)),
            }
        }
        let mut joined = Linear::default();
        for (coefficient, bits) in groups.into_iter().filter(|group| group.0 != 0) {
            match bits == possible {
                true => {
                    let whole = self.linear(base);
                    joined.add(&whole, coefficient);
                }
                false => {
                    let part = self.mask(base, bits);
                    let part = self.linear(part);
                    joined.add(&part, coefficient);
                }
            }
        }
        let mut now = Linear::default();
        for (term, ..) in parts {
            now.terms.insert(*term, sum.terms[term]);
        }
        joined.terms.retain(|_, coefficient| mask(*coefficient, width) != 0);
        let same = joined.constant == 0
            && joined.terms.len() == now.terms.len()
            && joined.terms.iter().all(|(term, c)| now.terms.get(term).is_some_and(|n| mask(c ^ n, width) == 0));
        if same {
            return false;
        }
        for (term, ..) in parts {
            sum.terms.remove(term);
        }
        sum.add(&joined, 1);
        true
    }

    /// `term & bits`.
    pub fn mask(&mut self, term: Term, bits: u64) -> Term {
        let width = self.width(term);
        if width == 1 {
            return if bits & 1 == 0 { self.boolean(false) } else { term };
        }
        let possible = self.possible(term);
        let bits = mask(bits, width) & possible;
        if bits == possible {
            return term;
        }
        if bits == 0 {
            return self.constant(width, 0);
        }
        if let Some(value) = self.as_const(term) {
            return self.constant(width, value & bits);
        }
        let node = self.node(term).clone();
        match node.op {
            Op::Mask => return self.mask(node.args[0], bits & node.immediates[0]),
            Op::Ite => {
                if let Some(made) = self.of_constants(term, &mut |arena, leaf| arena.mask(leaf, bits)) {
                    return made;
                }
            }
            Op::Sum => return self.mask_of_sum(width, term, bits),
            Op::Zext => {
                let inner = self.mask(node.args[0], bits);
                return self.zext(inner, width);
            }
            _ => {}
        }
        self.make(Op::Mask, width, &[bits], &[term])
    }

    /// The bits of a sum: what does not reach them is left out, and low bits without a carry are apart.
    fn mask_of_sum(&mut self, width: u8, term: Term, bits: u64) -> Term {
        let mut sum = self.linear(term);
        let top = (64 - bits.leading_zeros()) as u8;
        if sum.terms.values().any(|coefficient| mask(*coefficient, top) == 0) {
            sum.terms.retain(|_, coefficient| mask(*coefficient, top) != 0);
            let reduced = self.sum(width, sum);
            return self.mask(reduced, bits);
        }
        let low = sum.terms.iter().map(|(term, c)| self.zeros_of_multiple(*term, *c)).min().unwrap_or(0).min(63);
        let low_bits = (1u64 << low) - 1;
        if sum.constant & low_bits != 0 {
            let part = sum.constant & low_bits & bits;
            sum.constant &= !low_bits;
            let rest = self.sum(width, sum);
            let rest = self.mask(rest, bits & !low_bits);
            return self.plus(rest, part);
        }
        if let Some(made) = self.mask_of_parts(width, &sum, bits) {
            return made;
        }
        // Parts that lie below a bit which all others are multiples of do not carry into it.
        if let Some((low, high, at)) = self.split_at_gap(width, &sum) {
            let low_bits = (1u64 << at) - 1;
            let low = self.mask(low, bits & low_bits);
            let high = self.mask(high, bits & !low_bits);
            return self.add(low, high);
        }
        self.make(Op::Mask, width, &[bits], &[term])
    }

    /// The bits of a sum whose parts have no common bit, part by part.
    fn mask_of_parts(&mut self, width: u8, sum: &Linear, bits: u64) -> Option<Term> {
        if sum.terms.len() + usize::from(sum.constant != 0) < 2 {
            return None;
        }
        let mut taken = sum.constant;
        for (term, coefficient) in &sum.terms {
            let part = self.possible_of_multiple(*term, *coefficient, width);
            if part & taken != 0 {
                return None;
            }
            taken |= part;
        }
        let mut whole = self.constant(width, sum.constant & bits);
        for (term, coefficient) in &sum.terms {
            let part = self.combination(width, 0, &[(*term, *coefficient)]);
            let part = self.mask(part, bits);
            whole = self.add(whole, part);
        }
        Some(whole)
    }

    /// A sum as a part below a bit and a part of multiples of it.
    fn split_at_gap(&mut self, width: u8, sum: &Linear) -> Option<(Term, Term, u32)> {
        let mut cuts: Vec<u32> = sum
            .terms
            .iter()
            .map(|(term, c)| self.zeros_of_multiple(*term, *c))
            .filter(|zeros| (1..u32::from(width)).contains(zeros))
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        for at in cuts {
            let is_high = |(term, c): &(Term, u64)| self.zeros_of_multiple(*term, *c) >= at;
            let parts = sum.terms.iter().map(|(term, c)| (*term, *c));
            let (high, low): (Vec<_>, Vec<_>) = parts.partition(is_high);
            if low.is_empty() {
                continue;
            }
            let below = sum.constant & ((1 << at) - 1);
            let most = low.iter().try_fold(u128::from(below), |most, (term, c)| {
                most.checked_add(u128::from(self.possible(*term)).checked_mul(u128::from(*c))?)
            });
            if most.is_some_and(|most| most >> at == 0) {
                let low = self.combination(width, below, &low);
                let high = self.combination(width, sum.constant & !((1 << at) - 1), &high);
                return Some((low, high, at));
            }
        }
        None
    }

    /// `term << count`, the count modulo the width.
    pub fn shl(&mut self, term: Term, count: Term) -> Term {
        let width = self.width(term);
        match self.as_const(count) {
            Some(count) => {
                let factor = 1u64 << (count % u64::from(width));
                self.combination(width, 0, &[(term, factor)])
            }
            None => self.shift(Op::Shl, term, count),
        }
    }

    /// `term >> count`, with zeros from above, the count modulo the width.
    pub fn lshr(&mut self, term: Term, count: Term) -> Term {
        let width = self.width(term);
        let Some(count) = self.as_const(count) else { return self.shift(Op::Lshr, term, count) };
        let count = (count % u64::from(width)) as u32;
        if count == 0 || self.possible(term) >> count == 0 {
            return if count == 0 { term } else { self.constant(width, 0) };
        }
        if let Some(value) = self.as_const(term) {
            return self.constant(width, value >> count);
        }
        let by = |arena: &mut Arena, count: u32| arena.constant(width, count.into());
        let node = self.node(term).clone();
        match node.op {
            Op::Mask => {
                let amount = by(self, count);
                let inner = self.lshr(node.args[0], amount);
                return self.mask(inner, node.immediates[0] >> count);
            }
            Op::Lshr => {
                if let Some(first) = self.as_const(node.args[1]) {
                    let total = count + first as u32;
                    if total >= u32::from(width) {
                        return self.constant(width, 0);
                    }
                    let total = by(self, total);
                    return self.lshr(node.args[0], total);
                }
            }
            Op::Zext => {
                let inner = node.args[0];
                if count >= u32::from(self.width(inner)) {
                    return self.constant(width, 0);
                }
                let amount = self.constant(self.width(inner), count.into());
                let inner = self.lshr(inner, amount);
                return self.zext(inner, width);
            }
            Op::Ite => {
                let amount = by(self, count);
                if let Some(made) = self.of_constants(term, &mut |arena, leaf| arena.lshr(leaf, amount)) {
                    return made;
                }
            }
            Op::Sum => {
                if let Some(made) = self.lshr_of_sum(width, term, count) {
                    return made;
                }
            }
            _ => {}
        }
        let amount = by(self, count);
        self.make(Op::Lshr, width, &[], &[term, amount])
    }

    /// A sum shifted to the right: what is below the bit does not carry, and the rest is a multiple of it.
    fn lshr_of_sum(&mut self, width: u8, term: Term, count: u32) -> Option<Term> {
        let sum = self.linear(term);
        let low_bits = (1u64 << count) - 1;
        let mut most = u128::from(sum.constant & low_bits);
        let mut high = Linear { constant: sum.constant >> count, terms: BTreeMap::new() };
        let mut low = Vec::new();
        for (part, c) in &sum.terms {
            if self.zeros_of_multiple(*part, *c) < count {
                most = most.saturating_add(u128::from(self.possible(*part)).saturating_mul(u128::from(*c)));
                low.push((*part, *c));
                continue;
            }
            // (c · part) >> count, exact except for what is beyond the width, which the mask removes.
            let zeros = c.trailing_zeros().min(count);
            let amount = self.constant(width, (count - zeros).into());
            let shifted = self.lshr(*part, amount);
            let inner = self.linear(shifted);
            high.add(&inner, c >> zeros);
        }
        if most >> count != 0 {
            // Multiples of the bit do not change what the only other part leaves. For offsets in words, a sum in one shift is better:
            // its mask and its shift back meet.
            let is_upper_word = (width, count) == (64, 32);
            if !is_upper_word || low.len() > 1 || low.len() == sum.terms.len() || sum.constant & low_bits != 0 {
                return None;
            }
            let part = self.combination(width, 0, &low);
            let amount = self.constant(width, count.into());
            let shifted = self.lshr(part, amount);
            let inner = self.linear(shifted);
            high.add(&inner, 1);
        }
        let high = self.sum(width, high);
        Some(self.mask(high, mask(u64::MAX, width) >> count))
    }

    /// `term >> count`, with copies of the sign from above, the count modulo the width.
    pub fn ashr(&mut self, term: Term, count: Term) -> Term {
        let width = self.width(term);
        let Some(amount) = self.as_const(count) else { return self.shift(Op::Ashr, term, count) };
        let amount = amount % u64::from(width);
        if amount == 0 {
            return term;
        }
        if let Some(value) = self.as_const(term) {
            return self.constant(width, (sign_extend(value, width) >> amount) as u64);
        }
        if self.possible(term) >> (width - 1) & 1 == 0 {
            return self.lshr(term, count);
        }
        let count = self.constant(width, amount);
        if let Some(made) = self.of_constants(term, &mut |arena, leaf| arena.ashr(leaf, count)) {
            return made;
        }
        // Up and down again: the sign of a narrower number.
        let rest = width - amount as u8;
        let node = self.node(term);
        let inner = node.args.first().copied();
        match (node.op, &*node.immediates, inner) {
            (Op::Sum, [0, factor], Some(inner)) if factor.is_power_of_two() && *factor <= 1 << amount => {
                let down = self.constant(width, amount - u64::from(factor.trailing_zeros()));
                let shifted = self.lshr(inner, down);
                let narrow = self.trunc(shifted, rest);
                return self.sext(narrow, width);
            }
            // The bits without it are lost.
            (Op::Mask, [kept], Some(inner)) if *kept >> amount == mask(u64::MAX, rest) => {
                return self.ashr(inner, count);
            }
            _ => {}
        }
        self.make(Op::Ashr, width, &[], &[term, count])
    }

    /// A shift by a count that is not constant.
    fn shift(&mut self, op: Op, term: Term, count: Term) -> Term {
        let width = self.width(term);
        if self.as_const(term) == Some(0) {
            return term;
        }
        // Only the low bits of the count matter; the width is a power of two.
        let count = self.mask(count, u64::from(width) - 1);
        let count = if self.width(count) > width { self.trunc(count, width) } else { self.zext(count, width) };
        if self.as_const(count).is_some() {
            return match op {
                Op::Shl => self.shl(term, count),
                Op::Lshr => self.lshr(term, count),
                _ => self.ashr(term, count),
            };
        }
        self.make(op, width, &[], &[term, count])
    }

    /// `term` with zeros above.
    pub fn zext(&mut self, term: Term, width: u8) -> Term {
        let from = self.width(term);
        debug_assert!(from <= width);
        if from == width {
            return term;
        }
        if let Some(value) = self.as_const(term) {
            return self.constant(width, value);
        }
        if from == 1 {
            let [one, zero] = [1, 0].map(|value| self.constant(width, value));
            return self.ite(term, one, zero);
        }
        if let Some(made) = self.of_constants(term, &mut |arena, leaf| arena.zext(leaf, width)) {
            return made;
        }
        let node = self.node(term).clone();
        match node.op {
            Op::Zext => return self.zext(node.args[0], width),
            // The low word of a product.
            Op::Mul if (from, width) == (32, 64) => {
                let [a, b] = [node.args[0], node.args[1]].map(|arg| self.zext(arg, width));
                let product = self.mul(a, b);
                return self.mask(product, mask(u64::MAX, from));
            }
            Op::Trunc if self.width(node.args[0]) == width => {
                return self.mask(node.args[0], mask(u64::MAX, from));
            }
            Op::Mask => {
                let inner = self.zext(node.args[0], width);
                if self.node(inner).op != Op::Zext {
                    return self.mask(inner, node.immediates[0]);
                }
            }
            _ => {}
        }
        self.make(Op::Zext, width, &[], &[term])
    }

    /// `term` with copies of its sign above.
    pub fn sext(&mut self, term: Term, width: u8) -> Term {
        let from = self.width(term);
        debug_assert!(from <= width);
        if from == width {
            return term;
        }
        if let Some(value) = self.as_const(term) {
            return self.constant(width, sign_extend(value, from) as u64);
        }
        if from == 1 {
            let [ones, zero] = [u64::MAX, 0].map(|value| self.constant(width, value));
            return self.ite(term, ones, zero);
        }
        if self.possible(term) >> (from - 1) & 1 == 0 {
            return self.zext(term, width);
        }
        if let Some(made) = self.of_constants(term, &mut |arena, leaf| arena.sext(leaf, width)) {
            return made;
        }
        let node = self.node(term);
        let inner = node.args.first().copied();
        match (node.op, inner.map(|inner| self.node(inner))) {
            (Op::Sext, _) => return self.sext(node.args[0], width),
            // The highest bits of a number.
            (Op::Trunc, Some(Node { op: Op::Lshr, width: whole, args, .. })) if *whole == width => {
                let (number, count) = (args[0], args[1]);
                if self.as_const(count) == Some(u64::from(width - from)) {
                    return self.ashr(number, count);
                }
            }
            _ => {}
        }
        self.make(Op::Sext, width, &[], &[term])
    }

    /// The low `width` bits of `term`.
    pub fn trunc(&mut self, term: Term, width: u8) -> Term {
        let from = self.width(term);
        debug_assert!(from >= width);
        if from == width {
            return term;
        }
        if let Some(value) = self.as_const(term) {
            return self.constant(width, value);
        }
        if width == 1 {
            let low = self.mask(term, 1);
            return self.is_not_zero(low);
        }
        let low = mask(u64::MAX, width);
        if self.possible(term) & low == 0 {
            return self.constant(width, 0);
        }
        if self.is_of_undefined(term, width) {
            return self.undefined(width);
        }
        let node = self.node(term).clone();
        match node.op {
            Op::Zext | Op::Sext => {
                let inner = node.args[0];
                return match self.width(inner) >= width {
                    true => self.trunc(inner, width),
                    false => self.extended(inner, width, node.op == Op::Sext),
                };
            }
            Op::Trunc => return self.trunc(node.args[0], width),
            Op::Sum => {
                let parts = node.args.iter().zip(&node.immediates[1..]).filter(|(_, factor)| **factor & low != 0);
                let parts: Vec<(Term, u64)> = parts.map(|(arg, factor)| (self.trunc(*arg, width), *factor)).collect();
                return self.combination(width, node.immediates[0], &parts);
            }
            Op::Mask => {
                let inner = self.trunc(node.args[0], width);
                return self.mask(inner, node.immediates[0]);
            }
            Op::Mul => {
                let [a, b] = [node.args[0], node.args[1]].map(|arg| self.trunc(arg, width));
                return self.mul(a, b);
            }
            Op::And | Op::Or | Op::Xor => {
                let [a, b] = [node.args[0], node.args[1]].map(|arg| self.trunc(arg, width));
                return self.bitwise(node.op, a, b);
            }
            Op::Ite => {
                let [atom, yes, no] = [node.args[0], node.args[1], node.args[2]];
                let yes = self.trunc(yes, width);
                let no = self.trunc(no, width);
                return self.ite(atom, yes, no);
            }
            _ => {}
        }
        self.make(Op::Trunc, width, &[], &[term])
    }

    /// Whether the low `width` bits of `term` are bits of an undefined value: its own, or shifted down.
    fn is_of_undefined(&self, term: Term, width: u8) -> bool {
        let node = self.node(term);
        let shifted =
            |amount: Term| self.as_const(amount).is_some_and(|count| count + u64::from(width) <= node.width.into());
        match node.op {
            Op::Lshr => self.is_undefined(node.args[0]) && shifted(node.args[1]),
            _ => self.is_undefined(term),
        }
    }

    /// `term` with zeros above, or with copies of its sign if it is `signed`.
    pub(super) fn extended(&mut self, term: Term, width: u8, signed: bool) -> Term {
        match signed {
            true => self.sext(term, width),
            false => self.zext(term, width),
        }
    }

    /// `low` and, above it, `high`.
    pub fn concat(&mut self, low: Term, high: Term) -> Term {
        let (below, width) = (self.width(low), self.width(low) + self.width(high));
        let low = self.zext(low, width);
        let high = self.zext(high, width);
        self.combination(width, 0, &[(low, 1), (high, 1 << below)])
    }

    /// The `width` bits of `term` from bit `at` on.
    pub fn part(&mut self, term: Term, at: u8, width: u8) -> Term {
        let count = self.constant(self.width(term), at.into());
        let shifted = self.lshr(term, count);
        self.trunc(shifted, width)
    }

    /// Bitwise and, or, exclusive or.
    pub fn bitwise(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if width == 1 {
            return match op {
                Op::And => self.both(a, b),
                Op::Or => self.either(a, b),
                _ => self.differ(a, b),
            };
        }
        let (a, b) = (a.min(b), a.max(b));
        let all = mask(u64::MAX, width);
        if a == b {
            return if op == Op::Xor { self.constant(width, 0) } else { a };
        }
        let number = self.as_const(b).map(|value| (a, value)).or_else(|| self.as_const(a).map(|value| (b, value)));
        if let Some((term, value)) = number {
            match op {
                Op::And => return self.mask(term, value),
                // x | c is (x & ~c) + c.
                Op::Or => {
                    let rest = self.mask(term, !value);
                    return self.plus(rest, value);
                }
                Op::Xor if value == 0 => return term,
                // ~x is -x - 1.
                // The carry of the highest bit is lost.
                Op::Xor if value == all - all / 2 => return self.plus(term, value),
                Op::Xor if value == all => return self.combination(width, all, &[(term, u64::MAX)]),
                _ => {
                    if let Some(number) = self.as_const(term) {
                        return self.constant(width, number ^ value);
                    }
                }
            }
        }
        // Numbers without common bits are added.
        if op != Op::And && self.possible(a) & self.possible(b) == 0 {
            return self.add(a, b);
        }
        if op == Op::And && self.possible(a) & self.possible(b) == 0 {
            return self.constant(width, 0);
        }
        for (choice, other) in [(a, b), (b, a)] {
            if let Some(made) = self.of_constants(choice, &mut |arena, leaf| arena.bitwise(op, leaf, other)) {
                return made;
            }
        }
        self.make(op, width, &[], &[a, b])
    }
}
