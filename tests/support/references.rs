// SPDX-License-Identifier: MIT

//! The modules that C made of the shaders of the corpus.

use crate::support::files;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A shader, and C's module of it.
#[derive(Clone)]
pub(crate) struct Pair {
    /// The dump, or the log.
    pub(crate) file: PathBuf,
    /// The number of the shader in the file.
    pub(crate) number: usize,
    /// The module.
    pub(crate) reference: PathBuf,
}

impl Pair {
    /// The words of the module.
    pub(crate) fn words(&self) -> io::Result<Vec<u32>> {
        let bytes = fs::read(&self.reference)?;
        Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }
}

/// The shaders of dumps below `folder` with modules: those at zink's level, in folders `ssa`, whose modules are in folders `spv`.
pub(crate) fn of_dumps(folder: &Path) -> Vec<Pair> {
    let is_of_zink = |file: &PathBuf| file.parent().is_some_and(|parent| parent.ends_with("ssa"));
    let pair = |file: PathBuf| {
        let name = file.with_extension("spv");
        let reference = file.with_file_name("..").join("spv").join(name.file_name().unwrap_or_default());
        reference.is_file().then_some(Pair { file, number: 0, reference })
    };
    files(folder, &["nir"]).into_iter().filter(is_of_zink).filter_map(pair).collect()
}

/// The shaders of logs below `folder` that zink printed together with its modules: `a.log`, `a.dump00.spv`, ...
pub(crate) fn of_logs(folder: &Path) -> Vec<Pair> {
    let pair = |file: &Path, number: usize| {
        let reference = file.with_extension(format!("dump{number:02}.spv"));
        reference.is_file().then(|| Pair { file: file.to_path_buf(), number, reference })
    };
    let logs = files(folder, &["log"]).into_iter();
    logs.flat_map(|file| (0..).map_while(move |number| pair(&file, number))).collect()
}
