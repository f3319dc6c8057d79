//! NIR text to IR and back.

use crate::error::Errors;
use crate::ir::Shader;

/// A shader found in a text.
#[derive(Debug)]
pub struct Found {
    /// Line of the text, from 1, on which the shader starts.
    pub line: u32,
    /// The shader, or everything that is wrong with it.
    pub shader: Result<Shader, Errors>,
}

/// Finds and parses every shader in `text`: a dump, several, or a log with dumps in it.
pub fn parse(_text: &str) -> Vec<Found> {
    Vec::new()
}

/// Prints `shader` as Mesa 25.0 does.
pub fn print(_shader: &Shader) -> String {
    String::new()
}
