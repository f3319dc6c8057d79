// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --vtn [FOLDER...]`: SPIR-V is read by Mesa (`spirv2nir`, without zink), and ntv translates the result.
//!
//! The modules are those of the folders, and those that ntv makes of the shaders of this repository. Each has to be valid.
//! Modules of random programs then run on lavapipe, where they have to write what the interpreter says.

use super::build::Build;
use crate::command::{cargo, find, output, run as go, target_folder};
use crate::files::files_below;
use anyhow::{ensure, Result};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Folders of this repository whose shaders ntv translates first.
const OWN: &[&str] = &["examples", "tests/corpus/mesa", "tests/corpus/run", "tests/corpus/zink"];

/// Modules with two structs of several members, which Mesa prints with the same name.
const AMBIGUOUS: &[&str] = &["capabilities.0.spv"];

/// Modules of Vulkan, from GLSL, with layouts that zink's have not.
const GLSL: &str = "tests/glsl/vulkan";

/// The number of random programs that run.
const PROGRAMS: &str = "1500";

/// Checks the modules of `folders` and of the repository.
pub(super) fn check(folders: &[PathBuf]) -> Result<()> {
    let reader = Build::Small.spirv2nir()?;
    let scratch = tempfile::tempdir()?;
    let [modules, dumps, results] = ["modules", "dumps", "results"].map(|name| scratch.path().join(name));
    fs::create_dir(&dumps)?;
    go(&mut cargo(&["build", "--quiet", "--release", "--package", "ntv-tool"]))?;
    for (number, folder) in OWN.iter().enumerate() {
        let modules = modules.join(number.to_string());
        let mut compile = ntv();
        compile.arg("compile").arg(crate::root().join(folder)).arg("-o").arg(&modules);
        // The corpus has a few shaders that no target takes.
        compile.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        ensure!(modules.is_dir(), "ntv compiles nothing in {folder}");
    }
    compile_glsl(&modules)?;
    let mut files = Vec::new();
    for folder in folders.iter().chain([&modules]) {
        files.extend(files_below(folder, "spv")?);
    }
    let is_ambiguous = |file: &PathBuf| file.file_name().is_some_and(|name| AMBIGUOUS.iter().any(|it| name == *it));
    files.retain(|file| !is_ambiguous(file));
    ensure!(!files.is_empty(), "there are no modules");
    let count = files.len();
    // The modules that Mesa does not read: their number by message, and one of them.
    let mut unread: BTreeMap<String, (usize, &PathBuf)> = BTreeMap::new();
    let bar = ProgressBar::new(count as u64);
    for (number, file) in files.iter().enumerate() {
        if let Err(error) = dump(&reader, file, &dumps.join(format!("{number}.nir")), scratch.path()) {
            let message = format!("{error:#}").lines().last().unwrap_or_default().to_string();
            unread.entry(message).or_insert((0, file)).0 += 1;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("Mesa reads {} of {count} modules", count - unread.values().map(|row| row.0).sum::<usize>());
    unread.iter().for_each(|(message, (n, file))| println!("{n:8} not: {message}, such as {}", file.display()));
    go(ntv().arg("compile").arg(&dumps).arg("--validate").arg("-o").arg(&results))?;
    println!("ntv translates all of these, and the results are valid.");
    go(cargo(&["xtask", "oracle", "--all", "--count", PROGRAMS, "--through"]).arg(&reader))
}

/// The command of this build.
fn ntv() -> Command {
    Command::new(target_folder().join("release/ntv"))
}

/// Compiles the GLSL for Vulkan of this repository to modules in `folder`.
fn compile_glsl(folder: &Path) -> Result<()> {
    ensure!(
        find("glslangValidator").is_some(),
        "glslangValidator is missing: install the Debian package glslang-tools"
    );
    for entry in fs::read_dir(crate::root().join(GLSL))? {
        let source = entry?.path();
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        output(
            Command::new("glslangValidator")
                .args(["-V", "--target-env", "vulkan1.3", "-o"])
                .arg(folder.join(name + ".spv"))
                .arg(source),
        )?;
    }
    Ok(())
}

/// Writes what Mesa makes of a module, with the facts that the text does not have. Functions are inlined first: a driver does so.
fn dump(reader: &Path, module: &Path, dump: &Path, scratch: &Path) -> Result<()> {
    let inlined = scratch.join("inlined.spv");
    let known = instructions(&fs::read(module)?);
    ensure!(!known.contains(&OP_CAPABILITY_ADDRESSES), "addresses have 64 bits, and spirv2nir has 32 for them");
    let module = match known.iter().filter(|(op, _)| *op == OP_FUNCTION).count() > 1 {
        false => module,
        true => {
            let passes = ["--merge-return", "--inline-entry-points-exhaustive", "--eliminate-dead-functions"];
            output(Command::new("spirv-opt").args(passes).arg(module).arg("-o").arg(&inlined))?;
            &inlined
        }
    };
    let text = output(Command::new(reader).arg(module))?;
    ensure!(!text.is_empty(), "an empty dump");
    let plain = scratch.join("plain.nir");
    fs::write(&plain, text + "\n")?;
    output(ntv().arg("annotate").arg(&plain).arg(module).arg("-o").arg(dump))?;
    Ok(())
}

const OP_FUNCTION: u32 = 54;
/// OpCapability PhysicalStorageBufferAddresses.
const OP_CAPABILITY_ADDRESSES: (u32, u32) = (17, 5347);

/// The opcode and the first operand of each instruction of a module.
fn instructions(module: &[u8]) -> Vec<(u32, u32)> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
    let words: Vec<u32> = module.chunks_exact(4).map(word).collect();
    let (mut at, mut found) = (5, Vec::new());
    while let Some(word) = words.get(at) {
        found.push((word & 0xffff, words.get(at + 1).copied().unwrap_or(0)));
        at += (*word >> 16).max(1) as usize;
    }
    found
}

impl Build {
    /// Mesa's program that reads SPIR-V and prints NIR.
    fn spirv2nir(self) -> Result<PathBuf> {
        const TARGET: &str = "src/compiler/spirv/spirv2nir";
        let built = self.mesa()?;
        go(built.source.program("ninja").arg("--quiet").arg("-C").arg(&built.build_folder).arg(TARGET))?;
        Ok(built.build_folder.join(TARGET))
    }
}
