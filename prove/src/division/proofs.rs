// SPDX-License-Identifier: MIT

//! The proofs that the steps of a division give quotients.

use super::steps::{by_word, corrected, digit, divide, left, lowered, modulo, raised, scaled, Compute, Words};
use super::{magnitude, with_sign};
use crate::smt::{Answer, Fact, Solver};
use crate::term::{Arena, Term};
use ntv::op::AluOp::{iabs, ufind_msb, uge, ult};
use rustc_hash::FxHashMap;

/// A layer's use of the layer below: the parts, and the symbol that stands for the quotient.
type Use = (Vec<Term>, Term);

/// A layer that is proved for one case: what is given, and what is put in place of terms that the case decides.
struct Case {
    given: Vec<Fact>,
    decided: FxHashMap<Term, Term>,
}

impl Case {
    fn new(given: Vec<Fact>) -> Case {
        Case { given, decided: FxHashMap::default() }
    }

    /// The top bit of a word is bit `top`.
    fn top_bit(a: &mut Arena, word: Term, top: u32) -> Case {
        let least = a.test_with(uge, word, 1 << top);
        let mut case = Case::new(vec![Fact::Holds(least)]);
        if top < 31 {
            let most = a.test_with(ult, word, 2 << top);
            case.given.push(Fact::Holds(most));
        }
        let (highest, place) = (a.word(ufind_msb, &[word]), a.constant(32, top.into()));
        let (is_zero, no) = (a.is_zero(word), a.boolean(false));
        case.decided.extend([(highest, place), (is_zero, no)]);
        case
    }

    /// A term in this case.
    fn of(&mut self, a: &mut Arena, term: Term) -> Term {
        a.replace(term, &mut self.decided)
    }

    /// Whether each use of the layer below has what that layer needs; what it gives is given then.
    fn admits(
        &mut self,
        a: &mut Arena,
        solver: &mut Solver,
        uses: Vec<Use>,
        of: fn(&mut Arena, &[Term]) -> Layer,
    ) -> bool {
        uses.into_iter().all(|(parts, quotient)| {
            let parts: Vec<Term> = parts.into_iter().map(|part| self.of(a, part)).collect();
            let layer = of(a, &parts);
            let is_met = layer.needs.iter().all(|need| solver.follows(a, &self.given, Fact::Holds(*need)));
            let quotient = self.of(a, quotient);
            self.given.push(layer.gives(quotient));
            is_met
        })
    }
}

/// What a layer divides, and the conditions under which it does.
struct Layer {
    dividend: Term,
    divisor: Term,
    needs: Vec<Term>,
}

impl Layer {
    fn gives(&self, quotient: Term) -> Fact {
        Fact::Quotient { dividend: self.dividend, divisor: self.divisor, quotient, less: 0 }
    }

    /// Of a digit of the parts of [`digit`].
    fn of_digit(a: &mut Arena, parts: &[Term]) -> Layer {
        let wide: Vec<Term> = parts.iter().map(|part| a.zext(*part, 64)).collect();
        let dividend = a.combination(64, 0, &[(wide[0], 1 << 16), (wide[1], 1)]);
        let divisor = a.combination(64, 0, &[(wide[2], 1 << 16), (wide[3], 1)]);
        let is_less = a.ult(wide[0], divisor);
        let is_normal = a.test_with(uge, parts[2], 0x8000);
        Layer { dividend, divisor, needs: vec![is_less, is_normal] }
    }

    /// Of the parts of [`by_word`].
    fn of_word(a: &mut Arena, parts: &[Term]) -> Layer {
        let dividend = a.concat(parts[1], parts[0]);
        let divisor = a.zext(parts[2], 64);
        let is_less = a.ult(parts[0], parts[2]);
        Layer { dividend, divisor, needs: vec![is_less] }
    }
}

/// Whether all steps are proved.
pub(super) fn all(solver: &mut Solver) -> bool {
    proves_digit(solver, &digit)
        && (0..32).all(|top| proves_by_word(solver, top))
        && proves_short(solver)
        && (0..32).all(|top| proves_estimate(solver, top))
        && proves_left(solver)
        && proves_raised(solver)
        && proves_magnitude(solver)
        && proves_modulo(solver)
}

fn symbols<const N: usize>(a: &mut Arena, names: [&str; N], width: u8) -> [Term; N] {
    names.map(|name| a.symbol(name, width, &[]))
}

