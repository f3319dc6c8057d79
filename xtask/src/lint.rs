//! `cargo xtask lint`: everything that has to hold besides the tests.

use crate::command::{cargo, run as go};
use anyhow::Result;

/// Formatting, clippy and rustdoc, with warnings as errors.
///
/// Clippy's `incompatible_msrv` holds the library to `rust-version` of Cargo.toml: it runs without the features of the
/// tool first, because that is what a driver builds.
pub(crate) fn run() -> Result<()> {
    go(&mut cargo(&["fmt", "--all", "--check"]))?;
    go(&mut cargo(&["clippy", "--package", "ntv", "--lib", "--no-default-features", "--", "-D", "warnings"]))?;
    go(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    go(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
