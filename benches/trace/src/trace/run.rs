// SPDX-License-Identifier: MIT

//! The command line.

use super::sizes;
use super::tracer::Tracer;
use anyhow::{Context, Result};
use clap::Parser;
use nix::sys::personality::{self, Persona};
use nix::sys::ptrace;
use nix::unistd::Pid;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Measures the memory that the translators of a driver touch, and their size.
#[derive(Parser)]
#[command(name = "ntv-trace")]
enum Arguments {
    /// Steps through the translations of a program, and logs the memory that each touches.
    Run {
        /// Add to a table of the functions and source files of the lines of code.
        #[arg(long, value_name = "FILE")]
        functions: Option<PathBuf>,
        /// The log, to which a line for each phase of each translation is added.
        log: PathBuf,
        /// The program and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
    /// Writes the size of the machine code of each translator in a driver.
    Sizes {
        /// The driver, libgallium-*.so.
        library: PathBuf,
        log: PathBuf,
    },
}

/// The outputs, and zink's own log.
pub(crate) struct Outputs {
    pub(crate) log: PathBuf,
    pub(crate) functions: Option<PathBuf>,
    /// The log of zink, which has a shader's stage and size.
    pub(crate) zink: Option<PathBuf>,
}

/// The first argument of the process that becomes the program.
const TRACED: &str = "--traced";

pub(crate) fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == TRACED) {
        let program = arguments.next().context("wanted: a program")?;
        return become_traced(&program, arguments);
    }
    match Arguments::parse() {
        Arguments::Run { functions, log, command } => {
            let zink = std::env::var_os("ZINK_NTVR_LOG").map(PathBuf::from);
            let child = Command::new(std::env::current_exe()?).arg(TRACED).args(command).spawn()?;
            let main = Pid::from_raw(child.id().try_into()?);
            Ok(ExitCode::from(Tracer::watch(main, &Outputs { log, functions, zink })?))
        }
        Arguments::Sizes { library, log } => {
            std::fs::write(&log, sizes::table(&library)?).with_context(|| log.display().to_string())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Lets the parent trace this process, and replaces it by another program. Returns only after an error.
fn become_traced(program: &OsString, arguments: impl Iterator<Item = OsString>) -> Result<ExitCode> {
    // Addresses are those of the last run, so that hashes of addresses have the same collisions.
    personality::set(personality::get()? | Persona::ADDR_NO_RANDOMIZE)?;
    ptrace::traceme()?;
    let error = Command::new(program).args(arguments).exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}
