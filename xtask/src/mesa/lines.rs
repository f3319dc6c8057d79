// SPDX-License-Identifier: MIT

//! `cargo xtask bench --lines`: the cache lines that one translation touches, for both translators in one zink.

use super::build::Build;
use super::driver::{Driver, Translator};
use super::{list, runner};
use crate::command::{cargo, run as go};
use anyhow::{ensure, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// ntv-trace, which steps through the translations of a program.
pub(crate) struct Tracer {
    program: PathBuf,
    /// The log of the lines that each translation touches.
    log: PathBuf,
    /// The log of the functions that have the lines of code.
    functions: PathBuf,
}

impl Tracer {
    /// The command that steps through `program`.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("run").arg("--functions").arg(&self.functions).arg(&self.log).arg(program);
        command
    }
}

/// Runs `count` tests of piglit's `quick_shader`, one after the other, on the Mesa under `prefix` or one that
/// is built. Returns a log of the lines of each translation, and one of the sizes of the translators, in the folder `target`.
pub(crate) fn count(prefix: Option<&Path>, count: usize, target: &Path) -> Result<[PathBuf; 2]> {
    list::install()?;
    go(&mut cargo(&["build", "--release", "--package", "ntv-trace"]))?;
    let program = target.join("release/ntv-trace");
    let mut driver = Driver::new(Build::Full.prefix(prefix)?, false, None)?;
    driver.verify()?;
    let tests = list::tests("quick_shader", None, Some(count))?;
    ensure!(!tests.is_empty(), "no tests");
    let [log, functions, sizes, zink] =
        ["", "-functions", "-sizes", "-zink"].map(|what| target.join(format!("mesa-lines{what}.tsv")));
    go(Command::new(&program).arg("sizes").arg(driver.library()?).arg(&sizes))?;
    for old in [&log, &functions, &zink] {
        if old.exists() {
            fs::remove_file(old)?;
        }
    }
    driver.log = Some((zink, 1));
    driver.tracer = Some(Tracer { program, log: log.clone(), functions });
    runner::run_once(&driver, Translator::Both, &tests)?;
    Ok([log, sizes])
}
