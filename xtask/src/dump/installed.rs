// SPDX-License-Identifier: MIT

//! A Mesa that is installed somewhere: by Meson, by a distribution, or unpacked from its packages.

use crate::command::find;
use anyhow::{ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A Mesa under a prefix.
pub(super) struct Installed {
    /// The descriptions of its drivers for the loaders. Those that are installed may name the libraries of another prefix.
    descriptions: TempDir,
    /// The folders of its libraries.
    libraries: Vec<PathBuf>,
    /// Whether programs need an X server to start its zink.
    on_x: bool,
}

/// Where programs look for the description of a library: the library, its description in a loader's folder, and the variables with
/// its path.
const LIBRARIES: &[(&str, &str, &[&str])] = &[
    ("libEGL_mesa.so.0", "egl.json", &["__EGL_VENDOR_LIBRARY_FILENAMES"]),
    // Loaders before 1.3.207 know the second name.
    ("libvulkan_lvp.so", "vulkan.json", &["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]),
];

impl Installed {
    /// The Mesa under `prefix`, which has to have EGL, and lavapipe for zink.
    pub(super) fn new(prefix: &Path) -> Result<Installed> {
        let prefix = fs::canonicalize(prefix).with_context(|| prefix.display().to_string())?;
        let descriptions = tempfile::tempdir()?;
        let mut libraries = Vec::new();
        for (library, description, _) in LIBRARIES {
            let missing = || format!("{} has no {library}: is it the prefix of a Mesa?", prefix.display());
            let path = find_library(&prefix, library).with_context(missing)?;
            let text = serde_json::json!({
                "file_format_version": "1.0.0",
                "ICD": {"api_version": "1.4.0", "library_path": path},
            });
            fs::write(descriptions.path().join(description), text.to_string())?;
            libraries.extend(path.parent().map(Path::to_path_buf));
        }
        libraries.dedup();
        Ok(Installed { descriptions, libraries, on_x: false })
    }

    /// This Mesa, with the display that its zink needs to run `program`: none if it can do without.
    pub(super) fn with_display(mut self, program: &[PathBuf], folder: &Path) -> Result<Installed> {
        let mut starts = || {
            let mut command = self.command(program);
            let output =
                command.env("ZINK_DEBUG", "nir").current_dir(folder).output().context("cannot start the program")?;
            let has_shader = |said: &[u8]| String::from_utf8_lossy(said).contains("---8<---");
            let found = has_shader(&output.stderr) || has_shader(&output.stdout);
            self.on_x |= !found;
            anyhow::Ok(found)
        };
        // Mesa falls back to another driver without a message; only zink prints NIR with this variable.
        if !starts()? {
            ensure!(
                find("xvfb-run").is_some(),
                "the program makes no shader on zink without a display; to try one, install the Debian package xvfb"
            );
            ensure!(starts()?, "the program makes no shader on zink");
        }
        Ok(self)
    }

    /// A command that runs a program with its arguments on zink of this Mesa, on lavapipe.
    pub(super) fn command(&self, program: &[PathBuf]) -> Command {
        let mut command = Command::new(if self.on_x { Path::new("xvfb-run") } else { &program[0] });
        match self.on_x {
            true => command.arg("-a").args(program),
            false => command
                .args(&program[1..])
                .envs([("EGL_PLATFORM", "surfaceless"), ("PIGLIT_PLATFORM", "surfaceless_egl")]),
        };
        for (_, description, variables) in LIBRARIES {
            let path = self.descriptions.path().join(description);
            command.envs(variables.iter().map(|variable| (variable, &path)));
        }
        let folders = std::env::join_paths(&self.libraries).unwrap_or_default();
        // Mesa before 24.2 has a library for each driver.
        let drivers = self.libraries.iter().map(|folder| folder.join("dri")).find(|folder| folder.is_dir());
        command.envs(drivers.map(|folder| ("LIBGL_DRIVERS_PATH", folder)));
        command
            .env("LD_LIBRARY_PATH", folders)
            .envs([("MESA_LOADER_DRIVER_OVERRIDE", "zink"), ("GALLIUM_DRIVER", "zink"), ("LIBGL_ALWAYS_SOFTWARE", "1")])
            .env("MESA_SHADER_CACHE_DISABLE", "1")
            // Of a Mesa with ntv: it prints the NIR that zink's own translator gets.
            .env("ZINK_NTVR", "c");
        command
    }
}

/// The path of `library` under `prefix`: distributions have `lib`, `lib64`, or a folder for the processor below one of these.
fn find_library(prefix: &Path, library: &str) -> Option<PathBuf> {
    let own = format!("{}-linux-gnu", std::env::consts::ARCH);
    let folders = ["lib", "lib64"].map(|name| prefix.join(name));
    let mut paths =
        folders.iter().flat_map(|folder| [folder.join(&own), folder.clone()]).map(|folder| folder.join(library));
    paths.find(|path| path.exists())
}
