// SPDX-License-Identifier: MIT

//! `cargo xtask bench --backends`: compiles the modules of both translators with Mesa's drivers of GPUs that are not there.
//!
//! RADV has a backend that only compiles. The other drivers run on a shim of Mesa, a library that answers the calls of the kernel's
//! driver. The drivers are Debian's packages of a newer release than this machine's, so the benchmark runs with their C library.

mod packages;
mod shims;

use crate::command::{cargo, run as go};
use anyhow::{ensure, Result};
use packages::{Packages, TRIXIE};
use shims::Shims;
use std::fs;
use std::path::{Path, PathBuf};

/// A compiler, for one family of GPUs.
struct BackEnd {
    /// The name of its log, and of its rows.
    name: &'static str,
    /// The description of the driver for Vulkan's loader.
    description: &'static str,
    /// The variable that selects the family.
    family: (&'static str, &'static str),
    /// The library in place of the kernel's driver.
    shim: Option<&'static str>,
}

const BACK_ENDS: &[BackEnd] = &[
    radv("polaris10"),
    radv("navi21"),
    radv("navi31"),
    anv("skl"),
    anv("tgl"),
    anv("dg2"),
    BackEnd {
        name: "nvk-tu102",
        description: "nouveau_icd.json",
        family: ("NOUVEAU_CHIPSET", "162"),
        shim: Some("nouveau/drm-shim/libnouveau_noop_drm_shim.so"),
    },
];

/// RADV, whose compiler is ACO.
const fn radv(family: &'static str) -> BackEnd {
    BackEnd { name: family, description: "radeon_icd.json", family: ("RADV_FORCE_FAMILY", family), shim: None }
}

/// ANV, whose compiler is brw.
const fn anv(family: &'static str) -> BackEnd {
    let shim = Some("intel/tools/libintel_noop_drm_shim.so");
    BackEnd { name: family, description: "intel_icd.json", family: ("INTEL_STUB_GPU_PLATFORM", family), shim }
}

/// Compiles the shaders of the corpus, or `sample` of them, with the back ends whose names are in `only`, or with all. Returns the
/// logs, in the folder `logs`.
pub(crate) fn measure(logs: &Path, only: &[String], sample: Option<usize>) -> Result<Vec<PathBuf>> {
    for name in only {
        ensure!(BACK_ENDS.iter().any(|row| row.name == name), "no back end has the name {name}");
    }
    let chosen: Vec<&BackEnd> =
        BACK_ENDS.iter().filter(|row| only.is_empty() || only.iter().any(|name| name == row.name)).collect();
    let packages = TRIXIE.unpacked()?;
    let shims = if chosen.iter().any(|row| row.shim.is_some()) { Some(Shims::build(BACK_ENDS)?) } else { None };
    fs::create_dir_all(logs)?;
    let mut written = Vec::new();
    for row in chosen {
        let log = logs.join(row.name).with_extension("tsv");
        if log.exists() {
            fs::remove_file(&log)?;
        }
        println!("{}", row.name);
        row.compile(&packages, shims.as_ref(), &log, sample)?;
        written.push(log);
    }
    Ok(written)
}

impl BackEnd {
    /// Writes the log. A crash of the driver ends the benchmark, which then goes on after the shader.
    fn compile(&self, packages: &Packages, shims: Option<&Shims>, log: &Path, sample: Option<usize>) -> Result<()> {
        let mut runner = packages.runner();
        if let (Some(shims), Some(shim)) = (shims, self.shim) {
            runner = format!("{runner} --preload {}", shims.path(shim).display());
        }
        let bench = || {
            let arguments = ["bench", "--package", "ntv-benches", "--features", "vulkan", "--bench", "backends", "--"];
            let mut command = cargo(&arguments);
            command
                .arg(log)
                .args(sample.map(|count| count.to_string()))
                .env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", &runner)
                .env("VK_DRIVER_FILES", packages.description(self.description))
                .env(self.family.0, self.family.1);
            command
        };
        let size = || fs::metadata(log).map_or(0, |file| file.len());
        loop {
            let before = size();
            match go(&mut bench()) {
                Ok(()) => return Ok(()),
                // It began a line.
                Err(error) => ensure!(size() > before && !is_whole(log)?, "{error}"),
            }
        }
    }
}

/// Whether the last line of a log has an end.
fn is_whole(log: &Path) -> Result<bool> {
    Ok(fs::read(log)?.ends_with(b"\n"))
}
