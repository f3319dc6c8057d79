// SPDX-License-Identifier: MIT

//! `cargo xtask dump --mesa PREFIX --to FOLDER ...`: logs of the shaders of any Mesa, at the levels of NIR that ntv reads.
//!
//! | folder | printed by | contents |
//! |-|-|-|
//! | `gallium` | `MESA_GLSL=dump` | the NIR that a Gallium driver gets, after GLSL's own form |
//! | `zink` | `ZINK_DEBUG=nir,spirv` | the NIR that zink's translator gets, and its modules: `NAME.dumpNN.spv` |

use super::installed::Installed;
use super::SHADER_RUNNER;
use crate::files::files_below;
use anyhow::{ensure, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Folders of logs, and the variable that makes Mesa print them.
const LEVELS: &[(&str, (&str, &str))] =
    &[("gallium", ("MESA_GLSL", "dump")), ("zink", ("ZINK_DEBUG", "nir,spirv,quiet,nobgc"))];

/// A shader test that takes longer is ended.
const LIMIT: Duration = Duration::from_secs(60);

/// A program to run, and the path of its logs without an extension.
struct Run {
    program: Vec<PathBuf>,
    name: PathBuf,
}

/// Writes the logs of `sources`, files of piglit's `shader_runner` and folders of them, to `folder`; or those of the program after `--`.
pub(super) fn write(prefix: &Path, folder: &Path, sources: &[String]) -> Result<()> {
    let runs = match sources {
        [dashes, program @ ..] if dashes == "--" && !program.is_empty() => vec![of_program(program)],
        sources => of_tests(sources)?,
    };
    let first = runs.first().context("there is no .shader_test file, and no program after `--`")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let folder = fs::canonicalize(folder)?;
    let mesa = Installed::new(prefix)?.with_display(&first.program, tempfile::tempdir()?.path())?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}")?;
    let bar = ProgressBar::new(runs.len() as u64).with_style(style);
    let mut counts = vec![0; LEVELS.len()];
    for run in &runs {
        bar.set_message(run.name.display().to_string());
        for ((level, variable), count) in LEVELS.iter().zip(&mut counts) {
            *count += log(&mesa, run, *variable, &folder.join(level))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    for ((level, _), count) in LEVELS.iter().zip(counts) {
        println!("{}: {count} shaders of {} programs", folder.join(level).display(), runs.len());
        ensure!(count > 0, "this Mesa prints no NIR for the level {level}");
    }
    Ok(())
}

/// A run of any program. It runs in a folder of its own, where zink writes modules, so files among its arguments get whole paths.
fn of_program(program: &[String]) -> Run {
    let whole = |argument: &String| fs::canonicalize(argument).unwrap_or_else(|_| argument.into());
    let program: Vec<PathBuf> = program.iter().map(whole).collect();
    let name = program[0].file_stem().map(PathBuf::from).unwrap_or_default();
    Run { program, name }
}

fn of_tests(sources: &[String]) -> Result<Vec<Run>> {
    ensure!(Path::new(SHADER_RUNNER).is_file(), "shader_runner is missing: install the Debian package piglit");
    let mut runs = Vec::new();
    for source in sources {
        let source = fs::canonicalize(source).with_context(|| source.clone())?;
        let files = if source.is_dir() { files_below(&source, "shader_test")? } else { vec![source.clone()] };
        let top = if source.is_dir() { source.as_path() } else { source.parent().unwrap_or(&source) };
        for file in files {
            let name = file.strip_prefix(top).unwrap_or(&file).with_extension("");
            let program = [SHADER_RUNNER.into(), file, "-auto".into(), "-fbo".into()];
            runs.push(Run { program: program.to_vec(), name });
        }
    }
    Ok(runs)
}

/// Writes the log of a run with an environment variable below `folder`, and the modules that it leaves. Returns the number of shaders.
fn log(mesa: &Installed, run: &Run, (variable, value): (&str, &str), folder: &Path) -> Result<usize> {
    let log = PathBuf::from(format!("{}.log", folder.join(&run.name).display()));
    fs::create_dir_all(log.parent().unwrap_or(folder))?;
    let scratch = tempfile::tempdir()?;
    // A thread may print NIR while the program prints its result.
    let streams = ["stdout", "stderr"].map(|name| scratch.path().join(name));
    let mut child = mesa
        .command(&run.program)
        .env(variable, value)
        .env("XDG_RUNTIME_DIR", scratch.path())
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .stdout(File::create(&streams[0])?)
        .stderr(File::create(&streams[1])?)
        .spawn()
        .with_context(|| format!("cannot start {}", run.program[0].display()))?;
    let start = std::time::Instant::now();
    // A test may fail or be skipped: its shaders are printed before.
    while child.try_wait()?.is_none() {
        if start.elapsed() > LIMIT {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let text = streams.iter().map(fs::read).collect::<std::io::Result<Vec<_>>>()?.concat();
    let count = String::from_utf8_lossy(&text).lines().filter(|line| line.starts_with("shader: MESA_SHADER_")).count();
    if count > 0 {
        fs::write(&log, text)?;
    }
    for module in files_below(scratch.path(), "spv")? {
        let name = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        fs::copy(&module, format!("{}.{name}", folder.join(&run.name).display()))?;
    }
    Ok(count)
}
