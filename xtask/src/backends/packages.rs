// SPDX-License-Identifier: MIT

//! Packages of another release of Debian, unpacked in the cache. They change nothing on the machine.

use crate::command::{find, run as go};
use crate::mesa::{cache, mirror};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A release of Debian, and what is wanted of it with all that it depends on.
pub(super) struct Suite {
    name: &'static str,
    wanted: &'static [&'static str],
}

/// The release with Mesa 25.0.7.
pub(super) const TRIXIE: Suite = Suite { name: "trixie", wanted: &["mesa-vulkan-drivers", "libvulkan1"] };

/// Unpacked packages.
pub(super) struct Packages {
    root: PathBuf,
}

impl Suite {
    /// Downloads and unpacks the packages, unless they are in the cache.
    pub(super) fn unpacked(&self) -> Result<Packages> {
        ensure!(std::env::consts::ARCH == "x86_64", "the drivers are those of x86_64");
        let folder = cache()?.join(format!("debian-{}", self.name));
        let packages = Packages { root: folder.join("root") };
        let done = folder.join("unpacked");
        if !done.exists() {
            println!("Downloading drivers of Debian {} to {}.", self.name, folder.display());
            let archives = self.download(&folder)?;
            fs::create_dir_all(&packages.root)?;
            for entry in fs::read_dir(&archives).with_context(|| archives.display().to_string())? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "deb") {
                    go(Command::new("dpkg-deb").arg("--extract").arg(path).arg(&packages.root))?;
                }
            }
            fs::write(done, "")?;
            fs::remove_dir_all(folder.join("apt"))?;
        }
        Ok(packages)
    }

    /// Downloads the packages with a state of apt of its own, in which nothing is installed. Returns their folder.
    fn download(&self, folder: &Path) -> Result<PathBuf> {
        ensure!(find("apt-get").is_some(), "this is not a Debian system");
        let apt = folder.join("apt");
        let (lists, archives) = (apt.join("lists"), apt.join("cache/archives"));
        for parts in [&lists, &archives] {
            fs::create_dir_all(parts.join("partial"))?;
        }
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        fs::write(apt.join("sources.list"), format!("deb [signed-by={keys}] {} {} main\n", mirror(), self.name))?;
        fs::write(apt.join("status"), "")?;
        let options = [
            format!("Dir::Etc::SourceList={}", apt.join("sources.list").display()),
            "Dir::Etc::SourceParts=/dev/null".into(),
            format!("Dir::State::Lists={}", lists.display()),
            format!("Dir::State::Status={}", apt.join("status").display()),
            format!("Dir::Cache={}", apt.join("cache").display()),
        ];
        let apt_get = || {
            let mut command = Command::new("apt-get");
            command.arg("-qq").args(options.iter().map(|option| format!("-o{option}")));
            command
        };
        go(apt_get().arg("update"))?;
        let install = ["install", "--yes", "--no-install-recommends", "--download-only"];
        go(apt_get().args(install).args(self.wanted))?;
        Ok(archives)
    }
}

impl Packages {
    /// The folder of the libraries.
    fn libraries(&self) -> PathBuf {
        self.root.join("usr/lib/x86_64-linux-gnu")
    }

    /// The description of a driver for Vulkan's loader. The driver is found in the folder of libraries.
    pub(super) fn description(&self, name: &str) -> PathBuf {
        self.root.join("usr/share/vulkan/icd.d").join(name)
    }

    /// The beginning of a command that runs a program with these libraries, C's among them.
    pub(super) fn runner(&self) -> String {
        let libraries = self.libraries();
        let loader = libraries.join("ld-linux-x86-64.so.2");
        format!("{} --library-path {}", loader.display(), libraries.display())
    }
}
