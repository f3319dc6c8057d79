// SPDX-License-Identifier: MIT

use super::*;
use crate::inputs;
use crate::rows::Row;

#[test]
fn parts_of_an_address_are_joined() {
    let mut a = Arena::new();
    let x = a.symbol("x", 32, &[]);
    let [two, four] = [2, 4].map(|value| a.constant(32, value));
    // 16 * (x >> 4) + 4 * ((x >> 2) & 3) is x & ~3.
    let row = a.lshr(x, four);
    let words = a.lshr(x, two);
    let lane = a.mask(words, 3);
    let address = a.combination(32, 0, &[(row, 16), (lane, 4)]);
    assert_eq!(address, a.mask(x, !3));
    // ((x + 1) & 0x0fffffff) * 16 + 4 is x * 16 + 20.
    let next = a.plus(x, 1);
    let masked = a.mask(next, 0x0fff_ffff);
    let left = a.combination(32, 4, &[(masked, 16)]);
    assert_eq!(left, a.combination(32, 20, &[(x, 16)]));
}

#[test]
fn numbers_are_packed_and_unpacked() {
    let mut a = Arena::new();
    let [x, y] = ["x", "y"].map(|name| a.symbol(name, 32, &[]));
    let both = a.concat(x, y);
    assert_eq!(a.part(both, 0, 32), x);
    assert_eq!(a.part(both, 32, 32), y);
    let wide = a.symbol("wide", 64, &[]);
    let [low, high] = [0, 32].map(|at| a.part(wide, at, 32));
    assert_eq!(a.concat(low, high), wide);
}

#[test]
fn conditions_have_one_form() {
    let mut a = Arena::new();
    let [p, q] = ["p", "q"].map(|name| a.symbol(name, 1, &[]));
    let [not_p, not_q] = [p, q].map(|term| a.not(term));
    let neither = a.both(not_p, not_q);
    let one = a.either(p, q);
    assert_eq!(a.not(one), neither);
    let [p_and_q, p_not_q] = [q, not_q].map(|term| a.both(p, term));
    assert_eq!(a.either(p_and_q, p_not_q), p);
    let [x, y] = ["x", "y"].map(|name| a.symbol(name, 32, &[]));
    // Under p, a choice by p and q is one by q.
    let chosen = a.ite(p_and_q, x, y);
    assert_eq!(a.under(chosen, p), a.ite(q, x, y));
    let numbers = [1, 0].map(|value| a.constant(32, value));
    let number = a.ite(p, numbers[0], numbers[1]);
    let zero = a.is_zero(number);
    assert_eq!(zero, not_p);
}

#[test]
fn the_order_of_writes_to_other_cells_does_not_matter() {
    let mut a = Arena::new();
    let memory = a.symbol("memory", 0, &[]);
    let [x, y, at] = ["x", "y", "at"].map(|name| a.symbol(name, 32, &[]));
    let next = a.plus(at, 4);
    let both = |a: &mut Arena, cells: [(Term, Term); 2]| {
        cells.iter().fold(memory, |state, (address, value)| a.write(state, *address, *value))
    };
    let state = both(&mut a, [(at, x), (next, y)]);
    assert_eq!(state, both(&mut a, [(next, y), (at, x)]));
    assert_ne!(state, both(&mut a, [(next, x), (at, y)]));
    assert_eq!(a.read(state, at, 32), x);
    let other = a.symbol("other", 32, &[]);
    let written = a.write(state, other, x);
    assert_ne!(a.read(written, at, 32), x);
}

/// A product of words, as a target without 64 bits computes it, is that of the whole numbers.
#[test]
fn products_of_words_are_those_of_the_whole() {
    let mut a = Arena::new();
    let [low, high, other, upper] = ["0", "1", "2", "3"].map(|name| a.symbol(name, 32, &[]));
    let pair = |a: &mut Arena, low: Term, high: Term| {
        let cross = [(low, upper), (high, other)].map(|(x, y)| (a.mul(x, y), 1));
        let product = [AluOp::imul, AluOp::umul_high].map(|op| a.scalar(op, 32, &[low, other]));
        let above = a.combination(32, 0, &[(product[1], 1), cross[0], cross[1]]);
        a.concat(product[0], above)
    };
    let count = a.constant(32, 31);
    let sign = a.ashr(low, count);
    let values = [0xffff_fff3, 0x8000_0005, 0xfedc_ba98, 0x0123_4567];
    let numbers = [values[1] << 32 | values[0], values[0] as i32 as u64];
    let wholes = [a.concat(low, high), a.sext(low, 64)];
    let second = a.concat(other, upper);
    for ((upper_word, whole), number) in [high, sign].into_iter().zip(wholes).zip(numbers) {
        let product = a.mul(whole, second);
        assert_eq!(pair(&mut a, low, upper_word), product);
        let found = Evaluator::new(&a, Numbered { values: &values, is_open: false }).number(product);
        assert_eq!(found, number.wrapping_mul(values[3] << 32 | values[2]));
    }
}

