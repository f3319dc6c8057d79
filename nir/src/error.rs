// SPDX-License-Identifier: MIT

//! Errors: problems of an input, and their places.
//!
//! Every error of an input is a value of this type; the library never prints, and never panics on input. Several errors can be
//! reported at once ([`Errors`]).

use crate::feature::Feature;
use std::fmt;

/// The place of an error in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1; 0 if the input is not a text.
    pub line: u32,
    /// Column in characters, from 1; 0 for the whole line.
    pub column: u32,
    /// The number of characters; at least 1 if there is a column.
    pub len: u32,
}

impl Place {
    /// A whole line.
    pub fn line(line: u32) -> Place {
        Place { line, column: 0, len: 0 }
    }
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input does not follow its format.
    Syntax,
    /// The shader breaks a rule of NIR.
    Invalid,
    /// The target lacks a feature that the shader needs.
    Unsupported,
    /// Bytes (wire, SPIR-V) that do not decode.
    Malformed,
    /// Modules that cannot take the requested key or link.
    Argument,
    /// An error in ntv.
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

/// An error of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind.
    pub kind: ErrorKind,
    /// The problem, and the expected input; without a full stop.
    pub message: String,
    /// The place.
    pub place: Place,
    /// The feature that the target lacks, or the first of several of which it needs one.
    pub lacks: Option<Feature>,
}

impl Error {
    /// An error at `place`.
    pub fn new(kind: ErrorKind, place: Place, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), place, lacks: None }
    }

    /// What to do about the error: how the target gets the feature that it lacks.
    pub fn advice(&self) -> Option<String> {
        let feature = self.lacks?.info();
        let name = feature.name;
        let enable =
            format!("if the device has {name}, enable it: `Target::set`, `ntvr_target_enable`, --enable {name}");
        Some(match feature.since {
            Some(version) => format!("{enable}; targets of Vulkan {}.{} and newer have it", version.0, version.1),
            None => format!("{enable}; no target has it by itself"),
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_feature_has_advice() {
        let error = |lacks| Error { lacks, ..Error::new(ErrorKind::Unsupported, Place::default(), "recursion") };
        let said = error(Some(Feature::shaderFloatControls2)).advice().expect("advice");
        assert!(
            said.contains("--enable shaderFloatControls2") && said.ends_with("Vulkan 1.4 and newer have it"),
            "{said}"
        );
        assert_eq!(error(None).advice(), None);
    }
}
