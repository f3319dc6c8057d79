// SPDX-License-Identifier: MIT

//! `cargo xtask prove --table`: each row of the ALU table beside Mesa's constant folding.

use super::program::Programs;
use crate::command::{cargo, run as go, target_folder};
use anyhow::Result;

/// Builds the program that folds with Mesa, and compares all rows with it. `arguments` are those of the comparison.
pub(crate) fn compare(arguments: &[String]) -> Result<()> {
    let program = target_folder().join("fold");
    Programs::new()?.build(&["tests/fold.c"], &[], &program)?;
    let table = ["run", "--quiet", "--release", "--package", "ntv-prove", "--bin", "table", "--"];
    go(cargo(&table).arg(program).args(arguments))
}
