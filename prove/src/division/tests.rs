// SPDX-License-Identifier: MIT

use super::proofs;
use super::steps::digit_lowered;
use super::*;
use crate::compare::{Prover, Verdict};
use crate::forms;
use crate::plant;
use crate::rows::Row;
use crate::smt::Budget;
use ntv::{text, EmitOptions, Options, Translator};

fn solver(steps: u32) -> Solver {
    Solver::start(Budget::Steps(steps)).expect("the tests need z3")
}

#[test]
fn a_digit_needs_two_corrections() {
    let proves = |times: u32, steps: u32| {
        let digit: &dyn Fn(&mut Arena, [Term; 4]) -> Term = &|a, parts| digit_lowered(a, parts, times);
        proofs::proves_digit(&mut solver(steps), digit)
    };
    assert!(proves(2, 15_000_000));
    assert!(!proves(1, 600_000) && !proves(0, 600_000));
}

/// The definition of each row by a quotient is its fold.
#[test]
fn rows_follow_from_quotients() {
    let numbers =
        [0, 1, 2, 3, 7, 100, 1 << 31, 1 << 32, (1 << 40) + 5, i64::MAX as u64, 1 << 63, u64::MAX - 6, u64::MAX];
    for op in [udiv, umod, idiv, irem, imod] {
        for (x, y) in numbers.iter().flat_map(|x| numbers[1..].iter().map(move |y| (*x, *y))) {
            let a = &mut Arena::new();
            let operands = [x, y].map(|number| a.constant(64, number));
            let expected = a.scalar(op, 64, &operands);
            if a.as_const(expected).is_none() {
                // The least number by -1 is open.
                continue;
            }
            let words = operands.map(|number| match op {
                udiv | umod => words_of(a, number),
                _ => magnitude(a, number),
            });
            let [x, y] = words.map(|words| a.concat(words.low, words.high));
            let quotient = a.scalar(udiv, 64, &[x, y]);
            let found = by_quotient(a, op, operands, [x, y, quotient]);
            assert_eq!(expected, found, "{} of {operands:?}", op.name());
        }
    }
}

/// The steps give the quotient of numbers, too.
#[test]
fn steps_divide_numbers() {
    let mut random = ntv_gen::Random::new(7);
    for _ in 0..2000 {
        let [x, y] = [(); 2].map(|()| random.bits() >> (random.bits() % 64));
        if y == 0 {
            continue;
        }
        let a = &mut Arena::new();
        let [dividend, divisor] = [x, y].map(|number| {
            let number = a.constant(64, number);
            words_of(a, number)
        });
        let quotient = divide_words(a, dividend, divisor);
        let quotient = a.concat(quotient.low, quotient.high);
        assert_eq!(a.as_const(quotient), Some(x / y), "{x} / {y}");
    }
}

/// No module of a division with a planted fault is proved. `imod` has all layers.
#[test]
fn planted_faults_are_not_proved() {
    let row = Row { op: imod, width: 64 };
    let form = forms::of_row(row, 1).expect("a form of one component");
    let shader = text::parse(&form.text).expect("a shader");
    let target = forms::poor_target();
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let words = translator.translate(&mut shader.clone(), &EmitOptions::default()).expect("a module").words;
    let mut sound = Prover::new(Some(Budget::Steps(15_000_000)), 0).expect("z3");
    assert!(matches!(sound.prove(&shader, &target, &words), Verdict::Proved));
    // Steps that are proved are not asked for again.
    let mut prover = Prover::new(Some(Budget::Steps(2_000)), 0).expect("z3");
    if let Some(solver) = &mut prover.solver {
        solver.divides = Some(true);
    }
    let mut planted = 0;
    for change in plant::faults().iter().filter_map(|fault| fault.places(&words).into_iter().next()) {
        let wrong = change.apply(&words);
        if wrong != words {
            let verdict = prover.prove(&shader, &target, &wrong);
            assert!(!matches!(verdict, Verdict::Proved), "{change:?}");
            planted += 1;
        }
    }
    assert!(planted > 30, "{planted}");
}
