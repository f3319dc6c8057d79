// SPDX-License-Identifier: MIT

//! Builds of the patched Mesa, next to its source. After a change in ntv, Ninja builds only ntv and one library of Mesa.

use super::source::{install_missing, Source, MESA_25};
use crate::command::run as go;
use anyhow::{ensure, Context, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A configuration of Mesa.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// zink and lavapipe, with full optimization.
    Full,
    /// zink alone, with a fast build, on the lavapipe of Debian's own Mesa; ntv with its internal checks.
    Small,
    /// zink alone, with full optimization, for machines with other Vulkan drivers.
    Alone,
    /// The build of `Small`, with AddressSanitizer and UndefinedBehaviorSanitizer.
    Address,
    /// The build of `Small`, without ntv.
    Off,
    /// The same of a Mesa that has only the patches that mend zink for everyone.
    Mended,
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

const NTV: &[&str] = &["-Dzink-ntvr=enabled", "-Dzink-ntvr-debug=true"];

const FULL: &[&str] = &[
    "-Dgallium-drivers=zink,llvmpipe",
    "-Dvulkan-drivers=swrast",
    "-Dplatforms=x11",
    "-Dglx=dri",
    "-Dllvm=enabled",
    "-Dshared-llvm=enabled",
];

const ALONE: &[&str] =
    &["-Dgallium-drivers=zink", "-Dvulkan-drivers=", "-Dplatforms=", "-Dglx=disabled", "-Dllvm=disabled"];

const FAST: &[&str] = &["-Doptimization=1"];

const FAST_NTV: &[&str] = &["-Dntvr:optimization=0", "-Dntvr:b_ndebug=false"];

const ADDRESS: &[&str] = &["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Ddebug=true"];

const OFF: &[&str] = &["-Dzink-ntvr=disabled"];

/// The other Debian packages that a full build needs.
const FULL_NEEDS: &str = "llvm-15-dev libx11-dev libx11-xcb-dev libxext-dev libxfixes-dev libxcb-glx0-dev \
    libxcb-dri2-0-dev libxcb-dri3-dev libxcb-present-dev libxcb-randr0-dev libxcb-shm0-dev libxcb-sync-dev \
    libxcb-keysyms1-dev libxcb-xfixes0-dev libxshmfence-dev libxxf86vm-dev libxrandr-dev libvulkan-dev";

/// A patched Mesa that was built.
pub(crate) struct Built {
    /// The folder of the installation.
    pub(crate) prefix: PathBuf,
    pub(crate) build_folder: PathBuf,
    pub(crate) source: Source,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Build::Full => "full",
            Build::Small => "small",
            Build::Alone => "alone",
            Build::Address => "address",
            Build::Off => "off",
            Build::Mended => "mended",
        }
    }

    fn options(self) -> Vec<&'static str> {
        let parts: &[&[&str]] = match self {
            Build::Full => &[OPTIONS, NTV, FULL],
            Build::Small => &[OPTIONS, NTV, ALONE, FAST, FAST_NTV],
            Build::Alone => &[OPTIONS, NTV, ALONE],
            Build::Address => &[OPTIONS, NTV, ALONE, FAST, FAST_NTV, ADDRESS],
            Build::Off => &[OPTIONS, OFF, ALONE, FAST],
            Build::Mended => &[OPTIONS, ALONE, FAST],
        };
        parts.concat()
    }

    /// The prefix of a patched Mesa: `given`, or that of a new build.
    pub(crate) fn prefix(self, given: Option<&Path>) -> Result<PathBuf> {
        match given {
            Some(prefix) => prefix.canonicalize().with_context(|| format!("no folder {}", prefix.display())),
            None => Ok(self.mesa()?.prefix),
        }
    }

    /// Builds and installs Mesa with the current files of the repository.
    pub(crate) fn mesa(self) -> Result<Built> {
        let source = if self == Build::Mended { MESA_25.mended()? } else { MESA_25.source()? };
        if self == Build::Full {
            install_missing(FULL_NEEDS)?;
        }
        let (build_folder, prefix) = self.configure(&source)?;
        go(ninja(&source).arg("-C").arg(&build_folder))?;
        go(source.program("meson").args(["install", "--no-rebuild", "--quiet", "-C"]).arg(&build_folder))?;
        Ok(Built { prefix, build_folder, source })
    }

    /// Configures the build, unless it is configured. Returns its folder, and that of the installation.
    fn configure(self, source: &Source) -> Result<(PathBuf, PathBuf)> {
        let options = self.options();
        let mut hasher = DefaultHasher::new();
        options.hash(&mut hasher);
        let name = format!("{}-{:016x}", self.name(), hasher.finish());
        let folder = source.folder.join(&name);
        let prefix = source.folder.join(format!("{name}-installed"));
        if !folder.join("build.ninja").exists() {
            println!("Building Mesa in {}: the first build takes some minutes.", folder.display());
            let mut setup = source.program("meson");
            setup.arg("setup").arg(&folder).arg(format!("-Dprefix={}", prefix.display())).args(options);
            go(&mut setup)?;
        }
        Ok((folder, prefix))
    }
}

/// Compiles the patched zink without ntv, and checks that no file of ntv is a part of it.
pub(crate) fn check_off() -> Result<()> {
    let source = MESA_25.source()?;
    let (folder, _) = Build::Off.configure(&source)?;
    go(ninja(&source).arg("-C").arg(&folder).arg("src/gallium/drivers/zink/libzink.a"))?;
    let commands = fs::read_to_string(folder.join("compile_commands.json"))?;
    ensure!(commands.contains("/zink/zink_compiler.c"), "no command that compiles zink");
    ensure!(!commands.contains("/zink/ntvr/"), "a file of ntv is compiled without the option zink-ntvr");
    println!("zink compiles without ntv.");
    Ok(())
}

fn ninja(source: &Source) -> Command {
    let mut build = source.program("ninja");
    if !std::io::stdout().is_terminal() {
        build.arg("--quiet");
    }
    build
}
