//! Mesa's source, our patch on it, and the build of both, in a cache outside of the repository.
//!
//! The cache is `$NTV_CACHE`, or `ntv` in the user's cache folder. Its subfolder for a patch is made once; from then on
//! ninja builds what changed, which is ntv and one library of Mesa's for a change in ntv.

use crate::command::{find, run as go};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's source package.
const PACKAGE: &str = "mesa=25.0.7-2+deb13u1";
/// The folder that it unpacks to.
const SOURCE: &str = "mesa-25.0.7";

/// What the build needs of Debian. Meson has to be newer than Debian 12's.
const DEBIAN_NEEDS: &str = "dpkg-dev patch python3-venv ninja-build pkg-config bison flex glslang-tools llvm-15-dev \
    libdrm-dev libx11-dev libx11-xcb-dev libxext-dev libxfixes-dev libxcb-glx0-dev libxcb-dri2-0-dev libxcb-dri3-dev \
    libxcb-present-dev libxcb-randr0-dev libxcb-shm0-dev libxcb-sync-dev libxcb-keysyms1-dev libxcb-xfixes0-dev \
    libxshmfence-dev libxxf86vm-dev libxrandr-dev libvulkan-dev libelf-dev libexpat1-dev zlib1g-dev libzstd-dev \
    libglvnd-dev libudev-dev";
/// What it needs of PyPI.
const PYTHON_NEEDS: &[&str] = &["meson>=1.1", "mako", "pyyaml", "packaging"];

/// zink, and lavapipe below it.
const OPTIONS: &[&str] = &[
    "-Dgallium-drivers=zink,llvmpipe",
    "-Dvulkan-drivers=swrast",
    "-Dplatforms=x11",
    "-Dglx=dri",
    "-Degl=enabled",
    "-Dgles1=disabled",
    "-Dgles2=enabled",
    "-Dgbm=disabled",
    "-Dllvm=enabled",
    "-Dshared-llvm=enabled",
    "-Dbuildtype=release",
    "-Dvideo-codecs=",
    "-Dvalgrind=disabled",
    "-Dlibunwind=disabled",
];

/// The prefix under which the patched Mesa is installed, built from what the repository holds now.
pub(crate) fn mesa() -> Result<PathBuf> {
    let patch = crate::root().join(format!("ffi/mesa/patches/{SOURCE}.patch"));
    let folder = cache()?.join(format!("{SOURCE}-{:016x}", hash(&patch)?));
    let (source, prefix) = (folder.join(SOURCE), folder.join("install"));
    let python = folder.join("python");
    if !source.join("build/build.ninja").exists() {
        println!("Building Mesa in {}: some minutes, once.", folder.display());
        install_needs(&python)?;
        unpack(&folder)?;
        go(Command::new("patch").args(["--strip=1", "--directory"]).arg(&source).arg("--input").arg(&patch))?;
        symlink(crate::root(), source.join("subprojects/ntv"))?;
        symlink(crate::root().join("ffi/mesa"), source.join("src/gallium/drivers/zink/ntv"))?;
        let mut setup = in_environment(&python, "meson");
        setup.args(["setup", "build"]).arg(format!("-Dprefix={}", prefix.display())).args(OPTIONS);
        go(setup.current_dir(&source))?;
    }
    let mut install = in_environment(&python, "ninja");
    go(install.args(["-C", "build", "--quiet", "install"]).current_dir(&source))?;
    Ok(prefix)
}

/// Where builds are kept.
fn cache() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = variable("NTV_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("ntv")))
        .or_else(|| Some(variable("HOME")?.join(".cache/ntv")))
        .context("no folder for a cache: set NTV_CACHE")?;
    fs::create_dir_all(&cache)?;
    Ok(cache.canonicalize()?)
}

/// A number for the build: what it is made of besides ntv, and the repository that it is linked to.
fn hash(patch: &Path) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    (PACKAGE, OPTIONS, crate::root()).hash(&mut hasher);
    fs::read(patch).with_context(|| format!("no patch {}", patch.display()))?.hash(&mut hasher);
    Ok(hasher.finish())
}

/// Installs what the build needs, Python's part into an environment of its own.
fn install_needs(python: &Path) -> Result<()> {
    let packages: Vec<&str> = DEBIAN_NEEDS.split_whitespace().collect();
    let mut installed = Command::new("dpkg-query");
    if !installed.arg("--show").args(&packages).output().is_ok_and(|output| output.status.success()) {
        crate::test::install_packages(&packages)?;
    }
    if !python.join("bin/meson").exists() {
        go(Command::new("python3").args(["-m", "venv"]).arg(python))?;
        go(Command::new(python.join("bin/pip")).args(["install", "--quiet"]).args(PYTHON_NEEDS))?;
    }
    Ok(())
}

/// A program that finds Python's part of what the build needs.
fn in_environment(python: &Path, program: &str) -> Command {
    let mut path = python.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new("env");
    command.env("PATH", path).arg(program);
    command
}

/// Gets the source package and unpacks it in `folder`, without a change to the sources of packages of this machine.
fn unpack(folder: &Path) -> Result<()> {
    ensure!(find("apt-get").is_some(), "this is not a Debian system");
    let lists = folder.join("apt");
    fs::create_dir_all(lists.join("partial"))?;
    let sources = folder.join("sources.list");
    fs::write(&sources, format!("deb-src {} trixie main\n", mirror()))?;
    let apt_get = || {
        let mut command = Command::new("apt-get");
        command
            .arg(format!("-oDir::Etc::SourceList={}", sources.display()))
            .args(["-oDir::Etc::SourceParts=/dev/null", "-qq"])
            .arg(format!("-oDir::State::Lists={}", lists.display()))
            .current_dir(folder);
        command
    };
    go(apt_get().arg("update"))?;
    go(apt_get().args(["source", PACKAGE]))
}

/// Where this machine has its Debian packages from.
fn mirror() -> String {
    let files = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
    let text: String = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    let words = text.lines().filter(|line| line.starts_with("URIs:") || line.starts_with("deb "));
    let found =
        words.flat_map(str::split_whitespace).find(|word| word.starts_with("http") && word.ends_with("/debian"));
    found.unwrap_or("http://deb.debian.org/debian").to_string()
}
