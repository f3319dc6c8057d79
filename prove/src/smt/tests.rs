// SPDX-License-Identifier: MIT

use super::text::{Bits, Condition};
use super::*;
use crate::inputs;
use crate::rows::Row;
use crate::term::tests::{is_defined_here, of_symbols, Numbered};
use crate::term::{Evaluator, Op};
use ntv::op::{AluOp, Base};

/// The solver; the tests need it.
fn solver() -> Solver {
    Solver::start(Budget::Steps(60_000_000)).expect("the tests need z3")
}

fn has_floats(op: AluOp) -> bool {
    let info = op.info();
    info.srcs.iter().chain([&info.dest]).any(|operand| operand.ty.base == Base::Float) || op.name().contains("norm")
}

/// The numbers of operands for which a row is tested.
fn some_cases(row: Row) -> Vec<Vec<u64>> {
    let all = inputs::cases(row, 60);
    let step = (all.len() / 90).max(1) | 1;
    let (most, random) = all.split_at(all.len().saturating_sub(60));
    most.iter().step_by(step).chain(random).cloned().collect()
}

/// Asks whether the definition of a row differs from the fold for some operands.
fn compare_with_fold(solver: &mut Solver, row: Row) {
    let mut arena = Arena::new();
    let (srcs, results) = of_symbols(&mut arena, row);
    let symbols = srcs.concat();
    let mut encoder = Encoder::new(&arena, Theory::Floats);
    let mut differ = Condition("false".into());
    let cases = some_cases(row);
    for (case, result) in cases.iter().flat_map(|case| results.iter().map(move |result| (case, *result))) {
        for (symbol, value) in symbols.iter().zip(case) {
            encoder.set(*symbol, Bits::number(*value, arena.width(*symbol).into()));
        }
        encoder.choices.clear();
        for part in arena.all_parts(&[result]).into_iter().filter(|part| !symbols.contains(part)) {
            encoder.add(part);
        }
        let mut evaluator = Evaluator::new(&arena, Numbered { values: case, is_open: false });
        let number = evaluator.number(result);
        let expected = match evaluator.assignment.is_open {
            true => encoder.choices[0].1.clone(),
            false => Bits::number(number, arena.width(result).into()),
        };
        let wrong = encoder.number(result).equals(&expected).not();
        differ = encoder.script.name_condition(&differ.or(&wrong));
    }
    encoder.script.assert(&differ);
    encoder.choices.clear();
    let query = Query { encoder, cell: None };
    match solver.solve(&query, CHECK) {
        Verdict::Unsatisfiable => {}
        Verdict::Satisfiable(_) => panic!("{} differs from its fold", row.name()),
        Verdict::Unknown(reason) => panic!("{}: {reason}", row.name()),
    }
}

