// SPDX-License-Identifier: MIT

//! Runs the command on a candidate, with a time limit.

use crate::temporary::{self, Held};
use anyhow::{bail, ensure, Context as _, Result};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The command failed, which is the aim.
    Failed,
    /// The command succeeded.
    Succeeded,
    /// The command was killed.
    TimedOut,
}

/// The exit statuses of `sh` for a command that cannot be executed, and for one that does not exist.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// The command, and the file for its candidate.
pub(super) struct Trial {
    command: String,
    limit: Duration,
    file: PathBuf,
    /// Deletes the file when it is dropped.
    _folder: TempDir,
    _held: Held,
    /// The number of runs.
    pub(super) runs: usize,
}

impl Trial {
    /// Prepares runs of `command` with the path of a file in place of each `{}`, or appended.
    pub(super) fn new(command: &str, limit: Duration) -> Result<Trial> {
        ensure!(!command.trim().is_empty(), "--command is empty");
        let make = || tempfile::Builder::new().prefix("ntv-reduce-").tempdir();
        let (folder, held) = temporary::hold(make, |folder| folder.path().to_path_buf())
            .context("cannot make a folder for candidates")?;
        let file = folder.path().join("candidate.nir");
        let path = format!("'{}'", file.display().to_string().replace('\'', r"'\''"));
        let command = if command.contains("{}") { command.replace("{}", &path) } else { format!("{command} {path}") };
        Ok(Trial { command, limit, file, _folder: folder, _held: held, runs: 0 })
    }

    /// Runs the command on `text`. It is an error if there is no such command: it would fail on every shader.
    pub(super) fn run(&mut self, text: &str) -> Result<Outcome> {
        self.runs += 1;
        fs::write(&self.file, text).with_context(|| self.file.display().to_string())?;
        let mut said = tempfile::tempfile().context("cannot make a file for the errors of the command")?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.try_clone()?);
        let mut child = temporary::start(&mut command).context("cannot run sh")?;
        let status = temporary::wait(&mut child, self.limit);
        temporary::ended(child.id());
        match status? {
            None => Ok(Outcome::TimedOut),
            Some(status) if status.success() => Ok(Outcome::Succeeded),
            Some(status) => match status.code().filter(|code| CANNOT_RUN.contains(code)) {
                Some(code) => bail!("the command cannot be run, its exit status is {code}{}", first_line(&mut said)),
                None => Ok(Outcome::Failed),
            },
        }
    }
}

/// `: ` and the first line that a command wrote to its errors, if there is one.
fn first_line(said: &mut File) -> String {
    const MOST: u64 = 400;
    let mut bytes = Vec::new();
    let _ = said.rewind().and_then(|()| said.take(MOST).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    text.lines().next().map_or(String::new(), |line| format!(": {line}"))
}
