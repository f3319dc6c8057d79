//! Compares the wires and the dumps of each release of Mesa: `ffi/mesa/tests/flatten.c` builds shaders and writes both, and ntv has
//! to translate both to the same SPIR-V.

use super::build::Build;
use super::source::{Source, MESA_22, MESA_25};
use crate::command::{cargo, run as go};
use anyhow::{ensure, Context, Result};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The options of Meson for Mesa 22.3: only NIR.
const OPTIONS: &[&str] = &[
    "-Dgallium-drivers=",
    "-Dvulkan-drivers=",
    "-Dplatforms=",
    "-Dglx=disabled",
    "-Degl=disabled",
    "-Dopengl=false",
    "-Dgles1=disabled",
    "-Dgles2=disabled",
    "-Dgbm=disabled",
    "-Dllvm=disabled",
    "-Dshared-glapi=disabled",
    "-Dvalgrind=disabled",
    "-Dlibunwind=disabled",
    "-Doptimization=0",
];

/// Compares with the NIR of each release.
pub(crate) fn compare() -> Result<()> {
    let small = Build::Small.mesa()?;
    one(MESA_25.name, MESA_25.number, &small.source, &small.build_folder)?;
    let source = MESA_22.source()?;
    let folder = source.folder.join("nir");
    if !folder.join("build.ninja").exists() {
        go(source.program("meson").arg("setup").arg(&folder).args(OPTIONS))?;
    }
    let targets = ["src/compiler/nir/libnir.a", "src/compiler/libcompiler.a", "src/util/libmesa_util.a"];
    let format = "src/util/format/libmesa_format.a";
    go(source.program("ninja").args(["--quiet", "-C"]).arg(&folder).args(targets).arg(format))?;
    one(MESA_22.name, MESA_22.number, &source, &folder)
}

/// Compares with the NIR of the release `name` that was built in `build`.
fn one(name: &str, number: &str, source: &Source, build: &Path) -> Result<()> {
    let program = build.join("ntv_flatten");
    let files = ["tests/flatten.c", "ntv_nir.c"].map(|file| crate::root().join("ffi/mesa").join(file));
    let mut compiler = Command::new("cc");
    compiler.current_dir(build).args(flags(build)?).arg(format!("-DNTV_MESA={number}"));
    compiler.arg("-I").arg(crate::root().join("ffi")).arg("-I").arg(crate::root().join("ffi/mesa"));
    compiler.args(files).arg("-o").arg(&program).arg(library()?);
    compiler.arg("-Wl,--start-group").args(libraries(&build.join("src"))?);
    go(compiler.args(["-Wl,--end-group", "-lz", "-lzstd", "-lm", "-ldl", "-lpthread", "-lstdc++"]))?;

    let folder = tempfile::tempdir()?;
    let (shaders, modules) = (folder.path().join("shaders"), folder.path().join("modules"));
    fs::create_dir(&shaders)?;
    go(source.program("env").arg(&program).arg(&shaders))?;
    go(cargo(&["run", "--quiet", "--bin", "ntv", "--", "compile", "--validate"])
        .arg(&shaders)
        .arg("-o")
        .arg(&modules))?;
    let mut count = 0;
    for entry in fs::read_dir(&modules)? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(shader) = file.strip_prefix("text-").and_then(|rest| rest.strip_suffix(".spv")) else { continue };
        let wire = modules.join(format!("wire-{shader}.ntvw.spv"));
        let wire = fs::read(wire).with_context(|| format!("no wire of {shader}"))?;
        ensure!(fs::read(&path)? == wire, "{name}: the text and the wire of {shader} differ");
        count += 1;
    }
    ensure!(count > 3, "{name}: only {count} shaders");
    println!("{name}: {count} shaders are the same as text and as wire");
    Ok(())
}

/// ntv's library, which has the names of the opcodes.
fn library() -> Result<PathBuf> {
    go(&mut cargo(&["build", "--quiet", "--package", "ntv-ffi"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(crate::root().join("target"), PathBuf::from);
    Ok(target.join("debug/libntv.a"))
}

/// The compiler flags of a file of NIR.
fn flags(build: &Path) -> Result<Vec<String>> {
    let commands = fs::read_to_string(build.join("compile_commands.json"))?;
    let command = Regex::new(r#""command": "([^\n]*nir_print\.c)","#)?;
    let found = command.captures(&commands).context("no command that compiles nir_print.c")?;
    let wanted = |word: &&str| ["-D", "-I", "-std=", "-m"].iter().any(|start| word.starts_with(start));
    // Removes the quoting of JSON and the shell, which no flag needs.
    Ok(found[1].split(' ').filter(wanted).map(|word| word.replace(['\\', '\''], "")).collect())
}

/// The static libraries below a folder.
fn libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(libraries(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "a") {
            found.push(path);
        }
    }
    Ok(found)
}
