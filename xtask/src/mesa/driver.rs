//! The driver under test: an installed Mesa, and the environment that makes a program use its zink on lavapipe.

use anyhow::{ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Where Debian installs piglit.
pub(crate) const PIGLIT: &str = "/usr/lib/x86_64-linux-gnu/piglit";

/// What translates NIR: the value of `ZINK_NTV`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Translator {
    C,
    Rust,
}

impl Translator {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Translator::C => "c",
            Translator::Rust => "rust",
        }
    }
}

/// A Mesa installed under a prefix.
pub(crate) struct Driver {
    prefix: PathBuf,
    validate: bool,
    /// Where programs may write: their runtime folder and working folder.
    scratch: TempDir,
}

impl Driver {
    pub(crate) fn new(prefix: PathBuf, validate: bool) -> Result<Driver> {
        Ok(Driver { prefix, validate, scratch: tempfile::tempdir()? })
    }

    /// A program of piglit's that will run on the driver.
    pub(crate) fn piglit(&self, program: &str, translator: Translator) -> Command {
        let mut command = Command::new(Path::new(PIGLIT).join("bin").join(program));
        command
            .env("LD_LIBRARY_PATH", self.prefix.join("lib/x86_64-linux-gnu"))
            .env("__EGL_VENDOR_LIBRARY_FILENAMES", self.prefix.join("share/glvnd/egl_vendor.d/50_mesa.json"))
            .env("VK_DRIVER_FILES", self.prefix.join("share/vulkan/icd.d/lvp_icd.x86_64.json"))
            .env("XDG_RUNTIME_DIR", self.scratch.path())
            .envs([("EGL_PLATFORM", "surfaceless"), ("PIGLIT_PLATFORM", "surfaceless_egl")])
            // Without LIBGL_ALWAYS_SOFTWARE Mesa falls back to llvmpipe without zink, and says nothing.
            .envs([("LIBGL_ALWAYS_SOFTWARE", "1"), ("GALLIUM_DRIVER", "zink"), ("MESA_LOADER_DRIVER_OVERRIDE", "zink")])
            .env("MESA_SHADER_CACHE_DISABLE", "1")
            .env("ZINK_NTV", translator.name())
            .current_dir(self.scratch.path())
            .stdin(Stdio::null());
        if self.validate {
            // Debian 12's validation layer crashes with the driver of a newer Mesa below it.
            command.env("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
            command.env("ZINK_DEBUG", "validation").env("ZINK_NTV_VALIDATE", "1");
        }
        command
    }

    /// Looks whether programs do run on zink, and on ours.
    pub(crate) fn verify(&self) -> Result<()> {
        let output =
            self.piglit("glinfo", Translator::Rust).args(["-auto", "-fbo"]).output().context("cannot start glinfo")?;
        let said = String::from_utf8_lossy(&output.stdout);
        let renderer = said.lines().find_map(|line| line.strip_prefix("GL_RENDERER = ")).unwrap_or("nothing");
        ensure!(
            renderer.starts_with("zink Vulkan"),
            "programs run on {renderer}, not on the zink under {}",
            self.prefix.display()
        );
        println!("{renderer}");
        Ok(())
    }

    /// The file with the results of zink's own translator, which stay the same while the build of Mesa does.
    pub(crate) fn known_results(&self) -> PathBuf {
        self.prefix.join(if self.validate { "c-validated.tsv" } else { "c.tsv" })
    }
}
