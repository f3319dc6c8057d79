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

/// What the translators of a driver touch, and how large they are.
#[derive(Parser)]
#[command(name = "ntv-trace")]
enum Arguments {
    /// Steps through the translations of a program, and writes down what each touches.
    Run {
        /// Add to a table of the functions and source files that the lines of code are of.
        #[arg(long, value_name = "FILE")]
        functions: Option<PathBuf>,
        /// Where a line for each phase of each translation is added.
        log: PathBuf,
        /// What to run.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
    /// Writes how much machine code of each translator a driver has.
    Sizes {
        /// The driver, libgallium-*.so.
        library: PathBuf,
        log: PathBuf,
    },
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
        return become_traced(&program, arguments);
    }
    match Arguments::parse() {
        Arguments::Run { functions, log, command } => {
            let zink = std::env::var_os("ZINK_NTV_LOG").map(PathBuf::from);
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

/// Lets the parent trace this process, and makes it another program. Comes back with an error only.
fn become_traced(program: &OsString, arguments: impl Iterator<Item = OsString>) -> Result<ExitCode> {
    // All is where it was in the last run: what is hashed by its address collides with the same.
    personality::set(personality::get()? | Persona::ADDR_NO_RANDOMIZE)?;
    ptrace::traceme()?;
    let error = Command::new(program).args(arguments).exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}
