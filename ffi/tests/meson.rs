// SPDX-License-Identifier: MIT

//! Meson's files and Cargo's agree.

use std::path::Path;

const MESON: &str = include_str!("../../meson.build");

/// The wraps, by the names of Meson's subprojects.
const WRAPS: &[&str] = &["bitflags-2-rs", "rustc-hash-2-rs", "spirv-0.4-rs"];

/// The value of `key` in a file with lines of `key = value`.
///
/// # Panics
/// If no line has it.
#[track_caller]
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    value.unwrap_or_else(|| panic!("no {key} in {text}")).trim().trim_matches('"')
}

#[test]
fn the_versions_are_equal() {
    assert!(MESON.contains(concat!("\n  version : '", env!("CARGO_PKG_VERSION"), "',\n")));
    assert!(MESON.contains(concat!("version_compare('< ", env!("CARGO_PKG_RUST_VERSION"), "')")));
    let tests = include_str!("../../xtask/src/test.rs");
    assert!(tests.contains(concat!("OLDEST_RUST: &str = \"", env!("CARGO_PKG_RUST_VERSION"), "\";")));
}

#[test]
fn the_wraps_have_the_crates_of_cargo_lock() {
    let lock = include_str!("../../Cargo.lock");
    for name in WRAPS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subprojects");
        let wrap = std::fs::read_to_string(folder.join(format!("{name}.wrap"))).expect("a wrap");
        let build = folder.join("packagefiles").join(name).join("meson.build");
        let build = std::fs::read_to_string(build).expect("a build file");
        let directory = value(&wrap, "directory");
        let same = |package: &&str| format!("{}-{}", value(package, "name"), value(package, "version")) == directory;
        let package =
            lock.split("[[package]]").skip(1).find(same).unwrap_or_else(|| panic!("no {directory} in Cargo.lock"));
        assert_eq!(value(&wrap, "source_hash"), value(package, "checksum"), "{name}");
        // Meson has no build metadata in versions.
        let version = value(package, "version").split('+').next().unwrap_or_default();
        assert!(build.contains(&format!("version : '{version}'")), "{name}: not {version}");
        assert!(MESON.contains(&format!("subproject('{name}'")), "{name} is not used");
        // Without this line, ntv has no LTO.
        assert!(build.contains("\nhas_bitcode = true\n"), "{name}: ntv does not know of its bitcode");
    }
}
