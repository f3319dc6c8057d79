// SPDX-License-Identifier: MIT

//! An SMT solver for what equal terms do not prove.
//!
//! [`Solver`] decides whether two terms are equal for all values of symbols. The text of a query has a name for each part of
//! the terms; the meaning of each operation is the one that [`Evaluator`](crate::term::Evaluator) computes with.
//!
//! Floats are hard for solvers. So a query has two steps: in the first, a row with floats is a function without a meaning, which
//! often suffices. If the terms then seem to differ, the values that the solver chose are evaluated, and count if the terms do differ.
//! If they do not, the second step uses SMT-LIB's theory of floats.
//!
//! ```
//! use ntv_prove::smt::{Answer, Budget, Solver};
//! use ntv_prove::term::{Arena, Op};
//!
//! # fn main() -> anyhow::Result<()> {
//! let mut arena = Arena::new();
//! let [x, y] = ["x", "y"].map(|name| arena.symbol(name, 32, &[]));
//! // (x & y) + (x | y) is x + y.
//! let [both, either] = [Op::And, Op::Or].map(|op| arena.bitwise(op, x, y));
//! let [a, b] = [(both, either), (x, y)].map(|(a, b)| arena.add(a, b));
//! let mut solver = Solver::start(Budget::Steps(10_000_000))?;
//! assert!(matches!(solver.compare(&arena, a, b, &[]), Answer::Equal));
//! # Ok(())
//! # }
//! ```

mod budget;
mod encode;
mod floats;
mod integers;
mod memory;
mod model;
mod process;
mod script;
#[cfg(test)]
mod tests;
mod text;
mod whole;

pub use budget::Budget;
pub use model::Model;
pub use whole::Fact;

use crate::term::{Arena, Term};
use anyhow::{ensure, Result};
use encode::{Encoder, Theory};
use memory::Place;
use model::Chosen;
use process::{Failure, Process, PROGRAM};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// The most terms of a query.
const MOST_TERMS: usize = 20_000;
/// The most names in its text: a read has one for each write that it looks through.
const MOST_NAMES: usize = 60_000;

/// Whether two terms are equal.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They are, for all values.
    Equal,
    /// They are not, for these values.
    Different(Model),
    /// It is not known, for this reason.
    Unknown(String),
}

/// The command that asks whether the assertions can be satisfied.
const CHECK: &str = "(check-sat)";
/// The command for assertions on floats: as one formula of bits, which takes a tenth of the time.
const CHECK_FLOATS: &str = "(check-sat-using (then simplify solve-eqs fpa2bv simplify propagate-values solve-eqs \
                            (or-else (then ackermannize_bv bit-blast sat) smt)))";

/// A process is replaced after this time.
const AGE: Duration = Duration::from_secs(60);

/// The most answers that are kept.
const MOST_ANSWERS: usize = 1000;

/// A solver, which runs as a process of its own.
#[derive(Debug)]
pub struct Solver {
    budget: Budget,
    process: Option<Process>,
    /// What it said, by the text of the query: the components of a vector ask the same. The table of opcodes takes half of the time
    /// with it.
    answers: FxHashMap<String, Verdict>,
    /// Whether it proves that quotients made of words are quotients, once it was asked.
    pub(crate) divides: Option<bool>,
}

/// What a solver says about a query.
#[derive(Clone, Debug)]
enum Verdict {
    /// No values satisfy it.
    Unsatisfiable,
    /// The values of the expressions that were asked for.
    Satisfiable(Vec<u64>),
    Unknown(String),
}

impl Solver {
    /// Starts the solver, which may spend `budget` on each of the two steps of a query.
    pub fn start(budget: Budget) -> Result<Solver> {
        let found = process::is_installed();
        ensure!(found, "no SMT solver is installed: install the package {PROGRAM} (`apt-get install {PROGRAM}`)");
        let process = Process::start(AGE + most_of_query(budget))?;
        Ok(Solver { budget, process: Some(process), answers: FxHashMap::default(), divides: None })
    }

