//! Errors: what is wrong with an input, and where.
//!
//! Every fault of an input is a value of this type; the library never prints and never panics on input. Several can be
//! reported at once ([`Errors`]).

use std::fmt;

/// Where in a text an error stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1; 0 if the input is not a text.
    pub line: u32,
    /// Column in characters, from 1; 0 for the whole line.
    pub column: u32,
    /// Characters from there that are meant; at least 1 where a column is given.
    pub len: u32,
}

impl Place {
    /// A whole line.
    pub fn line(line: u32) -> Place {
        Place { line, column: 0, len: 0 }
    }
}

/// What sort of fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is not what its format says.
    Syntax,
    /// The shader breaks a rule of NIR.
    Invalid,
    /// The target lacks a feature that the shader needs.
    Unsupported,
    /// Bytes (wire, SPIR-V) that do not decode.
    Malformed,
    /// Modules that cannot take the key or the link that is asked of them.
    Argument,
    /// ntv's own fault.
    Internal,
}

impl ErrorKind {
    /// A word for machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Malformed => "malformed",
            ErrorKind::Argument => "argument",
            ErrorKind::Internal => "internal",
        }
    }
}

/// One fault of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What sort.
    pub kind: ErrorKind,
    /// What is wrong, and what was expected; no trailing full stop.
    pub message: String,
    /// Where.
    pub place: Place,
}

impl Error {
    /// An error at `place`.
    pub fn new(kind: ErrorKind, place: Place, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), place }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place { line: 0, .. } => write!(f, "{}", self.message),
            Place { line, column: 0, .. } => write!(f, "line {line}: {}", self.message),
            Place { line, column, .. } => write!(f, "line {line}, column {column}: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

/// At least one error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(pub Vec<Error>);

impl From<Error> for Errors {
    fn from(error: Error) -> Errors {
        Errors(vec![error])
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}
