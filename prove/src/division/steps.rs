// SPDX-License-Identifier: MIT

//! The quotient of two numbers of 64 bits from operations on words, step by step as the pass `lower_int64` makes it.

use crate::term::{Arena, Term};
use ntv::op::AluOp::{self, *};

/// The words of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) low: Term,
    pub(super) high: Term,
}

/// The quotient of one layer: of the dividend's parts and the divisor's.
pub(super) type Divide<'a> = dyn FnMut(&mut Arena, &[Term]) -> Term + 'a;

/// Operations on words, as NIR names them.
pub(super) trait Compute {
    fn word(&mut self, op: AluOp, args: &[Term]) -> Term;
    fn with(&mut self, op: AluOp, x: Term, number: u32) -> Term;
    fn test(&mut self, op: AluOp, x: Term, y: Term) -> Term;
    fn test_with(&mut self, op: AluOp, x: Term, number: u32) -> Term;
}

impl Compute for Arena {
    fn word(&mut self, op: AluOp, args: &[Term]) -> Term {
        self.scalar(op, 32, args)
    }

    fn with(&mut self, op: AluOp, x: Term, number: u32) -> Term {
        let number = self.constant(32, number.into());
        self.word(op, &[x, number])
    }

    fn test(&mut self, op: AluOp, x: Term, y: Term) -> Term {
        self.scalar(op, 1, &[x, y])
    }

    fn test_with(&mut self, op: AluOp, x: Term, number: u32) -> Term {
        let number = self.constant(32, number.into());
        self.test(op, x, number)
    }
}

/// `left · 2^16 + next` by the divisor with these digits.
pub(super) fn digit(a: &mut Arena, parts: [Term; 4]) -> Term {
    digit_lowered(a, parts, 2)
}

/// The estimate of a digit, lowered by 1 up to so many times while it is too large.
pub(super) fn digit_lowered(a: &mut Arena, [left, next, high, low]: [Term; 4], times: u32) -> Term {
    let mut digit = a.word(udiv, &[left, high]);
    let taken = a.word(imul, &[digit, high]);
    let mut rest = a.word(isub, &[left, taken]);
    for _ in 0..times {
        let is_wide = a.test_with(uge, digit, 0x1_0000);
        let product = a.word(imul, &[digit, low]);
        let limit = a.with(ishl, rest, 16);
        let limit = a.word(ior, &[limit, next]);
        let exceeds = a.test(ult, limit, product);
        let too_large = a.either(is_wide, exceeds);
        let known = a.test_with(ult, rest, 0x1_0000);
        let too_large = a.both(too_large, known);
        let lowered = a.with(iadd, digit, u32::MAX);
        let raised = a.word(iadd, &[rest, high]);
        digit = a.ite(too_large, lowered, digit);
        rest = a.ite(too_large, raised, rest);
    }
    digit
}

/// `high · 2^32 + low` by `divisor`, which is greater than `high`.
pub(super) fn by_word(a: &mut Arena, [high, low, divisor]: [Term; 3], digit: &mut Divide<'_>) -> Term {
    let shift = leading_zeros(a, divisor);
    let divisor = a.word(ishl, &[divisor, shift]);
    let dividend = shifted_left(a, Words { low, high }, shift);
    let [upper_digit, lower_digit] = [a.with(ushr, divisor, 16), a.with(iand, divisor, 0xffff)];
    let [upper, lower] = [a.with(ushr, dividend.low, 16), a.with(iand, dividend.low, 0xffff)];
    let first = digit(a, &[dividend.high, upper, upper_digit, lower_digit]);
    let above = a.with(ishl, dividend.high, 16);
    let above = a.word(ior, &[above, upper]);
    let taken = a.word(imul, &[first, divisor]);
    let left = a.word(isub, &[above, taken]);
    let second = digit(a, &[left, lower, upper_digit, lower_digit]);
    let first = a.with(ishl, first, 16);
    a.word(ior, &[first, second])
}

/// `x` by `y`.
pub(super) fn divide(a: &mut Arena, x: Words, y: Words, by_word: &mut Divide<'_>) -> Words {
    let zero = a.constant(32, 0);
    let is_short = a.is_zero(y.high);
    let quotient_high = a.word(udiv, &[x.high, y.low]);
    let taken = a.word(imul, &[quotient_high, y.low]);
    let left = a.word(isub, &[x.high, taken]);
    let shift = leading_zeros(a, y.high);
    let leading = shifted_left(a, y, shift).high;
    let half_high = a.with(ushr, x.high, 1);
    let [below, crossing] = [a.with(ushr, x.low, 1), a.with(ishl, x.high, 31)];
    let half_low = a.word(ior, &[below, crossing]);
    let divisor = a.ite(is_short, y.low, leading);
    let high = a.ite(is_short, left, half_high);
    let low = a.ite(is_short, x.low, half_low);
    let quotient = by_word(a, &[high, low, divisor]);
    let long = corrected(a, x, y, [quotient, shift]);
    Words { low: a.ite(is_short, quotient, long), high: a.ite(is_short, quotient_high, zero) }
}

/// The quotient for a divisor of more than 32 bits, from that of the leading bits.
pub(super) fn corrected(a: &mut Arena, x: Words, y: Words, [estimate, shift]: [Term; 2]) -> Term {
    let scaled = scaled(a, estimate, shift);
    let quotient = lowered(a, scaled);
    let left = left(a, x, y, quotient);
    raised(a, y, left, quotient)
}

