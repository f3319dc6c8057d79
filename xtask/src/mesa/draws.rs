// SPDX-License-Identifier: MIT

//! `cargo xtask bench --draws`: the cost of a draw on zink. The C program describes the draws and the measurement.

use super::build::Build;
use super::driver::{Driver, Translator};
use super::source::install_missing;
use crate::command::{output, run as go};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SOURCE: &str = "tests/mesa/draws/draws.c";
const NEEDS: &str = "libegl-dev libgl-dev";

/// Names in the log, and the additional environment of each measurement.
const SIDES: [(&str, &[(&str, &str)]); 3] = [
    // zink runs wholly on the calling thread.
    ("zink", &[("GALLIUM_THREAD", "0")]),
    // zink runs on another thread, as in applications: the time that they wait.
    ("zink threaded", &[]),
    // OpenGL on a driver without operations.
    ("opengl", &[("GALLIUM_THREAD", "0"), ("GALLIUM_NOOP", "1")]),
];

/// The environment that leaves only the driver's work on the measured thread, for both drivers; the head of [`SOURCE`] has the
/// reasons.
const QUIET: [(&str, &str); 5] = [
    ("LP_NO_RAST", "1"),
    ("LP_NUM_THREADS", "0"),
    ("MALLOC_TRIM_THRESHOLD_", "2000000000"),
    ("MALLOC_MMAP_THRESHOLD_", "2000000000"),
    ("MALLOC_TOP_PAD_", "67108864"),
];

/// Makes a program run on lavapipe without rasterization, and without returning memory to the system.
pub(crate) fn quiet(command: &mut Command) -> &mut Command {
    command.envs(QUIET)
}

/// The Mesa that both drivers run on: the one under `prefix`, or one that is built with full optimization.
pub(crate) fn prefix(prefix: Option<&Path>) -> Result<PathBuf> {
    Build::Full.prefix(prefix)
}

/// Measures draws on the zink of the Mesa under `prefix`; writes a line for each workload and row of [`SIDES`] to `log`.
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

/// Whether a driver of this name is the new zink; the name of Debian's own, older one lacks `Vulkan`.
fn is_zink(renderer: &str) -> bool {
    renderer.starts_with("zink ")
}

/// `program` on zink, with its own translator.
fn command(driver: &Driver, program: &Path) -> Command {
    let mut command = Command::new(program);
    driver.environment(&mut command, Translator::C);
    // drirc enables it for zink.
    command.env("mesa_glthread", "false").stderr(Stdio::inherit());
    command
}
