// SPDX-License-Identifier: MIT

//! A folder in which a test runs the tool.

// Each program of tests uses a part.
#![allow(dead_code)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A valid dump of one shader.
pub(crate) const GOOD: &str = include_str!("../../../examples/ubo_loop.nir");

/// A folder with files, in which the tool is run.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Folder {
        let place = Folder(tempfile::tempdir().expect("a folder"));
        for (name, contents) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, contents).expect("a file");
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().expect("the tool")
    }

    pub(crate) fn run_with(&self, arguments: &str, input: &str) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the tool");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
        child.wait_with_output().expect("the tool")
    }

    /// The files below `folder`, by name.
    pub(crate) fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let entries = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().filter_map(Result::ok);
        let files = entries.filter(|entry| entry.file_type().is_file());
        let name = |path: &Path| path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
        files.map(|entry| name(entry.path())).collect()
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
pub(crate) fn expect(output: &Output, status: i32, last_line: &str) {
    assert_eq!(output.status.code(), Some(status), "{}", stderr(output));
    assert_eq!(stderr(output).lines().last().unwrap_or_default(), last_line, "{}", stderr(output));
}

/// Wrong usage with a message that has `what`, after which the folder has no new files.
#[track_caller]
pub(crate) fn expect_refusal(place: &Folder, arguments: &str, what: &str) {
    let before = place.files(".");
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains(what), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(place.files("."), before);
}

pub(crate) fn is_spirv(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.len() > 20 && bytes.len() % 4 == 0 && bytes[..4] == [3, 2, 0x23, 7])
}
