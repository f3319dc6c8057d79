// SPDX-License-Identifier: MIT

//! `cargo xtask explorer`: builds the page of the explorer; `--test` also tests it in a browser, and `--static DIR` copies it to where a
//! web server has its files.

use crate::command::{cargo, run as go};
use crate::test::install_program;
use anyhow::{bail, ensure, Context, Result};
use flate2::{write::GzEncoder, Compression};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes of the page, compressed.
const MOST: usize = 2 << 20;

/// `cargo xtask explorer [--test | --static DIR]`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => build(),
        [argument] if argument == "--test" => {
            build()?;
            // Its tests, and the command.
            go(&mut cargo(&["test", "--package", "ntv-tool", "--features", "explorer", "--test", "explore"]))?;
            browse()
        }
        [argument, folder] if argument == "--static" => {
            build()?;
            copy(Path::new(folder))
        }
        _ => bail!("usage: cargo xtask explorer [--test | --static DIR]"),
    }
}

/// Builds the page into `explorer/page/dist/`, and refuses a page that is too big.
pub(crate) fn build() -> Result<()> {
    install_packages_of_node()?;
    translator()?;
    npm_packages()?;
    check()?;
    go(&mut node("build.mjs"))?;
    let bytes = compressed_size(&page().join("dist"))?;
    println!("The explorer has {bytes} bytes, compressed with gzip; the most are {MOST}.");
    ensure!(bytes <= MOST, "the explorer is too big: {bytes} bytes");
    Ok(())
}

/// Copies the page to `folder`. All its addresses are relative, so that it works below any address.
fn copy(folder: &Path) -> Result<()> {
    let dist = page().join("dist");
    for entry in WalkDir::new(&dist) {
        let entry = entry?;
        let to = folder.join(entry.path().strip_prefix(&dist)?);
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(&to).with_context(|| to.display().to_string())?,
            false => drop(fs::copy(entry.path(), &to).with_context(|| to.display().to_string())?),
        }
    }
    println!("The explorer is in {}: any web server can serve it, such as `python3 -m http.server`.", folder.display());
    Ok(())
}

/// Tests the page in a browser, with the command that the tests of the tool were built with: `cargo test` builds it, too.
pub(crate) fn browse() -> Result<()> {
    install_program("chromium", "chromium")?;
    go(node("build.mjs").arg("--tests"))?;
    let mut tests = node("--test");
    tests.args(["--test-reporter=spec", "target/tests/explorer.test.mjs"]);
    go(tests.env("NTV", target_folder()?.join("debug/ntv")))
}

/// Checks the types of the page.
pub(crate) fn lint() -> Result<()> {
    install_packages_of_node()?;
    npm_packages()?;
    check()
}

fn page() -> PathBuf {
    crate::root().join("explorer/page")
}

fn node(script: &str) -> Command {
    let mut command = Command::new("node");
    command.current_dir(page()).arg(script);
    command
}

fn check() -> Result<()> {
    go(node("node_modules/typescript/bin/tsc").args(["--project", "tsconfig.json"]))
}

fn install_packages_of_node() -> Result<()> {
    install_program("node", "nodejs")?;
    install_program("npm", "npm")
}

/// Installs what `package-lock.json` names, unless it is installed already.
fn npm_packages() -> Result<()> {
    let wanted = fs::read(page().join("package-lock.json")).context("package-lock.json")?;
    let copy = page().join("node_modules/.installed-lock.json");
    if fs::read(&copy).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    go(Command::new("npm").current_dir(page()).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    Ok(fs::write(copy, wanted)?)
}

/// Compiles the crate to WebAssembly, and writes it with its JavaScript to `explorer/page/target/wasm/`.
fn translator() -> Result<()> {
    install_target()?;
    let compile =
        ["build", "--package", "ntv-explorer", "--lib", "--target", TARGET, "--profile", "explorer", "--locked"];
    go(&mut cargo(&compile))?;
    let module = target_folder()?.join(TARGET).join("explorer/ntv_explorer.wasm");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(false).omit_default_module_path(true);
    bindgen.generate(page().join("target/wasm"))
}

/// Adds the standard library of WebAssembly to Rust.
fn install_target() -> Result<()> {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let has =
        |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).lines().any(|line| line == TARGET);
    if installed.as_ref().is_ok_and(has) {
        return Ok(());
    }
    go(Command::new("rustup").args(["target", "add", TARGET]))
}

/// Cargo's folder of results.
fn target_folder() -> Result<PathBuf> {
    let output = cargo(&["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    Ok(metadata["target_directory"].as_str().context("cargo metadata has no target_directory")?.into())
}

/// The bytes of all files below `folder`, each compressed.
fn compressed_size(folder: &Path) -> Result<usize> {
    let mut bytes = 0;
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(&fs::read(entry.path())?)?;
            bytes += encoder.finish()?.len();
        }
    }
    Ok(bytes)
}
