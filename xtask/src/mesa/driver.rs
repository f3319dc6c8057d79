// SPDX-License-Identifier: MIT

//! The driver under test: an installed Mesa, and the environment that makes a program use its zink on lavapipe.

use super::lines::Tracer;
use super::sanitize::Sanitizer;
use super::without::Layer;
use anyhow::{ensure, Context, Result};
use clap::ValueEnum;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use tempfile::TempDir;

/// The folder of Debian's piglit.
pub(crate) const PIGLIT: &str = "/usr/lib/x86_64-linux-gnu/piglit";

/// The Vulkan driver of Debian's own Mesa.
const DEBIANS_LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/// Vulkan's validation layer.
pub(crate) const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";

/// The settings of the layer: each error of each test is a line on stderr.
const VALIDATION_SETTINGS: &str = "\
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,info
khronos_validation.log_filename = /dev/stderr
khronos_validation.enable_message_limit = false
";

/// A part of the message of the layer about its start.
const VALIDATION_STARTS: &str = "Khronos Validation Layer Active";

/// The translator of NIR: the value of `ZINK_NTVR`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Translator {
    C,
    Rust,
    /// Both, in turns on each shader.
    Both,
}

impl Translator {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Translator::C => "c",
            Translator::Rust => "rust",
            Translator::Both => "compare",
        }
    }
}

/// The uniforms that zink binds as storage buffers with ntv.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Those in uniform blocks.
    Blocks,
    /// All, also those outside of blocks.
    All,
    /// Those in the blocks of stages that index at least this number of bytes of one dynamically.
    Threshold(NonZeroU32),
}

/// The back end of transform feedback with ntv.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Captures {
    /// The device: VK_EXT_transform_feedback.
    Extension,
    /// The shaders.
    Storage,
}

impl Storage {
    /// The value of `ZINK_NTVR_STORAGE`.
    fn value(self) -> String {
        match self {
            Storage::Blocks => "blocks".into(),
            Storage::All => "all".into(),
            Storage::Threshold(bytes) => bytes.to_string(),
        }
    }
}

impl FromStr for Storage {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Storage, &'static str> {
        match text {
            "blocks" => Ok(Storage::Blocks),
            "all" => Ok(Storage::All),
            _ => text.parse().map(Storage::Threshold).map_err(|_| "not blocks, all, or a number of bytes above 0"),
        }
    }
}

/// The Vulkan driver of the Mesa that is installed under `prefix`, or Debian's own.
pub(crate) fn vulkan_driver(prefix: Option<PathBuf>) -> Result<PathBuf> {
    // An empty prefix selects Debian's driver.
    Ok(Driver::new(prefix.unwrap_or_default(), false, None)?.lavapipe())
}

/// A Mesa installed under a prefix.
pub(crate) struct Driver {
    prefix: PathBuf,
    validate: bool,
    pub(crate) sanitizer: Option<Sanitizer>,
    pub(crate) storage: Option<Storage>,
    pub(crate) captures: Option<Captures>,
    /// The layer that hides a feature of the device.
    pub(crate) without: Option<Layer>,
    /// The log of the times of [`Translator::Both`], and the number of runs of each translator.
    pub(crate) log: Option<(PathBuf, u32)>,
    /// The program that steps through the translations.
    pub(crate) tracer: Option<Tracer>,
    /// The runtime folder and working folder of programs.
    scratch: TempDir,
}

impl Driver {
    pub(crate) fn new(prefix: PathBuf, validate: bool, sanitizer: Option<Sanitizer>) -> Result<Driver> {
        let scratch = tempfile::tempdir()?;
        let driver = Driver {
            prefix,
            validate,
            sanitizer,
            storage: None,
            captures: None,
            without: None,
            log: None,
            tracer: None,
            scratch,
        };
        if driver.lavapipe() == Path::new(DEBIANS_LAVAPIPE) {
            crate::test::install_file("/usr/share/vulkan/icd.d", "lvp_icd.", "mesa-vulkan-drivers")?;
        }
        if validate {
            let layer = "VkLayer_khronos_validation.";
            crate::test::install_file("/usr/share/vulkan/explicit_layer.d", layer, "vulkan-validationlayers")?;
            fs::write(driver.scratch.path().join("vk_layer_settings.txt"), VALIDATION_SETTINGS)?;
        }
        Ok(driver)
    }

