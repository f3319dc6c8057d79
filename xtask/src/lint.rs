// SPDX-License-Identifier: MIT

//! `cargo xtask lint`: all checks besides the tests.

use crate::command::{cargo, run as go};
use crate::steps::Steps;
use crate::{explorer, opcodes};
use anyhow::Result;
use std::process::Command;

/// Names of opcodes, types of the explorer's page, formatting, clippy and rustdoc, with warnings as errors.
///
/// Clippy's `incompatible_msrv` checks the library against `rust-version` of Cargo.toml. The library has no features, so that all
/// selections check it once.
pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::new();
    steps.run("names of opcodes", opcodes::run)?;
    steps.run("types of the page of the explorer", explorer::lint)?;
    install_components()?;
    steps.run("formatting", || go(&mut cargo(&["fmt", "--all", "--check"])))?;
    steps.run("clippy", || {
        // State tracking, which other drivers can use, must not need the rest of this driver.
        clippy(&["--package", "ntv-driver", "--no-default-features", "--lib"])?;
        // The command without features, which README builds first.
        clippy(&["--package", "ntv-tool", "--bins"])?;
        clippy(&["--workspace", "--all-targets", "--all-features"])
    })?;
    steps.run("documentation", || document(PUBLIC))?;
    steps.print();
    Ok(())
}

/// The packages whose documentation others read. `cargo xtask nightly` documents all, which takes three times as long.
const PUBLIC: &[&str] =
    &["--package=ntv", "--package=ntv-nir", "--package=ntv-ffi", "--package=ntv-driver", "--package=null-vulkan"];

/// rustdoc on a selection of packages, with warnings as errors.
pub(crate) fn document(selection: &[&str]) -> Result<()> {
    go(cargo(&["doc", "--no-deps"]).args(selection).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Clippy with warnings as errors.
fn clippy(selection: &[&str]) -> Result<()> {
    go(cargo(&["clippy"]).args(selection).args(["--", "-D", "warnings"]))
}

/// Adds rustfmt and clippy to a Rust that was installed without them.
fn install_components() -> Result<()> {
    let works = |tool: &str| cargo(&[tool, "--version"]).output().is_ok_and(|output| output.status.success());
    if works("fmt") && works("clippy") {
        return Ok(());
    }
    println!("rustfmt or clippy is missing: adding both with rustup.");
    go(Command::new("rustup").args(["component", "add", "rustfmt", "clippy"]))
}