/// Whether `digit` gives a quotient, which has 16 bits.
pub(super) fn proves_digit(solver: &mut Solver, digit: &dyn Fn(&mut Arena, [Term; 4]) -> Term) -> bool {
    let a = &mut Arena::new();
    let [left] = symbols(a, ["left"], 32);
    let [next, high, low] = symbols(a, ["next", "high", "low"], 16).map(|part| a.zext(part, 32));
    let parts = [left, next, high, low];
    let layer = Layer::of_digit(a, &parts);
    let given: Vec<Fact> = layer.needs.iter().map(|need| Fact::Holds(*need)).collect();
    let quotient = digit(a, parts);
    let is_small = a.test_with(ult, quotient, 0x1_0000);
    [Fact::Holds(is_small), layer.gives(quotient)].into_iter().all(|goal| solver.follows(a, &given, goal))
}

/// Whether [`by_word`] gives a quotient for a divisor with this top bit.
fn proves_by_word(solver: &mut Solver, top: u32) -> bool {
    let a = &mut Arena::new();
    let parts = symbols(a, ["high", "low", "divisor"], 32);
    let mut uses: Vec<Use> = Vec::new();
    let quotient = by_word(a, parts, &mut |a, parts| {
        let digit = a.symbol(&format!("digit {}", uses.len()), 16, &[]);
        uses.push((parts.to_vec(), a.zext(digit, 32)));
        a.zext(digit, 32)
    });
    let mut case = Case::top_bit(a, parts[2], top);
    let layer = Layer::of_word(a, &parts);
    case.given.extend(layer.needs.iter().map(|need| Fact::Holds(*need)));
    let quotient = case.of(a, quotient);
    case.admits(a, solver, uses, Layer::of_digit) && solver.follows(a, &case.given, layer.gives(quotient))
}

/// Symbols for the words of two numbers, and the numbers.
fn two_numbers(a: &mut Arena) -> ([Words; 2], [Term; 2]) {
    let [low, high, y_low, y_high] = symbols(a, ["x.low", "x.high", "y.low", "y.high"], 32);
    let words = [Words { low, high }, Words { low: y_low, high: y_high }];
    (words, words.map(|number| a.concat(number.low, number.high)))
}

/// [`divide`] of two numbers, with a symbol for the result of [`by_word`], and the use of that.
fn divide_by_symbol(a: &mut Arena, x: Words, y: Words) -> (Words, Use) {
    let symbol = a.symbol("quotient by a word", 32, &[]);
    let mut parts = Vec::new();
    let quotient = divide(a, x, y, &mut |_, given| {
        parts = given.to_vec();
        symbol
    });
    (quotient, (parts, symbol))
}

/// Whether [`divide`] gives a quotient for a divisor of one word.
fn proves_short(solver: &mut Solver) -> bool {
    let a = &mut Arena::new();
    let ([x, y], [dividend, _]) = two_numbers(a);
    let y = Words { high: a.constant(32, 0), ..y };
    let (quotient, used) = divide_by_symbol(a, x, y);
    let is_divisor = a.is_not_zero(y.low);
    let mut case = Case::new(vec![Fact::Holds(is_divisor)]);
    let layer = Layer { dividend, divisor: a.zext(y.low, 64), needs: Vec::new() };
    let quotient = a.concat(quotient.low, quotient.high);
    case.admits(a, solver, vec![used], Layer::of_word) && solver.follows(a, &case.given, layer.gives(quotient))
}

