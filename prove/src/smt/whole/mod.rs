// SPDX-License-Identifier: MIT

//! Numbers as whole numbers: for products and quotients, which are hard for a solver as vectors of bits.
//!
//! A number of n bits is a whole number from 0 to 2^n - 1, and what is computed modulo 2^n is the rest of a division by 2^n. So
//! products of parts become sums of products of variables, a shift to the right is a quotient, and what is left for the solver is mostly
//! linear: sums of a few products with bounds.
//!
//! | term | whole number |
//! |-|-|
//! | a sum, a product | a polynomial, reduced only where the number counts, not the number modulo 2^n |
//! | bits of a number | quotients and rests by powers of two; a variable is replaced by its parts |
//! | a selection | a variable that is one of two polynomials; its products are selections of products |
//! | `udiv`, `umod` | variables q and r with a = q b + r and 0 <= r < b, unless b is 0 |
//! | `umul_high`, `imul_high` | the quotient of the product by a power of two |
//! | anything else | a variable of which only the range is known |
//!
//! A claim that follows from less than is known is true, so an operation without a rule is no fault. Values that a solver finds tell
//! nothing, for the same reason.

mod encode;
mod polynomial;
mod products;
#[cfg(test)]
mod tests;

use super::{Solver, Verdict, CHECK};
use crate::term::{Arena, Term};
use encode::Encoder;
use products::Said;

/// The most terms of a query.
const MOST_TERMS: usize = 1000;

/// A statement about terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A condition holds.
    Holds(Term),
    /// Two numbers are equal.
    Equal(Term, Term),
    /// `quotient` is that of the whole numbers, rounded down, or less by at most `less`: it leaves of the dividend what is not negative,
    /// and less than 1 + `less` times the divisor.
    Quotient {
        /// The dividend.
        dividend: Term,
        /// The divisor.
        divisor: Term,
        /// The quotient.
        quotient: Term,
        /// The most by which it is too small.
        less: u8,
    },
}

impl Fact {
    /// The condition that holds, if that is the fact.
    pub(crate) fn condition(&self) -> Option<Term> {
        match self {
            Fact::Holds(condition) => Some(*condition),
            _ => None,
        }
    }

    /// The terms that it is about.
    fn terms(&self) -> Vec<Term> {
        match *self {
            Fact::Holds(condition) => vec![condition],
            Fact::Equal(a, b) => vec![a, b],
            Fact::Quotient { dividend, divisor, quotient, .. } => vec![dividend, divisor, quotient],
        }
    }
}

impl Solver {
    /// Whether `goal` is known to follow from the facts `given`, with numbers as whole numbers.
    pub fn follows(&mut self, arena: &Arena, given: &[Fact], goal: Fact) -> bool {
        let roots: Vec<Term> = given.iter().chain([&goal]).flat_map(Fact::terms).collect();
        if arena.all_parts(&roots).len() > MOST_TERMS {
            return false;
        }
        // What is not decided soon may need all time that there is.
        let (short, long) = (self.budget.scaled(1, 4), self.budget.scaled(4, 1));
        let rounds = [
            (Said::Ranges, short),
            (Said::Bounds, short),
            (Said::All, self.budget),
            (Said::Ranges, long),
            (Said::All, long),
        ];
        rounds.into_iter().any(|(said, budget)| {
            let Some(text) = Encoder::query(arena, given, goal, said) else { return false };
            let key = budget.command() + &text;
            let verdict = match self.answers.get(&key) {
                Some(known) => known.clone(),
                None => self.solve_text((&text, CHECK), 0, "", budget),
            };
            let is_true = matches!(verdict, Verdict::Unsatisfiable);
            self.remember(key, verdict);
            is_true
        })
    }
}
