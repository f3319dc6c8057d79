// SPDX-License-Identifier: MIT

//! Temporary files and processes, which the tool removes if it is interrupted.
//!
//! A destructor removes them when the tool ends by itself. A signal ends a process without destructors, so a thread waits for it,
//! removes what is registered here, and lets the signal have its effect.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// The files and folders, and the groups of processes, that an interrupt removes.
#[derive(Default)]
struct Registered {
    paths: Vec<PathBuf>,
    #[cfg_attr(not(unix), allow(dead_code))]
    groups: Vec<u32>,
}

static REGISTERED: Mutex<Registered> = Mutex::new(Registered { paths: Vec::new(), groups: Vec::new() });

fn registered() -> MutexGuard<'static, Registered> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder that is registered until this is dropped.
pub(crate) struct Held(PathBuf);

impl Held {
    /// Does the last step, after which the path is not temporary any more. No interrupt comes in between.
    pub(crate) fn release<T>(self, last: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut all = registered();
        let result = last();
        all.paths.retain(|path| *path != self.0);
        drop(all);
        result
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        registered().paths.retain(|path| *path != self.0);
    }
}

/// Makes a temporary file or folder and registers its path. No interrupt comes in between.
pub(crate) fn hold<T>(make: impl FnOnce() -> io::Result<T>, path: impl FnOnce(&T) -> PathBuf) -> io::Result<(T, Held)> {
    await_signals();
    let mut all = registered();
    let made = make()?;
    let path = path(&made);
    all.paths.push(path.clone());
    Ok((made, Held(path)))
}

/// Starts a process that leads a group of its own, and registers the group until [`ended`].
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    await_signals();
    let mut all = registered();
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let child = command.spawn()?;
    all.groups.push(child.id());
    Ok(child)
}

/// Forgets the group of a process that has ended.
pub(crate) fn ended(process: u32) {
    registered().groups.retain(|group| *group != process);
}

/// Waits for a process that [`start`] started, and kills its group after `limit`.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            end_group(child)?;
            return Ok(None);
        }
        std::thread::sleep(pause.min(end.saturating_duration_since(Instant::now())));
        // Most commands take milliseconds; the delay does not matter for longer ones.
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn end_group(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    kill(child.id())?;
    // The first process of the group; it may have ended already.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}

/// Kills all processes of a group.
#[cfg(unix)]
fn kill(group: u32) -> io::Result<()> {
    // The number of the group is that of its first process. The standard library has no call for this.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("kill -KILL -{group}")).stderr(std::process::Stdio::null()).status().map(drop)
}

/// Starts the thread that waits for signals, once.
fn await_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        signals::await_them();
    });
}

#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::fs;

    pub(super) fn await_them() {
        let ignored = ignored();
        let signals = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = Signals::new(signals) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                // The lock is kept: nothing temporary is made from now on.
                let all = super::registered();
                super::remove(&all);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    }

    /// The signals that the tool was started to ignore, a bit each: SIGHUP by `nohup`, SIGINT by a shell in the background.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

/// Removes everything that is registered.
#[cfg_attr(not(unix), allow(dead_code))]
fn remove(all: &Registered) {
    #[cfg(unix)]
    for group in &all.groups {
        let _ = kill(*group);
    }
    for path in &all.paths {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
}
