// SPDX-License-Identifier: MIT

//! `cargo xtask lint`: all checks besides the tests.

use crate::command::{cargo, run as go};
use crate::{explorer, opcodes};
use anyhow::Result;
use std::process::Command;

/// Names of opcodes, types of the explorer's page, formatting, clippy and rustdoc, with warnings as errors.
///
/// Clippy's `incompatible_msrv` checks the library against `rust-version` of Cargo.toml: it runs without the features of the
/// tool first, because drivers build the library so.
pub(crate) fn run() -> Result<()> {
    opcodes::run()?;
    explorer::lint()?;
    install_components()?;
    go(&mut cargo(&["fmt", "--all", "--check"]))?;
    go(&mut cargo(&["clippy", "--package", "ntv", "--lib", "--no-default-features", "--", "-D", "warnings"]))?;
    // State tracking, which other drivers can use, must not need the rest of this driver.
    go(&mut cargo(&[
        "clippy",
        "--package",
        "ntv-driver",
        "--no-default-features",
        "--lib",
        "--examples",
        "--",
        "-D",
        "warnings",
    ]))?;
    go(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--features",
        "vulkan,explorer",
        "--",
        "-D",
        "warnings",
    ]))?;
    go(cargo(&["doc", "--workspace", "--no-deps", "--features", "vulkan"]).env("RUSTDOCFLAGS", "-D warnings"))
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