/// Whether the estimate of [`divide`] for a divisor with this top bit in its upper word is the quotient, or less by 1.
fn proves_estimate(solver: &mut Solver, top: u8) -> bool {
    let a = &mut Arena::new();
    let ([x, y], [dividend, divisor]) = two_numbers(a);
    let (quotient, (parts, estimate)) = divide_by_symbol(a, x, y);
    let mut case = Case::top_bit(a, y.high, top.into());
    let shift = a.constant(32, u64::from(31 - top));
    // The result is that of the estimate; its upper word is 0.
    let long = corrected(a, x, y, [estimate, shift]);
    let [low, high] = [quotient.low, quotient.high].map(|word| case.of(a, word));
    let parts: Vec<Term> = parts.into_iter().map(|part| case.of(a, part)).collect();
    let half = a.concat(parts[1], parts[0]);
    let leading = parts[2];
    if low != long || a.as_const(high) != Some(0) || !case.admits(a, solver, vec![(parts, estimate)], Layer::of_word) {
        return false;
    }
    // The leading bits of the divisor and the others: any that make a divisor with this top bit.
    let below = top + 1;
    let [bits, others] = [a.symbol("leading", 32, &[]), a.symbol("others", below, &[])];
    let low = a.trunc(y.low, below);
    let [whole, divisor_of_bits] = [[leading, low], [bits, others]].map(|[high, low]| {
        let [low, high] = [low, high].map(|part| a.zext(part, 64));
        a.combination(64, 0, &[(low, 1), (high, 1 << below)])
    });
    let [is_normal, bits_are_normal] = [leading, bits].map(|word| a.test_with(uge, word, 1 << 31));
    // Half of the dividend, and the estimate times 2^shift, divided by 2^31, without the words between.
    let (scaled, one, top) = (scaled(a, estimate, shift), a.constant(64, 1), a.constant(32, top.into()));
    let (plain, plain_half, yes) = (a.lshr(estimate, top), a.lshr(dividend, one), a.boolean(true));
    let conditions: Vec<Term> = case.given.iter().filter_map(Fact::condition).collect();
    let mut same = |(x, y)| matches!(solver.compare(a, x, y, &conditions), Answer::Equal);
    if ![(scaled, plain), (half, plain_half), (whole, divisor), (is_normal, yes)].into_iter().all(&mut same) {
        return false;
    }
    let wide = a.zext(bits, 64);
    let estimated = Fact::Quotient { dividend: plain_half, divisor: wide, quotient: estimate, less: 0 };
    [true, false].into_iter().all(|is_zero| {
        let (zero, value) = (a.is_zero(plain), a.boolean(is_zero));
        let holds = a.equal(zero, value);
        let lowered = lowered(a, plain);
        let quotient = a.replace(lowered, &mut [(zero, value)].into_iter().collect());
        let given = [Fact::Holds(bits_are_normal), estimated, Fact::Holds(holds)];
        solver.follows(a, &given, Fact::Quotient { dividend, divisor: divisor_of_bits, quotient, less: 1 })
    })
}

/// Whether [`left`] is what a quotient leaves, modulo 2^64.
fn proves_left(solver: &mut Solver) -> bool {
    let a = &mut Arena::new();
    let ([x, y], [dividend, divisor]) = two_numbers(a);
    let [quotient] = symbols(a, ["quotient"], 32);
    let left = left(a, x, y, quotient);
    let found = a.concat(left.low, left.high);
    let expected = rest(a, dividend, divisor, quotient);
    solver.follows(a, &[], Fact::Equal(expected, found))
}

/// `dividend` less `quotient` times `divisor`.
fn rest(a: &mut Arena, dividend: Term, divisor: Term, quotient: Term) -> Term {
    let quotient = a.zext(quotient, 64);
    let multiple = a.mul(quotient, divisor);
    a.sub(dividend, multiple)
}

/// Whether [`raised`] is the quotient for a divisor of two words, if it gets one that is too small by at most 1.
fn proves_raised(solver: &mut Solver) -> bool {
    let a = &mut Arena::new();
    let ([_, y], [dividend, divisor]) = two_numbers(a);
    let [any, low, high] = symbols(a, ["quotient", "left.low", "left.high"], 32);
    let left = a.concat(low, high);
    let most = a.constant(32, u32::MAX.into());
    let is_long = a.is_not_zero(y.high);
    // The greatest word cannot be raised, so it is a case of its own.
    [any, most].into_iter().all(|quotient| {
        let is_less = a.ult(any, most);
        let rest = rest(a, dividend, divisor, quotient);
        let near = Fact::Quotient { dividend, divisor, quotient, less: 1 };
        let given = [Fact::Holds(is_less), Fact::Holds(is_long), near, Fact::Equal(left, rest)];
        let quotient = raised(a, y, Words { low, high }, quotient);
        solver.follows(a, &given, Fact::Quotient { dividend, divisor, quotient, less: 0 })
    })
}

/// Whether [`magnitude`] is the absolute value.
fn proves_magnitude(solver: &mut Solver) -> bool {
    let a = &mut Arena::new();
    let (_, [number, _]) = two_numbers(a);
    let words = magnitude(a, number);
    let (found, expected) = (a.concat(words.low, words.high), a.scalar(iabs, 64, &[number]));
    solver.follows(a, &[], Fact::Equal(expected, found))
}

/// Whether [`modulo`] gives the remainder the sign of the divisor.
fn proves_modulo(solver: &mut Solver) -> bool {
    let a = &mut Arena::new();
    let ([x, y], numbers) = two_numbers(a);
    let [low, high] = symbols(a, ["rest.low", "rest.high"], 32);
    let words = modulo(a, Words { low, high }, x, y);
    let rest = a.concat(low, high);
    let (found, expected) = (a.concat(words.low, words.high), with_sign(a, rest, numbers));
    matches!(solver.compare(a, expected, found, &[]), Answer::Equal)
}
