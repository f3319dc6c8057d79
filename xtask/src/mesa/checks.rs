// SPDX-License-Identifier: MIT

//! Checks of zink that no test of piglit has: the keys of the disk cache, and the source in SPIR-V.

use super::driver::{Driver, Translator, PIGLIT};
use anyhow::{ensure, Context, Result};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A test with two short shaders.
const TEST: &str = "tests/shaders/ssa/fs-lost-copy-problem.shader_test";

/// Settings whose processes must not share entries of the disk cache.
const SETTINGS: [(Translator, &[(&str, &str)]); 4] = [
    (Translator::C, &[]),
    (Translator::Rust, &[]),
    (Translator::Rust, &[("ZINK_NTV_STORAGE", "blocks")]),
    (Translator::Rust, &[("ZINK_NTV_XFB", "storage")]),
];

/// Runs all checks.
pub(crate) fn run(driver: &Driver) -> Result<()> {
    cache_keys(driver)?;
    source_lines(driver)
}

/// The key of zink's disk cache depends on the translator and on its options, and on nothing that changes between runs.
fn cache_keys(driver: &Driver) -> Result<()> {
    let mut keys = Vec::new();
    for (translator, environment) in SETTINGS {
        let key = cache_key(driver, translator, environment)?;
        ensure!(!keys.contains(&key), "a key of the disk cache for several translators or options: {keys:?}, {key}");
        keys.push(key);
    }
    let (translator, environment) = SETTINGS[1];
    let again = cache_key(driver, translator, environment)?;
    ensure!(keys[1] == again, "two keys of the disk cache for the same settings: {}, {again}", keys[1]);
    println!("The key of the disk cache depends on ZINK_NTV and on its options.");
    Ok(())
}

/// The key of zink's entries in the disk cache after a run. It is at the start of each entry, before the name of the driver:
/// lavapipe has entries, too.
fn cache_key(driver: &Driver, translator: Translator, environment: &[(&str, &str)]) -> Result<String> {
    const NAME: &[u8] = b"\0zink\0";
    let cache = tempfile::tempdir()?;
    let mut command = driver.piglit("shader_runner", translator);
    command.env_remove("MESA_SHADER_CACHE_DISABLE").env("MESA_DISK_CACHE_MULTI_FILE", "true");
    command.env("MESA_SHADER_CACHE_DIR", cache.path()).envs(environment.iter().copied());
    pass(&mut command)?;
    let mut keys = BTreeSet::new();
    for file in walkdir::WalkDir::new(cache.path()) {
        let file = file?;
        let bytes = if file.file_type().is_file() { fs::read(file.path())? } else { Vec::new() };
        if let Some(end) = bytes.windows(NAME.len()).position(|window| window == NAME) {
            let start = bytes[..end].iter().rposition(|byte| !byte.is_ascii_hexdigit()).map_or(0, |at| at + 1);
            keys.insert(String::from_utf8_lossy(&bytes[start..end]).into_owned());
        }
    }
    ensure!(keys.len() == 1, "the entries of zink in the disk cache have {} keys", keys.len());
    keys.pop_first().context("no key")
}

/// The modules that the Vulkan driver receives have the NIR as source, with lines, if `ZINK_DEBUG` requests it.
fn source_lines(driver: &Driver) -> Result<()> {
    const NONE: [bool; 3] = [false; 3];
    const ALL: [bool; 3] = [true; 3];
    for (flags, expected) in [("spirv", NONE), ("spirv,ntvlines", ALL)] {
        let folder = tempfile::tempdir()?;
        let mut command = driver.piglit("shader_runner", Translator::Rust);
        command.env("ZINK_DEBUG", flags).current_dir(folder.path());
        pass(&mut command)?;
        let mut count = 0;
        for entry in fs::read_dir(folder.path())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "spv") {
                let found = debug_instructions(&path)?;
                ensure!(found == expected, "OpName, OpSource and OpLine with ZINK_DEBUG={flags}: {found:?}");
                count += 1;
            }
        }
        ensure!(count >= 2, "zink writes {count} modules with ZINK_DEBUG={flags}");
    }
    println!("With ZINK_DEBUG=ntvlines, modules have names, the source and its lines.");
    Ok(())
}

/// Whether a module has OpName, OpSource with a file, and OpLine.
fn debug_instructions(path: &Path) -> Result<[bool; 3]> {
    let module = rspirv::dr::load_bytes(fs::read(path)?).with_context(|| path.display().to_string())?;
    let has_file = |source: &Instruction| source.operands.iter().any(|operand| matches!(operand, Operand::IdRef(_)));
    let has = |opcode: Op| module.all_inst_iter().any(|instruction| instruction.class.opcode == opcode);
    let has_source = module.debug_string_source.iter().any(|each| each.class.opcode == Op::Source && has_file(each));
    Ok([has(Op::Name), has_source, has(Op::Line)])
}

/// Runs the test, which has to pass.
fn pass(command: &mut Command) -> Result<()> {
    let output = command.arg(Path::new(PIGLIT).join(TEST)).args(["-auto", "-fbo"]).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        said.contains(r#""result": "pass""#),
        "{TEST} does not pass:\n{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
