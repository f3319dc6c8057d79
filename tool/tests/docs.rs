// SPDX-License-Identifier: MIT

//! The commands in README and `docs/` have the documented effects, exactly as they are written there.

#[path = "../../tests/support/markdown.rs"]
mod markdown;
#[path = "../../tests/support/mod.rs"]
mod support;

use markdown::Markdown;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The commands of the tool in the blocks of shell commands of README and `docs/`, in their order.
fn commands() -> Vec<String> {
    let pages =
        [vec![support::root().join("README.md")], support::files(&support::root().join("docs"), &["md"])].concat();
    let pages: Vec<String> = pages.iter().map(|page| fs::read_to_string(page).expect("a page")).collect();
    let blocks = pages.iter().flat_map(|page| Markdown::parse(page).blocks);
    let blocks: Vec<String> = blocks.filter(|(language, _)| language == "sh").map(|(_, code)| code).collect();
    let lines = blocks.iter().flat_map(|code| code.lines()).map(|line| line.replace("cargo run --release -- ", "ntv "));
    lines.filter(|line| line.starts_with("ntv ")).collect()
}

/// A folder with the parts of the repository's root that the commands use.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    for file in support::files(&support::root().join("examples"), &["nir", "vert", "frag", "shader_test"]) {
        let copy = place.path().join(file.strip_prefix(support::root()).expect("below the root"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(&file, copy).expect("a copy");
    }
    // The reader's own shader.
    fs::copy(place.path().join("examples/ubo_loop.nir"), place.path().join("big.nir")).expect("a copy");
    place
}

/// Runs a command like a shell in which the tool is installed.
fn run(place: &Path, command: &str) -> Output {
    let tool = Path::new(env!("CARGO_BIN_EXE_ntv")).parent().expect("a folder");
    let mut paths = vec![tool.to_path_buf()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(paths).expect("a path");
    Command::new("sh").arg("-c").arg(command).env("PATH", path).current_dir(place).output().expect("sh")
}

/// The argument of `-o` in a command.
fn output_of(command: &str) -> Option<PathBuf> {
    command.split(" -o ").nth(1)?.split_whitespace().next().map(PathBuf::from)
}

#[test]
fn the_commands_of_the_documentation_work() {
    let (place, commands) = (place(), commands());
    assert!(commands.len() >= 9, "{commands:#?}");
    for command in &commands {
        let output = run(place.path(), command);
        let said = String::from_utf8_lossy(&output.stderr);
        if command.contains("big.nir") {
            // ntv translates no shader to wrong SPIR-V.
            assert!(said.contains("the command succeeds on big.nir"), "{command}\n{said}");
            continue;
        }
        assert!(output.status.success(), "{command}\n{said}");
        let written = output_of(command).is_none_or(|file| place.path().join(file).exists());
        assert!(written, "{command}: nothing is written");
    }
    let linked: Vec<PathBuf> = support::files(&place.path().join("linked"), &["spv"]);
    assert_eq!(linked.len(), 2, "{linked:?}");
    let small = fs::read_to_string(place.path().join("small.nir")).expect("a shader");
    let big = fs::read_to_string(place.path().join("big.nir")).expect("a shader");
    assert!(small.contains("phi") && small.lines().count() < big.lines().count(), "{small}");
}
