// SPDX-License-Identifier: MIT

//! Meson, and the crates for which it calls rustc.

use crate::command::{output, run as go};
use crate::mesa::{cache, install_missing};
use anyhow::Result;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The packages of PyPI that the builds of ntv and Mesa need. Meson has to be newer than Debian 12's.
const PACKAGES: &[&str] = &["meson>=1.3.2", "mako", "pyyaml", "packaging", "setuptools"];

/// A Python environment that has Meson.
pub(crate) struct Meson {
    /// The search path of programs, with those of the environment.
    programs: OsString,
}

impl Meson {
    /// Installs the environment in the cache, and downloads the crates to `subprojects/` of this repository, unless they are there.
    pub(crate) fn new() -> Result<Meson> {
        let folder = cache()?.join("python");
        let done = folder.join("installed");
        if !done.exists() {
            install_missing("python3-venv")?;
            go(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            go(Command::new(folder.join("bin/pip")).args(["install", "--quiet"]).args(PACKAGES))?;
            fs::write(done, "")?;
        }
        let mut programs = folder.join("bin").into_os_string();
        programs.push(":");
        programs.push(std::env::var_os("PATH").unwrap_or_default());
        let meson = Meson { programs };
        // By name: without names, Meson downloads all crates of Cargo.lock.
        output(meson.command("meson").args(["subprojects", "download"]).args(wraps()?))?;
        // Meson copies packagefiles/ only when it unpacks a crate. An older checkout may have unpacked crates with other build files.
        output(meson.command("meson").args(["subprojects", "packagefiles", "--apply"]).args(wraps()?))?;
        Ok(meson)
    }

    /// A program that runs in the root of the repository, and finds Meson.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("env");
        command.current_dir(crate::root()).env("PATH", &self.programs).arg(program);
        command
    }
}

/// The names of the wraps of crates.
fn wraps() -> Result<Vec<OsString>> {
    let paths = fs::read_dir(crate::root().join("subprojects"))?.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    let wraps = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "wrap"));
    Ok(wraps.filter_map(|path| Some(path.file_stem()?.to_owned())).collect())
}
