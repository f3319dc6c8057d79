// SPDX-License-Identifier: MIT

//! `cargo xtask test`: all tests, on a Debian machine that has only Rust installed.

use crate::command::{cargo, find, run as go};
use crate::meson::Meson;
use anyhow::{ensure, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs and files that the tests need, with their Debian packages.
const NEEDS: &[(Probe, &str)] = &[
    (Probe::Program("spirv-val"), "spirv-tools"),
    // It proves what equal terms of ntv prove do not.
    (Probe::Program("z3"), "z3"),
    // The loader, libvulkan1, comes with the driver.
    (Probe::File("/usr/share/vulkan/icd.d", "lvp_icd."), "mesa-vulkan-drivers"),
    (Probe::File("/usr/share/vulkan/explicit_layer.d", "VkLayer_khronos_validation."), "vulkan-validationlayers"),
    // It generates the bindings of ntv.h.
    (Probe::Versioned("/usr/lib", "llvm-", "lib/libclang.so.1"), "libclang-dev"),
    // The C program that draws links with the loader.
    (Probe::File("/usr/include/vulkan", "vulkan_core.h"), "libvulkan-dev"),
    // ntv.h is compiled as C++, too.
    (Probe::Program("c++"), "g++"),
    (Probe::Program("ninja"), "ninja-build"),
    (Probe::Program("valgrind"), "valgrind"),
    // It runs the page of the explorer. The versions of everything else are in the lock file of npm.
    (Probe::Program("chromium"), "chromium"),
    (Probe::Program("node"), "nodejs"),
    (Probe::Program("npm"), "npm"),
];

/// A check that something is installed.
enum Probe {
    /// A program in PATH.
    Program(&'static str),
    /// A file in a folder whose name starts with a text.
    File(&'static str, &'static str),
    /// A file in one of the subfolders of a folder whose names start with a text.
    Versioned(&'static str, &'static str, &'static str),
}

impl Probe {
    fn finds(&self) -> bool {
        match self {
            Probe::Program(name) => find(name).is_some(),
            Probe::File(folder, start) => !starting_with(folder, start).is_empty(),
            Probe::Versioned(folder, start, file) => {
                starting_with(folder, start).iter().any(|folder| folder.join(file).is_file())
            }
        }
    }
}

/// The entries of `folder` whose names start with `start`.
fn starting_with(folder: &str, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(start)).map(|entry| entry.path()).collect()
}

/// Installs missing packages, and runs the tests of the C library and of the whole workspace. `arguments` are for the `cargo test`
/// of the workspace.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    for (probe, package) in NEEDS {
        install(probe, package)?;
    }
    meson()?;
    crate::explorer::test()?;
    // These tests need release builds: debug builds also check NIR that is marked as valid, and have internal checks.
    go(&mut cargo(&["test", "--release", "--test", "mutations", "declared_valid"]))?;
    go(&mut cargo(&["test", "--release", "--test", "allocations"]))?;
    let sequences =
        ["test", "--release", "--package", "ntv-driver", "--test", "sequences", "recording_changes_is_enough"];
    go(cargo(&sequences).env("NTV_SEEDS", "100000"))?;
    go(cargo(&["test", "--workspace", "--features", "vulkan", "--no-fail-fast"]).args(arguments))
}

/// The oldest Rust that the library promises to work with: `rust-version` of its `Cargo.toml`.
const OLDEST_RUST: &str = "1.78";

/// The options of a build with LTO. Crates are not optimized, because that would take minutes.
const LTO: &[&str] = &["-Doptimization=plain", "-Drust_args=-Copt-level=0"];

/// `cargo xtask msrv`: builds the library by Meson with the oldest Rust, which rustup downloads, and runs the C programs that use
/// it. The full test run does not depend on rustup's server.
pub(crate) fn msrv() -> Result<()> {
    let meson = Meson::new()?;
    go(&mut test(&meson, &build(&meson, "meson-oldest", &oldest_rust()?, LTO)?))
}

