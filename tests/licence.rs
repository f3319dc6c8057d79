// SPDX-License-Identifier: MIT

//! Each file of code says its licence at its start, in the form of <https://spdx.dev>.

mod support;

use std::fs;

const FOLDERS: &[&str] = &[
    "benches",
    "driver",
    "explorer/page/src",
    "explorer/page/tests",
    "explorer/src",
    "explorer/tests",
    "ffi",
    "fuzz",
    "gen",
    "interp",
    "nir",
    "null-vulkan",
    "prove",
    "report",
    "src",
    "tests",
    "tool",
    "xtask",
];

#[test]
fn files_of_code_have_a_licence() {
    let files = FOLDERS
        .iter()
        .flat_map(|folder| support::files(&support::root().join(folder), &["rs", "c", "h", "cpp", "ts", "css"]));
    let files: Vec<_> = files.filter(|file| !file.iter().any(|part| part == "target")).collect();
    assert!(files.len() > 700, "only {} files", files.len());
    let has_licence = |text: &str| text.lines().take(5).any(|line| line.ends_with("SPDX-License-Identifier: MIT"));
    let without = files.iter().filter(|file| !has_licence(&fs::read_to_string(file).expect("a readable file")));
    let without: Vec<_> = without.collect();
    assert!(without.is_empty(), "without a licence: {without:#?}");
}
