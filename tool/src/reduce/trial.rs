//! Runs the command on a candidate, for no longer than it may.

use anyhow::{Context as _, Result};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It failed, as it shall.
    Failed,
    /// It succeeded.
    Succeeded,
    /// It had to be stopped.
    TimedOut,
}

/// The command, and the file that it is given.
pub(super) struct Trial {
    command: String,
    limit: Duration,
    file: PathBuf,
    /// Goes with the file when this does.
    _folder: TempDir,
    /// How often it was run.
    pub(super) runs: usize,
}

impl Trial {
    /// Will run `command` with the path of a file in place of each `{}`, or behind it.
    pub(super) fn new(command: &str, limit: Duration) -> Result<Trial> {
        let folder = tempfile::Builder::new().prefix("ntv-reduce-").tempdir().context("no folder for candidates")?;
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

/// Waits for `child`, which is killed with all that it started when `limit` has passed.
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
        // Most commands are done in milliseconds; for those that are not, it does not matter.
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn kill(child: &mut Child) -> Result<()> {
    // The group has the number of its first process. There is no call for this in the standard library.
    #[cfg(unix)]
    Command::new("sh").arg("-c").arg(format!("kill -KILL -{}", child.id())).stderr(Stdio::null()).status()?;
    // What is left of the group's first process; it may be gone already.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}
