// SPDX-License-Identifier: MIT

//! The input files that the arguments of the command line name.

use crate::diagnostics::{FileError, Problem};
use anyhow::{ensure, Context, Result};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A file, or stdin.
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    /// Its path; `None` for stdin.
    pub(crate) path: Option<PathBuf>,
    /// Its name in an output folder, without `.nir`; for a file of a folder, the path below that folder.
    pub(crate) stem: PathBuf,
    /// Whether it was found in a folder.
    pub(crate) walked: bool,
    /// What Mesa made of it, if it is GLSL.
    pub(crate) compiled: Option<Compiled>,
}

/// A file of GLSL after Mesa compiled it.
pub(crate) struct Compiled {
    /// The dumps, or the source if it has problems.
    pub(crate) text: String,
    /// The problems; `None` if there are dumps.
    pub(crate) problems: Option<Vec<Problem>>,
}

impl Input {
    fn new(path: &Path, below: &Path, walked: bool) -> Input {
        let stem = if path.extension() == Some(OsStr::new("nir")) { below.with_extension("") } else { below.into() };
        Input { name: path.display().to_string(), path: Some(path.into()), stem, walked, compiled: None }
    }

    fn stdin() -> Input {
        Input { name: "<stdin>".into(), path: None, stem: "stdin".into(), walked: false, compiled: None }
    }

    /// The file that is read: that of stdin if it is one.
    pub(crate) fn file(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new("/dev/stdin"))
    }

    /// The contents.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &self.path {
            Some(path) => bytes = fs::read(path)?,
            None => drop(io::stdin().lock().read_to_end(&mut bytes)?),
        }
        Ok(bytes)
    }
}

/// The files that `arguments` name, in their order; the files of a folder are sorted by name.
pub(crate) fn collect(arguments: &[PathBuf]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for argument in arguments {
        if argument == Path::new("-") {
            ensure!(inputs.iter().all(|input: &Input| input.path.is_some()), "stdin is named twice");
            inputs.push(Input::stdin());
        } else if fs::metadata(argument).map_err(|error| FileError::read(argument, error))?.is_dir() {
            let before = inputs.len();
            walk(argument, &mut inputs)?;
            ensure!(inputs.len() > before, "{}: no .nir, .log or .ntvw file in this folder", argument.display());
        } else {
            let name = argument.file_name().with_context(|| format!("{}: not a file", argument.display()))?;
            inputs.push(Input::new(argument, Path::new(name), false));
        }
    }
    Ok(inputs)
}

fn walk(folder: &Path, inputs: &mut Vec<Input>) -> Result<()> {
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_path_buf();
            FileError::read(&path, error.into())
        })?;
        let extension = entry.path().extension().and_then(OsStr::to_str);
        let dump = matches!(extension, Some("nir" | "log" | "ntvw"));
        if dump && entry.path().is_file() {
            inputs.push(Input::new(entry.path(), entry.path().strip_prefix(folder)?, true));
        }
    }
    Ok(())
}

/// The text of a file that an option names.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(|error| FileError::read(path, error))
}