    /// A program that runs on the driver without a window.
    pub(crate) fn program(&self, program: &Path, translator: Translator) -> Command {
        let mut command = match (&self.sanitizer, &self.tracer) {
            (Some(sanitizer), _) => sanitizer.command(program),
            (None, Some(tracer)) => tracer.command(program),
            (None, None) => Command::new(program),
        };
        self.environment(&mut command, translator);
        command.env("EGL_PLATFORM", "surfaceless");
        command
    }

    /// A program of piglit that runs on the driver without a window.
    pub(crate) fn piglit(&self, program: &str, translator: Translator) -> Command {
        let mut command = self.program(&Path::new(PIGLIT).join("bin").join(program), translator);
        command.env("PIGLIT_PLATFORM", "surfaceless_egl");
        if self.validate {
            command.env("ZINK_NTVR_VALIDATE", "1").env("VK_LAYER_SETTINGS_PATH", self.scratch.path());
            // Not ZINK_DEBUG=validation: a release build of zink receives the messages and does not print them.
            if self.without.is_none() {
                command.env("VK_INSTANCE_LAYERS", VALIDATION);
            }
        }
        command
    }

    /// Makes a program use this driver.
    pub(crate) fn environment(&self, command: &mut Command, translator: Translator) {
        command
            .env("LD_LIBRARY_PATH", self.prefix.join("lib/x86_64-linux-gnu"))
            .env("__EGL_VENDOR_LIBRARY_FILENAMES", self.prefix.join("share/glvnd/egl_vendor.d/50_mesa.json"))
            .env("VK_DRIVER_FILES", self.lavapipe())
            .env("XDG_RUNTIME_DIR", self.scratch.path())
            // Without LIBGL_ALWAYS_SOFTWARE, Mesa falls back to llvmpipe without a message.
            .envs([("LIBGL_ALWAYS_SOFTWARE", "1"), ("GALLIUM_DRIVER", "zink"), ("MESA_LOADER_DRIVER_OVERRIDE", "zink")])
            .env("MESA_SHADER_CACHE_DISABLE", "1")
            .env("ZINK_NTVR", translator.name())
            .current_dir(self.scratch.path())
            .stdin(Stdio::null());
        if let Some(layer) = &self.without {
            layer.apply(self.validate, command);
        }
        if let (Some(storage), Translator::Rust) = (self.storage, translator) {
            command.env("ZINK_NTVR_STORAGE", storage.value());
        }
        if let (Some(Captures::Storage), Translator::Rust) = (self.captures, translator) {
            command.env("ZINK_NTVR_XFB", "storage");
        }
        if let Some((log, runs)) = &self.log {
            command.env("ZINK_NTVR_LOG", log).env("ZINK_NTVR_RUNS", runs.to_string());
            // Without threads of lavapipe, and without threads for pipelines, which would use other cores during the measurement.
            command.env("LP_NUM_THREADS", "0").env("ZINK_DEBUG", "nobgc");
        }
    }

    /// The library that zink and its translators are in.
    pub(crate) fn library(&self) -> Result<PathBuf> {
        let folder = self.prefix.join("lib/x86_64-linux-gnu");
        let found = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut found = found.filter_map(|file| Some(file.ok()?.path()));
        let is_it = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libgallium-") && name.ends_with(".so")
        };
        found.find(is_it).with_context(|| format!("no libgallium-*.so in {}", folder.display()))
    }

    /// The Vulkan driver: the lavapipe of the same build, or Debian's. Debian 12's validation layer crashes with the driver of a
    /// newer Mesa.
    pub(super) fn lavapipe(&self) -> PathBuf {
        let own = self.prefix.join("share/vulkan/icd.d/lvp_icd.x86_64.json");
        match own.exists() && !self.validate {
            true => own,
            false => DEBIANS_LAVAPIPE.into(),
        }
    }

    /// Checks that programs run on this build of zink, and that the messages of the validation layer arrive.
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
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(!self.validate || errors.contains(VALIDATION_STARTS), "the validation layer does not report its start");
        println!("{renderer}");
        Ok(())
    }

    /// The file with the results of zink's own translator, which do not change with the same build of Mesa.
    pub(crate) fn known_results(&self) -> PathBuf {
        let how = match (&self.sanitizer, self.validate) {
            (Some(sanitizer), _) => sanitizer.name(),
            (None, true) => "validated",
            (None, false) => "plain",
        };
        let without = self.without.as_ref().map_or(String::new(), |layer| format!("-without-{}", layer.hidden));
        self.prefix.join(format!("c-{how}{without}.tsv"))
    }
}
