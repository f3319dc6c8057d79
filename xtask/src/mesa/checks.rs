// SPDX-License-Identifier: MIT

//! Checks of zink that no test of piglit has: the disk cache, and the source in SPIR-V.

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
    (Translator::Rust, &[("ZINK_NTVR_STORAGE", "blocks")]),
    (Translator::Rust, &[("ZINK_NTVR_XFB", "storage")]),
];

/// Runs all checks.
pub(crate) fn run(driver: &Driver) -> Result<()> {
    cache_keys(driver)?;
    super::facts::check(driver)?;
    cached_modules(driver)?;
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
    println!("The key of the disk cache depends on ZINK_NTVR and on its options.");
    Ok(())
}

/// The key of zink's entries in the disk cache after a run. It is at the start of each entry, before the name of the driver:
/// lavapipe has entries, too.
fn cache_key(driver: &Driver, translator: Translator, environment: &[(&str, &str)]) -> Result<String> {
    const NAME: &[u8] = b"\0zink\0";
    let cache = tempfile::tempdir()?;
    pass(with_cache(driver, translator, cache.path()).envs(environment.iter().copied()))?;
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

/// The test with a disk cache, which has a file for each entry.
fn with_cache(driver: &Driver, translator: Translator, cache: &Path) -> Command {
    let mut command = driver.piglit("shader_runner", translator);
    command.env_remove("MESA_SHADER_CACHE_DISABLE").env("MESA_DISK_CACHE_MULTI_FILE", "true");
    command.env("MESA_SHADER_CACHE_DIR", cache);
    command
}

/// A start with a full disk cache translates nothing, and a start with damaged entries translates again: the Vulkan driver receives
/// the same words each time.
fn cached_modules(driver: &Driver) -> Result<()> {
    // Threads write entries, and the process may end before they do: then the next one writes the rest.
    const MOST_STARTS: u32 = 5;
    let cache = tempfile::tempdir()?;
    let (words, translated) = start(driver, cache.path())?;
    ensure!(translated > 0, "a start with an empty disk cache translates nothing");
    let mut starts = 0;
    loop {
        let (cached, translated) = start(driver, cache.path())?;
        ensure!(cached == words, "the modules from the disk cache have other words");
        if translated == 0 {
            break;
        }
        starts += 1;
        ensure!(starts < MOST_STARTS, "a start with a full disk cache translates {translated} shaders");
    }
    for file in walkdir::WalkDir::new(cache.path()) {
        let file = file?;
        // The index of the cache has no checksums.
        if file.file_type().is_file() && file.file_name() != "index" {
            let mut bytes = fs::read(file.path())?;
            bytes.last_mut().into_iter().for_each(|byte| *byte ^= 1);
            fs::write(file.path(), bytes)?;
        }
    }
    let (again, translated) = start(driver, cache.path())?;
    ensure!(translated > 0, "a start with a damaged disk cache translates nothing");
    ensure!(again == words, "a start with a damaged disk cache has other words");
    println!("zink loads modules from the disk cache, and translates again if they are damaged.");
    Ok(())
}

/// Runs the test with a disk cache. Returns the modules that the Vulkan driver receives, in a fixed order, and the number of
/// translations.
fn start(driver: &Driver, cache: &Path) -> Result<(Vec<Vec<u8>>, usize)> {
    let folder = tempfile::tempdir()?;
    let probes = folder.path().join("probes.tsv");
    let mut command = with_cache(driver, Translator::Rust, cache);
    let modules = modules(command.env("ZINK_NTVR_PROBES", &probes), "spirv", folder.path())?;
    let probes = fs::read_to_string(&probes).context("zink has no probes")?;
    let translated = probes.lines().filter(|line| line.split('\t').nth(1) == Some("translate")).count();
    Ok((modules, translated))
}

/// The modules that the Vulkan driver receives have the NIR as source, with lines, if `ZINK_DEBUG` requests it.
fn source_lines(driver: &Driver) -> Result<()> {
    const NONE: [bool; 3] = [false; 3];
    const ALL: [bool; 3] = [true; 3];
    for (flags, expected) in [("spirv", NONE), ("spirv,ntvrlines", ALL)] {
        let folder = tempfile::tempdir()?;
        let mut command = driver.piglit("shader_runner", Translator::Rust);
        let modules = modules(&mut command, flags, folder.path())?;
        for module in &modules {
            let found = debug_instructions(module)?;
            ensure!(found == expected, "OpName, OpSource and OpLine with ZINK_DEBUG={flags}: {found:?}");
        }
        ensure!(modules.len() >= 2, "zink writes {} modules with ZINK_DEBUG={flags}", modules.len());
    }
    println!("With ZINK_DEBUG=ntvrlines, modules have names, the source and its lines.");
    Ok(())
}

/// Runs the test in a folder, and returns the modules that zink writes there with these flags of `ZINK_DEBUG`, in a fixed order.
fn modules(command: &mut Command, flags: &str, folder: &Path) -> Result<Vec<Vec<u8>>> {
    pass(command.env("ZINK_DEBUG", flags).current_dir(folder))?;
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let paths = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "spv"));
    let mut modules = paths.map(fs::read).collect::<Result<Vec<_>, _>>()?;
    modules.sort();
    Ok(modules)
}

/// Whether a module has OpName, OpSource with a file, and OpLine.
fn debug_instructions(module: &[u8]) -> Result<[bool; 3]> {
    let module = rspirv::dr::load_bytes(module).context("zink writes a file that is not SPIR-V")?;
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
