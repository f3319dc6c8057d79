// SPDX-License-Identifier: MIT

//! Compares the wires and the dumps of Mesa's NIR: `ffi/mesa/tests/flatten.c` builds shaders and writes both, and ntv has to
//! translate both to the same SPIR-V. Then [`super::numbers`] changes Mesa's numbers.

use super::build::{Build, Built};
use super::numbers;
use crate::command::{cargo, run as go, target_folder};
use crate::files::files_below;
use anyhow::{ensure, Context, Result};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C files of the program.
const FILES: [&str; 2] = ["ntv_nir.c", "tests/flatten.c"];

/// Compares the texts with the wires, and the wires with those of a Mesa that has other numbers.
pub(crate) fn compare() -> Result<()> {
    let flattener = Flattener::new()?;
    compare_texts(&flattener)?;
    numbers::compare(&flattener)
}

/// The program `flatten`, which can be built with changed headers.
pub(crate) struct Flattener {
    mesa: Built,
    library: PathBuf,
    flags: Vec<String>,
    libraries: Vec<PathBuf>,
}

impl Flattener {
    fn new() -> Result<Flattener> {
        let mesa = Build::Small.mesa()?;
        let (flags, libraries) = (flags(&mesa.build_folder)?, files_below(&mesa.build_folder.join("src"), "a")?);
        Ok(Flattener { mesa, library: library()?, flags, libraries })
    }

    /// The text of a header of Mesa, by its path in `src`.
    pub(crate) fn header(&self, path: &str) -> Result<String> {
        let path = self.mesa.source.path.join("src").join(path);
        fs::read_to_string(&path).with_context(|| format!("no header {}", path.display()))
    }

    /// A compiler that includes `headers` first, in place of those of Mesa that have the same include guards.
    pub(crate) fn compiler(&self, headers: &[PathBuf]) -> Command {
        let mut compiler = Command::new("cc");
        compiler.current_dir(&self.mesa.build_folder).args(&self.flags);
        compiler.arg("-I").arg(crate::root().join("ffi")).arg("-I").arg(crate::root().join("ffi/mesa"));
        for header in headers {
            compiler.arg("-include").arg(header);
        }
        compiler
    }

    /// Builds `program` with these headers.
    pub(crate) fn build(&self, headers: &[PathBuf], program: &Path) -> Result<()> {
        let mut compiler = self.compiler(headers);
        compiler.args(FILES.map(|file| crate::root().join("ffi/mesa").join(file)));
        compiler.arg("-o").arg(program).arg(&self.library).arg("-Wl,--start-group").args(&self.libraries);
        go(compiler.args(["-Wl,--end-group", "-lz", "-lzstd", "-lm", "-ldl", "-lpthread", "-lstdc++"]))
    }

    /// Runs `program`, which writes files to `folder`.
    pub(crate) fn run(&self, program: &Path, options: &[&str], folder: &Path) -> Result<()> {
        fs::create_dir(folder)?;
        go(self.mesa.source.program("env").arg(program).args(options).arg(folder))
    }
}

/// Compares the modules of texts with those of wires.
fn compare_texts(flattener: &Flattener) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [program, shaders, modules] = ["flatten", "shaders", "modules"].map(|name| folder.path().join(name));
    flattener.build(&[], &program)?;
    flattener.run(&program, &[], &shaders)?;
    go(cargo(&["run", "--quiet", "--bin", "ntv", "--", "compile", "--validate"])
        .arg(&shaders)
        .arg("-o")
        .arg(&modules))?;
    let mut count = 0;
    for entry in fs::read_dir(&modules)? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(shader) = file.strip_prefix("text-").and_then(|rest| rest.strip_suffix(".spv")) else { continue };
        let wire = modules.join(format!("wire-{shader}.ntvw.spv"));
        let wire = fs::read(wire).with_context(|| format!("no wire of {shader}"))?;
        ensure!(fs::read(&path)? == wire, "the text and the wire of {shader} differ");
        count += 1;
    }
    ensure!(count > 3, "only {count} shaders");
    println!("{count} shaders are the same as text and as wire");
    Ok(())
}

/// ntv's library, which has the names of the opcodes.
fn library() -> Result<PathBuf> {
    go(&mut cargo(&["build", "--quiet", "--package", "ntv-ffi"]))?;
    Ok(target_folder().join("debug/libntv.a"))
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
