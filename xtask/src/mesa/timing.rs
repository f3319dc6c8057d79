// SPDX-License-Identifier: MIT

//! `cargo xtask bench --mesa`: the times of both translators for each shader of many tests, in one zink.

use super::build::Build;
use super::driver::{Driver, Translator};
use super::{list, runner};
use anyhow::{ensure, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Runs `count` tests of piglit's `quick_shader`, one after the other, on the Mesa under `prefix` or one that is built; zink
/// writes a line for each shader to each log, with the best time of each translator in the given number of
/// runs.
pub(crate) fn measure(prefix: Option<&Path>, count: usize, logs: &[(PathBuf, u32)]) -> Result<()> {
    list::install()?;
    let mut driver = Driver::new(Build::Full.prefix(prefix)?, false, None)?;
    driver.verify()?;
    let tests = list::tests("quick_shader", None, Some(count))?;
    ensure!(!tests.is_empty(), "no tests");
    for (log, runs) in logs {
        if log.exists() {
            fs::remove_file(log)?;
        }
        driver.log = Some((log.clone(), *runs));
        // Runs one process at a time, so that no other one runs during a translation.
        runner::run_once(&driver, Translator::Both, &tests)?;
    }
    Ok(())
}
