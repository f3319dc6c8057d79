// SPDX-License-Identifier: MIT

//! `cargo xtask targets`: the C library on other machines: 32 bits, big-endian, and another C library.

use crate::command::{cargo, output, run as go, target_folder};
use crate::mesa::install_missing;
use crate::meson::Meson;
use crate::steps::Steps;
use anyhow::{ensure, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A machine that the library is built for. Its programs run on this one.
struct Target {
    name: &'static str,
    /// The name of the target of Rust.
    triple: &'static str,
    /// The compiler of C, which also links.
    compiler: &'static str,
    /// The compiler of C++, if there is one.
    cpp: Option<&'static str>,
    /// The values of `cpu_family` and `endian` in Meson.
    family: [&'static str; 2],
    /// Whether rustc itself links programs, with its own copy of the C library: the compiler of C would start them with another one.
    is_self_contained: bool,
    /// A flag for links.
    link: Option<&'static str>,
    /// The command that runs a program of the machine.
    runner: &'static [&'static str],
    /// `default_library` in Meson.
    libraries: &'static str,
    /// The packages of Debian.
    needs: &'static str,
}

const TARGETS: &[Target] = &[
    Target {
        name: "32 bits",
        triple: "i686-unknown-linux-gnu",
        compiler: "i686-linux-gnu-gcc-12",
        cpp: Some("i686-linux-gnu-g++-12"),
        family: ["x86", "little"],
        is_self_contained: false,
        link: None,
        runner: &[],
        libraries: "both",
        needs: "gcc-12-i686-linux-gnu g++-12-i686-linux-gnu libc6-dev-i386-cross libc6-i386 lib32stdc++6",
    },
    Target {
        name: "big-endian",
        triple: "s390x-unknown-linux-gnu",
        compiler: "s390x-linux-gnu-gcc-12",
        cpp: Some("s390x-linux-gnu-g++-12"),
        family: ["s390x", "big"],
        is_self_contained: false,
        link: None,
        runner: &["qemu-s390x", "-L", "/usr/s390x-linux-gnu"],
        libraries: "both",
        needs: "gcc-12-s390x-linux-gnu g++-12-s390x-linux-gnu libc6-dev-s390x-cross qemu-user",
    },
    Target {
        name: "musl",
        triple: "x86_64-unknown-linux-musl",
        compiler: "musl-gcc",
        cpp: None,
        family: ["x86_64", "little"],
        is_self_contained: true,
        // gcc passes it, but musl's wrapper does not. Without it, panics end the process.
        link: Some("-Wl,--eh-frame-hdr"),
        runner: &[],
        // rustc links programs and libraries for musl statically.
        libraries: "static",
        needs: "musl-tools",
    },
];

/// The shaders that each machine has to write as the same wires, and to translate to the same words.
const SHADERS: &[&str] = &["examples", "tests/corpus/blocks", "tests/corpus/directives", "tests/corpus/mesa"];

/// Builds the C library for each target, runs its tests, and compares the wires and the SPIR-V of the command with those of this
/// machine. `arguments` may have the names of targets.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let chosen = |target: &&Target| arguments.is_empty() || arguments.iter().any(|name| name == target.name);
    let targets: Vec<&Target> = TARGETS.iter().filter(chosen).collect();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    ensure!(targets.len() == arguments.len().max(1) || arguments.is_empty(), "the targets are: {}", names.join(", "));
    let meson = Meson::new()?;
    let folder = tempfile::tempdir()?;
    let mut steps = Steps::new();
    let here = folder.path().join("here");
    steps.run("the shaders on this machine", || translate(&build_command(&[], "")?, &[], &here))?;
    for target in targets {
        steps.run(target.name, || {
            target.install()?;
            target.test_library(&meson)?;
            let there = folder.path().join(target.triple);
            translate(&target.command()?, target.runner, &there)?;
            compare(&here, &there)
        })?;
    }
    steps.print();
    Ok(())
}

impl Target {
    /// Installs the compilers of C and Rust.
    fn install(&self) -> Result<()> {
        install_missing(self.needs)?;
        let installed = output(Command::new("rustup").args(["target", "list", "--installed"]))?;
        match installed.lines().any(|line| line == self.triple) {
            true => Ok(()),
            false => go(Command::new("rustup").args(["target", "add", self.triple])),
        }
    }

