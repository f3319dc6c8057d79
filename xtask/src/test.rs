//! `cargo xtask test`: all tests, on a Debian machine that has nothing but Rust.

use crate::command::{cargo, find, run as go};
use anyhow::{ensure, Result};
use std::process::Command;

/// Programs that the tests run, and the Debian packages that have them.
const TOOLS: &[(&str, &str)] = &[("spirv-val", "spirv-tools")];

/// Installs what is missing and runs the tests of the whole workspace; `arguments` go to `cargo test`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    for (program, package) in TOOLS {
        install(program, package)?;
    }
    go(cargo(&["test", "--workspace", "--no-fail-fast"]).args(arguments))
}

/// Installs `package` from Debian unless `program` is already there.
fn install(program: &str, package: &str) -> Result<()> {
    if find(program).is_some() {
        return Ok(());
    }
    println!("The tests need {program}: installing the Debian package {package}.");
    ensure!(find("apt-get").is_some(), "this is not a Debian system: install {program} (SPIRV-Tools) yourself");
    // A fresh image has no package lists; where there are some, they are good enough.
    if go(&mut apt_get(&["install", "--yes", "--no-install-recommends", package])).is_err() {
        go(&mut apt_get(&["update"]))?;
        go(&mut apt_get(&["install", "--yes", "--no-install-recommends", package]))?;
    }
    ensure!(find(program).is_some(), "{package} is installed, but {program} is not in PATH");
    Ok(())
}

/// apt-get that asks nothing, through sudo for whoever is not root.
fn apt_get(arguments: &[&str]) -> Command {
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let mut command = Command::new(if root { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(arguments);
    command
}
