// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --pixels`: draws on zink with ntv whose pictures are known, by the program in `tests/mesa/pixels`.

use super::driver::{Driver, Translator};
use super::source::install_missing;
use crate::command::run as go;
use anyhow::{ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "tests/mesa/pixels";
const FILES: [&str; 3] = ["pixels.c", "blends.c", "lines.c"];
const NEEDS: &str = "libegl-dev libgl-dev";

/// A part of zink's message about a shader that ntv refuses.
const REFUSAL: &str = "is translated by nir_to_spirv";

/// Draws with ntv, and checks the pixels. zink's own translator must not get a shader.
pub(super) fn check(driver: &Driver) -> Result<()> {
    install_missing(NEEDS)?;
    let folder = tempfile::tempdir()?;
    let mut command = driver.program(&compile(folder.path())?, Translator::Rust);
    let output = command.output().context("cannot start the draws")?;
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "the draws have wrong pixels:\n{said}{errors}");
    ensure!(said.starts_with("zink "), "the draws run on another driver:\n{said}");
    ensure!(!errors.contains(REFUSAL), "ntv refuses shaders of the draws:\n{errors}");
    println!("Lines of polygons and advanced blending have the right pixels.");
    Ok(())
}

fn compile(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("pixels");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    compiler.args(FILES.map(|file| crate::root().join(FOLDER).join(file)));
    go(compiler.args(["-lEGL", "-lGL", "-lm"]))?;
    Ok(program)
}