    /// Decides whether `a` and `b`, of one width, are equal whenever all `assumptions` hold. States are equal if all their cells are.
    pub fn compare(&mut self, arena: &Arena, a: Term, b: Term, assumptions: &[Term]) -> Answer {
        if a == b {
            return Answer::Equal;
        }
        if arena.width(a) != arena.width(b) {
            return Answer::Unknown("the terms have different widths".to_owned());
        }
        let roots: Vec<Term> = [a, b].into_iter().chain(assumptions.iter().copied()).collect();
        let parts = arena.all_parts(&roots);
        if parts.len() > MOST_TERMS {
            return Answer::Unknown(format!("the query is too large: {} terms", parts.len()));
        }
        let mut question = Question { arena, parts: &parts, sides: [a, b], assumptions };
        match self.step(&mut question, Theory::Uninterpreted) {
            (Answer::Unknown(_), Next::Floats) => self.step(&mut question, Theory::Floats).0,
            (answer, _) => answer,
        }
    }

    /// One step: the answer, and whether another step may know more.
    fn step(&mut self, question: &mut Question<'_>, theory: Theory) -> (Answer, Next) {
        let Some(query) = question.query(theory) else {
            return (Answer::Unknown("the query is too large".to_owned()), Next::None);
        };
        let check = if theory == Theory::Floats { CHECK_FLOATS } else { CHECK };
        match self.solve(&query, check) {
            Verdict::Unsatisfiable => (Answer::Equal, Next::None),
            Verdict::Unknown(reason) => (Answer::Unknown(reason), Next::None),
            Verdict::Satisfiable(values) => match question.model(&query, &values) {
                Ok(model) => (Answer::Different(model), Next::None),
                Err(reason) if query.encoder.has_floats => (Answer::Unknown(reason.to_owned()), Next::Floats),
                Err(reason) => (Answer::Unknown(reason.to_owned()), Next::None),
            },
        }
    }

    /// Whether the query can be satisfied, and the values of its choices and addresses.
    fn solve(&mut self, query: &Query<'_>, check: &str) -> Verdict {
        let encoder = &query.encoder;
        let choices = encoder.choices.iter().map(|(_, bits)| bits);
        let names: Vec<&str> = choices.chain(&encoder.places).map(|bits| &*bits.text).collect();
        let (text, values) = (encoder.script.text(), format!("(get-value ({}))", names.join(" ")));
        let key = format!("{text}{values}");
        if let Some(known) = self.answers.get(&key) {
            return known.clone();
        }
        let verdict = self.solve_text((text, check), names.len(), &values, self.budget);
        self.remember(key, verdict.clone());
        verdict
    }

    /// Keeps an answer.
    fn remember(&mut self, query: String, verdict: Verdict) {
        if self.answers.len() == MOST_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(query, verdict);
    }

