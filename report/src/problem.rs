// SPDX-License-Identifier: MIT

//! Problems of inputs.

use ntv::{Error, Errors, Place};

/// A problem of an input.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its kind: a kind of [`Error`], `io`, `fault`, `missing` or `usage`.
    pub kind: &'static str,
    /// The message.
    pub message: String,
    /// Its place in the text.
    pub place: Place,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A problem of the whole input.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Problem {
        Problem::at(Place::default(), kind, message)
    }

    /// A problem at a place of the input.
    pub fn at(place: Place, kind: &'static str, message: impl Into<String>) -> Problem {
        Problem { kind, message: message.into(), place, help: None }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let help = error.advice();
        Problem { help, ..Problem::at(error.place, error.kind.name(), error.message) }
    }
}

/// The problems that the library found.
pub fn problems(errors: Errors) -> Vec<Problem> {
    errors.0.into_iter().map(Problem::from).collect()
}
