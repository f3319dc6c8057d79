// SPDX-License-Identifier: MIT

//! `cargo xtask dump`: generates the NIR of `examples/`, `tests/corpus/mesa/` and `tests/corpus/blocks/` from GLSL, with Mesa.
//!
//! A source is a `.shader_test` file of piglit's `shader_runner`. A line `# dump: vertex` (or `fragment`, `compute`) in it names
//! the stage. The dump is the NIR that the Gallium driver, zink on lavapipe, receives (`ST_DEBUG=nir`). Programs of scenes name
//! several stages, `# dump: vertex fragment`, which have a file each: `NAME.vert.nir`, `NAME.frag.nir`. With a line
//! `# dump also: zink`, there is a second file, `NAME.zink.nir`: the NIR that zink passes to ntv. `# dump: log` writes the log of
//! Debian's own, older zink with `ZINK_DEBUG=nir`.

mod corpus;
mod installed;

use crate::command::find;
use anyhow::{bail, ensure, Context, Result};
use installed::Installed;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SHADER_RUNNER: &str = "/usr/lib/x86_64-linux-gnu/piglit/bin/shader_runner";

/// The programs of scenes, whose dumps have the stage in their names.
const SCENES: &str = "examples/scenes/glsl";

/// Stages: their names in a `# dump:` line and in NIR, and the suffixes of their files, which are those of the Khronos compiler.
const STAGES: &[(&str, &str)] = &[
    ("vertex", "vert"),
    ("tess_ctrl", "tesc"),
    ("tess_eval", "tese"),
    ("geometry", "geom"),
    ("fragment", "frag"),
    ("compute", "comp"),
];

/// Folders of sources, folders of their dumps, and the test of a new dump in the corpus.
const FOLDERS: &[(&str, &str, &str)] = &[
    ("examples/glsl", "examples", "compile"),
    (SCENES, "examples/scenes", "compile"),
    ("tests/glsl", "tests/corpus/mesa", "compile"),
    ("tests/corpus/blocks", "tests/corpus/blocks", "check"),
];

/// Dumps every source, or the named ones, with the Mesa under `--mesa PREFIX`; without it, writes the logs of Debian's Mesa.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (mesa, names) = match arguments {
        [mesa, prefix, to, folder, sources @ ..] if mesa == "--mesa" && to == "--to" => {
            return corpus::write(prefix.as_ref(), folder.as_ref(), sources);
        }
        [option, prefix, names @ ..] if option == "--mesa" => (Some(Installed::new(prefix.as_ref())?), names),
        names => (None, names),
    };
    ensure!(Path::new(SHADER_RUNNER).is_file(), "shader_runner is missing: install the Debian package piglit");
    for (sources, dumps, test) in FOLDERS {
        for source in files(&crate::root().join(sources), "shader_test")? {
            let name = source.file_stem().and_then(|stem| stem.to_str()).context("a file name that is not UTF-8")?;
            if names.is_empty() || names.iter().any(|wanted| wanted == name) {
                let dump = crate::root().join(dumps).join(name).with_extension("nir");
                let dumped = match *sources == SCENES {
                    true => program(&source, &dump, mesa.as_ref()),
                    false => one(&source, &dump, test, mesa.as_ref()),
                };
                dumped.with_context(|| format!("cannot dump {name}"))?;
            }
        }
    }
    println!("Now run BLESS=1 cargo test -p ntv-tool --test corpus, and review the difference.");
    Ok(())
}

/// The files in `folder` with this extension, sorted.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|own| own == extension));
    files.sort();
    Ok(files)
}

/// The words after `# dump: ` in `text`.
fn wanted(text: &str) -> Result<&str> {
    text.lines().find_map(|line| line.strip_prefix("# dump: ")).context("no line `# dump: STAGE`")
}

/// Dumps each named stage of the program `source` to `dump` with the stage in the name of the file.
fn program(source: &Path, dump: &Path, mesa: Option<&Installed>) -> Result<()> {
    let text = fs::read_to_string(source)?;
    let Some(mesa) = mesa else { return Ok(()) };
    let said = handed_off(source, mesa)?;
    for stage in wanted(&text)?.split_whitespace() {
        let row = STAGES.iter().find(|row| row.0 == stage);
        let (_, suffix) = row.with_context(|| format!("`# dump: {stage}` is not a stage"))?;
        write(&dump.with_extension(format!("{suffix}.nir")), &text, "compile", &received(&said, stage)?)?;
    }
    Ok(())
}