    /// Whether the assertions can be satisfied by a command, and what `values` asks for: `count` numbers.
    fn solve_text(&mut self, (text, check): (&str, &str), count: usize, values: &str, budget: Budget) -> Verdict {
        let text =
            format!("(reset)\n(set-option :produce-models true)\n(set-logic ALL)\n{}{text}{check}", budget.command());
        // The text needs nothing of what was said before, so another process may take it.
        self.process.take_if(|process| !process.has(most_of_query(budget)));
        let lines = match self.ask(&text, budget) {
            Ok(lines) => lines,
            Err(reason) => return Verdict::Unknown(reason),
        };
        match lines.last().map(String::as_str) {
            Some("unsat") if lines.len() == 1 => return Verdict::Unsatisfiable,
            Some("sat") if lines.len() == 1 => {}
            Some("unknown" | "timeout") => return Verdict::Unknown("the solver needs more time".to_owned()),
            _ => return Verdict::Unknown(format!("the solver says: {}", lines.join(" "))),
        }
        if count == 0 {
            return Verdict::Satisfiable(Vec::new());
        }
        let lines = self.ask(values, budget);
        match lines.map(|lines| numbers(&lines.join(" "))) {
            Ok(values) if values.len() == count => Verdict::Satisfiable(values),
            Ok(_) => Verdict::Unknown("the values of the solver are not understood".to_owned()),
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    /// The lines that the solver prints. It is started again if it has ended, and ends if it is late.
    fn ask(&mut self, text: &str, budget: Budget) -> Result<Vec<String>, String> {
        if self.process.is_none() {
            self.process = Some(Process::start(AGE + most_of_query(budget)).map_err(|error| error.to_string())?);
        }
        let Some(process) = &mut self.process else { return Err("the solver does not start".to_owned()) };
        process.ask(text, budget.most_time()).map_err(|failure| {
            self.process = None;
            match failure {
                Failure::Late => "the solver needs more time".to_owned(),
                Failure::Ended => "the solver has ended; it may need more memory".to_owned(),
            }
        })
    }
}

/// The most time of a query: an answer, and the values of its expressions.
fn most_of_query(budget: Budget) -> Duration {
    2 * budget.most_time()
}

/// Whether another step may know more.
enum Next {
    None,
    Floats,
}

/// Two terms that may be equal.
struct Question<'a> {
    arena: &'a Arena,
    /// All terms that occur.
    parts: &'a [Term],
    sides: [Term; 2],
    assumptions: &'a [Term],
}

/// The text that asks for values for which two terms differ.
struct Query<'a> {
    encoder: Encoder<'a>,
    /// The cell in which states differ.
    cell: Option<(Place, u8)>,
}

impl<'a> Question<'a> {
    /// The query, unless it is too large.
    fn query(&self, theory: Theory) -> Option<Query<'a>> {
        let mut encoder = Encoder::new(self.arena, theory);
        for part in self.parts {
            encoder.add(*part);
            if encoder.script.len() > MOST_NAMES {
                return None;
            }
        }
        for assumption in self.assumptions {
            let condition = encoder.number(*assumption).is_true();
            encoder.script.assert(&condition);
        }
        let is_state = self.arena.width(self.sides[0]) == 0;
        let ([a, b], cell) = if is_state {
            let (values, place, width) = encoder.at_any_cell(self.sides);
            (values, Some((place, width)))
        } else {
            (self.sides.map(|side| encoder.number(side)), None)
        };
        encoder.script.assert(&a.equals(&b).not());
        Some(Query { encoder, cell })
    }

    /// The model that these values of choices are, or why it is none.
    fn model(&self, query: &Query<'_>, values: &[u64]) -> Result<Model, &'static str> {
        if query.encoder.state_args.is_incomplete {
            return Err("too many states of memory are compared");
        }
        let (choices, places) = values.split_at(query.encoder.choices.len());
        let choices: Vec<_> =
            query.encoder.choices.iter().map(|choice| choice.0).zip(choices.iter().copied()).collect();
        let mut chosen = Chosen::new(self.arena, &choices, places.to_vec());
        if !self.assumptions.iter().all(|assumption| chosen.holds(*assumption)) {
            return Err("the values of the solver do not satisfy the assumptions");
        }
        let differ = match query.cell {
            Some((place, width)) => chosen.states_differ(self.sides, place, width),
            None => chosen.numbers_differ(self.sides),
        };
        match differ {
            true => Ok(chosen.into_model()),
            false => Err("the terms do not differ for the values of the solver"),
        }
    }
}

/// The values in the answer to `get-value`: pairs of a name and a value, as `#x1f` or `#b01`.
fn numbers(answer: &str) -> Vec<u64> {
    let tokens = answer.split(|c: char| c == '(' || c == ')' || c.is_whitespace());
    let number = |token: &str| match token.split_at_checked(2)? {
        ("#x", digits) => u64::from_str_radix(digits, 16).ok(),
        ("#b", digits) => u64::from_str_radix(digits, 2).ok(),
        _ => None,
    };
    tokens.filter_map(number).collect()
}
