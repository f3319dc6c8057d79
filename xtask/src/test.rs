// SPDX-License-Identifier: MIT

//! `cargo xtask test`: all tests, on a Debian machine that has only Rust installed.

use crate::command::{cargo, find, run as go};
use crate::explorer;
use crate::lint::document;
use crate::meson::Meson;
use crate::steps::Steps;
use anyhow::{ensure, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs and files that the tests need, with their Debian packages.
const NEEDS: &[(Probe, &str)] = &[
    (Probe::Program("spirv-val"), "spirv-tools"),
    // It proves what equal terms of ntv prove do not.
    (Probe::Program("z3"), "z3"),
    // The loader, libvulkan1, comes with the driver.
    (Probe::File("/usr/share/vulkan/icd.d", "lvp_icd."), "mesa-vulkan-drivers"),
    // Mesa compiles GLSL for the command.
    (Probe::Versioned("/usr/lib", "", "libEGL.so.1"), "libegl1"),
    (Probe::Versioned("/usr/lib", "", "dri/zink_dri.so"), "libgl1-mesa-dri"),
    (Probe::File("/usr/share/vulkan/explicit_layer.d", "VkLayer_khronos_validation."), "vulkan-validationlayers"),
    // It generates the bindings of ntvr.h.
    (Probe::Versioned("/usr/lib", "llvm-", "lib/libclang.so.1"), "libclang-dev"),
    // The C program that draws links with the loader.
    (Probe::File("/usr/include/vulkan", "vulkan_core.h"), "libvulkan-dev"),
    // ntvr.h is compiled as C++, too.
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

/// The selection of the whole workspace. All steps have the same one, so that Cargo builds each crate once.
pub(crate) const ALL: &[&str] = &["test", "--workspace", "--features", "explorer,full"];

/// The tests that need a release build: debug builds also check NIR that is marked as valid, and have internal checks.
const RELEASE: &[&str] =
    &["test", "--release", "--package", "ntv-release-tests", "--", "declared_valid", "nothing_is_allocated"];

/// Installs missing packages, and runs the tests of the C library, of the explorer and of the whole workspace. `arguments` are for
/// the `cargo test` of the workspace.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut steps = Steps::new();
    steps.run("packages", || NEEDS.iter().try_for_each(|(probe, package)| install(probe, package)))?;
    steps.beside("library", |steps| {
        steps.run("the page of the explorer", explorer::build)?;
        steps.run("tests of release builds", || go(whole(&mut cargo(RELEASE))))?;
        steps.run("build of all tests", || go(whole(&mut cargo(ALL)).arg("--no-run")))
    })?;
    steps.run("the explorer in a browser", explorer::browse)?;
    let run = |arguments: &[String]| go(whole(&mut cargo(ALL)).arg("--no-fail-fast").args(arguments));
    if !arguments.is_empty() {
        return run(arguments);
    }
    let tested = steps.run("all tests", || run(&["--tests".to_string()]));
    steps.print();
    // Last, so that the log ends with the last lines of the test runner.
    let documented = run(&["--doc".to_string()]);
    tested.and(documented)
}

/// `cargo xtask library`: builds the C library by Meson, in two ways, and tests it.
pub(crate) fn library() -> Result<()> {
    let mut steps = Steps::new();
    let meson = Meson::new()?;
    steps.run("the C library by Meson", || linked(&meson))?;
    steps.run("the C library with AddressSanitizer", || sanitized(&meson))
}

/// The environment of the whole run. Whole builds are faster without the state of incremental ones. lavapipe does not optimize, which
/// would take half of the time of a shader that runs once.
pub(crate) fn whole(cargo: &mut Command) -> &mut Command {
    cargo.env("CARGO_INCREMENTAL", "0").env("GALLIVM_PERF", "nopt")
}

/// The tests that `cargo xtask nightly` runs with more cases than `cargo xtask test`: package, program, test, and a variable with
/// its value.
const NIGHTLY: &[[&str; 5]] = &[
    ["ntv-driver", "sequences", "recording_changes_is_enough", "NTV_SEEDS", "100000"],
    ["ntv-driver", "sequences", "pixels_and_buffers_are_the_same_in_all_ways", "NTV_SEEDS", "2000"],
    ["ntv-lavapipe-tests", "lavapipe", "random_captures_agree_with_gl", "NTV_SEEDS", "20000"],
    ["ntv-lavapipe-tests", "lavapipe", "all_shapes_are_captured_under_all_draws", "NTV_CASES", "1"],
    ["ntv", "shared_corpus", "real_dumps_compile", "NTV_VALIDATED", "1"],
    ["ntv", "properties", "passes_keep_where", "NTV_SEEDS", "100000"],
    ["ntv", "variants", "patched_words_equal_fresh_words", "NTV_VALIDATED", "1"],
];

/// `cargo xtask nightly`: random tests with many seeds, and the tests on a device with the optimizations of lavapipe.
pub(crate) fn nightly() -> Result<()> {
    let mut steps = Steps::new();
    steps.run("packages", || NEEDS.iter().try_for_each(|(probe, package)| install(probe, package)))?;
    for [package, program, test, variable, value] in NIGHTLY {
        let arguments = ["test", "--package", package, "--test", program, test];
        steps.run(test, || go(cargo(&arguments).env(variable, value)))?;
    }
    steps.run("documentation", || document(&["--workspace", "--all-features"]))?;
    steps.run("lavapipe", || {
        let packages = ["--package", "ntv-lavapipe-tests", "--package", "ntv-tool", "--features", "vulkan"];
        go(cargo(&["test", "--test", "lavapipe", "--test", "scenes"]).args(packages))
    })?;
    steps.print();
    Ok(())
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
/// with LTO, and under valgrind.
fn linked(meson: &Meson) -> Result<()> {
    const VALGRIND: &str = "valgrind --quiet --error-exitcode=1 --leak-check=full \
                            --show-leak-kinds=definite --errors-for-leak-kinds=definite";
    let plain = build(meson, "meson-plain", "rustc", LTO)?;
    go(&mut test(meson, &plain))?;
    go(test(meson, &plain).args(["--wrap", VALGRIND, "consumer_static"]))
}

/// Builds the library without LTO, and runs the programs with AddressSanitizer and beside another Rust library.
fn sanitized(meson: &Meson) -> Result<()> {
    let sanitized = ["-Dlto=false", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Ddefault_library=static"];
    go(&mut test(meson, &build(meson, "meson-sanitized", "rustc", &sanitized)?))
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
pub(crate) fn offline(meson: &Meson, name: &str) -> Command {
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
    // Chores run beside each other, and apt-get does not wait for another one.
    let others = File::create(std::env::temp_dir().join("ntv-packages.lock"))?;
    others.lock()?;
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
