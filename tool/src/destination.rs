// SPDX-License-Identifier: MIT

//! The destinations of results: the file of each, decided before any file is written.
//!
//! [`decide`] is called with all inputs and all outputs of a command before it writes. Files are compared by their identity, so
//! another path, a link, or other case on a file system that ignores it make no difference.

use crate::diagnostics::FileError;
use crate::inputs::Input;
use crate::shaders::{Loaded, Unit};
use crate::temporary;
use anyhow::{bail, ensure, Result};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// Plans the file of each shader of `loaded` for `out`, the value of `-o` or of another option for results.
///
/// The result of one file with one shader is written to `out` itself, unless `out` is a folder. All other results are written
/// into the folder `out`, as `<input name without .nir>[.N].<extension>`.
pub(crate) fn plan(loaded: &Loaded, out: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let alone = matches!(&loaded.sources[..], [source] if !source.input.walked) && loaded.units.len() == 1;
    if !alone && !names_folder(out) {
        ensure!(!out.exists(), "{}: is a file, but there is more than one shader: name a folder", out.display());
    }
    let file = |unit: &Unit| {
        let input = &loaded.sources[unit.source].input;
        if alone {
            file_of_one(input, out, extension)
        } else {
            out.join(file_name(input, unit.number, extension))
        }
    };
    let files: Vec<PathBuf> = loaded.units.iter().map(file).collect();
    let owner = |unit: &Unit| loaded.sources[unit.source].input.name.as_str();
    let inputs = loaded.sources.iter().map(|source| source.input.file());
    decide(inputs, loaded.units.iter().map(owner).zip(files.iter().map(PathBuf::as_path)))?;
    Ok(files)
}

/// The file of the only result of `input`: `out`, or a file in it if it is a folder.
pub(crate) fn file_of_one(input: &Input, out: &Path, extension: &str) -> PathBuf {
    match names_folder(out) {
        true => out.join(file_name(input, None, extension)),
        false => out.to_path_buf(),
    }
}

/// Whether `path` is a folder, or names one by a slash at its end.
pub(crate) fn names_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// The name of a shader's file below the output folder.
pub(crate) fn file_name(input: &Input, number: Option<usize>, extension: &str) -> PathBuf {
    let mut name = input.stem.clone().into_os_string();
    if let Some(number) = number {
        name.push(format!(".{number}"));
    }
    name.push(format!(".{extension}"));
    name.into()
}

/// Decides whether a command may write `outputs`, each with the option or the input that it is for. A file is refused if it is
/// one of `inputs`, if two results would be written to it, or if it is a folder.
pub(crate) fn decide<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = (&'a str, &'a Path)>,
) -> Result<()> {
    let inputs: HashSet<Identity> = inputs.into_iter().filter_map(identity).collect();
    let mut owners: HashMap<Identity, &str> = HashMap::new();
    for (owner, path) in outputs {
        ensure!(!path.as_os_str().is_empty(), "{owner}: the name of the file is empty");
        ensure!(!names_folder(path), "{}: is a folder, but {owner} needs a file", path.display());
        let Some(identity) = identity(path) else { continue };
        ensure!(!inputs.contains(&identity), "{}: is an input and would be overwritten", path.display());
        if let Some(other) = owners.insert(identity, owner) {
            bail!("{other} and {owner} would both be written to {}", path.display());
        }
    }
    Ok(())
}

/// A file that exists, or the folder in which it would be made and its path below that folder.
#[derive(PartialEq, Eq, Hash)]
struct Identity(Known, PathBuf);

/// A file or folder that exists: its device and number.
#[cfg(unix)]
type Known = (u64, u64);
/// A file or folder that exists: its only path without links.
#[cfg(not(unix))]
type Known = PathBuf;

#[cfg(unix)]
fn known(path: &Path) -> io::Result<Known> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn known(path: &Path) -> io::Result<Known> {
    fs::canonicalize(path)
}

/// The identity of the file at `path`; `None` for what a write does not replace, such as a pipe, and for a path that cannot be.
fn identity(path: &Path) -> Option<Identity> {
    if let Ok(metadata) = fs::metadata(path) {
        return if metadata.is_file() { Some(Identity(known(path).ok()?, PathBuf::new())) } else { None };
    }
    let path = linked(path);
    let folders = path.ancestors().skip(1).map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
    let (folder, known) = folders.into_iter().find_map(|folder| Some((folder, known(folder).ok()?)))?;
    let mut below = PathBuf::new();
    for component in path.strip_prefix(folder).unwrap_or(&path).components() {
        match component {
            Component::ParentDir => drop(below.pop()),
            component => below.push(component),
        }
    }
    // File systems that ignore case.
    if cfg!(any(windows, target_os = "macos")) {
        below = below.to_string_lossy().to_lowercase().into();
    }
    Some(Identity(known, below))
}

/// The file that `path` names, through symbolic links: also if it does not exist.
fn linked(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Writes `contents` to `path` in one step: other processes read either the old file or the complete new one.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    write_or_not(path, contents).map_err(|error| FileError::written(path, error))
}

fn write_or_not(path: &Path, contents: &[u8]) -> io::Result<()> {
    // A symbolic link keeps its target; a device or a pipe is written to and must not be replaced by a file.
    let path = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::canonicalize(path)?,
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => return fs::OpenOptions::new().write(true).open(path)?.write_all(contents),
        Err(_) => linked(path),
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let (mut file, held) = temporary::hold(|| new_file(folder), |file| file.path().to_path_buf())?;
    file.write_all(contents)?;
    held.release(|| file.persist(&path).map_err(|error| error.error))?;
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

/// Writes `contents` to stdout. It is not an error if the reader of a pipe has closed it, as `head` does.
pub(crate) fn print(contents: &[u8]) -> Result<(), FileError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(contents).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(FileError::written(Path::new("stdout"), error)),
        _ => Ok(()),
    }
}
