// SPDX-License-Identifier: MIT

use super::*;
use crate::smt::Budget;
use crate::term::{Evaluator, Op};
use ntv::op::AluOp::{self, *};
use ntv_gen::Random;

fn solver(steps: u32) -> Solver {
    Solver::start(Budget::Steps(steps)).expect("the tests need z3")
}

/// Operations of two numbers of 32 bits, each as a number of 32 bits.
const OPS: [AluOp; 14] =
    [iadd, isub, imul, udiv, umod, umul_high, imul_high, umin, imax, uadd_sat, isub_sat, iabs, ior, ishr];

/// A term of some operations on two symbols.
fn some_term(a: &mut Arena, random: &mut Random) -> Term {
    let mut terms = vec![a.symbol("x", 32, &[]), a.symbol("y", 32, &[])];
    for _ in 0..4 {
        let [x, y] = [(); 2].map(|()| random.pick(&terms));
        let op = random.pick(&OPS);
        let count = a.constant(32, 1 + random.below(31));
        let made = match op {
            iabs => a.scalar(op, 32, &[x]),
            ishr => a.scalar(op, 32, &[x, count]),
            _ => a.scalar(op, 32, &[x, y]),
        };
        terms.push(a.mask(made, random.bits() | 0xff));
    }
    terms[terms.len() - 1]
}

/// Chosen values of x and y.
struct Values([u64; 2]);

impl crate::term::Assignment for Values {
    fn value(&mut self, name: &str, _: u8, _: &[u64]) -> u64 {
        match name {
            "x" => self.0[0],
            "y" => self.0[1],
            _ => 0,
        }
    }

    fn cell(&mut self, _: &str, _: u64, _: u8) -> u64 {
        0
    }
}

/// With numbers for the symbols, a term is never proved to be another number than it is.
#[test]
fn terms_are_what_they_are_of_numbers() {
    let (mut random, mut short, mut long) = (Random::new(11), solver(1_000), solver(100_000));
    let mut proved = 0;
    for _ in 0..30 {
        let a = &mut Arena::new();
        let term = some_term(a, &mut random);
        let values = [(); 2].map(|()| 1 + (random.bits() >> 32 >> random.below(31)));
        let number = Evaluator::new(a, Values(values)).number(term);
        let given = [("x", values[0]), ("y", values[1])].map(|(name, value)| {
            let (symbol, value) = (a.symbol(name, 32, &[]), a.constant(32, value));
            Fact::Equal(symbol, value)
        });
        let [right, wrong] = [number, number ^ 1].map(|number| a.constant(32, number));
        assert!(!short.follows(a, &given, Fact::Equal(term, wrong)), "{}", a.shown(term, 9));
        // It takes long until products are given up.
        let has_products = a.all_parts(&[term]).into_iter().any(|part| a.node(part).op == Op::Mul);
        proved += usize::from(!has_products && long.follows(a, &given, Fact::Equal(term, right)));
    }
    // A number without a rule, such as `or` of two numbers, may be any.
    assert!(proved > 8, "{proved}");
}

#[test]
fn products_of_parts_are_products() {
    let (a, mut solver) = (&mut Arena::new(), solver(6_000_000));
    let [x, y] = ["x", "y"].map(|name| a.symbol(name, 32, &[]));
    let high = a.scalar(umul_high, 32, &[x, y]);
    // By digits of 16 bits, with the carry of the middle digits.
    let digits = |a: &mut Arena, x| [a.mask(x, 0xffff), a.part(x, 16, 16)].map(|part| a.zext(part, 32));
    let ([x0, x1], [y0, y1]) = (digits(a, x), digits(a, y));
    let [low, cross, other, top] = [(x0, y0), (x0, y1), (x1, y0), (x1, y1)].map(|(x, y)| a.mul(x, y));
    let sixteen = a.constant(32, 16);
    let carried = a.lshr(low, sixteen);
    let middle = a.add(cross, carried);
    let [middle_low, middle_high] = [a.mask(middle, 0xffff), a.lshr(middle, sixteen)];
    let sum = a.add(other, middle_low);
    let sum_high = a.lshr(sum, sixteen);
    let [good, bad] = [sum_high, sixteen].map(|carry| a.combination(32, 0, &[(top, 1), (middle_high, 1), (carry, 1)]));
    assert!(solver.follows(a, &[], Fact::Equal(high, good)));
    assert!(!solver.follows(a, &[], Fact::Equal(high, bad)));
    let without_carry = a.add(top, middle_high);
    assert!(!solver.follows(a, &[], Fact::Equal(high, without_carry)));
}

#[test]
fn quotients_are_compared() {
    let (a, mut solver) = (&mut Arena::new(), solver(600_000));
    let [x, y] = ["x", "y"].map(|name| a.symbol(name, 32, &[]));
    let [quotient, rest] = [udiv, umod].map(|op| a.scalar(op, 32, &[x, y]));
    let product = a.mul(quotient, y);
    let whole = a.add(product, rest);
    let zero = a.is_zero(y);
    let is_divisor = Fact::Holds(a.not(zero));
    assert!(solver.follows(a, &[is_divisor], Fact::Equal(whole, x)));
    assert!(!solver.follows(a, &[], Fact::Equal(whole, x)));
    let fact = |quotient, less| Fact::Quotient { dividend: x, divisor: y, quotient, less };
    let more = a.plus(quotient, 1);
    assert!(
        solver.follows(a, &[is_divisor], fact(quotient, 0))
            && solver.follows(a, &[fact(quotient, 0)], fact(quotient, 1))
    );
    let any = a.symbol("q", 32, &[]);
    assert!(!solver.follows(a, &[fact(any, 1)], fact(any, 0)));
    assert!(!solver.follows(a, &[is_divisor], fact(more, 0)));
    // Bits of two numbers are not known to be apart.
    let either = a.bitwise(Op::Or, x, y);
    let sum = a.add(x, y);
    assert!(!solver.follows(a, &[], Fact::Equal(either, sum)));
}
