// SPDX-License-Identifier: MIT

//! Runs other programs, and names the one that failed.

use anyhow::{ensure, Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Runs `command`; an error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}` failed: {status}");
    Ok(())
}

/// Runs `command`, and returns its stdout without spaces at the ends. The error if it fails has its output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output = command.output().with_context(|| format!("cannot start `{line}`"))?;
    let said = String::from_utf8(output.stdout).with_context(|| format!("`{line}` does not print text"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{line}` failed: {}\n{said}{errors}", output.status);
    Ok(said.trim().to_string())
}

/// The Cargo that runs this program, in the root of the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::root()).args(arguments);
    command
}

/// The folder of what Cargo builds.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(crate::root().join("target"), PathBuf::from)
}

/// The path of `program`, if it is in PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The command as a line of a shell.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
