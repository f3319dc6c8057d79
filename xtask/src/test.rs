//! `cargo xtask test`: all tests, on a Debian machine that has nothing but Rust.

use crate::command::{cargo, find, run as go};
use anyhow::{ensure, Result};
use std::process::Command;

/// What the tests need: how to see that it is there, and the Debian package that has it.
const NEEDS: &[(Probe, &str)] = &[
    (Probe::Program("spirv-val"), "spirv-tools"),
    // The loader, libvulkan1, comes with the driver.
    (Probe::File("/usr/share/vulkan/icd.d", "lvp_icd."), "mesa-vulkan-drivers"),
    (Probe::File("/usr/share/vulkan/explicit_layer.d", "VkLayer_khronos_validation."), "vulkan-validationlayers"),
];

/// How to see that something is installed.
enum Probe {
    /// A program in PATH.
    Program(&'static str),
    /// A file in a folder, by the start of its name.
    File(&'static str, &'static str),
}

impl Probe {
    fn finds(&self) -> bool {
        match self {
            Probe::Program(name) => find(name).is_some(),
            Probe::File(folder, start) => std::fs::read_dir(folder).is_ok_and(|mut entries| {
                entries.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(start)))
            }),
        }
    }
}

/// Installs what is missing and runs the tests of the whole workspace; `arguments` go to `cargo test`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    for (probe, package) in NEEDS {
        install(probe, package)?;
    }
    go(cargo(&["test", "--workspace", "--features", "vulkan", "--no-fail-fast"]).args(arguments))
}

/// Installs `package` from Debian unless what it has is already there.
fn install(probe: &Probe, package: &str) -> Result<()> {
    if probe.finds() {
        return Ok(());
    }
    install_packages(&[package])?;
    ensure!(probe.finds(), "{package} is installed, but what the tests need is not where it should be");
    Ok(())
}

/// Installs `package` unless `folder` has a file whose name begins with `start`.
pub(crate) fn install_file(folder: &'static str, start: &'static str, package: &str) -> Result<()> {
    install(&Probe::File(folder, start), package)
}

/// Installs `packages` from Debian.
pub(crate) fn install_packages(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    println!("Installing what is needed from Debian: {names}.");
    ensure!(find("apt-get").is_some(), "this is not a Debian system: install what is called {names} there yourself");
    let install = || apt_get(&[&["install", "--yes", "--no-install-recommends"], packages].concat());
    // A fresh image has no package lists; where there are some, they are good enough.
    if go(&mut install()).is_err() {
        go(&mut apt_get(&["update"]))?;
        go(&mut install())?;
    }
    Ok(())
}

/// apt-get that asks nothing, through sudo for whoever is not root.
fn apt_get(arguments: &[&str]) -> Command {
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let mut command = Command::new(if root { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(arguments);
    command
}
