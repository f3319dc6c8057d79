// SPDX-License-Identifier: MIT

//! `cargo xtask bench --backends`: compiles the modules of both translators with Mesa's drivers of GPUs that are not there.
//!
//! RADV has a backend that only compiles. The other drivers run on a shim of Mesa, a library that answers the calls of the kernel's
//! driver. The drivers of desktop GPUs are Debian's packages of a newer release than this machine's, so the benchmark runs with
//! their C library. Debian has those of mobile GPUs for other machines only, so they are built.

mod builds;
mod packages;

use crate::command::{cargo, run as go};
use anyhow::{ensure, Result};
use builds::{Build, Built, MOBILE, SHIMS};
use packages::{Packages, TRIXIE};
use std::fs;
use std::path::{Path, PathBuf};

/// A compiler, for one family of GPUs.
struct BackEnd {
    /// The name of its log, and of its rows.
    name: &'static str,
    /// The description of the driver for Vulkan's loader: the name of one of Debian's, or a path in the build.
    description: &'static str,
    /// The environment that selects the family.
    environment: &'static [(&'static str, &'static str)],
    /// What is built of Mesa, if anything.
    build: Option<Needs>,
}

/// What a back end needs of a build.
struct Needs {
    build: &'static Build,
    /// The library in place of the kernel's driver.
    shim: &'static str,
    /// The library of the driver, unless it is Debian's.
    driver: Option<&'static str>,
}

const BACK_ENDS: &[BackEnd] = &[
    radv("polaris10", &[("RADV_FORCE_FAMILY", "polaris10")]),
    radv("navi21", &[("RADV_FORCE_FAMILY", "navi21")]),
    radv("navi31", &[("RADV_FORCE_FAMILY", "navi31")]),
    anv("skl", &[("INTEL_STUB_GPU_PLATFORM", "skl")]),
    anv("tgl", &[("INTEL_STUB_GPU_PLATFORM", "tgl")]),
    anv("dg2", &[("INTEL_STUB_GPU_PLATFORM", "dg2")]),
    BackEnd {
        name: "nvk-tu102",
        description: "nouveau_icd.json",
        environment: &[("NOUVEAU_CHIPSET", "162")],
        build: Some(Needs { build: &SHIMS, shim: "nouveau/drm-shim/libnouveau_noop_drm_shim.so", driver: None }),
    },
    turnip("turnip-a630", &[("FD_GPU_ID", "630")]),
    turnip("turnip-a750", &[("FD_GPU_ID", "750")]),
    panvk("panvk-g52", &[("PAN_GPU_ID", "7212"), VULKAN, BROKEN]),
    panvk("panvk-g610", &[("PAN_GPU_ID", "a867"), VULKAN, BROKEN]),
];

/// PanVK has the features of Vulkan 1.3 that the benchmark needs, but not the version.
const VULKAN: (&str, &str) = ("MESA_VK_VERSION_OVERRIDE", "1.3");
const BROKEN: (&str, &str) = ("PAN_I_WANT_A_BROKEN_VULKAN_DRIVER", "1");

/// RADV, whose compiler is ACO.
const fn radv(name: &'static str, environment: &'static [(&'static str, &'static str)]) -> BackEnd {
    BackEnd { name, description: "radeon_icd.json", environment, build: None }
}

/// ANV, whose compiler is brw.
const fn anv(name: &'static str, environment: &'static [(&'static str, &'static str)]) -> BackEnd {
    let needs = Needs { build: &SHIMS, shim: "intel/tools/libintel_noop_drm_shim.so", driver: None };
    BackEnd { name, description: "intel_icd.json", environment, build: Some(needs) }
}

/// Turnip, whose compiler is ir3.
const fn turnip(name: &'static str, environment: &'static [(&'static str, &'static str)]) -> BackEnd {
    let needs = Needs {
        build: &MOBILE,
        shim: "freedreno/drm-shim/libfreedreno_noop_drm_shim.so",
        driver: Some("freedreno/vulkan/libvulkan_freedreno.so"),
    };
    let description = "freedreno/vulkan/freedreno_devenv_icd.x86_64.json";
    BackEnd { name, description, environment, build: Some(needs) }
}

/// PanVK, whose compiler is that of Bifrost and Valhall.
const fn panvk(name: &'static str, environment: &'static [(&'static str, &'static str)]) -> BackEnd {
    let needs = Needs {
        build: &MOBILE,
        shim: "panfrost/drm-shim/libpanfrost_noop_drm_shim.so",
        driver: Some("panfrost/vulkan/libvulkan_panfrost.so"),
    };
    let description = "panfrost/vulkan/panfrost_devenv_icd.x86_64.json";
    BackEnd { name, description, environment, build: Some(needs) }
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
    fs::create_dir_all(logs)?;
    let mut written = Vec::new();
    for row in chosen {
        let log = logs.join(row.name).with_extension("tsv");
        if log.exists() {
            fs::remove_file(&log)?;
        }
        println!("{}", row.name);
        row.compile(&packages, &log, sample)?;
        written.push(log);
    }
    Ok(written)
}

impl BackEnd {
    /// Writes the log. A crash of the driver ends the benchmark, which then goes on after the shader.
    fn compile(&self, packages: &Packages, log: &Path, sample: Option<usize>) -> Result<()> {
        let mut runner = packages.runner();
        let mut description = packages.description(self.description);
        if let Some(needs) = &self.build {
            let built: Built = needs.build.of([needs.shim].into_iter().chain(needs.driver))?;
            runner = format!("{runner} --preload {}", built.path(needs.shim).display());
            if needs.driver.is_some() {
                description = built.path(self.description);
            }
        }
        let bench = || {
            let arguments = ["bench", "--package", "ntv-benches", "--features", "vulkan", "--bench", "backends", "--"];
            let mut command = cargo(&arguments);
            command
                .arg(log)
                .args(sample.map(|count| count.to_string()))
                .env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", &runner)
                .env("VK_DRIVER_FILES", &description)
                .envs(self.environment.iter().copied());
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
