// SPDX-License-Identifier: MIT

//! The machine code that RADV makes of ntv's modules for a GPU that need not exist, beside that of C's modules of the same NIR: a
//! sample of `cargo xtask bench --backends`, so that a shape that costs is seen. See `docs/spirv-shapes.md`.

#[path = "../benches/common/memory_model.rs"]
mod memory_model;
#[path = "../benches/common/pair.rs"]
mod pair;
#[path = "../benches/common/partners.rs"]
mod partners;
#[path = "../benches/common/subject.rs"]
mod subject;

use anyhow::{ensure, Context, Result};
use ntv_benches::sets::shared_corpus;
use ntv_benches::twins::Twin;
use ntv_driver::headless::{Compiled, Device, DeviceOptions};
use pair::{Pair, Pairing};
use std::fs;
use std::path::PathBuf;

/// The number of shaders, spread over the corpus. They take 5 s.
const COUNT: usize = 150;
/// A shader is worse if it has more instructions than C's, by this factor.
const WORSE: f64 = 1.05;

/// Vulkan's description of RADV.
fn description() -> Result<PathBuf> {
    let folder = "/usr/share/vulkan/icd.d";
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let is_it = |file: &&PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("radeon_icd"));
    files.iter().find(is_it).cloned().with_context(|| format!("no RADV in {folder}: install mesa-vulkan-drivers"))
}

/// The number of instructions of all executables of a pipeline.
fn instructions(compiled: &Compiled) -> f64 {
    let figures = compiled.executables.iter().flat_map(|executable| &executable.statistics);
    figures.filter(|(name, _)| name == "Instructions").map(|(_, count)| count).sum()
}

#[test]
#[allow(clippy::print_stdout)]
fn radv_makes_no_more_of_our_modules_than_of_theirs() -> Result<()> {
    if !shared_corpus().is_dir() {
        println!("no corpus beside the repository (NTV_CORPUS names one): skipped");
        return Ok(());
    }
    std::env::set_var("VK_DRIVER_FILES", description()?);
    std::env::set_var("RADV_FORCE_FAMILY", "polaris10");
    std::env::set_var("MESA_SHADER_CACHE_DISABLE", "1");
    let device = Device::open(&DeviceOptions { only_compiles: true, ..DeviceOptions::default() })?;
    let twins = Twin::all()?;
    let (mut count, mut total, mut worse) = (0, [0.0; 2], Vec::new());
    for twin in twins.iter().step_by(twins.len().div_ceil(COUNT)) {
        let pair = match Pair::of(&device, twin)? {
            Pairing::Both(pair) => pair,
            Pairing::LeftOut(stage, why) => {
                println!("{} ({stage:?}): {why}", twin.stem());
                continue;
            }
        };
        let ours = pair.ours.as_ref().map_err(|error| anyhow::anyhow!("{}: {error}", twin.stem()))?;
        let [ours, theirs] = [ours, &pair.theirs].map(|words| pair.compile(&device, words));
        let [ours, theirs] = [instructions(&ours?), instructions(&theirs?)];
        ensure!(ours > 0.0, "{} has no instructions", twin.stem());
        (count, total) = (count + 1, [total[0] + ours, total[1] + theirs]);
        if ours > WORSE * theirs {
            worse.push(format!("{} ({:?}): {ours} instructions, C {theirs}", twin.stem(), pair.stage));
        }
    }
    println!("{count} shaders, ntv / C: {:.4}", total[0] / total[1]);
    ensure!(count > COUNT / 2, "only {count} shaders");
    ensure!(worse.is_empty(), "{worse:#?}");
    ensure!(total[0] <= total[1], "{total:?} instructions in total");
    Ok(())
}