/// Dumps `source` to `dump`, unless it needs a Mesa other than `mesa`. A new file has the test `test`.
fn one(source: &Path, dump: &Path, test: &str, mesa: Option<&Installed>) -> Result<()> {
    let text = fs::read_to_string(source)?;
    let stage = wanted(&text)?;
    let nir = match (stage, mesa) {
        ("log", None) => log(source)?,
        ("vertex" | "fragment" | "compute", Some(mesa)) => received(&handed_off(source, mesa)?, stage)?,
        ("log" | "vertex" | "fragment" | "compute", _) => return Ok(()),
        _ => bail!("`# dump: {stage}` is not vertex, fragment, compute or log"),
    };
    write(dump, &text, test, &nir)?;
    match mesa {
        Some(mesa) if text.lines().any(|line| line == "# dump also: zink") => {
            write(&dump.with_extension("zink.nir"), &text, test, &given_to_ntv(source, mesa, stage)?)
        }
        _ => Ok(()),
    }
}

/// Writes `nir` to `dump`, after its head.
fn write(dump: &Path, source: &str, test: &str, nir: &str) -> Result<()> {
    fs::write(dump, head(dump, source, test) + nir)?;
    println!("{}", dump.strip_prefix(crate::root()).unwrap_or(dump).display());
    Ok(())
}

/// The lines before the NIR in the file: those of the existing file, or `test`.
fn head(dump: &Path, source: &str, test: &str) -> String {
    if !dump.components().any(|part| part.as_os_str() == "corpus") {
        return String::new();
    }
    let old = fs::read_to_string(dump).unwrap_or_default();
    let old: String = old.lines().take_while(|line| line.starts_with(';')).map(|line| format!("{line}\n")).collect();
    if !old.is_empty() {
        return old;
    }
    let about = source.lines().next().unwrap_or_default().trim_start_matches("# ");
    format!("; {about}\n; test: {test}\n")
}

/// The log of the shaders that zink of `mesa` receives in a run of `source`.
fn handed_off(source: &Path, mesa: &Installed) -> Result<String> {
    // Mesa falls back to another driver without a message; only zink prints NIR with this variable.
    ensure!(on_zink(source, mesa, &[("ZINK_DEBUG", "nir".as_ref())])?.contains("---8<---"), "the driver is not zink");
    on_zink(source, mesa, &[("ST_DEBUG", "nir".as_ref())])
}

/// The first shader of `stage` in the log `said` of shaders that the driver receives.
fn received(said: &str, stage: &str) -> Result<String> {
    let found = said
        .split("NIR before handing off to driver:\n")
        .find(|nir| is_wanted(nir, stage))
        .with_context(|| format!("no {stage} shader among:\n{said}"))?;
    let end = found.rfind("\n}").context("a shader without end")? + "\n}".len();
    Ok(format!("{}\n", &found[..end]))
}

/// The first shader of `stage` that zink of `mesa` passes to ntv in a run of `source`.
fn given_to_ntv(source: &Path, mesa: &Installed, stage: &str) -> Result<String> {
    let folder = tempfile::tempdir()?;
    on_zink(source, mesa, &[("ZINK_NTVR", "rust".as_ref()), ("ZINK_NTVR_DUMP", folder.path())])?;
    let texts: Vec<String> = files(folder.path(), "nir")?.iter().map(fs::read_to_string).collect::<Result<_, _>>()?;
    let missing = || format!("zink passes no {stage} shader to ntv; is this a Mesa of `cargo xtask mesa --build`?");
    texts.into_iter().find(|nir| is_wanted(nir, stage)).with_context(missing)
}

/// Whether `nir` is a shader of `stage`, and from GLSL.
fn is_wanted(nir: &str, stage: &str) -> bool {
    nir.starts_with(&format!("shader: MESA_SHADER_{}\n", stage.to_uppercase())) && nir.contains("\nname: GLSL")
}

/// The stderr of zink of `mesa` in a run of `source` with environment variables.
fn on_zink(source: &Path, mesa: &Installed, variables: &[(&str, &Path)]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let mut command = mesa.command(&[SHADER_RUNNER.into()]);
    command.envs(variables.iter().copied());
    runner(&mut command, source, folder.path())
}

/// The log of Debian's zink in a run of `source`.
fn log(source: &Path) -> Result<String> {
    ensure!(find("xvfb-run").is_some(), "xvfb-run is missing: install the Debian package xvfb");
    let folder = tempfile::tempdir()?;
    let mut command = Command::new("xvfb-run");
    command.args(["-a", SHADER_RUNNER]).env("ZINK_DEBUG", "nir,spirv");
    runner(&mut command, source, folder.path())
}

/// Runs `command` with `source` in `folder` on a driver for the CPU; returns its stderr.
fn runner(command: &mut Command, source: &Path, folder: &Path) -> Result<String> {
    let output = command
        .arg(source)
        .args(["-auto", "-fbo"])
        .envs([("LIBGL_ALWAYS_SOFTWARE", "1"), ("GALLIUM_DRIVER", "zink"), ("MESA_SHADER_CACHE_DISABLE", "1")])
        .env("XDG_RUNTIME_DIR", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let passed = String::from_utf8_lossy(&output.stdout).contains(r#""result": "pass""#);
    ensure!(passed, "the test does not pass:\n{}{said}", String::from_utf8_lossy(&output.stdout));
    Ok(said)
}
