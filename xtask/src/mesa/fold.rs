// SPDX-License-Identifier: MIT

//! `cargo xtask prove --table`: each row of the ALU table beside Mesa's constant folding, and proofs of the translation of each row
//! and of each access to memory.

use super::program::Programs;
use crate::command::{cargo, run as go, target_folder};
use crate::test::{whole, ALL};
use anyhow::Result;
use std::process::Command;

/// Options of the comparison alone.
const OF_MESA: &[&str] = &["--random"];

/// Options of the proofs alone.
const OF_FORMS: &[&str] =
    &["--class", "--target", "--limit", "--steps", "--trials", "--no-solver", "--refused", "--reasons"];

/// Builds the program that folds with Mesa, compares all rows with it, and proves all forms.
pub(crate) fn compare(arguments: &[String]) -> Result<()> {
    let program = target_folder().join("fold");
    Programs::new()?.build(&["tests/fold.c"], &[], &program)?;
    // As `cargo xtask test` builds them, so that Cargo does it once. Release builds are not quicker.
    go(whole(&mut cargo(ALL)).args(["--quiet", "--no-run", "--test", "programs"]))?;
    let command = |bin: &str| Command::new(target_folder().join("debug").join(bin));
    go(command("table").arg(program).args(without(arguments, OF_FORMS)))?;
    go(command("forms").args(without(arguments, OF_MESA)))
}

/// The arguments without those options and their values.
fn without<'a>(arguments: &'a [String], options: &[&str]) -> Vec<&'a String> {
    let mut kept = Vec::new();
    let mut skips = false;
    for argument in arguments {
        let is_option = argument.starts_with("--");
        skips = match is_option {
            true => options.contains(&argument.as_str()),
            false => skips,
        };
        if !skips {
            kept.push(argument);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_given_to_those_that_have_them() {
        let arguments = ["--filter", "iadd", "--random", "5", "--no-solver", "--limit", "9"].map(str::to_owned);
        assert_eq!(without(&arguments, OF_FORMS), ["--filter", "iadd", "--random", "5"]);
        assert_eq!(without(&arguments, OF_MESA), ["--filter", "iadd", "--no-solver", "--limit", "9"]);
    }
}