#[test]
fn each_row_of_integers_has_a_definition() {
    let rows = Row::all().into_iter().filter(|row| !is_defined_here(*row) && !has_floats(row.op));
    let missing: Vec<String> = rows
        .filter(|row| integers::definition(row.op, row.result().1.into()).is_none())
        .map(|row| row.name())
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn each_definition_is_of_a_row_that_terms_do_not_define() {
    let rows: Vec<Row> = Row::all().into_iter().filter(|row| !is_defined_here(*row)).collect();
    let is_needed = |op: &AluOp| rows.iter().any(|row| row.op == *op);
    let is_defined = |op: &&AluOp| {
        floats::definition(**op).is_some()
            || [1, 8, 16, 32, 64].iter().any(|w| integers::definition(**op, *w).is_some())
    };
    let unneeded: Vec<&str> =
        AluOp::ALL.iter().filter(is_defined).filter(|op| !is_needed(op)).map(|op| op.name()).collect();
    assert_eq!(unneeded, [""; 0]);
}

#[test]
fn definitions_are_the_folds() {
    let mut solver = solver();
    let mut compared = 0;
    for row in Row::all().into_iter().filter(|row| !is_defined_here(*row)) {
        let is_defined = integers::definition(row.op, row.result().1.into()).is_some();
        if is_defined || floats::definition(row.op).is_some() {
            compare_with_fold(&mut solver, row);
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

/// Two symbols of 32 bits.
fn xy(arena: &mut Arena) -> [Term; 2] {
    ["x", "y"].map(|name| arena.symbol(name, 32, &[]))
}

#[test]
fn integers_are_compared() {
    let (mut a, mut solver) = (Arena::new(), solver());
    let [x, y] = xy(&mut a);
    let [and, or] = [Op::And, Op::Or].map(|op| a.bitwise(op, x, y));
    let (sum, parts) = (a.add(x, y), a.add(and, or));
    assert!(matches!(solver.compare(&a, sum, parts, &[]), Answer::Equal));
    let Answer::Different(model) = solver.compare(&a, sum, or, &[]) else { panic!("x + y is not x | y") };
    let mut evaluator = Evaluator::new(&a, model);
    assert_ne!(evaluator.number(sum), evaluator.number(or));
    // Without common bits, it is.
    let none = a.is_zero(and);
    assert!(matches!(solver.compare(&a, sum, or, &[none]), Answer::Equal));
    // x / y * y + x % y is x, unless y is 0, where both are open.
    let [quotient, rest] = [AluOp::udiv, AluOp::umod].map(|op| a.scalar(op, 32, &[x, y]));
    let eight = a.constant(32, 7);
    let [small_x, small_y] = [x, y].map(|term| a.ult(term, eight));
    let product = a.mul(quotient, y);
    let whole = a.add(product, rest);
    assert!(matches!(solver.compare(&a, whole, x, &[small_x, small_y]), Answer::Different(_)));
    let zero = a.is_zero(y);
    let not_zero = a.not(zero);
    assert!(matches!(solver.compare(&a, whole, x, &[small_x, small_y, not_zero]), Answer::Equal));
}

#[test]
fn floats_are_compared() {
    let (mut a, mut solver) = (Arena::new(), solver());
    let [x, y] = ["x", "y"].map(|name| a.symbol(name, 16, &[]));
    let [less, less_back] = [[x, y], [y, x]].map(|args| a.scalar(AluOp::flt, 1, &args));
    // A function without a meaning suffices for the same operands in another order.
    let [sum, back] =
        [[x, y], [y, x]].map(|args| a.ite(less, args[0], args[1])).map(|term| a.scalar(AluOp::fadd, 16, &[term, x]));
    let other = a.scalar(AluOp::fadd, 16, &[x, x]);
    let mixed = a.scalar(AluOp::fadd, 16, &[y, x]);
    let chosen = a.ite(less, other, mixed);
    assert!(matches!(solver.compare(&a, sum, chosen, &[]), Answer::Equal));
    assert!(matches!(solver.compare(&a, sum, back, &[]), Answer::Different(_) | Answer::Unknown(_)));
    // That not both are less than the other needs the theory.
    let both = a.both(less, less_back);
    let no = a.boolean(false);
    assert!(matches!(solver.compare(&a, both, no, &[]), Answer::Equal));
}

#[test]
fn memory_is_compared() {
    let (mut a, mut solver) = (Arena::new(), solver());
    let memory = a.symbol("storage block 0.0[0]", 0, &[]);
    let [x, y] = xy(&mut a);
    let [at_x, at_y] = [x, y].map(|address| a.write(memory, address, x));
    let both = a.write(at_x, y, y);
    let swapped = a.write(memory, y, y);
    let swapped = a.write(swapped, x, x);
    let same = a.equal(x, y);
    let differ = a.not(same);
    // If the addresses are the same, so are the values here.
    assert!(matches!(solver.compare(&a, both, swapped, &[]), Answer::Equal));
    let Answer::Different(model) = solver.compare(&a, at_x, at_y, &[differ]) else { panic!("other cells are written") };
    assert!(model.address.is_some());
    // As operands of an atomic, the states are the same, too.
    let [after, after_swapped] = [both, swapped].map(|state| a.symbol("atomic", 32, &[state, x]));
    assert!(matches!(solver.compare(&a, after, after_swapped, &[]), Answer::Equal));
    let after_other = a.symbol("atomic", 32, &[at_x, x]);
    assert!(matches!(solver.compare(&a, after, after_other, &[differ]), Answer::Different(_)));
    let read = a.read(both, x, 32);
    assert!(matches!(solver.compare(&a, read, x, &[]), Answer::Equal));
}

#[test]
fn a_solver_that_ended_starts_again() {
    let (mut a, mut solver) = (Arena::new(), solver());
    let [x, y] = xy(&mut a);
    let [and, or] = [Op::And, Op::Or].map(|op| a.bitwise(op, x, y));
    assert!(matches!(solver.compare(&a, and, or, &[]), Answer::Different(_)));
    assert!(solver.ask("(exit)", solver.budget).is_err());
    assert!(matches!(solver.compare(&a, and, or, &[]), Answer::Different(_)));
}

/// Factors a product of two primes, which takes hours: their bits are random, as z3 is quick to factor numbers near a power of two.
const HARD: &str = "(declare-const a (_ BitVec 64)) (declare-const b (_ BitVec 64))
    (assert (= (bvmul ((_ zero_extend 64) a) ((_ zero_extend 64) b)) (_ bv136532528930704468727493317692946365561 128)))
    (check-sat)";

/// Nobody may be left to end it.
#[test]
fn a_process_ends_by_itself() {
    let mut process = Process::start(Duration::from_secs(5)).expect("a solver");
    assert!(process.has(Duration::from_secs(1)) && !process.has(Duration::from_secs(6)));
    assert_eq!(process.ask(HARD, Duration::from_secs(60)), Err(Failure::Ended));
}

#[test]
fn an_old_process_is_replaced() {
    let (mut a, mut solver) = (Arena::new(), solver());
    solver.process = Some(Process::start(Duration::from_secs(1)).expect("a solver"));
    let [x, y] = xy(&mut a);
    let [and, or] = [Op::And, Op::Or].map(|op| a.bitwise(op, x, y));
    assert!(matches!(solver.compare(&a, and, or, &[]), Answer::Different(_)));
    assert!(solver.process.is_some_and(|process| process.has(AGE)));
}