/// The estimate times 2^shift, divided by 2^31.
pub(super) fn scaled(a: &mut Arena, estimate: Term, shift: Term) -> Term {
    let zero = a.constant(32, 0);
    let scaled = shifted_left(a, Words { low: estimate, high: zero }, shift);
    let [below, above] = [a.with(ushr, scaled.low, 31), a.with(ishl, scaled.high, 1)];
    a.word(ior, &[below, above])
}

/// Less by 1, unless it is 0.
pub(super) fn lowered(a: &mut Arena, quotient: Term) -> Term {
    let positive = a.is_not_zero(quotient);
    let positive = a.zext(positive, 32);
    a.word(isub, &[quotient, positive])
}

/// What a quotient of a word leaves of `x`.
pub(super) fn left(a: &mut Arena, x: Words, y: Words, quotient: Term) -> Words {
    let [low, high] = [imul, umul_high].map(|op| a.word(op, &[quotient, y.low]));
    let cross = a.word(imul, &[quotient, y.high]);
    let high = a.word(iadd, &[high, cross]);
    let borrow = a.test(ult, x.low, low);
    let borrow = a.zext(borrow, 32);
    let high = a.word(isub, &[x.high, high]);
    Words { low: a.word(isub, &[x.low, low]), high: a.word(isub, &[high, borrow]) }
}

/// The product of two numbers, modulo 2^64.
pub(super) fn product(a: &mut Arena, x: Words, y: Words) -> Words {
    let [low, high] = [imul, umul_high].map(|op| a.word(op, &[x.low, y.low]));
    let crosses = [(x.low, y.high), (x.high, y.low)].map(|(x, y)| a.word(imul, &[x, y]));
    Words { low, high: crosses.into_iter().fold(high, |sum, cross| a.word(iadd, &[sum, cross])) }
}

fn sum(a: &mut Arena, x: Words, y: Words) -> Words {
    let [low, high] = [(x.low, y.low), (x.high, y.high)].map(|(x, y)| a.word(iadd, &[x, y]));
    let carry = a.test(ult, low, x.low);
    let carry = a.zext(carry, 32);
    Words { low, high: a.word(iadd, &[high, carry]) }
}

fn difference(a: &mut Arena, x: Words, y: Words) -> Words {
    let [low, high] = [(x.low, y.low), (x.high, y.high)].map(|(x, y)| a.word(isub, &[x, y]));
    let borrow = a.test(ult, x.low, y.low);
    let borrow = a.zext(borrow, 32);
    Words { low, high: a.word(isub, &[high, borrow]) }
}

/// What a quotient of magnitudes leaves, with the sign of the dividend.
pub(super) fn remainder(a: &mut Arena, [x, y]: [Words; 2], quotient: Words, is_negative: Term) -> Words {
    let multiple = product(a, quotient, y);
    let rest = difference(a, x, multiple);
    let zero = a.constant(32, 0);
    let negated = difference(a, Words { low: zero, high: zero }, rest);
    select(a, is_negative, negated, rest)
}

/// A remainder with the sign of `y`, of one with the sign of `x`.
pub(super) fn modulo(a: &mut Arena, remainder: Words, x: Words, y: Words) -> Words {
    let zero = a.constant(32, 0);
    let signs = a.word(ixor, &[x.high, y.high]);
    let differ = a.test(ilt, signs, zero);
    let any = a.word(ior, &[remainder.low, remainder.high]);
    let is_inexact = a.is_not_zero(any);
    let is_other = a.both(differ, is_inexact);
    let sum = sum(a, remainder, y);
    select(a, is_other, sum, remainder)
}

fn select(a: &mut Arena, condition: Term, x: Words, y: Words) -> Words {
    Words { low: a.ite(condition, x.low, y.low), high: a.ite(condition, x.high, y.high) }
}

/// More by 1, if what is left is not less than `y`.
pub(super) fn raised(a: &mut Arena, y: Words, left: Words, quotient: Term) -> Term {
    let [above, same] = [a.test(ult, left.high, y.high), a.test(ieq, left.high, y.high)];
    let below = a.test(ult, left.low, y.low);
    let below = a.both(same, below);
    let less = a.either(above, below);
    let more = a.not(less);
    let more = a.zext(more, 32);
    a.word(iadd, &[quotient, more])
}

/// 32 for 0.
fn leading_zeros(a: &mut Arena, x: Term) -> Term {
    let highest = a.word(ufind_msb, &[x]);
    let top = a.constant(32, 31);
    a.word(isub, &[top, highest])
}

/// Shifted by a count modulo 64.
fn shifted_left(a: &mut Arena, x: Words, count: Term) -> Words {
    let far = a.with(iand, count, 32);
    let far = a.is_not_zero(far);
    let rest = a.with(ixor, count, 31);
    let [low, above] = [x.low, x.high].map(|half| a.word(ishl, &[half, count]));
    let crossing = a.with(ushr, x.low, 1);
    let crossing = a.word(ushr, &[crossing, rest]);
    let near = a.word(ior, &[above, crossing]);
    let zero = a.constant(32, 0);
    Words { low: a.ite(far, zero, low), high: a.ite(far, low, near) }
}

/// The whole computation.
pub(super) fn divide_words(a: &mut Arena, x: Words, y: Words) -> Words {
    let mut digit_of = |a: &mut Arena, parts: &[Term]| digit(a, [0, 1, 2, 3].map(|i: usize| parts[i]));
    let mut by_word_of = |a: &mut Arena, parts: &[Term]| by_word(a, [0, 1, 2].map(|i: usize| parts[i]), &mut digit_of);
    divide(a, x, y, &mut by_word_of)
}
