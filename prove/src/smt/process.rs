// SPDX-License-Identifier: MIT

//! A solver as a running process: text in, lines out, within a limit of time.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The program, and its Debian package.
pub(super) const PROGRAM: &str = "z3";

/// The memory that a solver may use, in MiB. A query with floats may need more than there is.
const MEMORY: u32 = 3072;

/// The last line of each answer.
const END: &str = "end of the answer";

/// Whether the program is in PATH.
pub(super) fn is_installed() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file())
}

/// The reason why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It took too long.
    Late,
    /// The process has ended.
    Ended,
}

/// A running solver.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// When it ends by itself.
    end: Instant,
}

impl Process {
    /// Starts the program, which ends by itself after some time: it sees that a command was killed only once it has answered, and an
    /// answer may take longer than its limit.
    pub(super) fn start(life: Duration) -> Result<Process> {
        let end = Instant::now() + life;
        let arguments =
            ["-in".into(), "-smt2".into(), format!("-memory:{MEMORY}"), format!("-T:{}", life.as_secs().max(1))];
        let mut command = Command::new(PROGRAM);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{PROGRAM} does not start"))?;
        let input = child.stdin.take().context("the solver has no input")?;
        let output = child.stdout.take().context("the solver has no output")?;
        let (sender, lines) = channel();
        // The thread ends with the process.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, input, lines, end })
    }

    /// Whether it runs for that time.
    pub(super) fn has(&self, time: Duration) -> bool {
        Instant::now() + time < self.end
    }

    /// The lines that the solver prints for `text`.
    pub(super) fn ask(&mut self, text: &str, limit: Duration) -> Result<Vec<String>, Failure> {
        let until = Instant::now() + limit;
        let sent = writeln!(self.input, "{text}\n(echo \"{END}\")").and_then(|()| self.input.flush());
        sent.map_err(|_| Failure::Ended)?;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) if line == END => return Ok(lines),
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Ended),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
