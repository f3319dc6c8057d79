// SPDX-License-Identifier: MIT

//! Runs the command on a candidate, with a time limit.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
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

/// The command, and the file for its candidate.
pub(super) struct Trial {
    command: String,
    limit: Duration,
    file: PathBuf,
    /// Deletes the file when it is dropped.
    _folder: TempDir,
    /// The number of runs.
    pub(super) runs: usize,
}

impl Trial {
    /// Prepares runs of `command` with the path of a file in place of each `{}`, or appended.
    pub(super) fn new(command: &str, limit: Duration) -> Result<Trial> {
        let folder =
            tempfile::Builder::new().prefix("ntv-reduce-").tempdir().context("cannot make a folder for candidates")?;
        let file = folder.path().join("candidate.nir");
        let path = format!("'{}'", file.display().to_string().replace('\'', r"'\''"));
        let command = if command.contains("{}") { command.replace("{}", &path) } else { format!("{command} {path}") };
        Ok(Trial { command, limit, file, _folder: folder, runs: 0 })
    }

    /// Runs the command on `text`.
    pub(super) fn run(&mut self, text: &str) -> Result<Outcome> {
        self.runs += 1;
        fs::write(&self.file, text).with_context(|| self.file.display().to_string())?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.command);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().context("cannot run sh")?;
        Ok(match wait(&mut child, self.limit)? {
            None => Outcome::TimedOut,
            Some(status) if status.success() => Outcome::Succeeded,
            Some(_) => Outcome::Failed,
        })
    }
}

/// Waits for `child`, and kills it with all its processes after `limit`.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            kill(child)?;
            return Ok(None);
        }
        std::thread::sleep(pause.min(end.saturating_duration_since(Instant::now())));
        // Most commands take milliseconds; the delay does not matter for longer ones.
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn kill(child: &mut Child) -> Result<()> {
    // The number of the process group is that of its first process. The standard library has no call for this.
    #[cfg(unix)]
    Command::new("sh").arg("-c").arg(format!("kill -KILL -{}", child.id())).stderr(Stdio::null()).status()?;
    // The first process of the group; it may have ended already.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}
