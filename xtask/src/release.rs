// SPDX-License-Identifier: MIT

//! `cargo xtask release`: the source of the C library as one file, with the crates that it needs, and the wrap by which Meson finds it.

use crate::command::{find, output, run as go, target_folder};
use crate::meson::Meson;
use crate::test::{install_packages, offline};
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the build of the library, its tests and its users need of the repository.
const FILES: &[&str] = &[
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "docs",
    "examples",
    "ffi",
    "meson.build",
    "meson_options.txt",
    "src",
    "subprojects",
];

/// The name of the subproject, which is the folder in the archive.
const NAME: &str = "ntvr";

/// The place of releases, which the sender fills in.
const PLACE: &str = "URL";

/// Makes the archive of the last commit, builds and tests it without a network, and writes the wrap. `arguments` may have the place
/// of releases.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let place = match arguments {
        [] => PLACE,
        [place] => place.trim_end_matches('/'),
        _ => anyhow::bail!("usage: cargo xtask release [URL OF RELEASES]"),
    };
    let changes = output(git().args(["status", "--porcelain"]))?;
    ensure!(changes.is_empty(), "the archive has the last commit, and these files differ:\n{changes}");
    if find("xz").is_none() {
        install_packages(&["xz-utils"])?;
    }
    let meson = Meson::new()?;
    let folder = target_folder().join("dist");
    fs::create_dir_all(&folder)?;
    let archive = folder.join(format!("{NAME}-{}.tar.xz", version()?));
    pack(&archive)?;
    check(&meson, &archive)?;
    let wrap = folder.join(format!("{NAME}.wrap"));
    fs::write(&wrap, text_of_wrap(&archive, place)?)?;
    println!("{}: {} KiB\n{}", archive.display(), fs::metadata(&archive)?.len() / 1024, wrap.display());
    Ok(())
}

fn git() -> Command {
    let mut command = Command::new("git");
    command.current_dir(crate::root());
    command
}

/// The version in Meson's file, which a test compares with Cargo's.
fn version() -> Result<String> {
    let meson = fs::read_to_string(crate::root().join("meson.build"))?;
    let version = meson.split("\n  version : '").nth(1).and_then(|rest| rest.split('\'').next());
    Ok(version.context("no version in meson.build")?.to_string())
}

/// The folders of the crates, which Meson has unpacked.
fn crates() -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(crate::root().join("subprojects"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wrap") {
            let text = fs::read_to_string(&path)?;
            let name = text.lines().find_map(|line| line.strip_prefix("directory = "));
            folders.push(Path::new("subprojects").join(name.with_context(|| path.display().to_string())?));
        }
    }
    ensure!(folders.len() > 2, "no wraps of crates");
    Ok(folders)
}

/// Writes the archive: equal commits give equal bytes.
fn pack(archive: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let root = scratch.path().join(NAME);
    fs::create_dir(&root)?;
    let mut committed =
        git().args(["archive", "HEAD"]).args(FILES).stdout(Stdio::piped()).spawn().context("cannot start git")?;
    let pipe = committed.stdout.take().context("no output of git")?;
    go(Command::new("tar").arg("-x").arg("-C").arg(&root).stdin(pipe))?;
    ensure!(committed.wait()?.success(), "git archive failed");
    for folder in crates()? {
        go(Command::new("cp").arg("-r").arg(crate::root().join(&folder)).arg(root.join("subprojects")))?;
    }
    let time = output(git().args(["log", "-1", "--format=@%ct"]))?;
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime={time}")).arg("-cJf").arg(archive).arg("-C").arg(scratch.path());
    go(tar.arg(NAME))
}

/// Builds the unpacked archive without a network, and runs its tests.
fn check(meson: &Meson, archive: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    go(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(scratch.path()))?;
    let (source, build) = (scratch.path().join(NAME), scratch.path().join("build"));
    go(offline(meson, "setup").arg(&build).arg(&source).args(["-Dbuildtype=debug", "-Dlto=false"]))?;
    go(offline(meson, "compile").arg("-C").arg(&build))?;
    go(offline(meson, "test").arg("--no-rebuild").arg("-C").arg(&build))
}

/// The wrap of the archive: `subprojects/ntvr.wrap` of the project that uses it.
fn text_of_wrap(archive: &Path, place: &str) -> Result<String> {
    let said = output(Command::new("sha256sum").arg(archive))?;
    let hash = said.split(' ').next().unwrap_or_default();
    let file = archive.file_name().context("no name")?.to_string_lossy();
    Ok(format!(
        "[wrap-file]\ndirectory = {NAME}\nsource_url = {place}/{file}\nsource_filename = {file}\nsource_hash = {hash}\n\n\
         [provide]\ndependency_names = {NAME}\n"
    ))
}