/// Builds the library by Meson without a network, and runs the C programs that use it: with the static and the shared library, both
/// with LTO, and under valgrind; without LTO, with AddressSanitizer and beside another Rust library.
fn meson() -> Result<()> {
    const VALGRIND: &str = "valgrind --quiet --error-exitcode=1 --leak-check=full \
                            --show-leak-kinds=definite --errors-for-leak-kinds=definite";
    let meson = Meson::new()?;
    let plain = build(&meson, "meson-plain", "rustc", LTO)?;
    go(&mut test(&meson, &plain))?;
    go(test(&meson, &plain).args(["--wrap", VALGRIND, "consumer_static"]))?;
    let sanitized = ["-Dlto=false", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Ddefault_library=static"];
    go(&mut test(&meson, &build(&meson, "meson-sanitized", "rustc", &sanitized)?))
}

/// Builds the C library in `target/NAME` with a Rust compiler, without a network. The library has its internal checks.
fn build(meson: &Meson, name: &str, rustc: &str, options: &[&str]) -> Result<PathBuf> {
    let folder = crate::root().join("target").join(name);
    let mut setup = offline(meson, "setup");
    setup.env("RUSTC", rustc).arg(&folder).args(["-Dbuildtype=debug", "-Ddraw_test=enabled"]).args(options);
    if folder.join("build.ninja").is_file() {
        setup.arg("--reconfigure");
    }
    go(&mut setup)?;
    go(offline(meson, "compile").arg("-C").arg(&folder))?;
    Ok(folder)
}

/// A command of Meson in a network namespace that has no network.
fn offline(meson: &Meson, name: &str) -> Command {
    let mut command = meson.command("unshare");
    // Root needs no user namespace, in which it could not write to files of other users.
    command.args((!is_root()).then_some("--map-root-user")).args(["--net", "meson", name]);
    command
}

/// Meson's tests of a build.
fn test(meson: &Meson, folder: &Path) -> Command {
    let mut command = meson.command("meson");
    command.args(["test", "--no-rebuild", "--verbose", "-C"]).arg(folder);
    command
}

/// The command of the compiler of `OLDEST_RUST`, which rustup installs.
fn oldest_rust() -> Result<String> {
    let installed = Command::new("rustup").args(["run", OLDEST_RUST, "rustc", "--version"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        go(Command::new("rustup").args(["toolchain", "install", OLDEST_RUST, "--profile", "minimal"]))?;
    }
    Ok(format!("rustup run {OLDEST_RUST} rustc"))
}

/// Installs `package` from Debian unless `probe` finds its file.
fn install(probe: &Probe, package: &str) -> Result<()> {
    if probe.finds() {
        return Ok(());
    }
    install_packages(&[package])?;
    ensure!(probe.finds(), "{package} is installed, but a file that the tests need is not at its usual path");
    Ok(())
}

/// Installs `package` unless PATH has the program `name`.
pub(crate) fn install_program(name: &'static str, package: &str) -> Result<()> {
    install(&Probe::Program(name), package)
}

/// Installs `package` unless `folder` has a file whose name begins with `start`.
pub(crate) fn install_file(folder: &'static str, start: &'static str, package: &str) -> Result<()> {
    install(&Probe::File(folder, start), package)
}

/// Installs `packages` from Debian.
pub(crate) fn install_packages(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    println!("Installing packages from Debian: {names}.");
    ensure!(find("apt-get").is_some(), "this is not a Debian system: install the equivalents of {names}");
    let install = || apt_get(&[&["install", "--yes", "--no-install-recommends"], packages].concat());
    // A fresh image has no package lists. Existing lists need no update.
    if go(&mut install()).is_err() {
        go(&mut apt_get(&["update"]))?;
        go(&mut install())?;
    }
    Ok(())
}

/// apt-get without questions; with sudo for users other than root.
fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new(if is_root() { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(arguments);
    command
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
