// SPDX-License-Identifier: MIT

//! Mesa's source packages, unpacked and patched in a cache outside of the repository.
//!
//! The cache is `$NTV_CACHE`, or `ntv` in the user's cache folder. The source has links to ntv and `ffi/mesa/` of
//! this repository. Another checkout uses the same cache and replaces the links.

use super::series::of_mesa;
use crate::command::{find, run as go};
use crate::meson::Meson;
use anyhow::{ensure, Context, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A release of Mesa, from Debian's source package.
pub(crate) struct Release {
    /// The folder of the unpacked package.
    pub(crate) name: &'static str,
    /// The release of Debian that has it.
    suite: &'static str,
}

/// The folder of `ffi/mesa` in the source.
pub(crate) const FOLDER: &str = "src/gallium/drivers/zink/ntvr";

/// The release from which zink is built.
pub(crate) const MESA_25: Release = Release { name: "mesa-25.0.7", suite: "trixie" };

/// The Debian packages that both builds need.
const DEBIAN_NEEDS: &str = "build-essential dpkg-dev patch ninja-build pkg-config bison flex glslang-tools \
    libdrm-dev libelf-dev libexpat1-dev zlib1g-dev libzstd-dev libglvnd-dev libudev-dev";

/// An unpacked source, in a folder that also has its builds.
pub(crate) struct Source {
    pub(crate) folder: PathBuf,
    pub(crate) path: PathBuf,
    meson: Meson,
}

impl Release {
    /// Downloads the source, unless it is in the cache, and installs the packages for the build.
    pub(crate) fn source(&self) -> Result<Source> {
        let folder = cache()?.join(format!("{}-{:016x}", self.name, self.hash()?));
        install_missing(DEBIAN_NEEDS)?;
        let source = Source { path: folder.join(self.name), folder, meson: Meson::new()? };
        let done = source.folder.join("unpacked");
        if !done.exists() {
            println!("Downloading {} to {}.", self.name, source.folder.display());
            unpack(&source.folder, self)?;
            source.patch(&patches()?)?;
            fs::write(done, "")?;
        }
        source.link()?;
        Ok(source)
    }

    /// The source with only the patches that mend zink for everyone: those before the option for ntv.
    pub(crate) fn mended(&self) -> Result<Source> {
        let is_before = |path: &PathBuf| !path.to_string_lossy().ends_with("-add-the-option-zink-ntvr.patch");
        let mending: Vec<PathBuf> = patches()?.into_iter().take_while(is_before).collect();
        ensure!(!mending.is_empty() && mending.len() < patches()?.len(), "no patch adds the option for ntv");
        let mut hasher = DefaultHasher::new();
        for path in &mending {
            fs::read(path)?.hash(&mut hasher);
        }
        let folder = cache()?.join(format!("{}-mended-{:016x}", self.name, hasher.finish()));
        install_missing(DEBIAN_NEEDS)?;
        let source = Source { path: folder.join(self.name), folder, meson: Meson::new()? };
        let done = source.folder.join("unpacked");
        if !done.exists() {
            println!("Downloading {} to {}.", self.name, source.folder.display());
            unpack(&source.folder, self)?;
            source.patch(&mending)?;
            fs::write(done, "")?;
        }
        Ok(source)
    }

    /// Downloads the source, unless it is in the cache, without a change to it.
    pub(crate) fn unpatched(&self) -> Result<Source> {
        let folder = cache()?.join(format!("{}-unpatched", self.name));
        install_missing(DEBIAN_NEEDS)?;
        let done = folder.join("unpacked");
        if !done.exists() {
            println!("Downloading {} to {}.", self.name, folder.display());
            unpack(&folder, self)?;
            fs::write(done, "")?;
        }
        Ok(Source { path: folder.join(self.name), folder, meson: Meson::new()? })
    }

    /// A hash of the release and of the changes in the patches.
    fn hash(&self) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        (self.name, self.suite).hash(&mut hasher);
        for patch in patches()? {
            // The message does not change the source.
            of_mesa(&fs::read_to_string(patch)?).hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}

impl Source {
    /// A program that runs in the folder of the source, with the Python packages of the build in its path.
    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = self.meson.command(name);
        command.current_dir(&self.path);
        command
    }

    /// Applies the changes of Mesa's own files.
    fn patch(&self, patches: &[PathBuf]) -> Result<()> {
        for patch in patches {
            let changes = self.folder.join("changes");
            fs::write(&changes, of_mesa(&fs::read_to_string(patch)?))?;
            let mut command = Command::new("patch");
            command.args(["--strip=1", "--forward", "--quiet", "--directory"]).arg(&self.path);
            go(command.arg("--input").arg(changes))?;
        }
        Ok(())
    }

    /// Links this repository into the source. Artifacts from another checkout are removed, because its files may be newer.
    fn link(&self) -> Result<()> {
        let links = [
            (crate::root(), self.path.join("subprojects/ntvr")),
            (crate::root().join("ffi/mesa"), self.path.join(FOLDER)),
        ];
        for (target, link) in links {
            match fs::read_link(&link) {
                Ok(old) if old == target => continue,
                Ok(_) => {
                    fs::remove_file(&link)?;
                    self.forget()?;
                }
                Err(_) => {}
            }
            symlink(&target, &link).with_context(|| format!("cannot make the link {}", link.display()))?;
        }
        Ok(())
    }

    /// Checks the format of the C files by Mesa's settings, which also hold for the folder that is linked into the source.
    pub(crate) fn check_format(&self) -> Result<()> {
        const GENERATED: &str = "ntvr_names.h";
        install_missing("clang-format")?;
        let mut files = Vec::new();
        for entry in fs::read_dir(self.path.join(FOLDER))? {
            let path = entry?.path();
            let is_c = path.extension().is_some_and(|extension| extension == "c" || extension == "h");
            if is_c && !path.ends_with(GENERATED) {
                files.push(path);
            }
        }
        go(Command::new("clang-format").args(["--dry-run", "--Werror"]).args(files))
    }

    /// Removes the artifacts that Ninja built from the files of the repository, and has its builds configured again.
    fn forget(&self) -> Result<()> {
        const MADE: &[(&str, &[&str])] =
            &[("subprojects/ntvr", &["libntv"]), ("src/gallium/drivers/zink/libzink.a.p", &["ntvr_", "zink_"])];
        let builds: Vec<PathBuf> = fs::read_dir(&self.folder)?.filter_map(|build| Some(build.ok()?.path())).collect();
        // Ninja configures a build again whose file is older than those of Meson; the ones of another checkout may be older still.
        for build in builds.iter().map(|build| build.join("build.ninja")).filter(|build| build.is_file()) {
            fs::File::options().write(true).open(build)?.set_modified(SystemTime::UNIX_EPOCH)?;
        }
        let folders =
            builds.iter().flat_map(|build| MADE.iter().map(move |(folder, names)| (build.join(folder), names)));
        for (folder, names) in folders {
            for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
                let named = names.iter().any(|name| entry.file_name().to_string_lossy().starts_with(name));
                // Meson's own files for a target are in a folder with the name of the target.
                if named && entry.file_type()?.is_file() {
                    fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }
}

/// The patches of Mesa, in their order.
pub(crate) fn patches() -> Result<Vec<PathBuf>> {
    let folder = crate::root().join("ffi/mesa/patches");
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut patches: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    patches.sort();
    Ok(patches)
}

/// The folder of sources, builds and the Python environment.
pub(crate) fn cache() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = variable("NTV_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("ntv")))
        .or_else(|| Some(variable("HOME")?.join(".cache/ntv")))
        .context("no folder for a cache: set NTV_CACHE")?;
    fs::create_dir_all(&cache)?;
    Ok(cache.canonicalize()?)
}

/// Installs those of `packages` that are missing from Debian.
pub(crate) fn install_missing(packages: &str) -> Result<()> {
    let installed = |package: &&str| {
        let query = Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]).output();
        query.is_ok_and(|output| output.stdout == b"installed")
    };
    let missing: Vec<&str> = packages.split_whitespace().filter(|package| !installed(package)).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => crate::test::install_packages(&missing),
    }
}

/// Downloads a source package and unpacks it in `folder`, without a change to the package sources of the machine.
fn unpack(folder: &Path, release: &Release) -> Result<()> {
    ensure!(find("apt-get").is_some(), "this is not a Debian system");
    let lists = folder.join("apt");
    fs::create_dir_all(lists.join("partial"))?;
    let sources = folder.join("sources.list");
    fs::write(&sources, format!("deb-src {} {} main\n", mirror(), release.suite))?;
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
    go(apt_get().args(["source", "mesa"]))?;
    ensure!(folder.join(release.name).is_dir(), "Debian {} no longer has {}", release.suite, release.name);
    fs::remove_dir_all(lists)?;
    Ok(())
}

/// The Debian mirror of this machine.
pub(crate) fn mirror() -> String {
    let files = ["/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"];
    let text: String = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    let words = text.lines().filter(|line| line.starts_with("URIs:") || line.starts_with("deb "));
    let found =
        words.flat_map(str::split_whitespace).find(|word| word.starts_with("http") && word.ends_with("/debian"));
    found.unwrap_or("http://deb.debian.org/debian").to_string()
}
