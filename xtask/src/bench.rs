//! `cargo xtask bench`: times with criterion, and the report of them under benches/results/.

use crate::command::{cargo, run as go};
use anyhow::Result;
use std::path::PathBuf;

/// Runs the benchmarks and writes their report; `arguments` go to criterion, a filter for instance.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    go(cargo(&["bench", "--package", "ntv-benches", "--bench", "translate", "--"]).args(arguments))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(crate::root().join("target"), PathBuf::from);
    let results = crate::root().join("benches/results");
    go(cargo(&["run", "--release", "--quiet", "--package", "ntv-benches", "--bin", "ntv-bench-report", "--"])
        .arg(target.join("criterion"))
        .arg(&results))?;
    print!("{}", std::fs::read_to_string(results.join("README.md"))?);
    Ok(())
}
