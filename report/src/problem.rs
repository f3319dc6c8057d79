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
}

impl Problem {
    /// A problem of the whole input.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Problem {
        Problem { kind, message: message.into(), place: Place::default() }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem { kind: error.kind.name(), message: error.message, place: error.place }
    }
}

/// The problems that the library found.
pub fn problems(errors: Errors) -> Vec<Problem> {
    errors.0.into_iter().map(Problem::from).collect()
}
