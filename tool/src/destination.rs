// SPDX-License-Identifier: MIT

//! The destinations of results: the file of each shader, decided before any file is written.

use crate::inputs::Input;
use crate::shaders::{Loaded, Unit};
use anyhow::{bail, ensure, Result};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Plans the file of each shader of `loaded` for the option `-o out`.
///
/// The result of one file with one shader is written to `out` itself, unless `out` is a folder. All other results are written
/// into the folder `out`, as `<input name without .nir>[.N].<extension>`.
pub(crate) fn plan(loaded: &Loaded, out: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let folder = out.is_dir() || out.as_os_str().to_string_lossy().ends_with(std::path::MAIN_SEPARATOR);
    let alone = matches!(&loaded.sources[..], [source] if !source.input.walked) && loaded.units.len() == 1;
    if alone && !folder {
        let files = vec![out.to_path_buf()];
        refuse_inputs(paths(loaded), &files)?;
        return Ok(files);
    }
    ensure!(
        folder || !out.exists(),
        "{}: is a file, but there is more than one shader; -o takes a folder then",
        out.display()
    );
    let name = |unit: &Unit| out.join(file_name(&loaded.sources[unit.source].input, unit.number, extension));
    let files: Vec<PathBuf> = loaded.units.iter().map(name).collect();
    refuse_collisions(loaded, &files)?;
    refuse_inputs(paths(loaded), &files)?;
    Ok(files)
}

/// The name of a shader's file below the output folder.
fn file_name(input: &Input, number: Option<usize>, extension: &str) -> PathBuf {
    let mut name = input.stem.clone().into_os_string();
    if let Some(number) = number {
        name.push(format!(".{number}"));
    }
    name.push(format!(".{extension}"));
    name.into()
}

/// Refuses two shaders with the same file name.
fn refuse_collisions(loaded: &Loaded, files: &[PathBuf]) -> Result<()> {
    let mut owners: HashMap<&Path, &str> = HashMap::new();
    for (unit, file) in loaded.units.iter().zip(files) {
        let input = &loaded.sources[unit.source].input.name;
        if let Some(other) = owners.insert(file, input) {
            bail!("{other} and {input} would both be written to {}", file.display());
        }
    }
    Ok(())
}

/// The files that were read.
fn paths(loaded: &Loaded) -> impl Iterator<Item = &Path> {
    loaded.sources.iter().filter_map(|source| source.input.path.as_deref())
}

/// Refuses to overwrite an input.
pub(crate) fn refuse_inputs<'a>(inputs: impl Iterator<Item = &'a Path>, files: &[PathBuf]) -> Result<()> {
    let inputs: std::collections::HashSet<PathBuf> = inputs.filter_map(|path| fs::canonicalize(path).ok()).collect();
    for file in files {
        let overwritten = fs::canonicalize(file).is_ok_and(|file| inputs.contains(&file));
        ensure!(!overwritten, "{}: is an input and would be overwritten", file.display());
    }
    Ok(())
}

/// Writes `contents` to `path` in one step: other processes read either the old file or the complete new one.
pub(crate) fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    // A symbolic link keeps its target; a device or a pipe is written to and must not be replaced by a file.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return fs::OpenOptions::new().write(true).open(&path)?.write_all(contents);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut file = new_file(folder)?;
    file.write_all(contents)?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file in `folder`, with the permissions of an ordinary new file, not only for the owner.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ntv-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
