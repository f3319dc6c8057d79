// SPDX-License-Identifier: MIT

//! C programs that are built with Mesa's NIR and with ntv's library.

use super::build::{Build, Built};
use crate::command::{cargo, run as go, target_folder};
use crate::files::files_below;
use anyhow::{Context, Result};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds C programs with Mesa's NIR, also with changed headers.
pub(super) struct Programs {
    mesa: Built,
    library: PathBuf,
    flags: Vec<String>,
    libraries: Vec<PathBuf>,
}

impl Programs {
    pub(super) fn new() -> Result<Programs> {
        let mesa = Build::Small.mesa()?;
        let (flags, libraries) = (flags(&mesa.build_folder)?, files_below(&mesa.build_folder.join("src"), "a")?);
        Ok(Programs { mesa, library: library()?, flags, libraries })
    }

    /// The text of a header of Mesa, by its path in `src`.
    pub(super) fn header(&self, path: &str) -> Result<String> {
        let path = self.mesa.source.path.join("src").join(path);
        fs::read_to_string(&path).with_context(|| format!("no header {}", path.display()))
    }

    /// A compiler that includes `headers` first, in place of those of Mesa that have the same include guards.
    pub(super) fn compiler(&self, headers: &[PathBuf]) -> Command {
        let mut compiler = Command::new("cc");
        compiler.current_dir(&self.mesa.build_folder).args(&self.flags);
        compiler.arg("-I").arg(crate::root().join("ffi")).arg("-I").arg(crate::root().join("ffi/mesa"));
        for header in headers {
            compiler.arg("-include").arg(header);
        }
        compiler
    }

    /// Builds `program` of these files of `ffi/mesa`, with these headers.
    pub(super) fn build(&self, files: &[&str], headers: &[PathBuf], program: &Path) -> Result<()> {
        let mut compiler = self.compiler(headers);
        compiler.args(files.iter().map(|file| crate::root().join("ffi/mesa").join(file)));
        compiler.arg("-o").arg(program).arg(&self.library).arg("-Wl,--start-group").args(&self.libraries);
        go(compiler.args(["-Wl,--end-group", "-lz", "-lzstd", "-lm", "-ldl", "-lpthread", "-lstdc++"]))
    }

    /// Runs `program`, which writes files to `folder`.
    pub(super) fn run(&self, program: &Path, options: &[&str], folder: &Path) -> Result<()> {
        fs::create_dir(folder)?;
        go(self.mesa.source.program("env").arg(program).args(options).arg(folder))
    }
}

/// ntv's library, which has the names of the opcodes.
fn library() -> Result<PathBuf> {
    go(&mut cargo(&["build", "--quiet", "--package", "ntv-ffi"]))?;
    Ok(target_folder().join("debug/libntvr.a"))
}

/// The compiler flags of a file of NIR.
fn flags(build: &Path) -> Result<Vec<String>> {
    let commands = fs::read_to_string(build.join("compile_commands.json"))?;
    let command = Regex::new(r#""command": "([^\n]*nir_print\.c)","#)?;
    let found = command.captures(&commands).context("no command that compiles nir_print.c")?;
    let wanted = |word: &&str| ["-D", "-I", "-std=", "-m"].iter().any(|start| word.starts_with(start));
    // Removes the quoting of JSON and the shell, which no flag needs.
    Ok(found[1].split(' ').filter(wanted).map(|word| word.replace(['\\', '\''], "")).collect())
}
