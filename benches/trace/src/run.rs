//! The command line.

use crate::tracer::Tracer;
use anyhow::{Context, Result};
use clap::Parser;
use nix::sys::ptrace;
use nix::unistd::Pid;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Steps through the translations of a program, and writes down what each touches.
#[derive(Parser)]
#[command(name = "ntv-trace")]
struct Arguments {
    /// Add to a table of the functions and source files that the lines of code are of.
    #[arg(long, value_name = "FILE")]
    functions: Option<PathBuf>,
    /// Where a line for each phase of each translation is added.
    log: PathBuf,
    /// What to run.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// Where to write, and what zink writes.
pub(crate) struct Outputs {
    pub(crate) log: PathBuf,
    pub(crate) functions: Option<PathBuf>,
    /// The log of zink, which tells a shader's stage and size.
    pub(crate) zink: Option<PathBuf>,
}

/// The first argument of the process that becomes the program.
const TRACED: &str = "--traced";

pub(crate) fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == TRACED) {
        let program = arguments.next().context("wanted: a program")?;
        return Err(become_traced(&program, arguments));
    }
    let Arguments { functions, log, command } = Arguments::parse();
    let zink = std::env::var_os("ZINK_NTV_LOG").map(PathBuf::from);
    // The program may write elsewhere: its working folder is ours.
    let child = Command::new(std::env::current_exe()?).arg(TRACED).args(command).spawn()?;
    let main = Pid::from_raw(child.id().try_into()?);
    Ok(ExitCode::from(Tracer::watch(main, &Outputs { log, functions, zink })?))
}

/// Lets the parent trace this process, and makes it another program. Comes back with an error only.
fn become_traced(program: &OsString, arguments: impl Iterator<Item = OsString>) -> anyhow::Error {
    match ptrace::traceme() {
        Ok(()) => anyhow::Error::from(Command::new(program).args(arguments).exec())
            .context(format!("cannot start {program:?}")),
        Err(error) => error.into(),
    }
}
