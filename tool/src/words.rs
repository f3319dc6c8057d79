// SPDX-License-Identifier: MIT

//! Words of modules in files: reads, validates and writes them.

use crate::args::{EmitWords, ModuleArgs};
use crate::diagnostics::{count, FileError, Problem, Reporter};
use crate::inputs::Input;
use crate::{destination, validate, AllFine};
use anyhow::{ensure, Result};
use ntv::module::ShaderStage;
use ntv::{Module, Target};
use ntv_report::assembly::{listing, Look};
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

/// The format of a file of words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// SPIR-V.
    Spirv,
    /// A stored module.
    Module,
}

/// The format of the file at `path`; `None` if it has shaders.
pub(crate) fn form(path: &Path) -> Option<Form> {
    match path.extension()?.to_str()? {
        "spv" => Some(Form::Spirv),
        "ntvm" => Some(Form::Module),
        _ => None,
    }
}

/// The module in a file of words.
pub(crate) fn read(form: Form, path: &Path) -> Result<Module, Problem> {
    let words = read_words(path)?;
    let module = match form {
        Form::Spirv => ntv::import::import(&words),
        Form::Module => Module::from_words(&words),
    };
    module.map_err(Problem::from)
}

/// The words in a file.
pub(crate) fn read_words(path: &Path) -> Result<Vec<u32>, Problem> {
    let bytes = fs::read(path).map_err(|error| FileError::read(path, error).problem())?;
    let size = || format!("the file has {}, which is not a multiple of the 4 of a word", count(bytes.len(), "byte"));
    from_bytes(&bytes).ok_or_else(|| Problem::new("malformed", size()))
}

/// The bytes of `words`, little-endian.
pub(crate) fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words in `bytes`. The first word shows the byte order.
fn from_bytes(bytes: &[u8]) -> Option<Vec<u32>> {
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    let word = |word: &[u8]| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
    let mut words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    if words.first() == Some(&spirv::MAGIC_NUMBER.swap_bytes()) {
        words.iter_mut().for_each(|word| *word = word.swap_bytes());
    }
    Some(words)
}

/// Writes the words of `ntv variant` and `ntv link`.
pub(crate) struct Writer {
    emit: EmitWords,
    look: Look,
    /// The target by whose rules spirv-val validates them first.
    judge: Option<Target>,
}

impl Writer {
    /// Fails if validation is requested and spirv-val is missing.
    pub(crate) fn new(emit: EmitWords, args: &ModuleArgs) -> Result<Writer> {
        if args.validate {
            validate::require()?;
        }
        let target = args.target.options()?.target;
        Ok(Writer { emit, look: args.look(), judge: args.validate.then_some(target) })
    }

    /// Refuses to write binary data to a terminal, or to write to a file that must not be written.
    pub(crate) fn refuse(&self, inputs: &[Input], output: Option<&Path>) -> Result<()> {
        match output {
            Some(file) => destination::decide(inputs.iter().map(Input::file), [("-o", file)]),
            None => {
                let is_text = self.emit == EmitWords::Asm || !io::stdout().is_terminal();
                ensure!(is_text, "the result is binary: name a file with -o");
                Ok(())
            }
        }
    }

    /// The name of the file for a stage of the input at `path`.
    pub(crate) fn file_name(&self, path: &Path, stage: ShaderStage) -> String {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let extension = if self.emit == EmitWords::Asm { "spvasm" } else { "spv" };
        format!("{stem}.{}.{extension}", stage.name())
    }

    /// Validates the words of `path`, if that is requested; reports an error.
    pub(crate) fn judge(&self, path: &Path, words: &[u32], reporter: &Reporter) -> AllFine {
        let Some(target) = &self.judge else { return true };
        // An error in words from elsewhere is not an error of ntv.
        let kind = if form(path).is_some() { "malformed" } else { "internal" };
        let judged = validate::module(&to_bytes(words), target);
        judged.map_err(|error| reporter.whole(path, &Problem::new(kind, error.to_string()))).is_ok()
    }

    /// Validates the words of `path` and writes them to `file` or to stdout; reports an error.
    pub(crate) fn write(&self, path: &Path, words: &[u32], file: Option<&Path>, reporter: &Reporter) -> AllFine {
        if !self.judge(path, words, reporter) {
            return false;
        }
        match self.emit {
            EmitWords::Spirv => put(path, file, &to_bytes(words), reporter),
            EmitWords::Asm => match listing(words, if file.is_some() { self.look.plain() } else { self.look }, None) {
                Ok(text) => put(path, file, text.as_bytes(), reporter),
                Err(error) => {
                    let problem = Problem::new("malformed", format!("rspirv cannot disassemble it: {error}"));
                    reporter.whole(path, &problem);
                    false
                }
            },
        }
    }
}

/// Writes the result for `path` to `file` or to stdout; reports an error.
pub(crate) fn put(path: &Path, file: Option<&Path>, contents: &[u8], reporter: &Reporter) -> AllFine {
    let done = match file {
        Some(file) => destination::write(file, contents),
        None => destination::print(contents),
    };
    done.map_err(|error| reporter.whole(path, &Problem::new("io", error.to_string()))).is_ok()
}
