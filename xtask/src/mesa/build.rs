//! Builds of the patched Mesa, kept beside its source: Ninja builds what changed since, which is ntv and one library of
//! Mesa's for a change in ntv.

use super::source::{install_missing, Source, MESA_25};
use crate::command::run as go;
use anyhow::{Context, Result};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// How Mesa is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// zink, and lavapipe below it, as fast as they get.
    Full,
    /// zink alone, compiled in a hurry, on the lavapipe of Debian's own Mesa; ntv with the checks that it makes of itself.
    Small,
    /// The same with AddressSanitizer.
    Address,
}

const OPTIONS: &[&str] = &[
    "-Dbuildtype=release",
    "-Degl=enabled",
    "-Dgles1=disabled",
    "-Dgles2=enabled",
    "-Dgbm=disabled",
    "-Dvideo-codecs=",
    "-Dvalgrind=disabled",
    "-Dlibunwind=disabled",
];

const FULL: &[&str] = &[
    "-Dgallium-drivers=zink,llvmpipe",
    "-Dvulkan-drivers=swrast",
    "-Dplatforms=x11",
    "-Dglx=dri",
    "-Dllvm=enabled",
    "-Dshared-llvm=enabled",
];

const SMALL: &[&str] = &[
    "-Dgallium-drivers=zink",
    "-Dvulkan-drivers=",
    "-Dplatforms=",
    "-Dglx=disabled",
    "-Dllvm=disabled",
    "-Doptimization=1",
    "-Dntv:cargo_profile=dev",
];

const ADDRESS: &[&str] = &["-Db_sanitize=address", "-Db_lundef=false", "-Ddebug=true"];

/// What a full build needs of Debian besides.
const FULL_NEEDS: &str = "llvm-15-dev libx11-dev libx11-xcb-dev libxext-dev libxfixes-dev libxcb-glx0-dev \
    libxcb-dri2-0-dev libxcb-dri3-dev libxcb-present-dev libxcb-randr0-dev libxcb-shm0-dev libxcb-sync-dev \
    libxcb-keysyms1-dev libxcb-xfixes0-dev libxshmfence-dev libxxf86vm-dev libxrandr-dev libvulkan-dev";

/// A patched Mesa that was built.
pub(crate) struct Built {
    /// Where it is installed.
    pub(crate) prefix: PathBuf,
    pub(crate) build_folder: PathBuf,
    pub(crate) source: Source,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Build::Full => "full",
            Build::Small => "small",
            Build::Address => "address",
        }
    }

    fn options(self) -> Vec<&'static str> {
        let parts: &[&[&str]] = match self {
            Build::Full => &[OPTIONS, FULL],
            Build::Small => &[OPTIONS, SMALL],
            Build::Address => &[OPTIONS, SMALL, ADDRESS],
        };
        parts.concat()
    }

    /// Where a patched Mesa is installed: under `given`, or one that is built.
    pub(crate) fn prefix(self, given: Option<&Path>) -> Result<PathBuf> {
        match given {
            Some(prefix) => prefix.canonicalize().with_context(|| format!("no folder {}", prefix.display())),
            None => Ok(self.mesa()?.prefix),
        }
    }

    /// Builds and installs what the repository holds now.
    pub(crate) fn mesa(self) -> Result<Built> {
        let source = MESA_25.source()?;
        let options = self.options();
        let mut hasher = DefaultHasher::new();
        options.hash(&mut hasher);
        let name = format!("{}-{:016x}", self.name(), hasher.finish());
        let build_folder = source.folder.join(&name);
        let prefix = source.folder.join(format!("{name}-installed"));
        if self == Build::Full {
            install_missing(FULL_NEEDS)?;
        }
        if !build_folder.join("build.ninja").exists() {
            println!("Building Mesa in {}: some minutes, once.", build_folder.display());
            let mut setup = source.program("meson");
            setup.arg("setup").arg(&build_folder).arg(format!("-Dprefix={}", prefix.display())).args(options);
            go(&mut setup)?;
        }
        let mut build = source.program("ninja");
        if !std::io::stdout().is_terminal() {
            build.arg("--quiet");
        }
        go(build.arg("-C").arg(&build_folder))?;
        go(source.program("meson").args(["install", "--no-rebuild", "--quiet", "-C"]).arg(&build_folder))?;
        Ok(Built { prefix, build_folder, source })
    }
}
