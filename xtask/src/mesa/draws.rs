//! `cargo xtask bench --draws`: what a draw costs on zink's side of the comparison. The C program says what is drawn and timed.

use super::build::Build;
use super::driver::{Driver, Translator};
use super::source::install_missing;
use crate::command::run as go;
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SOURCE: &str = "tests/mesa/draws/draws.c";
const NEEDS: &str = "libegl-dev libgl-dev";

/// Names in the log, and what each side has in its environment besides.
const SIDES: [(&str, &[(&str, &str)]); 3] = [
    // All of zink on the calling thread.
    ("zink", &[("GALLIUM_THREAD", "0")]),
    // As applications run it: what they wait for, with zink on another thread.
    ("zink threaded", &[]),
    // OpenGL on a driver that does nothing.
    ("opengl", &[("GALLIUM_THREAD", "0"), ("GALLIUM_NOOP", "1")]),
];

/// What keeps all but the driver's work off the measured thread, on both sides; the head of [`SOURCE`] says why.
const QUIET: [(&str, &str); 5] = [
    ("LP_NO_RAST", "1"),
    ("LP_NUM_THREADS", "0"),
    ("MALLOC_TRIM_THRESHOLD_", "2000000000"),
    ("MALLOC_MMAP_THRESHOLD_", "2000000000"),
    ("MALLOC_TOP_PAD_", "67108864"),
];

/// Makes a program run on lavapipe without anything being drawn, and with memory that stays.
pub(crate) fn quiet(command: &mut Command) -> &mut Command {
    command.envs(QUIET)
}

/// The Mesa that both sides run on: the one under `prefix`, or one that is built with all optimization.
pub(crate) fn prefix(prefix: Option<&Path>) -> Result<PathBuf> {
    Build::Full.prefix(prefix)
}

/// Measures draws on the zink of the Mesa under `prefix`; writes a line for each workload and side to `log`.
pub(crate) fn measure(prefix: &Path, log: &Path) -> Result<()> {
    install_missing(NEEDS)?;
    let program = log.with_file_name("draws");
    go(Command::new("cc").args(["-std=c11", "-O2", "-o"]).arg(&program).arg(crate::root().join(SOURCE)).arg("-lEGL"))?;
    let driver = Driver::new(prefix.to_path_buf(), false, None)?;
    let program = program.canonicalize()?;
    let mut check = command(&driver, &program);
    check.arg("--check").env_remove("LP_NO_RAST");
    let renderer = output(&mut check)?;
    ensure!(is_zink(&renderer), "programs run on {renderer}, not on the zink under {}", prefix.display());
    println!("{renderer}");
    let mut lines: Vec<String> = Vec::new();
    for (side, environment) in SIDES {
        println!("Measuring {side}.");
        let mut command = command(&driver, &program);
        quiet(&mut command).arg(side).envs(environment.iter().copied());
        let table = output(&mut command)?;
        lines.extend(table.lines().skip(usize::from(!lines.is_empty())).map(str::to_string));
    }
    fs::write(log, lines.join("\n") + "\n").with_context(|| log.display().to_string())
}

/// Whether a driver of this name is zink; Debian's own, older one says no `Vulkan`.
fn is_zink(renderer: &str) -> bool {
    renderer.starts_with("zink ")
}

/// `program` on zink, with its own translator.
fn command(driver: &Driver, program: &Path) -> Command {
    let mut command = Command::new(program);
    driver.environment(&mut command, Translator::C);
    // drirc has it on for zink.
    command.env("mesa_glthread", "false").stderr(Stdio::inherit());
    command
}

/// What a command writes to stdout; an error if it fails.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start draws")?;
    let said = String::from_utf8(output.stdout)?.trim().to_string();
    ensure!(output.status.success(), "draws failed: {}\n{said}", output.status);
    Ok(said)
}
