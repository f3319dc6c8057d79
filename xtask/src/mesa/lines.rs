//! `cargo xtask bench --lines`: what one translation touches, of both translators, inside one zink.

use super::build::Build;
use super::driver::{Driver, Translator};
use super::{list, runner};
use crate::command::{cargo, run as go};
use anyhow::{ensure, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What steps through the translations of a program: ntv-trace.
pub(crate) struct Tracer {
    program: PathBuf,
    /// Where it writes what each translation touches.
    log: PathBuf,
    /// Where it writes which functions have the lines of code.
    functions: PathBuf,
}

impl Tracer {
    /// `program`, stepped through.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("run").arg("--functions").arg(&self.functions).arg(&self.log).arg(program);
        command
    }
}

/// Runs `count` tests of piglit's `quick_shader`, but for slow ones, one after the other, on the Mesa under `prefix` or one that is
/// built. Gives a log of what each translation touched, and one of the sizes of the translators, in the folder `target`.
pub(crate) fn count(prefix: Option<&Path>, count: usize, target: &Path) -> Result<[PathBuf; 2]> {
    list::install()?;
    go(&mut cargo(&["build", "--release", "--package", "ntv-trace"]))?;
    let program = target.join("release/ntv-trace");
    let mut driver = Driver::new(Build::Full.prefix(prefix)?, false, None)?;
    driver.verify()?;
    let tests = list::tests("quick_shader", None, Some(count), true)?;
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
