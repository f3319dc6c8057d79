// SPDX-License-Identifier: MIT

//! The keys of zink's disk cache have every field of the screen on which words depend: the list in `ffi/mesa/zink_ntvr_cache.c` is
//! compared with the sources, and zink itself changes each field.

use super::driver::{Driver, Translator};
use super::source::{FOLDER, MESA_25};
use anyhow::{ensure, Context, Result};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;

/// The files that lower and translate shaders.
const READERS: &[&str] =
    &["zink_compiler.c", "nir_to_spirv/nir_to_spirv.c", "ntvr/zink_ntvr_module.c", "ntvr/zink_ntvr_shader.c"];

/// The fields that these files read and that are not in the list.
const OTHERS: &[(&str, &str)] = &[
    ("dev", "the device of calls"),
    ("disk_cache", "the cache itself"),
    ("driconf.", "in the key of the cache itself"),
    ("driver_compiler_workarounds.", "in the key of the cache itself"),
    ("info.props.limits", "in the target of ntv"),
    ("nir_options", "options of the state tracker, whose NIR is in the keys"),
    ("ntvr", "the target, which is in the keys, and translators"),
    ("pipeline_libs", "libraries of pipelines"),
];

/// Compares the list with the fields that the sources read, and has zink change each of them.
pub(super) fn check(driver: &Driver) -> Result<()> {
    // The folder is a link.
    let folder = MESA_25.source()?.path.join(FOLDER);
    let zink = folder.parent().context("a folder of Mesa")?;
    let listed = fields(r"\bFACT\(([\w.]+)\)", &fs::read_to_string(crate::root().join("ffi/mesa/zink_ntvr_cache.c"))?)?;
    let mut read = BTreeSet::new();
    for file in READERS {
        read.extend(fields(
            r"\bscreen->([\w.]+)",
            &fs::read_to_string(zink.join(file)).with_context(|| file.to_string())?,
        )?);
    }
    let is_other = |field: &&String| OTHERS.iter().any(|(other, _)| field.starts_with(other));
    let missing: Vec<&String> = read.difference(&listed).filter(|field| !is_other(field)).collect();
    ensure!(missing.is_empty(), "zink's keys of the disk cache lack {missing:?}");
    let unused: Vec<&String> =
        listed.difference(&read).filter(|field| !field.ends_with("robustBufferAccess")).collect();
    ensure!(unused.is_empty(), "zink's keys of the disk cache have fields that nothing reads: {unused:?}");

    let mut command = driver.piglit("glinfo", Translator::Rust);
    let output = command.env("ZINK_NTVR_CHECK_KEYS", "1").args(["-auto", "-fbo"]).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = format!("the keys of the disk cache depend on {} fields of the screen", listed.len());
    ensure!(said.contains(&expected), "zink does not say that {expected}: {said}");
    println!("The keys of the disk cache depend on all {} fields of the screen that words depend on.", listed.len());
    Ok(())
}

/// The fields that `pattern` finds in a source.
fn fields(pattern: &str, source: &str) -> Result<BTreeSet<String>> {
    let found = Regex::new(pattern)?;
    let lines = source.lines().filter(|line| !line.starts_with("#define"));
    let names =
        lines.flat_map(|line| found.captures_iter(line).map(|found| found[1].trim_end_matches('.').to_string()));
    Ok(names.collect())
}