/// The values of symbols that are named by their number, and whether another function was asked for.
pub(crate) struct Numbered<'a> {
    pub(crate) values: &'a [u64],
    pub(crate) is_open: bool,
}

impl Assignment for Numbered<'_> {
    fn value(&mut self, name: &str, _: u8, _: &[u64]) -> u64 {
        let known = name.parse::<usize>().ok().and_then(|number| self.values.get(number).copied());
        self.is_open |= known.is_none();
        known.unwrap_or(0)
    }

    fn cell(&mut self, _: &str, _: u64, _: u8) -> u64 {
        0
    }
}

/// A row applied to symbols that are named by their number: the symbols of each source, and the components of the result.
pub(crate) fn of_symbols(arena: &mut Arena, row: Row) -> (Vec<Vec<Term>>, Vec<Term>) {
    let shapes: Vec<(u8, u8)> = row.op.info().srcs.iter().map(|src| row.shape(src)).collect();
    let mut srcs = vec![Vec::new(); shapes.len()];
    // Component by component: then the diagram that compares two vectors of 16 booleans has few nodes, not hundreds of thousands.
    for c in 0..shapes.iter().map(|(count, _)| *count).max().unwrap_or(0) {
        let mut first = 0;
        for ((count, bits), src) in shapes.iter().zip(&mut srcs) {
            if c < *count {
                src.push(arena.symbol(&(first + c).to_string(), *bits, &[]));
            }
            first += count;
        }
    }
    let (count, bits) = row.result();
    let terms = (0..count).map(|c| arena.alu(row.op, bits, c.into(), &srcs)).collect();
    (srcs, terms)
}

/// Whether other operations of terms define a row, so that it is never applied to operands.
pub(crate) fn is_defined_here(row: Row) -> bool {
    let mut arena = Arena::new();
    let (_, terms) = of_symbols(&mut arena, row);
    // A narrow row may be defined by the same row of wider operands.
    let is_symbol = |arg: &Term| matches!(arena.node(*arg).op, Op::Symbol(_));
    let is_row = |part: &Term| {
        let node = arena.node(*part);
        node.op == Op::Alu(row.op) && node.args.iter().all(is_symbol)
    };
    !arena.all_parts(&terms).iter().any(is_row)
}

/// The most cases of a row.
const CASES: usize = 1000;

/// Each definition gives what the row folds to, for special and random inputs.
#[test]
fn definitions_are_those_of_the_table() {
    let mut compared = 0;
    for row in Row::all() {
        let mut arena = Arena::new();
        let info = row.op.info();
        let (srcs, terms) = of_symbols(&mut arena, row);
        let widths: Vec<u8> = srcs.iter().map(|src| arena.width(src[0])).collect();
        let (_, bits) = row.result();
        let cases = inputs::cases(row, 300);
        // Of the many cases of two short operands, every few.
        let every = (cases.len() / CASES).max(1);
        for case in cases.into_iter().step_by(every) {
            let mut evaluator = Evaluator::new(&arena, Numbered { values: &case, is_open: false });
            let mut rest = case.iter().copied();
            let values: Vec<Vec<u64>> = srcs.iter().map(|src| rest.by_ref().take(src.len()).collect()).collect();
            for (c, term) in terms.iter().enumerate() {
                let Some(expected) = alu::fold_row(row.op, bits, c, &values, &widths) else { continue };
                let is_float = info.dest.ty.base == ntv::op::Base::Float;
                let found = evaluator.number(*term);
                let nan = |value| ntv::op::fold::to_float(value, bits).is_nan();
                let both_nan = is_float && bits > 8 && nan(found) && nan(expected);
                assert!(found == expected || both_nan, "{} of {case:x?}: {found:#x}, not {expected:#x}", row.name());
                compared += 1;
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}
