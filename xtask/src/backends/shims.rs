// SPDX-License-Identifier: MIT

//! Mesa's shims of the kernel's drivers, which let a driver believe that its GPU is there. No distribution has packages of them.

use super::BackEnd;
use crate::command::run as go;
use crate::mesa::MESA_25;
use anyhow::Result;
use std::path::PathBuf;

/// Nothing is built of the drivers but the shims, and what they need.
const OPTIONS: &[&str] = &[
    "-Dbuildtype=release",
    "-Dtools=drm-shim,intel",
    "-Dgallium-drivers=nouveau",
    "-Dvulkan-drivers=",
    "-Dplatforms=",
    "-Dglx=disabled",
    "-Degl=disabled",
    "-Dopengl=false",
    "-Dgles1=disabled",
    "-Dgles2=disabled",
    "-Dgbm=disabled",
    "-Dllvm=disabled",
    "-Dvideo-codecs=",
    "-Dvalgrind=disabled",
    "-Dlibunwind=disabled",
];

/// A build of shims.
pub(super) struct Shims {
    folder: PathBuf,
}

impl Shims {
    /// Builds the shims of `rows`.
    pub(super) fn build(rows: &[BackEnd]) -> Result<Shims> {
        let source = MESA_25.unpatched()?;
        let folder = source.folder.join("shims");
        if !folder.join("build.ninja").exists() {
            println!("Building the shims of Mesa in {}.", folder.display());
            go(source.program("meson").arg("setup").arg(&folder).args(OPTIONS))?;
        }
        let shims = Shims { folder };
        let targets = rows.iter().filter_map(|row| row.shim).map(|shim| format!("src/{shim}"));
        go(source.program("ninja").args(["--quiet", "-C"]).arg(&shims.folder).args(targets))?;
        Ok(shims)
    }

    /// The path of a shim.
    pub(super) fn path(&self, shim: &str) -> PathBuf {
        self.folder.join("src").join(shim)
    }
}
