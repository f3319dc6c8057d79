// SPDX-License-Identifier: MIT

//! Builds of Mesa's shims of the kernel's drivers, which let a driver believe that its GPU is there, and of the Vulkan drivers that
//! no package for this machine has.

use crate::command::run as go;
use crate::mesa::MESA_25;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// A configuration of Mesa.
pub(super) struct Build {
    /// The name of its folder.
    name: &'static str,
    options: &'static [&'static str],
}

/// The shims for Debian's drivers.
pub(super) const SHIMS: Build =
    Build { name: "shims", options: &["-Dtools=drm-shim,intel", "-Dgallium-drivers=nouveau", "-Dvulkan-drivers="] };

/// The drivers of mobile GPUs, with their shims.
pub(super) const MOBILE: Build = Build {
    name: "mobile",
    options: &[
        "-Dtools=drm-shim",
        "-Dgallium-drivers=",
        "-Dvulkan-drivers=freedreno,panfrost,broadcom",
        "-Dfreedreno-kmds=msm",
        "-Doptimization=2",
    ],
};

/// What all builds leave out.
const OPTIONS: &[&str] = &[
    "-Dbuildtype=release",
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

/// A build, of which some libraries are there.
pub(super) struct Built {
    folder: PathBuf,
}

impl Build {
    /// Builds the `libraries`, whose paths are those in Mesa's source, and what they need.
    pub(super) fn of<'a>(&self, libraries: impl Iterator<Item = &'a str>) -> Result<Built> {
        let source = MESA_25.unpatched()?;
        let folder = source.folder.join(self.name);
        if !folder.join("build.ninja").exists() {
            println!("Building parts of Mesa in {}: the first build takes some minutes.", folder.display());
            go(source.program("meson").arg("setup").arg(&folder).args(OPTIONS).args(self.options))?;
        }
        let targets = libraries.map(|library| Path::new("src").join(library));
        go(source.program("ninja").args(["--quiet", "-C"]).arg(&folder).args(targets))?;
        Ok(Built { folder })
    }
}

impl Built {
    /// The path of a library, or of another file.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.folder.join("src").join(file)
    }
}
