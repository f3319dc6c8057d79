// SPDX-License-Identifier: MIT

//! Quotients of 64 bits that are made of words of 32, as `lower_int64` makes them.
//!
//! No solver decides in one query whether that is a quotient. Here is the same computation in terms, in three layers, each of which
//! divides by means of the one below it:
//!
//! | layer | divides | proved for |
//! |-|-|-|
//! | `digit` | 48 bits by 32 whose top bit is set: a quotient of 16 bits | all numbers at once |
//! | `by_word` | 64 bits by 32: two digits | each place of the divisor's top bit |
//! | `divide` | 64 bits by 64: one quotient of the words | an upper word of 0, and each place of its top bit |
//!
//! In the proof of a layer, the results of the one below are symbols of which only this is known: they are the quotients, and what
//! the layer needs for that is proved. So each query has few products, and its numbers are whole numbers (`Fact`).
//!
//! `imod` is made of a remainder with the sign of the dividend, so there is a layer of it, too.
//!
//! The proofs are about symbols, so they hold for all terms in their place. Where `divide` of the words of two numbers occurs in a
//! module, it is their quotient; for a divisor of 0, NIR's quotient is open, and may be what `divide` is. The other opcodes of
//! division are defined by that quotient.

mod proofs;
mod steps;
#[cfg(test)]
mod tests;

use crate::smt::Solver;
use crate::term::{Arena, Op, Term};
use ntv::op::AluOp::{self, *};
use rustc_hash::FxHashMap;
use steps::{divide_words, modulo, remainder, Compute, Words};

/// Whether `divide` is proved to give the quotient of any two numbers, the second of which is not 0.
pub(crate) fn is_proved(solver: &mut Solver) -> bool {
    if let Some(known) = solver.divides {
        return known;
    }
    let is_proved = proofs::all(solver);
    *solver.divides.insert(is_proved)
}

/// The rows of 64 bits that divide, in a term: their terms, opcodes and operands.
fn rows(a: &Arena, term: Term) -> Vec<(Term, AluOp, [Term; 2])> {
    let row = |term| match (a.node(term).op, &*a.node(term).args) {
        (Op::Alu(op @ (udiv | umod | idiv | irem | imod)), [x, y]) if a.width(term) == 64 => Some((term, op, [*x, *y])),
        _ => None,
    };
    a.all_parts(&[term]).into_iter().filter_map(row).collect()
}

/// Whether a row of 64 bits divides in a term.
pub(crate) fn occurs(a: &Arena, term: Term) -> bool {
    !rows(a, term).is_empty()
}

/// Two terms with symbols for the words of quotients.
pub(crate) struct Divided {
    /// The terms.
    pub(crate) sides: [Term; 2],
    /// Terms that have to be equal for that: the remainders of which `imod` is made, and their words.
    pub(crate) lemmas: Vec<[Term; 2]>,
}

/// Both terms with symbols for the words of quotients: in `found` in place of `divide`, in `expected` in rows of 64 bits that divide.
/// The words of absolute values become symbols, too, because what is left to prove does not depend on them. The caller knows that
/// `divide` gives quotients.
pub(crate) fn with_quotients(a: &mut Arena, expected: Term, found: Term) -> Divided {
    let [mut of_rows, mut of_words, mut of_magnitudes] = [(); 3].map(|()| FxHashMap::default());
    let mut lemmas = Vec::new();
    for (term, op, numbers) in rows(a, expected) {
        let words = numbers.map(|number| match op {
            udiv | umod => words_of(a, number),
            _ => {
                let words = magnitude(a, number);
                let [low, high] = symbols(a, "magnitude", &[number]);
                of_magnitudes.extend([(words.low, low), (words.high, high)]);
                words
            }
        });
        let made = divide_words(a, words[0], words[1]);
        let [x, y] = words.map(|words| a.concat(words.low, words.high));
        let [low, high] = symbols(a, "quotient", &[x, y]);
        of_words.extend([(made.low, low), (made.high, high)]);
        let quotient = a.concat(low, high);
        let row = match op {
            imod => {
                let [x_words, y_words] = numbers.map(|number| words_of(a, number));
                let zero = a.constant(32, 0);
                let is_negative = a.test(ilt, x_words.high, zero);
                let rest = remainder(a, words, Words { low, high }, is_negative);
                let whole = by_quotient(a, irem, numbers, [x, y, quotient]);
                let whole = words_of(a, whole);
                lemmas.extend([[whole.low, rest.low], [whole.high, rest.high]]);
                let made = modulo(a, rest, x_words, y_words);
                a.concat(made.low, made.high)
            }
            _ => by_quotient(a, op, numbers, [x, y, quotient]),
        };
        of_rows.insert(term, row);
    }
    let sides = [a.replace(expected, &mut of_rows), a.replace(found, &mut of_words)];
    let mut without_magnitudes = |term| a.replace(term, &mut of_magnitudes);
    let sides = sides.map(&mut without_magnitudes);
    Divided { sides, lemmas: lemmas.into_iter().map(|lemma| lemma.map(&mut without_magnitudes)).collect() }
}

/// Symbols for the words of a number.
fn symbols(a: &mut Arena, number: &str, args: &[Term]) -> [Term; 2] {
    ["low", "high"].map(|word| a.symbol(&format!("{word} word of the {number}"), 32, args))
}

fn words_of(a: &mut Arena, number: Term) -> Words {
    Words { low: a.trunc(number, 32), high: a.part(number, 32, 32) }
}

/// The absolute value.
fn magnitude(a: &mut Arena, number: Term) -> Words {
    let x = words_of(a, number);
    let zero = a.constant(32, 0);
    let [low, high] = [x.low, x.high].map(|word| a.word(ineg, &[word]));
    let borrow = a.test(ult, zero, x.low);
    let borrow = a.zext(borrow, 32);
    let high = a.word(isub, &[high, borrow]);
    let negative = a.test(ilt, x.high, zero);
    Words { low: a.ite(negative, low, x.low), high: a.ite(negative, high, x.high) }
}

/// A row that divides numbers, by the quotient of two others: of the numbers, or of their absolute values if the row has signs.
fn by_quotient(a: &mut Arena, op: AluOp, numbers: [Term; 2], [x, y, quotient]: [Term; 3]) -> Term {
    let width = a.width(x);
    let zero = a.constant(width, 0);
    let multiple = a.mul(quotient, y);
    let rest = a.sub(x, multiple);
    let [x_negative, y_negative] = numbers.map(|number| a.slt(number, zero));
    let differ = a.differ(x_negative, y_negative);
    let mut negated_if = |condition, number| {
        let negated = a.sub(zero, number);
        a.ite(condition, negated, number)
    };
    match op {
        udiv => quotient,
        umod => rest,
        idiv => negated_if(differ, quotient),
        irem => negated_if(x_negative, rest),
        _ => {
            let rest = negated_if(x_negative, rest);
            with_sign(a, rest, numbers)
        }
    }
}

/// A remainder with the sign of the second number, of one with the sign of the first.
fn with_sign(a: &mut Arena, rest: Term, numbers: [Term; 2]) -> Term {
    let zero = a.constant(a.width(rest), 0);
    let [x_negative, y_negative] = numbers.map(|number| a.slt(number, zero));
    let differ = a.differ(x_negative, y_negative);
    let is_exact = a.is_zero(rest);
    let is_inexact = a.not(is_exact);
    let is_other = a.both(differ, is_inexact);
    let sum = a.add(rest, numbers[1]);
    a.ite(is_other, sum, rest)
}