    /// Builds the C library by Meson, and runs its programs.
    fn test_library(&self, meson: &Meson) -> Result<()> {
        let folder = target_folder().join(format!("meson-{}", self.triple));
        fs::create_dir_all(&folder)?;
        let file = folder.join("cross.txt");
        fs::write(&file, self.cross_file())?;
        let build = folder.join("build");
        let mut setup = meson.command("meson");
        setup.arg("setup").arg(&build).arg("--cross-file").arg(file);
        setup.args(["-Dbuildtype=debug", "-Dlto=false", "-Ddraw_test=disabled"]);
        setup.arg(format!("-Ddefault_library={}", self.libraries));
        if build.join("build.ninja").is_file() {
            setup.arg("--reconfigure");
        }
        go(&mut setup)?;
        go(meson.command("meson").args(["compile", "-C"]).arg(&build))?;
        go(meson.command("meson").args(["test", "--no-rebuild", "-C"]).arg(&build))
    }

    /// Meson's description of the machine.
    fn cross_file(&self) -> String {
        let quoted = |words: &[&str]| words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", ");
        let linker = format!("linker={}", self.compiler);
        let [family, endian] = self.family;
        let rust = quoted(&["rustc", "--target", self.triple, "-C", &linker]);
        let mut file = format!("[binaries]\nc = '{}'\nar = 'ar'\nrust = [{rust}]\n", self.compiler);
        if let Some(cpp) = self.cpp {
            file += &format!("cpp = '{cpp}'\n");
        }
        if !self.runner.is_empty() {
            file += &format!("exe_wrapper = [{}]\n", quoted(self.runner));
        }
        if let Some(link) = self.link {
            file += &format!("[built-in options]\nc_link_args = ['{link}']\n");
        }
        file + &format!(
            "[host_machine]\nsystem = 'linux'\ncpu_family = '{family}'\ncpu = '{family}'\nendian = '{endian}'\n"
        )
    }

    /// The command `ntv` for the machine.
    fn command(&self) -> Result<PathBuf> {
        build_command(&["--target", self.triple], if self.is_self_contained { "" } else { self.compiler })
    }
}

/// Builds the command `ntv`, with `linker` unless it is empty.
fn build_command(options: &[&str], linker: &str) -> Result<PathBuf> {
    let mut build = cargo(&["build", "--package", "ntv-tool", "--bin", "ntv"]);
    build.args(options).env("CARGO_INCREMENTAL", "0");
    let triple = options.last().copied().unwrap_or_default();
    if !linker.is_empty() {
        let variable = format!("CARGO_TARGET_{}_LINKER", triple.replace('-', "_").to_uppercase());
        build.env(variable, linker);
    }
    go(&mut build)?;
    Ok(target_folder().join(triple).join("debug/ntv"))
}

/// Writes the shaders as wires to `folder/wires`, and the SPIR-V of the wires to `folder/modules`.
fn translate(program: &Path, runner: &[&str], folder: &Path) -> Result<()> {
    let [wires, modules] = ["wires", "modules"].map(|name| folder.join(name));
    let run = |action: &str, from: &[&Path], to: &Path| {
        let mut words: Vec<OsString> = runner.iter().map(Into::into).collect();
        words.push(program.into());
        let mut command = Command::new(&words[0]);
        // QEMU runs one thread at a time.
        command.current_dir(crate::root()).env("RAYON_NUM_THREADS", "1").args(&words[1..]);
        go(command.arg(action).args(from).arg("-o").arg(to))
    };
    fs::create_dir_all(folder)?;
    run("wire", &SHADERS.iter().map(Path::new).collect::<Vec<_>>(), &wires)?;
    run("compile", &[&wires], &modules)
}

/// Compares the files of two folders.
fn compare(here: &Path, there: &Path) -> Result<()> {
    let mut count = 0;
    for entry in walkdir::WalkDir::new(here) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(here)?;
            let same = fs::read(entry.path())? == fs::read(there.join(name))?;
            ensure!(same, "{} differs", name.display());
            count += 1;
        }
    }
    ensure!(count > 100, "only {count} files");
    println!("{count} wires and modules are those of this machine.");
    Ok(())
}
