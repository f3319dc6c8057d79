// SPDX-License-Identifier: MIT

//! Files below a folder.

use anyhow::Result;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The files with this extension below a folder, in order.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| Ok(entry?.into_path()));
    let mut paths: Vec<PathBuf> = entries.collect::<Result<_>>()?;
    paths.retain(|path| path.is_file() && path.extension().is_some_and(|own| own == extension));
    Ok(paths)
}
