// SPDX-License-Identifier: MIT

//! `--watch`: does the work again when an input changes.

use crate::diagnostics::Reporter;
use anyhow::{ensure, Context as _, Result};
use notify::{Event, RecursiveMode, Watcher as _};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// An editor writes a file in several steps: the work starts when nothing has changed for this time.
const QUIET: Duration = Duration::from_millis(50);

/// Does `work`, and again after each change of `inputs`, which are files and folders, until the process is ended. An error of usage in
/// the first work ends it; later ones are reported.
pub(crate) fn repeat(inputs: &[PathBuf], reporter: &Reporter, mut work: impl FnMut() -> Result<()>) -> Result<()> {
    ensure!(!inputs.iter().any(|path| path == Path::new("-")), "--watch needs files: stdin is read once");
    let (sender, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(sender).context("cannot watch files")?;
    let (mut folders, mut roots) = (HashSet::new(), Vec::new());
    for input in inputs {
        let path = fs::canonicalize(input).with_context(|| input.display().to_string())?;
        let is_folder = path.is_dir();
        // Editors replace a file: the folder stays.
        let folder = if is_folder { path.clone() } else { path.parent().unwrap_or(&path).to_path_buf() };
        let mode = if is_folder { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        if folders.insert(folder.clone()) {
            watcher.watch(&folder, mode).with_context(|| format!("cannot watch {}", folder.display()))?;
        }
        roots.push(path);
    }
    work()?;
    reporter.say("Ctrl-C ends the watch");
    let is_of_input = |event: &notify::Result<Event>| {
        let Ok(event) = event else { return false };
        let is_change = event.kind.is_create() || event.kind.is_modify() || event.kind.is_remove();
        is_change && event.paths.iter().any(|path| roots.iter().any(|root| path.starts_with(root)))
    };
    while let Ok(event) = changes.recv() {
        if !is_of_input(&event) {
            continue;
        }
        while changes.recv_timeout(QUIET).is_ok() {}
        if let Err(error) = work() {
            reporter.failure(&error);
        }
    }
    Ok(())
}
