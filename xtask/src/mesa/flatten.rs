// SPDX-License-Identifier: MIT

//! Compares the wires and the dumps of Mesa's NIR: `ffi/mesa/tests/flatten.c` builds shaders and writes both, and ntv has to
//! translate both to the same SPIR-V. Then [`super::numbers`] changes Mesa's numbers.

use super::numbers;
use super::program::Programs;
use crate::command::{cargo, run as go};
use anyhow::{ensure, Context, Result};
use std::fs;

/// The C files of the program.
pub(super) const FILES: [&str; 2] = ["ntvr_nir.c", "tests/flatten.c"];

/// Compares the texts with the wires, and the wires with those of a Mesa that has other numbers.
pub(crate) fn compare() -> Result<()> {
    let programs = Programs::new()?;
    compare_texts(&programs)?;
    numbers::compare(&programs)
}

/// Compares the modules of texts with those of wires.
fn compare_texts(programs: &Programs) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [program, shaders, modules] = ["flatten", "shaders", "modules"].map(|name| folder.path().join(name));
    programs.build(&FILES, &[], &program)?;
    programs.run(&program, &[], &shaders)?;
    go(cargo(&["run", "--quiet", "--release", "--bin", "ntv", "--", "compile", "--validate"])
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
